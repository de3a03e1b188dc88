"""What an assistant commits to: amounts, deadlines, and where to send a return.

A commitment is a clause that acts (refund, ship, reply …) together with an amount or a time in its sentence. Rules of the
house ("refunds usually take …") and questions are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from zhiji import text
from zhiji.extract import contacts, dates
from zhiji.extract.facts import Found, tidy
from zhiji.extract.fold import fold, is_traditional, traditional
from zhiji.extract.matters import Matter, business_fact, language
from zhiji.extract.view import Clause, Flag, View
from zhiji.types import Message, Trust

_AMOUNT: Final = re.compile(
    r"(?:新台币|新臺幣|台币|人民币|港币|nt\$|hk\$|us\$|a\$|c\$|usd|eur|gbp|cny|rmb|inr|rs\.?|[¥$€£₹])\s?\d[\d,]*(?:\.\d+)?(?:\s?(?:元|块))?|\d[\d,]*(?:\.\d+)?\s?(?:元|块钱?|蚊|円|港币|台币|人民币|美元|欧元|dollars?|bucks|usd|euros?|eur|pounds?|gbp|cny|rmb|yuan)"
)
_SPAN: Final = re.compile(
    r"(?:\d+|[一二两三四五六七八九十]+)(?:\s?[-~到至]\s?(?:\d+|[一二两三四五六七八九十]+))?\s?个?(?:小时|钟头|工作日|工作天|自然日|天|日(?!\d)|周|星期|分钟)(?:之内|以内|内|左右|后)?|(?:\d+|[一两三四五六])个月|(?:即|当|同|次|隔)日|(?:\d{1,2}|[一二两三四五六七八九十]{1,3})点(?:半)?(?:之?前|以前)|(?<![\d/])(?:1[0-2]|0?[1-9])/(?:[12]\d|3[01]|0?[1-9])(?![\d/])|本周|下周|月底前|"
    r"(?:within|in|under|takes?|up to)\s(?:the next )?(?:\d+|one|two|three|four|five|six|seven|ten|a|an)(?:\s?(?:-|to|–)\s?\d+)?\s(?:business |working |calendar )?(?:hours?|hrs?|days?|weeks?|minutes?|mins?|months?)|\d+(?:\s?(?:-|to|–)\s?\d+)?[\s-](?:business |working |calendar )?(?:hours?|hrs?|days?|weeks?)|next (?:bill|statement|invoice|business day|working day)|(?:this|next) week|(?:this|tomorrow|today) (?:morning|afternoon|evening)|by (?:the end of|tomorrow|today|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday|eod|next)|今晚|今天|当天|明天"
)
_PROMISES: Final = (
    ("REFUND", re.compile(r"退款|退还|回赠|豁免|退番|退返|过返数|退回|返还|退给|退到|到账|入账|入帐|打回|原路|会退|已退|退\S{0,4}(?=[\d¥$])|\brefund|goes back|back (?:to (?:you|your)|on your|in your|with you)|on its way back|[£$€]\s?[\d.,]+ (?:\w+ ){0,3}back\b|money back|credited|\bcredit(?:ing)?\b|reimburs|refunded|pay(?:ing)? (?:you|it) back|waiv|\brevers(?:e|ing) [^.]{0,20}(?:charge|payment|fee\b|transaction|[$£€]\d)|(?:charge|payment|fee|transaction)s? [^.]{0,20}\breversed")),
    ("COMPENSATION", re.compile(r"补偿|延长|顺延|(?:另|再|加|额外)[送赠贈]|赔(?!率|本|笑|礼|罪)|补贴|现金券|购物券|礼券|免(?:一|当|本)?[次月年]?(?:运费|月租|服务费|年费)|减免|优惠券|代金券|红包|积分|补差|购物金|抵用|返现|差价|compensat|knock(?:ing)? [^.]{0,12}off|take [^.]{0,12}off|store credit|voucher|coupon|gift card|discount|goodwill")),
    ("RESHIP", re.compile(r"补发|重发|补寄|换出|换新|重做|重新做|返洗|重洗|重印|换货|寄新|新的?寄|新(?:机|品|货)|replacement|resend|reship|new one")),
    ("VISIT", re.compile(r"上门|取件|师傅|工程师|安装|改约|\bengineer|\btechnician|\bplumber|\bcollect(?:ion|ed)?\b|pick-?\s?(?:ed )?up|\brebook|\bcourier will|\bdriver will|\bhome visit")),
    ("ETA", re.compile(r"(?:[前内后请]|可以?|能|即可|再|来|到店|门市|门店|店里|柜台|前台)[^,。!?]{0,10}(?<![存提])(?:取货|取件|取走|取出|自提|自取|提货|提车|领取|领走|来[取拿]|取(?=$|[,。!?了哦喔]))|可取|待取|送达|送到|发货|寄出|发出|预计.{0,8}到|到货|能到|会到|派送|派到|上门送|送货|一[齐起]寄|寄到|出库|\b(?:be |reach(?:es)? |get to )?with you (?:by|on|within|in|before|tomorrow|next)|\breach you\b|\bships?\b|shipped|goes out|go out|\bsent\b|arriv|deliver|dispatch")),
    ("DUE", re.compile(r"寄回|退回来|drop (?:it|them) off|send (?:it|them) in|send (?:it|them) back|return (?:it|them)|ship (?:it|them) back")),
    ("REPLY", re.compile(r"回复|联系您|联系你|[覆回复]你|[覆回复]您|追查|跟进|回电|致电|处理(?:完|好)|解决|上门|取件|审核|get back|hear (?:back|from)|(?:call|ring|phone|text|e-?mail|contact|message) you|reply|resolve|process|pick(?:ed)? up")),
)  # fmt: skip
_POLICY: Final = re.compile(
    r"如果(?!我们|我方|未|没|逾期|超时?|修不|师傅|工程师|仍|还是)|若您|若要|一般(?:来说|情况)?|通常|如需|支持\S{0,6}无理由|可以申请|可申请|的话|\bif\b(?! we| i\b| it (?:can't|cannot|isn't|fails|doesn't|still)| they| the (?:engineer|driver|courier|technician))|usually|typically|generally|normally|in case|you can|you may|our policy|customers"
)
_RETURN_ADDRESS: Final = re.compile(
    r"(?:退货|退回|寄回|退换货|退件|return)(?:的)?(?:收货|收件|shipping|mailing)?\s?(?:地址|address)(?:\s?(?:就?是|为|在|:|is|=)\s*)+(?P<v>[^。!?;\n\"]{4,100})|"
    r"(?:请|麻烦)?(?:您|你)?(?:把|将)?[^,。!?;\n]{0,10}(?<!已)(?:寄回|退回|寄到|寄至|寄往)(?:到|至|我们的?)?:?\s*(?!订单|包裹|商品|快递|运单|order)(?P<w>[^。!?;\n\"]{5,100})|"
    r"(?:send|ship|mail|post|return) (?:it|them|the (?:item|package|parcel|jacket|shoes|goods)|your (?:item|return|package|parcel))(?: back)? to:?\s+(?P<x>[^!?;\n\"]{6,100})"
)
_ADDRESS_LIKE: Final = re.compile(
    r"[省市区县镇乡路街道巷弄号栋幢室]|\d+\s?\w+|street|\bst\b|avenue|\bave\b|road|\brd\b|lane|drive|blvd|warehouse|dock|unit|suite|building"
)
_ADDRESS_TAIL: Final = re.compile(
    r"[,\s]*(?:(?:请|记得|收件人|收货人|联系人|联系电话|电话|手机|邮编|注意|麻烦|并|然后|寄出后|别忘|我们|到付|,?谢谢|和)[^\n]*|(?:please|and (?:include|write|put|keep|use|we|then|let)|attn|phone|tel|thanks|with (?:the|your)|once|we'll|within|as soon)\b.*)$", re.S
)  # fmt: skip


_CHOICE: Final = re.compile(r"或者?|还是|哪(?:个|种)|\bor\b|which|either")
"""With a question: an offer to choose from."""
_OWN_FAULT: Final = re.compile(
    r"(?:再|若|如|如果)[^,。]{0,6}(?:爽约|迟到|超时|逾期|没到|未到)|\bif (?:we|they|i|the (?:engineer|driver|courier|technician)|it)(?:'re|'s|'m| is| are)? (?:\w+ )?(?:miss|fail|don't|doesn't|do not|does not|isn't|is not|can't|late|no-?show)"
)
"""What the shop does if it fails is promised."""
_COMMITTED: Final = re.compile(
    r"我们|为[您你]|给[您你]|帮[您你]|同你|您的|已|赔|补偿|再爽约|本单|此单|全额|入[你您]|一定[^,。]{0,3}送到|\b(?:we|i)(?:'ll| will|'ve| have|'m|'re)\b|\bwill\b|you'll|\b(?:has|have|is|are) been\b"
)
"""What makes a sentence an undertaking to this user, and not a rule of the house."""
_PLEDGE: Final = re.compile(
    r"(?:运费|费用|邮费|来回)[^,。]{0,6}(?:我们|我方|由我|本店|平台)(?:来)?(?:承担|出|付|包)|(?:我们|我方|本店|平台)(?:来)?(?:承担|出|包)[^,。]{0,4}(?:运费|邮费|费用)|(?:还)?在(?:质)?保(?:修)?期内|\b(?:inside|within|under|covered by|still in) (?:the |its |your |our )?(?:[\w-]+ ){0,2}(?:warranty|guarantee)\b|免运费|免费(?:换|补|修|重)|(?:给您|为您|帮您|会)[^,。]{0,6}(?:补寄|补发|重发|重做|重印|重洗|返洗|换货|换新|更换|退款|退货|赔|退差)|"
    r"\b(?:we'll|we will|i'll|i will|i've|we've|we have|i have)\b[^.]{0,30}\b(?:cover|waive|resend|send (?:you )?(?:a|another|out)|replace|exchange|refund|reship|pay|arranged?|credit)\b"
)
"""An undertaking without an amount or a time."""


_KEEPS: Final = re.compile(
    r"我?(?:会|已经?)?(?:记住|记下|忘掉)了?\s*[:,。]|\bi(?:'ll| will) remember\b|\bi(?:'ve| have) (?:forgotten|noted)\b"
)
"""What the assistant says of its memory repeats the user's words, and promises nothing else."""


