"""Where extraction ends: memories, outcome and watermark in one commit, so that a pass that ran twice counts once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from zhiji.errors import StaleMemory
from zhiji.stores.base import MemoryChange, NewJob
from zhiji.stores.documents import outcome_text, read_outcome
from zhiji.stores.instants import instant, micros
from zhiji.stores.postgres import deletions, memories
from zhiji.stores.postgres import jobs as job_table
from zhiji.stores.postgres.connection import Connection
from zhiji.types import Extraction


async def commit(
    connection: Connection,
    session_id: str,
    change: MemoryChange,
    outcome: Extraction,
    expected_watermark: int,
    watermark: int,
    jobs: Sequence[NewJob],
    digest: Callable[[str], str],
) -> None:
    """See ``Store.commit_sediment``; ``digest`` is ``Store.digest`` without await."""
    moved = await connection.execute(
        """UPDATE zhiji_sessions SET extracted_upto = %s
           WHERE owner = zhiji_owner() AND id = %s AND extracted_upto = %s RETURNING id""",
        (watermark, session_id, expected_watermark),
    )
    allowed = await deletions.without_buried(connection, change, digest)
    if await moved.fetchone() is None:
        raise StaleMemory
    await memories.write(connection, allowed)
    await connection.execute(
        "INSERT INTO zhiji_extractions (owner, session, time, outcome) VALUES (zhiji_owner(), %s, %s, %s)",
        (session_id, micros(outcome.time), outcome_text(outcome)),
    )
    await job_table.enqueue(connection, jobs, outcome.time)


async def extractions(connection: Connection, session_id: str | None, limit: int) -> list[Extraction]:
    """See ``Store.extractions``."""
    which = "" if session_id is None else "AND session = %(session)s"
    rows = await connection.execute(
        f"SELECT outcome, time FROM zhiji_extractions WHERE owner = zhiji_owner() {which} ORDER BY seq DESC LIMIT %(limit)s",
        {"session": session_id, "limit": limit},
    )
    return [read_outcome(outcome, instant(time)) for outcome, time in await rows.fetchall()]
