"""The rolling summary without a model: the sentences that must not be lost, in their order, within the budget."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from zhiji import text
from zhiji.extract.fold import fold
from zhiji.tokens import Counter

LINE_CHARS = 200
"""Longest sentence that is kept whole."""

_ADDRESS = re.compile(r"地址|[路街巷弄]\s*\d|号楼|address|\b\d+ [a-z' ]+(?:street|st|road|rd|lane|avenue|ave)\b")
_PROMISE = re.compile(
    r"退款|承诺|答应|赔|补偿|\d\s*(?:元|块|天内|小时内)|[$€£¥]\s?\d|refund|promis|within \d+|compensat"
)
_REQUEST = re.compile(r"想|要|请|希望|帮我|记住|别忘|want|would like|please|need|remember")
_CUT = re.compile(r"(?<=[。！？；])|(?<=[.!?;])\s+")
_SPEAKER = re.compile(r"(?:user|assistant|tool)[:∶] ?")

_WEIGHTS = ((_ADDRESS, 3.0), (_PROMISE, 3.0), (_REQUEST, 1.0))
"""Orders, addresses and promises first, then what the user asked for (articles S6.4, T4.3)."""

_NUMBER_WEIGHT = 4.0
_SHARES = {"user": 1.2, "tool": 0.5}
"""The user's own words weigh more; what a tool returned is mostly said again by the assistant."""
_FOUND_WEIGHT = 0.5
"""Of a sentence that the previous summary kept: on a tie the older statement stays."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    at: int
    words: str
    weight: float


class OfflineSummariser:
    """Extracts; never writes a sentence of its own."""

    def __init__(self, counter: Counter) -> None:
        """``counter`` measures the budget."""
        self._counter = counter

    async def __call__(self, previous: str, transcript: str, max_tokens: int) -> str:
        """Return at most ``max_tokens`` of the weightiest sentences of both texts, in their order, one a line."""
        said = _sentences(previous, transcript)
        found = [sentence for sentence in said if sentence.weight >= 1] or said
        kept: list[_Sentence] = []
        for sentence in sorted(found, key=lambda sentence: (-sentence.weight, sentence.at)):
            tried = sorted([*kept, sentence], key=lambda sentence: sentence.at)
            if self._counter.text(_joined(tried)) <= max_tokens:
                kept = tried
        return _joined(kept) or self._counter.truncate(_joined(found[:1]), max_tokens)


def _joined(sentences: list[_Sentence]) -> str:
    return "\n".join(sentence.words for sentence in sentences)


def _sentences(previous: str, transcript: str) -> list[_Sentence]:
    found: dict[str, _Sentence] = {}
    for origin, bonus in ((previous, _FOUND_WEIGHT), (transcript, 0.0)):
        for words in _spoken(origin):
            line = text.truncate(words, LINE_CHARS)
            found.setdefault(text.normalise(line), _Sentence(len(found), line, _weight(line) + bonus))
    return list(found.values())


def _spoken(origin: str) -> Iterator[str]:
    """Yield the sentences, each with the speaker of its line."""
    for line in origin.splitlines():
        match = _SPEAKER.match(line)
        speaker, words = (match[0], line[match.end() :]) if match else ("", line)
        yield from (speaker + " ".join(part.split()) for part in _CUT.split(words) if part.strip())


def _weight(line: str) -> float:
    folded = fold(line)
    weight = sum(value for rule, value in _WEIGHTS if rule.search(folded))
    weight += _NUMBER_WEIGHT * bool(text.identifiers(line))
    return weight * _SHARES.get(re.split("[:∶]", line, maxsplit=1)[0], 1.0)
