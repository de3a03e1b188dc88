"""Messages that only mean something behind the assistant's question: a "yes", a bare name, a bare address."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from zhiji.extract.facts import Found, Lang, found_at, retell, tidy
from zhiji.extract.fold import fold
from zhiji.extract.view import Clause, View
from zhiji.types import Draft

_YES: Final = re.compile(
    r"^(?:\s*(?:嗯+|恩+|好|对|是|哈|噢|哦|哎|诶))*\s*(?:(?:(?:是|对|好|行|要|成|中|可以|没问题)+(?:的|头|滴|哒|嘞|喔|哦|吖|耶|呢|啊|呀|吧|啦)*|嗯+|恩+|(?:那)?(?:敢情|当然|自然|再)好(?:不过)?|求之不得|妥(?:妥|当|了|的)*|没错|没毛病|正确|正解|记吧|记住吧|记着吧|确认|同意|当然|必须的?|系|系呀|啱|冇错|没错|得(?:啦|喇|了|的|呀)*|照旧|就这(?:个|样|么)?(?:吧|办|定)?|懂我|你懂我|(?:你)?真懂我|太懂我|"
    r"ok(?:ay|ie)?|yes|yeah|yea|yep|yup|yh|ye|yas+|sure(?: thing)?|correct|right|exactly|please do|please|that'?s right|that'?s it|go ahead|go on(?: then)?|go for it|of course|ofc|absolutely|definitely|indeed|spot on|bingo|perfect|sounds (?:good|great)|that works|do it|do that|deal|why not|great idea|good idea|you got it|you read my mind|nailed it|mhm|aye|y|affirmative|100%)(?=$|[\s,.!。~啊呀哦的吧]|[^\w]|多?谢|辛苦|麻烦[你您了])|[👍👌🙆✅💯🙌]|嗯+(?![\s,]*(?:不|别|没))|(?:老样子|老地方|照旧|是呀|是啊|系呀)|(?:第[一二]个[^,。!?\s]{0,3}[不别][^,。!?\s]{0,2}[\s,]+)?(?:第[一二]|前面?那?|后面?那?)个?(?:可以|要|对|行|好|是)|(?:the )?(?:first|second|former|latter) (?:one )?(?:yes|please|only|is fine|ok)|(?:just|only) the (?:first|second|former|latter))"
)
_THUMB: Final = re.compile(r"\s*[👍👌🙆✅💯🙌]")
"""Folding makes commas of emoji."""
_NO: Final = re.compile(
    r"^\s*(?:不|别|没(?!问题|错|毛病)|no\b|nope|nah|not\b|don'?t)|^.{0,6}[\s,](?:那|但|不过|还是)*(?:我|咱)?(?:再|先)(?:想|考虑|看看|说|等|问)|算了|别问"
)
_DECLINES: Final = re.compile(
    r"(?:(?:还是)?(?:别(?:记|存|了)?|不(?:用|要|必|需要|使|好)|算了|免了)(?:了|吧|啦|喇|麻烦|记|存)*|\b(?:don'?t|do not|dont|no|nope)(?: (?:bother|worry|remember|save|keep|do|it|that|thanks|thank you))*)[\s,.!。~]*$"
)
"""Ends an answer with a no, whatever it begins with."""
JOINT: Final = " — "
"""Between a request and the detail that was asked back and agreed to."""
_ASK_STANDING: Final = re.compile(
    r"(?P<zh>(?:以后|之后|今后|往后|默认|每次|每[天周月晚]|次次|固定|都|还是|设[成为]|存[成为]|当[成作]|记[成为])[^?。!\n]{2,60}?)(?:,?\s*(?:您|你)?(?:看|觉得)?(?:可以吗|可以么|好吗|好不好?|行吗|行么|行不行?|成吗|成不成?|中不中?|要吗|要不要|对吗|对吧|是吗|怎么样|如何|咋样|得不得?|可不可以|ok吗|吗|么|吧|呢))?\s*\?|"
    r"(?:(?:shall|should|can|may|could|do you want me to|would you like me to|want me to|ok(?:ay)? (?:to|if i))(?: i)? |^(?=keep|still|always|same|continue))(?P<en>(?:(?:always|never|keep|default to|stick to|continue)\b[^?.!\n]{3,100}|(?:save|set|make|keep|use|add|put|always|note|default|store|mark|stick|continue|avoid|skip|leave|book|order|send|seat|remind)\b[^?.!\n]{3,100}?(?:as (?:your|the)|default|usual|always|every|each|from now on|in future|going forward|for (?:all|future)|on (?:all|file|your)|each time|monthly|weekly|daily|fortnightly|yearly|quarterly|recurring|permanent\w*|subscription|automatic\w*|standard|profile|preference|regular)[^?.!\n]{0,40}))\?"
)
_ASK_DETAIL: Final = re.compile(
    r"(?:^|[。!.,\n]\s*)(?:是|就是|还是|那是|是不是)?(?P<zh>[^?。!,\n]{0,20}(?:[一二三四五六日天\d]点|[点时]半|周[一二三四五六日]|\d[号日]|月|上午|下午|晚上|:\d\d)[^?。!,\n]{0,20}?)(?:,?(?:对吗|对吧|是吗|吗|吧|可以吗|好吗))?\?|"
    r"(?:^|[.!,\n]\s*)(?:so |and |ok(?:ay)?,? )?(?:is (?:that|it|this)|that'?s|that is|so it'?s|for|on|at|make it)? ?(?P<en>[^?.!\n]{0,30}(?:\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d ?(?:am|pm)\b|\d:\d\d|\b\d{1,2}(?:st|nd|rd|th)\b)[^?.!\n]{0,30}?)(?:, (?:right|correct|yes|ok))?\?"
)
_PARTLY: Final = (
    (re.compile(r"(?:第二|后一?|后面|后边|下面|另)(?:个|那个|一个|项|条|的)?[^,。!?\s]{0,4}(?:不|别|免|算|没)|\b(?:second|2nd|latter|last|other) (?:one |bit |part )?(?:no|nah|nope|not|isn'?t)|(?:not|no to|skip|drop|leave|forget) the (?:second|2nd|latter|last|other)"), -1),
    (re.compile(r"(?:第一|前一?|前面|前边|上面)(?:个|那个|一个|项|条|的)?[^,。!?\s]{0,4}(?:不|别|免|算|没)|\b(?:first|1st|former) (?:one |bit |part )?(?:no|nah|nope|not|isn'?t)|(?:not|no to|skip|drop|leave|forget) the (?:first|1st|former)"), 0),
    (re.compile(r"(?:只|就)(?:要|记|用)?(?:第一|前面|前一)|\b(?:just|only) the (?:first|1st|former)|first (?:one )?only"), -1),
    (re.compile(r"(?:只|就)(?:要|记|用)?(?:第二|后面|后一)|\b(?:just|only) the (?:second|2nd|latter)|second (?:one )?only"), 0),
)  # fmt: skip
"""What a user leaves out of two questions: the last or the first."""
_ASK_REMEMBER: Final = re.compile(
    r"(?:要|需要|是否|要不要|可以|想|可否|能否)(?:我)?(?:帮(?:您|你|忙))?(?:我)?(?:把)?(?:记住|记下|记低|记录|记一下|记着|保存)(?:一下)?(?P<zh>[^?。!\n]{2,80}?)(?:吗|么)?\?|"
    r"(?:shall|should|can|may|do you want me to|would you like me to|want me to)(?: i)? (?:remember|save|note|keep in mind)(?: down)?(?: that)? (?P<en>[^?.!\n]{3,120})\?"
)
_ASK_TRUE: Final = re.compile(
    r"(?:^|[。!,.\n\s])(?P<zh>(?:您|你)(?!们)[^?。!,\n]{2,60}?)(?:,?(?:对吧|对吗|是吗|是吧|没错吧|吗|吧))\?|(?:^|[。!\n])(?P<bare>[^?。!\n]{3,40}?),?(?:(?P<sure>对吧|对吗|没错吧)|(?<=[\u4e00-\u9fff\d])吗)\?|"
    r"(?:^|[.!?\n]\s*|so |just to confirm,? )(?P<en>(?:you(?:'re| are| have| live| work| like| prefer|r)|your)\b[^?.!\n]{3,80}?)(?:,? (?:right|correct|is that right|yes|isn't it))?\?|"
    r"(?:^|[.!?\n]\s*)(?:(?:is|are) (?P<held>[^?\n]{3,60}?) still (?P<kept>your [a-z ]{3,24})|(?:is|are) (?P<what>your [a-z ]{3,20}?) (?:still |now )?(?P<value>[^?\n]{3,80})|(?:do|are) (?P<verb>you (?:still |now |also )?(?:live|work|prefer|eat|drink|speak|drive|smoke|wear|take|have (?:an? |any )?(?:\w+ )?(?:dogs?|cats?|pets?|kids|children|car|allerg\w+)|allergic|vegan|vegetarian|married|from|based|left-handed)\b[^?.!\n]{0,80}))\?"
)
_IS_OFFER_OF_HELP: Final = re.compile(
    r"(?:还|需要|还有|要)[^?。!]{0,6}(?:需要|帮|别的|其他|什么)[^?。!]*\?|anything else|can i help|would you like"
)
"""A yes to it states nothing about the user."""
_OFFER: Final = re.compile(r"记[住着下]|记录|remember|save|note (?:that|it)|keep (?:that|it) in mind")
_SLOTS_ZH: Final = (
    (r"怎么称呼|贵姓|(?:您|你)的?(?:姓名|名字)|叫什么", "我叫{}"),
    (r"(?:收货|收件|配送|详细|新的?)?地址(?!已)", "我的收货地址是{}"),
    (r"手机|电话|联系方式", "我的手机号是{}"),
    (r"邮箱", "我的邮箱是{}"),
    (r"过敏", "我对{}过敏"),
    (r"生日", "我的生日是{}"),
    (r"哪个?城市|住在?哪|在哪里?(?:住|生活)", "我住在{}"),
    (r"多大|几岁|年龄", "我今年{}"),
    (r"职业|做什么工作|什么工作|从事", "我的职业是{}"),
    (r"忌口", "我不吃{}"),
)  # fmt: skip
_SLOTS_EN: Final = (
    (r"your (?:full |first )?name|who am i speaking|call you", "my name is {}"),
    (r"address", "my address is {}"),
    (r"phone|number (?:can|should|to)", "my phone number is {}"),
    (r"e-?mail", "my email is {}"),
    (r"allerg", "i'm allergic to {}"),
    (r"birthday|date of birth", "my birthday is {}"),
    (r"where (?:do|are) you (?:live|based|located)|which city|what city", "I live in {}"),
    (r"how old(?! (?:is|was|were|are (?!you\b)))", "I am {}"),
    (r"what do you do|your (?:job|occupation|profession)", "my job is {}"),
)  # fmt: skip
MAX_ANSWER_CHARS: Final = 60


_ASKS_WHEN: Final = re.compile(
    r"几[点号月时日天]|什么时[候间]|何时|哪[一]?[天日]|周几|星期几|礼拜几|几时|边日|多久一次|多[长久]时间|\b(?:when|what (?:time|day|date|month)|which (?:day|date|night|morning|evening)|how often|at what time)\b"
)
_TIME: Final = re.compile(
    r"周[一二三四五六日天末]|星期|礼拜|[号日点月]|每[天周月晚早]|[一两二三四半\d]个?小时|每小时|今|明|后天|早|晚|上午|下午|中午|\b(?:mon|tues?|wed(?:nes)?|thur?s?|fri|sat(?:ur)?|sun)(?:days?)?\b|\b(?:today|tonight|tomorrow|tmrw|tmr|weekends?|noon|midnight|mornings?|evenings?|nights?|every|week|month|daily|weekly|monthly|jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\b|\d ?(?:am|pm)\b|\d:\d\d|\d(?:st|nd|rd|th)\b"
)


def time_told(question: str, view: View) -> Clause | None:
    """Return the first clause of a message, if it names the time that the assistant has asked for."""
    first = view.clauses[0]
    asked = [sentence for sentence in re.findall(r"[^?。!.]*\?", fold(question)) if _ASKS_WHEN.search(sentence)]
    named = _TIME.search(view.folded, first.start, first.end)
    return first if asked and named and "?" not in first.mark and not _NO.match(view.folded) else None


_AMENDS: Final = re.compile(
    r"\s*(?:(?:no|nope|nah|not that|rather not|不(?:是|要|行|用|对|了)?|没|别)(?:啊|呀|了|的|吧|喔|哦)*(?:[\s,.!]+|(?=改|要|还是))(?:sorry[\s,]*)?)"
    r"(?:(?:make (?:it|that)|let's do|let's make it|can (?:we|you) (?:do|make it)|do|还是|改成?|要|就|应该是|是)\s*)*(?P<v>[^,.!?。;\n]{2,40})"
)
_RATHER: Final = re.compile(
    r"\s*(?:(?:better|rather|maybe|how about|make it|let's do|那|还是|就|改成?|换成?)\s*)*(?P<v>[^,.!?。;\n]{1,20}?),?\s*(?:actually|instead|rather|please|pls|better|works(?: better)?|吧|就好|就行|就可以|好了|得了|更好|先啱)\W*"
)
"""Names another time than the question proposed, with no word of no: "the 3rd, actually", 两小时吧."""
_GUESS: Final = re.compile(
    r"是不是|是因为|是(?:要|给|和|跟|为|去|想|带)|\b(?:is (?:it|that|this)|are you|because|for (?:your|a))\b"
)
BOOKS: Final = re.compile(
    r"(?:帮|给|替|请|麻烦)[^,。!?\n]{0,4}(?:订(?!单)|定|约|预|留|改|安排|设|报|挂|点|写|请|买|找|选)|^\s*(?:订(?!单)|预[订约]|约|挂|提醒)|(?:想|要)(?:订(?!单)|约|预[订约]|报名|买|请假)|\b(?:book|reserve|schedule|set up|arrange|order (?:me|us|an?|some|two|more)|sign me up|put me down|put (?:the|my|our|a) (?:booking|reservation|table|order|name)|get me|remind me)\b"
)
"""A short request whose details the assistant settles."""


def amended(question: str, said: str) -> tuple[int, int] | None:
    """Return where a folded message names what it wants instead of what the assistant's question proposed, or None."""
    asked = [part for part in re.findall(r"[^?。!]*\?", fold(question)) if _GUESS.search(part) or _TIME.search(part)]
    named = _AMENDS.match(said) or _RATHER.fullmatch(said) if asked else None
    if named is None or re.match(r"thank|problem|need|worr|我|i\b|it'?s\b|用|谢|了\b|必", named["v"]):
        return None
    timed = _TIME.search(asked[-1]) and (_TIME.search(named["v"]) or re.search(r"\d", named["v"]))
    guessed = _GUESS.search(asked[-1]) and re.search(r"[一-鿿]{3}", named["v"])
    return named.span("v") if timed or guessed else None


