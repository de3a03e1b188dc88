"""``zhiji jobs``: background work, what failed and why, and running it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.text import Text

from zhiji.cli import show
from zhiji.cli.options import Limit, User, opened
from zhiji.cli.words import say
from zhiji.types import Job, JobStatus

app = typer.Typer(help="List background jobs; run dead ones again.", no_args_is_help=True)


@app.command("list")
def list_(
    user: Annotated[str | None, typer.Option("--user", "-u", help="Only this user's jobs.")] = None,
    status: Annotated[
        list[JobStatus] | None, typer.Option("--status", help="Only this status; may be repeated.")
    ] = None,
    limit: Limit = 100,
) -> None:
    """List jobs, newest first."""
    with opened() as zj:
        found = zj.jobs.list(user, statuses=status or None, limit=limit)
    show.emit(found, lambda: _table(found))


@app.command()
def replay(user: User, job: Annotated[str, typer.Argument(help="Job id, job_….")]) -> None:
    """Run a dead job again, now."""
    with opened() as zj:
        zj.jobs.replay(user, job)
        zj.drain(user)
        found = next((one for one in zj.jobs.list(user, limit=10_000) if one.id == job), None)
    show.emit(found, lambda: _table([found] if found else []))


def _table(found: Sequence[Job]) -> RenderableType:
    if not found:
        return Text(say("There is no job."))
    table = show.columns("job", "user", "kind", "status", "attempts", "run at", "error", right=("attempts",))
    for one in found:
        table.add_row(
            one.id,
            Text(show.visible(one.scope.user)),
            one.kind.value,
            say(one.status.value),
            str(one.attempts),
            show.moment(one.run_at),
            Text(show.visible(one.error)),
        )
    return table
