"""Owners as a whole: who there is, and how one is removed from every table."""

from __future__ import annotations

from zhiji.stores.postgres.connection import Connection
from zhiji.stores.postgres.schema import OWNED
from zhiji.types import Scope


async def erase(connection: Connection, scope: Scope) -> dict[str, int]:
    """Nothing of the owner is left, its number least of all; returns the rows removed by table, without the prefix."""
    await connection.execute("SET LOCAL statement_timeout = 0")  # however much there is: it goes as a whole
    deleted = {
        table: await connection.execute(f"DELETE FROM zhiji_{table} WHERE owner = zhiji_owner()") for table in OWNED
    }
    deleted["uses"] = await connection.execute(
        'DELETE FROM zhiji_uses WHERE tenant = %s AND "user" = %s', (scope.tenant, scope.user)
    )
    last = await connection.execute("DELETE FROM zhiji_owners WHERE id = zhiji_owner() RETURNING 1")
    await last.fetchall()
    return {table: rows.rowcount for table, rows in deleted.items()}


async def list_all(connection: Connection, after: Scope | None, limit: int) -> list[Scope]:
    """See ``Store.list_owners``."""
    behind = ("", "") if after is None else (after.tenant, after.user)
    rows = await connection.execute(
        """SELECT tenant, "user" FROM zhiji_owners WHERE (tenant, "user") > (%s, %s)
        ORDER BY tenant, "user" LIMIT %s""",
        (*behind, limit),
    )
    return [Scope(tenant, user) for tenant, user in await rows.fetchall()]
