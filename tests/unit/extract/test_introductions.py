"""Introductions: whoever says at the start of a request who they are is known by name; nobody else gets one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from zhiji.extract import Increment
from zhiji.extract.rules import propose
from zhiji.types import Message

NOW = datetime(2024, 4, 17, tzinfo=UTC)
ZH = "订单 OD20240611345 想退货，退货地址是什么"
EN = "I'd like to return order ORD-61134, could you tell me where to send it?"


def names(said: str) -> set[object]:
    message = Message(role="user", content=said, time=NOW, seq=1, turn=1)
    drafts = propose(Increment(messages=[message], now=NOW))
    return {draft.value for draft in drafts if draft.key in ("identity:name", "identity:call_me")}


@pytest.mark.parametrize(
    ("opening", "name"),
    [
        ("我是何晓东，", "何晓东"),
        ("您好！我是赵明明。", "赵明明"),
        ("我係黃志明，", "黃志明"),
        ("本人姓名张伟，", "张伟"),
        ("姓名周杰，", "周杰"),
        ("我，罗一鸣，", "罗一鸣"),
        ("刘建国，", "刘建国"),
        ("我姓王，叫王大力，", "王大力"),
        ("叫我小陈就好，", "小陈"),
        ("Hi我是Grace，", "Grace"),
        ("我是老顾客赵敏，", "赵敏"),
        ("Hello, my name is 王磊. ", "王磊"),
        ("My name is Maya Brooks. ", "Maya Brooks"),
        ("my name's Ben Foster. ", "Ben Foster"),
        ("Hey there, this is Tom Alvarez. ", "Tom Alvarez"),
        ("Good evening, Dr. Anna Koval here. ", "Dr. Anna Koval"),
        ("Good morning! I am Mrs. Green. ", "Mrs. Green"),
        ("You can call me Dr. Smith. ", "Dr. Smith"),
        ("Hello, Olivia Martin speaking. ", "Olivia Martin"),
    ],
)
def test_an_introduction_gives_a_name(opening: str, name: str) -> None:
    """The name ends where the sentence ends, whatever is asked next."""
    assert names(opening + (ZH if any(char > "\u3000" for char in opening) else EN)) == {name}


@pytest.mark.parametrize(
    "said",
    [
        "您好，订单 OD20240611345 想退货",
        "高女士，订单 OD20240611345 到了吗",
        "金额是，订单 OD20240611345 的三倍",
        "我是明天到，订单先放门卫",
        "我是任何人都可以的",
        "姓名写错了，订单 OD20240611345 能改吗",
        "This is urgent. Order ORD-61134 is late.",
        "I'm waiting. Where is my order?",
        "It's broken. I want to return it.",
        "Still speaking, please wait.",
    ],
)
def test_what_only_looks_like_one_gives_none(said: str) -> None:
    """Forms of address for others, goods, moods and sentences are no names."""
    assert names(said) == set()
