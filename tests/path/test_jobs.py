"""Background work that is interrupted, killed, retried or overtaken by a deletion: nothing lost, doubled or brought back."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import replace
from datetime import timedelta

import pytest

from processes import Child
from talk import OK, Open, Scripted, call, contents, fact, known, said, say
from zhiji import Zhiji
from zhiji.errors import ExtractionFailed, IdempotencyMismatch, ModelError, NotFound
from zhiji.extract import Increment, Proposal
from zhiji.testing import FrozenClock, HashEmbedder, ScriptedModel
from zhiji.types import Completion, JobStatus, Status

# --- overtaken by a deletion ----------------------------------------------------------------------------------------


class Meanwhile(Scripted):
    """An extractor during whose work something else happens."""

    happens = "nothing"
    zj: Zhiji

    async def extract(self, increment: Increment) -> Proposal:
        proposal = await super().extract(increment)
        happening, self.happens = self.happens, "nothing"
        if happening == "erase":
            await self.zj.erase("u1")
        elif happening == "delete":
            for memory in await self.zj.memories.list("u1"):
                await self.zj.memories.delete("u1", memory.id)
        elif happening == "correct":
            for memory in await self.zj.memories.list("u1"):
                await self.zj.memories.correct("u1", memory.id, "用户住在上海", "打电话说的")
        elif happening == "end":
            for session in await self.zj.sessions.list("u1"):
                await self.zj.sessions.end("u1", session)
        return proposal


HOME = fact("用户住在杭州", key="identity:city")


@pytest.mark.parametrize(
    ("happens", "left"), [("erase", []), ("delete", []), ("correct", ["用户住在上海"]), ("end", ["用户住在杭州"])]
)
async def test_what_happens_during_an_extraction_is_honoured(open_zhiji: Open, happens: str, left: list[str]) -> None:
    """Erased, deleted or corrected while the same words are read once more: they do not come back (C076)."""
    extractor = Meanwhile([HOME], [HOME], [HOME], [HOME])
    async with open_zhiji(*OK, extractor_object=extractor) as zj:
        extractor.zj = zj
        session = await say(zj, "我住在杭州")
        assert await known(zj) == ["用户住在杭州"]
        extractor.happens = happens
        await zj.chat("u1", "嗯 👌", session=session)
        await zj.drain()
        assert extractor.happens == "nothing"
        assert await known(zj) == left
        assert await zj.jobs.list("u1", statuses=["dead", "pending", "running"]) == []
        await zj.drain()
        assert await known(zj) == left


async def test_an_early_drain_does_not_wait_for_silence(open_zhiji: Open) -> None:
    """A model extracts after a silence; an early drain of one user has that user's words read at once, nobody else's."""
    answer = '[{"type":"preference","content":"用户不吃香菜🌿","confidence":0.9}]'
    async with open_zhiji("好", "好", answer, extractor="model", episodes="off") as zj:
        for user in ("u1", "u2"):
            await zj.chat(user, "我不吃香菜🌿")
        await zj.drain("u1")
        assert await known(zj) == []
        await zj.drain("u1", early=True)
        assert await known(zj) == ["用户不吃香菜🌿"]
        assert [job.scope.user for job in await zj.jobs.list(statuses=["pending"])] == ["u2"]


async def test_forgetting_overtakes_what_is_queued(open_zhiji: Open, clock: FrozenClock) -> None:
    """Asked to forget before the words were ever read: once the worker runs, nothing of them is remembered (C076)."""
    async with open_zhiji(*OK) as zj:
        session = (await zj.chat("u1", "我住在杭州，身份证 11010519491231002X")).session_id
        await zj.chat("u1", "忘掉我住在杭州", session=session)
        await zj.drain()
        assert not [content for content in await known(zj) if "杭州" in content]
        everything = contents(await zj.memories.list("u1", statuses=list(Status)))
        assert not [content for content in everything if "11010519491231002X" in content]


async def test_an_erased_users_work_is_gone_with_them(open_zhiji: Open) -> None:
    """Jobs of every kind that wait when a user is erased do nothing later; other users' are done (C076)."""
    async with open_zhiji(*OK, embedder=HashEmbedder(), max_history_turns=2, keep_recent_turns=1) as zj:
        for user in ("u1", "u2"):
            session = (await zj.chat(user, "我住在杭州")).session_id
            await zj.chat(user, "还在吗", session=session)
            await zj.sessions.end(user, session)
        await zj.remember("u1", "用户爱喝茶", type="preference")
        assert {job.kind for job in await zj.jobs.list("u1")} == {"sediment", "compact", "embed"}
        await zj.erase("u1")
        await zj.drain()
        assert await zj.jobs.list("u1") == []
        assert await zj.memories.list("u1", statuses=list(Status)) == []
        assert await known(zj, "u2") == ["用户住在杭州"]


