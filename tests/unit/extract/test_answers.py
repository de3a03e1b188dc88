"""Reading a model's answer: what is readable is read, what is no answer is an error."""

from __future__ import annotations

import json
import time

import pytest

from zhiji.errors import ExtractionFailed
from zhiji.extract.answers import MAX_FACTS, Fact, facts

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
        "[{'content': '用户是素食者', 'key': None, 'sources': [1]}]",
        "{'memories': [{'content': '用户是素食者', 'sources': [1], }]}",
        'As message [1] shows: [{"content": "用户是素食者", "sources": [1]}]',
        '{"memories": []}\nWait, there is one: {"memories": [{"content": "用户是素食者"}]}',
        '<think>Perhaps [{"content": "用户吃肉"}]?</think>\n[{"content": "用户是素食者"}]',
        '{"name": "memories", "arguments": "{\\"memories\\": [{\\"content\\": \\"用户是素食者\\"}]}"}',
        '[{"CONTENT": "用户是素食者"}]',
        '[{"content": "用户是素食者"',
        '\ufeff[{"content": "用户是素食者"}]',
    ],
)
def test_one_fact_in_any_wrapping(answer: str) -> None:
    """Fences, prose, envelopes, other names, strings, trailing commas and a cut-off end hide no fact."""
    assert contents(answer) == [VEGETARIAN]


@pytest.mark.parametrize("between", ["\n", "", ",\n", "\n\n", " ; "])
@pytest.mark.parametrize("frame", ["{}", "找到了：\n{}\n完", "```json\n{}\n```", "{},"])
@pytest.mark.parametrize("wrap", ["{}", "[{}]", '{{"memories": [{}]}}'])
def test_facts_in_a_row_are_all_read(between: str, frame: str, wrap: str) -> None:
    """JSON Lines, lists and envelopes behind each other: no fact after the first is lost."""
    told = [VEGETARIAN, "The user is called Ann 😀", "用户对花生过敏"]
    rows = [wrap.format(json.dumps({"content": content}, ensure_ascii=False)) for content in told]
    assert contents(frame.format(between.join(rows))) == told


def test_the_last_of_a_row_may_be_cut_off() -> None:
    """What is whole is read, and of the last what stands whole in it."""
    assert contents('{"content": "用户是素食者"}\n{"content": "用户叫李四", "type": "ident') == [
        VEGETARIAN,
        "用户叫李四",
    ]


@pytest.mark.parametrize(
    "answer",
    [
        "[]",
        "{}",
        "```json\n[]\n```",
        '{"memories": []}',
        "No facts: []",
        "{'memories': []}",
        '{"memories": [],}',
        '{"memories": null}',
        '{"memories": "[]"}',
    ],
)
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
        '{"memories": [',
        '{"memories": [{"type": "identity", "sources": [], "content": "用户对花生',
        '<think>Perhaps [{"content": "用户吃肉"}]',
        '[{"content": 5, "confidence": "' + "9" * 5000,
    ],
)
def test_what_is_no_answer_is_an_error(answer: str) -> None:
    """Prose, nothing, null and JSON that can hold no fact are failures, never an empty result."""
    with pytest.raises(ExtractionFailed):
        facts(answer)


TWO = '{"content": "用户是素食者", "sources": [1]}, {"content": "用户住在杭州", "sources": [2], "confidence": 0.9'
"""Two elements; the second lacks its end."""


@pytest.mark.parametrize(
    "answer",
    [
        f'{{"memories": [{TWO}}},]}}',
        f"[{TWO}}},]".replace('"', "'"),
        f"{TWO}}}".replace("}, {", "}\n{"),
        f"1. {TWO}}}".replace("}, {", "}\n2. {"),
    ],
    ids=["trailing comma", "single quotes", "lines", "numbered"],
)
def test_every_element_of_broken_json_is_read(answer: str) -> None:
    """Where JSON is broken, all that stands in it is read, not only the first whole object."""
    found, junk = facts(answer)
    assert [(fact.content, fact.sources) for fact in found] == [(VEGETARIAN, [1]), ("用户住在杭州", [2])]
    assert (found[1].confidence, junk) == (0.9, 0)


