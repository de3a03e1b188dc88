"""Turns: opened with the user's message, then closed with everything else, or failed. One at a time per session.

Functions run inside the caller's transaction, so what they check still holds when they write. An idempotency key finds
the turn that it was first used for: answered, it is replayed; failed, its ids pass on to the new attempt, so that
journaled tool results are found.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from zhiji.errors import IdempotencyMismatch, LeaseLost
from zhiji.stores import turns as rules
from zhiji.stores.base import Lease, NewJob, Once, OpenTurn, SessionLog, TurnEnd, TurnStart
from zhiji.stores.instants import micros
from zhiji.stores.rows import log_of
from zhiji.stores.sqlite import jobs as job_table
from zhiji.stores.sqlite import memories, requests, sessions, transcript
from zhiji.stores.turns import IDEMPOTENCY, Held
from zhiji.types import Message, Session


@dataclass(frozen=True, slots=True)
class _Former:
    """The turn that an idempotency key belongs to."""

    session: str
    number: int
    status: str
    first_seq: int
    id: str
    request: str


# --- begin ----------------------------------------------------------------------------------------------------------


def begin(
    connection: sqlite3.Connection, owner: int, session_id: str, start: TurnStart, history_turns: int
) -> OpenTurn:
    """See ``Store.begin_turn``."""
    now = start.lease.now
    row = sessions.require(connection, owner, session_id)
    once = None if start.idempotency_key is None else Once(key=start.idempotency_key, digest=start.body_digest)
    former = _former(connection, owner, once, now)
    if former is not None and former.status == "closed":
        return _replay(connection, owner, former)
    row.refuse_over(now)
    row.refuse_busy(now)
    sessions.fail_open(connection, owner, row)
    if former is not None and former.status == "open" and former.session != session_id:
        _fail_elsewhere(connection, owner, former.session, now)
    opened = _open(connection, owner, row.session, start, former)
    after = opened.session.summary_upto
    return replace(opened, history=transcript.history(connection, owner, session_id, after, history_turns))


def _former(connection: sqlite3.Connection, owner: int, once: Once | None, now: datetime) -> _Former | None:
    if once is None:
        return None
    found = connection.execute(
        """SELECT time, digest, session, number, status, first_seq, id, request FROM zhiji_turns
        WHERE owner = ? AND key = ?""",
        (owner, once.key),
    ).fetchone()
    if found is None:
        return None
    time, digest, *rest = found
    former = _Former(*rest)
    if time <= micros(now - IDEMPOTENCY):
        connection.execute("UPDATE zhiji_turns SET key = NULL WHERE owner = ? AND key = ?", (owner, once.key))
        return None
    if digest != once.digest:
        raise IdempotencyMismatch
    return former


def _replay(connection: sqlite3.Connection, owner: int, former: _Former) -> OpenTurn:
    return OpenTurn(
        session=sessions.require(connection, owner, former.session).session,
        turn_id=former.id,
        request_id=former.request,
        number=former.number,
        message=transcript.load_one(connection, owner, former.session, former.first_seq),
        history=(),
        replay=requests.load_reply(connection, owner, former.request),
    )


def _fail_elsewhere(connection: sqlite3.Connection, owner: int, session_id: str, now: datetime) -> None:
    row = sessions.require(connection, owner, session_id)
    row.refuse_busy(now)
    sessions.fail_open(connection, owner, row)


def _open(
    connection: sqlite3.Connection, owner: int, session: Session, start: TurnStart, former: _Former | None
) -> OpenTurn:
    if former is None:
        opened = _open_new(connection, owner, session, start)
    elif (former.session, former.number) == (session.id, session.turns):
        opened = _open_again(connection, owner, session, start, former)
    else:
        _pass_on(connection, owner, former)
        ids = replace(start, turn_id=former.id, request_id=former.request)
        opened = _open_new(connection, owner, session, ids)
    lease, held = start.lease, opened.session
    connection.execute(
        """UPDATE zhiji_sessions SET turns = ?, last_seq = ?, open_turn = ?, holder = ?, lease_until = ?
        WHERE owner = ? AND id = ?""",
        (held.turns, held.last_seq, opened.number, lease.holder, micros(lease.until), owner, held.id),
    )
    return opened


def _open_new(connection: sqlite3.Connection, owner: int, session: Session, start: TurnStart) -> OpenTurn:
    turn = rules.opened(session, start)
    message = turn.message
    asked = (start.turn_id, start.request_id, start.idempotency_key, start.body_digest)
    connection.execute(
        "INSERT INTO zhiji_turns VALUES (?, ?, ?, 'open', ?, ?, ?, ?, ?, ?, NULL)",
        (owner, session.id, message.turn, message.seq, micros(start.lease.now), *asked),
    )
    transcript.insert(connection, owner, session.id, [message])
    return turn


def _open_again(
    connection: sqlite3.Connection, owner: int, session: Session, start: TurnStart, former: _Former
) -> OpenTurn:
    connection.execute(
        "UPDATE zhiji_turns SET status = 'open', time = ?, error = NULL WHERE owner = ? AND id = ?",
        (micros(start.lease.now), owner, former.id),
    )
    return OpenTurn(
        session=session,
        turn_id=former.id,
        request_id=former.request,
        number=former.number,
        message=transcript.load_one(connection, owner, session.id, former.first_seq),
        history=(),
    )


def _pass_on(connection: sqlite3.Connection, owner: int, former: _Former) -> None:
    # Other turns followed, or it was in another session: reopened in place, its answer would not follow its question.
    connection.execute(
        "UPDATE zhiji_turns SET id = NULL, request = NULL, key = NULL WHERE owner = ? AND id = ?", (owner, former.id)
    )


def keyed_session(connection: sqlite3.Connection, owner: int, key: str, now: datetime) -> str | None:
    """See ``Store.keyed_session``."""
    row = connection.execute(
        "SELECT session FROM zhiji_turns WHERE owner = ? AND key = ? AND time > ?",
        (owner, key, micros(now - IDEMPOTENCY)),
    ).fetchone()
    return None if row is None else str(row[0])


# --- what became of them ---------------------------------------------------------------------------------------------


def session_log(connection: sqlite3.Connection, owner: int, session_id: str, last: int) -> SessionLog | None:
    """See ``Store.session_log``."""
    row = connection.execute(
        "SELECT ended, lease_until FROM zhiji_sessions WHERE owner = ? AND id = ?", (owner, session_id)
    ).fetchone()
    if row is None:
        return None
    turns = connection.execute(
        """SELECT number, status, first_seq, time, request, error FROM zhiji_turns
        WHERE owner = ? AND session = ? ORDER BY number DESC LIMIT ?""",
        (owner, session_id, last),
    ).fetchall()
    ended, lease_until = row
    return log_of(ended, lease_until, turns)


# --- finish ---------------------------------------------------------------------------------------------------------


def finish(connection: sqlite3.Connection, owner: int, end: TurnEnd) -> Session:
    """See ``Store.finish_turn``."""
    row = sessions.find(connection, owner, end.session_id)
    if row is None or not _is_open(connection, owner, row, end.turn_id, end.holder):
        raise LeaseLost
    session, numbered = rules.closed(row, end)
    transcript.insert(connection, owner, session.id, numbered)
    connection.execute(
        "UPDATE zhiji_turns SET status = 'closed', time = ? WHERE owner = ? AND id = ?",
        (micros(end.now), owner, end.turn_id),
    )
    requests.insert(connection, owner, end)
    sessions.touch(connection, owner, session)
    memories.touch_recalled(connection, owner, end.recalled, end.now)
    job_table.enqueue(connection, owner, end.jobs, end.now)
    return session


def _is_open(connection: sqlite3.Connection, owner: int, row: Held, turn_id: str, holder: str) -> bool:
    """Return whether this turn is the open one of its session, and this holder's."""
    found = connection.execute(
        "SELECT session, number FROM zhiji_turns WHERE owner = ? AND id = ?", (owner, turn_id)
    ).fetchone()
    return row.holder == holder and found == (row.session.id, row.open_turn)


