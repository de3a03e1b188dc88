"""Which rows belong together, how their links follow what changes, and how many of them are kept."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhiji import links
from zhiji.types import Memory, Source, Status

NOW = datetime(2025, 6, 1, tzinfo=UTC)


def row(id: str, content: str, *, key: str | None = None, seq: int = 0, **fields: Any) -> Memory:
    type_ = fields.pop("type", (key or "order:").partition(":")[0])
    sources = (Source(session="ses_1", seqs=(seq,)),) if seq else ()
    return Memory(
        id=id, type=type_, content=content, key=key, sources=sources, valid_from=NOW, created_at=NOW, updated_at=NOW,
        **fields,
    )  # fmt: skip


ORDER = row("o", "用户的订单 OD20240415008", key="order:OD20240415008")


@pytest.mark.parametrize(
    ("other", "bound"),
    [
        (row("s", "运单 SF1234567890123：订单 OD20240415008", key="shipment:SF1234567890123"), True),
        (row("s", "运单已发出", key="shipment:SF1234567890123", value={"order": "OD20240415008"}), True),
        (row("a", "售后单 AS1001 退款中，order ｏｄ 2024-0415-008", key="after_sale:AS1001"), True),
        (row("w", "订单 OD20240415008 用户想退货", key="after_sale:OD20240415008.WISH"), True),
        (row("w", "用户想退订单 OD20240415008", type="after_sale"), True),
        (row("o2", "用户的订单 OD20240415009", key="order:OD20240415009"), False),
        (row("o2", "订单 OD20240415009 由 OD20240415008 拆出", key="order:OD20240415009"), True),
        (row("s", "运单 SF1234567890123", key="shipment:SF1234567890123"), False),
        (row("n", "用户喜欢 OD20240415008 这个数", type="preference"), False),
        (row("s", "订单 OD20240415008", key="shipment:SF1", status=Status.SUPERSEDED), False),
    ],
)
def test_numbers_bind(other: Memory, bound: bool) -> None:
    """A row that names another's number belongs to it, however written, in key, words or value; other types never do."""
    assert links.bonds([ORDER], [other]) == ({frozenset((ORDER.id, other.id))} if bound else set())
    assert links.bonds([other], [ORDER]) == links.bonds([ORDER], [other])


def test_what_names_the_same_order_belongs_together() -> None:
    """A ticket and the shipment of its order are neighbours although neither names the other; two tickets of it are not."""
    shipment = row("s", "运单 SF1234567890123：订单 OD20240415008", key="shipment:SF1234567890123")
    tickets = [row(f"a{n}", f"售后单 AS100{n}：订单 OD20240415008", key=f"after_sale:AS100{n}") for n in (1, 2)]
    found = links.bonds([shipment, *tickets], [])
    assert found == {frozenset((shipment.id, ticket.id)) for ticket in tickets}


def test_one_message_binds() -> None:
    """An order and a shipment from one message belong together without naming each other."""
    order, shipment = (row("o", "订单 OD20240415001", key="order:OD20240415001", seq=3),
                       row("s", "运单 SF1234567890123", key="shipment:SF1234567890123", seq=3))  # fmt: skip
    assert links.bonds([order, shipment], []) == {frozenset("os")}
    assert links.bonds([order], [shipment]) == set()
    assert links.bonds([order, replace(shipment, sources=())], []) == set()


def test_a_message_with_several_of_both_binds_by_number_only() -> None:
    """Of two orders and two shipments in one message it is not guessed which belong together."""
    orders = [row(f"o{n}", f"订单 OD2024041500{n}", key=f"order:OD2024041500{n}", seq=3) for n in (1, 2)]
    shipments = [row(f"s{n}", f"运单 SF123456789012{n}", key=f"shipment:SF123456789012{n}", seq=3) for n in (1, 2)]
    assert links.bonds([*orders, *shipments], []) == set()
    named = replace(shipments[0], content="运单 SF1234567890121：订单 OD20240415001")
    assert links.bonds([*orders, named], []) == {frozenset(("o1", "s1"))}


def test_links_go_both_ways_and_follow() -> None:
    """A neighbour gains the link, follows the row that replaced it, and loses what is gone; a predecessor stays."""
    old = replace(ORDER, status=Status.SUPERSEDED, superseded_by="o2")
    new = replace(ORDER, id="o2", links=("s", "o"))
    shipment = row("s", "运单 SF1", key="shipment:SF1", links=("o", "gone"))
    known = {memory.id: memory for memory in (old, new, shipment)}
    changed = links.relinked([new, shipment], known=known, successors={"o": "o2", "gone": None})
    assert {memory.id: memory.links for memory in changed} == {"o2": ("o", "s"), "s": ("o2",)}
    assert links.relinked(changed, known=known | {m.id: m for m in changed}, successors={"o": "o2"}) == []
    (widow,) = links.relinked([replace(old, links=())], known=known, successors={"o2": None})
    assert widow.superseded_by is None


@given(st.lists(st.sampled_from([f"n{number}" for number in range(40)]), max_size=60))
def test_links_are_bounded(gained: list[str]) -> None:
    """A row keeps its predecessors and the latest neighbours, never itself, each once."""
    former = [replace(ORDER, id=f"f{n}", status=Status.SUPERSEDED, superseded_by="o") for n in range(20)]
    full = replace(ORDER, links=tuple(memory.id for memory in former))
    known = {memory.id: memory for memory in (*former, full)}
    row_ = full
    for id_ in gained:
        row_ = next(iter(links.relinked([row_], known=known, successors={}, bonds=[frozenset(("o", id_))])), row_)
    latest = list(dict.fromkeys(reversed(gained)))[: links.MAX_LINKS]
    assert set(row_.links) == {memory.id for memory in former} | set(latest)
    assert len(row_.links) == len(set(row_.links))


def test_what_was_made_of_a_row_stays_with_it_alone() -> None:
    """A reflection is no neighbour that many others push out, and none of the version that replaces its source."""
    made = row("r", "用户常常退货", type="reflection", links=("o",))
    full = replace(ORDER, links=("r", *(f"n{number}" for number in range(links.MAX_LINKS))), revision=1)
    known = {"r": made, "o": full}
    (kept,) = links.relinked([full], known=known, successors={}, bonds=[frozenset(("o", "new"))])
    assert (kept.links[0], kept.links[-1], len(kept.links)) == ("r", "new", links.MAX_LINKS + 1)
    new = replace(full, id="o2", revision=0, links=("r", "o"))
    old = replace(full, status=Status.SUPERSEDED, superseded_by="o2")
    (fresh,) = links.relinked([new], known={"r": made, "o": old}, successors={"o": "o2"})
    assert fresh.links == ("o",)
