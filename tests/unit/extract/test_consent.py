"""What a message asks of the memory, as it is confirmed to the user."""

from __future__ import annotations

import pytest

from unit.extract import grading
from zhiji.extract import consent


@pytest.mark.parametrize(
    ("words", "what", "about"),
    [
        ("记一下，下周三下午三点给我回电话", "remember", "下周三下午三点给您回电话（2026-03-18 15:00）"),
        ("Note that I'm on holiday until Friday", "remember", "you are on holiday until Friday (2026-03-13)"),
        ("forget my address", "forget", "your address"),
        ("别记住我的生日🙏", "refuse", "您的生日"),
        ("別記住我對花生過敏", "refuse", "您對花生過敏"),
    ],
)
def test_what_is_asked_for_is_told_with_the_days_of_the_message(words: str, what: str, about: str) -> None:
    """A request is told in the second person, and its dates are counted from the day it was made."""
    assert [(one.what, one.about) for one in consent.requests(words, grading.NOW)] == [(what, about)]


@pytest.mark.parametrize(
    "words", ["forget everything about me", "忘掉关于我的一切", "把我所有的资料都删掉", "Ｆorget all I said"]
)
def test_no_one_is_told_that_everything_was_forgotten(words: str) -> None:
    """All at once is no single memory: nothing is confirmed that is not done."""
    assert consent.requests(words, grading.NOW) == []


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("下周三下午三点给我回电话，记一下", "好的，我记住了：下周三下午三点给您回电话（2026-03-18 15:00）。"),
        ("remember to call me on Friday", "OK, I'll remember: to call you within 2 days."),
    ],
)
def test_what_the_assistant_confirms_is_no_promise(asked: str, answer: str) -> None:
    """The echo of a request is not remembered a second time, as the shop's word."""
    kept = grading.by_turns([("user", asked), ("assistant", answer)])
    assert [draft for draft in kept if draft.type == "after_sale"] == []


@pytest.mark.parametrize(
    "words", ["我对花生过敏，我叫李四", "I'm allergic to nuts, my name is Ann", "我對花生過敏，我叫李四😀"]
)
def test_what_has_keys_is_not_kept_a_second_time_without(words: str) -> None:
    """A sentence of nothing but facts with a key is no memory of its own: those may wait for a yes."""
    assert all(draft.key for draft in grading.by_turns([("user", words)]))
