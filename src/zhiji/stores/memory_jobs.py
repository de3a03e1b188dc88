"""The queue of the in-memory reference store: everybody's jobs in the order in which they were enqueued."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from secrets import token_hex

from zhiji.errors import JobNotFound
from zhiji.stores.base import Lease, NewJob
from zhiji.types import Job, JobStatus, Scope


@dataclass(slots=True)
class Queue:
    """Jobs with their holders. Every method answers as the one of ``Store`` of the same name."""

    jobs: dict[str, Job] = field(default_factory=dict)
    holders: dict[str, str] = field(default_factory=dict)
    """Holder by job id, of running jobs whose lease was not declared run out."""

    def enqueue(self, scope: Scope, jobs: Iterable[NewJob], now: datetime) -> None:
        for new in jobs:
            pending = self._alike(scope, new, JobStatus.PENDING)
            for job in pending:
                self._put(job, run_at=(max if new.waits else min)(job.run_at, new.run_at))
            if not pending:
                id = f"job_{token_hex(16)}"
                self.jobs[id] = Job(
                    id=id, scope=scope, kind=new.kind, subject=new.subject, run_at=new.run_at, created_at=now
                )

    def claim_job(self, lease: Lease, scope: Scope | None, after: Sequence[Scope], met: Sequence[Scope]) -> Job | None:
        """``met``: every owner, in the order in which the store met them."""
        due = [job for job in self._of(scope) if self._is_due(job, lease.now)]
        if not due:
            return None
        turns = _turns(after, met) if after and scope is None else []
        job = min(due, key=lambda job: (turns.index(job.scope) if turns else 0, _due_since(job)))  # first of equals
        self.holders[job.id] = lease.holder
        return self._put(job, status=JobStatus.RUNNING, attempts=job.attempts + 1, lease_until=lease.until)

    def _is_due(self, job: Job, now: datetime) -> bool:
        if job.status is JobStatus.PENDING and any(
            (other.kind, other.status) == (job.kind, JobStatus.RUNNING) for other in self._of(job.scope)
        ):
            return False
        return job.status in (JobStatus.PENDING, JobStatus.RUNNING) and _due_since(job) <= now

    def renew_job(self, job: Job, lease: Lease) -> bool:
        if not self._is_ours(job, lease.holder):
            return False
        self._put(self.jobs[job.id], lease_until=lease.until)
        return True

    def finish_job(self, job: Job, holder: str, now: datetime) -> None:
        if self._is_ours(job, holder):
            self._drop(self._alike(job.scope, job, JobStatus.DONE))
            self._release(job, status=JobStatus.DONE, finished_at=now, error="")

    def fail_job(self, job: Job, holder: str, now: datetime, error: str, retry_at: datetime | None) -> None:
        if not self._is_ours(job, holder):
            return
        if retry_at is None:
            self._release(job, status=JobStatus.DEAD, finished_at=now, error=error)
        else:
            self._drop(self._alike(job.scope, job, JobStatus.PENDING))
            self._release(job, status=JobStatus.PENDING, run_at=retry_at, error=error)

    def release_job(self, job: Job, holder: str) -> None:
        if self._is_ours(job, holder):
            self._drop(self._alike(job.scope, job, JobStatus.PENDING))
            self._release(job, status=JobStatus.PENDING, attempts=self.jobs[job.id].attempts - 1)

    def discard_job(self, scope: Scope, job_id: str) -> None:
        self._drop([self._dead(scope, job_id)])

    def _dead(self, scope: Scope, job_id: str) -> Job:
        job = self.jobs.get(job_id)
        if job is None or job.scope != scope or job.status is not JobStatus.DEAD:
            raise JobNotFound
        return job

    def replay_job(self, scope: Scope, job_id: str, now: datetime) -> Job:
        job = self._dead(scope, job_id)
        self._drop(self._alike(scope, job, JobStatus.PENDING))
        return self._put(job, status=JobStatus.PENDING, attempts=0, run_at=now, finished_at=None, error="")

    def list_jobs(
        self,
        scope: Scope | None,
        tenant: str | None,
        statuses: frozenset[JobStatus] | None,
        subject: str | None,
        limit: int,
    ) -> list[Job]:
        wanted = [
            job
            for job in self._of(scope)
            if (tenant is None or job.scope.tenant == tenant)
            and (statuses is None or job.status in statuses)
            and (subject is None or job.subject == subject)
        ]
        return wanted[::-1][:limit]

    def due(self, scope: Scope | None, now: datetime) -> list[Job]:
        waiting = (JobStatus.PENDING, JobStatus.RUNNING)
        return [job for job in self._of(scope) if job.status in waiting and job.run_at <= now]

    def run_out(self, holder: str) -> int:
        """The leases of this holder have run out; returns how many."""
        lost = [id for id, name in self.holders.items() if name == holder]
        for id in lost:
            self._release(self.jobs[id])
        return len(lost)

    def has_work_on(self, scope: Scope, subject: str) -> bool:
        """Return whether a job on this subject is pending or running."""
        live = (JobStatus.PENDING, JobStatus.RUNNING)
        return any(job.subject == subject and job.status in live for job in self._of(scope))

    def remove(self, scope: Scope, which: Callable[[Job], bool]) -> int:
        """These jobs of the owner are gone; returns how many."""
        gone = [job for job in self._of(scope) if which(job)]
        self._drop(gone)
        return len(gone)

    def _of(self, scope: Scope | None) -> list[Job]:
        return [job for job in self.jobs.values() if scope is None or job.scope == scope]

    def _alike(self, scope: Scope, like: Job | NewJob, status: JobStatus) -> list[Job]:
        return [
            job for job in self._of(scope) if (job.kind, job.subject, job.status) == (like.kind, like.subject, status)
        ]

    def _is_ours(self, job: Job, holder: str) -> bool:
        return self.holders.get(job.id) == holder

    def _put(self, job: Job, **changes: object) -> Job:
        self.jobs[job.id] = replace(job, **changes)  # type: ignore[arg-type]  # names are checked by the dataclass
        return self.jobs[job.id]

    def _release(self, job: Job, **changes: object) -> None:
        del self.holders[job.id]
        self._put(self.jobs[job.id], lease_until=None, **changes)

    def _drop(self, jobs: Iterable[Job]) -> None:
        for job in jobs:
            self.holders.pop(job.id, None)
            del self.jobs[job.id]


def _due_since(job: Job) -> datetime:
    return job.lease_until or job.run_at


def _turns(after: Sequence[Scope], met: Sequence[Scope]) -> list[Scope]:
    """Return the owners in the order in which their turn comes."""
    served = {scope.tenant: scope for scope in after}
    tenants = sorted({scope.tenant for scope in met})
    later = [tenant for tenant in tenants if tenant > after[-1].tenant]
    return [
        scope
        for tenant in [*later, *(tenant for tenant in tenants if tenant not in later)]
        for scope in _behind(served.get(tenant), [scope for scope in met if scope.tenant == tenant])
    ]


def _behind(served: Scope | None, owners: list[Scope]) -> list[Scope]:
    here = owners.index(served) + 1 if served in owners else 0
    return owners[here:] + owners[:here]
