"""What it costs to begin: importing, ``zhiji --help``, and the memory of an open engine, beside numpy and bare Python.

    python -m benchmarks start [--rounds 5]

Each figure is the least CPU time of fresh processes, which depends little on what else the machine does.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
from collections.abc import Sequence

from benchmarks import report

HELP = "from zhiji.cli import main; main(['--help'])"
OPEN = """
import asyncio, tempfile
from zhiji import Settings, Zhiji
async def main(folder):
    async with Zhiji.open(Settings.load(database_url=f"sqlite:///{folder}/zhiji.db", embedder="off")) as zj:
        await zj.chat("u1", "你好")
with tempfile.TemporaryDirectory() as folder:
    asyncio.run(main(folder))
"""


def cost(code: str) -> tuple[float, float]:
    """Return the CPU milliseconds and the peak memory in MB of a fresh Python that runs ``code``."""
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, code)
    return (used.ru_utime + used.ru_stime) * 1000, used.ru_maxrss / 1024


def least(code: str, rounds: int) -> tuple[float, float]:
    """Return the least of both over so many processes."""
    found = [cost(code) for _ in range(rounds)]
    return min(milliseconds for milliseconds, _ in found), min(peak for _, peak in found)


async def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="benchmarks start", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(argv)
    nothing, numpy = least("pass", options.rounds), least("import numpy", options.rounds)
    package, engine = least("import zhiji", options.rounds), least("from zhiji import Zhiji", options.rounds)
    helped, opened = least(HELP, options.rounds), least(OPEN, options.rounds)
    rows = [
        report.ratio("import zhiji / python", package[0], nothing[0]),
        report.ratio("from zhiji import Zhiji / import numpy", engine[0], numpy[0]),
        report.ratio("zhiji --help / from zhiji import Zhiji", helped[0], engine[0]),
        report.ratio("open engine, MB / python with numpy, MB", opened[1], numpy[1]),
    ]
    report.publish("start", vars(options), rows)


if __name__ == "__main__":
    asyncio.run(main())
