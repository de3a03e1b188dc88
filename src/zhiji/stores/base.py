"""The contract of a store: what every backend promises, proven by ``zhiji.testing``'s conformance suite.

A store decides nothing: rules hand it whole values, it keeps them, and says no when somebody else was faster. Each
method is one atomic step; what a method wrote before it returned survives ``kill -9`` and power loss (leases, beats, and
that a job was claimed or is done: ``kill -9`` only; after a power loss such a job may run again). ``scope`` comes first; the
few methods without one are for upkeep and return scopes. Any method may raise ``StoreError``'s leaves (``StoreClosed``
after ``close``); the errors listed are the other ones. All times are aware UTC. Texts
are valid UTF-8; one with NUL in it is kept whole or refused (``InvalidInput``), never cut.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal

import numpy as np
import numpy.typing as npt

from zhiji.types import (
    Extraction,
    Job,
    JobKind,
    JobStatus,
    JsonValue,
    Memory,
    Message,
    Recipe,
    Scope,
    Session,
    Source,
    State,
    Status,
    WorkerBeat,
)

Vector = npt.NDArray[np.float32]
"""float32 (dim,), L2-normalised."""
BEATS_KEPT = timedelta(days=1)
"""How long a process that went missing is remembered."""


# --- values of the session methods --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to write one session, or to run one job, until ``until``."""

    holder: str
    """Names the process (``presence.name_process``)."""
    now: datetime
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStart:
    """A turn that is about to be opened."""

    turn_id: str
    request_id: str
    message: Message
    """The user's message; ``seq`` and ``turn`` are assigned by the store."""
    lease: Lease
    idempotency_key: str | None = None
    body_digest: str = ""
    """SHA-256 of the message; the same key with another digest is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Once:
    """What makes a repeated request one: the idempotency key that its caller chose, and what it asked for."""

    key: str
    digest: str
    """SHA-256 of the request; the same key with another digest is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTurn:
    """A turn that was opened: its user message is committed, its session is leased."""

    session: Session
    """As of now, this turn counted in ``turns`` and ``last_seq``."""
    turn_id: str
    request_id: str
    number: int
    """Number of this turn in the session, from 1."""
    message: Message
    """The user's message as stored."""
    history: Sequence[Message]
    """Messages of the last ``history_turns`` *closed* turns after ``summary_upto``, by ``seq``; failed turns left out."""
    replay: Mapping[str, JsonValue] | None = None
    """The stored reply, if this idempotency key was answered before; then nothing was opened, and session, ids and
    message are those of the answered turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """A job to enqueue. If one of the same kind and subject is pending, that one stays (its ``run_at`` the earlier)."""

    kind: JobKind
    subject: str
    run_at: datetime
    waits: bool = False
    """True: it waits for silence, so a pending one is put off to this ``run_at`` (the later of the two)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnd:
    """Everything that closing a turn writes, in one commit."""

    session_id: str
    turn_id: str
    holder: str
    messages: Sequence[Message]
    """What followed the user's message: calls, results, answer; ``seq`` assigned in this order."""
    state: State
    """The new state; ``version`` is the one it was derived from, the store raises it by one."""
    reply: Mapping[str, JsonValue]
    """Returned again to a retry with the same idempotency key."""
    recipe: Recipe
    recalled: Mapping[str, datetime | None] = field(default_factory=dict)
    """Memory ids that reached the context: their ``recalls`` and ``last_recalled_at`` are raised. Each with the deadline that
    it has by this use, to which ``expires_at`` of an active one is put off; None, or an earlier one, leaves it."""
    jobs: Sequence[NewJob] = ()
    now: datetime
    expires_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord:
    """What became of one turn; no words."""

    number: int
    status: Literal["open", "closed", "failed"]
    first_seq: int
    """Number of its first message."""
    time: datetime
    """When it was opened or, once closed, answered."""
    request_id: str | None
    """None: it happened elsewhere, or a later attempt took the ids over."""
    error: str = ""
    """Of a failed one: the code it failed with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLog:
    """What became of a session and its last turns."""

    ended_at: datetime | None
    lease_until: datetime | None
    """Lease of the open turn; None if none is open."""
    turns: Sequence[TurnRecord]
    """Oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One write call of a tool: committed before the call runs, completed after."""

    key: str
    """Stable for a retried turn: turn, tool, arguments, occurrence."""
    tool: str
    result: str | None
    """None while the outcome is unknown."""
    failed: bool = False


# --- values of the memory methods -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPut:
    """One memory row to write, with its index entries."""

    memory: Memory
    """``revision`` 0 inserts; otherwise it must equal the stored one (compare-and-set), and is raised."""
    terms: Mapping[str, int] | None = None
    """Index terms with their counts; None keeps the stored ones (only for an update)."""
    vector: Vector | None = None
    """None keeps the stored one, if any."""
    model: str = ""
    """Name of the embedder that made ``vector``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """A deletion record: keeps a later pass over the same transcript from bringing a fact back."""

    key: str | None
    """Keyed hash of its key (``Store.digest``), since a key may say what was deleted; None if it had none."""
    content_digest: str
    """Keyed hash of the normalised content (``Store.digest``)."""
    deleted_at: datetime
    """Blocks drafts whose newest source message is not later than this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChange:
    """A set of writes that belong together: all or none."""

    puts: Sequence[MemoryPut] = ()
    deletes: Sequence[str] = ()
    """Memory ids whose rows, terms and vectors go; ids that are not this owner's are ignored."""
    tombstones: Sequence[Tombstone] = ()
    unsaid: Sequence[Source] = ()
    """Messages that said what is deleted. With any, the owner's summaries go in the same commit: they are written anew
    without the turns of these messages (``Store.unsaid``)."""
    seen: int | None = None
    """``Store.memory_version`` before anything was read that this was decided on; None: whatever is there now."""

    def __bool__(self) -> bool:
        return bool(self.puts or self.deletes or self.tombstones or self.unsaid)


