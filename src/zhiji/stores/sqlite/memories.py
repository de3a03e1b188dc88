"""The memories of one owner in SQLite: rows and their index terms.

Plain functions ``(connection, owner, …)`` that run inside the caller's transaction; ``owner`` is the number from
``connection.owner_id``. Searching is ``search``'s business.

A memory has a *number* within its owner, in the order of insertion: terms and vectors point to it, and rows are
clustered by it. Each change raises the owner's version and leaves it in the rows it touched (``changed``), which is how
an index in memory, also one in another process, catches up. Raising ``recalls`` is no change.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from zhiji import scoring
from zhiji.errors import StaleMemory
from zhiji.stores.base import MemoryChange, MemoryPut, Vector
from zhiji.stores.instants import micros
from zhiji.stores.rows import FIELDS, PROFILE_RANGES, Row, columns_of, compact, in_order, memory_of, profile_of
from zhiji.stores.sqlite import deletions, vectors
from zhiji.stores.sqlite.index import Stamp
from zhiji.types import Memory, Scope, Status

TABLES = (
    """
CREATE TABLE zhiji_memories (          -- what a search reads comes first
  owner INTEGER NOT NULL REFERENCES zhiji_owners (id),
  number INTEGER NOT NULL,             -- within the owner, in the order of insertion
  id TEXT NOT NULL,
  changed INTEGER NOT NULL,            -- version of the owner at its last change
  recalls INTEGER NOT NULL,
  recalled INTEGER,                    -- when it last reached a context
  type TEXT NOT NULL,
  status TEXT NOT NULL,
  valid_from INTEGER NOT NULL,
  valid_to INTEGER,
  expires INTEGER,
  length INTEGER NOT NULL,             -- sum of the counts of its terms
  value TEXT NOT NULL,
  key TEXT,
  single INTEGER NOT NULL,             -- 1: at most one active memory may have this key
  content TEXT NOT NULL,
  importance INTEGER NOT NULL,
  confidence REAL NOT NULL,
  trust TEXT NOT NULL,
  sources TEXT NOT NULL,               -- [[session, [seq, …]], …]
  lang TEXT NOT NULL,
  superseded_by TEXT,
  links TEXT NOT NULL,
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  reason TEXT NOT NULL,
  revision INTEGER NOT NULL,
  terms TEXT NOT NULL,                 -- its index terms with counts, as in zhiji_terms
  PRIMARY KEY (owner, number)
) WITHOUT ROWID;
CREATE UNIQUE INDEX zhiji_memories_id ON zhiji_memories (owner, id);
CREATE UNIQUE INDEX zhiji_memories_single ON zhiji_memories (owner, key) WHERE single = 1 AND status = 'active';
CREATE INDEX zhiji_memories_key ON zhiji_memories (owner, key) WHERE key IS NOT NULL;
CREATE INDEX zhiji_memories_status ON zhiji_memories (owner, status, updated, id);
CREATE INDEX zhiji_memories_changed ON zhiji_memories (owner, changed);

CREATE TABLE zhiji_terms (             -- the inverted index
  owner INTEGER NOT NULL,
  term TEXT NOT NULL,
  memory INTEGER NOT NULL,
  tf INTEGER NOT NULL,
  PRIMARY KEY (owner, term, memory)
) WITHOUT ROWID;
"""
    + vectors.TABLES
    + deletions.TABLES
)
"""Tables of this module, each clustered or indexed by owner first."""

DEADLINES = """
CREATE INDEX zhiji_memories_expires ON zhiji_memories (expires) WHERE expires IS NOT NULL;  -- what is due, whoever owns it
"""

OWNED = ("zhiji_vectors", "zhiji_terms", "zhiji_memories", "zhiji_deletions", "zhiji_unsaid")
"""The same tables, in an order in which an owner's rows can be deleted."""

