"""Linearizability: what several do at once to a store is as if they had done it one after the other, in some order.

A round begins with an empty database that is opened twice. Batches of two to four operations follow, started together on
both stores. After each, some order of the batch must give the same answers (ids that a store makes left out) and leave
the same to be seen, when it is done one by one on the in-memory reference; the reference goes on from there. ``check``
runs rounds whose operations follow from their seed; what differs is told with it, and with ``ZHIJI_TEST_SEED`` the round is
run again. How operations meet is the machine's business, so a fault may need several tries to be seen again.

``StoreBusy`` is no answer: a store waits for others, within the time it promises. One liberty is taken as given, for
stores that wait for nobody there: who claims a job may pass over those that somebody writes at that moment, and upkeep over
owners; both come again.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import random
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import combinations
from typing import Literal

import numpy as np

from zhiji.stores.base import Lease, MemoryChange, MemoryPut, NewJob, Once, OpenTurn, Store, Tombstone, TurnStart
from zhiji.stores.memory import MemoryStore
from zhiji.testing.comparison import DIGESTS, MODEL, Empty, comparable, core, differences, outcome
from zhiji.testing.doubles import EPOCH
from zhiji.testing.values import ALICE, LEASE, TTL, answered, end, memory, said
from zhiji.types import (
    Extraction,
    Job,
    JobKind,
    JobStatus,
    Memory,
    Scope,
    Session,
    SessionStatus,
    Source,
    State,
    Status,
    WorkerBeat,
    WorkerRole,
)

BATCHES = 25
"""Of one round: enough that turns, jobs and memories meet, few enough that a round is soon repeated."""
SECONDS_VARIABLE = "ZHIJI_TEST_SECONDS"
"""How long ``check`` looks, in place of what it was called with."""
SEED_VARIABLE = "ZHIJI_TEST_SEED"
"""The one round to run, as often as there is time for."""
FIRST_SEED = 0
"""Where the seeds of the rounds come from: a longer look sees what a shorter one saw, and more."""

OWNERS = (ALICE, Scope("店", "小王"))
HOLDERS = ("host/1/a", "host/2/b")
KEYS = ("k1", "k2")
NAMES = ("m1", "m2", "m3")
SINGLE = ("identity:name", "order:OD1")
NEVER = EPOCH + timedelta(days=3650)
PASSED_OVER = 2
"""Jobs that a claim may pass over; or all."""
EVERY_JOB = 10**6
TOUCHED_LAST = 2
"""Sessions of an owner that are looked at after each batch."""
STEPS = (0, 0, 0, 0, 1, 1, 10, 31, 31, 1800)
"""Seconds from one batch to the next: leases and sessions run out now and then."""


@dataclass(frozen=True, slots=True)
class Known:
    """What one store calls what it made itself."""

    jobs: Mapping[str, Job]
    """By the id that the reference gave."""
    versions: Mapping[Scope, int]
    """Of the owners' memories, before the batch."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One call of one owner; ``told`` names it for a person."""

    scope: Scope
    told: str
    do: Callable[[Store, Known], Awaitable[object]]
    passes_over: Literal["nothing", "jobs", "owners"] = "nothing"
    """What it need not wait for."""

    def by(self, known: Known) -> Callable[[Store], Awaitable[object]]:
        """Return it as a step on a store that calls things so."""
        return lambda store: self.do(store, known)


def check(empty: Empty, *, seconds: float = 20.0) -> int:
    """The store is linearizable, as far as can be seen in so many seconds; returns how many operations met.

    The same operations each time, though not as they meet; ``ZHIJI_TEST_SEED`` names those of one round.

    Raises:
        AssertionError: it is not; the message tells seed, batch, answers and what differs.
    """
    seconds = float(os.environ.get(SECONDS_VARIABLE, seconds))
    given = os.environ.get(SEED_VARIABLE)
    seeds = random.Random(FIRST_SEED)
    until, met = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        met += asyncio.run(run_round(empty, int(given) if given else seeds.getrandbits(32)))
    return met


async def run_round(empty: Empty, seed: int) -> int:
    """The operations of this seed were run in batches, each as if one after the other; returns how many they were."""
    async with AsyncExitStack() as ends:
        opener = await ends.enter_async_context(empty())
        stores = []
        for _ in range(2):
            stores.append(await opener())
            ends.push_async_callback(stores[-1].close)
        try:
            return await Round(seed, stores).run()
        except Exception as error:
            error.add_note(f"run it again with {SEED_VARIABLE}={seed}")
            raise


