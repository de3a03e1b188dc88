"""Recall: what is found, how it is scored, and what is left out. On the in-memory reference store."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhiji import policies, recall, scoring, text
from zhiji.config import Settings
from zhiji.stores.base import Filter, MemoryChange, MemoryPut, Query, Vector
from zhiji.stores.memory import MemoryStore
from zhiji.testing import HashEmbedder
from zhiji.types import Memory, Recalled, Scope, Source, State, Status, Via

NOW = datetime(2025, 6, 1, tzinfo=UTC)
OWNER = Scope("shop", "li")
SETTINGS = Settings.load(memory_quota={}, retention=True)
TERMS = {"similarity", "decay", "confidence", "type"}
DISTRACTORS = (
    "买了一双跑鞋",
    "问过发票怎么开",
    "上周去了趟超市",
    "孩子要上小学",
    "想换一个手机壳",
    "周末去爬山",
    "快递送晚了",
    "咖啡机坏了",
)


def memory(id: str, content: str, *, age_days: float = 0, type: str = "event", **changes: Any) -> Memory:
    """Return a memory that was written so many days ago."""
    time = NOW - timedelta(days=age_days)
    return Memory(id=id, type=type, content=content, valid_from=time, created_at=time, updated_at=time, **changes)


def episode(
    id: str, content: str, seq: int, *, session: str = "ses_1", speaker: str = "user", **changes: Any
) -> Memory:
    """Return a past message."""
    value = {"session": session, "seq": seq, "speaker": speaker}
    source = (Source(session=session, seqs=(seq,)),)
    return memory(id, content, type="episode", value=value, sources=source, importance=2, **changes)


async def remembering(*memories: Memory, vectors: dict[str, Vector] | None = None, model: str = "m") -> MemoryStore:
    """Return a store with these memories of the owner."""
    store = MemoryStore()
    puts = [MemoryPut(memory=each, terms=recall.index_terms(each)) for each in memories]
    await store.change_memories(OWNER, MemoryChange(puts=puts))
    if vectors:
        await store.put_vectors(OWNER, model, vectors)
    return store


async def ask(store: MemoryStore, query: str, **changes: Any) -> list[Recalled]:
    """Return what is recalled for a query."""
    given: dict[str, Any] = {"embed": None, "now": NOW, "settings": SETTINGS} | changes
    embed = given.pop("embed")
    return await recall.recall(store, embed, OWNER, query, **given)


async def ids(store: MemoryStore, query: str, **changes: Any) -> list[str]:
    """Return the ids of what is recalled, best first."""
    return [item.memory.id for item in await ask(store, query, **changes)]


def embedding(*values: float, name: str = "m") -> recall.EmbedQuery:
    """Return an embedder of queries that always says the same."""

    async def embed(_: str) -> tuple[str, Vector]:
        return name, np.array(values, np.float32)

    return embed


def distractors(count: int) -> list[Memory]:
    """Return everyday memories, each a little different."""
    return [
        memory(f"d{number}", f"{DISTRACTORS[number % len(DISTRACTORS)]}（第{number}次）") for number in range(count)
    ]


# --- the score ------------------------------------------------------------------------------------------------------


async def test_every_term_is_shown_and_sums_up() -> None:
    """The four terms are in [0, 1], the score is their weighted sum, and the type term is weight × importance / 5."""
    store = await remembering(
        memory("a", "订单 OD1001 的退货地址", type="order", age_days=30, confidence=0.8, importance=4)
    )
    (item,) = await ask(store, "退货地址")
    assert set(item.terms) == TERMS
    assert all(0 <= value <= 1 for value in item.terms.values())
    assert item.terms["decay"] == pytest.approx(0.5)
    assert item.terms["confidence"] == 0.8
    assert item.terms["type"] == pytest.approx(0.9 * 4 / 5)
    weighted = [0.5, 0.2, 0.2, 0.1]
    names = ("similarity", "decay", "confidence", "type")
    assert item.score == pytest.approx(sum(w * item.terms[name] for w, name in zip(weighted, names, strict=True)))


async def test_old_identity_beats_fresh_noise() -> None:
    """A 400-day-old allergy comes before what was said yesterday about something else (C091)."""
    store = await remembering(
        memory("nut", "用户对花生过敏", type="identity", age_days=400),
        memory("tea", "喜欢喝乌龙茶", type="preference", age_days=400),
        memory("fresh", "今天问了花店的物流", age_days=1),
    )
    assert (await ids(store, "花生过敏"))[0] == "nut"
    old = await remembering(memory("task", "给阳台的花生浇水", type="task", age_days=400), *distractors(20))
    assert (await ids(old, "花生浇水"))[0] == "task"


async def test_certain_and_important_first_among_equals() -> None:
    """With the same words, confidence and importance decide."""
    store = await remembering(
        memory("doubt", "常买猫粮", confidence=0.7),
        memory("sure", "常买猫粮", confidence=1.0),
        memory("vital", "常买猫粮", confidence=1.0, importance=5),
    )
    assert await ids(store, "猫粮") == ["vital", "sure", "doubt"]


async def test_weights_come_from_the_settings() -> None:
    """With all weight on decay the newest relevant memory is first."""
    store = await remembering(memory("old", "红茶绿茶", age_days=20), memory("new", "绿茶", age_days=1))
    settings = Settings.load(recall_weights=(0.0, 1.0, 0.0, 0.0))
    assert await ids(store, "红茶绿茶") == ["old", "new"]
    assert await ids(store, "红茶绿茶", settings=settings) == ["new", "old"]


async def test_irrelevant_memories_are_not_recalled() -> None:
    """Being recent and certain is no reason to be recalled."""
    store = await remembering(*distractors(10))
    assert await ask(store, "宇宙膨胀") == []
    assert await ask(store, "weather") == []


# --- both arms ------------------------------------------------------------------------------------------------------


async def test_each_arm_finds_alone_and_says_so() -> None:
    """What was found by words, by sense or by both says by which."""
    vectors = {"sense": np.array([1, 0.05]), "both": np.array([1, 0.2]), "far": np.array([0, 1])}
    store = await remembering(
        memory("words", "蓝色雨伞落在车上"),
        memory("sense", "挡水的布"),
        memory("both", "雨伞架"),
        memory("far", "咖啡"),
        vectors={id: value.astype(np.float32) for id, value in vectors.items()},
    )
    found = {item.memory.id: item.via for item in await ask(store, "雨伞", embed=embedding(1, 0))}
    assert found == {"words": Via.KEYWORD, "sense": Via.VECTOR, "both": Via.BOTH}


async def test_without_an_embedder_words_suffice() -> None:
    """No embedder, or one that fails for now: recall is keyword-only, with a spread of scores (C100)."""
    texts = ["测试用暗号是蓝色雨伞架", "设备标签 TAG-QX-5521", *(f"{DISTRACTORS[n % 8]}{n}" for n in range(18))]
    store = await remembering(*[memory(f"m{number}", text) for number, text in enumerate(texts)])

    async def failing(_: str) -> None:
        return None

    for embed in (None, failing):
        for query, id in [("暗号", "m0"), ("蓝色雨伞架", "m0"), ("测试用暗号", "m0"), ("TAG-QX-5521", "m1")]:
            found = await ask(store, query, embed=embed)
            assert found[0].memory.id == id
            assert len(found) == 1 or found[0].score > found[1].score + 0.05


@pytest.mark.parametrize("bad", [(0.0, 0.0), (float("nan"), 1.0), (float("inf"), 0.0)])
async def test_unusable_query_vectors_are_ignored(bad: tuple[float, float]) -> None:
    """A query vector of zeros, NaN or infinity leaves the keyword arm and finite scores (C110)."""
    store = await remembering(memory("a", "红茶"), vectors={"a": np.array([1, 0], np.float32)})
    (item,) = await ask(store, "红茶", embed=embedding(*bad))
    assert np.isfinite(item.score)
    assert item.via is Via.KEYWORD


async def test_an_exact_number_is_nearly_certain() -> None:
    """A memory that names the order of a long question is found first, with a similarity near 1."""
    store = await remembering(
        memory("it", "订单 OD20240415008 正在退货", type="order", key="order:OD20240415008", age_days=60),
        memory("like", "订单 OD20240415009 正在退货", type="order", key="order:OD20240415009"),
        *distractors(20),
    )
    for number in ("OD20240415008", "od-2024-0415-008", "ＯＤ２０２４０４１５００８"):
        found = await ask(store, f"你好，麻烦帮我看一下我前几天买的那个 {number} 现在怎么样了，退货进行到哪一步了")
        assert found[0].memory.id == "it"
        assert found[0].terms["similarity"] >= 0.9


async def test_different_questions_find_different_memories() -> None:
    """Questions on ten topics do not all return the same few memories (C103)."""
    topics = [
        "女儿考驾照",
        "腰椎做理疗",
        "阳台种番茄",
        "学弹吉他",
        "装修厨房",
        "养了一只猫",
        "准备马拉松",
        "申请签证",
        "修笔记本电脑",
        "给妈妈过生日",
    ]
    told = ["昨天说到{}的事", "下周要继续{}", "用户最近在忙{}", "{}花了不少钱", "用户觉得{}不容易", "为了{}请了半天假"]
    rows = [memory(f"{t}-{n}", line.format(topic)) for t, topic in enumerate(topics) for n, line in enumerate(told)]
    store = await remembering(*rows)
    answers = [await ids(store, f"{topic}怎么样了", k=8) for topic in topics]
    assert sum(any(id.startswith(f"{t}-") for id in answer[:3]) for t, answer in enumerate(answers)) >= 8
    overlaps = [len(set(one) & set(other)) for one, other in combinations(answers, 2)]
    assert sum(overlaps) / len(overlaps) < 2


async def test_several_questions_in_one_message_are_all_answered() -> None:
    """A message of several sentences finds what each of them asks for, however long the small talk around it."""
    store = await remembering(memory("cat", "猫叫煤球"), memory("trip", "签证十月到期"), *distractors(30))
    message = "今天可真冷啊，出门忘了戴围巾，路上还堵车堵了一个小时。签证什么时候到期？另外，我的猫叫什么"
    assert {"cat", "trip"} <= set(await ids(store, message))


# --- identity -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["还记得怎么称呼我吗", "您贵姓", "我是做什么生意的"])
@pytest.mark.parametrize("keyed", [True, False])
async def test_identity_questions_need_no_common_word(query: str, keyed: bool) -> None:
    """Who the user is is found by the questions that ask for it, with or without a key (C102)."""
    rows = [memory("who", "用户叫老张，做跨境电商", type="identity", age_days=30)]
    if keyed:
        rows = [
            memory("who", "用户叫老张", type="identity", key="identity:name", value="老张", age_days=30),
            memory("job", "从事跨境电商", type="identity", key="identity:job", value="跨境电商", age_days=30),
        ]
    store = await remembering(*rows, *distractors(200))
    found = await ids(store, query)
    assert ("job" if keyed and "生意" in query else "who") in found


def test_index_terms_hold_content_key_and_cues() -> None:
    """A memory is indexed by its words, its key's number and the questions that ask for it."""
    order = recall.index_terms(memory("a", "跑鞋在退货", type="order", key="order:OD1001"))
    assert {"退货", "od1001"} <= order.keys()
    name = recall.index_terms(memory("b", "用户是李四", type="identity", key="identity:name"))
    assert {"李四", "贵姓", "name"} <= name.keys()
    assert all(count >= 1 for count in (order | name).values())


