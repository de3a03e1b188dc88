"""What the user's words say about the running task: the intent, and values for form slots.

Tables of zh/en patterns, precision first. Quoted words are somebody else's and never count; a negated mention sets
nothing (and a negated mention of the running intent ends it). Pure: one text in, findings out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from zhiji import text as texts
from zhiji.identifiers import fold
from zhiji.types import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """One thing a user may want; at one place in a text the row that stands first wins."""

    name: str
    pattern: str
    """Chinese and English, matched in lower case."""
    weak: bool = False
    """Counts only if nothing else is wanted: a tracking number is often part of a return."""


INTENTS = (
    Intent(
        name="cancel",
        pattern=r"取消(?:退货|退款|换货|订单|申请)?|不买了"
        r"|\bcancel\w*(?: (?:the|my|this|that) (?:return|refund|exchange))?",
    ),
    Intent(
        name="address",
        pattern=r"(?:修?改|更[改换新]|变更|换)(?:一下|下|个|掉|成)?(?:我的|新的?|收货|默认|收件|配送|订单的?)*地址"
        r"|地址(?:[填写弄搞]错|(?:[要想]|需要)?[改换变])"
        r"|\b(?:chang|updat|edit|correct|modif)\w* (?:[\w']+ ){0,4}address|\bwrong address|\baddress (?:is|was) wrong",
    ),
    Intent(
        name="exchange",
        pattern=r"换货|调换|换(?:一|个)?(?:[双件条只台款]|大|小|新的?|尺?码|颜色|型号)|\bexchang\w*|\bswap\w*|\breplac(?:e|ed|ing|ement)\b",
    ),
    Intent(name="refund", pattern=r"退款(?!地址)|退我?钱|钱退|\brefund\w*|\bmoney back\b|\breimburs\w*"),
    Intent(
        name="return",
        pattern=r"退货退款|退(?![款钱休役出烧步化伍缩让路订税群租])"
        r"|\breturn(?:s|ed|ing)?\b(?! (?:my |the )?calls?)|\bsen[dt](?:ing)? (?:it|them|this|that|these) back\b",
    ),
    Intent(name="invoice", pattern=r"发票|开票|\binvoices?\b"),
    Intent(name="complaint", pattern=r"投诉|差评|\bcomplain\w*"),
    Intent(
        name="track",
        weak=True,
        pattern=r"物流(?!单号)|快递(?:到|在|进度|信息)|到哪|发货|催单|(?:什么时候|多久)能?到|[没未]收到|查(?:询|一?下)?订单"
        r"|\btrack(?:ing)?\b(?! (?:number|no\b|id\b))|\bwhere(?:'s| is| are) my\b"
        r"|\bnot? (?:yet )?(?:arrived|received|shipped)|n't (?:yet )?(?:arrived|received|shipped)"
        r"|\bwhen will .{1,40}\b(?:arrive|ship|come)\b|\b(?:delivery|shipping|order) status\b",
    ),
)
"""Every intent that is recognised; a host's own are set by patching the state."""

_WEAK = frozenset(intent.name for intent in INTENTS if intent.weak)
_WANTED = re.compile("|".join(f"(?P<{intent.name}>{intent.pattern})" for intent in INTENTS))

# --- quotation and negation -----------------------------------------------------------------------------------------

