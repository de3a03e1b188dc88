"""What becomes of facts that change, repeat, contradict, expire or were never the user's own: through every door."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from processes import Child
from talk import OK, Open, Scripted, contents, fact, known, say, sent
from zhiji import Settings, Zhiji, recall
from zhiji.errors import ConfigError, EmbedderError, InvalidKey, MemoryNotFound, NotFound
from zhiji.models.base import Vectors
from zhiji.stores.base import MemoryChange, MemoryPut
from zhiji.testing import FrozenClock, HashEmbedder
from zhiji.types import Completion, Memory, Scope, Source, Status


async def remembered(zj: Zhiji, *facts: str, type: str = "preference") -> list[str]:
    """Each fact is remembered without a key; returns what is active then."""
    for content in facts:
        await zj.remember("u1", content, type=type)
    return await known(zj)


# --- change and contradiction ---------------------------------------------------------------------------------------


async def test_a_reversal_replaces_and_keeps_the_history(open_zhiji: Open, clock: FrozenClock) -> None:
    """Love that turned to hate is one active memory, linked to what it replaced; never none, never both (C051)."""
    async with open_zhiji(*OK) as zj:
        await say(zj, "我特别喜欢爬山")
        clock.advance(timedelta(days=30))
        await say(zj, "我现在很讨厌爬山")
        (now,) = [memory for memory in await zj.memories.list("u1") if "爬山" in memory.content]
        assert "不喜欢" in now.content or "讨厌" in now.content
        (old,) = [
            memory for memory in await zj.memories.list("u1", statuses=["superseded"]) if "爬山" in memory.content
        ]
        assert old.superseded_by == now.id
        assert "喜欢" in old.content
        found = contents(await zj.recall("u1", "周末去爬山怎么样", types=["preference"]))
        assert found == [now.content]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("我特别爱爬山", "我现在很讨厌爬山"),
        ("要发短信", "不要发短信"),
        ("我吃香菜", "我不吃香菜了"),
        ("需要发票", "不再需要发票"),
        ("我对花生过敏", "我对花生不过敏"),
        ("The user wants SMS reminders", "The user doesn't want SMS reminders"),
        ("The user wants SMS reminders", "The user doesn’t want SMS reminders"),
        ("用户要发短信提醒", "用户不要发短信提醒"),
        ("用户吃香菜", "用户不吃香菜了"),
        ("用户需要发票", "用户不再需要发票"),
        ("用户对花生过敏", "用户对花生不过敏"),
        ("The user is allergic to peanuts", "The user is not allergic to peanuts"),
    ],
)
async def test_a_negation_is_a_change(open_zhiji: Open, clock: FrozenClock, old: str, new: str) -> None:
    """However alike the words, the negated fact replaces the other, and is no repetition of it (C051, C053, C054)."""
    async with open_zhiji() as zj:
        await zj.remember("u1", old, type="preference")
        clock.advance(timedelta(days=1))
        assert await remembered(zj, new) == [new]
        (former,) = await zj.memories.list("u1", statuses=["superseded"])
        assert former.content == old
        assert former.superseded_by == (await zj.memories.list("u1"))[0].id


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("用户不断优化商品详情页", "用户持续优化商品详情页"),
        ("无论多晚都可以打电话", "多晚都可以打电话"),
        ("用户无论多晚都可以接电话", "用户多晚都可以接电话"),
        ("用户住在别墅", "用户住别墅"),
        ("用户对花生过敏", "用户对花生过敏。"),
        ("The user lives in a villa", "the user lives in a villa!"),
        ("café", "cafe\u0301"),
        ("café 是用户常去的", "cafe\u0301 是用户常去的"),
        ("ｶﾌｪ", "カフェ"),
        ("退　货", "退 货"),
        ("用户常去ｶﾌｪ", "用户常去カフェ"),
        ("用户想退　货", "用户想退 货"),
        ("用户喜欢龙井茶", "用户喜欢龙井茶\u200b"),
    ],
)
async def test_the_same_in_other_words_is_one_memory(open_zhiji: Open, one: str, other: str) -> None:
    """不断, 无论, 别墅 negate nothing; composition, width and invisible characters make no other fact (C054, C105)."""
    async with open_zhiji() as zj:
        assert len(await remembered(zj, one, other)) == 1
        for query in (one, other):
            assert len(await zj.recall("u1", query)) == 1


async def test_facts_of_any_script_stay_apart(open_zhiji: Open) -> None:
    """Nothing is thrown away in comparing: as many are kept as were different (C056)."""
    facts = [
        "用户住在杭州",
        "用户对花生过敏",
        "데이터는 서울에",
        "Пользователь любит чай",
        "ユーザーはお茶が好き",
        "用户爱喝 🍵",
        "用户爱喝 🍺",
    ]
    async with open_zhiji() as zj:
        assert await remembered(zj, *facts, type="event") == sorted(facts)
        await remembered(zj, "用户偏好简洁回答 v2", "用户偏好详细回答 v2")
        assert await known(zj) == sorted([*facts, "用户偏好详细回答 v2"])
        assert contents(await zj.memories.list("u1", statuses=["superseded"])) == ["用户偏好简洁回答 v2"]


async def test_keys_of_any_script_stay_apart(open_zhiji: Open) -> None:
    """A key in Chinese is a key of its own; a new value replaces in place; nothing is slugged to a shared name (C057)."""
    async with open_zhiji() as zj:
        for key, content in (
            ("订单状态", "订单已发货"), ("收货地址", "收货地址是杭州"), ("订单状态", "订单已签收"), ("发票抬头", "发票抬头是青石书屋"),
            ("地址１", "地址一是杭州"), ("地址1", "地址一是上海"), ("地址2", "地址二是北京"),
            ("Straße", "Straße 一栋"), ("strasse", "strasse 二栋"),
        ):  # fmt: skip
            await zj.remember("u1", content, type="conclusion", key=key)
        assert await known(zj) == sorted(
            [
                "订单已签收",
                "收货地址是杭州",
                "发票抬头是青石书屋",
                "地址一是上海",
                "地址二是北京",
                "Straße 一栋",
                "strasse 二栋",
            ]
        )
        for empty in ("", "  ", "-", "　"):
            with pytest.raises(InvalidKey):
                await zj.remember("u1", "没有名字的事", type="conclusion", key=empty)


async def test_one_digit_is_another_fact(open_zhiji: Open, clock: FrozenClock) -> None:
    """Two orders are two memories, an order's new amount replaces the old, and two dates never become one (C059)."""
    async with open_zhiji() as zj:
        for order, content in (
            ("OD20240415008", "订单 OD20240415008 已退款 129 元"),
            ("OD20240415009", "订单 OD20240415009 已退款 129 元"),
            ("OD20240415008", "订单 OD20240415008 已退款 192 元"),
        ):
            clock.advance(timedelta(hours=1))
            await zj.remember("u1", content, type="order", key=order)
        await zj.remember("u1", "取件截止 7 月 3 日", type="event")
        await zj.remember("u1", "取件截止 7 月 4 日", type="event")
        held = await known(zj)
        assert "订单 OD20240415008 已退款 192 元" in held
        assert "订单 OD20240415009 已退款 129 元" in held
        assert "订单 OD20240415008 已退款 129 元" not in held
        everything = contents(await zj.memories.list("u1", statuses=list(Status)))
        assert {"取件截止 7 月 3 日", "取件截止 7 月 4 日"} <= set(everything)
        assert contents(await zj.recall("u1", "OD20240415009"))[0] == "订单 OD20240415009 已退款 129 元"