class Round:
    """One sequence of batches on two stores of one database, beside the reference."""

    def __init__(self, seed: int, stores: Sequence[Store]) -> None:
        """Nothing has happened yet."""
        self.random = random.Random(seed)
        self.stores = stores
        self.reference = MemoryStore()
        self.now = EPOCH
        self.made = 0
        self.sessions: dict[Scope, list[str]] = {scope: ["", ""] for scope in OWNERS}
        self.opened: dict[Scope, list[OpenTurn]] = {scope: [] for scope in OWNERS}
        self.jobs: list[Job] = []

    async def run(self) -> int:
        """Every batch was run and compared; returns how many operations there were."""
        count = 0
        for _ in range(BATCHES):
            self.now += timedelta(seconds=self.random.choice(STEPS))
            await self.renew_sessions()
            self.jobs = await self.reference.list_jobs()
            batch = await self.draw()
            await self.meet(batch)
            count += len(batch)
        return count

    async def renew_sessions(self) -> None:
        """There are new sessions in the place of most that are gone or over."""
        for scope, ids in self.sessions.items():
            for place, id in enumerate(ids):
                known = await self.reference.load_session(scope, id)
                over = known is None or known.status is SessionStatus.ENDED
                over = over or (known is not None and known.expires_at is not None and known.expires_at <= self.now)
                if over and self.random.random() < 0.7:
                    ids[place] = f"ses_{self.number()}"
                    expires = self.now + TTL if self.random.random() < 0.7 else None
                    new = Session(id=ids[place], created_at=self.now, touched_at=self.now, expires_at=expires)
                    for store in (self.reference, self.stores[0]):
                        await store.create_session(scope, new)

    def number(self) -> int:
        """Return a number that names something new."""
        self.made += 1
        return self.made

    async def draw(self) -> list[Operation]:
        """Return what happens next at once: few kinds, mostly of one owner, so that it is about the same things."""
        kinds = self.random.sample(KINDS, 2)
        owners = self.random.choices(OWNERS, weights=(4, 1), k=self.random.choice((2, 2, 3, 4)))
        return [await self.random.choice(kinds)(self, scope) for scope in owners]

    async def meet(self, batch: Sequence[Operation]) -> None:
        """The batch was done at once, as if in some order, and the reference has done it in that order.

        Raises:
            AssertionError: as if in no order.
        """
        ours, theirs = await self.known(self.reference), await self.known(self.stores[0])
        stores = [self.random.choice(self.stores) for _ in batch]
        answers = await asyncio.gather(
            *(outcome(one.by(theirs), store) for one, store in zip(batch, stores, strict=True))
        )
        plain = [comparable(answer) for answer in answers]
        there = await core(self.stores[1], OWNERS, TOUCHED_LAST)
        whose = [job.scope for job in await self.stores[1].list_jobs(limit=EVERY_JOB)]
        why = "  no order gives these answers"
        async for found in _orders(self.reference, ours, list(zip(batch, plain, strict=True))):
            _interleave(found, whose[::-1])
            here = await core(found, OWNERS, TOUCHED_LAST)
            if here == there:
                self.reference = found
                break
            why = differences(here, there)
        else:
            told = "\n".join(
                f"  {one.scope} {one.told} -> {answer!r}" for one, answer in zip(batch, plain, strict=True)
            )
            raise AssertionError(f"not as if one after the other:\n{told}\nexpected and found:\n{why}")
        for one, answer in zip(batch, answers, strict=True):
            if isinstance(answer, OpenTurn) and answer.replay is None:
                self.opened[one.scope].append(answer)

    async def known(self, store: Store) -> Known:
        """Return what this store calls the jobs that the reference has, and its versions."""
        jobs = zip(self.jobs, await store.list_jobs(), strict=True)
        return Known(
            jobs={one.id: other for one, other in jobs},
            versions={scope: await store.memory_version(scope) for scope in OWNERS},
        )

    # -- sessions and turns --

    def session(self, scope: Scope) -> str:
        """Return the id of one of the owner's sessions; it may be gone."""
        return self.random.choice(self.sessions[scope])

    def lease(self) -> Lease:
        """Return somebody's lease from now."""
        return Lease(holder=self.random.choice(HOLDERS), now=self.now, until=self.now + LEASE)

    def new_jobs(self, subject: str) -> list[NewJob]:
        """Return jobs that follow from something."""
        kinds = self.random.sample(list(JobKind), self.random.choice((0, 1, 1, 2)))
        return [NewJob(kind=kind, subject=subject, run_at=self.now + self.delay()) for kind in kinds]

    def delay(self) -> timedelta:
        """Return how long something may wait; also less than nothing."""
        return timedelta(seconds=self.random.choice((-5, 0, 0, 5)))

    async def begin(self, scope: Scope) -> Operation:
        id, number, lease = self.session(scope), self.number(), self.lease()
        key, digest = self.random.choice((None, *KEYS)), self.random.choice("ddde")
        start = TurnStart(
            turn_id=f"trn_{number}",
            request_id=f"req_{number}",
            message=replace(said(f"问 {number}"), time=self.now),
            lease=lease,
            idempotency_key=key,
            body_digest=digest,
        )
        return Operation(
            scope,
            f"begin_turn {id} {start.turn_id} by {lease.holder} under {key} {digest}",
            lambda store, known: store.begin_turn(scope, id, start, history_turns=2),
        )

    async def finish(self, scope: Scope) -> Operation:
        if not self.opened[scope]:
            return await self.begin(scope)
        turn = self.random.choice(self.opened[scope][-2:])
        holder = self.random.choice(HOLDERS)
        closing = replace(
            end(turn, holder=holder, jobs=self.new_jobs(turn.session.id), recalled=[self.random.choice(NAMES)]),
            now=self.now,
            expires_at=self.now + TTL if turn.session.expires_at else None,
        )
        return Operation(
            scope, f"finish_turn {turn.turn_id} by {holder}", lambda store, known: store.finish_turn(scope, closing)
        )

    async def fail(self, scope: Scope) -> Operation:
        if not self.opened[scope]:
            return await self.begin(scope)
        turn, holder = self.random.choice(self.opened[scope][-2:]), self.random.choice(HOLDERS)
        return Operation(
            scope,
            f"fail_turn {turn.turn_id} by {holder}",
            lambda store, known: store.fail_turn(scope, turn.session.id, turn.turn_id, holder=holder, code="test"),
        )

    async def renew(self, scope: Scope) -> Operation:
        id, lease = self.session(scope), self.lease()
        return Operation(
            scope, f"renew_lease {id} by {lease.holder}", lambda store, known: store.renew_lease(scope, id, lease)
        )

    async def journal(self, scope: Scope) -> Operation:
        if not self.opened[scope]:
            return await self.begin(scope)
        turn, key = self.random.choice(self.opened[scope][-2:]), self.random.choice("xy")
        return Operation(
            scope,
            f"journal_start {turn.turn_id} {key}",
            lambda store, known: store.journal_start(scope, turn.turn_id, key, "refund"),
        )

    async def append(self, scope: Scope) -> Operation:
        id, key, number = self.session(scope), self.random.choice((None, *KEYS)), self.number()
        messages = [replace(one, time=self.now) for one in (said(f"问 {number}"), answered(f"答 {number}"))]
        once = Once(key=key, digest=self.random.choice("ij")) if key else None
        jobs = self.new_jobs(id)
        return Operation(
            scope,
            f"append_turns {id} {number} under {once}",
            lambda store, known: store.append_turns(scope, id, messages, jobs=jobs, now=self.now, once=once),
        )

    async def write_state(self, scope: Scope) -> Operation:
        id = self.session(scope)
        session = await self.reference.load_session(scope, id)
        version = session.state.version if session else 0
        state = State(version=version, slots={"订单": self.number()})
        return Operation(
            scope,
            f"write_state {id} on {version}",
            lambda store, known: store.write_state(scope, id, state, now=self.now),
        )

    async def write_summary(self, scope: Scope) -> Operation:
        id = self.session(scope)
        session = await self.reference.load_session(scope, id)
        expected = session.summary_upto if session else 0
        upto, words = expected + self.random.choice((0, 1, 2)), f"摘要 {self.number()}"
        return Operation(
            scope,
            f"write_summary {id} {expected}→{upto}",
            lambda store, known: store.write_summary(scope, id, words, upto_seq=upto, expected_upto=expected),
        )

    async def end_session(self, scope: Scope) -> Operation:
        id, interrupt = self.session(scope), self.random.random() < 0.5
        session = await self.reference.load_session(scope, id)
        upto = self.random.choice((None, session.last_seq if session else 0))
        jobs = self.new_jobs(id)
        masked = [replace(one, content="***") for one in await self.reference.load_messages(scope, id, upto_seq=1)]
        return Operation(
            scope,
            f"end_session {id} upto {upto} interrupt {interrupt}",
            lambda store, known: store.end_session(
                scope, id, masked=masked, jobs=jobs, now=self.now, upto_seq=upto, interrupt=interrupt
            ),
        )

    async def purge(self, scope: Scope) -> Operation:
        ended_before = self.now - timedelta(seconds=10)
        return Operation(
            scope, "purge_transcripts", lambda store, known: store.purge_transcripts(ended_before), "owners"
        )

    async def drop_leftovers(self, scope: Scope) -> Operation:
        return Operation(
            scope,
            "drop_leftovers",
            lambda store, known: store.drop_leftovers(self.now, touched_before=self.now),
            "owners",
        )

    async def recover(self, scope: Scope) -> Operation:
        holder = self.random.choice(HOLDERS)
        return Operation(scope, f"recover {holder}", lambda store, known: store.recover([holder]))

    async def read_session(self, scope: Scope) -> Operation:
        id = self.session(scope)
        return Operation(scope, f"load_session {id}", lambda store, known: store.load_session(scope, id))

    async def read_log(self, scope: Scope) -> Operation:
        id = self.session(scope)
        return Operation(scope, f"session_log {id}", lambda store, known: store.session_log(scope, id, last=2))

    async def read_history(self, scope: Scope) -> Operation:
        id = self.session(scope)
        return Operation(
            scope, f"load_history {id}", lambda store, known: store.load_history(scope, id, after_seq=0, turns=2)
        )

    # -- memories --

    def row(self) -> Memory:
        """Return a new memory; its key, if any, is one that only one active memory may have."""
        made = memory(f"mem_{self.number()}", f"喜欢 {self.made}", key=self.random.choice((None, *SINGLE)))
        return replace(made, id=self.random.choice((made.id, *NAMES)), updated_at=self.now)

    async def remember(self, scope: Scope) -> Operation:
        row, decided = self.row(), self.random.random() < 0.6
        put = MemoryPut(memory=row, terms={"喜": 1})
        if (
            row.key is None and row.id not in NAMES
        ):  # of two reasons to refuse it, any store may tell the one or the other
            put = replace(put, vector=np.array([0.6, 0.8], np.float32), model=MODEL)
        jobs = self.new_jobs("owner")
        return Operation(
            scope,
            f"change_memories: new {row.id} {row.key} decided {decided}",
            lambda store, known: store.change_memories(
                scope, MemoryChange(puts=[put], seen=known.versions[scope] if decided else None), jobs=jobs
            ),
        )

    async def revise(self, scope: Scope) -> Operation:
        rows = await self.reference.list_memories(scope, statuses=frozenset(Status))
        if not rows:
            return await self.remember(scope)
        row = replace(
            self.random.choice(rows[:2]), status=self.random.choice(list(Status)), updated_at=self.now, reason="改"
        )
        put = MemoryPut(memory=row, terms=self.random.choice((None, {"改": 1})))
        return Operation(
            scope,
            f"change_memories: {row.id} {row.status} on revision {row.revision}",
            lambda store, known: store.change_memories(scope, MemoryChange(puts=[put])),
        )

    async def forget(self, scope: Scope) -> Operation:
        gone, id = self.random.choice(NAMES), self.session(scope)
        record = Tombstone(key=None, content_digest=self.random.choice(DIGESTS), deleted_at=self.now)
        unsaid = self.random.choice(([], [Source(session=id, seqs=(1,))]))
        return Operation(
            scope,
            f"change_memories: {gone} deleted, unsaid {unsaid}",
            lambda store, known: store.change_memories(
                scope, MemoryChange(deletes=[gone], tombstones=[record], unsaid=unsaid)
            ),
        )

    async def sediment(self, scope: Scope) -> Operation:
        id, row = self.session(scope), self.row()
        session = await self.reference.load_session(scope, id)
        expected = session.extracted_upto if session else 0
        decided, jobs = self.random.random() < 0.6, self.new_jobs(id)
        done = Extraction(
            session=id, first_seq=1, last_seq=expected + 1, outcome="written", extractor="rules", time=self.now
        )
        put = MemoryPut(memory=row, terms={"喜": 1})
        return Operation(
            scope,
            f"commit_sediment {id} {expected}→{expected + 1} {row.id} {row.key} decided {decided}",
            lambda store, known: store.commit_sediment(
                scope,
                id,
                change=MemoryChange(puts=[put], seen=known.versions[scope] if decided else None),
                outcome=done,
                expected_watermark=expected,
                watermark=expected + 1,
                jobs=jobs,
            ),
        )

    async def put_vectors(self, scope: Scope) -> Operation:
        dim, names = self.random.choice((2, 2, 3)), self.random.sample(NAMES, 2)
        made = {name: np.full(dim, 1.0, np.float32) for name in names}
        return Operation(
            scope, f"put_vectors {names} of {dim}", lambda store, known: store.put_vectors(scope, MODEL, made)
        )

    async def drop_vectors(self, scope: Scope) -> Operation:
        dim = self.random.choice((2, 3))
        return Operation(
            scope, f"drop_vectors but of {dim}", lambda store, known: store.drop_vectors(scope, model=MODEL, dim=dim)
        )

    async def read_memories(self, scope: Scope) -> Operation:
        return Operation(
            scope, "list_memories", lambda store, known: store.list_memories(scope, statuses=frozenset(Status))
        )

    # -- jobs --

    async def enqueue(self, scope: Scope) -> Operation:
        job = NewJob(
            kind=self.random.choice(list(JobKind)), subject=self.session(scope), run_at=self.now + self.delay()
        )
        return Operation(scope, f"enqueue {job.kind} {job.subject}", lambda store, known: store.enqueue(scope, job))

    async def claim(self, scope: Scope) -> Operation:
        lease = self.lease()
        return Operation(
            scope,
            f"claim_job of its own by {lease.holder}",
            lambda store, known: store.claim_job(lease, scope=scope),
            "jobs",
        )

    async def claim_any(self, scope: Scope) -> Operation:
        lease, after = self.lease(), self.random.choice(([], [scope]))
        return Operation(
            scope,
            f"claim_job after {after} by {lease.holder}",
            lambda store, known: store.claim_job(lease, after=after),
            "jobs",
        )

    def running(self, scope: Scope, status: JobStatus = JobStatus.RUNNING) -> Job | None:
        """Return a job of the owner that has this status, if there is one."""
        there = [job for job in self.jobs if job.scope == scope and job.status is status]
        return self.random.choice(there) if there else None

    async def end_job(self, scope: Scope) -> Operation:
        job, holder = self.running(scope), self.random.choice(HOLDERS)
        if job is None:
            return await self.claim(scope)
        retry_at = self.random.choice((None, self.now + self.delay()))
        ways: dict[str, Callable[[Store, Known], Awaitable[object]]] = {
            "finish_job": lambda store, known: store.finish_job(known.jobs[job.id], holder=holder, now=self.now),
            "release_job": lambda store, known: store.release_job(known.jobs[job.id], holder=holder),
            "fail_job": lambda store, known: store.fail_job(
                known.jobs[job.id], holder=holder, now=self.now, error="x", retry_at=retry_at
            ),
            "renew_job": lambda store, known: store.renew_job(
                known.jobs[job.id], Lease(holder=holder, now=self.now, until=self.now + LEASE)
            ),
        }
        name = self.random.choice(list(ways))
        return Operation(scope, f"{name} {job.kind} {job.subject} by {holder} retry at {retry_at}", ways[name])

    async def raise_the_dead(self, scope: Scope) -> Operation:
        job = self.running(scope, JobStatus.DEAD)
        if job is None:
            return await self.end_job(scope)
        if self.random.random() < 0.5:
            return Operation(
                scope,
                f"replay_job {job.kind} {job.subject}",
                lambda store, known: store.replay_job(scope, known.jobs[job.id].id, now=self.now),
            )
        return Operation(
            scope,
            f"discard_job {job.kind} {job.subject}",
            lambda store, known: store.discard_job(scope, known.jobs[job.id].id),
        )

    async def read_jobs(self, scope: Scope) -> Operation:
        return Operation(scope, "list_jobs", lambda store, known: store.list_jobs(scope=scope))

    # -- processes, shares, owners --

    async def beat(self, scope: Scope) -> Operation:
        holder, role = f"host/{self.number()}", self.random.choice(list(WorkerRole))
        until = self.now + timedelta(seconds=5)
        beat = WorkerBeat(holder=holder, role=role, started_at=EPOCH, beat_at=self.now, until=until)
        return Operation(scope, f"beat {holder} {role}", lambda store, known: store.beat(beat))

    async def use(self, scope: Scope) -> Operation:
        until = EPOCH + timedelta(days=1)
        return Operation(
            scope, "count_use", lambda store, known: store.count_use(scope, "turn", now=self.now, until=until)
        )

    async def erase(self, scope: Scope) -> Operation:
        return Operation(scope, "erase", lambda store, known: store.erase(scope))


