"""Orders, shipments, after-sale matters, promises and return addresses, from all three speakers.

The user names numbers and what they want; the assistant promises (``promises``); tools report fields (``records``). A clause
belongs to the number that it names, else to the last one named before it; a wish without any number belongs to the last
order of the dialogue, or stands alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from zhiji import text
from zhiji.extract import matters, promises
from zhiji.extract.facts import Found, Lang
from zhiji.extract.fold import fold
from zhiji.extract.matters import Matter, shown
from zhiji.extract.records import Record, records
from zhiji.extract.view import Clause, Flag, View
from zhiji.text import Identifier
from zhiji.types import Message, Trust

Spans = Sequence[tuple[int, int]]

_WANTS: Final = tuple(
    (zh, en, re.compile(pattern))
    for zh, en, pattern in (
        ("取消订单", "to cancel", r"取消(?!退|换|了)|cancel(?!led|ed)"),
        (
            "换货",
            "an exchange",
            r"换货|换一|换[个成大小双件台新]|想换|要换|能换|可以换|更换|调换|\bexchang(?:e|ing)\b|\bswap\b|\breplace(?:ment)?\b|different size",
        ),
        (
            "退货",
            "a return",
            r"退货|退换|想退|要退|退掉|退了吧|申请退|能退|可以退|怎么退|给退|帮我退|办退|退回|(?<![\w一-鿿])退(?=$|[,吧呀一])|退货退款|\breturn(?:ing|ed)?\b(?! address| home)|send (?:it|them|this|these) back",
        ),
        ("退款", "a refund", r"退款|退钱|退我钱|\brefund|money back"),
        (
            "补发",
            "a reshipment",
            r"补发|补寄|重发|重新发|少发|漏发|发错|少了一|\bresend|reship|wrong item|missing (?:item|part|piece)",
        ),
        ("维修", "a repair", r"维修|保修|返修|报修|修一下|\brepair\b|\bwarranty"),
    )
)
_WANT_NOT: Final = re.compile(
    r"(?:不想|不用|不要|不需要|不打算|先不|没(?:有)?(?:真的?)?(?:想|要|打算)|别|暂时不|取消|算了)[^,。!?;\n]{0,4}(?:退|换|修|补发)|(?:退|换)(?:货|款)?(?:的事)?(?:就)?算了|(?:先别|别|先不|不|不用|不要)取消|don't cancel|不退了|不换了|不修了|不要退|"
    r"(?:don't|do not|dont|won't|no longer|not going to|rather not)\b[^,.!?;\n]{0,20}\b(?:return|exchange|refund|send it back|cancel)|cancel (?:the|my|that) (?:return|refund|exchange)|(?:keep|keeping) (?:it|them) (?:after all|instead)|i'll keep (?:it|them)"
)
_DEFECT: Final = re.compile(
    r"坏|断了?|破了?|裂|闪|漏|掉色|起球|不亮|不响|没反应|质量|瑕疵|发错|少发|漏发|太大|太小|大了|小了|不合适|有味|异味|脏|划痕|损坏|故障|卡顿|开线|脱胶|不制冷|打不开|开不了|充不进|不能用|用不了|有问题|不对版|色差|碎|变形|生锈|没收到|收到的是|"
    r"broken?|damag|defect|crack|ripped|torn|missing|wrong (?:size|item|colou?r|one)|too (?:small|big|large|tight|loose|short|long)|(?:doesn't|does not|doesnt|won't|wont|didn't) (?:work|fit|turn on|charge|close|open|arrive)|stopped working|faulty|leak|stain|dead|scratched|shattered|fell apart|never (?:arrived|came)"
)
_ASKS: Final = re.compile(
    r"催|物流|到哪|发货|查一?下|查询|什么时候到|没到|没收到|签收|派送|开票|发票|改地址|改成|备注|加急|退货地址|寄到|寄走|寄出|寄回|已寄|包裹|快递|"
    r"track|where|ship|deliver|arriv|status|invoice|address|delay|late|lost|sent (?:it|them) back|dropped"
)
_CLEAR_WISH: Final = re.compile(
    r"(?:想|要|申请|需要|帮我|给我|麻烦|请|求|打算|办|能).{0,12}(?:退货|换货|退款|退钱|退掉|退了|补发|维修|保修|退换|取消订单)|(?:退货|换货|退款|退换|补发|维修)吧?$|"
    r"\b(?:i|i'd|i'm|we|please|pls|can i|could i)\b.{0,40}(?:\brefund|\breturn(?:ing)? (?:it|this|them|these|my|the|an? )|\bexchange|\breplacement|money back|send (?:it|them|this) back)|^(?:refund|exchange|replacement)\b"
)
"""A wish that is clear without an order number."""
_CLEAR: Final = re.compile(
    r"退|换货|换一[个件双]|补发|维修|保修|(?:can|could|how do|may|want|like|need|please|pls)\b.{0,24}(?:refund|return|exchange\b|replace|\brepair\b|money back)"
)
_STATUS: Final = re.compile(
    r"已?(?:经)?(?:签收|发货|出库|揽收|退款成功|退款|取消|完成|送达|收到退货|寄出)|运输中|派送中|配送中|待发货|待付款|待揽收|退货中|退款中|处理中|审核中|审核通过|\b(?:has |been |was |is )*(?:shipped|delivered|cancelled|canceled|refunded|in transit|out for delivery|processing|returned|completed|dispatched|received)\b"
)
_TICKET_LABEL: Final = re.compile(
    r"(?:退|换|修|售后|补|工|理赔|投诉|服务|安装)[^,。!?;\s\d]{0,3}单(?:号)?\s?[:为是]?\s?$|"
    r"\b(?:return|exchange|replacement|case|claim|refund|ticket|request)(?: number| id| no\.?| #)?:?\s$"
)


def _tickets(written: str) -> list[Identifier]:
    """Return the labelled numbers of an answer; a number behind 换新单 or the like is a ticket too."""
    numbers: list[Identifier] = []
    for found in text.identifiers(written):
        if not found.labelled and _TICKET_LABEL.search(fold(written[: found.start])):
            found = replace(found, kind="after_sale", labelled=True)
        if found.labelled:
            numbers.append(found)
    return numbers


_NOUN: Final = re.compile(r"^\s*(?:the|my|a|an) [a-z-]+(?: [a-z-]+)?\s*$")


class Business:
    """Reads a dialogue message by message and tells the business facts at the end."""

    def __init__(self, recalled: Sequence[str]) -> None:
        self._matters: dict[tuple[str, str], Matter] = {}
        self._facts: list[Found] = []
        self._recalled = recalled
        self._last: Matter | None = None
        self._lang: Lang | None = None

    def tell(self) -> Iterator[Found]:
        """Yield every business fact of the dialogue."""
        for matter in self._matters.values():
            if matter.id:
                yield matters.told(matter)
            if matter.want:
                yield matters.wish(matter, matter.want)
        yield from self._facts

    # --- matters ---

    def _get(self, kind: str, id: str, name: str, message: Message, trust: Trust) -> Matter:
        lang = self._lang or matters.language(message.content)
        matter = self._matters.setdefault((kind, id), Matter(kind, id, name, trust, lang))
        matter.cite(message.seq)
        return matter

    def _named(self, number: Identifier, message: Message, trust: Trust) -> Matter:
        """Return the matter of a number; an order becomes the one that is talked about, others belong to it."""
        kind = number.kind if number.kind != "other" else "order"
        matter = self._get(kind, number.id, shown(number.raw), message, trust)
        if kind == "order":
            self._last = matter
        elif self._last is not None and not matter.order:
            matter.order = self._last.shown
        return matter

    # --- the user ---

    def hear_user(self, view: View, taken: Spans, *, joke: bool = False) -> None:
        """Take in a user message; ``taken`` are the spans that other rules have read."""
        self._lang = matters.language(view.text)
        numbers = [
            found for found in text.identifiers(view.text) if found.labelled and view.folded[found.start] != "\n"
        ]
        named = [self._named(number, view.message, Trust.USER) for number in numbers]
        if joke:
            self._withdraw_all(view)
            return
        own = next((matter for matter in named if matter.kind == "order"), named[0] if named else None)
        loose: list[Clause] = []
        for clause in _by_number(view, numbers):
            inside = [
                matter
                for number, matter in zip(numbers, named, strict=True)
                if clause.start <= number.start < clause.end
            ]
            own = inside[-1] if inside else own
            if own is None:
                loose.append(clause)
            elif _is_plain(clause):
                _tell(own, view, clause, _words(view, clause, numbers, taken), named=bool(inside))
        self._without_number(view, [clause for clause in loose if _is_plain(clause)], taken)

    def _withdraw_all(self, view: View) -> None:
        for matter in self._matters.values():
            matter.withdraw(view.message.seq)

    def _without_number(self, view: View, clauses: Sequence[Clause], taken: Spans) -> None:
        refused = [clause for clause in clauses if _WANT_NOT.search(view.folded, clause.start, clause.end)]
        if refused:
            self._withdraw_all(view)
        rest = [clause for clause in clauses if clause not in refused]
        matter = self._subject_of(view, rest)
        if matter is None:
            return
        for clause in rest:
            _tell(matter, view, clause, _words(view, clause, (), taken), named=False)

    def _subject_of(self, view: View, clauses: Sequence[Clause]) -> Matter | None:
        """Return what clauses without a number are about, or None if they are about no order."""
        spoken = [(clause, view.folded[clause.start : clause.end]) for clause in clauses]
        wanted = [(clause, words) for clause, words in spoken if _want(words)]
        defect = any(_DEFECT.search(words) and Flag.QUESTION not in clause.flags for clause, words in spoken)
        if self._last is not None and (wanted or defect):
            return self._last
        stated = any(_CLEAR_WISH.search(words) and Flag.QUESTION not in clause.flags for clause, words in wanted)
        if stated or (defect and any(_CLEAR.search(words) for _, words in wanted)):
            return self._get("after_sale", "", "", view.message, Trust.USER)
        return None

    # --- the assistant ---

    def hear_assistant(self, view: View) -> None:
        """Take in an answer: tickets, statuses, promises and return addresses; nothing about the user."""
        numbers = _tickets(view.text)
        for number in numbers:
            self._report(self._named(number, view.message, Trust.ASSISTANT), view, number, numbers)
        for address in promises.return_addresses(view):
            self._return_address(address, view.message, Trust.ASSISTANT)
        for clauses in promises.commitments(view) if self._matters else ():
            words = view.text[clauses[0].start : clauses[-1].end]
            if not promises.is_echo(words, self._recalled):
                self._facts.append(promises.promise(view, clauses, self._promised(view, clauses)))

    def _report(self, matter: Matter, view: View, number: Identifier, numbers: Sequence[Identifier]) -> None:
        clause = view.clause(number.start)
        if Flag.QUESTION in clause.flags:
            return
        if matter.kind != "order":
            matter.add(matters.words_of(view, clause, numbers))
        elif status := _STATUS.search(view.folded, clause.start, clause.end):
            matter.status = view.text[status.start() : status.end()]

    def _return_address(self, address: str, message: Message, trust: Trust) -> None:
        if trust is Trust.ASSISTANT and promises.is_echo(address, self._recalled):
            return
        if found := promises.return_address(address, message, trust, self._last):
            self._facts.append(found)

    def _promised(self, view: View, clauses: Sequence[Clause]) -> Matter | None:
        """Return the matter that a promise is about: named in its sentence, else the last fitting one."""
        sentence = [clause for clause in view.clauses if clause.sentence == clauses[0].sentence]
        low, high = sentence[0].start, sentence[-1].end
        named = [
            self._matters.get((number.kind, number.id)) for number in _tickets(view.text) if low <= number.start < high
        ]
        candidates = [matter for matter in named if matter] or list(self._matters.values())
        kinds = (
            ("shipment", "order") if promises.kind_of(view, clauses) == "ETA" else ("order", "after_sale", "shipment")
        )
        return next((matter for kind in kinds for matter in reversed(candidates) if matter.kind == kind), None)

    # --- tools ---

    def hear_tool(self, message: Message) -> None:
        """Take in a tool result."""
        for record in records(message.content):
            self._hear_record(record, message)

    def _hear_record(self, record: Record, message: Message) -> None:
        order, shipment, ticket = (
            self._get(kind, text.canonical_id(record[name]), shown(record[name]), message, Trust.TOOL)
            if name in record
            else None
            for kind, name in (("order", "order"), ("shipment", "tracking"), ("after_sale", "ticket"))
        )
        self._last = order or self._last
        for matter in (order, shipment, ticket):
            if matter is not None:
                matter.status = record.get("status", matter.status)
        for matter in (shipment, ticket):
            if matter is not None and self._last is not None:
                matter.order = self._last.shown
        if order is not None:
            order.item = record.get("item", order.item)
        if shipment is not None:
            shipment.carrier = record.get("carrier", shipment.carrier)
        if subject := ticket or order:
            _add_fields(subject, record)
        if address := record.get("return_address"):
            self._return_address(address, message, Trust.TOOL)


_FIELD_LABELS: Final = {
    "refund": ("退款金额 ", "refund "),
    "amount": ("金额 ", "amount "),
    "deadline": ("期限 ", "deadline "),
    "address": ("收货地址 ", "ships to "),
}


def _add_fields(matter: Matter, record: Record) -> None:
    for name, labels in _FIELD_LABELS.items():
        if name in record:
            matter.add(labels[matter.lang != "zh"] + record[name])


def _by_number(view: View, numbers: Sequence[Identifier]) -> Iterator[Clause]:
    """Yield the clauses of a message; one that names several numbers is cut into one part for each.

    The words of a number stand behind it, or in front of it where the clause does not begin with a number.
    """
    for clause in view.clauses:
        inside = [number for number in numbers if clause.start <= number.start < clause.end]
        if len(inside) < 2:
            yield clause
            continue
        leads = view.folded[clause.start : inside[0].start].strip() != ""
        cuts = [number.end for number in inside[:-1]] if leads else [number.start for number in inside[1:]]
        for start, end in pairwise([clause.start, *cuts, clause.end]):
            yield replace(clause, start=start, end=end)


def _is_plain(clause: Clause) -> bool:
    return not clause.flags & (Flag.HYPOTHETICAL | Flag.REPORTED)


def _want(folded: str) -> tuple[str, str] | None:
    """Return what a clause wants, in Chinese and English."""
    return next(((zh, en) for zh, en, pattern in _WANTS if pattern.search(folded)), None)


def _words(view: View, clause: Clause, numbers: Sequence[Identifier], taken: Spans) -> str:
    """Return what a clause tells of an order: nothing if it is about something else."""
    read = any(start < clause.end and end > clause.start for start, end in taken)
    return "" if read else matters.words_of(view, clause, numbers)


def _tell(matter: Matter, view: View, clause: Clause, words: str, *, named: bool) -> None:
    """A clause of the user tells something of a matter: a wish, that it is withdrawn, or a detail."""
    folded = view.folded[clause.start : clause.end]
    if not folded.strip():
        return
    matter.cite(view.message.seq)
    if _WANT_NOT.search(folded):
        matter.withdraw(view.message.seq)
    elif want := _want(folded):
        matter.wish(want, words, view.message.seq)
    elif (
        named
        or _NOUN.match(folded)
        or _ASKS.search(folded)
        or _DEFECT.search(folded)
        or Flag.QUESTION not in clause.flags
    ):
        matter.add(words)