async def test_a_key_decides_in_both_directions(open_zhiji: Open) -> None:
    """Equal words under two keys are two memories, other words under one key are one (C062)."""
    async with open_zhiji() as zj:
        for key in ("finding:1", "finding:2"):
            await zj.remember("u1", "构建失败：依赖超时", type="conclusion", key=key)
        assert len(await known(zj)) == 2
        await zj.remember("u1", "build green again ✅", type="conclusion", key="finding:2")
        assert await known(zj) == ["build green again ✅", "构建失败：依赖超时"]


async def test_what_may_be_several_accumulates(open_zhiji: Open) -> None:
    """Pets, tests and likes stand next to each other; a home is one at a time and retires nothing else (C068)."""
    async with open_zhiji() as zj:
        old = ["在 qwen-7b 上测试过", "支持 JSON 输出", "用户有一只猫"]
        await remembered(zj, *old, type="event")
        for city in ("杭州", "上海"):
            await zj.remember("u1", f"用户住在{city}", type="identity", key="identity:city", value=city)
        new = ["在 qwen-3b 上测试过", "用户有一只狗"]
        assert await remembered(zj, *new, type="event") == sorted([*old, *new, "用户住在上海"])


async def test_a_new_fact_retires_no_other_of_the_same_subject(open_zhiji: Open) -> None:
    """A home, tests, a cat: another test and a dog are told later, and nothing ends (C068)."""
    facts = ["在 qwen-7b 上测试过", "支持 JSON 输出", "住在杭州", "有一只猫", "在 qwen-3b 上测试过", "有一只狗"]
    async with open_zhiji() as zj:
        assert await remembered(zj, *facts, type="event") == sorted(facts)


