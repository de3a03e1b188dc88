"""Vectors are written behind the memories, by a job of their own, so that no memory waits for its vector.

Until then, and while the embedder fails, memories are found by keyword.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zhiji import recall
from zhiji.errors import EmbedderError
from zhiji.models.base import Embedder
from zhiji.parts import Parts
from zhiji.stores.base import MemoryChange, NewJob, Vector
from zhiji.types import (
    Job,
    JobKind,
    Scope,
)

SUBJECT = "vectors"
BATCH = 32
PROBE = "ok"
"""A text that no embedder can refuse: if it does, it is down, and not the passage to blame."""


async def jobs(parts: Parts, scope: Scope, change: MemoryChange) -> list[NewJob]:
    """Return the job that gives new rows their vectors; none without an embedder."""
    fresh = any(put.memory.revision == 0 for put in change.puts)
    if not fresh or await parts.embedding.embedder() is None:
        return []
    return [NewJob(kind=JobKind.EMBED, subject=SUBJECT, run_at=parts.clock())]


async def embed(parts: Parts, job: Job) -> None:
    """Every memory of the owner has a vector of the embedder in use, but for those that it cannot take.

    Raises:
        EmbedderError: the embedder failed; memories stay findable by keyword, the job is retried.
    """
    embedder = await parts.embedding.embedder()
    while embedder is not None:
        batch = await parts.store.unembedded(job.scope, embedder.name, limit=BATCH)
        if not batch:
            return
        vectors = await _vectors(parts, [recall.passage(memory) for memory in batch], embedder)
        await parts.store.put_vectors(
            job.scope, embedder.name, {memory.id: vector for memory, vector in zip(batch, vectors, strict=True)}
        )


async def _vectors(parts: Parts, passages: Sequence[str], embedder: Embedder) -> list[Vector]:
    """Return the passages' vectors; zeros, which search ignores, where the embedder fails for one and works for others."""
    try:
        return await parts.embedding.passages(passages)
    except EmbedderError:
        if len(passages) > 1:
            return [vector for passage in passages for vector in await _vectors(parts, [passage], embedder)]
        await parts.embedding.passages([PROBE])
        return [np.zeros(embedder.dim, np.float32)]  # known only now, where the endpoint tells it
