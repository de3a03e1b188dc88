"""Machines whose clocks differ by minutes, on one database: what is said later is later, whoever was told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from talk import OK, Open, known
from zhiji import Settings, Zhiji
from zhiji.clocks import SharedClock
from zhiji.errors import SessionBusy
from zhiji.testing import FrozenClock, ScriptedModel
from zhiji.types import Status

BEHIND, AHEAD = timedelta(minutes=-7), timedelta(minutes=5)


def machine(ahead: timedelta) -> datetime:
    """The time by a machine that is ahead by so much."""
    return datetime.now(UTC) + ahead


@pytest.fixture
async def machines(postgres_url: str) -> AsyncIterator[list[Zhiji]]:
    """Two machines on one database, the first one's clock behind, the other one's ahead."""
    settings = Settings.load(database_url=postgres_url, embedder="off", worker=False, busy_wait_seconds=0)
    async with AsyncExitStack() as opened:
        yield [
            await opened.enter_async_context(
                Zhiji.open(settings, clock=SharedClock(partial(machine, by)), model=ScriptedModel(OK))
            )
            for by in (BEHIND, AHEAD)
        ]


async def tell(zj: Zhiji, words: str) -> None:
    """The user said this, and it has been read."""
    await zj.chat("u1", words)
    await zj.drain("u1")


async def test_the_newer_statement_holds(machines: list[Zhiji]) -> None:
    """A name that is told to the machine that is behind replaces the one that the other machine was told before."""
    behind, ahead = machines
    await tell(ahead, "我叫李四")
    await tell(behind, "我叫王五")
    assert await known(ahead) == await known(behind) == ["用户叫王五"]


async def test_what_is_deleted_does_not_come_back_by_another_clock(machines: list[Zhiji]) -> None:
    """Words that were said before the deletion, and are read after it, bring nothing back."""
    behind, ahead = machines
    await tell(ahead, "我对花生过敏")
    await ahead.chat("u1", "记住，我对花生过敏")
    for memory in await behind.memories.list("u1"):
        await behind.memories.delete("u1", memory.id)
    for zj in machines:
        await zj.drain("u1", early=True)
    assert await known(ahead) == []


async def test_what_is_said_again_after_a_deletion_is_remembered(machines: list[Zhiji]) -> None:
    """The deletion by the machine that is ahead does not swallow what the user says to the other one afterwards."""
    behind, ahead = machines
    await tell(ahead, "我对花生过敏")
    for memory in await ahead.memories.list("u1"):
        await ahead.memories.delete("u1", memory.id)
    await tell(behind, "我对花生过敏")
    assert await known(ahead) == ["用户对花生过敏"]


async def test_a_running_turn_is_left_alone(machines: list[Zhiji]) -> None:
    """The lease that the machine behind gave itself is one for the machine ahead, too."""
    behind, ahead = machines
    session = await behind.sessions.start("u1")
    async with behind.turn("u1", "你好", session=session) as turn:
        with pytest.raises(SessionBusy):
            await ahead.chat("u1", "在吗", session=session)
        turn.reply = "您好"


async def test_a_clock_that_was_set_right_is_believed(machines: list[Zhiji]) -> None:
    """Compared again, the clock follows a machine's that was set; a clock that the host gave is left as it is."""
    by = AHEAD
    clock = SharedClock(lambda: machine(by))
    store = machines[0]._parts.store
    await clock.compare(store)
    assert abs(clock() - datetime.now(UTC)) < timedelta(minutes=1)
    by = timedelta(0)
    await clock.compare(store)
    assert abs(clock() - datetime.now(UTC)) < timedelta(minutes=1)
    frozen = FrozenClock()
    async with Zhiji.open(machines[0].settings, clock=frozen, model=ScriptedModel(OK)) as zj:
        assert (await zj.sessions.start("u2")).created_at == frozen()


@pytest.mark.parametrize("key", ["city", None])
async def test_an_operators_word_holds_though_the_clock_went_back(
    open_zhiji: Open, clock: FrozenClock, key: str | None
) -> None:
    """What a program says is in force at once, however often the value changes; no version ends before it began."""
    homes = ("用户住在北京", "用户搬到上海了", "用户搬到广州了", "用户搬到上海了")
    async with open_zhiji() as zj:
        for content in homes:
            told = await zj.memories.add("u1", content, type="identity", key=key)
            assert told.became in ("added", "superseded")
            assert await known(zj) == [content]
            clock.now -= timedelta(hours=1)
        await zj.memories.correct("u1", told.memory.id, "用户搬到深圳了")
        assert await known(zj) == ["用户搬到深圳了"]
        versions = await zj.memories.list("u1", statuses=list(Status))
        assert all(one.valid_to is None or one.valid_from <= one.valid_to for one in versions)
