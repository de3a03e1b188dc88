"""Whether a run of English clauses says something lasting of the user, by its anchors, its claims and its subject."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from zhiji.extract import signs_en as signs
from zhiji.extract.clauses_en import BINDS
from zhiji.extract.owners_en import LEAD, PET_KIN, Owner, Run
from zhiji.extract.topics_en import Anchor, Topic


def is_kept(
    folded: str, run: Run, told: Sequence[Anchor], fresh: Sequence[Anchor], *, once: bool, unread: bool, reacts: bool
) -> bool:
    """Return whether a run says something lasting of the user, by its anchors, claims and subject."""
    words = folded.strip()
    own_words = bool(signs.FIRST.search(signs.IDLE_ME.sub(" ", words)))
    named = any(owner in (Owner.USER, Owner.OURS) for owner in run.owners)
    own = named or (own_words and run.owners[0] is not Owner.OTHER)
    if signs.NOTE.search(words) and unread and (own or fresh):
        return True
    if unread and not once and run.owners[0] in (Owner.NONE, Owner.OTHER) and signs.STATED_OCCASION.match(words):
        return not (signs.BUSINESS.search(words) or signs.TO_YOU.search(words))
    if (
        unread
        and (own or signs.BEGINS.match(words) or signs.MEASURED.match(words))
        and not signs.BUSINESS.search(words)
        and (signs.MEASURED.search(words) or signs.ADDRESS.search(words))
    ):
        return True
    if unread and (signs.ADDRESS.search(words) and len(words.split()) >= 3 and not signs.BUSINESS.search(words)):
        return True
    if (
        unread
        and not once
        and signs.TIMES.search(words)
        and (own or run.owners[0] is Owner.NONE)
        and not (signs.WISHFUL.search(words) or signs.TO_YOU.search(words) or signs.is_moody(words))
    ):
        return True
    if (
        fresh
        and (own or run.owners[0] is Owner.NONE)
        and signs.TRAVELS.search(words)
        and not (signs.PAST.search(words) or signs.TO_YOU.search(words))
    ):
        return True
    if unread and (own or run.owners[0] is Owner.NONE) and _is_settled(words, told):
        return True
    if run.lists and unread and _lists_self(words, run):
        return True
    if (
        unread
        and not once
        and (own or run.owners[0] is Owner.NONE)
        and (signs.FAN.search(words) or signs.TREATED.search(words) or _AS_ROLE.match(words) or GOAL.search(words))
        and not signs.BUSINESS.search(words)
        and not signs.TO_YOU.search(words)
    ):
        return True
    if unread and not once and (run.introduces or _is_plain(words, run, told) or _is_surely(words, run, told)):
        return True
    if unread and not once and run.owners[0] is Owner.NONE and _is_harmed(words, fresh):
        return True
    strong = any(one.strong for one in fresh) or bool(fresh and signs.STATED_OCCASION.search(words))
    if Owner.OURS in run.owners and not own_words and not signs.CLAIM.search(words):
        return False
    if not fresh:
        return False
    if BINDS.search(words) and not once:
        return True
    if once and not strong:
        return False
    due = bool(
        signs.DATE.search(words)
        and signs.DUE.match(words)
        and run.owners[0] is Owner.NONE
        and any(one.topic in signs.DATED or one.topic is Topic.VEHICLE for one in fresh)
    )
    if not own and not due and not signs.STATED_OCCASION.search(words) and not _drops_subject(words, run, told):
        return False
    if strong:
        return not (signs.BUSINESS.search(words) and not own)
    if (
        signs.is_moody(words)
        or signs.BUSINESS.search(words)
        or signs.TO_YOU.search(words)
        or signs.WISHFUL.search(words)
    ):
        return False
    if signs.DATE.search(words) and any(one.topic in signs.DATED for one in fresh):
        return True
    if {Topic.ALLERGEN, Topic.FOOD, Topic.HEALTH} & {one.topic for one in fresh} and reacts:
        return True
    topical = [one for one in fresh if one.topic is not Topic.FORMAT]
    return bool(topical) and bool(_claims(words, run, fresh))


def _is_settled(words: str, told: Sequence[Anchor]) -> bool:
    """Return whether a run names the town of a home of the user's: "got the keys to our flat in Ghent"."""
    placed = any(one.topic in (Topic.PLACE, Topic.NAME) for one in told)
    unreal = signs.NOT_HOME.search(words) or signs.WISHFUL.search(words)
    return placed and not unreal and bool(signs.HOME_IN.search(words))


