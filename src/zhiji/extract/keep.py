"""The keeper: what a user says of themselves and no table has read is kept in their own words.

A clause is kept if it holds an anchor, a word of a lasting topic or a shape such as a time of day or a measure, and if the
evidence outweighs the moment: an anchor that says enough by itself (a diagnosis, a pet), the first person, or a mark of what
lasts (a habit, an ability, a possession) speak for it; a request, a one-off or the matter at hand against it. Whom a clause is
about is told by its subject, named or carried on from the clause before: the user, somebody or some animal of theirs, whose
matters are kept as theirs, or a stranger, whose are not. Clauses that go on about the same thing are one memory.

Nothing here knows a language: ``Tables`` do, one for each (``topics_zh``, ``topics_en``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

from zhiji.extract.facts import Found, Lang, confidence, found_at
from zhiji.extract.fold import fold
from zhiji.extract.safety import authority
from zhiji.extract.unsaid import ABSURD
from zhiji.extract.view import Clause, Flag, View
from zhiji.types import Draft

KEPT_CONFIDENCE: Final = 0.75
ENOUGH: Final = 3
"""Evidence at which a clause is kept."""
MAX_CHARS: Final = 120
"""Longest memory in the user's words."""
MIN_CHARS: Final = 4
"""What has no anchor takes at least so many characters to tell."""
MIN_COMPANY_CHARS: Final = 3
"""What is kept for the company it keeps is more than an exclamation."""
MAX_CLAUSES: Final = 6
START: Final = 2
"""Evidence of a clause that begins with the user."""
BARE_SHARE: Final = 0.6
"""Share of a clause that its anchors fill if it is little more than them."""
_BLOCKED: Final = Flag.QUESTION | Flag.HYPOTHETICAL | Flag.REPORTED | Flag.MOOD


