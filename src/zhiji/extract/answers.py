"""Reading a model's answer: tolerant about the wrapping, strict about the facts.

Models wrap JSON in fences and prose, cut it off, add commas, rename fields, answer with strings or one object. What can be
read is read; what is no fact is counted and left out; what is no answer at all is an error, never an empty result.
"""

from __future__ import annotations

import json
import math
import re
from contextlib import suppress
from itertools import islice
from typing import Annotated, Final, Literal

import json_repair
import pydantic
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from zhiji import text
from zhiji.errors import ExtractionFailed
from zhiji.types import JsonValue

DEFAULT_TYPE: Final = "event"
DEFAULT_CONFIDENCE: Final = 0.5
"""Of a fact whose confidence the model does not say: below the default gate."""
MAX_CONTENT_CHARS: Final = 400
MAX_FACTS: Final = 60

# --- from text to elements ----------------------------------------------------------------------------------------

_FENCED: Final = re.compile(r"^\s*```[\w-]*[ \t]*\n?(?P<body>.*?)(?:\n\s*```\s*(?:\n|$)|```\s*$|\Z)", re.S | re.M)
_THOUGHT: Final = re.compile(r"\A\s*<think>.*?(?:</think>|\Z)", re.S)
_OPENING: Final = re.compile(r"[\[{](?=\s*[\"'\[{\]}]|\s*null|\s*-?\d)")
_CLOSES: Final = re.compile(r"\s*(?:[,:\]}]|\Z)")
"""What follows the end of a string."""
_HALF_NUMBER: Final = re.compile(r"(?<=[\[,:\s])-?\d[\d.]*\Z")
_ENDED: Final = re.compile(r"\}\s*,?\s*\Z")
MAX_OPENINGS: Final = 100
"""Places at which JSON may begin that are tried, in an answer wrapped in prose."""
MAX_REPAIRS: Final = 3
"""Of those at which it is broken, how many are mended."""
MAX_REPAIRED_CHARS: Final = 40_000
MAX_PIECE_CHARS: Final = 2000
"""Of broken JSON that is mended as one: four times what the longest fact takes."""
_BETWEEN: Final = re.compile(r"(?<=\})\s*,?\s*(?=\{)")
_CONTENT_NAMES: Final = ("content", "fact", "text", "memory", "statement", "description", "sentence", "内容", "事实")
_ENVELOPES: Final = ("memories", "facts", "result", "results", "data", "items", "output", "records", "记忆")
_WRITTEN: Final = (*_ENVELOPES, "arguments", "parameters", "input")
"""Under these names, JSON may stand written as text."""


def elements(answer: str) -> list[JsonValue]:
    """Return the elements of an answer: objects and strings that may be facts, and junk.

    Raises:
        ExtractionFailed: there is no JSON in it, or none of a shape that can hold facts.
    """
    readings = _readings(_THOUGHT.sub("", text.clean(answer)).strip("\ufeff \n\t"))
    if not readings:
        raise ExtractionFailed("the answer holds no JSON; the job will be retried")
    held = [found for value in readings if (found := _elements(_cleaned(value))) is not None]
    if not held:
        raise ExtractionFailed("the answer's JSON has no list of facts; the job will be retried")
    return max(held, key=lambda found: sum(map(_is_fact, found)))


def _readings(answer: str) -> list[JsonValue]:
    """Return the readings of an answer, the most literal first.

    All of it, or what is fenced; if there are no facts in that, what is broken, mended, and what stands whole in it.
    """
    for candidates in ([answer], [found["body"].strip() for found in _FENCED.finditer(answer)]):
        literal = list[JsonValue]()
        for candidate in candidates:
            with suppress(ValueError, RecursionError):
                literal.append(json.loads(candidate, strict=False))
        if any(_is_telling(value) for value in literal):
            return literal
    whole, broken, end = _standing(answer)
    mended = {start: _repaired(answer[start:]) for start in broken[:MAX_REPAIRS]}
    telling = [element for value in whole if _is_telling(value) for element in _elements(value) or ()]
    is_tail = bool(broken) and broken[0] >= end
    behind = _elements(mended[broken[0]]) or [] if is_tail else []
    return [*mended.values(), telling + behind] if telling else list(mended.values()) or whole


def _is_telling(value: JsonValue) -> bool:
    """Return whether there are facts in a value, or it says that there are none."""
    found = _elements(value)
    return found is not None and (not found or any(map(_is_fact, found)))


def _is_fact(element: JsonValue) -> bool:
    return _fact(_cleaned(element)) is not None


