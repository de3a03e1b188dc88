"""The file itself: durable, private, migrated as a whole, and every way it can fail is one clear error."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Awaitable, Iterator
from pathlib import Path

import pytest

from zhiji.errors import (
    InvalidInput,
    SchemaTooNew,
    StoreClosed,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreReplaced,
)
from zhiji.stores.instants import instant, micros
from zhiji.stores.migrations import Migration
from zhiji.stores.sqlite import SqliteStore, owners, schema
from zhiji.stores.sqlite.connection import Database, owner_id
from zhiji.stores.sqlite.jobs import list_newest as listed
from zhiji.stores.sqlite.schema import MIGRATIONS, prepare
from zhiji.testing.values import (
    ALICE,
    BOB,
    at,
    contents,
    end,
    ingested_session,
    job,
    lease,
    memory,
    open_session,
    remember,
    run_turn,
    said,
    turn,
)
from zhiji.types import JobStatus, Scope

NOBODY_UID = 65534


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a file that is not there yet."""
    return tmp_path / "zhiji.db"


@pytest.fixture
async def database(path: Path) -> AsyncIterator[Database]:
    """Yield the open file below the store."""
    database = await Database.open(path, schema.prepare)
    yield database
    await database.close()


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """Yield a folder that an unprivileged user can reach."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


@contextlib.contextmanager
def unprivileged() -> Iterator[None]:
    """Permissions hold inside the block, even for root."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(NOBODY_UID)
    try:
        yield
    finally:
        os.seteuid(before)


# --- durable and private --------------------------------------------------------------------------------------------


async def test_writes_are_durable_and_checked(database: Database) -> None:
    """WAL is on, each commit reaches the disk, foreign keys are enforced, and deleted content is overwritten."""

    def pragmas(connection: sqlite3.Connection) -> list[object]:
        names = ("journal_mode", "synchronous", "foreign_keys", "secure_delete")
        return [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names]

    assert await database.write(pragmas) == ["wal", 2, 1, 1]


async def test_only_notes_do_not_wait_for_the_disk(database: Database) -> None:
    """A note is written without a sync, and what follows it, also one that failed, is durable as ever."""

    def synchronous(connection: sqlite3.Connection, *, fails: bool = False) -> int:
        if fails:
            connection.execute("SELECT * FROM nothing")
        return int(connection.execute("PRAGMA synchronous").fetchone()[0])

    assert await database.note(synchronous) == 1
    with pytest.raises(StoreError):
        await database.note(synchronous, fails=True)
    assert await database.write(synchronous) == 2


async def test_file_is_the_users_own(path: Path) -> None:
    """Only the user may read the file; a relative path works, too; after closing, the file is all there is."""
    store = await SqliteStore.open(os.path.relpath(path))
    assert path.stat().st_mode & 0o777 == 0o600
    await ingested_session(store)
    await store.close()
    assert [entry.name for entry in path.parent.iterdir()] == ["zhiji.db"]


async def test_store_reopens_with_everything(path: Path) -> None:
    """What was written is there after closing and opening again, the secret of the digests included."""
    store = await SqliteStore.open(path)
    await open_session(store)
    before = await run_turn(store, 1), await store.load_messages(ALICE, "ses_1"), await store.digest("花生过敏")
    await store.close()
    again = await SqliteStore.open(path)
    session = await store_session(again)
    assert (session, await again.load_messages(ALICE, "ses_1"), await again.digest("花生过敏")) == before
    await again.close()


async def store_session(store: SqliteStore) -> object:
    """Return the one session of Alice."""
    return await store.load_session(ALICE, "ses_1")


async def test_digests_of_two_files_differ(tmp_path: Path) -> None:
    """A keyed hash of one file says nothing about another."""
    digests = set()
    for name in ("one.db", "two.db"):
        store = await SqliteStore.open(tmp_path / name)
        digests.add(await store.digest("花生过敏"))
        await store.close()
    assert len(digests) == 2


