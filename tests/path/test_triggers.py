"""When a model extractor reads what was said: each of its triggers, exactly (M9)."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from datetime import timedelta

import pytest

from talk import Open, known
from zhiji import Zhiji
from zhiji.errors import ModelRateLimited
from zhiji.models.base import ChatMessages
from zhiji.testing import FrozenClock
from zhiji.types import Completion, JobStatus

LI_SI = {"type": "identity", "key": "identity:name", "content": "用户叫李四", "value": "李四", "confidence": 0.95}


class Reader:
    """A model that nods in conversation; asked to extract, it answers with ``facts`` and keeps what it was shown."""

    def __init__(self, *facts: object) -> None:
        self.facts = list(facts)
        self.shown: list[str] = []
        self.before: Callable[[], object] | None = None
        """Awaited, if it is a coroutine function, before it answers."""

    async def __call__(self, messages: ChatMessages, tools: object) -> Completion:
        if '"memories"' not in str(messages[0]["content"]):
            return Completion(text="好的")
        self.shown.append(str(messages[-1]["content"]))
        if self.before is not None and asyncio.iscoroutine(waiting := self.before()):
            await waiting
        return Completion(text=json.dumps({"memories": self.facts}, ensure_ascii=False), usage={"output_tokens": 7})


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> dict[str, str]:
    """The settings of each database."""
    return {} if request.param == "sqlite" else {"database_url": request.getfixturevalue("postgres_url")}


async def turns(zj: Zhiji, count: int, session: str | None = None, words: str = "我叫李四") -> str:
    """So many turns of one session, due jobs done after each; returns the session."""
    for _ in range(count):
        session = (await zj.chat("u1", words, session=session)).session_id
        await zj.drain("u1")
    assert session is not None
    return session


async def test_it_reads_every_fifth_turn(open_zhiji: Open, database: dict[str, str]) -> None:
    """Four turns in one breath are not read; the fifth has all five read at once."""
    model = Reader()
    async with open_zhiji(model=model, extractor="model", **database) as zj:
        session = await turns(zj, 4)
        assert model.shown == []
        await turns(zj, 1, session)
        assert [shown.count("user: 我叫李四") for shown in model.shown] == [5]
        await turns(zj, 4, session)
        assert len(model.shown) == 1


async def test_it_reads_after_sixty_seconds_of_silence(
    open_zhiji: Open, clock: FrozenClock, database: dict[str, str]
) -> None:
    """Each turn puts it off: it is a minute after the last one, not after the first."""
    model = Reader()
    async with open_zhiji(model=model, extractor="model", **database) as zj:
        session = await turns(zj, 1)
        clock.advance(timedelta(seconds=40))
        await turns(zj, 1, session)
        clock.advance(timedelta(seconds=59))
        await zj.drain("u1")
        assert model.shown == []
        clock.advance(timedelta(seconds=1))
        await zj.drain("u1")
        assert [shown.count("user:") for shown in model.shown] == [2]


async def test_it_reads_at_the_end_of_a_session(open_zhiji: Open) -> None:
    """An ended session is read at once, however young."""
    model = Reader(LI_SI)
    async with open_zhiji(model=model, extractor="model") as zj:
        await zj.sessions.end("u1", await turns(zj, 1))
        await zj.drain("u1")
        assert await known(zj) == ["用户叫李四"]


async def test_it_reads_a_session_that_expires(open_zhiji: Open, clock: FrozenClock) -> None:
    """A session that is found expired is read, though its minute of silence was cut short."""
    model = Reader(LI_SI)
    async with open_zhiji(model=model, extractor="model", session_ttl_seconds=30) as zj:
        session = await turns(zj, 1)
        clock.advance(timedelta(seconds=31))
        await zj.chat("u1", "在吗", session=session)
        await zj.drain("u1")
        assert await known(zj) == ["用户叫李四"]


async def test_it_reads_before_the_first_turn_of_the_next_session(open_zhiji: Open, database: dict[str, str]) -> None:
    """A visit of one turn is remembered in the very next session, though the former one lives and waits for silence."""
    model = Reader(LI_SI)
    async with open_zhiji(model=model, extractor="model", worker=True, sediment_wait_seconds=5, **database) as zj:
        await zj.chat("u1", "我叫李四")
        reply = await zj.chat("u1", "我叫什么")
        assert "李四" in str((await zj.context("u1", reply.request_id)).messages[0]["content"])
        assert len(model.shown) == 1


async def test_nobody_else_is_read_early(open_zhiji: Open) -> None:
    """Another user's new session leaves this one's silence alone."""
    model = Reader(LI_SI)
    async with open_zhiji(model=model, extractor="model") as zj:
        await zj.chat("u1", "我叫李四")
        await zj.sessions.start("u2")
        await zj.drain()
        assert model.shown == []


async def test_a_slow_model_delays_the_reply_by_no_more_than_the_bound(open_zhiji: Open) -> None:
    """While the extractor's model thinks, the new session opens after the bounded wait; what it finds comes later."""
    model, release = Reader(LI_SI), asyncio.Event()
    model.before = release.wait
    async with open_zhiji(model=model, extractor="model", worker=True) as zj:
        await zj.chat("u1", "我叫李四")
        began = time.perf_counter()
        await zj.chat("u1", "我叫什么")
        took = time.perf_counter() - began
        assert zj.settings.sediment_wait_seconds == 0.2
        assert 0.2 <= took < 2
        assert len(model.shown) == 1
        release.set()
        await zj.drain("u1")
        assert await known(zj) == ["用户叫李四"]


