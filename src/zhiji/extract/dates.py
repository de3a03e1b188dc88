"""Dates in words → absolute local dates: 明天下午四点, 下个月 1 号, next Tuesday, in 3 days, 下周, in October.

A date is resolved from the time of the message in that time's own zone; the words stay beside it, so that a wrong guess
can still be read. A day becomes ``2026-03-11``, a week ``2026-03-16~2026-03-22``, a month ``2026-10``. Days that come again and
again (每周二, ``Tuesdays``) and lunar dates are none.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Final, Literal

from zhiji.extract.fold import fold
from zhiji.types import Draft, Message


@dataclass(frozen=True, slots=True)
class When:
    """A date found in a folded text."""

    start: int
    end: int
    day: date
    clock: str = ""
    """``HH:MM`` if the words say a time of day."""
    last: date | None = None
    """The last day, if the words name a week or a month; ``day`` is the first."""
    is_relative: bool = False
    """Whether the same words mean another day when they are read on another day."""

    def __str__(self) -> str:
        """Return ``2026-03-11``, ``2026-03-11 16:00``, ``2026-03-16~2026-03-22`` or ``2026-10``."""
        if self.last is None:
            return f"{self.day.isoformat()} {self.clock}".strip()
        whole_month = self.day.day == 1 and self.last.month == self.day.month and (self.last - self.day).days > WEEK
        return f"{self.day:%Y-%m}" if whole_month else f"{self.day.isoformat()}~{self.last.isoformat()}"

    @property
    def end_day(self) -> date:
        """The last day that it names."""
        return self.last or self.day


WEEK: Final = 7
LAST_MONTH: Final = 12


_DIGITS: Final = {char: number for number, char in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_N: Final = r"(?:\d{1,2}|[零一二两三四五六七八九十]{1,3})"
_DAYS: Final = {"今儿": 0, "明儿": 1, "后儿": 2, "昨儿": -1, "听朝": 1, "琴晚": -1, "寻晚": -1, "大后日": 3, "大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "今天": 0, "今日": 0, "今晚": 0, "今早": 0, "明天": 1, "明日": 1, "明早": 1, "明晚": 1, "听日": 1, "听晚": 1, "琴日": -1, "寻日": -1, "后天": 2, "后日": 2, "大后天": 3}  # fmt: skip
_WEEKDAYS: Final = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6, "末": 5}
_DAYPART: Final = r"(?P<part>凌晨|清晨|早上|上午|早|朝早|朝|中午|下午|下昼|傍晚|晚上|晚|夜晚|夜里)?"
_CLOCK: Final = rf"(?:那天)?\s*{_DAYPART}\s*(?:(?P<hour>{_N})\s*(?:[点點时](?!钟头)|:)\s*(?P<minute>半|{_N})?分?)?"
_AGAIN: Final = r"(?<!每)(?<!每个)(?<!每到)(?<!逢)"
_WEEK: Final = r"(?:周|星期|礼拜)"
_STREET: Final = "路街巷弄道里胡同村屯园区镇坊位座栋幢"
"""Ends of what numbers its houses and seats: a number of theirs is no day."""
_LUNAR: Final = r"(?<!农历)(?<!阴历)(?<!旧历)(?<!农历生日)"
_DAY_OF_MONTH: Final = r"(?:[12]?\d|3[01]|二?十[一二三四五六七八九]|[二三]?十|三十一)"

_ZH: Final = re.compile(
    rf"(?:(?P<near>大前天|大后[天日]|前天|后天|明[天日早晚儿](?!星)|今[天日早晚儿]|昨[天日晚儿]|听[日晚朝]|琴[日晚]|寻[日晚]|后[日儿](?!谈))|"
    rf"{_AGAIN}(?<![周期拜][一二三四五六日天][到至~-])(?P<shift>下下|下|上上|上|这|本)?个?{_WEEK}(?P<weekday>[一二三四五六日天末])(?:\s?[(,]?(?P<of_month>\d{{1,2}})[号日]\)?)?(?![一二三四五六]|[到至~、和或-]\s*{_WEEK}?[一二三四五六日天])|"
    rf"(?P<week>下下|下|上上|上|这|本)个?{_WEEK}(?![一二三四五六日天末边])|"
    rf"(?P<month_shift>下下|下|上上|上|这|本)个?月\s*(?:(?P<month_day>{_N})\s*[号日]|(?P<month_bare>{_DAY_OF_MONTH})(?![\d个点次]|\s*[个点次天人块元])|(?P<month_end>月?[底尾末]))?|"
    rf"(?P<end>(?<!每)(?<!每个)(?<![一二三四五六七八九十\d])月[底尾末]|(?<!每)年[底尾])|再?过(?P<later>{_N})\s*(?P<later_unit>天|日|周|个?(?:星期|礼拜)|个?月)|(?P<in>{_N})\s*(?P<unit>天|日|周|个?(?:星期|礼拜)|个?月)(?P<dir>后|之后|以后|前|之前)|"
    rf"(?:(?P<year>(?:19|20)\d\d|今|明|去)年)?\s*{_LUNAR}(?<![\d一二三四五六七八九十])(?P<mon>{_N})\s*月\s*(?P<day>{_N})\s*[号日]?(?!次)|"
    rf"(?:(?P<month_year>(?:19|20)\d\d|今|明|去)年)?{_LUNAR}(?<![\d一二三四五六七八九十])(?P<only_mon>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月(?:份|(?P<only_end>[底尾末])|[初中](?![一二三四五六七八九十])|[上中下]旬)?(?![\d廿初天经子票一两])|"
    rf"(?<![\d{_STREET}])(?<![{_STREET}]\s)(?<!每月)(?<!逢)(?P<only>{_N})\s*[号](?!楼|线|院|店|仓|门|馆|柜|桌|码|称|机|车|房|位|选)|"
    r"(?<![\d/.:-])(?P<slash_mon>3[01]|[12]\d|0?[1-9])/(?P<slash_day>3[01]|[12]\d|0?[1-9])(?=\s?(?:[日号前后要去到回飞出交开截是有早晚上下中帮提(]|(?:remind|help|plan)\b|之[前后]|以[前后]|个?[一-鿿]{0,4}(?:ddl|截止|到期)))(?!\s?个(?![一-鿿]{0,4}(?:ddl|截止|到期)))|"
    rf"(?P<y>(?:19|20)\d\d)[-/.](?P<m>\d{{1,2}})[-/.](?P<d>\d{{1,2}})(?!\d)){_CLOCK}"
)
_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        ["january jan", "february feb", "march mar", "april apr", "may may", "june jun", "july jul", "august aug", "september sept sep", "october oct", "november nov", "december dec"],
        1,
    )
    for name in names.split()
}  # fmt: skip
_EN_DAYS: Final = {
    name: number
    for number, names in enumerate(
        [
            "monday mon",
            "tuesday tues tue",
            "wednesday weds wed",
            "thursday thurs thur thu",
            "friday fri",
            "saturday sat",
            "sunday sun",
        ]
    )
    for name in names.split()
}
_EN_N: Final = {
    word: number
    for number, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    )
} | {"a": 1, "an": 1}
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_EN_CLOCK: Final = r"(?:,? (?:at |around |by |@ ?)?(?P<hour>\d{1,2})(?:(?:[:.](?P<minute>\d\d)\b)(?:\s*(?P<part>am|pm|a\.m\.?|p\.m\.?)\b)?|\s*(?P<part2>am|pm|a\.m\.?|p\.m\.?)\b))?"
EN_WEEKDAY: Final = "|".join(sorted(_EN_DAYS, key=len, reverse=True))
_EN: Final = re.compile(
    rf"\b(?:(?P<near>the day after tomorrow|day after tomorrow|the day before yesterday|tomorrow|tomoz|tmrw|tmr|2moro|tonight|tonite|today|yesterday|last night|this (?:morning|afternoon|evening))(?: (?P<daypart>morning|afternoon|evening|night))?|"
    rf"(?<!every )(?<!each )(?<!other )(?<!mon-)(?<!day-)(?<!day to )(?<!mon to )(?:(?P<shift>next|this|coming|last|past) )?(?P<weekday>{EN_WEEKDAY})(?![a-z])(?!'s)(?:,? (?:the )?(?P<of_month>\d{{1,2}})(?:st|nd|rd|th)\b(?! (?:of )?(?:{_MONTH})\b))?(?!\s?(?:-|to|thru|through|–)\s?(?:{EN_WEEKDAY})\b)|"
    rf"(?P<period>next|this|last) (?P<period_unit>week(?:end)?|month)\b(?!ly| of\b)|"
    rf"in (?:about |around )?(?P<in>\d{{1,2}}|a|an|one|two|three|four|five|six|seven|eight|nine|ten) (?P<unit>day|week|month|fortnight)s?|(?P<ago>\d{{1,2}}|a|an|one|two|three|four|five|six) (?P<ago_unit>day|week|month|fortnight)s? ago|"
    rf"(?P<end>the end of (?:the|this) month|end of (?:the|this) month)|"
    rf"(?P<mon>{_MONTH})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.]\d)(?:,? (?P<year>(?:19|20)\d\d))?|"
    rf"(?:the )?(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<mon2>{_MONTH})\b(?:,? (?P<year2>(?:19|20)\d\d))?|"
    rf"(?P<part_of>(?:the )?(?:end|beginning|start|middle) of|early|mid|late|in|by|until|til|till|before|this|next|last|since|from)[ -](?:early |mid |late |mid-|the end of )?(?P<only_mon>{_MONTH})\b(?! \d{{1,2}}\b)(?:,? (?P<month_year>(?:19|20)\d\d))?|"
    rf"(?:(?:the|on the|by the|on|by|until|till|before) |(?=\d{{1,2}}(?:st|nd|rd|th) (?:at |@ ?)?\d{{1,2}}(?:[:.]\d\d)? ?(?:am|pm)\b))(?P<only>\d{{1,2}})(?:st|nd|rd|th)\b(?! (?:of )?(?:{_MONTH})\b)(?! (?:floor|street|st|avenue|ave|birthday|time|anniversary|grade|year|place|of|century|cross|main|block))){_EN_CLOCK}"
)  # fmt: skip
_SHIFTS: Final = {"下下": 2, "下": 1, "上": -1, "上上": -2}
_ANY: Final = re.compile(
    r"[今明昨前后听琴寻][日天早晚儿朝]|[\d一二三四五六七八九十两]\s?[天日月号周个]|[下上这本]个?[周月星礼]|[周期拜][一二三四五六日天末]|[年月][底尾末]|\d[-/.]\d|day|tomorrow|tomoz|tmr|2moro|tonight|tonite|week|month|fortnight|last night|this (?:morning|afternoon|evening)|\bin \d|"
    rf"\b(?:{_MONTH})\b|\d(?:st|nd|rd|th)\b|\b(?:mon|tues?|weds?|thur?s?|fri|sat|sun)\b"
)
"""What every date has something of."""


def number(text: str) -> int:
    """Return the value of a number of at most two digits, in digits or Chinese or English words."""
    if text.isdigit():
        return int(text)
    if text in _EN_N:
        return _EN_N[text]
    tens, ten, ones = text.rpartition("十")
    if not ten:
        return _DIGITS.get(text[-1:], 0)
    return (_DIGITS.get(tens, 1) if tens else 1) * 10 + _DIGITS.get(ones, 0)


Toward = Literal["", "ahead", "back"]
"""Where a day without a year or a week lies: ahead in plans, back in what is told; else a month's day is the nearest, others ahead."""