KINDS: Sequence[Callable[[Round, Scope], Awaitable[Operation]]] = (
    *(Round.begin, Round.begin, Round.finish, Round.finish, Round.finish, Round.fail, Round.renew, Round.journal),
    *(Round.append, Round.append, Round.write_state, Round.write_state, Round.write_summary, Round.end_session),
    *(Round.purge, Round.drop_leftovers, Round.recover, Round.read_session, Round.read_log, Round.read_history),
    *(Round.remember, Round.remember, Round.revise, Round.forget, Round.sediment, Round.sediment),
    *(Round.put_vectors, Round.drop_vectors, Round.read_memories),
    *(Round.enqueue, Round.claim, Round.claim, Round.claim_any, Round.end_job, Round.end_job, Round.raise_the_dead),
    *(Round.read_jobs, Round.beat, Round.use, Round.erase),
)
"""What can happen; what matters most is named more than once."""


def _interleave(reference: MemoryStore, owners: Sequence[Scope]) -> None:
    """The jobs are everybody's in the order of these owners: those that several enqueue at once come in any order between them."""
    queues = {scope: deque(job for job in reference._jobs.jobs.values() if job.scope == scope) for scope in OWNERS}
    seen = [queues[scope].popleft() for scope in owners if queues[scope]]
    unseen = [job for queue in queues.values() for job in queue]
    reference._jobs.jobs = {job.id: job for job in (*seen, *unseen)}


