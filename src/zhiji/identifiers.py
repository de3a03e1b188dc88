"""Order, tracking and ticket numbers: found in running text as people type them, and their one canonical form.

Full-width, lower-case, spaced and hyphenated spellings of a number are one identifier. The kind comes from an
unmistakable prefix, else from the label in front of the number, else from a weaker prefix. Precision first: without a
label or a known prefix, a phone number, date, amount or model name is never an order. Pure; labels and prefixes are
tables, so a host's own numbers are one more row.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Kind = Literal["order", "shipment", "after_sale", "other"]


@dataclass(frozen=True, slots=True)
class Identifier:
    """One number in a text; ``text[start:end] == raw``."""

    kind: Kind
    raw: str
    id: str
    """Canonical form, see ``canonical_id``."""
    start: int
    end: int
    labelled: bool = True
    """False: no label and no known prefix says what it is; then ``kind`` is ``other``."""


# --- canonical form -----------------------------------------------------------------------------------------------

_DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_DROPPED = re.compile(rf"[{_DASHES}\s\u00ad\u200b-\u200f\u2060\ufeff]+")


def compact(raw: str) -> str:
    """Return ``raw`` after NFKC, without white space, hyphens and zero-width characters."""
    return unicodedata.normalize("NFC", _DROPPED.sub("", unicodedata.normalize("NFKC", raw)))


def canonical_id(raw: str) -> str:
    """Return ``raw`` compact and in upper case: ``ＯＤ２０２４-０４１５ ００８`` is ``OD20240415008``.

    Letters whose upper case is longer than one character stay, so that ``Straße`` and ``strasse`` remain two ids.
    """
    upper = "".join(upper if len(upper := char.upper()) == 1 else char for char in compact(raw))
    return unicodedata.normalize("NFC", upper)


# --- a view of the same length, for matching ----------------------------------------------------------------------


def _folds() -> dict[int, int]:
    table = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
    table |= {ord(dash): ord("-") for dash in _DASHES}
    table |= {0x3000: 0x20, 0xA0: 0x20}
    for zero in (0x0660, 0x06F0, *range(0x1D7CE, 0x1D800, 10)):
        table |= {zero + digit: 0x30 + digit for digit in range(10)}
    return table


_FOLDS = _folds()


def fold(text: str) -> str:
    """Return ``text`` with full-width forms, dashes and other digits in ASCII; every position stays the same."""
    return text if text.isascii() else text.translate(_FOLDS)


# --- tables -------------------------------------------------------------------------------------------------------

_Labels = tuple[tuple[Kind, str, str], ...]

_NO_ZH = r"(?:编?号码?|編?號碼?|\s?id)"
_NO_EN = r"(?:[\s_]?(?:numbers?|no\.?|nr\.?|num|id|code|ref(?:erence)?))"

EXPLICIT: _Labels = (
    ("shipment", "运单 快递单 快递 物流单 物流 包裹单 包裹 面单 運單 快遞單 快遞 物流單", _NO_ZH),
    ("shipment", "tracking waybill shipment parcel package consignment", _NO_EN),
    ("shipment", "awb", ""),
    (
        "after_sale",
        "退货 退款 换货 换新 售后 维修 返修 补发 投诉 理赔 赔付 服务 退貨 換貨 換新 售後 維修 返修 補發 投訴 理賠 賠付 服務",
        rf"(?:单|單|申请|申請)(?!子){_NO_ZH}?",
    ),
    ("after_sale", "售后 服务 案件 受理 报修 售後 服務 報修", "(?:编号|編號)"),
    ("after_sale", "工单 工單", rf"{_NO_ZH}?"),
    ("after_sale", "ticket case rma return refund claim", _NO_EN),
    ("other", "发票 發票 流水 交易 支付 合同 账单 帳單 付款", rf"(?:单|單)?{_NO_ZH}"),
    ("other", "invoice transaction payment reference contract bill", _NO_EN),
    ("other", "ref", r"\.?"),
    ("order", "订单 訂單", _NO_ZH),
    ("order", "order purchase", _NO_EN),
    ("order", "单 單", "(?:号码?|號碼?)"),
)
"""Labels that announce a number, as (kind, words, what follows the word): whatever number follows is meant."""

WEAK: _Labels = (
    ("shipment", "运单 快递单 快递 物流单 物流 包裹 面单 運單 快遞單 快遞 物流單 物流", ""),
    ("shipment", "tracking waybill shipment parcel package", ""),
    ("shipment", "顺丰 中通 圆通 申通 韵达 极兔 京东快递 邮政 順豐 ups usps fedex dhl ems", ""),
    ("after_sale", "ticket case rma", ""),
    ("other", "发票 發票 流水 invoice transaction", ""),
    ("order", "订单 訂單 单子 單子 orders order", ""),
)
"""Words in front of a number that may also stand in front of an amount, a date or a phone number."""

PREFIXES: tuple[tuple[Kind, str], ...] = (
    ("order", r"OD[- ]?\d{4}|ORD[-_ ]?\d{2}"),
    ("shipment", r"SF[- ]?\d{10,15}|SF(?:[- ]?\d{3,4}){3,}|1Z[A-Z0-9]{16}|[A-Z]{2}\d{9}[A-Z]{2}|TBA\d{12}"),
    ("shipment", r"(?:YT|ZTO?|STO|YD|JT|DB)\d{10,18}|JD[A-Z]{0,2}\d{8,18}"),
    ("after_sale", r"(?:AS|TK|TKT)-?\d{3}|(?:TH|HH|SH|GD|RET)-?\d{6}|RMA[- ]?\d{2}"),
)
"""What a known number begins with, enough of it to be sure."""

_CERTAIN = re.compile(r"O(?:RD|D)[-_ ]?\d|SF[- ]?\d{10}|1Z[A-Z0-9]{16}", re.I)
"""Prefixes that no label overrules: ``退货单号 OD20240415008`` is the order."""

_NO_IDENTIFIER = re.compile(
    r"(?:NO|TEL|QQ|WX|VX|RMB|CNY|USD|EUR|GBP|HKD|JPY|ID|ISO|SHA|UTF|RGB|ISBN|FY|GMT|UTC)[-\d]", re.I
)
"""Letters that make an unknown number no identifier: contacts, currencies, standards."""

_UNIT = (
    r"(?:元|块|塊|圆|件|个|個|只|双|雙|条|條|台|盒|箱|瓶|袋|套|份|张|張|本|斤|笔|筆|次|人|天|日|号|號|年|月|点|點|時|时|分|秒"
    r"|%|°|(?:units?|pcs|pieces?|pairs?|boxes|items?|copies|bottles|bags|sets|kg|days?|hours?|dollars?|usd|am|pm)\b)"
)
"""What makes a number an amount, a date or a time."""

# --- patterns -----------------------------------------------------------------------------------------------------

# A number as people space it in chunks, or in one piece with hyphens inside. A chunk behind a space never runs into an
# amount or a date.
_JOIN = rf"(?:-| ?- ?| (?!\d+(?:\s?{_UNIT}|[.:]\d)))"
_LETTERS = "(?-i:(?!NO|TEL|ID|QQ|WX|VX|RMB|CNY|USD|EUR|GBP|HKD|JPY|VIP)[A-Z]{2,4})"
_CHUNKS = (
    rf"(?:(?:OD|ORD|SF)(?: ?- ?|[_ ]?)\d{{2,8}}(?:{_JOIN}\d{{2,9}}){{1,5}}"
    rf"|(?:{_LETTERS} |[A-Z]{{2,4}}[-_]?)\d{{2,8}}(?:{_JOIN}\d{{2,4}}){{1,5}}(?:-[A-Z0-9]{{1,4}})?"
    rf"|\d{{3,5}}(?:[- ]\d{{3,5}}){{2,4}}(?!\s?{_UNIT}|[.:]\d))"
)
_PIECE = (
    rf"(?:(?:OD|ORD|SF|RMA) |{_LETTERS} (?=\d{{4}})|(?:[A-Z]{{1,4}}[-_]){{0,2}}[A-Z]{{0,8}}[-_]?)"
    r"\d[A-Z0-9]{0,40}(?:[-_][A-Z0-9]{1,20}){0,6}"
)
_NUMBER = re.compile(
    rf"(?<![A-Z0-9])(?:{_CHUNKS}(?![A-Z0-9])|{_PIECE}(?![A-Z0-9]))(?![._%+-]?[A-Z0-9._%+-]{{0,64}}@)", re.I
)
_SPACED = re.compile(
    rf"(?!NO|TEL|ID|QQ|IS|WAS)[A-Z]{{1,5}}(?: ?- ?| )\d{{2,9}}(?:{_JOIN}\d{{2,9}}){{0,4}}(?:-[A-Z0-9]{{1,4}})?(?![A-Z0-9])",
    re.I,
)
"""A number in lower case and in chunks, as an explicit label may announce it: ``order no gh 441 902``."""
_SUFFIXED = re.compile(r"[A-Z]{1,4}[- ]\d{3,}(?:-[A-Z0-9]{1,4})+")
_SHAPED = re.compile(r"[A-Z]{2,5}-?\d{6,}[A-Z0-9]*|[A-Z]{2,5}(?:-\d{2,}){2,}")


_ROWS: tuple[tuple[Kind, bool, re.Pattern[str]], ...] = tuple(
    (kind, explicit, re.compile(f"(?:{'|'.join(words.split())}){behind}"))
    for explicit, rows in ((True, EXPLICIT), (False, WEAK))
    for kind, words, behind in rows
)
_PREFIXES = tuple((kind, re.compile(prefix, re.I)) for kind, prefix in PREFIXES)

# Every alternative begins with a letter, so that the scan skips from one possible label to the next.
_LABEL = re.compile("|".join(f"{word}{behind}" for _, words, behind in EXPLICIT + WEAK for word in words.split()))
_BETWEEN = re.compile(r"[\"']?[\s:=#(\[\"'“「是为為係系叫]{0,4}(?:(?:is|was|no\.?|number|id)\b[\s:=#\"']{0,3})?")
_TO_ORDER = re.compile(r"\b(?:to|i|we|you|can|will|please|in) \Z")
_LABEL_BEHIND = re.compile(r"(?:号|號)的?(?:订单|訂單|单|單)")
_AND = re.compile(r"\s?(?:,|、|/|和|与|及|跟|或|and|or|&)\s?#?")
_DIGIT = re.compile(r"\d")
_DIALLED = re.compile(r"(?:86)?1[3-9]\d{9}|0(?:10|2\d|[3-9]\d{2})[2-9]\d{6,7}|[2-9]\d{9}")
"""A phone number, compact: a Chinese mobile or landline, or ten digits of North America."""
_DATE = re.compile(r"(?:19|20)\d\d[-/.年]\d{1,2}(?:[-/.月]\d{1,2})?日?")
_AMOUNT = re.compile(rf"\s?{_UNIT}|[.:/年]\d", re.I)


# --- deciding -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Label:
    """A label word in the text, and the end of it."""

    kind: Kind
    explicit: bool
    end: int


@lru_cache(maxsize=512)
def _meaning(label: str) -> tuple[Kind, bool]:
    """Return the kind that a label announces, and whether it is explicit."""
    return next((kind, explicit) for kind, explicit, pattern in _ROWS if pattern.fullmatch(label))


def _labels(view: str) -> Iterator[_Label]:
    """Yield the labels of a text in order; "to order" and the end of another word are none."""
    lower = view.replace("İ", "i").lower()
    for match in _LABEL.finditer(lower):
        before = lower[max(0, match.start() - 8) : match.start()]
        if match[0].isascii() and (before[-1:].isascii() and before[-1:].isalpha()):
            continue
        if match[0] in ("order", "orders") and _TO_ORDER.search(before):
            continue
        kind, explicit = _meaning(match[0])
        yield _Label(kind, explicit, match.end())


def _by_label(view: str, number: re.Match[str], label: _Label | None) -> tuple[Kind, bool] | None:
    """Return what the label right in front of a number says, and whether it is explicit."""
    between = _BETWEEN.fullmatch(view, label.end, number.start()) if label else None
    if label is None or between is None:
        return None
    if label.explicit or _is_meant(view, number, between[0]):
        return label.kind, label.explicit
    return None


def _is_meant(view: str, number: re.Match[str], between: str) -> bool:
    """Return whether the number after a weak label is an identifier: long enough; no phone, date, time or amount."""
    raw, behind = number[0], view[number.end() : number.end() + 8]
    if "#" in between:
        return True
    bare = compact(raw)
    if not bare.isdigit():
        marked = ":" in between or "=" in between or re.fullmatch(r"[A-Z]{1,4}-\d+", raw) or _SUFFIXED.fullmatch(raw)
        return bool(marked) or sum(map(str.isdigit, bare)) >= 5
    is_date = _DATE.match(raw + behind) and len(raw) <= len("2024-04-15")
    return not (is_date or _DIALLED.fullmatch(bare) or _AMOUNT.match(behind)) and len(bare) >= 4


def _is_shaped(view: str, number: re.Match[str]) -> bool:
    """Return whether a number looks like an identifier though nothing says so."""
    before = view[number.start() - 1 : number.start()]
    if before == "#":
        return bool(re.fullmatch(r"[A-Z]?\d{5,}", number[0]))
    return before not in tuple("._/=-") and bool(_SHAPED.fullmatch(number[0])) and not _NO_IDENTIFIER.match(number[0])


def _decide(
    view: str, number: re.Match[str], label: _Label | None, last: Identifier | None
) -> tuple[Kind, bool] | None:
    """Return the kind of a number and whether anything says so, or None if it is no identifier."""
    raw = number[0]
    known = next((kind for kind, prefix in _PREFIXES if prefix.match(raw)), None)
    named = _by_label(view, number, label)
    if known and (named is None or not named[1] or _CERTAIN.match(raw)):
        return known, True
    if named:
        return named[0], True
    if last and last.labelled and len(last.raw) == len(raw) and _AND.fullmatch(view, last.end, number.start()):
        return last.kind, True
    if len(raw) >= 4 and raw.isdigit() and _LABEL_BEHIND.match(view, number.end()):
        return "order", True
    return ("other", False) if _is_shaped(view, number) else None


def _announced(view: str, label: _Label) -> re.Match[str] | None:
    """Return the number in chunks right behind an explicit label, or None."""
    between = _BETWEEN.match(view, label.end) if label.explicit else None
    return _SPACED.match(view, between.end()) if between else None


def _numbers(view: str, announced: dict[int, re.Match[str]]) -> Iterator[re.Match[str]]:
    """Yield what may be a number, by position, without overlaps; what a label announced comes before what it overlaps."""
    starts, end = sorted(announced), 0
    for number in _NUMBER.finditer(view):
        while starts and starts[0] < number.end():
            if (first := announced[starts.pop(0)]).start() >= end:
                end = first.end()
                yield first
        if number.start() >= end:
            end = number.end()
            yield number


def identifiers(text: str) -> list[Identifier]:
    """Return the order, tracking, ticket and other numbers of a text, by position, without overlaps."""
    if not _DIGIT.search(text):
        return []
    view, found = fold(text), list[Identifier]()
    marks = list(_labels(view))
    spaced = {number.start(): number for label in marks if (number := _announced(view, label))}
    labels, label = marks[::-1], None
    for number in _numbers(view, spaced):
        while labels and labels[-1].end <= number.start():
            label = labels.pop()
        decided = _decide(view, number, label, found[-1] if found else None)
        if decided:
            raw = text[number.start() : number.end()]
            found.append(Identifier(decided[0], raw, canonical_id(raw), *number.span(), decided[1]))
    return found
