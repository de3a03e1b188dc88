"""Filling a database: a few owners through the store, and every other owner with the very rows of one of them.

So each row is one that the store would have written, and a million memories are there in minutes. An owner comes
back ``visits`` times, between the visits of all others, as in life: what belongs to one owner does not lie in one piece
where the database does not see to it. Ids are unique within their owner only, which is all that the contract asks for.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.recall import DIM, MODEL, puts, unit
from benchmarks.scale.databases import TABLES, Database, Sqlite
from zhiji.stores.base import MemoryChange, MemoryPut, Store
from zhiji.types import Scope

TENANT = "default"
FIRST = 1_000_000
"""Number in the name of the first owner, so that all names are of one length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is in a store."""

    owners: int
    each: int
    """Memories of each owner."""
    templates: int
    """Owners that are written through the store; the next ones have the same memories, and so on."""
    visits: int
    dim: int = DIM

    def written(self, template: int) -> list[MemoryPut]:
        """Return the writes of a template's memories, with vectors of length 1 at random."""
        vectors = unit(np.random.default_rng(template).standard_normal((self.each, self.dim)).astype(np.float32))
        memories = puts(self.each, template)
        return [replace(put, vector=vector, model=MODEL) for put, vector in zip(memories, vectors, strict=True)]

    def visit(self, number: int) -> tuple[int, int]:
        """Return the first and the last number of the memories that an owner brings at this visit, from 0."""
        return number * self.each // self.visits + 1, (number + 1) * self.each // self.visits


def user(number: int) -> str:
    """Return the name of an owner, from 0."""
    return f"user_{FIRST + number}"


async def write(store: Store, plan: Plan, template: int, visit: int, memories: list[MemoryPut]) -> None:
    """An owner's memories of one visit are written as ``change_memories`` writes them."""
    first, last = plan.visit(visit)
    await store.change_memories(Scope(TENANT, user(template)), MemoryChange(puts=memories[first - 1 : last]))


async def write_templates(store: Store, plan: Plan, owners: int) -> None:
    """The first so many owners are written through the store."""
    written = [plan.written(template) for template in range(owners)]
    for visit in range(plan.visits):
        for template, memories in enumerate(written):
            await write(store, plan, template, visit, memories)


def fill(database: Database, plan: Plan) -> None:
    """The other owners are there, too."""
    if isinstance(database, Sqlite):
        database.run(["PRAGMA journal_mode = DELETE"])  # in the log, each page would be written twice, or more
    database.run(statements(database, plan))
    if isinstance(database, Sqlite):
        database.run(["PRAGMA journal_mode = WAL"])
    database.settle()


def statements(database: Database, plan: Plan) -> Iterator[str]:
    """Yield what gives every other owner the rows of one of the first ones, visit by visit."""
    yield f"""
INSERT INTO zhiji_owners (tenant, "user", version)
WITH RECURSIVE others(number) AS (
  SELECT {plan.templates} UNION ALL SELECT number + 1 FROM others WHERE number + 1 < {plan.owners})
SELECT '{TENANT}', 'user_' || ({FIRST} + number), {plan.visits} FROM others WHERE number < {plan.owners}"""
    for table in TABLES:
        number = _number(table)
        yield f"CREATE TEMPORARY TABLE of_{table} AS SELECT * FROM {table}"
        yield f"CREATE INDEX of_{table}_owner ON of_{table} (owner, {number})"
    for visit in range(plan.visits):
        first, last = plan.visit(visit)
        for table in TABLES:
            columns, number = ", ".join(database.columns(table)), _number(table)
            yield f"""
INSERT INTO {table} (owner, {columns})
SELECT o.id, {", ".join(f"t.{column}" for column in database.columns(table))}
FROM zhiji_owners AS o CROSS JOIN of_{table} AS t
WHERE o.id > {plan.templates} AND t.owner = (o.id - 1) % {plan.templates} + 1 AND t.{number} BETWEEN {first} AND {last}
ORDER BY o.id, t.{number}"""


def _number(table: str) -> str:
    return "number" if table == "zhiji_memories" else "memory"


def filled(database: Database, plan: Plan) -> tuple[float, float]:
    """The database is filled; returns the seconds that it took, and the most memory that this process held, in MB."""
    began = time.monotonic()
    fill(database, plan)
    return time.monotonic() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
