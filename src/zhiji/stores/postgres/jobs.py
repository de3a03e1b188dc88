"""Jobs: enqueued in the commit that needs them, claimed under a lease, retried, dead in the end. At least once.

As in ``stores/sqlite/jobs.py``, with any number of processes at once. Two unique indexes see to it that at most one job of
a kind and subject is pending, and at most one of an owner and kind is running. Nobody waits for a claim, and a claim for
nobody: it passes over rows that others hold. What makes a job pending (``enqueue``, ``fail``, ``release``, ``replay``) is a
write, one after the other for each owner; all of them lock the job itself first, then those that merge into it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from secrets import token_hex
from typing import Any

from psycopg import errors

from zhiji.errors import JobNotFound
from zhiji.stores.base import Lease, NewJob
from zhiji.stores.instants import instant, micros
from zhiji.stores.postgres.connection import Connection
from zhiji.stores.rows import job_of
from zhiji.types import Job, JobStatus, Scope

_COLUMNS = """j.id, o.tenant, o."user", j.kind, j.subject, j.status, j.attempts, j.run_at, j.created, j.finished, j.holder,
  j.due, j.error"""
_SELECT = f"SELECT {_COLUMNS} FROM zhiji_jobs j JOIN zhiji_owners o ON o.id = j.owner"

_ENQUEUEING = """
INSERT INTO zhiji_jobs (owner, tenant, id, kind, subject, status, due, run_at, created)
SELECT o.id, o.tenant, new.id, new.kind, new.subject, 'pending', new.run_at, new.run_at, %(now)s
FROM unnest(%(ids)s::text[], %(kinds)s::text[], %(subjects)s::text[], %(times)s::bigint[])
  WITH ORDINALITY AS new (id, kind, subject, run_at, place)
JOIN zhiji_owners o ON o.id = zhiji_owner()
ORDER BY new.place
ON CONFLICT (owner, kind, subject) WHERE status = 'pending'
DO UPDATE SET due = {of_both}(zhiji_jobs.due, excluded.due), run_at = {of_both}(zhiji_jobs.run_at, excluded.run_at)
"""
_ENQUEUE = _ENQUEUEING.format(of_both="least")
_POSTPONE = _ENQUEUEING.format(of_both="greatest")

_MAY_RUN = """(j.status = 'running' OR NOT EXISTS (
    SELECT 1 FROM zhiji_jobs r WHERE r.owner = j.owner AND r.kind = j.kind AND r.status = 'running'))"""

_LONGEST_DUE = f"""
  SELECT j.owner, j.id FROM zhiji_jobs j WHERE j.due <= %(now)s AND {_MAY_RUN}
  ORDER BY j.due, j.seq LIMIT 1 FOR UPDATE SKIP LOCKED
"""
_LONGEST_DUE_OF_OWNER = f"""
  SELECT j.owner, j.id FROM zhiji_jobs j
  WHERE j.owner = {{owner}} AND j.due IS NOT NULL AND j.due + 0 <= %(now)s AND {_MAY_RUN}
  ORDER BY j.due, j.seq LIMIT 1 FOR UPDATE SKIP LOCKED
"""
"""``+ 0`` keeps it to the owner's index, also while its statistics say that hardly anything is due."""
_LONGEST_DUE_IN_TURN = f"""
SELECT job.owner, job.id
FROM (VALUES (%(last)s::text, NULL), ('', %(last)s::text)) AS lap (after, upto)
CROSS JOIN LATERAL (
  WITH RECURSIVE turn (tenant) AS (
    SELECT min(tenant) FROM zhiji_jobs WHERE due IS NOT NULL AND tenant > lap.after
    UNION ALL
    SELECT (SELECT min(tenant) FROM zhiji_jobs WHERE due IS NOT NULL AND tenant > turn.tenant)
    FROM turn WHERE turn.tenant IS NOT NULL AND (turn.tenant < lap.upto) IS NOT FALSE)
  SELECT turn.tenant FROM turn WHERE (turn.tenant <= lap.upto) IS NOT FALSE AND %(now)s >=
    (SELECT min(j.due) FROM zhiji_jobs j WHERE j.due IS NOT NULL AND j.tenant = turn.tenant)
) AS next
CROSS JOIN LATERAL (
  SELECT coalesce(max(o.id), 0) AS id FROM zhiji_owners o
  JOIN unnest(%(tenants)s::text[], %(users)s::text[]) AS given (tenant, name)
    ON o.tenant = given.tenant AND o."user" = given.name
  WHERE given.tenant = next.tenant
) AS served
CROSS JOIN LATERAL (VALUES (served.id, NULL), (0, served.id)) AS round (after, upto)
CROSS JOIN LATERAL (
  WITH RECURSIVE turn (owner) AS (
    SELECT min(owner) FROM zhiji_jobs WHERE due IS NOT NULL AND tenant = next.tenant AND owner > round.after
    UNION ALL
    SELECT (SELECT min(owner) FROM zhiji_jobs WHERE due IS NOT NULL AND tenant = next.tenant AND owner > turn.owner)
    FROM turn WHERE turn.owner IS NOT NULL AND (turn.owner < round.upto) IS NOT FALSE)
  SELECT turn.owner FROM turn WHERE (turn.owner <= round.upto) IS NOT FALSE AND %(now)s >=
    (SELECT min(j.due) FROM zhiji_jobs j WHERE j.due IS NOT NULL AND j.owner = turn.owner)
) AS whose
CROSS JOIN LATERAL ({_LONGEST_DUE_OF_OWNER.format(owner="whose.owner")}) AS job
WHERE %(now)s >= (SELECT min(due) FROM zhiji_jobs WHERE due IS NOT NULL)
LIMIT 1
"""
"""The tenants behind the one served last, and from the first one to that one; of each the owners in the same way; of each
the job that nobody holds. Every part depends on the one before it, so that PostgreSQL goes through them in this order and
stops at the first row: each step is one look into an index, whatever the others queue, and only that row is locked."""
_NAMED = """(SELECT id FROM zhiji_owners WHERE tenant = %(tenant)s AND "user" = %(user)s)"""

