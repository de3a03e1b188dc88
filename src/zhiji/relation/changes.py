"""Announced changes and ends: words that say that something became another, was given up, or was done. Pure.

The last rules of ``relation``, which tries them in the order of ``RULES``.
"""

from __future__ import annotations

from collections.abc import Sequence

from zhiji.quantities import UNITS
from zhiji.relation.claims import (
    LABELS,
    MOVES,
    STRONG,
    TASTE,
    Rule,
    Verdict,
    amounts,
    is_occupation,
    predicates,
    slot,
    sorts,
    subject,
    things,
    unnumbered,
    values,
)
from zhiji.relation.reading import Clause, Reading, Word, are_kin, topic_of

_RENUMBERED = frozenset(
    ("phonenumber", "email", "card", "creditcard", "debitcard", "tail", "flight", "wechatid", "mobile", "laptop", "tablet",
     "computer", "camera", "car", "smartwatch", "headphones", "platenumber", "room", "username", "account")
)  # fmt: skip
"""Things whose number may be replaced."""


def is_renumbered(a: Reading, b: Reading) -> bool:
    """Return whether the identifiers differ because one was replaced."""
    about = unnumbered(things(a))
    ridden = any(topic_of(word) == "vehicle" for word in about)
    if (
        (b.names("correct") or (ridden and b.names("change")))
        and about
        and about == unnumbered(things(b))
        and not a.names("topic") & LABELS
    ):
        return len(a.names("id")) == len(b.names("id"))
    shared = a.names("topic") & b.names("topic") & _RENUMBERED
    return bool(shared and b.names("topic") <= a.names("topic") and b.names(*STRONG))


def quantity(a: Reading, b: Reading) -> Verdict:
    """Another amount, date or time of the same thing, when something says that it changed."""
    then, now = amounts(a), amounts(b)
    changed = {unit for unit in then.keys() & now.keys() if then[unit] != now[unit]}
    grown = "le" in b.names("now") and changed <= UNITS
    announced = b.names(*STRONG) or "delayed" in b.names("status")
    if not changed or not (announced or a.names("id") or "now" in b.names("now") or grown):
        return None
    about, again = unnumbered(things(a)), unnumbered(things(b))
    more = any(word.kind == "topic" for word in again - about)
    alike = again <= about or (about <= again and not more)
    return "supersede" if alike and (about & again or a.names("id") or changed == {"size"}) else None


_ENDS = {
    "cancel": frozenset(
        ("plan", "want", "book", "subscribe", "go", "buy", "own", "use", "take", "learn", "rent", "attend2")
    ),
    "part": frozenset(("own", "called", "use", "employ", "buy", "rent", "wear", "play")),
    "resign": frozenset(("employ", "work", "own")),
    "repay": frozenset(("owe", "lend", "borrow", "pay", "own")),
    "heal": frozenset(("wear", "allergy", "intolerant", "own")),
}
"""What can be cancelled, parted with, got over."""


def ended(a: Reading, b: Reading) -> Verdict:
    """A clause says that what was known has ended."""
    if a.names("end") or all(clause.denied for clause in a.clauses):
        return None
    return "supersede" if any(_ends(clause, a) for clause in b.clauses) else None


def _ends(clause: Clause, a: Reading) -> bool:
    if _tells_other_amounts(a, clause) or clause.names("when") & _ONE_DAY - a.names("when"):
        return False
    first = next((word.name for word in clause.words if word.name in ("stop", "want")), "")
    if first == "want" and "stop" in clause.names("end") and not a.names("predicate") & _SERVED:
        return False
    over = clause.names("end") or (clause.denied and "now" in clause.names("now"))
    what, known = (frozenset(w for w in unnumbered(things(said)) if topic_of(w) != "frequency") for said in (clause, a))
    if any(word.kind == "word" for word in what):
        known = frozenset(word for word in known if word.kind != "stage")
    known = frozenset(word for word in known if word.kind != "payday")
    if over and not what and not clause.names("number", "id"):
        told = predicates(clause)
        return bool(told) and told == predicates(a) and (not known or not told <= TASTE | {"own", "learn", "go"})
    if not over or not what or not what <= known or not _is_kindred(predicates(a), clause):
        return False
    if "heal" in clause.names("end"):
        ill = [word for word in a.words if word in known]
        if any(topic_of(word) == "health" for word in what & known):
            return True
        return bool(predicates(a)) if what == known else 2 * len(what) >= len(known) and ill[0] in what
    return 2 * len(what) > len(known) or predicates(a) == {"wear"}


