"""Whatever a caller hands in, on every verb: it works, or one clear error of ours says what does not fit."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from talk import OK, Open
from zhiji import Settings, Zhiji
from zhiji.errors import ConfigError, Conflict, ContextTooLarge, InvalidInput, NotFound
from zhiji.testing import ScriptedModel
from zhiji.types import JobStatus

DEEP: list[Any] = []
for _ in range(5000):
    DEEP = [DEEP]
ODD: dict[str, Any] = {
    "none": None,
    "zero": 0,
    "negative": -1,
    "fraction": 1.5,
    "nan": float("nan"),
    "infinite": float("inf"),
    "huge number": 10**30,
    "bytes": b"x",
    "empty": "",
    "blank": " \u200b ",
    "NUL": "\0",
    "half a surrogate": "a\ud800b",
    "special token": "<|endoftext|>",
    "right to left": "\u202e abc",
    "joined emoji": "👨‍👩‍👧‍👦",
    "quotes": "%_*'\"; DROP TABLE x",
    "long": "x" * 1_000_001,
    "list": ["a"],
    "list of none": [None],
    "object": {"a": 1},
    "numbered object": {1: 2},
    "set": {"a"},
    "anything": object(),
    "deep": DEEP,
    "deep object": {"a": DEEP},
    "first day": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
    "last day": datetime.max,
}

Verb = Callable[[Zhiji, Any], Coroutine[Any, Any, object]]


def message(**fields: Any) -> list[dict[str, Any]]:
    """A list of one user message with these fields changed."""
    return [{"role": "user", "content": "你好", **fields}]


def asked(call_id: Any, name: Any, arguments: Any) -> list[dict[str, Any]]:
    """A turn with one call."""
    calls = [{"id": call_id, "function": {"name": name, "arguments": arguments}}]
    return [*message(), {"role": "assistant", "content": None, "tool_calls": calls}]


async def hosted(zj: Zhiji, words: Any = "你好", reply: Any = "好的", added: Any = None) -> None:
    """A turn of the host's own loop."""
    async with zj.turn("u", words) as turn:
        if added is not None:
            await turn.add(added)
        turn.reply = reply


async def corrected(zj: Zhiji, content: Any = "喜欢蓝色", reason: Any = "") -> None:
    """A memory is made and corrected."""
    memory = await zj.remember("u", "喜欢红色", type="preference")
    await zj.memories.correct("u", memory.id, content, reason)


async def patched(zj: Zhiji, changes: Any) -> None:
    """The state of a new session is patched."""
    await zj.state.patch("u", await zj.sessions.start("u"), changes)


VERBS: dict[str, Verb] = {
    "user": lambda zj, odd: zj.chat(odd, "你好"),
    "message": lambda zj, odd: zj.chat("u", odd),
    "session": lambda zj, odd: zj.chat("u", "你好", session=odd),
    "idempotency key": lambda zj, odd: zj.chat("u", "你好", idempotency_key=odd),
    "on_expired": lambda zj, odd: zj.chat("u", "你好", on_expired=odd),
    "turn's message": lambda zj, odd: hosted(zj, words=odd),
    "turn's reply": lambda zj, odd: hosted(zj, reply=odd),
    "turn.add": lambda zj, odd: hosted(zj, added=odd),
    "ingest": lambda zj, odd: zj.ingest("u", odd),
    "ingested message": lambda zj, odd: zj.ingest("u", [odd]),
    "ingested role": lambda zj, odd: zj.ingest("u", message(role=odd)),
    "ingested content": lambda zj, odd: zj.ingest("u", message(content=odd)),
    "ingested name": lambda zj, odd: zj.ingest("u", message(name=odd)),
    "ingested time": lambda zj, odd: zj.ingest("u", message(time=odd)),
    "ingest's time": lambda zj, odd: zj.ingest("u", message(), time=odd),
    "ingest's session": lambda zj, odd: zj.ingest("u", message(), session=odd),
    "call's id": lambda zj, odd: zj.ingest("u", asked(odd, "f", "{}")),
    "call's name": lambda zj, odd: zj.ingest("u", asked("c", odd, "{}")),
    "call's arguments": lambda zj, odd: zj.ingest("u", asked("c", "f", odd)),
    "result's call": lambda zj, odd: zj.ingest(
        "u", [*message(), {"role": "tool", "content": "x", "tool_call_id": odd}]
    ),
    "query": lambda zj, odd: zj.recall("u", odd),
    "k": lambda zj, odd: zj.recall("u", "你好", k=odd),
    "recall's session": lambda zj, odd: zj.recall("u", "你好", session=odd),
    "types": lambda zj, odd: zj.recall("u", "你好", types=odd),
    "as_of": lambda zj, odd: zj.recall("u", "你好", as_of=odd),
    "content": lambda zj, odd: zj.remember("u", odd, type="event"),
    "type": lambda zj, odd: zj.remember("u", "到货了", type=odd),
    "key": lambda zj, odd: zj.remember("u", "到货了", type="order", key=odd),
    "value": lambda zj, odd: zj.remember("u", "到货了", type="event", value=odd),
    "importance": lambda zj, odd: zj.remember("u", "到货了", type="event", importance=odd),
    "confidence": lambda zj, odd: zj.remember("u", "到货了", type="event", confidence=odd),
    "correction": lambda zj, odd: corrected(zj, content=odd),
    "reason": lambda zj, odd: corrected(zj, reason=odd),
    "memory to get": lambda zj, odd: zj.memories.get("u", odd),
    "memory to correct": lambda zj, odd: zj.memories.correct("u", odd, "喜欢蓝色"),
    "memory to delete": lambda zj, odd: zj.memories.delete("u", odd),
    "memory to restore": lambda zj, odd: zj.memories.restore("u", odd),
    "memory of the history": lambda zj, odd: zj.memories.history("u", odd),
    "listed statuses": lambda zj, odd: zj.memories.list("u", statuses=odd),
    "listed types": lambda zj, odd: zj.memories.list("u", types=odd),
    "memories' limit": lambda zj, odd: zj.memories.list("u", limit=odd),
    "memories' offset": lambda zj, odd: zj.memories.list("u", offset=odd),
    "session to get": lambda zj, odd: zj.sessions.get("u", odd),
    "session of messages": lambda zj, odd: zj.sessions.messages("u", odd),
    "session to end": lambda zj, odd: zj.sessions.end("u", odd),
    "sessions' limit": lambda zj, odd: zj.sessions.list("u", limit=odd),
    "session of the state": lambda zj, odd: zj.state.get("u", odd),
    "changes": lambda zj, odd: patched(zj, odd),
    "slots": lambda zj, odd: patched(zj, {"slots": odd}),
    "slot": lambda zj, odd: patched(zj, {"slots.x": odd}),
    "intent": lambda zj, odd: patched(zj, {"intent": odd}),
    "request": lambda zj, odd: zj.context("u", odd),
    "user to drain": lambda zj, odd: zj.drain(odd),
    "user to erase": lambda zj, odd: zj.erase(odd),
    "user of jobs": lambda zj, odd: zj.jobs.list(odd),
    "jobs' statuses": lambda zj, odd: zj.jobs.list(statuses=odd),
    "jobs' limit": lambda zj, odd: zj.jobs.list(limit=odd),
    "job to replay": lambda zj, odd: zj.jobs.replay("u", odd),
    "session of extractions": lambda zj, odd: zj.jobs.extractions("u", session_id=odd),
    "extractions' limit": lambda zj, odd: zj.jobs.extractions("u", limit=odd),
}