@dataclass(frozen=True, slots=True)
class Topic:
    """Words that say what a memory is about."""

    type: str
    """Type of the memory."""
    weight: int
    """3: the word alone makes a clause worth keeping; 2: with the first person; 1: only with a mark of what lasts."""
    words: frozenset[str]
    """Folded; of several that match at a place the longest counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """What the keeper knows of a language. Patterns are over folded text; those on a clause see it without fillers."""

    lang: Lang
    topics: Mapping[str, Topic]
    innocent: frozenset[str] = frozenset()
    """Longer words that contain a topic's word by chance, or are no topic though they look like one."""
    shapes: tuple[tuple[re.Pattern[str], str, int], ...] = ()
    """Pattern, type and weight of anchors that are no closed list: times of day, measures, amounts."""
    own: re.Pattern[str]
    """Searched in a clause: it speaks of the user."""
    theirs: re.Pattern[str]
    """Matched at the start of a clause: it is about a relative, a friend or an animal of the user, who is its named group."""
    mention: re.Pattern[str]
    """Searched in a clause: it names such a one, whom a pronoun after it means, without being about them."""
    stranger: re.Pattern[str]
    """Matched at the start of a clause: it is about somebody or something else."""
    pronoun: re.Pattern[str]
    """Matched at the start of a clause: it goes on about whoever was named last."""
    lasting: re.Pattern[str]
    """Searched in a clause: abilities, possessions, conditions, tastes, changes of life."""
    habit: re.Pattern[str]
    """Searched in a clause: what is done again and again. Kept without an anchor."""
    moment: re.Pattern[str]
    """Searched in a clause: requests, wishes of the moment, the matter at hand, small talk."""
    never: re.Pattern[str]
    """Searched in a clause: nothing of it is ever kept."""
    of_self: re.Pattern[str]
    """Searched in a clause: somebody of theirs is reported to say something of themselves."""
    wish: re.Pattern[str]
    """Searched in a clause: how something shall be done for the user."""
    served: frozenset[str]
    """Topics that a wish may be about."""
    standing: re.Pattern[str]
    """Searched in a clause: how the assistant shall serve from now on. Kept without an anchor."""
    thin: re.Pattern[str]
    """Matched at the start of a clause: the user speaks of themselves without saying anything that lasts."""
    about_user: re.Pattern[str]
    """Searched in a sentence of the assistant: it asks what the user is, has, likes or does, not what to do now."""
    open_question: re.Pattern[str]
    """Searched in such a sentence: it leaves open what the answer is."""
    introduces: re.Pattern[str]
    """Searched in a message: the user introduces themselves, and each item says something of them."""
    review: re.Pattern[str]
    """Found more than once in a message: it reviews a product or a place, and only what names the user is about them."""
    fragment: re.Pattern[str]
    """Fills a memory that only begins a statement, or is no statement at all."""
    lives: frozenset[str]
    """Topics of weight 1 that say something of the one for whom a favour is asked."""
    of_named: re.Pattern[str]
    """Matches a whole clause that says of one of theirs, who was named before, how old or of what sex they are."""
    refers: re.Pattern[str]
    """Matched at the start of a clause: it says what something does to the user that only the question before it names."""
    favour: re.Pattern[str]
    """Searched in a clause: a request for somebody of theirs, which says something of them."""
    particle: re.Pattern[str]
    """Matches a clause that only makes a question of the one before it."""
    tell: Callable[[str, str], str]
    """Returns what a memory says, from the user's words and whom they are about: empty for the user."""
    told_answer: Callable[[str, str], str]
    """Returns what a memory says of an answer, from the question and the user's words."""
    told_wish: Callable[[str], str]
    """Returns what a memory of a wish says."""
    _index: dict[str, tuple[int, ...]] = field(default_factory=dict)
    _topic_of: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        lengths: dict[str, set[int]] = {}
        for name, topic in self.topics.items():
            self._topic_of.update(dict.fromkeys(topic.words, name))
        self._topic_of.update(dict.fromkeys(self.innocent, ""))
        for word in self._topic_of:
            lengths.setdefault(word[0], set()).add(len(word))
        self._index.update((char, tuple(sorted(each, reverse=True))) for char, each in lengths.items())

    def named(self, folded: str) -> tuple[list[str], int]:
        """Return the topics of the words in a text, in their order, and how many characters these words have.

        The longest word counts at each place, from left to right.
        """
        topics: list[str] = []
        covered = 0
        position, size = 0, len(folded)
        while position < size:
            step = 1
            for length in self._index.get(folded[position], ()):
                topic = self._topic_of.get(folded[position : position + length])
                length = min(length, size - position)
                if topic is not None and _is_whole(folded, position, position + length):
                    topics += [topic] if topic else []
                    covered += length if topic else 0
                    step = length
                    break
            position += step
        return topics, covered


def _is_whole(folded: str, start: int, end: int) -> bool:
    """Return whether a span cuts no word of an alphabet; scripts without spaces have no such borders."""
    return not (start and _is_letter(folded[start - 1]) and _is_letter(folded[start])) and not (
        end < len(folded) and _is_letter(folded[end - 1]) and _is_letter(folded[end])
    )


def _is_letter(char: str) -> bool:
    return char.isalnum() and char < "\u2e80"


STRANGER: Final = "?"
"""Whom a clause is about that is about nobody of the user's."""


@dataclass(slots=True)
class _Unit:
    """Clauses that become one memory."""

    clauses: list[Clause]
    type: str
    topics: set[str]
    whom: str
    """Who of the user's people or animals it is about; empty for the user."""
    wish: bool
    leads: bool = False
    """It begins with what it is about."""
    answers: bool = False
    """It is told with the question that it answers."""


def keep(view: View, free: Sequence[Clause], tables: Tables, read: Sequence[Clause] = ()) -> Iterator[Found]:
    """Yield what the free clauses of a message say of the user and theirs, in the order of the words.

    ``read`` are those that others have read as statements.
    """
    for unit in _units(_heard(view, free, read, tables), tables):
        if not tables.fragment.fullmatch(fold(_words(view, unit, tables))):
            yield _found(view, unit, tables)