_ONE_DAY = frozenset(("today", "tomorrow"))
"""What is left out on one day goes on."""
_SERVED = frozenset(("accept", "subscribe", "send", "remind", "contact", "want", "plan"))
"""What ends when the user wants it to."""


def _tells_other_amounts(a: Reading, told: Reading | Clause) -> bool:
    """Return whether a day, a date or an amount is told that is another one than was known."""
    then, now = amounts(a), amounts(told)
    return any(then[unit].isdisjoint(now[unit]) for unit in then.keys() & now.keys())


def _is_kindred(known: frozenset[str], clause: Clause) -> bool:
    """Return whether a clause may tell the end of what these predicates say."""
    final = clause.names("end") & _ENDS.keys()
    if final:
        return all(known <= _ENDS[end] for end in final)
    told = predicates(clause) - {"go", "want", "plan", "from"}
    return (
        not told or not known or "plan" in known or bool(told & known) or (told <= TASTE and known <= TASTE | {"plan"})
    )


def left(a: Reading, b: Reading) -> Verdict:
    """Work that is known has been given up: by name, or whatever it was for other work."""
    leaving = [clause for clause in b.clauses if clause.names("end") & {"resign", "part", "stop"}]
    at_work = [clause for clause in leaving if "plan" not in clause.names("predicate")]
    if not at_work or not is_occupation(a) or any(clause.denied for clause in a.clauses):
        return None
    named = [unnumbered(things(clause)) for clause in at_work]
    if any(what & things(a) for what in named):
        return "supersede"
    resigned = any("resign" in clause.names("end") for clause in at_work)
    return "supersede" if resigned and not any(named) else None


def replaced(a: Reading, b: Reading) -> Verdict:
    """The old value is named, and said to be given up for another."""
    given_up = unnumbered(values(a))
    if not b.names(*STRONG) and _tells_other_amounts(a, b):
        return None
    cued = b.names(*STRONG, "end") and not a.names("end")
    tied = predicates(a) <= predicates(b) | {"own", "use", "employ"} and b.names("topic") <= a.names("topic")
    turned = "become" in b.names("change") and not predicates(b) - {"want"} and not predicates(a) & _FELT
    return "supersede" if cued and given_up and (tied or turned) and given_up < values(b) else None


_FELT = frozenset(("like", "fear", "allergy", "intolerant", "speak", "goodat", "visited"))
"""What holds of a thing whatever takes its place."""


def swapped(a: Reading, b: Reading) -> Verdict:
    """A change to another thing of the same sort, whose names end alike: 双床房 for 大床房."""
    if not b.names("change", "correct") or b.names("end") or predicates(a) & {*_FELT, "plan"} or _told_otherwise(a, b):
        return None
    then, now = a.names("word"), b.names("word")
    gone, come = then - now, now - then
    if len(then) != 1 or len(come) != 1 or not predicates(b) - {"want"} <= predicates(a) | {"book"}:
        return None
    kind = next(iter(then)), next(iter(come))
    sort = {topic_of(Word("word", name)) for name in kind}
    if not b.names("topic") <= a.names("topic") | {"appointment"}:
        return None
    if not _ends_alike(*kind) and (len(sort) > 1 or sort & {"word", "general"}):
        return None
    return "supersede" if gone or "become" in b.names("change") else None


_COMPOUND_CHARS = 3
"""Letters that two English compounds share at their end at the least."""