@pytest.mark.parametrize("verb", VERBS)
async def test_odd_input_is_taken_or_refused_in_a_sentence(open_zhiji: Open, verb: str) -> None:
    """Every odd value, given where this verb takes something: no foreign error, no store error, no job that dies of it."""
    async with open_zhiji(*OK * 4, busy_wait_seconds=0) as zj:
        for odd in ODD.values():
            with suppress(NotFound, InvalidInput, ContextTooLarge, Conflict):
                await VERBS[verb](zj, odd)
        await zj.drain()
        assert not await zj.jobs.list(statuses=[JobStatus.DEAD])


NAMED = (
    "session", "idempotency key", "ingest's session", "recall's session", "memory to get", "memory to correct",
    "memory to delete", "memory to restore", "memory of the history", "session to get", "session of messages",
    "session to end", "session of the state", "request", "job to replay", "session of extractions",
)  # fmt: skip


@pytest.mark.parametrize("verb", NAMED)
async def test_names_that_not_every_database_can_compare_are_refused(open_zhiji: Open, verb: str) -> None:
    """An id or key with NUL or half a surrogate pair is refused at the door, whichever database is behind it."""
    async with open_zhiji(*OK) as zj:
        for odd in ("a\0b", "订单\ud800"):
            with pytest.raises(InvalidInput, match="must be valid text"):
                await VERBS[verb](zj, odd)


async def test_one_name_is_no_list_of_names(open_zhiji: Open) -> None:
    """A text where a list of names belongs is refused: read letter by letter it would silently find nothing."""
    async with open_zhiji() as zj:
        await zj.remember("u", "喜欢红色", type="preference")
        with pytest.raises(InvalidInput, match="types must be a list"):
            await zj.recall("u", "红色", types="preference")


async def test_ingested_halves_of_surrogates_are_dropped_as_in_chat(open_zhiji: Open) -> None:
    """Text is made safe at this entry, too, instead of being refused."""
    async with open_zhiji() as zj:
        session = await zj.ingest("u", message(content="我叫\ud800李四\0"))
        assert [one.content for one in await zj.sessions.messages("u", session)] == ["我叫李四"]


async def test_a_naive_clock_is_refused_at_the_door(tmp_path: Any) -> None:
    """A clock without a time zone is named when zhiji is opened, not by the first message."""
    settings = Settings.load(database_url=f"sqlite:///{tmp_path / 'zhiji.db'}", embedder="off")
    with pytest.raises(ConfigError, match="clock"):
        async with Zhiji.open(settings, clock=lambda: datetime(2025, 6, 1), model=ScriptedModel()):
            pass
