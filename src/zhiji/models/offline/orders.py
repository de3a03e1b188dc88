"""Which order is meant: the one that is named, else the one that fits the words among those that the request shows.

Sources: the message, this session, the running task, recalled memories, the summary. A number that none of them shows is
not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from zhiji import text
from zhiji.extract.fold import fold
from zhiji.identifiers import Kind
from zhiji.models.offline.reading import Result, Seen
from zhiji.models.offline.wording import BACK, Want

MAX_LOOKED_UP = 5
"""Orders looked up at most to find the one that fits."""

GOES_ON = frozenset({Want.SENT, Want.CHECK, Want.PROGRESS})
"""What only makes sense for a return that began before, here or in an earlier session."""

GOODS = (
    "鞋 靴 shoe sneaker boot trainer sandal", "灯 lamp light lantern", "杯 壶 cup mug bottle flask thermos kettle",
    "耳机 headphone earphone earbud headset", "键盘 keyboard", "鼠标 mouse", "外套 夹克 大衣 羽绒服 风衣 jacket coat parka",
    "裤 pants trouser jean short", "衬衫 t恤 上衣 shirt tee top blouse", "裙 dress skirt", "帽 hat cap beanie",
    "背包 书包 提包 backpack bag suitcase", "手机 phone smartphone", "电脑 笔记本 laptop computer notebook", "手表 watch",
    "相机 camera", "椅 chair stool", "桌 desk table", "毯 被 blanket quilt duvet", "锅 pan pot cooker", "书 book",
    "伞 umbrella", "音箱 speaker", "充电 charger", "显示器 屏 monitor screen", "平板 tablet", "自行车 单车 bike bicycle",
    "帐篷 tent", "眼镜 glass sunglass", "手套 glove", "围巾 scarf", "毛衣 sweater jumper", "咖啡 coffee", "茶 tea",
)  # fmt: skip
"""Names of goods that mean the same, so that an item is found when it is called by its name in the other language."""

_GROUPS = tuple(frozenset(text.stem(word) if word.isascii() else word for word in row.split()) for row in GOODS)
_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_LOOSE = re.compile(r"(?<![A-Za-z0-9])(?:[A-Za-z]{1,5}-?\d{5,20}|\d{8,20})(?:-[A-Za-z0-9]{1,6})*(?![A-Za-z0-9])")
_WORD = re.compile(r"(?<![A-Za-z0-9-])(?=[A-Za-z-]{0,12}\d)[A-Za-z0-9-]{3,40}(?![A-Za-z0-9-])")
_PHONE = re.compile(r"0|(?:86)?1[3-9]\d{9}$")
_OTHER_ONE = re.compile(r"另(?:一|外)|其他|其它|别的|还有(?:一|那)|the other|another")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An order that the request shows."""

    id: str
    """Canonical."""
    raw: str
    """As it was written where it was last seen."""
    here: int
    """How recently this session mentioned it: 0 never, larger is later."""
    date: str
    """Day of the newest memory of it; empty if none."""
    evidence: str
    """Texts that mention it and no other order."""
    item: str = ""


def named(seen: Seen, kind: Kind = "order") -> list[str]:
    """Return the numbers of one kind that the message itself names."""
    return list(dict.fromkeys(number.raw for number in text.identifiers(seen.said) if number.kind == kind))


def maybe_named(seen: Seen, pool: Sequence[Candidate]) -> list[str]:
    """Return what may be an order number in the message, for want of a sure one: the shop knows.

    A number that looks like a known order's counts; digits alone could be a phone number, and count only if nothing else
    is known.
    """
    said, shapes = seen.said.translate(_HALF_WIDTH), {_shape(candidate.raw) for candidate in pool}
    found = [match[0] for match in _LOOSE.finditer(said)]
    found = found or [match[0] for match in _WORD.finditer(said) if _shape(match[0]) in shapes]
    return [number for number in found if number[0].isalpha() or not (pool or _PHONE.match(number))]


def _shape(number: str) -> str:
    """Return what a number looks like: ``B-1005`` is ``A-9999``."""
    return re.sub(r"\d", "9", re.sub(r"[A-Za-z]", "A", number))


def known(seen: Seen, kind: Kind = "order") -> list[Candidate]:
    """Return the orders (or parcels, tickets) that session, task and memory show, in order of first mention."""
    grouped: dict[str, list[_Mention]] = {}
    for mention in _mentions(seen, kind):
        grouped.setdefault(mention.id, []).append(mention)
    items = _items(seen)
    return [
        Candidate(
            id=id,
            raw=mentions[-1].raw,
            here=max(mention.here for mention in mentions),
            date=max(mention.date for mention in mentions),
            evidence=" ".join(mention.evidence for mention in mentions),
            item=items.get(id, ""),
        )
        for id, mentions in grouped.items()
    ]


