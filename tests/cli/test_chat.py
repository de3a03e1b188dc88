"""Talking on the command line: streamed replies, slash commands, pipes and JSON."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.terminal import USER, Run, opened
from zhiji.blocking import Zhiji
from zhiji.cli.chat import COMMANDS, Conversation
from zhiji.config import Settings
from zhiji.testing import ScriptedModel


@pytest.fixture
def zj(database: Path) -> Iterator[Zhiji]:
    """A zhiji whose model says what the test wants."""
    with Zhiji.open(
        Settings.from_environment(worker=False), model=ScriptedModel(["你好，李四。", "花生。", "再见。"])
    ) as zj:
        yield zj


@pytest.fixture
def talk(zj: Zhiji) -> Conversation:
    """A conversation of the user."""
    return Conversation(zj, USER, None)


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str | type[BaseException]) -> None:
    """The user types these lines, or raises; then the input ends."""
    answers = iter(lines)

    def read(prompt: str) -> str:
        line = next(answers, EOFError)
        if isinstance(line, str):
            return line
        raise line

    monkeypatch.setattr("builtins.input", read)


def test_one_message(run: Run) -> None:
    """A message as argument is one turn: the reply on stdout, nothing else."""
    ran = run("chat", "--user", USER, "你好")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.strip()


@pytest.mark.parametrize(("lang", "sentence"), [("en", "This user has had its share"), ("zh", "已用满配额")])
def test_who_has_had_their_share_is_told_so(
    run: Run, monkeypatch: pytest.MonkeyPatch, lang: str, sentence: str
) -> None:
    """Over the limit, the command ends with 4 and one sentence that names limit and waiting time, also in Chinese."""
    monkeypatch.setenv("ZHIJI_LANG", lang)
    monkeypatch.setenv("ZHIJI_USER_LIMITS", "１／100 years")
    assert run("chat", "--user", USER, "你好").code == 0
    ran = run("chat", "--user", USER, "你好")
    assert (ran.code, ran.out) == (4, "")
    assert sentence in ran.err
    assert "1 per 100 year; wait" in ran.err
    assert run("chat", "--user", "user_002", "你好").code == 0


def test_a_wrong_limit_is_a_wrong_configuration(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is answered under a limit that is not understood; the sentence names the setting and shows one."""
    monkeypatch.setenv("ZHIJI_TENANT_LIMITS", "20 每分钟")
    ran = run("chat", "--user", USER, "你好")
    assert (ran.code, ran.out) == (2, "")
    assert "tenant_limits" in ran.err
    assert "20/minute; 500/day" in ran.err


def test_one_message_as_json(run: Run) -> None:
    """With `--json` the whole reply is printed, with its usage."""
    reply = run("chat", "--user", USER, "我叫李四", "--json").json
    assert reply["session_id"].startswith("ses_")
    usage = reply["usage"]
    assert usage["total"] > 0
    assert usage["ratio"] == (usage["total"] + usage["reserve"]) / usage["limit"]


def test_what_was_said_is_remembered(run: Run) -> None:
    """When the command ends, what was said is memory."""
    run("chat", "--user", USER, "我叫李四")
    assert "identity:name" in run("memories", "list", "--user", USER).out


