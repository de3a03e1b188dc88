"""What recall finds, and what it must not, on a real file: short words, glued ids, odd syntax, old facts, past instants."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import timedelta
from itertools import combinations

import numpy as np
import pytest

from talk import OK, Open, contents, known, say, sent
from zhiji import Zhiji, blocks
from zhiji.models.base import Vectors
from zhiji.testing import FrozenClock, HashEmbedder
from zhiji.types import Status


async def remembering(zj: Zhiji, *facts: str, type: str = "event", user: str = "u1") -> None:
    for number, content in enumerate(facts):
        await zj.remember(user, content, type=type, key=f"{type}:n{number}")


# --- words ----------------------------------------------------------------------------------------------------------

SIGNED = "用户的退货地址是杭州市西湖区，订单OD20240415008已签收"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("退货地址", SIGNED),
        ("西湖区", SIGNED),
        ("杭州", SIGNED),
        ("签收", SIGNED),
        ("签收了吗？", SIGNED),
        ("OD20240415008", SIGNED),
        ("od20240415008", SIGNED),
        ("ＯＤ２０２４０４１５００８", SIGNED),
        ("od 2024-0415 008", SIGNED),
        ("换货", "昨天确认了换货流程"),
        ("流程", "昨天确认了换货流程"),
        ("go", "他用go写服务"),
        ("王", "我姓王"),
        ("kz9", "已把sku-kz9改成预售"),
        ("SKU-KZ9", "已把sku-kz9改成预售"),
        ("Kindle", "妻はKindleで本を読む"),
        ("ｋｉｎｄｌｅ", "妻はKindleで本を読む"),
        ("火锅", "喜欢 🍜 和火锅"),
        ("🍜", "喜欢 🍜 和火锅"),
        ("running shoes", "The user ran a marathon in blue running shoes"),
        ("SHOE", "The user ran a marathon in blue running shoes"),
    ],
)
async def test_a_word_finds_the_sentence_it_is_in(open_zhiji: Open, query: str, found: str) -> None:
    """One Chinese character or two, glued ids in any spelling, other scripts: found first, by words alone (C096, C097, C099)."""
    async with open_zhiji() as zj:
        await remembering(
            zj, SIGNED, "昨天确认了换货流程", "他用go写服务", "我姓王", "已把sku-kz9改成预售", "妻はKindleで本を読む",
            "喜欢 🍜 和火锅", "The user ran a marathon in blue running shoes", "用户问过发票怎么开", "用户的快递送晚了",
        )  # fmt: skip
        assert contents(await zj.recall("u1", query))[0] == found


@pytest.mark.parametrize("query", ["ai", "indl", "D2024041500", "西湖龙井村口小卖部".replace("西湖", "")])
async def test_a_part_of_a_word_is_no_exact_hit(open_zhiji: Open, query: str) -> None:
    """A piece of a Latin word or of a number finds nothing that merely contains it (C097, C099)."""
    async with open_zhiji() as zj:
        await remembering(zj, SIGNED, "他用go写服务，email 很快", "妻はKindleで本を読む")
        assert await zj.recall("u1", query) == []


@pytest.mark.parametrize("down", [False, True], ids=["off", "down"])
async def test_words_are_enough_without_vectors(open_zhiji: Open, down: bool) -> None:
    """Embeddings off, or failing: short Chinese queries hit, say by which arm, and scores differ (C100)."""
    embedder = HashEmbedder(failures=None) if down else None
    others = [
        f"用户的第 {number} 个愿望是去{city}"
        for number, city in enumerate(["北京", "上海", "广州", "深圳", "成都", "重庆", "西安", "南京"])
    ]
    async with open_zhiji(embedder=embedder) as zj:
        await remembering(zj, "测试用暗号是蓝色雨伞架", "资产编号 TAG-QX-5521 在仓库", *others)
        for query, word in (
            ("暗号", "雨伞架"),
            ("蓝色雨伞架", "雨伞架"),
            ("测试用暗号", "雨伞架"),
            ("TAG-QX-5521", "仓库"),
        ):
            found = await zj.recall("u1", query)
            assert word in found[0].memory.content
            assert {item.via for item in found} == {"keyword"}
        wishes = await zj.recall("u1", "第 3 个愿望是去深圳吗")
        assert "深圳" in wishes[0].memory.content
        assert wishes[0].score > wishes[1].score


async def test_a_question_about_oneself_needs_no_common_word(open_zhiji: Open) -> None:
    """Name, form of address and trade are in the context for any question, and recalled by the questions for them (C102)."""
    async with open_zhiji(*OK) as zj:
        await say(zj, "我叫老张，我是做跨境电商的")
        assert any("老张" in content for content in await known(zj))
        await remembering(zj, *(f"用户收藏了第 {number} 双跑鞋，颜色是 {number} 号色" for number in range(200)))
        for question in ("还记得怎么称呼我吗", "您贵姓", "我叫什么名字"):
            assert any("老张" in content for content in contents(await zj.recall("u1", question)))
        assert any("跨境电商" in content for content in contents(await zj.recall("u1", "我是做什么生意的")))
        reply = await zj.chat("u1", "在吗")
        system = (await sent(zj, reply.request_id))[0]
        assert "老张" in system


TOPICS = {
    "女儿 驾照 考试": ["女儿在考驾照", "女儿科目二考试没过", "教练说女儿倒车不稳"],
    "腰椎 理疗": ["腰椎间盘突出在理疗", "理疗师让他多游泳", "腰椎怕久坐"],
    "装修 地板": ["家里装修选了实木地板", "装修队下周进场", "地板要防潮"],
    "股票 基金": ["买了指数基金", "股票亏了三成", "每月定投基金"],
    "西藏 旅行": ["去西藏旅行高反", "旅行箱坏了一个轮子", "西藏的照片丢了"],
    "红烧肉 做法": ["红烧肉要先炒糖色", "做红烧肉不放水", "他的拿手菜是红烧肉"],
    "钢琴 课": ["儿子周三上钢琴课", "钢琴要调音", "钢琴老师姓周"],
    "阳台 多肉": ["阳台养了多肉", "多肉浇水太多烂根", "阳台朝南"],
    "公司 年会": ["公司年会他唱歌", "年会抽中了平板", "年会在滨江"],
    "咖啡 豆子": ["咖啡豆子要浅烘", "豆子快喝完了", "咖啡机会漏水"],
}


async def test_every_question_finds_its_own_topic(open_zhiji: Open) -> None:
    """Questions on ten topics find their own memories first and hardly share any of the rest (C103)."""
    async with open_zhiji() as zj:
        await remembering(zj, *(content for topic in TOPICS.values() for content in topic))
        found = {query: contents(await zj.recall("u1", query, k=8)) for query in TOPICS}
        right = [query for query, results in found.items() if set(results[:3]) & set(TOPICS[query])]
        overlaps = [len(set(one) & set(other)) for one, other in combinations(found.values(), 2)]
        assert len(right) == len(TOPICS)
        assert sum(overlaps) / len(overlaps) < 2


@pytest.mark.parametrize(
    "query",
    ["", "   ", "\x00", '"', "*", "(", "AND", "NOT x", "NEAR(a b)", "-退货", "订单:OD1", "don't", "C++ 价格?", "a" * 20_000, "%", "_", "';--", "\ud800", "😀" * 500, "退" * 20_000],
)  # fmt: skip
async def test_no_query_is_syntax(open_zhiji: Open, query: str) -> None:
    """Whatever is asked is words: it never fails, and scores stay in [0, 1] (C106)."""
    async with open_zhiji(embedder=HashEmbedder()) as zj:
        await remembering(zj, "用户想退货", "C++ 价格是多少", "速度 2 GB/s")
        await zj.drain()
        for item in await zj.recall("u1", query, explain=True):
            assert 0 <= item.score <= 1
            assert all(0 <= term <= 1 for term in item.terms.values())


@pytest.mark.parametrize(
    ("query", "content"),
    [
        ("OD-2024-0415", "订单 OD-2024-0415 已签收"),
        ("don't", "The user said: don't call after nine"),
        ("C++ 价格?", "用户问过 C++ 教程的价格"),
        ("GB/s", "速度是 2 GB/s"),
        ("-退货", "用户想退货"),
        ("订单:OD1", "订单:OD1 已付款"),
        ("NOT x AND 发票*", "发票抬头是青石书屋"),
    ],
)
async def test_what_looks_like_syntax_finds_its_words(open_zhiji: Open, query: str, content: str) -> None:
    """A query in somebody's search language finds the memory that says it (C106)."""
    async with open_zhiji() as zj:
        await remembering(zj, "用户的快递送晚了", content, "用户喜欢龙井茶")
        assert contents(await zj.recall("u1", query))[0] == content


