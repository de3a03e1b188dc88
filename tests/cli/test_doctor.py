"""`zhiji doctor` shows the four steps at a glance, in both languages and in JSON, and its code says whether one broke."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.terminal import USER, Run, opened
from zhiji.types import Memory

ASKED = "我不吃什么？"


@pytest.fixture
def diet(database: Path) -> Memory:
    """One memory of the user."""
    with opened() as zj:
        memory: Memory = zj.remember(USER, "不吃香菜 🌿", type="event")
    return memory


@pytest.fixture
def doubtful(database: Path) -> Memory:
    """One memory that waits in quarantine."""
    with opened() as zj:
        memory: Memory = zj.remember(USER, "好像不吃香菜", type="event", confidence=0.3)
    return memory


def test_nothing_broke(run: Run, diet: Memory) -> None:
    """What is remembered, recalled and given is fine: code 0, one line a step."""
    ran = run("doctor", "--user", USER, "--message", ASKED)
    assert (ran.code, ran.err) == (0, "")
    for step, sign in (("input", "!"), ("session", "–"), ("memory", "✓"), ("context", "✓")):
        assert any(line.split()[:2] == [sign, step] for line in ran.out.splitlines())
    assert "不吃香菜 🌿" in ran.out


def test_the_broken_step_stands_out(run: Run, doubtful: Memory) -> None:
    """A check that failed is code 1, with the sign, and a command that can be run as it is."""
    ran = run("doctor", "--user", USER, "--message", ASKED)
    assert ran.code == 1
    assert any(line.split()[:2] == ["✗", "memory"] for line in ran.out.splitlines())
    assert f"zhiji memories restore --user {USER} {doubtful.id}" in " ".join(ran.out.split())
    run("memories", "restore", "--user", USER, doubtful.id)
    assert run("doctor", "--user", USER, "--message", ASKED).code == 0


def test_in_chinese(run: Run, doubtful: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same report in Chinese, steps and sentences."""
    monkeypatch.setenv("ZHIJI_LANG", "zh")
    ran = run("doctor", "--user", USER, "--session", "ses_none", "--message", ASKED)
    assert ran.code == 1
    assert all(word in ran.out for word in ("输入", "会话", "记忆", "上下文", "该用户没有这个会话。", "隔离区"))
    assert "quarantine" not in ran.out


def test_as_json(run: Run, doubtful: Memory) -> None:
    """`--json` prints the diagnosis: codes, sentences and typed facts."""
    ran = run("doctor", "--user", USER, "--message", ASKED, "--expect", "香菜", "--json")
    assert ran.code == 1
    assert ran.json["broken"] == "memory"
    assert [check["step"] for check in ran.json["steps"]] == ["input", "session", "memory", "context"]
    memory = ran.json["steps"][2]
    assert (memory["status"], memory["finding"]) == ("broken", "quarantined")
    assert memory["facts"]["memory"] == doubtful.id
    assert memory["facts"]["since"].endswith("+00:00")


def test_a_user_nobody_knows(run: Run, diet: Memory) -> None:
    """Another id is another user; nothing of the first one is shown."""
    ran = run("doctor", "--user", "user_002", "--message", ASKED)
    assert ran.code == 1
    assert "Nothing was ever stored under this user id." in ran.out
    assert "香菜" not in ran.out


def test_a_user_to_be_quoted(run: Run, database: Path) -> None:
    """In the commands that are shown, an odd user id is quoted for the shell."""
    with opened() as zj:
        zj.remember("o'neil; ls", "好像不吃香菜", type="event", confidence=0.3)
    out = run("doctor", "--user", "o'neil; ls", "--message", ASKED).out
    assert "--user 'o'\"'\"'neil; ls'" in " ".join(out.split())
