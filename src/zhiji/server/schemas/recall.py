"""Questions to what is known, and what bears on them."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BeforeValidator, Field

from zhiji import types
from zhiji.server.schemas.base import MAX_QUERY_CHARS, MAX_TYPES, Id, In, Moment, Out, Share, TypeName, whole
from zhiji.server.schemas.memories import Memory
from zhiji.types import Via


class Terms(Out):
    """The terms of a score, each 0 to 1, before they are weighted."""

    similarity: Share
    """Likeness to the question, by words and by meaning."""
    decay: Share
    """Freshness: 0.5 after one half-life of its type."""
    confidence: Share
    """The confidence of the memory."""
    type: Share
    """Weight of its type times importance / 5."""


class Recalled(Out):
    """A recalled memory with its score."""

    memory: Memory
    """As it is kept."""
    score: Share
    """0 to 1; the weighted sum of the terms."""
    terms: Terms | None
    """Null from `recall` without `explain`; a reply always has them."""
    via: Via
    """What found it."""

    @classmethod
    def of(cls, value: object) -> Self:
        assert isinstance(value, types.Recalled)
        terms = Terms(**value.terms) if value.terms else None
        return cls(memory=Memory.of(value.memory), score=value.score, terms=terms, via=value.via)


class Recall(In):
    """A question to what is known about a user."""

    query: str = Field(max_length=MAX_QUERY_CHARS)
    """What is asked, in the user's words."""
    k: Annotated[int, Field(ge=1, le=100), BeforeValidator(whole)] = 5
    """Memories at most."""
    session_id: Id | None = None
    """A live session whose state helps: its order, its form."""
    types: list[TypeName] | None = Field(None, max_length=MAX_TYPES)
    """Only these types; null: all."""
    as_of: Moment | None = None
    """What was known to hold then; a time without zone is UTC."""
    explain: bool = False
    """Whether to show the terms of each score."""


class RecallAnswer(Out):
    """Memories that bear on the question, best first."""

    recalled: list[Recalled]
    """At most `k`."""
