"""What a benchmark prints: its figures with the commit, the machine and the settings that they belong to."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


def commit() -> str:
    """Return the commit measured, marked if the tree differs from it."""
    try:
        head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
        dirty = subprocess.run(["git", "status", "--porcelain"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head.stdout.strip() + ("+" if dirty.stdout.strip() else "")


def frame(settings: Mapping[str, object]) -> dict[str, object]:
    """Return what every report starts with."""
    return {
        "commit": commit(),
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
        "settings": dict(settings),
    }


@dataclass(frozen=True, slots=True)
class Row:
    """One figure beside its baseline, in milliseconds unless its name says otherwise."""

    name: str
    figure: float
    baseline: float
    target: float | None = None
    """The most that the ratio may be."""

    @property
    def ratio(self) -> float:
        return self.figure / self.baseline

    @property
    def verdict(self) -> str:
        """Return the target and whether it is met; empty without one."""
        if self.target is None:
            return ""
        return f"≤ {self.target:g} {'met' if self.ratio <= self.target else 'MISSED'}"


def ratio(name: str, figure: float, baseline: float, *, most: float | None = None) -> Row:
    """Return a row; ``most`` is its target."""
    return Row(name, figure, baseline, most)


def spread(times: Sequence[float]) -> dict[str, float]:
    """Return the median and the 95th percentile, rounded."""
    ordered = sorted(times)
    return {"p50": round(statistics.median(ordered), 3), "p95": round(ordered[len(ordered) * 95 // 100], 3)}


def publish(
    title: str, settings: Mapping[str, object], rows: Sequence[Row], details: Mapping[str, object] | None = None
) -> None:
    """Print the rows as a table on stderr, and everything, ``details`` too, as one JSON document on stdout."""
    cells = [(row.name, f"{row.figure:.3g} / {row.baseline:.3g}", f"{row.ratio:.2f}", row.verdict) for row in rows]
    _table([(title, "figure / baseline", "ratio", "target"), *cells])
    figures = {
        row.name: {"figure": row.figure, "baseline": row.baseline, "ratio": row.ratio, "target": row.target}
        for row in rows
    }
    document = {"benchmark": title, **frame(settings), "rows": figures, **(details or {})}
    print(json.dumps(document, ensure_ascii=False, indent=2))


def _table(lines: Sequence[tuple[str, str, str, str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for name, *rest in lines:
        print(
            "  ".join([name.ljust(widths[0]), *(c.rjust(w) for c, w in zip(rest, widths[1:], strict=True))]),
            file=sys.stderr,
        )
