"""``zhiji bench consolidation``: how often what is told a second time, changed or new becomes the right memory.

One line of a file is ``{"old", "new", "relation"}``, ``relation`` being ``same``, ``supersede`` or ``distinct``; other fields are
ignored. Each pair is a user of its own, who said ``old`` in one conversation and says ``new`` in a later one; both take the
whole background path in a database that is gone afterwards, without a chat model. Nothing of a file is guessed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

from zhiji import text
from zhiji.bench.retrieval import UNLIMITED
from zhiji.config import Settings
from zhiji.engine import Zhiji
from zhiji.errors import InvalidInput
from zhiji.extract import Extractor, Increment, Proposal
from zhiji.models.base import Embedder
from zhiji.relation.judge import Relation
from zhiji.types import Draft, JsonValue, Memory, Status

Progress = Callable[[int, int], None]
"""Told how many pairs are done and how many there are."""

RELATIONS: Sequence[Relation] = get_args(Relation)
TYPE = "preference"
"""Of both memories of a pair: a type of which the user is the best source."""
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
LATER = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """What was known, what is said later, and what that is to become."""

    old: str
    new: str
    relation: Relation


def load(path: Path) -> list[Pair]:
    """Return the pairs of a file; blank lines hold none.

    Raises:
        InvalidInput: the file cannot be read, holds no pair, or a line does not have the format; the text names the line.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            lines = list(file)
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path}: cannot be read as UTF-8 text; check the path and the file") from error
    pairs = [_pair(line, f"{path.name}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]
    if not pairs:
        raise InvalidInput(f"{path.name} holds no pair; write one a line")
    return pairs


def _pair(line: str, where: str) -> Pair:
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{where}: this is not JSON; each line must be one JSON object") from error
    if not isinstance(raw, dict):
        raise InvalidInput(f"{where}: expected a JSON object")
    said = {name: raw.get(name) for name in ("old", "new")}
    for name, words in said.items():
        if not isinstance(words, str) or not text.normalise(text.clean(words)):
            raise InvalidInput(f"{where}: `{name}` must be a text with something in it")
    relation = next((known for known in RELATIONS if raw.get("relation") == known), None)
    if relation is None:
        raise InvalidInput(f"{where}: `relation` must be one of {', '.join(RELATIONS)}")
    return Pair(old=str(said["old"]), new=str(said["new"]), relation=relation)


async def run(
    path: Path,
    *,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    progress: Progress | None = None,
) -> dict[str, JsonValue]:
    """Return how many pairs became what their label says, over all and by label, and how many distinct ones were merged.

    ``settings``: those that a user would run with; database, worker, retention and limits are replaced, and no chat model
    is asked. ``embedder``: instead of the configured one.

    Raises:
        InvalidInput: the file does not have the format; the text names the line.
    """
    pairs = load(path)
    told: list[tuple[Relation, Relation | None]] = []
    clock = _Clock()
    with TemporaryDirectory(prefix="zhiji-bench-") as folder:
        own = (settings or Settings.load()).model_copy(
            update={"database_url": f"sqlite:///{Path(folder, 'bench.db')}", "worker": False, "retention": False}
            | {"redis_url": None, "model": "offline", "llm_model": None, "episodes": "off"}
            | UNLIMITED
        )
        async with Zhiji.open(own, clock=clock, embedder=embedder, extractor=_Verbatim()) as zj:
            for done, pair in enumerate(pairs):
                if progress:
                    progress(done, len(pairs))
                told.append((pair.relation, await _told(zj, clock, f"pair-{done + 1}", pair)))
    return _report(told)


class _Clock:
    """Moves on by a day between the two conversations."""

    def __init__(self) -> None:
        self.now = FIRST

    def __call__(self) -> datetime:
        return self.now


class _Verbatim(Extractor):
    """Takes each message of a user for a fact, as it is said."""

    name = "verbatim"
    every_turn = True

    async def extract(self, increment: Increment) -> Proposal:
        """Return one draft a message."""
        said = [message for message in increment.messages if message.role == "user"]
        return Proposal(
            drafts=[
                Draft(type=TYPE, content=one.content, seqs=(one.seq,), lang=text.language(one.content)) for one in said
            ]
        )


async def _told(zj: Zhiji, clock: _Clock, user: str, pair: Pair) -> Relation | None:
    """Return what became of the pair; None if it is none of the three: the new one waits, or was left out."""
    clock.now = FIRST
    (old,) = await _say(zj, user, pair.old)
    clock.now = FIRST + LATER
    return _became(old, await _say(zj, user, pair.new))


async def _say(zj: Zhiji, user: str, words: str) -> list[Memory]:
    await zj.ingest(user, [{"role": "user", "content": words}])
    await zj.drain(user)
    return await zj.memories.list(user, statuses=list(Status))


def _became(old: Memory, rows: Iterable[Memory]) -> Relation | None:
    by_id = {row.id: row for row in rows}
    known = by_id[old.id]
    active = [row for row in by_id.values() if row.status is Status.ACTIVE]
    if [row.id for row in active] == [old.id]:
        return "same" if len(known.sources) > len(old.sources) else None
    if known.status is Status.SUPERSEDED and [row.id for row in active] == [known.superseded_by]:
        return "supersede"
    return "distinct" if known.status is Status.ACTIVE and len(active) == 2 else None


def _report(told: Sequence[tuple[Relation, Relation | None]]) -> dict[str, JsonValue]:
    by_relation: dict[str, JsonValue] = {
        name: {
            "right": sum(label == became == name for label, became in told),
            "total": sum(label == name for label, _ in told),
        }
        for name in RELATIONS
    }
    return {
        "right": sum(label == became for label, became in told),
        "total": len(told),
        "distinct_merged": sum(label == "distinct" and became in ("same", "supersede") for label, became in told),
        "by_relation": by_relation,
    }
