"""English rules: one row says one kind of thing. Patterns see folded (lower-case) text; values are cut as written."""

from __future__ import annotations

import re
from typing import Final

from zhiji.extract.facts import NOT_STATED, Rule
from zhiji.extract.fold import fold
from zhiji.extract.lexicon import CS_EN as CS
from zhiji.extract.lexicon import JOBS_EN, KIN_EN, PETS_EN, surname, words
from zhiji.extract.view import Flag

IM: Final = rf"{CS}(?:i'm|im|i am|i've been|i have been)(?: (?:also|actually|currently|now|still|just|already|really|a bit of|kind of))*"
I_DO: Final = rf"{CS}i(?: (?:also|actually|currently|now|still|just|already|really|mostly|usually|always|only|do|mainly|recently|personally|honestly|absolutely|generally|normally|primarily))*"
END: Final = r"(?=\s*$|\s*\(|[,.!?;:()\n~…\"]|\s[-—]| and (?:i|my|the|we|it|am|have|need|want|live|work|love|hate|this|would|can|could|please)\b| but\b| so\b| because\b| since\b| who\b| which\b| though\b| tho\b| btw\b| pls\b| please\b| (?:for )?now\b| atm\b| rn\b| at the moment\b| here\b| fyi\b| tbh\b| too\b| lol\b| haha\b| mate\b| bro\b| yaar\b| man\b| dude\b| innit\b| ever since\b| from now\b| going forward\b| always\b)"
W: Final = r"[^,.!?;:()\n~…\"]"
WITH_ONCE: Final = NOT_STATED | Flag.ONCE
KIN_FLAGS: Final = NOT_STATED & ~Flag.OTHER
MONTH: Final = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
DATE: Final = rf"(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH}|{MONTH}\.? (?:the )?\d{{1,2}}(?:st|nd|rd|th)?)(?:,? (?:19|20)\d\d)?|\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?"
_NAME_WORD: Final = r"(?:(?:dr|mrs?|ms|prof|[a-z])\.|[a-zà-ÿ][\wà-ÿ'-]*)"
"""A dot belongs to a name after a title or an initial only; elsewhere it ends the sentence."""
NAME: Final = rf"{_NAME_WORD}(?: {_NAME_WORD}){{0,2}}"

_NOT_NAMES: Final = words(
    "German French Dutch Spanish Italian English British American Canadian Chinese Japanese Korean Indian "
    "Irish Scottish Welsh Polish Russian Turkish Greek Swedish Danish Norwegian Finnish Swiss Austrian Belgian "
    "Portuguese Brazilian Mexican Australian African Asian European Muslim Christian Jewish Catholic Hindu "
    "Buddhist Vegan Vegetarian Ok Okay Fine Good Sorry Here Back Done Sure New Not Just So Very Really Too "
    "Also Still From In On At Going Looking Trying Having Getting Thinking Working Using Happy Sad Tired "
    "Hungry Sick Single Married Divorced Allergic Deaf Blind Pregnant Interested Afraid Glad Able Unable Ready "
    "Late Early Monday Tuesday Wednesday Thursday Friday Saturday Sunday Type Diabetic Celiac Coeliac Autistic "
    "Dyslexic Jain Sikh Jehovah Quaker Mormon Protestant Atheist Adhd Ok Tbh Left Right Available Out Off Up Down All Only Always Never The A An Your My This That Gluten "
    "Lactose Bad Great Well Same Anyone Nobody Someone Everyone Everything Nothing Another Over Nice First Long Big Customer Service Support Team Agent Sir Madam Dear Guys Quick Help Order Orders Wondering Curious Confused Frustrated Angry Upset Disappointed Kidding Joking "
    "Serious Aware Home Alone Bored Excited Stuck Lost Afrikaans Thai Vietnamese Hi Hello Hey Yes No Thanks "
    "Please What When Where Who How Why"
)
_NOT_CALLED: Final = words(
    "back later at when if on tomorrow again now crazy old-fashioned old a an the asap after before by today "
    "in maybe please between anytime for about stupid paranoid names out instead first this that whenever once "
    "as to and or tonight picky weird any"
)


def name(value: str) -> str | None:
    """Return the name at the beginning of what follows "my name is", or None."""
    parts = value.split()
    if (
        not parts
        or parts[0].lower() in _NOT_CALLED
        or parts[0].lower()
        in (
            "not",
            "on",
            "spelled",
            "wrong",
            "missing",
            "different",
            "still",
            "misspelled",
            "too",
            "so",
            "common",
            "pretty",
            "actually",
        )
    ):
        return None
    kept = [parts[0]]
    for word in parts[1:3]:
        if not word[:1].isupper() or word in _NOT_NAMES or word == "I":
            break
        kept.append(word)
    found = " ".join(kept).rstrip(".'")
    return found[:1].upper() + found[1:] if found.islower() and len(kept) == 1 else found


_TITLE: Final = re.compile(r"^(?:Dr|Mrs?|Ms|Prof)\.? (?=[A-Z])")


def introduced(value: str) -> str | None:
    """Return the name in "I'm Anneke": capitalised, and no other word that may stand there."""
    parts = _TITLE.sub("", value).split()
    if not parts or parts[0] in _NOT_NAMES or not re.fullmatch(r"[A-ZÀ-Ý][a-zà-ÿ'-]+(?:[A-Z][a-z]+)?", parts[0]):
        return None
    if len(parts) > 1 and not parts[1][:1].isupper():
        return None
    return name(value)


def han_name(value: str) -> str | None:
    """Return a Chinese name in an English sentence, as in "my name is 王磊": it begins with a surname."""
    return value if surname(fold(value)) else None


def full_name(value: str) -> str | None:
    """Return a first and last name, both capitalised, as in "Hi, Priscilla Yeoh."."""
    parts = value.split()
    return value if len(parts) == 2 and all(introduced(part) for part in parts) else None


def called(value: str) -> str | None:
    """Return a form of address, or None ("call me later")."""
    parts = value.split()
    if not parts or parts[0].lower() in _NOT_CALLED or len(parts) > 3:
        return None
    return value if len(parts) == 1 or all(word[:1].isupper() for word in parts) else None


_NO_PLACE: Final = re.compile(
    r"^(?:with|alone|near (?:you|here)|here|there|together|on my own|by myself|in (?:an? )?(?:hurry|trouble|fear|the (?:moment|past|same|middle))|for|like|a |my |off|this|that|up|it|under|between)\b",
    re.I,
)


_NO_TOWN: Final = re.compile(
    r"\b(?:head office|team|role|department|company|firm|job|position|linux|ubuntu|debian|mac|macos|windows|android|ios|iphone|python|rust|decaf|plan|premium|tier)\b",
    re.I,
)
"""What one moves to that is no place."""


def place(value: str) -> str | None:
    """Return a place of residence: capitalised, or None."""
    value = re.sub(r"^(?:in|to|near|at|from)\s+", "", value, flags=re.I)
    value = re.sub(r"^(?:an?|the) (?=[a-z])(?=.*[A-Z])", "", value)
    if _NO_PLACE.search(value) or _NO_TOWN.search(value) or len(value) > 50 or len(value.split()) > 7:
        return None
    return value if re.search(r"[A-ZÀ-Ý]", value) or len(value.split()) <= 2 else None