async def _orders(
    reference: MemoryStore, known: Known, rest: Sequence[tuple[Operation, object]]
) -> AsyncIterator[MemoryStore]:
    """Yield what becomes of the reference in each order that gives these answers."""
    if not rest:
        yield reference
    for place, (operation, answer) in enumerate(rest):
        for passed in _passed_over(reference, operation):
            trial: MemoryStore = pickle.loads(pickle.dumps(reference))
            if comparable(await _answer(trial, known, operation, passed)) == answer:
                async for found in _orders(trial, known, [*rest[:place], *rest[place + 1 :]]):
                    yield found


def _passed_over(reference: MemoryStore, operation: Operation) -> Iterator[Collection[str | Scope]]:
    """Yield what the operation may pass over: nothing first, then more and more."""
    if operation.passes_over == "nothing":
        yield ()
        return
    waiting = (JobStatus.PENDING, JobStatus.RUNNING)
    jobs = [id for id, job in reference._jobs.jobs.items() if job.status in waiting]
    there: list[str | Scope] = [*jobs] if operation.passes_over == "jobs" else [*OWNERS]
    for size in (*range(min(len(there), PASSED_OVER) + 1), len(there)):
        yield from combinations(there, size)


async def _answer(
    reference: MemoryStore, known: Known, operation: Operation, passed: Collection[str | Scope]
) -> object:
    """Return how the reference answers, when what is passed over is as if not due, or not there."""
    jobs, owners = reference._jobs.jobs, reference._owners
    kept = {id: job for id, job in jobs.items() if id in passed}
    for id, job in kept.items():
        jobs[id] = replace(job, run_at=NEVER, lease_until=NEVER if job.lease_until else None)
    if operation.passes_over == "owners":
        reference._owners = {scope: owner for scope, owner in owners.items() if scope not in passed}
    answer = await outcome(operation.by(known), reference)
    jobs.update(kept)
    reference._owners = owners
    return answer
