"""Whether a model's fact stands in the messages that it cites.

Numbers, identifiers, names and negation of a fact must occur there after normalisation, and most of its words; a resolved
date must follow from a date in words. What an assistant said grounds promises only, what a tool said business data only;
a "yes" grounds what the question before it asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from zhiji import text
from zhiji.extract import dates, replies
from zhiji.extract.answers import Fact
from zhiji.extract.fold import fold
from zhiji.types import JsonValue, Message, Trust

BUSINESS: Final = frozenset({"order", "shipment", "after_sale", "conclusion"})
"""Types that a tool or an assistant may ground."""
MIN_VALUE_OVERLAP: Final = 0.6
"""Likewise of a value, which is to be copied."""
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MAX_VALUES: Final = 20
"""Members of a value that is a list or an object."""
MIN_OVERLAP: Final = 0.4
"""Share of a fact's own words that must occur in the cited messages; frames such as "the user likes" do not count."""

_NEGATION: Final = re.compile(
    r"不(?!$|[,，。?？!！]|断|过|同|仅|但|错|管|只|久|好意思|客气|用管|要紧|对$|知道|得不)|没(?!事|问题|错|关系|准)|无(?!论|锡|线|糖)|别(?!墅|的|人|处|忘)|未(?!来|央)|勿|戒|拒绝|讨厌|憎|最?烦(?!您|你|请)|"
    r"反感|受不了|n't\b|\bnot?\b|\bnever\b|\bcannot\b|\bno longer\b|\bwithout\b|\bstopp?ed\b|\bquit\b|\bgave up\b|\bgiven up\b|\bhates?\b|\bdislikes?\b|\bavoids?\b|"
    r"\b(?:do|does|did|is|are|was|were|has|have|had|wo|ca|could|would|should)nt\b"
)
_WITH_DIGITS: Final = re.compile(r"[a-z]*-?\d[\w*-]*")
_CALLED_OFF: Final = re.compile(r"取消|\bcancel")
"""Negates a plan; of an order it is what the user wants."""
_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_ISO: Final = re.compile(r"(?P<date>(?:19|20)\d\d-\d\d(?:-\d\d)?)(?!\d)(?: (?P<clock>\d\d:\d\d)(?!\d))?")
_BESIDE: Final = re.compile(rf"\s?[（(]\s*{_ISO.pattern}[^）()（]*[）)]")
_HAN: Final = re.compile(r"[一-鿿]")
_LATIN: Final = re.compile(r"[A-Za-z]{2,}")
MIXED_WORDS: Final = 2
"""Words of another language in its sources that let a fact be told in it."""
_CLAUSE: Final = re.compile(
    r"[,;!?。、\n:]|\.(?:\s|$)|(?<=[一-鿿])\s+(?=[一-鿿]|[a-z]{2,}\d)|\s(?=(?:so|but|because|and|although)\s)"
)
_SENTENCE: Final = re.compile(r"(?<=[。！？；])|(?<=[.!?;])\s+")
_NAME: Final = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][A-Za-z'-]+(?![A-Za-z'-]*\d)")
_FRAME: Final = re.compile(
    r"用户|用戶|手机号|手机|电话|号码|邮箱|客服|承诺|希望|喜欢|不喜欢|偏好|请求|记住|订单|的|是|叫|在|有|对|为|了|要|想|被|称|姓|名|住|"
    r"\b(?:the|user|users|user's|is|are|has|have|wants?|likes?|loves?|enjoys?|prefers?|dislikes?|hates?|avoids?|named?|called|lives?|works?|asked|phone|e-?mail|to|be|a|an|of|in|at|for|as|and|that|their|they|support|promised|order|says?|said)\b"
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
        verbatim = (
            text.normalise(fact.value) in said if isinstance(fact.value, str) else _overlap(fact.content, said) == 1
        )
        return Trust.USER if verbatim or replies.is_yes(sources[-1].content) else Trust.MODEL
    if fact.type not in BUSINESS:
        return None
    return Trust.TOOL if "tool" in roles else Trust.ASSISTANT if "assistant" in roles else None


def failure(fact: Fact, sources: Sequence[Message], around: Sequence[Message] = ()) -> str:
    """Return what of a fact is not in its sources, in a few words, or an empty string if it is grounded.

    ``around``: the dialogue; business numbers may stand in the turn of a source, or anywhere if no turn of theirs names one.
    """
    said = " ".join(message.content for message in sources)
    plain = text.normalise(said)
    if not sources:
        return "no source"
    if not _speaks(text.language(fact.content), said, sources):
        return "another language than its source"
    told = _without_dates(fact.content, sources)
    if _missing_numbers(fact, told, sources, plain, _named(sources, around)):
        return "a number that its source does not have"
    if any(text.normalise(name) not in plain for name in _names(fact, told)):
        return "a name that its source does not have"
    if not _is_as_negated(fact, said):
        return "negation differs from its source"
    sentences = _SENTENCE.split(told)  # each by itself: a true one must not carry an invented one along
    return (
        "" if min(_overlap(each, plain) for each in sentences) >= MIN_OVERLAP else "words that its source does not have"
    )


def value(fact: Fact, sources: Sequence[Message]) -> JsonValue:
    """Return the fact's value, or None if it, or any text or number within it, does not stand in the fact or in its sources."""
    held = fold(text.normalise(" ".join([fact.content, *(message.content for message in sources)])))
    if isinstance(fact.value, int | float) and not isinstance(fact.value, bool):
        return fact.value  # held to the numbers of its sources already
    return fact.value if _stands(fact.value, held) else None


def _stands(value: JsonValue, held: str) -> bool:
    if isinstance(value, dict | list):
        inner = list(value.values()) if isinstance(value, dict) else value
        return bool(inner) and len(inner) <= MAX_VALUES and all(_stands(one, held) for one in inner)
    if isinstance(value, bool) or value is None:
        return False
    words = fold(text.normalise(str(value)))
    if words.strip() and re.sub(r"\s", "", words) in re.sub(r"\s", "", held):
        return True
    return bool(own(words)) and _overlap(words, held) >= MIN_VALUE_OVERLAP


def has_key(key: str, sources: Sequence[Message]) -> bool:
    """Return whether the number that a business key names stands in the sources; other keys name none."""
    type, _, id = key.partition(":")
    said = " ".join(message.content for message in sources)
    return type not in BUSINESS or not any(char.isdigit() for char in id) or _is_said(text.canonical_id(id), said)


def _is_said(id: str, said: str) -> bool:
    """Return whether a number stands in a text, however spaced, and not as a part of a longer one; its letters may be left out."""
    before, after = (r"\d" if end.isdigit() else r"[a-z\d]" for end in (id[:1], id[-1:]))
    spaced = r"[\s\W_]{0,3}".join(map(re.escape, id.casefold()))
    plain = text.normalise(said)
    whole = [one for one in text.identifiers(plain) if one.id != id and one.id.lstrip(_LETTERS) != id]
    return any(
        not any(one.start <= found.start() and found.end() <= one.end for one in whole)
        for found in re.finditer(f"(?<!{before}){spaced}(?!{after})", plain)
    )


def _without_dates(content: str, sources: Sequence[Message]) -> str:
    """Return a content without the absolute dates, however written, that the words of its sources mean."""
    days, clocks = _resolved(sources)
    for when in reversed(list(dates.find(fold(content), sources[-1].time))) if days else ():
        follows = str(when.day) in days and (not when.clock or when.clock in clocks)
        if follows and not when.is_relative and not when.last:
            content = f"{content[: when.start]} {content[when.end :]}"
    return content


def _speaks(language: str, said: str, sources: Sequence[Message]) -> bool:
    """Return whether the sources are in a language, or some of their words are; a tool's answer is in none."""
    spoken = text.language(said)
    if language == spoken or not spoken or all(message.role == "tool" for message in sources):
        return True
    words = _LATIN.findall(said) if language == "en" else _HAN.findall(said) if language == "zh" else []
    return len(words) >= MIXED_WORDS


def _named(sources: Sequence[Message], around: Sequence[Message]) -> list[str]:
    """Return the business numbers that a fact may name beside its sources' own, in canonical form."""
    turns = {message.turn for message in sources}
    near = _ids(message for message in around if message.turn in turns)
    return near or _ids(around)


def _ids(messages: Iterable[Message]) -> list[str]:
    return [found.id for message in messages for found in text.identifiers(message.content) if found.labelled]


def _missing_numbers(fact: Fact, told: str, sources: Sequence[Message], plain: str, named: Sequence[str]) -> bool:
    content = f"{told} {fact.value if isinstance(fact.value, str | int | float) else ''}"
    for found in reversed(text.identifiers(content)):
        if _is_said(found.id, plain) or found.id in named:
            content = f"{content[: found.start]} {content[found.end :]}"
        elif found.labelled:
            return True
    days, clocks = _resolved(sources)
    rest = _ISO.sub(lambda found: _unresolved(found, days, clocks), text.normalise(content))
    said = numbers(fold(plain)) | {number.replace(",", "") for number in _NUMBER.findall(plain)}
    wanted = [found.replace(",", "") for found in _NUMBER.findall(rest)]
    wanted += [str(_chinese(found["n"])) for found in _COUNTED.finditer(fold(told)) if not _one(found["n"])]
    return any(number not in said for number in wanted)


def _resolved(sources: Sequence[Message]) -> tuple[set[str], set[str]]:
    """Return the days and months that the words of the sources may mean, and the times of day that they say."""
    ways: tuple[dates.Toward, ...] = ("", "ahead", "back")
    found = [
        when
        for message in sources
        for toward in ways
        for when in dates.find(fold(message.content), message.time, toward=toward)
    ]
    days = {str(day) for when in found for day in (when.day, when.end_day)} | {f"{when.day:%Y-%m}" for when in found}
    return days, {when.clock for when in found if when.clock}


def _unresolved(found: re.Match[str], days: set[str], clocks: set[str]) -> str:
    """Return what of an absolute date does not follow from the sources."""
    if found["date"] not in days:
        return found.group()
    return "" if not found["clock"] or found["clock"] in clocks else found["clock"]


def without_wrong_dates(fact: Fact, sources: Sequence[Message]) -> Fact:
    """Return a fact without the dates beside its words, and without the date as its value, that its sources do not mean."""
    days, clocks = _resolved(sources)
    content = _BESIDE.sub(lambda found: found.group() if not _unresolved(found, days, clocks) else "", fact.content)
    date = _ISO.fullmatch(fact.value.strip()) if isinstance(fact.value, str) else None
    wrong = date is not None and bool(_unresolved(date, days, clocks))
    return fact.model_copy(update={"content": content, "value": None if wrong else fact.value})


# --- numbers in words ---------------------------------------------------------------------------------------------

_DIGITS: Final = {char: at for at, char in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "俩": 2,
    "仨": 3,
    "幺": 1,
}
_PLACES: Final = {"十": 10, "百": 100, "千": 1000}
_CHINESE: Final = re.compile(r"[零〇一二两俩仨三四五六七八九幺十百千万]+")
_COUNTED: Final = re.compile(
    r"(?P<n>[零〇一二两俩三四五六七八九十百千万]+)(?=岁|个月|个|只|口人|元|块钱|公斤|斤|小时|分钟|号楼)"
)
"""Numerals of a fact that count something; others, as in 一下, are words."""
_SCALED: Final = re.compile(r"(\d+(?:\.\d+)?) ?(万|千|百|亿|w\b|k\b)")
_SCALES: Final = {"百": 100, "千": 1000, "k": 1000, "万": 10_000, "w": 10_000, "亿": 100_000_000}
_ONES: Final = dict(zip(
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"],
    range(1, 20), strict=True,
)) | {"couple": 2, "both": 2, "twice": 2, "dozen": 12}  # fmt: skip
_TENS: Final = dict(
    zip(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], range(20, 100, 10), strict=True)
)
_ENGLISH: Final = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})(?:[- ](?P<ones>{'|'.join(_ONES)}))?|(?P<word>{'|'.join(_ONES)}))\b"
)


