"""Which numbers are orders where no label says so, and what a bare or spoken answer is."""

from __future__ import annotations

import pytest

from zhiji.extract import numbers
from zhiji.extract.fold import fold


def found(said: str, question: str = "", *, known: bool = False) -> list[tuple[str, str]]:
    """Return the kind and the id of every number of a user's message."""
    return [
        (one.kind, one.id) for one in numbers.find(said, fold(said), question=question, known=("OD1",) if known else ())
    ]


def answered(said: str, *known: str) -> list[tuple[str, str]]:
    """Return the kind and the id of every number of an assistant's message."""
    return [(one.kind, one.id) for one in numbers.of_answer(said, fold(said), business=True, known=known)]


@pytest.mark.parametrize(
    ("said", "ids"),
    [
        ("HB7700213跟HB7700358一块查下", ["HB7700213", "HB7700358"]),
        ("PQ20240611-03到现在没发货", ["PQ2024061103"]),
        ("#ZX-88213 showed up smashed and ZX-88240 never came", ["ZX88213", "ZX88240"]),
        ("the lid of nk5533-b is cracked", ["NK5533B"]),
        ("please cancel 114-8829310-2213344", ["11488293102213344"]),
        ("退款 ＲＹ２０２４０７２２０９６ 到了吗", ["RY20240722096"]),
        ("trying to pay for TZ-30418, card declined", ["TZ30418"]),
        ("order NX 5518-A 的鞋寄錯", ["NX5518A"]),
        ("訂單號碼 ｔｗ ２０２５ ０６０９ ７７ 床包", ["TW2025060977"]),
        ("单号 od 2024 1203 - 662", ["OD20241203662"]),
        ("order no gh 441 902 please", ["GH441902"]),
        ("单号 二零二四零八一五三三七 到哪了", ["20240815337"]),
        ("my order number is four four nine double two oh", ["449220"]),
        ("can u cancel KX-2081 (lamp) but KEEP KX-2090 thats the rug", ["KX2081", "KX2090"]),
        ("pls keep PL-6620 and bin PL-6621, i clicked twice", ["PL6620", "PL6621"]),
        ("need to return #A1442, wrong colour. #A1450 is fine", ["A1442", "A1450"]),
        ("LM-3302 came smashed, send another?", ["LM3302"]),
        ("swap RF-2207 for a medium, and is RF-2211 out yet", ["RF2207", "RF2211"]),
        ("wheres HB-9021 its been 2 weeks", ["HB9021"]),
        ("any news on VD-3307?", ["VD3307"]),
        ("can i still add a lid to NK-1180", ["NK1180"]),
        ("dont ship JT-2044 yet. JT-2051 can go", ["JT2044", "JT2051"]),
    ],
)
def test_the_words_around_make_a_number_an_order(said: str, ids: list[str]) -> None:
    """A shop's number of any prefix is an order where one speaks of buying, paying, sending or returning."""
    assert found(said) == [("order", id) for id in ids]


@pytest.mark.parametrize(
    "said",
    [
        "my Sony WH-1000XM4 arrived broken",
        "航班 CA18321 取消了 能退票吗",
        "车牌号沪A88213 停车费怎么付",
        "coupon SAVE20241111 does not work at checkout",
        "CVE-2024-12345 broke our shop",
        "ISO-27001 and KB5034441, is the order page down?",
        "型号 KFR-35001-GW 不制冷 能退吗",
        "会员号 VIP-882013 付款失败",
        "学号 S20231145 图书馆的书没还",
        "error E-50021 on my washer, it broke",
        "发票INV-20331抬头错了",
        "my order from 2024-11-12 is late, call 415-555-2671",
        "MH370 and G1234 are late",
        "serial no. XJ-882017-22 of the broken kettle",
        "HB7700213",
        "cancel my 10-20 session and keep the A-12 one",
        "is it better to keep F-150 or swap",
        "swap CR-2032 battery for a CR-2025",
        "my flight is LH-1203 and i land at 9, keep me posted",
        "where's AK-4700 in the game",
        "is the CX-5000 better than the DX-6000, thinking of swapping",
        "keep ISO-9001 in the contract",
        "i want to swap to 5G and keep my HP-1020 printer",
        "how do i cancel out X-100 in this equation",
        "covid-19 cancelled our trip lol any games like ps-5 exclusives",
        "我在看 RFC-79311-22",
    ],
)
def test_other_things_with_numbers_are_no_orders(said: str) -> None:
    """Models, flights, plates, coupons, standards, members, dates and phones are none, and neither is a number without any words."""
    assert found(said) == []


@pytest.mark.parametrize(
    ("question", "said", "expected"),
    [
        ("订单号方便发一下吗？", "HB88213047", [("order", "HB88213047")]),
        ("请提供订单号", "等我找下 112 7734 9921", [("order", "11277349921")]),
        ("What's the order number?", "so its gh, 441 902... written out GH 441 902", [("order", "GH441902")]),
        ("Which order is it?", "its four five six seven eight", [("order", "45678")]),
        ("运单号是多少？", "7788 9900 1122", [("shipment", "778899001122")]),
        ("请问您的手机号？", "HB88213047", []),
        ("请问订单号是多少", "忘了，昨天下午3点买的 199元", []),
        ("Which order is it?", "the blue one from 12 March 2024", []),
    ],
)
def test_a_bare_answer_is_the_number_that_was_asked_for(
    question: str, said: str, expected: list[tuple[str, str]]
) -> None:
    """Behind a question for the order number any long number is one; prices, dates and answers to other questions are none."""
    assert found(said, question) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Replacement request RP-90217 has been raised.", [("after_sale", "RP90217")]),
        ("I'm crediting $25 to your account, reference CR-30877.", [("after_sale", "CR30877")]),
        ("I've rebooked for Friday, job FX-20731.", [("after_sale", "FX20731")]),
        ("換貨單 RX-60017 已建立", [("after_sale", "RX60017")]),
        ("换货申请已提交，申请号EX20391882", [("after_sale", "EX20391882")]),
        ("I can see HB-30418 is awaiting payment.", [("order", "HB30418")]),
        ("HB-30418 has been set up for a refund.", [("order", "HB30418")]),
    ],
)
def test_what_an_answer_opens_is_a_ticket(said: str, expected: list[tuple[str, str]]) -> None:
    """A number that an assistant opens, files or books something under is a case; the user's order stays an order."""
    assert answered(said, "HB30418") == expected
