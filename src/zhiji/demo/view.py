"""What one exchange of a story left behind on each level, and how a whole story went. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from zhiji.demo.script import Step, Story
from zhiji.types import Context, JsonValue, Memory, Reply, Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One thing that a user said, and what came of it."""

    number: int
    """Number of its step in the story, from 1."""
    step: Step
    day: int
    """1 is the day on which the story begins."""
    time: datetime
    reply: Reply
    session: Session
    context: Context
    """What the model saw last in this turn."""
    written: tuple[Memory, ...]
    """Memories that are new or changed, whatever their status."""
    missing: tuple[str, ...]
    """Phrases that were expected and are not in the reply."""
    forbidden: tuple[str, ...]
    """Phrases that must never be in it, and are."""

    @property
    def passed(self) -> bool:
        """Whether the reply says what it must and nothing that it must not."""
        return not self.missing and not self.forbidden

    def to_json(self) -> dict[str, JsonValue]:
        """Return the exchange as JSON."""
        usage = self.reply.usage
        return {
            "step": self.number,
            "time": self.time.isoformat(),
            "user": self.step.user,
            "say": self.step.say,
            "reply": self.reply.text,
            "passed": self.passed,
            "missing": list(self.missing),
            "forbidden": list(self.forbidden),
            "session": {
                "id": self.session.id,
                "created": self.reply.created,
                "resumed_from": self.reply.resumed_from,
                "intent": self.session.state.intent,
                "slots": dict(self.session.state.slots),
            },
            "written": [_memory(memory) for memory in self.written],
            "recalled": [
                {
                    "content": found.memory.content,
                    "score": found.score,
                    "terms": dict(found.terms),
                    "via": str(found.via),
                }
                for found in self.reply.recalled
            ],
            "usage": {
                "system": usage.system,
                "memory": usage.memory,
                "history": usage.history,
                "summary": usage.summary,
                "tool": usage.tool,
                "input": usage.input,
                "total": usage.total,
                "reserve": usage.reserve,
                "limit": usage.limit,
                "ratio": usage.ratio,
            },
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Jumped:
    """The clock was set forward."""

    by: timedelta
    day: int
    time: datetime
    ended: int
    """Sessions that expired and were archived."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryResult:
    """How a story went."""

    story: Story
    no_memory: bool
    exchanges: tuple[Exchange, ...]

    @property
    def passed(self) -> bool:
        """Whether every reply passed."""
        return all(exchange.passed for exchange in self.exchanges)

    def to_json(self) -> dict[str, JsonValue]:
        """Return the result as JSON."""
        return {
            "story": self.story.name,
            "lang": self.story.lang,
            "memory": not self.no_memory,
            "passed": self.passed,
            "steps": [exchange.to_json() for exchange in self.exchanges],
        }


def _memory(memory: Memory) -> dict[str, JsonValue]:
    shown: Mapping[str, JsonValue] = {
        "type": memory.type,
        "key": memory.key,
        "content": memory.content,
        "importance": memory.importance,
        "confidence": memory.confidence,
        "status": str(memory.status),
    }
    return dict(shown)
