"""What an English sentence says of the thing that the one before names: a food echoed, a pet by its name, a food that harmed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from zhiji.extract.contacts import phone
from zhiji.extract.facts import Found, found_at
from zhiji.extract.owners_en import Owner, owner_of, pet_or_kin
from zhiji.extract.safety import authority
from zhiji.extract.signs_en import CONSEQUENCE, REACTS
from zhiji.extract.topics_en import Anchor, Topic, anchors
from zhiji.extract.view import Flag, View
from zhiji.types import Draft

TOLD_CONFIDENCE: Final = 0.8
_ECHOED: Final = re.compile(
    r"(?:^|[.!\n]\s*)(?P<all>(?P<topic>[a-z]+(?: [a-z]+){0,2})\? (?P<rest>(?:nope?|nah|never|hate|can't|cant|gave (?:it|them)|quit|allergic|vile|yuck|gross|stopped|not (?:any ?more|for me|since)|no (?:ta|thanks|way|chance)|love (?:it|them)|only|always|every)\b[^?\n]{0,80}?))(?=[.!\n]|$)"
)
_BY_EMOJI: Final = re.compile(r"(?P<all>(?P<topic>[a-z]+(?: [a-z]+){0,2}) ?[👎🤢🤮][^.!?\n]{0,60})")
_PET_OF_NAME: Final = re.compile(
    r"(?:^|[.!?\n]\s*|, )(?P<all>(?P<name>[a-z]+)(?:'s| is| has| ate| just| keeps| won't| wont| got| was)? [^.!?\n]{2,80}[.!,] ?(?:he|she)(?:'s|s| is) (?P<rest>an? [^.!?\n]{2,60}))"
)
_HARMS: Final = re.compile(
    r"\b(?:have|has|contains?|got|includes?|with|there(?: any)?|free of|without|made (?:of|with)|is it|is this|use) (?:any |the |a |an )?(?P<thing>[a-z]+(?:-[a-z]+)?)(?: [^?.!\n]{0,40})?[?.!,] ?(?:cos |cuz |because |bc |as |since )?(?P<all>(?:it|that|they|those|the stuff|that stuff)(?: always| usually| really| just| can)? "
    r"(?:makes?|gives?|brings?|sets?|puts?|turns?|upsets?|triggers?|irritates?|breaks?|burns?|wrecks?) (?:me|my|off my)\b[^.!?\n]{0,30}?\b(?:skin|rash|itch\w*|swell\w*|hives|welts|sick|throat|stomach|tummy|gut|headaches?|migraines?|sneez\w+|wheez\w+|mouth|lips|eyes|tongue|bloat\w*|ill|vomit|out|flare|eczema|asthma|heartburn|cough\w*|blotch\w*|cramps?|spots)\b[^.!?\n]{0,30})"
)
"""What harms somebody, which the question before names: "does it have oxybenzone? it makes my skin come up in welts"."""
_COS: Final = re.compile(
    r"\b(?:have|has|contains?|got|any|there|with|use|in|made of) (?:any |the |a )?(?P<thing>[a-z]+)(?: (?:in|on) (?:it|this|that|there))?[?,]? (?:cos|cuz|coz|because|bc) (?P<all>(?:my (?:tongue|throat|lips?|mouth|skin|stomach|tummy|guts?|face|eyes?|nose|ears?|head|hands?|chest|body|allerg\w+|eczema|asthma|ibs|hay ?fever)|i|i'm|im|it|they|that)\b[^.!?\n]{2,50})"
)
"""A question for a thing that gives the reason: "does it have walnuts cos my tongue swells"."""
_REACTED: Final = re.compile(
    rf"{CONSEQUENCE}|\b(?:ended up in (?:a&e|hospital|er|the er|casualty)|throat (?:closed|swelled|swells|closes|tightens)|(?:came|come|comes|broke|break) (?:up|out) in|(?:face|skin|lips?|eyes?|mouth|hands?|arms?|neck|scalp|cheeks?) (?:goes?|went|gets?|turns?)(?: all| bright| really| so| dead)* (?:red|puffy|blotchy|numb|itchy|raw|lumpy|bumpy|flaky)|swelled up|swell up|face swell\w*|couldn't breathe|cant breathe|can't breathe|epi-?pen|anaphyla\w*|hives)\b"
)
_ASKED_FOR: Final = re.compile(
    r"\b(?:(?:is|are) there (?:any |a )?|(?:have|has|contains?|got|uses?|with) (?:any |a )?)(?P<thing>(?!to\b|the\b|been\b|you\b)[a-z]+(?:-[a-z]+)?)(?: (?:in|on)\b[^.!?\n]{0,30})?\?\s*$"
)
"""The thing that a question asks for, whatever it is."""


def named_things(view: View) -> Iterator[Found]:
    """Yield what a sentence says of what the one before names: a food echoed, a pet by its name, a food that harmed."""
    for pattern in (_ECHOED, _BY_EMOJI):
        for found in pattern.finditer(view.folded):
            if any(one.topic in (Topic.FOOD, Topic.ALLERGEN, Topic.HOBBY) for one in anchors(found["topic"])):
                yield of_thing(view, found.span("all"), "preference", "")
    for found in _PET_OF_NAME.finditer(view.folded):
        written = view.text[slice(*found.span("name"))]
        if written[:1].isupper() and any(one.topic is Topic.PET for one in anchors(found["rest"])):
            yield of_thing(view, found.span("all"), "identity", "'s pet")
    for harms in _HARMS.finditer(view.folded):
        clause = view.clause(harms.start("all"))
        if not clause.flags & (Flag.HYPOTHETICAL | Flag.REPORTED):
            thing = view.text[slice(*harms.span("thing"))]
            yield of_thing(view, harms.span("all"), "identity", f", of {thing}")
    for reason in _COS.finditer(view.folded):
        if REACTS.search(reason["all"]) and not pet_or_kin(reason["all"]):
            yield of_thing(view, reason.span("all"), "identity", f", of {reason['thing']}")
    yield from _harmed(view)


def _harmed(view: View) -> Iterator[Found]:
    """Yield what a sentence says a food did to the user, which another before it names."""
    harmed = _REACTED.search(view.folded)
    if harmed is None or re.search(r"\b(?:his|her|their|your) (?:face|skin|lips?|eyes?|mouth|hands?)", view.folded):
        return
    if not re.search(
        r"\b(?:i|i'?m|me|my)\b|(?:^|[.!?\n] ?)(?:face|skin|lips?|eyes?|mouth|hands?|arms?|neck|scalp|cheeks?) ",
        view.folded,
    ):
        return
    clause = view.clause(harmed.start())
    sentence = [one for one in view.clauses if one.sentence == clause.sentence]
    asking = [one.end for one in sentence if Flag.QUESTION in one.flags and one.end <= clause.start]
    start, end = min(one.start for one in sentence if one.start >= max(asking, default=0)), sentence[-1].end
    unreal = Flag.HYPOTHETICAL in clause.flags and re.search(
        r"\b(?:if|imagine|suppose|unless)\b", view.folded[start:end]
    )
    blocked = clause.flags & (Flag.REPORTED | Flag.QUESTION) or unreal
    if blocked or owner_of(view.folded[start:end].strip()) is Owner.STRANGER or any(_foods(view.folded[start:end])):
        return
    asked = view.folded[:start]
    foods = list(_foods(asked))
    food = next((one for one in reversed(foods) if one.topic is Topic.ALLERGEN), foods[-1] if foods else None)
    named = _ASKED_FOR.search(asked)
    thing = asked[food.start : food.end] if food else named["thing"] if named else ""
    if thing:
        whose = f"'s {kin}" if (kin := pet_or_kin(view.folded[start:end])) else ""
        yield of_thing(view, (start, end), "identity", f"{whose}, of {thing}")


def _foods(folded: str) -> Iterator[Anchor]:
    return (one for one in anchors(folded) if one.topic in (Topic.ALLERGEN, Topic.FOOD))


def of_thing(view: View, span: tuple[int, int], type: str, of: str) -> Found:
    """Return a memory of a span in the user's words; ``of``: whose or of what it is, behind "the user"."""
    words = view.text[slice(*span)].strip(" ,;:-")
    content = masked(f"The user{of}: {words}")
    draft = Draft(
        type=type, content=content, value=masked(words)[:200], importance=3, confidence=TOLD_CONFIDENCE, seqs=view.seqs, lang="en",
        suspicious=authority(content),
    )  # fmt: skip
    told = found_at(view, span, draft)
    told.kept = "statement"
    return told


_LONG_NUMBER: Final = re.compile(r"(?<![\w.-])\+?\(?\d[\d ()-]{7,16}\d(?!\w)")


def masked(words: str) -> str:
    """Return words with long numbers masked like phones, whatever country's plan they follow."""
    return _LONG_NUMBER.sub(lambda found: phone(found.group()) or found.group(), words)
