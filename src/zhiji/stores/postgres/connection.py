"""PostgreSQL: its connections, its transactions, its errors.

``Database`` lends its connections, one to each ``write`` or ``read``, which runs one async function inside one transaction.
Connections are in pipeline mode: ``execute`` sends and does not wait; the first ``fetch*`` waits for everything that was sent.
So a function that first sends all that it may need to read, then all that it writes, costs two round trips, or one if it
only reads. ``psycopg.Error`` never leaves this module untranslated. Which tables exist is ``schema``'s business, what is in
them that of the other modules here.

A transaction knows its owner: ``zhiji_owner()`` in SQL is the number that stands for its scope, 0 (nobody) if there is
none yet. Statements name it in every key and join; so row-level security, as a second wall, can compare the same thing.
Writes of one owner run one after the other, by a lock on the owner's row that is taken first; those of different owners
never wait for each other. What fails by somebody else's doing (deadlock, serialisation) or because the connection was
gone before anything was committed is tried again: functions are safe to run twice.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import psycopg
from psycopg import AsyncConnection, AsyncPipeline, errors
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import PipelineStatus, TransactionStatus

from zhiji.errors import (
    ConfigError,
    InvalidInput,
    StoreBusy,
    StoreClosed,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
)
from zhiji.types import Scope

P = ParamSpec("P")
T = TypeVar("T")

Connection = AsyncConnection[tuple[Any, ...]]
"""In a transaction and in pipeline mode: ``execute`` sends, ``fetch*`` waits for everything that was sent."""
Statement = tuple[str, Sequence[object]]

CONNECT_SECONDS = 5
"""Time to reach the server, and for a free connection."""
ATTEMPTS = 3
"""Times that a transaction is tried, before its failure by somebody else's doing is told."""
APPLICATION = "zhiji"

_log = logging.getLogger("zhiji.stores.postgres")

_OWNER = """SELECT set_config('zhiji.owner', id::text, true) FROM zhiji_owners WHERE tenant = %s AND "user" = %s"""
_LOCKED_OWNER = """
WITH owner AS MATERIALIZED (SELECT id FROM zhiji_owners WHERE tenant = %s AND "user" = %s FOR NO KEY UPDATE)
SELECT set_config('zhiji.owner', id::text, true) FROM owner
"""
_NEW_OWNER = """
WITH owner AS (
  INSERT INTO zhiji_owners (tenant, "user") VALUES (%s, %s)
  ON CONFLICT (tenant, "user") DO UPDATE SET version = zhiji_owners.version RETURNING id)
SELECT set_config('zhiji.owner', id::text, true) FROM owner
"""
"""Locks the owner's row, made or found: what is locked cannot be erased meanwhile."""
_EVERYBODY = ("SELECT set_config('zhiji.everybody', 'on', true)", ())
"""Said by what upkeep and workers ask without a scope; see ``docs/howto/postgres.md`` on row-level security."""
_PATIENTLY = """
SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0
"""
_NOT_WAITING = ("SET LOCAL synchronous_commit = off", ())
_BEGIN = ("BEGIN", ())

_LEAVES: tuple[tuple[type[psycopg.Error], type[StoreError]], ...] = (
    (errors.QueryCanceled, StoreBusy),
    (errors.LockNotAvailable, StoreBusy),
    (errors.DeadlockDetected, StoreBusy),
    (errors.SerializationFailure, StoreBusy),
    (errors.DiskFull, StoreFull),
    (errors.ReadOnlySqlTransaction, StoreReadOnly),
    (errors.InsufficientPrivilege, StoreReadOnly),
    (errors.DataCorrupted, StoreCorrupt),
    (errors.IndexCorrupted, StoreCorrupt),
    (errors.UndefinedTable, StoreCorrupt),
    (psycopg.OperationalError, StoreUnavailable),
    (psycopg.InterfaceError, StoreUnavailable),
)
"""What PostgreSQL says and what we call it, the first that fits; any other is a plain ``StoreError``."""

_WORDS: Mapping[type[StoreError], str] = {
    StoreReadOnly: "The database refuses to write: it is read-only, a replica, or the user of DATABASE_URL lacks the right.",
    StoreCorrupt: "The database lacks tables of zhiji or is damaged; restore it from a backup, or run `zhiji migrate`.",
}
"""What to say of a leaf whose own sentence speaks of a file."""

_REFUSALS = (
    (re.compile(r"database .* does not exist"), "The server has no such database; create it, or check DATABASE_URL."),
    (
        re.compile(r"authentication failed|no password supplied|role .* does not exist|no pg_hba.conf entry"),
        "The database refuses this user or password; check DATABASE_URL.",
    ),
    (
        re.compile(r"too many (clients|connections)|remaining connection slots"),
        "The server takes no more connections; raise its limit or the user's, or lower ZHIJI_DATABASE_CONNECTIONS.",
    ),
)
"""What a server says that lets nobody in: libpq hands on its words only, no code. In another language: the plain sentence."""

