"""What the state machines share: a store beside the in-memory reference, and how many sequences are tried.

It needs the package ``hypothesis``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack

from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from zhiji.stores.base import Store
from zhiji.stores.memory import MemoryStore
from zhiji.testing.comparison import Empty


class Machine(RuleBasedStateMachine):
    """An empty store and an empty reference; a subclass says what is done to both, and what is compared."""

    def __init__(self, empty: Empty) -> None:
        """``empty`` gives the database of the store; both are gone at the end."""
        super().__init__()
        self.runner = asyncio.Runner()
        self.ends = AsyncExitStack()
        self.reference = MemoryStore()
        self.store = self.runner.run(self._open(empty))

    async def _open(self, empty: Empty) -> Store:
        opener = await self.ends.enter_async_context(empty())
        store = await opener()
        self.ends.push_async_callback(store.close)
        return store

    def teardown(self) -> None:
        """The store is closed and its database is gone."""
        self.runner.run(self.ends.aclose())
        self.runner.close()


def run(made: Callable[[], Machine], *, examples: int, steps: int) -> None:
    """So many sequences of at most so many steps were tried; what differs is as short as it can be made.

    Raises:
        AssertionError: something differs; the message and the output tell the shortest sequence found.
    """
    run_state_machine_as_test(
        made,  # type: ignore[arg-type]  # any callable that makes one will do
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
        ),
    )
