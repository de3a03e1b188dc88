"""``zhiji recall``: what a question brings to mind, and why."""

from __future__ import annotations

from typing import Annotated

import typer

from zhiji import policies
from zhiji.cli import show
from zhiji.cli.options import MaybeSession, User, opened, parse_time


def recall(
    user: User,
    query: Annotated[str, typer.Argument(help="What to look for, in words.")],
    k: Annotated[int, typer.Option("--k", "-k", min=1, max=1000, help="Return at most so many.")] = 5,
    types: Annotated[list[str] | None, typer.Option("--type", "-t", help="Only this type; may be repeated.")] = None,
    session: MaybeSession = None,
    as_of: Annotated[str | None, typer.Option("--as-of", help="As it was known to hold then, ISO 8601.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show each term of the score.")] = False,
) -> None:
    """Recall what bears on a question, best first."""
    when = parse_time(as_of)
    with opened() as zj:
        for name in types or ():
            policies.policy(name)
        found = zj.recall(user, query, k=k, types=types or None, session=session, as_of=when, explain=explain)
    show.emit(found, lambda: show.recalled(found))
