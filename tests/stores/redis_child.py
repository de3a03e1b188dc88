"""The other process of a test with Redis: opens a store in a file, says ``ready``, does one thing per line of its input.

Run as ``python redis_child.py PATH``.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from zhiji.stores.redis import LiveSessions
from zhiji.stores.sqlite import SqliteStore
from zhiji.telemetry import Telemetry
from zhiji.testing.values import ALICE, turn


async def begin(path: Path, url: str, holder: str) -> None:
    """A turn is open, in the database and in Redis; then nothing happens until the next line."""
    store = await LiveSessions.open(await SqliteStore.open(path), url, timeout_seconds=10, telemetry=Telemetry())
    await store.connected()
    await store.begin_turn(ALICE, "ses_1", turn("dead", "还在吗", holder=holder), history_turns=20)
    print("begun", flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    print("ready", flush=True)
    _, url, holder = sys.stdin.readline().split()
    asyncio.run(begin(Path(sys.argv[1]), url, holder))
