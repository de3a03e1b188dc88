"""The rules of sessions and turns that hold in every database: who may go on, what is numbered how. No SQL is run here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from zhiji.errors import SessionBusy, SessionExpired, StaleState
from zhiji.stores.base import OpenTurn, TurnEnd, TurnStart
from zhiji.stores.instants import micros
from zhiji.types import Message, Session, SessionStatus, State

IDEMPOTENCY = timedelta(hours=24)
"""How long an idempotency key is remembered, from the opening of its turn or, once answered, from the answer."""


@dataclass(frozen=True, slots=True)
class Held:
    """A session as stored, with the lease on it."""

    session: Session
    open_turn: int | None = None
    holder: str | None = None
    lease_until: int | None = None
    """Microseconds since 1970 UTC."""

    def is_held(self, now: datetime) -> bool:
        """Return whether a turn of the session runs under a lease that has not run out."""
        return self.holder is not None and self.lease_until is not None and micros(now) < self.lease_until

    def refuse_over(self, now: datetime) -> None:
        """Raises ``SessionExpired`` if the session was ended, or its time is up at ``now`` and no turn of it runs."""
        expires = self.session.expires_at
        if self.session.status is SessionStatus.ENDED:
            raise SessionExpired
        if expires is not None and now >= expires and not self.is_held(now):
            raise SessionExpired

    def refuse_busy(self, now: datetime) -> None:
        """Raises ``SessionBusy`` if a turn of the session runs under a lease that has not run out."""
        if self.is_held(now):
            raise SessionBusy

    def next_state(self, state: State) -> State:
        """Return ``state`` as the successor of the stored one. Raises ``StaleState`` if it was read before a change."""
        if self.session.state.version != state.version:
            raise StaleState
        return replace(state, version=state.version + 1)


def opened(session: Session, start: TurnStart) -> OpenTurn:
    """Return a new turn of the session, whose first message is the user's; its history is not filled in."""
    message = replace(start.message, seq=session.last_seq + 1, turn=session.turns + 1)
    return OpenTurn(
        session=replace(session, turns=message.turn, last_seq=message.seq),
        turn_id=start.turn_id,
        request_id=start.request_id,
        number=message.turn,
        message=message,
        history=(),
    )


def closed(row: Held, end: TurnEnd) -> tuple[Session, Sequence[Message]]:
    """Return the session after its open turn, and the messages that the turn adds, numbered.

    Raises:
        StaleState: the state was written by somebody else meanwhile.
    """
    before = row.session
    numbered = [replace(one, seq=seq, turn=before.turns) for seq, one in enumerate(end.messages, before.last_seq + 1)]
    after = replace(
        before,
        touched_at=end.now,
        expires_at=end.expires_at,
        state=row.next_state(end.state),
        last_seq=before.last_seq + len(numbered),
    )
    return after, numbered


def appended(
    before: Session, messages: Iterable[Message], *, now: datetime, goes_on: bool
) -> tuple[Session, Sequence[Message], Mapping[int, int]]:
    """Return the session after the messages, the messages numbered, and the first ``seq`` of each new turn by its number.

    ``goes_on``: the last turn is a closed one, which more of its messages may follow.
    """
    numbered = list(_numbered(messages, before, goes_on))
    starts = {message.turn: message.seq for message in reversed(numbered) if message.turn > before.turns}
    turns, last_seq = before.turns + len(starts), before.last_seq + len(numbered)
    return replace(before, touched_at=now, turns=turns, last_seq=last_seq), numbered, starts


def _numbered(messages: Iterable[Message], session: Session, goes_on: bool) -> Iterator[Message]:
    turn = session.turns
    for seq, message in enumerate(messages, session.last_seq + 1):
        if message.role == "user" or not goes_on:
            turn += 1
        goes_on = True
        yield replace(message, seq=seq, turn=turn)
