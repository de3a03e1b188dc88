"""Tool results made short: what was asked for stays, bulk goes. Pure.

JSON keeps its keys, identifiers and short scalars, and loses long texts, long lists and depth; text keeps its head and
its tail. What was left out is always counted in the result, so that a model never takes a part for the whole.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from zhiji.text import truncate
from zhiji.tokens import Counter
from zhiji.types import JsonValue

ID_CHARS = 64
"""Longest string without white space that counts as an identifier and is never cut."""


@dataclass(frozen=True, slots=True)
class _Level:
    chars: int
    items: int
    depth: int


_LEVELS = (_Level(240, 20, 8), _Level(120, 8, 6), _Level(64, 4, 4), _Level(32, 2, 3), _Level(24, 1, 2))
"""Tried in turn until the result fits."""

_KEYS_PER_ITEM = 4
"""Objects may keep four times as many members as lists keep items: their keys are the structure."""

CHARS_PER_TOKEN = 16
"""A text longer than this is too long whatever it says, so that megabytes are never counted."""

_HEAD_SHARE = 2 / 3
"""Share of a text's room that its head gets; the tail gets the rest."""


def dumps(value: JsonValue) -> str:
    """Return a text as it is, anything else as compact JSON that keeps the script."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def condense(text: str, max_tokens: int, counter: Counter) -> str:
    """Return ``text`` if it fits, else a version of at most ``max_tokens`` tokens that keeps its structure."""
    if len(text) <= max_tokens * CHARS_PER_TOKEN and counter.text(text) <= max_tokens:
        return text
    parsed = _parse(text)
    if parsed is None:
        return _ends(text, max_tokens, counter)
    shrunk = text
    for level in _LEVELS:
        shrunk = dumps(_shrink(parsed, level, level.depth))
        if counter.text(shrunk) <= max_tokens:
            return shrunk
    return _ends(shrunk, max_tokens, counter)


def _parse(text: str) -> dict[str, JsonValue] | list[JsonValue] | None:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict | list) else None


def _shrink(value: JsonValue, level: _Level, depth: int) -> JsonValue:
    if isinstance(value, str):
        return _shrink_text(value, level.chars)
    if isinstance(value, dict):
        return _shrink_object(value, level, depth)
    if isinstance(value, list):
        return _shrink_list(value, level, depth)
    return value


def _shrink_text(text: str, chars: int) -> str:
    is_identifier = len(text) <= ID_CHARS and not any(char.isspace() for char in text) and text.isascii()
    if len(text) <= chars or is_identifier:
        return text
    return f"{truncate(text, chars)}…(+{len(text) - chars})"


def _shrink_object(value: dict[str, JsonValue], level: _Level, depth: int) -> JsonValue:
    if depth == 0:
        return f"{{…{len(value)}}}"
    members = list(value.items())[: level.items * _KEYS_PER_ITEM]
    kept = {_shrink_text(key, ID_CHARS): _shrink(member, level, depth - 1) for key, member in members}
    if len(value) > len(members):
        kept["…"] = f"+{len(value) - len(members)}"
    return kept


def _shrink_list(value: list[JsonValue], level: _Level, depth: int) -> JsonValue:
    if depth == 0:
        return f"[…{len(value)}]"
    kept = [_shrink(item, level, depth - 1) for item in value[: level.items]]
    if len(value) > level.items:
        kept.append(f"…+{len(value) - level.items}")
    return kept


def _ends(text: str, max_tokens: int, counter: Counter) -> str:
    chars = min(len(text), max_tokens * CHARS_PER_TOKEN)
    while chars >= 8:
        head, tail = truncate(text, int(chars * _HEAD_SHARE)), _tail(text, int(chars * (1 - _HEAD_SHARE)))
        kept = f"{head}\n…(+{len(text) - len(head) - len(tail)})…\n{tail}"
        if counter.text(kept) <= max_tokens:
            return kept
        chars = chars * 4 // 5
    return counter.truncate(text, max_tokens)


def _tail(text: str, chars: int) -> str:
    return text[len(truncate(text, len(text) - chars)) :]
