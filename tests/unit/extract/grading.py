"""How extracted drafts are compared with labelled dialogues.

Both sides are compared after NFKC, case folding, traditional → simplified, without white space and dashes. A fact is found
when one active draft has all its words and a fitting type; a ``never`` is broken when its text occurs in an asserted,
unsuspicious draft of sufficient confidence.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from zhiji import masking
from zhiji.extract import Increment
from zhiji.extract.fold import fold
from zhiji.extract.rules import propose
from zhiji.types import Draft, Message, Role

NOW: Final = datetime(2026, 3, 10, 14, 30, tzinfo=UTC)
GATE: Final = 0.7
SILENT_KINDS: Final = frozenset({"smalltalk", "question"})
_BLUR: Final = (
    frozenset({"identity", "preference", "task", "event"}),
    frozenset({"order", "shipment", "after_sale", "conclusion", "task", "event"}),
)


Dialogue = Sequence[tuple[Role, str]]
Read = Callable[[Dialogue], list[Draft]]
"""Reads a dialogue: ``drafts`` at once, ``by_turns`` as in a live session."""


@dataclass(frozen=True, slots=True)
class Case:
    """One labelled dialogue."""

    id: str
    kind: str
    dialogue: tuple[tuple[Role, str], ...]
    facts: tuple[dict[str, Any], ...]
    never: tuple[str, ...]


def cases(path: Path) -> Iterator[Case]:
    """Yield the labelled dialogues of a JSON-lines file."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        dialogue = tuple((message["role"], message["content"]) for message in row["dialogue"])
        yield Case(row["id"], row["kind"], dialogue, tuple(row["facts"]), tuple(row["never"]))


def messages(dialogue: Dialogue, *, first_seq: int = 1, at: datetime = NOW) -> list[Message]:
    """Return a dialogue as the masked messages that an extractor gets."""
    return [
        Message(role=role, content=masking.mask(content), time=at, seq=first_seq + index, turn=1)
        for index, (role, content) in enumerate(dialogue)
    ]


def drafts(dialogue: Dialogue, *, at: datetime = NOW) -> list[Draft]:
    """Return what the rules propose for a dialogue read in one pass."""
    return propose(Increment(messages=messages(dialogue, at=at), now=at))


def by_turns(dialogue: Dialogue, *, at: datetime = NOW) -> list[Draft]:
    """Return what remains of a dialogue that is read turn by turn, as in a live session."""
    whole = messages(dialogue, at=at)
    starts = [index for index, message in enumerate(whole) if message.role == "user"] or [0]
    active: list[Draft] = []
    for start, end in zip([0, *starts[1:]], [*starts[1:], len(whole)], strict=True):
        context = whole[max(0, start - 4) : start]
        for draft in propose(Increment(context=context, messages=whole[start:end], now=at)):
            same = [old for old in active if (old.key == draft.key if draft.key else old.content == draft.content)]
            active = [old for old in active if old not in same]
            if draft.op == "assert":
                active.append(draft)
    return active


def flat(text: str) -> str:
    """Return a text as it is compared."""
    return re.sub(r"[\s\-_–—]+", "", fold(unicodedata.normalize("NFKC", text)).casefold())


def active(found: Sequence[Draft]) -> list[Draft]:
    """Return the drafts that would become active memories."""
    return [draft for draft in found if draft.op == "assert" and not draft.suspicious and draft.confidence >= GATE]


def _fits(draft: Draft, fact: dict[str, Any]) -> bool:
    blurred = any({draft.type, fact["type"]} <= group for group in _BLUR)
    text = flat(f"{draft.content} {draft.value}")
    words = all(flat(word) in text for word in fact["must_contain"])
    key = fact["key"] and fact["key"].partition(":")[2].lower()
    return blurred and words and (not key or key == (draft.key or "").partition(":")[2].lower())


def missed(case: Case, found: Sequence[Draft]) -> list[dict[str, Any]]:
    """Return the labelled facts that no draft states."""
    stated = active(found)
    return [fact for fact in case.facts if not any(_fits(draft, fact) for draft in stated)]


def broken(case: Case, found: Sequence[Draft]) -> list[str]:
    """Return the ``never`` texts that an active draft contains, and any fact where none may be."""
    contents = [flat(draft.content) for draft in active(found)]
    nevers = [never for never in case.never if any(flat(never) in content for content in contents)]
    silent = [draft.content for draft in active(found)] if case.kind in SILENT_KINDS else []
    return nevers + silent
