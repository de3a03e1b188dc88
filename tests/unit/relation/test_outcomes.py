"""Life goes on: what ends an old state without a word of change, and what only looks like it."""

from __future__ import annotations

import pytest

from zhiji.relation.judge import relation

TRAPS = [
    ("Work phone is 555-0143", "The user started a new job as a barista"),
    ("用户早上七点出门上班", "用户跳槽了，现在在九龙上班"),
    ("User lives in Austin", "User's apartment is on the 3rd floor"),
    ("用户住在三楼", "用户住在广州"),
    # what changes places only with its own kind
    ("用户的母语是韩语", "用户改主意了，要自动续费"),
    ("用户的手机屏幕碎了", "用户终于买房了，搬进了新房子"),
    ("用户的高数作业还没写完", "用户补考通过了高数"),
    ("用户补考没通过高数", "用户补考通过了物理"),
    ("用户乘公交上班", "用户从腾讯离职，入职了字节跳动"),
    ("User works in Chicago", "User left Shopify and joined Stripe"),
    ("The user commutes by bus", "The user started a new job as a barista"),
    ("用户的大学专业是法学", "用户拿到了offer，下周入职"),
    ("用户在读大三", "The user landed a job at a bank"),
    ("用户在腾讯上班", "用户打算辞职"),
    ("用户的妻子怀孕了", "用户离婚了"),
    ("用户不同意接收短信", "User now prefers to be contacted by email"),
    ("User plans to move to Berlin", "User visited Berlin in March"),
    ("用户的电脑跑 Ubuntu 22.04", "User replaced the Pixel 6 with an iPhone 15"),
    ("用户在实习", "用户的妹妹转正了"),
    ("用户租房住", "用户买了两居室的家具"),
    ("班会定在周四下午", "The team meeting has been moved to Friday afternoon"),
    # somebody else's house, a house for others, one to let, one only wished for
    ("用户租房住", "用户的父母买了新房"),
    ("用户租房住", "用户给父母买了房"),
    ("用户租房住", "用户想买房"),
    ("用户租房住", "用户打算明年买房"),
    ("用户租房住", "用户没买房"),
    ("用户租房住", "用户买了房子的保险"),
    ("用户租了辆车", "用户买了房"),
    ("The user rents an apartment", "User bought a house for her parents"),
    ("The user rents an apartment", "User bought a house as an investment"),
    ("The user rents an apartment", "User wants to buy a house"),
    ("The user rents an apartment", "User bought a dog house"),
    ("The user rents a car", "User bought a house"),
    ("用户租房住", "The user's brother bought a house"),
    # another one's job, another offer
    ("用户在找工作", "用户的弟弟拿到了offer"),
    ("用户在找工作", "用户拿到了驾照"),
    ("用户在找工作", "用户帮朋友找工作"),
    ("User is looking for a job", "User accepted an offer on the house"),
    ("User is looking for a job", "User's wife accepted a job offer"),
    ("User is looking for a job", "User is looking for a house"),
    ("User is looking for a job", "User got a special offer from the store"),
    ("用户在旺角上班", "用户的妻子换工作了，现在在中环上班"),
    ("用户在旺角上班", "用户换了手机，现在用华为"),
    ("用户在旺角上班", "用户想换工作"),
    ("User works in Mong Kok", "User's boss changed jobs and now works in Central"),
    # another one's child, another wedding
    ("用户的妻子怀孕了", "用户的妹妹生了个女儿"),
    ("The user's wife is pregnant", "The user's sister gave birth to a baby girl"),
    ("The user is pregnant", "The user's cat had babies"),
    ("The user is pregnant", "The user had a baby shower"),
    ("用户怀孕六个月", "用户朋友的宝宝上周出生了"),
    ("The user is engaged to Mark", "User's sister broke off her engagement"),
    ("The user is engaged to Mark", "The user and Paul broke off the engagement"),
    ("The user is engaged to Mark", "The user and Mark got a dog"),
    ("用户和小李订了婚", "用户和小王解除了婚约"),
    ("用户和小李订了婚", "用户与小李解除了合同"),
    ("User is dating Chris", "User's friends Anna and Chris split up"),
    # another exam, another try
    ("用户高数没通过", "用户补考通过了英语"),
    ("用户的高数还没有通过", "用户的弟弟补考通过了高数"),
    ("用户的高数还没有通过", "用户补考高数又没通过"),
    ("用户的高数还没有通过", "用户要补考高数"),
    ("User failed the driving test", "User passed the theory test"),
    ("User failed the driving test", "User's son passed the driving test"),
    ("User failed the driving test", "User is retaking the driving test"),
    # another mind, another race, another number
    ("用户不想开通自动续费", "用户改变主意，同意开通短信通知"),
    ("用户不想开通自动续费", "用户的妻子同意开通自动续费"),
    ("用户不想参加年会", "用户改变主意，不参加婚礼"),
    ("User doesn't want to join the beta", "User agreed to join the call"),
    ("User doesn't want a dog", "User's wife changed her mind and wants a dog"),
    ("The user is running a half marathon in May", "The user dropped out of the October half marathon"),
    ("The user is running a half marathon in May", "The user dropped out of school in May"),
    ("The user is running a half marathon in May", "The user's brother dropped out of the May half marathon"),
    ("用户报名了十月的马拉松", "用户因为膝盖受伤退出了足球队"),
    ("The user's card ends in 4410", "The user has a new number, ending in 9027"),
    ("The user's phone number ends in 4410", "The user's wife has a new number, ending in 9027"),
    ("用户的银行卡尾号是3321", "用户换了新号码，尾号7788"),
    ("The user's phone number ends in 4410", "The user's new card ends in 9027"),
    ("用户的手机尾号是3321", "The order number ends in 7788"),
    ("家长会定在周二上午", "The team meeting has been moved to Wednesday morning"),
    ("用户每晚打游戏到凌晨", "The user no longer works at night"),
    ("用户的狗叫阿黄", "用户的猫阿黄去世了"),
    ("用户的狗叫阿黄", "用户的邻居阿黄去世了"),
]


@pytest.mark.parametrize(("old", "new"), TRAPS)
def test_what_happens_to_others_or_elsewhere_ends_nothing(old: str, new: str) -> None:
    """An outcome of another person, thing or wish leaves the old fact as it is."""
    assert relation(old, new) == "distinct"
