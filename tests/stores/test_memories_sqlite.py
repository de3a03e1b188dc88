"""How the SQLite store keeps and searches memories: its index in memory, other processes, other owners, query plans."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from zhiji.stores.base import MemoryChange, Tombstone
from zhiji.stores.sqlite import SqliteStore, deletions, memories, search
from zhiji.stores.sqlite.cache import IndexCache
from zhiji.stores.sqlite.connection import owner_id
from zhiji.stores.sqlite.index import Admission, Entry, OwnerIndex
from zhiji.testing.search_contract import NOW, asking, episode, found, vector
from zhiji.testing.values import ALICE, BOB, at, ids, memory, put, remember
from zhiji.types import Scope, Status

ANY_TIME = Admission(now=0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where the database is."""
    return tmp_path / "zhiji.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    """Yield an empty store."""
    store = await SqliteStore.open(path)
    yield store
    await store.close()


@pytest.fixture
async def other(path: Path, store: SqliteStore) -> AsyncIterator[SqliteStore]:
    """Yield a second store on the same file, as another process would have it."""
    other = await SqliteStore.open(path)
    yield other
    await other.close()


@contextlib.contextmanager
def watched(path: Path) -> Iterator[tuple[sqlite3.Connection, list[str]]]:
    """Yield a connection and the list of statements that it has run, with the values filled in."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        statements: list[str] = []
        connection.set_trace_callback(statements.append)
        yield connection, statements


# --- another process ------------------------------------------------------------------------------------------------


async def test_changes_of_another_process_show(store: SqliteStore, other: SqliteStore) -> None:
    """What another process adds, changes, embeds or deletes is seen by a warm index (C071)."""
    query = asking("生日", vector=vector(1, 0), model="m")
    await remember(store, memory("a", "生日是 3 月 5 日"), memory("b", "生日礼物"))
    assert set(await found(other, query)) == {"a", "b"}
    await store.change_memories(ALICE, MemoryChange(deletes=["a"]))
    assert await found(other, query) == ["b"]
    await other.put_vectors(ALICE, "m", {"b": vector(1, 0)})
    (hit,) = await store.search(ALICE, query)
    assert hit.cosine == 1.0
    (row,) = await other.load_memories(ALICE, ["b"])
    await other.change_memories(ALICE, MemoryChange(puts=[put(replace(row, status=Status.ARCHIVED))]))
    assert await found(store, query) == []


async def test_erasure_reaches_other_processes(store: SqliteStore, other: SqliteStore) -> None:
    """A user erased by one process is unknown to the caches of another at once, and may come back as a stranger (C074)."""
    await remember(store, memory("a", "秘密", key="identity:name", value="李四", type="identity"))
    assert await found(other, asking("秘密")) == ["a"]
    await store.erase(ALICE)
    assert await found(other, asking("秘密")) == []
    assert await other.profile(ALICE, now=NOW) == []
    await remember(store, memory("z", "秘密花园"))
    assert await found(other, asking("秘密")) == ["z"]


async def test_index_survives_reopening(path: Path) -> None:
    """Nothing is found after a restart that was deleted before it, everything else is."""
    first = await SqliteStore.open(path)
    await remember(first, memory("a", "生日蛋糕"), memory("b", "生日礼物"))
    assert set(await found(first, asking("生日"))) == {"a", "b"}
    await first.change_memories(ALICE, MemoryChange(deletes=["a"]))
    await first.close()
    again = await SqliteStore.open(path)
    assert await found(again, asking("生日")) == ["b"]
    await again.close()


async def test_an_older_snapshot_is_searched_as_it_was(store: SqliteStore, path: Path) -> None:
    """A reader whose snapshot is older than the shared index sees its snapshot, and spoils nothing for later ones."""
    await remember(store, memory("a", "红茶"))
    cache = IndexCache()
    with watched(path) as (old, _), watched(path) as (new, _):
        old.execute("BEGIN")
        owner = owner_id(old, ALICE)
        assert owner is not None
        await remember(store, memory("b", "红茶"))
        assert len(search.search(new, cache, owner, asking("红茶"))) == 2
        assert [hit.memory.id for hit in search.search(old, cache, owner, asking("红茶"))] == ["a"]
        assert len(search.search(new, cache, owner, asking("红茶"))) == 2


