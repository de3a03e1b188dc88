"""The model behind an endpoint, over real sockets: what it sends, what it reads, what it repeats, and what errors become."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from email.utils import formatdate
from typing import Any

import openai
import pytest

from zhiji.errors import (
    ConfigError,
    ContextOverflow,
    ModelError,
    ModelRateLimited,
    ModelRejected,
    ModelTimeout,
    ModelUnauthorized,
    ModelUnavailable,
)
from zhiji.models.base import ChatMessages, StreamingModel
from zhiji.models.openai_compatible import OpenAIEmbedder, OpenAIModel, client, failures
from zhiji.testing.endpoint import Answer, Endpoint, Raw, Reset, Script, failed, html, overflow, rate_limited
from zhiji.types import Completion, ToolCall, ToolSpec

ASKED: ChatMessages = [
    {"role": "system", "content": "你是客服。"},
    {"role": "user", "content": "我的地址是浙江省杭州市西湖区文三路１８号，订单 OD20240415008 😀"},
]
FIND = ToolSpec(name="find", description="Find an order.", parameters={"type": "object", "properties": {}})
CALLS = (
    ToolCall(id="call_a", name="find", arguments='{"order_id": "OD20240415008"}'),
    ToolCall(id="call_b", name="find", arguments='{"city": "杭州"}'),
)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries come at once; how long they wait is tested by itself."""
    monkeypatch.setattr(client, "BACKOFF_SECONDS", 0.0)


@asynccontextmanager
async def serving(script: Script, **given: Any) -> AsyncIterator[tuple[Endpoint, OpenAIModel]]:
    async with Endpoint(script) as endpoint:
        model = OpenAIModel("some-model", **{"base_url": endpoint.url, "timeout_seconds": 20.0, **given})
        try:
            yield endpoint, model
        finally:
            await model.close()


async def streamed(model: OpenAIModel, tools: tuple[ToolSpec, ...] = ()) -> tuple[list[str], Completion]:
    items = [item async for item in model.stream(ASKED, tools)]
    pieces, last = [item for item in items[:-1] if isinstance(item, str)], items[-1]
    assert isinstance(last, Completion)
    assert len(pieces) == len(items) - 1
    return pieces, last


async def listen(model: OpenAIModel, heard: list[object]) -> None:
    async for piece in model.stream(ASKED, ()):
        heard.append(piece)  # noqa: PERF401 - what came before an error counts, too


Ask = Callable[[OpenAIModel], Any]


async def whole(model: OpenAIModel) -> Completion:
    return await model(ASKED, ())


async def by_stream(model: OpenAIModel) -> Completion:
    return (await streamed(model))[1]


both_ways = pytest.mark.parametrize("ask", [whole, by_stream])


# --- what is sent ---------------------------------------------------------------------------------------------------


async def test_messages_tools_and_options_are_sent_and_nothing_else() -> None:
    """Name, messages, tools as functions and the caller's fields; no limit of the answer, no tools when there are none."""
    async with serving(["a", "b", "c"], api_key="sk-1", options={"temperature": 0, "stream_options": None}) as (
        endpoint,
        model,
    ):
        assert isinstance(model, StreamingModel)
        await model(ASKED, ())
        await model(ASKED, (FIND,))
        await streamed(model)
    plain, tooled, stream = (request.body for request in endpoint.requests)
    assert plain == {"model": "some-model", "messages": list(ASKED), "temperature": 0}
    assert tooled["tools"] == [
        {
            "type": "function",
            "function": {"name": "find", "description": FIND.description, "parameters": FIND.parameters},
        }
    ]
    assert stream == {**plain, "stream": True}
    assert endpoint.requests[0].headers["authorization"] == "Bearer sk-1"


