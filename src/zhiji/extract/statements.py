"""What no row of the tables reads: introductions in list form, standing wishes, plain statements about oneself.

These come last, only where a clause is still unread, with less confidence; a statement must be about what lasts (what
somebody is, has, does regularly), not about the moment or the matter at hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from zhiji.extract import aside_zh, keep_zh, lexicon, manner, told_en
from zhiji.extract.facts import NOT_STATED, Found, Lang, confidence, found_at
from zhiji.extract.fold import fold, is_traditional, traditional
from zhiji.extract.keep import keep
from zhiji.extract.safety import authority
from zhiji.extract.view import Clause, Flag, View
from zhiji.types import Draft

MIN_CHARS: Final = 5
MAX_CHARS: Final = 70

_HAN: Final = re.compile("[\u4e00-\u9fff]")
_FOREVER: Final = re.compile(
    r"(?:^|[,。!?;\s])(?:那|我|请|麻烦|这|你|您|嗯|好|都|呢|啊|，)*以后|今后|往后|从现在(?:起|开始)|从今|每次都|一律|from now on|going forward|from here on|^(?:please |pls )?in (?:the )?future\b|(?:please|pls)\b[^.]*\bin (?:the )?future$|by default|(?:^|, )always$|"
    r"^(?:please |pls )?(?:always|never) (?:use|call|send|text|reply|answer|include|show|give|keep|put|speak|address|remind|check|ask|ship|deliver|leave|write|add|start|end|email|round|convert|cite|explain|assume|book|pick|seat)\b"
)
_WISH: Final = re.compile(
    r"别|不要|请|都|就|用|叫|给|发|放|帮|改|按|记|提醒|希望|说|讲|^[^,。]{1,12}$|\b(?:please|pls|use|give|send|call|keep|don't|do not|never|no|only|seat|put|make|remind|tell|show|add|skip|want|prefer|need|me|with|in)\b"
)


def find(view: View, found: Sequence[Found]) -> Iterator[Found]:
    """Yield introductions, standing wishes and statements of clauses that nothing else has read."""
    manners = [
        *manner.find(view, found),
        *_workplace(view),
        *_harms(view),
        *_after_guess(view, found),
        *aside_zh.find(view),
    ]
    yield from manners
    found = [*found, *manners]
    read = [(one.start, one.end) for one in found]
    free = [
        clause for clause in view.clauses if not any(start < clause.end and end > clause.start for start, end in read)
    ]
    named = any(one.draft.key == "identity:name" for one in found)
    introduction = list(_introduction(view, free, named=named))
    yield from introduction
    wishes = list(_standing(view, [clause for clause in free if _HAN.search(view.words(clause))]))
    yield from wishes
    relatives = list(_relatives(view, free))
    yield from relatives
    yield from told_en.find(view, [*found, *introduction, *wishes, *relatives])
    yield from _kept(view, [*found, *wishes, *introduction, *relatives])


_WORKPLACE: Final = re.compile(
    r"(?<![给帮和跟])我们(?P<v>(?![这那去在要都一可想有等喜全还也就坐住到是会能每再看先把被用吃玩])[一-鿿]{2,7}?(?:队|科室?|车间|实验室|教研室|厂|矿上?|工地|门诊|乐团|病房|工区|班组|派出所|卫生院|后厨))(?=好几个|几个|的?同事|的?工人|的?护士|[^,]{0,4}都|里|上|有|一共|全|每)|"
    r"\b(?:all of us|us lot|we all|lot of us|we|us nurses|us lads)(?:,)? (?:at|in|on|down at) (?P<w>(?:the |our )(?:[a-z-]+ ){0,2}(?:ward|depot|fire station|shop ?floor|warehouse|lab|clinic|building site|factory|mill|plant|garage|nursery|surgery|oil rig|dairy|yard|kitchen))\b"
)
"""Where somebody works, said by the way."""
_GUESSED: Final = re.compile(r"(?:是|因为|吧|还是|要)[^?。!]*\?")
_NOT_SO: Final = re.compile(
    r"(?:哦|嗨|啊|哈|害)*[,\s]*(?:不是|没有?|唔系|不系|才不是|哪有|非也)(?:的|啊|呀|啦|哦|哈|呢|喎|喔)*$"
)
_PURPOSE: Final = re.compile(
    r"^(?:是|我|系|其实|主要|我是|我要|要)*(?:去|给|陪|带|帮(?!我)|回|参加|为了|因为|想|要|送|接|考|搬|同)[^?]{2,24}$"
)
_IN_PLACE: Final = re.compile(
    r"^(?:[,\s]|我|人|现在|家|是|而家)*(?:我|人)[^,]{0,2}?(?:住|在)(?:在)?(?P<v>[一-鿿]{2,5}?)(?:哈+|呢|啦|啊|呀|这边|这里|喔|哦|嘿+)*$"
)
_GUESSES_TASTE: Final = re.compile(
    r"(?:您|你)[^?。!]{0,8}(?:喜欢|爱|钟意|中意|偏好|常|平时|是[^?。!]{1,8}(?:迷|党|粉|控|爱好者|人))[^?。!]{0,16}(?:吧|吗|对|是)[^?。!]{0,3}\?"
)
_TASTE: Final = re.compile(
    r"(?:我|俺|人家)(?:就|都|只|净|是|平时|一般|其实|一直|从来|倒是|更|才)*(?:[看听玩吃喝用穿读追刷练养打])(?!看|听|玩|吃|了|过|一|个|点|完|到|[你他她它这那]|不)(?:的是?)?(?P<v>[^,]{2,14}?)(?:的|啊|呀|啦|好吗|好不好|好嘛|哈)*$"
)
"""What somebody retorts to a guess at their taste."""
_FOR_NOW: Final = re.compile(r"[吧]$|得了$|好了$|算了|[碗份个杯点顿](?=[一-鿿])|今|先|再|随便")
_ASKS_PLACE: Final = re.compile(r"(?:您|你)(?:是)?(?:家)?(?:住|在)[^?]{0,10}(?:吧|吗|么|哪|对)[^?]{0,4}\?")


def _workplace(view: View) -> Iterator[Found]:
    for found in _WORKPLACE.finditer(view.folded):
        clause = view.clause(found.start())
        if clause.flags & (Flag.HYPOTHETICAL | Flag.REPORTED):
            continue
        value = view.text[slice(*found.span("v" if found["v"] else "w"))]
        lang: Lang = "zh" if found["v"] else "en"
        user = "用戶" if is_traditional(view.text) else "用户"
        content = f"{user}在{value}" if lang == "zh" else f"The user works at {value.replace('our ', 'the ')}"
        one = _fact(view, clause, "identity", content, lang, None, value, 0.8)
        one.start, one.end = found.start(), found.start() + 2
        yield one


_HARMS: Final = re.compile(
    r"(?:有|含|放|加)(?:没有|没|不含)?(?P<thing>[一-鿿]{1,6}?)(?:吗|么|嘛|咩|没)[?,。\s]*(?P<all>我?一?(?:吃|喝|碰|闻|用|抹|涂|食|饮|沾)[^,。?!\n]{0,8}(?:疹|痒|肿|吐|拉肚|过敏|喘|咳|疼|痛|晕|心悸|发作)[^,。?!\n]{0,4})"
)
"""What harms the user, which the question before names: 有香精吗，我一用就起红疹."""


def _harms(view: View) -> Iterator[Found]:
    for found in _HARMS.finditer(view.folded):
        clause = view.clause(found.start("all"))
        if clause.flags & (Flag.QUESTION | Flag.HYPOTHETICAL | Flag.REPORTED):
            continue
        thing, words = (view.text[slice(*found.span(group))] for group in ("thing", "all"))
        user = "用戶" if is_traditional(view.text) else "用户"
        yield _fact(view, clause, "identity", f"{user}（{thing}）：{words}", "zh", None, words, 0.8)


def _after_guess(view: View, found: Sequence[Found]) -> Iterator[Found]:
    """Yield what the user puts right that the assistant guessed wrong: 不是啊，去给孩子开家长会; where they are instead."""
    asked = fold(view.asked.content) if view.asked else ""
    blocked = Flag.QUESTION | Flag.HYPOTHETICAL | Flag.REPORTED
    user = "用戶" if is_traditional(view.text) else "用户"
    denied = False
    for clause in view.clauses[:4]:
        folded, words = view.folded[clause.start : clause.end].strip(), view.words(clause)
        read = any(one.start < clause.end and one.end > clause.start for one in found)
        place = _IN_PLACE.match(folded) if _ASKS_PLACE.search(asked) else None
        if clause.flags & blocked or read:
            denied = False
        elif place and not re.search(r"忙|家|上班|公司|外面|路上|等|看|想|这|那|哪|学|做", place["v"]):
            written = words[-len(folded) :]
            value = written[place.start("v") : place.end("v")]
            yield _fact(view, clause, "identity", f"{user}在{value}", "zh", "identity:city", value, 0.85)
        elif _GUESSES_TASTE.search(asked) and _TASTE.match(folded) and not _FOR_NOW.search(folded):
            yield _fact(view, clause, "preference", keep_zh.tell(words, ""), "zh", None, words, 0.8)
        elif denied and _PURPOSE.match(folded):
            yield _fact(view, clause, "task", f"{user}：{words}", "zh", None, words, 0.8)
            denied = False
        else:
            denied = bool(_GUESSED.search(asked) and _NOT_SO.match(folded))


TOLD_SHARE: Final = 0.7
"""Share of the characters of a clause that a finding must tell for the clause to be told."""


_SAYS_NOTHING: Final = re.compile(r"[\W我们們的了是在今年都也就还還有个個一呢啊吧呀哦啦其实實现現]")


def _kept(view: View, found: Sequence[Found]) -> Iterator[Found]:
    """Yield, in the user's words, what the findings so far do not tell."""
    left = [clause for clause in view.clauses if not _is_told(view, clause, found)]
    read = [clause for clause in view.clauses if clause not in left]
    yield from keep(view, [clause for clause in left if _is_chinese(view, clause)], keep_zh.tables(), read)


