"""Where the task of a session stands."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue

from zhiji.server.schemas.base import MAX_ID_CHARS, MAX_LIMIT, Count, In, Out, Version


class Conclusion(Out):
    """The short result of a tool call."""

    tool: str
    """Name of the tool."""
    text: str
    """Masked."""
    seq: Count
    """Number of the tool message that it came from."""


class State(Out):
    """Where the task of a session stands."""

    version: Count
    """Raised by every change; send it as `expected_version` to change only what you saw."""
    intent: str | None
    """What the user wants, in a word; null if not known."""
    slots: dict[str, JsonValue]
    """Form slots by name."""
    conclusions: tuple[Conclusion, ...]
    """Short results of tool calls, newest last."""


class PatchState(In):
    """Fields of a state to change."""

    changes: dict[Annotated[str, Field(max_length=MAX_ID_CHARS)], JsonValue] = Field(max_length=MAX_LIMIT)
    """`intent`, `slots` (merged name by name), `slots.<name>`, or the name of a slot; null removes."""
    expected_version: Version | None = None
    """Refuse with 409 unless the state still has this version."""
