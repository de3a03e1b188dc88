"""Short ways to hold conversations in tests of the whole path, and an extractor that follows a script."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from zhiji import Zhiji
from zhiji.extract import Extractor, Increment, Proposal
from zhiji.types import Completion, Draft, Memory, Recalled, ToolCall

Open = Callable[..., AbstractAsyncContextManager[Zhiji]]
"""What the fixture ``open_zhiji`` gives: opens zhiji on this test's file, with a scripted model."""

OK = ["好的"] * 12
"""Answers of a model that only nods."""


class Scripted(Extractor):
    """An extractor that proposes what a test says, or raises it, and keeps what it was shown."""

    name = "scripted"
    every_turn = True

    def __init__(self, *steps: list[Draft] | Exception) -> None:
        self.steps = list(steps)
        self.increments: list[Increment] = []

    async def extract(self, increment: Increment) -> Proposal:
        self.increments.append(increment)
        step = self.steps.pop(0) if self.steps else []
        if isinstance(step, Exception):
            raise step
        return Proposal(drafts=step)


def fact(
    content: str, *, key: str | None = None, type: str = "identity", confidence: float = 0.9, seq: int = 1
) -> Draft:
    """A draft as an extractor proposes it."""
    return Draft(type=type, content=content, key=key, value=content, confidence=confidence, seqs=(seq,), lang="zh")


def call(name: str, arguments: str = "{}", id: str = "c1") -> Completion:
    """A model's answer that calls one tool."""
    return Completion(tool_calls=(ToolCall(id=id, name=name, arguments=arguments),))


async def say(zj: Zhiji, *words: str, user: str = "u1", session: str | None = None) -> str:
    """Each of these words is a turn of one session, all jobs are done; returns the session."""
    for word in words:
        session = (await zj.chat(user, word, session=session)).session_id
    await zj.drain(user)
    assert session is not None
    return session


async def active(zj: Zhiji, user: str = "u1") -> dict[str | None, Memory]:
    """The active memories by key; those without one share None."""
    return {memory.key: memory for memory in await zj.memories.list(user)}


async def known(zj: Zhiji, user: str = "u1") -> list[str]:
    """What the active memories say, sorted."""
    return sorted(memory.content for memory in await zj.memories.list(user))


def contents(found: Iterable[Memory] | Iterable[Recalled]) -> list[str]:
    """What the memories say, in their order."""
    return [each.memory.content if isinstance(each, Recalled) else each.content for each in found]


async def sent(zj: Zhiji, request_id: str, user: str = "u1") -> list[str]:
    """The contents of what the model saw, the system message first."""
    return [str(message["content"]) for message in (await zj.context(user, request_id)).messages]


async def said(zj: Zhiji, session: str, user: str = "u1") -> list[tuple[str, str]]:
    """The transcript as (role, content)."""
    return [(message.role, message.content) for message in await zj.sessions.messages(user, session, archived=True)]


def cells(path: Path, *, without: Sequence[str] = ()) -> list[str]:
    """Every value in the file as text, but for the tables named."""
    with sqlite3.connect(path) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = [
            cell
            for table in tables
            if table not in without
            for row in connection.execute(f"SELECT * FROM {table}")
            for cell in row
        ]
    connection.close()
    return [cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell) for cell in rows]
