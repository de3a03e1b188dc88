"""`zhiji bench retrieval` measures a file and says what is wrong with its arguments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.terminal import Run
from zhiji.cli.bench import numbers
from zhiji.errors import InvalidInput

FIGURES = {"recall@5", "recall@10", "recall@20", "ndcg@10", "mrr"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two owners with two items and one question each."""
    owners = [
        {
            "owner": name,
            "lang": "en",
            "source": "test",
            "items": [
                {
                    "id": "a",
                    "session": "s",
                    "time": "2026-10-01T09:00:00",
                    "speaker": "Ann",
                    "text": f"I moved to {town}.",
                },
                {
                    "id": "b",
                    "session": "s",
                    "time": "2026-10-01T09:01:00",
                    "speaker": "Bob",
                    "text": "I play the oboe.",
                },
            ],
            "questions": [{"question": "Who plays the oboe?", "gold": ["b"], "group": "single"}],
        }
        for name, town in (("one", "Leeds"), ("two", "York"))
    ]
    file = tmp_path / "data.jsonl"
    file.write_text("\n".join(json.dumps(owner) for owner in owners), encoding="utf-8")
    return file


def test_the_report(run: Run, data: Path) -> None:
    """The report has every figure of the contract, over all questions and by group."""
    report = run("bench", "retrieval", "--data", str(data), "--k", "5,10,20", "--json").json
    assert set(report) == FIGURES | {"questions", "groups", "latency_ms", "rows", "bytes", "config"}
    assert (report["questions"], report["recall@5"], set(report["groups"])) == (2, 1.0, {"single"})
    assert set(report["latency_ms"]) == {"p50", "p95"}


def test_owners_are_chosen(run: Run, data: Path) -> None:
    """`--owners` counts lines from 1."""
    assert run("bench", "retrieval", "--data", str(data), "--owners", "2", "--json").json["questions"] == 1


def test_the_page(run: Run, data: Path) -> None:
    """Without `--json` the figures are a table, and no progress is drawn off a terminal."""
    ran = run("bench", "retrieval", "--data", str(data))
    assert all(word in ran.out for word in ("recall@10", "ndcg@10", "single", "p95"))
    assert ran.err == ""


def test_your_database_is_left_alone(run: Run, data: Path, database: Path) -> None:
    """Measuring happens elsewhere."""
    run("bench", "retrieval", "--data", str(data))
    assert not database.exists()


@pytest.mark.parametrize("args", [("--owners", "x"), ("--owners", "0"), ("--k", "five")], ids=["owners", "zero", "k"])
def test_bad_arguments_are_refused(run: Run, data: Path, args: tuple[str, str]) -> None:
    """A list of numbers that is none is a usage error."""
    ran = run("bench", "retrieval", "--data", str(data), *args)
    assert (ran.code, ran.err.count("\n")) == (2, 1)


@pytest.mark.parametrize("content", [None, "not json\n"], ids=["absent", "nonsense"])
def test_a_bad_file_is_refused(run: Run, tmp_path: Path, content: str | None) -> None:
    """A file that is not there or not in the format is a usage error, in one sentence."""
    file = tmp_path / "bad.jsonl"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    ran = run("bench", "retrieval", "--data", str(file))
    assert (ran.code, ran.err.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("text", "found"), [("3", [3]), ("1-3,8", [1, 2, 3, 8]), (" 2 - 3 , 1 ", [1, 2, 3]), ("2,2,1-2", [1, 2])]
)
def test_lists_of_numbers(text: str, found: list[int]) -> None:
    """Numbers and ranges become a sorted list without repeats."""
    assert numbers(text) == found


@pytest.mark.parametrize("text", ["", ",", "1-", "-1", "0", "a", "1-2-3", "1.5"])
def test_what_is_no_list_of_numbers(text: str) -> None:
    """Everything else is refused."""
    with pytest.raises(InvalidInput, match="list of numbers"):
        numbers(text)
