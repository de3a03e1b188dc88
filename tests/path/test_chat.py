"""One request from end to end: seven steps, their order, and what is left when one of them fails."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any
from unittest.mock import ANY

import pytest

from talk import OK, Open
from zhiji import Zhiji
from zhiji.errors import (
    ContextTooLarge,
    EmptyMessage,
    IdempotencyMismatch,
    InvalidInput,
    ModelError,
    SessionBusy,
    SessionExpired,
    SessionNotFound,
    ToolLoop,
)
from zhiji.stores.base import OpenTurn
from zhiji.testing import FrozenClock, ScriptedModel
from zhiji.types import Completion, Scope, ToolCall


def call(name: str, arguments: str = "{}", id: str = "c1") -> Completion:
    return Completion(tool_calls=(ToolCall(id=id, name=name, arguments=arguments),))


async def contents(zj: Zhiji, user: str, session: str) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in await zj.sessions.messages(user, session, archived=True)]


async def test_a_reply_names_its_session_turn_and_request(open_zhiji: Open) -> None:
    """A first message opens a session; a second one with its id goes on in it, and sees the first turn."""
    async with open_zhiji("你好！", "在的。") as zj:
        first = await zj.chat("u1", "你好")
        second = await zj.chat("u1", "在吗？😀", session=first.session_id)
        assert first.created
        assert not second.created
        assert second.session_id == first.session_id
        assert second.turn_id != first.turn_id
        seen = (await zj.context("u1", second.request_id)).messages
        assert [message["role"] for message in seen] == ["system", "user", "assistant", "user"]
        assert str(seen[-1]["content"]).endswith("在吗？😀")


async def test_the_open_turn_is_committed_before_the_model_runs(open_zhiji: Open) -> None:
    """While the model thinks, the user's message is already in the transcript."""
    seen: list[list[tuple[str, str]]] = []

    async def model(messages: object, tools: object) -> Completion:
        session = (await zj.sessions.list("u1"))[0]
        seen.append(await contents(zj, "u1", session.id))
        return Completion(text="ok")

    async with open_zhiji(model=model) as zj:
        await zj.chat("u1", "先存下来")
    assert seen == [[("user", "先存下来")]]


async def test_an_expired_session_opens_a_new_one_that_carries_on(open_zhiji: Open, clock: FrozenClock) -> None:
    """With the user's own expired id the turn runs in a new session with the unfinished form."""
    async with open_zhiji("好", "好") as zj:
        first = await zj.chat("u1", "我要填地址")
        await zj.state.patch("u1", first.session_id, {"intent": "return", "slots": {"order_id": "OD1"}})
        clock.advance(timedelta(seconds=1800))
        second = await zj.chat("u1", "继续", session=first.session_id)
        assert (second.created, second.resumed_from) == (True, first.session_id)
        assert (await zj.state.get("u1", second.session_id)).slots["order_id"] == "OD1"
        with pytest.raises(SessionExpired):
            await zj.sessions.get("u1", first.session_id)


async def test_expiry_can_be_an_error(open_zhiji: Open, clock: FrozenClock) -> None:
    """``on_expired="error"`` refuses an expired session and runs nothing."""
    async with open_zhiji("好") as zj:
        first = await zj.chat("u1", "你好")
        clock.advance(timedelta(hours=1))
        with pytest.raises(SessionExpired):
            await zj.chat("u1", "继续", session=first.session_id, on_expired="error")


async def test_activity_slides_the_expiry(open_zhiji: Open, clock: FrozenClock) -> None:
    """Each turn gives the session its whole TTL again; reading does not."""
    async with open_zhiji("1", "2", "3") as zj:
        first = await zj.chat("u1", "一")
        clock.advance(timedelta(seconds=1799))
        assert not (await zj.chat("u1", "二", session=first.session_id)).created
        clock.advance(timedelta(seconds=1799))
        await zj.sessions.get("u1", first.session_id)
        clock.advance(timedelta(seconds=1))
        assert (await zj.chat("u1", "三", session=first.session_id)).created


