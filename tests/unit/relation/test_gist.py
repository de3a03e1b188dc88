"""Two sentences of one frame: the same but for the frame's own words, or two facts that only look alike."""

from __future__ import annotations

import pytest

from zhiji.relation.judge import relation

JOB = [
    ("用户在医院当护士", "用户在医院做体检"),
    ("用户在医院当会计", "用户在银行当会计"),
    ("用户在医院当护士", "用户的职业是护士长"),
    ("用户的职业是护士", "用户的妹妹是护士"),
    ("用户的职业是护士", "用户想当护士"),
    ("用户在银行当柜员", "用户在招商银行上班"),
    ("用户在中学教音乐", "用户在中学教美术"),
    ("用户在中学教音乐", "用户在中学学音乐"),
    ("User works as a nurse at a hospital", "User works as a nurse at a school"),
    ("User is a nurse", "User's mother is a nurse"),
    ("User is a teacher", "User is looking for a teacher"),
    ("User's dad is a retired pilot", "User's dad is a pilot"),
    ("User's dad used to be a pilot", "User's dad is a retired teacher"),
    ("用户的母亲是退休教师", "用户的母亲是教师"),
    ("用户的职业是护士", "User is a nurse's patient"),
    ("用户在医院当护士", "The user is a doctor at a hospital"),
]
ROUTINE = [
    ("用户每天六点半起床", "用户每天六点半跑步"),
    ("用户每天六点半起床", "用户每天六点半睡觉"),
    ("用户每天六点半起床", "用户周末六点半起床"),
    ("用户每天六点半起床", "用户的孩子每天六点半起床"),
    ("用户每天早上六点起床", "用户不在早上六点起床"),
    ("用户一周跑步三次", "用户一周游泳三次"),
    ("用户一周跑步三次", "用户一天跑步三次"),
    ("用户每周跑三次步", "用户每周跑三公里"),
    ("User gets up at 6:30", "User gets up at 7:30"),
    ("User gets up at 6:30 on Saturdays", "User gets up at 6:30"),
    ("User goes to the gym three times a week", "User goes to the gym three times a month"),
    ("User goes to the gym three times a week", "User goes to the gym at three"),
    ("User works out at home three times a week", "User works out at the gym three times a week"),
    ("用户六点半起床", "The user goes to work at 6:30"),
    ("用户每周去两次健身房", "User goes to the library twice a week"),
    ("Stand-up is at 9:30 am every day", "The retro happens at 9:30 am every day"),
    ("Stand-up is at 9:30 am", "Stand-up is at 9:30 pm"),
]
PETS = [
    ("用户养了一只叫团子的猫", "用户养了一只叫团子的狗"),
    ("用户养了一只叫团子的布偶猫", "用户养了一只叫丸子的布偶猫"),
    ("用户养了一只布偶猫", "用户养了一只叫团子的布偶猫"),
    ("用户养了一只叫团子的布偶猫", "用户的妹妹养了一只叫团子的布偶猫"),
    ("用户的女儿叫朵朵", "用户的狗叫朵朵"),
    ("用户的女儿叫朵朵", "用户有个儿子，名字是朵朵"),
    ("User has a beagle named Waffles", "User has a poodle named Waffles"),
    ("User has a beagle named Waffles", "User had two beagles, Waffles and Toast"),
    ("The user's dog is a beagle named Waffles", "User's friend has a beagle called Waffles"),
    ("The user's dog is a beagle named Waffles", "User wants a beagle called Waffles"),
    ("用户的狗叫豆豆", "User has a cat called Doudou"),
    ("User has a twin sister", "The user's sister has twins"),
    ("User has a twin sister", "The user and her brother are twins"),
    ("用户和弟弟是双胞胎", "用户的弟弟生了双胞胎"),
    ("用户有个双胞胎弟弟", "用户有个弟弟"),
]
DEVICES = [
    ("用户的手机系统是安卓 14", "用户的手机系统是安卓 13"),
    ("用户的手机系统是安卓 14", "用户的平板运行 Android 14"),
    ("用户的手机运行 Android 14", "用户妈妈的手机运行 Android 14"),
    ("用户的电脑装的是Windows 11", "用户的电脑装了两个Windows 11"),
    ("用户的手机系统是安卓", "用户的手机壳是安卓图案"),
    ("User's phone runs Android 14", "User's phone runs hot on Android 14"),
    ("User's phone runs Android 14", "User's phone cannot run Android 14"),
    ("User has an iPhone 15", "User wants an iPhone 15"),
    ("User has an iPhone 15", "User has an iPad 15"),
    ("用户用的是iPhone 15", "User's wife uses an iPhone 15"),
]
TONGUES = [
    ("用户的母语是法语", "The user is learning French"),
    ("用户的母语是法语", "用户会说法语"),
    ("用户的母语是法语", "用户的母语不是法语"),
    ("用户的母语是西班牙语", "The user's wife's native language is Spanish"),
    ("User speaks fluent Portuguese", "User is studying Portuguese history"),
    ("User speaks fluent Portuguese", "User's teacher is fluent in Portuguese"),
    ("User is a native Spanish speaker", "User is hiring a native Spanish speaker"),
    ("User's native language is Spanish", "User's second language is Spanish"),
    ("用户的母语是日语", "用户的母亲是日语老师"),
    ("用户的母语是粤语", "用户喜欢粤语歌"),
]
HEALTH = [
    ("用户对青霉素过敏", "用户青霉素过敏，不能用阿莫西林"),
    ("用户对青霉素过敏", "用户青霉素过敏，也不能吃海鲜"),
    ("用户对青霉素过敏", "用户的儿子青霉素过敏，不能用这个药"),
    ("用户对青霉素过敏", "用户不对青霉素过敏，能用这个药"),
    ("用户乳糖不耐受", "用户喜欢喝牛奶"),
    ("用户乳糖不耐受", "用户的女儿乳糖不耐，喝不了牛奶"),
    ("User is allergic to penicillin", "User is allergic to penicillin and can't eat shrimp"),
    ("User is allergic to penicillin", "User's son is allergic to penicillin, so cannot take it"),
    ("User is lactose intolerant", "User does not like milk"),
    ("User is left-handed", "User's left hand hurts"),
    ("User is left-handed", "User writes with the right hand"),
    ("User writes with the left hand", "User's son writes with the left hand"),
    ("用户是左撇子", "User's left hand is injured"),
    ("用户不会开车", "用户不会骑车"),
    ("用户不会游泳", "用户的弟弟不懂游泳"),
]
SERVICE = [
    ("The return fee was $5", "Customer was charged 5 dollars for the repair"),
    ("The user's favourite food is sushi", "The user's favourite food is pizza"),
    ("用户家有一只猫叫阿花", "用户家有一猫一狗叫阿花"),
    ("The user lives on the third floor", "User's office is on the 3rd floor"),
    ("用户身高175厘米", "用户的腰围175厘米"),
    ("User's brother is called Ravi", "User's brother works with Ravi"),
    ("用户每两周理一次发", "用户每两周洗一次车"),
    ("用户每天喝两杯咖啡", "用户每周喝两杯咖啡"),
    ("User is a student at Yale", "User is a professor at Yale"),
    ("用户希望发票是电子的", "用户希望发票是纸质的"),
    ("用户希望晚上送货", "用户希望晚上接电话"),
    ("用户希望晚上送货", "用户不希望晚上送货"),
    ("用户希望晚上送货", "用户希望早上送货"),
    ("用户希望用微信联系", "用户希望用微信支付"),
    ("用户希望用微信联系", "用户希望用邮件联系客服"),
    ("Customer wants delivery in the evening", "Customer wants delivery in the morning"),
    ("Customer wants delivery in the evening", "Customer wants a refund in the evening"),
    ("The shipping fee was $8", "The item price was $8"),
    ("The shipping fee was $8", "Customer was charged 80 dollars for shipping"),
    ("工单 GD-3021 申请上门维修", "工单 GD-3022 申请上门维修"),
    ("工单 GD-3021 申请上门维修", "用户要求给工单GD-3021安排上门退货"),
    ("用户希望晚上送货", "Customer wants a phone call in the evening"),
    ("用户的专业是会计", "用户的妻子是会计"),
    ("用户的专业是会计", "用户是会计"),
    ("用户的专业是会计", "用户大学学的是法律专业"),
    ("User majored in economics", "User is reading a book on economics"),
]


@pytest.mark.parametrize(("old", "new"), [*JOB, *ROUTINE, *PETS, *DEVICES, *TONGUES, *HEALTH, *SERVICE])
def test_a_frame_in_common_makes_no_fact_the_same(old: str, new: str) -> None:
    """Two facts of one frame are never the same while one value, person, day or denial differs."""
    assert relation(old, new) != "same"