_DENIAL: Final = re.compile(
    r"\s*(?:诶|哎|啊|哦|哈|可是?|但|我们?|家里?|人|现在|又|可|并|才|真|根本|从来|压根|已经|早就?|也|都|\s)*(?:不是|不在|不住|不姓|不叫|没在|没有|没养|没住|不属)(?P<zh>[^,。!?\s]{2,10}?)(?:的|了|啊|呀|啦|哦|哈|喔|呢)*\s*|"
    r"\s*(?:um+|er+|well|wait|lol|haha|but|hey|actually|\s)*(?:i'?m not|i am not|i'?ve never|i don'?t|i do not|i never|(?:it|that)'?s not|not)(?: (?:from|in|at|an?|the|have|own|get|do|use|need|play|study|live|work|been|into|married|called|near|to|my))*(?: (?P<en>[a-z][\w'-]+(?: [\w'-]+){0,2}?))(?: (?:lol|haha|tho|though|though|btw|at all|actually))*\s*|"
    r".*\b(?:no (?:idea|clue)|idk|dunno|don'?t know)(?: \w+)? (?:who|what)\b.*"
)


def denies_guess(words: str, asked: str, earlier: str) -> bool:
    """Return whether a clause says no more than that what the assistant assumed is not so: 我不在武汉, "I'm not a student"."""
    folded = fold(words)
    found = _DENIAL.fullmatch(folded) if len(folded) <= MAX_ANSWER_CHARS else None
    if found is None:
        return False
    what = found["zh"] or found["en"] or ""
    return what in fold(asked) and (not what or what not in fold(earlier))


