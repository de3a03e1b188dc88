"""Each thing that the doctor can find, brought about for real and found at the step where it broke."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from string import Formatter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from talk import OK, Open, Scripted, active, cells, fact, say
from zhiji import Settings, Zhiji, blocking
from zhiji.cli import zh
from zhiji.diagnosis import SENTENCES, Check, Diagnosis, Finding, Note, StepOf, Verdict
from zhiji.errors import ExtractionFailed, ModelTimeout
from zhiji.extract import Increment, Proposal
from zhiji.testing import FrozenClock, HashEmbedder, ScriptedModel
from zhiji.types import Draft, Memory

PEANUTS = fact("用户对花生过敏 🥜", key="identity:allergy.花生")
RETURN = fact("订单 OD20240415008 想退货", key="order:OD20240415008", type="order")


def found(diagnosis: Diagnosis, step: str) -> tuple[str, str]:
    """Verdict and finding of one step."""
    check = at(diagnosis, step)
    return str(check.status), str(check.finding)


def at(diagnosis: Diagnosis, step: str) -> Check:
    return next(check for check in diagnosis.steps if check.step == step)


def notes(diagnosis: Diagnosis) -> Iterator[Check | Note]:
    for check in diagnosis.steps:
        yield check
        yield from check.others


def every(diagnosis: Diagnosis) -> set[str]:
    """Every finding of every step."""
    return {str(one.finding) for one in notes(diagnosis)}


def words(diagnosis: Diagnosis) -> str:
    """Everything that the diagnosis says."""
    return "\n".join(f"{one.what} {one.advice} {dict(one.facts)}" for one in notes(diagnosis))


# --- input ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("user", ["", "  ", "\t\n", "x" * 300, "u\x00", "\ud800"])
async def test_a_user_id_that_is_none(open_zhiji: Open, user: str) -> None:
    """A blank, overlong or broken user id is the first thing that broke, and nothing else is looked at."""
    async with open_zhiji() as zj:
        diagnosis = await zj.doctor(user, None, "你好")
        assert diagnosis.broken is StepOf.INPUT
        assert found(diagnosis, "input") == ("broken", "user_invalid")
        assert [found(diagnosis, step) for step in ("session", "memory", "context")] == [
            ("skipped", "not_examined")
        ] * 3


@pytest.mark.parametrize(
    ("typed", "signs"),
    [
        ("u1 ", ("surrounding spaces",)),
        ("ｕ１", ("full-width or compatibility characters",)),
        ("u1\u200b", ("invisible characters",)),
        ("user-1", ()),
    ],
)
async def test_a_changed_user_id(open_zhiji: Open, typed: str, signs: tuple[str, ...]) -> None:
    """An id of whom nothing is stored broke the input; what looks odd in it as typed is said, nobody else is looked up."""
    async with open_zhiji(*OK) as zj:
        session = await say(zj, "我对花生过敏")
        diagnosis = await zj.doctor(typed, session, "我能吃花生酱吗")
        assert found(diagnosis, "input") == ("broken", "user_unknown")
        assert "another user" in at(diagnosis, "input").advice
        assert ("user_altered" in every(diagnosis)) is bool(signs)
        assert [one.facts["signs"] for one in at(diagnosis, "input").others] == ([signs] if signs else [])


@pytest.mark.parametrize("message", ["", " ", "　\n", "\u200b"])
async def test_an_empty_message(open_zhiji: Open, message: str) -> None:
    """A message without a visible character broke the input, full-width spaces included."""
    async with open_zhiji(*OK) as zj:
        session = await say(zj, "你好")
        assert found(await zj.doctor("u1", session, message), "input") == ("broken", "message_empty")


@pytest.mark.parametrize("message", ["退货" * 5000, "return " * 10_000, "长" * 1_000_001], ids=["zh", "en", "million"])
async def test_a_message_too_large(open_zhiji: Open, message: str) -> None:
    """A message that alone fills the window broke the input, with what the window leaves."""
    async with open_zhiji(*OK) as zj:
        await say(zj, "你好")
        diagnosis = await zj.doctor("u1", None, message)
        assert found(diagnosis, "input") == ("broken", "message_too_large")
        assert at(diagnosis, "input").facts["limit"] == 7000


async def test_a_session_id_that_changes_each_time(open_zhiji: Open, clock: FrozenClock) -> None:
    """Sessions of one turn each within minutes: the client does not send back what it was given (article S8.2)."""
    async with open_zhiji(*OK, extractor_object=Scripted()) as zj:
        for word in ("我在吗", "查一下物流", "到哪了"):
            session = await say(zj, word)
            clock.advance(timedelta(minutes=1))
        diagnosis = await zj.doctor("u1", None, "我刚才问了什么")
        assert diagnosis.broken is StepOf.INPUT
        assert found(diagnosis, "input") == ("broken", "session_changes")
        assert at(diagnosis, "input").facts["sessions"] == 3
        assert found(await zj.doctor("u1", "ses_other", "我刚才问了什么"), "input") == ("broken", "session_changes")
        assert found(await zj.doctor("u1", session, "我刚才问了什么"), "input") == ("warning", "session_changes")


async def test_sessions_far_apart_are_no_pattern(open_zhiji: Open, clock: FrozenClock) -> None:
    """One question a day in a session of its own is how people ask; that no session is named is only said."""
    async with open_zhiji(*OK, extractor_object=Scripted()) as zj:
        for word in ("在吗", "物流到哪了", "hello 👋"):
            await say(zj, word)
            clock.advance(timedelta(days=1))
        assert found(await zj.doctor("u1", None, "我的包裹呢"), "input") == ("warning", "session_not_given")


# --- session --------------------------------------------------------------------------------------------------------


async def test_unknown_and_foreign_sessions_are_one_finding(open_zhiji: Open) -> None:
    """Nobody's session, somebody else's and one of odd characters: word for word the same diagnosis (C020)."""
    async with open_zhiji(*OK) as zj:
        foreign = await say(zj, "我对花生过敏", user="u2")
        await say(zj, "你好")
        diagnoses = [await zj.doctor("u1", id, "我对什么过敏") for id in (foreign, "ses_nobody", "", "*", "\ud800")]
        assert found(diagnoses[0], "session") == ("broken", "session_unknown")
        assert diagnoses[0].broken is StepOf.SESSION
        assert all(one == diagnoses[0] for one in diagnoses)


async def test_an_expired_session(open_zhiji: Open, clock: FrozenClock) -> None:
    """What only the session held is lost with it: when it expired, after how long, and who carries on."""
    async with open_zhiji(*OK, extractor_object=Scripted()) as zj:
        session = await say(zj, "在吗")
        clock.advance(timedelta(minutes=31))
        diagnosis = await zj.doctor("u1", session, "what did I just say?")
        assert diagnosis.broken is StepOf.SESSION
        assert found(diagnosis, "session") == ("broken", "session_expired")
        check = at(diagnosis, "session")
        assert (check.facts["ttl_seconds"], check.facts["resumed_by"]) == (1800, None)
        assert "2025-06-01 09:30 UTC" in check.what
        assert "ZHIJI_SESSION_TTL_SECONDS" in check.advice
        later = (await zj.chat("u1", "还在吗", session=session)).session_id
        assert at(await zj.doctor("u1", session, "what?"), "session").facts["resumed_by"] == later


async def test_an_expired_session_of_a_service_set_up_otherwise(open_zhiji: Open, clock: FrozenClock) -> None:
    """The idle time is the one that the session had, whatever the settings of the process that asks."""
    async with open_zhiji(*OK, session_ttl_seconds=60) as served:
        session = await say(served, "在吗 🙋")
    clock.advance(timedelta(minutes=2))
    async with open_zhiji() as zj:
        check = at(await zj.doctor("u1", session, "what did I just say?"), "session")
    assert (check.finding, check.facts["ttl_seconds"]) == ("session_expired", 60)


async def test_an_expired_session_is_no_break_if_memory_carries_on(open_zhiji: Open, clock: FrozenClock) -> None:
    """Two days later the session is gone, the order is remembered, and the model is given it: nothing broke (article S7.3)."""
    async with open_zhiji(*OK) as zj:
        session = await say(zj, "我叫李四，订单 OD20240415008 想退货，退货地址是什么")
        clock.advance(timedelta(days=2))
        diagnosis = await zj.doctor("u1", session, "我把那个退货寄走了，地址没问题吧", expect="OD20240415008")
        assert diagnosis.broken is None
        assert found(diagnosis, "session") == ("warning", "session_expired")
        assert found(diagnosis, "memory") == ("ok", "memory_recalled")
        assert found(diagnosis, "context") == ("ok", "given")


async def test_a_session_that_expired_after_the_message(open_zhiji: Open, clock: FrozenClock) -> None:
    """A message that was sent while the session was live did not fail because it is over by now."""
    async with open_zhiji(*OK, extractor_object=Scripted()) as zj:
        session = await say(zj, "我刚才问了什么？")
        clock.advance(timedelta(hours=3))
        diagnosis = await zj.doctor("u1", session, "我刚才问了什么？")
        assert found(diagnosis, "session") == ("warning", "session_expired")


async def test_an_ended_session(open_zhiji: Open) -> None:
    """A session that was ended before its time is told from one that expired."""
    async with open_zhiji(*OK, extractor_object=Scripted()) as zj:
        session = await say(zj, "在吗")
        await zj.sessions.end("u1", session)
        assert found(await zj.doctor("u1", session, "我说了什么"), "session") == ("broken", "session_ended")


async def test_a_new_session(open_zhiji: Open) -> None:
    """Without a session there is nothing to look at: a new one begins."""
    async with open_zhiji(*OK) as zj:
        await say(zj, "在吗", "在的")
        assert found(await zj.doctor("u1", None, "你好"), "session") == ("skipped", "session_new")


async def test_a_running_and_a_stuck_turn(open_zhiji: Open, clock: FrozenClock) -> None:
    """An open turn is running until its lease runs out, and stuck from then on."""
    async with open_zhiji(*OK, extractor_object=Scripted()) as zj:
        session = await say(zj, "你好")
        async with zj.turn("u1", "我对花生过敏", session=session) as turn:
            diagnosis = await zj.doctor("u1", session, "在吗？")
            assert found(diagnosis, "session") == ("warning", "turn_running")
            assert at(diagnosis, "session").facts["lease_until"] == clock() + timedelta(seconds=30)
            clock.advance(timedelta(seconds=30))
            diagnosis = await zj.doctor("u1", session, "在吗？")
            assert found(diagnosis, "session") == ("warning", "turn_stuck")
            turn.reply = "好"
        assert found(await zj.doctor("u1", session, "在吗？"), "session") == ("ok", "session_live")


async def test_a_failed_turn(open_zhiji: Open) -> None:
    """The turn of this very message failed: the code says why, and its words are neither sent nor remembered."""
    async with open_zhiji("好的", ModelTimeout()) as zj:
        session = await say(zj, "你好")
        with pytest.raises(ModelTimeout):
            await zj.chat("u1", "我对花生过敏", session=session)
        diagnosis = await zj.doctor("u1", session, "我对花生过敏", expect="花生")
        assert diagnosis.broken is StepOf.SESSION
        assert found(diagnosis, "session") == ("broken", "turn_failed")
        assert at(diagnosis, "session").facts["code"] == "model_timeout"
        assert found(diagnosis, "memory") == ("broken", "said_in_failed_turn")
        diagnosis = await zj.doctor("u1", session, "我能吃花生酱吗？")
        assert found(diagnosis, "session") == ("warning", "turn_failed")
        assert diagnosis.broken is StepOf.MEMORY


# --- memory: never extracted ----------------------------------------------------------------------------------------


QUESTIONS = [
    ("我对花生过敏", "我能吃花生酱吗？", None),
    ("I am allergic to peanuts", "Can I eat peanuts?", "ｐｅａｎｕｔｓ"),
]
"""What was said, what is asked in another session, what is expected."""


@pytest.mark.parametrize(("said", "asked", "expect"), QUESTIONS)
async def test_nobody_works(open_zhiji: Open, clock: FrozenClock, said: str, asked: str, expect: str | None) -> None:
    """Said, answered, never read: the job is due since then and no worker runs."""
    async with open_zhiji(*OK) as zj:
        session = (await zj.chat("u1", said)).session_id
        diagnosis = await zj.doctor("u1", None, asked, expect=expect)
        assert diagnosis.broken is StepOf.MEMORY
        assert found(diagnosis, "memory") == ("broken", "worker_missing")
        assert "zhiji worker" in at(diagnosis, "memory").advice
        facts = at(diagnosis, "memory").facts
        assert (facts["session"], facts["seq"], facts["since"], facts["last_beat"]) == (session, 1, clock(), None)


async def test_the_same_words_in_the_history_are_given(open_zhiji: Open) -> None:
    """In the session in which it was said the model reads it in the history, so that nothing broke."""
    async with open_zhiji(*OK) as zj:
        session = (await zj.chat("u1", "我对花生过敏")).session_id
        diagnosis = await zj.doctor("u1", session, "我能吃花生酱吗？")
        assert diagnosis.broken is None
        assert found(diagnosis, "memory") == ("warning", "worker_missing")
        assert at(diagnosis, "context").facts["place"] == "history"


async def test_a_worker_that_is_there(open_zhiji: Open, clock: FrozenClock) -> None:
    """While a worker lives, what is due merely waits its turn; its words may be read in a moment."""
    extractor = Waiting()
    async with open_zhiji(*OK, extractor_object=extractor, worker=True) as zj:
        await zj.chat("u1", "我对花生过敏")
        await extractor.begun.wait()
        diagnosis = await zj.doctor("u1", None, "我能吃花生酱吗？")
        assert found(diagnosis, "memory") == ("broken", "job_running")
        extractor.go.set()
        await zj.drain()
        assert found(await zj.doctor("u1", None, "我能吃花生酱吗？"), "memory")[0] == "ok"


class Waiting(Scripted):
    """An extractor that waits until it is told to go on."""

    def __init__(self) -> None:
        super().__init__([PEANUTS])
        self.begun, self.go = asyncio.Event(), asyncio.Event()

    async def extract(self, increment: Increment) -> Proposal:
        self.begun.set()
        await self.go.wait()
        return await super().extract(increment)


async def test_a_worker_elsewhere(open_zhiji: Open, clock: FrozenClock) -> None:
    """Another process that runs jobs counts while its beats come; when they stop, it is missing, and since when is told."""
    extractor = Waiting()
    async with (
        open_zhiji(*OK, extractor_object=extractor, worker=True) as other,
        open_zhiji() as zj,
    ):
        await other.chat("u1", "我对花生过敏")
        await extractor.begun.wait()
        assert found(await zj.doctor("u1", None, "我能吃花生酱吗？"), "memory") == ("broken", "job_running")
        last = clock()
        clock.advance(timedelta(minutes=2))
        diagnosis = await zj.doctor("u1", None, "我能吃花生酱吗？")
        assert found(diagnosis, "memory") == ("broken", "worker_missing")
        assert at(diagnosis, "memory").facts["last_beat"] == last
        extractor.go.set()


class Patient(Scripted):
    """A model's extractor, which is asked after some silence only."""

    every_turn = False


