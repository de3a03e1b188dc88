"""From what is wanted and what is known to what has to be looked up, and for which orders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from zhiji.models.offline import orders
from zhiji.models.offline.orders import Candidate
from zhiji.models.offline.reading import Seen
from zhiji.models.offline.wording import ABOUT_ORDERS, ABOUT_USER, BACK, Want, talks_shop, wants

MAX_ANSWERED = 3
"""Orders that one answer speaks of at most."""

TOOLS: tuple[tuple[Want, str, str | None], ...] = (
    (Want.OPEN_RETURN, "create_return", None),
    (Want.PROGRESS, "get_after_sale", "get_order"),
    (Want.PARCEL, "track_shipment", "get_order"),
    (Want.STATUS, "get_order", None),
)
"""What is looked up for what, and what instead if that finds nothing. Everything about sending back needs the address."""

ADDRESS_TOOL = "get_return_address"


@dataclass(frozen=True, slots=True)
class Need:
    """One look-up."""

    tool: str
    number: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an answer will speak of."""

    wanted: frozenset[Want]
    orders: tuple[str, ...] = ()
    """Order numbers as written; several if the message names several, or if nothing tells them apart."""
    guessed: bool = False
    """Whether the numbers come from session or memory and not from the message."""
    waybills: tuple[str, ...] = ()
    """Tracking numbers to speak of."""
    evidence: str = ""
    """What the request says about these orders, for want of a look-up."""
    needs: tuple[Need, ...] = ()
    """Look-ups that can still be made."""


def plan(seen: Seen) -> Plan:
    """Return what to look up next, or, with no needs left, what to speak of."""
    pool = orders.known(seen) or orders.known(seen, "other")
    waybills = orders.named(seen, "shipment")
    named = orders.named(seen) or ([] if waybills else orders.maybe_named(seen, pool))
    wanted = _wanted(seen, pool, named=bool(named or waybills))
    if not wanted & ABOUT_ORDERS:
        return Plan(wanted=wanted)
    if wanted & BACK and not named and not pool:  # a shop may number its orders like a carrier its parcels
        named, waybills = ([], waybills) if Want.SENT in wanted else (waybills, [])
        pool = orders.known(seen, "shipment")
    unseen = orders.unseen(seen, pool) if len(pool) > 1 and not named and "get_order" in seen.offered else []
    if unseen:
        return Plan(wanted=wanted, needs=tuple(Need("get_order", candidate.raw) for candidate in unseen))
    chosen = [] if named else orders.fitting(seen, pool, wanted)
    numbers = tuple((named or [candidate.raw for candidate in chosen])[:MAX_ANSWERED])
    if not named and len(numbers) > 1:
        wanted -= {Want.OPEN_RETURN}  # nothing is written on a guess
    if not numbers and not waybills:
        waybills = [parcel.raw for parcel in orders.known(seen, "shipment")][-1:]
    needs = _needs(seen, wanted, numbers, waybills, orders.named(seen, "after_sale"))
    return Plan(
        wanted=wanted,
        orders=numbers,
        guessed=not named,
        waybills=tuple(waybills),
        evidence="\n".join(candidate.evidence for candidate in chosen),
        needs=tuple(dict.fromkeys(need for need in needs if _is_open(seen, need))),
    )


def _wanted(seen: Seen, pool: Sequence[Candidate], *, named: bool) -> frozenset[Want]:
    """Return what the message wants; a bare number or other words about a known order go on with what was wanted before."""
    wanted = wants(seen.said)
    if wanted & (ABOUT_ORDERS | ABOUT_USER | {Want.REMEMBER, Want.FORGET}):
        return wanted
    if named:
        before = next(
            (found for said in reversed(seen.own_words) if (found := wants(said) & ABOUT_ORDERS)), frozenset()
        )
        return wanted | (before or {Want.STATUS})
    if pool and (talks_shop(seen.said) or any(orders.item_match(seen.said, candidate.item) for candidate in pool)):
        return wanted | {Want.ADDRESS if any(map(orders.is_return, pool)) else Want.STATUS}
    return wanted


def _needs(
    seen: Seen, wanted: frozenset[Want], numbers: Sequence[str], waybills: Sequence[str], tickets: Sequence[str]
) -> Iterator[Need]:
    own = {Want.PARCEL: waybills, Want.PROGRESS: tickets}
    for want, tool, instead in TOOLS:
        for number in (own.get(want) or numbers) if want in wanted else ():
            yield Need(tool, number)
            if instead and number in numbers and _is_in_vain(seen, Need(tool, number)):
                yield Need(instead, number)
    if wanted & BACK:
        yield from (Need(ADDRESS_TOOL, number) for number in numbers)


def _is_in_vain(seen: Seen, need: Need) -> bool:
    found = seen.result(need.tool, need.number)
    return need.tool not in seen.offered or (found is not None and found.failed)


def _is_open(seen: Seen, need: Need) -> bool:
    return need.tool in seen.offered and seen.result(need.tool, need.number) is None