def workplace(value: str) -> str | None:
    """Return where somebody works, or None for how or when they do."""
    return (
        None
        if re.match(
            r"(?:home|it|that|this|you|them|the (?:moment|weekend|night)|nights|shifts|myself|free|a living|years|\d|me|my)\b",
            value,
            re.I,
        )
        else value
    )


def proper(value: str) -> str | None:
    """Return a value that begins with a capital letter, or None."""
    value = re.sub(r"^the\s+(?=[a-z])", "", value)
    return value if value[:1].isupper() and value.split()[0] not in _NOT_NAMES - {"Home"} else None


def thing(value: str) -> str | None:
    """Return what is liked or avoided, or None if it is this very thing or a person."""
    if (
        re.match(
            r"(?:i|we|he|she|they|it|that|this|these|those|you|him|her|them|to know|to ask|when|how|the (?:idea|way|look|fact|one|item|order)|your|what|all (?:the|of|these|those)|everything|seeing|hearing|talking|a (?:refund|return|replacement|lot)|so much|about|some help|an? |my |if|having to|being|the)\b",
            value,
            re.I,
        )
        or not value
    ):
        return None
    return None if len(value.split()) > 7 or re.search(r"\b(?:this|these|them|it|your|you)\b", value, re.I) else value


def allergen(value: str) -> str | None:
    """Return what somebody is allergic to, or None."""
    value = re.sub(r"^(?:any|all|the|some|both|most|certain|to|severely|very|mildly)\s+", "", value, flags=re.I)
    return (
        None
        if not value
        or len(value.split()) > 4
        or re.search(
            r"\b(?:anything|everything|it|that|this|you|work|mornings|mondays|nothing|bullshit|people|i|my|am|have|having|has|got|food|seasonal|no|an?|with)\b",
            value,
            re.I,
        )
        else value
    )


def job(value: str) -> str | None:
    """Return a job title without what does not belong to it."""
    value = re.sub(r"^(?:an?|the)\s+", "", value, flags=re.I)
    return (
        None
        if re.match(
            r"(?:big|huge|bit|fan|little|lot|new (?:customer|user)|customer|long-?time|loyal|member|regular)\b",
            value,
            re.I,
        )
        else value
    )


