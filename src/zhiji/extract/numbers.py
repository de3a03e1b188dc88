"""Which numbers of a message are orders, shipments or cases where no label says so: what stands around them decides.

A shop's own numbers have any prefix (``MM7700213``, ``QX-88213``, ``NX 5518-A``); so have models, flights, plates, standards and
coupons. A number of such a shape is an order where the words around it are about buying, sending or returning, where the
assistant has asked for it, or where its neighbour is one. Digits read out one by one are a number too, behind a label.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from zhiji import text
from zhiji.extract.fold import fold
from zhiji.text import Identifier

MIN_DIGITS: Final = 5
"""Of an unlabelled number: models, flights, trains and rooms have fewer."""

LEAST_TICKET_DIGITS: Final = 3
"""Of a number with a hyphen behind "return", "case" or 工单."""

_SHAPE: Final = re.compile(
    r"(?<![a-z0-9._/=@-])#?(?P<id>[a-z]{1,4}\d{0,4}(?:-[a-z]{0,2}\d{2,14})+[a-z]?(?:-[a-z0-9]{1,4})*|[a-z]{1,4}\d{6,18}(?:-[a-z0-9]{1,6})*|"
    r"[a-z]{2,3} ?\d{4,6}-[a-z0-9]{1,4}|\d{3}-\d{7}-\d{7})(?![a-z0-9._/=@%-]*@)(?![a-z0-9])"
)
_HASHED: Final = re.compile(r"(?<![\w&/])#(?P<id>[a-z]{0,4}-?\d{4,12}(?:-[a-z0-9]{1,6})*)(?![a-z0-9])")
_BARE: Final = re.compile(
    r"(?P<id>(?:[a-z]{1,5}[ -]{0,3})?\d[\d-]*(?: ?- ?\d+| \d{2,})*(?:-[a-z0-9]{1,4}){0,2}[a-z]?)(?![a-z0-9])"
)
_FOREIGN: Final = re.compile(
    r"^(?:no|tel|qq|wx|vx|rmb|cny|usd|eur|gbp|hkd|jpy|id|iso|iec|din|en|ieee|astm|rfc|cve|sha|md|utf|rgb|isbn|issn|fy|gmt|utc|kb|err|error|http|port|ip|mac|usb|ddr|hdmi|"
    r"rtx|gtx|rx|gpt|ps|xbox|win|covid|pr|bug|jira|sku|vip|v|tk_|sk|pk_|api|key|pin|otp|cvv|exp|ssn|dob|ver|build|page|room|sn|mt\d|lr\d|cr\d{4}$)[- ]?\d"
)
_CURRENCY_LIKE: Final = re.compile(r"(?:rmb|cny|usd|eur|gbp|hkd|jpy)-\d{5,}")
"""Money has no hyphen behind its currency: a shop's number that happens to begin so."""
_LABELLED_OTHER: Final = re.compile(
    r"(?:型号|款号|货号|车牌号?|航班号?|车次|班次|卡号|账号|帐号|帳號|工号|学号|会员号?|客户号|身份证号?|护照号?|证号|序列号|设备号|优惠码|兑换码|邀请码|口令|暗号|房号|门牌|错误码?|代码|版本|专利|批号|座位|车位|"
    r"\b(?:model|flight|plate|licen[cs]e|member(?:ship)?|account|acct|card|coupon|promo(?: code)?|voucher|gift card|code|sku|serial|sn|postcode|zip|error|version|build|passport|student|employee|room|seat|gate|isbn|part|policy|patent|bug|jira|pull request|issue|token|iban|sort code|bank)"
    r"(?: number| no\.?| id| code| key)?)(?:号码?)?[\s:#=是为is]*$"
)
_BUSINESS: Final = re.compile(
    r"单|订|发货|退|换货|换一|换个|换成|快递|物流|运单|到哪|到货|到了没|没到|还没|签收|催|查|收到|补|破|坏|漏|裂|断|色|尺码|尺寸|大小|取消|付款|支付|扣款|拍的|拍了|买|店|客服|发票|售后|运费|包裹|寄|派送|质量|瑕疵|少了|错了|"
    r"\border|\brefund|\breturn|\bexchang|\breplac|\bcancel|\btrack|\bship|\bdeliver|\barriv|showed up|turned up|\bcame\b|label|package|parcel|payment|\bpay(?:ing)? for|retry|missing|broke|smash|leak|crack|wrong|\blate\b|invoice|receipt|\bstatus\b|stuck|charged|bought|purchase|send back|where(?:'s| is)|wheres|faulty|defect|damag|waiting for|dispatch|courier|改地址|改收货|合并|一起发|一起寄|一齐|加急|not received|checkout|cart"
)
_ASKS_NUMBER: Final = re.compile(
    r"(?:订单|单|编)号|哪(?:一)?(?:个|笔|张)?(?:订单|单子?)|另一(?:个|单|笔)|单(?:子)?(?:发|给|报)|\border (?:number|no\b|id|ref)|which order|(?:what|which|share|provide|give|tell|send|have)\b.{0,30}\b(?:order|number|reference|tracking)\b|(?:the )?other (?:one|order)\?|tracking number|运单|快递单"
)
_ASKS_OTHER: Final = re.compile(
    r"手机|电话|联系方式|验证码|身份证|会员|卡号|账号|车牌|航班|型号|序列号|尾号|邮编|phone|mobile|contact number|passport|member|account number|card number|flight|model|serial|verification|postcode|zip|last four|plate"
)
_TICKET_BEFORE: Final = re.compile(
    r"(?:退|换|修|售后|补|工|理赔|投诉|服务|安装|受理|案件|取件|赔付|申请|登记|预约|单据)[^,。!?;\s\d]{0,3}(?:单号?|编?号)\s?[:为是]?\s?$|"
    r"\b(?:return|exchange|replacement|repair|case|claim|refund|ticket|request|complaint|job|reference|ref|rma|credit|booking|incident)(?: request| ticket| claim| case)?(?: number| id| no\.?| ref)?(?: is)?[:\s#]*$"
)
_FILED: Final = re.compile(
    r"登记|提交|建立|建好|生成|创建|开(?:了|咗|好|出)|受理|申请|记录在|\b(?:raised|opened|created|logged|filed|set up|booked|arranged|issued|escalated|submitted|registered)\b"
)
_ORDER_BEFORE: Final = re.compile(r"(?:订单|单子|\border)[^,.;]{0,12}$")
_SHIPMENT_QUESTION: Final = re.compile(r"运单|快递单|物流单|tracking|waybill")
_LABEL: Final = re.compile(r"[单编]号|订单|单子|order|number")
_LABEL_BEFORE: Final = re.compile(
    r"(?:(?:订单|单子?|编)号?码?|order(?: number| no\.?| id| ref)?|(?:order|number) is|number)[^\da-z'零一二三四五六七八九幺]{0,6}(?:is|it's|its|so it's|so its|'s)?\s*$"
)
_SPOKEN_ZH: Final = re.compile(
    r"(?:[a-z]{1,4}\s?)?[零〇一二三四五六七八九幺两](?:[\s,、]?[零〇一二三四五六七八九幺两\d]){5,21}"
)
_WORDS: Final = {
    "zero": "0", "oh": "0", "nought": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9",
}  # fmt: skip
_WORD: Final = "|".join(_WORDS)
_SPOKEN_EN: Final = re.compile(
    rf"(?:(?<!')\b[b-hj-z]\b[\s,.-]*){{0,5}}(?:(?:double |triple )?\b(?:{_WORD})\b[\s,.-]*){{4,20}}"
)
_SPELLED: Final = re.compile(
    r"(?<![a-z0-9])(?:[a-z] ){0,5}(?:(?:[0-9]|杠|横杠|减号|dash|hyphen) ?(?![a-z0-9]{2})){5,24}(?:[a-z](?![a-z]))?"
)
"""Read out character by character: ``h t 9 0 3 3 杠 5 1 8``."""
_HAN_DIGITS: Final = str.maketrans("零〇一二三四五六七八九幺两", "00123456789" + "12")
_SHORT: Final = re.compile(
    r"\b(?:cancel|keep(?:ing)?|return(?:ing)?|refund|exchang(?:e|ing)|swap|scrap|resend|track(?:ing)?|send(?:ing)? back|(?:don't|dont|do not) (?:touch|cancel|send|ship|want)|leave|drop|not|where(?:'s|s| is)|whats up with|sent|got|for|about|and|or|(?:news|updates?|word|eta|status|progress) (?:on|for|of)|(?:add|change|put|upgrade)\b[^.,!?\n]{1,24} (?:to|on|for|in)) (?:order )?(?P<id>[a-z]-\d{4,6}|[a-z]{2,4}-\d{3,6})(?![\w/@.-]*\w)|"
    r"(?<![\w./@-])(?P<of>[a-z]-\d{4,6}|[a-z]{2,4}-\d{3,6}) (?=came\b|arrived|never|hasn'?t|has not|still|showed up|turned up|is (?:late|missing|broken|damaged|cancell?ed|wrong)|(?:was|got) (?:smashed|broken|damaged))"
)
"""A number too short to be one by itself, which a shop's verb has for its object or that has come."""
_SHORT_ZH: Final = re.compile(
    r"[一-鿿](?P<lead>单子?|)\s?#?(?P<id>[a-z]{1,4}-?\d{4,6}[a-z]?)(?![a-z0-9_/@.%-])(?=\s?(?:$|[,。!?;:、~…()]|[一-鿿]|[a-z]{1,4}-?\d{4}))"
)
"""A short number behind the goods that it is of, or behind their 单: 蛋糕 KM31120, 干洗单 GX8823."""
_LEADING_ZH: Final = re.compile(
    r"(?<![^\s,。!?;:、])(?P<id>[a-z]{1,4}-?\d{5,6})(?=\s?(?:照|先|退|取消|不要|别|[送发寄](?![a-z])|还|没|什么时候|几时|怎么|咋|到|换|加|改|的))"
)
"""A short number that a clause begins with, and what shall be done with it."""
_MACHINES: Final = re.compile(
    r"航班|飞机|机场|高铁|动车|火车|列车|车次|车厢|座位|车牌|国道|高速|省道|路口|型号|款号|显卡|主板|芯片|处理器|内核|镜头|相机|轴承|电池|耗材|墨盒|硒鼓|打印机|路由器|显示器|版本|补丁|柜|柜门|取件码|口令|密码|报错|错误|漏洞|教室|房间|会议室|展位|车位|货架|零件|试卷|课本|论文|学号|工号|机型|型的|这款|那款|同款"
)
"""Talk in which letters and figures name a machine, a place or a page."""
_PAPERS: Final = re.compile(r"(?:发票|收据|流水|合同|保单|账单|报价单?|保险|证书?|协议|凭证|批次|快照)$")
"""What else has numbers, though its holder bought something."""
_WRONG: Final = re.compile(
    r"送|错|塌|洒|撒|化了|糊|蔫|没[洗装来送做放给弄]|先别|照常|先不|不要了|别[发送做]|要[发送取]|加一|改[成到]|退|refund|cancel|return|deliver"
)
"""What goes wrong with goods and services of all kinds, or shall go on with them."""
_LOOSE_LABEL: Final = re.compile(
    r"\border(?: (?:is|was|of))? (?!(?:from|for|on|by|at|in|to|the|with|no|of|me|us|was|is|now|and|or|a|i|over|than|then|this|that|item|size|qty|x|up|may|june?|july?|jan|feb|mar|apr|aug|sept?|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|past|last|next|only)\b)(?P<id>[a-z]{1,4}(?: ?- ?| )\d{1,6}(?:[ -]\d{1,6}){1,5}|[a-z]{1,4} \d{4,8})(?![\w-])(?! ?(?:am|pm|items?|pieces?|boxes|of|x)\b)"
)
"""A number in chunks right behind the bare word "order"."""
_ACTS: Final = re.compile(
    r"\b(?:cancel(?:led)?|keep|return(?:ing)?|refund(?:ed)?|exchang\w+|swap|resend|send(?:ing)? back|track|where(?:'s|s| is)|arrived|came|turned up|showed up|ship\w*|news|updates?|status|eta|add|change)\b"
)
_NO_GOODS: Final = re.compile(
    r"\b(?:flights?|fly(?:ing)?|airport|trains?|bus|motorway|road|route|models?|vitamins?|highway|junction|car|truck|plane|jet|chapter|course|lecture|class|session|gene|engine|games?|films?|movies?|songs?|batter(?:y|ies)|equation|spf|droid|robot|cells?)\b"
)
"""Talk in which a short number is a flight's, a road's or a model's."""
_PREFIXED: Final = re.compile(r"#?([a-z]{1,4})-?(\d{3,6})")