def test_every_cue_is_found_by_itself() -> None:
    """Each question word in the table of attributes reaches the memory that it is a cue for."""
    for entry in policies.ATTRIBUTES:
        key = entry.key + "x" if entry.key.endswith(".") else entry.key
        indexed = recall.index_terms(memory("a", "。", type=key.partition(":")[0], key=key))
        for cue in entry.cues:
            assert indexed.keys() & {term for term in recall.index_terms(memory("q", cue)) if len(term) > 1}, cue


def test_episodes_are_indexed_by_speaker() -> None:
    """The name of a speaker is a term of what was said, the role of one is not; the vector's text says who speaks."""
    named = episode("a", "I moved to Lyon", 1, speaker="Caroline")
    assert "carolin" in recall.index_terms(named)
    assert recall.passage(named) == "Caroline: I moved to Lyon"
    assert recall.passage(episode("b", "你好", 1)) == "你好"
    assert "user" not in recall.index_terms(episode("b", "你好", 1))


# --- state, links, episodes -----------------------------------------------------------------------------------------


async def test_state_helps() -> None:
    """The order in the form finds its memory when the message does not name it; the message's own words weigh more."""
    store = await remembering(
        memory("one", "订单 OD1001 的跑鞋", type="order", key="order:OD1001"),
        memory("two", "订单 OD1002 的帐篷", type="order", key="order:OD1002"),
    )
    state = State(slots={"order_id": "OD1002", "urgent": True})
    assert await ids(store, "那个订单到哪了", state=state, k=1) == ["two"]
    assert await ids(store, "跑鞋的订单", state=state, k=1) == ["one"]


