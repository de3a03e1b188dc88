"""Jobs: enqueued in the commit that needs them, claimed under a lease, retried, dead in the end. At least once.

At most one job of a kind and subject is pending and at most one is running; two unique indexes see to it. Claims let one
of an owner and kind run at a time: what it is decided on would change under the other. ``due`` is the one number that says when somebody should take a job up: ``run_at``, or the end of the lease while it runs.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime
from secrets import token_hex
from typing import Any

from zhiji.errors import JobNotFound
from zhiji.stores.base import Lease, NewJob
from zhiji.stores.instants import instant, micros
from zhiji.stores.rows import job_of
from zhiji.stores.sqlite.connection import NOBODY, owner_id
from zhiji.types import Job, JobStatus, Scope

_SELECT = """
SELECT j.owner, j.id, o.tenant, user, kind, subject, status, attempts, run_at, created, finished, holder, due, error
FROM zhiji_jobs j CROSS JOIN zhiji_owners o ON o.id = j.owner
"""
"""Jobs first, in the order asked for: through the owners of a tenant, SQLite would sort all that they have."""

_IS_DUE = """
j.due <= :now AND (j.status = 'running' OR NOT EXISTS (
  SELECT 1 FROM zhiji_jobs r WHERE r.owner = j.owner AND r.kind = j.kind AND r.status = 'running'))
"""

_NEXT_TENANT = f"""
WITH RECURSIVE turn (tenant) AS (
  SELECT MIN(tenant) FROM zhiji_jobs WHERE due IS NOT NULL AND tenant > :after
  UNION ALL
  SELECT (SELECT MIN(tenant) FROM zhiji_jobs WHERE due IS NOT NULL AND tenant > turn.tenant)
  FROM turn WHERE turn.tenant IS NOT NULL)
SELECT tenant FROM turn WHERE EXISTS (SELECT 1 FROM zhiji_jobs j WHERE j.tenant = turn.tenant AND {_IS_DUE}) LIMIT 1
"""
_NEXT_OWNER = f"""
WITH RECURSIVE turn (owner) AS (
  SELECT MIN(owner) FROM zhiji_jobs WHERE due IS NOT NULL AND tenant = :tenant AND owner > :after
  UNION ALL
  SELECT (SELECT MIN(owner) FROM zhiji_jobs WHERE due IS NOT NULL AND tenant = :tenant AND owner > turn.owner)
  FROM turn WHERE turn.owner IS NOT NULL)
SELECT owner FROM turn WHERE EXISTS (SELECT 1 FROM zhiji_jobs j WHERE j.owner = turn.owner AND {_IS_DUE}) LIMIT 1
"""
"""The next tenant, and its next owner, after ``:after`` with a due job. Each step is one look into the index, whatever
the others queue."""

_OURS = "owner = :owner AND id = :id AND status = 'running' AND holder = :holder"


def enqueue(connection: sqlite3.Connection, owner: int, jobs: Iterable[NewJob], now: datetime) -> None:
    """The jobs are pending; one that already is stays, with the earlier ``run_at``, or the later if it waits."""
    for job in jobs:
        run_at, of_both = micros(job.run_at), "MAX" if job.waits else "MIN"
        connection.execute(
            f"""INSERT INTO zhiji_jobs (owner, tenant, id, kind, subject, status, due, run_at, created)
            VALUES (?, (SELECT tenant FROM zhiji_owners WHERE id = ?), ?, ?, ?, 'pending', ?, ?, ?)
            ON CONFLICT (owner, kind, subject) WHERE status = 'pending'
            DO UPDATE SET due = {of_both}(due, excluded.due), run_at = {of_both}(run_at, excluded.run_at)""",
            (owner, owner, f"job_{token_hex(16)}", job.kind, job.subject, run_at, run_at, micros(now)),
        )


def is_any_free(connection: sqlite3.Connection, owner: int | None, now: datetime) -> bool:
    """Return whether a claim may find something. An idle worker asks this: reading waits for nobody, and keeps nobody waiting."""
    whose = "" if owner is None else "AND j.owner = :owner"
    found = connection.execute(
        f"SELECT 1 FROM zhiji_jobs j WHERE {_IS_DUE} {whose} LIMIT 1", {"now": micros(now), "owner": owner}
    )
    return found.fetchone() is not None


def claim(connection: sqlite3.Connection, owner: int | None, lease: Lease) -> Job | None:
    """See ``Store.claim_job``; without ``owner``, anybody's."""
    whose = "" if owner is None else "AND j.owner = :owner"
    row = connection.execute(
        f"{_SELECT} WHERE {_IS_DUE} {whose} ORDER BY j.due, j.seq LIMIT 1",
        {"now": micros(lease.now), "owner": owner},
    ).fetchone()
    if row is None:
        return None
    connection.execute(
        """UPDATE zhiji_jobs SET status = 'running', attempts = attempts + 1, holder = ?, due = ?
        WHERE owner = ? AND id = ?""",
        (lease.holder, micros(lease.until), row[0], row[1]),
    )
    return _require(connection, row[0], row[1])


