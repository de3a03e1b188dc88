"""The worker: claims due jobs, runs them, reports. It knows the queue, not what the jobs mean.

At least once: a job runs under a lease that is renewed while it runs; if the process dies, another one takes over.
Handlers are safe to run twice. A failed job is retried with growing delays, then dead, with its error stored;
``replay`` brings it back. It sits below ``compose``, which hands it the handlers (ADR 0003). Nothing that a store says
for a while (busy, full) stops it.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal, TypeVar

from zhiji.errors import StoreError, ZhijiError, place
from zhiji.models.base import Clock
from zhiji.stores.base import Lease, Store
from zhiji.telemetry import Telemetry, code_of
from zhiji.types import Job, JobKind, Scope

log = logging.getLogger("zhiji.worker")

Handler = Callable[[Job], Awaitable[None]]
RunOutcome = Literal["ok", "retried", "dead"]
T = TypeVar("T")

POLL_SECONDS = 0.5
"""How often an idle worker looks for jobs that became due by time or were enqueued by another process."""
DRAIN_POLL_SECONDS = 0.005
"""How soon a drain looks again for what another worker holds; each time as late again, up to ``POLL_SECONDS``."""
PATIENT_ROUNDS = 3
"""What follows from a job, such as the reflection on new memories, is due by the second round; its vectors by the third."""
PAUSE_CAP_SECONDS = 30.0
"""Longest pause of a worker whose store fails."""
REPORTS = 6
"""Times that what became of a job is reported to a store that fails, before its lease is left to run out."""
BACKOFF_SECONDS = 2.0
BACKOFF_CAP_SECONDS = 300.0
RETRY_AFTER_CAP_SECONDS = 3600.0
"""Longest wait that an endpoint may ask for."""


class Worker:
    """Runs the jobs of one store inside this process."""

    def __init__(
        self,
        store: Store,
        handlers: Mapping[JobKind, Handler],
        *,
        clock: Clock,
        holder: str,
        lease_seconds: float,
        drain_seconds: float,
        attempts: int,
        at_once: int,
        telemetry: Telemetry,
    ) -> None:
        """``attempts`` runs of a job before it is dead; ``at_once`` jobs run by ``loop`` at the same time."""
        self._store = store
        self._handlers = handlers
        self._clock = clock
        self._holder = holder
        self._lease_seconds = lease_seconds
        self._drain_seconds = drain_seconds
        self._attempts = attempts
        self._at_once = at_once
        self._telemetry = telemetry
        self._woken = asyncio.Event()
        self._tasks = set[asyncio.Task[bool] | asyncio.Task[None]]()
        self._stopping = False
        self._until: float | None = None
        self._served: dict[str, Scope] = {}  # of each tenant the owner served last; the tenant served last comes last
        self.running = 0
        """Jobs that run now."""

    # -- life --

    async def loop(self) -> None:
        """Run due jobs, of different owners or kinds at once, until cancelled or stopped."""
        pause = POLL_SECONDS
        while not self._stopping:
            self._woken.clear()
            try:
                await self._fill()
            except StoreError as error:
                pause = min(2 * pause, PAUSE_CAP_SECONDS)
                log.warning("worker_paused: %s; trying again in %g s, or when woken", error.code, pause)
            else:
                pause = POLL_SECONDS
            with suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), pause)

    def wake(self) -> None:
        """A running ``loop`` looks for due jobs at once."""
        self._woken.set()

    def retire(self) -> None:
        """No further job is taken; those that run have ``drain_seconds`` from the first call."""
        self._stopping = True
        self._until = self._until or asyncio.get_running_loop().time() + self._drain_seconds

    async def stop(self) -> None:
        """No further job is taken. Those that run have been reported, or given back when their time was over."""
        self.retire()
        with suppress(TimeoutError):
            async with asyncio.timeout_at(self._until):
                while self._tasks:
                    await asyncio.wait(self._tasks)
        late = list(self._tasks)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    async def drain(self, scope: Scope | None = None, *, patient: bool = False) -> None:
        """Every job now due is done or dead, whoever runs it; failures are retried at once, or later if ``patient``.

        ``patient`` also runs some at once, as ``loop`` does, and comes to an end though others go on enqueueing: what is
        due at its beginning is worked off, then what is due by then, such as what followed from it.
        """
        if not patient:
            await self._drain(scope)
        for _ in range(PATIENT_ROUNDS if patient else 0):
            due_by = self._clock()
            await asyncio.gather(*(self._drain(scope, due_by) for _ in range(self._at_once)))

    async def _drain(self, scope: Scope | None, due_by: datetime | None = None) -> None:
        pause = DRAIN_POLL_SECONDS
        while True:
            while await self.run_one(scope, due_by=due_by, patient=due_by is not None):
                pause = DRAIN_POLL_SECONDS
            if not await self._store.count_due(scope=scope, now=due_by or self._clock()):
                return
            await asyncio.sleep(pause)  # another worker holds the rest
            pause = min(2 * pause, POLL_SECONDS)

    async def run_one(
        self, scope: Scope | None = None, *, due_by: datetime | None = None, patient: bool = True
    ) -> bool:
        """Return whether there was a job due by then, or by now; it has been run and reported. ``patient`` delays its retry.

        If the caller is cancelled, the job is run to its end all the same: left alone, it would wait for its lease.
        """
        return await self._shielded(self._claim_and_run(scope, due_by, patient))

    # -- taking --

    async def _fill(self) -> None:
        """As many jobs run as may, or none is due."""
        while self.running < self._at_once and not self._stopping:
            if not await self._shielded(self._take()):
                return

    async def _take(self) -> bool:
        """Return whether a due job was taken; it runs on by itself."""
        job = await self._store.claim_job(self._lease(), after=list(self._served.values()))
        if job is None:
            return False
        if self._stopping:
            await self._store.release_job(job, holder=self._holder)
            return False
        self._served.pop(job.scope.tenant, None)
        self._served[job.scope.tenant] = job.scope
        self._begin(self._run_alone(job))
        await asyncio.sleep(0)  # it has begun: it counts as running
        return True

    async def _run_alone(self, job: Job) -> None:
        with suppress(StoreError):  # it was logged, and its lease will run out
            await self._run(job, patient=True)

    async def _claim_and_run(self, scope: Scope | None, due_by: datetime | None, patient: bool) -> bool:
        lease = self._lease()
        job = await self._store.claim_job(replace(lease, now=due_by or lease.now), scope=scope)
        if job is None:
            return False
        await self._run(job, patient=patient)
        return True

    async def _shielded(self, work: Coroutine[None, None, bool]) -> bool:
        return await asyncio.shield(self._begin(work))

    def _begin(self, work: Coroutine[None, None, T]) -> asyncio.Task[T]:
        """``work`` runs on even if nobody waits for it; ``stop`` does."""
        task = asyncio.create_task(work)
        self._tasks.add(task)  # type: ignore[arg-type]  # T is bool or None
        task.add_done_callback(self._tasks.discard)
        return task

    # -- running --

    async def _run(self, job: Job, *, patient: bool) -> None:
        """The job was tried, and what became of it is stored, unless the lease was lost."""
        self.running += 1
        keeper = asyncio.create_task(self._keep(job))
        try:
            with self._telemetry.work("job", kind=job.kind) as work:
                self._telemetry.mark(job=job.id, attempt=job.attempts)
                outcome = await self._try(job, patient)
                work.end(outcome, failed=outcome != "ok")
        except StoreError as error:  # nothing is lost: its lease runs out, and it is run again
            log.warning("job_unreported: %s %s: %s", job.kind, job.id, error.code)
            raise
        finally:
            keeper.cancel()
            self.running -= 1
            self.wake()

    async def _try(self, job: Job, patient: bool) -> RunOutcome:
        try:
            if job.attempts > self._attempts:
                raise ZhijiError(
                    f"each of the {self._attempts} processes that ran this job died; find out why before replaying it"
                )
            await self._handlers[job.kind](job)
        except asyncio.CancelledError:
            await asyncio.shield(self._store.release_job(job, holder=self._holder))
            raise
        except Exception as error:  # noqa: BLE001 - whatever a job raises becomes its stored outcome
            return await self._report_failure(job, error, patient)
        else:
            await _patiently(lambda: self._store.finish_job(job, holder=self._holder, now=self._clock()))
            return "ok"

    async def _report_failure(self, job: Job, error: Exception, patient: bool) -> RunOutcome:
        now = self._clock()
        last = job.attempts >= self._attempts
        delay = timedelta(seconds=max(backoff(job.attempts) if patient else 0, retry_after(error)))
        text = f"{error.code}: {error}" if isinstance(error, ZhijiError) else type(error).__name__
        became = "dead" if last else "failed"
        log.warning("job_%s: %s %s attempt %d: %s", became, job.kind, job.id, job.attempts, place(error))
        await _patiently(
            lambda: self._store.fail_job(
                job, holder=self._holder, now=now, error=text, retry_at=None if last else now + delay
            )
        )
        self._telemetry.mark(code=code_of(error))
        return "dead" if last else "retried"

    async def _keep(self, job: Job) -> None:
        while True:
            await asyncio.sleep(self._lease_seconds / 3)
            with suppress(StoreError):  # there is time for another try before the lease runs out
                if not await self._store.renew_job(job, self._lease()):
                    return

    def _lease(self) -> Lease:
        now = self._clock()
        return Lease(holder=self._holder, now=now, until=now + timedelta(seconds=self._lease_seconds))


async def _patiently(report: Callable[[], Awaitable[None]]) -> None:
    """The store has taken the report, though it may be busy or full for a while.

    Raises:
        StoreError: it will not, or not soon.
    """
    for number in range(1, REPORTS):
        try:
            return await report()
        except StoreError as error:
            if not error.retryable:
                raise
            await asyncio.sleep(POLL_SECONDS * number)
    return await report()


def backoff(attempts: int) -> float:
    """Return the seconds to wait after this many attempts: doubling from 2 s to 5 min, ±25 % jitter."""
    seconds: float = min(BACKOFF_SECONDS * 2.0 ** (attempts - 1), BACKOFF_CAP_SECONDS)
    return seconds * random.uniform(0.75, 1.25)


def retry_after(error: BaseException) -> float:
    """Return the seconds that an endpoint asked to wait, by an error or its causes; 0 if none did."""
    asked = [
        float(one.details["retry_after"] or 0)
        for one in _causes(error)
        if isinstance(one, ZhijiError) and "retry_after" in one.details
    ]
    return min(max(asked, default=0.0), RETRY_AFTER_CAP_SECONDS)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__
