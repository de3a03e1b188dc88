"""Dates in words, Chinese and English, resolved from the time of the message."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhiji.extract import dates
from zhiji.extract.fold import fold

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
    ["18号楼", "每天", "4号线", "一天", "2月30日", "13月1日", "may I ask", "sunny", "second", "月经", "3.5", "满月"],
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
