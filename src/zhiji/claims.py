"""What a reading claims: its content, its values, whose they are, and which attribute they belong to. Pure.

Between ``reading``, which only turns words into concepts, and ``relation``, which compares two sentences. The tables say
which concepts have one value at a time, and which only carry others.
"""

from __future__ import annotations

from itertools import takewhile

from zhiji.quantities import UNITS
from zhiji.reading import Clause, Reading, Word

CLOSED = ("stage", "marital", "diet", "length", "tone", "tongue", "channel")
"""Kinds of which two different values cannot hold at once."""
STRONG = ("change", "correct")
"""Kinds of words that announce a replacement."""
TASTE = frozenset(("like", "eat", "use", "want", "buy", "subscribe"))
"""Predicates that may be told the end of by one another: who no longer drinks coffee does not like it any more."""
ATTRIBUTE_TOPICS = frozenset(
    ("title", "shipto", "billto", "homeaddress", "workaddress", "returnto", "address", "budget", "salary", "height", "weight")
)  # fmt: skip
"""Things that have one value at a time."""
MOVES = {"move": "home", "hop": "employ", "recareer": "job"}
"""Changes that imply an attribute."""
LABELS = frozenset(("order", "shipment", "ticket"))
"""Things that only announce an identifier."""

_ATTRIBUTES = frozenset(("called", "callme", "home", "origin", "job", "employ", "birthday"))
"""Predicates that have one value at a time."""
_NUMERIC = ATTRIBUTE_TOPICS | {"age", "birthday"}
"""Attributes of which a number can be the value."""
_THINGS = ("topic", "word", "place", "number", "id", "dwelling", "remedy", "status", *CLOSED)
_VALUES = ("word", "place", "number", "id", "dwelling", "channel")
_WEAK = ("own", "use", "eat", "go", "want")
"""Predicates that add nothing beside another one."""
_ONE = Word("number", "count:1")
"""Says no more than an article does."""
_FINAL = frozenset(("cancel", "part", "heal"))
"""Ends that make a sentence another fact; the others only deny it."""


def things(part: Reading | Clause) -> frozenset[Word]:
    """Return everything named; the word in front of an identifier is not worth a mention."""
    idle = LABELS if part.names("id") else frozenset()
    return frozenset(word for word in part.words if word.kind in _THINGS and word.name not in idle and word != _ONE)


def values(part: Reading | Clause) -> frozenset[Word]:
    """Return what may be the value of something."""
    return frozenset(word for word in part.words if word.kind in _VALUES and word != _ONE)


def unnumbered(words: frozenset[Word]) -> frozenset[Word]:
    """Return the words that are neither numbers nor identifiers."""
    return frozenset(word for word in words if word.kind not in ("number", "id"))


def predicates(part: Reading | Clause) -> frozenset[str]:
    """Return the predicates that carry meaning: "likes to drink coffee" is about liking, "has moved" about moving."""
    found = part.names("predicate") - {"job", "serve"}
    if found <= {"own", "from"}:
        found -= {"from"}
    for weak in ("own", "use", "eat", "go"):
        if found - set(_WEAK) or (weak == "own" and len(found) > 1):
            found -= {weak}
    return found - {"want", "own"} if part.names("status", "id") else found


def content(reading: Reading) -> frozenset[Word]:
    """Return what must be equal for two sentences to be the same fact."""
    kept = {w for w in reading.words if w.kind in ("when", "person") or (w.kind == "end" and w.name in _FINAL)}
    moved = {Word("predicate", "home")} if is_home_move(reading) else set()
    return things(reading) | kept | moved | {Word("predicate", name) for name in predicates(reading)}


def at_odds(a: Reading, b: Reading) -> bool:
    """Return whether one affirms what the other denies."""
    shared = content(a) & content(b)
    return any(a.signs(word) != b.signs(word) for word in shared if len(a.signs(word)) == len(b.signs(word)) == 1)


def denies(reading: Reading, words: frozenset[Word]) -> bool:
    """Return whether a clause that holds one of these words is denied."""
    return any(clause.denied and words & set(clause.words) for clause in reading.clauses)


def in_order(reading: Reading) -> tuple[Word, ...]:
    """Return names, places and unknown words in their order: who owes whom, from where to where."""
    return tuple(dict.fromkeys(word for word in reading.words if word.kind in ("word", "place")))


def is_user_first(reading: Reading) -> bool:
    """Return whether the user is named before anybody unknown: who hired whom."""
    return next((word.kind for word in reading.words if word.kind in ("user", "word")), "user") == "user"


def is_home_move(reading: Reading) -> bool:
    """Return whether somebody moved house, not a meeting to another day."""
    return "move" in reading.names("change") and not reading.names("topic") and amounts(reading).keys() <= UNITS


def subject(reading: Reading, *said: str) -> frozenset[Word]:
    """Return the unknown words and things in front of the first word with one of these names: whose name, whose school."""
    before = takewhile(lambda word: word.name not in said, reading.words)
    return frozenset(word for word in before if word.kind in ("word", "topic"))


def slot(reading: Reading) -> str | None:
    """Return the one attribute that a sentence is about, or None."""
    named = (reading.names("predicate") & _ATTRIBUTES) | (reading.names("topic") & ATTRIBUTE_TOPICS)
    named |= {MOVES[name] for name in reading.names("change") & MOVES.keys() if name != "move" or is_home_move(reading)}
    if any(word.name.startswith("age:") for word in reading.words):
        named |= {"age"}
    return next(iter(named)) if len(named) == 1 else None


def slot_values(slot: str, reading: Reading) -> frozenset[Word]:
    """Return the values of an attribute; a number is one only where numbers are expected."""
    return values(reading) if slot in _NUMERIC else unnumbered(values(reading))


def amounts(reading: Reading) -> dict[str, frozenset[str]]:
    """Return the numbers of a sentence by unit."""
    numbers = [word.name.partition(":") for word in reading.words if word.kind == "number"]
    return {unit: frozenset(amount for u, _, amount in numbers if u == unit) for unit, _, _ in numbers}
