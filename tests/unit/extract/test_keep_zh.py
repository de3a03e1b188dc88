"""What Chinese speakers say of themselves is kept in their words; what is of the moment or of strangers is not."""

from __future__ import annotations

import pytest

from unit.extract.grading import active, drafts
from zhiji.extract.fold import fold
from zhiji.extract.keep_zh import tables


def kept(said: str) -> str:
    """Return what becomes of a message, in simplified characters."""
    return fold(" | ".join(draft.content for draft in active(drafts([("user", said)]))))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("膝盖积液 医生不让我爬楼", ["积液", "爬楼"]),
        ("荨麻疹反反复复 出门得带药", ["荨麻疹"]),
        ("喝咖啡心慌 只能喝低因", ["低因"]),
        ("我對花生敏感㗎 睇實啲", ["花生"]),
        ("老花眼了 字号麻烦调大点", ["老花"]),
        ("不吃葱姜蒜 点菜备注下", ["葱姜蒜"]),
        ("回族 外卖只点清真", ["回族", "清真"]),
        ("火锅只吃清汤", ["清汤"]),
        ("初三学生 物理老不及格", ["初三", "物理"]),
        ("程序猿一枚 颈椎早就废了", ["程序猿", "颈椎"]),
        ("本人开货车跑川藏线", ["货车", "川藏线"]),
        ("搞水产养殖的 主要养虾", ["水产", "虾"]),
        ("我租在望京 六月底到期", ["望京", "六月底"]),
        ("户口在河北 人在北京", ["河北", "北京"]),
        ("前年离的婚 现在带着俩娃过", ["离", "俩娃"]),
        ("家有俩熊孩子 装修要环保的", ["俩熊孩子"]),
        ("每天雷打不动背50个单词", ["50个单词"]),
        ("五点下班 六点接娃", ["五点", "六点"]),
        ("衣服都买黑白灰", ["黑白灰"]),
        ("追剧只追完结的", ["完结"]),
        ("周末爱去逛菜市场", ["菜市场"]),
        ("预算三千封顶 多一分没有", ["三千"]),
        ("身高一米五八 买裤子老得改短", ["一米五八"]),
        ("住六楼没电梯 大件得送上楼", ["六楼"]),
        ("我用的是安卓机 没有苹果", ["安卓"]),
        ("不打篮球了 跟腱断过", ["篮球", "跟腱"]),
        ("车卖了 现在坐地铁", ["车卖", "地铁"]),
        ("抽烟 一天半包", ["半包"]),
        ("而家喺深圳做跨境電商", ["深圳", "跨境"]),
        ("屋企養咗兩隻貓 一隻叫豆豆", ["两只猫", "豆豆"]),
        ("個仔讀小四 數學麻麻", ["小四"]),
        ("返夜更 朝早八點先瞓", ["夜更", "八点"]),
        ("手搖飲都半糖少冰", ["半糖", "少冰"]),
        ("我有氣喘 冷氣別太強", ["气喘"]),
        ("我做IT support 返shift", ["it support", "shift"]),
        ("我家柴犬🐶超怕打雷⚡晚上得抱着睡", ["柴犬", "打雷"]),
    ],
)
def test_what_lasts_is_kept_whatever_its_wording(said: str, words: list[str]) -> None:
    """A lasting matter of the user is told with the words that say it."""
    told = kept(said)
    assert [word for word in words if fold(word) not in told] == []


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("回复别带波浪号 看着别扭", "波浪号"),
        ("算钱的时候麻烦保留到分", "保留到分"),
        ("每次下单都要开电子票", "电子票"),
        ("打车别叫拼车", "拼车"),
        ("快递放物业就行 白天没人", "物业"),
        ("送货前先打电话", "打电话"),
        ("周一例会 上午别约我", "上午"),
        ("别再给我推母婴用品", "母婴"),
        ("右耳听不见 打字给我", "打字"),
    ],
)
def test_how_the_user_wants_to_be_served_is_kept(said: str, word: str) -> None:
    """A standing wish is kept as one, in the user's words."""
    assert word in kept(said)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("我姐嫁到了成都 每年过年才回", "用户的姐姐嫁到了成都"),
        ("对象属兔 爱钓鱼", "用户的对象"),
        ("张岚是我的婶婶，其家乡是江西南昌", "婶婶"),
        ("我家鹦鹉会说话 叫小绿", "用户家的鹦鹉"),
        ("给我外甥女挑本书 她四岁", "用户的外甥女"),
    ],
)
def test_what_is_of_the_users_people_is_told_as_theirs(said: str, told: str) -> None:
    """The matters of relatives, friends and animals name whose they are."""
    content = kept(said)
    assert told in content
    assert "用户属兔" not in content
    assert "用户：其" not in content


