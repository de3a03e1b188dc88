"""A turn as server-sent events: ``delta {text}``, ``tool {name, status}``, ``done {reply}``, ``error {problem}``.

What goes wrong before the first event is an ordinary problem response. A client that leaves is noticed at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from zhiji.engine import Zhiji
from zhiji.errors import ShuttingDown
from zhiji.server.problems import dumps, problem, told
from zhiji.server.schemas.chat import Said
from zhiji.server.talk import ClientLeft, Talk, talking

MEDIA_TYPE = "text/event-stream"
HEARTBEAT = b": still here\n\n"
HEADERS = [(b"content-type", MEDIA_TYPE.encode()), (b"x-accel-buffering", b"no")]
"""Reverse proxies pass each event on at once; ``Cache-Control: no-store`` comes from the guard."""

EVENT_SCHEMA = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "event": {"type": "string", "enum": ["delta", "tool", "done", "error"]},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
}
"""One event, for the OpenAPI document."""


class EventStream(Response):
    """The response that runs one turn and tells it."""

    media_type = MEDIA_TYPE

    def __init__(self, zj: Zhiji, said: Said, key: str | None) -> None:
        self.background = None
        self._zj = zj
        self._said = said
        self._key = key
        self._begun = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the turn to its end, until the client leaves, or until the service stops."""
        try:
            with suppress(ClientLeft):
                await self._tell(str(scope["request_id"]), receive, send)
        except asyncio.CancelledError:
            if not self._begun or not scope["app"].state.gate.is_over:
                raise
            last = encode("error", problem(ShuttingDown(), str(scope["request_id"])))
            await _write(send, last, more=False)

    async def _tell(self, request_id: str, receive: Receive, send: Send) -> None:
        async with talking(self._zj, self._said, self._key) as talk, _watching(receive, talk):
            first = await talk.first()
            self._begun = True
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            await _write(send, encode(first.name, first.data))
            async for words in _rest(talk, request_id):
                await _write(send, words)
            await _write(send, b"", more=False)


async def _rest(talk: Talk, request_id: str) -> AsyncIterator[bytes]:
    """Yield what follows the first event; an error is the last one."""
    try:
        while not talk.is_over:
            event = await talk.next()
            yield HEARTBEAT if event is None else encode(event.name, event.data)
    except ClientLeft:
        raise
    except Exception as error:  # noqa: BLE001 - the server boundary: the status is sent, an event has to tell it
        yield encode("error", told(error, request_id))


def encode(name: str, data: dict[str, object]) -> bytes:
    """Return one event; JSON has no line breaks, so its data is one line."""
    return f"event: {name}\ndata: {dumps(data)}\n\n".encode()


async def _write(send: Send, words: bytes, *, more: bool = True) -> None:
    await send({"type": "http.response.body", "body": words, "more_body": more})


@asynccontextmanager
async def _watching(receive: Receive, talk: Talk) -> AsyncIterator[None]:
    """The talk learns when the client goes."""

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        talk.leave()

    watcher = asyncio.create_task(watch())
    try:
        yield
    finally:
        watcher.cancel()
