"""The chat format: what strict providers take, and what they refuse."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from dialogue import answer, call, result, user
from zhiji import wire
from zhiji.types import JsonValue

SYSTEM: Mapping[str, JsonValue] = {"role": "system", "content": "x"}
USER: Mapping[str, JsonValue] = {"role": "user", "content": "x"}
ANSWER: Mapping[str, JsonValue] = {"role": "assistant", "content": "x"}
RESULT: Mapping[str, JsonValue] = {"role": "tool", "tool_call_id": "a", "content": "x"}


def calling(*ids: str) -> Mapping[str, JsonValue]:
    return {"role": "assistant", "content": None, "tool_calls": [{"id": one} for one in ids]}


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [USER],
        [SYSTEM],
        [SYSTEM, ANSWER, USER],
        [SYSTEM, SYSTEM, USER],
        [SYSTEM, USER, SYSTEM, USER],
        [SYSTEM, USER, USER],
        [SYSTEM, USER, ANSWER],
        [SYSTEM, USER, ANSWER, ANSWER, USER],
        [SYSTEM, USER, RESULT],
        [SYSTEM, USER, calling("a"), ANSWER, USER],
        [SYSTEM, USER, calling("a")],
        [SYSTEM, USER, calling("a", "b"), RESULT],
        [SYSTEM, USER, calling("a", "a"), RESULT],
        [SYSTEM, USER, calling("a"), RESULT, RESULT],
        [SYSTEM, USER, calling("b"), RESULT],
        [SYSTEM, USER, calling("a"), RESULT, USER],
        [SYSTEM, {"role": "user", "content": " \n"}],
        [SYSTEM, {"role": "user", "content": None}],
        [SYSTEM, USER, {"role": "assistant", "content": ""}, USER],
    ],
)  # fmt: skip
def test_validate_refuses(messages: list[Mapping[str, JsonValue]]) -> None:
    """What a strict provider would refuse is refused here."""
    with pytest.raises(AssertionError, match="invalid context"):
        wire.validate(messages)


def test_validate_accepts() -> None:
    """A whole conversation with tool traffic passes."""
    wire.validate([SYSTEM, USER, calling("a"), RESULT, calling("a"), RESULT, ANSWER, USER, calling("a"), RESULT])
    assert wire.FOLLOWS[""] == ("system",)


def test_render() -> None:
    """Each kind of message has its shape; a call without words has no content, and broken arguments are emptied."""
    assert wire.render(user("你好")) == {"role": "user", "content": "你好"}
    assert wire.render(answer("好")) == {"role": "assistant", "content": "好"}
    assert wire.render(result("a", "已签收")) == {"role": "tool", "tool_call_id": "a", "content": "已签收"}
    function = {"name": "find_order", "arguments": "{}"}
    expected = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "a", "type": "function", "function": function}],
    }
    for broken in ('{"order', "[1]", "", "[" * 9999):
        assert wire.render(call("a", arguments=broken)) == expected
