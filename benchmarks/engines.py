"""A chat turn on PostgreSQL beside a bare transaction that writes the same rows, with and without Redis, and on SQLite.

    python -m benchmarks engines [--turns 200] [--earlier 20] [--memories 100]

zhiji: restore, recall among the owner's memories, assemble, save durably, enqueue; scripted model, no tools, keyword-only,
the worker off so that the figure is the reply's path; one session that begins with so many earlier turns. Bare: what such
a turn writes was read off the tables after each of as many real turns, in a copy of the database; in another copy, psycopg
writes the same rows in one transaction, prepared statements one after the other, one commit. PostgreSQL and Redis run here,
on sockets of this machine, PostgreSQL waits for the disk. All run in turns, one turn of each, so that drift cancels.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import psycopg

from benchmarks import report
from benchmarks.replay import Connection, Recorder, Statement, write
from benchmarks.turn import TOPICS, Once, question, script, spent
from benchmarks.wire import counted
from zhiji import Settings, Zhiji
from zhiji.testing.servers import postgres, valkey

WARM = 8
"""Turns that are not counted: psycopg prepares a statement at its sixth use."""
USER = "u1"


@asynccontextmanager
async def opened(database_url: str, redis_url: str | None = None) -> AsyncIterator[Zhiji]:
    """Give a zhiji on this database."""
    settings = Settings.load(database_url=database_url, redis_url=redis_url, embedder="off", worker=False)
    async with Zhiji.open(settings, model=script) as zj:
        yield zj


async def begin(database_url: str, memories: int, earlier: int) -> str:
    """The user has so many memories and a session of so many turns, whose id is returned; nobody is connected."""
    async with opened(database_url) as zj:
        for number in range(memories):
            topic = TOPICS[number % len(TOPICS)]
            await zj.remember(USER, f"用户在第 {number} 次来访时问过{topic}", type="event", key=f"visit-{number}")
        session = await zj.sessions.start(USER)
        for number in range(earlier):
            await zj.chat(USER, question(number + 1), session=session)
    return session.id


@asynccontextmanager
async def speaking(database_url: str, session: str, redis_url: str | None = None) -> AsyncIterator[Once]:
    """Give the turns of this session."""
    async with opened(database_url, redis_url) as zj:

        async def once(number: int) -> object:
            return await zj.chat(USER, question(number), session=session)

        yield once


async def record(database_url: str, session: str, first: int, turns: int) -> tuple[list[list[Statement]], list[int]]:
    """Return what each of so many turns writes, and how many round trips it makes."""
    written, waited = list[list[Statement]](), list[int]()
    async with AsyncExitStack() as stack:
        recorder = await Recorder.begin(await stack.enter_async_context(await connect(database_url)))
        url, trips = await stack.enter_async_context(counted(database_url))
        once = await stack.enter_async_context(speaking(url, session))
        for number in range(first, first + turns):
            before = trips.count
            await once(number)
            waited.append(trips.count - before)
            written.append(await recorder.statements())
    return written, waited


async def connect(database_url: str) -> Connection:
    """Return a connection in autocommit."""
    return await psycopg.AsyncConnection.connect(database_url, autocommit=True)


@asynccontextmanager
async def bare(database_url: str, written: Sequence[Sequence[Statement]], first: int) -> AsyncIterator[Once]:
    """Give the bare transactions."""
    async with await connect(database_url) as connection:

        async def once(number: int) -> None:
            await write(connection, written[number - first])

        yield once


async def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="benchmarks engines", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in {"turns": 200, "earlier": 20, "memories": 100}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args(argv)
    first, turns = options.earlier + 1, WARM + options.turns
    async with AsyncExitStack() as stack:
        server = stack.enter_context(postgres(is_durable=True))
        redis = stack.enter_context(valkey())
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir="."))
        url, file = server.create(), f"sqlite:///{folder}/zhiji.db"
        session = await begin(url, options.memories, options.earlier)
        recorded, plain, with_redis = (server.create(server.name(url)) for _ in range(3))
        written, waited = await record(recorded, session, first, turns)
        contenders = {
            "PostgreSQL": speaking(url, session),
            "bare": bare(plain, written, first),
            "PostgreSQL and Redis": speaking(with_redis, session, redis.url),
            "SQLite": speaking(file, await begin(file, options.memories, options.earlier)),
        }
        runs = [(await stack.enter_async_context(one), first) for one in contenders.values()]
        times = dict(zip(contenders, await spent(runs, turns), strict=True))
    spreads = {name: report.spread(kept[WARM:]) for name, kept in times.items()}
    medians = {name: figures["p50"] for name, figures in spreads.items()}
    rows = [
        report.ratio("turn: PostgreSQL / the same rows, bare", medians["PostgreSQL"], medians["bare"], most=5),
        report.ratio("turn: with Redis / without", medians["PostgreSQL and Redis"], medians["PostgreSQL"], most=1.25),
        report.ratio("turn: PostgreSQL / SQLite", medians["PostgreSQL"], medians["SQLite"]),
    ]
    statements = [statement for statement, _ in written[-1]]
    details = {"milliseconds": spreads, "round_trips": report.spread(waited), "bare_statements": statements}
    report.publish("engines", vars(options), rows, details)