async def test_nothing_of_openai_s_environment_reaches_another_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a key none is sent, whatever the library would find; its organisation and base URL are not used either."""
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/elsewhere")
    async with serving(["a", "b"]) as (endpoint, model):
        await model(ASKED, ())
        await streamed(model)
    for request in endpoint.requests:
        assert "authorization" not in request.headers
        assert "secret" not in request.headers.values()
        assert "stream_options" not in endpoint.requests[0].body


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({}, "LLM_API_BASE"),
        ({"base_url": "localhost:8080/v1"}, "http://"),
        ({"base_url": "http://"}, "LLM_API_BASE"),
        ({"base_url": "http:///v1"}, "LLM_API_BASE"),
        ({"base_url": "http://[::1"}, "LLM_API_BASE"),
        ({"base_url": "http://host:port/v1"}, "LLM_API_BASE"),
        ({"base_url": "http://host:99999/v1"}, "LLM_API_BASE"),
        ({"base_url": "http://127.0.0.1：11434/v1"}, "LLM_API_BASE"),
        ({"base_url": "http://\u200b127.0.0.1/v1"}, "LLM_API_BASE"),
        ({"base_url": "http://my host/v1"}, "LLM_API_BASE"),
        ({"base_url": "http://llm..example/v1"}, "LLM_API_BASE"),
        ({"base_url": "https://llm.example/v1?api-version=1"}, "LLM_API_BASE"),
        ({"base_url": "https://llm.example/v1#top"}, "LLM_API_BASE"),
        ({"base_url": "https://llm.example", "api_key": "密钥"}, "LLM_API_KEY"),
        ({"api_key": "sk-1\nx"}, "LLM_API_KEY"),
    ],
)
def test_what_cannot_be_right_is_refused_at_once(given: dict[str, str], part: str) -> None:
    """No URL and no key, no URL at all, a key of other characters: the message names the setting, never its value."""
    with pytest.raises(ConfigError, match=part) as refused:
        OpenAIModel("m", **given)  # type: ignore[arg-type]  # the table holds strings only
    assert "密钥" not in str(refused.value)
    assert "sk-1" not in str(refused.value)


@pytest.mark.parametrize("base", ["{}", "{}/", " {}\n", "{}/chat/completions", "{}/chat/completions/"])
async def test_a_base_url_may_be_written_in_several_ways(base: str) -> None:
    """With a slash, blanks around it, or copied with the path of its one route."""
    async with Endpoint(["好的"]) as endpoint:
        model = OpenAIModel("m", base_url=base.format(endpoint.url))
        assert (await model(ASKED, ())).text == "好的"
        await model.close()
    assert client.checked("HTTPS://例子.测试/前缀/v1", None)[0] == "HTTPS://例子.测试/前缀/v1"


@pytest.mark.parametrize(
    ("variable", "value"),
    [("ALL_PROXY", "gopher://127.0.0.1:1"), ("SSL_CERT_FILE", "/no/such/file"), ("NO_PROXY", "[::1")],
)
def test_an_environment_that_allows_no_connection_is_told(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    """A proxy of an unknown kind, or certificates that are not there, are settings to correct, for the embedder, too."""
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigError, match=variable):
        OpenAIEmbedder("m", base_url="https://llm.example/v1")


async def test_a_key_alone_means_openai() -> None:
    """Blanks around it, as files have them, are not part of it."""
    assert client.checked(None, " sk-1\n") == ("https://api.openai.com/v1", "sk-1")


# --- what is read ---------------------------------------------------------------------------------------------------


@both_ways
async def test_text_and_usage_are_read(ask: Ask) -> None:
    """The text as it is, line breaks, full-width characters and emoji included; tokens sent and returned."""
    words = "您好，订单 ＯＤ２０２４ 已发货。\n\n👩‍👩‍👧 Thanks!"
    usage = {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17}
    async with serving([Answer(text=words, usage=usage, piece_chars=1)]) as (_, model):
        assert await ask(model) == Completion(text=words, usage={"input_tokens": 12, "output_tokens": 5})


async def test_a_stream_comes_in_pieces() -> None:
    """The pieces together are the text of the completion."""
    async with serving([Answer(text="退货地址在杭州", piece_chars=3)]) as (_, model):
        pieces, completion = await streamed(model)
    assert pieces == ["退货地", "址在杭", "州"]
    assert completion.text == "退货地址在杭州"


@both_ways
async def test_parallel_tool_calls_are_read(ask: Ask) -> None:
    """Each call with its id, name and arguments, beside text, also from interleaved fragments."""
    async with serving([Answer(text="稍等", tool_calls=CALLS, piece_chars=2)]) as (_, model):
        made = await ask(model)
    assert (made.text, made.tool_calls) == ("稍等", CALLS)


def chunk(delta: Any, finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def stream_of(*chunks: Any) -> Raw:
    text = "".join(f"data: {json.dumps(each)}\n\n" for each in chunks)
    return Raw(body=f"{text}data: [DONE]\n\n", headers={"content-type": "text/event-stream"})


@pytest.mark.parametrize(
    ("fragments", "calls"),
    [
        (  # neither index nor id
            [{"function": {"name": "find", "arguments": {"city": "杭州"}}}, {"function": {"name": "find"}}],
            [("", "find", '{"city": "杭州"}'), ("", "find", "{}")],
        ),
        (  # all of index 0, told apart by their ids
            [
                {"index": 0, "id": "a", "function": {"name": "find", "arguments": "{}"}},
                {"index": 0, "id": "b", "function": {"name": "find", "arguments": '{"x": 1}'}},
            ],
            [("a", "find", "{}"), ("b", "find", '{"x": 1}')],
        ),
        (  # the id comes again with every fragment, the name too
            [
                {"index": 0, "id": "a", "function": {"name": "find", "arguments": '{"x"'}},
                {"index": 0, "id": "a", "function": {"name": "find", "arguments": ": 1}"}},
            ],
            [("a", "find", '{"x": 1}')],
        ),
        ([None, "junk", {"index": 0, "function": None}], [("", "", "{}")]),
        (  # no index, the id and the name come again with every fragment
            [
                {"id": "a", "function": {"name": "find", "arguments": '{"x"'}},
                {"id": "a", "function": {"name": "find", "arguments": ": 1}"}},
            ],
            [("a", "find", '{"x": 1}')],
        ),
        (  # arguments before the name
            [
                {"index": 0, "function": {"arguments": '{"x"'}},
                {"index": 0, "id": "a", "function": {"name": "find", "arguments": ": 1}"}},
            ],
            [("a", "find", '{"x": 1}')],
        ),
        ([{"index": [0], "id": "a", "function": {"name": "find"}}], [("a", "find", "{}")]),
    ],
)
async def test_odd_tool_fragments_are_put_together(fragments: Any, calls: Any) -> None:
    """Missing numbers, ids, names and arguments lose no call, and arguments may be an object."""
    chunks = [chunk({"tool_calls": [fragment]}) for fragment in fragments]
    async with serving([stream_of(*chunks, chunk({}, "tool_calls"))]) as (_, model):
        made = (await streamed(model, (FIND,)))[1]
    assert [(call.id, call.name, call.arguments) for call in made.tool_calls] == calls


@both_ways
@pytest.mark.parametrize(
    ("told", "text"),
    [
        ("<think>用户要退货。</think>\n\n好的。", "好的。"),
        (" \n<think>\n</think>Yes.", "Yes."),
        ("<thinking aloud>", "<thinking aloud>"),
        ("我想说 <think>x</think>", "我想说 <think>x</think>"),
        ("<", "<"),
    ],
)
async def test_thinking_at_the_head_is_no_part_of_the_answer(ask: Ask, told: str, text: str) -> None:
    """What stands between the tags is left out, streamed or not; tags elsewhere are words like others."""
    async with serving([Answer(text=told, piece_chars=2)]) as (_, model):
        assert (await ask(model)).text == text


@both_ways
async def test_reasoning_of_its_own_field_is_left_out(ask: Ask) -> None:
    """``reasoning_content`` is neither streamed nor returned."""
    async with serving([Answer(text="好的", reasoning="先查订单")]) as (_, model):
        assert (await ask(model)).text == "好的"


@both_ways
async def test_a_refusal_is_the_answer(ask: Ask) -> None:
    """What the model says instead of an answer is said to the user."""
    async with serving([Answer(text=None, refusal="I can't help with that.")]) as (_, model):
        assert (await ask(model)).text == "I can't help with that."


@both_ways
async def test_of_several_choices_one_is_read(ask: Ask) -> None:
    """A caller's options may ask for more; they are not mixed."""
    kind = "message" if ask is whole else "delta"
    told = [(1, "B", None), (0, "A", None), (1, "B", "stop"), (0, "A", "stop")]
    choices = [{"index": index, kind: {"content": text}, "finish_reason": end} for index, text, end in told]
    step = Raw(body={"choices": choices[2:]}) if ask is whole else stream_of(*[{"choices": [one]} for one in choices])
    async with serving([step]) as (_, model):
        assert (await ask(model)).text == ("B" if ask is whole else "BB")


