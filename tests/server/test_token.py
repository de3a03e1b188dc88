"""The token: made once, kept to its owner, the same for all who start at once, never told by accident."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from zhiji.config import Settings
from zhiji.errors import ConfigError
from zhiji.server import token


def settings(path: Path, **more: str) -> Settings:
    """Settings whose token file is ``path``."""
    return Settings.load(token_file=str(path), **more)


def test_it_is_made_once_and_kept_to_its_owner(tmp_path: Path) -> None:
    """The first start makes the file with mode 0600 under any umask; later ones read the same token."""
    path = tmp_path / "zhiji.token"
    before = os.umask(0)
    try:
        first = token.require(settings(path))
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(first) >= 40
    assert token.require(settings(path)) == first
    assert [one.name for one in tmp_path.iterdir()] == ["zhiji.token"]


def test_two_files_hold_two_tokens(tmp_path: Path) -> None:
    """Each token is its own."""
    assert token.require(settings(tmp_path / "a")) != token.require(settings(tmp_path / "b"))


def test_all_who_start_at_once_get_the_same(tmp_path: Path) -> None:
    """Threads that make the file at the same moment agree on one token, and leave no drafts."""
    path = tmp_path / "zhiji.token"
    with ThreadPoolExecutor(16) as pool:
        found = set(pool.map(lambda _: token.require(settings(path)), range(64)))
    assert len(found) == 1
    assert [one.name for one in tmp_path.iterdir()] == ["zhiji.token"]


def test_processes_that_start_at_once_get_the_same(tmp_path: Path) -> None:
    """So do processes."""
    script = "from zhiji.config import Settings; from zhiji.server.token import require; print(require(Settings()))"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    started = [
        subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert len({one.communicate()[0] for one in started}) == 1
    assert all(one.returncode == 0 for one in started)


def test_the_setting_wins(tmp_path: Path) -> None:
    """A token from the settings needs no file."""
    path = tmp_path / "zhiji.token"
    assert token.require(settings(path, token="0123456789abcdef")) == "0123456789abcdef"
    assert not path.exists()


@pytest.mark.parametrize("words", ["two words of it all", "ünïcödé-token-of-many", "0123456789abcdef\n"])
def test_a_setting_that_no_header_can_carry_is_refused(tmp_path: Path, words: str) -> None:
    """A token that clients could not send is refused at the start, and not repeated."""
    with pytest.raises(ConfigError, match="visible ASCII") as refused:
        token.require(settings(tmp_path / "zhiji.token", token=words))
    assert words not in str(refused.value)


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    """A token that others may have read is none; the sentence says what to do and not what it was."""
    path = tmp_path / "zhiji.token"
    path.write_text("0123456789abcdef")
    path.chmod(mode)
    with pytest.raises(ConfigError, match="can be read by others") as refused:
        token.require(settings(path))
    assert "0123456789" not in str(refused.value)


@pytest.mark.parametrize("words", ["", "\n", "short", "two words of it all", "ünïcödé-token-of-many", "\0" * 20])
def test_a_file_without_a_token_is_refused(tmp_path: Path, words: str) -> None:
    """A blank or broken file is refused, never filled behind its owner's back."""
    path = tmp_path / "zhiji.token"
    path.write_text(words)
    path.chmod(0o600)
    with pytest.raises(ConfigError, match="holds no token"):
        token.require(settings(path))
    assert path.read_text() == words


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    """A folder that is not there, or a folder in place of the file, is a configuration error."""
    for path in (tmp_path / "none" / "zhiji.token", tmp_path):
        with pytest.raises(ConfigError, match="token_file"):
            token.require(settings(path))


def test_a_pipe_is_no_token_s_file(tmp_path: Path) -> None:
    """What is no file is refused, and not waited for."""
    os.mkfifo(tmp_path / "token", 0o600)
    with pytest.raises(ConfigError, match="holds no token"):
        token.require(settings(tmp_path / "token"))