async def test_what_failed_keeps_its_distance(open_zhiji: Open, clock: FrozenClock) -> None:
    """A new session does not use up the attempts of a job that waits to be tried again."""
    model = Reader(LI_SI)

    def fail() -> None:
        raise ModelRateLimited(retry_after=300)

    model.before = fail
    async with open_zhiji(model=model, extractor="model", sediment_wait_seconds=0) as zj:
        session = await turns(zj, 1)
        clock.advance(timedelta(seconds=60))
        await zj.drain("u1")
        (before,) = await zj.jobs.list("u1", session=session)
        assert (before.status, before.attempts) == (JobStatus.PENDING, 1)
        await zj.sessions.start("u1")
        await zj.drain("u1")
        (after,) = await zj.jobs.list("u1", session=session)
        assert (after.attempts, after.run_at) == (1, before.run_at)


async def test_an_outcome_tells_model_and_cost(open_zhiji: Open, clock: FrozenClock) -> None:
    """Who was asked, what it cost, and why drafts were refused: all are in the row, also if nothing was kept."""
    model = Reader({**LI_SI, "content": "用户叫王五", "value": "王五"})
    async with open_zhiji(model=model, extractor="model") as zj:
        await zj.sessions.end("u1", await turns(zj, 1))
        await zj.drain("u1")
        (outcome,) = await zj.jobs.extractions("u1")
        assert (outcome.extractor, outcome.model, outcome.outcome) == ("model", "Reader", "partial")
        assert (outcome.tokens, outcome.written) == (7, 0)
        assert outcome.duration_ms > 0
        assert outcome.reasons == ("a name that its source does not have",)


async def test_an_unreadable_answer_costs_tokens_too(open_zhiji: Open) -> None:
    """A failed outcome names the model and what its answer cost."""
    model = Reader()

    async def chatting(messages: ChatMessages, tools: object) -> Completion:
        answered = await model(messages, tools)
        return answered if answered.text == "好的" else Completion(text="没什么可记的", usage={"output_tokens": 9})

    async with open_zhiji(model=chatting, extractor="model", job_attempts=1) as zj:
        await zj.sessions.end("u1", await turns(zj, 1))
        await zj.drain("u1")
        (outcome,) = await zj.jobs.extractions("u1")
        assert (outcome.outcome, outcome.model, outcome.tokens) == ("failed", "chatting", 9)
