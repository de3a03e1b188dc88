"""The memories of one owner in PostgreSQL: rows and their index terms.

Functions ``(connection, …)`` that run inside the caller's transaction, which knows its owner; writes of one owner run one
after the other, so what ``change`` reads first is still so when it writes. Searching is ``search``'s business.

A memory has a *number* within its owner, in the order of insertion: terms and vectors point to it. Each change raises the
owner's version. Raising ``recalls`` is no change, and neither that nor a new vector touches ``changed``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any

from zhiji import policies, scoring
from zhiji.errors import StaleMemory
from zhiji.stores.base import MemoryChange, MemoryPut, NewJob, Vector, episode_place
from zhiji.stores.instants import micros
from zhiji.stores.postgres import deletions, vectors
from zhiji.stores.postgres import jobs as job_table
from zhiji.stores.postgres.connection import Connection
from zhiji.stores.rows import FIELDS, PROFILE_RANGES, columns_of, compact, in_order, memory_of, profile_of
from zhiji.types import Memory, Scope, Status

DAY = 86_400_000_000
"""Microseconds; see ``schema.DEADLINES``."""

_SELECT = f"SELECT {', '.join(f'm.{name}' for name in FIELDS)} FROM zhiji_memories m"
_PROFILE = f"""
{_SELECT} WHERE owner = zhiji_owner() AND ({" OR ".join(["key >= %s AND key < %s"] * len(PROFILE_RANGES))})
  AND key IS NOT NULL AND (status = 'active') IS TRUE AND (expires IS NULL OR expires > %s)
"""
"""``IS TRUE`` keeps the server from going through all active rows instead of those with such a key."""
_EPISODE = ("episode_session", "episode_seq", "episode_speaker")
_WRITTEN = (*FIELDS, "single", "changed", "terms", "length", *_EPISODE)
_INSERT = f"""
INSERT INTO zhiji_memories (owner, number, {", ".join(_WRITTEN)})
VALUES (zhiji_owner(), %(number)s, {", ".join(f"%({name})s" for name in _WRITTEN)})
"""
_UPDATE = f"""
UPDATE zhiji_memories SET
  {", ".join(f"{name} = %({name})s" for name in _WRITTEN if name not in ("id", "recalled", "recalls"))},
  recalls = greatest(recalls, %(recalls)s), recalled = greatest(recalled, %(recalled)s)
WHERE owner = zhiji_owner() AND number = %(number)s
"""
_BUMP = "UPDATE zhiji_owners SET version = version + 1 WHERE id = zhiji_owner() RETURNING version"
_PUT_TERMS = """
INSERT INTO zhiji_terms (owner, term, memory, tf)
SELECT zhiji_owner(), * FROM unnest(%s::text[], %s::bigint[], %s::bigint[])
ON CONFLICT (owner, term, memory) DO UPDATE SET tf = excluded.tf
"""
_DELETE_TERMS = """
DELETE FROM zhiji_terms t USING unnest(%s::text[], %s::bigint[]) AS gone (term, memory)
WHERE t.owner = zhiji_owner() AND t.term = gone.term AND t.memory = gone.memory
"""

# --- reading --------------------------------------------------------------------------------------------------------


async def load_memories(connection: Connection, ids: Sequence[str]) -> list[Memory]:
    """See ``Store.load_memories``."""
    rows = await connection.execute(f"{_SELECT} WHERE owner = zhiji_owner() AND id = ANY(%s)", (list(ids),))
    found = {memory.id: memory for memory in map(memory_of, await rows.fetchall())}
    return [found[id_] for id_ in dict.fromkeys(ids) if id_ in found]


async def list_memories(
    connection: Connection,
    *,
    statuses: frozenset[Status],
    types: frozenset[str] | None = None,
    without: frozenset[str] = frozenset(),
    now: datetime | None = None,
    limit: int = 1000,
    offset: int = 0,
) -> list[Memory]:
    """See ``Store.list_memories``."""
    if not statuses:
        return []
    # Marks, not an array: with one status the index gives the page in its order.
    where = f"owner = zhiji_owner() AND status IN ({', '.join(['%s'] * len(statuses))})"
    given: list[Any] = sorted(status.value for status in statuses)
    if types is not None:
        where += " AND type = ANY(%s)"
        given.append(sorted(types))
    if without:
        where += " AND type <> ALL(%s)"
        given.append(sorted(without))
    if now is not None:
        where += " AND (expires IS NULL OR expires > %s)"
        given.append(micros(now))
    page = f"{_SELECT} WHERE {where} ORDER BY updated DESC, id DESC LIMIT %s OFFSET %s"
    return [memory_of(row) for row in await (await connection.execute(page, (*given, limit, offset))).fetchall()]


async def by_keys(connection: Connection, keys: Sequence[str]) -> list[Memory]:
    """See ``Store.by_keys``."""
    select = f"{_SELECT} WHERE owner = zhiji_owner() AND key = ANY(%s) ORDER BY updated DESC, id DESC"
    return [memory_of(row) for row in await (await connection.execute(select, (list(keys),))).fetchall()]


async def profile(connection: Connection, *, now: datetime) -> list[Memory]:
    """See ``Store.profile``. Reads only rows whose key begins like that of a profile attribute."""
    rows = await connection.execute(_PROFILE, (*chain.from_iterable(PROFILE_RANGES), micros(now)))
    return profile_of(await rows.fetchall())


async def version(connection: Connection) -> int:
    """See ``Store.memory_version``. New vectors raise it, too."""
    found = await connection.execute("SELECT version FROM zhiji_owners WHERE id = zhiji_owner()")
    row = await found.fetchone()
    return 0 if row is None else int(row[0])


# --- writing --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Stored:
    """What is there of a memory that is about to be changed."""

    number: int
    revision: int
    terms: Mapping[str, int]


@dataclass(slots=True)
class _Before:
    """What a change reads before it writes."""

    version: int
    """Of the owner's memories after the change."""
    last: int
    """The highest number in use; 0: none."""
    rows: dict[str, _Stored]
    """By id: those that are named by the change and are there."""
    holders: dict[str, str]
    """By id: the single-valued keys, of those that the change gives to a row, that active memories hold."""

    def take_number(self) -> int:
        """Return the number of a new memory."""
        self.last += 1
        return self.last


