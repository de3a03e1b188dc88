"""What a model and an embedder must offer. No concrete model lives here.

A model is any ``async (messages, tools) -> Completion``. If it also has ``stream(messages, tools)``, an async iterator
of text pieces that ends with one ``Completion``, callers that want deltas get them as they come; if it has
``structured(messages, schema, name)``, callers that want JSON get it by a schema.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from zhiji.relation.judge import Relation
from zhiji.types import Completion, JsonValue, ToolSpec

Clock = Callable[[], datetime]
"""Returns an aware UTC ``datetime``."""

Vectors = npt.NDArray[np.float32]
"""float32 (n, dim), L2-normalised rows."""

ChatMessages = Sequence[Mapping[str, JsonValue]]
"""Messages in OpenAI chat format."""


class Model(Protocol):
    """Completes a conversation."""

    async def __call__(self, messages: ChatMessages, tools: Sequence[ToolSpec]) -> Completion:
        """Return the answer: text, or tool calls, or both.

        Raises:
            ModelError: no answer could be had.
        """
        ...


@runtime_checkable
class StreamingModel(Protocol):
    """A model that can also tell its answer piece by piece."""

    async def __call__(self, messages: ChatMessages, tools: Sequence[ToolSpec]) -> Completion:
        """Return the whole answer."""
        ...

    def stream(self, messages: ChatMessages, tools: Sequence[ToolSpec]) -> AsyncIterator[str | Completion]:
        """Yield text pieces, then the whole ``Completion`` as the last item."""
        ...


@runtime_checkable
class StructuredModel(Protocol):
    """A model whose answer can be held to a JSON schema, where its server can do that."""

    async def __call__(self, messages: ChatMessages, tools: Sequence[ToolSpec]) -> Completion:
        """Return the whole answer."""
        ...

    async def structured(self, messages: ChatMessages, schema: Mapping[str, JsonValue], name: str) -> Completion:
        """Return an answer whose text is meant to be JSON of this schema; the caller must still expect anything.

        ``schema``: a JSON schema whose root is an object, each property required, no others allowed. ``name``: what the
        schema describes, letters and underscores. The messages must ask for JSON in words, too.
        """
        ...


class Embedder(Protocol):
    """Turns texts into vectors. Blocking; callers run it off the event loop."""

    name: str
    """Recorded with each vector; a change of name or dimension needs a re-index."""
    dim: int

    def embed_queries(self, texts: list[str]) -> Vectors:
        """Return one vector per query: float32 (n, dim), L2-normalised."""
        ...

    def embed_passages(self, texts: list[str]) -> Vectors:
        """Return one vector per passage: float32 (n, dim), L2-normalised."""
        ...


class Compare(Protocol):
    """Judges how two sentences about a user relate, where the rules are unsure."""

    async def __call__(self, old: str, new: str) -> Relation | None:
        """Return whether ``new`` says the same as ``old``, supersedes it, or is distinct; None: no such answer.

        Raises:
            ModelError: no answer could be had.
        """
        ...


class Summarise(Protocol):
    """Folds closed turns into the rolling summary."""

    async def __call__(self, previous: str, transcript: str, max_tokens: int) -> str:
        """Return a summary that continues ``previous`` and covers ``transcript``, at most ``max_tokens`` long.

        Raises:
            ModelError: no summary could be had; the caller then changes nothing.
        """
        ...
