"""What one request would hold, and what it costs: the value that the ladder makes smaller, rung by rung.

A plan counts; it knows no wording and decides nothing. ``context`` builds and renders it. Everything that is sent is in
one of its parts: prompt, schemas, profile, recalled lines, notes, summary, past turns, this turn. Messages are counted
before they come here, so a plan adds numbers only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from zhiji.tokens import MARKER, Counter
from zhiji.types import Message, Turn, Usage

MEMORY_SHARE = 0.3
"""Share of the room that memories may take, hard; history may use what they leave."""
MIN_RESULT_TOKENS = 25
"""What a shortened tool result keeps at least."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a block and what it costs."""

    text: str
    tokens: int


def cost(turn: Turn) -> int:
    """Return the tokens of a turn; its messages are counted."""
    return sum(message.tokens for message in turn.messages)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What one request would hold. Every message in it is counted (``tokens`` > 0)."""

    counter: Counter
    limit: int
    reserve: int
    system: int
    """The host's prompt, with the frame of its message."""
    schemas: int
    profile: tuple[Line, ...] = ()
    recalled: tuple[Line, ...] = ()
    """Best first."""
    notes: tuple[Line, ...] = ()
    profile_frame: int = 0
    """Tag and heading of the profile block, if there is one."""
    background_frame: int = 0
    guard: bool = False
    """True: the background block is there even without lines."""
    summary: str = ""
    summary_tokens: int = 0
    """The whole block; 0 if there is no summary."""
    summary_cap: int = 0
    """The block of the longest summary that may be made."""
    turns: tuple[Turn, ...] = ()
    left_out: tuple[Turn, ...] = ()
    """Turns before ``turns`` that rung 2 left out of this request; a summary of rung 3 covers them too."""
    folded_upto: int = 0
    """Last message ``seq`` that a new summary covers; 0 if none was made."""
    current: tuple[Message, ...]
    """The user's message, then this turn's calls and results."""
    cut: Mapping[int, int] = field(default_factory=dict)
    """Shortened tool results: ``seq`` → tokens kept."""
    keep_turns: int = 8
    """Turns that rung 2 leaves for rung 3."""

    @property
    def budget(self) -> int:
        """Tokens that may be sent."""
        return self.limit - self.reserve

    @property
    def room(self) -> int:
        """Tokens for memories and history: H = limit − system − schemas − reserve; never negative."""
        return max(0, self.budget - self.system - self.schemas)

    @property
    def memory_cap(self) -> int:
        return int(MEMORY_SHARE * self.room)

    @property
    def memory(self) -> int:
        lines = sum(line.tokens for line in self.profile) + sum(line.tokens for line in self.recalled)
        frames = self.profile_frame * bool(self.profile) + self.background_frame * bool(self.recalled)
        return lines + frames

    @property
    def noted(self) -> int:
        alone = not self.recalled and (bool(self.notes) or self.guard)
        return sum(line.tokens for line in self.notes) + self.background_frame * alone

    @cached_property
    def history(self) -> int:
        return sum(map(cost, self.turns))

    @cached_property
    def traffic(self) -> int:
        """This turn's calls and results."""
        return sum(message.tokens for message in self.current[1:])

    @property
    def input(self) -> int:
        return self.current[0].tokens

    @property
    def total(self) -> int:
        fixed = self.system + self.schemas + self.noted + self.traffic + self.input
        return fixed + self.memory + self.summary_tokens + self.history

    @property
    def squeezed(self) -> int:
        """What is left of ``total`` when the tool results of past turns are as short as may be."""
        return self.total - sum(self._spare(message) for turn in self.turns for message in turn.messages)

    @property
    def least(self) -> int:
        """What is left of ``total`` when all turns and the summary are gone and tool results are as short as may be."""
        return self.total - self.history - self.summary_tokens - sum(map(self._spare, self.current))

    @property
    def fits(self) -> bool:
        return self.total <= self.budget and self.memory <= self.memory_cap

    def usage(self) -> Usage:
        """Return the tokens by part; past calls and results, schemas and state notes count as ``tool``."""
        said = sum(self._said(message) for message in self._conversation())
        return Usage(
            system=self.system,
            memory=self.memory,
            history=said,
            summary=self.summary_tokens,
            tool=self.schemas + self.noted + self.history + self.traffic - said,
            input=self.input,
            reserve=self.reserve,
            limit=self.limit,
        )

    def with_memories(self, keep: int) -> Plan:
        """Return the plan with the first ``keep`` of its memories: the profile, then the recalled ones."""
        recalled = max(0, keep - len(self.profile))
        return replace(self, profile=self.profile[:keep], recalled=self.recalled[:recalled])

    def without_turns(self, count: int) -> Plan:
        """Return the plan without its oldest ``count`` turns."""
        return replace(self, turns=self.turns[count:], left_out=self.left_out + self.turns[:count])

    def with_results(self, cap: int, *, past_only: bool) -> Plan:
        """Return the plan with tool results of at most ``cap`` tokens each, of past turns only or of all."""
        cut = dict(self.cut)
        shorter = partial(self._shorter, cap=cap, cut=cut)
        turns = tuple(replace(turn, messages=tuple(map(shorter, turn.messages))) for turn in self.turns)
        current = self.current if past_only else tuple(map(shorter, self.current))
        return replace(self, turns=turns, current=current, cut=cut)

    def _conversation(self) -> Iterator[Message]:
        for turn in self.turns:
            yield from turn.messages
        yield from self.current[1:]

    def _said(self, message: Message) -> int:
        if message.role == "tool":
            return 0
        if message.tool_calls:
            return self.counter.text(message.content) if message.content else 0
        return message.tokens

    def _spare(self, message: Message, cap: int = MIN_RESULT_TOKENS) -> int:
        if message.role != "tool" or message.tokens <= cap:
            return 0
        return max(0, self.counter.text(message.content) - cap)

    def _shorter(self, message: Message, *, cap: int, cut: dict[int, int]) -> Message:
        if not self._spare(message, cap):
            return message
        cut[message.seq] = cap
        return shortened(message, cap, self.counter)


def shortened(message: Message, cap: int, counter: Counter) -> Message:
    """Return the message with at most ``cap`` tokens of content, counted again."""
    kept = replace(message, content=counter.truncate(message.content, cap) or MARKER)
    return replace(kept, tokens=counter.message(kept))
