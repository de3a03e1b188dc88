"""An endpoint refuses a request for its length: the limit is learnt, the context planned anew once, or the turn refused."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from talk import OK, Open, Scripted, active, call, fact, say
from zhiji import Zhiji, blocking
from zhiji.config import Settings
from zhiji.errors import ConfigError, ContextOverflow, ContextTooLarge, ModelError
from zhiji.extract import Increment, Proposal
from zhiji.testing import ScriptedModel
from zhiji.tokens import Counter
from zhiji.types import Completion, JsonValue, ToolSpec

COUNTER = Counter()
WORDS = "我想问一下上次那个订单的退货进度，地址是不是还要再确认一遍？"
LONG = WORDS * 6
Messages = Sequence[Mapping[str, JsonValue]]


class Refused(Exception):
    """What a host's own client raises."""

    def __init__(self, text: str, **attributes: object) -> None:
        super().__init__(text)
        self.__dict__.update(attributes)


def counted(messages: Messages) -> int:
    return sum(4 + COUNTER.text(json.dumps(message, ensure_ascii=False)) for message in messages)


class Endpoint:
    """A model with a real window: it counts what it is sent, times ``factor``, and refuses what does not fit."""

    def __init__(self, window: int, error: Callable[[int, int], BaseException], *, factor: float = 1.0) -> None:
        self.window, self.error, self.factor = window, error, factor
        self.counts: list[int] = []
        self.sent: list[Messages] = []

    async def __call__(self, messages: Messages, tools: Sequence[ToolSpec]) -> Completion:
        count = int(counted(messages) * self.factor)
        self.counts.append(count)
        self.sent.append(list(messages))
        if count > self.window:
            raise self.error(self.window, count)
        return Completion(text="好的")


def openai(window: int, count: int) -> BaseException:
    text = f"This model's maximum context length is {window} tokens. However, your messages resulted in {count} tokens."
    return Refused(text, status_code=400, code="context_length_exceeded")


ERRORS: dict[str, Callable[[int, int], BaseException]] = {
    "ours": lambda window, count: ContextOverflow(limit=window, requested=count),
    "openai": openai,
    "anthropic": lambda window, count: Refused(f"prompt is too long: {count} tokens > {window} maximum", status_code=400),
    "gemini": lambda window, count: Refused(
        f"400 INVALID_ARGUMENT. The input token count ({count}) exceeds the maximum number of tokens allowed ({window}).", code=400
    ),
    "llama.cpp": lambda window, count: Refused(
        "bad request", status_code=400, body={"error": {"type": "exceed_context_size_error", "message": "the request exceeds the "
        "available context size", "n_ctx": window, "n_prompt_tokens": count}}
    ),
    "qwen": lambda window, _: Refused(f"Range of input length should be [1, {window}]", status_code=400),
    "zhipu": lambda *_: Refused("Prompt 超长", status_code=400, code="1261"),
    "zh": lambda window, count: Refused(f"输入长度超过限制，最大支持 {window:,} tokens，当前 {count:,} tokens"),
    "zh full width": lambda *_: Refused("输入的ｔｏｋｅｎ数超过上限（２，５００）"),
    "no number": lambda *_: Refused("Input is too long for requested model."),
    "article": lambda window, count: Refused(
        f"api error: 400 this models maximum context length is {window} tokens. context length exceeded ({count:,} tokens)."
    ),
    "wrapped": lambda window, count: _caused(RuntimeError("the chain failed"), openai(window, count)),
}  # fmt: skip


def _caused(outer: BaseException, cause: BaseException) -> BaseException:
    outer.__cause__ = cause
    return outer


async def told(zj: Zhiji, turns: int, words: str = LONG) -> str:
    """A session with a long past; returns its id."""
    pairs = [(f"第{n}问：{words}", f"第{n}答：{words}") for n in range(turns)]
    history = [
        {"role": role, "content": text}
        for pair in pairs
        for role, text in zip(("user", "assistant"), pair, strict=True)
    ]
    return (await zj.ingest("u1", history)).id


