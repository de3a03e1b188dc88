"""``/v1/users/{user}/sessions`` and ``…/messages``: conversations, their transcripts, and those held elsewhere."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Query, Request

from zhiji.errors import IdempotencyMismatch, RateLimited, SessionBusy, SessionExpired, SessionNotFound
from zhiji.server.keys import KeyHeader, given_key
from zhiji.server.parts import Id, Opened, User
from zhiji.server.problems import documented
from zhiji.server.schemas.base import examples
from zhiji.server.schemas.jobs import Job
from zhiji.server.schemas.sessions import (
    Archived,
    Ingest,
    Ingested,
    Message,
    Session,
    SessionFilters,
    SessionPage,
    Transcript,
    TranscriptFilters,
)
from zhiji.types import JobKind, JobStatus

router = APIRouter(prefix="/v1/users/{user}", tags=["sessions"])

UNDONE = (JobStatus.PENDING, JobStatus.RUNNING, JobStatus.DEAD)
_INGEST = Body(
    openapi_examples=examples(
        zh={
            "messages": [
                {"role": "user", "content": "我叫李四，订单 OD20240415008 想退货", "time": "2024-04-15T10:00:00+08:00"},
                {"role": "assistant", "content": "好的，李四，已为您登记退货。"},
            ]
        },
        en={
            "messages": [
                {"role": "user", "content": "I moved to Berlin last week."},
                {"role": "assistant", "content": "Noted, I will ship to Berlin."},
            ],
            "time": "2024-04-15T10:00:00Z",
        },
    )
)


@router.post(
    "/messages",
    operation_id="ingest",
    status_code=202,
    responses=documented(SessionNotFound, SessionExpired, SessionBusy, IdempotencyMismatch, RateLimited),
)
async def ingest(
    request: Request, zj: Opened, user: User, told: Annotated[Ingest, _INGEST], idempotency_key: KeyHeader = None
) -> Ingested:
    """Store turns that happened elsewhere. They are kept when this answers; a job makes memories of them."""
    messages = [message.model_dump(exclude_unset=True) for message in told.messages]
    session = await zj.ingest(
        user, messages, session=told.session_id, time=told.time, idempotency_key=given_key(request)
    )
    jobs = await zj.jobs.list(user, statuses=UNDONE, session=session.id, limit=10)
    job = next((Job.of(job) for job in jobs if job.kind is JobKind.SEDIMENT), None)
    return Ingested(
        session_id=session.id,
        last_seq=session.last_seq,
        extracted_upto=session.extracted_upto,
        job=job,
    )


@router.get("/sessions", operation_id="sessions_list", responses=documented())
async def list_(zj: Opened, user: User, only: Annotated[SessionFilters, Query()]) -> SessionPage:
    """List a user's sessions, last touched first; live ones unless told otherwise."""
    found = await zj.sessions.list(user, archived=only.archived, limit=only.limit + 1, offset=only.offset)
    return SessionPage(sessions=Session.each(found[: only.limit]), next_offset=only.following(found))


@router.post("/sessions", operation_id="sessions_start", status_code=201, responses=documented())
async def start(zj: Opened, user: User) -> Session:
    """Start a session; it carries on from the user's ended one of the last days, if there is one."""
    return Session.of(await zj.sessions.start(user))


@router.get("/sessions/{session}", operation_id="sessions_get", responses=documented(SessionNotFound, SessionExpired))
async def get(zj: Opened, user: User, session: Id, only: Annotated[Archived, Query()]) -> Session:
    """Show a session, without touching it."""
    return Session.of(await zj.sessions.get(user, session, archived=only.archived))


@router.post("/sessions/{session}/end", operation_id="sessions_end", responses=documented(SessionNotFound, SessionBusy))
async def end(zj: Opened, user: User, session: Id) -> Session:
    """End a session: its transcript is archived, masked; what is unread becomes memory. Ending it twice does nothing."""
    await zj.sessions.end(user, session)
    return Session.of(await zj.sessions.get(user, session, archived=True))


@router.get(
    "/sessions/{session}/messages",
    operation_id="sessions_messages",
    responses=documented(SessionNotFound, SessionExpired),
)
async def messages(zj: Opened, user: User, session: Id, only: Annotated[TranscriptFilters, Query()]) -> Transcript:
    """Show the transcript of a session, the newest messages unless told otherwise."""
    found = await zj.sessions.messages(user, session, last=only.last, before=only.before, archived=only.archived)
    return Transcript(messages=Message.each(found))
