"""A real HTTP server that speaks the OpenAI protocol and misbehaves on demand.

    async with Endpoint(["hello", rate_limited(0.1), "again"]) as endpoint:
        settings = Settings(llm_api_base=endpoint.url, llm_model="any")

It serves ``/chat/completions`` (streamed or not), ``/embeddings`` and ``/models`` on loopback, follows a script, and
records what it was sent. As a process, with the script ``echo``, it prints its base URL as the first line:

    python -m zhiji.testing.endpoint --port 0 --latency 0.3

Plain asyncio on one event loop: an answer costs a fraction of a millisecond, and thousands may wait at once.
"""

from __future__ import annotations

import argparse
import asyncio
import inspect
import json
import logging
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

from zhiji.testing.doubles import HashEmbedder
from zhiji.testing.protocol import (
    DONE,
    Answer,
    Raw,
    Request,
    Reset,
    Response,
    Script,
    Step,
    answer,
    event,
    events,
    failed,
    html,
    overflow,
    rate_limited,
    unstructured,
    whole,
)
from zhiji.types import Completion, ToolCall

__all__ = [
    "Answer",
    "Endpoint",
    "Raw",
    "Request",
    "Reset",
    "Response",
    "Script",
    "Step",
    "echo",
    "event",
    "failed",
    "html",
    "overflow",
    "rate_limited",
    "unstructured",
]

BASE = "/v1"
EXTRACTION = '{"memories": []}'
"""What a request to extract says that an answer without memories looks like."""
UNSCRIPTED = 418
"""Status of a chat request that the script has no step for: a refusal, which no client repeats."""

log = logging.getLogger("zhiji.testing.endpoint")

_CALL = re.compile(r"^call (\w+) ?(\{.*\})?$", re.MULTILINE)


def echo(request: Request) -> Response:
    """The default script: the last line of the last message is the answer, be it the user's or a tool's.

    Where lines of the user's message say ``call NAME {"argument": …}`` and the request offers these tools, they are
    called. A request whose first message wants an object of memories is answered ``{"memories": []}``.
    """
    first, last = str(request.messages[0].get("content")), request.messages[-1]
    if EXTRACTION in first:
        return EXTRACTION
    said = str(last.get("content")).strip()
    wanted = [found for found in _CALL.findall(said) if found[0] in request.tools] if last["role"] == "user" else []
    calls = [ToolCall(id=f"call_{at}", name=name, arguments=given or "{}") for at, (name, given) in enumerate(wanted)]
    return Completion(tool_calls=tuple(calls)) if calls else said.rpartition("\n")[2] or "…"


