"""What is below HTTP's rules: requests that are none, bodies with two ends, clients that never finish."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from server.conftest import OpenService
from server.service import TOKEN, Service
from zhiji.server import protocol
from zhiji.types import Completion

HOST = b"Host: localhost\r\n"
AUTHORIZED = b"Authorization: Bearer " + TOKEN.encode() + b"\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
SECRET = b"WORDS-OF-A-USER"
WAITS = 20.0
"""Seconds after which a connection counts as never answered."""
UPGRADE = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
KEY = b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"


@asynccontextmanager
async def wired(service: Service) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Yield a bare connection to a service."""
    host, port = service.url.removeprefix("http://").rsplit(":", 1)
    reader, writer = await asyncio.open_connection(host, int(port))
    yield reader, writer
    writer.close()


async def answers(service: Service, words: bytes) -> bytes:
    """Return all that comes back for these bytes, to the end of the connection."""
    async with wired(service) as (reader, writer), asyncio.timeout(WAITS):
        writer.write(words)
        return await reader.read()


@pytest.mark.parametrize(
    "words",
    [
        b"\x16\x03\x01" + SECRET + b"\r\n\r\n",
        b"GET /healthz\r\n\r\n",
        b"GET /v1/jobs HTTP/1.1\r\n" + AUTHORIZED + b"\r\n",
        b"GET /v1/jobs HTTP/1.1\r\n" + HOST + b"Host: evil.example\r\n" + AUTHORIZED + b"\r\n",
        b"GET /healthz HTTP/1.1\r\n" + HOST + b"X-Long: " + b"a" * 65_600,
        b"POST /chat HTTP/1.1\r\n" + HOST + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        b"POST /chat HTTP/1.1\r\n" + HOST + b"Content-Length: -1\r\n\r\n",
        b"POST /chat HTTP/1.1\r\n" + HOST + AUTHORIZED + CHUNKED + b"\r\nzz\r\n" + SECRET + b"\r\n0\r\n\r\n",
        b"GET /v1/ws HTTP/1.1\r\n" + HOST + AUTHORIZED + UPGRADE + b"Sec-WebSocket-Key: " + SECRET + b"\r\n\r\n",
        b"GET /v1/ws HTTP/1.1\r\n" + HOST + AUTHORIZED + UPGRADE + b"\r\n",
        b"POST /v1/ws HTTP/1.1\r\n" + HOST + AUTHORIZED + UPGRADE + KEY + b"\r\n",
        b"GET /v1/ws HTTP/1.1\r\n" + HOST + UPGRADE + KEY + b"".join(b"X-%d: 1\r\n" % n for n in range(200)) + b"\r\n",
    ],
)
async def test_what_is_no_request_is_a_problem(live: OpenService, words: bytes) -> None:
    """What cannot be read as HTTP, or as a handshake, gets a problem that repeats nothing, and the connection ends."""
    async with live() as service:
        head, _, body = (await answers(service, words)).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"Content-Type: application/problem+json" in head
    problem = json.loads(body)
    assert (problem["status"], problem["code"]) == (400, "malformed_request")
    assert f"X-Request-ID: {problem['request_id']}".encode() in head
    assert SECRET not in head + body


@pytest.mark.parametrize("authorized", [AUTHORIZED, b""])
@pytest.mark.parametrize(
    ("version", "headers"), [(b"1.1", CHUNKED + b"Content-Length: 4\r\n"), (b"1.0", CHUNKED)], ids=["both", "1.0"]
)
async def test_a_body_with_two_ends_smuggles_nothing(
    live: OpenService, version: bytes, headers: bytes, authorized: bytes
) -> None:
    """A request whose body may end at two places is refused, and what follows it on the connection is not answered."""
    smuggled = b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n"
    asked = b"POST /chat HTTP/" + version + b"\r\n" + HOST + authorized + headers + b"\r\n0\r\n\r\n" + smuggled
    async with live() as service:
        answer = await answers(service, asked)
    assert answer.count(b"HTTP/1.1 ") == 1
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b'"code":"malformed_request"' in answer


@pytest.mark.parametrize(
    "words",
    [
        b"",
        b"GET /healthz HT",
        b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n",
        b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\nGET /hea",
        b"POST /chat HTTP/1.1\r\n" + HOST + b"Content-Length: 100\r\n\r\nhalf",
    ],
    ids=["nothing", "half a head", "one request", "one and a half", "refused with half a body"],
)
async def test_a_connection_without_a_request_ends(
    live: OpenService, words: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who asks nothing, or half of something, does not hold the connection."""
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.4)
    async with live() as service:
        answer = await answers(service, words)
    assert answer.count(b"HTTP/1.1 ") == (1 if b"\r\n\r\n" in words else 0)


async def test_a_request_in_pieces_is_answered(live: OpenService) -> None:
    """A slow client that does finish in time is a client like any other, and may ask again."""
    asked = b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n"
    async with live() as service, wired(service) as (reader, writer), asyncio.timeout(WAITS):
        for _ in range(2):
            for at in range(len(asked)):
                writer.write(asked[at : at + 1])
                await writer.drain()
            assert await reader.readuntil(b"ok\n")


async def test_an_answer_may_take_longer_than_a_request(live: OpenService, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time for a request's head is not the time for its answer."""
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.4)
    late = asyncio.Event()

    async def model(messages: object, tools: object) -> Completion:
        asyncio.get_running_loop().call_later(1, late.set)
        await late.wait()
        return Completion(text="late")

    async with live(model=model) as service:
        assert (await service.chat("hi"))["reply"] == "late"


async def test_who_does_not_read_is_left(live: OpenService, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that asks and asks, and does not read, gives its place up after a while."""
    monkeypatch.setattr(protocol, "STALL_SECONDS", 0.05)
    left, end = asyncio.Event(), protocol.Protocol.connection_lost

    def ends(self: protocol.Protocol, error: Exception | None) -> None:
        end(self, error)
        left.set()

    monkeypatch.setattr(protocol.Protocol, "connection_lost", ends)
    asked = b"GET /openapi.json HTTP/1.1\r\n" + HOST + AUTHORIZED + b"\r\n"
    count = 500
    async with live(max_requests=1) as service, wired(service) as (reader, writer), asyncio.timeout(WAITS):
        one = len((await service.client.get("/openapi.json")).content)
        writer.write(asked * count)
        await left.wait()
        while (await service.client.get("/v1/jobs")).status_code == 503:
            pass
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await reader.readexactly(count * one)
