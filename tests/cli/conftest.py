"""A command line on a database of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.terminal import Ran, Run
from zhiji.cli import main, words


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the database, named in the environment; interface in English, no embedder."""
    path = tmp_path / "zhiji.db"
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "ZHIJI_USER", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ZHIJI_LANG", "en")
    monkeypatch.setenv("ZHIJI_EMBEDDER", "off")
    monkeypatch.setenv("ZHIJI_DATABASE_URL", f"sqlite:///{path}")
    return path


@pytest.fixture
def run(database: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Run a command in this process; its language does not outlive the test."""

    def call(*args: str) -> Ran:
        capsys.readouterr()
        code = main(args)
        out, err = capsys.readouterr()
        return Ran(code=code, out=out, err=err)

    yield call
    words.LANGUAGE.set("en")
