"""Searching one owner's memories: bring their index up to date, rank in it, read the hits' rows.

All of it happens in one transaction, so the index is as new as the snapshot that the rows are read from. After a change
only the rows that it touched are read again; terms and vectors are read when a query first needs them. A hit is checked
against its row once more before it leaves.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from zhiji.errors import DimensionMismatch
from zhiji.stores.base import Filter, Hit, Query, episode_place
from zhiji.stores.instants import micros
from zhiji.stores.rows import Row
from zhiji.stores.sqlite import memories, vectors
from zhiji.stores.sqlite.cache import IndexCache
from zhiji.stores.sqlite.index import FOREVER, Admission, Entry, Found, OwnerIndex
from zhiji.types import Memory

_ENTRY = """
SELECT number, status, type, valid_from, valid_to, expires, length,
       CASE type WHEN 'episode' THEN value END, CASE WHEN changed > :known THEN terms END
FROM zhiji_memories WHERE owner = :owner
"""


def search(connection: sqlite3.Connection, cache: IndexCache, owner: int, query: Query) -> list[Hit]:
    """See ``Store.search``."""
    index = cache.take(owner)
    with index.lock:
        index = _current(connection, owner, index)
        _learn(connection, owner, index, query)
        _put_off(connection, owner, index, query.filter)
        found = index.search(
            _admission(query.filter),
            terms=query.terms,
            model=query.model,
            vector=query.vector,
            window=query.window,
            limit=query.limit,
        )
        hits = _hydrated(connection, owner, index, query.filter, found)
        cache.account(owner, index.nbytes)
    return hits


def _admission(wanted: Filter) -> Admission:
    return Admission(
        now=micros(wanted.now),
        as_of=micros(wanted.as_of),
        statuses=frozenset(status.value for status in wanted.statuses),
        types=wanted.types,
    )


def _hydrated(
    connection: sqlite3.Connection, owner: int, index: OwnerIndex, wanted: Filter, found: Sequence[Found]
) -> list[Hit]:
    stored = _rows(connection, owner, index, [hit.number for hit in found])
    return [
        Hit(memory=stored[hit.number], keyword=hit.keyword, cosine=hit.cosine)
        for hit in found
        if hit.number in stored and wanted.admits(stored[hit.number])
    ]


def _rows(connection: sqlite3.Connection, owner: int, index: OwnerIndex, numbers: Sequence[int]) -> dict[int, Memory]:
    """Return the memories with these numbers; those that are as they were when last read are not read again."""
    stamps = memories.load_stamps(connection, owner, numbers)
    known = {number: index.decoded(number, stamp) for number, stamp in stamps.items()}
    fresh = memories.load_numbered(connection, owner, [number for number, memory in known.items() if memory is None])
    for number, memory in fresh.items():
        index.keep(number, stamps[number], memory)
    return fresh | {number: memory for number, memory in known.items() if memory is not None}


# --- keeping an index current ---------------------------------------------------------------------------------------


def _current(connection: sqlite3.Connection, owner: int, index: OwnerIndex) -> OwnerIndex:
    """Return an index that reflects this snapshot: ``index`` brought up to date if that is possible."""
    row = connection.execute("SELECT version FROM zhiji_owners WHERE id = ?", (owner,)).fetchone()
    version = row[0] if row else 0
    if version < index.version:
        # Another thread, on a later snapshot, was here between our snapshot's begin and now.
        index = OwnerIndex()
    if version > index.version:
        if index.version:
            _catch_up(connection, owner, index)
        if index.is_sparse or not index.version:
            index.clear()
            index.add([_entry(row) for row in connection.execute(_ENTRY, {"owner": owner, "known": version})])
        index.version = version
    return index


def _catch_up(connection: sqlite3.Connection, owner: int, index: OwnerIndex) -> None:
    changed = f"{_ENTRY} AND changed > :known"
    rows = connection.execute(changed, {"owner": owner, "known": index.version}).fetchall()
    index.add([_entry(row) for row in rows])
    index.add_terms({row[0]: json.loads(row[8]) for row in rows})
    for model, dim in index.models():
        index.add_vectors(model, vectors.load(connection, owner, model, dim, [row[0] for row in rows]))
    kept = connection.execute("SELECT count(*) FROM zhiji_memories WHERE owner = ?", (owner,)).fetchone()[0]
    if kept != len(index):
        live = {row[0] for row in connection.execute("SELECT number FROM zhiji_memories WHERE owner = ?", (owner,))}
        index.remove([number for number in index.numbers() if number not in live])


def _put_off(connection: sqlite3.Connection, owner: int, index: OwnerIndex, wanted: Filter) -> None:
    """Memories whose time seems over are asked for once more: that a recall has put it off is no change (``touch_recalled``)."""
    over = index.over(micros(wanted.now))
    if over:
        deadlines = memories.load_deadlines(connection, owner, over)
        index.put_off({number: FOREVER if until is None else until for number, until in deadlines.items()})


def _entry(row: Row) -> Entry:
    number, status, type_, valid_from, valid_to, expires, length, episode = row[:8]
    return Entry(
        number=number,
        status=status,
        type=type_,
        valid_from=valid_from,
        valid_to=FOREVER if valid_to is None else valid_to,
        expires=FOREVER if expires is None else expires,
        length=length,
        episode=episode_place(type_, json.loads(episode)) if episode else None,
    )


def _learn(connection: sqlite3.Connection, owner: int, index: OwnerIndex, query: Query) -> None:
    """The index knows the terms of the query, and the vectors of its model if it has a vector.

    Raises:
        DimensionMismatch: vectors of this model are stored with another dimension.
    """
    postings = "SELECT memory, tf FROM zhiji_terms WHERE owner = ? AND term = ?"
    for term in query.terms:
        if not index.has_term(term):
            index.add_postings(term, connection.execute(postings, (owner, term)).fetchall())
    if query.vector is None:
        return
    stored = vectors.dimension(connection, owner, query.model)
    if stored is None:
        return
    if stored != len(query.vector):
        raise DimensionMismatch(stored=stored, given=len(query.vector))
    if not index.has_model(query.model, stored):
        index.add_model(query.model, stored)
        index.add_vectors(query.model, vectors.load(connection, owner, query.model, stored))
