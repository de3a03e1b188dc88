"""Which memories are about one thing: one topic a group, a memory in one at most, the same in any order and when run again."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhiji import policies, reflection, text
from zhiji.models.reflection import is_grounded, read
from zhiji.reflection import Group, due, end, opened, template
from zhiji.types import Memory, Source, Status

NOW = datetime(2026, 3, 2, tzinfo=UTC)

TOPICS = {
    "orchid": (
        "The user found an orchid near the river",
        "The orchid was a present of their sister",
        "The user sprays the orchid every morning",
        "The orchid lost its flowers last weekend",
        "Repotting the orchid needs patience",
    ),
    "risotto": (
        "The user cooks risotto on weekends",
        "The user learned to make risotto from their aunt",
        "The user adds saffron to risotto",
        "The user burned a risotto last weekend",
        "The user thinks risotto needs patience",
    ),
    "cat": (
        "The user has a cat called Momo",
        "The cat sleeps on the sofa every afternoon",
        "The cat is afraid of thunder",
        "The user's cat eats only salmon",
        "The cat scratched the new chair last weekend",
    ),
    "subway": (
        "The user takes the subway to the office",
        "The subway is crowded every morning",
        "The user reads on the subway",
        "The subway ride takes 40 minutes",
        "The user wants to stop taking the subway",
    ),
    "school": (
        "The user studies biology at night school",
        "Night school starts every Monday",
        "The user's school is near the river",
        "The user likes the teachers at school",
        "School fees are paid every month",
    ),
    "tomato": (
        "The user grows tomatoes on the balcony",
        "Tomatoes need sun every morning",
        "The user gave tomatoes to their neighbour",
        "The tomatoes ripened last weekend",
        "The user waters the tomatoes every evening",
    ),
    "cello": (
        "The user plays the cello",
        "The cello belonged to the user's grandmother",
        "Cello lessons are every Monday",
        "The user's cello needs new strings",
        "The user carried the cello on the subway",
    ),
    "marathon": (
        "The user ran a marathon last year",
        "The next marathon is in October",
        "The user bought shoes for the marathon",
        "A marathon needs patience",
        "The user runs by the river every morning",
    ),
}
"""Forty facts on eight topics; the river, the weekend, patience and the subway tie them to each other in pairs (C060)."""


def fact(number: int, content: str, **changes: object) -> Memory:
    """Return an active fact that was said at its number's minute."""
    time = NOW + timedelta(minutes=number)
    row = Memory(
        id=f"mem_{number}", type="event", content=content, valid_from=time, created_at=time, updated_at=time, revision=1
    )
    return replace(row, **changes)  # type: ignore[arg-type]  # fields of Memory


def facts(*contents: str) -> list[Memory]:
    """Return these facts."""
    return [fact(number, content) for number, content in enumerate(contents)]


def reflected(groups: list[Group]) -> list[Memory]:
    """Return the reflections of the groups."""
    return [opened(group, template(group), id=f"ref_{group.key}", now=NOW) for group in groups]


FORTY = facts(*(content for contents in TOPICS.values() for content in contents))
ABOUT = {memory.id: topic for memory, topic in zip(FORTY, (t for t, c in TOPICS.items() for _ in c), strict=True)}


@given(st.permutations(FORTY), st.integers(2, 5))
def test_no_reflection_is_about_more_than_its_topic(order: list[Memory], least: int) -> None:
    """Forty facts, tied in pairs across topics: each group shares its topic's word, in any order the same ones (C060)."""
    groups = due(order, [], least=least)
    assert groups == due(FORTY, [], least=least)
    for group in groups:
        assert len({*group.ids}) == len(group.members) >= least
        assert all(group.label.casefold()[:5] in memory.content.casefold() for memory in group.members)
    if least == 5:
        assert len(groups) >= 6
        assert all(len({ABOUT[id_] for id_ in group.ids}) == 1 for group in groups)


@given(st.lists(st.sampled_from(FORTY), unique=True), st.integers(1, 5))
def test_what_is_reflected_stays(chosen: list[Memory], least: int) -> None:
    """A memory is in one reflection at most, and looking again at the same facts finds nothing more to do (C060)."""
    groups = due(chosen, [], least=least)
    members = [memory.id for group in groups for memory in group.members]
    assert len(members) == len(set(members))
    assert len({group.key for group in groups}) == len(groups)
    assert due(chosen, reflected(groups), least=least) == []