async def test_a_job_that_waits_for_silence(open_zhiji: Open, clock: FrozenClock) -> None:
    """A model extractor runs after a minute of silence: until then its job is pending, with the time it is due."""
    async with open_zhiji(*OK, extractor_object=Patient([PEANUTS]), worker=True) as zj:
        await zj.chat("u1", "我对花生过敏")
        diagnosis = await zj.doctor("u1", None, "我能吃花生酱吗？")
        assert found(diagnosis, "memory") == ("broken", "job_pending")
        assert at(diagnosis, "memory").facts["run_at"] == clock() + timedelta(seconds=60)


async def test_a_failed_extraction_is_retried(open_zhiji: Open) -> None:
    """The extractor's answer could not be read: the reason is told, and that the job comes again."""
    extractor = Scripted(ExtractionFailed("the answer is no JSON"), [PEANUTS])
    async with open_zhiji(*OK, extractor_object=extractor, worker=True) as zj:
        await zj.chat("u1", "我对花生过敏")
        while not extractor.increments or not await zj.jobs.list("u1", statuses=["pending"]):
            await asyncio.sleep(0)
        diagnosis = await zj.doctor("u1", None, "我能吃花生酱吗？")
        assert found(diagnosis, "memory") == ("broken", "extraction_failed")
        assert at(diagnosis, "memory").facts["reason"] == "the answer is no JSON"