def _ends_alike(one: str, other: str) -> bool:
    if one.isascii() or other.isascii():
        ending = one[-_COMPOUND_CHARS:]
        return len(one) > _COMPOUND_CHARS < len(other) and one.isascii() and other.isascii() and other.endswith(ending)
    return len(one) > 1 < len(other) and one[-1] == other[-1]


def advanced(a: Reading, b: Reading) -> Verdict:
    """A numbered thing that waited, or was being dealt with, has got another state; or it has been called off."""
    if not a.names("id") or a.names("id") != b.names("id") or _told_otherwise(a, b):
        return None
    if a.names("topic") - LABELS != b.names("topic") - LABELS or any(c.denied for c in (*a.clauses, *b.clauses)):
        return None
    told = frozenset(word for word in things(b) if word.kind not in ("id", "topic", "status"))
    if "cancelled" in b.names("status") or "cancel" in b.names("end"):
        return "supersede" if not told else None
    return "supersede" if _is_open(a) and not _is_open(b) and _is_state(told, a, b) else None


def _is_state(told: frozenset[Word], a: Reading, b: Reading) -> bool:
    """Return whether what is told is a state: nothing but a known one, a form of the old one, or 已 and one word."""
    if predicates(b) or not told:
        return not predicates(b)
    (word, *others) = told
    if others:
        return False
    at = b.words.index(word)
    if at and b.words[at - 1] == Word("now", "already"):
        return True
    return any(are_kin(word.name, other) for other in a.names("word"))


def mended(a: Reading, b: Reading) -> Verdict:
    """A thing of which trouble is told, in whatever words, has been repaired."""
    if "repaired" not in b.names("status") or a.names("status") or _told_otherwise(a, b):
        return None
    mended = frozenset(word for word in things(b) if word.kind != "status")
    trouble = frozenset(word.name for word in things(a) - mended)
    if len(mended) != 1 or len(trouble) != 1 or predicates(a) or any(c.denied for c in b.clauses):
        return None
    (thing,), (told,) = mended, trouble
    unknown = topic_of(Word("word", told)) == "word"
    return "supersede" if unknown and (thing in things(a) or told.startswith(thing.name)) else None


def _told_otherwise(a: Reading, b: Reading) -> bool:
    """Return whether amounts, places, people or days are told: then more than a state may differ."""
    return bool(a.names("number", "place", "when", "person") or b.names("number", "place", "person"))


def _is_open(reading: Reading) -> bool:
    """Return whether a state is told that is bound to end: waiting, 审批中, 待签."""
    unknown = reading.names("word")
    ongoing = any(not word.isascii() and (word.endswith("中") or word[0] in "待未") for word in unknown)
    return ongoing or bool(reading.names("predicate") & {"wait", "plan"} or reading.names("status") & _OPEN)


_OPEN = frozenset(("open", "waiting", "unpaid", "moving", "ready"))


def changed(a: Reading, b: Reading) -> Verdict:
    """Another value with the same predicate, or of the same thing, announced as a change."""
    then, now = values(a), values(b)
    sorted_alike = sorts(then) & sorts(now) and (b.names("topic") <= a.names("topic"))
    placed = predicates(a) & predicates(b) & {"put", "send"}
    elliptic = (b.names("topic") or placed) and b.names("topic") <= a.names("topic")
    if (
        not b.names(*STRONG)
        or not (a.names("topic") == b.names("topic") or sorted_alike or elliptic)
        or then <= now
        or now <= then
    ):
        return None
    if any(clause.denied for clause in (*a.clauses, *b.clauses)) or not _is_announced(a, b):
        return None
    if "study" in predicates(a) and "hop" in b.names("change"):
        return None
    name = slot(a)
    if name is not None and name == slot(b) and subject(a, name) != subject(b, name) and subject(b, name) - things(a):
        return None
    alike = [word for word in now if topic_of(word) in sorts(then)]
    if len(alike) > 1 and then.isdisjoint(alike):
        return None
    shared = (predicates(a) & predicates(b)) - {"want"} or unnumbered(then & now)
    if (predicates(b) - predicates(a) - _HAVING or predicates(a) - predicates(b) - _HAVING - {"eat"}) and not shared:
        return None
    if "employ" in predicates(a) and {w.kind == "place" for w in then}.isdisjoint(w.kind == "place" for w in now):
        return None
    return "supersede" if shared or _is_swapped(a, b, then, now) else None