@pytest.mark.parametrize(
    ("cut", "read", "confidence"),
    [
        (', {"content": "用户对花生', 2, 0.9),
        (', {"content": "用户对花生过敏", "confidence": 0.9, "sources": [1', 3, 0.5),
        (', {"content": "用户对花生过敏", "confidence": 0.9, "op": "for', 3, 0.5),
        (', {"content": "用户对花生过敏", "confidence": 0.9}, {"type"', 3, 0.9),
    ],
)
def test_of_a_cut_off_answer_only_what_is_whole_is_believed(cut: str, read: int, confidence: float) -> None:
    """Half a sentence is none, a fact whose end is missing waits, and the answer is known to lack something."""
    found, junk = facts(f'{{"memories": [{TWO}}}{cut}')
    assert [fact.content for fact in found] == [VEGETARIAN, "用户住在杭州", "用户对花生过敏"][:read]
    assert found[-1].confidence == confidence
    assert junk


@pytest.mark.parametrize("piece", ['[{"a":"', '["a"b ', "{'content':'", '"a":[', "```json\n["])
def test_nonsense_of_any_length_is_soon_refused(piece: str) -> None:
    """An endpoint that never stops costs no more than reading its answer."""
    began = time.process_time()
    with pytest.raises(ExtractionFailed):
        facts(piece * 50_000)
    assert time.process_time() - began < 5


def test_an_answer_with_too_many_facts_lacks_some() -> None:
    """Beyond the most that one answer may hold, facts are left out and counted."""
    found, junk = facts(json.dumps([{"content": f"fact {number}"} for number in range(MAX_FACTS + 3)]))
    assert (len(found), junk) == (MAX_FACTS, 3)


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
        ("8/10", 0.8),
        ("9" * 5000, 0.5),
        (10**400, 0.5),
        (0.3, 0.3),
    ],
)
def test_confidence_in_any_form(said: object, meant: float) -> None:
    """Words, percentages and nonsense become a number from 0 to 1."""
    assert one(confidence=said).confidence == pytest.approx(meant)


@pytest.mark.parametrize(
    ("said", "meant"), [(5, 5), (9, 5), (-2, 1), (0.8, 4), ("4", 4), ("x", 3), (None, 3), ("4/5", 4), (10**400, 3)]
)
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
        ("After Sale", "after_sale"),
        (["Identity"], "identity"),
        ("MemoryType.PREFERENCE", "preference"),
        (None, "event"),
    ],
)
def test_types_in_any_form(said: object, meant: str) -> None:
    """Types are read whatever their case and in common other words; the default is an event."""
    assert one(type=said).type == meant


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("ADD", "assert"),
        ("delete", "retract"),
        ("forget", "forget"),
        ("NOOP", "none"),
        ("?", "assert"),
        ("Op.FORGET", "forget"),
        (["retract"], "retract"),
        ("忘掉", "forget"),
    ],
)
def test_operations_in_any_form(said: object, meant: str) -> None:
    """The operation is read from the words that models use."""
    assert one(action=said).op == meant


def test_sources_and_references_in_any_form() -> None:
    """Message numbers may be strings; a reference may be called id."""
    fact = one(sources=["3", "#4", None, "x", "[5]", 6.0, True, -7, 1e300, "2025-01-01"], id="#1")
    assert (fact.sources, fact.ref) == ([3, 4, 5, 6], "#1")
    assert one(sources="1, 2").sources == [1, 2]


def test_a_reference_without_content_is_a_fact() -> None:
    """What is withdrawn need not be said again, as null or not at all."""
    (fact,), junk = facts('[{"content": null, "ref": "#0", "op": "retract"}]')
    assert (fact.content, fact.ref, fact.op, junk) == ("", "#0", "retract", 0)


def test_a_bare_string_has_low_confidence() -> None:
    """A fact without any field waits for confirmation."""
    [fact], _ = facts('["用户是素食者"]')
    assert (fact.type, fact.confidence) == ("event", 0.5)
