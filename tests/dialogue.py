"""Short ways to write down conversations in tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from zhiji.plan import Line, Plan
from zhiji.tokens import Counter
from zhiji.types import Memory, Message, Recalled, Role, Session, State, ToolCall, Turn, Via

NOW = datetime(2024, 4, 17, 9, tzinfo=UTC)
COUNTER = Counter()


def say(role: Role, content: str, *, of: str | None = None, name: str | None = None, orphan: bool = False) -> Message:
    """A message; ``of``: the call that a tool's result answers."""
    return Message(role=role, content=content, time=NOW, tool_call_id=of, name=name, orphan=orphan)


def user(content: str) -> Message:
    return say("user", content)


def answer(content: str) -> Message:
    return say("assistant", content)


def call(*ids: str, content: str = "", name: str = "find_order", arguments: str = '{"order_id": "OD1"}') -> Message:
    calls = tuple(ToolCall(id=one, name=name, arguments=arguments) for one in ids)
    return Message(role="assistant", content=content, time=NOW, tool_calls=calls)


def result(of: str, content: str, *, orphan: bool = False) -> Message:
    return say("tool", content, of=of, name="find_order", orphan=orphan)


def stored(*messages: Message, first_seq: int = 1, first_turn: int = 1, counter: Counter = COUNTER) -> list[Message]:
    """The messages as a store returns them: numbered, a new turn at each user message, counted."""
    turn, numbered = first_turn - 1, []
    for seq, message in enumerate(messages, first_seq):
        turn += message.role == "user" or turn < first_turn
        numbered.append(replace(message, seq=seq, turn=turn, tokens=counter.message(message)))
    return numbered


def turns(*contents: str) -> list[Turn]:
    """One closed turn for each user message, each answered with the same words."""
    messages = stored(*(one for content in contents for one in (user(content), answer(f"好的：{content}"))))
    return [
        Turn(number=n, messages=tuple(one for one in messages if one.turn == n)) for n in range(1, len(contents) + 1)
    ]


def memory(
    id: str, content: str, *, type: str = "order", key: str | None = None, value: str | None = None, lang: str = "zh"
) -> Memory:
    return Memory(
        id=id, type=type, content=content, key=key, value=value, lang=lang, valid_from=NOW, created_at=NOW, updated_at=NOW
    )  # fmt: skip


def recalled(*memories: Memory) -> list[Recalled]:
    """Memories as recall returns them, best first."""
    return [Recalled(memory=one, score=1 - n / 100, terms={}, via=Via.KEYWORD) for n, one in enumerate(memories)]


def session(state: State | None = None, *, summary: str = "", summary_upto: int = 0, turns: int = 0) -> Session:
    return Session(
        id="ses_1",
        created_at=NOW,
        touched_at=NOW,
        expires_at=None,
        state=state or State(),
        summary=summary,
        summary_upto=summary_upto,
        turns=turns,
    )


def contents(messages: Sequence[Message]) -> list[str]:
    return [message.content for message in messages]


def line(tokens: int) -> Line:
    return Line(f"- {tokens}", tokens)


def plan(
    *,
    limit: int = 1000,
    profile: Sequence[int] = (),
    recalled: Sequence[int] = (),
    notes: Sequence[int] = (),
    past: Sequence[Turn] = (),
    summary_tokens: int = 0,
    results: Sequence[str] = (),
) -> Plan:
    """A plan with a system prompt of 50 tokens, schemas of 50, a reserve of 100 and an input of a few."""
    traffic = [one for n, content in enumerate(results) for one in (call(f"c{n}"), result(f"c{n}", content))]
    return Plan(
        counter=COUNTER,
        limit=limit,
        reserve=100,
        system=50,
        schemas=50,
        profile=tuple(map(line, profile)),
        recalled=tuple(map(line, recalled)),
        notes=tuple(map(line, notes)),
        profile_frame=10,
        background_frame=10,
        summary="摘要" if summary_tokens else "",
        summary_tokens=summary_tokens,
        summary_cap=120,
        turns=tuple(past),
        current=tuple(stored(user("地址没问题吧"), *traffic, first_seq=900, first_turn=99)),
        keep_turns=2,
    )


def long_turns(count: int, chars: int = 60) -> list[Turn]:
    return turns(*(f"{n}" + "退" * chars for n in range(count)))
