"""What one owner's recall and erasure take in a big store and in a small one, one after the other."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path

import numpy as np

from benchmarks.recall import MODEL, NOW, Vectors, sentence, unit
from benchmarks.scale import fill
from benchmarks.scale.databases import Database
from zhiji import Settings, Zhiji, recall, text
from zhiji.stores.base import Filter, Query, Store
from zhiji.types import Scope

NOBODY = "nobody"
K = 5
ROUNDS = 5
"""Warm recalls of each owner, but for one that only warms up."""

Ask = Callable[[str, str], Awaitable[int]]
"""Recall for a user by a question; returns how much was found."""
Open = Callable[[Database], AbstractAsyncContextManager[Ask]]
Pair = tuple[list[float], list[float]]
"""Milliseconds in the big store and in the small one."""


class Random:
    """An embedder whose vectors mean nothing, and take next to no time."""

    name = MODEL

    def __init__(self, dim: int) -> None:
        self.dim = dim

    def embed_queries(self, texts: list[str]) -> Vectors:
        """Return a vector for each text, always the same for the same text."""
        seeds = [int.from_bytes(hashlib.sha256(one.encode()).digest()[:8]) for one in texts]
        return unit(np.array([np.random.default_rng(seed).standard_normal(self.dim) for seed in seeds], np.float32))

    embed_passages = embed_queries


def searching(dim: int) -> Open:
    """Return how to open a store for ``Store.search`` by both arms."""
    embedder = Random(dim)

    @asynccontextmanager
    async def opened(database: Database) -> AsyncIterator[Ask]:
        store = await database.open()

        async def ask(user: str, question: str) -> int:
            query = Query(
                terms=text.query_terms(question),
                vector=embedder.embed_queries([question])[0],
                model=MODEL,
                filter=Filter(now=NOW),
                limit=recall.candidates(K),
            )
            return len(await store.search(Scope(fill.TENANT, user), query))

        try:
            yield ask
        finally:
            await store.close()

    return opened


def recalling(dim: int) -> Open:
    """Return how to open zhiji for ``recall``."""

    @asynccontextmanager
    async def opened(database: Database) -> AsyncIterator[Ask]:
        settings = Settings.load(database_url=database.url, worker=False, tenant=fill.TENANT)
        async with Zhiji.open(settings, embedder=Random(dim), clock=lambda: NOW) as zj:

            async def ask(user: str, question: str) -> int:
                return len(await zj.recall(user, question, k=K))

            yield ask

    return opened


def questions(count: int) -> list[str]:
    """Return what is asked: sentences like those that are remembered."""
    chance = random.Random(5)
    return [sentence(chance, chance.randrange(10**6)) for _ in range(count)]


async def timed(work: Awaitable[int]) -> float:
    """Return the milliseconds that it took. It found something."""
    began = time.perf_counter()
    found = await work
    spent = (time.perf_counter() - began) * 1000
    assert found
    return spent


async def cold(open_: Open, big: Database, small: Database, users: Sequence[str]) -> Pair:
    """Return the times of the first recall of each user after the store was opened, and of its only one in the small store."""
    times: Pair = ([], [])
    for user, question in zip(users, questions(len(users)), strict=True):
        for database, who, kept in ((big, user, times[0]), (small, fill.user(0), times[1])):
            async with open_(database) as ask:
                for _ in range(2):  # every connection has been used, and knows the tables
                    await ask(NOBODY, question)
                kept.append(await timed(ask(who, question)))
    return times


async def warm(open_: Open, big: Database, small: Database, users: Sequence[str]) -> Pair:
    """Return the times of later recalls of the same users."""
    times: Pair = ([], [])
    async with AsyncExitStack() as stack:
        in_big, in_small = [await stack.enter_async_context(open_(one)) for one in (big, small)]
        for round_ in range(ROUNDS + 1):
            for user, question in zip(users, questions(len(users)), strict=True):
                pair = await timed(in_big(user, question)), await timed(in_small(fill.user(0), question))
                if round_:
                    for spent, kept in zip(pair, times, strict=True):
                        kept.append(spent)
    return times


async def erased(big: Database, small: Database, users: Sequence[str], plan: fill.Plan) -> Pair:
    """These users are erased; returns the times, and those of the only owner, who is written anew each time."""
    times: Pair = ([], [])
    puts = plan.written(0)
    in_big, in_small = await big.open(), await small.open()
    try:
        for user in users:
            for store, who, kept in ((in_big, user, times[0]), (in_small, fill.user(0), times[1])):
                await store.erase(Scope(fill.TENANT, NOBODY))  # what was written before is no longer in SQLite's log
                kept.append(await timed(_erase(store, who)))
            for visit in range(plan.visits):
                await fill.write(in_small, plan, 0, visit, puts)
    finally:
        await in_big.close()
        await in_small.close()
    return times


async def _erase(store: Store, user: str) -> int:
    removed: Mapping[str, int] = await store.erase(Scope(fill.TENANT, user))
    return removed["memories"]


def resident_mb() -> float:
    """Return the memory that this process holds now; 0 where there is no ``/proc``."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:")), 0.0)
