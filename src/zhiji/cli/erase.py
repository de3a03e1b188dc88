"""``zhiji erase``: remove a user everywhere."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from zhiji.cli import show
from zhiji.cli.options import opened
from zhiji.cli.words import say


def erase(
    user: Annotated[str, typer.Option("--user", "-u", help="Whom to forget entirely.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask on a terminal.")] = False,
) -> None:
    """Erase everything of a user; it cannot be undone."""
    if not yes and sys.stdin.isatty() and sys.stderr.isatty():
        question = say("Erase everything of {user}? This cannot be undone", user=show.visible(user))
        typer.confirm(question, abort=True, err=True)
    with opened() as zj:
        certificate = zj.erase(user)
    rows = {
        "user": user,
        "erased": show.moment(certificate.erased_at),
        "rows removed": sum(certificate.removed.values()),
    }
    show.emit(certificate, lambda: show.pairs(rows | dict(certificate.removed)))
