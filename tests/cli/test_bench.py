"""`zhiji bench` measures a file and says what is wrong with it or with its arguments."""

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


def test_extraction_is_measured(run: Run, tmp_path: Path) -> None:
    """`bench extraction` prints every figure of its contract, and as a table what was missed."""
    row = {
        "id": "a",
        "lang": "zh",
        "kind": "name",
        "dialogue": [{"role": "user", "content": "我叫李四"}, {"role": "assistant", "content": "好的"}],
        "facts": [
            {"type": "identity", "key": None, "must_contain": ["李四"]},
            {"type": "task", "key": None, "must_contain": ["开会"]},
        ],
        "never": ["王五"],
    }
    file = tmp_path / "dialogues.jsonl"
    file.write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
    report = run("bench", "extraction", "--data", str(file), "--json").json
    figures = {"facts", "found", "recall", "nevers", "broken", "memories", "by_kind", "by_lang", "by_type"}
    assert set(report) == figures
    assert (report["facts"], report["found"], report["recall"], report["broken"]) == (2, 1, 0.5, 0)
    told = run("bench", "extraction", "--data", str(file), "--explain").out
    assert "开会" in told
    assert "0.500" in told


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """One pair of each relation."""
    file = tmp_path / "pairs.jsonl"
    lines = [
        {"old": "用户叫李四", "new": "用户的名字是李四", "relation": "same"},
        {"old": "The user is single", "new": "The user got married", "relation": "supersede"},
        {"old": "用户对花生过敏", "new": "The user is allergic to shrimp", "relation": "distinct"},
    ]
    file.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), encoding="utf-8")
    return file


def test_consolidation_is_measured(run: Run, pairs: Path, database: Path) -> None:
    """`bench consolidation --json` prints the figures of the contract, and leaves your database alone."""
    report = run("bench", "consolidation", "--data", str(pairs), "--json").json
    each = {"right": 1, "total": 1}
    assert report == {
        "right": 3,
        "total": 3,
        "distinct_merged": 0,
        "by_relation": {"same": each, "supersede": each, "distinct": each},
    }
    assert not database.exists()


@pytest.mark.parametrize(
    ("lang", "words"), [("en", ("supersede", "distinct ones merged")), ("zh", ("取代", "误合并的不同事实"))]
)
def test_the_page_of_consolidation(
    run: Run, pairs: Path, monkeypatch: pytest.MonkeyPatch, lang: str, words: tuple[str, ...]
) -> None:
    """Without `--json` the figures are a table, in the reader's language."""
    monkeypatch.setenv("ZHIJI_LANG", lang)
    ran = run("bench", "consolidation", "--data", str(pairs))
    assert all(word in ran.out for word in words)
    assert ran.err == ""


@pytest.mark.parametrize("line", ["not json", '{"old": "a", "new": "b", "relation": "other"}'])
def test_a_bad_pair_is_refused(run: Run, pairs: Path, line: str) -> None:
    """A line that does not have the format is a usage error, in one sentence with its number."""
    pairs.write_text(f"{pairs.read_text(encoding='utf-8')}\n{line}\n", encoding="utf-8")
    ran = run("bench", "consolidation", "--data", str(pairs))
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "line 4" in ran.err
