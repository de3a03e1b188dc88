"""Signs of what lasts and of the moment in English clauses: habits, tastes, states, dates, measures; moods, business, the past."""

from __future__ import annotations

import re
from typing import Final

from zhiji.extract import lexicon
from zhiji.extract.topics_en import Topic

MOOD: Final = re.compile(
    r"\b(?:knackered|tired|exhausted|hungry|starving|bored|shattered|hungover|cba|can't be (?:bothered|arsed)|cant be (?:bothered|arsed)|cannot be bothered|fed up|pissed off|stressed|annoyed|grumpy|sad|gutted|upset|angry|furious|fuming|"
    r"craving|crave|in the mood|feel like|feeling|feels like|don't feel|dont feel|worst|awful day|bad day|long day|rough day|ugh|meh|today|tonight|rn|right now|this (?:morning|evening|afternoon|second|minute)|just now|atm|at the moment|for once|yesterday|last night|(?:hate|sick of) (?:every(?:thing|one|body)|people|(?:my|this) (?:life|day))|want my (?:mum|mom|mummy|mommy|bed))\b"
)


SECRET: Final = re.compile(
    r"\b(?:pass?words?|passcode|pwd|pin|otp|cvv|cvc|card (?:number|no|ending|details)|cards? \d|my card|ssn|security code|login)\b"
)
BUSINESS: Final = re.compile(
    r"\b(?:(?:sen[dt]|sending|post(?:ed|ing)) (?:(?:it|them|this|that|these|one) )?back|orders?|ordered|parcels?|packages?|refunds?|delivered|arrived|showed up|returned|returning|(?<!hip )(?<!knee )(?<!joint )(?<!valve )replacement|tracking|shipped|dispatched|warranty claim|invoice|charged|overcharged|payment|checkout|voucher|coupon|out of stock)\b"
)
CHAT: Final = re.compile(
    r"\b(?:alright|right|hiya|hi|hello|morning|thanks?|thank you|thx|ty|cheers|lovely to|nice to|good to (?:hear|know|see)|great to|glad|congrats|congratulations|sounds (?:good|great|like|fun)|have (?:a|fun)|see (?:you|ya)|good luck|welcome|wow|haha|hahaha|lol|lmao|omg|hope (?:you|that|it|so)|hopefully|"
    r"take care|same here|me too|for sure|no worries|no problem|of course|absolutely|definitely|that's (?:great|awesome|amazing|so|cool|nice)|awesome|amazing|so cool|how about you|what about you|let me know|keep me posted)\b"
)