def _standing(answer: str) -> tuple[list[JsonValue], list[int], int]:
    """Return the JSON values that stand in an answer, the places at which one begins that is broken, and the last one's end."""
    whole, broken = list[JsonValue](), list[int]()
    decoder, end = json.JSONDecoder(strict=False), 0
    for found in islice(_OPENING.finditer(answer), MAX_OPENINGS):
        if found.start() < end:
            continue
        try:
            value, end = decoder.raw_decode(answer, found.start())
        except (ValueError, RecursionError):
            broken.append(found.start())
        else:
            whole.append(value)
    return whole, broken, end


def _repaired(broken: str) -> JsonValue:
    """Return JSON mended, with a null for what was cut off; None if nothing is left of that.

    Of a long one each object is mended by itself: it takes time that grows with the square of the length.
    """
    text, is_cut = _uncut(broken[:MAX_REPAIRED_CHARS])
    pieces = [text] if len(text) <= MAX_PIECE_CHARS else _BETWEEN.split(text)
    values = [_mended(piece) if len(piece) <= MAX_PIECE_CHARS else None for piece in pieces]
    found = [one for value in values for one in _elements(value) or [None]] if len(values) > 1 else _elements(values[0])
    if found is None or not is_cut:
        return found
    if found and isinstance(found[-1], dict) and not _ENDED.search(text):
        found[-1] = {**found[-1], "confidence": None}  # what it was to do may be lost: it waits
    return [*found, None] if any(map(_is_fact, found)) else None


def _mended(piece: str) -> JsonValue:
    with suppress(ValueError, RecursionError):
        value: JsonValue = json_repair.loads(piece)  # type: ignore[assignment]  # json_repair types its result loosely
        return value
    return None


def _uncut(broken: str) -> tuple[str, bool]:
    """Return JSON without the string or number in the midst of which it was cut off, and whether it was cut off anywhere.

    Half a string may say something else than the whole.
    """
    quote, opened, before, depth, at = "", 0, "", 0, 0
    while at < len(broken) and (quote or depth or not at):
        char = broken[at]
        if quote and char == "\\":
            at += 1
        elif quote:
            quote = "" if char == quote and _CLOSES.match(broken, at + 1) else quote
        elif char in "\"'" and before in ("", *"[{,:"):
            quote, opened = char, at
        else:
            depth += (char in "[{") - (char in "]}")
        before = before if char.isspace() else char
        at += 1
    if quote:
        return broken[:opened], True
    return (_HALF_NUMBER.sub("", broken), True) if depth else (broken[:at], False)


def _cleaned(value: JsonValue) -> JsonValue:
    """Return a value with surrogate pairs joined, which lenient parsers decode into lone halves, and without NaN and infinity."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str):
        return text.clean(value)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {text.clean(key): _cleaned(item) for key, item in value.items()}
    return value


def _elements(value: JsonValue) -> list[JsonValue] | None:
    """Return what a container holds, or None if it is no container of facts."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        return None
    if not value or "ref" in value or any(name.casefold() in _CONTENT_NAMES for name in value):
        return [value] if value else []
    for name in (*(name for name in _ENVELOPES if name in value), *value):
        inner = _unwritten(name, value[name])
        if inner is None and name in _ENVELOPES:
            return []
        if isinstance(inner, list | dict) and (found := _elements(inner)) is not None:
            return found
    bare = all(item is None or item is True or item == "" for item in value.values())
    return list(value) if bare else None


def _unwritten(name: str, value: JsonValue) -> JsonValue:
    """Return a value, or the JSON that stands in its place as text."""
    if isinstance(value, str) and name in _WRITTEN and value.lstrip()[:1] in ("{", "["):
        with suppress(ValueError, RecursionError):
            read: JsonValue = json.loads(value, strict=False)
            return read
    return value


# --- from elements to facts ---------------------------------------------------------------------------------------

_TYPES: Final = {
    "profile": "identity", "user": "identity", "person": "identity", "身份": "identity", "画像": "identity", "like": "preference", "likes": "preference",
    "preferences": "preference", "identities": "identity", "tasks": "task", "orders": "order", "events": "event", "偏好": "preference", "任务": "task", "todo": "task", "plan": "task", "结论": "conclusion", "订单": "order", "物流": "shipment", "快递": "shipment",
    "售后": "after_sale", "aftersale": "after_sale", "after-sale": "after_sale", "refund": "after_sale", "事件": "event", "fact": "event",
}  # fmt: skip
_OPS: Final = {
    "add": "assert", "new": "assert", "assert": "assert", "update": "assert", "insert": "assert", "upsert": "assert", "create": "assert", "": "assert",
    "新增": "assert", "添加": "assert", "更新": "assert", "记住": "assert",
    "retract": "retract", "delete": "retract", "remove": "retract", "invalidate": "retract", "revoke": "retract", "withdraw": "retract", "negate": "retract",
    "deny": "retract", "expire": "retract", "end": "retract", "cancel": "retract", "撤回": "retract", "撤销": "retract", "取消": "retract", "删除": "retract",
    "forget": "forget", "erase": "forget", "do_not_remember": "forget", "don't_remember": "forget", "忘记": "forget", "忘掉": "forget", "不记": "forget",
    "none": "none", "noop": "none", "no_op": "none", "skip": "none", "ignore": "none", "keep": "none", "无": "none", "跳过": "none",
}  # fmt: skip
_WORDS: Final = {
    "certain": 0.95,
    "very high": 0.95,
    "high": 0.9,
    "高": 0.9,
    "medium": 0.7,
    "中": 0.7,
    "low": 0.4,
    "低": 0.4,
}


