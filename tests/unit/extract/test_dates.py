"""Dates in words, Chinese and English, resolved from the time of the message."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhiji.extract import dates
from zhiji.extract.fold import fold
from zhiji.types import Draft, Message

TUESDAY = datetime(2026, 3, 10, 22, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("明天下午四点", "2026-03-11 16:00"),
        ("今晚八点半", "2026-03-10 20:30"),
        ("大后天", "2026-03-13"),
        ("上周五", "2026-03-06"),
        ("下周三", "2026-03-18"),
        ("周五", "2026-03-13"),
        ("下个月 1 号", "2026-04-01"),
        ("月底", "2026-03-31"),
        ("两周后", "2026-03-24"),
        ("三个月前", "2025-12-10"),
        ("5月20日", "2026-05-20"),
        ("12月31日", "2025-12-31"),
        ("明年1月5日", "2027-01-05"),
        ("15号", "2026-03-15"),
        ("3号", "2026-04-03"),
        ("2026-04-14 19:00", "2026-04-14 19:00"),
        ("聽日", "2026-03-11"),
        ("next Tuesday", "2026-03-17"),
        ("Friday at 3pm", "2026-03-13 15:00"),
        ("last Saturday", "2026-03-07"),
        ("tomorrow at 10:15 am", "2026-03-11 10:15"),
        ("the day after tomorrow", "2026-03-12"),
        ("in two weeks", "2026-03-24"),
        ("3 days ago", "2026-03-07"),
        ("June 30", "2026-06-30"),
        ("the 3rd of November", "2025-11-03"),
        ("by the 15th", "2026-03-15"),
        ("end of the month", "2026-03-31"),
    ],
)
def test_a_date_is_resolved(words: str, meant: str) -> None:
    """One expression gives one day, with the time of day where it is said."""
    assert [str(when) for when in dates.find(fold(words), TUESDAY)] == [meant]


@pytest.mark.parametrize(
    "words",
    [
        "18号楼",
        "文三路 18 号",
        "中山大道22号",
        "工位8号",
        "每天",
        "4号线",
        "一天",
        "2月30日",
        "13月1日",
        "may I ask",
        "sunny",
        "second",
        "月经",
        "3.5",
        "满月",
    ],
)
def test_what_is_no_date(words: str) -> None:
    """Buildings, habits, impossible days and other words are no dates."""
    assert list(dates.find(fold(words), TUESDAY)) == []


def test_the_words_can_be_cut_out() -> None:
    """A date knows where it stands in the text."""
    text = "我明天下午四点理发"
    [when] = dates.find(fold(text), TUESDAY)
    assert text[when.start : when.end] == "明天下午四点"


@given(
    st.text(alphabet="0123456789年月日号周下上个天后前明底两三-/: ", max_size=24), st.datetimes(timezones=st.just(UTC))
)
def test_any_numbers_are_read_without_an_error(words: str, at: datetime) -> None:
    """No digits make a date raise, at the ends of the calendar neither."""
    assert all(when.end > when.start for when in dates.find(words, at))


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("下週", "2026-03-16~2026-03-22"),
        ("上礼拜", "2026-03-02~2026-03-08"),
        ("下个月", "2026-04"),
        ("明年三月", "2027-03"),
        ("下月十六", "2026-04-16"),
        ("下下禮拜三", "2026-03-25"),
        ("三月尾", "2026-03-31"),
        ("聽朝九點", "2026-03-11 09:00"),
        ("过两天", "2026-03-12"),
        ("周六14号", "2026-03-14"),
        ("next week", "2026-03-16~2026-03-22"),
        ("next weekend", "2026-03-21~2026-03-22"),
        ("in august", "2026-08"),
        ("end of may", "2026-05-31"),
        ("sat 14th 9am", "2026-03-14 09:00"),
        ("monday 9.15", "2026-03-16 09:15"),
        ("friday 3:30", "2026-03-13"),
        ("on 3rd may", "2026-05-03"),
        ("a fortnight ago", "2026-02-24"),
    ],
)
def test_weeks_months_and_loose_wordings_are_resolved(words: str, meant: str) -> None:
    """A week is its days, a month its name; an English hour without am or pm is only kept where it is clear."""
    assert [str(when) for when in dates.find(fold(words), TUESDAY)] == [meant]


@pytest.mark.parametrize(
    "words",
    ["每周二四", "逢星期二", "周一到周五", "every wednesday", "fridays", "mon-fri", "农历八月十五", "九月廿二", "五月天", "一月一次", "三个月", "2月29那天", "the 5th floor"],
)  # fmt: skip
def test_what_comes_again_is_no_date(words: str) -> None:
    """Weekly days, lunar dates, bands and floors name no day."""
    assert list(dates.find(fold(words), TUESDAY)) == []


@pytest.mark.parametrize(
    ("words", "toward", "meant"),
    [
        ("10月18号", "ahead", "2026-10-18"),
        ("10月18号", "back", "2025-10-18"),
        ("8号", "back", "2026-03-08"),
        ("周五", "back", "2026-03-06"),
        ("in october", "ahead", "2026-10"),
        ("on friday", "back", "2026-03-06"),
        ("by the 2nd", "ahead", "2026-04-02"),
    ],
)
def test_plans_lie_ahead_and_stories_back(words: str, toward: dates.Toward, meant: str) -> None:
    """What the words leave open is settled by where they look."""
    assert [str(when) for when in dates.find(fold(words), TUESDAY, toward=toward)] == [meant]


def _draft(content: str, type: str = "preference") -> Draft:
    return Draft(type=type, content=content, seqs=(1,), lang="zh")


@pytest.mark.parametrize(
    ("content", "type", "dated"),
    [
        ("用户明天下午四点拔牙", "preference", "用户明天下午四点拔牙（2026-03-11 16:00）"),
        ("客服承诺周五送达", "order", "客服承诺周五送达（2026-03-13）"),
        ("用户周五晚上跳舞", "preference", "用户周五晚上跳舞"),
        ("用户每周五跳舞", "event", "用户每周五跳舞"),
        ("用户10月18号结婚", "event", "用户10月18号结婚"),
        ("用户明天拔牙（2026-03-11）", "task", "用户明天拔牙（2026-03-11）"),
    ],
)
def test_a_relative_date_has_the_absolute_one_beside_it(content: str, type: str, dated: str) -> None:
    """Every draft tells the day that its words meant when they were said; a bare weekday only in plans and business."""
    said = Message(role="user", content=content, time=TUESDAY, seq=1, turn=1)
    assert dates.dated(_draft(content, type), {1: said}).content == dated


def test_each_date_counts_from_the_message_that_said_it() -> None:
    """Of two messages of different days, the one with the words decides."""
    first = Message(role="user", content="我明天拔牙", time=TUESDAY, seq=1, turn=1)
    second = Message(role="user", content="对", time=TUESDAY.replace(day=12), seq=2, turn=2)
    draft = Draft(type="task", content="用户明天拔牙", seqs=(1, 2), lang="zh")
    assert dates.dated(draft, {1: first, 2: second}).content == "用户明天拔牙（2026-03-11）"
