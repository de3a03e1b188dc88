"""Traditional characters have simplified counterparts, one for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhiji import hanzi


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("我係黑鬚船長，隻船叫血鯊號", "我系黑须船长，只船叫血鲨号"),
        ("訂單的雨傘骨架斷了", "订单的雨伞骨架断了"),
        ("用户住在杭州", "用户住在杭州"),
        ("Ｔｈｅ user 🍜", "Ｔｈｅ user 🍜"),
        ("著名的覆盆子", "著名的覆盆子"),
    ],
)
def test_what_becomes_simplified(written: str, expected: str) -> None:
    """Traditional characters are simplified; everything else, other scripts and widths included, stays as written."""
    assert hanzi.simplified(written) == expected


@given(st.text(max_size=200))
def test_offsets_stay_the_same(text: str) -> None:
    """A simplified text is as long as before, and nothing is left to simplify in it."""
    once = hanzi.simplified(text)
    assert len(once) == len(text)
    assert hanzi.simplified(once) == once


def test_the_tables_pair_up() -> None:
    """Each traditional character has one counterpart, which is not traditional itself."""
    assert len(hanzi.TRADITIONAL) == len(hanzi.SIMPLIFIED) == len(set(hanzi.TRADITIONAL))
    assert not set(hanzi.TRADITIONAL) & set(hanzi.SIMPLIFIED)
