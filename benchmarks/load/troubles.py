"""What befalls the parts of a run: one trouble after the other begins, lasts for a while, and ends."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import chain, zip_longest

from benchmarks.load.stage import Stage

LASTS_SECONDS = 2.0
"""The longest that something stays dead or frozen."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing that may happen."""

    name: str
    begin: Callable[[], object]
    end: Callable[[], object]


def troubles(stage: Stage) -> list[Trouble]:
    """Return all that can befall a stage, processes and servers by turns."""
    processes = [Trouble(f"{one.name} killed", one.kill, one.start) for one in stage.victims]
    servers = list[Trouble]()
    if stage.postgres is not None:
        servers.append(Trouble("PostgreSQL shut down at once", stage.postgres.kill, stage.postgres.start))
    if stage.redis is not None:
        servers += [
            Trouble("Redis killed", stage.redis.kill, stage.redis.start),
            Trouble("Redis paused", stage.redis.pause, stage.redis.resume),
            Trouble("Redis flushed", stage.redis.flush, lambda: None),
        ]
    return [one for pair in zip_longest(servers, processes) for one in pair if one is not None]


@asynccontextmanager
async def troubled(stage: Stage, *, times: int, seconds: float, seed: int) -> AsyncIterator[None]:
    """Inside the block, ``times`` troubles befall the stage, about ``seconds`` apart: each kind once, then any.

    Nobody waits for the services in between, but at the end of the block every one is ready.
    """
    chance, over = random.Random(seed), asyncio.Event()
    task = asyncio.create_task(_befall(stage, _order(troubles(stage), chance, times), seconds, chance, over))
    try:
        yield
    finally:
        over.set()
        await task


def _order(known: Sequence[Trouble], chance: random.Random, times: int) -> Iterator[Trouble]:
    first = known[:times]
    return chain(first, (chance.choice(known) for _ in range(times - len(first))))


async def _befall(
    stage: Stage, order: Iterator[Trouble], seconds: float, chance: random.Random, over: asyncio.Event
) -> None:
    async with asyncio.TaskGroup() as waiting:
        for trouble in order:
            with suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), seconds * chance.uniform(0.5, 1.5))
                return
            await asyncio.to_thread(trouble.begin)
            try:
                await asyncio.sleep(min(seconds, LASTS_SECONDS) * chance.random())
            finally:
                await asyncio.to_thread(trouble.end)
            waiting.create_task(_time_until_ready(stage, trouble))


async def _time_until_ready(stage: Stage, trouble: Trouble) -> None:
    ended = time.monotonic()
    await stage.ready()
    stage.struck.append((trouble.name, time.monotonic() - ended))
