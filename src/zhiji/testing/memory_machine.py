"""A state machine of memories: whatever is done to them, a store answers and ranks as the in-memory reference does.

Beside ``state_machine``, which knows sessions, jobs and what they do to memories, this one goes deep into rows, their
index terms, their vectors and both arms of the search. ``compare`` runs it; it needs the package ``hypothesis``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from zhiji.errors import DimensionMismatch, StaleMemory
from zhiji.stores.base import Filter, Hit, MemoryChange, MemoryPut, Query, Store, Tombstone, Vector
from zhiji.testing.comparison import Empty
from zhiji.testing.machine import Machine, run
from zhiji.testing.values import ALICE, BOB, at
from zhiji.types import JsonValue, Memory, Scope, Status

T = TypeVar("T")

WORDS = ("red", "tea", "cup", "rain", "od1001")
scopes = st.sampled_from([ALICE, BOB])
names = st.sampled_from([f"m{number}" for number in range(8)])
keys = st.sampled_from([None, "order:OD1", "order:OD2", "identity:name"])
statuses = st.sampled_from(list(Status))
moments = st.integers(0, 20).map(at)
counts = st.dictionaries(st.sampled_from(WORDS), st.integers(1, 4), max_size=4)
weights = st.dictionaries(st.sampled_from([*WORDS, "nowhere"]), st.sampled_from([0.3, 1.0]), max_size=4)
coordinates = st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0, float("nan")]), min_size=2, max_size=3)
places = st.tuples(st.sampled_from(["s1", "s2"]), st.integers(1, 4), st.sampled_from(["li", "wang"]))


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    """Draw a new memory; every third is an episode."""
    time = draw(moments)
    place = draw(st.one_of(st.none(), st.none(), places))
    value: JsonValue = "李四" if place is None else {"session": place[0], "seq": place[1], "speaker": place[2]}
    return Memory(
        id=draw(names),
        type="event" if place is None else "episode",
        content=draw(st.sampled_from(WORDS)),
        key=draw(keys) if place is None else "episode:" + ":".join(map(str, place)),
        value=value,
        status=draw(statuses),
        confidence=draw(st.sampled_from([0.5, 1.0])),
        valid_from=time,
        valid_to=draw(st.none() | moments),
        created_at=time,
        updated_at=draw(moments),
        expires_at=draw(st.none() | moments),
    )


filters = st.builds(
    Filter,
    now=moments,
    as_of=st.none() | moments,
    types=st.sampled_from([None, frozenset({"event"}), frozenset({"event", "episode"}), frozenset()]),
    is_whole=st.sampled_from([False, False, True]),
)


def array(values: list[float]) -> Vector:
    """Return the values as a vector."""
    return np.array(values, np.float32)


def is_same(one: object, other: object, tolerance: float) -> bool:
    """Return whether two outcomes are the same, up to the tolerance of a cosine."""
    if not isinstance(one, list) or not isinstance(other, list) or not all(isinstance(hit, Hit) for hit in one + other):
        return one == other
    if [replace(hit, cosine=None) for hit in one] != [replace(hit, cosine=None) for hit in other]:
        return False
    cosines = [(hit.cosine, its.cosine) for hit, its in zip(one, other, strict=True)]
    return all(a == b or (a is not None and b is not None and abs(a - b) <= tolerance) for a, b in cosines)


def compare(empty: Empty, *, examples: int = 40, steps: int = 25, cosine_tolerance: float = 0.0) -> None:
    """The store answers as the reference does in so many sequences of at most so many steps.

    Args:
        empty: gives an empty database each time; a sequence opens one store in it.
        cosine_tolerance: how far a cosine may be off, for a store that keeps vectors less exactly.

    Raises:
        AssertionError: it does not; the message and the output tell the shortest sequence found.
    """
    run(lambda: MemoryMachine(empty, cosine_tolerance), examples=examples, steps=steps)


class MemoryMachine(Machine):
    """Two stores side by side: every call must have the same outcome on both."""

    def __init__(self, empty: Empty, cosine_tolerance: float) -> None:
        """Two empty stores."""
        super().__init__(empty)
        self.cosine_tolerance = cosine_tolerance
        self.rows = 0

    def both(self, call: Callable[[Store], Awaitable[T]]) -> T | type[Exception]:
        """Return what the call returned, or raised, on either store."""
        one, other = [self.runner.run(self.outcome(call, store)) for store in (self.store, self.reference)]
        assert is_same(one, other, self.cosine_tolerance), (one, other)
        return one

    @staticmethod
    async def outcome(call: Callable[[Store], Awaitable[T]], store: Store) -> T | type[Exception]:
        try:
            return await call(store)
        except (StaleMemory, DimensionMismatch) as error:
            return type(error)

    # -- changes --

    @rule(scope=scopes, memory=memories(), terms=counts, values=st.none() | coordinates)
    def insert(self, scope: Scope, memory: Memory, terms: dict[str, int], values: list[float] | None) -> None:
        put = MemoryPut(memory=memory, terms=terms, vector=None if values is None else array(values), model="m")
        self.both(lambda store: store.change_memories(scope, MemoryChange(puts=[put])))
        self.rows += 1

    @precondition(lambda self: self.rows)
    @rule(
        scope=scopes,
        name=names,
        status=statuses,
        until=st.none() | moments,
        terms=st.none() | counts,
        stale=st.booleans(),
    )
    def update(
        self, scope: Scope, name: str, status: Status, until: datetime | None, terms: dict[str, int] | None, stale: bool
    ) -> None:
        async def call(store: Store) -> None:
            for row in await store.load_memories(scope, [name]):
                revision = row.revision - stale
                changed = replace(row, status=status, valid_to=until, revision=revision)
                await store.change_memories(scope, MemoryChange(puts=[MemoryPut(memory=changed, terms=terms)]))

        self.both(call)

    @precondition(lambda self: self.rows)
    @rule(scope=scopes, memory=memories(), name=names)
    def supersede(self, scope: Scope, memory: Memory, name: str) -> None:
        """One change: a new row, and an old one that gives way to it."""

        async def call(store: Store) -> None:
            old = [
                MemoryPut(memory=replace(row, status=Status.SUPERSEDED, superseded_by=memory.id))
                for row in await store.load_memories(scope, [name])
            ]
            new = MemoryPut(memory=replace(memory, status=Status.ACTIVE), terms={"tea": 1})
            await store.change_memories(scope, MemoryChange(puts=[new, *old]))

        self.both(call)

    @rule(scope=scopes, memory=memories(), disturbed=st.sampled_from(["no", "deletion", "nothing", "other owner"]))
    def decide(self, scope: Scope, memory: Memory, disturbed: str) -> None:
        """A new row that was decided before something else happened, or not."""

        async def call(store: Store) -> None:
            seen = await store.memory_version(scope)
            if disturbed != "no":
                other = scope if disturbed != "other owner" else ALICE if scope == BOB else BOB
                gone = MemoryChange() if disturbed == "nothing" else MemoryChange(deletes=["nobody"])
                await store.change_memories(other, gone)
            put = MemoryPut(memory=memory, terms={"cup": 1})
            await store.change_memories(scope, MemoryChange(puts=[put], seen=seen))

        self.both(call)

    @rule(scope=scopes, gone=st.lists(names, max_size=3), key=keys)
    def delete(self, scope: Scope, gone: list[str], key: str | None) -> None:
        record = Tombstone(key=key, content_digest="d", deleted_at=at(len(gone)))
        self.both(lambda store: store.change_memories(scope, MemoryChange(deletes=gone, tombstones=[record])))

    @precondition(lambda self: self.rows)
    @rule(scope=scopes, model=st.sampled_from("mn"), vectors=st.dictionaries(names, coordinates, max_size=3))
    def embed(self, scope: Scope, model: str, vectors: dict[str, list[float]]) -> None:
        same = {len(values) for values in vectors.values()}
        if len(same) == 1:
            self.both(lambda s: s.put_vectors(scope, model, {id: array(values) for id, values in vectors.items()}))

    @rule(scope=scopes)
    def erase(self, scope: Scope) -> None:
        self.both(lambda store: erased(store, scope))

    # -- questions --

    @rule(
        scope=scopes,
        terms=weights,
        values=st.none() | st.sampled_from([[1.0, 0.0], [0.6, 0.8], [0.0, 0.0, 1.0]]),
        model=st.sampled_from("mn"),
        filter=filters,
        limit=st.sampled_from([1, 2, 100]),
        window=st.sampled_from([0.0, 0.5]),
    )
    def search(
        self,
        scope: Scope,
        terms: dict[str, float],
        values: list[float] | None,
        model: str,
        filter: Filter,
        limit: int,
        window: float,
    ) -> None:
        vector = None if values is None else array(values)
        query = Query(terms=terms, vector=vector, model=model, filter=filter, limit=limit, window=window)
        found = self.both(lambda store: store.search(scope, query))
        assert isinstance(found, type) or all(isinstance(hit, Hit) for hit in found)

    @invariant()
    def rows_agree(self) -> None:
        """Lists, profile, keys, deletion records and what waits for vectors agree."""
        self.both(lambda store: snapshot(store, ALICE))
        self.both(lambda store: snapshot(store, BOB))


async def erased(store: Store, scope: Scope) -> int:
    """Return how many memories were erased."""
    return (await store.erase(scope))["memories"]


async def snapshot(store: Store, scope: Scope) -> tuple[object, ...]:
    """Return everything that can be read without a query; the order of deletion records means nothing."""
    records = await store.tombstones(scope, keys=["order:OD1", "order:OD2"], digests=["d"])
    return (
        await store.list_memories(scope, statuses=frozenset(Status)),
        await store.profile(scope, now=at(10)),
        await store.by_keys(scope, ["order:OD1", "identity:name"]),
        await store.unembedded(scope, "m"),
        frozenset(records),
    )