# --- one more try ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", ERRORS.values(), ids=ERRORS.keys())
async def test_a_refused_request_is_planned_anew_once(
    open_zhiji: Open, error: Callable[[int, int], BaseException]
) -> None:
    """Whoever refuses in whatever words: the second request fits and is answered."""
    model = Endpoint(2500, error)
    async with open_zhiji(model=model, summarise=None) as zj:
        session = await told(zj, 12)
        reply = await zj.chat("u1", "继续", session=session)
        assert reply.text == "好的"
        assert len(model.counts) == 2
        assert model.counts[0] > 2500 >= model.counts[1]
        assert reply.steps, "the ladder gave something up"
        assert reply.usage.limit <= 3700
        assert zj.telemetry.value("zhiji_context_overflows_total") == 1
        assert str(model.sent[1][-1]["content"]).endswith("继续"), "the user's words are whole"


async def test_later_turns_are_planned_within_what_was_learnt(open_zhiji: Open) -> None:
    """The second turn, and another user's, fit from the start: one call each."""
    model = Endpoint(2500, openai)
    async with open_zhiji(model=model) as zj:
        session = await told(zj, 12)
        await zj.chat("u1", "继续", session=session)
        for words in ("还有呢", "然后呢"):
            reply = await zj.chat("u1", words, session=session)
            assert reply.usage.limit <= 2500
            assert reply.usage.total + reply.usage.reserve <= 2500
        await zj.chat("u2", "你好")
        assert len(model.counts) == 2 + 3
        assert max(model.counts[1:]) <= 2500


async def test_an_endpoint_that_counts_more_is_measured(open_zhiji: Open) -> None:
    """An endpoint whose tokens are shorter than ours gets a request that fits by its own count."""
    model = Endpoint(3000, openai, factor=1.7)
    async with open_zhiji(model=model) as zj:
        session = await told(zj, 12)
        for words in ("继续", "还有呢", "然后呢"):
            await zj.chat("u1", words, session=session)
        assert len(model.counts) == 2 + 2
        assert max(model.counts[1:]) <= 3000


async def test_a_second_refusal_refuses_the_turn(open_zhiji: Open) -> None:
    """An endpoint that never has enough is asked twice, then the turn is refused, says how to go on, and is marked failed."""
    model = ScriptedModel([Refused("prompt is too long"), Refused("prompt is too long"), "好的"])
    async with open_zhiji(model=model) as zj:
        session = await told(zj, 12)
        with pytest.raises(ContextTooLarge, match="start a new session or shorten the message") as refused:
            await zj.chat("u1", "继续", session=session)
        assert isinstance(refused.value.__cause__, ContextOverflow)
        assert len(model.calls) == 2
        assert zj.telemetry.value("zhiji_ladder_steps_total", step="refuse") == 1
        assert zj.telemetry.value("zhiji_turns_total", outcome="context_too_large") == 1
        reply = await zj.chat("u1", "你好", session=session)
        assert reply.text == "好的"
        assert "继续" not in json.dumps(model.calls[2].messages, ensure_ascii=False), "a failed turn is left out"


async def test_what_cannot_fit_is_refused_without_a_second_call(open_zhiji: Open) -> None:
    """If not even the last rung fits the learnt window, the refusal names what was learnt and comes from the endpoint's."""
    model = ScriptedModel([Refused("prompt is too long: 9000 tokens > 900 maximum")])
    async with open_zhiji(model=model) as zj:
        with pytest.raises(ContextTooLarge) as refused:
            await zj.chat("u1", LONG * 8)
        assert isinstance(refused.value.__cause__, ContextOverflow)
        assert int(str(refused.value.details["limit"])) <= 900
        assert len(model.calls) == 1
        assert zj.telemetry.value("zhiji_ladder_steps_total", step="refuse") == 1


async def test_a_message_longer_than_what_was_learnt_is_refused_at_once(open_zhiji: Open) -> None:
    """Once learnt, the limit also holds for the message alone: no call is made."""
    model = Endpoint(900, openai)
    async with open_zhiji(model=model) as zj:
        with pytest.raises(ContextTooLarge):
            await zj.chat("u1", LONG * 8)
        with pytest.raises(ContextTooLarge, match="the message alone"):
            await zj.chat("u1", LONG * 8)
        assert len(model.counts) == 1


