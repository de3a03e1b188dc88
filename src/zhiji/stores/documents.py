"""Values that are stored as JSON text, and back. Each document carries its version ``v``; only this version is read.

``schema`` refuses files of a newer zhiji before a document is seen, so an unknown ``v`` means damage.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from zhiji.errors import StoreCorrupt
from zhiji.types import Conclusion, Extraction, JsonValue, Recipe, State, ToolCall

VERSION = 1


def state_text(state: State) -> str:
    """Return the document of a state; its version is a column of its own."""
    conclusions = [[entry.tool, entry.text, entry.seq] for entry in state.conclusions]
    return _dump(intent=state.intent, slots=dict(state.slots), conclusions=conclusions)


def read_state(text: str, version: int) -> State:
    """Return the state of a document."""
    found = _load(text)
    conclusions = tuple(Conclusion(tool=tool, text=said, seq=seq) for tool, said, seq in found["conclusions"])
    return State(version=version, intent=found["intent"], slots=found["slots"], conclusions=conclusions)


def calls_text(calls: Sequence[ToolCall]) -> str | None:
    """Return the document of tool calls, or None if there are none."""
    return _dump(calls=[[call.id, call.name, call.arguments] for call in calls]) if calls else None


def read_calls(text: str | None) -> tuple[ToolCall, ...]:
    """Return the tool calls of a document."""
    if text is None:
        return ()
    return tuple(ToolCall(id=id, name=name, arguments=arguments) for id, name, arguments in _load(text)["calls"])


def recipe_text(recipe: Recipe) -> str:
    """Return the document of a recipe."""
    return _dump(**_fields(recipe) | {"cut": list(recipe.cut.items())})


def read_recipe(text: str) -> Recipe:
    """Return the recipe of a document."""
    found = _load(text)
    tuples = {name: tuple(found[name]) for name in ("profile", "notes", "tools")}
    tuples["asked"] = tuple(found.get("asked", ()))  # there since active memory
    recalled = tuple((id, score, via) for id, score, via in found["recalled"])
    return Recipe(**found | tuples | {"recalled": recalled, "cut": dict(found["cut"])})


def reply_text(reply: Mapping[str, JsonValue]) -> str:
    """Return the document of a reply."""
    return _dump(reply=dict(reply))


def read_reply(text: str) -> dict[str, JsonValue]:
    """Return the reply of a document."""
    reply: dict[str, JsonValue] = _load(text)["reply"]
    return reply


def outcome_text(outcome: Extraction) -> str:
    """Return the document of an extraction's outcome; its time is a column of its own."""
    return _dump(**{name: value for name, value in _fields(outcome).items() if name != "time"})


def read_outcome(text: str, time: datetime) -> Extraction:
    """Return the outcome of a document."""
    found = _load(text)
    return Extraction(**found | {"reasons": tuple(found["reasons"]), "time": time})


def _fields(value: Recipe | Extraction) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def _dump(**fields: object) -> str:
    return json.dumps({"v": VERSION} | fields, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _load(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    if found.pop("v") != VERSION:
        raise StoreCorrupt
    return found
