"""The extraction bench, end to end on a few invented dialogues."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from zhiji.bench import extraction
from zhiji.config import Settings
from zhiji.errors import InvalidInput
from zhiji.testing import ScriptedModel
from zhiji.types import Completion

SETTINGS = Settings.load(embedder="off")
BY_MODEL = Settings.load(embedder="off", extractor="model")
DIALOGUES = (
    {
        "id": "a",
        "lang": "zh",
        "kind": "name",
        "dialogue": [{"role": "user", "content": "我叫李四，对花生过敏"}, {"role": "assistant", "content": "好的"}],
        "facts": [
            {"type": "identity", "key": None, "must_contain": ["李四"]},
            {"type": "identity", "key": None, "must_contain": ["花生"]},
            {"type": "order", "key": "order:OD1", "must_contain": ["OD1"]},
        ],
        "never": ["王五"],
    },
    {
        "id": "b",
        "lang": "en",
        "kind": "smalltalk",
        "dialogue": [{"role": "user", "content": "haha good one"}, {"role": "assistant", "content": "Thanks!"}],
        "facts": [],
        "never": [],
    },
    {
        "id": "c",
        "lang": "en",
        "kind": "tool_only",
        "dialogue": [
            {"role": "user", "content": "where is my parcel?"},
            {"role": "tool", "content": '{"order_id": "OD20240917264", "status": "shipped"}'},
            {"role": "assistant", "content": "On its way."},
        ],
        "facts": [{"type": "order", "key": "order:OD20240917264", "must_contain": ["OD20240917264"]}],
        "never": [],
    },
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a file of three dialogues."""
    path = tmp_path / "data.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in DIALOGUES), encoding="utf-8")
    return path


async def test_the_report(data: Path) -> None:
    """Facts, traps and memories are counted over all dialogues, and by kind, language and type."""
    report = await extraction.run(data, settings=SETTINGS)
    assert {name: report[name] for name in ("facts", "found", "recall", "nevers", "broken")} == {
        "facts": 4,
        "found": 3,
        "recall": 0.75,
        "nevers": 2,
        "broken": 0,
    }
    by_kind, by_lang, by_type = report["by_kind"], report["by_lang"], report["by_type"]
    assert isinstance(by_kind, dict)
    assert isinstance(by_lang, dict)
    assert isinstance(by_type, dict)
    assert by_kind["smalltalk"] == {"facts": 0, "found": 0, "recall": None, "nevers": 1, "broken": 0}
    assert set(by_lang) == {"zh", "en"}
    assert by_type["order"] == {"facts": 2, "found": 1, "recall": 0.5, "nevers": 0, "broken": 0}


async def test_what_was_missed_is_told_on_request(data: Path) -> None:
    """With `explain` each dialogue that missed or broke something is named, and no other."""
    report = await extraction.run(data, settings=SETTINGS, explain=True)
    assert report["wrong"] == [{"id": "a", "missed": [["OD1"]], "broken": []}]


async def test_a_model_that_invents_breaks_its_labels(data: Path) -> None:
    """What a model makes of small talk counts as broken: the bench can fail."""
    claim = {"type": "event", "content": "The user said haha good one", "sources": [1], "confidence": 0.9}
    model = ScriptedModel([Completion(text=text) for text in ("[]", json.dumps([claim]), "[]")])
    report = await extraction.run(data, settings=BY_MODEL, model=model)
    assert report["broken"] == 1
    assert "failed" not in report


async def test_dialogues_that_could_not_be_read_are_counted(data: Path) -> None:
    """If the extractor fails on a dialogue, the report says on how many, rather than showing a low recall alone."""
    model = ScriptedModel([Completion(text=text) for text in ("[]", *["no JSON"] * 5, "[]")])
    assert (await extraction.run(data, settings=BY_MODEL, model=model))["failed"] == 1


async def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    """A file without a dialogue has no figures."""
    file = tmp_path / "empty.jsonl"
    file.write_text("\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="no dialogue"):
        await extraction.run(file, settings=SETTINGS)
