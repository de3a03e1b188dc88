"""The HTTP reference as Markdown, read off the OpenAPI document of the service."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import groupby
from typing import Any

from zhiji import policies
from zhiji.config import Settings
from zhiji.server.app import create_app

Problem = tuple[str, str]
"""Status and code."""
Table = Callable[[Sequence[str], Iterable[Sequence[object]]], str]
CODE = re.compile(r"`([a-z_]+)`: ")
BOUNDS = {
    "minimum": "≥ {}",
    "maximum": "≤ {}",
    "minLength": "≥ {} characters",
    "maxLength": "≤ {} characters",
    "minItems": "≥ {} items",
    "maxItems": "≤ {} items",
    "maxProperties": "≤ {} names",
}


def document() -> dict[str, Any]:
    """Return the OpenAPI document; nothing is opened."""
    made: dict[str, Any] = create_app(Settings.load(auth=False)).openapi()
    return made


def routes(table: Table) -> str:
    """Return every route: what it does, what it takes, what it answers; then the problems that any of them may answer."""
    made = document()
    common = set.intersection(*(_problems(one) for one in _operations(made) if one["responses"].keys() > {"401"}))
    parts = [
        _route(method, path, operation, made["components"]["schemas"], common, table)
        for path, methods in made["paths"].items()
        for method, operation in methods.items()
    ]
    return "\n".join([*parts, f"### Any route\n\nProblems: {_listed(common)}.\n"])


def shapes(table: Table) -> str:
    """Return the fields of every shape that answers are made of."""
    made = document()
    schemas: Mapping[str, Any] = made["components"]["schemas"]
    taken = {name for operation in _operations(made) if (name := _body_name(operation))}
    return "\n".join(_shape(name, schemas[name], table) for name in sorted(schemas.keys() - taken - {"JsonValue"}))


def _shape(name: str, schema: Mapping[str, Any], table: Table) -> str:
    inside = _fields(schema, table) if "properties" in schema else f"One of {_type(schema)}.\n"
    return f"### {name}\n\n{' '.join(schema.get('description', '').split())}\n\n{inside}".replace("\n\n\n", "\n")


def _operations(made: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for methods in made["paths"].values():
        yield from methods.values()


def _route(
    method: str,
    path: str,
    operation: Mapping[str, Any],
    schemas: Mapping[str, Any],
    common: Set[Problem],
    table: Table,
) -> str:
    lines = [
        f"### `{method.upper()} {path}`\n",
        f"{operation['summary']}. {operation.get('description', '')}".strip() + "\n",
    ]
    given = [*_parameters(operation), *_body(operation, schemas)]
    if given:
        lines.append(table(("field", "in", "type", "bounds", "meaning"), given))
    fine = ", ".join(_fine(status, answer) for status, answer in operation["responses"].items() if status < "300")
    own = _problems(operation) - common
    lines.append(f"Answers {fine}.{f' Problems: {_listed(own)}.' if own else ''}\n")
    return "\n".join(lines)


def _parameters(operation: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for given in operation.get("parameters", ()):
        if given["in"] != "path":
            yield _row(
                given["name"], given["in"], given["schema"], given.get("required", False), given.get("description")
            )


def _body(operation: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    name = _body_name(operation)
    schema = schemas[name] if name else {}
    for field, described in schema.get("properties", {}).items():
        yield _row(field, "body", described, field in schema.get("required", ()), described.get("description"))


def _body_name(operation: Mapping[str, Any]) -> str:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    return str(content.get("schema", {}).get("$ref", "")).rpartition("/")[2]


def _row(name: str, place: str, schema: Mapping[str, Any], required: bool, meaning: object) -> tuple[str, ...]:
    shown = f"`{name}`" + (" (required)" if required else "")
    return shown, place, _type(schema), _bounds(schema), " ".join(str(meaning or "").split())


def _fields(schema: Mapping[str, Any], table: Table) -> str:
    rows = (
        (f"`{name}`", _type(described), _bounds(described), " ".join(described.get("description", "").split()))
        for name, described in schema["properties"].items()
    )
    return table(("field", "type", "bounds", "meaning"), rows)


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})" if name != "JsonValue" else "any JSON"
    if "anyOf" in schema:
        return " or ".join(_type(each) for each in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        if policies.listed_types()[0] in schema.get("enum", ()):
            return "a [memory type](types.md)"
        values = schema.get("enum", [schema.get("const")])
        return ", ".join(f"`{json.dumps(value, ensure_ascii=False)}`" for value in values)
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return "time" if schema.get("format") == "date-time" else str(schema.get("type", "any JSON"))


def _bounds(schema: Mapping[str, Any]) -> str:
    given = next((each for each in schema.get("anyOf", ()) if each.get("type") != "null"), schema)
    return ", ".join(text.format(_number(given[name])) for name, text in BOUNDS.items() if name in given) or "–"


def _problems(operation: Mapping[str, Any]) -> set[Problem]:
    """Return status and code of each problem that an operation may answer; each is described as `` `code`: sentence``."""
    return {
        (status, code)
        for status, answer in operation["responses"].items()
        if status >= "400"
        for code in CODE.findall(answer["description"])
    }


def _listed(problems: Iterable[Problem]) -> str:
    by_status = groupby(sorted(problems), key=lambda problem: problem[0])
    return "; ".join(f"{status} {', '.join(f'`{code}`' for _, code in found)}" for status, found in by_status)


def _number(bound: float) -> str:
    return str(int(bound)) if float(bound).is_integer() else str(bound)


def _fine(status: str, answer: Mapping[str, Any]) -> str:
    schema = answer.get("content", {}).get("application/json", {}).get("schema")
    return f"{status}{f' with {_type(schema)}' if schema else ''}"
