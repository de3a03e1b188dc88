"""What the clients keep: every turn that they sent, and what each attempt came to. And what is found afterwards.

*Accepted* means that a client got a reply or a turn id. Times are seconds of one monotonic clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from zhiji.types import Job, Message


class Kind(StrEnum):
    """What a turn asks of the service."""

    PLAIN = "plain"
    STREAM = "stream"
    READ = "read"
    """The model calls a slow tool."""
    WRITE = "write"
    """The model calls a tool that must not run twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one attempt, as its client saw it."""

    status: Literal["accepted", "refused", "lost"]
    """``lost``: the client gave up or the connection broke, and nobody told it what became of the turn."""
    at: float
    code: str = ""
    """Of a refusal: that of the problem, else the HTTP status; of a loss: what the client did or met."""
    retryable: bool = False
    session: str = ""
    turn: str = ""
    text: str = ""
    body: str = ""
    """Everything that was received."""


@dataclass(slots=True, kw_only=True)
class Sent:
    """One turn in the ledger."""

    mark: str
    user: int
    kind: Kind
    keyed: bool
    """Whether its attempts carry an idempotency key; without one there is one attempt only."""
    at: float
    """When it was first sent."""
    left: bool = False
    """Whether a client left while the answer was streaming: what it had seen is all that must be kept."""
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def accepted(self) -> Outcome | None:
        """The first attempt that was accepted."""
        return next((one for one in self.outcomes if one.status == "accepted"), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One execution of the writing tool, from its own log."""

    key: str
    mark: str
    user: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Everything of one user that the service shows after the run."""

    transcripts: Mapping[str, Sequence[Message]]
    """By session id, failed turns included."""
    memories: Sequence[str]
    """Every memory, of any status, as text."""
    facts: Sequence[str]
    """Keys of the active memories."""
    recalled: Sequence[str] = ()
    """What recall brings up, for questions about this user's secret and about others'."""
    contexts: Sequence[str] = ()
    """What the model saw, as text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything that the service shows after the run, and what it cannot know."""

    users: Mapping[int, Found]
    jobs: Sequence[Job]
    calls: Sequence[Call]
