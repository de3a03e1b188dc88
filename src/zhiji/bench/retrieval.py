"""``zhiji bench retrieval``: how well recall finds what was said, on any file in the format of ``dataset``.

Each owner's items go in by ``Zhiji.ingest``, session by session, and sediment like any conversation; then each question
is recalled with the clock at the owner's last item and retention off. A recalled memory counts as the items it came
from, best first. Everything happens in a database of its own that is gone afterwards.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from zhiji.bench import dataset, metrics
from zhiji.config import Settings
from zhiji.engine import Zhiji
from zhiji.ingest import MAX_MESSAGES
from zhiji.models.base import Embedder
from zhiji.types import JsonValue, Recalled

Progress = Callable[[str, int, int], None]
"""Told the owner's name, how many owners are done and how many there are."""

CONFIG = ("extractor", "episodes", "recall_weights", "memory_quota")
"""Settings that the figures depend on; they are part of the report."""
UNLIMITED = {"user_limits": "", "tenant_limits": ""}
"""Settings of whoever measures, and not of whoever chats."""

Items = dict[tuple[str, int], str]
"""Item id by session id and message number."""


@dataclass(slots=True)
class _Tally:
    figures: list[dict[str, float]] = field(default_factory=list)
    groups: dict[str, list[dict[str, float]]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)

    def add(self, group: str, figures: dict[str, float], seconds: float) -> None:
        self.figures.append(figures)
        self.groups.setdefault(group, []).append(figures)
        self.seconds.append(seconds)


class _Clock:
    """Stands at the last item of the owner at hand."""

    def __init__(self) -> None:
        self.now = datetime.fromtimestamp(0, UTC)

    def __call__(self) -> datetime:
        return self.now


async def run(
    path: Path,
    *,
    owners: Sequence[int] | None = None,
    ks: Sequence[int] = (5, 10),
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    progress: Progress | None = None,
) -> dict[str, JsonValue]:
    """Return the report: figures over all questions, per group, latency, size and configuration.

    ``owners``: line numbers from 1, None for all. ``ks``: depths of recall, each at least 1; 5 and 10 are always there.
    ``settings``: those that a user would run with; database, worker, retention and limits are replaced. ``embedder``: instead of
    the configured one.

    Raises:
        InvalidInput: the file does not have the format; the text names the line and the place.
    """
    depths = sorted({5, 10, *ks})
    chosen = list(dataset.load(path, owners))
    tally, clock = _Tally(), _Clock()
    with TemporaryDirectory(prefix="zhiji-bench-") as folder:
        file = Path(folder, "bench.db")
        own = (settings or Settings.load()).model_copy(
            update={"database_url": f"sqlite:///{file}", "worker": False, "retention": False, "redis_url": None}
            | UNLIMITED
        )
        async with Zhiji.open(own, clock=clock, embedder=embedder) as zj:
            for done, owner in enumerate(chosen):
                if progress:
                    progress(owner.name, done, len(chosen))
                clock.now = owner.last_time
                await _measure(zj, owner, depths, tally)
        rows, size, models = await asyncio.to_thread(_contents, file)
    return _report(tally, own, models=models, rows=rows, size=size)


async def _measure(zj: Zhiji, owner: dataset.Owner, ks: Sequence[int], tally: _Tally) -> None:
    items = await _ingest(zj, owner)
    await zj.drain(owner.name)
    for question in owner.questions:
        started = time.perf_counter()
        found = await zj.recall(owner.name, question.text, k=max(ks))
        seconds = time.perf_counter() - started
        tally.add(question.group, metrics.of_question(_ranked(found, items), question.gold, ks), seconds)


async def _ingest(zj: Zhiji, owner: dataset.Owner) -> Items:
    """Return which item each stored message is."""
    items: Items = {}
    for said in owner.sessions():
        session, seq = None, 0
        for start in range(0, len(said), MAX_MESSAGES):
            part = said[start : start + MAX_MESSAGES]
            session = await zj.ingest(owner.name, [_message(item) for item in part], session=session)
            for item in part:
                seq += 1
                items[session.id, seq] = item.id
    return items


def _message(item: dataset.Item) -> Mapping[str, object]:
    """Return an item as a message: people are users with a name, an assistant is one."""
    role = "assistant" if item.speaker == "assistant" else "user"
    name = None if item.speaker in ("assistant", "user") else item.speaker
    return {"role": role, "content": item.text, "name": name, "time": item.time}


def _ranked(found: Sequence[Recalled], items: Items) -> list[str]:
    """Return the items that the recalled memories came from, best first, without repeats."""
    sources = (source for recalled in found for source in recalled.memory.sources)
    places = ((source.session, seq) for source in sources for seq in source.seqs)
    return list(dict.fromkeys(items[place] for place in places if place in items))


def _contents(file: Path) -> tuple[int, int, list[str]]:
    """Return how many memories and episodes the database holds, its bytes, and whose vectors are in it."""
    with closing(sqlite3.connect(file)) as connection:
        (rows,) = connection.execute("SELECT count(*) FROM zhiji_memories").fetchone()
        models = connection.execute("SELECT DISTINCT model FROM zhiji_vectors ORDER BY model").fetchall()
    return rows, file.stat().st_size, [model for (model,) in models]


def _report(tally: _Tally, settings: Settings, *, models: Sequence[str], rows: int, size: int) -> dict[str, JsonValue]:
    groups: dict[str, JsonValue] = {
        group: {"questions": len(figures), **metrics.mean(figures)} for group, figures in sorted(tally.groups.items())
    }
    return {
        "questions": len(tally.figures),
        **metrics.mean(tally.figures),
        "groups": groups,
        "latency_ms": {
            name: round(1000 * metrics.percentile(tally.seconds, share), 3)
            for name, share in (("p50", 0.5), ("p95", 0.95))
        },
        "rows": rows,
        "bytes": size,
        "config": {**settings.model_dump(mode="json", include=set(CONFIG)), "embedder": ", ".join(models) or None},
    }