_QUOTED = re.compile(
    r"“[^“”]*”|\"[^\"]*\"|「[^「」]*」|『[^『』]*』|《[^《》]*》|‘[^‘’]*’(?![A-Za-z])|(?<![A-Za-z])'[^']*'(?![A-Za-z])"
    r"|```.*?```|^[ \t]*>[^\n]*",
    re.DOTALL | re.MULTILINE,
)
_CLAUSE_END = re.compile(r"[,，、。!！?？;；\n]|\.(?!\d)|但是?|不过|而是|\bbut\b|\bhowever\b")
MAX_CLAUSE_CHARS = 80
"""How far before a word its negation may stand."""
MAX_READ_CHARS = 20_000
"""What is longer is pasted material; only its beginning is read."""
_EITHER_OR = re.compile(r"(.)不\1")
_OTHERS_REFUSE = re.compile(r"为什么|为啥|怎么|凭什么|商家|卖家|店家|你们|客服|平台")
_UNWANTED_ZH = re.compile(
    r"(?:不(?:是|想|要|用|必|需要|打算|准备|愿意?|再|会)*|别|甭|勿|无需|[没未](?:有?说过?|想过?|要求?|打算))"
    r"(?:再|要|想|去|给我|帮我|申请|办理?|做|你们?|您)*$"
)
_UNWANTED_EN = re.compile(
    r"(?:\b(?:do not|don't|dont|does not|doesn't|did not|didn't|won't|will not|wouldn't|am not|i'm not|never|no longer|not(?! only))"
    r" (?:really |actually )?(?:(?:want|wish|need|plan|intend|ask|mean|like|look|go|try|agree)(?:ed|ing)? )?(?:to |for |on )?"
    r"(?:(?:a|an|the|my|any|make|do|request|be) )*|\bno (?:need (?:to|for) )?(?:a |the )?|\b(?:without|instead of|rather than) (?:a |the )?)$"
)
_NOT_THIS = re.compile(
    r"(?:不是|并非|而非|别[用寄发送填]?|不要[用寄发送填]?|\bnot|\bisn't|\brather than|\binstead of|\bno longer)"
    r"(?:订单号?|单号|运单号?|号码?|电话|手机|地址|我的|那个|这个|the|my|order|number|phone|address|to|at|[\s:：#'\"“「(（])*$"
)


def unquoted(text: str) -> str:
    """Return ``text``, lower case and half width, with quotations blanked out; positions stay the same.

    Quotation marks around nothing but a number (``“OD1001”``) only highlight it.
    """
    view = fold(text)
    lower = view.lower()
    return _QUOTED.sub(_blanked, lower if len(lower) == len(view) else view)


def _blanked(quoted: re.Match[str]) -> str:
    inner = quoted[0].strip("“”\"「」『』‘’' ")
    number = re.fullmatch(r"[a-z]{0,5}[-_ ]?\d[a-z0-9 -]*", inner)
    return quoted[0] if number else " " * len(quoted[0])


def _clause_before(words: str, at: int) -> str:
    near = words[max(0, at - MAX_CLAUSE_CHARS) : at]
    return _CLAUSE_END.split(near)[-1]


def _is_unwanted(words: str, at: int) -> bool:
    before = _EITHER_OR.sub(r"\1", _clause_before(words, at))
    if _UNWANTED_EN.search(before):
        return True
    return bool(_UNWANTED_ZH.search(before.rstrip())) and not _OTHERS_REFUSE.search(before)


# --- findings -------------------------------------------------------------------------------------------------------


def intent(text: str, current: str | None = None) -> str | None:
    """Return the intent after these words: the last one they name, else ``current``, or None if they call that off."""
    wanted, unwanted = [], set()
    words = unquoted(text[:MAX_READ_CHARS])
    for match in _WANTED.finditer(words):
        name = str(match.lastgroup)
        if _is_unwanted(words, match.start()):
            unwanted.add(name)
        else:
            wanted.append(name)
    strong = [name for name in wanted if name not in _WEAK]
    if strong:
        return strong[-1]
    if current is None or current in _WEAK or current in unwanted:
        return wanted[-1] if wanted else (None if current in unwanted else current)
    return current


ID_SLOTS = {"order": "order_id", "shipment": "shipment_id", "after_sale": "after_sale_id"}
"""Kind of identifier → slot that holds its canonical form."""

