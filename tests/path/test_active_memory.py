"""Asking before something personal is kept, and doing what the user asks of the memory: by both extractors, in both languages."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from talk import Open, known, sent
from zhiji import Zhiji
from zhiji.extract import consent
from zhiji.merge import WAITS_FOR_YES
from zhiji.models.base import ChatMessages
from zhiji.testing import FrozenClock
from zhiji.types import Completion, Memory, Reply, Status

PEANUTS = {
    "zh": {"type": "identity", "key": "identity:allergy.花生", "content": "用户对花生过敏", "value": "花生", "importance": 5, "confidence": 0.95},
    "en": {"type": "identity", "key": "identity:allergy.peanuts", "content": "The user is allergic to peanuts", "value": "peanuts",
           "importance": 5, "confidence": 0.95},
}  # fmt: skip
STATED = {"zh": "我对花生过敏", "en": "I'm allergic to peanuts"}
QUESTION = {"zh": "要我记住您对花生过敏吗？", "en": "Shall I remember that you are allergic to peanuts?"}
LANGS = ("zh", "en")
EXTRACTORS = ("rules", "model")


class Assistant:
    """A model that asks what it is told to ask; asked to extract, it takes a stated allergy for a fact and nothing else."""

    def __init__(self) -> None:
        self.answers: list[list[object]] = []
        """What it extracts instead, call by call."""

    async def __call__(self, messages: ChatMessages, tools: object) -> Completion:
        system, last = str(messages[0]["content"]), str(messages[-1]["content"])
        if '"memories"' in system:
            fresh = last.splitlines()
            facts: list[object] = [
                PEANUTS[lang] for lang in LANGS if any(f"user: {STATED[lang]}" in line for line in fresh)
            ]
            return Completion(text=json.dumps({"memories": self.answers.pop(0) if self.answers else facts}))
        asked = [line for line in last.splitlines() if line.startswith(("- [记忆] 请在", "- [memory] End"))]
        return Completion(text="OK. " + "".join(line.split("：")[-1].split("user: ")[-1] for line in asked))


def settings(extractor: str, **more: Any) -> dict[str, Any]:
    """An assistant that asks, with this extractor; whatever it reads, it reads after each turn."""
    return {"model": Assistant(), "extractor": extractor, "extract_every_turns": 1, "active_memory": True, **more}


async def say(zj: Zhiji, *said: str) -> list[Reply]:
    """These turns of one session, read after each; returns the replies."""
    replies: list[Reply] = []
    for words in said:
        replies.append(await zj.chat("u1", words, session=replies[-1].session_id if replies else None))
        await zj.drain("u1")
    return replies


async def waiting(zj: Zhiji) -> list[Memory]:
    """What waits in quarantine."""
    return await zj.memories.list("u1", statuses=[Status.QUARANTINED])


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("extractor", EXTRACTORS)
async def test_something_personal_waits_for_a_yes(open_zhiji: Open, extractor: str, lang: str) -> None:
    """It is asked about in the next turn, once in a session, and kept after a yes."""
    hello = {"zh": "今天好热", "en": "hot today"}[lang]
    async with open_zhiji(**settings(extractor)) as zj:
        told, asked, quiet = await say(zj, STATED[lang], hello, hello)
        assert [memory.reason for memory in await waiting(zj)] == [WAITS_FOR_YES]
        assert await known(zj) == []
        assert [QUESTION[lang] in reply.text for reply in (told, asked, quiet)] == [False, True, False]
        first, again = await say(zj, hello, {"zh": "好的，记住吧", "en": "yes please"}[lang])
        assert QUESTION[lang] in first.text
        assert QUESTION[lang] not in again.text
        assert await known(zj) == [PEANUTS[lang]["content"]]
        assert await waiting(zj) == []


@pytest.mark.parametrize(
    ("lang", "no"), [("zh", "不用了"), ("zh", "別記"), ("en", "no thanks"), ("en", "please don't")]
)
@pytest.mark.parametrize("extractor", EXTRACTORS)
async def test_a_no_removes_it_for_good(
    open_zhiji: Open, clock: FrozenClock, extractor: str, lang: str, no: str
) -> None:
    """It is gone with a deletion record: the same messages, read again, do not bring it back."""
    async with open_zhiji(**settings(extractor)) as zj:
        *_, last = await say(zj, STATED[lang], "hm", no)
        assert await waiting(zj) == []
        assert await known(zj) == []
        clock.advance(timedelta(seconds=1))
        scope = zj.scope("u1")
        key = await zj._parts.store.digest(str(PEANUTS[lang]["key"]))
        assert len(await zj._parts.store.tombstones(scope, keys=[key], digests=[])) == 1
        [*_, outcome] = reversed(await zj.jobs.extractions("u1", session_id=last.session_id))
        assert "forget: the user said no" in outcome.reasons


@pytest.mark.parametrize("extractor", EXTRACTORS)
async def test_without_an_answer_it_keeps_waiting(open_zhiji: Open, clock: FrozenClock, extractor: str) -> None:
    """Talk of something else is no yes; it waits, is asked about in the next session, and fades by policy."""
    async with open_zhiji(**settings(extractor)) as zj:
        await say(zj, "我对花生过敏", "今天好热", "帮我查订单")
        (held,) = await waiting(zj)
        assert held.expires_at is not None
        clock.advance(timedelta(days=366))
        assert await waiting(zj) == []
        (reply,) = await say(zj, "在吗")
        assert QUESTION["zh"] not in reply.text


async def test_a_yes_to_another_question_is_no_yes(open_zhiji: Open) -> None:
    """Only the reply to the question itself counts, and only if it was the assistant's last one."""
    assert consent.reply("要我记住您对花生过敏吗？还要查订单吗？", "好的") is None
    assert consent.reply("还要查订单吗？要我记住您对花生过敏吗？", "好的") is True
    assert consent.reply("还要查订单吗？", "不用了") is None
    assert consent.reply("Shall I remember that you are allergic to peanuts?", "what do you mean") is None
    assert consent.reply("要我記住您對花生過敏嗎？", "唔使") is False
    assert consent.reply("要我记住您对花生过敏吗？", "不错，记吧") is None


