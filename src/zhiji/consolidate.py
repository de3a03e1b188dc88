"""The one door through which a fact becomes a memory: for the extractor's drafts and for ``remember`` alike.

Drafts meet what is known (``merge`` decides) in a ledger of what is to be written; ``decided`` commits it as if nobody else had been
there. Nothing is extracted here, and no session is read.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from zhiji import episodes, merge, policies, recall, text
from zhiji.errors import StaleMemory
from zhiji.parts import Parts, new_id
from zhiji.stores.base import Filter, MemoryChange, MemoryPut, Query, Tombstone
from zhiji.types import Draft, Memory, Scope, Status

NEAR_CANDIDATES = 8
"""Keyless memories that a keyless draft is compared with."""
WAITING_CANDIDATES = 50
"""Quarantined memories, newest first, that may be the same thing said before."""
RACES = 20
"""Times a decision is taken because other processes write about the same owner in the meantime."""
RACE_SECONDS = 0.005
"""Longest pause before the second try; each further one may be as much longer."""

T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class Ledger:
    """What one pass is about to write: rows by id, as they will be, on top of what the store holds."""

    rows: dict[str, Memory] = field(default_factory=dict)
    """New and changed rows."""
    known: dict[str, Memory] = field(default_factory=dict)
    """Rows read from the store."""
    deleted: set[str] = field(default_factory=set)
    tombstones: list[Tombstone] = field(default_factory=list)
    forgotten: list[Memory] = field(default_factory=list)
    unsaid: set[int] = field(default_factory=set)
    """Messages that asked to forget something: they name it, so they are no episodes either."""
    counts: dict[str, int] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    results: list[Memory] = field(default_factory=list)
    """For each asserted draft that was kept: the row that now holds it."""

    def merged(self, stored: Iterable[Memory]) -> list[Memory]:
        """Return stored rows as this pass has left them, then the new rows."""
        found = {memory.id: memory for memory in stored}
        self.known.update({key: memory for key, memory in found.items() if key not in self.known})
        found.update(self.rows)
        return [memory for memory in found.values() if memory.id not in self.deleted]

    def count(self, what: str, reason: str = "") -> None:
        self.counts[what] = self.counts.get(what, 0) + 1
        if reason:
            self.reasons.append(f"{what}: {reason}")


async def decided(
    parts: Parts,
    scope: Scope,
    decide: Callable[[], Awaitable[tuple[MemoryChange, T]]],
    commit: Callable[[MemoryChange, T], Awaitable[None]],
) -> T:
    """What ``decide`` made of the owner's memories is committed as if nobody else had been there; returns its second value.

    Within this process decisions about one owner are taken one after the other; if another process was faster, it is
    decided anew. Whatever ``decide`` raises is final.

    Raises:
        StaleMemory: others kept writing; or what ``commit`` means by it.
    """
    for attempt in range(1, RACES + 1):
        async with parts.deciding(scope):
            seen = await parts.store.memory_version(scope)
            change, result = await decide()
            try:
                await commit(replace(change, seen=seen), result)
            except StaleMemory:
                if attempt == RACES:
                    raise
            else:
                return result
        await asyncio.sleep(random.uniform(0, RACE_SECONDS * attempt))
    raise AssertionError("unreachable")


async def consolidate(
    parts: Parts,
    scope: Scope,
    drafts: Sequence[Draft],
    *,
    session_id: str | None,
    times: dict[int, datetime],
) -> Ledger:
    """Return what becomes of the drafts, in order, given what is known. Nothing is written yet.

    ``times`` gives the time of each message that drafts cite; drafts of an operator cite none.
    """
    ledger = Ledger()
    if not drafts:
        return ledger
    marks = [await _digests(parts, draft) for draft in drafts]
    held = await _held(parts, scope, drafts, marks)
    for draft, (key, content) in zip(drafts, marks, strict=True):
        said_at = _said_at(draft, times, parts.clock())
        buried = merge.blocked(held.tombstones, said_at, key_digest=key, content_digest=content)
        if session_id is not None and buried:
            ledger.count("skip", "deleted before")
        else:
            await _place(parts, scope, draft, ledger, held, session_id=session_id, said_at=said_at)
    return ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    """What the store holds that any draft of a pass may meet, read once for all of them."""

    keyed: Sequence[Memory]
    """Rows that have a draft's key, in any status."""
    waiting: Sequence[Memory]
    tombstones: Sequence[Tombstone]


