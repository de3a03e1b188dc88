"""What an extractor is. No rule and no prompt lives here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from zhiji.types import Draft, Memory, Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Increment:
    """The messages of one extraction pass."""

    context: Sequence[Message] = ()
    """A few messages before the increment, so that "yes" has its question; drafts may cite them."""
    messages: Sequence[Message]
    """Masked messages of closed turns, by ``seq``. Drafts must cite at least one of these."""
    known: Sequence[Memory] = ()
    """Keyed active memories near this dialogue, so that their keys are used again."""
    pending: Sequence[Memory] = ()
    """Memories that wait for the user's yes and were asked about in these turns."""
    recalled: Sequence[str] = ()
    """Contents that were injected into these turns: their echo is no source."""
    now: datetime

    @property
    def offered(self) -> Sequence[Memory]:
        """What is known, then what waits for a yes: the memories that an answer may refer to, by their place."""
        return [*self.known, *self.pending]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What one pass proposes."""

    drafts: Sequence[Draft]
    """In the order of the words; later ones win."""
    partial: bool = False
    """True if some of the output had to be thrown away; ``reasons`` say what."""
    reasons: Sequence[str] = ()
    tokens: int = 0


class Extractor(ABC):
    """Proposes memories for an increment of a conversation."""

    name: str
    """Stored with each outcome."""

    model: str = ""
    """Name of the chat model that it asks, stored with each outcome; empty: it asks none."""

    keeps_requests: bool = False
    """True: it does what users ask of the memory in so many words, as ``consent`` reads it; so it may be confirmed."""

    every_turn: bool = False
    """True: cheap enough to run after every turn."""

    @abstractmethod
    async def extract(self, increment: Increment) -> Proposal:
        """Return the drafts for an increment; an empty list means that there is nothing to remember.

        Raises:
            ExtractionFailed: the answer could not be read.
        """
