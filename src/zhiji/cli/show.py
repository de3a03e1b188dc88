"""What commands print: JSON or something to read on stdout; notices and progress on stderr.

Everything that a user or a model wrote is shown as text: never as markup, never with control characters. rich counts
terminal cells, so Chinese and English stay aligned.
"""

from __future__ import annotations

import json
import os
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from datetime import datetime
from typing import Literal

from rich import box
from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from zhiji.cli.plain import plain
from zhiji.cli.words import say, type_label
from zhiji.types import Extraction, Memory, Recalled, Step, Usage

AS_JSON: ContextVar[bool] = ContextVar("as_json", default=False)

PIPE_COLUMNS = 160
"""Width of what is not printed on a terminal, unless ``COLUMNS`` says another."""
BAR_CELLS = 24
_TURNING = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})


class _Console(Console):
    """rich's console, which leaves a closed pipe to ``main``."""

    def on_broken_pipe(self) -> None:
        """Raise it again; rich would exit with 1, which here means that a check failed."""
        raise BrokenPipeError


def out() -> Console:
    """Return the console on stdout."""
    return _console(stderr=False)


def err() -> Console:
    """Return the console on stderr."""
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    wished = os.environ.get("COLUMNS", "")
    width = None if stream.isatty() else int(wished) if wished.isdecimal() and int(wished) else PIPE_COLUMNS
    return _Console(stderr=stderr, width=width, highlight=False, markup=False, emoji=False)


def emit(value: object, render: Callable[[], RenderableType]) -> None:
    """``value`` is printed as JSON with ``--json``, else what ``render`` makes of it."""
    if AS_JSON.get():
        sys.stdout.write(json.dumps(plain(value), ensure_ascii=False, indent=2) + "\n")
    else:
        out().print(render())


def line(value: object) -> None:
    """``value`` is printed as JSON on one line."""
    sys.stdout.write(json.dumps(plain(value), ensure_ascii=False) + "\n")


def done(value: object, sentence: str) -> None:
    """``value`` is printed as JSON with ``--json``, else the sentence."""
    emit(value, lambda: Text(sentence))


def notice(sentence: str) -> None:
    """A sentence is shown on stderr."""
    err().print(Text(sentence, style="dim"), soft_wrap=True)


def progress() -> Progress:
    """Return a progress bar on stderr: nothing is drawn unless that is a terminal, nothing stays when it is done."""
    console = err()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=AS_JSON.get() or not console.is_terminal)


def visible(text: str) -> str:
    """Return text without control characters (but line breaks and tabs), so that it cannot steer a terminal.

    Signs that turn the direction of writing go as well; joiners stay, since emoji are made with them.
    """
    return "".join("\N{REPLACEMENT CHARACTER}" if _steers(char) else char for char in text)


def _steers(char: str) -> bool:
    steering = unicodedata.category(char) in ("Cc", "Cs") or unicodedata.bidirectional(char) in _TURNING
    return steering and char not in "\n\t"


def moment(time: datetime | None) -> str:
    """Return a time in the reader's zone, to the minute."""
    return "–" if time is None else time.astimezone().strftime("%Y-%m-%d %H:%M")


def bar(share: float, cells: int = BAR_CELLS) -> str:
    """Return a bar for a share in [0, 1]; more than nothing is at least one cell."""
    filled = min(cells, round(share * cells))
    filled = max(filled, 1) if share > 0 else 0
    return "█" * filled + "░" * (cells - filled)


def columns(*heads: str, right: Sequence[str] = (), whole: Sequence[str] = ()) -> Table:
    """Return an empty table with translated heads; those in ``right`` are aligned right, those in ``whole`` never broken."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for head in heads:
        justify: Literal["right", "left"] = "right" if head in right else "left"
        table.add_column(say(head), justify=justify, overflow="fold", no_wrap=head in whole)
    return table


def pairs(rows: Mapping[str, object]) -> Table:
    """Return names and values, one pair a line; names are translated."""
    table = Table.grid(padding=(0, 2))
    for name, value in rows.items():
        table.add_row(Text(say(name), style="dim"), Text(visible(str(value))))
    return table


def memories(found: Sequence[Memory], *, numbered: bool = False) -> RenderableType:
    """Return memories to read: type and content, below it key, weight, date and id."""
    if not found:
        return Text(say("Nothing is remembered."))
    table = Table.grid(padding=(0, 2))
    for number, memory in enumerate(found, 1):
        cells = [Text(type_label(memory.type), style="cyan"), _with_meta(memory, _meta(memory))]
        table.add_row(*([Text(str(number), style="bold")] if numbered else []), *cells)
    return table


def recalled(found: Sequence[Recalled]) -> RenderableType:
    """Return recalled memories, best first, with the terms of their scores if they are there."""
    if not found:
        return Text(say("Nothing was recalled."))
    table = Table.grid(padding=(0, 2))
    for item in found:
        terms = [f"{say(name)} {value:.2f}" for name, value in item.terms.items()]
        meta = " · ".join(filter(None, [*terms, say(item.via.value), item.memory.key, item.memory.id]))
        score = Text(f"{item.score:.3f} {bar(item.score, 8)}", style="green")
        table.add_row(score, Text(type_label(item.memory.type), style="cyan"), _with_meta(item.memory, meta))
    return table


def usage(used: Usage) -> RenderableType:
    """Return the tokens of a request by part, as bars of the whole window."""
    table = Table.grid(padding=(0, 2))
    for part in ("system", "memory", "summary", "history", "tool", "input", "reserve"):
        tokens = getattr(used, part)
        table.add_row(say(part), f"{tokens:,}", Text(bar(tokens / used.limit if used.limit else 0), style="blue"))
    table.columns[1].justify = "right"
    total = say(
        "{total:,} of {limit:,} tokens, {ratio:.0%} with the reserve",
        total=used.total,
        limit=used.limit,
        ratio=used.ratio,
    )
    return Group(table, Text(total, style="bold"))


def steps(taken: Sequence[Step]) -> RenderableType:
    """Return the rungs of the ladder that a request took."""
    if not taken:
        return Text(say("Everything fitted; nothing was left out."))
    table = columns("step", "removed", "before", "after", "reason", right=("removed", "before", "after"))
    for step in taken:
        table.add_row(
            step.name, str(step.removed), f"{step.tokens_before:,}", f"{step.tokens_after:,}", Text(step.reason)
        )
    return table


def extractions(passes: Sequence[Extraction]) -> RenderableType:
    """Return what extraction passes made of a conversation."""
    if not passes:
        return Text(say("Nothing was learnt yet."))
    counts = ("written", "reinforced", "superseded", "quarantined", "skipped")
    table = columns("outcome", *counts, "reason", right=counts)
    for one in passes:
        numbers = (str(getattr(one, count)) for count in counts)
        table.add_row(say(one.outcome), *numbers, Text(visible("; ".join(one.reasons))))
    return table


def _with_meta(memory: Memory, meta: str) -> Text:
    return Text(visible(memory.content)).append("\n" + visible(meta), style="dim")


def _meta(memory: Memory) -> str:
    weight = say(
        "importance {importance}, confidence {confidence:.2f}",
        importance=memory.importance,
        confidence=memory.confidence,
    )
    status = "" if memory.status.value == "active" else say(memory.status.value)
    reason = f"({memory.reason})" if memory.reason and status else ""
    parts = (
        memory.key,
        weight,
        f"{status} {reason}".strip(),
        memory.updated_at.astimezone().strftime("%Y-%m-%d"),
        memory.id,
    )
    return " · ".join(part for part in parts if part)