async def test_links_bring_what_belongs_together() -> None:
    """A recalled memory brings the active memories that it links to, scored lower and marked as linked."""
    store = await remembering(
        memory("order", "订单 OD1001", type="order", links=("parcel", "gone", "nobody")),
        memory("parcel", "顺丰 SF123456 已揽收", type="shipment"),
        memory("gone", "旧工单", type="after_sale", status=Status.ARCHIVED),
    )
    first, second = await ask(store, "OD1001")
    assert (first.memory.id, second.memory.id) == ("order", "parcel")
    assert (first.via, second.via) == (Via.KEYWORD, Via.LINK)
    assert second.terms["similarity"] < first.terms["similarity"]
    assert await ids(store, "OD1001", types=["order"]) == ["order"]


async def test_facts_come_before_the_words_they_came_from() -> None:
    """At the same words a fact ranks above an episode, and an episode that only repeats it is left out."""
    source = (Source(session="ses_1", seqs=(3,)),)
    store = await remembering(
        episode("said", "我对花生过敏", 3),
        episode("other", "花生过敏的人能吃榛子吗", 5),
        memory("fact", "用户对花生过敏", type="identity", sources=source),
    )
    found = await ask(store, "我对花生过敏")
    assert [item.memory.id for item in found] == ["fact", "other"]
    assert found[1].via is Via.EPISODE