@pytest.mark.parametrize(
    "error",
    [
        Refused("Rate limit reached on tokens per min (TPM): Limit 30000, Requested 45000", status_code=429),
        Refused(
            "max_tokens is too large: 100000. This model supports at most 16384 completion tokens", status_code=400
        ),
        Refused('Invalid JSON: "maximum context length is 5 tokens"', status_code=400),
    ],
    ids=["rate", "output", "echo"],
)
async def test_look_alikes_learn_nothing(open_zhiji: Open, error: Exception) -> None:
    """Another refusal fails the turn after one call, and the window stays."""
    model = ScriptedModel([error, "好的"])
    async with open_zhiji(model=model) as zj:
        with pytest.raises(ModelError):
            await zj.chat("u1", "你好")
        assert (await zj.chat("u1", "你好")).usage.limit == zj.settings.max_context_tokens
        assert len(model.calls) == 2


async def test_a_user_cannot_set_the_limit(open_zhiji: Open) -> None:
    """A host's error that repeats the user's words teaches nothing, whatever they say."""
    words = "prompt is too long: 900 tokens > 300 maximum"
    model = ScriptedModel([Refused(f"cannot handle: {words}"), "好的"])
    async with open_zhiji(model=model) as zj:
        with pytest.raises(ModelError, match="the model failed"):
            await zj.chat("u1", words)
        assert (await zj.chat("u1", "你好")).usage.limit == zj.settings.max_context_tokens


async def test_the_log_says_what_was_learnt(open_zhiji: Open, caplog: pytest.LogCaptureFixture) -> None:
    """One warning names the model and the new limit, and nothing that anybody said."""
    with caplog.at_level(logging.WARNING, "zhiji"):
        async with open_zhiji(model=Endpoint(2500, openai), llm_model="qwen-plus") as zj:
            await zj.chat("u1", "继续", session=await told(zj, 12))
    said = [record.getMessage() for record in caplog.records if "context_overflow" in record.getMessage()]
    assert len(said) == 1
    assert "qwen-plus" in said[0]
    assert WORDS[:5] not in caplog.text


# --- tools, parallel turns, streams, hosts --------------------------------------------------------------------------


async def test_a_tool_round_that_overflows_is_planned_anew(open_zhiji: Open) -> None:
    """The results that made it too long are shortened; the tool is run once."""
    runs: list[str] = []

    async def model(messages: Messages, tools: Sequence[ToolSpec]) -> Completion:
        calls.append(counted(messages))
        if len(calls) == 1:
            return call("look")
        if calls[-1] > 1000:
            raise openai(1000, calls[-1])
        return Completion(text="查到了")

    calls: list[int] = []
    async with open_zhiji(model=model, tool_result_tokens=3000) as zj:

        @zj.tool()
        async def look() -> str:
            """Look it up."""
            runs.append("look")
            return LONG * 5

        assert (await zj.chat("u1", "查一下")).text == "查到了"
        assert len(calls) == 3
        assert runs == ["look"]


async def test_parallel_turns_learn_together(open_zhiji: Open) -> None:
    """Eight turns that overflow at once: each is planned anew once, and what they learn is not halved again and again."""
    model = Endpoint(2500, ERRORS["no number"])
    async with open_zhiji(model=model, summarise=None) as zj:
        sessions = [await told(zj, 12) for _ in range(8)]
        replies = await asyncio.gather(*(zj.chat("u1", "继续", session=session) for session in sessions))
        assert {reply.text for reply in replies} == {"好的"}
        assert len(model.counts) <= 16
        assert min(reply.usage.limit for reply in replies) > 2000


