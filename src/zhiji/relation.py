"""How two memory sentences relate: the same fact, a newer version of it, or two facts. Pure.

Two sentences may only meet if they are about the same people and identifiers. Then equal content is the same fact, and
a replacement needs a reason: a denial, another value of something that has one value at a time, or words that announce
a change or an end. Everything else is two facts: one too many is repaired by a later merge, one too few is lost.
How a sentence is read is in ``reading``, what it claims in ``claims``, which words mean the same in ``lexicon``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from zhiji import lexicon
from zhiji.claims import (
    CLOSED,
    LABELS,
    MOVES,
    STRONG,
    TASTE,
    amounts,
    at_odds,
    content,
    denies,
    in_order,
    is_user_first,
    predicates,
    slot,
    slot_values,
    subject,
    things,
    unnumbered,
    values,
)
from zhiji.quantities import UNITS
from zhiji.reading import Clause, Reading, Word, plain, read

Relation = Literal["same", "supersede", "distinct"]
Verdict = Literal["same", "supersede", "distinct"] | None
"""What one rule says; None leaves it to the next."""

MAX_CHARS = 400
"""A memory is a sentence; longer texts are compared by their spelling only."""


def relation(old: str, new: str) -> Relation:
    """Return whether ``new`` says the ``same`` as ``old``, would ``supersede`` it, or is ``distinct`` from it."""
    if (spelling := plain(old)) and spelling == plain(new):
        return "same"
    if max(len(old), len(new)) > MAX_CHARS:
        return "distinct"
    a, b = _read(old), _read(new)
    if a.names("person") != b.names("person") or not (content(a) and content(b)):
        return "distinct"
    if a.names("id") != b.names("id") and not _is_renumbered(a, b):
        return "distinct"
    return next((verdict for rule in _RULES if (verdict := rule(a, b))), "distinct")


def entails(old: str, new: str) -> bool:
    """Return whether ``new`` adds nothing to ``old``: it says the same, or part of it, and denies none of it."""
    if relation(old, new) == "same":
        return True
    if max(len(old), len(new)) > MAX_CHARS:
        return False
    a, b = _read(old), _read(new)
    announced = b.names("change", "correct", "end")
    return bool(content(b)) and content(b) <= content(a) and not announced and not at_odds(a, b)


def mentions(memory: str, topic: str) -> bool:
    """Return whether a memory is about everything that ``topic`` names: for "forget my cat"."""
    about = content(_read(topic[:MAX_CHARS]))
    wanted = frozenset(word for word in about if word.kind != "predicate") or about
    return bool(wanted) and wanted <= content(_read(memory[:MAX_CHARS]))


@lru_cache(maxsize=4096)
def _read(text: str) -> Reading:
    return read(text)


# --- the same, or denied ------------------------------------------------------------------------------------------------


def _equal(a: Reading, b: Reading) -> Verdict:
    """Equal content is the same fact, or its denial; but "A owes B" is not "B owes A"."""
    if content(a) != content(b) or not things(a):
        return None
    if predicates(a) != {"own"} and in_order(a) != in_order(b):
        return "distinct"
    if a.names("user") and b.names("user") and is_user_first(a) != is_user_first(b):
        return "distinct"
    return "supersede" if at_odds(a, b) else "same"


# --- one value at a time ------------------------------------------------------------------------------------------------

_ITEMS = LABELS | {"invoice", "flight", "appointment", "meeting", "project", "coupon"}
"""Things that have a status."""


def _status(a: Reading, b: Reading) -> Verdict:
    """Another state of the same order, ticket or flight, or another remedy wished for."""
    then, now = _states(a), _states(b)
    if not then or not now or then == now or a.names("topic") - LABELS != b.names("topic") - LABELS:
        return None
    if _clash(values(a), values(b)):
        return None
    wished = "want" in a.names("predicate") & b.names("predicate") and a.names("remedy") and b.names("remedy")
    item = a.names("id") or a.names("topic") & b.names("topic") & _ITEMS
    return "supersede" if wished or item or (a.names("remedy") & b.names("remedy")) else None


def _states(reading: Reading) -> frozenset[tuple[str, bool]]:
    """Return the states that a sentence tells, each with whether it is denied; none if it tells an amount or a promise."""
    kind = "status" if reading.names("status") else "remedy"
    if reading.names("predicate") & {"accept", "promise", "pay"} or (kind == "remedy" and reading.names("number")):
        return frozenset()
    return frozenset((name, clause.denied) for clause in reading.clauses for name in clause.names(kind))


def _clash(then: frozenset[Word], now: frozenset[Word]) -> bool:
    """Return whether both name something, and neither all that the other does."""
    return bool(then and now) and not then <= now and not now <= then


_GROUND = {"length": "reply", "tone": "reply", "tongue": "reply", "channel": "contact"}
"""What a sentence must speak of for a value of this kind to be exclusive."""
_STATING = frozenset(("eat", "study", "work", "employ", "go", "own", "home", "passive"))
"""Predicates beside which a closed value is stated of somebody; any other may only wish, like or refuse it."""


def _closed(a: Reading, b: Reading) -> Verdict:
    """Another value of a closed set: single and married, vegetarian and omnivore."""
    if a.names("stage") == {"seeking"} and _is_hired(b):
        return "supersede"
    kind = next((kind for kind in CLOSED if a.names(kind) and b.names(kind) and _is_stated(kind, a, b)), None)
    if kind is None:
        return None
    others_then, others_now = (frozenset(w for w in values(side) if w.kind != kind) for side in (a, b))
    if _clash(others_then, others_now):
        return None
    if a.names(kind) != b.names(kind) or at_odds(a, b):
        return "supersede"
    return "same" if others_now <= others_then and not b.names("end") else None


def _is_hired(reading: Reading) -> bool:
    at_work = reading.names("predicate", "change") & {"employ", "hop"}
    return bool(at_work) and not subject(reading, *at_work)


def _is_stated(kind: str, a: Reading, b: Reading) -> bool:
    """Return whether both sentences state a value of this kind, of the same subject, and not a wish or a taste for it."""
    if kind in _GROUND:
        return _GROUND[kind] in a.names("topic", "predicate") & b.names("topic", "predicate")
    stated = not (a.names("predicate") | b.names("predicate")) - _STATING
    return stated and subject(a, *a.names(kind)) == subject(b, *b.names(kind))


_CUED = frozenset(("employ",))
"""Attributes of which some people have two: another value alone replaces nothing."""


def _attribute(a: Reading, b: Reading) -> Verdict:
    """Another value of an attribute that has one value at a time."""
    name = slot(a)
    if name is None or name != slot(b) or a.names("topic") != b.names("topic"):
        return None
    whose = subject(a, name, *MOVES)
    if whose != subject(b, name, *MOVES) or predicates(a) - predicates(b) - {name, "own", "use", "eat", "go", "want"}:
        return None
    then, now = slot_values(name, a) - whose, slot_values(name, b) - whose
    if not then or not now:
        return None
    if denies(a, then) or denies(b, now):
        return "supersede" if now <= then and denies(a, then) != denies(b, now) else None
    if now <= then:
        return "same"
    return "supersede" if _excludes(name, a, b, whose) and _are_comparable(then, now, b) else None


def _excludes(name: str, a: Reading, b: Reading, whose: frozenset[Word]) -> bool:
    """Return whether a person, or one of several, has one value of this attribute."""
    if b.names(*STRONG):
        return True
    others = a.names("person") - lexicon.UNIQUE_PERSONS - (set() if name == "called" else lexicon.CHANGING_PERSONS)
    if others or (name == "called" and whose):
        return False
    return name not in _CUED or "now" in b.names("now")


def _are_comparable(then: frozenset[Word], now: frozenset[Word], b: Reading) -> bool:
    """Return whether values are of one sort: houses, names, numbers; and unknown words in one script, if nothing changed.

    In two scripts one may translate the other.
    """
    for kinds in (("dwelling",), ("number", "id")):
        if {word.kind in kinds for word in then}.isdisjoint(word.kind in kinds for word in now):
            return False
    unknown = ["".join(word.name for word in side if word.kind == "word") for side in (then, now)]
    return bool(b.names(*STRONG)) or not all(unknown) or unknown[0].isascii() == unknown[1].isascii()


# --- announced changes --------------------------------------------------------------------------------------------------

_RENUMBERED = frozenset(("phonenumber", "email", "card", "tail", "flight", "wechatid"))
"""Things whose number may be replaced."""


def _is_renumbered(a: Reading, b: Reading) -> bool:
    """Return whether the identifiers differ because one was replaced."""
    shared = a.names("topic") & b.names("topic") & _RENUMBERED
    return bool(shared and a.names("topic") == b.names("topic") and b.names(*STRONG))


def _quantity(a: Reading, b: Reading) -> Verdict:
    """Another amount, date or time of the same thing, when something says that it changed."""
    then, now = amounts(a), amounts(b)
    changed = {unit for unit in then.keys() & now.keys() if then[unit] != now[unit]}
    grown = "le" in b.names("now") and changed <= UNITS
    if not changed or not (b.names(*STRONG) or a.names("id") or "now" in b.names("now") or grown):
        return None
    about, again = unnumbered(things(a)), unnumbered(things(b))
    more = any(word.kind == "topic" for word in again - about)
    alike = again <= about or (about <= again and not more)
    return "supersede" if alike and (about & again or a.names("id")) else None


_ENDS = {"cancel": frozenset(("plan", "want", "book", "subscribe", "go", "buy", "own", "use")),
         "part": frozenset(("own", "use", "employ", "buy")),
         "heal": frozenset(("allergy",))}  # fmt: skip
"""What can be cancelled, parted with, got over."""


def _ended(a: Reading, b: Reading) -> Verdict:
    """A clause says that what was known has ended."""
    return "supersede" if any(_ends(clause, a) for clause in b.clauses) else None


def _ends(clause: Clause, a: Reading) -> bool:
    over = clause.names("end") or (clause.denied and "now" in clause.names("now"))
    what, known = unnumbered(things(clause)), unnumbered(things(a))
    if not over or not what or not what <= known or not _is_kindred(predicates(a), clause):
        return False
    if "heal" in clause.names("end"):
        ill = [word for word in a.words if word in known]
        return bool(predicates(a)) if what == known else 2 * len(what) >= len(known) and ill[0] in what
    return 2 * len(what) > len(known)


def _is_kindred(known: frozenset[str], clause: Clause) -> bool:
    """Return whether a clause may tell the end of what these predicates say."""
    final = clause.names("end") & _ENDS.keys()
    if final:
        return all(known <= _ENDS[end] for end in final)
    told = clause.names("predicate") - {"go", "want", "plan", "from"}
    return not told or not known or bool(told & known) or (told <= TASTE and known <= TASTE | {"plan"})


def _replaced(a: Reading, b: Reading) -> Verdict:
    """The old value is named, and said to be given up for another."""
    given_up = unnumbered(values(a))
    cued = b.names(*STRONG, "end")
    tied = predicates(a) <= predicates(b) | {"own", "use", "employ"} and b.names("topic") <= a.names("topic")
    return "supersede" if cued and given_up and tied and given_up < values(b) else None


def _changed(a: Reading, b: Reading) -> Verdict:
    """Another value with the same predicate, or of the same thing, announced as a change."""
    then, now = values(a), values(b)
    if not b.names(*STRONG) or a.names("topic") != b.names("topic") or then <= now or now <= then:
        return None
    if any(clause.denied for clause in (*a.clauses, *b.clauses)):
        return None
    shared = (predicates(a) & predicates(b)) - {"want"} or unnumbered(then & now)
    return "supersede" if shared or _is_swapped(a, b, then, now) else None


def _is_swapped(a: Reading, b: Reading, then: frozenset[Word], now: frozenset[Word]) -> bool:
    """Return whether one value of a named thing is said to have become another."""
    directed = "become" in b.names("change") or b.names("correct") or (a.names("id") and b.names("id"))
    return bool(directed and a.names("topic") - LABELS and len(then - now) == len(now - then))


def _completed(a: Reading, b: Reading) -> Verdict:
    """What was planned has been done."""
    if "plan" not in a.names("predicate") or "plan" in b.names("predicate") or at_odds(a, b):
        return None
    done = b.names("predicate") & {"visited", "buy"} or b.names("now") & {"le", "already"}
    about = unnumbered(things(a))
    return "supersede" if done and about and about == unnumbered(things(b)) else None


_RULES = (_equal, _status, _closed, _attribute, _quantity, _ended, _replaced, _changed, _completed)
"""In the order of trial; the first that speaks decides."""
