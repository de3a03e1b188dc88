"""The conformance suite of stores: what ``stores/base.py`` promises, as tests that anybody can run on their backend.

Subclass ``StoreContract`` in a test module and override its one fixture::

    class TestMyStore(StoreContract):
        @pytest.fixture
        async def store(self, tmp_path):
            store = await MyStore.open(tmp_path)
            yield store
            await store.close()

Each test gets a fresh, empty, open store. All times are passed in: nothing here reads a clock or waits. Needs pytest
with pytest-asyncio (``asyncio_mode = "auto"``).
"""

from __future__ import annotations

import pytest

from zhiji.stores.base import Store
from zhiji.testing.job_contract import JobContract
from zhiji.testing.memory_contract import MemoryContract
from zhiji.testing.owner_contract import OwnerContract
from zhiji.testing.retry_contract import RetryContract
from zhiji.testing.search_contract import SearchContract
from zhiji.testing.session_contract import SessionContract
from zhiji.testing.turn_contract import TurnContract
from zhiji.testing.worker_contract import WorkerContract


class StoreContract(
    SessionContract,
    TurnContract,
    RetryContract,
    MemoryContract,
    SearchContract,
    JobContract,
    WorkerContract,
    OwnerContract,
):
    """Everything that a store promises."""

    @pytest.fixture
    def store(self) -> Store:
        """Return an empty store; subclasses override it."""
        raise NotImplementedError("override the fixture `store` with one that yields your backend")
