"""Short ways to write the values that the conformance suites pass to a store. All times are given, none is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from zhiji import text
from zhiji.stores.base import Lease, MemoryChange, MemoryPut, NewJob, OpenTurn, Store, TurnEnd, TurnStart
from zhiji.testing.doubles import EPOCH
from zhiji.types import JobKind, Memory, Message, Recipe, Scope, Session, State

ALICE = Scope("shop", "alice")
BOB = Scope("shop", "bob")
TTL = timedelta(minutes=30)
LEASE = timedelta(seconds=30)


def at(seconds: float = 0) -> datetime:
    """Return the instant so many seconds after the suites' epoch."""
    return EPOCH + timedelta(seconds=seconds)


def lease(seconds: float = 0, holder: str = "host/1/a") -> Lease:
    """Return a lease taken at ``at(seconds)``."""
    return Lease(holder=holder, now=at(seconds), until=at(seconds) + LEASE)


def said(content: str, seconds: float = 0) -> Message:
    """Return a user's message."""
    return Message(role="user", content=content, time=at(seconds))


def answered(content: str, seconds: float = 0) -> Message:
    """Return an assistant's message."""
    return Message(role="assistant", content=content, time=at(seconds))


def job(subject: str, seconds: float = 0, kind: JobKind = JobKind.SEDIMENT) -> NewJob:
    """Return a job that is due at ``at(seconds)``."""
    return NewJob(kind=kind, subject=subject, run_at=at(seconds))


def turn(
    number: int | str,
    content: str = "你好",
    seconds: float = 0,
    *,
    holder: str = "host/1/a",
    key: str | None = None,
    digest: str = "",
) -> TurnStart:
    """Return the start of a turn with the ids ``trn_<number>`` and ``req_<number>``."""
    return TurnStart(
        turn_id=f"trn_{number}",
        request_id=f"req_{number}",
        message=said(content, seconds),
        lease=lease(seconds, holder),
        idempotency_key=key,
        body_digest=digest,
    )


def end(
    opened: OpenTurn,
    seconds: float = 0,
    *,
    messages: Sequence[Message] | None = None,
    holder: str = "host/1/a",
    state: State | None = None,
    jobs: Sequence[NewJob] = (),
    recalled: Sequence[str] = (),
    until: datetime | None = None,
) -> TurnEnd:
    """Return the end of a turn that was opened: one answer, a reply that names the turn, and the same state.

    What was ``recalled`` is kept ``until`` then.
    """
    session = opened.session
    recipe = Recipe(
        session=session.id,
        turn=opened.number,
        prompt_digest="0" * 64,
        recalled=tuple((id, 0.5, "keyword") for id in recalled),
    )
    return TurnEnd(
        session_id=session.id,
        turn_id=opened.turn_id,
        holder=holder,
        messages=[answered("好的", seconds)] if messages is None else messages,
        state=session.state if state is None else replace(state, version=session.state.version),
        reply={"text": "好的", "turn_id": opened.turn_id},
        recipe=recipe,
        recalled=dict.fromkeys(recalled, until),
        jobs=jobs,
        now=at(seconds),
        expires_at=at(seconds) + TTL,
    )


async def open_session(store: Store, scope: Scope = ALICE, id: str = "ses_1", seconds: float = 0) -> str:
    """A chat session that expires after ``TTL`` exists; returns its id."""
    session = Session(id=id, created_at=at(seconds), touched_at=at(seconds), expires_at=at(seconds) + TTL)
    await store.create_session(scope, session)
    return id


async def ingested_session(store: Store, scope: Scope = ALICE, id: str = "ses_1", seconds: float = 0) -> str:
    """A session that never expires exists; returns its id."""
    await store.create_session(scope, Session(id=id, created_at=at(seconds), touched_at=at(seconds), expires_at=None))
    return id


async def run_turn(
    store: Store, number: int, seconds: float = 0, *, scope: Scope = ALICE, id: str = "ses_1"
) -> Session:
    """A whole turn was begun and finished at once; returns the session."""
    opened = await store.begin_turn(scope, id, turn(number, f"问{number}", seconds), history_turns=20)
    return await store.finish_turn(scope, end(opened, seconds, messages=[answered(f"答{number}", seconds)]))


def contents(messages: Sequence[Message]) -> list[str]:
    """Return what the messages say."""
    return [message.content for message in messages]


def memory(id: str, content: str, seconds: float = 0, **changes: Any) -> Memory:
    """Return a new memory of type ``event`` that was written at ``at(seconds)``; ``changes`` are further fields."""
    time = at(seconds)
    plain = Memory(id=id, type="event", content=content, valid_from=time, created_at=time, updated_at=time)
    return replace(plain, **changes)


def put(memory: Memory, **changes: Any) -> MemoryPut:
    """Return the write of a memory with the index terms of its content."""
    return replace(MemoryPut(memory=memory, terms=text.terms(memory.content)), **changes)


async def remember(store: Store, *memories: Memory, scope: Scope = ALICE) -> None:
    """The new memories are stored, in this order, in one change."""
    await store.change_memories(scope, MemoryChange(puts=[put(memory) for memory in memories]))


def ids(memories: Sequence[Memory]) -> list[str]:
    """Return the memories' ids."""
    return [memory.id for memory in memories]
