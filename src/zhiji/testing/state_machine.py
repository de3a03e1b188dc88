"""A state machine: whatever owners do, in whatever order, a store answers as the in-memory reference does.

Hypothesis invents sequences of steps, runs each step on both stores, compares what they return or raise and then all that
can be seen, and makes what differs as short as it can. ``compare`` runs it; it needs the package ``hypothesis``. What
stores may do in any order among equals is put in order before it is compared; nothing else is left out.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, consumes, invariant, multiple, precondition, rule

from zhiji.stores.base import (
    Lease,
    MemoryChange,
    MemoryPut,
    NewJob,
    Once,
    OpenTurn,
    Store,
    Tombstone,
    TurnStart,
    Vector,
)
from zhiji.testing.comparison import DIGESTS, MODEL, SCOPES, Empty, comparable, differences, everything, outcome
from zhiji.testing.doubles import EPOCH
from zhiji.testing.machine import Machine, run
from zhiji.testing.values import LEASE, TTL, answered, end, memory, said
from zhiji.types import Extraction, Job, JobKind, Message, Scope, Session, Source, State, WorkerBeat, WorkerRole

T = TypeVar("T")

GivenJobs = list[tuple[JobKind, int]]
"""Kind, and seconds from now until it is due."""
Begun = tuple[Scope, OpenTurn, str]
"""Owner, turn and holder."""
Claimed = tuple[Job, Job, str]
"""A job as the reference and as the store named it, and its holder."""

scopes = st.sampled_from(SCOPES)
sessions = st.sampled_from(["ses_1", "ses_2", "a*"])
holders = st.sampled_from(["host/1/a", "host/2/b"])
keys = st.sampled_from([None, "k1", "k2"])
words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
seqs = st.integers(0, 12)
behind = st.sampled_from([0, 0, 0, 1])
"""How far behind a writer is."""
given_jobs = st.lists(st.tuples(st.sampled_from(JobKind), st.integers(-60, 60)), max_size=2)
seconds_passed = st.sampled_from([0, 1, 29, 30, 31, 1799, 1800, 86_400])
served = st.lists(scopes, max_size=2, unique_by=lambda scope: scope.tenant)
"""Who was served last: of each tenant at most one."""
names = st.sampled_from(["m1", "m2", "m3", "m4"])
memory_keys = st.sampled_from([None, "identity:name", "order:OD1"])
vectors = st.none() | st.sampled_from([(1.0, 0.0), (0.6, 0.8), (0.0, 0.0), (1.0, 0.0, 0.0)])


def compare(empty: Empty, *, examples: int = 40, steps: int = 40) -> None:
    """The store answers as the reference does in so many sequences of at most so many steps.

    Args:
        empty: gives an empty database each time; a sequence opens one store in it.

    Raises:
        AssertionError: it does not; the message and the output tell the shortest sequence found.
    """
    run(lambda: StoreMachine(empty), examples=examples, steps=steps)


class StoreMachine(Machine):
    """Runs each step on both stores and compares what they return or raise."""

    opened = Bundle("opened")
    running = Bundle("running")

    def __init__(self, empty: Empty) -> None:
        """Two empty stores at the epoch."""
        super().__init__(empty)
        self.now = EPOCH
        self.turns = 0

    def pair(self, step: Callable[[Store], Awaitable[T]]) -> tuple[T, T] | None:
        """Return what both stores return for this step, or None if both raise the same error."""
        one, other = [self.runner.run(outcome(step, store)) for store in (self.reference, self.store)]
        assert comparable(one) == comparable(other), f"the reference: {one!r}\nthe store: {other!r}"
        return None if isinstance(one, type) or isinstance(other, type) else (one, other)

    def both(self, step: Callable[[Store], Awaitable[T]]) -> T | None:
        """Return what the store returns for this step, if the reference returns the same; None if both raise."""
        found = self.pair(step)
        return None if found is None else found[1]

    def known(self, scope: Scope, id: str) -> Session | None:
        """Return a session as the reference has it."""
        return self.runner.run(self.reference.load_session(scope, id))

    def lease(self, holder: str) -> Lease:
        """Return a lease from now."""
        return Lease(holder=holder, now=self.now, until=self.now + LEASE)

    def jobs(self, given: GivenJobs, subject: str) -> list[NewJob]:
        """Return these jobs, due relative to now."""
        return [NewJob(kind=kind, subject=subject, run_at=self.now + timedelta(seconds=s)) for kind, s in given]

    # -- time and sessions --

    @rule(seconds=seconds_passed)
    def wait(self, seconds: int) -> None:
        """Time passes."""
        self.now += timedelta(seconds=seconds)

    @rule(scope=scopes, id=sessions, chat=st.booleans(), summary=st.sampled_from(["", "摘要"]))
    def create(self, scope: Scope, id: str, chat: bool, summary: str) -> None:
        """A session is made, unless its id is taken."""
        if self.known(scope, id) is None:
            expires = self.now + TTL if chat else None
            session = Session(id=id, created_at=self.now, touched_at=self.now, expires_at=expires, summary=summary)
            self.both(lambda store: store.create_session(scope, session))

    @rule(scope=scopes, id=sessions, back=behind, slots=st.dictionaries(words, words, max_size=2))
    def write_state(self, scope: Scope, id: str, back: int, slots: dict[str, str]) -> None:
        """A state is written on top of the stored version or of an older one."""
        session = self.known(scope, id)
        state = State(version=session.state.version - back if session else 0, slots=dict(slots))
        self.both(lambda store: store.write_state(scope, id, state, now=self.now))

    @rule(scope=scopes, id=sessions, upto=seqs, back=behind)
    def write_summary(self, scope: Scope, id: str, upto: int, back: int) -> None:
        """A summary is written on top of the stored one or of an older one."""
        session = self.known(scope, id)
        expected = session.summary_upto - back if session else 0
        text = f"{expected}→{upto}"
        self.both(lambda store: store.write_summary(scope, id, text, upto_seq=upto, expected_upto=expected))
        self.both(lambda store: store.load_summary(scope, id, upto))

    @rule(scope=scopes, id=sessions, given=given_jobs, read=st.none() | seqs, interrupt=st.booleans())
    def end_session(self, scope: Scope, id: str, given: GivenJobs, read: int | None, interrupt: bool) -> None:
        """A session is ended, its first message masked."""
        first = self.runner.run(self.reference.load_messages(scope, id, upto_seq=1))
        masked = [replace(message, content="***") for message in first]
        jobs = self.jobs(given, id)
        self.both(
            lambda store: store.end_session(
                scope, id, masked=masked, jobs=jobs, now=self.now, upto_seq=read, interrupt=interrupt
            )
        )

    @rule()
    def sweep(self) -> None:
        """Upkeep purges old transcripts and what ended sessions still hold."""
        self.both(lambda store: store.drop_leftovers(self.now, touched_before=self.now - timedelta(minutes=20)))
        self.both(lambda store: store.purge_transcripts(self.now - timedelta(hours=1)))

    @rule(scope=scopes, id=sessions, after=seqs, turns=st.integers(0, 3))
    def read_history(self, scope: Scope, id: str, after: int, turns: int) -> None:
        """The last closed turns are read."""
        self.both(lambda store: store.load_history(scope, id, after_seq=after, turns=turns))
        self.both(lambda store: store.list_sessions(scope, live_at=self.now, limit=2, offset=turns))

    # -- turns --

    @rule(
        target=opened,
        scope=scopes,
        id=sessions,
        text=words,
        holder=holders,
        key=keys,
        digest=st.sampled_from(["d", "d", "d", "e"]),
        turns=st.integers(0, 3),
    )
    def begin(self, scope: Scope, id: str, text: str, holder: str, key: str | None, digest: str, turns: int) -> object:
        """A turn begins, if it may."""
        self.turns += 1
        start = TurnStart(
            turn_id=f"trn_{self.turns}",
            request_id=f"req_{self.turns}",
            message=replace(said(text), time=self.now),
            lease=self.lease(holder),
            idempotency_key=key,
            body_digest=digest,
        )
        found = self.both(lambda store: store.begin_turn(scope, id, start, history_turns=turns))
        if key is not None:
            self.both(lambda store: store.keyed_session(scope, key, now=self.now))
        return multiple() if found is None or found.replay is not None else (scope, found, holder)

    @rule(
        turn=opened,
        given=given_jobs,
        replies=st.integers(0, 2),
        recalled=st.lists(names, max_size=2),
        days=st.sampled_from([None, 0.001, 30.0]),
    )
    def finish(self, turn: Begun, given: GivenJobs, replies: int, recalled: list[str], days: float | None) -> None:
        """A turn ends, if it still may; perhaps not for the first time."""
        scope, found, holder = turn
        messages = [answered(f"答{number}") for number in range(replies)]
        jobs = self.jobs(given, found.session.id)
        until = None if days is None else self.now + timedelta(days=days)
        closing = end(found, messages=messages, holder=holder, jobs=jobs, recalled=recalled, until=until)
        closing = replace(closing, now=self.now, expires_at=self.now + TTL if found.session.expires_at else None)
        self.both(lambda store: store.finish_turn(scope, closing))
        self.both(lambda store: store.load_recipe(scope, found.request_id))

    @rule(turn=opened, holder=holders)
    def fail(self, turn: Begun, holder: str) -> None:
        """A turn fails, if it is open under this holder."""
        scope, found, _ = turn
        self.both(lambda store: store.fail_turn(scope, found.session.id, found.turn_id, holder=holder, code="test"))

    @rule(turn=opened)
    def renew(self, turn: Begun) -> None:
        """A lease is renewed, if it still may be."""
        scope, found, holder = turn
        self.both(lambda store: store.renew_lease(scope, found.session.id, self.lease(holder)))

    @rule(turn=opened, key=st.sampled_from("xy"), done=st.booleans())
    def journal(self, turn: Begun, key: str, done: bool) -> None:
        """A write call is journaled, and perhaps completed."""
        scope, found, _ = turn
        self.both(lambda store: store.journal_start(scope, found.turn_id, key, "refund"))
        if done:
            self.both(lambda store: store.journal_finish(scope, found.turn_id, key, "已退", failed=False))

    @rule(
        scope=scopes,
        id=sessions,
        roles=st.lists(st.sampled_from(["user", "assistant"]), max_size=4),
        given=given_jobs,
        key=keys,
        digest=st.sampled_from(["i", "i", "j"]),
        new=st.booleans(),
    )
    def append(
        self, scope: Scope, id: str, roles: list[str], given: GivenJobs, key: str | None, digest: str, new: bool
    ) -> None:
        """Turns that happened elsewhere are appended, perhaps under a key, perhaps to a new session."""
        messages: list[Message] = [
            replace(said("问") if role == "user" else answered("答"), time=self.now) for role in roles
        ]
        jobs = self.jobs(given, id)
        once = Once(key=key, digest=digest) if key else None
        made = Session(id=id, created_at=self.now, touched_at=self.now, expires_at=None)
        create = made if new and self.known(scope, id) is None else None
        self.both(
            lambda store: store.append_turns(scope, id, messages, jobs=jobs, now=self.now, create=create, once=once)
        )

    # -- memories --

    @rule(scope=scopes, name=names, key=memory_keys, vector=vectors, given=given_jobs, disturbed=st.booleans())
    def remember(
        self,
        scope: Scope,
        name: str,
        key: str | None,
        vector: Sequence[float] | None,
        given: GivenJobs,
        disturbed: bool,
    ) -> None:
        """A new memory is written, decided on what was known then; perhaps something has changed since."""
        until = None if key else self.now + timedelta(minutes=5)
        row = replace(memory(name, "喜欢茶 tea", key=key), updated_at=self.now, expires_at=until)
        put = MemoryPut(memory=row, terms={"茶": 1})
        is_new = not self.runner.run(self.reference.load_memories(scope, [name]))
        if vector is not None and key is None and is_new:  # else two reasons to refuse it, of which one is told
            put = replace(put, vector=array(vector), model=MODEL)
        jobs = self.jobs(given, "owner")

        async def decide(store: Store) -> None:
            seen = await store.memory_version(scope)
            if disturbed:
                await store.change_memories(scope, MemoryChange(deletes=["nobody"]))
            await store.change_memories(scope, MemoryChange(puts=[put], seen=seen), jobs=jobs)

        self.both(decide)

    @rule(scope=scopes, gone=st.lists(names, max_size=2), digest=st.sampled_from(DIGESTS), id=sessions, seq=seqs)
    def forget(self, scope: Scope, gone: list[str], digest: str, id: str, seq: int) -> None:
        """Memories are deleted, and what said them is noted."""
        record = Tombstone(key=None, content_digest=digest, deleted_at=self.now)
        unsaid = [Source(session=id, seqs=(seq,))] if seq else []
        self.both(
            lambda store: store.change_memories(scope, MemoryChange(deletes=gone, tombstones=[record], unsaid=unsaid))
        )

    @rule(
        scope=scopes, made=st.dictionaries(names, vectors.filter(bool), max_size=2), model=st.sampled_from(["m", "n"])
    )
    def embed(self, scope: Scope, made: dict[str, Sequence[float]], model: str) -> None:
        """Vectors are put, of one dimension each time."""
        if len({len(vector) for vector in made.values()}) < 2:
            given = {name: array(vector) for name, vector in made.items()}
            self.both(lambda store: store.put_vectors(scope, model, given))

    @rule(scope=scopes, model=st.sampled_from(["m", "n"]), dim=st.sampled_from([2, 3]))
    def drop_vectors(self, scope: Scope, model: str, dim: int) -> None:
        """Another embedder comes: what is not of it is gone."""
        self.both(lambda store: store.drop_vectors(scope, model=model, dim=dim))

    # -- jobs --

    @rule(scope=scopes, id=sessions, given=given_jobs)
    def enqueue(self, scope: Scope, id: str, given: GivenJobs) -> None:
        """Jobs are enqueued."""
        for job in self.jobs(given, id):
            self.both(lambda store, job=job: store.enqueue(scope, job))  # type: ignore[misc]  # bound for the loop

    @rule(target=running, holder=holders, scope=st.none() | st.none() | scopes, after=served)
    def claim(self, holder: str, scope: Scope | None, after: list[Scope]) -> object:
        """The job that is due is claimed."""
        jobs = self.pair(lambda store: store.claim_job(self.lease(holder), scope=scope, after=after))
        return multiple() if jobs is None or jobs[0] is None else (*jobs, holder)

    @rule(job=running)
    def renew_job(self, job: Claimed) -> None:
        """A job sends its heartbeat."""
        self.both(lambda store: store.renew_job(self.own(store, job), self.lease(job[2])))

    @rule(job=running, holder=holders)
    def release_job(self, job: Claimed, holder: str) -> None:
        """A job is given back, if it is this holder's."""
        self.both(lambda store: store.release_job(self.own(store, job), holder=holder))

    @rule(job=consumes(running))
    def finish_job(self, job: Claimed) -> None:
        """A job is done."""
        self.both(lambda store: store.finish_job(self.own(store, job), holder=job[2], now=self.now))

    @rule(job=running, seconds=st.none() | st.integers(0, 60))
    def fail_job(self, job: Claimed, seconds: int | None) -> None:
        """A job fails, for now or for good."""
        retry_at = None if seconds is None else self.now + timedelta(seconds=seconds)
        self.both(
            lambda store: store.fail_job(
                self.own(store, job), holder=job[2], now=self.now, error="x", retry_at=retry_at
            )
        )

    def own(self, store: Store, job: Claimed) -> Job:
        """Return the job as this store named it."""
        return job[0] if store is self.reference else job[1]

    @rule(scope=scopes, job=running)
    def replay(self, scope: Scope, job: Claimed) -> None:
        """A job is replayed, if it is dead and the owner's."""
        self.both(lambda store: store.replay_job(scope, self.own(store, job).id, now=self.now))

    @rule(scope=scopes, job=running)
    def discard(self, scope: Scope, job: Claimed) -> None:
        """A job is discarded, if it is dead and the owner's."""
        self.both(lambda store: store.discard_job(scope, self.own(store, job).id))
        self.both(lambda store: store.load_job(self.own(store, job).id))

    @rule(tenant=st.sampled_from([scope.tenant for scope in SCOPES]), subject=st.none() | sessions)
    def look_up_jobs(self, tenant: str, subject: str | None) -> None:
        """An operator looks at the jobs of a tenant."""
        self.both(lambda store: store.list_jobs(tenant=tenant, subject=subject, limit=2))

    # -- processes and shares --

    @rule(holder=holders, role=st.sampled_from(WorkerRole), patience=st.sampled_from([1, 30, 90_000]))
    def beat(self, holder: str, role: WorkerRole, patience: int) -> None:
        """A process shows that it is alive."""
        until = self.now + timedelta(seconds=patience)
        beat = WorkerBeat(holder=holder, role=role, started_at=EPOCH, beat_at=self.now, until=until, running=patience)
        self.both(lambda store: store.beat(beat))

    @rule(holder=holders)
    def stop(self, holder: str) -> None:
        """A process stops on purpose."""
        self.both(lambda store: store.drop_worker(holder))

    @rule(dead=st.lists(holders, max_size=2))
    def recover(self, dead: list[str]) -> None:
        """Processes have died."""
        self.both(lambda store: store.recover(dead))

    @rule(scope=scopes | st.just(Scope("shop", "")), what=st.sampled_from(["turn", "job"]), window=st.integers(1, 2))
    def use(self, scope: Scope, what: str, window: int) -> None:
        """Something is used that has a limit."""
        until = self.now + timedelta(seconds=30 * window)
        self.both(lambda store: store.count_use(scope, what, now=self.now, until=until))

    @rule(
        scope=scopes,
        id=sessions,
        back=behind,
        watermark=seqs,
        given=given_jobs,
        name=st.none() | names,
        key=memory_keys,
        sources=st.booleans(),
    )
    def sediment(
        self,
        scope: Scope,
        id: str,
        back: int,
        watermark: int,
        given: GivenJobs,
        name: str | None,
        key: str | None,
        sources: bool,
    ) -> None:
        """A pass of extraction is committed, if nobody was faster."""
        session = self.known(scope, id)
        expected = session.extracted_upto - back if session else 0
        outcome = Extraction(
            session=id, first_seq=1, last_seq=watermark, outcome="nothing", extractor="rules", time=self.now
        )
        cited = (Source(session=id, seqs=(1,)),) if sources else ()
        row = replace(memory(name or "", "住在杭州", key=key, sources=cited), updated_at=self.now)
        puts = [MemoryPut(memory=row, terms={"杭州": 1})] if name else []
        jobs = self.jobs(given, id)
        self.both(
            lambda store: store.commit_sediment(
                scope,
                id,
                change=MemoryChange(puts=puts),
                outcome=outcome,
                expected_watermark=expected,
                watermark=watermark,
                jobs=jobs,
            )
        )

    @rule(scope=scopes, key=memory_keys)
    def bury(self, scope: Scope, key: str | None) -> None:
        """What extraction tells is deleted for good: only a later message may bring it back."""

        async def delete(store: Store) -> None:
            record = Tombstone(
                key=await store.digest(key) if key else None,
                content_digest=await store.digest("住在杭州"),
                deleted_at=self.now,
            )
            await store.change_memories(scope, MemoryChange(tombstones=[record]))

        self.both(delete)

    # -- owners --

    @precondition(lambda self: self.turns > 3)
    @rule(scope=scopes)
    def erase(self, scope: Scope) -> None:
        """An owner is erased."""
        self.both(lambda store: store.erase(scope))

    @rule(after=st.none() | scopes, limit=st.integers(1, 3))
    def list_owners(self, after: Scope | None, limit: int) -> None:
        """Those who have something stored are looked for."""
        self.both(lambda store: store.list_owners(after=after, limit=limit))

    # -- what is seen --

    @invariant()
    def they_agree(self) -> None:
        """Every read of every owner is the same on both."""
        one, other = [self.runner.run(everything(store, self.now)) for store in (self.reference, self.store)]
        assert one == other, differences(one, other)


def array(values: Sequence[float]) -> Vector:
    """Return the values as a vector."""
    return np.array(values, np.float32)
