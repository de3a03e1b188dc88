"""``zhiji jobs``: background work, what failed and why, running it again or giving it up, and who runs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import RenderableType
from rich.text import Text

from zhiji.cli import show
from zhiji.cli.options import Limit, MaybeSession, opened
from zhiji.cli.plain import plain
from zhiji.cli.words import say
from zhiji.signals import CHANGES
from zhiji.types import Extraction, Job, JobStatus, Scope, WorkerBeat

if TYPE_CHECKING:
    from zhiji.blocking import Zhiji

app = typer.Typer(
    help="List background jobs and who runs them; run dead ones again, or discard them.", no_args_is_help=True
)

RECENT = 10_000
"""Last jobs whose owners are looked at for what extraction made of their sessions."""

JobId = Annotated[str, typer.Argument(help="Job id, job_….")]
Whose = Annotated[
    str | None,
    typer.Option("--user", "-u", envvar="ZHIJI_USER", help="Only if it is this user's (default: anybody's)."),
]


@app.command("list")
def list_(
    user: Annotated[str | None, typer.Option("--user", "-u", help="Only this user's jobs.")] = None,
    status: Annotated[
        list[JobStatus] | None, typer.Option("--status", help="Only this status; may be repeated.")
    ] = None,
    limit: Limit = 100,
) -> None:
    """List jobs, newest first, with what extraction made of their sessions."""
    with opened() as zj:
        found = zj.jobs.list(user, statuses=status or None, limit=limit)
        outcomes = zj.jobs.outcomes(found)
    _emit(found, outcomes)


@app.command()
def replay(job: JobId, user: Whose = None) -> None:
    """Run a dead job again, now."""
    with opened() as zj:
        scope = _owner(zj, user, job)
        zj.jobs.replay(scope, job)
        zj.drain(scope)
        found = [one for one in zj.jobs.list(scope, limit=10_000) if one.id == job]
        outcomes = zj.jobs.outcomes(found)
    value = _listed(found[0], outcomes) if found else None
    show.emit(value, lambda: _table(found, outcomes))


@app.command()
def discard(job: JobId, user: Whose = None) -> None:
    """Give a dead job up for good; the next job of its session reads what it left unread."""
    with opened() as zj:
        zj.jobs.discard(_owner(zj, user, job), job)
    show.done({"discarded": job}, say("Discarded {id}.", id=job))


@app.command()
def outcomes(
    user: Annotated[
        str | None, typer.Option("--user", "-u", envvar="ZHIJI_USER", help="Only this user's (default: anybody's).")
    ] = None,
    session: MaybeSession = None,
    limit: Limit = 100,
) -> None:
    """List what extraction made of the sessions, newest first: how it ended, by whom, what became of the facts, what it cost."""
    with opened() as zj:
        owners = {one.scope for one in zj.jobs.list(limit=RECENT)} if user is None else {zj.scope(user)}
        found = [
            (scope.user, outcome)
            for scope in owners
            for outcome in zj.jobs.extractions(scope, session_id=session, limit=limit)
        ]
    found = sorted(found, key=lambda pair: pair[1].time, reverse=True)[:limit]
    rows = [{"user": name, **_fields_of(outcome)} for name, outcome in found]
    show.emit(rows, lambda: _outcome_table(found))


@app.command()
def workers() -> None:
    """List the processes that run jobs; one that has not shown itself for a while is missing."""
    with opened() as zj:
        found = zj.jobs.workers()
    show.emit(found, lambda: _workers(found))


def _owner(zj: Zhiji, user: str | None, job: str) -> str | Scope:
    scope: Scope = zj.jobs.find(job).scope
    return scope if user is None else user


def _listed(job: Job, outcomes: Mapping[str, Extraction]) -> object:
    return {**_fields(job), "outcome": plain(outcomes.get(job.id))}


def _fields(job: Job) -> dict[str, object]:
    """Return a job as JSON, with its age in seconds."""
    fields = plain(job)
    assert isinstance(fields, dict)
    return {**fields, "age_seconds": round(_age(job), 3)}


def _age(job: Job) -> float:
    return max(0.0, (datetime.now(UTC) - job.created_at).total_seconds())


def _emit(found: Sequence[Job], outcomes: Mapping[str, Extraction]) -> None:
    show.emit([_listed(one, outcomes) for one in found], lambda: _table(found, outcomes))


def _table(found: Sequence[Job], outcomes: Mapping[str, Extraction]) -> RenderableType:
    if not found:
        return Text(say("There is no job."))
    table = show.columns(
        "job",
        "user",
        "kind",
        "status",
        "attempts",
        "age",
        "outcome",
        "error",
        right=("attempts", "age"),
        whole=("job",),
    )
    for one in found:
        outcome = outcomes.get(one.id)
        table.add_row(
            one.id,
            Text(show.visible(one.scope.user)),
            one.kind.value,
            say(one.status.value),
            str(one.attempts),
            _duration(_age(one)),
            say(outcome.outcome) if outcome else "–",
            Text(show.visible(one.error)),
        )
    return table


def _fields_of(outcome: Extraction) -> dict[str, object]:
    fields = plain(outcome)
    assert isinstance(fields, dict)
    return {**fields}


def _outcome_table(found: Sequence[tuple[str, Extraction]]) -> RenderableType:
    if not found:
        return Text(say("Nothing has been extracted."))
    figures = ("messages", *CHANGES, "tokens", "time taken")
    table = show.columns(
        "time",
        "user",
        "session",
        "messages",
        "outcome",
        "by",
        *CHANGES,
        "tokens",
        "time taken",
        "reasons",
        right=figures,
    )
    for user, one in found:
        table.add_row(
            show.moment(one.time),
            Text(show.visible(user)),
            one.session,
            f"{one.first_seq}–{one.last_seq}",
            say(one.outcome),
            Text(show.visible(" ".join(filter(None, (one.extractor, one.model))))),
            *(str(getattr(one, change)) for change in CHANGES),
            str(one.tokens),
            f"{one.duration_ms / 1000:.1f}s",
            Text(show.visible("; ".join(one.reasons))),
        )
    return table


def _workers(found: Sequence[WorkerBeat]) -> RenderableType:
    if not found:
        return Text(say("No process runs jobs."))
    table = show.columns("process", "role", "status", "jobs", "started", "last seen", right=("jobs",))
    for one in found:
        status = say("missing") if one.is_missing else say("alive")
        times = (show.moment(one.started_at), show.moment(one.beat_at))
        table.add_row(Text(show.visible(one.holder)), say(one.role.value), status, str(one.running), *times)
    return table


def _duration(seconds: float) -> str:
    """Return a duration in its largest unit: ``45s``, ``3m``, ``5h``, ``2d``."""
    for unit, size in (("d", 86_400), ("h", 3600), ("m", 60)):
        if seconds >= size:
            return f"{seconds // size:.0f}{unit}"
    return f"{seconds:.0f}s"
