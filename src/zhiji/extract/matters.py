"""A matter: one order, shipment or after-sale case as a dialogue has told it, and the sentences that say so.

The order itself and what the user wants of it are two facts, so that a withdrawn wish leaves the order as it was.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from zhiji import text
from zhiji.extract.facts import Found, Lang, tidy
from zhiji.extract.fold import fold, is_traditional, traditional
from zhiji.extract.view import Clause, View
from zhiji.text import Identifier
from zhiji.types import Draft, JsonValue, Trust

MAX_DETAIL_CHARS: Final = 160
IMPORTANCE: Final = 4
"""Of order numbers, promised amounts and deadlines (article S5.2)."""


def language(words: str) -> Lang:
    """Return the language in which something is told about these words."""
    return "en" if text.language(words) == "en" else "zh"


def shown(raw: str) -> str:
    """Return a number as it is shown: half width, upper case, without white space; hyphens stay."""
    return re.sub(r"\s+", "", fold(raw)).upper()


@dataclass(slots=True)
class Matter:
    """One number, or one wish without a number."""

    kind: str
    """``order``, ``shipment``, ``after_sale``."""
    id: str
    """Canonical; empty for a wish without a number."""
    shown: str
    trust: Trust
    lang: Lang
    traditional: bool = False
    """It was named in traditional characters."""
    seqs: list[int] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
    status: str = ""
    carrier: str = ""
    item: str = ""
    order: str = ""
    """The order that it belongs to, as shown."""
    want: tuple[str, str] | None = None
    """What the user wants, in Chinese and English."""
    want_details: list[str] = field(default_factory=list)
    want_seqs: list[int] = field(default_factory=list)
    withdrawn_by: int = 0
    """Message that took the wish back; 0 while it stands."""
    void_by: int = 0
    """Message that called the number itself wrong; 0 while it stands."""

    def cite(self, seq: int) -> None:
        """The message grounds this matter."""
        if seq not in self.seqs:
            self.seqs.append(seq)

    def add(self, words: str) -> None:
        """The words belong to this matter, if there is room for them."""
        _append(self.details, words)

    def wish(self, want: tuple[str, str], words: str, seq: int) -> None:
        """The user wants this; an earlier wish that was taken back is forgotten."""
        if self.withdrawn_by:
            self.want_details, self.want_seqs, self.withdrawn_by = [], [], 0
        self.want = want
        _append(self.want_details, words)
        self.want_seqs.append(seq)

    def withdraw(self, seq: int) -> None:
        """The user does not want it any more."""
        if self.want:
            self.withdrawn_by = seq


def _append(details: list[str], words: str) -> None:
    if words and words not in details and sum(map(len, details)) + len(words) <= MAX_DETAIL_CHARS:
        details.append(words)


# --- the words of a clause ----------------------------------------------------------------------------------------

_CHATTER: Final = re.compile(
    r"^(?:好的?|嗯+|谢谢.{0,3}|多谢|你好|您好|在吗|在么|亲|hi|hello|hey|ok(?:ay)?|thanks?(?: you)?.{0,12}|thx|pls|please|please help|help|cheers|and|but|还有|另外|哈+|那个?|麻烦(?:了|你了|您了)?|快点|急|急急急|呢|吧|so|your|the|it|this|is|i think|[一-鿿]{0,4}[开開][了咗]?[一-鿿]{0,3}[单單]|等我(?:找|看|查)下?|刚看了下|我?(?:找到了|查到了)"
    r"|(?:现在|如今)?(?:到|在)(?:哪里?|哪儿)|where(?:'s| is| are| do i| should i| can i| must i)\b.{0,40})$"
)
_ACCOUNT: Final = re.compile(r"\d(?:[ -]?\d){7,}")
"""A long number that is none of an order: an account, a phone; it is no detail."""
_LABEL: Final = re.compile(
    r"(?:我的?|\b(?:my|the|this) )?(?:订单号?|单号|运单号?|快递单?号?|物流单?号?|退货单号?|售后单号?|工单号?|编号|号码?|order(?: number| no\.?| id)?|tracking(?: number| no\.?)?|ticket(?: number)?|rma(?: number)?|ref(?:erence)?|number|no\.|#)\s*(?:是|为|叫|is|:|#)*\s*$"
)


def words_of(view: View, clause: Clause, numbers: Sequence[Identifier]) -> str:
    """Return a clause without its number, label and chatter."""
    blanked = view.folded[clause.start : clause.end]
    start = clause.start + len(blanked) - len(blanked.lstrip())
    written = view.text[start : clause.end]
    for number in sorted(numbers, key=lambda number: number.start, reverse=True):
        if start <= number.start < clause.end:
            before, after = written[: number.start - start], written[number.end - start :]
            label = _LABEL.search(fold(before))
            written = (before[: label.start()] if label else before) + " " + after
    words = re.sub(r"\s{2,}", " ", tidy(written))
    words = re.sub(r"^(?:的是?|,|and|for|of|my|is)\s*(?=\S)|\s*\b(?:for|of|on|with|about)$", "", words)
    return "" if len(words) < 2 or _CHATTER.match(fold(words)) or _ACCOUNT.search(fold(words)) else words


# --- sentences ----------------------------------------------------------------------------------------------------


def business_fact(
    type: str,
    content: str,
    *,
    key: str | None,
    value: JsonValue,
    lang: Lang,
    trust: Trust,
    seqs: Sequence[int],
    start: int = 0,
) -> Found:
    """Return a business fact."""
    draft = Draft(
        type=type,
        content=content,
        key=key,
        value=value,
        importance=IMPORTANCE,
        confidence=0.95,
        trust=trust,
        seqs=tuple(seqs),
        lang=lang,
    )
    return Found(draft=draft, seq=max(seqs), start=start, end=start, sentence=0)


_HEADS: Final = {
    "order": ("用户的订单 {0}", "The user's order {0}"),
    "shipment": ("运单 {0}", "Shipment {0}"),
    "after_sale": ("售后单 {0}", "After-sale case {0}"),
}


def told(matter: Matter) -> Found:
    """Return the fact that there is this order, shipment or case, with what is known of it."""
    zh = matter.lang == "zh"
    parts = [part for part in (matter.item, matter.carrier, matter.status, *matter.details) if part]
    if matter.order and matter.kind != "order":
        parts.insert(0, f"订单 {matter.order}" if zh else f"order {matter.order}")
    comma, colon = ("，", "：") if zh else (", ", ": ")
    rest = comma.join(dict.fromkeys(parts))
    head = _HEADS[matter.kind][not zh]
    head = (traditional(head) if matter.traditional or is_traditional(rest) else head).format(matter.shown)
    found = business_fact(
        matter.kind, head + (colon + rest if rest else ""), key=f"{matter.kind}:{matter.id}", value=matter.shown, lang=matter.lang,
        trust=matter.trust, seqs=sorted(matter.seqs),
    )  # fmt: skip
    found.withdrawn_by = matter.void_by
    return found


def complaint(view: View, said: Sequence[str]) -> Found:
    """Return the fact that something the user bought is not as it should be, in their words, without a number."""
    lang = language(view.text)
    words = ("，" if lang == "zh" else ", ").join(said)
    frame = "用户反映：" if lang == "zh" else "The user reports: "
    content = (traditional(frame) if is_traditional(words) else frame) + words
    return business_fact(
        "after_sale",
        content,
        key=None,
        value=words,
        lang=lang,
        trust=Trust.USER,
        seqs=view.seqs,
        start=view.clauses[0].start,
    )


def wish(matter: Matter, want: tuple[str, str]) -> Found:
    """Return the fact that the user wants something of this matter."""
    zh = matter.lang == "zh"
    details = list(dict.fromkeys([*matter.details, *matter.want_details]))
    rest = "，".join(details) if zh else ", ".join(details)
    if zh:
        frame = f"{f'订单 {matter.shown} ' if matter.id else ''}用户想{want[0]}"
        content = (traditional(frame) if matter.traditional or is_traditional(rest) else frame) + (
            f"：{rest}" if rest else ""
        )
    else:
        frame = f"Order {matter.shown}: the user" if matter.id else "The user"
        content = f"{frame} wants {want[1]}" + (f": {rest}" if rest else "")
    key = f"after_sale:{matter.id}{'.WISH' if matter.kind == 'after_sale' else ''}" if matter.id else None
    found = business_fact(
        "after_sale",
        content,
        key=key,
        value=want[not zh],
        lang=matter.lang,
        trust=Trust.USER,
        seqs=sorted(set(matter.want_seqs)),
    )
    found.withdrawn_by = matter.withdrawn_by or matter.void_by
    return found