_DOUBTFUL: Final = re.compile(r"(?<![a-z0-9_./@-])[a-z]{2,4}-\d{4,6}(?![a-z0-9_/@-]|\.[a-z0-9])")


_DASH: Final = re.compile(r"杠|横杠|减号|dash|hyphen")


def is_case(folded: str) -> bool:
    """Return whether an assistant's message names a case under a number: "return ref RT-9021"."""
    return any(
        _TICKET_BEFORE.search(folded[max(0, one.start() - 28) : one.start()]) for one in _CASE_ID.finditer(folded)
    )


_CASE_ID: Final = re.compile(r"(?<![\w-])[a-z]{1,5}-?\d{3,}")


def is_asked(question: str) -> bool:
    """Return whether an assistant's message asks for the number of an order or a shipment."""
    folded = fold(question)
    return bool(_ASKS_NUMBER.search(folded)) and not _ASKS_OTHER.search(folded)


def find(written: str, folded: str, *, question: str = "", known: Collection[str] = ()) -> list[Identifier]:
    """Return the numbers of a message, by position, all of them labelled: by their label, prefix or surroundings.

    ``folded`` is the guarded view of ``written``; ``question`` what the assistant said before it; ``known`` are the ids that
    the dialogue is about already.
    """
    labelled = [number for number in text.identifiers(written) if number.labelled and folded[number.start] != "\n"]
    found = [number for number in labelled if number.kind != "other" or _is_reference(folded, number)]
    if (asked := is_asked(question)) and not found and (answer := _answer(written, folded, question)):
        return [answer]
    if asked or known or found or _BUSINESS.search(folded):
        _add(found, _shaped(written, folded, labelled))
    _add(found, _short(written, folded))
    _add(found, _related(written, folded, [*(number.raw for number in found), *known]))
    if asked or _LABEL.search(folded):
        _add(found, _spoken(written, folded, asked=asked))
    return sorted(found, key=lambda number: number.start)


