"""The other process of a test: opens zhiji on a file, says ``ready``, does one thing per line of its standard input.

Run as ``python child.py PLACE``, a path or the URL of a database; answers each command with one line, an error with its code.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from processes import place_of, url_of
from talk import Scripted
from zhiji import Settings, Zhiji
from zhiji.errors import ZhijiError
from zhiji.extract import Increment, Proposal
from zhiji.models.base import ChatMessages
from zhiji.testing import FrozenClock
from zhiji.types import Completion, Status


def tell(line: str) -> None:
    """The other side has been told."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def listen() -> str:
    """Return the next line of the input; the event loop goes on meanwhile."""
    line = await asyncio.to_thread(sys.stdin.readline)
    return str(line).strip()


def settings(path: Path | str, *, worker: bool = False, limits: str = "") -> Settings:
    """The settings of the tests' own process."""
    return Settings.load(
        database_url=url_of(path),
        embedder="off",
        worker=worker,
        busy_wait_seconds=30,
        system_prompt="客服",
        user_limits=limits,
    )


async def echo(messages: ChatMessages, tools: object) -> Completion:
    """A model that repeats what was said."""
    return Completion(text=f"答{str(messages[-1]['content']).splitlines()[-1]}")


class Hanging(Scripted):
    """An extractor that says that it was asked, and never answers."""

    async def extract(self, increment: Increment) -> Proposal:
        tell("extracting")
        await asyncio.Event().wait()
        raise AssertionError


async def ingest(path: Path, session: str, name: str, count: str) -> str:
    """Messages of this name are ingested one by one."""
    async with Zhiji.open(settings(path), clock=FrozenClock(), model=echo) as zj:
        for number in range(int(count)):
            await zj.ingest("u1", [{"role": "user", "content": f"{name}-{number:02}"}], session=session)
    return "done"


async def chat(path: Path, session: str, key: str, words: str) -> str:
    """One message is sent under an idempotency key; the answer names the turn."""
    async with Zhiji.open(settings(path), clock=FrozenClock(), model=echo) as zj:
        return (await zj.chat("u1", words, session=session, idempotency_key=key)).turn_id


async def talk(path: Path | str, user: str, limits: str, count: str) -> str:
    """So many messages are sent under these limits, and the zhiji stays open until the next line."""
    async with Zhiji.open(settings(path, limits=limits), clock=FrozenClock(), model=echo) as zj:
        for number in range(int(count)):
            await zj.chat(user, f"第 {number} 句")
        tell(count)
        return await listen()


async def remember(path: Path | str, users: str, fact: str) -> str:
    """The same fact without a key is remembered of each of so many users in turn."""
    async with Zhiji.open(settings(path), clock=FrozenClock(), model=echo) as zj:
        for number in range(int(users)):
            await zj.remember(f"u{number}", fact, type="event")
    return "done"


async def work(path: Path) -> str:
    """The worker runs, but its extractor never answers."""
    async with Zhiji.open(settings(path, worker=True), clock=FrozenClock(), model=echo, extractor=Hanging()):
        return await listen()


async def know(path: Path, user: str, query: str) -> str:
    """The answer is what recall, the list and the sessions of a user hold, read anew at each further line."""
    async with Zhiji.open(settings(path), clock=FrozenClock(), model=echo) as zj:
        while True:
            recalled = [item.memory.content for item in await zj.recall(user, query)]
            listed = [memory.content for memory in await zj.memories.list(user, statuses=list(Status))]
            sessions = [session.id for session in await zj.sessions.list(user, archived=True)]
            found = json.dumps([recalled, listed, sessions], ensure_ascii=False)
            tell(found)
            if await listen() == "end":
                return "done"


async def hold(path: Path) -> str:
    """The write lock is held until the next line."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    tell("held")
    sys.stdin.readline()
    connection.execute("COMMIT")
    connection.close()
    return "released"


COMMANDS: dict[str, Callable[..., Awaitable[str]]] = {
    "ingest": ingest,
    "chat": chat,
    "talk": talk,
    "remember": remember,
    "work": work,
    "know": know,
    "hold": hold,
}


async def main(path: Path | str) -> None:
    """Answer commands until the end of the input."""
    tell("ready")
    while line := (await listen()).split():
        try:
            answer = await COMMANDS[line[0]](path, *line[1:])
        except ZhijiError as error:
            answer = error.code
        tell(answer)


if __name__ == "__main__":
    asyncio.run(main(place_of(sys.argv[1])))
