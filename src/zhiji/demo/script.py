"""Stories as data: what a YAML file may say, checked, with the place of every mistake.

Scalars are read as written (``2024-04-15`` is a text, not a date), so an order number keeps its zeros.
"""

from __future__ import annotations

import re
from datetime import timedelta
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from zhiji.errors import InvalidInput
from zhiji.text import canonical_id
from zhiji.types import JsonValue

BUILT_IN = ("zh", "en")
"""Names of the packaged stories, in the order in which the demo plays them."""

_UNITS = {"d": "days", "h": "hours", "m": "minutes"}
_JUMP = re.compile(r"(?:(?P<d>\d{1,5})d)?(?:(?P<h>\d{1,6})h)?(?:(?P<m>\d{1,7})m)?")
_NOTHING = ("", "~", "null")


def _listed(value: object) -> object:
    return [] if value in _NOTHING else [value] if isinstance(value, str) else value


def _optional(value: object) -> object:
    return None if isinstance(value, str) and value in _NOTHING else value


def _numbered(value: object) -> object:
    """``shipment: SF123`` is short for ``shipment: {number: SF123}``."""
    return {"number": value} if isinstance(value, str) and value not in _NOTHING else _optional(value)


def _duration(value: object) -> object:
    match = _JUMP.fullmatch(value.replace(" ", "")) if isinstance(value, str) else None
    if match is None or not any(match.groups()):
        raise ValueError("write it like 2d, 3h or 30m")
    return timedelta(**{_UNITS[unit]: int(count) for unit, count in match.groupdict().items() if count})


Phrases = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_listed)]


class _Row(BaseModel):
    """A row of the shop; what a story adds to the known fields is passed on to the model as it is."""

    model_config = ConfigDict(extra="allow", frozen=True)

    def public(self) -> dict[str, JsonValue]:
        """Return what a look-up shows."""
        return self.model_dump(mode="json", exclude_none=True)


class Shipment(_Row):
    """A parcel."""

    number: str = Field(
        min_length=1, validation_alias=AliasChoices("number", "tracking_number", "tracking_no", "shipment_id", "id")
    )
    status: str = "in_transit"


class AfterSale(_Row):
    """A return, an exchange or a refund."""

    number: str = Field(
        min_length=1, validation_alias=AliasChoices("number", "ticket_number", "ticket", "after_sale_id", "id")
    )
    status: str = "processing"


class Order(_Row):
    """An order."""

    order_id: str = Field(min_length=1)
    item: str = ""
    status: str = ""
    return_address: str = ""
    amount: Annotated[str | None, BeforeValidator(_optional)] = None
    shipment: Annotated[Shipment | None, BeforeValidator(_numbered)] = None
    after_sale: Annotated[AfterSale | None, BeforeValidator(_numbered)] = None
    user: Annotated[str | None, BeforeValidator(_optional)] = None
    """Only this user may see it; None: whoever knows the number."""

    def public(self) -> dict[str, JsonValue]:
        """Return what a look-up shows: not the address to send goods back to, which has a look-up of its own."""
        shown = self.model_dump(
            mode="json", exclude_none=True, exclude={"return_address", "user", "shipment", "after_sale"}
        )
        numbers = {"shipment": self.shipment, "after_sale": self.after_sale}
        return shown | {name: child.number for name, child in numbers.items() if child}


class Seed(BaseModel):
    """What the shop holds."""

    model_config = ConfigDict(frozen=True)
    orders: tuple[Order, ...] = ()

    @field_validator("orders")
    @classmethod
    def _unique(cls, orders: tuple[Order, ...]) -> tuple[Order, ...]:
        ids = [canonical_id(order.order_id) for order in orders]
        twice = next((id for id in ids if ids.count(id) > 1), None)
        if twice:
            raise ValueError(f"{twice} occurs twice")
        return orders


class Step(BaseModel):
    """Either something that a user says, or a jump of the clock."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    user: str = Field("user_001", min_length=1)
    session: Literal["new", "same"] = "same"
    say: str | None = None
    expect: Phrases = ()
    """Every one must occur in the reply."""
    never: Phrases = ()
    """None may occur in it."""
    jump: Annotated[timedelta | None, BeforeValidator(_duration)] = None
    note: str = ""
    """For readers of the file only."""

    @model_validator(mode="after")
    def _one_thing(self) -> Step:
        if (self.say is None) == (self.jump is None):
            raise ValueError("a step has either `say` or `jump`")
        if self.jump is not None and len(self.model_fields_set) > 1:
            raise ValueError("a `jump` stands alone in its step")
        return self


class Story(BaseModel):
    """A story and the shop that it happens in."""

    model_config = ConfigDict(frozen=True)

    name: str = ""
    title: str = ""
    lang: Literal["zh", "en", "mixed"] = "zh"
    shop: Seed = Seed()
    steps: tuple[Step, ...] = Field(min_length=1)


def parse(text: str, name: str) -> Story:
    """Return the story that a YAML text tells.

    Raises:
        InvalidInput: it does not follow the format; the message names the place and what is wrong there.
    """
    try:
        data = yaml.load(text, Loader=yaml.BaseLoader)
    except yaml.YAMLError as error:
        raise InvalidInput(f"{name}: {_place(error)}this is not YAML; correct it") from error
    if not isinstance(data, dict):
        raise InvalidInput(f"{name}: a story is a mapping with `lang`, `shop` and `steps`")
    try:
        return Story.model_validate({"name": name, **data})
    except ValidationError as error:
        raise InvalidInput(f"{name}: {_explained(error)}") from error


def load(path: Path) -> Story:
    """Return the story in a file; raises like ``parse``."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path.name}: the story cannot be read; give the path of a UTF-8 text file") from error
    return parse(text, path.name)


def built_in(name: str) -> Story:
    """Return a packaged story by its name in ``BUILT_IN``."""
    return parse((resources.files("zhiji.demo") / "stories" / f"{name}.yaml").read_text(encoding="utf-8"), name)


def _place(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    return f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""


def _explained(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_input=False, include_context=False)
    causes = [problem for problem in found if problem["type"] != "too_short"] or found  # a wrong step counts as none
    return "; ".join(f"{_path(problem['loc'])}: {_said(problem['type'], problem['msg'])}" for problem in causes)


_PLAIN = {
    "extra_forbidden": "there is no such field; correct its name",
    "missing": "this field is missing; add it",
    "tuple_type": "this must be a list",
    "too_short": "this needs at least one entry",
}
"""What an author of stories can do about it, where the library's words speak of types."""


def _said(kind: str, message: str) -> str:
    return _PLAIN.get(kind, message.removeprefix("Value error, "))


def _path(loc: tuple[Any, ...]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).lstrip(".") or "story"
