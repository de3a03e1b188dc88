"""The embedder in use: loaded at first need, called off the event loop, never a reason to fail.

Without an embedder, or while it fails, recall is keyword-only and says so once. Vectors are stored by a job of their
own (``embed``), so that a memory is never lost or delayed by its vector.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from zhiji.errors import EmbedderError
from zhiji.models.base import Embedder
from zhiji.stores.base import Vector
from zhiji.telemetry import Telemetry

log = logging.getLogger("zhiji.embedding")

SLOW_SECONDS = 1.0
"""A failure that took so long held a reply up; the next replies must not wait for another one."""
REST_SECONDS = 30.0
"""Time for which an embedder that failed slowly is not asked for queries."""

Load = Callable[[], Embedder | None]
Use = Literal["query", "passages"]


class Embedding:
    """An embedder behind a lazy load and a thread."""

    def __init__(self, load: Load, telemetry: Telemetry) -> None:
        """``load`` is called once, in a thread, at first use; None means keyword-only."""
        self._load = load
        self._telemetry = telemetry
        self._embedder: Embedder | None = None
        self._loaded = False
        self._lock = asyncio.Lock()
        self._degraded = False
        self._rests_until = 0.0
        self.told_unfit = False
        """Whether ``tell_unfit`` was called."""

    def tell_unfit(self) -> None:
        """The log says, once, that stored memories have no vector of this embedder."""
        if not self.told_unfit:
            log.warning(
                "vectors_unfit: memories have no vector of this embedder and are found by keyword; run `zhiji reindex`"
            )
        self.told_unfit = True

    async def embedder(self) -> Embedder | None:
        """Return the embedder, or None for keyword-only."""
        if not self._loaded:
            async with self._lock:
                if not self._loaded:
                    self._embedder = await asyncio.to_thread(self._load)
                    self._loaded = True
        return self._embedder

    async def query(self, text: str) -> tuple[str, Vector] | None:
        """Return the embedder's name and the vector of a query, or None while there is none; never raises."""
        embedder = await self.embedder()
        if embedder is None:
            return None
        found = await self._tried("query", embedder.embed_queries, [text], embedder)
        return (found[0], found[1][0]) if found else None

    async def compared(self, texts: Sequence[str]) -> tuple[str, list[Vector]] | None:
        """Return the embedder's name and the vectors of texts that are to meet stored passages; as ``query`` otherwise."""
        embedder = await self.embedder()
        if embedder is None:
            return None
        return await self._tried("passages", embedder.embed_passages, list(texts), embedder)

    async def _tried(
        self, use: Use, embed: Callable[[list[str]], np.ndarray], texts: list[str], embedder: Embedder
    ) -> tuple[str, list[Vector]] | None:
        """Return the name and the vectors; None if the embedder fails, which is told once, or rests."""
        began = time.monotonic()
        if not texts or began < self._rests_until:
            return None
        try:
            vectors = await self._call(use, embed, texts, embedder)
        except EmbedderError as error:
            if not self._degraded:
                why = type(error.__cause__ or error).__name__  # not its text: it may quote what somebody said
                log.warning("embedder_failed: recall is keyword-only until it works again (%s)", why)
            self._degraded = True
            if time.monotonic() - began >= SLOW_SECONDS:
                self._rests_until = time.monotonic() + REST_SECONDS
            return None
        self._degraded = False
        return embedder.name, list(vectors)

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of passages.

        Raises:
            EmbedderError: it failed, or there is none.
        """
        embedder = await self.embedder()
        if embedder is None:
            raise EmbedderError
        return list(await self._call("passages", embedder.embed_passages, list(texts), embedder))

    async def _call(
        self, use: Use, embed: Callable[[list[str]], np.ndarray], texts: list[str], embedder: Embedder
    ) -> np.ndarray:
        try:
            with self._telemetry.timed("zhiji_embedder_seconds", use=use):
                return await _embedded(embed, texts, embedder)
        except EmbedderError:
            self._telemetry.count("zhiji_embedder_failures_total", use=use)
            raise


async def _embedded(embed: Callable[[list[str]], np.ndarray], texts: list[str], embedder: Embedder) -> np.ndarray:
    try:
        vectors = np.asarray(await asyncio.to_thread(embed, texts), dtype=np.float32)
    except EmbedderError:
        raise
    except Exception as error:
        raise EmbedderError from error
    if vectors.shape != (len(texts), embedder.dim):
        raise EmbedderError("the embedder returned vectors of another shape than it declares", dim=embedder.dim)
    return vectors