def commitments(view: View, *, known: bool) -> Iterator[list[Clause]]:
    """Yield, sentence by sentence, the clauses of an answer that commit to something.

    ``known`` is whether the dialogue is about an order or a case; else only what is undertaken for this user counts, and no
    delivery, which may be anybody's.
    """
    sentences: dict[int, list[Clause]] = {}
    for clause in view.clauses:
        sentences.setdefault(clause.sentence, []).append(clause)
    for clauses in sentences.values():
        run = _commitment(view, clauses)
        if run and (known or (_COMMITTED.search(_of_all(view, clauses)) and kind_of(view, run) != "ETA")):
            yield run


def _commitment(view: View, clauses: Sequence[Clause]) -> list[Clause]:
    """Return the clauses of an assistant's sentence that commit to an amount or a time; none for rules and questions."""
    if _KEEPS.search(view.folded, clauses[0].start, clauses[-1].end + 1):
        return []
    if any(Flag.QUESTION in clause.flags for clause in clauses) and any(
        _CHOICE.search(_of(view, clause)) for clause in clauses
    ):
        return []
    plain = [
        clause for clause in clauses if Flag.QUESTION not in clause.flags and not _POLICY.search(_of(view, clause))
    ]
    plain = [
        clause for clause in plain if Flag.HYPOTHETICAL not in clause.flags or _OWN_FAULT.search(_of_all(view, clauses))
    ]
    bound = [clause for clause in plain if _is_bound(view, clause)]
    acts = [
        clause
        for clause in plain
        if _PLEDGE.search(_of(view, clause)) or any(pattern.search(_of(view, clause)) for _, pattern in _PROMISES)
    ]
    if acts and not bound:
        return [clause for clause in acts if _PLEDGE.search(_of(view, clause))]
    if not bound or not acts:
        return []
    first, last = min(bound[0].start, acts[0].start), max(bound[-1].end, acts[-1].end)
    return [clause for clause in plain if first <= clause.start and clause.end <= last]


