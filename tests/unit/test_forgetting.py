"""When a memory is forgotten, and how: a pure rule of its type, where it stands, its importance and its use."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhiji import forgetting, policies
from zhiji.forgetting import MOST_STABLE, Fate, expiry, expiry_if_used, fate, stability
from zhiji.types import Memory, Status

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
DAY = timedelta(days=1)
ARCHIVE = 90 * DAY
ROW = Memory(id="mem_1", type="identity", content="用户叫李四", valid_from=NOW, created_at=NOW, updated_at=NOW)
KEPT_BY_USE = [name for name, policy in policies.TYPES.items() if policy.by_use]
FROM_THE_WORDS = [name for name, policy in policies.TYPES.items() if not policy.by_use]


def days_of(type: str, importance: int) -> float:
    """Return the days that a memory of this type and importance is kept without use."""
    days = policies.policy(type).retention_days
    assert days is not None
    return min(days, 30) if importance <= 2 else days


# --- how long ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("type", KEPT_BY_USE)
@pytest.mark.parametrize("importance", [1, 2, 3, 5])
def test_expiry_by_policy(type: str, importance: int) -> None:
    """Days of the type's policy since it was last said or recalled; at most 30 for low importance."""
    row = replace(ROW, type=type, importance=importance, last_recalled_at=NOW + 2 * DAY, recalls=1)
    days = days_of(type, importance)
    assert expiry(row) == NOW + timedelta(days=2 + days)
    assert expiry(replace(row, last_recalled_at=None)) == NOW + timedelta(days=days)
    assert expiry(row, retention=False) is None


@pytest.mark.parametrize("type", FROM_THE_WORDS)
def test_recalls_do_not_prolong_what_was_said_word_by_word(type: str) -> None:
    """Episodes and summaries are kept 30 days from when they were said, however often they are recalled."""
    row = replace(ROW, type=type, last_recalled_at=NOW + 20 * DAY, recalls=9)
    assert expiry(row) == NOW + 30 * DAY == expiry_if_used(replace(row, expires_at=expiry(row)), NOW + 29 * DAY)


@given(fewer=st.integers(0, 10_000), more=st.integers(0, 10_000))
def test_the_curve_is_monotone_and_bounded(fewer: int, more: int) -> None:
    """More recalls never make a memory fade sooner; none makes it fade later than twice the policy's days."""
    fewer, more = sorted((fewer, more))
    assert 1.0 <= stability(fewer) <= stability(more) <= MOST_STABLE
    assert stability(0) == stability(1) == 1.0


@given(
    type=st.sampled_from(list(policies.TYPES)),
    importance=st.integers(1, 5),
    recalls=st.integers(0, 100),
    said=st.integers(0, 400),
    recalled=st.none() | st.integers(0, 400),
    used=st.integers(0, 800),
)
def test_using_a_memory_never_shortens_its_life(
    type: str, importance: int, recalls: int, said: int, recalled: int | None, used: int
) -> None:
    """Whatever its history: after one more use its deadline is no earlier, and at least its policy's days away if kept by use."""
    row = replace(
        ROW,
        type=type,
        importance=importance,
        recalls=recalls,
        updated_at=NOW + said * DAY,
        last_recalled_at=None if recalled is None else NOW + recalled * DAY,
    )
    row = replace(row, expires_at=expiry(row))
    until = expiry_if_used(row, NOW + used * DAY)
    assert row.expires_at is not None
    assert until is not None
    assert until >= row.expires_at
    assert not policies.policy(type).by_use or until >= NOW + timedelta(days=used + days_of(type, importance))


def test_one_recall_puts_a_year_off_by_a_year() -> None:
    """A name recalled on the hundredth day is kept 365 days from then; often recalled, at most twice as long."""
    once = expiry_if_used(ROW, NOW + 100 * DAY)
    assert once == NOW + 465 * DAY
    assert expiry_if_used(replace(ROW, recalls=1000), NOW + 100 * DAY) == NOW + (100 + 2 * 365) * DAY