@pytest.mark.parametrize(
    ("contents", "label"),
    [
        (("我每个周末都去千岛湖钓鱼", "千岛湖的鱼头好吃", "去年在千岛湖露营"), "千岛湖"),
        (("常去的书店叫青石书屋", "青石書屋週末有讀書會", "在青石书屋买过诗集"), "青石书屋"),
        (("用户的妈妈对花生过敏", "妈妈住在成都", "用户每周给妈妈打电话"), "妈妈"),
        (("单号 OD 2024 0415 008 退货", "ＯＤ２０２４０４１５００８ 已寄出", "订单 OD20240415008 退款 79 元"), "OD20240415008"),
        (("订单 OD20240415008 退货", "订单 OD20240415009 退货", "订单 OD20240415010 退货"), "退货"),
        (("The user's mother lives in Leeds", "Her mother is a nurse", "Mom likes tea"), "mother"),
        (("我喜欢喝咖啡", "The user drinks coffee at nine", "咖啡不加糖"), "咖啡"),
        (("🐱 叫团子", "团子三岁了", "团子怕打雷"), "团子"),
    ],
)  # fmt: skip
def test_topics(contents: tuple[str, ...], label: str) -> None:
    """A lake, a shop's name in either script, a person, a number however it is spelt, what was wished for, in both languages."""
    (group,) = due(facts(*contents), [], least=3)
    assert text.canonical_id(group.label) == text.canonical_id(label)
    assert len(group.members) == 3


@pytest.mark.parametrize(
    "contents",
    [
        ("用户每天早上跑步", "每天早上有会", "用户每天早上喝粥"),
        ("用户喜欢红色", "用户喜欢爬山", "用户喜欢下雨"),
        ("The user often calls home", "The train is often late", "It often rains in May"),
        ("订单 OD1001 已发货", "订单 OD1002 待付款", "订单 OD1003 已签收"),
        ("用户住在杭州", "公司在杭州开会", "快递从杭州发出"),
    ],
)
def test_what_memories_have_in_common_is_no_topic(contents: tuple[str, ...]) -> None:
    """A time of day, a taste, an adverb, "order", a city: nothing that sentences about different things share groups them."""
    assert due(facts(*contents), [], least=3) == []


@pytest.mark.parametrize(
    "pattern", ["用户收藏了第 {} 本书", "The user likes {} tea", "{}龙井茶好喝", "The user owns a {} car"]
)
def test_a_list_is_no_matter_for_a_reflection(pattern: str) -> None:
    """The same said of one thing after the other needs no further memory, and stays so when it is looked at again."""
    rows = facts(*(pattern.format(word) for word in ("green", "black", "red", "old", "new")))
    assert due(rows, [], least=5) == []


def test_only_facts_take_part() -> None:
    """Reflections, summaries and episodes are no source of a reflection."""
    for name, policy in policies.TYPES.items():
        rows = [replace(row, type=name) for row in facts("去千岛湖钓鱼", "千岛湖风景优美", "千岛湖离家两小时")]
        assert bool(due(rows, [], least=3)) == policy.reflected
    assert {name for name, policy in policies.TYPES.items() if not policy.reflected} == {
        "reflection", "summary", "episode",
    }  # fmt: skip


def test_a_full_topic_takes_no_more() -> None:
    """A reflection has a hundred sources at most; further facts of its topic stay by themselves, and nothing is done twice."""
    words = [chr(0x5E00 + number) + chr(0x6E00 + number) for number in range(130)]
    many = facts(*(f"千岛湖{word * 3}" for word in words))
    groups = due(many, [], least=5)
    assert [len(group.members) for group in groups if group.label == "千岛湖"] == [reflection.MAX_MEMBERS]
    assert due(many, reflected(groups), least=5) == []


def test_the_template_is_in_the_language_of_its_facts() -> None:
    """Facts in Chinese give a Chinese sentence, in English an English one, each word for word, and never a page."""
    (zh,) = due(facts("去千岛湖钓鱼。", "千岛湖很美", "千岛湖很远"), [], least=3)
    assert template(zh) == "关于“千岛湖”已知 3 件事：千岛湖很远；千岛湖很美；去千岛湖钓鱼。"
    (en,) = due(facts("The cat is old.", "The user's cat bites", "A cat needs care"), [], least=3)
    assert template(en) == "About “cat”, 3 things are known: A cat needs care; The user's cat bites; The cat is old."
    (long,) = due(
        facts(*(f"千岛湖{chr(0x5E00 + n)}{chr(0x6E00 + n)}{chr(0x7E00 + n)}" for n in range(99))), [], least=3
    )
    assert len(template(long)) < reflection.MAX_CHARS + 110