async def test_instants_are_exact_integers(database: Database) -> None:
    """Every time column holds whole microseconds since 1970, and any instant comes back equal (C011)."""
    for seconds in (0, 0.000001, -0.000001, 1e9):
        assert instant(micros(at(seconds))) == at(seconds)
    assert micros(at()) == 1_748_768_400_000_000
    assert instant(None) is None

    def declared(connection: sqlite3.Connection) -> set[str]:
        columns = ("created", "touched", "expires", "ended", "lease_until")
        rows = connection.execute("SELECT name, type FROM pragma_table_info('zhiji_sessions')")
        return {kind for name, kind in rows if name in columns}

    assert await database.read(declared) == {"INTEGER"}


async def test_erased_words_are_not_on_the_disk(path: Path) -> None:
    """After an erasure no byte of what the user said is left in the file or its log."""
    store = await SqliteStore.open(path)
    for scope, words in ((ALICE, "我对花生过敏"), (BOB, "我爱吃花生酥")):
        await open_session(store, scope)
        await store.append_turns(scope, "ses_1", [said(words * 50)], jobs=[job("ses_1")], now=at())
    removed = await store.erase(ALICE)
    assert removed["messages"] == 1
    on_disk = b"".join(entry.read_bytes() for entry in path.parent.iterdir())
    assert "花生过敏".encode() not in on_disk
    assert "花生酥".encode() in on_disk
    await store.close()


async def test_ended_session_keeps_no_tool_results(path: Path) -> None:
    """Journaled results, which are not masked, go with the session's end, but for a failed turn that may be retried."""
    store = await SqliteStore.open(path)
    await open_session(store)
    for number, key in ((1, "k1"), (2, None), (3, "k3")):
        opened = await store.begin_turn(ALICE, "ses_1", turn(number, key=key), history_turns=2)
        await store.journal_start(ALICE, opened.turn_id, "refund", "refund")
        if number == 1:
            await store.finish_turn(ALICE, end(opened))
        else:
            await store.fail_turn(ALICE, "ses_1", opened.turn_id, holder="host/1/a", code="test")
    await store.end_session(ALICE, "ses_1", masked=[], jobs=[], now=at(1))
    await store.close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT turn FROM zhiji_journal").fetchall() == [("trn_3",)]


async def test_owner_numbers_are_never_reused(database: Database) -> None:
    """A user who comes back after an erasure is a new owner: nothing that was missed could become theirs."""
    first = await database.write(lambda connection: owner_id(connection, ALICE, create=True))
    await database.write(owners.erase, first)
    second = await database.write(lambda connection: owner_id(connection, ALICE, create=True))
    assert second > first


# --- transactions ---------------------------------------------------------------------------------------------------