_SAID: Final = re.compile(r"\s*(?P<number>\d{1,9}(?:\.\d{1,18})?)\s*%?(?:\s*/\s*(?P<of>[1-9]\d{0,3}))?\s*")
_CITED: Final = re.compile(r"[^\d,.:-]{0,12}(?P<seqs>\d{1,9}(?:\s*[,，、;]\s*#?\d{1,9})*)[\])\s]*")
_MOST: Final = 1e9
"""Beyond it, a number is none that a model may mean."""


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if abs(value) <= _MOST else None
    if not isinstance(value, str):
        return None
    found = _SAID.fullmatch(value)
    if found is None:
        return _WORDS.get(value.strip().casefold())
    return float(found["number"]) / float(found["of"] or 1)


def _confidence(value: object) -> float:
    number = _number(value)
    if number is None:
        return DEFAULT_CONFIDENCE
    return min(max(number / 100 if number > 1 else number, 0.0), 1.0)


def _importance(value: object) -> int:
    number = _number(value)
    return 3 if number is None else min(max(round(number if number >= 1 else number * 5), 1), 5)


def _word(value: object) -> str:
    """Return a word of a fixed list as it stands there: of any case, alone in a list, or behind the list's name."""
    (value,) = value if isinstance(value, list) and len(value) == 1 else (value,)
    return re.sub(r"[\s-]+", "_", str(value or "").rpartition(".")[2].strip().casefold())


def _type(value: object) -> str:
    name = _word(value)
    return _TYPES.get(name, name) or DEFAULT_TYPE


def _op(value: object) -> str:
    return _OPS.get(_word(value), "assert")


def _content(value: object) -> object:
    return "" if value is None else value


def _optional(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _seqs(value: object) -> list[int]:
    values = value if isinstance(value, list) else [value]
    named = [found["seqs"] for item in values if (found := _CITED.fullmatch(re.sub(r"\.0$", "", str(item))))]
    return [seq for each in named for number in re.findall(r"\d+", each) if (seq := int(number))]


def _ref(value: object) -> str | None:
    return None if value is None or isinstance(value, bool | list | dict) else str(value).strip() or None


class Fact(BaseModel):
    """One element of an answer, validated."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    content: Annotated[str, BeforeValidator(_content)] = Field(
        "", max_length=MAX_CONTENT_CHARS, validation_alias=AliasChoices(*_CONTENT_NAMES)
    )
    type: Annotated[str, BeforeValidator(_type)] = DEFAULT_TYPE
    key: Annotated[str | None, BeforeValidator(_optional)] = None
    value: pydantic.JsonValue = None
    importance: Annotated[int, BeforeValidator(_importance)] = 3
    confidence: Annotated[float, BeforeValidator(_confidence)] = DEFAULT_CONFIDENCE
    op: Annotated[Literal["assert", "retract", "forget", "none"], BeforeValidator(_op)] = Field(
        "assert", validation_alias=AliasChoices("op", "action", "event", "operation")
    )
    sources: Annotated[list[int], BeforeValidator(_seqs)] = Field(
        default_factory=list, validation_alias=AliasChoices("sources", "source", "seqs", "messages")
    )
    ref: Annotated[str | None, BeforeValidator(_ref)] = Field(
        None, validation_alias=AliasChoices("ref", "id", "target")
    )


def facts(answer: str) -> tuple[list[Fact], int]:
    """Return the facts of an answer, and how many elements were no facts, or too many.

    Raises:
        ExtractionFailed: the answer cannot be read, or holds elements of which none is a fact.
    """
    found = elements(answer)
    read = [fact for element in found if (fact := _fact(element))][:MAX_FACTS]
    if found and not read:
        raise ExtractionFailed("no element of the answer is a fact; the job will be retried")
    return read, len(found) - len(read)


def _fact(element: JsonValue) -> Fact | None:
    if isinstance(element, str):
        element = {"content": element}
    if not isinstance(element, dict):
        return None
    try:
        fact = Fact.model_validate({name.casefold(): value for name, value in element.items()})
    except ValidationError:
        return None
    return fact if fact.content.strip() or fact.ref else None
