"""Phones, e-mails and addresses of the user, their company and their family. Numbers are read in masked form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from zhiji.extract import lexicon
from zhiji.extract.facts import Found, Lang, found_at, tidy
from zhiji.extract.fold import fold, is_traditional, traditional
from zhiji.extract.view import Flag, View
from zhiji.types import Draft

_PHONE: Final = re.compile(r"(?<![\d*])(?:\+?\d[\d -]{0,6})?\*{3,}[ -]?\d{2,4}(?!\d)")
_EMAIL: Final = re.compile(r"[a-z0-9]\*{3}@[a-z0-9.-]+\.[a-z]{2,}")
_STRANGER: Final = re.compile(
    r"客服|商家|卖家|店家|店铺|快递员|司机|骑手|房东|邻居|前台|物业|热线|朋友|同事|老板|上司|领导|同学|老师|对方|骗子|陌生|诈骗|这个号码?(?:是谁|打)|"
    r"support|store|hotline|courier|driver|landlord|neighbou?r|\bhis\b|\bher\b|\btheir\b|friend|boss|colleague|coworker|recipient|someone|unknown number|spam|scam"
)
_KIN: Final = re.compile(
    rf"(?:我们?家?里?的?|(?<![\u4e00-\u9fff]))(?P<zh>{lexicon.KIN_ZH})(?=的|电话|手机|号码|,|地址|邮箱)|(?:我们?家?里?的?)(?P<zh2>{lexicon.KIN_ZH})|my (?P<en>{lexicon.KIN_EN})\b"
)
_BLOCKED: Final = Flag.HYPOTHETICAL | Flag.REPORTED


_RAW_PHONE: Final = re.compile(
    r"(?:电话|手机|(?<!单)号码|新号码?|换号|联系方式|联络|打(?:返|给我|我|这个|呢个|这|新的?|(?=\s?\d[\d ()-]{6,17}\d\s?(?:(?:找|联系|联络)(?:返|到|得到)?我|都?得|就[行好得可])))(?:号码?|电话)?|call我?|\b(?:phone|cell|mobile|number|call|text|reach me|whatsapp|mob|tel|new (?:one|no|num)(?:'s)?|my (?:no|num)|i'm on|im on|ring me|(?:contact|whatsapp|landline)(?: no)?)\b)[^,.!?;\n\d]{0,20}(?<![A-Za-z])(?<![A-Za-z]-)(?P<v>\+?\(?\d[\d ()-]{6,17}\d)(?!\d)"
)


_CHANGED: Final = re.compile(
    r"(?:(?:电话|手机|号码|号|number|call|whatsapp|打|联络|联系)[^\d\n]{0,40}?(?:转|换|改)(?:咗|左|了|成|做|用|为|到|返|打|发)(?:做|成|用|了|新的?|呢个|这个|:|\s)*|"
    r"\b(?:number|num|phone|mobile|cell)(?:'?s| has| is)? (?:just )?(?:changed|new)\b[^\d\n]{0,24}|"
    r"\b(?:old|wrong|previous|former) (?:phone|number|mobile|num|cell|no)\b[^\d\n]{0,40}?\b(?:it'?s|its|new one'?s?|now|use|try|ring|call|i'm on|im on)(?: now| is| on|:)? |"
    r"(?:旧|老|原来|之前|以前)的?(?:号码?|电话|手机|number)[^\d\n]{0,20}?(?:现在|而家|依家|新的?|改|换|打|用)[^\d\n]{0,6})(?P<v>\+?\d[\d -]{6,14}\d)(?!\d)"
)
"""A number that came in the place of another: 轉咗6127 8935."""
_RAW: Final = re.compile(r"(?<!\d)\+?\(?\d[\d ()-]{6,17}\d(?!\d)")


def find(view: View, lang: Lang) -> Iterator[Found]:
    """Yield the contact data that a user message gives."""
    yield from _numbers(view, lang)
    yield from _raw_phones(view, lang)
    yield from _addresses(view, lang)


def _numbers(view: View, lang: Lang) -> Iterator[Found]:
    for pattern, name, zh, en in (
        (_PHONE, "phone", "手机号", "phone number"),
        (_EMAIL, "email", "邮箱", "e-mail address"),
    ):
        for match in pattern.finditer(view.folded) if "*" in view.folded else ():
            clause = view.clause(match.start())
            before = _sentence_before(view, match.start())
            kin = _KIN.search(before)
            other = Flag.OTHER in clause.flags and not kin
            if clause.flags & _BLOCKED or other or _is_anothers(before, kin):
                continue
            value = view.text[match.start() : match.end()]
            yield _fact(view, match.span(), name, value, (zh, en), lang, kin)


_REACHES: Final = re.compile(
    r"(?:快递员?|司机|骑手|客服|师傅|外卖员?|courier|driver|support|store)[^,\d]{0,12}(?:找|联系|联络|打|call|reach|ring)[^,\d]{0,8}?(?:我|\bme\b)"
)
"""Somebody who tries to reach the user, at whose number it is."""
_OWNER: Final = re.compile(
    r"(?P<who>[\u4e00-\u9fff]{1,8})的(?:[\u4e00-\u9fff]{0,4})(?:电话|手机|号码|邮箱|邮件|联系方式)|(?P<en>[a-z]+)'s (?:[a-z]+ )?(?:phone|number|cell|mobile|e-?mail)"
)


def _is_anothers(before: str, kin: re.Match[str] | None) -> bool:
    """Return whether the words in front of a number say that it belongs to somebody else than the user and their kin."""
    clause = _REACHES.sub("", re.split(r"[,.!?;]", before)[-1])
    if _STRANGER.search(clause) or re.search(r"[他她](?!们)", before):
        return True
    owner = _OWNER.search(clause)
    return owner is not None and kin is None and not re.search(r"(?:我|本人|俺|自己|新|现在|常用)$", owner["who"] or "")


def _sentence_before(view: View, position: int) -> str:
    """Return what a sentence says before a position."""
    sentence = view.clause(position).sentence
    return view.folded[next(one.start for one in view.clauses if one.sentence == sentence) : position]


_LAST_DIGITS: Final = re.compile(
    r"(?:电话|手机|号码|联系方式)[^,。;\n\d]{0,6}(?:尾号|尾数|后四位|末四位)(?:是|:)?\s?(?P<v>\d{4})(?!\d)"
)


def phone(words: str) -> str | None:
    """Return the first phone of a text in masked form, or None."""
    folded = fold(words)
    if masked := _PHONE.search(folded):
        return masked.group()
    raw = _RAW.search(folded)
    digits = re.sub(r"\D", "", raw.group()) if raw else ""
    return f"{digits[:3]}****{digits[-4:]}" if len(digits) >= 7 else None


def _raw_phones(view: View, lang: Lang) -> Iterator[Found]:
    """Yield phones that masking left, because no plan of numbers knows them, and last digits; they are masked here."""
    for match in _LAST_DIGITS.finditer(view.folded):
        clause, before = view.clause(match.start()), _sentence_before(view, match.start())
        if not _is_anothers(before, None) and not clause.flags & (_BLOCKED | Flag.OTHER):
            value = f"****{match['v']}"
            yield _fact(view, match.span(), "phone", value, ("手机号", "phone number"), lang, None)
    told: set[int] = set()
    for match in (*_RAW_PHONE.finditer(view.folded), *_CHANGED.finditer(view.folded)):
        if match.start("v") in told:
            continue
        told.add(match.start("v"))
        clause = view.clause(match.start("v"))
        number = phone(match["v"])
        before = _sentence_before(view, match.start("v"))
        order = re.search(r"单号?码?[^,。]{0,4}$|order[^,.]{0,8}$", view.folded[: match.start("v")])
        if number and not order and not _is_anothers(before, None) and not clause.flags & (_BLOCKED | Flag.OTHER):
            yield _fact(view, match.span("v"), "phone", number, ("手机号", "phone number"), lang, None)


def contact_fact(view: View, span: tuple[int, int], value: str) -> Found:
    """Return the fact that a masked number is the user's phone, said in Chinese."""
    return _fact(view, span, "phone", value, ("手机号", "phone number"), "zh", None)


