"""What no row of the tables reads: introductions in list form, standing wishes, plain statements about oneself.

These come last, only where a clause is still unread, with less confidence; a statement must be about what lasts (what
somebody is, has, does regularly), not about the moment or the matter at hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from zhiji.extract import lexicon
from zhiji.extract.facts import NOT_STATED, Found, Lang, confidence, found_at, retell
from zhiji.extract.fold import fold, is_traditional, traditional
from zhiji.extract.guards import ABSURD, authority
from zhiji.extract.view import Clause, Flag, View
from zhiji.types import Draft

STATEMENT_CONFIDENCE: Final = 0.75
MIN_CHARS: Final = 5
MAX_CHARS: Final = 70

_FOREVER: Final = re.compile(
    r"(?:^|[,。!?;\s])(?:那|我|请|麻烦|这|你|您|嗯|好|都|呢|啊|，)*以后|今后|往后|从现在(?:起|开始)|从今|每次都|一律|from now on|going forward|from here on|^(?:please |pls )?in (?:the )?future\b|(?:please|pls)\b[^.]*\bin (?:the )?future$|by default|(?:^|, )always$|"
    r"^(?:please |pls )?(?:always|never) (?:use|call|send|text|reply|answer|include|show|give|keep|put|speak|address|remind|check|ask|ship|deliver|leave|write|add|start|end|email|round|convert|cite|explain|assume|book|pick|seat)\b"
)
_WISH: Final = re.compile(
    r"别|不要|请|都|就|用|叫|给|发|放|帮|改|按|记|提醒|希望|说|讲|^[^,。]{1,12}$|\b(?:please|pls|use|give|send|call|keep|don't|do not|never|no|only|seat|put|make|remind|tell|show|add|skip|want|prefer|need|me|with|in)\b"
)
_LASTING_ZH: Final = re.compile(
    r"^我(?:自己|本人|家)?(?:现在|目前|一直|平时|也|还|都|真的|其实|天生|从小|这人|这个人)*(?:是(?!选|比较|很|挺|算|不是|想|说|问|来|在(?!.{1,8}(?:长大|出生))|第|新|一样|真|为|怕|觉得|因为|怎|昨|今|上|刚|按|看|从|不|被|你|老)|住(?!的)|做(?!了|好|完|梦|个|错)|开(?!始|心|通|的?玩笑|了|票|不|机)|养|戴|穿|属|练(?!了)|收藏|信(?:佛|教|基督|伊斯兰)|"
    r"有(?:一|两|三|四|\d|个|辆|套|条|只|很多年|多年)|不(?:会|敢|能|太会|怎么会)(?!再|是|觉得|退|说|让|用|知|找|看|收|打开|登)|习惯|从来不?|向来|一般|平时|经常|常|总是|只(?!是|想|要|能|有|剩|看|买|收)|都是|看不惯|受不了|离不开|喜欢|爱(?!的)|讨厌|擅长|左撇子|夜猫子|睡眠|眼睛|膝盖|腰|胃|皮肤|头发|身高|体重)"
)
_MOMENT_ZH: Final = re.compile(
    r"想|好久没|觉得|感觉|看到|看见|买|下单|收到|发现|问|申请|联系|找|刚|今天|昨天|明天|上周|刚才|等|试|说|知道|以为|打算|准备|希望|担心|怀疑|不明白|不懂|订单|退|换货|快递|物流|付款|支付|登录|账号|意思|客服|你们|您|你(?!好)|这个|这款|这些|这里|这边|那里|那些|那个|来|怎么|什么|哪|吗|呢|吧|推荐|帮|查|请|谢谢|了$|一下|已经|要[去从带为到找住]|需要|^我?[去从坐得]|满意|将要|用着|正好|我们|我俩|这种|这人|去过|会员|管理员"
)
_LASTING_EN: Final = re.compile(
    r"^(?:i'm|im|i am) (?:an? (?!mix|bit|little|lot|huge|big fan|fool|mess|wreck|customer|new customer|few|while|couple|terrible|bad|good|great|fan)|the (?:owner|founder|head|captain|manager)|in (?:my|the) (?:\d0s|final year|army|navy|process of)|in (?:grade|year|high school|college|uni)|training|studying|learning|raising|saving|self-employed|left-handed|allergic|vegetarian|vegan|\d{1,3}\b)|"
    r"^i (?:also |usually |always |normally |only |mostly |never |often |currently |still |really |mainly )*(?:own|drive|ride|bike|walk|use|wear|collect|play|bake|grow|raise|run|teach|coach|volunteer|sing|paint|knit|sew|fish|swim|surf|climb|cycle|commute|work|live|study|speak|practi[cs]e|drink|eat|cook|read|watch|wake up|get up|go to (?:the gym|bed|church|work)|sleep|garden|travel|meditate|jog|camp|skate|code)\b"
)
_MOMENT_EN: Final = re.compile(
    r"\b(?:this|that|these|those|your|you|it|them|him|her|today|yesterday|now|just|order|refund|return|question|problem|issue|doubt|feeling|idea|think|guess|hope|wish|wonder|sorry|account|password|app|website|page|need|want|wanted|looking|would|going to|gonna|book|booked|'?d like|will|'?ll|was|were|been|went|bought|made|started|visited|had|thought|shared|ready|off to|glad|trying|swamped|recommend\w*|pic|photo|things|something|anything|page|code|error|too much|so much|admin|doing (?:well|great|good|fine)|work(?:ed)? (?:out|well)|have (?:to|no|been)|a (?:look|chance|time|minute|moment|second|break|hard time|great|good|nice|sec))\b"
)


def find(view: View, found: Sequence[Found]) -> Iterator[Found]:
    """Yield introductions, standing wishes and statements of clauses that nothing else has read."""
    read = [(one.start, one.end) for one in found]
    free = [
        clause for clause in view.clauses if not any(start < clause.end and end > clause.start for start, end in read)
    ]
    named = any(one.draft.key == "identity:name" for one in found)
    introduction = list(_introduction(view, free, named=named))
    yield from introduction
    wishes = list(_standing(view, free))
    yield from wishes
    relatives = list(_relatives(view, free))
    yield from relatives
    taken = {one.start for one in [*wishes, *introduction, *relatives]}
    for clause in free:
        if clause.start not in taken and not clause.flags & (NOT_STATED | Flag.ONCE):
            yield from _statement(view, clause)


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


# --- statements ---------------------------------------------------------------------------------------------------

_LASTING: Final = re.compile(
    r"都是|都(?=[要会有用喝吃穿])|只(?=[吃喝用穿看听买坐住要])|一直|平时|每|经常|常|总是|从来|习惯|一般|从小|天生|向来|多年|[一二三四五六七八九十\d]年|"
    r"\b(?:always|usually|only|never|every|normally|mostly|often|for (?:years|ages|\d+ years)|since (?:i was|\d{4}|childhood)|i have (?:an?|two|three|four|five|\d))\b"
)
_TASTE: Final = re.compile(
    r"喜欢|爱(?=[吃喝看玩听穿用])|最爱|讨厌|憎|烦|害怕|受不了|忌|偏好|宁愿|不行$|就算了|不碰|不吃|不喝|不看|拒绝|别太|别那么|"
    r"\b(?:rather|prefer|favou?rite|go-to|love|hate|can't stand|allergic|intolerant|afraid of|scared of|addicted|fan of)\b"
)
_TOPIC: Final = re.compile(
    r"口味|衣服|裤子|鞋|咖啡|茶|饮料|酒|辣|甜|香菜|羊肉|牛肉|猪肉|海鲜|鱼|虾|牛奶|主食|少冰|去冰|糖|电影|恐怖片|片$|音乐|小说|运动|跑步|游泳|健身|瑜伽|手术|疹子|过敏|膝盖|颈椎|视力|近视|失眠|睡眠|孩子|宝宝|老人|猫|狗|"
    r"房子|电梯|大学|专业|保险|生意|信佛|信教|回族|方言|语音|聊天|语气|纯棉|颜色|尺码|座位|靠窗|酒店|航班|牌子|品牌|"
    r"\b(?:coffee|tea|food|spicy|sweet|meat|fish|seafood|milk|dairy|sugar|movies?|films?|music|books?|novels|running|gym|yoga|swim\w*|surgery|knee|back pain|sleep|kids?|cats?|dogs?|house|flat|apartment|uni|degree|insurance|"
    r"church|mosque|muslim|christian|jewish|buddhist|dialect|seat|window seat|aisle|hotel|brand|colou?rs?|size|accounts|brewery|factory|hospital|school|shop|night owl|early bird|morning person|introvert|extrovert|glasses|wheelchair)\b"
)
_OWN: Final = re.compile(r"^(?:我|my\b|i\b|i'm\b|im\b|i've\b)|[，,]?我(?=[只都一不最平每从])")


def _statement(view: View, clause: Clause) -> Iterator[Found]:
    words = view.words(clause)
    folded = fold(words)
    if not MIN_CHARS <= len(words) <= MAX_CHARS or ABSURD.search(folded):
        return
    lang: Lang = "zh" if re.search("[一-鿿]", words) else "en"
    lasting, moment = (_LASTING_ZH, _MOMENT_ZH) if lang == "zh" else (_LASTING_EN, _MOMENT_EN)
    if moment.search(folded):
        return
    if lasting.match(folded) or _is_personal(folded):
        type = (
            "preference"
            if _TASTE.search(folded) or re.search(r"习惯|一般|平时|\b(?:usually|always|never|only|mostly)\b", folded)
            else "identity"
        )
        told = (
            retell(words, lang)
            if lasting.match(folded) or re.match(r"我|i\b|i'm|my\b", folded)
            else _quoted(words, lang)
        )
        yield _fact(view, clause, type, told, lang, None, words, STATEMENT_CONFIDENCE)


def _is_personal(folded: str) -> bool:
    """Return whether a clause of the user's own speaks of habit, taste or a personal matter: of two of the three."""
    marks = (_LASTING, _TASTE, _TOPIC)
    return bool(_OWN.search(folded)) and sum(bool(mark.search(folded)) for mark in marks) >= 2


def _quoted(words: str, lang: Lang) -> str:
    if "我" in words:
        return retell(words, lang)
    return f"用户：{words}" if lang == "zh" else f"The user: {words}"


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
