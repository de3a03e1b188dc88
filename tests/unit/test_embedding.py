"""What the embedder in use does for a reply while it fails."""

from __future__ import annotations

import time

import pytest

from zhiji import embedding
from zhiji.embedding import Embedding
from zhiji.telemetry import Telemetry
from zhiji.testing import HashEmbedder


async def test_a_quick_failure_is_followed_by_another_try() -> None:
    """A query that failed at once costs nothing, so the next one asks again."""
    embedder = HashEmbedder(failures=1)
    used = Embedding(lambda: embedder, Telemetry())
    assert await used.query("退货") is None
    assert await used.query("退货") is not None


async def test_a_slow_failure_lets_the_next_replies_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """An embedder that held a reply up and failed is not asked again until it has rested."""
    monkeypatch.setattr(embedding, "SLOW_SECONDS", 0.0)
    embedder = HashEmbedder(failures=1)
    used = Embedding(lambda: embedder, Telemetry())
    assert await used.query("退货") is None
    assert await used.query("return") is None
    assert embedder.calls == 1
    monkeypatch.setattr(time, "monotonic", lambda: float("inf"))
    assert await used.query("退货 🎒") is not None


async def test_texts_to_be_compared_are_passages() -> None:
    """They are embedded in one call, as stored texts are; none, a failure or no embedder gives None."""
    embedder = HashEmbedder(failures=1)
    used = Embedding(lambda: embedder, Telemetry())
    assert await used.compared(["退货", "return"]) is None
    found = await used.compared(["退货", "return"])
    assert found is not None
    assert (found[0], len(found[1]), embedder.calls) == (embedder.name, 2, 2)
    assert (found[1][0] == (await used.passages(["退货"]))[0]).all()
    assert await used.compared([]) is None
    assert await Embedding(lambda: None, Telemetry()).compared(["退货"]) is None
