"""Fading: what nobody uses is archived, and later deleted for good. What becomes of a row is decided by ``forgetting``.

The regular sweep asks for what is due, whoever owns it; ``zj.upkeep`` also says what it would do, folds rows that say the same
(as databases of former times may hold) into one, and schedules reflections.
Each owner's rows are decided on one version of their memories, so that nothing is half done, whoever else is at work. A
deletion by age leaves no deletion record: nobody asked for it.
"""

from __future__ import annotations

import json
import logging
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import MappingProxyType

from zhiji import consolidate, forgetting, policies, reflect, revision, text
from zhiji.errors import InvalidKey, StaleMemory
from zhiji.parts import Parts
from zhiji.stores.base import MemoryChange, MemoryPut, every_owner
from zhiji.types import Memory, Scope, Status

log = logging.getLogger("zhiji.fade")

BATCH = 500
"""Rows that are decided in one commit."""
ROUNDS = 50
"""Batches of one sweep: what is left then is the next one's."""
EVERYTHING = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkept:
    """What upkeep did, or would do, to memories; of one owner or of all."""

    archived: Mapping[str, int]
    """Memories that have faded, by type."""
    deleted: Mapping[str, int]
    """Rows that are gone for good, by type."""
    repeated: Mapping[str, int]
    """Rows that said what another one says, and are its history now, by type."""
    reflections: int
    """Groups of related memories that are due to become one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkeep(Upkept):
    """The report of ``zj.upkeep``."""

    dry_run: bool
    """True: nothing was changed."""
    owners: Mapping[Scope, Upkept]
    """Those to whom anything was due, by owner; empty unless asked for."""


_Tally = tuple[Counter[str], Counter[str]]
"""Archived and deleted, by type."""
_Counts = tuple[Counter[str], Counter[str], Counter[str]]
"""Archived, deleted and repeated, by type."""


async def upkeep(parts: Parts, scope: Scope | None, *, dry_run: bool, by_owner: bool) -> Upkeep:
    """What is due of one owner, or of everybody, is archived, deleted or folded, and what is related enqueued for reflection.

    With ``dry_run`` nothing is changed; the report is the same.
    """
    now = parts.clock()
    total: _Counts = (Counter(), Counter(), Counter())
    reflections, owners = 0, dict[Scope, Upkept]()
    async for owner in _owners(parts, scope):
        counted: _Counts = (*await _upkept(parts, owner, now, dry_run), await _gathered(parts, owner, now, dry_run))
        groups = len(await reflect.groups(parts, owner))
        if groups and not dry_run:
            await parts.store.enqueue(owner, reflect.job(parts))
        for counts, more in zip(total, counted, strict=True):
            counts.update(more)
        reflections += groups
        if by_owner and (any(counted) or groups):
            owners[owner] = Upkept(**_fields(counted), reflections=groups)
    if reflections and not dry_run:
        parts.wake()
    return Upkeep(
        **_fields(total),
        reflections=reflections,
        dry_run=dry_run,
        owners=MappingProxyType(owners),
    )


def _fields(counts: _Counts) -> dict[str, Mapping[str, int]]:
    return dict(zip(("archived", "deleted", "repeated"), map(_frozen, counts), strict=True))


def _frozen(counts: Mapping[str, int]) -> Mapping[str, int]:
    return MappingProxyType(dict(sorted(counts.items())))


async def _owners(parts: Parts, scope: Scope | None) -> AsyncIterator[Scope]:
    if scope is not None:
        yield scope
        return
    async for owner in every_owner(parts.store):
        yield owner


async def _upkept(parts: Parts, scope: Scope, now: datetime, dry_run: bool) -> _Tally:
    archived, deleted = Counter[str](), Counter[str]()
    if not parts.settings.retention:
        return archived, deleted
    due = [memory_id for _, memory_id in await parts.store.expired_memories(now, scope=scope, limit=EVERYTHING)]
    for at in range(0, len(due), BATCH):
        ids = due[at : at + BATCH]
        if dry_run:
            _, tally = _decided(parts, await parts.store.load_memories(scope, ids), now)
        else:
            tally = await fade(parts, scope, ids, now)
        archived += tally[0]
        deleted += tally[1]
    return archived, deleted


async def _gathered(parts: Parts, scope: Scope, now: datetime, dry_run: bool) -> Counter[str]:
    """Active rows of an owner that say the same in the same words are one, the oldest; returns how many others there were."""
    if dry_run:
        return Counter(row.type for rows in await _repeats(parts, scope, now) for row in rows[1:])

    async def decide() -> tuple[MemoryChange, Counter[str]]:
        found = await _repeats(parts, scope, now)
        retention = parts.settings.retention
        changed = [row for rows in found for row in revision.gathered(rows, now, retention=retention)]
        puts = await consolidate.puts(parts, scope, changed) if changed else []
        return MemoryChange(puts=puts), Counter(row.type for rows in found for row in rows[1:])

    async def commit(change: MemoryChange, repeated: Counter[str]) -> None:
        if repeated:
            await parts.store.change_memories(scope, change, jobs=await reflect.jobs(parts, scope, change))

    return await consolidate.decided(parts, scope, decide, commit)


async def _repeats(parts: Parts, scope: Scope, now: datetime) -> list[list[Memory]]:
    """Return the active rows, oldest first, that have type, key, value and words in common; each more than one."""
    held = await parts.store.list_memories(
        scope, statuses=frozenset({Status.ACTIVE}), without=policies.unlisted_types(), now=now, limit=EVERYTHING
    )
    alike = defaultdict[tuple[str, str | None, str, str], list[Memory]](list)
    for row in sorted(held, key=lambda row: (row.created_at, row.id)):
        if not policies.kind(row.type).derived and row.reason != revision.RESTORED:
            value = json.dumps(row.value, sort_keys=True)
            alike[row.type, row.key, value, text.normalise(row.content)].append(row)
    return [rows for rows in alike.values() if len(rows) > 1]


async def sweep(parts: Parts, now: datetime) -> None:
    """What is due of anybody is archived or deleted, the longest due first; a very long queue takes several sweeps."""
    stuck: set[tuple[Scope, str]] = set()
    for _ in range(ROUNDS if parts.settings.retention else 0):
        due: dict[Scope, list[str]] = defaultdict(list)
        for scope, memory_id in await parts.store.expired_memories(now, limit=BATCH + len(stuck)):
            if (scope, memory_id) not in stuck:
                due[scope].append(memory_id)
        if not due:
            return
        for scope, ids in due.items():
            try:
                await fade(parts, scope, ids, now)
            except (StaleMemory, InvalidKey) as error:  # somebody keeps writing, or a host's type is gone: others go on
                log.warning(
                    "fading_put_off: %s; %d memories are looked at again by the next sweep", error.code, len(ids)
                )
                stuck |= {(scope, memory_id) for memory_id in ids}


async def fade(parts: Parts, scope: Scope, ids: Sequence[str], now: datetime) -> _Tally:
    """These memories are archived, deleted or kept, as ``forgetting.fate`` says; returns how many by type.

    Raises:
        StaleMemory: others kept writing. InvalidKey: one is of an unknown type.
    """

    async def decide() -> tuple[MemoryChange, _Tally]:
        return _decided(parts, await parts.store.load_memories(scope, ids), now)

    async def commit(change: MemoryChange, _: _Tally) -> None:
        await parts.store.change_memories(scope, change, jobs=await reflect.jobs(parts, scope, change))

    archived, deleted = await consolidate.decided(parts, scope, decide, commit)
    parts.telemetry.count("zhiji_forgotten_total", archived.total(), fate="archived")
    parts.telemetry.count("zhiji_forgotten_total", deleted.total(), fate="deleted")
    return archived, deleted


def _decided(parts: Parts, rows: Sequence[Memory], now: datetime) -> tuple[MemoryChange, _Tally]:
    archive = timedelta(days=parts.settings.archive_days)
    puts, deletes = list[MemoryPut](), list[str]()
    archived, deleted = Counter[str](), Counter[str]()
    for row in rows:
        fate = forgetting.fate(row, now=now, archive=archive)
        if fate.action == "delete":
            deletes.append(row.id)
            deleted[row.type] += 1
        elif fate.action == "archive":
            faded = replace(row, status=Status.ARCHIVED, expires_at=fate.until, updated_at=now, reason=fate.reason)
            puts.append(MemoryPut(memory=faded))
            archived[row.type] += 1
        elif fate.until != row.expires_at:
            puts.append(MemoryPut(memory=replace(row, expires_at=fate.until)))
    return MemoryChange(puts=puts, deletes=deletes), (archived, deleted)
