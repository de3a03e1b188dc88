"""Run benchmarks: ``python -m benchmarks`` all of them, ``… NAME [options]`` one, ``… --list`` what there is."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from importlib import import_module

NAMES = ("turn", "recall", "background", "start", "relation", "load")
"""Every benchmark; its module says what it measures, and its options."""


def main(argv: Sequence[str]) -> int:
    """Run what is asked for and return the exit code."""
    if argv[:1] == ["--list"]:
        for name in NAMES:
            print(f"{name:12}{(import_module(f'benchmarks.{name}').__doc__ or '').splitlines()[0]}")
        return 0
    if argv and argv[0] not in NAMES:
        print(f"benchmarks: there is none of that name; there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    for name in argv[:1] or NAMES:
        asyncio.run(import_module(f"benchmarks.{name}").main(list(argv[1:])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
