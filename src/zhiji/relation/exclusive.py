"""What has one value at a time: states, closed sets and attributes, of which another value replaces the old one. Pure.

The first rules of ``relation``, which tries them in the order of ``RULES``.
"""

from __future__ import annotations

from collections.abc import Sequence

from zhiji.relation import lexicon
from zhiji.relation.claims import (
    ARTICLE,
    ATTRIBUTE_TOPICS,
    CHOICES,
    CLOSED,
    LABELS,
    MOVES,
    STRONG,
    TASTE,
    Rule,
    Verdict,
    at_odds,
    denies,
    predicates,
    slot,
    slot_values,
    subject,
    things,
    values,
)
from zhiji.relation.reading import Reading, Word

_ITEMS = LABELS | {"invoice", "flight", "appointment", "meeting", "project", "coupon"}
"""Things that have a status."""


def status(a: Reading, b: Reading) -> Verdict:
    """Another state of the same order, ticket or flight, or another remedy wished for."""
    then, now = _states(a), _states(b)
    if not then or not now or then == now or a.names("topic") - LABELS != b.names("topic") - LABELS:
        return None
    if _clash(values(a), values(b)) or not _is_sequel(a, b):
        return None
    wanted = b.names(*STRONG) or "want" in b.names("predicate")
    wished = "want" in a.names("predicate") and wanted and a.names("remedy") and b.names("remedy")
    item = a.names("id") or a.names("topic") & b.names("topic") & _ITEMS
    followed = False
    if b.names("status") & frozenset[str]().union(*(_FOLLOWS.get(state, ()) for state in a.names("status"))):
        about, again = (frozenset(w for w in things(side) if w.kind != "status") for side in (a, b))
        followed = bool(again) and again <= about
    resolved = {_RESOLVED[state] for state in b.names("status") & _RESOLVED.keys()} & a.names("remedy")
    followed = followed or bool(resolved and things(b) <= things(a) | {Word("status", name) for name in _RESOLVED})
    return "supersede" if wished or item or followed or (a.names("remedy") & b.names("remedy")) else None


_FOLLOWS: dict[str, frozenset[str]] = {
    "broken": frozenset(("repaired", "exchanged")),
    "repaired": frozenset(("broken",)),
    "lost": frozenset(("found",)),
    "found": frozenset(("lost",)),
    "open": frozenset(("closed", "approved", "rejected", "paid", "refunded")),
    "closed": frozenset(("reopened",)),
    "unpaid": frozenset(("paid",)),
    "outofstock": frozenset(("instock",)),
    "instock": frozenset(("outofstock",)),
    "delayed": frozenset(("ontime",)),
    "ontime": frozenset(("delayed",)),
    "active": frozenset(("expired",)),
    "expired": frozenset(("active",)),
    "waiting": frozenset(("shipped",)),
}
"""What a state turns into, of a thing without a number too."""
_RESOLVED = {"refunded": "refund", "returned": "return", "exchanged": "exchange", "repaired": "repair"}
"""The state that a remedy ends in by itself."""
_OUTCOMES = frozenset(("refunded", "returned", "exchanged", "repaired", "cancelled", "closed", "approved", "rejected"))
"""States that a remedy ends in."""


def _is_sequel(a: Reading, b: Reading) -> bool:
    """Return whether a state can follow another: a remedy has outcomes, and a wish for one changes no state."""
    if a.names("status") and not b.names("status"):
        return "want" not in b.names("predicate")
    return bool(a.names("status") or not b.names("status") or b.names("status") & _OUTCOMES)


def _states(reading: Reading) -> frozenset[tuple[str, bool]]:
    """Return the states that a sentence tells, each with whether it is denied; none if it tells an amount or a promise."""
    if (
        (reading.names("id") or "flight" in reading.names("topic"))
        and "cancel" in reading.names("end")
        and not reading.names("remedy")
    ):
        return frozenset((("cancelled", False),))
    kind = "status" if reading.names("status") else "remedy"
    if reading.names("predicate") & {"accept", "promise", "pay"} or (kind == "remedy" and reading.names("number")):
        return frozenset()
    return frozenset((name, clause.denied) for clause in reading.clauses for name in clause.names(kind))


def _clash(then: frozenset[Word], now: frozenset[Word]) -> bool:
    """Return whether both name something, and neither all that the other does."""
    return bool(then and now) and not then <= now and not now <= then


_GROUND = {"length": "reply", "tone": "reply", "tongue": "reply", "channel": "contact"}
"""What a sentence must speak of for a value of this kind to be exclusive."""
_STATING = frozenset(("eat", "study", "work", "employ", "go", "own", "home", "passive", "return-home"))
"""Predicates beside which a closed value is stated of somebody; any other may only wish, like or refuse it."""