_EQUALS: Final = re.compile(r"\s*(?:=|equals|means)\s")
_ONE_BITE: Final = re.compile(
    r"(?:even |just )?(?:one|an?|any|two) (?:single |tiny )?(?:bite|whiff|sip|taste|crumb|trace|drop|mouthful|sniff|hint|spoonful|puff|nibble|lick)s? of (?!this\b|that\b|it\b|freedom|life|reality|the\b)[a-z]"
)


def _is_harmed(words: str, fresh: Sequence[Anchor]) -> bool:
    """Return whether a run says what a food does to the user: "prawns = ambulance", "one whiff of lilies and my eyes stream"."""
    foods = [one for one in fresh if one.topic in (Topic.ALLERGEN, Topic.FOOD) and one.start == 0]
    equals = any(_EQUALS.match(words[one.end :]) for one in foods) and signs.REACTS.search(words)
    return bool(
        (foods and re.search(signs.CONSEQUENCE, words))
        or equals
        or (_ONE_BITE.match(words) and signs.REACTS.search(words))
    )


def _lists_self(words: str, run: Run) -> bool:
    """Return whether the clauses behind the user's name only say, without verbs, what they are."""
    unlike = (signs.BUSINESS, signs.TO_YOU, signs.WISHFUL, _TROUBLE)
    if set(run.owners[1:]) - {Owner.NONE, Owner.USER} or any(pattern.search(words) for pattern in unlike):
        return False
    parts = [part.split() for part in words.split(",")]
    return len(parts) > 1 and all(len(part) <= MAX_ITEM_WORDS for part in parts)


