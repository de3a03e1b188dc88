"""The embedder behind an endpoint: order, batches, unit length, odd vectors, and what errors become."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import numpy as np
import pytest

from zhiji.errors import ConfigError, EmbedderError
from zhiji.models.base import Embedder, Vectors
from zhiji.models.openai_compatible import OpenAIEmbedder, embed
from zhiji.testing import HashEmbedder
from zhiji.testing.endpoint import Endpoint, Raw, Reset, failed, html

TEXTS = ["退货地址在杭州", "the return address", "花生过敏 😀", "ＯＤ２０２４"]


async def embedded(endpoint: Endpoint, texts: list[str], *, queries: bool = False, seconds: float = 20.0) -> Vectors:
    """Embed off the event loop, as zhiji does: the endpoint answers on it."""
    embedder: Embedder = OpenAIEmbedder("some-embedder", base_url=endpoint.url, timeout_seconds=seconds)
    try:
        return await asyncio.to_thread(embedder.embed_queries if queries else embedder.embed_passages, texts)
    finally:
        embedder.close()  # type: ignore[attr-defined]  # more than the protocol asks for


def data(*rows: Any) -> Raw:
    return Raw(body={"data": list(rows)})


@pytest.mark.parametrize("normalised", [True, False])
async def test_vectors_have_unit_length(normalised: bool) -> None:
    """float32 rows of length 1, whether the endpoint normalises or not; the model's name and the texts are sent."""
    async with Endpoint(normalised=normalised, dim=32) as endpoint:
        vectors = await embedded(endpoint, TEXTS)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, HashEmbedder(32).embed_passages(TEXTS), atol=1e-6)
    assert endpoint.requests[0].body == {"model": "some-embedder", "input": TEXTS, "encoding_format": "float"}


async def test_the_dimension_is_learnt_from_the_first_answer() -> None:
    """Nothing is asked before it is needed: an endpoint that is down at the start is no reason to fail."""
    async with Endpoint(dim=16) as endpoint:
        embedder = OpenAIEmbedder("e", base_url=endpoint.url)
        assert (embedder.name, embedder.dim, len(endpoint.requests)) == ("e", 0, 0)
        assert (await asyncio.to_thread(embedder.embed_queries, [])).shape == (0, 0)
        await asyncio.to_thread(embedder.embed_queries, ["hi"])
        assert embedder.dim == 16
        embedder.close()


async def test_many_texts_are_sent_in_batches_and_come_back_in_order() -> None:
    """Ten at a time; row n belongs to text n."""
    texts = [f"text {number}" for number in range(25)]
    async with Endpoint() as endpoint:
        vectors = await embedded(endpoint, texts)
    assert [len(request.body["input"]) for request in endpoint.requests] == [10, 10, 5]
    np.testing.assert_allclose(vectors, HashEmbedder().embed_passages(texts), atol=1e-6)


async def test_rows_are_sorted_by_their_index() -> None:
    """An endpoint may answer in any order; without numbers the order stands."""
    rows = [{"index": 1, "embedding": [0.0, 2.0]}, {"index": 0, "embedding": [3.0, 0.0]}]
    plain = [{"embedding": [0, 2]}, {"embedding": [3, 0]}]
    async with Endpoint(embeddings=[data(*rows), data(*plain)]) as endpoint:
        assert (await embedded(endpoint, ["a", "b"])).tolist() == [[1, 0], [0, 1]]
        assert (await embedded(endpoint, ["a", "b"])).tolist() == [[0, 1], [1, 0]]


async def test_a_vector_that_is_none_becomes_zeros() -> None:
    """Not a number, infinite, without length: search ignores zeros, and the other texts keep theirs."""
    rows = '{"data": [{"embedding": [NaN, 1]}, {"embedding": [0, 0]}, {"embedding": [Infinity, 1]}, {"embedding": [0, 5]}]}'
    async with Endpoint(embeddings=[Raw(body=rows)]) as endpoint:
        vectors = await embedded(endpoint, ["a", "b", "c", "d"])
    assert vectors.tolist() == [[0, 0], [0, 0], [0, 0], [0, 1]]


