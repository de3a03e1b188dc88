"""Whatever two owners do, in whatever order: the SQLite store answers as the reference does."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, precondition, rule

from zhiji.errors import ZhijiError
from zhiji.stores.base import Lease, MemoryChange, NewJob, Once, OpenTurn, Store, TurnStart
from zhiji.stores.memory import MemoryStore
from zhiji.stores.sqlite import SqliteStore
from zhiji.testing.doubles import EPOCH
from zhiji.testing.values import ALICE, BOB, LEASE, TTL, answered, end, said
from zhiji.types import (
    Extraction,
    Job,
    JobKind,
    JobStatus,
    Message,
    Scope,
    Session,
    State,
    WorkerBeat,
    WorkerRole,
)

T = TypeVar("T")

SCOPES = st.sampled_from([ALICE, BOB])
SESSIONS = st.sampled_from(["ses_1", "ses_2", "a*"])
HOLDERS = st.sampled_from(["host/1/a", "host/2/b"])
KEYS = st.sampled_from([None, "k1", "k2"])
WORDS = st.text(st.characters(codec="utf-8"), max_size=8)
SEQS = st.integers(0, 12)
BACK = st.sampled_from([0, 0, 0, 1])
"""How far behind a writer is."""
JOBS = st.lists(st.tuples(st.sampled_from(JobKind), st.integers(-60, 60)), max_size=2)
SECONDS = st.sampled_from([0, 1, 29, 30, 31, 1799, 1800, 86_400])


class StoreMachine(RuleBasedStateMachine):
    """Runs each step on both stores and compares what they return or raise."""

    opened = Bundle("opened")
    running = Bundle("running")

    def __init__(self) -> None:
        """Two empty stores at the epoch."""
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.reference: Store = MemoryStore()
        self.sqlite: Store = self.run(SqliteStore.open(Path(self.folder.name) / "zhiji.db"))
        self.now = EPOCH
        self.turns = 0

    def teardown(self) -> None:
        """Both stores are closed."""
        self.run(self.sqlite.close())
        self.loop.close()
        self.folder.cleanup()

    def run(self, work: Awaitable[T]) -> T:
        """Return what the coroutine returns."""

        async def wait() -> T:
            return await work

        return self.loop.run_until_complete(wait())

    def both(self, step: Callable[[Store], Awaitable[T]]) -> T | None:
        """Return what both stores return for this step, or None if both raise the same error."""
        answers = [self.answer(step, store) for store in (self.reference, self.sqlite)]
        assert without_ids(answers[0]) == without_ids(answers[1])
        return None if isinstance(answers[1], type) else answers[1]

    def pair(self, step: Callable[[Store], Awaitable[T]]) -> tuple[T, T] | None:
        """Like ``both`` for results that each store names on its own."""
        answers = [self.answer(step, store) for store in (self.reference, self.sqlite)]
        assert without_ids(answers[0]) == without_ids(answers[1])
        one, other = answers
        return None if isinstance(one, type) or isinstance(other, type) else (one, other)

    def answer(self, step: Callable[[Store], Awaitable[T]], store: Store) -> T | type[ZhijiError]:
        """Return the result of one store, or the class of what it raised."""
        try:
            return self.run(step(store))
        except ZhijiError as error:
            return type(error)

    def lease(self, holder: str) -> Lease:
        """Return a lease from now."""
        return Lease(holder=holder, now=self.now, until=self.now + LEASE)

    def jobs(self, given: list[tuple[JobKind, int]], subject: str) -> list[NewJob]:
        """Return these jobs, due relative to now."""
        return [NewJob(kind=kind, subject=subject, run_at=self.now + timedelta(seconds=s)) for kind, s in given]

    # -- time and sessions --

    @rule(seconds=SECONDS)
    def wait(self, seconds: int) -> None:
        """Time passes."""
        self.now += timedelta(seconds=seconds)

    @rule(scope=SCOPES, id=SESSIONS, chat=st.booleans(), summary=st.sampled_from(["", "摘要"]))
    def create(self, scope: Scope, id: str, chat: bool, summary: str) -> None:
        """A session is made, unless its id is taken."""
        if self.run(self.reference.load_session(scope, id)) is None:
            expires = self.now + TTL if chat else None
            session = Session(id=id, created_at=self.now, touched_at=self.now, expires_at=expires, summary=summary)
            self.both(lambda store: store.create_session(scope, session))

    @rule(scope=SCOPES, id=SESSIONS, back=BACK, slots=st.dictionaries(WORDS, WORDS, max_size=2))
    def write_state(self, scope: Scope, id: str, back: int, slots: dict[str, str]) -> None:
        """A state is written on top of the stored version or of an older one."""
        session = self.run(self.reference.load_session(scope, id))
        version = session.state.version - back if session else 0
        state = State(version=version, slots=dict(slots))
        self.both(lambda store: store.write_state(scope, id, state, now=self.now))

    @rule(scope=SCOPES, id=SESSIONS, upto=SEQS, back=BACK)
    def write_summary(self, scope: Scope, id: str, upto: int, back: int) -> None:
        """A summary is written on top of the stored one or of an older one."""
        session = self.run(self.reference.load_session(scope, id))
        expected = session.summary_upto - back if session else 0
        text = f"{expected}→{upto}"
        self.both(lambda store: store.write_summary(scope, id, text, upto_seq=upto, expected_upto=expected))
        self.both(lambda store: store.load_summary(scope, id, upto))

    @rule(scope=SCOPES, id=SESSIONS, given=JOBS, read=st.none() | SEQS, interrupt=st.booleans())
    def end_session(
        self, scope: Scope, id: str, given: list[tuple[JobKind, int]], read: int | None, interrupt: bool
    ) -> None:
        """A session is ended, its first message masked."""
        first = self.run(self.reference.load_messages(scope, id, upto_seq=1))
        masked = [replace(message, content="***") for message in first]
        jobs = self.jobs(given, id)
        options: dict[str, Any] = {"upto_seq": read, "interrupt": interrupt}
        self.both(lambda store: store.end_session(scope, id, masked=masked, jobs=jobs, now=self.now, **options))

    @rule()
    def sweep(self) -> None:
        """Upkeep looks for expired sessions and purges old transcripts."""
        expired = [
            sorted(self.run(store.expired_sessions(self.now)), key=repr) for store in (self.reference, self.sqlite)
        ]
        assert expired[0] == expired[1]
        self.both(lambda store: store.drop_leftovers(self.now, touched_before=self.now - timedelta(minutes=20)))
        self.both(lambda store: store.purge_transcripts(self.now - timedelta(hours=1)))

    # -- turns --

    @rule(
        target=opened,
        scope=SCOPES,
        id=SESSIONS,
        words=WORDS,
        holder=HOLDERS,
        key=KEYS,
        digest=st.sampled_from(["d", "d", "d", "e"]),
        turns=st.integers(0, 3),
    )
    def begin(self, scope: Scope, id: str, words: str, holder: str, key: str | None, digest: str, turns: int) -> object:
        """A turn begins, if it may."""
        self.turns += 1
        start = TurnStart(
            turn_id=f"trn_{self.turns}",
            request_id=f"req_{self.turns}",
            message=replace(said(words), time=self.now),
            lease=self.lease(holder),
            idempotency_key=key,
            body_digest=digest,
        )
        found = self.both(lambda store: store.begin_turn(scope, id, start, history_turns=turns))
        if key is not None:
            self.both(lambda store: store.keyed_session(scope, key, now=self.now))
        return multiple() if found is None or found.replay is not None else (scope, found, holder)

    @rule(turn=opened, given=JOBS, replies=st.integers(0, 2), recalled=st.lists(st.sampled_from("ab"), max_size=2))
    def finish(
        self, turn: tuple[Scope, OpenTurn, str], given: list[tuple[JobKind, int]], replies: int, recalled: list[str]
    ) -> None:
        """A turn ends, if it still may; perhaps not for the first time."""
        scope, found, holder = turn
        messages = [answered(f"答{number}") for number in range(replies)]
        jobs = self.jobs(given, found.session.id)
        closing = end(found, messages=messages, holder=holder, jobs=jobs, recalled=recalled)
        closing = replace(closing, now=self.now, expires_at=self.now + TTL if found.session.expires_at else None)
        self.both(lambda store: store.finish_turn(scope, closing))
        self.both(lambda store: store.load_recipe(scope, found.request_id))

    @rule(turn=opened, holder=HOLDERS)
    def fail(self, turn: tuple[Scope, OpenTurn, str], holder: str) -> None:
        """A turn fails, if it is open under this holder."""
        scope, found, _ = turn
        self.both(lambda store: store.fail_turn(scope, found.session.id, found.turn_id, holder=holder, code="test"))

    @rule(turn=opened)
    def renew(self, turn: tuple[Scope, OpenTurn, str]) -> None:
        """A lease is renewed, if it still may be."""
        scope, found, holder = turn
        self.both(lambda store: store.renew_lease(scope, found.session.id, self.lease(holder)))

    @rule(turn=opened, key=st.sampled_from("xy"), done=st.booleans())
    def journal(self, turn: tuple[Scope, OpenTurn, str], key: str, done: bool) -> None:
        """A write call is journaled, and perhaps completed."""
        scope, found, _ = turn
        self.both(lambda store: store.journal_start(scope, found.turn_id, key, "refund"))
        if done:
            self.both(lambda store: store.journal_finish(scope, found.turn_id, key, "已退", failed=False))

    @rule(
        scope=SCOPES,
        id=SESSIONS,
        roles=st.lists(st.sampled_from(["user", "assistant"]), max_size=4),
        given=JOBS,
        key=KEYS,
        digest=st.sampled_from(["i", "i", "j"]),
    )
    def append(
        self,
        scope: Scope,
        id: str,
        roles: list[str],
        given: list[tuple[JobKind, int]],
        key: str | None,
        digest: str,
    ) -> None:
        """Turns that happened elsewhere are appended, perhaps under a key."""
        messages: list[Message] = [
            replace(said("问") if role == "user" else answered("答"), time=self.now) for role in roles
        ]
        jobs = self.jobs(given, id)
        once = Once(key=key, digest=digest) if key else None
        self.both(lambda store: store.append_turns(scope, id, messages, jobs=jobs, now=self.now, once=once))

    # -- jobs --

    @rule(scope=SCOPES, id=SESSIONS, given=JOBS)
    def enqueue(self, scope: Scope, id: str, given: list[tuple[JobKind, int]]) -> None:
        """Jobs are enqueued."""
        for job in self.jobs(given, id):
            self.both(lambda store, job=job: store.enqueue(scope, job))  # type: ignore[misc]  # bound for the loop

    @rule(target=running, holder=HOLDERS, scope=st.one_of(st.none(), SCOPES), after=st.one_of(st.none(), SCOPES))
    def claim(self, holder: str, scope: Scope | None, after: Scope | None) -> object:
        """The job that is due is claimed."""
        jobs = self.pair(lambda store: store.claim_job(self.lease(holder), scope=scope, after=after))
        return multiple() if jobs is None or jobs[0] is None else (*jobs, holder)

    @rule(job=running)
    def renew_job(self, job: tuple[Job, Job, str]) -> None:
        """A job sends its heartbeat."""
        self.both(lambda store: store.renew_job(self.own(store, job), self.lease(job[2])))

    @rule(job=running, holder=HOLDERS)
    def release_job(self, job: tuple[Job, Job, str], holder: str) -> None:
        """A job is given back, if it is this holder's."""
        self.both(lambda store: store.release_job(self.own(store, job), holder=holder))

    @rule(job=consumes(running))
    def finish_job(self, job: tuple[Job, Job, str]) -> None:
        """A job is done."""
        self.both(lambda store: store.finish_job(self.own(store, job), holder=job[2], now=self.now))

    @rule(job=running, seconds=st.one_of(st.none(), st.integers(0, 60)))
    def fail_job(self, job: tuple[Job, Job, str], seconds: int | None) -> None:
        """A job fails, for now or for good."""
        retry_at = None if seconds is None else self.now + timedelta(seconds=seconds)
        self.both(
            lambda store: store.fail_job(
                self.own(store, job), holder=job[2], now=self.now, error="x", retry_at=retry_at
            )
        )

    def own(self, store: Store, job: tuple[Job, Job, str]) -> Job:
        """Return the job as this store named it."""
        return job[0] if store is self.reference else job[1]

    @rule(scope=SCOPES, job=running)
    def replay(self, scope: Scope, job: tuple[Job, Job, str]) -> None:
        """A job is replayed, if it is dead and the owner's."""
        self.both(lambda store: store.replay_job(scope, self.own(store, job).id, now=self.now))

    @rule(scope=SCOPES, job=running)
    def discard(self, scope: Scope, job: tuple[Job, Job, str]) -> None:
        """A job is discarded, if it is dead and the owner's."""
        self.both(lambda store: store.discard_job(scope, self.own(store, job).id))
        self.both(lambda store: store.load_job(self.own(store, job).id))

    @rule(holder=HOLDERS, role=st.sampled_from(WorkerRole), patience=st.sampled_from([1, 30, 90_000]))
    def beat(self, holder: str, role: WorkerRole, patience: int) -> None:
        """A process shows that it is alive."""
        until = self.now + timedelta(seconds=patience)
        beat = WorkerBeat(holder=holder, role=role, started_at=EPOCH, beat_at=self.now, until=until, running=patience)
        self.both(lambda store: store.beat(beat))

    @rule(holder=HOLDERS)
    def stop(self, holder: str) -> None:
        """A process stops on purpose."""
        self.both(lambda store: store.drop_worker(holder))

    @rule(dead=st.lists(HOLDERS, max_size=2))
    def recover(self, dead: list[str]) -> None:
        """Processes have died."""
        self.both(lambda store: store.recover(dead))

    @rule(scope=SCOPES, id=SESSIONS, back=BACK, watermark=SEQS, given=JOBS)
    def sediment(self, scope: Scope, id: str, back: int, watermark: int, given: list[tuple[JobKind, int]]) -> None:
        """A pass of extraction is committed, if nobody was faster."""
        session = self.run(self.reference.load_session(scope, id))
        expected = session.extracted_upto - back if session else 0
        outcome = Extraction(
            session=id, first_seq=1, last_seq=watermark, outcome="nothing", extractor="rules", time=self.now
        )
        jobs = self.jobs(given, id)
        self.both(
            lambda store: store.commit_sediment(
                scope,
                id,
                change=MemoryChange(),
                outcome=outcome,
                expected_watermark=expected,
                watermark=watermark,
                jobs=jobs,
            )
        )

    # -- erasure --

    @precondition(lambda self: self.turns > 3)
    @rule(scope=SCOPES)
    def erase(self, scope: Scope) -> None:
        """An owner is erased."""
        removed = [self.run(store.erase(scope)) for store in (self.reference, self.sqlite)]
        assert removed[0].items() <= removed[1].items()

    # -- what is seen --

    @invariant()
    def they_agree(self) -> None:
        """Every read of every owner is the same on both."""
        for scope in (ALICE, BOB):
            self.both(lambda store, scope=scope: owner_view(store, scope))  # type: ignore[misc]  # bound for the loop
        self.both(lambda store: store.list_jobs())
        self.both(lambda store: store.count_due(scope=None, now=self.now))
        self.both(lambda store: store.oldest_due(now=self.now))
        self.both(lambda store: store.workers(now=self.now))
        self.both(lambda store: store.holders())


async def owner_view(store: Store, scope: Scope) -> list[object]:
    """Return all that can be read of one owner."""
    sessions = await store.list_sessions(scope)
    view: list[object] = [sessions, await store.latest_session(scope), await store.extractions(scope)]
    for session in sessions:
        view.append(await store.load_messages(scope, session.id))
        view.append(await store.load_closed(scope, session.id, after_seq=session.summary_upto, upto_seq=99))
        view.append(await store.recalled_in(scope, session.id, first_turn=1, last_turn=99))
        view.append(await store.session_log(scope, session.id, last=99))
    statuses = frozenset({JobStatus.PENDING, JobStatus.DEAD})
    view.append(without_ids(await store.list_jobs(scope=scope, statuses=statuses)))
    return view


def without_ids(value: object) -> object:
    """Return the value with job ids, which each store makes, left out."""
    if isinstance(value, Job):
        return replace(value, id="")
    if isinstance(value, list):
        return [without_ids(part) for part in value]
    if isinstance(value, OpenTurn):
        return replace(value, history=list(value.history))
    return value


TestStoreMachine = StoreMachine.TestCase
TestStoreMachine.settings = settings(
    max_examples=40,
    stateful_step_count=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
