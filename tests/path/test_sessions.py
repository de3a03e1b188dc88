"""Sessions in trouble: writers at once, other processes, expiry on every read, odd bytes, failed turns."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest

from processes import Child
from talk import OK, Open, call, said, sent
from zhiji import Settings, Zhiji, blocking
from zhiji.errors import SessionExpired
from zhiji.testing import FrozenClock, ScriptedModel
from zhiji.types import Completion, Message

START = [{"role": "user", "content": "开始"}]


def check_two_writers(messages: list[Message]) -> None:
    """After the start come A's and B's 50 messages, all, once, in their own order, numbered without gaps."""
    assert [message.seq for message in messages] == list(range(1, 102))
    for name in "AB":
        own = [message.content for message in messages if message.content.startswith(name)]
        assert own == [f"{name}-{number:02}" for number in range(50)]


# --- two writers ----------------------------------------------------------------------------------------------------


async def test_a_retry_that_was_overtaken_does_not_hide_the_conversation(
    open_zhiji: Open, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two calls with one key at the same time open two sessions, one of them for nothing; the next visit carries on the other."""
    async with open_zhiji("好的", "好的") as zj:
        store = zj._parts.store
        monkeypatch.setattr(store, "keyed_session", AsyncMock(return_value=None))  # asked before the first was opened
        first = await zj.chat("u1", "订单 OD20240415008 想退货", idempotency_key="k")
        clock.advance(timedelta(seconds=1))
        second = await zj.chat("u1", "订单 OD20240415008 想退货", idempotency_key="k")
        assert (second.replayed, second.session_id) == (True, first.session_id)
        clock.advance(timedelta(hours=2))
        assert (await zj.chat("u1", "进展如何")).resumed_from == first.session_id


async def test_two_tasks_append_without_loss(open_zhiji: Open) -> None:
    """Two tasks with 50 messages each leave exactly 100, each in its own order (C001)."""
    async with open_zhiji(busy_wait_seconds=30) as zj:
        session = await zj.ingest("u1", START)

        async def write(name: str) -> None:
            for number in range(50):
                await zj.ingest("u1", [{"role": "user", "content": f"{name}-{number:02}"}], session=session)

        await asyncio.gather(write("A"), write("B"))
        check_two_writers(await zj.sessions.messages("u1", session))


def test_two_threads_append_without_loss(tmp_path: Path) -> None:
    """The same from two threads of the blocking façade (C001)."""
    settings = Settings.load(
        database_url=f"sqlite:///{tmp_path / 'z.db'}", embedder="off", worker=False, busy_wait_seconds=30
    )
    with blocking.Zhiji.open(settings, model=ScriptedModel()) as zj, ThreadPoolExecutor(2) as threads:
        session = zj.ingest("u1", START)

        def write(name: str) -> None:
            for number in range(50):
                zj.ingest("u1", [{"role": "user", "content": f"{name}-{number:02}"}], session=session)

        assert list(threads.map(write, "AB")) == [None, None]
        check_two_writers(zj.sessions.messages("u1", session))


async def test_two_processes_append_without_loss(open_zhiji: Open, children: list[Child]) -> None:
    """The same from two processes on one file (C001)."""
    async with open_zhiji() as zj:
        session = await zj.ingest("u1", START)
        for child, name in zip(children, "AB", strict=True):
            child.tell("ingest", session.id, name, 50)
        assert [child.answer() for child in children] == ["done", "done"]
        check_two_writers(await zj.sessions.messages("u1", session))


async def test_two_openings_of_one_file_take_turns_with_their_tools(open_zhiji: Open) -> None:
    """Turns with tool calls from two openings never interleave: each call stands right before its own result (C002)."""

    def script(name: str) -> ScriptedModel:
        return ScriptedModel([step for n in range(3) for step in (call("look", id=f"{name}{n}"), f"{name} 好了")])

    async with (
        open_zhiji(model=script("x"), busy_wait_seconds=30) as one,
        open_zhiji(model=script("y"), busy_wait_seconds=30) as two,
    ):
        session = (await one.sessions.start("u1")).id
        for zj in (one, two):

            @zj.tool()
            async def look() -> str:
                """Look."""
                await asyncio.sleep(0.01)
                return "看到了"

        async def talk(zj: Zhiji, name: str) -> None:
            for number in range(3):
                await zj.chat("u1", f"{name} 第 {number} 问", session=session)

        await asyncio.gather(talk(one, "x"), talk(two, "y"))
        messages = await one.sessions.messages("u1", session)
    assert [message.role for message in messages] == ["user", "assistant", "tool", "assistant"] * 6
    for asked, called, result, answered in zip(*[iter(messages)] * 4, strict=True):
        assert called.tool_calls[0].id == result.tool_call_id
        assert asked.content[0] == called.tool_calls[0].id[0] == answered.content[0]


