"""The HTTP protocol below the application: what is no HTTP is a problem too, and nobody holds a connection for nothing.

uvicorn and websockets answer such requests in plain text, which may repeat them, or not at all; and they wait for the rest
of a request for as long as its client likes.
"""

from __future__ import annotations

import asyncio
import json
import logging

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from websockets.http11 import Request
from websockets.server import ServerProtocol

from zhiji.errors import MalformedRequest
from zhiji.parts import new_id
from zhiji.server import problems

log = logging.getLogger("zhiji.server")

SWITCHING_PROTOCOLS = 101
HEAD_SECONDS = 30.0
"""Time for the head of a request, counted from the connection or from the end of the answer before it."""
STALL_SECONDS = 60.0
"""Time for a client to read on; one that does not would hold its place for as long as it likes."""


class Protocol(H11Protocol):
    """One connection, until it is a WebSocket."""

    _deadline: asyncio.TimerHandle | None = None
    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """The client has time for its first request."""
        super().connection_made(transport)
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is awaited any more."""
        self._stop_waiting()
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A request that is being answered has the application's time limit instead."""
        super().data_received(data)
        if self._is_answering():
            self._stop_waiting()

    def pause_writing(self) -> None:
        """The client reads more slowly than it is told."""
        super().pause_writing()
        self._patience = self.loop.call_later(STALL_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """It reads."""
        super().resume_writing()
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def on_response_complete(self) -> None:
        """The client has time for the next request, which may be here already."""
        self._await_request()
        super().on_response_complete()
        if self._is_answering():
            self._stop_waiting()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Only what is a handshake becomes a WebSocket: websockets would say nothing to some of the others."""
        self._stop_waiting()
        if _is_handshake(event):
            super().handle_websocket_upgrade(event)
        else:
            self.send_400_response("The request is no WebSocket handshake.")

    def send_400_response(self, msg: str) -> None:
        """A problem is the answer if none has begun, and the connection ends."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._refuse()
        self.transport.close()

    def _refuse(self) -> None:
        request_id = new_id("http")
        body = json.dumps(problems.problem(MalformedRequest(), request_id)).encode()
        headers = {
            "Content-Type": problems.MEDIA_TYPE,
            "Content-Length": str(len(body)),
            "Connection": "close",
            "X-Request-ID": request_id,
        }
        log.info("malformed_request: %s", request_id)
        for part in (
            h11.Response(status_code=400, headers=list(headers.items()), reason=b"Bad Request"),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(part))

    def _is_answering(self) -> bool:
        return not getattr(self.cycle, "response_complete", True)  # None before the first request

    def _await_request(self) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(HEAD_SECONDS, self.timeout_keep_alive_handler)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


_SILENT = logging.Logger("websockets of a handshake that may be none")
_SILENT.addHandler(logging.NullHandler())


def _is_handshake(event: h11.Request) -> bool:
    """Return whether websockets would take a request; its own refusals repeat what was sent."""
    lines = [b"%b %b HTTP/1.1" % (event.method, event.target), *(b"%b: %b" % pair for pair in event.headers)]
    protocol = ServerProtocol(logger=_SILENT)
    protocol.receive_data(b"\r\n".join([*lines, b"", b""]))
    return any(
        protocol.accept(request).status_code == SWITCHING_PROTOCOLS
        for request in protocol.events_received()
        if isinstance(request, Request)
    )
