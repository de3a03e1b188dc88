"""How often ``relation`` is right on labelled pairs: ``python -m benchmarks relation [FILE]``, by default those of the tests.

One JSON object a line: ``relation`` (same, supersede, distinct), ``old``, ``new``. Prints the score by label, and how many
distinct pairs would have been merged, beside the baseline that the literature starts from: equal spelling is the same
fact, everything else is another one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks import report
from zhiji.relation.judge import relation
from zhiji.relation.reading import plain

PAIRS = Path(__file__).parents[1] / "tests/unit/relation/pairs.jsonl"


def spelling(old: str, new: str) -> str:
    """Return the verdict of the baseline."""
    return "same" if plain(old) == plain(new) else "distinct"


async def main(argv: Sequence[str] | None = None) -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(prog="benchmarks relation", description="How often relation is right.")
    parser.add_argument("file", nargs="?", type=Path, default=PAIRS)
    options = parser.parse_args(argv)
    pairs = [json.loads(line) for line in options.file.read_text(encoding="utf-8").splitlines() if line.strip()]
    told = [
        (pair["relation"], relation(pair["old"], pair["new"]), spelling(pair["old"], pair["new"])) for pair in pairs
    ]
    wrong = sum(label != ours for label, ours, _ in told)
    merged = sum(label == "distinct" != ours for label, ours, _ in told)
    rows = [
        report.ratio(
            "pairs judged wrongly / by equal spelling", wrong, sum(label != plain for label, _, plain in told)
        ),
        report.ratio(
            "distinct pairs merged / distinct pairs", merged, sum(label == "distinct" for label, _, _ in told)
        ),
    ]
    report.publish("relation", {"pairs": len(pairs), "file": options.file.name}, rows)


if __name__ == "__main__":
    asyncio.run(main())
