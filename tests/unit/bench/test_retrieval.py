"""The retrieval bench, end to end on a few invented dialogues."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from zhiji.bench import retrieval
from zhiji.config import Settings
from zhiji.errors import InvalidInput
from zhiji.testing import HashEmbedder

SAID = (
    ("m1", 1, "2023-03-01T10:00:00", "Ana", "I adopted a grey parrot last week"),
    ("m2", 1, "2023-03-01T10:01:00", "Ben", "What is it called?"),
    ("m3", 1, "2023-03-01T10:02:00", "Ana", "Pepper, and it already whistles"),
    ("m4", 2, "2024-09-12T08:00:00", "Ben", "My new violin teacher lives in Ghent"),
    ("m5", 2, "2024-09-12T08:01:00", "assistant", "Noted: violin lessons in Ghent"),
)
ASKED = (
    ("Which bird did Ana adopt?", ["m1"], "pets"),
    ("Where does the violin teacher live?", ["m4", "m5"], "places"),
    ("What does Carl collect?", ["m3"], "pets"),
)
KEYWORDS = Settings.load(embedder="off")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a file of two owners that said the same."""
    items = [dict(zip(("id", "session", "time", "speaker", "text"), said, strict=True)) for said in SAID]
    questions = [dict(zip(("question", "gold", "group"), asked, strict=True)) for asked in ASKED]
    path = tmp_path / "data.jsonl"
    lines = [json.dumps({"owner": f"o{number}", "items": items, "questions": questions}) for number in (1, 2)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


async def test_report_holds_what_was_found(data: Path) -> None:
    """All questions count, old items are found in spite of their age, and the report has every figure of the format."""
    report = await retrieval.run(data, ks=[1, 20], settings=KEYWORDS)
    assert report["questions"] == 6
    assert {"recall@1", "recall@5", "recall@10", "recall@20", "ndcg@10", "mrr"} <= report.keys()
    groups, latency, config = report["groups"], report["latency_ms"], report["config"]
    assert isinstance(groups, dict)
    assert isinstance(latency, dict)
    assert isinstance(config, dict)
    pets, places = groups["pets"], groups["places"]
    assert isinstance(pets, dict)
    assert isinstance(places, dict)
    assert places["recall@5"] == 1.0
    assert pets["recall@1"] == 0.5
    assert pets["questions"] == 4
    assert set(latency) == {"p50", "p95"}
    assert isinstance(report["rows"], int)
    assert report["rows"] >= 10
    assert isinstance(report["bytes"], int)
    assert report["bytes"] > 0
    assert config["embedder"] is None
    json.dumps(report)


async def test_owners_and_embedder_can_be_chosen(data: Path) -> None:
    """One line alone is measured if so wished, with any embedder; the report names it, progress is told."""
    told: list[tuple[str, int, int]] = []
    report = await retrieval.run(
        data, owners=[2], embedder=HashEmbedder(32), progress=lambda name, done, count: told.append((name, done, count))
    )
    assert report["questions"] == 3
    assert isinstance(report["config"], dict)
    assert report["config"]["embedder"] == "hash-32"
    assert told == [("o2", 0, 1)]


async def test_bad_files_are_refused_before_anything_runs(data: Path) -> None:
    """A line that does not exist is an error, not an empty report."""
    with pytest.raises(InvalidInput, match="no line 7"):
        await retrieval.run(data, owners=[7], settings=KEYWORDS)
