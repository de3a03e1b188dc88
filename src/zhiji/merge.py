"""Drafted memory against what is known: add, reinforce, supersede, quarantine, skip, retract or forget — and why.

``decide`` says what becomes of a draft, ``apply`` turns the decision into rows; both are pure, so a decision can be
taken anew when somebody else wrote in the meantime. A fact with a key is settled by its key; one without by how it reads
(``relation``). Nothing is ever overwritten: a change closes the old row and opens a new one. The same draft from the same
messages changes nothing the second time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import takewhile
from types import MappingProxyType
from typing import Literal, Protocol, assert_never

from zhiji import policies, text
from zhiji.forgetting import LOW_CONFIDENCE as LOW_CONFIDENCE
from zhiji.forgetting import LOWER_TRUST as LOWER_TRUST
from zhiji.forgetting import expiry as expiry
from zhiji.relation.judge import Relation, entails, mentions, relation, unsure
from zhiji.relation.reading import plain
from zhiji.revision import ADVISED, closed, folded, inserted, opened, rank, reinforced
from zhiji.revision import corrected as corrected
from zhiji.types import Draft, JsonValue, Memory, Status, Trust

Action = Literal["add", "reinforce", "supersede", "quarantine", "skip", "retract", "forget"]

NO_ADVICE: Mapping[str, Relation] = MappingProxyType({})
ASKED_SIMILARITY = 0.5
"""Calibrated similarity from which a model may be asked: most of the words in common, or the same meaning by vector.

Source: the labelled pairs of ``tests/unit/data``.
"""

WAITS_FOR_YES = "waits for the user's yes"
"""Waits until the user lets it be remembered, or asks for it."""
NOTHING_TO_FORGET = "nothing to forget"
"""What is to be forgotten is not known, or not yet: what was said of it before may still be read."""
IMPORTANT = 4
"""Least importance of what the user is asked about (``active_memory``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What becomes of a draft."""

    action: Action
    targets: tuple[str, ...] = ()
    """Ids of the memories it concerns. ``reinforce``: the first is kept, others repeat it. ``add``: what it is older than."""
    reason: str = ""
    admit: bool = False
    """``reinforce`` only: a quarantined target becomes active."""
    advised: bool = False
    """A model's word decided, where the rules were unsure. What it merges keeps its wording, to be restored."""


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
    advice: Mapping[str, Relation] = NO_ADVICE,
    asks: bool = False,
) -> Decision:
    """Return what becomes of a draft.

    ``candidates`` are the memories of its key in any status, and those without a key, or for a draft without one, that
    read alike. ``gate`` is the confidence in [0, 1] below which a fact waits. ``session_id`` is None for an operator or
    a program. ``said_at`` is the time of the newest message it cites; without it nothing is taken for late. ``advice``:
    how the draft relates to the memory of an id, by a model that was asked (``question``); where a rule decides, or a
    guard forbids it, it does not count. ``asks``: the user is to be
    asked before something personal is kept (``needs_yes``).
    """
    known = [memory for memory in candidates if _may_meet(memory, draft)]
    if draft.op == "forget":
        return _forget(draft, known, gate)
    if draft.op == "retract":
        return _retract(draft, known, gate)
    case = _Case(draft, known, gate, session_id, said_at, asks and needs_yes(draft), advice)
    return _accounted(_settle(case), case)


def question(
    draft: Draft, candidates: Sequence[Memory], similarity: Mapping[str, float], *, said_at: datetime | None = None
) -> tuple[Memory, str, str] | None:
    """Return the one memory about which a model may be asked, and both sentences, the older first; None: the rules are sure.

    They are if they find one that says the same or gives way. ``similarity`` in [0, 1] by id; below ``ASKED_SIMILARITY``
    nothing is asked.
    """
    if draft.key is not None or draft.op != "assert" or draft.suspicious:
        return None
    case = _Case(
        draft, [memory for memory in candidates if _may_meet(memory, draft)], 0.0, None, said_at, False, NO_ADVICE
    )
    active = [memory for memory in case.known if memory.status is Status.ACTIVE]
    if any(case.verdict(memory) != "distinct" for memory in case.known):
        return None
    alike = [
        memory
        for memory in active
        if similarity.get(memory.id, 0.0) >= ASKED_SIMILARITY and unsure(*case.in_time(memory))
    ]
    if not alike:
        return None
    nearest = max(alike, key=lambda memory: (similarity[memory.id], memory.updated_at, memory.id))
    return (nearest, *case.in_time(nearest))


