"""``zhiji migrate``, ``zhiji move``, ``zhiji reindex``: bring tables up to date, change the database, change the embedder."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from zhiji.cli import show
from zhiji.cli.options import opened
from zhiji.cli.words import say
from zhiji.errors import InvalidInput

if TYPE_CHECKING:
    from zhiji.move import Moved
    from zhiji.stores.migrations import Plan
    from zhiji.types import Scope

PHASES = {"copy": "copying", "compare": "comparing"}


def migrate(
    plan: Annotated[bool, typer.Option("--plan", help="Only tell what it would do; nothing is changed.")] = False,
) -> None:
    """Bring the tables of the database up to date, also with ZHIJI_AUTO_MIGRATE off."""
    from zhiji import compose
    from zhiji.config import Settings

    settings = Settings.from_environment()
    found = asyncio.run(compose.missing_migrations(settings) if plan else compose.migrate(settings))
    steps = [{"version": step.version, "title": step.title} for step in found.steps]
    value = {"present": found.present, "target": found.target, "steps": steps, "done": not plan}
    show.emit(value, lambda: _page(found, plan))


def _page(found: Plan, is_plan: bool) -> RenderableType:
    if not found.steps:
        return Text(say("The tables are up to date: version {target}.", target=found.target))
    sentence = "From version {present} to {target}:" if is_plan else "Brought from version {present} to {target}:"
    head = say(sentence, present=found.present, target=found.target)
    return Group(Text(head), *(Text(f"  {step.version}  {say(step.title)}") for step in found.steps))


def move(
    source: Annotated[
        str,
        typer.Option("--from", metavar="URL", help="The database to read; its tables are brought up to date first."),
    ],
    target: Annotated[
        str, typer.Option("--to", metavar="URL", help="The database to fill: an empty one, or half filled.")
    ],
) -> None:
    """Copy everything into another database and compare; if interrupted, run it again. Stop all other processes before."""
    with show.progress() as bar:
        task = bar.add_task("", total=None)

        def told(phase: str, done: int, total: int) -> None:
            bar.update(task, description=say(PHASES[phase]), completed=done, total=total)

        moved = asyncio.run(_move(source, target, told))
    show.emit(moved, lambda: _moved(moved))


async def _move(source: str, target: str, told: Callable[[str, int, int], None]) -> Moved:
    from zhiji import compose
    from zhiji import move as moving
    from zhiji.config import Settings

    here, there = (Settings.from_environment(database_url=url) for url in (source, target))
    if (await compose.missing_migrations(here)).present == 0:
        raise InvalidInput(say("there is no zhiji database at --from; check the URL"))
    async with compose.database(here) as one, compose.database(there) as other:
        return await moving.move(one, other, progress=told)


def _moved(moved: Moved) -> RenderableType:
    counts: dict[str, object] = {"owners": moved.owners, "copied": moved.copied, **moved.rows}
    told: list[RenderableType] = [
        show.pairs(counts),
        Text(say("Every row was compared: the copy holds what its source holds.")),
    ]
    if moved.others:
        names = ", ".join(f"{scope.tenant}/{scope.user}" for scope in moved.others)
        told.append(Text(say("Only the target has these owners, who stay: {names}", names=show.visible(names))))
    return Group(*told)


def reindex(
    user: Annotated[str | None, typer.Option("--user", "-u", help="Only this user's memories.")] = None,
) -> None:
    """Make the vectors of all memories anew after the embedder was changed; may run while others answer."""
    with opened() as zj, show.progress() as bar:
        task = bar.add_task("", total=None)

        def told(scope: Scope, embedded: int) -> None:
            bar.update(task, description=show.visible(scope.user), completed=embedded)

        done = zj.reindex(user, progress=told)
    rows = {"embedder": f"{done.model} ({done.dim})", "owners": done.owners}
    show.emit(done, lambda: show.pairs(rows | {"embedded": done.embedded, "dropped": done.dropped}))