def fail(connection: sqlite3.Connection, owner: int, session_id: str, turn_id: str, holder: str, code: str) -> None:
    """See ``Store.fail_turn``."""
    row = sessions.find(connection, owner, session_id)
    if row is not None and _is_open(connection, owner, row, turn_id, holder):
        sessions.fail_open(connection, owner, row, code)


def renew(connection: sqlite3.Connection, owner: int, session_id: str, lease: Lease) -> bool:
    """See ``Store.renew_lease``."""
    renewed = connection.execute(
        "UPDATE zhiji_sessions SET lease_until = ? WHERE owner = ? AND id = ? AND holder = ?",
        (micros(lease.until), owner, session_id, lease.holder),
    )
    return renewed.rowcount > 0


# --- turns that happened elsewhere ----------------------------------------------------------------------------------


def append(
    connection: sqlite3.Connection,
    owner: int,
    session_id: str,
    messages: Sequence[Message],
    jobs: Sequence[NewJob],
    now: datetime,
    create: Session | None,
    once: Once | None,
) -> Session:
    """See ``Store.append_turns``."""
    former = _former(connection, owner, once, now)
    if former is not None:
        return sessions.require(connection, owner, former.session).session
    if create is not None:
        sessions.create(connection, owner, create)
    row = sessions.require(connection, owner, session_id)
    row.refuse_over(now)
    row.refuse_busy(now)
    sessions.fail_open(connection, owner, row)
    before = row.session
    session, numbered, starts = rules.appended(before, messages, now=now, goes_on=_goes_on(connection, owner, before))
    connection.executemany(
        "INSERT INTO zhiji_turns VALUES (?, ?, ?, 'closed', ?, ?, NULL, NULL, NULL, NULL, NULL)",
        [(owner, session_id, number, first_seq, micros(now)) for number, first_seq in starts.items()],
    )
    if once is not None:
        connection.execute(
            "UPDATE zhiji_turns SET key = ?, digest = ? WHERE owner = ? AND session = ? AND number = ?",
            (once.key, once.digest, owner, session_id, before.turns + 1),
        )
    transcript.insert(connection, owner, session_id, numbered)
    sessions.touch(connection, owner, session)
    job_table.enqueue(connection, owner, jobs, now)
    return session


def _goes_on(connection: sqlite3.Connection, owner: int, session: Session) -> bool:
    """Return whether the last turn is a closed one, which more of its messages may follow."""
    found = connection.execute(
        "SELECT status FROM zhiji_turns WHERE owner = ? AND session = ? AND number = ?",
        (owner, session.id, session.turns),
    ).fetchone()
    return found is not None and found[0] == "closed"
