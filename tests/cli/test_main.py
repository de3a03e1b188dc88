"""The boundary: options anywhere, one sentence and one code for every error, pipes and interrupts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import zhiji
from cli.terminal import USER, Run
from zhiji.cli import config, exits, main, show


def test_the_version(run: Run) -> None:
    """`--version` prints name and version."""
    assert run("--version").out == f"zhiji {zhiji.__version__}\n"


@pytest.mark.parametrize(("args", "listed"), [((), "memories"), (("memories",), "history")], ids=["root", "group"])
def test_no_command_shows_the_help(run: Run, args: tuple[str, ...], listed: str) -> None:
    """Without a command the commands are listed, one a line, and the code says that one was missing."""
    ran = run(*args)
    assert (ran.code, ran.out) == (exits.USAGE, "")
    assert any(line.split()[:1] == [listed] for line in ran.err.splitlines())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_help_in_both_languages(run: Run, monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    """Help is asked for with code 0, in the reader's language."""
    monkeypatch.setenv("ZHIJI_LANG", language)
    ran = run("memories", "list", "--help")
    assert (ran.code, ran.err) == (0, "")
    assert {"en": "newest first", "zh": "新的在前"}[language] in ran.out


@pytest.mark.parametrize(
    "args",
    [("--json", "config"), ("config", "--json")],
    ids=["before", "after"],
)
def test_json_may_stand_anywhere(run: Run, args: tuple[str, ...]) -> None:
    """`--json` counts before and after the command."""
    assert run(*args).json["tenant"]["value"] == "default"


def test_json_within_a_group(run: Run) -> None:
    """`--json` counts between a group and its command too."""
    assert run("memories", "--json", "list", "--user", USER).json == []


def test_json_after_two_dashes_is_an_argument(run: Run) -> None:
    """What follows `--` is text, whatever it looks like."""
    ran = run("recall", "--user", USER, "--", "--json")
    assert (ran.code, ran.out.strip()) == (0, "Nothing was recalled.")


@pytest.mark.parametrize(
    "args",
    [
        ("nonsense",),
        ("memories", "list"),
        ("recall", "--user", USER),
        ("recall", "--k", "0", "--user", USER, "x"),
        ("config", "--no"),
    ],
    ids=["command", "user", "argument", "bound", "option"],
)
def test_usage_errors_are_one_sentence(run: Run, args: tuple[str, ...]) -> None:
    """A mistake in the command is one line on stderr that names the help, and code 2."""
    ran = run(*args)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith("zhiji: ")
    assert "--help`." in ran.err


def test_errors_are_one_sentence(run: Run) -> None:
    """An error of the library is its message, with its exit code."""
    ran = run("memories", "get", "--user", USER, "mem_unknown")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err == "zhiji: There is no such memory for this user; list the memories to see their ids.\n"


def test_errors_as_json(run: Run) -> None:
    """With `--json` an error is one object on stderr, with the code of its class."""
    ran = run("memories", "get", "--user", USER, "mem_unknown", "--json")
    assert (ran.code, ran.out) == (3, "")
    assert json.loads(ran.err)["error"]["code"] == "memory_not_found"


def test_usage_errors_as_json(run: Run) -> None:
    """Mistakes in the command are objects too."""
    assert json.loads(run("--json", "nonsense").err)["error"]["code"] == "usage"