def numbers(folded: str) -> set[str]:
    """Return the numbers that folded words say: 30, 三十, thirty, 两万, 1.5k; digits that are spoken one by one, too."""
    found = set(_NUMBER.findall(folded)) | {str(_chinese(word)) for word in _CHINESE.findall(folded)}
    found |= {
        "".join(str(_DIGITS[char]) for char in word) for word in _CHINESE.findall(folded) if set(word) <= _DIGITS.keys()
    }
    for match in _SCALED.finditer(folded):
        amount = float(match[1]) * _SCALES[match[2]]
        found.add(str(int(amount)) if amount.is_integer() else str(amount))
    for match in _ENGLISH.finditer(folded):
        value = _ONES[match["word"]] if match["word"] else _TENS[match["tens"]] + _ONES.get(match["ones"] or "", 0)
        found.add(str(value))
    return found


def _chinese(word: str) -> int:
    """Return the value of a Chinese numeral: 三十 30, 一百零五 105, 两万三 20003 as written."""
    total = section = digit = 0
    for char in word:
        if char in _DIGITS:
            digit = _DIGITS[char]
        elif char in _PLACES:
            section += (digit or 1) * _PLACES[char]
            digit = 0
        else:  # 万
            total, section, digit = (total + section + (digit or 0) or 1) * 10_000, 0, 0
    return total + section + digit


