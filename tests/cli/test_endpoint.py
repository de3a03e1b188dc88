"""The command line with a model behind an endpoint, configured by the article's bare names."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Iterator

import pytest

from cli.terminal import USER, Run


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An endpoint that answers the last line that it is sent, in a process of its own; the environment names it."""
    command = [sys.executable, "-m", "zhiji.testing.endpoint"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = process.stdout.readline().strip()
        monkeypatch.setenv("LLM_API_BASE", found)
        monkeypatch.setenv("LLM_MODEL", "some-model")
        yield found
        process.terminate()


def test_one_message_is_answered_by_the_endpoint(run: Run, url: str) -> None:
    """The reply is the model's, streamed to stdout."""
    ran = run("chat", "--user", USER, "我叫李四 😀")
    assert (ran.code, ran.out.strip(), ran.err) == (0, "我叫李四 😀", "")


def test_a_pipe_is_a_conversation_with_the_endpoint(run: Run, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line is a turn."""
    monkeypatch.setattr("sys.stdin", io.StringIO("hello\nHow are you?\n"))
    ran = run("chat", "--user", USER, "--json")
    assert [line.count('"text": "hello"') for line in ran.out.splitlines()] == [1, 0]


def test_an_endpoint_that_is_down_is_exit_7(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what to check, and is no traceback."""
    monkeypatch.setenv("LLM_API_BASE", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("LLM_MODEL", "some-model")
    monkeypatch.setenv("ZHIJI_MODEL_RETRIES", "0")
    ran = run("chat", "--user", USER, "hello")
    assert ran.code == 7
    assert "LLM_API_BASE" in ran.err
    assert "Traceback" not in ran.err


def test_a_model_without_an_endpoint_is_a_wrong_configuration(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """LLM_MODEL alone names what is missing."""
    monkeypatch.setenv("LLM_MODEL", "some-model")
    ran = run("chat", "--user", USER, "hello")
    assert ran.code != 0
    assert "LLM_API_BASE" in ran.err


@pytest.mark.parametrize("variable", ["LLM_API_BASE", "LLM_API_KEY"])
def test_an_endpoint_without_a_model_is_told(run: Run, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    """The offline assistant answers, and what was set in vain is named; its value is not."""
    monkeypatch.setenv(variable, "http://127.0.0.1:9/v1")
    ran = run("chat", "--user", USER, "你好 👋")
    assert ran.code == 0
    assert f"{variable} is set and LLM_MODEL is not" in ran.err
    assert "127.0.0.1" not in ran.err