def _units(told: Iterable[_Heard], tables: Tables) -> Iterator[_Unit]:
    """Yield the clauses that become one memory each, in the order of the words."""
    unit: _Unit | None = None
    for one in told:
        if unit and not _joins(unit, one, tables):
            yield unit
            unit = None
        if not one.free:
            if unit:
                yield unit
            unit = None
        elif one.kept and unit:
            unit.clauses.append(one.clause)
            unit.topics |= one.topics
        elif one.kept:
            unit = _Unit([one.clause], one.type, set(one.topics), one.whom, one.wish, one.leads, one.answers)
        elif unit and _goes_on(one, tables):
            unit.clauses.append(one.clause)
        elif unit:
            yield unit
            unit = None
    if unit:
        yield unit


@dataclass(slots=True)
class _Heard:
    """A clause and what speaks for keeping it."""

    clause: Clause
    folded: str
    free: bool
    whom: str
    evidence: int = 0
    bare: bool = False
    """It is little more than its anchors: 程序员, "34"."""
    type: str = ""
    topics: frozenset[str] = frozenset()
    wish: bool = False
    leads: bool = False
    """It names what the next says something of."""
    answers: bool = False
    """It says enough only behind the question that it answers."""

    @property
    def kept(self) -> bool:
        return self.evidence >= ENOUGH


def _heard(view: View, free: Sequence[Clause], read: Sequence[Clause], tables: Tables) -> list[_Heard]:
    """Return the clauses of a message, weighed; what stands bare among other statements is one of them."""
    starts, known = frozenset(clause.start for clause in free), frozenset(clause.start for clause in read)
    context = _context(view, tables)
    named = _named_before(view, tables)
    speaking = _Speaking(named, named if context.answers and _asks_of(view, named) else "")
    told: list[_Heard] = []
    clauses, leading = _clauses(view, tables)
    for index, clause in enumerate(clauses):
        folded = view.folded[clause.start : clause.end].strip()
        one = _Heard(clause, folded, clause.start in starts, speaking.of(clause, folded, tables))
        asks_next = index + 1 < len(clauses) and Flag.QUESTION in clauses[index + 1].flags
        if one.free:
            _weigh(one, tables, context, before_question=asks_next)
        elif clause.start in known:
            one.evidence = ENOUGH
        one.leads = clause.start in leading
        if one.leads or (told and told[-1].leads):
            one.evidence, one.type = ENOUGH, one.type or "preference"
        told.append(one)
    stated = {one.clause.sentence for one in told if one.kept}
    for one in told:
        one.evidence += one.bare and one.clause.sentence in stated
    for one, other in pairwise(told):
        aside = view.folded[other.clause.start - 1] in "(["
        near = one.clause.sentence == other.clause.sentence and one.whom == other.whom and not aside
        few, more = sorted((one.evidence, other.evidence))
        if near and few > 0 and len(other.folded) >= MIN_COMPANY_CHARS and few + more >= 2 * (ENOUGH - 1):
            one.evidence, other.evidence = max(one.evidence, ENOUGH), max(other.evidence, ENOUGH)
    return told


@dataclass(frozen=True, slots=True)
class _Context:
    """What speaks for, or against, all clauses of a message."""

    introduces: bool
    answers: bool
    """It answers what the assistant asked about the user."""
    reviews: bool


def _context(view: View, tables: Tables) -> _Context:
    question = tables.about_user.search(fold(view.asked.content)) if view.asked else None
    return _Context(
        introduces=bool(tables.introduces.search(view.heard)),
        answers=question is not None,
        reviews=len(tables.review.findall(view.heard)) > 1,
    )


def _asks_of(view: View, named: str) -> bool:
    """Return whether it is of somebody of theirs that the assistant asked last."""
    asked = fold(view.asked.content) if view.asked else ""
    return bool(named) and named in asked[max(map(asked.rfind, "。!\n,")) + 1 :]


