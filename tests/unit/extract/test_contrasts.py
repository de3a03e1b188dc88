"""A correction by contrast or by a bare value, and what is no correction."""

from __future__ import annotations

import pytest

from unit.extract import grading


def told(*said: str) -> str:
    """Return what is remembered of a dialogue whose first turn is the user's, read turn by turn."""
    roles = ("user", "assistant")
    dialogue = [(roles[index % 2], words) for index, words in enumerate(said)]
    return " / ".join(draft.content for draft in grading.active(grading.by_turns(dialogue)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("first", "echo", "second", "old", "new"),
    [
        ("洗牙改到周四下午吧", "好的，周四下午洗牙。", "哦不行 那天单位培训。周五上午", "周四下午", "周五上午"),
        ("约周三下午三点剪头", "好的 周三下午三点。", "啊不 三点来不及 改四点半", "三点剪", "四点半"),
        ("周六上午十点叫我去取车", "好，周六上午十点。", "他们说十点没弄好 十一点半吧", "上午十点", "十一点半"),
        ("下周四陪爸去复查", "好，下周四。", "医生下周四停诊 改成下周五了", "下周四", "下周五"),
        ("星期三去配眼鏡", "好的，星期三。", "星期三公司聚餐喎 星期四啦", "星期三", "星期四"),
        ("我28", "好的，28岁。", "哦过完生日了 29", "28", "29"),
        ("我在南京江宁上班", "好的，江宁。", "口误 浦口 江宁是以前的公司", "江宁", "浦口"),
        ("我住青秀区", "好的。", "青秀是我爸妈家 我自己在良庆区", "", "良庆"),
        ("我叫陈嘉怡", "陈嘉怡您好", "怡不对，是仪式的仪", "嘉怡", "陈嘉仪"),
        ("收货地址 杏林路9号2单元", "已更新。", "sry 是杏坛路9号", "杏林路", "杏坛路"),
        ("我的公司在內湖", "好的。", "搬了，現在在南港", "內湖", "南港"),
        ("我鍾意藍色杯", "好，藍色。", "講錯咗 綠色先啱", "藍色", "綠色"),
        ("i'm from Gothenburg", "Nice!", "well, Malmo actually. gothenburg is where i studied", "Gothenburg", "Malmo"),
        ("I take my coffee with oat milk", "Noted, oat.", "meant soy", "oat", "soy"),
        ("book the vet for thursday", "Booked thursday.", "ugh no thursdays im in court. friday", "thursday", "friday"),
        ("put the booking under Marnie Holloway", "Done, Marnie Holloway.", "autocorrect 🙄 its MERNIE, with an e", "Marnie", "Mernie"),
        ("remind me to ring the surgery on the 6th", "Sure, the 6th.", "hang on thats a sunday. 7th", "6th", "7th"),
    ],
)  # fmt: skip
def test_a_new_value_takes_the_place_of_the_old(first: str, echo: str, second: str, old: str, new: str) -> None:
    words = told(first, echo, second)
    assert new in words
    assert not old or old not in words


@pytest.mark.parametrize(
    ("first", "echo", "second", "stays"),
    [
        ("约周三下午三点剪头", "好的，周三下午三点。", "四点下班", "下午三点"),
        ("约周三下午三点剪头", "好的，周三下午三点。几个人？", "两个人", "下午三点"),
        ("I have 2 kids", "Nice, 2 kids.", "3 bedrooms too", "2 kids"),
        ("I have 2 kids", "Nice, 2 kids. How old?", "7", "2 kids"),
        ("我住杭州", "好的，杭州。", "苏州是个好地方", "杭州"),
        ("i'm from Gothenburg", "Nice!", "Malmo is where i studied", "Gothenburg"),
        ("我叫陈嘉怡", "陈嘉怡您好", "订单不对，是两件", "陈嘉怡"),
        ("book the vet for thursday", "Booked thursday.", "is friday busy?", "thursday"),
        ("我养了3只猫", "三只猫，好热闹。", "每天喂2次", "3只猫"),
        ("周五去拔牙", "好的，周五。", "周五下雨吗", "周五"),
    ],
)
def test_what_says_something_else_corrects_nothing(first: str, echo: str, second: str, stays: str) -> None:
    assert stays in told(first, echo, second)


@pytest.mark.parametrize("char", "是不一a1 ")
def test_a_flood_of_equal_characters_corrects_nothing(char: str) -> None:
    """It is read before the test times out, and what was said before stays as it was."""
    assert told("我叫陈嘉怡", "好", "不对 " + char * 4000) == "用户叫陈嘉怡"
