"""Sessions with their state and summaries: one row each, addressed by owner and id, never by id alone.

Functions run inside the caller's transaction. Whether a session is over is judged here, on every read that matters.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime

from zhiji.errors import SessionNotFound
from zhiji.stores.documents import state_text
from zhiji.stores.instants import micros
from zhiji.stores.rows import session_columns, session_of
from zhiji.stores.turns import Held
from zhiji.types import Session, State

_SELECT = """
SELECT id, created, touched, expires, ended, state_version, state, summary_upto, turns, last_seq, resumed_from,
       extracted_upto, open_turn, holder, lease_until,
       (SELECT text FROM zhiji_summaries t WHERE t.owner = s.owner AND t.session = s.id AND t.upto = s.summary_upto)
FROM zhiji_sessions s WHERE owner = ?
"""

_NEXT_TIE = "(SELECT COALESCE(MAX(tie), 0) + 1 FROM zhiji_sessions WHERE owner = :owner AND touched = :touched)"
"""What makes the session that is touched now the last of those touched in the same microsecond."""


def create(connection: sqlite3.Connection, owner: int, session: Session) -> None:
    """See ``Store.create_session``."""
    connection.execute(
        f"""INSERT INTO zhiji_sessions
        VALUES (:owner, :id, :created, :touched, {_NEXT_TIE}, :expires, :ended, :version, :state, :upto, :turns, :last,
                :resumed, :extracted, NULL, NULL, NULL)""",
        session_columns(session) | {"owner": owner},
    )
    if session.summary:
        _put_summary(connection, owner, session.id, session.summary_upto, session.summary)


def find(connection: sqlite3.Connection, owner: int, session_id: str) -> Held | None:
    """Return the session with its lease, or None."""
    row = connection.execute(f"{_SELECT} AND id = ?", (owner, session_id)).fetchone()
    return None if row is None else session_of(row)


def require(connection: sqlite3.Connection, owner: int, session_id: str) -> Held:
    """Return the session with its lease.

    Raises:
        SessionNotFound: this owner has no such session.
    """
    row = find(connection, owner, session_id)
    if row is None:
        raise SessionNotFound
    return row


def load(connection: sqlite3.Connection, owner: int, session_id: str) -> Session | None:
    """See ``Store.load_session``."""
    row = find(connection, owner, session_id)
    return None if row is None else row.session


def list_last(
    connection: sqlite3.Connection, owner: int, live_at: datetime | None, limit: int, offset: int
) -> list[Session]:
    """See ``Store.list_sessions``."""
    which, given = "", [owner]
    if live_at is not None:
        which, given = "AND ended IS NULL AND (expires IS NULL OR expires > ?)", [owner, micros(live_at)]
    rows = connection.execute(
        f"{_SELECT} {which} ORDER BY touched DESC, tie DESC LIMIT ? OFFSET ?", (*given, limit, offset)
    )
    return [session_of(row).session for row in rows]


def latest(connection: sqlite3.Connection, owner: int) -> Session | None:
    """See ``Store.latest_session``."""
    row = connection.execute(
        f"{_SELECT} AND expires IS NOT NULL ORDER BY touched DESC, tie DESC LIMIT 1", (owner,)
    ).fetchone()
    return None if row is None else session_of(row).session


def write_state(connection: sqlite3.Connection, owner: int, session_id: str, state: State, now: datetime) -> State:
    """See ``Store.write_state``."""
    row = require(connection, owner, session_id)
    row.refuse_over(now)
    written = row.next_state(state)
    connection.execute(
        "UPDATE zhiji_sessions SET state_version = ?, state = ? WHERE owner = ? AND id = ?",
        (written.version, state_text(written), owner, session_id),
    )
    return written


def write_summary(
    connection: sqlite3.Connection, owner: int, session_id: str, summary: str, upto_seq: int, expected_upto: int
) -> bool:
    """See ``Store.write_summary``."""
    moved = connection.execute(
        "UPDATE zhiji_sessions SET summary_upto = ? WHERE owner = ? AND id = ? AND summary_upto = ?",
        (upto_seq, owner, session_id, expected_upto),
    )
    if moved.rowcount == 0:
        return False
    _put_summary(connection, owner, session_id, upto_seq, summary)
    return True


def load_summary(connection: sqlite3.Connection, owner: int, session_id: str, upto_seq: int) -> str | None:
    """See ``Store.load_summary``."""
    row = connection.execute(
        "SELECT text FROM zhiji_summaries WHERE owner = ? AND session = ? AND upto = ?", (owner, session_id, upto_seq)
    ).fetchone()
    return None if row is None else str(row[0])


def touch(connection: sqlite3.Connection, owner: int, session: Session) -> None:
    """The session is stored as touched last, without a lease."""
    connection.execute(
        f"""UPDATE zhiji_sessions SET touched = :touched, tie = {_NEXT_TIE}, expires = :expires,
            state_version = :version, state = :state, turns = :turns, last_seq = :last,
            open_turn = NULL, holder = NULL, lease_until = NULL
        WHERE owner = :owner AND id = :id""",
        session_columns(session) | {"owner": owner},
    )


def fail_open(connection: sqlite3.Connection, owner: int, row: Held, code: str = "lease_lost") -> None:
    """The open turn of the session, if any, is failed and the lease is given back."""
    if row.open_turn is None:
        return
    key = (owner, row.session.id)
    connection.execute(
        "UPDATE zhiji_turns SET status = 'failed', error = ? WHERE owner = ? AND session = ? AND number = ?",
        (code, *key, row.open_turn),
    )
    connection.execute(
        "UPDATE zhiji_sessions SET open_turn = NULL, holder = NULL, lease_until = NULL WHERE owner = ? AND id = ?", key
    )


def _put_summary(connection: sqlite3.Connection, owner: int, session_id: str, upto: int, text: str) -> None:
    connection.execute("INSERT OR REPLACE INTO zhiji_summaries VALUES (?, ?, ?, ?)", (owner, session_id, upto, text))
