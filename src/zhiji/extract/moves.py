"""What a user asks of the memory itself: to remember, to forget."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from zhiji.extract import dates
from zhiji.extract.facts import Found, Lang, found_at, key_form, tidy
from zhiji.extract.fold import fold
from zhiji.extract.guards import authority
from zhiji.extract.view import Flag, View
from zhiji.types import Draft

# --- remember -----------------------------------------------------------------------------------------------------

_REMEMBER: Final = re.compile(
    r"(?<!我)(?<!还)(?<!不)(?<!谁)(?:(?:请|帮我|你|您|给我|麻烦|务必|一定)*(?:记住|记得|记一下|记下来?|记低|备注一下|帮我记|记录(?=一下|[:,])))(?:啦|哦|一下|下)?(?!了)[:,\s]*(?P<zh>[^。!?\n]{2,100})|"
    r"(?:(?P<please>\b(?:please|pls|can you|could you|i want you to|i need you to)\s)|^|[.!?\n]\s*|\b(?:and|also|just)\s)(?:remember|note|keep in mind|bear in mind|make a note|don't forget)(?: down)?(?: that| this| the following)?[:,]?\s+(?P<en>(?!me\b|when\b|how\b|who\b|what\b|why\b|where\b|my name\?|to\b|you\b)[^!?\n]{3,140}?)(?=[.!?\n](?:\s|$)|$)"
)
_SECRET: Final = re.compile(
    r"密码|口令|验证码|安全码|卡号|身份证|证件|password|passcode|\bpin\b|cvv|card number|\bssn\b|passport"
)


def remember(view: View, lang: Lang, found: Sequence[Found]) -> Iterator[Found]:
    """Yield what the user asks to remember and no other rule has read."""
    for match in _REMEMBER.finditer(fold(view.text)):
        group = "zh" if match["zh"] else "en"
        start, end = match.span(group)
        clause = view.clause(start)
        words = tidy(view.text[start:end])
        mine = re.search(r"\b(?:i|i'm|my|me|our|we)\b", fold(words)) and not re.search(r"\byou\b", fold(words))
        if group == "en" and not match["please"] and not mine:
            continue
        opening = view.clause(match.start())
        if group == "zh" and "我" in fold(view.text[opening.start : match.start()]).replace("帮我", ""):
            continue
        blanked = view.folded[start] == "\n"
        if blanked or clause.flags & (Flag.QUESTION | Flag.HYPOTHETICAL | Flag.REPORTED) or len(words) < 2:
            continue
        suspicious = authority(words)
        covered = any(one.start < end and one.end > start for one in found)
        if (_SECRET.search(fold(words)) and re.search(r"\d|\[", words)) or (covered and not suspicious):
            continue
        yield _request(view, (start, end), words, "zh" if group == "zh" else lang, suspicious)


def _request(view: View, span: tuple[int, int], words: str, lang: Lang, suspicious: str) -> Found:
    when = next(iter(dates.find(fold(words), view.message.time)), None)
    date = "" if when is None else f"（{when}）" if lang == "zh" else f" ({when})"
    content = f"用户请求记住：{words}{date}" if lang == "zh" else f"The user asked to remember: {words}{date}"
    draft = Draft(
        type="task" if when else "preference",
        content=content,
        value=words,
        importance=4,
        confidence=0.9,
        seqs=view.seqs,
        lang=lang,
        suspicious=suspicious,
    )
    return found_at(view, span, draft)


# --- forget -------------------------------------------------------------------------------------------------------

_FORGET: Final = re.compile(
    r"(?<!我)(?<!别)(?<!不要)(?<!我都)(?:请|麻烦|帮我|你|您|把)*(?:(?:忘掉|忘了|忘记|删掉|删除|清除|抹掉|去掉)(?:掉)?(?:关于)?(?P<zh>(?:我|刚才|之前|上面|前面|那|这)[^,。!?\n]{1,30})|"
    r"把(?P<ba>[^,。!?\n]{1,30}?)(?:给)?(?:忘掉|忘了|忘记|删掉|删除|删了|清除|抹掉))|"
    r"(?:^|[.!?\n])\s*(?:please |pls |can you |could you |just |ok,? |and |now )*(?:forget|delete|erase|remove|stop remembering)(?: about)?(?: that)? (?P<en>(?:my|what|i|the fact|everything|that|about)\b[^.!?\n]{1,60})"
)
_NOT_MEMORY: Final = re.compile(
    r"订单|购物车|商品|评论|账号|账户|文件|照片|视频|那一?[行段句]|order|cart|item|account|file|photo|comment|it\b|password|line|card"
)
_TOPICS: Final = tuple(
    (key, re.compile(pattern))
    for key, pattern in (
        ("identity:call_me", r"称呼|怎么叫|nickname"),
        ("identity:name", r"名字|姓名|\bname\b"),
        ("identity:phone", r"电话|手机|号码|phone|number|cell"),
        ("identity:email", r"邮箱|邮件|e-?mail"),
        ("identity:address.default", r"地址|address"),
        ("identity:birthday", r"生日|birthday|bday|date of birth"),
        ("identity:age", r"年龄|几岁|\bage\b"),
        ("identity:job", r"职业|工作|\bjob\b|occupation|profession"),
        ("identity:employer", r"公司|单位|employer|company"),
        ("identity:city", r"住|城市|where i live|\bcity\b|hometown"),
        ("identity:school", r"学校|school|university"),
        ("preference:diet", r"饮食|\bdiet\b"),
        ("preference:reply_style", r"回答风格|回复风格|reply style"),
    )
)


def forget(view: View, lang: Lang) -> Iterator[Found]:
    """Yield what the user asks to forget: a key where the topic has one, else the words themselves."""
    for match in _FORGET.finditer(view.folded):
        group = next(name for name in ("zh", "ba", "en") if match[name])
        start, end = match.span(group)
        words = tidy(view.text[start:end])
        clause = view.clause(match.end() - 1)
        if Flag.QUESTION in clause.flags or Flag.HYPOTHETICAL in clause.flags or _NOT_MEMORY.search(fold(words)):
            continue
        yield forgotten(view, words, lang, (match.start(), match.end()))


def topic(words: str) -> str | None:
    """Return the key that words like "my address" stand for, or None."""
    folded = fold(words)
    if allergy := re.search(r"对(.{1,10}?)过敏|allergic to (\w+)|(\w+) allergy", folded):
        return f"identity:allergy.{key_form(next(group for group in allergy.groups() if group))}"
    return next((key for key, pattern in _TOPICS if pattern.search(folded)), None)


def forgotten(view: View, words: str, lang: Lang, span: tuple[int, int]) -> Found:
    """Return the request to forget something."""
    draft = Draft(
        type="identity", content=words, key=topic(words), confidence=0.95, seqs=view.seqs, lang=lang, op="forget"
    )
    return found_at(view, span, draft)


JUST_SAID: Final = re.compile(
    r"刚才|刚刚|上面|前面|what i (?:just )?(?:said|told|wrote)|just (?:said|told)|my last|that last"
)
