"""``kill -9`` while memories and conversations are kept in order: what was promised holds, and nothing is half done."""

from __future__ import annotations

import itertools
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from faults import keeper, nursery
from zhiji import Zhiji
from zhiji.testing import FrozenClock, HashEmbedder
from zhiji.types import JobStatus, Status

SLICES = 6
"""The commits are dealt to so many tests, so that several workers share them."""


async def afterwards(path: Path, promised: list[str]) -> None:
    """Open the file hours later and check what must be true, whenever the process died."""
    clock = FrozenClock()
    clock.advance(timedelta(days=122 if "archived" in promised else 0, hours=3))
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
        await reflected(zj, promised)


async def reflected(zj: Zhiji, promised: list[str]) -> None:
    """A reflection stands on facts that stand, and is linked both ways; what was due is gone after the next sweep.

    Killed between the archiving and the promise of it, the reflection is in the archive with its facts.
    """
    rows = {memory.id: memory for memory in await zj.memories.list("c", statuses=list(Status))}
    standing = [row for row in rows.values() if row.type == "reflection" and row.status is Status.ACTIVE]
    assert len(standing) <= 1
    archived = {row.status for row in rows.values()} == {Status.ARCHIVED}
    assert "reflected" not in promised or "archived" in promised or archived or len(standing) == 1
    for one in standing:
        assert all(rows[link].status is Status.ACTIVE and one.id in rows[link].links for link in one.links)
    await zj.sweep()
    left = await zj.memories.list("c", statuses=list(Status))
    assert "archived" not in promised or left == []
    assert await zj._parts.store.expired_memories(zj._parts.clock()) == []


@pytest.mark.parametrize("first", range(1, SLICES + 1))
async def test_killed_after_every_commit(tmp_path: Path, first: int) -> None:
    """For each commit of the story in turn: killed right after it, the next process finds everything in order."""
    with nursery.opened(keeper) as processes:
        for number in itertools.count(first, SLICES):
            promised, code = processes.live(path := tmp_path / f"{number}.db", "after", number)
            await afterwards(path, promised)
            assert code in (0, -9)
            if nursery.is_over(promised, number):
                break
    assert promised[-2] == "forgotten"
    assert number > 60, "the story has become short"
