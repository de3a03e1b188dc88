"""Asking one endpoint: requests, their time, and how often they are repeated.

The library's own retries are off. They know no time-out of the whole call, sleep through a ``Retry-After`` that lies
beyond it, never repeat an unreadable answer, and spread clients by a quarter of the delay only; ours are ``Tries``.
Requests go through the library's ``post``, which hands out plain JSON: what is odd in it is ours to tolerate, and the
code is the same for its versions 2 and 3.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from urllib.parse import urlsplit

import openai

from zhiji.errors import ConfigError
from zhiji.models.openai_compatible import failures
from zhiji.models.openai_compatible.events import DONE, Events
from zhiji.types import JsonValue

log = logging.getLogger("zhiji.models")

OPENAI = "https://api.openai.com/v1"
"""Base URL where none is given."""
CONNECT_SECONDS = 5.0
"""Time for the connection, so that another try is left where a host does not answer at all."""
DRAIN_SECONDS = 0.2
"""Time for the end of a stream, after ``[DONE]``."""
BACKOFF_SECONDS = 0.5
BACKOFF_CAP_SECONDS = 8.0
CALLS_PER_POOL = 8
"""Calls at once on one pool of connections. The library looks at every connection of its pool at each request: with 64
of them a request costs 10 ms of CPU, with 8 it costs 2 (measured under ``python -m benchmarks load``)."""
POOLS = 16
"""Pools at most; beyond, they share what comes."""


class Tries:
    """The tries of one call: how many, and until when, waits included."""

    def __init__(self, retries: int, seconds: float, sent: Sequence[str] = ()) -> None:
        self.sent = sent
        self._left = retries
        self._made = 0
        self._loop = asyncio.get_running_loop()
        self._until = self._loop.time() + seconds

    def time(self) -> asyncio.Timeout:
        """Return what bounds a try: the time that is left of the whole call."""
        return asyncio.timeout_at(self._until)

    async def again(self, error: Exception, *, final: bool = False) -> None:
        """Return when it is time for another try.

        Raises:
            ModelError: there is none: ``final``, the failure does not pass, or tries or time would run out.
        """
        failure = failures.read(error, sent=self.sent)
        wait = backoff(self._made) if failure.after is None else failure.after
        if final or not failure.passing or not self._left or self._loop.time() + wait >= self._until:
            raise failure.error from error
        log.info("model_call_repeated: %s, again in %.1f s", failure.error.code, wait)
        self._left -= 1
        self._made += 1
        await asyncio.sleep(wait)


def backoff(made: int) -> float:
    """Return the seconds to wait after so many retries: up to 0.5 s doubled each time, 8 s at most.

    Source: "full jitter", which spreads clients that failed together the widest (Exponential Backoff And Jitter, AWS).
    """
    return random.uniform(0, min(BACKOFF_CAP_SECONDS, BACKOFF_SECONDS * 2.0**made))


class Pool:
    """One library client with its own connections, and how many calls it runs."""

    def __init__(self, library: openai.AsyncOpenAI) -> None:
        self.library = library
        self.calls = 0


class Client:
    """Connections to one endpoint, kept open until ``close``."""

    def __init__(self, *, base_url: str | None, api_key: str | None, retries: int, timeout_seconds: float) -> None:
        """Without ``base_url``: OpenAI's own. ``timeout_seconds`` is for a whole call, retries included.

        Raises:
            ConfigError: see ``checked``.
        """
        url, key = checked(base_url, api_key)
        self._retries, self._seconds = retries, timeout_seconds
        self._headers = {} if key else {"Authorization": openai.Omit()}
        self._open = partial(
            openai.AsyncOpenAI,
            base_url=url,
            api_key=key or "none",
            max_retries=0,
            timeout=openai.Timeout(timeout_seconds, connect=min(CONNECT_SECONDS, timeout_seconds)),
        )
        with opening():
            self._pools = [self._opened()]

    def _opened(self) -> Pool:
        library = self._open()
        library.organization = library.project = None  # from variables that are not ours: for OpenAI, not for all
        return Pool(library)

    @contextmanager
    def _lent(self) -> Iterator[openai.AsyncOpenAI]:
        """Yield the library on the first pool with room; on another one if there is none."""
        pool = next((one for one in self._pools if one.calls < CALLS_PER_POOL), None)
        if pool is None and len(self._pools) < POOLS:
            pool = self._opened()
            self._pools.append(pool)
        pool = pool or min(self._pools, key=lambda one: one.calls)
        pool.calls += 1
        try:
            yield pool.library
        finally:
            pool.calls -= 1

    def tries(self, sent: Sequence[str] = ()) -> Tries:
        """Return the tries of a call that begins now. ``sent``: its texts, see ``failures.read``."""
        return Tries(self._retries, self._seconds, sent)

    async def post(self, path: str, body: Mapping[str, JsonValue]) -> object:
        """Return the JSON of an answer.

        Raises:
            One of ``failures.LIBRARY``.
        """
        with self._lent() as library:
            return _sound(await library.post(path, cast_to=object, body=body, options={"headers": self._headers}))

    async def stream(self, path: str, body: Mapping[str, JsonValue], tries: Tries) -> AsyncGenerator[object]:
        """Yield the JSON of each event within the time of ``tries``. Close it, and the connection is closed."""
        with self._lent() as library:
            async with tries.time():
                answer = await library.post(
                    path,
                    cast_to=object,
                    body={**body, "stream": True},
                    options={"headers": self._headers},
                    stream=True,
                    stream_cls=openai.AsyncStream[object],
                )
            async with answer:
                pieces = answer.response.aiter_bytes()
                kind = answer.response.headers.get("content-type", "")
                streams = "json" not in kind and "html" not in kind
                async for data in _data(pieces, tries) if streams else _whole(pieces, tries):
                    if data == DONE:
                        await _drain(pieces)
                        return
                    yield _sound(json.loads(data))

    async def close(self) -> None:
        """Its connections are closed."""
        for pool in self._pools:
            await pool.library.close()


async def _data(pieces: AsyncIterator[bytes], tries: Tries) -> AsyncIterator[bytes]:
    """Yield the data of each event."""
    events = Events()
    piece: bytes | None = b""
    while piece is not None:
        async with tries.time():  # not around the yield: what is done with an event has its own time
            piece = await anext(pieces, None)
        for data in events.end() if piece is None else events.add(piece):
            yield data


async def _whole(pieces: AsyncIterator[bytes], tries: Tries) -> AsyncIterator[bytes]:
    """Yield the body of a server that does not stream."""
    async with tries.time():
        body = b"".join([piece async for piece in pieces])
    yield body


def _sound(body: object) -> object:
    if isinstance(body, dict) and body.get("error"):
        raise failures.ErrorInside(body["error"])
    if isinstance(body, dict) and isinstance(body.get("message"), str) and not body.get("choices"):
        raise failures.ErrorInside(body)  # an error of older vLLM and SGLang, of DashScope, and of an event named so
    return body


async def _drain(pieces: AsyncIterator[bytes]) -> None:
    """The body has been read to its end, if it comes at once: then the connection is kept. The answer is there already."""
    with suppress(*failures.LIBRARY):
        async with asyncio.timeout(DRAIN_SECONDS):
            async for _ in pieces:
                pass


def checked(base_url: str | None, api_key: str | None) -> tuple[str, str]:
    """Return base URL and key as they are used; the key is empty if there is none.

    Raises:
        ConfigError: there is neither; or one of them cannot be right.
    """
    url, key = (base_url or "").strip(), (api_key or "").strip()
    if not url and not key:
        raise ConfigError(
            "llm_api_base: LLM_MODEL or EMBEDDER names a model, but no endpoint is set; set LLM_API_BASE (and LLM_API_KEY, if "
            "it wants a key), LLM_API_KEY alone for OpenAI's own, or LLM_MODEL=offline"
        )
    if url and not _is_url(url):
        raise ConfigError(
            "llm_api_base: it is not a base URL; LLM_API_BASE begins with http:// or https://, names a host, and ends before any ?"
        )
    if not key.isascii() or not key.isprintable():
        raise ConfigError("llm_api_key: it holds characters that no key has; copy LLM_API_KEY again")
    return url.rstrip("/").removesuffix("/chat/completions") or OPENAI, key


def _is_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna")  # and the port, which is read as it is asked for
        return (
            parts.scheme in ("http", "https")
            and parts.port != 0
            and bool(host)
            and url.isprintable()
            and not set(url) & set("?# ")
        )
    except ValueError:
        return False


@contextmanager
def opening() -> Iterator[None]:
    """What the library cannot open its connections with is told as a setting to correct.

    Raises:
        ConfigError: a proxy or a file of certificates of the environment cannot be used.
    """
    try:
        yield
    except failures.OPENING as error:
        raise ConfigError(
            "no connection can be prepared with the environment's HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE and "
            f"SSL_CERT_DIR ({type(error).__name__}); correct or unset them (a socks:// proxy needs: pip install socksio)"
        ) from error
