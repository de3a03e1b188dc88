"""Drafted memory against what is known: add, reinforce, supersede, quarantine, skip, retract or forget — and why.

``decide`` says what becomes of a draft, ``apply`` turns the decision into rows; both are pure, so a decision can be
taken anew when somebody else wrote in the meantime. A fact with a key is settled by its key; one without by how it reads
(``relation``). Nothing is ever overwritten: a change closes the old row and opens a new one. The same draft from the same
messages changes nothing the second time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, Protocol, assert_never

from zhiji import policies
from zhiji.reading import plain
from zhiji.relation import Relation, entails, mentions, relation
from zhiji.revision import closed, inserted, opened, rank, reinforced
from zhiji.revision import corrected as corrected
from zhiji.revision import expiry as expiry
from zhiji.types import Draft, JsonValue, Memory, Status, Trust

Action = Literal["add", "reinforce", "supersede", "quarantine", "skip", "retract", "forget"]

LOW_CONFIDENCE = "low confidence"
"""Waits until it is said again in another session."""
LOWER_TRUST = "contradicts what a better source said"
"""Waits until a better source says it, or an operator decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What becomes of a draft."""

    action: Action
    targets: tuple[str, ...] = ()
    """Ids of the memories it concerns. ``reinforce``: the first is kept, others repeat it. ``add``: what it is older than."""
    reason: str = ""
    admit: bool = False
    """``reinforce`` only: a quarantined target becomes active."""


class DeletionRecord(Protocol):
    """What a deletion leaves behind (``stores.base.Tombstone``)."""

    @property
    def key(self) -> str | None: ...
    @property
    def content_digest(self) -> str: ...
    @property
    def deleted_at(self) -> datetime: ...


# --- decide -----------------------------------------------------------------------------------------------------------


def decide(
    draft: Draft,
    candidates: Sequence[Memory],
    *,
    gate: float,
    session_id: str | None,
    said_at: datetime | None = None,
) -> Decision:
    """Return what becomes of a draft.

    ``candidates`` are the memories of its key in any status, and those without a key, or for a draft without one, that
    read alike. ``gate`` is the confidence in [0, 1] below which a fact waits. ``session_id`` is None for an operator or
    a program. ``said_at`` is the time of the newest message it cites; without it nothing is taken for late.
    """
    known = [memory for memory in candidates if _may_meet(memory, draft)]
    if draft.op == "forget":
        return _forget(draft, known, gate)
    if draft.op == "retract":
        return _retract(draft, known, gate)
    return _settle(_Case(draft, known, gate, session_id, said_at))


def _may_meet(memory: Memory, draft: Draft) -> bool:
    """Return whether a draft may concern a memory at all: other keys and other levels never meet."""
    if draft.key is not None and memory.key is not None:
        family = draft.op == "forget" and draft.key.endswith(".") and memory.key.startswith(draft.key)
        return memory.key == draft.key or family
    kinds = {policies.policy(memory.type).level, policies.policy(draft.type).level}
    return draft.op == "forget" or memory.type == draft.type or (kinds == {"semantic"} and memory.type != "reflection")


@dataclass(frozen=True, slots=True)
class _Case:
    """A draft that asserts something, and what it is compared with."""

    draft: Draft
    known: Sequence[Memory]
    gate: float
    session_id: str | None
    said_at: datetime | None

    def like(self, verdict: Relation, *statuses: Status) -> list[Memory]:
        """Return the known memories in these statuses to which the draft relates so."""
        return [m for m in self.known if m.status in statuses and self.verdict(m) == verdict]

    def verdict(self, memory: Memory) -> Relation:
        if self.draft.key is not None and memory.key is not None and policies.is_single_valued(memory.key):
            return "same" if _same_value(memory, self.draft) else "supersede"
        if self.is_older_than(memory):
            return relation(self.draft.content, memory.content)
        return relation(memory.content, self.draft.content)

    def is_before(self, time: datetime | None) -> bool:
        return self.said_at is not None and time is not None and self.said_at < time

    def is_older_than(self, memory: Memory) -> bool:
        """Return whether the draft was said before the memory was last said."""
        return self.is_before(memory.updated_at)


def _settle(case: _Case) -> Decision:
    draft = case.draft
    everywhere = case.like("same", *Status)
    if any(_came_from(memory, draft, case.session_id) for memory in everywhere):
        return Decision(action="skip", reason="already known from these messages")
    held = [m for m in everywhere if m.status in (Status.ACTIVE, Status.ARCHIVED)]
    held.sort(key=lambda memory: memory.status is Status.ARCHIVED)
    waiting = [memory for memory in everywhere if memory.status is Status.QUARANTINED]
    if draft.suspicious:
        return _doubt(held, waiting, draft.suspicious)
    if draft.confidence < case.gate and not any(_confirms(memory, case.session_id) for memory in waiting):
        return _doubt(held if case.session_id is not None else (), (*waiting, *held), LOW_CONFIDENCE)
    if held and (draft.key is None or any(memory.key for memory in held)):
        return _again(draft, held)
    return _replace(case, case.like("supersede", Status.ACTIVE), held, waiting)


def _doubt(held: Sequence[Memory], waiting: Sequence[Memory], reason: str) -> Decision:
    """Return what becomes of a fact that may not enter: it waits, unless it is known or waiting already."""
    if held:
        return Decision(action="skip", reason=f"{reason}, and already known")
    if waiting:
        return Decision(action="reinforce", targets=(waiting[0].id,), reason=waiting[0].reason or "said again")
    return Decision(action="quarantine", reason=reason)


def _again(draft: Draft, held: Sequence[Memory]) -> Decision:
    """Return what becomes of a fact that is known: an echo of a better source is no evidence."""
    if rank(draft.type, draft.trust) == 0 and any(rank(memory.type, memory.trust) for memory in held):
        return Decision(action="skip", reason="known from a better source")
    return Decision(action="reinforce", targets=_ids(held), reason="said again", admit=True)


def _replace(case: _Case, rivals: Sequence[Memory], held: Sequence[Memory], waiting: Sequence[Memory]) -> Decision:
    """Return what becomes of a fact that is new, differs from ``rivals``, or is ``held`` without the key it now has."""
    newer = [memory for memory in rivals if case.is_older_than(memory)]
    if newer:
        return _late(case, newer)
    admissible = [memory for memory in waiting if _admits(memory, case.draft)]
    if len(admissible) < len(waiting):
        return _doubt((), waiting, "waits for an operator")
    if not all(may_replace(case.draft, memory) for memory in rivals):
        return _doubt((), waiting, LOWER_TRUST)
    if rivals or held:
        reason = "changed" if rivals else "now has a key"
        return Decision(action="supersede", targets=_ids((*rivals, *held, *waiting)), reason=reason)
    if waiting:
        return Decision(action="reinforce", targets=_ids(waiting), reason="confirmed", admit=True)
    return Decision(action="add", reason="new")


def _late(case: _Case, newer: Sequence[Memory]) -> Decision:
    """Return what becomes of a fact that reached us after the one that replaced it: it goes into the history."""
    if any(case.is_before(memory.valid_to) for memory in case.like("same", Status.SUPERSEDED)):
        return Decision(action="skip", reason="already in the history")
    replaced = [m for m in case.like("supersede", Status.SUPERSEDED) if m.key and case.is_before(m.valid_from)]
    successor = min((*newer, *replaced), key=lambda memory: (memory.valid_from, memory.id))
    return Decision(action="add", targets=(successor.id,), reason="older than what is known")


def _retract(draft: Draft, known: Sequence[Memory], gate: float) -> Decision:
    """Return the active memories that no longer hold."""
    if draft.suspicious or draft.confidence < gate:
        return Decision(action="skip", reason=draft.suspicious or LOW_CONFIDENCE)
    meant = [memory for memory in known if memory.status is Status.ACTIVE and _is_meant(memory, draft)]
    targets = [memory for memory in meant if may_replace(draft, memory)]
    if targets:
        return Decision(action="retract", targets=_ids(targets), reason="no longer holds")
    return Decision(action="skip", reason=LOWER_TRUST if meant else "nothing to retract")


def _is_meant(memory: Memory, draft: Draft) -> bool:
    """Return whether a memory says what the draft takes back; a key without a value takes back any value."""
    if draft.key is not None and memory.key == draft.key and draft.value in (None, ""):
        return True
    return _same_value(memory, draft) or entails(draft.content, memory.content)


def _forget(draft: Draft, known: Sequence[Memory], gate: float) -> Decision:
    """Return the memories, history included, that the user asks to remove."""
    if draft.suspicious or draft.confidence < gate or draft.trust not in (Trust.USER, Trust.OPERATOR):
        return Decision(action="skip", reason=draft.suspicious or "only the user may ask to forget")
    keyed = [memory for memory in known if draft.key is not None and memory.key is not None]
    targets = keyed or [memory for memory in known if mentions(memory.content, draft.content)]
    if targets:
        return Decision(action="forget", targets=_ids(targets), reason="asked to forget")
    return Decision(action="skip", reason="nothing to forget")


# --- comparing --------------------------------------------------------------------------------------------------------


def _same_value(memory: Memory, draft: Draft) -> bool:
    """Return whether a draft of the same key tells the value that is known, or only part of it."""
    verdict = relation(memory.content, draft.content)
    if verdict != "distinct":
        return verdict == "same"
    if policies.attribute(draft.key) and memory.value is not None and draft.value is not None:
        return _canonical(memory.value) == _canonical(draft.value)
    return entails(memory.content, draft.content)


def _canonical(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return plain(value) or value
    if isinstance(value, dict):
        return {name: _canonical(item) for name, item in value.items()}
    return [_canonical(item) for item in value] if isinstance(value, list) else value


def _came_from(memory: Memory, draft: Draft, session_id: str | None) -> bool:
    return bool(draft.seqs) and any(
        source.session == session_id and set(draft.seqs) <= set(source.seqs) for source in memory.sources
    )


def _confirms(memory: Memory, session_id: str | None) -> bool:
    """Return whether a draft from this session is the second voice that a doubtful memory waits for."""
    return memory.reason == LOW_CONFIDENCE and all(source.session != session_id for source in memory.sources)


def _admits(memory: Memory, draft: Draft) -> bool:
    """Return whether a draft may bring a waiting memory in; suspicious ones are an operator's business."""
    return memory.reason in (LOW_CONFIDENCE, LOWER_TRUST) or draft.trust is Trust.OPERATOR