async def test_work_that_raises_writes_nothing(database: Database) -> None:
    """Everything of one piece of work is committed, or nothing."""

    def fail(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO zhiji_owners (tenant, user) VALUES ('t', 'u')")
        raise LookupError

    with pytest.raises(LookupError):
        await database.write(fail)
    assert await database.read(count_owners) == 0


def count_owners(connection: sqlite3.Connection) -> int:
    """Return how many owners there are."""
    return int(connection.execute("SELECT COUNT(*) FROM zhiji_owners").fetchone()[0])


async def test_reading_cannot_write(database: Database) -> None:
    """Work that is only allowed to read is refused when it writes."""
    with pytest.raises(StoreReadOnly):
        await database.read(lambda connection: connection.execute("DELETE FROM zhiji_owners"))


async def test_cancelled_caller_leaves_a_whole_database(database: Database) -> None:
    """A caller that goes away leaves either the whole write or none, and the next one works."""

    def insert(connection: sqlite3.Connection) -> None:
        for user in ("a", "b"):
            connection.execute("INSERT INTO zhiji_owners (tenant, user) VALUES ('t', ?)", (user,))

    task = asyncio.create_task(database.write(insert))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await database.write(count_owners) in (0, 2)


async def test_closing_finishes_what_was_begun(path: Path) -> None:
    """Writes that were under way when the store was closed are there; later ones are refused (C019)."""
    store = await SqliteStore.open(path)
    await ingested_session(store)
    writing = [
        asyncio.create_task(store.append_turns(ALICE, "ses_1", [said(f"{n}")], jobs=[], now=at())) for n in range(5)
    ]
    await asyncio.sleep(0)
    await store.close()
    await asyncio.gather(*writing)
    with pytest.raises(StoreClosed):
        await store.append_turns(ALICE, "ses_1", [said("晚了")], jobs=[], now=at())
    again = await SqliteStore.open(path)
    assert contents(await again.load_messages(ALICE, "ses_1")) == ["0", "1", "2", "3", "4"]
    await again.close()


# --- what goes wrong ------------------------------------------------------------------------------------------------


async def test_other_files_are_refused(path: Path) -> None:
    """A file that is not a database is named as such and stays as it was."""
    path.write_bytes(b"# my notes\n" * 500)
    with pytest.raises(StoreCorrupt):
        await SqliteStore.open(path)
    assert path.read_bytes() == b"# my notes\n" * 500


async def test_damage_is_named(path: Path) -> None:
    """A database whose pages were overwritten is reported as damaged when they are read."""
    store = await SqliteStore.open(path)
    await ingested_session(store)
    await store.append_turns(ALICE, "ses_1", [said("很长的一句话" * 2000)], jobs=[], now=at())
    await store.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\x5a" * (len(whole) - 4096))
    with pytest.raises(StoreCorrupt):
        await SqliteStore.open(path)


async def test_old_library_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Python with a SQLite that is too old is told so at opening, before a file is made."""
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))
    with pytest.raises(StoreError, match="too old"):
        await SqliteStore.open(path)
    assert not path.exists()


async def test_missing_folder_is_named(tmp_path: Path) -> None:
    """A path in a folder that does not exist, or that is a folder, says so."""
    with pytest.raises(StoreReadOnly, match="does not exist"):
        await SqliteStore.open(tmp_path / "missing" / "zhiji.db")
    with pytest.raises(StoreReadOnly, match="is a folder"):
        await SqliteStore.open(tmp_path)


@pytest.mark.parametrize("what", ["file", "folder", "both", "new file"])
async def test_read_only_is_named(shared_folder: Path, what: str) -> None:
    """A file or folder without write permission is refused at opening, and nothing is changed."""
    path = shared_folder / "zhiji.db"
    if what != "new file":
        store = await SqliteStore.open(path)
        await ingested_session(store)
        await store.close()
        if os.geteuid() == 0:
            os.chown(path, NOBODY_UID, NOBODY_UID)
        path.chmod(0o600 if what == "folder" else 0o400)
    if os.geteuid() == 0:
        os.chown(shared_folder, NOBODY_UID, NOBODY_UID)
    shared_folder.chmod(0o755 if what == "file" else 0o555)
    before = path.read_bytes() if path.exists() else None
    with unprivileged(), pytest.raises(StoreReadOnly):
        await SqliteStore.open(path)
    assert (path.read_bytes() if path.exists() else None) == before


async def test_full_disk_loses_nothing(path: Path) -> None:
    """When the disk is full the write is refused whole, what was acknowledged is there, and space makes it work again."""
    store = await SqliteStore.open(path)
    await ingested_session(store)
    await limit_pages(store, 120)
    with pytest.raises(StoreFull) as caught:
        await append_for_ever(store)
    assert caught.value.retryable
    stored = await store.load_messages(ALICE, "ses_1")
    assert contents(stored) == [f"订单 {number}" + "。" * 2000 for number in range(1, len(stored) + 1)]
    assert 0 < len(stored) < 100
    await limit_pages(store, 10_000)
    session = await store.append_turns(ALICE, "ses_1", [said("有空间了")], jobs=[], now=at())
    assert session.last_seq == session.turns == len(stored) + 1
    await store.close()


async def append_for_ever(store: SqliteStore) -> None:
    """The store gets message after message until it refuses."""
    for number in itertools.count(1):
        words = f"订单 {number}" + "。" * 2000
        await store.append_turns(ALICE, "ses_1", [said(words)], jobs=[job("ses_1")], now=at())


async def limit_pages(store: SqliteStore, pages: int) -> None:
    """The file may grow to so many pages."""
    await store._database.write(lambda connection: connection.execute(f"PRAGMA max_page_count = {pages}").fetchone())


async def test_lone_surrogates_are_refused(path: Path) -> None:
    """Text that is not valid Unicode is refused with a sentence, not with an accident, and nothing is written."""
    store = await SqliteStore.open(path)
    await ingested_session(store)
    with pytest.raises(InvalidInput, match="surrogate"):
        await store.append_turns(ALICE, "ses_1", [said("好\ud83d")], jobs=[], now=at())
    with pytest.raises(InvalidInput):
        await store.load_session(Scope("shop", "\udc00"), "ses_1")
    assert await store.load_messages(ALICE, "ses_1") == []
    await store.close()


async def test_errors_of_the_library_are_chained(database: Database) -> None:
    """What has no leaf of its own is a plain store error that shows SQLite's words to operators only."""
    with pytest.raises(StoreError) as caught:
        await database.write(lambda connection: connection.execute("SELECT nonsense"))
    assert type(caught.value) is StoreError
    assert isinstance(caught.value.__cause__, sqlite3.OperationalError)


# --- migrations -----------------------------------------------------------------------------------------------------


async def test_migrations_are_a_gapless_list() -> None:
    """Versions count from one."""
    assert [migration.version for migration in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))


