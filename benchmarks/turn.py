"""A whole chat turn beside a LangGraph ``SqliteSaver`` turn, an openai-agents ``SQLiteSession`` and bare ``sqlite3``.

    python -m benchmarks turn [--memories 1000] [--marks 20,200,2000]

zhiji: restore, recall among the owner's memories, assemble, save durably (``synchronous=FULL``), enqueue; scripted model,
keyword-only, the worker off so that the figure is the reply's path. LangGraph: a graph whose only node answers, as
shipped. SQLiteSession: read 40 items, append 2. Bare: one transaction each for the same rows that zhiji writes. All
store the same two messages a turn. A figure is the median over the 21 turns around the mark. Whatever is compared runs
in turns, one turn of each, so that all meet the same load and the same disk; for the last mark that is a second session
around the first mark. Targets are ratios. A peer that is not installed is left out.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import sqlite3
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from benchmarks import report
from zhiji import Settings, Zhiji
from zhiji.types import Completion

SPREAD = 10
"""Turns before and after a mark that its median is taken over."""
ANSWER = "好的，您的订单 OD20240415008 正在处理，退货地址是浙江省杭州市西湖区文三路 18 号。"
TOPICS = ("龙井茶", "跑鞋", "露营帐篷", "机械键盘", "儿童绘本", "咖啡豆", "登山杖", "耳机", "电饭煲", "行李箱")


def question(number: int) -> str:
    """Return what the user says at a turn: short, with an order number now and then."""
    topic = TOPICS[number % len(TOPICS)]
    return f"第 {number} 个问题：{topic}到哪了" + (f"，订单 OD2024{number:07d}" if number % 7 == 0 else "")


Once = Callable[[int], Awaitable[object]]
"""Runs the turn of this number."""


async def script(messages: object, tools: object) -> Completion:
    """Answer as every contender answers."""
    return Completion(text=ANSWER)


@asynccontextmanager
async def opened(folder: Path, memories: int, *, worker: bool = False) -> AsyncIterator[Zhiji]:
    """Yield a zhiji in which ``u1`` has so many memories."""
    settings = Settings.load(database_url=f"sqlite:///{folder / 'zhiji.db'}", embedder="off", worker=worker)
    async with Zhiji.open(settings, model=script) as zj:
        for number in range(memories):
            topic = TOPICS[number % len(TOPICS)]
            await zj.remember("u1", f"用户在第 {number} 次来访时问过{topic}", type="event", key=f"visit-{number}")
        yield zj


async def conversation(zj: Zhiji) -> Once:
    """Return the turns of a new session of ``u1``."""
    session = await zj.sessions.start("u1")

    async def once(number: int) -> object:
        return await zj.chat("u1", question(number), session=session)

    return once


# --- the peers ------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def langgraph(folder: Path) -> AsyncIterator[Once]:
    """Yield the turns of a graph that only stores the same two messages."""
    from langgraph.checkpoint.sqlite import SqliteSaver
    from langgraph.graph import START, MessagesState, StateGraph

    def answer(state: MessagesState) -> dict[str, Any]:
        return {"messages": [("assistant", ANSWER)]}

    graph = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer")
    with SqliteSaver.from_conn_string(str(folder / "langgraph.db")) as saver:
        app = graph.compile(checkpointer=saver)
        config: Any = {"configurable": {"thread_id": "t1"}}

        async def once(number: int) -> object:
            return app.invoke({"messages": [("user", question(number))]}, config)

        yield once


@asynccontextmanager
async def agents(folder: Path) -> AsyncIterator[Once]:
    """Yield the turns of ``SQLiteSession``: read the last 40 items, append two."""
    from agents import SQLiteSession

    session = SQLiteSession("s1", folder / "agents.db")

    async def once(number: int) -> None:
        await session.get_items(limit=40)
        items: Any = [{"role": "user", "content": question(number)}, {"role": "assistant", "content": ANSWER}]
        await session.add_items(items)

    yield once
    session.close()


@asynccontextmanager
async def bare(folder: Path) -> AsyncIterator[Once]:
    """Yield two durable transactions with the rows of a turn: message and turn; answer, state and job."""
    connection = sqlite3.connect(folder / "bare.db", isolation_level=None)
    connection.executescript(
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        "CREATE TABLE messages(session, seq, role, content, PRIMARY KEY(session, seq)) WITHOUT ROWID;"
        "CREATE TABLE turns(id PRIMARY KEY, status, reply); CREATE TABLE jobs(id PRIMARY KEY, status);"
        "CREATE TABLE sessions(id PRIMARY KEY, state); INSERT INTO sessions VALUES ('s', '{}');"
    )

    async def once(number: int) -> None:
        run = connection.execute
        run("BEGIN IMMEDIATE")
        run("INSERT INTO messages VALUES ('s', ?, 'user', ?)", (number * 2, question(number)))
        run("INSERT INTO turns VALUES (?, 'open', NULL)", (number,))
        run("COMMIT")
        run("SELECT * FROM messages WHERE session = 's' ORDER BY seq DESC LIMIT 40").fetchall()
        run("BEGIN IMMEDIATE")
        run("INSERT INTO messages VALUES ('s', ?, 'assistant', ?)", (number * 2 + 1, ANSWER))
        run("UPDATE turns SET status = 'closed', reply = ? WHERE id = ?", (ANSWER, number))
        run("UPDATE sessions SET state = ? WHERE id = 's'", (f'{{"turn": {number}}}',))
        run("INSERT INTO jobs VALUES (?, 'pending')", (number,))
        run("COMMIT")

    yield once
    connection.close()


PEERS: Mapping[str, tuple[str, Callable[[Path], Any]]] = {
    "LangGraph SqliteSaver": ("langgraph", langgraph),
    "agents SQLiteSession": ("agents", agents),
    "bare sqlite3": ("sqlite3", bare),
}
"""Whom zhiji is measured beside: the module that must be installed, and the turns."""

TARGETS = {"LangGraph SqliteSaver": (1.0, 0.5)}
"""Most that a zhiji turn may take of a peer's, at the first and at the second mark."""
GROWTH = 1.2
"""Most that a turn at the last mark may take of one at the first."""