async def change(connection: Connection, change: MemoryChange, jobs: Sequence[NewJob]) -> None:
    """See ``Store.change_memories``."""
    await write(connection, change)
    for job in jobs:
        await job_table.enqueue(connection, [job], job.run_at)


async def write(connection: Connection, change: MemoryChange) -> None:
    """The writes of ``change`` are sent, all or none with the caller's transaction. Raises ``StaleMemory``, as above."""
    if not change:
        return
    before = await _read(connection, change)
    if change.seen not in (None, before.version - 1):
        raise StaleMemory
    _refuse_doubles(before, change)
    await _delete(connection, [before.rows.pop(id_) for id_ in set(change.deletes) if id_ in before.rows])
    await _put(connection, before, change.puts)
    for tombstone in change.tombstones:
        await deletions.bury(connection, tombstone)
    await deletions.unsay(connection, change.unsaid)


async def _read(connection: Connection, change: MemoryChange) -> _Before:
    named = list({*change.deletes, *[put.memory.id for put in change.puts]})
    keys = list({put.memory.key for put in change.puts if _takes_key(put.memory)})
    bumped = await connection.execute(_BUMP)
    last = await connection.execute("SELECT max(number) FROM zhiji_memories WHERE owner = zhiji_owner()")
    rows = await connection.execute(
        "SELECT id, number, revision, terms FROM zhiji_memories WHERE owner = zhiji_owner() AND id = ANY(%s)", (named,)
    )
    holders = await connection.execute(
        """SELECT id, key FROM zhiji_memories
           WHERE owner = zhiji_owner() AND key = ANY(%s) AND single = 1 AND status = 'active'""",
        (keys,),
    )
    ((raised,),), ((highest,),) = await bumped.fetchall(), await last.fetchall()
    return _Before(
        version=raised,
        last=highest or 0,
        rows={
            id_: _Stored(number, revision, json.loads(terms)) for id_, number, revision, terms in await rows.fetchall()
        },
        holders=dict(await holders.fetchall()),
    )


def _takes_key(memory: Memory) -> bool:
    return memory.status is Status.ACTIVE and policies.is_single_valued(memory.key)


def _refuse_doubles(before: _Before, change: MemoryChange) -> None:
    """Raises ``StaleMemory`` if two active memories had the same single-valued key after the change."""
    written = {put.memory.id: put.memory for put in change.puts}
    kept = [key for id_, key in before.holders.items() if id_ not in written and id_ not in change.deletes]
    after = kept + [memory.key for memory in written.values() if memory.key is not None and _takes_key(memory)]
    if len(after) != len(set(after)):
        raise StaleMemory


async def _delete(connection: Connection, rows: Sequence[_Stored]) -> None:
    if not rows:
        return
    numbers = [row.number for row in rows]
    await _reindex(connection, {row.number: row.terms for row in rows}, {})
    await vectors.delete(connection, numbers)
    await connection.execute("DELETE FROM zhiji_memories WHERE owner = zhiji_owner() AND number = ANY(%s)", (numbers,))


async def _put(connection: Connection, before: _Before, puts: Sequence[MemoryPut]) -> None:
    former = {row.number: row.terms for row in before.rows.values()}
    embedded: dict[str, dict[int, Vector]] = {}
    for put in in_order(puts):
        row = await _put_row(connection, before, put)
        if put.vector is not None:
            embedded.setdefault(put.model, {})[row.number] = put.vector
    written = [before.rows[put.memory.id] for put in puts]
    await _reindex(connection, former, {row.number: row.terms for row in written})
    for model, given in embedded.items():
        await vectors.put(connection, model, given)