MAX_ITEM_WORDS: Final = 6
_ADVERBS: Final = r"(?:(?:really|also|just|still|only|always|usually|normally|mostly|never|often|sometimes|generally|typically|currently|now|both|all|tend to|basically|actually|kinda|literally|do|don't|dont|can't|cant|cannot|can|won't|wont|work|[a-z]+ly|'ve been|have been) )*"
_FIDGETS: Final = re.compile(
    r"(?:want|wanna|need|think|thought|feel|felt|hope|guess|know|knew|see|saw|hear|read|wonder|agree|understand|appreciate|mean|suppose|believe|bet|swear|promise|admit|notice|remember|forget|imagine|wish|doubt|expect|reckon|say|said|tell|told|ask|asked|call|get (?:it|that|what|the|your|why|how|an? (?:error|message))|give|go|going|got to|gotta|gonna|have to|"
    r"haven't|had|look|looked|looking|love (?:it|this|that|these|those|how|your|the|to)|like (?:it|this|that|these|those|how|your|the|to)|hate (?:it|this|that|these|those|when|how|the)|prefer (?:the|this|that)|try|tried|trying|thank|apologi[sz]e|let|should|must|would|could|might|may|will|shall|am|was|were|did|didn't|didnt|wasn't|wasnt|couldn't|couldnt|wouldn't|be|been|"
    r"find (?:it|this|that)|keep (?:getting|seeing|thinking)|cannot wait|wait|seem|came|come|start|started|finally|see|even|totally|definitely|absolutely|completely|care|mind|turn to|realize|realise|value|cherish|respect|admire|figure|decide|plan|plan(?:ned)|consider|enjoy (?:it|this|that|the|every)|support you|always look|look|believe|can|can't|cant|cannot|do|don't|dont|does|doing|have|having|has|just|really|recommend|suggest|accept|confirm|receive|order|return|pay|request|require|consent|authori[sz]e|miss|deserve|trust|owe you|worry|fear|lean|struggle|strive|make(?! (?:my|our|all|most|every|bread|soap|jewel|music|candles|furniture|clothes|cheese|wine|beer|videos|films|games|pottery))|take(?! (?:it|my|sugar|milk|two|three|the bus|the train|\d))|use the|use this|use it|use your|click|open|press|type|enter|submit|log|sign|download|install|update|run the|run this|run it|compile|deploy)\b"
)
"""Verbs of the moment and of the mind: what somebody wants, thinks, has just done, does with the matter at hand."""
_DOES: Final = re.compile(rf"(?:i|we) (?P<adverbs>{_ADVERBS})(?P<verb>[a-z']+)")
_IS: Final = re.compile(
    rf"(?:i'm|im|i am|we're|we are|i've been|ive been|been) (?P<adverbs>{_ADVERBS})(?P<what>(?:an? |the )?[a-z\d][\w'-]*)"
)
_NOW: Final = re.compile(
    r"(?:new (?:here|to this|at this|around)|(?:an? )?(?:bit|little|huge|big|mess|wreck|fool|idiot|customer|member|while|few|lot|couple|week|day|month|minute)|so|very|really|too|just|glad|happy|excited|sure|sorry|proud|thrilled|grateful|thankful|lucky|good|great|fine|ok|okay|ready|done|back|here|there|home|out|up|down|off|in|on|at|about|with|all|not|curious|interested|pumped|stoked|keen|confused|lost|stuck|"
    r"worried|nervous|anxious|scared|bored|tired|busy|late|early|free|well|better|alright|cold|hot|warm|sick|ill|full|hungry|thirsty|drunk|dead|done|impressed|surprised|shocked|amazed|inspired|motivated|determined|passionate|committed|dedicated|ecstatic|delighted|relieved|hopeful|confident|eager|optimistic|fascinated|swamped|overwhelmed|frustrated|disappointed|annoyed|angry|upset|sad|mad|gutted|joking|kidding|serious|able|unable|going|gonna|afraid|aware|certain|positive|convinced|right|wrong|"
    r"the (?:one|same|best|worst|only)|an? (?:bit|little|lot|total|complete|real|such|big|huge|great|good|new|bad)|like|one|that|this|it|your|yours|you|super|pretty|quite|totally|absolutely|definitely|completely|loving|[a-z]{2,}ing|[a-z]{3,}ed|there|blessed|honou?red|open)\b"
)
"""What somebody is only for the moment."""
_LASTING_ING: Final = re.compile(
    r"(?:living|working|studying|learning|training|teaching|raising|renting|staying|retraining|saving|recovering|breastfeeding|expecting|commuting|moving|homeschooling|fasting|avoiding|cutting|caring|self-|shit at|crap at|rubbish at|bad at|terrible at|hopeless|useless|retired|married|divorced|separated|engaged|widowed|based|blind|deaf|allergic|intolerant|trained|qualified|employed|registered|booked|off (?!to\b|work\b)(?:[a-z]+)|"
    r"on (?:an?|the|my) (?!way|phone|train|bus|fence|road|move|go|run|roll|mission|journey|team|same|right)|on (?:benefits|nights|call|parole|statins|insulin|meds|leave|warfarin|metformin)|in (?:my|an?|the) (?:\d0s|[a-z]+ (?:flat|house|year|chair|band|choir)|wheelchair|choir|band|army|navy|union|club|league)|in (?:year|grade|recovery|remission|uni|tech|finance|sales|hr|it)\b)"
)
_THINGS_NOT: Final = re.compile(
    r"(?:my|our) (?:guess|question|point|bad|mistake|favou?rite (?:part|bit|thing|moment|memory)|thoughts?|mind|heart|day|week|weekend|morning|evening|night|order|parcel|package|refund|delivery|problem|issue|concern|aim|hope|wish|answer|idea|opinion|view|understanding|pleasure|fault|turn|apolog\w+|last|first|next|previous|new|code|app|screen|page|script|query|function|program|build|terminal|browser|account|wifi|internet|connection|cart|basket|"
    r"head|hearts?|soul|spirits?|life|passion|journey|experience|friend\w*|team|fans?|game|show|story|book|piece|work (?:is|was|has)|project|trip|camping|time|love|support|goal|dream|number|number one|go-to)\b"
)
_THING_IS: Final = re.compile(
    r"(?:my|our) [a-z-]+(?: [a-z-]+){0,3}?(?:'s| is| are| isn't| isnt| aren't| arent| has| have| hasn't| doesn't| doesnt| don't| dont| can't| cant| can| won't| wont| needs?| runs?| goes| gets?| lives?| works?| sits?| takes?| only| never| always| keeps| raised| comes?| starts| ends| closes| opens)\b"
)
_TROUBLE: Final = re.compile(
    r"\b(?:crash\w*|error|broken|stuck|loading|fails?|failing|failed|bug|bugs|not working|isn't working|isnt working|doesn't work|doesnt work|won't (?:start|load|open|connect|turn|charge|work|compile|let)|wont (?:start|load|open|connect|turn|charge|work|compile|let)|frozen|blank|missing|late|frac|\w*exception|null|undefined|this|that|these|those|it (?!doesn't)|take a look|have one|(?:it|them)$|so much|so many|too much|each other|together|bond|amazing|awesome|incredible|great|cool|wonderful|beautiful|important|inspir\w+|grateful|joy|happiness|peace\w*|passion\w*|memories|moments?|progress|photo|pic|picture|snap)\b"
)
"""What goes wrong, what is only pointed at, and what is praised."""