async def test_a_dead_job(open_zhiji: Open) -> None:
    """A job that gave up is named, with its error and the command that runs it again."""
    async with open_zhiji(*OK, extractor_object=Scripted(ExtractionFailed()), job_attempts=1) as zj:
        await say(zj, "我对花生过敏")
        (dead,) = await zj.jobs.list("u1", statuses=["dead"])
        diagnosis = await zj.doctor("u1", None, "我能吃花生酱吗？")
        assert found(diagnosis, "memory") == ("broken", "job_dead")
        assert f"zhiji jobs replay --user USER {dead.id}" in at(diagnosis, "memory").advice
        assert at(diagnosis, "memory").facts["error"] == dead.error


async def test_a_discarded_job(open_zhiji: Open) -> None:
    """Unread words without a job wait for the next turn of their session."""
    async with open_zhiji(*OK, extractor_object=Scripted(ExtractionFailed()), job_attempts=1) as zj:
        await say(zj, "我对花生过敏")
        (dead,) = await zj.jobs.list("u1", statuses=["dead"])
        await zj.jobs.discard("u1", dead.id)
        assert found(await zj.doctor("u1", None, "我能吃花生酱吗？"), "memory") == ("broken", "job_missing")


async def test_read_and_nothing_kept(open_zhiji: Open) -> None:
    """The extractor read it and made nothing of it: its name and outcome are told."""
    async with open_zhiji(*OK, extractor_object=Scripted([])) as zj:
        await say(zj, "我对花生过敏")
        diagnosis = await zj.doctor("u1", None, "我能吃花生酱吗？")
        assert found(diagnosis, "memory") == ("broken", "extraction_nothing")
        facts = at(diagnosis, "memory").facts
        assert (facts["extractor"], facts["outcome"], facts["written"]) == ("scripted", "nothing", 0)


