"""The command line: verbs of the engine, one file per noun, nothing of its own.

``main`` is the boundary: it finds ``--json`` wherever it stands, speaks the reader's language, and turns every error
into one sentence on stderr and one exit code.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import typer
from typer.main import get_command

import zhiji
from zhiji.cli import (
    bench,
    chat,
    config,
    demo,
    doctor,
    erase,
    exits,
    jobs,
    memories,
    migrate,
    recall,
    serve,
    sessions,
    show,
    state,
    upkeep,
    words,
    worker,
)
from zhiji.cli.words import say
from zhiji.errors import ZhijiError

app = typer.Typer(
    help="zhiji 知己: memory for conversational agents.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("demo")(demo.demo)
app.command("worker")(worker.worker)
app.command("chat")(chat.chat)
app.command("serve")(serve.serve)
app.command("token")(serve.token)
app.add_typer(memories.app, name="memories")
app.add_typer(sessions.app, name="sessions")
app.add_typer(state.app, name="state")
app.command("recall")(recall.recall)
app.command("doctor")(doctor.doctor)
app.add_typer(jobs.app, name="jobs")
app.command("erase")(erase.erase)
app.command("upkeep")(upkeep.upkeep)
app.command("config")(config.config)
app.command("migrate")(migrate.migrate)
app.command("move")(migrate.move)
app.command("reindex")(migrate.reindex)
app.add_typer(bench.app, name="bench")


class _Notices(logging.Handler):
    """Log lines on the stderr of the moment; with their tracebacks only if ``--verbose`` asked for them."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        verbose = logging.getLogger("zhiji").isEnabledFor(logging.DEBUG)
        sys.stderr.write(f"zhiji: {show.visible(self.format(record) if verbose else record.getMessage())}\n")


_NOTICES = _Notices()


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"zhiji {zhiji.__version__}\n")
        raise typer.Exit


@app.callback()
def root(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; may stand before or after the command.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show the log on stderr, with the cause of errors.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options of every command."""
    show.AS_JSON.set(as_json)
    logging.getLogger("zhiji").setLevel(logging.DEBUG if verbose else logging.WARNING)
    _tell_unknown(os.environ)


def _tell_unknown(environ: Mapping[str, str]) -> None:
    from zhiji.config import unknown

    for name, likely in unknown(environ).items():
        told = say("{name} is no setting and does nothing", name=name)
        told += say("; did you mean {likely}?", likely=likely) if likely else say("; `zhiji config` lists them")
        sys.stderr.write(f"zhiji: {show.visible(told)}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. ``argv`` defaults to that of the process."""
    given = [_decodable(arg) for arg in (sys.argv[1:] if argv is None else argv)]
    words.LANGUAGE.set(words.preferred(os.environ))
    show.AS_JSON.set("--json" in given)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    logging.getLogger("zhiji").addHandler(_NOTICES)
    try:
        code = _run(_hoisted(given))
        sys.stdout.flush()
    except BrokenPipeError:
        _silence_stdout()
        return exits.CLOSED_PIPE
    except OSError as error:
        _silence_stdout()
        sentence = say("the system refused to read or write: {reason}", reason=error.strerror or type(error).__name__)
        return _failed("io_error", sentence, exits.IO)
    except (KeyboardInterrupt, typer.Abort):
        sys.stderr.write("\n")
        return exits.INTERRUPTED
    return code


def _silence_stdout() -> None:
    """What is left in the buffer goes nowhere; the interpreter flushes once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(args: list[str]) -> int:
    try:
        command = _dressed(get_command(app))
        with command.make_context("zhiji", args) as context:
            command.invoke(context)
    except typer.Exit as exit_:
        return exit_.exit_code
    except typer.TyperException as error:
        return _usage(error)
    except ZhijiError as error:
        logging.getLogger("zhiji").debug("error", exc_info=error)
        return _failed(error.code, words.explain(error), exits.exit_code(error))
    except (OSError, KeyboardInterrupt, typer.Abort):
        raise
    except Exception as error:
        logging.getLogger("zhiji").debug("internal_error", exc_info=error)
        sentence = say(
            "this is a bug in zhiji ({kind}); run the command again with --verbose and report what it shows",
            kind=type(error).__name__,
        )
        return _failed("internal_error", sentence, exits.INTERNAL)
    return 0


def _usage(error: typer.TyperException) -> int:
    message = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":  # a private class; its message is the whole help
        sys.stderr.write(message + "\n")
        return exits.USAGE
    where = getattr(getattr(error, "ctx", None), "command_path", "zhiji")
    told = " ".join(message.replace("Value error, ", "").split()).rstrip(".")
    sentence = words.framed(re.sub(r"\.? Did you mean (.+?)\?$", r" (did you mean \1?)", told)) + say(
        "; see `{command} --help`.", command=where
    )
    return _failed("usage", sentence, exits.USAGE)


def _failed(code: str, sentence: str, exit_code: int) -> int:
    if show.AS_JSON.get():
        sys.stderr.write(json.dumps({"error": {"code": code, "message": sentence}}, ensure_ascii=False) + "\n")
    else:
        sys.stderr.write(f"zhiji: {show.visible(sentence)}\n")
    return exit_code


def _decodable(arg: str) -> str:
    """Bytes of an argument that are no text become replacement characters."""
    return os.fsencode(arg).decode("utf-8", "replace")


def _hoisted(args: list[str]) -> list[str]:
    """``--json`` and ``--verbose`` may stand anywhere before ``--``: they are brought to the front."""
    end = args.index("--") if "--" in args else len(args)
    front = [arg for arg in args[:end] if arg in ("--json", "--verbose")]
    return [*front, *(arg for arg in args[:end] if arg not in front), *args[end:]]


def _dressed(command: Any) -> Any:
    """The help of a command and of all below it is in the reader's language. (typer's click classes are private.)"""
    command.help = say(" ".join((command.help or "").split()))
    command.get_help = partial(_help, command.get_help)
    for param in command.params:
        param.help = say(param.help) if getattr(param, "help", None) else None
    for name, child in getattr(command, "commands", {}).items():
        command.commands[name] = _dressed(child)
    return command


def _help(written: Callable[[Any], str], context: Any) -> str:
    return words.framed(written(context))
