"""Both stores keep what the contract promises."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from zhiji.stores.base import Store
from zhiji.stores.memory import MemoryStore
from zhiji.stores.sqlite import SqliteStore
from zhiji.testing.conformance import StoreContract


class TestSqliteStore(StoreContract):
    """SQLite conforms."""

    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[Store]:
        """Yield a store in a file of its own."""
        store = await SqliteStore.open(tmp_path / "zhiji.db")
        yield store
        await store.close()


class TestMemoryStore(StoreContract):
    """The reference conforms."""

    @pytest.fixture
    async def store(self) -> AsyncIterator[Store]:
        """Yield the in-memory reference."""
        store = MemoryStore()
        yield store
        await store.close()
