"""Which English clauses state something: questions, suppositions, reports and exclamations end a run of statements."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from zhiji.extract import lexicon
from zhiji.extract.owners_en import Owner
from zhiji.extract.signs_en import DATE
from zhiji.extract.unsaid import ABSURD, JOKE
from zhiji.extract.view import Clause, Flag, View
from zhiji.extract.wishes_en import EVER, STOP

MIN_CHARS: Final = 5
_HAN: Final = re.compile("[\u4e00-\u9fff]")
_ASKS: Final = re.compile(
    rf"^(?:and |so |ok |but )?(?!{lexicon.WE_ARE_EN})(?:whats?|what's|hows?|how's|wheres?|whens?|whos?|why|which|does|do (?:i|u|you|we|they|cats|dogs)|did|is|are|am i|was|were|can|could|should|shall|would|will|may i|has|any|anyone|anything|got any|wanna|wdyt|wdym|thoughts|tips|ideas|recs|reckon)\b(?!'t)"
)
_ASKS_ON: Final = re.compile(
    r"[\s,]+(?:(?:so|and|but|pls|please|then|ok)\s+)*(?:can|could|should|would|will) (?:you|u|i|we|someone)\b|\s(?:any|what|whats|what's|which|how|hows|where|wheres|when should|is it|is that|is there|do i|do you|does|tips|thoughts|recs|ideas)\b[^,]*$"
)
_REMARK_OF_DOCTOR: Final = re.compile(
    r"\b(?:doc|doctor|gp|nurse|physio|dentist|optician|consultant|specialist|dermatologist|allergist|midwife|vet|therapist|dietitian|dietician|cardiologist|surgeon|blood test|scan|test|results?)s?\b[^.!?]{0,20}\b(?:says?|said|told|thinks?|reckons?|confirmed|showed)\b"
)
_CONDITION_OF_HABIT: Final = re.compile(
    r"\bif (?:it's|its|it is|overnight|possible|not|i'm|im|i (?:get|eat|have|drink|sit|sleep|forget|miss)|there(?:'s| is)|theres|poss|available|needed|that's|thats|that matters|it matters|(?:that|it) helps|relevant|anyone asks|any|you|u|we)\b"
)
_UNREAL: Final = re.compile(r"\b(?:would|were|could|imagine|suppose|hypothetical\w*|dream\w*|lottery|say i)\b")


_GIVEN_UP: Final = re.compile(r"\b(?:dont|don't|do not) even\b")


_FRAGMENT: Final = re.compile(
    r"^(?:and |pls |please )*(?:always|ever|only|pls|please|every ?time|never|period|from now on|forever)$"
)


def sentences(view: View) -> list[list[Clause]]:
    """Return the clauses by sentence; a sentence of one word such as "always" belongs to the one before."""
    sentences: list[list[Clause]] = []
    last = -1
    for clause in view.clauses:
        words = view.folded[clause.start : clause.end].strip()
        if sentences and (clause.sentence == last or _FRAGMENT.match(words)):
            sentences[-1].append(clause)
        else:
            sentences.append([clause])
        last = clause.sentence
    return sentences


def without_question(view: View, clause: Clause, words: str) -> tuple[Clause, str]:
    """Return a clause without the question at its end: "im vegan any ideas?" says "im vegan"."""
    cut = _ASKS_ON.search(view.folded, clause.start, clause.end)
    if _ASKS.match(words) or cut is None or cut.start() - clause.start < MIN_CHARS:
        return clause, words
    asks = Flag.QUESTION in clause.flags or re.search(
        r"\b(?:can|could|should|would|will) (?:you|u|i|we)\b|\bwhats?\b|\bhow (?:do|can|should|would) (?:i|you|we)\b|\bany (?:tips|ideas|recs|suggestions)",
        cut.group(),
    )
    if not asks:
        return clause, words
    if _ABOUT_THE_QUESTION.match(words):
        return replace(clause, flags=clause.flags | Flag.QUESTION), words
    if EVER.search(words) and Flag.QUESTION not in clause.flags:
        return clause, words
    head = replace(clause, end=cut.start(), mark="", flags=clause.flags & ~Flag.QUESTION)
    return head, view.folded[head.start : head.end].strip()


_ABOUT_THE_QUESTION: Final = re.compile(r"if\b|(?:on|in|using|with|for) [^,]{2,20} how\b")
"""Says when and with what it is asked: "on windows how do i …"."""


def is_dead(words: str, clause: Clause, owner: Owner) -> bool:
    """Return whether a clause states nothing of the user: it ends a run."""
    flags = clause.flags
    if not re.search(r"[a-z]{2}|\d", words) or _HAN.search(words):
        return True
    wish = EVER.search(words) or STOP.search(words)
    asks = _ASKS.match(words) or (
        Flag.QUESTION in flags and not re.match(r"do (?!i\b|you\b|u\b|we\b|they\b|it\b)", words)
    )
    if (asks or "?" in clause.mark) and not (wish and "?" not in clause.mark):
        return True
    if Flag.HYPOTHETICAL in flags and (_UNREAL.search(words) or not _CONDITION_OF_HABIT.search(words)):
        return True
    if Flag.REPORTED in flags and not _REMARK_OF_DOCTOR.search(words):
        return True
    if (
        Flag.HEDGED in flags
        or _GIVEN_UP.search(words)
        or _EXCLAIMS.match(words)
        or ABSURD.search(_GOD.sub("", words))
        or JOKE.search(words)
        or _SILLY.search(words)
    ):
        return True
    if owner is Owner.STRANGER:
        return not (_EXPECTS.search(words) and DATE.search(words)) and not BINDS.search(words)
    return owner is Owner.OTHER and bool(re.match(r"(?:you|u|ur|your|youre|you're)\b", words)) and not wish


BINDS: Final = re.compile(
    r"\b(?:wont|won't|doesn't|doesnt|don't|dont|never|not|only) (?:let|lets|allow|allows) (?:me|us|any|pets|dogs|cats)\b|\bmakes (?:me|us) (?:work|wear|use|come|do)\b"
)
"""What others keep the user from."""
_EXCLAIMS: Final = re.compile(
    r"^(?:oh )?my (?:goodness|god|word|bad|gosh|pleasure|point|days|lord)\b|^my (?:guess|question|answer|point|favou?rite (?:part|bit|moment|thing about))\b|^(?:i|we) (?:just |once |also )?(?:read|heard|saw|learne?[dt]) (?:that\b|somewhere|online|in an?\b|on the)|^i swear\b|^(?:q|question|user|human|assistant|bot) ?:"
)
_SILLY: Final = re.compile(
    r"\ballergic to (?:mondays?|tuesdays?|mornings?|work|working|people|exercise|effort|bullshit|drama|stupidity|nonsense|fun|losing|commitment|the gym|housework|cleaning|responsibility|maths?|meetings|adulting|alarm clocks?)\b|"
    r"\b(?:train|bus|flight|taxi|uber|cab|parcel|order|food|delivery|laptop|phone|computer|pc|screen|wifi|internet|app|page|code|battery|site|program|script)(?:'s| is| was| has| just| keeps?| isn't| got)+ (?:\w+ )?(?:late|delayed|cancelled|froze|frozen|crash\w*|dead|dying|died|slow|down|stuck|playing up|loading|logging|freezing)\b"
)
"""What nobody is allergic to, and what goes wrong for a while."""
_GOD: Final = re.compile(r"\b(?:thank|oh my|my|swear to|for|hope to|dear) god\b|\bgod (?:knows|bless|willing|forbid)\b")
_EXPECTS: Final = re.compile(
    r"\b(?:wants?|needs?|expects?|is expecting|gave (?:me|us)|asked (?:me|us)|moved (?:it|the|my|our))\b"
)
"""What a superior wants by a day is the user's task."""
