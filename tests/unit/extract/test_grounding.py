"""What of a model's fact must stand in the messages it cites, and in which other wordings it may: numbers, names, negation."""

from __future__ import annotations

import pytest

from unit.extract.grading import NOW, Dialogue, messages
from zhiji.extract import Increment, grounding
from zhiji.extract.answers import Fact
from zhiji.extract.fold import fold
from zhiji.extract.model import _draft
from zhiji.types import Draft, JsonValue, Message


def judged(said: str | Dialogue, content: str, **fields: object) -> str:
    """Why a fact that cites the whole dialogue is refused; empty if it is not."""
    dialogue: Dialogue = [("user", said)] if isinstance(said, str) else said
    sources = list(range(1, len(dialogue) + 1))
    fact = Fact.model_validate(
        {"type": "identity", "content": content, "sources": sources, "confidence": 0.9, **fields}
    )
    found = _draft(fact, Increment(messages=messages(dialogue), now=NOW))
    return "" if isinstance(found, Draft) else found


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("我今年三十岁", "用户今年30岁"),
        ("我今年30岁", "用户今年三十岁"),
        ("我有俩孩子", "用户有2个孩子"),
        ("我有两个孩子", "用户有2个孩子"),
        ("我有２个孩子", "用户有两个孩子"),
        ("我预算两万", "用户的预算是20000"),
        ("我预算1.5万", "用户的预算是15000"),
        ("我的房间号是幺三八", "用户的房间号是138"),
        ("I have two kids", "The user has 2 kids"),
        ("I'm thirty-five", "The user is 35"),
        ("my salary is 10k", "The user's salary is 10000"),
    ],
)
def test_numbers_may_be_said_in_words(said: str, content: str) -> None:
    """Digits, Chinese numerals, English number words, scales and spoken digits are one number."""
    assert judged(said, content) == ""


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("我今年四十岁", "用户今年三十岁"),
        ("我今年四十岁", "用户今年30岁"),
        ("我养了两只猫", "用户养了三只猫"),
        ("我预算两万", "用户的预算是2000"),
        ("I'm thirty-five years old", "The user is 45 years old"),
        ("my salary is 10k", "The user's salary is 1000"),
    ],
)
def test_another_number_is_refused(said: str, content: str) -> None:
    """However it is written, a number that was not said is none."""
    assert judged(said, content) == "a number that its source does not have"


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("我吃香菜，不吃葱", "用户吃香菜"),
        ("我吃香菜，不吃葱", "用户不吃葱"),
        ("我吃香菜，不吃葱", "用户吃香菜，不吃葱"),
        ("我唔食豬肉，但我食雞", "用戶食雞"),
        ("说错了 是鸡蛋过敏 我牛奶没事", "用户鸡蛋过敏"),
        ("没错，我对花生过敏", "用户对花生过敏"),
        ("我最烦别人发语音", "用户不喜欢别人发语音"),
        ("下周五我要交房租，别忘了提醒我", "用户下周五要交房租（2026-03-20）"),
        ("i dont eat pork", "The user doesn't eat pork"),
        ("I've got a shellfish allergy so no prawns", "The user has a shellfish allergy"),
        ("I gave up smoking", "The user gave up smoking"),
        ("I love coffee but I hate tea", "The user loves coffee"),
    ],
)
def test_negation_is_that_of_the_clause(said: str, content: str) -> None:
    """A "no" next door, a "no problem" or a "don't forget" negates nothing; other words for no do."""
    assert judged(said, content) == ""


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("我不吃香菜", "用户吃香菜"),
        ("我吃香菜，不吃葱", "用户不吃香菜"),
        ("我吃香菜，不吃葱", "用户吃葱"),
        ("我没养 4 只猫", "用户养了4只猫"),
        ("我养了4只猫", "用户没养4只猫"),
        ("我没有过敏", "用户有过敏"),
        ("i dont eat pork", "The user eats pork"),
        ("I never eat meat", "The user eats meat"),
        ("I love coffee but I hate tea", "The user loves tea"),
    ],
)
def test_a_turned_negation_is_refused(said: str, content: str) -> None:
    """A fact says no where its source does, clause by clause, and nowhere else."""
    assert judged(said, content) == "negation differs from its source"


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("Anna's my sister", "The user's sister is Anna"),
        ("My partner is called Zoë Müller", "The user's partner is called Zoë Müller"),
        ("my mum lives in Leeds", "The user's mother lives in Leeds"),
        ("我妈妈住在成都", "用户的母亲住在成都"),
        ("我老公叫王强", "用户的丈夫叫王强"),
        ("我姓張，弓長張", "用户姓张"),
        ("以后请 reply in English", "The user wants replies in English"),
    ],
)
def test_other_words_for_the_same_are_grounded(said: str, content: str) -> None:
    """Inflected names, kin by another name, the other script, and the language of half a sentence."""
    assert judged(said, content) == ""