# --- what holds, and what held --------------------------------------------------------------------------------------


async def test_only_what_holds_comes_through_any_reader(open_zhiji: Open, clock: FrozenClock) -> None:
    """Superseded, quarantined, expired and deleted rows are in no recall, list, profile or context (C069)."""
    words = {
        "superseded": "住在杭州", "active": "住在上海", "quarantined": "也许住在苏州", "expired": "临时住在宁波", "deleted": "曾经住在无锡",
    }  # fmt: skip
    async with open_zhiji("好", embedder=HashEmbedder()) as zj:
        expired = await zj.remember("u1", words["expired"], type="event", importance=1)
        clock.advance(timedelta(days=60))
        for name in ("superseded", "active"):
            await zj.remember("u1", words[name], type="identity", key="identity:city", value=words[name][2:])
            clock.advance(timedelta(days=1))
        await zj.remember("u1", words["quarantined"], type="event", confidence=0.1)
        gone = await zj.remember("u1", words["deleted"], type="event")
        await zj.drain()
        await zj.memories.delete("u1", gone.id)
        for query in ("住在", "住在 杭州 苏州 宁波 无锡"):
            assert contents(await zj.recall("u1", query, k=20, types=["identity", "event"])) == [words["active"]]
        assert await known(zj) == [words["active"]]
        reply = await zj.chat("u1", "我住在哪，杭州还是苏州还是宁波还是无锡？")
        system, *_, asked = await sent(zj, reply.request_id)
        assert "上海" in system
        shown = "".join([system, *blocks.read_background(asked)[0]])
        assert not [word for word in ("杭州", "苏州", "宁波", "无锡") if word in shown]
        everything = await zj.memories.list("u1", statuses=list(Status))
        assert {words["superseded"], words["active"], words["quarantined"]} <= set(contents(everything))
        assert words["deleted"] not in contents(everything)
        assert (await zj.memories.get("u1", expired.id)).content == words["expired"]


