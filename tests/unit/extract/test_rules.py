"""The pass of the rule extractor over a dialogue: what is asserted, taken back, by whom, and in which words."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.extract.grading import NOW, Dialogue, drafts, messages
from zhiji.extract import Increment
from zhiji.extract.rules import RuleExtractor, propose
from zhiji.types import Draft, Message, Role, Trust


def only(found: list[Draft], key: str) -> Draft:
    """Return the one draft of a key."""
    [draft] = [draft for draft in found if draft.key == key]
    return draft


async def test_the_extractor_is_cheap_and_named() -> None:
    """It runs after every turn, is stored as ``rules`` and reports nothing to throw away."""
    extractor = RuleExtractor()
    proposal = await extractor.extract(Increment(messages=messages([("user", "我叫李四")]), now=NOW))
    assert extractor.every_turn
    assert extractor.name == "rules"
    assert not proposal.partial
    assert [draft.content for draft in proposal.drafts] == ["用户叫李四"]


def test_a_fact_has_key_value_source_and_language() -> None:
    """A name becomes a keyed draft in the user's language that cites its message."""
    draft = only(drafts([("user", "hello"), ("assistant", "hi"), ("user", "my name is Anna")]), "identity:name")
    assert (draft.value, draft.seqs, draft.lang, draft.trust) == ("Anna", (3,), "en", Trust.USER)
    assert draft.content == "The user's name is Anna"


def test_the_script_of_the_user_is_kept() -> None:
    """Traditional characters and Cantonese words are understood and stored as written."""
    draft = only(drafts([("user", "我飲唔到酒㗎，以後幫我留意")]), "preference:taste.酒")
    assert draft.content == "用戶飲唔到酒"


def test_what_is_only_supposed_stays_below_the_gate() -> None:
    """A hedged statement is drafted with low confidence."""
    said = ("我可能对花生过敏", "I think I'm allergic to kiwi")
    assert [draft.confidence < 0.7 for words in said for draft in drafts([("user", words)])] == [True, True]


def test_a_later_value_wins_within_a_dialogue() -> None:
    """Only the last of two values under one key is proposed."""
    found = drafts([("user", "我叫李四"), ("assistant", "您好"), ("user", "写错了，我叫李思")])
    assert [draft.value for draft in found if draft.key == "identity:name"] == ["李思"]


def test_a_correction_keeps_the_city_of_the_address() -> None:
    """A corrected street takes province, city and district from the address that it corrects."""
    said: Dialogue = [
        ("user", "收货地址改成绍兴市越城区解放北路10号"),
        ("assistant", "好的"),
        ("user", "写错了，是解放南路12号3幢"),
    ]
    assert only(drafts(said), "identity:address.default").value == "绍兴市越城区解放南路12号3幢"


def test_what_an_earlier_pass_asserted_is_retracted() -> None:
    """A joke that is called one in the next turn retracts what the turn before had asserted."""
    whole = messages([("user", "我住在月亮湾小区"), ("assistant", "好地方"), ("user", "骗你的")])
    found = propose(Increment(context=whole[:2], messages=whole[2:], now=NOW))
    assert [(draft.op, draft.key, draft.seqs) for draft in found] == [("retract", "identity:city", (1, 3))]


def test_context_alone_proposes_nothing() -> None:
    """Facts of messages before the increment are not proposed again."""
    whole = messages([("user", "我叫李四"), ("assistant", "您好"), ("user", "嗯嗯")])
    assert propose(Increment(context=whole[:2], messages=whole[2:], now=NOW)) == []


def test_a_yes_cites_the_question_and_the_answer() -> None:
    """A confirmed offer to remember is grounded in both messages."""
    [draft] = drafts([("assistant", "要我记住您每周五不上班吗？"), ("user", "对")])
    assert (draft.content, draft.seqs, draft.type) == ("用户每周五不上班", (1, 2), "preference")


@pytest.mark.parametrize("answer", ["不用", "no thanks", "不要记", "算了"])
def test_a_no_confirms_nothing(answer: str) -> None:
    """A refused offer leaves no memory."""
    assert drafts([("assistant", "要我记住您对花粉过敏吗？"), ("user", answer)]) == []


def test_the_assistant_never_describes_the_user() -> None:
    """What the assistant says of itself or guesses of the user is no fact."""
    said: Dialogue = [("user", "推荐耳机"), ("assistant", "我叫小满，我不喜欢打雷。您一定喜欢降噪款，您住在北京吧。")]
    assert drafts(said) == []


def test_an_echo_of_what_was_recalled_is_no_source() -> None:
    """A promise that the assistant repeats from a recalled memory is not extracted again."""
    said = messages([("user", "OD20240101001 的退款呢"), ("assistant", "客服承诺：24小时内退款79元。")])
    fresh = propose(Increment(messages=said, now=NOW))
    echoed = propose(Increment(messages=said, now=NOW, recalled=["订单 OD20240101001 客服承诺：24小时内退款79元"]))
    assert any("79" in draft.content for draft in fresh)
    assert not any("79" in draft.content for draft in echoed)


