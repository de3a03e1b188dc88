"""One owner's memories as arrays: the filter, both arms of a search and their ranking, without SQL.

A memory occupies a *slot*. A changed memory gets a new slot and its old one is dead; nothing else ever moves, so
postings and vectors only grow at the end. ``search`` fills and refreshes an index from the tables; until then it knows
no terms and no vectors: each is taken over when a query first asks for it. Not thread-safe: hold ``lock``.

Invariants: slots of one index belong to one owner; every score is over the slots that pass the filter, dead ones never
do; numbers agree with ``scoring`` as the in-memory reference uses it.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from zhiji import scoring
from zhiji.stores.base import Vector
from zhiji.types import Memory

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

Stamp = tuple[int, int, int | None]
"""``changed``, ``recalls`` and ``recalled`` of a row: it is the same row while they are the same."""

FOREVER = np.iinfo(np.int64).max
"""Stands for "no end" where a time in microseconds is kept."""
NO_SLOT = -1

_ROW = np.dtype(
    [
        ("number", np.int64),
        ("alive", np.bool_),
        ("status", np.int16),
        ("type", np.int16),
        ("valid_from", np.int64),
        ("valid_to", np.int64),
        ("expires", np.int64),
        ("length", np.int32),
        ("before", np.int32),
        ("after", np.int32),
    ]
)

_NO_POSTINGS = (np.zeros(0, np.int64), np.zeros(0, np.float64))
_FIRST_CAPACITY = 64
_BLOCK = 64
_POSTING_BYTES = 16
_SLOT_BYTES, _TERM_BYTES, _DECODED_BYTES = 200, 400, 2500
"""Of a slot, a term and a memory in the dictionaries beside the arrays; estimates for the cache's budget."""
_SHORTEST_AVERAGE = 1.0
"""Where no row has any term: nothing will be found, but nothing may be divided by zero either."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the index keeps of one memory row. Times in microseconds since 1970."""

    number: int
    status: str
    type: str
    valid_from: int
    valid_to: int = FOREVER
    expires: int = FOREVER
    length: int = 0
    """Occurrences of all its terms."""
    episode: tuple[str, int, str] | None = None
    """Session, message number and speaker of a past turn's message."""


@dataclass(frozen=True, slots=True)
class Admission:
    """The hard filter in the index's own units; see ``stores.base.Filter``."""

    now: int
    as_of: int | None = None
    statuses: frozenset[str] = frozenset({"active"})
    types: frozenset[str] | None = None


class Found(NamedTuple):
    """One hit: the memory's number with the scores of both arms."""

    number: int
    keyword: float
    cosine: float | None


@dataclass(slots=True)
class _Matrix:
    rows: npt.NDArray[np.float32]
    """(capacity, dim); zero where there is no vector."""
    present: Flags


@dataclass(slots=True)
class _Codes:
    """Small numbers for names, given out in the order of their first appearance."""

    known: dict[str, int] = field(default_factory=dict)

    def of(self, name: str) -> int:
        return self.known.setdefault(name, len(self.known))

    def flags(self, names: Iterable[str]) -> Flags:
        flags = np.zeros(len(self.known), np.bool_)
        flags[[self.known[name] for name in names if name in self.known]] = True
        return flags