# --- measuring ------------------------------------------------------------------------------------------------------


async def spent(runs: Sequence[tuple[Once, int]], count: int) -> list[list[float]]:
    """Return the milliseconds of ``count`` turns of each run from its first number on, one turn of each after the other."""
    times: list[list[float]] = [[] for _ in runs]
    for step in range(count):
        for (once, first), kept in zip(runs, times, strict=True):
            started = time.perf_counter()
            await once(first + step)
            kept.append((time.perf_counter() - started) * 1000)
    return times


def median_at(mark: int, times: Sequence[float]) -> float:
    """Return the median around a mark; ``times`` begin with turn 1."""
    return statistics.median(times[mark - SPREAD - 1 : mark + SPREAD])


async def measure(
    folder: Path, memories: int, marks: Sequence[int]
) -> tuple[dict[str, list[float]], tuple[float, float]]:
    """Return the medians by name at the first two marks, and those of zhiji at the last and, beside it, the first."""
    early, middle, last = marks
    async with AsyncExitStack() as stack:
        zj = await stack.enter_async_context(opened(folder, memories))
        turns = {"zhiji": await conversation(zj)}
        for name, (module, peer) in PEERS.items():
            if importlib.util.find_spec(module):
                turns[name] = await stack.enter_async_context(peer(folder))
        times = await spent([(once, 1) for once in turns.values()], middle + SPREAD)
        medians = {
            name: [median_at(early, kept), median_at(middle, kept)] for name, kept in zip(turns, times, strict=True)
        }
        long, fresh = turns["zhiji"], await conversation(zj)
        begun, window = middle + SPREAD + 1, last - SPREAD
        await spent([(long, begun)], max(0, window - begun))
        await spent([(fresh, 1)], early - SPREAD - 1)
        late, beside = await spent([(long, max(begun, window)), (fresh, early - SPREAD)], 2 * SPREAD + 1)
    return medians, (statistics.median(late), statistics.median(beside))


def rows_of(medians: Mapping[str, list[float]], growth: tuple[float, float], marks: Sequence[int]) -> list[report.Row]:
    """Return the table: zhiji over each peer at both marks, then the last mark over the first."""
    ours = medians["zhiji"]
    found = [
        report.ratio(f"turn {mark}: zhiji / {name}", ours[at], theirs[at], most=TARGETS.get(name, (None, None))[at])
        for name, theirs in medians.items()
        if name != "zhiji"
        for at, mark in enumerate(marks[:2])
    ]
    return [*found, report.ratio(f"zhiji: turn {marks[2]} / turn {marks[0]}", *growth, most=GROWTH)]


async def main(argv: Sequence[str] | None = None) -> None:
    """Measure all of them and print the ratios."""
    parser = argparse.ArgumentParser(
        prog="benchmarks turn", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--memories", type=int, default=1000)
    parser.add_argument("--marks", default="20,200,2000", help="three turns, rising; the first above 10")
    options = parser.parse_args(argv)
    marks = [int(mark) for mark in options.marks.split(",")]
    with tempfile.TemporaryDirectory(dir=".") as name:
        medians, growth = await measure(Path(name), options.memories, marks)
    settings = {**vars(options), "embedder": "off", "worker": False, "synchronous": "FULL"}
    report.publish("chat turn", settings, rows_of(medians, growth, marks))


if __name__ == "__main__":
    asyncio.run(main())
