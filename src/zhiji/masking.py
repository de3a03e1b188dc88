"""What never enters memory, and how the rest is masked.

``redact_secrets`` works at the entry, for everybody, tools included: passwords, CVVs, one-time codes, keys, id and card
numbers become labels. ``mask`` works before anything durable beyond the live session: it also masks phones and e-mails.
Numbers that name an order, a shipment or a ticket, decimals, URLs and time stamps stay. A number *labelled* as an order
stays even if it looks like a phone: the nearest label decides. All functions are idempotent. One rule is one row of
``SECRETS`` or ``CONTACTS``; the first row that claims a place wins. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from stdnum import luhn

from zhiji import text as texts
from zhiji.identifiers import fold, identifiers
from zhiji.types import JsonValue

LABELS = {
    "password": ("[密码]", "[password]"),
    "cvv": ("[安全码]", "[CVV]"),
    "code": ("[验证码]", "[code]"),
    "key": ("[密钥]", "[key]"),
    "id": ("[证件号]", "[id number]"),
    "card": ("[银行卡号]", "[card number]"),
}
"""What replaces a secret, in Chinese text and in any other."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing to hide: what the group ``x`` of ``pattern`` matches, if ``check`` says so.

    Patterns see folded text: ASCII digits, letters and punctuation whatever the width.
    """

    hides: str
    """A name of ``LABELS``, or ``phone`` or ``email``."""
    pattern: re.Pattern[str]
    check: Callable[[str], bool] = bool
    in_urls: bool = False
    """True: its label is sure enough to look inside URLs, too."""


def _rule(hides: str, pattern: str, check: Callable[[str], bool] = bool, *, in_urls: bool = False) -> Rule:
    return Rule(hides, re.compile(pattern, re.I), check, in_urls)


# --- checks -------------------------------------------------------------------------------------------------------


def _digits(raw: str) -> str:
    return "".join(filter(str.isdigit, raw))


_CARD_LENGTHS = ((r"62", range(16, 20)), (r"3[47]", (15,)), (r"3[068]", (14,)), (r"4|5[1-5]|2[2-7]|35|6011|65", (16,)))
"""First digits of bank cards and their lengths: UnionPay, Amex, Diners, then Visa, Mastercard, JCB, Discover (ISO/IEC 7812)."""


def _is_card(raw: str) -> bool:
    """Return whether it is a bank card. UnionPay needs no check digit: people mistype, and a card must not stay."""
    number = _digits(raw)
    known = any(re.match(first, number) and len(number) in lengths for first, lengths in _CARD_LENGTHS)
    return known and (number.startswith("62") or bool(luhn.is_valid(number)))


_STATES = """
again already always asked being blank cannot changed compromised correct empty entered expired field forgotten gone
hard have here incorrect invalid just longer lost manager missing needed never none null only optional please policy
protected reset required right rules same saved secure shown some something still stored strong stuck that there they
this unknown updated used weak what with working wrong your
"""
_NO_PASSWORD = frozenset(_STATES.split())
"""Words after "password is" that are no password."""


def _is_password(raw: str) -> bool:
    return not (raw.isalpha() and (len(raw) < 4 or raw.casefold() in _NO_PASSWORD)) and any(map(str.isalnum, raw))


def _is_odd(raw: str) -> bool:
    """Return whether it is no plain word and no short number."""
    return len(raw) >= 4 and not raw.isalpha() and any(map(str.isalnum, raw))


def _is_phone(raw: str) -> bool:
    return 7 <= len(_digits(raw)) <= 19


def _is_long_phone(raw: str) -> bool:
    return 9 <= len(_digits(raw)) <= 19


def _is_international(raw: str) -> bool:
    import phonenumbers  # slow to import, and few texts have an international number

    try:
        return phonenumbers.is_possible_number(phonenumbers.parse(raw))
    except phonenumbers.NumberParseException:
        return False


# --- secrets ------------------------------------------------------------------------------------------------------

_W = "(?<![a-z])"
_HAN = "\u4e00-\u9fff"
_QUOTE = r"[\\\"'“”‘’]{0,2}"
_IS = rf"{_QUOTE}\s?(?:就?是|为|為|还是|[改设設][成为為置定]{{1,3}}|=>|[:=]|係|系|喺|is:?\s|was\s|to\s)\s?{_QUOTE}"
_NUMBER_IS = rf"(?:字?[号號][码碼]?|[\s_.]{{0,2}}(?:number|no\.?|#))?(?:{_IS})?[\s:(]{{0,2}}{_QUOTE}"
_TYPED = rf"(?:[{_HAN}]{{1,4}}(?=[!-~]{{3}}))?(?:(?![,;\"'<>\[\]\\])[!-~]|[,;](?=[!-~])){{3,64}}(?<![.,;:])"
"""A password as typed: it ends before a space, Chinese text, a quote or the sentence's own punctuation."""

