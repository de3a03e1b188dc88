"""Stories as data: what is accepted, and that every mistake is named with its place; the shop that a story fills."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from zhiji.demo.script import BUILT_IN, Order, built_in, load, parse
from zhiji.demo.shop import Shop
from zhiji.errors import InvalidInput
from zhiji.types import Scope

SCOPE = Scope("demo", "u_1")

STORY = """
lang: en
shop:
  orders:
    - order_id: 00123456
      item: lamp
      status: delivered
      return_address: 1 Low Road
      bought: 2024-04-01
steps:
  - {user: u_1, say: "hello", expect: hello}
  - {jump: 1d12h}
  - {user: u_1, session: new, say: "again", expect: [a, b], never: ["2024"], note: why}
"""


def test_a_story_is_read_as_written() -> None:
    """Numbers keep their zeros, dates stay texts, a single phrase is a list of one, jumps add up."""
    story = parse(STORY, "s.yaml")
    first, jump, last = story.steps
    assert story.shop.orders[0].order_id == "00123456"
    assert story.shop.orders[0].public()["bought"] == "2024-04-01"
    assert first.expect == ("hello",)
    assert first.session == "same"
    assert jump.jump == timedelta(days=1, hours=12)
    assert (last.session, last.never) == ("new", ("2024",))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("steps: [{say: hi", "line 1, column"),
        ("- a\n- b", "a story is a mapping"),
        ("", "a story is a mapping"),
        ("lang: en", "steps: this field is missing"),
        ("steps: []", "steps: this needs at least one entry"),
        ("steps: 3", "steps: this must be a list"),
        ("lang: fr\nsteps: [{say: hi}]", "lang: Input should be 'zh', 'en' or 'mixed'"),
        ("steps: [{say: hi}, {jump: soon}]", "steps[1].jump: write it like 2d, 3h or 30m"),
        ("steps: [{jump: 2}]", "steps[0].jump: write it like 2d, 3h or 30m"),
        ("steps: [{user: u}]", "steps[0]: a step has either `say` or `jump`"),
        ("steps: [{say: hi, jump: 2d}]", "steps[0]: a step has either `say` or `jump`"),
        ("steps: [{user: u, jump: 2d}]", "steps[0]: a `jump` stands alone"),
        ("steps: [{say: hi, expects: [x]}]", "steps[0].expects: there is no such field"),
        ("steps: [{say: hi, session: old}]", "steps[0].session: Input should be 'new' or 'same'"),
        ("steps: [{say: hi, expect: ['']}]", "steps[0].expect[0]: "),
        ("shop: {orders: [{item: x}]}\nsteps: [{say: hi}]", "shop.orders[0].order_id: this field is missing"),
        ("shop: {orders: [{order_id: a}, {order_id: A}]}\nsteps: [{say: hi}]", "shop.orders: A occurs twice"),
    ],
)
def test_every_mistake_is_named_with_its_place(text: str, told: str) -> None:
    """The message names file, place and what is wrong there."""
    with pytest.raises(InvalidInput) as raised:
        parse(text, "s.yaml")
    assert str(raised.value).startswith("s.yaml: ")
    assert told in str(raised.value)


def test_a_file_that_cannot_be_read_is_one_clear_sentence(tmp_path: Path) -> None:
    """Missing, binary and foreign-encoded files are refused by name."""
    (tmp_path / "gbk.yaml").write_bytes("lang: 中文".encode("gbk"))
    for name in ("missing.yaml", "gbk.yaml"):
        with pytest.raises(InvalidInput, match=rf"^{name}: the story cannot be read"):
            load(tmp_path / name)


def test_the_packaged_stories_are_there() -> None:
    """One in Chinese, one in English, in this order."""
    assert [built_in(name).lang for name in BUILT_IN] == ["zh", "en"]


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    rows = [
        {
            "order_id": "ORD-100-A",
            "item": "lamp",
            "status": "shipped",
            "return_address": "1 Low Road",
            "shipment": "ZX1001",
        },
        {"order_id": "OD20240100", "item": "灯", "after_sale": {"ticket": "AS9", "status": "approved"}, "user": "u_2"},
    ]
    return Shop(tmp_path / "shop.db", [Order.model_validate(row) for row in rows])


def test_an_order_is_found_however_its_number_is_written(shop: Shop) -> None:
    """Case, spaces, hyphens and width do not matter; the shop answers in its own spelling."""
    for number in ("ORD-100-A", "ord 100 a", "ＯＲＤ１００Ａ"):
        assert shop.get_order(number, SCOPE)["order_id"] == "ORD-100-A"
    assert "return_address" not in shop.get_order("ORD-100-A", SCOPE)
    assert shop.get_return_address("ord100a", SCOPE)["return_address"] == "1 Low Road"


def test_a_parcel_and_a_ticket_are_found_by_either_number(shop: Shop) -> None:
    """Their own number or the order's leads to them."""
    assert shop.track_shipment("zx-1001", SCOPE) == shop.track_shipment("ORD-100-A", SCOPE)
    assert shop.get_after_sale("AS9", Scope("demo", "u_2"))["status"] == "approved"


def test_what_belongs_to_somebody_else_does_not_exist(shop: Shop) -> None:
    """An order with an owner is shown to nobody else, by none of the tools."""
    for look_up in (shop.get_order, shop.get_return_address, shop.track_shipment, shop.get_after_sale):
        found = look_up("OD20240100", SCOPE)
        assert found["error"] == "not_found"
        assert "灯" not in str(found)
    assert shop.create_return("OD20240100", SCOPE, "key")["error"] == "not_found"


def test_a_return_is_opened_once(shop: Shop) -> None:
    """The same order has one ticket, whatever the call."""
    first = shop.create_return("ORD-100-A", SCOPE, "key_1", "too small")
    assert first == shop.create_return("ord100a", SCOPE, "key_1") == shop.create_return("ORD-100-A", SCOPE, "key_2")
    assert shop.get_after_sale(str(first["number"]), SCOPE) == first