@pytest.mark.parametrize("extractor", EXTRACTORS)
async def test_what_is_asked_for_is_kept_at_once(open_zhiji: Open, extractor: str) -> None:
    """ "Remember …" skips the question, and what it says is important."""
    async with open_zhiji(**settings(extractor)) as zj:
        (reply,) = await say(zj, "记住我对花生过敏")
        (kept,) = await zj.memories.list("u1")
        assert kept.content == "用户对花生过敏"
        assert "[记忆] 用户要你记住" in (await sent(zj, reply.request_id))[-1]
        await say(zj, "please remember that I prefer window seats")
        assert {memory.importance >= 4 for memory in await zj.memories.list("u1")} == {True}
        assert len(await known(zj)) == 2
        assert await waiting(zj) == []


@pytest.mark.parametrize("active", [True, False])
@pytest.mark.parametrize("extractor", EXTRACTORS)
@pytest.mark.parametrize(
    ("stated", "taken_back"),
    [
        ("记住我对花生过敏", "忘掉我对花生过敏这件事"),
        ("记住我对花生过敏", "别记这个"),
        ("remember that I'm allergic to peanuts", "forget that I'm allergic to peanuts"),
        ("remember that I'm allergic to peanuts", "don't remember that"),
    ],
)
async def test_what_is_to_be_forgotten_is_gone(
    open_zhiji: Open, extractor: str, stated: str, taken_back: str, active: bool
) -> None:
    """ "Forget …" and "don't remember that" delete what was kept, history included; the assistant is told so."""
    async with open_zhiji(**settings(extractor, active_memory=active)) as zj:
        _, last = await say(zj, stated, taken_back)
        assert await zj.memories.list("u1", statuses=list(Status)) == []
        assert "- [记忆]" in (told := (await sent(zj, last.request_id))[-1]) or "- [memory]" in told


@pytest.mark.parametrize(
    "said",
    ["我的手机号是13812345678，别记", "我对花生过敏，这个不用记", "I'm allergic to peanuts, but don't save that"],
)
@pytest.mark.parametrize("extractor", EXTRACTORS)
async def test_what_is_not_to_be_kept_is_not(open_zhiji: Open, extractor: str, said: str) -> None:
    """A message that asks not to be remembered leaves nothing, also if the model takes it for a fact."""
    async with open_zhiji(**settings(extractor)) as zj:
        await say(zj, said)
        assert await zj.memories.list("u1", statuses=list(Status)) == []


async def test_a_model_reads_a_yes_that_no_rule_knows(open_zhiji: Open) -> None:
    """The waiting memory is offered to the model, whose answer may point at it; the user's own no is stronger."""
    used = settings("model")
    assistant = used["model"]
    async with open_zhiji(**used) as zj:
        assistant.answers = [[PEANUTS["zh"]], [], [{"ref": "#0", "op": "assert", "sources": [5], "confidence": 0.9}]]
        await say(zj, "我对花生过敏", "今天好热", "那就麻烦你记上吧")
        assert await known(zj) == ["用户对花生过敏"]


async def test_a_model_cannot_turn_a_no_into_a_yes(open_zhiji: Open) -> None:
    """What the user declined is forgotten, whatever the model says."""
    used = settings("model")
    async with open_zhiji(**used) as zj:
        used["model"].answers = [
            [PEANUTS["zh"]],
            [],
            [{"ref": "#0", "op": "assert", "sources": [5], "confidence": 0.9}],
        ]
        await say(zj, "我对花生过敏", "今天好热", "不用了")
        assert await zj.memories.list("u1", statuses=list(Status)) == []