async def test_opening_again_migrates_nothing(path: Path) -> None:
    """A file of this version is opened without a write."""
    for _ in range(2):
        store = await SqliteStore.open(path)
        await store.close()
    before = path.read_bytes()
    store = await SqliteStore.open(path)
    await store.close()
    assert path.read_bytes() == before


async def test_failed_migration_changes_nothing(path: Path) -> None:
    """A migration that fails half-way leaves tables and version as they were (C034)."""
    store = await SqliteStore.open(path)
    await ingested_session(store)
    await store.close()
    broken = Migration(len(MIGRATIONS) + 1, "Next.", "CREATE TABLE zhiji_new (a);\nCREATE TABLE zhiji_sessions (b);")
    with pytest.raises(StoreError):
        await Database.open(path, lambda connection: prepare(connection, (*MIGRATIONS, broken)))
    database = await Database.open(path, prepare)
    named = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'zhiji_new'"
    assert await database.read(lambda connection: connection.execute(named).fetchone()) == (0,)
    await database.close()


async def test_newer_file_is_refused_untouched(path: Path) -> None:
    """A file of a newer release is not written to, not even its journal mode (C034)."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE zhiji_meta (name TEXT PRIMARY KEY, value TEXT)")
        connection.execute("INSERT INTO zhiji_meta VALUES ('schema_version', '999')")
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(SchemaTooNew):
        await SqliteStore.open(path)
    assert path.read_bytes() == before


async def test_tables_of_others_are_left_alone(path: Path) -> None:
    """In a database of the host, everything of ours has our prefix, and the host's tables stay."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE orders (id)")
        connection.commit()
    database = await Database.open(path, prepare)
    names = "SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
    found = await database.read(lambda connection: [row[0] for row in connection.execute(names)])
    assert [name for name in found if not name.startswith("zhiji_")] == ["orders"]
    await database.close()


# --- cost -----------------------------------------------------------------------------------------------------------


async def test_turn_costs_the_same_however_long_the_session(path: Path) -> None:
    """SQLite executes about as many instructions for turn 130 as for turn 30: history is read by its bounds."""
    store = await SqliteStore.open(path)
    await open_session(store)
    steps = await counted_turns(store, 130)
    assert sum(steps[120:130]) < 1.2 * sum(steps[20:30])
    await store.close()


