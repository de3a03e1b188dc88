"""The rules of sessions and turns that every database shares: who may go on, and what is numbered how."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhiji.errors import SessionBusy, SessionExpired, StaleState
from zhiji.stores.instants import micros
from zhiji.stores.turns import Held, appended
from zhiji.testing.doubles import EPOCH
from zhiji.types import Message, Role, Session, SessionStatus, State

SECOND = timedelta(seconds=1)
SESSION = Session(
    id="ses_1",
    created_at=EPOCH,
    touched_at=EPOCH,
    expires_at=EPOCH + SECOND,
    turns=3,
    last_seq=9,
    state=State(version=2),
)
HELD = Held(SESSION, 3, "host/1/a", micros(EPOCH + 2 * SECOND))

roles = st.lists(st.sampled_from(["user", "assistant", "tool"]), max_size=12)


def said(roles: list[Role]) -> list[Message]:
    """Return messages of these roles."""
    return [Message(role=role, content="你好 hello ＡＢ 😀", time=EPOCH) for role in roles]


@given(roles, st.booleans())
def test_appended_messages_are_numbered_without_gaps(roles: list[Role], goes_on: bool) -> None:
    """Numbers follow those of the session; a turn begins at each user message, and at the first if none goes on."""
    after, messages, starts = appended(SESSION, said(roles), now=EPOCH, goes_on=goes_on)
    assert [message.seq for message in messages] == list(range(10, 10 + len(roles)))
    assert (after.last_seq, after.turns) == (9 + len(roles), 3 + len(starts))
    begins = [n for n, role in enumerate(roles) if role == "user" or (n == 0 and not goes_on)]
    assert dict(starts) == {4 + n: 10 + at for n, at in enumerate(begins)}
    assert [message.turn for message in messages] == [3 + sum(at <= n for at in begins) for n in range(len(roles))]


def test_a_running_turn_keeps_a_session_alive_and_others_out() -> None:
    """Until its lease has run out the session is busy and not over, however late; at that instant it is over."""
    running, out = EPOCH + SECOND, EPOCH + 2 * SECOND
    HELD.refuse_over(running)
    with pytest.raises(SessionBusy):
        HELD.refuse_busy(running)
    HELD.refuse_busy(out)
    with pytest.raises(SessionExpired):
        HELD.refuse_over(out)
    with pytest.raises(SessionExpired):
        Held(SESSION).refuse_over(running)
    Held(SESSION).refuse_over(running - SECOND)


def test_an_ended_session_is_over_though_a_turn_runs() -> None:
    """Ended is ended."""
    ended = Held(replace(SESSION, status=SessionStatus.ENDED), HELD.open_turn, HELD.holder, HELD.lease_until)
    with pytest.raises(SessionExpired):
        ended.refuse_over(EPOCH)


def test_a_state_succeeds_only_the_one_it_was_read_from() -> None:
    """Its version is the next one; a state of any other version is stale."""
    assert HELD.next_state(State(version=2, intent="退款")) == State(version=3, intent="退款")
    for version in (1, 3):
        with pytest.raises(StaleState):
            HELD.next_state(State(version=version))
