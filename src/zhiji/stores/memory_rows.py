"""The memory half of the in-memory reference store: one owner's memories in plain dictionaries.

Written to be obviously right, not fast: every other store must give the same answers. A change is made on copies that
replace the originals at its end, so that it happens whole or not at all.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from zhiji import policies, scoring
from zhiji.errors import DimensionMismatch, StaleMemory
from zhiji.stores.base import Filter, Hit, MemoryChange, MemoryPut, Query, Tombstone, Vector, episode_place
from zhiji.types import Memory, Status


@dataclass(frozen=True, slots=True)
class _Row:
    memory: Memory
    terms: Mapping[str, int]

    @property
    def length(self) -> int:
        return scoring.row_length(self.terms)


@dataclass(slots=True)
class OwnerMemories:
    """What one owner's memories are; every method answers as the one of ``Store`` of the same name."""

    rows: dict[str, _Row] = field(default_factory=dict)
    """By id, in the order of insertion."""
    vectors: dict[str, dict[str, Vector | None]] = field(default_factory=dict)
    """By model, then memory id; None: put, but not usable."""
    dims: dict[str, int] = field(default_factory=dict)
    buried: dict[tuple[str, str | None], Tombstone] = field(default_factory=dict)
    version: int = 0
    """Changes so far, those of vectors among them."""

    # -- reading --

    def load_memories(self, ids: Sequence[str]) -> list[Memory]:
        return [self.rows[id_].memory for id_ in dict.fromkeys(ids) if id_ in self.rows]

    def list_memories(
        self,
        *,
        statuses: frozenset[Status],
        types: frozenset[str] | None = None,
        without: frozenset[str] = frozenset(),
        now: datetime | None = None,
        limit: int = 1000,
        offset: int = 0,
    ) -> list[Memory]:
        wanted = [
            row.memory
            for row in self.rows.values()
            if row.memory.status in statuses and (types is None or row.memory.type in types)
            if row.memory.type not in without
            if now is None or row.memory.expires_at is None or row.memory.expires_at > now
        ]
        return _newest_first(wanted)[offset : offset + limit]

    def by_keys(self, keys: Sequence[str]) -> list[Memory]:
        return _newest_first([row.memory for row in self.rows.values() if row.memory.key in set(keys)])

    def profile(self, *, now: datetime) -> list[Memory]:
        admits = Filter(now=now).admits
        shown = [
            row.memory
            for row in self.rows.values()
            if admits(row.memory) and policies.in_profile(row.memory.key, row.memory.value)
        ]
        return sorted(shown, key=lambda memory: (memory.key or "", memory.id))

    def tombstones(self, *, keys: Sequence[str], digests: Sequence[str]) -> list[Tombstone]:
        return [
            found
            for found in self.buried.values()
            if found.content_digest in digests or (found.key is not None and found.key in keys)
        ]

    def unembedded(self, model: str, *, limit: int = 256) -> list[Memory]:
        known = self.vectors.get(model, {})
        return [row.memory for id_, row in self.rows.items() if id_ not in known][:limit]

    # -- searching --

    def search(self, query: Query) -> list[Hit]:
        admitted = {id_: row for id_, row in self.rows.items() if query.filter.admits(row.memory)}
        keyword, cosine = _keyword(admitted, query), self._cosine(admitted, query)
        order = {id_: -place for place, id_ in enumerate(self.rows)}

        def by_keyword(id_: str) -> tuple[float, float, int]:
            return (-keyword.get(id_, 0.0), -cosine.get(id_, -2.0), order[id_])

        def by_cosine(id_: str) -> tuple[float, float, int]:
            return (-cosine[id_], -keyword.get(id_, 0.0), order[id_])

        chosen = {*sorted(keyword, key=by_keyword)[: query.limit], *sorted(cosine, key=by_cosine)[: query.limit]}
        return [
            Hit(memory=self.rows[id_].memory, keyword=keyword.get(id_, 0.0), cosine=cosine.get(id_))
            for id_ in sorted(chosen, key=by_keyword)
        ]

    def _cosine(self, admitted: Collection[str], query: Query) -> dict[str, float]:
        if query.vector is None or query.model not in self.dims:
            return {}
        if len(query.vector) != self.dims[query.model]:
            raise DimensionMismatch(stored=self.dims[query.model], given=len(query.vector))
        return {
            id_: float(scoring.cosines(vector[None, :], query.vector)[0])
            for id_, vector in self.vectors[query.model].items()
            if vector is not None and id_ in admitted
        }

    # -- writing --

    def change_memories(self, change: MemoryChange) -> None:
        if not change:
            return
        if change.seen not in (None, self.version):
            raise StaleMemory
        after = OwnerMemories(
            dict(self.rows),
            {model: dict(vectors) for model, vectors in self.vectors.items()},
            dict(self.dims),
            dict(self.buried),
        )
        for id_ in change.deletes:
            after._forget(id_)
        for put in change.puts:
            after._put(put)
        after._refuse_doubles()
        for put in change.puts:
            if put.vector is not None:
                after.put_vectors(put.model, {put.memory.id: put.vector})
        for tombstone in change.tombstones:
            after._bury(tombstone)
        self.rows, self.vectors, self.dims, self.buried = after.rows, after.vectors, after.dims, after.buried
        self.version += 1

    def _forget(self, id_: str) -> None:
        self.rows.pop(id_, None)
        for model, vectors in list(self.vectors.items()):
            vectors.pop(id_, None)
            if not vectors:
                del self.vectors[model], self.dims[model]

    def _put(self, put: MemoryPut) -> None:
        memory, stored = put.memory, self.rows.get(put.memory.id)
        if memory.revision != (stored.memory.revision if stored else 0):
            raise StaleMemory
        former = stored.memory if stored else memory
        terms = put.terms if put.terms is not None else stored.terms if stored else {}
        raised = replace(
            memory,
            revision=memory.revision + 1,
            recalls=max(memory.recalls, former.recalls),
            last_recalled_at=_later(memory.last_recalled_at, former.last_recalled_at),
        )
        self.rows[memory.id] = _Row(raised, dict(terms))

    def _refuse_doubles(self) -> None:
        active = [row.memory.key for row in self.rows.values() if row.memory.status is Status.ACTIVE]
        single = [key for key in active if policies.is_single_valued(key)]
        if len(single) != len(set(single)):
            raise StaleMemory

    def _bury(self, tombstone: Tombstone) -> None:
        at = (tombstone.content_digest, tombstone.key)
        known = self.buried.get(at)
        if known is None or known.deleted_at < tombstone.deleted_at:
            self.buried[at] = tombstone

    def put_vectors(self, model: str, vectors: Mapping[str, Vector]) -> None:
        known = vectors.keys() & self.rows.keys()
        for id_ in known:
            dim = len(vectors[id_])
            if self.dims.setdefault(model, dim) != dim:
                raise DimensionMismatch(stored=self.dims[model], given=dim)
            self.vectors.setdefault(model, {})[id_] = scoring.unit(vectors[id_])
        self.version += bool(known)

    def drop_vectors(self, model: str, dim: int) -> int:
        others = [name for name in self.vectors if name != model or self.dims[name] != dim]
        dropped = sum(len(self.vectors.pop(name)) for name in others)
        for name in others:
            del self.dims[name]
        self.version += bool(dropped)
        return dropped

    def touch_recalled(self, recalled: Mapping[str, datetime | None], now: datetime) -> None:
        for id_ in recalled.keys() & self.rows.keys():
            memory, until = self.rows[id_].memory, recalled[id_]
            is_put_off = memory.status is Status.ACTIVE and memory.expires_at is not None and until is not None
            touched = replace(
                memory,
                recalls=memory.recalls + 1,
                last_recalled_at=_later(memory.last_recalled_at, now),
                expires_at=_later(memory.expires_at, until) if is_put_off else memory.expires_at,
            )
            self.rows[id_] = _Row(touched, self.rows[id_].terms)


