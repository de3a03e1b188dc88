"""What happens behind the reply: sediment, ``remember`` and ``ingest``, beside a chat turn and a durable transaction.

    python -m benchmarks background [--memories 1000] [--turns 200] [--messages 1000]

Sediment runs on the event loop that also serves the next reply, so what it takes is measured beside the turn that it
follows, and once more as what it adds to the turns of a user who does not pause. Everything is stored durably.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Sequence
from pathlib import Path

from benchmarks import report
from benchmarks.turn import ANSWER, Once, bare, conversation, opened, spent
from zhiji import Zhiji

SAID = (
    "我叫李四，住在杭州",
    "我对花生过敏，帮我记一下",
    "订单 OD20240415008 想退货，退货地址是什么",
    "好的，谢谢",
    "我女儿叫小雨，今年上三年级",
    "I live in Berlin and work as a nurse",
    "下周三要去成都出差",
)
"""What the user says: about half of it is worth remembering."""


async def milliseconds(work: Awaitable[object]) -> float:
    """Return how long ``work`` took."""
    started = time.perf_counter()
    await work
    return (time.perf_counter() - started) * 1000


async def sediment(zj: Zhiji, turns: int) -> tuple[float, float]:
    """Return the medians of a turn's sediment and of the turn before it."""
    session = await zj.sessions.start("u2")
    replies, settled = list[float](), list[float]()
    for number in range(turns):
        said = f"{SAID[number % len(SAID)]}（{number}）"
        replies.append(await milliseconds(zj.chat("u2", said, session=session)))
        settled.append(await milliseconds(zj.drain("u2")))
    return statistics.median(settled), statistics.median(replies)


async def remember(zj: Zhiji, transaction: Once, count: int) -> tuple[float, float]:
    """Return the medians of ``remember`` and of a durable transaction, one of each after the other."""

    async def once(number: int) -> object:
        return await zj.remember("u3", f"第 {number} 次来访时问过退货", type="event", key=f"visit-{number}")

    ours, bare_ms = await spent([(once, 1), (transaction, 1)], count)
    return statistics.median(ours), statistics.median(bare_ms)


async def ingest(zj: Zhiji, messages: int) -> tuple[float, float]:
    """Return the milliseconds per message of ``ingest``, and of the sediment that follows."""
    told = [
        {"role": "assistant", "content": ANSWER}
        if number % 2
        else {"role": "user", "content": SAID[number // 2 % len(SAID)]}
        for number in range(messages)
    ]
    stored = await milliseconds(zj.ingest("u4", told))
    return stored / messages, await milliseconds(zj.drain("u4")) / messages


async def unpaused(folder: Path, memories: int, turns: int) -> float:
    """Return the median turn while the worker sediments the turns before."""
    async with opened(folder, memories, worker=True) as zj:
        (times,) = await spent([(await conversation(zj), 1)], turns)
    return statistics.median(times)


async def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="benchmarks background", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in {"memories": 1000, "turns": 200, "messages": 1000}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(dir=".") as name, tempfile.TemporaryDirectory(dir=".") as other:
        async with opened(Path(name), options.memories) as zj, bare(Path(name)) as transaction:
            settled, reply = await sediment(zj, options.turns)
            remembered, durable = await remember(zj, transaction, options.turns)
            stored, read = await ingest(zj, options.messages)
            (calm,) = await spent([(await conversation(zj), 1)], options.turns)
        busy = await unpaused(Path(other), options.memories, options.turns)
    rows = [
        report.ratio("sediment of a turn / the turn", settled, reply),
        report.ratio("turn without a pause: worker on / off", busy, statistics.median(calm)),
        report.ratio("remember / two durable sqlite3 transactions", remembered, durable),
        report.ratio("ingest a message / its sediment", stored, read),
    ]
    report.publish("background", vars(options), rows)


if __name__ == "__main__":
    asyncio.run(main())
