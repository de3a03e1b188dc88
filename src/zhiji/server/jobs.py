"""``/v1/jobs``: background work, for operators: ids and states, never text."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from zhiji.engine import Zhiji
from zhiji.errors import JobNotFound
from zhiji.server.parts import Id, Opened
from zhiji.server.problems import documented
from zhiji.server.schemas.jobs import Job, JobFilters, JobPage, ListedJob
from zhiji.types import Scope

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])


@router.get("", operation_id="jobs_list", responses=documented())
async def list_(zj: Opened, only: Annotated[JobFilters, Query()]) -> JobPage:
    """List jobs of one user or of all, last enqueued first."""
    found = await zj.jobs.list(only.user, statuses=only.status, limit=only.limit)
    outcomes = await zj.jobs.outcomes(found)
    return JobPage(jobs=[ListedJob.told(job, outcomes.get(job.id)) for job in found])


@router.post("/{job}/replay", operation_id="jobs_replay", responses=documented(JobNotFound))
async def replay(zj: Opened, job: Id) -> Job:
    """Run a dead job again, now."""
    return Job.of(await zj.jobs.replay(await _owner(zj, job), job))


@router.post("/{job}/discard", operation_id="jobs_discard", status_code=204, responses=documented(JobNotFound))
async def discard(zj: Opened, job: Id) -> None:
    """Drop a dead job for good; what it should have read is read by the next job of its session."""
    await zj.jobs.discard(await _owner(zj, job), job)


async def _owner(zj: Zhiji, job_id: str) -> Scope:
    """Return whose job it is: an operator names it without its user, but only in the tenant of this service."""
    owner = (await zj.jobs.find(job_id)).scope
    if owner.tenant != zj.settings.tenant:
        raise JobNotFound
    return owner
