"""Turns: opened with the user's message, then closed with everything else, or failed. One at a time per session.

Functions run inside the caller's transaction, so what they check still holds when they write. An idempotency key finds
the turn that it was first used for: answered, it is replayed; failed, its ids pass on to the new attempt, so that
journaled tool results are found.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from zhiji.errors import IdempotencyMismatch, LeaseLost, StaleState
from zhiji.stores.base import Lease, NewJob, Once, OpenTurn, SessionLog, TurnEnd, TurnRecord, TurnStart
from zhiji.stores.sqlite import jobs as job_table
from zhiji.stores.sqlite import memories, requests, sessions, transcript
from zhiji.stores.sqlite.connection import instant, micros
from zhiji.types import Message, Session

IDEMPOTENCY = timedelta(hours=24)
"""How long an idempotency key is remembered, from the opening of its turn or, once answered, from the answer."""


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
    session = replace(session, turns=session.turns + 1, last_seq=session.last_seq + 1)
    message = replace(start.message, seq=session.last_seq, turn=session.turns)
    asked = (start.turn_id, start.request_id, start.idempotency_key, start.body_digest)
    connection.execute(
        "INSERT INTO zhiji_turns VALUES (?, ?, ?, 'open', ?, ?, ?, ?, ?, ?, NULL)",
        (owner, session.id, message.turn, message.seq, micros(start.lease.now), *asked),
    )
    transcript.insert(connection, owner, session.id, [message])
    return OpenTurn(
        session=session,
        turn_id=start.turn_id,
        request_id=start.request_id,
        number=session.turns,
        message=message,
        history=(),
    )


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
    return SessionLog(
        ended_at=None if ended is None else instant(ended),
        lease_until=None if lease_until is None else instant(lease_until),
        turns=[
            TurnRecord(
                number=number,
                status=status,
                first_seq=first_seq,
                time=instant(time),
                request_id=request,
                error=error or "",
            )
            for number, status, first_seq, time, request, error in reversed(turns)
        ],
    )


# --- finish ---------------------------------------------------------------------------------------------------------


def finish(connection: sqlite3.Connection, owner: int, end: TurnEnd) -> Session:
    """See ``Store.finish_turn``."""
    row = sessions.find(connection, owner, end.session_id)
    if row is None or not _is_open(connection, owner, row, end.turn_id, end.holder):
        raise LeaseLost
    if row.session.state.version != end.state.version:
        raise StaleState
    seq, number = row.session.last_seq, row.session.turns
    session = replace(
        row.session,
        touched_at=end.now,
        expires_at=end.expires_at,
        state=replace(end.state, version=end.state.version + 1),
        last_seq=seq + len(end.messages),
    )
    numbered = [replace(message, seq=seq + place, turn=number) for place, message in enumerate(end.messages, 1)]
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


def _is_open(connection: sqlite3.Connection, owner: int, row: sessions.Row, turn_id: str, holder: str) -> bool:
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
    numbered = list(_numbered(messages, before, _goes_on(connection, owner, before)))
    starts = {message.turn: message.seq for message in reversed(numbered) if message.turn > before.turns}
    session = replace(
        before, touched_at=now, turns=before.turns + len(starts), last_seq=before.last_seq + len(numbered)
    )
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


def _numbered(messages: Iterable[Message], session: Session, goes_on: bool) -> Iterator[Message]:
    turn = session.turns
    for seq, message in enumerate(messages, session.last_seq + 1):
        if message.role == "user" or not goes_on:
            turn += 1
        goes_on = True
        yield replace(message, seq=seq, turn=turn)