def _accounted(decision: Decision, case: _Case) -> Decision:
    """Return the decision with the model's word as its reason, where that decided."""
    if decision.action not in ("add", "reinforce", "supersede"):
        return decision
    told = {case.advised(memory) for memory in case.known if not decision.targets or memory.id in decision.targets}
    decided = next((verdict for verdict in ("same", "supersede", "distinct") if verdict in told), None)
    if decided is None:
        return decision
    return replace(decision, reason=ADVISED.format(verdict=decided), advised=decided != "distinct")


def needs_yes(draft: Draft) -> bool:
    """Return whether a draft tells something personal and important that the user has not asked to keep."""
    personal = policies.kind(draft.type).personal and draft.importance >= IMPORTANT
    return personal and not draft.asked and draft.trust in (Trust.USER, Trust.MODEL)


def beside(draft: Draft, active: Iterable[Memory]) -> tuple[list[Memory], list[Memory]]:
    """Return which memories add nothing to one that is to hold by an operator's word, and which it contradicts."""
    met = [memory for memory in active if memory.status is Status.ACTIVE and _may_meet(memory, draft)]
    repeats = [memory for memory in met if relation(draft.content, memory.content) == "same"]
    others = [memory for memory in met if memory not in repeats]
    return repeats, [memory for memory in others if relation(memory.content, draft.content) == "supersede"]


def _may_meet(memory: Memory, draft: Draft) -> bool:
    """Return whether a draft may concern a memory at all: other keys and other levels never meet."""
    if draft.key is not None and memory.key is not None:
        family = draft.op == "forget" and draft.key.endswith(".") and memory.key.startswith(draft.key)
        return memory.key == draft.key or family
    kinds = {policies.kind(memory.type).level, policies.kind(draft.type).level}
    return draft.op == "forget" or memory.type == draft.type or (kinds == {"semantic"} and memory.type != "reflection")


@dataclass(frozen=True, slots=True)
class _Case:
    """A draft that asserts something, and what it is compared with."""

    draft: Draft
    known: Sequence[Memory]
    gate: float
    session_id: str | None
    said_at: datetime | None
    asks: bool
    advice: Mapping[str, Relation]
    _verdicts: dict[str, Relation] = field(default_factory=dict)

    def like(self, verdict: Relation, *statuses: Status) -> list[Memory]:
        """Return the known memories in these statuses to which the draft relates so."""
        return [m for m in self.known if m.status in statuses and self.verdict(m) == verdict]

    def verdict(self, memory: Memory) -> Relation:
        if memory.id not in self._verdicts:
            self._verdicts[memory.id] = self._judged(memory)
        return self._verdicts[memory.id]

    def _judged(self, memory: Memory) -> Relation:
        if self.draft.key is not None and memory.key is not None and policies.is_single_valued(memory.key):
            return "same" if _same_value(memory, self.draft) else "supersede"
        return self.advised(memory) or relation(*self.in_time(memory))

    def advised(self, memory: Memory) -> Relation | None:
        """Return what a model said of this memory, where the rules leave it open and no guard forbids it."""
        told = self.advice.get(memory.id)
        return told if told is not None and unsure(*self.in_time(memory)) else None

    def in_time(self, memory: Memory) -> tuple[str, str]:
        """Return what the memory and the draft say, the older first."""
        pair = (memory.content, self.draft.content)
        return pair[::-1] if self.is_older_than(memory) else pair

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
    rivals = case.like("supersede", Status.ACTIVE)
    faded = bool(rivals) and all(memory.status is Status.ARCHIVED for memory in held)  # and something else holds by now
    if held and not faded and (draft.key is None or any(memory.key for memory in held)):
        return _again(draft, held)
    if case.asks:
        return _doubt((), [memory for memory in waiting if memory.reason == WAITS_FOR_YES], WAITS_FOR_YES)
    return _replace(case, rivals, held, waiting)


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
    former = [*rivals, *case.like("supersede", Status.ARCHIVED)]
    if former or held:
        reason = "changed" if former else "now has a key"
        return Decision(action="supersede", targets=_ids((*former, *held, *waiting)), reason=reason)
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
    if draft.key is None and draft.value is None and policies.words(draft.type):
        return memory.type == draft.type and entails(memory.content, draft.content)  # whatever the word stood for
    return _same_value(memory, draft) or entails(draft.content, memory.content)


