"""The whole path with a model behind an endpoint: memory over days, tools, streams — and models and endpoints that fail."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from talk import Open, contents, known
from zhiji import Settings, Zhiji
from zhiji.errors import ConfigError, ModelError, ModelRateLimited, ModelTimeout, ModelUnavailable
from zhiji.models.openai_compatible import client
from zhiji.testing import FrozenClock
from zhiji.testing.endpoint import EXTRACTION, Answer, Endpoint, Request, Reset, Response, failed, html, rate_limited
from zhiji.types import JobStatus, ToolCall

NAMES_LISI = json.dumps(
    [
        {"type": "identity", "key": "identity:name", "content": "用户叫李四", "value": "李四", "sources": [1], "confidence": 0.95},
        {"type": "order", "key": "order:OD20240415008", "content": "用户要退订单 OD20240415008", "sources": [1], "confidence": 0.95},
    ],
    ensure_ascii=False,
)  # fmt: skip
NAMES_ANNA = json.dumps(
    [{"type": "identity", "key": "identity:name", "content": "The user is called Anna", "value": "Anna", "sources": [1], "confidence": 0.95}]
)  # fmt: skip
DAY = timedelta(days=1)


class Script:
    """What the endpoint answers, by what it is asked for: a chat, an extraction, a summary. The last step is repeated."""

    def __init__(
        self, *chat: Response, facts: Sequence[Response] = ("[]",), summaries: Sequence[Response] = ("",)
    ) -> None:
        self._steps = {"chat": list(chat) or ["好的"], "facts": list(facts), "summary": list(summaries)}
        self.asked: dict[str, list[Request]] = {kind: [] for kind in self._steps}

    def __call__(self, request: Request) -> Response:
        prompt = str(request.messages[0]["content"])
        kind = "facts" if EXTRACTION in prompt else "summary" if "running summary" in prompt else "chat"
        self.asked[kind].append(request)
        steps = self._steps[kind]
        return steps.pop(0) if len(steps) > 1 else steps[0]


@pytest.fixture
def opens(tmp_path: Path, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Open zhiji on this test's file with the model of an endpoint; retries come at once."""
    monkeypatch.setattr(client, "BACKOFF_SECONDS", 0.0)

    @asynccontextmanager
    async def opened(endpoint: Endpoint, **settings: Any) -> AsyncIterator[Zhiji]:
        values: dict[str, Any] = {
            "database_url": f"sqlite:///{tmp_path / 'zhiji.db'}",
            "llm_api_base": endpoint.url,
            "llm_model": "some-model",
            "embedder": "off",
            "worker": False,
            "extract_every_turns": 1,
        }
        async with Zhiji.open(Settings.load(**{**values, **settings}), clock=clock) as zj:
            yield zj

    return opened


def background(request: Request) -> str:
    """All that a chat request said, in one text."""
    return "\n".join(str(message["content"]) for message in request.messages)


# --- memory ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "facts", "asked", "remembered"),
    [
        ("我叫李四，订单 ＯＤ20240415008 想退货 😀", NAMES_LISI, "我那个退货怎么样了", ["李四", "OD20240415008"]),
        ("I'm Anna, where is my parcel?", NAMES_ANNA, "hello, do you know my name?", ["Anna"]),
    ],
)
async def test_what_was_said_is_known_two_days_later(
    opens: Open, clock: FrozenClock, said: str, facts: str, asked: str, remembered: list[str]
) -> None:
    """The model extracts in the background, and a new session two days later sees it in its context."""
    script = Script("好的", facts=[facts, "[]"])
    async with Endpoint(script) as endpoint, opens(endpoint) as zj:
        await zj.chat("user_001", said)
        await zj.drain()
        clock.advance(2 * DAY)
        reply = await zj.chat("user_001", asked)
        assert reply.created
        outcomes = await zj.jobs.extractions("user_001")
    assert outcomes[-1].outcome == "written"
    assert outcomes[-1].extractor == "model"
    assert all(word in background(script.asked["chat"][-1]) for word in remembered)


