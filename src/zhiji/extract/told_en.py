"""What English speakers tell of themselves, kept in their words where no row of ``en`` has read it.

The general keeper: a sentence is cut into runs of clauses that state something (questions, suppositions, reports, moods and
requests fall out), and a run is kept if it is about the user, by "I" and "my" or by a dropped subject, and holds a word of a
lasting topic (``topics_en``) that nothing else has read: a strong one, or a weak one beside a claim. What is said of kin and
pets is kept as theirs; of strangers, nothing. Standing wishes to the assistant are kept whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from zhiji.extract import aside_en
from zhiji.extract.clauses_en import MIN_CHARS, is_dead, sentences, without_question
from zhiji.extract.facts import Found, confidence, found_at, retell
from zhiji.extract.fold import fold
from zhiji.extract.judged_en import GOAL, INTRODUCES, NAMES_SELF, is_kept
from zhiji.extract.owners_en import KIN_OR_PET, LEAD, PET_KIN, Owner, Run, owner_of
from zhiji.extract.safety import authority
from zhiji.extract.signs_en import BEGINS, CHAT, DATE, FIRST, MEASURED, NOTE, REACTS, SECRET, STATED_OCCASION
from zhiji.extract.things_en import TOLD_CONFIDENCE, masked, named_things
from zhiji.extract.topics_en import Anchor, Topic, anchors
from zhiji.extract.view import Flag, View
from zhiji.extract.wishes_en import OF_THEM, is_wish
from zhiji.types import Draft

WISH_CONFIDENCE: Final = 0.85
MAX_CHARS: Final = 240
"""Longer runs are stories: only their clauses with a topic are kept."""


def find(view: View, found: Sequence[Found]) -> Iterator[Found]:
    """Yield what the user tells of themselves in English and nothing in ``found`` has read."""
    spans = [(one.start, one.end) for one in found]
    ours = -9
    named: Owner | None = None
    who = ""
    intro = INTRODUCES.search(view.folded)
    says_name = NAMES_SELF.search(view.folded) if any(one.draft.key == "identity:name" for one in found) else None
    listed = view.clause(says_name.end() - 1).sentence + 1 if says_name else -1
    named_it = [*named_things(view), *aside_en.find(view)]
    yield from named_it
    spans += [(one.start, one.end) for one in named_it]
    for sentence in sentences(view):
        run: Run | None = None
        follows: Owner | None = None
        for clause in sentence:
            words = view.folded[clause.start : clause.end].strip()
            clause, words = without_question(view, clause, words)
            owner = owner_of(LEAD.sub("", words))
            near_pronoun = owner is Owner.PRONOUN
            if owner is Owner.PRONOUN:
                near = clause.sentence - ours <= 2
                owner = Owner.STRANGER if named is Owner.STRANGER else Owner.OURS if near else Owner.OTHER
            if owner is Owner.NONE and follows is Owner.STRANGER and not BEGINS.match(words):
                owner = Owner.STRANGER
            if owner is Owner.OURS or re.search(rf"\b(?:my|our) (?:[a-z-]+ )?{PET_KIN}\b", words) or _named_pet(words):
                ours = clause.sentence
            if owner is not Owner.NONE:
                follows = owner
            if owner in (Owner.STRANGER, Owner.OURS):
                named = owner
            if kin := KIN_OR_PET.search(words):
                who = kin.group()
            gap = run and "\n" in view.folded[run.clauses[-1].end : clause.start].strip(" ")
            if gap and run:
                yield from _told(view, run, spans)
                run = None
            if is_dead(words, clause, owner):
                if run:
                    yield from _told(view, run, spans)
                run = None
                continue
            run = run or Run([], [], who if near_pronoun else "")
            run.introduces |= bool(intro and clause.end > intro.end())
            run.lists |= bool(says_name and clause.end > says_name.end() and clause.sentence <= listed)
            run.clauses.append(clause)
            run.owners.append(owner)
        if run:
            yield from _told(view, run, spans)


def _named_pet(words: str) -> bool:
    return any(one.topic is Topic.PET for one in anchors(words))


_PROPER: Final = re.compile(r"(?<=[a-z\d,'’] )(?!I\b|I['’])[A-Z][\w&'’-]+(?: [A-Z][\w&'’-]+)*")


_VOCATIVE: Final = re.compile(
    r"\b(?:hey|hi|hello|thanks|thank you|bye|wow|yeah|yes|oh|sorry|cool|ok|okay|dear|man|cheers|right),? $"
)


def _proper(view: View, start: int, end: int) -> Iterator[Anchor]:
    """Yield the proper names inside a run: capitalised, behind a word in small letters."""
    written = view.text[start:end]
    if written.isupper():
        return
    for found in _PROPER.finditer(written):
        if not view.folded[start : start + found.start()].strip() or _VOCATIVE.search(
            view.folded, start, start + found.start()
        ):
            continue
        yield Anchor(found.start(), found.end(), Topic.NAME, strong=False)


def _told(view: View, run: Run, spans: Sequence[tuple[int, int]]) -> Iterator[Found]:
    """Yield what a run tells: a standing wish, or a statement about the user and theirs."""
    run = _trimmed(view, run)
    if not run.clauses:
        return
    start, end = run.clauses[0].start, run.clauses[-1].end
    start += len(view.folded[start:end]) - len(view.folded[start:end].lstrip())
    folded = view.folded[start:end]
    if SECRET.search(folded) or len(folded.strip()) < MIN_CHARS:
        return
    if len(folded) > MAX_CHARS and len(run.clauses) > 1:
        for clause, owner in zip(run.clauses, run.owners, strict=True):
            yield from _told(view, Run([clause], [owner]), spans)
        return
    told = list(anchors(folded))
    told += [
        one for one in _proper(view, start, end) if not any(other.start <= one.start < other.end for other in told)
    ]
    fresh = [one for one in told if not any(s < start + one.end and e > start + one.start for s, e in spans)]
    once = any(Flag.ONCE in clause.flags for clause in run.clauses)
    unread = not any(s <= start + 2 and e >= end - 2 for s, e in spans)
    if unread and not once and is_wish(folded) and not OF_THEM.match(folded.strip()):
        yield _fact(view, run, "preference", WISH_CONFIDENCE, wish=True)
    elif is_kept(folded, run, told, fresh, once=once, unread=unread, reacts=bool(REACTS.search(view.folded))):
        yield _fact(view, run, _type(folded, fresh), TOLD_CONFIDENCE)
    elif len(run.clauses) > 1 and run.owners[0] in (Owner.NONE, Owner.REQUEST):
        yield from _told(view, Run(run.clauses[1:], run.owners[1:]), spans)


def _trimmed(view: View, run: Run) -> Run:
    """Return a run without requests and remarks at its edges that carry nothing of the user's own."""
    clauses, owners = list(run.clauses), list(run.owners)

    def idle(index: int) -> bool:
        words = view.folded[clauses[index].start : clauses[index].end].strip()
        if is_wish(words) or NOTE.search(words):
            return False
        if owners[index] is Owner.REQUEST:
            if STATED_OCCASION.search(words) or GOAL.search(words):
                return False
            if any(one.topic is Topic.FORMAT for one in anchors(words)) and Owner.USER in owners:
                return False
            own = re.search(r"\b(?:my|our|i|i'm|im|we)\b", words.partition(" ")[2]) or index
            return not (
                own and (any(one.strong for one in anchors(words)) or DATE.search(words) or MEASURED.search(words))
            )
        return bool(CHAT.match(words)) and not any(True for _ in anchors(words))

    while clauses and idle(0):
        del clauses[0], owners[0]
    while clauses and idle(len(clauses) - 1):
        del clauses[-1], owners[-1]
    return Run(clauses, owners, run.who if clauses and clauses[0] is run.clauses[0] else "", run.introduces, run.lists)