def _named_before(view: View, tables: Tables) -> str:
    """Return whom of theirs the user, or the assistant after them, spoke of last before a message."""
    for words in (fold(view.asked.content) if view.asked else "", fold(view.earlier)):
        if named := [group for found in tables.mention.finditer(words) for group in found.groups() if group]:
            return named[-1]
    return ""


def _clauses(view: View, tables: Tables) -> tuple[list[Clause], frozenset[int]]:
    """Return the clauses of a message, and where those start that put as a question what the next says something of."""
    clauses = list(view.clauses)
    leading: set[int] = set()
    for index, (clause, after) in enumerate(pairwise(view.clauses)):
        words = view.folded[clause.start : clause.end].strip()
        if Flag.QUESTION in after.flags and tables.particle.fullmatch(view.folded[after.start : after.end].strip()):
            clauses[index] = replace(clause, flags=clause.flags | Flag.QUESTION)
        elif clause.flags == Flag.QUESTION and not after.flags & _BLOCKED:
            answer = view.folded[after.start : after.end].strip()
            names, covered = tables.named(words)
            if (tables.lasting.match(answer) and covered == len(words)) or (tables.refers.match(answer) and names):
                clauses[index] = replace(clause, flags=Flag.NONE, sentence=after.sentence)
                leading.add(clause.start)
    return clauses, frozenset(leading)


class _Speaking:
    """Whom a message speaks of, clause by clause."""

    def __init__(self, named: str, asked_of: str) -> None:
        self._whom = ""
        self._named = named
        self._asked_of = asked_of
        self._sentence = -1

    def of(self, clause: Clause, folded: str, tables: Tables) -> str:
        """Return whom the next clause is about: empty for the user, else the word for them, or ``STRANGER``."""
        goes_on = clause.sentence == self._sentence
        self._sentence = clause.sentence
        if found := tables.theirs.match(folded):
            self._whom = self._named = next(group for group in found.groups() if group)
        elif tables.pronoun.match(folded):
            self._whom = self._named or STRANGER
        elif tables.stranger.match(folded):
            self._whom = STRANGER
        elif self._named and tables.of_named.fullmatch(folded):
            self._whom = self._named
        elif tables.own.search(folded):
            self._whom = self._asked_of = ""
        elif not goes_on:
            self._whom = self._asked_of
        if mention := tables.mention.search(folded):
            self._named = next(group for group in mention.groups() if group)
        return self._whom


def _weigh(one: _Heard, tables: Tables, context: _Context, *, before_question: bool) -> None:
    """Set what speaks for keeping a clause, and what it is about."""
    flags, folded = one.clause.flags, one.folded
    if one.whom and tables.of_self.search(folded):
        flags &= ~Flag.REPORTED
    if flags & _BLOCKED or tables.never.search(folded) or ABSURD.search(folded):
        return
    names, covered = tables.named(folded)
    anchors = [(tables.topics[name].type, tables.topics[name].weight) for name in names]
    for pattern, type, weight in tables.shapes:
        if found := pattern.search(folded):
            anchors.append((type, weight))
            covered += len(found.group())
    one.topics = frozenset(names)
    once = Flag.ONCE in flags
    favour = tables.favour.search(folded)
    if favour and any(tables.topics[name].weight > 1 or name in tables.lives for name in names):
        one.type, one.whom, one.evidence = "identity", favour["who"], ENOUGH
        return
    moments = len(tables.moment.findall(folded))
    wished = one.whom in ("", STRANGER) and _is_wish(folded, names, tables, moment=bool(moments))
    if not once and (wished or tables.standing.search(folded)):
        one.type, one.whom, one.wish, one.evidence = "preference", "", True, ENOUGH
        return
    if one.whom == STRANGER:
        return
    habit = bool(tables.habit.search(folded)) and len(folded) >= MIN_CHARS
    own = START if not one.whom and tables.own.match(folded) else bool(one.whom or tables.own.search(folded))
    lasting = habit or bool(tables.lasting.search(folded))
    one.type, strongest = max(anchors, key=lambda anchor: anchor[1], default=("preference", habit and not one.whom))
    one.evidence = strongest + own + 2 * lasting
    if own == START and not one.whom and not once and len(folded) > MIN_CHARS and not tables.thin.match(folded):
        one.evidence = max(one.evidence, ENOUGH)
    one.evidence += min(2, max(0, len(set(names)) + len(anchors) - len(names) - 1))
    one.evidence -= 3 * bool(moments) + 2 * (moments > 1) + 2 * once
    one.evidence -= 2 * (not anchors and len(folded) < MIN_CHARS)
    one.evidence -= before_question and not own and not lasting
    if context.answers and (anchors or lasting) and not moments and not once and 0 < one.evidence < ENOUGH:
        one.evidence, one.answers = ENOUGH, not own
    if context.introduces and not moments and len(folded) > 1:
        one.evidence = max(one.evidence, ENOUGH)
    if context.reviews and own != START:
        one.evidence = 0
    one.bare = not once and strongest > 1 and covered >= BARE_SHARE * len(folded)


