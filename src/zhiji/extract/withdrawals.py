"""What a user takes back of what they said before: all of their last message, or the part of it that they name.

A clause takes back if it asks to delete or not to keep something and says nothing else: it names nothing, points
("that", 刚那两个, 他名字), or names a part by its topic (my age, 上班那个) or by a word of the earlier fact (前妻那条). What
else the message says stays what it is; where it states something itself before that clause, the clause is about that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from zhiji.extract import unsaid
from zhiji.extract.facts import Found, key_form
from zhiji.extract.fold import fold
from zhiji.extract.moves import NOT_MEMORY
from zhiji.extract.view import View, split

_ERASES: Final = re.compile(
    r"(?:请|麻烦)?(?:(?:删|抹|擦|撤|划|清)(?:掉|除|去|回|返|空|了|光|走|吧|干净|一干二净)*)+|(?:去|拿|丢|扔)掉|忘(?:掉|光|(?:了|记)(?=[它他她这那吧刚]))|收回|作废|(?:就|都)?免了|当我?没(?:有)?(?:说|讲|提)过?|(?:那|这|嗰)(?:条|句|段|项|笔|个)(?:就|都|也|先)?(?:不要|别要|不用留?)(?:了|啦|吧)*(?=$|\s)|"
    r"(?<![a-z])(?:delet(?:e|ing)|erase|remove|wipe|scrap|scratch|strike|undo|bin|ditch|un-?(?:save|note|remember|record|store|log|say)|forget|purge|get rid of|drop(?= (?:that|it|this|those|both|all of (?:it|that))(?![a-z])|[^,.!?\n]{1,24} (?:from (?:your|my|the)|thing|bit|part|info|stuff)(?![a-z]))|lose(?= (?:the|my|that) [^,.!?\n]{1,20} (?:thing|bit|part|info|stuff)(?![a-z]))|take(?= [^,.!?\n]{1,24} (?:out|off|down|back)\b)|take (?:out|down|back)|unremember)(?![a-z])"
)
_FORGETS: Final = re.compile(r"(?:请|麻烦)?[删抹擦清忘]|delet|erase|wipe|forget|purge|remove|un-?|get rid")
_OWN: Final = re.compile(
    r"(?:(?<![帮给替为])我|他|她|(?<![a-z])(?:i|i've|ive|he|she|they|we|to|never|always|don'?t|won'?t|didn'?t|can'?t))(?:都|又|也|已经|刚刚?|把|给|老|总|会|just|already|always|often|ever|\s)*$"
)
"""Stands before an erasing verb that asks for nothing: I deleted it, don't delete it."""
_STATUS: Final = re.compile(
    r"了(?:吗|没|么|嘛)|(?<![a-z])(?:did|have|has|why|how) (?:you|u|it|do|did)\b|怎么|为什么|如何"
)
_SAID_NOTHING: Final = re.compile(
    r"算了|还是|都是|就是|那|就|都|也|先|再|把|将|给|帮|麻烦|请|你|您|我|吧|啦|喇|了|呀|啊|哈|哦|嘛|喔|噢|好|行|哎|唉|诶|欸|呃|额|嗯|蛤|不对|等等|等下|刚才|刚刚|刚|头先|前面|上面|上一|之前|以上|以下|这|嗰|此|它|他|她|们|的|是|全部|全|所有|统统|一起|[一两二三几]|个|条|句|件|段|项|事|情|些|样|嘢|种|类|点|话|说|讲|过|内容|信息|资料|东西|记录|记忆|笔记|备注|数据|档案|掉|谢谢|不好意思|抱歉|真的?|一下|里|从|下|要|想|可以|能|直接|赶紧|快|马上|拜托|吗|别|不用|不要|留|记|存|着|住|又|有关|关于|相关|"
    r"(?<![a-z])(?:actually|wait|please|pls|plz|can|could|would|you|u|just|that|that's|thats|it|its|this|these|those|them|all|everything|both|the|of|whole|last|previous|things?|bits?|parts?|stuff|one|info|information|details?|notes?|entry|messages?|msg|from|your|my|me|memory|memories|records?|files?|profile|again|oh|no|nah|nope|h+m+|e+m+|u+m+|e+r+m*|a+h+|ugh|argh|sorry|oops|thanks|thx|ty|maybe|perhaps|why|remember|save|guess|think|ok|okay|k|on|second|thoughts?|i|i'd|i've|said|told|wrote|mentioned|shared|what|and|or|then|do|so|to|too|let's|better|if|possible|out|off|anywhere|about|any|anything|lol|haha|nvm|never mind|mind|back|down|for|in|at|where|who|how|i'm|im|is|was|am|are|him|her|his|their|she|he|they|want|need|like|rather|not|dont|don't|pretty|quickly|now|right|away|asap|after|well|yeah)(?![a-z])|[\W_]"
)
"""What may stand beside the words that take back, for the clause to say nothing else."""
_PARTS: Final = tuple(
    (re.compile(name), re.compile(told))
    for name, told in (
        (r"名字|姓名|姓氏|称呼|\bnames?\b|nickname", r"叫|姓|称呼|identity:(?:name|call_me)|\bnamed?\b|\bcalled\b"),
        (r"年龄|岁数|年纪|几岁|多大|\bages?\b|\bhow old\b", r"岁|identity:age|\byears? old\b|\bage\b"),
        (
            r"工作|上班|职业|公司|单位|职位|(?<![a-z])(?:jobs?|work|employer|company|occupation)(?![a-z])",
            r"上班|工作|职业|单位|公司|identity:(?:job|employer)|\b(?:work|job|employ|sell|teach|run an? |own an? |manage|freelanc)|是.{0,8}[师员生工]$|开店|做.{1,6}的",
        ),
        (
            r"地址|住址|住[哪边]里?|住处|门牌|家在(?:哪里?)?|老家|籍贯|城市|(?<![a-z])(?:address|where i live|where i'?m from|live|from|location|city)(?![a-z])",
            r"住|地址|来自|家在|老家|identity:(?:address|city)|\bin [a-z]+$|\blives?\b|\bfrom\b|address|based in",
        ),
        (
            r"电话|手机号?|号码|尾号|(?<![a-z])(?:phone|number|digits)(?![a-z])",
            r"手机|电话|尾号|号码|identity:phone|\bphone\b|\bnumber\b",
        ),
        (r"邮箱|\be-?mail\b", r"邮箱|@|identity:email|\be-?mail\b"),
        (
            r"生日|(?<![a-z])(?:birthday|bday|dob|date of birth)(?![a-z])",
            r"生日|出生|identity:birthday|birthday|\bborn\b",
        ),
        (
            r"工资|收入|薪水|薪资|月薪|年薪|(?<![a-z])(?:salary|income|pay|wage|earnings?)(?![a-z])",
            r"薪|工资|收入|挣|赚|\bsalary\b|\bearns?\b|\bmakes?\b|\bincome\b|\d ?k\b",
        ),
        (r"体重|\bweight\b", r"体重|[公市]?斤|kg|\bweigh"),
        (r"身高|\bheight\b", r"身高|cm|厘米|\btall\b|\bheight"),
        (
            r"病情?|病史|健康|身体|诊断|吃的药|(?<![a-z])(?:health|medical|condition|illness|diagnos\w+|meds?|medication)(?![a-z])",
            r"病|症|炎|石$|石[^一-鿿]|结石|瘤|疮|痛风|血压|血糖|血脂|癌|药|过敏|手术|怀孕|identity:(?:allergy|health)|(?<![a-z])(?:disease|disorder|allerg|diabet|medic|pills?|surgery|pregnan|depress|anxi|adhd|hiv|cancer)",
        ),
        (
            r"(?:前?(?:男|女)友|前任|前[妻夫]|对象|老[婆公]|爱人|媳妇)|(?<![a-z])(?:ex|boyfriend|girlfriend|bf|gf|partner|wife|husband)(?![a-z])",
            r"(?:男|女)友|男朋友|女朋友|前任|前[妻夫]|对象|老[婆公]|爱人|媳妇|(?<![a-z])(?:ex|boyfriend|girlfriend|bf|gf|partner|wife|husband|relative)",
        ),
        (
            r"孩子|小孩|娃|儿子|女儿|宝宝|(?<![a-z])(?:kids?|child(?:ren)?|son|daughter|baby)(?![a-z])",
            r"孩|娃|儿子|女儿|宝|幼儿园|(?<![a-z])(?:kids?|child|son|daughter|baby)",
        ),
        (r"猫|狗|宠物|(?<![a-z])(?:cat|dog|pet)s?\b", r"猫|狗|宠物|养|pet|\bcat|\bdog"),
        (r"婚|感情|(?<![a-z])(?:marriage|marital|divorce|relationship)(?![a-z])", r"婚|分手|marri|divorc|split"),
        (r"钱|债|欠款|(?<![a-z])(?:money|debts?|loan)(?![a-z])", r"钱|债|欠|贷|块|元|万|\bowes?\b|debt|loan|[£$€]"),
    )
)
"""The name of a part, and what a fact of that part says."""
_POINTS_BACK: Final = re.compile(
    r"刚|上一?[条句]|前面|之前|头先|[那这嗰](?:条|句|段|笔|项|种|类|样)|的(?:信息|资料|事情?)|(?<![a-z])(?:thing|bit|part|info|stuff)(?![a-z])|(?<![a-z])(?:i (?:just )?(?:said|told|wrote|mentioned|shared)|last (?:one|bit|thing|message|part))(?![a-z])"
)
MAX_NAME: Final = (6, 2)
"""Chinese characters and English words that the name of a part may have beyond the topics known here."""

