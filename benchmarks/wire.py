"""How often somebody waits for PostgreSQL: a proxy on a socket of its own counts the round trips."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from psycopg.conninfo import conninfo_to_dict

PIECE_BYTES = 65536
PORT = 5432


@dataclass(slots=True)
class Trips:
    """What has been counted so far."""

    count: int = 0
    """How often something was asked after an answer."""


@asynccontextmanager
async def counted(url: str) -> AsyncIterator[tuple[str, Trips]]:
    """Give a URL of the same database, which is reached on a local socket, and the trips that are made through it."""
    parts, trips = conninfo_to_dict(url), Trips()
    server_socket = f"{parts['host']}/.s.PGSQL.{parts.get('port', PORT)}"

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_unix_connection(server_socket)
        is_waiting = False

        async def forward(source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, asks: bool) -> None:
            nonlocal is_waiting
            while piece := await source.read(PIECE_BYTES):
                trips.count += asks and not is_waiting
                is_waiting = asks
                sink.write(piece)
            sink.close()

        await asyncio.gather(forward(reader, to_server, asks=True), forward(from_server, writer, asks=False))

    with tempfile.TemporaryDirectory(prefix="zhiji-wire-") as folder:
        async with await asyncio.start_unix_server(serve, f"{folder}/.s.PGSQL.{PORT}"):
            yield f"postgresql://{parts['user']}@/{parts['dbname']}?host={folder}&port={PORT}", trips
