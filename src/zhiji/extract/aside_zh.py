"""What Chinese speakers say by the way: their animal by its name alone, the child whose parent they are, a number read out.

"煤球又把拖鞋啃了 边牧都这样吗" names no owner and no animal in the same clause; "初二 谢子墨他妈" answers whose parent writes; a name or
a phone number may be all that an answer holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from zhiji.extract import zh
from zhiji.extract.contacts import contact_fact
from zhiji.extract.facts import Found, confidence, found_at
from zhiji.extract.fold import fold, is_traditional
from zhiji.extract.keep_zh import ANIMAL, PERSON
from zhiji.extract.lexicon import surname
from zhiji.extract.view import Clause, Flag, View
from zhiji.types import Draft

SURE: Final = 0.8
_UNREAL: Final = Flag.HYPOTHETICAL | Flag.REPORTED
_STARTS: Final = r"(?<![^\s,。!?;:~…()])"
_NAMED: Final = rf"(?:(?:我们?家|家里|咱家|我)的?)?(?P<v>(?!{PERSON}|[爸妈爷奶哥姐弟妹])[一-鿿]{{2,3}}?)"
_ONLY_ANIMALS: Final = r"(?:毛球|拆家|啃(?:了|烂|坏|我|我的)|掉毛|踩奶|跑酷|驱虫|绝育|狂犬|猫砂|[猫狗兔]粮|狗绳|牵引绳|遛|狂吠|吠|乱叫|抓沙发|挠沙发|抓烂|抓花|发情|蜕皮|换羽|下蛋|越狱|宠物医院|兽医|扑鸟|喵|汪)"
_MAYBE_ANIMALS: Final = r"(?:啃|咬|尿|拉|吐|抓|挠|刨|舔|叼|叫|扒|吃|打(?:完|了|过)?针|疫苗|洗澡|指甲|拆|跳|掉|偷|睡|闹|跑|生病|不(?:吃|睡|动|肯)|看病|体检|打架|胖|瘦|老)"
_AGAIN: Final = r"(?:怎么|今天|昨[天晚]|刚才?|最近|这两天|这几天|半夜|天天|每天|早上|晚上|一直)*(?:又|老是?|总是?|还是|居然|突然|今天|昨[天晚]|刚才?|最近|这两天|这几天|半夜|天天|每天|一直|该|要|到时间)(?:要|该)?"
_ACTED: Final = re.compile(
    rf"{_STARTS}{_NAMED}{_AGAIN}(?P<do>[^,。!?;\n\s]{{0,10}}?(?:{_ONLY_ANIMALS}|{_MAYBE_ANIMALS}))"
)
_SERVED: Final = re.compile(
    rf"{_STARTS}(?:想|要|得|刚|刚刚|今天|昨天|周末|明天|下周|再|准备)*(?:给|带|帮|陪|抱|送|领){_NAMED}(?:去|上)?(?:打|做|洗|剪|买|换|看|约|补|喂|驱)(?:完|了|过|点|个|第[一二三]针)?(?P<do>[^,。!?;\n\s]{{0,8}}?(?:{_ONLY_ANIMALS}|{_MAYBE_ANIMALS}))"
)
_IN_CARE: Final = re.compile(
    rf"{_STARTS}{_NAMED}(?:的)?(?:刚|才|已经|上周|昨天|上个?月|打算)?(?P<do>绝育|驱虫|打完?狂犬|发情|掉毛|拆家|换毛|尿闭|猫[癣瘟藓]|犬瘟|细小|软便|蜕皮|换羽)"
)
_ANIMAL: Final = re.compile(ANIMAL)
_STRICTLY: Final = re.compile(_ONLY_ANIMALS)
_NO_NAME: Final = re.compile(
    r"[我你您他她它谁们的了着过是有在不没什么怎哪这那]|今天|昨|明|刚|最近|突然|半夜|晚上|早上|中午|现在|今年|去年|后来|然后|结果|老板|老师|医生|邻居|隔壁|楼[上下]|对门|对面|室友|同事|同学|朋友|客户|快递|师傅|物业|房东|司机|店家|客服|孩子|小孩|宝宝|宝贝|婴儿|娃|全家|大家|自己|人家|有人|手机|电脑|电视|快递|鞋|沙发|窗帘|地板|水管|下水道|空调|洗衣机|肚子|胃|老鼠|蟑螂|蚊子|虫|鸟|主播|视频|小区|路边|公司|学校|单位|动物|宠物"
)


def _pets(view: View) -> Iterator[Found]:
    """Yield the animals that a message calls by name only: by what only animals do, or beside a word for an animal."""
    asked = fold(view.asked.content) if view.asked else ""
    for pattern in (_ACTED, _IN_CARE, _SERVED):
        for found in pattern.finditer(view.folded):
            clause, name = view.clause(found.start("v")), found["v"]
            words = view.folded[clause.start : clause.end]
            others = [
                one
                for one in _ANIMAL.finditer(view.folded + " " + asked)
                if not clause.start <= one.start() < clause.end
            ]
            if clause.flags & _UNREAL or _NO_NAME.search(name) or _ANIMAL.search(name):
                continue
            strictly = pattern is _IN_CARE or _STRICTLY.search(found["do"])
            if zh.full_name(name) if strictly else zh.any_full_name(name):
                continue
            if not (others or _ANIMAL.search(words)) and not (strictly and pattern is _SERVED):
                continue
            kind = others[0].group() if others else ""
            written, said = view.text[slice(*found.span("v"))], view.words(clause)
            whose = f"{_user(view)}的宠物{written}" + (f"（{kind}）" if kind and kind not in said else "")
            yield _told(view, clause, "identity", f"{whose}：{said}", said)


_PARENT: Final = re.compile(
    r"(?:我是|是|我|这边是)?(?P<v>[一-鿿]{2,4}?)(?:同学|小朋友)?(?:的|他|她)?(?P<p>妈妈?|爸爸?|家长|奶奶|爷爷|姥姥|姥爷|外婆|外公|监护人)(?:啊|呀|哈|哦)*"
)
_ASKS_OF_CHILD: Final = re.compile(
    r"(?:孩子|宝宝|宝贝|小朋友|学生|家长|学员)[^。!?]{0,14}(?:\?|名字|姓名|称呼|年级|哪个班|几班)|(?:几年级|哪个班|几班|怎么称呼)[^。!]{0,6}\?"
)


def _parents(view: View) -> Iterator[Found]:
    """Yield whose parent the user is, where that is asked or said of oneself: 我是李想妈妈, 谢子墨他妈."""
    asked = bool(view.asked and _ASKS_OF_CHILD.search(fold(view.asked.content)))
    for clause in view.clauses:
        folded = view.folded[clause.start : clause.end].strip()
        found = _PARENT.fullmatch(folded)
        if found is None or clause.flags & (_UNREAL | Flag.QUESTION) or not (asked or re.match("我是|这边是", folded)):
            continue
        if zh.any_full_name(found["v"]) and not re.search("[我你他她的]|老师|同事|朋友", found["v"]):
            written = view.words(clause)[-len(folded) :]
            name, parent = (written[slice(*found.span(group))] for group in ("v", "p"))
            yield _told(view, clause, "identity", f"{_user(view)}是{name}的{parent}", written)


_ASKS_NAME: Final = re.compile(
    r"(?<!叫什么)(?:姓名|怎么称呼|如何称呼|贵姓|尊姓|名字|點稱呼|点称呼|哪位|什么名)(?![^。!]*(?:孩子|宝宝|宝贝|宠物|猫|狗|店|公司|项目|产品))"
)
_OF_OTHERS: Final = re.compile(
    r"孩子|宝宝|宝贝|小朋友|宠物|[猫狗]|店|公司|项目|产品|它|[他她]|老人|家人|对方|朋友|同事"
)
_NAME_ONLY: Final = re.compile(r"(?:我是|我叫|写|叫|是|就写|就叫|名字)?(?P<v>[一-鿿]{2,4})")


def _names(view: View) -> Iterator[Found]:
    """Yield the user's name that an answer to the question for it begins with."""
    asked = re.split(r"[。!\n]", fold(view.asked.content).rstrip("。!?")) if view.asked else [""]
    first = view.clauses[0]
    found = _NAME_ONLY.fullmatch(view.folded[first.start : first.end].strip())
    if (
        not _ASKS_NAME.search(asked[-1])
        or _OF_OTHERS.search(asked[-1])
        or found is None
        or first.flags & (_UNREAL | Flag.QUESTION)
    ):
        return
    words = view.words(first)
    name = words[len(words) - len(found["v"]) :]
    if zh.any_full_name(name) and surname(fold(name)):
        user = _user(view)
        draft = Draft(
            type="identity", content=f"{user}叫{name}", key="identity:name", value=name, importance=4, confidence=0.9,
            seqs=view.seqs, lang="zh",
        )  # fmt: skip
        yield found_at(view, (first.start, first.end), draft)