def test_an_order_may_be_named_elsewhere_in_the_dialogue() -> None:
    """A promise about the order of this turn may name it; another order that nobody named is invented."""
    said: Dialogue = [("user", "OD20240718012 还没发货"), ("assistant", "今天发出，补偿您10元。")]
    fields: dict[str, object] = {"type": "after_sale", "sources": [2]}
    assert judged(said, "订单 OD20240718012 客服承诺今天发出，补偿10元", **fields) == ""
    assert (
        judged(said, "订单 OD20240718019 客服承诺今天发出，补偿10元", **fields)
        == "a number that its source does not have"
    )


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("订单 OD20240415008 要退款", "用户要求订单 OD20240415008 退款 15 元"),
        ("订单 OD20240415008 要退款", "用户要求订单 OD20240415008 退款 2024 元"),
        ("订单 OD20240415008 要退款", "用户要退订单 OD2024041500"),
        ("Please refund order OD20240415008", "The user wants 240 yuan back for order OD20240415008"),
        ("Please refund order OD20240415008", "The user wants order OD2024041500 refunded"),
    ],
)
def test_part_of_an_order_number_grounds_nothing(said: str, content: str) -> None:
    """Neither an amount whose digits stand in the number of an order, nor a number that lacks its end."""
    assert judged(said, content, type="order") == "a number that its source does not have"


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("订单 OD 2024 0415 008 要退款", "用户要退订单 OD20240415008"),
        ("订单 OD20240415008 要退款", "用户要退订单 OD-2024-0415-008"),
        ("订单 OD20240415008 要退款", "用户要退订单 20240415008"),
        ("订单ＯＤ２０２４０４１５００８要退款", "用户要退订单od20240415008"),
    ],
)
def test_an_order_number_may_be_written_otherwise(said: str, content: str) -> None:
    """Spaced, in another width or case, or without its letters."""
    assert judged(said, content, type="order") == ""


@pytest.mark.parametrize(
    ("key", "stands"),
    [("order:OD20240415008", True), ("order:20240415008", True), ("order:OD2024041500", False), ("order:0415", False)],
)
@pytest.mark.parametrize("said", ["订单 OD20240415008 要退", "订单 OD 2024-0415 008 要退"])
def test_a_key_is_a_whole_number(said: str, key: str, stands: bool) -> None:
    """A key that is only part of a number that was said would be another order's."""
    message = Message(role="user", content=said, time=NOW, seq=1, turn=1)
    assert grounding.has_key(key, [message]) is stands


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("文三路90号", True),
        ("杭州文三路 90 号", True),
        ({"city": "杭州", "street": "文三路90号"}, True),
        (["杭州", "文三路"], True),
        ("用户是管理员", False),
        ("用户住在北京", False),
        ({"city": "杭州", "role": "管理员"}, False),
        ({"city": "杭州", "credit": 90_000}, False),
        ({}, False),
        (True, False),
        ([["杭州"] * 3] * 50, False),
        (None, False),
    ],
)
def test_a_value_stands_in_its_sources(value: JsonValue, kept: bool) -> None:
    """Of whatever shape: text and numbers within it were said, or there is no value."""
    message = Message(role="user", content="我住在杭州文三路 90 号", time=NOW, seq=1, turn=1)
    fact = Fact.model_validate({"content": "用户住在杭州文三路90号", "value": value, "sources": [1]})
    assert grounding.value(fact, [message]) == (value if kept else None)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("三十", {"30"}),
        ("一百零五", {"105"}),
        ("十二", {"12"}),
        ("两万三千", {"23000"}),
        ("一三八", {"138"}),
        ("twenty-one", {"21"}),
        ("2万", {"2", "20000"}),
    ],
)
def test_numerals_are_read(words: str, said: set[str]) -> None:
    """The numbers that words say."""
    assert said <= grounding.numbers(fold(words))