@pytest.mark.parametrize(
    "rambling",
    [
        "Sure! I would be happy to help. 用户说他叫王五。",
        '[{"type": "identity", "key": "identity:name", "content": "用户叫王',
        '{"memories": "none"}',
        "",
        Answer(text=None),
        Answer(text="[]", finish_reason="content_filter", cut=None),
        html(200),
    ],
)
async def test_a_model_that_rambles_spoils_nothing(opens: Open, rambling: Response) -> None:
    """The turn is saved, the outcome is stored, nothing ungrounded is remembered, and the next turn works."""
    script = Script("好的", facts=[rambling])
    async with Endpoint(script) as endpoint, opens(endpoint, job_attempts=2, model_retries=0) as zj:
        reply = await zj.chat("u", "我叫李四")
        await zj.drain()
        assert [message.content for message in await zj.sessions.messages("u", reply.session_id)] == [
            "我叫李四",
            "好的",
        ]
        assert await known(zj) == []
        outcomes = await zj.jobs.extractions("u")
        assert outcomes
        assert {found.outcome for found in outcomes} <= {"failed", "partial", "nothing"}
        assert not any("李四" in reason for found in outcomes for reason in found.reasons)
        assert (await zj.chat("u", "谢谢", session=reply.session_id)).text == "好的"


async def test_an_invented_fact_is_not_kept(opens: Open) -> None:
    """What the messages do not ground is left out; what they do is kept, and the pass is partial."""
    invented = json.loads(NAMES_LISI)
    invented[1] |= {"key": "order:OD999", "content": "用户要退订单 OD99920249999"}
    async with Endpoint(Script(facts=[json.dumps(invented)])) as endpoint, opens(endpoint) as zj:
        await zj.chat("u", "我叫李四，想退货")
        await zj.drain()
        assert await known(zj, "u") == ["用户叫李四"]
        assert (await zj.jobs.extractions("u"))[-1].outcome == "partial"


async def test_an_endpoint_that_is_down_delays_memory_and_loses_nothing(opens: Open, clock: FrozenClock) -> None:
    """The job is retried, then dead with its reason; replayed when the endpoint is back, it remembers."""
    script = Script("好的", facts=[NAMES_LISI])
    async with Endpoint(script) as endpoint, opens(endpoint, job_attempts=3) as zj:
        await zj.chat("u", "我叫李四，订单 OD20240415008 想退货")
        await endpoint.stop()
        await zj.drain()
        (job,) = await zj.jobs.list("u")
        assert (job.status, job.attempts) == (JobStatus.DEAD, 3)
        assert "model_unavailable" in str(job.error)
        assert [found.outcome for found in await zj.jobs.extractions("u")] == ["failed"] * 3
        await endpoint.start()
        await zj.jobs.replay("u", job.id)
        await zj.drain()
        assert len(await known(zj, "u")) == 2


async def test_summaries_are_written_by_the_model(opens: Open) -> None:
    """Old turns become a summary that keeps the order number, and the next request carries it."""
    script = Script("好的", summaries=["用户在问退货的进度。"])
    settings = {"max_history_turns": 4, "keep_recent_turns": 2}
    async with Endpoint(script) as endpoint, opens(endpoint, **settings) as zj:
        session = (
            await zj.chat("u", "订单 OD20240415008 我要退货，因为鞋子太小了，穿着很不舒服，请尽快帮我处理")
        ).session_id
        for number in range(5):
            await zj.chat("u", f"第 {number} 次问：现在到哪一步了？请说得详细一些，我很着急", session=session)
            await zj.drain()
        assert script.asked["summary"]
        sent = background(script.asked["chat"][-1])
    assert "用户在问退货的进度。" in sent
    assert "OD20240415008" in sent


async def test_a_summary_that_fails_changes_nothing(opens: Open) -> None:
    """History stays whole, and the talk goes on."""
    script = Script("好的", summaries=[failed(500)])
    settings = {"max_history_turns": 4, "keep_recent_turns": 2, "model_retries": 0}
    async with Endpoint(script) as endpoint, opens(endpoint, **settings) as zj:
        session = (await zj.chat("u", "订单 OD20240415008 我要退货")).session_id
        for number in range(5):
            assert (await zj.chat("u", f"第 {number} 次问", session=session)).text == "好的"
            await zj.drain()
        assert script.asked["summary"]
        assert (await zj.sessions.get("u", session)).summary == ""