def _fact(
    view: View,
    span: tuple[int, int],
    name: str,
    value: str,
    label: tuple[str, str],
    lang: Lang,
    kin: re.Match[str] | None,
) -> Found:
    group = next((name for name in ("zh", "zh2", "en") if kin and kin.groupdict().get(name)), "")
    whose = view.text[slice(*kin.span(group))] if kin else ""
    relative = lexicon.KIN.get(fold(whose), whose)
    key = f"identity:relative.{relative}.{name}" if kin and name in ("phone", "email") else f"identity:{name}"
    if kin and name.startswith("address"):
        key = f"identity:address.{relative}"
    if lang == "zh":
        frame = f"用户的{whose + '的' if whose else ''}{label[0]}是"
        content = (traditional(frame) if is_traditional(view.text) else frame) + (
            f" {value}" if value.isascii() else value
        )
    else:
        content = f"The user's {whose + chr(39) + 's ' if whose else ''}{label[1]} is {value}"
    draft = Draft(
        type="identity", content=content, key=key, value=value, importance=4, confidence=0.95, seqs=view.seqs, lang=lang
    )
    return found_at(view, span, draft)


# --- addresses ----------------------------------------------------------------------------------------------------

_VALUE_ZH: Final = r"(?P<v>[^。!?;\n]{4,90})"
_CHANGE: Final = r"(?:帮我|请|麻烦|要|得|需要|想|先)*(?:改成|改做|改为|改到|改去|换成|换到|换为|更新为|更新成|更新到|变更为|应该是|就?是|写|填|为|在|:)+"
_ZH: Final = (
    re.compile(rf"(?<!退货)(?<!退回)(?<!寄回)(?<!发货)(?<!的ip)(?P<kind>收货|收件|配送|送货|家庭|公司|单位|办公室?|邮寄|家里的?|家|学校|宿舍|新|默认)*(?:的)?(?:地址|住址)(?:也|都|又|现在|已经|以后)*{_CHANGE}\s*{_VALUE_ZH}"),
    re.compile(rf"(?:改?寄到|改?寄去|改?送到|改?发到|配送到|寄往|邮到|派送到|改寄|改送|收货到|快递到|寄来|寄我|送我|寄)(?:了)?(?:我)?(?P<kind>公司|单位|学校|宿舍|家里|家)?(?:,|:|是|在)?\s*{_VALUE_ZH}"),
)  # fmt: skip
_TAIL_ZH: Final = re.compile(
    r"[,\s(]*(?:电话|手机|收件人|收货人|联系|邮编|麻烦|谢谢|多谢|请|不要|别|快|订单|单号|我(?!家)|帮我|可以|好吗|好不好|行吗|吗|好的|名字|姓名|唔该|能不能|行不行|急|这样|就行|就好|另外|还有|以后|不是|原来|之前|谁|是我|是新|那边|哈|的?快递|就可以|吧|对吧|拜托|换|\d{3}\*|(?:och)?od\d).*$",
    re.S,
)
_MARKERS_ZH: Final = re.compile(r"[省市区县镇乡村路街道巷弄号栋幢室楼苑园城座里坊湾埔邨厦站]")
_PREFIX_ZH: Final = re.compile(
    r"^.*?(?:[^\s]{2,8}?(?:省|自治区))?(?:[^\s省]{2,8}?(?:市|州|盟))?(?:[^\s市]{1,8}?(?:区|县|镇|市|旗))"
)
_ADMIN: Final = re.compile(r"[省市区县]")
_STREET_EN: Final = r"(?:st|street|ave|avenue|rd|road|ln|lane|dr|drive|blvd|boulevard|way|court|ct|place|pl|square|sq|close|terrace|crescent|row|hwy|highway|parkway|pkwy|circle|trail|straat|laan|weg|gracht|strasse|straße|rue|via|calle|walk|gardens|mews|quay|hill|park)"
_EN: Final = (
    re.compile(r"\b(?P<kind>new) (?:place|home|house|flat|apartment)(?: is|:)+\s+(?P<v>[^!?;\n]{5,110})"),
    re.compile(r"\b(?P<kind>work|office|company|billing|home|shipping|delivery|mailing|default|new)?\s?(?:address)(?: (?:on|for|of) [^,.!?;\n]{2,24}?)?(?: now)?(?:'s| is| to| should be| as|:)+(?: now| actually)?\s+(?P<v>[^!?;\n]{5,110})"),
    re.compile(r"\b(?:ship|deliver|send|mail|forward|redirect)(?: (?:it|them|this|that|everything|stuff|all|my (?:orders?|packages?|parcels?|stuff|things)|the (?:order|package|parcel|replacement)|orders?|packages?))?(?: instead| now)? to(?: (?:my|our))?(?: (?P<kind>office|work|company|home|new place|new address|house|place|apartment))?(?: instead| now| from now on)?[:,]?\s+(?P<v>[^!?;\n]{5,110})"),
)  # fmt: skip
_LOOKS_EN: Final = re.compile(
    rf"\d+\w?\s+(?:[\w'.-]+\s+){{0,4}}?(?:[\w'-]*?{_STREET_EN})\b|\b[\w'-]+{_STREET_EN}\s\d+|\b(?:apt|apartment|unit|suite|flat|p\.?o\.? box|floor)\b|\b[a-z]{{1,2}}\d\w?\s?\d[a-z]{{2}}\b|\b\d{{5}}\b|^\d+\w? [a-z]"
)
_TAIL_EN: Final = re.compile(
    r"(?:\.\s+(?=[A-Za-z])(?<!\bst\.\s)(?<!\bave\.\s)(?<!\brd\.\s)(?<!\bapt\.\s)(?<!\bdr\.\s)(?<!\bno\.\s).*|[,\s]+(?:please|pls|thanks|thank you|not\b|instead of|and (?:my|i|the|it|please|can|use|also)\b|but\b|my (?:phone|number|name|email)|from now on|going forward|for (?:all|this|future)|instead|i'm|i am|ok|okay|tel|phone|call|as (?:my|the|default)|by\b|when\b|can you|is that).*)$",
    re.S,
)  # fmt: skip
_KINDS: Final = {
    "公司": "公司", "单位": "公司", "办公": "公司", "办公室": "公司", "学校": "学校", "宿舍": "学校",
    "work": "work", "office": "work", "company": "work", "billing": "billing",
}  # fmt: skip


