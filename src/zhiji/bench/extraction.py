"""``zhiji bench extraction``: how much of what must be remembered is, and what is remembered that must not be.

Each dialogue of a file (``labels``) is a user of their own: it goes in by ``Zhiji.ingest``, sediments like any conversation, and
what is then stored is compared with its labels. Everything happens in a database of its own that is gone afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from zhiji.bench import labels
from zhiji.bench.retrieval import UNLIMITED
from zhiji.config import Settings
from zhiji.engine import Zhiji
from zhiji.errors import InvalidInput
from zhiji.models.base import Model
from zhiji.policies import listed_types
from zhiji.types import JobStatus, JsonValue, Memory, Status

Progress = Callable[[str, int, int], None]
"""Told a dialogue's id, how many are done and how many there are."""


@dataclass(slots=True)
class Tally:
    """What was counted over some dialogues."""

    facts: int = 0
    found: int = 0
    nevers: int = 0
    broken: int = 0

    def add(self, other: Tally) -> None:
        """What was counted elsewhere is counted here, too."""
        self.facts += other.facts
        self.found += other.found
        self.nevers += other.nevers
        self.broken += other.broken

    def report(self) -> dict[str, JsonValue]:
        """Return the figures; ``recall`` is None where nothing was to be found."""
        return {
            "facts": self.facts,
            "found": self.found,
            "recall": round(self.found / self.facts, 4) if self.facts else None,
            "nevers": self.nevers,
            "broken": self.broken,
        }


@dataclass(slots=True)
class _Count:
    all: Tally = field(default_factory=Tally)
    by_kind: dict[str, Tally] = field(default_factory=dict)
    by_lang: dict[str, Tally] = field(default_factory=dict)
    by_type: dict[str, Tally] = field(default_factory=dict)
    memories: int = 0
    failed: int = 0
    """Dialogues that the extractor could not read."""
    wrong: list[JsonValue] = field(default_factory=list)

    def add(self, wanted: labels.Dialogue, rows: Sequence[labels.Row]) -> None:
        missed, broken = labels.missed(wanted, rows), labels.broken(wanted, rows)
        tally = Tally(len(wanted.facts), len(wanted.facts) - len(missed), labels.traps(wanted), len(broken))
        for table, name in ((self.by_kind, wanted.kind), (self.by_lang, wanted.lang)):
            table.setdefault(name, Tally()).add(tally)
        for fact in wanted.facts:
            self.by_type.setdefault(fact.type, Tally()).add(Tally(1, fact not in missed))
        self.all.add(tally)
        self.memories += sum(row.is_active for row in rows)
        if missed or broken:
            lacking: list[JsonValue] = [list(fact.must_contain) for fact in missed]
            self.wrong.append({"id": wanted.id, "missed": lacking, "broken": list(broken)})


async def run(
    path: Path,
    *,
    settings: Settings | None = None,
    model: Model | None = None,
    progress: Progress | None = None,
    explain: bool = False,
) -> dict[str, JsonValue]:
    """Return the report: facts found, labels broken, memories made; by kind, language and type.

    ``settings``: those that a user would run with; database, worker, retention and limits are replaced. ``model``: asked
    instead of the configured one. ``failed`` is there if the extractor could not read some of them: how many. ``explain`` adds ``wrong``: what each dialogue missed and broke.

    Raises:
        InvalidInput: the file does not have the format, or holds nothing; the text names the line and the place.
    """
    dialogues = list(labels.load(path))
    if not dialogues:
        raise InvalidInput(f"{path.name} holds no dialogue; write one a line")
    count = _Count()
    with TemporaryDirectory(prefix="zhiji-bench-") as folder:
        own = (settings or Settings.load()).model_copy(
            update={
                "database_url": f"sqlite:///{Path(folder, 'bench.db')}",
                "redis_url": None,
                "worker": False,
                "retention": False,
            }
            | UNLIMITED
        )
        async with Zhiji.open(own, model=model) as zj:
            for done, wanted in enumerate(dialogues):
                if progress:
                    progress(wanted.id, done, len(dialogues))
                user = f"{done}"
                count.add(wanted, await _stored(zj, user, wanted))
                count.failed += bool(await zj.jobs.list(user, statuses=[JobStatus.DEAD]))
    return _report(count, explain=explain)


async def _stored(zj: Zhiji, user: str, wanted: labels.Dialogue) -> list[labels.Row]:
    """Return what is stored of a user once the dialogue has sedimented."""
    await zj.ingest(user, [message.model_dump() for message in wanted.dialogue])
    await zj.drain(user)
    return [_row(memory) for memory in await zj.memories.list(user, statuses=list(Status), types=listed_types())]


def _row(memory: Memory) -> labels.Row:
    return labels.Row(
        type=memory.type,
        content=memory.content,
        key=memory.key,
        value=memory.value,
        is_active=memory.status is Status.ACTIVE,
    )


def _report(count: _Count, *, explain: bool) -> dict[str, JsonValue]:
    tables = {"by_kind": count.by_kind, "by_lang": count.by_lang, "by_type": count.by_type}
    return {
        **count.all.report(),
        "memories": count.memories,
        **{name: _rows(table.items()) for name, table in tables.items()},
        **({"failed": count.failed} if count.failed else {}),
        **({"wrong": count.wrong} if explain else {}),
    }


def _rows(table: Iterable[tuple[str, Tally]]) -> dict[str, JsonValue]:
    return {name: tally.report() for name, tally in sorted(table)}