_SELECT = f"SELECT {', '.join(FIELDS)} FROM zhiji_memories"
_GIVEN = "(SELECT value FROM json_each(?))"
_BY_ID, _BY_KEY = "INDEXED BY zhiji_memories_id", "INDEXED BY zhiji_memories_key"
"""Without a word, SQLite takes an owner to have ten memories, and reads them all for a few that are named."""
_WRITTEN = (*FIELDS, "single", "changed", "terms", "length")
_INSERT = f"""
INSERT INTO zhiji_memories (owner, number, {", ".join(_WRITTEN)})
VALUES (:owner, :number, {", ".join(f":{name}" for name in _WRITTEN)})
"""
_UPDATE = f"""
UPDATE zhiji_memories SET
  {", ".join(f"{name} = :{name}" for name in _WRITTEN if name not in ("id", "recalled", "recalls"))},
  recalls = max(recalls, :recalls), recalled = nullif(max(ifnull(recalled, 0), ifnull(:recalled, 0)), 0)
WHERE owner = :owner AND number = :number AND revision = :revision - 1
"""

# --- reading --------------------------------------------------------------------------------------------------------


def load_numbered(connection: sqlite3.Connection, owner: int, numbers: Sequence[int]) -> dict[int, Memory]:
    """Return the memories with these numbers by number, any status; unknown ones are left out."""
    if not numbers:
        return {}
    select = f"SELECT number, {', '.join(FIELDS)} FROM zhiji_memories WHERE owner = ? AND number IN {_GIVEN}"
    return {row[0]: memory_of(row[1:]) for row in connection.execute(select, (owner, json.dumps(list(numbers))))}


def load_stamps(connection: sqlite3.Connection, owner: int, numbers: Sequence[int]) -> dict[int, Stamp]:
    """Return by number what differs whenever a row differs; unknown numbers are left out."""
    places = ", ".join("?" * len(numbers))  # of an array in JSON, SQLite would make a table first
    select = f"SELECT number, changed, recalls, recalled FROM zhiji_memories WHERE owner = ? AND number IN ({places})"
    return {row[0]: row[1:] for row in connection.execute(select, (owner, *numbers))}


def load_deadlines(connection: sqlite3.Connection, owner: int, numbers: Sequence[int]) -> dict[int, int | None]:
    """Return by number until when these memories are kept, in microseconds; None: for good."""
    select = f"SELECT number, expires FROM zhiji_memories WHERE owner = ? AND number IN {_GIVEN}"
    return dict(connection.execute(select, (owner, json.dumps(list(numbers)))).fetchall())


def load_memories(connection: sqlite3.Connection, owner: int, ids: Sequence[str]) -> list[Memory]:
    """See ``Store.load_memories``."""
    rows = connection.execute(f"{_SELECT} {_BY_ID} WHERE owner = ? AND id IN {_GIVEN}", (owner, compact(list(ids))))
    found = {memory.id: memory for memory in map(memory_of, rows)}
    return [found[id_] for id_ in dict.fromkeys(ids) if id_ in found]


def list_memories(
    connection: sqlite3.Connection,
    owner: int,
    *,
    statuses: frozenset[Status],
    types: frozenset[str] | None = None,
    without: frozenset[str] = frozenset(),
    now: datetime | None = None,
    limit: int = 1000,
    offset: int = 0,
) -> list[Memory]:
    """See ``Store.list_memories``."""
    # Marks, not a list of unknown length: with one status the index gives the page in its order.
    where = f"owner = ? AND status IN ({', '.join('?' * len(statuses))})"
    given: list[Any] = [owner, *sorted(status.value for status in statuses)]
    if types is not None:
        where += f" AND type IN {_GIVEN}"
        given.append(compact(list(types)))
    if without:
        where += f" AND type NOT IN {_GIVEN}"
        given.append(compact(list(without)))
    if now is not None:
        where += " AND (expires IS NULL OR expires > ?)"
        given.append(micros(now))
    page = f"{_SELECT} WHERE {where} ORDER BY updated DESC, id DESC LIMIT ? OFFSET ?"
    return [memory_of(row) for row in connection.execute(page, (*given, limit, offset))]


