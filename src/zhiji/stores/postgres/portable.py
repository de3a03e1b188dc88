"""All rows of one owner, out of a database and into one, by ``COPY``; see ``stores.base.Portable``.

Functions inside the caller's transaction, which is not in pipeline mode (``Database.apart``): ``COPY`` allows none.
"""

from __future__ import annotations

import json
import struct
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
from psycopg import AsyncCopy, sql

from zhiji.errors import Conflict
from zhiji.stores.base import Row, episode_place
from zhiji.stores.columns import COLUMNS, ORDER, PIECE, pieces
from zhiji.stores.postgres.connection import Connection
from zhiji.stores.postgres.schema import OWNED, digest_key
from zhiji.types import Scope

_TYPES = {"confidence": "float8", "data": "bytea"}
_NUMBERS = frozenset(
    (
        *("created", "touched", "tie", "expires", "ended", "state_version", "summary_upto", "turns", "last_seq"),
        *(
            "extracted_upto",
            "open_turn",
            "lease_until",
            "upto",
            "number",
            "first_seq",
            "time",
            "seq",
            "tokens",
            "orphan",
        ),
        *(
            "failed",
            "due",
            "attempts",
            "run_at",
            "finished",
            "changed",
            "recalls",
            "recalled",
            "valid_from",
            "valid_to",
        ),
        *("length", "single", "importance", "updated", "revision", "memory", "tf", "dim"),
    )
)
"""Columns that hold whole numbers, whatever their width."""
_DERIVED = ("episode_session", "episode_seq", "episode_speaker")
_HALF_HEADER = struct.Struct(">hh")
"""How pgvector sends a ``halfvec``: its dimension and an unused number, then big-endian float16."""
_COPY_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_COPY_END = struct.pack(">h", -1)
_STAGED = sql.Identifier("zhiji_staged")
_FIELDS = struct.Struct(">h")
_LENGTH = struct.Struct(">i")
_ABSENT = _LENGTH.pack(-1)


async def adopt(connection: Connection, given: str) -> None:
    """See ``Portable.adopt``."""
    if (await digest_key(connection)).hex() == given:
        return
    if await (await connection.execute("SELECT 1 FROM zhiji_owners LIMIT 1")).fetchone() is not None:
        raise Conflict("The target holds other data already; choose an empty database.")
    await connection.execute("UPDATE zhiji_meta SET value = %s WHERE name = 'digest_key'", (given,))


# --- out ------------------------------------------------------------------------------------------------------------


async def dump(connection: Connection, scope: Scope) -> AsyncIterator[tuple[str, Sequence[Row]]]:
    """See ``Portable.dump``; the transaction is one snapshot."""
    found = await _owner(connection, scope)
    if found is None:
        return
    owner, version = found
    yield "owners", [{"version": version}]
    for table in COLUMNS:
        rows: list[Sequence[Any]] = []
        async with connection.cursor() as cursor, cursor.copy(_select(table, owner)) as copy:
            copy.set_types([_type(table, name) for name in COLUMNS[table]])
            async for row in copy.rows():
                rows.append(_read(table, row))
                if len(rows) == PIECE:
                    for piece in pieces(table, rows):
                        yield piece
                    rows = []
        for piece in pieces(table, rows):
            yield piece


def _select(table: str, owner: int) -> sql.Composed:
    names = sql.SQL(", ").join(_expression(table, name) for name in COLUMNS[table])
    return sql.SQL("COPY (SELECT {} FROM {} WHERE owner = {} ORDER BY {}) TO STDOUT (FORMAT BINARY)").format(
        names,
        sql.Identifier(f"zhiji_{table}"),
        sql.Literal(owner),
        sql.SQL(", ").join(sql.Identifier(name) for name in ORDER[table].split(", ")),
    )


def _expression(table: str, name: str) -> sql.Composed:
    if name == "data":
        return sql.SQL("halfvec_send({})").format(sql.Identifier(name))
    return sql.SQL("{}::{}").format(sql.Identifier(name), sql.SQL(_type(table, name)))


def _type(table: str, name: str) -> str:
    if (table, name) == ("journal", "turn"):
        return "text"  # an id; in other tables a number
    return "int8" if name == "turn" or name in _NUMBERS else _TYPES.get(name, "text")


def _read(table: str, row: Sequence[Any]) -> Sequence[Any]:
    if table != "vectors" or row[3] is None:
        return row
    halves = np.frombuffer(row[3], ">f2", offset=_HALF_HEADER.size)
    return *row[:3], halves.astype("<f4").tobytes()


# --- in -------------------------------------------------------------------------------------------------------------