CLAIM: Final = re.compile(
    r"\b(?:always|never|only|usually|normally|mostly|mainly|generally|typically|often|regularly|every|each|daily|weekly|fortnightly|monthly|nightly|weekdays?|weekends?|mornings|evenings|nights|afternoons|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|"
    r"these days|nowadays|any ?more|no longer|since|for (?:years|ages|\d+|a (?:year|decade)|(?:two|three|four|five|six|ten|twenty) )|years?|yrs|decades?|winters|favou?rites?|fave|"
    r"love|loves|hate|hates|like|likes|prefer|prefers|adore|loathe|detest|enjoy|dislike|can't stand|cant stand|stand|fond of|fan of|obsessed|addicted|hooked|into|partial to|keen on|crazy about|mad about|not big on|big on|"
    r"don't|dont|do not|doesn't|doesnt|can't|cant|cannot|won't|wont|not allowed|not possible|no|not|without|avoid|skip|allergic|intolerant|gone off|went off|off|quit|stopped|gave up|given up|packed (?:it )?in|cut out|switched|swapped|"
    r"have|has|had|having|got|own|owns|keep|keeps|adopted|rescued|breed|foster|use|uses|using|drive|drives|driving|ride|rides|riding|play|plays|playing|wear|wears|take|takes|taking|"
    r"speak|speaks|study|studying|studied|learn|learning|teach|teaching|taught|train|training|live|lives|living|rent|renting|based|born|grew up|raised|from|moved|moving|relocated|settled|work|works|working|worked|employed|"
    r"run|running|coach|volunteer|sing|bake|cook|knit|paint|write|code|collect|grow|commute|am|'m|im|is|are|'s|been|turned|turning|turns|became|become|named|called|name|diagnosed|due|expecting|pregnant|married|engaged|divorced|widowed|"
    r"scared of|afraid of|terrified of|fear of|phobia|struggle with|suffer from|suffer|get|gets|hurts|swells?|triggers|useless|shot|dodgy|bad|torn|broke|broken|fused|replaced|fine|ok)\b"
)
"""A habit, a taste, a possession, a state, a length of time."""
LASTING: Final = re.compile(
    r"\b(?:always|never|only|usually|normally|mostly|generally|often|regularly|every|each|daily|weekly|weekdays|weekends|mornings|evenings|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|these days|nowadays|any ?more|no longer|since|all (?:month|year|winter|summer|term)|"
    r"for (?:years|ages|\d+|a (?:year|decade)|(?:two|three|four|five|six|ten|twenty) )|\d+ (?:years|yrs|months|weeks|winters)|favou?rites?|fave|go-to|love|hate|prefer|adore|loathe|detest|can't stand|cant stand|not a fan|big fan|obsessed|addicted|allergic|intolerant|gone off|went off|"
    r"quit|stopped|gave up|given up|packed (?:it )?in|cut out|switched to|swapped|used to|gave (?:out|way)|gone|for a living|born|grew up|raised|moved|relocated|named|called|diagnosed|adopted|fostered|due|expecting|is my (?:ritual|thing|go-to|comfort|jam|kryptonite|weakness|usual|happy place|hobby)|married|engaged|divorced|scared of|afraid of|terrified of|"
    r"don't (?:eat|drink|smoke|drive|do|like|use|have|own|want|wear|touch)|dont (?:eat|drink|smoke|drive|do|like|use|have|own|want|wear|touch)|can't (?:eat|drink|have|do|drive|stand|swim|see|hear)|cant (?:eat|drink|have|do|drive|stand|swim|see|hear)|won't (?:eat|drink|touch)|wont (?:eat|drink|touch)|"
    r"(?:i|we) (?:(?:do|also|still|mainly|mostly|currently) )?(?:do|make|sell|fix|build|manage|design|handle|look after|care for|walk|bike|cycle|jog|swim|hike|climb|surf|ski|sail|row|draw|garden|meditate|pray|fast|smoke|vape|farm|brew|fish|stay|lodge|board|drive|ride|play|use|own|have|keep|teach|coach|study|speak|live|rent|work|run|sing|bake|knit|collect|grow|breed|foster|volunteer|commute|wear|take|code|write|train|eat|drink)|"
    r"(?:i|we)(?:'ve| have) (?:got|had|been)|i'm (?:a|an|in|on|from|based|learning|studying|training|into|not)|im (?:a|an|in|on|from|based|learning|studying|training|into|not)|we're (?:a|an|in|on|from|based|both)|my [a-z' ]{1,24}(?:is|are|'s)|(?:one|two|three|four|five|six|\d) (?:[a-z]+ )?(?:kids?|children|sons?|daughters?|boys?|girls?|cats?|dogs?|huskies|toddlers?|babies|teens|teenagers|pets|horses|chickens|hens|rabbits|kittens|puppies|bedrooms?|brothers?|sisters?)|"
    r"(?:eldest|youngest|oldest|lad|lass|little one|mother|father|son|daughter|kid|kids|wife|husband|mum|mom|dad|sister|brother|nan|gran|cat|dog|partner|hubs|hubby|missus|twins|girlfriend|boyfriend|fiance|fiancee|flatmate|roommate|cousin|aunt|uncle|niece|nephew)s?(?:'s| is| are| has| have| lives| works| loves| likes| prefers| enjoys| collects| hates| turns| wont| won't| can't| cant| can| starts| lands| named| called| who| passed| died| retired| snores| comes| goes| starts| works| plays| just| used| wants| gets| takes| needs| hates| suffers| speaks| drives| travels| stays)|this is my|i react|reacts?)\b"
)
"""What tells a lasting matter from a moment: the claims that a weak topic needs."""
DATE: Final = re.compile(
    r"\b(?:mon|tues?|wed|weds|thurs?|fri|sat|sun)(?:day|nesday|rsday|urday)?s?\b|\b(?:tomorrow|tmrw|tmr|next (?:week|month|year|term|summer|spring|autumn|fall|winter)|this (?:summer|spring|autumn|fall|winter|weekend|year|month)|(?:the )?\d{1,2}(?:st|nd|rd|th)|end of|"
    r"in (?:a|two|three|four|\d+) (?:days?|weeks?|months?)|until|till|til|by)\b|\b20[2-4]\d\b|\b(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|ember|ober)?\b|\bin may\b|\bmay \d|\d may\b|\b\d{1,2}(?::\d\d|\.\d\d)?\s?(?:am|pm)\b|\b\d{1,2}:\d\d\b"
)
NOT_BEGUN: Final = re.compile(
    r"^(?:and |but |so |also |just |plus |oh |yeah )*(?:reading (?:this|that|it|about|your)|live music|live (?:shows?|gigs?|your)|like (?:you|that|this|it|i|when|how|what|a|the|always)|love (?:you|that|this|it|how|the way|to hear|your)|hate (?:it|that|this)|no (?:way|worries|problem|doubt|idea|matter|need|thanks|clue|wonder|rush|pressure|one)|"
    r"not (?:sure|really|yet|much|bad|gonna|too|at all|that|so|only|to mention)|never (?:mind|a dull|thought|knew|give|stop|heard)|been (?:up|there|busy|so|a (?:while|long|few)|great|ages|wanting|thinking)|have (?:a|fun|you)|use (?:your|the|this|that)|take (?:a|your|it|the|care|one)|moving forward|keep (?:up|it|going|on|pushing|at|moving|doing|working|trying)|"
    r"works? (?:for me|out|hard|well|now|fine|again|great|perfectly)$|works? (?:for me|out|hard|well)|lost (?:my (?:train|temper|mind|place)|track|count)|don't (?:be|let|worry|forget|you|give)|don't know|start (?:with|by|small)|run (?:with|away)|into (?:the|it))\b"
)
"""Begins like a statement without its subject, and is none of the user."""
BEGINS: Final = re.compile(
    r"(?:and |but |so |also |plus |oh |ok |sure |fine |good |yea |yeah |yep |nah |nope |hmm |well |perfect |ta |actually |tbh |honestly |btw |cos |coz |cuz |bc |since |because |though |just |currently |still |now )*"
    r"(?:no|not|never|always|only|mostly|mainly|usually|normally|generally|strictly|rarely|can't|cant|cannot|couldn't|don't|dont|do not|won't|wont|didn't|haven't|havent|hate|love|prefer|adore|like|live|lives|lived|living|based|born|raised|grew up|work|works|worked|working|teach|teaching|"
    r"study|studying|drive|driving|play|playing|use|using|used to|run|running|take|taking|eat|eating|drink|drinking|sleep|train|training|learn|learning|speak|own|have|had|got|getting|been|being|came|moved|moving|started|starting|start|quit|left|retired|retiring|married|divorced|separated|engaged|"
    r"widowed|pregnant|expecting|turned|turning|diagnosed|allergic|intolerant|trying to|planning|saving|preparing|flying|travelling|traveling|going|leaving|renting|gave up|given up|stopped|switched|swapped|switching|packed|cut|on (?:a|an|the|nights|lates|earlies|shifts|call|days|meds|statins|insulin|keto|my|blood)|"
    r"in (?:recovery|remission|uni|my|year|grade|sixth|tech|finance|it)|type (?:1|2|one|two)|(?:\d+|one|two|three|four|five|six|seven|eight|ten) (?:years?|yrs|months?|weeks?|winters|kids|children|cats|dogs|boys|girls|sons|daughters|days|nights)\b|self-employed|lost|kicked|jacked in|came off|weaned|broke|tore|adopted|rescued|joined|joining|"
    r"doing|wearing|struggling|suffering|recovering|raising|bringing up|caring for|feeding|cooking for|looking after|celebrating|hosting|training|up at|awake|bed by|home by|off (?:the|sugar|alcohol|meat|dairy|gluten|caffeine)|fasting|avoiding|sober|clean|bought|sold|from|originally|native|fluent|half|full-time|part-time|"
    r"relocated|sitting|revising|observing|reading|keep(?:ing)? (?=an?\b|two|three|some|\d|chickens|hens|bees|goats|ducks|kosher|halal|shabbat|reptiles|fish|horses|rabbits)|ditched|sold|passed|paid|promoted|retraining|qualified|trained|single|gone|went|obsessed|hooked|addicted|fell in love|gave|scared|afraid|terrified|huge|big|massive|into|rent|left handed|saving|self|ex|name|age|height|weight|size|takes \d|budget|address|flat|apt|blood|diet|religion|hometown)\b"
)
"""How a clause begins whose dropped subject is the user."""
BEGINS_LASTING: Final = re.compile(
    r"(?:and |but |so |also |plus |oh |ok |just |currently |still |now |recently |ta |yep |yeah |nope |cos |cuz |bc |though )*(?:not |mostly |mainly |only |huge(?:ly)? |big |massive |always |usually )?"
    r"(?:live|lives|living|based|born|raised|work|works|working|teach|teaching|study|studying|drive|driving|play|playing|use|using|run|own|rent|renting|staying|stay|started|start|starting|quit|left|retired|married|moved|moving|joined|joining|learning|learn|speak|train|training for|adopted|rescued|raising|"
    r"relocated|sitting|revising|reading|observing|keeping|keep(?:ing)? (?=an?\b|two|three|some|\d|chickens|hens|bees|goats|ducks|kosher|halal|shabbat|reptiles|fish|horses|rabbits)|ditched|sold|passed|paid|promoted|got promoted|driving|on (?:an?|my|the|nights|lates|earlies|shifts|mat|call)|doc put me|using|taking|off (?:the|my)|(?:kicked|jacked in|came off|weaned (?:myself )?off) (?:the|my) (?!ball|door|bucket|wall|road|bike|phone|pitch)|retraining|qualified|trained|step free|used to|(?:phd|masters|uni|med|law|nursing|mba) student|from|native|fluent|lost|got (?:an?|two|three|my|season)|have|been|obsessed|hooked|addicted|fell in love|gave|saving|doing (?:my|an? (?:[a-z]+ )?(?:degree|phd|masters|course|diploma|mba|apprenticeship|btech|a-?levels?))|switched|swapped|gave up|stopped|scared|afraid|terrified|into|hate|love|prefer|like|can't|cant|cannot|don't|dont|won't|wont|never|no|full-time|part-time|half|originally|takes \d|in (?:my|year|sixth|uni))\b"
)
SELF_NOUN: Final = re.compile(r"\b(?:only|always|mostly|these days|now|pls|please|for me|daily|every)\b[^,.]{0,12}$")


