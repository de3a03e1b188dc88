"""What becomes of sessions that are over: ended and masked, kept for a while, then purged. Upkeep's half of sessions."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from zhiji.errors import StaleState
from zhiji.stores.base import NewJob
from zhiji.stores.instants import micros
from zhiji.stores.sqlite import jobs as job_table
from zhiji.stores.sqlite import sessions, transcript
from zhiji.stores.turns import IDEMPOTENCY
from zhiji.types import Message, Scope, SessionStatus

_PARTS = ("requests", "extractions", "messages", "unsaid", "summaries", "turns")
"""Tables with rows that belong to one session."""


def end(
    connection: sqlite3.Connection,
    owner: int,
    session_id: str,
    masked: Sequence[Message],
    jobs: Sequence[NewJob],
    now: datetime,
    upto_seq: int | None,
    interrupt: bool,
) -> None:
    """See ``Store.end_session``."""
    row = sessions.require(connection, owner, session_id)
    if row.session.status is SessionStatus.ENDED:
        return
    if not interrupt:
        row.refuse_busy(now)
    if upto_seq is not None and row.session.last_seq > upto_seq:
        raise StaleState
    sessions.fail_open(connection, owner, row)
    connection.execute(
        "UPDATE zhiji_sessions SET ended = ? WHERE owner = ? AND id = ?", (micros(now), owner, session_id)
    )
    transcript.replace(connection, owner, session_id, masked)
    # Results of tools are kept unmasked: only where a retry may still ask for them.
    _drop_journal(connection, owner, session_id, "AND (status = 'closed' OR key IS NULL)")
    job_table.enqueue(connection, owner, jobs, now)


def expired(connection: sqlite3.Connection, now: datetime, limit: int) -> list[tuple[Scope, str]]:
    """See ``Store.expired_sessions``."""
    rows = connection.execute(
        """SELECT tenant, user, s.id FROM zhiji_sessions s JOIN zhiji_owners o ON o.id = s.owner
        WHERE ended IS NULL AND expires <= :now AND (holder IS NULL OR lease_until <= :now)
        ORDER BY expires LIMIT :limit""",
        {"now": micros(now), "limit": limit},
    )
    return [(Scope(tenant, user), session_id) for tenant, user, session_id in rows]


def purge(connection: sqlite3.Connection, ended_before: datetime, limit: int) -> int:
    """See ``Store.purge_transcripts``."""
    keys = connection.execute(
        """SELECT owner, id FROM zhiji_sessions s WHERE ended <= ? AND NOT EXISTS (
          SELECT 1 FROM zhiji_jobs j WHERE j.owner = s.owner AND j.subject = s.id AND j.due IS NOT NULL)
        ORDER BY ended LIMIT ?""",
        (micros(ended_before), limit),
    ).fetchall()
    for owner, session_id in keys:
        _remove(connection, owner, session_id)
    return len(keys)


def drop_leftovers(connection: sqlite3.Connection, now: datetime, touched_before: datetime) -> int:
    """See ``Store.drop_leftovers``."""
    forms = connection.execute(
        """UPDATE zhiji_sessions SET state = json_set(state, '$.slots', json('{}'))
        WHERE ended IS NOT NULL AND json_extract(state, '$.slots') <> '{}' AND touched < ?""",
        (micros(touched_before),),
    )
    calls = connection.execute(
        """DELETE FROM zhiji_journal WHERE EXISTS (
          SELECT 1 FROM zhiji_turns t JOIN zhiji_sessions s ON s.owner = t.owner AND s.id = t.session
          WHERE t.owner = zhiji_journal.owner AND t.id = zhiji_journal.turn AND ended IS NOT NULL AND t.time <= ?)""",
        (micros(now - IDEMPOTENCY),),
    )
    return forms.rowcount + calls.rowcount


def _remove(connection: sqlite3.Connection, owner: int, session_id: str) -> None:
    _drop_journal(connection, owner, session_id)
    key = (owner, session_id)
    for table in _PARTS:
        connection.execute(f"DELETE FROM zhiji_{table} WHERE owner = ? AND session = ?", key)
    connection.execute("DELETE FROM zhiji_jobs WHERE owner = ? AND subject = ?", key)
    connection.execute("DELETE FROM zhiji_sessions WHERE owner = ? AND id = ?", key)


def _drop_journal(connection: sqlite3.Connection, owner: int, session_id: str, which: str = "") -> None:
    connection.execute(
        f"""DELETE FROM zhiji_journal WHERE owner = :owner AND turn IN
        (SELECT id FROM zhiji_turns WHERE owner = :owner AND session = :session {which})""",
        {"owner": owner, "session": session_id},
    )
