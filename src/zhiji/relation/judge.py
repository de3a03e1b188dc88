"""How two memory sentences relate: the same fact, a newer version of it, or two facts. Pure.

Two sentences may only meet if they are about the same people and identifiers. Then equal content is the same fact, and
a replacement needs a reason: a denial, another value of something that has one value at a time, or words that announce
a change or an end. Everything else is two facts: one too many is repaired by a later merge, one too few is lost.
How a sentence is read is in ``reading``, what it claims in ``claims``, which words mean the same in ``lexicon``; the
rules for a replacement are in ``exclusive``, ``changes``, ``outcomes`` and ``sequels``; what differs only in its wording is
for ``gist`` and ``likeness``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from zhiji.relation import changes, exclusive, gist, likeness, outcomes, sequels
from zhiji.relation.claims import (
    Rule,
    Verdict,
    aligned,
    at_odds,
    content,
    forbids,
    is_turned,
    is_user_first,
    parts,
    predicates,
    things,
)
from zhiji.relation.reading import Reading, Word, plain, read
from zhiji.relation.slips import respelt

Relation = Literal["same", "supersede", "distinct"]
MAX_CHARS = 400
"""A memory is a sentence; longer texts are compared by their spelling only."""


def relation(old: str, new: str) -> Relation:
    """Return whether ``new`` says the ``same`` as ``old``, would ``supersede`` it, or is ``distinct`` from it."""
    if (spelling := plain(old)) and spelling == plain(new):
        return "same"
    if max(len(old), len(new)) > MAX_CHARS:
        return "distinct"
    old, new = respelt(old, new)
    a, b = aligned(read(old), read(new))
    if outcomes.is_parted(a, b):
        return "supersede"
    if a.names("person") != b.names("person"):
        return "distinct"
    if not (content(a) and content(b)):
        come = outcomes.has_come_about(old, new, a, b) or sequels.is_sequel(old, new, a, b)
        return "supersede" if come else "distinct"
    if _is_of_another(a, b):
        return "distinct"
    verdict = _judged(a, b)
    if verdict == "same" and _is_recounted(a, b):
        return "distinct"
    if verdict == "distinct" and (gist.is_same(a, b) or likeness.is_alike(old, new, a, b)):
        return "same"
    if verdict == "distinct" and outcomes.has_gone_on(a, b):
        return "supersede"
    if verdict == "same" and sequels.is_fulfilled(old, new):
        return "supersede"
    if verdict in ("same", "distinct") and outcomes.has_come_about(old, new, a, b):
        return "supersede"
    if verdict == "distinct" and len(a.clauses) + len(b.clauses) > 2:
        changes = (_judged(then, now) == "supersede" for then in parts(a) for now in parts(b))
        verdict = "supersede" if any(changes) else "distinct"
    if verdict == "distinct" and sequels.is_sequel(old, new, a, b):
        return "supersede"
    return verdict


def _judged(a: Reading, b: Reading) -> Relation:
    rules: Sequence[Rule] = _RULES
    if _is_of_another(a, b):
        return "distinct"
    if a.names("id") != b.names("id") and not changes.is_renumbered(a, b):
        rules = (changes.replaced,)
    return next((verdict for rule in rules if (verdict := rule(a, b))), "distinct")


def _is_of_another(a: Reading, b: Reading) -> bool:
    """Return whether each is of something with an identifier of its own: no rule overrides that."""
    return not a.names("id") <= b.names("id") and not changes.is_renumbered(a, b)


def _is_recounted(a: Reading, b: Reading) -> bool:
    """Return whether each tells a number that the other does not: whatever else is equal, that is not the same."""
    then, now = a.names("number"), b.names("number")
    return bool(then - now and now - then)


def entails(old: str, new: str) -> bool:
    """Return whether ``new`` adds nothing to ``old``: it says the same, or part of it, and denies none of it."""
    if relation(old, new) == "same":
        return True
    if max(len(old), len(new)) > MAX_CHARS:
        return False
    a, b = aligned(read(old), read(new))
    announced = b.names("change", "correct", "end")
    return bool(content(b)) and content(b) <= content(a) and not announced and not at_odds(a, b)


def vetoed(old: str, new: str) -> bool:
    """Return whether a guard forbids that ``new`` ever be merged with ``old``, whoever judges them to be one fact.

    The guards: other people, identifiers, amounts, dates or times, names, or one denies what the other does not.
    """
    if max(len(old), len(new)) > MAX_CHARS:
        return True
    return forbids(*aligned(read(old), read(new)))


def unsure(old: str, new: str) -> bool:
    """Return whether the rules find two facts, but no guard vetoes, and the two share much: a model may be asked."""
    if max(len(old), len(new)) > MAX_CHARS or vetoed(old, new) or relation(old, new) != "distinct":
        return False
    a, b = (_told(reading) for reading in aligned(read(old), read(new)))
    return bool(a & b) and 3 * len(a & b) >= min(len(a), len(b))


def mentions(memory: str, topic: str) -> bool:
    """Return whether a memory is about everything that ``topic`` names: for "forget my cat"."""
    about = content(read(topic[:MAX_CHARS]))
    wanted = frozenset(word for word in about if word.kind != "predicate") or about
    return bool(wanted) and wanted <= content(read(memory[:MAX_CHARS]))


def _told(reading: Reading) -> frozenset[Word]:
    """Return what a sentence tells beyond whom it is about."""
    return frozenset(word for word in content(reading) if word.kind != "person")


# --- the same, or denied ------------------------------------------------------------------------------------------------


def _equal(a: Reading, b: Reading) -> Verdict:
    """Equal content is the same fact, or its denial; but "A owes B" is not "B owes A"."""
    then, now = content(a), content(b)
    if not a.names("when") and b.names("when") and at_odds(a, b):
        now = frozenset(word for word in now if word.kind != "when")
    if not (things(a) or a.names("person", "when") or predicates(a) & _WHOLE) or not _is_alike(then, now):
        return None
    if predicates(a) != {"own"} and is_turned(a, b):
        return "distinct"
    turned = a.names("user") and b.names("user") and is_user_first(a) != is_user_first(b)
    if turned and predicates(a) != {"fear"}:
        return "distinct"
    return "supersede" if at_odds(a, b) else "same"


_IDLE = frozenset(Word("predicate", name) for name in ("own", "use", "wear", "play", "watch", "listen", "take")) | {
    Word("word", "usually")
}
"""What may go without saying: "User's dog: Rex", "likes films"."""
_WHOLE = frozenset(("cook",))
"""Predicates that are a fact without anything beside them."""
_EVERY = Word("word", "every")


def _is_alike(then: frozenset[Word], now: frozenset[Word]) -> bool:
    """Return whether two contents are equal, up to a predicate that one says and the other leaves out."""
    if then == now:
        return True
    if {_EVERY} == then ^ now:
        return any(word.name.startswith("weekday:") for word in then)
    is_one_sided = then <= now or now <= then
    return is_one_sided and then ^ now <= _IDLE and any(word.kind not in ("predicate", "person") for word in then & now)


_RULES = (_equal, *exclusive.RULES, *changes.RULES)
"""In the order of trial; the first that speaks decides."""