@pytest.mark.parametrize(
    "said",
    [
        "帮我找个评分高点的景点",
        "附近哪家面馆还开着",
        "给我来个健身计划",
        "这款鞋子真心不错，拍照也特别给力",
        "那家医院的环境整洁又明亮",
        "李婷是个教师",
        "高血压能喝酒不",
        "柴犬掉毛厉害吗 好不好养",
        "我要去故宫，帮我叫辆出租车",
        "我觉得还行",
        "不用考虑了，就这家吧",
        "我打个电话问一下",
        "我记住了",
        "好困啊今天不想动",
        "我想换个大一码的",
        "听说他对花生过敏",
        "论文改用被动语态",
        "太好了，没问题",
        "你猜我在哪",
    ],
)
def test_the_moment_and_strangers_leave_nothing(said: str) -> None:
    """Requests, questions, praise, moods and the matters of strangers are not kept."""
    assert kept(said) == ""


@pytest.mark.parametrize(
    ("said", "key", "value"),
    [
        ("本人覃一舟", "identity:name", "覃一舟"),
        ("发票写个人 殷若彤 殷勤的殷", "identity:name", "殷若彤"),
        ("全名係葉鳳儀", "identity:name", "葉鳳儀"),
        ("寄给 柏小棠 就是我", "identity:name", "柏小棠"),
        ("網名叫阿呆", "identity:call_me", "阿呆"),
        ("你可以叫我Ah Fung", "identity:call_me", "Ah Fung"),
        ("家里给我过农历九月廿二", "identity:birthday", "农历九月廿二"),
        ("看看2月29那天的机票 我生日", "identity:birthday", "2月29"),
        ("家搬了 合肥蜀山区青桐里7栋1902 不用打电话", "identity:address.default", "合肥蜀山区青桐里7栋1902"),
        ("收件請改到 台中市西屯區甘霖路127號9樓之3", "identity:address.default", "台中市西屯區甘霖路127號9樓之3"),
        ("送貨打呢個 ９６１２－７７０３", "identity:phone", "961****7703"),
        ("手机尾号 4427", "identity:phone", "****4427"),
    ],
)
def test_names_birthdays_and_contacts_are_read_in_any_dress(said: str, key: str, value: str) -> None:
    """Attributes with a key are found however they are introduced."""
    assert {draft.key: draft.value for draft in active(drafts([("user", said)]))}.get(key) == value


@pytest.mark.parametrize(
    "said",
    ["訂單號碼 ＴＷ ２０２５ ０６０９ ７７", "这单寄岔了 客服说再寄一次", "我打算在餐馆吃，人均500-1000"],
)
def test_other_numbers_are_no_contacts(said: str) -> None:
    """Order numbers and prices are no phones, and a parcel gone astray gives no address."""
    assert not {draft.key for draft in drafts([("user", said)])} & {"identity:phone", "identity:address.default"}


def test_the_longest_word_names_the_topic() -> None:
    """A word inside an innocent one is no anchor, and letters are matched as whole words."""
    named = tables().named
    assert named("热狗")[0] == []
    assert named("狗")[0] == ["pet"]
    assert named("requirements")[0] == []