async def test_episodes_that_the_model_sees_anyway_are_left_out() -> None:
    """No episode of the present window is recalled, older ones of the session and those of others are."""
    store = await remembering(
        episode("old", "上次说的蓝牙耳机", 2),
        episode("shown", "蓝牙耳机坏了", 7),
        episode("elsewhere", "蓝牙耳机到货", 9, session="ses_0"),
    )
    assert set(await ids(store, "蓝牙耳机", window=("ses_1", 5))) == {"old", "elsewhere"}


async def test_episodes_can_be_switched_off() -> None:
    """With episodes off only memories are recalled."""
    store = await remembering(episode("said", "喜欢蓝牙耳机", 2), memory("fact", "喜欢蓝牙耳机", type="preference"))
    assert await ids(store, "蓝牙耳机", settings=Settings.load(episodes="off")) == ["fact"]


# --- cut and filter -------------------------------------------------------------------------------------------------


async def test_k_and_quota_cut() -> None:
    """At most k memories come, at most the quota of each type, best first."""
    rows = [memory(f"o{number}", f"退货单 {number}", type="order", importance=3 + number % 3) for number in range(6)]
    store = await remembering(*rows, memory("t", "办退货", type="task"))
    assert len(await ids(store, "退货")) == 5
    assert await ids(store, "退货", k=0) == []
    found = await ask(store, "退货", settings=Settings.load(memory_quota={"order": 2}))
    assert sorted(item.memory.type for item in found) == ["order", "order", "task"]
    assert [item.score for item in found] == sorted((item.score for item in found), reverse=True)


