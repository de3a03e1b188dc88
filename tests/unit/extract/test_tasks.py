"""Plans, deadlines and events with dates, reminders without, and what is none of them."""

from __future__ import annotations

import pytest

from unit.extract.grading import drafts


def dated(said: str) -> list[tuple[str, object]]:
    """Return type and value of the dated facts of a message."""
    return [(draft.type, draft.value) for draft in drafts([("user", said)]) if draft.type in ("task", "event")]


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("护照10月18号到期 得抽空去换", "2026-10-18"),
        ("雅思七月考", "2026-07"),
        ("下週要去花蓮出差四天", "2026-03-16~2026-03-22"),
        ("月底前给房东转房租", "2026-03-31"),
        ("下周三开家长会 下午两点", "2026-03-18"),
        ("我car要在3月20号之前年检", "2026-03-20"),
        ("聽日下晝三點要去睇醫生", "2026-03-11 15:00"),
        ("vans MOT runs out end of march can u nag me", "2026-03-31"),
        ("running my first half marathon in october", "2026-10"),
        ("thesis draft to my supervisor by the 22nd", "2026-03-22"),
        ("gotta hand in my tax return by jan 31", "2027-01-31"),
        ("put my mri on the calendar, 19 march 2pm", "2026-03-19 14:00"),
        ("got my driving test on the 21st", "2026-03-21"),
        ("I must submit the thesis until 30 September", "2026-09-30"),
        ("kids go back to school on the 4th of september", "2026-09-04"),
    ],
)
def test_a_plan_has_its_next_day(said: str, day: str) -> None:
    """A day without a year is the next one where the words look ahead; weeks and months do as well."""
    assert dated(said) == [("task", day)]


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("我8号拍的那件毛衣起球了", "2026-03-08"),
        ("去年十月离的职", "2025-10"),
        ("上个月刚做完阑尾手术", "2026-02"),
        ("had my wisdom teeth out yesterday", "2026-03-09"),
        ("we got married on 14 feb 2020", "2020-02-14"),
    ],
)
def test_an_event_has_its_last_day(said: str, day: str) -> None:
    """What is told of the past happened on the day before now that its words name."""
    assert dated(said) == [("event", day)]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("remind me to cancel netflix", "cancel netflix"),
        ("別忘了提醒我交電費", "交電費"),
        ("除夕我要值班", "值班"),
        ("we are going to wales over easter", "wales"),
    ],
)
def test_a_reminder_or_a_feast_needs_no_day(said: str, words: str) -> None:
    """What is to be remembered, or planned for a time that everybody knows, is kept without a date."""
    assert any(words in draft.content for draft in drafts([("user", said)]))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("visa interview 10:15 next monday, gotta get 2 photos printed before that", "2 photos printed"),
        ("driving test 8:40 thursday, need to find my provisional before that", "provisional"),
        ("mortgage guy is coming friday, must dig out 3 payslips first", "payslips"),
        ("boiler man tues between 8 and 1, need to clear the cupboard", "cupboard"),
        ("blood test 8am monday, no food after midnight", "no food"),
        ("vet on monday at 4, need a stool sample from Milo", "stool sample"),
        ("dads 70th on saturday, gotta pick up the cake from lidl at 10", "cake"),
        ("im seeing the solicitor weds, remind me to take id", "take id"),
    ],
)
def test_what_has_to_be_done_before_belongs_to_the_task(said: str, words: str) -> None:
    """A clause behind a date says what it takes."""
    assert any(draft.type == "task" and words in draft.content for draft in drafts([("user", said)]))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("meeting monday at 9, should i wear a tie", "tie"),
        ("wedding on saturday at noon, need gift ideas", "ideas"),
        ("dinner with mum on friday at 7, need a good recipe", "recipe"),
    ],
)
def test_what_is_asked_behind_a_date_does_not(said: str, words: str) -> None:
    """Questions and wishes for advice are no part of a plan."""
    assert not any(draft.type == "task" and words in draft.content for draft in drafts([("user", said)]))


@pytest.mark.parametrize(
    "said",
    [
        "see you monday",
        "have a nice weekend",
        "下周天气怎么样",
        "周六有什么电影",
        "如果明天下雨就不去了",
        "他说周五到",
        "快递说明天送",
        "I need a train to Leeds on friday for 2 people",
        "我想找一家周末开门的餐馆",
        "happy new year",
        "国庆放几天假",
        "what should I wear on friday",
        "this is a good reminder to slow down",
        "今天好累啊不想吃饭",
        "remind me how a for loop works",
    ],
)
def test_talk_of_days_is_no_plan(said: str) -> None:
    """Greetings, weather, questions, bookings, reports, hypotheses and moods name days, but plan nothing."""
    assert dated(said) == []


def test_a_birthday_of_another_has_no_year() -> None:
    """It comes again every year, so it is no date and no task."""
    [draft] = drafts([("user", "我舅妈的生日是2月22日")])
    assert (draft.type, "（" in draft.content) == ("identity", False)
