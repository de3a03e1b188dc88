"""Messages that only mean something behind the assistant's question: a "yes", a bare name, a bare address."""

from __future__ import annotations

import re
from typing import Final

from zhiji.extract.facts import Found, Lang, found_at, retell, tidy
from zhiji.extract.fold import fold
from zhiji.extract.view import View
from zhiji.types import Draft

_YES: Final = re.compile(
    r"^\s*(?:嗯+|好|对)*(?:是的?|对(?:的|呀|啊|头|滴)?|嗯+|好(?:的|啊|呀)?|可以|行|没错|正确|要|要的|记吧|记住吧|确认|ok(?:ay)?|当然|必须的?|系|系呀|啱|冇错|没问题|yes|yeah|yep|yup|sure|correct|right|exactly|please do|that's right|go ahead|of course|absolutely|y|affirmative)(?=$|[\s,.!。~啊呀哦的])"
)
_ASK_REMEMBER: Final = re.compile(
    r"(?:要|需要|是否|要不要|可以|想|可否|能否)(?:我)?(?:帮(?:您|你|忙))?(?:我)?(?:把)?(?:记住|记下|记录|记一下|记着|保存)(?:一下)?(?P<zh>[^?。!\n]{2,80}?)(?:吗|么)?\?|"
    r"(?:shall|should|can|may|do you want me to|would you like me to|want me to)(?: i)? (?:remember|save|note|keep in mind)(?: down)?(?: that)? (?P<en>[^?.!\n]{3,120})\?"
)
_ASK_TRUE: Final = re.compile(
    r"(?:^|[。!,.\n\s])(?P<zh>(?:您|你)(?!们)[^?。!,\n]{2,60}?)(?:,?(?:对吧|对吗|是吗|是吧|没错吧|吗|吧))\?|(?:^|[。!\n])(?P<bare>[^?。!\n]{3,40}?),?(?:(?P<sure>对吧|对吗|没错吧)|(?<=[\u4e00-\u9fff\d])吗)\?|"
    r"(?:^|[.!?\n]\s*|so |just to confirm,? )(?P<en>(?:you(?:'re| are| have| live| work| like| prefer|r)|your)\b[^?.!\n]{3,80}?)(?:,? (?:right|correct|is that right|yes|isn't it))?\?|"
    r"(?:^|[.!?\n]\s*)(?:(?:is|are) (?P<what>your [a-z ]{3,20}?) (?:still |now )?(?P<value>[^?\n]{3,80})|(?:do|are) (?P<verb>you (?:still |now |also )?(?:live|work|prefer|eat|drink|speak|drive|smoke|wear|take|have (?:an? |any )?(?:\w+ )?(?:dogs?|cats?|pets?|kids|children|car|allerg\w+)|allergic|vegan|vegetarian|married|from|based|left-handed)\b[^?.!\n]{0,80}))\?"
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
    (r"how old", "I am {}"),
    (r"what do you do|your (?:job|occupation|profession)", "my job is {}"),
)  # fmt: skip
MAX_ANSWER_CHARS: Final = 60


def is_yes(text: str) -> bool:
    """Return whether a message begins by agreeing."""
    return bool(_YES.match(fold(text)))


def confirmed(question: str, answer: str) -> tuple[str, bool] | None:
    """Return the statement, in the first person, that a "yes" agrees to; and whether remembering was asked for."""
    folded = fold(question)
    if not is_yes(answer):
        return None
    if not _ASK_REMEMBER.search(folded) and _IS_OFFER_OF_HELP.search(folded):
        return None
    for pattern, remembering in ((_ASK_REMEMBER, True), (_ASK_TRUE, False)):
        matches = list(pattern.finditer(folded))
        if matches:
            offered = remembering or bool(_OFFER.search(folded))
            return _first_person(_asked(question, matches[-1])), offered or bool(matches[-1].groupdict().get("sure"))
    return None


def _asked(question: str, match: re.Match[str]) -> str:
    """Return the statement inside a yes-or-no question, still in the second person."""
    parts = {name: question[slice(*match.span(name))] for name, found in match.groupdict().items() if found}
    if "what" in parts:
        return f"{parts['what']} is {parts['value']}"
    if "bare" in parts:
        return re.sub(r"^(?:那|还是|就是|也就是)+", "", parts["bare"])
    if "verb" in parts:
        return re.sub(
            r"^(you) (?=allergic|vegan|vegetarian|married|from|based|in\b|an? )", r"\1 are ", parts["verb"], flags=re.I
        )
    return next(iter(parts.values()))


def _first_person(words: str) -> str:
    if re.search("[一-鿿]", words):
        return re.sub("[您你]", "我", words.strip())
    told = re.sub(r"\byou're\b|\byou are\b", "I'm", words.strip(), flags=re.I)
    told = re.sub(r"\byour\b", "my", told, flags=re.I)
    return re.sub(r"\byou\b", "I", told, flags=re.I)


def asked_to_remember(view: View, lang: Lang) -> Found:
    """Return the fact that was offered and agreed to, where no rule reads it."""
    told = retell(view.text, lang)
    draft = Draft(
        type="preference", content=told, value=tidy(view.text), importance=4, confidence=0.95, seqs=view.seqs, lang=lang
    )
    return found_at(view, (0, len(view.text)), draft)


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
    if not asked or not words or len(words) > MAX_ANSWER_CHARS or "?" in fold(words) or "\n" in words:
        return None
    if re.match(
        r"我|i\b|i'm|my\b|不|没|no\b|none|nope|什么|先|等|稍|好|行|嗯|叫我|call me|why|为什么|对|是|ok|你|您|算|yes|that|it'?s",
        fold(words),
    ):
        return None
    slots = _SLOTS_ZH if re.search("[一-鿿]", question) else _SLOTS_EN
    frames = [frame for pattern, frame in slots if re.search(pattern, asked[-1])]
    return frames[0].format(words) if len(frames) == 1 else None
