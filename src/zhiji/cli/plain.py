"""Values as JSON: dataclasses become objects, times ISO 8601 in UTC, enums their values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from enum import Enum

from zhiji.types import JsonValue, Usage


def plain(value: object) -> JsonValue:
    """Return ``value`` as JSON can hold it."""
    if isinstance(value, Enum):
        return plain(value.value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)} | _derived(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _derived(value: object) -> dict[str, JsonValue]:
    if not isinstance(value, Usage):
        return {}
    return {"total": value.total, "ratio": value.ratio}
