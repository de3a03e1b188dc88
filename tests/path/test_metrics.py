"""What is counted while conversations go on (M32): contexts, turns, recall, models, tools, extraction, jobs, the queue."""

from __future__ import annotations

import asyncio
import math
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from talk import Open, Scripted, call, fact
from zhiji import Zhiji
from zhiji.errors import ContextTooLarge, EmptyMessage, ExtractionFailed, ModelError, ModelRateLimited, StoreError
from zhiji.extract import Increment, Proposal
from zhiji.signals import USAGE_PARTS
from zhiji.testing import FrozenClock, HashEmbedder
from zhiji.types import Completion, Reply, Usage, WorkerBeat, WorkerRole


def outcomes(zj: Zhiji, name: str) -> dict[str, float]:
    """The series of a counter by their last label."""
    return {labels[-1]: number for labels, number in zj.telemetry.numbers(name)}


def counted(zj: Zhiji) -> dict[str, float]:
    """The tokens of all requests, by part."""
    return {part: zj.telemetry.value("zhiji_context_tokens", part=part) for part in USAGE_PARTS}


def summed(*usages: Usage) -> dict[str, float]:
    """The same, from what was replied."""
    return {part: sum(getattr(usage, part) for usage in usages) for part in USAGE_PARTS}


# --- contexts -------------------------------------------------------------------------------------------------------


async def test_the_figures_are_those_of_the_replies(open_zhiji: Open) -> None:
    """Each part's tokens add up to those of the replies, one observation a request; so does the ratio (M32)."""
    async with open_zhiji("好", "在文三路", "Sure") as zj:
        replies = [await zj.chat("u1", "我叫李四，订单 OD20240415008 想退货")]
        await zj.drain()
        replies += [await zj.chat("u1", "退货地址是什么", session=replies[0].session_id), await zj.chat("u2", "hello")]
        assert counted(zj) == summed(*(reply.usage for reply in replies))
        assert zj.telemetry.observations("zhiji_context_tokens", part="total") == 3
        assert zj.telemetry.value("zhiji_context_ratio") == pytest.approx(sum(reply.usage.ratio for reply in replies))
        assert zj.telemetry.value("zhiji_context_tokens", part="memory") > 0


async def test_each_round_of_tools_is_a_request(open_zhiji: Open) -> None:
    """A turn that calls a tool sends two requests; both are counted, and the larger second one is the reply's."""
    async with open_zhiji(call("status"), "已发货") as zj:

        @zj.tool()
        def status() -> str:
            """Return the status."""
            return "shipped"

        reply = await zj.chat("u1", "到哪了")
        assert zj.telemetry.observations("zhiji_context_ratio") == 2
        first = zj.telemetry.value("zhiji_context_tokens", part="tool") - reply.usage.tool
        assert 0 < first < reply.usage.tool


async def test_a_hosts_own_loop_is_counted_alike(open_zhiji: Open) -> None:
    """`zj.turn` tells the usage of what it hands out, once, and again after `add`; its turn counts as one."""
    async with open_zhiji() as zj, zj.turn("u1", "到哪了") as turn:
        first = turn.context.usage
        await turn.add(
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "1", "content": "shipped"},
        )
        turn.reply = "已发货"
    assert counted(zj) == summed(first, turn.context.usage)
    assert outcomes(zj, "zhiji_turns_total") == {"ok": 1}


async def test_the_alarm_is_above_eighty_percent(open_zhiji: Open) -> None:
    """A request at more than 0.8 of the window raises the alarm, and falls into the buckets above 0.8."""
    async with open_zhiji("好", "好", max_context_tokens=1000, reply_reserve_tokens=500) as zj:
        calm = await zj.chat("u1", "短")
        assert calm.usage.ratio <= 0.8
        assert zj.telemetry.value("zhiji_context_alarms_total") == 0
        full = await zj.chat("u1", "长句子" * 100)
        assert full.usage.ratio > 0.8
        assert zj.telemetry.value("zhiji_context_alarms_total") == 1


async def test_each_rung_of_the_ladder_is_counted(open_zhiji: Open) -> None:
    """The rungs counted are those that the replies name, and the refusal."""
    limits = {"max_context_tokens": 420, "reply_reserve_tokens": 60}
    async with open_zhiji(*["请把订单号告诉我，我来帮您查一查。" * 3] * 8, **limits) as zj:
        replies: list[Reply] = []
        session = await zj.sessions.start("u1")
        for number in range(8):
            with suppress(ContextTooLarge):
                replies.append(await zj.chat("u1", f"第 {number} 次问：退货地址在哪里呢？", session=session))
        with pytest.raises(ContextTooLarge):
            await zj.chat("u1", "长" * 310, session=session)
        told = outcomes(zj, "zhiji_ladder_steps_total")
        taken = [step.name for reply in replies for step in reply.steps]
        assert taken
        assert {name: told[name] for name in set(taken)} == {name: taken.count(name) for name in set(taken)}
        assert told["refuse"] == 1


