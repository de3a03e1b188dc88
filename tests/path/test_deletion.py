"""What is deleted is gone: from memory, from the answers that repeated it, and from the bytes of the file."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from talk import OK, Open, Scripted, active, cells, contents, fact, say
from zhiji.testing import FrozenClock


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
        transcripts = ["zhiji_messages", "zhiji_sessions", "zhiji_summaries"]
        assert not [cell for cell in cells(tmp_path / "zhiji.db", without=transcripts) if "花生" in cell]
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
