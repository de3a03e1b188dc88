"""How the assistant shall speak, in whatever wording a user asks for it: 能不能别老…, "when you give me recipes use grams".

A wish about answering is often put as a question or beside a single matter, so flags do not decide here: a sentence is kept
from its first to its last clause about the manner, if one of them speaks of answering in general.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from zhiji.extract.facts import Found, Lang, found_at
from zhiji.extract.fold import fold, is_traditional, traditional
from zhiji.extract.owners_en import Owner, owner_of
from zhiji.extract.safety import authority
from zhiji.extract.unsaid import ABSURD
from zhiji.extract.view import Clause, Flag, View
from zhiji.types import Draft

SURE: Final = 0.85
MAX_CHARS: Final = 160

_HAN: Final = re.compile("[\u4e00-\u9fff]")
_NUMBER: Final = r"(?:\d+|[一二两三四五六七八九十]+|one|two|three|four|five|six|ten)"
_HOLLOW_ZH: Final = r"(?:反问|追问|链接|表格|亲(?!戚|人|自|子)|表情|emoji|客套|废话|啰嗦|罗嗦|长篇大论|专业词|术语|黑话|道歉|抱歉|对不起|铺垫|鸡汤|说教|套话|官腔|官方话|寒暄|敬语|感叹号|波浪号|机器人|绕弯|绕圈|文绉绉|重复我|复述|列一[堆大]|[一大][堆坨段大]|夹英文|夹杂英文|拽英文|拽词)"
_SHORT_ZH: Final = r"(?:结论|答案|重点|要点|结果|步骤|数字)"
_ENOUGH_ZH: Final = rf"(?:{_NUMBER}[条句行点段](?:话|要点)?|清单|列表|要点|重点|结论|大纲)(?:给我)?(?:就|也就|都)?(?:够|好|行|得|成|可以|(?:说|讲|写)(?:完|清楚)|搞定|ok)(?:就|行|好|得|可以|了|啦|吧|哈|的)*$"
"""So much of an answer is enough."""
_SPEAK_ZH: Final = r"(?:说话|讲话|讲嘢|回答|回复|回覆|答复|答嘢|回我|答我|(?:跟|和|同|对)我(?:说|讲|聊)|说人话|讲人话)"
_GENERAL_ZH: Final = re.compile(
    rf"{_SPEAK_ZH}[^,]{{0,14}}?(?:别|不要|不好(?![吃喝看听用玩意办弄])|不用|少|短|简|直接|干脆|慢|详细|细|温柔|正式|随意|口语|白话|通俗|幽默|分点|表格|列表|中文|英文|粤语|普通话|繁体|简体|结论|重点|控制|超过|以内|最多|带上|像|用)|(?:说|讲)人话|"
    r"用[一-鿿]{1,3}(?:文|语|话)(?:来)?(?:答|回|讲|说|同我|跟我|和我)|(?:报|写|列|给|讲|标|说|答|解释|教)[^,]{0,6}(?:的时候|时(?![间候长]))[^,]{0,4}(?:用|别|不要|按|都|加|带|以|先|分|慢|少|多|一[步条句段]一)[^,]{1,}|"
    rf"(?:喜欢|希望|想|最好|宁愿)你(?:先|直接|用|多|少|慢|简|分)[^,]{{2,16}}$|"
    rf"(?:别|不要|不好(?![吃喝看听用玩意办弄])|少|不用)(?:再|老|总|总是|老是|成日|每次|动不动|一直|一上来|上来|堆|一开口|开口|都|就|给我|跟我|整|用|说|讲|加|发|搞|那么多|那些|这些|来|叫我|喊我|满屏|什么)+[^,]{{0,6}}?{_HOLLOW_ZH}|"
    rf"^(?:你|您|麻烦|请|就|直接|都|只)*(?:(?:给我|回我|跟我|同我)?(?:列|写|说|讲|用|答|总结)(?:个|成)?|(?:给我|回我)个?|(?={_NUMBER}句话)){_ENOUGH_ZH}|"
    rf"^(?:你|您|怎么|干嘛|每次|总是?|老是?|成日|回我?|说话?|写|讲|发|答|都|得|那么|这么|太)+(?:[长多]|啰嗦|复杂)(?:干嘛|干什么|谁看|看[得着]?不|懒得看|没人看|看着?累)|"
    rf"(?:术语|专有名词|人名|地名|品牌名?|缩写|变量名|(?:technical|tech|proper|product|brand)? ?(?:terms?|names?|jargon))[^,]{{0,4}}(?:(?:别|不要|不好|不用|不使|无需)(?:翻译?|译|改|动)|保留|留英|keep|用英|用回?原)|"
    rf"^(?:你|就|请|直接|只)*(?:讲|说|给|挑)(?:我|出)?{_SHORT_ZH}(?:就|好|行|得|可以|了|吧|啦)*$|(?:别|不要)(?:一次|一下子?|一口气|一股脑)[^,]{{0,4}}(?:丢|甩|发|给|讲|说|列|倒|扔)|"
    rf"^(?:代码|例子|数据|答案|方案|资料)(?:都|就|请|麻烦)*给我(?:都)?(?:带上?|加上?|写上?|配上?|标上?|附上?)[^,]{{2,}}"
)
_PART_ZH: Final = re.compile(
    rf"(?:直接|先|只|就)(?:给|讲|说|上|报|列|写|摆)(?:我|出)?(?:个)?{_SHORT_ZH}|{_SHORT_ZH}(?:先行|放前面?|写前面|在前)|(?:最多|不超过|别超过|不要超过|不好(?![吃喝看听用玩意办弄])超过|控制在|限制在)(?:列|给|写|讲|说)?{_NUMBER}个?(?:条|句|行|点|字|项|段)|"
    r"一[步条句段]一[步条句段]|分步|逐[条步]|^(?:都|就)?(?:keep|保留|留返?|用返?)(?: it| them)?(?: in)? ?(?:the )?(?:english|chinese|英文|中文|原文|original)|"
    rf"^(?:直接|干脆)(?:点|些|讲|说|答)|^{_ENOUGH_ZH}|^(?:别|不要|不好(?![吃喝看听用玩意办弄])|少)(?:列|写|讲|说|整|扯|光?贴|甩|堆|也?加|啰嗦|绕)[^,]{{0,8}}$|分点|{_HOLLOW_ZH}[^,]{{0,4}}(?:省了|免了|去掉|不要)"
)
_FOREVER_ZH: Final = re.compile(r"以后|今后|往后|从现在|从今|每次|一律")
_GOES_ON: Final = re.compile(r"别|不要|不好(?![吃喝看听用玩意办弄])|都|用|先|再|少|多|就")
_ADDS: Final = re.compile(
    r"^(?:别|不要|不好(?![吃喝看听用玩意办弄])|少|讲|说|先|直接|一[条句步段]一[条句步段])[^,]{0,10}$"
)
_MATTER_ZH: Final = re.compile(
    r"帮我(?:写|改|翻|润|拟|起草)|这(?:次|篇|段|封|份|个|首|道|回)|今天|今次|(?:文案|邮件|请假条|作文|检讨|方案|稿子)|客服|[他她佢]|老师|老板|同事|领导|怎么|为什么|点解|我(?:该|应该|要)怎"
)

_FORMAT_EN: Final = r"(?:pdfs?|word(?: docs?)?|docx?|(?:google )?docs?|screenshots?|screen ?grabs|images?|pictures?|photos?|plain text|text|csvs?|excel|spreadsheets?|audio|voice notes?|voice messages?|links?|attachments?|html|large print)"
_UNIT_EN: Final = r"(?:bullets?|bullet points?|points?|lines?|sentences?|words|items|options|steps|paras?|paragraphs?|ideas|suggestions|screens?)"
_AT_MOST_EN: Final = rf"(?:(?:max|at most|no more than|up to|under|only|just|keep it to|stick to) (?:an? |{_NUMBER} ){_UNIT_EN}|{_NUMBER} (?:short |quick )?{_UNIT_EN} (?:max|tops|at (?:the )?most|maximum|or (?:less|fewer)|is (?:plenty|enough)))"
_POLITE_EN: Final = r"(?:and |also |ok |so |but |just |please |pls |can you |could you |can u |would you |if you can |thanks |keep (?:it|them) (?:to )?)*"
_BRIEF_EN: Final = re.compile(rf"{_POLITE_EN}{_AT_MOST_EN}(?: (?:please|pls|ok|okay|thanks|ta|thx|for me|from you))*")
"""How long an answer may be, and nothing else: of all answers, unless something else is asked for with it."""
_GENERAL_EN: Final = re.compile(
    rf"\b(?:only|always|never) (?:ever )?(?:send|give|share|show|write|email)(?: me| us)? (?!(?:it|this|that|these|those|the|my|an?|one|him|her|them|people|customers|clients|kids)\b)[a-z ]{{2,30}}?(?:as|in) (?:an? )?{_FORMAT_EN}\b|\b(?:send|give|share|show|write|email)(?: me)? (?:(?:stuff|things|everything|anything|all [a-z]+) (?:over )?(?:as|in) (?:an? )?{_FORMAT_EN}\b|(?:guides|docs|documents|files|invoices|receipts|statements|tickets|instructions|answers|reports|forms|summaries|reminders|updates|recipes|bills|letters|results|manuals|itineraries) (?:only )?(?:as|in) (?:an? )?{_FORMAT_EN}\b)|"
    rf"{_AT_MOST_EN} (?:(?:for|in|per|from) (?:your |all |each |every |any |me |my )?(?:answers?|repl(?:y|ies)|responses?|you|u|everything|messages?)|each|every ?time|always|from now on|going forward|in future|by default)\b|"
    r"\b(?:spell|write|format|convert|quote|show|give me|explain|measure|say|put|do|label|list) (?:everything|things|stuff|all (?:prices|times|dates|measurements|words|units|amounts|temps?|temperatures|distances|weights)) (?:in (?!the\b|my\b|this\b|that\b|your\b|an?\b|one\b|here\b)|as (?!well|soon|if|far)|with(?:out)? (?!the\b|my\b|me\b|this\b|that\b)|using |like |the [a-z]+ (?:way|style))|"
    rf"^{_POLITE_EN}(?:stick|keep) to (?:euros?|pounds?|dollars?|yen|rupees|metric|imperial|celsius|fahrenheit|km|miles|kilos|grams|cups|british|american|plain|simple|english|bullets?|short|text|the facts|one (?:question|thing|idea)|24|first names?)\b|"
    r"\b(?:no need to|don'?t|stop|quit|(?:you|u) don'?t (?:have|need) to) (?:keep |always )?(?:say|saying) (?:sorry|please|thanks|thank you|hello|hi|my name|great question)\b|"
    r"^(?:and |so |cos |because )*(?:that'?s|thats|it'?s) (?:just )?(?:how|the way) i (?:like|prefer|want|need|learn|read)\b|"
    r"^(?:and |also |so |ok |please |pls )*(?:when|whenever|every ?time|any ?time|if) (?:you|u)(?:'re| are)? (?:give|giving|write|writing|send|suggest|recommend|explain|show|answer|reply|respond|talk|talking|code|coding|translate|list|make|plan|book|quote|tell|describe|do|help|speak|draft|summari[sz]e)\b|"
    r"\b(?:can|could|would|will) (?:you|u) (?:please |pls |just |maybe )*(?:stop|not|quit|avoid|drop|skip|cut) (?:\w+ ){0,2}?(?:calling me|saying|apologi[sz]ing|using|adding|starting|ending|repeating|asking if|emojis?|lists?|bullets?|small ?talk|fluff|waffle|pleasantries|disclaimers?|call me|use|add|say|start|repeat|apologi[sz]e|the (?:emojis?|fluff|waffle|small ?talk|intro|preamble|pleasantries|disclaimers?|apologies))\b|"
    r"\bkeep (?:your |the |all )?(?:answers?|replies|responses|messages|explanations)\b|\b(?:your|the) (?:answers?|replies|responses|messages) (?:are|should be|need to be|can be) (?:too|way too|shorter|longer|brief|under)\b|"
    r"\b(?:don't|dont|do not|never|stop|no need to|skip|drop) (?:put(?:ting)?|start(?:ing)?|open(?:ing)?|begin(?:ning)?|lead(?:ing)?|end(?:ing)?|finish(?:ing)?|pad(?:ding)?) (?:[a-z]+ ){0,4}?(?:story|stories|intros?|preamble|essays?|emojis?|jargon|fluff|pleasantries|disclaimers?|apolog\w*|questions?|compliments?|reply|replies|answers?)\b|"
    r"\bi'?d (?:rather|prefer (?:it )?if) you (?!had\b|were\b|was\b)"
)
_PART_EN: Final = re.compile(
    rf"\b(?:max|at most|no more than|up to|under) {_NUMBER} (?:bullets?|points?|lines?|sentences?|words|items|options|steps|paragraphs?)\b|{_AT_MOST_EN}\b|"
    r"\b(?:get|straight|cut) (?:straight )?to the point\b|\b(?:answer|conclusion|bottom line|short version|code|punchline|verdict) (?:first|up front|upfront)\b|\blead with the\b|"
    r"^(?:and |then |also |just |please |pls |so )*(?:don't|dont|do not|never|no|skip|use|put|keep|give|leave|start|make|add|include|list|say|write|tell|stick|be|go|round|always)\b"
)
_ORDERED_ZH: Final = re.compile(
    r"(?:帮|替|给)我(?:写|改|翻|润|拟|起草|回|编|做)|^(?:请|麻烦|你|再)*(?:写|来|拟|编|做)(?:个|一|份|封|段|篇|首)|[这那下](?:段|篇|封|句)|翻(?:译|成)?一?下"
)
"""A text is ordered: what its sentence goes on with is about this text."""

_MATTER_EN: Final = re.compile(
    r"\b(?:this (?:time|one|email|essay|article|text|paragraph|code|letter|once)|today|tonight|just this|summari[sz]e (?:this|the)|(?:write|draft|translate|rewrite) (?:me |this |a |an |the |my )|he|she|they)\b"
)
_IMPERATIVE_EN: Final = re.compile(
    r"\b(?:send|email|give|share|show|spell|write|convert|max|tops|at most|plenty|enough|don't|dont|do not|never|no|skip|use|put|keep|give me|leave|start|make|add|include|list|say|stick|be|go|round|tell|show|mention|warn|ask\w*|check|link|convert|note|explain|quote|mark|rather|prefer|always|only|stop|not|avoid|drop|quit|under|short\w*|long\w*|brief\w*|like)\b"
)


def find(view: View, found: Sequence[Found]) -> Iterator[Found]:
    """Yield the wishes about the manner of answering that nothing in ``found`` tells whole."""
    clauses = list(view.clauses)
    index = 0
    while index < len(clauses):
        first = clauses[index]
        chinese = bool(_HAN.search(view.folded, first.start, first.end))
        general, part, matter = (_GENERAL_ZH, _PART_ZH, _MATTER_ZH) if chinese else (_GENERAL_EN, _PART_EN, _MATTER_EN)
        before = [one for one in clauses[:index] if one.sentence == first.sentence]
        if before and _ORDERED_ZH.search(view.folded, before[0].start, before[-1].end):
            index += 1
            continue
        run: list[Clause] = []
        is_general = lasts = False
        while index < len(clauses) and (len(run) < 5):
            clause = clauses[index]
            words = view.folded[clause.start : clause.end].strip()
            states = general.search(words) or (
                not chinese and _BRIEF_EN.fullmatch(words) and "?" not in clause.mark and _asks_nothing(view, clause)
            )
            goes_on = lasts and clause.sentence == first.sentence and _GOES_ON.search(words)
            parts = goes_on or (is_general and _ADDS.search(words)) or (part.search(words) and not words.endswith("吗"))
            if not (states or parts) or _is_idle(clause, words, matter):
                break
            is_general |= bool(states)
            lasts |= bool(run == [] and _FOREVER_ZH.search(words))
            run.append(clause)
            index += 1
        index += not run
        if run and is_general and (one := _wish(view, run, found, "zh" if chinese else "en")):
            yield one


def _asks_nothing(view: View, brief: Clause) -> bool:
    """Return whether a message, and the one before it, asks for nothing that should be brief."""
    if view.folded.count("\n") > view.text.count("\n"):
        return False
    others = [one for one in view.clauses if one is not brief]
    asks = any(
        Flag.QUESTION in one.flags or owner_of(view.folded[one.start : one.end].strip()) is Owner.REQUEST
        for one in others
    )
    return not asks and not _MATTER_EN.search(fold(view.earlier))


def _is_idle(clause: Clause, words: str, matter: re.Pattern[str]) -> bool:
    return Flag.ONCE in clause.flags or bool(matter.search(words) or ABSURD.search(words))


def _wish(view: View, run: Sequence[Clause], found: Sequence[Found], lang: Lang) -> Found | None:
    start, end = run[0].start, run[-1].end
    words = view.text[start:end].strip(" ,，;；:-")
    told = any(one.start <= start + 2 and one.end >= end - 2 for one in found)
    if told or len(words) > MAX_CHARS or (lang == "en" and not _IMPERATIVE_EN.search(fold(words))):
        return None
    frame = "用户要求：" if lang == "zh" else "The user's standing wish: "
    content = (traditional(frame) if is_traditional(words) else frame) + words
    draft = Draft(
        type="preference", content=content, value=words[:200], importance=4, confidence=SURE, seqs=view.seqs, lang=lang,
        suspicious=authority(content),
    )  # fmt: skip
    one = found_at(view, (start, end), draft)
    one.kept = "wish"
    return one