async def test_a_foreign_session_looks_like_an_unknown_one(open_zhiji: Open) -> None:
    """Another user's session id gets the same answer as one that never was, on every verb."""
    async with open_zhiji("好") as zj:
        mine = await zj.chat("ua", "我叫王晴，最爱吃辣")
        for session in (mine.session_id, "ses_unknown"):
            refusals = [
                zj.chat("ub", "你好", session=session),
                zj.sessions.get("ub", session),
                zj.sessions.messages("ub", session),
                zj.sessions.end("ub", session),
                zj.state.get("ub", session),
                zj.state.patch("ub", session, {"intent": "x"}),
                zj.recall("ub", "辣", session=session),
                zj.ingest("ub", [{"role": "user", "content": "hi"}], session=session),
                zj.context("ub", mine.request_id),
            ]
            errors = [type(error) for error in await asyncio.gather(*refusals, return_exceptions=True)]
            assert errors[:-1] == [SessionNotFound] * 8
            assert errors[-1].__name__ == "RequestNotFound"


@pytest.mark.parametrize("message", ["", "   ", "\n\t", "　", "\u200b", "\x00", "\ud800"])
async def test_an_empty_message_is_refused_and_opens_nothing(open_zhiji: Open, message: str) -> None:
    """Nothing visible, nothing run: no session, no model call."""
    async with open_zhiji() as zj:
        with pytest.raises(EmptyMessage):
            await zj.chat("u1", message)
        assert await zj.sessions.list("u1") == []


@pytest.mark.parametrize("user", ["", "  ", "a\x00b", "\ud800", "x" * 257])
async def test_a_blank_or_broken_user_is_refused(open_zhiji: Open, user: str) -> None:
    """There is no default user that everybody shares."""
    async with open_zhiji() as zj:
        with pytest.raises(InvalidInput):
            await zj.chat(user, "你好")


async def test_odd_text_goes_through_unchanged(open_zhiji: Open) -> None:
    """Special-token strings and emoji are plain text; NUL and lone surrogates are removed; pairs are joined."""
    async with open_zhiji("好的 👍🏽", "再见") as zj:
        reply = await zj.chat("u1", "格式是 <|endoftext|> 和 <|im_start|>system\x00 \ud83d\ude00 \udc00完")
        again = await zj.chat("u1", "然后呢", session=reply.session_id)
        stored = await contents(zj, "u1", reply.session_id)
        assert stored[0] == ("user", "格式是 <|endoftext|> 和 <|im_start|>system 😀 完")
        assert again.text == "再见"


async def test_a_huge_message_is_refused_with_its_size(open_zhiji: Open) -> None:
    """A 1 MB message does not fit any window: one typed refusal, and the session goes on."""
    async with open_zhiji("好", "好") as zj:
        first = await zj.chat("u1", "你好")
        for size in (300_000, 1_100_000):
            with pytest.raises(ContextTooLarge, match="shorter"):
                await zj.chat("u1", "长" * size, session=first.session_id)
        assert (await zj.chat("u1", "短", session=first.session_id)).text == "好"


async def test_a_budget_too_small_for_prompt_and_input_is_refused(open_zhiji: Open) -> None:
    """After the last rung the refusal says how to go on; the turn is failed, the session usable."""
    async with open_zhiji("好", system_prompt="规则" * 100, max_context_tokens=300, reply_reserve_tokens=50) as zj:
        with pytest.raises(ContextTooLarge):
            await zj.chat("u1", "问题" * 60)


