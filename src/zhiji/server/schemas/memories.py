"""Memories, told and shown."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue

from zhiji import curate, types
from zhiji.server.schemas.base import (
    MAX_TYPES,
    Count,
    Id,
    Importance,
    In,
    Known,
    Out,
    Page,
    Share,
    TypeName,
    Words,
)
from zhiji.types import Became, Status, Trust


class Source(Out):
    """Messages that a memory came from."""

    session: str
    """Session id."""
    seqs: tuple[Annotated[int, Field(ge=1)], ...]
    """Sequence numbers of its messages."""


class Memory(Out):
    """Something known about a user across sessions."""

    id: str
    """`mem_…`."""
    type: Annotated[str, Known(listed=False)]
    """What kind of fact it is; `episode` is a past message, found by recall only."""
    content: str
    """One sentence in the user's language, masked."""
    key: str | None
    """Business key such as `order:OD20240415008`; null if the fact has none."""
    value: JsonValue
    """Structured value, such as the bare name for `identity:name`; masked."""
    importance: Annotated[int, Field(ge=1, le=5)]
    """1 (trivial) to 5 (must not be lost)."""
    confidence: Share
    """0 to 1."""
    trust: Trust
    """Who vouches for it."""
    status: Status
    """Only active memories are recalled."""
    reason: str
    """Why it has this status, in a few words; may be empty."""
    sources: tuple[Source, ...]
    """Empty for what an operator or a program wrote."""
    lang: Literal["zh", "en", ""]
    """Language of the content; empty if neither."""
    valid_from: datetime
    """UTC; since when it holds."""
    valid_to: datetime | None
    """UTC; until when it held."""
    superseded_by: str | None
    """Id of the memory that replaced it."""
    links: tuple[str, ...]
    """Ids of related memories of the same user."""
    created_at: datetime
    """UTC."""
    updated_at: datetime
    """UTC."""
    last_recalled_at: datetime | None
    """UTC; when it last reached a context."""
    recalls: Count
    """How often it reached a context."""
    expires_at: datetime | None
    """UTC; when it is forgotten, unless used; null keeps it."""
    revision: Annotated[int, Field(ge=1)]
    """Raised by every write."""


class Remembered(Memory):
    """The memory that now holds what was told, and what became of it."""

    became: Became
    """`added`: a new memory. `reinforced`: a known one has one more voice. `superseded`: a new one took the place of the
    former value. `quarantined`: it waits for an operator and is not recalled; see `reason`."""

    @classmethod
    def of(cls, value: object) -> Self:
        assert isinstance(value, types.Remembered)
        return cls(**Memory.of(value.memory).model_dump(), became=value.became)


class MemoryPage(Out):
    """One page of memories, newest first (by time of change, then id)."""

    memories: list[Memory]
    """At most `limit` of them."""
    next_offset: int | None
    """The `offset` of the next page; null: this is the last one."""


class Versions(Out):
    """Every version of what one memory says, oldest first."""

    versions: list[Memory]
    """Under one key, or linked by `superseded_by`."""


class MemoryFilters(Page):
    """Which memories to list."""

    status: list[Status] = Field([Status.ACTIVE], max_length=len(Status))
    """Only these; may be repeated."""
    type: list[TypeName] | None = Field(None, max_length=MAX_TYPES)
    """Only these; may be repeated."""


class Remember(In):
    """A memory of an operator or a program."""

    content: Words = Field(max_length=curate.MAX_CONTENT_CHARS)
    """One sentence in the user's language."""
    type: TypeName
    """What kind of fact it is."""
    key: Id | None = None
    """Business key, whole (`order:OD20240415008`) or its id alone; a new content under the same key supersedes."""
    value: JsonValue = None
    """Structured value; at most 10,000 characters as JSON."""
    importance: Importance | None = None
    """1 (trivial) to 5 (must not be lost); 3 unless said."""
    confidence: Share | None = None
    """0 to 1; 1 unless said. Below the confidence gate it waits in quarantine."""


class Correct(In):
    """What is right instead of a memory."""

    content: Words = Field(max_length=curate.MAX_CONTENT_CHARS)
    """One sentence."""
    reason: str = Field("", max_length=curate.MAX_REASON_CHARS)
    """Why, for the history."""