async def test_calls_that_are_no_list_are_none() -> None:
    """Something else in their place loses the text no less than it would an answer without calls."""
    for calls in (5, "find", {"id": "a"}, True):
        body = {"choices": [{"message": {"content": "好的", "tool_calls": calls}, "finish_reason": "stop"}]}
        async with serving([Raw(body=body)]) as (_, model):
            assert await model(ASKED, ()) == Completion(text="好的")


async def test_reasoning_that_the_template_opened_is_left_out_of_a_whole_answer() -> None:
    """What comes before a line that ends with the closing tag is no part of it; the tag among other words is one."""
    for told, text in (("Let me see.\n</think>\n\n好的", "好的"), ("`</think>` ends it", "`</think>` ends it")):
        async with serving([told]) as (_, model):
            assert (await model(ASKED, ())).text == text


async def test_parts_of_a_text_are_joined() -> None:
    """A list of parts, as some servers send it, is one text; other parts, and reasoning, are left out."""
    parts = [
        {"type": "thinking", "thinking": []},
        {"type": "reasoning", "text": "hm"},
        {"type": "text", "text": "好"},
        {"type": "text", "text": "的"},
    ]
    body = {"choices": [{"message": {"role": "assistant", "content": parts}}]}
    async with serving([Raw(body=body)]) as (_, model):
        assert (await model(ASKED, ())).text == "好的"