PERSON: Final = (
    Rule(r"^\s{3,}(?P<v>[a-z'-]+ [a-z'-]+)(?=[.,](?:\s|$))", type="identity", key="identity:name", content="The user's name is {v}", importance=4, confidence=0.8, check=full_name, forbids=NOT_STATED & ~Flag.OTHER),
    Rule(rf"(?:^\s{{3,}}(?:it's|its|it is) (?P<v>{NAME}?)(?:{END}| here)|^\s*(?:it's|its) (?P<w>{NAME}?)(?: here| again| from\b))", cues=("it",), type="identity", key="identity:name", content="The user's name is {v}", importance=4, confidence=0.9, check=introduced, forbids=NOT_STATED & ~Flag.OTHER),
    Rule(rf"(?:^\s*(?:there|again)?[\s,.!]*this is (?P<v>{NAME}?)(?: here| again| from\b|{END})|{CS}this is (?P<w>{NAME}?)(?: speaking| calling))", cues=("this is",), type="identity", key="identity:name", content="The user's name is {v}", importance=4, confidence=0.9, check=introduced),
    Rule(rf"{CS}my (?:full |first |real |actual )?name(?:'s| is|:) (?P<v>{NAME})", cues=("my ", ), type="identity", key="identity:name", content="The user's name is {v}", importance=4, check=name),
    Rule(rf"{CS}(?:(?:my |the )?(?:full |first |real |actual )?name(?:'s| is|:)|i'm|i am|this is) ?(?P<v>[一-鿿]{{2,4}}){END}", cues=("name", "i'm", "i am", "this is"), type="identity", key="identity:name", content="The user's name is {v}", importance=4, check=han_name),
    Rule(rf"{CS}(?:the )?name(?:'s| is|:) (?P<v>{NAME}){END}", cues=("name",), type="identity", key="identity:name", content="The user's name is {v}", importance=4, confidence=0.9, check=introduced),
    Rule(rf"{CS}(?:it's|its|i'm|im) (?P<v>{NAME}?)(?=,? \(?(?:she|he|they)/)", cues=("/",), type="identity", key="identity:name", content="The user's name is {v}", importance=4, confidence=0.9, check=introduced, forbids=NOT_STATED & ~Flag.OTHER),
    Rule(rf"(?:kidding|joking|actually|sorry|oops|wrong|no|correction|(?:dead|old|birth|wrong|legal|maiden) ?name)[,.!:]? +(?:it's|its|it is|i'm) (?P<v>{NAME}){END}", cues=("it's", "its", "it is", "i'm"), type="identity", key="identity:name", content="The user's name is {v}", importance=4, confidence=0.9, check=introduced, forbids=NOT_STATED & ~Flag.OTHER),
    Rule(rf"{CS}(?:i'm|im|i am) (?P<v>{NAME}?)(?: here| speaking| from\b| again|{END}|(?= and\b))", type="identity", key="identity:name", content="The user's name is {v}", importance=4, confidence=0.9, check=introduced),
    Rule(rf"(?:^\s*|\n)(?P<v>{_NAME_WORD}(?: {_NAME_WORD}){{0,2}}) (?:here|this side)(?=\s*[,.!~–—-]|\s*$)", cues=(" here", " this side"), type="identity", key="identity:name", content="The user's name is {v}", importance=4, confidence=0.85, check=introduced),
    Rule(rf"^\s*(?:there|again)?[\s,.!]*(?P<v>{_NAME_WORD}(?: {_NAME_WORD})?) speaking(?=[,.!]|$)", cues=(" speaking",), type="identity", key="identity:name", content="The user's name is {v}", importance=4, confidence=0.85, check=introduced),
    Rule(rf"{CS}(?:(?:my |the )?pronouns(?: are|'re|:)? |(?:and |please |pls )?(?:i |we )?(?:use|go by) |(?:i'm|im|i am) (?:an? )?)?(?P<v>(?:she|he|they|xe|ze|ey|fae|it)/(?:hers?|him|his|them|theirs?|they|she|he|xem|zir|hir|it)(?:/[a-z]+)?)(?: (?:pls|please|btw|for me|thanks|ta|pronouns|over here))*{END}", cues=("/",), type="identity", content="The user's pronouns: {v}", importance=4, forbids=NOT_STATED & ~Flag.OTHER),
    Rule(r"(?:mrs?|miss|ms|dr|sir|ma'?am|madam|surname|last name|formal\w*|full name)\b[^.!?\n]{0,20}?[,.;!]+\s*(?:just )?(?P<v>[a-z][\w'-]+)(?:'s| is|'ll| will) (?:fine|ok|okay|good|enough|plenty|do)\b", cues=("fine", "ok", "good", "enough", "do", "plenty"), type="identity", key="identity:call_me", content="The user wants to be called {v}", importance=4, check=introduced, forbids=KIN_FLAGS),
    Rule(r"\b(?:name|surname|title|mrs?|ms|miss|dr)\b[^.!?\n]{0,40}?[,;.]\s*(?:just |so |pls |please )*(?:say|use|put|go with|stick with) (?P<v>[a-z][\w'-]+)(?=\s*$|[,.!?;\n]| please| pls)", cues=("say", "use", "put", "go with", "stick with"), type="identity", key="identity:call_me", content="The user wants to be called {v}", importance=4, check=introduced, forbids=KIN_FLAGS),
    Rule(r"\bnot (?:an? )?(?:mrs?|ms|miss|sir|madam|dr)\b[^!?\n]{0,20}?\b(?P<v>(?:dr|prof(?:essor)?|mx|mrs?|ms|miss|rev)\.? (?!(?:dr|prof|mx|mrs?|ms|rev)\b)[a-z][\w'-]+)", cues=("not ",), type="identity", key="identity:call_me", content="The user wants to be called {v}", importance=4, check=called, forbids=KIN_FLAGS),
    Rule(rf"{CS}i(?:'m| am) called (?P<v>{NAME})", cues=("called",), type="identity", key="identity:name", content="The user's name is {v}", importance=4, check=name),
    Rule(rf"{CS}(?:you can |u can |just |everyone |everybody |people |friends |from now on,? |always |you may )*(?:call me|i go by|i'd rather be called|address me as) (?P<v>[a-z][\w'.-]*(?: [a-z][\w'.-]*)?){END}", cues=("call me", "go by", "be called", "address me"), type="identity", key="identity:call_me", content="The user wants to be called {v}", importance=4, check=called, forbids=KIN_FLAGS),
    Rule(rf"{CS}(?:every(?:one|body)|people|mates|friends|my (?:mates|friends|family)|they all|most people) (?:just |all |still )?(?:calls? me|says?|uses?) (?P<v>[a-z][\w'.-]*(?: [a-z][\w'.-]*)?){END}", cues=("me ", " say", " use"), type="identity", key="identity:call_me", content="The user is called {v}", importance=4, check=introduced, forbids=KIN_FLAGS & ~Flag.REPORTED),
    Rule(rf"no(?:body|-?one| one) (?:ever )?calls me (?:that|it|[a-z]+)[^.!?\n]{{0,10}}?(?:it's|its|i'm|im|call me|just) (?P<v>[a-z][\w'.-]*){END}", cues=("calls me",), type="identity", key="identity:call_me", content="The user is called {v}", importance=4, check=called, forbids=KIN_FLAGS),
    Rule(r"(?:no(?:body|-?one| one)|only [a-z' ]+|my [a-z]+ (?:is|are) the only (?:one|ones) who) (?:ever |really |actually )?(?:says?|uses?|calls? me)(?: (?:that|it|[a-z]+))?[,.;!]*\s+(?:(?:so|but|and|it's|its|i'm|im|just|call me) )*(?P<v>[a-z][\w'.-]*)(?:'s| is| will| does)? (?:fine|ok|good|pls|please|do|will do|works|thanks|suffices)\b", cues=("says", "calls me", "use"), type="identity", key="identity:call_me", content="The user is called {v}", importance=4, check=called, forbids=KIN_FLAGS & ~Flag.REPORTED),
    Rule(rf"no(?:body|-?one| one)(?: [a-z']+){{0,4}} calls me (?:that|it|[a-z]+)[,.;!]+\s*(?:so |but |and )*(?:it's|its|i'm|im|call me|just) (?P<v>[a-z][\w'.-]*){END}", cues=("calls me",), type="identity", key="identity:call_me", content="The user is called {v}", importance=4, check=called, forbids=KIN_FLAGS),
    Rule(rf"(?:on paper|officially|legally|on my (?:passport|id|licen[cs]e)|in full),? (?:i'm|im|i am|my name is|it's|its) (?P<v>{NAME}?)(?:{END}| and\b)", cues=("paper", "officially", "legally", "on my", "in full"), type="identity", key="identity:name", content="The user's name is {v}", importance=4, check=introduced, forbids=KIN_FLAGS),
    Rule(rf"(?:the |my )?name (?:on|for|under|of) (?:the|my|this|that) (?:order|account|booking|card|reservation|parcel|table|ticket)s?(?:'s| is|:) (?P<v>{NAME}){END}", cues=("name ",), type="identity", key="identity:name", content="The user's name is {v}", importance=4, check=introduced),
    Rule(rf"{CS}(?:it's|its|i'm|im) (?P<v>{NAME}?),? (?:pronounced|spelt|spelled|w(?:ith|/)? (?:an?|one|two) [a-z]{{1,2}}\b|not [a-z]+\b)", cues=("pronounced", "spel", " w", "not "), type="identity", key="identity:name", content="The user's name is {v}", importance=4, check=introduced, forbids=KIN_FLAGS),
    Rule(rf"\b(?:invoice|card|it|ticket|order|e-?mail|form|label|account|badge|you|bill|letter|screen) (?:says?|said|has|have|reads?|put|got|shows?) [a-z][\w'-]*(?: [a-z][\w'-]*)?[,.;]+ (?:but |and |actually )?(?:it'?s|i'?m|i am|should be) (?P<v>{NAME}){END}", cues=("say", "said", "has", "have", "read", "put", "got", "show"), type="identity", key="identity:name", content="The user's name is {v}", importance=4, confidence=0.85, check=introduced, forbids=KIN_FLAGS),
    Rule(rf"\b(?:you|they|u|people|every(?:one|body)) (?:all |always |just )*(?:keeps? (?:on )?(?:calling me|putting|writing)|puts?|writes?|wrote|call(?:s|ed)? me) [a-z][\w'-]*[,.;!]+ (?:but |and |actually )?(?:it'?s|i'?m|i am|my name is|my name's) (?P<v>{NAME}){END}", cues=("calling me", "calls me", "call me", "called me", "put", "writ", "wrote"), type="identity", key="identity:name", content="The user's name is {v}", importance=4, confidence=0.85, check=introduced, forbids=KIN_FLAGS & ~Flag.REPORTED),
    Rule(rf"\b(?:put|book|make|list|file|reserve|register) (?:it|me|us|that|(?:the |my |a )?(?:booking|table|reservation|room|order|appointment|ticket))(?: down)? (?:under|in the name of) (?:the name )?(?P<v>{NAME}){END}", cues=("under", "in the name"), type="identity", key="identity:name", content="The user's name is {v}", importance=4, confidence=0.85, check=introduced, forbids=KIN_FLAGS),
    Rule(rf"\b(?:card|badge|ticket|invoice|booking|account|certificate|label|cake|it|that|name) (?:should|needs to|must|has to|ought to) (?:read|say|be(?: under| in)?|show) (?:the name )?(?P<v>{NAME}){END}", cues=("should", "needs to", "must", "has to", "ought"), type="identity", key="identity:name", content="The user's name is {v}", importance=4, confidence=0.85, check=introduced, forbids=KIN_FLAGS),
    Rule(rf"{IM} (?P<v>\d{{1,3}})(?: years? old| yrs? old| y/?o\b|{END})", type="identity", key="identity:age", content="The user is {v} years old"),
    Rule(rf"{IM} turning (?P<v>\d{{1,3}})\b", cues=("turning",), type="identity", content="The user is turning {v}"),
    Rule(rf"{CS}my (?:birthday|bday|b-day|date of birth|dob) is (?:on )?(?P<v>{DATE})", cues=("my b", "my d"), type="identity", key="identity:birthday", content="The user's birthday is {v}", importance=4),
    Rule(rf"(?:{CS}(?:my )?b-?day(?:'?s| is|:)?|\bthe big (?:\d0|three-?oh|four-?oh|five-?oh)(?:'s| is| falls| lands|:)?|{CS}i (?:turn|hit) (?:the big )?\d{{2}}(?: \w+)?|\bdob:?|{CS}my \d{{1,2}}(?:st|nd|rd|th)(?: b-?(?:irth)?day)?(?: is|'s)?)(?: on| is| falls| lands)* (?:the )?(?P<v>{DATE})", cues=("day", "big ", "turn", "hit", "dob", "my "), type="identity", key="identity:birthday", content="The user's birthday is {v}", importance=4, forbids=NOT_STATED & ~Flag.OTHER),
    Rule(rf"{CS}(?:mine'?s|mine (?:is|was|falls|lands)) (?:on )?(?:the )?(?P<v>{DATE})", cues=("birthday", "bday", "b-day"), type="identity", key="identity:birthday", content="The user's birthday is {v}", importance=4),
    Rule(rf"{CS}i was born (?:on|in) (?P<v>{DATE}|(?:19|20)\d\d)", cues=("born",), type="identity", key="identity:birthday", content="The user was born on {v}", importance=4),
    Rule(rf"{CS}i was born and raised in (?P<v>{W}{{2,30}}?){END}", cues=("born",), type="identity", key="identity:hometown", content="The user was born and raised in {v}", check=proper),
    Rule(rf"{IM} (?P<v>married|single|divorced|engaged|widowed|separated){END}", type="identity", key="identity:marital", content="The user is {v}"),
    Rule(rf"{CS}(?:i(?:'m| am)? (?:currently |now )?(?:live|living|based|located|residing|reside)|based|living|live)(?: up| down| over| out| right)? (?P<p>in|near|on|at|outside) (?P<v>{W}{{2,40}}?){END}", cues=("liv", "based", "located", "resid"), type="identity", key="identity:city", content="The user lives in {v}", importance=4, check=place),
    Rule(rf"(?:{CS}i(?:'ve)? (?:just |recently |have |finally )*|{CS}we(?:'ve)? (?:just |recently |have )*|{CS}(?:just |recently )?)(?:moved|relocated) (?:back )?to (?P<v>{W}{{2,30}}?)(?: (?:last|this|a|two|three|in|from|with|for) {W}{{2,20}})?{END}", cues=("moved", "relocated"), type="identity", key="identity:city", content="The user moved to {v}", importance=4, check=place, forbids=NOT_STATED & ~Flag.OTHER),
    Rule(rf"{IM} (?:originally )?from (?P<v>{W}{{2,30}}?){END}", cues=("from",), type="identity", key="identity:hometown", content="The user is from {v}", check=proper),
    Rule(rf"{CS}i (?:grew up|come from|am from) (?:in )?(?P<v>{W}{{2,30}}?){END}", cues=("grew up", "come from"), type="identity", key="identity:hometown", content="The user grew up in {v}", check=proper),
    Rule(rf"{CS}my (?:hometown|home town) is (?P<v>{W}{{2,30}}?){END}", cues=("home",), type="identity", key="identity:hometown", content="The user's hometown is {v}"),
    Rule(rf"{IM} (?:an? |the )(?P<v>{JOBS_EN})(?P<at>(?: (?:at|for|in|with|from) {W}{{2,40}}?)?){END}", type="identity", key="identity:job", content="The user is {a} {v}{at_}", importance=4, check=job),
    Rule(rf"{CS}as an? (?P<v>{JOBS_EN}),? i\b", cues=("as a",), type="identity", key="identity:job", content="The user is {a} {v}", importance=4, check=job),
    Rule(rf"(?:{IM} (?:a |in my )?|{CS})(?P<v>(?:first|second|third|fourth|final)[- ]year (?:student )?(?:at|in|of) {W}{{2,30}}?){END}", cues=("year",), type="identity", content="The user is {a} {v}"),
    Rule(rf"{IM} (?P<v>retired|self-employed|unemployed|between jobs|freelancing|a freelance {W}{{3,25}}?){END}", type="identity", key="identity:job", content="The user is {v}", importance=4),
    Rule(rf"{CS}(?:i |i've )?(?:just |recently )?started (?:working |work )?as (?:an? |the )?(?P<v>{W}{{3,60}}?){END}", cues=("started",), type="identity", key="identity:job", content="The user started as {v}", importance=4, forbids=WITH_ONCE),
    Rule(rf"{I_DO} (?:work|freelance) as (?:an? |the )?(?P<v>{W}{{3,50}}?){END}", cues=("as",), type="identity", key="identity:job", content="The user works as {v}", importance=4),
    Rule(rf"{CS}my (?:job|profession|occupation) is (?P<v>{W}{{3,40}}?){END}", cues=("my ",), type="identity", key="identity:job", content="The user's job is {v}", importance=4, check=job),
    Rule(rf"{I_DO} (?P<how>run|own|manage|opened|started) (?P<v>(?:an? |my own |our |a small |the )(?:[a-z'-]+ ){{0,3}}?(?:bakery|shop|store|cafe|café|restaurant|business|company|farm|studio|bar|bookshop|bookstore|salon|agency|clinic|startup|gym|brewery|gallery|school|hotel|hostel|guesthouse|b&b|food truck|workshop|garage|practice|deli|florist|nursery|vineyard|bike shop|pizzeria|kennel)(?: (?:in|at|near|on|called) {W}{{2,30}}?)?){END}", type="identity", key="identity:job", content="The user {does} {v}", importance=4),
    Rule(rf"{I_DO} (?P<how>teach) (?P<v>{W}{{3,40}}?){END}", cues=("teach",), type="identity", key="identity:job", content="The user teaches {v}", importance=4),
    Rule(rf"{I_DO} work (?:at|for|in|with) (?P<v>{W}{{2,40}}?){END}", cues=("work",), type="identity", key="identity:employer", content="The user works at {v}", importance=4, check=workplace),
    Rule(rf"{IM} (?:working|employed) (?:at|for) (?P<v>{W}{{2,40}}?){END}", cues=("working", "employed"), type="identity", key="identity:employer", content="The user works at {v}", importance=4, check=place),
    Rule(rf"{CS}(?:i (?:study|studied|go to school|go to uni|go to college|attend|graduated)|i'm (?:studying|at uni))(?P<what> {W}{{0,25}}?)? ?(?:at|from) (?P<v>{W}{{2,40}}?){END}", cues=("stud", "go to", "attend", "graduated", "uni"), type="identity", key="identity:school", content="The user studies at {v}", check=proper),
    Rule(rf"{CS}(?:i study|i'm studying|im studying|i am studying|my major is|i major in|i'm majoring in) (?P<v>{W}{{3,40}}?){END}", cues=("stud", "major"), type="identity", content="The user studies {v}"),
    Rule(rf"(?P<v>{CS}[a-z]+(?: [a-z]+)? (?:make|makes|gives?|leaves?) me (?:break out|sneeze|sick|itch|itchy|ill|hives|a rash|wheeze|swell)[^.!?;,\n]{{0,20}}?){END}", cues=(" me ",), type="identity", content="The user says: {v}", importance=4, forbids=NOT_STATED & ~Flag.OTHER),
    Rule(rf"{CS}(?P<v>[a-z]+(?: [a-z]+)?) allergy(?: here|{END})", cues=("allergy",), type="identity", key="identity:allergy.{k}", content="The user is allergic to {v}", importance=5, check=allergen),
    Rule(rf"{CS}(?:i'm|im|i am)?(?: (?:also|actually|really|very|highly|extremely))* ?(?:severely |mildly |deathly |super )?allergic to (?P<v>[^.!?;:()\n\"]{{2,60}}?)(?=$|[.!?;:()\n\"]|,? (?:and|so|but|can|is|what|i|do|please|btw|my|does|which|any)\b(?! (?:[a-z]+ )?(?:nuts?|eggs?|milk|shrimp|fish|soy|dairy|pollen|cats?|dogs?)\b))", cues=("allergic",), type="identity", key="identity:allergy.{k}", content="The user is allergic to {v}", importance=5, check=allergen, many=True),
    Rule(rf"{CS}i(?:'ve| have|'ve got| got)? (?:got |have )?(?:an? )?(?:severe |bad |mild |serious )?(?P<v>[a-z]+(?: [a-z]+)?) (?:allergy|allergies)\b", cues=("allerg",), type="identity", key="identity:allergy.{k}", content="The user is allergic to {v}", importance=5, check=allergen),
    Rule(rf"(?:{IM} |{CS}i have |{CS})(?P<v>lactose|gluten|fructose|histamine)[- ]intoleran(?:t|ce)", cues=("intoleran",), type="identity", key="identity:allergy.{k}", content="The user is {v} intolerant", importance=5),
    Rule(rf"(?:{IM} (?:an? )?|{CS}i(?:'ve| have| got| suffer from)(?: got| been diagnosed with)?(?: an?)? )(?P<v>type [12] diabet(?:es|ic)|diabet(?:es|ic)|coeliac(?: disease)?|celiac(?: disease)?|asthma(?:tic)?|high blood pressure|hypertension|epilep(?:sy|tic)|migraines|arthritis|gout|insomnia|anemi[ac]|adhd|dyslexi[ac]|colou?r ?blind(?:ness)?|hypothyroidism|ibs|sciatica|tinnitus|pregnant|deaf|hard of hearing|left-handed|autistic|eczema|psoriasis)\b", type="identity", key="identity:health.{k}", content="The user has this condition: {v}", importance=4, forbids=NOT_STATED),
    Rule(rf"{CS}my (?P<what>shoe size|height|weight|dress size|ring size|blood type|native language|mother tongue|pronouns|star sign|(?:favou?rite|go-to|usual|preferred) [a-z ]{{2,25}}?) (?:is|are|=) (?P<v>{W}{{1,30}}?){END}", cues=("my ",), type="identity", content="The user's {what}: {v}"),
    Rule(rf"{I_DO} (?:wear|take) (?:an? )?size (?P<v>{W}{{1,16}}?){END}", cues=("size",), type="identity", content="The user wears size {v}", forbids=WITH_ONCE),
    Rule(rf"{I_DO} speak (?P<v>{W}{{3,40}}?){END}", cues=("speak",), type="identity", content="The user speaks {v}", check=proper),
)  # fmt: skip

