"""What recall says after a change: facts made from task dialogues in which a slot was given another value later.

    python -m benchmarks updates [--data DIR] [--dialogues N]

Reads ``*.json.zip`` with the annotated states of CrossWOZ (Chinese) or MultiWOZ (English), by default those in
``../shared/data/dialogue_state``. Each dialogue is a user. *Keyed*: every slot is remembered as a sentence under a key of its
own when it gets its first value, and again whenever that changes, among all other slots of the dialogue. *Raw*: the
utterances of the dialogue are ingested as they are. Then each changed slot is asked for in words. Told are the shares of
questions for which the first thing recalled has the current value, and those with a stale one among the first five;
beside last write wins: of the raw messages that share the most words with the question the newest first. Whether a raw
message has a value is told by its words, so one that names a value that was not annotated counts, too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks import report
from zhiji import Settings, Zhiji, text

DATA = Path("../shared/data/dialogue_state")
TYPE = "task"
K = 5
BEGAN = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
PACE = timedelta(minutes=1)
"""Time between two messages."""
TARGET = 0.95
"""Least share of keyed questions that the current value answers first."""

SLOTS = {
    "area": "area", "arriveBy": "arrival time", "book day": "booking day", "day": "day", "departure": "place of departure",
    "destination": "destination", "food": "food", "internet": "internet", "leaveAt": "departure time", "name": "name",
    "parking": "parking", "people": "number of people", "pricerange": "price range", "stars": "stars", "stay": "number of nights",
    "time": "booking time", "type": "type", "department": "department",
}  # fmt: skip
"""What the slots of MultiWOZ are called in English."""
_EMPTY = frozenset(("", "not mentioned", "none", "dontcare", "do not care", "don't care"))

Slot = tuple[str, str]
"""Domain and slot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """One dialogue: what was said, and the slots as annotated after each message."""

    lang: str
    messages: Sequence[tuple[str, str]]
    """Role and words."""
    states: Sequence[Mapping[Slot, str]]
    """After each message: the slots that were annotated with it, possibly none."""

    def writes(self) -> Iterator[tuple[int, Slot, str]]:
        """Yield each first and each changed value of a slot with the number of its message."""
        held: dict[Slot, str] = {}
        for number, state in enumerate(self.states):
            for slot, value in state.items():
                if held.get(slot) != value:
                    held[slot] = value
                    yield number, slot, value

    def changes(self) -> dict[Slot, list[str]]:
        """Return the values that changed slots had, the current one last."""
        values: dict[Slot, list[str]] = {}
        for _, slot, value in self.writes():
            values.setdefault(slot, []).append(value)
        return {slot: held for slot, held in values.items() if len(held) > 1}

    def sentence(self, slot: Slot, value: str) -> str:
        """Return the fact in the user's language."""
        domain, name = slot
        if self.lang == "zh":
            return f"用户要的{domain}的{name}是{value}"
        return f"The {_label(name)} the user wants for the {domain} is {value}"

    def question(self, slot: Slot) -> str:
        """Return the question for it."""
        domain, name = slot
        return f"{domain}的{name}要什么？" if self.lang == "zh" else f"What {_label(name)} for the {domain}?"


def _label(name: str) -> str:
    return SLOTS.get(name, name)


def load(file: Path) -> Iterator[Dialogue]:
    """Yield the dialogues of one archive."""
    with zipfile.ZipFile(file) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".json"))
        for dialogue in json.loads(archive.read(name)).values():
            yield _crosswoz(dialogue) if "messages" in dialogue else _multiwoz(dialogue)


def _crosswoz(raw: Mapping[str, Any]) -> Dialogue:
    said = raw["messages"]
    return Dialogue(
        lang="zh",
        messages=[("user" if one["role"] == "usr" else "assistant", one["content"]) for one in said],
        states=[
            {
                (domain, slot): value
                for domain, slots in one.get("sys_state", {}).items()
                for slot, value in slots.items()
                if isinstance(value, str) and value not in _EMPTY
            }
            for one in said
        ],
    )


def _multiwoz(raw: Mapping[str, Any]) -> Dialogue:
    said = raw["log"]
    return Dialogue(
        lang="en",
        messages=[("assistant" if number % 2 else "user", one["text"]) for number, one in enumerate(said)],
        states=[
            {
                (domain, slot): value
                for domain, parts in one["metadata"].items()
                for slots in parts.values()
                for slot, value in slots.items()
                if isinstance(value, str) and value not in _EMPTY
            }
            for one in said
        ],
    )


