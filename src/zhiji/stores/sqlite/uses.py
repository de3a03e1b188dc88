"""How often owners and tenants used what is limited, in the window that has begun. Not a table of owners: who is refused has none."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from zhiji.stores.instants import micros
from zhiji.types import Scope

TABLES = """
CREATE TABLE zhiji_uses (
  tenant TEXT NOT NULL,
  user TEXT NOT NULL,                  -- empty: all of the tenant
  what TEXT NOT NULL,
  until INTEGER NOT NULL,              -- end of the window
  count INTEGER NOT NULL,
  PRIMARY KEY (tenant, user, what, until)
) WITHOUT ROWID;
"""


def count(connection: sqlite3.Connection, scope: Scope, what: str, now: datetime, until: datetime) -> int:
    """See ``Store.count_use``."""
    whose = (scope.tenant, scope.user, what)
    connection.execute(
        "DELETE FROM zhiji_uses WHERE tenant = ? AND user = ? AND what = ? AND until <= ?", (*whose, micros(now))
    )
    row = connection.execute(
        """INSERT INTO zhiji_uses VALUES (?, ?, ?, ?, 1)
        ON CONFLICT DO UPDATE SET count = count + 1 RETURNING count""",
        (*whose, micros(until)),
    ).fetchone()
    return int(row[0])


def erase(connection: sqlite3.Connection, scope: Scope) -> int:
    """Nothing is known of what this owner used; returns the rows removed."""
    return connection.execute(
        "DELETE FROM zhiji_uses WHERE tenant = ? AND user = ?", (scope.tenant, scope.user)
    ).rowcount
