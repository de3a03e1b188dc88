"""Row-level security: with the script of ``deploy/``, the store works as before, and a forgotten WHERE shows nothing more."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import numpy as np
import psycopg
import pytest
from psycopg import errors
from psycopg.conninfo import make_conninfo

from zhiji.stores.base import MemoryChange, Row, Store
from zhiji.stores.postgres import PostgresStore
from zhiji.stores.postgres.schema import OWNED
from zhiji.testing.conformance import StoreContract
from zhiji.testing.servers import Postgres, clear
from zhiji.testing.values import ALICE, BOB, contents, ids, job, memory, open_session, put, remember, run_turn
from zhiji.types import Scope, Status

SCRIPT = (Path(__file__).parents[2] / "deploy" / "postgres-rls.sql").read_text(encoding="utf-8")
PARTITIONS = (Path(__file__).parents[2] / "deploy" / "postgres-partitions.sql").read_text(encoding="utf-8")
SERVICE = "zhiji_test_service"
ADMIN = "zhiji_test_admin"
PASSWORD = "a-password-of-tests"


@pytest.fixture(scope="module")
def walled(postgres_server: Postgres, postgres_template: str) -> Iterator[str]:
    """URL of one database behind the wall, by its owner."""
    url = postgres_server.create(postgres_template)
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(SCRIPT.encode())
        admin.execute(f"DROP ROLE IF EXISTS {SERVICE}")
        admin.execute(f"CREATE ROLE {SERVICE} LOGIN PASSWORD '{PASSWORD}' IN ROLE zhiji_app")
    yield url
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(f"DROP ROLE IF EXISTS {SERVICE}")
    postgres_server.drop(url)


@pytest.fixture
def walled_url(walled: str) -> str:
    """URL of the database, with nothing in it, for a login that has only what the script grants."""
    clear(walled)
    return make_conninfo(walled, user=SERVICE, password=PASSWORD)


class TestPostgresStoreBehindTheWall(StoreContract):
    """The whole contract holds for a login with least rights and row-level security."""

    cosine_tolerance = 2e-3  # vectors are kept at half precision

    @pytest.fixture
    async def store(self, walled_url: str) -> AsyncIterator[Store]:
        """Yield a store that may not make tables."""
        store = await PostgresStore.open(walled_url, migrate=False)
        yield store
        await store.close()


@pytest.fixture
async def filled_url(walled_url: str) -> str:
    """URL of a database behind the wall in which two owners have the same things."""
    store = await PostgresStore.open(walled_url, migrate=False)
    for scope in (ALICE, BOB):
        await open_session(store, scope)
        await run_turn(store, 1, scope=scope)
        await remember(store, memory("m1", "对花生过敏"), scope=scope)
        await store.enqueue(scope, job("ses_1"))
    await store.close()
    return walled_url


def number(connection: psycopg.Connection[tuple[object, ...]], scope: Scope) -> int:
    """Return the number that stands for an owner."""
    asked = 'SELECT id FROM zhiji_owners WHERE tenant = %s AND "user" = %s'
    row = connection.execute(asked, (scope.tenant, scope.user)).fetchone()
    assert row is not None
    return int(str(row[0]))


def test_a_forgotten_where_shows_one_owner(filled_url: str) -> None:
    """In a transaction of Alice's, statements without a condition see and change her rows only."""
    with psycopg.connect(filled_url) as connection:
        alice = number(connection, ALICE)
        connection.execute("SELECT set_config('zhiji.owner', %s, true)", (str(alice),))
        for table in OWNED:
            seen = {owner for (owner,) in connection.execute(f"SELECT owner FROM zhiji_{table}".encode())}
            assert seen <= {alice}
        assert connection.execute("SELECT count(*) FROM zhiji_messages").fetchone() == (2,)
        assert connection.execute("UPDATE zhiji_messages SET content = '改'").rowcount == 2
        assert connection.execute("DELETE FROM zhiji_memories").rowcount == 1


def test_nobody_sees_nothing(filled_url: str) -> None:
    """Without an owner nothing is there, in no table, and nothing can be changed."""
    with psycopg.connect(filled_url) as connection:
        for table in OWNED:
            assert connection.execute(f"SELECT 1 FROM zhiji_{table}".encode()).fetchone() is None
            assert connection.execute(f"DELETE FROM zhiji_{table}".encode()).rowcount == 0


def test_nothing_is_written_for_others(filled_url: str) -> None:
    """In a transaction of Alice's no row of Bob's can be made, nor hers given to him."""
    with psycopg.connect(filled_url) as connection:
        alice, bob = number(connection, ALICE), number(connection, BOB)
        connection.execute("SELECT set_config('zhiji.owner', %s, false)", (str(alice),))
        connection.commit()
        for statement in ("INSERT INTO zhiji_unsaid VALUES (%s, 'ses_1', 1)", "UPDATE zhiji_memories SET owner = %s"):
            with pytest.raises(errors.InsufficientPrivilege):
                connection.execute(statement, (bob,))
            connection.rollback()


def test_an_owner_ends_with_the_transaction(filled_url: str) -> None:
    """Whose transaction it was is forgotten at its end: the next one on this connection sees nothing."""
    with psycopg.connect(filled_url) as connection:
        connection.execute("SELECT set_config('zhiji.owner', %s, true)", (str(number(connection, ALICE)),))
        assert connection.execute("SELECT 1 FROM zhiji_messages").fetchone() is not None
        connection.commit()
        assert connection.execute("SELECT 1 FROM zhiji_messages").fetchone() is None