def _is_plain(words: str, run: Run, told: Sequence[Anchor]) -> bool:
    """Return whether a run states how things are with the user, in the present and without any sign of the moment."""
    if not 3 <= len(words.split()) <= 18:
        return False
    unlike = (signs.BUSINESS, signs.WISHFUL, signs.TO_YOU, _TROUBLE)
    if (
        signs.is_moody(words)
        or any(pattern.search(signs.WORN.sub(" ", words)) for pattern in unlike)
        or signs.CHAT.match(words)
    ):
        return False
    said = LEAD.sub("", words)
    who = run.owners[0]
    if who is Owner.USER:
        if thing := _THING_IS.match(said):
            return not _THINGS_NOT.match(said) and not signs.PAST.search(said[thing.end() :])
        if state := _IS.match(said):
            what = said[state.start("what") :]
            return bool(_LASTING_ING.match(what)) or not _NOW.match(what)
        does = _DOES.match(said)
        return does is not None and not _FIDGETS.match(said[does.start("verb") :]) and not signs.PAST.search(said)
    if who is Owner.OURS:
        return bool(_IS_OF_OURS.match(said)) and not signs.PAST.search(said)
    if _DROPPED.match(said) and not signs.PAST.search(said) and not signs.NOT_BEGUN.match(said):
        return who is Owner.NONE and 3 <= len(said.split()) <= 12
    return who is Owner.NONE and _is_list(said, run, told)


_DROPPED: Final = re.compile(
    r"(?:(?:really|just|also|absolutely|generally|personally) )*(?:(?:don't|dont|do not) (?:like|eat|drink|own|drive|smoke|wear|use|do|trust|touch|watch|cook|speak|read|have an?)|(?:can't|cant|cannot) (?:stand|eat|have|do|drive|swim|cook|drink|sing|dance|abide|see|hear|digest|walk|lift|sleep)|hate|detest|loathe|adore|(?:not )?(?:a fan of|keen on|fond of|into|good with|good at|bad with|bad at)|"
    r"bad (?:with|at)|good (?:with|at)|no good (?:with|at)|scared of|afraid of|terrified of|obsessed with|allergic to|never (?:learnt|learned|had|been to|tried|eat|drink|touch|wear|cook|drive|watch)|been (?:clean|sober|single|married|vegan|veggie|vegetarian|off|on)|always (?:been|have|had|wear|carry))\b(?! (?:it|that|this|these|those|you|your|when|how|to say)\b)"
)
"""Begins with what somebody never does, cannot do, hates or is, without saying "I"."""