_NOW = frozenset({Status.ACTIVE})
_THEN = frozenset({Status.ACTIVE, Status.SUPERSEDED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """The hard filter of a search; nothing outside it is ever scored or returned."""

    now: datetime
    """Memories with ``expires_at <= now`` are left out."""
    as_of: datetime | None = None
    """None: active ones only. Else active or superseded ones with ``valid_from <= as_of < valid_to``."""
    types: frozenset[str] | None = None
    """None: every type, episodes included."""
    is_whole: bool = False
    """True: in any status, also what is over, faded or waits. For what is to be forgotten; nothing else may see it."""

    @property
    def statuses(self) -> frozenset[Status]:
        """The statuses that pass."""
        if self.is_whole:
            return frozenset(Status)
        return _NOW if self.as_of is None else _THEN

    def admits(self, memory: Memory) -> bool:
        """Return whether a memory passes: the one meaning of "active" for every reader and backend."""
        if memory.status not in self.statuses or (self.types is not None and memory.type not in self.types):
            return False
        if memory.expires_at is not None and memory.expires_at <= self.now:
            return False
        return self.as_of is None or (
            memory.valid_from <= self.as_of and (memory.valid_to is None or self.as_of < memory.valid_to)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One search of one owner's memories by both arms."""

    terms: Mapping[str, float] = field(default_factory=dict)
    """Query terms with their weights; empty switches the keyword arm off."""
    vector: Vector | None = None
    """None switches the vector arm off."""
    model: str = ""
    """Name of the embedder that made ``vector``; only vectors of the same model are compared."""
    filter: Filter
    limit: int = 100
    """Hits at most *per arm*, best first."""
    window: float = 0.0
    """Weight of the keyword score of the neighbouring episodes (same session, ±1 message) by another speaker that is
    added to an episode's own. Episodes carry ``value = {"session", "seq", "speaker"}``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One memory found, with the raw scores of both arms."""

    memory: Memory
    keyword: float
    """BM25 over the owner's rows that pass the filter, divided by the score of a row of average length that has each
    query term once (``scoring``); so 1 means "all that was asked". 0 if the keyword arm did not find it."""
    cosine: float | None
    """None if it has no vector of this model or the arm is off."""


def episode_place(type: str, value: JsonValue) -> tuple[str, int, str] | None:
    """Return session, message number and speaker of an episode (see ``Query.window``); None for anything else."""
    if type != "episode" or not isinstance(value, dict):
        return None
    session, seq, speaker = value.get("session"), value.get("seq"), value.get("speaker")
    if isinstance(session, str) and isinstance(seq, int) and isinstance(speaker, str):
        return session, seq, speaker
    return None


# --- the contract ---------------------------------------------------------------------------------------------------


class Store(ABC):
    """Keeps sessions, memories and jobs of all owners apart."""

    @abstractmethod
    async def close(self) -> None:
        """The store is closed; a second call does nothing; any other method then raises ``StoreClosed``."""

    # -- sessions --

    @abstractmethod
    async def create_session(self, scope: Scope, session: Session) -> None:
        """The session exists. Its id is new and unguessable (the caller made it)."""

    @abstractmethod
    async def load_session(self, scope: Scope, session_id: str) -> Session | None:
        """Return the session whatever its status or age, or None if this owner has no such session."""

    @abstractmethod
    async def list_sessions(
        self, scope: Scope, *, live_at: datetime | None = None, limit: int = 100, offset: int = 0
    ) -> list[Session]:
        """Return the owner's sessions, last touched first, also within one instant.

        Those of every status; with ``live_at``, neither ended ones nor those with ``expires_at <= live_at``.
        """

    @abstractmethod
    async def session_log(self, scope: Scope, session_id: str, *, last: int) -> SessionLog | None:
        """Return what became of the session and of its ``last`` turns, or None if this owner has no such session."""

    @abstractmethod
    async def latest_session(self, scope: Scope) -> Session | None:
        """Return the owner's chat session (one with ``expires_at``) that was touched last, whatever its status."""

    @abstractmethod
    async def begin_turn(self, scope: Scope, session_id: str, start: TurnStart, *, history_turns: int) -> OpenTurn:
        """The user's message is committed as an open turn and the session is leased to ``start.lease.holder``.

        An open turn left by a lease that ran out is marked failed. If the idempotency key belongs to an answered turn
        of this owner (any session, 24 h), nothing is opened and ``replay`` is set. If it belongs to a failed turn of
        this owner (any session), that turn's ids are used again, so that journaled tool results are found: it is opened
        in place if it was this session's last; else a new turn of this session takes the ids over, and the earlier
        message stays where it was said. The session's expiry is judged here too: ``now >= expires_at`` or an ended
        session is refused, unless there is an answer to replay.

        Raises:
            SessionNotFound: this owner has no such session.
            SessionExpired: it has expired or was ended.
            SessionBusy: a turn of this session, or with this key, runs under a lease with ``now < until``, whoever
                holds it: one process runs many turns. A session cannot expire while one of its turns runs.
            IdempotencyMismatch: same key, other digest.
        """

    @abstractmethod
    async def keyed_session(self, scope: Scope, idempotency_key: str, *, now: datetime) -> str | None:
        """Return the session whose turn was begun under this key in the last 24 h, or None."""

    @abstractmethod
    async def renew_lease(self, scope: Scope, session_id: str, lease: Lease) -> bool:
        """Return whether the lease is still ours; if so it now lasts until ``lease.until``."""

    @abstractmethod
    async def finish_turn(self, scope: Scope, end: TurnEnd) -> Session:
        """Messages, state, reply, recipe and jobs are committed, the lease is given back, the session is touched.

        Raises:
            LeaseLost: the turn is no longer open under this holder; nothing was written.
            StaleState: the stored state has another version than ``end.state.version``; nothing was written.
        """

    @abstractmethod
    async def fail_turn(self, scope: Scope, session_id: str, turn_id: str, *, holder: str, code: str) -> None:
        """The turn is marked failed with an error code and left out of contexts; the lease is given back.

        Its user message stays in the transcript. Does nothing if the turn is not open under this holder.
        """

    @abstractmethod
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
        """Messages of turns that happened elsewhere are appended in order, as closed turns, in one commit.

        A turn starts at each user message; messages before the first one continue the last turn, if it was closed.
        The session is touched, its expiry stays. ``create``: the session of this id is made first, in the same commit.
        If ``once.key`` belongs to a turn of this owner (any session, 24 h), nothing is written, and its session is
        returned; else the first turn that starts here has the key. Raises like ``begin_turn``.
        """

    @abstractmethod
    async def load_messages(
        self, scope: Scope, session_id: str, *, after_seq: int = 0, upto_seq: int | None = None, last: int | None = None
    ) -> list[Message]:
        """Return messages with ``after_seq < seq <= upto_seq`` by ``seq``, failed turns included; ``last`` keeps the newest N."""

    @abstractmethod
    async def load_closed(self, scope: Scope, session_id: str, *, after_seq: int, upto_seq: int) -> list[Message]:
        """Like ``load_messages``, closed turns only."""

    @abstractmethod
    async def load_history(self, scope: Scope, session_id: str, *, after_seq: int, turns: int) -> list[Message]:
        """Return the messages after ``after_seq`` of the last ``turns`` closed turns: ``OpenTurn.history`` by itself."""

    @abstractmethod
    async def write_state(self, scope: Scope, session_id: str, state: State, *, now: datetime) -> State:
        """The state is stored with ``state.version + 1`` and returned.

        Raises:
            SessionNotFound, SessionExpired: as in ``begin_turn``.
            StaleState: the stored version is not ``state.version``.
        """

    @abstractmethod
    async def write_summary(
        self, scope: Scope, session_id: str, summary: str, *, upto_seq: int, expected_upto: int
    ) -> bool:
        """Return whether the summary was stored: only if the stored ``summary_upto`` is still ``expected_upto``."""

    @abstractmethod
    async def load_summary(self, scope: Scope, session_id: str, upto_seq: int) -> str | None:
        """Return the summary that once covered exactly ``upto_seq``, or None."""

    @abstractmethod
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
        """The session is ended; messages given in ``masked`` replace those of the same ``seq``; open turns fail.

        Journaled tool results go, but for those of failed turns that a retry may open again. ``upto_seq``: the last
        message that the caller has read; None: whatever there is. ``interrupt=False`` lets a running turn finish.

        Raises:
            SessionNotFound: this owner has no such session. Ending an ended one does nothing.
            StaleState: messages followed ``upto_seq``; nothing was written.
            SessionBusy: a turn runs under a lease with ``now < until``, and ``interrupt`` is false; nothing was written.
        """

    @abstractmethod
    async def expired_sessions(self, now: datetime, *, limit: int = 100) -> list[tuple[Scope, str]]:
        """Return live sessions whose ``expires_at <= now`` and that no running turn holds, oldest first. For upkeep."""

    @abstractmethod
    async def purge_transcripts(self, ended_before: datetime, *, limit: int = 100) -> int:
        """Sessions ended at or before this instant are gone with messages, turns and recipes; returns how many. For upkeep.

        A session that a pending or running job works on stays until that is done; owners who are writing at this moment
        may be passed over until the next time.
        """

    @abstractmethod
    async def drop_leftovers(self, now: datetime, *, touched_before: datetime) -> int:
        """What ended sessions still hold unmasked is gone; returns how many sessions and calls lost some. For upkeep.

        That is the form slots of sessions last touched before ``touched_before``, which nobody takes over any more, and
        the journaled results of turns whose idempotency key has run out at ``now``, which nobody retries. Owners who are
        writing at this moment may be passed over until the next time.
        """

    @abstractmethod
    async def recover(self, dead: Iterable[str]) -> int:
        """Leases (turns and jobs) of these holders have run out now; returns how many. For start-up after a crash."""

    @abstractmethod
    async def holders(self) -> list[str]:
        """Return the holders that have a turn or job leased at present. For start-up after a crash."""

    # -- tool journal --

    @abstractmethod
    async def journal_start(self, scope: Scope, turn_id: str, key: str, tool: str) -> JournalEntry | None:
        """The call is journaled and None is returned; or, if ``key`` was journaled before, its entry is returned.

        Raises:
            LeaseLost: the turn is no longer open; the call must not run.
        """

    @abstractmethod
    async def journal_finish(self, scope: Scope, turn_id: str, key: str, result: str, *, failed: bool) -> None:
        """The call's result is recorded."""

    # -- contexts --

    @abstractmethod
    async def load_recipe(self, scope: Scope, request_id: str) -> Recipe | None:
        """Return what a finished request was made of, or None."""

    @abstractmethod
    async def recalled_in(self, scope: Scope, session_id: str, *, first_turn: int, last_turn: int) -> list[str]:
        """Return the ids of the memories that reached the contexts of these turns, without repeats."""

    # -- memories --

    @abstractmethod
    async def digest(self, text: str) -> str:
        """Return a keyed hash of ``text`` (HMAC-SHA-256, hex) with a secret of this store's own."""

    @abstractmethod
    async def load_memories(self, scope: Scope, ids: Sequence[str]) -> list[Memory]:
        """Return the owner's memories with these ids, any status, in the order of ``ids``; unknown ones are left out,
        repeated ones returned once."""

    @abstractmethod
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
        """Return memories newest first (``updated_at``, then id, descending); with ``now``, unexpired ones only.

        ``types``: only these; ``without``: none of these.
        """

    @abstractmethod
    async def by_keys(self, scope: Scope, keys: Sequence[str]) -> list[Memory]:
        """Return the memories of every status that have one of these keys, newest first."""

    @abstractmethod
    async def profile(self, scope: Scope, *, now: datetime) -> list[Memory]:
        """Return the active, unexpired memories for which ``policies.in_profile`` holds, by key, then id. Cheap: every turn reads it."""

    @abstractmethod
    async def search(self, scope: Scope, query: Query) -> list[Hit]:
        """Return the union of both arms' best ``limit`` rows that pass the filter.

        Keyword arm: rows with a keyword score above 0, their neighbours' part included. Order: keyword score
        descending, then cosine, then newest row first.

        Raises:
            DimensionMismatch: a stored vector of ``query.model`` has another dimension.
        """

    @abstractmethod
    async def change_memories(self, scope: Scope, change: MemoryChange, *, jobs: Sequence[NewJob] = ()) -> None:
        """All writes of ``change`` are committed with the jobs that follow from them, or none.

        Raises:
            StaleMemory: a revision differs, another active memory has the same single-valued key, or the owner's
                memories have changed since ``change.seen``. (An empty change is never stale.)
        """

    @abstractmethod
    async def memory_version(self, scope: Scope) -> int:
        """Return a number that every change of the owner's memories raises; that one was recalled is no change.

        A decision that rests on what is *not* there, such as "no memory says this yet", is sound only if the number is
        still the same at its commit (``MemoryChange.seen``).
        """

    @abstractmethod
    async def count_recalls(self, scope: Scope, recalled: Mapping[str, datetime | None], *, now: datetime) -> None:
        """These memories were recalled outside of a turn, each with its new deadline; as ``TurnEnd.recalled`` does.

        May be lost with the power, not with the process.
        """

    @abstractmethod
    async def expired_memories(
        self, now: datetime, *, scope: Scope | None = None, limit: int = 100
    ) -> list[tuple[Scope, str]]:
        """Return memories of every status whose ``expires_at <= now``, soonest first, of one owner or of all. For upkeep.

        What is not due costs nothing, however many owners there are.
        """

    @abstractmethod
    async def tombstones(self, scope: Scope, *, keys: Sequence[str], digests: Sequence[str]) -> list[Tombstone]:
        """Return deletion records with one of these hashes of keys or of contents."""

    @abstractmethod
    async def unsaid(self, scope: Scope, session_id: str) -> frozenset[int]:
        """Return the ``seq`` of the messages of this session that said what has been deleted since."""

    @abstractmethod
    async def unembedded(self, scope: Scope, model: str, *, limit: int = 256) -> list[Memory]:
        """Return memories for which no vector of this model was put, in the order of insertion."""

    @abstractmethod
    async def drop_vectors(self, scope: Scope, *, model: str, dim: int) -> int:
        """Vectors that another model than this made, or that have another dimension, are gone; returns how many."""

    @abstractmethod
    async def put_vectors(self, scope: Scope, model: str, vectors: Mapping[str, Vector]) -> None:
        """Vectors are stored by memory id; ids that no longer exist are ignored.

        A vector that is zero or not finite is not stored, but counts as put: the memory is found by keyword only.

        Raises:
            DimensionMismatch: vectors of this model are stored with another dimension.
        """

    # -- background --

    @abstractmethod
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
        """Memories, outcome and watermark are committed together.

        Puts of *new* memories that a tombstone committed in the meantime forbids are left out.

        Raises:
            StaleMemory: as in ``change_memories``; also if the watermark is not ``expected_watermark`` any more or the
                session is gone. Nothing was written; read again and decide anew.
        """

    @abstractmethod
    async def extractions(self, scope: Scope, *, session_id: str | None = None, limit: int = 100) -> list[Extraction]:
        """Return stored outcomes, newest first."""

    @abstractmethod
    async def enqueue(self, scope: Scope, job: NewJob) -> None:
        """The job is pending (see ``NewJob``); it counts as created at its ``run_at``."""

    @abstractmethod
    async def claim_job(self, lease: Lease, *, scope: Scope | None = None, after: Sequence[Scope] = ()) -> Job | None:
        """Return the job that has been due longest, now running under this lease, or None.

        Due: pending since ``run_at``, or running since its lease ran out (``until <= now``); never a pending one whose
        owner has a running job of its kind. ``attempts`` counts this one. ``scope`` limits it to one owner.

        ``after``: tenants take turns, and so do the owners of each: for each tenant at most one owner, who was served
        last of it; the owner served last of all comes last. Of the tenants with a due job comes first the one that
        follows that owner's in the order of their names, which begins anew at its end; of its owners the one that
        follows the tenant's own in ``after``, in the order in which the store met them, which begins anew, too. So the
        many jobs of one owner never keep others waiting, nor the many owners of one tenant other tenants.

        Jobs that others write at this moment may be passed over; the next claim finds them.
        """

    async def listen(self, wake: Callable[[], None]) -> None:
        """``wake`` is called whenever another process may have enqueued a job, until this is cancelled.

        A store that cannot tell never calls it: workers look for jobs by themselves, only later.
        """
        await asyncio.get_running_loop().create_future()

    @abstractmethod
    async def renew_job(self, job: Job, lease: Lease) -> bool:
        """Return whether the job is still ours; if so its lease now lasts until ``lease.until``."""

    @abstractmethod
    async def finish_job(self, job: Job, *, holder: str, now: datetime) -> None:
        """The job is done; of the done jobs of one kind and subject the last is kept. Does nothing if no longer ours."""

    @abstractmethod
    async def fail_job(self, job: Job, *, holder: str, now: datetime, error: str, retry_at: datetime | None) -> None:
        """The job is pending again from ``retry_at``, or dead if that is None. Does nothing if it is no longer ours.

        A job of the same kind and subject that became pending meanwhile merges into one that is pending again.
        """

    @abstractmethod
    async def release_job(self, job: Job, *, holder: str) -> None:
        """The job is pending as before it was claimed: due at once, this attempt not counted. Does nothing if no longer ours.

        Merges like ``fail_job``.
        """

    @abstractmethod
    async def replay_job(self, scope: Scope, job_id: str, *, now: datetime) -> Job:
        """A dead job is pending again with no attempts; one of the same kind and subject that is pending merges into it.

        Raises:
            JobNotFound: this owner has no dead job of this id.
        """

    @abstractmethod
    async def discard_job(self, scope: Scope, job_id: str) -> None:
        """A dead job is gone for good. What it was to work on stays; the next job of its kind and subject does it.

        Raises:
            JobNotFound: this owner has no dead job of this id.
        """

    @abstractmethod
    async def load_job(self, job_id: str) -> Job | None:
        """Return the job of this id, whoever owns it, or None. An operator's view: ids and states, no text."""

    @abstractmethod
    async def list_jobs(
        self,
        *,
        scope: Scope | None = None,
        tenant: str | None = None,
        statuses: frozenset[JobStatus] | None = None,
        subject: str | None = None,
        limit: int = 100,
    ) -> list[Job]:
        """Return jobs, last enqueued first. Without ``scope``: an operator's view of ids and states, no text.

        ``tenant``: only those of its owners.
        """

    @abstractmethod
    async def count_due(self, *, scope: Scope | None, now: datetime) -> int:
        """Return how many jobs with ``run_at <= now`` are pending or running."""

    @abstractmethod
    async def oldest_due(self, *, now: datetime) -> datetime | None:
        """Return the earliest ``run_at`` of the jobs that ``count_due`` counts, or None: since when work has waited."""

    # -- who runs jobs --

    async def clock(self) -> datetime:
        """Return the time by the clock that every process on this database can ask: here, this machine's."""
        return datetime.now(UTC)

    @abstractmethod
    async def beat(self, beat: WorkerBeat) -> None:
        """The process was alive at ``beat.beat_at``; its former beat is forgotten.

        The first beat of a process takes the place of the one of its role that has been missing longest at that time,
        if any: it was started again. Beats whose ``until`` passed ``BEATS_KEPT`` ago are forgotten.
        """

    @abstractmethod
    async def drop_worker(self, holder: str) -> None:
        """The process has stopped on purpose: it is not missing."""

    @abstractmethod
    async def workers(self, *, now: datetime) -> list[WorkerBeat]:
        """Return the last beats of the processes that run jobs, the one started first first."""

    # -- shares --

    @abstractmethod
    async def count_use(self, scope: Scope, what: str, *, now: datetime, until: datetime) -> int:
        """Return how often this owner has used ``what`` in the window that ends at ``until``, this time included.

        Windows that ended at or before ``now`` are forgotten. A scope with an empty user stands for its whole tenant.
        May be lost with the power, not with the process.
        """

    # -- owners --

    @abstractmethod
    async def list_owners(self, *, after: Scope | None = None, limit: int = 100) -> list[Scope]:
        """Return owners that have something stored, by tenant, then user, beginning behind ``after``. For upkeep."""

    @abstractmethod
    async def erase(self, scope: Scope) -> Mapping[str, int]:
        """Nothing of this owner is left in any table, index or cache; returns the number of rows removed by kind.

        Kinds are ``sessions``, ``messages``, ``turns``, ``jobs``, ``memories`` and others that a backend has.

        A turn or job of this owner that is still running fails at its commit.
        """


# --- moving to another store ------------------------------------------------------------------------------------------

Row = Mapping[str, str | int | float | bytes | None]
"""A row by column: instants in microseconds, documents as JSON text, vectors as little-endian float32 bytes."""


class Portable(Store):
    """A store from which, and into which, everything can be moved."""

    @abstractmethod
    async def secret(self) -> str:
        """Return the secret of the store's keyed hashes, hex. Who has it can guess what was deleted: never show it."""

    @abstractmethod
    async def adopt(self, secret: str) -> None:
        """The store's keyed hashes are made with this secret from now on.

        Raises:
            Conflict: somebody's data is here already, hashed with another one.
        """

    @abstractmethod
    def dump(self, scope: Scope) -> AsyncGenerator[tuple[str, Sequence[Row]], None]:
        """Yield every row of this owner by table, as of one moment, in an order in which they can be inserted.

        Tables and columns are those of ``stores.columns.COLUMNS``; a table may come in several pieces. Rows are in the
        order of their keys. One row of ``owners`` comes first.
        """

    @abstractmethod
    async def replace_owner(self, scope: Scope, rows: AsyncIterator[tuple[str, Sequence[Row]]]) -> None:
        """The owner has exactly these rows (of ``dump``), in one commit, whatever was there before.

        The version of the owner's memories (``memory_version``) is higher than any before.
        """


async def every_owner(store: Store) -> AsyncIterator[Scope]:
    """Yield every owner, in the order of ``Store.list_owners``; only a page of them is in memory."""
    last: Scope | None = None
    while page := await store.list_owners(after=last):
        for scope in page:
            yield scope
        last = page[-1]
