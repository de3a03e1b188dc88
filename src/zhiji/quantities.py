"""Typed numbers: dates, times, amounts, measures and identifiers in a sentence, in one form whatever their spelling. Pure.

"5 月 20 日", "五月二十日" and "May 20th" are ``date:5-20``; "￥199", "199 元" are ``cny:199``. Amounts are exact.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from zhiji.identifiers import identifiers

# --- numerals -----------------------------------------------------------------------------------------------------

_NUMERALS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_ONE_TO_TEN = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_TEENS = ("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ENGLISH_NUMERALS = {
    **{word: n for n, word in enumerate((*_ONE_TO_TEN, *_TEENS), 1)},
    **{word: 10 * n for n, word in enumerate(_TENS, 2)},
}
_COUNTERS = "个只条件双台本位张瓶杯份套辆盒袋包颗家间部场口名"
_CHINESE_NUMBER = re.compile(
    rf"(?<![周期拜初大第\d])[零〇一二两三四五六七八九十][零〇一二两三四五六七八九十百千万]*(?=个?月|[天日号周年岁点元块次倍折度斤克页顿层束碗台支根套{_COUNTERS}]|平方|平米|毫升|公里|英里|小时|分钟|公斤|星期)"
    r"|(?<![第\d])[一二两]米[一二三四五六七八九][〇零一二三四五六七八九]?(?!十)"
    r"|(?<![第\d])[一二两三四五六七八九]百(?:[零〇一二三四五六七八九十]+)?(?![姓货度科])"
    r"|(?<![第\d])[一二三四五六七八九]?十[一二三四五六七八九]?(?=减|[-~到至]|以)"
    r"|(?<![第\d])[一二两三四五六七八九十百千]+万[一二三四五六七八九千百十]*|[一二两三四五六七八九]千[一二三四五六七八九百十]*"
)
_ENGLISH_NUMBER = re.compile(
    rf"\b(?:({'|'.join(_TENS)})[- ](?:{'|'.join(_ONE_TO_TEN[:9])})|{'|'.join(_ENGLISH_NUMERALS)})\b(?! (?:hundred|thousand))"
)
_WORDS = re.compile("[a-z]+")
_ORDINALS = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
)
_GRADE = re.compile(rf"\b({'|'.join(_ORDINALS)})(?=[- ]grade)")


_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10_000}


def _chinese_number(match: re.Match[str]) -> str:
    """Return digits: 二十三, 一百零五, 一万二 (12000), 二〇二四."""
    if "米" in match[0]:
        return "米".join("".join(str(_NUMERALS[digit]) for digit in part) for part in match[0].split("米"))
    if not _SCALES.keys() & set(match[0]):
        return "".join(str(_NUMERALS[digit]) for digit in match[0])
    total = section = digit = 0
    scale = 1
    for char in match[0]:
        if char not in _SCALES:
            digit, scale = _NUMERALS[char], 1 if char in "零〇" else scale
            continue
        section += max(digit, 0 if section or total else 1) * _SCALES[char] if char != "万" else digit
        if char == "万":
            total, section = (total + section or 1) * 10_000, 0
        digit, scale = 0, _SCALES[char]
    return str(total + section + digit * (scale // 10 if scale > 10 else 1))


def _spelled_out(text: str) -> str:
    """Return the text with Chinese numerals in front of a unit, and English ones, as digits."""
    text = _CHINESE_NUMBER.sub(_chinese_number, text)
    text = _GRADE.sub(lambda match: f"{_ORDINALS.index(match[0]) + 1}th", text)
    return _ENGLISH_NUMBER.sub(
        lambda match: str(sum(_ENGLISH_NUMERALS[word] for word in _WORDS.findall(match[0]))), text
    )


# --- forms --------------------------------------------------------------------------------------------------------

_N = r"(\d+(?:,\d{3})*(?:\.\d+)?)"
_END = r"(?![a-z0-9])"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_CURRENCIES = {"¥": "cny", "rmb": "cny", "cny": "cny", "$": "usd", "us$": "usd", "usd": "usd", "€": "eur", "£": "gbp"}
_SPELLED_UNITS = {
    "day": "天|日内?|days?",
    "hour": "个?小时|hours?|hrs?",
    "minute": "分钟|minutes?|mins?",
    "week": "个?(?:周|星期)|weeks?",
    "month": "个月|months?",
    "year": "年(?!级)|years?",
    "kg": "公斤|千克|kgs?|kilos?|kilogram(?:me)?s?",
    "jin": "斤",
    "cm": "厘米|公分|cm|centimet(?:er|re)s?",
    "sqm": "平方米|平米|平|square met(?:er|re)s?|sqm",
    "m": "米|m|met(?:er|re)s?",
    "km": "公里|千米|kms?|kilomet(?:er|re)s?",
    "g": "克|g",
    "ml": "毫升|ml",
    "l": "升|l",
    "gb": "gb|g内存",
    "inch": "英寸|寸|inch(?:es)?",
    "lb": "磅|lbs?|pounds?",
    "mile": "英里|miles?",
    "degree": "度|degrees?",
    "percent": "%|percent",
    "tenth": "折",
    "time": "次|times?",
    "grade": "年级|(?:st|nd|rd|th)[- ]grade(?:rs?)?",
}
"""Units of measured numbers: name → spellings."""
UNITS = frozenset(_SPELLED_UNITS)
"""Units whose number grows or shrinks by itself, unlike a date, a price or a count."""


def _amount(raw: str, scale: str | None = None) -> str:
    value = Decimal(raw.replace(",", "")) * {"万": 10_000, "千": 1000, "k": 1000}.get(scale or "", 1)
    return f"{value.normalize():f}"


def _measured(unit: str) -> Callable[[str], str]:
    return lambda number: f"{unit}:{_amount(number)}"


def _compound(metres: str, centimetres: str) -> str:
    return f"cm:{metres}{centimetres.ljust(2, '0')}"


def _date(month: int, day: str, year: str | None = None) -> str:
    return f"date:{month}-{int(day)}" + (f"-{year}" if year else "")


def _month(name: str) -> int:
    return _MONTHS.index(name[:3]) + 1


def _clock(hour: str, minute: str | None, half: str | None) -> str:
    late = (half or "")[:1] in ("p", "下", "晚", "傍") and half != "" and int(hour) < 12
    return f"clock:{int(hour) + 12 * late}:{30 if minute == '半' else int(minute or 0):02d}"


_HALF = r"(上午|早上|中午|下午|晚上|傍晚|凌晨)?\s?"
_FORMS: tuple[tuple[str, Callable[..., str]], ...] = (
    (r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)", lambda y, m, d: _date(int(m), d, y)),
    (r"(?:(\d{4})\s?年\s?)?(\d{1,2})\s?月\s?(\d{1,2})\s?[日号]?(?!\d)", lambda y, m, d: _date(int(m), d, y)),
    (_MONTH + r"\s?(\d{1,2})(?:st|nd|rd|th)?\b(?:,? (\d{4})\b)?", lambda m, d, y: _date(_month(m), d, y)),
    (r"(\d{1,2})(?:st|nd|rd|th)?(?: of)? " + _MONTH + r"(?: (\d{4})\b)?", lambda d, m, y: _date(_month(m), d, y)),
    (r"((?:19|20)\d\d)\s?年(?!级)", lambda y: f"yearof:{y}"),
    (r"(?<=in )((?:19|20)\d\d)(?![\d:-])", lambda y: f"yearof:{y}"),
    (r"(\d{1,2})\s?月份?(?!\d)", lambda m: f"monthof:{int(m)}"),
    (_MONTH.replace("may|", "") + r"(?![a-z])", lambda m: f"monthof:{_month(m)}"),
    (r"(?<=in )(may)(?![a-z])", lambda m: "monthof:5"),
    (r"(?:周|星期|礼拜)([一二三四五六日天])", lambda d: f"weekday:{'一二三四五六日天'.index(d) % 7}"),
    (r"(mon|tues|wednes|thurs|fri|satur|sun)days?\b", lambda d: f"weekday:{_DAYS.index(d[:3])}"),
    (r"(us\$|[¥$€£]|rmb|cny|usd)\s?" + _N + r"(万|千|k)?" + _END, lambda c, n, s: f"{_CURRENCIES[c]}:{_amount(n, s)}"),
    (_N + r"\s?(万|千)?(?:元|块钱|块|rmb|cny|yuan)" + _END, lambda n, s: f"cny:{_amount(n, s)}"),
    (_N + r"\s?(万|千|k)?(?:-?\s?dollars?|\s?usd|美元|美金|bucks)" + _END, lambda n, s: f"usd:{_amount(n, s)}"),
    (_N + r"\s?(?:欧元|euros?)" + _END, lambda n: f"eur:{_amount(n)}"),
    (_N + r"(?:\s?周?岁|[- ]years?[- ]old)", lambda n: f"age:{_amount(n)}"),
    (r"(?:aged?|turn(?:ed|s)?) " + _N, lambda n: f"age:{_amount(n)}"),
    (r"(\d{1,2})(?::(\d\d))?\s?([ap]\.?m\.?)" + _END, _clock),
    (_HALF + r"(\d{1,2})\s?[点:](?!\d{3})(半|\d{1,2})?分?", lambda half, h, m: _clock(h, m, half)),
    (r"([12])(?:米|m)(\d{1,2})(?![\d.])", _compound),
    (r"([12])\.(\d\d?)(?:米|m)" + _END, _compound),
    (
        r"(\d)\s?(?:'|feet|foot|ft)\s?(\d{1,2})?(?:\"|''|\s?in(?:ch(?:es)?)?)?" + _END,
        lambda feet, inch: f"feet:{feet}-{int(inch or 0)}",
    ),
    (r"([xsml]{1,4}|\d{2}(?:\.5)?)\s?码", lambda s: f"size:{s}"),
    (r"size ([xsml]{1,4}|\d+(?:\.\d+)?)" + _END, lambda s: f"size:{s}"),
    *((_N + rf"[- ]?(?:{spellings})" + _END, _measured(unit)) for unit, spellings in _SPELLED_UNITS.items()),
    (_N + rf"\s?[{_COUNTERS}]", lambda n: f"count:{_amount(n)}"),
    (r"(\d{1,2})(?:st|nd|rd|th)" + _END, lambda n: f"count:{n}"),
)
"""Typed numbers: pattern → canonical form, ``unit:amount``; the first that matches wins."""

_ID = (
    r"([\w.*+-]+@[\w-]+(?:\.[\w-]+)+|https?://[^\s，。]+|\d+\*+\d*"
    r"|(?=[a-z-]*\d)(?=[\d-]*[a-z])[a-z0-9]+(?:[-_][a-z0-9]+)*|\d{6,})"
)
_SPELLED = (_MONTH[:5], "(?<=in )", "(?:周|星期", "(mon|", "([xsml]", r"([\w.*+-]+@", "size")
"""What the forms begin with that can do without a digit."""
_UNBROKEN = r"(?<!\d[.,])"
"""Digits behind a separator belong to the number in front of it."""
FIRST_MARK, LAST_MARK = "\ue000", "\uf8ff"
"""Numbers are replaced by these private-use characters while words are cut: enough for any sentence."""
_MARKS = re.compile(f"[{FIRST_MARK}-{LAST_MARK}]")
_MAX_MARKS = ord(LAST_MARK) - ord(FIRST_MARK) + 1

Kind = Literal["id", "number"]
Number = tuple[Kind, str]
"""An identifier, or a typed number as ``unit:amount``."""


def _put(found: list[Number], kind: Kind, name: str) -> str:
    found.append((kind, name))
    return chr(ord(FIRST_MARK) + (len(found) - 1) % _MAX_MARKS)


@lru_cache(maxsize=2)
def _forms(*, with_digits: bool) -> list[tuple[re.Pattern[str], Kind, Callable[..., str]]]:
    """Return every form of a number as (pattern, kind, canonical form), in the order of trial; or those without digits."""
    table: list[tuple[Kind, str, Callable[..., str]]] = [("number", *form) for form in _FORMS]
    table += [("id", _ID, lambda raw: re.sub("[-_]", "", raw)), ("number", _N, lambda n: f"count:{_amount(n)}")]
    kept = (form for form in table if with_digits or form[1].startswith(_SPELLED))
    return [
        (
            re.compile(rf"(?<![\da-z-]){'' if pattern.startswith(_SPELLED) else _UNBROKEN}{pattern}", re.ASCII),
            kind,
            make,
        )
        for kind, pattern, make in kept
    ]


def _marking(found: list[Number], kind: Kind, make: Callable[..., str]) -> Callable[[re.Match[str]], str]:
    return lambda match: _put(found, kind, make(*match.groups()))


def mark(text: str) -> tuple[str, list[Number]]:
    """Return a simplified text with one mark in place of each identifier and number, and what the marks stand for."""
    found: list[Number] = []
    text = _spelled_out(_MARKS.sub("", text))
    upper = text.upper()
    for number in reversed(identifiers(upper) if len(upper) == len(text) else []):
        text = text[: number.start] + _put(found, "id", number.id.lower()) + text[number.end :]
    for pattern, kind, make in _forms(with_digits=any(map(str.isdigit, text))):
        text = pattern.sub(_marking(found, kind, make), text)
    return text, found
