"""What Redis holds of a live session, and under which key. Pure: no I/O, no clock.

A session has one key. Its value is ``BUSY`` while a turn runs, and the session's working set between two turns: the
messages of its last closed turns with a stamp of the session after the last of them. A stamp that is not exactly what the
database says of the session makes the set worthless; that is all that keeps what is old from being used.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from zhiji.stores.base import OpenTurn, TurnEnd
from zhiji.stores.instants import micros
from zhiji.stores.rows import message_of, message_row
from zhiji.types import Message, Scope, Session

VERSION = 1
"""Of the value; any other is as good as none."""
PREFIX = "zhiji:"
"""Of every key: what an ACL user has to be allowed."""
BUSY = b"busy"
"""The value while a turn runs."""
MAX_BYTES = 262_144
"""Longest value that is written: 20 turns of 13 KB each. Longer histories stay in the database."""


class Keys:
    """The keys of one database's sessions: all of one owner are in one slot of a Cluster, and none says who that is."""

    def __init__(self, secret: str) -> None:
        """``secret``: of the database, so that nobody can try names, and several databases can share one Redis."""
        self._secret = secret.encode()

    def session(self, scope: Scope, session_id: str) -> str:
        """Return the key of a session."""
        return f"{self._owner(scope)}:s:{session_id}"

    def erasing(self, scope: Scope) -> str:
        """Return the key that is there while the owner is being erased."""
        return f"{self._owner(scope)}:erasing"

    def _owner(self, scope: Scope) -> str:
        tenant, user = scope.tenant.encode(), scope.user.encode()
        digest = hmac.digest(self._secret, b"%d:%b%b" % (len(tenant), tenant, user), "sha256")
        return f"{PREFIX}{{{digest.hex()[:32]}}}"


@dataclass(frozen=True, slots=True)
class Stamp:
    """The session after the last closed turn of the set: equal to what the database says, or the set is old."""

    created: int
    touched: int
    turns: int
    last_seq: int

    @classmethod
    def of(cls, session: Session) -> Self:
        """Return the stamp of a session in which no turn runs."""
        return cls(micros(session.created_at), micros(session.touched_at), session.turns, session.last_seq)

    @classmethod
    def before(cls, opened: OpenTurn) -> Self:
        """Return the stamp of the session before this turn was opened, if that was its only change since."""
        session = opened.session
        created, touched = micros(session.created_at), micros(session.touched_at)
        return cls(created, touched, opened.number - 1, opened.message.seq - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingSet:
    """The last closed turns of a session."""

    stamp: Stamp
    summary_upto: int
    """The turns begin after this message."""
    bound: int
    """Turns that are kept at most. Fewer than that are there: it is all of those after ``summary_upto``."""
    messages: Sequence[Message]

    @classmethod
    def after(cls, opened: OpenTurn, end: TurnEnd, session: Session, *, bound: int) -> Self | None:
        """Return the set that follows from a turn that was opened with at most ``bound`` turns of history and is closed now.

        ``session`` is what the closing returned. None: what the turn was opened with is not enough to tell.
        """
        first, number = opened.message.seq + 1, opened.number
        said = [replace(message, seq=seq, turn=number) for seq, message in enumerate(end.messages, first)]
        if session.last_seq != opened.message.seq + len(said) or session.summary_upto < opened.session.summary_upto:
            return None
        messages = recent([*opened.history, opened.message, *said], session.summary_upto, bound)
        return cls(stamp=Stamp.of(session), summary_upto=session.summary_upto, bound=bound, messages=messages)

    def history(self, opened: OpenTurn, turns: int) -> list[Message] | None:
        """Return what ``Store.load_history`` returns for the turn that was opened, or None if the set cannot tell."""
        if self.stamp != Stamp.before(opened) or opened.session.turns != opened.number:
            return None
        if opened.session.last_seq != opened.message.seq or opened.session.summary_upto < self.summary_upto:
            return None
        if turns > self.bound <= len({message.turn for message in self.messages}):
            return None
        return recent(self.messages, opened.session.summary_upto, turns)

    def value(self, key: str) -> bytes | None:
        """Return the set as it is kept under this key, or None if it is too long."""
        stamp = self.stamp
        document = {
            "v": VERSION,
            "key": key,
            "stamp": [stamp.created, stamp.touched, stamp.turns, stamp.last_seq],
            "upto": self.summary_upto,
            "bound": self.bound,
            "messages": [message_row(message) for message in self.messages],
        }
        value = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        return value if len(value) <= MAX_BYTES else None


def read(value: bytes, key: str) -> WorkingSet | None:
    """Return the set that was kept under this key; None if it is no set of this version, or another key's."""
    try:
        found = json.loads(value)
        if (found["v"], found["key"]) != (VERSION, key):
            return None
        return WorkingSet(
            stamp=Stamp(*found["stamp"]),
            summary_upto=found["upto"],
            bound=found["bound"],
            messages=[message_of(row) for row in found["messages"]],
        )
    except (ValueError, TypeError, KeyError):
        return None


def recent(messages: Sequence[Message], after_seq: int, turns: int) -> list[Message]:
    """Return the messages of the last ``turns`` turns that begin after ``after_seq``; the turns are whole."""
    first: dict[int, int] = {}
    for message in messages:
        first.setdefault(message.turn, message.seq)
    numbers = [number for number, seq in first.items() if seq > after_seq]
    kept = set(numbers[max(0, len(numbers) - turns) :])
    return [message for message in messages if message.turn in kept]