def find(folded: str, at: datetime, *, toward: Toward = "") -> Iterator[When]:
    """Yield the dates of a folded text, resolved from the time ``at`` of its message."""
    if not _ANY.search(folded):
        return
    today = at.date()
    for pattern, resolve in ((_ZH, _resolve_zh), (_EN, _resolve_en)):
        for found in pattern.finditer(folded):
            try:
                day, last = resolve(found, today, toward)
            except (ValueError, OverflowError):
                continue
            end = found.start() + len(found.group().rstrip())
            absolute = found["mon"] or found["only_mon"] or found.groupdict().get("y") or found.groupdict().get("mon2")
            absolute = absolute or found.groupdict().get("slash_mon")
            yield When(found.start(), end, day, "" if last else _clock(found), last, is_relative=not absolute)


def dated(draft: Draft, sources: Mapping[int, Message]) -> Draft:
    """Return a draft whose relative dates have the absolute ones beside them, as its sources meant them.

    In plans and in business a bare weekday or day of the month is one day, too; elsewhere it may come every week.
    """
    if draft.op == "forget" or _RESOLVED.search(draft.content) or not _ANY.search(folded := fold(draft.content)):
        return draft
    said = [sources[seq] for seq in draft.seqs if seq in sources]
    found: dict[str, None] = {}
    comes_again = bool(_COMES_AGAIN.search(folded))
    for when in find(folded, said[-1].time) if said else ():
        words = folded[when.start : when.end]
        if comes_again and _DAY_OF_YEAR.search(words):
            continue
        if when.is_relative and (draft.type in _DATED or not _BARE_DAY.fullmatch(words)):
            at = next((message.time for message in reversed(said) if words in fold(message.content)), said[-1].time)
            found |= dict.fromkeys(map(str, find(words, at)))
    if not found:
        return draft
    beside = f"（{'，'.join(found)}）" if draft.lang == "zh" else f" ({', '.join(found)})"
    return replace(draft, content=draft.content + beside)


