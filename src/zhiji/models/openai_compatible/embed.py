"""An embedder behind an OpenAI-compatible endpoint.

Nothing is repeated here: a query that cannot be embedded at once is searched by keyword, and the job that embeds passages
has retries of its own.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt
import openai

from zhiji.errors import EmbedderError
from zhiji.models.base import Vectors
from zhiji.models.openai_compatible import failures
from zhiji.models.openai_compatible.client import CONNECT_SECONDS, checked, opening
from zhiji.tokens import Counter

BATCH = 10
"""Texts of one request: the fewest that an endpoint in use takes at once (DashScope)."""
MAX_TOKENS = 480
"""Of a text that is embedded, as estimated: the smallest window in use (BERT and E5 models) is 512."""
_FAILURES: tuple[type[Exception], ...] = (*failures.LIBRARY, TypeError, OverflowError)
"""What asking may raise; the last two are vectors of something that is no number."""
QUERY_SECONDS = 5.0
"""Longest time that a reply waits for the vector of its query."""


class OpenAIEmbedder:
    """An ``Embedder``. Blocking; safe to call from several threads; ``close`` it in the end."""

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_seconds: float = 60.0,
    ) -> None:
        """``name``: the model's at the endpoint. ``timeout_seconds``: for one request; for a query 5 s at most.

        Raises:
            ConfigError: neither URL nor key, or one that cannot be right.
        """
        url, key = checked(base_url, api_key)
        self.name = name
        self.dim = 0
        """Dimension of the vectors; 0 until the first answer has told it."""
        self._counter = Counter()
        self._seconds = timeout_seconds
        self._headers = {} if key else {"Authorization": openai.Omit()}
        with opening():
            self._library = openai.OpenAI(base_url=url, api_key=key or "none", max_retries=0)
        self._library.organization = self._library.project = None

    def embed_queries(self, texts: list[str]) -> Vectors:
        """Return float32 (n, dim), L2-normalised; zeros for a text without words.

        Raises:
            EmbedderError: the endpoint failed, or its vectors are not of the dimension that they were.
        """
        return self._embed(texts, min(QUERY_SECONDS, self._seconds))

    def embed_passages(self, texts: list[str]) -> Vectors:
        """Return float32 (n, dim), L2-normalised; otherwise like ``embed_queries``."""
        return self._embed(texts, self._seconds)

    def close(self) -> None:
        """Its connections are closed."""
        self._library.close()

    def _embed(self, texts: list[str], seconds: float) -> Vectors:
        spoken = [at for at, text in enumerate(texts) if text.strip()]  # an empty input is refused
        rows = [
            row
            for start in range(0, len(spoken), BATCH)
            for row in self._ask([texts[at] for at in spoken[start : start + BATCH]], seconds)
        ]
        if texts and not self.dim:
            raise EmbedderError("there are no words to embed yet; the dimension is not known")
        vectors = np.zeros((len(texts), self.dim), np.float32)
        for at, row in zip(spoken, rows, strict=True):
            vectors[at] = row
        return vectors

    def _ask(self, texts: list[str], seconds: float) -> Vectors:
        fitted = [self._counter.truncate(text, MAX_TOKENS) for text in texts]
        timeout, until = openai.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds)), time.monotonic() + seconds
        try:
            answer = self._library.post(
                "/embeddings",
                cast_to=object,
                body={"model": self.name, "input": fitted, "encoding_format": "float"},
                options={"headers": self._headers, "timeout": timeout},
                stream=True,  # to stop reading in time: the library's time-out begins anew with every byte
                stream_cls=openai.Stream[object],
            )
            with answer:
                rows = _rows(json.loads(b"".join(_in_time(answer.response.iter_bytes(), until))))
        except _FAILURES as error:
            raise EmbedderError from error
        self.dim = self.dim or rows.shape[1]
        if rows.shape != (len(texts), self.dim):
            raise EmbedderError("the endpoint returned other vectors than it did before", dim=self.dim)
        return rows


def _in_time(pieces: Iterator[bytes], until: float) -> Iterator[bytes]:
    for piece in pieces:
        if time.monotonic() > until:
            raise TimeoutError
        yield piece


def _rows(body: object) -> Vectors:
    """Return the vectors of an answer, in the order of the texts.

    Raises:
        ValueError: it holds none.
    """
    data = body.get("data") if isinstance(body, Mapping) else None
    if not isinstance(data, list) or not all(isinstance(row, Mapping) for row in data):
        raise ValueError("no data")
    if not all(isinstance(row.get("embedding"), list) for row in data):
        raise ValueError("no vectors")
    ordered = sorted(data, key=lambda row: int(row.get("index") or 0))  # stable: without numbers the order stands
    return unit(np.array([_pooled(np.array(row["embedding"], np.float64)) for row in ordered]))


def _pooled(given: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the vector of a text; the mean of its tokens where the server (llama.cpp) sends one for each."""
    pooled: npt.NDArray[np.float64] = given.mean(axis=0) if given.ndim == 2 else given
    return pooled


def unit(vectors: npt.NDArray[np.float64]) -> Vectors:
    """Return the vectors at unit length; zeros, which search ignores, where one is not finite or has no length.

    Raises:
        ValueError: they are no vectors.
    """
    if vectors.ndim != 2:
        raise ValueError("no vectors")
    sound = np.where(np.isfinite(vectors).all(axis=1, keepdims=True), vectors, 0)
    lengths = np.linalg.norm(sound, axis=1, keepdims=True)
    vectors = np.divide(sound, lengths, out=np.zeros_like(sound), where=lengths > 0)
    return vectors.astype(np.float32)
