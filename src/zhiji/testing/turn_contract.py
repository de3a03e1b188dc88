"""What every store promises about turns: one at a time, whole or failed, in order."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import replace
from datetime import timedelta

import pytest

from zhiji.errors import LeaseLost, SessionBusy, StaleState
from zhiji.stores.base import Store
from zhiji.testing.values import (
    ALICE,
    BOB,
    LEASE,
    TTL,
    answered,
    at,
    contents,
    end,
    ingested_session,
    job,
    lease,
    open_session,
    run_turn,
    said,
    turn,
)
from zhiji.types import Message, State, ToolCall

CALL = ToolCall(id="call_1", name="find_order", arguments='{"order_id": "OD20240415008"}')
OVER = LEASE.total_seconds()
DAY = timedelta(hours=24).total_seconds()


def tool_messages(name: str, seconds: float = 0) -> list[Message]:
    """Return a call, its result and the answer, each marked with ``name``."""
    call = replace(CALL, id=name)
    return [
        replace(answered("", seconds), tool_calls=(call,), tokens=7),
        Message(role="tool", content=f"{name} 结果", time=at(seconds), name="find_order", tool_call_id=name),
        answered(f"{name} 答", seconds),
    ]


class TurnContract:
    """Turns from their opening to their end."""

    async def test_the_log_says_what_became_of_turns(self, store: Store) -> None:
        """The last turns with their outcome, the lease of an open one and the end of the session; nobody else's."""
        await open_session(store)
        await run_turn(store, 1)
        await store.begin_turn(ALICE, "ses_1", turn(2, seconds=1), history_turns=20)
        await store.fail_turn(ALICE, "ses_1", "trn_2", holder="host/1/a", code="model_timeout")
        await store.begin_turn(ALICE, "ses_1", turn(3, seconds=2), history_turns=20)
        log = await store.session_log(ALICE, "ses_1", last=2)
        assert log is not None
        assert (log.ended_at, log.lease_until) == (None, at(2) + LEASE)
        failed, running = log.turns
        assert (failed.number, failed.status, failed.first_seq, failed.error) == (2, "failed", 3, "model_timeout")
        assert (running.number, running.status, running.error) == (3, "open", "")
        assert (running.time, running.request_id) == (at(2), "req_3")
        await store.end_session(ALICE, "ses_1", masked=[], jobs=[], now=at(3))
        log = await store.session_log(ALICE, "ses_1", last=9)
        assert log is not None
        assert (log.ended_at, log.lease_until) == (at(3), None)
        assert [(one.status, one.error) for one in log.turns] == [
            ("closed", ""),
            ("failed", "model_timeout"),
            ("failed", "lease_lost"),
        ]
        assert await store.session_log(BOB, "ses_1", last=9) is None

    async def test_turn_is_open_then_closed(self, store: Store) -> None:
        """Opening commits the user's message; closing commits everything else in one step."""
        await open_session(store)
        opened = await store.begin_turn(ALICE, "ses_1", turn(1, "查订单"), history_turns=20)
        assert (opened.turn_id, opened.request_id, opened.number) == ("trn_1", "req_1", 1)
        assert opened.message == replace(said("查订单"), seq=1, turn=1)
        assert (opened.session.turns, opened.session.last_seq, list(opened.history)) == (1, 1, [])
        assert contents(await store.load_messages(ALICE, "ses_1")) == ["查订单"]
        state = State(intent="查单", slots={"order_id": "OD20240415008"})
        closing = end(opened, 5, messages=tool_messages("t1", 4), state=state, jobs=[job("ses_1", 5)])
        session = await store.finish_turn(ALICE, closing)
        assert session == await store.load_session(ALICE, "ses_1")
        assert session.state == replace(state, version=1)
        assert (session.touched_at, session.expires_at, session.last_seq) == (at(5), at(5) + TTL, 4)
        stored = await store.load_messages(ALICE, "ses_1")
        assert [(message.seq, message.turn) for message in stored] == [(1, 1), (2, 1), (3, 1), (4, 1)]
        assert [replace(message, seq=0, turn=0) for message in stored[1:]] == list(closing.messages)
        assert [each.subject for each in await store.list_jobs(scope=ALICE)] == ["ses_1"]

    async def test_history_is_read_by_itself(self, store: Store) -> None:
        """What a turn would be opened with can be read without opening one: closed turns, a number of them, after a place."""
        await open_session(store)
        for number in (1, 2, 3):
            await run_turn(store, number)
        opened = await store.begin_turn(ALICE, "ses_1", turn(4), history_turns=2)
        assert list(opened.history) == await store.load_history(ALICE, "ses_1", after_seq=0, turns=2)
        assert [message.turn for message in opened.history] == [2, 2, 3, 3]
        assert await store.load_history(ALICE, "ses_1", after_seq=4, turns=9) == list(opened.history)[2:]
        assert await store.load_history(ALICE, "ses_1", after_seq=0, turns=0) == []
        assert await store.load_history(BOB, "ses_1", after_seq=0, turns=9) == []
        again = await store.begin_turn(ALICE, "ses_1", turn(5, seconds=60), history_turns=0)
        assert list(again.history) == []

    async def test_messages_of_one_instant_keep_their_order(self, store: Store) -> None:
        """Order is by sequence, never by time: as they were put in, every time, in one batch or one by one."""
        batch = [*tool_messages("t1")[:2], answered("done"), said("next")]
        for id in ("ses_1", "ses_2"):
            await ingested_session(store, id=id)
            await store.append_turns(ALICE, id, [said("查")], jobs=[], now=at())
        await store.append_turns(ALICE, "ses_1", batch, jobs=[], now=at())
        for message in batch:
            await store.append_turns(ALICE, "ses_2", [message], jobs=[], now=at())
        expected = ["查", "", "t1 结果", "done", "next"]
        for _ in range(3):
            for id in ("ses_1", "ses_2"):
                assert contents(await store.load_messages(ALICE, id)) == expected
                assert contents(await store.load_messages(ALICE, id, last=2)) == ["done", "next"]
        assert await store.load_messages(ALICE, "ses_1") == await store.load_messages(ALICE, "ses_2")

    async def test_messages_are_read_by_range(self, store: Store) -> None:
        """``after_seq`` is left out, ``upto_seq`` is in, ``last`` keeps the newest of the range."""
        await open_session(store)
        for number in (1, 2, 3):
            await run_turn(store, number)
        middle = await store.load_messages(ALICE, "ses_1", after_seq=1, upto_seq=4)
        assert [message.seq for message in middle] == [2, 3, 4]
        newest = await store.load_messages(ALICE, "ses_1", after_seq=1, upto_seq=4, last=2)
        assert [message.seq for message in newest] == [3, 4]
        assert await store.load_messages(ALICE, "ses_1", last=0) == []

    async def test_one_turn_at_a_time(self, store: Store) -> None:
        """While a turn runs its session is busy for everybody, the same holder included."""
        await open_session(store)
        opened = await store.begin_turn(ALICE, "ses_1", turn(1), history_turns=20)
        for holder in ("host/1/a", "host/2/b"):
            with pytest.raises(SessionBusy):
                await store.begin_turn(ALICE, "ses_1", turn(2, seconds=OVER - 1, holder=holder), history_turns=20)
        with pytest.raises(SessionBusy):
            await store.append_turns(ALICE, "ses_1", [said("插话")], jobs=[], now=at(1))
        await store.finish_turn(ALICE, end(opened, 2))
        assert (await run_turn(store, 2, 3)).turns == 2

    async def test_lease_that_ran_out_is_taken_over(self, store: Store) -> None:
        """From ``until`` on the next turn may begin; the former one is failed and can write nothing any more."""
        await open_session(store)
        slow = await store.begin_turn(ALICE, "ses_1", turn(1, "慢"), history_turns=20)
        quick = await store.begin_turn(ALICE, "ses_1", turn(2, "快", OVER, holder="host/2/b"), history_turns=20)
        assert list(quick.history) == []
        with pytest.raises(LeaseLost):
            await store.finish_turn(ALICE, end(slow, OVER, state=State(intent="晚了"), jobs=[job("ses_1")]))
        with pytest.raises(LeaseLost):
            await store.journal_start(ALICE, "trn_1", "refund", "refund")
        assert not await store.renew_lease(ALICE, "ses_1", lease(OVER))
        await store.fail_turn(ALICE, "ses_1", "trn_1", holder="host/1/a", code="late")
        await store.finish_turn(ALICE, end(quick, OVER + 1, holder="host/2/b"))
        assert contents(await store.load_messages(ALICE, "ses_1")) == ["慢", "快", "好的"]
        assert contents(await store.load_closed(ALICE, "ses_1", after_seq=0, upto_seq=9)) == ["快", "好的"]
        assert await store.list_jobs(scope=ALICE) == []

    async def test_late_turn_counts_if_nobody_took_over(self, store: Store) -> None:
        """A lease that ran out unnoticed loses nothing: the turn is still open under its holder."""
        await open_session(store)
        opened = await store.begin_turn(ALICE, "ses_1", turn(1), history_turns=20)
        session = await store.finish_turn(ALICE, end(opened, OVER + 5))
        assert session.last_seq == 2

    async def test_renewed_lease_lasts(self, store: Store) -> None:
        """A renewed lease keeps others out until its new end."""
        await open_session(store)
        await store.begin_turn(ALICE, "ses_1", turn(1), history_turns=20)
        assert await store.renew_lease(ALICE, "ses_1", lease(20))
        assert not await store.renew_lease(ALICE, "ses_1", lease(20, "host/2/b"))
        with pytest.raises(SessionBusy):
            await store.begin_turn(ALICE, "ses_1", turn(2, seconds=20 + OVER - 1), history_turns=20)
        assert (await store.begin_turn(ALICE, "ses_1", turn(2, seconds=20 + OVER), history_turns=20)).number == 2

    async def test_failed_turn_does_not_poison_the_session(self, store: Store) -> None:
        """A failed turn stays in the transcript, is left out of contexts, and the next one works."""
        await open_session(store)
        await run_turn(store, 1)
        await store.begin_turn(ALICE, "ses_1", turn(2, "坏了"), history_turns=20)
        await store.fail_turn(ALICE, "ses_1", "trn_2", holder="host/2/b", code="model_error")
        with pytest.raises(SessionBusy):
            await store.begin_turn(ALICE, "ses_1", turn(3), history_turns=20)
        await store.fail_turn(ALICE, "ses_1", "trn_2", holder="host/1/a", code="model_error")
        again = await store.begin_turn(ALICE, "ses_1", turn(3, "再试一次"), history_turns=20)
        assert contents(again.history) == ["问1", "答1"]
        await store.finish_turn(ALICE, end(again))
        assert contents(await store.load_messages(ALICE, "ses_1")) == ["问1", "答1", "坏了", "再试一次", "好的"]
        closed = await store.load_closed(ALICE, "ses_1", after_seq=0, upto_seq=9)
        assert contents(closed) == ["问1", "答1", "再试一次", "好的"]

    async def test_history_is_the_last_closed_turns_after_the_summary(self, store: Store) -> None:
        """Whole turns by sequence: as many as asked for, none that the summary covers."""
        await open_session(store)
        for number in range(1, 7):
            await run_turn(store, number)
        numbers = itertools.count(7)

        async def history(turns: int) -> list[str]:
            opened = await store.begin_turn(ALICE, "ses_1", turn(next(numbers)), history_turns=turns)
            await store.fail_turn(ALICE, "ses_1", opened.turn_id, holder="host/1/a", code="test")
            return contents(opened.history)

        assert await history(2) == ["问5", "答5", "问6", "答6"]
        assert await history(0) == []
        assert len(await history(99)) == 12
        await store.write_summary(ALICE, "ses_1", "摘要", upto_seq=8, expected_upto=0)
        assert await history(99) == ["问5", "答5", "问6", "答6"]
        assert await history(1) == ["问6", "答6"]
        await store.append_turns(ALICE, "ses_1", [said("独白")], jobs=[], now=at())
        alone = (await store.load_messages(ALICE, "ses_1", last=1))[0]
        assert await history(1) == ["独白"]
        await store.write_summary(ALICE, "ses_1", "摘要", upto_seq=alone.seq, expected_upto=8)
        assert await history(99) == []

    async def test_stale_state_writes_nothing(self, store: Store) -> None:
        """A turn that read an older state is refused whole, stays open, and succeeds with the state read again."""
        await open_session(store)
        opened = await store.begin_turn(ALICE, "ses_1", turn(1), history_turns=20)
        patched = await store.write_state(ALICE, "ses_1", State(slots={"a": 1}), now=at())
        with pytest.raises(StaleState):
            await store.finish_turn(ALICE, end(opened, jobs=[job("ses_1")]))
        assert len(await store.load_messages(ALICE, "ses_1")) == 1
        assert await store.list_jobs(scope=ALICE) == []
        reread = replace(opened, session=replace(opened.session, state=patched))
        session = await store.finish_turn(ALICE, end(reread))
        assert session.state == State(version=2, slots={"a": 1})

    # -- turns that happened elsewhere --

    async def test_appended_messages_are_grouped_into_turns(self, store: Store) -> None:
        """A turn starts at each user message; what comes before the first one continues the last turn."""
        await ingested_session(store)
        messages = [answered("欢迎"), said("一"), *tool_messages("t1"), said("二")]
        session = await store.append_turns(ALICE, "ses_1", messages, jobs=[job("ses_1")], now=at(3))
        assert (session.turns, session.last_seq, session.touched_at, session.expires_at) == (3, 6, at(3), None)
        await store.append_turns(ALICE, "ses_1", [answered("二答"), said("三")], jobs=[], now=at(4))
        stored = await store.load_messages(ALICE, "ses_1")
        assert [message.turn for message in stored] == [1, 2, 2, 2, 2, 3, 3, 4]
        assert [message.seq for message in stored] == list(range(1, 9))
        assert stored == await store.load_closed(ALICE, "ses_1", after_seq=0, upto_seq=99)
        assert stored[2].tool_calls == (replace(CALL, id="t1"),)
        assert len(await store.list_jobs(scope=ALICE)) == 1

    async def test_append_touches_without_sliding(self, store: Store) -> None:
        """A chat session that gets messages from elsewhere keeps its expiry; no messages are fine, too."""
        await open_session(store)
        session = await store.append_turns(ALICE, "ses_1", [said("一")], jobs=[], now=at(9))
        assert (session.touched_at, session.expires_at) == (at(9), at() + TTL)
        empty = await store.append_turns(ALICE, "ses_1", [], jobs=[], now=at(10))
        assert (empty.touched_at, empty.last_seq, empty.turns) == (at(10), 1, 1)
        assert empty == await store.load_session(ALICE, "ses_1")

    async def test_append_never_continues_a_failed_turn(self, store: Store) -> None:
        """Messages after a failed turn start a turn of their own, so that they are not left out with it."""
        await open_session(store)
        await store.begin_turn(ALICE, "ses_1", turn(1, "坏了"), history_turns=20)
        await store.append_turns(ALICE, "ses_1", [answered("人工客服答")], jobs=[], now=at(OVER))
        closed = await store.load_closed(ALICE, "ses_1", after_seq=0, upto_seq=9)
        assert [(message.content, message.turn) for message in closed] == [("人工客服答", 2)]

    # -- at the same time --

    async def test_two_writers_lose_nothing(self, store: Store) -> None:
        """Two tasks that append 50 messages each leave exactly 100, each in its own order, numbered 1 to 100."""
        await ingested_session(store)

        async def write(name: str) -> None:
            for number in range(50):
                await store.append_turns(ALICE, "ses_1", [said(f"{name}-{number:02}")], jobs=[], now=at())

        await asyncio.gather(write("A"), write("B"))
        stored = await store.load_messages(ALICE, "ses_1")
        assert [message.seq for message in stored] == list(range(1, 101))
        for name in "AB":
            own = [content for content in contents(stored) if content.startswith(name)]
            assert own == [f"{name}-{number:02}" for number in range(50)]

    async def test_turns_at_the_same_time_do_not_interleave(self, store: Store) -> None:
        """Whole turns follow each other: each call stands right before its own result."""
        await open_session(store)

        async def chat(name: str, first: int) -> None:
            for number in range(first, first + 10):
                while True:
                    try:
                        start = turn(number, f"{name}{number} 问")
                        opened = await store.begin_turn(ALICE, "ses_1", start, history_turns=20)
                        break
                    except SessionBusy:
                        await asyncio.sleep(0)
                await store.finish_turn(ALICE, end(opened, messages=tool_messages(f"{name}{number}")))

        await asyncio.gather(chat("X", 1), chat("Y", 101))
        stored = await store.load_messages(ALICE, "ses_1")
        assert [message.seq for message in stored] == list(range(1, 81))
        for place in range(0, 80, 4):
            asked, called, result, answer = stored[place : place + 4]
            name = asked.content.removesuffix(" 问")
            assert called.tool_calls[0].id == result.tool_call_id == name
            assert (answer.content, answer.turn) == (f"{name} 答", place // 4 + 1)