class Endpoint:
    """An OpenAI-compatible endpoint on loopback, for tests. Use it as an async context manager."""

    def __init__(
        self,
        script: Script = echo,
        *,
        embeddings: Sequence[Raw | Reset | None] = (),
        dim: int = 64,
        normalised: bool = True,
        latency: float = 0.0,
        models: Sequence[str] = ("test",),
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        """``script`` answers chat requests; a list that is exhausted answers ``UNSCRIPTED``.

        ``embeddings``: what the first requests for embeddings get; None, and all later ones: vectors of ``dim``
        dimensions as by ``HashEmbedder``, of unit length if ``normalised``, else of length 3. ``latency``: seconds
        before any answer. ``port`` 0 is any free one.
        """
        self.requests: list[Request] = []
        """What it was sent, in order."""
        self._script = script
        self._embeddings = list(embeddings)
        self._embedder = HashEmbedder(dim)
        self._length = 1.0 if normalised else 3.0
        self._latency = latency
        self._models = tuple(models)
        self._host, self._port = host, port
        self._server: asyncio.Server | None = None
        self._connections = set[_Connection]()
        self._working = set[asyncio.Task[None]]()
        self._change = asyncio.Event()
        self._asked = 0

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    @property
    def url(self) -> str:
        """The base URL, as ``llm_api_base`` wants it."""
        return f"http://{self._host}:{self._port}{BASE}"

    @property
    def chats(self) -> Sequence[Request]:
        """The chat requests it was sent, in order."""
        return [request for request in self.requests if request.path == "/chat/completions"]

    async def start(self) -> None:
        """It listens; after ``stop``, on the same port again."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self), self._host, self._port, backlog=1024)
        self._port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Connections are closed, and new ones are refused."""
        if self._server is not None:
            self._server.close()
            for connection in list(self._connections):
                connection.abort()
            await self.idle()
            await self._server.wait_closed()
        self._server = None

    @property
    def connections(self) -> int:
        """How many clients are connected."""
        return len(self._connections)

    async def arrived(self, count: int) -> None:
        """``count`` requests have come in."""
        while len(self.requests) < count:
            await self._change.wait()

    async def idle(self) -> None:
        """No request is being answered: what clients abandoned has been noticed."""
        await asyncio.gather(*self._working)

    async def closed(self) -> None:
        """No client is connected."""
        while self._connections:
            await self._change.wait()

    def _changed(self) -> None:
        self._change.set()
        self._change = asyncio.Event()

    async def _respond(self, request: Request, connection: _Connection) -> None:
        self.requests.append(request)
        self._changed()
        response = await self._response(request)
        await asyncio.sleep(self._latency + (0.0 if isinstance(response, str | Completion) else response.delay))
        match response:
            case Reset():
                connection.abort()
            case Raw():
                connection.send(response.status, response.headers, _encoded(response.body))
            case _ if request.body.get("stream"):
                await _stream(answer(response), request, connection)
            case _:
                detailed = answer(response)
                connection.send(200, {}, _encoded(whole(detailed, request)), cut=detailed.cut)

    async def _response(self, request: Request) -> Response:
        match request.path:
            case "/chat/completions":
                return await self._scripted(request)
            case "/embeddings":
                return (self._embeddings.pop(0) if self._embeddings else None) or self._embedded(request)
            case "/models":
                return Raw(body={"object": "list", "data": [{"id": name, "object": "model"} for name in self._models]})
        return failed(404, f"Unknown path {request.path}")

    async def _scripted(self, request: Request) -> Response:
        step: Step
        if callable(self._script):
            step = self._script
        elif self._asked < len(self._script):
            step = self._script[self._asked]
        else:
            step = failed(UNSCRIPTED, f"request {self._asked + 1} of a script of {len(self._script)}")
        self._asked += 1
        found = step(request) if callable(step) else step
        return await found if inspect.isawaitable(found) else found

    def _embedded(self, request: Request) -> Raw:
        given = request.body["input"]
        texts = [given] if isinstance(given, str) else list(given)
        vectors = (self._embedder.embed_passages(texts) * self._length).tolist()
        data = [{"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(vectors)]
        usage = {"prompt_tokens": sum(map(len, texts)), "total_tokens": sum(map(len, texts))}
        return Raw(body={"object": "list", "data": data, "model": request.body.get("model", ""), "usage": usage})


async def _stream(detailed: Answer, request: Request, connection: _Connection) -> None:
    connection.open_stream()
    for count, piece in enumerate(events(detailed, request)):
        if count == detailed.cut:
            return connection.abort()
        if count:
            await asyncio.sleep(detailed.between)
        connection.send_piece(piece)
    connection.send_piece(b"" if detailed.error else DONE)
    return connection.close_stream()


def _encoded(body: object) -> bytes:
    return (body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)).encode()


class _Connection(asyncio.Protocol):
    """One connection, kept alive; one request at a time."""

    transport: asyncio.Transport

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._received = b""
        self.work: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._endpoint._connections.add(self)

    def data_received(self, data: bytes) -> None:
        self._received += data
        if self.work is None:
            self._next()

    def connection_lost(self, exc: Exception | None) -> None:
        self._endpoint._connections.discard(self)
        self._endpoint._changed()
        if self.work is not None:
            self.work.cancel()

    def abort(self) -> None:
        """The connection is gone, and with it what is being answered."""
        if self.work is not None:
            self.work.cancel()
        self.transport.abort()

    def send(self, status: int, headers: Mapping[str, str], body: bytes, *, cut: int | None = None) -> None:
        """The response is sent; after ``cut`` bytes of its body the connection breaks."""
        length = {"content-type": "application/json", "content-length": str(len(body)), **headers}
        self.transport.write(_head(status, length) + (body if cut is None else body[:cut]))
        if cut is not None:
            self.transport.close()
            if self.work is not None:
                self.work.cancel()

    def open_stream(self) -> None:
        self.transport.write(_head(200, {"content-type": "text/event-stream", "transfer-encoding": "chunked"}))

    def send_piece(self, piece: bytes) -> None:
        if piece:
            self.transport.write(b"%x\r\n%b\r\n" % (len(piece), piece))

    def close_stream(self) -> None:
        self.transport.write(b"0\r\n\r\n")

    def _next(self) -> None:
        head, separator, rest = self._received.partition(b"\r\n\r\n")
        if not separator:
            return
        request, length = _request(head)
        if len(rest) < length:
            return
        self._received = rest[length:]
        request.body = json.loads(rest[:length] or b"{}")
        self.work = asyncio.get_running_loop().create_task(self._answer(request))
        self._endpoint._working.add(self.work)
        self.work.add_done_callback(self._endpoint._working.discard)

    async def _answer(self, request: Request) -> None:
        try:
            await self._endpoint._respond(request, self)
            await asyncio.sleep(0)  # an abort takes effect here
            request.outcome = "answered"
        except asyncio.CancelledError:
            request.outcome = "abandoned"
        except Exception:
            log.exception("the script failed")
            self.send(500, {}, _encoded(failed(500, "the script failed").body))
            request.outcome = "answered"
        self.work = None
        if not self.transport.is_closing():
            self._next()


def _request(head: bytes) -> tuple[Request, int]:
    """Return the request without its body, and the body's bytes."""
    first, *lines = head.decode("latin-1").split("\r\n")
    path = first.split(" ")[1].partition("?")[0]
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return Request(path=path.removeprefix(BASE), headers=headers, body={}), int(headers.get("content-length", 0))


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} {'OK' if status == 200 else 'Error'}\r\n{lines}\r\n".encode("latin-1")


# --- as a process -----------------------------------------------------------------------------------------------------


async def serve(port: int, latency: float) -> None:
    """Serve the script ``echo`` until cancelled; the first line printed is the base URL."""
    async with Endpoint(echo, port=port, latency=latency) as endpoint:
        print(endpoint.url, flush=True)  # noqa: T201 - what starts it reads this line
        await asyncio.Event().wait()


def main() -> None:
    """Read the arguments and serve."""
    parser = argparse.ArgumentParser(prog="python -m zhiji.testing.endpoint", description=__doc__.partition("\n")[0])
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--latency", type=float, default=0.0, metavar="SECONDS", help="before each answer")
    given = parser.parse_args()
    with suppress(KeyboardInterrupt):
        asyncio.run(serve(given.port, given.latency))


if __name__ == "__main__":
    main()