def _is_chinese(view: View, clause: Clause) -> bool:
    return bool(_HAN.search(view.folded, clause.start, clause.end))


def _is_told(view: View, clause: Clause, found: Sequence[Found]) -> bool:
    """Return whether findings tell what a clause says, most of its characters; a request to the memory always does."""
    here = [one for one in found if one.start < clause.end and one.end > clause.start]
    if any(one.draft.op != "assert" or "*" in str(one.draft.value or "") for one in here):
        return True
    told = "".join(f"{one.draft.content}{one.draft.value}" for one in here)
    words = _SAYS_NOTHING.sub("", view.words(clause))
    return bool(here) and sum(char in told for char in words) >= TOLD_SHARE * len(words)


def _fact(
    view: View, clause: Clause, type: str, content: str, lang: Lang, key: str | None, value: str, sure: float
) -> Found:
    draft = Draft(
        type=type, content=content, key=key, value=value, importance=3, confidence=confidence(sure, clause), seqs=view.seqs, lang=lang,
        suspicious=authority(content),
    )  # fmt: skip
    return found_at(view, (clause.start, clause.end), draft)


# --- introductions ------------------------------------------------------------------------------------------------

_AGE: Final = re.compile(r"(?:今年)?(?P<v>\d{2})岁|(?P<w>\d{2})(?: years old| y/?o|yo)?$")
_JOB_ZH: Final = re.compile(rf"(?:是)?(?:一?[名个])?(?P<v>{lexicon.JOBS_ZH})$")
_JOB_EN: Final = re.compile(rf"(?:an? )?(?P<v>{lexicon.JOBS_EN})(?P<at>(?: (?:at|in|for|from) [\w '-]{{2,30}})?)$")


