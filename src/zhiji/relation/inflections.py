"""English words without their endings: what a word may be a form of, and unknown words in their plain form. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from zhiji.relation.lexicon.forms import IRREGULAR

_VOWELS = "aeiou"


def bases(word: str) -> Iterator[str]:
    """Yield what an English word may be a form of, by rule: moved → move, planning → plan, berries → berry."""
    if len(word) < 3:
        return
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        yield word[:-1]
        if word.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
            yield word[:-2]
        if word.endswith("ies"):
            yield f"{word[:-3]}y"
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base == word or len(base) < 2 or not set(base) & {*_VOWELS, "y"}:
            continue
        if base[-1] == base[-2]:
            yield base[:-1]
        if ending == "ed" and base.endswith("i"):
            yield f"{base[:-1]}y"
        yield f"{base}e"
        if len(base) > 3 or base[-2] not in _VOWELS or base[-1] in "wxy":
            yield base


def uninflected(word: str) -> str:
    """Return an unknown English word without plural and tense; gentler than a stem, so that Mary is not Marie."""
    if word in IRREGULAR:
        word = IRREGULAR[word]
    word = re.sub(r"(?<![sui])s$", "", re.sub(r"(?<=[^aeiou])ie[sd]$", "y", word)) if len(word) > 3 else word
    bare = re.sub(r"(?:ing|ed)$", "", word) if len(word) > 5 else word
    if bare != word:
        if _DOUBLED.search(bare):
            bare = bare[:-1]
        elif _SHORT.fullmatch(bare):
            bare += "e"
    return bare.removesuffix("e") if len(bare) > 4 else bare


_DOUBLED = re.compile(r"(?<=[aeiou])([bdgklmnprt])\1$")
_SHORT = re.compile("[^aeiou]+[aeiou][^aeiouwxy]")
"""What had an e before its ending, or its last letter would be doubled: biting, but sitting."""
