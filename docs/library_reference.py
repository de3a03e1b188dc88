"""The reference of the library as Markdown, read off signatures and docstrings."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from enum import Enum
from typing import Any

from zhiji import diagnosis, erase, types
from zhiji.conversations import Sessions, States
from zhiji.curate import Memories
from zhiji.engine import Zhiji
from zhiji.hosted import HostTurn
from zhiji.jobs import Jobs

Table = Callable[[Sequence[str], Iterable[Sequence[object]]], str]
HOLDERS = {
    "zj": Zhiji,
    "turn": HostTurn,
    "zj.memories": Memories,
    "zj.sessions": Sessions,
    "zj.state": States,
    "zj.jobs": Jobs,
}
"""What a host calls, by the name under which the pages call it."""
VALUES = (
    *(types.Reply, types.Usage, types.Recalled, types.Step, types.Memory, types.Context, types.Profile),
    *(types.Session, types.State, types.Message, types.Job, types.Extraction, types.WorkerBeat, erase.Certificate),
    *(diagnosis.Diagnosis, diagnosis.Check, diagnosis.Note, types.Scope),
)
"""What these calls return."""
WIDTH = 100
"""Signatures that are longer stand on a line for each parameter."""


def calls() -> str:
    """Return every public name of the façade: its signature, and what its docstring says."""
    return "\n".join(
        part
        for called, holder in HOLDERS.items()
        for part in (f"## {called}\n", _prose(holder), *(_member(called, *each) for each in _members(holder)))
    )


def values(table: Table) -> str:
    """Return the fields of what calls return."""
    return "\n".join(f"### {kind.__name__}\n\n{_prose(kind)}\n{_fields(kind, table)}" for kind in VALUES)


def _members(holder: type) -> Iterator[tuple[str, Any]]:
    return ((name, member) for name, member in vars(holder).items() if not name.startswith("_"))


def _member(called: str, name: str, member: Any) -> str:
    if isinstance(member, property):
        return f"### {called}.{name}\n\n{_code(f'{called}.{name}: {_returned(member.fget)}')}\n{_prose(member)}"
    function = inspect.unwrap(getattr(member, "__func__", member))
    path = f"{'Zhiji' if isinstance(member, classmethod) else called}.{name}"
    return f"### {path}\n\n{_code(_signature(function, path))}\n{_prose(function)}"


def _code(line: str) -> str:
    return f"```python\n{line}\n```\n"


def _signature(function: Any, path: str) -> str:
    shown, kind = [], None
    for each in [*inspect.signature(function).parameters.values()][1:]:
        if each.kind is each.KEYWORD_ONLY and kind not in (each.KEYWORD_ONLY, each.VAR_POSITIONAL):
            shown.append("*")
        kind = each.kind
        shown.append(_parameter(each))
    call = f"{path}({', '.join(shown)})"
    if len(call) > WIDTH:
        call = f"{path}(\n    " + ",\n    ".join(shown) + ",\n)"
    if inspect.isasyncgenfunction(function):
        return f"async with {call}"
    return f"{'await ' if inspect.iscoroutinefunction(function) else ''}{call} -> {_returned(function)}"


def _returned(function: Any) -> str:
    return str(inspect.signature(function).return_annotation).removeprefix("builtins.")


def _parameter(each: inspect.Parameter) -> str:
    star = "*" if each.kind is each.VAR_POSITIONAL else ""
    default = "" if each.default is each.empty else f" = {_value(each.default)}"
    return f"{star}{each.name}: {each.annotation}{default}"


def _value(default: object) -> str:
    if isinstance(default, tuple):
        return f"({', '.join(map(_value, default))},)"
    return repr(default.value if isinstance(default, Enum) else default)


def _prose(documented: Any) -> str:
    """Return a docstring as Markdown; what it may raise is a paragraph."""
    text = re.sub(r"``(.+?)``", r"`\1`", inspect.getdoc(documented) or "")
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    return "\n\n".join(paragraphs) + "\n"


def _fields(kind: type, table: Table) -> str:
    told = _told(kind)
    rows = [(f"`{field.name}`", f"`{field.type}`", told.get(field.name, "")) for field in fields(kind)]
    derived = [
        (f"`{name}`", f"`{_returned(member.fget)}`", " ".join(_prose(member).split()))
        for name, member in _members(kind)
        if isinstance(member, property) and member.fget
    ]
    return table(("field", "type", "meaning"), [*rows, *derived])


def _told(kind: type) -> dict[str, str]:
    """Return what stands below each field."""
    (made,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(made, ast.ClassDef)
    pairs = zip(made.body, made.body[1:], strict=False)
    return {
        str(field.target.id): re.sub(r"``(.+?)``", r"`\1`", " ".join(str(below.value.value).split()))
        for field, below in pairs
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
    }