def _is_bound(view: View, clause: Clause) -> bool:
    folded = _of(view, clause)
    dated = next(dates.find(folded, view.message.time), None)
    return bool(_AMOUNT.search(folded) or _SPAN.search(folded) or dated)


def _of_all(view: View, clauses: Sequence[Clause]) -> str:
    return view.folded[clauses[0].start : clauses[-1].end]


def _of(view: View, clause: Clause) -> str:
    return view.folded[clause.start : clause.end]


def kind_of(view: View, clauses: Sequence[Clause]) -> str:
    """Return what is promised: REFUND, COMPENSATION, RESHIP, ETA, DUE or REPLY."""
    folded = view.folded[clauses[0].start : clauses[-1].end]
    return next((name for name, pattern in _PROMISES if pattern.search(folded)), "REPLY")


_DONE: Final = re.compile(r"已|了|\b(?:was|were|been|has|have|on its way since)\b|ed\b")
"""What is promised lies ahead, unless it is done."""
_NAMES: Final = {
    "order": ("订单", "order"),
    "shipment": ("运单", "shipment"),
    "after_sale": ("售后单", "after-sale case"),
}


def promise(view: View, clauses: Sequence[Clause], subject: Matter | None) -> Found:
    """Return the fact that the assistant promised something, about ``subject`` where that is known."""
    start, end = clauses[0].start, clauses[-1].end
    kind, lang = kind_of(view, clauses), language(view.text)
    zh = lang == "zh"
    toward: dates.Toward = "" if _DONE.search(view.folded, start, end) else "ahead"
    when = next(dates.find(view.folded[start:end], view.message.time, toward=toward), None)
    dated = "" if when is None else f"（{when}）" if zh else f" ({when})"
    words = f"{tidy(view.text[start:end])}{dated}"
    about = f"{_NAMES[subject.kind][not zh]} {subject.shown}" if subject and subject.id else ""
    if zh:
        frame = f"{about} 客服承诺：" if about else "客服承诺："
        content = (traditional(frame) if is_traditional(words) else frame) + words
    else:
        content = f"Support promised{' for ' + about if about else ''}: {words}"
    type = "after_sale" if kind != "ETA" else subject.kind if subject else "conclusion"
    key = f"{type}:{subject.id}.{kind}" if subject and subject.id else None
    return business_fact(
        type,
        content,
        key=key,
        value=_value(view, start, end),
        lang=lang,
        trust=Trust.ASSISTANT,
        seqs=view.seqs,
        start=start,
    )


