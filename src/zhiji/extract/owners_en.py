"""Whom an English clause speaks of, told by its first words: the user, kin and pets of theirs, or somebody else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final

from zhiji.extract import lexicon
from zhiji.extract.topics_en import Topic, anchors
from zhiji.extract.view import Clause


class Owner(Enum):
    """Whom a clause speaks of, by its first words."""

    USER = "user"
    OURS = "ours"
    """Kin, pets, household."""
    STRANGER = "stranger"
    PRONOUN = "pronoun"
    """he, she, they: whoever was spoken of."""
    OTHER = "other"
    """you, it, this, the …"""
    REQUEST = "request"
    NONE = "none"
    """No subject: the user's own, if it begins like that."""


PET_KIN: Final = (
    rf"(?:{lexicon.KIN_EN}|{lexicon.PETS_EN}|mam|nan|nanna|gran|hubs|missus|gf|bf|ex|bro|sis|kiddos?|kids|children|teens?|teenagers?|little (?:one|man|girl|boy)|girls|boys|eldest|youngest|oldest|middle one|"
    r"mil|fil|bub|bubs|bairns?|lads?|lass|flat-?mate|house-?mate|room-?mate|cats?|dogs?|horses?|ferrets?|hens?|rabbits|in-laws|family|household|step-?\w+|nephews?|nieces?|cousins?|siblings?|twins|aunty|wifey|amma|appa)"
)
KIN_OR_PET: Final = re.compile(rf"\b{PET_KIN}\b")
_OURS: Final = re.compile(
    rf"(?:(?:(?:both|all)(?: of)? )?(?:my|our|the|me)\s+(?:[a-z-]+ ){{0,2}}?{PET_KIN}\b|(?:mum|mom|mam|dad|mother|father|nan|nanna|gran|grandma|grandad|granddad|my folks|hubs|hubby|wifey|wife|husband|missus|daughter|son|kids|kiddo|sister|brother|twins|eldest|youngest|amma|appa)(?:'?s)?\b|(?:dog|cat|pup|puppy|kitten|rabbit|hamster|horse|parrot)(?:'s|'re| is| are)? (?:called|named|is|are|has|have|hates?|loves?|won't|wont|can't|cant|eats?|ate|sleeps?|barks?|bites?|keeps?|refuses|needs?|takes?|\d)\b|(?:dog|cat)'s\b)"
)
_STRANGER: Final = re.compile(
    r"(?:(?:my|our|the|a|an|one of (?:my|our)|some|this|that|his|her|their)\s+)?(?:[a-z-]+ ){0,2}?(?:boss|manager|supervisor|neighbou?rs?|colleagues?|co-?workers?|clients?|landlord|landlady|friends?|mates?|buddy|bestie|guys?|bloke|dude|someone|somebody|people|everyone|everybody|nobody|strangers?|classmates?)(?:'?s)?\b|"
    r"(?:my|our|the|a|an|one of (?:my|our)|some|this|that|his|her|their)\s+(?:[a-z-]+ ){0,2}?(?:customers?|teacher|professor|prof|tutor|woman|man|lady|couple|agent|rep|driver|courier|engineer|coach|trainer|celeb\w*|actor|actress|singer|author|character|students?|intern|guy|kid (?:at|in|from|next))(?:'?s)?\b"
)
_USER: Final = re.compile(
    rf"{lexicon.WE_ARE_EN}|(?:i|i'm|im|ive|i've|i'd|id|i'll|ill|imma|my|mine|me|myself|we|we're|we've|we'll|weve|our|ours|us|both of us|me and|iam)\b"
)
_PRONOUN: Final = re.compile(
    r"(?:(?:her |his |its |the )?name(?:'s| is|d)?(?= [a-z])(?! (?:on|is|for|was))|named |called |answers to )|(?:he|she|they|his|her|their|hes|shes|theyre|he's|she's|they're)\b(?!/)"
)
_OTHER: Final = re.compile(
    r"(?:you|u|ur|your|yours|youre|you're|you've|y'all|ya|that|thats|that's|this|these|those|there|theres|there's|who|which|what|whatever|(?:each|every)(?! (?:single |other )?(?:day|morn|even|night|week|month|year|mon|tue|wed|thu|fri|sat|sun|two|three|four|few|\d))|all|another|such|both(?! (?:(?:of )?my )?(?:hips|knees|eyes|ears|ankles|feet|hands|shoulders|wrists|lungs|legs)\b)|(?:two|one|some|most) of (?!my|our)|here|here's|heres|seeing|watching|having|have (?:a|an|fun)|knowing|it|it's|its|the|a|an|some)\b"
)
_REQUEST: Final = re.compile(
    r"(?:then |also |just |kindly |pls |please |hey |ok |ta |so |sir |madam |and |can (?:you|u|i)(?: please| pls| just)? |could (?:you|u|i)(?: please)? |would (?:you|u) |will (?:you|u) )*"
    r"(?:(?:i|we)(?:'d| would)? (?:like|love) (?:to (?:know|order|buy|ask|return|book|see|get)|some|a)\b|(?:i|we)?(?:'m|m| am)? ?(?:just )?(?:need|want|wanna|wants|looking (?:for|to)|after|searching|trying to find|hunting for) (?!no\b|to be called|you to (?:always|never|stop)|replies|answers)|"
    r"(?:suggest|recommend|find|gimme|give|tell|show|explain|list|plan|make|create|generate|draft|write|help|book|order|get|buy|check|look|search|compare|translate|calculate|convert|sort|fix|schedule|set|add|cancel|refund|return|replace|exchange(?! (?:semester|student|year))|track|update|change|"
    r"confirm|resend|retry|pick|choose|rate|rank|break|turn|open|play|put|let|lets|let's|send|what|why|when|where|who|how|which|any|wheres|whats|hows|need|want|format|summari[sz]e|describe|design|build|quiz|test|teach me|remind|nag|wake|say|save|note|do the needful|talk me|walk me|advise|guide)\b"
    r"(?! (?:at|in|for|as|on) (?:a|the|my|an|[a-z]+ (?:school|hospital|uni))))"
)
"""A wish to be served now. Its particulars are no memory unless they are the user's own."""


