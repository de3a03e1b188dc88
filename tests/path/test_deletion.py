"""What is deleted is gone: from memory, from the answers that repeated it, and from the bytes of the file."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from talk import OK, Open, Scripted, active, cells, contents, fact, say
from zhiji.testing import FrozenClock
from zhiji.types import Draft, Status

TRANSCRIPTS = ("zhiji_messages", "zhiji_sessions", "zhiji_summaries")
"""Tables that hold what was said itself."""


@pytest.mark.parametrize("how", ["deleted", "forgotten"])
async def test_the_answer_that_repeated_a_fact_goes_with_it(open_zhiji: Open, how: str) -> None:
    """The assistant's echo of a deleted fact is no episode any more; what was said in other turns stays."""
    async with open_zhiji("好的，李小四您好", "顺丰明天到", "好的") as zj:
        session = await say(zj, "我叫李小四", "快递什么时候到")
        assert "好的，李小四您好" in contents(await zj.recall("u1", "李小四"))
        if how == "deleted":
            await zj.memories.delete("u1", (await active(zj))["identity:name"].id)
        else:
            await say(zj, "忘掉我的名字", session=session)
        assert "identity:name" not in await active(zj)
        assert not [content for content in contents(await zj.recall("u1", "李小四 您好")) if "李小四" in content]
        assert "顺丰明天到" in contents(await zj.recall("u1", "快递 顺丰 明天"))


async def test_a_deletion_record_does_not_say_what_was_deleted(
    open_zhiji: Open, clock: FrozenClock, tmp_path: Path
) -> None:
    """A key may name the fact itself, so the record holds its hash; it still keeps the transcript from bringing it back."""
    async with open_zhiji("好的", "好的") as zj:
        session = await say(zj, "我对花生过敏")
        allergy = next(memory for memory in (await active(zj)).values() if memory.key and "花生" in memory.key)
        await zj.memories.delete("u1", allergy.id)
        assert not [cell for cell in cells(tmp_path / "zhiji.db", without=TRANSCRIPTS) if "花生" in cell]
        await zj.sessions.end("u1", session)
        await zj.drain()
        assert allergy.key not in await active(zj)
        clock.advance(timedelta(minutes=1))
        await say(zj, "我对花生过敏")
        assert allergy.key in await active(zj)


async def test_an_erased_user_leaves_no_byte_behind(open_zhiji: Open, tmp_path: Path) -> None:
    """After erasure neither the file nor its log holds anything that the user said, or the user's name."""
    async with open_zhiji("好的，李小四您好", "好的") as zj:
        await say(zj, "我叫李小四，对花生过敏，单号 OD20240415008", user="erased_user_77")
        await say(zj, "你好", user="other")
        assert (await zj.erase("erased_user_77")).total > 0
        left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        traces = ["李小四", "花生", "OD20240415008", "od20240415008", "erased_user_77"]
        assert not [trace for trace in traces if trace.encode() in left]


async def test_a_resumed_session_tells_nothing_that_was_deleted(open_zhiji: Open, clock: FrozenClock) -> None:
    """A summary that told a deleted fact is gone; the next one leaves its turn out, and nobody carries it on."""
    words = "用户的花名叫小青蛙"
    async with open_zhiji(*OK, extractor_object=Scripted([fact(words, key="identity:call_me")])) as zj:
        session = await say(zj, "我的花名叫小青蛙", "今天天气不错，我想订一张去桂林的火车票，靠窗的位置，谢谢" * 3)
        await zj.sessions.end("u1", session)
        await zj.drain()
        (memory,) = await zj.memories.list("u1")
        await zj.memories.delete("u1", memory.id)
        clock.advance(timedelta(hours=1))
        reply = await zj.chat("u1", "继续")
        assert reply.resumed_from == session
        seen = [str(message["content"]) for message in (await zj.context("u1", reply.request_id)).messages]
        assert not any("小青蛙" in content for content in seen)


FORGOTTEN = [
    ("我对花生过敏", "忘掉我对花生过敏🙏"),
    ("我對花生過敏", "請忘記我對花生過敏"),
    ("I'm allergic to peanuts", "Ｆｏｒｇｅｔ that I'm allergic to peanuts"),
    ("我叫李小四", "把我的名字忘了吧"),
    ("My name is Carol", "please forget my name"),
]


