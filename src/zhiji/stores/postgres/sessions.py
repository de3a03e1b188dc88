"""Sessions with their state and summaries: one row each, addressed by owner and id, never by id alone.

Functions run inside the caller's transaction. Whether a session is over is judged here, on every read that matters.
``ask`` only sends: who needs more than a session sends everything, then reads the answers.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from psycopg import AsyncCursor

from zhiji.errors import SessionNotFound
from zhiji.stores.documents import state_text
from zhiji.stores.instants import micros
from zhiji.stores.postgres.connection import Connection
from zhiji.stores.rows import session_columns, session_of
from zhiji.stores.turns import Held
from zhiji.types import Session, State

SELECT = """
SELECT s.id, s.created, s.touched, s.expires, s.ended, s.state_version, s.state, s.summary_upto, s.turns, s.last_seq,
       s.resumed_from, s.extracted_upto, s.open_turn, s.holder, s.lease_until, t.text
FROM zhiji_sessions s
LEFT JOIN zhiji_summaries t ON t.owner = s.owner AND t.session = s.id AND t.upto = s.summary_upto
WHERE s.owner = zhiji_owner()
"""

_NEXT_TIE = """(SELECT coalesce(max(tie), 0) + 1 FROM zhiji_sessions
  WHERE owner = zhiji_owner() AND touched = %(touched)s)"""
"""What makes the session that is touched now the last of those touched in the same microsecond."""

_CREATE = f"""
INSERT INTO zhiji_sessions (owner, id, created, touched, tie, expires, ended, state_version, state, summary_upto, turns,
                            last_seq, resumed_from, extracted_upto)
VALUES (zhiji_owner(), %(id)s, %(created)s, %(touched)s, {_NEXT_TIE}, %(expires)s, %(ended)s, %(version)s, %(state)s,
        %(upto)s, %(turns)s, %(last)s, %(resumed)s, %(extracted)s)
"""

_PUT_SUMMARY = """
INSERT INTO zhiji_summaries (owner, session, upto, text) VALUES (zhiji_owner(), %s, %s, %s)
ON CONFLICT (owner, session, upto) DO UPDATE SET text = excluded.text
"""

_TOUCH = f"""
UPDATE zhiji_sessions SET touched = %(touched)s, tie = {_NEXT_TIE}, expires = %(expires)s, state_version = %(version)s,
  state = %(state)s, turns = %(turns)s, last_seq = %(last)s, open_turn = NULL, holder = NULL, lease_until = NULL
WHERE owner = zhiji_owner() AND id = %(id)s
"""


Asked = AsyncCursor[tuple[Any, ...]]
"""What was sent and not waited for."""


async def create(connection: Connection, session: Session) -> None:
    """See ``Store.create_session``."""
    await connection.execute(_CREATE, session_columns(session))
    if session.summary:
        await connection.execute(_PUT_SUMMARY, (session.id, session.summary_upto, session.summary))


async def ask(connection: Connection, session_id: str) -> Asked:
    """The session is asked for; ``answer`` or ``require`` reads it."""
    return await connection.execute(f"{SELECT} AND s.id = %s", (session_id,))


async def answer(asked: Asked) -> Held | None:
    """Return the session asked for with its lease, or None."""
    row = await asked.fetchone()
    return None if row is None else session_of(row)


async def require(asked: Asked) -> Held:
    """Return the session asked for with its lease.

    Raises:
        SessionNotFound: this owner has no such session.
    """
    row = await answer(asked)
    if row is None:
        raise SessionNotFound
    return row


async def load(connection: Connection, session_id: str) -> Session | None:
    """See ``Store.load_session``."""
    row = await answer(await ask(connection, session_id))
    return None if row is None else row.session


async def list_last(connection: Connection, live_at: datetime | None, limit: int, offset: int) -> list[Session]:
    """See ``Store.list_sessions``."""
    which, given = "", []
    if live_at is not None:
        which, given = "AND s.ended IS NULL AND (s.expires IS NULL OR s.expires > %s)", [micros(live_at)]
    rows = await connection.execute(
        f"{SELECT} {which} ORDER BY s.touched DESC, s.tie DESC LIMIT %s OFFSET %s", (*given, limit, offset)
    )
    return [session_of(row).session for row in await rows.fetchall()]


async def latest(connection: Connection) -> Session | None:
    """See ``Store.latest_session``."""
    row = await answer(
        await connection.execute(f"{SELECT} AND s.expires IS NOT NULL ORDER BY s.touched DESC, s.tie DESC LIMIT 1")
    )
    return None if row is None else row.session


async def write_state(connection: Connection, session_id: str, state: State, now: datetime) -> State:
    """See ``Store.write_state``."""
    row = await require(await ask(connection, session_id))
    row.refuse_over(now)
    written = row.next_state(state)
    await connection.execute(
        "UPDATE zhiji_sessions SET state_version = %s, state = %s WHERE owner = zhiji_owner() AND id = %s",
        (written.version, state_text(written), session_id),
    )
    return written


async def write_summary(
    connection: Connection, session_id: str, summary: str, upto_seq: int, expected_upto: int
) -> bool:
    """See ``Store.write_summary``."""
    moved = await connection.execute(
        """UPDATE zhiji_sessions SET summary_upto = %s WHERE owner = zhiji_owner() AND id = %s AND summary_upto = %s
        RETURNING 1""",
        (upto_seq, session_id, expected_upto),
    )
    if await moved.fetchone() is None:
        return False
    await connection.execute(_PUT_SUMMARY, (session_id, upto_seq, summary))
    return True


async def load_summary(connection: Connection, session_id: str, upto_seq: int) -> str | None:
    """See ``Store.load_summary``."""
    found = await connection.execute(
        "SELECT text FROM zhiji_summaries WHERE owner = zhiji_owner() AND session = %s AND upto = %s",
        (session_id, upto_seq),
    )
    row = await found.fetchone()
    return None if row is None else str(row[0])


async def touch(connection: Connection, session: Session) -> None:
    """The session is stored as touched last, without a lease."""
    await connection.execute(_TOUCH, session_columns(session))


async def fail_open(connection: Connection, row: Held, code: str = "lease_lost") -> None:
    """The open turn of the session, if any, is failed and the lease is given back."""
    if row.open_turn is None:
        return
    await connection.execute(
        """UPDATE zhiji_turns SET status = 'failed', error = %s
        WHERE owner = zhiji_owner() AND session = %s AND number = %s""",
        (code, row.session.id, row.open_turn),
    )
    await connection.execute(
        """UPDATE zhiji_sessions SET open_turn = NULL, holder = NULL, lease_until = NULL
        WHERE owner = zhiji_owner() AND id = %s""",
        (row.session.id,),
    )
