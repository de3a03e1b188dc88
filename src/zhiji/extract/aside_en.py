"""What English speakers say of themselves by the way, in a request or a complaint: their town, their pet by its name, a food.

These sentences have no "I" to go by: "landlord in Malmö wants a deposit", "Mabel chewed the router. whippets man", "anything with
soya in, i come up like a balloon". Each shape says by itself whose the thing is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from zhiji.extract.facts import Found
from zhiji.extract.owners_en import Owner, owner_of, pet_or_kin
from zhiji.extract.signs_en import NOT_HOME, REACTS
from zhiji.extract.things_en import of_thing
from zhiji.extract.topics_en import Topic, anchors
from zhiji.extract.view import Flag, View

_UNREAL: Final = Flag.HYPOTHETICAL | Flag.REPORTED
_NUMBER: Final = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|first|second|third)"
_TOWN: Final = r"(?P<town>[^\W\d_][\w'’-]+(?: [^\W\d_][\w'’-]+){0,2}?)"
_TOWN_ENDS: Final = r"(?=$|[,.!?;\n]| (?:and|but|so|wants?|says?|is|has|charges?|keeps?|asks?|now|atm|already|still|rn|mate|any|where|what|how|can|for)\b)"
_SETTLES: Final = (
    re.compile(
        rf"\b(?:land(?:lord|lady)|letting agents?|estate agents?|(?:local )?council|gp|flat|allotment|housemates?|flatmates?|apartment|digs) (?:over |up |down )?(?:here )?in {_TOWN}{_TOWN_ENDS}"
    ),
    re.compile(
        rf"(?:^|[,.!?;\n] ?|\b(?:i'?m|im|we'?re|were|am|bit|fairly|pretty|still|being) )(?:new(?:bie|ish|ly arrived)?|settled|posted|stationed|relocated|a newcomer) (?:in|to) {_TOWN}{_TOWN_ENDS}"
    ),
    re.compile(
        rf"(?:^|[,.!?;\n] ?|\b(?:my|our|only|on) )(?:{_NUMBER} )?(?:day|week|month|year|winter|summer)s? (?:{_NUMBER} )?(?:(?:of )?living |here |over |out |up |down )?(?:in|into) {_TOWN}{_TOWN_ENDS}"
    ),
    re.compile(
        rf"(?:^|[,.!?;\n] ?|\bwrong [a-z]+[,. ]+(?:it'?s )?){_TOWN}(?:,? (?:mate|pal|love|buddy))?,? (?:i|we) live here\b"
    ),
)
"""Shapes that hold a town of the user's."""
_NO_TOWN: Final = frozenset(
    [
        "the",
        "a",
        "an",
        "this",
        "that",
        "my",
        "your",
        "his",
        "her",
        "their",
        "here",
        "town",
        "general",
        "fact",
        "person",
        "love",
        "trouble",
        "case",
        "advance",
        "bed",
        "time",
        "work",
        "school",
        "total",
        "full",
        "it",
        "me",
        "us",
        "charge",
        "python",
        "java",
        "excel",
        "js",
        "linux",
        "debt",
        "heaven",
        "hell",
        "hospital",
        "prison",
        "jail",
        "college",
        "uni",
        "university",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ]
)


def _towns(view: View) -> Iterator[Found]:
    """Yield where the user lives or stays, said by the way; the town is written with a capital, or known."""
    for pattern in _SETTLES:
        for found in pattern.finditer(view.folded):
            town, written = found["town"], view.text[slice(*found.span("town"))]
            known = any(one.topic is Topic.PLACE and one.start == 0 for one in anchors(town))
            named = (written[:1].isupper() and not written.isupper()) or known
            whole = view.folded[found.start() : view.clause(found.start("town")).end]
            if (
                named
                and town.split()[0] not in _NO_TOWN
                and not view.clause(found.start("town")).flags & _UNREAL
                and not NOT_HOME.search(whole)
            ):
                start = found.start() + len(found.group()) - len(found.group().lstrip(" ,.!?;\n"))
                yield of_thing(view, (start, found.end()), "identity", "")


