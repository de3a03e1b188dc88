"""Signs of life of the processes that run jobs, on whatever machine. They belong to no owner."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from zhiji.stores.base import BEATS_KEPT
from zhiji.stores.instants import micros
from zhiji.stores.postgres.connection import Connection
from zhiji.stores.rows import beat_columns, beat_of
from zhiji.types import WorkerBeat


async def clock(connection: Connection) -> datetime:
    """See ``Store.clock``: the server's."""
    row = await (await connection.execute("SELECT clock_timestamp()")).fetchone()
    assert row is not None
    return cast("datetime", row[0])


async def put(connection: Connection, beat: WorkerBeat) -> None:
    """See ``Store.beat``."""
    values = beat_columns(beat) | {"forgotten": micros(beat.beat_at - BEATS_KEPT)}
    # Rows that others hold are passed over: they are being replaced or forgotten.
    await connection.execute(
        """DELETE FROM zhiji_workers WHERE holder = (
          SELECT holder FROM zhiji_workers
          WHERE role = %(role)s AND until <= %(beat)s
            AND NOT EXISTS (SELECT 1 FROM zhiji_workers WHERE holder = %(holder)s)
          ORDER BY until, holder LIMIT 1 FOR UPDATE SKIP LOCKED)""",
        values,
    )
    await connection.execute(
        """INSERT INTO zhiji_workers (holder, role, started, beat, until, running)
        VALUES (%(holder)s, %(role)s, %(started)s, %(beat)s, %(until)s, %(running)s)
        ON CONFLICT (holder) DO UPDATE SET role = excluded.role, started = excluded.started, beat = excluded.beat,
          until = excluded.until, running = excluded.running""",
        values,
    )
    await connection.execute(
        """DELETE FROM zhiji_workers WHERE holder IN (
          SELECT holder FROM zhiji_workers WHERE until <= %(forgotten)s FOR UPDATE SKIP LOCKED)""",
        values,
    )


async def drop(connection: Connection, holder: str) -> None:
    """See ``Store.drop_worker``."""
    await connection.execute("DELETE FROM zhiji_workers WHERE holder = %s", (holder,))


async def list_all(connection: Connection, now: datetime) -> list[WorkerBeat]:
    """See ``Store.workers``."""
    found = await connection.execute(
        "SELECT holder, role, started, beat, until, running FROM zhiji_workers ORDER BY started, holder"
    )
    return [beat_of(row, now) for row in await found.fetchall()]
