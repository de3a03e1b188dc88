"""What every portable store promises: an owner goes out and in again, row by row, in one commit, under one secret.

A suite of its own, for backends that subclass ``Portable``. Subclass it and override both fixtures: two empty, open stores
of your backend, the second with another secret.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence

import numpy as np
import pytest

from zhiji.errors import Conflict
from zhiji.stores.base import Portable, Row
from zhiji.stores.columns import COLUMNS, PIECE
from zhiji.testing.values import ALICE, BOB
from zhiji.types import Scope

Rows = Mapping[str, Sequence[Row]]
"""All rows of an owner by table."""

_VECTOR = np.array([0.6, -0.8, 0.0, 0.0], "<f4")
_STATE = '{"v":1,"intent":"退货 😀","slots":{"order":"OD20240415008"},"conclusions":[]}'


Value = str | int | float | bytes | None


def _row(table: str, **given: Value) -> Row:
    """Return a row of a table; columns that are not given are null."""
    return dict.fromkeys(COLUMNS[table]) | given


def sample(name: str = "a", *, terms: int = 2) -> Rows:
    """Return the rows of an owner of tenant "shop" who has something in every table. ``name`` tells the ids of jobs apart."""
    memory: dict[str, Value] = {
        "changed": 3,
        "recalls": 1,
        "recalled": 10,
        "type": "event",
        "status": "active",
        "valid_from": 10,
        "length": 2,
        "single": 0,
        "importance": 3,
        "confidence": 0.1,
        "trust": "user",
        "sources": '[["ses_1",[1]]]',
        "lang": "zh",
        "links": "[]",
        "created": 10,
        "updated": 11,
        "reason": "",
        "revision": 2,
        "terms": '{"花生":1,"过敏":1}',
    }
    episode = '{"session":"ses_1","seq":1,"speaker":"user"}'
    job: dict[str, Value] = {
        "tenant": "shop",
        "subject": "ses_1",
        "attempts": 1,
        "run_at": 10,
        "created": 10,
        "error": "",
    }
    session: dict[str, Value] = {
        "created": 10,
        "touched": 20,
        "tie": 0,
        "expires": 30,
        "state_version": 1,
        "state": _STATE,
        "summary_upto": 2,
        "turns": 2,
        "last_seq": 3,
        "extracted_upto": 2,
        "open_turn": 2,
        "holder": "host/1/a",
        "lease_until": 40,
    }
    return {
        "owners": [{"version": 3}],
        "sessions": [_row("sessions", id="ses_1", **session)],
        "summaries": [_row("summaries", session="ses_1", upto=2, text="用户要退货\nsaid \\N \t “quoted” 😀")],
        "turns": [
            _row("turns", session="ses_1", number=1, status="closed", first_seq=1, time=10, id="trn_1", key="k"),
            _row("turns", session="ses_1", number=2, status="open", first_seq=3, id="trn_2", request="req_2"),
        ],
        "messages": [
            _row(
                "messages", session="ses_1", seq=1, turn=1, role="user", content="花生过敏", time=10, tokens=4, orphan=0
            ),
            _row("messages", session="ses_1", seq=2, turn=1, role="tool", content="ok", time=1, tokens=1, orphan=1),
            _row("messages", session="ses_1", seq=3, turn=2, role="user", content="", time=11, tokens=0, orphan=0),
        ],
        "requests": [_row("requests", session="ses_1", turn=1, id="req_1", recipe='{"v":1}', reply='{"v":1}')],
        "journal": [_row("journal", turn="trn_2", key="a", tool="refund", failed=0)],
        "extractions": [
            _row("extractions", session="ses_1", time=12, outcome='{"v":1,"outcome":"written"}'),
            _row("extractions", session="ses_1", time=11, outcome='{"v":1,"outcome":"nothing"}'),
        ],
        "jobs": [
            _row("jobs", id=f"job_{name}2", kind="sediment", status="running", due=40, holder="host/1/a", **job),
            _row("jobs", id=f"job_{name}1", kind="compact", status="dead", finished=20, **job),
        ],
        "memories": [
            _row("memories", number=1, id="mem_b", value="null", content="对花生过敏", **memory),
            _row("memories", number=3, id="mem_a", value=episode, content="花生", **(memory | {"type": "episode"})),
        ],
        "terms": [_row("terms", term=f"t{number:05}", memory=1, tf=1) for number in range(terms)],
        "vectors": [
            _row("vectors", model="m", memory=1, dim=4, data=_VECTOR.tobytes()),
            _row("vectors", model="m", memory=3, dim=4),
        ],
        "deletions": [
            _row("deletions", digest="d" * 64, key="", time=9),
            _row("deletions", digest="e", key="k", time=9),
        ],
        "unsaid": [_row("unsaid", session="ses_1", seq=2)],
    }


async def told(rows: Rows) -> AsyncIterator[tuple[str, Sequence[Row]]]:
    """Yield rows as ``Portable.dump`` does."""
    for table, all_of_it in rows.items():
        yield table, all_of_it


async def dumped(store: Portable, scope: Scope) -> dict[str, list[Row]]:
    """Return every row of an owner, vectors at half precision, without the version, which only rises."""
    found: dict[str, list[Row]] = {}
    async for table, rows in store.dump(scope):
        assert len(rows) <= PIECE
        found.setdefault(table, []).extend(map(_halved, rows))
    found.pop("owners", None)
    return found


def _halved(row: Row) -> Row:
    data = row.get("data")
    return {**row, "data": np.frombuffer(data, "<f4").astype("<f2").tobytes()} if isinstance(data, bytes) else row


def expected(rows: Rows) -> dict[str, list[Row]]:
    """Return what ``dumped`` gives of an owner who has these rows."""
    return {table: [_halved(row) for row in some] for table, some in rows.items() if table != "owners" and some}


class PortableContract:
    """Out of one store, and into another."""

    @pytest.fixture
    def store(self) -> Portable:
        """Return an empty store; subclasses override it."""
        raise NotImplementedError("override the fixture `store` with one that yields your backend")

    @pytest.fixture
    def other(self) -> Portable:
        """Return another empty store; subclasses override it."""
        raise NotImplementedError("override the fixture `other` with one that yields your backend, too")

    async def test_every_row_comes_back(self, store: Portable) -> None:
        """What went in comes out: every table, column and order, nulls and quotes, vectors at half precision."""
        await store.replace_owner(ALICE, told(sample()))
        assert await dumped(store, ALICE) == expected(sample())
        assert await store.list_owners() == [ALICE]

    async def test_readers_see_what_was_put_in(self, store: Portable) -> None:
        """Session, messages, memory and job are there for every reader."""
        await store.replace_owner(ALICE, told(sample()))
        session = await store.load_session(ALICE, "ses_1")
        assert session is not None
        assert (session.state.slots, session.turns, session.summary_upto) == ({"order": "OD20240415008"}, 2, 2)
        assert [one.content for one in await store.load_messages(ALICE, "ses_1")] == ["花生过敏", "ok", ""]
        assert [one.id for one in await store.load_memories(ALICE, ["mem_b", "mem_a"])] == ["mem_b", "mem_a"]
        assert [one.id for one in await store.list_jobs(scope=ALICE)] == ["job_a1", "job_a2"]
        assert await store.unembedded(ALICE, "m") == []

    async def test_what_was_there_is_replaced(self, store: Portable) -> None:
        """The owner has exactly the new rows, caches notice, nobody else is touched."""
        for scope, name in ((ALICE, "a"), (BOB, "b")):
            await store.replace_owner(scope, told(sample(name)))
        before = await store.memory_version(ALICE)
        assert before > 3
        less = {**sample(), "terms": [], "vectors": [], "owners": [{"version": 1}]}
        await store.replace_owner(ALICE, told(less))
        assert await dumped(store, ALICE) == expected(less)
        assert await dumped(store, BOB) == expected(sample("b"))
        assert await store.memory_version(ALICE) > before

    async def test_half_an_owner_is_never_there(self, store: Portable) -> None:
        """If the rows break off, everything is as before."""
        await store.replace_owner(ALICE, told(sample()))

        async def broken() -> AsyncIterator[tuple[str, Sequence[Row]]]:
            yield "sessions", sample()["sessions"]
            raise LookupError

        for scope in (ALICE, BOB):
            with pytest.raises(LookupError):
                await store.replace_owner(scope, broken())
        assert await dumped(store, ALICE) == expected(sample())
        assert await store.list_owners() == [ALICE]

    async def test_large_owners_come_in_pieces(self, store: Portable) -> None:
        """However many rows a table has, they come a thousand at a time, in order, none twice."""
        many = sample(terms=2 * PIECE + 1)
        await store.replace_owner(ALICE, told(many))
        assert [len(rows) async for table, rows in store.dump(ALICE) if table == "terms"] == [PIECE, PIECE, 1]
        assert await dumped(store, ALICE) == expected(many)

    async def test_a_dump_is_of_one_moment(self, store: Portable) -> None:
        """What is written while an owner is dumped is not in the dump, and does not wait for it."""
        await store.replace_owner(ALICE, told(sample()))
        found: dict[str, list[Row]] = {}
        async for table, rows in store.dump(ALICE):
            if table == "sessions":
                await store.replace_owner(ALICE, told({}))
            found[table] = [_halved(row) for row in rows]
        assert found.keys() - {"owners"} == expected(sample()).keys()
        assert all(found[table] == rows for table, rows in expected(sample()).items())
        assert await dumped(store, ALICE) == {}

    async def test_strangers_have_nothing(self, store: Portable) -> None:
        """An owner that nothing is stored of has no rows, and is not made by asking."""
        assert await dumped(store, BOB) == {}
        assert await store.list_owners() == []

    async def test_an_empty_store_takes_a_secret_over(self, store: Portable, other: Portable) -> None:
        """Keyed hashes of both are the same then; with data hashed otherwise it is refused, with the same it is fine."""
        assert await store.secret() != await other.secret()
        await other.adopt(await store.secret())
        assert await other.digest("花生") == await store.digest("花生")
        await other.replace_owner(ALICE, told(sample()))
        await other.adopt(await store.secret())
        with pytest.raises(Conflict, match="other data"):
            await other.adopt("0" * 64)
        assert await other.secret() == await store.secret()
