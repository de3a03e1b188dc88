"""Memory rows over time: opened, reinforced, closed, and when they expire. Pure; ``merge`` decides which of these happens.

Content never changes in place. A row that gives way keeps its text and gets the end of its validity and the row that
replaced it; every change keeps ``revision``, so that the store can refuse it if somebody else was faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from zhiji.forgetting import expiry
from zhiji.types import Draft, JsonValue, Memory, Source, Status, Trust

MAX_SOURCES = 16
"""Sessions that a memory remembers as its sources: the latest ones."""
MAX_SEQS = 32
"""Messages of one session that a memory remembers: the latest ones."""

GAVE_WAY = "gave way to one that was restored"
"""Why a row was closed when one that it had replaced was restored."""
RESTORED = "restored"
"""Why a row is active again; nothing but an operator's or a user's word ends it."""
REPEATED = "repeats another"
"""Why a row was folded into another by the rules."""
ADVISED = "the model said: {verdict}"
"""Why something became of a fact, where the rules were unsure and a model was asked."""
ADVISED_SAME = ADVISED.format(verdict="same")

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
        sources=united_sources([s for memory in voices for s in memory.sources], _source(draft, session_id)),
        lang=draft.lang,
        valid_from=draft.occurred_at or now,
        links=_inherited(*rivals, *voices),
        created_at=now,
        updated_at=now,
    )
    return replace(memory, expires_at=expiry(memory, retention=retention))


def _inherited(*replaced: Memory) -> tuple[str, ...]:
    """Return the links of a row in whose place these go: theirs, and themselves, by which the history is found."""
    return tuple(dict.fromkeys(link for memory in replaced for link in (*memory.links, memory.id)))


def closed(memory: Memory, at: datetime, *, by: str | None, reason: str) -> Memory:
    """Return a row as history: valid until ``at``, or empty validity if it began later."""
    over = replace(
        memory,
        status=Status.SUPERSEDED,
        valid_to=max(memory.valid_from, at),
        superseded_by=by,
        updated_at=max(memory.updated_at, at),
        reason=reason,
    )
    return as_history(over)


def overlaps(memory: Memory, back: Memory) -> bool:
    """Return whether a row stands for a time in which ``back`` would hold, too, if that were active again."""
    if memory.status is Status.SUPERSEDED:
        return (
            not is_folded(memory)
            and memory.valid_to is not None
            and memory.valid_to > max(memory.valid_from, back.valid_from)
        )
    return memory.status is Status.ACTIVE


def gave_way(memory: Memory, back: Memory, at: datetime) -> Memory:
    """Return a row that stands no longer for the time since ``back``, which is active again: history, if it is not yet."""
    until = max(memory.valid_from, back.valid_from)
    if memory.status is Status.SUPERSEDED:
        return replace(memory, valid_to=until)
    over = replace(
        memory, status=Status.SUPERSEDED, valid_to=until, superseded_by=back.id, updated_at=at, reason=GAVE_WAY
    )
    return as_history(over)


def repeated(memories: Sequence[Memory], row: Memory, at: datetime) -> list[Memory]:
    """Return a row that is to hold again, with the voices of active ones that add nothing to it, and those as its history."""
    voiced = replace(
        row,
        importance=max(row.importance, *(memory.importance for memory in memories)) if memories else row.importance,
        confidence=united(row.confidence, *(memory.confidence for memory in memories)),
        sources=united_sources([s for memory in memories for s in memory.sources], row.sources),
        links=tuple(dict.fromkeys((*row.links, *_inherited(*memories)))),
    )
    return [voiced, *(replace(gave_way(memory, row, at), reason=REPEATED) for memory in memories)]


def as_history(memory: Memory) -> Memory:
    """Return a superseded row with its deadline as history; one that had none stays without."""
    return memory if memory.expires_at is None else replace(memory, expires_at=expiry(memory))


def inserted(new: Memory, successor: Memory, candidates: Sequence[Memory]) -> list[Memory]:
    """Return a late row placed in the history in front of its successor, the row before it cut short, and who follows it."""
    until = max(new.valid_from, successor.valid_from)
    late = as_history(
        replace(
            new, status=Status.SUPERSEDED, valid_to=until, superseded_by=successor.id, reason="older than what is known"
        )
    )
    before = [
        replace(memory, valid_to=max(memory.valid_from, new.valid_from), superseded_by=new.id)
        for memory in candidates
        if memory.superseded_by == successor.id
        and memory.valid_from <= new.valid_from
        and memory.status is Status.SUPERSEDED
    ]
    late = replace(late, links=tuple(memory.id for memory in before))
    return [late, *before, replace(successor, links=tuple(dict.fromkeys((*successor.links, late.id))))]


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
        sources=united_sources([s for memory in targets for s in memory.sources], _source(draft, session_id)),
        valid_from=min([draft.occurred_at or now, *(memory.valid_from for memory in targets)]),
        updated_at=max(kept.updated_at, now),
        status=Status.ACTIVE if admit else kept.status,
        reason="" if admit else kept.reason,
        links=tuple(dict.fromkeys((*kept.links, *_inherited(*repeated)))),
    )
    merged = replace(merged, expires_at=expiry(merged, retention=retention))
    return [merged, *(closed(memory, now, by=kept.id, reason=REPEATED) for memory in repeated)]


def gathered(rows: Sequence[Memory], now: datetime, *, retention: bool) -> list[Memory]:
    """Return the first of active rows that say the same, with what is known of all of them; the others as its history."""
    kept, *repeated = rows
    used = [memory.last_recalled_at for memory in rows if memory.last_recalled_at]
    merged = replace(
        kept,
        importance=max(memory.importance for memory in rows),
        confidence=max(memory.confidence for memory in rows),
        trust=max((memory.trust for memory in rows), key=lambda trust: rank(kept.type, trust)),
        sources=united_sources([s for memory in repeated for s in memory.sources], kept.sources),
        valid_from=min(memory.valid_from for memory in rows),
        updated_at=max(memory.updated_at for memory in rows),
        recalls=max(memory.recalls for memory in rows),
        last_recalled_at=max(used, default=None),
        links=tuple(dict.fromkeys((*kept.links, *_inherited(*repeated)))),
    )
    merged = replace(merged, expires_at=expiry(merged, retention=retention))
    return [merged, *(closed(memory, now, by=kept.id, reason=REPEATED) for memory in repeated)]


def folded(new: Memory, kept: Memory, *, at: datetime, reason: str) -> list[Memory]:
    """Return ``kept``, which a new row only repeats, and that row as its history, from where it can be restored."""
    known = replace(kept, links=tuple(dict.fromkeys((*kept.links, new.id))))
    return [known, closed(replace(new, valid_from=at), at, by=kept.id, reason=reason)]


def is_folded(memory: Memory) -> bool:
    """Return whether a row was closed for saying the same as another; if that was wrong, both hold."""
    return memory.status is Status.SUPERSEDED and memory.reason in (REPEATED, ADVISED_SAME)


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


def united_sources(old: Sequence[Source], new: Sequence[Source]) -> tuple[Source, ...]:
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