async def test_one_question_at_a_time_the_most_important_first(open_zhiji: Open) -> None:
    """Two memories wait; each turn asks about one."""
    async with open_zhiji(**settings("rules")) as zj:
        replies = await say(zj, "我叫李四，对花生过敏", "今天好热", "今天好冷", "今天不冷不热")
        assert len(await waiting(zj)) == 2
        assert [reply.text.count("要我记住") for reply in replies] == [0, 1, 1, 0]
        assert QUESTION["zh"] in replies[1].text


async def test_what_is_not_personal_or_important_is_kept_without_asking(open_zhiji: Open) -> None:
    """Orders are kept, small preferences too; with the setting off, everything is."""
    async with open_zhiji(**settings("rules")) as zj:
        await say(zj, "我的订单 OD20240415008 想退货，我喜欢喝茶")
        assert len(await known(zj)) >= 2
        assert await waiting(zj) == []
    async with open_zhiji(**settings("rules", active_memory=False)) as zj:
        await say(zj, "我对花生过敏")
        assert "用户对花生过敏" in await known(zj)


async def test_a_change_waits_as_well_and_the_former_value_stays(open_zhiji: Open, clock: FrozenClock) -> None:
    """Declined, the new value goes and the old one is untouched; agreed to, it takes its place."""
    async with open_zhiji(**settings("rules")) as zj:
        await say(zj, "记住我叫李四")
        await say(zj, "我叫王五", "今天好热", "不用")
        assert await known(zj) == ["用户叫李四"]
        clock.advance(timedelta(seconds=1))
        await say(zj, "我叫赵六", "今天好热", "好的")
        assert await known(zj) == ["用户叫赵六"]


async def test_another_users_yes_is_theirs(open_zhiji: Open) -> None:
    """A question to one user is not put to another, and their yes admits nothing of anybody else."""
    async with open_zhiji(**settings("rules")) as zj:
        await say(zj, "我对花生过敏")
        reply = await zj.chat("u2", "今天好热")
        assert "要我记住" not in reply.text
        await zj.chat("u2", "好的，记住吧", session=reply.session_id)
        await zj.drain()
        assert await known(zj) == []


async def test_the_assistants_words_are_no_statement(open_zhiji: Open) -> None:
    """What it asks or confirms, unanswered, becomes no memory by either extractor."""
    for extractor in EXTRACTORS:
        async with open_zhiji(**settings(extractor, active_memory=False)) as zj:
            await zj.ingest(
                extractor,
                [
                    {"role": "user", "content": "在吗"},
                    {"role": "assistant", "content": "要我记住您对花生过敏吗？"},
                    {"role": "user", "content": "今天好热"},
                    {"role": "assistant", "content": "好的，我记住了：您对花生过敏。"},
                ],
            )
            await zj.drain(extractor, early=True)
            assert await known(zj, extractor) == []


@pytest.mark.parametrize(
    ("content", "question"),
    [
        ("用户对花生过敏", "要我记住您对花生过敏吗？"),
        ("用戶對花生過敏。", "要我記住您對花生過敏嗎？"),
        ("The user is allergic to peanuts", "Shall I remember that you are allergic to peanuts?"),
        ("The user's name is Li Si.", "Shall I remember that your name is Li Si?"),
        ("The user never eats their greens", "Shall I remember that you never eat your greens?"),
        ("The user has moved to Paris", "Shall I remember that you have moved to Paris?"),
        ("The user studies law", "Shall I remember that you study law?"),
        ("用户请求记住：周五开会", "要我记住周五开会吗？"),
    ],
)
def test_a_question_is_said_to_the_user(content: str, question: str) -> None:
    """Whatever a memory says of the user is asked of them, in its own language and script, and a yes to it is read."""
    assert consent.question(content) == question
    assert consent.reply(f"好的。{question}", "好的") is True


async def test_the_offline_assistant_asks_and_confirms(open_zhiji: Open) -> None:
    """Without a model it asks in its answer, and confirms only what it understood and what is done."""
    from zhiji.models.offline import OfflineModel

    async with open_zhiji(model=OfflineModel(), active_memory=True) as zj:
        replies = await say(
            zj, "我对花生过敏", "今天好热", "好的", "忘掉我对花生过敏这件事", "忘掉我的订单", "记住我爱喝茶"
        )
        told = [reply.text for reply in replies]
    assert "记" not in told[0]
    assert told[1].endswith("要我记住您对花生过敏吗？")
    assert "好的，我记住了：您对花生过敏。" in told[2]
    assert "我忘掉了：您对花生过敏" in told[3]
    assert "没有看懂" in told[4]
    assert "好的，我记住了：您喜欢喝茶。" in told[5]
    async with open_zhiji(model=OfflineModel(), active_memory=True) as zj:
        replies = await say(zj, "I'm allergic to peanuts", "hot today", "no thanks", "remember that I prefer window seats", "forget that I prefer window seats")  # fmt: skip
        told = [reply.text for reply in replies]
    assert told[1].endswith("Shall I remember that you are allergic to peanuts?")
    assert "OK, I won't remember this: you are allergic to peanuts." in told[2]
    assert "OK, I'll remember: you prefer window seats." in told[3]
    assert "OK, I've forgotten this: you prefer window seats." in told[4]
