"""What a state turns into: the end, the fulfilment or the relief of what was told, in whatever words. Pure.

The last rule of ``relation``. Each clause of the newer sentence is tried: a sign in it says that something is over, done
or better, and what it tells beside the sign must be what the older sentence tells. Which signs follow which state is in
``lexicon.signs``; the words are compared loosely: forms of one English word, single characters of unknown Chinese.
"""

from __future__ import annotations

import re

from zhiji.relation.lexicon import signs
from zhiji.relation.likeness import Told, told, weight
from zhiji.relation.reading import Reading, Word, plainer, simplify, topic_of


def is_sequel(old: str, new: str, a: Reading, b: Reading) -> bool:
    """Return whether a clause of the newer sentence says that what the older one tells is over, done or better."""
    if a.names("id") != b.names("id") or _differ(a.names("when"), b.names("when")):
        return False
    if any(sum(word.kind == "user" for word in clause.words) > 1 for clause in (*a.clauses, *b.clauses)):
        return False
    before, after = simplify(old), simplify(new)
    denied = any(clause.denied for clause in a.clauses)
    parts = [part.strip() for text in _wordings(after) for part in re.split(signs.STOP, text)]
    state = f"{before}\n{plainer(before)}"
    for way in signs.WAYS:
        if way.denied in (None, denied) and way.start.search(state) and (way.ahead or not a.names("end")):
            signed = (part for part in parts if way.sign.search(part) and not signs.BARRED.search(part))
            if any(_is_told_again(before, part, way) for part in signed):
                return True
    return False


def _wordings(text: str) -> list[str]:
    """Return a text and its plainer wording, which only counts where nothing says that it has not come so far."""
    return [text] if signs.BARRED.search(text) else list(dict.fromkeys((text, plainer(text))))


def is_fulfilled(old: str, new: str) -> bool:
    """Return whether what is told in both is only wished or planned in the older sentence, and done in the newer."""
    before, after = simplify(old), simplify(new)
    return bool(signs.WISHED.search(before) and signs.CERTAIN.search(after) and not signs.BARRED.search(after))


def _is_told_again(before: str, part: str, way: signs.Way) -> bool:
    """Return whether a clause without its sign tells what was known, and nothing else."""
    about, again = told(before), told(way.beside.sub(" ", part))
    if again.denied or again.changes - about.changes or not _are_amounts_known(about.amounts, again.amounts):
        return False
    shared = about.matter & (again.matter | again.people)
    if way.ahead:
        shared |= about.changes & again.changes
    if again.matter - shared - signs.LIGHT or weight(shared) < 2 or not _is_enough(shared, about, way):
        return False
    if (about.predicates | about.matter) & way.bound - again.predicates - again.matter:
        return False
    is_vague = way.denied or shared <= about.places
    if is_vague and about.predicates and again.predicates and about.predicates.isdisjoint(again.predicates):
        return False
    if way.is_end and (again.days - about.days or about.topics - shared):
        return False
    if not way.is_relief and about.topics and not again.topics and about.topics.isdisjoint(shared):
        return False
    if not way.is_end and shared <= about.places:
        return False
    if way.ahead and (about.acts - again.acts or about.changes & _CHANGES - again.changes):
        return False
    owned = _owned(before)
    if (
        any(topic_of(Word("word", word)) != "health" for word in owned)
        and owned.isdisjoint(shared)
        and _USER.search(part)
    ):
        return False
    return not (way.is_end and shared <= owned < about.matter)


def _is_enough(shared: frozenset[str], about: Told, way: signs.Way) -> bool:
    """Return whether half of what was known is told again; of a trouble, the thing that it befell."""
    return 2 * weight(shared) >= weight(about.matter) or (way.is_relief and about.first in shared)


def _are_amounts_known(then: dict[str, frozenset[str]], now: dict[str, frozenset[str]]) -> bool:
    """Return whether the newer amounts are the older ones, or only say when it came about."""
    if any(then.get(unit, said) != said for unit, said in now.items()):
        return False
    added = now.keys() - then.keys()
    return added <= signs.WHEN and not (added and then.keys() & signs.WHEN)


def _differ(then: frozenset[str], now: frozenset[str]) -> bool:
    return bool(then and now) and then != now


_CHANGES = frozenset(("change", "become"))
_USER = re.compile(r"用户|\buser\b")
_OWNED = re.compile(r"用户家?的([\u4e00-\u9fff]{1,4}?)(?=[在是有已还没不要叫被明下上]|$)|\buser's (\w+)")


def _owned(text: str) -> frozenset[str]:
    """Return what of the user's a sentence is about: 用户的狗."""
    match = _OWNED.search(text)
    return told(match[1] or match[2]).matter if match else frozenset()