class Streaming:
    """A model that tells pieces, then raises or ends."""

    def __init__(self, *scripts: Sequence[str | Completion | BaseException]) -> None:
        self.scripts = list(scripts)
        self.calls = 0

    async def __call__(self, messages: Messages, tools: Sequence[ToolSpec]) -> Completion:
        raise AssertionError("a stream was wanted")

    async def stream(self, messages: Messages, tools: Sequence[ToolSpec]) -> AsyncIterator[str | Completion]:
        self.calls += 1
        for step in self.scripts.pop(0):
            if isinstance(step, BaseException):
                raise step
            yield step


DONE: list[str | Completion | BaseException] = ["好", "的", Completion(text="好的")]


async def test_a_stream_that_has_not_begun_is_planned_anew(open_zhiji: Open) -> None:
    """An overflow before the first piece is invisible to the caller."""
    model = Streaming([openai(2500, 6000)], DONE)
    pieces: list[str] = []
    async with open_zhiji(model=model) as zj:
        reply = await zj.chat("u1", "继续", session=await told(zj, 12), on_delta=pieces.append)
        assert (reply.text, pieces, model.calls) == ("好的", ["好", "的"], 2)


async def test_a_stream_that_has_begun_fails(open_zhiji: Open) -> None:
    """After a piece has gone out there is no second answer: the turn fails, and a limit that was told is kept."""
    model = Streaming(["好", openai(2500, 6000)], ["好", Refused("Context size has been exceeded.")], DONE)
    async with open_zhiji(model=model) as zj:
        session = await told(zj, 12)
        for _ in range(2):
            pieces: list[str] = []
            with pytest.raises(ContextOverflow):
                await zj.chat("u1", "继续", session=session, on_delta=pieces.append)
            assert pieces == ["好"]
        assert model.calls == 2
        reply = await zj.chat("u1", "继续", session=session, on_delta=pieces.append)
        assert reply.usage.limit == 2500, "what ends in mid-stream without a number teaches nothing"


async def test_a_host_plans_its_own_turn_anew(open_zhiji: Open) -> None:
    """``turn.replan`` makes the messages shorter for a host with its own model, once, and raises everything else."""
    async with open_zhiji() as zj:
        session = await told(zj, 12)
        async with zj.turn("u1", "继续", session=session) as turn:
            before = counted(turn.messages)
            await turn.replan(openai(2500, before))
            assert counted(turn.messages) <= 2500 < before
            turn.reply = "好的"
        with pytest.raises(Refused, match="no such host"):
            async with zj.turn("u1", "继续", session=session) as turn:
                await turn.replan(Refused("no such host"))
        async with zj.turn("u1", "继续", session=session) as turn:
            await turn.replan(openai(2000, 3000))
            with pytest.raises(ContextTooLarge):
                await turn.replan(openai(1500, 2000))
            turn.reply = "太长了"


def test_a_blocking_host_too(tmp_path: Any) -> None:
    """The same without ``await``."""
    config = Settings.load(database_url=f"sqlite:///{tmp_path / 'z.db'}", embedder="off", worker=False)
    with blocking.Zhiji.open(config) as zj, zj.turn("u1", "你好") as turn:
        turn.replan(openai(2000, 9000))
        assert turn.context.usage.limit <= 2000
        turn.reply = "好的"


# --- the background -------------------------------------------------------------------------------------------------


class Narrow(Scripted):
    """An extractor whose model holds ``window`` tokens."""

    every_turn = False

    def __init__(self, window: int, error: Callable[[int, int], BaseException]) -> None:
        super().__init__()
        self.window, self.error = window, error

    async def extract(self, increment: Increment) -> Proposal:
        self.increments.append(increment)
        read = [*increment.context, *increment.messages]
        count = sum(4 + COUNTER.text(message.content) for message in read)
        if count > self.window:
            raise self.error(self.window, count)
        return Proposal(
            drafts=[
                fact(f"第{message.seq}条", key=f"identity:n{message.seq}", seq=message.seq)
                for message in increment.messages
            ]
        )


