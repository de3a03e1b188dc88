"""Fading end to end: what is used stays, what is not is archived, then deleted; on one version, whoever else is at work."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from datetime import timedelta

import pytest

from talk import Open
from zhiji import Zhiji
from zhiji.errors import MemoryNotFound
from zhiji.stores.base import Filter as StoreFilter
from zhiji.stores.base import Query
from zhiji.testing import FrozenClock
from zhiji.types import Memory, Status

DAY = timedelta(days=1)


async def status(zj: Zhiji, memory: Memory) -> Status | None:
    """Return where a memory stands; None: it is gone."""
    try:
        return (await zj.memories.get("u1", memory.id)).status
    except MemoryNotFound:
        return None


async def test_unused_it_is_archived_then_deleted(open_zhiji: Open, clock: FrozenClock) -> None:
    """A business fact that nobody uses for 180 days is archived by the sweep, and gone with its terms 90 days later (M18)."""
    async with open_zhiji() as zj:
        fact = await zj.remember("u1", "订单 OD1 退货到西湖", type="order", key="OD1")
        clock.advance(179 * DAY)
        await zj.sweep()
        assert await status(zj, fact) is Status.ACTIVE
        clock.advance(1 * DAY)
        await zj.sweep()
        faded = await zj.memories.get("u1", fact.id)
        assert (faded.status, faded.reason, faded.expires_at) == (Status.ARCHIVED, "faded", clock() + 90 * DAY)
        assert await zj.recall("u1", "西湖") == []
        clock.advance(90 * DAY)
        await zj.sweep()
        assert await status(zj, fact) is None
        everything = Query(terms={"西湖": 1.0}, filter=StoreFilter(now=clock(), as_of=clock()))
        assert await zj._parts.store.search(zj.scope("u1"), everything) == []
        assert await zj._parts.store.tombstones(zj.scope("u1"), keys=[], digests=[]) == []


async def test_deleted_by_age_it_may_be_told_again(open_zhiji: Open, clock: FrozenClock) -> None:
    """Nobody asked to forget it: there is no deletion record, and it is remembered when it is said again."""
    async with open_zhiji("好的", "好的") as zj:
        await zj.chat("u1", "我喜欢喝咖啡")
        await zj.drain()
        clock.advance(366 * DAY)
        await zj.sweep()
        clock.advance(91 * DAY)
        await zj.sweep()
        assert await zj.memories.list("u1", statuses=list(Status)) == []
        await zj.chat("u1", "我喜欢喝咖啡")
        await zj.drain()
        assert len(await zj.memories.list("u1")) == 1


async def test_a_turn_that_recalls_it_prolongs_it_exactly(open_zhiji: Open, clock: FrozenClock) -> None:
    """An identity recalled on day 300 is kept 365 days from then, not from when it was said; the day after it fades (M18)."""
    async with open_zhiji("好的") as zj:
        fact = await zj.remember("u1", "用户养了一只鹦鹉", type="identity")
        clock.advance(300 * DAY)
        await zj.chat("u1", "我的鹦鹉怎么样了")
        used = await zj.memories.get("u1", fact.id)
        assert (used.recalls, used.expires_at) == (1, clock() + 365 * DAY)
        clock.advance(364 * DAY)
        await zj.sweep()
        assert await status(zj, fact) is Status.ACTIVE
        clock.advance(1 * DAY)
        await zj.sweep()
        assert await status(zj, fact) is Status.ARCHIVED


async def test_what_a_program_recalls_is_used(open_zhiji: Open, clock: FrozenClock) -> None:
    """A host that only asks keeps what it asks for: counted once a day, not for questions about the past."""
    async with open_zhiji() as zj:
        fact = await zj.remember("u1", "订单 OD1 退货", type="order", key="OD1")
        for _ in range(3):
            clock.advance(100 * DAY)
            for _ in range(2):
                assert [one.memory.id for one in await zj.recall("u1", "OD1 退货了吗")] == [fact.id]
            await zj.recall("u1", "OD1", as_of=clock() - 50 * DAY)
            await zj.sweep()
        kept = await zj.memories.get("u1", fact.id)
        assert (kept.status, kept.recalls) == (Status.ACTIVE, 3)
        assert kept.expires_at == clock() + timedelta(days=180 * (1 + 0.25 * 1.584962500721156))


async def test_what_every_request_shows_is_used(open_zhiji: Open, clock: FrozenClock) -> None:
    """A name in the profile is used by every turn, though no recall brings it: it is counted once a day and never fades."""
    async with open_zhiji(*["好的"] * 8) as zj:
        name = await zj.remember("u1", "用户叫李四", type="identity", key="name", value="李四")
        for _ in range(3):
            clock.advance(200 * DAY)
            await zj.sweep()
            await zj.chat("u1", "今天天气不错")
            await zj.chat("u1", "是啊")
        kept = await zj.memories.get("u1", name.id)
        assert (kept.status, kept.recalls, kept.last_recalled_at) == (Status.ACTIVE, 3, clock())


async def test_without_retention_nothing_fades(open_zhiji: Open, clock: FrozenClock) -> None:
    """With `retention` off, everything is kept for good, whatever was due before."""
    async with open_zhiji() as zj:
        fact = await zj.remember("u1", "小事", type="event", importance=1)
    clock.advance(2000 * DAY)
    async with open_zhiji(retention=False) as zj:
        await zj.sweep()
        report = await zj.upkeep()
        assert (report.archived, report.deleted) == ({}, {})
        assert await status(zj, fact) is Status.ACTIVE


async def test_an_archived_memory_comes_back(open_zhiji: Open, clock: FrozenClock) -> None:
    """Restored from the archive it is active for its whole time again; told again by the user, too."""
    async with open_zhiji("好的") as zj:
        facts = [
            await zj.remember("u1", "用户喜欢鹦鹉", type="preference"),
            await zj.remember("u1", "用户住在杭州", type="identity", key="city", value="杭州"),
        ]
        clock.advance(365 * DAY)
        await zj.sweep()
        assert [await status(zj, fact) for fact in facts] == [Status.ARCHIVED] * 2
        back = await zj.memories.restore("u1", facts[0].id)
        assert (back.status, back.expires_at) == (Status.ACTIVE, clock() + 365 * DAY)
        await zj.chat("u1", "我住在杭州")
        await zj.drain()
        again = await zj.memories.get("u1", facts[1].id)
        assert (again.status, again.expires_at) == (Status.ACTIVE, clock() + 365 * DAY)


async def test_history_and_quarantine_have_terms_of_their_own(open_zhiji: Open, clock: FrozenClock) -> None:
    """A doubtful fact goes after a month; history stays after its successor's facts have been told for its type's term."""
    async with open_zhiji() as zj:
        doubtful = await zj.remember("u1", "用户可能要搬家", type="event", confidence=0.3)
        old = await zj.remember("u1", "用户住在杭州", type="identity", key="city", value="杭州")
        clock.advance(29 * DAY)
        await zj.remember("u1", "用户住在成都", type="identity", key="city", value="成都")
        await zj.sweep()
        assert [await status(zj, one) for one in (doubtful, old)] == [Status.QUARANTINED, Status.SUPERSEDED]
        clock.advance(1 * DAY)
        await zj.sweep()
        assert [await status(zj, one) for one in (doubtful, old)] == [None, Status.SUPERSEDED]
        clock.advance(364 * DAY)
        await zj.sweep()
        assert await status(zj, old) is None


async def test_upkeep_tells_beforehand_what_it_does(open_zhiji: Open, clock: FrozenClock) -> None:
    """A dry run changes nothing and tells what the next run does, by type and by owner; a second run finds nothing."""
    async with open_zhiji() as zj:
        for user in ("u1", "u2"):
            await zj.remember(user, f"{user} 的小事", type="event", importance=1)
            await zj.remember(user, f"{user} 的大事", type="event", importance=4)
        await zj.remember("u2", "可能的事", type="event", confidence=0.3)
        clock.advance(31 * DAY)
        before = [await zj.memories.list(user, statuses=list(Status)) for user in ("u1", "u2")]
        told = await zj.upkeep(dry_run=True, by_owner=True)
        assert [await zj.memories.list(user, statuses=list(Status)) for user in ("u1", "u2")] == before
        assert (told.archived, told.deleted, told.dry_run) == ({"event": 2}, {"event": 1}, True)
        assert {owner.user: dict(kept.deleted) for owner, kept in told.owners.items()} == {"u1": {}, "u2": {"event": 1}}
        assert (await zj.upkeep("u1")).archived == {"event": 1}
        done = await zj.upkeep()
        assert (done.archived, done.deleted, done.owners) == ({"event": 1}, {"event": 1}, {})
        assert (await zj.upkeep()).archived == {}


async def test_two_processes_do_it_once(open_zhiji: Open, clock: FrozenClock) -> None:
    """Two zhijis on one file that keep the same owners at once: each row is counted once, and all are done."""
    async with AsyncExitStack() as opened:
        one, other = [await opened.enter_async_context(open_zhiji()) for _ in range(2)]
        for number in range(12):
            await one.remember(f"u{number % 3}", f"第{number}件事", type="event", importance=1)
        clock.advance(31 * DAY)
        reports = await asyncio.gather(one.upkeep(), other.upkeep(), one.sweep(), other.upkeep("u1"))
        counted = sum(report.archived.get("event", 0) for report in reports if not isinstance(report, int))
        assert counted <= 12
        assert await one._parts.store.expired_memories(clock()) == []
        archived = [await one.memories.list(f"u{n}", statuses=[Status.ARCHIVED]) for n in range(3)]
        assert [len(rows) for rows in archived] == [4, 4, 4]


@pytest.mark.parametrize("days", [0, 10])
async def test_the_archive_is_as_long_as_set(open_zhiji: Open, clock: FrozenClock, days: int) -> None:
    """With `archive_days` 10, ten days; with 0 what has faded is deleted at once."""
    async with open_zhiji(archive_days=days) as zj:
        fact = await zj.remember("u1", "小事", type="event", importance=1)
        clock.advance(30 * DAY)
        await zj.sweep()
        assert await status(zj, fact) is (Status.ARCHIVED if days else None)
        clock.advance(timedelta(days=days))
        await zj.sweep()
        assert await status(zj, fact) is None


async def test_the_doctor_knows_the_archive(open_zhiji: Open, clock: FrozenClock) -> None:
    """A question for what has faded is explained by the archive, and since when."""
    async with open_zhiji() as zj:
        await zj.remember("u1", "订单 OD20240415008 想退货", type="order", key="OD20240415008")
        clock.advance(180 * DAY)
        await zj.sweep()
        found = await zj.doctor("u1", None, "OD20240415008 退货了吗", expect="OD20240415008")
        assert [str(check.finding) for check in found.steps if check.step == found.broken] == ["archived"]