_PASSING = (errors.DeadlockDetected, errors.SerializationFailure)


class Database:
    """The open connections. Made by ``open``; whoever opened it closes it."""

    def __init__(self, options: dict[str, Any], connections: int) -> None:
        """``options``: of ``_options``. Nothing is reached yet."""
        self._options = options
        self._free = asyncio.Semaphore(connections)
        self._idle: list[_Lent] = []
        self._closed = False

    @classmethod
    async def open(
        cls,
        url: str,
        prepare: Callable[[Connection], Awaitable[None]],
        *,
        connections: int = 10,
        timeout_seconds: float = 15.0,
    ) -> Self:
        """The server is reached, its tables are prepared by ``prepare``, and at most ``connections`` will be open.

        Raises:
            ConfigError: the URL is none. StoreError: a leaf that names what is wrong; ``prepare`` may raise more of them.
        """
        options = _options(url, timeout_seconds)
        with translated():
            async with await Connection.connect(**options) as connection:
                await prepare(connection)
        return cls(options, connections)

    async def close(self) -> None:
        """No connection is open but those in use, which close with what runs on them; a second call does nothing."""
        self._closed = True
        await self._drop_idle()

    def require_open(self) -> None:
        """Raises ``StoreClosed`` after ``close``."""
        if self._closed:
            raise StoreClosed

    async def read(
        self,
        scope: Scope | None,
        work: Callable[Concatenate[Connection, P], Awaitable[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Return ``work(connection, …)`` for this owner, or with everybody's rows if ``scope`` is None.

        One statement sees one snapshot; several may not see the same.

        Raises:
            StoreError: its leaves, for what PostgreSQL says; whatever ``work`` raises.
        """
        return await self._run([_whose(scope, _OWNER)], work, *args, **kwargs)

    async def write(
        self,
        scope: Scope | None,
        work: Callable[Concatenate[Connection, P], Awaitable[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Like ``read``, after its commit is on disk; writes of one owner run one after the other, nobody else waits."""
        return await self._run([_BEGIN, _whose(scope, _LOCKED_OWNER)], work, *args, **kwargs)

    async def write_new(
        self, scope: Scope, work: Callable[Concatenate[Connection, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Like ``write``; an owner that is not known yet is from now on."""
        return await self._run([_BEGIN, _whose(scope, _NEW_OWNER)], work, *args, **kwargs)

    async def note(
        self,
        scope: Scope | None,
        work: Callable[Concatenate[Connection, P], Awaitable[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Like ``write``, but neither the disk nor other writes of the owner are waited for.

        For what is noted in one statement about work in progress, whose loss with the power means that the work is done
        again.
        """
        return await self._run([_BEGIN, _NOT_WAITING, _whose(scope, _OWNER)], work, *args, **kwargs)

    async def _run(
        self,
        before: Sequence[Statement],
        work: Callable[Concatenate[Connection, P], Awaitable[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        with translated():
            for attempt in range(1, ATTEMPTS):
                async with self._lent() as lent:
                    try:
                        return await lent.run(before, work, *args, **kwargs)
                    except _PASSING:
                        _log.info("transaction_again: attempt %d", attempt)
                    except (psycopg.OperationalError, psycopg.InterfaceError):
                        if lent.committing or not lent.connection.closed:
                            raise
                        _log.info("connection_lost: attempt %d", attempt)
                        await self._drop_idle()  # the server was restarted: the others are lost as well
                    except errors.ReadOnlySqlTransaction:
                        _log.info("connection_read_only: attempt %d", attempt)
                        await self._drop_idle()  # what this server is now, it is for the others too
            async with self._lent() as lent:
                return await lent.run(before, work, *args, **kwargs)

    @asynccontextmanager
    async def _lent(self) -> AsyncIterator[_Lent]:
        """Give a connection that nobody else uses.

        Raises:
            StoreBusy: none of ours is free for ``CONNECT_SECONDS``.
        """
        self.require_open()
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await self._free.acquire()
        except TimeoutError as error:
            raise StoreBusy(
                "Every connection to the database is in use; retry in a moment, or raise ZHIJI_DATABASE_CONNECTIONS."
            ) from error
        try:
            self.require_open()
            lent = self._idle.pop() if self._idle else await _Lent.connect(self._options)
            try:
                yield lent
            finally:
                if lent.is_usable and not self._closed:
                    self._idle.append(lent)
                else:
                    await lent.close()
        finally:
            self._free.release()

    async def _drop_idle(self) -> None:
        idle, self._idle = self._idle, []
        for lent in idle:
            await lent.close()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """Give a connection of its own besides, in autocommit and not in pipeline mode, for ``LISTEN`` and long copies."""
        self.require_open()
        with translated():
            async with await Connection.connect(**self._options) as connection:
                yield connection

    @asynccontextmanager
    async def apart(self, mode: str = "") -> AsyncIterator[Connection]:
        """Give a connection of its own in one transaction without time-outs, for what is copied in pieces.

        ``mode``: what ``SET TRANSACTION`` is told. The transaction is committed at the end of the block, or not at all if
        it raises.
        """
        with translated():
            async with self.connection() as connection, connection.transaction():
                if mode:
                    await connection.execute(f"SET TRANSACTION {mode}".encode())
                await connection.execute(_PATIENTLY)
                yield connection


class _Lent:
    """A connection in pipeline mode, for one transaction after the other."""

    def __init__(self, connection: Connection, block: AbstractAsyncContextManager[AsyncPipeline]) -> None:
        """Made by ``connect``."""
        self.connection = connection
        self._block = block
        self._pipeline: AsyncPipeline
        self.committing = False
        """Its last commit may have been sent: if the connection is lost, whether it was carried out is not known."""
        self.is_usable = True
        """Nothing was left half done on it."""

    @classmethod
    async def connect(cls, options: dict[str, Any]) -> Self:
        """Return a new connection."""
        connection = await Connection.connect(**options)
        lent = cls(connection, connection.pipeline())
        try:
            lent._pipeline = await lent._block.__aenter__()  # leaving a block costs a round trip: it is left at the end
        except BaseException:
            await connection.close()
            raise
        return lent

    async def close(self) -> None:
        """Nothing that was left undone on it is carried out."""
        await self.connection.close()
        with suppress(psycopg.Error):  # as there is nobody any more to leave the block with
            await self._block.__aexit__(None, None, None)

    async def run(
        self,
        before: Sequence[Statement],
        work: Callable[Concatenate[Connection, P], Awaitable[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Return ``work(connection, …)``, run in one transaction behind these statements: with BEGIN a written one."""
        writes, self.committing, self.is_usable = before[0] is _BEGIN, False, False
        try:
            for statement, given in before:
                await self.connection.execute(statement, given)
            found = await work(self.connection, *args, **kwargs)
            if writes:
                self.committing = True
                await self.connection.execute("COMMIT")
                await self._pipeline.sync()
            else:
                self._end_reading()
        except errors.ReadOnlySqlTransaction:
            await self.connection.close()  # it stays so, though the server may not: a new one may lead to the primary
            raise
        except Exception:
            await self._roll_back(writes)
            raise
        self.is_usable = True
        return found

    def _end_reading(self) -> None:
        # What is sent up to a sync is one transaction. That it has ended is heard by whoever uses the connection next.
        self.connection.pgconn.pipeline_sync()
        self._pipeline.result_queue.append(None)

    async def _roll_back(self, writes: bool) -> None:
        """Nothing is left of the transaction, and the connection is usable; or it is closed, which comes to the same."""
        try:
            if self._pipeline.status is PipelineStatus.ABORTED or not writes:
                with suppress(psycopg.Error):  # it was raised already, where it happened
                    await self._pipeline.sync()
            if writes:
                await self.connection.execute("ROLLBACK")
                await self._pipeline.sync()
            self.is_usable = self.connection.info.transaction_status is TransactionStatus.IDLE
        except psycopg.Error:
            await self.connection.close()  # ``_lent`` closes the rest


def _whose(scope: Scope | None, statement: str) -> Statement:
    return _EVERYBODY if scope is None else (statement, (scope.tenant, scope.user))


def _options(url: str, timeout_seconds: float) -> dict[str, Any]:
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError:  # it quotes the URL, password included
        raise ConfigError("database_url: this is no URL of a PostgreSQL database; correct it") from None
    milliseconds = round(timeout_seconds * 1000)
    limits = f"-c statement_timeout={milliseconds} -c lock_timeout={milliseconds} -c idle_in_transaction_session_timeout={2 * milliseconds} -c timezone=UTC -c jit=off"
    return {
        "application_name": APPLICATION,
        "connect_timeout": CONNECT_SECONDS,
        "keepalives_idle": 30,
        "tcp_user_timeout": 2 * milliseconds,
        **given,
        "options": f"{limits} {given.get('options') or ''}".strip(),
        "autocommit": True,
        "client_encoding": "utf8",
    }


# --- errors -----------------------------------------------------------------------------------------------------------


class translated:  # noqa: N801 - used like the function contextlib makes
    """PostgreSQL's errors leave as leaves of ``StoreError``, chained."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, psycopg.DataError | UnicodeEncodeError):
            raise InvalidInput("The text cannot be stored: it has a lone surrogate or NUL; remove it.") from error
        if isinstance(error, psycopg.Error):
            raise _leaf(error) from error


def _leaf(error: psycopg.Error) -> StoreError:
    refusal = next(
        (sentence for words, sentence in _REFUSALS if error.sqlstate is None and words.search(str(error))), None
    )
    if refusal is not None:
        return StoreUnavailable(refusal)
    return next((leaf(_WORDS.get(leaf)) for kind, leaf in _LEAVES if isinstance(error, kind)), StoreError())
