"""What bears on a message that went wrong, and which one thing is followed."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialogue import NOW, memory, say
from zhiji import recall, text
from zhiji.doctor.clues import Known, Reading, Said, choose, says, share, states_something
from zhiji.types import Memory, Message, Source, Status

NUTS = replace(memory("nuts", "用户对花生过敏", type="identity"), sources=(Source(session="ses_1", seqs=(1,)),))
QUESTION = "我能吃花生酱吗？"


def told(content: str, seq: int = 1, reading: Reading = Reading.UNREAD, **changes: bool) -> Said:
    message = replace(say("user", content), seq=seq, time=NOW + timedelta(seconds=seq))
    return Said(session="ses_2", message=message, reading=reading, **changes)


def followed(*memories: Memory, said: tuple[Said, ...] = (), expect: str | None = None) -> str | None:
    """The id of the memory or the words of the message that is followed."""
    clue = choose(Known(memories=memories, said=said), QUESTION, expect)
    if clue is None:
        return None
    return clue.memory.id if clue.memory else clue.said.message.content if clue.said else None


@pytest.mark.parametrize(
    ("words", "expect"),
    [
        ("订单 OD20240415008 已签收", "od-20240415008"),
        ("订单 ＯＤ２０２４０４１５００８", "OD20240415008"),
        ("I am allergic to Peanuts.", "PEANUT"),
        ("电话 138****5678", "13812345678"),
        ("我对花生🥜过敏", "花生"),
        ("我对花生🥜过敏", "🥜"),
    ],
)
def test_expected_words_are_found(words: str, expect: str) -> None:
    """In any width, case and inflection, with or without hyphens, and where only a masked form is kept."""
    assert says(words, expect)


@pytest.mark.parametrize(
    ("words", "expect"),
    [("订单 OD20240415009", "OD20240415008"), ("生日送花", "花生"), ("pea soup", "peanut"), ("", "花生")],
)
def test_other_words_are_not(words: str, expect: str) -> None:
    """One digit makes another order, and the same characters in another order another word."""
    assert not says(words, expect)


@pytest.mark.parametrize(
    ("words", "states"),
    [
        ("我对花生过敏", True),
        ("订单 OD20240415008 到哪了？", True),
        ("I moved to Berlin.", True),
        ("退货要多久？", False),
        ("Where is my parcel?", False),
        ("你好", False),
        ("👋", False),
    ],
)
def test_who_only_asks_states_nothing(words: str, states: bool) -> None:
    """Questions and greetings give nothing to remember, unless they name a number."""
    assert states_something(say("user", words)) is states


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_share_is_a_share(question: str, words: str) -> None:
    """Whatever the words, the share stands between none and all; a text has all of its own words in it."""
    assert 0 <= share(question, text.terms(words)) <= 1
    assert share(words, text.terms(words)) in (0, 1)


def test_the_active_one_is_followed() -> None:
    """What fits as well but waits or is unread does not come before what is active."""
    waiting = replace(NUTS, id="waiting", status=Status.QUARANTINED)
    assert followed(waiting, NUTS, said=(told("我对花生过敏"),)) == "nuts"
    assert followed(waiting) == "waiting"
    assert followed(said=(told("我对花生过敏"),)) == "我对花生过敏"
    assert followed(memory("x", "喜欢蓝色")) is None


def test_what_was_replaced_is_not_missed() -> None:
    """A superseded memory whose successor is active is followed only if its own words are expected."""
    old = replace(NUTS, id="old", content="花生过敏，很轻", status=Status.SUPERSEDED, superseded_by="nuts")
    assert followed(old, NUTS) == "nuts"
    assert followed(old, NUTS, expect="很轻") == "old"
    assert followed(old) == "old"


def test_a_message_that_is_a_memory_already() -> None:
    """The message that a memory came from is not missed a second time."""
    source = replace(told("我对花生过敏，不能吃花生酱", reading=Reading.READ), session="ses_1")
    assert followed(NUTS, said=(source,)) == "nuts"


def test_the_asked_message_is_the_last_resort() -> None:
    """What was said before is followed first; the message itself only if nothing else bears on it."""
    asked = told("我对花生过敏，能吃花生酱吗", 3, is_asked=True)
    assert followed(said=(asked, told("花生我不能碰", 1))) == "花生我不能碰"
    assert followed(said=(asked,)) == asked.message.content


def test_a_statement_counts_more_than_a_question() -> None:
    """Of the messages with the expected words the newest statement is followed, else the newest question."""
    first, later = told("我对花生过敏", 1, Reading.DELETED), told("花生酱多少钱？", 2, Reading.READ)
    assert followed(said=(later, first), expect="花生") == "我对花生过敏"
    assert followed(said=(later,), expect="花生") == "花生酱多少钱？"


def test_said_anew() -> None:
    """A newer unread statement comes before a memory that is no longer active."""
    old = replace(NUTS, status=Status.SUPERSEDED)
    assert followed(old, said=(told("我对花生过敏"),), expect="花生") == "我对花生过敏"
    assert followed(NUTS, said=(told("我对花生过敏"),), expect="花生") == "nuts"


def test_a_named_number_decides() -> None:
    """A question that names an order follows what is known of that order, however else it is put."""
    order = memory("order", "想退货", key="order:OD20240415008")
    assert share("OD20240415008 呢", recall.index_terms(order)) == 1
    assert share("OD20240415009 呢", recall.index_terms(order)) == 0


def test_messages_are_whole() -> None:
    """A very long message is looked at by its beginning."""
    assert states_something(Message(role="user", content="我住在杭州。" * 100_000, time=NOW))
