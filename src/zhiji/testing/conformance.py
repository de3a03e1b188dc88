"""The conformance suite of stores: what ``stores/base.py`` promises, as tests that anybody can run on their backend.

Subclass ``StoreSuite`` in a test module and say how an empty database of yours comes to be and is opened::

    class TestMyStore(StoreSuite):
        @asynccontextmanager
        async def empty(self):
            with TemporaryDirectory() as folder:
                yield lambda: MyStore.open(folder)

That runs the contract, method by method; state machines, which compare with the in-memory reference; and a check of what
happens at once. All times are passed in: the contract and the machine read no clock and never wait. Needs pytest with
pytest-asyncio (``asyncio_mode = "auto"``) and hypothesis.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import ClassVar

import pytest

from zhiji.stores.base import Store
from zhiji.testing.comparison import Opener
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
    """Everything that a store promises, on a store of the fixture ``store``: fresh, empty and open for each test."""

    @pytest.fixture
    def store(self) -> Store:
        """Return an empty store; subclasses override it."""
        raise NotImplementedError("override the fixture `store` with one that yields your backend")


class StoreSuite(StoreContract):
    """The contract, and what only shows over long or at once."""

    machine_examples: ClassVar[int] = 40
    """How many sequences of steps each state machine tries."""
    machine_steps: ClassVar[int] = 40
    """How many steps each has at most."""
    concurrency_seconds: ClassVar[float] = 10.0
    """How long the check of what happens at once looks; ``ZHIJI_TEST_SECONDS`` is stronger."""

    def empty(self) -> AbstractAsyncContextManager[Opener]:
        """Give an empty database, by a callable that opens a store in it; subclasses override it."""
        raise NotImplementedError("override `empty` with a context manager that gives what opens your backend")

    @pytest.fixture
    async def store(self) -> AsyncIterator[Store]:
        """Yield a store in a database of its own."""
        async with self.empty() as opener:
            store = await opener()
            yield store
            await store.close()

    def test_it_answers_as_the_reference_does(self) -> None:
        """Whatever owners do, in whatever order: each answer and all that can be seen is the reference's."""
        from zhiji.testing.state_machine import compare  # only the machines need hypothesis

        compare(self.empty, examples=self.machine_examples, steps=self.machine_steps)

    def test_it_finds_as_the_reference_does(self) -> None:
        """Whatever is written to memories, their terms and vectors: rows, order and scores are the reference's."""
        from zhiji.testing.memory_machine import compare

        compare(self.empty, examples=self.machine_examples, cosine_tolerance=self.cosine_tolerance)

    def test_what_happens_at_once_is_as_if_in_some_order(self) -> None:
        """Operations that run at once on two stores of one database have a serial order that explains them."""
        from zhiji.testing.concurrency import check

        assert check(self.empty, seconds=self.concurrency_seconds) > 0