_CLAIM = """
WITH next AS MATERIALIZED ({candidate})
UPDATE zhiji_jobs j SET status = 'running', attempts = j.attempts + 1, holder = %(holder)s, due = %(until)s
FROM next JOIN zhiji_owners o ON o.id = next.owner
WHERE j.owner = next.owner AND j.id = next.id
RETURNING {columns}
"""

_OURS = "owner = zhiji_owner() AND id = %(id)s AND status = 'running' AND holder = %(holder)s"
_DEAD = "owner = zhiji_owner() AND id = %(id)s AND status = 'dead'"
_MERGE = """
WITH kept AS MATERIALIZED (SELECT owner, kind, subject FROM zhiji_jobs WHERE {which} FOR UPDATE)
DELETE FROM zhiji_jobs other USING kept
WHERE other.owner = kept.owner AND other.kind = kept.kind AND other.subject = kept.subject AND other.status = 'pending'
"""
"""The pending job merges into the one that is about to be pending, which is locked first: so it stays what it is, and a
claim of the other one, which finds its kind running, gives way."""


class Outrun(Exception):
    """Another process claimed a job of this owner and kind a moment ago: look again."""


async def enqueue(connection: Connection, jobs: Iterable[NewJob], now: datetime) -> None:
    """The jobs are pending; one that already is stays, with the earlier ``run_at``, or the later if it waits.

    One statement is sent for each of both kinds, nothing waited for.
    """
    wanted = list(jobs)
    await _enqueue(connection, _POSTPONE, [job for job in wanted if job.waits], now)
    await _enqueue(connection, _ENQUEUE, [job for job in wanted if not job.waits], now)


async def _enqueue(connection: Connection, statement: str, jobs: Iterable[NewJob], now: datetime) -> None:
    times: dict[tuple[str, str], int] = {}  # one statement cannot touch a row twice
    for job in jobs:
        alike = (job.kind.value, job.subject)
        times[alike] = min(times.get(alike, micros(job.run_at)), micros(job.run_at))
    if times:
        await connection.execute(
            statement,
            {
                "ids": [f"job_{token_hex(16)}" for _ in times],
                "kinds": [kind for kind, _ in times],
                "subjects": [subject for _, subject in times],
                "times": list(times.values()),
                "now": micros(now),
            },
        )


async def claim(connection: Connection, lease: Lease, scope: Scope | None, after: Sequence[Scope]) -> Job | None:
    """See ``Store.claim_job``; one statement.

    Raises:
        Outrun: nothing was claimed; try again in another transaction.
    """
    given: dict[str, Any] = {"now": micros(lease.now), "until": micros(lease.until), "holder": lease.holder}
    if scope is not None:
        candidate, given = (
            _LONGEST_DUE_OF_OWNER.format(owner=_NAMED),
            given | {"tenant": scope.tenant, "user": scope.user},
        )
    elif after:
        names = {"tenants": [owner.tenant for owner in after], "users": [owner.user for owner in after]}
        candidate, given = _LONGEST_DUE_IN_TURN, given | names | {"last": after[-1].tenant}
    else:
        candidate = _LONGEST_DUE
    try:
        found = await connection.execute(_CLAIM.format(candidate=candidate, columns=_COLUMNS).encode(), given)
        row = await found.fetchone()
    except errors.UniqueViolation as error:
        raise Outrun from error
    return None if row is None else job_of(row)


async def renew(connection: Connection, job_id: str, lease: Lease) -> bool:
    """See ``Store.renew_job``."""
    renewed = await connection.execute(
        f"UPDATE zhiji_jobs SET due = %(until)s WHERE {_OURS} RETURNING id",
        {"id": job_id, "holder": lease.holder, "until": micros(lease.until)},
    )
    return await renewed.fetchone() is not None


async def finish(connection: Connection, job: Job, holder: str, now: datetime) -> None:
    """See ``Store.finish_job``."""
    await connection.execute(
        f"""WITH done AS (
          UPDATE zhiji_jobs SET status = 'done', due = NULL, holder = NULL, finished = %(now)s, error = ''
          WHERE {_OURS} RETURNING owner, kind, subject, id)
        DELETE FROM zhiji_jobs other USING done
        WHERE other.owner = done.owner AND other.kind = done.kind AND other.subject = done.subject
          AND other.status = 'done' AND other.id <> done.id""",
        {"id": job.id, "holder": holder, "now": micros(now)},
    )


