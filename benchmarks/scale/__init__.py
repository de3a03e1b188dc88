"""One owner among ten thousand: recall, erasure, bytes and memory of a store with a million memories, beside one with this owner alone.

    python -m benchmarks scale [--database both] [--memories 1000000] [--owners 10000] [--dim 384] [--samples 100] [--keep DIR]

Invented memories in Chinese and English, with vectors of random directions; filled by bulk statements with rows that the
store itself has written (``fill``), which is checked for one owner. Then, in turns, some of the owners in the big store,
and in the small one the only owner, who has the same memories: ``Store.search`` by both arms, and the whole of
``zj.recall``. *Cold*: the first time since the store was opened; *warm*: later. ``--keep``: the big stores stay in DIR
for the next run, but for the owners whose erasure was measured. Targets are ratios of medians.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from benchmarks import report
from benchmarks.scale import fill, measure
from benchmarks.scale.databases import Database, Postgresql, Sqlite
from zhiji.testing.servers import postgres

TEMPLATES = 50
VISITS = 10
ERASURES = 20
RECALL_RATIO, ERASE_RATIO = 1.5, 2.0
MILLION = 1_000_000


async def main(argv: Sequence[str] | None = None) -> None:
    """Fill, measure and print."""
    options = read_options(argv)
    plan = fill.Plan(
        owners=options.owners,
        each=options.memories // options.owners,
        templates=min(TEMPLATES, max(1, options.owners // 100)),
        visits=VISITS,
        dim=options.dim,
    )
    wanted = ("sqlite", "postgres") if options.database == "both" else (options.database,)
    rows, details = list[report.Row](), dict[str, object]()
    with tempfile.TemporaryDirectory(dir=".") as name:
        for kind in wanted:
            with ExitStack() as stack:
                big, small = databases(stack, kind, Path(name), options.keep)
                details[kind] = {
                    **await ready(big, small, plan, options.keep and options.keep / f"{kind}.json"),
                    **await measured(rows, kind, big, small, plan, options.samples),
                }
    settings = {**vars(options), "keep": str(options.keep or ""), "plan": asdict(plan)}
    report.publish("scale", settings, rows, details)


def read_options(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(
        prog="benchmarks scale", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", choices=("sqlite", "postgres", "both"), default="both")
    defaults = {"memories": MILLION, "owners": 10_000, "dim": 384, "samples": 100}
    for name, default in defaults.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--keep", type=Path, help="folder of the big stores, for the next run")
    return parser.parse_args(argv)


def databases(stack: ExitStack, kind: str, folder: Path, keep: Path | None) -> tuple[Database, Database]:
    """Return the big and the small database, which need not have tables yet."""
    folder = folder.absolute()
    home = folder if keep is None else keep.absolute()
    home.mkdir(parents=True, exist_ok=True)
    if kind == "sqlite":
        return Sqlite(f"sqlite:///{home / 'big.db'}"), Sqlite(f"sqlite:///{folder / 'small.db'}")
    server = stack.enter_context(postgres(is_durable=True, folder=home / "postgres"))
    return Postgresql(server.require("zhiji_big")), Postgresql(server.create())


async def ready(big: Database, small: Database, plan: fill.Plan, kept: Path | None) -> Mapping[str, object]:
    """Both are filled; returns what that took. ``kept`` tells what a kept database was filled by."""
    await written(small, plan, owners=1)
    small.settle()
    if kept is not None and was_filled(kept, plan):
        return {"filled": "before"}
    await written(big, plan, owners=plan.templates)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as other:
        seconds, peak_mb = await asyncio.get_running_loop().run_in_executor(other, fill.filled, big, plan)
    if big.rows(fill.user(plan.owners - plan.owners % plan.templates - plan.templates)) != small.rows(fill.user(0)):
        raise AssertionError("an owner's rows are not those that the store writes")
    if kept is not None:
        note_filled(kept, plan)
    return {"filled_s": round(seconds, 1), "filler_peak_mb": round(peak_mb)}


def was_filled(kept: Path, plan: fill.Plan) -> bool:
    """Return whether the note of a kept database is there; it must be of this plan."""
    if kept.exists() and json.loads(kept.read_text()) != asdict(plan):
        raise SystemExit(f"{kept.parent} was filled with other numbers; name another folder, or the same numbers")
    return kept.exists()


def note_filled(kept: Path, plan: fill.Plan) -> None:
    """The next run knows what is in the kept database."""
    kept.write_text(json.dumps(asdict(plan)))


async def written(database: Database, plan: fill.Plan, *, owners: int) -> None:
    """The first so many owners are written through the store."""
    store = await database.open()
    try:
        await fill.write_templates(store, plan, owners)
    finally:
        await store.close()


async def measured(
    rows: list[report.Row], kind: str, big: Database, small: Database, plan: fill.Plan, samples: int
) -> Mapping[str, object]:
    """The figures are in ``rows``; returns those that have no baseline."""
    users = big.users(f"id > {plan.templates} AND (id - 1) % {plan.templates} = 0")
    erasures = min(ERASURES, max(1, len(users) // 4))
    asked, gone = users[:-erasures][:samples], users[-erasures:]
    before = measure.resident_mb()
    spreads = dict[str, object]()

    def note(what: str, times: measure.Pair, most: float) -> None:
        figures = [report.spread(one) for one in times]
        spreads[what] = dict(zip(("big", "small"), figures, strict=True))
        rows.append(report.ratio(f"{kind}: {what}, big / small", figures[0]["p50"], figures[1]["p50"], most=most))

    for what, open_ in {"search": measure.searching(plan.dim), "recall": measure.recalling(plan.dim)}.items():
        note(f"{what}, cold", await measure.cold(open_, big, small, asked), RECALL_RATIO)
        note(f"{what}, warm", await measure.warm(open_, big, small, asked), RECALL_RATIO)
    after = measure.resident_mb()
    sizes = {name: round(bytes_ * MILLION / (plan.owners * plan.each) / 2**20) for name, bytes_ in big.sizes().items()}
    note("erasure", await measure.erased(big, small, gone, plan), ERASE_RATIO)
    return {
        "milliseconds": spreads,
        "mb_per_million": sizes,
        "resident_mb": {"before": round(before), "after": round(after)},
        "memory": big.setting(),
        "owners_asked": len(asked),
    }
