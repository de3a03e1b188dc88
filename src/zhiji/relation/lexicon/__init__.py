"""Words that mean the same, in Chinese and English: the bilingual vocabulary behind ``relation``. Pure data.

Closed classes (people, denial, change, predicates) are in ``grammar``; what facts are about, and sets of values that
exclude one another, in ``facts``; open words by topic in ``world`` and
``everyday``; phrases in ``idioms``; what goes without saying in
``frames``.
One concept a row: its name, then its spellings; ``_`` joins the words of an English phrase, inflections are found by
rule. An unknown word stands for itself, which at worst keeps two memories apart. Nothing here decides anything.
"""

from __future__ import annotations

from collections.abc import Iterable

from zhiji.relation.lexicon import frames, idioms
from zhiji.relation.lexicon.everyday import MORE
from zhiji.relation.lexicon.facts import CLOSED, TOPICS
from zhiji.relation.lexicon.grammar import GRAMMAR
from zhiji.relation.lexicon.idioms import Plainer as Plainer
from zhiji.relation.lexicon.world import OPEN, PLACES, SURNAMES

Kind = str
Row = tuple[str, tuple[str, ...]]
"""The name of a concept, and its spellings."""


def _named(rows: str) -> tuple[Row, ...]:
    return tuple((name, tuple(spellings)) for name, *spellings in map(str.split, rows.strip().splitlines()))


def _unnamed(rows: str) -> tuple[Row, ...]:
    entries = [tuple(entry.split()) for entry in rows.split(",") if entry.strip()]
    return tuple((_name(entry), entry) for entry in entries)


def _merged(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Return the rows with those of one name as one."""
    merged: dict[str, dict[str, None]] = {}
    for name, spellings in rows:
        merged.setdefault(name, {}).update(dict.fromkeys(spellings))
    return tuple((name, tuple(spellings)) for name, spellings in merged.items())


def _name(spellings: tuple[str, ...]) -> str:
    latin = next(spelling for spelling in spellings if spelling.isascii())
    return "".join(char for char in latin if char.isalnum())


CHINESE: tuple[tuple[str, Plainer], ...] = (*frames.CHINESE, *idioms.CHINESE)
ENGLISH: tuple[tuple[str, Plainer], ...] = (*frames.ENGLISH, *idioms.ENGLISH)
"""Turns of phrase, in the order of trial."""

BY_TOPIC: dict[str, tuple[Row, ...]] = {
    topic: _merged(_unnamed(f"{OPEN.get(topic, '')},{MORE.get(topic, '')}")) for topic in OPEN | MORE
}
"""Open concepts by topic."""
TABLE: dict[Kind, tuple[Row, ...]] = {
    **{kind: _named(rows) for kind, rows in GRAMMAR.items()},
    **{kind: _named(rows) for kind, rows in CLOSED.items()},
    "topic": _named(TOPICS),
    "place": _named(PLACES),
    "word": tuple(row for rows in BY_TOPIC.values() for row in rows),
}
"""Every concept by its kind."""

FRAMES: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    cue: (frozenset(idle.split()), frozenset(implied.split()))
    for cues, idle, implied in frames.FRAMES
    for cue in cues.split()
}
"""A word or topic that two sentences share → what then says nothing, and what one of them may leave out."""

REGIONS = frozenset(name for name, _ in TABLE["place"][: [name for name, _ in TABLE["place"]].index("beijing")]) | {
    "yunnan", "sichuan", "guangdong", "guangxi", "hunan", "hubei", "henan", "hebei", "shandong", "jiangsu", "zhejiang",
    "fujian", "hainan", "xinjiang", "tibet", "innermongolia", "liaoning", "heilongjiang", "guizhou", "anhui", "jiangxi",
    "gansu", "california", "texas", "florida", "hawaii",
}  # fmt: skip
"""Countries, provinces and states: beside a city they only say where it lies."""

LATIN_NAMES: dict[str, frozenset[str]] = {
    name: frozenset(latin) for name, *latin in map(str.split, SURNAMES.split(","))
}
"""Chinese surnames and the Latin spellings that may stand for them."""

UNIQUE_PERSONS = frozenset(
    ("mother", "father", "parents", "partner", "partner.wife", "partner.husband", "boyfriend", "girlfriend", "fiance", "landlord", "deskmate")
)  # fmt: skip
"""People that one has one of; of all others there may be several, so another name is another person."""

CHANGING_PERSONS = frozenset(
    ("son", "son-elder", "son-younger", "daughter", "daughter-elder", "daughter-younger", "child", "boss", "brother",
     "brother.elder", "brother.younger", "sister", "sister.elder", "sister.younger")
)  # fmt: skip
"""People of whom a changed attribute (school, home) is taken for a change, not for another person."""
