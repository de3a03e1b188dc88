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

from zhiji.hanzi import simplified
from zhiji.quantities import FIRST_MARK, LAST_MARK, mark
from zhiji.relation import lexicon
from zhiji.relation.inflections import bases, uninflected
from zhiji.relation.lexicon.triggers import triggers
from zhiji.text import normalise


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


_NOTHING: frozenset[str] = frozenset()


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
        if len(kinds) == 1:
            return self._named.get(kinds[0], _NOTHING)
        return _NOTHING.union(*(self._named[kind] for kind in kinds if kind in self._named))

    @cached_property
    def _named(self) -> Mapping[str, frozenset[str]]:
        kinds = {word.kind for word in self.words}
        return {kind: frozenset(word.name for word in self.words if word.kind == kind) for kind in kinds}

    def signs(self, word: Word) -> frozenset[bool]:
        """Return whether the clauses that hold this word deny it: one value, or both."""
        return frozenset(clause.denied for clause in self.clauses if word in clause.words)


# --- spelling -----------------------------------------------------------------------------------------------------

_HAN = re.compile("[\u3400-\u9fff]")
_LATIN = re.compile("[a-z]")


_Idiom = tuple[tuple[str, ...], re.Pattern[str], lexicon.Plainer]
"""Strings of which one is in the text if the pattern matches; the pattern; what it stands for."""


@lru_cache(maxsize=1)
def _idioms() -> tuple[tuple[re.Pattern[str], tuple[_Idiom, ...]], ...]:
    """Return the turns of phrase of each script, and what tells that a text is in it."""
    tables = ((_LATIN, lexicon.ENGLISH), (_HAN, lexicon.CHINESE))
    return tuple(
        (script, tuple((tuple(triggers(pattern)) or ("",), re.compile(pattern), plainer) for pattern, plainer in rows))
        for script, rows in tables
    )


_IDLE = re.compile(r"(?<![a-z0-9])[\s,.;:!?。、·…\"'()《》]+|[\s,.;:!?。、·…\"'()《》]+(?![a-z0-9])")


def simplify(text: str) -> str:
    """Return the normal form of ``text`` (NFKC, case folded) in simplified characters."""
    return simplified(normalise(text))


def plain(text: str) -> str:
    """Return the spelling that equal texts share: ``simplify`` without idle spaces and punctuation; maybe empty.

    What stands between two Latin letters or digits stays: 1.5 is not 15, and "a part" is not "apart".
    """
    return _IDLE.sub("", simplify(text))


@lru_cache(maxsize=4096)
def plainer(text: str) -> str:
    """Return a simplified text with its turns of phrase in plainer words."""
    for script, idioms in _idioms():
        if script.search(text):
            for needed, pattern, words in idioms:
                for string in needed:
                    if string in text:
                        text = pattern.sub(words, text)
                        break
    return text


# --- words --------------------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    rf"(?P<mark>[{FIRST_MARK}-{LAST_MARK}])|(?P<han>[\u3400-\u9fff]+)"
    r"|(?P<stop>[,.;:!?。、\n]+)|(?P<word>[^\W\d_\u3400-\u9fff]+(?:'[^\W\d_\u3400-\u9fff]+)?(?:\+\+|#)?|\d+|[\u2190-\u2bff\U0001f000-\U0001faff])"
)
_PHRASE_WORDS = 5
_ANYWHERE = frozenset("的了是在对吗呢吧啊呀不没叫住有从到去吃喝买想要爱养用换改寄付猫狗我")
"""Single characters that are words wherever they stand; others only at the edge of what is not known."""
_LEANING = frozenset(("filler", "person", "beside", "word", "topic"))
"""Kinds whose single characters often begin a longer word."""
_NO_NAMES = frozenset(("user", "turn", "not", "change", "correct", "end", "now", "predicate", "person"))
"""Kinds that no name begins with."""
_NAME_CHARS = 6
"""A name runs to the end of its clause, if that is not further than this."""
_TRAILING = re.compile("(?:了|吧|啊|呀|呢)+$")


@lru_cache(maxsize=1)
def _spellings() -> tuple[dict[str, Word], dict[str, Word], int]:
    """Return Chinese spellings, English ones (as listed, and without inflections), and the longest Chinese length."""
    han: dict[str, Word] = {}
    latin: dict[str, Word] = {}
    for kind, rows in lexicon.TABLE.items():
        for name, spellings in rows:
            for spelling in spellings:
                phrase = spelling.replace("_", " ").replace("-", " ").lower()
                (latin if phrase.isascii() else han).setdefault(phrase, Word(kind, name))
    return han, latin, max(map(len, han))


@lru_cache(maxsize=1)
def _vocabulary() -> frozenset[str]:
    """Return every word that occurs in an English spelling."""
    return frozenset(word for phrase in _spellings()[1] for word in phrase.split())


@lru_cache(maxsize=8192)
def _base(word: str) -> str:
    """Return the known word that this is a form of, or the word itself."""
    return next((base for base in bases(word) if base in _vocabulary()), word)