# --- tools and streams ----------------------------------------------------------------------------------------------


async def test_parallel_tool_calls_run_and_their_results_come_back(opens: Open) -> None:
    """Both are run, and the second request holds both results in order."""
    calls = tuple(
        ToolCall(id=f"c{at}", name="stock", arguments=json.dumps({"city": city})) for at, city in enumerate("京沪")
    )
    script = Script(Answer(text="查一下", tool_calls=calls), "两地都有货")
    heard: list[str] = []
    async with Endpoint(script) as endpoint, opens(endpoint) as zj:

        @zj.tool()
        def stock(city: str) -> str:
            """How many are in stock."""
            return f"{city}：3 件"

        reply = await zj.chat("u", "北京和上海有货吗？", on_delta=heard.append)
    assert reply.text == "两地都有货"
    first, second = script.asked["chat"]
    assert list(first.tools) == ["stock"]
    results = [(one["tool_call_id"], one["content"]) for one in second.messages if one["role"] == "tool"]
    assert [(id, "3 件" in content) for id, content in results] == [("c0", True), ("c1", True)]
    assert "".join(heard).endswith("两地都有货")


async def test_the_answer_is_told_as_it_comes(opens: Open) -> None:
    """Pieces reach ``on_delta``, thinking does not, and the saved answer is their sum."""
    heard: list[str] = []
    script = Script(Answer(text="<think>嗯……</think>您好，😀 已登记。", piece_chars=2))
    async with Endpoint(script) as endpoint, opens(endpoint) as zj:
        reply = await zj.chat("u", "你好", on_delta=heard.append)
    assert len(heard) > 3
    assert "".join(heard) == reply.text == "您好，😀 已登记。"


# --- failures of a turn ---------------------------------------------------------------------------------------------


async def test_a_rate_limit_passes_unnoticed(opens: Open) -> None:
    """A retry within the call answers the turn; the user's message is there once."""
    script = Script(rate_limited(0), failed(503), "好的")
    async with Endpoint(script) as endpoint, opens(endpoint) as zj:
        reply = await zj.chat("u", "你好")
        assert len(await zj.sessions.messages("u", reply.session_id)) == 2
    assert len(script.asked["chat"]) == 3


async def test_a_wait_beyond_the_time_out_is_told(opens: Open) -> None:
    """The turn fails at once and says when to come back."""
    script = Script(rate_limited(3600), "好的")
    async with Endpoint(script) as endpoint, opens(endpoint) as zj:
        with pytest.raises(ModelRateLimited) as raised:
            await zj.chat("u", "你好")
    assert raised.value.details["retry_after"] == 3600


@pytest.mark.parametrize("broken", [Answer(text="一个很长的回答", cut=2), Reset(), html(502)])
async def test_a_broken_answer_fails_its_turn_only(opens: Open, broken: Response) -> None:
    """A clear error; the next turn of the session works, and the failed one is not in its context."""
    script = Script("在", broken, "好的")
    async with Endpoint(script) as endpoint, opens(endpoint, model_retries=0) as zj:
        session = (await zj.chat("u", "在吗")).session_id
        with pytest.raises(ModelUnavailable):
            await zj.chat("u", "坏掉的一轮", session=session, on_delta=lambda piece: None)
        assert (await zj.chat("u", "再来", session=session)).text == "好的"
    assert "坏掉的一轮" not in background(script.asked["chat"][-1])


async def test_a_slow_model_is_a_time_out(opens: Open) -> None:
    """The turn fails when its time is over, and the endpoint sees the connection closed."""
    script = Script(Answer(text="late", delay=60), "好的")
    async with Endpoint(script) as endpoint, opens(endpoint, model_timeout_seconds=0.2) as zj:
        with pytest.raises(ModelTimeout):
            await zj.chat("u", "你好")
        await endpoint.idle()
        assert {request.outcome for request in endpoint.requests} <= {"abandoned"}