async def clear(connection: Connection, scope: Scope) -> int:
    """Nothing of this owner is left, and there is a new, empty one of this name; returns its number."""
    version, former = 0, await _owner(connection, scope, lock=True)
    if former is not None:
        version = former[1]
        for table in OWNED:
            await connection.execute(f"DELETE FROM zhiji_{table} WHERE owner = zhiji_owner()".encode())
        await connection.execute("DELETE FROM zhiji_owners WHERE id = zhiji_owner()")
    made = await connection.execute(
        'INSERT INTO zhiji_owners (tenant, "user", version) VALUES (%s, %s, %s) RETURNING id',
        (scope.tenant, scope.user, version + 1),
    )
    row = await made.fetchone()
    assert row is not None
    await _act_as(connection, row[0])
    return int(row[0])


async def insert(connection: Connection, owner: int, table: str, rows: Sequence[Row]) -> None:
    """The owner has these rows, too."""
    if table == "owners":
        await connection.execute(
            "UPDATE zhiji_owners SET version = greatest(version, %s + 1) WHERE id = %s", (rows[0]["version"], owner)
        )
    elif table == "vectors":
        await _copy_vectors(connection, owner, rows)
    else:
        await _copy(connection, owner, table, rows)


async def _copy(connection: Connection, owner: int, table: str, rows: Sequence[Row]) -> None:
    derived = _DERIVED if table == "memories" else ()
    async with _into(connection, table, ("owner", *COLUMNS[table], *derived)) as copy:
        for row in rows:
            more = _episode(row) if derived else ()
            await copy.write_row((owner, *(row[name] for name in COLUMNS[table]), *more))


@asynccontextmanager
async def _into(
    connection: Connection, table: str, columns: Sequence[str], form: str = "TEXT"
) -> AsyncIterator[AsyncCopy]:
    """Give a copy into the table; by way of another one where row-level security holds, which refuses a copy."""
    target, names = sql.Identifier(f"zhiji_{table}"), sql.SQL(", ").join(map(sql.Identifier, columns))
    walled = await (await connection.execute("SELECT row_security_active(%s)", (f"zhiji_{table}",))).fetchone()
    place = _STAGED if walled == (True,) else target
    if place is _STAGED:
        made = sql.SQL("CREATE TEMP TABLE {} ON COMMIT DROP AS SELECT {} FROM {} WITH NO DATA")
        await connection.execute(made.format(place, names, target))
    statement = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT {})").format(place, names, sql.SQL(form))
    async with connection.cursor() as cursor, cursor.copy(statement) as copy:
        yield copy
    if place is _STAGED:
        await connection.execute(sql.SQL("INSERT INTO {} ({}) SELECT {} FROM {}").format(target, names, names, place))
        await connection.execute(sql.SQL("DROP TABLE {}").format(place))


def _episode(row: Row) -> tuple[str | int | None, ...]:
    value = row["value"]
    assert isinstance(value, str)
    return episode_place(str(row["type"]), json.loads(value)) or (None, None, None)


async def _copy_vectors(connection: Connection, owner: int, rows: Sequence[Row]) -> None:
    # In text each number would be written out and read again; in binary psycopg knows no type of pgvector's.
    async with _into(connection, "vectors", ("owner", *COLUMNS["vectors"]), "BINARY") as copy:
        await copy.write(_COPY_HEADER + b"".join(_packed(owner, row) for row in rows) + _COPY_END)


def _packed(owner: int, row: Row) -> bytes:
    model, data = row["model"], row["data"]
    assert isinstance(model, str)
    fields = (struct.pack(">q", owner), model.encode(), struct.pack(">q", row["memory"]), struct.pack(">i", row["dim"]))
    whole = b"".join(_LENGTH.pack(len(field)) + field for field in fields)
    return _FIELDS.pack(len(fields) + 1) + whole + (_half(data) if isinstance(data, bytes) else _ABSENT)


def _half(data: bytes) -> bytes:
    halves = np.frombuffer(data, "<f4").astype(">f2")
    return _LENGTH.pack(_HALF_HEADER.size + halves.nbytes) + _HALF_HEADER.pack(len(halves), 0) + halves.tobytes()


# --- the owner ------------------------------------------------------------------------------------------------------


async def _owner(connection: Connection, scope: Scope, *, lock: bool = False) -> tuple[int, int] | None:
    """Return number and version of an owner, for whom this transaction acts from now on; None if there is none."""
    select = 'SELECT id, version FROM zhiji_owners WHERE tenant = %s AND "user" = %s' + (" FOR UPDATE" if lock else "")
    row = await (await connection.execute(select.encode(), (scope.tenant, scope.user))).fetchone()
    if row is None:
        return None
    await _act_as(connection, row[0])
    return row[0], row[1]


async def _act_as(connection: Connection, owner: int) -> None:
    await connection.execute("SELECT set_config('zhiji.owner', %s, true)", (str(owner),))
