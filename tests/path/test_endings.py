"""Sessions that end at a bad moment: while a turn is running, while one is being saved, in the middle of a sweep."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from talk import Open, call, cells
from zhiji import Zhiji
from zhiji.testing import FrozenClock
from zhiji.types import Completion

PHONES = ("13812345678", "13912345678", "13712345678")


def just_before(zj: Zhiji, method: str, act: Callable[[], Awaitable[object]]) -> None:
    """Let something happen, once, right before the store's method runs."""
    store: Any = zj._parts.store
    original = getattr(store, method)

    async def late(*args: Any, **kwargs: Any) -> Any:
        setattr(store, method, original)
        await act()
        return await original(*args, **kwargs)

    setattr(store, method, late)


async def test_a_turn_saved_while_its_session_ends_is_masked(open_zhiji: Open, tmp_path: Path) -> None:
    """A turn that is saved between the reading of the transcript and the end leaves no full phone number behind."""
    async with open_zhiji(call("contact"), f"您的手机是 {PHONES[0]}") as zj:

        @zj.tool()
        def contact() -> dict[str, str]:
            """Look up the contact."""
            return {"phone": PHONES[1]}

        session = await zj.sessions.start("u")
        just_before(zj, "end_session", lambda: zj.chat("u", f"我的手机是 {PHONES[2]}", session=session))
        await zj.sessions.end("u", session)
        assert len(await zj.sessions.messages("u", session, archived=True)) == 4
        await zj.drain()
    left = " ".join(cells(tmp_path / "zhiji.db", without=["zhiji_sessions"]))  # its state may be taken over for a while
    assert not [phone for phone in PHONES if phone in left]


async def test_a_slow_turn_outlives_the_expiry_of_its_session(open_zhiji: Open, clock: FrozenClock) -> None:
    """While a slow turn runs past the expiry, a new conversation and the sweep leave it alone, and it is answered."""
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def model(messages: Any, tools: Any) -> Completion:
        if str(messages[-1]["content"]).endswith("慢慢来"):
            begun.set()
            await go_on.wait()
        return Completion(text="好的")

    async with open_zhiji(model=model, session_ttl_seconds=10, lease_seconds=60) as zj:
        session = await zj.sessions.start("u")
        slow = asyncio.create_task(zj.chat("u", "慢慢来", session=session))
        await begun.wait()
        clock.advance(timedelta(seconds=11))
        await zj.sweep()
        other = await zj.chat("u", "你好")
        go_on.set()
        assert (await slow).session_id == session.id != other.session_id
        assert (await zj.chat("u", "然后呢", session=session)).session_id == session.id


async def test_the_sweep_goes_on_past_a_user_who_was_erased_meanwhile(open_zhiji: Open, clock: FrozenClock) -> None:
    """A user who is erased while the sweep runs does not keep it from ending the sessions of the others."""
    async with open_zhiji("好的", "好的") as zj:
        await zj.chat("gone", "你好")
        kept = await zj.chat("kept", "你好")
        clock.advance(timedelta(days=1))
        just_before(zj, "end_session", lambda: zj.erase("gone"))
        await zj.sweep()
        assert [one.id for one in await zj.sessions.list("kept", archived=True)] == [kept.session_id]
        assert not await zj.sessions.list("gone", archived=True)


async def test_a_form_that_nobody_takes_over_any_more_is_gone(
    open_zhiji: Open, clock: FrozenClock, tmp_path: Path
) -> None:
    """A full number in a form outlives its session only for the days in which a new one may carry on with it."""
    async with open_zhiji("好的", "好的") as zj:
        await zj.chat("u", f"我要退货，手机 {PHONES[0]}")
        clock.advance(timedelta(days=6))
        taken_over = await zj.sessions.start("u")
        assert taken_over.state.slots["phone"] == PHONES[0]
        await zj.sessions.end("u", taken_over)
        clock.advance(timedelta(days=8))
        await zj.sweep()
        await zj.drain()
        assert not (await zj.sessions.start("u")).state.slots
    assert PHONES[0] not in " ".join(cells(tmp_path / "zhiji.db"))
