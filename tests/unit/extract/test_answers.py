"""Reading a model's answer: what is readable is read, what is no answer is an error."""

from __future__ import annotations

import json

import pytest

from zhiji.errors import ExtractionFailed
from zhiji.extract.answers import Fact, facts

VEGETARIAN = "用户是素食者"


def contents(answer: str) -> list[str]:
    """Return the contents that an answer yields."""
    return [fact.content for fact in facts(answer)[0]]


def one(**fields: object) -> Fact:
    """Return the only fact of an answer with one element of these fields."""
    [fact], junk = facts(json.dumps([{"content": VEGETARIAN, **fields}]))
    assert junk == 0
    return fact


@pytest.mark.parametrize(
    "answer",
    [
        '[{"type": "preference", "content": "用户是素食者", "confidence": 0.9}]',
        '```json\n[{"content": "用户是素食者"}]\n```\n说明：我提取了一条信息。',
        '```\n[{"content": "用户是素食者"}]\n```',
        '```json[{"content": "用户是素食者"}]```',
        'Here is what I found [as asked]:\n[{"content": "用户是素食者"}]\nAnything else?',
        '{"content": "用户是素食者"}',
        '{"memories": [{"content": "用户是素食者"}]}',
        '{"memories": {"content": "用户是素食者"}}',
        '{"current_status": "ok", "result": [{"content": "用户是素食者"}]}',
        '["用户是素食者"]',
        '[{"fact": "用户是素食者"}]',
        '[{"text": "用户是素食者"}]',
        '{"用户是素食者": ""}',
        '[{"content": "用户是素食者",}],',
        "[{'content': '用户是素食者'}]",
        '[{"content": "用户是素食者"',
        '\ufeff[{"content": "用户是素食者"}]',
    ],
)
def test_one_fact_in_any_wrapping(answer: str) -> None:
    """Fences, prose, envelopes, other names, strings, trailing commas and a cut-off end hide no fact."""
    assert contents(answer) == [VEGETARIAN]


@pytest.mark.parametrize("answer", ["[]", "{}", "```json\n[]\n```", '{"memories": []}', "No facts: []"])
def test_an_empty_result_is_a_result(answer: str) -> None:
    """An empty list or object says that there is nothing to remember."""
    assert facts(answer) == ([], 0)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "   ",
        "null",
        "没有可提取的信息",
        "```\n今天没有要记的内容\n```",
        "```json\n```",
        "true",
        "42",
        '"text"',
        '{"status": "ok", "count": 5}',
        "[null, 3]",
        "[[1], [2]]",
    ],
)
def test_what_is_no_answer_is_an_error(answer: str) -> None:
    """Prose, nothing, null and JSON that can hold no fact are failures, never an empty result."""
    with pytest.raises(ExtractionFailed):
        facts(answer)


def test_junk_is_skipped_and_counted() -> None:
    """Elements that are no facts are left out and counted; the fact among them is kept."""
    found, junk = facts('[null, 3, {"content": ["a"]}, {"content": "用户是素食者"}, {"content": "  "}]')
    assert ([fact.content for fact in found], junk) == ([VEGETARIAN], 4)


def test_all_elements_of_a_list_are_read() -> None:
    """A list at the root gives all its facts, in order."""
    answer = json.dumps([{"content": f"fact {number}"} for number in range(5)])
    assert contents(answer) == [f"fact {number}" for number in range(5)]


@pytest.mark.parametrize("wrap", ["{}", "```json\n{}\n```", "Sure:\n```json\n{}\n```\nDone."])
def test_backticks_inside_a_value_stay(wrap: str) -> None:
    """Backticks in a value are part of it, not of a fence."""
    value = "回答时用 ```json 代码块``` 展示配置"
    assert contents(wrap.format(json.dumps([{"content": value}], ensure_ascii=False))) == [value]


@pytest.mark.parametrize("tail", ["]", ",]"])
def test_surrogate_pairs_become_one_character(tail: str) -> None:
    """An escaped emoji is one code point on the strict and on the lenient path."""
    assert contents('[{"content": "喜欢 \\ud83c\\udf5c 和火锅"}' + tail) == ["喜欢 🍜 和火锅"]


def test_lone_surrogates_are_dropped() -> None:
    """Half an emoji never reaches a store."""
    assert contents('[{"content": "喜欢 \\ud83c 火锅"}]') == ["喜欢  火锅"]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("high", 0.9),
        ("Low", 0.4),
        (85, 0.85),
        ("90%", 0.9),
        (-1, 0.0),
        (250, 1.0),
        (None, 0.5),
        ([], 0.5),
        (True, 0.5),
        (0.3, 0.3),
    ],
)
def test_confidence_in_any_form(said: object, meant: float) -> None:
    """Words, percentages and nonsense become a number from 0 to 1."""
    assert one(confidence=said).confidence == pytest.approx(meant)


@pytest.mark.parametrize(("said", "meant"), [(5, 5), (9, 5), (-2, 1), (0.8, 4), ("4", 4), ("x", 3), (None, 3)])
def test_importance_in_any_form(said: object, meant: int) -> None:
    """Importance is clamped to 1–5, and 3 where it is not said."""
    assert one(importance=said).importance == meant


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("IDENTITY", "identity"),
        ("Profile", "identity"),
        ("偏好", "preference"),
        ("After-Sale", "after_sale"),
        (None, "event"),
    ],
)
def test_types_in_any_form(said: object, meant: str) -> None:
    """Types are read whatever their case and in common other words; the default is an event."""
    assert one(type=said).type == meant


@pytest.mark.parametrize(
    ("said", "meant"),
    [("ADD", "assert"), ("delete", "retract"), ("forget", "forget"), ("NOOP", "none"), ("?", "assert")],
)
def test_operations_in_any_form(said: str, meant: str) -> None:
    """The operation is read from the words that models use."""
    assert one(action=said).op == meant


def test_sources_and_references_in_any_form() -> None:
    """Message numbers may be strings; a reference may be called id."""
    fact = one(sources=["3", "#4", None, "x"], id="#1")
    assert (fact.sources, fact.ref) == ([3, 4], "#1")


def test_a_bare_string_has_low_confidence() -> None:
    """A fact without any field waits for confirmation."""
    [fact], _ = facts('["用户是素食者"]')
    assert (fact.type, fact.confidence) == ("event", 0.5)
