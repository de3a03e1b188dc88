"""Where extraction ends: memories, outcome and watermark in one commit, so that a pass that ran twice counts once."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from zhiji.errors import StaleMemory
from zhiji.stores.base import MemoryChange, NewJob
from zhiji.stores.documents import outcome_text, read_outcome
from zhiji.stores.instants import instant, micros
from zhiji.stores.sqlite import deletions, memories
from zhiji.stores.sqlite import jobs as job_table
from zhiji.types import Extraction


def commit(
    connection: sqlite3.Connection,
    owner: int,
    session_id: str,
    change: MemoryChange,
    outcome: Extraction,
    expected_watermark: int,
    watermark: int,
    jobs: Sequence[NewJob],
    digest: Callable[[str], str],
) -> None:
    """See ``Store.commit_sediment``; ``digest`` is ``Store.digest`` without await."""
    moved = connection.execute(
        "UPDATE zhiji_sessions SET extracted_upto = ? WHERE owner = ? AND id = ? AND extracted_upto = ?",
        (watermark, owner, session_id, expected_watermark),
    )
    if moved.rowcount == 0:
        raise StaleMemory
    memories.change_memories(connection, owner, deletions.without_buried(connection, owner, change, digest))
    connection.execute(
        "INSERT INTO zhiji_extractions (owner, session, time, outcome) VALUES (?, ?, ?, ?)",
        (owner, session_id, micros(outcome.time), outcome_text(outcome)),
    )
    job_table.enqueue(connection, owner, jobs, outcome.time)


def extractions(connection: sqlite3.Connection, owner: int, session_id: str | None, limit: int) -> list[Extraction]:
    """See ``Store.extractions``."""
    which = "" if session_id is None else "AND session = :session"
    rows = connection.execute(
        f"SELECT outcome, time FROM zhiji_extractions WHERE owner = :owner {which} ORDER BY seq DESC LIMIT :limit",
        {"owner": owner, "session": session_id, "limit": limit},
    )
    return [read_outcome(outcome, instant(time)) for outcome, time in rows]
