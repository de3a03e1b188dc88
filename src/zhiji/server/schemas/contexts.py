"""What the model saw."""

from __future__ import annotations

from typing import Self

from pydantic import JsonValue

from zhiji import types
from zhiji.server.schemas.base import Count, Out, Share
from zhiji.server.schemas.chat import Step, Usage
from zhiji.types import Via


class Tool(Out):
    """A tool as shown to the model."""

    name: str
    """As in its calls."""
    description: str
    """What it is for."""
    parameters: dict[str, JsonValue]
    """A JSON schema."""


class RecalledId(Out):
    """A memory that was in the background block."""

    id: str
    """`mem_…`."""
    score: Share
    """0 to 1."""
    via: Via
    """What found it."""


class Context(Out):
    """What the model saw in one request, rebuilt from its recipe."""

    request_id: str
    """As in the reply to the request."""
    session_id: str
    """The session of the request."""
    turn: Count
    """Number of the turn in the session."""
    messages: list[dict[str, JsonValue]]
    """In chat-completions format, the one system message first."""
    tools: tuple[Tool, ...]
    """What the model could call."""
    usage: Usage
    """Tokens by part."""
    steps: tuple[Step, ...]
    """What was done to fit the window, in order."""
    profile: tuple[str, ...]
    """Ids of the memories in the profile block."""
    recalled: list[RecalledId]
    """What was recalled, in the order of the background block."""

    @classmethod
    def shown(cls, request_id: str, made: types.Context) -> Self:
        """Return the answer for a request."""
        recalled = [RecalledId(id=id, score=score, via=Via(via)) for id, score, via in made.recipe.recalled]
        return cls(
            request_id=request_id,
            session_id=made.recipe.session,
            turn=made.recipe.turn,
            messages=[dict(message) for message in made.messages],
            tools=tuple(Tool.each(made.tools)),
            usage=Usage.of(made.usage),
            steps=tuple(Step.each(made.steps)),
            profile=made.recipe.profile,
            recalled=recalled,
        )
