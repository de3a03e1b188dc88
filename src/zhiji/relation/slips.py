"""Slips of the pen: one English word that two sentences spell in two ways, written as the one that is known. Pure.

One letter left out, doubled, mistaken or swapped with its neighbour, in a word of six letters or more that begins alike.
Not where both are words, where a name may stand, or where one is the other with an ending: "lecture" and "lecturer".
"""

from __future__ import annotations

import re
from itertools import product

from zhiji.relation.reading import is_known

_WORD = re.compile(r"[a-z]{6,}")
_MIN_MISTAKEN = 8
"""Letters of a word in which one may be mistaken for another: in shorter ones that is mostly another word."""
_INFLECTED = ("ing", "ed")
_REAL = frozenset(
    ("country", "county", "casual", "causal", "marital", "martial", "desert", "dessert", "statue", "statute", "reserve",
     "reverse", "barley", "barely", "united", "untied", "though", "through", "thorough", "costume", "custom", "signer",
     "closet", "closest", "sacred", "scared", "carton", "cartoon", "patent", "patient", "message", "massage")
)  # fmt: skip
"""Words that are one letter from others, and both said."""
_BEFORE_NAMES = (
    r"\b(?:named|called|name|is|and|with|for|mr|mrs|ms|miss|dr|prof|aka|surname|nickname|wife|husband|son|daughter|boss|friend"
    r"|brother|sister|mother|father|mom|mum|dad|dog|cat|partner|girlfriend|boyfriend|colleague|manager|doctor|by)[.:,]? $"
)
_NAMING = re.compile(_BEFORE_NAMES)


def respelt(old: str, new: str) -> tuple[str, str]:
    """Return two texts with a word that one of them misspells written as the other does."""
    then, now = (frozenset(_WORD.findall(text.lower())) for text in (old, new))
    for one, other in product(then - now, now - then):
        if not _is_slip(one, other):
            continue
        if not is_known(one) and _may_be_slip(one, old, known=is_known(other)):
            old = _written(old, one, other)
        elif not is_known(other) and _may_be_slip(other, new, known=is_known(one)):
            new = _written(new, other, one)
    return old, new


def _written(text: str, slip: str, word: str) -> str:
    return re.sub(rf"(?<![a-z]){slip}(?![a-z])", word, text, flags=re.IGNORECASE)


def _may_be_slip(word: str, text: str, *, known: bool) -> bool:
    """Return whether a word of a text is none that may stand for itself: a name, or a form of another word."""
    if word in _REAL or word.endswith(_INFLECTED):
        return False
    at = text.lower().find(word)
    return (known or text[at].islower()) and _NAMING.search(text[:at].lower()) is None


def _is_slip(one: str, other: str) -> bool:
    """Return whether two words are one letter apart, and neither is the other with an ending."""
    if one[0] != other[0] or abs(len(one) - len(other)) > 1:
        return False
    short, long = sorted((one, other), key=len)
    if len(short) < len(long):
        return not long.startswith(short) and any(long[:at] + long[at + 1 :] == short for at in range(len(long)))
    apart = [at for at, (letter, mistaken) in enumerate(zip(one, other, strict=True)) if letter != mistaken]
    if len(apart) == 1:
        return len(one) >= _MIN_MISTAKEN and apart[0] < len(one) - 1
    return (
        len(apart) == 2
        and apart[1] == apart[0] + 1
        and one[apart[0]] == other[apart[1]]
        and one[apart[1]] == other[apart[0]]
    )
