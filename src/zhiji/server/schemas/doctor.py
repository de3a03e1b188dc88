"""A question for which memory failed, and where it failed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

from pydantic import BeforeValidator, Field, JsonValue

from zhiji.diagnosis import Finding, StepOf, Verdict
from zhiji.server.schemas.base import MAX_ID_CHARS, MAX_MESSAGE_CHARS, MAX_QUERY_CHARS, In, Out


class Diagnose(In):
    """The question for which memory seemed to fail."""

    user_id: str = Field(max_length=4 * MAX_ID_CHARS)
    """As it was sent with the message."""
    session_id: str | None = Field(None, max_length=MAX_ID_CHARS)
    """As it was sent with the message."""
    message: str = Field(max_length=MAX_MESSAGE_CHARS)
    """What the user said."""
    expect: str | None = Field(None, max_length=MAX_QUERY_CHARS)
    """Words of the fact that should have been remembered, such as an order number."""


def _facts(given: object) -> object:
    if not isinstance(given, Mapping):
        return given
    return {name: list(fact) if isinstance(fact, tuple) else fact for name, fact in given.items()}


class Note(Out):
    """One finding."""

    finding: Finding
    """What was found; codes never change."""
    status: Verdict
    """What it means for the message."""
    what: str
    """What is so."""
    advice: str
    """What to do about it; empty if nothing."""
    facts: Annotated[dict[str, JsonValue | datetime], BeforeValidator(_facts)]
    """Ids, scores, counts and times behind it."""


class Check(Note):
    """One step: its gravest finding, and what else was found."""

    step: StepOf
    """Which of the four."""
    others: tuple[Note, ...]
    """Further findings of this step."""


class Diagnosis(Out):
    """Where a message lost what should have been remembered."""

    broken: StepOf | None
    """The first step that broke; null if none did."""
    steps: tuple[Check, ...]
    """Input, session, memory, context."""