def is_yes(text: str) -> bool:
    """Return whether a message begins by agreeing, and does not end by declining: "yes please", not "ok, don't"."""
    folded = fold(text)
    return bool(_YES.match(folded) or _THUMB.match(text)) and not _DECLINES.search(folded)


@dataclass(frozen=True, slots=True)
class Agreed:
    """What a "yes" agrees to, in the first person."""

    words: str
    stands: bool
    """Kept even if no rule reads it: remembering was offered, or it shall hold from now on."""
    detail: bool = False
    """Only a detail, such as a day, of what the user asked for before."""


def confirmed(question: str, answer: str) -> list[Agreed]:
    """Return what a message agrees to of what the assistant asked; of several questions the last, or those it does not refuse."""
    folded = fold(question)
    said = fold(answer)
    sentences = (question[slice(*found.span())] for found in re.finditer(r"[^?]*\?", folded))
    asked = [ask for sentence in sentences if (ask := _proposal(sentence))]
    if len(asked) > 1 and (wanted := [ask for ask in asked if _wants(said, ask.words)]):
        return wanted
    verb = (
        len(asked) == 1
        and "还是" not in folded
        and asked[0].stands
        and 0 < len(said.strip()) <= MAX_VERB_CHARS
        and said.strip() in folded
    )
    if not (is_yes(answer) or verb) or _NO.match(said):
        return []
    refused = [at for pattern, at in _PARTLY if len(asked) > 1 and pattern.search(said)]
    if refused:
        asked.pop(refused[0])
    elif len(asked) > 1:
        named = [ask for ask in asked if _repeats(said, ask.words)]
        asked = named or asked[-2 if _BACK.search(fold(asked[-1].words)) else -1 :]
    return asked