async def test_turn_costs_the_same_however_many_owners(path: Path) -> None:
    """Other owners' sessions, turns and jobs do not slow a turn down."""
    store = await SqliteStore.open(path)
    await open_session(store)
    alone = await counted_turns(store, 25)
    for number in range(100):
        scope = Scope("shop", f"user_{number}")
        await open_session(store, scope)
        await store.append_turns(scope, "ses_1", [said("问")] * 20, jobs=[job("ses_1")], now=at())
    crowded = await counted_turns(store, 25, first=100)
    assert sum(crowded[-5:]) < 1.2 * sum(alone[-5:])
    await store.close()


async def test_writes_cost_the_same_however_many_owners(path: Path) -> None:
    """Neither a memory nor a change of the state becomes dearer as others have more of them."""
    store = await SqliteStore.open(path)
    await open_session(store)
    steps: list[int] = []
    for others in range(0, 101, 50):
        for number in range(others):
            scope = Scope("shop", f"user_{others}_{number}")
            await open_session(store, scope)
            await remember(store, memory("m", "爱喝红茶"), scope=scope)
        state = await store.load_session(ALICE, "ses_1")
        assert state is not None
        steps.append(
            await counted(store, remember(store, memory(f"m{others}", "爱喝红茶")))
            + await counted(store, store.write_state(ALICE, "ses_1", state.state, now=at()))
        )
    assert max(steps[1:]) < 1.2 * steps[0]
    await store.close()


async def test_dead_jobs_are_found_without_the_others(path: Path) -> None:
    """What an operator asks most costs the same however many jobs are done, and lists stop at their limit."""
    store = await SqliteStore.open(path)
    dead, steps = frozenset({JobStatus.DEAD}), []
    for first in range(0, 600, 300):
        for number in range(first, first + 300):
            await store.enqueue(Scope("shop", f"user_{number}"), job("ses_1"))
            claimed = await store.claim_job(lease())
            assert claimed is not None
            if number % 300 == 0:
                await store.fail_job(claimed, holder="host/1/a", now=at(), error="x", retry_at=None)
            else:
                await store.finish_job(claimed, holder="host/1/a", now=at())
        steps += [
            await counted(store, store._database.write(listed, None, "shop", dead, None, 1)),
            await counted(store, store._database.write(listed, None, "shop", None, None, 10)),
        ]
    assert [one.scope.user for one in await store.list_jobs(tenant="shop", statuses=dead)] == ["user_300", "user_0"]
    assert steps[2:] == pytest.approx(steps[:2], abs=3)
    await store.close()


async def counted_turns(store: SqliteStore, count: int, first: int = 1) -> list[int]:
    """Return the virtual machine instructions, in tens, that each of these turns took."""
    return [await counted(store, run_turn(store, number)) for number in range(first, first + count)]


async def counted(store: SqliteStore, work: Awaitable[object]) -> int:
    """Return the virtual machine instructions, in tens, that these writes took."""
    ticks = 0

    def tick() -> int:
        nonlocal ticks
        ticks += 1
        return 0

    await store._database.write(lambda connection: connection.set_progress_handler(tick, 10))
    ticks = 0
    await work
    return ticks


@pytest.mark.parametrize("another", [False, True], ids=["removed", "replaced"])
async def test_a_file_that_is_no_longer_there_is_not_written(database: Database, path: Path, another: bool) -> None:
    """SQLite would go on with a file without a name, and lose what it was told when it is closed."""
    kept = path.with_name("kept")
    path.rename(kept)
    if another:
        path.touch()
    with pytest.raises(StoreReplaced):
        await database.write(lambda connection: owner_id(connection, Scope("t", "u"), create=True))
    with pytest.raises(StoreReplaced):
        await database.read(count_owners)
    kept.replace(path)
    assert await database.read(count_owners) == 0
