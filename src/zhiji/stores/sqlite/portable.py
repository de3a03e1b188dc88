"""All rows of one owner, out of a file and into one; see ``stores.base.Portable``.

Plain functions inside the caller's transaction, which has a connection of its own: what they move may be large.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

from zhiji.errors import Conflict
from zhiji.stores.base import Row
from zhiji.stores.columns import COLUMNS, ORDER, pieces
from zhiji.stores.sqlite import owners
from zhiji.stores.sqlite.connection import owner_id
from zhiji.types import Scope


def secret(connection: sqlite3.Connection) -> str:
    """See ``Portable.secret``."""
    row = connection.execute("SELECT value FROM zhiji_meta WHERE name = 'digest_key'").fetchone()
    return str(row[0])


def adopt(connection: sqlite3.Connection, given: str) -> None:
    """See ``Portable.adopt``."""
    if secret(connection) == given:
        return
    if connection.execute("SELECT 1 FROM zhiji_owners LIMIT 1").fetchone() is not None:
        raise Conflict("The target holds other data already; choose an empty database.")
    connection.execute("UPDATE zhiji_meta SET value = ? WHERE name = 'digest_key'", (given,))


def dump(connection: sqlite3.Connection, scope: Scope) -> Iterator[tuple[str, Sequence[Row]]]:
    """See ``Portable.dump``."""
    owner = owner_id(connection, scope)
    if owner is None:
        return
    version = connection.execute("SELECT version FROM zhiji_owners WHERE id = ?", (owner,)).fetchone()[0]
    yield "owners", [{"version": version}]
    for table, columns in COLUMNS.items():
        select = f"SELECT {', '.join(columns)} FROM zhiji_{table} WHERE owner = ? ORDER BY {ORDER[table]}"
        yield from pieces(table, connection.execute(select, (owner,)))


def clear(connection: sqlite3.Connection, scope: Scope) -> int:
    """Nothing of this owner is left, and there is a new, empty one of this name; returns its number."""
    former = owner_id(connection, scope)
    version = 0
    if former is not None:
        version = connection.execute("SELECT version FROM zhiji_owners WHERE id = ?", (former,)).fetchone()[0]
        owners.erase(connection, former)
    owner = owner_id(connection, scope, create=True)
    connection.execute("UPDATE zhiji_owners SET version = ? WHERE id = ?", (version + 1, owner))
    return owner


def insert(connection: sqlite3.Connection, owner: int, table: str, rows: Sequence[Row]) -> None:
    """The owner has these rows, too."""
    if table == "owners":
        connection.execute(
            "UPDATE zhiji_owners SET version = max(version, :version + 1) WHERE id = :owner",
            {**rows[0], "owner": owner},
        )
        return
    columns = COLUMNS[table]
    connection.executemany(
        f"INSERT INTO zhiji_{table} (owner, {', '.join(columns)}) VALUES (?{', ?' * len(columns)})",
        [(owner, *(row[name] for name in columns)) for row in rows],
    )