def by_keys(connection: sqlite3.Connection, owner: int, keys: Sequence[str]) -> list[Memory]:
    """See ``Store.by_keys``."""
    select = f"{_SELECT} {_BY_KEY} WHERE owner = ? AND key IN {_GIVEN} ORDER BY updated DESC, id DESC"
    return [memory_of(row) for row in connection.execute(select, (owner, compact(list(keys))))]


def profile(connection: sqlite3.Connection, owner: int, *, now: datetime) -> list[Memory]:
    """See ``Store.profile``. Reads only rows whose key begins like that of a profile attribute."""
    rows: list[Row] = []
    for first, beyond in PROFILE_RANGES:
        select = f"""{_SELECT} WHERE owner = ? AND key >= ? AND key < ? AND status = 'active'
                     AND (expires IS NULL OR expires > ?)"""
        rows.extend(connection.execute(select, (owner, first, beyond, micros(now))))
    return profile_of(rows)


# --- writing --------------------------------------------------------------------------------------------------------


def change_memories(connection: sqlite3.Connection, owner: int, change: MemoryChange) -> None:
    """See ``Store.change_memories``; the caller's transaction makes it all or none."""
    if not change:
        return
    version = _next_version(connection, owner)
    if change.seen not in (None, version - 1):
        raise StaleMemory
    _delete(connection, owner, change.deletes)
    for put in in_order(change.puts):
        try:
            _put(connection, owner, put, version)
        except sqlite3.IntegrityError as error:
            raise StaleMemory from error
    for tombstone in change.tombstones:
        deletions.bury(connection, owner, tombstone)
    deletions.unsay(connection, owner, change.unsaid)


def version(connection: sqlite3.Connection, owner: int) -> int:
    """See ``Store.memory_version``. New vectors raise it, too."""
    row = connection.execute("SELECT version FROM zhiji_owners WHERE id = ?", (owner,)).fetchone()
    return 0 if row is None else int(row[0])


def _next_version(connection: sqlite3.Connection, owner: int) -> int:
    bump = "UPDATE zhiji_owners SET version = version + 1 WHERE id = ? RETURNING version"
    return int(connection.execute(bump, (owner,)).fetchone()[0])


def _put(connection: sqlite3.Connection, owner: int, put: MemoryPut, version: int) -> None:
    row = columns_of(put.memory) | {"owner": owner, "changed": version}
    former: dict[str, int] = {}
    if put.memory.revision == 0:
        number = _new_number(connection, owner)
    else:
        number, former = _stored(connection, owner, put.memory.id)
    terms = former if put.terms is None else dict(put.terms)
    row |= {"number": number, "terms": compact(terms), "length": scoring.row_length(terms)}
    written = connection.execute(_UPDATE if put.memory.revision else _INSERT, row).rowcount
    if written != 1:
        raise StaleMemory
    _reindex(connection, owner, number, former, terms)
    if put.vector is not None:
        vectors.put(connection, owner, put.model, {number: put.vector})


def _new_number(connection: sqlite3.Connection, owner: int) -> int:
    last = connection.execute("SELECT max(number) FROM zhiji_memories WHERE owner = ?", (owner,)).fetchone()[0]
    return (last or 0) + 1


def _stored(connection: sqlite3.Connection, owner: int, id_: str) -> tuple[int, dict[str, int]]:
    row = connection.execute("SELECT number, terms FROM zhiji_memories WHERE owner = ? AND id = ?", (owner, id_))
    found = row.fetchone()
    if found is None:
        raise StaleMemory
    return found[0], json.loads(found[1])


def _reindex(
    connection: sqlite3.Connection, owner: int, number: int, former: Mapping[str, int], terms: Mapping[str, int]
) -> None:
    if former == terms:
        return
    gone = [(owner, term, number) for term in former.keys() - terms.keys()]
    connection.executemany("DELETE FROM zhiji_terms WHERE owner = ? AND term = ? AND memory = ?", gone)
    fresh = [(owner, term, number, tf) for term, tf in sorted(terms.items()) if former.get(term) != tf]
    connection.executemany("INSERT OR REPLACE INTO zhiji_terms (owner, term, memory, tf) VALUES (?, ?, ?, ?)", fresh)


