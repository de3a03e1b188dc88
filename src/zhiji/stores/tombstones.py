"""Which new memories a deletion record may forbid, and since when. No SQL is run here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from zhiji import text
from zhiji.stores.base import MemoryChange, Tombstone
from zhiji.types import Memory


@dataclass(frozen=True, slots=True)
class Candidates:
    """The memories of a change that were never written before and come from a dialogue, as deletion records name them."""

    memories: Sequence[Memory]
    digests: Mapping[str, str]
    """By id: the keyed hash of the content."""
    keys: Mapping[str, str]
    """By key: its keyed hash."""

    @classmethod
    def of(cls, change: MemoryChange, digest: Callable[[str], str]) -> Self:
        """Return those of ``change``; ``digest`` is ``Store.digest`` without await."""
        new = [put.memory for put in change.puts if not put.memory.revision and put.memory.sources]
        return cls(
            memories=new,
            digests={memory.id: digest(text.normalise(memory.content)) for memory in new},
            keys={memory.key: digest(memory.key) for memory in new if memory.key},
        )

    def deleted(self, records: Sequence[Tombstone]) -> Iterator[tuple[Memory, datetime]]:
        """Yield those that a record names, by content or key, each with the time of the last deletion."""
        for memory in self.memories:
            content, key = self.digests[memory.id], self.keys.get(memory.key or "")
            times = [one.deleted_at for one in records if one.content_digest == content or (key and one.key == key)]
            if times:
                yield memory, max(times)
