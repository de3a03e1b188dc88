"""The guard: one ASGI wrapper around every route, for HTTP and WebSocket.

In order: request id, framing, path, Host and Origin, token, a place, time, body. Whatever goes wrong in here or below becomes one
problem+json with the request's id; nothing that a client or a model wrote is logged.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import re
import time
from collections.abc import Iterator, MutableMapping
from typing import Any
from urllib.parse import unquote_to_bytes

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from zhiji.config import Settings
from zhiji.errors import (
    BodyTooLarge,
    InvalidInput,
    MalformedRequest,
    NotFound,
    RequestTimeout,
    ShuttingDown,
    Unauthorized,
    UnsupportedMediaType,
    UntrustedHost,
)
from zhiji.parts import new_id
from zhiji.server import body, problems
from zhiji.server.gate import Gate
from zhiji.server.hosts import Hosts
from zhiji.server.parts import SLASH

access = logging.getLogger("zhiji.access")

OPEN_PATHS = frozenset({"/healthz", "/readyz"})
"""Answered to anybody under any name, also while draining: probes know neither token nor host name."""
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
STREAM = b"text/event-stream"
SUBPROTOCOL = "bearer"
"""Browsers cannot set headers on a WebSocket: they offer the subprotocols ``bearer`` and the token."""

_SANE_ID = re.compile(rb"[A-Za-z0-9._-]{1,128}")
_SECURITY = [(b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store")]


class Guard:
    """Wraps the application."""

    def __init__(self, app: ASGIApp, *, settings: Settings, hosts: Hosts, token: str | None, gate: Gate) -> None:
        """``token`` None: every client is welcome."""
        self._app = app
        self._token = None if token is None else token.encode()
        self._hosts = hosts
        self._gate = gate
        self._max_body = settings.max_body_bytes
        self._seconds = settings.request_timeout_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        given = _only(scope, b"x-request-id")
        scope["request_id"] = given.decode() if given and _SANE_ID.fullmatch(given) else new_id("http")
        answer = _Answer(scope, send)
        began = time.perf_counter()
        try:
            await self._guarded(scope, receive, answer)
        except Exception as error:  # noqa: BLE001 - the server boundary: a bug is answered and logged, never its text
            await answer.fail(problems.told(error, answer.request_id))
        finally:
            if access.isEnabledFor(logging.INFO):
                _log_access(scope, answer, (time.perf_counter() - began) * 1000)

    async def _guarded(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        _check_framing(scope)
        _read_target(scope)
        if scope["path"] in OPEN_PATHS:
            await self._app(scope, receive, answer.send)
            return
        self._check_host(scope)
        self._check_token(scope)
        if scope["type"] == "websocket":
            await self._app(scope, receive, answer.send)  # each of its turns takes a place of its own
            return
        with self._gate.place():
            await self._in_time(scope, receive, answer)

    def _check_host(self, scope: Scope) -> None:
        host, origin = _only(scope, b"host"), _all(scope, b"origin")
        if host is None or not self._hosts.trusts(host.decode("latin-1")):
            raise UntrustedHost
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if changes and not all(self._hosts.trusts_origin(one.decode("latin-1")) for one in origin):
            raise UntrustedHost("The Origin header names a page of another host; add it to ZHIJI_ALLOWED_HOSTS.")

    def _check_token(self, scope: Scope) -> None:
        if self._token is None:
            return
        given = _bearer(scope)
        if given is None or not hmac.compare_digest(given, self._token):
            raise Unauthorized

    async def _in_time(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        try:
            async with asyncio.timeout(self._seconds) as answer.timer:
                receive = await self._with_body(scope, receive)
                await self._app(scope, receive, answer.send)
        except TimeoutError as error:
            if not answer.timer.expired():
                raise
            raise RequestTimeout from error
        except asyncio.CancelledError:
            if not self._gate.is_over:
                raise
            raise ShuttingDown from None

    async def _with_body(self, scope: Scope, receive: Receive) -> Receive:
        """Return a ``receive`` that gives the body, read whole and found to be strict JSON."""
        if not _all(scope, b"content-length") and not _all(scope, b"transfer-encoding"):
            return receive
        length = _only(scope, b"content-length")
        if length is not None and length.isdigit() and int(length) > self._max_body:
            raise BodyTooLarge(limit=self._max_body)
        whole = await self._read(receive)
        if whole:
            kind = (_only(scope, b"content-type") or b"").partition(b";")[0].strip().lower()
            if kind != b"application/json":
                raise UnsupportedMediaType
            body.parse(whole)
        return _replayed(whole, receive)

    async def _read(self, receive: Receive) -> bytes:
        pieces, size = list[bytes](), 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise InvalidInput("the client left before its request was complete")
            piece = message.get("body", b"")
            size += len(piece)
            if size > self._max_body:
                raise BodyTooLarge(limit=self._max_body)
            pieces.append(piece)
            if not message.get("more_body", False):
                return b"".join(pieces)


class _Answer:
    """What goes back to the client: adds our headers, and knows whether it has begun."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._begun = False
        self.request_id: str = scope["request_id"]
        self.status = 0
        self.timer: asyncio.Timeout = asyncio.timeout(None)

    async def send(self, message: Message) -> None:
        """The message is sent; a stream has no time limit of its own once it has begun."""
        kind = message["type"]
        if kind == "websocket.close" and not self._begun and self._tells_why:
            raise NotFound(problems.NO_PATH)  # the router's refusal, which says nothing
        if kind in ("http.response.start", "websocket.http.response.start"):
            self.status = message["status"]
            headers = [(name.lower(), value) for name, value in message.get("headers", ())]
            if (b"content-type", STREAM) in headers:
                self.timer.reschedule(None)
            message["headers"] = [*headers, *_SECURITY, (b"x-request-id", self.request_id.encode())]
        elif kind == "websocket.accept":
            self.status = 101
            message["headers"] = [*message.get("headers", ()), (b"x-request-id", self.request_id.encode())]
        self._begun = True
        await self._send(message)

    @property
    def _tells_why(self) -> bool:
        """Whether the server can refuse this connection with a response."""
        return self._scope["type"] == "http" or "websocket.http.response" in self._scope.get("extensions", {})

    async def fail(self, problem: dict[str, object]) -> None:
        """The problem is the answer, if none has begun; a begun one is cut, the server then ends the connection."""
        if self._begun:
            return
        if not self._tells_why:
            await self.send({"type": "websocket.close", "code": 1008, "reason": str(problem["code"])})
            return
        closing = {"Connection": "close"} if problem["code"] == MalformedRequest.code else None
        response = problems.response(problem, closing)
        await response(self._scope, _nothing, self.send)


