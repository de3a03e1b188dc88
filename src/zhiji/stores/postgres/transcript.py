"""Messages: inserts with a sequence number per session; only the archive's masking ever changes one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from zhiji.stores.postgres.connection import Connection
from zhiji.stores.postgres.sessions import Asked
from zhiji.stores.rows import MESSAGE_FIELDS, message_of, message_row
from zhiji.types import Message

COLUMNS = ", ".join(f"m.{name}" for name in MESSAGE_FIELDS)

_GIVEN = """unnest(%s::bigint[], %s::bigint[], %s::text[], %s::text[], %s::bigint[], %s::text[], %s::text[], %s::text[],
  %s::bigint[], %s::smallint[]) AS g (seq, turn, role, content, time, name, calls, call_id, tokens, orphan)"""
"""Any number of messages as one table."""

_INSERT = f"""
INSERT INTO zhiji_messages (owner, session, seq, turn, role, content, time, name, calls, call_id, tokens, orphan)
SELECT zhiji_owner(), %s, g.* FROM {_GIVEN}
"""

_REPLACE = f"""
UPDATE zhiji_messages m SET role = g.role, content = g.content, time = g.time, name = g.name, calls = g.calls,
  call_id = g.call_id, tokens = g.tokens, orphan = g.orphan
FROM {_GIVEN} WHERE m.owner = zhiji_owner() AND m.session = %s AND m.seq = g.seq
"""

_CLOSED = f"""
SELECT {COLUMNS} FROM zhiji_messages m
JOIN zhiji_turns t ON t.owner = m.owner AND t.session = m.session AND t.number = m.turn
WHERE m.owner = zhiji_owner() AND m.session = %(session)s AND t.status = 'closed'
"""

_HISTORY = f"""
{_CLOSED} AND m.seq >= (
  SELECT min(first_seq) FROM (
    SELECT first_seq FROM zhiji_turns
    WHERE owner = zhiji_owner() AND session = %(session)s AND status = 'closed' AND first_seq > coalesce(%(after)s, (
      SELECT summary_upto FROM zhiji_sessions WHERE owner = zhiji_owner() AND id = %(session)s))
    ORDER BY number DESC LIMIT %(turns)s) last)
ORDER BY m.seq
"""


async def insert(connection: Connection, session_id: str, messages: Sequence[Message]) -> None:
    """The messages, numbered by the caller, are stored."""
    if messages:
        await connection.execute(_INSERT, (session_id, *_columns(messages)))


async def replace(connection: Connection, session_id: str, messages: Sequence[Message]) -> None:
    """The messages stand in for the stored ones of the same ``seq``; turn numbers stay."""
    if messages:
        await connection.execute(_REPLACE, (*_columns(messages), session_id))


async def load(
    connection: Connection, session_id: str, after_seq: int, upto_seq: int | None, last: int | None
) -> list[Message]:
    """See ``Store.load_messages``."""
    rows = await connection.execute(
        f"""SELECT {COLUMNS} FROM zhiji_messages m
        WHERE owner = zhiji_owner() AND session = %s AND seq > %s AND seq <= coalesce(%s, seq)
        ORDER BY seq DESC LIMIT %s""",
        (session_id, after_seq, upto_seq, last),
    )
    return (await answer(rows))[::-1]


async def load_closed(connection: Connection, session_id: str, after_seq: int, upto_seq: int) -> list[Message]:
    """See ``Store.load_closed``."""
    rows = await connection.execute(
        f"{_CLOSED} AND m.seq > %(after)s AND m.seq <= %(upto)s ORDER BY m.seq",
        {"session": session_id, "after": after_seq, "upto": upto_seq},
    )
    return await answer(rows)


async def history(connection: Connection, session_id: str, after_seq: int, turns: int) -> list[Message]:
    """Return the messages of the last ``turns`` closed turns that begin after ``after_seq``: a bounded read."""
    return await answer(await ask_history(connection, session_id, after_seq, turns))


async def ask_history(connection: Connection, session_id: str, after_seq: int | None, turns: int) -> Asked:
    """The messages of ``history`` are asked for, after what the summary covers if ``after_seq`` is None."""
    return await connection.execute(_HISTORY, {"session": session_id, "after": after_seq, "turns": turns})


async def answer(asked: Asked) -> list[Message]:
    """Return the messages asked for, whose columns are ``COLUMNS``."""
    return [message_of(row) for row in await asked.fetchall()]


def _columns(messages: Iterable[Message]) -> list[list[object]]:
    return [list(column) for column in zip(*map(message_row, messages), strict=True)]