def _type(folded: str, fresh: Sequence[Anchor]) -> str:
    topics = {one.topic for one in fresh}
    if STATED_OCCASION.match(folded.strip()) and not re.search(r"\b(?:was|were|expired|went)\b", folded):
        return "task"
    if re.search(
        r"\b(?:love|hate|prefer|like|always|never|only|usually|normally|mostly|every|favou?rite|no|don't|dont|avoid|enjoy|can't stand|cant stand|gone off)\b",
        folded,
    ) and not topics & {Topic.HEALTH}:
        return "preference"
    if (
        topics & {Topic.OCCASION, Topic.PAPERS}
        and DATE.search(folded)
        and not re.search(r"\b(?:ago|last|was|were|got|went|had|did)\b", folded)
    ):
        return "task"
    return "identity"


_RETOLD: Final = re.compile(
    r"^(?:i'm|im|i've|ive|i am|i have|i (?:also |still |only |never |always |usually |mostly |really )?(?:live|work|teach|drive|play|use|run|own|eat|drink|love|hate|prefer|like|speak|study|wear|take|do|don't|dont|can't|can|sleep|train|coach|volunteer|sing|bake|collect|ride|rent|keep|need|want|have|got|quit|moved|grew|started|went|had))\b"
)


def _fact(view: View, run: Run, type: str, sure: float, *, wish: bool = False) -> Found:
    first, last = run.clauses[0], run.clauses[-1]
    folded = view.folded[first.start : last.end]
    words = view.text[last.end - len(folded.lstrip()) : last.end].strip(" ,;:-")
    whole = view.text[first.start : last.end].strip(" ,;:-")
    if re.match(r"since\b", whole, re.I):
        words = whole
    low = fold(words)
    others = len(FIRST.findall(low)) - 1
    if wish:
        content = f"The user's standing wish: {words}"
    elif (_RETOLD.match(low) and not re.search(r"\b(?:i|i'm|im|i've|i am|we)\b", low[3:])) or (
        re.match(r"my\b", low) and not others
    ):
        content = retell(words, "en")
    else:
        content = f"The user's {run.who}: {words}" if run.who else f"The user: {words}"
    content, words = masked(content), masked(words)
    draft = Draft(
        type=type, content=content, value=words[:200], importance=3, confidence=confidence(sure, first), seqs=view.seqs, lang="en",
        suspicious=authority(content),
    )  # fmt: skip
    told = found_at(view, (first.start, last.end), draft)
    told.kept = "wish" if wish else "statement"
    return told