_OF_KIN: Final = rf"{CS}my (?:[a-z]+est |older |younger |little |big |late )?(?P<kin>{KIN_EN})"
RELATIVES: Final = (
    Rule(rf"{_OF_KIN}(?:'s name is| is called| is named|'s called|'s named|, named|, called) (?P<v>[a-z][\w'-]+)", type="identity", key="identity:relative.{relative}.name", content="The user's {kin} is called {v}", forbids=KIN_FLAGS, check=name),
    Rule(rf"{_OF_KIN},? (?P<v>[a-z]+)(?=,| is| has| was| and| turns| will|'s)", type="identity", key="identity:relative.{relative}.name", content="The user's {kin} is called {v}", forbids=KIN_FLAGS, check=introduced, confidence=0.85),
    Rule(rf"{_OF_KIN}(?: is|'s) (?P<v>\d{{1,3}}(?: years?| months?| yrs?)?(?: old)?){END}", type="identity", key="identity:relative.{relative}.age", content="The user's {kin} is {v}", forbids=KIN_FLAGS),
    Rule(rf"{_OF_KIN}'?s? (?:birthday|bday) is (?:on )?(?P<v>{DATE})", type="identity", key="identity:relative.{relative}.birthday", content="The user's {kin}'s birthday is {v}", forbids=KIN_FLAGS),
    Rule(rf"{_OF_KIN}(?: is|'s) (?:\w+ )?allergic to (?P<v>[^.!?;:()\n\"]{{2,40}}?){END}", cues=("allergic",), type="identity", key="identity:relative.{relative}.allergy.{k}", content="The user's {kin} is allergic to {v}", importance=4, check=allergen, many=True, forbids=KIN_FLAGS),
    Rule(rf"{_OF_KIN}(?:'s|'re| is| are) (?P<v>(?:an?|in|at|from|on|not|now|also|allergic|vegan|vegetarian|diabetic|pregnant|retired|deaf|blind|lactose|gluten|married|single|getting married|turning|starting|studying|learning|into|afraid|\d+)\b[^.!?;,\n]{{0,60}}?){END}", type="identity", content="The user's {kin} is {v}", forbids=KIN_FLAGS | Flag.ONCE, confidence=0.9),
    Rule(rf"{_OF_KIN} (?P<v>(?:has|have|uses?|lives?|works?|loves?|likes?|hates?|can't|cannot|doesn't|don't|needs?|goes|studies|study|plays?|eats?|drinks?|wears?|teaches|runs|was diagnosed|just (?:had|started|moved)|turns?) (?!(?:saying|asking|coming|going|calling|waiting|telling|being|here|there|not sure|so|really|very|too|name|arrive|do|does|know)\b)[^.!?;,\n]{{2,60}}?){END}", type="identity", content="The user's {kin} {v}", forbids=KIN_FLAGS | Flag.ONCE, confidence=0.9),
)  # fmt: skip
PETS: Final = (
    Rule(rf"{CS}(?:my|our) (?P<v>(?:two|three|four|\d) (?:[a-z-]+ )?(?P<pet>{PETS_EN})s)\b", type="identity", key="identity:pet.{species}", content="The user has {v}", forbids=KIN_FLAGS),
    Rule(rf"{CS}(?:i|we)(?:'ve| have)?(?: just| recently| also)? (?:have|got|adopted|own|rescued) (?P<v>(?:an?|one|two|three|four|\d) (?:[a-z-]+ ){{0,2}}?(?P<pet>{PETS_EN})s?)(?! (?:named|called|food|toy|bed))", type="identity", key="identity:pet.{species}", content="The user has {v}", forbids=KIN_FLAGS),
    Rule(rf"{CS}(?:my|our) (?:[a-z]+ )?(?P<pet>{PETS_EN})(?:'s name is| is called| is named|'s called|'s named|, named|, called| named| called) (?P<v>[a-z][\w'-]+)", type="identity", key="identity:pet.{species}", content="The user's {pet} is called {v}", forbids=KIN_FLAGS, check=name),
    Rule(rf"{CS}(?:my|our) (?:[a-z]+ )?(?P<pet>{PETS_EN}),? (?P<v>[a-z]+)(?=,| [a-z]|\.|$)", type="identity", key="identity:pet.{species}", content="The user's {pet} is called {v}", forbids=KIN_FLAGS, check=introduced, confidence=0.85),
    Rule(rf"{CS}(?:i|we)(?:'ve| have)?(?: just| recently| also)? (?:have|got|adopted|own|rescued) (?:an?|one|two|three|\d) (?P<d>(?:[a-z0-9-]+ ){{0,4}}?)(?P<pet>{PETS_EN})s?(?:,? (?:named|called)|, (?:his|her|its) name is|,(?= [a-z]+[,.])) (?P<v>[a-z][\w'-]+)", type="identity", key="identity:pet.{species}", content="The user's {pet} is called {v}", check=name, forbids=KIN_FLAGS),
)  # fmt: skip

