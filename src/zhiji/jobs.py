"""Looking after background work: what is queued, what failed and why, running it again, and who runs it (M37, B7)."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from datetime import datetime

from zhiji import given
from zhiji.curate import Owner
from zhiji.errors import InvalidInput, JobNotFound
from zhiji.parts import Parts
from zhiji.types import Extraction, Job, JobKind, JobStatus, Scope, WorkerBeat

RECENT = 1000
"""Outcomes of one owner among which that of a session is looked for."""


class Jobs:
    """``zj.jobs``: background work and what became of it."""

    def __init__(self, parts: Parts, owner: Owner) -> None:
        self._parts = parts
        self._owner = owner

    async def list(
        self,
        user: str | Scope | None = None,
        *,
        statuses: Sequence[JobStatus | str] | None = None,
        session: str | None = None,
        limit: int = 100,
    ) -> list[Job]:
        """Return jobs, newest first; without ``user`` those of everybody in the tenant (ids and states, never text).

        ``session``: only those that work on it.
        """
        wanted = None if statuses is None else frozenset(_status(one) for one in given.names("statuses", statuses))
        return await self._parts.store.list_jobs(
            scope=None if user is None else self._owner(user),
            tenant=self._parts.settings.tenant if user is None else None,
            statuses=wanted,
            subject=None if session is None else given.name("session", session),
            limit=given.count("limit", limit),
        )

    async def extractions(
        self, user: str | Scope, *, session_id: str | None = None, limit: int = 100
    ) -> builtins.list[Extraction]:
        """Return stored extraction outcomes, newest first."""
        wanted = None if session_id is None else given.name("session_id", session_id)
        return await self._parts.store.extractions(
            self._owner(user), session_id=wanted, limit=given.count("limit", limit)
        )

    async def outcomes(self, jobs: Sequence[Job]) -> Mapping[str, Extraction]:
        """Return the last outcome of extraction for the session of each of these jobs that reads one, by the job's id.

        Of one owner, the last ``RECENT`` outcomes are looked through.
        """
        last: dict[tuple[Scope, str], Extraction] = {}
        reading = [job for job in jobs if job.kind is JobKind.SEDIMENT]
        for scope in {job.scope for job in reading}:
            for outcome in await self._parts.store.extractions(scope, limit=RECENT):
                last.setdefault((scope, outcome.session), outcome)
        return {job.id: last[job.scope, job.subject] for job in reading if (job.scope, job.subject) in last}

    async def find(self, job_id: str) -> Job:
        """Return the job of this id, whoever owns it: an operator's view. Its ``scope`` is what ``replay`` asks for.

        Raises:
            JobNotFound: there is none.
        """
        found = await self._parts.store.load_job(given.name("the id of a job", job_id))
        if found is None:
            raise JobNotFound
        return found

    async def workers(self) -> builtins.list[WorkerBeat]:
        """Return the processes that run jobs, or did until they went missing less than a day ago, oldest first."""
        return await self._parts.store.workers(now=self._parts.clock())

    async def oldest_due(self) -> datetime | None:
        """Return since when the work that has waited longest has been due, running work included; None if there is none."""
        return await self._parts.store.oldest_due(now=self._parts.clock())

    async def discard(self, user: str | Scope, job_id: str) -> None:
        """A dead job is gone for good; what it should have read is read by the next job of its session.

        Raises:
            JobNotFound: this user has no dead job of this id.
        """
        await self._parts.store.discard_job(self._owner(user), given.name("the id of a job", job_id))

    async def replay(self, user: str | Scope, job_id: str) -> Job:
        """A dead job runs again.

        Raises:
            JobNotFound: this user has no dead job of this id.
        """
        job = await self._parts.store.replay_job(
            self._owner(user), given.name("the id of a job", job_id), now=self._parts.clock()
        )
        self._parts.wake()
        return job


def _status(status: JobStatus | str) -> JobStatus:
    try:
        return JobStatus(status)
    except ValueError as error:
        raise InvalidInput(f"unknown status; use one of {', '.join(JobStatus)}") from error
