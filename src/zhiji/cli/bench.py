"""``zhiji bench``: measure on your own data."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from zhiji.cli import show
from zhiji.cli.words import say
from zhiji.errors import InvalidInput

app = typer.Typer(help="Measure on your own data.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Measure on your own data."""


@app.command()
def retrieval(
    data: Annotated[Path, typer.Option("--data", metavar="FILE", help="Owners with items and questions, one a line.")],
    owners: Annotated[str | None, typer.Option("--owners", metavar="1-5,8", help="Only these lines, from 1.")] = None,
    ks: Annotated[str, typer.Option("--k", metavar="5,10", help="Depths at which recall is measured.")] = "5,10",
) -> None:
    """Measure how well recall finds what was said: recall at k, nDCG@10, MRR, latency."""
    from zhiji.bench import retrieval as bench
    from zhiji.config import Settings

    wanted = None if owners is None else numbers(owners)
    with show.progress() as bar:
        task = bar.add_task("", total=None)

        def told(owner: str, done: int, total: int) -> None:
            bar.update(task, description=show.visible(owner), completed=done, total=total)

        report = asyncio.run(
            bench.run(data, owners=wanted, ks=numbers(ks), settings=Settings.from_environment(), progress=told)
        )
    show.emit(report, lambda: _page(report))


@app.command()
def consolidation(
    data: Annotated[
        Path, typer.Option("--data", metavar="FILE", help="Pairs of an old and a new sentence, one a line.")
    ],
) -> None:
    """Measure what becomes of what is said again, changed or new: same, supersede, distinct."""
    from zhiji.bench import consolidation as bench
    from zhiji.config import Settings

    with show.progress() as bar:
        task = bar.add_task("", total=None)

        def told(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        report = asyncio.run(bench.run(data, settings=Settings.from_environment(), progress=told))
    show.emit(report, lambda: _verdicts(report))


def _verdicts(report: Mapping[str, Any]) -> RenderableType:
    table = show.columns("relation", "right", "of", right=("right", "of"))
    for name, row in {say("all"): report, **{say(name): row for name, row in report["by_relation"].items()}}.items():
        table.add_row(Text(name), str(row["right"]), str(row["total"]))
    return Group(table, show.pairs({"distinct ones merged": report["distinct_merged"]}))


@app.command()
def extraction(
    data: Annotated[
        Path, typer.Option("--data", metavar="FILE", help="Labelled dialogues, one a line: what to remember, what not.")
    ],
    explain: Annotated[bool, typer.Option("--explain", help="Also what each dialogue missed and broke.")] = False,
) -> None:
    """Measure how much of what must be remembered is, and what is remembered that must not be."""
    from zhiji.bench import extraction as bench
    from zhiji.config import Settings

    with show.progress() as bar:
        task = bar.add_task("", total=None)

        def told(dialogue: str, done: int, total: int) -> None:
            bar.update(task, description=show.visible(dialogue), completed=done, total=total)

        report = asyncio.run(bench.run(data, settings=Settings.from_environment(), progress=told, explain=explain))
    show.emit(report, lambda: _extracted(report))


def numbers(text: str) -> list[int]:
    """Return the numbers that a list such as ``1-3,8`` names, each once and in order.

    Raises:
        InvalidInput: it is no such list.
    """
    found: set[int] = set()
    for part in text.split(","):
        first, dash, last = (piece.strip() for piece in part.partition("-"))
        if not (first.isdecimal() and (last.isdecimal() if dash else not last)):
            raise InvalidInput(say("not a list of numbers; write it like 1-5 or 1,3,8"))
        found |= set(range(int(first), int(last or first) + 1))
    if not found or min(found) < 1:
        raise InvalidInput(say("not a list of numbers; write it like 1-5 or 1,3,8"))
    return sorted(found)


def _page(report: Mapping[str, Any]) -> RenderableType:
    figures = [name for name in report if name.startswith(("recall@", "ndcg@")) or name == "mrr"]
    table = show.columns("group", "questions", *figures, right=("questions", *figures))
    for name, row in {say("all"): report, **report["groups"]}.items():
        table.add_row(Text(show.visible(name)), str(row["questions"]), *(f"{row[figure]:.3f}" for figure in figures))
    return Group(table, _footer(report))


def _footer(report: Mapping[str, Any]) -> Table:
    latency = report["latency_ms"]
    return show.pairs(
        {
            "latency": f"p50 {latency['p50']:.1f} ms, p95 {latency['p95']:.1f} ms",
            "memories": f"{report['rows']:,}",
            "bytes": f"{report['bytes']:,}",
            "embedder": report["config"]["embedder"] or say("none, by keyword only"),
        }
    )


def _extracted(report: Mapping[str, Any]) -> RenderableType:
    figures = ("facts", "found", "recall", "nevers", "broken")
    table = show.columns("group", *figures, right=figures)
    groups = {say("all"): report, **report["by_lang"], **report["by_kind"], **report["by_type"]}
    for name, row in groups.items():
        share = "–" if row["recall"] is None else f"{row['recall']:.3f}"
        counts = (str(row["facts"]), str(row["found"]), share, str(row["nevers"]), str(row["broken"]))
        table.add_row(Text(show.visible(name)), *counts)
    wrong = [
        Text(
            f"{show.visible(row['id'])}: {say('missed')} {show.visible(str(row['missed']))}, {say('broken')} {show.visible(str(row['broken']))}"
        )
        for row in report.get("wrong", ())
    ]
    return Group(
        table, show.pairs({name: f"{report[name]:,}" for name in ("memories", "failed") if name in report}), *wrong
    )