@pytest.mark.parametrize("name", ["ours", "openai", "no number"])
@pytest.mark.parametrize("words", [WORDS, LONG * 6], ids=["many turns", "long turns"])
async def test_extraction_takes_smaller_bites(open_zhiji: Open, name: str, words: str) -> None:
    """An extractor's model with a smaller window reads everything in smaller batches; no job dies, no turn is passed over."""
    extractor = Narrow(700, ERRORS[name])
    async with open_zhiji(*OK, extractor_object=extractor) as zj:
        await told(zj, 10, words)
        await zj.drain()
        assert not await zj.jobs.list(statuses=["dead"])
        read = {message.seq for one in extractor.increments for message in one.messages}
        assert read == set(range(1, 21))
        session = (await zj.sessions.list("u1"))[0]
        assert session.extracted_upto == 20
        assert await active(zj)


async def test_extraction_teaches_the_turns(open_zhiji: Open) -> None:
    """A window that the extractor's model told holds for the turns, too."""
    async with open_zhiji(*OK, extractor_object=Narrow(2500, openai)) as zj:
        await told(zj, 12)
        await zj.drain()
        assert (await zj.chat("u1", "你好")).usage.limit == 2500


async def test_an_extractor_that_never_has_enough_fails_its_job(open_zhiji: Open) -> None:
    """After a bounded number of tries the outcome is a failure, stored like any other."""
    extractor = Narrow(0, ERRORS["no number"])
    async with open_zhiji(*OK, extractor_object=extractor, job_attempts=1) as zj:
        await told(zj, 1)
        await zj.drain()
        assert [job.error.split(":")[0] for job in await zj.jobs.list(statuses=["dead"])] == ["extraction_failed"]
        assert len(extractor.increments) == 7
        assert zj.telemetry.value("zhiji_extractions_total", outcome="failed") == 1


async def test_a_summary_is_asked_for_with_less(open_zhiji: Open) -> None:
    """A summariser whose model holds less is shown shorter transcripts, down to a quarter."""
    shown: list[int] = []

    async def summarise(previous: str, transcript: str, max_tokens: int) -> str:
        shown.append(COUNTER.text(transcript))
        if shown[-1] > 1500:
            raise openai(1500, shown[-1])
        return "用户多次询问退货进度。"

    async with open_zhiji(*OK, summarise=summarise, keep_recent_turns=2, max_history_turns=4) as zj:
        session = await say(zj, *[f"第{n}问：{LONG}" for n in range(12)])
        assert max(shown) > 1500 >= min(shown)
        assert (await zj.sessions.get("u1", session)).summary == "用户多次询问退货进度。"


# --- cut silently ---------------------------------------------------------------------------------------------------

OLLAMA: dict[str, Any] = {"model_preset": "ollama-raised"}


def answered(count: int, text: str = "好的", **more: Any) -> Completion:
    return Completion(text=text, usage={"input_tokens": count, "output_tokens": 2}, **more)


async def test_a_prompt_that_was_cut_is_planned_anew(open_zhiji: Open, caplog: pytest.LogCaptureFixture) -> None:
    """Ollama answers 200 and reports half its window: the answer is thrown away, the window learnt, one warning written."""
    model = ScriptedModel([answered(2050, "从半截话里猜的"), answered(2400), answered(2050), answered(2400)])
    with caplog.at_level(logging.WARNING, "zhiji"):
        async with open_zhiji(model=model, **OLLAMA) as zj:
            session = await told(zj, 12)
            reply = await zj.chat("u1", "继续", session=session)
            assert (reply.text, reply.usage.limit) == ("好的", 4096)
            assert zj.telemetry.value("zhiji_context_truncations_total") == 1
            assert len(model.calls) == 2
            again = await zj.chat("u1", "还有呢", session=session)
            assert again.usage.limit == 4096, "2,050 of about 3,000 tokens may be all of them"
    assert sum("context_truncated" in record.getMessage() for record in caplog.records) == 1


async def test_others_are_not_suspected(open_zhiji: Open) -> None:
    """A count far below ours is believed of any server that does not cut: only the cached rest may be missing from it."""
    model = ScriptedModel([answered(2050)])
    async with open_zhiji(model=model) as zj:
        assert (await zj.chat("u1", "继续", session=await told(zj, 12))).usage.limit == 8000


