"""What came of what was planned, hoped for or held: life goes on without a word of change. Pure."""

from __future__ import annotations

import re

from zhiji.relation.claims import ARTICLE, content, forbids, predicates, things, unnumbered, values
from zhiji.relation.reading import Reading, Word, are_kin, simplify, topic_of

_PARTNERS = frozenset(("girlfriend", "boyfriend", "partner", "partner.wife", "partner.husband", "fiance"))


def is_parted(a: Reading, b: Reading) -> bool:
    """Return whether the user is no longer with somebody that is known as the partner."""
    known = unnumbered(things(a))
    named = frozenset(word for word in things(b) if word.kind == "word")
    return (
        a.names("person") <= _PARTNERS
        and bool(a.names("person"))
        and b.names("person") <= a.names("person")
        and bool(b.names("marital") & {"single", "divorced", "separated"})
        and named <= known
        and predicates(a) <= {"called", "own"}
        and not a.names("pregnancy")
        and not any(clause.denied for clause in (*a.clauses, *b.clauses))
    )


# --- life goes on -------------------------------------------------------------------------------------------------------


def has_gone_on(a: Reading, b: Reading) -> bool:
    """Return whether the user has gone on to what ends the old state, though no word says that it ended."""
    if any(clause.denied for clause in b.clauses) or "plan" in b.names("predicate"):
        return False
    if any(then in a.words and now in b.words for then, now in _SEQUELS):
        return not things(b) - things(a) - {now for _, now in _SEQUELS}
    return _is_settled(a, b) or _has_passed(a, b) or _is_reconsidered(a, b) or _is_rehired(a, b)


_SEQUELS = (
    (Word("word", "intern"), Word("hours", "fulltime")),
    (Word("word", "probation"), Word("hours", "fulltime")),
)
"""What becomes of a state in the end."""
_HOMES = frozenset(("房", "房子", "新房", "homepurchase", "homeplace"))
_ABODE = _HOMES | {"子", "自己", "first", "入"}


def _is_settled(a: Reading, b: Reading) -> bool:
    """Return whether a tenant has bought a home: for themselves, and not as an investment."""
    if predicates(a) - {"home"} != {"rent"} or any(clause.denied for clause in a.clauses):
        return False
    if not _is_of_home(things(a)) or not _is_of_home(things(b)) or predicates(b) - {"buy", "home", "own", "rent"}:
        return False
    bought = (
        clause for clause in b.clauses if "buy" in clause.names("predicate") or "homepurchase" in clause.names("word")
    )
    return any(things(clause) for clause in bought)


def _is_of_home(told: frozenset[Word]) -> bool:
    return all(word.kind in ("dwelling", "place") or word.name in _ABODE for word in told)


_FAILED = Word("word", "fail")
_AGAIN = frozenset(("second", "third", "try", "attempt", "retak", "resit", "补考", "第二次", "第三次", "exam", "first"))


def _has_passed(a: Reading, b: Reading) -> bool:
    """Return whether an exam that was failed, or not yet passed, has been passed."""
    failed = _FAILED in a.words or "rejected" in a.names("status") or any(clause.denied for clause in a.clauses)
    if not failed or "passed" not in b.names("predicate") or predicates(a) - {"take", "passed"}:
        return False
    what, again = (
        frozenset(
            word
            for word in things(side)
            if word != _FAILED and word.kind not in ("status", "number") and word.name not in _AGAIN
        )
        for side in (a, b)
    )
    return bool(what) and what == again


_ATTITUDES = frozenset(("want", "accept", "plan", "like", "promise"))


def _is_reconsidered(a: Reading, b: Reading) -> bool:
    """Return whether the user now wants what they did not want, and says that they changed their mind."""
    if not all(clause.denied for clause in a.clauses) or not predicates(a) & _ATTITUDES:
        return False
    if not b.names("change", "now") and "accept" not in b.names("predicate"):
        return False
    what, again = (
        frozenset(w for w in content(side) if w.kind != "predicate" or w.name not in _ATTITUDES) for side in (a, b)
    )
    return bool(what) and what == again