MAX_VERB_CHARS: Final = 2
"""An answer that only repeats the verb of the question is no longer: "要为您开发票吗？" "开"."""
_WANTED: Final = re.compile(r"(?:可以|行|要|好|得|ok|yes|fine|please)(?:的|啊)?$")


def _wants(said: str, words: str) -> bool:
    """Return whether an answer to several questions names this one and wants it: "闪送可以 续费不要"."""
    return any(
        _WANTED.search(clause) and not _PARTIAL_NO.search(clause) and _repeats(clause, words)
        for clause in re.split(r"[\s,。.!;]+(?=[一-鿿])|[,.;!]\s*", said.strip())
    )


_PARTIAL_NO: Final = re.compile(r"不|别|没|\bno\b|\bnot\b|don't")


def _repeats(said: str, words: str) -> bool:
    """Return whether an answer repeats a word or figure of what was asked, beyond function words."""
    own = set(re.findall(r"\d[\d:]*|[a-z]{4,}", fold(words))) - _COMMON
    han = re.findall(r"[一-鿿]{2}", fold(words))
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said) for word in own) or any(pair in said for pair in han)


_BACK: Final = re.compile(r"这[个样些]|照此|\b(?:that|this|it)\b")
"""A question that goes on about the one before."""
_COMMON: Final = frozenset(["that", "your", "with", "this", "have", "note", "remember", "save", "yours", "you're"])