class Partial(Scripted):
    """An extractor whose answer can be read in part."""

    async def extract(self, increment: Increment) -> Proposal:
        return replace(await super().extract(increment), partial=True, reasons=("one item was cut off",))


async def test_read_in_part(open_zhiji: Open) -> None:
    """An answer that was cut off left this out, and says why."""
    async with open_zhiji(*OK, extractor_object=Partial([])) as zj:
        await say(zj, "我对花生过敏")
        diagnosis = await zj.doctor("u1", None, "我能吃花生酱吗？")
        assert found(diagnosis, "memory") == ("broken", "extraction_partial")
        assert at(diagnosis, "memory").facts["reason"] == "one item was cut off"


async def test_a_question_gives_nothing_to_remember(open_zhiji: Open) -> None:
    """To have asked the same before, in whatever words, is not to have said it."""
    async with open_zhiji(*OK) as zj:
        await say(zj, "我的退货到哪了？", "退货要多久？")
        diagnosis = await zj.doctor("u1", None, "我那个退货的订单号是多少")
        assert diagnosis.broken is None
        assert found(diagnosis, "memory") == ("warning", "never_said")
        assert found(diagnosis, "context") == ("skipped", "nothing_to_give")


@pytest.mark.parametrize("expect", ["花生", "peanuts", "ＯＤ20240415008"])
async def test_what_was_never_said(open_zhiji: Open, expect: str) -> None:
    """Words that are expected and stand nowhere were never said under this id."""
    async with open_zhiji(*OK) as zj:
        await say(zj, "我叫李四")
        assert found(await zj.doctor("u1", None, "我是谁？", expect=expect), "memory") == ("broken", "never_said")


