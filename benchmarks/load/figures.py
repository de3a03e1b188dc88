"""What a run comes to: latencies, throughput, CPU and memory, errors by code. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks import report
from benchmarks.load.ledger import Sent

TURNS_A_SECOND = 60
"""The target on two cores, without an embedder, everything on this machine (mission, issue of the service)."""
PERCENTILES = (50, 95, 99)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a run."""

    ledger: Sequence[Sent]
    seconds: float
    latency: float
    """Seconds that the model took for each answer."""
    cpu: Mapping[str, float]
    """CPU seconds by process, the clients' own included."""
    peak_mb: Mapping[str, float]
    struck: Sequence[tuple[str, float]] = ()
    """Each trouble with the seconds from its end until every service was ready."""

    @property
    def accepted(self) -> int:
        """Turns that were answered."""
        return sum(sent.accepted is not None for sent in self.ledger)

    @property
    def turns_a_second(self) -> float:
        """Answered turns per second."""
        return self.accepted / self.seconds

    def percentile(self, percent: int) -> float:
        """Return the milliseconds from sending a turn to its whole reply, of turns that needed one attempt; 0 if none."""
        alone = (sent for sent in self.ledger if len(sent.outcomes) == 1)
        times = sorted(sent.accepted.at - sent.at for sent in alone if sent.accepted) or [0.0]
        return times[min(len(times) - 1, len(times) * percent // 100)] * 1000

    def cpu_ms(self, process: str) -> float:
        """Return the CPU milliseconds per answered turn of the processes whose name begins like this."""
        spent = sum(seconds for name, seconds in self.cpu.items() if name.startswith(process))
        return spent * 1000 / max(1, self.accepted)

    def shown(self) -> Mapping[str, object]:
        """Return the figures of this part."""
        outcomes = Counter(f"{one.status}: {one.code}".strip(": ") for sent in self.ledger for one in sent.outcomes)
        return {
            "turns": len(self.ledger),
            "accepted": self.accepted,
            "attempts": dict(outcomes.most_common()),
            "turns_per_second": round(self.turns_a_second, 1),
            "latency_ms": {f"p{percent}": round(self.percentile(percent), 1) for percent in PERCENTILES},
            "cpu_ms_per_turn": {name: round(self.cpu_ms(name), 2) for name in self.cpu},
            "cores": round(sum(self.cpu.values()) / self.seconds, 2),
            "peak_mb": {name: round(peak) for name, peak in self.peak_mb.items()},
            "troubles": self._troubles(),
        }

    def _troubles(self) -> Mapping[str, object]:
        """Return by kind how often it happened, and the longest time until every service was ready again."""
        waits: dict[str, list[float]] = {}
        for name, seconds in self.struck:
            waits.setdefault(name, []).append(seconds)
        return {name: {"times": len(all_), "ready_after_s": round(max(all_), 2)} for name, all_ in waits.items()}


def rows(baseline: Part, runs: Mapping[str, Mapping[str, Part]]) -> list[report.Row]:
    """Return the table: each run's steady part over the baseline, and with an embedder over the first run."""
    found: list[report.Row] = []
    first: Part | None = None
    for embedder, parts in runs.items():
        steady = parts["steady"]
        found += _beside(f"embedder {embedder}", steady, baseline)
        if first is not None:
            found.append(report.ratio(f"p95 ms, embedder {embedder} / {next(iter(runs))}", *_p95(steady, first)))
        first = first or steady
    return found


def _beside(title: str, steady: Part, baseline: Part) -> list[report.Row]:
    model_ms = baseline.latency * 1000
    return [
        *(
            report.ratio(f"{title}: p{percent} ms", steady.percentile(percent), baseline.percentile(percent))
            for percent in PERCENTILES
        ),
        *(
            report.ratio(
                f"{title}: p{percent} ms over the model's",
                steady.percentile(percent) - model_ms,
                baseline.percentile(percent) - model_ms,
            )
            for percent in (50, 95)
        ),
        report.ratio(f"{title}: ms between turns", *(1000 / one.turns_a_second for one in (steady, baseline))),
        report.ratio(f"{title}: CPU ms a turn, service", steady.cpu_ms("serve"), baseline.cpu_ms("bare")),
    ]


def _p95(one: Part, other: Part) -> tuple[float, float]:
    return one.percentile(95), other.percentile(95)


def details(baseline: Part, runs: Mapping[str, Mapping[str, Part]]) -> dict[str, object]:
    """Return every figure, and whether the target was met."""
    return {
        "bare": baseline.shown(),
        "runs": {embedder: {name: part.shown() for name, part in parts.items()} for embedder, parts in runs.items()},
        "target": {
            "turns_per_second": TURNS_A_SECOND,
            "met": {embedder: parts["steady"].turns_a_second >= TURNS_A_SECOND for embedder, parts in runs.items()},
        },
    }
