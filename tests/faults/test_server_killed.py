"""PostgreSQL itself is killed in the middle of a conversation, of its jobs and of an erasure, the processes live on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import psycopg
import pytest

from faults import child
from talk import known
from zhiji import Zhiji
from zhiji.errors import StoreUnavailable
from zhiji.stores.postgres import connection as connections
from zhiji.testing import FrozenClock, ScriptedModel
from zhiji.testing.servers import Postgres, postgres

T = TypeVar("T")


@pytest.fixture
def server() -> Iterator[Postgres]:
    """A server that the test may kill; it waits for the disk."""
    with postgres(is_durable=True) as own:
        yield own


def arm(monkeypatch: pytest.MonkeyPatch, server: Postgres, number: int) -> None:
    """The server is killed, and started again, when the N-th transaction that writes from now on has written and not committed."""
    run, written = connections._Lent.run, 0

    async def counted(self: Any, before: Any, work: Callable[..., Awaitable[T]], *args: Any, **kwargs: Any) -> T:
        nonlocal written
        written += before[0] is connections._BEGIN
        is_last = written == number and before[0] is connections._BEGIN

        async def killing(connection: Any) -> T:
            found = await work(connection, *args, **kwargs)
            if is_last:
                server.kill()
                server.start()
            return found

        found: T = await run(self, before, killing)
        return found

    monkeypatch.setattr(connections._Lent, "run", counted)


async def patiently(clock: FrozenClock, attempt: Callable[[], Awaitable[T]]) -> T:
    """Return what a client gets who sends it again while the database cannot be reached."""
    for _ in range(4):
        try:
            return await attempt()
        except StoreUnavailable:
            clock.advance(timedelta(seconds=40))  # the lease of what was under way runs out
    return await attempt()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("number", [3, 9, 14])
async def test_killed_in_a_turn_or_a_job(
    server: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Retried under its key, each turn is answered once, the refund made once at most, each fact remembered once."""
    ledger, clock, session = tmp_path / "ledger", FrozenClock(), None
    settings = child.settings(server.create())
    async with Zhiji.open(settings, clock=clock, model=ScriptedModel([child.answers] * 20)) as zj:
        child.add_refund(zj, str(ledger))
        arm(monkeypatch, server, number)
        answered = {}
        for key, words in child.STORY.items():
            said = partial(zj.chat, child.USER, words, session=session, idempotency_key=key)
            reply = await patiently(clock, said)
            answered[key], session = reply.turn_id, reply.session_id
            await patiently(clock, zj.drain)
        for key, words in child.STORY.items():
            reply = await zj.chat(child.USER, words, idempotency_key=key)
            assert (reply.replayed, reply.turn_id) == (True, answered[key])
        clock.advance(timedelta(seconds=40))
        await zj.drain()
        assert len(ledger.read_text().splitlines()) == 1
        facts = Counter(await known(zj, child.USER))
        assert {"用户叫李四", "用户对花生过敏"} <= set(facts)
        assert set(facts.values()) == {1}


@pytest.mark.timeout(120)
async def test_killed_in_an_erasure(server: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything of the user is there, or nothing; asked for again, nothing is left in any table."""
    url = server.create()
    async with Zhiji.open(child.settings(url), clock=FrozenClock(), model=ScriptedModel(["好的"] * 9)) as zj:
        await zj.chat("独角兽", "我叫李四，我对花生过敏，独角兽")
        await zj.drain()
        before = rows(url, "独角兽")
        assert before
        with monkeypatch.context() as patch:
            arm(patch, server, 1)
            with pytest.raises(StoreUnavailable):
                await zj.erase("独角兽")
        assert rows(url, "独角兽") == before
        await zj.erase("独角兽")
        assert rows(url, "独角兽") == rows(url, "花生") == {}


def rows(url: str, word: str) -> dict[str, int]:
    """Return how many rows hold this word, by table."""
    with psycopg.connect(url) as connection:
        tables = [name for (name,) in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
        counts = {
            table: connection.execute(
                f"SELECT count(*) FROM {table} AS row WHERE strpos(row::text, %s) > 0".encode(), (word,)
            ).fetchone()
            for table in tables
        }
    return {table: count[0] for table, count in counts.items() if count is not None and count[0]}


async def test_a_job_whose_end_was_forgotten_runs_again(postgres_url: str) -> None:
    """That a job is done may be lost with the power: it runs once more, and the memories are what they were."""
    settings = child.settings(postgres_url)
    async with Zhiji.open(settings, clock=FrozenClock(), model=ScriptedModel(["好的"] * 9)) as zj:
        for words in child.STORY.values():
            await zj.chat("u1", words)
        await zj.drain()
        before = await zj.memories.list("u1")
        with psycopg.connect(postgres_url) as connection:
            forgotten = connection.execute(
                "UPDATE zhiji_jobs SET status = 'pending', due = run_at, finished = NULL WHERE status = 'done'"
            )
            assert forgotten.rowcount
        await zj.drain()
        assert await zj.memories.list("u1") == before
