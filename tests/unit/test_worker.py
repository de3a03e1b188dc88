"""The worker on the reference store: what it takes, how it fails, what it waits for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import pytest

from zhiji import worker as rules
from zhiji.errors import ExtractionFailed, ModelRateLimited, StoreBusy, StoreFull, StoreReadOnly
from zhiji.stores.base import Lease
from zhiji.stores.memory import MemoryStore
from zhiji.telemetry import Telemetry
from zhiji.testing import FrozenClock
from zhiji.testing.values import job
from zhiji.types import Job, JobKind, JobStatus, Scope
from zhiji.worker import Worker

Work = Callable[[Job], Awaitable[None]]
USERS = [Scope("shop", f"u{number}") for number in range(4)]


class Flaky(MemoryStore):
    """A store that says no a few times to claims and to reports."""

    def __init__(self, *troubles: Exception) -> None:
        super().__init__()
        self.troubles = list(troubles)

    def _trouble(self) -> None:
        if self.troubles:
            raise self.troubles.pop(0)

    async def claim_job(self, lease: Lease, *, scope: Scope | None = None, after: Sequence[Scope] = ()) -> Job | None:
        self._trouble()
        return await super().claim_job(lease, scope=scope, after=after)

    async def finish_job(self, job: Job, **given: object) -> None:
        self._trouble()
        await super().finish_job(job, **given)  # type: ignore[arg-type]  # passed on


def made(
    store: MemoryStore,
    work: Work,
    clock: FrozenClock | None = None,
    *,
    attempts: int = 3,
    at_once: int = 2,
    drain_seconds: float = 5,
    lease_seconds: float = 30,
) -> Worker:
    """Return a worker whose jobs are all done by ``work``."""
    return Worker(
        store,
        dict.fromkeys(JobKind, work),
        clock=clock or FrozenClock(),
        holder="host/1/a",
        lease_seconds=lease_seconds,
        drain_seconds=drain_seconds,
        attempts=attempts,
        at_once=at_once,
        telemetry=Telemetry(),
    )


@asynccontextmanager
async def looping(worker: Worker) -> AsyncIterator[None]:
    """The worker's loop runs inside the block."""
    loop = asyncio.create_task(worker.loop())
    yield
    await worker.stop()
    loop.cancel()
    await asyncio.gather(loop, return_exceptions=True)


async def until_done(store: MemoryStore) -> None:
    """No job is pending or running."""
    async with asyncio.timeout(10):
        while {one.status for one in await store.list_jobs()} - {JobStatus.DONE, JobStatus.DEAD}:
            await asyncio.sleep(0)


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses are short."""
    monkeypatch.setattr(rules, "POLL_SECONDS", 0.001)


async def test_some_jobs_run_at_once() -> None:
    """Two of four users' jobs run at the same time, never three."""
    store, most = MemoryStore(), 0

    async def work(_: Job) -> None:
        nonlocal most
        most = max(most, worker.running)
        for _step in range(5):
            await asyncio.sleep(0)

    worker = made(store, work)
    for user in USERS:
        await store.enqueue(user, job("ses_1"))
    async with looping(worker):
        await until_done(store)
    assert (most, worker.running) == (2, 0)


async def test_users_take_turns() -> None:
    """Who queued many jobs first does not keep the one of another waiting for more than one."""
    store, order = MemoryStore(), []

    async def work(one: Job) -> None:
        order.append(one.scope.user)

    for number in range(5):
        await store.enqueue(USERS[0], job(f"ses_{number}"))
    await store.enqueue(USERS[1], job("ses_1", 0))
    async with looping(made(store, work, at_once=1)):
        await until_done(store)
    assert order == ["u0", "u1", "u0", "u0", "u0", "u0"]


@pytest.mark.parametrize("trouble", [StoreBusy, StoreFull])
async def test_failing_store_stops_nothing(trouble: type[Exception]) -> None:
    """Busy or full for a while, for claims and for reports: every job is run once, and done (C008)."""
    store, runs = Flaky(), []

    async def work(one: Job) -> None:
        runs.append(one.scope.user)

    for user in USERS:
        await store.enqueue(user, job("ses_1"))
    store.troubles = [trouble() for _ in range(4)]
    async with looping(made(store, work, at_once=1)):
        await until_done(store)
    assert sorted(runs) == ["u0", "u1", "u2", "u3"]


