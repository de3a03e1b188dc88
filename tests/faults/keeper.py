"""A process that keeps memories and conversations in order, and is killed, by real SIGKILL, around its N-th commit.

Usage: ``python keeper.py FILE MOMENT N``, MOMENT and the ledger of promises as in ``child.py``. Its story is what ``child.py``
leaves out: histories from elsewhere, compaction, vectors, remembering, correcting, deleting, the sweep, erasure.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import AbstractAsyncContextManager
from datetime import timedelta

from faults import child
from zhiji import Settings, Zhiji
from zhiji.testing import FrozenClock, HashEmbedder, ScriptedModel

ELSEWHERE = [{"role": "user", "content": "我叫李四，我对花生过敏"}, {"role": "assistant", "content": "好的"}]
SAID = ("你好", "订单 OD20240415008 想退货", "退货地址在哪里", "快递几天到", "谢谢", "再见")


async def summarise(previous: str, transcript: str, max_tokens: int) -> str:
    """Sum anything up in a word."""
    return "用户想退货"


def opened(path: str, clock: FrozenClock) -> AbstractAsyncContextManager[Zhiji]:
    """Zhiji on this file, with short histories so that compaction is due soon."""
    settings = Settings.load(
        database_url=f"sqlite:///{path}",
        worker=False,
        system_prompt="客服",
        max_history_turns=3,
        keep_recent_turns=1,
        lease_seconds=1,
    )
    return Zhiji.open(
        settings, clock=clock, model=ScriptedModel(["好的"] * 20), embedder=HashEmbedder(), summarise=summarise
    )


def promise(what: str) -> None:
    """Say what has been promised to the caller so far."""
    print(what, flush=True)


async def main(path: str, moment: str, number: int) -> None:
    count, clock = child.arm(moment, number), FrozenClock()
    async with opened(path, clock) as zj:
        await zj.ingest("a", ELSEWHERE)
        promise("ingested")
        await zj.drain()
        session = await zj.sessions.start("a")
        for words in SAID:
            await zj.chat("a", words, session=session)
        await zj.drain()
        red = await zj.remember("a", "喜欢红色", type="preference")
        promise("remembered")
        blue = await zj.memories.correct("a", red.id, "喜欢蓝色")
        promise("corrected")
        await zj.memories.delete("a", blue.id)
        promise("deleted")
        clock.advance(timedelta(hours=2))
        await zj.sweep()
        await zj.drain()
        await zj.chat("b", "我叫王五")
        await zj.drain()
        await zj.erase("b")
        promise("erased")
        promise(f"commits {count()}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
