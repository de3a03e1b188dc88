"""Owners as a whole: who there is, and how one is removed from every table."""

from __future__ import annotations

import sqlite3

from zhiji.stores.sqlite import memories
from zhiji.types import Scope

_SESSION_TABLES = ("requests", "extractions", "messages", "summaries", "journal", "turns", "jobs", "sessions")
_TABLES = tuple(table.removeprefix("zhiji_") for table in memories.OWNED) + _SESSION_TABLES
"""Every table with rows of one owner, without the prefix, in an order in which they can be deleted."""


def erase(connection: sqlite3.Connection, owner: int) -> dict[str, int]:
    """Nothing of the owner is left, its number least of all; returns the rows removed by table, without the prefix."""
    removed = {
        table: connection.execute(f"DELETE FROM zhiji_{table} WHERE owner = ?", (owner,)).rowcount for table in _TABLES
    }
    connection.execute("DELETE FROM zhiji_owners WHERE id = ?", (owner,))
    return removed


def list_all(connection: sqlite3.Connection, after: Scope | None, limit: int) -> list[Scope]:
    """See ``Store.list_owners``."""
    behind = ("", "") if after is None else (after.tenant, after.user)
    rows = connection.execute(
        "SELECT tenant, user FROM zhiji_owners WHERE (tenant, user) > (?, ?) ORDER BY tenant, user LIMIT ?",
        (*behind, limit),
    )
    return [Scope(tenant, user) for tenant, user in rows]
