"""A process that has everything imported and compiled, and forks one process after the other to be killed.

Started as ``python nursery.py MODULE``. For each line it reads, the arguments of ``MODULE.main`` as a JSON list, one process
lives, and may die, of its own; the answer is a line ``[CODE, PRINTED]``, its exit code (−9: killed) and what it had printed.
Importing and compiling take longer than a story does; paid for once, a kill at every commit is affordable.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

from zhiji.extract import Increment
from zhiji.extract.rules import propose
from zhiji.types import Message


@dataclass(frozen=True)
class Nursery:
    """The caller's end of it."""

    process: subprocess.Popen[str]

    def live(self, *arguments: object) -> tuple[list[str], int]:
        """Let a process live with these arguments; return the lines it printed and its exit code."""
        assert self.process.stdin
        assert self.process.stdout
        print(json.dumps([str(one) for one in arguments]), file=self.process.stdin, flush=True)
        code, printed = json.loads(self.process.stdout.readline())
        return printed.splitlines(), code


def is_over(promised: list[str], number: int) -> bool:
    """Return whether a process came to the end of its story because it has fewer commits: a write that failed has none."""
    last = promised[-1] if promised else ""
    return last.startswith("commits ") and number > int(last.removeprefix("commits "))


@contextmanager
def opened(module: ModuleType) -> Iterator[Nursery]:
    """Give a nursery for this module's ``main``."""
    command = [sys.executable, __file__, module.__name__]
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=here) as process:
        yield Nursery(process)
        assert process.stdin
        process.stdin.close()


def _compile() -> None:
    moment = datetime(2025, 1, 1, tzinfo=UTC)
    propose(Increment(messages=[Message(role="user", content="订单 1", time=moment, seq=1, turn=1)], now=moment))


def _lived(main: Any, arguments: list[str]) -> tuple[int, str]:
    reader, writer = os.pipe()
    if not (process := os.fork()):
        os.dup2(writer, sys.stdout.fileno())
        asyncio.run(main(*arguments))
        sys.exit()
    os.close(writer)
    with os.fdopen(reader) as pipe:
        printed = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), printed


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    module = importlib.import_module(sys.argv[1])
    _compile()
    for line in sys.stdin:
        print(json.dumps(_lived(module.main, json.loads(line))), flush=True)
