"""Figures of a ranking: recall@k, nDCG@10 and MRR, per question and averaged. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean

DEPTH = 10
"""Depth of nDCG."""


def of_question(ranked: Sequence[str], gold: frozenset[str], ks: Sequence[int]) -> dict[str, float]:
    """Return the figures of one question. ``ranked``: item ids, best first, without repeats; no ``gold``: all are 0."""
    figures = {f"recall@{k}": len(gold.intersection(ranked[:k])) / len(gold) if gold else 0.0 for k in ks}
    return {**figures, f"ndcg@{DEPTH}": _ndcg(ranked[:DEPTH], gold), "mrr": _reciprocal_rank(ranked, gold)}


def _ndcg(ranked: Sequence[str], gold: frozenset[str]) -> float:
    gain = sum(_discount(rank) for rank, id_ in enumerate(ranked) if id_ in gold)
    ideal = sum(map(_discount, range(min(len(gold), DEPTH))))
    return gain / ideal if gold else 0.0


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 2)


def _reciprocal_rank(ranked: Sequence[str], gold: frozenset[str]) -> float:
    return next((1 / (rank + 1) for rank, id_ in enumerate(ranked) if id_ in gold), 0.0)


def mean(figures: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each figure, to four decimals; empty for no question."""
    names = figures[0].keys() if figures else ()
    return {name: round(fmean(each[name] for each in figures), 4) for name in names}


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which ``share`` of the values lie (nearest rank); 0 for none."""
    if not values:
        return 0.0
    return sorted(values)[min(math.ceil(share * len(values)), len(values)) - 1]