def address_zh(raw: str) -> str | None:
    """Return a Chinese address at the beginning of a text, or None."""
    tail = _TAIL_ZH.search(fold(raw))
    value = tidy(raw[: tail.start()] if tail else raw)
    value = leading_parts(value)
    folded = fold(value)
    numbered = re.search(r"\d|[一二三四五六七八九十]+[号栋楼]", folded)
    if len(value) < 4 or len(value) > 90 or len(_MARKERS_ZH.findall(folded)) < (1 if numbered else 2):
        return None
    if re.match(rf"[岔错漏丢]|(?:{lexicon.KIN_ZH})(?:那|家)", folded):
        return None
    return None if re.search(r"什么|哪|怎么|几号|多少|还是|\*", folded) else value


_PART: Final = re.compile(r"[省市区县镇乡村路街道巷弄号栋幢室楼苑园城座里坊湾埔邨厦]|\d")


def leading_parts(value: str) -> str:
    """Return an address up to the first comma behind which no more of it comes."""
    kept: list[str] = []
    for part in re.split(r"(?<=[,，])", value):
        if kept and (not _PART.search(fold(part)) or re.search(r"寄|送|平时|还是|退|谢|单", fold(part))):
            break
        kept.append(part)
    return tidy("".join(kept))


def address_en(raw: str) -> str | None:
    """Return an English address at the beginning of a text, or None."""
    tail = _TAIL_EN.search(fold(raw))
    value = (raw[: tail.start()] if tail else raw).strip(" ,;:\n\"'()")
    value = value[:-1] if value.endswith(".") else value
    return value if 6 <= len(value) <= 110 and _LOOKS_EN.search(fold(value)) and "*" not in value else None


