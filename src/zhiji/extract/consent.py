"""What a user lets be remembered: asking before it is kept, reading the answer, and telling what was asked for.

The questions are worded so that ``replies`` reads a "yes" to them, and everything is read by the rules, whichever extractor
is configured: what the assistant confirms and what is then done are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal

from zhiji import text
from zhiji.extract import guards, moves, replies, rules, unsaid
from zhiji.extract.base import Increment
from zhiji.extract.fold import fold, is_traditional
from zhiji.types import Draft, Message

Lang = Literal["zh", "en"]
What = Literal["remember", "forget", "refuse"]

# --- asking -------------------------------------------------------------------------------------------------------

_EDGES: Final = " 。．.!！?？;；,，"


def question(content: str) -> str:
    """Return the question whether to remember what a memory says: ``要我记住您对花生过敏吗？``."""
    told = addressed(content)
    if not re.search("[一-鿿]", told):
        return f"Shall I remember that {told}?"
    return f"要我記住{told}嗎？" if is_traditional(told) else f"要我记住{told}吗？"


_ADVERB: Final = r"(?:never|always|also|really|just|mostly|often|only|still|currently|usually|\w+ly)"
_OF_USER: Final = re.compile(rf"^the user (?P<adverb>{_ADVERB} )?(?P<verb>[\w'’]+)", re.I)
_REQUESTED: Final = re.compile(
    r"^(?:用[户戶](?:请求|請求|要求)?[记記]住[：:]|the user(?: asked to remember)?:\s*)", re.I
)
_FORMS: Final = {
    "is": "are", "was": "were", "has": "have", "does": "do", "goes": "go", "isn't": "aren't", "wasn't": "weren't", "hasn't": "haven't",
    "doesn't": "don't",
}  # fmt: skip
_ENGLISH: Final = (
    (re.compile(r"\bthe user's\b", re.I), "your"),
    (re.compile(r"\bthe user\b", re.I), "you"),
    (re.compile(r"\b(?:their|my)\b", re.I), "your"),
    (re.compile(r"\b(?:them|me)\b", re.I), "you"),
    (re.compile(r"\bthemself\b|\bmyself\b", re.I), "yourself"),
    (re.compile(r"\b(?:they're|i'm|i am)\b", re.I), "you are"),
    (re.compile(r"\b(?:they|i)\b", re.I), "you"),
)


def addressed(content: str) -> str:
    """Return what a memory, or its user, says of the user as it is said to them: 用户对花生过敏 → 您对花生过敏."""
    words = _REQUESTED.sub("", content.strip()).strip(_EDGES)
    if re.search("[一-鿿]", words):
        return re.sub(r"用[户戶]|(?<![们們])我(?![们們])", "您", words)
    if found := _OF_USER.match(words):
        words = f"you {found['adverb'] or ''}{_second_person(found['verb'])}{words[found.end() :]}"
    for pattern, yours in _ENGLISH:
        words = pattern.sub(yours, words)
    return words


def _second_person(verb: str) -> str:
    low = verb.lower()
    if low in _FORMS:
        return _FORMS[low]
    if low.endswith("ies"):
        return verb[:-3] + "y"
    if low.endswith(("sses", "xes", "zes", "ches", "shes")):
        return verb[:-2]
    return verb[:-1] if low.endswith("s") and not low.endswith(("ss", "us")) else verb


# --- the answer ---------------------------------------------------------------------------------------------------

_ASKS: Final = re.compile(r"记[住着下得]|记录|保存|remember|\bsave\b|\bnote\b|keep (?:that|it|this) in mind")
_NO: Final = re.compile(
    r"^\s*(?:不(?:用|要|必|需要|想|了|行|可以|好|是)?|别|勿|算了|没必要|唔使|唔好|唔要|no\b|nope|nah|don'?t|do not|never ?mind|please don'?t|not (?:now|needed|necessary)|rather not|i'd rather not)(?!错|過|客气|过|只|仅|但|管)"
)


def reply(asked: str, answer: str) -> bool | None:
    """Return whether the answer to an assistant's message lets it remember what it asked about last; None if it is neither."""
    *_, last = ["", *re.findall(r"[^?。!\n]*\?", fold(asked))]
    if not _ASKS.search(last):
        return None
    if declines(answer):
        return False
    return True if replies.is_yes(answer) else None


