"""Run benchmarks: ``python -m benchmarks`` all of them, ``… NAME [options]`` one, ``… --list`` what there is."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Sequence
from importlib import import_module

NAMES = ("turn", "engines", "recall", "scale", "background", "start", "relation", "updates", "ordinary", "load")
"""Every benchmark; its module says what it measures, and its options."""
INTERRUPTED = 130
"""Exit code after Ctrl+C or SIGTERM, as a shell tells it."""


def main(argv: Sequence[str]) -> int:
    """Run what is asked for and return the exit code."""
    if argv[:1] == ["--list"]:
        for name in NAMES:
            print(f"{name:12}{(import_module(f'benchmarks.{name}').__doc__ or '').splitlines()[0]}")
        return 0
    if argv and argv[0] not in NAMES:
        print(f"benchmarks: there is none of that name; there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    for name in argv[:1] or NAMES:
        try:
            asyncio.run(import_module(f"benchmarks.{name}").main(list(argv[1:])))
        except KeyboardInterrupt:  # whatever was started has ended
            return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
