"""Things with a date: plans, appointments and deadlines (tasks), and what happened on a day (events).

The sentence keeps its words and gets the absolute date beside them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, time
from typing import Final

from zhiji.extract import dates, lexicon
from zhiji.extract.facts import Found, found_at, retell
from zhiji.extract.fold import fold
from zhiji.extract.lexicon import surname
from zhiji.extract.view import Clause, Flag, View
from zhiji.types import Draft

_ACTS_ZH: Final = re.compile(
    r"要|得|去|交|考|面试|出差|开会|拔牙|生日|结婚|搬家|体检|复查|手术|续费|还款|到期|截止|出发|飞|旅[行游]|答辩|上课|参加|约|看(?:医生|牙|病)|打疫苗|取|接|送|拍|办|入职|离职|回家|回老家|婚礼|聚会|比赛|演出|开学|毕业|预约|到货|聚餐|请客|上班|值班|团建|搬|装修|生孩子|预产期|有[个场节]|有(?:课|会|约|事|安排|面试|考试|活动|比赛|饭局)|大寿|寿宴|满月|周年|纪念日|开业|聚|见|请|陪|带|提醒|交稿|报名|汇报|见客户"
)
_PAST_ZH: Final = re.compile(
    r"下的?单|买的?|买了|收到|签收|退的?|寄的?|寄了|到的|换的|拿到|结婚|搬|入职|领证|订婚|离婚|升职|开业|提车|毕业|手术|生了|去了|去过|摔|住院|出院|确诊|打了|做了|开始|换了|辞职|发的货|付的?款|付了"
)
_ACTS_EN: Final = re.compile(
    r"\b(?:due|deadline|appointment|meeting|interview|exam|test|flight|fly|flying|trip|travel|wedding|birthday|surgery|dentist|doctor|checkup|check-up|visit|moving|move|party|conference|presentation|class|lesson|concert|race|marathon|rent|bill|renew|renewal|expires?|runs? out|is up|ends?|starts?|submit|pick up|drop off|leave for|leaving|going to|hand in|pay|finish|meet|have to|need to|must|scheduled|booked|reservation|dinner|anniversary|vacation|holiday|remind|call|defen[cs]e|graduat)"
)
_PAST_EN: Final = re.compile(
    r"\b(?:ordered|bought|purchased|received|got|returned|shipped|mailed|sent|had (?:surgery|an? )|started|moved|married|graduated|broke|visited|went|finished|quit|adopted|paid|cancelled|canceled)\b"
)
_NOT_MINE: Final = re.compile(
    r"见[啦吧哦~]?$|聊[啦吧]?$|\bsee (?:you|ya)|\bcya\b|talk tomorrow|天气|下雨|下雪|气温|股市|比赛几点|放假|吗|weather|rain|snow|forecast|stock market"
)
_NOT: Final = Flag.QUESTION | Flag.HYPOTHETICAL | Flag.REPORTED
_TO_MACHINE: Final = re.compile(
    r"^\s*(?:\d+ (?:nights?|people|persons?|adults?)|starting|leaving|book (?:it|one|that|me|a)|(?:can|could) you|that sounds|叫我|喊我|帮我查|帮我看|告诉我|tell me|show me|what|which)"
)


def find(view: View, found: Sequence[Found]) -> Iterator[Found]:
    """Yield the dated tasks and events of a user message that no other rule has read."""
    for when in dates.find(view.folded, view.message.time):
        clause = view.clause(when.start)
        if clause.flags & _NOT or _covered(clause, when, found):
            continue
        words, lang = view.words(clause), "zh" if re.search("[一-鿿]", view.words(clause)) else "en"
        folded = fold(words)
        if _NOT_MINE.search(folded) or _TO_MACHINE.match(folded) or len(words) > 90:
            continue
        past = when.day < view.message.time.date()
        if not _is_mine(view, clause, when, folded, lang, past):
            continue
        patterns = (_PAST_ZH, _PAST_EN) if past else (_ACTS_ZH, _ACTS_EN)
        rest = view.folded[clause.start : when.start] + " " + view.folded[when.end : clause.end]
        appointed = when.clock and not past
        if not (appointed or any(pattern.search(rest) for pattern in patterns)) or not re.search(
            r"\w{2}|[一-鿿]", rest
        ):
            continue
        yield _dated(view, clause, when, words, "zh" if lang == "zh" else "en", past)


def _is_mine(view: View, clause: Clause, when: dates.When, folded: str, lang: str, past: bool) -> bool:
    """Return whether a dated clause is about the user or their family."""
    if (
        re.search(r"(?<!我)的生日|(?<!my )birthday", folded)
        and not re.match(r"我?生日", folded[:3])
        and "的生日" in folded
    ):
        return False
    if lang == "en" and not past and _TOLD_EN.search(folded):
        return False
    if lang == "en":
        return Flag.OTHER not in clause.flags or bool(re.search(r"\bmy\b", folded)) or not past
    if Flag.OTHER in clause.flags:
        return bool(_KIN.match(folded)) and "生日" not in folded
    lead = view.folded[clause.start : when.start].strip()
    named = surname(lead) and len(lead) in (2, 3) and not _DEADLINE.search(folded)
    return not named and not re.search(r"的?(?:时间|日期)(?:是|在|为)", folded) and len(lead) <= 12


_KIN: Final = re.compile(rf"我们?家?的?(?:{lexicon.KIN_ZH})")
_TOLD_EN: Final = re.compile(
    r"^(?:so |and )?(?:i|we|my \w+)(?: \w+ly)? (?!need)(?:\w+ed|went|had|got|was|were|met|saw|took|made|gave|ran|did)\b"
)
"""Told of the past: "on Friday" is then the last one, and no task."""
_DEADLINE: Final = re.compile(
    r"到期|截止|续费|还款|交(?:租|房租|稿|作业|费)|考试|面试|答辩|会议|体检|婚礼|预产期|航班|机票|火车"
)


def _covered(clause: Clause, when: dates.When, found: Sequence[Found]) -> bool:
    return any(one.start <= when.start and one.end >= when.end for one in found) or any(
        one.draft.type == "task" and one.start >= clause.start and one.end <= clause.end for one in found
    )


def _dated(view: View, clause: Clause, when: dates.When, words: str, lang: str, past: bool) -> Found:
    told = retell(words, "zh") if lang == "zh" else _told_en(words)
    content = f"{told}（{when}）" if lang == "zh" else f"{told} ({when})"
    local = view.message.time.tzinfo or UTC
    draft = Draft(
        type="event" if past else "task",
        content=content,
        value=str(when),
        importance=3 if past else 4,
        confidence=0.6 if Flag.HEDGED in clause.flags else 0.9,
        seqs=view.seqs,
        lang=lang,
        occurred_at=datetime.combine(when.day, time(), tzinfo=local) if past else None,
    )
    return found_at(view, (clause.start, clause.end), draft)


def _told_en(words: str) -> str:
    if re.match(r"(?:i|i'm|im|i've|i'll|i'd|my)\b", fold(words)):
        return retell(words, "en")
    return f"The user: {words}"


def with_dates(found: Found, view: View) -> Found:
    """Return a fact whose clause names a day with the absolute date beside its words."""
    when = next((one for one in dates.find(view.folded[found.start : found.end], view.message.time)), None)
    if when is None or str(when) in found.draft.content:
        return found
    date = f"（{when}）" if found.draft.lang == "zh" else f" ({when})"
    return replace(found, draft=replace(found.draft, content=found.draft.content + date))