def complete(new: str, old: str) -> str:
    """Return a corrected street address with the province, city and district of the old one, if it names none itself."""
    if _ADMIN.search(fold(new)) or not (prefix := _PREFIX_ZH.match(fold(old))):
        return new
    return old[: prefix.end()] + new


_UNIT: Final = r"\d+(?:-\d+){0,3}(?:号楼|号院|号|弄|栋|幢|座|单元|室|楼|层|房|户|门)?(?:之\d+)?[a-z]?(?:室|座)?"
_LOCATED: Final = re.compile(
    r"(?<![一-鿿])(?P<lead>[^\s,。!?;:\n]{0,14}(?:改[寄送]?(?:到|成|为|做|去)|换(?:到|成)|更新为|[寄送发邮](?:到|去|往|给我|我)|搬(?:到|去|来)了?|地址(?:是|为|写|填)?|住在)|[^\s,。!?;:\n]{0,6}?(?:收件|住|在|是|写|填|去|寄|送|邮)|)\s?"
    rf"(?P<v>[一-鿿]{{2,24}}?(?:路|街|道|巷|弄|胡同|村|里|苑|园|城|府|庭|湾|小区|公寓|大厦|广场|坊|屯|围|邨|阁|轩|居|社区|段|厦|埔|寓)\s?{_UNIT}(?:[一-鿿]{{0,8}}?{_UNIT})*(?:\s(?:[a-z]座?-?\d{{2,5}}|\d+(?:栋|幢|座|单元|室|楼|层|号楼|号院)[^\s,。!?;]{{0,12}}))*)"
)
_ADDRESS_TALK: Final = re.compile(r"寄|送|收件|收货|地址|搬|快递|外卖|默认|包裹|配送|派送|上门|我家|我住|新家")
_AT_KIN: Final = re.compile(
    rf"(?:送|寄|给|到|发)(?:给|到|去)?我?(?:们家)?(?P<zh>{lexicon.KIN_ZH})(?:那|家|那里|那边|的|手)?"
)
_NOT_STREET: Final = re.compile(
    r"什么|哪|几号|还是|快递|外卖|^[这那你您他她]|客服|订单|单号|排第|门店|网点|商场|电影|公里|知道|难道|味道|渠道|频道|赛道"
)


