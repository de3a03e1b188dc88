"""What is shown of a user: profile, lists by page, jobs; and what became of what was told."""

from __future__ import annotations

from datetime import timedelta

import pytest

from talk import Open, say
from zhiji.testing import FrozenClock, ScriptedModel


async def test_the_profile_is_what_is_known_under_fixed_keys(open_zhiji: Open) -> None:
    """Nickname, default address and preferred style stand in one place, by key, in the order of the table (M8)."""
    async with open_zhiji() as zj:
        await zj.remember("u1", "用户希望回答简短", type="preference", key="reply_style", value="简短")
        await zj.remember("u1", "用户的默认收货地址是杭州市文三路 18 号", type="identity", key="address.default")
        await zj.remember("u1", "用户希望被称呼为小李 😀", type="identity", key="call_me", value="小李 😀")
        await zj.remember("u1", "订单 OD20240415008 在退货", type="order", key="OD20240415008")
        await zj.remember("u2", "The user is called Ann.", type="identity", key="identity:name", value="Ann")
        found = await zj.profile("u1")
        assert dict(found.values) == {
            "identity:call_me": "小李 😀",
            "identity:address.default": "用户的默认收货地址是杭州市文三路 18 号",
            "preference:reply_style": "简短",
        }
        assert [memory.key for memory in found.memories] == list(found.values)
        assert dict((await zj.profile("u2")).values) == {"identity:name": "Ann"}
        assert dict((await zj.profile("nobody")).values) == {}


async def test_the_profile_follows_what_is_said(open_zhiji: Open) -> None:
    """A conversation fills it; a correction replaces, a deletion removes."""
    async with open_zhiji(model=ScriptedModel(["好的"] * 4)) as zj:
        await say(zj, "我叫李四，回答请简短一点")
        found = await zj.profile("u1")
        assert found.values["identity:name"] == "李四"
        assert "preference:reply_style" in found.values
        await zj.memories.correct("u1", found.memories[0].id, "用户叫李思", "打错了")
        assert (await zj.profile("u1")).values["identity:name"] == "李思"
        await zj.memories.delete("u1", (await zj.profile("u1")).memories[0].id)
        assert "identity:name" not in (await zj.profile("u1")).values


@pytest.mark.parametrize(
    ("content", "confidence", "became", "status"),
    [
        ("用户喜欢龙井茶", None, "reinforced", "active"),
        ("用户喜欢铁观音", None, "superseded", "active"),
        ("用户喜欢普洱茶", 0.1, "quarantined", "quarantined"),
    ],
)
async def test_what_became_of_a_memory_is_told(
    open_zhiji: Open, content: str, confidence: float | None, became: str, status: str
) -> None:
    """Added, one more voice, in the place of the former value, or waiting: the caller need not guess (C151)."""
    async with open_zhiji() as zj:
        first = await zj.memories.add("u1", "用户喜欢龙井茶", type="preference", key="tea")
        assert (first.became, first.memory.status.value) == ("added", "active")
        done = await zj.memories.add("u1", content, type="preference", key="tea", confidence=confidence)
        assert (done.became, done.memory.status.value) == (became, status)
        assert (done.memory.id == first.memory.id) == (became == "reinforced")


async def test_pages_are_full_whatever_has_expired(open_zhiji: Open, clock: FrozenClock) -> None:
    """Expired memories and sessions that are over take no place in a page."""
    async with open_zhiji(model=ScriptedModel(["好"] * 9)) as zj:
        kept = await zj.remember("u1", "用户叫李四", type="identity", key="name")
        await zj.remember("u1", "用户昨天路过商场", type="event", importance=1)
        session = await zj.sessions.start("u1")
        clock.advance(timedelta(days=31))
        assert [memory.id for memory in await zj.memories.list("u1", limit=1)] == [kept.id]
        assert await zj.sessions.list("u1", limit=1) == []
        assert [one.id for one in await zj.sessions.list("u1", archived=True, limit=1)] == [session.id]


async def test_a_transcript_is_read_backwards(open_zhiji: Open) -> None:
    """``before`` and ``last`` page through it from its end."""
    async with open_zhiji(model=ScriptedModel(["答"] * 9)) as zj:
        session = await say(zj, "一", "二", "三")
        page = await zj.sessions.messages("u1", session, last=4)
        assert [message.seq for message in page] == [3, 4, 5, 6]
        rest = await zj.sessions.messages("u1", session, last=4, before=page[0].seq)
        assert [message.seq for message in rest] == [1, 2]
        assert await zj.sessions.messages("u1", session, before=1) == []


async def test_jobs_are_those_of_a_session_and_a_tenant(open_zhiji: Open) -> None:
    """A caller finds the job of the session just stored; an operator sees no other tenant."""
    told = [{"role": "user", "content": "我叫李四"}]
    async with open_zhiji() as zj:
        sessions = [await zj.ingest("u1", told), await zj.ingest("u1", told)]
        (job,) = await zj.jobs.list("u1", session=sessions[0].id)
        assert (job.subject, job.status) == (sessions[0].id, "pending")
    async with open_zhiji(tenant="other") as zj:
        assert await zj.jobs.list() == []
    async with open_zhiji() as zj:
        assert len(await zj.jobs.list()) == 2
