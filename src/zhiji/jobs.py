"""Looking after background work: what is queued, what failed and why, and running it again (M37, B7)."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from zhiji import given
from zhiji.curate import Owner
from zhiji.errors import InvalidInput
from zhiji.parts import Parts
from zhiji.types import Extraction, Job, JobStatus, Scope


class Jobs:
    """``zj.jobs``: background work and what became of it."""

    def __init__(self, parts: Parts, owner: Owner) -> None:
        self._parts = parts
        self._owner = owner

    async def list(
        self, user: str | Scope | None = None, *, statuses: Sequence[JobStatus | str] | None = None, limit: int = 100
    ) -> list[Job]:
        """Return jobs, newest first; without ``user`` those of everybody (ids and states, never text)."""
        wanted = None if statuses is None else frozenset(_status(one) for one in given.names("statuses", statuses))
        scope = None if user is None else self._owner(user)
        return await self._parts.store.list_jobs(scope=scope, statuses=wanted, limit=given.count("limit", limit))

    async def extractions(
        self, user: str | Scope, *, session_id: str | None = None, limit: int = 100
    ) -> builtins.list[Extraction]:
        """Return stored extraction outcomes, newest first."""
        wanted = None if session_id is None else given.words("session_id", session_id)
        return await self._parts.store.extractions(
            self._owner(user), session_id=wanted, limit=given.count("limit", limit)
        )

    async def replay(self, user: str | Scope, job_id: str) -> Job:
        """A dead job runs again.

        Raises:
            JobNotFound: this user has no dead job of this id.
        """
        job = await self._parts.store.replay_job(
            self._owner(user), given.words("the id of a job", job_id), now=self._parts.clock()
        )
        self._parts.wake()
        return job


def _status(status: JobStatus | str) -> JobStatus:
    try:
        return JobStatus(status)
    except ValueError as error:
        raise InvalidInput(f"unknown status; use one of {', '.join(JobStatus)}") from error