# --- turns, recall, models, tools -----------------------------------------------------------------------------------


async def test_a_turn_counts_once_by_how_it_ended(open_zhiji: Open) -> None:
    """Answered, replayed, refused, failed by the model or by the host's own code: each turn is in exactly one series."""
    async with open_zhiji("好", ModelRateLimited(), RuntimeError("secret")) as zj:
        await zj.chat("u1", "你好", idempotency_key="k")
        await zj.chat("u1", "你好", idempotency_key="k")
        for words, error in (("  ", EmptyMessage), ("a", ModelRateLimited), ("b", ModelError)):
            with pytest.raises(error):
                await zj.chat("u1", words)
        with pytest.raises(ZeroDivisionError):
            async with zj.turn("u1", "c") as turn:
                turn.reply = str(1 / 0)
        assert outcomes(zj, "zhiji_turns_total") == {
            "ok": 1,
            "replayed": 1,
            "empty_message": 1,
            "model_rate_limited": 1,
            "model_error": 1,
            "unexpected": 1,
        }
        assert outcomes(zj, "zhiji_model_calls_total") == {"ok": 1, "model_rate_limited": 1, "model_error": 1}
        assert zj.telemetry.observations("zhiji_turn_seconds") == 6


async def test_a_turn_whose_caller_left_is_cancelled(open_zhiji: Open) -> None:
    """A cancelled turn counts as such."""
    begun = asyncio.Event()

    async def slow(messages: Any, tools: Any) -> Completion:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    async with open_zhiji(model=slow) as zj:
        turn = asyncio.create_task(zj.chat("u1", "你好"))
        await begun.wait()
        turn.cancel()
        await asyncio.gather(turn, return_exceptions=True)
        assert outcomes(zj, "zhiji_turns_total") == {"cancelled": 1}


async def test_every_step_is_timed_once_a_turn(open_zhiji: Open) -> None:
    """A plain turn has one observation of each of the seven steps."""
    async with open_zhiji("好") as zj:
        await zj.chat("u1", "你好")
        steps = {labels[0]: found.count for labels, found in zj.telemetry.histograms("zhiji_step_seconds")}
        assert steps == dict.fromkeys(("restore", "recall", "assemble", "complete", "advance", "save", "reply"), 1)


async def test_recall_is_timed_and_says_by_which_arm(open_zhiji: Open) -> None:
    """Recalls of turns and of `zj.recall` are timed; what they found is counted by arm."""
    async with open_zhiji("好") as zj:
        await zj.remember("u1", "用户喜欢龙井茶", type="preference")
        found = await zj.recall("u1", "龙井茶")
        await zj.chat("u1", "我喜欢什么茶")
        assert zj.telemetry.observations("zhiji_recall_seconds") == 2
        assert len(found) == 1
        assert outcomes(zj, "zhiji_recall_memories_total") == {"keyword": 2}


async def test_an_embedder_that_fails_is_counted(open_zhiji: Open) -> None:
    """Each failed call counts, for queries and for passages; recall goes on without."""
    async with open_zhiji(embedder=HashEmbedder(failures=1)) as zj:
        assert await zj.recall("u1", "茶") == []
        assert outcomes(zj, "zhiji_embedder_failures_total") == {"query": 1}
        await zj.remember("u1", "用户喜欢龙井茶", type="preference")
        await zj.drain()
        assert zj.telemetry.observations("zhiji_embedder_seconds", use="passages") == 2  # compared, and stored


async def test_tokens_are_counted_as_the_provider_reports_them(open_zhiji: Open) -> None:
    """Input and output tokens add up; other fields, and what is no number of tokens, are left out and do no harm."""
    usage = {"input_tokens": 120, "output_tokens": 7, "我": 1}
    odd: list[Any] = [None, {"input_tokens": None}, {"input_tokens": 10**400}, {"output_tokens": "七"}, [1]]
    answers = [Completion(text="好", usage=each) for each in (usage, usage, *odd)]
    async with open_zhiji(*answers) as zj:
        for number in range(len(answers)):
            await zj.chat("u1", f"第 {number} 次")
        assert outcomes(zj, "zhiji_model_tokens_total") == {"input": 240, "output": 14}


async def test_a_model_that_extracts_is_counted_apart(open_zhiji: Open) -> None:
    """With the model as extractor its calls for turns and for extraction are two series."""
    async with open_zhiji("好", "[]", extractor="model", extract_every_turns=1) as zj:
        await zj.chat("u1", "你好")
        await zj.drain()
        assert zj.telemetry.value("zhiji_model_calls_total", use="turn") == 1
        assert zj.telemetry.value("zhiji_model_calls_total", use="extract") == 1


