"""Form slots: patched field by field, refused when they do not fit, readable for ever."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from zhiji import forms
from zhiji.errors import InvalidState
from zhiji.types import Conclusion, JsonValue, State

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


class Form(BaseModel):
    order_id: str
    count: int = 1


class Grown(BaseModel):
    phone: str = ""
    count: int = 1


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    phone: str = ""


def test_only_named_fields_change() -> None:
    """A patch changes what it names; other slots, the intent, conclusions and version stay."""
    old = State(
        version=3,
        intent="return",
        slots={"order_id": "OD1", "phone": "138"},
        conclusions=(Conclusion(tool="t", text="x"),),
    )
    new = forms.patch(old, {"slots": {"phone": None, "address": "文三路"}, "slots.item": "跑鞋"})
    assert new == State(
        version=3,
        intent="return",
        slots={"order_id": "OD1", "address": "文三路", "item": "跑鞋"},
        conclusions=old.conclusions,
    )
    assert old.slots == {"order_id": "OD1", "phone": "138"}


def test_later_patches_win_and_stay() -> None:
    """What an inner step writes is still there after the outer one (no write is lost)."""
    outer = forms.patch(State(), {"slots.answer": "a", "slots.items": []})
    inner = forms.patch(outer, {"slots.answer": "b", "slots.items": ["x"]})
    assert forms.patch(inner, {"slots.done": True}).slots == {"answer": "b", "items": ["x"], "done": True}


def test_a_bare_name_is_a_slot_and_none_removes() -> None:
    """``{"address": …}`` sets a slot; None removes one, the intent, or all of them."""
    state = forms.patch(State(), {"intent": "return", "address": "文三路", "phone": "138"})
    assert (state.intent, state.slots) == ("return", {"address": "文三路", "phone": "138"})
    assert forms.patch(state, {"intent": None, "address": None, "slots.unknown": None}).slots == {"phone": "138"}
    assert forms.patch(state, {"slots": None}).slots == {}


def test_temporary_keys_are_never_kept() -> None:
    """``temp:`` keys leave no trace, at the top, among the slots or inside a value."""
    changes: dict[str, JsonValue] = {
        "temp:otp": "123456",
        "lang": "zh",
        "slots": {"temp:x": 1, "a": {"temp:otp": "9", "b": [{"temp:c": 1}]}},
    }
    assert forms.patch(State(), changes).slots == {"lang": "zh", "a": {"b": [{}]}}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"slots": {"count": float("nan")}}, "count"),
        ({"slots.count": 10**400}, "count"),
        ({"slots": {"count": float("inf")}}, "count"),
        ({"when": object()}, "when"),
        ({"slots": {"a": {"b": [object()]}}}, "a.b[0]"),
        ({"slots": {"a": {1: "x"}}}, "a"),
        ({"slots": "x"}, "slots"),
        ({"intent": 3}, "intent"),
        ({"intent": " "}, "intent"),
        ({"slots": {"": "x"}}, ""),
        ({"slots.a.b": "x"}, "a.b"),
        ({"conclusions": []}, "conclusions"),
        ({"version": 9}, "version"),
        ({"slots": {"notes": "长" * 30_000}}, "slots"),
    ],
)
def test_what_json_cannot_hold_is_refused_by_field(changes: dict[str, JsonValue], field: str) -> None:
    """A wrong value is refused with the name of its field, and without its content."""
    with pytest.raises(InvalidState) as refused:
        forms.patch(State(slots={"kept": 1}), changes)
    assert str(refused.value.details["field"]).removeprefix("slots.") == field
    assert "长" not in str(refused.value)


def test_deep_values_are_refused() -> None:
    """Nesting is bounded, so that a stored state can always be read."""
    value: JsonValue = "x"
    for _ in range(1000):
        value = [value]
    with pytest.raises(InvalidState):
        forms.patch(State(), {"slots.deep": value})


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"slots.count": "many"}, "count"),
        ({"slots.count": "5"}, "count"),
        ({"slots.colour": "red"}, "colour"),
        ({"order_id": 7}, "order_id"),
    ],
)
def test_a_schema_is_checked_at_the_write(changes: dict[str, JsonValue], field: str) -> None:
    """With the host's schema a wrong or unknown field is refused by name."""
    with pytest.raises(InvalidState) as refused:
        forms.patch(State(), changes, schema=Form)
    assert refused.value.details["field"] == field


def test_a_half_filled_form_is_fine() -> None:
    """A required field may still be missing."""
    assert forms.patch(State(), {"slots.count": 2}, schema=Form).slots == {"count": 2}


def test_an_open_schema_takes_other_fields() -> None:
    """A schema with ``extra="allow"`` keeps fields that it does not name, at the write and when read."""
    state = forms.patch(State(), {"colour": "red"}, schema=Open)
    assert forms.load_state(state, schema=Open).slots == {"colour": "red", "phone": ""}


def test_a_stored_state_is_read_under_a_new_schema() -> None:
    """Missing fields get their defaults, unknown ones and those that no longer fit are left out; reading never fails."""
    stored = State(intent="return", slots={"order_id": "OD1", "count": "many"})
    assert forms.load_state(stored, schema=Grown) == State(intent="return", slots={"phone": "", "count": 1})
    assert forms.load_state(stored, schema=None) is stored


def test_fitting_slots_are_judged_one_by_one() -> None:
    """One slot that the schema refuses does not keep the others out."""
    assert forms.fitting({"order_id": "OD1", "count": "x", "phone": "138"}, Form) == {"order_id": "OD1"}
    assert forms.fitting({"phone": "138"}, None) == {"phone": "138"}


@given(st.dictionaries(st.text(max_size=10), JSON, max_size=5))
def test_what_was_accepted_can_be_stored(changes: dict[str, JsonValue]) -> None:
    """Any patch is refused whole, or gives a state that comes back from strict UTF-8 JSON as it was."""
    try:
        slots = forms.patch(State(), changes).slots
    except InvalidState:
        return
    assert json.loads(json.dumps(slots, ensure_ascii=False, allow_nan=False).encode()) == slots
    assert "temp:" not in "".join(slots)