NOTE: Final = re.compile(
    r"(?<!i'll )(?<!i will )(?<!i ll )(?<!ill )\b(?:save (?:my|this|that|it|as)|put (?:me )?down (?:that|as|for)|put (?:it|this|that) (?:down|in|on|to) my|note (?:that|down|this|it|my)|make a note|jot|write (?:it|this|that|down)[^.]{0,12}(?:down|to my|in my|on my)|add (?:it |this |that |to )+(?:my )?(?:profile|notes|account|file|memory)|"
    r"keep (?:it |this |that |them )?in (?:mind|memory)|bear in mind|for (?:future )?ref(?:erence)?|for the record|fyi|just so (?:you|u) know|(?<!i )(?<!we )(?<!still )remember(?: that| this|:| for me)|don't forget(?: that)? (?:i|my)|log (?:that|this|it|my)|my usual|as my usual|my default|my regular)\b"
)
MEASURED: Final = re.compile(
    r"\b(?:turn(?:ed|s|ing)? \d{1,2}\b|(?:us|uk|eu) ?(?:size )?\d{1,2}(?:\.5)?\b|size \w+|budget\b[^.]{0,14}\d|\d+(?:'\d+|ft\b| ?cm tall| ?cm(?=,? \d{2,3} ?(?:kg|lbs?|st)\b)| ?kg\b| ?lbs?\b)|born (?:on |in )?\d|^name:? [a-z]|\d (?:foot|feet) \d|\b\d{1,2}(?:\.5)? (?:us|uk|eu)\b|\b(?:wide|narrow) fit\b|\bowe\b[^.]{0,12}\d|(?:waist|chest|bust|collar|inside leg|inseam|hips) (?:is )?\d|^\d{2} ?[mf]\b|(?:earn|make|paid|salary|wage|rent)\b[^.]{0,16}\d|take (?:an? )?(?:small|medium|large)\b|wears? (?:an? )?(?:size|small|medium|large|x+l|xs|uk|us|eu)\b|under (?:£|\$|€|₹|rs\.? ?)\d+|(?:£|\$|€|₹)\d[\d,.]*k? (?:a|per) (?:month|week|day|year|night)|\d+% deposit)"
)
TIMES: Final = re.compile(
    r"\b(?:wake|waking|get up|getting up|up at|up by|bed (?:by|at)|asleep by|home (?:by|at|after)|in bed by|start(?:s|ing)? (?:work|at)|finish(?:es|ing)? (?:work|at)|clock (?:off|in)|knock off|lights out|dinner at|lunch at|tea at|school pick ?up|school run)\b[^,.]{0,16}?\d|"
    r"\b(?:free|available|around|reachable|contactable|home|off|working|in|out)\b[^,.]{0,14}\b(?:weekdays?|weekends?|mornings|evenings|afternoons|nights|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|(?:after|before|until|till|between|from) ?(?:noon|midday|\d|the kids|school|work|mon|tue|wed|thu|fri|sat|sun))|"
    r"\b(?:away|abroad|on (?:holiday|leave|vacation|hols)|out of (?:town|office|the country)|off work)\b[^,.]{0,14}\b(?:\d|from|until|till|next|in (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))|"
    r"\b(?:can't|cant|don't|dont|won't|wont|hate|never) do (?:mornings?|evenings?|nights?|weekends?|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|earl(?:y|ies)|lates?)\b|"
    r"^(?:[a-z'& -]{2,24} )(?:on |every )?(?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekends|weekdays|weekly|daily|every (?:single |other )?(?:day|week|morning|evening|night|weekend|sunday|monday|tuesday|wednesday|thursday|friday|saturday|mon|tues?|weds?|thurs?|fri|sat|sun))\b|"
    r"\b(?:i|we)(?:'m|'re|m| am| are| do|'ll)? ?(?:don'?t|do not|never|only)? ?(?:open|close|shut|closed)(?: up)?\b[^,.]{0,16}?(?:\d|noon|midday|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekends)|"
    r"\b(?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekends|weekdays|mornings|evenings|afternoons|nights)(?: and [a-z]+)? (?:i'?m|we'?re|i am|we are) (?:always )?(?:shut|closed|off|away|out|busy|at|on|in|working|not)\b|"
    r"^(?:(?:just|only|like|about|maybe|usually|max) )*(?:one|two|three|four|\d) (?:big |small |strong |black )?(?:coffees?|teas?|espressos?|cups?|cigs?|ciggies|smokes|beers?|pints?|meals?|naps?|walks?|energy drinks?|cans?)(?: of [a-z]+)? (?:before|after|by|until|a day|per day|every|max)\b"
)
"""When somebody is up, in, out, free, or regularly does something."""
ADDRESS: Final = re.compile(
    r"\b\d{1,5}[a-z]? (?:[a-z'.-]+ ){1,3}(?:st|street|ave|avenue|rd|road|ln|lane|dr|drive|blvd|boulevard|way|court|ct|place|pl|square|close|terrace|crescent|row|gardens|mews|hill|park|parade|grove|walk|view|rise|cross|main|nagar|layout|colony)\b|\b(?:flat|apt|apartment|unit|suite|house|door|plot|h\.?no)\.? ?(?:no\.? ?)?#?\d+[a-z]?\b|\b\d+(?:st|nd|rd|th) (?:cross|main|floor|phase|block|sector)\b|\bp\.?o\.? box \d+|\b[a-z]{1,2}\d{1,2}[a-z]? \d[a-z]{2}\b|\bpin ?code \d{6}|\bopp(?:osite|\.)? [a-z]+ (?:temple|mosque|church|school|park|station|mall|hospital)"
)


