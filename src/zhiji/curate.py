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

from zhiji import consolidate, episodes, forms, given, masking, merge, policies, text, vectors
from zhiji.errors import EmptyMessage, InvalidInput, InvalidKey, InvalidState, MemoryNotFound, StaleMemory
from zhiji.parts import Parts, new_id
from zhiji.stores.base import MemoryChange, MemoryPut
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
    prefix, colon, rest = text.clean(given.words("key", key)).partition(":")
    full = text.business_key(prefix, rest) if colon and prefix in policies.TYPES else text.business_key(type, key)
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

    async def decide() -> tuple[MemoryChange, tuple[str, Became]]:
        ledger = await consolidate.consolidate(parts, scope, [wanted], session_id=None, times={})
        (action,) = ledger.counts
        return consolidate.ledger_change(ledger), (ledger.results[0].id, _BECAME[action])

    memory_id, became = await changed(parts, scope, decide)
    return Remembered(memory=await require(parts, scope, memory_id), became=became)


async def changed(parts: Parts, scope: Scope, decide: Callable[[], Awaitable[tuple[MemoryChange, T]]]) -> T:
    """What ``decide`` made of the memories is committed, with the job that gives new rows their vectors.

    Returns its second value. Raises: as ``consolidate.decided``.
    """

    async def commit(change: MemoryChange, _: T) -> None:
        await parts.store.change_memories(scope, change, jobs=await vectors.jobs(parts, scope, change))

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
        shown = policies.listed_types() if types is None else given.names("types", types)
        return await self._parts.store.list_memories(
            self._owner(user),
            statuses=frozenset(_status(status) for status in given.names("statuses", statuses)),
            types=frozenset(policies.policy(name).name for name in shown),
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
        closed = replace(
            old, status=Status.SUPERSEDED, valid_to=now, superseded_by=new.id, updated_at=now, reason=new.reason
        )
        change = MemoryChange(
            puts=[MemoryPut(memory=closed), consolidate.put_new(new)], deletes=await self._said(scope, old)
        )
        return change, new.id

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
        spoken = await self._parts.store.by_keys(scope, episodes.near([old]))
        said = [episode.id for episode in episodes.traces([old], spoken)]
        return MemoryChange(deletes=[old.id, *said], tombstones=[mark], unsaid=old.sources), None

    async def restore(self, user: str | Scope, memory_id: str) -> Memory:
        """A superseded, archived or quarantined memory is active again; an active one of its key gives way to it.

        Raises:
            MemoryNotFound: as in ``get``; deleted is deleted.
        """
        scope = self._owner(user)
        await changed(self._parts, scope, partial(self._restored, scope, memory_id))
        return await require(self._parts, scope, memory_id)

    async def _restored(self, scope: Scope, memory_id: str) -> tuple[MemoryChange, None]:
        old = await self.get(scope, memory_id)
        if old.status is Status.ACTIVE:
            return MemoryChange(), None
        now = self._parts.clock()
        rivals = await self._rivals(scope, old)
        closed = [
            replace(rival, status=Status.SUPERSEDED, valid_to=now, superseded_by=old.id, updated_at=now)
            for rival in rivals
        ]
        back = replace(
            old,
            status=Status.ACTIVE,
            valid_to=None,
            superseded_by=None,
            updated_at=now,
            confidence=max(old.confidence, self._parts.settings.confidence_gate),
            expires_at=merge.expiry(replace(old, updated_at=now), retention=self._parts.settings.retention),
            reason="restored",
        )
        return MemoryChange(puts=[MemoryPut(memory=row) for row in [*closed, back]]), None

    async def history(self, user: str | Scope, memory_id: str) -> builtins.list[Memory]:
        """Return every version of what this memory says, oldest first: same key, or linked by ``superseded_by``.

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
        everything = await self._parts.store.list_memories(scope, statuses=ALL, limit=100_000)
        chain, frontier = {start.id: start}, [start]
        while frontier:
            here = frontier.pop()
            near = [m for m in everything if m.superseded_by == here.id or here.superseded_by == m.id]
            frontier += [memory for memory in near if memory.id not in chain]
            chain.update({memory.id: memory for memory in near})
        return list(chain.values())

    async def _rivals(self, scope: Scope, memory: Memory) -> Sequence[Memory]:
        if memory.key and policies.is_single_valued(memory.key):
            same = await self._parts.store.by_keys(scope, [memory.key])
        else:
            same = await self._parts.store.load_memories(scope, [memory.superseded_by] if memory.superseded_by else [])
        return [other for other in same if other.status is Status.ACTIVE and other.id != memory.id]

    async def _said(self, scope: Scope, memory: Memory) -> Sequence[str]:
        keys = episodes.keys([memory])
        return [episode.id for episode in await self._parts.store.by_keys(scope, keys)] if keys else []


def _age(memory: Memory) -> tuple[datetime, datetime, bool, str]:
    """Order of versions; of two within one instant the one that was replaced is the older."""
    return memory.valid_from, memory.created_at, memory.superseded_by is None, memory.id


def _status(status: Status | str) -> Status:
    try:
        return Status(status)
    except ValueError as error:
        raise InvalidInput(f"unknown status; use one of {', '.join(Status)}") from error