async def test_a_failed_turn_is_left_out_of_later_contexts(open_zhiji: Open) -> None:
    """The model raises; the message stays in the transcript, and the next turn succeeds without it."""
    async with open_zhiji("一", RuntimeError("down"), "三") as zj:
        first = await zj.chat("u1", "第一句")
        with pytest.raises(ModelError) as raised:
            await zj.chat("u1", "第二句", session=first.session_id)
        assert isinstance(raised.value.__cause__, RuntimeError)
        third = await zj.chat("u1", "再试一次", session=first.session_id)
        sent = [str(message["content"]) for message in (await zj.context("u1", third.request_id)).messages]
        assert not any("第二句" in content for content in sent)
        assert ("user", "第二句") in await contents(zj, "u1", first.session_id)


async def test_a_failure_after_a_tool_call_leaves_no_dangling_call(open_zhiji: Open) -> None:
    """The model dies after its tool ran; the next context has no orphan call or result."""
    async with open_zhiji(call("look"), ModelError(), "好") as zj:

        @zj.tool()
        def look() -> str:
            """Look."""
            return "seen"

        first = await zj.sessions.start("u1")
        with pytest.raises(ModelError):
            await zj.chat("u1", "查一下", session=first.id)
        reply = await zj.chat("u1", "再试一次", session=first.id)
        roles = [message["role"] for message in (await zj.context("u1", reply.request_id)).messages]
        assert roles == ["system", "user"]


async def test_tool_calls_and_results_are_in_the_transcript(open_zhiji: Open) -> None:
    """A turn with a tool keeps call and result, in order and paired."""
    async with open_zhiji(call("order", '{"order_id": "OD1"}'), "已签收") as zj:

        @zj.tool()
        def order(order_id: str) -> dict[str, str]:
            """Look an order up."""
            return {"order_id": order_id, "status": "delivered"}

        reply = await zj.chat("u1", "订单 OD1 到哪了")
        messages = await zj.sessions.messages("u1", reply.session_id)
        assert [message.role for message in messages] == ["user", "assistant", "tool", "assistant"]
        assert messages[1].tool_calls[0].id == messages[2].tool_call_id
        assert [message.seq for message in messages] == [1, 2, 3, 4]
        assert (await zj.state.get("u1", reply.session_id)).conclusions


async def test_a_model_that_only_calls_tools_is_stopped(open_zhiji: Open) -> None:
    """After ``max_tool_rounds`` the tools are withdrawn; a model that still calls them gets a typed error."""
    async with open_zhiji(*[call("ping", id=f"c{i}") for i in range(4)], max_tool_rounds=3) as zj:

        @zj.tool()
        def ping() -> str:
            """Ping."""
            return "pong"

        with pytest.raises(ToolLoop):
            await zj.chat("u1", "ping")


async def test_an_empty_answer_is_a_failure(open_zhiji: Open) -> None:
    """A blank answer is never stored as the assistant's words."""
    async with open_zhiji("  \n") as zj:
        with pytest.raises(ModelError):
            await zj.chat("u1", "你好")


async def test_a_hanging_model_times_out(open_zhiji: Open) -> None:
    """A model that never answers becomes a typed, retryable error."""

    async def model(messages: object, tools: object) -> Completion:
        await asyncio.Event().wait()
        raise AssertionError

    async with open_zhiji(model=model, model_timeout_seconds=0.05) as zj:
        with pytest.raises(ModelError, match="no answer within"):
            await zj.chat("u1", "你好")


async def test_one_turn_at_a_time(open_zhiji: Open) -> None:
    """A second turn waits for the first, and its messages come wholly after; never interleaved."""
    begun, release = asyncio.Event(), asyncio.Event()

    async def model(messages: list[dict[str, str]], tools: object) -> Completion:
        if messages[-1]["content"].endswith("慢"):
            begun.set()
            await release.wait()
        return Completion(text=f"答{messages[-1]['content'][-1]}")

    async with open_zhiji(model=model) as zj:
        session = await zj.sessions.start("u1")
        slow = asyncio.create_task(zj.chat("u1", "慢", session=session.id))
        await begun.wait()
        quick = asyncio.create_task(zj.chat("u1", "快", session=session.id))
        await asyncio.sleep(0.05)
        release.set()
        await asyncio.gather(slow, quick)
        said = [content for _, content in await contents(zj, "u1", session.id)]
        assert said == ["慢", "答慢", "快", "答快"]


