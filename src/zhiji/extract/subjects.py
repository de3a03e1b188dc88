"""Whom a clause speaks of: the user, or another."""

from __future__ import annotations

import re
from typing import Final

from zhiji.extract import lexicon
from zhiji.extract.view import Clause, Flag, View

_SUBJECT_OTHER_ZH: Final = re.compile(
    rf"(?:(?:我们?家?的?|我有一?[个位名]?)?(?:{lexicon.PEOPLE_ZH})(?!我)|他|她|它|人家|别人|其|大家|有人|有的人|有些人|很多人|一般人|你|您|这[个位名只条款件家种些](?!月|星期|礼拜|周|学期|暑|寒|季|冬|夏|春|秋)|那[个位名只条款件家种些]|该|"
    rf"我们?家?里?的?(?:{lexicon.KIN_ZH})|(?:{lexicon.KIN_ZH})(?!的))"
)
_STRANGERS_EN: Final = "guy|man|woman|bloke|lady|girl|boy|dude|driver|courier|engineer|author|character|seller|doctor|nurse|couple|family|tenant|student|employee|agent|rep"
_PEOPLE_EN: Final = (
    r"(?:best |old |close )?(?:friends?|mates?(?! rate)|bestie|buddy|pal)|house-?mates?|supervisor|professor|tutor|roomie|colleagues?|co-?workers?|boss|manager|neighbou?rs?|room-?mates?|flat-?mates?|classmates?|partner|"
    r"girlfriend|boyfriend|fianc[eé]e?|teacher|landlord|customer|client|assistant"
)
_SUBJECT_USER_ZH: Final = re.compile(r"我|本人|俺|咱")
_SUBJECT_OTHER_EN: Final = re.compile(
    rf"(?:it\b(?!'s)|(?:he|she|they|you|u|people|everyone|everybody|someone|somebody|who)(?:'s|s|'re|re|'ll|'d|'ve)?(?!/)\b|(?:(?:my|our|his|her|their|your|the|a|an|this|that|some|one of my|both my|all my) )(?:[a-z]+ ){{0,2}}?(?:{lexicon.KIN_EN}|{_PEOPLE_EN}|{_STRANGERS_EN}|{lexicon.PETS_ANY}|hubs|missus|mrs|other half|ex|in-laws?|fella|lad)(?:'s|s|'re)?\b|"
    rf"(?:his|her|their|your) [a-z]+|(?:the|an?|this(?! is)|that|some) (?!name|address|email|phone|number|order|favou?rite|birthday|job|diet|budget|size|usual|best|only|other|same|first|second|right|left|wrong|old|new|blue|red|green|black|white|big|little|large|small)[a-z]+ (?:is|are|was|were|has|have|says?|'s)\b|(?:{lexicon.KIN_EN})(?:'s|s)?\b)"
)
_SUBJECT_USER_EN: Final = re.compile(r"(?:i|i'm|im|i've|ive|i'd|i'll|ill|my|me|we|we're|we've|our)\b")


def is_another(words: str) -> bool | None:
    """Return True if a clause speaks of another, False if of the user, None if it names no subject."""
    if _SUBJECT_OTHER_ZH.match(words) or _SUBJECT_OTHER_EN.match(words):
        return True
    if _SUBJECT_USER_ZH.match(words) or _SUBJECT_USER_EN.match(words):
        return False
    return None


_THIRD: Final = re.compile(
    rf"(?:我们?(?:家?里?)?的?|我有一?[个位名]?)?(?:{lexicon.PEOPLE_ZH}|{lexicon.KIN_ZH})|[他她]|别人|人家|"
    rf"(?:he|she|they|someone)\b|(?:(?:my|our|his|her|their|the|a)\s+)?(?:{lexicon.KIN_EN}|{_PEOPLE_EN})\b"
)


def names_another(words: str) -> bool:
    """Return whether folded words speak of another person, wherever in them."""
    return bool(re.search(rf"(?:^|[^a-z])(?:{_THIRD.pattern})", words))


def of_another(view: View, clause: Clause) -> bool:
    """Return whether a clause speaks of another person; of things, and to whom it is said, it may."""
    if not clause.flags & Flag.OTHER:
        return False
    before = [one for one in view.clauses if one.sentence == clause.sentence and one.start <= clause.start]
    named = [words for one in before if is_another(words := view.folded[one.start : one.end].strip())]
    return bool(named) and bool(_THIRD.match(named[-1]))
