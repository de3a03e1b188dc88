"""A store in PostgreSQL survives what servers do: restarts, refusals, time-outs, other schemas, callers who leave."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from zhiji.errors import (
    ConfigError,
    InvalidInput,
    SchemaTooNew,
    SchemaTooOld,
    StoreBusy,
    StoreError,
    StoreReadOnly,
    StoreUnavailable,
)
from zhiji.stores.postgres import PostgresStore
from zhiji.stores.postgres import connection as connections
from zhiji.stores.postgres.connection import Connection
from zhiji.testing.servers import Postgres, postgres
from zhiji.testing.values import ALICE, BOB, at, contents, end, ingested_session, open_session, run_turn, said, turn
from zhiji.types import Scope


@pytest.fixture
async def store(postgres_url: str) -> AsyncIterator[PostgresStore]:
    """A store with two connections."""
    store = await PostgresStore.open(postgres_url, connections=2)
    yield store
    await store.close()


@pytest.fixture
def own_server() -> Iterator[Postgres]:
    """A server that the test may kill; it waits for the disk."""
    with postgres(is_durable=True) as server:
        yield server


def tables(url: str) -> list[tuple[object, ...]]:
    """Return every table and column of a database, and what it says of its schema."""
    with psycopg.connect(url) as connection:
        found = connection.execute(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2"
        ).fetchall()
        if found:
            found += connection.execute("SELECT name, value FROM zhiji_meta ORDER BY name").fetchall()
        return found


# --- servers that fail ------------------------------------------------------------------------------------------------


async def test_restart_of_the_server_loses_nothing(own_server: Postgres) -> None:
    """What was acknowledged before the server was killed is there, and the open store reads and writes on (C149)."""
    store = await PostgresStore.open(own_server.create(), connections=3)
    await open_session(store)
    await asyncio.gather(*(open_session(store, Scope("shop", f"用户{number}")) for number in range(3)))
    await run_turn(store, 1)
    own_server.kill()
    for attempt in (
        store.load_session(ALICE, "ses_1"),
        store.append_turns(ALICE, "ses_1", [said("?")], jobs=[], now=at()),
    ):
        with pytest.raises(StoreUnavailable) as caught:
            await attempt
        assert caught.value.retryable
    own_server.start()
    assert contents(await store.load_messages(ALICE, "ses_1")) == ["问1", "答1"]
    await run_turn(store, 2)
    own_server.kill()
    own_server.start()
    assert (await run_turn(store, 3)).turns == 3
    assert contents(await store.load_messages(ALICE, "ses_1")) == ["问1", "答1", "问2", "答2", "问3", "答3"]
    await store.close()


async def test_lost_commit_is_not_done_twice(store: PostgresStore) -> None:
    """If the connection goes while the commit is on its way, nobody knows; so it is told, and not tried again."""
    runs = 0

    async def work(connection: Connection) -> None:
        nonlocal runs
        runs += 1
        await connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    with pytest.raises(StoreUnavailable):
        await store._database.write(None, work)
    assert runs == 1
    await open_session(store)


async def test_connection_lost_before_the_commit_is_no_failure(store: PostgresStore) -> None:
    """A transaction whose connection goes before its commit was sent is run again, on another one."""
    runs = 0

    async def work(connection: Connection) -> int:
        nonlocal runs
        runs += 1
        if runs == 1:
            await (await connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")).fetchone()
        return runs

    assert await store._database.write(None, work) == 2


# --- waiting ----------------------------------------------------------------------------------------------------------


async def test_statement_that_takes_too_long_is_given_up(postgres_url: str) -> None:
    """After the time-out the caller may try again, and so may everybody else."""
    store = await PostgresStore.open(postgres_url, connections=1, timeout_seconds=1.5)
    await open_session(store)
    with psycopg.connect(postgres_url) as other:
        other.execute("SELECT 1 FROM zhiji_owners FOR UPDATE")
        with pytest.raises(StoreBusy) as caught:
            await run_turn(store, 1)
        assert caught.value.retryable
        assert await store.load_session(ALICE, "ses_1") is not None
    await run_turn(store, 1)
    await store.close()


async def test_waiting_for_a_connection_has_an_end(store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who finds every connection in use is told to come again, and finds one then."""
    monkeypatch.setattr(connections, "CONNECT_SECONDS", 0.05)
    held, let_go = asyncio.Event(), asyncio.Event()

    async def hold(connection: Connection) -> None:
        held.set()
        await let_go.wait()

    holders = []
    for _ in range(2):
        held.clear()
        holders.append(asyncio.create_task(store._database.read(ALICE, hold)))
        await held.wait()
    with pytest.raises(StoreBusy, match="ZHIJI_DATABASE_CONNECTIONS"):
        await store.load_session(ALICE, "ses_1")
    let_go.set()
    await asyncio.gather(*holders)
    assert await store.load_session(ALICE, "ses_1") is None