def _delete(connection: sqlite3.Connection, owner: int, ids: Iterable[str]) -> None:
    for id_ in ids:
        select = "SELECT number, terms FROM zhiji_memories WHERE owner = ? AND id = ?"
        found = connection.execute(select, (owner, id_)).fetchone()
        if found is None:
            continue
        _reindex(connection, owner, found[0], json.loads(found[1]), {})
        vectors.delete(connection, owner, found[0])
        connection.execute("DELETE FROM zhiji_memories WHERE owner = ? AND number = ?", (owner, found[0]))


def touch_recalled(
    connection: sqlite3.Connection, owner: int, recalled: Mapping[str, datetime | None], now: datetime
) -> None:
    """These memories have been recalled once more, last at ``now``; see ``TurnEnd``. Neither revision nor version changes.

    An index in memory finds out by itself that a deadline was put off (``search``).
    """
    connection.executemany(
        """UPDATE zhiji_memories SET recalls = recalls + 1, recalled = max(ifnull(recalled, 0), :now),
             expires = CASE WHEN status = 'active' AND expires < :until THEN :until ELSE expires END
           WHERE owner = :owner AND id = :id""",
        [{"owner": owner, "id": id_, "now": micros(now), "until": micros(until)} for id_, until in recalled.items()],
    )


def expired(connection: sqlite3.Connection, scope: Scope | None, now: datetime, limit: int) -> list[tuple[Scope, str]]:
    """See ``Store.expired_memories``."""
    # Of one owner, that owner's rows are gone through, and not those of all that are due.
    whose, due = ("", "m.expires") if scope is None else ("AND o.tenant = :tenant AND o.user = :user", "+m.expires")
    rows = connection.execute(
        f"""SELECT o.tenant, o.user, m.id FROM zhiji_memories m JOIN zhiji_owners o ON o.id = m.owner
        WHERE {due} <= :now {whose} ORDER BY {due} LIMIT :limit""",
        {"now": micros(now), "limit": limit} | ({} if scope is None else {"tenant": scope.tenant, "user": scope.user}),
    )
    return [(Scope(tenant, user), id_) for tenant, user, id_ in rows]


# --- vectors --------------------------------------------------------------------------------------------------------


def unembedded(connection: sqlite3.Connection, owner: int, model: str, *, limit: int = 256) -> list[Memory]:
    """See ``Store.unembedded``."""
    select = f"""{_SELECT} AS m WHERE owner = ? AND NOT EXISTS (
                   SELECT 1 FROM zhiji_vectors WHERE owner = m.owner AND model = ? AND memory = m.number)
                 ORDER BY number LIMIT ?"""
    return [memory_of(row) for row in connection.execute(select, (owner, model, limit))]


def put_vectors(connection: sqlite3.Connection, owner: int, model: str, given: Mapping[str, Vector]) -> None:
    """See ``Store.put_vectors``."""
    rows = connection.execute(
        f"SELECT number, id FROM zhiji_memories {_BY_ID} WHERE owner = ? AND id IN {_GIVEN}",
        (owner, compact(list(given))),
    )
    numbered = {number: given[id_] for number, id_ in rows.fetchall()}
    if not numbered:
        return
    vectors.put(connection, owner, model, numbered)
    connection.execute(
        f"UPDATE zhiji_memories SET changed = ? WHERE owner = ? AND number IN {_GIVEN}",
        (_next_version(connection, owner), owner, compact(list(numbered))),
    )


def drop_vectors(connection: sqlite3.Connection, owner: int, model: str, dim: int) -> int:
    """See ``Store.drop_vectors``. The owner's version is raised: an index in memory is built anew."""
    dropped = vectors.drop_others(connection, owner, model, dim)
    if dropped:
        connection.execute(
            "UPDATE zhiji_memories SET changed = ? WHERE owner = ?", (_next_version(connection, owner), owner)
        )
    return dropped
