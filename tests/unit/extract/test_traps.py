"""What is nobody's statement, what a later message takes back, and numbers and times told over two messages."""

from __future__ import annotations

import pytest

from unit.extract.grading import Dialogue, active, by_turns
from zhiji.masking import mask


def told(*said: str) -> str:
    """Return what remains of a dialogue whose messages alternate between user and assistant."""
    dialogue: Dialogue = [("assistant" if index % 2 else "user", text) for index, text in enumerate(said)]
    return "\n".join(draft.content for draft in active(by_turns(dialogue)))


@pytest.mark.parametrize(
    ("said", "never"),
    [
        (("turn these into the past tense\n1. My aunt owns a bakery.\n2. I live in Oslo.",), "Oslo"),
        (("把下面的句子改成被动句\n1. 我在青岛买了房。\n2. 我对花生过敏。",), "青岛"),
        (("let's do a mock visa interview, you question me. I'm Otto Brandt, a baker",), "Otto"),
        (("你是面试官 我是应聘者 我叫赵铁柱 做了十年厨师",), "赵铁柱"),
        (("naturally I own three castles 🏰", "Nice!", "haha ok seriously, one rented room in Leeds"), "castle"),
        (("I'm allergic to Mondays lol",), "allergic"),
        (("请问孕妇能喝咖啡吗 一天最多几杯",), "几杯"),
        (("remember我英文名叫Cherilyn", "好的！", "唔好喇 當我冇講過"), "Cherilyn"),
        (("订单号 ORD-80026-F 还没到", "没查到", "打错了 ORD-80062-F"), "80026"),
        (("给我约下周三的洗牙", "好的，下周三洗牙。", "诶等等 周三要开会 改下周五吧"), "下周三的洗牙"),
    ],
)
def test_what_is_no_statement_or_is_taken_back_leaves_nothing(said: tuple[str, ...], never: str) -> None:
    """Exercises, role-play, boasts, questions and what a later message corrects are not kept."""
    assert never.lower() not in told(*said).lower()


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (("I have an interview on Friday at 10",), "interview"),
        (("羽绒服跑绒跑得跟下雪一样", "麻烦提供下订单号哦", "880214560917233"), "跑绒"),
        (("#WX440917 came with the wrong name on the mug",), "WX440917"),
        (("remind me to water the plants", "Sure, when?", "thursday mornings"), "thursday"),
        (("给我约下周三的洗牙", "好的，下周三洗牙。", "诶等等 周三要开会 改下周五吧"), "下周五的洗牙"),
        (("hi", "Is 3 Thornbury Row, flat 2 still your address?", "yes it is"), "Thornbury Row"),
    ],
)
def test_look_alikes_are_kept(said: tuple[str, ...], kept: str) -> None:
    """A real interview, a complaint whose order is named later, a time told in answer and the corrected day are kept."""
    assert kept in told(*said)


def test_a_reminder_and_its_time_are_one_memory() -> None:
    """What is to be remembered and when, told in two messages, make one memory."""
    line = next(one for one in told("remind me to water the plants", "Sure, when?", "thursday mornings").splitlines())
    assert "plants" in line
    assert "thursday" in line


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("我的HKID係 R748213(6)", "748213"),
        ("my NRIC is S1234567D", "1234567"),
        ("aadhaar 1234 5678 9012", "5678"),
        ("my national insurance number is QQ 12 34 56 C", "34 56"),
        ("身分證字號A123456789", "123456789"),
    ],
)
def test_identity_documents_of_any_country_are_hidden(text: str, secret: str) -> None:
    """The number of an identity document is a secret wherever it was issued."""
    assert secret not in mask(text)


@pytest.mark.parametrize(
    "text", ["my visa card ends 4242", "护照 2027年3月到期", "order S1234567D", "passport expires 2027"]
)
def test_what_only_looks_like_a_document_stays(text: str) -> None:
    """Dates, last digits and the numbers of orders are no documents."""
    assert mask(text) == text


@pytest.mark.parametrize(
    ("said", "never", "kept"),
    [
        (("提醒我周六去苏州看展", "好的", "别管了 主办方通知取消了"), "苏州", ""),
        (("I've a tasting in Bath on Saturday, note it", "Noted", "oh they cancelled it. remind me to ring Jo on Friday"), "bath", "jo"),
        (("下周五同学聚会", "记下了", "主办方说改期了 定在20号"), "下周五", "20号"),
        (("put me down for the chicken at the wedding", "Done.", "wait no, fish"), "chicken", "fish"),
        (("我女儿上小三 数学不好", "好的", "啊不对 是小四"), "小三", "小四"),
        (("I'm vegetarian", "Noted", "actually no, pescatarian"), "vegetarian", "pescatarian"),
        (("我对虾过敏", "好的", "哦不是，是蟹"), "虾", "蟹"),
        (("幫我訂星期五晚七點兩位", "好，訂咗。", "唔係，星期六先啱"), "星期五", "星期六"),
        (("set up the standing order", "Shall I make it the 1st of each month?", "no, the 3rd"), "1st", "3rd"),
        (("gift for a 60th", "Is it for your mum? Spas are nice.", "no its my boss, he's into chess"), "mum", "chess"),
        (("let's do a murder mystery. I'm Lady Ash from Bath", "Ah!", "ok pause, I see the vet on Friday at 5"), "ash", "vet"),
        (("玩个修仙的，我叫云虚子", "道友请。", "喺度停先，我聽日十點要覆診"), "云虚子", "覆診"),
        (("幫我改呢段英文：I am a nurse and I live in Leeds",), "leeds", ""),
    ],
)  # fmt: skip
def test_what_replaces_stays_and_what_is_replaced_goes(said: tuple[str, ...], never: str, kept: str) -> None:
    """Plans called off, choices changed, guesses denied, roles left and texts to mend leave only what holds now."""
    assert never not in told(*said).lower()
    assert kept in told(*said).lower()


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (("I'm captain of my local cricket team",), "captain"),
        (("I want to say I'm allergic to nuts",), "nuts"),
        (("HKD-66120要改地址",), "订单 HKD-66120"),
        (("meal plan please", "Any limits?", "no dairy, high protein"), "no dairy"),
        (("洗衣機幾時送呀", "星期六送到，遲咗我哋賠返HK$200現金券。"), "200"),
        (("where's my sofa", "If we're late we'll knock £40 off."), "£40"),
    ],
)
def test_look_alikes_of_roles_money_and_denials_are_kept(said: tuple[str, ...], kept: str) -> None:
    """A captain of a team, a number that begins like money, "no dairy" and a shop's amends are what they say."""
    assert kept in told(*said)
