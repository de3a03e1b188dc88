"""What callers hand in, checked at the door: what does not fit is one clear ``InvalidInput`` that names the argument."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from zhiji import text
from zhiji.errors import InvalidInput

MAX_KEY_CHARS = 256
"""Longest idempotency key, in characters."""
MAX_COUNT = 2**31 - 1
YEARS = range(1000, 9000)
"""Years of times: retention and ages must stay within what a ``datetime`` can hold."""


def words(name: str, value: object) -> str:
    """Return a text; any, also an empty one."""
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be text, not {type(value).__name__}")
    return value


def name(what: str, value: object) -> str:
    """Return an id or a name: text that any store can compare as it stands, without NUL or lone surrogates."""
    given = words(what, value)
    if text.clean(given) != given:
        raise InvalidInput(f"{what} must be valid text, without NUL")
    return given


def key(what: str, value: object) -> str:
    """Return a caller's own key: visible text of at most ``MAX_KEY_CHARS``."""
    given = name(what, value)
    if not given.strip() or len(given) > MAX_KEY_CHARS:
        raise InvalidInput(f"{what} must have 1 to {MAX_KEY_CHARS} characters")
    return given


def count(name: str, value: object) -> int:
    """Return a whole number of 0 or more."""
    if not isinstance(value, int) or not 0 <= value <= MAX_COUNT:
        raise InvalidInput(f"{name} must be a whole number from 0 to {MAX_COUNT}")
    return value


def number(name: str, value: object, low: float, high: float) -> float:
    """Return a number between ``low`` and ``high``, both included."""
    if not isinstance(value, int | float) or not low <= value <= high:
        raise InvalidInput(f"{name} must be {low:g} to {high:g}")
    return value


def names(what: str, value: object) -> list[str]:
    """Return a list of names; a single text is not one, it would be read letter by letter."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidInput(f"{what} must be a list of names")
    return [name(f"each of {what}", one) for one in value]


def messages(value: object) -> Sequence[Any]:
    """Return a list, of whatever."""
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise InvalidInput("messages must be a list of messages")
    return value


def moment(name: str, value: object) -> datetime:
    """Return an aware UTC time; a naive one is UTC."""
    if not isinstance(value, datetime):
        raise InvalidInput(f"{name} must be a datetime, not {type(value).__name__}")
    if value.year not in YEARS:
        raise InvalidInput(f"{name} must be a time in the years {YEARS.start} to {YEARS.stop - 1}")
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