def _one(word: str) -> bool:
    return word in ("一", "零", "〇")


def _names(fact: Fact, told: str) -> list[str]:
    names = [re.sub(r"'s?$", "", name) for name in _NAME.findall(told)]
    names = [name for name in names if name.casefold() not in ("user", "support", "order", "the")]
    if isinstance(fact.value, str) and (fact.key or "").endswith((":name", ".name", ":call_me")):
        names.append(fact.value)
    return names


def _is_as_negated(fact: Fact, said: str) -> bool:
    """Return whether each clause of a fact is negated like what it repeats of the sources; numbers alone are neither.

    A clause that follows a negated one may share its negation.
    """
    clauses = [clause for clause in _CLAUSE.split(fold(said)) if clause.strip()]
    before = False
    for clause in filter(str.strip, _CLAUSE.split(fold(fact.content).replace(":", " "))):
        negated = _is_negated(fact, clause)
        words = set(own(_WITH_DIGITS.sub(" ", clause)))
        shares = [len(words & set(text.terms(other))) for other in clauses] if words else []
        if shares and (best := max(shares)) and (negated or not before):
            meant = [other for other, share in zip(clauses, shares, strict=True) if share == best]
            if all(_is_negated(fact, other) != negated for other in meant):
                return False
        before = before or negated
    return True


def _is_negated(fact: Fact, folded: str) -> bool:
    called_off = fact.type not in BUSINESS and _CALLED_OFF.search(folded)
    return bool(_NEGATION.search(folded) or called_off)


def own_terms(fact: Fact, said: str) -> set[str]:
    """Return the terms that make the fact: of its value where that was said, else of its content without the frame."""
    value = set(text.terms(fold(fact.value))) if isinstance(fact.value, str) else set()
    return value if value & set(text.terms(fold(said))) else set(own(fact.content))


def own(content: str) -> list[str]:
    """Return the terms of a fact without those of its frame, such as "the user likes"."""
    return [term for term in text.terms(_FRAME.sub(" ", fold(content))) if len(term) > 1 or not term.isascii()]


def _overlap(content: str, plain: str) -> float:
    terms = own(content)
    if not terms:
        return 1.0
    said = set(text.terms(fold(plain))) | numbers(fold(plain))
    return sum(term in said for term in terms) / len(terms)