@pytest.mark.parametrize("known_then", [True, False])
@pytest.mark.parametrize(("said", "forget"), FORGOTTEN)
async def test_what_is_read_later_does_not_bring_it_back(
    open_zhiji: Open, clock: FrozenClock, said: str, forget: str, known_then: bool
) -> None:
    """Said before the user asked to forget it, but read afterwards: neither fact nor wording is kept, known then or not."""
    async with open_zhiji(*OK) as zj:
        if known_then:
            await say(zj, said)
        before = clock.now
        clock.advance(timedelta(hours=1))
        await say(zj, forget)
        await zj.ingest("u1", [{"role": "user", "content": said, "time": before}])
        await zj.drain("u1")
        assert contents(await zj.recall("u1", said)) == []
        clock.advance(timedelta(hours=1))
        await say(zj, said)
        assert len(await active(zj)) == 1


@pytest.mark.parametrize(
    "words",
    [
        ["别记我住在北京"],
        ["don't remember that I live in Boston"],
        ["我的血型是AB型，這個別記"],
        ["我的工资是三万", "这个别记"],
        ["My salary is 90000", "please don't save that"],
    ],
)
async def test_what_is_not_to_be_kept_is_kept_in_no_wording(open_zhiji: Open, words: list[str]) -> None:
    """Neither the message, nor the answer to it, nor the one that it means is found word for word later."""
    async with open_zhiji("北京，好的 Boston", "AB 三万 90000") as zj:
        await say(zj, *words)
        assert contents(await zj.recall("u1", " ".join(words))) == []


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("我住在北京", "别记我住在北京"),
        ("我对花生过敏", "忘　掉我对花生过敏"),
        ("我住在北京", "忘掉我住哪里"),
        ("I live in Boston", "don't remember that I live in Boston"),
        ("I live in Boston", "please forget where I live"),
        ("I live at 5 High Street, Leeds", "forget my address"),
        ("我住在杭州文三路18号", "忘掉我的住址"),
    ],
)
async def test_what_was_kept_before_is_forgotten_when_named(open_zhiji: Open, said: str, then: str) -> None:
    """What a user no longer wants kept goes, though it was said in an earlier session; what else is known stays."""
    async with open_zhiji("好的", "好的", "好的") as zj:
        await zj.sessions.end("u1", await say(zj, said, "我叫李四"))
        await zj.drain()
        await say(zj, then)
        assert contents(list((await active(zj)).values())) == ["用户叫李四"]


LIKES = {
    "zh": ("用户喜欢龙井茶", "用户喜欢咖啡", "忘掉我喜欢龙井茶"),
    "en": ("The user likes green tea", "The user likes coffee", "Forget that I like green tea"),
}
"""A fact, another, and the request to forget the first."""


@pytest.mark.parametrize("lang", LIKES)
@pytest.mark.parametrize("where", ["archived", "superseded", "folded", "quarantined"])
async def test_what_is_forgotten_is_gone_wherever_it_stood(
    open_zhiji: Open, clock: FrozenClock, tmp_path: Path, where: str, lang: str
) -> None:
    """A fact without a key that has faded, was replaced, was taken for a repetition or waits: nothing brings it back."""
    liked, other, request = LIKES[lang]
    day = timedelta(days=1)
    async with open_zhiji(*OK) as zj:
        told = await zj.memories.add(
            "u1", liked, type="event", importance=2, confidence=0.3 if where == "quarantined" else None
        )
        clock.advance(day)
        if where == "archived":
            clock.advance(31 * day)
            await zj.upkeep("u1")
        elif where == "superseded":
            await zj.memories.correct("u1", told.memory.id, other)
        elif where == "folded":
            again = await zj.memories.correct("u1", told.memory.id, f"{liked}!")
            await zj.memories.restore("u1", told.memory.id)
            assert (await zj.memories.get("u1", again.id)).status is not Status.ACTIVE
        clock.advance(day)
        await say(zj, request)
        rows = await zj.memories.list("u1", statuses=list(Status))
        assert contents(rows) == [other] * (where == "superseded")
        assert not await zj.recall("u1", liked, as_of=clock.now - 1.5 * day, types=["event"])
    assert not [cell for cell in cells(tmp_path / "zhiji.db", without=TRANSCRIPTS) if liked in cell]


async def test_a_history_is_forgotten_with_what_it_led_to(open_zhiji: Open, clock: FrozenClock) -> None:
    """What a forgotten fact replaced, through and through, goes with it, as under a key; what is about something else stays."""
    asked = Draft(type="identity", content="用户搬到广州了", seqs=(1,), op="forget")
    async with open_zhiji(*OK, extractor_object=Scripted([asked])) as zj:
        for place in ("用户住在北京", "用户搬到上海了", "用户搬到广州了"):
            await zj.remember("u1", place, type="identity")
            clock.advance(timedelta(days=1))
        await zj.remember("u1", "用户喜欢咖啡", type="preference")
        await say(zj, "忘掉我搬到广州这件事")
        assert contents(await zj.memories.list("u1", statuses=list(Status))) == ["用户喜欢咖啡"]
