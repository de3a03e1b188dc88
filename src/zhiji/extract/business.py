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
from zhiji.extract import matters, numbers, promises, slots
from zhiji.extract.facts import Found, Lang
from zhiji.extract.fold import fold, is_traditional
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
            r"换货|换一|换[个成大小双件台新]|想换|要换|能换|可以换|更换|调换|\bexchang(?:e|ing)\b(?! (?:semester|student|year|program|rate))|\bswap\b|\breplace(?:ment)?\b|different size",
        ),
        (
            "退货",
            "a return",
            r"退货|退换|想退|要退|退掉|退了吧|申请退|能退|可以退|怎么退|给退|帮我退|办退|退回|(?<![\w一-鿿])退(?=$|[,吧呀一])|退货退款|\breturn(?:ing)?\b(?! address| home| (?:process|policy))|want (?:it|them|this) returned|send (?:it|them|this|these) back",
        ),
        ("退款", "a refund", r"退款(?!账|帐|方式|地址|金额|进度|流水)|退钱|退我钱|\brefund|money back"),
        (
            "补发",
            "a reshipment",
            r"补发|补寄|重发|重新发|少发|漏发|发错|少了一|\bresend|reship|wrong item|missing (?:item|part|piece)",
        ),
        ("维修", "a repair", r"维修|保修|返修|报修|修一下|\brepair\b|\bwarranty"),
    )
)
_DONE: Final = re.compile(
    r"已经?(?:给我|帮我|被|全额|部分)*(?:退[款货钱换]|换货|补发|补寄|重发|维修|返修|取消)(?!申请)|"
    r"\b(?:was|were|been|already|got)(?: (?:fully|partially|already))? (?:refunded|returned|exchanged|replaced|resent|reshipped|repaired|cancell?ed)\b"
)
"""What has been done of it, which nobody wants any more."""
_WANT_NOT: Final = re.compile(
    r"(?:不想|不用|不要|不需要|不打算|先不|没(?:有)?(?:真的?)?(?:想|要|打算)|别|暂时不|取消|算了)[^,。!?;\n]{0,4}(?:退|换|修|补发)|(?:退|换)(?:货|款)?(?:的事)?(?:就)?算了|(?:先别|别|先不|不|不用|不要)取消|don't cancel|不退了|不换了|不修了|不要退|"
    r"(?:don't|do not|dont|won't|no longer|not going to|rather not)\b[^,.!?;\n]{0,20}\b(?:return|exchange|refund|send it back|cancel)|cancel (?:the|my|that) (?:return|refund|exchange)|(?:keep|keeping) (?:it|them|this one) (?:after all|instead)|i'll keep (?:it|them)|\bkeeping (?:it|them)\b|\bnever ?mind\b|\bnvm\b|(?:没事了|算了)(?=$|[,。!\s])|又好了"
)
_DEFECT: Final = re.compile(
    r"坏|断了?|破了?|裂|闪|漏|掉色|起球|不亮|不响|没反应|质量|瑕疵|发错|少发|漏发|太大|太小|大了|小了|不合适|有味|异味|脏|划痕|损坏|故障|卡顿|开线|脱胶|不制冷|打不开|开不了|充不进|不能用|用不了|有问题|不对版|色差|碎|变形|生锈|没收到|收到的是|起皮|钻毛|掉毛|掉漆|掉了|脱落|松动|异响|噪音|太吵|刮花|刮伤|磨损|弯了|歪|少了?[一个件片只张本附]|缺了?[一个件片少]|(?<![说记写打输弄搞填看听])错了|寄错|发错|拿错|装错|连不到?上?|连不了|充不了|充电|不转|不热|不动|没动静|卡在|停在|发霉|过期|变质|馊|臭|烂|死机|黑屏|花屏|嗶嗶|哔哔|短了|长了|薄|假货|仿品|没到|还没(?:发|到|送)|不见了|丢了|多扣|扣了两次|白等|放我鸽子|没来|爽约|泡了|冒烟|漏电|烫伤|"
    r"broken?|damag|defect|crack|ripped|torn|missing|wrong (?:size|item|colou?r|one)|too (?:small|big|large|tight|loose|short|long)|(?:doesn't|does not|doesnt|won't|wont|didn't) (?:work|fit|turn on|charge|close|open|arrive)|stopped working|faulty|leak|stain|dead|scratched|shattered|fell apart|never (?:arrived|came|turned up|showed)|smash|bent|dent|chipped|snapped|split\b|peel|rust|mould|mold|expired|wobbl|loose|stuck|hasn't (?:arrived|moved|shipped|come)|not (?:working|arrived|received|charging|turning on)|no movement|lost in|overcharged|charged (?:me )?(?:twice|double)|no-?show|(?:nobody|no one|noone) (?:came|showed|turned up)|blank|flicker|dropp(?:ed|ing)"
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
_CONSULTS: Final = re.compile(
    r"咨询|请教|了解|流程|政策|规则|规定|条件|运费险|\b(?:policy|process|procedure|how (?:do|does|long|much)|wondering about|curious|know about|question about)\b"
)
"""A wish to know, not to return."""
_CLEAR: Final = re.compile(
    r"退|换货|换一[个件双]|补发|维修|保修|(?:can|could|how do|may|want|like|need|please|pls)\b.{0,24}(?:refund|return|exchange\b|replace|\brepair\b|money back)"
)
_STATUS: Final = re.compile(
    r"已?(?:经)?(?:签收|发货|出库|揽收|退款成功|退款|取消|完成|送达|收到退货|寄出)|运输中|派送中|配送中|待发货|待付款|待揽收|退货中|退款中|处理中|审核中|审核通过|\b(?:has |been |was |is )*(?:shipped|delivered|cancelled|canceled|refunded|in transit|out for delivery|processing|returned|completed|dispatched|received)\b"
)
_ASKS_PROBLEM: Final = re.compile(
    r"什么问题|怎么了|什么情况|哪里(?:有问题|不)|具体|遇到|描述|什么原因|还是退|还是换|退货还是|换货还是|退款还是|需要(?:退|换)|(?:what(?:'s| is| was| seems)?|whats) (?:to be )?(?:wrong|the (?:issue|problem|matter)|happen)|what happened|describe|go wrong|"
    r"(?:refund|replacement|exchange|return) or|or an? (?:refund|replacement|exchange|return)|help (?:you )?with (?:it|this|that|the order|your order)"
)
"""Whose answer is about the order, whatever its words."""
_BOUGHT: Final = re.compile(
    r"买|下单|收到|到货|拍的|网购|订的|送来|寄来|刚到|用了?(?:才|没|不到|[一二两三四五六七八九十\d几])|安装师傅|快递|包裹|\b(?:bought|ordered|purchased|received|arrived|delivered|came|delivery|package|parcel|order|your (?:product|website|shop|store|site)|you (?:guys )?(?:sent|sold|delivered))\b"
)
_NO_GOODS: Final = re.compile(
    r"满意|太值|一级棒|不错|推荐给|love (?:it|them|this)|happy with|心碎|感情|分手|heart|broke up|relationship|\bi'm (?:broken|dead|stuck)|\bi am (?:dead|stuck)"
)
_HANDLES: Final = re.compile(
    r"订单|单号|换货|退货|退款|补发|补寄|售后|维修|更换|赔|运单|快递|登记|取件|上门|\border|\breturn|\brefund|\breplac|\bexchange|\bclaim|\bcase\b|\bticket|\brepair|\bcredit|\bship|\bdeliver|\bengineer|\btechnician"
)
"""An answer of a shop that takes up what was said."""
_FIRST: Final = re.compile(
    r"\s*(?:前(?:头|面|一|边)?(?:那|一|这)?个|第一个|头一个|the first|first(?: one)?\b|the former)"
)
_LAST: Final = re.compile(
    r"\s*(?:后(?:头|面|一|边)?(?:那|一|这)?个|第二个|另外?一?个|the (?:second|other|latter)|second(?: one)?\b)"
)
_NOUN: Final = re.compile(r"^\s*(?:the|my|a|an) [a-z-]+(?: [a-z-]+)?\s*$")


class Business:
    """Reads a dialogue message by message and tells the business facts at the end."""

    def __init__(self, recalled: Sequence[str]) -> None:
        self._matters: dict[tuple[str, str], Matter] = {}
        self._facts: list[Found] = []
        self._recalled = recalled
        self._last: Matter | None = None
        self._lang: Lang | None = None
        self._question = ""
        """What the assistant said before the user's next message."""
        self._complaint: Found | None = None
        """What went wrong with a thing whose order nobody has named yet."""
        self._doubtful: tuple[View, list[Identifier]] | None = None
        """The last message with its numbers that are orders only if the shop takes it up."""
        self._before: Found | None = None
        """What the last message told, in case it is asked for its order."""

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
        matter = self._matters.setdefault(
            (kind, id), Matter(kind, id, name, trust, lang, is_traditional(message.content))
        )
        matter.cite(message.seq)
        return matter

    def _named(self, number: Identifier, message: Message, trust: Trust) -> Matter:
        """Return the matter of a number; an order becomes the one that is talked about, others belong to it."""
        kind = number.kind if number.kind != "other" else "order"
        matter = self._get(
            kind, number.id, shown(number.raw) if re.search(r"\d", number.raw) else number.id, message, trust
        )
        if kind == "order":
            self._last = matter
        elif self._last is not None and not matter.order:
            matter.order = self._last.shown
        return matter

    def _ids(self) -> frozenset[str]:
        return frozenset(matter.id for matter in self._matters.values())

    # --- the user ---

    def hear_user(self, view: View, taken: Spans, *, joke: bool = False) -> None:
        """Take in a user message; ``taken`` are the spans that other rules have read."""
        self._lang = matters.language(view.text)
        asked, self._question = self._question, ""
        found = numbers.find(view.text, view.folded, question=asked, known=self._ids())
        self._doubtful = None if found or joke else (view, numbers.doubtful(view.text, view.folded))
        if found and numbers.is_asked(asked) and self._complaint is None:
            self._complaint = self._before
        self._before = None
        misspelt = self._last if slots.says_so(view) else None
        named = [self._named(number, view.message, Trust.USER) for number in found]
        if misspelt and self._last and self._last is not misspelt and _alike(misspelt.id, self._last.id):
            self._respell(misspelt, self._last, view.message.seq)
        if joke:
            self._withdraw_all(view)
            return
        own = next((matter for matter in named if matter.kind == "order"), named[0] if named else None)
        loose: list[Clause] = []
        for clause in _by_number(view, found):
            inside = [
                matter for number, matter in zip(found, named, strict=True) if clause.start <= number.start < clause.end
            ]
            own = inside[-1] if inside else _counted(view, clause, named) or own
            if own is None:
                loose.append(clause)
            elif _is_plain(clause):
                _tell(own, view, clause, _words(view, clause, found, taken), named=bool(inside))
        if own is not None:
            self._settle_complaint(own, view)
        self._without_number(view, [clause for clause in loose if _is_plain(clause)], taken, asked)

    def _respell(self, old: Matter, new: Matter, seq: int) -> None:
        """What was told of a number that was mistyped belongs to the one that was meant."""
        old.void_by = seq
        new.details[:0] = old.details
        new.want, new.want_details, new.want_seqs = old.want, [*old.want_details], [*old.want_seqs, seq]
        for cited in old.seqs:
            new.cite(cited)

    def _withdraw_all(self, view: View) -> None:
        for matter in self._matters.values():
            matter.withdraw(view.message.seq)

    def _without_number(self, view: View, clauses: Sequence[Clause], taken: Spans, asked: str) -> None:
        refused = [clause for clause in clauses if _WANT_NOT.search(view.folded, clause.start, clause.end)]
        if refused:
            self._withdraw_all(view)
        rest = [clause for clause in clauses if clause not in refused]
        matter = self._subject_of(view, rest, asked)
        if matter is None:
            told = [words for one in rest if Flag.QUESTION not in one.flags and (words := _words(view, one, (), taken))]
            self._before = matters.complaint(view, told) if told else None
            self._complain(view, rest, taken)
            return
        for clause in rest:
            _tell(matter, view, clause, _words(view, clause, (), taken), named=False)

    def _complain(self, view: View, clauses: Sequence[Clause], taken: Spans) -> None:
        """Keep what is wrong with something bought, until its order is named."""
        spoken = [clause for clause in clauses if _is_told(view, clause)]
        words = [view.folded[clause.start : clause.end] for clause in spoken]
        wrong = any(map(_DEFECT.search, words)) or any(_BOUGHT.search(one) and not _ASKS.search(one) for one in words)
        if not wrong or any(map(_NO_GOODS.search, words)):
            return
        told = [said for clause in spoken if (said := _words(view, clause, (), taken))]
        if told:
            self._complaint = matters.complaint(view, told)
            if any(map(_BOUGHT.search, words)) and any(map(_DEFECT.search, words)):
                self._facts.append(self._complaint)

    def _settle_complaint(self, own: Matter, view: View) -> None:
        """The complaint belongs to this order, named after it: the order tells it from now on."""
        if self._complaint is None or self._complaint.seq == view.message.seq:
            return
        own.details[:0] = [str(self._complaint.draft.value)]
        own.cite(self._complaint.seq)
        self._complaint.withdrawn_by = view.message.seq
        self._complaint = None

    def _subject_of(self, view: View, clauses: Sequence[Clause], asked: str) -> Matter | None:
        """Return what clauses without a number are about, or None if they are about no order."""
        spoken = [(clause, view.folded[clause.start : clause.end]) for clause in clauses]
        wanted = [(clause, words) for clause, words in spoken if _want(words)]
        defect = any(_DEFECT.search(words) and Flag.QUESTION not in clause.flags for clause, words in spoken)
        answers = _ASKS_PROBLEM.search(fold(asked)) and any(Flag.QUESTION not in clause.flags for clause in clauses)
        if self._last is not None and (wanted or defect or answers):
            return self._last
        stated = any(
            _CLEAR_WISH.search(words) and not _CONSULTS.search(words) and Flag.QUESTION not in clause.flags
            for clause, words in wanted
        )
        if stated or (defect and any(_CLEAR.search(words) for _, words in wanted)):
            return self._get("after_sale", "", "", view.message, Trust.USER)
        return None

    # --- the assistant ---

    def hear_assistant(self, view: View) -> None:
        """Take in an answer: tickets, statuses, promises and return addresses; nothing about the user."""
        self._question = view.text
        self._take_up(view)
        business = bool(self._matters or _HANDLES.search(view.folded))
        found = numbers.of_answer(view.text, view.folded, business=business, known=self._ids())
        for number in found:
            self._report(self._named(number, view.message, Trust.ASSISTANT), view, number, found)
        if self._complaint is not None and _HANDLES.search(view.folded) and self._complaint not in self._facts:
            self._facts.append(self._complaint)  # it is one, since the shop takes it up
        for address in promises.return_addresses(view):
            self._return_address(address, view.message, Trust.ASSISTANT)
        for clauses in promises.commitments(view, known=bool(self._matters or self._complaint)):
            words = view.text[clauses[0].start : clauses[-1].end]
            if not promises.is_echo(words, self._recalled):
                self._facts.append(promises.promise(view, clauses, self._promised(view, clauses, found)))

    def _take_up(self, view: View) -> None:
        """The user's last message was about orders of the numbers in it, since the shop opens a case or acts on it."""
        said, self._doubtful = self._doubtful, None
        if (
            said is None
            or not said[1]
            or not next(promises.commitments(view, known=True), numbers.is_case(view.folded))
        ):
            return
        heard, found = said
        for number in found:
            clause = heard.clause(number.start)
            matter = self._named(number, heard.message, Trust.USER)
            if _is_plain(clause):
                matter.add(matters.words_of(heard, clause, found))

    def _report(self, matter: Matter, view: View, number: Identifier, found: Sequence[Identifier]) -> None:
        clause = view.clause(number.start)
        if Flag.QUESTION in clause.flags:
            return
        if matter.kind != "order":
            matter.add(matters.words_of(view, clause, found))
        elif status := _STATUS.search(view.folded, clause.start, clause.end):
            matter.status = view.text[status.start() : status.end()]

    def _return_address(self, address: str, message: Message, trust: Trust) -> None:
        if trust is Trust.ASSISTANT and promises.is_echo(address, self._recalled):
            return
        if found := promises.return_address(address, message, trust, self._last):
            self._facts.append(found)

    def _promised(self, view: View, clauses: Sequence[Clause], found: Sequence[Identifier]) -> Matter | None:
        """Return the matter that a promise is about: named in its sentence, else the last fitting one."""
        sentence = [clause for clause in view.clauses if clause.sentence == clauses[0].sentence]
        low, high = sentence[0].start, sentence[-1].end
        named = [self._matters.get((number.kind, number.id)) for number in found if low <= number.start < high]
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
            if matter is not None and not (matter is order and matter.status and (shipment or ticket)):
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


def _alike(one: str, other: str) -> bool:
    """Return whether two numbers are two spellings of one: of one length, most characters the same."""
    same = sum(a == b for a, b in zip(one, other, strict=False))
    return len(one) == len(other) and same * 3 >= len(one) * 2


def _counted(view: View, clause: Clause, named: Sequence[Matter]) -> Matter | None:
    """Return which of several numbers of a message "the first one", 后头那个 means, or None."""
    if len(named) < 2:
        return None
    words = view.folded[clause.start : clause.end]
    return named[0] if _FIRST.match(words) else named[-1] if _LAST.match(words) else None


_ASKS_HELP: Final = re.compile(r"[了的过](?=你们|您们|店家|商家|怎么|咋|能|可以|管|点|有没有人|谁|吗)")


def _is_told(view: View, clause: Clause) -> bool:
    """Return whether a clause tells something; one that ends in a call for help tells what went wrong before it."""
    if Flag.QUESTION not in clause.flags:
        return True
    turn = _ASKS_HELP.search(view.folded, clause.start, clause.end)
    return turn is not None and bool(_DEFECT.search(view.folded, clause.start, turn.end()))


def _is_plain(clause: Clause) -> bool:
    return not clause.flags & (Flag.HYPOTHETICAL | Flag.REPORTED)


def _want(folded: str) -> tuple[str, str] | None:
    """Return what a clause wants, in Chinese and English."""
    open_ = _DONE.sub(" ", folded)
    return next(((zh, en) for zh, en, pattern in _WANTS if pattern.search(open_)), None)


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