MAX_CLAUSE: Final = 60
"""Whoever takes something back, or says that it is over, is brief."""
MAX_BETWEEN: Final = 12
"""Characters of a message without facts that may stand between, such as the first try to take it back."""


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A clause that takes something back."""

    start: int
    end: int
    parts: tuple[re.Pattern[str], ...] = ()
    """What the facts say that are meant; none, with no name: all of them."""
    name: str = ""
    """A word of the facts that are meant."""
    forgets: bool = False
    """It asks that nothing of it be kept, which is more than that it is not so."""
    points_back: bool = False
    """It says itself that it is about an earlier message."""


def find(view: View) -> Iterator[Withdrawal]:
    """Yield the clauses of a message that take back and say nothing else."""
    for clause in split(view.heard):
        words = view.heard[clause.start : clause.end]
        if len(words) > MAX_CLAUSE:
            continue
        erases = next((found for found in _ERASES.finditer(words) if not _OWN.search(words, 0, found.start())), None)
        verb = erases or unsaid.refuses(words)
        if verb is None or ("?" in clause.mark and _STATUS.search(words)):
            continue
        rest = f"{words[: verb.start()]} {words[verb.end() :]}"
        rest = _ERASES.sub(" ", unsaid.REFUSAL.sub(" ", rest))
        parts = tuple(told for name, told in _PARTS if name.search(words))
        for name, _ in _PARTS:
            rest = name.sub(" ", rest)
        left = _SAID_NOTHING.sub(" ", rest).strip()
        forgets = erases is None or bool(_FORGETS.match(erases.group()))
        points = bool(_POINTS_BACK.search(words))
        if not left:
            yield Withdrawal(clause.start, clause.end, parts, "", forgets, points)
        elif len(re.findall("[一-鿿]", left)) <= MAX_NAME[0] and len(re.findall(r"[a-z]+", left)) <= MAX_NAME[1]:
            yield Withdrawal(clause.start, clause.end, (), left, forgets, points)


def meant(taking: Withdrawal, facts: Sequence[Found]) -> list[Found]:
    """Return which of the facts of a message a clause takes back."""
    if not taking.parts and not taking.name:
        return list(facts)
    if taking.name:
        names = [key_form(word) for word in taking.name.split()]
        named = [one for one in facts if all(name in key_form(one.draft.content) for name in names)]
        vague = taking.points_back and not named and not NOT_MEMORY.search(taking.name)
        return list(facts) if vague else named
    told = [(one, f"{one.draft.key or ''} {fold(one.draft.content)}") for one in facts]
    parts = [one for one, words in told if any(part.search(words) for part in taking.parts)]
    values = [value for one in parts if one.draft.key and len(value := key_form(str(one.draft.value or ""))) > 1]
    again = [
        one for one in facts if not one.draft.key and any(value in key_form(one.draft.content) for value in values)
    ]
    return [*parts, *(one for one in again if one not in parts)]


_NO_MORE: Final = re.compile(
    r"\s*(?:但|不过|可是|其实|我|他|她|它|后来|现在|而家|如今|最近|早就?|已经|都|就|又|再也|也|这个|那个|这玩意|\s)*(?:不|没)(?:再|怎么)?(?P<zh>喜欢|爱|想|吃|喝|玩|养|学|去|练|抽|用|做|住|打|跑|穿|看|追|弹|教|开|戴|碰|钟意|中意)(?:[吃喝玩看用学养去])?(?:它|这个|那个|那里|这儿)?(?:了|啦|喇)\s*|"
    r"\s*[^,。!?\s]{0,6}?(?:我|都|已经|早就?|后来|给|把|它|\s)*(?P<gone>戒|卖|退租|退|丢|扔|送人|转让|辞|分|离|放弃|弃坑|退坑|弃|去世|过世|死|走)(?:掉|干净)?(?:了|啦|喇)\s*|"
    r"\s*(?:but |though |well |actually |and |so |now |i |i'?ve |we |we'?ve |have |ve |just |kinda |totally |since |then )*(?P<en>(?:don'?t|do not) (?:really )?\w+ (?:it|that|them|those|him|her) (?:any ?more|now)|(?:gone|went|been) (?:right |totally |completely )?off (?:it|them|that)(?: since [^,.!?\n]{1,30})?|(?:quit|stopped|sold|dropped|gave up|given up|ditched|cancelled) (?:it|that|them)|(?:gave|given) (?:it|that|them|him|her) (?:up|away)|(?:can'?t|cannot) stand (?:it|that|them) (?:any ?more|now)|not (?:into|doing|eating|drinking|using) (?:it|that|them) any ?more|(?:they|he|she|it|both)(?:'ve|'s)?(?: have| has| both| all| sadly)* (?:passed(?: away)?|died|(?:was|were|got) (?:sold|rehomed|stolen|put down))|(?:had|did|was|used to)(?=[\s.,!]*$)|not (?:since|any ?more|these days|for (?:months|years|ages|a while)))\b.{0,24}"
)
"""Says of what was said before, by no name, that it is so no longer."""
_SAME_VERB: Final = {
    "爱": "爱|喜欢|钟意",
    "喜欢": "爱|喜欢|钟意",
    "钟意": "爱|喜欢|钟意",
    "中意": "爱|喜欢|钟意",
    "想": "想",
    "碰": "吃|喝|用",
}
_DOES: Final = "学|练|玩|做|考|写|追|打算|在"
_ALIVE: Final = "养|猫|狗|兔|鸟|鱼|龟|鼠|爷|奶|爸|妈"
_HAD: Final = "有|买|养|用(?!户)|开|骑|穿|戴|车|机|课|票|会员|办"
_GONE: Final = {
    "戒": "抽|烟|喝|酒|吃|赌|咖啡|糖|玩|游戏",
    "分": "男友|女友|对象|朋友|在一起|恋",
    "离": "老[公婆]|结婚|已婚|妻|夫",
    "辞": "上班|工作|公司|做|当",
}


_STAYS: Final = re.compile(r"identity:(?:name|call_me|birthday|age|phone|email|address|allergy|city)")
"""Nobody gives that up: "i stopped it" is about something else."""


def no_longer(view: View, facts: Sequence[Found]) -> list[Found]:
    """Return which facts of the last message a clause of this one says are so no longer: 不爱了, "gone off it"."""
    meant: list[Found] = []
    for clause in view.clauses:
        brief = clause.end - clause.start <= MAX_CLAUSE
        found = _NO_MORE.fullmatch(view.folded, clause.start, clause.end) if brief else None
        if found is None or "?" in clause.mark:
            continue
        verb, gone = found["zh"] or "", found["gone"] or ""
        told = _SAME_VERB.get(verb, verb) or _GONE.get(gone, "")
        meant += [
            one
            for one in facts
            if re.search(told, fold(one.draft.content)) and not (found["en"] and _STAYS.match(one.draft.key or ""))
        ]
    return meant
