"""Deletion records in PostgreSQL: what was deleted, by key and keyed hash, so that it does not come back from a transcript."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from zhiji.stores.base import MemoryChange, Tombstone
from zhiji.stores.instants import instant, micros
from zhiji.stores.postgres.connection import Connection
from zhiji.stores.tombstones import Candidates
from zhiji.types import Memory, Source

_FIND = """
SELECT key, digest, time FROM zhiji_deletions WHERE owner = zhiji_owner() AND digest = ANY(%s)
UNION SELECT key, digest, time FROM zhiji_deletions WHERE owner = zhiji_owner() AND key = ANY(%s)
"""


async def bury(connection: Connection, tombstone: Tombstone) -> None:
    """The deletion is on record; of two alike the later time stays."""
    await connection.execute(
        """INSERT INTO zhiji_deletions AS d (owner, digest, key, time) VALUES (zhiji_owner(), %s, %s, %s)
           ON CONFLICT (owner, digest, key) DO UPDATE SET time = greatest(d.time, excluded.time)""",
        (tombstone.content_digest, tombstone.key or "", micros(tombstone.deleted_at)),
    )


async def unsay(connection: Connection, sources: Sequence[Source]) -> None:
    """These messages are on record, and the owner's summaries are gone; see ``MemoryChange.unsaid``."""
    if not sources:
        return
    said = [(source.session, seq) for source in sources for seq in source.seqs]
    await connection.execute(
        """INSERT INTO zhiji_unsaid (owner, session, seq) SELECT zhiji_owner(), * FROM unnest(%s::text[], %s::bigint[])
           ON CONFLICT (owner, session, seq) DO NOTHING""",
        ([session for session, _ in said], [seq for _, seq in said]),
    )
    await connection.execute("DELETE FROM zhiji_summaries WHERE owner = zhiji_owner()")
    await connection.execute(
        "UPDATE zhiji_sessions SET summary_upto = 0 WHERE owner = zhiji_owner() AND summary_upto <> 0"
    )


async def unsaid(connection: Connection, session_id: str) -> frozenset[int]:
    """See ``Store.unsaid``."""
    select = "SELECT seq FROM zhiji_unsaid WHERE owner = zhiji_owner() AND session = %s"
    return frozenset(seq for (seq,) in await (await connection.execute(select, (session_id,))).fetchall())


async def find(connection: Connection, *, keys: Sequence[str], digests: Sequence[str]) -> list[Tombstone]:
    """See ``Store.tombstones``."""
    rows = await connection.execute(_FIND, (list(digests), [key for key in keys if key]))
    return [
        Tombstone(key=key or None, content_digest=digest, deleted_at=instant(time))
        for key, digest, time in await rows.fetchall()
    ]


async def without_buried(connection: Connection, change: MemoryChange, digest: Callable[[str], str]) -> MemoryChange:
    """Return ``change`` without the new memories that a deletion record forbids; see ``Store.commit_sediment``.

    ``digest`` is ``Store.digest`` without await. A memory whose sources cannot be found is as old as ``valid_from``.
    """
    new = Candidates.of(change, digest)
    if not new.memories:
        return change
    records = await find(connection, keys=list(new.keys.values()), digests=list(new.digests.values()))
    buried = {memory.id for memory, time in new.deleted(records) if time >= await _said_at(connection, memory)}
    return replace(change, puts=[put for put in change.puts if put.memory.id not in buried])


async def _said_at(connection: Connection, memory: Memory) -> datetime:
    said = [(source.session, seq) for source in memory.sources for seq in source.seqs]
    newest = await connection.execute(
        """SELECT max(m.time) FROM unnest(%s::text[], %s::bigint[]) AS said (session, seq)
           JOIN zhiji_messages m ON m.owner = zhiji_owner() AND m.session = said.session AND m.seq = said.seq""",
        ([session for session, _ in said], [seq for _, seq in said]),
    )
    ((time,),) = await newest.fetchall()
    return memory.valid_from if time is None else instant(time)
