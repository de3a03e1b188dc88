"""Which rows of an owner are moved from one database to another: tables and columns, in an order in which they go in.

Only what was told, decided or made: the numbers that a database gives its rows by itself (``owner``, ``seq``) are left out,
and so is what it derives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from zhiji.stores.base import Row
from zhiji.stores.rows import MESSAGE_FIELDS

COLUMNS: Mapping[str, Sequence[str]] = {
    "sessions": (
        "id", "created", "touched", "tie", "expires", "ended", "state_version", "state", "summary_upto", "turns",
        "last_seq", "resumed_from", "extracted_upto", "open_turn", "holder", "lease_until",
    ),
    "summaries": ("session", "upto", "text"),
    "turns": (
        "session", "number", "status", "first_seq", "time", "id", "request", "key", "digest", "error",
    ),
    "messages": ("session", *MESSAGE_FIELDS),
    "requests": ("session", "turn", "id", "recipe", "reply"),
    "journal": ("turn", "key", "tool", "result", "failed"),
    "extractions": ("session", "time", "outcome"),
    "jobs": (
        "tenant", "id", "kind", "subject", "status", "due", "attempts", "run_at", "created", "finished", "holder", "error",
    ),
    "memories": (
        "number", "id", "changed", "recalls", "recalled", "type", "status", "valid_from", "valid_to", "expires", "length",
        "value", "key", "single", "content", "importance", "confidence", "trust", "sources", "lang", "superseded_by",
        "links", "created", "updated", "reason", "revision", "terms",
    ),
    "terms": ("term", "memory", "tf"),
    "vectors": ("model", "memory", "dim", "data"),
    "deletions": ("digest", "key", "time"),
    "unsaid": ("session", "seq"),
}  # fmt: skip
"""By table, without the prefix; ``owners`` has the one column ``version`` and comes before them."""

ORDER: Mapping[str, str] = {
    "sessions": "id",
    "summaries": "session, upto",
    "turns": "session, number",
    "messages": "session, seq",
    "requests": "id",
    "journal": "turn, key",
    "extractions": "seq",
    "jobs": "seq",
    "memories": "number",
    "terms": "term, memory",
    "vectors": "model, memory",
    "deletions": "digest, key",
    "unsaid": "session, seq",
}
"""By table: the keys in whose order its rows come."""

PIECE = 1000
"""Rows that are in memory at once."""


def pieces(table: str, rows: Iterable[Sequence[Any]]) -> Iterator[tuple[str, Sequence[Row]]]:
    """Yield the rows of a table, given in the order of its columns, as ``Portable.dump`` does."""
    left = iter(rows)
    while piece := [dict(zip(COLUMNS[table], row, strict=True)) for row in islice(left, PIECE)]:
        yield table, piece