async def test_one_instant_keeps_the_order(open_zhiji: Open) -> None:
    """With the clock standing still, messages come back as they were put in, however often and however few (C005)."""
    async with open_zhiji(call("look"), "好了", "还有呢") as zj:

        @zj.tool()
        def look() -> str:
            """Look."""
            return "看到了"

        session = (await zj.chat("u1", "查一下")).session_id
        await zj.chat("u1", "下一句", session=session)
        roles = ["user", "assistant", "tool", "assistant", "user", "assistant"]
        for _ in range(20):
            assert [message.role for message in await zj.sessions.messages("u1", session)] == roles
        newest = await zj.sessions.messages("u1", session, last=2)
        assert [message.content for message in newest] == ["下一句", "还有呢"]


async def test_another_processs_write_is_waited_for(open_zhiji: Open, child: Child) -> None:
    """While another process writes, recall answers and a turn waits; afterwards nothing is switched off (C008)."""
    async with open_zhiji("一", "二") as zj:
        session = (await zj.sessions.start("u1")).id
        await zj.remember("u1", "用户喜欢龙井茶", type="preference")
        child.tell("hold")
        assert child.answer() == "held"
        waiting = asyncio.create_task(zj.chat("u1", "第一句", session=session))
        assert [item.memory.content for item in await zj.recall("u1", "龙井")] == ["用户喜欢龙井茶"]
        assert not waiting.done()
        child.tell("release")
        assert child.answer() == "released"
        assert (await waiting).text == "一"
        assert (await zj.chat("u1", "第二句", session=session)).text == "二"
        await zj.drain()
        assert [words for role, words in await said(zj, session) if role == "user"] == ["第一句", "第二句"]
        assert await zj.recall("u1", "龙井")


# --- expiry ---------------------------------------------------------------------------------------------------------


async def test_an_expired_session_is_over_for_every_reader(open_zhiji: Open, clock: FrozenClock) -> None:
    """Nobody swept, yet no verb reads or writes it as if it were alive, and none revives it (C009)."""
    async with open_zhiji("好", session_ttl_seconds=60) as zj:
        session = (await zj.chat("u1", "你好")).session_id
        clock.advance(timedelta(seconds=61))

        for attempt in (
            zj.sessions.get("u1", session),
            zj.sessions.messages("u1", session),
            zj.state.get("u1", session),
            zj.state.patch("u1", session, {"intent": "refund"}),
            zj.recall("u1", "你好", session=session),
            zj.ingest("u1", [{"role": "user", "content": "在吗"}], session=session),
            zj.chat("u1", "在吗", session=session, on_expired="error"),
        ):
            with pytest.raises(SessionExpired):
                await attempt
        assert session not in [one.id for one in await zj.sessions.list("u1")]
        async with zj.turn("u1", "在吗", session=session) as turn:
            turn.reply = "在"
        assert turn.session.id != session


async def test_what_is_over_is_shown_masked_before_anybody_swept(open_zhiji: Open, clock: FrozenClock) -> None:
    """The archive and the record of a request mask an expired session just as they do after the sweep (C009, C160)."""
    async with open_zhiji("记下了，13812345678", "好", session_ttl_seconds=60) as zj:
        reply = await zj.chat("u1", "手机 13812345678")
        reply = await zj.chat("u1", "谢谢", session=reply.session_id)
        assert "13812345678" in str(await sent(zj, reply.request_id))
        clock.advance(timedelta(seconds=60))
        before = await said(zj, reply.session_id), await sent(zj, reply.request_id)
        await zj.sweep()
        after = await said(zj, reply.session_id), await sent(zj, reply.request_id)
        assert before == after
        assert "13812345678" not in str(before)
        assert "138****5678" in str(before)