@both_ways
@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Answer(text="", finish_reason="content_filter"), ModelRejected),
        (Answer(text="", finish_reason="length"), ModelError),
        (Answer(text="<think>hmm", finish_reason="length"), ModelError),
    ],
)
async def test_an_end_before_the_answer_is_an_error(ask: Ask, answer: Answer, error: type[ModelError]) -> None:
    """A filter or the length limit that leaves nothing is said to have; it is not repeated."""
    async with serving([answer]) as (endpoint, model):
        with pytest.raises(error):
            await ask(model)
    assert len(endpoint.requests) == 1


@both_ways
async def test_a_long_answer_that_was_cut_is_an_answer(ask: Ask) -> None:
    """What was written before the length limit is returned."""
    async with serving([Answer(text="第一，", finish_reason="length")]) as (_, model):
        assert (await ask(model)).text == "第一，"


@both_ways
async def test_null_content_is_an_empty_answer(ask: Ask) -> None:
    """Nothing at all is told apart from an error: the caller decides."""
    async with serving([Answer(text=None)]) as (_, model):
        made = await ask(model)
    assert (made.text, made.tool_calls) == ("", ())


# --- what errors become ---------------------------------------------------------------------------------------------


@both_ways
@pytest.mark.parametrize(
    ("step", "error", "tries"),
    [
        (failed(400), ModelRejected, 1),
        (failed(401, code="invalid_api_key"), ModelUnauthorized, 1),
        (failed(403), ModelUnauthorized, 1),
        (failed(404, code="model_not_found"), ModelRejected, 1),
        (failed(422), ModelRejected, 1),
        (failed(402), ModelRateLimited, 1),
        (failed(429, code="insufficient_quota"), ModelRateLimited, 1),
        (failed(429), ModelRateLimited, 3),
        (failed(408), ModelUnavailable, 3),
        (failed(409), ModelUnavailable, 3),
        (failed(500), ModelUnavailable, 3),
        (failed(503), ModelUnavailable, 3),
        (html(502), ModelUnavailable, 3),
        (html(200), ModelUnavailable, 3),
        (Raw(body='{"choices": [{"mes'), ModelUnavailable, 3),
        (Raw(body="[]"), ModelUnavailable, 3),
        (Raw(body={"choices": []}), ModelUnavailable, 3),
        (Raw(body={"error": {"message": "slow down", "code": "rate_limit_exceeded"}}), ModelRateLimited, 3),
        (Raw(body={"error": {"message": "bad", "code": 400}}), ModelRejected, 1),
        (Raw(body={"error": "broken"}), ModelUnavailable, 3),
        (Raw(body={"object": "error", "message": "bad", "code": 400}), ModelRejected, 1),
        (Raw(body={"message": "slow down", "type": "rate_limit_error"}), ModelRateLimited, 3),
        (
            Raw(body={"code": "InvalidParameter", "message": "Range of input length should be [1, 6000]"}),
            ContextOverflow,
            1,
        ),
        (Reset(), ModelUnavailable, 3),
    ],
)
async def test_every_failure_is_one_of_ours(ask: Ask, step: Any, error: type[ModelError], tries: int) -> None:
    """By status, code and shape; what may pass is tried three times, what cannot once; nothing that was sent is quoted."""
    if ask is by_stream and isinstance(step, Raw) and isinstance(step.body, dict) and step.status == 200:
        step = stream_of(step.body)
    async with serving([step] * 3, api_key="sk-secret") as (endpoint, model):
        with pytest.raises(ModelError) as raised:
            await ask(model)
    assert type(raised.value) is error
    assert raised.value.__cause__ is not None
    assert len(endpoint.requests) == tries
    told = f"{raised.value} {dict(raised.value.details)}"
    assert not any(word in told for word in ("文三路", "it failed", "sk-secret"))


