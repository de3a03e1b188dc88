"""Whether a model's fact stands in the messages that it cites.

Numbers, identifiers, names and negation of a fact must occur there after normalisation, and most of its words; a resolved
date must follow from a date in words. What an assistant said grounds promises only, what a tool said business data only;
a "yes" grounds what the question before it asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from zhiji import text
from zhiji.extract import dates, replies
from zhiji.extract.answers import Fact
from zhiji.extract.fold import fold
from zhiji.types import JsonValue, Message, Trust

BUSINESS: Final = frozenset({"order", "shipment", "after_sale", "conclusion"})
"""Types that a tool or an assistant may ground."""
MIN_OVERLAP: Final = 0.4
"""Share of a fact's own words that must occur in the cited messages; frames such as "the user likes" do not count."""

_NEGATION: Final = re.compile(
    r"不(?!断|过|同|仅|但|错|管|只|久)|没|无(?!论|锡|线|糖)|别(?!墅|的|人|处)|未(?!来|央)|勿|戒|拒绝|讨厌|憎|取消|n't\b|\bnot?\b|\bnever\b|\bcannot\b|\bno longer\b|\bwithout\b|\bstopp?ed\b|\bquit\b|\bhates?\b|\bdislikes?\b|\bavoids?\b|\bdont\b|\bcant\b|\bcancel"
)
_TASTE_NEGATION: Final = re.compile(r"不喜欢|讨厌|憎|\bhates?\b|\bdislikes?\b|don't like|\bavoids?\b")
_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_ISO: Final = re.compile(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d)?")
_SENTENCE: Final = re.compile(r"(?<=[。！？；])|(?<=[.!?;])\s+")
_NAME: Final = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][A-Za-z'-]+")
_FRAME: Final = re.compile(
    r"用户|用戶|客服|承诺|希望|喜欢|不喜欢|偏好|请求|记住|订单|的|是|叫|在|有|对|为|了|要|想|被|称|姓|名|住|"
    r"\b(?:the|user|users|user's|is|are|has|have|wants?|likes?|prefers?|dislikes?|named?|called|lives?|works?|asked|to|be|a|an|of|in|at|for|as|and|that|their|they|support|promised|order|says?|said)\b"
)


def cited(fact: Fact, messages: Mapping[int, Message]) -> list[Message]:
    """Return the messages that a fact cites; without valid ones, those of the user that share words with it."""
    named = [messages[seq] for seq in fact.sources if seq in messages]
    if named:
        return _with_question(named, messages)
    words = set(text.terms(fact.content))
    shared = [
        (len(words & set(text.terms(message.content))), message)
        for message in messages.values()
        if message.role == "user"
    ]
    best = max((count for count, _ in shared), default=0)
    return [message for count, message in shared if best and count == best]


def _with_question(named: Sequence[Message], messages: Mapping[int, Message]) -> list[Message]:
    """Return the messages, with the question in front of a cited "yes"."""
    found = {message.seq: message for message in named}
    for message in named:
        before = messages.get(message.seq - 1)
        if (
            message.role == "user"
            and before is not None
            and before.role == "assistant"
            and replies.is_yes(message.content)
        ):
            found[before.seq] = before
    return [found[seq] for seq in sorted(found)]


def trust(fact: Fact, sources: Sequence[Message]) -> Trust | None:
    """Return who vouches for a fact of this type, or None if nobody who may does."""
    roles = {message.role for message in sources}
    if "user" in roles:
        said = text.normalise(" ".join(message.content for message in sources if message.role == "user"))
        verbatim = isinstance(fact.value, str) and text.normalise(fact.value) in said
        return Trust.USER if verbatim or replies.is_yes(sources[-1].content) else Trust.MODEL
    if fact.type not in BUSINESS:
        return None
    return Trust.TOOL if "tool" in roles else Trust.ASSISTANT if "assistant" in roles else None


def failure(fact: Fact, sources: Sequence[Message]) -> str:
    """Return what of a fact is not in its sources, in a few words, or an empty string if it is grounded."""
    said = " ".join(message.content for message in sources)
    plain = text.normalise(said)
    if not sources:
        return "no source"
    if text.language(fact.content) != text.language(said) and text.language(said):
        return "another language than its source"
    if _missing_numbers(fact, sources, plain):
        return "a number that its source does not have"
    if any(text.normalise(name) not in plain for name in _names(fact)):
        return "a name that its source does not have"
    if bool(_NEGATION.search(fold(fact.content))) != _is_negated(fact, said):
        return "negation differs from its source"
    sentences = _SENTENCE.split(fact.content)  # each by itself: a true one must not carry an invented one along
    return (
        "" if min(_overlap(each, plain) for each in sentences) >= MIN_OVERLAP else "words that its source does not have"
    )


def value(fact: Fact, sources: Sequence[Message]) -> JsonValue:
    """Return the fact's value, or None if it is text of which nothing stands in the fact or in its sources."""
    if not isinstance(fact.value, str):
        return fact.value
    words = set(text.terms(fold(text.normalise(fact.value))))
    held = " ".join([fact.content, *(message.content for message in sources)])
    return fact.value if words & set(text.terms(fold(text.normalise(held)))) else None


def has_key(key: str, sources: Sequence[Message]) -> bool:
    """Return whether the number that a business key names stands in the sources; other keys name none."""
    type, _, id = key.partition(":")
    said = text.canonical_id(" ".join(message.content for message in sources))
    return type not in BUSINESS or not any(char.isdigit() for char in id) or text.canonical_id(id) in said


def _missing_numbers(fact: Fact, sources: Sequence[Message], plain: str) -> bool:
    content = f"{fact.content} {fact.value if isinstance(fact.value, str | int | float) else ''}"
    ids = [found.id for found in text.identifiers(content) if found.labelled]
    compact = text.canonical_id(plain)
    if any(id not in compact for id in ids):
        return True
    resolved = {str(when.day) for message in sources for when in dates.find(fold(message.content), message.time)}
    rest = _ISO.sub(lambda found: "" if found.group()[:10] in resolved else found.group(), text.normalise(content))
    digits = set(_NUMBER.findall(plain)) | {number.replace(",", "") for number in _NUMBER.findall(plain)}
    known = [found.id for message in sources for found in text.identifiers(message.content)]
    return any(
        number not in digits and not any(number in id for id in known)
        for number in (found.replace(",", "") for found in _NUMBER.findall(rest))
    )


def _names(fact: Fact) -> list[str]:
    names = [name for name in _NAME.findall(fact.content) if name.casefold() not in ("user", "support", "order", "the")]
    if isinstance(fact.value, str) and (fact.key or "").endswith((":name", ".name", ":call_me")):
        names.append(fact.value)
    return names


def _is_negated(fact: Fact, said: str) -> bool:
    """Return whether the part of the sources that a fact repeats is negated."""
    needle = text.normalise(str(fact.value)) if isinstance(fact.value, str) and fact.value else ""
    folded = text.normalise(said)
    clauses = [clause for clause in re.split(r"[,.!?;。,、\n]", folded) if not needle or needle in clause] or [folded]
    own = set(text.terms(_FRAME.sub(" ", fold(fact.content))))
    best = max(clauses, key=lambda clause: len(own & set(text.terms(clause))))
    return bool(_NEGATION.search(fold(best)))


def own_terms(fact: Fact, said: str) -> set[str]:
    """Return the terms that make the fact: of its value where that was said, else of its content without the frame."""
    value = set(text.terms(fold(fact.value))) if isinstance(fact.value, str) else set()
    return value if value & set(text.terms(fold(said))) else set(_own(fact.content))


def _own(content: str) -> list[str]:
    return [term for term in text.terms(_FRAME.sub(" ", fold(content))) if len(term) > 1 or not term.isascii()]


def _overlap(content: str, plain: str) -> float:
    own = _own(content)
    if not own:
        return 1.0
    said = set(text.terms(fold(plain)))
    return sum(term in said for term in own) / len(own)
