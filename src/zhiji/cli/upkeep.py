"""``zhiji upkeep``: archive and delete what nobody uses, and schedule reflection; or show what would be done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from zhiji.cli import show
from zhiji.cli.options import opened
from zhiji.cli.plain import plain
from zhiji.cli.words import say, type_label

if TYPE_CHECKING:
    from rich.console import RenderableType

    from zhiji.fade import Upkeep, Upkept


_WOULD = {
    "archived": "would be archived",
    "deleted": "would be deleted",
    "repeated": "would be folded into its like",
    "reflected": "would be reflected on",
}
"""What is said of a dry run."""


def upkeep(
    user: Annotated[
        str | None, typer.Option("--user", "-u", envvar="ZHIJI_USER", help="Only this user (default: everybody).")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Change nothing; show what would be done.")] = False,
    by_owner: Annotated[bool, typer.Option("--by-owner", help="Also whose memories.")] = False,
) -> None:
    """Archive memories that nobody uses, delete what lay archived long enough, fold repeated ones, reflect on related ones."""
    with opened() as zj:
        report = zj.upkeep(user, dry_run=dry_run, by_owner=by_owner)
        if report.reflections and not dry_run:
            zj.drain(user)
    show.emit(_fields(report), lambda: _table(report))


def _fields(report: Upkeep) -> object:
    """Return the report as JSON: owners as a list, each with their tenant and user."""
    owners = [{"tenant": one.tenant, "user": one.user, **_counts(kept)} for one, kept in report.owners.items()]
    return {"dry_run": report.dry_run, **_counts(report), "owners": owners}


def _counts(kept: Upkept) -> dict[str, object]:
    counts = {what: plain(by_type) for what, by_type in _by_type(kept)}
    return {**counts, "reflections": kept.reflections}


def _by_type(kept: Upkept) -> Iterator[tuple[str, Mapping[str, int]]]:
    yield from (("archived", kept.archived), ("deleted", kept.deleted), ("repeated", kept.repeated))


def _table(report: Upkeep) -> RenderableType:
    rows = [("", *row) for row in _rows(report)]
    rows += [(one.user, *row) for one, kept in report.owners.items() for row in _rows(kept)]
    if not rows:
        return Text(say("Nothing is due."))
    table = show.columns("what", "type", "number", "user", right=("number",))
    for user, what, type_, number in rows:
        table.add_row(say(_WOULD[what] if report.dry_run else what), type_label(type_), str(number), _whose(user))
    return table


def _whose(user: str) -> Text:
    """Return the user as text; none stands for all."""
    return Text(show.visible(user) or say("all"))


def _rows(kept: Upkept) -> Iterator[tuple[str, str, int]]:
    for what, counts in _by_type(kept):
        for type_, number in counts.items():
            yield what, type_, number
    if kept.reflections:
        yield "reflected", "reflection", kept.reflections
