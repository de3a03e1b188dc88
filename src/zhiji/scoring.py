"""The recall score: each term of it in [0, 1], and their weighted sum. Step 2 of the path, as arithmetic.

Pure: no text, no store, no clock. ``bm25`` is written for floats and for numpy arrays alike, so that a store with an
index and the naive reference compute the same numbers. Formula of the sum and half-lives: article T3.3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Number = TypeVar("Number", float, Floats)

K1 = 1.2
"""Saturation of repeated terms (Robertson & Zaragoza 2009)."""
B = 0.75
"""How much long rows are held back, 0 to 1 (the same source)."""
UNSEEN_ROWS = 50
"""Rows without the term that ``idf`` imagines beside the owner's own: with three memories every word would be common."""

KEYWORD_DECIMALS = 9
"""To which the keyword score is rounded: the last bits depend on the order in which a backend adds, and equals must tie."""
COSINE_DECIMALS = 6
_row_products = getattr(np, "vecdot", np.matmul)
"""Row by row on this thread where numpy (2.0) can: for 10,000 × 384 as fast as ``matmul`` on an idle machine, and 15 times
faster on a busy one, where the threads of ``matmul`` wait for each other."""
_SHORTEST = 1e-12

KEYWORD_SLOPE = 2.0
"""How fast a keyword score saturates (chosen on LoCoMo 1–5 and MemDaily dev with the two below)."""
VECTOR_SHARE = 0.4
"""Part of the vector arm in the similarity, where there is a vector."""
KEYWORD_FLOOR = 0.05
VECTOR_FLOOR = 0.5
"""Similarities below which an arm alone brings nothing up."""
_E5_RANGE = (0.75, 0.95)
"""Cosines of multilingual-e5 crowd: unrelated sentences reach 0.8 to 0.9, the same thing said twice 0.95 and more."""
_COSINE_RANGE = (0.2, 0.8)
"""The same for embedders without such crowding."""
MAX_IMPORTANCE = 5
_DAY = timedelta(days=1)

TERMS = ("similarity", "decay", "confidence", "type")
"""Names of the score's terms, in the order of their weights."""


# --- the keyword arm ------------------------------------------------------------------------------------------------


def idf(rows: int, having: int) -> float:
    """Return the weight of a term that ``having`` of ``rows`` rows contain; positive, larger for rarer terms."""
    return math.log(1 + (UNSEEN_ROWS + rows - having + 0.5) / (having + 0.5))


def length_norm(length: Number, average: float) -> Number:
    """Return what a row's length does to its score, for ``bm25``; K1 for one of average length.

    ``length``: occurrences of all terms in the row; ``average``: mean of it, above 0.
    """
    return K1 * (1 - B + B * (length / average))


def bm25(tf: Number, norm: Number) -> Number:
    """Return one term's share of a row's BM25 score, to be multiplied by its idf; 1 for one occurrence at norm K1.

    ``tf``: occurrences in the row; ``norm``: ``length_norm`` of the row.
    """
    return (K1 + 1) * (tf / (tf + norm))


MARK = "#"
"""First character of a term that is no word of its row: it can be asked for, and makes the row no longer."""


def row_length(terms: Mapping[str, int]) -> int:
    """Return how long a row with these terms is: the occurrences of its words, marks left out."""
    return sum(count for term, count in terms.items() if not term.startswith(MARK))


# --- the vector arm -------------------------------------------------------------------------------------------------


def unit(vector: npt.ArrayLike) -> npt.NDArray[np.float32] | None:
    """Return ``vector`` as float32 with length 1, or None if it is zero, not finite or not one-dimensional."""
    array = np.asarray(vector, np.float64)
    with np.errstate(all="ignore"):  # what overflows is not finite, and refused as such
        length = float(np.linalg.norm(array)) if array.ndim == 1 else 0.0
    if not math.isfinite(length) or length < _SHORTEST:
        return None
    return (array / length).astype(np.float32)


def cosines(rows: npt.NDArray[np.float32], vector: npt.NDArray[np.float32]) -> Floats:
    """Return the cosine of each row with ``vector``. rows: float32 (n, dim); both L2-normalised or zero.

    Rounded, because the last bits depend on how a backend cuts the product into blocks.
    """
    products: Floats = _row_products(rows, vector).astype(np.float64)
    return products.round(COSINE_DECIMALS)


# --- the terms of the score -----------------------------------------------------------------------------------------


def keyword_similarity(share: float) -> float:
    """Return how alike a keyword score is: 0 for none, 0.86 for a row that has all that was asked, below 1.

    ``share``: ``Hit.keyword``, not negative.
    """
    return 1 - math.exp(-KEYWORD_SLOPE * share)


def cosine_range(model: str) -> tuple[float, float]:
    """Return the cosines at which this embedder's vectors are "unrelated" and "the same"."""
    return _E5_RANGE if "e5" in model.casefold() else _COSINE_RANGE


def vector_similarity(cosine: float, spread: tuple[float, float]) -> float:
    """Return where a cosine stands in its embedder's ``cosine_range``, in [0, 1]."""
    unrelated, same = spread
    return min(max((cosine - unrelated) / (same - unrelated), 0.0), 1.0)


def similarity(keyword: float, vector: float | None) -> float:
    """Return both arms' similarities as one; ``vector`` None: the keyword arm alone."""
    return keyword if vector is None else (1 - VECTOR_SHARE) * keyword + VECTOR_SHARE * vector


def is_relevant(keyword: float, vector: float | None) -> bool:
    """Return whether a memory bears on the query at all, so that none is recalled for being recent and certain only."""
    return keyword >= KEYWORD_FLOOR or (vector or 0.0) >= VECTOR_FLOOR


def decay(age: timedelta, half_life_days: float | None) -> float:
    """Return 0.5 to the power of ``age`` in half-lives; 1 for ages below zero and without a half-life."""
    if half_life_days is None:
        return 1.0
    return math.pow(0.5, max(age / _DAY, 0.0) / half_life_days)


def type_term(weight: float, importance: int) -> float:
    """Return type weight (0 to 1) times importance (1 to 5) as a share of 5."""
    return weight * importance / MAX_IMPORTANCE


def score(terms: Sequence[float], weights: Sequence[float]) -> float:
    """Return the weighted sum of the terms. Both in the order of ``TERMS``; the weights sum to 1."""
    return sum(term * weight for term, weight in zip(terms, weights, strict=True))