def declines(answer: str) -> bool:
    """Return whether a message says no, or does not want something remembered."""
    folded = fold(answer)
    return bool(_NO.search(folded) or unsaid.refuses(folded))


# --- what a message asks for --------------------------------------------------------------------------------------

_MAY_ASK: Final = re.compile(
    r"记|忘|删|清除|抹掉|去掉|别存|remember|forget|delete|erase|remove|keep|note|record|save|store|off the record"
)
_MAY_UNDO: Final = re.compile(
    r"清[空理]|抹|洗掉|拿掉|划掉|撤[回销]|作废|收回|当我没|别[再提用]|[不别]要?(?:再)?[提用存留]|wip(?:e|ing)|clear|drop|scratch|strike|purge|get rid|take (?:it|that|this|back)|unsay|never ?mind"
)
"""What else may ask to forget, in more wordings than the rules do by themselves."""
_NO_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)
MAX_OBJECT_CHARS: Final = 120


@dataclass(frozen=True, slots=True)
class Request:
    """Something that a message asks of the memory, and that was understood."""

    what: What
    about: str
    """Said to the user: ``您对花生过敏``; empty if it names nothing."""


def requests(words: str, now: datetime) -> list[Request]:
    """Return what a message of this time asks to remember, to forget, or not to remember; only what will be done."""
    if not _MAY_ASK.search(fold(words)):
        return []
    return list(dict.fromkeys(_requests(words, now)))


def _requests(words: str, now: datetime) -> Iterator[Request]:
    message = Message(role="user", content=words, time=now, seq=1, turn=1)
    drafts = rules.propose(Increment(messages=[message], now=now))
    for draft in drafts:
        if draft.asked and draft.op == "assert" and not draft.suspicious:
            yield Request("remember", text.truncate(addressed(draft.content), MAX_OBJECT_CHARS))
    forgets = [draft for draft in drafts if draft.op == "forget"]
    about = text.truncate(addressed(forgets[0].content), MAX_OBJECT_CHARS) if forgets else ""
    if unsaid.refuses(guards.view(message).heard):
        yield Request("refuse", about)
    elif forgets:
        yield Request("forget", about)


def stated(words: str) -> list[Draft]:
    """Return the facts that a user's words state: of those that name what to forget, what may have been kept of it."""
    message = Message(role="user", content=words, time=_NO_TIME, seq=1, turn=1)
    return [draft for draft in rules.propose(Increment(messages=[message], now=_NO_TIME)) if draft.op == "assert"]


def unkept(messages: Sequence[Message]) -> set[int]:
    """Return the turns of which nothing is kept word for word: the user asks not to, in them or right after them."""
    turns: set[int] = set()
    spoken = [message for message in messages if message.role == "user"]
    for before, message in zip([None, *spoken], spoken, strict=False):
        heard = guards.view(message).heard
        if unsaid.refuses(heard):
            turns.add(message.turn)
            if before is not None and unsaid.refers_back(heard):
                turns.add(before.turn)
    return turns


def may_ask_to_forget(messages: Sequence[Message]) -> bool:
    """Return whether any of the user's words could be meant to have something forgotten; nothing else deletes for good."""
    said = [fold(message.content) for message in messages if message.role == "user"]
    return any(_MAY_ASK.search(words) or _MAY_UNDO.search(words) for words in said)


def asks_to_remember(message: Message) -> bool:
    """Return whether a user's message asks to remember what it says."""
    return moves.asks_to_remember(guards.view(message))


def is_refused(content: str, key: str | None, sources: Sequence[Message], messages: Sequence[Message]) -> bool:
    """Return whether the user does not want it remembered: so they say in a cited message, or in their next one."""
    cited = {message.seq for message in sources if message.role == "user"}
    if not cited:
        return False
    later = [message for message in messages if message.role == "user" and message.seq > max(cited)]
    return any(
        _refuses(content, key, message) for message in [*(one for one in messages if one.seq in cited), *later[:1]]
    )


def _refuses(content: str, key: str | None, message: Message) -> bool:
    view = guards.view(message)
    found = unsaid.refuses(view.heard)
    if found is None:
        return False
    topic = moves.refused_topic(view, found.end())
    return topic is None or topic == moves.topic(content) or (key is not None and moves.is_about(key, topic))
