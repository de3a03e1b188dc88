"""``/v1/ws``: the same turns over a WebSocket, one after the other.

A frame in is one ``Said``; frames out are ``{"event": "delta" | "tool" | "done" | "error", "data": …}`` with the data
of the server-sent events. Frames that come during a turn wait for it. A client that leaves is treated as one of a stream.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import ValidationError
from starlette.websockets import WebSocketState

from zhiji.engine import Zhiji
from zhiji.errors import Overloaded
from zhiji.server import body
from zhiji.server.gate import Gate
from zhiji.server.guard import SUBPROTOCOL
from zhiji.server.parts import Opened
from zhiji.server.problems import dumps, problem, read_validation, told
from zhiji.server.protocol import STALL_SECONDS
from zhiji.server.schemas.chat import Said
from zhiji.server.talk import ClientLeft, Talk, talking

router = APIRouter()

MAX_WAITING = 16
"""Frames that may wait for the turn before them; further ones are refused."""
SERVICE_RESTART = 1012


@router.websocket("/v1/ws")
async def converse(websocket: WebSocket, zj: Opened) -> None:
    """Answer frames until the client leaves or the service stops."""
    gate: Gate = websocket.app.state.gate
    with gate.socket():
        offered = websocket.scope.get("subprotocols") or []
        await websocket.accept(subprotocol=SUBPROTOCOL if SUBPROTOCOL in offered else None)
        await Socket(websocket, zj, gate).run()


class Socket:
    """One connection: a reader that never blocks, and one turn at a time."""

    def __init__(self, websocket: WebSocket, zj: Zhiji, gate: Gate) -> None:
        self._websocket = websocket
        self._zj = zj
        self._gate = gate
        self._inbox = asyncio.Queue[str | bytes | None]()
        self._talk: Talk | None = None
        self._gone = False

    async def run(self) -> None:
        """Answer until the end."""
        beside = [asyncio.create_task(self._read()), asyncio.create_task(self._stop_when_closing())]
        try:
            while (frame := await self._inbox.get()) is not None and not self._gone:
                await self._answer(frame)
        except asyncio.CancelledError:
            if not self._gate.is_over:
                raise
        finally:
            for task in beside:
                task.cancel()
        if not self._gone:
            with suppress(WebSocketDisconnect, RuntimeError):
                await self._websocket.close(SERVICE_RESTART)

    async def _read(self) -> None:
        """Frames go to the inbox; the end of the connection is told at once."""
        with suppress(ClientLeft, WebSocketDisconnect):
            while (message := await self._websocket.receive())["type"] == "websocket.receive":
                if self._inbox.qsize() >= MAX_WAITING:
                    await self._send("error", problem(Overloaded(), self._request_id))
                else:
                    self._inbox.put_nowait(message.get("text") or message.get("bytes") or "")
        self._gone = True
        if self._talk is not None:
            self._talk.leave()
        self._inbox.put_nowait(None)

    async def _stop_when_closing(self) -> None:
        await self._gate.closing.wait()
        self._inbox.put_nowait(None)

    async def _answer(self, frame: str | bytes) -> None:
        try:
            await self._tell(frame)
        except (ClientLeft, WebSocketDisconnect):
            self._gone = True

    async def _tell(self, frame: str | bytes) -> None:
        try:
            with self._gate.place():
                await self._turn(read(frame))
        except (ClientLeft, WebSocketDisconnect):
            raise
        except Exception as error:  # noqa: BLE001 - the server boundary: a frame has to tell it
            await self._send("error", told(error, self._request_id))

    async def _turn(self, said: Said) -> None:
        async with talking(self._zj, said, said.idempotency_key) as talk:
            self._talk = talk
            try:
                while not talk.is_over:
                    if (event := await talk.next()) is not None:
                        await self._send(event.name, event.data)
            finally:
                self._talk = None

    async def _send(self, name: str, data: dict[str, object]) -> None:
        if self._websocket.client_state is not WebSocketState.CONNECTED:
            return
        try:
            async with asyncio.timeout(STALL_SECONDS):
                await self._websocket.send_text(dumps({"event": name, "data": data}))
        except TimeoutError:  # it does not read
            raise ClientLeft from None

    @property
    def _request_id(self) -> str:
        return str(self._websocket.scope["request_id"])


def read(frame: str | bytes) -> Said:
    """Return what one frame says.

    Raises:
        InvalidInput: it is not the JSON of a ``Said``; the text names the field.
    """
    try:
        return Said.model_validate(
            body.parse(frame if isinstance(frame, bytes) else frame.encode("utf-8", "surrogatepass"))
        )
    except ValidationError as error:
        raise read_validation([{**one, "loc": ("frame", *one["loc"])} for one in error.errors()]) from None