_COMES_AGAIN: Final = re.compile(r"生日|纪念日|忌日|birthday|anniversary|\bborn\b")
_DAY_OF_YEAR: Final = re.compile(
    r"月\s*[\d一二三四五六七八九十]|[a-z]{3,9}\.? \d|\d(?:st|nd|rd|th)?(?: of)? [a-z]{3,9}"
)
"""A month and a day: without a year it is one of every year."""
_DATED: Final = frozenset({"task", "event", "order", "shipment", "after_sale", "conclusion"})
_RESOLVED: Final = re.compile(r"(?<!\d)(?:19|20)\d\d-\d\d(?!\d)")
_BARE_DAY: Final = re.compile(
    rf"{_WEEK}.{{1,8}}|(?:{EN_WEEKDAY})\b.*|.{{1,3}}号.*|(?:the|on the|by the|on|by|until|till|before) \d.*|[年月]?[底尾末]"
)


def _clock(found: re.Match[str]) -> str:
    if not found["hour"]:
        return ""
    groups = found.groupdict()
    hour, part = number(found["hour"]), found["part"] or groups.get("part2") or ""
    minute = 30 if found["minute"] == "半" else number(found["minute"]) if found["minute"] else 0
    evening = (groups.get("near") or "")[-1:] == "晚" or (groups.get("near") or "").startswith(("tonig", "toni"))
    if "part2" in groups and not part and 1 <= hour < EARLIEST_HOUR and not evening:
        return ""  # friday 3:30 is hardly at night
    if hour < 12 and (
        part in ("下午", "下昼", "傍晚", "晚上", "晚", "夜晚", "夜里") or part.startswith("p") or evening
    ):
        hour += 12
    if hour == 12 and part.startswith("a"):
        hour = 0
    return f"{hour:02}:{minute:02}" if hour < 24 and minute < 60 else ""


