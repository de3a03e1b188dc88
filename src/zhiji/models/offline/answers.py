"""From what was found to the words of the answer: name first, then one sentence per thing that was wanted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from zhiji import text
from zhiji.extract.fold import fold, is_traditional
from zhiji.models.offline import facts
from zhiji.models.offline.phrases import Script, labelled, listed, order_name, salute, say
from zhiji.models.offline.plan import ADDRESS_TOOL, Plan
from zhiji.models.offline.reading import Result, Seen
from zhiji.models.offline.wording import ABOUT_ORDERS, ABOUT_USER, BACK, Want, is_question

MAX_PROMISES = 2
"""Records of promises quoted at most."""

MAX_EVIDENCE_CHARS = 300
"""Longest quotation of what the request says about an order that cannot be looked up."""

_HEADINGS = ("order_id", "item", "number", "return_address")
"""Fields that a sentence already names."""

_PROMISE = re.compile(r"退款|承诺|答应|赔|补偿|返还|refund|promis|compensat|reimburs")
_CONFIRMED = {"remember": "will_remember", "forget": "will_forget", "refuse": "will_not_keep"}
"""Sentence by what was asked of the memory."""
_UNCERTAIN = ("timeout", "outcome_unknown")

_STREET_ZH = re.compile(
    r"(?:[寄退发送填写]|地址)[^,，。;；]{0,12}?([\u4e00-\u9fff]{1,6}?(?:路|街|大道|巷|弄|胡同|道))(?=\s*\d|[^\u4e00-\u9fff]|$|吧|吗|对|没)"
)
_STREET_EN = re.compile(
    r"\b(?:sent|send|shipped|mailed|posted|address|to|at)\b[^.;]{0,40}?\b\d+\s+((?:[A-Z][\w'-]*\s+){1,3})(?:St|Street|Rd|Road|Ave|Avenue|Lane|Ln|Drive|Dr|Blvd|Way|Court|Place)\b"
)
"""Streets that goods were sent to, not streets where somebody lives."""


class Answer:
    """One answer in the making."""

    def __init__(self, seen: Seen, plan: Plan, name: str, *, told_more: bool) -> None:
        """``name`` is what the user is called, empty if unknown; ``told_more``: the message tells another fact."""
        self._seen = seen
        self._plan = plan
        self._name = name
        self._told_more = told_more
        self._script = _script(seen)

    def text(self) -> str:
        """Return the whole answer; never empty."""
        about_orders = self._plan.wanted & ABOUT_ORDERS
        told = list(self._confirmed())
        sentences = [*told, *(self._orders() if about_orders else self._other(told=bool(told))), *self._question()]
        joint = "" if self._script != "en" else " "
        return salute(self._name, self._script) + joint.join(dict.fromkeys(sentences))

    # -- orders --

    def _orders(self) -> Iterator[str]:
        wanted = self._plan.wanted
        if not self._plan.orders and not (Want.PARCEL in wanted and self._plan.waybills):
            yield from self._promises()
            yield say("ask_order", self._script)
            return
        if Want.OPEN_RETURN in wanted:
            yield from self._each(self._opened)
        if Want.PROGRESS in wanted:
            yield from self._each(self._progress)
            yield from self._promises()
        if Want.PARCEL in wanted:
            yield from self._parcels()
        if Want.STATUS in wanted:
            yield from self._each(self._status)
        if wanted & BACK:
            yield from self._each(self._sent_back)
        if self._plan.guessed and len(self._plan.orders) > 1:
            yield say("which", self._script)

    def _each(self, sentences: Callable[[str], Iterator[str]]) -> Iterator[str]:
        for number in self._plan.orders:
            yield from sentences(number)

    def _sent_back(self, number: str) -> Iterator[str]:
        wanted, found = self._plan.wanted, self._seen.result(ADDRESS_TOOL, number)
        if Want.SENT in wanted:
            yield say("sent", self._script, order=self._order(number))
            yield from (say("waybill", self._script, number=waybill) for waybill in self._plan.waybills)
        if found is None or found.failed:
            yield from self._in_vain(number, found)
            return
        address = found.get("return_address")
        yield say(self._about_address(address), self._script, order=self._order(number), address=address)
        if not facts.is_brief(self._seen):
            yield say("arrival" if Want.SENT in wanted else "pack", self._script)

    def _about_address(self, address: str) -> str:
        wanted = self._plan.wanted
        if wanted & {Want.CHECK, Want.SENT}:
            return "other_address" if names_another_street(self._seen.said, address) else "confirmed"
        return "exchange" if Want.EXCHANGE in wanted and Want.RETURN not in wanted else "address"

    def _opened(self, number: str) -> Iterator[str]:
        found = self._seen.result("create_return", number)
        if found is None or found.failed:
            yield from self._in_vain(number, found) if found else ()
            return
        yield say("opened", self._script, order=self._order(number), ticket=found.get("number"))

    def _progress(self, number: str) -> Iterator[str]:
        yield from self._child(number, "get_after_sale", "progress", "no_progress")

    def _parcels(self) -> Iterator[str]:
        for number in self._plan.waybills or self._plan.orders:
            yield from self._child(number, "track_shipment", "parcel", "no_parcel")

    def _child(self, number: str, tool: str, told: str, missing: str) -> Iterator[str]:
        found = self._seen.result(tool, number)
        if found and not found.failed:
            order = order_name(found.get("order_id"), found.get("item"), self._script)
            yield say(told, self._script, order=order, number=found.get("number"), facts=self._facts(found))
            return
        if found and found.get("error") != "not_found":
            yield from self._in_vain(number, found)
        elif number in self._plan.orders and self._seen.result("get_order", number):
            yield from self._status(number, say(missing, self._script, order=self._order(number)) if found else "")
        else:
            yield from self._in_vain(number, found)

    def _status(self, number: str, also: str = "") -> Iterator[str]:
        found = self._seen.result("get_order", number)
        if found is None or found.failed:
            yield from self._in_vain(number, found)
            return
        yield say("status", self._script, order=self._order(number), facts=self._facts(found))
        if also:
            yield also

    def _in_vain(self, number: str, found: Result | None) -> Iterator[str]:
        """Nothing could be looked up: say so, and fall back on what the request itself says."""
        if found and found.get("error") == "not_found":
            yield say("not_found", self._script, order=number)
        elif found:
            uncertain = found.tool == "create_return" and found.get("error") in _UNCERTAIN
            yield say("uncertain" if uncertain else "unavailable", self._script, order=number)
        if self._plan.evidence:
            yield self._quoted([text.truncate(" ".join(self._plan.evidence.split()), MAX_EVIDENCE_CHARS)])
        elif not found:
            yield say("unavailable", self._script, order=number)

    def _order(self, number: str) -> str:
        id = text.canonical_id(number)
        results = (*self._seen.results, *self._seen.earlier)
        found = [result for result in results if text.canonical_id(result.get("order_id")) == id]
        raw = next((result.get("order_id") for result in found), number)
        item = next((result.get("item") for result in found if result.get("item")), "")
        return order_name(raw, item, self._script)

    def _facts(self, found: Result) -> str:
        shown = [name for name in found.data if name not in _HEADINGS and found.get(name)]
        return listed([labelled(name, found.get(name), self._script) for name in shown], self._script)

    def _promises(self) -> Iterator[str]:
        promises = [record.text for record in self._seen.records if _PROMISE.search(fold(record.text))]
        if Want.PROGRESS in self._plan.wanted:
            yield from (self._quoted([promise]) for promise in promises[:MAX_PROMISES])

    # -- everything else --

    def _confirmed(self) -> Iterator[str]:
        """What the user asked of the memory, and what becomes of it: nothing else is confirmed."""
        for remark in self._seen.remarks:
            if name := _CONFIRMED.get(remark.what):
                yield say(name if remark.about else f"{name}_it", self._script, about=remark.about)

    def _question(self) -> Iterator[str]:
        yield from (remark.about for remark in self._seen.remarks if remark.what == "ask")

    def _other(self, *, told: bool) -> Iterator[str]:
        wanted, script = self._plan.wanted, self._script
        if told and not wanted & ABOUT_USER:
            return
        if Want.WHO in wanted:
            yield say("you_are", script, name=self._name) if self._name else say("unknown_name", script)
        if Want.ABOUT in wanted or (Want.WHO in wanted and self._name):
            yield from self._everything()
        elif Want.OWN_FACT in wanted:
            yield self._quoted(facts.bearing(self._seen)) or say("no_record", script)
        if not wanted & {Want.WHO, Want.ABOUT, Want.OWN_FACT}:
            yield self._small_talk()

    def _everything(self) -> Iterator[str]:
        known = facts.all_known(self._seen)
        if known:
            yield say("known", self._script, facts=self._joined(known))
        elif Want.ABOUT in self._plan.wanted:
            yield say("nothing_known", self._script)

    def _small_talk(self) -> str:
        wanted, script = self._plan.wanted, self._script
        for want, told in (
            (Want.FORGET, "not_understood"),
            (Want.REMEMBER, "noted" if self._told_more else "not_understood"),
            (Want.THANKS, "welcome"),
            (Want.FAREWELL, "bye"),
        ):
            if want in wanted:
                return say(told, script)
        if is_question(self._seen.said):
            return self._quoted(facts.bearing(self._seen)) or say("offer", script)
        return say("offer" if Want.GREETING in wanted and not self._told_more else "noted", script)

    def _quoted(self, records: list[str]) -> str:
        return say("recorded", self._script, text=self._joined(records)) if records else ""

    def _joined(self, records: list[str]) -> str:
        return ("；" if self._script != "en" else "; ").join(record.rstrip("。.") for record in records)


def _script(seen: Seen) -> Script:
    if seen.lang == "en":
        return "en"
    return "zh-Hant" if is_traditional(seen.said) else "zh"


def names_another_street(said: str, address: str) -> bool:
    """Return whether a message says that goods went to a street, and to none that occurs in ``address``."""
    streets = _STREET_ZH.findall(said) + [name.strip() for name in _STREET_EN.findall(said)]
    known = text.normalise(address)
    return bool(streets) and not any(_in_address(text.normalise(street), known) for street in streets)


def _in_address(street: str, address: str) -> bool:
    """Chinese has no word borders: what stands before a street's name may be stuck to it, so its end is enough."""
    return street in address or (not street.isascii() and street[-3:] in address)
