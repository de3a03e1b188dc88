"""What every store promises about requests: asked again they do nothing twice, and what they were made of is kept."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from zhiji.errors import IdempotencyMismatch, LeaseLost, SessionBusy, SessionExpired
from zhiji.stores.base import JournalEntry, Once, Store
from zhiji.testing.values import (
    ALICE,
    BOB,
    LEASE,
    TTL,
    answered,
    at,
    contents,
    end,
    job,
    open_session,
    run_turn,
    said,
    turn,
)
from zhiji.types import Recipe, Session

OVER = LEASE.total_seconds()
DAY = timedelta(hours=24).total_seconds()


class RetryContract:
    """Retries, the journal of write calls, and recipes."""

    async def test_retry_of_an_answered_message_is_replayed(self, store: Store) -> None:
        """The same key returns the first reply for a day, in any session, and opens nothing."""
        await open_session(store)
        opened = await store.begin_turn(ALICE, "ses_1", turn(1, key="k", digest="d"), history_turns=20)
        closing = end(opened, 10)
        await store.finish_turn(ALICE, closing)
        await open_session(store, id="ses_2", seconds=DAY)
        for id in ("ses_1", "ses_2"):
            again = turn(2, seconds=DAY + 9.9, key="k", digest="d")
            replayed = await store.begin_turn(ALICE, id, again, history_turns=20)
            assert replayed.replay == closing.reply
            assert (replayed.turn_id, replayed.request_id, replayed.session.id) == ("trn_1", "req_1", "ses_1")
            assert replayed.message == opened.message
        assert len(await store.load_messages(ALICE, "ses_1")) == 2
        assert await store.load_messages(ALICE, "ses_2") == []
        assert await store.keyed_session(ALICE, "k", now=at(DAY + 9.9)) == "ses_1"
        assert await store.keyed_session(ALICE, "k", now=at(DAY + 10)) is None
        fresh = await store.begin_turn(ALICE, "ses_2", turn(3, seconds=DAY + 10, key="k", digest="e"), history_turns=20)
        assert (fresh.replay, fresh.turn_id) == (None, "trn_3")

    async def test_key_with_another_message_is_refused(self, store: Store) -> None:
        """One key stands for one message, answered, failed or running."""
        await open_session(store)
        opened = await store.begin_turn(ALICE, "ses_1", turn(1, key="k", digest="d"), history_turns=20)
        other = turn(2, "别的", key="k", digest="e")
        with pytest.raises(IdempotencyMismatch):
            await store.begin_turn(ALICE, "ses_1", other, history_turns=20)
        await store.finish_turn(ALICE, end(opened))
        with pytest.raises(IdempotencyMismatch):
            await store.begin_turn(ALICE, "ses_1", other, history_turns=20)

    async def test_turns_from_elsewhere_are_appended_once(self, store: Store) -> None:
        """The same key appends nothing for a day, in whatever session, and makes no session; another body is refused."""
        fresh = Session(id="ses_1", created_at=at(), touched_at=at(), expires_at=None)
        other = replace(fresh, id="ses_2")
        once = Once(key="k", digest="d")
        batch = [answered("欢迎"), said("我叫李四"), answered("好的"), said("退货")]
        first = await store.append_turns(ALICE, "ses_1", batch, jobs=[job("ses_1")], now=at(), create=fresh, once=once)
        assert (first.id, first.turns, first.last_seq) == ("ses_1", 3, 4)
        late = at(DAY - 0.1)
        again = await store.append_turns(ALICE, "ses_2", batch, jobs=[job("ses_2")], now=late, create=other, once=once)
        assert again == first
        assert await store.load_session(ALICE, "ses_2") is None
        assert len(await store.load_messages(ALICE, "ses_1")) == 4
        assert [each.subject for each in await store.list_jobs(scope=ALICE)] == ["ses_1"]
        with pytest.raises(IdempotencyMismatch):
            await store.append_turns(ALICE, "ses_1", batch, jobs=[], now=late, once=replace(once, digest="e"))
        with pytest.raises(IdempotencyMismatch):
            await store.begin_turn(ALICE, "ses_1", turn(9, key="k", digest="f"), history_turns=20)
        assert await store.keyed_session(BOB, "k", now=at()) is None
        anew = await store.append_turns(ALICE, "ses_2", batch, jobs=[], now=at(DAY), create=other, once=once)
        assert (anew.id, anew.last_seq) == ("ses_2", 4)

    async def test_retry_of_a_running_message_is_busy(self, store: Store) -> None:
        """While the first attempt runs, in whatever session, a retry does not start a second one."""
        for id in ("ses_1", "ses_2"):
            await open_session(store, id=id)
        await store.begin_turn(ALICE, "ses_1", turn(1, key="k", digest="d"), history_turns=20)
        for id in ("ses_1", "ses_2"):
            with pytest.raises(SessionBusy):
                await store.begin_turn(ALICE, id, turn(2, key="k", digest="d"), history_turns=20)
        again = await store.begin_turn(ALICE, "ses_2", turn(2, seconds=OVER, key="k", digest="d"), history_turns=20)
        assert (again.turn_id, again.session.id) == ("trn_1", "ses_2")
        assert (await store.begin_turn(ALICE, "ses_1", turn(3, seconds=OVER), history_turns=20)).number == 2

    async def test_failed_turn_is_opened_again_in_place(self, store: Store) -> None:
        """A retry of the last, failed turn has its ids, number and message, and finds its journaled results."""
        await open_session(store)
        await store.begin_turn(ALICE, "ses_1", turn(1, "退款", key="k", digest="d"), history_turns=20)
        assert await store.journal_start(ALICE, "trn_1", "refund:1", "refund") is None
        await store.journal_finish(ALICE, "trn_1", "refund:1", "已退 99 元", failed=False)
        await store.fail_turn(ALICE, "ses_1", "trn_1", holder="host/1/a", code="model_error")
        again = await store.begin_turn(ALICE, "ses_1", turn(2, "退款", 9, key="k", digest="d"), history_turns=20)
        assert (again.turn_id, again.request_id, again.number, again.replay) == ("trn_1", "req_1", 1, None)
        assert again.message == replace(said("退款"), seq=1, turn=1)
        entry = JournalEntry(key="refund:1", tool="refund", result="已退 99 元")
        assert await store.journal_start(ALICE, "trn_1", "refund:1", "refund") == entry
        await store.finish_turn(ALICE, end(again, 10))
        assert contents(await store.load_messages(ALICE, "ses_1")) == ["退款", "好的"]

    @pytest.mark.parametrize("where", ["ses_1", "ses_2"])
    async def test_failed_turn_is_opened_again_at_the_end(self, store: Store, where: str) -> None:
        """If other turns followed, or in another session, a new turn takes the ids over: nothing is interleaved."""
        for id in ("ses_1", "ses_2"):
            await open_session(store, id=id)
        await store.begin_turn(ALICE, "ses_1", turn(1, "退款", key="k", digest="d"), history_turns=20)
        await store.journal_start(ALICE, "trn_1", "refund:1", "refund")
        await store.fail_turn(ALICE, "ses_1", "trn_1", holder="host/1/a", code="model_error")
        await run_turn(store, 2)
        again = await store.begin_turn(ALICE, where, turn(3, "退款", 9, key="k", digest="d"), history_turns=20)
        assert (again.turn_id, again.request_id, again.session.id) == ("trn_1", "req_1", where)
        unknown = JournalEntry(key="refund:1", tool="refund", result=None)
        assert await store.journal_start(ALICE, "trn_1", "refund:1", "refund") == unknown
        assert await store.keyed_session(ALICE, "k", now=at(9)) == where
        await store.finish_turn(ALICE, end(again, 10))
        before = ["退款", "问2", "答2"] if where == "ses_1" else []
        stored = await store.load_messages(ALICE, where)
        assert contents(stored) == [*before, "退款", "好的"]
        assert [message.turn for message in stored] == sorted(message.turn for message in stored)

    async def test_answered_message_is_replayed_after_the_session_is_over(self, store: Store) -> None:
        """A client that lost the reply gets it even if its session has expired meanwhile."""
        await open_session(store)
        opened = await store.begin_turn(ALICE, "ses_1", turn(1, key="k", digest="d"), history_turns=20)
        await store.finish_turn(ALICE, end(opened))
        await store.end_session(ALICE, "ses_1", masked=[], jobs=[], now=at(1))
        late = turn(2, seconds=TTL.total_seconds() + 1, key="k", digest="d")
        replayed = await store.begin_turn(ALICE, "ses_1", late, history_turns=20)
        assert replayed.replay == {"text": "好的", "turn_id": "trn_1"}

    async def test_retry_in_a_session_that_is_over_is_refused(self, store: Store) -> None:
        """A failed turn is not opened again in an expired session; the next session finds its journal."""
        await open_session(store)
        await store.begin_turn(ALICE, "ses_1", turn(1, key="k", digest="d"), history_turns=20)
        await store.journal_start(ALICE, "trn_1", "refund:1", "refund")
        late = TTL.total_seconds()
        retry = turn(2, seconds=late, key="k", digest="d")
        with pytest.raises(SessionExpired):
            await store.begin_turn(ALICE, "ses_1", retry, history_turns=20)
        await store.end_session(ALICE, "ses_1", masked=[], jobs=[], now=at(late))
        await open_session(store, id="ses_2", seconds=late)
        assert (await store.begin_turn(ALICE, "ses_2", retry, history_turns=20)).turn_id == "trn_1"
        assert await store.journal_start(ALICE, "trn_1", "refund:1", "refund") is not None

    async def test_results_that_nobody_retries_are_dropped(self, store: Store) -> None:
        """A failed turn's journal outlives its session only as long as its key: 24 hours."""
        await open_session(store)
        await store.begin_turn(ALICE, "ses_1", turn(1, key="k", digest="d"), history_turns=20)
        await store.journal_start(ALICE, "trn_1", "refund:1", "refund")
        await store.end_session(ALICE, "ses_1", masked=[], jobs=[], now=at(1))
        day = 24 * 3600
        assert await store.drop_leftovers(at(day - 1), touched_before=at()) == 0
        assert await store.drop_leftovers(at(day), touched_before=at()) == 1
        assert await store.drop_leftovers(at(day), touched_before=at()) == 0

    # -- journal and recipes --

    async def test_write_call_is_journaled_once(self, store: Store) -> None:
        """A call is journaled before it runs; asked again, its entry says what came of it, or that nobody knows."""
        await open_session(store)
        await store.begin_turn(ALICE, "ses_1", turn(1), history_turns=20)
        assert await store.journal_start(ALICE, "trn_1", "a", "refund") is None
        assert await store.journal_start(ALICE, "trn_1", "a", "refund") == JournalEntry(
            key="a", tool="refund", result=None
        )
        await store.journal_finish(ALICE, "trn_1", "a", "余额不足", failed=True)
        assert await store.journal_start(ALICE, "trn_1", "a", "refund") == JournalEntry(
            key="a", tool="refund", result="余额不足", failed=True
        )
        assert await store.journal_start(ALICE, "trn_1", "b", "refund") is None
        await store.journal_finish(ALICE, "trn_1", "c", "没有记过", failed=False)
        assert await store.journal_start(ALICE, "trn_1", "c", "refund") is None

    async def test_journal_needs_an_open_turn(self, store: Store) -> None:
        """Nothing is journaled, so nothing runs, for a turn that is unknown, closed or failed."""
        await open_session(store)
        with pytest.raises(LeaseLost):
            await store.journal_start(ALICE, "trn_0", "a", "refund")
        await run_turn(store, 1)
        with pytest.raises(LeaseLost):
            await store.journal_start(ALICE, "trn_1", "a", "refund")

    async def test_recipe_is_kept_with_its_request(self, store: Store) -> None:
        """The recipe of a finished request comes back equal; an open one has none."""
        await open_session(store)
        opened = await store.begin_turn(ALICE, "ses_1", turn(1), history_turns=20)
        recipe = Recipe(
            session="ses_1",
            turn=1,
            prompt_digest="ab" * 32,
            profile=("mem_p",),
            recalled=(("mem_1", 0.75, "both"), ("mem_2", 1 / 3, "keyword")),
            summary_upto=4,
            first_seq=5,
            cut={7: 120},
            notes=("订单：OD20240415008",),
            tools=("find_order",),
            asked=("mem_w",),
        )
        assert await store.load_recipe(ALICE, "req_1") is None
        await store.finish_turn(ALICE, replace(end(opened), recipe=recipe))
        assert await store.load_recipe(ALICE, "req_1") == recipe
        assert await store.load_recipe(ALICE, "req_2") is None

    async def test_memories_that_reached_contexts_are_known(self, store: Store) -> None:
        """The profile, the recalled memories and the one asked about, of a range of turns, each once, in order."""
        await open_session(store)
        for number, recalled in ((1, ["mem_a", "mem_b"]), (2, ["mem_b", "mem_c"]), (3, ["mem_d"])):
            opened = await store.begin_turn(ALICE, "ses_1", turn(number), history_turns=20)
            closing = end(opened, recalled=recalled)
            await store.finish_turn(
                ALICE,
                replace(closing, recipe=replace(closing.recipe, profile=("mem_p",), asked=("mem_w",) * (number == 3))),
            )
        among = await store.recalled_in(ALICE, "ses_1", first_turn=1, last_turn=2)
        assert among == ["mem_p", "mem_a", "mem_b", "mem_c"]
        assert await store.recalled_in(ALICE, "ses_1", first_turn=3, last_turn=3) == ["mem_p", "mem_d", "mem_w"]
        assert await store.recalled_in(ALICE, "ses_1", first_turn=4, last_turn=9) == []
