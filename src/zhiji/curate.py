"""Managing what is remembered: list, get, correct, delete, restore, history — for operators and users alike (M24)."""

from __future__ import annotations

import builtins
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import TypeVar

from zhiji import consolidate, episodes, forms, given, masking, merge, policies, reflect, revision, text, vectors
from zhiji.errors import EmptyMessage, InvalidInput, InvalidKey, InvalidState, MemoryNotFound, StaleMemory
from zhiji.parts import Parts, new_id
from zhiji.relation.reading import plain
from zhiji.stores.base import MemoryChange
from zhiji.types import Became, Draft, JsonValue, Memory, Profile, Remembered, Scope, Status, Trust

T = TypeVar("T")
Owner = Callable[[str | Scope], Scope]
"""Turns the façade's ``user`` into a scope."""
ALL = frozenset(Status)
MAX_CONTENT_CHARS = 2000
"""A memory is a sentence, not a document."""
MAX_REASON_CHARS = 200
MAX_VALUE_CHARS = 10_000
PAGE = 1000


def draft(
    content: str,
    *,
    type: str,
    key: str | None,
    value: JsonValue = None,
    importance: int | None,
    confidence: float | None,
) -> Draft:
    """Return an operator's or program's own memory as a draft: checked, masked, with its key normalised.

    Raises:
        EmptyMessage, InvalidInput, InvalidKey: content, numbers or key do not fit; the message says which.
    """
    words = masking.mask(text.clean(given.words("content", content))).strip()
    if not text.normalise(words):
        raise EmptyMessage("the content is empty; say in one sentence what to remember")
    if len(words) > MAX_CONTENT_CHARS:
        raise InvalidInput(f"the content is longer than {MAX_CONTENT_CHARS} characters; remember a shorter sentence")
    if given.words("type", type) not in policies.listed_types():
        raise InvalidKey(f"unknown memory type; use one of {', '.join(policies.listed_types())}")
    if importance is not None and importance not in range(1, 6):
        raise InvalidInput("importance must be a whole number from 1 to 5")
    if confidence is not None:
        given.number("confidence", confidence, 0, 1)
    return Draft(
        type=type,
        content=words,
        key=full_key(type, key) if key is not None else None,
        value=masking.mask_value(_json(value)),
        importance=3 if importance is None else importance,
        confidence=1.0 if confidence is None else confidence,
        trust=Trust.OPERATOR,
        seqs=(),
        lang=text.language(words),
    )


def _json(value: JsonValue) -> JsonValue:
    try:
        checked = forms.json_value("value", value)
    except InvalidState as error:
        raise InvalidInput("value must be what JSON holds: finite numbers, text keys, few levels") from error
    if len(json.dumps(checked, ensure_ascii=False)) > MAX_VALUE_CHARS:
        raise InvalidInput(f"value is longer than {MAX_VALUE_CHARS} characters as JSON; remember less of it")
    return checked


def full_key(type: str, key: str) -> str:
    """Return the canonical key for a key given whole (``order:OD1``) or by its id (``OD1``).

    Raises:
        InvalidKey: empty id, or one that may not be kept.
    """
    named, id = text.key_parts(text.clean(given.words("key", key)))
    full = text.business_key(named or type, id)
    if masking.mask(full) != full:
        raise InvalidKey("the key holds a phone number or a secret; give an id that may be kept")
    return full


_BECAME: Mapping[str, Became] = {
    "add": "added",
    "reinforce": "reinforced",
    "supersede": "superseded",
    "quarantine": "quarantined",
}


async def remember(parts: Parts, scope: Scope, wanted: Draft) -> Remembered:
    """The memory is stored, or an equal one reinforced, or the former value of its key superseded.

    Raises:
        StaleMemory: others kept writing the same memory; retry.
    """

    study = await consolidate.studied(parts, scope, [wanted], session_id=None, times={})

    async def decide() -> tuple[MemoryChange, tuple[str, Became]]:
        ledger = await consolidate.consolidate(parts, scope, [wanted], session_id=None, times={}, study=study)
        (action,) = ledger.counts
        return consolidate.ledger_change(ledger), (ledger.results[0].id, _BECAME[action])

    memory_id, became = await changed(parts, scope, decide)
    return Remembered(memory=await require(parts, scope, memory_id), became=became)


