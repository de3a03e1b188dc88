"""Turns that happened elsewhere, told more than once."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from talk import OK, Open, known
from zhiji.errors import IdempotencyMismatch, InvalidInput
from zhiji.testing import FrozenClock

TOLD = [
    {"role": "user", "content": "我叫李四，住在杭州 🏠"},
    {"role": "assistant", "content": "好的，李四"},
]


async def test_a_repeated_request_stores_nothing_twice(open_zhiji: Open) -> None:
    """Under one key, one session and one set of turns, however often and at once it is sent (C145)."""
    async with open_zhiji() as zj:
        first = await zj.ingest("u1", TOLD, idempotency_key="k-1")
        retries = await asyncio.gather(*(zj.ingest("u1", TOLD, idempotency_key="k-1") for _ in range(5)))
        assert {session.id for session in retries} == {first.id}
        assert [session.id for session in await zj.sessions.list("u1")] == [first.id]
        assert len(await zj.sessions.messages("u1", first.id)) == 2
        await zj.drain("u1")
        assert await known(zj) == ["用户住在杭州", "用户叫李四"]


async def test_a_first_request_sent_several_times_at_once_counts_once(open_zhiji: Open) -> None:
    """Nobody is first for sure, yet there is one session, and no empty one beside it (C145)."""
    async with open_zhiji() as zj:
        told = await asyncio.gather(*(zj.ingest("u1", TOLD, idempotency_key="钥匙") for _ in range(6)))
        assert len({session.id for session in told}) == 1
        assert len(await zj.sessions.list("u1", archived=True)) == 1


async def test_a_key_survives_a_restart(open_zhiji: Open) -> None:
    """A retry that another process answers finds what the first one stored (C145)."""
    async with open_zhiji() as zj:
        first = await zj.ingest("u1", TOLD, idempotency_key="k")
    async with open_zhiji() as zj:
        assert (await zj.ingest("u1", TOLD, idempotency_key="k")).id == first.id
        assert len(await zj.sessions.messages("u1", first.id)) == 2


async def test_a_key_stands_for_one_request(open_zhiji: Open) -> None:
    """Other messages, another session, a chat: the key is refused, nothing is stored (C145)."""
    async with open_zhiji(*OK) as zj:
        first = await zj.ingest("u1", TOLD, idempotency_key="k")
        for messages, session in ((TOLD[:1], None), (TOLD, first.id)):
            with pytest.raises(IdempotencyMismatch):
                await zj.ingest("u1", messages, session=session, idempotency_key="k")
        with pytest.raises(IdempotencyMismatch):
            await zj.chat("u1", "你好", session=first, idempotency_key="k")
        assert len(await zj.sessions.messages("u1", first.id)) == 2
        assert (await zj.ingest("u2", TOLD, idempotency_key="k")).id != first.id


async def test_a_retry_is_answered_after_the_session_is_over(open_zhiji: Open, clock: FrozenClock) -> None:
    """What was stored in a session that has since ended was stored; the retry is told so."""
    async with open_zhiji() as zj:
        session = await zj.sessions.start("u1")
        await zj.ingest("u1", TOLD, session=session, idempotency_key="k")
        await zj.sessions.end("u1", session)
        assert (await zj.ingest("u1", TOLD, session=session, idempotency_key="k")).id == session.id


async def test_a_key_is_forgotten_after_a_day(open_zhiji: Open, clock: FrozenClock) -> None:
    """Then the same request is a new one."""
    async with open_zhiji() as zj:
        first = await zj.ingest("u1", TOLD, idempotency_key="k")
        clock.advance(timedelta(hours=24))
        assert (await zj.ingest("u1", TOLD, idempotency_key="k")).id != first.id


@pytest.mark.parametrize("key", ["", " ", "k" * 257])
async def test_a_key_is_visible_and_short(open_zhiji: Open, key: str) -> None:
    """What is no key is refused before anything is stored."""
    async with open_zhiji() as zj:
        with pytest.raises(InvalidInput):
            await zj.ingest("u1", TOLD, idempotency_key=key)
        assert await zj.sessions.list("u1") == []