@both_ways
async def test_an_overflow_is_told_with_its_numbers(ask: Ask) -> None:
    """The window is what the endpoint says it is, and nothing is repeated."""
    async with serving([overflow(limit=4096, requested=5000)]) as (endpoint, model):
        with pytest.raises(ContextOverflow) as raised:
            await ask(model)
    assert raised.value.details["limit"] in (4096, None)
    assert len(endpoint.requests) == 1


@both_ways
async def test_nobody_sets_the_limit_by_what_an_endpoint_repeats(ask: Ask) -> None:
    """A refusal that repeats a message which sounds like an overflow is none."""
    said = "prompt is too long: 9000 tokens > 300 maximum"
    async with serving([failed(400, f"no such character in {said!r}", code="invalid_value")]) as (_, model):
        messages: ChatMessages = [{"role": "user", "content": f"Please explain:\n{said}"}]
        with pytest.raises(ModelRejected):
            await model(messages, ()) if ask is whole else [one async for one in model.stream(messages, ())]


async def test_an_endpoint_that_is_down_is_unavailable() -> None:
    """A refused connection says to check the base URL."""
    async with serving([]) as (endpoint, model):
        await endpoint.stop()
        with pytest.raises(ModelUnavailable, match="LLM_API_BASE"):
            await model(ASKED, ())


@both_ways
async def test_a_passing_failure_is_repeated(ask: Ask) -> None:
    """A rate limit, then an outage, then the answer."""
    async with serving([rate_limited(0), failed(503), "回来了"]) as (endpoint, model):
        assert (await ask(model)).text == "回来了"
    assert len(endpoint.requests) == 3


async def test_no_retries_are_no_retries() -> None:
    """``retries=0`` asks once."""
    async with serving([failed(500)], retries=0) as (endpoint, model):
        with pytest.raises(ModelUnavailable):
            await model(ASKED, ())
    assert len(endpoint.requests) == 1


# --- time -----------------------------------------------------------------------------------------------------------


async def test_retry_after_is_waited_for() -> None:
    """The next try comes when the endpoint asked for it, not before."""
    async with serving([rate_limited(0.2), "ok"]) as (_, model):
        begun = time.monotonic()
        await model(ASKED, ())
        assert time.monotonic() - begun >= 0.2


@pytest.mark.parametrize("dated", [False, True])
async def test_a_wait_beyond_the_time_out_is_not_begun(dated: bool) -> None:
    """The caller is told at once how long the endpoint asks to wait, be it as seconds or as a date."""
    header = formatdate(time.time() + 3600, usegmt=True) if dated else 3600
    async with serving([rate_limited(header)]) as (endpoint, model):
        with pytest.raises(ModelRateLimited) as raised:
            await model(ASKED, ())
    told = raised.value.details["retry_after"]
    assert isinstance(told, float)
    assert told == pytest.approx(3600, abs=30)
    assert len(endpoint.requests) == 1


