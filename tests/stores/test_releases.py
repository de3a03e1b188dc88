"""Databases that earlier releases wrote, kept in ``data``: this release carries each on, and nothing in it is lost (C034)."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from processes import Child
from stores.data import make
from stores.story import dropped, goes_on, lost, recorded, undone
from zhiji.errors import SchemaTooNew, SchemaTooOld, StoreError
from zhiji.stores.migrations import Migration
from zhiji.stores.postgres import PostgresStore
from zhiji.stores.postgres import schema as postgres_schema
from zhiji.stores.postgres.connection import Connection
from zhiji.stores.postgres.connection import Database as PostgresDatabase
from zhiji.stores.sqlite import SqliteStore
from zhiji.stores.sqlite.connection import Database
from zhiji.stores.sqlite.schema import MIGRATIONS, prepare
from zhiji.testing.servers import Postgres

DATA = Path(__file__).with_name("data")
FILES = sorted(DATA.glob("sqlite_v*.sql"))
OLDER = [file for file in FILES if file.stem != f"sqlite_v{len(MIGRATIONS)}"]
ROWS = sorted(DATA.glob("postgres_v*.jsonl"))
CHILD = Path(__file__).with_name("child.py")


def laid(file: Path, folder: Path) -> Path:
    """Return the path of a database file with what the dump holds."""
    path = folder / "zhiji.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(file.read_text(encoding="utf-8"))
    return path


def tables(path: Path) -> dict[str, object]:
    """Return columns and indexes of a file."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        indexes = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        found: dict[str, object] = dict(connection.execute(indexes).fetchall())
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            columns = connection.execute(f"SELECT name, type, pk FROM pragma_table_info('{name}')")
            found[name] = sorted(columns.fetchall())
    return found


def test_each_released_version_is_kept() -> None:
    """There is a file of each version of the tables that a release had; `data/make.py` writes the next."""
    versions = [int(file.stem.removeprefix("sqlite_v")) for file in FILES]
    assert versions == list(range(1, len(MIGRATIONS) + 1))
    assert all(file.stat().st_size < 150_000 for file in (*FILES, *ROWS))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
async def test_files_of_earlier_releases_are_carried_on(file: Path, tmp_path: Path) -> None:
    """Opened by this release, every reader returns what the release that wrote the file saw, digests included (C034)."""
    before = recorded(file)
    store = await SqliteStore.open(laid(file, tmp_path))
    assert list(lost(before, await make.seen(store, before["answered"]))) == []
    await store.close()


@pytest.mark.parametrize("file", OLDER, ids=lambda file: file.stem)
async def test_migrated_files_are_like_new_ones(file: Path, tmp_path: Path) -> None:
    """After the migration there are the columns and indexes of a new file, no more, no fewer (C034)."""
    path, new = laid(file, tmp_path), tmp_path / "new.db"
    for each in (path, new):
        await (await SqliteStore.open(each)).close()
    assert tables(path) == tables(new)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
async def test_work_goes_on_in_files_of_earlier_releases(file: Path, tmp_path: Path) -> None:
    """Waiting and abandoned jobs are run, a dead one is replayed, a retry is answered again, a deleted fact stays away (C034)."""
    path, before = laid(file, tmp_path), recorded(file)
    await goes_on(f"sqlite:///{path}", before)
    store = await SqliteStore.open(path)
    after = await make.seen(store, before["answered"])
    await store.close()
    assert (undone(after), dropped(before, after)) == ([], [])
    assert undone(before) != []


async def test_processes_that_open_an_earlier_file_at_once_migrate_it_once(tmp_path: Path) -> None:
    """Both see the whole, migrated file; the steps would fail if taken twice (C034)."""
    path = laid(FILES[0], tmp_path)
    with ExitStack() as ends:
        children = [Child(CHILD, path) for _ in range(2)]
        for child in children:
            ends.callback(child.close)
        assert [child.answer() for child in children] == ["ready", "ready"]
        for child in children:
            child.tell("open")
        first, second = [child.answer() for child in children]
    assert first == second
    assert len(first) == 64
    store = await SqliteStore.open(path)
    before = recorded(FILES[0])
    assert list(lost(before, await make.seen(store, before["answered"]))) == []
    await store.close()


@pytest.mark.parametrize("file", OLDER, ids=lambda file: file.stem)
async def test_earlier_releases_refuse_a_file_of_this_one(file: Path, tmp_path: Path) -> None:
    """With the shorter list of migrations that a former release had, the file is refused and not written to (C034)."""
    path = tmp_path / "zhiji.db"
    await (await SqliteStore.open(path)).close()
    before = path.read_bytes()
    known = MIGRATIONS[: int(file.stem.removeprefix("sqlite_v"))]
    with pytest.raises(SchemaTooNew):
        await Database.open(path, lambda connection: prepare(connection, known))
    assert path.read_bytes() == before


@pytest.mark.parametrize("file", OLDER, ids=lambda file: file.stem)
async def test_without_auto_migrate_an_earlier_file_is_refused(file: Path, tmp_path: Path) -> None:
    """It is not written to, and the error names `zhiji migrate`; what is missing can be asked for (C034)."""
    path = laid(file, tmp_path)
    before = path.read_bytes()
    with pytest.raises(SchemaTooOld, match="zhiji migrate"):
        await SqliteStore.open(path, migrate=False)
    plan = await SqliteStore.missing(path)
    assert [step.version for step in plan.steps] == list(range(plan.present + 1, plan.target + 1))
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["zhiji.db"]
    await (await SqliteStore.open(path)).close()
    await (await SqliteStore.open(path, migrate=False)).close()


