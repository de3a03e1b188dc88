"""How extracted drafts are compared with labelled dialogues: as stored memories are (``zhiji.bench.labels``), without a store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final

from zhiji import masking
from zhiji.bench import labels
from zhiji.extract import Increment
from zhiji.extract.rules import propose
from zhiji.types import Draft, Message, Role

NOW: Final = datetime(2026, 3, 10, 14, 30, tzinfo=UTC)
GATE: Final = 0.7

Dialogue = Sequence[tuple[Role, str]]
Read = Callable[[Dialogue], list[Draft]]
"""Reads a dialogue: ``drafts`` at once, ``by_turns`` as in a live session."""


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


def said(wanted: labels.Dialogue) -> list[tuple[Role, str]]:
    """Return the dialogue of a labelled one as it is read."""
    return [(message.role, message.content) for message in wanted.dialogue]


def active(found: Sequence[Draft]) -> list[Draft]:
    """Return the drafts that would become active memories."""
    return [draft for draft in found if draft.op == "assert" and not draft.suspicious and draft.confidence >= GATE]


def rows(found: Sequence[Draft]) -> list[labels.Row]:
    """Return the drafts as the memories that they would become."""
    return [
        labels.Row(type=draft.type, content=draft.content, key=draft.key, value=draft.value) for draft in active(found)
    ]


def missed(wanted: labels.Dialogue, found: Sequence[Draft]) -> list[labels.Fact]:
    """Return the labelled facts that no draft states."""
    return labels.missed(wanted, rows(found))


def broken(wanted: labels.Dialogue, found: Sequence[Draft]) -> list[str]:
    """Return the ``never`` texts that an active draft contains, and any fact where none may be."""
    return labels.broken(wanted, rows(found))
