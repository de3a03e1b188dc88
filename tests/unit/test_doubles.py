"""The public test doubles keep their promises."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from zhiji.errors import EmbedderError, ModelError
from zhiji.models.base import ChatMessages, Embedder
from zhiji.testing import FrozenClock, HashEmbedder, ScriptedModel
from zhiji.types import Completion, ToolSpec


def test_clock_stands_until_it_is_advanced() -> None:
    """Two readings are equal; ``advance`` moves it by exactly the given time."""
    clock = FrozenClock(datetime(2025, 1, 1, 8, tzinfo=timezone(timedelta(hours=8))))
    assert clock() == clock() == datetime(2025, 1, 1, tzinfo=UTC)
    assert clock.advance(timedelta(days=2)) == clock() == datetime(2025, 1, 3, tzinfo=UTC)
    assert clock().tzinfo is UTC


def test_clock_refuses_a_naive_time() -> None:
    """A naive datetime is an error, not a guess."""
    with pytest.raises(ValueError, match="aware"):
        FrozenClock(datetime(2025, 1, 1))


async def test_scripted_model_plays_its_script() -> None:
    """Strings, completions, callables and exceptions are played in order, and every call is recorded."""

    def count(messages: ChatMessages, tools: Sequence[ToolSpec]) -> str:
        return str(len(messages))

    model = ScriptedModel(["one", Completion(text="two"), count, ModelError()])
    said: ChatMessages = [{"role": "user", "content": "hi"}]
    assert [(await model(said, [])).text for _ in range(3)] == ["one", "two", "1"]
    with pytest.raises(ModelError):
        await model(said, [])
    assert len(model.calls) == 4
    assert model.calls[0].messages == ({"role": "user", "content": "hi"},)
    assert model.remaining == 0


async def test_scripted_model_fails_when_the_script_is_over() -> None:
    """One call too many fails the test instead of inventing an answer."""
    with pytest.raises(AssertionError, match="call 1"):
        await ScriptedModel()([], [])


def test_hash_embedder_is_an_embedder() -> None:
    """Vectors are float32 (n, dim), of unit length, the same each time, and closer for texts that share words."""
    embedder: Embedder = HashEmbedder()
    texts = ["用户对花生过敏", "花生过敏的用户", "the order was shipped", "", "🙂"]
    vectors = embedder.embed_passages(texts)
    assert vectors.shape == (5, 64)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    np.testing.assert_array_equal(vectors, embedder.embed_queries(texts))
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]
    assert embedder.embed_queries([]).shape == (0, 64)


def test_hash_embedder_fails_on_demand() -> None:
    """The first ``failures`` calls raise; with None all do."""
    embedder = HashEmbedder(8, failures=1)
    with pytest.raises(EmbedderError):
        embedder.embed_queries(["a"])
    assert embedder.embed_queries(["a"]).shape == (1, 8)
    with pytest.raises(EmbedderError):
        HashEmbedder(failures=None).embed_passages(["a"])