def _is_rehired(a: Reading, b: Reading) -> bool:
    """Return whether the user, who worked somewhere, says that they have another work now, wherever it is."""
    changed = any("change" in clause.names("change") and "work" in clause.names("predicate") for clause in b.clauses)
    if not (changed or "hop" in b.names("change")) or b.names("end") or any(clause.denied for clause in a.clauses):
        return False
    where = [unnumbered(values(side)) for side in (a, b)]
    told = a.names("id", "number", "topic", "channel")
    if told or any(topic_of(word) in ("vehicle", "job") for word in where[0]):
        return False
    employed = a.names("predicate") and a.names("predicate") <= {"employ", "work"}
    return bool(employed) and all(where) and b.names("topic") <= a.names("topic")


# --- come about ---------------------------------------------------------------------------------------------------------

_AHEAD = re.compile(
    r"准备|打算|计划|筹备|等着?|正在|正|(?<![现存实])在(?=[找办装写做修申备谈学考等减追建盖搬卖买改治])|着手|申请|待|\b(?:plan\w*|prepar\w*|intend\w*|aim\w*|await\w*|wait\w*"
    r"|train\w* for|apply\w*|consider\w*|about to|going to|is (?=\w+ing\b)|work\w* on|look\w* (?:for|to))\b"
)
"""What says that something is planned or under way."""
_DONE = re.compile(
    r"已|了(?=$|[,，。])|终于|成功|\b(?:has|have|finally|already|finished|completed|passed|done|got|[a-z]{3,}ed|bought|sold|went|became"
    r"|found|came|left|took|built|made|won|ran|wrote)\b"
)
"""What says that something has come about."""
_FRAME = re.compile(
    r"用户|办理?|手续|的|了|着|个|一|去|要|想|把|给|在|中$|\b(?:the|user|users|s|is|are|a|an|to|for|of|in|on|at|be|his|her|their|and|getting|get)\b|[^\w]"
)
"""What does not say what it is that comes about."""
_HOPED = re.compile(r"等|待|申请|\b(?:await|wait|train|appl|look|work|consider|(?:plan|prepar)\w*(?! to\b)\b)\w*")
"""What says that something is hoped for, not what will be done with it: then only its coming is its end."""
_ARRIVED = re.compile(
    r"已|经|终于|成功|[到收来出下好完批拿取过]|今天|昨天|上周|刚|才|\b(?:has|have|had|been|finally|already|just|now|completed?|finished|passed|ran"
    r"|arrived?|received?|got|came|found|approved|granted|issued|done|last|this|week|month|yesterday|today|it|through|back|out|held|hosted|gave|given|made|ready|prepared|planned)\b"
)
"""What says that something has come, and when."""
_MOST_ADDED = 8
"""Characters, or English words, that the newer sentence may add."""


def has_come_about(old: str, new: str, a: Reading, b: Reading) -> bool:
    """Return whether all that was planned or under way is told again as done, whatever it is and in whatever order."""
    before, after = simplify(old), simplify(new)
    if not _AHEAD.search(before) or not _DONE.search(after) or _AHEAD.search(after) or forbids(a, b):
        return False
    if a.names("id") != b.names("id") or any(clause.denied for clause in (*a.clauses, *b.clauses)):
        return False
    if b.names("number") - a.names("number") - {ARTICLE} or _is_of_another(before, after):
        return False
    about, again = (_FRAME.sub(" ", _AHEAD.sub(" ", text)) for text in (before, after))
    if about.isascii() != again.isascii():
        return False
    if _HOPED.search(before):
        again = _ARRIVED.sub(" ", again)
    if about.isascii():
        wanted, told = about.split(), again.split()
        found = all(any(are_kin(word, other) for other in told) for word in wanted)
    else:
        wanted, told = list(about.replace(" ", "")), list(again.replace(" ", ""))
        found = len(wanted) > 1 and set(wanted) <= set(told)
        if _HOPED.search(before):
            found = found and "".join(wanted) in "".join(told)
    added = sum(not any(are_kin(word, other) for word in wanted) for other in told)
    return bool(wanted) and found and added <= (0 if _HOPED.search(before) else _MOST_ADDED)


_OWNED = re.compile(r"用户的(.)|\buser's (\w+)")


def _is_of_another(before: str, after: str) -> bool:
    """Return whether the newer sentence is about something of the user's that the older does not name: 用户的狗."""
    owned = [match[1] or match[2] for match in _OWNED.finditer(after)]
    words = re.findall(r"[a-z]+", before)
    return any(thing not in before and not any(are_kin(thing, word) for word in words) for thing in owned)