async def changed(parts: Parts, scope: Scope, decide: Callable[[], Awaitable[tuple[MemoryChange, T]]]) -> T:
    """What ``decide`` made of the memories is committed, with the jobs that follow: vectors of new rows, reflection.

    Returns its second value. Raises: as ``consolidate.decided``.
    """

    async def commit(change: MemoryChange, _: T) -> None:
        jobs = [*await vectors.jobs(parts, scope, change), *await reflect.jobs(parts, scope, change)]
        await parts.store.change_memories(scope, change, jobs=jobs)

    result = await consolidate.decided(parts, scope, decide, commit)
    parts.wake()
    return result


async def require(parts: Parts, scope: Scope, memory_id: str) -> Memory:
    """Return a memory of any status.

    Raises:
        MemoryNotFound: unknown, deleted, or somebody else's.
    """
    found = await parts.store.load_memories(scope, [given.name("the id of a memory", memory_id)])
    if not found:
        raise MemoryNotFound
    return found[0]


async def profile(parts: Parts, scope: Scope) -> Profile:
    """Return what is known of the user under a fixed key, of whatever length; see ``policies.ATTRIBUTES``."""
    held = await parts.store.list_memories(
        scope, statuses=frozenset({Status.ACTIVE}), types=policies.attribute_types(), now=parts.clock(), limit=PAGE
    )
    known = [memory for memory in held if policies.attribute(memory.key)]
    known.sort(key=lambda memory: (policies.place(memory.key), memory.key or "", memory.id))
    values = {memory.key: memory.content if memory.value is None else memory.value for memory in known if memory.key}
    return Profile(values=MappingProxyType(values), memories=tuple(known))