async def test_types_and_as_of_filter() -> None:
    """Only wanted types; a past instant shows what held then (C070)."""
    change = NOW - timedelta(days=20)
    store = await remembering(
        memory("old", "住在杭州", type="identity", age_days=30, status=Status.SUPERSEDED, valid_to=change),
        memory("new", "住在成都", type="identity", age_days=20),
        memory("task", "找住在附近的师傅", type="task"),
    )
    assert await ids(store, "住在", types=["identity"]) == ["new"]
    assert await ids(store, "住在哪", as_of=NOW - timedelta(days=25)) == ["old"]


async def test_only_active_memories_are_recalled() -> None:
    """Nothing superseded, quarantined, archived or expired is recalled (C069)."""
    rows = [
        memory(status.value, "退货地址在杭州", status=status) for status in Status if status is not Status.SUPERSEDED
    ]
    store = await remembering(*rows, memory("expired", "退货地址在宁波", expires_at=NOW))
    assert await ids(store, "退货地址") == ["active"]


# --- any input ------------------------------------------------------------------------------------------------------

SYNTAX = (
    "OD-2024-0415", "don't", "C++ 价格?", '"', "AND", "NOT x", "NEAR(a b)", "订单:OD1", "GB/s", "-退货", "*", "(", "",
    "   ", "a" * 20000, "\x00", "{", "%_", "type:identity", "👩‍🚀", "。" * 5000,
)  # fmt: skip


async def test_no_syntax_is_special() -> None:
    """Queries in anybody's search syntax are words: they find what says them, and never raise (C106)."""
    told = ["编号 OD-2024-0415", "he said don't", "C++ 价格是多少", "订单:OD1", "网速 2 GB/s", "要退货"]
    store = await remembering(*[memory(f"m{number}", text) for number, text in enumerate(told)])
    answers = {query: await ids(store, query) for query in SYNTAX}
    assert answers["OD-2024-0415"][0] == "m0"
    assert answers["don't"][0] == "m1"
    assert answers["C++ 价格?"][0] == "m2"
    assert answers["订单:OD1"][0] == "m3"
    assert answers["GB/s"][0] == "m4"
    assert answers["-退货"][0] == "m5"
    assert answers[""] == answers["   "] == answers["\x00"] == answers["*"] == []


@given(st.text(max_size=60))
async def test_any_text_is_a_query(query: str) -> None:
    """Whatever is asked, at most k memories come, each score in [0, 1]."""
    store = await remembering(memory("a", "红茶 and tea"), episode("b", query[:20] or "x", 1, speaker="Bo"))
    embedder = HashEmbedder(8)

    async def embed(text: str) -> tuple[str, Vector]:
        return embedder.name, embedder.embed_queries([text])[0]

    found = await ask(store, query, embed=embed, k=2)
    assert len(found) <= 2
    assert all(0 <= value <= 1 for item in found for value in (item.score, *item.terms.values()))


def ordered(found: Sequence[Recalled]) -> list[str]:
    """Return the ids in order."""
    return [item.memory.id for item in found]


async def test_long_messages_are_searched_by_both_ends() -> None:
    """The question before or after a long paste is found."""
    store = await remembering(memory("a", "发票抬头是星河公司"), *distractors(10))
    paste = "日志 " * 20000
    assert ordered(await ask(store, f"发票抬头是什么？\n{paste}"))[:1] == ["a"]
    assert ordered(await ask(store, f"{paste}\n发票抬头是什么？"))[:1] == ["a"]


# --- explained ------------------------------------------------------------------------------------------------------


def axis(number: int) -> Vector:
    """Return the unit vector along one of two axes."""
    return np.array([number == 0, number == 1], np.float32)


async def standing(store: MemoryStore, query: str, **changes: Any) -> list[recall.Ranked]:
    """Return the whole ranking of a query."""
    given: dict[str, Any] = {"embed": None, "now": NOW, "settings": SETTINGS, "k": 5, "state": None} | changes
    embed = given.pop("embed")
    return await recall.ranking(store, embed, OWNER, query, **given)


