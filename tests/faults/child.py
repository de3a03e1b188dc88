"""A process that lives through a short story and is killed, by real SIGKILL, at one named moment of it.

``main`` takes PLACE, LEDGER, MOMENT and N, where MOMENT is ``before`` or ``after`` the N-th commit, ``tool-before``
or ``tool-after`` the N-th effect of the write tool, or ``never``; PLACE is a path or a URL. It prints a line for each thing it was promised:
``accepted KEY`` when a reply came back, and at the end ``commits N``.
"""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Callable
from typing import Any

from zhiji import Settings, Zhiji
from zhiji.stores.postgres import connection as postgres
from zhiji.stores.sqlite.connection import Database
from zhiji.testing import FrozenClock, ScriptedModel
from zhiji.types import Completion, ToolCall

USER = "user_001"
STORY = {
    "k1": "我叫李四，订单 OD20240415008 想退货，手机 13812345678",
    "k2": "给订单 OD20240415008 退款",
    "k3": "我对花生过敏，我住在杭州",
}
"""What the user says, by idempotency key; ``k2`` makes the model refund."""


def answers(messages: Any, tools: Any) -> Completion | str:
    """The scripted model: refunds once when asked to, else acknowledges."""
    words = str(messages[-1]["content"])
    if messages[-1]["role"] == "user" and words.endswith(STORY["k2"]):
        return Completion(tool_calls=(ToolCall(id="c1", name="refund", arguments='{"order_id": "OD20240415008"}'),))
    return "好的"


def settings(place: str) -> Settings:
    """One database, no embedder, no worker of its own: the story drains by itself, so that commits are countable."""
    return Settings.load(
        database_url=place if "://" in place else f"sqlite:///{place}",
        embedder="off",
        worker=False,
        system_prompt="客服",
        lease_seconds=1,
    )


def add_refund(zj: Zhiji, ledger: str, around: Callable[[str], None] = lambda moment: None) -> None:
    """Give the model a refund tool whose effect is a line in a file outside zhiji."""

    @zj.tool(effects="write")
    def refund(order_id: str, call_key: str) -> str:
        """Refund an order."""
        around("tool-before")
        with open(ledger, "a") as file:
            file.write(f"{order_id}\n")
            file.flush()
            os.fsync(file.fileno())
        around("tool-after")
        return f"refunded {order_id}"


def die() -> None:
    """End this process as the kernel would: no handler, no flush, no goodbye."""
    os.kill(os.getpid(), signal.SIGKILL)


def arm(moment: str, number: int) -> Callable[[], int]:
    """The process dies before or after its N-th commit; returns a counter of commits so far."""
    counter = itertools.count(1)
    commits = [0]
    original = Database._write

    def write(self: Database, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        commits[0] = next(counter)
        here = commits[0] == number

        def last_words(connection: Any) -> Any:
            result = work(connection, *args, **kwargs)
            if here and moment == "before":
                die()
            return result

        result = original(self, last_words)
        if here and moment == "after":
            die()
        return result

    async def run(self: postgres.Database, before: Any, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if before[0] is not postgres._BEGIN:
            return await run_whole(self, before, work, *args, **kwargs)
        commits[0] = next(counter)
        here = commits[0] == number

        async def last_words(connection: Any) -> Any:
            result = await work(connection, *args, **kwargs)
            if here and moment == "before":
                die()
            return result

        result = await run_whole(self, before, last_words)
        if here and moment == "after":
            die()
        return result

    run_whole = postgres.Database._run
    postgres.Database._run = run  # type: ignore[method-assign]
    Database._write = write  # type: ignore[method-assign]
    return lambda: commits[0]


async def main(path: str, ledger: str, moment: str, number: str) -> None:
    """Live through the story, and die at the named moment."""
    count = arm(moment, int(number))
    effects = itertools.count(1)

    def around(now: str) -> None:
        if now == moment and (now == "tool-after" or next(effects) == int(number)):
            die()

    clock = FrozenClock()
    async with Zhiji.open(settings(path), clock=clock, model=ScriptedModel([answers] * 20)) as zj:
        add_refund(zj, ledger, around)
        session = None
        for key, words in STORY.items():
            reply = await zj.chat(USER, words, session=session, idempotency_key=key)
            session = reply.session_id
            print(f"accepted {key}", flush=True)
            await zj.drain()
        await zj.sessions.end(USER, session or "")
        await zj.drain()
        print(f"commits {count()}", flush=True)
