"""One time for all processes on a database: what one of them says is later is later for the others, too.

Leases, jobs, deletions and what supersedes what are judged by times that several machines write. So where no clock was
given and this machine's differs from the database's by more than ``TOLERATED``, the database's is gone by.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta

from zhiji.models.base import Clock
from zhiji.stores.base import Store

log = logging.getLogger("zhiji.clocks")

TOLERATED = timedelta(seconds=1)
"""Less is what machines with NTP, and a slow answer of the database, differ by."""


def system_clock() -> datetime:
    """Return now, in UTC."""
    return datetime.now(UTC)


class SharedClock:
    """Returns now, by this machine's clock, until ``compare`` has found it to differ from the database's."""

    def __init__(self, here: Clock = system_clock) -> None:
        """``here``: this machine's."""
        self._here = here
        self._ahead = timedelta(0)

    def __call__(self) -> datetime:
        return self._here() - self._ahead

    async def compare(self, store: Store) -> None:
        """The clock goes by the one of this store's database, if the two differ; a change is logged.

        Raises:
            StoreError: the database cannot be asked; nothing changed.
        """
        before = self._here()
        there = await store.clock()
        after = self._here()
        ahead = before + (after - before) / 2 - there
        ahead = ahead if abs(ahead) > TOLERATED + (after - before) else timedelta(0)
        if abs(ahead - self._ahead) > TOLERATED:
            seconds = ahead.total_seconds()
            log.warning("clock_differs: by %+.0f s from the database's, which is gone by; set this machine's", seconds)
        self._ahead = ahead


async def compare(clock: Clock, store: Store) -> None:
    """A clock that nobody gave goes by the database's. Raises as ``SharedClock.compare``."""
    if isinstance(clock, SharedClock):
        await clock.compare(store)