_AVOID: Final = r"(?:(?:don't|dont|do not|can't|cant|cannot|never|can not) (?:eat|drink|touch|tolerate)|(?:can't|cant|cannot|can not) have)"
HERE: Final = (
    Rule(rf"{CS}(?:i'm|im|i am|we're) (?:now |currently )?in (?P<v>(?:the )?[a-z][\w'. -]{{1,24}}?)(?: now| these days| currently)?{END}", cues=("in ",), type="identity", key="identity:city", content="The user is in {v}", confidence=0.8, check=proper, forbids=WITH_ONCE & ~Flag.OTHER),
)  # fmt: skip
LIKES: Final = (
    Rule(rf"{CS}i (?:like|take|drink|eat|prefer) (?P<v>my (?!order|refund|package|parcel|account|money|item)[^.!?;\n]{{4,50}}?){END}", cues=("my ",), type="preference", content="The user likes {v}", forbids=WITH_ONCE),
    Rule(rf"{CS}no (?P<v>(?!problem|worries|need|thanks|rush|idea|clue|way|more|one|longer|reply|refund|answer)[a-z][a-z -]{{2,24}}?) (?:please|pls|for me)\b", cues=("no ",), type="preference", key="preference:taste.{t}", content="The user wants no {v}", confidence=0.85, check=thing, forbids=WITH_ONCE),
    Rule(rf"{CS}i(?:'d| would) rather (?P<v>(?!not\b|swap|return|exchange|get a|have a)[^,.!?;\n]{{4,60}}?){END}", cues=("rather",), type="preference", content="The user would rather {v}", confidence=0.9, check=thing, forbids=WITH_ONCE),
    Rule(rf"{IM} (?:more of )?an? (?P<v>[a-z][a-z -]{{2,20}}?) (?:person|lover|fanatic|addict|enthusiast){END}", cues=("person", "lover", "fanatic", "addict", "enthusiast"), type="preference", content="The user is a {v} person", forbids=WITH_ONCE),
    Rule(rf"(?:{IM} |{CS})not (?:really |much of |exactly )?(?:a (?:big |huge )?fan of|into|keen on|fond of) (?P<v>{W}{{2,40}}?){END}", cues=("not ",), type="preference", key="preference:taste.{t}", content="The user dislikes {v}", check=thing, forbids=WITH_ONCE),
    Rule(rf"{I_DO} (?:really |absolutely )?(?P<how>love|like|enjoy|adore|prefer) (?P<v>{W}{{2,50}}?){END}", cues=("lov", "lik", "enjoy", "ador", "prefer"), type="preference", key="preference:taste.{t}", content="The user {does} {v}", check=thing, forbids=WITH_ONCE),
    Rule(rf"{IM} (?:a )?(?:huge |big |massive )?(?P<how>fan of|into|fond of|obsessed with) (?P<v>{W}{{2,40}}?){END}", cues=("fan of", "into", "fond of", "obsessed"), type="preference", key="preference:taste.{t}", content="The user likes {v}", check=thing, forbids=WITH_ONCE),
    Rule(rf"{I_DO} (?:really |absolutely )?(?P<how>hate|dislike|loathe|detest|don't like|dont like|do not like|don't enjoy|can't stand|cannot stand|don't care for|can't bear) (?P<v>{W}{{2,50}}?){END}", cues=("hate", "dislik", "loathe", "detest", "n't ", "dont ", "not "), type="preference", key="preference:taste.{t}", content="The user dislikes {v}", check=thing, forbids=WITH_ONCE),
    Rule(rf"(?:{I_DO}|{CS}) ?(?P<how>{_AVOID}) (?P<v>(?!that|this|it\b|the |a |my|any (?:more|longer)|to\b|much|enough|time)[^.!?;:()\n\"]{{2,40}}?)(?: any ?more| any longer)?{END}", cues=("eat", "drink", "have", "touch", "stand", "tolerate", "do "), type="preference", key="preference:taste.{t}", content="The user doesn't eat or drink {v}", importance=4, check=thing, many=True, forbids=WITH_ONCE),
    Rule(rf"(?:{IM} (?:an? )?(?:strict )?|{CS}(?:i've )?been |{CS}(?:strictly )?)(?P<v>vegetarian|vegan|pescatarian|halal|kosher|keto|paleo|gluten[- ]free|dairy[- ]free|low[- ]carb|plant[- ]based|teetotal|flexitarian|on a (?:low[- ](?:salt|sodium|carb|fat|sugar|fodmap)|keto|gluten[- ]free|dairy[- ]free|vegan|mediterranean) diet)(?: diet)?(?= (?:here|btw|too|for \d|since|by|so|only)|{END})", type="preference", key="preference:diet", content="The user's diet: {v}", importance=4, forbids=WITH_ONCE),
    Rule(rf"{I_DO} (?:eat|only eat|follow|keep|do|am on) (?:an? )?(?:strict(?:ly)? )?(?P<v>halal|kosher|keto|paleo|vegan|vegetarian|plant[- ]based|gluten[- ]free|low[- ]carb)(?: diet| food)?", type="preference", key="preference:diet", content="The user's diet: {v}", importance=4, forbids=WITH_ONCE),
)  # fmt: skip

