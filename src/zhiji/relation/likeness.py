"""Sentences compared loosely: forms of one English word, single characters of unknown Chinese, kinds of things. Pure.

For what neither the words nor the frames of two sentences show to be one fact; ``sequels`` compares its clauses so too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from zhiji.relation import lexicon
from zhiji.relation.claims import ARTICLE, CLOSED, amounts, at_odds, is_turned
from zhiji.relation.claims import predicates as meant
from zhiji.relation.lexicon import signs
from zhiji.relation.reading import Reading, Word, known_character, read, simplify, topic_of
from zhiji.text import stem


class Told(NamedTuple):
    """What a clause or a sentence tells, loosely."""

    matter: frozenset[str]
    """Concepts, stems and characters of what it is about."""
    first: str
    people: frozenset[str]
    places: frozenset[str]
    topics: frozenset[str]
    days: frozenset[str]
    acts: frozenset[str]
    changes: frozenset[str]
    predicates: frozenset[str]
    amounts: dict[str, frozenset[str]]
    denied: bool


_KINDS = frozenset(("word", "topic", "place", "remedy", "status", "dwelling", *CLOSED))
_MODAL = frozenset(("want", "plan", "wait", "passive", "own", "from"))
"""Predicates that say nothing of what is done."""


@lru_cache(maxsize=4096)
def told(text: str) -> Told:
    """Return what a text tells, loosely."""
    reading = read(signs.VERBS.sub("", text))
    predicates = reading.names("predicate")
    if "like" not in meant(reading):
        predicates -= {"like"}
    matter = set(predicates - signs.WEAK)
    for word in reading.words:
        if word.kind in _KINDS and topic_of(word) != "frequency":
            matter.update(_loose(word))
    numbers = {unit: said for unit, said in amounts(reading).items() if said != {ARTICLE.partition(":")[2]}}
    return Told(
        frozenset(matter) - signs.IDLE,
        next((word.name for word in reading.words if word.kind in _KINDS), ""),
        frozenset(f"person:{name}" for name in reading.names("person")),
        reading.names("place"),
        reading.names("topic"),
        reading.names("when") | numbers.get("weekday", frozenset()) | numbers.get("clock", frozenset()),
        predicates - signs.WEAK - {"like"},
        reading.names("change", "correct", "end"),
        predicates - _MODAL,
        numbers,
        any(clause.denied for clause in reading.clauses),
    )


def _loose(word: Word) -> Iterator[str]:
    """Yield a concept by its name, an unknown English word by its stem, unknown Chinese by its characters."""
    name = signs.KIN.get(word.name, word.name)
    if topic_of(word) != "word" or ":" in name:
        yield name
    elif name.isascii():
        yield stem(name)
    else:
        yield from map(known_character, name)


def weight(words: frozenset[str]) -> int:
    """Return how much words weigh: a character half as much as a word."""
    return sum(1 if len(word) == 1 else 2 for word in words)


# --- the same ---------------------------------------------------------------------------------------------------------

_AHEAD = frozenset(("want", "plan", "wait", "promise", "accept"))
"""Predicates that tell what is to be from what is."""
_CARRYING = frozenset(
    ("own", "use", "take", "serve", "called", "job", "from", "passive", "put", "run-business", "attend2", "speak")
)
"""Predicates that say nothing beside what they carry."""
_ALIKE = {"learn": "study", "visited": "go", "take": "own"}


def is_alike(old: str, new: str, a: Reading, b: Reading) -> bool:
    """Return whether two sentences about the same people tell the same, but for what says nothing."""
    if any(a.names(kind) != b.names(kind) for kind in ("id", "when", "change", "correct", "end")):
        return False
    then, now = told(simplify(old)), told(simplify(new))
    if "from" in a.names("predicate") ^ b.names("predicate"):
        return False
    if a.names("user") and b.names("user") and _is_user_first(a) != _is_user_first(b):
        return False
    if (
        _often(a) != _often(b)
        or then.denied != now.denied
        or then.amounts != now.amounts
        or at_odds(a, b)
        or is_turned(a, b)
    ):
        return False
    if (a.names("now") ^ b.names("now")) & {"now"} or _ahead(a) != _ahead(b) or _done(then) != _done(now):
        return False
    shared = then.matter & now.matter
    idle, _ = _frames(shared)
    left = (then.matter ^ now.matter) - signs.FAINT - idle
    return not left and weight(shared - then.places) >= 2


def _ahead(reading: Reading) -> frozenset[str]:
    return meant(reading) & _AHEAD


def _is_user_first(reading: Reading) -> bool:
    """Return whether the user is named before any thing: who called whom."""
    return next((word.kind for word in reading.words if word.kind in ("user", "word", "topic")), "user") == "user"


def _often(reading: Reading) -> frozenset[str]:
    return frozenset(w.name for w in reading.words if topic_of(w) == "frequency" and w.name != "usually")


def _done(said: Told) -> frozenset[str]:
    return frozenset(_ALIKE.get(name, name) for name in said.predicates) - _CARRYING - _AHEAD


def _frames(shared: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    frames = [lexicon.FRAMES[cue] for cue in shared & lexicon.FRAMES.keys()]
    return frozenset[str]().union(*(idle for idle, _ in frames)), frozenset[str]().union(*(more for _, more in frames))
