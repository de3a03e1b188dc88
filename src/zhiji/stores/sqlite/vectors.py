"""The vectors of one owner's memories in SQLite: float32 blobs by model and memory number.

Plain functions ``(connection, owner, …)`` inside the caller's transaction. What is stored is finite and has length 1;
a vector of which nothing can be made (zero, NaN, infinite) leaves a row without data, so that it is not asked for again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence

from zhiji import scoring
from zhiji.errors import DimensionMismatch
from zhiji.stores.base import Vector

TABLES = """
CREATE TABLE zhiji_vectors (
  owner INTEGER NOT NULL,
  model TEXT NOT NULL,
  memory INTEGER NOT NULL,
  dim INTEGER NOT NULL,
  data BLOB,                           -- float32, L2-normalised; null: the embedder made nothing usable of it
  PRIMARY KEY (owner, model, memory)
);
"""

_NUMBERS = "(SELECT value FROM json_each(?))"


def put(connection: sqlite3.Connection, owner: int, model: str, vectors: Mapping[int, Vector]) -> None:
    """The memories with these numbers have these vectors.

    Raises:
        DimensionMismatch: as in ``Store.put_vectors``.
    """
    dim = dimension(connection, owner, model)
    for number, vector in vectors.items():
        if dim is not None and len(vector) != dim:
            raise DimensionMismatch(stored=dim, given=len(vector))
        usable = scoring.unit(vector)
        connection.execute(
            "INSERT OR REPLACE INTO zhiji_vectors (owner, model, memory, dim, data) VALUES (?, ?, ?, ?, ?)",
            (owner, model, number, len(vector), None if usable is None else usable.astype("<f4").tobytes()),
        )
        dim = len(vector)


def dimension(connection: sqlite3.Connection, owner: int, model: str) -> int | None:
    """Return the dimension of the owner's vectors of one model, or None if there are none."""
    select = "SELECT dim FROM zhiji_vectors WHERE owner = ? AND model = ? LIMIT 1"
    row = connection.execute(select, (owner, model)).fetchone()
    return None if row is None else int(row[0])


def load(
    connection: sqlite3.Connection, owner: int, model: str, dim: int, numbers: Sequence[int] | None = None
) -> list[tuple[int, bytes]]:
    """Return (number, float32 bytes) of the usable vectors of one model and dimension; ``numbers`` limits them."""
    select = "SELECT memory, data FROM zhiji_vectors WHERE owner = ? AND model = ? AND dim = ? AND data IS NOT NULL"
    if numbers is None:
        return connection.execute(select, (owner, model, dim)).fetchall()
    limited = f"{select} AND memory IN {_NUMBERS}"
    return connection.execute(limited, (owner, model, dim, json.dumps(list(numbers)))).fetchall()


def delete(connection: sqlite3.Connection, owner: int, number: int) -> None:
    """This memory has no vector of any model."""
    for model in _models(connection, owner):
        gone = (owner, model, number)
        connection.execute("DELETE FROM zhiji_vectors WHERE owner = ? AND model = ? AND memory = ?", gone)


def drop_others(connection: sqlite3.Connection, owner: int, model: str, dim: int) -> int:
    """See ``Store.drop_vectors``."""
    return connection.execute(
        "DELETE FROM zhiji_vectors WHERE owner = ? AND (model <> ? OR dim <> ?)", (owner, model, dim)
    ).rowcount


def _models(connection: sqlite3.Connection, owner: int) -> list[str]:
    # A loose scan: one step per model instead of one per vector.
    models: list[str] = []
    select = "SELECT min(model) FROM zhiji_vectors WHERE owner = ? AND model > ?"
    while (model := connection.execute(select, (owner, models[-1] if models else "")).fetchone()[0]) is not None:
        models.append(model)
    return models
