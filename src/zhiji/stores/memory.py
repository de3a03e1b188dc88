"""``MemoryStore``: the reference. Everything in plain values of this process, lost when it is closed.

It says what the contract means; the conformance suite and a state machine hold every other store to the same answers.
Sessions, jobs and memories are in the modules named after them; here they are put together.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from zhiji import text as words
from zhiji.errors import StaleMemory, StoreClosed
from zhiji.stores.base import (
    BEATS_KEPT,
    Hit,
    JournalEntry,
    Lease,
    MemoryChange,
    NewJob,
    Once,
    OpenTurn,
    Query,
    SessionLog,
    Store,
    Tombstone,
    TurnEnd,
    TurnStart,
    Vector,
)
from zhiji.stores.memory_jobs import Queue
from zhiji.stores.memory_rows import OwnerMemories
from zhiji.stores.memory_sessions import Dialogue, OwnerSessions
from zhiji.types import (
    Extraction,
    Job,
    JobStatus,
    Memory,
    Message,
    Recipe,
    Scope,
    Session,
    State,
    Status,
    WorkerBeat,
)


@dataclass(slots=True)
class _Owner:
    sessions: OwnerSessions = field(default_factory=OwnerSessions)
    memories: OwnerMemories = field(default_factory=OwnerMemories)
    extractions: list[Extraction] = field(default_factory=list)


class MemoryStore(Store):
    """A store for tests and trials; safe for concurrent tasks of one event loop."""

    def __init__(self) -> None:
        """The store is open and empty."""
        self._owners: dict[Scope, _Owner] = {}
        self._jobs = Queue()
        self._beats: dict[str, WorkerBeat] = {}
        self._uses: dict[tuple[Scope, str, datetime], int] = {}
        self._digest_key = secrets.token_bytes(32)
        self._is_closed = False

    async def close(self) -> None:
        self._is_closed = True

    def _queue(self) -> Queue:
        if self._is_closed:
            raise StoreClosed
        return self._jobs

    def _everybody(self) -> dict[Scope, _Owner]:
        if self._is_closed:
            raise StoreClosed
        return self._owners

    def _owner(self, scope: Scope) -> _Owner:
        """Return what is known of an owner: if nothing, an empty one that is not kept."""
        return self._everybody().get(scope) or _Owner()

    def _new_owner(self, scope: Scope) -> _Owner:
        return self._everybody().setdefault(scope, _Owner())

    def _dialogues(self) -> list[tuple[Scope, Dialogue]]:
        owners = self._everybody().items()
        return [(scope, dialogue) for scope, owner in owners for dialogue in owner.sessions.dialogues.values()]

    # -- sessions --

    async def create_session(self, scope: Scope, session: Session) -> None:
        self._new_owner(scope).sessions.create_session(session)

    async def load_session(self, scope: Scope, session_id: str) -> Session | None:
        return self._owner(scope).sessions.load_session(session_id)

    async def list_sessions(
        self, scope: Scope, *, live_at: datetime | None = None, limit: int = 100, offset: int = 0
    ) -> list[Session]:
        return self._owner(scope).sessions.list_sessions(live_at, limit, offset)

    async def session_log(self, scope: Scope, session_id: str, *, last: int) -> SessionLog | None:
        return self._owner(scope).sessions.session_log(session_id, last)

    async def latest_session(self, scope: Scope) -> Session | None:
        return self._owner(scope).sessions.latest_session()

    async def begin_turn(self, scope: Scope, session_id: str, start: TurnStart, *, history_turns: int) -> OpenTurn:
        return self._owner(scope).sessions.begin_turn(session_id, start, history_turns)

    async def keyed_session(self, scope: Scope, idempotency_key: str, *, now: datetime) -> str | None:
        return self._owner(scope).sessions.keyed_session(idempotency_key, now)

    async def renew_lease(self, scope: Scope, session_id: str, lease: Lease) -> bool:
        return self._owner(scope).sessions.renew_lease(session_id, lease)

    async def finish_turn(self, scope: Scope, end: TurnEnd) -> Session:
        owner = self._owner(scope)
        session = owner.sessions.finish_turn(end)
        owner.memories.touch_recalled(end.recalled, end.now)
        self._jobs.enqueue(scope, end.jobs, end.now)
        return session

    async def fail_turn(self, scope: Scope, session_id: str, turn_id: str, *, holder: str, code: str) -> None:
        self._owner(scope).sessions.fail_turn(session_id, turn_id, holder, code)

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
        owner = self._owner(scope) if create is None else self._new_owner(scope)
        former = owner.sessions.done_once(once, now)
        if former is not None:
            return former
        session = owner.sessions.append_turns(session_id, messages, now, create, once)
        self._jobs.enqueue(scope, jobs, now)
        return session

    async def load_messages(
        self, scope: Scope, session_id: str, *, after_seq: int = 0, upto_seq: int | None = None, last: int | None = None
    ) -> list[Message]:
        return self._owner(scope).sessions.load_messages(session_id, after_seq, upto_seq, last)

    async def load_closed(self, scope: Scope, session_id: str, *, after_seq: int, upto_seq: int) -> list[Message]:
        return self._owner(scope).sessions.load_closed(session_id, after_seq, upto_seq)

    async def load_history(self, scope: Scope, session_id: str, *, after_seq: int, turns: int) -> list[Message]:
        return self._owner(scope).sessions.load_history(session_id, after_seq, turns)

    async def write_state(self, scope: Scope, session_id: str, state: State, *, now: datetime) -> State:
        return self._owner(scope).sessions.write_state(session_id, state, now)

    async def write_summary(
        self, scope: Scope, session_id: str, summary: str, *, upto_seq: int, expected_upto: int
    ) -> bool:
        return self._owner(scope).sessions.write_summary(session_id, summary, upto_seq, expected_upto)

    async def load_summary(self, scope: Scope, session_id: str, upto_seq: int) -> str | None:
        return self._owner(scope).sessions.load_summary(session_id, upto_seq)

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
        if self._owner(scope).sessions.end_session(session_id, masked, now, upto_seq, interrupt):
            self._jobs.enqueue(scope, jobs, now)

    async def expired_sessions(self, now: datetime, *, limit: int = 100) -> list[tuple[Scope, str]]:
        due = [
            (dialogue.session.expires_at, scope, dialogue.session.id)
            for scope, dialogue in self._dialogues()
            if dialogue.ended_at is None
            and dialogue.session.expires_at is not None
            and dialogue.session.expires_at <= now
            and not dialogue.is_held(now)
        ]
        return [(scope, id) for _, scope, id in sorted(due, key=lambda one: one[0])][:limit]

    async def purge_transcripts(self, ended_before: datetime, *, limit: int = 100) -> int:
        over = [
            (dialogue.ended_at, scope, dialogue.session.id)
            for scope, dialogue in self._dialogues()
            if dialogue.ended_at is not None
            and dialogue.ended_at <= ended_before
            and not self._jobs.has_work_on(scope, dialogue.session.id)
        ]
        gone = sorted(over, key=lambda one: one[0])[:limit]
        for _, scope, session_id in gone:
            self._remove(scope, session_id)
        return len(gone)

    def _remove(self, scope: Scope, session_id: str) -> None:
        owner = self._owners[scope]
        owner.sessions.remove(session_id)
        owner.extractions = [outcome for outcome in owner.extractions if outcome.session != session_id]
        self._jobs.remove(scope, lambda job: job.subject == session_id)

    async def drop_leftovers(self, now: datetime, *, touched_before: datetime) -> int:
        return sum(owner.sessions.drop_leftovers(now, touched_before) for owner in self._everybody().values())

    async def recover(self, dead: Iterable[str]) -> int:
        queue, lost = self._queue(), set(dead)
        held = [dialogue for _, dialogue in self._dialogues() if dialogue.lease and dialogue.lease.holder in lost]
        for dialogue in held:
            dialogue.lease = None
        return len(held) + sum(queue.run_out(holder) for holder in lost)

    async def holders(self) -> list[str]:
        leases = [dialogue.lease for _, dialogue in self._dialogues()]
        return sorted({*self._queue().holders.values(), *(lease.holder for lease in leases if lease)})

    # -- tool journal and contexts --

    async def journal_start(self, scope: Scope, turn_id: str, key: str, tool: str) -> JournalEntry | None:
        return self._owner(scope).sessions.journal_start(turn_id, key, tool)

    async def journal_finish(self, scope: Scope, turn_id: str, key: str, result: str, *, failed: bool) -> None:
        self._owner(scope).sessions.journal_finish(turn_id, key, result, failed)

    async def load_recipe(self, scope: Scope, request_id: str) -> Recipe | None:
        return self._owner(scope).sessions.load_recipe(request_id)

    async def recalled_in(self, scope: Scope, session_id: str, *, first_turn: int, last_turn: int) -> list[str]:
        return self._owner(scope).sessions.recalled_in(session_id, first_turn, last_turn)

    # -- memories --

    async def digest(self, text: str) -> str:
        self._everybody()
        return self._digest(text)

    def _digest(self, text: str) -> str:
        return hmac.new(self._digest_key, text.encode("utf-8", "surrogatepass"), "sha256").hexdigest()

    async def load_memories(self, scope: Scope, ids: Sequence[str]) -> list[Memory]:
        return self._owner(scope).memories.load_memories(ids)

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
        return self._owner(scope).memories.list_memories(
            statuses=statuses, types=types, without=without, now=now, limit=limit, offset=offset
        )

    async def by_keys(self, scope: Scope, keys: Sequence[str]) -> list[Memory]:
        return self._owner(scope).memories.by_keys(keys)

    async def profile(self, scope: Scope, *, now: datetime) -> list[Memory]:
        return self._owner(scope).memories.profile(now=now)

    async def search(self, scope: Scope, query: Query) -> list[Hit]:
        return self._owner(scope).memories.search(query)

    async def change_memories(self, scope: Scope, change: MemoryChange, *, jobs: Sequence[NewJob] = ()) -> None:
        owner = self._new_owner(scope)
        owner.memories.change_memories(change)
        owner.sessions.unsay(change.unsaid)
        for job in jobs:
            self._jobs.enqueue(scope, [job], job.run_at)

    async def memory_version(self, scope: Scope) -> int:
        return self._owner(scope).memories.version

    async def count_recalls(self, scope: Scope, recalled: Mapping[str, datetime | None], *, now: datetime) -> None:
        self._owner(scope).memories.touch_recalled(recalled, now)

    async def expired_memories(
        self, now: datetime, *, scope: Scope | None = None, limit: int = 100
    ) -> list[tuple[Scope, str]]:
        due = [
            (row.memory.expires_at, owner, row.memory.id)
            for owner, held in self._everybody().items()
            for row in held.memories.rows.values()
            if scope in (None, owner) and row.memory.expires_at is not None and row.memory.expires_at <= now
        ]
        return [(owner, id) for _, owner, id in sorted(due, key=lambda one: one[0])][:limit]

    async def tombstones(self, scope: Scope, *, keys: Sequence[str], digests: Sequence[str]) -> list[Tombstone]:
        return self._owner(scope).memories.tombstones(keys=keys, digests=digests)

    async def unsaid(self, scope: Scope, session_id: str) -> frozenset[int]:
        return frozenset(self._owner(scope).sessions.unsaid.get(session_id, ()))

    async def unembedded(self, scope: Scope, model: str, *, limit: int = 256) -> list[Memory]:
        return self._owner(scope).memories.unembedded(model, limit=limit)

    async def drop_vectors(self, scope: Scope, *, model: str, dim: int) -> int:
        return self._owner(scope).memories.drop_vectors(model, dim)

    async def put_vectors(self, scope: Scope, model: str, vectors: Mapping[str, Vector]) -> None:
        self._owner(scope).memories.put_vectors(model, vectors)

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
        owner = self._owner(scope)
        dialogue = owner.sessions.dialogues.get(session_id)
        if dialogue is None or dialogue.session.extracted_upto != expected_watermark:
            raise StaleMemory
        puts = [put for put in change.puts if put.memory.revision or not self._is_buried(owner, put.memory)]
        owner.memories.change_memories(replace(change, puts=puts))
        owner.sessions.unsay(change.unsaid)
        dialogue.session = replace(dialogue.session, extracted_upto=watermark)
        owner.extractions.append(outcome)
        self._jobs.enqueue(scope, jobs, outcome.time)

    def _is_buried(self, owner: _Owner, memory: Memory) -> bool:
        cited = [
            message.time
            for source in memory.sources
            for message in owner.sessions.load_messages(source.session, 0, None, None)
            if message.seq in source.seqs
        ]
        digest = self._digest(words.normalise(memory.content))
        found = owner.memories.tombstones(keys=[self._digest(memory.key)] if memory.key else [], digests=[digest])
        said_at = max(cited, default=memory.valid_from)
        return bool(memory.sources) and any(said_at <= tombstone.deleted_at for tombstone in found)

    async def extractions(self, scope: Scope, *, session_id: str | None = None, limit: int = 100) -> list[Extraction]:
        every = self._owner(scope).extractions[::-1]
        return [outcome for outcome in every if session_id in (None, outcome.session)][:limit]

    async def enqueue(self, scope: Scope, job: NewJob) -> None:
        self._new_owner(scope)
        self._jobs.enqueue(scope, [job], job.run_at)

    async def claim_job(self, lease: Lease, *, scope: Scope | None = None, after: Sequence[Scope] = ()) -> Job | None:
        return self._queue().claim_job(lease, scope, after, list(self._everybody()))

    async def renew_job(self, job: Job, lease: Lease) -> bool:
        return self._queue().renew_job(job, lease)

    async def finish_job(self, job: Job, *, holder: str, now: datetime) -> None:
        self._queue().finish_job(job, holder, now)

    async def fail_job(self, job: Job, *, holder: str, now: datetime, error: str, retry_at: datetime | None) -> None:
        self._queue().fail_job(job, holder, now, error, retry_at)

    async def release_job(self, job: Job, *, holder: str) -> None:
        self._queue().release_job(job, holder)

    async def discard_job(self, scope: Scope, job_id: str) -> None:
        self._queue().discard_job(scope, job_id)

    async def load_job(self, job_id: str) -> Job | None:
        return self._queue().jobs.get(job_id)

    async def replay_job(self, scope: Scope, job_id: str, *, now: datetime) -> Job:
        return self._queue().replay_job(scope, job_id, now)

    async def list_jobs(
        self,
        *,
        scope: Scope | None = None,
        tenant: str | None = None,
        statuses: frozenset[JobStatus] | None = None,
        subject: str | None = None,
        limit: int = 100,
    ) -> list[Job]:
        return self._queue().list_jobs(scope, tenant, statuses, subject, limit)

    async def count_due(self, *, scope: Scope | None, now: datetime) -> int:
        return len(self._queue().due(scope, now))

    async def oldest_due(self, *, now: datetime) -> datetime | None:
        return min((job.run_at for job in self._queue().due(None, now)), default=None)

    # -- who runs jobs --

    async def beat(self, beat: WorkerBeat) -> None:
        self._everybody()
        if beat.holder not in self._beats:
            peers = [one for one in self._beats.values() if one.role is beat.role and one.until <= beat.beat_at]
            for replaced in sorted(peers, key=lambda one: (one.until, one.holder))[:1]:
                del self._beats[replaced.holder]
        known = {**self._beats, beat.holder: beat}
        self._beats = {one.holder: one for one in known.values() if one.until > beat.beat_at - BEATS_KEPT}

    async def drop_worker(self, holder: str) -> None:
        self._everybody()
        self._beats.pop(holder, None)

    async def workers(self, *, now: datetime) -> list[WorkerBeat]:
        self._everybody()
        beats = sorted(self._beats.values(), key=lambda one: (one.started_at, one.holder))
        return [replace(one, is_missing=one.until <= now) for one in beats]

    # -- shares --

    async def count_use(self, scope: Scope, what: str, *, now: datetime, until: datetime) -> int:
        self._everybody()
        self._uses = {at: count for at, count in self._uses.items() if at[2] > now}
        at = (scope, what, until)
        self._uses[at] = self._uses.get(at, 0) + 1
        return self._uses[at]

    # -- owners --

    async def list_owners(self, *, after: Scope | None = None, limit: int = 100) -> list[Scope]:
        known = sorted((scope.tenant, scope.user) for scope in self._everybody())
        return [Scope(*names) for names in known if after is None or names > (after.tenant, after.user)][:limit]

    async def erase(self, scope: Scope) -> Mapping[str, int]:
        owner = self._everybody().pop(scope, None) or _Owner()
        dialogues = owner.sessions.dialogues.values()
        uses = [at for at in self._uses if at[0] == scope]
        for at in uses:
            del self._uses[at]
        return {
            "sessions": len(dialogues),
            "messages": sum(len(dialogue.messages) for dialogue in dialogues),
            "turns": sum(len(dialogue.turns) for dialogue in dialogues),
            "jobs": self._jobs.remove(scope, lambda job: True),
            "memories": len(owner.memories.rows),
            "uses": len(uses),
        }