_PHONE = re.compile(
    r"(?<![\w.+-])(?:(?:\+?86[- ]?)?1[3-9]\d[- ]?\d{4}[- ]?\d{4}|0\d{2,3}[- ]?\d{7,8}|\+\d(?:[ -]?\d){7,14}"
    r"|\(?\d{3}\)?[-. ]\d{3}[-. ]\d{4})(?![\d-]|\.\d)",
    re.ASCII,
)
_ADDRESS_ZH = re.compile(
    r"(?:(?<!退货)(?<!退回)(?<!发货)(?<!寄件)地址|[寄送发]到|寄往)(?:应该|还|就|[是为在:：\s]|改[成为到]|换[成到]|更新为)*"
    r"(?P<value>[^,，。;；!！?？\n]{5,100})"
)
_PLACE_ZH = re.compile(
    r"[省市区县镇乡村州].*[路街道巷弄号楼栋幢室村园苑厦场]|[路街道巷弄].{0,8}\d+\s?号|小区|\d+\s?[号栋幢楼室弄]"
)
_ASKING_ZH = re.compile(r"什么|哪|吗|多少|怎么|没问题|对不对")
_TAIL_ZH = re.compile(r"(?:[吧哈了啊呢的]|谢谢|就行|即可|可以|麻烦了?)+$")
_ADDRESS_EN = re.compile(
    r"(?:(?<!return )address(?: is| to| should be|:|'s)*|\b(?:ship|shipped|deliver|delivered|send|sent)(?: (?:it|them|this|that))? to"
    r"|\bmoved to|\blive at)\s+(?P<value>(?:\d{1,6}[a-z]?|flat|apt\.?|apartment|unit|suite|room|p\.?o\.? box)[ ,][^\n;!?]{5,100}?)"
    r"(?=\.(?:\s|$)|[;!?\n]|$|,? (?:instead|please|thanks|thank you)\b)"
)
_ITEM_ZH = re.compile(
    r"(?:(?:商品|产品|货品)(?:名称?)?(?:是|为|[:：])\s*|[退换买](?:掉|了|的是|一下|这|那|一)*[双件台条只款部套个])"
    r"(?P<value>[\u4e00-\u9fffa-z0-9]{2,12}?)(?=[,，。.!！?？;；\s]|$|了|吗|吧|可以|能|的?尺码)"
)
_ITEM_EN = re.compile(
    r"(?:\b(?:item|product)(?: name)?(?: is|:) (?:the |a |an )?|\b(?:return|exchange|refund|replace|bought|ordered)(?:ing|ed)? "
    r"(?:my|the|this|that|these|those|a|an|a pair of) )(?P<value>[a-z][a-z -]{2,40}?)"
    r"(?=[,.;!?\n]|$| (?:from|for|in|on|because|that|which|and|i|please|with|to|order|of|but)\b)"
)
_NO_ITEM = re.compile(
    r"订单|单子|快递|包裹|东西|地址|退款|退货|申请|\b(?:order|one|parcel|package|item|items|return|refund|money|address)\b"
)


def slots(text: str) -> dict[str, JsonValue]:
    """Return slot values that the words state, the last one of each: numbers, phone, address, item; digits as typed."""
    text = text[:MAX_READ_CHARS]
    words = unquoted(text)
    found: dict[str, JsonValue] = {}
    numbers = texts.identifiers(text)
    for number in numbers:
        if number.kind in ID_SLOTS and _is_meant(words, number.start, number.end):
            found[ID_SLOTS[number.kind]] = number.id
    taken = [(number.start, number.end) for number in numbers if number.kind != "other"]
    for name, start, end in _stated(words, taken):
        found[name] = text[start:end].strip()
    return found


def _is_meant(words: str, start: int, end: int) -> bool:
    quoted = not words[start:end].strip()
    return not quoted and not _NOT_THIS.search(_clause_before(words, start))


def _stated(words: str, taken: list[tuple[int, int]]) -> Iterator[tuple[str, int, int]]:
    for match in _PHONE.finditer(words):
        clear = all(match.end() <= start or match.start() >= end for start, end in taken)
        if clear and _is_meant(words, *match.span()):
            yield "phone", *match.span()
    for match in _ADDRESS_ZH.finditer(words):
        value = _TAIL_ZH.sub("", match["value"])
        if _PLACE_ZH.search(value) and not _ASKING_ZH.search(match["value"]) and _is_said(words, match):
            yield "address", match.start("value"), match.start("value") + len(value)
    for pattern in (_ADDRESS_EN, _ITEM_ZH, _ITEM_EN):
        name = "address" if pattern is _ADDRESS_EN else "item"
        for match in pattern.finditer(words):
            if (name == "address" or not _NO_ITEM.search(match["value"])) and _is_said(words, match):
                yield name, *match.span("value")


def _is_said(words: str, match: re.Match[str]) -> bool:
    return not _is_unwanted(words, match.start()) and _is_meant(words, *match.span("value"))
