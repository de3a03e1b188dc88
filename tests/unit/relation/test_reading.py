"""Reading a sentence: concepts across languages, typed numbers, identifiers, and which clause denies what."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhiji.relation import lexicon
from zhiji.relation.lexicon.triggers import triggers
from zhiji.relation.reading import Reading, Word, concepts, plain, read, simplify


def numbers(text: str) -> set[str]:
    return set(read(text).names("number"))


@pytest.mark.parametrize(
    ("spellings", "name"),
    [
        (("5 月 20 日", "5月20号", "五月二十日", "May 20th", "20 May", "may 20"), "date:5-20"),
        (("1990 年 3 月 8 日", "1990-03-08", "1990/3/8", "March 8, 1990"), "date:3-8-1990"),
        (("￥1,999", "1999 元", "1999块钱", "RMB 1999", "0.1999万元"), "cny:1999"),
        (("$20", "20 dollars", "20 美元", "USD 20"), "usd:20"),
        (("下午 3 点", "15:00", "3pm", "3 p.m."), "clock:15:00"),
        (("周三", "星期三", "Wednesday", "wednesdays"), "weekday:2"),
        (("三天", "3 天", "three days", "3-day"), "day:3"),
        (("28 岁", "28 years old", "aged 28", "二十八岁"), "age:28"),
        (("70 公斤", "70kg"), "kg:70"),
        (("L 码", "size L"), "size:l"),
        (("两个", "2 个", "two"), "count:2"),
        (("2024 年", "2024年"), "yearof:2024"),
        (("12000 元", "一万二千元", "一万二千块", "1.2万元"), "cny:12000"),
        (("一百零五公斤", "105 kilograms"), "kg:105"),
    ],
)
def test_one_number_has_one_form(spellings: tuple[str, ...], name: str) -> None:
    """Dates, amounts, times and measures are typed, whichever language and digits they come in."""
    assert {spelling: numbers(spelling) for spelling in spellings} == {spelling: {name} for spelling in spellings}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("订单 OD-2024-0601-002", "od20240601002"),
        ("在 qwen-7b 上", "qwen7b"),
        ("Ticket T-9", "t9"),
        ("尾号 1234", "1234"),
        ("card ending in 1234", "1234"),
        ("手机 138****5678", "138****5678"),
        ("邮箱 z***@example.com", "z***@example.com"),
    ],
)
def test_identifiers_are_whole(text: str, name: str) -> None:
    """Numbers that name something are identifiers, not amounts, and are never cut."""
    assert read(text).names("id") == {name}
    assert not numbers(text)


@pytest.mark.parametrize(
    ("chinese", "english"),
    [
        ("用户对花生过敏", "The user is allergic to peanuts"),
        ("用户住在西雅图", "The user lives in Seattle"),
        ("用户喜欢简短的回复", "The user likes brief replies"),
        ("用户不吃肉", "The user doesn't eat meat"),
        ("用户的猫叫 Momo", "The user's cat is called Momo"),
    ],
)
def test_both_languages_say_the_same_concepts(chinese: str, english: str) -> None:
    """A sentence and its translation read alike."""
    assert set(read(chinese).words) == set(read(english).words)


@pytest.mark.parametrize(
    ("text", "denied", "affirmed"),
    [
        ("用户选择退货而不是换货", "exchange", "return"),
        ("The user wants a refund, not an exchange", "exchange", "refund"),
        ("用户喜欢茶但不喜欢咖啡", "coffee", "tea"),
        ("The user likes tea and doesn't like coffee", "coffee", "tea"),
        ("用户讨厌咖啡，喜欢茶", "coffee", "tea"),
    ],
)
def test_a_denial_reaches_to_the_end_of_its_clause(text: str, denied: str, affirmed: str) -> None:
    """Only the clause that holds a denial is denied."""
    said = read(text)
    signs = {word.name: said.signs(word) for word in said.words}
    assert signs[denied] == {True}
    assert signs[affirmed] == {False}


def test_two_denials_cancel_out() -> None:
    """Not disliking is no denial."""
    assert read("用户不讨厌茶").signs(Word("word", "tea")) == {False}


def test_people_are_subjects_or_not() -> None:
    """A relative in front is who the sentence is about; beside or behind the verb it is not; a profession never is."""
    assert read("用户的父母住在上海").names("person") == {"parents"}
    assert read("用户和父母住在上海").names("person") == frozenset()
    assert read("用户给妈妈买了手机").names("person") == frozenset()
    assert read("用户是老师").names("person") == frozenset()


def test_names_are_taken_as_they_stand() -> None:
    """What follows "is called" is not cut, even where it looks like other words."""
    assert read("用户的同事叫王爱国").names("word") == {"王爱国"}
    assert read("User's name is Will").names("word") == {"will"}


def test_vegetarian_by_another_name() -> None:
    """Eating no meat is the diet, affirmed."""
    assert read("用户不吃肉") == read("用户是素食者") != Reading(())
    assert plain("用户不吃肉") != plain("用户是素食者")


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    """Reading never fails, and reading twice gives the same."""
    assert read(text) == read(text)


def test_the_lexicon_is_consistent() -> None:
    """No concept line is without a spelling."""
    assert all(spellings for rows in lexicon.TABLE.values() for _, spellings in rows)
    assert sum(len(rows) for rows in lexicon.TABLE.values()) >= 1500


def test_every_spelling_has_one_meaning() -> None:
    """No spelling stands twice in the lexicon: which meaning wins would be an accident."""
    seen: dict[str, str] = {}
    repeated = []
    for kind, rows in lexicon.TABLE.items():
        for name, spellings in rows:
            for spelling in dict.fromkeys(spelling.replace("-", "_") for spelling in spellings):
                repeated += [f"{spelling}: {seen[spelling]} and {kind}.{name}"] if spelling in seen else []
                seen[spelling] = f"{kind}.{name}"
    assert repeated == []


def test_every_concept_has_one_kind() -> None:
    """A name means one thing; only what is denied at once shares its name with the predicate."""
    kinds = {kind: {name for name, _ in rows} for kind, rows in lexicon.TABLE.items()}
    assert kinds.pop("denied") <= kinds["predicate"]
    assert sum(map(len, kinds.values())) == len(set[str]().union(*kinds.values()))


def test_concepts_belong_to_no_language() -> None:
    """A sentence and its translation speak of the same things; what is unknown is left out."""
    said = concepts("用户对花生过敏，住在西雅图")
    assert said == concepts("The user is allergic to peanuts and lives in Seattle")
    assert {"predicate:allergy", "place:seattle", "food:peanut"} <= said
    assert concepts("用户喜欢阿巴阿巴") == {"predicate:like"}


def test_no_idiom_is_skipped_where_it_applies() -> None:
    """Wherever a turn of phrase matches, one of the strings that it is looked for by is in the text."""
    told = Path(__file__).with_name("pairs.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [simplify(json.loads(line)[side]) for line in told[::4] for side in ("old", "new")]
    for pattern, _ in (*lexicon.CHINESE, *lexicon.ENGLISH):
        needed = triggers(pattern)
        matching = [text for text in texts if re.search(pattern, text)]
        assert not needed or all(any(string in text for string in needed) for text in matching), pattern
