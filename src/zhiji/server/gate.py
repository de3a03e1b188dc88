"""How much is answered at once, and how the service stops: places for requests, and the drain."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from zhiji.errors import Overloaded, ShuttingDown


class Gate:
    """Counts what runs. One per application; used on one event loop."""

    def __init__(self, places: int) -> None:
        """At most ``places`` requests at once, and as many open sockets."""
        self._places = places
        self._running: set[asyncio.Task[object]] = set()
        self._sockets = 0
        self.closing = asyncio.Event()
        """Set once the service is stopping: nothing new is taken."""
        self.is_over = False
        """The time to drain is over; whatever still runs is being cancelled."""

    @property
    def running(self) -> int:
        """How many requests are being answered."""
        return len(self._running)

    @contextmanager
    def place(self) -> Iterator[None]:
        """The current task holds a place.

        Raises:
            ShuttingDown, Overloaded: there is none.
        """
        if self.closing.is_set():
            raise ShuttingDown
        if len(self._running) >= self._places:
            raise Overloaded
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        try:
            yield
        finally:
            self._running.discard(task)

    @contextmanager
    def socket(self) -> Iterator[None]:
        """An open socket is counted; raises as ``place``."""
        if self.closing.is_set():
            raise ShuttingDown
        if self._sockets >= self._places:
            raise Overloaded
        self._sockets += 1
        try:
            yield
        finally:
            self._sockets -= 1

    async def drain(self, seconds: float) -> None:
        """Nothing new is taken; what runs has ended, or was cancelled after ``seconds``."""
        self.closing.set()
        if self._running:
            await asyncio.wait(self._running, timeout=seconds)
        self.is_over = True
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running, timeout=LAST_SECONDS)


LAST_SECONDS = 5.0
"""Time for a cancelled request to save what was told and to say so."""
