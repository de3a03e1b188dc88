"""What the shapes of all routes share: strict input, answers read off the library's values, and the kinds of fields.

Memory types are read from ``policies`` when a request or the document needs them, so that a host's own types are known.
(``defer_build``: a service that starts need not wait for all shapes.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from zhiji import policies, text

MAX_ID_CHARS = 256
MAX_QUERY_CHARS = 20_000
MAX_LIMIT = 1000
"""Rows of one page at most."""
MAX_OFFSET = 2**31 - 1 - MAX_LIMIT
MAX_MESSAGE_CHARS = 1_000_000
MAX_EXACT = 2**53 - 1
"""Largest whole number that every JSON reader keeps."""
MAX_TYPES = 64


class Known:
    """Says the memory types of this moment in the OpenAPI document."""

    def __init__(self, *, listed: bool) -> None:
        self.names = policies.listed_types if listed else lambda: list(policies.TYPES)

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        return {"type": "string", "enum": self.names()}


def _known(name: str) -> str:
    if name not in policies.listed_types():
        raise PydanticCustomError(
            "type_unknown", "must be one of {types}", {"types": ", ".join(policies.listed_types())}
        )
    return name


def _moment(value: object) -> datetime:
    try:
        return datetime.fromisoformat(str(value).upper() if isinstance(value, str) else "")
    except ValueError:
        raise PydanticCustomError("moment", "must be a time in ISO 8601, such as 2024-04-15T10:00:00Z") from None


def whole(value: object) -> object:
    """For JSON, ``5.0`` is a whole number."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


TypeName = Annotated[str, AfterValidator(_known), Known(listed=True)]
Id = Annotated[str, Field(min_length=1, max_length=MAX_ID_CHARS)]
UserId = Annotated[str, Field(min_length=1, max_length=MAX_ID_CHARS, pattern=text.NOT_BLANK)]
Moment = Annotated[
    datetime,
    BeforeValidator(_moment),
    WithJsonSchema({"type": "string", "format": "date-time", "pattern": "^[1-8][0-9]{3}-"}, mode="validation"),
]
"""A time in the years that ``given.YEARS`` allows."""
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]
Importance = Annotated[int, Field(ge=1, le=5), BeforeValidator(whole)]
Version = Annotated[int, Field(ge=0, le=MAX_EXACT), BeforeValidator(whole)]
Words = Annotated[str, Field(json_schema_extra={"pattern": text.VISIBLE})]
"""A text with something visible in it; the library sees to it."""


class In(BaseModel):
    """A body: unknown fields and wrong types are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, use_attribute_docstrings=True)


class Out(BaseModel):
    """An answer, read off the library's own values."""

    model_config = ConfigDict(from_attributes=True, use_attribute_docstrings=True, defer_build=True)

    @classmethod
    def of(cls, value: object) -> Self:
        """Return the answer that shows a value of the library."""
        return cls.model_validate(value)

    @classmethod
    def each(cls, values: Sequence[object]) -> list[Self]:
        """Return the answers that show these values."""
        return [cls.of(value) for value in values]

    def body(self) -> dict[str, object]:
        """Return the answer as JSON can hold it."""
        return self.model_dump(mode="json")


class Filters(BaseModel):
    """A query string: unknown names are refused, so that a misspelt filter is not a missing one."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Page(Filters):
    """Which part of a list to show."""

    limit: int = Field(100, ge=1, le=MAX_LIMIT)
    """Rows of one page."""
    offset: int = Field(0, ge=0, le=MAX_OFFSET)
    """How many to pass over; `next_offset` of the page before."""

    def following(self, found: Sequence[object]) -> int | None:
        """Return the offset of the next page; None if ``found``, asked for one row more than ``limit``, has no more."""
        return self.offset + self.limit if len(found) > self.limit else None


def examples(zh: Mapping[str, Any], en: Mapping[str, Any]) -> dict[str, Any]:
    """Return a body's examples in both languages, for the OpenAPI document."""
    return {"zh": {"summary": "中文", "value": dict(zh)}, "en": {"summary": "English", "value": dict(en)}}