_PASSWORD = rf"(?:密码|密碼|口令|{_W}(?:passwords?|passwd|passcode|passphrase|pwd))"
_CODE = (
    rf"(?:验证码|驗證碼|校验码|动态码|动态密码|短信码|{_W}(?:otp|one[- ]time (?:code|password|pin)"
    r"|(?:verification|security|auth(?:entication|orization)?|login|access|sms|2fa)[ _]code))"
)
_KEEP_IT = r"(?:(?:请勿|切勿|不要|请不要)(?:泄露|泄漏|告诉|告知|转发)|(?:please )?(?:do not|don['’]t|never) (?:share|disclose|give))"
_CVV = rf"(?:安全码|{_W}(?:cvv2?|cvc2?|cvn2?|(?:card )?security code))"
_PAPERS = (
    rf"(?:身份证|身份證|身分證|护照|護照|驾驶证|駕駛證|驾照|駕照|通行证|通行證|回乡证|回鄉證|台胞证|台胞證|居住证|居住證|居留证|居留證|签证|簽證|军官证|士兵证"
    r"|户口本|出生证|证件|證件|社保|社会保障|社會保障|医保|健保卡|统一编号|"
    rf"{_W}(?:passport|(?:driver'?s?'?|driving)?[ _]?licen[cs]e|ssn|social (?:security|insurance)|(?:national|tax|identity|government|citizen|resident)[ _]id"
    r"|id[ _]card|identity card|hkid|nric|mykad|aadhaar|aadhar|pan card|national insurance|ni number|nino|nhs number|medicare|tax file"
    r"|cpf|curp|pesel|codice fiscale|alien(?= (?:number|no))|green card|residence permit|visa(?= (?:number|no\b))|voter id|military id|birth certificate"
    r"|(?-i:SIN|FIN|PAN|TFN|DNI|NIE|BSN|BRP)))"
)
_CARD = rf"(?:银行卡|信用卡|储蓄卡|借记卡|卡|账号|帳號|账户|{_W}(?:card|account))"

