"""One SQLite file: its connections, its transactions, its errors.

``Database`` owns one writer connection on one thread and a few readers on theirs; each ``write`` or ``read`` runs one
plain function inside one transaction, off the event loop. ``sqlite3.Error`` never leaves this module untranslated.
Which tables exist is ``schema``'s business, what is in them that of the other modules here.

Durable by WAL and ``synchronous=FULL``: what ``write`` returned from is on disk. Any number of processes may share the
file; writers queue up on SQLite's lock. Open it after a fork, never before.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Concatenate, Literal, ParamSpec, TypeVar, overload

from zhiji.errors import (
    InvalidInput,
    StoreBusy,
    StoreClosed,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreReplaced,
)
from zhiji.types import Scope

P = ParamSpec("P")
T = TypeVar("T")

BUSY_SECONDS = 10.0
"""How long a write waits for other processes before ``StoreBusy``."""
READERS = 2
"""Reader connections. Reads are short; more would only compete for the interpreter lock."""
NOBODY = 0
"""An owner id that is never given out: whatever is looked up under it is not found."""

_OLDEST_SQLITE = (3, 35, 0)
"""``RETURNING``; the one that Python was built with may be older than Python."""
_STATEMENTS = 256
_WAL_BYTES = 64 * 1024 * 1024
_OPENING_PAUSE = 0.01

_LEAVES: dict[int, type[StoreError]] = {
    sqlite3.SQLITE_BUSY: StoreBusy,
    sqlite3.SQLITE_LOCKED: StoreBusy,
    sqlite3.SQLITE_PROTOCOL: StoreBusy,
    sqlite3.SQLITE_READONLY: StoreReadOnly,
    sqlite3.SQLITE_PERM: StoreReadOnly,
    sqlite3.SQLITE_CANTOPEN: StoreReadOnly,
    sqlite3.SQLITE_FULL: StoreFull,
    sqlite3.SQLITE_IOERR_SHMSIZE: StoreFull,
    sqlite3.SQLITE_CORRUPT: StoreCorrupt,
    sqlite3.SQLITE_NOTADB: StoreCorrupt,
}
"""SQLite's result codes, extended or primary, and what we call them; any other is a plain ``StoreError``."""


