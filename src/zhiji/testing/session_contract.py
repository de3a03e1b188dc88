"""What every store promises about sessions, their state, their summaries and their end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from zhiji.errors import InvalidInput, SessionBusy, SessionExpired, SessionNotFound, StaleState
from zhiji.stores.base import MemoryChange, Store
from zhiji.testing.values import (
    ALICE,
    BOB,
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
from zhiji.types import Conclusion, JobKind, Session, SessionStatus, Source, State


class SessionContract:
    """Sessions as values: stored whole, listed, judged by their expiry, ended, purged."""

    async def test_session_is_stored_whole(self, store: Store) -> None:
        """A session comes back equal, with its state, carried-over summary and origin."""
        state = State(
            version=3,
            intent="退货",
            slots={"order_id": "OD20240415008", "步骤": [1, 2.5, None, True, {"深": "层"}], "big": 2**63 - 1},
            conclusions=(Conclusion(tool="order", text="已签收", seq=4),),
        )
        session = Session(
            id="ses_1",
            created_at=at(1),
            touched_at=at(2.000001),
            expires_at=at(3),
            state=state,
            summary="用户想退货",
            resumed_from="ses_0",
        )
        await store.create_session(ALICE, session)
        assert await store.load_session(ALICE, "ses_1") == session
        assert await store.load_summary(ALICE, "ses_1", 0) == "用户想退货"

    async def test_unknown_session_is_absent(self, store: Store) -> None:
        """Reads of a session that is not there return nothing; writes raise."""
        assert await store.load_session(ALICE, "ses_1") is None
        assert await store.latest_session(ALICE) is None
        assert await store.list_sessions(ALICE) == []
        assert await store.load_messages(ALICE, "ses_1") == []
        assert await store.load_closed(ALICE, "ses_1", after_seq=0, upto_seq=9) == []
        assert await store.load_summary(ALICE, "ses_1", 0) is None
        assert not await store.renew_lease(ALICE, "ses_1", lease())
        assert not await store.write_summary(ALICE, "ses_1", "x", upto_seq=1, expected_upto=0)
        with pytest.raises(SessionNotFound):
            await store.begin_turn(ALICE, "ses_1", turn(1), history_turns=20)
        with pytest.raises(SessionNotFound):
            await store.append_turns(ALICE, "ses_1", [said("在吗")], jobs=[], now=at())
        with pytest.raises(SessionNotFound):
            await store.write_state(ALICE, "ses_1", State(), now=at())
        with pytest.raises(SessionNotFound):
            await store.end_session(ALICE, "ses_1", masked=[], jobs=[], now=at())

    async def test_sessions_are_listed_last_touched_first(self, store: Store) -> None:
        """Time decides; within one instant the order of the touches does."""
        for id in ("ses_b", "ses_c", "ses_a"):
            await open_session(store, id=id)
        await run_turn(store, 1, id="ses_b")
        await open_session(store, id="ses_d", seconds=-5)
        listed = [session.id for session in await store.list_sessions(ALICE)]
        assert listed == ["ses_b", "ses_a", "ses_c", "ses_d"]
        assert [session.id for session in await store.list_sessions(ALICE, limit=2)] == ["ses_b", "ses_a"]

    async def test_live_sessions_are_listed_by_pages(self, store: Store) -> None:
        """What is over is left out before the page is cut, so that a page of live ones is full."""
        for number in range(5):
            await open_session(store, id=f"ses_{number}", seconds=number)
        await ingested_session(store, id="ses_in", seconds=-9)
        await store.end_session(ALICE, "ses_4", masked=[], jobs=[], now=at(9))
        now = at(1) + TTL
        pages = [await store.list_sessions(ALICE, live_at=now, limit=2, offset=offset) for offset in (0, 2)]
        assert [[session.id for session in page] for page in pages] == [["ses_3", "ses_2"], ["ses_in"]]
        everything = await store.list_sessions(ALICE, limit=9, offset=4)
        assert [session.id for session in everything] == ["ses_0", "ses_in"]

    async def test_latest_session_is_a_chat(self, store: Store) -> None:
        """The latest session is the last touched one that is subject to TTL, ended or not."""
        await open_session(store, id="ses_1")
        await open_session(store, id="ses_2", seconds=1)
        await ingested_session(store, id="ses_3", seconds=2)
        await store.end_session(ALICE, "ses_2", masked=[], jobs=[], now=at(3))
        latest = await store.latest_session(ALICE)
        assert latest is not None
        assert (latest.id, latest.status) == ("ses_2", SessionStatus.ENDED)

    @pytest.mark.parametrize("touched", [False, True], ids=["created", "touched"])
    async def test_expiry_is_one_rule(self, store: Store, touched: bool) -> None:
        """Alive before ``expires_at``, expired from that very instant on, whichever method set it."""
        await open_session(store)
        if touched:
            await run_turn(store, 1)
        late = TTL.total_seconds()
        for seconds in (late, late + 0.5):
            with pytest.raises(SessionExpired):
                await store.begin_turn(ALICE, "ses_1", turn(2, seconds=seconds), history_turns=20)
            with pytest.raises(SessionExpired):
                await store.append_turns(ALICE, "ses_1", [said("在吗")], jobs=[], now=at(seconds))
            with pytest.raises(SessionExpired):
                await store.write_state(ALICE, "ses_1", State(), now=at(seconds))
        assert await store.expired_sessions(at(late - 0.5)) == []
        assert await store.expired_sessions(at(late)) == [(ALICE, "ses_1")]
        opened = await store.begin_turn(ALICE, "ses_1", turn(2, seconds=late - 0.5), history_turns=20)
        assert opened.turn_id == "trn_2"

    async def test_turn_that_outlasts_the_expiry_still_counts(self, store: Store) -> None:
        """A turn begun in time may end later: it slides the expiry, and upkeep leaves its session alone meanwhile."""
        await open_session(store)
        late = TTL.total_seconds()
        opened = await store.begin_turn(ALICE, "ses_1", turn(1, seconds=late - 1), history_turns=20)
        assert await store.expired_sessions(at(late + 1)) == []
        session = await store.finish_turn(ALICE, end(opened, late + 2))
        assert session.expires_at == at(late + 2) + TTL
        assert await store.expired_sessions(at(late + 2)) == []

    async def test_state_is_compared_and_set(self, store: Store) -> None:
        """The second of two writers that read the same version is refused, and the first one's state stands."""
        await open_session(store)
        first = await store.write_state(ALICE, "ses_1", State(slots={"a": 1}), now=at())
        assert first == State(version=1, slots={"a": 1})
        with pytest.raises(StaleState):
            await store.write_state(ALICE, "ses_1", State(slots={"a": 2}), now=at())
        session = await store.load_session(ALICE, "ses_1")
        assert session is not None
        assert session.state == first

    async def test_summaries_build_on_each_other(self, store: Store) -> None:
        """A summary is stored only on top of the one it was made from; former ones can be read again."""
        await open_session(store)
        assert await store.write_summary(ALICE, "ses_1", "一", upto_seq=4, expected_upto=0)
        for expected in (0, 3, 5):
            assert not await store.write_summary(ALICE, "ses_1", "旧", upto_seq=6, expected_upto=expected)
        assert await store.write_summary(ALICE, "ses_1", "二", upto_seq=8, expected_upto=4)
        session = await store.load_session(ALICE, "ses_1")
        assert session is not None
        assert (session.summary, session.summary_upto) == ("二", 8)
        assert [await store.load_summary(ALICE, "ses_1", upto) for upto in (0, 4, 6, 8)] == [None, "一", None, "二"]

    async def test_ended_session_is_masked_and_closed(self, store: Store) -> None:
        """Ending masks the given messages in place, keeps the rest, enqueues the jobs and refuses what comes after."""
        await open_session(store)
        await run_turn(store, 1)
        opened = await store.begin_turn(ALICE, "ses_1", turn(2, "电话 13812341234", 5), history_turns=20)
        masked = [replace(opened.message, content="电话 138****1234")]
        await store.end_session(ALICE, "ses_1", masked=masked, jobs=[job("ses_1", 6)], now=at(6))
        assert contents(await store.load_messages(ALICE, "ses_1")) == ["问1", "答1", "电话 138****1234"]
        assert [message.turn for message in await store.load_messages(ALICE, "ses_1")] == [1, 1, 2]
        assert contents(await store.load_closed(ALICE, "ses_1", after_seq=0, upto_seq=9)) == ["问1", "答1"]
        session = await store.load_session(ALICE, "ses_1")
        assert session is not None
        assert (session.status, session.touched_at, session.turns) == (SessionStatus.ENDED, at(), 2)
        with pytest.raises(SessionExpired):
            await store.begin_turn(ALICE, "ses_1", turn(3, seconds=7), history_turns=20)
        assert await store.count_due(scope=ALICE, now=at(6)) == 1

    async def test_end_that_has_not_read_everything_is_refused(self, store: Store) -> None:
        """An end whose caller has not seen the last message changes nothing: that message would stay unmasked."""
        await open_session(store)
        await run_turn(store, 1)
        with pytest.raises(StaleState):
            await store.end_session(ALICE, "ses_1", masked=[], jobs=[job("ses_1")], now=at(1), upto_seq=1)
        assert await store.count_due(scope=ALICE, now=at(9)) == 0
        await store.end_session(ALICE, "ses_1", masked=[], jobs=[], now=at(1), upto_seq=2)
        session = await store.load_session(ALICE, "ses_1")
        assert session is not None
        assert session.status is SessionStatus.ENDED

    async def test_running_turn_keeps_its_session(self, store: Store) -> None:
        """While a turn runs, its session does not expire, and an end that must not interrupt is refused."""
        await open_session(store)
        last = TTL.total_seconds() - 1
        opened = await store.begin_turn(ALICE, "ses_1", turn(1, "慢", last), history_turns=20)
        with pytest.raises(SessionBusy):
            await store.begin_turn(ALICE, "ses_1", turn(2, seconds=last + 5), history_turns=20)
        with pytest.raises(SessionBusy):
            await store.end_session(ALICE, "ses_1", masked=[], jobs=[], now=at(last + 5), interrupt=False)
        await store.finish_turn(ALICE, end(opened, last + 6))
        await store.end_session(ALICE, "ses_1", masked=[], jobs=[], now=at(last + 7), interrupt=False)
        assert len(await store.load_closed(ALICE, "ses_1", after_seq=0, upto_seq=9)) == 2

    async def test_forms_that_nobody_takes_over_are_dropped(self, store: Store) -> None:
        """Slots go with the time in which they could be taken over; those of live or younger sessions stay."""
        state = State(intent="退货", slots={"phone": "13812341234"})
        for id, touched in [("ses_old", 1), ("ses_young", 5), ("ses_live", 1)]:
            await open_session(store, id=id, seconds=touched)
            await store.write_state(ALICE, id, state, now=at(touched))
        for id in ("ses_old", "ses_young"):
            await store.end_session(ALICE, id, masked=[], jobs=[], now=at(9))
        assert await store.drop_leftovers(at(9), touched_before=at(5)) == 1
        assert await store.drop_leftovers(at(9), touched_before=at(5)) == 0
        kept = {one.id: (one.state.intent, dict(one.state.slots)) for one in await store.list_sessions(ALICE)}
        whole = ("退货", {"phone": "13812341234"})
        assert kept == {"ses_old": ("退货", {}), "ses_young": whole, "ses_live": whole}

    async def test_ending_twice_does_nothing(self, store: Store) -> None:
        """The second end changes no message and enqueues no job."""
        await open_session(store)
        await run_turn(store, 1)
        await store.end_session(ALICE, "ses_1", masked=[], jobs=[], now=at(1))
        other = [replace(said("换了"), seq=1, turn=1)]
        await store.end_session(ALICE, "ses_1", masked=other, jobs=[job("ses_1")], now=at(2))
        assert contents(await store.load_messages(ALICE, "ses_1")) == ["问1", "答1"]
        assert await store.list_jobs(scope=ALICE) == []

    async def test_expired_sessions_are_found_for_upkeep(self, store: Store) -> None:
        """Live chat sessions of all owners whose time is up, oldest first; not ended, ingested or running ones."""
        await open_session(store, BOB, "ses_late", seconds=3)
        await open_session(store, ALICE, "ses_early", seconds=1)
        await open_session(store, ALICE, "ses_ended")
        await store.end_session(ALICE, "ses_ended", masked=[], jobs=[], now=at(1))
        await ingested_session(store, ALICE, "ses_never")
        await open_session(store, ALICE, "ses_young", seconds=100)
        now = at(3) + TTL
        assert await store.expired_sessions(now) == [(ALICE, "ses_early"), (BOB, "ses_late")]
        assert await store.expired_sessions(now, limit=1) == [(ALICE, "ses_early")]

    async def test_transcripts_are_purged_when_their_days_are_over(self, store: Store) -> None:
        """Sessions ended until then are gone with all that belongs to them, once no job works on them any more."""
        for id in ("ses_old", "ses_busy", "ses_new", "ses_live"):
            await open_session(store, id=id)
        await run_turn(store, 1, id="ses_old")
        unsaid = [Source(session=id, seqs=(1,)) for id in ("ses_old", "ses_new")]
        await store.change_memories(ALICE, MemoryChange(unsaid=unsaid))
        await store.write_summary(ALICE, "ses_old", "摘要", upto_seq=2, expected_upto=0)
        await store.end_session(ALICE, "ses_old", masked=[], jobs=[], now=at(10))
        await store.end_session(ALICE, "ses_busy", masked=[], jobs=[job("ses_busy", 10)], now=at(10))
        await store.end_session(ALICE, "ses_new", masked=[], jobs=[], now=at(11))
        assert await store.purge_transcripts(at(9.9)) == 0
        assert await store.purge_transcripts(at(10)) == 1
        assert await store.load_session(ALICE, "ses_old") is None
        assert await store.load_messages(ALICE, "ses_old") == []
        assert await store.load_summary(ALICE, "ses_old", 2) is None
        assert await store.load_recipe(ALICE, "req_1") is None
        assert [await store.unsaid(ALICE, id) for id in ("ses_old", "ses_new")] == [set(), {1}]
        claimed = await store.claim_job(lease(10))
        assert claimed is not None
        await store.finish_job(claimed, holder="host/1/a", now=at(11))
        assert await store.purge_transcripts(at(10)) == 1
        assert {session.id for session in await store.list_sessions(ALICE)} == {"ses_new", "ses_live"}
        assert await store.list_jobs() == []

    async def test_any_text_survives(self, store: Store) -> None:
        """Emoji, combining marks, quotes and control characters come back as they were."""
        await open_session(store)
        text = "乱码 👨‍👩‍👧‍👦 e\u0301 '\"\\%_;-- \r\n\t\u202e <|im_start|>"
        await store.append_turns(ALICE, "ses_1", [said(text), answered(text)], jobs=[], now=at())
        await store.write_state(ALICE, "ses_1", State(intent=text, slots={text: text}), now=at())
        await store.append_turns(ALICE, "ses_1", [said("继续")], jobs=[job("ses_1", kind=JobKind.EMBED)], now=at())
        assert contents(await store.load_messages(ALICE, "ses_1")) == [text, text, "继续"]
        session = await store.load_session(ALICE, "ses_1")
        assert session is not None
        assert session.state == State(version=1, intent=text, slots={text: text})

    async def test_nul_is_kept_or_refused(self, store: Store) -> None:
        """A text with NUL comes back as it was, or is refused with all that it came with; it is never cut."""
        await open_session(store)
        try:
            await store.append_turns(ALICE, "ses_1", [said("甲"), said("a\x00b\x00c")], jobs=[], now=at())
            kept = ["甲", "a\x00b\x00c"]
        except InvalidInput:
            kept = []
        await store.append_turns(ALICE, "ses_1", [said("继续")], jobs=[], now=at())
        assert contents(await store.load_messages(ALICE, "ses_1")) == [*kept, "继续"]