SECRETS: tuple[Rule, ...] = (
    _rule("code", rf"{_CODE}{_NUMBER_IS}(?P<x>(?:[A-Z]-)?\d{{4,8}})(?!\d)", in_urls=True),
    _rule("code", rf"(?<![\d.])(?P<x>\d{{4,8}})\s?(?:是|为|is|\()\s?[^\d.,。\n]{{0,16}}?{_CODE}"),
    _rule("code", rf"{_W}(?:your|my) code{_IS}(?P<x>\d{{4,8}})(?!\d)"),
    _rule("code", rf"(?<![\d.])(?P<x>\d{{4,8}})[^\w\n]{{1,4}}{_KEEP_IT}"),
    _rule("cvv", rf"{_CVV}{_NUMBER_IS}(?P<x>\d{{3,4}})(?!\d)", in_urls=True),
    _rule("cvv", r"(?:卡背面?|back of (?:the |my )?card)[^\d\n]{0,8}(?P<x>\d{3,4})(?!\d)"),
    _rule("password", rf"(?:{_PASSWORD}|{_W}(?<!ing )pass){_IS}(?P<x>{_TYPED})", _is_password, in_urls=True),
    _rule("password", rf"{_PASSWORD}\s?(?P<x>(?=[!-~]*\d){_TYPED})", _is_odd),
    _rule("password", rf"{_W}pin(?: code)?{_NUMBER_IS}(?P<x>\d{{4,8}})(?!\d)"),
    _rule("password", rf"(?<![!-~])(?P<x>{_TYPED})\s?(?:就?是|is)\s?(?:my|the)?[{_HAN}]{{0,6}}\s?{_PASSWORD}", _is_odd),
    _rule("password", r"://[^\s/:@]+:(?P<x>[^\s/@]+)@", in_urls=True),
    _rule(
        "key",
        r"(?<![A-Z0-9])(?P<x>[spr]k[-_][A-Z0-9_-]{16,}|gh[opsu]_[A-Z0-9]{20,}|AKIA[A-Z0-9]{16}|xox[abp]-[A-Z0-9-]{10,}"
        r"|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+)",
        in_urls=True,
    ),
    _rule(
        "id",
        rf"{_PAPERS}{_NUMBER_IS}(?P<x>[A-Z]{{0,2}}\d(?:[- ]?\d){{4,17}}[0-9A-Z]?(?:\(\d\))?)(?![0-9A-Z])",
        in_urls=True,
    ),
    _rule("card", rf"{_CARD}{_NUMBER_IS}(?P<x>\d(?:[ -]?\d){{12,18}})(?!\d)", in_urls=True),
    _rule(
        "id",
        r"(?<![0-9A-Z.])(?P<x>[1-9]\d{5}[ -]?(?:18|19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[ -]?\d{3}[\dX])"
        r"(?![0-9A-Z])",
    ),
    _rule(
        "id",
        rf"{_PAPERS}(?: card)?{_NUMBER_IS}(?P<x>(?-i:[A-Z]){{1,5}} ?\d{{2}}(?:[- ]?\d){{2,10}}[- ]?[A-Z]?(?:\(?[\dA]\))?)(?![0-9A-Z])",
    ),
    _rule("id", r"(?<![0-9A-Z])(?P<x>[A-Z]{1,2}\d{6}\s?\([\dA]\))"),
    _rule("id", r"(?<![0-9A-Z-])(?P<x>[STFGM]\d{7}[A-Z])(?![0-9A-Z-])"),
    _rule("id", r"(?<![0-9A-Z-])(?P<x>(?![DFIQUV])[A-Z](?![DFIQUVO])[A-Z] \d\d \d\d \d\d [A-D])(?![0-9A-Z-])"),
    _rule("id", r"(?<![\w.-])(?P<x>(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4})(?![\w-])"),
    _rule("id", r"(?<![0-9A-Z])(?<![0-9A-Z]-)(?P<x>[EN][A-Z]\d{7}|[EG]\d{8})(?!-?[0-9A-Z])"),
    _rule(
        "card",
        r"(?<![0-9A-Z.])(?P<x>62\d\d(?P<s>[ -])\d{4}(?P=s)\d{4}(?P=s)\d{4}(?:(?P=s)\d{1,3})?"
        r"|\d{4}(?P<t>[ -])(?:\d{4}(?P=t)\d{4}(?P=t)\d{4}|\d{6}(?P=t)\d{4,5})|\d{14,19})(?![0-9A-Z]|\.\d)",
        _is_card,
    ),
)
"""What nobody may keep, tools included."""

# --- contacts -----------------------------------------------------------------------------------------------------

_DIALLED = r"\+?\(?\d(?:[ ().-]{0,2}\d){6,18}(?:\s?(?:x|ext\.?)\s?\d{1,6})?(?!\d)"
_PHONE = (
    rf"(?:(?:电话|電話|手机|手機|联系方式|座机|传真|致电)(?:号码?|號碼?)?|{_W}(?:(?:phone|telephone|tel|mobile|cell|fax|whatsapp)"
    rf"[\s_.]{{0,2}}(?:number|no\.?)?|(?:desk|office|home|work)(?=\s?:)|my number(?= is)"
    r"|(?:call|text|reach|contact|ring)(?: (?:me|us|him|her|them))?(?: back)?(?: (?:at|on))?))"
)
_AREA = r"\(?0(?:10|2\d|[3-9]\d{2})\)?"