_DIGIT: Final = "零〇一二三四五六七八九幺两洞"
_SPOKEN: Final = re.compile(rf"(?<![{_DIGIT}\d*])[一幺][{_DIGIT}]{{2}}\*{{4}}[{_DIGIT}]{{4}}(?![{_DIGIT}\d])")
_PHONE_TALK: Final = re.compile(r"电话|手机|号码|联系方式|打给我|打我|找我|联系我|换号|新号|拨|留个号")
_VALUES: Final = str.maketrans(_DIGIT, "00123456789120")


def _phones(view: View) -> Iterator[Found]:
    """Yield a masked mobile number that was read out in characters, with its figures."""
    if not _PHONE_TALK.search(view.folded + (fold(view.asked.content) if view.asked else "")):
        return
    for found in _SPOKEN.finditer(view.folded):
        number = found.group().translate(_VALUES)
        clause = view.clause(found.start())
        before = view.folded[clause.start : found.start()]
        if not clause.flags & (_UNREAL | Flag.OTHER) and not re.search(r"[他她]|朋友|同事|客服|商家|房东", before):
            yield contact_fact(view, found.span(), number)


def _user(view: View) -> str:
    return "用戶" if is_traditional(view.text) else "用户"


def _told(view: View, clause: Clause, type: str, content: str, value: str) -> Found:
    draft = Draft(
        type=type,
        content=content,
        value=value,
        importance=3,
        confidence=confidence(SURE, clause),
        seqs=view.seqs,
        lang="zh",
    )
    one = found_at(view, (clause.start, clause.end), draft)
    one.kept = "statement"
    return one


def find(view: View) -> Iterator[Found]:
    """Yield what a message says of the user and theirs by the way."""
    yield from _pets(view)
    yield from _parents(view)
    yield from _names(view)
    yield from _phones(view)
