"""One entry point for all text: made safe, compared, keyed, cut into index terms, shortened, fenced.

No other module folds case or width, cuts text or decides what a word is. Index terms are CJK characters and bigrams
(measured better than dictionary words on MemDaily), whole identifiers, and stemmed English. Pure: no I/O, no clock.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from operator import add
from typing import Literal

from snowballstemmer.english_stemmer import EnglishStemmer

from zhiji import policies
from zhiji.errors import InvalidKey
from zhiji.identifiers import Identifier as Identifier
from zhiji.identifiers import canonical_id as canonical_id
from zhiji.identifiers import compact
from zhiji.identifiers import identifiers as identifiers

Language = Literal["zh", "en", ""]

# --- safe text at the entry ---------------------------------------------------------------------------------------

_UNSAFE = re.compile("[\0\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def clean(text: str) -> str:
    """Return ``text`` with surrogate pairs joined, lone surrogates and NUL removed, and nothing else changed.

    The result encodes to strict UTF-8 and is kept whole by every store.
    """
    if not _UNSAFE.search(text):
        return text
    joined = _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    return _UNSAFE.sub("", joined)


# --- comparing ----------------------------------------------------------------------------------------------------

_IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\U000e0000-\U000e0fff"
)
"""Default-ignorable characters: zero-width, joiners, direction marks, variation selectors, tags."""
_INVISIBLE = re.compile(f"[{_IGNORABLE}]")
NOT_BLANK = r"[^\s\x1c-\x1f\x85]"
"""Pattern that finds something in exactly those texts of which ``str.strip`` leaves something, in any regex dialect."""
VISIBLE = rf"[^\s\x1c-\x1f\x85{_IGNORABLE}]"
"""Pattern that finds something in exactly those texts of which ``normalise`` leaves something."""
_SINGLE_QUOTE = re.compile("[‘’‚‛′]")
_DOUBLE_QUOTE = re.compile("[“”„‟″「」『』]")


def normalise(text: str) -> str:
    """Return the form that equal texts share; for comparing only, never stored or shown.

    NFKC, case folded, invisible characters removed, white space collapsed, curly quotes straight. Idempotent.
    """
    if text.isascii():
        return " ".join(text.lower().split())
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text).casefold())
    straight = _DOUBLE_QUOTE.sub('"', _SINGLE_QUOTE.sub("'", visible))
    return " ".join(unicodedata.normalize("NFKC", straight).split())


_HAN_RUN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd]+")
_OTHER_RUN = re.compile("[\u0370-\u1dff\u3040-\u30ff\uac00-\ud7af]+")
_LATIN_WORD = re.compile("[A-Za-z\u00c0-\u024f]{2,}(?![0-9])|\\b[aAI]\\b")


def language(text: str) -> Language:
    """Return the language that most of the words are in: ``zh``, ``en`` (any Latin text), or empty if neither."""
    if text.isascii():
        return "en" if _LATIN_WORD.search(text) else ""
    han = sum(map(len, _HAN_RUN.findall(text)))
    other = sum(map(len, _OTHER_RUN.findall(text)))
    latin = len(_LATIN_WORD.findall(text))
    if other > max(han / 2, latin):
        return ""
    if han >= latin:
        return "zh" if han else ""
    return "en"


# --- keys ---------------------------------------------------------------------------------------------------------

MAX_ID_CHARS = 128
"""Longest id of a business key, in characters."""

_ATTRIBUTE_TYPES = policies.attribute_types()


def business_key(type: str, raw_id: str) -> str:
    """Return ``<type>:<id>`` in canonical form: ``order:OD20240415008``; attribute ids stay lower case.

    Raises:
        InvalidKey: unknown type, or an id that is empty or longer than ``MAX_ID_CHARS``.
    """
    policies.policy(type)
    id = compact(raw_id).lower() if type in _ATTRIBUTE_TYPES else canonical_id(raw_id)
    if not id or len(id) > MAX_ID_CHARS or not id.isprintable():
        raise InvalidKey(f"the id of a key has 1 to {MAX_ID_CHARS} visible characters; give such an id")
    return f"{type}:{id}"


def key_parts(key: str) -> tuple[str, str]:
    """Return the type and the id that a key names, the type as it is written here: ``Order：OD1`` is ``order`` and ``OD1``.

    A key that names no type is all id.
    """
    prefix, colon, rest = key.replace("\uff1a", ":").partition(":")
    type = compact(prefix).lower()
    return (type, rest) if colon and type in policies.TYPES else ("", key)


# --- index terms --------------------------------------------------------------------------------------------------

MAX_TERM_CHARS = 64
"""Longer words are indexed by their beginning."""

_FUNCTION_WORDS = """
a about am an and any are as at be because been but by can could did do does for from had has have he her him his how i
if in into is it its just me my no not of on or our she so some such than that the their them then there these they this
to too up us very was we were what when where which who whom whose why will with would you your
"""
STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
"""English words that say nothing about what is looked for."""

STOP_CHARS = frozenset(
    "的了是我你他她它们吗呢吧啊呀哦嗯在有和与及就都也还很这那哪什么怎样一个不要会能可以被把给让到从对为于其之而且或上下来去说请问"
)
"""Chinese characters too common to find anything by themselves; their bigrams count."""

SINGLE_CHAR_WEIGHT = 0.7
"""Weight of one CJK character beside a bigram's 1. Source: MemDaily dev, R@10 .573 at 0, .590 at 0.4, .595 at 0.7."""

