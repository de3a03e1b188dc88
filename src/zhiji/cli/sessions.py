"""``zhiji sessions``: conversations of a user and their transcripts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from zhiji.cli import show
from zhiji.cli.options import Limit, User, opened
from zhiji.cli.plain import plain
from zhiji.cli.words import say
from zhiji.types import Message, Session

app = typer.Typer(help="List, show and end conversations.", no_args_is_help=True)

SessionArgument = Annotated[str, typer.Argument(help="Session id, ses_….")]


@app.command("list")
def list_(
    user: User,
    everything: Annotated[bool, typer.Option("--all", help="Ended and expired ones too.")] = False,
    limit: Limit = 100,
) -> None:
    """List live sessions, last used first."""
    with opened() as zj:
        found = zj.sessions.list(user, archived=everything, limit=limit)
    show.emit(found, lambda: _table(found))


@app.command("show")
def show_(
    user: User,
    session: SessionArgument,
    last: Annotated[int | None, typer.Option("--last", min=1, help="Only the last so many messages.")] = None,
) -> None:
    """Show a session with its transcript; that of an ended one is masked."""
    with opened() as zj:
        found = zj.sessions.get(user, session, archived=True)
        messages = zj.sessions.messages(user, session, last=last, archived=True)
    show.emit({"session": plain(found), "messages": messages}, lambda: Group(_table([found]), transcript(messages)))


@app.command()
def end(user: User, session: SessionArgument) -> None:
    """End a session: its transcript is archived, what it said becomes memory."""
    with opened() as zj:
        zj.sessions.end(user, session)
        zj.drain(user)
    show.done({"ended": session}, say("Ended {id}.", id=session))


def transcript(messages: Sequence[Message]) -> RenderableType:
    """Return messages to read, one speaker a line."""
    table = Table.grid(padding=(0, 2))
    for message in messages:
        calls = "".join(f"\n→ {call.name} {call.arguments}" for call in message.tool_calls)
        speaker = message.name or say(message.role)
        table.add_row(
            Text(f"#{message.seq}", style="dim"),
            Text(speaker, style="cyan"),
            Text(show.visible((message.content + calls).strip())),
        )
    return table


def _table(found: Sequence[Session]) -> RenderableType:
    if not found:
        return Text(say("There is no session."))
    table = show.columns("session", "status", "begun", "last used", "turns", "intent", right=("turns",))
    for one in found:
        table.add_row(
            one.id,
            say(one.status.value),
            show.moment(one.created_at),
            show.moment(one.touched_at),
            str(one.turns),
            Text(show.visible(one.state.intent or "–")),
        )
    return table