@pytest.mark.parametrize(
    ("asked", "said", "told"),
    [
        (
            "辛苦了，您是医护人员吗？",
            "急诊护士 干了七年了 今年刚升的护士长",
            "用户：急诊护士，干了七年了，今年刚升的护士长",
        ),
        ("平时几点睡？", "一两点吧", "用户答“平时几点睡”：一两点吧"),
        ("请问孩子几岁？", "五岁半 女孩", "用户的孩子：五岁半，女孩"),
        ("孩子多大了？", "刚上幼儿园小班", "用户的孩子：刚上幼儿园小班"),
        ("您對什麼口味比較偏好？", "酸的 辣的少來", "酸的"),
    ],
)
def test_an_answer_takes_its_subject_and_topic_from_the_question(asked: str, said: str, told: str) -> None:
    """What answers an open question about the user is told with it; what is asked of somebody of theirs is theirs."""
    contents = [draft.content for draft in active(drafts([("assistant", asked), ("user", said)]))]
    assert any(fold(told) in fold(content) for content in contents)


@pytest.mark.parametrize(
    ("asked", "said", "wrong"),
    [
        ("您是宝妈吧？宝宝多大啦？", "我单身 给外甥女买的 她四岁", "宝妈"),
        ("您一般什么时间方便接电话？", "午休时间吧 12点半到两点", "手机号"),
        ("您是要大杯还是中杯？", "大杯", "中杯"),
        ("需要几点送到？", "下午三点", "下午三点"),
        ("您想去哪里玩？", "西湖吧", "西湖"),
        ("孩子多大了？", "刚上幼儿园小班", "用户今年"),
    ],
)
def test_a_question_puts_no_words_into_the_users_mouth(asked: str, said: str, wrong: str) -> None:
    """A guess, a choice and a question about the matter at hand say nothing of the user."""
    contents = [draft.content for draft in active(drafts([("assistant", asked), ("user", said)]))]
    assert not any(wrong in content for content in contents)


def test_each_item_of_an_introduction_is_kept() -> None:
    """Behind "let me introduce myself" an item needs no other evidence."""
    content = kept("自我介绍：许棠 二十九 未婚 在苏州做平面设计 养两只猫")
    assert all(word in content for word in ("用户叫许棠", "二十九", "未婚", "平面设计", "两只猫"))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("奶茶？戒咗喇，三個月冇飲", "奶茶,戒了喇,三个月没饮"),
        ("这饼干有没有腰果 我一吃嘴就肿", "腰果"),
        ("推荐几本给娃看的绘本 三岁半", "用户的娃:三岁半"),
        ("给我爷写个九十大寿的祝词", "九十大寿"),
        ("羊肉可以多来点 香菜千万别放", "羊肉可以多来点"),
        ("点外卖帮我筛掉带葱的", "葱"),
        ("我色弱 图表别用红绿配色", "图表别用红绿配色"),
        ("老公常年出差 家里就我和婆婆带孩子", "家里就用户和婆婆带孩子"),
        ("我农历八月十六，新历就9月23号", "9月23"),
    ],
)
def test_what_one_clause_names_the_next_is_about(said: str, told: str) -> None:
    """A topic put as a question, somebody a favour is for, and how things shall be are kept with what is said of them."""
    assert told in kept(said)


@pytest.mark.parametrize(
    "said",
    [
        "這款面霜真心不错，涂上去清爽又不会油腻，吸收也快。唯一的遗憾是瓶子不便携",
        "公园环境特别好，真心推荐大家来。就是周末人潮涌动的",
        "请问孕妇可以喝咖啡吗 一天最多几杯",
        "请问 intermittent fasting 对甲状腺低下的人 ok 吗？",
        "我心里有数了",
        "来玩狼人杀 我是预言家",
    ],
)
def test_reviews_questions_and_games_say_nothing_of_the_user(said: str) -> None:
    """A review is an opinion of the moment, a question is no fact, and a game is one."""
    assert kept(said) == ""


def test_a_pregnancy_is_no_age() -> None:
    """Months of a pregnancy are not how old somebody is."""
    assert "老婆六个月" not in kept("老婆怀孕六个月了")