def closed(a: Reading, b: Reading) -> Verdict:
    """Another value of a closed set: single and married, vegetarian and omnivore."""
    if a.names("stage") == {"seeking"} and _is_hired(b):
        return "supersede"
    kind = next((kind for kind in CLOSED if a.names(kind) and b.names(kind) and _is_stated(kind, a, b)), None)
    if kind is None:
        return None
    hired = kind == "stage" and "hired" in a.names(kind) ^ b.names(kind)
    if hired and not {"seeking", "retired"} & (a.names(kind) | b.names(kind)):
        return None
    others_then, others_now = (frozenset(w for w in values(side) if w.kind != kind) for side in (a, b))
    idle = _MENTIONED.get(kind, frozenset())
    if _clash(others_then, others_now) or (kind in CHOICES and a.names("topic") - idle != b.names("topic") - idle):
        return None
    graduated = kind == "stage" and "graduated" in b.names(kind) - a.names(kind)
    if graduated or _clash(_worded(a, kind), _worded(b, kind)) or at_odds(a, b):
        return "supersede"
    if a.names(kind) != b.names(kind):
        return None
    told, known = things(b), things(a)
    if a.names("number", "id") - {ARTICLE} != b.names("number", "id") - {ARTICLE}:
        return None
    return "same" if (told == known or (told < known and kind not in CHOICES)) and not b.names("end") else None


_MENTIONED = {
    "seat": frozenset(("seat2", "flight", "appointment")),
    "mode": frozenset(("interface",)),
    "invoicekind": frozenset(("invoice",)),
}
"""Things that a value of a kind speaks of anyway."""


def _worded(reading: Reading, kind: str) -> frozenset[Word]:
    return frozenset(word for word in reading.words if word.kind == kind)


def _is_hired(reading: Reading) -> bool:
    at_work = reading.names("predicate", "change") & {"employ", "hop"}
    return bool(at_work) and not subject(reading, *at_work)


def _is_stated(kind: str, a: Reading, b: Reading) -> bool:
    """Return whether both sentences state a value of this kind, of the same subject, and not a wish or a taste for it."""
    wished = b.names(*STRONG) or ("now" in b.names("now") and not any(clause.denied for clause in a.clauses))
    if kind == "channel" and wished and a.names("predicate") <= TASTE | {"contact", "accept"}:
        return True
    if kind in _GROUND:
        return _GROUND[kind] in a.names("topic", "predicate") & b.names("topic", "predicate")
    if kind in CHOICES:
        return not any(clause.denied for clause in (*a.clauses, *b.clauses))
    stated = not (a.names("predicate") | b.names("predicate")) - _STATING
    whose, whose_now = subject(a, *a.names(kind)), subject(b, *b.names(kind))
    if kind == "marital" and a.names("user") and b.names("user"):
        whose, whose_now = whose - things(b), whose_now - things(a)
    return stated and whose == whose_now


_CUED = frozenset(("employ",))
"""Attributes of which some people have two: another value alone replaces nothing."""


def attribute(a: Reading, b: Reading) -> Verdict:
    """Another value of an attribute that has one value at a time."""
    name = slot(a)
    if name is None or name != slot(b) or a.names("topic") != b.names("topic"):
        return None
    whose = subject(a, name, *MOVES)
    if name in ATTRIBUTE_TOPICS and predicates(b) - predicates(a) - {"own", "use", "want", "go"}:
        return None
    if whose != subject(b, name, *MOVES) or predicates(a) - predicates(b) - {name, "own", "use", "eat", "go", "want"}:
        return None
    then, now = slot_values(name, a) - whose, slot_values(name, b) - whose
    if not then or not now:
        return None
    if denies(a, then) or denies(b, now):
        return "supersede" if now <= then and denies(a, then) != denies(b, now) else None
    if now <= then:
        return "same" if things(b) <= things(a) else None
    return "supersede" if _excludes(name, a, b, whose) and _are_comparable(name, then, now, b) else None


def _excludes(name: str, a: Reading, b: Reading, whose: frozenset[Word]) -> bool:
    """Return whether a person, or one of several, has one value of this attribute."""
    if b.names(*STRONG):
        return True
    others = a.names("person") - lexicon.UNIQUE_PERSONS - (set() if name == "called" else lexicon.CHANGING_PERSONS)
    if others or (name == "called" and whose):
        return False
    return name not in _CUED or "now" in b.names("now")


def _are_comparable(name: str, then: frozenset[Word], now: frozenset[Word], b: Reading) -> bool:
    """Return whether values are of one sort: houses, names, numbers; and unknown words in one script, if nothing changed.

    In two scripts one may translate the other.
    """
    sorts_apart = (("dwelling",), ("number", "id"), *((("place",),) if name == "employ" else ()))
    for kinds in sorts_apart:
        if {word.kind in kinds for word in then}.isdisjoint(word.kind in kinds for word in now):
            return False
    if {word.name.endswith("floor") for word in then}.isdisjoint(word.name.endswith("floor") for word in now):
        return False
    unknown = ["".join(word.name for word in side if word.kind == "word") for side in (then, now)]
    return bool(b.names(*STRONG)) or not all(unknown) or unknown[0].isascii() == unknown[1].isascii()


RULES: Sequence[Rule] = (status, closed, attribute)
"""In the order of trial; the first that speaks decides."""