CONSEQUENCE: Final = (
    r"(?:\b(?:and|then|means?|is|are|equals|puts?|sends?|sent|lands?|landed|straight|off|trip|in|rushed)|=)(?: (?:i'?m|i am|it'?s|its|a|an|the|me|in|to|off|straight|basically|trip|call|another))* ?(?:\b(?:hospital|a&e|casualty|icu|resus|er|ambulance|999|911|epi-?pen|paramedics|emergency room)\b)|"
    r"\b(?:trace|bite|sip|taste|crumb|whiff|drop|mouthful|nibble|lick|sniff|it|one|they|that)\b[^,.!?]{0,16}\b(?:kills?|killed) me\b|\b(?:i|it|they) (?:nearly|almost) (?:died(?! of| laugh)|killed me)|\b(?:brings?|brought) me (?:out|up) in\b|\b(?:could|would|will) (?:be fatal|finish me off)\b"
)
"""What a body answers to a bite: "one bite = hospital for me"."""
REACTS: Final = re.compile(
    rf"{CONSEQUENCE}|\b(?:welts|comes? up (?:like|in)|(?:eyes|nose) (?:streams?|waters?|runs?|puff)|finish(?:es)? me (?:off)?|hives|rash|prick test|allerg\w+|anaphyla\w+|epipen|intoleran\w+|swell\w*|swollen|itch\w*|throat|come out in|break out|breakout|wheez\w+|(?:makes?|gives?|puts?|upsets?|turns?) (?:me|my)|in (?:a&e|hospital|er)|blotch\w+|(?:face|skin|lips?|eyes?|mouth|hands?|arms?|neck|scalp|cheeks?) (?:goes?|went|gets?|turns?|comes? up)(?: all| bright| really| so| dead)* (?:red|puffy|blotchy|numb|itchy|raw|lumpy|bumpy|flaky)|react(?:s|ed|ion)?|flare|sets (?:me|it) off|runs? (?:right )?through me|bloats?|vomit\w*)\b"
)
"""Talk of what a body does not tolerate: the food named beside it is meant."""