async def test_concurrent_searches_and_writes_agree(store: SqliteStore) -> None:
    """Searches from several threads while memories come and go see whole changes: always one of each pair."""
    await remember(store, memory("a0", "红茶"), memory("b0", "绿茶"))

    async def write() -> None:
        for number in range(15):
            fresh = [put(memory(f"{name}{number + 1}", "红茶" if name == "a" else "绿茶")) for name in "ab"]
            gone = [f"a{number}", f"b{number}"]
            await store.change_memories(ALICE, MemoryChange(puts=fresh, deletes=gone))

    async def read() -> list[list[str]]:
        return [await found(store, asking("茶", vector=vector(1, 0), model="m")) for _ in range(15)]

    *answers, _ = await asyncio.gather(read(), read(), read(), write())
    for hits in (hits for answer in answers for hits in answer):
        assert len(hits) == 2
        assert hits[0][1:] == hits[1][1:]


# --- only the change is read ----------------------------------------------------------------------------------------


async def test_after_a_write_only_the_change_is_read(store: SqliteStore, path: Path) -> None:
    """A warm index reads the rows of the newest version alone, and no postings of terms that it knows."""
    await remember(store, *[memory(f"m{number}", f"红茶第{number}泡") for number in range(50)])
    cache = IndexCache()
    with watched(path) as (connection, statements):
        owner = owner_id(connection, ALICE)
        assert owner is not None
        search.search(connection, cache, owner, asking("红茶"))
        await remember(store, memory("fresh", "红茶蛋糕"))
        statements.clear()
        hits = search.search(connection, cache, owner, asking("红茶"))
        assert hits[0].memory.id == "fresh" or len(hits) == 51
        assert not any("zhiji_terms" in statement for statement in statements)
        reading = [statement for statement in statements if "FROM zhiji_memories" in statement]
        assert any("changed > 1" in statement for statement in reading)
        statements.clear()
        search.search(connection, cache, owner, asking("红茶"))
        assert len(statements) == 2, "version and stamps"


async def test_rows_are_read_once_and_recounted(store: SqliteStore) -> None:
    """A row that was recalled in the meantime comes with its new count, though it is otherwise known."""
    await remember(store, memory("a", "红茶"))
    assert (await store.search(ALICE, asking("红茶")))[0].memory.recalls == 0
    touch = memories.touch_recalled
    await store._database.write(
        lambda connection: touch(connection, owner_id(connection, ALICE) or 0, {"a": None}, at(9))
    )
    (hit,) = await store.search(ALICE, asking("红茶"))
    assert (hit.memory.recalls, hit.memory.last_recalled_at) == (1, at(9))


async def test_many_changes_rebuild_the_index(store: SqliteStore) -> None:
    """A row changed over and over leaves dead slots behind; the index is compacted and still right."""
    await remember(store, memory("a", "红茶"), memory("b", "绿茶"), episode("e", "花茶", 1, "小李"))
    for number in range(80):
        assert set(await found(store, asking("茶"))) == {"a", "b", "e"}
        (row,) = await store.load_memories(ALICE, ["a"])
        await store.change_memories(ALICE, MemoryChange(puts=[put(replace(row, confidence=number / 100))]))
    (hit,) = await store.search(ALICE, asking("红"))
    assert hit.memory.confidence == 0.79
    index = store._indexes.take(owner_number(store))
    assert len(index) == 3
    assert index.slots < 80


def owner_number(store: SqliteStore) -> int:
    """Return the number of the only owner that was searched."""
    return next(iter(store._indexes._indexes))


# --- other owners ---------------------------------------------------------------------------------------------------


