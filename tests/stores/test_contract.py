"""Every store keeps what the contract promises."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from zhiji.stores.base import Store
from zhiji.stores.memory import MemoryStore
from zhiji.stores.postgres import PostgresStore
from zhiji.stores.sqlite import SqliteStore
from zhiji.testing.comparison import Opener
from zhiji.testing.conformance import StoreContract, StoreSuite
from zhiji.testing.servers import Postgres, clear


class TestSqliteStore(StoreSuite):
    """SQLite conforms."""

    @asynccontextmanager
    async def empty(self) -> AsyncIterator[Opener]:
        """Give a file of its own."""
        with TemporaryDirectory() as folder:
            yield lambda: SqliteStore.open(Path(folder, "zhiji.db"))


class TestMemoryStore(StoreContract):
    """The reference conforms."""

    @pytest.fixture
    async def store(self) -> AsyncIterator[Store]:
        """Yield the in-memory reference."""
        store = MemoryStore()
        yield store
        await store.close()


@pytest.fixture(scope="module")
def shared_url(postgres_server: Postgres, postgres_template: str) -> Iterator[str]:
    """URL of a database with the present tables."""
    url = postgres_server.create(postgres_template)
    yield url
    postgres_server.drop(url)


class TestPostgresStore(StoreSuite):
    """PostgreSQL conforms."""

    cosine_tolerance = 2e-3  # vectors are kept at half precision
    machine_examples = 15
    machine_steps = 25

    @pytest.fixture(autouse=True)
    def database(self, shared_url: str) -> None:
        """One database is enough: it is emptied each time."""
        self.url = shared_url

    @asynccontextmanager
    async def empty(self) -> AsyncIterator[Opener]:
        """Give the database without a row."""
        clear(self.url)
        yield lambda: PostgresStore.open(self.url, connections=4)