EARLIEST_HOUR: Final = 8
"""Of an English time without "am": earlier ones may be in the afternoon."""

_Span = tuple[date, date | None]
"""The first day, and the last one of a week or month."""


def _month(day: date, months: int, of_month: int | None = None) -> date:
    index = day.year * 12 + day.month - 1 + months
    year, month = index // 12, index % 12 + 1
    last = calendar.monthrange(year, month)[1]
    return date(year, month, last if of_month is None else of_month)


def _weekday(today: date, weekday: int, weeks: int | None) -> date:
    """Return the weekday of this week plus ``weeks``; None is the next one that is not past."""
    if weeks is None:
        return today + timedelta(days=(weekday - today.weekday()) % 7)
    return today + timedelta(days=weekday - today.weekday(), weeks=weeks)


_UNIT_DAYS: Final = {"周": 7, "星期": 7, "礼拜": 7, "week": 7, "fortnight": 14}


def _after(today: date, count: int, unit: str) -> date:
    if "月" in unit or unit == "month":
        target = _month(today, count, 1)
        return target.replace(day=min(today.day, calendar.monthrange(target.year, target.month)[1]))
    return today + timedelta(days=count * _UNIT_DAYS.get(unit.removeprefix("个"), 1))


def _week(today: date, weeks: int) -> _Span:
    monday = _weekday(today, 0, weeks)
    return monday, monday + timedelta(days=6)


def _whole_month(today: date, months: int) -> _Span:
    return _month(today, months, 1), _month(today, months)


def _month_of_year(today: date, year: str | None, month: int, *, toward: Toward) -> _Span:
    """Return a month; without a year the nearest one, or the next one if the words look ahead."""
    first = _resolve_month_day(today, year, month, 1, toward="")
    if toward == "ahead" and not year and _month(first, 0) < today:
        first = first.replace(year=first.year + 1)
    if toward == "back" and not year and first > today:
        first = first.replace(year=first.year - 1)
    return first, _month(first, 0)


def _resolve_zh(found: re.Match[str], today: date, toward: Toward) -> _Span:
    if found["near"]:
        return today + timedelta(days=_DAYS[found["near"]]), None
    if found["of_month"]:
        return _day_of_month(today, int(found["of_month"]), toward), None
    if found["later"]:
        return _after(today, number(found["later"]), found["later_unit"]), None
    if found["weekday"]:
        shift = found["shift"]
        weeks = None if not shift else _SHIFTS.get(shift, 0)
        day = _weekday(today, _WEEKDAYS[found["weekday"]], weeks)
        return (day - timedelta(days=WEEK) if toward == "back" and weeks is None and day > today else day), None
    if found["week"]:
        return _week(today, _SHIFTS.get(found["week"], 0))
    if found["month_shift"]:
        months = _SHIFTS.get(found["month_shift"], 0)
        if of_month := found["month_day"] or found["month_bare"]:
            return _month(today, months, number(of_month)), None
        return (_month(today, months), None) if found["month_end"] else _whole_month(today, months)
    if found["end"]:
        return (_month(today, 0) if found["end"][0] == "月" else date(today.year, 12, 31)), None
    if found["in"]:
        count = number(found["in"]) * (-1 if "前" in found["dir"] else 1)
        return _after(today, count, found["unit"]), None
    if found["mon"]:
        return _resolve_month_day(today, found["year"], number(found["mon"]), number(found["day"]), toward=toward), None
    if found["only_mon"]:
        first, last = _month_of_year(today, found["month_year"], number(found["only_mon"]), toward=toward)
        return (last or first, None) if found["only_end"] else (first, last)
    if found["only"]:
        return _day_of_month(today, number(found["only"]), toward), None
    if found["slash_mon"]:
        one, other = int(found["slash_mon"]), int(found["slash_day"])
        month, day_of_month = (other, one) if one > LAST_MONTH else (one, other)
        return _resolve_month_day(today, None, month, day_of_month, toward=toward), None
    return date(int(found["y"]), int(found["m"]), int(found["d"])), None


def _resolve_month_day(today: date, year: str | None, month: int, day: int, *, toward: Toward) -> date:
    """Return the date; without a year, the one nearest to today, or the next one if the words look ahead."""
    relative = {"今": 0, "明": 1, "去": -1}
    if year:
        return date(today.year + relative[year] if year in relative else int(year), month, day)
    found = date(today.year, month, day)
    if toward:
        misses = 1 if toward == "ahead" and found < today else -1 if toward == "back" and found > today else 0
    else:
        misses = ((today - found).days > HALF_A_YEAR) - ((found - today).days > HALF_A_YEAR)
    return date(today.year + misses, month, day) if misses else found


HALF_A_YEAR: Final = 183
"""Days."""


def _day_of_month(today: date, day: int, toward: Toward) -> date:
    if toward == "back":
        return today.replace(day=day) if day <= today.day else _month(today, -1, day)
    return today.replace(day=day) if day >= today.day else _month(today, 1, day)


_NEAR_EN: Final = {"tomorrow": 1, "tomoz": 1, "tmrw": 1, "tmr": 1, "2moro": 1, "yesterday": -1, "last night": -1, "the day before yesterday": -2, "the day after tomorrow": 2, "day after tomorrow": 2}  # fmt: skip
_PERIODS: Final = {"next": 1, "this": 0, "last": -1}


def _resolve_en(found: re.Match[str], today: date, toward: Toward) -> _Span:
    if near := found["near"]:
        return today + timedelta(days=_NEAR_EN.get(near, 0)), None
    if found["of_month"]:
        return _day_of_month(today, int(found["of_month"]), toward), None
    if found["weekday"]:
        shift = "last" if toward == "back" and not found["shift"] else found["shift"]
        return _english_weekday(today, _EN_DAYS[found["weekday"]], shift), None
    if found["period"]:
        count = _PERIODS[found["period"]]
        if found["period_unit"] == "weekend":
            saturday = _weekday(today, 5, count)
            return saturday, saturday + timedelta(days=1)
        return _whole_month(today, count) if found["period_unit"] == "month" else _week(today, count)
    if found["in"]:
        return _after(today, number(found["in"]), found["unit"]), None
    if found["ago"]:
        return _after(today, -number(found["ago"]), found["ago_unit"]), None
    if found["end"]:
        return _month(today, 0), None
    if found["only"]:
        return _day_of_month(today, int(found["only"]), toward), None
    if found["only_mon"]:
        first, last = _month_of_year(today, found["month_year"], _MONTHS[found["only_mon"]], toward=toward)
        return (last or first, None) if "end of" in found.group() else (first, last)
    month, day = found["mon"] or found["mon2"], found["day"] or found["day2"]
    return _resolve_month_day(today, found["year"] or found["year2"], _MONTHS[month], int(day), toward=toward), None


def _english_weekday(today: date, weekday: int, shift: str | None) -> date:
    """Return the day meant: ``next Tuesday`` is in the coming calendar week, ``Tuesday`` the next one."""
    if shift == "next":
        return _weekday(today, weekday, 1)
    if shift in ("last", "past"):
        return today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1)
    return _weekday(today, weekday, None)


def has_day(words: str, now: datetime) -> bool:
    """Return whether words name a day or an hour already."""
    return next(find(fold(words), now), None) is not None