class Memories:
    """``zj.memories``: what is remembered of a user."""

    def __init__(self, parts: Parts, owner: Owner) -> None:
        self._parts = parts
        self._owner = owner

    async def list(
        self,
        user: str | Scope,
        *,
        statuses: Sequence[Status | str] = (Status.ACTIVE,),
        types: Sequence[str] | None = None,
        limit: int = PAGE,
        offset: int = 0,
    ) -> list[Memory]:
        """Return memories newest first; active ones unless told otherwise. Expired ones are left out."""
        only = None if types is None else [policies.policy(name).name for name in given.names("types", types)]
        return await self._parts.store.list_memories(
            self._owner(user),
            statuses=frozenset(_status(status) for status in given.names("statuses", statuses)),
            types=None if only is None else frozenset(only),
            without=policies.unlisted_types(),
            now=self._parts.clock(),
            limit=given.count("limit", limit),
            offset=given.count("offset", offset),
        )

    async def add(
        self,
        user: str | Scope,
        content: str,
        *,
        type: str,
        key: str | None = None,
        value: JsonValue = None,
        importance: int | None = None,
        confidence: float | None = None,
    ) -> Remembered:
        """Like ``Zhiji.remember``, which says what is stored; also tells what became of it."""
        wanted = draft(content, type=type, key=key, value=value, importance=importance, confidence=confidence)
        return await remember(self._parts, self._owner(user), wanted)

    async def get(self, user: str | Scope, memory_id: str) -> Memory:
        """Return one memory of any status.

        Raises:
            MemoryNotFound: unknown, deleted, or another user's — the same answer.
        """
        return await require(self._parts, self._owner(user), memory_id)

    async def correct(self, user: str | Scope, memory_id: str, content: str, reason: str = "") -> Memory:
        """The memory is superseded by one with this content, by an operator's word; returns the new one.

        Others that only repeat the new content become one with it; what it contradicts gives way to it.

        Raises:
            MemoryNotFound: as in ``get``. EmptyMessage, InvalidInput: the content does not do.
            StaleMemory: it was superseded.
        """
        scope = self._owner(user)
        given.words("reason", reason)
        new = await changed(self._parts, scope, partial(self._corrected, scope, memory_id, content, reason))
        return await require(self._parts, scope, new)

    async def _corrected(self, scope: Scope, memory_id: str, content: str, reason: str) -> tuple[MemoryChange, str]:
        old = await self.get(scope, memory_id)
        wanted = draft(content, type=old.type, key=None, importance=old.importance, confidence=1.0)
        if old.status is Status.SUPERSEDED:
            raise StaleMemory("this memory was superseded; correct the one that replaced it")
        now = self._parts.clock()
        new = merge.corrected(
            old,
            wanted,
            now=now,
            new_id=new_id("mem"),
            reason=text.truncate(masking.mask(text.clean(reason)), MAX_REASON_CHARS),
            retention=self._parts.settings.retention,
        )
        closed = revision.closed(old, now, by=new.id, reason=new.reason)
        rivals = [one for one in await self._versions(scope, old) if one.status is Status.ACTIVE and one.id != old.id]
        repeats, contradicted = await consolidate.beside(self._parts, scope, new)
        rivals += _besides(contradicted, old, *rivals)
        gone = [revision.closed(one, now, by=new.id, reason=new.reason) for one in rivals]
        new = replace(new, links=tuple(dict.fromkeys((*new.links, *(one.id for one in gone)))))
        rows = [closed, *gone, *self._repeated(_besides(repeats, old, *rivals), new, now)]
        puts = await consolidate.puts(self._parts, scope, rows)
        return MemoryChange(puts=puts, deletes=await self._said(scope, old)), new.id

    async def delete(self, user: str | Scope, memory_id: str) -> None:
        """The memory, its index entries, the episodes it came from and the answers to them are gone for good.

        The same transcript cannot bring it back; only a newer message of the user can.

        Raises:
            MemoryNotFound: as in ``get``.
        """
        scope = self._owner(user)
        await changed(self._parts, scope, partial(self._deleted, scope, memory_id))

    async def _deleted(self, scope: Scope, memory_id: str) -> tuple[MemoryChange, None]:
        old = await self.get(scope, memory_id)
        mark = await consolidate.tombstone(self._parts, old, self._parts.clock())
        if policies.kind(old.type).derived:  # nobody said it: its facts stay, and what was said of them
            return MemoryChange(deletes=[old.id], tombstones=[mark]), None
        spoken = await self._parts.store.by_keys(scope, episodes.near([old]))
        said = [episode.id for episode in episodes.traces([old], spoken)]
        puts = await consolidate.puts(self._parts, scope, [], gone=[old])
        return MemoryChange(puts=puts, deletes=[old.id, *said], tombstones=[mark], unsaid=old.sources), None

    async def restore(self, user: str | Scope, memory_id: str) -> Memory:
        """A superseded, archived or quarantined memory is active again; what replaced or contradicts it gives way to it.

        What only repeats it becomes one with it. One that was folded into another in other words stands beside that one again.

        Raises:
            MemoryNotFound: as in ``get``; deleted is deleted.
            StaleMemory: it is a reflection, and its sources have changed.
        """
        scope = self._owner(user)
        await changed(self._parts, scope, partial(self._restored, scope, memory_id))
        return await require(self._parts, scope, memory_id)

    async def _restored(self, scope: Scope, memory_id: str) -> tuple[MemoryChange, None]:
        old = await self.get(scope, memory_id)
        if old.status is Status.ACTIVE:
            return MemoryChange(), None
        now = self._parts.clock()
        if policies.kind(old.type).derived and not await self._stands(scope, old):
            raise StaleMemory("what it was written from has changed; it will be written anew once enough is known")
        later = await self._later(scope, old)
        repeats, contradicted = await self._beside(scope, old)
        later += _besides(contradicted, *later)
        rivals = [one for one in later if one.status is Status.ACTIVE]
        closed = [revision.gave_way(one, old, now) for one in later]
        back = replace(
            old,
            status=Status.ACTIVE,
            valid_to=None,
            superseded_by=None,
            updated_at=now,
            confidence=max(old.confidence, self._parts.settings.confidence_gate),
            links=tuple(dict.fromkeys((*old.links, *(rival.id for rival in rivals)))),
            reason=revision.RESTORED,
        )
        rows = [*closed, *self._repeated(_besides(repeats, *later), back, now)]
        return MemoryChange(puts=await consolidate.puts(self._parts, scope, rows)), None

    async def _beside(self, scope: Scope, old: Memory) -> tuple[Sequence[Memory], Sequence[Memory]]:
        """Return as ``consolidate.beside``; of one that was folded only what says the same in the same words."""
        repeats, contradicted = await consolidate.beside(self._parts, scope, old)
        if not revision.is_folded(old):
            return repeats, contradicted
        words = plain(old.content)
        return [one for one in repeats if plain(one.content) == words], []

    def _repeated(self, repeats: Sequence[Memory], row: Memory, now: datetime) -> builtins.list[Memory]:
        """Return a row that is to hold, in the place of those that only repeat it."""
        holds, *folded = revision.repeated(repeats, row, now)
        return [*folded, replace(holds, expires_at=merge.expiry(holds, retention=self._parts.settings.retention))]

    async def history(self, user: str | Scope, memory_id: str) -> builtins.list[Memory]:
        """Return every version of what this memory says, oldest first: same key, or linked by ``superseded_by``.

        ``reason`` says why each is no longer in force, or how it came to be.

        Raises:
            MemoryNotFound: as in ``get``.
        """
        scope = self._owner(user)
        start = await self.get(scope, memory_id)
        versions: Sequence[Memory]
        if start.key and policies.is_single_valued(start.key):
            versions = await self._parts.store.by_keys(scope, [start.key])
        else:
            versions = await self._chain(scope, start)
        return sorted(versions, key=_age)

    async def _chain(self, scope: Scope, start: Memory) -> builtins.list[Memory]:
        """Return what a memory replaced and what replaced it, through and through: a version links to those before it."""
        chain, frontier = {start.id: start}, [start]
        while frontier:
            wanted = {link for here in frontier for link in (*here.links, here.superseded_by) if link} - chain.keys()
            near = await self._parts.store.load_memories(scope, sorted(wanted)) if wanted else []
            after = {here.superseded_by for here in frontier}
            frontier = [memory for memory in near if memory.superseded_by in chain or memory.id in after]
            chain.update({memory.id: memory for memory in frontier})
        return list(chain.values())

    async def _versions(self, scope: Scope, memory: Memory) -> Sequence[Memory]:
        """Return every row of its key, if that has one value at a time; otherwise none."""
        keyed = memory.key and policies.is_single_valued(memory.key)
        return await self._parts.store.by_keys(scope, [memory.key]) if keyed and memory.key else []

    async def _later(self, scope: Scope, memory: Memory) -> builtins.list[Memory]:
        """Return what took the place of a memory, through and through; what still holds by its key comes, too."""
        if memory.key and policies.is_single_valued(memory.key):
            found = await self._versions(scope, memory)
            return [other for other in found if other.id != memory.id and revision.overlaps(other, memory)]
        later: dict[str, Memory] = {}
        by = memory.superseded_by if not revision.is_folded(memory) else None
        while by and by != memory.id and by not in later:
            (*met,) = await self._parts.store.load_memories(scope, [by])
            later |= {one.id: one for one in met}
            by = met[0].superseded_by if met else None
        return [other for other in later.values() if revision.overlaps(other, memory)]

    async def _stands(self, scope: Scope, derived: Memory) -> bool:
        """Return whether all that a memory was written from is still in force."""
        facts = await self._parts.store.load_memories(scope, derived.links)
        return len(facts) == len(derived.links) and all(one.status is Status.ACTIVE for one in facts)

    async def _said(self, scope: Scope, memory: Memory) -> Sequence[str]:
        keys = [] if policies.kind(memory.type).derived else episodes.keys([memory])
        return [episode.id for episode in await self._parts.store.by_keys(scope, keys)] if keys else []


def _besides(memories: Sequence[Memory], *others: Memory) -> list[Memory]:
    ids = {one.id for one in others}
    return [memory for memory in memories if memory.id not in ids]


def _age(memory: Memory) -> tuple[datetime, datetime, bool, str]:
    """Order of versions; of two within one instant the one that was replaced is the older."""
    return memory.valid_from, memory.created_at, memory.superseded_by is None, memory.id


def _status(status: Status | str) -> Status:
    try:
        return Status(status)
    except ValueError as error:
        raise InvalidInput(f"unknown status; use one of {', '.join(Status)}") from error