def may_replace(draft: Draft, memory: Memory) -> bool:
    """Return whether the draft's source is at least as good as the memory's, for facts of this type."""
    return rank(memory.type, draft.trust) >= rank(memory.type, memory.trust)


def _ids(memories: Iterable[Memory]) -> tuple[str, ...]:
    return tuple(memory.id for memory in memories)


def blocked(
    tombstones: Iterable[DeletionRecord], newest_source_time: datetime, *, key_digest: str | None, content_digest: str
) -> bool:
    """Return whether a deletion forbids a draft: same key or content, and said no later than it was deleted."""
    return any(
        newest_source_time <= stone.deleted_at
        and (stone.content_digest == content_digest or (key_digest is not None and stone.key == key_digest))
        for stone in tombstones
    )


# --- apply ------------------------------------------------------------------------------------------------------------


def apply(
    decision: Decision,
    draft: Draft,
    *,
    candidates: Sequence[Memory],
    session_id: str | None,
    now: datetime,
    make_id: Callable[[], str],
    retention: bool = True,
) -> list[Memory]:
    """Return the rows to write: first the one that now holds the draft, then the ones it closes.

    ``now`` is when it was said. Changed rows keep their revision for compare-and-set. ``skip`` changes nothing, and
    ``forget`` is carried out by the caller, who deletes the targets and leaves tombstones.
    """
    by_id = {memory.id: memory for memory in candidates}
    targets = [by_id[id] for id in decision.targets]
    match decision.action:
        case "skip" | "forget":
            return []
        case "retract":
            return [closed(memory, now, by=None, reason=decision.reason) for memory in targets]
        case "reinforce":
            return reinforced(draft, targets, session_id, now, admit=decision.admit, retention=retention)
        case "quarantine":
            new = opened(draft, session_id, now, make_id(), retention=retention)
            return [replace(new, status=Status.QUARANTINED, reason=decision.reason)]
        case "supersede":
            voices = [memory for memory in targets if _same_value(memory, draft)]
            rivals = [memory for memory in targets if memory not in voices]
            new = opened(draft, session_id, now, make_id(), rivals=rivals, voices=voices, retention=retention)
            return [new, *(closed(memory, new.valid_from, by=new.id, reason="replaced") for memory in targets)]
        case "add":
            new = opened(draft, session_id, now, make_id(), retention=retention)
            return [new] if not targets else inserted(new, targets[0], candidates)
    assert_never(decision.action)