def _is_wish(folded: str, names: Sequence[str], tables: Tables, *, moment: bool) -> bool:
    """Return whether a clause says how the user wants to be served, in general enough words."""
    weights = [tables.topics[name].weight for name in names if name in tables.served]
    return bool(weights) and max(weights) > moment and bool(tables.wish.search(folded))


def _joins(unit: _Unit, one: _Heard, tables: Tables) -> bool:
    """Return whether a clause may go on with a memory: same subject, same sentence, same topic or none of its own."""
    first, last = unit.clauses[0], unit.clauses[-1]
    far = one.clause.end - first.start > MAX_CHARS or len(unit.clauses) >= MAX_CLAUSES
    if one.clause.sentence != last.sentence or far:
        return False
    if unit.leads and last is first:
        return True
    if not one.kept:
        return one.whom == unit.whom
    if unit.wish or one.wish:
        return unit.wish and one.wish
    if unit.answers and one.answers:
        return unit.whom == one.whom
    if unit.whom or one.whom:
        return unit.whom == one.whom
    return bool(unit.topics & one.topics) and not tables.own.match(one.folded)


def _goes_on(one: _Heard, tables: Tables) -> bool:
    """Return whether a clause that would not be kept by itself belongs to the memory before it."""
    blocked = one.clause.flags & (_BLOCKED | Flag.ONCE)
    return not blocked and not tables.moment.search(one.folded) and not tables.never.search(one.folded)


def _question(asked: str, tables: Tables) -> str:
    """Return what the assistant asked about the user, as written and without its mark, or nothing if it only guessed."""
    found = tables.about_user.search(fold(asked))
    open_ended = found and tables.open_question.search(found.group())
    return asked[slice(*found.span())].rstrip("?？") if found and open_ended else ""


def _words(view: View, unit: _Unit, tables: Tables) -> str:
    return ("，" if tables.lang == "zh" else ", ").join(view.words(clause) for clause in unit.clauses)


def _found(view: View, unit: _Unit, tables: Tables) -> Found:
    words = _words(view, unit, tables)
    content = tables.told_wish(words) if unit.wish else tables.tell(words, unit.whom)
    seqs = view.seqs
    if unit.answers and view.asked and (question := _question(view.asked.content, tables)):
        content, seqs = tables.told_answer(question, words), (view.asked.seq, *view.seqs)
    draft = Draft(
        type=unit.type,
        content=content,
        value=words,
        confidence=min(confidence(KEPT_CONFIDENCE, clause) for clause in unit.clauses),
        seqs=seqs,
        lang=tables.lang,
        suspicious=authority(words) if unit.wish else "",
    )
    found = found_at(view, (unit.clauses[0].start, unit.clauses[-1].end), draft)
    found.kept = "wish" if unit.wish else "statement"
    return found