@pytest.mark.parametrize("touched", [False, True])
async def test_expiry_is_judged_to_the_instant(open_zhiji: Open, clock: FrozenClock, touched: bool) -> None:
    """Half a second before its time a session lives, at its time and after it is over, started or talked in (C011)."""
    async with open_zhiji("好") as zj:
        clock.advance(timedelta(seconds=0.25))
        session = (await zj.sessions.start("u1")).id
        if touched:
            clock.advance(timedelta(seconds=0.5))
            await zj.chat("u1", "你好", session=session)
        clock.advance(timedelta(seconds=1799.5))
        assert (await zj.sessions.get("u1", session)).id == session
        for _ in range(2):
            clock.advance(timedelta(seconds=0.5))
            with pytest.raises(SessionExpired):
                await zj.sessions.get("u1", session)


async def test_each_turn_gives_the_whole_time_again(open_zhiji: Open, clock: FrozenClock) -> None:
    """Touched early or late, the deadline is always the last turn's, for session and state alike (C012, C015)."""
    async with open_zhiji(*OK, session_ttl_seconds=100) as zj:
        session = (await zj.chat("u1", "开始")).session_id
        for _ in range(3):
            clock.advance(timedelta(seconds=30))
            await zj.chat("u1", "继续", session=session)
        await zj.state.patch("u1", session, {"intent": "refund"})
        clock.advance(timedelta(seconds=60))
        assert (await zj.state.get("u1", session)).intent == "refund"
        assert (await zj.sessions.get("u1", session)).expires_at == clock() + timedelta(seconds=40)


# --- odd bytes and failures -----------------------------------------------------------------------------------------


async def test_nul_in_a_tools_result_is_removed(open_zhiji: Open) -> None:
    """NUL and half an emoji in a result or a state stop nothing; the rest of the text stays (C026)."""
    async with open_zhiji(call("read"), "好", "好") as zj:

        @zj.tool()
        def read() -> str:
            """Read."""
            return "a\x00b\x00c 乱码 \x00 \ud83d"

        session = (await zj.chat("u1", "读一下")).session_id
        await zj.state.patch("u1", session, {"note": "a\x00b", "face": "\ud83d\ude00"})
        reply = await zj.chat("u1", "继续", session=session)
        assert dict((await zj.state.get("u1", session)).slots)["note"] == "ab"
        assert dict((await zj.state.get("u1", session)).slots)["face"] == "😀"
        stored = [message.content for message in await zj.sessions.messages("u1", session)]
        assert any("abc 乱码" in content for content in stored)
        assert "\x00" not in "".join([*stored, *await sent(zj, reply.request_id)])


@pytest.mark.parametrize("after_tool", [False, True])
async def test_three_failed_turns_need_no_cleaning_up(open_zhiji: Open, after_tool: bool) -> None:
    """Turn after turn fails, before or after its tool ran; the next one sees neither and works (C028)."""
    failing: list[Any] = [call("look"), RuntimeError("down")] if after_tool else [RuntimeError("down")]
    async with open_zhiji("你好", *failing * 3, "在的") as zj:

        @zj.tool()
        def look() -> str:
            """Look."""
            return "看到了"

        session = (await zj.chat("u1", "你好")).session_id
        for number in range(3):
            with pytest.raises(Exception, match="failed"):
                await zj.chat("u1", f"第 {number} 次", session=session)
        reply = await zj.chat("u1", "再试一次 🙏", session=session)
        assert (await sent(zj, reply.request_id))[1:] == ["你好", "你好", "再试一次 🙏"]
        await zj.drain()
        assert len(await zj.jobs.list("u1", statuses=["dead"])) == 0


async def test_a_caller_that_goes_away_leaves_the_session_free(open_zhiji: Open) -> None:
    """A cancelled turn is failed at once: the next message does not wait for a lease (C028)."""
    hanging = asyncio.Event()

    async def model(messages: list[dict[str, str]], tools: object) -> Completion:
        if messages[-1]["content"].endswith("慢"):
            hanging.set()
            await asyncio.Event().wait()
        return Completion(text="好")

    async with open_zhiji(model=model, busy_wait_seconds=0) as zj:
        session = (await zj.sessions.start("u1")).id
        slow = asyncio.create_task(zj.chat("u1", "慢", session=session))
        await hanging.wait()
        slow.cancel()
        with pytest.raises(asyncio.CancelledError):
            await slow
        assert (await zj.chat("u1", "快", session=session)).text == "好"