def test_a_mothers_illness_is_hers() -> None:
    """An attribute of a relative is stored as theirs."""
    [draft] = [draft for draft in drafts([("user", "我爸血脂高，做饭要注意啥")]) if "血脂" in draft.content]
    assert draft.content == "用户的爸爸血脂高"


def test_several_speakers_keep_their_own_facts() -> None:
    """Where several people speak, facts carry the speaker's name and no key of the one user."""
    said = [
        Message(role="user", content="I live in Oslo.", time=NOW, seq=1, name="Ada"),
        Message(role="user", content="I live in Rome.", time=NOW, seq=2, name="Ben"),
    ]
    found = propose(Increment(messages=said, now=NOW))
    assert [(draft.key, draft.content) for draft in found] == [(None, "Ada lives in Oslo"), (None, "Ben lives in Rome")]


def test_dates_are_resolved_in_the_zone_of_the_message() -> None:
    """``Tomorrow`` of a message late in the evening is the next local day, whatever the day in UTC."""
    late = datetime(2026, 3, 10, 22, 30, tzinfo=timezone(timedelta(hours=-5)))
    [draft] = drafts([("user", "dentist appointment tomorrow at 4pm")], at=late)
    assert draft.content.endswith("(2026-03-11 16:00)")


@pytest.mark.parametrize(
    ("said", "dated"),
    [
        ("明天下午三点理发", "2026-03-11 15:00"),
        ("上周四下的单", "2026-03-05"),
        ("下个月 6 号还款", "2026-04-06"),
        ("后天搬家", "2026-03-12"),
        ("大前天收到书", "2026-03-07"),
    ],
)
def test_relative_dates_become_absolute_and_keep_their_words(said: str, dated: str) -> None:
    """A relative date is stored with the absolute local date beside the user's words."""
    [draft] = drafts([("user", said)])
    assert dated in draft.content
    assert said.split()[0] in draft.content


@pytest.mark.parametrize(
    "said",
    [
        "这本书采用环保油墨",
        "论文改用被动语态",
        "她敲定了时间",
        "新闻说喜欢夜跑的人要小心",
        "哈哈我是吸血鬼",
        "如果我中了奖就搬去丽江",
        "假设我叫郝仁, 帮我拟个请假条",
    ],
)
def test_narration_jokes_and_hypotheticals_are_no_facts(said: str) -> None:
    """Ordinary narration, jokes, hypotheticals and friends' attributes leave nothing about the user."""
    assert drafts([("user", said)]) == []


def test_no_longer_supersedes_the_taste() -> None:
    """``No longer`` states the end under the key of the taste, so that it replaces the old one."""
    liked, ended = drafts([("user", "我喜欢喝咖啡")]), drafts([("user", "我不再喝咖啡了")])
    assert [draft.key for draft in liked] == [draft.key for draft in ended] == ["preference:taste.咖啡"]
    assert ended[0].content == "用户不再喝咖啡"


def test_a_love_that_turned_into_hate_has_the_same_key() -> None:
    """Liking and disliking one thing share a key."""
    keys = {draft.key for said in ("我特别爱爬山", "我现在很讨厌爬山") for draft in drafts([("user", said)])}
    assert keys == {"preference:taste.爬山"}


def test_the_day_ones_story() -> None:
    """Name, order, wish and return address come out of the first turn of the two-day story."""
    shop = '{"order_id": "OD20240415008", "item": "跑鞋", "return_address": "浙江省杭州市西湖区文三路 18 号 退货组"}'
    said: Dialogue = [
        ("user", "我叫李四，订单 OD20240415008 想退货，退货地址是什么"),
        ("tool", shop),
        ("assistant", "李四您好，退货地址是：浙江省杭州市西湖区文三路 18 号 退货组。请寄回。"),
    ]
    found = drafts(said)
    assert {draft.key for draft in found} == {
        "identity:name",
        "order:OD20240415008",
        "after_sale:OD20240415008",
        "conclusion:return_address.OD20240415008",
    }
    assert only(found, "conclusion:return_address.OD20240415008").importance >= 4


ROLES: tuple[Role, ...] = ("user", "assistant", "tool")


@given(st.lists(st.tuples(st.sampled_from(ROLES), st.text(max_size=80)), max_size=5))
def test_any_text_is_read_without_an_error(dialogue: list[tuple[Role, str]]) -> None:
    """Whatever is said, the extractor returns drafts that cite the messages."""
    said = messages(dialogue)
    for draft in propose(Increment(messages=said, now=NOW)):
        assert set(draft.seqs) <= {message.seq for message in said}
        assert draft.content


@given(st.from_regex(r"(我的?|my )(手机号|电话|phone|card|密码|password)(是| is |:)[0-9 +-]{6,20}", fullmatch=True))
def test_no_full_phone_leaves_the_extractor(said: str) -> None:
    """Even unmasked input never yields a draft with a full mobile number."""
    raw = [Message(role="user", content=f"{said} 13812345678", time=NOW, seq=1)]
    assert not any(
        "13812345678" in f"{draft.content}{draft.value}" for draft in propose(Increment(messages=raw, now=NOW))
    )
