"""Options that several commands share, and the way to the engine.

Here and in the commands, what is slow to import (the engine, settings, stories) is imported by the function that needs
it, so that ``--help`` and a mistyped option answer at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zhiji.cli.words import say
from zhiji.errors import InvalidInput

if TYPE_CHECKING:
    from zhiji.blocking import Zhiji

User = Annotated[str, typer.Option("--user", "-u", envvar="ZHIJI_USER", help="Whose memory.")]
SessionId = Annotated[str, typer.Option("--session", "-s", help="Session id, ses_….")]
MaybeSession = Annotated[str | None, typer.Option("--session", "-s", help="Session id, ses_….")]
MemoryId = Annotated[str, typer.Argument(help="Memory id, mem_….")]
Limit = Annotated[int, typer.Option("--limit", min=1, max=10_000, help="Show at most so many.")]


@contextmanager
def opened(**overrides: Any) -> Iterator[Zhiji]:
    """Open zhiji with the settings of the environment; ``overrides`` win. Jobs run only on ``drain`` unless told otherwise."""
    from zhiji.blocking import Zhiji
    from zhiji.config import Settings

    with Zhiji.open(Settings.from_environment(**{"worker": False, **overrides})) as zj:
        yield zj


def parse_time(text: str | None) -> datetime | None:
    """Return an ISO 8601 date or time as aware UTC; without a zone it is UTC.

    Raises:
        InvalidInput: it is none.
    """
    if text is None:
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput(say("not a date or time; write it like 2026-11-02 or 2026-11-02T15:30:00+08:00")) from error
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