CONTACTS: tuple[Rule, ...] = (
    _rule(
        "email",
        r"(?<![\w.%+-])(?P<x>[a-z0-9][\w.%+-]*@(?:[a-z0-9-]+\.)+[a-z]{2,})".replace(r"\w", "a-z0-9_"),
        in_urls=True,
    ),
    _rule("phone", rf"{_PHONE}(?:{_IS}|[\s:=]{{0,2}})(?P<x>{_DIALLED})", _is_phone, in_urls=True),
    _rule(
        "phone",
        r"(?:(?<![0-9A-Z_.])|(?<=tel)|(?<=phone)|(?<=mobile)|(?<=qq)|(?<=wx)|(?<=vx))(?P<x>(?:\(?(?:\+|00)?86\)?[ -]?)?1[3-9]\d"
        r"(?:[ .-]?\d{4}[ .-]?\d{4}|[ .-]?\d{3}[ .-]?\d{5}|\d[ .-]?\d{4}[ .-]?\d{3}))(?!\d|\.\d)",
    ),
    _rule("phone", r"(?<![\d.])(?P<x>1[ -][3-9](?:[ -]\d){9})(?![ -]?\d)"),
    _rule("phone", r"(?P<x>[一幺][三四五六七八九][零〇一二三四五六七八九幺]{9})(?![零〇一二三四五六七八九幺])"),
    _rule(
        "phone", rf"(?<![\w.-])(?P<x>{_AREA}[ -]?[2-9]\d{{2,3}}[ -]?\d{{4}})(?![\w-]|\.\d)".replace(r"\w", "0-9A-Za-z_")
    ),
    _rule(
        "phone",
        r"(?<![0-9A-Z.+])(?P<x>\+\d(?:[ ().-]{0,2}\d){6,16}(?:\s?(?:x|ext\.?)\s?\d{1,6})?)(?!\d)",
        _is_international,
    ),
    _rule(
        "phone",
        r"(?<![0-9A-Z_.+/-])(?P<x>(?:(?:\+|00)?1[ .-])?(?!\(?[48]00)(?:\([2-9]\d\d\)\s?|[2-9]\d\d(?P<s>[.-]))\d{3}[ .-]\d{4}"
        r"(?:\s?(?:x|ext\.?)\s?\d{1,6})?)(?![0-9A-Z-])",
    ),
    _rule(
        "phone",
        rf"(?<![0-9A-Z_.+/-])(?P<x>{_DIALLED})\s?\(?(?:office|mobile|cell|fax|home|work|desk)(?![a-z])",
        _is_long_phone,
    ),
)
"""What is masked before anything durable is written."""


def _masked_phone(raw: str) -> str:
    """Return ``138****5678``; of numbers shorter than eleven digits only the end, so that enough is hidden."""
    number = re.sub(r"\D", "", re.sub(r"(?i)\s?(?:x|ext\.?)\s?\d+$", "", raw)) or raw
    national = re.sub(r"^(?:00)?86(?=1\d{10}$)", "", number)
    return f"{national[:3] if len(national) > 10 else ''}****{national[-4 if len(national) > 7 else -2 :]}"


def _replacement(rule: Rule, raw: str, *, chinese: bool) -> str:
    if rule.hides == "phone":
        return _masked_phone(raw)
    if rule.hides == "email":
        return f"{raw[0]}***@{raw.rpartition('@')[2]}"
    return LABELS[rule.hides][not chinese]


# --- applying the tables ------------------------------------------------------------------------------------------

_SUSPECT = re.compile(r"[\d@＠]|密|口令|pass|pwd|ｐ|[一幺][三四五六七八九]", re.I)
_URL = re.compile(r"[a-z][a-z0-9+.-]{1,15}://[^\s\u4e00-\u9fff\"'<>]+", re.I)
_STAMP = re.compile(
    r"(?<!\d)(?:(?:19|20)\d\d([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2(?:19|20)\d\d)(?!\d)"
    r"(?:[T ]\d{1,2}(?!\d)(?::\d\d){0,2}(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"
)
_SPLIT_DIGITS = re.compile(r"(?<=\d)[\u00ad\u200b-\u200f\u2060\ufeff]+(?=\d)")

_FIXED, _URLS = 1, 2


def _places(view: str) -> bytearray:
    """Return one byte per character: ``_FIXED`` where nothing may be hidden, ``_URLS`` inside a URL, else 0."""
    places = bytearray(len(view))
    for match in _URL.finditer(view):
        places[match.start() : match.end()] = bytes([_URLS]) * len(match[0])
    for match in _STAMP.finditer(view):
        places[match.start() : match.end()] = bytes([_FIXED]) * len(match[0])
    for found in identifiers(view):
        if found.labelled:
            places[found.start : found.end] = bytes([_FIXED]) * len(found.raw)
    return places


