"""A turn costs few round trips to PostgreSQL: counted on the wire, by a proxy that sees who speaks after whom."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from zhiji import Settings, Zhiji
from zhiji.stores.base import Store
from zhiji.stores.postgres import PostgresStore
from zhiji.stores.postgres.notices import Notices
from zhiji.testing.doubles import ScriptedModel
from zhiji.testing.values import ALICE, end, job, open_session, run_turn, turn

WRITE = 2
"""One for everything that is read, with the lock on the owner; one for everything that is written, with its commit."""
READ = 1
TURN = WRITE + READ + READ + WRITE
"""Begin, search, profile, finish."""

READ_ENDED = b"Z\x00\x00\x00\x05I"
"""What the server says by itself at the end of what was only read; nobody waits for it."""


class Wire:
    """What passes between a client and its server, and how often the server was waited for."""

    def __init__(self, server: Path) -> None:
        self.round_trips = 0
        self._server = server
        self._clients: list[asyncio.Task[None]] = []

    def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A client is served."""
        self._clients.append(asyncio.create_task(self._serve(reader, writer)))

    async def close(self) -> None:
        """Every client has gone."""
        await asyncio.gather(*self._clients)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers, asks = await asyncio.open_unix_connection(str(self._server))
        asked = asyncio.Event()

        async def forth() -> None:
            while data := await reader.read(65536):
                asked.set()
                asks.write(data)
            asks.write_eof()

        async def back() -> None:
            while data := await answers.read(65536):
                if data != READ_ENDED:
                    self.round_trips += asked.is_set()
                    asked.clear()
                writer.write(data)

        with suppress(ConnectionError):
            await asyncio.gather(forth(), back())
        for end_of_wire in (asks, writer):
            end_of_wire.close()
            with suppress(ConnectionError):
                await end_of_wire.wait_closed()

    @asynccontextmanager
    async def counted(self) -> AsyncIterator[list[int]]:
        """Give a list that holds the number of round trips of this block, once it has ended."""
        found: list[int] = []
        before = self.round_trips
        yield found
        found.append(self.round_trips - before)


@pytest.fixture
async def wire(postgres_url: str, tmp_path: Path) -> AsyncIterator[Wire]:
    """A proxy in front of the server, on a socket in the test's folder."""
    given = conninfo_to_dict(postgres_url)
    name = f".s.PGSQL.{given.get('port', 5432)}"
    made = Wire(Path(str(given["host"])) / name)
    server = await asyncio.start_unix_server(made, tmp_path / name)
    async with server:
        yield made
    await made.close()


@pytest.fixture
def url(wire: Wire, postgres_url: str, tmp_path: Path) -> str:
    """URL of the test's database behind the proxy."""
    return postgres_url.replace(f"host={conninfo_to_dict(postgres_url)['host']}", f"host={tmp_path}")


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    """A store with one connection, which is open."""
    store = await PostgresStore.open(url, connections=1)
    yield store
    await store.close()


@pytest.mark.parametrize("key", [None, "k"], ids=["plain", "with key"])
async def test_turn_is_begun_and_finished_in_two_round_trips_each(store: Store, wire: Wire, key: str | None) -> None:
    """All reads travel together, and all writes with their commit, however many messages there are."""
    await open_session(store)
    await run_turn(store, 1)
    async with wire.counted() as begun:
        opened = await store.begin_turn(ALICE, "ses_1", turn(2, key=key), history_turns=20)
    closing = end(opened, 5, recalled=["mem_1"], jobs=[job("ses_1", 9_999_999_999)])
    async with wire.counted() as finished:
        await store.finish_turn(ALICE, closing)
    assert (begun, finished) == ([WRITE], [WRITE])


async def test_reading_is_one_round_trip(store: Store, wire: Wire) -> None:
    """Who only reads does not wait for the end of a transaction."""
    await open_session(store)
    await run_turn(store, 1)
    async with wire.counted() as loaded:
        assert await store.load_session(ALICE, "ses_1") is not None
    async with wire.counted() as read:
        assert len(await store.load_messages(ALICE, "ses_1")) == 2
    assert (loaded, read) == ([READ], [READ])


async def test_whole_turn_is_a_few_round_trips(url: str, wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second turn of a session, from the message to the reply; what others are told afterwards is not waited for."""
    monkeypatch.setattr(Notices, "tell", lambda *given: None)
    settings = Settings(database_url=url, worker=False, embedder="off", database_connections=2)
    async with Zhiji.open(settings, model=ScriptedModel(["好的", "没问题"])) as zj:
        first = await zj.chat("alice", "你好，我想退货 OD20240415008")
        async with wire.counted() as taken:
            await zj.chat("alice", "退货 address please 🙂", session=first.session_id)
    assert taken == [TURN]