async def test_tool_calls_are_counted_by_tool_and_outcome(open_zhiji: Open) -> None:
    """A call counts under the tool's name and how it ended; a name that the model made up is not a label."""
    answers = [call("pay"), call("pay", '{"a": 1}'), call("李四的工具"), "好"]
    async with open_zhiji(*answers) as zj:

        @zj.tool()
        def pay() -> str:
            """Pay."""
            raise RuntimeError("no")

        await zj.chat("u1", "付款")
        told = dict(zj.telemetry.numbers("zhiji_tool_calls_total"))
        assert told == {("pay", "tool_failed"): 1, ("pay", "invalid_arguments"): 1, ("unknown", "unknown_tool"): 1}
        assert zj.telemetry.observations("zhiji_tool_seconds") == 3


# --- the background -------------------------------------------------------------------------------------------------


class Partial(Scripted):
    """An extractor whose answer could be read in part only."""

    async def extract(self, increment: Increment) -> Proposal:
        return Proposal(drafts=[], partial=True, reasons=["1 elements were no facts"])


@pytest.mark.parametrize(
    ("extractor", "outcome"),
    [
        (Scripted([fact("用户叫李四", key="identity:name")]), "written"),
        (Scripted([]), "nothing"),
        (Partial(), "partial"),
        (Scripted(ExtractionFailed(), []), "failed"),
    ],
    ids=["written", "nothing", "partial", "failed"],
)
async def test_each_extraction_is_counted_by_its_outcome(open_zhiji: Open, extractor: Scripted, outcome: str) -> None:
    """What is counted is what is stored: one count for each stored outcome, also of the failed pass."""
    async with open_zhiji("好", extractor_object=extractor) as zj:
        await zj.chat("u1", "我叫李四")
        await zj.drain()
        stored = [one.outcome for one in await zj.jobs.extractions("u1")]
        assert stored[-1] == outcome
        assert outcomes(zj, "zhiji_extractions_total") == {name: stored.count(name) for name in set(stored)}
        assert zj.telemetry.observations("zhiji_extraction_seconds") == len(stored)
        written = sum(one.written for one in await zj.jobs.extractions("u1"))
        assert zj.telemetry.value("zhiji_memory_changes_total", change="written") == written


async def test_runs_of_jobs_are_counted(open_zhiji: Open) -> None:
    """A run ends ok, to be retried, or dead; each counts once."""
    failing = Scripted(*[ExtractionFailed()] * 2, [])
    async with open_zhiji("好", "好", extractor_object=failing, job_attempts=2) as zj:
        session = (await zj.chat("u1", "你好")).session_id
        await zj.drain()
        assert outcomes(zj, "zhiji_jobs_total") == {"retried": 1, "dead": 1}
        await zj.chat("u1", "在吗", session=session)
        await zj.drain()
        assert outcomes(zj, "zhiji_jobs_total") == {"retried": 1, "dead": 1, "ok": 1}
        assert zj.telemetry.observations("zhiji_job_seconds", kind="sediment") == 3


async def test_the_age_of_the_queue_is_that_of_its_oldest_job(open_zhiji: Open, clock: FrozenClock) -> None:
    """With the worker paused the age grows with the clock; once all is done it is 0."""
    async with open_zhiji("好", "好") as zj:
        assert (await zj.measure()).value("zhiji_job_age_seconds") == 0
        await zj.chat("u1", "你好")
        clock.advance(timedelta(seconds=90))
        await zj.chat("u2", "你好")
        clock.advance(timedelta(seconds=30))
        told = await zj.measure()
        assert (told.value("zhiji_job_age_seconds"), told.value("zhiji_queue_jobs")) == (120, 2)
        await zj.drain()
        told = await zj.measure()
        assert (told.value("zhiji_job_age_seconds"), told.value("zhiji_queue_jobs")) == (0, 0)


async def test_a_worker_that_is_missing_is_shown(open_zhiji: Open, clock: FrozenClock) -> None:
    """A process that gave no sign until its time is missing; others are alive."""
    async with open_zhiji() as zj:
        for holder, seconds in (("a/1/x", 30), ("b/2/y", 300)):
            until = clock() + timedelta(seconds=seconds)
            beat = WorkerBeat(holder=holder, role=WorkerRole.WORKER, started_at=clock(), beat_at=clock(), until=until)
            await zj._parts.store.beat(beat)
        clock.advance(timedelta(seconds=60))
        told = await zj.measure()
        assert told.value("zhiji_worker_processes", state="alive") == 1
        assert told.value("zhiji_worker_processes", state="missing") == 1


async def test_a_store_that_fails_leaves_the_gauges_unknown(open_zhiji: Open) -> None:
    """Gauges from a store that cannot be read are not a number; nothing is raised, the counters stay."""
    async with open_zhiji("好") as zj:
        await zj.chat("u1", "你好")
    with pytest.raises(StoreError):
        await zj.jobs.list()
    told = await zj.measure()
    assert math.isnan(told.value("zhiji_job_age_seconds"))
    assert told.value("zhiji_turns_total") == 1