NAMES_SELF: Final = re.compile(
    r"^\s*(?:[a-z]+(?: [a-z]+)? (?:here|this side)|(?:it'?s|i'?m|i am|this is) [a-z]+)(?: here| again)?\s*[,.!~–—-]+\s*(?!from\b|at\b|with\b)"
)
"""What begins a message with a name of one's own."""
INTRODUCES: Final = re.compile(
    r"(?:^|[.!?\n])\s*(?:ok |okay |so |right |hi |hey |and |just |a |my |some |quick |short |little |here's |heres |for |the )*(?:context dump|brain dump|info dump|(?:quick |little )?bit about me|about me|about myself|(?:quick |short |brief )?intro(?:duction)?|background(?: info)?|(?:my )?bio|my details|facts about me|who i am|stuff about me|things to know about me|context)\s*(?::|,|-|–|—|\.|\n)"
)
"""What somebody says before a list of facts about themselves."""
_SURE: Final = re.compile(
    r"\b(?:(?:i'll|ill|i will|i'm gonna|im gonna|i'm going to|gonna|i shall|we'll|we're going|keep|leave) [^,.]{2,50}?\b(?:(?:on |this |next )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:on |by )?the \d{1,2}(?:st|nd|rd|th)?)\b)|"
    r"\b(?:under|within|below|max|around|about|only|just|over|roughly|up to|no more than|on) (?:£|\$|€|₹)?\d[\d,.]*k? ?(?:quid|pounds?|bucks|dollars|euros|rupees|rs|grand|k)? ?(?:a|per|each|every) (?:week|month|day|year|night|head|person)\b|"
    r"\bonly (?:chat|talk|speak|meet|do|call|take calls|train|come|be)\b[^,.]{0,20}\b(?:after|before|from|until|till|between|on)\b|\b(?:every single|each and every) (?:day|night|morning|evening|week)\b|"
    r"\bleap(?: year| day)? baby\b|\bborn on (?:leap day|christmas|xmas|new year|boxing day|halloween|valentine|the same day)|^[a-z][a-z ]{3,40} (?:too|as well)$|^(?:moving|switching|going|retraining|changing) from [^,.]{2,40} to |\b(?:offered|accepted|got|given|handed) (?:me )?(?:an? )?(?:[a-z]+ )?(?:place|job|role|position|spot|contract|promotion|scholarship|transfer|offer)\b|"
    r"\b(?:i've|ive|been|i have|we've|weve) [^,.]{1,40}?\b(?:for |since )?(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twenty|thirty) (?:years|yrs|months|weeks|days)\b|\bhad (?:a|our|my) (?:first |second |third )?(?:baby|son|daughter|little (?:girl|boy)|stroke|transplant|bypass|miscarriage|breakdown)\b|"
    r"\b(?:when i was (?:\d|a (?:kid|child|baby|teen)|born|little|young)|as a (?:kid|child|teenager))\b|\b(?:only|best|worst) (?:day|time|days) (?:i|we|for (?:me|us)|that)\b|^(?:my|our) [a-z ]{2,20} (?:was|were) an? [a-z]+|^(?:me|just me|me and|me,)(?: [a-z]+){0,8}$|\b(?:always have been|always has been|always will be|ever since|since (?:forever|birth|school|uni|lent|covid|lockdown|\w+ ?\d+))\b|\b(?:i'm|im|i am) (?:hopeless|useless|rubbish|terrible|shit|crap|awful|pretty bad|good|decent) (?:at|with)\b|"
    r"^(?:and |but |so )?(?:both|one|two|my|the|left|right)(?: of my| my)? (?:(?:left|right) )?(?:hips?|knees?|ankles?|shoulders?|eyes?|ears?|legs?|feet|hands?|lungs?|kidneys?|elbows?|wrists?)(?: of mine)? (?:are|is|were|was) (?:all |both |a bit |basically |made of )*(?:metal|titanium|fake|false|plastic|glass|gone|replaced|fused|dodgy|buggered|blind|deaf|missing|new|ceramic|prosthetic)\b|"
    r"^(?:hopeless|useless|rubbish|terrible|shit|crap|awful) (?:at|with)\b|\b(?:post|weeks? out (?:from|of)|months? (?:post|after|since)) ?-? ?(?:op|surgery|c-?section|partum|birth|transplant|knee|hip|heart|back|an?)\b"
)
"""What stays true or is still to come, however it is said."""
_TOO: Final = re.compile(r"\b(?:too|as well)$")
_LOATHES: Final = re.compile(
    r"\b(?:vile|rank|minging|gross|grim|yuck\w*|bleh|blegh|disgusting|revolting|inedible|instant no|hard no|hard pass|no ta|no thanks|big no|a no from me|not for me|makes? me (?:gag|heave|sick|retch)|turns my stomach|can do one)\b"
)
_ITS: Final = re.compile(
    r"(?:it'?s|it is|its) (?:(?:just|only|about|around|like|also|basically) )*(?:an? |my |our |the |on )?(?!great|good|nice|amazing|so\b|very|really|been|not|too|just|such|all\b|always|like)[a-z\d]"
)
_ITS_DAY: Final = re.compile(
    r"(?:it'?s|its) (?:my|our) (?:[a-z']+ ){0,3}(?:birthday|bday|\d+(?:st|nd|rd|th)|anniversary|wedding|graduation|funeral|christening|exam|interview|due date|viva|operation|op|surgery)\b"
)
_OF_DEVICE: Final = frozenset({Topic.DEVICE, Topic.VEHICLE, Topic.MEASURE})


