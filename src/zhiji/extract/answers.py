"""Reading a model's answer: tolerant about the wrapping, strict about the facts.

Models wrap JSON in fences and prose, cut it off, add commas, rename fields, answer with strings or one object. What can be
read is read; what is no fact is counted and left out; what is no answer at all is an error, never an empty result.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
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
_OPENING: Final = re.compile(r"[\[{](?=\s*[\"'\[{\]}]|\s*null|\s*-?\d)")
MAX_OPENINGS: Final = 20
"""Places at which JSON may begin that are tried, in an answer wrapped in prose."""
_CONTENT_NAMES: Final = ("content", "fact", "text", "memory", "statement", "description", "sentence", "内容", "事实")
_ENVELOPES: Final = ("memories", "facts", "result", "results", "data", "items", "output", "records", "记忆")


def elements(answer: str) -> list[JsonValue]:
    """Return the elements of an answer: objects and strings that may be facts, and junk.

    Raises:
        ExtractionFailed: there is no JSON in it, or none of a shape that can hold facts.
    """
    failure = "the answer holds no JSON; the job will be retried"
    for value in _decoded(text.clean(answer).strip("\ufeff \n\t")):
        found = _elements(_cleaned(value))
        if found is not None:
            return found[:MAX_FACTS]
        failure = "the answer's JSON has no list of facts; the job will be retried"
    raise ExtractionFailed(failure)


def _decoded(answer: str) -> Iterator[JsonValue]:
    """Yield readings of an answer, the most literal first."""
    for candidate in (answer, *(found["body"].strip() for found in _FENCED.finditer(answer))):
        try:
            yield json.loads(candidate, strict=False)
        except (ValueError, RecursionError):
            continue
    openings = [found.start() for found in _OPENING.finditer(answer)][:MAX_OPENINGS]
    decoder = json.JSONDecoder(strict=False)
    for start in openings:
        try:
            yield decoder.raw_decode(answer, start)[0]
        except (ValueError, RecursionError):
            continue
        return
    if openings:
        yield _repaired(answer[openings[0] :])


def _repaired(broken: str) -> JsonValue:
    try:
        value: JsonValue = json_repair.loads(broken)  # type: ignore[assignment]  # json_repair types its result loosely
    except (ValueError, RecursionError):
        return None
    return value


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
    if not value or any(name in value for name in _CONTENT_NAMES) or "ref" in value:
        return [value] if value else []
    for name in (*(name for name in _ENVELOPES if name in value), *value):
        inner = value[name]
        if isinstance(inner, list | dict) and (found := _elements(inner)) is not None:
            return found
    bare = all(item in ("", None, True) for item in value.values())
    return list(value) if bare else None


# --- from elements to facts ---------------------------------------------------------------------------------------

_TYPES: Final = {
    "profile": "identity", "user": "identity", "person": "identity", "身份": "identity", "画像": "identity", "like": "preference", "likes": "preference",
    "偏好": "preference", "任务": "task", "todo": "task", "plan": "task", "结论": "conclusion", "订单": "order", "物流": "shipment", "快递": "shipment",
    "售后": "after_sale", "aftersale": "after_sale", "after-sale": "after_sale", "refund": "after_sale", "事件": "event", "fact": "event",
}  # fmt: skip
_OPS: Final = {
    "add": "assert", "new": "assert", "assert": "assert", "update": "assert", "insert": "assert", "upsert": "assert", "create": "assert", "": "assert",
    "retract": "retract", "delete": "retract", "remove": "retract", "invalidate": "retract", "forget": "forget",
    "none": "none", "noop": "none", "skip": "none", "ignore": "none",
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


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    if not isinstance(value, str):
        return None
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(%?)(?:\s*/\s*\d+)?\s*", value)
    return float(found[1]) if found else _WORDS.get(value.strip().casefold())


def _confidence(value: object) -> float:
    number = _number(value)
    if number is None:
        return DEFAULT_CONFIDENCE
    return min(max(number / 100 if number > 1 else number, 0.0), 1.0)


def _importance(value: object) -> int:
    number = _number(value)
    return 3 if number is None else min(max(round(number if number >= 1 else number * 5), 1), 5)


def _type(value: object) -> str:
    name = str(value or "").strip().casefold().replace(" ", "_")
    return _TYPES.get(name, name) or DEFAULT_TYPE


def _op(value: object) -> str:
    return _OPS.get(str(value or "").strip().casefold(), "assert")


def _optional(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _seqs(value: object) -> list[int]:
    values = value if isinstance(value, list) else [value]
    return [int(number) for item in values if (number := _number(str(item).lstrip("#m")))]


def _ref(value: object) -> str | None:
    return None if value is None or isinstance(value, bool | list | dict) else str(value).strip() or None


class Fact(BaseModel):
    """One element of an answer, validated."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    content: str = Field("", max_length=MAX_CONTENT_CHARS, validation_alias=AliasChoices(*_CONTENT_NAMES))
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
    """Return the facts of an answer, and how many elements were no facts.

    Raises:
        ExtractionFailed: the answer cannot be read, or holds elements of which none is a fact.
    """
    found = elements(answer)
    read = [fact for element in found if (fact := _fact(element))]
    if found and not read:
        raise ExtractionFailed("no element of the answer is a fact; the job will be retried")
    return read, len(found) - len(read)


def _fact(element: JsonValue) -> Fact | None:
    if isinstance(element, str):
        element = {"content": element}
    if not isinstance(element, dict):
        return None
    try:
        fact = Fact.model_validate(element)
    except ValidationError:
        return None
    return fact if fact.content.strip() or fact.ref else None
