"""What something wrote to a PostgreSQL database, row by row, and a bare transaction that writes the same rows again.

The least that storing these rows can take: one connection, one transaction, prepared statements one after the other, one commit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg

Connection = psycopg.AsyncConnection[tuple[Any, ...]]
Statement = tuple[str, tuple[Any, ...]]
"""One row to insert or to change, with its values."""

_TABLES = """
SELECT c.relname,
       array_agg(quote_ident(a.attname) ORDER BY a.attnum) FILTER (WHERE a.attgenerated = ''),
       array_agg(quote_ident(a.attname) ORDER BY a.attnum) FILTER (WHERE a.attnum = ANY (i.indkey))
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
WHERE c.relkind = 'r' AND c.relname LIKE 'zhiji\\_%'
GROUP BY c.relname ORDER BY c.relname
"""


@dataclass(slots=True)
class _Table:
    """One table, and its rows as they were when last looked at."""

    name: str
    columns: list[str]
    key: list[str]
    rows: dict[tuple[Any, ...], tuple[Any, ...]] = field(default_factory=dict)

    async def look(self, connection: Connection, since: int) -> list[Statement]:
        """Return what makes the former rows the present ones. Rows that are gone are not looked for: no turn deletes any."""
        select = f"""SELECT {", ".join(self.columns)} FROM {self.name} WHERE xmin::text::bigint >= {since}"""
        places = [self.columns.index(name) for name in self.key]
        found = await (await connection.execute(select.encode())).fetchall()
        written = [(tuple(row[place] for place in places), row) for row in found]
        statements = [self._statement(key, row) for key, row in written]
        self.rows.update(written)
        return statements

    def _statement(self, key: tuple[Any, ...], row: tuple[Any, ...]) -> Statement:
        former = self.rows.get(key)
        if former is None:
            marks = ", ".join("%s" for _ in row)
            return f"INSERT INTO {self.name} ({', '.join(self.columns)}) VALUES ({marks})", row
        pairs = zip(self.columns, row, former, strict=True)
        changed = {name: value for name, value, before in pairs if value != before} or {self.key[0]: key[0]}
        sets, where = (" = %s, ".join(changed), " = %s AND ".join(self.key))
        return f"UPDATE {self.name} SET {sets} = %s WHERE {where} = %s", (*changed.values(), *key)


class Recorder:
    """Tells what was written to a database since it was last asked. Made by ``begin``."""

    def __init__(self, connection: Connection, tables: Sequence[_Table]) -> None:
        self._connection = connection
        self._tables = tables
        self._since = 0

    @classmethod
    async def begin(cls, connection: Connection) -> Recorder:
        """Return a recorder that has seen everything that is there now. ``connection`` is in autocommit."""
        rows = await (await connection.execute(_TABLES)).fetchall()
        recorder = cls(connection, [_Table(*row) for row in rows])
        await recorder.statements()
        return recorder

    async def statements(self) -> list[Statement]:
        """Return what has been written since the last call; nothing may be under way."""
        found = await self._connection.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint")
        row = await found.fetchone()
        assert row is not None
        statements = [one for table in self._tables for one in await table.look(self._connection, self._since)]
        self._since = row[0]
        return statements


async def write(connection: Connection, statements: Sequence[Statement]) -> None:
    """The rows are written, in one transaction, and on disk. ``connection`` is in autocommit."""
    async with connection.transaction():
        for statement, values in statements:
            await connection.execute(statement.encode(), values, prepare=True)