def is_known(word: str) -> bool:
    """Return whether an English word, or what it is a form of, occurs in the lexicon."""
    return _base(word) in _vocabulary()


def _phrase(words: Sequence[str]) -> tuple[Word, int]:
    """Return the longest known phrase that a run of Latin words begins with, or its first word, and its length."""
    known = _spellings()[1]
    if words[0] in _vocabulary() or _base(words[0]) in _vocabulary():
        for length in range(min(_PHRASE_WORDS, len(words)), 0, -1):
            found = known.get(" ".join(words[:length])) or known.get(" ".join(map(_base, words[:length])))
            if found:
                return found, length
    return Word("word", uninflected(words[0])), 1


def _cut_latin(words: Sequence[str], *, named: bool) -> Iterator[Word]:
    """Yield the longest known phrases of a run of Latin words; what follows "is called" is a name as it stands."""
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
    return word.kind == "predicate" and word.name in ("called", "callme", "surname")


def _known_size(run: str, at: int, *, inside: bool) -> int:
    """Return the length of the longest known word at a place, 0 if there is none.

    A shorter one is taken if a longer word follows it then: 在|上海, not 在上|海.
    A single character that is no word by itself counts only between known words: 中 is dropped in 退款中, kept in 中山.
    """
    known, _, longest = _spellings()
    sizes = [n for n in range(min(longest, len(run) - at), 0, -1) if run[at : at + n] in known]
    size = sizes[0] if sizes else 0
    if len(sizes) > 1 and not inside:
        free = [n for n in sizes if n > 1 or run[at] in _ANYWHERE] or sizes
        size = max(free, key=lambda n: (n + _next_size(run, at + n), n))
    if size == 1 and run[at] not in _ANYWHERE:
        after = at + 1
        lonely = after < len(run) and run[after] not in _ANYWHERE and not _known_size(run, after, inside=False)
        return 0 if inside or (lonely and known[run[at]].kind in _LEANING and run[at] != "把") else 1
    return size


def known_character(char: str) -> str:
    """Return the concept that a Chinese character is a word for, or the character."""
    word = _spellings()[0].get(char)
    return word.name if word is not None and word.kind in ("word", "topic") else char


def _next_size(run: str, at: int) -> int:
    """Return the length of the longest known word at a place; a single character only if it is a word anywhere."""
    known, _, longest = _spellings()
    size = next((n for n in range(min(longest, len(run) - at), 1, -1) if run[at : at + n] in known), 0)
    return size or int(run[at : at + 1] in _ANYWHERE and at < len(run))


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
    marked, numbers = mark(plainer(simplify(text)))
    last: Word | None = None
    for kind, group in groupby(_TOKEN.finditer(marked), key=lambda match: match.lastgroup):
        tokens = [match[0] for match in group]
        if kind == "han":
            for run in tokens:
                for word in _cut_han(run):
                    last = word if word.name != "copula" else last
                    yield word
        elif kind == "word":
            yield from _cut_latin(tokens, named=last is not None and _introduces(last))
            last = None
        elif kind == "mark":
            yield from (Word(*numbers[ord(token) - ord(FIRST_MARK)]) for token in tokens)
        else:
            last = None
            yield Word("stop", "")


# --- clauses ------------------------------------------------------------------------------------------------------

_PREDICATES = frozenset(("predicate", "denied", "not", "end"))
_NUMBERED = frozenset(("order", "ticket", "invoice", "flight", "card", "tail", "phonenumber", "shipment", "coupon"))
"""Things that have a number: the bare number after one is an identifier."""
_NUMBER_OF = {"phonecall": "phonenumber", "mail": "email"}
"""What a channel means when its number follows."""
_DENYING_ENDS = frozenset(("stop",))
_UNTOLD = frozenset(("user", "now", "turn", "stop"))
_DROPPED = frozenset(("filler", "beside", "not", "particle"))


@lru_cache(maxsize=4096)
def read(text: str) -> Reading:
    """Return what a sentence says."""
    words = _at_clock(_resolved(list(_cut(text))))
    return Reading(tuple(clause for part in _split(words) if (clause := _clause(part)) is not None))


def concepts(text: str) -> frozenset[str]:
    """Return what a text speaks of, in words of no language: ``food:peanut``, ``place:beijing``, ``id:od2024``.

    For finding sentences in another language. Unknown words, people and what carries no meaning are left out.
    """
    told = (word for word in read(text).words if word.kind not in _UNTOLD)
    return frozenset(f"{topic_of(word)}:{word.name}" for word in told if topic_of(word) != "word")


def topic_of(word: Word) -> str:
    """Return the topic of an open concept (food, animal, job), the kind of any other, ``word`` for what is not known."""
    return _topics().get(word.name, "word") if word.kind == "word" else word.kind


@lru_cache(maxsize=1)
def _topics() -> dict[str, str]:
    """Return the topic of every open concept: food, animal, job."""
    return {name: topic for topic, rows in lexicon.BY_TOPIC.items() for name, _ in rows}


