"""Corrections of any fact, keyed or not: a later message brings a new value, and the fact comes again with it.

What is replaced lies in the same slot as the new value: a day, a time, a number of the same unit, an address of the same
street, a word of the same closed class, a place behind the same verb, a name that is written almost alike. A correction is
only taken for one if it says so ("no", 打错了, "X not Y") and adds nothing of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Final

from zhiji.extract import contrasts, dates, keyboard, lexicon
from zhiji.extract.facts import Found, found_at, key_form, tidy
from zhiji.extract.fold import fold
from zhiji.extract.view import Clause, Flag, View

# --- what says that the last thing was wrong ---------------------------------------------------------------------

_SAYS_SO: Final = re.compile(
    r"(?:写|打|说|输|弄|搞|填|记|看|选|拿|念|讲|发|按|敲|听|报)(?:字)?(?:岔|错|反|串|混)|(?:写|打|输|填)(?:漏|少|多)了|[多少漏](?:了|打|写)*一?个(?:字|[a-z](?![a-z]))|(?:^|[\s,。!])错(?:了|别字|一个字)|字[旁头底]的?[一-鿿]|(?:^|\n)\s*\*(?=\S)|(?<!对)不对(?!称|劲|的)|更正|纠正|口误|手[滑快误抖]|眼[花瞎]|嘴瓢|[犯老]?糊涂|打太快|打快了|[哦啊呃诶哎噢]不(?![好行错会是])|(?:^|[\s,。!])[哦啊呃诶哎噢呀]*不(?:行|成|啱)(?=$|[\s,。!])|来不及|赶不[上及]|搬(?:了|走|到|去)|说反|写反|(?:^|[\s,。!])(?:多|少)了[一两俩几]|[哦啊呃诶哎噢呀]不是(?=$|[\s,。!])|(?:^|[\s,。!])不不|(?:^|[\s,。!])(?:不是|没)(?=[\s,])|不是[^,。!?\s]{1,12}[\s,]*(?:而|应该)?是|(?:^|[\s,。!])(?:等等|等下|等一下)(?=$|[\s,])|"
    r"(?<!能不能)(?<!可以)改(?:成|为|到|做|期|回|约|(?=下?个?(?:周|星期|礼拜)|\d|明|后天|上午|下午|今|晚上|[一二三四五六七八九十两]{1,3}[点号]))|(?:现在|而家|已经)(?:改)?叫(?!我|你|车|外)|换(?:成|到|回)|(?:推|挪|延|提前|移)(?:迟|后|到|至)|(?:^|[\s,。!])(?:应该是|其实是|要不(?!然)|(?:还是|都是)[^,。!?\s]{1,10}(?:吧|啦|了))|定了|不改了|"
    r"\b(?:oops|whoops|argh|arg|correction|typo|fat fingers?|my (?:bad|mistake)|i meant?|i mean|meant|make (?:it|that)|moved? (?:it|to)|pushed (?:it )?(?:back|to)|scratch that|was right|misread|mistyped|misspoke|nope|no no|no wait|not that|(?:changed|switch(?:ed)?) (?:it |that )?to|wrong (?:number|one|name|address|date|day|time|street))\b|"
    r"(?:^|[.!?\n]\s*)(?:ugh|so?rr?y|soz|wait|well(?=,)|hang on|hold on|no(?! (?:problem|worries|prob|need|rush|idea|matter|way|doubt|wonder))|nah|actually|hmm+)\b|\bso?rr?y\b(?! (?:to|for|about|if|i)\b)|\bactually\W*(?=$|[.,!])|\bits? [^.!?,]{1,24} now\b|\bit's [^.!?,]{1,24} now\b|[a-z\d] not [a-z\d]|(?:^|[\s,])not [a-z\d]|"
    r"\bw(?:ith)?/? an? [a-z]\b|\bspel(?:t|led)\b|([一-鿿])[一-鿿]的\1|[一-鿿]([一-鿿])的\2|(?:^|[\s,。!])(?:应该)?是(?P<char>[一-鿿])[\s,]+[一-鿿]{1,2}(?P=char)"
)
_FUNCTION: Final = re.compile(
    r"[\s,.!?:;。…~]|[^\w一-鿿]|是|的|了|改成?|换成?|到|在|为|就|吧|啦|啊|呀|哈|哦|噢|诶|哎|呃|应该|其实|才|对|还|都|要|定|那|这|个|我|你|说|写|错|打|看|岔|字|不好意思|抱歉|先|给|把|去|寄|返|来|往|好(?:些|点)?|不|没|选|一|时候|而|送|约|"
    r"\b(?:it|its|it's|is|was|the|on|at|to|for|in|by|from|make|made|change|changed|that|that's|thats|moved|move|push|i|mean|meant|no|not|nah|wait|sorry|oops|argh|ugh|typo|now|actually|should|be|been|have|right|first|time|instead|rather|my|bad|mistake|please|pls|lol|haha|sorry|a|an|of|of course|then|but|and|so|we|they|just|ok|okay|with|yes|hang|hold|rung)\b"
)
MAX_REST: Final = (4, 2)
"""Chinese characters and English words that a correction may have beside its new value and its function words."""
MAX_REST_ECHOED: Final = (12, 5)
"""The same, where the assistant has just repeated the old value, so that both are plainly about it."""

# --- slots --------------------------------------------------------------------------------------------------------

_DAY: Final = (
    r"(?:(?:下下?|这|本|上)?个?(?:周|星期|礼拜)[一二三四五六日天末]|工作日|周末|(?:\d{2,4}年)?(?:农历|阴历)?(?:\d{1,2}|[一二三四五六七八九十]{1,3})月(?:\d{1,2}|[初廿一二三四五六七八九十]{1,3})[日号]?|(?<!\d)\d{1,2}[日号](?![楼院])|[一二三四五六七八九十]{1,3}号(?!楼)|今天|明天|后天|大后天|听日|后日|"
    r"\b(?:(?:next|this) )?(?:mon|tues?|wed(?:nes)?|thur?s?|fri|sat(?:ur)?|sun)(?:day)?\b|\b(?:today|tomorrow|tmrw|tmr)\b|\b\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]* \d{1,2}(?:st|nd|rd|th)?\b|\b\d{1,2}(?:st|nd|rd|th)\b)"
)
_TIME: Final = (
    r"(?:(?:上午|下午|早上|晚上|中午|凌晨|傍晚|清早|夜里|上昼|下昼|晚)?(?:\d{1,2}:\d\d|(?:\d{1,2}|[一二三四五六七八九十两]{1,3})[点时](?:半|一刻|三刻|整|(?:\d{1,2}|[一二三四五六七八九十]{1,3})分?)?)|(?:上午|下午|早上|晚上|中午|傍晚|上昼|下昼)|"
    r"\b\d{1,2}(?::\d\d)? ?(?:am|pm)\b|\b\d{1,2}:\d\d\b|\bnoon\b|\bmidnight\b|\b(?:in the )?(?:morning|afternoon|evening)\b)"
)
_WHEN: Final = re.compile(rf"(?P<day>{_DAY})?(?:[\s,]|(?<=[a-z]) at | at |的)*(?P<time>{_TIME})?")
_IS_DAY, _IS_TIME = re.compile(_DAY), re.compile(_TIME)
_UNIT: Final = (
    r"(?:码|号楼?|岁|斤|公斤|kg|g\b|克|厘米|cm|米|平米?|平方|块|元|万|个|只|条|口|人|位|次|年级?|班|楼|层|栋|幢|室|单元|本|件|瓶|杯|盒|包|箱|袋|双|套|份|片|粒|升|ml|毫升|寸|吋|gb|g|%|度|公里|km|k\b|分钟?|小时|天|周|月|"
    r" ?(?:years?|yrs?|kids?|people|persons?|guests?|nights?|days?|weeks?|hours?|mins?|minutes?|bottles?|boxes|packs?|pairs?|pieces|lbs?|pounds|stone|miles?|dollars|bucks|quid|euros?|inch(?:es)?|ft|feet|seats?|tickets|bags|cups|copies)\b)"
)
_NUMBER: Final = re.compile(
    rf"(?<![a-z\d.])(?P<n>\d+(?:[.,]\d+)?)(?![\d:])(?P<u>{_UNIT})?|(?P<h>[一二三四五六七八九十百千万两俩]+)(?P<hu>{_UNIT})"
)
_VALUE: Final = re.compile(rf"{_DAY}|{_TIME}|{_NUMBER.pattern}")
"""A day, a time or a number."""
_CLASSES: Final = tuple(
    re.compile(rf"(?:{words})")
    for words in (
        r"红色?|蓝色?|绿色?|黑色?|白色?|灰色?|粉色?|紫色?|黄色?|橙色?|棕色|米色|卡其色?|藏青|墨绿|银色|金色",
        r"\b(?:red|blue|navy|green|black|white|gr[ea]y|pink|purple|yellow|orange|brown|beige|silver|gold|teal)\b",
        r"超大杯|大杯|中杯|小杯|特大杯", r"全糖|半糖|三分糖|七分糖|无糖|少糖|微糖|五分糖", r"去冰|少冰|多冰|正常冰|常温|热的?|冰的?|温的?",
        r"\b(?:small|medium|large|extra large|xxl|xl|xs|xxs)\b|(?<![a-z])(?:xxl|xl|xs|[sml])码?(?![a-z])",
        r"靠窗|靠过道|走廊位?|过道位?|窗边位?", r"\b(?:window|aisle|middle)\b", r"左[边侧手脚腿眼耳膝]?|右[边侧手脚腿眼耳膝]?", r"\b(?:left|right)\b",
        r"顺丰|中通|圆通|申通|韵达|京东|邮政|ems|极兔|德邦", r"微信|支付宝|银行卡|信用卡|花呗|现金", r"一等座|二等座|商务座|硬卧|软卧|硬座|经济舱|商务舱|头等舱",
        r"大儿子|小儿子|儿子|大女儿|小女儿|女儿", r"特辣|重辣|中辣|微辣|不辣|免辣", r"\b(?:mild|medium|spicy|extra hot|hot)\b", r"\b(?:rare|medium rare|medium well|well done)\b",
        r"\b(?:email|e-mail|text|sms|whatsapp|phone|call|post)\b", r"周[一二三四五六日天]|星期[一二三四五六日天]",
        r"(?:ab|a|b|o)型", r"\b(?:oat|soya?|almond|coconut|cashew|rice|whole|skim(?:med)?|semi-skimmed|full-fat|lactose-free)(?: milk)?\b|燕麦奶|豆奶|杏仁奶|椰奶|全脂奶?|脱脂奶?|低脂奶?",
        r"小[一二三四五六]|初[一二三]|高[一二三]|中[一二三四五六](?=$|[^一-鿿]|[的了先啊吧呀])|大[一二三四](?=$|[^一-鿿]|[的了先啊吧呀])|幼儿园[小中大]班|研[一二三]", r"\b(?:vegan|vegetarian|veggie|pescatarian|pescetarian|flexitarian|omnivore|halal|kosher|keto|paleo|carnivore|coeliac|celiac)\b",
        r"全素|纯素|蛋奶素|素食|吃素|鱼素|清真", r"\b(?:freshman|sophomore|junior|senior|first year|second year|third year|final year)\b",
        lexicon.CITIES, r"\b(?:mum|mom|dad|brother|sister|wife|husband|son|daughter|grandma|grandpa|nan|aunt|uncle)\b",
    )
)  # fmt: skip
"""Words of which a fact has one at a time."""
_OBJECT: Final = re.compile(
    r"(?P<verb>寄|送|去|到|住在?|搬|飞|发|在|约在|定在|返|回)(?:去|到|往|返|回|给|俾)?(?P<what>[一-鿿A-Za-z0-9]{2,8}?)(?=$|[\s,。!?吧啦啊呀哈个嗰那这]|好[些点啲]|就|才|工作|上班|出差|开会|旅[游行]|度假|探亲|玩|的|[^\w一-鿿])"
)
_SUFFIX: Final = re.compile(r"\s?[（(]\d{4}-\d\d(?:-\d\d)?[^）)]*[）)]")
_NOT_OLD: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?P<new>[\w'.@-]+(?: [\w'.-]+){0,2}?),? (?:and )?not (?P<old>[\w'.@-]+(?: [\w'.-]+){0,2}?)(?=\s*(?:[,.!?;\n]|$)| (?:i|we|my|he|she)\b)",
        r"\bnot (?:the )?(?P<old>[\w'.@-]+(?: [\w'.-]+){0,2}?)(?:,| but| -|;)+ ?(?:(?:it'?s|its|i meant?|i mean|but) )?(?P<new>[\w'.@-]+(?: [\w'.-]+){0,2}?)(?=\s*(?:[,.!?;\n]|$))",
        r"不是(?P<old>[^,。!?;\s]{1,12}?)[,\s]*(?:而)?(?:应该)?是(?P<new>[^,。!?;\s]{1,20})",
        r"(?:是|叫|要|应该是|改成)?(?P<new>[^,。!?;\s是]{1,12})[,\s]*(?:,|\s)?不是(?P<old>[^,。!?;\s]{1,12})",
    )
)
_EMAIL: Final = re.compile(r"[\w.+*-]+@[\w.-]+\.\w+")


@dataclass(frozen=True, slots=True)
class Change:
    """A fact as a message has corrected it."""

    found: Found
    replaced: tuple[Found, ...]
    spans: tuple[tuple[int, int], ...]
    """Clauses of the message that say nothing beyond the correction."""


@dataclass(frozen=True, slots=True)
class _Swap:
    start: int
    end: int
    """Of the new value, in the message."""
    old: str
    new: str
    content: str
    """The corrected fact."""


def corrected(view: View, said: Sequence[Found], echo: str) -> Iterator[Change]:
    """Yield the earlier facts that a message corrects. ``echo`` is what the assistant said between them."""
    standing = [one for one in said if one.draft.op == "assert" and not one.withdrawn_by and one.seq < view.message.seq]
    bare = bool(echo) and "?" not in fold(echo) and any(contrasts.is_bare(view, one, _VALUE) for one in view.clauses)
    if not standing or len(view.text) > MAX_CHARS or not (bare or says_so(view)):
        return
    for seq in sorted({one.seq for one in standing}, reverse=True)[:MAX_BACK]:
        facts = [one for one in standing if one.seq == seq]
        changes = [(one, swap) for one in facts if (swap := _swap(view, one, echo))]
        if changes:
            for one, swap in changes:
                fixed, used = _fixed(view, one, swap), list(_clauses(view, swap))
                if second := _second(view, fixed, swap, one, echo):
                    fixed, used = _fixed(view, fixed, second), [*used, *_clauses(view, second)]
                yield Change(fixed, (one,), tuple(used))
            return


_OF_SOMEBODY: Final = re.compile(r"[我你他她佢]|\b(?:i|i'?m|my|he|she|they|his|her|their)\b")
"""Whose business a clause tells: no more of the correction."""


def _second(view: View, fixed: Found, first: _Swap, one: Found, echo: str) -> _Swap | None:
    """Return what a later clause puts right in the same task: its time or a number with its unit (6位, 8点半)."""
    content = _SUFFIX.sub("", fixed.draft.content)
    told = one.seq == max((*one.draft.seqs, 0)) and bool(echo)
    for clause in view.clauses if one.draft.type == "task" else ():
        if clause.start < first.end or clause.flags & (Flag.REPORTED | Flag.HYPOTHETICAL) or "?" in clause.mark:
            continue
        if _OF_SOMEBODY.search(view.folded, clause.start, clause.end):
            continue
        for slot in (_when, _unit):
            swap = slot(view, clause, content, fold(content))
            if (
                swap
                and fold(swap.old).strip() != fold(swap.new).strip()
                and fold(swap.old).strip() != fold(first.new).strip()
                and _near(view, swap)
                and _adds_nothing(view, clause, swap, content, echoed=told and _echoes(echo, swap.old))
            ):
                return swap
    return None


MAX_CHARS: Final = 120
"""Whoever corrects something is brief."""
NEAR: Final = 40
"""Characters between the words that call something wrong and the new value, at most."""
MAX_BACK: Final = 2
"""Messages with facts that a correction may reach back over."""


def _fixed(view: View, one: Found, swap: _Swap) -> Found:
    draft = one.draft
    value = draft.value
    if isinstance(value, str):
        value = (
            value.replace(swap.old, swap.new)
            if swap.old and swap.old in value
            else swap.content
            if value == draft.content
            else value
        )
    content, dated = _SUFFIX.sub("", swap.content), _SUFFIX.search(draft.content)
    when = next(iter(dates.find(fold(content), view.message.time)), None) if dated else None
    if when is not None:
        content += f"（{when}）" if draft.lang == "zh" else f" ({when})"
        value = str(when) if draft.type == "task" else value
    family, _, name = (draft.key or "").rpartition(".")
    old = key_form(swap.old)
    key = f"{family}.{name.replace(old, key_form(swap.new))}" if family and old and old in name else draft.key
    fixed = replace(draft, content=content, value=value, key=key, seqs=tuple(sorted({*draft.seqs, *view.seqs})))
    return found_at(view, (swap.start, swap.end), fixed)


def _clauses(view: View, swap: _Swap) -> Iterator[tuple[int, int]]:
    """Yield the clauses that the correction uses up: of the new value, and those that still name the old one."""
    old = fold(swap.old).strip()
    for clause in view.clauses:
        words = view.folded[clause.start : clause.end]
        if (clause.start < swap.end and clause.end > swap.start) or (len(old) > 1 and old in words):
            yield clause.start, clause.end


def _swap(view: View, one: Found, echo: str) -> _Swap | None:
    content = _SUFFIX.sub("", one.draft.content)
    folded = fold(content)
    for pattern in _NOT_OLD:
        for match in pattern.finditer(view.folded):
            old, new = (tidy(view.text[slice(*match.span(name))]) for name in ("old", "new"))
            new = re.sub(
                r"^(?:(?:argh|no|wait|sorry|oops|ugh|its|it's|it is|is|i said|nah|was|to|the|on)\b[\s,]*)+",
                "",
                new,
                flags=re.I,
            )
            found = _word(folded, fold(old)) if old and new and fold(old) != fold(new) else None
            if found:
                return _Swap(match.start(), match.end(), content[slice(*found)], new, _put(content, found, new))
    if typed := keyboard.meant(view, content) or contrasts.meant(view, content):
        start, end, old, new = typed
        return _Swap(start, end, old, new, content.replace(old, new))
    told = one.seq == max((*one.draft.seqs, 0)) and bool(echo)
    moved = [clause for clause in view.clauses if _MOVES.search(view.folded, clause.start, clause.end)]
    bare = [clause for clause in view.clauses if contrasts.is_bare(view, clause, _VALUE)]
    for clause in moved or [*bare, *(one for one in view.clauses if one not in bare)]:
        words = view.folded[clause.start : clause.end]
        reported = Flag.REPORTED in clause.flags and clause not in bare
        if reported or Flag.HYPOTHETICAL in clause.flags or "?" in clause.mark or _DENIES.match(words):
            continue
        if "address" in (one.draft.key or "") and _ADDRESS.search(words) and not _street(view, clause, content, folded):
            continue  # another street brings its own number with it: ``corrections`` completes it
        for slot in (
            _email,
            _code,
            _when,
            _unit,
            _object,
            _class,
            _street,
            _chosen,
            _alike,
            _organisation,
            _proper,
            _sole,
        ):
            swap = slot(view, clause, content, folded)
            if (
                swap
                and (_near(view, swap) or (contrasts.is_bare(view, clause, _VALUE) and _echoes(echo, _core(swap.old))))
                and fold(swap.old).strip() != fold(swap.new).strip()
                and _adds_nothing(view, clause, swap, content, echoed=told and _echoes(echo, swap.old))
            ):
                return swap
    return None


def says_so(view: View) -> bool:
    """Return whether a message calls what was said before it wrong."""
    return bool(_SAYS_SO.search(view.heard) or keyboard.BLAMES.search(view.heard))


def _core(value: str) -> str:
    """Return the figures of a value, else itself: an echo repeats 28 of 28岁."""
    figure = re.search(r"\d[\d.:]*|[一二三四五六七八九十两]+", fold(value))
    return figure.group() if figure else value


def _near(view: View, swap: _Swap) -> bool:
    return any(
        found.start() - NEAR <= swap.start and swap.end <= found.end() + NEAR for found in _SAYS_SO.finditer(view.heard)
    )


_ADDRESS: Final = re.compile(
    r"[路街道巷弄村苑]\S{0,3}\d|\d+[a-z]? (?!not\b)[a-z]+ (?:st|street|rd|road|ln|lane|ave|avenue|dr|drive|way|close|court|place|terrace|square|hill|gardens|quay|crescent)\b"
)
_DENIES: Final = re.compile(
    r"\s*(?:and |but |it'?s |thats? |that's )*(?:not|isn't|wasn't)\b|\s*(?:可|并|又|才)?不是(?![吗吧])[^\s]"
)
"""A clause that only says what it is not."""


def _echoes(echo: str, old: str) -> bool:
    return bool(old.strip()) and fold(old).strip() in fold(echo)


def _adds_nothing(view: View, clause: Clause, swap: _Swap, content: str, *, echoed: bool) -> bool:
    rest = (
        view.folded[clause.start : max(swap.start, clause.start)]
        + " "
        + view.folded[min(swap.end, clause.end) : clause.end]
    )
    rest = _FUNCTION.sub(" ", _SAYS_SO.sub(" ", rest))
    known = fold(content)
    han = [char for char in re.findall(r"[一-鿿]", rest) if char not in known]
    words = [word for word in re.findall(r"[a-z\d]+", rest) if word not in known]
    most = MAX_REST_ECHOED if echoed else MAX_REST
    return len(han) <= most[0] and len(words) <= most[1]


def _word(folded: str, old: str) -> tuple[int, int] | None:
    """Return where a word stands as a whole in a folded text: "14", not in "145"."""
    pattern = rf"(?<![a-z\d]){re.escape(old)}(?![a-z\d])" if old.isascii() else re.escape(old)
    found = re.search(pattern, folded)
    return found.span() if found else None


def _put(content: str, span: tuple[int, int], new: str) -> str:
    old = content[slice(*span)]
    if len(old) > 1 and not old[0].isdigit():
        return content.replace(old, new)
    return content[: span[0]] + new + content[span[1] :]


def _email(view: View, clause: Clause, content: str, folded: str) -> _Swap | None:
    """An address of e-mail for another."""
    new, old = _EMAIL.search(view.folded, clause.start, clause.end), _EMAIL.search(folded)
    if new is None or old is None:
        return None
    words = view.text[slice(*new.span())]
    return _Swap(*new.span(), content[slice(*old.span())], words, _put(content, old.span(), words))


def _when(view: View, clause: Clause, content: str, folded: str) -> _Swap | None:
    """A day or a time for a day or a time; both for both."""
    here = view.folded[clause.start : clause.end]
    new = next((found for found in _WHEN.finditer(here) if found["day"] or found["time"]), None)
    if new is None:
        return None
    start, end = (
        clause.start + at for at in (min(new.start(name) for name in ("day", "time") if new[name]), new.end())
    )
    after = view.folded[end : end + 24]
    new_day, new_time = new["day"], new["time"]
    words = view.text[start:end].strip()
    if new_day and not new_time and (later := re.match(rf"[\s,]*(?P<time>{_TIME})", after)):
        new_time, end = later["time"], end + later.end()
        words = view.text[start:end].strip()
    old_day, old_time = _IS_DAY.search(folded), _IS_TIME.search(folded)
    if new_day and old_day:
        both = _WHEN.match(folded, old_day.start())
        stop = both.end() if both and both["time"] and new_time else old_day.end()
        span = (old_day.start(), stop)
    elif new_time and old_time and not new_day:
        span = old_time.span()
    elif new_time and old_day and not new_day:
        return None
    else:
        return None
    held = folded[slice(*span)].strip()
    if fold(words) in held:
        return None  # names what was said before, perhaps why it will not do
    part = _PART_OF_DAY.match(held)
    if part and not new_day and re.match(r"[\d一二三四五六七八九十两]", fold(words)):
        words = part.group() + words
    return _Swap(start, end, content[slice(*span)].strip(), words, _put(content, span, words))


_PART_OF_DAY: Final = re.compile(
    r"(?:上午|下午|早上|晚上|中午|凌晨|傍晚|清早|夜里|上昼|下昼|晚)(?=[\d一二三四五六七八九十两])"
)


def _unit(view: View, clause: Clause, content: str, folded: str) -> _Swap | None:
    """A number for a number of the same unit; one without a unit for the only number there is."""
    here = view.folded[clause.start : clause.end]
    new = next((found for found in _NUMBER.finditer(here)), None)
    if new is None:
        return None
    unit, figure = (new["u"] or new["hu"] or "").strip(), "n" if new["n"] else "h"
    olds = list(_NUMBER.finditer(folded))
    fitting = [found for found in olds if (found["u"] or found["hu"] or "").strip() == unit] if unit else olds
    if not fitting or (not unit and len({found.group() for found in olds}) > 1):
        return None
    old = fitting[0]
    group = "n" if old["n"] else "h"
    start, end = clause.start + new.start(figure), clause.start + new.end(figure)
    words = view.text[start:end]
    return _Swap(
        start,
        end + len(unit),
        content[slice(*old.span(group))] + (old["u"] or old["hu"] or ""),
        words + unit,
        _put(content, old.span(group), words),
    )


def _class(view: View, clause: Clause, content: str, folded: str) -> _Swap | None:
    """A word for another of the same closed class."""
    here = view.folded[clause.start : clause.end]
    for words in _CLASSES:
        new, old = words.search(here), words.search(folded)
        if new and old and new.group() != old.group():
            start, end = clause.start + new.start(), clause.start + new.end()
            return _Swap(
                start,
                end,
                content[slice(*old.span())],
                view.text[start:end],
                _put(content, old.span(), view.text[start:end]),
            )
    return None


_STREET: Final = re.compile(r"(?P<street>[一-鿿]{2,8}?[路街道巷弄里园村苑])(?P<rest>\d[\w一-鿿-]{0,24})")


def _street(view: View, clause: Clause, content: str, folded: str) -> _Swap | None:
    """A number on the same street, with what follows it."""
    here = view.folded[clause.start : clause.end]
    for new in _STREET.finditer(here):
        for length in range(len(new["street"]), 1, -1):
            street = new["street"][-length:]
            old = re.search(re.escape(street) + r"\d[\w一-鿿-]*", folded)
            if old:
                start, end = clause.start + new.end("street") - length, clause.start + new.end()
                words = tidy(view.text[start:end])
                return _Swap(start, end, content[slice(*old.span())], words, _put(content, old.span(), words))
    return None


def _object(view: View, clause: Clause, content: str, folded: str) -> _Swap | None:
    """A place for the place behind the same verb."""
    here = view.folded[clause.start : clause.end]
    for new in _OBJECT.finditer(here):
        for old in _OBJECT.finditer(folded):
            same = new["verb"] == old["verb"] or {new["verb"], old["verb"]} <= set("寄送去到返回")
            if (
                same
                and new["what"] != old["what"]
                and not re.search("什么|哪|这|那|月底|月初|月中|年底|周|星期|号|日|点|以后|之后|时候", new["what"])
            ):
                start, end = clause.start + new.start("what"), clause.start + new.end("what")
                span = old.span("what")
                return _Swap(
                    start, end, content[slice(*span)], view.text[start:end], _put(content, span, view.text[start:end])
                )
    return None


_CHOSEN: Final = re.compile(
    r"\b(?:(?:put|mark|count|note|sign|register|list) me (?:down |up |in )?(?:as|for)|i'?ll (?:have|take|go (?:with|for))|i'd like|i would like|set (?:it|me|that) (?:to|as)|go with)(?: an?| the| some)? (?P<en>[a-z][a-z-]*(?: [a-z-]+)?)(?=$|[,.!;]| (?:for|please|pls|at|on|in|with|and)\b)|"
    r"(?:给|帮|替)?我(?:要|点|来|报|选|登记|订)(?:成|为|一?[个份杯门])?(?P<zh>[一-鿿]{1,5}?)(?=$|[,。!吧])"
)
"""What somebody chose for themselves."""
_INSTEAD: Final = re.compile(
    r"\s*(?:(?:wait|no|nah|nope|actually|sorry|oops|hmm|i mean|i meant|make (?:it|that)|as|for|the|an?|to)\s+)*(?P<en>(?!(?:thanks?|problem|worries|idea|way|need|rush|more|less|longer|that|this|it|good|great|fine|ok|really|lol|no|wait|sorry|actually|please|pls)\b)[a-z][a-z-]{2,}(?: [a-z-]{3,})?)(?: (?:please|pls|instead|then))?\s*|"
    r"\s*(?:还是|应该)?(?:要|点|报|选|是|改成|换成)(?P<zh>[一-鿿]{1,5}?)(?:吧|好了|才对|先啱|先对)?\s*"
)


def _chosen(view: View, clause: Clause, content: str, folded: str) -> _Swap | None:
    """A choice for the one that was made, where the clause names nothing else."""
    new = _INSTEAD.fullmatch(view.folded, clause.start, clause.end)
    old = _CHOSEN.search(folded) if new else None
    if new is None or old is None:
        return None
    group = "en" if new["en"] else "zh"
    if not old[group] or old[group] == new[group]:
        return None
    words = view.text[slice(*new.span(group))]
    return _Swap(*new.span(group), content[slice(*old.span(group))], words, _put(content, old.span(group), words))


_CODE: Final = re.compile(r"[一-鿿]?(?<![a-z\d])[a-z\d](?=[a-z-]*\d)[a-z\d-]{3,}")


def _code(view: View, clause: Clause, content: str, folded: str) -> _Swap | None:
    """A number of a plate, a room or a card of the same length, with most of its characters."""
    for new in _CODE.finditer(view.folded, clause.start, clause.end):
        for old in _CODE.finditer(folded):
            same = sum(a == b for a, b in zip(old.group(), new.group(), strict=False))
            if len(old.group()) == len(new.group()) and old.group() != new.group() and same * 2 >= len(new.group()):
                words = view.text[slice(*new.span())]
                return _Swap(*new.span(), content[slice(*old.span())], words, _put(content, old.span(), words))
    return None


_MOVES: Final = re.compile(
    r"改(?=成|到|为|下?个?(?:周|星期|礼拜)|\d|明|后天|上午|下午|今|晚上|[一二三四五六七八九十两]{1,3}[点号])|(?:换|挪|推迟?|提前|延)(?:成|到)|\b(?:make (?:it|that)|move (?:it|that)|change (?:it|that)|meant|i mean)\b"
)
"""A clause that brings the new value, whatever days the others name."""
_ORGANISATION: Final = re.compile(
    r"(?P<org>[一-鿿a-z0-9]{2,16}?(?:有限公司|公司|集团|工作室|事务所|商行|商店|超市|诊所|学校|幼儿园|中心|合作社|餐厅|餐馆|酒店|民宿))"
)


def _organisation(view: View, clause: Clause, content: str, folded: str) -> _Swap | None:
    """The name of a firm for the only one there is."""
    words = re.sub(
        r"^.*?(?:叫|是|为|用|写|改成|抬头)\s?(?=[一-鿿a-z0-9]{4})",
        lambda found: " " * len(found.group()),
        view.folded[clause.start : clause.end],
    )
    new, old = (
        _ORGANISATION.search(words),
        _ORGANISATION.search(
            re.sub(r"用户|要求|发票|抬头|税号|写|用|是|的|:", lambda found: " " * len(found.group()), folded)
        ),
    )
    if new is None or old is None or new["org"] == old["org"]:
        return None
    start, end = clause.start + new.start("org"), clause.start + new.end("org")
    span = old.span("org")
    return _Swap(start, end, content[slice(*span)], view.text[start:end], _put(content, span, view.text[start:end]))


_NAME: Final = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][a-z'’-]+(?: [A-Z][a-z'’-]+)*")
_NO_NAME: Final = re.compile(
    r"(?:The|User|I|I'm|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b"
)
_BRANCH: Final = re.compile(
    r"\s*(?:应该|其实)?(?:是)?(?P<v>[一-鿿]{2,4}?)(?:那[间家]|分?店)?(?:才对|才是|先啱|先对)\s*"
)
"""The branch that is meant after all: 荃灣先啱."""
_SURE: Final = re.compile(
    r"[写打说输弄搞填记看选拿念讲]错|手[滑快误抖]|打[太得]?快|([一-鿿])[一-鿿]的\1|[一-鿿]([一-鿿])的\2|(?:^|[\s,。!])(?:应该)?是(?P<char>[一-鿿])[\s,]+[一-鿿]{1,2}(?P=char)|不对|更正|口误|搬(?:了|走)|\b(?:oops|whoops|argh|correction|typo|i meant?|i mean|my bad|my mistake|wrong)\b"
)


def _proper(view: View, clause: Clause, content: str, folded: str) -> _Swap | None:
    """A name for the only name there is, where the last message is plainly called wrong."""
    if not _SURE.search(view.heard):
        return None
    names = [found for found in _NAME.finditer(content) if not _NO_NAME.match(found.group())]
    new = next(
        (
            found
            for found in re.finditer(r"\b[A-Z][a-z'’-]+(?: [A-Z][a-z'’-]+)*", view.text[clause.start : clause.end])
            if not _NO_NAME.match(found.group()) and not _SURE.search(fold(found.group()))
        ),
        None,
    )
    if new and len(names) == 1:
        start, end = clause.start + new.start(), clause.start + new.end()
        return _Swap(start, end, names[0].group(), new.group(), _put(content, names[0].span(), new.group()))
    said = re.fullmatch(
        r"\s*(?:应该|现在|而家|如今)*(?:是|叫|住在?|在)\s*(?P<v>[一-鿿]{2,8}?)(?:[啊呀啦吧才对]*)\s*",
        view.folded[clause.start : clause.end],
    )
    held = re.search(r"(?:住在|搬到|在|来自|叫|学校是|家乡是|单位是)(?P<v>[一-鿿]{2,8})$", folded)
    if said is None and (branch := _BRANCH.fullmatch(view.folded, clause.start, clause.end)):
        held = re.search(rf"(?P<v>[一-鿿]{{{len(branch['v'])}}})(?:那[间家]|分店|店)", folded)
        start, end = branch.span("v")
        if held and held["v"] != branch["v"]:
            return _Swap(
                start,
                end,
                content[slice(*held.span("v"))],
                view.text[start:end],
                _put(content, held.span("v"), view.text[start:end]),
            )
        return None
    named = held is not None and folded[held.start("v") - 1] == "叫"
    misheard = named and said is not None and held is not None and len(said["v"]) != len(held["v"])
    if said and held and not _NUMBER.fullmatch(said["v"]) and not (misheard and not lexicon.surname(said["v"])):
        start, end = clause.start + said.start("v"), clause.start + said.end("v")
        return _Swap(
            start,
            end,
            content[slice(*held.span("v"))],
            view.text[start:end],
            _put(content, held.span("v"), view.text[start:end]),
        )
    return None


_PLAIN_NO: Final = re.compile(
    r"^\s*(?:[哦啊呃诶哎噢呀]+)?(?:不对|不是|错了|说错了?|打错了?|口误)|^\s*(?:(?:wait|oops|sorry|ah|oh|hang on|actually)[\s,.]*)*(?:no|typo|wrong|oops|i meant?)\b"
)
_NEW_VALUE: Final = re.compile(
    r"\s*(?:应该|其实)?是(?!对)(?P<zh>[一-鿿a-z]{1,5}?)(?:啦|才对|啊|呀|来着)?\s*|\s*(?:(?:wait|no|oops|sorry|i meant?|it'?s|an?|the|typo)[\s,]+)*(?P<en>(?!(?:thanks?|problem|worries|idea|way|need|rush|more|less|longer|that|this|it|good|great|fine|ok|really|lol|no|wait|sorry|actually|please|pls|but|not|never)\b)[a-z0-9]{3,}(?: [a-z0-9]+)?)\s*"
)
_LAST_VALUE: Final = re.compile(
    r"对(?P<a>[一-鿿]{1,5})过敏$|(?:学|吃|喝|养|开|用(?!户)|玩|练|报|选|买|爱|喜欢|弹|拉|读|教)(?:了|的是|过|着)?(?P<zh>[一-鿿a-z]{1,5})$|\b(?:drives?|plays?|speaks?|studies|study|eats?|drinks?|uses?|prefers?|likes?|loves?|allergic to|owns?|rides?|teach(?:es)?|learning|wears?)(?: an?| the)? (?P<en>[a-z0-9]+(?: [a-z0-9]+)?)$"
)


def _sole(view: View, clause: Clause, content: str, folded: str) -> _Swap | None:
    """What somebody drives, plays or cannot stand for what they said they do, behind a plain "no"."""
    new = _NEW_VALUE.fullmatch(view.folded, clause.start, clause.end) if _PLAIN_NO.match(view.heard) else None
    old = _LAST_VALUE.search(folded) if new else None
    if new is None or old is None or bool(new["en"]) != bool(old["en"]):
        return None
    group, held = ("en", "en") if new["en"] else ("zh", "a" if old["a"] else "zh")
    words = view.text[slice(*new.span(group))]
    span = old.span(held)
    return _Swap(*new.span(group), content[slice(*span)], words, content[: span[0]] + words + content[span[1] :])


_SAID_AS: Final = re.compile(r"^(?:[\s,!]|诶|哎|噢|哦|啊|不|错|应该|其实|是|叫|写|改成|改为|我叫|名字)*")


def _alike(view: View, clause: Clause, content: str, folded: str) -> _Swap | None:
    """A name for one that is written almost alike: 闻麓 for 闻鹿, Catherine for Katherine."""
    here = view.folded[clause.start : clause.end]
    lead = _SAID_AS.match(here)
    begin = clause.start + (lead.end() if lead else 0)
    words = tidy(view.text[begin : clause.end])
    value = re.sub(r"(?:股份|科技)?(?:有限)?(?:责任)?公司$", "", fold(words)) or fold(words)
    words = words if len(value) < MAX_NAME_CHARS else words[: len(value)]
    introduced = bool(lead and lead.group().strip())
    if re.fullmatch(r"[一-鿿]{2,6}", value) and (introduced or _SURE.search(view.heard)):
        places = sorted(
            range(len(folded) - len(value) + 1), key=lambda at: folded[max(0, at - 1) : at] not in tuple("叫是姓写")
        )
        for at in places:
            window = folded[at : at + len(value)]
            equal = sum(a == b for a, b in zip(window, value, strict=True))
            if (
                window != value
                and equal >= (len(value) / 2 if len(value) <= MAX_NAME_CHARS else len(value) - 1)
                and not re.search(r"用户|[\s,:（]", window)
            ):
                return _Swap(
                    begin, clause.end, content[at : at + len(value)], words, _put(content, (at, at + len(value)), words)
                )
    brief = len(view.folded[clause.start : clause.end].split()) <= MAX_NAMING_WORDS
    for new in re.finditer(r"[A-Z][\w'-]{2,}" if brief else r"(?!)", view.text[clause.start : clause.end]):
        for old in re.finditer(r"[A-Za-z][\w'-]{2,}", content):
            close = SequenceMatcher(None, new.group().lower(), old.group().lower()).ratio()
            if MIN_ALIKE <= close < 1 and old.group()[0].isupper():
                start, end = clause.start + new.start(), clause.start + new.end()
                return _Swap(start, end, old.group(), new.group(), _put(content, old.span(), new.group()))
    return None


MAX_NAME_CHARS: Final = 4
MAX_NAMING_WORDS: Final = 6
MIN_ALIKE: Final = 0.7
"""Share of letters in order that two spellings of one name have in common (Jon, John: 0.86; Katherine, Catherine: 0.89)."""
