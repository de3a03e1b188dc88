"""Jobs: enqueued in the commit that needs them, claimed under a lease, retried, dead in the end. At least once.

At most one job of a kind and subject is pending and at most one is running; two unique indexes see to it. ``due`` is
the one number that says when somebody should take a job up: ``run_at``, or the end of the lease while it runs.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import datetime
from secrets import token_hex
from typing import Any

from zhiji.errors import JobNotFound
from zhiji.stores.base import Lease, NewJob
from zhiji.stores.sqlite.connection import instant, micros
from zhiji.types import Job, JobKind, JobStatus, Scope

_SELECT = """
SELECT j.owner, j.id, tenant, user, kind, subject, status, attempts, run_at, created, finished, holder, due, error
FROM zhiji_jobs j JOIN zhiji_owners o ON o.id = j.owner
"""

_NEXT = f"""
{_SELECT} WHERE j.due <= :now AND (j.status = 'running' OR NOT EXISTS (
  SELECT 1 FROM zhiji_jobs r
  WHERE r.owner = j.owner AND r.kind = j.kind AND r.subject = j.subject AND r.status = 'running'))
"""

_OURS = "owner = :owner AND id = :id AND status = 'running' AND holder = :holder"


def enqueue(connection: sqlite3.Connection, owner: int, jobs: Iterable[NewJob], now: datetime) -> None:
    """The jobs are pending; one that already is stays, with the earlier ``run_at``."""
    for job in jobs:
        run_at = micros(job.run_at)
        connection.execute(
            """INSERT INTO zhiji_jobs (owner, id, kind, subject, status, due, run_at, created)
            VALUES (?, ?, ?, ?, 'pending', ?, ?, ?)
            ON CONFLICT (owner, kind, subject) WHERE status = 'pending'
            DO UPDATE SET due = MIN(due, excluded.due), run_at = MIN(run_at, excluded.run_at)""",
            (owner, f"job_{token_hex(16)}", job.kind, job.subject, run_at, run_at, micros(now)),
        )


def claim(connection: sqlite3.Connection, owner: int | None, lease: Lease) -> Job | None:
    """See ``Store.claim_job``; without ``owner``, anybody's."""
    whose = "" if owner is None else "AND j.owner = :owner"
    row = connection.execute(
        f"{_NEXT} {whose} ORDER BY j.due, j.seq LIMIT 1", {"now": micros(lease.now), "owner": owner}
    ).fetchone()
    if row is None:
        return None
    connection.execute(
        """UPDATE zhiji_jobs SET status = 'running', attempts = attempts + 1, holder = ?, due = ?
        WHERE owner = ? AND id = ?""",
        (lease.holder, micros(lease.until), row[0], row[1]),
    )
    return _require(connection, row[0], row[1])


def renew(connection: sqlite3.Connection, owner: int, job_id: str, lease: Lease) -> bool:
    """See ``Store.renew_job``."""
    renewed = connection.execute(
        f"UPDATE zhiji_jobs SET due = :until WHERE {_OURS}",
        {"owner": owner, "id": job_id, "holder": lease.holder, "until": micros(lease.until)},
    )
    return renewed.rowcount > 0


def finish(connection: sqlite3.Connection, owner: int, job: Job, holder: str, now: datetime) -> None:
    """See ``Store.finish_job``."""
    done = connection.execute(
        f"""UPDATE zhiji_jobs SET status = 'done', due = NULL, holder = NULL, finished = :now, error = ''
        WHERE {_OURS}""",
        {"owner": owner, "id": job.id, "holder": holder, "now": micros(now)},
    )
    if done.rowcount:
        _drop_others(connection, owner, job, "done")


def fail(
    connection: sqlite3.Connection,
    owner: int,
    job: Job,
    holder: str,
    now: datetime,
    error: str,
    retry_at: datetime | None,
) -> None:
    """See ``Store.fail_job``."""
    values = {"owner": owner, "id": job.id, "holder": holder, "now": micros(now), "error": error}
    if connection.execute(f"SELECT 1 FROM zhiji_jobs WHERE {_OURS}", values).fetchone() is None:
        return
    if retry_at is None:
        change = "status = 'dead', due = NULL, finished = :now"
    else:
        # A job that was enqueued meanwhile would fail like this one: this one does its work too, after the pause.
        _drop_others(connection, owner, job, "pending")
        change = "status = 'pending', due = :retry, run_at = :retry"
    connection.execute(
        f"UPDATE zhiji_jobs SET {change}, holder = NULL, error = :error WHERE {_OURS}",
        values | {"retry": micros(retry_at)},
    )


def replay(connection: sqlite3.Connection, owner: int, job_id: str, now: datetime) -> Job:
    """See ``Store.replay_job``."""
    found = connection.execute(
        f"{_SELECT} WHERE j.owner = ? AND j.id = ? AND status = 'dead'", (owner, job_id)
    ).fetchone()
    if found is None:
        raise JobNotFound
    _drop_others(connection, owner, _job(found), "pending")
    connection.execute(
        """UPDATE zhiji_jobs SET status = 'pending', attempts = 0, run_at = :now, due = :now, finished = NULL, error = ''
        WHERE owner = :owner AND id = :id""",
        {"owner": owner, "id": job_id, "now": micros(now)},
    )
    return _require(connection, owner, job_id)


def list_newest(
    connection: sqlite3.Connection, owner: int | None, statuses: frozenset[JobStatus] | None, limit: int
) -> list[Job]:
    """See ``Store.list_jobs``; without ``owner``, everybody's."""
    wanted = sorted(JobStatus if statuses is None else statuses)
    marks = ", ".join("?" * len(wanted))
    whose, names = ("", ()) if owner is None else ("AND j.owner = ?", (owner,))
    rows = connection.execute(
        f"{_SELECT} WHERE status IN ({marks}) {whose} ORDER BY j.seq DESC LIMIT ?", (*wanted, *names, limit)
    )
    return [_job(row) for row in rows]


def count_due(connection: sqlite3.Connection, owner: int | None, now: datetime) -> int:
    """See ``Store.count_due``; without ``owner``, everybody's."""
    whose = "" if owner is None else "AND owner = :owner"
    row = connection.execute(
        f"SELECT COUNT(*) FROM zhiji_jobs WHERE due IS NOT NULL AND (due <= :now OR status = 'running') {whose}",
        {"owner": owner, "now": micros(now)},
    ).fetchone()
    return int(row[0])


def _drop_others(connection: sqlite3.Connection, owner: int, job: Job, status: str) -> None:
    connection.execute(
        "DELETE FROM zhiji_jobs WHERE owner = ? AND subject = ? AND kind = ? AND status = ? AND id <> ?",
        (owner, job.subject, job.kind, status, job.id),
    )


def _require(connection: sqlite3.Connection, owner: int, job_id: str) -> Job:
    return _job(connection.execute(f"{_SELECT} WHERE j.owner = ? AND j.id = ?", (owner, job_id)).fetchone())


def _job(row: tuple[Any, ...]) -> Job:
    _, id, tenant, user, kind, subject, status, attempts, run_at, created, finished, holder, due, error = row
    return Job(
        id=id,
        scope=Scope(tenant, user),
        kind=JobKind(kind),
        subject=subject,
        status=JobStatus(status),
        attempts=attempts,
        run_at=instant(run_at),
        created_at=instant(created),
        finished_at=instant(finished),
        lease_until=None if holder is None else instant(due),
        error=error,
    )
