"""What a user asks of the memory itself: to remember, to forget."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from zhiji.extract import dates, unsaid
from zhiji.extract.facts import Found, Lang, found_at, key_form, tidy
from zhiji.extract.fold import fold
from zhiji.extract.safety import authority
from zhiji.extract.view import Clause, Flag, View, split
from zhiji.types import Draft

ASKED_IMPORTANCE: Final = 4
"""Least importance of what the user asks to remember."""

# --- remember -----------------------------------------------------------------------------------------------------

_REMEMBER: Final = re.compile(
    r"(?<!我)(?<!还)(?<!不)(?<!谁)(?:(?:请|帮我|替我|你|您|给我|麻烦|务必|一定)*(?:记住|记得|记一下|记下来?|记低|记着|备注一下|(?:帮|替)我记|记录(?=一下|[:,])))(?:啦|哦|一下|下|呀|啊|哈|个)*(?!了)[:,\s]*(?P<zh>[^。!?\n]{2,100})|"
    r"(?:(?P<please>\b(?:please|pls|can you|could you|i want you to|i need you to)\s)|^|[.!?\n]\s*|\b(?:and|also|just)\s)(?:remember|note|keep in mind|bear in mind|make a note|don't forget)(?: down)?(?: that| this| the following)?[:,]?\s+(?P<en>(?!me\b|when\b|how\b|who\b|what\b|why\b|where\b|my name\?|to (?!always|never)|you\b)[^!?\n]{3,140}?)(?=[.!?\n](?:\s|$)|$)"
)
_CUES: Final = ("记", "备注", "remember", "note", "in mind", "forget", "save", "keep")
"""No message without one of these asks to remember anything; most have none, and the patterns cost."""
_REMEMBER_THAT: Final = re.compile(
    r"(?<!我)(?<!还)(?:请|帮我|给我|麻烦|你|您|要|都|把?这[个点些]?|务必|一定)*(?:记住|记一下|记下来?|记低)(?:一下|哦|啦|吧|了|喔|这个|这一?点|它)*\s*(?=[。!~,\n]|$)|"
    r"\b(?:please |do |so |and )*(?:remember|note|keep|save) (?:that|this|it)(?: in mind| down)?(?: for (?:me|later|next time|the future))?(?:,? (?:please|pls|thanks))?\s*(?=[.!\n]|$)"
)
"""A request that points at what else the message says."""
_SECRET: Final = re.compile(
    r"密码|口令|验证码|安全码|卡号|身份证|证件|password|passcode|\bpin\b|cvv|card number|\bssn\b|passport"
)


_RECALLS: Final = re.compile(
    r"(?:the|last|that|this|those|yesterday|back|us|our)\b|[^,.]*\b(?:was|were|did|went|had)\b"
)
"""What "remember" calls back to mind, and does not ask to keep."""


def remember(view: View, lang: Lang, found: Sequence[Found]) -> Iterator[Found]:
    """Yield what the user asks to remember and no other rule has read."""
    for start, end, is_zh in _requests(view):
        words = tidy(view.text[start:end])
        suspicious = authority(words)
        covered = any(one.start < end and one.end > start for one in found)
        if (_SECRET.search(fold(words)) and re.search(r"\d|\[", words)) or (covered and not suspicious):
            continue
        yield _request(view, (start, end), words, "zh" if is_zh else lang, suspicious)


def mark_asked(view: View, found: Sequence[Found]) -> None:
    """The findings that the message asks to remember are marked so, and important."""
    spans = [(start, end) for start, end, _ in _requests(view)]
    if _points_back(view):
        spans.append((0, len(view.text)))
    for one in found:
        if one.draft.op == "assert" and any(one.start < end and one.end > start for start, end in spans):
            asked(one)


def asked(found: Found) -> None:
    """The finding is one that the user asked to keep."""
    found.draft = replace(found.draft, asked=True, importance=max(found.draft.importance, ASKED_IMPORTANCE))


def asks_to_remember(view: View) -> bool:
    """Return whether a message asks to remember what it says."""
    return _points_back(view) or any(_requests(view))


def _points_back(view: View) -> bool:
    return _may_ask(view) and bool(_REMEMBER_THAT.search(fold(view.text))) and not unsaid.refuses(view.heard)


def _may_ask(view: View) -> bool:
    lowered = fold(view.text)
    return any(word in lowered for word in _CUES)


def _requests(view: View) -> Iterator[tuple[int, int, bool]]:
    """Yield where what is to be remembered stands in a message, and whether it was asked in Chinese."""
    if not _may_ask(view):
        return
    for match in _REMEMBER.finditer(fold(view.text)):
        group = "zh" if match["zh"] else "en"
        start, end = match.span(group)
        clause = view.clause(start)
        words = tidy(view.text[start:end])
        mine = re.search(r"\b(?:i|i'm|my|me|our|we)\b", fold(words)) and not re.search(r"\byou\b", fold(words))
        dated = not _RECALLS.match(fold(words)) and any(dates.find(fold(words), view.message.time))
        if group == "en" and not (match["please"] or mine or dated):
            continue
        opening = view.clause(match.start())
        if group == "zh" and "我" in fold(view.text[opening.start : match.start()]).replace("帮我", ""):
            continue
        blanked = view.folded[start] == "\n"
        if blanked or clause.flags & (Flag.QUESTION | Flag.HYPOTHETICAL | Flag.REPORTED) or len(words) < 2:
            continue
        yield start, end, group == "zh"


def _request(view: View, span: tuple[int, int], words: str, lang: Lang, suspicious: str) -> Found:
    when = next(iter(dates.find(fold(words), view.message.time)), None)
    date = "" if when is None else f"（{when}）" if lang == "zh" else f" ({when})"
    content = f"用户请求记住：{words}{date}" if lang == "zh" else f"The user asked to remember: {words}{date}"
    draft = Draft(
        type="task" if when else "preference",
        content=content,
        value=words,
        importance=ASKED_IMPORTANCE,
        confidence=0.9,
        asked=True,
        seqs=view.seqs,
        lang=lang,
        suspicious=suspicious,
    )
    return found_at(view, span, draft)


# --- forget -------------------------------------------------------------------------------------------------------

_FORGET: Final = re.compile(
    r"(?<!我)(?<!别)(?<!不要)(?<!我都)(?:请|麻烦|帮我|你|您|把){0,5}(?:(?:忘 ?掉|忘 ?了|忘 ?记|删 ?掉|删 ?除|清 ?除|抹 ?掉|去 ?掉)(?:掉)?(?:关于)?(?P<zh>(?:我|刚才|之前|上面|前面|那|这)[^,。!?\n]{1,30})|"
    r"把(?P<ba>[^,。!?\n]{1,30}?)(?:给)?(?<!别)(?<!不要)(?<!不)(?<!没)(?:忘掉|忘了|忘记|删掉|删除|删了|清除|抹掉))|"
    r"(?:^|[.!?\n])\s*(?:please |pls |can you |could you |just |ok,? |and |now )*(?:forget|delete|erase|remove|stop remembering)(?: about)?(?: that)? (?P<en>(?:my|what|i|the fact|everything|that|about|(?:where|when|who|how (?:old|tall|much))(?= (?:i|my|we|our)\b))\b[^.!?\n]{1,60})"
)
_IS_TOLD_TO: Final = re.compile(r"(?:请|麻烦|帮我|把)|(?:忘 ?掉|[删清抹去] ?[掉除])|[^\u4e00-\u9fff]")
"""Begins what cannot be read as a reproach ("你忘了我住哪里"): 忘掉我住哪里 asks to forget, and asks nothing else."""
NOT_MEMORY: Final = re.compile(
    r"订单|购物车|商品|评论|账号|账户|文件|照片|视频|那一?[行段句]|order|cart|item|account|file|photo|comment|it\b|password|line|card|"
    r"所有|全部|一切|\b(?:everything|all)\b"
)
"""What is no single memory: things of a shop, and all at once, for which there is ``erase``."""
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
        asks = "?" in clause.mark if _IS_TOLD_TO.match(match.group()) else Flag.QUESTION in clause.flags
        if asks or Flag.HYPOTHETICAL in clause.flags or NOT_MEMORY.search(fold(words)):
            continue
        yield forgotten(view, words, lang, (match.start(), match.end()))


def topic(words: str) -> str | None:
    """Return the key that words like "my address" stand for, or None."""
    folded = fold(words)
    if allergy := re.search(r"对(.{1,10}?)过敏|allergic to (\w+)|(\w+) allergy", folded):
        return f"identity:allergy.{key_form(next(group for group in allergy.groups() if group))}"
    return next((key for key, pattern in _TOPICS if pattern.search(folded)), None)


_HOMES: Final = ("identity:address.", "identity:city")
_ALSO: Final = {"identity:address.default": _HOMES, "identity:city": _HOMES}
"""Keys that a topic stands for: whoever says where they live tells an address."""


def also(key: str | None) -> tuple[str, ...]:
    """Return the other keys that a topic's key stands for; one that ends in a dot is a family."""
    return tuple(other for other in _ALSO.get(key or "", ()) if other != key)