async def test_without_auto_migrate_no_file_is_made(tmp_path: Path) -> None:
    """A database that is not there is not made in passing."""
    path = tmp_path / "zhiji.db"
    assert (await SqliteStore.missing(path)).present == 0
    with pytest.raises(SchemaTooOld):
        await SqliteStore.open(path, migrate=False)
    assert list(tmp_path.iterdir()) == []


# --- PostgreSQL -----------------------------------------------------------------------------------------------------


@pytest.fixture
def empty_url(postgres_server: Postgres) -> Iterator[str]:
    """Yield the URL of a database without tables."""
    url = postgres_server.create()
    yield url
    postgres_server.drop(url)


async def fill(url: str, file: Path) -> None:
    """The database has the tables of the release that wrote these rows, and the rows."""
    known = postgres_schema.MIGRATIONS[: int(file.stem.removeprefix("postgres_v"))]
    database = await PostgresDatabase.open(url, lambda connection: postgres_schema.prepare(connection, known))
    await database.close()
    with psycopg.connect(url) as connection:
        connection.execute("DELETE FROM zhiji_meta")
        for line in file.read_text(encoding="utf-8").splitlines():
            table = json.loads(line)
            names = ", ".join(f'"{name}"' for name in table["columns"])
            marks = ", ".join(["%s"] * len(table["columns"]))
            insert = f"INSERT INTO zhiji_{table['table']} ({names}) OVERRIDING SYSTEM VALUE VALUES ({marks})"
            connection.cursor().executemany(insert.encode(), table["rows"])
            if "seq" in table["columns"] and table["table"] in ("jobs", "extractions"):
                last = f"SELECT setval(pg_get_serial_sequence('zhiji_{table['table']}', 'seq'), 1000)"
                connection.execute(last.encode())
            if table["table"] == "owners":
                connection.execute("SELECT setval(pg_get_serial_sequence('zhiji_owners', 'id'), 1000)")


def test_each_released_version_of_postgres_is_kept() -> None:
    """There are rows of each version of the tables that a release had."""
    versions = [int(file.stem.removeprefix("postgres_v")) for file in ROWS]
    assert versions == list(range(1, len(postgres_schema.MIGRATIONS) + 1))


@pytest.mark.parametrize("file", ROWS, ids=lambda file: file.stem)
async def test_databases_of_earlier_releases_are_carried_on(file: Path, empty_url: str) -> None:
    """Opened by this release, every reader returns what the release that wrote the rows saw, and work goes on (C034)."""
    await fill(empty_url, file)
    before = recorded(file)
    store = await PostgresStore.open(empty_url)
    assert list(lost(before, await make.seen(store, before["answered"]))) == []
    await store.close()
    await goes_on(empty_url, before)


async def test_newer_databases_are_refused_untouched(empty_url: str) -> None:
    """What a newer release made is not written to, also with auto_migrate off (C034)."""
    with psycopg.connect(empty_url) as connection:
        connection.execute("CREATE TABLE zhiji_meta (name text PRIMARY KEY, value text)")
        connection.execute("INSERT INTO zhiji_meta VALUES ('schema_version', '999')")
    for migrate in (True, False):
        with pytest.raises(SchemaTooNew):
            await PostgresStore.open(empty_url, migrate=migrate)
    with pytest.raises(SchemaTooNew):
        await PostgresStore.missing(empty_url)
    assert names(empty_url) == ["zhiji_meta"]


async def test_without_auto_migrate_an_older_database_is_refused(empty_url: str) -> None:
    """No table is made; what is missing can be asked for, and changes nothing, either."""
    with pytest.raises(SchemaTooOld, match="zhiji migrate"):
        await PostgresStore.open(empty_url, migrate=False)
    plan = await PostgresStore.missing(empty_url)
    assert (plan.present, plan.target, len(plan.steps)) == (0, plan.target, plan.target)
    assert names(empty_url) == []


async def test_a_migration_that_fails_half_way_leaves_postgres_as_it_was(postgres_url: str) -> None:
    """Neither its tables nor its version are there afterwards (C034)."""
    before = names(postgres_url)
    script = "CREATE TABLE zhiji_new (a int); CREATE TABLE zhiji_sessions (b int)"
    broken = Migration(len(postgres_schema.MIGRATIONS) + 1, "Break.", script)

    async def fail(connection: Connection) -> None:
        await postgres_schema.prepare(connection, (*postgres_schema.MIGRATIONS, broken))

    with pytest.raises(StoreError):
        await PostgresDatabase.open(postgres_url, fail)
    assert names(postgres_url) == before
    assert (await PostgresStore.missing(postgres_url)).steps == ()


async def test_one_of_two_processes_migrates_postgres(empty_url: str) -> None:
    """Two processes that open an empty database at once, then a later release's, take each step once (C034)."""
    with ExitStack() as ends:
        children = [Child(CHILD, empty_url) for _ in range(2)]
        for child in children:
            ends.callback(child.close)
        assert [child.answer() for child in children] == ["ready", "ready"]
        for command in ("open", "migrate_postgres"):
            for child in children:
                child.tell(command)
            first, second = [child.answer() for child in children]
            assert first == second
            assert len(first) == 64
        children[0].tell("open")
        assert children[0].answer() == "schema_too_new"


def names(url: str) -> list[str]:
    """Return the tables of ours in a database."""
    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT tablename FROM pg_tables WHERE tablename LIKE 'zhiji%' ORDER BY 1")
        return [row[0] for row in found]