def _resolved(words: Sequence[Word]) -> list[Word]:
    """Return the words with people told from subjects and bare numbers from identifiers."""
    resolved: list[Word] = []
    for at, word in enumerate(words):
        before = [other for other in words[:at] if other.kind != "filler"]
        if word.kind == "place" and word.name in lexicon.REGIONS and _is_containing(words, at):
            word = Word("filler", "the")
        elif word.name.endswith("人") and _is_native(words, at):
            resolved.extend([Word("word", word.name[:-1])] if len(word.name) > 1 else [])
            word = Word("predicate", "origin")
        elif word.kind == "user" and before and before[-1].kind == "user":
            word = Word("person", "client")
        elif word.kind == "person" and not _is_subject(_in_clause(words[:at])):
            word = Word("word", f"person:{word.name}")
        elif word.kind == "number" and word.name.startswith("grade:"):
            word = Word("stage", word.name.replace(":", ""))
        elif word.name == "mobile" and any(other.name == "tail" or _PHONE.fullmatch(other.name) for other in words):
            word = Word("topic", "phonenumber")
        elif word.name == "plan" and at + 1 < len(words) and words[at + 1].kind == "place":
            word = Word("predicate", "go")
        elif word.kind == "channel" and any(other.kind == "id" for other in words[at:]):
            word = Word("topic", _NUMBER_OF.get(word.name, word.name))
        elif word.name.startswith("count:") and word.name != "count:1" and _is_numbered(before, word):
            word = Word("id", word.name.removeprefix("count:"))
        resolved.append(word)
    return resolved


def _is_containing(words: Sequence[Word], at: int) -> bool:
    """Return whether a region only says where the city beside it lies: 四川成都; "Paris, France"."""
    after = words[at + 1] if at + 1 < len(words) else None
    if after is not None and after.kind == "place" and after.name not in lexicon.REGIONS:
        return True
    before = [word for word in words[max(0, at - 2) : at] if word.kind != "stop"]
    return at >= 2 and words[at - 1].kind == "stop" and bool(before) and before[-1].kind == "place"


def _is_native(words: Sequence[Word], at: int) -> bool:
    """Return whether a word that ends in 人 closes a clause that only says from what place somebody is: 湖南长沙人."""
    clause = _in_clause(words[:at])
    told = {word.kind for word in clause} - {"filler"}
    ends = at + 1 == len(words) or words[at + 1].kind == "stop"
    return ends and bool(clause) and clause[-1].kind == "place" and told <= {"user", "person", "place", "now"}


def _in_clause(words: Sequence[Word]) -> Sequence[Word]:
    """Return what stands behind the last stop."""
    stop = max((at for at, word in enumerate(words) if word.kind == "stop"), default=-1)
    return words[stop + 1 :]


def _is_numbered(before: Sequence[Word], word: Word) -> bool:
    """Return whether a bare number names what stands before it."""
    last = before[-1].name if before else ""
    return last in _NUMBERED or ("tail" in {other.name for other in before} and len(word.name) >= len("count:100"))


_PHONE = re.compile(r"[\d*+]{7,}")
_HALVES = {"morning": 0, "noon": 0, "afternoon": 12, "evening": 12}


def _at_clock(words: list[Word]) -> list[Word]:
    """Return the words without the part of the day that a time of day makes plain: "in the evening, at 7:00" is 19:00."""
    parts = {word.name for word in words if word.kind == "when"} & _HALVES.keys()
    if not parts or not any(word.name.startswith("clock:") for word in words):
        return words
    late = len(parts) == 1 and max(_HALVES[part] for part in parts)
    return [_later(word) if late else word for word in words if word.name not in parts]


def _later(word: Word) -> Word:
    _, hour, minute = word.name.split(":") if word.name.startswith("clock:") else ("", "", "")
    return Word(word.kind, f"clock:{int(hour) + 12}:{minute}") if hour and int(hour) < 12 else word


def _is_subject(before: Sequence[Word]) -> bool:
    """Return whether a person with these words in front is who the sentence is about."""
    if any((word.kind in _PREDICATES and word.name != "own") or word.name == "copula" for word in before):
        return False
    last = next((word for word in reversed(before) if word.name not in ("the", "be", "user", "own")), None)
    return last is None or last.kind != "beside"


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
    if _REFUND in kept and any(
        word.kind == "status" and word.name in ("returned", "delivered", "refunded") for word in kept
    ):
        kept = [word for word in kept if word.kind != "status" and word != _REFUND] + [Word("status", "refunded")]
    kept, denied = _diet(kept, denied)
    return Clause(tuple(kept), denied) if kept else None


_REFUND = Word("remedy", "refund")
"""A refund that has come back is a refund made."""
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


_STEM_CHARS = 4
"""Letters that two forms of one English word share at their beginning at the least."""


def are_kin(one: str, other: str) -> bool:
    """Return whether two English words are forms of one: known to mean the same, or alike at their beginning."""
    if one == other or (not one.isascii() or not other.isascii()):
        return one == other
    known = read(one).words
    return (bool(known) and known == read(other).words) or (
        len(one) >= _STEM_CHARS <= len(other) and one[:_STEM_CHARS] == other[:_STEM_CHARS]
    )
