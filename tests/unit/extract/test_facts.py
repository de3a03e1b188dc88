"""From match to draft: values, lists, keys, and English retold in the third person."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhiji.extract import en, facts, zh
from zhiji.extract.fold import fold, is_traditional, traditional


@pytest.mark.parametrize("rule", [*zh.ALL, *en.ALL])
def test_every_pattern_is_one(rule: facts.Rule) -> None:
    """Patterns are compiled when they are first tried: each of them can be."""
    assert rule.pattern.groups >= 0


@given(st.text())
def test_folding_keeps_every_offset(text: str) -> None:
    """A folded text has the length of the text."""
    assert len(fold(text)) == len(text)


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("我係阿珊，唔食辣", "我是阿珊,不食辣"),
        ("ＯＤ２０２４", "od2024"),
        ("訂單號", "订单号"),
        ("I’m", "i'm"),
        ("“阿宝”", '"阿宝"'),
    ],
)
def test_one_spelling_for_patterns(written: str, seen: str) -> None:
    """Traditional, Cantonese, full-width, capital and curly become one spelling."""
    assert fold(written) == seen


@pytest.mark.parametrize(
    ("text", "expected"), [("我對蝦過敏", True), ("我对虾过敏", False), ("去乾清宫看看这个展", False), ("hello", False)]
)
def test_the_script_is_told(text: str, expected: bool) -> None:
    """A text is traditional if more of its characters are than are simplified."""
    assert is_traditional(text) is expected


def test_our_frames_exist_in_both_scripts() -> None:
    """A sentence frame can be given in traditional characters."""
    assert traditional("用户的订单：想退货") == "用戶的訂單：想退貨"


@pytest.mark.parametrize(
    ("value", "tidied"),
    [
        ("张哥啊", "张哥"),
        (" 李四，", "李四"),
        ("Fitz please", "Fitz"),
        ("the blue one, thanks", "the blue one"),
        ("「阿宝」", "阿宝"),
    ],
)
def test_values_lose_particles_and_punctuation(value: str, tidied: str) -> None:
    """Final particles, politeness and surrounding marks are no part of a value."""
    assert facts.tidy(value) == tidied


@pytest.mark.parametrize(
    ("value", "members"),
    [("花生、虾和芒果", ["花生", "虾", "芒果"]), ("nuts, milk and eggs", ["nuts", "milk", "eggs"]), ("腰果", ["腰果"])],
)
def test_lists_are_split(value: str, members: list[str]) -> None:
    """Lists in either language give their members."""
    assert facts.items(value) == members


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I run a bakery", "The user runs a bakery"),
        ("I'm learning Dutch with my sister", "The user is learning Dutch with their sister"),
        ("I always carry my inhaler", "The user always carries their inhaler"),
        ("I have two kids", "The user has two kids"),
        ("I don't drink", "The user doesn't drink"),
        ("my knee hurts when I run", "The user's knee hurts when they run"),
        ("two huskies", "The user: two huskies"),
        ("I finally finished it", "The user finally finished it"),
    ],
)
def test_english_is_retold(said: str, told: str) -> None:
    """A first-person clause becomes one about the user."""
    assert facts.retell(said, "en") == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("我每天跑步", "用户每天跑步"),
        ("周末都去钓鱼", "用户周末都去钓鱼"),
        ("我每週都去釣魚", "用戶每週都去釣魚"),
        ("我们家养猫", "用户家养猫"),
    ],
)
def test_chinese_is_retold(said: str, told: str) -> None:
    """A first-person clause becomes one about the user, in its own script."""
    assert facts.retell(said, "zh") == told


@pytest.mark.parametrize(
    ("value", "about"), [("喝咖啡", "咖啡"), ("drinking coffee", "coffee"), ("爬山", "爬山"), ("the sea", "sea")]
)
def test_tastes_are_about_the_thing(value: str, about: str) -> None:
    """Whatever one does with it, the key of a taste is the thing."""
    assert facts.bare_object(value) == about
