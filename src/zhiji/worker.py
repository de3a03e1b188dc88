"""The worker: claims due jobs, runs them, reports. It knows the queue, not what the jobs mean.

At least once: a job runs under a lease that is renewed while it runs; if the process dies, the lease runs out and
another worker takes over. Handlers are safe to run twice. A failed job is retried with growing delays, then dead, with
its error stored; ``replay`` brings it back. It sits below the engine, which hands it the handlers (ADR 0003).
"""

from __future__ import annotations

import asyncio
import logging
import random
import traceback
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import timedelta

from zhiji.errors import StoreBusy, ZhijiError
from zhiji.models.base import Clock
from zhiji.stores.base import Lease, Store
from zhiji.types import Job, JobKind, Scope

log = logging.getLogger("zhiji.worker")

Handler = Callable[[Job], Awaitable[None]]

POLL_SECONDS = 1.0
"""How often an idle worker looks for jobs that became due by time or were enqueued by another process."""
BACKOFF_SECONDS = 2.0
BACKOFF_CAP_SECONDS = 300.0


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
        attempts: int,
    ) -> None:
        """``attempts`` runs of a job before it is dead."""
        self._store = store
        self._handlers = handlers
        self._clock = clock
        self._holder = holder
        self._lease_seconds = lease_seconds
        self._attempts = attempts
        self._woken = asyncio.Event()
        self._running = set[asyncio.Task[bool]]()
        self._stopping = False

    async def stop(self) -> None:
        """No further job is taken; those that run have been reported, or are pending again after a lease's time."""
        self._stopping = True
        if not self._running:
            return
        _, late = await asyncio.wait(self._running, timeout=self._lease_seconds)
        for work in late:
            work.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    def wake(self) -> None:
        """A running ``loop`` looks for due jobs at once."""
        self._woken.set()

    async def loop(self) -> None:
        """Run due jobs until cancelled."""
        while not self._stopping:
            self._woken.clear()
            try:
                await self._work_off()
            except ZhijiError:
                log.exception("worker_paused: the store failed; trying again")
            with suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), POLL_SECONDS)

    async def _work_off(self) -> None:
        while await self.run_one():
            if self._stopping:
                return

    async def drain(self, scope: Scope | None = None) -> None:
        """Every job now due is done or dead, whoever runs it; failures are retried at once."""
        while True:
            while await self.run_one(scope, patient=False):
                pass
            if not await self._store.count_due(scope=scope, now=self._clock()):
                return
            await asyncio.sleep(0.005)  # another worker holds the rest

    async def run_one(self, scope: Scope | None = None, *, patient: bool = True) -> bool:
        """Return whether there was a due job; it has been run and reported. ``patient`` delays its retry.

        If the caller is cancelled, the job is run to its end all the same: left alone, it would wait for its lease.
        """
        work = asyncio.create_task(self._claim_and_run(scope, patient))
        self._running.add(work)
        work.add_done_callback(self._running.discard)
        return await asyncio.shield(work)

    async def _claim_and_run(self, scope: Scope | None, patient: bool) -> bool:
        job = await self._store.claim_job(self._lease(), scope=scope)
        if job is None:
            return False
        keeper = asyncio.create_task(self._keep(job))
        try:
            await self._run(job, patient=patient)
        finally:
            keeper.cancel()
        return True

    async def _run(self, job: Job, *, patient: bool) -> None:
        try:
            if job.attempts > self._attempts:
                raise ZhijiError("the job was given up by every worker that tried it")
            await self._handlers[job.kind](job)
        except asyncio.CancelledError:
            now = self._clock()
            await asyncio.shield(
                self._store.fail_job(job, holder=self._holder, now=now, error="interrupted", retry_at=now)
            )
            raise
        except Exception as error:  # noqa: BLE001 - whatever a job raises becomes its stored outcome
            await self._report(job, error, patient=patient)
        else:
            await self._store.finish_job(job, holder=self._holder, now=self._clock())

    async def _report(self, job: Job, error: Exception, *, patient: bool) -> None:
        now = self._clock()
        last = job.attempts >= self._attempts
        delay = timedelta(seconds=backoff(job.attempts) if patient else 0)
        text = f"{error.code}: {error}" if isinstance(error, ZhijiError) else type(error).__name__
        became = "dead" if last else "failed"
        log.warning("job_%s: %s %s attempt %d: %s", became, job.kind, job.id, job.attempts, _place(error))
        await self._store.fail_job(
            job, holder=self._holder, now=now, error=text, retry_at=None if last else now + delay
        )

    async def _keep(self, job: Job) -> None:
        while True:
            await asyncio.sleep(self._lease_seconds / 3)
            with suppress(StoreBusy):  # there is time for another try before the lease runs out
                if not await self._store.renew_job(job, self._lease()):
                    return

    def _lease(self) -> Lease:
        now = self._clock()
        return Lease(holder=self._holder, now=now, until=now + timedelta(seconds=self._lease_seconds))


def _place(error: BaseException) -> str:
    """Return class and place of an error and of its cause for the log. Never their text: it may quote what somebody said."""
    names = [type(error).__name__]
    while error.__cause__ is not None:
        error = error.__cause__
        names.append(type(error).__name__)
    frames = traceback.extract_tb(error.__traceback__)
    return " < ".join([" from ".join(names), *(f"{frame.name}:{frame.lineno}" for frame in frames[:-5:-1])])


def backoff(attempts: int) -> float:
    """Return the seconds to wait after this many attempts: doubling from 2 s to 5 min, ±25 % jitter."""
    seconds: float = min(BACKOFF_SECONDS * 2.0 ** (attempts - 1), BACKOFF_CAP_SECONDS)
    return seconds * random.uniform(0.75, 1.25)