def _claims(view: str, rules: Sequence[Rule]) -> Iterator[tuple[int, int, Rule]]:
    """Yield what to hide, without overlaps, in the order of the rules."""
    places = _places(view)
    for rule in rules:
        for match in rule.pattern.finditer(view):
            start, end = match.span("x")
            here = places[start:end]
            if _FIXED in here or (_URLS in here and not rule.in_urls) or not rule.check(match["x"]):
                continue
            places[start:end] = bytes([_FIXED]) * (end - start)
            yield start, end, rule


def _hide(text: str, rules: Sequence[Rule]) -> str:
    """Return ``text`` with nothing left that a rule claims; hiding one thing may uncover another one behind it."""
    while _SUSPECT.search(text) and (hidden := _hide_once(text, rules)) != text:
        text = hidden
    return text


def _hide_once(text: str, rules: Sequence[Rule]) -> str:
    text = _SPLIT_DIGITS.sub("", text)
    view, chinese = fold(text), texts.language(text) == "zh"
    pieces, at = list[str](), 0
    for start, end, rule in sorted(_claims(view, rules), key=lambda claim: claim[0]):
        pieces += [text[at:start], _replacement(rule, view[start:end], chinese=chinese)]
        at = end
    return "".join([*pieces, text[at:]])


def redact_secrets(text: str) -> str:
    """Return ``text`` with passwords, CVVs, one-time codes, keys, id and card numbers replaced by ``LABELS``."""
    return _hide(text, SECRETS)


def mask(text: str) -> str:
    """Return ``text`` without secrets, phones as ``138****5678`` and e-mails as ``z***@example.com``."""
    return _hide(text, SECRETS + CONTACTS)


def redact_document(text: str) -> str:
    """Return ``redact_secrets`` of a tool's arguments or result: of a JSON object or list, each value as it reads.

    JSON may write any character as an escape, which hides the label of a secret from the text.
    """
    return _hide_document(text, SECRETS)


def mask_document(text: str) -> str:
    """Return ``mask`` of a tool's arguments or result; see ``redact_document``."""
    return _hide_document(text, SECRETS + CONTACTS)


def redact_value(value: JsonValue) -> JsonValue:
    """Return the value without secrets; see ``mask_value``."""
    return _hide_value(value, SECRETS)


def mask_value(value: JsonValue) -> JsonValue:
    """Return the value with every string, key and number in it masked; the key of a field counts as its label.

    A whole number that has to be hidden becomes a string.
    """
    return _hide_value(value, SECRETS + CONTACTS)


def _hide_document(text: str, rules: Sequence[Rule]) -> str:
    if not text.lstrip().startswith(("{", "[")):
        return _hide(text, rules)
    try:
        parsed = json.loads(text)
        hidden = _hide_value(parsed, rules)
    except (ValueError, RecursionError):
        return _hide(text, rules)
    return text if hidden == parsed else json.dumps(hidden, ensure_ascii=False)


def _hide_value(value: JsonValue, rules: Sequence[Rule]) -> JsonValue:
    if isinstance(value, dict):
        return {_hide(key, rules): _hide_field(key, item, rules) for key, item in value.items()}
    if isinstance(value, list):
        return [_hide_value(item, rules) for item in value]
    if isinstance(value, str):
        return _hide(value, rules)
    return _hide_number(value, _hide(str(value), rules))


def _hide_field(key: str, item: JsonValue, rules: Sequence[Rule]) -> JsonValue:
    if isinstance(item, list):
        return [_hide_field(key, entry, rules) for entry in item]
    if isinstance(item, dict):
        return _hide_value(item, rules)
    head = f"{key}: "
    hidden = _hide(f"{head}{item}", rules)
    hidden = hidden[len(head) :] if hidden.startswith(head) else _hide(str(item), rules)
    return hidden if isinstance(item, str) else _hide_number(item, hidden)


def _hide_number(value: JsonValue, hidden: str) -> JsonValue:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return hidden if is_whole and hidden != str(value) else value
