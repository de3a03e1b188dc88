"""``SqliteStore``: everything in one SQLite file, shared safely by any number of processes.

This class only chooses thread and owner; the statements are in the modules named after what they keep.
"""

from __future__ import annotations

import asyncio
import hmac
import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Concatenate, ParamSpec, Self, TypeVar

from zhiji.stores.base import (
    Hit,
    JournalEntry,
    Lease,
    MemoryChange,
    NewJob,
    Once,
    OpenTurn,
    Portable,
    Query,
    Row,
    SessionLog,
    Tombstone,
    TurnEnd,
    TurnStart,
    Vector,
)
from zhiji.stores.migrations import Plan, require_current
from zhiji.stores.sqlite import (
    archive,
    beats,
    deletions,
    leases,
    memories,
    owners,
    portable,
    requests,
    schema,
    sediment,
    sessions,
    transcript,
    turns,
    uses,
)
from zhiji.stores.sqlite import jobs as job_table
from zhiji.stores.sqlite.cache import IndexCache
from zhiji.stores.sqlite.connection import BUSY_SECONDS, NOBODY, Database, owner_id
from zhiji.stores.sqlite.search import search as find
from zhiji.types import Extraction, Job, JobStatus, Memory, Message, Recipe, Scope, Session, State, Status, WorkerBeat

P = ParamSpec("P")
T = TypeVar("T")

Work = Callable[Concatenate[sqlite3.Connection, int, P], T]
"""A function of the modules here: ``(connection, owner, …)``, run inside one transaction."""


