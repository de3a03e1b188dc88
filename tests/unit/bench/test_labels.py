"""How what was stored is compared with labelled dialogues."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from zhiji.bench import labels
from zhiji.bench.labels import Dialogue, Fact, Row
from zhiji.errors import InvalidInput


def dialogue(kind: str = "multi", *, never: list[str] | None = None, facts: list[Fact] | None = None) -> Dialogue:
    """Return a labelled dialogue of one message."""
    said = [{"role": "user", "content": "…"}]
    return Dialogue.model_validate(
        {"id": "x", "kind": kind, "dialogue": said, "facts": facts or [], "never": never or []}
    )


@pytest.mark.parametrize(
    ("row", "fact", "expected"),
    [
        (Row(type="identity", content="用户叫宋未央"), Fact(type="identity", must_contain=["宋未央"]), True),
        (Row(type="identity", content="用戶叫宋未央"), Fact(type="identity", must_contain=["用户"]), True),
        (Row(type="identity", content="The User Lives in CORK"), Fact(type="identity", must_contain=["cork"]), True),
        (Row(type="order", content="订单 ＯＤ-2024 0415"), Fact(type="order", must_contain=["OD20240415"]), True),
        (Row(type="preference", content="对花生过敏"), Fact(type="identity", must_contain=["花生"]), True),
        (Row(type="order", content="对花生过敏"), Fact(type="identity", must_contain=["花生"]), False),
        (Row(type="identity", content="用户在线", value="苏州"), Fact(type="identity", must_contain=["苏州"]), True),
        (
            Row(type="identity", content="苏州", value="杭州"),
            Fact(type="identity", must_contain=["苏州", "杭州"]),
            False,
        ),
        (Row(type="identity", content="x", value={"city": "Oslo"}), Fact(type="identity", must_contain=["oslo"]), True),
        (Row(type="identity", content="用户叫 🍜"), Fact(type="identity", must_contain=["🍜"]), True),
        (
            Row(type="order", content="订单 OD1", key="order:OD1"),
            Fact(type="order", key="order:OD1", must_contain=["OD1"]),
            True,
        ),
        (Row(type="order", content="订单 OD1"), Fact(type="order", key="order:OD1", must_contain=["OD1"]), False),
    ],
)
def test_when_a_memory_states_a_fact(row: Row, fact: Fact, expected: bool) -> None:
    """Script, width, case, spaces and dashes do not count; words in one place, a sensible type and the key do."""
    assert labels.states(row, fact) is expected


def test_only_active_memories_find_facts() -> None:
    """A fact that only a quarantined or superseded row states is missed."""
    fact = Fact(type="identity", must_contain=["Ana"])
    wanted = dialogue(facts=[fact])
    assert labels.missed(wanted, [Row(type="identity", content="Ana", is_active=False)]) == [fact]
    assert labels.missed(wanted, [Row(type="identity", content="Ana")]) == []


def test_a_never_is_broken_by_what_is_active_and_a_secret_by_any_row() -> None:
    """What waits or is history breaks no `never`, unless it is a secret."""
    held = [Row(type="identity", content="我是外星人", is_active=False)]
    assert labels.broken(dialogue("joke", never=["外星人"]), held) == []
    assert labels.broken(dialogue("secret", never=["外星人"]), held) == ["外星人"]
    assert labels.broken(dialogue("joke", never=["外星人"]), [Row(type="identity", content="他是外星人")]) == ["外星人"]


def test_of_small_talk_and_questions_nothing_may_be_remembered() -> None:
    """Any active memory breaks a silent dialogue, once; in other kinds labelled facts are a floor."""
    held = [Row(type="event", content="用户笑了"), Row(type="event", content="用户又笑了")]
    assert labels.broken(dialogue("smalltalk"), held) == ["用户笑了"]
    assert labels.broken(dialogue("question"), held) == ["用户笑了"]
    assert labels.broken(dialogue("preference"), held) == []
    assert labels.traps(dialogue("question", never=["x"])) == 2


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 1: it is not JSON"),
        ('{"id": "a"}', "line 1: dialogue"),
        ('{"id": "a", "dialogue": [{"role": "robot", "content": ""}]}', "line 1: dialogue.0.role"),
        ("[]", "line 1: the line"),
    ],
)
def test_a_line_that_does_not_fit_is_named(tmp_path: Path, line: str, said: str) -> None:
    """What is wrong with a file is told with its line and place."""
    file = tmp_path / "data.jsonl"
    file.write_text(line, encoding="utf-8")
    with pytest.raises(InvalidInput, match=said):
        list(labels.load(file))


def test_blank_lines_hold_nothing(tmp_path: Path) -> None:
    """Blank lines are passed over; a file that is no text is refused."""
    file = tmp_path / "data.jsonl"
    row = {"id": "a", "dialogue": [{"role": "user", "content": "hi"}]}
    file.write_text(f"\n{json.dumps(row)}\n\n", encoding="utf-8")
    assert [found.id for found in labels.load(file)] == ["a"]
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match="UTF-8"):
        list(labels.load(file))
