"""``kill -9`` at every commit boundary: no accepted turn is lost, no memory written twice, no finished refund repeated."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults import child, nursery
from zhiji import Zhiji
from zhiji.testing import FrozenClock, ScriptedModel
from zhiji.testing.servers import Postgres
from zhiji.types import JobStatus, Status

SLICES = 3
"""The commits are dealt to so many tests, so that several workers share them."""


@pytest.fixture
def processes() -> Iterator[nursery.Nursery]:
    """Yield where processes live through the story."""
    with nursery.opened(child) as opened:
        yield opened


def place(folder: Path) -> tuple[Path, Path]:
    """Return the database and the ledger of one life."""
    folder.mkdir(exist_ok=True)
    return folder / "zhiji.db", folder / "ledger"


def kept(promised: list[str]) -> list[str]:
    """Return the turns that were accepted."""
    return [line.split()[1] for line in promised if line.startswith("accepted")]


async def afterwards(tmp_path: Path, accepted: list[str], url: str | None = None) -> None:
    """Open the database again, let the client retry everything, and check what must be true."""
    path, ledger = url or str(tmp_path / "zhiji.db"), str(tmp_path / "ledger")
    async with Zhiji.open(child.settings(path), clock=FrozenClock(), model=ScriptedModel([child.answers] * 20)) as zj:
        child.add_refund(zj, ledger)
        replies = {key: await zj.chat(child.USER, words, idempotency_key=key) for key, words in child.STORY.items()}
        await zj.drain()
        for key in accepted:
            assert replies[key].replayed, f"{key} had been answered, and was run again"
        sessions = await zj.sessions.list(child.USER, archived=True)
        messages = [
            message for one in sessions for message in await zj.sessions.messages(child.USER, one.id, archived=True)
        ]
        for one in sessions:
            seqs = [m.seq for m in await zj.sessions.messages(child.USER, one.id, archived=True)]
            assert seqs == list(range(1, len(seqs) + 1))
        answered = [message for message in messages if message.role == "assistant" and not message.tool_calls]
        assert len(answered) == len(child.STORY), "each turn was answered exactly once"
        refunds = Path(ledger).read_text().splitlines() if Path(ledger).exists() else []
        assert len(refunds) <= 1, "the refund was made twice"
        memories = await zj.memories.list(child.USER, statuses=list(Status))
        keys = Counter(memory.key for memory in memories if memory.key and memory.status is Status.ACTIVE)
        assert max(keys.values()) == 1
        contents = Counter(memory.content for memory in memories if memory.status is Status.ACTIVE)
        assert max(contents.values()) == 1, "a memory was written twice"
        assert {"identity:name", "order:OD20240415008"} <= set(keys)
        assert not [job for job in await zj.jobs.list() if job.status is not JobStatus.DONE]


async def test_the_story_without_a_kill(tmp_path: Path, processes: nursery.Nursery) -> None:
    """The story itself accepts every turn and makes exactly one refund."""
    promised, code = processes.live(*place(tmp_path), "never", 0)
    assert code == 0
    assert kept(promised) == ["k1", "k2", "k3"]
    assert (tmp_path / "ledger").read_text().splitlines() == ["OD20240415008"]
    await afterwards(tmp_path, ["k1", "k2", "k3"])


@pytest.mark.parametrize("first", range(1, SLICES + 1))
@pytest.mark.parametrize("moment", ["before", "after"])
async def test_killed_at_every_commit(tmp_path: Path, processes: nursery.Nursery, moment: str, first: int) -> None:
    """For each commit of the story in turn: killed right before or after it, a retry leaves everything exactly once."""
    for number in itertools.count(first, SLICES):
        promised, code = processes.live(*place(folder := tmp_path / str(number)), moment, number)
        await afterwards(folder, kept(promised))
        assert code in (0, -9)
        if nursery.is_over(promised, number):
            break
    assert number > 10, "the story has become short"


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_killed_on_postgres(
    tmp_path: Path, processes: nursery.Nursery, postgres_server: Postgres, postgres_template: str, moment: str
) -> None:
    """The same at every third commit of the story, on PostgreSQL: its connections break, its transactions end."""
    for number in itertools.count(2, 3):
        url = postgres_server.create(postgres_template)
        promised, code = processes.live(url, place(folder := tmp_path / str(number))[1], moment, number)
        await afterwards(folder, kept(promised), url)
        assert code in (0, -9)
        if nursery.is_over(promised, number):
            break
    assert number > 10, "the story has become short"


@pytest.mark.parametrize("moment", ["tool-before", "tool-after"])
async def test_killed_inside_a_write_tool(tmp_path: Path, processes: nursery.Nursery, moment: str) -> None:
    """Killed in the middle of the refund: its outcome is unknown, so the retry does not run it again and says so."""
    promised, code = processes.live(*place(tmp_path), moment, 1)
    assert code == -9
    assert promised == ["accepted k1"]
    made = (tmp_path / "ledger").read_text().splitlines() if (tmp_path / "ledger").exists() else []
    assert len(made) == (moment == "tool-after")
    await afterwards(tmp_path, ["k1"])
    assert len((tmp_path / "ledger").read_text().splitlines() if (tmp_path / "ledger").exists() else []) == len(made)