async def test_what_is_never_kept(open_zhiji: Open) -> None:
    """A number of an identity card is replaced at the entry; a phone number is kept masked and found so."""
    async with open_zhiji(*OK) as zj:
        await say(zj, "我的身份证 11010519491231002X，电话 13812345678")
        diagnosis = await zj.doctor("u1", None, "我的身份证号是多少", expect="身份证 11010519491231002X")
        assert {"never_kept"} <= every(diagnosis)
        diagnosis = await zj.doctor("u1", None, "我的电话是多少", expect="13812345678")
        assert {"kept_masked"} <= every(diagnosis)
        assert found(diagnosis, "context")[1] == "given"
        assert "11010519491231002X" not in words(diagnosis)


# --- memory: stored, but not active ---------------------------------------------------------------------------------


async def test_quarantined(open_zhiji: Open) -> None:
    """A doubtful fact waits: its reason is told, and how to release it; released, the model is given it."""
    async with open_zhiji(*OK, extractor_object=Scripted([replace(PEANUTS, confidence=0.3)])) as zj:
        await say(zj, "我好像对花生过敏")
        diagnosis = await zj.doctor("u1", None, "我能吃花生酱吗？")
        assert diagnosis.broken is StepOf.MEMORY
        assert found(diagnosis, "memory") == ("broken", "quarantined")
        facts = at(diagnosis, "memory").facts
        assert (facts["reason"], facts["content"]) == ("low confidence", PEANUTS.content)
        assert f"zhiji memories restore --user USER {facts['memory']}" in at(diagnosis, "memory").advice
        await zj.memories.restore("u1", str(facts["memory"]))
        diagnosis = await zj.doctor("u1", None, "我能吃花生酱吗？")
        assert diagnosis.broken is None


async def test_superseded(open_zhiji: Open, clock: FrozenClock) -> None:
    """A former value that is expected was superseded, when and by which; the present one is what is recalled."""
    async with open_zhiji() as zj:
        old = await zj.remember("u1", "用户住在杭州", type="identity", key="identity:city", value="杭州")
        clock.advance(timedelta(days=1))
        new = await zj.remember("u1", "用户住在上海", type="identity", key="identity:city", value="上海")
        diagnosis = await zj.doctor("u1", None, "我住哪里？", expect="杭州")
        assert found(diagnosis, "memory") == ("broken", "superseded")
        facts = at(diagnosis, "memory").facts
        assert (facts["memory"], facts["superseded_by"], facts["since"]) == (old.id, new.id, clock())
        diagnosis = await zj.doctor("u1", None, "我住在哪里？")
        assert (diagnosis.broken, found(diagnosis, "memory")) == (None, ("ok", "in_profile"))


async def test_retracted(open_zhiji: Open) -> None:
    """What the user took back without a new value no longer holds."""
    retraction = Draft(
        type="identity", content="用户不再住在杭州", key="identity:city", seqs=(3,), op="retract", lang="zh"
    )
    home = fact("用户住在杭州", key="identity:city")
    async with open_zhiji(*OK, extractor_object=Scripted([home], [retraction]), episodes="off") as zj:
        session = await say(zj, "我住在杭州")
        await say(zj, "我不住杭州了", session=session)
        assert found(await zj.doctor("u1", None, "我住哪里？", expect="杭州"), "memory") == ("broken", "retracted")


async def test_forgotten_by_policy(open_zhiji: Open, clock: FrozenClock) -> None:
    """Past its retention a memory is left out, with the day it was forgotten."""
    async with open_zhiji() as zj:
        memory = await zj.remember("u1", "喜欢蓝色 💙 跑鞋", type="event", importance=1)
        clock.advance(timedelta(days=60))
        diagnosis = await zj.doctor("u1", None, "喜欢什么跑鞋？")
        assert found(diagnosis, "memory") == ("broken", "forgotten")
        assert at(diagnosis, "memory").facts["since"] == memory.expires_at


async def test_deleted(open_zhiji: Open, clock: FrozenClock) -> None:
    """Deleted is deleted: the same words do not come back, and nothing of the content is told."""
    async with open_zhiji(*OK) as zj:
        await say(zj, "我的订单 OD20240415008 想退货")
        clock.advance(timedelta(minutes=5))
        for memory in await zj.memories.list("u1"):
            await zj.memories.delete("u1", memory.id)
        for expect in ("OD20240415008", None):
            diagnosis = await zj.doctor("u1", None, "我要退货的订单号是多少？", expect=expect)
            assert diagnosis.broken is StepOf.MEMORY
            assert found(diagnosis, "memory") == ("broken", "deleted")
            assert "OD20240415008" not in words(diagnosis)
        clock.advance(timedelta(days=60))
        await zj.sweep()
        diagnosis = await zj.doctor("u1", None, "我的订单号是多少？", expect="od-2024 0415008")
        assert found(diagnosis, "memory")[1] in ("deleted", "never_said")


