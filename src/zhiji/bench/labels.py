"""The file format of ``zhiji bench extraction``, and how what was stored is compared with it. Pure; no memory is made here.

One line is one dialogue: ``{"id", "lang", "kind", "dialogue": [{"role", "content"}], "facts": [{"type", "key", "must_contain"}],
"never": [text]}``. Both sides are compared after NFKC, lower case, traditional → simplified, without white space and dashes.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, Field, ValidationError

from zhiji.errors import InvalidInput
from zhiji.hanzi import simplified
from zhiji.types import JsonValue

SILENT_KINDS: Final = frozenset({"smalltalk", "question"})
"""Kinds of dialogue of which nothing may be remembered; in all others the labelled facts are a floor."""
SECRET_KINDS: Final = frozenset({"secret"})
"""Kinds of dialogue whose ``never`` may stand in no row at all, be it active or not."""
SENSIBLE: Final = (
    frozenset({"identity", "preference", "task", "event"}),
    frozenset({"order", "shipment", "after_sale", "conclusion", "task", "event"}),
)
"""Types that blur: a fact is of a sensible type if one of these holds both it and the label's."""

_IDLE: Final = re.compile(r"[\s\-_–—‐‑−]+")


class _Message(BaseModel):
    role: Literal["user", "assistant", "tool"]
    content: str


class Fact(BaseModel):
    """Something that must be remembered."""

    type: Annotated[str, Field(min_length=1)]
    key: str | None = None
    must_contain: list[str]
    """Words that prove it; none: any memory of its type and key does."""


class Dialogue(BaseModel):
    """One labelled dialogue."""

    id: Annotated[str, Field(min_length=1)]
    lang: str = ""
    kind: str = ""
    dialogue: Annotated[list[_Message], Field(min_length=1)]
    facts: list[Fact] = []
    never: list[str] = []

    @property
    def is_silent(self) -> bool:
        """Whether nothing of it may be remembered."""
        return self.kind in SILENT_KINDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One stored memory, as it is compared."""

    type: str
    content: str
    key: str | None = None
    value: JsonValue = None
    is_active: bool = True


def load(path: Path) -> Iterator[Dialogue]:
    """Yield the dialogues of a file; blank lines hold none.

    Raises:
        InvalidInput: the file cannot be read, or a line does not have the format; the text names line and place.
    """
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _dialogue(line, f"{path.name}, line {number}")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path}: cannot be read as UTF-8 text; check the path and the file") from error


def _dialogue(line: str, place: str) -> Dialogue:
    try:
        return Dialogue.model_validate(json.loads(line))
    except json.JSONDecodeError as error:
        raise InvalidInput(f"{place}: it is not JSON; write one dialogue a line") from error
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the line"
        raise InvalidInput(f"{place}: {where}: {first['msg']}") from error


# --- comparing --------------------------------------------------------------------------------------------------------


def flat(text: str) -> str:
    """Return a text as it is compared."""
    return _IDLE.sub("", simplified(unicodedata.normalize("NFKC", text)).casefold())


def missed(wanted: Dialogue, rows: Sequence[Row]) -> list[Fact]:
    """Return the labelled facts that no active memory states."""
    active = [row for row in rows if row.is_active]
    return [fact for fact in wanted.facts if not any(states(row, fact) for row in active)]


def states(row: Row, fact: Fact) -> bool:
    """Return whether a memory has the words of a fact, in its content or its value, a sensible type and the fact's key."""
    if row.type != fact.type and not any({row.type, fact.type} <= group for group in SENSIBLE):
        return False
    if fact.key and flat(_id(fact.key)) != flat(_id(row.key or "")):
        return False
    words = [flat(word) for word in fact.must_contain]
    return any(all(word in told for word in words) for told in _told(row))


def broken(wanted: Dialogue, rows: Sequence[Row]) -> list[str]:
    """Return what was stored against the labels: each ``never`` that a memory holds, and what a silent dialogue left."""
    secret = wanted.kind in SECRET_KINDS
    seen = [told for row in rows if row.is_active or secret for told in (*_told(row), flat(row.key or ""))]
    found = [never for never in wanted.never if any(flat(never) in told for told in seen)]
    if wanted.is_silent:
        found += [row.content for row in rows if row.is_active][:1]
    return found


def traps(wanted: Dialogue) -> int:
    """Return in how many ways a dialogue can be broken: its ``never``, and one more if nothing of it may be remembered."""
    return len(wanted.never) + wanted.is_silent


def _told(row: Row) -> tuple[str, str]:
    value = row.value
    if isinstance(value, Mapping | Sequence) and not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False)
    return flat(row.content), "" if value is None else flat(str(value))


def _id(key: str) -> str:
    return key.partition(":")[2]
