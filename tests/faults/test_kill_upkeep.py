"""``kill -9`` while memories and conversations are kept in order: what was promised holds, and nothing is half done."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from faults import keeper
from zhiji.testing import FrozenClock, HashEmbedder
from zhiji.types import JobStatus


def live(path: Path, moment: str, number: int) -> tuple[list[str], int]:
    """Run the story in a process of its own; return what it promised and its exit code."""
    command = [sys.executable, str(Path(keeper.__file__)), str(path), moment, str(number)]
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=here)
    return done.stdout.splitlines(), done.returncode


async def afterwards(path: Path, promised: list[str]) -> None:
    """Open the file hours later and check what must be true, whenever the process died."""
    clock = FrozenClock()
    clock.advance(timedelta(hours=3))
    async with keeper.opened(str(path), clock) as zj:
        await zj.drain()
        assert {job.status for job in await zj.jobs.list()} <= {JobStatus.DONE}
        memories = await zj.memories.list("a")
        known = [memory.content for memory in memories]
        twice = Counter([*known, *(memory.key for memory in memories if memory.key)])
        assert max(twice.values(), default=1) == 1
        assert "ingested" not in promised or "用户叫李四" in known
        assert ("喜欢红色" in known) + ("喜欢蓝色" in known) <= 1
        assert "corrected" not in promised or "喜欢红色" not in known
        assert "deleted" not in promised or "喜欢蓝色" not in known
        assert "erased" not in promised or not await zj.sessions.list("b", archived=True)
        assert not await zj._parts.store.unembedded(zj.scope("a"), HashEmbedder().name)
        for session in await zj.sessions.list("a", archived=True):
            seqs = [message.seq for message in await zj.sessions.messages("a", session, archived=True)]
            assert seqs == list(range(1, len(seqs) + 1))
        assert (await zj.chat("a", "还在吗")).text == "好的"


@pytest.mark.timeout(600)
async def test_killed_after_every_commit(tmp_path: Path) -> None:
    """For each commit of the story in turn: killed right after it, the next process finds everything in order."""
    lines, code = live(tmp_path / "whole.db", "never", 0)
    assert code == 0
    await afterwards(tmp_path / "whole.db", lines)
    commits = int(lines[-1].removeprefix("commits "))
    assert commits > 30
    for number in range(1, commits + 1):
        path = tmp_path / f"{number}.db"
        promised, code = live(path, "after", number)
        assert code == -9, f"commit {number} was not reached"
        await afterwards(path, promised)