TOPICS = {
    "travel": ["去过西藏", "去过西藏的拉萨", "去过西藏的林芝", "想去新疆旅行", "去新疆要带防晒霜"],
    "cooking": ["会做红烧肉", "会做红烧鱼", "会做红烧茄子", "不会做蛋糕", "周末常做红烧肉"],
    "cat": ["猫叫团团", "猫三岁", "猫爱吃冻干", "猫怕吸尘器", "猫每年打疫苗"],
    "commute": ["坐地铁二号线上班", "坐地铁二号线要四十分钟", "周五骑车上班", "公司在滨江", "公司有班车"],
    "school": ["女儿上小学二年级", "女儿的小学在文三路", "女儿周三有钢琴课", "女儿喜欢数学", "女儿不喜欢数学竞赛"],
    "health": ["腰椎做过理疗", "腰椎不好不能久坐", "每周游泳两次", "对青霉素过敏", "腰椎的片子在市一医院"],
    "home": ["家里铺了木地板", "家里装了地暖", "阳台朝南", "阳台种了茉莉", "厨房漏过水"],
    "English": [
        "plays the cello",
        "plays the cello on Mondays",
        "needs new cello strings",
        "reads crime novels",
        "reads no news",
    ],
}


async def test_mild_likeness_never_snowballs(open_zhiji: Open) -> None:
    """Forty facts on eight topics, told five times over: as many as there were, each about one topic, each answerable (C060)."""
    facts = [f"用户{content}" for topic in TOPICS.values() for content in topic]
    async with open_zhiji() as zj:
        first = await remembered(zj, *facts, type="event")
        assert first == sorted(facts)
        for order in (facts[::-1], facts, facts[::2], facts[1::2]):
            assert await remembered(zj, *order, type="event") == first
        for content in facts:
            assert contents(await zj.recall("u1", content))[0] == content


# --- one fact, many doors -------------------------------------------------------------------------------------------


async def test_every_door_finds_what_is_known(open_zhiji: Open) -> None:
    """Told by a program, in a session, in a transcript from elsewhere, and in the next session: one memory (C063)."""
    async with open_zhiji(*OK) as zj:
        await zj.remember("u1", "用户对花生过敏", type="identity")
        await say(zj, "我对花生过敏")
        await zj.ingest(
            "u1", [{"role": "user", "content": "对了，我对花生过敏。"}, {"role": "assistant", "content": "好"}]
        )
        await zj.drain()
        await say(zj, "我对花生过敏的")
        await zj.remember("u1", "用户对花生过敏。", type="identity", key="identity:allergy.花生")
        rows = [memory for memory in await zj.memories.list("u1") if "花生" in memory.content]
        assert len(rows) == 1


async def test_doubles_of_former_times_stop_nothing(open_zhiji: Open, clock: FrozenClock) -> None:
    """Two equal rows in the file: telling it again works and leaves one; recall, list and delete work before (C065)."""
    now = clock()
    double = Memory(
        id="mem_1", type="event", content="用户收藏了青石书屋", valid_from=now, created_at=now, updated_at=now
    )
    async with open_zhiji() as zj:
        rows = [replace(double, id=f"mem_{number}") for number in range(3)]
        await zj._parts.store.change_memories(
            Scope("default", "u1"), MemoryChange(puts=[MemoryPut(memory=r, terms=recall.index_terms(r)) for r in rows])
        )
        assert len(await zj.recall("u1", "青石书屋")) >= 1
        await zj.memories.delete("u1", "mem_2")
        assert len(await known(zj)) == 2
        await zj.remember("u1", "用户收藏了青石书屋", type="event")
        assert await known(zj) == ["用户收藏了青石书屋"]
        with pytest.raises(MemoryNotFound):
            await zj.memories.get("u1", "mem_2")


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> dict[str, str]:
    """The settings of each database."""
    return {} if request.param == "sqlite" else {"database_url": request.getfixturevalue("postgres_url")}


