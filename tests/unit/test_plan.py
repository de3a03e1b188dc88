"""Plans: every part is counted once, and a shortened result is whole text."""

from __future__ import annotations

import pytest

from dialogue import COUNTER, answer, call, plan, result, stored, user
from zhiji.plan import shortened
from zhiji.types import Turn


def test_parts_add_up() -> None:
    """Total is the sum of the parts, and each part holds what it says."""
    past = stored(user("查"), call("a", content="稍等"), result("a", "已签收"), answer("好"))
    one = plan(
        profile=[5],
        recalled=[7],
        notes=[3],
        past=[Turn(number=1, messages=tuple(past))],
        summary_tokens=20,
        results=["x"],
    )
    usage = one.usage()
    assert usage.total == one.total
    assert (usage.system, usage.memory, usage.summary, usage.input) == (50, 32, 20, one.current[0].tokens)
    said = past[0].tokens + past[3].tokens + COUNTER.text("稍等")
    assert usage.history == said
    assert usage.tool == 50 + 3 + sum(message.tokens for message in (*past, *one.current[1:])) - said


def test_notes_without_memories_pay_for_their_block() -> None:
    """State notes alone carry the frame of the background block."""
    assert plan(notes=[3]).usage().tool == 50 + 3 + 10
    assert plan(notes=[3], recalled=[1]).usage().tool == 50 + 3


@pytest.mark.parametrize("chars", range(10, 41))
async def test_a_cut_never_splits_an_emoji(chars: int) -> None:
    """A result cut anywhere is valid UTF-8 and ends in whole characters."""
    (message,) = stored(result("a", "标题👩‍👧😀❤️" * 5000))
    cut = shortened(message, chars, COUNTER).content
    assert cut.encode("utf-8").decode("utf-8") == cut
    assert not cut.removesuffix("…").endswith(("\u200d", "❤", "👩"))
    assert COUNTER.text(cut) <= chars