def of_answer(written: str, folded: str, *, business: bool, known: Collection[str] = ()) -> list[Identifier]:
    """Return the numbers of an assistant's message; one behind "case", "job" or 换新单 is a ticket, whatever its prefix.

    ``business`` is whether it is about orders: only then a number without a label is one; if it is none of the ``known`` ids and
    the answer opens or files something, it is the ticket.
    """
    found: list[Identifier] = []
    for number in text.identifiers(written):
        before = folded[max(0, number.start - 28) : number.start]
        if (not number.labelled or number.kind == "other") and _TICKET_BEFORE.search(before):
            number = replace(number, kind="after_sale", labelled=True)
        if number.labelled and (number.kind != "other" or _is_reference(folded, number)):
            found.append(number)
    shaped = [
        replace(number, kind="after_sale")
        if _TICKET_BEFORE.search(folded[max(0, number.start - 28) : number.start])
        or (number.kind == "order" and number.id not in known and _is_filed(folded, number))
        else number
        for number in (_shaped(written, folded, found) if business else ())
    ]
    _add(found, shaped)
    _add(found, _related(written, folded, known))
    return sorted(found, key=lambda number: number.start)


def _short(written: str, folded: str) -> Iterator[Identifier]:
    """Yield the short numbers that a request or a complaint names."""
    for match in _LOOSE_LABEL.finditer(folded):
        if sum(map(str.isdigit, match["id"])) >= MIN_DIGITS and not _FOREIGN.match(match["id"]):
            yield _number(written, *match.span("id"))
    for match in (*_SHORT_ZH.finditer(folded), *_LEADING_ZH.finditer(folded)):
        lead = match.groupdict().get("lead")
        enough = sum(map(str.isdigit, match["id"])) >= (4 if lead or "-" in match["id"] else MIN_DIGITS)
        before = folded[max(0, match.start("id") - 24) : match.start("id")]
        other = _FOREIGN.match(match["id"]) or _MACHINES.search(folded) or _LABELLED_OTHER.search(before)
        meant = lead or _BUSINESS.search(folded) or _WRONG.search(folded)
        if enough and meant and not other and not _PAPERS.search(before):
            yield _number(written, *match.span("id"))
    if not _ACTS.search(folded) or _NO_GOODS.search(folded):
        return
    for match in _SHORT.finditer(folded):
        start, end = match.span("id" if match["id"] else "of")
        if not _FOREIGN.match(folded[start:end]):
            yield _number(written, start, end)


