"""``zhiji doctor``: where a message lost what should have been remembered, and what to do about it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from zhiji.cli import exits, show, words, zh
from zhiji.cli.options import MaybeSession, User, opened
from zhiji.cli.words import say

if TYPE_CHECKING:
    from zhiji.diagnosis import Check, Diagnosis, Fact, Note

MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "broken": ("✗", "bold red"), "skipped": ("–", "dim")}
"""Sign and style by verdict."""
EVIDENCE = ("key", "score", "rank", "cut")
"""Facts of a memory that are shown beside it."""


def doctor(
    user: User,
    message: Annotated[str, typer.Option("--message", "-m", help="The message that was answered without memory.")],
    session: MaybeSession = None,
    expect: Annotated[
        str | None, typer.Option("--expect", "-e", help="Words that should have been remembered, such as a number.")
    ] = None,
) -> None:
    """Find out why something was not remembered: input, session, memory, context; exit 1 if a step broke."""
    with opened() as zj:
        found = zj.doctor(user, session, message, expect=expect)
    show.emit(found, lambda: report(found, user))
    if found.broken is not None:
        raise typer.Exit(exits.CHECK_FAILED)


def report(found: Diagnosis, user: str) -> RenderableType:
    """Return the four steps, one after the other, the first broken one standing out."""
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    for check in found.steps:
        mark, style = MARKS[check.status.value]
        first = check.step == found.broken
        lines = Text("\n").join(
            _lines(check, user, told=first or found.broken is None or check.status.value == "warning")
        )
        table.add_row(Text(mark, style=style), Text(say(check.step.value), style=style if first else ""), lines)
    return table


def _lines(check: Check, user: str, *, told: bool) -> Iterator[Text]:
    yield from _note(check, user, told=told)
    evidence = [_evidence(name, check.facts[name]) for name in EVIDENCE if check.facts.get(name) is not None]
    if check.facts.get("content"):
        yield Text(show.visible(" · ".join([f"“{check.facts['content']}”", *evidence])), style="dim")
    for other in check.others:
        if other.status.value in ("warning", "broken"):
            yield from _note(other, user, told=other.status.value == "broken")


def _evidence(name: str, fact: Fact) -> str:
    return f"{say(name)} {fact:.2f}" if isinstance(fact, float) else f"{say(name)} {fact}"


def _note(one: Check | Note, user: str, *, told: bool) -> Iterator[Text]:
    what, advice = _sentences(one)
    yield Text(show.visible(what))
    if advice and told:
        yield Text(show.visible("→ " + advice.replace("--user USER", f"--user {shlex.quote(user)}")), style="bold")


def _sentences(one: Check | Note) -> tuple[str, str]:
    if words.LANGUAGE.get() == "en":
        return one.what, one.advice
    from zhiji.diagnosis import filled

    facts = {**one.facts, "place": say(str(one.facts.get("place")))}
    what, advice = zh.FINDINGS[one.finding.value]
    return filled(what, facts), filled(advice, facts)
