"""Figures of a ranking."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhiji.bench import metrics

ids = st.lists(st.sampled_from("abcdefghijklmnop"), unique=True)


def test_figures_of_a_known_ranking() -> None:
    """Two of three gold items, at ranks 2 and 4, give the textbook values."""
    figures = metrics.of_question(["x", "a", "y", "b", "z"], frozenset({"a", "b", "c"}), [1, 2, 5])
    assert figures["recall@1"] == 0
    assert figures["recall@2"] == pytest.approx(1 / 3)
    assert figures["recall@5"] == pytest.approx(2 / 3)
    assert figures["mrr"] == 0.5
    assert figures["ndcg@10"] == pytest.approx((0.63093 + 0.43068) / (1 + 0.63093 + 0.5), abs=1e-4)


def test_nothing_found_or_nothing_to_find_is_zero() -> None:
    """An empty ranking and a question without gold items count as 0."""
    assert set(metrics.of_question([], frozenset("a"), [5]).values()) == {0.0}
    assert set(metrics.of_question(["a"], frozenset(), [5]).values()) == {0.0}


@given(ranked=ids, gold=ids)
def test_figures_are_shares(ranked: list[str], gold: list[str]) -> None:
    """Every figure is in [0, 1], recall grows with k, and a perfect ranking has all 1."""
    figures = metrics.of_question(ranked, frozenset(gold), [1, 5, 20])
    assert all(0 <= figure <= 1 + 1e-9 for figure in figures.values())
    assert figures["recall@1"] <= figures["recall@5"] <= figures["recall@20"]
    if gold:
        perfect = metrics.of_question(gold, frozenset(gold), [20])
        assert perfect == {name: pytest.approx(1.0) for name in perfect}


def test_mean_and_percentiles() -> None:
    """Means are rounded to four decimals; percentiles are values that were measured."""
    assert metrics.mean([{"mrr": 1.0}, {"mrr": 0.0}, {"mrr": 0.0}]) == {"mrr": 0.3333}
    assert metrics.mean([]) == {}
    assert metrics.percentile([5.0, 1.0, 3.0, 2.0, 4.0], 0.5) == 3.0
    assert metrics.percentile([1.0, 2.0], 0.95) == 2.0
    assert metrics.percentile([], 0.5) == 0.0