def doubtful(written: str, folded: str) -> list[Identifier]:
    """Return the short numbers of a message that are orders if the shop takes the message up: "lamp KL-4471 buzzes"."""
    if _NO_GOODS.search(folded) or _MACHINES.search(folded):
        return []
    return [
        _number(written, *match.span())
        for match in _DOUBTFUL.finditer(folded)
        if not (
            _FOREIGN.match(match.group()) or _LABELLED_OTHER.search(folded[max(0, match.start() - 24) : match.start()])
        )
    ]


def _related(written: str, folded: str, known: Iterable[str]) -> Iterator[Identifier]:
    """Yield the numbers with the prefix and the length of one that is known: with KX-2081, KX-2090."""
    alike = {match[1] + rf"-?\d{{{len(match[2])}}}" for id in known if (match := _PREFIXED.fullmatch(fold(id)))}
    if alike:
        for match in re.finditer(rf"(?<![\w./@-])(?P<id>{'|'.join(sorted(alike))})(?![\w-])", folded):
            yield _number(written, *match.span("id"))


def _is_filed(folded: str, number: Identifier) -> bool:
    """Return whether the words around a number say that something has been opened or filed under it."""
    before = re.split(r"[。!?\n]|\.\s", folded[: number.start])[-1]
    return bool(_FILED.search(before)) and not _ORDER_BEFORE.search(before)


