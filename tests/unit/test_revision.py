"""Rows over time: how confidence grows, what sources are kept, what a correction keeps, when a row expires."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhiji.revision import MAX_SEQS, MAX_SOURCES, corrected, reinforced, united, value_like
from zhiji.types import Draft, Memory, Status, Trust

NOW = datetime(2025, 6, 1, 9, tzinfo=UTC)
NAME = Memory(id="mem_1", type="identity", content="用户叫李四", key="identity:name", value="李四", confidence=0.8,
              valid_from=NOW, created_at=NOW, updated_at=NOW, revision=3)  # fmt: skip
SAID = Draft(type="identity", content="用户叫李四", key="identity:name", value="李四", seqs=(1,))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_united_confidence(confidences: list[float]) -> None:
    """It stays in [0, 1], is never below the surest voice, and does not depend on the order."""
    whole = united(*confidences)
    assert 0 <= whole <= 1
    assert whole >= max(confidences) - 1e-12
    assert whole == united(*reversed(confidences))


def test_united_confidence_is_one_minus_the_product_of_doubts() -> None:
    """Two voices of 0.6 and 0.5 leave a doubt of 0.2."""
    assert united(0.6, 0.5) == pytest.approx(0.8)
    assert united(0.6) == pytest.approx(0.6)


def test_sources_are_united_and_bounded() -> None:
    """One source per session, the latest sessions and messages kept, so that a row cannot grow without end."""
    row = NAME
    for number in range(MAX_SOURCES + 3):
        seqs = tuple(range(1, MAX_SEQS + 5))
        (row,) = reinforced(replace(SAID, seqs=seqs), [row], f"ses_{number}", NOW, admit=True, retention=True)
    (row,) = reinforced(replace(SAID, seqs=(99,)), [row], "ses_5", NOW, admit=True, retention=True)
    assert len(row.sources) == MAX_SOURCES
    assert row.sources[-1].session == "ses_5"
    assert row.sources[-1].seqs[-1] == 99
    assert all(len(source.seqs) <= MAX_SEQS for source in row.sources)


def test_a_change_keeps_what_the_store_needs() -> None:
    """Identity, creation time and revision of a row survive, so that compare-and-set can refuse a stale write."""
    (row,) = reinforced(SAID, [NAME], "ses_1", NOW + timedelta(days=1), admit=True, retention=True)
    assert (row.id, row.revision, row.created_at, row.key, row.type) == ("mem_1", 3, NOW, "identity:name", "identity")


def test_a_correction_is_an_operators_row() -> None:
    """Same key and type, the value found in the new words, full confidence, linked to what it corrects."""
    wanted = Draft(type="identity", content="用户叫李思", trust=Trust.OPERATOR, seqs=(), lang="zh")
    row = corrected(NAME, wanted, now=NOW, new_id="mem_2", reason="")
    assert (row.key, row.value, row.content, row.trust, row.status) == (
        "identity:name", "李思", "用户叫李思", Trust.OPERATOR, Status.ACTIVE,
    )  # fmt: skip
    assert (row.confidence, row.links, row.reason, row.revision) == (1.0, ("mem_1",), "corrected", 0)


@pytest.mark.parametrize(
    ("content", "value"),
    [("用户叫王五", "王五"), ("用户叫", None), ("这位是王五", None), ("用户叫李四", "李四")],
)
def test_the_value_is_where_it_was(content: str, value: str | None) -> None:
    """The same wording around another value gives that value; another wording gives none rather than a wrong one."""
    assert value_like(NAME, content) == value