async def test_vectors_of_tokens_become_one_of_the_text() -> None:
    """A server that does not pool sends a list for each text: its mean is the text's vector."""
    rows = [{"embedding": [[4.0, 0.0], [2.0, 0.0], [0.0, 6.0]]}, {"embedding": [[0.0, 1.0]]}]
    async with Endpoint(embeddings=[data(*rows)]) as endpoint:
        vectors = await embedded(endpoint, ["three words here", "one"])
    np.testing.assert_allclose(vectors, [[0.5**0.5, 0.5**0.5], [0.0, 1.0]], atol=1e-6)


async def test_texts_without_words_are_not_sent() -> None:
    """Endpoints refuse an empty input: its row is zeros."""
    async with Endpoint() as endpoint:
        vectors = await embedded(endpoint, ["", "退货", " \n"])
        assert endpoint.requests[0].body["input"] == ["退货"]
        assert np.linalg.norm(vectors, axis=1).round(6).tolist() == [0, 1, 0]
        with pytest.raises(EmbedderError):
            await embedded(endpoint, ["  "])


async def test_long_texts_are_cut_to_the_smallest_window() -> None:
    """480 tokens, whole characters, in Chinese and in English."""
    async with Endpoint() as endpoint:
        await embedded(endpoint, ["退货😀" * 2000, "return it " * 2000])
    chinese, english = endpoint.requests[0].body["input"]
    assert 100 < len(chinese) < 600 < len(english) < 4000


@pytest.mark.parametrize(
    "step",
    [
        failed(500),
        failed(401),
        failed(404),
        failed(429),
        html(200),
        Reset(),
        Raw(body="{"),
        Raw(body={"data": []}),
        Raw(body={"data": None}),
        data({"embedding": [1.0]}, {"embedding": [1.0]}),
        data({"embedding": "base64=="}),
        data({"embedding": []}),
        data({"embedding": [[]]}),
        data({"embedding": [[[1.0]]]}),
        data({"embedding": [1.0, [2.0]]}),
        data({"embedding": ["x"]}),
        data({"embedding": [{"a": 1}]}),
        data({"embedding": [int("9" * 400)]}),
        data({"index": [1], "embedding": [1.0]}),
        Raw(body='{"data": [{"index": 1e999, "embedding": [1.0]}]}'),
        data("junk"),
    ],
)
async def test_every_failure_is_one_of_ours(step: Raw | Reset) -> None:
    """The first answer counts, nothing is repeated here, and the message quotes no text."""
    async with Endpoint(embeddings=[step]) as endpoint:
        with pytest.raises(EmbedderError) as raised:
            await embedded(endpoint, ["我的地址"])
    assert "地址" not in str(raised.value)
    assert len(endpoint.requests) == 1


async def test_another_dimension_than_before_is_refused() -> None:
    """Vectors of two models never mix under one name."""
    async with Endpoint(embeddings=[None, data({"embedding": [1.0, 0.0]})]) as endpoint:
        embedder = OpenAIEmbedder("e", base_url=endpoint.url)
        await asyncio.to_thread(embedder.embed_passages, ["a"])
        with pytest.raises(EmbedderError, match="other vectors"):
            await asyncio.to_thread(embedder.embed_passages, ["b"])
        embedder.close()


async def test_a_reply_does_not_wait_long_for_its_query(monkeypatch: pytest.MonkeyPatch) -> None:
    """A query has a shorter time-out than a passage: recall goes on by keyword."""
    monkeypatch.setattr(embed, "QUERY_SECONDS", 0.05)
    async with Endpoint(latency=0.3) as endpoint:
        with pytest.raises(EmbedderError):
            await embedded(endpoint, ["slow"], queries=True)
        assert (await embedded(endpoint, ["slow"])).shape == (1, 64)


def test_an_answer_that_trickles_is_given_up_in_time() -> None:
    """Every byte of a body keeps the connection alive, and none a reply waiting."""
    assert list(embed._in_time(iter([b"[", b"]"]), time.monotonic() + 60)) == [b"[", b"]"]
    with pytest.raises(TimeoutError):
        list(embed._in_time(iter([b"["]), time.monotonic() - 1))


def test_an_embedder_without_an_endpoint_is_refused() -> None:
    """The message names what to set."""
    with pytest.raises(ConfigError, match="LLM_API_BASE"):
        OpenAIEmbedder("e")