def test_the_service_may_make_no_tables(filled_url: str) -> None:
    """The login of the service can neither change tables nor lift the wall."""
    with psycopg.connect(filled_url, autocommit=True) as connection:
        for statement in ("DROP TABLE zhiji_terms", "ALTER TABLE zhiji_terms DISABLE ROW LEVEL SECURITY"):
            with pytest.raises(errors.InsufficientPrivilege):
                connection.execute(statement)


def test_it_can_be_run_again(postgres_url: str) -> None:
    """After a migration the script is run once more; tables that came are behind the wall as well. It says nothing."""
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        said: list[str | None] = []
        admin.add_notice_handler(lambda notice: said.append(notice.message_primary))
        admin.execute(SCRIPT.encode())
        assert said == []
        admin.execute("CREATE TABLE zhiji_later (owner bigint NOT NULL, id text, PRIMARY KEY (owner, id))")
        admin.execute(SCRIPT.encode())
        walled = admin.execute(
            "SELECT count(*) FROM pg_class WHERE relname LIKE 'zhiji\\_%' AND relrowsecurity AND relforcerowsecurity"
        )
        assert walled.fetchone() == (len(OWNED) + 1,)


@pytest.fixture
def admin_url(postgres_server: Postgres) -> Iterator[str]:
    """URL of an empty database with a schema of its own, for an administrator who is no superuser."""
    url = postgres_server.create()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"DROP ROLE IF EXISTS {ADMIN}")
        connection.execute(f"CREATE ROLE {ADMIN} LOGIN PASSWORD '{PASSWORD}' CREATEROLE")
        if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = 'zhiji_app'").fetchone() is not None:
            connection.execute(f"GRANT zhiji_app TO {ADMIN} WITH ADMIN OPTION")
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        connection.execute(f"CREATE SCHEMA memory AUTHORIZATION {ADMIN}")
        connection.execute(f'GRANT CREATE ON DATABASE "{connection.info.dbname}" TO {ADMIN}')
    yield make_conninfo(url, user=ADMIN, password=PASSWORD, options="-csearch_path=memory,public")
    postgres_server.drop(url)
    with psycopg.connect(postgres_server.url("postgres"), autocommit=True) as connection:
        connection.execute(f"DROP ROLE IF EXISTS {ADMIN}")


async def test_the_wall_hides_nothing_from_its_builder(admin_url: str) -> None:
    """An administrator without superuser's rights migrates, builds the wall and partitions behind it; every row is there after."""
    store = await PostgresStore.open(admin_url)
    for scope in (ALICE, BOB):
        await open_session(store, scope)
        await run_turn(store, 1, scope=scope)
        await remember(store, memory("m1", "对花生过敏"), scope=scope)
    await store.close()
    with psycopg.connect(admin_url, autocommit=True) as admin:
        for script in (SCRIPT, PARTITIONS, SCRIPT):
            admin.execute(script.encode())
        assert admin.execute("SELECT 1 FROM zhiji_messages").fetchone() is None
        partitions = admin.execute("SELECT count(*) FROM pg_inherits WHERE inhparent = 'zhiji_messages'::regclass")
        assert partitions.fetchone() == (16,)
    store = await PostgresStore.open(admin_url)
    for scope in (ALICE, BOB):
        assert contents(await store.load_messages(scope, "ses_1")) == ["问1", "答1"]
        assert ids(await store.list_memories(scope, statuses=frozenset(Status))) == ["m1"]
    await store.close()


async def test_what_is_moved_lands_behind_the_wall(admin_url: str) -> None:
    """All rows of an owner can be brought into tables behind row-level security, where PostgreSQL refuses ``COPY``."""
    store = await PostgresStore.open(admin_url)
    for scope in (ALICE, BOB):
        await open_session(store, scope)
        await run_turn(store, 1, scope=scope)
        given = put(memory("m1", "对花生过敏"), vector=np.array([1, 0], np.float32), model="toy")
        await store.change_memories(scope, MemoryChange(puts=[given]))
    with psycopg.connect(admin_url, autocommit=True) as admin:
        admin.execute(SCRIPT.encode())
    whole = [piece async for piece in store.dump(ALICE)]
    await store.replace_owner(ALICE, _given(whole))
    again = [piece async for piece in store.dump(ALICE)]
    await store.close()
    assert [table for table, _ in again] == [table for table, _ in whole]
    assert {"messages", "memories", "terms", "vectors"} <= {table for table, _ in whole}
    assert again[1:] == whole[1:]


async def _given(pieces: Sequence[tuple[str, Sequence[Row]]]) -> AsyncIterator[tuple[str, Sequence[Row]]]:
    for piece in pieces:
        yield piece


async def test_a_schema_of_its_own_is_a_zhiji_of_its_own(admin_url: str) -> None:
    """Tables in a schema further back on the search path are another zhiji's: they are neither used nor seen."""
    with psycopg.connect(admin_url, autocommit=True) as admin:
        admin.execute("CREATE SCHEMA front")
    behind = await PostgresStore.open(admin_url)
    await open_session(behind, ALICE)
    front = await PostgresStore.open(make_conninfo(admin_url, options="-csearch_path=front,memory,public"))
    assert await behind.list_owners() == [ALICE]
    assert await front.list_owners() == []
    await front.close()
    await behind.close()


async def test_a_superuser_may_run_the_scripts_too(admin_url: str, postgres_server: Postgres) -> None:
    """Whoever cuts tables into partitions, they stay their owner's."""
    await (await PostgresStore.open(admin_url)).close()
    superuser = make_conninfo(
        postgres_server.url(postgres_server.name(admin_url)), options="-csearch_path=memory,public"
    )
    with psycopg.connect(superuser, autocommit=True) as admin:
        for script in (PARTITIONS, SCRIPT):
            admin.execute(script.encode())
        owners = admin.execute("SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'memory'")
        assert owners.fetchall() == [(ADMIN,)]