async def test_a_cut_answer_that_was_streamed_stands(open_zhiji: Open) -> None:
    """What the caller has already read is not answered again; the next turn fits."""
    model = Streaming(["好", answered(2050, "好")], ["好", answered(2000, "好")])
    async with open_zhiji(model=model, **OLLAMA) as zj:
        session = await told(zj, 12)
        pieces: list[str] = []
        assert (await zj.chat("u1", "继续", session=session, on_delta=pieces.append)).text == "好"
        assert (pieces, model.calls) == (["好"], 1)
        assert (await zj.chat("u1", "继续", session=session, on_delta=pieces.append)).usage.limit == 4096


async def test_a_server_that_cuts_on_is_asked_twice(open_zhiji: Open) -> None:
    """If the second request was cut as well, its answer stands: the next turns are planned still smaller."""
    model = ScriptedModel([answered(2050), answered(1026), answered(900)])
    async with open_zhiji(model=model, **OLLAMA) as zj:
        session = await told(zj, 12)
        await zj.chat("u1", "继续", session=session)
        assert len(model.calls) == 2
        assert (await zj.chat("u1", "继续", session=session)).usage.limit == 2048


async def test_tools_asked_for_on_a_cut_prompt_are_not_run(open_zhiji: Open) -> None:
    """A call that the model made without having read everything is thrown away with its answer."""
    cut = Completion(tool_calls=call("refund").tool_calls, usage={"input_tokens": 2050})
    runs: list[str] = []
    async with open_zhiji(model=ScriptedModel([cut, answered(2400)]), **OLLAMA) as zj:

        @zj.tool(effects="write")
        async def refund() -> str:
            """Refund it."""
            runs.append("refund")
            return "ok"

        assert (await zj.chat("u1", "继续", session=await told(zj, 12))).text == "好的"
        assert runs == []


# --- presets --------------------------------------------------------------------------------------------------------


async def test_a_preset_caps_the_window(open_zhiji: Open, caplog: pytest.LogCaptureFixture) -> None:
    """A model that is known to hold less than configured is never sent more, and the log says so."""
    async with open_zhiji("好", llm_model="llama-2-7b-chat", max_context_tokens=16_000) as zj:
        usage = (await zj.chat("u1", "你好", session=await told(zj, 40))).usage
        assert usage.limit == 4096
        assert usage.total + usage.reserve <= 4096
    assert "context_capped: preset llama-2 holds 4096 tokens" in caplog.text


async def test_an_unknown_preset_is_refused_when_opening(open_zhiji: Open) -> None:
    """A name that is in no row is a configuration error."""
    with pytest.raises(ConfigError, match="there is no preset"):
        async with open_zhiji(model_preset="gpt-9"):
            raise AssertionError("it was opened")


# --- always ---------------------------------------------------------------------------------------------------------


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    window=st.integers(600, 6000),
    factor=st.floats(0.6, 2.5),
    name=st.sampled_from(sorted(ERRORS)),
    turns=st.integers(1, 14),
)
def test_a_turn_is_answered_or_refused_within_two_calls(
    tmp_path_factory: pytest.TempPathFactory, window: int, factor: float, name: str, turns: int
) -> None:
    """Whatever the window, the tokenizer and the words: two calls at most, the context keeps to what was learnt, and only a
    clean refusal ends the turn otherwise."""

    async def go() -> None:
        model = Endpoint(window, ERRORS[name], factor=factor)
        path = tmp_path_factory.mktemp("overflow") / "z.db"
        config = Settings.load(database_url=f"sqlite:///{path}", embedder="off", worker=False)
        async with Zhiji.open(config, model=model) as zj:
            session = await told(zj, turns)
            try:
                usage = (await zj.chat("u1", "继续", session=session)).usage
            except ContextTooLarge:
                pass
            else:
                assert usage.total + usage.reserve <= usage.limit
                assert name in ("zhipu", "no number", "zh full width") or len(model.counts) < 2 or usage.limit <= window
            assert len(model.counts) <= 2

    asyncio.run(go())
