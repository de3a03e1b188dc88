"""Messages: inserts with a sequence number per session; only the archive's masking ever changes one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from zhiji.stores.rows import MESSAGE_FIELDS, message_of, message_row
from zhiji.types import Message

_COLUMNS = ", ".join(f"m.{name}" for name in MESSAGE_FIELDS)

_CLOSED = f"""
SELECT {_COLUMNS} FROM zhiji_messages m
JOIN zhiji_turns t ON t.owner = m.owner AND t.session = m.session AND t.number = m.turn
WHERE m.owner = :owner AND m.session = :session AND t.status = 'closed'
"""

_HISTORY = f"""
{_CLOSED} AND m.seq >= (
  SELECT MIN(first_seq) FROM (
    SELECT first_seq FROM zhiji_turns
    WHERE owner = :owner AND session = :session AND status = 'closed' AND first_seq > :after
    ORDER BY number DESC LIMIT :turns))
ORDER BY m.seq
"""


def insert(connection: sqlite3.Connection, owner: int, session_id: str, messages: Iterable[Message]) -> None:
    """The messages, numbered by the caller, are stored."""
    connection.executemany(
        "INSERT INTO zhiji_messages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(owner, session_id, *message_row(message)) for message in messages],
    )


def replace(connection: sqlite3.Connection, owner: int, session_id: str, messages: Iterable[Message]) -> None:
    """The messages stand in for the stored ones of the same ``seq``; turn numbers stay."""
    connection.executemany(
        """UPDATE zhiji_messages
        SET role = ?, content = ?, time = ?, name = ?, calls = ?, call_id = ?, tokens = ?, orphan = ?
        WHERE owner = ? AND session = ? AND seq = ?""",
        [(*message_row(message)[2:], owner, session_id, message.seq) for message in messages],
    )


def load(
    connection: sqlite3.Connection, owner: int, session_id: str, after_seq: int, upto_seq: int | None, last: int | None
) -> list[Message]:
    """See ``Store.load_messages``."""
    rows = connection.execute(
        f"""SELECT {_COLUMNS} FROM zhiji_messages m
        WHERE owner = ? AND session = ? AND seq > ? AND seq <= COALESCE(?, seq) ORDER BY seq DESC LIMIT ?""",
        (owner, session_id, after_seq, upto_seq, -1 if last is None else last),
    )
    return [message_of(row) for row in rows][::-1]


def load_one(connection: sqlite3.Connection, owner: int, session_id: str, seq: int) -> Message:
    """Return the message with this number, which exists."""
    return load(connection, owner, session_id, seq - 1, seq, None)[0]


def load_closed(
    connection: sqlite3.Connection, owner: int, session_id: str, after_seq: int, upto_seq: int
) -> list[Message]:
    """See ``Store.load_closed``."""
    rows = connection.execute(
        f"{_CLOSED} AND m.seq > :after AND m.seq <= :upto ORDER BY m.seq",
        {"owner": owner, "session": session_id, "after": after_seq, "upto": upto_seq},
    )
    return [message_of(row) for row in rows]


def history(
    connection: sqlite3.Connection, owner: int, session_id: str, after_seq: int, turns: int
) -> Sequence[Message]:
    """Return the messages of the last ``turns`` closed turns that begin after ``after_seq``: a bounded read."""
    rows = connection.execute(_HISTORY, {"owner": owner, "session": session_id, "after": after_seq, "turns": turns})
    return [message_of(row) for row in rows]
