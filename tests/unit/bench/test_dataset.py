"""The file format of the retrieval bench."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from zhiji.bench import dataset
from zhiji.errors import InvalidInput

ITEM = {"id": "i1", "session": 1, "time": "2024-05-01T09:30:00", "speaker": "Wang", "text": "周末去爬山"}
ASKED = {"question": "周末做什么", "gold": ["i1"], "group": "plan"}
OWNER = {"owner": "o1", "lang": "zh", "items": [ITEM], "questions": [ASKED]}


def write(folder: Path, *lines: object) -> Path:
    """Return a file of these lines; what is not text is written as JSON."""
    path = folder / "data.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def changed(**changes: Any) -> dict[str, Any]:
    """Return an owner whose only item has these changes."""
    return {**OWNER, "items": [{**ITEM, **changes}]}


def test_line_is_an_owner(tmp_path: Path) -> None:
    """Items and questions come as written; naive times are UTC, sessions may be numbers, other fields are ignored."""
    (owner,) = dataset.load(write(tmp_path, OWNER))
    (item,), (question,) = owner.items, owner.questions
    assert owner.name == "o1"
    assert (item.id, item.session, item.speaker, item.text) == ("i1", "1", "Wang", "周末去爬山")
    assert item.time == owner.last_time == datetime(2024, 5, 1, 9, 30, tzinfo=UTC)
    assert (question.text, question.gold, question.group) == ("周末做什么", frozenset({"i1"}), "plan")


def test_items_group_by_session_in_order(tmp_path: Path) -> None:
    """Sessions come in the order of their first item, each with its items in order, interleaved or not."""
    items = [{**ITEM, "id": str(number), "session": session} for number, session in enumerate("babca")]
    (owner,) = dataset.load(write(tmp_path, {**OWNER, "items": items}))
    assert [[item.id for item in session] for session in owner.sessions()] == [["0", "2"], ["1", "4"], ["3"]]


def test_lines_are_chosen_by_number(tmp_path: Path) -> None:
    """Line numbers count from 1, blank lines included; without a choice all owners come."""
    path = write(tmp_path, {**OWNER, "owner": "a"}, "", {**OWNER, "owner": "b"}, {**OWNER, "owner": "c"})
    assert [owner.name for owner in dataset.load(path)] == ["a", "b", "c"]
    assert [owner.name for owner in dataset.load(path, [1, 2, 4])] == ["a", "c"]
    with pytest.raises(InvalidInput, match="4 lines, there is no line 9"):
        list(dataset.load(path, [1, 9]))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "line 2: this is not JSON"),
        ("[]", "line 2: expected a JSON object"),
        ({**OWNER, "items": []}, "line 2: `items` is empty"),
        ({**OWNER, "items": {}}, "line 2: `items` must be a list"),
        ({**OWNER, "owner": None}, "line 2: `owner` must be a text"),
        ({**OWNER, "items": [ITEM, ITEM]}, "same `id`"),
        ({**OWNER, "items": [ITEM, "x"]}, r"items\[1\]: expected a JSON object"),
        (changed(id=True), r"items\[0\]: `id` must be a text or a whole number"),
        (changed(text=3), r"items\[0\]: `text` must be a text"),
        (changed(time="yesterday"), r"items\[0\]: `time` must be ISO 8601"),
        ({**OWNER, "questions": [{"question": "?"}]}, r"questions\[0\]: `gold` must be a list"),
        ({**OWNER, "questions": [{"question": "?", "gold": [None]}]}, "`gold` must be a list of item ids"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_place(tmp_path: Path, line: object, says: str) -> None:
    """The error names the line, the place in it and what was expected there."""
    with pytest.raises(InvalidInput, match=says):
        list(dataset.load(write(tmp_path, OWNER, line)))


def test_unreadable_files_are_one_sentence(tmp_path: Path) -> None:
    """A missing file, a folder or bytes that are no UTF-8 are refused with the path."""
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for name in ("missing.jsonl", ".", "binary"):
        with pytest.raises(InvalidInput, match="cannot be read"):
            list(dataset.load(tmp_path / name))