async def test_callers_who_leave_cost_no_connection(store: PostgresStore) -> None:
    """200 turns cancelled at every point of their way leave two connections that work, and whole turns only."""
    await ingested_session(store)

    async def chat(number: int) -> None:
        opened = await store.begin_turn(ALICE, "ses_1", turn(number, seconds=60 * number), history_turns=2)
        await store.finish_turn(ALICE, end(opened, 60 * number))

    for number in range(200):
        task = asyncio.create_task(chat(number))
        for _ in range(number % 20):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await asyncio.gather(*(run_turn(store, 1, 60 * 300, scope=scope) for scope in await _strangers(store)))
    stored = await store.load_closed(ALICE, "ses_1", after_seq=0, upto_seq=9999)
    assert [message.role for message in stored] == ["user", "assistant"] * (len(stored) // 2)


async def _strangers(store: PostgresStore) -> list[Scope]:
    scopes = [Scope("shop", f"stranger {number}") for number in range(6)]
    for scope in scopes:
        await ingested_session(store, scope)
    return scopes


async def test_upkeep_passes_by_whoever_writes(store: PostgresStore, postgres_url: str) -> None:
    """Purging waits for no owner: of one who is writing it takes nothing this time, of others all."""
    for scope in (ALICE, BOB):
        await open_session(store, scope)
        await store.end_session(scope, "ses_1", masked=[], jobs=[], now=at(1))
    with psycopg.connect(postgres_url) as other:
        other.execute("""SELECT 1 FROM zhiji_owners WHERE "user" = 'alice' FOR NO KEY UPDATE""")
        assert await store.purge_transcripts(at(1)) == 1
    assert await store.load_session(BOB, "ses_1") is None
    assert await store.purge_transcripts(at(1)) == 1


# --- what servers and databases refuse --------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["a\x00b", "半\ud83d", "\udc00"], ids=["NUL", "high", "low"])
async def test_text_that_cannot_be_stored_is_refused(store: PostgresStore, text: str) -> None:
    """NUL and half a surrogate pair are the caller's mistake; nothing is written, and the connection works on."""
    await open_session(store)
    with pytest.raises(InvalidInput):
        await store.append_turns(ALICE, "ses_1", [said("甲"), said(text)], jobs=[], now=at())
    with pytest.raises(InvalidInput):
        await store.load_session(ALICE, text)
    assert await store.load_messages(ALICE, "ses_1") == []


async def test_who_may_only_read_reads(store: PostgresStore, postgres_url: str) -> None:
    """A user without the right to write, and a database that takes no writes, are told apart from a broken one."""
    await open_session(store)
    options = make_conninfo(postgres_url, options="-c default_transaction_read_only=on")
    reader = await PostgresStore.open(options)
    assert await reader.load_session(ALICE, "ses_1") is not None
    with pytest.raises(StoreReadOnly):
        await run_turn(reader, 1)
    await reader.close()
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE ROLE zhiji_reader LOGIN")
        try:
            connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO zhiji_reader")
            reader = await PostgresStore.open(make_conninfo(postgres_url, user="zhiji_reader"))
            assert await reader.load_session(ALICE, "ses_1") is not None
            with pytest.raises(StoreReadOnly):
                await run_turn(reader, 1)
            await reader.close()
        finally:
            connection.execute("DROP OWNED BY zhiji_reader")
            connection.execute("DROP ROLE zhiji_reader")


async def test_a_server_that_was_read_only_is_written_as_soon_as_it_may(
    postgres_server: Postgres, postgres_url: str
) -> None:
    """Connections that were made to a replica or a closed database are not kept: the next request asks for a new one."""
    name = postgres_server.name(postgres_url)
    with psycopg.connect(postgres_server.url("postgres"), autocommit=True) as admin:
        admin.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on'.encode())
        store = await PostgresStore.open(make_conninfo(postgres_url, options="-c default_transaction_read_only=off"))
        await open_session(store)
        await store.close()
        store = await PostgresStore.open(postgres_url)
        with pytest.raises(StoreReadOnly, match="refuses to write"):
            await run_turn(store, 1)
        admin.execute(f'ALTER DATABASE "{name}" RESET default_transaction_read_only'.encode())
    assert (await run_turn(store, 1)).turns == 1
    await store.close()


async def test_a_connection_that_became_read_only_is_replaced(store: PostgresStore) -> None:
    """After a fail-over the statement that was refused is run again, on the primary that a new connection finds."""
    runs = 0

    async def work(connection: Connection) -> int:
        nonlocal runs
        runs += 1
        if runs == 1:
            await connection.execute("SET default_transaction_read_only = on")
            await connection.execute("SET transaction_read_only = on")
        await connection.execute("INSERT INTO zhiji_owners (tenant, \"user\") VALUES ('shop', '张三')")
        return runs

    assert await store._database.write(None, work) == 2
    assert await store.list_owners() == [Scope("shop", "张三")]


async def test_a_server_that_is_full_of_connections_says_so(postgres_server: Postgres, postgres_url: str) -> None:
    """The limit of a role or a server is named as what it is, and is no reason to look for a server that is down."""
    with psycopg.connect(postgres_server.url("postgres"), autocommit=True) as admin:
        admin.execute("CREATE ROLE zhiji_few LOGIN CONNECTION LIMIT 0")
        try:
            with pytest.raises(StoreUnavailable, match="takes no more connections") as caught:
                await PostgresStore.open(make_conninfo(postgres_url, user="zhiji_few"))
            assert caught.value.retryable
        finally:
            admin.execute("DROP ROLE zhiji_few")


async def test_who_is_not_let_in_is_told_why(postgres_url: str) -> None:
    """No server, no such database, no such user: each has its sentence, none a stack of the library's."""
    for changed, sentence in (
        ({"dbname": "nobody's"}, "no such database"),
        ({"user": "nobody"}, "refuses this user or password"),
        ({"host": "127.0.0.1", "port": "1"}, "cannot be reached"),
    ):
        with pytest.raises(StoreUnavailable, match=sentence):
            await PostgresStore.open(make_conninfo(postgres_url, **changed))
    with pytest.raises(ConfigError):
        await PostgresStore.open("postgresql://[")


# --- schemas ----------------------------------------------------------------------------------------------------------


async def test_empty_database_is_opened_by_many_at_once(postgres_server: Postgres) -> None:
    """Whoever comes first makes the tables, the others wait for them: all have the same secret."""
    url = postgres_server.create()
    stores = await asyncio.gather(*(PostgresStore.open(url) for _ in range(4)))
    assert len({await store.digest("x") for store in stores}) == 1
    for store in stores:
        await store.close()
    postgres_server.drop(url)


async def test_other_schemas_are_left_alone(postgres_url: str, postgres_server: Postgres) -> None:
    """A newer database is refused, and so is an empty one if migrating is off; neither is changed."""
    with psycopg.connect(postgres_url) as connection:
        connection.execute("UPDATE zhiji_meta SET value = '999' WHERE name = 'schema_version'")
    before = tables(postgres_url)
    for migrate in (True, False):
        with pytest.raises(SchemaTooNew):
            await PostgresStore.open(postgres_url, migrate=migrate)
    assert tables(postgres_url) == before
    empty = postgres_server.create()
    with pytest.raises(SchemaTooOld):
        await PostgresStore.open(empty, migrate=False)
    assert tables(empty) == []
    postgres_server.drop(empty)


async def test_database_that_goes_away_is_an_error_of_the_store(store: PostgresStore, postgres_url: str) -> None:
    """Tables that somebody dropped are told as damage, not as an error of the library."""
    with psycopg.connect(postgres_url) as connection:
        connection.execute("DROP TABLE zhiji_messages")
    with pytest.raises(StoreError) as caught:
        await store.load_messages(ALICE, "ses_1")
    assert caught.value.code == "store_corrupt"
    assert str(conninfo_to_dict(postgres_url)["dbname"]) not in str(caught.value)


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII", "EUC_CN"])
async def test_database_of_another_encoding_is_refused(postgres_server: Postgres, encoding: str) -> None:
    """Before anything is written it is said what the database needs: later some texts would be refused, or cut in half."""
    url = postgres_server.create("template0", f"ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C'")
    with pytest.raises(StoreError, match=f"{encoding}.*UTF8"):
        await PostgresStore.open(url)
    assert tables(url) == []
    postgres_server.drop(url)


async def test_tables_of_ones_own_schema(postgres_server: Postgres) -> None:
    """The tables are in the first schema of the path; those of the host, and of another zhiji, are not touched."""
    url = postgres_server.create()
    with psycopg.connect(url) as connection:
        connection.execute("CREATE EXTENSION vector")
        connection.execute("CREATE SCHEMA mine")
        connection.execute("CREATE SCHEMA yours")
        connection.execute("CREATE TABLE zhiji_orders (id int)")
    for schema in ("mine", "yours"):
        store = await PostgresStore.open(make_conninfo(url, options=f"-c search_path={schema},public"))
        assert await store.list_sessions(ALICE) == []
        await open_session(store)
        await run_turn(store, 1)
        await store.close()
    with psycopg.connect(url) as connection:
        public = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    assert public == [("zhiji_orders",)]
    postgres_server.drop(url)


async def test_schemas_that_will_not_do_are_told(postgres_server: Postgres) -> None:
    """A schema that is not there, a path without pgvector, a user who may not make tables: each has its sentence."""
    url = postgres_server.create()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
        connection.execute("CREATE SCHEMA mine")
        connection.execute("CREATE ROLE zhiji_user LOGIN")
        connection.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
        try:
            for kind, changed, sentence in (
                (StoreError, {"options": "-c search_path=nowhere"}, "no schema of the URL's search_path"),
                (StoreError, {"options": "-c search_path=mine"}, "not on the URL's search_path"),
                (StoreReadOnly, {"user": "zhiji_user"}, "may not make tables.*zhiji migrate"),
            ):
                with pytest.raises(kind, match=sentence):
                    await PostgresStore.open(make_conninfo(url, **changed))
            assert tables(url) == []
            await (await PostgresStore.open(url)).close()
            connection.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO zhiji_user")
            store = await PostgresStore.open(make_conninfo(url, user="zhiji_user"))
            await open_session(store)
            await run_turn(store, 1)
            await store.close()
        finally:
            connection.execute("DROP OWNED BY zhiji_user")
            connection.execute("DROP ROLE zhiji_user")
    postgres_server.drop(url)