async def test_the_only_memory_was_deleted(open_zhiji: Open) -> None:
    """A user of whom an operator told one thing and took it back is no unknown user, until erased."""
    async with open_zhiji(*OK) as zj:
        memory = await zj.remember("u1", "对花生过敏", type="preference")
        await zj.memories.delete("u1", memory.id)
        diagnosis = await zj.doctor("u1", None, "我对什么过敏？", expect="对花生过敏")
        assert found(diagnosis, "memory") == ("broken", "deleted")
        await zj.erase("u1")
        diagnosis = await zj.doctor("u1", None, "我对什么过敏？", expect="对花生过敏")
        assert found(diagnosis, "input") == ("broken", "user_unknown")


async def test_said_anew_after_a_deletion(open_zhiji: Open, clock: FrozenClock) -> None:
    """A newer statement counts: it waits to be read, whatever was deleted before it."""
    async with open_zhiji(*OK, extractor_object=Scripted([RETURN])) as zj:
        await say(zj, "我的订单 OD20240415008 想退货")
        (memory,) = (await active(zj)).values()
        await zj.memories.delete("u1", memory.id)
        clock.advance(timedelta(minutes=5))
        await zj.chat("u1", "再说一次：订单 OD20240415008 想退货")
        diagnosis = await zj.doctor("u1", None, "订单号是多少？", expect="OD20240415008")
        assert found(diagnosis, "memory") == ("broken", "worker_missing")


# --- memory: stored, but not recalled -------------------------------------------------------------------------------


async def test_recall_switched_off(open_zhiji: Open) -> None:
    """With a top-k of 0 nothing is recalled, however well it fits."""
    async with open_zhiji(*OK, extractor_object=Scripted([RETURN]), memory_top_k=0) as zj:
        await say(zj, "订单 OD20240415008 想退货")
        diagnosis = await zj.doctor("u1", None, "我要退货的订单号是多少？")
        assert diagnosis.broken is StepOf.MEMORY
        assert found(diagnosis, "memory") == ("broken", "recall_off")


async def remember(zj: Zhiji, *contents: str, type: str = "event", importance: int = 3) -> list[Memory]:
    return [await zj.remember("u1", content, type=type, importance=importance) for content in contents]


async def test_below_the_cut(open_zhiji: Open) -> None:
    """Better memories fill the k: rank, score, every term of it, and the lowest score that made it."""
    async with open_zhiji(memory_top_k=2) as zj:
        await remember(zj, "退货地址是文三路", "退货地址要写姓名和电话", importance=5)
        (low,) = await remember(zj, "退货的时候那里有只猫 🐱", importance=1)
        diagnosis = await zj.doctor("u1", None, "退货地址是什么？", expect="猫")
        assert diagnosis.broken is StepOf.MEMORY
        assert found(diagnosis, "memory") == ("broken", "below_the_cut")
        facts = at(diagnosis, "memory").facts
        assert (facts["memory"], facts["rank"], facts["k"]) == (low.id, 3, 2)
        recalled = await zj.recall("u1", "退货地址是什么？", k=2, explain=True)
        assert facts["cut"] == recalled[-1].score
        (third,) = [
            one for one in await zj.recall("u1", "退货地址是什么？", k=3, explain=True) if one.memory.id == low.id
        ]
        assert facts["score"] == third.score
        assert {name: facts[name] for name in ("similarity", "decay", "confidence")} == {
            name: third.terms[name] for name in ("similarity", "decay", "confidence")
        }
        assert facts["type_weight"] == third.terms["type"]


async def test_over_its_quota(open_zhiji: Open) -> None:
    """The quota of its type is full before the k is."""
    async with open_zhiji(memory_quota={"event": 1}) as zj:
        await remember(zj, "退货地址是文三路", importance=5)
        await remember(zj, "退货地址里有只猫", importance=1)
        diagnosis = await zj.doctor("u1", None, "退货地址是什么？", expect="猫")
        assert found(diagnosis, "memory") == ("broken", "over_quota")
        assert at(diagnosis, "memory").facts["quota"] == 1


@pytest.mark.parametrize(("asked", "expect"), [("晚饭吃什么好", "咖啡"), ("what is for dinner", "咖啡")])
async def test_not_relevant(open_zhiji: Open, asked: str, expect: str) -> None:
    """Stored, and nothing in common with the question: both similarities are told, also when no arm found it."""
    async with open_zhiji() as zj:
        await remember(zj, "早上喝咖啡 ☕")
        diagnosis = await zj.doctor("u1", None, asked, expect=expect)
        assert found(diagnosis, "memory") == ("broken", "not_relevant")
        assert (at(diagnosis, "memory").facts["keyword"], at(diagnosis, "memory").facts["vector"]) == (0.0, None)


async def test_behind_the_arms(open_zhiji: Open) -> None:
    """Each arm brings up twenty that fit better, so that it is not even a candidate."""
    async with open_zhiji() as zj:
        for n in range(25):
            await zj.remember("u1", f"退货地址是什么 {n} 号楼", type="order", key=f"OD{n}")
        await remember(zj, "这里很长很长地说到很多别的事情，最后才提到退货，还有一只猫")
        diagnosis = await zj.doctor("u1", None, "退货地址是什么？", expect="猫")
        assert found(diagnosis, "memory") == ("broken", "behind_the_arms")
        assert at(diagnosis, "memory").facts["candidates"] == 20


