"""What the embedded extractor makes of ordinary talk: ``python -m benchmarks ordinary [--data DIR] [--show]``.

Six hundred user turns of public dialogues that nobody here wrote (LoCoMo, MemDaily, CrossWOZ; 200 of each, the same every time) are
read with the few messages before them, as after a live turn. Whether what is then remembered was said of the user is no
question for a program: people have read it, and ``ordinary.jsonl`` keeps their verdicts, by the id of the turn and a digest of
what was remembered; no words. What has changed since is counted as unread. ``--show`` prints the turns with what is remembered of
them, to be read. In LoCoMo, where two people talk, each is the user of their own turns.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import random
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from benchmarks import report
from zhiji.config import Settings
from zhiji.extract import Increment
from zhiji.extract.rules import propose
from zhiji.sediment import CONTEXT_MESSAGES, mask_message
from zhiji.types import Draft, Message

DATA = Path(__file__).parents[2] / "shared/data"
VERDICTS = Path(__file__).with_suffix(".jsonl")
SEED = 2026
PER_SET = 200
"""Turns drawn of each set."""
START = datetime(2026, 3, 10, 14, 30, tzinfo=UTC)
"""Time of turns that have none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One user turn with what was said before it."""

    id: str
    messages: Sequence[Message]
    """The turn is the last."""


def turns(folder: Path) -> Iterator[tuple[str, list[Said]]]:
    """Yield the name of each set and its user turns, in the order of the file."""
    for name in ("locomo", "memdaily_dev"):
        yield name, list(_remembered(folder / f"retrieval/{name}.jsonl", name))
    yield "crosswoz", list(_crosswoz(folder / "dialogue_state/crosswoz_test.json.zip"))


def _remembered(path: Path, name: str) -> Iterator[Said]:
    for line in path.read_text(encoding="utf-8").splitlines():
        owner = json.loads(line)
        sessions: dict[str, list[dict[str, Any]]] = {}
        for item in owner["items"]:
            before = sessions.setdefault(str(item["session"]), [])
            alone = name == "memdaily_dev"  # notes that have nothing to do with one another
            past = [] if alone else before[-CONTEXT_MESSAGES:]
            before.append(item)
            time = datetime.fromisoformat(item["time"]).replace(tzinfo=UTC)
            talk = [
                ("user" if one["speaker"] == item["speaker"] else "assistant", one["text"]) for one in (*past, item)
            ]
            yield Said(id=f"{name}/{owner['owner']}/{item['id']}", messages=_messages(talk, time))


def _crosswoz(path: Path) -> Iterator[Said]:
    with zipfile.ZipFile(path) as archive:
        dialogues = json.loads(archive.read("test.json"))
    for number, dialogue in dialogues.items():
        talk = [("user" if one["role"] == "usr" else "assistant", one["content"]) for one in dialogue["messages"]]
        for place, (role, _) in enumerate(talk):
            if role == "user":
                heard = talk[max(0, place - CONTEXT_MESSAGES) : place + 1]
                yield Said(id=f"crosswoz/{number}/{place}", messages=_messages(heard, START))


def _messages(talk: Sequence[tuple[str, str]], time: datetime) -> list[Message]:
    roles: dict[str, Literal["user", "assistant"]] = {"user": "user", "assistant": "assistant"}
    return [
        mask_message(Message(role=roles[role], content=content, time=time, seq=place, turn=place))
        for place, (role, content) in enumerate(talk, 1)
    ]


def sample(folder: Path) -> list[Said]:
    """Return the turns that are read: of each set ``PER_SET``, drawn by ``SEED``."""
    drawn = random.Random(SEED)
    return [one for _, every in turns(folder) for one in drawn.sample(every, min(PER_SET, len(every)))]


def remembered(said: Said, gate: float) -> list[Draft]:
    """Return the facts that would be active memories after this turn."""
    *before, turn = said.messages
    found = propose(Increment(context=before, messages=[turn], now=turn.time))
    return [draft for draft in found if draft.op == "assert" and not draft.suspicious and draft.confidence >= gate]


def digest(facts: Sequence[Draft]) -> str:
    """Return what tells one set of remembered facts from another, and nothing of their words."""
    told = json.dumps(sorted([fact.type, fact.key or "", fact.content] for fact in facts), ensure_ascii=False)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def verdicts(path: Path = VERDICTS) -> dict[tuple[str, str], int]:
    """Return how many false facts were found in a turn, by its id and the digest of what was remembered of it."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    return {(row["id"], row["digest"]): row["false"] for row in rows}


async def main(argv: Sequence[str] | None = None) -> None:
    """Read, compare with the verdicts, and print; or show what is to be read."""
    parser = argparse.ArgumentParser(prog="benchmarks ordinary", description="False facts on ordinary talk.")
    parser.add_argument("--data", type=Path, default=DATA, help="folder with retrieval/ and dialogue_state/")
    parser.add_argument("--show", action="store_true", help="print each turn with what is remembered of it")
    options = parser.parse_args(argv)
    if not options.data.is_dir():
        parser.error(f"there is no folder {options.data}; name the one with retrieval/ and dialogue_state/ by --data")
    gate = Settings().confidence_gate
    read = [(said, remembered(said, gate)) for said in sample(options.data)]
    if options.show:
        for said, facts in read:
            print(_shown(said, facts))
        return
    known = verdicts()
    told = [(said, facts, 0 if not facts else known.get((said.id, digest(facts)))) for said, facts in read]
    false = sum(count or 0 for _, _, count in told)
    rows = [report.ratio("false facts / turns over 200", false, len(read) / 200, most=1)]
    details = {
        "turns": len(read),
        "turns_with_facts": sum(bool(facts) for _, facts in read),
        "facts": sum(len(facts) for _, facts in read),
        "false": false,
        "unread": sum(count is None for _, _, count in told),
    }
    report.publish("ordinary talk", {"seed": SEED, "per_set": PER_SET}, rows, details)


def _shown(said: Said, facts: Sequence[Draft]) -> str:
    heard = [f"{message.role}: {message.content}" for message in said.messages]
    told = [f"{fact.type} {fact.key or '-'}: {fact.content}" for fact in facts]
    row = {"id": said.id, "digest": digest(facts), "heard": heard, "remembered": told}
    return json.dumps(row, ensure_ascii=False)


if __name__ == "__main__":
    asyncio.run(main())