def _located(view: View) -> Iterator[Found]:
    """Yield the Chinese addresses with street and number of a message that is about where something goes, or somebody lives."""
    if not _ADDRESS_TALK.search(view.folded):
        return
    for match in _LOCATED.finditer(view.folded):
        clause = view.clause(match.start("v"))
        before = _sentence_before(view, match.start("v"))
        near = before[-12:]
        if clause.flags & (_BLOCKED | Flag.QUESTION) or _NOT_STREET.search(match["v"]) or _OTHERS_ADDRESS.search(near):
            continue
        kin = _AT_KIN.search(view.folded, match.start("v") - len(before), match.start("v"))
        if Flag.OTHER in clause.flags and not kin and re.search(r"[他她](?!们)|朋友|同事|客户|邻居|店家|卖家", before):
            continue
        kind = next((word for word in ("公司", "单位", "学校", "宿舍") if word in near), "")
        value = tidy(view.text[slice(*match.span("v"))])
        yield address_fact(view, match.span(), value, kind, "zh", once=Flag.ONCE in clause.flags, kin=kin)


def _addresses(view: View, lang: Lang) -> Iterator[Found]:
    located = list(_located(view)) if lang == "zh" else []
    yield from located
    for one in _labelled_addresses(view, lang):
        if not any(other.start < one.end and one.start < other.end for other in located):
            yield one


