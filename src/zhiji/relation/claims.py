"""What a reading claims: its content, its values, whose they are, and which attribute they belong to. Pure.

Between ``reading``, which only turns words into concepts, and ``relation``, which compares two sentences. The tables say
which concepts have one value at a time, and which only carry others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, takewhile
from typing import Literal

from zhiji.quantities import UNITS
from zhiji.relation import lexicon
from zhiji.relation.reading import Clause, Reading, Word, topic_of

Verdict = Literal["same", "supersede", "distinct"] | None
"""What one rule says; None leaves it to the next."""
Rule = Callable[[Reading, Reading], Verdict]

CHOICES = ("unit", "mode", "payday", "seat", "invoicekind")
"""Kinds of which one is chosen for a thing: wishes replace one another too."""
CLOSED = (
    "stage",
    "marital",
    "pregnancy",
    "diet",
    "hours",
    "length",
    "tone",
    "tongue",
    "channel",
    "shift",
    "workplace",
    "household",
    "ward",
    "attendance",
    "opening",
    *CHOICES,
)
"""Kinds of which two different values cannot hold at once."""
STRONG = ("change", "correct")
"""Kinds of words that announce a replacement."""
TASTE = frozenset(("like", "eat", "use", "want", "buy", "subscribe"))
"""Predicates that may be told the end of by one another: who no longer drinks coffee does not like it any more."""
ATTRIBUTE_TOPICS = frozenset(
    ("title", "shipto", "billto", "homeaddress", "workaddress", "returnto", "address", "budget", "salary", "height", "weight",
     "paymentmethod", "consignee", "emergency", "tier", "level", "username", "timezone", "currency", "bloodtype")
)  # fmt: skip
"""Things that have one value at a time."""
MOVES = {"move": "home", "hop": "employ", "recareer": "job"}
"""Changes that imply an attribute."""
LABELS = frozenset(("order", "shipment", "ticket"))
"""Things that only announce an identifier."""

_ATTRIBUTES = frozenset(("called", "callme", "surname", "home", "origin", "job", "employ", "birthday"))
"""Predicates that have one value at a time."""
_NUMERIC = ATTRIBUTE_TOPICS | {"age", "birthday"}
"""Attributes of which a number can be the value."""
_THINGS = ("topic", "word", "place", "number", "id", "dwelling", "remedy", "status", *CLOSED)
_VALUES = ("word", "place", "number", "id", "dwelling", "channel")
_WEAKEST = ("own", "use", "eat", "go", "wear", "take", "attend2", "run-business")
"""Predicates that add nothing beside another one."""
_WEAK = frozenset((*_WEAKEST, "want"))
ARTICLE = "count:1"
_ONE = Word("number", ARTICLE)
"""Says no more than an article does."""
_FINAL = frozenset(("cancel", "part", "heal", "repay"))
"""Ends that make a sentence another fact; the others only deny it."""


def things(part: Reading | Clause) -> frozenset[Word]:
    """Return everything named; the word in front of an identifier is not worth a mention."""
    idle = LABELS if part.names("id") else frozenset()
    sorts = {topic_of(word) for word in part.words}
    idle |= {name for name, sort in _GENERIC.items() if sort in sorts}
    return frozenset(word for word in part.words if word.kind in _THINGS and word.name not in idle and word != _ONE)


_GENERIC = {"seat2": "seat", "mobile": "device", "exam": "subject", "car": "vehicle", "color": "color"}
"""Words that say no more than what sort of thing another one is: "the colour green", "a car from Toyota"."""


def values(part: Reading | Clause) -> frozenset[Word]:
    """Return what may be the value of something."""
    return frozenset(word for word in part.words if word.kind in _VALUES and word != _ONE)


def unnumbered(words: frozenset[Word]) -> frozenset[Word]:
    """Return the words that are neither numbers nor identifiers."""
    return frozenset(word for word in words if word.kind not in ("number", "id"))


_ABSORBED: dict[str, frozenset[str]] = {
    "deadline": frozenset(("submit", "pay", "own", "want")),
    "budget": frozenset(("buy", "pay", "use", "own")),
    "flight": frozenset(("go", "depart", "take", "own")),
    "rent2": frozenset(("submit", "pay", "want", "own")),
    "paymentmethod": frozenset(("use", "pay", "own", "like")),
    "tail": frozenset(("own", "use")),
    "meeting": frozenset(("own", "attend2", "take", "plan")),
    "appointment": frozenset(("own", "attend2", "book", "plan", "go")),
    "exam": frozenset(("own", "take")),
    "member": frozenset(("own", "use")),
    "alarm": frozenset(("own", "use", "want")),
    "reply": frozenset(("use", "own")),
}
"""What a thing says already: a deadline is when something is submitted, a budget what one can pay."""
_WORKING = frozenset(("work", "employ"))
"""Goes without saying of who has a profession."""
_CONSENT = frozenset(("want", "subscribe", "send", "own", "remind", "contact", "like", "accept"))
"""What one does with marketing: all of it is to accept it, or not."""
_SERVED = frozenset(("contact", "send"))
"""What is done for the user: to like it is to want it."""
_STYLE = ("length", "tone", "tongue", *CHOICES)
"""Kinds of which liking one is asking for it."""


def predicates(part: Reading | Clause) -> frozenset[str]:
    """Return the predicates that carry meaning: "likes to drink coffee" is about liking, "has moved" about moving."""
    found = part.names("predicate") - {"job", "serve"}
    if found & _WORKING and any(topic_of(word) == "job" for word in part.words):
        found -= _WORKING
    topics = part.names("topic")
    for topic in topics & _ABSORBED.keys():
        found -= _ABSORBED[topic]
    if topics & {"marketing", "newsletter"} and found & _CONSENT:
        found = found - _CONSENT | {"accept"}
    if "like" in found and (part.names(*_STYLE) or "reply" in topics):
        found = found - {"like"} | {"want"}
    if "like" in found and (found & _SERVED or topics & {"shipment"}):
        found = found - {"like"} | {"want"}
    if "accept" in found:
        found -= {"want"}
    if any(name.startswith("size:") for name in part.names("number")):
        found -= {"wear"}
    if "passive" in found and (len(found) > 1 or part.names("channel")):
        found -= {"passive"}
    if part.names("channel") and found & {"want", "accept"}:
        found -= {"contact"}
    if found <= {"own", "from"}:
        found -= {"from"}
    for weak in _WEAKEST:
        if found - _WEAK or (weak == "own" and len(found) > 1):
            found -= {weak}
    return found - {"want", "own"} if part.names("status", "id") else found


_DONE_WITH = {
    Word("topic", "homeaddress"): Word("predicate", "home"),
    Word("topic", "appointment"): Word("predicate", "book"),
    Word("topic", "paymentmethod"): Word("predicate", "pay"),
}
"""Things that say what a predicate does."""
_ALIKE = {"employ": "work", "use": "own", "study": "learn"}
"""Predicates that differ only in what they take."""


def content(reading: Reading) -> frozenset[Word]:
    """Return what must be equal for two sentences to be the same fact."""
    kept = {w for w in reading.words if w.kind in ("when", "person") or (w.kind == "end" and w.name in _FINAL)}
    moved = {Word("predicate", "home")} if is_home_move(reading) else set()
    told = things(reading)
    for topic, predicate in _DONE_WITH.items():
        if topic in told and (told - {topic} or predicate.name == "home"):
            told = told - {topic} | {predicate}
    return told | kept | moved | {Word("predicate", _ALIKE.get(name, name)) for name in predicates(reading)}


def at_odds(a: Reading, b: Reading) -> bool:
    """Return whether one affirms what the other denies."""
    shared = content(a) & content(b)
    return any(a.signs(word) != b.signs(word) for word in shared if len(a.signs(word)) == len(b.signs(word)) == 1)


def denies(reading: Reading, words: frozenset[Word]) -> bool:
    """Return whether a clause that holds one of these words is denied."""
    return any(clause.denied and words & set(clause.words) for clause in reading.clauses)


def in_order(reading: Reading) -> frozenset[tuple[Word, Word]]:
    """Return the pairs of one sort that follow each other in a clause: who owes whom, from where to where, what over what."""
    ordered = [dict.fromkeys(w for w in part.words if w.kind in ("word", "place")) for part in reading.clauses]
    pairs = (pair for words in ordered for pair in combinations(words, 2))
    return frozenset(pair for pair in pairs if topic_of(pair[0]) == topic_of(pair[1]) != "frequency")


def is_turned(a: Reading, b: Reading) -> bool:
    """Return whether two things of one sort have changed places."""
    return bool(in_order(a) & {(after, before) for before, after in in_order(b)})


def is_user_first(reading: Reading) -> bool:
    """Return whether the user is named before anybody unknown: who hired whom."""
    return next((word.kind for word in reading.words if word.kind in ("user", "word")), "user") == "user"


def is_home_move(reading: Reading) -> bool:
    """Return whether somebody moved house, not a meeting to another day."""
    if "move" not in reading.names("change") or reading.names("topic"):
        return False
    if not reading.names("place") and not amounts(reading).keys() <= UNITS:
        return False
    moved = (clause for clause in reading.clauses if "move" in clause.names("change"))
    return all(topic_of(word) in _MOVABLE for clause in moved for word in clause.words if word.kind == "word")


_MOVABLE = frozenset(("word", "spot", "frequency"))
"""Topics of words beside which moving is moving house, not furniture."""


def subject(reading: Reading, *said: str) -> frozenset[Word]:
    """Return the unknown words and things in front of the first word with one of these names: whose name, whose school."""
    before = takewhile(lambda word: word.name not in said, reading.words)
    return frozenset(word for word in before if word.kind in ("word", "topic", "place", *CLOSED))


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


def amounts(reading: Reading | Clause) -> dict[str, frozenset[str]]:
    """Return the numbers of a sentence by unit."""
    numbers = [word.name.partition(":") for word in reading.words if word.kind == "number"]
    return {unit: frozenset(amount for u, _, amount in numbers if u == unit) for unit, _, _ in numbers}


# --- two readings -----------------------------------------------------------------------------------------------------

_CARRIED = ("user", "person", "id", "change", "correct", "now")
"""Kinds of words that one clause says for all."""


def parts(reading: Reading) -> list[Reading]:
    """Return each clause as a sentence of its own, with whom it is about and what the others announce."""
    if len(reading.clauses) < 2:
        return [reading]
    return [
        Reading((Clause((*_carried(reading, clause), *clause.words), clause.denied),)) for clause in reading.clauses
    ]


def _carried(reading: Reading, clause: Clause) -> Iterator[Word]:
    """Yield what the other clauses say for this one too; not their identifiers, if it has its own."""
    kinds = {*_CARRIED, "topic"} if clause.names("topic") == {"tail"} else {*_CARRIED}
    if clause.names("id"):
        kinds -= {"id"}
    return (word for word in reading.words if word.kind in kinds and word not in clause.words)


def aligned(a: Reading, b: Reading) -> tuple[Reading, Reading]:
    """Return two readings in the same words where their languages differ in what they tell apart.

    An elder sister is a sister if the other sentence says no more; 林 is Lin if the other writes it so.
    """
    return _told_like(a, b), _told_like(b, a)


_BARE = ("cny", "usd", "eur", "gbp", "size")
"""Units that go without saying."""


def _told_like(reading: Reading, other: Reading) -> Reading:
    told = other.names("person", "number", "word")
    names = reading.names("person", "number", "word") - told
    plainer = {name: min(as_told) for name in names if (as_told := _as_told(name) & told)}
    if reading.names("id") & other.names("id"):
        verbs = other.names("word") - reading.names("word")
        plainer |= {
            n: v for n in reading.names("word") for v in verbs if n != v and n.startswith(v) and not v.isascii()
        }
    if not plainer:
        return reading
    return Reading(tuple(_renamed(clause, plainer) for clause in reading.clauses))


def _as_told(name: str) -> frozenset[str]:
    """Return how another sentence may name the same: less exactly, in Latin letters, or with the unit left out here."""
    general, exact, _ = name.partition(".")
    if exact and not general.rpartition(":")[2].isdigit():
        return frozenset((general,))
    unit, _, amount = name.partition(":")
    if unit == "count":
        return frozenset(f"{typed}:{amount}" for typed in _BARE)
    return lexicon.LATIN_NAMES.get(name, frozenset())


def _renamed(clause: Clause, names: Mapping[str, str]) -> Clause:
    renamed = (
        w._replace(name=names.get(w.name, w.name)) if w.kind in ("person", "word", "number") else w
        for w in clause.words
    )
    return Clause(tuple(renamed), clause.denied)


def is_occupation(reading: Reading) -> bool:
    """Return whether a sentence says what somebody works as, or where."""
    at_work = reading.names("predicate") & {"work", "employ", "job", "serve"} or reading.names("stage") & {
        "working",
        "hired",
    }
    return bool(at_work) or any(topic_of(word) == "job" for word in reading.words)


_SORTS = frozenset(("device", "vehicle", "payment", "level", "job", "subject", "drink", "color", "delivery"))
"""Topics of things that take one another's place, when a change is announced."""


def sorts(words: frozenset[Word]) -> frozenset[str]:
    """Return the topics of which one thing may take the place of another."""
    return frozenset(topic for word in words if (topic := topic_of(word)) in _SORTS)


# --- guards ------------------------------------------------------------------------------------------------------------


def forbids(a: Reading, b: Reading) -> bool:
    then, now = amounts(a), amounts(b)
    return (
        a.names("person") != b.names("person")
        or _differ(a.names("id"), b.names("id"))
        or bool(then and now and not then.keys() & now.keys())
        or any(_differ(then[unit], now[unit]) for unit in then.keys() & now.keys())
        or _differ(a.names("when"), b.names("when"))
        or (slot(a) == slot(b) and slot(a) in _NAMING and _differ(_names(a), _names(b)))
        or any(clause.denied for clause in a.clauses) != any(clause.denied for clause in b.clauses)
        or at_odds(a, b)
    )


def _differ(then: frozenset[str], now: frozenset[str]) -> bool:
    return bool(then and now) and then != now


def _names(reading: Reading) -> frozenset[str]:
    return frozenset(word.name for word in slot_values("called", reading) if word.kind == "word")


_NAMING = ("called", "callme", "surname")
"""Attributes whose values are names."""
