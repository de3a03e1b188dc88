"""Deletion records in SQLite: what was deleted, by key and keyed hash, so that it does not come back from a transcript."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from zhiji.stores.base import MemoryChange, Tombstone
from zhiji.stores.instants import instant, micros
from zhiji.stores.rows import compact
from zhiji.stores.tombstones import Candidates
from zhiji.types import Memory, Source

TABLES = """
CREATE TABLE zhiji_deletions (
  owner INTEGER NOT NULL REFERENCES zhiji_owners (id),
  digest TEXT NOT NULL,                -- keyed hash of the content
  key TEXT NOT NULL,                   -- keyed hash of the key; empty: it had none
  time INTEGER NOT NULL,
  PRIMARY KEY (owner, digest, key)
) WITHOUT ROWID;
CREATE INDEX zhiji_deletions_key ON zhiji_deletions (owner, key);

CREATE TABLE zhiji_unsaid (            -- messages that said what was deleted: no summary tells their turns again
  owner INTEGER NOT NULL REFERENCES zhiji_owners (id),
  session TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (owner, session, seq)
) WITHOUT ROWID;
"""

_GIVEN = "(SELECT value FROM json_each(?))"


def bury(connection: sqlite3.Connection, owner: int, tombstone: Tombstone) -> None:
    """The deletion is on record; of two alike the later time stays."""
    connection.execute(
        """INSERT INTO zhiji_deletions (owner, digest, key, time) VALUES (?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET time = max(time, excluded.time)""",
        (owner, tombstone.content_digest, tombstone.key or "", micros(tombstone.deleted_at)),
    )


def unsay(connection: sqlite3.Connection, owner: int, sources: Sequence[Source]) -> None:
    """These messages are on record, and the owner's summaries are gone; see ``MemoryChange.unsaid``."""
    rows = [(owner, source.session, seq) for source in sources for seq in source.seqs]
    connection.executemany("INSERT OR IGNORE INTO zhiji_unsaid (owner, session, seq) VALUES (?, ?, ?)", rows)
    if sources:
        connection.execute("DELETE FROM zhiji_summaries WHERE owner = ?", (owner,))
        connection.execute("UPDATE zhiji_sessions SET summary_upto = 0 WHERE owner = ?", (owner,))


def unsaid(connection: sqlite3.Connection, owner: int, session_id: str) -> frozenset[int]:
    """See ``Store.unsaid``."""
    rows = connection.execute("SELECT seq FROM zhiji_unsaid WHERE owner = ? AND session = ?", (owner, session_id))
    return frozenset(seq for (seq,) in rows)


def find(connection: sqlite3.Connection, owner: int, *, keys: Sequence[str], digests: Sequence[str]) -> list[Tombstone]:
    """See ``Store.tombstones``."""
    rows = connection.execute(
        f"""SELECT key, digest, time FROM zhiji_deletions WHERE owner = ? AND digest IN {_GIVEN}
            UNION SELECT key, digest, time FROM zhiji_deletions INDEXED BY zhiji_deletions_key
            WHERE owner = ? AND key IN {_GIVEN}""",
        (owner, compact(list(digests)), owner, compact([key for key in keys if key])),
    )
    return [Tombstone(key=key or None, content_digest=digest, deleted_at=instant(time)) for key, digest, time in rows]


def without_buried(
    connection: sqlite3.Connection, owner: int, change: MemoryChange, digest: Callable[[str], str]
) -> MemoryChange:
    """Return ``change`` without the new memories that a deletion record forbids; see ``Store.commit_sediment``.

    ``digest`` is ``Store.digest`` without await. A memory whose sources cannot be found is as old as ``valid_from``.
    """
    new = Candidates.of(change, digest)
    records = find(connection, owner, keys=list(new.keys.values()), digests=list(new.digests.values()))
    buried = {memory.id for memory, time in new.deleted(records) if time >= _said_at(connection, owner, memory)}
    return replace(change, puts=[put for put in change.puts if put.memory.id not in buried])


def _said_at(connection: sqlite3.Connection, owner: int, memory: Memory) -> datetime:
    newest = f"SELECT max(time) FROM zhiji_messages WHERE owner = ? AND session = ? AND seq IN {_GIVEN}"
    given = [(owner, source.session, json.dumps(source.seqs)) for source in memory.sources]
    times = [connection.execute(newest, source).fetchone()[0] for source in given]
    return max((instant(time) for time in times if time is not None), default=memory.valid_from)
