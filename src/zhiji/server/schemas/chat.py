"""One message said, and the reply to it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from zhiji import text, types
from zhiji.given import MAX_KEY_CHARS
from zhiji.server.schemas.base import Count, In, Out, UserId, Words
from zhiji.server.schemas.recall import Recalled


class Asked(In):
    """One message of one user: the article's shape."""

    user_id: UserId = Field(examples=["user_001"])
    """Who is talking."""
    session_id: str | None = None
    """The conversation; without it, a new one."""
    message: Words = Field(examples=["退货地址是什么？"])
    """What the user says."""


class Said(Asked):
    """One message, and how it is to be answered. One frame of a socket has this shape."""

    on_expired: Literal["new", "error"] = "new"
    """With an expired session: a new one that carries on, or 410."""
    idempotency_key: str | None = Field(None, min_length=1, max_length=MAX_KEY_CHARS, pattern=text.NOT_BLANK)
    """Names this message: a retry with it gets the first reply, for 24 h. The header `Idempotency-Key` is the same thing;
    give one of them."""


class ChatBody(Said):
    """Body of `POST /v1/chat`."""

    stream: bool = False
    """Tell the reply as server-sent events."""


class ChatReply(Out):
    """The article's reply."""

    session_id: str
    """The conversation; send it with the next message."""
    reply: Annotated[str, Field(validation_alias="text")]
    """What the assistant says."""


class Usage(Out):
    """Tokens of a request by part; the six parts sum to `total`."""

    system: Count
    """Tokens of the prompt."""
    memory: Count
    """Tokens of profile and recalled memories."""
    history: Count
    """Tokens of earlier turns."""
    summary: Count
    """Tokens of the summary of older turns."""
    tool: Count
    """Tokens of the tools, their calls and results, and the notes on the state."""
    input: Count
    """Tokens of the user's message."""
    reserve: Count
    """Tokens kept free for the reply."""
    limit: Count
    """Tokens of the context window."""
    total: Count
    """Tokens sent: the sum of the six parts."""
    ratio: Annotated[float, Field(ge=0)]
    """`(total + reserve) / limit`; the alarm is at 0.8."""


class Step(Out):
    """One rung of the ladder that was taken to fit the window."""

    name: types.StepName
    """Which rung."""
    removed: Count
    """Memories, turns or tool results that it removed or shortened."""
    tokens_before: Count
    """Tokens of the request before it."""
    tokens_after: Count
    """Tokens of the request after it."""
    reason: str
    """Why, in a few words."""


class Reply(ChatReply):
    """The reply, and where it came from."""

    created: bool
    """Whether this message opened the session."""
    resumed_from: str | None
    """The session that a new one carries on from."""
    turn_id: str
    """Names this turn."""
    request_id: str
    """Names what the model saw: `GET /v1/users/{user}/requests/{request_id}/context`."""
    usage: Usage
    """Tokens by part."""
    recalled: list[Recalled]
    """What the model was given of memory, best first, each with its terms."""
    steps: list[Step]
    """What was done to fit the window, in order."""
    replayed: bool
    """Whether an earlier request with this idempotency key made the reply."""
    interrupted: bool
    """Whether the client had left while the reply was told; it ends there."""