async def test_upkeep_leaves_one_of_doubles(open_zhiji: Open, clock: FrozenClock, database: dict[str, str]) -> None:
    """Of rows that say the same in the same words the oldest stays, with what is known of all; the others are its history (C065)."""
    now = clock()

    def row(id: str, content: str, days: int, **fields: Any) -> Memory:
        at = now + timedelta(days=days)
        return Memory(id=id, type="event", content=content, valid_from=at, created_at=at, updated_at=at, **fields)

    rows = [
        row("mem_b", "用户收藏了青石书屋", 1, importance=4, sources=(Source(session="ses_2", seqs=(1,)),)),
        row("mem_a", "用户收藏了青石书屋", 0, confidence=0.8, sources=(Source(session="ses_1", seqs=(3,)),)),
        row("mem_c", "用户收藏了青石书屋 ", 2),
        row("mem_no", "用户没收藏青石书屋", 2),
        row("mem_7", "用户在青石书屋订了 7 本书", 2),
        row("mem_8", "用户在青石书屋订了 8 本书", 2),
        row("mem_k1", "构建失败", 0, key="event:1"),
        row("mem_k2", "构建失败", 0, key="event:2"),
        row("mem_en", "The user saved the café", 0),
        row("mem_en2", "the user saved the cafe\u0301", 1),
    ]
    async with open_zhiji(reflect_after=0, **database) as zj:
        for user in ("u1", "u2"):
            puts = [MemoryPut(memory=one, terms=recall.index_terms(one)) for one in rows]
            await zj._parts.store.change_memories(Scope("default", user), MemoryChange(puts=puts))
        clock.advance(timedelta(days=3))
        told = await zj.upkeep(dry_run=True, by_owner=True)
        assert (told.repeated, len(await known(zj))) == ({"event": 6}, 10)
        assert [(owner.user, dict(of.repeated)) for owner, of in told.owners.items()] == [
            ("u1", {"event": 3}),
            ("u2", {"event": 3}),
        ]
        assert (await zj.upkeep("u1")).repeated == {"event": 3}
        left = {memory.id for memory in await zj.memories.list("u1")}
        assert left == {"mem_a", "mem_no", "mem_7", "mem_8", "mem_k1", "mem_k2", "mem_en"}
        kept = await zj.memories.get("u1", "mem_a")
        assert (kept.importance, kept.confidence, kept.valid_from) == (4, 1.0, now)
        assert {source.session for source in kept.sources} == {"ses_1", "ses_2"}
        assert {one.id for one in await zj.memories.history("u1", "mem_a")} == {"mem_a", "mem_b", "mem_c"}
        assert contents(await zj.recall("u1", "收藏 青石书屋")).count("用户收藏了青石书屋") == 1
        assert (await zj.upkeep("u1")).repeated == {}
        assert len(await known(zj, "u2")) == 10
        await zj.memories.restore("u1", "mem_b")
        assert (await zj.upkeep("u1")).repeated == {}
        held = {memory.id for memory in await zj.memories.list("u1")}
        assert held & {"mem_a", "mem_b", "mem_c"} == {"mem_b"}, "what is restored holds in the place of its equal"


async def test_a_corrected_memory_stays_the_users_own(open_zhiji: Open, clock: FrozenClock) -> None:
    """After a correction owner, type, key and sources are as before, and the new words are found; by no one else (C066)."""
    async with open_zhiji(*OK) as zj:
        session = await say(zj, "我住在北京")
        (old,) = [memory for memory in await zj.memories.list("u1") if memory.key == "identity:city"]
        clock.advance(timedelta(days=1))
        new = await zj.memories.correct("u1", old.id, "用户住在上海", "打电话说的 📞")
        assert (new.type, new.key, new.sources) == (old.type, old.key, old.sources)
        assert new.sources[0].session == session
        assert new.updated_at > old.updated_at
        assert (await zj.memories.history("u1", new.id))[0].created_at == old.created_at
        assert contents(await zj.recall("u1", "住在哪里", types=["identity"])) == ["用户住在上海"]
        assert await zj.recall("u2", "住在哪里 上海") == []


