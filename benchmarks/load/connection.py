"""The least HTTP client that will do: one request at a time over a kept connection. Cheap, because it is not what is measured."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

HEADERS_END = b"\r\n\r\n"


class Lost(Exception):
    """The connection broke before the whole response was there."""


@dataclass(frozen=True, slots=True)
class Response:
    """A whole response."""

    status: int
    body: str

    def json(self) -> Mapping[str, object]:
        """Return the body as a JSON object; empty if it is none."""
        try:
            found = json.loads(self.body)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def events(self) -> list[tuple[str, Mapping[str, object]]]:
        """Return the events of a stream: name and data."""
        found = []
        for block in self.body.replace("\r\n", "\n").split("\n\n"):
            fields = dict(line.partition(": ")[::2] for line in block.split("\n") if ": " in line)
            if "data" in fields:
                found.append((fields.get("event", ""), json.loads(fields["data"])))
        return found


class Connection:
    """A connection to one server on loopback, opened when needed, closed by whatever goes wrong."""

    def __init__(self, port: int, token: str) -> None:
        """``token`` goes with every request."""
        self._port = port
        self._head = f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(
        self,
        path: str,
        document: Mapping[str, object],
        headers: Mapping[str, str],
        *,
        on_piece: Callable[[], None] | None = None,
    ) -> Response:
        """Return the response; ``on_piece`` is called at each piece of a stream.

        Cancelled, it closes the connection, as a client does that leaves.

        Raises:
            Lost: the server cannot be reached, or went away.
        """
        body = json.dumps(document, ensure_ascii=False).encode()
        extra = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return await self._send(
            f"POST {path} HTTP/1.1\r\n{self._head}{extra}Content-Length: {len(body)}", body, on_piece
        )

    async def get(self, path: str) -> Response:
        """Return the response. Raises as ``post``."""
        return await self._send(f"GET {path} HTTP/1.1\r\n{self._head.rstrip()}", b"", None)

    async def _send(self, head: str, body: bytes, on_piece: Callable[[], None] | None) -> Response:
        if self._streams is not None and self._streams[0].at_eof():  # the server had closed an idle connection
            self.close()
        try:
            reader, writer = self._streams = self._streams or await asyncio.open_connection("127.0.0.1", self._port)
            writer.write(head.encode() + HEADERS_END + body)
            response, kept = await _read(reader, on_piece)
        except (OSError, EOFError, ValueError) as error:
            self.close()
            raise Lost from error
        except BaseException:
            self.close()
            raise
        if not kept:
            self.close()
        return response

    def close(self) -> None:
        """The connection is closed."""
        if self._streams is not None:
            self._streams[1].close()
        self._streams = None


class RoundRobin:
    """A connection to each of several servers; each request goes to the next one, so that a retry meets another."""

    def __init__(self, ports: Sequence[int], token: str, *, first: int = 0) -> None:
        """The request number 0 goes to the server number ``first``, modulo how many there are."""
        self._connections = deque(Connection(port, token) for port in ports)
        self._connections.rotate(1 - first)

    async def post(
        self,
        path: str,
        document: Mapping[str, object],
        headers: Mapping[str, str],
        *,
        on_piece: Callable[[], None] | None = None,
    ) -> Response:
        """Return the response. As ``Connection.post``."""
        self._connections.rotate(-1)
        return await self._connections[0].post(path, document, headers, on_piece=on_piece)

    def close(self) -> None:
        """Every connection is closed."""
        for connection in self._connections:
            connection.close()


async def _read(reader: asyncio.StreamReader, on_piece: Callable[[], None] | None) -> tuple[Response, bool]:
    first, *lines = (await reader.readuntil(HEADERS_END)).decode("latin-1").rstrip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if headers.get("transfer-encoding") == "chunked":
        body = await _chunks(reader, on_piece)
    else:
        body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Response(int(first.split(" ")[1]), body.decode()), headers.get("connection") != "close"


async def _chunks(reader: asyncio.StreamReader, on_piece: Callable[[], None] | None) -> bytes:
    body = b""
    while size := int(await reader.readline() or b"!", 16):
        body += (await reader.readexactly(size + 2))[:-2]
        if on_piece is not None:
            on_piece()
    await reader.readline()
    return body
