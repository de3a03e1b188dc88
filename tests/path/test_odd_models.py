"""Models, summarisers and callers that misbehave: one clear error or a sane turn, and the session goes on."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, cast

import pytest

from talk import Open, Scripted, cells, said
from zhiji.errors import ModelError
from zhiji.testing import ScriptedModel
from zhiji.types import Completion, JobStatus, ToolCall


def calls(*given: tuple[Any, Any, Any]) -> Completion:
    """An answer with these calls: id, name, arguments."""
    return Completion(tool_calls=tuple(ToolCall(id=id, name=name, arguments=args) for id, name, args in given))


@pytest.mark.parametrize(
    "answer",
    [
        calls((None, "look", None)),
        calls(("", "look", "")),
        calls(("a\ud800", "look", '{"word": "\ud800"}')),
        calls(("a", "look\ud800", "{}")),
        calls(("a", "look up\n", "not json")),
        calls(("a", "", "[1]")),
        calls(("a", "n" * 5000, "{}")),
    ],
)
async def test_odd_calls_are_survived(open_zhiji: Open, answer: Completion) -> None:
    """Calls without id, with names and bytes that no provider takes, or broken arguments get a result, and the talk goes on."""
    async with open_zhiji(answer, "好的", "再见") as zj:

        @zj.tool()
        def look(word: str = "") -> str:
            """Look up a word."""
            return f"found {word}"

        reply = await zj.chat("u", "查一下")
        assert (await zj.chat("u", "谢谢", session=reply.session_id)).text == "再见"
        transcript = await zj.sessions.messages("u", reply.session_id)
        call = transcript[1].tool_calls[0]
        assert call.id
        assert transcript[2].tool_call_id == call.id
        assert 0 < len(call.name) <= 64
        assert call.name.isascii()


async def test_of_very_many_calls_the_first_are_run(open_zhiji: Open) -> None:
    """A model that asks for hundreds at once gets a result for each: of the first what they return, of the rest an error."""
    ran: list[str] = []
    model = ScriptedModel([calls(*((f"c{at}", "look", f'{{"word": "{at}"}}') for at in range(500))), "好的"])
    async with open_zhiji(model=model, max_context_tokens=200_000) as zj:

        @zj.tool()
        def look(word: str) -> str:
            """Look up a word."""
            ran.append(word)
            return f"found {word}"

        reply = await zj.chat("u", "查一下")
        transcript = await zj.sessions.messages("u", reply.session_id)
    assert ran == [str(at) for at in range(32)]
    results = [message.content for message in transcript if message.role == "tool"]
    assert len(results) == 500
    assert results[31] == "found 31"
    assert all("too_many_calls" in result for result in results[32:])


async def test_calls_that_share_an_id_each_get_their_result(open_zhiji: Open) -> None:
    """Two calls under one id are told apart: the model sees both results, so it asks for none of them again."""
    model = ScriptedModel([calls(("a", "look", '{"word": "1"}'), ("a", "look", '{"word": "2"}')), "好的"])
    async with open_zhiji(model=model) as zj:

        @zj.tool()
        def look(word: str) -> str:
            """Look up a word."""
            return f"found {word}"

        await zj.chat("u", "查一下")
    results = [message["content"] for message in model.calls[1].messages if message["role"] == "tool"]
    assert results == ["found 1", "found 2"]


@pytest.mark.parametrize(
    "answer",
    [
        cast("Completion", None),
        cast("Completion", 5),
        Completion(text=cast("str", None)),
        calls((7, "look", "{}")),
        calls(("a", None, "{}")),
        calls(("a", "look", {"word": "1"})),
        Completion(tool_calls=cast("Any", ({"id": "a"},))),
        Completion(text=" \n "),
    ],
)
async def test_what_is_no_answer_is_a_model_error(open_zhiji: Open, answer: Completion) -> None:
    """An answer of another type is the model's failure, told as such; the next message is answered."""

    async def model(messages: Any, tools: Any) -> Completion:
        return answer if str(messages[-1]["content"]).endswith("坏") else Completion(text="好的")

    async with open_zhiji(model=model) as zj:
        session = await zj.sessions.start("u")
        with pytest.raises(ModelError):
            await zj.chat("u", "坏", session=session)
        assert (await zj.chat("u", "好", session=session)).text == "好的"


@pytest.mark.parametrize("failure", [RuntimeError("x"), KeyError("y"), None, b"bytes", " "])
async def test_a_summariser_that_fails_in_any_way_changes_nothing(open_zhiji: Open, failure: Any) -> None:
    """Whatever a summariser raises or returns, turns are answered, no job dies, and no summary is stored."""

    async def summarise(previous: str, transcript: str, max_tokens: int) -> str:
        if isinstance(failure, Exception):
            raise failure
        return cast("str", failure)

    limits = {"max_context_tokens": 400, "reply_reserve_tokens": 50, "keep_recent_turns": 1, "max_history_turns": 6}
    async with open_zhiji(*["请把订单号告诉我，我来查。" * 4] * 10, summarise=summarise, **limits) as zj:
        session = await zj.sessions.start("u")
        for number in range(10):
            await zj.chat("u", f"第 {number} 次问：退货地址在哪里呢？", session=session)
            await zj.drain()
        assert not await zj.jobs.list(statuses=[JobStatus.DEAD])
        assert (await zj.sessions.get("u", session)).summary == ""
        assert zj.telemetry.value("zhiji_compactions_total", outcome="skipped") > 0


