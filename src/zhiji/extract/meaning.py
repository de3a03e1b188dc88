"""Whether a user meant what a model took for a fact about them: stated it, as themselves, of themselves.

The rule extractor's guards read the cited messages. A question, a hypothesis, a report, a joke, a quotation or a game grounds
nothing about the user, and neither does what is said of somebody else, unless the fact says of whom. What an assistant said is
theirs once they have agreed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from zhiji import text
from zhiji.extract import grounding, guards, replies, subjects, unsaid
from zhiji.extract.answers import Fact
from zhiji.extract.fold import fold
from zhiji.extract.view import Clause, Flag, View
from zhiji.types import Message

PERSONAL: Final = frozenset({"identity", "preference"})
"""Types of facts that only the user can state."""
_NOT_STATED: Final = Flag.QUESTION | Flag.HYPOTHETICAL | Flag.REPORTED
_AS_USER: Final = (
    (re.compile(r"用户|用戶"), "我"),
    (re.compile(r"\bthe user's\b", re.I), "my"),
    (re.compile(r"\bthe user\b", re.I), "i"),
)


def failure(fact: Fact, sources: Sequence[Message]) -> str:
    """Return why no user meant this fact about themselves, in a few words, or an empty string if one did."""
    users = [message for message in sources if message.role == "user"]
    agreed = any(replies.is_yes(one.content) for one in users) and len(users) < len(sources)
    if fact.type not in PERSONAL or fact.op != "assert" or not users or agreed:
        return ""
    if any(_holds(fact, guards.view(message)) for message in users):
        return ""
    return "not stated by the user of themselves"


def _holds(fact: Fact, view: View) -> bool:
    own = grounding.own_terms(fact, view.text)
    shares = [(len(own & _said(_words(view, clause))), clause) for clause in view.clauses]
    best = max(count for count, _ in shares)
    if own and not best:
        return False
    own_subject = _of_another(fact)
    return any(
        count == best and _is_stated(view, clause) and (own_subject or not subjects.of_another(view, clause))
        for count, clause in shares
    )


def _said(words: str) -> set[str]:
    return set(text.terms(words)) | grounding.numbers(words)


def _is_stated(view: View, clause: Clause) -> bool:
    """Return whether a clause is a plain statement, which no joke is and no joke follows."""
    joking = unsaid.JOKE.search(view.heard, clause.start) or unsaid.ABSURD.search(_words(view, clause))
    return not clause.flags & _NOT_STATED and not joking


def _words(view: View, clause: Clause) -> str:
    return view.folded[clause.start : clause.end]


def _of_another(fact: Fact) -> bool:
    """Return whether the fact itself says of somebody else what it says."""
    content = fold(fact.content)
    for name, pronoun in _AS_USER:
        content = name.sub(pronoun, content)
    return subjects.names_another(content)
