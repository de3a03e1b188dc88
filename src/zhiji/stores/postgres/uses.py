"""How often owners and tenants used what is limited, in the window that has begun, in all processes together.

Not a table of owners: who is refused has none.
"""

from __future__ import annotations

from datetime import datetime

from zhiji.stores.instants import micros
from zhiji.stores.postgres.connection import Connection
from zhiji.types import Scope


async def count(connection: Connection, scope: Scope, what: str, now: datetime, until: datetime) -> int:
    """See ``Store.count_use``."""
    values = {
        "tenant": scope.tenant,
        "user": scope.user,
        "what": what,
        "now": micros(now),
        "until": micros(until),
    }
    await connection.execute(
        """DELETE FROM zhiji_uses WHERE (tenant, "user", what, until) IN (
          SELECT tenant, "user", what, until FROM zhiji_uses
          WHERE tenant = %(tenant)s AND "user" = %(user)s AND what = %(what)s AND until <= %(now)s
          FOR UPDATE SKIP LOCKED)""",
        values,
    )
    counted = await connection.execute(
        """INSERT INTO zhiji_uses AS used (tenant, "user", what, until, count)
        VALUES (%(tenant)s, %(user)s, %(what)s, %(until)s, 1)
        ON CONFLICT (tenant, "user", what, until) DO UPDATE SET count = used.count + 1 RETURNING count""",
        values,
    )
    row = await counted.fetchone()
    return 0 if row is None else int(row[0])


async def erase(connection: Connection, scope: Scope) -> int:
    """Nothing is known of what this owner used; returns the rows removed."""
    gone = await connection.execute(
        'DELETE FROM zhiji_uses WHERE tenant = %s AND "user" = %s RETURNING count', (scope.tenant, scope.user)
    )
    return len(await gone.fetchall())