def _add(found: list[Identifier], more: Iterable[Identifier]) -> None:
    """Add the numbers that overlap none."""
    for number in more:
        if all(number.end <= other.start or other.end <= number.start for other in found):
            found.append(number)


def _is_reference(folded: str, number: Identifier) -> bool:
    """Return whether a number that is no order by its label is a reference of one; invoices and payments are none."""
    return bool(re.search(r"\bref(?:erence)?\b[^,.;\n]{0,16}$", folded[: number.start]))


def _shaped(written: str, folded: str, found: Sequence[Identifier]) -> Iterator[Identifier]:
    """Yield what else has the shape of a shop's number, and nothing in front that makes it another thing's."""
    for pattern in (_SHAPE, _HASHED) if "#" in folded else (_SHAPE,):
        for match in pattern.finditer(folded):
            start, end = match.span("id")
            if any(start < number.end and end > number.start for number in found):
                continue
            digits = sum(map(str.isdigit, match["id"]))
            enough = digits >= (4 if pattern is _HASHED or "-" in match["id"][3:] else MIN_DIGITS)
            before = folded[max(0, start - 24) : start].rstrip("#")
            ticket = bool(_TICKET_BEFORE.search(before)) and not re.search(r"型号|model", before)
            if (
                (enough or (ticket and digits >= LEAST_TICKET_DIGITS and "-" in match["id"]))
                and (
                    ticket
                    or folded[start - 1 : start] == "#"
                    or not _FOREIGN.match(match["id"])
                    or _CURRENCY_LIKE.fullmatch(match["id"])
                )
                and not _LABELLED_OTHER.search(before)
                and not (_is_code(match["id"]) and not ticket)
            ):
                yield _number(written, start, end)