def claim_in_turn(connection: sqlite3.Connection, lease: Lease, after: Sequence[Scope]) -> Job | None:
    """See ``Store.claim_job``, with ``after``."""
    now = micros(lease.now)
    tenant = _first(connection, _NEXT_TENANT, (after[-1].tenant, ""), now=now)
    served = next((scope for scope in after if scope.tenant == tenant), None)
    last = NOBODY if served is None else owner_id(connection, served) or NOBODY
    owner = _first(connection, _NEXT_OWNER, (last, NOBODY), now=now, tenant=tenant)
    return None if owner is None else claim(connection, owner, lease)


def _first(connection: sqlite3.Connection, query: str, starts: Iterable[object], **given: object) -> Any:
    """Return what the query finds behind the first of the starts behind which it finds anything, or None."""
    for start in starts:
        found = connection.execute(query, {"after": start, **given}).fetchone()
        if found is not None:
            return found[0]
    return None


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


def release(connection: sqlite3.Connection, owner: int, job: Job, holder: str) -> None:
    """See ``Store.release_job``."""
    values = {"owner": owner, "id": job.id, "holder": holder}
    if connection.execute(f"SELECT 1 FROM zhiji_jobs WHERE {_OURS}", values).fetchone() is None:
        return
    _drop_others(connection, owner, job, "pending")
    connection.execute(
        f"""UPDATE zhiji_jobs SET status = 'pending', due = run_at, attempts = attempts - 1, holder = NULL
        WHERE {_OURS}""",
        values,
    )


def discard(connection: sqlite3.Connection, owner: int, job_id: str) -> None:
    """See ``Store.discard_job``."""
    gone = connection.execute("DELETE FROM zhiji_jobs WHERE owner = ? AND id = ? AND status = 'dead'", (owner, job_id))
    if gone.rowcount == 0:
        raise JobNotFound


def load(connection: sqlite3.Connection, job_id: str) -> Job | None:
    """See ``Store.load_job``."""
    row = connection.execute(f"{_SELECT} WHERE j.id = ?", (job_id,)).fetchone()
    return None if row is None else job_of(row[1:])


def replay(connection: sqlite3.Connection, owner: int, job_id: str, now: datetime) -> Job:
    """See ``Store.replay_job``."""
    found = connection.execute(
        f"{_SELECT} WHERE j.owner = ? AND j.id = ? AND status = 'dead'", (owner, job_id)
    ).fetchone()
    if found is None:
        raise JobNotFound
    _drop_others(connection, owner, job_of(found[1:]), "pending")
    connection.execute(
        """UPDATE zhiji_jobs SET status = 'pending', attempts = 0, run_at = :now, due = :now, finished = NULL, error = ''
        WHERE owner = :owner AND id = :id""",
        {"owner": owner, "id": job_id, "now": micros(now)},
    )
    return _require(connection, owner, job_id)


def list_newest(
    connection: sqlite3.Connection,
    owner: int | None,
    tenant: str | None,
    statuses: frozenset[JobStatus] | None,
    subject: str | None,
    limit: int,
) -> list[Job]:
    """See ``Store.list_jobs``; without ``owner``, everybody's."""
    wanted = [] if statuses is None else sorted(statuses)
    which = "TRUE" if statuses is None else f"status IN ({', '.join('?' * len(wanted))})"
    if wanted == [JobStatus.DEAD]:
        which, wanted = "status = 'dead'", []  # word for word what the index of the dead says
    equal = {"j.owner": owner, "o.tenant": tenant, "subject": subject}
    given = {column: value for column, value in equal.items() if value is not None}
    where = " AND ".join([which, *(f"{column} = ?" for column in given)])
    rows = connection.execute(f"{_SELECT} WHERE {where} ORDER BY j.seq DESC LIMIT ?", (*wanted, *given.values(), limit))
    return [job_of(row[1:]) for row in rows]


def count_due(connection: sqlite3.Connection, owner: int | None, now: datetime) -> int:
    """See ``Store.count_due``; without ``owner``, everybody's."""
    whose = "" if owner is None else "AND owner = :owner"
    row = connection.execute(
        f"""SELECT (SELECT COUNT(*) FROM zhiji_jobs WHERE due <= :now AND status = 'pending' {whose})
          + (SELECT COUNT(*) FROM zhiji_jobs WHERE status = 'running' AND run_at <= :now {whose})""",
        {"owner": owner, "now": micros(now)},
    ).fetchone()
    return int(row[0])


def oldest_due(connection: sqlite3.Connection, now: datetime) -> datetime | None:
    """See ``Store.oldest_due``."""
    row = connection.execute(
        """SELECT MIN(since) FROM (
          SELECT MIN(run_at) AS since FROM zhiji_jobs WHERE status = 'running' AND run_at <= :now
          UNION ALL
          SELECT MIN(due) FROM zhiji_jobs WHERE due <= :now AND status = 'pending')""",
        {"now": micros(now)},
    ).fetchone()
    since: int | None = row[0]
    return instant(since)


def _drop_others(connection: sqlite3.Connection, owner: int, job: Job, status: str) -> None:
    connection.execute(
        "DELETE FROM zhiji_jobs WHERE owner = ? AND subject = ? AND kind = ? AND status = ? AND id <> ?",
        (owner, job.subject, job.kind, status, job.id),
    )


def _require(connection: sqlite3.Connection, owner: int, job_id: str) -> Job:
    row = connection.execute(f"{_SELECT} WHERE j.owner = ? AND j.id = ?", (owner, job_id)).fetchone()
    return job_of(row[1:])
