"""Corrections: "not X but Y", "typo, it's Y", 写错了，是…: the earlier fact comes again with the new value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from zhiji.extract import contacts, dates, subjects
from zhiji.extract.en import DATE as DATE_EN
from zhiji.extract.facts import Found, Lang, found_at, key_form, tidy
from zhiji.extract.fold import fold, is_traditional
from zhiji.extract.lexicon import surname
from zhiji.extract.unsaid import JOKE
from zhiji.extract.view import Flag, View
from zhiji.extract.zh import DATE as DATE_ZH
from zhiji.types import Draft

_SWAPS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"不是(?P<old>[^,。!?;\n]{1,24}?)[,\s]*(?:而)?(?:应该)?是(?P<new>[^,。!?;\n]{1,40})",
        r"(?:是|叫|姓|改成|住在?|在)(?P<new>[^,。!?;\n是]{1,24}?)[,\s]+不是(?P<old>[^,。!?;\n]{1,24})",
        r"把(?P<old>[^,。!?;\n]{1,24}?)(?:改成|改为|换成)(?P<new>[^,。!?;\n]{1,40})",
        r"\bnot (?P<old>[^,.!?;\n]{1,30}?)[,;.]? (?:it's|its|it is|but|i meant|i mean) (?P<new>[^,.!?;\n]{1,40})",
        r"\b(?:it's|its|it is|is|i meant|i mean|i said|with|to) (?P<new>[^,.!?;\n]{1,40}?),? not (?P<old>[^,.!?;\n]{1,30})",
    )
)
_WRONG: Final = re.compile(
    r"(?:(?:不好意思|抱歉|对不起)[,\s]*(?=(?:应该|其实)?是)|(?:写错|打错|说错|输错|弄错|搞错|填错|记错)了?|错了)[^,。!?;\n]{0,4}?[,。!\s]*(?:应该|其实)?(?:就?是|改成|改为|为)?\s*(?P<zh>[^。!?;\n]{2,60})|"
    r"(?:(?:so?rr?y|soz|oops|wait|whoops|correction|typo|my (?:bad|mistake)|actually|wrong (?:number|address|one|street))(?: lol| haha)?[,:.! -]+)+(?:是|应该是|i meant|i mean|that should be|should be|it's|its|it is|make that)?\s*(?P<en>[^!?;\n]{2,80})|"
    r"\b(?:i meant|that should be|should have been)\s+(?P<en2>[^!?;\n]{2,80})"
)


_CORRECTS: Final = re.compile(
    r"(?:写|打|说|输|弄|搞|填|记)错|不对[,!。\s]|更正|口误|^\s*(?:哦不|啊不|等等|不不)|\b(?:oops|whoops|correction|typo|i meant|my (?:bad|mistake)|wait,? no|no,? wait)\b"
)


def is_correction(view: View) -> bool:
    """Return whether a message says that the one before was wrong."""
    return bool(_CORRECTS.search(fold(view.text)))


def find(view: View, lang: Lang, said: Sequence[Found]) -> Iterator[tuple[Found, Found | None]]:
    """Yield corrected facts, each with the earlier one that it replaces (None: said in another session)."""
    for pattern in _SWAPS:
        for match in pattern.finditer(view.folded):
            clause = view.clause(match.start())
            if clause.flags & (Flag.QUESTION | Flag.HYPOTHETICAL | Flag.REPORTED):
                continue
            old, new = (tidy(view.text[slice(*match.span(name))]) for name in ("old", "new"))
            others = [one for one in said if one.seq != view.message.seq or not one.start <= match.start() < one.end]
            earlier = _last_with(old, others)
            if earlier is not None:
                yield _swapped(view, match.span(), earlier, old, new), earlier
            elif 2 <= len(new) <= 4 and surname(fold(old)) and surname(fold(new)) and len(old) == len(new):
                yield _renamed(view, match.span(), new, lang), None
    yield from _rescheduled(view, said)
    for match in _WRONG.finditer(view.folded):
        group = next(name for name in ("zh", "en", "en2") if match[name])
        new = view.text[slice(*match.span(group))]
        if pair := _by_shape(view, match.span(), new, said, lang):
            yield pair


_MEASURES: Final = tuple(
    (re.compile(pattern), type, label)
    for pattern, type, label in (
        (r"身高|多高|[一两二三四五六七八九\d]米", "identity", "身高"),
        (r"体重|多重|[公市]?斤|kg", "identity", "体重"),
        (r"鞋码|鞋|脚", "identity", "鞋码"),
        (r"腰围|胸围|臀围|三围", "identity", "腰围"),
        (r"岁|年龄|年纪|今年[^,。!?]{1,5}了", "identity", "年龄"),
        (r"预算", "preference", "预算"),
        (r"月薪|工资|年薪|收入", "identity", "收入"),
    )
)
_OF_ME: Final = re.compile(r"我|本人|今年|月薪|年薪|身高|体重|预算")
_REALLY: Final = re.compile(
    r"(?:[\s,。!~的啦呢哈嘻嘿吧玩着]|其实|实际上?|真的|真实|正经|说正经的?|认真|就?是|我|才|只有|也就)*(?P<v>(?:\d+(?:\.\d+)?|[一二两三四五六七八九十百千万]{1,6})\s?(?:cm|kg|厘米|公分|米\d*|公斤|斤|码|岁|块|元|万|千|k|w|寸)?[一二三四五六七八九\d]?)(?:左右|而已|啦|哈|吧|的|才对|[\s,。!~])*"
)


def after_joke(view: View, before: str) -> Found | None:
    """Return what a message that calls itself or the last one a joke says instead, if it is no more than a figure: 骗你的 172."""
    joke = next(iter(JOKE.finditer(view.heard)), None)
    real = _REALLY.fullmatch(view.heard, joke.end()) if joke else None
    said = next((words for words in (view.heard[: joke.start()] if joke else "", before) if _OF_ME.search(words)), "")
    measure = next((one for one in _MEASURES if one[0].search(said)), None)
    if real is None or measure is None or subjects.names_another(said):
        return None
    _, type, label = measure
    value = tidy(view.text[slice(*real.span("v"))])
    user = "用戶" if is_traditional(view.text) else "用户"
    draft = Draft(
        type=type, content=f"{user}的{label}是{value}", value=value, confidence=0.85, seqs=view.seqs, lang="zh"
    )
    return found_at(view, real.span("v"), draft)


_RESCHEDULE: Final = re.compile(
    r"(?:改成|改到|换成|换到|推到|推迟到|提前到|挪到|延到)|(?:move|push|change|switch) (?:it|that) to|make (?:it|that)|let's do"
)


def _rescheduled(view: View, said: Sequence[Found]) -> Iterator[tuple[Found, Found | None]]:
    """Yield the last dated task with its new day, where a message only names another one."""
    match = _RESCHEDULE.search(view.folded)
    when = next(dates.find(view.folded[match.end() :], view.message.time), None) if match else None
    task = next((one for one in reversed(said) if one.draft.type == "task" and one.draft.op == "assert"), None)
    if match is None or when is None or task is None or when.start > 3:
        return
    if task.seq == view.message.seq and task.start <= match.start() < task.end:  # the task is to move something
        return
    words = view.text[match.end() + when.start : match.end() + when.end]
    content = re.sub(r"\s?[（(]\d{4}-\d\d-\d\d[^）)]*[）)]", "", task.draft.content)
    old = next(dates.find(fold(content), view.message.time), None)
    if old is None:
        return
    dated = f"（{when}）" if task.draft.lang == "zh" else f" ({when})"
    fixed = replace(
        task.draft, content=content[: old.start] + words + content[old.end :] + dated, value=str(when),
        seqs=tuple(sorted({*task.draft.seqs, *view.seqs})),
    )  # fmt: skip
    task.withdrawn_by = view.message.seq
    yield found_at(view, (match.start(), match.end() + when.end), fixed), None


_LABEL: Final = re.compile(
    r"(?:我的?)?(?:收货|默认|新|旧)?(?:地址|电话|手机号?|号码|名字|姓名|邮箱|订单|时间|日期)|(?:the |my )?(?:address|phone|number|name|email|order|date|time)"
)
"""Words for what is changed, not for its old value."""


def _last_with(old: str, said: Sequence[Found]) -> Found | None:
    needle = "" if _LABEL.fullmatch(old) else key_form(old)
    return next(
        (
            one
            for one in reversed(said)
            if needle and needle in key_form(one.draft.content) and one.draft.op == "assert" and not one.withdrawn_by
        ),
        None,
    )


def _swapped(view: View, span: tuple[int, int], earlier: Found, old: str, new: str) -> Found:
    draft = earlier.draft
    value = draft.value
    if isinstance(value, str):
        if "address" in (draft.key or ""):
            value = contacts.complete(new, value)
        elif old in value or draft.key:
            value = _exchange(value, old, new)
    content = draft.content
    if isinstance(draft.value, str) and isinstance(value, str) and draft.value in content:
        content = content.replace(draft.value, value)
    else:
        content = _exchange(content, old, new)
    key = draft.key
    if key and key.count(".") and key_form(old) in key:
        key = key.replace(key_form(old), key_form(new))
    fixed = replace(draft, content=content, value=value, key=key, seqs=tuple(sorted({*draft.seqs, *view.seqs})))
    return found_at(view, span, fixed)


def _exchange(text: str, old: str, new: str) -> str:
    return text.replace(old, new) if old in text else new


def _renamed(view: View, span: tuple[int, int], new: str, lang: Lang) -> Found:
    content = f"用户叫{new}" if lang == "zh" else f"The user's name is {new}"
    draft = Draft(
        type="identity",
        key="identity:name",
        content=content,
        value=new,
        importance=4,
        confidence=0.9,
        seqs=view.seqs,
        lang=lang,
    )
    return found_at(view, span, draft)


_DATE: Final = re.compile(rf"^\s*(?:{DATE_ZH}|{DATE_EN})")


def _by_shape(
    view: View, span: tuple[int, int], new: str, said: Sequence[Found], lang: Lang
) -> tuple[Found, Found] | None:
    """Return the correction of the last fact that has the shape of the new value: an address, a phone, a name."""
    address = contacts.address_zh(new) if lang == "zh" else contacts.address_en(new)
    age = re.search(r"(?:\d{1,3}|[一二三四五六七八九十]{1,3})岁半?", new)
    for one in reversed(said):
        key, value = one.draft.key or "", one.draft.value
        if not isinstance(value, str) or one.draft.op != "assert":
            continue
        if (date := _DATE.search(fold(new))) and _DATE.search(fold(value)):
            return _swapped(view, span, one, value, tidy(new[: date.end()])), one
        if age and key.endswith("age"):
            return _swapped(view, span, one, value, age.group()), one
        if key.endswith("email") and (email := re.search(r"\S+@[\w.-]+\.\w+", new)):
            return _swapped(view, span, one, value, email.group()), one
        if "address" in key and address:
            return _swapped(view, span, one, value, address), one
        if key.endswith("phone") and (phone := contacts.phone(new)):
            return _swapped(view, span, one, value, phone), one
        if key == "identity:name" and len(tidy(new)) <= 4 and surname(fold(new)):
            return _swapped(view, span, one, value, tidy(new)), one
    return None