_CJK = (
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0eff"
    "\U00020000-\U0003fffd"
)
"""Scripts written without spaces: Han, kana, Hangul (whose words carry their particles), Thai and Lao."""
_CJK_RUN = re.compile(f"[{_CJK}]+")
_WORD = re.compile(r"[a-z0-9]+(?:['.][a-z0-9]+)*(?:\+\+|#)?")
_OTHER_WORD = re.compile(f"[^\\W_{_CJK}a-z0-9]\\w*|[\u2600-\u27bf\U0001f000-\U0001faff]")
_PIECE = re.compile(r"[a-z]{4,}|\d{4,}")
_HYPHENATED = re.compile(r"(?<![a-z0-9])[a-z0-9]+(?:[-_][a-z0-9]+)+")
_DIGIT = re.compile(r"[0-9]")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the stem of a lower-case English word (Snowball, English)."""
    stemmed: str = EnglishStemmer().stemWord(word)
    return stemmed


@lru_cache(maxsize=65536)
def _word_terms(word: str) -> tuple[str, ...]:
    """Return the terms of one ASCII word: its stem; of one with digits or marks, the whole and its parts."""
    word = word[:MAX_TERM_CHARS]
    if word.isalpha():
        return (stem(word),)
    parts = re.split(r"['.+#]+", word)
    pieces = [stem(piece) for part in parts for piece in _PIECE.findall(part)]
    return (word, *(term for term in dict.fromkeys((*parts, *pieces)) if len(term) > 1 and term != word))


def _numbers(plain: str) -> Iterator[str]:
    """Yield the other spellings under which numbers are asked for: whole, without hyphens, the last four digits."""
    for found in identifiers(plain):
        yield found.id.lower()
        if len(found.id) > 8 and found.id[-4:].isdigit():
            yield found.id[-4:]
    for word in _HYPHENATED.findall(plain):
        if _DIGIT.search(word):
            yield re.sub("[-_]", "", word)


def terms(text: str) -> dict[str, int]:
    """Return the index terms of a text with their counts.

    CJK characters and bigrams; identifiers whole, in lower case; other words stemmed if English, with the parts of
    glued ones (``sku-kz9`` is found by ``kz9``). A text without a letter, digit or emoji has no terms.
    """
    plain = normalise(text)
    found: list[str] = []
    for word in _WORD.findall(plain):
        found += _word_terms(word)
    if not plain.isascii():
        found += (word[:MAX_TERM_CHARS] for word in _OTHER_WORD.findall(plain))
        for run in _CJK_RUN.findall(plain):
            found += run
            found += map(add, run, run[1:])
    counts = dict(Counter(found))
    if _DIGIT.search(plain):
        counts |= {term[:MAX_TERM_CHARS]: counts.get(term, 1) for term in _numbers(plain)}
    return counts


def query_terms(text: str) -> dict[str, float]:
    """Return the terms to look for, with weights in (0, 1]; stop words only if there is nothing else."""
    found = terms(text)
    telling = [term for term in found if term not in STOP_WORDS and term not in STOP_CHARS]
    return {term: _weight(term) for term in telling or found}


def _weight(term: str) -> float:
    return SINGLE_CHAR_WEIGHT if len(term) == 1 and _CJK_RUN.match(term) else 1.0


# --- shortening ---------------------------------------------------------------------------------------------------

_JOINER = "\u200d"


def _continues(char: str) -> bool:
    """Return whether a character belongs to the one before it: mark, joiner, jamo vowel, skin tone, tag."""
    return (
        unicodedata.category(char) in ("Mn", "Me", "Mc")
        or char == _JOINER
        or "\u1160" <= char <= "\u11ff"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _splits(text: str, at: int) -> bool:
    """Return whether a cut in front of ``text[at]`` would split what a reader sees as one character."""
    before, after = text[at - 1], text[at]
    if _continues(after) or before == _JOINER or (before, after) == ("\r", "\n"):
        return True
    if not (_is_flag_half(before) and _is_flag_half(after)):
        return False
    start = at
    while start and _is_flag_half(text[start - 1]):
        start -= 1
    return (at - start) % 2 == 1


def truncate(text: str, max_chars: int) -> str:
    """Return the beginning of ``text``, at most ``max_chars`` code points, never ending in half an emoji."""
    if len(text) <= max_chars:
        return text
    at = max(max_chars, 0)
    while at and _splits(text, at):
        at -= 1
    return text[:at]


# --- fencing ------------------------------------------------------------------------------------------------------

_HARMLESS = str.maketrans("<>[]`＜＞［］〈〉⟨⟩﹤﹥【】〔〕\u2028\u2029", "‹›()'‹›（）‹›‹›‹›（）（）  ")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_EMOJI = "\u2190-\u2bff\U0001f000-\U0001faff"
_EMOJI_PART = re.compile(f"(?<=[{_EMOJI}\ufe0f])[\u200d\ufe0f]")
_ROLE = re.compile(
    r"(?<![A-Za-z])((?:system|assistant|user|developer|human|tool|系统|助手|用户|开发者)"
    r"(?:\s*(?:prompt|message|instructions?|提示词?|消息|指令))?\s*)[:：]",
    re.I,
)
_BULLET = re.compile(r"^(?:[#*+=~|›-]+(?=\s)|[#›]+|\s+)+")


def fence(text: str) -> str:
    """Return ``text`` as one line that cannot close a block, open a role or be read as a special token. Idempotent.

    Angle and square brackets become harmless look-alikes, control and invisible characters go (emoji stay whole), the
    colon after a role word is another one, headings and bullets at the start are dropped. All else stays readable.
    """
    kept = {match.start() for match in _EMOJI_PART.finditer(text)}
    visible = _INVISIBLE.sub(lambda match: match[0] if match.start() in kept else "", text)
    line = _CONTROL.sub(" ", clean(visible)).translate(_HARMLESS)
    return _BULLET.sub("", _ROLE.sub(r"\1∶", " ".join(line.split())))
