"""What the user undertakes in a message written for them is a task of theirs; what is asked of others or made up is none."""

from __future__ import annotations

import pytest

from unit.extract.grading import active, by_turns
from zhiji.extract.fold import fold


def _tasks(said: str) -> str:
    return fold("\n".join(draft.content for draft in active(by_turns([("user", said)])) if draft.type == "task"))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("我老板住滨江，天天半夜催我方案。。帮我回他一句 周四前给", ("方案", "周四", "2026-03-12")),
        ("帮我拟个邮件给客户，报价周五下班前发过去", ("报价", "2026-03-13")),
        ("幫我回主管 企劃書禮拜一給", ("企划书", "2026-03-16")),
        ("客户要合同扫描件 帮我回复客户明天上午发", ("合同", "明天上午")),
        ("告诉我妈我周六回去吃饭", ("周六", "吃饭")),
        ("帮我跟健身教练说这周四的课改到下周二", ("周四", "下周二")),
    ],
)
def test_an_undertaking_to_somebody_is_a_task(said: str, words: tuple[str, ...]) -> None:
    told = _tasks(said)
    assert all(word in told for word in words), told


@pytest.mark.parametrize(
    "said",
    [
        "帮我写个故事，主角周四前要交稿",
        "帮我编个小说 男主说月底前搬走",
        "帮我翻译：告诉老板周四前给",
        "帮我回他一句 你什么时候给",
        "我老板说周四前给他",
        "帮我写封邮件给客户 问他周五前能不能付款",
        "同事让我告诉老板他周五请假",
        "帮我回室友 你房租15号交一下",
        "你来当我老板，我跟老板说周四交",
        "帮我写句话 告诉客户 如果周五没付款就取消",
    ],
)
def test_what_others_shall_do_and_what_is_made_up_is_none(said: str) -> None:
    assert not _tasks(said)