_AT_WORK: Final = re.compile(
    r"(?:play|write|build|design|make|fix|test|teach|draft|check|plan|break|run|sell|book|order|buy|cook)\b[^,.]*\b(?:in an?|for a living|mostly|mainly|usually|every|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|since|for \d+ years|professionally|at work|as a hobby|on weekends|these days)\b(?! from now)"
)
"""Begins like a request, and says what the user does."""


LEAD: Final = re.compile(
    r"^(?:(?:y'all|guys|hey|hi|hello|yo|dude|mate|bro|man|sir|madam|ok|okay|so|well|look|listen|honestly|tbh|ngl|fwiw|for what it'?s worth|basically|context:?|for context|background:?|fyi|btw|alright|hmm+|ugh|argh|oh|ah|haha+|lol|yeah|yea|yep|ya|yup|yh|aye|nah|anyway|also|and|but|plus|though|tho|just|cos|coz|cuz|bc|because|since|plz|pls|please)[\s,!:.]+)+"
)
"""What people say before they begin."""


def pet_or_kin(folded: str) -> str:
    """Return the word for one's own kin or pet in a text, or nothing: my kin, any pet."""
    found = re.search(rf"\b(?:my|our|your|the) (?:[a-z-]+ )?(?P<own>{PET_KIN})\b", folded)
    if found:
        return found["own"]
    pets = [one for one in anchors(folded) if one.topic is Topic.PET and folded[one.start : one.end] != "vet"]
    return folded[pets[0].start : pets[0].end] if pets else ""


def owner_of(words: str) -> Owner:
    """Return whom a clause speaks of."""
    if _REQUEST.match(words):
        return Owner.NONE if _AT_WORK.match(words) else Owner.REQUEST
    if _OURS.match(words):
        return Owner.OURS
    if _STRANGER.match(words):
        return Owner.STRANGER
    if _USER.match(words):
        return Owner.USER
    if _PRONOUN.match(words):
        return Owner.PRONOUN
    return Owner.OTHER if _OTHER.match(words) else Owner.NONE


@dataclass(slots=True)
class Run:
    """Clauses of one sentence that state something, side by side."""

    clauses: list[Clause]
    owners: list[Owner]
    who: str = ""
    """Who "she" or "they" is that it begins with, if they are the user's own."""
    introduces: bool = False
    """Whether the user announced that they would tell of themselves."""
    lists: bool = False
    """Whether it follows the user's name: "Maren here, trainee nurse"."""
