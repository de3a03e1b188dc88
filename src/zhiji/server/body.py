"""Bodies as strict JSON (RFC 8259 and I-JSON): one meaning, text that can be stored, no surprise in the parser. Pure."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import NoReturn

from zhiji.errors import InvalidInput
from zhiji.types import JsonValue

_ODD = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
"""Escapes of NUL and of surrogates, which may be half a pair."""


def parse(body: bytes) -> JsonValue:
    """Return the value of a JSON text.

    Raises:
        InvalidInput: not UTF-8, not JSON, nested too deep, a number that is not finite, a name twice in one object, NUL
            or half a surrogate pair in a text.
    """
    try:
        words = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"the body is not valid UTF-8 (byte {error.start}); send UTF-8") from None
    try:
        value: JsonValue = _DECODER.decode(words)
        if _ODD.search(body):
            _check(value)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"the body is not valid JSON (character {error.pos}); correct it") from None
    except RecursionError:
        raise InvalidInput("the body is nested too deep; send flatter JSON") from None
    except ValueError:  # Python's own limit on digits
        raise InvalidInput("the body holds a number with too many digits; send it as text") from None
    return value


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise InvalidInput("the body holds a number that is not finite; send finite numbers")
    return number


def _constant(name: str) -> NoReturn:
    raise InvalidInput(f"the body holds {name}, which is not JSON; send finite numbers")


def _object(pairs: Sequence[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidInput("the body names a field twice in one object; send it once")
    return found


def _check(value: JsonValue) -> None:
    if isinstance(value, dict):
        for name, item in value.items():
            _check(name)
            _check(item)
    elif isinstance(value, list):
        for item in value:
            _check(item)
    elif isinstance(value, str) and ("\0" in value or any("\ud800" <= char <= "\udfff" for char in value)):
        raise InvalidInput("the body holds NUL or half a surrogate pair in a text; send valid Unicode")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_float=_finite)
