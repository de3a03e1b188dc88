"""Intents and slots: what the user's words say, and what they do not say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhiji import intents
from zhiji.types import JsonValue


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("我叫李四，订单 OD20240415008 想退货，退货地址是什么", "return"),
        ("我把那个退货寄走了，地址没问题吧", "return"),
        ("鞋子太小了，能退吗", "return"),
        ("这个可不可以退啊", "return"),
        ("要不要退我还没想好，先问问怎么退", "return"),
        ("退货退款", "return"),
        ("想换货，换个大一码的", "exchange"),
        ("退款什么时候到账", "refund"),
        ("你们为什么不退款", "refund"),
        ("还没退款，没收到钱", "refund"),
        ("帮我取消订单", "cancel"),
        ("取消退货吧，我留着了", "cancel"),
        ("收货地址填错了，想改一下", "address"),
        ("帮我修改一下收货地址", "address"),
        ("快递到哪了", "track"),
        ("给我开票", "invoice"),
        ("我要投诉你们", "complaint"),
        ("我不想退货了，想换货", "exchange"),
        ("不是要退货，是要退款", "refund"),
        ("ＲＥＴＵＲＮ please", "return"),
        ("I'd like to return these shoes, what is the return address?", "return"),
        ("I don't want to return it, I want an exchange", "exchange"),
        ("Can you swap it for a bigger size", "exchange"),
        ("Why won't you refund me?", "refund"),
        ("I have not received my refund", "refund"),
        ("please cancel my order", "cancel"),
        ("Where is my parcel?", "track"),
        ("it still hasn't arrived", "track"),
        ("I need to change the delivery address", "address"),
        ("I want to file a complaint", "complaint"),
        ("今天天气不错", None),
        ("hello there", None),
        ("我爸去年退休了", None),
        ("他说“我要退货”，我听不懂", None),
        ('The sign says "no refund" and "returns only"', None),
        ("别取消我的订单", None),
        ("I never asked for a refund", None),
        ("no need to cancel", None),
    ],
)
def test_intent_of_a_message(words: str, wanted: str | None) -> None:
    """The intent is what the user wants, not what is quoted or called off."""
    assert intents.intent(words) == wanted


@pytest.mark.parametrize(
    ("words", "current", "then"),
    [
        ("好的谢谢", "return", "return"),
        ("算了，不退了", "return", None),
        ("I no longer want a refund", "refund", None),
        ("快递到哪了", "return", "return"),
        ("快递到哪了", "track", "track"),
        ("那我换货吧", "return", "exchange"),
        ("不想换货", "return", "return"),
    ],
)
def test_intent_goes_on(words: str, current: str, then: str | None) -> None:
    """The running intent stays until another is named or it is called off; asking where the parcel is does not end it."""
    assert intents.intent(words, current) == then


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("订单 OD20240415008 想退货", {"order_id": "OD20240415008"}),
        ("单号ｏｄ2024-0415-008", {"order_id": "OD20240415008"}),
        ("不是 OD20240415008，是 OD20240415009", {"order_id": "OD20240415009"}),
        ("OD20240415009，不是OD20240415008", {"order_id": "OD20240415009"}),
        ("Cancel ORD-12045, not ORD-12046", {"order_id": "ORD12045"}),
        ("订单号是“OD20240415008”", {"order_id": "OD20240415008"}),
        ("客服跟我说“你的订单 OD20240415008 已取消”", {}),
        ("快递单号 SF1234567890", {"shipment_id": "SF1234567890"}),
        ("我的电话是 138-1234-5678", {"phone": "138-1234-5678"}),
        ("手机１３８１２３４５６７８", {"phone": "１３８１２３４５６７８"}),
        ("号码不是13812345678，是13987654321", {"phone": "13987654321"}),
        ("call me at +1 415-555-0132 please", {"phone": "+1 415-555-0132"}),
        ("订单号13812345678", {"order_id": "13812345678"}),
        ("寄到浙江省杭州市西湖区文三路 18 号吧", {"address": "浙江省杭州市西湖区文三路 18 号"}),
        ("地址改成：上海市浦东新区世纪大道100号3栋502室，谢谢", {"address": "上海市浦东新区世纪大道100号3栋502室"}),
        ("收货地址是什么", {}),
        ("退货地址是浙江省杭州市西湖区文三路 18 号吗", {}),
        ("Please ship it to 12 Baker Street, London NW1 instead", {"address": "12 Baker Street, London NW1"}),
        ("my address is 221B Baker Street. Thanks", {"address": "221B Baker Street"}),
        ("想退那双跑鞋", {"item": "跑鞋"}),
        ("商品：蓝牙耳机", {"item": "蓝牙耳机"}),
        ("I want to return the running shoes from ORD-12045", {"item": "running shoes", "order_id": "ORD12045"}),
        ("退款 199 元什么时候到，2024-04-15 下的单", {}),
        ("", {}),
    ],
)
def test_slots_of_a_message(words: str, found: dict[str, JsonValue]) -> None:
    """Slots hold what the user states, the last of each kind; questions, quotations and denials fill nothing."""
    assert intents.slots(words) == found


@given(st.text(max_size=200))
def test_any_text_is_read(words: str) -> None:
    """Whatever is typed, reading it raises nothing, and what is found was said."""
    found = intents.slots(words)
    assert all(str(found[name]) in words for name in found.keys() & {"phone", "address", "item"})
    assert intents.intent(words, "return") is None or isinstance(intents.intent(words, "return"), str)


@pytest.mark.parametrize(
    "piece", ["退", "退货，", "1", "地址", '"', "“", "```", "\n", "not ", "a@", "不", "地址是路1号"]
)
def test_a_megabyte_is_read(piece: str) -> None:
    """A pasted megabyte is read without effort and fills only slots that there are."""
    words = piece * (1_000_000 // len(piece))
    assert intents.slots(words).keys() <= {"order_id", "shipment_id", "after_sale_id", "phone", "address", "item"}
    assert intents.intent(words) in (None, "return")
