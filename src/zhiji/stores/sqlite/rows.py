"""How a memory lies in its row of ``zhiji_memories``: columns to value and back. No SQL is run here."""

from __future__ import annotations

import json
from typing import Any

from zhiji import policies
from zhiji.stores.sqlite.connection import instant, micros
from zhiji.types import Memory, Source, Status, Trust

FIELDS = (
    "id", "type", "status", "key", "content", "value", "importance", "confidence", "trust", "sources", "lang",
    "valid_from", "valid_to", "superseded_by", "links", "created", "updated", "recalled", "recalls", "expires",
    "reason", "revision",
)  # fmt: skip
"""Columns that make up a memory, in the order of ``memory_of``."""

Row = tuple[Any, ...]
"""A row as ``sqlite3`` returns it."""


_STATUS = {status.value: status for status in Status}
_TRUST = {trust.value: trust for trust in Trust}


def memory_of(row: Row) -> Memory:
    """Return the memory of one row of ``FIELDS``. Every recall reads dozens: no detours here."""
    (id_, type_, status, key, content, value, importance, confidence, trust, sources, lang, valid_from, valid_to,
     superseded_by, links, created, updated, recalled, recalls, expires, reason, revision) = row  # fmt: skip
    return Memory(
        id=id_,
        type=type_,
        status=_STATUS[status],
        key=key,
        content=content,
        value=None if value == "null" else json.loads(value),
        importance=importance,
        confidence=confidence,
        trust=_TRUST[trust],
        sources=tuple([Source(session=session, seqs=tuple(seqs)) for session, seqs in json.loads(sources)]),
        lang=lang,
        valid_from=instant(valid_from),
        valid_to=instant(valid_to),
        superseded_by=superseded_by,
        links=() if links == "[]" else tuple(json.loads(links)),
        created_at=instant(created),
        updated_at=instant(updated),
        last_recalled_at=instant(recalled),
        recalls=recalls,
        expires_at=instant(expires),
        reason=reason,
        revision=revision,
    )


def columns_of(memory: Memory) -> dict[str, Any]:
    """Return the columns of a memory that is about to be written, its revision raised."""
    return {
        "id": memory.id,
        "type": memory.type,
        "status": memory.status.value,
        "key": memory.key,
        "content": memory.content,
        "value": compact(memory.value),
        "importance": memory.importance,
        "confidence": memory.confidence,
        "trust": memory.trust.value,
        "sources": compact([[source.session, list(source.seqs)] for source in memory.sources]),
        "lang": memory.lang,
        "valid_from": micros(memory.valid_from),
        "valid_to": micros(memory.valid_to),
        "superseded_by": memory.superseded_by,
        "links": compact(list(memory.links)),
        "created": micros(memory.created_at),
        "updated": micros(memory.updated_at),
        "recalled": micros(memory.last_recalled_at),
        "recalls": memory.recalls,
        "expires": micros(memory.expires_at),
        "reason": memory.reason,
        "revision": memory.revision + 1,
        "single": int(policies.is_single_valued(memory.key)),
    }


def compact(value: object) -> str:
    """Return a JSON value as text without white space."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
