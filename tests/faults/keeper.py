"""A process that keeps memories and conversations in order, and is killed, by real SIGKILL, around its N-th commit.

``main`` takes FILE, MOMENT and N, and prints its promises, as in ``child.py``. Its story is what ``child.py``
leaves out: histories from elsewhere, compaction, vectors, remembering, correcting, deleting, the sweep, erasure, reflection, fading.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from datetime import timedelta

from faults import child
from zhiji import Settings, Zhiji
from zhiji.testing import FrozenClock, HashEmbedder, ScriptedModel

ELSEWHERE = [{"role": "user", "content": "我叫李四，我对花生过敏"}, {"role": "assistant", "content": "好的"}]
LAKE = ("千岛湖很美", "千岛湖很远", "千岛湖的鱼好吃")
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
        reflect_after=3,
    )
    return Zhiji.open(
        settings, clock=clock, model=ScriptedModel(["好的"] * 20), embedder=HashEmbedder(), summarise=summarise
    )


def promise(what: str) -> None:
    """Say what has been promised to the caller so far."""
    print(what, flush=True)


async def main(path: str, moment: str, number: str) -> None:
    """Live through the story, and die around the N-th commit."""
    count, clock = child.arm(moment, int(number)), FrozenClock()
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
        for words in LAKE:
            await zj.remember("c", words, type="event", importance=2)
        await zj.drain()
        promise("reflected")
        clock.advance(timedelta(days=31))
        await zj.upkeep()
        promise("archived")
        clock.advance(timedelta(days=91))
        await zj.sweep()
        promise("forgotten")
        promise(f"commits {count()}")
