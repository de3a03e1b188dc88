"""``PostgresStore``: everything in one PostgreSQL database, shared by any number of processes on any number of machines.

This class only chooses transaction and owner; the statements are in the modules named after what they keep.
"""

from __future__ import annotations

import hmac
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
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
from zhiji.stores.migrations import Plan, plan
from zhiji.stores.postgres import (
    archive,
    beats,
    deletions,
    leases,
    memories,
    notices,
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
from zhiji.stores.postgres import jobs as job_table
from zhiji.stores.postgres.connection import Connection, Database
from zhiji.stores.postgres.search import search as find
from zhiji.types import Extraction, Job, JobStatus, Memory, Message, Recipe, Scope, Session, State, Status, WorkerBeat

P = ParamSpec("P")
T = TypeVar("T")

Work = Callable[Concatenate[Connection, P], Awaitable[T]]
"""A function of the modules here: ``(connection, …)``, run inside one transaction that knows its owner."""


class PostgresStore(Portable):
    """A store in one PostgreSQL database. Made by ``open``; safe for concurrent tasks of one event loop."""

    def __init__(self, database: Database, digest_key: bytes) -> None:
        """Use ``PostgresStore.open``."""
        self._database = database
        self._digest_key = digest_key
        self._notices = notices.Notices(database)

    @classmethod
    async def open(
        cls, url: str, *, connections: int = 10, timeout_seconds: float = 15.0, migrate: bool = True
    ) -> Self:
        """Return the store in the database at ``url``, whose tables are made or migrated if need be.

        Raises:
            ConfigError: ``url`` is none. StoreUnavailable: there is no such server or database, or it refuses us.
            SchemaTooNew: of a newer zhiji. SchemaTooOld: of an older one, and ``migrate`` is off. Nothing was changed.
            StoreReadOnly: tables are to be made, and this user may not.
            StoreError: the server has no pgvector, or the database keeps its text in another encoding than UTF-8.
        """
        prepare = partial(schema.prepare, migrate=migrate)
        database = await Database.open(url, prepare, connections=connections, timeout_seconds=timeout_seconds)
        return cls(database, await database.read(None, schema.digest_key))

    @classmethod
    async def missing(cls, url: str) -> Plan:
        """Return the migrations that opening the database at ``url`` would run; nothing is changed.

        Raises:
            SchemaTooNew: a newer zhiji wrote it. StoreUnavailable: there is no such server or database, or it refuses us.
        """
        found: list[int] = []

        async def look(connection: Connection) -> None:
            found.append(await schema.version(connection))

        await (await Database.open(url, look, connections=1)).close()
        return plan(found[0], schema.MIGRATIONS)

    async def close(self) -> None:
        await self._notices.close()
        await self._database.close()

    async def _read(self, scope: Scope | None, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._database.read(scope, work, *args, **kwargs)

    async def _write(self, scope: Scope | None, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._database.write(scope, work, *args, **kwargs)

    async def _note(self, scope: Scope | None, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._database.note(scope, work, *args, **kwargs)

    async def _write_new(self, scope: Scope, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._database.write_new(scope, work, *args, **kwargs)

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
        return await self._write(scope, turns.renew, session_id, lease)

    async def finish_turn(self, scope: Scope, end: TurnEnd) -> Session:
        session: Session = await self._write(scope, turns.finish, end)
        self._notices.tell(end.jobs)
        return session

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
        session: Session = await write(scope, turns.append, session_id, messages, jobs, now, create, once)
        self._notices.tell(jobs)
        return session

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
        self._notices.tell(jobs)

    async def expired_sessions(self, now: datetime, *, limit: int = 100) -> list[tuple[Scope, str]]:
        return await self._read(None, archive.expired, now, limit)

    async def purge_transcripts(self, ended_before: datetime, *, limit: int = 100) -> int:
        return await self._write(None, archive.purge, ended_before, limit)

    async def drop_leftovers(self, now: datetime, *, touched_before: datetime) -> int:
        return await self._write(None, archive.drop_leftovers, now, touched_before)

    async def recover(self, dead: Iterable[str]) -> int:
        return await self._write(None, leases.recover, dead)

    async def holders(self) -> list[str]:
        return await self._read(None, leases.holders)

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
        return await self._read(scope, find, query)

    async def change_memories(self, scope: Scope, change: MemoryChange, *, jobs: Sequence[NewJob] = ()) -> None:
        await self._write_new(scope, memories.change, change, jobs)
        self._notices.tell(jobs)

    async def memory_version(self, scope: Scope) -> int:
        return await self._read(scope, memories.version)

    async def count_recalls(self, scope: Scope, recalled: Mapping[str, datetime | None], *, now: datetime) -> None:
        await self._note(scope, memories.touch_recalled, recalled, now)

    async def expired_memories(
        self, now: datetime, *, scope: Scope | None = None, limit: int = 100
    ) -> list[tuple[Scope, str]]:
        return await self._read(None, memories.expired, scope, now, limit)

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
        self._notices.tell(jobs)

    async def extractions(self, scope: Scope, *, session_id: str | None = None, limit: int = 100) -> list[Extraction]:
        return await self._read(scope, sediment.extractions, session_id, limit)

    async def enqueue(self, scope: Scope, job: NewJob) -> None:
        await self._write_new(scope, job_table.enqueue, [job], job.run_at)
        self._notices.tell([job])

    async def claim_job(self, lease: Lease, *, scope: Scope | None = None, after: Sequence[Scope] = ()) -> Job | None:
        while True:
            with suppress(job_table.Outrun):
                return await self._note(None, job_table.claim, lease, scope, after)

    async def listen(self, wake: Callable[[], None]) -> None:
        await self._notices.listen(wake)

    async def renew_job(self, job: Job, lease: Lease) -> bool:
        return await self._note(job.scope, job_table.renew, job.id, lease)

    async def finish_job(self, job: Job, *, holder: str, now: datetime) -> None:
        await self._note(job.scope, job_table.finish, job, holder, now)

    async def fail_job(self, job: Job, *, holder: str, now: datetime, error: str, retry_at: datetime | None) -> None:
        await self._write(job.scope, job_table.fail, job, holder, now, error, retry_at)

    async def release_job(self, job: Job, *, holder: str) -> None:
        await self._write(job.scope, job_table.release, job, holder)

    async def discard_job(self, scope: Scope, job_id: str) -> None:
        await self._write(scope, job_table.discard, job_id)

    async def load_job(self, job_id: str) -> Job | None:
        return await self._read(None, job_table.load, job_id)

    async def replay_job(self, scope: Scope, job_id: str, *, now: datetime) -> Job:
        job: Job = await self._write(scope, job_table.replay, job_id, now)
        self._notices.tell([job])
        return job

    async def list_jobs(
        self,
        *,
        scope: Scope | None = None,
        tenant: str | None = None,
        statuses: frozenset[JobStatus] | None = None,
        subject: str | None = None,
        limit: int = 100,
    ) -> list[Job]:
        return await self._read(scope, job_table.list_newest, scope, tenant, statuses, subject, limit)

    async def count_due(self, *, scope: Scope | None, now: datetime) -> int:
        return await self._read(scope, job_table.count_due, scope, now)

    async def oldest_due(self, *, now: datetime) -> datetime | None:
        return await self._read(None, job_table.oldest_due, now)

    # -- who runs jobs --

    async def clock(self) -> datetime:
        return await self._read(None, beats.clock)

    async def beat(self, beat: WorkerBeat) -> None:
        await self._note(None, beats.put, beat)

    async def drop_worker(self, holder: str) -> None:
        await self._note(None, beats.drop, holder)

    async def workers(self, *, now: datetime) -> list[WorkerBeat]:
        return await self._read(None, beats.list_all, now)

    # -- shares --

    async def count_use(self, scope: Scope, what: str, *, now: datetime, until: datetime) -> int:
        return await self._note(None, uses.count, scope, what, now, until)

    # -- owners --

    async def list_owners(self, *, after: Scope | None = None, limit: int = 100) -> list[Scope]:
        return await self._read(None, owners.list_all, after, limit)

    async def erase(self, scope: Scope) -> Mapping[str, int]:
        return await self._write(scope, owners.erase, scope)

    # -- moving --

    async def secret(self) -> str:
        return (await self._database.read(None, schema.digest_key)).hex()

    async def adopt(self, secret: str) -> None:
        await self._write(None, portable.adopt, secret)
        self._digest_key = bytes.fromhex(secret)

    async def dump(self, scope: Scope) -> AsyncGenerator[tuple[str, Sequence[Row]], None]:
        async with self._database.apart("ISOLATION LEVEL REPEATABLE READ, READ ONLY") as connection:
            async for piece in portable.dump(connection, scope):
                yield piece

    async def replace_owner(self, scope: Scope, rows: AsyncIterator[tuple[str, Sequence[Row]]]) -> None:
        async with self._database.apart() as connection:
            owner = await portable.clear(connection, scope)
            async for table, piece in rows:
                await portable.insert(connection, owner, table, piece)
