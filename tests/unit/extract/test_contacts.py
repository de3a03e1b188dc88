"""Phones, e-mails and addresses: whose they are, where they end, and that they are masked."""

from __future__ import annotations

import pytest

from unit.extract.grading import drafts
from zhiji.extract import contacts


def values(said: str) -> dict[str | None, object]:
    """Return the values of a message by key."""
    return {draft.key: draft.value for draft in drafts([("user", said)])}


@pytest.mark.parametrize(
    ("said", "key", "last"),
    [
        ("我手机 138 1234 5678", "identity:phone", "5678"),
        ("联系电话：１３９００００１１２２", "identity:phone", "1122"),
        ("call me at +44 7911 123456", "identity:phone", "3456"),
        ("phone is 415-555-2671", "identity:phone", "2671"),
        ("请客服联系我，手机13700003333", "identity:phone", "3333"),
        ("我老婆电话13700001111", "identity:relative.老婆.phone", "1111"),
        ("my mom's number is 13700002222", "identity:relative.mother.phone", "2222"),
    ],
)
def test_a_phone_has_an_owner_and_four_digits(said: str, key: str, last: str) -> None:
    """A phone is kept under its owner, with the last four digits readable and the middle masked."""
    value = str(values(said)[key])
    assert value.endswith(last)
    assert "****" in value


@pytest.mark.parametrize(
    "said",
    [
        "客服电话是13800001111吗",
        "快递员电话13800001111",
        "我同事的手机是13800001111",
        "my boss's number is 13800001111",
        "王静的电话是13800001111",
        "别忘了打给他，号码是13800001111",
        "尾号1188的卡",
    ],
)
def test_a_strangers_phone_is_not_the_users(said: str) -> None:
    """Numbers of couriers, shops and colleagues are not kept as the user's."""
    assert "identity:phone" not in values(said)


@pytest.mark.parametrize(
    ("said", "address"),
    [
        ("收货地址：常州市天宁区晋陵中路288号5幢301，电话13900001111", "常州市天宁区晋陵中路288号5幢301"),
        ("以后都寄到宁波市鄞州区天童南路1号 谢谢", "宁波市鄞州区天童南路1号"),
        ("帮我把地址改成桂林市七星区漓江路28号好吗", "桂林市七星区漓江路28号"),
        ("收件地址改做觀塘成業街7號12樓", "觀塘成業街7號12樓"),
        ("ship to 12 Oak St., Apt 4, Seattle, WA 98101 please", "12 Oak St., Apt 4, Seattle, WA 98101"),
        ("My address is 5 Rue Cler, 75007 Paris. Thanks!", "5 Rue Cler, 75007 Paris"),
        ("could you change my shipping address to 9 Quay Street, Galway?", "9 Quay Street, Galway"),
    ],
)
def test_an_address_ends_where_it_ends(said: str, address: str) -> None:
    """What follows an address — phone, thanks, the next sentence — is not part of it."""
    assert values(said)["identity:address.default"] == address


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ("公司地址是合肥市蜀山区长江西路130号", "identity:address.公司"),
        ("寄给我妈，地址是长沙市岳麓区潇湘南路8号", "identity:address.妈"),
        ("deliver to my office: Floor 6, 88 Kent Street, Sydney", "identity:address.work"),
    ],
)
def test_other_addresses_have_their_own_key(said: str, key: str) -> None:
    """The office and relatives do not replace the default address."""
    assert key in values(said)


@pytest.mark.parametrize(
    "said",
    [
        "退货地址是杭州市文三路18号",
        "我朋友的地址是上海市延安路1号",
        "你们的地址是哪里",
        "寄到门口",
        "what is your address",
        "send it to me",
    ],
)
def test_what_is_no_address_of_the_user(said: str) -> None:
    """Return addresses, friends' addresses, questions and places without a number are not kept."""
    assert "identity:address.default" not in values(said)


def test_an_address_for_one_parcel_is_no_default() -> None:
    """An address for this one time is an event."""
    [draft] = drafts([("user", "这次寄到珠海市香洲区情侣中路36号")])
    assert (draft.type, draft.key) == ("event", None)


@pytest.mark.parametrize(
    ("new", "old", "whole"),
    [
        ("文华路9号", "武汉市洪山区珞喻路152号", "武汉市洪山区文华路9号"),
        ("武昌区文华路9号", "武汉市洪山区珞喻路152号", "武昌区文华路9号"),
        ("9 Elm St", "12 Oak St, Derby", "9 Elm St"),
    ],
)
def test_a_corrected_street_is_completed(new: str, old: str, whole: str) -> None:
    """A street without a district takes the one of the address that it corrects."""
    assert contacts.complete(new, old) == whole


@pytest.mark.parametrize(
    "said",
    [
        "My order number is OD20240415008",
        "My order number is ABC-20240415008",
        "我的订单号码是OD20240415008",
        "Ｍｙ　ｏｒｄｅｒ　ｎｕｍｂｅｒ　ｉｓ　ＯＤ２０２４０４１５００８ 🙏",
    ],
)
def test_digits_of_another_number_are_no_phone(said: str) -> None:
    """An order number, called a number, is not the user's phone."""
    assert "identity:phone" not in values(said)
