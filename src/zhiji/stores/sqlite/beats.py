"""Signs of life of the processes that run jobs. They belong to no owner."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from zhiji.stores.base import BEATS_KEPT
from zhiji.stores.instants import micros
from zhiji.stores.rows import beat_columns, beat_of
from zhiji.types import WorkerBeat

TABLES = """
CREATE TABLE zhiji_workers (           -- processes that run jobs, each with its last sign of life
  holder TEXT NOT NULL PRIMARY KEY,
  role TEXT NOT NULL,                  -- serve, worker, library
  started INTEGER NOT NULL,
  beat INTEGER NOT NULL,
  until INTEGER NOT NULL,              -- missing from then on
  running INTEGER NOT NULL             -- jobs
) WITHOUT ROWID;
"""


def put(connection: sqlite3.Connection, beat: WorkerBeat) -> None:
    """See ``Store.beat``."""
    values = beat_columns(beat)
    known = connection.execute(
        """UPDATE zhiji_workers SET role = :role, started = :started, beat = :beat, until = :until, running = :running
        WHERE holder = :holder""",
        values,
    )
    if known.rowcount == 0:
        connection.execute(
            """DELETE FROM zhiji_workers WHERE holder = (
              SELECT holder FROM zhiji_workers WHERE role = :role AND until <= :beat ORDER BY until, holder LIMIT 1)""",
            values,
        )
        connection.execute(
            "INSERT INTO zhiji_workers VALUES (:holder, :role, :started, :beat, :until, :running)", values
        )
    connection.execute("DELETE FROM zhiji_workers WHERE until <= ?", (micros(beat.beat_at - BEATS_KEPT),))


def drop(connection: sqlite3.Connection, holder: str) -> None:
    """See ``Store.drop_worker``."""
    connection.execute("DELETE FROM zhiji_workers WHERE holder = ?", (holder,))


def list_all(connection: sqlite3.Connection, now: datetime) -> list[WorkerBeat]:
    """See ``Store.workers``."""
    rows = connection.execute(
        "SELECT holder, role, started, beat, until, running FROM zhiji_workers ORDER BY started, holder"
    )
    return [beat_of(row, now) for row in rows]
