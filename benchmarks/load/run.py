"""One run: clients are let loose on a stage, troubles befall it, the queue is worked off, the ledger is checked."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from benchmarks.load import evidence
from benchmarks.load.checker import check
from benchmarks.load.clients import ROUGH, STEADY, Crowd, Mix
from benchmarks.load.figures import Part
from benchmarks.load.ledger import Kind
from benchmarks.load.stage import Options, Stage, staged
from benchmarks.load.troubles import troubled

BARE = Mix(kinds={Kind.PLAIN: 1}, habits={"plainly": 1})
SETTLE_SECONDS = 300.0
"""How long the workers may take for what is left of the queue."""


async def bare(options: Options, folder: Path) -> Part:
    """Return the baseline."""
    async with staged(folder / "bare", options.latency) as stage:
        command = (sys.executable, "-m", "benchmarks.load.bare", "--port", str(stage.ports[0]))
        stage.start("bare", command, {"LLM_API_BASE": stage.model_url})
        await stage.ready()
        crowd = _crowd(options, stage)
        await _warm(stage, crowd, BARE, options)
        return await _part("bare", stage, crowd, BARE, options)


async def loaded(options: Options, folder: Path, embedder: str) -> tuple[Mapping[str, Part], dict[str, list[str]]]:
    """Return the parts of a run with this embedder, and the checker's complaints by rule."""
    async with staged(
        folder, options.latency, servers=options.servers, database=options.database, redis=options.redis
    ) as stage:
        await stage.start_zhiji(embedder, workers=options.workers)
        crowd, settings = _crowd(options, stage), stage.settings(embedder)
        await _warm(stage, crowd, STEADY, options)
        steady = await _part("steady", stage, crowd, STEADY, options)
        async with stage.supervised():
            async with troubled(stage, times=options.kill, seconds=options.kill_seconds, seed=options.seed):
                rough = await _part("rough", stage, crowd, ROUGH, options)
            await evidence.settled(settings, SETTLE_SECONDS)
        rough = replace(rough, struck=tuple(stage.struck))
        failures = await stage.stop()
        found = await evidence.gather(settings, crowd.ledger, stage.folder / "calls.jsonl", options.seed)
        complaints = {**check(crowd.ledger, found), "processes_end_well": failures, "no_bugs": stage.bugs()}
    return {"steady": steady, "rough": rough}, complaints


async def _warm(stage: Stage, crowd: Crowd, mix: Mix, options: Options) -> None:
    """Every client has sent a turn: what is imported at the first one is."""
    await crowd.work(stage.ports, mix, clients=options.clients, seconds=options.seconds, turns=options.clients)


async def _part(title: str, stage: Stage, crowd: Crowd, mix: Mix, options: Options) -> Part:
    print(f"load: {title} …", file=sys.stderr, flush=True)
    before, began = stage.cpu(), time.monotonic()
    ledger = await crowd.work(stage.ports, mix, clients=options.clients, seconds=options.seconds, turns=options.turns)
    after, seconds = stage.cpu(), time.monotonic() - began
    return Part(
        ledger=ledger,
        seconds=seconds,
        latency=options.latency,
        cpu={name: spent - before[name] for name, spent in after.items()},
        peak_mb={one.name: one.peak_mb() for one in stage.processes},
    )


def _crowd(options: Options, stage: Stage) -> Crowd:
    return Crowd(token=stage.token, users=options.users, seed=options.seed, latency=options.latency)