class SqliteStore(Portable):
    """A store in one file. Made by ``open``; safe for concurrent tasks and threads."""

    def __init__(self, database: Database, digest_key: bytes) -> None:
        """Use ``SqliteStore.open``."""
        self._database = database
        self._digest_key = digest_key
        self._indexes = IndexCache()

    @classmethod
    async def open(cls, path: str | Path, *, busy_seconds: float = BUSY_SECONDS, migrate: bool = True) -> Self:
        """Return the store in the file at ``path``, which is created (mode 0600) or migrated if need be.

        A write waits ``busy_seconds`` for other processes.

        Raises:
            StoreCorrupt: not a database, or damaged. StoreFull, StoreBusy: as they say.
            StoreReadOnly: it cannot be opened for writing.
            SchemaTooNew: of a newer zhiji. SchemaTooOld: of an older one or none, and ``migrate`` is off. Nothing was changed.
        """
        if not migrate:
            require_current(await cls.missing(path))  # before a file is made
        prepare = partial(schema.prepare, migrate=migrate)
        database = await Database.open(path, prepare, busy_seconds=busy_seconds)
        return cls(database, await database.read(schema.digest_key))

    @classmethod
    async def missing(cls, path: str | Path) -> Plan:
        """Return the migrations that opening this file would run; see ``schema.missing``."""
        return await asyncio.to_thread(schema.missing, path)

    async def close(self) -> None:
        await self._database.close()

    async def _read(self, scope: Scope, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        def run(connection: sqlite3.Connection) -> T:
            return work(connection, owner_id(connection, scope) or NOBODY, *args, **kwargs)

        return await self._database.read(run)

    async def _write(self, scope: Scope, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        def run(connection: sqlite3.Connection) -> T:
            return work(connection, owner_id(connection, scope) or NOBODY, *args, **kwargs)

        return await self._database.write(run)

    async def _note(self, scope: Scope, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Like ``_write``, without waiting for the disk; see ``Database.note``."""

        def run(connection: sqlite3.Connection) -> T:
            return work(connection, owner_id(connection, scope) or NOBODY, *args, **kwargs)

        return await self._database.note(run)

    async def _write_new(self, scope: Scope, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Like ``_write``; an owner that is not known yet is from now on."""

        def run(connection: sqlite3.Connection) -> T:
            return work(connection, owner_id(connection, scope, create=True), *args, **kwargs)

        return await self._database.write(run)

    # -- sessions --

    async def create_session(self, scope: Scope, session: Session) -> None:
        await self._write_new(scope, sessions.create, session)

    async def load_session(self, scope: Scope, session_id: str) -> Session | None:
        return await self._read(scope, sessions.load, session_id)

    async def list_sessions(
        self, scope: Scope, *, live_at: datetime | None = None, limit: int = 100, offset: int = 0
    ) -> list[Session]:
        return await self._read(scope, sessions.list_last, live_at, limit, offset)

    async def session_log(self, scope: Scope, session_id: str, *, last: int) -> SessionLog | None:
        return await self._read(scope, turns.session_log, session_id, last)

    async def latest_session(self, scope: Scope) -> Session | None:
        return await self._read(scope, sessions.latest)

    async def begin_turn(self, scope: Scope, session_id: str, start: TurnStart, *, history_turns: int) -> OpenTurn:
        return await self._write(scope, turns.begin, session_id, start, history_turns)

    async def keyed_session(self, scope: Scope, idempotency_key: str, *, now: datetime) -> str | None:
        return await self._read(scope, turns.keyed_session, idempotency_key, now)

    async def renew_lease(self, scope: Scope, session_id: str, lease: Lease) -> bool:
        return await self._note(scope, turns.renew, session_id, lease)

    async def finish_turn(self, scope: Scope, end: TurnEnd) -> Session:
        return await self._write(scope, turns.finish, end)

    async def fail_turn(self, scope: Scope, session_id: str, turn_id: str, *, holder: str, code: str) -> None:
        await self._write(scope, turns.fail, session_id, turn_id, holder, code)

    async def append_turns(
        self,
        scope: Scope,
        session_id: str,
        messages: Sequence[Message],
        *,
        jobs: Sequence[NewJob],
        now: datetime,
        create: Session | None = None,
        once: Once | None = None,
    ) -> Session:
        write = self._write if create is None else self._write_new
        return await write(scope, turns.append, session_id, messages, jobs, now, create, once)

    async def load_messages(
        self, scope: Scope, session_id: str, *, after_seq: int = 0, upto_seq: int | None = None, last: int | None = None
    ) -> list[Message]:
        return await self._read(scope, transcript.load, session_id, after_seq, upto_seq, last)

    async def load_closed(self, scope: Scope, session_id: str, *, after_seq: int, upto_seq: int) -> list[Message]:
        return await self._read(scope, transcript.load_closed, session_id, after_seq, upto_seq)

    async def load_history(self, scope: Scope, session_id: str, *, after_seq: int, turns: int) -> list[Message]:
        return list(await self._read(scope, transcript.history, session_id, after_seq, turns))

    async def write_state(self, scope: Scope, session_id: str, state: State, *, now: datetime) -> State:
        return await self._write(scope, sessions.write_state, session_id, state, now)

    async def write_summary(
        self, scope: Scope, session_id: str, summary: str, *, upto_seq: int, expected_upto: int
    ) -> bool:
        return await self._write(scope, sessions.write_summary, session_id, summary, upto_seq, expected_upto)

    async def load_summary(self, scope: Scope, session_id: str, upto_seq: int) -> str | None:
        return await self._read(scope, sessions.load_summary, session_id, upto_seq)

    async def end_session(
        self,
        scope: Scope,
        session_id: str,
        *,
        masked: Sequence[Message],
        jobs: Sequence[NewJob],
        now: datetime,
        upto_seq: int | None = None,
        interrupt: bool = True,
    ) -> None:
        await self._write(scope, archive.end, session_id, masked, jobs, now, upto_seq, interrupt)

    async def expired_sessions(self, now: datetime, *, limit: int = 100) -> list[tuple[Scope, str]]:
        return await self._database.read(archive.expired, now, limit)

    async def purge_transcripts(self, ended_before: datetime, *, limit: int = 100) -> int:
        return await self._database.write(archive.purge, ended_before, limit)

    async def drop_leftovers(self, now: datetime, *, touched_before: datetime) -> int:
        return await self._database.write(archive.drop_leftovers, now, touched_before)

    async def recover(self, dead: Iterable[str]) -> int:
        return await self._database.write(leases.recover, dead)

    async def holders(self) -> list[str]:
        return await self._database.read(leases.holders)

    # -- tool journal and contexts --

    async def journal_start(self, scope: Scope, turn_id: str, key: str, tool: str) -> JournalEntry | None:
        return await self._write(scope, requests.journal_start, turn_id, key, tool)

    async def journal_finish(self, scope: Scope, turn_id: str, key: str, result: str, *, failed: bool) -> None:
        await self._write(scope, requests.journal_finish, turn_id, key, result, failed)

    async def load_recipe(self, scope: Scope, request_id: str) -> Recipe | None:
        return await self._read(scope, requests.load_recipe, request_id)

    async def recalled_in(self, scope: Scope, session_id: str, *, first_turn: int, last_turn: int) -> list[str]:
        return await self._read(scope, requests.recalled_in, session_id, first_turn, last_turn)

    # -- memories --

    async def digest(self, text: str) -> str:
        self._database.require_open()
        return self._digest(text)

    def _digest(self, text: str) -> str:
        return hmac.new(self._digest_key, text.encode("utf-8", "surrogatepass"), "sha256").hexdigest()

    async def load_memories(self, scope: Scope, ids: Sequence[str]) -> list[Memory]:
        return await self._read(scope, memories.load_memories, ids)

    async def list_memories(
        self,
        scope: Scope,
        *,
        statuses: frozenset[Status],
        types: frozenset[str] | None = None,
        without: frozenset[str] = frozenset(),
        now: datetime | None = None,
        limit: int = 1000,
        offset: int = 0,
    ) -> list[Memory]:
        return await self._read(
            scope,
            memories.list_memories,
            statuses=statuses,
            types=types,
            without=without,
            now=now,
            limit=limit,
            offset=offset,
        )

    async def by_keys(self, scope: Scope, keys: Sequence[str]) -> list[Memory]:
        return await self._read(scope, memories.by_keys, keys)

    async def profile(self, scope: Scope, *, now: datetime) -> list[Memory]:
        return await self._read(scope, memories.profile, now=now)

    async def search(self, scope: Scope, query: Query) -> list[Hit]:
        return await self._read(scope, lambda connection, owner: find(connection, self._indexes, owner, query))

    async def change_memories(self, scope: Scope, change: MemoryChange, *, jobs: Sequence[NewJob] = ()) -> None:
        def work(connection: sqlite3.Connection, owner: int) -> None:
            memories.change_memories(connection, owner, change)
            for job in jobs:
                job_table.enqueue(connection, owner, [job], job.run_at)

        await self._write_new(scope, work)

    async def memory_version(self, scope: Scope) -> int:
        return await self._read(scope, memories.version)

    async def count_recalls(self, scope: Scope, recalled: Mapping[str, datetime | None], *, now: datetime) -> None:
        await self._note(scope, memories.touch_recalled, recalled, now)

    async def expired_memories(
        self, now: datetime, *, scope: Scope | None = None, limit: int = 100
    ) -> list[tuple[Scope, str]]:
        return await self._database.read(memories.expired, scope, now, limit)

    async def tombstones(self, scope: Scope, *, keys: Sequence[str], digests: Sequence[str]) -> list[Tombstone]:
        return await self._read(scope, deletions.find, keys=keys, digests=digests)

    async def unsaid(self, scope: Scope, session_id: str) -> frozenset[int]:
        return await self._read(scope, deletions.unsaid, session_id)

    async def unembedded(self, scope: Scope, model: str, *, limit: int = 256) -> list[Memory]:
        return await self._read(scope, memories.unembedded, model, limit=limit)

    async def drop_vectors(self, scope: Scope, *, model: str, dim: int) -> int:
        return await self._write(scope, memories.drop_vectors, model, dim)

    async def put_vectors(self, scope: Scope, model: str, vectors: Mapping[str, Vector]) -> None:
        await self._write(scope, memories.put_vectors, model, vectors)

    # -- background --

    async def commit_sediment(
        self,
        scope: Scope,
        session_id: str,
        *,
        change: MemoryChange,
        outcome: Extraction,
        expected_watermark: int,
        watermark: int,
        jobs: Sequence[NewJob] = (),
    ) -> None:
        await self._write(
            scope, sediment.commit, session_id, change, outcome, expected_watermark, watermark, jobs, self._digest
        )

    async def extractions(self, scope: Scope, *, session_id: str | None = None, limit: int = 100) -> list[Extraction]:
        return await self._read(scope, sediment.extractions, session_id, limit)

    async def enqueue(self, scope: Scope, job: NewJob) -> None:
        await self._write_new(scope, job_table.enqueue, [job], job.run_at)

    async def claim_job(self, lease: Lease, *, scope: Scope | None = None, after: Sequence[Scope] = ()) -> Job | None:
        if scope is not None:
            free = await self._read(scope, job_table.is_any_free, lease.now)
            return await self._note(scope, job_table.claim, lease) if free else None
        if not await self._database.read(job_table.is_any_free, None, lease.now):
            return None
        if after:
            return await self._database.note(job_table.claim_in_turn, lease, after)
        return await self._database.note(job_table.claim, None, lease)

    async def renew_job(self, job: Job, lease: Lease) -> bool:
        return await self._note(job.scope, job_table.renew, job.id, lease)

    async def finish_job(self, job: Job, *, holder: str, now: datetime) -> None:
        await self._note(job.scope, job_table.finish, job, holder, now)

    async def fail_job(self, job: Job, *, holder: str, now: datetime, error: str, retry_at: datetime | None) -> None:
        await self._write(job.scope, job_table.fail, job, holder, now, error, retry_at)

    async def release_job(self, job: Job, *, holder: str) -> None:
        await self._note(job.scope, job_table.release, job, holder)

    async def discard_job(self, scope: Scope, job_id: str) -> None:
        await self._write(scope, job_table.discard, job_id)

    async def load_job(self, job_id: str) -> Job | None:
        return await self._database.read(job_table.load, job_id)

    async def replay_job(self, scope: Scope, job_id: str, *, now: datetime) -> Job:
        return await self._write(scope, job_table.replay, job_id, now)

    async def list_jobs(
        self,
        *,
        scope: Scope | None = None,
        tenant: str | None = None,
        statuses: frozenset[JobStatus] | None = None,
        subject: str | None = None,
        limit: int = 100,
    ) -> list[Job]:
        if scope is None:
            return await self._database.read(job_table.list_newest, None, tenant, statuses, subject, limit)
        return await self._read(scope, job_table.list_newest, tenant, statuses, subject, limit)

    async def count_due(self, *, scope: Scope | None, now: datetime) -> int:
        if scope is None:
            return await self._database.read(job_table.count_due, None, now)
        return await self._read(scope, job_table.count_due, now)

    async def oldest_due(self, *, now: datetime) -> datetime | None:
        return await self._database.read(job_table.oldest_due, now)

    # -- who runs jobs --

    async def beat(self, beat: WorkerBeat) -> None:
        await self._database.note(beats.put, beat)

    async def drop_worker(self, holder: str) -> None:
        await self._database.note(beats.drop, holder)

    async def workers(self, *, now: datetime) -> list[WorkerBeat]:
        return await self._database.read(beats.list_all, now)

    # -- shares --

    async def count_use(self, scope: Scope, what: str, *, now: datetime, until: datetime) -> int:
        return await self._database.note(uses.count, scope, what, now, until)

    # -- owners --

    async def list_owners(self, *, after: Scope | None = None, limit: int = 100) -> list[Scope]:
        return await self._database.read(owners.list_all, after, limit)

    async def erase(self, scope: Scope) -> Mapping[str, int]:
        def work(connection: sqlite3.Connection, owner: int) -> tuple[int, dict[str, int]]:
            return owner, owners.erase(connection, owner) | {"uses": uses.erase(connection, scope)}

        owner, removed = await self._write(scope, work)
        self._indexes.drop(owner)
        await self._database.checkpoint()
        return removed

    # -- moving --

    async def secret(self) -> str:
        return await self._database.read(portable.secret)

    async def adopt(self, secret: str) -> None:
        await self._database.write(portable.adopt, secret)
        self._digest_key = bytes.fromhex(secret)

    async def dump(self, scope: Scope) -> AsyncGenerator[tuple[str, Sequence[Row]], None]:
        async with self._database.apart("DEFERRED") as apart:
            async for piece in apart.each(partial(portable.dump, scope=scope)):
                yield piece

    async def replace_owner(self, scope: Scope, rows: AsyncIterator[tuple[str, Sequence[Row]]]) -> None:
        async with self._database.apart("IMMEDIATE") as apart:
            owner = await apart.run(portable.clear, scope)
            async for table, piece in rows:
                await apart.run(portable.insert, owner, table, piece)
