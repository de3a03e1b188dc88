"""``zhiji state``: where the task of a session stands."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import RenderableType

from zhiji.cli import show
from zhiji.cli.options import MaybeSession, SessionId, User, opened
from zhiji.cli.words import say
from zhiji.errors import InvalidInput, SessionNotFound
from zhiji.types import JsonValue, State

app = typer.Typer(help="Show and patch where a task stands: intent, form, conclusions.", no_args_is_help=True)


@app.command("show")
def show_(user: User, session: MaybeSession = None) -> None:
    """Show the state of a session; without one, of the session used last."""
    with opened() as zj:
        if session is None:
            live = zj.sessions.list(user, limit=1)
            if not live:
                raise SessionNotFound(say("this user has no live session; name an archived one with `sessions show`"))
            session = live[0].id
        found = zj.state.get(user, session)
    show.emit(found, lambda: table(found))


@app.command()
def patch(
    user: User,
    session: SessionId,
    changes: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME=TEXT…",
            help="intent=… or slots.<name>=…; an empty text removes, NAME:=JSON sets other values.",
        ),
    ],
    expected: Annotated[
        int | None, typer.Option("--expect", min=0, help="Refuse unless the state still has this version.")
    ] = None,
) -> None:
    """Change named fields of the state; the others stay."""
    wanted = dict(_change(text) for text in changes)
    with opened() as zj:
        found = zj.state.patch(user, session, wanted, expected_version=expected)
    show.emit(found, lambda: table(found))


def table(state: State) -> RenderableType:
    """Return a state to read."""
    rows: dict[str, object] = {"version": state.version, "intent": state.intent or "–"}
    rows |= {f"slots.{name}": _shown(value) for name, value in state.slots.items()}
    rows |= {f"{number}. {one.tool}": one.text for number, one in enumerate(state.conclusions, 1)}
    return show.pairs(rows)


def _shown(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _change(text: str) -> tuple[str, JsonValue]:
    """``name=text`` is a text, empty to remove; ``name:=json`` any JSON value. Digits stay text: order numbers are no numbers."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip(" :"):
        raise InvalidInput(say("a change is NAME=TEXT or NAME:=JSON, for example slots.order_id=OD20240415008"))
    if not name.endswith(":"):
        return name.strip(), value or None
    try:
        return name[:-1].strip(), json.loads(value)
    except ValueError as error:
        raise InvalidInput(say("what follows := must be JSON, for example slots.amount:=199")) from error