def test_errors_in_chinese(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence is in the reader's language."""
    monkeypatch.setenv("ZHIJI_LANG", "zh")
    assert (
        run("memories", "get", "--user", USER, "mem_unknown").err == "zhiji: 该用户没有这条记忆；请列出记忆查看编号\n"
    )


def test_a_bad_setting_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A setting out of its bounds is a usage error that names it."""
    monkeypatch.setenv("ZHIJI_MAX_CONTEXT_TOKENS", "many")
    ran = run("config")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert ran.err.startswith("zhiji: ZHIJI_MAX_CONTEXT_TOKENS: ")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("MEMORY_TOP_K", "many"),
        ("ZHIJI_ALLOWED_HOSTS", "memory.example.com"),
        ("ZHIJI_MODEL_OPTIONS", "{温度: 1}"),
        ("ZHIJI_EXTRACTOR", "llm"),
    ],
)
def test_a_bad_setting_is_named_as_it_was_written(
    run: Run, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    """The variable that holds it is named, not what it holds; what is no JSON is no bug of ours."""
    monkeypatch.setenv(variable, value)
    ran = run("config")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert ran.err.startswith(f"zhiji: {variable}: ")
    assert value not in ran.err


@pytest.mark.parametrize(
    ("lang", "told"),
    [
        (
            "en",
            "zhiji: ZHIJI_SESSION_TTL_SECOND is no setting and does nothing; did you mean ZHIJI_SESSION_TTL_SECONDS?\n"
            "zhiji: ZHIJI_知己 is no setting and does nothing; `zhiji config` lists them\n",
        ),
        (
            "zh",
            "zhiji: ZHIJI_SESSION_TTL_SECOND 不是设置，不起作用；是不是 ZHIJI_SESSION_TTL_SECONDS？\n"
            "zhiji: ZHIJI_知己 不是设置，不起作用；`zhiji config` 列出全部设置\n",
        ),
    ],
)
def test_a_misspelt_setting_is_told(run: Run, monkeypatch: pytest.MonkeyPatch, lang: str, told: str) -> None:
    """A variable that looks like a setting and is none is named with the likeliest one; the command runs all the same."""
    monkeypatch.setenv("ZHIJI_LANG", lang)
    monkeypatch.setenv("ZHIJI_SESSION_TTL_SECOND", "5")
    monkeypatch.setenv("ZHIJI_知己", "5")
    ran = run("memories", "list", "--user", USER)
    assert (ran.code, ran.err) == (0, told)


@pytest.mark.parametrize("user", ["", "  ", "x" * 300], ids=["empty", "blank", "long"])
def test_a_bad_user_is_refused(run: Run, user: str) -> None:
    """A missing, blank or endless user is a usage error."""
    assert run("memories", "list", "--user", user).code == 2


def test_the_user_may_come_from_the_environment(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """`ZHIJI_USER` stands in for `--user`."""
    monkeypatch.setenv("ZHIJI_USER", USER)
    assert run("memories", "list").out == "Nothing is remembered.\n"


def test_a_file_that_is_no_database(run: Run, database: Path) -> None:
    """Another file in the database's place is refused with the store's code, and stays as it was."""
    database.write_text("not a database, but somebody's notes\n" * 50, encoding="utf-8")
    ran = run("memories", "list", "--user", USER)
    assert (ran.code, ran.err.count("\n")) == (6, 1)
    assert database.read_text(encoding="utf-8").startswith("not a database")


def test_a_bug_is_one_sentence(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What we did not foresee is reported as ours, without a traceback."""
    monkeypatch.setattr(config, "_row", lambda settings, name: 1 / 0)
    ran = run("config")
    assert (ran.code, ran.err.count("\n")) == (exits.INTERNAL, 1)
    assert "ZeroDivisionError" in ran.err


def test_verbose_shows_the_cause(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--verbose` adds the traceback."""
    monkeypatch.setattr(config, "_row", lambda settings, name: 1 / 0)
    assert "Traceback" in run("config", "--verbose").err


def test_an_interrupt_ends_quietly(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends with code 130 and no traceback."""

    def interrupted(settings: object, name: str) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(config, "_row", interrupted)
    ran = run("config")
    assert (ran.code, ran.err) == (exits.INTERRUPTED, "\n")


def test_a_closed_pipe_ends_quietly(database: Path) -> None:
    """`zhiji … | head` does not complain when the reader has enough."""
    program = "import sys; from zhiji.cli import main; sys.exit(main())"
    with subprocess.Popen(
        [sys.executable, "-c", program, "config"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        told = process.stderr.read()
        assert (process.wait(), told) == (exits.CLOSED_PIPE, b"")


def test_a_full_disk_is_one_sentence(database: Path) -> None:
    """Output that cannot be written is said, not a traceback."""
    program = "import sys; from zhiji.cli import main; sys.exit(main())"
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", program, "config"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr.count("\n")) == (exits.IO, 1)
    assert "No space left" in done.stderr


@pytest.mark.parametrize("columns", ["40", "0", "wide", ""])
def test_any_width_will_do(run: Run, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    """`COLUMNS` sets the width of what is piped; nonsense is ignored."""
    monkeypatch.setenv("COLUMNS", columns)
    ran = run("config")
    assert ran.code == 0
    assert max(map(len, ran.out.splitlines())) == (40 if columns == "40" else show.PIPE_COLUMNS)


def test_undecodable_arguments_do_not_break_the_output(run: Run) -> None:
    """Bytes that are no text in an argument are refused or shown replaced, never a crash."""
    ran = run("memories", "get", "--user", USER, "mem_\udcff")
    assert ran.code == 3


def test_main_reads_the_arguments_of_the_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The console script passes nothing: the arguments are those of the process."""
    monkeypatch.setattr(sys, "argv", ["zhiji", "--version"])
    assert main() == 0
    assert capsys.readouterr().out.startswith("zhiji ")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("serv",), "没有命令 'serv'（是不是 'serve'？）；用法见 `zhiji --help`。"),
        (("chat", "--usr", "x"), "没有选项 --usr（相近的选项：--user）；用法见 `zhiji chat --help`。"),
        (
            ("memories", "list"),
            "缺少选项 '--user' / '-u'（环境变量 'ZHIJI_USER'）；用法见 `zhiji memories list --help`。",
        ),
        (("recall", "-u", USER), "缺少参数 'query'；用法见 `zhiji recall --help`。"),
        (("serve", "--port", "９９九"), "'--port' 的值不对：应为整数；用法见 `zhiji serve --help`。"),
        (("serve", "--port", "70000"), "'--port' 的值不对：不得大于 65535；用法见 `zhiji serve --help`。"),
        (("config", "多余", "😀"), "多出了参数：多余 😀；用法见 `zhiji config --help`。"),
    ],
)
def test_mistakes_are_told_in_chinese(
    run: Run, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], told: str
) -> None:
    """What the parser refuses is said in Chinese, too; what was typed stays."""
    monkeypatch.setenv("ZHIJI_LANG", "zh")
    ran = run(*args)
    assert (ran.code, ran.err) == (2, f"zhiji: {told}\n")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("args", [(), ("memories", "list"), ("recall",), ("chat",), ("demo",), ("memories", "correct")])
def test_help_is_in_one_language(run: Run, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], lang: str) -> None:
    """No heading or remark of the parser stays English on a Chinese page, and none turns Chinese on an English one."""
    monkeypatch.setenv("ZHIJI_LANG", lang)
    page = run(*args, "--help").out
    english = (
        "Usage:",
        "Options:",
        "Commands:",
        "Arguments:",
        "Show this",
        "[OPTIONS]",
        "required]",
        "env var",
        "default:",
    )
    chinese = ("用法", "选项", "必填", "默认", "环境变量")
    assert not [word for word in (english if lang == "zh" else chinese) if word in page]
    assert ("用法：zhiji" if lang == "zh" else "Usage: zhiji") in page


@pytest.mark.parametrize(
    ("name", "error", "extra"),
    [
        ("psycopg", "ModuleNotFoundError", "postgres"),
        ("psycopg", "ImportError", "postgres"),
        ("redis", "ModuleNotFoundError", "redis"),
    ],
    ids=["no driver", "a driver without its library", "no redis"],
)
def test_a_missing_extra_is_named(tmp_path: Path, name: str, error: str, extra: str) -> None:
    """Whoever lacks a package reads one sentence with the command that installs it, whatever the import said."""
    (tmp_path / f"{name}.py").write_text(f"raise {error}('no pq wrapper available')\n", encoding="utf-8")
    program = "import sys; from zhiji.cli import main; sys.exit(main())"
    urls = {
        "postgres": {"ZHIJI_DATABASE_URL": "postgresql://zhiji@127.0.0.1:1/zhiji"},
        "redis": {"ZHIJI_DATABASE_URL": f"sqlite:///{tmp_path / 'zhiji.db'}", "ZHIJI_REDIS_URL": "redis://127.0.0.1:1"},
    }
    done = subprocess.run(
        [sys.executable, "-c", program, "sessions", "list", "--user", USER],
        env={
            "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)]),
            "ZHIJI_LANG": "en",
            **urls[extra],
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (exits.USAGE, "")
    assert f"run `pip install 'zhiji[{extra}]'`" in done.stderr
