"""The form slots of a session's state: patched field by field, checked before they are stored, fitted when they are read.

Without a schema any JSON value is a slot. With the host's schema (a pydantic model class) a wrong or unknown value is
refused at the write, and a half-filled form is fine: a required field may still be missing. When a stored state is read
under a changed schema, missing fields get their defaults, and a field that the schema no longer knows, or whose stored
value no longer fits, is left out (unknown fields are kept if the schema says ``extra="allow"``). Reading never fails.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ValidationError

from zhiji import masking, text
from zhiji.errors import InvalidState
from zhiji.types import JsonValue, State

MAX_STATE_BYTES = 65_536
"""Largest form, as UTF-8 JSON."""
MAX_DEPTH = 16
"""Deepest nesting of a slot's value."""
MAX_NAME_CHARS = 64
INT64 = range(-(2**63), 2**63)
TEMPORARY = "temp:"
"""Names with this prefix are for the moment only: never stored, not even inside a value."""
SLOTS = "slots"
FIXED = frozenset({"conclusions", "version"})
"""Fields that follow from turns and writes; no patch sets them."""


def patch(state: State, changes: Mapping[str, JsonValue], *, schema: type[BaseModel] | None = None) -> State:
    """Return the state with the named fields changed and every other field as it was.

    ``changes``: ``intent``, ``slots`` (merged name by name), ``slots.<name>``; any other name is a slot. None removes.

    Raises:
        InvalidState: a value does not fit; ``details["field"]`` and the message name the field.
    """
    intent, slots = state.intent, dict(state.slots)
    for name, value in _fields(changes, slots):
        if name == "intent":
            intent = _intent(value)
        elif value is None:
            slots.pop(name.removeprefix("slots."), None)
        else:
            slots |= _redacted(_slot_name(name.removeprefix("slots.")), json_value(name, value))
    _check_size(slots)
    if schema is not None:
        _check_schema(slots, schema)
    return replace(state, intent=intent, slots=slots)


def load_state(state: State, *, schema: type[BaseModel] | None = None) -> State:
    """Return the state as the schema of today reads it: defaults filled in, what no longer fits left out."""
    if schema is None:
        return state
    known = {name: value for name, value in state.slots.items() if _knows(schema, name)}
    wrong = {error[0] for error in _errors(known, schema, strict=False)}
    kept = {name: value for name, value in known.items() if name not in wrong}
    filled = schema.model_construct(None, **kept).model_dump(mode="json", exclude_none=True, warnings=False)
    return replace(state, slots=filled)


def fitting(slots: Mapping[str, JsonValue], schema: type[BaseModel] | None) -> dict[str, JsonValue]:
    """Return those slots that the schema accepts, each taken by itself; all of them without a schema."""
    if schema is None:
        return dict(slots)
    return {name: value for name, value in slots.items() if not _problem({name: value}, schema)}


def _fields(changes: Mapping[str, JsonValue], slots: Mapping[str, JsonValue]) -> Iterator[tuple[str, JsonValue]]:
    for name, value in _object("changes", changes).items():
        if name in FIXED:
            raise _invalid(name, "cannot be patched; patch intent or slots")
        if name.removeprefix("slots.").startswith(TEMPORARY):
            continue
        if name != SLOTS:
            yield name, value
            continue
        inner = dict.fromkeys(slots) if value is None else _object(SLOTS, value)
        yield from ((f"slots.{key}", item) for key, item in inner.items() if not key.startswith(TEMPORARY))


def _object(name: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise _invalid(name, "must be an object of names and values")
    return value


def _intent(value: JsonValue) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_NAME_CHARS:
        raise _invalid("intent", f"must be a word of at most {MAX_NAME_CHARS} characters, or null")
    return masking.redact_secrets(text.clean(value))


def _redacted(name: str, value: JsonValue) -> dict[str, JsonValue]:
    """Return the slot without secrets: nobody may keep them, forms included. Its name is their label."""
    redacted = masking.redact_value({name: value})
    assert isinstance(redacted, dict)
    return redacted


def _slot_name(name: str) -> str:
    if not 0 < len(name) <= MAX_NAME_CHARS or not name.isprintable() or "." in name:
        raise _invalid(name, f"must be 1 to {MAX_NAME_CHARS} visible characters without a dot")
    return name


def json_value(name: str, value: object, depth: int = 0) -> JsonValue:
    """Return a copy that JSON holds without loss, temporary keys left out.

    Raises:
        InvalidState: it has none; the message names the place.
    """
    if depth > MAX_DEPTH:
        raise _invalid(name, f"is nested more than {MAX_DEPTH} levels deep")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return text.clean(value)
    if isinstance(value, int):
        if value not in INT64:
            raise _invalid(name, "must fit 64 bits")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _invalid(name, "must be a finite number")
        return float(value)
    if isinstance(value, list | tuple):
        return [json_value(f"{name}[{index}]", item, depth + 1) for index, item in enumerate(value)]
    if isinstance(value, Mapping):
        return _checked_object(name, value, depth)
    raise _invalid(name, f"must be a JSON value, not {type(value).__name__}")


def _checked_object(name: str, value: Mapping[object, object], depth: int) -> JsonValue:
    checked: dict[str, JsonValue] = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise _invalid(name, "must have text keys only")
        if not key.startswith(TEMPORARY):
            checked[text.clean(key)] = json_value(f"{name}.{key}", item, depth + 1)
    return checked


def _check_size(slots: Mapping[str, JsonValue]) -> None:
    size = len(json.dumps(slots, ensure_ascii=False).encode())
    if size > MAX_STATE_BYTES:
        raise InvalidState(
            f"slots: the form has {size} bytes, more than {MAX_STATE_BYTES}; keep long texts elsewhere", field=SLOTS
        )


def _check_schema(slots: Mapping[str, JsonValue], schema: type[BaseModel]) -> None:
    problem = _problem(slots, schema)
    if problem:
        raise _invalid(*problem)


def _problem(slots: Mapping[str, JsonValue], schema: type[BaseModel]) -> tuple[str, str] | None:
    """Return the first field that does not fit, and why; a missing field is no problem."""
    unknown = next((name for name in slots if not _knows(schema, name)), None)
    if unknown is not None:
        return unknown, "is not a field of the form"
    return next(iter(_errors(slots, schema, strict=True)), None)


def _knows(schema: type[BaseModel], name: str) -> bool:
    return name in schema.model_fields or (schema.model_config.get("extra") == "allow" and name[0] != "_")


def _errors(slots: Mapping[str, JsonValue], schema: type[BaseModel], *, strict: bool) -> list[tuple[str, str]]:
    try:
        schema.model_validate_json(json.dumps(slots), strict=strict)
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False)
        return [(str(one["loc"][0]) if one["loc"] else SLOTS, one["msg"]) for one in found if one["type"] != "missing"]
    return []


def _invalid(name: object, why: str) -> InvalidState:
    shown = text.truncate(str(name), MAX_NAME_CHARS)
    return InvalidState(f"{shown}: {why}; the state was not changed", field=shown)
