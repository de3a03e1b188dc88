"""What becomes of sessions that are over: ended and masked, kept for a while, then purged. Upkeep's half of sessions.

What runs for everybody takes the locks of the owners first, in their order, and leaves out whoever is writing at the
moment: upkeep waits for nobody and comes again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from datetime import datetime
from typing import Any

from zhiji.errors import StaleState
from zhiji.stores.base import NewJob
from zhiji.stores.instants import micros
from zhiji.stores.postgres import jobs as job_table
from zhiji.stores.postgres import sessions, transcript
from zhiji.stores.postgres.connection import Connection
from zhiji.stores.turns import IDEMPOTENCY
from zhiji.types import Message, Scope, SessionStatus

LEFTOVERS = 1000
"""Sessions, and calls, whose leftovers are dropped at once, at most: their owners wait meanwhile."""

_Key = tuple[Any, ...]
"""An owner and a session, or turn, of it."""

_PARTS = ("requests", "extractions", "messages", "unsaid", "summaries", "turns")
"""Tables with rows that belong to one session."""

_WORKED_ON = "EXISTS (SELECT 1 FROM zhiji_jobs j WHERE j.owner = s.owner AND j.subject = s.id AND j.due IS NOT NULL)"

_GIVEN = "unnest(%(owners)s::bigint[], %(ids)s::text[]) AS g (owner, id)"
"""Sessions, or turns, of several owners."""

_OVER = """
SELECT j.owner, j.turn FROM zhiji_journal j
JOIN zhiji_turns t ON t.owner = j.owner AND t.id = j.turn
JOIN zhiji_sessions s ON s.owner = t.owner AND s.id = t.session
WHERE s.ended IS NOT NULL AND t.time <= %s LIMIT %s
"""


async def end(
    connection: Connection,
    session_id: str,
    masked: Sequence[Message],
    jobs: Sequence[NewJob],
    now: datetime,
    upto_seq: int | None,
    interrupt: bool,
) -> None:
    """See ``Store.end_session``."""
    row = await sessions.require(await sessions.ask(connection, session_id))
    if row.session.status is SessionStatus.ENDED:
        return
    if not interrupt:
        row.refuse_busy(now)
    if upto_seq is not None and row.session.last_seq > upto_seq:
        raise StaleState
    await sessions.fail_open(connection, row)
    await connection.execute(
        "UPDATE zhiji_sessions SET ended = %s WHERE owner = zhiji_owner() AND id = %s", (micros(now), session_id)
    )
    await transcript.replace(connection, session_id, masked)
    # Results of tools are kept unmasked: only where a retry may still ask for them.
    await connection.execute(
        """DELETE FROM zhiji_journal j USING zhiji_turns t
        WHERE j.owner = zhiji_owner() AND t.owner = j.owner AND t.id = j.turn AND t.session = %s
          AND (t.status = 'closed' OR t.key IS NULL)""",
        (session_id,),
    )
    await job_table.enqueue(connection, jobs, now)


async def expired(connection: Connection, now: datetime, limit: int) -> list[tuple[Scope, str]]:
    """See ``Store.expired_sessions``."""
    rows = await connection.execute(
        """SELECT o.tenant, o."user", s.id FROM zhiji_sessions s JOIN zhiji_owners o ON o.id = s.owner
        WHERE s.ended IS NULL AND s.expires <= %(now)s AND (s.holder IS NULL OR s.lease_until <= %(now)s)
        ORDER BY s.expires LIMIT %(limit)s""",
        {"now": micros(now), "limit": limit},
    )
    return [(Scope(tenant, user), session_id) for tenant, user, session_id in await rows.fetchall()]


async def purge(connection: Connection, ended_before: datetime, limit: int) -> int:
    """See ``Store.purge_transcripts``. Of an owner who is writing nothing is purged this time."""
    due = await connection.execute(
        f"SELECT owner, id FROM zhiji_sessions s WHERE ended <= %s AND NOT {_WORKED_ON} ORDER BY ended LIMIT %s",
        (micros(ended_before), limit),
    )
    found = await _locked(connection, set(await due.fetchall()))
    still = await connection.execute(  # a job may have come in between
        f"""SELECT s.owner, s.id FROM zhiji_sessions s JOIN {_GIVEN} ON s.owner = g.owner AND s.id = g.id
        WHERE NOT {_WORKED_ON}""",
        _given(found),
    )
    gone = await still.fetchall()
    given = _given(gone)
    await connection.execute(
        f"""DELETE FROM zhiji_journal j USING zhiji_turns t JOIN {_GIVEN} ON t.owner = g.owner AND t.session = g.id
        WHERE j.owner = t.owner AND j.turn = t.id""",
        given,
    )
    for table, column in (*((part, "session") for part in _PARTS), ("jobs", "subject"), ("sessions", "id")):
        await connection.execute(
            f"DELETE FROM zhiji_{table} x USING {_GIVEN} WHERE x.owner = g.owner AND x.{column} = g.id", given
        )
    return len(gone)


async def drop_leftovers(connection: Connection, now: datetime, touched_before: datetime) -> int:
    """See ``Store.drop_leftovers``. At most ``LEFTOVERS`` of each, and none of owners who are writing."""
    forms = await connection.execute(
        "SELECT owner, id FROM zhiji_sessions WHERE ended IS NOT NULL AND has_form AND touched < %s LIMIT %s",
        (micros(touched_before), LEFTOVERS),
    )
    calls = await connection.execute(_OVER, (micros(now - IDEMPOTENCY), LEFTOVERS))
    found, turns = set(await forms.fetchall()), set(await calls.fetchall())
    locked = await _locked(connection, found | turns)
    emptied = await connection.execute(
        f"""UPDATE zhiji_sessions s SET state = jsonb_set(s.state::jsonb, '{{slots}}', '{{}}')::text
        FROM {_GIVEN} WHERE s.owner = g.owner AND s.id = g.id RETURNING 1""",
        _given(locked & found),
    )
    dropped = await connection.execute(
        f"""DELETE FROM zhiji_journal j USING {_GIVEN} WHERE j.owner = g.owner AND j.turn = g.id
        RETURNING 1""",
        _given(locked & turns),
    )
    return len(await emptied.fetchall()) + len(await dropped.fetchall())


async def _locked(connection: Connection, keys: Set[_Key]) -> Set[_Key]:
    """Return those of the keys, which begin with an owner, whose owner writes nothing until this transaction ends."""
    free = await connection.execute(
        "SELECT id FROM zhiji_owners WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED",
        ([owner for owner, _ in keys],),
    )
    owners = {owner for (owner,) in await free.fetchall()}
    return {key for key in keys if key[0] in owners}


def _given(keys: Iterable[_Key]) -> dict[str, list[object]]:
    keys = list(keys)
    return {"owners": [owner for owner, _ in keys], "ids": [id for _, id in keys]}
