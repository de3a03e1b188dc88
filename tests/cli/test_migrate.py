"""``zhiji migrate``, ``move`` and ``reindex``: what they print, in which language, and their exit codes."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cli.terminal import Run
from zhiji.stores.sqlite.schema import MIGRATIONS

V1 = Path(__file__).parents[1] / "stores" / "data" / "sqlite_v1.sql"


@pytest.fixture
def older(database: Path) -> Path:
    """The database is a file of the first release."""
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript(V1.read_text(encoding="utf-8"))
    return database


def test_a_plan_changes_nothing(older: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """It prints the present version, the target, and each step with one sentence, in the reader's language."""
    before = older.read_bytes()
    ran = run("migrate", "--plan", "--json")
    told = json.loads(ran.out)
    assert (ran.code, told["present"], told["target"], told["done"]) == (0, 1, len(MIGRATIONS), False)
    assert [step["version"] for step in told["steps"]] == list(range(2, len(MIGRATIONS) + 1))
    assert f"From version 1 to {len(MIGRATIONS)}" in run("migrate", "--plan").out
    monkeypatch.setenv("ZHIJI_LANG", "zh")
    assert "记录工作进程的存活信号" in run("migrate", "--plan").out
    assert older.read_bytes() == before
    assert [entry.name for entry in older.parent.iterdir()] == [older.name]


def test_migrating_by_hand(older: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """With auto_migrate off other commands refuse an older file, `zhiji migrate` brings it up to date, and they work."""
    monkeypatch.setenv("ZHIJI_AUTO_MIGRATE", "false")
    refused = run("jobs", "list")
    assert refused.code == 6
    assert "zhiji migrate" in refused.err
    done = json.loads(run("migrate", "--json").out)
    assert (done["present"], done["done"]) == (1, True)
    assert "up to date" in run("migrate").out
    assert run("jobs", "list").code == 0


def test_a_plan_makes_no_file(database: Path, run: Run) -> None:
    """Of a database that is not there yet it tells every step."""
    told = json.loads(run("migrate", "--plan", "--json").out)
    assert (told["present"], len(told["steps"])) == (0, len(MIGRATIONS))
    assert not database.exists()


def test_moving_a_file(older: Path, tmp_path: Path, run: Run) -> None:
    """Everything is in the target; the second time nothing is copied; stdout is JSON alone."""
    target = f"sqlite:///{tmp_path / 'target.db'}"
    for copied in (4, 0):
        ran = run("move", "--from", f"sqlite:///{older}", "--to", target, "--json")
        told = json.loads(ran.out)
        assert (ran.code, told["owners"], told["copied"], told["others"]) == (0, 4, copied, [])
        assert told["rows"]["messages"] > 20
    assert "messages" in run("move", "--from", f"sqlite:///{older}", "--to", target).out


def test_moving_names_what_is_wrong(older: Path, tmp_path: Path, run: Run) -> None:
    """A source that is not there is not made; passwords of URLs are in no output."""
    missing = run("move", "--from", f"sqlite:///{tmp_path / 'missing.db'}", "--to", f"sqlite:///{tmp_path / 'x.db'}")
    assert missing.code == 2
    assert "no zhiji database" in missing.err
    assert [entry.name for entry in tmp_path.iterdir()] == [older.name]
    secret = "postgresql://zhiji:s3cret-word@127.0.0.1:1/zhiji"
    for places in ((f"sqlite:///{older}", secret), (secret, f"sqlite:///{older}")):
        ran = run("--verbose", "move", "--from", places[0], "--to", places[1])
        assert ran.code == 6
        assert "s3cret-word" not in ran.out + ran.err


def test_reindexing_needs_an_embedder(database: Path, run: Run) -> None:
    """Without one the error names the setting."""
    ran = run("reindex")
    assert ran.code == 2
    assert "ZHIJI_EMBEDDER" in ran.err