_HAVING = frozenset(("own", "use", "want", "pay", "take", "wear", "employ"))
"""Predicates beside which one thing takes the place of another: to have, to use, to wear."""


def _is_announced(a: Reading, b: Reading) -> bool:
    """Return whether the change is of what both are about: moving house, or furniture, changes nothing else."""
    return bool(b.names(*STRONG) - MOVES.keys() or a.names("topic") & b.names("topic") or values(a) & values(b))


def _is_swapped(a: Reading, b: Reading, then: frozenset[Word], now: frozenset[Word]) -> bool:
    """Return whether one value of a named thing is said to have become another."""
    if sorts(then) & sorts(now) and not a.names("status") and not (unnumbered(now) & unnumbered(then)):
        return b.names("topic") <= a.names("topic")
    directed = "become" in b.names("change") or b.names("correct") or (a.names("id") and b.names("id"))
    return bool(directed and a.names("topic") - LABELS and len(then - now) == len(now - then))


def habit(a: Reading, b: Reading) -> Verdict:
    """Now another thing of the same sort is used for the same: the bicycle, not the bus, to work."""
    if any(clause.denied for clause in (*a.clauses, *b.clauses)) or predicates(a) & _FELT or len(a.clauses) > 1:
        return None
    return (
        "supersede" if any(_is_now_other(clause, a) for clause in b.clauses if clause.names("now") & {"now"}) else None
    )


def _is_now_other(clause: Clause, a: Reading) -> bool:
    then, now = (frozenset(w for w in things(said) if topic_of(w) != "frequency") for said in (a, clause))
    gone, come = then - now, now - then
    if len(gone) != 1 or len(come) != 1 or not predicates(clause) or predicates(clause) != predicates(a):
        return False
    sort, other = ({"vehicle"} if words == _CAR else sorts(words) for words in (gone, come))
    return sort == other and bool(sort) and sort <= _ONE_FOR_ALL


_ONE_FOR_ALL = frozenset(("vehicle", "payment", "device"))
"""Sorts of things of which one is used for one purpose."""
_CAR = frozenset((Word("topic", "car"),))


def completed(a: Reading, b: Reading) -> Verdict:
    """What was planned has been done."""
    undone = any(c.denied for c in a.clauses) and a.names("predicate") & {"take", "passed", "visited", "buy"}
    ahead = a.names("predicate") & _UNDERWAY or undone or _is_part_of_course(a)
    if not ahead or "plan" in b.names("predicate") or any(clause.denied for clause in b.clauses):
        return None
    done = b.names("predicate") & {"visited", "buy", "passed"}
    if "move" in a.names("change"):
        done = b.names("change") & {"move"}
    if not done and ("plan" in a.names("predicate") or undone):
        done = b.names("now") & {"le", "already"}
    about, again = _subject_matter(a), _subject_matter(b)
    part = about > again and not any(word.kind == "topic" for word in about - again) if undone else about > again
    return "supersede" if done and about and (about == again or (part and (again or a.names("id")))) else None


_UNDERWAY = frozenset(("plan", "learn", "study"))
_PARTS_OF_COURSE = frozenset(("chapter", "page", "lesson", "unit", "episode", "season"))


def _is_part_of_course(reading: Reading) -> bool:
    """Return whether a sentence says how far somebody is in a book, a course or a series."""
    return bool(reading.names("word") & _PARTS_OF_COURSE and reading.names("number"))


def _subject_matter(reading: Reading) -> frozenset[Word]:
    matter = unnumbered(things(reading))
    return frozenset(word for word in matter if word.name not in _PARTS_OF_COURSE and topic_of(word) != "frequency")


RULES: Sequence[Rule] = (quantity, ended, left, replaced, changed, completed, swapped, advanced, mended, habit)
"""In the order of trial; the first that speaks decides."""
