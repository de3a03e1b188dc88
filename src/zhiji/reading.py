"""Reading a memory sentence: text → concepts with their polarity. One half of ``relation``; pure.

A sentence becomes a list of ``Word``: concepts of the ``lexicon``, identifiers, typed numbers, and unknown words as
they are. Filler is dropped. A clause with an odd number of denials denies all its words. Chinese is cut by longest
match against the lexicon; what lies between two known words is one unknown word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby
from typing import NamedTuple

from zhiji import lexicon
from zhiji.quantities import FIRST_MARK, LAST_MARK, mark
from zhiji.text import normalise, stem


class Word(NamedTuple):
    """One concept of a sentence."""

    kind: str
    """A kind of ``lexicon.TABLE``, ``number``, ``id``, or ``word`` for anything unknown."""
    name: str
    """The concept, ``unit:amount``, or the word's own spelling."""


@dataclass(frozen=True, slots=True)
class Clause:
    """The words of one clause, filler left out."""

    words: tuple[Word, ...]
    denied: bool

    def names(self, *kinds: str) -> frozenset[str]:
        """Return the names of the words of these kinds."""
        return frozenset(word.name for word in self.words if word.kind in kinds)


@dataclass(frozen=True)
class Reading:
    """A sentence as clauses. One sentence is compared with many others, so its words are put together only once."""

    clauses: tuple[Clause, ...]

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """Return all words in order."""
        return tuple(word for clause in self.clauses for word in clause.words)

    def names(self, *kinds: str) -> frozenset[str]:
        """Return the names of the words of these kinds."""
        return frozenset[str]().union(*(self._named.get(kind, ()) for kind in kinds))

    @cached_property
    def _named(self) -> Mapping[str, frozenset[str]]:
        kinds = {word.kind for word in self.words}
        return {kind: frozenset(word.name for word in self.words if word.kind == kind) for kind in kinds}

    def signs(self, word: Word) -> frozenset[bool]:
        """Return whether the clauses that hold this word deny it: one value, or both."""
        return frozenset(clause.denied for clause in self.clauses if word in clause.words)


# --- spelling -----------------------------------------------------------------------------------------------------

