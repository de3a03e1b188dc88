"""Test doubles: a clock that stands still, a model that follows a script, an embedder that hashes words.

They need no network, no weights and no waiting, and behave the same on every machine. They are public, so that hosts
can test their own use of zhiji; nothing in the product imports them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from zhiji.errors import EmbedderError
from zhiji.models.base import ChatMessages, Vectors
from zhiji.types import Completion, JsonValue, ToolSpec

EPOCH = datetime(2025, 6, 1, 9, 0, tzinfo=UTC)
"""Where a ``FrozenClock`` stands unless told otherwise."""

_HAN_RUN = re.compile(r"[\u3400-\u9fff]{2,}")


class FrozenClock:
    """A clock that moves only when told to."""

    def __init__(self, now: datetime = EPOCH) -> None:
        """``now`` is aware; a naive time is refused with ``ValueError``."""
        if now.tzinfo is None:
            raise ValueError("a clock needs an aware datetime; add tzinfo=UTC")
        self.now = now.astimezone(UTC)

    def __call__(self) -> datetime:
        """Return the time it stands at, UTC."""
        return self.now

    def advance(self, by: timedelta) -> datetime:
        """The clock stands ``by`` later (or earlier, if negative); returns the new time."""
        self.now += by
        return self.now


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call that a ``ScriptedModel`` received."""

    messages: tuple[Mapping[str, JsonValue], ...]
    tools: tuple[ToolSpec, ...]


ScriptStep = Completion | str | BaseException | Callable[[ChatMessages, Sequence[ToolSpec]], Completion | str]
"""What a scripted model does at one call: answer, raise, or compute its answer from what it was sent."""


class ScriptedModel:
    """A model that answers from a list, in order, and records what it was sent."""

    def __init__(self, steps: Sequence[ScriptStep] = ()) -> None:
        self.steps = list(steps)
        self.calls: list[ModelCall] = []

    async def __call__(self, messages: ChatMessages, tools: Sequence[ToolSpec]) -> Completion:
        """Return the next scripted answer.

        Raises:
            AssertionError: the script is exhausted; the test expected fewer calls.
        """
        self.calls.append(ModelCall(tuple(dict(message) for message in messages), tuple(tools)))
        if len(self.calls) > len(self.steps):
            raise AssertionError(f"call {len(self.calls)} of a model with {len(self.steps)} scripted answers")
        step = self.steps[len(self.calls) - 1]
        if isinstance(step, BaseException):
            raise step
        answer = step if isinstance(step, Completion | str) else step(messages, tools)
        return Completion(text=answer) if isinstance(answer, str) else answer

    @property
    def remaining(self) -> int:
        """How many scripted answers have not been asked for."""
        return max(0, len(self.steps) - len(self.calls))


class HashEmbedder:
    """An embedder whose cosine grows with the words that two texts share. Queries and passages are embedded alike."""

    def __init__(self, dim: int = 64, *, failures: int | None = 0) -> None:
        """The first ``failures`` calls raise ``EmbedderError``; None: every call does."""
        self.name = f"hash-{dim}"
        self.dim = dim
        self.failures = failures
        self.calls = 0

    def embed_queries(self, texts: list[str]) -> Vectors:
        """Return float32 (n, dim), L2-normalised."""
        return self._embed(texts)

    def embed_passages(self, texts: list[str]) -> Vectors:
        """Return float32 (n, dim), L2-normalised."""
        return self._embed(texts)

    def _embed(self, texts: list[str]) -> Vectors:
        self.calls += 1
        if self.failures is None or self.calls <= self.failures:
            raise EmbedderError
        return np.stack([self._vector(text) for text in texts]) if texts else np.zeros((0, self.dim), np.float32)

    def _vector(self, text: str) -> Vectors:
        vector = np.zeros(self.dim, np.float32)
        for term in _terms(text):
            digest = hashlib.blake2b(term.encode(errors="replace"), digest_size=9).digest()
            vector[int.from_bytes(digest[:8]) % self.dim] += 1 if digest[8] & 1 else -1
        norm = float(np.linalg.norm(vector))
        if norm == 0:  # no terms, or they cancelled out: any fixed direction keeps the promise of unit length
            vector[0] = norm = 1.0
        return (vector / norm).astype(np.float32)


def _terms(text: str) -> list[str]:
    lowered = text.lower()
    pairs = [run[i : i + 2] for run in _HAN_RUN.findall(lowered) for i in range(len(run) - 1)]
    return re.findall(r"[a-z0-9]+|[^\W_]", lowered) + pairs