async def _digests(parts: Parts, thing: Draft | Memory) -> tuple[str | None, str]:
    """Return the keyed hashes of key and content."""
    key = await parts.store.digest(thing.key) if thing.key else None
    return key, await parts.store.digest(text.normalise(thing.content))


async def _held(parts: Parts, scope: Scope, drafts: Sequence[Draft], marks: Sequence[tuple[str | None, str]]) -> _Held:
    store, keys = parts.store, sorted({draft.key for draft in drafts if draft.key})
    return _Held(
        keyed=await store.by_keys(scope, keys) if keys else [],
        waiting=await store.list_memories(scope, statuses=frozenset({Status.QUARANTINED}), limit=WAITING_CANDIDATES),
        tombstones=await store.tombstones(
            scope, keys=[key for key, _ in marks if key], digests=[content for _, content in marks]
        ),
    )


def _said_at(draft: Draft, times: dict[int, datetime], now: datetime) -> datetime:
    return min(now, max((times[seq] for seq in draft.seqs if seq in times), default=now))


async def _place(
    parts: Parts,
    scope: Scope,
    draft: Draft,
    ledger: Ledger,
    held: _Held,
    *,
    session_id: str | None,
    said_at: datetime,
) -> None:
    near = await _near(parts, scope, draft)
    keyed = [memory for memory in held.keyed if memory.key == draft.key]
    candidates = ledger.merged([*keyed, *near, *held.waiting])
    candidates = [memory for memory in candidates if _comparable(memory, draft)]
    decision = merge.decide(
        draft, candidates, gate=parts.settings.confidence_gate, session_id=session_id, said_at=said_at
    )
    ledger.count(decision.action, "" if decision.action in ("add", "reinforce") else decision.reason)
    if decision.action == "forget":
        ledger.unsaid.update(draft.seqs)
        await _forget(parts, [m for m in candidates if m.id in decision.targets], ledger, said_at)
        return
    rows = merge.apply(
        decision,
        draft,
        candidates=candidates,
        session_id=session_id,
        now=said_at,
        make_id=lambda: new_id("mem"),
        retention=parts.settings.retention,
    )
    ledger.rows.update({row.id: row for row in rows})
    if draft.op == "assert" and rows:
        ledger.results.append(rows[0])


def _comparable(memory: Memory, draft: Draft) -> bool:
    return memory.type != episodes.TYPE and (
        draft.key is None or memory.key in (None, draft.key) or draft.op != "assert"
    )


async def _near(parts: Parts, scope: Scope, draft: Draft) -> list[Memory]:
    """Return the rows that read like a draft."""
    query = Query(
        terms=text.query_terms(draft.content),
        filter=Filter(now=parts.clock(), types=frozenset(policies.listed_types())),
        limit=NEAR_CANDIDATES,
    )
    return [hit.memory for hit in await parts.store.search(scope, query)]


async def _forget(parts: Parts, targets: Sequence[Memory], ledger: Ledger, said_at: datetime) -> None:
    for memory in targets:
        ledger.deleted.add(memory.id)
        ledger.forgotten.append(memory)
        ledger.rows.pop(memory.id, None)
        ledger.tombstones.append(await tombstone(parts, memory, said_at))


async def tombstone(parts: Parts, memory: Memory, deleted_at: datetime) -> Tombstone:
    """Return the deletion record of a memory."""
    key, content = await _digests(parts, memory)
    return Tombstone(key=key, content_digest=content, deleted_at=deleted_at)


def ledger_change(ledger: Ledger, *, extra: Sequence[Memory] = ()) -> MemoryChange:
    """Return the writes of a ledger, and ``extra`` new rows."""
    puts = [_put(row) for row in [*ledger.rows.values(), *extra] if row.id not in ledger.deleted]
    return MemoryChange(
        puts=puts,
        deletes=sorted(ledger.deleted & ledger.known.keys()),
        tombstones=ledger.tombstones,
        unsaid=[source for memory in ledger.forgotten for source in memory.sources],
    )


def put_new(row: Memory) -> MemoryPut:
    """Return the write of a new row with its index terms."""
    return MemoryPut(memory=row, terms=recall.index_terms(row))


def _put(row: Memory) -> MemoryPut:
    return put_new(row) if row.revision == 0 else MemoryPut(memory=row)
