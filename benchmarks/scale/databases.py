"""The two databases as a filler and a measurer need them: bulk statements, sizes, memory, and the store and zhiji on them."""

from __future__ import annotations

import contextlib
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg

from zhiji.stores.base import Store

TABLES = ("zhiji_memories", "zhiji_terms", "zhiji_vectors")
"""Where a memory is."""
FILLING_BYTES = 512 * 1024 * 1024
"""Memory of SQLite's page cache while a file is filled."""


COMPUTED = ("expires_day",)
"""Columns that a database makes of others."""


@dataclass(frozen=True, slots=True)
class Database(ABC):
    """One database; every statement that is not here is the same for both."""

    url: str

    @abstractmethod
    async def open(self) -> Store:
        """Return the store on it."""

    @abstractmethod
    def connection(self) -> contextlib.AbstractContextManager[Any]:
        """Give a connection in autocommit that does not wait for the disk: whoever fills a database may do it again."""

    @abstractmethod
    def settle(self) -> None:
        """What production would have done to it by now, when nobody watched, is done."""

    @abstractmethod
    def sizes(self) -> Mapping[str, int]:
        """Return bytes on disk, by table with its indexes, and in all."""

    @abstractmethod
    def setting(self) -> str:
        """Return how much memory it may use of its own for pages."""

    def columns(self, table: str) -> list[str]:
        """Return the columns of a table that are written, but ``owner``."""
        with self.connection() as connection:
            found = connection.execute(f"SELECT * FROM {table} LIMIT 0")
            return [column[0] for column in found.description if column[0] not in ("owner", *COMPUTED)]

    def rows(self, user: str) -> Mapping[str, list[tuple[Any, ...]]]:
        """Return every row of a user's memories, without what only numbers their owner, in the order of their keys."""
        found = {}
        with self.connection() as connection:
            owner = f"""(SELECT id FROM zhiji_owners WHERE "user" = '{user}')"""
            for table in TABLES:
                columns = ", ".join(self.columns(table))
                rows = connection.execute(f"SELECT {columns} FROM {table} WHERE owner = {owner}").fetchall()
                found[table] = sorted(rows, key=repr)
            found["versions"] = connection.execute(f"SELECT version FROM zhiji_owners WHERE id = {owner}").fetchall()
        return found

    def users(self, which: str) -> list[str]:
        """Return the names of the owners for whose number ``id`` a condition holds, in its order."""
        with self.connection() as connection:
            rows = connection.execute(f'SELECT "user" FROM zhiji_owners WHERE {which} ORDER BY id').fetchall()
        return [row[0] for row in rows]

    def run(self, statements: Iterable[str]) -> None:
        """The statements were run, on one connection, each committed."""
        with self.connection() as connection:
            for statement in statements:
                connection.execute(statement)


class Sqlite(Database):
    """One file."""

    @property
    def path(self) -> str:
        return self.url.removeprefix("sqlite:///")

    async def open(self) -> Store:
        from zhiji.stores.sqlite import SqliteStore

        return await SqliteStore.open(self.path)

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        with contextlib.closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(f"PRAGMA cache_size = -{FILLING_BYTES // 1024}")
            yield connection

    def settle(self) -> None:
        self.run(["PRAGMA wal_checkpoint(TRUNCATE)"])

    def sizes(self) -> Mapping[str, int]:
        with self.connection() as connection:
            (pages,), (bytes_,) = (
                connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size")
            )
        return {"file": pages * bytes_}

    def setting(self) -> str:
        from zhiji.stores.sqlite.cache import CACHE_BYTES

        return f"{CACHE_BYTES // 2**20} MB of owners' indexes, 2 MB of pages per connection"


class Postgresql(Database):
    """One database of a server."""

    async def open(self) -> Store:
        from zhiji.stores.postgres import PostgresStore

        return await PostgresStore.open(self.url)

    @contextmanager
    def connection(self) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("SET synchronous_commit = off")
            yield connection

    def settle(self) -> None:
        self.run(["VACUUM (ANALYZE)", "CHECKPOINT"])

    def sizes(self) -> Mapping[str, int]:
        with self.connection() as connection:
            found = connection.execute(
                """SELECT relname, pg_total_relation_size(oid) FROM pg_class
                   WHERE relkind = 'r' AND relname LIKE 'zhiji%' ORDER BY 2 DESC"""
            ).fetchall()
        return {**dict(found[: len(TABLES)]), "all": sum(bytes_ for _, bytes_ in found)}

    def setting(self) -> str:
        with self.connection() as connection:
            row = connection.execute("SHOW shared_buffers").fetchone()
        return f"shared_buffers {row[0] if row else '?'}"