async def test_a_cancelled_turn_leaves_nothing_running(opens: Open) -> None:
    """The connection is closed, the session is free at once."""
    script = Script("在", Answer(text="late", delay=60), "好的")
    async with Endpoint(script) as endpoint, opens(endpoint, busy_wait_seconds=0) as zj:
        session = (await zj.chat("u", "在吗")).session_id
        turn = asyncio.create_task(zj.chat("u", "等很久", session=session, on_delta=lambda piece: None))
        await endpoint.arrived(2)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        await endpoint.idle()
        assert endpoint.requests[1].outcome == "abandoned"
        assert (await zj.chat("u", "再来", session=session)).text == "好的"


async def test_a_listener_that_fails_closes_the_stream(opens: Open) -> None:
    """Where the caller's ``on_delta`` raises, no answer is read any further."""

    def leave(piece: str) -> None:
        raise RuntimeError("gone")

    script = Script(Answer(text="一个很长很长的回答", between=0.01, piece_chars=1))
    async with Endpoint(script) as endpoint, opens(endpoint) as zj:
        with pytest.raises(ModelError, match="RuntimeError"):
            await zj.chat("u", "你好", on_delta=leave)
        await endpoint.idle()
        assert endpoint.requests[0].outcome == "abandoned"


# --- embeddings and opening -----------------------------------------------------------------------------------------


async def test_memories_are_recalled_by_the_endpoint_s_vectors(opens: Open) -> None:
    """Vectors of the named model are stored behind the memories and find them; while it fails, keywords do."""
    async with Endpoint(Script(), embeddings=[failed(503), None], dim=128, normalised=False) as endpoint:
        async with opens(endpoint, embedder="some-embedder") as zj:
            for words in ("用户对花生过敏 🥜", "The user lives in Hangzhou"):
                await zj.remember("u", words, type="event")
            await zj.drain()
            assert not await zj.jobs.list("u", statuses=[JobStatus.DEAD])
            (found, *_) = await zj.recall("u", "花生过敏吗", explain=True)
        asked = [request for request in endpoint.requests if request.path == "/embeddings"]
    assert contents([found]) == ["用户对花生过敏 🥜"]
    assert found.via in ("vector", "both")
    assert {request.body["model"] for request in asked} == {"some-embedder"}


async def test_an_embedder_that_is_down_costs_no_turn(opens: Open) -> None:
    """Without it, from the first use on, turns work and recall is by keyword; its job says why it is dead."""
    down = Endpoint(Script(facts=[NAMES_LISI]), embeddings=[failed(401)] * 50)
    async with down as endpoint, opens(endpoint, embedder="some-embedder", job_attempts=2) as zj:
        await zj.chat("u", "我叫李四，订单 OD20240415008 想退货")
        await zj.drain()
        (found, *_) = await zj.recall("u", "OD20240415008")
        dead = await zj.jobs.list("u", statuses=[JobStatus.DEAD])
    assert found.via == "keyword"
    assert [str(job.error).partition(":")[0] for job in dead] == ["embedder_error"]


@pytest.mark.parametrize(
    "settings", [{"llm_model": "some-model"}, {"model": "some-model"}, {"embedder": "some-embedder"}]
)
async def test_a_model_needs_an_endpoint(tmp_path: Path, settings: dict[str, Any]) -> None:
    """A name alone is an error that says what to set; nothing is left open."""
    path = tmp_path / "zhiji.db"
    with pytest.raises(ConfigError, match="LLM_API_BASE"):
        async with Zhiji.open(Settings.load(database_url=f"sqlite:///{path}", **settings)):
            raise AssertionError("it opened")


async def test_what_was_opened_is_closed(opens: Open) -> None:
    """After the block no connection to the endpoint is left."""
    async with Endpoint(Script()) as endpoint:
        async with opens(endpoint, embedder="some-embedder") as zj:
            await zj.chat("u", "你好")
            await zj.remember("u", "用户叫李四", type="identity")
            await zj.drain()
            assert endpoint.connections > 0
        await endpoint.closed()
        assert endpoint.connections == 0