_ANYTHING_WITH: Final = re.compile(
    r"\b(?:any ?thing|stuff|food|things?|if (?:it|there)(?:'s| is| has)?|products?|anything at all) (?:with|containing|made (?:with|of)|has|got) (?:any |a bit of |even a trace of )?(?P<thing>[a-z-]+(?: [a-z-]+)?)(?: in)?(?: it)?[,.;]? (?:and |then )?(?P<all>(?:i|my|it|makes?|brings?|gives?)\b[^.!?\n]{3,60})"
)
_LIST_OF_PETS: Final = re.compile(
    rf"(?:^|[.!?\n]\s*)(?P<all>(?:{_NUMBER}|an?) (?:[a-z]+ )?(?P<one>[a-z]+)(?:,| and| plus| &) (?:{_NUMBER}|an?|some) (?:[a-z]+ )?(?P<other>[a-z-]+(?: pigs?| dragons?)?))(?=$|[,.!?\n]| at home| here| to)"
)
_NEW_JOB: Final = re.compile(
    r"\b(?:got (?:the|a|my) (?:new )?(?:job|gig|role|position|place)|new (?:job|gig|role)|(?:they )?hired me|i'?m hired|landed (?:the|a) (?:job|role|gig))\b[\s!,.:–—-]{1,6}(?P<all>(?:(?:as |i'?m )?(?:an? |the )?)(?!(?:how|what|when|where|and|but|so|is|it|any|can|start\w*|today|help|done|finished|sorted|interview|offer)\b)[a-z-]+(?: [a-z-]+){0,3} (?:at|in|for|with) [^,.!?\n]{3,40})"
)


def _foods(view: View) -> Iterator[Found]:
    """Yield what a food does to the user that the same sentence names: "anything with soya in, i come up like a balloon"."""
    for found in _ANYTHING_WITH.finditer(view.folded):
        reacts = REACTS.search(found["all"]) or _SUFFERS.search(found["all"])
        if reacts and not pet_or_kin(found["all"]) and owner_of(found["all"]) is not Owner.STRANGER:
            yield of_thing(view, found.span("all"), "identity", f", of {found['thing']}")


_SUFFERS: Final = re.compile(
    r"\b(?:come|comes|came|blow|swell|puff|break|flare) (?:me )?(?:up|out)\b|\b(?:i'm|im|i am|i get|i'll be) (?:ill|sick|covered|itchy|red|doubled|on the (?:loo|toilet)|in (?:bits|agony)|bloated|wheezy)\b|\bmy (?:throat|lips|tongue|face|skin|guts?|stomach|eyes|hands)\b"
)
_ANIMAL_DEED: Final = r"(?:chew(?:ed|s)|ate|eats|eaten|peed|pees|pooed|pooped|puked|threw up|throws up|vomit\w*|shed(?:s|ding)?|scratch(?:ed|es)|claw(?:ed|s)|bark(?:ed|s|ing)|howl(?:ed|s|ing)|meow\w*|hiss(?:ed|es)|dug up|digs|chas(?:ed|es)|bit|bites|nipped|escaped|got out|rolled in|destroyed|shredd?(?:ed|s)|pulls|limping|moult\w*|humps?|humped|drool\w*|snatched|knocked over|knocks|won'?t eat|(?:been )?(?:off (?:his|her|its|their) food|scratching|licking|limping|moulting|not eating|sneezing|purring|drooling)|stole|buried|laid|hates the (?:vet|hoover|lead|carrier)|begs|zoom\w*)"
_BY_NAME: Final = (
    re.compile(
        r"\b(?:at the vet'?s?|vet'?s? (?:bill|fees|appointment|appt|visit)|(?:flea|worm)(?:ing)? (?:stuff|treatment|tablets|drops)|(?:cat|dog|pet) ?(?:sitter|insurance|food|groomer|collar|kennels?)|kennels?|cattery|groomer'?s?|kibble|litter) (?:for|with) (?P<name>[a-z][\w'-]*(?: [a-z][\w'-]*){0,2})(?=$|[,.!?;\n😀-🫿💀]| (?:and|but|is|today|this|last|again|who|cos|because|do|any|on|at|next|what|how)\b|\s[^\w\s])"
    ),
    re.compile(
        r"\b(?:took|taking|take|brought|bringing|getting|got|had) (?P<name>[a-z][\w'-]*(?: [a-z][\w'-]*)?) (?:to (?:the |be )?(?:vet'?s?|groomer'?s?|kennels?|cattery|spayed|neutered|chipped|wormed)|spayed|neutered|(?:micro)?chipped|wormed|de-?flead)\b"
    ),
)
_DUE: Final = re.compile(
    r"(?:^|[.!?\n]\s*|, )(?P<all>(?P<name>[a-z][\w'-]*) (?:needs?|is due|is overdue|wants|has|due|got) (?:his|her|their|its|some|the|a) (?:[a-z]+ ){0,2}(?:jabs?|shots?|boosters?|vaccin\w+|worming|wormer|flea \w+|nails (?:done|clipped|trimmed)|teeth (?:done|cleaned)|hooves \w+|groom\w*|neuter\w*|spay\w*|chip)\b)"
)
"""Whose jabs are due: an animal's or a child's of the user's."""
_ACTED: Final = re.compile(
    rf"(?:^|[.!?\n]\s*|, |\b(?:and|cos|because|so|that|lol|ugh|omg) )(?P<name>[a-z][\w'-]*(?: [a-z][\w'-]*)?) (?:has |just |keeps? |once |always |only |is |'s |went and |basically )*{_ANIMAL_DEED}\b"
)
_WRITTEN_NAME: Final = re.compile(r"[A-Z][\w'’-]*(?: (?:[A-Z][\w'’-]*|von|the|of|de|mc))*")
_NO_NAME: Final = re.compile(
    r"(?:i|he|she|it|they|we|you|who|that|this|mum|mom|dad|someone|somebody|everyone|nobody|my|our|the|a|an|his|her|their|neighbou?rs?|boss|baby|customer|driver|everything|nothing|ours?|me|him|them|google|apple|amazon|microsoft|windows|chrome|netflix|uber|tesco|spotify|openai|tesla|facebook|meta|samsung|android|paypal|zoom|teams)\b"
)