def _labelled_addresses(view: View, lang: Lang) -> Iterator[Found]:
    patterns, read = (_ZH, address_zh) if lang == "zh" else (_EN, address_en)
    for match in (match for pattern in patterns for match in pattern.finditer(view.folded)):
        clause, start = view.clause(match.start("v")), match.start("v")
        flags = clause.flags | view.clause(match.start()).flags
        value = read(view.text[slice(*match.span("v"))])
        before = view.folded[max(clause.start, match.start() - 12) : match.start()]
        if value is None or flags & (_BLOCKED | Flag.QUESTION) or _OTHERS_ADDRESS.search(before):
            continue
        sentence = next(one.start for one in view.clauses if one.sentence == clause.sentence)
        kin = _KIN.search(view.folded, sentence, start) or _RECIPIENT.search(view.folded, sentence, start)
        span = (match.start(), start + len(value))
        yield address_fact(view, span, value, match["kind"] or "", lang, once=Flag.ONCE in flags, kin=kin)


_OTHERS_ADDRESS: Final = re.compile(r"退货|退回|寄回|return|他|她|朋友|同事|店|\b(?:his|her|their|your|friend's)\b")
_RECIPIENT: Final = re.compile(rf"给我?(?P<zh>{lexicon.KIN_ZH})|to my (?P<en>{lexicon.KIN_EN})\b")
_BARE: Final = re.compile(
    r"(?<![^\s,。!?;:\n(])(?:那就?|就|请|帮我)*(?:改成|改到|改为|换成|换到|写|是|送|寄)?\s?(?P<v>[^\s,。!?;:\n]{0,12}[省市区县][^。!?;\n]{2,60}?(?:路|街|道|巷|村|小区|大厦|号|弄|栋|幢)[^。!?;\n]{0,30})"
)
ASKS_ADDRESS: Final = re.compile(r"地址|寄到|送到|改到|收货|哪里|哪儿|哪裡")


def bare_address(view: View) -> Iterator[Found]:
    """Yield a full Chinese address that stands by itself; for messages that are known to be about an address."""
    for match in _BARE.finditer(view.folded):
        value = address_zh(view.text[slice(*match.span("v"))])
        clause = view.clause(match.start("v"))
        if value and re.search(r"\d", fold(value)) and not clause.flags & (_BLOCKED | Flag.QUESTION | Flag.OTHER):
            yield address_fact(view, (match.start(), match.start("v") + len(value)), value, "", "zh")


def address_fact(
    view: View,
    span: tuple[int, int],
    value: str,
    kind: str,
    lang: Lang,
    *,
    once: bool = False,
    kin: re.Match[str] | None = None,
) -> Found:
    """Return the fact that an address is the user's; ``once``: for one parcel only."""
    name = _KINDS.get(kind, "default")
    label = {
        "default": ("收货地址", "address"), "公司": ("公司地址", "work address"), "学校": ("学校地址", "school address"),
        "work": ("公司地址", "work address"), "billing": ("账单地址", "billing address"),
    }[name]  # fmt: skip
    found = _fact(view, span, f"address.{name}", value, label, lang, kin)
    if once:
        draft = found.draft
        content = f"这一次寄到{value}" if lang == "zh" else f"This time the parcel goes to {value}"
        found.draft = Draft(
            type="event", content=content, value=value, importance=4, confidence=0.9, seqs=draft.seqs, lang=lang
        )
    return found