def _newest_first(memories: Sequence[Memory]) -> list[Memory]:
    return sorted(memories, key=lambda memory: (memory.updated_at, memory.id), reverse=True)


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    return max((time for time in (one, other) if time is not None), default=None)


# --- the keyword arm ------------------------------------------------------------------------------------------------


def _keyword(admitted: Mapping[str, _Row], query: Query) -> dict[str, float]:
    rows = len(admitted)
    average = max(sum(row.length for row in admitted.values()) / max(rows, 1), 1.0)
    having = {term: sum(term in row.terms for row in admitted.values()) for term in query.terms}
    gains = {term: weight * scoring.idf(rows, having[term]) for term, weight in query.terms.items()}
    own = {
        id_: sum(
            (
                gain * scoring.bm25(float(row.terms[term]), scoring.length_norm(float(row.length), average))
                for term, gain in gains.items()
                if term in row.terms
            ),
            start=0.0,
        )
        for id_, row in admitted.items()
    }
    ideal = sum(gains.values())
    around = _neighbours(admitted, own)
    total = {id_: score + query.window * around.get(id_, 0.0) for id_, score in own.items()}
    return {id_: round(score / ideal, scoring.KEYWORD_DECIMALS) for id_, score in total.items() if score > 0}


def _neighbours(admitted: Mapping[str, _Row], own: Mapping[str, float]) -> dict[str, float]:
    """Return for each episode the scores of the messages before and after it, if somebody else said them."""
    places = {id_: episode_place(row.memory.type, row.memory.value) for id_, row in admitted.items()}
    at = {place[:2]: (place[2], own[id_]) for id_, place in places.items() if place is not None}

    def score(session: str, seq: int, speaker: str) -> float:
        other, its_score = at.get((session, seq), (speaker, 0.0))
        return its_score if other != speaker else 0.0

    return {
        id_: score(session, seq - 1, speaker) + score(session, seq + 1, speaker)
        for id_, (session, seq, speaker) in ((id_, place) for id_, place in places.items() if place is not None)
    }
