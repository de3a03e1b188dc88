"""English answers that only mean something behind the question: "Sure, when?" – "tuesdays, before work".

An answer without a subject of its own is kept together with what it answers: the user's request, where the question only asks
for its time or number, else the question, unless that guesses at something. "She's 14" is said of the kin or pet that the
request or the question named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from zhiji.extract.facts import Found, found_at
from zhiji.extract.fold import fold
from zhiji.extract.owners_en import Owner, owner_of, pet_or_kin
from zhiji.extract.replies import JOINT
from zhiji.extract.safety import authority
from zhiji.extract.signs_en import SECRET
from zhiji.extract.things_en import masked
from zhiji.extract.topics_en import Topic, anchors
from zhiji.extract.unsaid import ABSURD
from zhiji.extract.view import Clause, Flag, View
from zhiji.types import Draft, Message

ANSWER_CONFIDENCE: Final = 0.8
MAX_QUESTION_CHARS: Final = 90
MAX_REQUEST_CHARS: Final = 80
MAX_ANSWER_CHARS: Final = 160

_ASKS: Final = re.compile(
    r"(?:^|[.!?\n]\s*|, |: |- |so |and |ok |sure |but )(?P<q>(?:when|what|which|where|who|whose|how|any|anything (?:you|i should|to)|from when|until when|for (?:how|what|which|when|who)|on (?:what|which)|at what|in (?:what|which))\b[^?.!\n]{0,80})\?"
    r"|(?:^|[.!?\n]\s*)(?P<short>[a-z' ]{2,24})\?"
)
_IDLE: Final = re.compile(
    r"any(?:thing|one)? (?:else|more|other|luck|news|questions|update)|(?:how|what) (?:can|may|else|about you|are you (?:up|doing)|do you think)|what(?:'s| is| are)? (?:up|new|happen\w*|wrong|going on|the (?:matter|problem|issue|error|order)|you (?:think|eating|doing|watching))|"
    r"how(?:'s| is| are| was| were| did)\b(?! (?:old|tall|many|much|often|long|big|far))|^(?:what|which|where|who|when) (?:did|was|were|has|had|inspires?|makes?|made)\b|^any (?:new|fun|cool|exciting|interesting|big|success)\b|fancy|feel(?:ing)? like|in the mood|tonight|today|right now|happened|your order|order number|tracking|password|code\b|error|really|right|ok(?:ay)?$|yes$|sound good|make sense|help you|why not|what made you|what inspired|what kind of (?:help|error|problem)"
)
_BARE: Final = re.compile(
    r"(?:from |until |for |on |at |in )?(?:when|what (?:time|day|date|size|number|name|days|dates)|which (?:day|days|date|time|one|size)|how (?:many|long|often|much)|who(?: for)?|where|what for)\b(?: (?:is|are|was|do|does|should|would|will|shall|can|i|it|that|you|we|for|like|works?|suits?|best|people|prefer|be|need|want|the|this|to|remind|book|start|set|by|on|at))*"
)
"""A question that only asks for a detail of what the user asked for."""
_GUESSES: Final = re.compile(
    r"\b(?:must|maybe|probably|perhaps|guess|assume|you're|you are|like before|still|again|or)\b"
)
_NONE: Final = re.compile(
    r"^(?:(?:yes|yeah|yep|no|nope|nah|nothing|none|dunno|idk|not sure|no idea|unsure|anything|any|whatever|either|both|neither|you (?:choose|pick|decide)|surprise me|don'?t (?:know|mind|care)|doesn'?t matter|no preference|up to you|hmm+|maybe|ok|okay|sure|thanks?|thank you|ty|cheers|lol|haha|wow|great|good|fine|nice|cool|same|just|only|well|um+|uh+|oh|really|nvm|never ?mind|dunno yet|skip|later|soon|now|asap)\b[\s,!.]*)+$"
)
_CHATS: Final = re.compile(
    r"^(?:thanks?|thank you|hey|hi|hello|wow|oh|aw+|yes|yeah|haha|lol|cheers|congrats)\b|\b(?:amazing|awesome|incredible|wonderful|great|beautiful|i think|i guess)\b"
)
"""Answers to a friend, about the moment."""
_TRADE: Final = re.compile(
    r"\b(?=[a-z-]*\d)[a-z]{2,}-?\d[\w-]{4,}\b|\b(?:orders?|ordered|parcels?|packages?|refund(?:ed)?|return(?:ed|ing)?|deliver(?:ed|y)|arrived|tracking|cracked|damaged|faulty|broken)\b"
)
"""What the business readers tell."""
_TOPICAL: Final = re.compile(
    r"\b(?:limit|restriction|diet|dietary|allerg\w*|budget|size|prefer\w*|preference|usual\w*|often|level|experience|based|live|work|job|use (?:it|this|that)|travel\w*|kids|children|pets?|needs?|style|taste|goals?|avoid|like|old|tall|long have|cuisine|hobb\w*|interests?|constraints?|equipment|language|name|call you|conditions?|injur\w*|free|suit|schedule)"
)
_DETAIL: Final = re.compile(
    r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:morning|evening|night|noon|weekend|weekday|tomorrow|next|week|month|summer|winter|spring|autumn|jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)\w*\b|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twice|once|every)\b"
)
_BLOCKED: Final = Flag.QUESTION | Flag.HYPOTHETICAL | Flag.REPORTED | Flag.HEDGED | Flag.MOOD | Flag.ONCE


def find(question: Message, request: Message | None, view: View) -> Iterator[Found]:
    """Yield what the first sentence of a message says as the answer to the assistant's question.

    ``request``: what the user said before the question.
    """
    asked = _question(question.content)
    clauses = _answer(view)
    if not asked or not clauses:
        return
    words = view.text[clauses[0].start : clauses[-1].end].strip(" ,.;:!-")
    low = fold(words)
    if (
        _CHATS.search(low)
        or _TRADE.search(low)
        or len(words) > MAX_ANSWER_CHARS
        or SECRET.search(low)
        or _NONE.match(low)
        or ABSURD.search(low)
        or _TURNS_AWAY.match(low)
    ):
        return
    named = any(one.topic is Topic.NAME or one.topic is not Topic.FORMAT for one in anchors(low))
    if not (named or _DETAIL.search(low) or _TOPICAL.search(fold(asked))):
        return
    seqs = (question.seq, *view.seqs)
    bare = _BARE.fullmatch(fold(asked))
    before = request.content.strip(" .!?\n") if request else ""
    denied = bool(_DENIED.match(view.heard.lstrip()))
    words = _DENIED.sub("", words) or words
    whose = ("" if denied else pet_or_kin(fold(asked))) or (pet_or_kin(fold(before)) if before else "")
    if owner_of(view.folded[clauses[0].start : clauses[0].end].strip()) is Owner.PRONOUN or _of_named(words):
        if not whose:
            return
        content = f"The user's {whose}: {words}"
    elif bare and request and _ASKED_FOR.match(fold(before)) and len(before) <= MAX_REQUEST_CHARS:
        content, seqs = f"The user: {before}{JOINT}{words}", (request.seq, *seqs)
    elif whose and _OF_THEM.search(fold(asked)):
        content = f"The user's {whose}: {words}"
    elif bare or denied or _GUESSES.search(fold(asked)):
        content = f"The user: {words}"
    else:
        content = f"The user, asked “{asked}?”: {words}"
    dated = bool(_DATED.search(low)) and bool(bare)
    draft = Draft(
        type="task" if dated else "identity", content=masked(content), value=masked(words)[:200], importance=3, confidence=ANSWER_CONFIDENCE,
        seqs=seqs, lang="en", suspicious=authority(content),
    )  # fmt: skip
    told = found_at(view, (clauses[0].start, clauses[-1].end), draft)
    told.kept = "statement"
    yield told


_TURNS_AWAY: Final = re.compile(r"(?:no|nope|nah)[\s,.]*but\b")
"""Says of another what the question asked of the user; the words alone say nothing."""
_DENIED: Final = re.compile(
    r"(?:(?:nope|nah|naw|not really)\b[\s,.!]*|no(?:\s*[,.!]+\s*| (?=(?:it'?s|he|she|they|my|i|i'm|we|that'?s|this|just|not|actually|for|sorry|its|im)\b)))+", re.I
)  # fmt: skip
"""Whoever denies a guess has said no word of it."""
_ASKED_FOR: Final = re.compile(
    r"(?:(?:can|could|will|would) (?:you|u) |please |pls |hey |hi |ok |also |just )*(?:remind|set|book|schedule|put|add|reserve|plan|arrange|order|deliver|wake|nag|note|save|make|get|block|move|register|sign|enrol|enroll)\b"
)
_OF_THEM: Final = re.compile(r"\b(?:he|she|they|him|her|them|his|their|old|weigh)\b")
_DATED: Final = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\d ?(?:am|pm)|\d:\d\d|\b\d{1,2}(?:st|nd|rd|th)\b|\bweek\b|\bmonth\b|tomorrow|\bnext\b"
)


def _question(reply: str) -> str:
    """Return the last question of a reply that asks for something of the user, without its mark, or nothing."""
    found = list(_ASKS.finditer(fold(reply)))
    if not found:
        return ""
    group = "q" if found[-1]["q"] else "short"
    words = reply[slice(*found[-1].span(group))].strip()
    low = fold(words)
    idle = not words or len(words) > MAX_QUESTION_CHARS or _IDLE.search(low) or re.search("[\u4e00-\u9fff]", low)
    return "" if idle else words


def _answer(view: View) -> Sequence[Clause]:
    """Return the clauses of the first sentence that go without a subject of their own."""
    answer: list[Clause] = []
    for clause in view.clauses:
        words = view.folded[clause.start : clause.end].strip()
        who = owner_of(words)
        plain = not clause.flags & _BLOCKED and "?" not in clause.mark and not re.search("[\u4e00-\u9fff]", words)
        if not plain or (answer and clause.sentence != answer[0].sentence):
            break
        if who not in (Owner.NONE, Owner.PRONOUN) and not answer and not (_of_named(words) or _THING.match(words)):
            break
        if who in (Owner.STRANGER, Owner.OTHER, Owner.REQUEST) and not _THING.match(words):
            break
        answer.append(clause)
    return answer


_THING: Final = re.compile(
    r"(?:the|an?|some|any|all|each|every|anything|something|two|three) (?!.*\b(?:is|are|was|were|has|have|had|you|i|it|that|this)\b)[\w' -]{1,50}$"
)
"""An answer that names a thing or a day and says nothing of it."""


def _of_named(words: str) -> bool:
    """Return whether words begin with somebody's name and say something of them: "Biscuit's 6"."""
    return bool(
        re.match(
            r"(?!it|that|there|what|here|he|she|let|who)[a-z]+(?:'s| is) (?:\d|an? |deaf|blind|old|about|nearly|only|just|almost|coming)",
            fold(words),
        )
    )