_ASSISTANT_DID: Final = re.compile(r"我(?:们|这边)?(?:已经?|刚|又)?(?:查|找|看到|帮|给|推荐|选|挑|搜|发现)")
"""Begins with what the assistant has done, and says nothing of the user."""


def _proposal(question: str) -> Agreed | None:
    """Return what one question proposes, or None."""
    folded = fold(question)
    if not _ASK_REMEMBER.search(folded) and not _ASK_STANDING.search(folded) and _IS_OFFER_OF_HELP.search(folded):
        return None
    for pattern in (_ASK_REMEMBER, _ASK_STANDING, _ASK_TRUE, _ASK_DETAIL):
        matches = list(pattern.finditer(folded))
        if not matches:
            continue
        words = _asked(question, matches[-1])
        if _ASSISTANT_DID.match(fold(words)):
            return None
        stands = (
            pattern in (_ASK_REMEMBER, _ASK_STANDING)
            or bool(_OFFER.search(folded))
            or bool(matches[-1].groupdict().get("sure"))
        )
        return Agreed(_first_person(words), stands, detail=pattern is _ASK_DETAIL)
    return None


def _asked(question: str, match: re.Match[str]) -> str:
    """Return the statement inside a yes-or-no question, still in the second person."""
    parts = {name: question[slice(*match.span(name))] for name, found in match.groupdict().items() if found}
    if "held" in parts:
        return f"{parts['kept']} is {parts['held']}"
    if "what" in parts:
        return f"{parts['what']} is {parts['value']}"
    if "bare" in parts:
        return re.sub(r"^(?:那|还是|就是|也就是)+", "", parts["bare"])
    if "verb" in parts:
        return re.sub(
            r"^(you) (?=allergic|vegan|vegetarian|married|from|based|in\b|an? )", r"\1 are ", parts["verb"], flags=re.I
        )
    return next(iter(parts.values()))