WORN: Final = re.compile(
    r"\b(?:knackered|tired|dodgy|bad|sore) (?=knee|back|hip|shoulder|ankle|wrist|elbow|neck|heart|lungs?|liver|foot|feet|leg|eyes?|ears?|joints?)"
)
"""Worn out is a part of the body, not its owner."""


def is_moody(words: str) -> bool:
    """Return whether a clause tells of the moment: a mood, a wish, something of today."""
    return bool(MOOD.search(WORN.sub(" ", words))) and not lexicon.FOR_NOW_EN.search(words)


HOME_IN: Final = re.compile(
    r"\b(?:(?:(?:keys|contracts?|lease|tenancy|deposit|offer|mortgage) (?:to|for|on|of) |(?:signed|signing|signs) (?:for |on )?(?:the lease (?:on|for) )?|exchanged (?:contracts )?(?:on )?|completed on |bought |buying |sold |closing on |closed on |renting |rented )(?:[a-z]+ ){0,3}?(?:flat|place|house|home|apartment|cottage|studio|bungalow|condo|maisonette|bedsit|room|townhouse|terrace|semi|penthouse|farmhouse|cabin|one[- ]bed|two[- ]bed|1[- ]bed|2[- ]bed|3[- ]bed)|"
    r"(?:moved|moving) in(?:to)?(?: [a-z]+){0,4}?|(?:finally |just |all )?unpacked|first (?:winter|summer|spring|autumn|month|year|christmas)|settl(?:ed|ing) (?:in|into)(?: [a-z]+){0,3}?|(?:our|my)(?: [a-z]+){0,2} (?:flat|house|home|apartment|cottage|studio|bungalow|condo|bedsit|allotment|garden|dorm|digs|landlord|landlady|gp|dentist|vet|office|school|gym|church|mosque|temple|local)) (?:in|at|near|outside) (?!the\b|a\b|an\b|my\b|our\b|general|person|advance|time|total|full)[a-z]|"
    r"\b(?:my|our) (?:[a-z]+ )?(?:commute|journey to work|drive to work|train to work|bus to work)(?:'s| is)? (?:is )?from [a-z]"
)
"""A home, or what is near it, with its town."""
NOT_HOME: Final = re.compile(
    r"\b(?:air ?bnb|hotel|hostel|villa|resort|rental car|hire car|holiday|weekend|trip|monopoly|sims|minecraft|game|dream(?:s|t|ed)?|film|novel|book|if|when|unless|hope(?:s|d)?|wish)\b"
)
"""A roof for some nights, or none."""
TRAVELS: Final = re.compile(
    r"\b(?:going|off|heading|flying|fly|travelling|traveling|driving|moving|coming|trip|cruise|away|back)\b(?: \w+){0,2}? (?:to|in|for|from) [a-z]+[^,.]*?\b(?:on the|\d{1,2}|next|this (?:summer|spring|autumn|fall|winter|weekend|month)|in (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|for (?:christmas|xmas|easter|eid|diwali|new year|thanksgiving|hanukkah|the (?:summer|weekend|week)|a (?:week|month|fortnight)|\d)|until|til|till|over (?:christmas|easter))"
)
"""A journey with its time."""
STATED_OCCASION: Final = re.compile(
    r"^(?:[a-z']+ ){0,2}(?:wedding|exam|interview|viva|surgery|operation|op|scan|appointment|parents'? evening|open (?:day|evening)|sports day|school play|nativity|christening|baptism|bar mitzvah|bat mitzvah|hen do|stag do|prom|rehearsal|audit|inspection|mocks|finals|check-?up|jab|vaccination|audition|tournament|flight|graduation|funeral|reunion|honeymoon|party|mot|passport|visa|lease|rent|insurance|licen[cs]e|subscription|permit|contract|anniversary|birthday|bday|b'day|due date|marathon|recital|deadline|thesis|dissertation)(?:'s)? (?:is |are |'s )?(?:\d|in|on|at|due|by|expires?|expired|expiring|runs? out|ends|needs renewing|up for renewal|this|next|tomorrow|tmrw|(?:mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?)\b|"
    r"\b(?:for|before|after|on|of) (?:my|our|the|an?)? ?(?:[a-z]+ )?(?:anniversary|birthday|bday|wedding|interview|exam|viva|surgery|operation|op|graduation|funeral|reunion|honeymoon|baby shower) (?:is |which is |that's )?(?:on|next|this|in) (?:the )?(?:\d|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|week|month)"
)
"""An occasion or a document with its time or place, which is the user's though no word says so."""
DUE: Final = re.compile(
    r"^(?:[a-z'-]+ ){1,4}?(?:is |are |'s )?(?:due|up|expires?|expiring|needs? (?:doing|renewing|paying|filing|sorting|handing in)|runs? out|ends|booked|scheduled|moved to|is on|'s on|at)\b"
)
DATED: Final = frozenset({Topic.OCCASION, Topic.PAPERS, Topic.STUDY, Topic.HOME, Topic.WORK, Topic.HEALTH})
FIRST: Final = re.compile(r"\b(?:i|i'm|im|ive|i've|i'd|i'll|my|mine|me|myself|we|we're|we've|our|us)\b")
IDLE_ME: Final = re.compile(
    r"\b(?:give|tell|show|send|help|let|find|get|remind|teach|book|make|recommend|suggest|explain to|text|call|nag|ask) (?:me|us)\b|\blet me\b|\bexcuse me\b|\bdear me\b|\bi (?:think|guess|mean|see|know|hope|wonder|bet|suppose)\b"
)


