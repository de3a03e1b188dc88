"""What a message takes out of itself: refusals and jokes, and what they leave."""

from __future__ import annotations

import pytest

from unit.extract.grading import Dialogue, active, by_turns, drafts
from zhiji.extract import unsaid
from zhiji.extract.fold import fold


def kept(dialogue: Dialogue) -> str:
    """Return everything that a dialogue leaves, read at once and turn by turn."""
    return "\n".join(draft.content for found in (drafts(dialogue), by_turns(dialogue)) for draft in active(found))


@pytest.mark.parametrize(
    ("said", "refused"),
    [
        ("我得了抑郁症 别记下来", "抑郁"),
        ("跟你说个事哈 不要记录 我被裁员了", "裁员"),
        ("我欠了三十万网贷 这事儿别留底", "三十万"),
        ("这条别记：我上个月流产了", "流产"),
        ("我是乙肝携带者 麻烦保密", "乙肝"),
        ("这话你听听就算了 我打算跳槽去字节", "字节"),
        ("我在吃安眠药 這個唔好記低呀", "安眠"),
        ("我月薪８千　这个数别存哈", "千"),
        ("i've got herpes, please dont write that down", "herpes"),
        ("don't store this: i'm getting divorced", "divorce"),
        ("this stays off the record ok? i'm interviewing at Nortel", "Nortel"),
        ("i was fired last week. no need to remember it", "fired"),
        ("can you not save this pls, my salary is 43k", "43k"),
        ("just between us, I'm bankrupt", "bankrupt"),
    ],
)
def test_what_shall_not_be_kept_is_not(said: str, refused: str) -> None:
    """A refusal reaches what it means, whether that stands before or after it."""
    assert refused not in kept([("user", said)])


@pytest.mark.parametrize(
    ("said", "refused", "told"),
    [
        ("我叫李四，生日5月20号，生日别记", "20", "李四"),
        ("我有糖尿病 别往我资料里写 另外我对虾过敏", "糖尿病", "虾"),
        ("i take lithium, dont log that. i'm vegetarian, do note that.", "lithium", "vegetarian"),
        ("so im between jobs, pls dont save that bit. do keep in mind i only take calls before noon", "jobs", "noon"),
    ],
)
def test_the_rest_of_the_message_is_kept(said: str, refused: str, told: str) -> None:
    """A refusal ends where the user turns to something else or asks to keep it."""
    memory = kept([("user", said)])
    assert refused not in memory
    assert told in memory


@pytest.mark.parametrize(
    "dialogue",
    [
        [("user", "我家住锦江区"), ("assistant", "好的"), ("user", "地址不用保存")],
        [("user", "I have HIV"), ("assistant", "I'm here."), ("user", "please keep that private and don't log it")],
    ],
)
def test_a_refusal_that_says_nothing_itself_means_the_message_before(dialogue: Dialogue) -> None:
    """What the user said right before is taken back by "don't keep that"."""
    assert kept(dialogue) == ""


@pytest.mark.parametrize(
    "said",
    [
        "别忘了帮我记一下我对芒果过敏", "不要记错了，我姓章", "我从来不记账", "不好意思记一下", "不要香菜记一下",
        "i don't keep kosher", "i never remember names", "don't forget i'm coeliac", "the bond between us and our pets",
    ],
)  # fmt: skip
def test_not_every_no_refuses(said: str) -> None:
    """Requests not to forget, one's own habits and other senses of keeping refuse nothing."""
    assert unsaid.refuses(fold(said)) is None


@pytest.mark.parametrize(
    ("said", "joke"),
    [
        ("我家养了条龙 口嗨一下", "龙"),
        ("我年薪三千万 逗你的", "三千万"),
        ("我是格莱美得主好吧 家里奖杯摆不下🤣 说正经的 推荐首歌", "奖杯"),
        ("本座今年九百岁", "九百"),
        ("i've climbed everest 40 times lmao jk", "everest"),
        ("yeah I'm the Duke of Wigan, send my butler round 😂 nah but when do you close", "butler"),
        ("I'm 300 years old and live in a cave", "300"),
    ],
)
def test_jokes_leave_nothing(said: str, joke: str) -> None:
    """What is called a joke, laughed off before the real matter, or nobody can be, is not kept."""
    assert joke not in kept([("user", said)])


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("哈哈哈哈 我家猫叫元宝", "元宝"),
        ("i'm not kidding, i have 3 kids under 4", "3 kids"),
        ("i own nine yachts lol jk jk. i rent a studio in Tacoma", "Tacoma"),
    ],
)
def test_laughter_alone_is_no_joke(said: str, told: str) -> None:
    """Who laughs may mean what they say, and after a joke the truth is kept."""
    assert told in kept([("user", said)])