class Database:
    """The open file. Made by ``open``; whoever opened it closes it."""

    def __init__(
        self,
        path: str | Path,
        writer: sqlite3.Connection,
        readers: list[sqlite3.Connection],
        writing: ThreadPoolExecutor,
    ) -> None:
        self._path = os.path.abspath(path)
        self._file = _identity(self._path)
        self._connections = [writer, *readers]
        self._writer = writer
        self._idle: SimpleQueue[sqlite3.Connection] = SimpleQueue()
        for reader in readers:
            self._idle.put(reader)
        self._writing = writing
        self._reading = ThreadPoolExecutor(len(readers), thread_name_prefix="zhiji-read")
        self._closed = False

    @classmethod
    async def open(
        cls, path: str | Path, prepare: Callable[[sqlite3.Connection], None], *, busy_seconds: float = BUSY_SECONDS
    ) -> Database:
        """The file exists, is prepared (``prepare`` makes it a WAL file with the present tables) and open.

        Raises:
            StoreError: a leaf that names what is wrong with the file; ``prepare`` may raise more of them.
        """
        writing = ThreadPoolExecutor(1, thread_name_prefix="zhiji-write")
        try:
            connections = await asyncio.get_running_loop().run_in_executor(
                writing, _connect_all, path, prepare, busy_seconds
            )
        except BaseException:
            writing.shutdown(wait=False)
            raise
        return cls(path, connections[0], connections[1:], writing)

    async def close(self) -> None:
        """What was begun is finished, and the file is closed; a second call does nothing."""
        if not self._closed:
            self._closed = True
            await asyncio.to_thread(self._shut)

    def require_open(self) -> None:
        """Raises ``StoreClosed`` after ``close``."""
        if self._closed:
            raise StoreClosed

    def _shut(self) -> None:
        self._writing.shutdown()
        self._reading.shutdown()
        for connection in self._connections:
            connection.close()

    async def checkpoint(self) -> None:
        """What the log still holds of overwritten and deleted rows is gone from the disk, unless a reader needs it."""
        await self._run(self._writing, self._checkpoint)

    async def write(
        self, work: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Return ``work(connection, …)`` after its transaction is committed; nothing is written if it raises.

        Writes of this process run one after the other. Cancelling the caller does not undo a write that has begun.

        Raises:
            StoreError: its leaves, for what SQLite says; whatever ``work`` raises.
        """
        return await self._run(self._writing, partial(self._write, work, *args, **kwargs))

    async def note(self, work: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Like ``write``, but the disk is not waited for: it survives ``kill -9``, and power loss only with the next ``write``.

        For what is noted about work in progress, whose loss means that the work is done again.
        """
        return await self._run(self._writing, partial(self._note, work, *args, **kwargs))

    async def read(self, work: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return ``work(connection, …)``, run on one snapshot of the file that it cannot write to.

        Raises:
            StoreError: its leaves, for what SQLite says; whatever ``work`` raises.
        """
        return await self._run(self._reading, partial(self._read, work, *args, **kwargs))

    @contextlib.asynccontextmanager
    async def apart(self, mode: Literal["IMMEDIATE", "DEFERRED"]) -> AsyncIterator[Apart]:
        """Give a connection on a thread of its own: what it runs is one transaction, committed at the end of the block.

        For what is moved in many pieces between which the caller waits. If the block raises, nothing was written.
        """
        self.require_open()
        thread = ThreadPoolExecutor(1, thread_name_prefix="zhiji-apart")
        try:
            apart = Apart(thread)
            await apart.begin(self._path, mode)
            try:
                yield apart
                await apart.commit()
            finally:
                await apart.close()
        finally:
            thread.shutdown(wait=False)

    async def _run(self, threads: ThreadPoolExecutor, step: Callable[[], T]) -> T:
        self.require_open()
        return await asyncio.get_running_loop().run_in_executor(threads, step)

    def _require_file(self) -> None:
        # SQLite goes on with a file that has no name any more; what it writes there is gone when it is closed.
        if _identity(self._path) != self._file:
            raise StoreReplaced

    def _write(self, work: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        self._require_file()
        with translated(), transaction(self._writer, "IMMEDIATE"):
            return work(self._writer, *args, **kwargs)

    def _note(self, work: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        with translated():
            self._writer.execute("PRAGMA synchronous = NORMAL")
            try:
                return self._write(work, *args, **kwargs)
            finally:
                self._writer.execute("PRAGMA synchronous = FULL")

    def _read(self, work: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        self._require_file()
        connection = self._idle.get()
        try:
            with translated(), transaction(connection, "DEFERRED"):
                return work(connection, *args, **kwargs)
        finally:
            self._idle.put(connection)

    def _checkpoint(self) -> None:
        with translated():
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


class Apart:
    """One transaction on a connection and a thread of its own; see ``Database.apart``."""

    def __init__(self, thread: ThreadPoolExecutor) -> None:
        self._thread = thread
        self._opened = contextlib.ExitStack()

    async def begin(self, path: str, mode: Literal["IMMEDIATE", "DEFERRED"]) -> None:
        """The transaction has begun."""
        self._connection = await self._step(lambda: _connect(path, BUSY_SECONDS, self._opened))
        await self.run(lambda connection: connection.execute(f"BEGIN {mode}"))

    async def run(self, work: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return ``work(connection, …)``, run inside the transaction."""
        return await self._step(partial(work, self._connection, *args, **kwargs))

    async def each(self, work: Callable[[sqlite3.Connection], Iterator[T]]) -> AsyncIterator[T]:
        """Yield what ``work(connection)`` yields, one at a time."""
        found = work(self._connection)
        while (one := await self._step(lambda: next(found, None))) is not None:
            yield one

    async def commit(self) -> None:
        """What was run is on disk."""
        await self.run(lambda connection: connection.execute("COMMIT"))

    async def close(self) -> None:
        """The connection is closed; what was not committed is undone."""
        await self._step(self._opened.close)

    async def _step(self, step: Callable[[], T]) -> T:
        def run() -> T:
            with translated():
                return step()

        return await asyncio.get_running_loop().run_in_executor(self._thread, run)


# --- transactions and errors ----------------------------------------------------------------------------------------


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection, mode: Literal["IMMEDIATE", "DEFERRED"]) -> Iterator[None]:
    """What runs inside is committed as one, or not at all if it raises."""
    connection.execute(f"BEGIN {mode}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """SQLite's errors leave as leaves of ``StoreError``, chained."""
    try:
        yield
    except sqlite3.Error as error:
        raise _leaf(error)() from error
    except UnicodeEncodeError as error:
        raise InvalidInput("The text contains a lone surrogate; remove it and send the text again.") from error


def _leaf(error: sqlite3.Error) -> type[StoreError]:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return _LEAVES.get(code) or _LEAVES.get(code & 0xFF, StoreError)


# --- opening --------------------------------------------------------------------------------------------------------


def _connect_all(
    given: str | Path, prepare: Callable[[sqlite3.Connection], None], busy_seconds: float
) -> list[sqlite3.Connection]:
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise StoreError(f"SQLite {sqlite3.sqlite_version} is too old; use a Python with SQLite 3.35 or newer.")
    path = os.path.abspath(given)  # never one of SQLite's special names, and later chdir calls do not matter
    _refuse_folders(path)
    with translated(), contextlib.ExitStack() as undo:
        _create(path)
        writer = _connect(path, busy_seconds, undo)
        _patiently(lambda: prepare(writer), busy_seconds)
        readers = [_connect(path, busy_seconds, undo) for _ in range(READERS)]
        for reader in readers:
            reader.execute("PRAGMA query_only = ON")
        undo.pop_all()
    return [writer, *readers]


def _identity(path: str) -> tuple[int, int] | None:
    """Return what tells a file from any other that may come to its name; None if there is none."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _refuse_folders(path: str) -> None:
    if os.path.isdir(path):
        raise StoreReadOnly("The path of the database is a folder; name a file in it.")
    if not os.path.isdir(os.path.dirname(path)):
        raise StoreReadOnly("The folder of the database does not exist; create it or choose another path.")


def _create(path: str) -> None:
    # Only the user may read what users said. Never open an existing file here: closing it would drop the locks that
    # another connection of this process holds (POSIX).
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _connect(path: str, busy_seconds: float, undo: contextlib.ExitStack) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=busy_seconds, isolation_level=None, check_same_thread=False, cached_statements=_STATEMENTS
    )
    undo.enter_context(contextlib.closing(connection))  # before the first statement: on what is no database it raises
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES}")
    return connection


def _patiently(step: Callable[[], None], seconds: float) -> None:
    # Turning WAL on fails at once, without SQLite's own waiting, while another process does the same.
    deadline = time.monotonic() + seconds
    while True:
        try:
            return step()
        except sqlite3.OperationalError as error:
            if _leaf(error) is not StoreBusy or time.monotonic() >= deadline:
                raise
            time.sleep(_OPENING_PAUSE)


# --- what every table needs -----------------------------------------------------------------------------------------


@overload
def owner_id(connection: sqlite3.Connection, scope: Scope, create: Literal[True]) -> int: ...
@overload
def owner_id(connection: sqlite3.Connection, scope: Scope, create: bool = False) -> int | None: ...
def owner_id(connection: sqlite3.Connection, scope: Scope, create: bool = False) -> int | None:
    """Return the number that stands for ``scope`` in every table, or None if it has none yet. Never reused."""
    names = (scope.tenant, scope.user)
    row = connection.execute("SELECT id FROM zhiji_owners WHERE tenant = ? AND user = ?", names).fetchone()
    if row is not None:
        return int(row[0])
    if not create:
        return None
    return connection.execute("INSERT INTO zhiji_owners (tenant, user) VALUES (?, ?)", names).lastrowid
