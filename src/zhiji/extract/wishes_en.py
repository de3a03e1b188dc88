"""Standing wishes in English: how the assistant shall write, call, book or deliver from now on."""

from __future__ import annotations

import re
from typing import Final

EVER: Final = re.compile(
    r"\b(?:from now on|from here on|from today|going forward|in (?:the )?futures?|next times?|every ?time|each time|all times|by default|as default|for all (?:my|future|next)|always|whenever(?!\s*(?:[,.!?]|$))|ever|as (?:a|my) (?:rule|default|usual)|permanently|for good|never again|when(?:ever)? (?:you|u) (?:write|send|reply|answer|call|text|email|deliver|explain|book|give))\b"
)
_WISHED: Final = re.compile(
    r"(?:^|[,.;!] ?|\b(?:and|but|so|also|please|pls|kindly|can (?:you|u)|could (?:you|u)|want you to|always|never) )(?:always |never )?(?:use|call|send|text|message|reply|answer|respond|include|show|give|keep|put|speak|talk|refer|address|remind|check|ask|ship|deliver|leave|write|add|start|end|email|round|convert|cite|explain|assume|book|pick|"
    r"choose|seat|ring|knock|do|make|be|stop|avoid|skip|drop|don't|dont|do not|no|only|format|default|prefer|treat|stick|go|get|order|buy|play|set|say|refer|spell|sign|mention|list|wait|tell)\b"
)
STOP: Final = re.compile(
    r"(?:^|[,;] ?|\b(?:and|but|so|also|please|pls|kindly|can (?:you|u)|could (?:you|u)|actually|ok|hey|just|though|tho) )(?:(?:stop|quit|no more|enough with(?: the)?|drop|skip|lose|ditch|scrap|cut out|cut) (?:the |your |all (?:the )?|with (?:the )?)?(?:calling|ringing|texting|emailing|messaging|recommending|suggesting|sending|showing|using|adding|asking|"
    r"putting|giving|booking|addressing|saying|writing|offering|pushing|emojis?|smileys|bullet|bullets|lists|jargon|fluff|waffle|small ?talk|exclamation|disclaimers|apolog\w+|markdown|notifications?|reminders? (?:about|for)|newsletters?|promos?|marketing|alerts|wine|meat|pork|[a-z]+ (?:pairings|recipes|suggestions|recommendations|recs|tips|emails|texts|calls|ads))|"
    r"(?:don't|dont|do not|never|pls don't|please don't|no)(?: ever)? (?:call|ring|text|email|message|recommend|suggest|send|show|use|schedule|book|plan|leave|put|add|give|address|ask|deliver|knock|phone|contact|disturb|push|offer|include|mention|remind|wake|calls|emojis?|emoji|texts?|phone calls|small ?talk|fluff|jargon|bullet|lists|markdown|exclamation|smileys|notifications)\b)"
)
_STOP_NOT: Final = re.compile(
    r"\b(?:don't|dont|do not) (?:call it|ask me (?:how|why)|give up|put (?:it )?off|leave me hanging|use it (?:much|often))|(?:give|send|show|tell|call|ask|text|email|offer) (?:him|her|them)\b|stop (?:it|that)\b|\bi (?:don't|dont|do not|never|can't|cant) "
)
_FORMAT: Final = re.compile(
    r"\b(?:bullets?(?: points?)?|emojis?|sentences|words|paragraphs?|font|tone|formal|informal|casual|metric|imperial|celsius|fahrenheit|plain english|short(?:er)?|brief|concise|detailed|step by step|sources|citations|examples?|dark mode|large print|summary|summaries|tables?|jargon|fluff|waffle|small talk|corporate speak|preamble|markdown|spelling|pounds|dollars|euros|24h|24 hour|tl;?dr)\b"
)
_MANNER_WISH: Final = re.compile(
    r"(?:\b(?:prefer|want|need|like|give me|keep|make|use|in|with|only)\b|>|\bpls\b|\bplease\b)"
)
_CONTACT: Final = re.compile(
    r"\b(?:(?:only |just |please |pls |can )?(?:call|ring|text|email|message|whatsapp|reach|contact|phone) (?:me )?(?:only |just )?(?:on|via|by|after|before|between|in the|at|instead)\b|calls? (?:only |after|before|between)|calls before|calls after|(?:ring|press|use|knock)(?: on)? the (?:bell|buzzer|door|window|gate|doorbell)|(?:get|ask|tell) (?:them|him|her|the (?:driver|courier|postie)) to\b|"
    r"(?:doorbell|buzzer|intercom|bell|lift|elevator)(?:'s| is| does ?n[o']?t|doesnt| doesn't| broken| not)|gate (?:closes|code|opens)|leave (?:it|them|parcels?|packages?|deliveries) (?:with|at|by|in|behind|on|under|round|next)|safe place|(?:take|make|do) (?:calls|meetings|video calls)|come (?:before|after|between|round after|anytime after)\b|no calls|only (?:text|email|message|whatsapp|call|ring|phone) me\b|(?:text|email|whatsapp|message|texts|emails) (?:is|are) (?:best|better|fine|easier|preferred|ok)\b|(?:before|after) (?:noon|\d{1,2}(?::\d\d)?\s?(?:am|pm)?)(?: that)? only|only (?:before|after) )"
)
_MANNERS: Final = re.compile(
    r"\b(?:refer to|address|call|treat|talk to|speak to|write to) me (?:as|like)\b|\b(?:hate|don't like|dont like|do not like|prefer|like|want|rather) (?:being|to be|be) (?:called|addressed)\b|\b(?:talk|speak|reply|write|answer|respond|chat)(?: to me| back| with me)?(?: only)? in (?!the|a\b|an\b|my|your|this|person|detail|future|general|time)[a-z]+|"
    r"\b(?:you|u) can (?:skip|drop|leave out|ditch|lose) the\b|\b(?:don't|dont|do not|no need to|never) (?:sugar ?coat|waffle|baby|patroni[sz]e|lecture|hedge|ramble|apologi[sz]e|pad)\b|\b(?:send|post|mail|deliver|ship|forward) (?:the |all |my |any )?(?:bills?|invoices?|statements?|letters?|mail|post|stuff|everything|parcels?|packages?|deliveries) (?:to|at|round)\b|\b(?:longer|shorter|simpler|quicker|more detailed|fuller|briefer|simple|short|brief|plain) (?:answers?|replies|sentences|words|language|explanations?|english)\b|"
    r"\bexplain (?:it |things |everything |stuff )(?:like|as if|simply|slowly)\b(?![^.]*\b(?:what|how|why)\b)|\b(?:ring|knock|buzz|press) (?:once|twice|loud(?:ly)?|hard|quietly|gently|softly)\b|^(?:[a-z'-]+ ){1,4}only(?: pls| please| thanks| thx)?$|^(?:all )?(?:prices?|times?|dates?|units?|distances?|temps?|temperatures?|amounts?|costs?) (?:only )?in [a-z]+|"
    r"\b(?:12|24)[ -]?(?:h|hr|hour)s? (?:clock|time|format)\b|\b(?:ask|give|tell|show|send|walk)\b[^.]{0,14}\bone (?:question|step|thing|idea) at a time\b|\bone (?:question|step|thing|idea) at a time (?:pls|please)|\bkeep (?:it|things|everything) (?:simple|short|brief|plain|basic|casual|formal)\b|\b(?:don't|dont|do not) bother with\b|\b(?:need|use|turn on|want) (?:captions|subtitles)\b|\bjust (?:code|the code|the answer|the facts|links?)\b|\bno (?:spoilers|waffle|fluff|sugar ?coating|corporate speak|baby talk|lectures?|preamble|chit ?chat|small ?talk)\b"
)