@pytest.mark.parametrize(
    "query", ["退货地址是什么", "去了几次超市？另外发票怎么开", "咖啡机第 3 次坏了", "？？", "花生"]
)
@pytest.mark.parametrize("k", [1, 5, 30])
async def test_the_ranking_explains_the_recall(query: str, k: int) -> None:
    """What the ranking calls recalled is what recall returns, scores and order included; each memory is in it once."""
    linked = memory("linked", "文三路 18 号")
    store = await remembering(
        *distractors(40),
        linked,
        memory("address", "退货地址", links=("linked",)),
        vectors={"d1": axis(0), "d2": axis(1)},
    )
    embed = embedding(1.0, 0.0)
    ranked = await standing(store, query, embed=embed, k=k)
    assert [one.recalled for one in ranked if one.fate is recall.Fate.RECALLED] == await ask(
        store, query, embed=embed, k=k
    )
    ids = [one.recalled.memory.id for one in ranked]
    assert len(ids) == len(set(ids))
    places = [one.rank for one in ranked if one.rank]
    assert places == list(range(1, len(places) + 1))


async def test_each_is_told_why_it_is_not_recalled() -> None:
    """Below the cut, over the quota, a repeat, seen anyway, irrelevant, or behind what the arms brought up."""
    store = await remembering(
        memory("best", "退货地址是文三路", importance=5, sources=(Source(session="ses_1", seqs=(1,)),)),
        memory("order", "退货地址", type="order"),
        memory("low", "退货，很久以前", importance=1),
        episode("repeat", "退货地址是文三路", 1),
        episode("seen", "退货地址是哪里", 1, session="ses_2"),
        memory("other", "喜欢蓝色"),
        vectors={"other": axis(1)},
    )
    settings = Settings.load(memory_quota={"order": 0})
    ranked = await standing(store, "退货地址", embed=embedding(1.0, 0.0), k=1, settings=settings, window=("ses_2", 1))
    fates = {one.recalled.memory.id: str(one.fate) for one in ranked}
    assert fates == {
        "best": "recalled",
        "order": "over_quota",
        "low": "below",
        "repeat": "repeated",
        "seen": "seen",
        "other": "irrelevant",
    }
    crowd = await remembering(
        *(memory(f"m{n}", "退货地址") for n in range(30)), memory("last", "地址，还有别的很多话要说")
    )
    assert (await standing(crowd, "退货地址"))[-1].fate is recall.Fate.BEHIND


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("用户对花生过敏", "The user is allergic to peanuts"),
        ("The user lives in Seattle", "用户已经搬到丹佛"),
        ("用户 28 岁", "The user turned 29"),
        ("用户住在成都", "The user moved house"),
    ],
)
def test_marks_are_the_same_in_every_language(one: str, other: str) -> None:
    """Sentences about one thing share a mark; no text and no question has one, and an episode carries none."""
    assert recall.concept_terms(one).keys() & recall.concept_terms(other).keys()
    marks = {term for term in recall.index_terms(memory("a", one)) if term.startswith(scoring.MARK)}
    assert marks == recall.concept_terms(one).keys()
    assert not marks & text.terms(" ".join(marks)).keys()
    assert not any(term.startswith(scoring.MARK) for term in recall.index_terms(episode("b", one, 1)))


async def test_marks_change_no_ranking() -> None:
    """A row that carries marks has the very scores that it would have without them."""
    rows = [memory("a", "用户对花生过敏"), memory("b", "用户住在北京，爱吃花生"), memory("c", "今天下雨")]
    plain = MemoryStore()
    await plain.change_memories(
        OWNER,
        MemoryChange(
            puts=[
                MemoryPut(memory=row, terms={t: n for t, n in recall.index_terms(row).items() if t[0] != scoring.MARK})
                for row in rows
            ]
        ),
    )
    marked = await remembering(*rows)
    query = Query(terms=text.query_terms("花生过敏吗"), filter=Filter(now=NOW))
    found = [[(hit.memory.id, hit.keyword) for hit in await store.search(OWNER, query)] for store in (plain, marked)]
    assert found[0] == found[1] != []
