"""The contract of portable stores, on both databases."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from zhiji.stores.base import Portable
from zhiji.stores.postgres import PostgresStore
from zhiji.stores.sqlite import SqliteStore
from zhiji.testing.portable_contract import PortableContract
from zhiji.testing.servers import Postgres


class TestSqlite(PortableContract):
    """Between two files."""

    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[Portable]:
        """Yield an empty file."""
        store = await SqliteStore.open(tmp_path / "one.db")
        yield store
        await store.close()

    @pytest.fixture
    async def other(self, tmp_path: Path) -> AsyncIterator[Portable]:
        """Yield another empty file."""
        store = await SqliteStore.open(tmp_path / "other.db")
        yield store
        await store.close()


class TestPostgres(PortableContract):
    """Between two databases of one server."""

    @pytest.fixture
    async def store(self, postgres_url: str) -> AsyncIterator[Portable]:
        """Yield an empty database."""
        store = await PostgresStore.open(postgres_url, connections=4)
        yield store
        await store.close()

    @pytest.fixture
    async def other(self, postgres_server: Postgres) -> AsyncIterator[Portable]:
        """Yield another empty database, with a secret of its own."""
        url = postgres_server.create()
        store = await PostgresStore.open(url, connections=4)
        yield store
        await store.close()
        postgres_server.drop(url)