# --- deleted --------------------------------------------------------------------------------------------------------


async def test_deleted_means_gone_for_every_arm(open_zhiji: Open) -> None:
    """No arm, list, context or cache shows a deleted memory or the words it came from, nor does a restart (C071)."""
    async with open_zhiji(*OK, embedder=HashEmbedder()) as zj:
        await say(zj, "我的生日是 3 月 5 日")
        assert await zj.recall("u1", "生日")
        for memory in await zj.memories.list("u1"):
            await zj.memories.delete("u1", memory.id)
        assert await zj.recall("u1", "生日是哪天") == []
        assert await zj.recall("u1", "我的生日是 3 月 5 日") == []
    for embedder in (HashEmbedder(), HashEmbedder(failures=None), None):
        async with open_zhiji("好", embedder=embedder) as zj:
            await zj.drain()
            assert "3 月 5 日" not in str(await zj.recall("u1", "我的生日是 3 月 5 日"))
            assert await zj.memories.list("u1", statuses=list(Status)) == []
            reply = await zj.chat("u1", "我的生日是哪天？")
            assert "3 月 5 日" not in str(await sent(zj, reply.request_id))


async def test_erasing_takes_every_page(open_zhiji: Open, clock: FrozenClock) -> None:
    """250 memories of every status are gone at once, by number, with their vectors, jobs and words (C073)."""
    async with open_zhiji(embedder=HashEmbedder()) as zj:
        for number in range(10):
            await zj.remember("u1", f"用户借了第 {number} 支笔", type="event", key=f"pen-{number}", importance=1)
        clock.advance(timedelta(days=31))
        await zj.sweep()
        assert len(await zj.memories.list("u1", statuses=["archived"])) == 10
        for number in range(210):
            await zj.remember("u1", f"用户收藏了第 {number} 本书", type="event", key=f"book-{number}")
        for number in range(20):
            await zj.remember("u1", f"第 {number} 本书送人了", type="event", key=f"book-{number}")
        for number in range(10):
            await zj.remember("u1", f"用户可能有第 {number} 张唱片", type="event", key=f"disc-{number}", confidence=0.1)
        assert len(await zj.memories.list("u1", statuses=["superseded"])) == 20
        await zj.remember("u2", "用户收藏了一本书", type="event")
        certificate = await zj.erase("u1")
        assert certificate.removed["memories"] == 250
        await zj.drain()
        assert await zj.memories.list("u1", statuses=list(Status)) == []
        assert await zj.recall("u1", "书", k=100) == []
        assert await zj.jobs.list("u1") == []
        assert len(await zj.recall("u2", "书")) == 1


async def test_another_process_knows_of_the_erasure_at_once(open_zhiji: Open, child: Child) -> None:
    """Caches of both processes are warm; the moment one erased the user, the other knows nothing, either (C074)."""
    async with open_zhiji(*OK) as zj:
        await say(zj, "我叫李四，我住在杭州")
        child.tell("know", "u1", "李四")
        assert "李四" in child.answer()
        await zj.recall("u1", "李四")
        await zj.erase("u1")
        child.tell("again")
        assert json.loads(child.answer()) == [[], [], []]
        assert await zj.recall("u1", "李四") == []
        await zj.remember("u1", "用户李四回来了", type="event")
        child.tell("again")
        assert json.loads(child.answer())[1] == ["用户李四回来了"]
        child.tell("end")
        assert child.answer() == "done"


# --- who said it ----------------------------------------------------------------------------------------------------


async def overheard(zj: Zhiji, *turns: tuple[str, str]) -> Sequence[Memory]:
    """These turns of user and assistant happened elsewhere; returns what is known then."""
    messages = [
        {"role": role, "content": words}
        for turn in turns
        for role, words in zip(("user", "assistant"), turn, strict=True)
    ]
    await zj.ingest("u1", messages)
    await zj.drain()
    return await zj.memories.list("u1")