def is_about(key: str | None, topic: str) -> bool:
    """Return whether a fact of this key is about a topic."""
    return key is not None and (key == topic or key.startswith(_ALSO.get(topic, (topic,))))


def heard_clause(view: View, position: int) -> Clause:
    """Return the clause that a position lies in, where what the message does not want kept still stands."""
    return next(clause for clause in reversed(split(view.heard)) if clause.start <= position)


def refused_topic(view: View, position: int) -> str | None:
    """Return the key that a refusal which ends here speaks of, or None if it names none."""
    return topic(view.text[max(0, position - 12) : position + 16])


def forgotten(view: View, words: str, lang: Lang, span: tuple[int, int]) -> Found:
    """Return the request to forget something."""
    draft = Draft(
        type="identity", content=words, key=topic(words), confidence=0.95, seqs=view.seqs, lang=lang, op="forget"
    )
    return found_at(view, span, draft)


JUST_SAID: Final = re.compile(
    r"刚才|刚刚|上面|前面|what i (?:just )?(?:said|told|wrote)|just (?:said|told)|my last|that last"
)


# --- take back ----------------------------------------------------------------------------------------------------

UNSAY: Final = re.compile(
    r"(?:就)?当(?:我|佢|刚才?|刚刚|头先)?(?:没|冇|未)(?:有)?(?:说|讲|问|提|讲)(?:过|嘢)*|(?:唔|不)(?:使|用)理我|没这回事|(?:收回|撤回)(?!货)|(?:不|别)算(?:数|了)?(?=$|[,。!\s])|我?瞎想的?|脑子一热|一时冲动|"
    r"(?:刚才?|刚刚|前面|上面|之前|那|这|嗰|头先)(?:说的)?(?:那|这)?(?:一)?(?:条|个|笔|筆|句|段|项|項|件|单)?(?:的)?(?:提醒|记录|备注|事)?(?:先|给我|帮我)?(?:删|刪|撤|去掉|不算|作废|别算|忽略)(?:掉|了|除)?|"
    r"(?<!'t )(?<!dont )(?<!not )(?<!ever )(?<!never )(?<!to )(?<!i )forget (?:that(?! \w+ (?:have|are|is|can))|what i said|i (?:said|mentioned))\b|(?<!'t )(?<!dont )(?<!not )(?<!never )(?<!i )(?<!to )(?<!did you )(?<!do you )(?:scrap|scratch|strike|delete|remove|undo|bin|ditch|lose|erase) (?:that|it|this|all that)\b(?! (?:order|item))|ignore (?:that|this|my last|what i)|disregard|take (?:that|it) back|thinking out loud|made (?:that|it) up"
)
"""Words that take back what was said right before, whatever it was."""
CALL_OFF: Final = re.compile(
    r"(?:^|[,。!?;\s])(?:还是|那|那就|就|哎|唉|诶)?算了(?:算了|吧|啦|啊)*(?=$|[,。!?~\s])|作废|(?:刚|那|这)[^,。!?\s]{0,6}(?:取消|不要了)|"
    r"(?:行程|计划|约会|会议|活动|聚会|出差|旅行|课)(?:都|也|又)?(?:取消|黄)了|不[去辞搬报学考约办租养装](?:了|啦)(?=$|[,。!~\s])|去不(?:成|了)|不用(?:去|提醒|记|调|搬|来|办)了|(?:没|不)(?:有)?(?:要|打算)(?:再)?[去搬走辞报考调换](?:了|啦)?(?=$|[,。!~\s])|(?:^|[\s,。!])不用了(?:不用了)*(?=$|[\s,。!])|取消(?:掉|吧|了?吧)(?=$|[,。!~\s])|改天再(?:说|约)|(?:别|不用|不使|不必|不要|甭)(?:再)?(?:管|理|记|提醒|惦记|操心|盯)(?:它|这个|那个|这事|那事|我)?(?:了|啦|喇)(?=$|[,。!~\s])|(?:^|[,。!\s])取消(?:掉)?(?:了|啦|喇)(?=$|[,。!~\s])|(?:说|通知|临时|又|都|被|给|已经?|全|那边|公司|对方|主办方?|学校|老板|领导)(?:又|都|给|临时|刚)?(?:取消|改期|叫停|延期|推迟|推后)(?:掉)?(?:了|啦|喇)?(?=$|[,。!~\s])|改(?:成|到|为|做|在)?(?:线上|网上|在线|电话|视频|腾讯会议|远程|zoom|teams)(?:会议?|开会?|面试|课|进行|沟通)?(?:了|啦|喇)?(?=$|[,。!~\s])|(?:不|没法)(?:办|开|搞|参加|出差|旅游|出发|飞)(?:了|啦|喇|成)(?=$|[,。!~\s])|计划有变|行程有变|泡汤|黄了|吹了(?=$|[,。!\s])|"
    r"\bnever ?mind\b|\bnvm\b|forget (?:it|about it)\b|(?:cancel|drop|kill) (?:that|it|this)\b(?! (?:order|item))|changed my mind|fell through|(?:\bis|\bits|'s)(?: all)? off\b(?! (?:to|work|school|on|the|in|at|for|sick|gluten|dairy|sugar)\b)|call(?:ed|ing)? (?:it |that |the \w+ )?off|(?:got|was|been|has|have|had|they|boss|we|just|all|meeting|trip|event|flight) (?:just |been |all )?(?:to )?cancel(?:l?ed)?\b(?! (?:my |the |an? )?order)|(?:got|was|been|is) (?:scrapped|axed|pulled|binned|shelved|postponed)|(?:moved|gone|going|switched to|it's|now) (?:it )?(?:online|virtual|remote)\b|\b(?:bail(?:ed|ing)|pull(?:ed|ing) out|back(?:ed|ing) out|dropp(?:ed|ing) out)\b|(?:had|have|having|going) to (?:pull|back|drop|bail) ?(?:out)?\b|no longer (?:going|happening|on\b|doing|flying|moving)|plans? (?:have |has )?(?:changed|fell through)|not (?:going|happening|doing (?:it|that)) ?(?:any ?more|after all)?\b(?=$|[,.!?\s])|not going any ?more|(?:didn'?t|never) (?:happened?|signed up|went ahead)|no (?:reminder|longer) needed"
)
"""Words that call off a plan; what somebody is stays true."""
_PART: Final = re.compile(
    r"(?:^|[,。!?;\s])(?:把|那个|那|就|还有)?(?P<zh>[一-鿿a-z]{1,8}?)(?:那个|那条|那件|那事|那笔|那项|这个|这条|的事|的提醒|提醒|嗰個|那里)?(?:就|都|先|也|给我|帮我)?(?:取消|[删刪](?:掉|了|除)?|撤(?:回|销|掉|了)|去掉|作废|免了|不用(?:提醒|记|管)?了?|不要了|不去了|不算|算了|泡汤|黄了|拉倒)(?:了|吧|啦|掉)?(?=$|[,。!?;\s])|"
    r"(?:^|[.!?,;\n(]\s*)(?:(?:hmm+|no|nah|actually|ok(?:ay)?|and|but|just|please|pls|oh|sorry|wait|well|can you|could you|so|you can|let's|also)[\s,]+)*(?:scrap|scratch|forget(?: that)?|delete|remove|drop|cancel|bin|ditch|lose|undo|erase|kill|skip)(?: (?:about|what i said about|i (?:said|told you|mentioned)(?: (?:that )?(?:i'?m|i was|i'?d|i))?|the (?:bit|part|thing|stuff) about))?(?: (?:the|my|that|this|those|our|a|an))* "
    r"(?P<en>(?!that\b|it\b|this\b|you\b|we\b|they\b|he\b|she\b|to\b|how\b|what\b|order|item|account)[a-z][\w'-]*(?: [\w'-]+){0,3}?)(?: (?:thing|bit|part|stuff|one|reminder|idea|plan|note|entry|comment|on my profile))*(?=\s*(?:[,.!?;\n)]|$)| (?:i|on|from|for|in|pls|please|was|now|tho|though|then|it|we|they|cos|because|since|and|but|class|lasted)\b)|"
    r"\b(?:the |my )?(?P<off>[a-z][\w'-]*(?: [\w'-]+)?) (?:is|was|got|has been|'s)(?: (?:all|now|been))? (?:cancel?led|off|called off|scrapped|not happening)\b"
)
"""Words that take back one thing of several, by its name."""
_VAGUE: Final = re.compile(
    r"(?:刚才?|刚刚|前面|上面|之前|这|那|它|全|都|我|你|的|个|条|先|就)*|(?:that|it|this|one|last|first|second|thing|class|everything|all)"
)


