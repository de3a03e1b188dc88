"""Reflection: memories about one thing become one that links to them. A job of the owner, enqueued when facts were written.

Which belong together is decided by ``reflection``; the sentence is a model's, or the template's without one. Sentences are
written first, then everything is decided anew on one version of the memories: what changed meanwhile waits for its own
sentence. Running it again changes nothing. How a reflection falls with its sources is ``consolidate.decided``'s business.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from zhiji import consolidate, masking, merge, policies, reflection, revision, text, vectors
from zhiji.parts import Parts, new_id
from zhiji.reflection import Group
from zhiji.stores.base import MemoryChange, MemoryPut, NewJob
from zhiji.types import Job, JobKind, Memory, Scope, Status

log = logging.getLogger("zhiji.reflect")

SUBJECT = "memories"
FACTS = 1000
"""Memories, newest first, among which groups are looked for."""
PASSES = 5
"""Times that sentences are written because the memories changed meanwhile; then the rest waits for the next job."""
_STANDING = frozenset({Status.ACTIVE, Status.ARCHIVED})

Write = Callable[[Group], Awaitable[str | None]]
"""Returns the sentence of a group; None if its members ground none. Whatever it raises means that it cannot be asked now."""


async def by_template(group: Group) -> str | None:
    """Return no sentence: the template is used."""
    return None


async def jobs(parts: Parts, scope: Scope, change: MemoryChange) -> list[NewJob]:
    """Return the job that reflects on what a change leaves; none if it brought nothing new, or there is too little yet."""
    least = parts.settings.reflect_after
    if not least or not (change.tombstones or any(_is_telling(put.memory) for put in change.puts)):
        return []
    known = await parts.store.list_memories(
        scope, statuses=frozenset({Status.ACTIVE}), types=_types(derived=False), now=parts.clock(), limit=least
    )
    fresh = sum(put.memory.revision == 0 for put in change.puts if _is_telling(put.memory))
    return [job(parts)] if len(known) + fresh >= least else []


def job(parts: Parts) -> NewJob:
    """Return the job that reflects on an owner's memories."""
    return NewJob(kind=JobKind.REFLECT, subject=SUBJECT, run_at=parts.clock())


def _is_telling(memory: Memory) -> bool:
    """Return whether a row that is written may complete a group: a new fact, or a reflection that left its facts alone."""
    policy = policies.kind(memory.type)
    if memory.revision == 0:
        return policy.reflected and memory.status is Status.ACTIVE
    return policy.derived and memory.status is not Status.ACTIVE


def _types(*, derived: bool) -> frozenset[str]:
    return frozenset(
        name for name, policy in policies.TYPES.items() if (policy.derived if derived else policy.reflected)
    )


async def groups(parts: Parts, scope: Scope) -> list[Group]:
    """Return what is due to become a reflection: not what was deleted as one, unless more has been said since."""
    least, store = parts.settings.reflect_after, parts.store
    if not least:
        return []
    active = frozenset({Status.ACTIVE})
    facts = await store.list_memories(
        scope, statuses=active, types=_types(derived=False), now=parts.clock(), limit=FACTS
    )
    if len(facts) < least:
        return []
    held = await store.list_memories(scope, statuses=_STANDING, types=_types(derived=True), limit=FACTS)
    return [group for group in reflection.due(facts, held, least=least) if not await _is_deleted(parts, scope, group)]


async def _is_deleted(parts: Parts, scope: Scope, group: Group) -> bool:
    key = await parts.store.digest(group.key)
    records = await parts.store.tombstones(scope, keys=[key], digests=[])
    said = max(memory.updated_at for memory in group.members)
    return merge.blocked(records, said, key_digest=key, content_digest="")


async def run(parts: Parts, write: Write, job: Job) -> None:
    """Every group of the owner's memories that is due has become a reflection.

    Raises:
        StaleMemory: others kept writing; the job is retried.
    """
    written: dict[frozenset[str], str] = {}
    for _ in range(PASSES):
        for group in await groups(parts, job.scope):
            if group.ids not in written:
                written[group.ids], write = await _sentence(parts, write, group)
        if not written or not await _settle(parts, job.scope, written):
            return


async def _sentence(parts: Parts, write: Write, group: Group) -> tuple[str, Write]:
    """Return the sentence of a group, and who writes the next one: the template, once a model has failed or was too slow."""
    try:
        async with asyncio.timeout(parts.settings.model_timeout_seconds):
            told = await write(group)
    except Exception as error:  # noqa: BLE001 - a host's model may raise anything; the template needs none
        log.warning("reflection_unwritten: the template is used (%s)", type(error).__name__)
        told, write = None, by_template
    log.debug("reflected: %d memories, by %s", len(group.members), "a model" if told else "the template")
    return told or masking.mask(text.clean(reflection.template(group))), write


async def _settle(parts: Parts, scope: Scope, written: dict[frozenset[str], str]) -> bool:
    """The groups that have their sentence are reflections; returns whether others have become due meanwhile."""

    async def decide() -> tuple[MemoryChange, bool]:
        found = await groups(parts, scope)
        ready = [group for group in found if group.ids in written]
        puts = [put for group in ready for put in _puts(parts, group, written[group.ids])]
        return MemoryChange(puts=puts), len(ready) < len(found)

    async def commit(change: MemoryChange, _: bool) -> None:
        await parts.store.change_memories(scope, change, jobs=await vectors.jobs(parts, scope, change))

    left = await consolidate.decided(parts, scope, decide, commit)
    parts.wake()
    return left


def _puts(parts: Parts, group: Group, content: str) -> Sequence[MemoryPut]:
    now, former = parts.clock(), group.replaces
    new = reflection.opened(group, content, id=new_id("mem"), now=now)
    new = replace(new, expires_at=merge.expiry(new, retention=parts.settings.retention))
    closed = [revision.closed(former, now, by=new.id, reason="more is known")] if former else []
    kept = [
        replace(memory, links=(*(link for link in memory.links if former is None or link != former.id), new.id))
        for memory in group.members
    ]
    return [consolidate.put(row) for row in (new, *closed, *kept)]
