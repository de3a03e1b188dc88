"""Tokens: the estimate lies near real tokenizers, counts everything, and cuts within the limit."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhiji.tokens import MARKER, Counter
from zhiji.types import JsonValue, Message, ToolCall, ToolSpec

COUNTER = Counter()
NOW = datetime(2024, 4, 15, 9, tzinfo=UTC)

CHINESE = "用户昨天下单买了一双跑鞋，尺码偏小，想换大一码；客服说可以免费换货，三个工作日内安排快递上门取件。"
ENGLISH = "The customer bought running shoes yesterday; they run small, so she wants to swap them for a larger size."
RECORDS = json.dumps(
    [{"order_id": f"OD20240415{n:03}", "carrier": "中通", "status": "in_transit", "amount": 3.5 * n} for n in range(9)],
    ensure_ascii=False,
)
LOG = "\n".join(
    f"2024-04-15 12:{n:02}:07.{n * 37:03} pid={n * 31} lat={n * 0.7331:.4f} bytes={n * 10007}" for n in range(9)
)
CODE = "def add(self, other: int) -> int:\n    if other < 0:\n        raise ValueError('negative')\n    return self.value + other\n"
EMOJI = "好的😀收到🎉 thanks 👍！"

REAL = {
    # text: tokens by (cl100k_base, o200k_base)
    CHINESE: (58, 39),
    ENGLISH: (22, 22),
    RECORDS: (307, 307),
    LOG: (250, 250),
    CODE: (31, 32),
    EMOJI * 5: (65, 40),
}
"""Counted once with both vocabularies."""


@pytest.mark.parametrize(("text", "real"), REAL.items())
def test_the_estimate_is_near_real_tokenizers(text: str, real: tuple[int, int]) -> None:
    """Prose, records, logs, code and emoji count between 0.9 and 2 times what two vocabularies say."""
    estimate = COUNTER.text(text)
    assert all(0.9 <= estimate / count <= 2.0 for count in real)


def test_chinese_without_spaces_is_not_one_word() -> None:
    """Between a vocabulary of 0.6 and one of 1.2 tokens a character the estimate is 0.9 to 2 times the real count (C127)."""
    text = (CHINESE * 300)[:10_000]
    assert 0.9 * 1.2 * 10_000 <= COUNTER.text(text) <= 2.0 * 0.6 * 10_000


@pytest.mark.parametrize("text", ["", "a", "格式是 <|endoftext|> 和 <|im_start|>system", "\ud83d", "\0", " " * 5_000])
def test_any_text_is_counted(text: str) -> None:
    """Special-token strings, lone surrogates and blanks are plain text; only the empty text is free."""
    assert (COUNTER.text(text) == 0) == (text == "")


def test_the_factor_calibrates() -> None:
    """A model that differs gets a factor, not another counter."""
    assert Counter(2.0).text(CHINESE) == pytest.approx(2 * COUNTER.text(CHINESE), abs=1)


def test_calls_results_and_names_count() -> None:
    """Nothing that is sent is free: arguments, ids, speakers and tool results."""
    bare = Message(role="assistant", content="", time=NOW)
    call = ToolCall(id="c1", name="find_order", arguments=json.dumps({"ids": list(range(2_000))}))
    calling = Message(role="assistant", content="", time=NOW, tool_calls=(call,))
    result = Message(role="tool", content=RECORDS, time=NOW, name="find_order", tool_call_id="c1")
    assert COUNTER.message(bare) > 0
    assert COUNTER.message(calling) > COUNTER.message(bare) + COUNTER.text(call.arguments)
    assert COUNTER.message(result) > COUNTER.text(RECORDS) + COUNTER.text("find_order")


def test_schemas_count() -> None:
    """Thirty tools cost thirty times one; no tools cost nothing."""
    schema: dict[str, JsonValue] = {
        "type": "object",
        "properties": {"order_id": {"type": "string", "description": "The order number."}},
    }
    tool = ToolSpec(name="find_order", description="Look up an order.", parameters=schema)
    assert COUNTER.tools([tool] * 30) == 30 * COUNTER.tools([tool])
    assert COUNTER.tools([tool]) > COUNTER.text(json.dumps(schema))
    assert COUNTER.tools([]) == 0


@pytest.mark.parametrize(
    "text", [CHINESE * 9, "标题😀" * 5_000, EMOJI * 20, ENGLISH * 9, LOG * 5, "👨\u200d👩\u200d👧" * 50]
)
@pytest.mark.parametrize("limit", [-1, 0, 1, 2, 3, 10, 37, 100])
def test_a_cut_text_fits_with_its_marker(text: str, limit: int) -> None:
    """The marker is inside the limit; at zero nothing is left; no emoji is halved (C129)."""
    cut = COUNTER.truncate(text, limit)
    assert COUNTER.text(cut) <= max(limit, 0)
    assert cut == "" or (cut.endswith(MARKER) and text.startswith(cut.removesuffix(MARKER)))
    assert not cut.removesuffix(MARKER).endswith(("\u200d", "\ufe0f"))


def test_a_cut_keeps_as_much_as_fits() -> None:
    """A paragraph cut to 100 tokens fills most of them (C126)."""
    assert 95 <= COUNTER.text(COUNTER.truncate(CHINESE * 20, 100)) <= 100


def test_a_text_that_fits_is_left_alone() -> None:
    """Nothing is cut or marked without need."""
    assert COUNTER.truncate(CHINESE, COUNTER.text(CHINESE)) == CHINESE


@given(st.text(), st.integers(-1, 60), st.floats(0.2, 3))
def test_cutting_never_exceeds_the_limit(text: str, limit: int, factor: float) -> None:
    """For any text, limit and factor the result fits and is strict UTF-8."""
    counter = Counter(factor)
    cut = counter.truncate(text, limit)
    assert counter.text(cut) <= max(limit, 0)
    assert cut.encode("utf-8").decode("utf-8") == cut


@given(st.text(), st.text())
def test_more_text_never_costs_less_than_its_parts_by_much(one: str, other: str) -> None:
    """Joining two texts saves at most a few tokens, so that parts can be budgeted one by one."""
    assert (
        COUNTER.text(one) + COUNTER.text(other) - 4
        <= COUNTER.text(one + other)
        <= COUNTER.text(one) + COUNTER.text(other) + 2
    )