async def test_the_assistants_guesses_are_no_facts(open_zhiji: Open) -> None:
    """What the assistant presumes is not remembered until the user says so (C079)."""
    async with open_zhiji() as zj:
        memories = await overheard(zj, ("推荐一款耳机", "您一定喜欢索尼 XM5，您的预算是 2000 元，您叫王五吧"))
        assert not [memory for memory in memories if memory.type in ("identity", "preference")]
        assert not [memory for memory in memories if "2000" in memory.content or "XM5" in memory.content]


async def test_who_is_who(open_zhiji: Open) -> None:
    """The bot's name and tastes, a relative's allergy and a claim that is only quoted do not become the user's (C080)."""
    async with open_zhiji() as zj:
        memories = await overheard(
            zj,
            ("你好", "我是小智，我不喜欢下雨天"),
            ("我叫老张，你以后叫我张哥", "好的张哥"),
            ("我妈对海鲜过敏", "记住了"),
            ("客服说我是黑卡会员", "我查一下"),
        )
        held = {memory.key: memory for memory in memories}
        assert held["identity:name"].value == "老张"
        assert held["identity:call_me"].value == "张哥"
        assert not [memory for memory in memories if "小智" in memory.content or "下雨" in memory.content]
        assert not [memory for memory in memories if "黑卡" in memory.content]
        seafood = [memory for memory in memories if "海鲜" in memory.content]
        assert all("妈" in memory.content for memory in seafood)


async def test_a_models_guesses_of_guesses_are_no_facts(open_zhiji: Open) -> None:
    """A model that takes the assistant's guess for the user's word is not believed; agreed to, the budget may stay (C079)."""
    guesses = [
        {"type": type, "content": content, "confidence": 0.95, "sources": sources}
        for type, content in (("preference", "用户喜欢索尼 XM5"), ("identity", "用户的预算是 2000 元"))
        for sources in ([1], [2], [1, 2])
    ]

    async def model(messages: object, tools: object) -> Completion:
        return Completion(text=json.dumps(guesses, ensure_ascii=False))

    async with open_zhiji(model=model, extractor="model", episodes="off") as zj:
        memories = await overheard(zj, ("推荐一款耳机", "您一定喜欢索尼 XM5，您的预算是 2000 元"))
        assert not [memory for memory in memories if memory.type in ("identity", "preference")]
    async with open_zhiji() as zj:
        memories = await overheard(zj, ("推荐一款耳机", "您的预算是 2000 元，对吗？"), ("对，就按这个预算", "好的"))
        assert not [memory for memory in memories if "XM5" in memory.content]


OF_THE_USER = ("identity", "preference", "order", "after_sale", "task")
"""Types of facts; what happened is an event."""


@pytest.mark.parametrize(
    "words",
    [
        "哈哈我是外星人",
        "如果我有一百万就搬去大理",
        "假设我叫李雷，帮我写封信",
        "我朋友是素食者",
        "开玩笑的，我没真的要退货",
        "If I were rich I would move to Paris",
        "just kidding, I'm a dragon 🐉",
        "这家店采用冷链配送",
        "文章改用第三人称",
        "他确定了方案",
        "天气预报说不喜欢下雨的人要注意",
    ],
)
async def test_jokes_and_narration_are_no_facts(open_zhiji: Open, words: str) -> None:
    """Jokes, suppositions, roles, friends and mere narration leave nothing that holds of the user (C082, C085)."""
    async with open_zhiji() as zj:
        memories = await overheard(zj, (words, "好的"))
        assert [memory.content for memory in memories if memory.type in OF_THE_USER] in ([], ["用户的朋友是素食者"])


async def test_memories_keep_the_users_language(open_zhiji: Open) -> None:
    """Chinese words make Chinese memories, English ones English; proper names stay as typed and are found (C083)."""
    async with open_zhiji(*OK) as zj:
        await say(zj, "我喜欢去千岛湖钓鱼，我住在杭州")
        await say(zj, "I like hiking in Yosemite", user="u2")
        assert all(memory.lang == "zh" for memory in await zj.memories.list("u1"))
        assert all(memory.lang == "en" for memory in await zj.memories.list("u2"))
        assert "千岛湖" in contents(await zj.recall("u1", "钓鱼"))[0]
        assert "Yosemite" in contents(await zj.recall("u2", "hiking"))[0]


