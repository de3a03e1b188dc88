"""How long recall takes, beside one numpy matrix-vector product with top-k in the same run.

    python -m benchmarks recall [--memories 10000] [--others 1000] [--others-memories 1000] [--queries 200] [--rounds 5]

Two files: one owner alone, and the same owner among others. The query's vector is given and the owner's index is warm; a
figure is the whole of ``recall``: both arms, fused, scored, cut to five. The three are measured in turns, query by query,
so that they meet the same caches and the same load. Targets are ratios: recall at most 10 times the product, and at most
1.3 times itself without the other owners.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks import report
from zhiji import recall
from zhiji.config import Settings
from zhiji.stores.base import MemoryChange, MemoryPut
from zhiji.stores.sqlite import SqliteStore
from zhiji.types import Memory, Recalled, Scope, Source

NOW = datetime(2025, 6, 1, tzinfo=UTC)
DIM = 384
K = 5
MODEL = "random-384"
OWNER = Scope("bench", "owner")
SUBJECTS = [
    "订单",
    "退货地址",
    "运动鞋",
    "会员积分",
    "发票抬头",
    "生日聚会",
    "咖啡机",
    "allergy",
    "delivery",
    "refund",
    "meeting",
    "garden",
]
VERBS = [
    "已经签收",
    "想要退货",
    "改到下周",
    "寄到公司",
    "喜欢",
    "不再需要",
    "was shipped",
    "arrives late",
    "prefers",
    "cancelled",
]
PLACES = ["杭州市西湖区", "成都市高新区", "北京朝阳", "on Baker Street", "in Lyon", "at the office", "老家", "学校门口"]

Vectors = npt.NDArray[np.float32]


def sentence(rng: random.Random, number: int) -> str:
    """Return one invented sentence; every one names an order of its own and shares its words with many."""
    return f"{rng.choice(SUBJECTS)} OD{20240000000 + number} {rng.choice(VERBS)}，{rng.choice(PLACES)}，第{rng.randrange(500)}号"


def memory(rng: random.Random, number: int) -> Memory:
    """Return one memory of a random type and age."""
    then = NOW - timedelta(days=rng.randrange(120), minutes=rng.randrange(1440))
    return Memory(
        id=f"mem_{number}",
        type=rng.choice(["order", "event", "preference", "task", "conclusion"]),
        content=sentence(rng, number),
        sources=(Source(session=f"ses_{number // 20}", seqs=(number % 20 + 1,)),),
        valid_from=then,
        created_at=then,
        updated_at=then,
    )


def unit(vectors: Vectors) -> Vectors:
    """Return the rows with length 1."""
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / lengths).astype(np.float32)


def puts(count: int, seed: int) -> list[MemoryPut]:
    """Return the writes of so many new memories, without vectors."""
    rng = random.Random(seed)
    rows = [memory(rng, number) for number in range(count)]
    return [MemoryPut(memory=row, terms=recall.index_terms(row)) for row in rows]


async def fill(store: SqliteStore, count: int) -> Vectors:
    """The owner has ``count`` embedded memories; returns their vectors."""
    vectors = unit(np.random.default_rng(1).standard_normal((count, DIM)).astype(np.float32))
    embedded = [replace(put, vector=vector, model=MODEL) for put, vector in zip(puts(count, 1), vectors, strict=True)]
    await store.change_memories(OWNER, MemoryChange(puts=embedded))
    return vectors


async def crowd(store: SqliteStore, owners: int, count: int) -> None:
    """As many other owners have ``count`` memories each; they may all say the same, nothing of it is shared."""
    change = MemoryChange(puts=puts(count, 2))
    for number in range(owners):
        await store.change_memories(Scope("bench", f"other-{number}"), change)


Once = Callable[[int], Awaitable[object]]


def product(vectors: Vectors, queries: Vectors) -> Once:
    """Return the least that an exact vector search can do: one product and the best ``K``."""

    async def once(number: int) -> object:
        scores = vectors @ queries[number]
        top = np.argpartition(scores, -K)[-K:]
        return top[np.argsort(-scores[top])]

    return once


def recalling(store: SqliteStore, queries: Vectors, settings: Settings) -> Once:
    """Return the whole recall step."""
    rng = random.Random(7)
    words = [sentence(rng, rng.randrange(10**6)) for _ in queries]

    async def once(number: int) -> list[Recalled]:
        async def embed(_: str) -> tuple[str, Vectors]:
            return MODEL, queries[number]

        found = await recall.recall(store, embed, OWNER, words[number], k=K, now=NOW, settings=settings)
        assert len(found) == K
        return found

    return once


async def medians(runs: Sequence[Once], queries: int, rounds: int) -> list[float]:
    """Return the median milliseconds of each, all of them run in turns; the first round only warms up."""
    spent: list[list[float]] = [[] for _ in runs]
    for round_ in range(rounds + 1):
        for number in range(queries):
            for run, times in zip(runs, spent, strict=True):
                started = time.perf_counter()
                await run(number)
                if round_:
                    times.append((time.perf_counter() - started) * 1000)
    return [statistics.median(times) for times in spent]


async def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the ratios."""
    parser = argparse.ArgumentParser(
        prog="benchmarks recall", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    defaults = {"memories": 10_000, "others": 1_000, "others-memories": 1_000, "queries": 200, "rounds": 5}
    for name, default in defaults.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args(argv)
    settings = Settings.load()
    queries = unit(np.random.default_rng(99).standard_normal((options.queries, DIM)).astype(np.float32))
    with tempfile.TemporaryDirectory(dir=".") as folder:
        alone = await SqliteStore.open(Path(folder, "alone.db"))
        among = await SqliteStore.open(Path(folder, "among.db"))
        vectors = await fill(alone, options.memories)
        await crowd(among, options.others, options.others_memories)
        await fill(among, options.memories)
        runs = [product(vectors, queries), recalling(alone, queries, settings), recalling(among, queries, settings)]
        numpy_ms, alone_ms, among_ms = await medians(runs, options.queries, options.rounds)
        await alone.close()
        await among.close()
    rows = [
        report.ratio("recall / numpy product and top 5", alone_ms, numpy_ms, most=10),
        report.ratio("recall: among other owners / alone", among_ms, alone_ms, most=1.3),
    ]
    report.publish("recall", vars(options), rows)


if __name__ == "__main__":
    asyncio.run(main())