def test_the_row_has_what_its_members_have() -> None:
    """All sources, links to all members, the highest importance, the lowest confidence."""
    rows = [
        fact(
            n,
            f"千岛湖{('钓鱼', '露营赏月', '下过大雪')[n]}",
            importance=n + 1,
            confidence=0.7 + n / 10,
            sources=(Source(session=f"s{n % 2}", seqs=(n,)),),
        )
        for n in range(3)
    ]
    (group,) = due(rows, [], least=3)
    row = opened(group, "…", id="ref", now=NOW)
    assert {(source.session, *source.seqs) for source in row.sources} == {("s0", 0, 2), ("s1", 1)}
    assert (row.links, row.importance, row.confidence) == (("mem_0", "mem_1", "mem_2"), 3, 0.7)


@pytest.mark.parametrize(
    ("status", "deleted", "closed", "verdict"),
    [
        (Status.ACTIVE, ["mem_0"], [], "delete"),
        (Status.SUPERSEDED, ["mem_0"], [], "delete"),
        (Status.ACTIVE, [], ["mem_1"], "withdraw"),
        (Status.ARCHIVED, [], ["mem_1"], "withdraw"),
        (Status.SUPERSEDED, [], ["mem_1"], None),
        (Status.ACTIVE, ["other"], ["another"], None),
    ],
)
def test_it_ends_with_its_sources(status: Status, deleted: list[str], closed: list[str], verdict: str | None) -> None:
    """A deleted source takes it along whatever its status; one that gives way withdraws it while it stands; a fact never falls."""
    (group,) = due(facts("去千岛湖钓鱼", "千岛湖风景优美", "千岛湖离家两小时"), [], least=3)
    row = replace(opened(group, "…", id="ref", now=NOW), status=status)
    assert end(row, deleted=deleted, closed=closed) == verdict
    assert end(replace(row, type="event"), deleted=deleted, closed=closed) is None


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ('{"content": "常去千岛湖"}', "常去千岛湖"),
        ('Sure! {"content": "常去千岛湖"} Hope this helps', "常去千岛湖"),
        ("{'content': '常去千岛湖',}", "常去千岛湖"),
        ('["常去千岛湖"]', "常去千岛湖"),
        ("```\n常去千岛湖\n```", "常去千岛湖"),
        ("“常去千岛湖”\n\n(one sentence)", "常去千岛湖"),
        ("{}", ""),
        ("[]", ""),
        ("", ""),
    ],
)
def test_answers_are_read_tolerantly(answer: str, sentence: str) -> None:
    """JSON in any wrapping, or plain words; an empty answer stays empty."""
    assert read(answer) == sentence


@pytest.mark.parametrize(
    ("sentence", "grounded"),
    [
        ("用户常去千岛湖钓鱼和露营", True),
        ("用户 5 次去千岛湖钓鱼", False),
        ("用户不去千岛湖钓鱼", False),
        ("The user goes fishing", False),
        ("用户在北京开咖啡馆，养了两只猫", False),
        ("用户常去千岛湖钓鱼" * 50, False),
        ("", False),
    ],
)
def test_a_sentence_says_what_its_sources_say(sentence: str, grounded: bool) -> None:
    """Numbers, negation, language and most words must stand in the facts."""
    (group,) = due(facts("用户去千岛湖钓鱼", "用户在千岛湖露营", "千岛湖很远"), [], least=3)
    assert is_grounded(sentence, group) is grounded


@pytest.mark.parametrize(
    ("sentence", "grounded"),
    [
        ("用户常去西湖散步划船", True),
        ("用户住在西湖边的别墅", False),
        ("用户在西湖边工作", False),
        ("用户讨厌西湖", False),
        ("The user enjoys walking, rowing and tea by the lake", True),
        ("The user works by the lake", False),
        ("The user lives by the lake", False),
        ("The user hates tea by the lake", False),
    ],
)
def test_a_sentence_claims_nothing_new(sentence: str, grounded: bool) -> None:
    """What somebody did somewhere makes them neither live nor work there, whatever words it shares."""
    zh = ("用户在西湖边散步", "用户在西湖划船", "用户在西湖喝茶")
    en = (
        "The user enjoyed walking by the lake",
        "The user enjoyed rowing on the lake",
        "The user enjoyed tea by the lake",
    )
    members = tuple(facts(*(en if sentence.isascii() else zh)))
    group = Group(key="reflection:lake", label="lake", members=members)
    assert is_grounded(sentence, group) is grounded
