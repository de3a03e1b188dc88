"""The indexes of the owners that were searched last, within a budget of bytes."""

from __future__ import annotations

import threading

from zhiji.stores.sqlite.index import OwnerIndex

CACHE_BYTES = 256 * 1024 * 1024
"""Default budget of the cache: about eight owners of 10,000 embedded memories each."""


class IndexCache:
    """The indexes of the owners searched last, within a budget of bytes. Safe for threads."""

    def __init__(self, budget_bytes: int = CACHE_BYTES) -> None:
        self._budget = budget_bytes
        self._lock = threading.Lock()
        self._indexes: dict[int, OwnerIndex] = {}
        self._sizes: dict[int, int] = {}

    def take(self, owner: int) -> OwnerIndex:
        """Return the index of an owner, new and empty if need be, and mark it as used last."""
        with self._lock:
            index = self._indexes.pop(owner, None) or OwnerIndex()
            self._indexes[owner] = index
            return index

    def drop(self, owner: int) -> None:
        """Nothing of this owner is kept."""
        with self._lock:
            self._forget(owner)

    def account(self, owner: int, nbytes: int) -> None:
        """The index of ``owner`` has this size; those used longest ago are gone until the rest fits the budget.

        The one used last stays, whatever its size.
        """
        with self._lock:
            if owner in self._indexes:
                self._sizes[owner] = nbytes
            while len(self._indexes) > 1 and sum(self._sizes.values()) > self._budget:
                self._forget(next(iter(self._indexes)))

    def _forget(self, owner: int) -> None:
        self._indexes.pop(owner, None)
        self._sizes.pop(owner, None)