def _is_surely(words: str, run: Run, told: Sequence[Anchor]) -> bool:
    """Return whether a run says something that lasts by its wording alone, or what a thing of the user's is."""
    if signs.BUSINESS.search(words) or signs.CHAT.match(words) or len(words.split()) > 24:
        return False
    who = run.owners[0]
    words = _ASIDE.sub("", words)
    if any(_is_run(words, one) for one in told):
        return True
    food = any(one.topic in (Topic.FOOD, Topic.ALLERGEN) for one in told)
    if food and _LOATHES.search(words) and not signs.TO_YOU.search(words):
        return True
    if who in (Owner.USER, Owner.NONE) and (told or not _TOO.search(words)) and _SURE.search(words):
        return not (
            signs.TO_YOU.search(words)
            or signs.WISHFUL.search(words)
            or re.search(r"\b(?:let you|see (?:you|ya)|be fine|talk|chat soon)\b", words)
        )
    if who is Owner.OTHER and _ITS_DAY.match(words):
        return bool(signs.DATE.search(words))
    if who is Owner.OTHER and _ITS.match(words):
        measured = re.search(r"\b\d+ ?(?:mins?|minutes|hours?|hrs?|miles?|km|gb|tb|kg|st)\b", words)
        known = any(one.topic in _OF_DEVICE for one in told)
        return (
            len(words.split()) <= 14
            and bool(known or measured)
            and not (signs.is_moody(words) or _TROUBLE.search(words))
        )
    return False


_RUNS: Final = re.compile(
    r"(?:(?:and|but|so|still|sadly|unfortunately|currently|forever|we'?re|we are|i'?m|i am|we|i|just|only|also|ta|cheers|thanks)[ ,]+)*"
    r"(?:(?P<bound>(?:stuck|limited|locked|restricted|confined|(?:typing|writing|reading|doing|sending|asking) (?:this|it)) (?:in)?(?:on|to|with|at|from))|(?:still |only )?(?:on|running|run|using|use|got)) (?:(?:an?|my|the|this|very|old|older|ancient|crappy|cheap|tiny|new|work|company|school) )*"
)
_VERSION: Final = re.compile(
    r" ?v?\d[\w.]*(?=$|,| (?:at|in|on|here|btw|so|for|still|and|which|with|because|cos|only|atm|now$))|.*\b(?:at work|at home|at (?:the )?(?:office|school|uni)|for work|for uni)\b"
)


def _is_run(words: str, one: Anchor) -> bool:
    """Return whether a device or a version of a program is what the user has to work with: "stuck on python 3.8"."""
    lead = _RUNS.fullmatch(words[: one.start]) if one.topic is Topic.DEVICE else None
    return lead is not None and bool(lead["bound"] or _VERSION.match(words[one.end :]))


_ASIDE: Final = re.compile(r"[\s,]+if (?:that|it) (?:matters|helps|makes a difference)$")


