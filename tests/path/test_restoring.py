"""What comes back from history or the archive: one value at a time, now and as of any day, and nothing whose sources changed."""

from __future__ import annotations

from datetime import timedelta

import pytest

from talk import Open, contents, known
from zhiji import Zhiji
from zhiji.errors import StaleMemory
from zhiji.testing import FrozenClock
from zhiji.types import Memory, Remembered, Status

DAY = timedelta(days=1)
HOMES = {
    "zh": ("用户住在北京", "用户搬到上海了", "用户搬到广州了"),
    "en": ("The user lives in Boston", "The user moved to Denver", "The user moved to Seattle"),
}


async def at_home(zj: Zhiji, place: str, became: str) -> Memory:
    """It is said that the user lives there; this is what becomes of it."""
    told: Remembered = await zj.memories.add("u1", f"用户住在{place}", type="identity", key="city", value=place)
    assert told.became == became
    return told.memory


@pytest.mark.parametrize("lang", HOMES)
@pytest.mark.parametrize("key", ["city", None])
async def test_each_time_has_one_value_whichever_is_restored(
    open_zhiji: Open, clock: FrozenClock, key: str | None, lang: str
) -> None:
    """The first of three versions comes back, and the last one again: one holds now, and one on each day before."""
    homes = HOMES[lang]
    async with open_zhiji() as zj:
        start = clock.now
        versions = []
        for content in homes:
            versions.append(await zj.remember("u1", content, type="identity", key=key))
            clock.advance(DAY)
        for number, then in ((0, [0, 0, 0, 0]), (1, [0, 1, 1, 1]), (2, [0, 1, 2, 2])):
            await zj.memories.restore("u1", versions[number].id)
            clock.advance(DAY)
            assert await known(zj) == [homes[number]]
            for day, expected in enumerate(then):
                found = await zj.recall("u1", "；".join(homes), as_of=start + (day + 0.5) * DAY)
                assert contents(found) == [homes[expected]]


async def test_what_faded_gives_way_to_another_value(open_zhiji: Open, clock: FrozenClock) -> None:
    """An archived value is history once another is told; told again, it holds again, alone."""
    async with open_zhiji() as zj:
        faded = await at_home(zj, "北京", "added")
        clock.advance(400 * DAY)
        await zj.upkeep("u1")
        assert (await zj.memories.get("u1", faded.id)).status is Status.ARCHIVED
        await at_home(zj, "上海", "superseded")
        assert (await zj.memories.get("u1", faded.id)).status is Status.SUPERSEDED
        clock.advance(DAY)
        await at_home(zj, "北京", "superseded")
        assert await known(zj) == ["用户住在北京"]


async def test_a_waiting_value_that_is_corrected_is_the_only_one(open_zhiji: Open, clock: FrozenClock) -> None:
    """An operator who corrects what waits in quarantine decides: the value in force gives way, and is in the history."""
    async with open_zhiji() as zj:
        held = await at_home(zj, "上海", "added")
        told = await zj.memories.add("u1", "用户住在北京", type="identity", key="city", confidence=0.2)
        assert told.became == "quarantined"
        clock.advance(DAY)
        await zj.memories.correct("u1", told.memory.id, "用户住在广州")
        assert await known(zj) == ["用户住在广州"]
        assert (await zj.memories.get("u1", held.id)).status is Status.SUPERSEDED
        assert len(await zj.memories.history("u1", held.id)) == 3


async def test_a_reflection_whose_sources_changed_stays_withdrawn(open_zhiji: Open) -> None:
    """It would tell what no longer holds; the facts as they are now become one of their own."""
    async with open_zhiji(reflect_after=4) as zj:
        told = ("用户在西湖边散步", "用户在西湖划船", "用户在西湖拍了照片", "用户在西湖喝茶")
        facts = [await zj.remember("u1", content, type="event") for content in told]
        await zj.drain("u1")
        (withdrawn,) = await zj.memories.list("u1", types=["reflection"])
        await zj.memories.correct("u1", facts[0].id, "用户在西湖边跑步")
        with pytest.raises(StaleMemory, match="written anew"):
            await zj.memories.restore("u1", withdrawn.id)
        await zj.drain("u1")
        (anew,) = await zj.memories.list("u1", types=["reflection"])
        assert "跑步" in anew.content
        assert "散步" not in anew.content


SAME = {
    "zh": ("用户对花生过敏", "用户对花生过敏。", "用户对芒果过敏"),
    "en": ("The user is allergic to peanuts", "The user has a peanut allergy", "The user is allergic to mangoes"),
}
"""A fact, the same again, and another one."""


@pytest.mark.parametrize("lang", SAME)
async def test_a_restored_fact_becomes_one_with_what_repeats_it(
    open_zhiji: Open, clock: FrozenClock, lang: str
) -> None:
    """A fact without a key that faded, and was told again meanwhile, is there once, now and as of each day."""
    faded, again, other = SAME[lang]
    async with open_zhiji() as zj:
        old = await zj.remember("u1", faded, type="event", importance=2)
        clock.advance(40 * DAY)
        await zj.upkeep("u1")
        assert (await zj.memories.get("u1", old.id)).status is Status.ARCHIVED
        new = await zj.remember("u1", again, type="event")
        await zj.remember("u1", other, type="event")
        clock.advance(DAY)
        back = await zj.memories.restore("u1", old.id)
        assert (back.status, back.importance) == (Status.ACTIVE, 3)
        assert await known(zj) == sorted([faded, other])
        found = contents(await zj.recall("u1", faded, as_of=clock.now - DAY / 2))
        assert found.count(faded) + found.count(again) == 1
        await zj.memories.restore("u1", new.id)
        assert await known(zj) == sorted([again, other] if lang == "zh" else [faded, again, other])  # in other words


async def test_a_restored_fact_stands_in_the_place_of_what_contradicts_it(open_zhiji: Open, clock: FrozenClock) -> None:
    """Another value that was told while the first lay in the archive gives way to it, without a key as with one."""
    async with open_zhiji() as zj:
        old = await zj.remember("u1", "用户住在北京", type="identity", importance=2)
        clock.advance(40 * DAY)
        await zj.upkeep("u1")
        await zj.remember("u1", "用户住在上海", type="identity")
        clock.advance(DAY)
        await zj.memories.restore("u1", old.id)
        assert await known(zj) == ["用户住在北京"]


@pytest.mark.parametrize("lang", SAME)
async def test_a_correction_becomes_one_with_what_says_it_already(
    open_zhiji: Open, clock: FrozenClock, lang: str
) -> None:
    """Corrected to what is known, a memory takes over the one that says so, with its sources."""
    right, again, wrong = SAME[lang]
    async with open_zhiji() as zj:
        await zj.remember("u1", right, type="preference")
        clock.advance(DAY)
        mistaken = await zj.remember("u1", wrong, type="preference")
        clock.advance(DAY)
        await zj.memories.correct("u1", mistaken.id, again)
        assert await known(zj) == [again]