async def test_report_that_is_refused_leaves_the_job_to_its_lease() -> None:
    """If the store will not take the report, the job runs again when its lease is over; the worker goes on."""
    store, clock, runs = Flaky(), FrozenClock(), []

    async def work(one: Job) -> None:
        runs.append(one.attempts)
        if len(runs) == 1:
            store.troubles = [StoreReadOnly()]

    await store.enqueue(USERS[0], job("ses_1"))
    async with looping(made(store, work, clock)):
        async with asyncio.timeout(10):
            while store.troubles or not runs:
                await asyncio.sleep(0)
        clock.advance(timedelta(seconds=31))
        await until_done(store)
    assert runs == [1, 2]


@pytest.mark.parametrize(("asked", "waits"), [(None, 3), (60.0, 60), (1e9, 3600)])
async def test_retry_waits_as_long_as_the_endpoint_asks(asked: float | None, waits: float) -> None:
    """A rate limit behind an extraction's failure sets the delay, within an hour; without one it is the back-off."""
    store, clock = MemoryStore(), FrozenClock()

    async def work(_: Job) -> None:
        try:
            raise ModelRateLimited(retry_after=asked)
        except ModelRateLimited as error:
            raise ExtractionFailed from error

    await store.enqueue(USERS[0], job("ses_1"))
    assert await made(store, work, clock).run_one()
    (waiting,) = await store.list_jobs()
    delay = (waiting.run_at - clock()).total_seconds()
    assert delay == waits if asked else 0 < delay <= waits
    assert waiting.error.startswith("extraction_failed")


async def test_job_whose_processes_all_died_is_not_run_again() -> None:
    """After its attempts it is dead with the reason, without one more run."""
    store, clock, runs = MemoryStore(), FrozenClock(), []

    async def work(one: Job) -> None:
        runs.append(one)

    await store.enqueue(USERS[0], job("ses_1"))
    for _ in range(2):
        assert await store.claim_job(Lease(holder="host/9/dead", now=clock(), until=clock()))
    await made(store, work, clock, attempts=2).drain()
    (dead,) = await store.list_jobs()
    assert (dead.status, runs) == (JobStatus.DEAD, [])
    assert "each of the 2 processes that ran this job died" in dead.error


async def test_a_patient_drain_ends_while_others_go_on() -> None:
    """What was due at its beginning is done, with what followed from it; what keeps coming is left to the next one."""
    store, clock, runs = MemoryStore(), FrozenClock(), []

    async def work(one: Job) -> None:
        runs.append(one.subject)
        clock.advance(timedelta(seconds=1))
        await store.enqueue(one.scope, replace(job(f"{one.subject}+"), run_at=clock()))

    for user in USERS[:2]:
        await store.enqueue(user, replace(job("s"), run_at=clock()))
    await made(store, work, clock, at_once=1).drain(patient=True)
    assert runs == ["s", "s", "s+", "s+", "s++", "s++"]
    assert [one.subject for one in await store.list_jobs(statuses=frozenset({JobStatus.PENDING}))] == ["s+++"] * 2


async def test_time_to_end_counts_from_retirement() -> None:
    """A retired worker takes nothing more, and gives back what runs once its time, counted from then, is over."""
    store, begun = MemoryStore(), asyncio.Event()

    async def work(_: Job) -> None:
        begun.set()
        await asyncio.Event().wait()

    worker = made(store, work, drain_seconds=0.01)
    await store.enqueue(USERS[0], job("ses_1"))
    async with looping(worker):
        await begun.wait()
        worker.retire()
        await store.enqueue(USERS[1], job("ses_2"))
        over = asyncio.get_running_loop().time() + 0.01
        while asyncio.get_running_loop().time() < over:
            await asyncio.sleep(0)
    assert [one.status for one in await store.list_jobs()] == [JobStatus.PENDING, JobStatus.PENDING]


class Renewed(MemoryStore):
    """A store that notes when a lease is renewed."""

    def __init__(self) -> None:
        super().__init__()
        self.renewed = asyncio.Event()

    async def renew_job(self, job: Job, lease: Lease) -> bool:
        self.renewed.set()
        return await super().renew_job(job, lease)


async def test_a_running_job_keeps_its_lease() -> None:
    """The lease of a job that runs on is renewed well before it runs out, so that nobody else begins the same job."""
    store, lease_seconds = Renewed(), 1.5

    async def long(_: Job) -> None:
        async with asyncio.timeout(0.9 * lease_seconds):
            await store.renewed.wait()

    await store.enqueue(USERS[0], job("ses_1"))
    await made(store, long, lease_seconds=lease_seconds).run_one()
    assert [one.status for one in await store.list_jobs()] == [JobStatus.DONE]