def _introduction(view: View, free: Sequence[Clause], *, named: bool) -> Iterator[Found]:
    """Yield what a list such as 潘予安，33岁，银行柜员 says: a name, an age, a job, each a clause of its own."""
    by_sentence: dict[int, list[Clause]] = {}
    for clause in free:
        if not clause.flags & NOT_STATED:
            by_sentence.setdefault(clause.sentence, []).append(clause)
    for clauses in by_sentence.values():
        words = [fold(view.words(clause)) for clause in clauses]
        ages = [text for text in words if _AGE.fullmatch(text) and not text.isdigit()]
        jobs = [index for index, text in enumerate(words) if _JOB_ZH.match(text) or _JOB_EN.match(text)]
        if (
            not ages
            and not (named and jobs)
            and not (jobs and len(words) > 1 and _is_full_name(view.words(clauses[0])))
        ):
            continue
        for clause, text in zip(clauses, words, strict=True):
            yield from _item(view, clause, text, first=clause is clauses[0] and clause.start < 8)


def _is_full_name(words: str) -> bool:
    return 2 <= len(words) <= 3 and bool(lexicon.common_surname(fold(words)))


def _item(view: View, clause: Clause, folded: str, *, first: bool) -> Iterator[Found]:
    words = view.words(clause)
    if first and _is_full_name(words):
        yield _fact(view, clause, "identity", f"用户叫{words}", "zh", "identity:name", words, 0.85)
    elif match := _AGE.fullmatch(folded):
        age, lang = match["v"] or match["w"], "zh" if match["v"] else "en"
        content = f"用户{age}岁" if lang == "zh" else f"The user is {age} years old"
        yield _fact(view, clause, "identity", content, "zh" if lang == "zh" else "en", "identity:age", age, 0.85)
    elif _JOB_ZH.match(folded):
        yield _fact(view, clause, "identity", f"用户是{words}", "zh", "identity:job", words, 0.85)
    elif _JOB_EN.match(folded):
        yield _fact(view, clause, "identity", f"The user is: {words}", "en", "identity:job", words, 0.85)


# --- standing wishes ----------------------------------------------------------------------------------------------