@pytest.mark.parametrize("asked", ["？？", "…", "---"])
async def test_nothing_asked(open_zhiji: Open, asked: str) -> None:
    """Punctuation asks for nothing."""
    async with open_zhiji() as zj:
        await remember(zj, "早上喝咖啡")
        assert found(await zj.doctor("u1", None, asked, expect="咖啡"), "memory") == ("broken", "nothing_asked")


async def test_a_failing_embedder(open_zhiji: Open) -> None:
    """While the embedder fails memories are found by keyword only, and that is said beside what follows from it."""
    async with open_zhiji(embedder=HashEmbedder(failures=None)) as zj:
        await remember(zj, "早上喝咖啡")
        diagnosis = await zj.doctor("u1", None, "晚饭吃什么好", expect="咖啡")
        assert found(diagnosis, "memory") == ("broken", "not_relevant")
        assert "embedder_failing" in every(diagnosis)


async def test_vectors_of_another_embedder_of_this_name(open_zhiji: Open) -> None:
    """Memories are found by keyword, and what to do about it is said beside what follows from it."""
    former, present = HashEmbedder(64), HashEmbedder(32)
    former.name = present.name = "same"
    async with open_zhiji(embedder=former) as zj:
        await remember(zj, "早上喝咖啡")
        await zj.drain()
    async with open_zhiji(embedder=present) as zj:
        diagnosis = await zj.doctor("u1", None, "晚饭吃什么好", expect="咖啡")
        assert "vectors_unfit" in every(diagnosis)
        await zj.reindex("u1")
        assert "vectors_unfit" not in every(await zj.doctor("u1", None, "晚饭吃什么好", expect="咖啡"))


async def test_a_vector_that_is_not_made_yet(open_zhiji: Open) -> None:
    """Before the job that embeds has run, a memory lacks its vector; afterwards it has its similarity."""
    async with open_zhiji(embedder=HashEmbedder()) as zj:
        await remember(zj, "早上喝咖啡")
        diagnosis = await zj.doctor("u1", None, "晚饭吃什么好", expect="咖啡")
        assert "vector_missing" in every(diagnosis)
        await zj.drain()
        diagnosis = await zj.doctor("u1", None, "晚饭吃什么好", expect="咖啡")
        assert "vector_missing" not in every(diagnosis)
        assert isinstance(at(diagnosis, "memory").facts["vector"], float)


# --- context --------------------------------------------------------------------------------------------------------


async def test_given(open_zhiji: Open) -> None:
    """Remembered, recalled and sent: if the answer is wrong, it is the model or the prompt (article S8.2)."""
    async with open_zhiji(*OK) as zj:
        session = await say(zj, "订单 OD20240415008 想退货", "好")
        diagnosis = await zj.doctor("u1", session, "我那个退货的订单号是多少")
        assert diagnosis.broken is None
        assert [str(check.status) for check in diagnosis.steps] == ["ok"] * 4
        assert found(diagnosis, "input")[1] == "request_complete"
        assert "look at the model" in at(diagnosis, "context").advice


async def test_given_only_now(open_zhiji: Open, clock: FrozenClock) -> None:
    """What was remembered after the question was asked was not sent with it."""
    async with open_zhiji(*OK) as zj:
        await zj.chat("u1", "我的订单 OD20240415008 想退货")
        asked = await zj.chat("u1", "我那个退货的订单号是多少")
        clock.advance(timedelta(minutes=1))
        await zj.drain()
        diagnosis = await zj.doctor("u1", asked.session_id, "我那个退货的订单号是多少")
        assert found(diagnosis, "context") == ("warning", "given_only_now")
        assert at(diagnosis, "context").facts["asked_at"] == clock() - timedelta(minutes=1)


async def test_dropped_by_the_ladder(open_zhiji: Open) -> None:
    """Recalled, and left out to fit the window: the rung, what it removed, and why."""
    async with open_zhiji(max_context_tokens=560, reply_reserve_tokens=100) as zj:
        await remember(zj, *("退货地址 " + "文" * 60 + str(n) for n in range(3)), importance=5)
        (low,) = await remember(zj, "退货地址里有只猫" + "咪" * 60, importance=1)
        diagnosis = await zj.doctor("u1", None, "退货地址是什么？", expect="猫")
        assert diagnosis.broken is StepOf.CONTEXT
        assert found(diagnosis, "memory") == ("ok", "memory_recalled")
        assert found(diagnosis, "context") == ("broken", "dropped_by_ladder")
        facts = at(diagnosis, "context").facts
        assert (facts["rung"], facts["steps"]) == ("fewer_memories", ("fewer_memories",))
        assert "memories may take 30%" in str(facts["reason"])
        assert at(diagnosis, "memory").facts["memory"] == low.id


async def test_refused(open_zhiji: Open) -> None:
    """What does not fit even after the last rung is refused, and so would the turn be."""
    async with open_zhiji(system_prompt="很长的提示词" * 100, max_context_tokens=700, reply_reserve_tokens=100) as zj:
        await remember(zj, "早上喝咖啡")
        diagnosis = await zj.doctor("u1", None, "早上喝什么？")
        assert diagnosis.broken is StepOf.CONTEXT
        assert found(diagnosis, "context") == ("broken", "refused")


