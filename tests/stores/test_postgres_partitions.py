"""Hash partitions by owner, made by the script of ``deploy/``: nothing is lost, nothing is slower to find, all works on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psycopg
import pytest

from zhiji.stores.base import Store
from zhiji.stores.postgres import PostgresStore
from zhiji.testing.memory_contract import MemoryContract
from zhiji.testing.owner_contract import OwnerContract
from zhiji.testing.search_contract import SearchContract
from zhiji.testing.servers import Postgres, clear
from zhiji.testing.turn_contract import TurnContract
from zhiji.testing.values import ALICE, BOB, contents, ids, memory, open_session, remember, run_turn
from zhiji.types import Status

SCRIPT = (Path(__file__).parents[2] / "deploy" / "postgres-partitions.sql").read_text(encoding="utf-8")
FEW = SCRIPT.replace(":= 16;", ":= 4;")
"""Fewer partitions than there, since each is a file or more."""


def cut(url: str) -> None:
    """The big tables are partitioned."""
    with psycopg.connect(url) as admin:
        admin.execute(FEW.encode())


@pytest.fixture(scope="module")
def partitioned(postgres_server: Postgres, postgres_template: str) -> Iterator[str]:
    """URL of one database with partitions."""
    url = postgres_server.create(postgres_template)
    cut(url)
    yield url
    postgres_server.drop(url)


class TestPartitionedStore(MemoryContract, SearchContract, TurnContract, OwnerContract):
    """Whatever touches the partitioned tables keeps what the contract promises."""

    cosine_tolerance = 2e-3  # vectors are kept at half precision

    @pytest.fixture
    async def store(self, partitioned: str) -> AsyncIterator[Store]:
        """Yield a store whose big tables are partitioned."""
        clear(partitioned)
        store = await PostgresStore.open(partitioned, migrate=False)
        yield store
        await store.close()


def shape(url: str) -> set[tuple[str, str]]:
    """Return name and definition of every key, reference and index of the tables, whichever kind of table it is."""
    with psycopg.connect(url) as connection:
        return set(
            connection.execute(
                """SELECT indexname, replace(indexdef, ' ON ONLY ', ' ON ') FROM pg_indexes
                WHERE tablename ~ '^zhiji_[a-z]+$'
                UNION SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
                WHERE conrelid::regclass::text ~ '^zhiji_[a-z]+$' AND contype IN ('p', 'u', 'f')"""
            )
        )


async def test_nothing_is_lost(postgres_url: str) -> None:
    """What was stored before the cut is there after it, under the same keys; running the script again changes nothing."""
    store = await PostgresStore.open(postgres_url)
    for scope in (ALICE, BOB):
        await open_session(store, scope)
        await run_turn(store, 1, scope=scope)
        await remember(store, memory("m1", "对花生过敏"), scope=scope)
    await store.close()
    before = shape(postgres_url)
    cut(postgres_url)
    cut(postgres_url)
    assert shape(postgres_url) == before
    store = await PostgresStore.open(postgres_url, migrate=False)
    for scope in (ALICE, BOB):
        assert contents(await store.load_messages(scope, "ses_1")) == ["问1", "答1"]
        assert ids(await store.list_memories(scope, statuses=frozenset({Status.ACTIVE}))) == ["m1"]
    await store.close()


def test_one_partition_is_read(partitioned: str) -> None:
    """A statement of one owner leaves out every partition but that owner's, also though the owner is a function's result."""
    with psycopg.connect(partitioned) as connection:
        connection.execute("SELECT set_config('zhiji.owner', '7', true)")
        plan = connection.execute("EXPLAIN SELECT 1 FROM zhiji_terms WHERE owner = zhiji_owner() AND term = '花生'")
        said = "\n".join(line for (line,) in plan)
    assert "Subplans Removed: 3" in said
