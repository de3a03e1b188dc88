"""Every key, reference and statement of the PostgreSQL store holds the owner: asked of the catalogue and of the source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

import zhiji.stores.postgres
from statements import Scan
from zhiji.stores.postgres.schema import OWNED

OWNERLESS = {
    "zhiji_owners": "says which number stands for which owner",
    "zhiji_meta": "belongs to the database",
    "zhiji_workers": "processes serve everybody",
    "zhiji_uses": "counts whoever asks, known or not, by name",
}
"""Tables without a column ``owner``, and why."""

OPEN_INDEXES = {
    "zhiji_sessions_expires": "upkeep",
    "zhiji_sessions_forms": "upkeep",
    "zhiji_sessions_ended": "upkeep",
    "zhiji_sessions_holder": "recovery",
    "zhiji_memories_expires": "upkeep",
    "zhiji_jobs_id": "an operator's look at a job",
    "zhiji_jobs_due": "workers",
    "zhiji_jobs_tenant": "workers, by tenant",
    "zhiji_jobs_tenant_due": "workers, by tenant",
    "zhiji_jobs_dead": "an operator's look at the dead",
}
"""Indexes that do not begin with the owner, and whom they serve; none is unique."""


@pytest.fixture
def catalogue(postgres_url: str) -> Iterator[psycopg.Connection[Any]]:
    """Give a migrated database."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        yield connection


def owned(connection: psycopg.Connection[Any]) -> set[str]:
    """Return the tables that have a column ``owner``."""
    rows = connection.execute(
        "SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'owner'"
    )
    return {name for (name,) in rows}


def test_every_table_is_ours_by_name(catalogue: psycopg.Connection[Any]) -> None:
    """Tables are named zhiji_*, so that they may live in somebody else's database; each has an owner, or a reason."""
    names = {name for (name,) in catalogue.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")}
    assert not [name for name in names if not name.startswith("zhiji_")]
    assert names - owned(catalogue) == set(OWNERLESS)
    assert owned(catalogue) == {f"zhiji_{table}" for table in OWNED}


def indexes(connection: psycopg.Connection[Any]) -> list[tuple[str, str, bool, list[str]]]:
    """Return table, name, uniqueness and key columns of every index of an owned table."""
    rows = connection.execute(
        """SELECT t.relname, i.relname, x.indisunique,
          ARRAY(SELECT pg_get_indexdef(x.indexrelid, n, true) FROM generate_series(1, x.indnkeyatts) AS n)
        FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
        WHERE t.relname LIKE 'zhiji\\_%' ORDER BY 1, 2"""
    )
    tables = owned(connection)
    return [row for row in rows if row[0] in tables]


def test_every_unique_key_holds_the_owner(catalogue: psycopg.Connection[Any]) -> None:
    """No primary key or unique index of an owned table is without its owner; they begin with it, but one that has it behind."""
    unique = {name: columns for _, name, is_unique, columns in indexes(catalogue) if is_unique}
    assert len(unique) >= len(OWNED)
    assert not [name for name, columns in unique.items() if columns[0] != "owner"]


def test_every_index_begins_with_the_owner(catalogue: psycopg.Connection[Any]) -> None:
    """An index that does not is on the list of those that serve upkeep, and not unique."""
    others = {name for _, name, _, columns in indexes(catalogue) if columns[0] != "owner"}
    assert others == set(OPEN_INDEXES)


def test_every_reference_holds_the_owner(catalogue: psycopg.Connection[Any]) -> None:
    """A foreign key between owned tables pairs owner with owner; one to the owners is the owner."""
    rows = catalogue.execute(
        """SELECT c.conname, f.relname,
          ARRAY(SELECT a.attname FROM unnest(c.conkey) WITH ORDINALITY k (n, place)
            JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.n ORDER BY place),
          ARRAY(SELECT a.attname FROM unnest(c.confkey) WITH ORDINALITY k (n, place)
            JOIN pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.n ORDER BY place)
        FROM pg_constraint c JOIN pg_class f ON f.oid = c.confrelid WHERE c.contype = 'f'"""
    ).fetchall()
    assert rows
    for name, table, columns, referenced in rows:
        pairs = list(zip(columns, referenced, strict=True))
        wanted = ("owner", "id") if table == "zhiji_owners" else ("owner", "owner")
        assert wanted in pairs, name


# --- statements ---------------------------------------------------------------------------------------------------------

SCAN = Scan(
    zhiji.stores.postgres,
    OWNED,
    re.compile(
        r"zhiji_owner\(\)"  # this transaction's owner
        r"|\bowner = \w+\.(?:owner|id)\b|\bid = \w+\.owner\b"  # joined by owner
    ),
)


UNSCOPED = {
    "archive.purge": (1, "upkeep: which sessions are over; they are removed by owner"),
    "archive._OVER": (1, "upkeep: which calls are over; they are removed by owner"),
    "archive.drop_leftovers": (1, "upkeep: which sessions still hold a form; they are emptied by owner"),
    "jobs._LONGEST_DUE": (1, "workers: whose job is next; it is claimed by owner"),
    "jobs._LONGEST_DUE_IN_TURN": (6, "workers: whose turn it is; the job is claimed by owner"),
    "jobs._LONGEST_DUE_OF_OWNER": (1, "the owner is put in: a claim for one, or whose turn it is"),
    "jobs._MERGE": (1, "the condition put in is _OURS or _DEAD, each with the owner"),
    "jobs.count_due": (2, "of one owner or of everybody, by _whose"),
    "jobs.oldest_due": (2, "an operator's figure"),
    "leases.holders": (2, "recovery: who holds anything"),
    "leases.recover": (4, "recovery: what the dead hold, whoever owns it"),
    "memories._SELECT": (1, "the condition follows where it is used"),
    "memories.list_memories": (1, "the condition put in begins with the owner"),
    "requests.insert": (1, "inserts what it selects by owner"),
    "jobs._CLAIM": (-1, "the owner's name is joined, too"),
    "jobs.replay": (-1, "the owner's name is joined, too"),
}
"""Where tables are named without their owner, how many, and why; everything else says it of each table. Below 0: more ties
than tables."""


def test_every_statement_says_the_owner() -> None:
    """Each table in a statement is tied to the transaction's owner, or to the owner of another; but for what is listed."""
    assert len(list(SCAN.statements())) > 60
    assert SCAN.uneven() == {place: count for place, (count, _) in UNSCOPED.items()}


@pytest.mark.parametrize(
    "said",
    [
        "SELECT id FROM zhiji_sessions WHERE id = %s",
        "SELECT 1 FROM zhiji_memories m JOIN zhiji_terms t ON t.memory = m.number WHERE m.owner = zhiji_owner()",
        "DELETE FROM zhiji_{table} WHERE session = %s",
    ],
)
def test_a_statement_without_owner_would_be_seen(said: str) -> None:
    """The check is not blind."""
    assert SCAN.unscoped(said) == 1