async def test_statements_read_one_owner_by_index(store: SqliteStore, path: Path) -> None:
    """No statement of reading, searching or changing memories scans a table across owners."""
    row = memory("a", "红茶", key="order:OD1", links=("b",))
    with watched(path) as (connection, statements):
        owner = owner_id(connection, ALICE, create=True)
        buried = Tombstone(key="order:OD2", content_digest="d", deleted_at=at())
        memories.change_memories(connection, owner, MemoryChange(puts=[put(row)], tombstones=[buried]))
        stored = memories.load_memories(connection, owner, ["a"])[0]
        memories.change_memories(connection, owner, MemoryChange(puts=[put(stored)], deletes=["nobody"]))
        memories.by_keys(connection, owner, ["order:OD1"])
        memories.profile(connection, owner, now=NOW)
        memories.list_memories(connection, owner, statuses=frozenset(Status), types=frozenset({"event"}))
        deletions.find(connection, owner, keys=["order:OD2"], digests=["d"])
        memories.unembedded(connection, owner, "m")
        memories.put_vectors(connection, owner, "m", {"a": vector(1, 0)})
        memories.touch_recalled(connection, owner, {"a": at(99)}, NOW)
        cache = IndexCache()
        search.search(connection, cache, owner, asking("红茶", vector=vector(1, 0), model="m"))
        memories.put_vectors(connection, owner, "m", {"a": vector(0, 1)})
        search.search(connection, cache, owner, asking("红茶", vector=vector(1, 0), model="m"))
        memories.change_memories(connection, owner, MemoryChange(deletes=["a"]))
        done = [statement for statement in statements if statement.split()[0] in ("SELECT", "UPDATE", "DELETE")]
        plans = {
            statement: [step[3] for step in connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
            for statement in dict.fromkeys(done)
        }
    scans = [(step, statement) for statement, plan in plans.items() for step in plan if step.startswith("SCAN zhiji")]
    assert len(plans) > 20
    assert scans == []


async def test_what_is_due_is_found_without_the_rest(store: SqliteStore, path: Path) -> None:
    """Asking what has expired costs the same with ten times the owners and memories that have not."""
    steps: list[int] = []
    with watched(path) as (connection, _):
        connection.set_progress_handler(lambda: steps.append(len(steps)), 10)
        costs = []
        for first, last in ((0, 20), (20, 200)):
            for number in range(first, last):
                owner = owner_id(connection, Scope("shop", f"user{number}"), create=True)
                rows = [memory(f"m{n}", "红茶", expires_at=at(5 if number < 2 else 1_000_000)) for n in range(10)]
                memories.change_memories(connection, owner, MemoryChange(puts=[put(row) for row in rows]))
            steps.clear()
            assert len(memories.expired(connection, None, at(5), 100)) == 20
            costs.append(len(steps))
    assert costs[1] == pytest.approx(costs[0], abs=3)


async def test_what_is_named_is_found_without_the_rest(store: SqliteStore, path: Path) -> None:
    """A few memories by id or by key, or deletions by key, cost the same however many the owner has."""
    steps: list[int] = []
    with watched(path) as (connection, _):
        owner = owner_id(connection, ALICE, create=True)
        connection.set_progress_handler(lambda: steps.append(len(steps)), 10)
        costs: list[list[int]] = []
        for first in (0, 30):
            rows = [replace(memory(f"m{n}", f"订单 {n}"), key=f"order:OD{n}") for n in range(first, 30 + 40 * first)]
            buried = [Tombstone(key=row.key, content_digest=row.id, deleted_at=at()) for row in rows]
            memories.change_memories(connection, owner, MemoryChange(puts=[put(r) for r in rows], tombstones=buried))
            costs.append([])
            for work in (
                lambda: memories.load_memories(connection, owner, ["m3", "m5"]),
                lambda: memories.by_keys(connection, owner, ["order:OD3", "order:OD5"]),
                lambda: memories.touch_recalled(connection, owner, {"m3": None, "m5": at(99)}, NOW),
                lambda: deletions.find(connection, owner, keys=["order:OD3"], digests=["m5"]),
            ):
                steps.clear()
                work()
                costs[-1].append(len(steps))
    assert costs[1] == pytest.approx(costs[0], abs=3)


async def test_many_owners_share_a_bounded_cache(path: Path) -> None:
    """Indexes used longest ago make way; their owners are found again nevertheless."""
    store = await SqliteStore.open(path)
    store._indexes = IndexCache(budget_bytes=30_000)
    scopes = [Scope("shop", f"user-{number}") for number in range(8)]
    for scope in scopes:
        await remember(store, memory("a", f"{scope.user} 爱喝红茶"), scope=scope)
    for scope in [*scopes, *scopes]:
        assert await found(store, asking("红茶"), scope) == ["a"]
    assert 1 < len(store._indexes._indexes) < len(scopes)
    await store.close()


async def test_one_owner_may_be_larger_than_the_budget(store: SqliteStore) -> None:
    """The index in use stays, whatever its size."""
    store._indexes = IndexCache(budget_bytes=1)
    for scope in (ALICE, BOB):
        await remember(store, memory("a", "红茶"), scope=scope)
        assert await found(store, asking("红茶"), scope) == ["a"]
    assert len(store._indexes._indexes) == 1


# --- what is on disk ------------------------------------------------------------------------------------------------


async def test_deletion_leaves_no_word_behind(store: SqliteStore, path: Path) -> None:
    """Rows, terms and vectors of a deleted memory are gone from every table (C071)."""
    await remember(store, memory("a", "暗号蓝色雨伞架"))
    await store.put_vectors(ALICE, "m", {"a": vector(1, 0)})
    await store.change_memories(ALICE, MemoryChange(deletes=["a"]))
    with watched(path) as (connection, _):
        left = {
            table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("zhiji_memories", "zhiji_terms", "zhiji_vectors")
        }
    assert left == {"zhiji_memories": 0, "zhiji_terms": 0, "zhiji_vectors": 0}


async def test_stored_vectors_are_finite_float32_of_length_one(store: SqliteStore, path: Path) -> None:
    """What is on disk is little-endian float32, normalised; of bad vectors only the fact that they were tried (C110)."""
    await remember(store, memory("a", "甲"), memory("b", "乙"))
    await store.put_vectors(ALICE, "m", {"a": np.array([3, 4], np.float32), "b": np.array([np.nan, 1], np.float32)})
    with watched(path) as (connection, _):
        stored = connection.execute("SELECT dim, data FROM zhiji_vectors ORDER BY memory").fetchall()
    assert stored[0][0] == stored[1][0] == 2
    assert np.frombuffer(stored[0][1], "<f4").tolist() == pytest.approx([0.6, 0.8])
    assert stored[1][1] is None


# --- the index alone ------------------------------------------------------------------------------------------------


def test_index_grows_and_forgets() -> None:
    """Slots grow past their first capacity; removed memories are not found, unknown numbers are ignored."""
    index = OwnerIndex()
    index.add([Entry(number, "active", "event", 0, length=2) for number in range(200)])
    index.add_postings("t", [(number, 1 + number % 2) for number in range(200)] + [(999, 1)])
    index.remove([*range(150), 12345])
    hits = index.search(ANY_TIME, terms={"t": 1.0}, model="", vector=None, window=0.0, limit=1000)
    assert {hit.number for hit in hits} == set(range(150, 200))
    assert len(index) == 50
    assert index.is_sparse
    assert 100_000 > index.nbytes > 200


def test_index_says_where_it_holds_no_vectors() -> None:
    """A model that was never added has no cosine; one of another dimension is not the same model."""
    index = OwnerIndex()
    index.add([Entry(1, "active", "event", 0)])
    index.add_model("m", 2)
    index.add_vectors("m", [(1, vector(1, 0).tobytes()), (7, vector(1, 0).tobytes())])
    assert index.has_model("m", 2)
    assert not index.has_model("m", 3)
    assert index.search(ANY_TIME, terms={}, model="n", vector=vector(1, 0), window=0.0, limit=5) == []
    (hit,) = index.search(ANY_TIME, terms={}, model="m", vector=vector(1, 0), window=0.0, limit=5)
    assert (hit.number, hit.keyword, hit.cosine) == (1, 0.0, 1.0)


async def test_ids_stay_in_order_of_insertion(store: SqliteStore) -> None:
    """Numbers of deleted rows may be used again; order of insertion still holds."""
    await remember(store, memory("a", "茶"), memory("b", "茶"))
    await store.change_memories(ALICE, MemoryChange(deletes=["b"]))
    await remember(store, memory("c", "茶"))
    assert ids(await store.unembedded(ALICE, "m")) == ["a", "c"]
    assert await found(store, asking("茶")) == ["c", "a"]
