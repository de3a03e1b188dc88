"""The business tools of a load run: ``zhiji serve --tools benchmarks.load.tools:register``.

Both are slow. The writing one keeps its own log, a line for each execution, which the checker compares with the ledger.
"""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

from zhiji import Zhiji
from zhiji.types import Scope

SECONDS = 0.2
LOG = "LOAD_CALLS"
"""Environment variable with the path of the log."""


def register(zj: Zhiji) -> None:
    """The tools are offered."""
    zj.tool(effects="read")(look_up)
    zj.tool(effects="write")(refund)


async def look_up(mark: str) -> str:
    """Look something up, slowly."""
    await asyncio.sleep(SECONDS)
    return f"here it is: {mark}"


async def refund(mark: str, scope: Scope, call_key: str) -> str:
    """Pay something back, slowly, and only once."""
    line = json.dumps({"key": call_key, "mark": mark, "user": scope.user}) + "\n"
    log = os.open(Path(os.environ[LOG]), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(log, line.encode())
    finally:
        os.close(log)
    await asyncio.sleep(SECONDS)
    return f"done: {mark}"
