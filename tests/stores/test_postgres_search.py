"""How PostgreSQL keeps and searches memories: by owner in every plan, at half precision, and without a rest."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

import numpy as np
import psycopg
import pytest

from zhiji import scoring
from zhiji.stores.base import MemoryChange, Query, Tombstone
from zhiji.stores.postgres import PostgresStore, deletions, memories, search, sediment, vectors
from zhiji.stores.postgres.connection import Connection
from zhiji.testing.search_contract import NOW, asking, episode, found, vector
from zhiji.testing.values import ALICE, BOB, at, memory, open_session, put, remember, run_turn
from zhiji.types import Extraction, Memory, Source, Status

OTHERS = 1000
"""Owners whose rows lie in the same tables."""
COPIED = ("memories", "terms", "vectors", "deletions", "unsaid", "sessions", "messages", "summaries", "extractions")
NOTHING = Extraction(session="ses_1", first_seq=1, last_seq=2, outcome="nothing", extractor="rules", time=NOW)
BOTH_ARMS = asking("订单 red 退货", vector=vector(1, 0), model="m")
QUERIES = (
    BOTH_ARMS,
    replace(BOTH_ARMS, window=0.5),
    replace(BOTH_ARMS, vector=None),
    replace(BOTH_ARMS, terms={}),
    asking("订单", as_of=5, types=["event", "episode"], window=0.5),
)
"""Every part that the statement of a search may have."""


@pytest.fixture
async def store(postgres_url: str) -> AsyncIterator[PostgresStore]:
    """Yield an empty store."""
    store = await PostgresStore.open(postgres_url)
    yield store
    await store.close()


def rows_of_alice() -> list[Memory]:
    """Return memories of every kind."""
    plain = [memory(f"m{number}", f"订单 OD{number} red 退货", number, key=f"order:OD{number}") for number in range(20)]
    name = memory("name", "李四", type="identity", key="identity:name", value="李四")
    said = [
        episode(f"e{number}", f"订单在哪里 {number}", number, "小李" if number % 2 else "小王") for number in range(20)
    ]
    return [*plain, name, *said]


async def among_others(store: PostgresStore, url: str) -> None:
    """Alice has a few dozen memories in tables with thousands of others' rows, of which the server has statistics."""
    await remember(store, *rows_of_alice())
    await store.put_vectors(ALICE, "m", {f"m{number}": vector(1, number) for number in range(20)})
    await open_session(store)
    await run_turn(store, 1)
    await store.commit_sediment(
        ALICE, "ses_1", change=MemoryChange(), outcome=NOTHING, expected_watermark=0, watermark=2
    )
    buried = Tombstone(key="k", content_digest="d", deleted_at=at())
    await store.change_memories(ALICE, MemoryChange(tombstones=[buried], unsaid=[Source(session="ses_1", seqs=(9,))]))
    assert await store.write_summary(ALICE, "ses_1", "问了订单", upto_seq=2, expected_upto=0)
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute(
            """INSERT INTO zhiji_owners (tenant, "user") SELECT 'shop', 'other' || n FROM generate_series(1, %s) n""",
            (OTHERS,),
        )
        for table in COPIED:
            few = {"memories": "AND number <= 5", "terms": "AND memory <= 5", "vectors": "AND memory <= 5"}.get(
                table, ""
            )
            await connection.execute(
                f"""INSERT INTO zhiji_{table} ({await columns(connection, table)})
                    SELECT {await columns(connection, table, "other.id")} FROM zhiji_{table} t
                    JOIN zhiji_owners mine ON mine.id = t.owner AND mine."user" = 'alice'
                    JOIN zhiji_owners other ON other.id <> mine.id WHERE true {few}""".encode()
            )
        await connection.execute("ANALYZE")


async def columns(connection: Connection, table: str, owner: str = "owner") -> str:
    """Return the columns that can be copied, with ``owner`` in place of the first of them."""
    rows = await connection.execute(
        """SELECT quote_ident(column_name) FROM information_schema.columns
           WHERE table_name = %s AND is_generated = 'NEVER' AND is_identity = 'NO' AND column_name <> 'owner'""",
        (f"zhiji_{table}",),
    )
    prefix = "" if owner == "owner" else "t."
    return ", ".join([owner, *[prefix + name for (name,) in await rows.fetchall()]])


class Explained:
    """A connection that explains each statement before it runs it."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.plans: list[tuple[str, dict[str, Any]]] = []

    async def execute(
        self, statement: str, given: Sequence[object] | dict[str, object] = (), **options: Any
    ) -> psycopg.AsyncCursor[tuple[Any, ...]]:
        """Run a statement; its plan is kept."""
        explained = await self.connection.execute(f"EXPLAIN (FORMAT JSON) {statement}".encode(), given, prepare=False)
        ((plan,),) = await explained.fetchall()
        self.plans.append((statement, (json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]))
        return await self.connection.execute(statement.encode(), given, **options)


@pytest.fixture
async def explained(postgres_url: str) -> AsyncIterator[Explained]:
    """Yield a connection in a transaction that is Alice's from the moment she is known, and undone at the end."""
    async with await psycopg.AsyncConnection.connect(postgres_url) as connection:
        yield Explained(connection)
        await connection.rollback()