def taken_back(view: View, said: Sequence[Found]) -> Iterator[tuple[Found, tuple[int, int]]]:
    """Yield the earlier facts that a message takes back by name, each with the place of the words that do."""
    for match in _PART.finditer(view.heard):
        name = next(group for group in ("zh", "en", "off") if match[group])
        start = match.start(name)
        topic = key_form(match[name])
        if (
            len(topic) < (2 if name == "zh" else 3)
            or _VAGUE.fullmatch(match[name])
            or Flag.QUESTION in view.clause(start).flags
        ):
            continue
        for one in said:
            if one.draft.op == "assert" and not one.withdrawn_by and topic in key_form(one.draft.content):
                yield one, match.span()


PLAN: Final = re.compile(
    r"打算|计划|准备|想要?(?!起|到)|要去|下[个周月年]|明[天年]|后天|周[一二三四五六日天末]|提醒|预约|预订|报名|\b(?:plan|going to|gonna|will|next|remind|book|sign|save|moving|flying|visit|tomorrow|thinking of|considering|starting|tonight|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)
"""What can be called off."""
_OPENING: Final = re.compile(
    r"(?:[\s,。!?~.…]|[^\w一-鿿]|哎|唉|诶|啊|呃|嗯|哦|噢|不对|不是|算了|等等|等下|等一下|那|还是|就|蛤|欸|是|没|好吧|哈|公司|我?老板|我?领导|主管|上司|主办方?|对方|学校|客户|人家|他们|那边|酒店|航空公司|医院|店家|朋友|老师|刚才?|又|都|临时|说|通知|我们|\b(?:they|they've|he|she|boss|my boss|work|client|we|it|it's|just|got|had to|have to|been|has|have|physio|doctor|gp|says?|said|apparently|(?:(?:the|our|my) )?(?:trip|meeting|event|flight|class|plan|thing|whole thing|party|wedding|holiday|race|gig))\b|sorry|抱歉|不好意思|\b(?:no|nah|nope|hmm+|oh|ok|okay|wait|actually|sorry|uh|um|ugh|argh|well|yeah|so|and|then|pls|please|just|lol|oops|hold on|hang on|on second thought)\b)*"
)
_OF_IT: Final = re.compile(r"^[^,。!?;\n]{0,4}(?:那|那个|那是|这是|刚)")


def opens(before: str) -> bool:
    """Return whether nothing is said before the words that take something back, or only about the thing they take back."""
    clauses = [words for words in re.split(r"[\s,。!?]+", before) if words]
    told = [words for words in clauses if not _OPENING.fullmatch(words)]
    return _OPENING.fullmatch(before) is not None or (bool(told) and bool(_OF_IT.match(told[0])))


_NO_MORE: Final = re.compile(r"[\s,。!?;]*不(?P<verb>[一-鿿])(?:了|啦)")


def called_off(words: str) -> str:
    """Return the verb of what words call off, or nothing."""
    found = _NO_MORE.match(words)
    return found["verb"] if found else ""