def fitting(seen: Seen, pool: Sequence[Candidate], wanted: frozenset[Want]) -> list[Candidate]:
    """Return the candidates that fit the words best: one, or several that nothing tells apart."""
    if _OTHER_ONE.search(fold(seen.said)) and len(pool) > 1:
        latest = max(candidate.here for candidate in pool)
        pool = [candidate for candidate in pool if not latest or candidate.here != latest] or pool
    scored = [(_score(seen, candidate, pool, wanted), candidate) for candidate in pool]
    best = max((score for score, _ in scored), default=None)
    return [candidate for score, candidate in scored if score == best]


def is_return(candidate: Candidate) -> bool:
    """Return whether what is known of an order speaks of sending it back."""
    return bool(_RETURNED.search(fold(candidate.evidence)))


def unseen(seen: Seen, pool: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates whose item is not known and was not looked up in this turn."""
    open_ = [candidate for candidate in pool if not candidate.item and not seen.result("get_order", candidate.raw)]
    return open_[:MAX_LOOKED_UP]


@dataclass(frozen=True, slots=True)
class _Mention:
    id: str
    raw: str
    here: int
    date: str
    evidence: str


def _mentions(seen: Seen, kind: Kind) -> Iterator[_Mention]:
    yield from _in_text(seen.summary, kind)
    for record in reversed(seen.records):
        yield from _in_text(record.text, kind, date=record.date)
    for note in seen.notes:
        yield from _in_text(f"{note.label}: {note.text}", kind)
    for at, said in enumerate(seen.history, start=1):
        yield from _in_text(said, kind, here=at)


def _in_text(said: str, kind: Kind, *, here: int = 0, date: str = "") -> Iterator[_Mention]:
    found = [number for number in text.identifiers(said) if number.kind == kind]
    alone = len({number.id for number in found}) == 1
    for number in found:
        yield _Mention(number.id, number.raw, here, date, said if alone else "")


def _items(seen: Seen) -> dict[str, str]:
    found: dict[str, str] = {}
    for result in (*seen.earlier, *seen.results):
        if result.get("order_id") and result.get("item"):
            found[text.canonical_id(result.get("order_id"))] = result.get("item")
    return found


Score = tuple[float, bool, float, int, str]


def _score(seen: Seen, candidate: Candidate, pool: Sequence[Candidate], wanted: frozenset[Want]) -> Score:
    """Named goods first; then, for a new request, what this session is about; then purpose and words; then the newest."""
    fits = _told_apart(seen.said, candidate, pool) + _purpose(seen, candidate, wanted)
    goes_on_here = not wanted & GOES_ON and candidate.here > 0
    return (
        item_match(seen.said, candidate.item or candidate.evidence),
        goes_on_here,
        fits,
        candidate.here,
        candidate.date,
    )


def item_match(said: str, item: str) -> float:
    """Return how surely ``said`` names ``item``: 0 not at all; a shared word, a head noun or the same kind of goods counts."""
    if not item:
        return 0.0
    words, name = text.terms(fold(said)), text.terms(fold(item))
    shared = [term for term in name if term in words and len(term) > 1 and not any(map(str.isdigit, term))]
    head = fold(item).strip()[-1:]
    same_head = len(item) <= 20 and not head.isascii() and head in fold(said)
    return len(shared) + (0.5 if same_head else 0) + (1 if _groups(said) & _groups(item) else 0)


def _groups(said: str) -> set[int]:
    folded, stems = fold(said), text.terms(fold(said))
    return {
        at
        for at, group in enumerate(_GROUPS)
        if any(word in stems if word.isascii() else word in folded for word in group)
    }


def _told_apart(said: str, candidate: Candidate, pool: Sequence[Candidate]) -> float:
    """Return the weight of words that this candidate's texts share with the message and not all candidates' texts do."""
    evidence = [text.terms(fold(other.evidence)) for other in pool]
    mine = text.terms(fold(candidate.evidence))
    weights = text.query_terms(fold(said))
    return sum(
        weight
        for term, weight in weights.items()
        if len(term) > 1 and term in mine and not all(term in other for other in evidence)
    )


_RETURNED = re.compile(r"退|换货|寄回|return|refund|exchange|sent back")
_UNDERWAY = re.compile(r"ship|transit|deliver(?!ed)|process|pending|paid|运|派|配送|待|发货|物流|快递")


def _purpose(seen: Seen, candidate: Candidate, wanted: frozenset[Want]) -> float:
    """Return how well the order's own story fits what is wanted: returns for returns, parcels for parcels."""
    order: Result | None = seen.result("get_order", candidate.raw)
    status = order.get("status") if order else ""
    under_way = bool(_UNDERWAY.search(status))
    if wanted & (BACK | {Want.PROGRESS}):
        return 2.0 * is_return(candidate) - under_way
    return float(under_way or (bool(candidate.evidence) and not is_return(candidate)))
