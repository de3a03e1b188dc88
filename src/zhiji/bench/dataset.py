"""The file format of ``zhiji bench retrieval``: one owner a line, what was said to them and what was asked later.

One line is ``{"owner", "items": [{"id", "session", "time" (ISO 8601), "speaker", "text"}], "questions": [{"question",
"gold": [item ids], "group"}]}``; other fields are ignored. Nothing of a file is guessed: what does not fit is refused
with its line, its place and what was expected there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from zhiji.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One message."""

    id: str
    session: str
    time: datetime
    speaker: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question and the items that answer it."""

    text: str
    gold: frozenset[str]
    group: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """One line of the file."""

    name: str
    items: Sequence[Item]
    """In the order in which they were said."""
    questions: Sequence[Question]

    @property
    def last_time(self) -> datetime:
        """The time of the latest item."""
        return max(item.time for item in self.items)

    def sessions(self) -> list[list[Item]]:
        """Return the items by session, in the order of each session's first item."""
        by_session: dict[str, list[Item]] = {}
        for item in self.items:
            by_session.setdefault(item.session, []).append(item)
        return list(by_session.values())


def load(path: Path, owners: Sequence[int] | None = None) -> Iterator[Owner]:
    """Yield the owners of a file; ``owners`` are line numbers from 1, None takes all. Blank lines count, but hold none.

    Raises:
        InvalidInput: the file cannot be read, has no such line, or a line does not have the format.
    """
    wanted = None if owners is None else set(owners)
    number = 0
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip() and (wanted is None or number in wanted):
                    yield _owner(line, f"{path.name}, line {number}")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path}: cannot be read as UTF-8 text; check the path and the file") from error
    beyond = sorted(line for line in wanted or () if not 1 <= line <= number)
    if beyond:
        raise InvalidInput(f"{path.name} has {number} lines, there is no line {beyond[0]}; give numbers of its lines")


# --- one line -------------------------------------------------------------------------------------------------------


def _owner(line: str, where: str) -> Owner:
    try:
        raw = json.loads(line)
    except ValueError as error:
        raise InvalidInput(f"{where}: this is not JSON; each line must be one JSON object") from error
    record = _object(raw, where)
    items = [_item(entry, f"{where}, items[{index}]") for index, entry in enumerate(_list(record, "items", where))]
    questions = [
        _question(entry, f"{where}, questions[{index}]")
        for index, entry in enumerate(_list(record, "questions", where))
    ]
    if not items:
        raise InvalidInput(f"{where}: `items` is empty; there is nothing to remember")
    if len({item.id for item in items}) < len(items):
        raise InvalidInput(f"{where}: two items have the same `id`; ids must differ within an owner")
    return Owner(name=_text(record, "owner", where), items=items, questions=questions)


def _item(raw: object, where: str) -> Item:
    record = _object(raw, where)
    return Item(
        id=_label(record, "id", where),
        session=_label(record, "session", where),
        time=_time(_text(record, "time", where), where),
        speaker=_text(record, "speaker", where),
        text=_text(record, "text", where),
    )


def _question(raw: object, where: str) -> Question:
    record = _object(raw, where)
    gold = _list(record, "gold", where)
    if not all(isinstance(id_, str | int) for id_ in gold):
        raise InvalidInput(f"{where}: `gold` must be a list of item ids")
    group = record.get("group", "all")
    return Question(text=_text(record, "question", where), gold=frozenset(map(str, gold)), group=str(group))


def _object(raw: object, where: str) -> Mapping[str, object]:
    if not isinstance(raw, dict):
        raise InvalidInput(f"{where}: expected a JSON object")
    return raw


def _list(record: Mapping[str, object], name: str, where: str) -> list[object]:
    value = record.get(name)
    if not isinstance(value, list):
        raise InvalidInput(f"{where}: `{name}` must be a list")
    return value


def _text(record: Mapping[str, object], name: str, where: str) -> str:
    value = record.get(name)
    if not isinstance(value, str):
        raise InvalidInput(f"{where}: `{name}` must be a text")
    return value


def _label(record: Mapping[str, object], name: str, where: str) -> str:
    value = record.get(name)
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise InvalidInput(f"{where}: `{name}` must be a text or a whole number")
    return str(value)


def _time(value: str, where: str) -> datetime:
    try:
        time = datetime.fromisoformat(value)
    except ValueError as error:
        raise InvalidInput(f"{where}: `time` must be ISO 8601, like 2024-05-01T09:30:00") from error
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
