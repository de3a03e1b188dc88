"""Who holds what at present: leases of turns and jobs by holder, for start-up after a crash."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable


def holders(connection: sqlite3.Connection) -> list[str]:
    """See ``Store.holders``."""
    rows = connection.execute(
        """SELECT holder FROM zhiji_sessions WHERE holder IS NOT NULL
        UNION SELECT holder FROM zhiji_jobs WHERE due IS NOT NULL AND holder IS NOT NULL ORDER BY holder"""
    )
    return [str(row[0]) for row in rows]


def recover(connection: sqlite3.Connection, dead: Iterable[str]) -> int:
    """See ``Store.recover``. A turn stays open, to be failed by the next one; a job stays running, to be taken over."""
    return sum(_run_out(connection, holder) for holder in set(dead))


def _run_out(connection: sqlite3.Connection, holder: str) -> int:
    turns = connection.execute(
        "UPDATE zhiji_sessions SET holder = NULL, lease_until = NULL WHERE holder = ?", (holder,)
    )
    jobs = connection.execute(
        "UPDATE zhiji_jobs SET holder = NULL, due = run_at WHERE due IS NOT NULL AND holder = ?", (holder,)
    )
    return turns.rowcount + jobs.rowcount