def test_a_pipe_takes_slash_commands(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A script may look at what is remembered between two messages, and ends at /quit."""
    monkeypatch.setattr("sys.stdin", io.StringIO("我叫李四，我对芒果过敏\n/memories\n/quit\n这句不说\n"))
    done = run("chat", "--user", "u1")
    assert done.code == 0
    assert "identity:allergy.芒果" in done.out
    assert "这句不说" not in done.out


def test_a_pipe_is_a_conversation(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line of a pipe is a message of one session; with `--json` each reply is a line."""
    monkeypatch.setattr("sys.stdin", io.StringIO("我叫李四\n\n我叫什么？\n"))
    replies = [json.loads(line) for line in run("chat", "--user", USER, "--json").out.splitlines()]
    assert len(replies) == 2
    assert replies[0]["session_id"] == replies[1]["session_id"]


def test_an_unknown_session_is_not_found(run: Run) -> None:
    """A session that is not the user's is refused with code 3."""
    assert run("chat", "--user", USER, "--session", "ses_unknown", "你好").code == 3


def test_an_empty_message_is_refused(run: Run) -> None:
    """An invisible message is a usage error."""
    assert run("chat", "--user", USER, " \u200b ").code == 2


def test_the_shop_is_offered(run: Run) -> None:
    """The offline assistant looks orders up in the demo shop, unless told otherwise."""
    question = "订单 OD20240415008 的退货地址是什么"
    assert "文三路" in run("chat", "--user", USER, question).out
    assert "文三路" not in run("chat", "--user", "user_002", "--no-shop", question).out


def test_talking(talk: Conversation, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Lines become turns of one session until /quit; an empty line is nothing."""
    typed(monkeypatch, "我叫李四", "", "我对什么过敏？", "/quit", "never read")
    talk.run()
    out = capsys.readouterr().out
    assert "你好，李四。" in out
    assert "花生。" in out
    assert "再见。" not in out


def test_the_end_of_the_input_ends(talk: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-D and Ctrl-C at the prompt end the conversation."""
    for end in (EOFError, KeyboardInterrupt):
        typed(monkeypatch, end, "never read")
        talk.run()
    assert not talk.listed


def test_an_error_does_not_end_the_talk(
    talk: Conversation, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error of one turn or command is a sentence, and the talk goes on."""
    typed(monkeypatch, "/forget mem_unknown", "我叫李四")
    talk.run()
    told = capsys.readouterr()
    assert "no such memory" in told.err
    assert "你好，李四。" in told.out


def test_an_interrupted_turn_does_not_end_the_talk(
    talk: Conversation, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C during a reply gives that turn up; the next one works."""
    said = Conversation.say
    first = iter([True])

    def interrupted(self: Conversation, message: str) -> None:
        if next(first, False):
            raise KeyboardInterrupt
        said(self, message)

    monkeypatch.setattr(Conversation, "say", interrupted)
    typed(monkeypatch, "一", "二")
    talk.run()
    told = capsys.readouterr()
    assert "Interrupted" in told.err
    assert "你好，李四。" in told.out


def test_an_unknown_command_is_a_hint(talk: Conversation, capsys: pytest.CaptureFixture[str]) -> None:
    """A slash command that is none is not sent to the model."""
    assert talk.answer("/memory")
    assert "/help" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["/context", "/state", "/why"])
def test_commands_before_the_first_turn(talk: Conversation, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Looking at a turn before there was one says so."""
    talk.answer(name)
    assert capsys.readouterr().out == "Say something first.\n"


def test_looking_at_a_turn(talk: Conversation, capsys: pytest.CaptureFixture[str]) -> None:
    """/context, /state and /why show what the model saw, where the task stands, and what was learnt."""
    talk.answer("我叫李四，订单 OD20240415008 想退货")
    capsys.readouterr()
    shown = {}
    for name in ("/context", "/state", "/why"):
        talk.answer(name)
        shown[name] = capsys.readouterr().out
    assert "[system]" in shown["/context"]
    assert "我叫李四" in shown["/context"]
    assert "tokens" in shown["/context"]
    assert "version" in shown["/state"]
    assert "written" in shown["/why"]


def test_the_context_shows_tool_calls(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """/context names the tool that was called and what it was given."""
    with Zhiji.open(Settings.from_environment(worker=False)) as zj:
        zj.tool(effects="read")(get_order)
        talk = Conversation(zj, USER, None)
        talk.answer("订单 OD20240415008 怎么样了")
        talk.answer("/context")
    assert '→ get_order {"order_id": "OD20240415008"}' in capsys.readouterr().out


def get_order(order_id: str) -> dict[str, str]:
    """Look up one order by its number."""
    return {"order_id": order_id, "status": "shipped"}


def test_forgetting_by_number(talk: Conversation, capsys: pytest.CaptureFixture[str]) -> None:
    """/memories numbers what it lists, and /forget takes such a number."""
    talk.answer("我叫李四")
    talk.answer("/memories")
    assert "李四" in capsys.readouterr().out
    talk.answer("/forget 1")
    talk.answer("/memories")
    out = capsys.readouterr().out
    assert "Deleted mem_" in out
    assert "李四" not in out


@pytest.mark.parametrize("which", ["", "0", "7"])
def test_forgetting_nothing_in_particular(talk: Conversation, which: str, capsys: pytest.CaptureFixture[str]) -> None:
    """/forget without a number of the list deletes nothing and says what to do."""
    talk.answer(f"/forget {which}")
    assert "/memories" in capsys.readouterr().out


def test_the_help_lists_every_command(talk: Conversation, capsys: pytest.CaptureFixture[str]) -> None:
    """/help names every command with what it does."""
    talk.answer("/help")
    out = capsys.readouterr().out
    assert not [name for name in COMMANDS if name not in out]


def test_a_reply_cannot_steer_the_terminal(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Escape sequences from the model do not reach the terminal."""
    with Zhiji.open(Settings.from_environment(worker=False), model=ScriptedModel(["a\x1b[2Jb"])) as zj:
        Conversation(zj, USER, None).say("hi")
    assert "\x1b" not in capsys.readouterr().out


def test_an_expired_session_carries_on(database: Path, run: Run) -> None:
    """With the user's own expired session a new one is opened, and the user is told."""
    with opened() as zj:
        session = zj.sessions.start(USER)
        zj.sessions.end(USER, session)
    ran = run("chat", "--user", USER, "--session", session.id, "你好")
    assert ran.code == 0
    assert "carries on" in ran.err
