"""The service as tests meet it: in this process without sockets, on a real port of this process, or as a real process."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import httpx
from fastapi import FastAPI

from zhiji import Zhiji
from zhiji.testing import FrozenClock

TOKEN = "test-token-0123456789"
AUTH = {"Authorization": f"Bearer {TOKEN}"}
START = "import sys; from zhiji.cli import main; sys.exit(main())"
STRIPPED = ("ZHIJI_", "PYTHONDONTWRITEBYTECODE")
"""Not handed on: settings of whoever runs the tests; and like any installed program it keeps its byte code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A running service with its client, which knows the token."""

    client: httpx.AsyncClient
    app: FastAPI
    url: str
    clock: FrozenClock

    @property
    def zj(self) -> Zhiji:
        """The zhiji inside."""
        opened = self.app.state.zhiji
        assert isinstance(opened, Zhiji)
        return opened

    async def chat(self, message: str, *, user: str = "u1", **more: Any) -> dict[str, Any]:
        """Return the full reply to a message."""
        answer = await self.client.post("/v1/chat", json={"user_id": user, "message": message, **more})
        assert answer.status_code == 200, answer.text
        reply: dict[str, Any] = answer.json()
        return reply

    async def chat_id(self, *, user: str = "u1") -> str:
        """Return a new session of a user."""
        return (await self.zj.sessions.start(user)).id


@dataclass(frozen=True, slots=True)
class SentEvent:
    """One server-sent event as it arrived."""

    name: str
    data: dict[str, Any]


async def events(answer: httpx.Response) -> AsyncIterator[SentEvent]:
    """Yield the events of a stream as they come; comments are passed over."""
    name = ""
    async for line in answer.aiter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield SentEvent(name, json.loads(line.removeprefix("data: ")))


def is_problem(answer: httpx.Response, status: int, code: str) -> bool:
    """Return whether an answer is this problem, whole and well-formed."""
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    problem = answer.json()
    assert problem["request_id"] == answer.headers["x-request-id"]
    assert problem["status"] == answer.status_code
    assert problem["detail"]
    return (answer.status_code, problem["code"]) == (status, code)


class Process:
    """``zhiji serve`` in a process of its own, on a free port, in a folder of its own."""

    def __init__(self, folder: Path, *args: str, env: Mapping[str, str] | None = None, script: str = START) -> None:
        """The process has started; see ``listening``."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(STRIPPED)}
        self._process = subprocess.Popen(
            [sys.executable, "-c", script, *args],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={
                **kept,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                "ZHIJI_LANG": "en",
                "ZHIJI_EMBEDDER": "off",
                "ZHIJI_PORT": "0",
                **(env or {}),
            },
            text=True,
            encoding="utf-8",
        )
        self.said: list[str] = []
        """Lines of its stderr so far."""

    def listening(self) -> str:
        """Return its URL, once it says that it listens."""
        for line in self.lines():
            if "listening on " in line:
                return line.split("listening on ")[1].split(";")[0]
        raise AssertionError(f"it did not start: {self.said}")

    def lines(self) -> Iterator[str]:
        """Yield the lines of its stderr as they come, to its end."""
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self.said.append(line.rstrip("\n"))
            yield self.said[-1]

    def limit(self, kind: int, limits: tuple[int, int]) -> None:
        """The process may use no more of this from now on (``resource.RLIMIT_…``)."""
        resource.prlimit(self._process.pid, kind, limits)

    def send(self, number: signal.Signals) -> None:
        """The process has been sent this signal."""
        self._process.send_signal(number)

    def end(self, number: signal.Signals | None = None) -> tuple[int, str]:
        """Return its exit code and all that it wrote, once it has ended (by this signal)."""
        if number is not None and self._process.poll() is None:
            self.send(number)
        assert self._process.stdout is not None
        for _ in self.lines():
            pass
        out = self._process.stdout.read()
        return self._process.wait(timeout=60), "\n".join([*self.said, out])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()
