"""The state of a task through the façade: patched while a turn runs, typed, migrated, never kept where it must not be."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pydantic import BaseModel

from talk import OK, Open, call, cells
from zhiji.errors import InvalidState, StaleState


class Return(BaseModel):
    """The form of a first release."""

    order_id: str = ""
    note: str = ""


class ReturnWithPhone(BaseModel):
    """The form of the next release: one field more and one less."""

    order_id: str = ""
    phone: str = ""
    copies: int = 1


class Counted(BaseModel):
    """A form with a number in it."""

    count: int = 0


@pytest.mark.parametrize("inside", ["tool", "host"])
async def test_what_is_patched_while_a_turn_runs_stays(open_zhiji: Open, inside: str) -> None:
    """A tool, or the host's own loop, patches the state; the end of the turn does not undo it (C036)."""
    async with open_zhiji(call("step"), "好了", "好") as zj:
        session = (await zj.sessions.start("u1")).id
        await zj.state.patch("u1", session, {"answer": "a", "order_id": "OD1", "old": "x"})

        @zj.tool()
        async def step() -> str:
            """Take a step."""
            await zj.state.patch("u1", session, {"answer": "b"})
            await zj.state.patch("u1", session, {"items": ["x"], "old": None})
            return "done"

        if inside == "tool":
            await zj.chat("u1", "我要退货，订单 OD20240415008", session=session)
        else:
            async with zj.turn("u1", "我要退货，订单 OD20240415008", session=session) as turn:
                await step()
                turn.reply = "好了"
        slots = {"answer": "b", "items": ["x"], "order_id": "OD20240415008"}
        assert dict((await zj.state.get("u1", session)).slots) == slots
        await zj.chat("u1", "谢谢 🙏", session=session)
    async with open_zhiji() as zj:
        state = await zj.state.get("u1", session)
        assert dict(state.slots) == slots
        assert state.intent == "return"


async def test_a_patch_outweighs_what_the_turn_read_between_the_lines(open_zhiji: Open) -> None:
    """What a tool sets by name is not overwritten by what the same turn's words say (C036)."""
    async with open_zhiji(call("pick"), "好了") as zj:
        session = (await zj.sessions.start("u1")).id

        @zj.tool()
        async def pick() -> str:
            """Pick the order that was meant."""
            await zj.state.patch("u1", session, {"order_id": "OD20240415009", "intent": "exchange"})
            return "picked"

        await zj.chat("u1", "我要退货，订单 OD20240415008", session=session)
        state = await zj.state.get("u1", session)
        assert (state.intent, state.slots["order_id"]) == ("exchange", "OD20240415009")


async def test_patches_at_once_are_all_kept(open_zhiji: Open) -> None:
    """Ten tasks that each set their own field lose none; one that names a version it did not read is told."""
    async with open_zhiji() as zj:
        session = (await zj.sessions.start("u1")).id
        await asyncio.gather(*(zj.state.patch("u1", session, {f"field_{n}": n}) for n in range(10)))
        state = await zj.state.get("u1", session)
        assert dict(state.slots) == {f"field_{n}": n for n in range(10)}
        with pytest.raises(StaleState):
            await zj.state.patch("u1", session, {"intent": "refund"}, expected_version=state.version - 1)


async def test_an_old_conversation_opens_under_a_new_form(open_zhiji: Open) -> None:
    """A field that is new has its default, one that is gone is left out, and the conversation goes on (C035)."""
    async with open_zhiji(slots=Return) as zj:
        session = (await zj.sessions.start("u1")).id
        await zj.state.patch("u1", session, {"order_id": "OD1", "note": "左脚"})
    async with open_zhiji("好", slots=ReturnWithPhone) as zj:
        assert dict((await zj.state.get("u1", session)).slots) == {"order_id": "OD1", "phone": "", "copies": 1}
        assert (await zj.chat("u1", "继续", session=session)).text == "好"
        assert (await zj.state.patch("u1", session, {"phone": "555"})).slots["phone"] == "555"


@pytest.mark.parametrize("wrong", ["many", float("nan"), 10**400, object(), {"a": [float("inf")]}])
@pytest.mark.parametrize("schema", [Counted, None], ids=["typed", "free"])
async def test_what_does_not_fit_is_refused_by_name(open_zhiji: Open, wrong: object, schema: type | None) -> None:
    """A value that the form or JSON cannot hold is refused at the write, and the last good state still loads (C039)."""
    async with open_zhiji(slots=schema) as zj:
        session = (await zj.sessions.start("u1")).id
        await zj.state.patch("u1", session, {"count": 3})
        if schema is None and wrong == "many":
            wrong = {"when": object()}
        with pytest.raises(InvalidState, match="count"):
            await zj.state.patch("u1", session, {"count": wrong})  # type: ignore[dict-item] # on purpose
    async with open_zhiji(slots=schema) as zj:
        assert dict((await zj.state.get("u1", session)).slots) == {"count": 3}


async def test_temporary_keys_never_reach_the_disk(open_zhiji: Open, tmp_path: Path) -> None:
    """What is marked as temporary is in no table, no context, no memory and no log; its neighbours are kept (C040)."""
    async with open_zhiji(*OK) as zj:
        session = (await zj.sessions.start("u1")).id
        await zj.state.patch("u1", session, {"temp:otp": "918273", "lang": "zh"})
        await zj.state.patch("u1", session, {"slots": {"temp:pin": "918273", "form": {"temp:x": "918273", "size": 42}}})
        reply = await zj.chat("u1", "我叫李四", session=session)
        await zj.drain()
        assert dict((await zj.state.get("u1", session)).slots) == {"lang": "zh", "form": {"size": 42}}
        assert "918273" not in str((await zj.context("u1", reply.request_id)).messages)
    assert not [cell for cell in cells(tmp_path / "zhiji.db") if "918273" in cell]
