"""The story of ``data/make.py``, after it was written: whether anything of it is lost, and whether it goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from stores.data import make
from zhiji import Zhiji
from zhiji.models.base import ChatMessages
from zhiji.testing import FrozenClock
from zhiji.types import Completion, JobStatus, Status, ToolSpec

LATER = make.NOW + timedelta(minutes=1)
"""The job that ran when the database was written has lost its lease."""


def recorded(file: Path) -> dict[str, Any]:
    """Return what the release that wrote this dump saw in it."""
    found: dict[str, Any] = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    return found


def lost(before: Any, now: Any, place: str = "") -> Iterator[str]:
    """Yield where ``now`` does not say what ``before`` said; what is said besides is news."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key, value in before.items():
            yield from lost(value, now.get(key, "(gone)"), f"{place}.{key}")
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for number, (one, other) in enumerate(zip(before, now, strict=True)):
            yield from lost(one, other, f"{place}[{number}]")
    elif before != now:
        yield f"{place}: {before!r} became {now!r}"


def dropped(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Return the messages of the story that are not in their place any more, now that it went on."""
    return [
        message["content"]
        for name, owner in before["owners"].items()
        for one, messages in zip(owner["sessions"], owner["messages"], strict=True)
        for message in messages
        if message not in _transcripts(now["owners"][name]).get(one["id"], [])
    ]


def _transcripts(owner: dict[str, Any]) -> dict[str, list[Any]]:
    return {one["id"]: messages for one, messages in zip(owner["sessions"], owner["messages"], strict=True)}


def undone(now: dict[str, Any]) -> list[str]:
    """Return the jobs that are not done."""
    return [job["id"] for owner in now["owners"].values() for job in owner["jobs"] if job["status"] != "done"]


async def calm(messages: ChatMessages, tools: Sequence[ToolSpec]) -> Completion:
    """Answer as the story's model does, with what a tool returned."""
    if messages[-1]["role"] == "tool":
        return Completion(text=str(messages[-1]["content"]))
    return await make.model(messages, tools)


async def goes_on(url: str, before: dict[str, Any]) -> None:
    """The story in this database is carried on."""
    clock = FrozenClock(LATER)
    async with Zhiji.open(make.settings(url), clock=clock, model=calm, embedder=make.EMBEDDER) as zj:

        @zj.tool(effects="write")
        def refund(order: str) -> str:
            """Refund an order."""
            raise AssertionError("it was refunded before")

        await zj.drain()
        dead = await zj.jobs.list(statuses=[JobStatus.DEAD])
        assert [job.scope for job in dead] == [make.MENG]
        await zj.jobs.replay(make.MENG, dead[0].id)
        await zj.drain()
        assert await zj.jobs.list(statuses=[JobStatus.DEAD, JobStatus.PENDING, JobStatus.RUNNING]) == []
        assert "虾" in "".join(one.content for one in await zj.memories.list(make.MENG))
        assert "green tea" in "".join(one.content for one in await zj.memories.list(make.ALICE))
        live = before["answered"][-1]
        reply = await zj.chat(make.QING, live["words"], session=live["session"], idempotency_key=live["key"])
        assert (reply.request_id, reply.text) == (live["request"], live["text"])
        again = await zj.chat(make.QING, "退款，会失败", session=live["session"], idempotency_key="key-failed")
        assert (again.session_id, again.text) == (live["session"], "refunded OD20240415008 💴")
        await zj.drain()
        state = await zj.state.get(make.QING, live["session"])
        assert state.slots["reason"] == "尺码 🥿"
        contents = [one.content for one in await zj.memories.list(make.QING, statuses=list(Status))]
        assert not any("红茶" in content for content in contents)
        assert any("花生" in one.memory.content for one in await zj.recall(make.QING, "我能吃花生吗"))