@both_ways
@pytest.mark.parametrize("slow", [Answer(text="late", delay=60), Answer(text="drop by drop", between=60)])
async def test_a_slow_answer_is_a_time_out(ask: Ask, slow: Answer) -> None:
    """The whole time-out ends the call, before the first byte or between pieces, and the connection with it."""
    if ask is whole and slow.between:
        slow = Answer(text="late", delay=60)
    async with serving([slow], timeout_seconds=0.1) as (endpoint, model):
        with pytest.raises(ModelTimeout):
            await ask(model)
        await endpoint.idle()
    assert {request.outcome for request in endpoint.requests} <= {"abandoned"}  # none, if the time was over before


async def test_retries_share_one_time_out() -> None:
    """What the first try used is gone for the second."""
    script = [Answer(text="x", delay=1.4, cut=1), Answer(text="late", delay=60)]
    async with serving(script, timeout_seconds=2.0) as (endpoint, model):
        begun = time.monotonic()
        with pytest.raises(ModelTimeout):
            await model(ASKED, ())
        assert time.monotonic() - begun < 1.4 + 1.9  # a time-out of its own would end at 3.4 s at the earliest
        assert len(endpoint.requests) == 2


@both_ways
async def test_cancelling_closes_the_connection(ask: Ask) -> None:
    """The endpoint sees at once that nobody waits any more."""
    async with serving([Answer(text="late", delay=60)]) as (endpoint, model):
        asking = asyncio.create_task(ask(model))
        await endpoint.arrived(1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await endpoint.idle()
        assert endpoint.requests[0].outcome == "abandoned"


async def test_a_stream_that_is_closed_early_closes_its_connection() -> None:
    """Whoever stops listening after the first piece leaves nothing running."""
    async with serving([Answer(text="a long story", between=0.01)]) as (endpoint, model):
        async with aclosing(model.stream(ASKED, ())) as pieces:  # type: ignore[type-var]  # an async generator
            assert await anext(pieces) == "a lo"
        await endpoint.idle()
        assert endpoint.requests[0].outcome == "abandoned"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("0.25", 0.25),
        ("Wed, 01 Jan 2020 00:00:00 GMT", 0.0),
        ("Wed, 01 Jan 2020 00:00:00 +0800", 0.0),
        ("-5", None),
        ("nan", None),
        ("inf", None),
        ("soon 稍后", None),
        ("", None),
        ("Wed, 01 Jan 99999 00:00:00 GMT", None),
    ],
)
def test_retry_after_is_read_or_ignored(header: str, seconds: float | None) -> None:
    """Seconds, or a date that is over; what is neither is as good as nothing."""
    assert failures.retry_after({"retry-after": header}) == seconds