async def enter(explained: Explained) -> Connection:
    """The transaction is Alice's; returns the connection as the modules take it."""
    await explained.connection.execute(
        """SELECT set_config('zhiji.owner', id::text, true) FROM zhiji_owners WHERE "user" = 'alice'"""
    )
    return cast("Connection", explained)


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a plan's nodes."""
    yield plan
    for part in plan.get("Plans", []):
        yield from nodes(part)


def refuse_strangers(explained: Explained) -> None:
    """Fails if a plan reads one of our tables other than by an index condition on the owner."""
    assert explained.plans
    for statement, plan in explained.plans:
        for node in nodes(plan):
            if not node.get("Relation Name", "").startswith("zhiji_") or node["Node Type"] == "ModifyTable":
                continue
            by = node.get("Index Cond", node.get("Recheck Cond", ""))
            assert "zhiji.owner" in by, (node["Node Type"], node["Relation Name"], statement)


async def test_search_reads_one_owner_by_index(store: PostgresStore, postgres_url: str, explained: Explained) -> None:
    """However many others there are, no part of a search reads a row of theirs."""
    await among_others(store, postgres_url)
    connection = await enter(explained)
    for query in QUERIES:
        assert await search.search(connection, query)
    refuse_strangers(explained)


async def test_a_search_compares_no_list_with_another(store: PostgresStore, explained: Explained) -> None:
    """Even if the server has no statistics yet, no part of a search goes through one list for each row of another."""
    await remember(store, *rows_of_alice())
    await store.put_vectors(ALICE, "m", {f"m{number}": vector(1, number) for number in range(20)})
    connection = await enter(explained)
    for query in QUERIES:
        assert await search.search(connection, query)
    for statement, plan in explained.plans:
        loops = [node for node in nodes(plan) if node["Node Type"] == "Nested Loop" and "Join Filter" in node]
        lists = [[part["Node Type"] for part in loop["Plans"]] for loop in loops]
        assert all("Result" in pair for pair in lists), statement  # an arm that is off, which has no rows


async def test_statements_read_one_owner_by_index(
    store: PostgresStore, postgres_url: str, explained: Explained
) -> None:
    """Nor does any other statement that reads or changes memories, their vectors or deletion records."""
    await among_others(store, postgres_url)
    connection = await enter(explained)
    statuses = frozenset(Status)
    assert await memories.load_memories(connection, ["m1", "m2"])
    assert await memories.list_memories(connection, statuses=frozenset({Status.ACTIVE}), now=NOW)
    assert await memories.list_memories(connection, statuses=statuses, types=frozenset({"event"}), limit=3)
    assert await memories.by_keys(connection, ["order:OD1"])
    assert await memories.profile(connection, now=NOW)
    assert await memories.version(connection)
    assert await memories.unembedded(connection, "m", limit=3)
    assert await deletions.find(connection, keys=["k"], digests=["d"])
    assert await deletions.unsaid(connection, "ses_1")
    await memories.touch_recalled(connection, {"m1": None, "m2": NOW}, NOW)
    await memories.put_vectors(connection, "m", {"m1": vector(0, 1)})
    (row,) = await memories.load_memories(connection, ["m2"])
    await memories.change(
        connection,
        MemoryChange(
            puts=[put(memory("new", "新的订单"), vector=vector(1, 1), model="m"), put(replace(row, content="旧"))],
            deletes=["m3", "m4"],
            tombstones=[Tombstone(key=None, content_digest="e", deleted_at=NOW)],
            unsaid=[Source(session="ses_1", seqs=(1,))],
        ),
        [],
    )
    again = put(memory("again", "李四", sources=(Source(session="ses_1", seqs=(1,)),)))
    await sediment.commit(connection, "ses_1", MemoryChange(puts=[again]), NOTHING, 2, 3, [], lambda text: "d")
    assert await memories.drop_vectors(connection, "n", 2)
    assert await sediment.extractions(connection, "ses_1", 5)
    assert await sediment.extractions(connection, None, 5)
    refuse_strangers(explained)


async def test_what_is_due_is_found_by_its_day(store: PostgresStore, postgres_url: str) -> None:
    """Among thousands of memories whose time is not over, an index by day tells those that are due."""
    later = [memory(f"m{number}", "茶", expires_at=NOW + timedelta(days=100 + number)) for number in range(3000)]
    await remember(store, *later, memory("due", "茶", expires_at=NOW))
    async with await psycopg.AsyncConnection.connect(postgres_url) as connection:
        await connection.execute("ANALYZE zhiji_memories")
        explained = Explained(connection)
        assert await memories.expired(cast("Connection", explained), None, NOW, 100) == [(ALICE, "due")]
        used = {node.get("Index Name") for _, plan in explained.plans for node in nodes(plan)}
        assert "zhiji_memories_expires" in used


