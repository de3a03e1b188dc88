"""The gist of two sentences: whether what they tell is equal but for what goes without saying. Pure.

The last rule for ``same``. Frame words ("profession", "at six every day") say nothing beside the values of their frame;
a clause may explain what the other already says ("so cannot take it"). A value that only one tells keeps two facts.
"""

from __future__ import annotations

from zhiji.relation import lexicon
from zhiji.relation.claims import aligned, at_odds, content, is_turned, is_user_first, predicates, things
from zhiji.relation.reading import Clause, Reading, Word, topic_of

_ANNOUNCED = ("change", "correct", "end")
_HARM = frozenset(("allergy", "intolerant"))
_SUFFERED = frozenset(("eat", "use", "take", "own", "go"))
"""What somebody cannot do with what they do not tolerate."""
_POINTING = frozenset(("碰", "接触", "药", "药物", "it", "food", "drug", "medicine", "medication"))
"""Words that name again what has been named."""
_SENT = Word("predicate", "send")
_CARRYING = frozenset(("predicate", "person", "when"))
"""Kinds that need a value beside them to be a fact."""


def is_same(a: Reading, b: Reading) -> bool:
    """Return whether two sentences about the same people tell the same, each in the words of the same frame."""
    if a.names(*_ANNOUNCED) or b.names(*_ANNOUNCED) or a.names("id") != b.names("id"):
        return False
    if {word for word in a.words if word.kind != "user"}.isdisjoint(b.words):
        return False
    a, b = aligned(_unexplained(a), _unexplained(b))
    then, now = _folded(a), _folded(b)
    shared = then & now
    if all(word.kind in _CARRYING and word != _SENT for word in shared) or is_turned(a, b) or _is_denied(a, b, shared):
        return False
    if a.names("user") and b.names("user") and is_user_first(a) != is_user_first(b):
        return False
    idle, implied = _frames(shared)
    left = [frozenset(word for word in told - shared if word.name not in idle) for told in (then, now)]
    return not all(left) and all(word.name in implied for word in left[0] | left[1])


def _folded(reading: Reading) -> frozenset[Word]:
    """Return the content with "will have it delivered" and "wants a delivery" as one."""
    told = content(reading)
    if Word("topic", "shipment") in told and not reading.names("id"):
        told = told - {Word("topic", "shipment")} | {_SENT}
    return told


def _frames(shared: frozenset[Word]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words that say nothing in the frames of what is shared, and those that one may leave out."""
    cues = {word.name for word in shared} | {topic_of(word) for word in shared}
    cues |= {word.name.partition(":")[0] for word in shared if word.kind == "number"}
    frames = [lexicon.FRAMES[cue] for cue in cues & lexicon.FRAMES.keys()]
    return frozenset[str]().union(*(idle for idle, _ in frames)), frozenset[str]().union(*(more for _, more in frames))


def _is_denied(a: Reading, b: Reading, shared: frozenset[Word]) -> bool:
    return at_odds(a, b) or any(a.signs(word) != b.signs(word) for word in shared & set(a.words) & set(b.words))


def _unexplained(reading: Reading) -> Reading:
    """Return a reading without the clauses that only draw the conclusion: "so cannot take that medicine"."""
    if len(reading.clauses) < 2 or not predicates(reading) & _HARM:
        return reading
    return Reading(tuple(clause for clause in reading.clauses if not _is_conclusion(clause)))


def _is_conclusion(clause: Clause) -> bool:
    told = frozenset(word.name for word in things(clause))
    return clause.denied and bool(predicates(clause) or told) and predicates(clause) <= _SUFFERED and told <= _POINTING