async def test_a_model_that_answers_in_english_is_asked_again(open_zhiji: Open, clock: FrozenClock) -> None:
    """English facts of Chinese words fail the pass, which is seen; the second answer is kept, as it was said (C083)."""
    answers = ["The user goes fishing at a lake every weekend", "用户每个周末都去千岛湖钓鱼，常去的书店叫青石书屋"]

    async def model(messages: object, tools: object) -> Completion:
        fact = {"type": "preference", "content": answers.pop(0), "confidence": 0.9, "sources": [1]}
        return Completion(text=json.dumps([fact], ensure_ascii=False))

    async with open_zhiji(model=model, extractor="model", episodes="off", job_attempts=3) as zj:
        (memory,) = await overheard(zj, ("我每个周末都去千岛湖钓鱼，常去的书店叫青石书屋", "好的"))
        assert [one.outcome for one in await zj.jobs.extractions("u1")] == ["written", "failed"]
        for query in ("钓鱼", "青石书屋"):
            assert contents(await zj.recall("u1", query)) == [memory.content]
            assert "千岛湖" in memory.content


@pytest.mark.parametrize(
    ("words", "date"),
    [
        ("明天下午四点拔牙", "2026-03-11 16:00"),
        ("上周五下的单", "2026-03-06"),
        ("下个月 1 号续费", "2026-04-01"),
        ("后天是我生日 🎂", "2026-03-12"),
        ("大前天收到货", "2026-03-07"),
        ("I have a dentist appointment tomorrow at 4pm", "2026-03-11 16:00"),
    ],
)
async def test_relative_dates_are_resolved_when_said(
    open_zhiji: Open, clock: FrozenClock, words: str, date: str
) -> None:
    """Tomorrow is a date, beside the word; weeks later it is found by that date (C086)."""
    clock.now = datetime(2026, 3, 10, 14, 30, tzinfo=UTC)
    async with open_zhiji(*OK, episodes="off") as zj:
        await say(zj, words)
        (memory,) = await zj.memories.list("u1")
        assert date in memory.content
        clock.advance(timedelta(days=15))
        assert contents(await zj.recall("u1", date[:10]))[0] == memory.content


@pytest.mark.parametrize("episodes", ["off", "auto"])
async def test_a_day_is_asked_for_by_its_date_not_by_its_word(
    open_zhiji: Open, clock: FrozenClock, episodes: str
) -> None:
    """Weeks later the date finds the appointment, and "tomorrow" does not, for it is another day now (C086)."""
    clock.now = datetime(2026, 3, 10, 14, 30, tzinfo=UTC)
    said = ["明天下午四点拔牙", "上周五下的单", "下个月 1 号续费", "后天生日", "大前天收到货"]
    async with open_zhiji(*OK * len(said), episodes=episodes, timezone="Asia/Shanghai") as zj:
        for words in said:
            await say(zj, words)
        kept = " ".join(memory.content for memory in await zj.memories.list("u1"))
        for date in ("2026-03-11 16:00", "2026-03-06", "2026-04-01", "2026-03-12", "2026-03-07"):
            assert date in kept
        clock.now = datetime(2026, 3, 25, 2, 0, tzinfo=UTC)
        assert "拔牙" in contents(await zj.recall("u1", "3 月 11 日有什么安排"))[0]
        assert not any("拔牙" in content for content in contents(await zj.recall("u1", "明天有什么安排")))
        clock.now = datetime(2026, 3, 31, 2, 0, tzinfo=UTC)
        assert "续费" in contents(await zj.recall("u1", "明天有什么安排"))[0]


async def test_tomorrow_is_read_in_the_users_zone(open_zhiji: Open, clock: FrozenClock) -> None:
    """At 02:00 in Shanghai it is still yesterday in UTC; "tomorrow" counts from the user's day."""
    clock.now = datetime(2026, 3, 10, 18, 0, tzinfo=UTC)
    async with open_zhiji(*OK, episodes="off", timezone="Asia/Shanghai") as zj:
        await say(zj, "明天下午四点拔牙")
        (memory,) = await zj.memories.list("u1")
        assert "2026-03-12 16:00" in memory.content
        reply = await zj.chat("u1", "什么时候拔牙")
        assert "2026-03-11" in str((await zj.context("u1", reply.request_id)).messages[-1]["content"])
    with pytest.raises(ConfigError, match="timezone"):
        Settings.load(timezone="Mars/Olympus")


