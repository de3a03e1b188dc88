"""A caller that leaves: what was told is kept, a write that has begun is finished, everything else is a failed turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from talk import Open, call, said
from zhiji import Zhiji
from zhiji.models.base import ChatMessages
from zhiji.stores.base import JournalEntry, TurnEnd
from zhiji.testing import ScriptedModel
from zhiji.types import Completion, Scope, Session, ToolSpec


class Telling:
    """Tells its pieces and then nothing more; a second turn is answered."""

    def __init__(self, *pieces: str) -> None:
        self.pieces = pieces
        self.told = asyncio.Event()
        self.turns = 0

    async def __call__(self, messages: ChatMessages, tools: Sequence[ToolSpec]) -> Completion:
        """Return the answer to a second turn."""
        return Completion(text="ok")

    async def stream(self, messages: ChatMessages, tools: Sequence[ToolSpec]) -> AsyncIterator[str | Completion]:
        """Yield the pieces, then wait for ever."""
        self.turns += 1
        if self.turns == 1:
            for piece in self.pieces:
                yield piece
            self.told.set()
            await asyncio.Event().wait()
        yield Completion(text="ok")


async def leave(zj: Zhiji, model: Telling, session: str) -> None:
    """A turn is begun and its caller leaves once everything was told."""
    heard: list[str] = []
    turn = asyncio.create_task(zj.chat("u1", "数", session=session, idempotency_key="k1", on_delta=heard.append))
    await model.told.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert heard == list(model.pieces)


async def test_what_was_told_is_the_answer(open_zhiji: Open) -> None:
    """The turn is closed with the pieces told, the session is free, and a retry says that it was interrupted."""
    model = Telling("一、", "二")
    async with open_zhiji(model=model) as zj:
        session = (await zj.sessions.start("u1")).id
        await leave(zj, model, session)
        again = await zj.chat("u1", "数", session=session, idempotency_key="k1")
        after = await zj.chat("u1", "then", session=session)
        assert (again.text, again.replayed, again.interrupted) == ("一、二", True, True)
        assert (after.text, after.interrupted) == ("ok", False)
        assert await said(zj, session) == [
            ("user", "数"),
            ("assistant", "一、二"),
            ("user", "then"),
            ("assistant", "ok"),
        ]


@pytest.mark.parametrize("pieces", [(), ("", " \n")], ids=["nothing", "nothing visible"])
async def test_nothing_told_is_a_failed_turn(open_zhiji: Open, pieces: tuple[str, ...]) -> None:
    """Without a visible word the turn is failed, and a retry runs it again."""
    model = Telling(*pieces)
    async with open_zhiji(model=model) as zj:
        session = (await zj.sessions.start("u1")).id
        await leave(zj, model, session)
        assert await said(zj, session) == [("user", "数")]
        again = await zj.chat("u1", "数", session=session, idempotency_key="k1", on_delta=lambda _: None)
        assert (again.text, again.replayed) == ("ok", False)


@pytest.mark.parametrize("times", [1, 3])
async def test_a_save_that_has_begun_is_finished(open_zhiji: Open, monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """Leaving while the whole answer is being saved loses nothing of it, however often the turn is cancelled."""
    saving, go_on = asyncio.Event(), asyncio.Event()
    async with open_zhiji("whole") as zj:
        session = (await zj.sessions.start("u1")).id
        store = zj._parts.store
        finish = store.finish_turn

        async def slow(scope: Scope, end: TurnEnd) -> Session:
            saving.set()
            await go_on.wait()
            return await finish(scope, end)

        monkeypatch.setattr(store, "finish_turn", slow)
        turn = asyncio.create_task(zj.chat("u1", "hi", session=session, on_delta=lambda _: None, idempotency_key="k1"))
        await saving.wait()
        for _ in range(times):
            turn.cancel()
            await asyncio.sleep(0)
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await turn
        again = await zj.chat("u1", "hi", session=session, idempotency_key="k1")
        assert (again.text, again.replayed, again.interrupted) == ("whole", True, False)


async def test_what_cannot_be_kept_is_failed(open_zhiji: Open) -> None:
    """If another process took the turn over meanwhile, leaving it is just leaving: nothing is written over."""
    model = Telling("一")
    async with open_zhiji(model=model) as zj:
        session = (await zj.sessions.start("u1")).id
        turn = asyncio.create_task(zj.chat("u1", "数", session=session, on_delta=lambda _: None))
        await model.told.wait()
        await zj._parts.store.recover([zj._parts.holder])
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert await said(zj, session) == [("user", "数")]


async def test_tools_are_told(open_zhiji: Open) -> None:
    """``on_tool`` hears of each call, in order, with how it ended; ``on_delta`` is not needed for it."""
    heard: list[tuple[str, str]] = []
    model = ScriptedModel([call("look_up"), call("none", id="c2"), "done"])
    async with open_zhiji(model=model) as zj:

        @zj.tool()
        def look_up() -> str:
            """Look it up."""
            return "42"

        await zj.chat("u1", "look", on_tool=lambda name, status: heard.append((name, status)))
    assert heard == [("look_up", "started"), ("look_up", "done"), ("none", "started"), ("none", "failed")]


@pytest.mark.parametrize("when", ["before it runs", "while it runs"])
async def test_a_write_that_has_begun_is_recorded(open_zhiji: Open, monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    """Leaving while a write tool is about to run, or runs, makes its outcome no less known: the retry gets the result (C145)."""
    begun, go_on = asyncio.Event(), asyncio.Event()
    refunds: list[str] = []

    async def pause() -> None:
        if not begun.is_set():
            begun.set()
            await go_on.wait()

    async with open_zhiji(model=ScriptedModel([call("refund"), call("refund"), "退好了 ✓"])) as zj:
        store = zj._parts.store
        start = store.journal_start

        async def started(scope: Scope, turn_id: str, key: str, tool: str) -> JournalEntry | None:
            found = await start(scope, turn_id, key, tool)
            if when == "before it runs":
                await pause()
            return found

        monkeypatch.setattr(store, "journal_start", started)

        @zj.tool(effects="write")
        async def refund() -> str:
            """Refund."""
            if when == "while it runs":
                await pause()
            refunds.append("OD1")
            return "已退款"

        session = (await zj.sessions.start("u1")).id
        turn = asyncio.create_task(zj.chat("u1", "退款", session=session, idempotency_key="k1"))
        await begun.wait()
        for _ in range(3):
            turn.cancel()
            await asyncio.sleep(0)
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert (await zj.chat("u1", "退款", session=session, idempotency_key="k1")).text == "退好了 ✓"
        assert refunds == ["OD1"]
        assert ("tool", "已退款") in await said(zj, session)
