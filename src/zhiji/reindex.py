"""After the embedder was changed: every memory gets a vector of the one in use, and those of others go.

Online: turns go on meanwhile, and memories without a vector are found by keyword. Whatever was interrupted is run again and
goes on where it was. Only the texts of one batch are in memory.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from zhiji import vectors
from zhiji.errors import ConfigError, DimensionMismatch
from zhiji.models.base import Embedder
from zhiji.parts import Parts
from zhiji.stores.base import every_owner
from zhiji.types import Scope

Progress = Callable[[Scope, int], None]
"""Gets the owner at work and the memories embedded so far, of all owners."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reindexed:
    """What a reindexing came to."""

    model: str
    """Name of the embedder in use."""
    dim: int
    owners: int
    embedded: int
    """Memories that got a vector."""
    dropped: int
    """Vectors of other embedders, or of another dimension, that are gone."""


async def reindex(parts: Parts, user: Scope | None, progress: Progress | None) -> Reindexed:
    """Every memory, or every one of this user, has a vector of the embedder in use, and of no other.

    Raises:
        ConfigError: there is no embedder. EmbedderError: it failed; what was done stays, run it again.
    """
    tell = progress or (lambda scope, embedded: None)
    embedder = await parts.embedding.embedder()
    if embedder is None:
        raise ConfigError("embedder: there is none to make vectors with; set ZHIJI_EMBEDDER, or install zhiji[embed]")
    await parts.embedding.passages([vectors.PROBE])  # it works, and its dimension is known, before anything is dropped
    owners = embedded = dropped = 0
    async for scope in every_owner(parts.store) if user is None else _only(user):
        owners += 1
        tell(scope, embedded)
        async for made, gone in _reindexed(parts, scope, embedder):
            embedded, dropped = embedded + made, dropped + gone
            tell(scope, embedded)
    return Reindexed(model=embedder.name, dim=embedder.dim, owners=owners, embedded=embedded, dropped=dropped)


async def _reindexed(parts: Parts, scope: Scope, embedder: Embedder) -> AsyncIterator[tuple[int, int]]:
    """Yield how many vectors were made, and how many dropped, until there is nothing to do for this owner.

    Vectors of another name go last: who still uses that embedder finds by them until then. Those of the same name and
    another dimension stand in the way, and memories that have one seem to have what they need: they are done anew.
    """
    gone = 1
    while gone:
        try:
            async for made in vectors.fill(parts, scope):
                yield made, 0
        except DimensionMismatch:
            pass
        gone = await parts.store.drop_vectors(scope, model=embedder.name, dim=embedder.dim)
        yield 0, gone


async def _only(user: Scope) -> AsyncIterator[Scope]:
    yield user