_WHENEVER: Final = re.compile(r"(?:when|whenever|every ?time|any ?time|if) (?:you|u|we|i)(?:'re|'m)? ")
_ALWAYS_WANTS: Final = re.compile(
    r"\bi(?: always| only| never| usually|'d always|'d rather| would rather)* (?:want|prefer|need|like|rather|go for|choose|take|pick)\b|\b(?:always|never|only|please|pls) "
)
"""What somebody wants each time: "when you suggest hotels I always want somewhere quiet"."""


def is_wish(folded: str) -> bool:
    """Return whether a run says how the assistant shall behave from now on."""
    if _COMPLAINT.search(folded) or _CHEERS_ON.search(folded):
        return False
    words = folded.strip()
    if re.match(
        r"(?:(?:ok|but|and|also|so|then|yes|yeah) )*(?:i'?ll|i will|we'?ll|we will) (?!need|want|always|only|prefer)",
        words,
    ):
        return False
    if STOP.search(words) and not _STOP_NOT.search(words):
        return True
    if _WHENEVER.match(words) and _ALWAYS_WANTS.search(words):
        return True
    if EVER.search(words) and (_WISHED.search(words) or _FORMAT.search(words)):
        return not re.search(
            r"\b(?:i|we|he|she|they|it|you|u)(?:'ve|'s|'m|'re)?(?: \w+)? (?:always|never|ever)\b", words
        )
    if (
        _FORMAT.search(words)
        and _MANNER_WISH.search(words)
        and re.search(
            r"^(?:also |and |pls |please |just )*(?:no|use|keep|bullets?|short|only|plain|metric|make|give me|just|i prefer|prefer|i want|i like|answers?|replies|reply|respond|write)\b",
            words,
        )
    ):
        return bool(
            re.search(
                r"\b(?:repl|answer|respon|pls|please|always|never|ever|emoji|bullet|jargon|fluff|waffle|speak|prefer|metric|imperial|celsius|fahrenheit)",
                words,
            )
        )
    return bool(_CONTACT.search(words) or _MANNERS.search(words))


OF_THEM: Final = re.compile(
    r"(?:they|he|she|it|this|that|these|those|there)(?:'s|'re)?\b(?! (?:always )?(?:ring|call|knock|leave|deliver))"
)
_CHEERS_ON: Final = re.compile(
    r"\b(?:yourself|yourselves|give up|keep (?:going|it up|up|pushing|at it|smiling|shining|on|working|doing|fighting|in touch|me posted)|have (?:fun|a)|don'?t (?:worry|let|forget|be|stress|sweat|mind|think|know)|too much pressure|take care|good luck|dreams?)\b"
)
"""What friends tell each other, and no wish to an assistant."""
_COMPLAINT: Final = re.compile(
    r"\bnever again\b|\byou(?:'re| are)? always\b|\b(?:it|they|he|she|app) always\b|as always|always (?:wanted|dreamed|remember|there for|here for|fun|great|nice|good|be )|\b(?:i'll|will) (?:always|never)|worst|won't order|last chance|never (?:arrived|came|turned|got|heard|been|seen|thought|knew)"
)