def test_back_off_doubles_with_full_jitter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to 0.5, 1, 2 … and at most 8 seconds, from zero on."""
    monkeypatch.setattr(client, "BACKOFF_SECONDS", 0.5)
    for made, cap in enumerate([0.5, 1.0, 2.0, 4.0, 8.0, 8.0]):
        waits = [client.backoff(made) for _ in range(300)]
        assert 0 <= min(waits) < cap * 0.1
        assert cap * 0.9 < max(waits) <= cap


# --- broken streams -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "broken",
    [
        Answer(text="half an answer", cut=2),
        Answer(text="half an answer", error={"message": "overloaded", "type": "server_error"}),
        stream_of(chunk({"content": "half"})),
    ],
)
async def test_what_was_told_is_never_told_again(broken: Any) -> None:
    """A stream that breaks after its first piece — cut, failed, or ended without an end — is an error, not a second try."""
    async with serving([broken, "again"]) as (endpoint, model):
        told: list[object] = []
        with pytest.raises(ModelUnavailable):
            await listen(model, told)
    assert told
    assert len(endpoint.requests) == 1


async def test_a_stream_that_breaks_before_its_first_piece_is_tried_again() -> None:
    """Thinking is no piece: nobody has heard anything yet."""
    async with serving([Answer(text="<think>long", cut=3), Answer(text="ok", cut=1), "好的"]) as (endpoint, model):
        pieces, completion = await streamed(model)
    assert pieces == ["好的"]
    assert completion.text == "好的"
    assert len(endpoint.requests) == 3


async def test_an_overflow_inside_a_stream_is_an_overflow() -> None:
    """Some servers count only after they have said 200."""
    error = {"message": "This model's maximum context length is 4096 tokens.", "code": "context_length_exceeded"}
    async with serving([Answer(text="", error=error)]) as (_, model):
        with pytest.raises(ContextOverflow):
            await streamed(model)


async def test_streams_share_a_connection() -> None:
    """The next answer needs no new one: its handshake would delay the first word."""
    async with serving(["one", "two", "three"]) as (endpoint, model):
        for words in ("one", "two"):
            assert (await by_stream(model)).text == words
        assert (await model(ASKED, ())).text == "three"
        assert endpoint.connections == 1


async def test_a_server_that_does_not_stream_is_read_all_the_same() -> None:
    """Its whole answer is one piece."""
    body = {"choices": [{"message": {"content": "好的"}, "finish_reason": "stop"}]}
    async with serving([Raw(body=body)]) as (_, model):
        assert await streamed(model) == (["好的"], Completion(text="好的"))


async def test_events_of_any_shape_are_read() -> None:
    """Comments, names, carriage returns, data on several lines, a missing blank line at the end, U+2028 in a text."""
    first = json.dumps(chunk({"content": "a\u2028b"}), ensure_ascii=False).replace(", ", ",\r\ndata: ", 1)
    text = f": ping\r\n\r\nevent: x\r\ndata:{first}\r\n\r\ndata: {json.dumps(chunk({}, 'stop'))}"
    async with serving([Raw(body=text, headers={"content-type": "text/event-stream"})]) as (_, model):
        assert (await by_stream(model)).text == "a\u2028b"


async def test_a_mark_before_the_first_event_is_skipped() -> None:
    """Some servers begin their streams with a byte order mark."""
    step = stream_of(chunk({"content": "ok"}, "stop"))
    async with serving([Raw(body=f"\ufeff{step.body}", headers=step.headers)]) as (_, model):
        assert (await by_stream(model)).text == "ok"


async def test_a_page_in_place_of_a_stream_is_no_broken_connection() -> None:
    """A base URL without its path often answers with a page: then the URL is to be checked."""
    async with serving([html(200)] * 3) as (_, model):
        with pytest.raises(ModelUnavailable, match="LLM_API_BASE"):
            await streamed(model)


async def test_the_end_of_a_stream_is_not_waited_for() -> None:
    """A server that keeps the line open after ``[DONE]`` delays nothing for long."""
    body = f"data: {json.dumps(chunk({'content': 'ok'}, 'stop'))}\n\ndata: [DONE]\n\n"
    headers = {"content-type": "text/event-stream", "content-length": "1000"}  # more is announced than comes
    async with serving([Raw(body=body, headers=headers)]) as (_, model):
        assert (await by_stream(model)).text == "ok"


def test_the_library_s_own_retries_are_off() -> None:
    """One retry policy counts; the library would add its own to each try."""
    model = OpenAIModel("m", base_url="http://127.0.0.1:1/v1")
    (pool,) = model._client._pools
    assert pool.library.max_retries == 0
    assert isinstance(pool.library, openai.AsyncOpenAI)


@both_ways
async def test_many_calls_at_once_are_spread_over_pools(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pool holds a few calls; beyond the last pool they share; afterwards all have room again."""
    monkeypatch.setattr(client, "POOLS", 3)
    count = client.CALLS_PER_POOL * 3 + 2
    async with serving(lambda _: Answer(text="fine", delay=0.2)) as (endpoint, model):
        asking = [asyncio.create_task(ask(model)) for _ in range(count)]
        await endpoint.arrived(count)
        assert sorted(pool.calls for pool in model._client._pools) == [8, 9, 9]
        await asyncio.gather(*asking)
        await ask(model)
        assert [pool.calls for pool in model._client._pools] == [0, 0, 0]


async def test_calls_one_after_the_other_share_one_pool() -> None:
    """Whoever waits for each answer keeps one connection."""
    async with serving(lambda _: "fine") as (_, model):
        for _ in range(client.CALLS_PER_POOL + 1):
            await model(ASKED, ())
        assert len(model._client._pools) == 1
