"""What a keyboard made of a word: "ugh autocorrect. LEITH." puts right the word of the fact before that is written most alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

from zhiji.extract.fold import fold
from zhiji.extract.lexicon import words
from zhiji.extract.view import Clause, Flag, View

BLAMES: Final = re.compile(
    r"\bauto-? ?(?:correct\w*|fill\w*|complete\w*)|\bpredictive text|\bspell-? ?check\w*|\b(?:phone|keyboard|swype|swipe|siri|dictation|voice typing|speech to text|gboard)(?:'s| is| has| was)? (?:being|chang\w+|thinks?|hates|decided|did|got|wrote|heard|messed|strikes|again|keeps (?:chang|correct|writ|putt)ing)\b|"
    r"\b(?:bloody|stupid|damn|dumb|effing|fucking|flipping|sodding|silly|daft) (?:phone|keyboard|thumbs?|fingers?|touch ?screen)\b|\bfat (?:fingers?|thumbs?)|\bfat-?fingered|\btypos?\b|\bmis-?(?:typed|spelt|spelled|spelling|heard)\b|\bsp\?$"
)
"""Whose fault the wrong word was."""
MIN_ALIKE: Final = 0.4
"""Share of letters in order that two names have in common if a keyboard took one for the other (Leeds, Leith: 0.4)."""
MIN_WORDS_ALIKE: Final = 0.6
"""The same for other words (cashmere, cashews: 0.67)."""
MAX_WORDS: Final = 6
"""Whoever names the word that was meant is brief."""

_AGAIN: Final = re.compile(r"(?:^|[.!,\n—-]\s*)(?:no,? wait|wait,? no|no|nope|i mean)(?=[\s,.!—-])")
"""Takes back the word right before it."""
_WORD: Final = re.compile(r"[A-Za-zÀ-ÿ][\wÀ-ÿ'’-]+")
_IDLE: Final = words(
    "thanks thank sorry lol omg ok okay wtf lmao haha ffs argh ugh no yes not the sigh grr dammit damn stupid bloody thing wait oops its it's that this thats typo autocorrect phone keyboard i'm im i my was meant mean said is are and but so "
    "oh ah hey please pls obviously duh again for user user's lives name called actually in at to from of on with predictive text spelling spell correction got has have"
)


def meant(view: View, content: str) -> tuple[int, int, str, str] | None:
    """Return where the word that was meant stands in a message, the word of a fact that it replaces, and itself; or None."""
    if not BLAMES.search(view.heard):
        return None
    taken_back = max((found.end() for found in _AGAIN.finditer(view.folded)), default=0)
    pairs = [
        (ratio, start, end, old)
        for start, end in _named(view, taken_back)
        for old, ratio in _alike(view.text[start:end], content)
    ]
    if not pairs:
        return None
    _, start, end, old = max(pairs, key=lambda pair: pair[0])
    return start, end, old, _written_as(view.text[start:end], old)


def _named(view: View, after: int) -> Iterator[tuple[int, int]]:
    """Yield the words that a message shouts or names by themselves."""
    for clause in view.clauses:
        if not _is_brief(view, clause):
            continue
        said = [
            (clause.start + found.start(), clause.start + found.end())
            for found in _WORD.finditer(view.text[clause.start : clause.end])
            if fold(found.group()) not in _IDLE and clause.start + found.start() >= after
        ]
        for start, end in said:
            if view.text[start].isupper() or len(said) == 1:
                yield start, end


def _is_brief(view: View, clause: Clause) -> bool:
    blocked = clause.flags & (Flag.HYPOTHETICAL | Flag.REPORTED) or "?" in clause.mark
    return not blocked and len(view.folded[clause.start : clause.end].split()) <= MAX_WORDS


def _alike(new: str, content: str) -> Iterator[tuple[str, float]]:
    """Yield the words of a fact that a keyboard may have made of another: its names, or if it has none its other words."""
    told = [word for word in _WORD.findall(content) if fold(word) not in _IDLE]
    names = [word for word in told if word[0].isupper()]
    least = MIN_ALIKE if names else MIN_WORDS_ALIKE
    for word in names or told:
        ratio = SequenceMatcher(None, fold(new), fold(word)).ratio()
        if least <= ratio < 1:
            yield word, ratio


def _written_as(new: str, old: str) -> str:
    """Return a shouted word in the letters of the one that it replaces."""
    if not new.isupper() or old.isupper():
        return new
    return new.capitalize() if old[0].isupper() else new.lower()
