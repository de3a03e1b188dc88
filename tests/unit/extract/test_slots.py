"""Corrections of any fact by a later message, read at once and turn by turn."""

from __future__ import annotations

import pytest

from unit.extract.grading import Dialogue, active, by_turns, drafts


def kept(*said: str) -> list[str]:
    """Return, for both ways of reading, what a dialogue of user messages (with short replies) leaves, as one text."""
    dialogue: Dialogue = [line for words in said for line in (("user", words), ("assistant", "ok"))]
    return ["\n".join(draft.content for draft in active(read(dialogue))) for read in (drafts, by_turns)]


@pytest.mark.parametrize(
    ("said", "correction", "old", "new"),
    [
        ("周四下午三点跟供应商开会，提醒我", "看岔了 周五上午十点", "周四", "周五上午十点"),
        ("我女儿8岁", "说错了 是9岁", "8岁", "9岁"),
        ("提醒我3点开会", "不对 4点", "3点", "4点"),
        ("我叫李宥心", "选字选错 是宥馨 馨香的馨", "宥心", "宥馨"),
        ("发票抬头写常州闻鹿文具有限公司", "打错一个字 闻麓", "闻鹿", "闻麓"),
        ("記低我住將軍澳", "打錯 係調景嶺", "將軍澳", "調景嶺"),
        ("remind me the boiler inspection is on the 9th", "wait no landlord moved it, its the 16th now", "9th", "16th"),
        ("im flying to Lisbon on the 4th", "wait no not lisbon, Porto", "Lisbon", "Porto"),
        ("my anniversary is 12 may", "wait, 21 may", "12 may", "21 may"),
        ("my dog is called Rex", "oops Max i mean", "Rex", "Max"),
        ("flight lands at 6pm tuesday, remind me", "correction 7pm", "6pm", "7pm"),
        ("send it to 14 Tansy Lane, Todmorden", "argh 41 not 14, fat fingers", "14 Tansy", "41 Tansy"),
    ],
)
def test_the_new_value_takes_the_slot_of_the_old(said: str, correction: str, old: str, new: str) -> None:
    """A day, time, number, place or name is replaced in the fact that has it, and the old one does not remain."""
    for memory in kept(said, correction):
        assert old not in memory
        assert new in memory


@pytest.mark.parametrize(
    ("said", "later", "told"),
    [
        ("remind me dentist on thursday", "thanks! also my son's recital is saturday", "thursday"),
        ("提醒我周四看牙", "还有周五交房租", "周四"),
        ("我对花生过敏", "对了 我女儿对牛奶过敏", "花生"),
        ("I live in Leeds", "actually could you tell me about Bath?", "Leeds"),
        ("my flight is on friday, remind me", "can't wait! monday was so long", "friday"),
        ("我家两只猫", "等等 我问下三只猫怎么换猫砂", "两只猫"),
    ],
)
def test_what_adds_something_replaces_nothing(said: str, later: str, told: str) -> None:
    """Another matter with a value of the same kind, a question, and talk leave the earlier fact as it is."""
    for memory in kept(said, later):
        assert told in memory


def test_corrections_follow_each_other() -> None:
    """Each correction takes up the fact as the one before left it."""
    for memory in kept("remind me mum lands thursday", "sorry friday", "ugh no was right the first time, thursday 6pm"):
        assert "thursday 6pm" in memory
        assert "friday" not in memory


def test_a_corrected_day_is_resolved_anew() -> None:
    """The date beside the phrase is that of the new day."""
    for memory in kept("周四下午三点跟供应商开会，提醒我", "打错了 周五上午十点"):
        assert "2026-03-13 10:00" in memory
        assert "2026-03-12" not in memory