# --- retried --------------------------------------------------------------------------------------------------------


async def test_a_client_that_lost_patience_gets_the_one_answer(open_zhiji: Open) -> None:
    """It gives up, and repeats three times, at once and after a restart: one effect; another body is refused (C145)."""
    refunds: list[str] = []
    thinking = asyncio.Event()

    async def model(messages: list[dict[str, str]], tools: object) -> Completion:
        if messages[-1]["role"] == "user":
            return call("refund", '{"order_id": "OD1"}')
        if not thinking.is_set():
            thinking.set()
            await asyncio.Event().wait()
        return Completion(text=f"退好了 {len(refunds)}")

    def offer(zj: Zhiji) -> None:
        @zj.tool(effects="write")
        def refund(order_id: str) -> str:
            """Refund an order."""
            refunds.append(order_id)
            return "refunded"

    async with open_zhiji(model=model, busy_wait_seconds=5) as zj:
        offer(zj)
        session = (await zj.sessions.start("u1")).id
        impatient = asyncio.create_task(zj.chat("u1", "给 OD1 退款", session=session, idempotency_key="k"))
        await thinking.wait()
        impatient.cancel()
        with pytest.raises(asyncio.CancelledError):
            await impatient
        retries = (zj.chat("u1", "给 OD1 退款", session=session, idempotency_key="k") for _ in range(3))
        replies = await asyncio.gather(*retries)
        assert sorted(reply.replayed for reply in replies) == [False, True, True]
    async with open_zhiji(model=model) as zj:
        offer(zj)
        again = await zj.chat("u1", "给 OD1 退款", idempotency_key="k")
        assert again.replayed
        assert {reply.text for reply in [*replies, again]} == {"退好了 1"}
        assert refunds == ["OD1"]
        assert [role for role, _ in await said(zj, session)] == ["user", "assistant", "tool", "assistant"]
        for other in ("给 OD2 退款", "给 OD1 退款 ", "給 OD1 退款"):
            with pytest.raises(IdempotencyMismatch):
                await zj.chat("u1", other, idempotency_key="k")


async def test_two_processes_retry_at_once(open_zhiji: Open, children: list[Child]) -> None:
    """The same message under the same key from two processes is one turn (C145)."""
    async with open_zhiji() as zj:
        session = (await zj.sessions.start("u1")).id
        for child in children:
            child.tell("chat", session, "k1", "退款199元")
        turns = {child.answer() for child in children}
        assert len(turns) == 1
        assert turns.pop().startswith("trn_")
        assert await said(zj, session) == [("user", "退款199元"), ("assistant", "答退款199元")]
        children[0].tell("chat", session, "k1", "退款299元")
        assert children[0].answer() == "idempotency_mismatch"


async def test_telling_the_same_again_at_once_is_one_memory(open_zhiji: Open) -> None:
    """A program that repeats itself without any key, concurrently and after a restart, adds one row (C145)."""
    async with open_zhiji() as zj:
        await asyncio.gather(*(zj.remember("u1", "用户爱喝龙井茶 🍵", type="preference") for _ in range(4)))
        await asyncio.gather(*(zj.remember("u1", "订单已付款", type="order", key="OD1") for _ in range(4)))
    async with open_zhiji() as zj:
        await zj.remember("u1", "用户爱喝龙井茶 🍵", type="preference")
        assert await known(zj) == ["用户爱喝龙井茶 🍵", "订单已付款"]
        assert len(await zj.memories.list("u1", statuses=list(Status))) == 2


