"""One message as the rules see it: folded, with what is nobody's statement blanked out, cut into flagged clauses.

Blanked spans (quotations, exercises, code, logs, role-play, injections) are overwritten by newlines of the same length, so
that no pattern can match in or across them. What a clause may say is told by its flags; each rule decides which it minds.
"""

from __future__ import annotations

import enum
import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from zhiji.types import Message


class Flag(enum.Flag):
    """What keeps a clause from being a plain statement about the user."""

    NONE = 0
    QUESTION = enum.auto()
    HYPOTHETICAL = enum.auto()
    REPORTED = enum.auto()
    OTHER = enum.auto()
    """Its subject, or the subject it inherits, is not the user."""
    ONCE = enum.auto()
    """Holds for this one time only."""
    HEDGED = enum.auto()
    MOOD = enum.auto()
    """How somebody feels right now, or what they feel like."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch between two punctuation marks of the folded text."""

    start: int
    end: int
    sentence: int
    """Number of its sentence within the message."""
    mark: str
    """The punctuation after it, folded; empty at the end."""
    flags: Flag = Flag.NONE


@dataclass(frozen=True, slots=True)
class View:
    """A message ready for matching."""

    message: Message
    text: str
    """As written."""
    folded: str
    """Same length; blanked spans are newlines, fillers spaces."""
    clauses: tuple[Clause, ...]
    seqs: tuple[int, ...]
    """Messages that ground what is found here."""
    heard: str
    """Folded, with fillers and with what the message itself calls a joke or wants forgotten."""
    asked: Message | None = None
    """What the assistant said right before, which an answer takes its subject and topic from."""
    earlier: str = ""
    """The user's message before that, as written: whom a pronoun may mean."""

    def clause(self, position: int) -> Clause:
        """Return the clause that a position lies in (or precedes)."""
        index = bisect_right(self.clauses, position, key=lambda clause: clause.start) - 1
        return self.clauses[max(index, 0)]

    def words(self, clause: Clause) -> str:
        """Return a clause as written, without the fillers in front."""
        folded = self.folded[clause.start : clause.end]
        return self.text[clause.end - len(folded.lstrip()) : clause.end].strip()


_DELIMITER: Final = re.compile(
    r"[!?;\n。…~]+|(?<!\d),|,(?!\d)|\.+(?=\s|$|[\u4e00-\u9fff])|[()\[\]]|\s[-—]+\s|—+|(?:(?<=[\u4e00-\u9fff])|(?<=\d{3})|(?<=\.\d)) +(?=[\u4e00-\u9fff])(?![元块圆塊圓])|(?<=[\u4e00-\u9fff]) +(?=\d{1,3}(?:岁|斤|公斤|cm|kg|码))|"
    r"[\u2600-\u27bf\ufe0f\u200d\U0001f000-\U0001faff]+"
)
_SENTENCE_END: Final = frozenset("!?;\n。….")
_ABBREVIATION: Final = re.compile(r"\b(?:mr|mrs|ms|dr|st|ave|rd|apt|no|vs|etc|e\.g|i\.e|a\.m|p\.m|jr|sr|blvd|ln)$")


def split(folded: str) -> list[Clause]:
    """Return the clauses of a folded text in order, without flags; at least one."""
    clauses: list[Clause] = []
    start = sentence = 0
    for found in _DELIMITER.finditer(folded):
        mark = found.group()
        if mark[0] == "." and _ABBREVIATION.search(folded, start, found.start()):
            continue
        if folded[start : found.start()].strip():
            clauses.append(Clause(start, found.start(), sentence, mark))
        elif clauses and mark[0] == "?":
            clauses[-1] = Clause(clauses[-1].start, clauses[-1].end, clauses[-1].sentence, clauses[-1].mark + mark)
        start = found.end()
        sentence += mark[0] in _SENTENCE_END
    if folded[start:].strip() or not clauses:
        clauses.append(Clause(start, len(folded), sentence, ""))
    return clauses


def blank(folded: str, spans: Iterable[tuple[int, int]], fill: str = "\n") -> str:
    """Return the text with the spans overwritten; the length stays."""
    for start, end in spans:
        folded = folded[:start] + fill * (end - start) + folded[end:]
    return folded