_DURABLE: Final = r"(?:from now on|from here on|going forward|in (?:the )?future|always|every time|for all|by default|in general|whenever|from today)"
_MANNER: Final = (
    r"(?<![a-z])(?:(?:be (?:a bit |a little )?|keep (?:it|them|things|answers|replies|your (?:answers|replies)|responses|everything) |make (?:it|them) |stay )?(?:(?:under|below|within|to|at most|no more than|less than|max(?:imum)?) \d+ (?:words|sentences|lines|characters|bullet points|bullets)|"
    r"(?:nice and |super |very |really |more |less |as )?(?:short|brief|concise|succinct|detailed|simple|casual|formal|direct|straightforward|blunt|friendly|professional|to the point|crisp|thorough|in depth|plain))(?:er)?(?: and (?:sweet|simple|direct|concise|to the point|friendly|casual|formal))?|"
    r"(?:no|without|skip (?:the )?|stop (?:using |with )?|don't use|avoid|drop the|less|never use) ?(?:the )?(?:emojis?|fluff|small ?talk|bullet points|bullets|lists|jargon|markdown|exclamation (?:marks|points)|pleasantries|preamble|apologies|filler|disclaimers)|"
    r"(?:use|in|with|give me|prefer|want) (?:bullet points|bullets|plain english|simple language|simple english|tables|numbered lists|lists|markdown|examples|step[- ]by[- ]step)|answer first|bottom line first|tl;?dr first)"
)
_ANSWER: Final = (
    r"(?:answers?|repl(?:y|ies)|respon(?:d|ses?)|explanations?|messages?|talk to me|speak to me|write to me)"
)
STYLE: Final = (
    Rule(rf"{CS}[^.!?;\n]{{0,60}}?(?P<v>{_MANNER})(?=[^.!?;\n]{{0,40}}?(?:{_DURABLE}))", cues=("from now on", "going forward", "future", "always", "every time", "default", "from here on", "whenever", "from today", "in general", "for all"), type="preference", key="preference:reply_style", content="The user wants replies: {v}", importance=4, check=str, forbids=WITH_ONCE),
    Rule(rf"{CS}[^.!?;\n]{{0,20}}?{_DURABLE}[^.!?;\n]{{0,40}}?(?P<v>{_MANNER})", cues=("from now on", "going forward", "future", "always", "every time", "default", "from here on", "whenever", "from today", "in general", "for all"), type="preference", key="preference:reply_style", content="The user wants replies: {v}", importance=4, forbids=WITH_ONCE),
    Rule(rf"{I_DO} (?:prefer|like|want|need|would like|'d prefer|'d like) (?:your )?(?P<v>(?:[a-z-]+,? (?:and )?){{0,3}}?(?:short|brief|concise|detailed|direct|simple|long|thorough|formal|casual|straight|in-depth|to-the-point|plain)[a-z]* (?:[a-z]+ )?{_ANSWER})", type="preference", key="preference:reply_style", content="The user wants {v}", importance=4, forbids=WITH_ONCE),
    Rule(rf"{CS}(?:keep|make) (?:your |the |my )?{_ANSWER} (?P<v>[^.!?;,\n]{{3,40}}?){END}", type="preference", key="preference:reply_style", content="The user wants replies: {v}", importance=4, confidence=0.9, forbids=WITH_ONCE),
    Rule(rf"{CS}(?P<v>(?:short|brief|concise|detailed|direct) {_ANSWER}),? (?:only|pls|please|always|thanks)", type="preference", key="preference:reply_style", content="The user wants {v}", importance=4, confidence=0.9, forbids=WITH_ONCE),
    Rule(rf"{CS}(?:can you |could you |please |pls |would you )*(?P<v>no (?:emojis?|fluff|bullet points|small ?talk|jargon|markdown)|(?:stop using|don't use|never use|avoid) (?:emojis?|bullet points|jargon|markdown|exclamation (?:marks|points)))", type="preference", key="preference:reply_style", content="The user wants replies: {v}", importance=4, confidence=0.85, forbids=WITH_ONCE),
    Rule(rf"{CS}[^.!?;\n]{{0,30}}?(?<![a-z])(?:answer|reply|respond|speak|talk|write|chat)(?: to me| back| with me)?(?: only| always)? in (?P<v>english|chinese|mandarin|cantonese|spanish|french|german|dutch|italian|japanese|korean|portuguese|british english|american english|simplified chinese|traditional chinese)", type="preference", key="preference:language", content="The user wants replies in {v}", importance=4, confidence=0.9, forbids=WITH_ONCE),
    Rule(rf"(?:{CS}(?:normally|usually|generally|otherwise) |{CS})i(?:'d)? (?:want|prefer|like|use|speak)(?: to (?:use|speak|chat in))? (?P<v>english|chinese|mandarin|cantonese|spanish|french|german|dutch|italian|japanese|korean|portuguese){END}", type="preference", key="preference:language", content="The user prefers {v}", importance=4, confidence=0.9, forbids=WITH_ONCE),
    Rule(rf"{CS}[^.!?;\n]{{0,40}}?(?P<v>metric|imperial|celsius|fahrenheit|kilomet(?:er|re)s|miles|24[- ]hour (?:time|clock|format))(?: units?| system| measurements?)?(?: only|,? (?:please|pls|always|from now on|going forward|by default)|{END})(?!\?)", cues=("metric", "imperial", "celsius", "fahrenheit", "kilomet", "miles", "24"), type="preference", key="preference:units", content="The user wants {v} units", confidence=0.9, forbids=WITH_ONCE),
    Rule(rf"{CS}(?:all |the |show |give me )*prices? (?:only )?in (?P<v>euros|pounds|dollars|usd|eur|gbp|yuan|rmb|yen|francs|kroner)\b", cues=("price",), type="preference", content="The user wants prices in {v}", forbids=WITH_ONCE),
    Rule(rf"{CS}[^.!?;\n]{{0,30}}?(?P<v>(?:don't|do not|dont|never|please don't|no) (?:call|phone|ring|text)(?: me| calls?)?|(?:text|email|e-mail|message|whatsapp|call) me(?: instead| rather| only)|(?:contact|reach|notify|update) me (?:by|via|on|through) (?:text|email|e-mail|phone|sms|whatsapp|mail))", type="preference", key="preference:contact", content="The user's wish for contact: {v}", importance=4, confidence=0.9, forbids=WITH_ONCE),
    Rule(rf"{CS}(?:please )?(?:don't|do not|never|stop)(?: ever)? (?:recommend(?:ing)?|suggest(?:ing)?|show(?:ing)?|send(?:ing)?|giv(?:e|ing)|offer(?:ing)?)(?: me)? (?P<v>(?:anything |any |things |stuff )?{W}{{3,40}}?){END}", cues=("recommend", "suggest", "show", "send", "giv", "offer"), type="preference", content="The user does not want to be offered {v}", confidence=0.85, check=thing, forbids=WITH_ONCE),
    Rule(rf"{I_DO} prefer (?:to be (?:contacted|reached) (?:by|via) )?(?P<v>texts?|emails?|e-mails?|sms|phone calls|calls|whatsapp|text messages)(?: (?:over|to|rather|instead) {W}{{2,20}}?)?{END}", cues=("prefer",), type="preference", key="preference:contact", content="The user prefers contact by {v}", importance=4, forbids=WITH_ONCE),
    Rule(rf"{CS}[^.!?;\n]{{0,30}}?(?P<v>leave (?:it|them|packages?|parcels?|deliveries|my (?:packages|parcels|deliveries)) (?:at|with|in|by|behind|on) {W}{{3,40}}?){END}", cues=("leave ",), type="preference", key="preference:delivery", content="The user's wish for deliveries: {v}", confidence=0.85, forbids=WITH_ONCE),
    Rule(rf"{CS}(?:my |the |our )?budget (?:is|of|:)(?: about| around| up to)? ?(?P<v>[$€£¥]?\d[\d,.]*(?:k| dollars| euros| pounds| usd| eur)?)", cues=("budget",), type="preference", content="The user's budget is {v}", confidence=0.85, forbids=NOT_STATED),
)  # fmt: skip