async def _nothing() -> Message:
    raise AssertionError("a problem is sent without reading")


def _replayed(whole: bytes, receive: Receive) -> Receive:
    waiting: list[Message] = [{"type": "http.request", "body": whole, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


def _all(scope: MutableMapping[str, Any], name: bytes) -> list[bytes]:
    return [value for key, value in scope["headers"] if key.lower() == name]


def _only(scope: MutableMapping[str, Any], name: bytes) -> bytes | None:
    """Return the value of a header that may stand once; None if it is missing or repeated."""
    found = _all(scope, name)
    return found[0] if len(found) == 1 else None


def _bearer(scope: Scope) -> bytes | None:
    """Return the token that the client shows, if it shows exactly one."""
    shown = list(_shown(scope))
    return shown[0] if len(shown) == 1 else None


def _shown(scope: Scope) -> Iterator[bytes]:
    for value in _all(scope, b"authorization"):
        scheme, _, rest = value.partition(b" ")
        yield rest.strip() if scheme.lower() == b"bearer" else b""
    offered = scope.get("subprotocols") or []
    if scope["type"] == "websocket" and SUBPROTOCOL in offered:
        yield from (one.encode() for one in offered if one != SUBPROTOCOL)


def _check_framing(scope: Scope) -> None:
    """Two ways to say where a body ends may be read in two ways, by a proxy and by us (RFC 9112, 6.1 and 6.3).

    Raises:
        MalformedRequest: the connection ends with the answer.
    """
    coding, length = _all(scope, b"transfer-encoding"), _all(scope, b"content-length")
    if coding and (length or scope.get("http_version") == "1.0"):
        raise MalformedRequest


def _read_target(scope: Scope) -> None:
    """``scope["path"]`` holds the segments decoded one by one: what the client encoded never splits a segment.

    Raises:
        NotFound: a segment is not UTF-8 or holds NUL. InvalidInput: the query does.
    """
    raw, query = scope.get("raw_path"), scope.get("query_string", b"")
    if raw and b"%" in raw:
        scope["path"] = "/".join(_decoded(part) for part in raw.split(b"/"))
    elif SLASH in scope["path"]:
        raise NotFound("There is no such path: it holds NUL.")
    if b"%" in query:
        try:
            words = unquote_to_bytes(query).decode()
        except UnicodeDecodeError:
            raise InvalidInput("the query is not valid UTF-8; send UTF-8, percent-encoded") from None
        if "\0" in words:
            raise InvalidInput("the query holds NUL; leave it out")


def _decoded(part: bytes) -> str:
    try:
        words = unquote_to_bytes(part).decode()
    except UnicodeDecodeError:
        raise NotFound("There is no such path: a part of it is not valid UTF-8.") from None
    if "\0" in words:
        raise NotFound("There is no such path: it holds NUL.")
    return words.replace("/", SLASH)


def _log_access(scope: Scope, answer: _Answer, milliseconds: float) -> None:
    route = getattr(scope.get("route"), "path", "-")
    method = scope.get("method", "WS")
    access.info("%s %s %d %.1f ms %s", method, route, answer.status, milliseconds, answer.request_id)
