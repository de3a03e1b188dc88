"""One run: processes are started, clients let loose, kills done, the queue worked off, the ledger checked."""

from __future__ import annotations

import asyncio
import random
import secrets
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.load import evidence, tools
from benchmarks.load.checker import check
from benchmarks.load.clients import ROUGH, STEADY, Crowd, Mix
from benchmarks.load.figures import Part
from benchmarks.load.ledger import Kind
from benchmarks.load.processes import ZHIJI, Process, free_port, ready
from zhiji import Settings

BARE = Mix(kinds={Kind.PLAIN: 1}, habits={"plainly": 1})
SETTLE_SECONDS = 300.0
"""How long the workers may take for what is left of the queue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What to run; see the command's help."""

    seconds: float
    turns: int | None
    clients: int
    users: int
    workers: int
    latency: float
    kill: int
    kill_seconds: float
    seed: int

    def shown(self) -> Mapping[str, object]:
        """Return the options for the report."""
        return asdict(self)


class Stage:
    """The processes of one run, on one port."""

    def __init__(self, folder: Path, token: str) -> None:
        """``folder`` gets the database and the logs."""
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder.absolute()
        self.token = token
        self.port = free_port()
        self.processes: list[Process] = []

    def start(self, name: str, command: Sequence[str], env: Mapping[str, str]) -> Process:
        """A process runs."""
        process = Process(name, command, env, self.folder / f"{name}.log")
        process.start()
        self.processes.append(process)
        return process

    def cpu(self) -> dict[str, float]:
        """Return the CPU seconds so far, by process, with the clients'."""
        return {**{one.name: one.cpu_seconds() for one in self.processes}, "clients": time.process_time()}

    async def stop(self) -> list[str]:
        """Every process was asked to end, the last started first; returns what went wrong."""
        codes = {one.name: await one.stop() for one in reversed(self.processes)}
        return [f"{name} ended with {code}" for name, code in codes.items() if code and name != "model"]


@asynccontextmanager
async def staged(folder: Path, latency: float) -> AsyncIterator[tuple[Stage, str]]:
    """Yield a stage on which the model runs, and the model's base URL; nothing runs afterwards."""
    stage = Stage(folder, secrets.token_urlsafe(24))
    try:
        command = (sys.executable, "-m", "benchmarks.load.model", "--latency", str(latency))
        yield stage, stage.start("model", command, {}).first_line()
    finally:
        await stage.stop()


async def bare(options: Options, folder: Path) -> Part:
    """Return the baseline."""
    async with staged(folder / "bare", options.latency) as (stage, url):
        command = (sys.executable, "-m", "benchmarks.load.bare", "--port", str(stage.port))
        stage.start("bare", command, {"LLM_API_BASE": url})
        await ready(stage.port, stage.token)
        crowd = _crowd(options, stage)
        await _warm(stage, crowd, BARE, options)
        return await _part(stage, crowd, BARE, options)


async def loaded(options: Options, folder: Path, embedder: str) -> tuple[Mapping[str, Part], dict[str, list[str]]]:
    """Return the parts of a run with this embedder, and the checker's complaints by rule."""
    async with staged(folder, options.latency) as (stage, url):
        env = _environment(stage, url, embedder, workers=options.workers > 0)
        workers = [stage.start(f"worker {n + 1}", (*ZHIJI, "worker"), env) for n in range(options.workers)]
        serve = stage.start("serve", (*ZHIJI, "serve", "--port", str(stage.port)), env)
        await ready(stage.port, stage.token)
        crowd, settings = _crowd(options, stage), _settings(stage, embedder)
        await _warm(stage, crowd, STEADY, options)
        steady = await _part(stage, crowd, STEADY, options)
        async with _killing(stage, [serve, *workers], options):
            rough = await _part(stage, crowd, ROUGH, options)
        await evidence.settled(settings, SETTLE_SECONDS)
        failures = await stage.stop()
        found = await evidence.gather(settings, crowd.ledger, stage.folder / "calls.jsonl", options.seed)
    return {"steady": steady, "rough": rough}, {**check(crowd.ledger, found), "processes_end_well": failures}


async def _warm(stage: Stage, crowd: Crowd, mix: Mix, options: Options) -> None:
    """Every client has sent a turn: what is imported at the first one is."""
    await crowd.work(stage.port, mix, clients=options.clients, seconds=options.seconds, turns=options.clients)


async def _part(stage: Stage, crowd: Crowd, mix: Mix, options: Options) -> Part:
    before, kills, began = stage.cpu(), sum(one.kills for one in stage.processes), time.monotonic()
    ledger = await crowd.work(stage.port, mix, clients=options.clients, seconds=options.seconds, turns=options.turns)
    after, seconds = stage.cpu(), time.monotonic() - began
    return Part(
        ledger=ledger,
        seconds=seconds,
        latency=options.latency,
        cpu={name: spent - before[name] for name, spent in after.items()},
        peak_mb={one.name: one.peak_mb() for one in stage.processes},
        kills=sum(one.kills for one in stage.processes) - kills,
    )


@asynccontextmanager
async def _killing(stage: Stage, victims: Sequence[Process], options: Options) -> AsyncIterator[None]:
    """Inside the block, now one, now another is killed and started again, the service first, as often as asked for."""
    task = asyncio.create_task(_kill(stage, victims, options))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _kill(stage: Stage, victims: Sequence[Process], options: Options) -> None:
    chance, victim = random.Random(options.seed), victims[0]
    for _ in range(options.kill):
        await asyncio.sleep(options.kill_seconds * chance.uniform(0.5, 1.5))
        victim.kill()
        victim.start()
        await ready(stage.port, stage.token)
        victim = chance.choice(victims)


def _crowd(options: Options, stage: Stage) -> Crowd:
    return Crowd(token=stage.token, users=options.users, seed=options.seed, latency=options.latency)


def _settings(stage: Stage, embedder: str) -> Settings:
    return Settings.load(database_url=_database(stage), embedder=embedder, extractor="rules", worker=False)


def _database(stage: Stage) -> str:
    return f"sqlite:///{stage.folder / 'zhiji.db'}"


def _environment(stage: Stage, url: str, embedder: str, *, workers: bool) -> dict[str, str]:
    return {
        "ZHIJI_DATABASE_URL": _database(stage),
        "ZHIJI_TOKEN": stage.token,
        "ZHIJI_WORKER": str(not workers),
        "ZHIJI_EMBEDDER": embedder,
        "ZHIJI_EXTRACTOR": "rules",
        "ZHIJI_TOOLS": "benchmarks.load.tools:register",
        "ZHIJI_LLM_API_BASE": url,
        "ZHIJI_LLM_API_KEY": "none",
        "ZHIJI_LLM_MODEL": "load",
        tools.LOG: str(stage.folder / "calls.jsonl"),
    }