def _value(view: View, start: int, end: int) -> str | None:
    """Return the amount and the time promised, as written."""
    found = (pattern.search(view.folded, start, end) for pattern in (_AMOUNT, _SPAN))
    return " ".join(view.text[match.start() : match.end()].strip() for match in found if match) or None


# --- return addresses ---------------------------------------------------------------------------------------------


def return_addresses(view: View) -> Iterator[str]:
    """Yield the addresses to which an answer says that a return is to be sent."""
    for found in _RETURN_ADDRESS.finditer(view.folded):
        group = next(name for name in ("v", "w", "x") if found[name])
        raw = view.text[slice(*found.span(group))]
        tail = _ADDRESS_TAIL.search(fold(raw))
        sentence = re.search(r"\.\s+(?=[A-Z一-鿿])", raw) if group == "x" else None
        address = tidy(raw[: min(tail.start() if tail else len(raw), sentence.start() if sentence else len(raw))])
        if re.search("[一-鿿]", address):
            address = contacts.leading_parts(re.sub(r"^[^:：省市区\d]{1,10}[:：]", "", address))
        yield address


def return_address(address: str, message: Message, trust: Trust, order: Matter | None) -> Found | None:
    """Return the fact where a return goes, or None if the text is no address."""
    if len(address) < 5 or not _ADDRESS_LIKE.search(fold(address)):
        return None
    lang = "zh" if re.search("[一-鿿]", address) else language(message.content)
    if lang == "zh":
        content = f"订单 {order.shown} 的退货地址是{address}" if order else f"退货地址是{address}"
    else:
        content = f"The return address{' for order ' + order.shown if order else ''} is {address}"
    key = f"conclusion:return_address{'.' + order.id if order else ''}"
    return business_fact("conclusion", content, key=key, value=address, lang=lang, trust=trust, seqs=[message.seq])


def is_echo(words: str, recalled: Sequence[str]) -> bool:
    """Return whether an assistant's words only repeat what was recalled for it."""
    return any(text.normalise(words) in text.normalise(content) for content in recalled)