async def fail(
    connection: Connection, job: Job, holder: str, now: datetime, error: str, retry_at: datetime | None
) -> None:
    """See ``Store.fail_job``."""
    values = {"id": job.id, "holder": holder, "now": micros(now), "error": error, "retry": micros(retry_at)}
    if retry_at is None:
        change = "status = 'dead', due = NULL, finished = %(now)s"
    else:
        # A job that was enqueued meanwhile would fail like this one: this one does its work too, after the pause.
        await connection.execute(_MERGE.format(which=_OURS).encode(), values)
        change = "status = 'pending', due = %(retry)s, run_at = %(retry)s"
    await connection.execute(
        f"UPDATE zhiji_jobs SET {change}, holder = NULL, error = %(error)s WHERE {_OURS}".encode(), values
    )


async def release(connection: Connection, job: Job, holder: str) -> None:
    """See ``Store.release_job``."""
    values = {"id": job.id, "holder": holder}
    await connection.execute(_MERGE.format(which=_OURS).encode(), values)
    await connection.execute(
        f"""UPDATE zhiji_jobs SET status = 'pending', due = run_at, attempts = attempts - 1, holder = NULL
        WHERE {_OURS}""",
        values,
    )


async def discard(connection: Connection, job_id: str) -> None:
    """See ``Store.discard_job``."""
    gone = await connection.execute(f"DELETE FROM zhiji_jobs WHERE {_DEAD} RETURNING id", {"id": job_id})
    if await gone.fetchone() is None:
        raise JobNotFound


async def replay(connection: Connection, job_id: str, now: datetime) -> Job:
    """See ``Store.replay_job``."""
    values = {"id": job_id, "now": micros(now)}
    await connection.execute(_MERGE.format(which=_DEAD).encode(), values)
    replayed = await connection.execute(
        f"""WITH j AS (
          UPDATE zhiji_jobs SET status = 'pending', attempts = 0, run_at = %(now)s, due = %(now)s, finished = NULL, error = ''
          WHERE {_DEAD} RETURNING *)
        SELECT {_COLUMNS} FROM j JOIN zhiji_owners o ON o.id = j.owner""",
        values,
    )
    row = await replayed.fetchone()
    if row is None:
        raise JobNotFound
    return job_of(row)


async def load(connection: Connection, job_id: str) -> Job | None:
    """See ``Store.load_job``."""
    row = await (await connection.execute(f"{_SELECT} WHERE j.id = %s", (job_id,))).fetchone()
    return None if row is None else job_of(row)


async def list_newest(
    connection: Connection,
    scope: Scope | None,
    tenant: str | None,
    statuses: frozenset[JobStatus] | None,
    subject: str | None,
    limit: int,
) -> list[Job]:
    """See ``Store.list_jobs``; without ``scope``, everybody's."""
    wanted = None if statuses is None else sorted(status.value for status in statuses)
    if wanted == [JobStatus.DEAD]:
        which, wanted = "j.status = 'dead'", None  # word for word what the index of the dead says
    else:
        which = "TRUE" if wanted is None else "j.status = ANY(%(statuses)s)"
    conditions = [
        which,
        _whose(scope),
        "TRUE" if tenant is None else "j.tenant = %(tenant)s",
        "TRUE" if subject is None else "j.subject = %(subject)s",
    ]
    found = await connection.execute(
        f"{_SELECT} WHERE {' AND '.join(conditions)} ORDER BY j.seq DESC LIMIT %(limit)s".encode(),
        {"statuses": wanted, "tenant": tenant, "subject": subject, "limit": limit},
    )
    return [job_of(row) for row in await found.fetchall()]


async def count_due(connection: Connection, scope: Scope | None, now: datetime) -> int:
    """See ``Store.count_due``; without ``scope``, everybody's."""
    found = await connection.execute(
        f"""SELECT (SELECT count(*) FROM zhiji_jobs j WHERE due <= %(now)s AND status = 'pending' AND {_whose(scope)})
          + (SELECT count(*) FROM zhiji_jobs j WHERE status = 'running' AND run_at <= %(now)s AND {_whose(scope)})""".encode(),
        {"now": micros(now)},
    )
    row = await found.fetchone()
    return 0 if row is None else int(row[0])


async def oldest_due(connection: Connection, now: datetime) -> datetime | None:
    """See ``Store.oldest_due``."""
    found = await connection.execute(
        """SELECT least(
          (SELECT min(run_at) FROM zhiji_jobs WHERE status = 'running' AND run_at <= %(now)s),
          (SELECT min(due) FROM zhiji_jobs WHERE due <= %(now)s AND status = 'pending'))""",
        {"now": micros(now)},
    )
    row = await found.fetchone()
    return None if row is None else instant(row[0])


def _whose(scope: Scope | None) -> str:
    return "TRUE" if scope is None else "j.owner = zhiji_owner()"