@pytest.mark.parametrize(
    ("reason", "days"),
    [(forgetting.LOW_CONFIDENCE, 30), (forgetting.LOWER_TRUST, 90), ("instruction-like content", 180)],
)
def test_what_waits_has_terms_of_its_own(reason: str, days: int) -> None:
    """What waits to be said again waits a month, what only an operator can decide half a year, whatever its type says."""
    waiting = replace(ROW, status=Status.QUARANTINED, reason=reason)
    assert expiry(waiting) == NOW + days * DAY


def test_history_is_kept_by_type() -> None:
    """A superseded row is kept for the history of its type from the day it gave way, recalled or not."""
    over = replace(ROW, status=Status.SUPERSEDED, last_recalled_at=NOW + 50 * DAY)
    assert expiry(over) == NOW + 365 * DAY
    assert expiry(replace(over, type="order")) == NOW + 180 * DAY


# --- what becomes of it -----------------------------------------------------------------------------------------------


def test_an_unused_memory_fades_then_goes() -> None:
    """At its very deadline an active memory is archived, with a deadline of its own; at that one it is deleted."""
    assert fate(ROW, now=NOW + 364 * DAY, archive=ARCHIVE) == Fate("keep", NOW + 365 * DAY)
    due = NOW + 365 * DAY
    assert fate(ROW, now=due, archive=ARCHIVE) == Fate("archive", due + ARCHIVE, "faded")
    archived = replace(ROW, status=Status.ARCHIVED, expires_at=due + ARCHIVE)
    assert fate(archived, now=due + ARCHIVE - DAY, archive=ARCHIVE).action == "keep"
    assert fate(archived, now=due + ARCHIVE, archive=ARCHIVE).action == "delete"


def test_without_an_archive_it_goes_at_once() -> None:
    """With no days for the archive, and for types that have none, what has expired is deleted."""
    assert fate(ROW, now=NOW + 365 * DAY, archive=timedelta(0)).action == "delete"
    said = replace(ROW, type="episode")
    assert fate(said, now=NOW + 30 * DAY, archive=ARCHIVE).action == "delete"


def test_a_lengthened_policy_holds_for_old_rows() -> None:
    """A stored deadline is only when to look again: what the policy of today keeps is kept, with the new deadline."""
    old = replace(ROW, expires_at=NOW + DAY)
    assert fate(old, now=NOW + 2 * DAY, archive=ARCHIVE) == Fate("keep", NOW + 365 * DAY)


@given(
    type=st.sampled_from(list(policies.TYPES)),
    status=st.sampled_from(list(Status)),
    importance=st.integers(1, 5),
    recalls=st.integers(0, 50),
    reason=st.sampled_from(["", forgetting.LOW_CONFIDENCE, forgetting.LOWER_TRUST]),
    days=st.integers(0, 2000),
)
def test_every_row_comes_to_an_end(
    type: str, status: Status, importance: int, recalls: int, reason: str, days: int
) -> None:
    """Looked at again at each deadline, a row nobody uses is gone after two looks at most, never before its deadline."""
    row = replace(ROW, type=type, status=status, importance=importance, recalls=recalls, reason=reason)
    row = replace(row, expires_at=NOW + days * DAY if status is Status.ARCHIVED else expiry(row))
    looks = 0
    while row.expires_at is not None:
        assert fate(row, now=row.expires_at - timedelta(microseconds=1), archive=ARCHIVE).action == "keep"
        found = fate(row, now=row.expires_at, archive=ARCHIVE)
        assert found.action != "keep"
        assert found.reason
        row = replace(row, status=Status.ARCHIVED, expires_at=found.until)
        looks += 1
    assert 1 <= looks <= 2


def test_what_is_always_shown_is_used_once_a_day() -> None:
    """Nothing is counted on the day on which it was said or recalled; a day later it is."""
    assert not forgetting.is_new_use(ROW, NOW + DAY - timedelta(seconds=1))
    assert forgetting.is_new_use(ROW, NOW + DAY)
    recalled = replace(ROW, last_recalled_at=NOW + DAY)
    assert not forgetting.is_new_use(recalled, NOW + 1.5 * DAY)
    assert forgetting.is_new_use(recalled, NOW + 2 * DAY)
