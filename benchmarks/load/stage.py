"""What a run takes place on: the model, the services, the workers, and the servers behind them. Nothing of it outlives its block."""

from __future__ import annotations

import asyncio
import secrets
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from benchmarks.load import tools
from benchmarks.load.processes import ZHIJI, Process, free_port, ready
from zhiji import Settings
from zhiji.testing.servers import Postgres, Valkey, postgres, valkey

WATCH_SECONDS = 0.1
BUGS = ("internal_error", "Traceback (most recent call last)", "was never retrieved")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What to run; see the command's help."""

    seconds: float
    turns: int | None
    clients: int
    users: int
    database: Literal["sqlite", "postgres"]
    redis: bool
    servers: int
    workers: int
    latency: float
    kill: int
    kill_seconds: float
    seed: int

    def shown(self) -> Mapping[str, object]:
        """Return the options for the report."""
        return asdict(self)


class Stage:
    """The processes of one run, and what has befallen them."""

    def __init__(self, folder: Path, *, servers: int) -> None:
        """``folder`` gets the logs, and the database if it is a file."""
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder.absolute()
        self.token = secrets.token_urlsafe(24)
        self.ports = [free_port() for _ in range(servers)]
        self.model_url = ""
        self.database_url = f"sqlite:///{self.folder / 'zhiji.db'}"
        self.postgres: Postgres | None = None
        self.redis: Valkey | None = None
        self.processes: list[Process] = []
        self.struck: list[tuple[str, float]] = []
        """What has happened, with the seconds from its end until every service was ready."""

    @property
    def victims(self) -> list[Process]:
        """The processes of zhiji."""
        return [one for one in self.processes if one.name.startswith(("serve", "worker"))]

    def start(self, name: str, command: Sequence[str], env: Mapping[str, str]) -> Process:
        """A process runs."""
        process = Process(name, command, env, self.folder / f"{name}.log")
        process.start()
        self.processes.append(process)
        return process

    async def start_zhiji(self, embedder: str, *, workers: int) -> None:
        """As many services as there are ports and so many workers run, and the services are ready."""
        env = self._environment(embedder, has_workers=workers > 0)
        for number, port in enumerate(self.ports, 1):
            self.start(f"serve {number}", (*ZHIJI, "serve", "--port", str(port)), env)
        for number in range(1, workers + 1):
            self.start(f"worker {number}", (*ZHIJI, "worker"), env)
        await self.ready()

    async def ready(self) -> None:
        """Every service can serve."""
        await asyncio.gather(*(ready(port, self.token) for port in self.ports))

    @asynccontextmanager
    async def supervised(self) -> AsyncIterator[None]:
        """Inside the block, a process of zhiji that ends by itself is started again: it may have found no database."""

        async def watch() -> None:
            while True:
                for one in self.victims:
                    if (code := one.revive()) is not None:
                        self.struck.append((f"{one.name} ended by itself with {code}", 0.0))
                await asyncio.sleep(WATCH_SECONDS)

        watching = asyncio.create_task(watch())
        try:
            yield
        finally:
            watching.cancel()

    def settings(self, embedder: str) -> Settings:
        """Return the settings with which the evidence is read: from the database, never from Redis."""
        return Settings.load(database_url=self.database_url, embedder=embedder, extractor="rules", worker=False)

    def cpu(self) -> dict[str, float]:
        """Return the CPU seconds so far, by process, with the clients'."""
        return {**{one.name: one.cpu_seconds() for one in self.processes}, "clients": time.process_time()}

    def bugs(self) -> list[str]:
        """Return the lines of the logs that tell of an exception which nobody expected."""
        return [
            f"{one.name}: {line}"
            for one in self.processes
            for line in one.log_lines()
            if any(sign in line for sign in BUGS)
        ]

    async def stop(self) -> list[str]:
        """Every process was asked to end, the last started first; returns what went wrong."""
        codes = {one.name: await one.stop() for one in reversed(self.processes)}
        return [f"{name} ended with {code}" for name, code in codes.items() if code and name != "model"]

    def _environment(self, embedder: str, *, has_workers: bool) -> dict[str, str]:
        redis = {} if self.redis is None else {"ZHIJI_REDIS_URL": self.redis.url}
        return {
            "ZHIJI_DATABASE_URL": self.database_url,
            **redis,
            "ZHIJI_TOKEN": self.token,
            "ZHIJI_WORKER": str(not has_workers),
            "ZHIJI_EMBEDDER": embedder,
            "ZHIJI_EXTRACTOR": "rules",
            "ZHIJI_TOOLS": "benchmarks.load.tools:register",
            "ZHIJI_LLM_API_BASE": self.model_url,
            "ZHIJI_LLM_API_KEY": "none",
            "ZHIJI_LLM_MODEL": "load",
            tools.LOG: str(self.folder / "calls.jsonl"),
        }


@asynccontextmanager
async def staged(
    folder: Path, latency: float, *, servers: int = 1, database: str = "sqlite", redis: bool = False
) -> AsyncIterator[Stage]:
    """Give a stage on which the model runs, and the servers that are asked for; nothing runs afterwards."""
    stage = Stage(folder, servers=servers)
    with ExitStack() as opened:
        if database == "postgres":
            stage.postgres = opened.enter_context(postgres(is_durable=True))
            stage.database_url = stage.postgres.create()
        if redis:
            stage.redis = opened.enter_context(valkey())
        try:
            command = (sys.executable, "-m", "benchmarks.load.model", "--latency", str(latency))
            stage.model_url = stage.start("model", command, {}).first_line()
            yield stage
        finally:
            await stage.stop()