def _is_code(id: str) -> bool:
    """Return whether it is rather a date, a model or a time than a number of an order."""
    return bool(re.fullmatch(r"[a-z]{1,3}-?(?:19|20)\d\d|[a-z]+-\d{1,4}", id))


def _number(written: str, start: int, end: int, id: str = "") -> Identifier:
    raw = written[start:end]
    kinds = [one.kind for one in text.identifiers(raw) if one.labelled and one.kind != "other"]
    return Identifier(kinds[0] if kinds else "order", raw, id or text.canonical_id(raw), start, end)


def _answer(written: str, folded: str, question: str) -> Identifier | None:
    """Return the number that a message is, or ends or begins with, behind a question for one."""
    answers: list[Identifier] = []
    for match in _BARE.finditer(folded):
        start, end = match.span("id")
        id = match["id"].rstrip(" -")
        digits = sum(map(str.isdigit, id))
        end = start + len(id)
        alone = not re.search(r"[a-z0-9]$", folded[:start]) and not re.match(
            r"[a-z0-9*@]|\s?[元块个件天号月日]|[.:]\d", folded[end:]
        )
        if MIN_DIGITS <= digits <= 24 and alone and not _FOREIGN.match(id):
            number = _number(written, start, end)
            shipped = number.kind == "order" and _SHIPMENT_QUESTION.search(fold(question))
            answers.append(replace(number, kind="shipment") if shipped else number)
    if answers:
        return max(answers, key=lambda number: len(number.id))
    return next(_spoken(written, folded, asked=True), None) or next(_shaped(written, folded, ()), None)


def _spoken(written: str, folded: str, *, asked: bool) -> Iterator[Identifier]:
    """Yield numbers whose digits are read out, behind a label or a question for one."""
    for match in _SPELLED.finditer(folded):
        label = asked or _LABEL_BEFORE.search(folded[max(0, match.start() - 16) : match.start()])
        if label and " " in match.group().strip() and sum(map(str.isdigit, match.group())) >= MIN_DIGITS:
            end = match.start() + len(match.group().rstrip())
            yield _number(written, match.start(), end, id=text.canonical_id(_DASH.sub("-", match.group())))
    for match in _SPOKEN_ZH.finditer(folded):
        if asked or _LABEL_BEFORE.search(folded[max(0, match.start() - 16) : match.start()]):
            yield _number(
                written, *match.span(), id=text.canonical_id(re.sub(r"[,、]", "", match.group().translate(_HAN_DIGITS)))
            )
    for match in _SPOKEN_EN.finditer(fold(written)):
        if asked or _LABEL_BEFORE.search(folded[max(0, match.start() - 24) : match.start()]):
            end = match.start() + len(match.group().rstrip(" ,.-"))
            yield _number(written, match.start(), end, id=_typed(match.group()))


def _typed(spoken: str) -> str:
    """Return digits and letters as one would type what is read out: ``g h double four one`` → ``GH441``."""
    typed, times = "", 1
    for word in re.findall(r"[a-z]+|\d", spoken.lower()):
        if word in ("double", "triple"):
            times = 2 if word == "double" else 3
        else:
            typed, times = typed + _WORDS.get(word, word) * times, 1
    return typed.upper()