async def _put_row(connection: Connection, before: _Before, put: MemoryPut) -> _Stored:
    stored = before.rows.get(put.memory.id)
    if put.memory.revision != (stored.revision if stored else 0):
        raise StaleMemory
    kept = stored or _Stored(before.take_number(), 0, {})
    row = _Stored(kept.number, kept.revision + 1, kept.terms if put.terms is None else dict(put.terms))
    place = episode_place(put.memory.type, put.memory.value) or (None, None, None)
    columns = columns_of(put.memory) | dict(zip(_EPISODE, place, strict=True))
    columns |= {"number": row.number, "changed": before.version, "terms": compact(row.terms)}
    columns |= {"length": scoring.row_length(row.terms)}
    await connection.execute(_UPDATE if stored else _INSERT, columns)
    before.rows[put.memory.id] = row
    return row


async def _reindex(
    connection: Connection, former: Mapping[int, Mapping[str, int]], present: Mapping[int, Mapping[str, int]]
) -> None:
    """Terms of the memories ``present``, by number, are these; of those that are only ``former``, none."""
    old = {(term, number): tf for number, terms in former.items() for term, tf in terms.items()}
    new = {(term, number): tf for number, terms in present.items() for term, tf in terms.items()}
    gone = sorted(old.keys() - new.keys())
    fresh = sorted((*at, tf) for at, tf in new.items() if old.get(at) != tf)
    if gone:
        await connection.execute(_DELETE_TERMS, ([term for term, _ in gone], [number for _, number in gone]))
    if fresh:
        await connection.execute(_PUT_TERMS, tuple(map(list, zip(*fresh, strict=True))))


async def touch_recalled(connection: Connection, recalled: Mapping[str, datetime | None], now: datetime) -> None:
    """These memories have been recalled once more, last at ``now``; see ``TurnEnd``. Neither revision nor version changes.

    Rows are locked in the order of their numbers, so that no two transactions wait for each other.
    """
    if not recalled:
        return
    await connection.execute(
        """WITH recalled AS MATERIALIZED (
             SELECT number, until FROM zhiji_memories JOIN unnest(%s::text[], %s::bigint[]) AS given (id, until) USING (id)
             WHERE owner = zhiji_owner() ORDER BY number FOR NO KEY UPDATE OF zhiji_memories)
           UPDATE zhiji_memories m SET recalls = recalls + 1, recalled = greatest(m.recalled, %s),
             expires = CASE WHEN m.status = 'active' AND m.expires < until THEN until ELSE m.expires END
           FROM recalled WHERE m.owner = zhiji_owner() AND m.number = recalled.number""",
        (list(recalled), [micros(until) for until in recalled.values()], micros(now)),
    )


async def expired(connection: Connection, scope: Scope | None, now: datetime, limit: int) -> list[tuple[Scope, str]]:
    """See ``Store.expired_memories``."""
    whose, given = "", list[object]([micros(now) // DAY, micros(now)])
    if scope is not None:
        whose = 'AND o.tenant = %s AND o."user" = %s'
        given += [scope.tenant, scope.user]
    rows = await connection.execute(
        f"""SELECT o.tenant, o."user", m.id FROM zhiji_memories m JOIN zhiji_owners o ON o.id = m.owner
        WHERE m.expires_day <= %s AND m.expires <= %s {whose} ORDER BY m.expires LIMIT %s""",
        (*given, limit),
    )
    return [(Scope(tenant, user), id_) for tenant, user, id_ in await rows.fetchall()]


# --- vectors --------------------------------------------------------------------------------------------------------


async def unembedded(connection: Connection, model: str, *, limit: int = 256) -> list[Memory]:
    """See ``Store.unembedded``. Only index entries are compared; rows are read once they are known to be wanted."""
    select = f"""
    WITH waiting AS MATERIALIZED (
      SELECT number FROM zhiji_memories n WHERE owner = zhiji_owner() AND NOT EXISTS (
        SELECT 1 FROM zhiji_vectors WHERE owner = zhiji_owner() AND model = %s AND memory = n.number)
      ORDER BY number LIMIT %s)
    {_SELECT} JOIN waiting USING (number) WHERE owner = zhiji_owner() ORDER BY number"""
    return [memory_of(row) for row in await (await connection.execute(select, (model, limit))).fetchall()]


async def put_vectors(connection: Connection, model: str, given: Mapping[str, Vector]) -> None:
    """See ``Store.put_vectors``."""
    select = "SELECT id, number FROM zhiji_memories WHERE owner = zhiji_owner() AND id = ANY(%s)"
    known = await (await connection.execute(select, (list(given),))).fetchall()
    if known:
        await vectors.put(connection, model, {number: given[id_] for id_, number in known})
        await connection.execute(_BUMP)


async def drop_vectors(connection: Connection, model: str, dim: int) -> int:
    """See ``Store.drop_vectors``."""
    dropped = await vectors.drop_others(connection, model, dim)
    if dropped:
        await connection.execute(_BUMP)
    return dropped