def _standing(view: View, free: Sequence[Clause]) -> Iterator[Found]:
    """Yield sentences that say how something shall be from now on, whole, as they were said."""
    done: set[int] = set()
    for clause in free:
        blocked = clause.flags & (NOT_STATED | Flag.ONCE) & ~Flag.OTHER
        if (
            clause.sentence in done
            or blocked
            or not _FOREVER.search(fold(view.text[clause.start : clause.end]).strip())
        ):
            continue
        done.add(clause.sentence)
        clauses = [
            other
            for other in free
            if other.sentence == clause.sentence and not other.flags & (Flag.QUESTION | Flag.ONCE | Flag.HYPOTHETICAL)
        ]
        words = view.text[clauses[0].start : clauses[-1].end].strip()
        if (
            not _WISH.search(fold(words))
            or not MIN_CHARS <= len(words) <= 2 * MAX_CHARS
            or _COMPLAINT.search(fold(words))
        ):
            continue
        yield _wish(view, clauses, words)


_COMPLAINT: Final = re.compile(
    r"再也不(?:买|来|信)|不会再来|差评|垃圾|骗|\byou(?:'re| are)? always\b|\b(?:it|they|he|she|app) always\b|never again|as always|很久以后|不久以后|毕业以后|以后再"
)


def _wish(view: View, clauses: Sequence[Clause], words: str) -> Found:
    lang: Lang = "zh" if re.search("[一-鿿]", words) else "en"
    frame = "用户要求：" if lang == "zh" else "The user's standing wish: "
    content = (traditional(frame) if is_traditional(words) else frame) + words
    found = _fact(view, clauses[0], "preference", content, lang, None, words, 0.85)
    found.end = clauses[-1].end
    return found


# --- relatives, told on -------------------------------------------------------------------------------------------

_KIN_ZH: Final = re.compile(
    rf"(?:我们?家?里?的?)(?P<kin>{lexicon.KIN_ZH})|(?<![\u4e00-\u9fff])(?P<bare>老婆|老公|女儿|儿子|婆婆|媳妇|爸妈|父母)"
)
_KIN_EN: Final = re.compile(rf"\bmy (?:[a-z]+ )?(?P<kin>{lexicon.KIN_EN})\b")
_PRONOUN: Final = re.compile(r"^(?:他们?|她们?|佢|(?:he|she|they)(?:'s|'re| is| are| was)?\b|(?:he|she|they)\b)\s*")
_OF_RELATIVE: Final = re.compile(
    r"^(?:今年|已经|都|也|还|特别|很|下个月|明年|就要|快|满)*(?:\d{1,3}岁|[一二三四五六七八九十]+岁|不吃|不能吃|吃素|爱|喜欢|怕|对.+过敏|住|是(?!不是|那|这|[^,]{0,6}的那)|有|信|上(?:小学|初中|高中|大学|幼儿园)|在.+(?:上班|工作|读书|上学)|血|高血压|糖尿病|不会|不喜欢|戴|穿|腿|退休|满)|"
    r"^(?:just |also |really |and |now )*(?:\d{1,3}\b|(?:is |'s )?(?:an? |\d|allergic|vegan|vegetarian|diabetic|retired|pregnant|deaf|blind)|loves?\b|likes?\b|hates?\b|has\b|lives?\b|works?\b|plays?\b|can't eat|doesn't (?:eat|like|drink)|uses?\b|wears?\b|studies\b|starts\b|goes to\b|turns\b)"
)


def _relatives(view: View, free: Sequence[Clause]) -> Iterator[Found]:
    """Yield what is said on about a relative: in clauses that go on without a subject, or with he, she, 他, 她."""
    kin, sentence = "", -9
    blocked = Flag.QUESTION | Flag.HYPOTHETICAL | Flag.REPORTED
    for clause in view.clauses:
        words = view.words(clause)
        folded = fold(words)
        named = _KIN_ZH.search(folded) or _KIN_EN.search(folded)
        if named:
            group = "bare" if named.groupdict().get("bare") else "kin"
            kin, sentence = words[slice(*named.span(group))], clause.sentence
            continue
        pronoun = _PRONOUN.match(folded)
        goes_on = kin and clause.sentence - sentence <= (1 if pronoun else 0) and Flag.OTHER in clause.flags
        if not goes_on or clause not in free or clause.flags & blocked or not 2 <= len(words) <= MAX_CHARS:
            continue
        rest = words[pronoun.end() :] if pronoun else words
        if _OF_RELATIVE.match(fold(rest)):
            yield _relative(view, clause, kin, rest)


def _relative(view: View, clause: Clause, kin: str, rest: str) -> Found:
    lang: Lang = "zh" if re.search("[一-鿿]", rest) else "en"
    bare = re.match(r"(?:\d|an? |allergic|vegan|vegetarian|diabetic|retired|pregnant|deaf|blind)", fold(rest))
    content = (
        f"用户的{kin * 2 if len(kin) == 1 else kin}{rest}"
        if lang == "zh"
        else f"The user's {kin} {'is ' if bare else ''}{rest}"
    )
    return _fact(view, clause, "identity", content, lang, None, rest, 0.8)
