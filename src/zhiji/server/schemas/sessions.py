"""Conversations, their transcripts, and turns that happened elsewhere."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue

from zhiji import text, types
from zhiji.ingest import MAX_MESSAGES
from zhiji.server.schemas.base import (
    MAX_LIMIT,
    MAX_MESSAGE_CHARS,
    MAX_OFFSET,
    Count,
    Filters,
    Id,
    In,
    Moment,
    Out,
    Page,
)
from zhiji.server.schemas.jobs import Job
from zhiji.types import SessionStatus


class Session(Out):
    """One conversation, without messages and state."""

    id: str
    """`ses_…`."""
    created_at: datetime
    """UTC."""
    touched_at: datetime
    """UTC; its last turn."""
    expires_at: datetime | None
    """UTC; from then on it is over. Null: not subject to expiry (ingested)."""
    status: SessionStatus
    """`ended`: over, its transcript archived and masked."""
    summary: str
    """Rolling summary of its older turns, masked; may be empty."""
    turns: Count
    """Turns begun so far."""
    last_seq: Count
    """Number of its last message."""
    extracted_upto: Count
    """Number of the last message that extraction has read: what follows is not yet memory."""
    resumed_from: str | None
    """Id of the session that it carries on from."""


class SessionPage(Out):
    """One page of sessions, last touched first."""

    sessions: list[Session]
    """At most `limit` of them."""
    next_offset: int | None
    """The `offset` of the next page; null: this is the last one."""


class SessionFilters(Page):
    """Which sessions to list."""

    archived: bool = False
    """Also those that are over."""


class Archived(Filters):
    """Whether a session may be over."""

    archived: bool = False
    """Also answer for a session that is over; else that is 410."""


class ToolCall(Out):
    """A call that the model asked for."""

    id: str
    """As the model named the call."""
    name: str
    """Name of the tool."""
    arguments: str
    """JSON text as the model wrote it."""


class Message(Out):
    """One message of a transcript."""

    seq: Annotated[int, Field(ge=1)]
    """1, 2, 3 … within the session."""
    turn: Annotated[int, Field(ge=1)]
    """Number of its turn, from 1."""
    role: types.Role
    """Who speaks."""
    content: str
    """As said; masked if the session is over or was ingested."""
    time: datetime
    """UTC."""
    name: str | None
    """Speaker of a user message, or tool of a tool message."""
    tool_calls: tuple[ToolCall, ...]
    """Calls of an assistant message."""
    tool_call_id: str | None
    """The call that a tool message answers."""
    orphan: bool
    """A tool result without its call; never sent to a model."""


class Transcript(Out):
    """Messages of a session, by sequence number, failed turns included."""

    messages: list[Message]
    """At most `last` of them."""


class TranscriptFilters(Archived):
    """Which messages to show."""

    last: int = Field(100, ge=1, le=MAX_LIMIT)
    """Only the newest so many."""
    before: int | None = Field(None, ge=1, le=MAX_OFFSET)
    """Only those before this sequence number: to page back."""


class GivenFunction(In):
    """The function of a call."""

    name: Id
    """Name of the tool."""
    arguments: str | dict[str, JsonValue] = "{}"
    """JSON, as text or as an object."""


class GivenCall(In):
    """A tool call in chat-completions format."""

    id: Id
    """As the model named the call."""
    type: Literal["function"] = "function"
    """The only kind of call that there is."""
    function: GivenFunction
    """What was called."""


class GivenMessage(In):
    """A message in chat-completions format; system messages are left out."""

    role: types.Role
    """Who speaks."""
    content: str | None = Field(None, max_length=MAX_MESSAGE_CHARS)
    """What was said."""
    name: Id | None = None
    """Speaker of a user message, or tool of a tool message."""
    tool_calls: list[GivenCall] | None = Field(None, max_length=MAX_LIMIT)
    """Calls of an assistant message."""
    tool_call_id: Id | None = None
    """The call that a tool message answers; without its call it is kept, but never sent to a model."""
    time: Moment | None = None
    """When it was said; a time without zone is UTC."""


_SPOKEN: dict[str, Any] = {
    "type": "object",
    "properties": {"role": {"const": "user"}, "content": {"type": "string", "pattern": text.VISIBLE}},
    "required": ["role", "content"],
}
"""A message that the user said."""


class Ingest(In):
    """Turns that happened elsewhere, whole and in order."""

    messages: list[GivenMessage] = Field(min_length=1, max_length=MAX_MESSAGES, json_schema_extra={"contains": _SPOKEN})
    """At least one user message."""
    session_id: Id | None = None
    """The session that they continue; null: a new one, which does not expire."""
    time: Moment | None = None
    """Time of messages without one; null: now."""


class Ingested(Out):
    """Turns were stored; memories follow."""

    session_id: str
    """The session that holds them."""
    last_seq: Count
    """Number of its last message."""
    extracted_upto: Count
    """Number of the last message that extraction has read; memories are complete when it reaches `last_seq`."""
    job: Job | None
    """The job that makes memories of it; null: that is done, see the extractions of the session."""
