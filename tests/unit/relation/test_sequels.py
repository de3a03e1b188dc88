"""What a state turns into — over, done, found, better — and what only looks like it."""

from __future__ import annotations

import pytest

from zhiji.relation.judge import relation

OVER = [
    ("User bites their nails", "User has stopped biting their nails"),
    ("User is hosting a dinner on Saturday", "The user called off Saturday's dinner"),
    ("The user rents a storage unit", "User gave up the storage unit"),
    ("The user's grandmother is in hospital", "The user's grandmother has been discharged from hospital"),
    ("The user has a landline", "User disconnected the landline"),
    ("The user volunteers at a shelter", "User no longer volunteers at the shelter"),
    ("User is the team captain", "The user stepped down as team captain"),
    ("The user has braces", "User got the braces off in April"),
    ("用户请了钟点工打扫卫生", "用户辞掉了钟点工，现在自己打扫"),
    ("用户住在学校宿舍", "用户从宿舍搬出来，自己租房了"),
    ("用户在健身房办了年卡", "用户把健身房年卡退了"),
    ("用户是班长", "用户不当班长了"),
    ("用户办了游泳卡", "用户的游泳卡转让出去了"),
    ("用户养了一缸金鱼", "用户的金鱼都送人了"),
    ("用戶諗住聽日去行山", "用户说明天不去爬山了"),
    ("The user's leg is in a cast", "用户的石膏拆掉了"),
]
DONE = [
    ("用户在备考公务员", "用户考上公务员了"),
    ("用户的狗还没打疫苗", "用户的狗已经打完疫苗"),
    ("用户的贷款还没批", "用户的贷款批下来了"),
    ("用户想学吉他", "用户已经学会吉他了"),
    ("用户打算换手机", "用户换了新手机"),
    ("用户正在装修新房", "用户的新房装修完了"),
    ("用户的车险还没续", "用户的车险续好了"),
    ("用户不敢坐过山车", "用户现在敢坐过山车了"),
    ("用户想减到 60 公斤", "用户已经减到 60 公斤了"),
    ("用户在跟供应商谈合同", "用户跟供应商签了合同"),
    ("用户只会一点法语", "用户的法语已经很流利了"),
    ("User is stressed about finishing the thesis", "User submitted the thesis and feels relieved now"),
    ("User can't speak French", "User has learned French and now speaks it well"),
    ("User is writing a cover letter", "User has finished the cover letter"),
    ("User is planning a surprise party", "The surprise party took place on Saturday"),
    ("User is learning to drive", "The user passed the driving test"),
    ("用户还没毕业", "The user has graduated"),
    ("用户打算下个月辞职", "用户已经辞职了"),
    ("用户的店还没开张", "用户的店开张了"),
    ("The claim is being processed", "The claim was paid out"),
    ("User is unpacking after the move", "The user has finished unpacking"),
]
FOUND = [
    ("The washing machine is out for delivery", "洗衣机已经送到并安装好了"),
    ("User is looking for an apartment", "The user found an apartment and signed the lease"),
    ("User is house hunting", "The user closed on a house last week"),
    ("用户在等录取通知书", "用户收到录取通知书了"),
    ("用户的驾照被扣了", "用户的驾照拿回来了"),
    ("用户在攒钱买相机", "用户买到相机了"),
]
BETTER = [
    ("用户最近心情低落", "用户说心情好多了，已经走出来了"),
    ("用户最近压力很大", "用户说压力小多了"),
    ("用户的电脑开不了机", "用户的电脑已经修好，可以开机了"),
    ("用户家的水管漏水", "用户家水管修好了，不漏了"),
    ("用户的孩子发烧了", "用户的孩子退烧了"),
    ("用户最近睡眠不好", "用户现在睡得好多了"),
    ("User has a cold", "The user has recovered from the cold"),
    ("The user's laptop is being repaired", "User got the laptop back from repair"),
    ("The fridge is making a loud noise", "The fridge was fixed and is quiet now"),
]
HABITS = [
    ("User takes the bus to work", "User bought a bike and now cycles to work"),
    ("用户每天开车上班", "用户现在改坐地铁上班了"),
    ("用户用支付宝付款", "User now pays by credit card"),
]
TRAPS = [
    # not yet over, done or found
    ("User bites their nails", "User wants to stop biting their nails"),
    ("用户请了钟点工打扫卫生", "用户考虑辞掉钟点工"),
    ("用户在健身房办了年卡", "用户打算退掉健身房年卡"),
    ("User is looking for an apartment", "User might have found an apartment"),
    ("用户在等录取通知书", "用户希望收到录取通知书"),
    ("The user has braces", "User hopes to get the braces off in April"),
    # another thing ended, came or got better
    ("User bites their nails", "User has stopped biting pencils"),
    ("User is hosting a dinner on Saturday", "The user called off Saturday's hike"),
    ("User is hosting a dinner on Saturday", "The user called off Sunday's dinner"),
    ("The user volunteers at a shelter", "User no longer volunteers at the library"),
    ("用户是班长", "用户不当学习委员了"),
    ("用户养了一缸金鱼", "用户的鱼缸送人了"),
    ("用户的狗还没打疫苗", "用户的猫已经打完疫苗"),
    ("用户的狗还没打疫苗", "用户打完疫苗了"),
    ("用户的狗还没打疫苗", "用户的狗去世了"),
    ("用户的贷款还没批", "用户的签证批下来了"),
    ("用户想学吉他", "用户已经学会钢琴了"),
    ("用户正在装修新房", "用户的新房卖掉了"),
    ("User is writing a cover letter", "User has finished the book report"),
    ("User is looking for an apartment", "The user found a puppy"),
    ("用户在等录取通知书", "用户收到体检通知了"),
    ("用户的驾照被扣了", "用户的护照拿回来了"),
    ("用户最近压力很大", "用户说胃口好多了"),
    ("用户家的水管漏水", "用户家的空调修好了"),
    ("User has a cold", "The user has recovered from the knee surgery"),
    ("User is learning Spanish cooking", "User has learned Spanish"),
    ("用户的高数作业还没写完", "用户补考通过了高数"),
    ("用户想去巴黎", "用户搬到巴黎了"),
    # somebody else's
    ("User bites their nails", "The user's son has stopped biting his nails"),
    ("用户是班长", "用户的弟弟不当班长了"),
    ("用户想学吉他", "用户的妹妹已经学会吉他了"),
    ("User is looking for an apartment", "The user's sister found an apartment"),
    ("用户最近压力很大", "用户的丈夫压力小多了"),
    ("用户在等客户回复", "用户已经回复了客户"),
    # what once was, or goes on whatever is given up
    ("User visited Rome in 2019", "The user cancelled the June trip to Rome"),
    ("用户去过西藏", "用户取消了去西藏的旅行"),
    ("The user is allergic to milk", "The user no longer drinks milk"),
    ("用户小时候学过钢琴", "用户放弃学钢琴了"),
    ("User bought running shoes", "User stopped running because of a knee injury"),
    ("User has piano lessons on Mondays", "User sold the piano"),
    ("用户在找房子", "用户把房子卖了"),
    ("用户喜欢爬山", "用户明天不去爬山了"),
    # another day, another change
    ("用户预约了周三的体检", "用户预约了3月12号做体检"),
    ("User has a job interview on May 9", "User has a job interview on Friday"),
    ("用户的会员到期了", "用户的会员 2025 年 11 月 8 日到期"),
    ("用户的护照丢了", "用户的护照 2028 年到期"),
    ("用户的手机没电", "用户已经换了新手机"),
    ("用户要退掉那条裤子", "用户收到了裤子"),
    ("用户希望回复简短一些", "用户已经回复了客户"),
    ("User needs an invoice for the order", "User cancelled the order"),
    ("用户准备换手机", "用户的手机修好了"),
    ("Order 3391 was cancelled", "Order 3391 has a gift receipt"),
    ("用户的快递单号是 SF1029384756", "快递 SF1029384756 里有易碎品"),
    ("用户打算下个月辞职", "用户的同事已经辞职了"),
    ("用户的店还没开张", "用户朋友的店开张了"),
    # of several things that one uses, one takes no other's place
    ("User drinks tea in the morning", "The user now drinks one cup of coffee a day"),
    ("User takes the bus to work", "User now takes the train to the beach"),
    ("User takes the bus to work", "User's wife now takes the train to work"),
]


@pytest.mark.parametrize(("old", "new"), [*OVER, *DONE, *FOUND, *BETTER, *HABITS])
def test_what_a_state_turns_into_replaces_it(old: str, new: str) -> None:
    """What is over, done, found or better replaces what was told before."""
    assert relation(old, new) == "supersede"


@pytest.mark.parametrize(("old", "new"), TRAPS)
def test_what_only_looks_like_it_replaces_nothing(old: str, new: str) -> None:
    """A plan, another thing, another person or another day ends nothing."""
    assert relation(old, new) == "distinct"


def test_a_wish_repeated_is_no_fulfilment() -> None:
    """What is still wished for is the same."""
    assert relation("User wants to be contacted by email", "User now prefers to be contacted by email") == "same"
