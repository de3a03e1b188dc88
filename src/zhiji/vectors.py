"""Vectors are written behind the memories, by a job of their own, so that no memory waits for its vector.

Until then, and while the embedder fails, memories are found by keyword.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import numpy as np

from zhiji import recall
from zhiji.errors import DimensionMismatch, EmbedderError
from zhiji.models.base import Embedder
from zhiji.parts import Parts
from zhiji.stores.base import MemoryChange, NewJob, Vector
from zhiji.types import (
    Job,
    JobKind,
    JobStatus,
    Recalled,
    Scope,
    Via,
)

SUBJECT = "vectors"
BATCH = 32
PROBE = "ok"
"""A text that no embedder can refuse: if it does, it is down, and not the passage to blame."""
_BY_VECTOR = frozenset({Via.VECTOR, Via.BOTH})


async def jobs(parts: Parts, scope: Scope, change: MemoryChange) -> list[NewJob]:
    """Return the job that gives new rows their vectors; none without an embedder."""
    fresh = any(put.memory.revision == 0 for put in change.puts)
    if not fresh or await parts.embedding.embedder() is None:
        return []
    return [NewJob(kind=JobKind.EMBED, subject=SUBJECT, run_at=parts.clock())]


async def embed(parts: Parts, job: Job) -> None:
    """Every memory of the owner has a vector of the embedder in use, but for those that it cannot take.

    If another embedder of this name was used before, none gets one: that is told, and left to ``reindex``.

    Raises:
        EmbedderError: the embedder failed; memories stay findable by keyword, the job is retried.
    """
    try:
        async for _ in fill(parts, job.scope):
            pass
    except DimensionMismatch:
        parts.embedding.tell_unfit()


async def fill(parts: Parts, scope: Scope) -> AsyncIterator[int]:
    """Memories of the owner without a vector of the embedder in use get one; yields how many, batch by batch.

    Raises:
        EmbedderError: the embedder failed. DimensionMismatch: vectors of its name have another dimension.
    """
    embedder = await parts.embedding.embedder()
    while embedder is not None:
        batch = await parts.store.unembedded(scope, embedder.name, limit=BATCH)
        if not batch:
            return
        vectors = await _vectors(parts, [recall.passage(memory) for memory in batch], embedder)
        await parts.store.put_vectors(
            scope, embedder.name, {memory.id: vector for memory, vector in zip(batch, vectors, strict=True)}
        )
        yield len(batch)


async def watch(parts: Parts, scope: Scope, found: Sequence[Recalled]) -> None:
    """If what was recalled has no vector of the embedder in use, and no job will give it one, that is told."""
    if not found or parts.embedding.told_unfit or any(one.via in _BY_VECTOR for one in found):
        return
    embedder = await parts.embedding.embedder()
    if embedder is None or not await parts.store.unembedded(scope, embedder.name, limit=1):
        return
    waiting = frozenset({JobStatus.PENDING, JobStatus.RUNNING})
    if not await parts.store.list_jobs(scope=scope, statuses=waiting, subject=SUBJECT, limit=1):
        parts.embedding.tell_unfit()


async def _vectors(parts: Parts, passages: Sequence[str], embedder: Embedder) -> list[Vector]:
    """Return the passages' vectors; zeros, which search ignores, where the embedder fails for one and works for others."""
    try:
        return await parts.embedding.passages(passages)
    except EmbedderError:
        if len(passages) > 1:
            return [vector for passage in passages for vector in await _vectors(parts, [passage], embedder)]
        await parts.embedding.passages([PROBE])
        return [np.zeros(embedder.dim, np.float32)]  # known only now, where the endpoint tells it