_IS_OF_OURS: Final = re.compile(
    rf"(?:(?:(?:both|all)(?: of)? )?(?:my|our|the) (?:[a-z-]+ )?{PET_KIN}|he|she|they|hes|shes|theyre|dad|mum|mom)(?:'s|s|'re| is| are| has| have| only| just| really| still| also)* (?:an? |into|mad|obsessed|keen|scared|afraid|allergic|\d|deaf|blind|retired|diabetic|vegan|coeliac|celiac|in an?|in (?:year|uni)|at uni|on (?:insulin|meds|a|the|oxygen)|from|living|working|based|turning|fussy|loves?|likes?|hates?|plays?|lives?|works?|collects?|can't|cant|won't|wont|doesn't|doesnt|needs? an?|uses?|wears?|speaks?|supports?|drives?|teaches|studies|starts|a huge|called|named|not (?:keen|into|big)|dinosaurs?)\b"
)
_COUNTED: Final = re.compile(
    r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty) (?:[a-z]+ )?(?:yrs?|years?|months?|weeks?|of us|kids?|children|sons?|daughters?|boys|girls|cats?|dogs?|bed(?:room)?s?|fridges?|storeys?|floors?|days a week|hours|hrs|mins?|miles|k\b)|\b(?:for|over|about) (?:years|ages|decades)\b|\bevery (?:single )?(?:day|night|morning|week|weekend)\b"
)


def _is_list(said: str, run: Run, told: Sequence[Anchor]) -> bool:
    """Return whether clauses without subject list what somebody is: "night porter, 12 yrs now", "shared house, 5 of us"."""
    topics = {one.topic for one in told}
    if (
        len(run.clauses) < 2
        or re.match(r"(?:not|no)\b", said)
        or set(run.owners) - {Owner.NONE, Owner.USER}
        or not topics - {Topic.FOOD, Topic.MEASURE, Topic.NAME}
    ):
        return False
    short = all(len(part.split()) <= 7 for part in said.split(","))
    return short and (bool(_COUNTED.search(said)) or len(told) >= len(run.clauses))


def _claims(words: str, run: Run, fresh: Sequence[Anchor]) -> bool:
    """Return whether a run says of its topic that it lasts."""
    if (
        signs.LASTING.search(words)
        or signs.FAN.search(words)
        or (run.owners[0] is Owner.NONE and signs.BEGINS_LASTING.match(words) and not signs.NOT_BEGUN.match(words))
    ):
        return True
    if (
        _WEEKLY.search(words)
        or _HERE.match(words)
        or (Owner.OURS in run.owners and any(one.topic in (Topic.HEALTH, Topic.OCCASION) for one in fresh))
    ):
        return True
    if Owner.USER in run.owners and not signs.PAST.search(words) and not signs.MOMENT.search(words):
        return True
    return bool(signs.SUFFERED.search(words)) and any(one.topic is Topic.HEALTH for one in fresh)


_GERUND_SUBJECT: Final = re.compile(
    r"^(?:and |but |so |also |just |not )*[a-z]{2,}ing\b[^,.]*?\b(?:is|isn't|isnt|was|are|can|helps?|gives?|brings?|makes?|means?|has|sounds?|feels?|takes|lets|keeps|reminds|shows?)\b"
)
"""Doing something is …: of what is done, not of who does it."""
_FOUND_OUT: Final = re.compile(
    r"^(?:the |my )?(?:doc|doctor|gp|dentist|physio|optician|consultant|specialist|midwife|allergist|dermatologist|dermo|nurse|hospital|prick test|blood test|bloods|tests?|results?|scan|x-?ray|mri)s?\b|(?:^|[,;] )(?:it's|its|turns out|turned out|apparently)\b"
)
"""What somebody was told of their body."""


