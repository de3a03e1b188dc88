"""Several real processes share one database: nothing is lost, doubled or interleaved, and the dead hold nothing up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from processes import Child
from stores.child import open_store
from zhiji.errors import SchemaTooNew, StoreBusy
from zhiji.stores.base import Store
from zhiji.stores.sqlite import SqliteStore
from zhiji.testing.values import ALICE, at, contents, ingested_session, job, lease, run_turn, said, turn
from zhiji.types import Scope

CHILD = Path(__file__).with_name("child.py")
on_each_database = pytest.mark.parametrize("place", ["sqlite", "postgres"], indirect=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a file that is not there yet."""
    return tmp_path / "zhiji.db"


@pytest.fixture
def place(request: pytest.FixtureRequest, path: Path) -> Path | str:
    """Return where the database is: in a file, or on a server if the test asks for it."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return path
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
def children(place: Path | str) -> Iterator[list[Child]]:
    """Yield two processes that are ready to work on this database."""
    with ExitStack() as ends:
        started = [Child(CHILD, place), Child(CHILD, place)]
        for child in started:
            ends.callback(child.close)
        assert [child.answer() for child in started] == ["ready", "ready"]
        yield started


@pytest.fixture
async def store(place: Path | str) -> AsyncIterator[Store]:
    """Yield this process's store there."""
    store = await open_store(place)
    yield store
    await store.close()


@on_each_database
async def test_two_processes_append_without_loss(store: Store, children: list[Child]) -> None:
    """50 messages each: exactly 100 are there, numbered 1 to 100, each process's in its own order (C001)."""
    await ingested_session(store)
    for child, name in zip(children, "AB", strict=True):
        child.tell("append", name, 50)
    assert [child.answer() for child in children] == ["done", "done"]
    stored = await store.load_messages(ALICE, "ses_1")
    assert [message.seq for message in stored] == list(range(1, 101))
    assert [message.turn for message in stored] == list(range(1, 101))
    for name in "AB":
        own = [content for content in contents(stored) if content.startswith(name)]
        assert own == [f"{name}-{number:02}" for number in range(50)]


@on_each_database
async def test_two_processes_take_turns(store: Store, children: list[Child]) -> None:
    """25 turns each: no answer ever stands behind somebody else's question (C002)."""
    await ingested_session(store)
    for child, name in zip(children, "AB", strict=True):
        child.tell("chat", name, 25)
    assert [child.answer() for child in children] == ["done", "done"]
    stored = await store.load_messages(ALICE, "ses_1")
    assert [message.seq for message in stored] == list(range(1, 101))
    assert [message.role for message in stored] == ["user", "assistant"] * 50
    assert [message.turn for message in stored] == sorted([*range(1, 51), *range(1, 51)])
    session = await store.load_session(ALICE, "ses_1")
    assert session is not None
    assert (session.turns, session.state.version) == (50, 50)
    assert await store.count_due(scope=ALICE, now=at()) == 1


@on_each_database
async def test_two_processes_share_the_jobs(store: Store, children: list[Child]) -> None:
    """Each job is claimed by one process."""
    for number in range(40):
        await store.enqueue(Scope("shop", f"u{number}"), job(f"ses_{number}"))
    for child, name in zip(children, "AB", strict=True):
        child.tell("claim", name)
    claimed = [child.answer().split() for child in children]
    assert sorted([*claimed[0], *claimed[1]]) == sorted(f"ses_{number}" for number in range(40))


async def test_two_processes_open_a_new_file_at_once(children: list[Child], path: Path) -> None:
    """Both find the same, whole database."""
    for child in children:
        child.tell("open")
    first, second = [child.answer() for child in children]
    assert first == second
    assert len(first) == 64
    assert path.stat().st_size > 0


async def test_one_of_two_processes_migrates(children: list[Child], path: Path) -> None:
    """A later release's migration runs once, data stays; this release then refuses the file untouched (C034)."""
    store = await SqliteStore.open(path)
    await ingested_session(store)
    await run_turn(store, 1)
    await store.close()
    for child in children:
        child.tell("migrate")
    assert [child.answer() for child in children] == ["done", "done"]
    before = path.read_bytes()
    with pytest.raises(SchemaTooNew):
        await SqliteStore.open(path)
    children[0].tell("open")
    assert children[0].answer() == "schema_too_new"
    assert path.read_bytes() == before
    assert "答1".encode() in before


async def test_write_waits_for_another_process(store: Store, children: list[Child], path: Path) -> None:
    """While another process writes, reads go on, a write waits and succeeds, and so does the next one (C008)."""
    await ingested_session(store)
    children[0].tell("hold")
    assert children[0].answer() == "held"
    waiting = asyncio.create_task(store.append_turns(ALICE, "ses_1", [said("一")], jobs=[], now=at()))
    assert await store.load_messages(ALICE, "ses_1") == []
    assert not waiting.done()
    children[0].tell("release")
    assert children[0].answer() == "released"
    await waiting
    await store.append_turns(ALICE, "ses_1", [said("二")], jobs=[], now=at())
    assert contents(await store.load_messages(ALICE, "ses_1")) == ["一", "二"]


async def test_waiting_has_an_end(store: Store, children: list[Child], path: Path) -> None:
    """A write that waits too long fails with a retryable error; nothing is disabled afterwards (C008)."""
    await ingested_session(store)
    impatient = await SqliteStore.open(path, busy_seconds=0.05)
    children[0].tell("hold")
    assert children[0].answer() == "held"
    with pytest.raises(StoreBusy) as caught:
        await impatient.append_turns(ALICE, "ses_1", [said("一")], jobs=[], now=at())
    assert caught.value.retryable
    children[0].tell("release")
    assert children[0].answer() == "released"
    await impatient.append_turns(ALICE, "ses_1", [said("一")], jobs=[], now=at())
    await impatient.close()
    assert contents(await store.load_messages(ALICE, "ses_1")) == ["一"]


async def test_looking_in_vain_waits_for_nobody(store: Store, children: list[Child], path: Path) -> None:
    """A worker for whom nothing is free, as all that is due waits for a running job, needs no turn at writing to see it."""
    for subject in ("ses_1", "ses_2"):
        await store.enqueue(ALICE, job(subject))
    assert await store.claim_job(lease(0)) is not None
    impatient = await SqliteStore.open(path, busy_seconds=0.05)
    children[0].tell("hold")
    assert children[0].answer() == "held"
    assert await impatient.claim_job(lease(0)) is None
    assert await impatient.claim_job(lease(0), after=[ALICE]) is None
    assert await impatient.claim_job(lease(0), scope=ALICE) is None
    children[0].tell("release")
    assert children[0].answer() == "released"
    await impatient.close()


@on_each_database
async def test_killed_process_holds_nothing_up(store: Store, children: list[Child]) -> None:
    """After kill -9 the message it accepted is there; once it is known dead, its turn and job go on (C147, C150)."""
    await ingested_session(store)
    await store.enqueue(ALICE, job("ses_1"))
    children[0].tell("die", "host/9/dead")
    assert children[0].answer() == ""
    assert contents(await store.load_messages(ALICE, "ses_1")) == ["还在吗"]
    assert await store.claim_job(lease(1)) is None
    assert await store.holders() == ["host/9/dead"]
    assert await store.recover(["host/9/dead"]) == 2
    claimed = await store.claim_job(lease(1))
    assert claimed is not None
    assert claimed.attempts == 2
    opened = await store.begin_turn(ALICE, "ses_1", turn(1, "再问", 1), history_turns=2)
    assert (opened.number, list(opened.history)) == (2, [])