_AS_CALLED: Final = re.compile(r"(?:请问)?我是(?P<v>[一-鿿]{1,3})(?:先生|女士|小姐|太太)")
"""How the assistant asks whom it speaks with."""


def _first_person(words: str) -> str:
    if re.search("[一-鿿]", words):
        told = re.sub("[您你]", "我", words.strip())
        return _AS_CALLED.sub(lambda found: f"我{'姓' if len(found['v']) == 1 else '叫'}{found['v']}", told)
    told = re.sub(r"\byou're\b|\byou are\b", "I'm", words.strip(), flags=re.I)
    told = re.sub(r"\byour\b", "my", told, flags=re.I)
    return re.sub(r"\byou\b", "I", told, flags=re.I)


def asked_to_remember(view: View, lang: Lang, *, wish: bool = False) -> Found:
    """Return the fact that was offered and agreed to, where no rule reads it; ``wish``: what the user asked for."""
    told = retell(view.text, lang) if not wish else f"用户：{view.text}" if lang == "zh" else f"The user: {view.text}"
    draft = Draft(
        type="task" if wish else "preference",
        content=told,
        value=tidy(view.text),
        importance=4,
        confidence=0.95,
        seqs=view.seqs,
        lang=lang,
    )
    return found_at(view, (0, len(view.text)), draft)


_OF_THEIRS: Final = re.compile(r"孩子|宝宝|宝贝|小朋友|猫|狗|宠物|老人|家人|爸|妈|老婆|老公|对象|他|她|它")
"""Whose matters a question asks for that is not about the user."""


def _fills(frame: str, answer: str) -> bool:
    """Return whether an answer has the form that the frame for it needs."""
    if "手机号" in frame:
        return bool(re.search(r"\d{4}|\*{3}", answer))
    return not ("不吃" in frame and re.search("不|别|都|可以|没", answer))


def answered(question: str, answer: str) -> str | None:
    """Return the answer to an assistant's question as a full sentence, or None if it is none."""
    folded, words = fold(question), answer.strip()
    asked = [
        part
        for part in re.split(r"[。!\n]|\.\s", folded)
        if "?" in part
        or re.search(
            r"请(?:问|您|你)?.{0,4}(?:提供|告诉|告知|输入|留下|填写|发一?下)|(?:provide|tell me|give me|share|confirm) your",
            part,
        )
    ]
    if asked and _ASK_REMEMBER.search(asked[-1]):  # a fact is offered there, none is asked for
        return None
    if not asked or not words or len(words) > MAX_ANSWER_CHARS or "?" in fold(words) or "\n" in words:
        return None
    if re.match(
        r"我|i\b|i'm|my\b|不|没|no\b|none|nope|什么|先|等|稍|好|行|嗯|叫我|call me|why|为什么|对|是|ok|你|您|算|yes|that|it'?s",
        fold(words),
    ):
        return None
    slots = _SLOTS_ZH if re.search("[一-鿿]", question) else _SLOTS_EN
    frames = [frame for pattern, frame in slots if re.search(pattern, asked[-1]) and _fills(frame, fold(words))]
    if _OF_THEIRS.search(asked[-1]):
        return None
    return frames[0].format(words) if len(frames) == 1 else None
