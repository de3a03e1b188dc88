"""Who holds what at present: leases of turns and jobs by holder, for start-up after a crash."""

from __future__ import annotations

from collections.abc import Iterable

from zhiji.stores.postgres.connection import Connection


async def holders(connection: Connection) -> list[str]:
    """See ``Store.holders``."""
    rows = await connection.execute(
        """SELECT holder FROM zhiji_sessions WHERE holder IS NOT NULL
        UNION SELECT holder FROM zhiji_jobs WHERE due IS NOT NULL AND holder IS NOT NULL ORDER BY holder"""
    )
    return [str(row[0]) for row in await rows.fetchall()]


async def recover(connection: Connection, dead: Iterable[str]) -> int:
    """See ``Store.recover``. A turn stays open, to be failed by the next one; a job stays running, to be taken over.

    The owners are locked in their order, so that two that recover, and whoever writes, never wait for each other.
    """
    gone = list(set(dead))
    await connection.execute(
        """SELECT 1 FROM zhiji_owners WHERE id IN (
          SELECT owner FROM zhiji_sessions WHERE holder = ANY(%(gone)s)
          UNION SELECT owner FROM zhiji_jobs WHERE due IS NOT NULL AND holder = ANY(%(gone)s))
        ORDER BY id FOR NO KEY UPDATE""",
        {"gone": gone},
    )
    turns = await connection.execute(
        "UPDATE zhiji_sessions SET holder = NULL, lease_until = NULL WHERE holder = ANY(%s) RETURNING 1", (gone,)
    )
    jobs = await connection.execute(
        """UPDATE zhiji_jobs SET holder = NULL, due = run_at WHERE due IS NOT NULL AND holder = ANY(%s)
        RETURNING 1""",
        (gone,),
    )
    return len(await turns.fetchall()) + len(await jobs.fetchall())