_SIMPLIFIED = str.maketrans(lexicon.TRADITIONAL, lexicon.SIMPLIFIED)
_REWRITES = (
    (re.compile(r"\b(?:can't|cannot)\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"(?<=[a-z])'(?:(?:s|re|ve|m|ll|d)\b|(?=\s|$))"), " "),
    (re.compile(r"在(?![家外线找忙])([^\s,.，。;；]{1,16}?)(?:工作|上班)(?=了?(?:[,.，。;；]|$))"), r"就职于\1"),
    (re.compile(r"(?<![上下晚午晨早])一点"), ""),
    (re.compile(r"不(?=过敏|同意)"), "没"),
    (re.compile(r"\bg[ai]ve (\w+(?: \w+){0,3}) away\b"), r"gave away \1"),
)


_IDLE = re.compile(r"(?<![a-z0-9])[\s,.;:!?。、·…\"'()《》]+|[\s,.;:!?。、·…\"'()《》]+(?![a-z0-9])")


def simplify(text: str) -> str:
    """Return the normal form of ``text`` (NFKC, case folded) in simplified characters."""
    return normalise(text).translate(_SIMPLIFIED)


def plain(text: str) -> str:
    """Return the spelling that equal texts share: ``simplify`` without idle spaces and punctuation; maybe empty.

    What stands between two Latin letters or digits stays: 1.5 is not 15, and "a part" is not "apart".
    """
    return _IDLE.sub("", simplify(text))


def _rewrite(text: str) -> str:
    for pattern, replacement in _REWRITES:
        text = pattern.sub(replacement, text)
    return text


# --- words --------------------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    rf"(?P<mark>[{FIRST_MARK}-{LAST_MARK}])|(?P<han>[\u3400-\u9fff]+)"
    r"|(?P<stop>[,.;:!?。、\n]+)|(?P<word>[^\W\d_]+(?:'[^\W\d_]+)?(?:\+\+|#)?|\d+|[\u2190-\u2bff\U0001f000-\U0001faff])"
)
_PHRASE_WORDS = 4
_ANYWHERE = frozenset("的了是在对吗呢吧啊呀不没叫住有从到去吃喝买想要爱养用换改寄付猫狗我")
"""Single characters that are words wherever they stand; others only at the edge of what is not known."""
_LEANING = frozenset(("filler", "person", "beside", "word", "topic"))
"""Kinds whose single characters often begin a longer word."""
_NO_NAMES = frozenset(("turn", "not", "change", "correct", "end", "now", "predicate", "person"))
"""Kinds that no name begins with."""
_NAME_CHARS = 6
"""A name runs to the end of its clause, if that is not further than this."""
_TRAILING = re.compile("(?:了|吧|啊|呀|呢)+$")


@lru_cache(maxsize=1)
def _spellings() -> tuple[dict[str, Word], dict[str, Word], int]:
    """Return Chinese spellings, English ones (plain, then by stem), and the length of the longest Chinese one."""
    han: dict[str, Word] = {}
    latin: dict[str, Word] = {}
    stems: dict[str, Word] = {}
    for kind, rows in lexicon.TABLE.items():
        for name, *spellings in map(str.split, rows.strip().splitlines()):
            for spelling in spellings:
                phrase = spelling.replace("_", " ")
                (latin if phrase.isascii() else han).setdefault(phrase, Word(kind, name))
                stems.setdefault(_stems(phrase), Word(kind, name))
    return han, stems | latin, max(map(len, han))


def _stems(phrase: str) -> str:
    return " ".join(map(stem, phrase.split(" ")))


def _phrase(words: Sequence[str]) -> tuple[Word, int]:
    """Return the longest known phrase that a run of Latin words begins with, or its first word, and its length."""
    known = _spellings()[1]
    for length in range(min(_PHRASE_WORDS, len(words)), 0, -1):
        phrase = " ".join(words[:length])
        found = known.get(phrase) or known.get(_stems(phrase))
        if found:
            return found, length
    return Word("word", _uninflected(words[0])), 1


def _uninflected(word: str) -> str:
    """Return an unknown English word without plural and tense; gentler than a stem, so that Mary is not Marie."""
    word = re.sub(r"(?<![sui])s$", "", re.sub(r"(?<=[^aeiou])ies$", "y", word)) if len(word) > 3 else word
    word = re.sub(r"(?:ing|ed)$", "", word) if len(word) > 5 else word
    return word.removesuffix("e") if len(word) > 4 else word


def _cut_latin(words: Sequence[str]) -> Iterator[Word]:
    """Yield the longest known phrases of a run of Latin words; what follows "is called" is a name as it stands."""
    named = False
    at = 0
    while at < len(words):
        word, length = _phrase(words[at:])
        if named and word.name != "copula" and word.kind not in _NO_NAMES:
            word, length = Word("word", words[at]), 1
        elif word.name != "copula":
            named = _introduces(word)
        at += length
        yield word


def _introduces(word: Word) -> bool:
    return word.kind == "predicate" and word.name in ("called", "callme")


def _known_size(run: str, at: int, *, inside: bool) -> int:
    """Return the length of the longest known word at a place, 0 if there is none.

    A single character that is no word by itself counts only between known words: 中 is dropped in 退款中, kept in 中山.
    """
    known, _, longest = _spellings()
    size = next((n for n in range(min(longest, len(run) - at), 0, -1) if run[at : at + n] in known), 0)
    if size == 1 and run[at] not in _ANYWHERE:
        after = at + 1
        lonely = after < len(run) and run[after] not in _ANYWHERE and not _known_size(run, after, inside=False)
        return 0 if inside or (lonely and known[run[at]].kind in _LEANING and run[at] != "把") else 1
    return size


def _cut_han(run: str) -> Iterator[Word]:
    """Yield the longest known words of a run of Chinese, and what lies between them."""
    known = _spellings()[0]
    unknown = ""
    at = 0
    while at < len(run):
        size = _known_size(run, at, inside=bool(unknown))
        if not size:
            unknown += run[at]
            at += 1
            continue
        if unknown:
            yield Word("word", unknown)
            unknown = ""
        word = known[run[at : at + size]]
        at += size
        yield word
        rest = _TRAILING.sub("", run[at:].lstrip("是为做"))
        if _introduces(word) and 0 < len(rest) <= _NAME_CHARS and "的" not in rest:
            yield Word("word", rest)
            return
    if unknown:
        yield Word("word", unknown)
    elif run.endswith("了"):
        yield Word("particle", "le")


def _cut(text: str) -> Iterator[Word]:
    """Yield all words of a text in order, fillers and stops included."""
    marked, numbers = mark(_rewrite(simplify(text)))
    for kind, group in groupby(_TOKEN.finditer(marked), key=lambda match: match.lastgroup):
        tokens = [match[0] for match in group]
        if kind == "han":
            for run in tokens:
                yield from _cut_han(run)
        elif kind == "word":
            yield from _cut_latin(tokens)
        elif kind == "mark":
            yield from (Word(*numbers[ord(token) - ord(FIRST_MARK)]) for token in tokens)
        else:
            yield Word("stop", "")


# --- clauses ------------------------------------------------------------------------------------------------------

_PREDICATES = frozenset(("predicate", "denied", "not", "end"))
_NUMBERED = frozenset(("order", "ticket", "invoice", "flight", "card", "tail", "phonenumber", "shipment", "coupon"))
"""Things that have a number: the bare number after one is an identifier."""
_NUMBER_OF = {"phonecall": "phonenumber", "mail": "email"}
"""What a channel means when its number follows."""
_DENYING_ENDS = frozenset(("stop",))
_DROPPED = frozenset(("filler", "beside", "not", "particle"))


def read(text: str) -> Reading:
    """Return what a sentence says."""
    words = _resolved(list(_cut(text)))
    return Reading(tuple(clause for part in _split(words) if (clause := _clause(part)) is not None))


def _resolved(words: Sequence[Word]) -> list[Word]:
    """Return the words with people told from subjects and bare numbers from identifiers."""
    resolved: list[Word] = []
    for at, word in enumerate(words):
        before = [other for other in words[:at] if other.kind != "filler"]
        if word.kind == "person" and not _is_subject(words[:at]):
            word = Word("word", f"person:{word.name}")
        elif word.kind == "channel" and any(other.kind == "id" for other in words[at:]):
            word = Word("topic", _NUMBER_OF.get(word.name, word.name))
        elif word.kind == "number" and word.name.startswith("count:") and before and before[-1].name in _NUMBERED:
            word = Word("id", word.name.removeprefix("count:"))
        resolved.append(word)
    return resolved


def _is_subject(before: Sequence[Word]) -> bool:
    """Return whether a person with these words in front is who the sentence is about."""
    if any(word.kind in _PREDICATES for word in before):
        return False
    last = next((word for word in reversed(before) if word.name not in ("the", "be", "user")), None)
    return last is None or (last.kind != "beside" and last.name != "copula")


def _split(words: Sequence[Word]) -> Iterator[list[Word]]:
    """Yield the words of each clause: cut at stops and turns, and at an "and" that a predicate follows."""
    clause: list[Word] = []
    for at, word in enumerate(words):
        if word.kind == "stop" or (word.kind == "turn" and (word.name != "and" or _goes_on(words[at + 1 :]))):
            yield clause
            clause = [Word("not", "not")] if word.name == "rather" else []
        elif word.kind != "turn":
            clause.append(word)
    yield clause


def _goes_on(words: Sequence[Word]) -> bool:
    clause = next((words[:at] for at, word in enumerate(words) if word.kind == "stop"), words)
    return any(word.kind in _PREDICATES for word in clause)


def _clause(words: Sequence[Word]) -> Clause | None:
    denials = sum(word.kind in ("not", "denied") or word.name in _DENYING_ENDS for word in words)
    denied = denials % 2 == 1
    kept = [word for word in words if word.kind not in _DROPPED]
    kept = [Word("predicate", word.name) if word.kind == "denied" else word for word in kept]
    if any(word.kind == "particle" for word in words):
        kept.append(Word("end", "anymore") if denied else Word("now", "le"))
    kept, denied = _diet(kept, denied)
    return Clause(tuple(kept), denied) if kept else None


_MEATLESS = Word("diet", "vegetarian")
_EATS_MEAT = Word("diet", "omnivore")


def _diet(words: list[Word], denied: bool) -> tuple[list[Word], bool]:
    """Return the words with "eats no meat" as the diet that it is."""
    named = {word.name for word in words if word.kind in ("predicate", "word")}
    if named == {"eat", "meat"}:
        words = [word for word in words if word.kind not in ("predicate", "word")] + [_EATS_MEAT]
    if denied and _EATS_MEAT in words:
        return [_MEATLESS if word == _EATS_MEAT else word for word in words], False
    return words, denied
