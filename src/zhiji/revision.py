"""Memory rows over time: opened, reinforced, closed, and when they expire. Pure; ``merge`` decides which of these happens.

Content never changes in place. A row that gives way keeps its text and gets the end of its validity and the row that
replaced it; every change keeps ``revision``, so that the store can refuse it if somebody else was faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from zhiji import policies
from zhiji.types import Draft, JsonValue, Memory, Source, Status, Trust

MAX_SOURCES = 16
"""Sessions that a memory remembers as its sources: the latest ones."""
MAX_SEQS = 32
"""Messages of one session that a memory remembers: the latest ones."""

_ABOUT_ONESELF = frozenset(("identity", "preference"))
"""Types of which the user is the best source; of the others, the business systems are as good."""
_RANK_ONESELF = {Trust.OPERATOR: 2, Trust.USER: 2, Trust.TOOL: 1, Trust.ASSISTANT: 0, Trust.MODEL: 0}
_RANK_BUSINESS = {Trust.OPERATOR: 2, Trust.USER: 1, Trust.TOOL: 1, Trust.ASSISTANT: 0, Trust.MODEL: 0}


def rank(type: str, trust: Trust) -> int:
    """Return how good a source is for facts of a type; higher is better, 0 vouches for nothing."""
    return (_RANK_ONESELF if type in _ABOUT_ONESELF else _RANK_BUSINESS)[trust]


def best_trust(draft: Draft, voices: Sequence[Memory]) -> Trust:
    """Return the best source among a draft and the memories that say the same."""
    return max((*(memory.trust for memory in voices), draft.trust), key=lambda trust: rank(draft.type, trust))


# --- rows ---------------------------------------------------------------------------------------------------------------


def opened(
    draft: Draft,
    session_id: str | None,
    now: datetime,
    id: str,
    *,
    rivals: Sequence[Memory] = (),
    voices: Sequence[Memory] = (),
    retention: bool,
) -> Memory:
    """Return the new active row of a draft that replaces ``rivals`` and takes over ``voices``, which say the same."""
    keyed = next((memory for memory in rivals if memory.key), None) if draft.key is None else None
    memory = Memory(
        id=id,
        type=keyed.type if keyed else draft.type,
        content=draft.content,
        key=keyed.key if keyed else draft.key,
        value=value_like(keyed, draft.content) if keyed and draft.value is None else draft.value,
        importance=max([draft.importance, *(memory.importance for memory in (*rivals, *voices))]),
        confidence=united(draft.confidence, *(memory.confidence for memory in voices)),
        trust=best_trust(draft, voices),
        sources=_united_sources([s for memory in voices for s in memory.sources], _source(draft, session_id)),
        lang=draft.lang,
        valid_from=draft.occurred_at or now,
        links=tuple(dict.fromkeys(link for memory in rivals for link in (*memory.links, memory.id))),
        created_at=now,
        updated_at=now,
    )
    return replace(memory, expires_at=expiry(memory, retention=retention))


def closed(memory: Memory, at: datetime, *, by: str | None, reason: str) -> Memory:
    """Return a row as history: valid until ``at``, or empty validity if it began later."""
    return replace(
        memory,
        status=Status.SUPERSEDED,
        valid_to=max(memory.valid_from, at),
        superseded_by=by,
        updated_at=max(memory.updated_at, at),
        reason=reason,
    )


def inserted(new: Memory, successor: Memory, candidates: Sequence[Memory]) -> list[Memory]:
    """Return a late row placed in the history in front of its successor, and the row before it cut short."""
    until = max(new.valid_from, successor.valid_from)
    late = replace(
        new, status=Status.SUPERSEDED, valid_to=until, superseded_by=successor.id, reason="older than what is known"
    )
    before = [
        replace(memory, valid_to=max(memory.valid_from, new.valid_from), superseded_by=new.id)
        for memory in candidates
        if memory.superseded_by == successor.id
        and memory.valid_from <= new.valid_from
        and memory.status is Status.SUPERSEDED
    ]
    return [late, *before]


def reinforced(
    draft: Draft, targets: Sequence[Memory], session_id: str | None, now: datetime, *, admit: bool, retention: bool
) -> list[Memory]:
    """Return the first target with one more voice for it; active or waiting repetitions of it are folded into it."""
    kept, *repeated = targets
    merged = replace(
        kept,
        importance=max([draft.importance, *(memory.importance for memory in targets)]),
        confidence=united(draft.confidence, *(memory.confidence for memory in targets)),
        trust=best_trust(draft, targets),
        sources=_united_sources([s for memory in targets for s in memory.sources], _source(draft, session_id)),
        valid_from=min([draft.occurred_at or now, *(memory.valid_from for memory in targets)]),
        updated_at=max(kept.updated_at, now),
        status=Status.ACTIVE if admit else kept.status,
        reason="" if admit else kept.reason,
    )
    merged = replace(merged, expires_at=expiry(merged, retention=retention))
    return [merged, *(closed(memory, now, by=kept.id, reason="repeats another") for memory in repeated)]


def united(*confidences: float) -> float:
    """Return the confidence in what several voices say, each believed on its own: ``1 − ∏(1 − cᵢ)``, in [0, 1].

    Never lower than the surest voice, and independent of their order.
    """
    doubt = 1.0
    for confidence in sorted(confidences):
        doubt *= 1.0 - min(max(confidence, 0.0), 1.0)
    return 1.0 - doubt


def _source(draft: Draft, session_id: str | None) -> list[Source]:
    return [Source(session=session_id, seqs=tuple(sorted(draft.seqs)))] if session_id is not None and draft.seqs else []


def _united_sources(old: Sequence[Source], new: Sequence[Source]) -> tuple[Source, ...]:
    """Return the union of sources, one for each session, the latest last."""
    seqs: dict[str, set[int]] = {}
    for source in (*old, *new):
        seqs[source.session] = seqs.pop(source.session, set()) | set(source.seqs)
    united = [Source(session=session, seqs=tuple(sorted(found)[-MAX_SEQS:])) for session, found in seqs.items()]
    return tuple(united[-MAX_SOURCES:])


def corrected(old: Memory, wanted: Draft, *, now: datetime, new_id: str, reason: str, retention: bool = True) -> Memory:
    """Return the row that replaces ``old`` by an operator's word: same type and key, surest confidence."""
    memory = Memory(
        id=new_id,
        type=old.type,
        content=wanted.content,
        key=old.key,
        value=wanted.value if wanted.value is not None else value_like(old, wanted.content),
        importance=max(old.importance, wanted.importance),
        confidence=1.0,
        trust=Trust.OPERATOR,
        sources=old.sources,
        lang=wanted.lang,
        valid_from=now,
        links=tuple(dict.fromkeys((*old.links, old.id))),
        created_at=now,
        updated_at=now,
        reason=reason or "corrected",
    )
    return replace(memory, expires_at=expiry(memory, retention=retention))


def value_like(old: Memory, content: str) -> JsonValue:
    """Return the value in ``content`` where ``old`` had its own: "用户叫李四" → 李四, so "用户叫王五" → 王五; else None."""
    if not isinstance(old.value, str) or not old.value:
        return None
    before, found, after = old.content.partition(old.value)
    if found and content.startswith(before) and content.endswith(after) and len(content) > len(before + after):
        return content[len(before) : len(content) - len(after)]
    return None


# --- retention --------------------------------------------------------------------------------------------------------

LOW_IMPORTANCE = 2
"""At or below it, a memory of any type is kept for ``policies.LOW_IMPORTANCE_DAYS`` only."""


def expiry(memory: Memory, *, retention: bool = True) -> datetime | None:
    """Return when a memory that is neither said nor recalled again is forgotten, or None if it is kept."""
    days = policies.policy(memory.type).retention_days
    if not retention or days is None:
        return None
    if memory.importance <= LOW_IMPORTANCE:
        days = min(days, policies.LOW_IMPORTANCE_DAYS)
    used = max(memory.updated_at, memory.last_recalled_at or memory.updated_at)
    return used + timedelta(days=days)