# --- killed ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
async def test_work_of_a_killed_process_is_done_by_the_next(
    open_zhiji: Open, child: Child, how: signal.Signals
) -> None:
    """Killed in the middle of an extraction, the rest still queued: the next opening does all of it, once (C147, C150)."""
    words = {"u0": "我叫李四", "u1": "我住在杭州", "u2": "我对花生过敏", "u3": "我喜欢喝龙井茶"}
    async with open_zhiji(*OK) as zj:
        for user, said_by in words.items():
            await zj.ingest(user, [{"role": "user", "content": said_by}, {"role": "assistant", "content": "好"}])
    child.tell("work")
    assert child.answer() == "extracting"
    child.kill(how)
    async with open_zhiji() as zj:
        statuses = [job.status for job in await zj.jobs.list()]
        assert statuses.count(JobStatus.PENDING) + statuses.count(JobStatus.RUNNING) == 4
        await zj.drain()
        assert {job.status for job in await zj.jobs.list()} == {JobStatus.DONE}
        for user in words:
            assert len(await zj.memories.list(user)) == 1
            assert [outcome.outcome for outcome in await zj.jobs.extractions(user)] == ["written"]


async def test_a_lease_that_runs_out_frees_the_job(open_zhiji: Open, child: Child, clock: FrozenClock) -> None:
    """Even if nobody notices the death, the job runs again when its lease is over; its age shows meanwhile (C150)."""
    async with open_zhiji(*OK) as zj:
        await zj.chat("u1", "我叫李四")
        child.tell("work")
        assert child.answer() == "extracting"
        child.kill()
        (stuck,) = await zj.jobs.list("u1")
        assert stuck.status is JobStatus.RUNNING
        assert stuck.created_at <= clock()
        clock.advance(timedelta(seconds=zj.settings.lease_seconds))
        await zj.drain()
        assert await known(zj) == ["用户叫李四"]
        assert [job.status for job in await zj.jobs.list("u1")] == [JobStatus.DONE]


async def test_vectors_follow_after_a_restart(open_zhiji: Open) -> None:
    """Stopped between a memory and its vector: the vector is made later, the memory is findable meanwhile (C150)."""
    async with open_zhiji(*OK, embedder=HashEmbedder(failures=None), job_attempts=9) as zj:
        await zj.chat("u1", "我叫李四，我住在杭州")
        await zj._worker.run_one()
        assert [(job.kind, job.status) for job in await zj.jobs.list("u1", statuses=["pending"])] == [
            ("embed", "pending")
        ]
        assert (await zj.recall("u1", "杭州", types=["identity"]))[0].via == "keyword"
    async with open_zhiji(embedder=HashEmbedder()) as zj:
        await zj.drain()
        assert (await zj.recall("u1", "住在杭州", types=["identity"]))[0].via in ("both", "vector")


async def test_closing_waits_for_the_running_job_only(open_zhiji: Open) -> None:
    """Closing finishes what runs and leaves the rest queued, for the next opening (C147)."""
    running = asyncio.Event()

    class Slow(Scripted):
        async def extract(self, increment: Increment) -> Proposal:
            running.set()
            await asyncio.sleep(0.05)
            return await super().extract(increment)

    async with open_zhiji(extractor_object=Slow([HOME], [HOME], [HOME]), worker=True) as zj:
        for user in ("u1", "u2", "u3"):
            await zj.ingest(user, [{"role": "user", "content": "我住在杭州"}])
        await running.wait()
    async with open_zhiji(extractor_object=Scripted([HOME], [HOME], [HOME])) as zj:
        before = [job.status for job in await zj.jobs.list()]
        assert JobStatus.RUNNING not in before
        assert before.count(JobStatus.DONE) >= 1
        await zj.drain()
        for user in ("u1", "u2", "u3"):
            assert await known(zj, user) == ["用户住在杭州"]


class Hanging(Scripted):
    """An extractor that answers the first time only when it is too late."""

    def __init__(self) -> None:
        super().__init__([HOME])
        self.asked = asyncio.Event()

    async def extract(self, increment: Increment) -> Proposal:
        if not self.asked.is_set():
            self.asked.set()
            await asyncio.Event().wait()
        return await super().extract(increment)


