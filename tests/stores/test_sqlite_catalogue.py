"""Every key, reference and statement of the SQLite store holds the owner: asked of the file and of the source."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import zhiji.stores.sqlite
from statements import Scan
from zhiji.stores.postgres.schema import OWNED
from zhiji.stores.sqlite import SqliteStore

OWNERLESS = {"zhiji_owners", "zhiji_meta", "zhiji_workers", "zhiji_uses"}
"""Tables without a column ``owner``; those of PostgreSQL say why."""
BY_ID_ALONE = {"zhiji_jobs_id": "an operator asks for a job by its id; the store made it, 128 bits of chance"}
"""Unique indexes without the owner, and why."""
SCAN = Scan(
    zhiji.stores.sqlite,
    OWNED,
    re.compile(
        r"\bowner = (?:\?|:owner\b|\w+\.(?:owner|id)\b)|\bid = \w+\.owner\b|zhiji_[\w{}]+ \(owner, |zhiji_\w+ VALUES \(\?|zhiji_\w+\s+VALUES \(:owner"
    ),
)

UNSCOPED = {
    "archive.purge": (1, "upkeep: which sessions are over; they are removed by owner"),
    "archive.drop_leftovers": (2, "upkeep: forms and calls of sessions that are over, whoever owns them"),
    "jobs._NEXT_TENANT": (3, "workers: whose turn it is; the job is claimed by owner"),
    "jobs._NEXT_OWNER": (2, "workers: whose turn it is; the job is claimed by owner"),
    "jobs.is_any_free": (1, "of one owner or of everybody, by the condition put in"),
    "jobs.count_due": (2, "of one owner or of everybody, by the condition put in"),
    "jobs.oldest_due": (2, "an operator's figure"),
    "leases.holders": (2, "recovery: who holds anything"),
    "leases._run_out": (2, "recovery: what the dead hold, whoever owns it"),
    "memories._SELECT": (1, "the condition follows where it is used"),
    "memories.list_memories": (1, "the condition put in begins with the owner"),
    "jobs.replay": (-1, "the owner's name is joined, too"),
    "jobs._require": (-1, "the owner's name is joined, too"),
}
"""Where tables are named without their owner, how many, and why; everything else says it of each table. Below 0: more ties
than tables."""


@pytest.fixture
async def catalogue(tmp_path: Path) -> AsyncIterator[sqlite3.Connection]:
    """Give the database of a new file."""
    await (await SqliteStore.open(tmp_path / "zhiji.db")).close()
    connection = sqlite3.connect(tmp_path / "zhiji.db")
    yield connection
    connection.close()


def tables(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Return the columns of each table."""
    named = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    return {
        table: [column for (column,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))]
        for (table,) in named.fetchall()
    }


def test_every_table_is_ours_by_name(catalogue: sqlite3.Connection) -> None:
    """Tables are named zhiji_* and have an owner, or a reason; they are those of PostgreSQL."""
    there = tables(catalogue)
    assert {name for name, columns in there.items() if "owner" in columns} == {f"zhiji_{table}" for table in OWNED}
    assert {name for name, columns in there.items() if "owner" not in columns} == OWNERLESS


def test_every_unique_key_holds_the_owner(catalogue: sqlite3.Connection) -> None:
    """Every primary key and unique index of an owned table begins with its owner, but for the number that orders rows."""
    for table in (name for name, columns in tables(catalogue).items() if "owner" in columns):
        key = catalogue.execute("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", (table,)).fetchall()
        assert [name for (name,) in key[:1]] in ([], ["owner"], ["seq"]), table
        unique = catalogue.execute('SELECT name FROM pragma_index_list(?) WHERE "unique"', (table,)).fetchall()
        for (index,) in unique:
            if index in BY_ID_ALONE:
                continue
            first = catalogue.execute("SELECT name FROM pragma_index_info(?) ORDER BY seqno", (index,)).fetchone()
            assert first == ("owner",), index


def test_every_reference_holds_the_owner(catalogue: sqlite3.Connection) -> None:
    """A foreign key between owned tables pairs owner with owner; one to the owners is the owner."""
    found = 0
    for table in tables(catalogue):
        rows = catalogue.execute(
            'SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?)', (table,)
        ).fetchall()
        for number in {row[0] for row in rows}:
            pairs = {row[1:] for row in rows if row[0] == number}
            assert pairs & {("zhiji_owners", "owner", "id"), ("zhiji_sessions", "owner", "owner")}, table
            found += 1
    assert found > 5


def test_every_statement_says_the_owner() -> None:
    """Each table in a statement is tied to the owner asked for, or to the owner of another; but for what is listed."""
    assert len(list(SCAN.statements())) > 60
    assert SCAN.uneven() == {place: count for place, (count, _) in UNSCOPED.items()}