# --- what always holds ----------------------------------------------------------------------------------------------


async def test_nothing_is_changed(open_zhiji: Open, clock: FrozenClock, tmp_path: Path) -> None:
    """No row of any table differs after a diagnosis: no touch, no count, no turn, no revived session."""
    async with open_zhiji(*OK) as zj:
        session = await say(zj, "订单 OD20240415008 想退货", "我对花生过敏 🥜")
        await zj.chat("u1", "在吗", session=session)
        for _ in range(2):
            before = cells(tmp_path / "zhiji.db")
            for message in ("我那个退货的订单号是多少", "在吗", "", "我能吃花生酱吗"):
                for expect in (None, "OD20240415008", "never"):
                    for id in (session, None, "ses_x"):
                        await zj.doctor("u1", id, message, expect=expect)
                        await zj.doctor("u9", id, message, expect=expect)
            assert cells(tmp_path / "zhiji.db") == before
            clock.advance(timedelta(days=1))


async def test_the_rehearsal_is_the_turn(open_zhiji: Open) -> None:
    """What the doctor finds given is what the next turn is sent: the same tokens."""
    async with open_zhiji(*OK) as zj:
        session = await say(zj, "订单 OD20240415008 想退货", "我对花生过敏")
        question = "我那个退货的订单号是多少"
        total = at(await zj.doctor("u1", session, question), "context").facts["total"]
        assert (await zj.chat("u1", question, session=session)).usage.total == total
        assert at(await zj.doctor("u1", session, question), "context").facts["total"] == total


async def test_nothing_of_others_is_told(open_zhiji: Open) -> None:
    """Whatever is asked under one id, no word, id or count of another user is in the answer (C020)."""
    async with open_zhiji(*OK) as zj:
        foreign = await say(zj, "我叫王晴，对花生过敏，订单 OD20240415008", user="u2")
        alone = [await zj.doctor("u1", None, "我是谁", expect="花生")]
        await say(zj, "你好")
        known = [one.id for one in await zj.memories.list("u2")]
        answers = [
            await zj.doctor("u1", id, message, expect=expect)
            for id in (None, foreign)
            for message in ("我叫什么", "我的订单 OD20240415008 呢", "我能吃花生吗")
            for expect in (None, "花生", "王晴", "OD20240415008")
        ]
        told = "\n".join(map(words, [*alone, *answers]))
        assert not [secret for secret in ("王晴", foreign, *known) if secret in told]
        assert {found(one, "memory")[1] for one in answers} <= {"never_said", "job_pending", "worker_missing"}


NASTY = st.one_of(
    st.text(max_size=40),
    st.text(st.characters(), max_size=8),
    st.sampled_from(
        ["", "u1", "ｕ１", "\ud83d\ude00", "\ud800", "' OR 1=1 --", "*", "%", "花生🥜", "<background>", "\x00"]
    ),
)


def test_it_never_raises(tmp_path: Path) -> None:
    """Any user, session, message and expected words are diagnosed: four steps, and the first broken one is named."""
    values = {"database_url": f"sqlite:///{tmp_path / 'zhiji.db'}", "embedder": "off", "worker": False}
    with blocking.Zhiji.open(Settings.load(**values), clock=FrozenClock(), model=ScriptedModel(OK)) as zj:
        session = zj.chat("u1", "我对花生过敏 🥜，订单 OD20240415008").session_id
        zj.drain()

        @settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
        @given(NASTY, st.one_of(st.none(), st.just(session), NASTY), NASTY, st.one_of(st.none(), NASTY))
        def ask(user: str, id: str | None, message: str, expect: str | None) -> None:
            diagnosis = zj.doctor(user, id, message, expect=expect)
            assert [check.step for check in diagnosis.steps] == list(StepOf)
            broken = [check.step for check in diagnosis.steps if check.status is Verdict.BROKEN]
            assert diagnosis.broken == next(iter(broken), None)

        ask()


def test_every_finding_has_its_sentences() -> None:
    """Each finding says in both languages what is so, with the same facts, and what to do if it is a break."""
    assert set(SENTENCES) == set(Finding)
    assert zh.FINDINGS.keys() == set(Finding)
    for finding, english in SENTENCES.items():
        for one, other in zip(english, zh.FINDINGS[finding], strict=True):
            assert _names(one) == _names(other), finding
            assert bool(one) == bool(other)


def _names(template: str) -> list[str]:
    return sorted(name for name in (field for _, field, _, _ in Formatter().parse(template)) if name)


def test_no_finding_is_left_untested() -> None:
    """Every finding that can be brought about is named in this file."""
    here = Path(__file__).read_text(encoding="utf-8")
    assert _unnamed(here, Finding) <= {"archived"}


def _unnamed(source: str, findings: Iterable[Finding]) -> set[str]:
    return {finding.value for finding in findings if f'"{finding.value}"' not in source}