# --- asking -----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Tally:
    """Answers counted."""

    questions: int = 0
    current: int = 0
    """First thing with the current value."""
    stale: int = 0
    """Something with a former value, and without the current one, among the first ``K``."""

    def add(self, found: Sequence[str], values: Sequence[str]) -> None:
        """One question was answered by these texts, best first; the current value is the last."""
        *former, now = map(text.normalise, values)
        said = [text.normalise(words) for words in found[:K]]
        self.questions += 1
        self.current += bool(said and now in said[0])
        self.stale += any(old in words and now not in words for words in said for old in former if old not in now)

    def figures(self) -> dict[str, float]:
        """Return the shares."""
        return {
            "questions": self.questions,
            "current_first": round(self.current / max(self.questions, 1), 4),
            f"stale_in_{K}": round(self.stale / max(self.questions, 1), 4),
        }


async def keyed(zj: Zhiji, clock: Clock, user: str, dialogue: Dialogue, tally: Tally) -> None:
    """Remember every value when it was annotated, then ask for what changed."""
    for number, slot, value in dialogue.writes():
        clock.now = BEGAN + number * PACE
        await zj.remember(user, dialogue.sentence(slot, value), type=TYPE, key=".".join(slot))
    await zj.drain(user)
    for slot, values in dialogue.changes().items():
        found = await zj.recall(user, dialogue.question(slot), k=K)
        sentences = [dialogue.sentence(slot, value) for value in values]
        tally.add([one.memory.content for one in found], sentences)


async def raw(zj: Zhiji, clock: Clock, user: str, dialogue: Dialogue, tally: Tally) -> None:
    """Ingest what was said, then ask for what changed."""
    said = [
        {"role": role, "content": words, "time": BEGAN + number * PACE}
        for number, (role, words) in enumerate(dialogue.messages)
        if words.strip()
    ]
    clock.now = BEGAN + len(dialogue.messages) * PACE
    await zj.ingest(user, said)
    await zj.drain(user)
    for slot, values in dialogue.changes().items():
        found = await zj.recall(user, dialogue.question(slot), k=K)
        tally.add([one.memory.content for one in found], values)


def last_write(dialogue: Dialogue, tally: Tally) -> None:
    """The baseline: of the messages that share the most words with the question the newest first."""
    held = [(number, words, text.terms(words).keys()) for number, (_, words) in enumerate(dialogue.messages)]
    for slot, values in dialogue.changes().items():
        asked = text.query_terms(dialogue.question(slot)).keys()
        ranked = sorted(held, key=lambda one: (len(asked & one[2]), one[0]), reverse=True)
        tally.add([words for _, words, terms in ranked if asked & terms], values)


class Clock:
    """Stands where the dialogue is."""

    def __init__(self) -> None:
        self.now = BEGAN

    def __call__(self) -> datetime:
        return self.now


async def measure(
    dialogues: Sequence[Dialogue], settings: Settings, tell: Callable[[int], None] = lambda _: None
) -> dict[str, dict[str, float]]:
    """Return the shares of the three ways to answer."""
    tallies = {name: Tally() for name in ("keyed", "raw", "last_write")}
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        own = settings.model_copy(
            update={"database_url": f"sqlite:///{Path(folder, 'updates.db')}", "worker": False, "retention": False}
        )
        async with Zhiji.open(own, clock=clock) as zj:
            for number, dialogue in enumerate(dialogues):
                tell(number)
                await keyed(zj, clock, f"keyed-{number}", dialogue, tallies["keyed"])
                await raw(zj, clock, f"raw-{number}", dialogue, tallies["raw"])
                last_write(dialogue, tallies["last_write"])
    return {name: tally.figures() for name, tally in tallies.items()}


async def main(argv: Sequence[str] | None = None) -> None:
    """Measure each archive and print."""
    parser = argparse.ArgumentParser(
        prog="benchmarks updates", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA, metavar="DIR")
    parser.add_argument("--dialogues", type=int, default=None, metavar="N", help="at most so many of each archive")
    options = parser.parse_args(argv)
    files = sorted(options.data.glob("*.json.zip"))
    if not files:
        print(
            f"benchmarks updates: there is no *.json.zip in {options.data}; name its place by --data", file=sys.stderr
        )
        return
    settings = Settings.load()
    figures: dict[str, object] = {}
    rows: list[report.Row] = []
    for file in files:
        changed = [dialogue for dialogue in load(file) if dialogue.changes()][: options.dialogues]
        found = await measure(changed, settings)
        name = file.name.partition("_")[0].partition(".")[0]
        figures[name] = found
        asked = found["keyed"]["questions"]
        rows += [
            report.ratio(f"{name}: {way}, {what} / questions", share * asked, asked, most=most)
            for way, most in (("keyed", 1 - TARGET), ("raw", None), ("last_write", None))
            for what, share in (
                ("current value not first", 1 - found[way]["current_first"]),
                (f"stale value in the first {K}", found[way][f"stale_in_{K}"]),
            )
        ]
    report.publish(
        "updates", {"embedder": settings.embedder, "data": [file.name for file in files]}, rows, {"figures": figures}
    )


if __name__ == "__main__":
    asyncio.run(main())