class OwnerIndex:
    """The slots of one owner as of one version of its memories."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.clear()

    def clear(self) -> None:
        """It holds nothing, as when it was made."""
        self.version = 0
        """Version of the owner's memories that this index reflects; 0: nothing loaded."""
        self._rows = np.zeros(_FIRST_CAPACITY, _ROW)
        self._size = 0
        self._slot_of: dict[int, int] = {}
        self._statuses = _Codes()
        self._types = _Codes()
        self._episodes: dict[tuple[str, int], tuple[int, str]] = {}
        self._postings: dict[str, tuple[Numbers, scoring.Floats]] = {}
        self._pending: dict[str, list[tuple[int, int]]] = {}
        self._postings_bytes = 0
        self._matrices: dict[str, _Matrix] = {}
        self._decoded: dict[int, tuple[Stamp, Memory]] = {}

    # -- what it holds --

    def __len__(self) -> int:
        return len(self._slot_of)

    @property
    def slots(self) -> int:
        """How many slots are in use or dead."""
        return self._size

    def numbers(self) -> Iterator[int]:
        """Return the numbers of the memories it holds."""
        return iter(self._slot_of)

    @property
    def is_sparse(self) -> bool:
        """Whether half of the slots or more are dead, so that it is better built anew."""
        return self._size >= _FIRST_CAPACITY and 2 * len(self) <= self._size

    @property
    def nbytes(self) -> int:
        """Approximate bytes of memory in use."""
        matrices = sum(matrix.rows.nbytes + matrix.present.nbytes for matrix in self._matrices.values())
        decoded = _DECODED_BYTES * len(self._decoded)
        return self._rows.nbytes + self._postings_bytes + matrices + decoded + _SLOT_BYTES * self._size

    def has_term(self, term: str) -> bool:
        return term in self._postings

    def has_model(self, model: str, dim: int) -> bool:
        return (model, dim) in self.models()

    # -- growing --

    def remove(self, numbers: Iterable[int]) -> None:
        """These memories are no longer found; unknown numbers are ignored."""
        for number in numbers:
            slot = self._slot_of.pop(number, None)
            self._decoded.pop(number, None)
            if slot is not None:
                self._rows["alive"][slot] = False
                self._unlink(slot)

    def add(self, entries: Sequence[Entry]) -> None:
        """These memories are found in new slots; their former slots, if any, are dead."""
        self.remove(entry.number for entry in entries)
        self._reserve(self._size + len(entries))
        for entry in entries:
            self._place(entry, self._size)
            self._size += 1

    def _place(self, entry: Entry, slot: int) -> None:
        self._rows[slot] = (
            entry.number,
            True,
            self._statuses.of(entry.status),
            self._types.of(entry.type),
            entry.valid_from,
            entry.valid_to,
            entry.expires,
            entry.length,
            NO_SLOT,
            NO_SLOT,
        )
        self._slot_of[entry.number] = slot
        if entry.episode is not None:
            self._link(slot, *entry.episode)

    def _reserve(self, size: int) -> None:
        if size <= len(self._rows):
            return
        capacity = max(size, 2 * len(self._rows))
        self._rows = _grown(self._rows, capacity)
        for matrix in self._matrices.values():
            matrix.rows, matrix.present = _grown(matrix.rows, capacity), _grown(matrix.present, capacity)

    # -- deadlines --

    def over(self, now: int) -> list[int]:
        """Return the numbers of the memories that may be put off, active ones, whose time is over at ``now``."""
        rows = self._rows[: self._size]
        active = self._statuses.flags(("active",))
        found: list[int] = rows["number"][rows["alive"] & (rows["expires"] <= now) & active[rows["status"]]].tolist()
        return found

    def put_off(self, deadlines: Mapping[int, int]) -> None:
        """These memories have these deadlines."""
        for number, expires in deadlines.items():
            self._rows["expires"][self._slot_of[number]] = expires

    # -- neighbours of episodes --

    def _link(self, slot: int, session: str, seq: int, speaker: str) -> None:
        self._episodes[session, seq] = (slot, speaker)
        for column, other, at in (("before", "after", seq - 1), ("after", "before", seq + 1)):
            neighbour = self._episodes.get((session, at))
            if neighbour is not None and neighbour[1] != speaker:
                self._rows[column][slot] = neighbour[0]
                self._rows[other][neighbour[0]] = slot

    def _unlink(self, slot: int) -> None:
        for column, other in (("before", "after"), ("after", "before")):
            neighbour = self._rows[column][slot]
            if neighbour != NO_SLOT:
                self._rows[other][neighbour] = NO_SLOT
                self._rows[column][slot] = NO_SLOT

    # -- terms --

    def add_postings(self, term: str, postings: Sequence[tuple[int, int]]) -> None:
        """``term`` is known from now on: ``postings`` are all its (memory number, occurrences), if there are any."""
        if not postings:
            return
        self._postings[term] = _NO_POSTINGS
        self._postings_bytes += _TERM_BYTES + _POSTING_BYTES * len(postings)
        self._extend(term, [(self._slot_of[number], tf) for number, tf in postings if number in self._slot_of])

    def add_terms(self, terms: Mapping[int, Mapping[str, int]]) -> None:
        """Memories that were just added are found by those of their terms that are known already."""
        for number, counts in terms.items():
            known = counts.keys() & self._postings.keys()
            self._postings_bytes += _POSTING_BYTES * len(known)
            for term in known:
                self._pending.setdefault(term, []).append((self._slot_of[number], counts[term]))

    def _posted(self, term: str) -> tuple[Numbers, scoring.Floats]:
        """Return slots and occurrences of a term. Arrays grow only here: most terms change more often than they are asked."""
        pending = self._pending.pop(term, None)
        if pending:
            self._extend(term, pending)
        return self._postings.get(term, _NO_POSTINGS)

    def _extend(self, term: str, pairs: Sequence[tuple[int, int]]) -> None:
        slots, tf = self._postings[term]
        more = np.array(pairs, np.int64).reshape(-1, 2)
        self._postings[term] = (
            np.concatenate([slots, more[:, 0]]),
            np.concatenate([tf, more[:, 1].astype(np.float64)]),
        )

    # -- vectors --

    def add_model(self, model: str, dim: int) -> None:
        """Vectors of this model are kept from now on; there are none yet."""
        capacity = len(self._rows)
        self._matrices[model] = _Matrix(np.zeros((capacity, dim), np.float32), np.zeros(capacity, np.bool_))

    def add_vectors(self, model: str, vectors: Iterable[tuple[int, bytes]]) -> None:
        """Memories (by number) have these vectors: float32 bytes of the model's dimension."""
        matrix = self._matrices[model]
        for number, data in vectors:
            slot = self._slot_of.get(number)
            if slot is not None:
                matrix.rows[slot] = np.frombuffer(data, np.float32)
                matrix.present[slot] = True

    def models(self) -> list[tuple[str, int]]:
        """Return the models whose vectors are kept, with their dimensions."""
        return [(model, matrix.rows.shape[1]) for model, matrix in self._matrices.items()]

    # -- rows --

    def decoded(self, number: int, stamp: Stamp) -> Memory | None:
        """Return the memory as it was kept, if its row still has this stamp."""
        kept = self._decoded.get(number)
        return kept[1] if kept and kept[0] == stamp else None

    def keep(self, number: int, stamp: Stamp, memory: Memory) -> None:
        """The memory need not be read again while its row has this stamp."""
        self._decoded[number] = (stamp, memory)

    # -- searching --

    def search(
        self,
        admission: Admission,
        *,
        terms: Mapping[str, float],
        model: str,
        vector: Vector | None,
        window: float,
        limit: int,
    ) -> list[Found]:
        """Return the union of both arms' best ``limit``, as ``Store.search`` orders it.

        Terms and models that were not added are taken as not occurring.
        """
        admitted = self._admitted(admission)
        keyword = self._keyword(terms, admitted, window)
        cosine = self._cosine(model, vector, admitted)
        numbers = self._rows["number"][: self._size]
        best = {*_best(keyword, cosine, numbers, limit).tolist(), *_best(cosine, keyword, numbers, limit).tolist()}
        chosen = np.fromiter(best, np.int64, len(best))
        order = chosen[np.lexsort((-numbers[chosen], -cosine[chosen], -keyword[chosen]))]
        return [
            Found(number, max(share, 0.0), None if cosine == -math.inf else cosine)
            for number, share, cosine in zip(
                numbers[order].tolist(), keyword[order].tolist(), cosine[order].tolist(), strict=True
            )
        ]

    def _admitted(self, admission: Admission) -> Flags:
        rows = self._rows[: self._size]
        admitted: Flags = rows["alive"] & (rows["expires"] > admission.now)
        admitted &= self._statuses.flags(admission.statuses)[rows["status"]]
        if admission.types is not None:
            admitted &= self._types.flags(admission.types)[rows["type"]]
        if admission.as_of is not None:
            admitted &= (rows["valid_from"] <= admission.as_of) & (rows["valid_to"] > admission.as_of)
        return admitted

    def _keyword(self, terms: Mapping[str, float], admitted: Flags, window: float) -> scoring.Floats:
        """Return the keyword score of each slot; minus infinity where the arm finds nothing."""
        rows = int(np.count_nonzero(admitted))
        if not rows or not terms:
            return np.full(self._size, -np.inf)
        lengths = self._rows["length"][: self._size].astype(np.float64)
        average = float(lengths.sum(where=admitted)) / rows
        norms = scoring.length_norm(lengths, max(average, _SHORTEST_AVERAGE))
        postings = [self._posted(term) for term in terms]
        slots = np.concatenate([slots for slots, _ in postings])
        tf = np.concatenate([tf for _, tf in postings])
        having = [len(slots) for slots, _ in postings]
        if rows < self._size:
            inside = admitted[slots]
            term = np.repeat(np.arange(len(postings)), having)[inside]
            slots, tf, having = slots[inside], tf[inside], np.bincount(term, minlength=len(postings)).tolist()
        gains = [weight * scoring.idf(rows, count) for weight, count in zip(terms.values(), having, strict=True)]
        parts = np.repeat(gains, having) * scoring.bm25(tf, norms[slots])
        # bincount adds in the order of the terms, as the reference does.
        scores = np.asarray(np.bincount(slots, weights=parts, minlength=self._size), np.float64)
        if window:
            scores = scores + window * self._neighbours(scores, admitted)
        shares = (scores / (sum(gains) or 1.0)).round(scoring.KEYWORD_DECIMALS)
        return np.where(scores > 0, shares, -np.inf)

    def _neighbours(self, scores: scoring.Floats, admitted: Flags) -> scoring.Floats:
        """Return the sum of the scores before and after each admitted slot."""
        total = np.zeros(self._size)
        if self._episodes:
            for column in ("before", "after"):
                neighbour = self._rows[column][: self._size]
                here = np.flatnonzero(admitted & (neighbour != NO_SLOT))
                total[here] += scores[neighbour[here]]
        return total

    def _cosine(self, model: str, vector: Vector | None, admitted: Flags) -> scoring.Floats:
        """Return the cosine of each slot; minus infinity where the arm finds nothing."""
        matrix = self._matrices.get(model)
        if vector is None or matrix is None:
            return np.full(self._size, -np.inf)
        cosine = scoring.cosines(matrix.rows[: self._size], vector)
        return np.where(matrix.present[: self._size] & admitted, cosine, -np.inf)


def _best(first: scoring.Floats, second: scoring.Floats, numbers: Numbers, limit: int) -> Numbers:
    """Return the slots with the highest finite ``first``; among equals those with the highest ``second``, then number."""
    bound = _reached(first, limit)
    found = np.flatnonzero(first >= bound if bound > -np.inf else first > -np.inf)
    order = np.lexsort((-numbers[found], -second[found], -first[found]))
    return found[order[:limit]]


def _reached(values: scoring.Floats, count: int) -> float:
    """Return a bound that at least ``count`` of the values reach, and not many more; minus infinity for too few values.

    The ``count`` th largest of the blocks' maxima is one, and found in a fraction of the time of a partition of all.
    """
    blocks = len(values) // _BLOCK
    if blocks <= count:
        return float(np.partition(values, -count)[-count]) if count < len(values) else -np.inf
    maxima = values[: blocks * _BLOCK].reshape(blocks, _BLOCK).max(axis=1)
    return float(np.partition(maxima, -count)[-count])


def _grown(array: npt.NDArray[Any], capacity: int) -> npt.NDArray[Any]:
    grown = np.zeros((capacity, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown
