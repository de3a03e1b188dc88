"""Dates in words → absolute local dates: 明天下午四点, 下个月 1 号, next Tuesday, in 3 days.

A date is resolved from the time of the message in that time's own zone; the words stay beside it, so that a wrong guess
can still be read. Only expressions that name one day (or the last day of a period) are resolved.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final


@dataclass(frozen=True, slots=True)
class When:
    """A date found in a folded text."""

    start: int
    end: int
    day: date
    clock: str = ""
    """``HH:MM`` if the words say a time of day."""

    def __str__(self) -> str:
        """Return ``2026-03-11`` or ``2026-03-11 16:00``."""
        return f"{self.day.isoformat()} {self.clock}".strip()


_DIGITS: Final = {char: number for number, char in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_N: Final = r"(?:\d{1,2}|[零一二两三四五六七八九十]{1,3})"
_DAYS: Final = {"大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "今天": 0, "今日": 0, "今晚": 0, "今早": 0, "明天": 1, "明日": 1, "明早": 1, "明晚": 1, "听日": 1, "听晚": 1, "琴日": -1, "寻日": -1, "后天": 2, "后日": 2, "大后天": 3}  # fmt: skip
_WEEKDAYS: Final = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6, "末": 5}
_DAYPART: Final = r"(?P<part>凌晨|清晨|早上|上午|早|中午|下午|傍晚|晚上|晚|夜里)?"
_CLOCK: Final = rf"\s*{_DAYPART}\s*(?:(?P<hour>{_N})\s*(?:[点點时]|:)\s*(?P<minute>半|{_N})?分?)?"

_ZH: Final = re.compile(
    rf"(?:(?P<near>大前天|大后天|前天|后天|明[天日早晚]|今[天日早晚]|昨[天日晚]|听[日晚]|琴日|寻日|后日)|"
    rf"(?P<shift>下下|下|上上|上|这|本)?个?(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天末])|"
    rf"(?P<month_shift>下下|下|上上|上|这|本)个?月\s*(?:(?P<month_day>{_N})\s*[号日]|(?P<month_end>月?底))|"
    rf"(?P<end>月底|年底)|(?P<in>{_N})\s*(?P<unit>天|日|周|个?星期|个?月)(?P<dir>后|之后|以后|前|之前)|"
    rf"(?:(?P<year>(?:19|20)\d\d|今|明|去)年)?\s*(?P<mon>{_N})\s*月\s*(?P<day>{_N})\s*[号日]?|(?<!\d)(?P<only>{_N})\s*[号](?!楼|线|院|店|仓|门|馆|柜|桌|码|称)|"
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
            "wednesday wed",
            "thursday thurs thu",
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
_EN_CLOCK: Final = (
    r"(?:,? (?:at |around |by )?(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\s*(?P<part>am|pm|a\.m\.?|p\.m\.?)\b)?"
)
_EN: Final = re.compile(
    rf"\b(?:(?P<near>the day after tomorrow|day after tomorrow|tomorrow|tmrw|tonight|today|yesterday)(?: (?P<daypart>morning|afternoon|evening|night))?|"
    rf"(?:(?P<shift>next|this|coming|last|past) )?(?P<weekday>{'|'.join(sorted(_EN_DAYS, key=len, reverse=True))})(?![a-z])(?!'s)|"
    rf"in (?P<in>\d{{1,2}}|a|an|one|two|three|four|five|six|seven|eight|nine|ten) (?P<unit>day|week|month)s?|(?P<ago>\d{{1,2}}|a|an|one|two|three|four|five|six) (?P<ago_unit>day|week|month)s? ago|"
    rf"(?P<end>the end of (?:the|this) month|end of (?:the|this) month)|"
    rf"(?P<mon>{_MONTH})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<year>(?:19|20)\d\d))?|"
    rf"(?:the )?(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<mon2>{_MONTH})\b(?:,? (?P<year2>(?:19|20)\d\d))?|(?:the|on the|by the) (?P<only>\d{{1,2}})(?:st|nd|rd|th)\b){_EN_CLOCK}"
)  # fmt: skip
_SHIFTS: Final = {"下下": 2, "下": 1, "上": -1, "上上": -2}
_ANY: Final = re.compile(
    r"[日天周月号底早晚]|星期|礼拜|\d[-/.]\d|day|tomorrow|tmrw|tonight|week|month|\bin \d|"
    rf"\b(?:{_MONTH})\b|\d(?:st|nd|rd|th)\b|\b(?:mon|tues?|wed|thu|thurs|fri|sat|sun)\b"
)


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


def find(folded: str, at: datetime) -> Iterator[When]:
    """Yield the dates of a folded text, resolved from the time ``at`` of its message."""
    if not _ANY.search(folded):
        return
    today = at.date()
    for pattern, resolve in ((_ZH, _resolve_zh), (_EN, _resolve_en)):
        for found in pattern.finditer(folded):
            try:
                day = resolve(found, today)
            except (ValueError, OverflowError):
                continue
            if day is not None:
                yield When(found.start(), found.start() + len(found.group().rstrip()), day, _clock(found))


def _clock(found: re.Match[str]) -> str:
    if not found["hour"]:
        return ""
    hour, part = number(found["hour"]), found["part"] or ""
    minute = 30 if found["minute"] == "半" else number(found["minute"]) if found["minute"] else 0
    evening = "near" in found.groupdict() and (found["near"] or "")[-1:] == "晚"
    if hour < 12 and (part in ("下午", "傍晚", "晚上", "晚", "夜里") or part.startswith("p") or evening):
        hour += 12
    if hour == 12 and part.startswith("a"):
        hour = 0
    return f"{hour:02}:{minute:02}" if hour < 24 and minute < 60 else ""


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


def _after(today: date, count: int, unit: str) -> date:
    if "月" in unit or unit == "month":
        target = _month(today, count, 1)
        return target.replace(day=min(today.day, calendar.monthrange(target.year, target.month)[1]))
    return today + timedelta(days=count * (7 if unit in ("周", "星期", "个星期", "week") else 1))


def _resolve_zh(found: re.Match[str], today: date) -> date | None:
    if found["near"]:
        return today + timedelta(days=_DAYS[found["near"]])
    if found["weekday"]:
        shift = found["shift"]
        weeks = None if not shift else _SHIFTS.get(shift, 0)
        return _weekday(today, _WEEKDAYS[found["weekday"]], weeks)
    if found["month_shift"]:
        months = _SHIFTS.get(found["month_shift"], 0)
        return _month(today, months, number(found["month_day"]) if found["month_day"] else None)
    if found["end"]:
        return _month(today, 0) if found["end"] == "月底" else date(today.year, 12, 31)
    if found["in"]:
        count = number(found["in"]) * (-1 if "前" in found["dir"] else 1)
        return _after(today, count, found["unit"])
    if found["mon"]:
        return _resolve_month_day(today, found["year"], number(found["mon"]), number(found["day"]))
    if found["only"]:
        return _next_day_of_month(today, number(found["only"]))
    return date(int(found["y"]), int(found["m"]), int(found["d"]))


def _resolve_month_day(today: date, year: str | None, month: int, day: int) -> date:
    """Return the date; without a year, the one nearest to today."""
    relative = {"今": 0, "明": 1, "去": -1}
    if year:
        return date(today.year + relative[year] if year in relative else int(year), month, day)
    found = date(today.year, month, day)
    if (today - found).days > 183:
        return found.replace(year=today.year + 1)
    return found.replace(year=today.year - 1) if (found - today).days > 183 else found


def _next_day_of_month(today: date, day: int) -> date:
    return today.replace(day=day) if day >= today.day else _month(today, 1, day)


def _resolve_en(found: re.Match[str], today: date) -> date | None:
    if near := found["near"]:
        days = {"yesterday": -1, "tomorrow": 1, "tmrw": 1}
        return today + timedelta(days=2 if "after" in near else days.get(near, 0))
    if found["weekday"]:
        return _english_weekday(today, _EN_DAYS[found["weekday"]], found["shift"])
    if found["in"]:
        return _after(today, number(found["in"]), found["unit"])
    if found["ago"]:
        return _after(today, -number(found["ago"]), found["ago_unit"])
    if found["end"]:
        return _month(today, 0)
    if found["only"]:
        return _next_day_of_month(today, int(found["only"]))
    month, day = found["mon"] or found["mon2"], found["day"] or found["day2"]
    return _resolve_month_day(today, found["year"] or found["year2"], _MONTHS[month], int(day))


def _english_weekday(today: date, weekday: int, shift: str | None) -> date:
    """Return the day meant: ``next Tuesday`` is in the coming calendar week, ``Tuesday`` the next one."""
    if shift == "next":
        return _weekday(today, weekday, 1)
    if shift in ("last", "past"):
        return today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1)
    return _weekday(today, weekday, None)
