"""The vectors of one owner's memories in PostgreSQL: pgvector's ``halfvec`` by model and memory number.

Functions ``(connection, …)`` inside the caller's transaction, which knows its owner. What is stored is finite, has length
1 and is kept at half precision, so cosines are right to about a thousandth; a vector of which nothing can be made (zero,
NaN, infinite) leaves a row without data, so that it is not asked for again.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import psycopg
from psycopg.adapt import Buffer, Dumper
from psycopg.pq import Format

from zhiji import scoring
from zhiji.errors import DimensionMismatch
from zhiji.stores.base import Vector
from zhiji.stores.postgres.connection import Connection

DIMENSION = "SELECT dim FROM zhiji_vectors WHERE owner = zhiji_owner() AND model = %s ORDER BY memory LIMIT 1"
"""The dimension of the owner's vectors of one model; no row if there are none. Ordered, so that it is read by the index: a
plan that expects to meet some of a large owner's rows anywhere soon is kept, and reads everybody's for a small one."""
_PUT = """
INSERT INTO zhiji_vectors (owner, model, memory, dim, data) VALUES (zhiji_owner(), %s, %s, %s, %s::halfvec)
ON CONFLICT (owner, model, memory) DO UPDATE SET dim = excluded.dim, data = excluded.data
"""


class HalfVector(bytes):
    """A vector in the form that pgvector sends: dimension, nothing, and the numbers as float16, big-endian."""

    __slots__ = ()

    @classmethod
    def of(cls, vector: Vector) -> HalfVector:
        """Return the vector, which is finite, at half precision."""
        return cls(struct.pack(">HH", len(vector), 0) + vector.astype(">f2").tobytes())


class _HalfVectorDumper(Dumper):
    """Sends the bytes as they are; the server knows their type from the statement (``%s::halfvec``)."""

    format = Format.BINARY
    oid = 0

    def dump(self, obj: Any) -> Buffer:
        return bytes(obj)


psycopg.adapters.register_dumper(HalfVector, _HalfVectorDumper)


async def put(connection: Connection, model: str, vectors: Mapping[int, Vector]) -> None:
    """The memories with these numbers have these vectors.

    Raises:
        DimensionMismatch: as in ``Store.put_vectors``.
    """
    dim = await dimension(connection, model)
    for number, vector in vectors.items():
        if dim is not None and len(vector) != dim:
            raise DimensionMismatch(stored=dim, given=len(vector))
        usable = scoring.unit(vector)
        data = None if usable is None else HalfVector.of(usable)
        await connection.execute(_PUT, (model, number, len(vector), data))
        dim = len(vector)


async def dimension(connection: Connection, model: str) -> int | None:
    """Return the dimension of the owner's vectors of one model, or None if there are none."""
    row = await (await connection.execute(DIMENSION, (model,))).fetchone()
    return None if row is None else int(row[0])


async def delete(connection: Connection, numbers: Sequence[int]) -> None:
    """These memories have no vector of any model."""
    # A loose scan of the models: the key begins with them.
    await connection.execute(
        """WITH RECURSIVE models AS (
             SELECT min(model) AS model FROM zhiji_vectors WHERE owner = zhiji_owner()
             UNION ALL
             SELECT (SELECT min(model) FROM zhiji_vectors WHERE owner = zhiji_owner() AND model > models.model)
             FROM models WHERE models.model IS NOT NULL)
           DELETE FROM zhiji_vectors WHERE owner = zhiji_owner() AND memory = ANY(%s)
             AND model IN (SELECT model FROM models)""",
        (list(numbers),),
    )


async def drop_others(connection: Connection, model: str, dim: int) -> int:
    """See ``Store.drop_vectors``."""
    dropped = await connection.execute(
        """WITH dropped AS (
             DELETE FROM zhiji_vectors WHERE owner = zhiji_owner() AND (model <> %s OR dim <> %s) RETURNING 1)
           SELECT count(*) FROM dropped""",
        (model, dim),
    )
    ((count,),) = await dropped.fetchall()
    return int(count)