async def test_a_past_instant_shows_what_held_then(open_zhiji: Open, clock: FrozenClock) -> None:
    """Before the change the old fact and not the new one, after it the new one and not the old one (C070)."""
    async with open_zhiji(embedder=HashEmbedder()) as zj:
        start = clock()
        for city in ("杭州", "上海"):
            await zj.remember("u1", f"用户住在{city}", type="identity", key="identity:city", value=city)
            clock.advance(timedelta(days=9))
        await zj.drain()
        for days, expected in ((-1, []), (4, ["用户住在杭州"]), (9, ["用户住在上海"]), (14, ["用户住在上海"])):
            found = await zj.recall("u1", "住在哪", as_of=start + timedelta(days=days))
            assert contents(found) == expected


async def test_decay_is_smooth_and_exact(open_zhiji: Open, clock: FrozenClock) -> None:
    """Ages of minutes already count, half a life is 0.7071, a whole one 0.5, and clock skew is no bonus (C090)."""
    async with open_zhiji() as zj:
        await zj.remember("u1", "用户想买龙井茶", type="task")
        decays = []
        for minutes in (0, 30, 29, 7 * 12 * 60 - 59, 7 * 12 * 60, 7 * 12 * 60):
            clock.advance(timedelta(minutes=minutes))
            decays.append((await zj.recall("u1", "龙井茶", explain=True))[0].terms["decay"])
        assert decays == sorted(decays, reverse=True)
        assert len(set(decays)) == len(decays)
        assert decays[3:5] == pytest.approx([math.sqrt(0.5), 0.5], abs=1e-4)
        clock.advance(timedelta(days=-60))
        assert (await zj.recall("u1", "龙井茶", explain=True))[0].terms["decay"] == 1.0


async def test_an_old_allergy_is_found_first(open_zhiji: Open, clock: FrozenClock) -> None:
    """A 300-day-old allergy outranks yesterday's small talk; an old preference is still found by its words (C091)."""
    async with open_zhiji() as zj:
        await zj.remember("u1", "用户对花生过敏", type="identity")
        await zj.remember("u1", "用户喜欢雨前龙井", type="preference")
        await zj.remember("u1", "用户订过花生酱", type="order")
        clock.advance(timedelta(days=170))
        await zj.remember("u1", "用户今天问了物流，也问了花生", type="event")
        clock.advance(timedelta(days=1))
        assert contents(await zj.recall("u1", "花生过敏"))[0] == "用户对花生过敏"
        assert contents(await zj.recall("u1", "雨前龙井"))[0] == "用户喜欢雨前龙井"
        assert "用户订过花生酱" in contents(await zj.recall("u1", "花生酱"))


class Broken(HashEmbedder):
    """An embedder that returns zeros, NaN, infinity and huge numbers."""

    def embed_passages(self, texts: list[str]) -> Vectors:
        vectors = super().embed_passages(texts)
        for row, text in enumerate(texts):
            bad = next((value for word, value in BAD.items() if word in text), None)
            if bad is not None:
                vectors[row] = bad
        return vectors

    def embed_queries(self, texts: list[str]) -> Vectors:
        vectors = super().embed_queries(texts)
        if "坏" in texts[0]:
            vectors[:] = np.nan
        return vectors


BAD: Mapping[str, float] = {"零": 0.0, "非": np.nan, "无穷": np.inf, "巨": 3e38}


@pytest.mark.parametrize("query", ["龙井茶", "坏的龙井茶"])
async def test_bad_vectors_leave_finite_scores(open_zhiji: Open, query: str) -> None:
    """Zero, NaN, infinite and huge vectors, of memories or of the query: found by words, ranked finitely (C110)."""
    async with open_zhiji(embedder=Broken(), job_attempts=1) as zj:
        await remembering(zj, *(f"{word}龙井茶好喝" for word in (*BAD, "好")))
        await zj.drain()
        found = await zj.recall("u1", query, k=9, explain=True)
        assert len(found) == 5
        assert all(math.isfinite(item.score) and 0 <= item.score <= 1 for item in found)
        assert await zj.jobs.list("u1", statuses=["dead"]) == []