async def test_a_recall_writes_no_index(store: PostgresStore, postgres_url: str, explained: Explained) -> None:
    """A recall that puts the deadline off within its day changes the row in its page, and no index."""
    until = NOW.replace(hour=1)
    await remember(store, memory("m1", "茶", expires_at=until))
    connection = await enter(explained)
    await memories.touch_recalled(connection, {"m1": until + timedelta(hours=2)}, NOW)
    told = await explained.connection.execute(
        "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_xact_user_tables WHERE relname = 'zhiji_memories'"
    )
    assert await told.fetchone() == (1, 1)
    (row,) = await memories.load_memories(connection, ["m1"])
    assert row.expires_at == until + timedelta(hours=2)


async def test_dimension_is_read_by_index_whoever_asks_first(
    store: PostgresStore, postgres_url: str, explained: Explained
) -> None:
    """The plan that is kept from an owner of nearly all vectors finds those of a small one without the rest."""
    await remember(store, *[memory(f"m{number}", "茶") for number in range(300)])
    await store.put_vectors(ALICE, "m", {f"m{number}": vector(1, number) for number in range(300)})
    async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as connection:
        await connection.execute("ANALYZE zhiji_vectors")
    assert await vectors.dimension(await enter(explained), "m") == 2
    refuse_strangers(explained)


async def test_a_plan_that_is_kept_suits_everybody(
    store: PostgresStore, postgres_url: str, explained: Explained
) -> None:
    """A search is planned once per connection, by index even for an owner of all rows, for whom another way is cheaper."""
    await remember(store, *[memory(f"m{number}", "红茶") for number in range(300)])
    await store.put_vectors(ALICE, "m", {f"m{number}": vector(1, number) for number in range(300)})
    async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as connection:
        await connection.execute("ANALYZE")
    alice = await enter(explained)
    for query in QUERIES:
        await search.search(alice, replace(query, terms={"红": 1.0} if query.terms else {}))
    refuse_strangers(explained)
    await remember(store, memory("b", "红茶"), scope=BOB)
    for _ in range(3):
        for scope, count in ((ALICE, 300), (BOB, 1)):
            assert len(await store.search(scope, replace(BOTH_ARMS, terms={"红": 1.0}, limit=1000))) == count

    async def kept(connection: Connection) -> list[tuple[int, int]]:
        rows = await connection.execute(
            "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement LIKE '%%admitted%%'"
        )
        return await rows.fetchall()

    assert await store._database.read(None, kept) == [(6, 0)]


async def test_profile_reads_no_other_memories(store: PostgresStore, explained: Explained) -> None:
    """However many memories an owner has, only those with the key of a profile attribute are read, in every turn."""
    await remember(store, *[memory(f"m{number}", "红茶") for number in range(300)])
    await remember(store, memory("name", "用户叫李四", key="identity:name", value="李四"))
    assert [found.id for found in await memories.profile(await enter(explained), now=NOW)] == ["name"]
    indexes = {node["Index Name"] for _, plan in explained.plans for node in nodes(plan) if "Index Name" in node}
    assert indexes == {"zhiji_memories_key"}


async def test_half_precision_is_near(store: PostgresStore) -> None:
    """Cosines of 384 numbers are those of float32 to a thousandth, and never beyond 1."""
    random = np.random.default_rng(7)
    near = random.normal(size=384)
    given = {f"m{number}": scoring.unit(near + number * 0.2 * random.normal(size=384)) for number in range(20)}
    await remember(store, *[memory(id, id) for id in given])
    kept = {id: row for id, row in given.items() if row is not None}
    await store.put_vectors(ALICE, "m", kept)
    asked = kept["m0"]
    hits = await store.search(ALICE, Query(vector=asked, model="m", filter=BOTH_ARMS.filter))
    assert len(hits) == 20
    for hit in hits:
        assert hit.cosine == pytest.approx(float(kept[hit.memory.id] @ asked), abs=1e-3)
        assert hit.cosine is not None
        assert -1 <= hit.cosine <= 1


async def test_deletion_leaves_no_word_behind(store: PostgresStore, postgres_url: str) -> None:
    """Rows, terms and vectors of any model of a deleted memory are gone from every table (C071)."""
    await remember(store, memory("a", "秘密花园"), memory("b", "花园"))
    for model in ("m", "n"):
        await store.put_vectors(ALICE, model, {"a": vector(1, 0), "b": vector(0, 1)})
    await store.change_memories(ALICE, MemoryChange(deletes=["a"]))
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("SELECT id FROM zhiji_memories").fetchall() == [("b",)]
        assert connection.execute("SELECT DISTINCT memory FROM zhiji_terms").fetchall() == [(2,)]
        assert connection.execute("SELECT model, memory FROM zhiji_vectors ORDER BY model").fetchall() == [
            ("m", 2),
            ("n", 2),
        ]


async def test_one_change_may_write_a_memory_twice(store: PostgresStore) -> None:
    """A row that is inserted and then changed has the terms of the last write only."""
    first = memory("a", "红茶")
    second = replace(first, content="绿茶", revision=1)
    await store.change_memories(ALICE, MemoryChange(puts=[put(first), put(second)]))
    (row,) = await store.load_memories(ALICE, ["a"])
    assert (row.content, row.revision) == ("绿茶", 2)
    assert await found(store, asking("红")) == []
    assert await found(store, asking("绿")) == ["a"]
