"""Background work and what became of it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Self

from pydantic import Field

from zhiji import types
from zhiji.server.schemas.base import MAX_ID_CHARS, MAX_LIMIT, Count, Filters, Out, UserId
from zhiji.types import JobKind, JobStatus, Outcome


class Job(Out):
    """Background work; ids and states, never text."""

    id: str
    """`job_…`."""
    user_id: str
    """Whose session it works on."""
    kind: JobKind
    """What it does."""
    subject: str
    """What it works on: a session id."""
    status: JobStatus
    """`dead`: given up after its attempts; replay it when the cause is mended."""
    attempts: Count
    """How often it was begun."""
    run_at: datetime
    """UTC; not before then."""
    created_at: datetime
    """UTC."""
    finished_at: datetime | None
    """UTC."""
    lease_until: datetime | None
    """UTC; while it runs."""
    error: str
    """Code and first line of its last failure; empty if none."""

    @classmethod
    def of(cls, value: object) -> Self:
        assert isinstance(value, types.Job)
        return cls(user_id=value.scope.user, **{name: getattr(value, name) for name in _JOB_FIELDS})


_JOB_FIELDS = tuple(name for name in Job.model_fields if name != "user_id")


class Extraction(Out):
    """What became of one extraction pass over a range of messages."""

    session: str
    """Session id."""
    first_seq: Count
    """First message that it read."""
    last_seq: Count
    """Last message that it read."""
    outcome: Outcome
    """`nothing`: there was nothing to remember. `partial`: some of the answer could not be used. `failed`: nothing could."""
    extractor: str
    """Its name."""
    model: str
    """The chat model that was asked; empty: none was."""
    written: Count
    """Memories added."""
    reinforced: Count
    """Known memories said again."""
    superseded: Count
    """Memories replaced or withdrawn."""
    quarantined: Count
    """Memories that wait for an operator."""
    skipped: Count
    """Drafts left out."""
    tokens: Count
    """Tokens that the model used; 0 for rules."""
    duration_ms: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    """Milliseconds."""
    reasons: tuple[str, ...]
    """Why, in a few words each."""
    time: datetime
    """UTC."""


class ListedJob(Job):
    """Background work with what it came to; ids and states, never text."""

    outcome: Extraction | None
    """The last outcome of extraction for its session; null: none yet, or it reads no session."""

    @classmethod
    def told(cls, job: types.Job, outcome: types.Extraction | None) -> Self:
        """Return a job with the last outcome for its session."""
        return cls(**Job.of(job).model_dump(), outcome=None if outcome is None else Extraction.of(outcome))


class JobPage(Out):
    """Jobs, last enqueued first."""

    jobs: list[ListedJob]
    """At most `limit` of them."""


class JobFilters(Filters):
    """Which jobs to list."""

    user: UserId | None = None
    """Only this user's."""
    status: list[JobStatus] | None = Field(None, max_length=len(JobStatus))
    """Only these; may be repeated."""
    limit: int = Field(100, ge=1, le=MAX_LIMIT)
    """Jobs at most."""


class ExtractionPage(Out):
    """Stored outcomes, newest first."""

    extractions: list[Extraction]
    """At most `limit` of them."""


class ExtractionFilters(Filters):
    """Which outcomes to list."""

    session: str | None = Field(None, min_length=1, max_length=MAX_ID_CHARS)
    """Only this session's."""
    limit: int = Field(100, ge=1, le=MAX_LIMIT)
    """Outcomes at most."""