async def test_secrets_that_a_model_writes_are_not_kept(open_zhiji: Open, tmp_path: Any) -> None:
    """Passwords and card numbers in calls, escaped or not, and in answers never reach the file; order numbers stay."""
    arguments = r'{"order_id": "OD20240415008", "card": 6222021234567890128, "note": "\u5bc6\u7801\u662fhunter2abc"}'
    answer = "您的密码是 hunter2abc，订单 OD20240415008"
    async with open_zhiji(calls(("a", "pay", arguments)), answer) as zj:

        @zj.tool(effects="write")
        def pay(order_id: str, card: str, note: str) -> str:
            """Pay."""
            return r'{"done": true, "hint": "\u5bc6\u7801\u662f zebra99xy"}'

        reply = await zj.chat("u", "付款", idempotency_key="k")
        assert reply.text == answer
        await zj.drain()
        kept = await said(zj, reply.session_id, "u")
        assert "OD20240415008" in kept[-1][1]
    left = " ".join(cells(tmp_path / "zhiji.db"))
    assert not [secret for secret in ("hunter2abc", "zebra99xy", "6222021234567890128") if secret in left]


async def test_secrets_in_slots_keys_and_reasons_are_not_kept(open_zhiji: Open, tmp_path: Any) -> None:
    """A patched slot, a reason and ingested calls lose their secrets before they are stored."""
    async with open_zhiji() as zj:
        session = await zj.sessions.start("u")
        patched = {"slots.password": "hunter2abc", "slots": {"pay": {"card": 6222021234567890128}}, "order_id": "OD1"}
        state = await zj.state.patch("u", session, cast("Any", patched))
        assert state.slots["order_id"] == "OD1"
        memory = await zj.remember("u", "喜欢红色", type="preference")
        await zj.memories.correct("u", memory.id, "喜欢蓝色", "客户电话 13812345678 说的，密码是 hunter2abc")
        note = r'{"x": "\u5bc6\u7801\u662fhunter2abc"}'
        given: list[dict[str, Any]] = [
            {"role": "user", "content": "你好"},
            {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": note}}]},
            {"role": "tool", "tool_call_id": "a", "content": note},
        ]
        await zj.ingest("u", given)
        await zj.drain()
    left = " ".join(cells(tmp_path / "zhiji.db"))
    assert not [secret for secret in ("hunter2abc", "6222021234567890128", "13812345678") if secret in left]


async def test_cancelled_retries_leave_the_session_free(open_zhiji: Open) -> None:
    """Calls with one idempotency key that are cancelled at any moment never leave the session busy."""

    async def model(messages: Any, tools: Any) -> Completion:
        await asyncio.sleep(0.01)
        return Completion(text="好的")

    async with open_zhiji(model=model, busy_wait_seconds=0) as zj:
        session = await zj.sessions.start("u")
        for turns_of_the_loop in range(40):
            begun = asyncio.create_task(zj.chat("u", "你好", session=session, idempotency_key="k"))
            for _ in range(turns_of_the_loop):
                await asyncio.sleep(0)
            begun.cancel()
            await asyncio.gather(begun, return_exceptions=True)
        assert (await zj.chat("u", "你好", session=session, idempotency_key="k")).text == "好的"


async def test_a_cancelled_drain_leaves_no_job_behind(open_zhiji: Open) -> None:
    """A job whose drain is cancelled, however often, is run to its end; the next drain need not wait for a lease."""
    async with open_zhiji(*["好的"] * 12) as zj:
        for turns_of_the_loop in range(12):
            await zj.chat("u", "我叫李四")
            drain = asyncio.create_task(zj.drain())
            for _ in range(turns_of_the_loop):
                await asyncio.sleep(0)
            drain.cancel()
            await asyncio.gather(drain, return_exceptions=True)
        await asyncio.wait_for(zj.drain(), 5)
        assert {job.status for job in await zj.jobs.list()} == {JobStatus.DONE}


async def test_what_a_job_raises_is_logged_without_its_text(open_zhiji: Open, caplog: pytest.LogCaptureFixture) -> None:
    """An error that quotes the user leaves neither log nor job with what was said, but with its class and place."""
    failing = Scripted(*[ValueError("我的手机 13812345678")] * 9)
    with caplog.at_level(logging.DEBUG):
        async with open_zhiji("好的", extractor_object=failing) as zj:
            await zj.chat("u", "我的手机 13812345678")
            await zj.drain()
            (dead,) = await zj.jobs.list(statuses=[JobStatus.DEAD])
            assert dead.error == "extraction_failed: the extractor failed (ValueError); the job will be retried"
    assert "13812345678" not in caplog.text
    assert "ExtractionFailed from ValueError < extract" in caplog.text
