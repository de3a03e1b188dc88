"""``zhiji memories``: see, correct, delete and bring back what is remembered about a user."""

from __future__ import annotations

from typing import Annotated

import typer

from zhiji.cli import show
from zhiji.cli.options import Limit, MemoryId, User, opened
from zhiji.cli.words import say
from zhiji.types import Status

app = typer.Typer(help="See, correct, delete and restore what is remembered.", no_args_is_help=True)


@app.command("list")
def list_(
    user: User,
    types: Annotated[list[str] | None, typer.Option("--type", "-t", help="Only this type; may be repeated.")] = None,
    status: Annotated[
        list[Status] | None, typer.Option("--status", help="Only this status; may be repeated (default: active).")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every status.")] = False,
    limit: Limit = 200,
) -> None:
    """List what is remembered, newest first."""
    statuses = list(Status) if everything else status or [Status.ACTIVE]
    with opened() as zj:
        found = zj.memories.list(user, statuses=statuses, types=types or None, limit=limit)
    show.emit(found, lambda: show.memories(found))


@app.command()
def get(user: User, memory: MemoryId) -> None:
    """Show one memory, whatever its status, with its sources."""
    with opened() as zj:
        found = zj.memories.get(user, memory)
    sources = "; ".join(f"{source.session} #{', #'.join(map(str, source.seqs))}" for source in found.sources)
    show.emit(
        found,
        lambda: show.pairs(
            {
                "content": found.content,
                "type": found.type,
                "key": found.key or "–",
                "status": say(found.status.value),
                "reason": found.reason or "–",
                "importance": found.importance,
                "confidence": found.confidence,
                "said by": say(found.trust.value),
                "sources": sources or "–",
                "valid from": show.moment(found.valid_from),
                "valid to": show.moment(found.valid_to),
                "superseded by": found.superseded_by or "–",
                "recalls": found.recalls,
                "expires": show.moment(found.expires_at),
                "id": found.id,
            }
        ),
    )


@app.command()
def correct(
    user: User,
    memory: MemoryId,
    content: Annotated[str, typer.Argument(help="What is right, in one sentence.")],
    reason: Annotated[str, typer.Option("--reason", "-r", help="Why, for the history.")] = "",
) -> None:
    """Replace a memory by what is right; the old one stays as history."""
    with opened() as zj:
        found = zj.memories.correct(user, memory, content, reason)
        zj.drain(user)
    show.emit(found, lambda: show.memories([found]))


@app.command()
def delete(user: User, memory: MemoryId) -> None:
    """Delete a memory for good; the same conversation cannot bring it back."""
    with opened() as zj:
        zj.memories.delete(user, memory)
    show.done({"deleted": memory}, say("Deleted {id}.", id=memory))


@app.command()
def restore(user: User, memory: MemoryId) -> None:
    """Make a superseded, archived or quarantined memory active again."""
    with opened() as zj:
        found = zj.memories.restore(user, memory)
        zj.drain(user)
    show.emit(found, lambda: show.memories([found]))


@app.command()
def history(user: User, memory: MemoryId) -> None:
    """Show every version of what a memory says, oldest first."""
    with opened() as zj:
        versions = zj.memories.history(user, memory)
    show.emit(versions, lambda: show.memories(versions))