async def test_a_session_that_stays_busy_is_a_typed_conflict(open_zhiji: Open) -> None:
    """The second turn gives up after ``busy_wait_seconds``; nothing of it is stored."""
    begun, release = asyncio.Event(), asyncio.Event()

    async def model(messages: object, tools: object) -> Completion:
        begun.set()
        await release.wait()
        return Completion(text="ok")

    async with open_zhiji(model=model, busy_wait_seconds=0.05) as zj:
        session = await zj.sessions.start("u1")
        slow = asyncio.create_task(zj.chat("u1", "慢", session=session.id))
        await begun.wait()
        with pytest.raises(SessionBusy):
            await zj.chat("u1", "快", session=session.id)
        release.set()
        await slow
        assert len(await contents(zj, "u1", session.id)) == 2


async def test_those_who_wait_for_a_session_ask_seldom(open_zhiji: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """In half a second the database is asked a dozen times at most, so that many who wait leave it to the turn that runs."""
    async with open_zhiji(*OK, busy_wait_seconds=0.5) as zj:
        session = await zj.sessions.start("u1")
        store, asked = zj._parts.store, 0
        begin = store.begin_turn

        async def counted(*args: Any, **kwargs: Any) -> OpenTurn:
            nonlocal asked
            asked += 1
            return await begin(*args, **kwargs)

        monkeypatch.setattr(store, "begin_turn", counted)
        async with zj.turn("u1", "慢", session=session) as turn:
            with pytest.raises(SessionBusy):
                await zj.chat("u1", "快", session=session)
            turn.reply = "好的"
        assert 2 < asked <= 20


async def test_concurrent_turns_lose_nothing(open_zhiji: Open) -> None:
    """Ten concurrent turns in one session: twenty messages, numbered without gaps, each answer after its question."""

    async def model(messages: list[dict[str, str]], tools: object) -> Completion:
        await asyncio.sleep(0)
        return Completion(text="答" + messages[-1]["content"].split("\n")[-1])

    async with open_zhiji(model=model, busy_wait_seconds=30) as zj:
        session = await zj.sessions.start("u1")
        await asyncio.gather(*(zj.chat("u1", f"问{i}", session=session.id) for i in range(10)))
        messages = await zj.sessions.messages("u1", session.id)
        assert [message.seq for message in messages] == list(range(1, 21))
        pairs = list(zip(messages[::2], messages[1::2], strict=True))
        assert all(answer.content == "答" + question.content for question, answer in pairs)
        assert {question.content for question, _ in pairs} == {f"问{i}" for i in range(10)}


async def test_a_retry_with_the_same_key_returns_the_first_answer(open_zhiji: Open) -> None:
    """One effect for any number of retries, also concurrent ones; another body under the key is refused."""
    async with open_zhiji("一次", busy_wait_seconds=5) as zj:
        first = await zj.chat("u1", "退款 199 元", idempotency_key="k1")
        again = await asyncio.gather(*(zj.chat("u1", "退款 199 元", idempotency_key="k1") for _ in range(3)))
        assert {(reply.text, reply.turn_id, reply.replayed) for reply in again} == {("一次", first.turn_id, True)}
        assert len(await contents(zj, "u1", first.session_id)) == 2
        with pytest.raises(IdempotencyMismatch):
            await zj.chat("u1", "退款 1999 元", idempotency_key="k1")


async def test_a_retry_tells_what_the_first_answer_told(open_zhiji: Open) -> None:
    """Usage, recalled memories with their terms, and steps of the ladder are told again; what was deleted since is left out."""
    async with open_zhiji("好", max_context_tokens=700, reply_reserve_tokens=300) as zj:
        for number in range(4):
            await zj.remember("u1", f"订单 OD2024041500{number} 想退货，" + "原因很长" * 8, type="event")
        first = await zj.chat("u1", "退货", idempotency_key="k")
        assert first.recalled
        assert first.steps
        assert await zj.chat("u1", "退货", idempotency_key="k") == replace(first, replayed=True, recalled=ANY)
        again = await zj.chat("u1", "退货", idempotency_key="k")
        assert [(one.memory.id, one.score, one.terms, one.via) for one in again.recalled] == [
            (one.memory.id, one.score, one.terms, one.via) for one in first.recalled
        ]
        await zj.memories.delete("u1", first.recalled[0].memory.id)
        left = await zj.chat("u1", "退货", idempotency_key="k")
        assert [one.memory.id for one in left.recalled] == [one.memory.id for one in first.recalled[1:]]


async def test_concurrent_first_calls_with_one_key_have_one_effect(open_zhiji: Open) -> None:
    """Two simultaneous first attempts with the same key run the model once."""
    async with open_zhiji("一次") as zj:
        replies = await asyncio.gather(*(zj.chat("u1", "你好", idempotency_key="k") for _ in range(4)))
        assert {reply.turn_id for reply in replies} == {replies[0].turn_id}
        assert sum(not reply.replayed for reply in replies) == 1


async def test_keys_of_two_users_are_apart(open_zhiji: Open) -> None:
    """The same idempotency key of another user is another key."""
    async with open_zhiji("甲", "乙") as zj:
        assert (await zj.chat("ua", "你好", idempotency_key="k")).text == "甲"
        assert (await zj.chat("ub", "你好", idempotency_key="k")).text == "乙"


async def test_a_finished_write_is_not_repeated_by_a_retry(open_zhiji: Open) -> None:
    """The model fails after a refund; the retried turn gets the recorded result instead of a second refund."""
    refunds: list[str] = []
    async with open_zhiji(
        call("refund", '{"order_id": "OD1"}'), ModelError(), call("refund", '{"order_id": "OD1"}', "c9"), "退好了"
    ) as zj:

        @zj.tool(effects="write")
        def refund(order_id: str) -> str:
            """Refund an order."""
            refunds.append(order_id)
            return f"refund #{len(refunds)}"

        session = await zj.sessions.start("u1")
        with pytest.raises(ModelError):
            await zj.chat("u1", "给 OD1 退款", session=session.id, idempotency_key="k")
        reply = await zj.chat("u1", "给 OD1 退款", session=session.id, idempotency_key="k")
        assert refunds == ["OD1"]
        tool = [message for message in await zj.sessions.messages("u1", reply.session_id) if message.role == "tool"]
        assert "refund #1" in tool[-1].content


async def test_the_host_can_bring_its_own_loop(open_zhiji: Open) -> None:
    """``turn`` gives the messages, takes the reply, and the turn is saved with tool traffic of the host."""
    async with open_zhiji() as zj:
        async with zj.turn("u1", "退货地址是什么？") as turn:
            assert str(turn.messages[-1]["content"]).endswith("退货地址是什么？")
            await turn.add(
                {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": "{}"}}]},
                {"role": "tool", "tool_call_id": "c1", "name": "f", "content": "杭州"},
            )
            assert [message["role"] for message in turn.messages] == ["system", "user", "assistant", "tool"]
            turn.reply = "杭州市西湖区"
        assert turn.saved is not None
        assert len(await contents(zj, "u1", turn.saved.session_id)) == 4


async def test_a_turn_without_reply_is_an_error(open_zhiji: Open) -> None:
    """Leaving the block without a reply fails the turn and says what to do."""
    async with open_zhiji("好") as zj:
        with pytest.raises(InvalidInput, match=r"turn\.reply"):
            async with zj.turn("u1", "你好") as turn:
                session = turn.session.id
        assert (await zj.chat("u1", "再来", session=session)).text == "好"


async def test_secrets_are_replaced_before_anything_is_stored(open_zhiji: Open) -> None:
    """A password and an id number never reach the model or the file; the phone lives as long as the session."""
    async with open_zhiji("好") as zj:
        reply = await zj.chat("u1", "密码是 Abc@1234，身份证 11010519491231002X，手机 13812345678")
        stored = (await contents(zj, "u1", reply.session_id))[0][1]
        assert "Abc@1234" not in stored
        assert "11010519491231002X" not in stored
        assert "13812345678" in stored
        await zj.sessions.end("u1", reply.session_id)
        archived = (await contents(zj, "u1", reply.session_id))[0][1]
        assert "13812345678" not in archived
        assert "138****5678" in archived


async def test_streaming_tells_the_answer_as_it_comes(open_zhiji: Open) -> None:
    """Deltas join to the reply, also for a model that cannot stream."""
    pieces: list[str] = []
    async with open_zhiji("你好，李四") as zj:
        reply = await zj.chat("u1", "你好", on_delta=pieces.append)
        assert "".join(pieces) == reply.text


async def test_the_alarm_is_an_event_and_a_counter(open_zhiji: Open, caplog: pytest.LogCaptureFixture) -> None:
    """Above 80 % of the window the request raises the alarm; below it does not."""
    async with open_zhiji("好", "好", max_context_tokens=1000, reply_reserve_tokens=500) as zj:
        await zj.chat("u1", "短")
        assert zj.telemetry.value("zhiji_context_alarms_total") == 0
        reply = await zj.chat("u1", "长句子" * 100)
        assert reply.usage.ratio > 0.8
        assert zj.telemetry.value("zhiji_context_alarms_total") == 1
        assert "context_alarm" in caplog.text


async def test_usage_parts_sum_to_the_total(open_zhiji: Open) -> None:
    """Every request reports all parts; total plus reserve is within the limit."""
    async with open_zhiji("好", "好") as zj:
        first = await zj.chat("u1", "我叫李四")
        usage = (await zj.chat("u1", "你好", session=first.session_id)).usage
        parts = (usage.system, usage.memory, usage.history, usage.summary, usage.tool, usage.input)
        assert sum(parts) == usage.total
        assert usage.system
        assert usage.history
        assert usage.input
        assert usage.total + usage.reserve <= usage.limit == 8000


async def test_a_tenant_keeps_users_of_one_name_apart(open_zhiji: Open) -> None:
    """Two tenants, one user name: two owners."""
    async with open_zhiji("好") as zj:
        mine = await zj.chat(Scope("a", "u"), "你好")
        with pytest.raises(SessionNotFound):
            await zj.sessions.get(Scope("b", "u"), mine.session_id)


async def test_the_model_is_not_called_again_for_a_replay(open_zhiji: Open) -> None:
    """A replayed answer costs no model call."""
    model = ScriptedModel(["一"])
    async with open_zhiji(model=model) as zj:
        await zj.chat("u1", "你好", idempotency_key="k")
        await zj.chat("u1", "你好", idempotency_key="k")
    assert len(model.calls) == 1


async def test_a_cancelled_turn_leaves_the_session_free(open_zhiji: Open) -> None:
    """Cancelled at any moment, the turn is failed at once: the next one does not wait for a lease to run out."""

    async def model(messages: object, tools: object) -> Completion:
        await asyncio.sleep(0.01)
        return Completion(text="好")

    async with open_zhiji(model=model, busy_wait_seconds=0) as zj:
        session = (await zj.sessions.start("u1")).id
        for delay in (0, 0.0002, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.012):
            task = asyncio.create_task(zj.chat("u1", "你好", session=session))
            await asyncio.sleep(delay)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            assert (await zj.chat("u1", "在吗", session=session)).text == "好"