NO_LONGER: Final = (
    Rule(rf"{CS}(?:(?:you|u) can |can (?:you|u) |please |pls )*(?:drop|forget|lose|scrap|ditch|remove|take off|delete) (?:the|my) (?P<v>(?!last\b|old\b|whole\b|other\b|first\b)[a-z]+(?:[ -][a-z]+){{0,2}}) (?:thing|stuff|flag|restriction|requirement|diet|rule)\b(?=[^\n]{{0,16}}\b(?:tests?|results?|doctor|doc|gp|consultant|turns out|any ?more|i'm (?:fine|over|not)|im (?:fine|over|not)|grew out|clear(?:ed)?)\b)", cues=("drop", "forget", "lose", "scrap", "ditch", "remove", "take off", "delete"), type="preference", content="The user no longer needs: {v}", confidence=0.85),
    Rule(rf"{CS}i (?:no longer|don't|dont|do not|never) (?P<v>(?:eat|drink|smoke|use|play|run|live|work|take|do|watch|like|love|want|need|own|have|go|ride|drive|wear)\b{W}{{1,40}}?)(?: any ?more| any longer){END}", cues=("any more", "anymore", "any longer"), type="preference", key="preference:taste.{t}", content="The user no longer does this: {v}"),
    Rule(rf"{CS}i no longer (?!live|work)(?P<v>{W}{{3,40}}?){END}", cues=("no longer",), type="preference", key="preference:taste.{t}", content="The user no longer does this: {v}"),
    Rule(rf"{CS}i(?:'ve| have)? (?:quit|stopped|given up|gave up) (?P<v>(?:eating |drinking |using |playing |watching )?(?!my job|working|because|for)[a-z][a-z -]{{2,30}}?){END}", cues=("quit", "stopped", "given up", "gave up"), type="preference", key="preference:taste.{t}", content="The user has stopped: {v}"),
    Rule(rf"{CS}(?:i'm|im|i am|it turns out i'm|turns out i'm) not (?:actually |really )?allergic to (?P<v>{W}{{2,30}}?)(?: any ?more| after all)?{END}", cues=("not",), type="identity", key="identity:allergy.{k}", content="The user is not allergic to {v}", importance=4, check=allergen),
)  # fmt: skip
LEFT: Final = (
    Rule(rf"{CS}i (?:no longer|don't|dont|do not) live in (?P<v>{W}{{2,30}}?)(?: any ?more)?{END}", cues=("live in",), type="identity", key="identity:city", content="The user lives in {v}", op="retract"),
    Rule(rf"{CS}i (?:no longer|don't|dont|do not) work (?:at|for) (?P<v>{W}{{2,30}}?)(?: any ?more)?{END}", cues=("work",), type="identity", key="identity:employer", content="The user works at {v}", op="retract"),
    Rule(rf"{CS}i(?:'ve| have)? (?:just )?(?:quit|left|lost) my job(?: (?:at|with) (?P<v>{W}{{2,30}}?))?{END}", cues=("my job",), type="identity", key="identity:employer", content="The user works at {v}", op="retract"),
)  # fmt: skip

