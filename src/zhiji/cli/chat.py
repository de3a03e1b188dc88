"""``zhiji chat``: talk to the assistant, and look at what it knows while you do.

On a terminal a conversation with line editing and slash commands; from a pipe the same, line by line; with a message as
argument a single turn. Replies are printed as the model tells them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from zhiji.cli import show
from zhiji.cli.offers import offered
from zhiji.cli.options import MaybeSession, opened
from zhiji.cli.state import table as state_table
from zhiji.cli.words import explain, say
from zhiji.errors import ZhijiError
from zhiji.types import JsonValue, Memory, Reply

if TYPE_CHECKING:
    from zhiji.blocking import Zhiji

PROMPT = "› "


def chat(
    message: Annotated[str | None, typer.Argument(help="One message; without it, a conversation.")] = None,
    user: Annotated[str, typer.Option("--user", "-u", envvar="ZHIJI_USER", help="Who is talking.")] = "me",
    session: MaybeSession = None,
    shop: Annotated[
        bool | None,
        typer.Option(
            "--shop/--no-shop", help="Offer the demo shop's orders as tools (default: with the offline model)."
        ),
    ] = None,
) -> None:
    """Talk to the assistant; /help lists what you can look at meanwhile."""
    with opened(worker=True) as zj, offered(zj.settings, shop=shop) as register:
        register(zj)
        talk = Conversation(zj, user, session)
        if message is not None:
            talk.say(message)
        elif sys.stdin.isatty():
            talk.run()
        else:
            talk.read(sys.stdin)
        zj.drain(user, early=True)


class Conversation:
    """One user, one session at a time, and the last reply."""

    def __init__(self, zj: Zhiji, user: str, session: str | None) -> None:
        self._zj = zj
        self._user = user
        self._session = session
        self._reply: Reply | None = None
        self.listed: list[Memory] = []
        """What /memories showed last, by number."""

    def run(self) -> None:
        """Talk until /quit or the end of the input; an error ends the turn, not the conversation."""
        with suppress(ImportError):
            import_module("readline")
        show.notice(say("You are {user}. /help lists the commands, /quit ends.", user=show.visible(self._user)))
        while (line := self._read()) is not None:
            try:
                if not self.answer(line):
                    return
            except ZhijiError as error:
                show.notice(explain(error))
            except KeyboardInterrupt:
                show.notice("\n" + say("Interrupted; the turn was given up."))

    def read(self, lines: Iterable[str]) -> None:
        """Take a script: the same lines as on a terminal, up to /quit; the first error ends it."""
        for line in lines:
            if not self.answer(line.rstrip("\n")):
                return

    def answer(self, line: str) -> bool:
        """Run a slash command or a turn; return False to end."""
        name, _, rest = line.strip().partition(" ")
        if name == "/quit":
            return False
        if name in COMMANDS:
            show.out().print(COMMANDS[name](self, rest.strip()))
        elif name.startswith("/"):
            show.notice(say("There is no {name}; /help lists the commands.", name=show.visible(name)))
        elif name:
            self.say(line)
        return True

    def say(self, message: str) -> None:
        """One turn; the reply is printed as it comes, or whole with ``--json``."""
        as_json = show.AS_JSON.get()
        reply: Reply = self._zj.chat(
            self._user, message, session=self._session, on_delta=None if as_json else _print_piece
        )
        if as_json:
            show.line(reply)
        else:
            sys.stdout.write("\n")
            sys.stdout.flush()
        if reply.created and self._session is not None:
            show.notice(say("That session is over; a new one carries on: {id}.", id=reply.session_id))
        self._session, self._reply = reply.session_id, reply

    def memories(self, _: str) -> RenderableType:
        """what is remembered about you"""
        self._zj.drain(self._user, early=True)
        self.listed = self._zj.memories.list(self._user)
        return show.memories(self.listed, numbered=True)

    def forget(self, which: str) -> RenderableType:
        """delete one: /forget NUMBER of /memories, or an id"""
        memory_id = which
        if which.isdecimal():
            if not 1 <= int(which) <= len(self.listed):
                return Text(say("There is no such number; /memories lists them."))
            memory_id = self.listed[int(which) - 1].id
        if not memory_id:
            return Text(say("Which one? /memories lists them, then /forget NUMBER."))
        self._zj.memories.delete(self._user, memory_id)
        return Text(say("Deleted {id}.", id=memory_id))

    def context(self, _: str) -> RenderableType:
        """what the model saw for the last reply, in tokens and words"""
        if self._reply is None:
            return Text(say("Say something first."))
        seen = self._zj.context(self._user, self._reply.request_id)
        words = [Text(f"[{message['role']}] {show.visible(_told(message))}") for message in seen.messages]
        return Group(*words, show.usage(self._reply.usage), show.steps(self._reply.steps))

    def state(self, _: str) -> RenderableType:
        """where the current task stands"""
        if self._session is None:
            return Text(say("Say something first."))
        return state_table(self._zj.state.get(self._user, self._session))

    def why(self, _: str) -> RenderableType:
        """why the last reply knew what it knew"""
        if self._reply is None or self._session is None:
            return Text(say("Say something first."))
        self._zj.drain(self._user, early=True)
        passes = self._zj.jobs.extractions(self._user, session_id=self._session, limit=3)
        return Group(
            Text(say("Recalled for this turn:"), style="bold"),
            show.recalled(self._reply.recalled),
            Text(say("Learnt from this session, latest first:"), style="bold"),
            show.extractions(passes),
        )

    def help(self, _: str) -> RenderableType:
        """this list"""
        return show.pairs(
            {name: say((command.__doc__ or "").strip()) for name, command in COMMANDS.items()} | {"/quit": say("end")}
        )

    def _read(self) -> str | None:
        try:
            return input(PROMPT)
        except (EOFError, KeyboardInterrupt):
            sys.stdout.write("\n")
            return None


COMMANDS: dict[str, Callable[[Conversation, str], RenderableType]] = {
    "/memories": Conversation.memories,
    "/forget": Conversation.forget,
    "/context": Conversation.context,
    "/state": Conversation.state,
    "/why": Conversation.why,
    "/help": Conversation.help,
}


def _told(message: Mapping[str, JsonValue]) -> str:
    """Return a message as it is read: its words, then the tools that it calls."""
    calls = message.get("tool_calls")
    functions = [call.get("function") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    called = (f"→ {one.get('name')} {one.get('arguments')}" for one in functions if isinstance(one, dict))
    return "\n".join(filter(None, (str(message.get("content") or ""), *called)))


def _print_piece(piece: str) -> None:
    sys.stdout.write(show.visible(piece))
    sys.stdout.flush()