_SAID_OF_THEM: Final = re.compile(
    r"^(?:nah |no |yeah |well |oh |lol |because |cos |so |and |but )*(?:he|she|they)(?:'s|s|'re| is| are| has| loves?| likes?| hates?| only| just| still| can't| cant| won't| doesn't| doesnt| plays?| works?| lives?| collects?| wears?| reads?)\b(?! (?:all |not |so |very |really )?(?:amazing|awesome|great|happy|fine|good|ok|cool|lovely|the best|there|here|right|back|gone|coming|going|getting|doing|being|always there|so|my|a great|the)\b)"
)


def about_theirs(before: Sequence[Message], view: View, told: Sequence[Found]) -> Iterator[Found]:
    """Yield what a message says with "he" or "she" of the kin or the pet that the user's last request named.

    ``told``: what has been found in the message as an answer.
    """
    asked = next((one for one in reversed(before) if one.role == "user"), None)
    whose = pet_or_kin(fold(asked.content)) if asked and _FOR_THEM.search(fold(asked.content)) else ""
    if not asked or not whose:
        return
    for other in _THE_OTHER.finditer(view.folded):
        yield _of(whose, asked, view, other.span())
    for clause in view.clauses:
        folded = view.folded[clause.start : clause.end].strip()
        if pet_or_kin(view.folded[: clause.end]) or clause.flags & _BLOCKED & ~Flag.ONCE or "?" in clause.mark:
            return
        if any(one.start <= clause.start and clause.end <= one.end for one in told):
            continue
        if not _SAID_OF_THEM.match(folded) or SECRET.search(folded):
            continue
        yield _of(whose, asked, view, (clause.start, clause.end))


def _of(whose: str, asked: Message, view: View, span: tuple[int, int]) -> Found:
    words = view.text[slice(*span)].strip(" ,;:-")
    content = f"The user's {whose}: {words}"
    draft = Draft(
        type="identity", content=masked(content), value=masked(words)[:200], importance=3, confidence=ANSWER_CONFIDENCE,
        seqs=(asked.seq, *view.seqs), lang="en", suspicious=authority(content),
    )  # fmt: skip
    told = found_at(view, span, draft)
    told.kept = "statement"
    return told


_THE_OTHER: Final = re.compile(r"\b(?:the|my) other(?: one| [a-z]+)?,? (?:is |called )?[^.!?\n]{4,80}")
_FOR_THEM: Final = re.compile(r"\b(?:my|our|a|the|this) (?:[a-z-]+ )?[a-z-]+")
