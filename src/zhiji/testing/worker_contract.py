"""What every store promises about the processes that run jobs: who is alive, who is missing, who was started again."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from zhiji.stores.base import BEATS_KEPT, Store
from zhiji.testing.values import at
from zhiji.types import WorkerBeat, WorkerRole

PATIENCE = timedelta(seconds=15)
DAY = BEATS_KEPT.total_seconds()


def beat(number: int, seconds: float = 0, *, role: WorkerRole = WorkerRole.WORKER, running: int = 0) -> WorkerBeat:
    """Return the beat at ``at(seconds)`` of the process ``host/<number>/x``, which was started at ``at(number)``."""
    return WorkerBeat(
        holder=f"host/{number}/x",
        role=role,
        started_at=at(number),
        beat_at=at(seconds),
        until=at(seconds) + PATIENCE,
        running=running,
    )


async def seen(store: Store, seconds: float) -> list[tuple[int, bool]]:
    """Return number and absence of each process as of ``at(seconds)``."""
    found = await store.workers(now=at(seconds))
    return [(int(one.holder.split("/")[1]), one.is_missing) for one in found]


class WorkerContract:
    """Signs of life."""

    async def test_last_beat_counts(self, store: Store) -> None:
        """Of each process the last beat is kept, whole; the one started first comes first."""
        assert await store.workers(now=at()) == []
        second = beat(2, role=WorkerRole.SERVE)
        for one in (second, beat(1), beat(1, 5, running=3)):
            await store.beat(one)
        assert await store.workers(now=at(6)) == [beat(1, 5, running=3), second]

    async def test_silence_is_absence(self, store: Store) -> None:
        """A process is missing from ``until`` on, and present again as soon as it beats."""
        await store.beat(beat(1))
        assert await seen(store, 14.9) == [(1, False)]
        assert await seen(store, 15) == [(1, True)]
        assert await store.workers(now=at(15)) == [replace(beat(1), is_missing=True)]
        await store.beat(beat(1, 20))
        assert await seen(store, 21) == [(1, False)]

    async def test_stopped_process_is_not_missing(self, store: Store) -> None:
        """Who stops on purpose is forgotten; nobody else is."""
        await store.beat(beat(1))
        await store.beat(beat(2))
        await store.drop_worker("host/1/x")
        await store.drop_worker("host/1/x")
        assert await seen(store, 99) == [(2, True)]

    async def test_started_again_is_not_missing(self, store: Store) -> None:
        """A new process takes the place of the one of its role that has been missing longest, of one only."""
        for number, seconds, role in (
            (1, 3, WorkerRole.WORKER),
            (2, 2, WorkerRole.WORKER),
            (3, 1, WorkerRole.SERVE),
            (4, 9, WorkerRole.WORKER),
        ):
            await store.beat(beat(number, seconds, role=role))
        assert await seen(store, 20) == [(1, True), (2, True), (3, True), (4, False)]
        await store.beat(beat(5, 20))
        assert await seen(store, 20) == [(1, True), (3, True), (4, False), (5, False)]
        await store.beat(beat(5, 21))
        assert await seen(store, 21) == [(1, True), (3, True), (4, False), (5, False)]

    async def test_long_gone_is_forgotten(self, store: Store) -> None:
        """A process is missed for a day; then the next beat of anybody forgets it."""
        await store.beat(beat(1, role=WorkerRole.SERVE))
        await store.beat(beat(2, DAY + 14.9))
        assert await seen(store, DAY + 15) == [(1, True), (2, False)]
        await store.beat(beat(2, DAY + 15))
        assert await seen(store, DAY + 15) == [(2, False)]