def _forget(draft: Draft, known: Sequence[Memory], gate: float) -> Decision:
    """Return the memories, history included, that the user asks to remove: of its key, and without one that speak of it."""
    if draft.suspicious or draft.confidence < gate or draft.trust not in (Trust.USER, Trust.OPERATOR):
        return Decision(action="skip", reason=draft.suspicious or "only the user may ask to forget")
    keyed = {memory.id for memory in known if draft.key is not None and memory.key is not None}
    targets = [memory for memory in known if memory.id in keyed or mentions(memory.content, draft.content)]
    if targets:
        return Decision(action="forget", targets=_ids(targets), reason="asked to forget")
    return Decision(action="skip", reason=NOTHING_TO_FORGET)


# --- comparing --------------------------------------------------------------------------------------------------------


def _same_value(memory: Memory, draft: Draft) -> bool:
    """Return whether a draft of the same key tells the value that is known, or only part of it."""
    verdict = relation(memory.content, draft.content)
    if verdict != "distinct":
        return verdict == "same"
    if policies.attribute(draft.key) and memory.value is not None and draft.value is not None:
        return _canonical(memory.value) == _canonical(draft.value)
    return entails(memory.content, draft.content) and not _is_filled_anew(memory.content, draft.content)


_TOKEN = re.compile(r"[a-z0-9]+(?:[.:]\d+)?|[^\W_]")
_RANGE = re.compile(r"(?<![\d-])(\d+(?:\.\d+)?)\s*[^\W\d_]{0,8}\s*[-–—~至到]\s*(\d+(?:\.\d+)?)(?![\d-])")
_FRAME = 2 / 3
"""Part of a sentence that must be word for word the same for the rest to be the value that it states."""


def _is_filled_anew(old: str, new: str) -> bool:
    """Return whether a sentence is another one with a single value changed, though all that it names was named before.

    "for the hotel: guesthouse" and "for the hotel: hotel"; "2 nights" and "1 night"; "1 - 2 hours" and "2 hours".
    """
    before, after = text.normalise(old), text.normalise(new)
    was, now = _TOKEN.findall(before), _TOKEN.findall(after)
    head = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(was, now, strict=False)))
    tails = zip(was[: head - 1 if head else None : -1], now[: head - 1 if head else None : -1], strict=False)
    tail = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], tails))
    former, value = was[head : len(was) - tail], now[head : len(now) - tail]
    if former and value and head + tail >= _FRAME * len(now):
        return "".join(value) not in "".join(former)
    numbers = set(_TOKEN.findall(after))
    return any((low in numbers) != (high in numbers) for low, high in _RANGE.findall(before))


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
    agreed = memory.reason == WAITS_FOR_YES and not needs_yes(draft)
    return agreed or memory.reason in (LOW_CONFIDENCE, LOWER_TRUST) or draft.trust is Trust.OPERATOR


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
            rows = reinforced(draft, targets, session_id, now, admit=decision.admit, retention=retention)
            if not decision.advised:
                return rows
            new = opened(draft, session_id, now, make_id(), retention=retention)
            return [*folded(new, rows[0], at=now, reason=decision.reason), *rows[1:]]
        case "quarantine":
            new = opened(draft, session_id, now, make_id(), retention=retention)
            waiting = replace(new, status=Status.QUARANTINED, reason=decision.reason)
            return [replace(waiting, expires_at=expiry(waiting, retention=retention))]
        case "supersede":
            voices = [memory for memory in targets if _same_value(memory, draft)]
            rivals = [memory for memory in targets if memory not in voices]
            new = opened(draft, session_id, now, make_id(), rivals=rivals, voices=voices, retention=retention)
            why = decision.reason if decision.advised else "replaced"
            return [new, *(closed(memory, new.valid_from, by=new.id, reason=why) for memory in targets)]
        case "add":
            new = opened(draft, session_id, now, make_id(), retention=retention)
            return [new] if not targets else inserted(new, targets[0], candidates)
    assert_never(decision.action)