PAST: Final = re.compile(
    r"\b(?:i|we|my [a-z]+|our [a-z]+)(?: [a-z]+ly| just| also| finally| even| once| then| never)? (?:was|were|went|had|got|burnt|froze|hurt|hit|fell|woke|chose|learnt|built|sent|paid|spilt|understood|bent|blew|caught|threw|saw|ate|made|took|bought|tried|watched|met|found|came|did|said|told|gave|felt|thought|knew|ran|won|lost|sat|stood|left|brought|wrote|sang|drove|flew|swam|spent|began|heard|forgot|kept|(?!need|feed|breed|speed|embed)[a-z]{2,}ed)\b"
)
"""Told of the past: lasting only if a word says so."""
MOMENT: Final = re.compile(
    r"\b(?:i'm|im|i am|we're|we are)(?: just| so| really| very| also| all| still| currently)* (?:making|cooking|watching|eating|having|drinking|heading|waiting|sitting|standing|about|on my way|going|gonna|off|at|here|so|really|very|just|glad|happy|excited|sure|sorry|proud|thrilled|grateful|thankful|lucky|good|great|fine|ok|okay|doing|ready|done|back|trying|thinking|looking|hoping|gonna|"
    r"creating|enjoying|loving|getting|rooting|asking|wondering|calling|contacting|following|referring|writing to|messaging|curious|interested|pumped|stoked|keen to)\b|\b(?:i'll|i will|we'll|gonna|let's|let me|i need|i want|i hope|we hope|i wish|i feel|i see|i get (?:it|that)|i know|i agree|i appreciate|i remember|i understand (?:that|how|what|why|your)|i believe|i guess|i bet|i swear|i promise|i admit|i notice|i wonder|we should|we need|we want)\b|"
    r"\b(?:is|are|'s|'re) (?:dead|cold|late|killing me|not working|frozen|stuck|slow|playing up|acting up|freezing|coming along|looking|going|great|amazing|awesome|so|beautiful|important|over|open|closed now|ready|back)\b"
)
"""A state of the moment, a feeling or an opinion."""
FAN: Final = re.compile(
    r"\b(?:massive|huge|big|lifelong|die-?hard|proper|total|keen) (?:[a-z&'-]+ ){1,3}?(?:fan|nerd|geek|lover|buff|head|fanatic)\b|\b(?:i|we) support (?!you|your|that|this|it|the)[a-z]|\bseason tickets?\b"
)
TREATED: Final = re.compile(
    r"\b(?:put me on|started me on|prescribed (?:me )?|i(?:'m| am|m)? (?:on|take|taking)|^(?:been |currently |still |just )?(?:on|taking)) (?:[a-z]+ ){0,2}?(?:[a-z]+(?:pril|sartan|statin|olol|prazole|oxetine|traline|azepam|cillin|mycin|formin|gliptin|tide|mab|nib|xaban|thyroxine|profen|dipine|triptan|codone)|\d+ ?mg|tablets|pills|meds|medication|injections?|steroids)\b|\bdiagnosed (?:with )?[a-z]"
)
SUFFERED: Final = re.compile(
    r"\b(?:had|having|have|has|got) (?:an? |my |two |three )?(?!look\b|chat\b|nap\b|headache\b)"
)


WISHFUL: Final = re.compile(
    r"\b(?:i'd|id|we'd|would|could|might|should|tempted|can't wait|cant wait|looking forward|remember (?:this|that|when|the)|reminds?|look at|check out|here's|imagine|the (?:other|first) (?:day|time)|once|thinking (?:of|about))\b"
)
TO_YOU: Final = re.compile(
    r"\b(?:your|yours|you're|you've|(?<!so )(?<!can )(?<!could )(?<!when )(?<!why )you(?! (?:can|could|stop|know)))\b"
)
