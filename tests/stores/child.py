"""The other process of a test: opens a store, says ``ready``, does one thing per line of its standard input.

Run as ``python child.py PLACE``, a path or the URL of a database; answers each command with one line, an error with its code.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from processes import place_of
from zhiji.errors import SessionBusy, ZhijiError
from zhiji.stores.base import Store
from zhiji.stores.migrations import Migration
from zhiji.stores.postgres import PostgresStore
from zhiji.stores.postgres import schema as postgres_schema
from zhiji.stores.postgres.connection import Database as PostgresDatabase
from zhiji.stores.sqlite import SqliteStore
from zhiji.stores.sqlite.connection import Database
from zhiji.stores.sqlite.schema import MIGRATIONS, prepare
from zhiji.testing.values import ALICE, at, end, job, lease, said, turn

NEXT = (*MIGRATIONS, Migration(len(MIGRATIONS) + 1, "Next.", "ALTER TABLE zhiji_sessions ADD COLUMN mood TEXT;"))
"""What a later release might do. Done twice it fails: the column is there already."""


def say(line: str) -> None:
    """The other side has been told."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def open_store(place: Path | str) -> Store:
    """Return the store in this file, or at this URL."""
    return await (SqliteStore.open(place) if isinstance(place, Path) else PostgresStore.open(place))


async def append(place: Path | str, name: str, count: str) -> str:
    """Messages of this name are appended one by one."""
    store = await open_store(place)
    for number in range(int(count)):
        await store.append_turns(ALICE, "ses_1", [said(f"{name}-{number:02}")], jobs=[], now=at())
    await store.close()
    return "done"


async def chat(place: Path | str, name: str, count: str) -> str:
    """Whole turns of this name are held, each as soon as the session is free."""
    store = await open_store(place)
    for number in range(int(count)):
        start = turn(f"{name}{number}", f"{name}-{number:02}", holder=name)
        while True:
            try:
                opened = await store.begin_turn(ALICE, "ses_1", start, history_turns=2)
                break
            except SessionBusy:
                await asyncio.sleep(0)
        await store.finish_turn(ALICE, end(opened, holder=name, jobs=[job("ses_1")]))
    await store.close()
    return "done"


async def claim(place: Path | str, holder: str) -> str:
    """Every due job is claimed; the answer names their subjects."""
    store = await open_store(place)
    subjects = []
    while (claimed := await store.claim_job(lease(holder=holder))) is not None:
        subjects.append(claimed.subject)
    await store.close()
    return " ".join(subjects)


async def open_only(place: Path | str) -> str:
    """The store is opened and closed; the answer is the secret that its digests use."""
    store = await open_store(place)
    digest = await store.digest("x")
    await store.close()
    return digest


async def migrate(path: Path) -> str:
    """The file has the tables of the next release."""
    database = await Database.open(path, lambda connection: prepare(connection, NEXT))
    await database.close()
    return "done"


async def migrate_postgres(url: str) -> str:
    """The database has the tables of the next release; the answer is the secret that its digests use."""
    later = Migration(len(postgres_schema.MIGRATIONS) + 1, "Next.", "ALTER TABLE zhiji_sessions ADD COLUMN mood text")
    steps = (*postgres_schema.MIGRATIONS, later)
    database = await PostgresDatabase.open(url, lambda connection: postgres_schema.prepare(connection, steps))
    store = PostgresStore(database, await database.read(None, postgres_schema.digest_key))
    digest = await store.digest("x")
    await store.close()
    return digest


async def die(place: Path | str, holder: str) -> str:
    """A turn and a job are begun; then this process is killed."""
    store = await open_store(place)
    await store.begin_turn(ALICE, "ses_1", turn("dead", "还在吗", holder=holder), history_turns=2)
    await store.claim_job(lease(holder=holder))
    os.kill(os.getpid(), signal.SIGKILL)
    return "survived"


async def hold(path: Path) -> str:
    """The write lock is held until the next line."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    say("held")
    sys.stdin.readline()
    connection.execute("COMMIT")
    connection.close()
    return "released"


COMMANDS: dict[str, Callable[..., Awaitable[str]]] = {
    "append": append,
    "chat": chat,
    "claim": claim,
    "open": open_only,
    "migrate": migrate,
    "migrate_postgres": migrate_postgres,
    "die": die,
    "hold": hold,
}


async def main(place: Path | str) -> None:
    """Answer commands until the end of the input."""
    say("ready")
    while line := sys.stdin.readline().split():
        try:
            answer = await COMMANDS[line[0]](place, *line[1:])
        except ZhijiError as error:
            answer = error.code
        say(answer)


if __name__ == "__main__":
    asyncio.run(main(place_of(sys.argv[1])))
