"""From a typed function to what the model may pass to it: one JSON schema, one validator.

Two kinds of parameter are not the model's to give and stay out of the schema: one annotated ``Scope`` receives the
owner, one named ``call_key`` the stable key of the call.
"""

from __future__ import annotations

import inspect
import json
import re
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, PydanticUserError, ValidationError, create_model

from zhiji.errors import ConfigError
from zhiji.types import JsonValue, Scope, ToolSpec

CALL_KEY = "call_key"
"""Name of the parameter that receives the stable key of a call."""

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""What chat-completions APIs accept as a function name."""

ERRORS_SHOWN = 3
"""Problems of one call that are told to the model."""

_CONFIG = ConfigDict(extra="forbid", arbitrary_types_allowed=False, coerce_numbers_to_str=True)


class InvalidArguments(ValueError):
    """The model's arguments do not fit; the message tells it what to correct."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """What a function takes."""

    spec: ToolSpec
    model: type[BaseModel]
    scope: tuple[str, ...]
    """Parameters that receive the owner."""
    call_key: bool
    """Whether it takes the key of the call."""

    def parse(self, arguments: str) -> BaseModel:
        """Return the validated arguments of one call.

        Raises:
            InvalidArguments: they are not a JSON object of this schema.
        """
        try:
            return self.model.model_validate(_object(arguments))
        except ValidationError as error:
            raise InvalidArguments(_explained(error)) from error

    def bind(self, parsed: BaseModel, scope: Scope, key: str) -> dict[str, object]:
        """Return the keyword arguments of one call; what the model left out keeps the function's default."""
        fields = type(parsed).model_fields
        given = {str(fields[name].alias): getattr(parsed, name) for name in parsed.model_fields_set}
        return given | dict.fromkeys(self.scope, scope) | ({CALL_KEY: key} if self.call_key else {})


def read(function: Callable[..., object]) -> Signature:
    """Return what ``function`` takes.

    Raises:
        ConfigError: it cannot be a tool; the message says why.
    """
    name = getattr(function, "__name__", "")
    if not NAME.fullmatch(name):
        raise ConfigError(f"tool {name!r}: give it a name of at most 64 ASCII letters, digits, hyphens and underscores")
    description = inspect.getdoc(function)
    if not description:
        raise ConfigError(f"tool {name}: give it a docstring, it tells the model when to call it")
    hints = _hints(function, name)
    parameters = list(inspect.signature(function).parameters.values())
    scope = tuple(parameter.name for parameter in parameters if hints.get(parameter.name) is Scope)
    open_to_model = [parameter for parameter in parameters if parameter.name not in (*scope, CALL_KEY)]
    model = _model(open_to_model, hints, name)
    return Signature(
        spec=ToolSpec(name=name, description=description, parameters=_schema(model, open_to_model, name)),
        model=model,
        scope=scope,
        call_key=any(parameter.name == CALL_KEY for parameter in parameters),
    )


def canonical(parsed: BaseModel) -> str:
    """Return arguments as JSON that does not depend on spacing, order of members or spelling of numbers."""
    given = parsed.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return json.dumps(given, sort_keys=True, separators=(",", ":"))


def _hints(function: Callable[..., object], name: str) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function, include_extras=True)
    except NameError as error:
        raise ConfigError(f"tool {name}: annotate it with types that its module can name") from error


def _model(parameters: list[inspect.Parameter], hints: Mapping[str, Any], name: str) -> type[BaseModel]:
    fields = {f"argument_{parameter.name}": _field(parameter, hints, name) for parameter in parameters}
    try:
        return create_model(name, __config__=_CONFIG, **fields)  # type: ignore[call-overload, no-any-return]  # dynamic
    except PydanticUserError as error:
        raise ConfigError(f"tool {name}: its parameters must be of types that JSON can express") from error


def _field(parameter: inspect.Parameter, hints: Mapping[str, Any], name: str) -> tuple[Any, Any]:
    if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
        raise ConfigError(f"tool {name}: {parameter.name} must be a parameter that can be passed by name")
    if parameter.name not in hints:
        raise ConfigError(f"tool {name}: annotate {parameter.name} with its type")
    default = ... if parameter.default is parameter.empty else parameter.default
    return Annotated[hints[parameter.name], Field(alias=parameter.name)], default


def _schema(model: type[BaseModel], parameters: list[inspect.Parameter], name: str) -> dict[str, JsonValue]:
    try:
        schema: dict[str, JsonValue] = model.model_json_schema()
    except PydanticUserError as error:
        raise ConfigError(f"tool {name}: its parameters must be of types that JSON can express") from error
    schema.pop("title", None)
    properties = schema.setdefault("properties", {})
    for parameter in parameters:
        member = properties[parameter.name] if isinstance(properties, dict) else None
        if isinstance(member, dict):
            member.pop("title", None)
    return schema


def _object(arguments: str) -> object:
    try:
        return json.loads(arguments or "{}")
    except (ValueError, RecursionError) as error:
        raise InvalidArguments("the arguments are not a JSON object; send one that follows the schema") from error


def _explained(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    told = [
        f"{'.'.join(map(str, problem['loc'])) or 'arguments'}: {problem['msg']}" for problem in problems[:ERRORS_SHOWN]
    ]
    return "; ".join(told)