async def test_closing_does_not_wait_for_ever(open_zhiji: Open) -> None:
    """A job that hangs is given ``drain_seconds``, then back: due for the next opening, no attempt used up (C147)."""
    extractor = Hanging()
    async with open_zhiji(*OK, extractor_object=extractor, worker=True, drain_seconds=0.1) as zj:
        await zj.chat("u1", "我住在杭州")
        await extractor.asked.wait()
    async with open_zhiji(extractor_object=extractor) as zj:
        (job,) = await zj.jobs.list("u1")
        assert (job.status, job.attempts) == (JobStatus.PENDING, 0)
        await zj.drain()
        assert await known(zj) == ["用户住在杭州"]


async def test_an_extractor_that_hangs_holds_nobody_up(open_zhiji: Open) -> None:
    """Its time-out is a failed outcome like any other; other users' jobs run, and the next attempt succeeds (C148)."""
    async with open_zhiji(*OK, extractor_object=Hanging(), model_timeout_seconds=0.05) as zj:
        await say(zj, "我住在杭州")
        assert [outcome.outcome for outcome in await zj.jobs.extractions("u1")] == ["written", "failed"]
        assert await known(zj) == ["用户住在杭州"]


# --- failing --------------------------------------------------------------------------------------------------------


async def test_the_watermark_moves_with_the_results_only(open_zhiji: Open) -> None:
    """Queued, failing, dead: the session counts as unread; replayed: every fact of twenty turns is there (C148)."""
    steps = [ExtractionFailed(), RuntimeError("bug"), ModelError()]
    facts = [fact(f"用户收藏了第 {n} 本书", key=f"event:book{n}", type="event", seq=2 * n - 1) for n in range(1, 21)]
    extractor = Scripted(*steps, facts)
    async with open_zhiji(*OK, extractor_object=extractor, job_attempts=3) as zj:
        turns = [{"role": role, "content": f"第 {n} 本书"} for n in range(1, 21) for role in ("user", "assistant")]
        session = (await zj.ingest("u1", turns)).id
        assert (await zj.sessions.get("u1", session)).extracted_upto == 0
        await zj.drain()
        (dead,) = await zj.jobs.list("u1", statuses=["dead"])
        assert "书" not in dead.error
        assert [one.outcome for one in await zj.jobs.extractions("u1")] == ["failed"] * 3
        assert (await zj.sessions.get("u1", session)).extracted_upto == 0
        assert await known(zj) == []
        await zj.jobs.replay("u1", dead.id)
        await zj.drain()
        assert len(await known(zj)) == 20
        assert (await zj.sessions.get("u1", session)).extracted_upto == 40


async def test_a_new_turn_takes_the_dead_jobs_words_along(open_zhiji: Open) -> None:
    """After a job died, the next turn's job reads what it left unread (C148, C150)."""
    extractor = Scripted(ExtractionFailed(), [fact("用户叫李四", key="identity:name"), replace(HOME, seqs=(3,))])
    async with open_zhiji(*OK, extractor_object=extractor, job_attempts=1) as zj:
        session = await say(zj, "我叫李四")
        assert await known(zj) == []
        await say(zj, "我住在杭州", session=session)
        assert await known(zj) == ["用户住在杭州", "用户叫李四"]
        assert [message.seq for message in extractor.increments[-1].messages] == [1, 2, 3, 4]


async def test_jobs_say_what_became_of_them_without_words(open_zhiji: Open) -> None:
    """A dead job's error names the kind of failure and nothing the user said (C108, C160)."""
    model = ScriptedModel(OK)
    extractor = Scripted(RuntimeError("could not read: 我的电话 13812345678"))
    async with open_zhiji(model=model, extractor_object=extractor, job_attempts=1) as zj:
        await say(zj, "我的电话 13812345678", user="shop-beta")
        (dead,) = await zj.jobs.list("shop-beta", statuses=["dead"])
        assert dead.error.startswith("extraction_failed: the extractor failed (RuntimeError)")
        assert "13812345678" not in str(await zj.jobs.list())
        with pytest.raises(NotFound):
            await zj.jobs.replay("shop", dead.id)