async def test_times_of_any_kind_are_instants(open_zhiji: Open) -> None:
    """Naive, zoned and absent times meet in ingest, as-of and order without an error; naive is UTC (C088)."""
    async with open_zhiji() as zj:
        times: list[object] = [
            "2025-05-21",
            "2025-05-21T10:00:00",
            "2025-05-21T10:00:01Z",
            "2025-05-21T18:00:02+08:00",
            1747821603,
            1747821605000,
            datetime(2025, 5, 21, 10, 0, 4),
            None,
        ]
        for number, time in enumerate(times):
            await zj.ingest("u1", [{"role": "user", "content": f"我住在{'北上广深杭宁蓉武'[number]}城", "time": time}])
        await zj.drain()
        sessions = await zj.sessions.list("u1", archived=True)
        assert len(sessions) == len(times)
        starts = {(await zj.sessions.messages("u1", one))[0].time for one in sessions}
        assert min(starts) == datetime(2025, 5, 21, tzinfo=UTC)
        assert {time.second for time in starts} == {0, 1, 2, 3, 4, 5}
        for as_of in (datetime(2025, 5, 21, 12), datetime(2025, 5, 21, 12, tzinfo=UTC)):
            await zj.recall("u1", "住在哪", as_of=as_of)
        for memory in await zj.memories.list("u1", statuses=list(Status)):
            assert memory.valid_from.tzinfo is not None
            assert memory.valid_to is None or memory.valid_to >= memory.valid_from


# --- long and unembeddable ------------------------------------------------------------------------------------------


class ShortSighted(HashEmbedder):
    """An embedder that refuses long texts."""

    def embed_passages(self, texts: list[str]) -> Vectors:
        if any(len(text) > 300 for text in texts):
            raise EmbedderError("input is too long")
        return super().embed_passages(texts)


async def test_a_long_talk_is_read_to_its_end(open_zhiji: Open) -> None:
    """Facts at both ends of 40 long turns are stored, and a text too long to embed holds no other vector up (C094)."""
    async with open_zhiji(embedder=ShortSighted(), job_attempts=2) as zj:
        filler = "今天天气不错，出去走了走，看了看花。" * 80
        turns = [(filler, "好的") for _ in range(40)]
        turns[2], turns[37], turns[38] = ("我对青霉素过敏", "记住了"), ("改寄公司", "好的"), ("我住在杭州", "好的")
        memories = await overheard(zj, *turns)
        assert [memory for memory in memories if "青霉素" in memory.content]
        assert [memory for memory in memories if memory.key == "identity:city"]
        assert [memory for memory in memories if memory.type != "episode" and "公司" in memory.content]
        assert await zj.jobs.list("u1", statuses=["dead"]) == []
        found = await zj.recall("u1", "青霉素 过敏", explain=True)
        assert found[0].via in ("both", "vector")


async def test_an_embedder_that_is_down_is_asked_again(open_zhiji: Open) -> None:
    """While it fails for everything nothing is given up: once it works, every memory has its vector (C094, C150)."""
    embedder = HashEmbedder(failures=9)
    async with open_zhiji(embedder=embedder, job_attempts=5) as zj:
        await remembered(zj, "用户喜欢龙井茶", "用户住在杭州", type="event")
        await zj.drain()
        assert await zj.jobs.list("u1", statuses=["dead"]) == []
        assert (await zj.recall("u1", "龙井茶"))[0].via == "both"
    assert np.isfinite(embedder.embed_queries(["x"])).all()


async def test_a_doubtful_fact_is_not_known(open_zhiji: Open) -> None:
    """What waits in quarantine is in no recall, list or context, and another user cannot vouch for it (C069, C153)."""
    doubtful = fact("用户可能住在苏州", key="identity:city", confidence=0.4)
    async with open_zhiji(*OK, extractor_object=Scripted([doubtful], [doubtful])) as zj:
        await say(zj, "我大概住在苏州")
        await say(zj, "我大概住在苏州", user="u2")
        for user in ("u1", "u2"):
            assert await known(zj, user) == []
            assert await zj.recall(user, "苏州", types=["identity"]) == []
        with pytest.raises(NotFound):
            await zj.memories.get("u2", (await zj.memories.list("u1", statuses=["quarantined"]))[0].id)