_AS_ROLE: Final = re.compile(
    r"^(?:speaking )?as an? (?!treat|gift|result|joke|test|last|matter|kid\b|child|rule|side|start|thank|backup|favou?r|present|snack|main|whole|team)[a-z][a-z -]{2,30}?,? (?:i|i'm|im|i've|we|my|with)\b"
)
_HERE: Final = re.compile(r"^[a-z-]+(?: [a-z-]+){0,2} here$|^[a-z-]+(?: [a-z-]+){0,2} here,")
GOAL: Final = re.compile(
    r"^(?:want|wanna|wanting|hoping|trying|looking|keen|need)(?: (?:a|some) (?:plan|programme|program|routine|way|help))? to (?:get (?:back )?(?:into|to)|learn|lose|gain|quit|give up|start|run|finish|train for) [a-z]|\b(?:i|we|i'm|im|we're)(?: (?:really|also|am|are|still|just))* (?:want|wanna|hope|plan|aim|trying|hoping|planning|aiming|saving|training|working|studying|preparing)(?: up)? (?:to|on|for|towards) (?:be(?:come)? |learn|lose |gain |get (?:into|fit|better|back|under|a job|my|our)|quit|stop|give up|retire|move|run (?:a|the|my)|finish|pass|save|buy an? (?:house|flat|home|place|car)|start (?:a|my|an)|write a|open a|apply|go back|have (?:a baby|kids)|adopt|publish|qualify|master|speak|a house|a half|the |an? )|"
    r"\bi(?: (?:really|just|only|mainly|mostly))* (?:want to|wanna|need to)(?: be able to)? (?:get|go|climb|walk|run|lift|carry|keep up|touch|sit|stand|sleep|play|make it|bend|kneel|swim|reach|hold) (?:[^.!?\n]{2,40} )?without (?!you\b|it\b|paying|booking|signing|asking|waiting)[a-z]"
)
"""What somebody is after for longer than today."""


def _drops_subject(words: str, run: Run, told: Sequence[Anchor]) -> bool:
    """Return whether a run without "I" and "my" begins like a statement whose subject was dropped."""
    found_out = any(one.topic in (Topic.HEALTH, Topic.ALLERGEN) for one in told) and _FOUND_OUT.search(words)
    if found_out and not re.search(r"\b(?:he|she|they|his|her|their)\b", words):
        return True
    if run.owners[0] in (Owner.OTHER, Owner.REQUEST, Owner.PRONOUN):
        return (
            run.owners[0] is Owner.OTHER and bool(re.match(r"(?:it's|its|it is)\b", words)) and len(words.split()) <= 6
        )
    if _GERUND_SUBJECT.match(words):
        return False
    if (signs.BEGINS.match(words) and not signs.NOT_BEGUN.match(words)) or (
        signs.SELF_NOUN.search(words) and len(words.split()) <= 7
    ):
        return True
    if told and _HERE.match(words):
        return True
    if any(one.topic in _WEEKLY_TOPICS for one in told) and _WEEKLY.search(words):
        return True
    if told and told[0].start == 0 and told[0].topic is Topic.PLACE and _PLACED.search(words):
        return True
    return any(_stands_first(words, one) for one in told)


_WEEKLY: Final = re.compile(
    r"\b(?:every|each) (?:other |single )?(?:day|week|month|morning|evening|night|weekend|mon|tues|wednes|thurs|fri|satur|sun)|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b|\b(?:once|twice|\d times|three times|four times) (?:a|per) (?:week|month)\b"
)
_WEEKLY_TOPICS: Final = frozenset({Topic.HOBBY, Topic.STUDY, Topic.WORK, Topic.FAITH, Topic.KIN, Topic.HEALTH})
_PLACED: Final = re.compile(
    r"\b(?:til|till|until|normally|usually|originally|atm|at the moment|for now|now|these days|born|based|area|mostly|via)\b"
)


def _stands_first(words: str, one: Anchor) -> bool:
    """Return whether a strong word begins a clause and is no general statement: "beagle, 3", "type 1 since I was ten"."""
    begins = re.search(
        r"(?:^|[^\w\s'’-]\s*)(?:(?:an?|my|just|got|mostly|all|on|in|at|off|one|two|three|four|five|\d+|bit|been|not|also|still|now) )*$",
        words[: one.start],
    )
    return (
        one.strong
        and bool(begins or words[: one.start].endswith("being "))
        and (
            one.topic is Topic.MEASURE
            or not re.match(r" (?:is|are|was|were|can|can't|isn't|aren't|does|has|have)\b", words[one.end :])
        )
    )
