"""The same in other forms and words, and what is only alike."""

from __future__ import annotations

import pytest

from zhiji.relation.judge import relation

SAME = [
    ("用户的电脑是 MacBook Air", "用户用的笔记本是MacBook Air"),
    ("商品少发了两件", "用户收到的货少了 2 件"),
    ("用户是独生女", "用户是家里的独女，没有兄弟姐妹"),
    ("用户今年 34 岁", "用户的年龄：３４岁"),
    ("会员到期日为 2025-11-08", "用户的会员 2025 年 11 月 8 日到期"),
    ("用户讨厌下雨天", "用户不喜欢下雨的天气"),
    ("用户每周跑步四次", "用户一星期跑四次步"),
    ("用户的房子有 90 平米", "用户家面积是九十平方米"),
    ("用户在上海开了一家面馆", "用户在上海经营一家面馆"),
    ("用户反映耳机没有声音", "用户说耳机不出声"),
    ("用户习惯早起", "用户是个早起的人"),
    ("用户会弹钢琴", "用户懂弹钢琴"),
    ("用户嗓子疼", "用户喉咙痛"),
    ("用户想要个双人间", "用户要住双人房"),
    ("用户的弟弟在当兵", "用户弟弟是一名军人"),
    ("用户每天骑车上班", "用户天天骑自行车去公司"),
    ("用戶有三個細路", "用户有三个小孩"),
    ("User lives with two roommates", "The user shares an apartment with 2 roommates"),
    ("User's warranty expires Dec 1, 2026", "The warranty runs out on 1 December 2026"),
    ("The user's husband's name is Marco", "User is married to a man called Marco"),
    ("The user's phone battery drains quickly", "User's phone loses battery fast"),
    ("User is studying nursing", "The user is a nursing student"),
    ("User got a parking ticket for $60", "The user received a 60 dollar parking ticket"),
    ("The user wants the parcel left at the door", "User asked to leave the package by the door"),
    ("The user's commute takes 40 minutes", "User commutes for forty minutes"),
    ("User is out of coffee beans", "The user ran out of coffee beans"),
    ("User is the eldest of four siblings", "The user is the oldest of 4 siblings"),
    ("User is saving for a house", "The user is saving up to buy a home"),
    ("用户明天要去看牙医", "The user has a dentist appointment tomorrow"),
    ("The user has a sore throat", "用户嗓子疼"),
]
ALIKE = [
    ("用户从广州寄件", "用户寄件到广州"),
    ("The user sent the parcel to Ohio", "The user sent the parcel from Ohio"),
    ("The user called the bank", "The bank called the user"),
    ("User owes Tom 50 dollars", "Tom owes the user $50"),
    ("The user has type 1 diabetes", "The user has type 2 diabetes"),
    ("User is in the hospital", "The user works in a hospital"),
    ("用户在北京工作", "用户到北京去"),
    ("用户每天喝酒", "用户偶尔喝酒"),
    ("User lives with two roommates", "The user shares an apartment with 3 roommates"),
    ("商品少发了两件", "用户收到的货少了 3 件"),
    ("用户今年 34 岁", "用户的弟弟今年 34 岁"),
    ("用户的房子有 90 平米", "用户的办公室有 90 平米"),
    ("用户嗓子疼", "用户肚子疼"),
    ("用户的手机没声音", "用户的耳机没声音"),
    ("User is studying nursing", "The user is a law student"),
    ("User's warranty expires Dec 1, 2026", "The user's passport runs out on 1 December 2026"),
    ("用户讨厌下雨天", "用户讨厌下雪天"),
    ("用户想要个双人间", "用户想要个单人间"),
    ("The user wants the parcel left at the door", "User wants the parcel left at the reception"),
    ("User is the eldest of four siblings", "The user is the youngest of 4 siblings"),
    ("用户想买一张桌子", "用户想买一张书桌和椅子"),
    ("User plays jazz", "User listens to jazz"),
    ("用户姓章", "用户的班主任换成了刘老师"),
]


@pytest.mark.parametrize(("old", "new"), SAME)
def test_other_words_for_it_are_the_same(old: str, new: str) -> None:
    """Forms, numbers and everyday words do not make another fact."""
    assert relation(old, new) == "same"


@pytest.mark.parametrize(("old", "new"), ALIKE)
def test_what_is_only_alike_is_another_fact(old: str, new: str) -> None:
    """Another direction, number, thing or person is not the same, and replaces nothing."""
    assert relation(old, new) in ("distinct",)