_SLOTS: Final = r"(?:early |late )?(?:mornings?|evenings?|nights|afternoons|weekends|weekdays|lunchtimes?|aisle|window|(?:mon|tues|wednes|thurs|fri|satur|sun)days)"
"""Times and seats that are asked for in a word."""

HABITS: Final = (
    Rule(rf"(?:^|[.!?\n]) ?(?:no,? |yes,? |always )?(?P<v>(?P<t>{_SLOTS})(?: (?:seats?|slots?|class(?:es)?|ones?|sessions?))?(?:[,;]? (?:always|only|every (?:single )?time|without exception|or nothing|please always))+(?: (?P=t))?|(?:always|only(?: ever)?) {_SLOTS}(?: (?:seats?|slots?|class(?:es)?|ones?|sessions?))?)(?=(?:,? (?:please|pls|thanks|thx|ta|lol))*\s*(?:[.!\n]|$))", cues=("always", "only", "every", "without", "nothing"), type="preference", content="The user wants {v}", confidence=0.85, forbids=NOT_STATED & ~Flag.OTHER),
    Rule(rf"(?P<v>{CS}(?:i|i'm|im)\b[^.!?;,\n]{{2,50}}?\b(?:every (?:single )?(?:day|morning|night|evening|week|weekend|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|each (?:morning|day|week|night)|on (?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekends|weekdays)|(?:once|twice|three times|\d times) a (?:day|week|month))\b[^.!?;,\n]{{0,40}}(?![\w']))", cues=("every", "each", "on ", "a day", "a week", "a month"), type="preference", content="{told}", confidence=0.9, forbids=WITH_ONCE),
    Rule(rf"(?P<v>{CS}(?:up|awake|gym|yoga|running|training|work|shift|night shifts?) [^.!?;,\n]{{2,30}}?\bevery (?:day|morning|night|week|weekday))", cues=("every",), type="preference", content="{told}", confidence=0.85, forbids=WITH_ONCE),
    Rule(rf"(?P<v>{CS}i(?: currently| also| only| mostly)? (?:drive|ride|use|own|have) (?:an? |the |my )?(?:old |new |electric |20\d\d )?(?:tesla|toyota|honda|ford|bmw|audi|volvo|vw|volkswagen|nissan|kia|hyundai|mazda|subaru|skoda|renault|peugeot|fiat|mercedes|harley|yamaha|iphone|ipad|macbook|android|pixel|galaxy|thinkpad|linux|windows|mac|kindle|ps5|xbox|switch|e-bike|bike|motorcycle|car|van|truck|boat|caravan)\b[^.!?;,\n]{{0,24}})", type="identity", content="{told}", confidence=0.9, forbids=WITH_ONCE),
    Rule(rf"(?P<v>{CS}(?:i'm|im|i am) (?:currently )?(?:learning|training for|studying for|writing a|building a|saving (?:up )?for|preparing for|planning (?:to|a|my|our)|moving to|getting married|expecting)\b[^.!?;,\n]{{2,50}})", type="task", content="{told}", confidence=0.9, forbids=WITH_ONCE),
    Rule(rf"(?P<v>{CS}i play (?:the )?(?:guitar|piano|violin|cello|drums|bass|flute|saxophone|chess|tennis|football|soccer|basketball|badminton|squash|golf|hockey|volleyball|rugby|cricket|go)\b[^.!?;,\n]{{0,30}})", cues=("i play",), type="preference", content="{told}", confidence=0.9, forbids=WITH_ONCE),
    Rule(rf"(?P<v>{CS}i (?:have|'ve got|am raising) (?:two|three|four|five|\d|a|an|twin)(?: [a-z-]+)? (?:kids|children|sons?|daughters?|boys|girls|brothers?|sisters?|siblings|grandchildren|toddlers?|babies)\b[^.!?;,\n]{{0,30}})", type="identity", content="{told}", confidence=0.95),
)  # fmt: skip
PLANS: Final = (
    Rule(rf"(?P<v>{CS}(?:(?:i've|i have|i) (?:just )?(?:booked|signed up|enrolled|registered)|(?:i plan to|i'm planning to|i'm planning on|i'm hoping to|i want to|i'm going to)(?=[^,.!?;\n]*\b(?:next (?:year|month|week|summer|spring|winter|fall|autumn|weekend)|this (?:year|summer|spring|winter|fall|autumn|weekend|month)|in (?:january|february|march|april|may|june|july|august|september|october|november|december|the (?:fall|spring|summer|winter))|by the end of))) [^,.!?;\n]{{3,60}})", cues=("going to", "plan", "booked", "signed up", "decided"), type="task", content="{told}", confidence=0.85),
)  # fmt: skip

ALL: Final = (*PERSON, *HERE, *RELATIVES, *PETS, *LIKES, *STYLE, *NO_LONGER, *LEFT, *HABITS, *PLANS)
"""Every row, in the order in which they are tried."""