def _pets(view: View) -> Iterator[Found]:
    """Yield the animals that a message names: at the vet, by what only animals do beside a word for one, or by their number."""
    animals = any(one.topic is Topic.PET for one in anchors(view.folded))
    patterns = (*_BY_NAME, _ACTED) if animals else _BY_NAME
    for pattern in patterns:
        for found in pattern.finditer(view.folded):
            clause = view.clause(found.start("name"))
            name = view.text[slice(*found.span("name"))].removesuffix("'s")
            if clause.flags & _UNREAL or _NO_NAME.match(found["name"]) or not _WRITTEN_NAME.fullmatch(name):
                continue
            if any(one.topic is not Topic.NAME and one.strong for one in anchors(found["name"])):
                continue
            start = view.folded.rfind(" ", 0, clause.start + 1) + 1 if clause.start else 0
            yield of_thing(view, (max(start, clause.start), clause.end), "identity", f"'s pet {name}")
    for due in _DUE.finditer(view.folded):
        name = view.text[slice(*due.span("name"))]
        if not (
            _NO_NAME.match(due["name"]) or view.clause(due.start("all")).flags & _UNREAL
        ) and _WRITTEN_NAME.fullmatch(name):
            yield of_thing(view, due.span("all"), "identity", "")
    for listed in _LIST_OF_PETS.finditer(view.folded):
        ends = [list(anchors(listed[group])) for group in ("one", "other")]
        if all(one and one[-1].topic is Topic.PET for one in ends) and owner_of(listed["all"]) is not Owner.STRANGER:
            yield of_thing(view, listed.span("all"), "identity", " has")


def _jobs(view: View) -> Iterator[Found]:
    for found in _NEW_JOB.finditer(view.folded):
        if not view.clause(found.start("all")).flags & (_UNREAL | Flag.QUESTION):
            yield of_thing(view, found.span("all"), "identity", "'s new job")


def find(view: View) -> Iterator[Found]:
    """Yield what a message says of the user by the way."""
    yield from _towns(view)
    yield from _foods(view)
    yield from _pets(view)
    yield from _jobs(view)
