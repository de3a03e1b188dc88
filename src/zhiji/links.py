"""What belongs together: an order, its shipments and its after-sale cases, by their numbers or the message they came from. Pure.

Types that take part are marked in ``policies`` (``TypePolicy.linked``). A link is kept on both rows. A row also links to the
versions that it replaced: those are its history, not its neighbours, and are never dropped for being many.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations

from zhiji import policies
from zhiji.identifiers import identifiers
from zhiji.types import Memory, Status

MAX_LINKS = 16
"""Neighbours of one row: the latest ones."""


def is_derived(memory: Memory) -> bool:
    """Return whether a row's links are what it was made of; it falls with them, and so never follows them."""
    return policies.kind(memory.type).derived


def takes_part(memory: Memory) -> bool:
    """Return whether a row is linked with others by what it says."""
    return memory.status is Status.ACTIVE and policies.kind(memory.type).linked


def own_number(memory: Memory) -> str:
    """Return the number that a row is about, from its key; empty if it has none. ``after_sale:AS1.WISH`` is about AS1."""
    return (memory.key or "").partition(":")[2].partition(".")[0] if policies.kind(memory.type).linked else ""


def numbers(memory: Memory) -> Mapping[str, bool]:
    """Return every number that a row names, in its key, its content or its value; True: surely one of a linked type."""
    value = memory.value if isinstance(memory.value, str) else json.dumps(memory.value, ensure_ascii=False)
    own = own_number(memory)
    return {**_named(value), **_named(memory.content), **({own: True} if own else {})}


@lru_cache(maxsize=1024)
def _named(words: str) -> Mapping[str, bool]:
    return {found.id: found.kind != "other" for found in identifiers(words)}


def bonds(touched: Sequence[Memory], others: Sequence[Memory]) -> set[frozenset[str]]:
    """Return the pairs of ids that belong together and of which one at least is ``touched``.

    Two rows do if one names the number of the other, or if they are of two types and name the same one: a ticket and the
    shipment of its order. Rows that were ``touched`` by one message do, too, where it is clear which belongs to which:
    of one type there is a single row, and none of the other names another.
    """
    rows = {row.id: row for row in (*others, *touched) if takes_part(row)}
    fresh = {row.id for row in touched}
    named = {
        frozenset((a.id, b.id))
        for a, b in combinations(rows.values(), 2)
        if (a.id in fresh or b.id in fresh) and _is_named(a, b)
    }
    return named | _told_together([row for row in rows.values() if row.id in fresh], named)


def _is_named(a: Memory, b: Memory) -> bool:
    here, there = numbers(a), numbers(b)
    shared = here.keys() & there.keys()
    if shared & {own_number(a), own_number(b)}:
        return True
    return a.type != b.type and any(here[id_] and there[id_] for id_ in shared)


def _told_together(rows: Sequence[Memory], named: set[frozenset[str]]) -> set[frozenset[str]]:
    """Return the pairs that came from one message and that no number assigns to others."""
    by_id = {row.id: row for row in rows}
    taken = {
        (one, by_id[other].type)
        for pair in named
        if pair <= by_id.keys()
        for one, other in (tuple(pair), tuple(pair)[::-1])
    }
    by_message: dict[tuple[str, int], list[Memory]] = {}
    for row in rows:
        for source in row.sources:
            for seq in source.seqs:
                by_message.setdefault((source.session, seq), []).append(row)
    found: set[frozenset[str]] = set()
    for together in by_message.values():
        count = {row.type: sum(other.type == row.type for other in together) for row in together}
        found |= {
            frozenset((a.id, b.id))
            for a, b in combinations(together, 2)
            if a.type != b.type
            and min(count[a.type], count[b.type]) == 1
            and (a.id, b.type) not in taken
            and (b.id, a.type) not in taken
        }
    return found


def relinked(
    rows: Iterable[Memory],
    *,
    known: Mapping[str, Memory],
    successors: Mapping[str, str | None],
    bonds: Iterable[frozenset[str]] = (),
) -> list[Memory]:
    """Return those of the rows whose links change: they follow what was replaced, lose what is gone, and gain ``bonds``.

    ``known``: rows that may be linked to, by id, as they will be. ``successors``: what takes the place of a row; None: it
    is gone. Predecessors of a row, and what was made of it, come first and are all kept; then the latest ``MAX_LINKS``
    neighbours. What was made of a former version is not made of the new one.
    """
    gained: dict[str, list[str]] = {}
    for pair in bonds:
        for id_ in pair:
            gained.setdefault(id_, []).extend(sorted(pair - {id_}))
    changed = []
    for row in rows:
        former, neighbours = [], []
        for link in (*row.links, *gained.get(row.id, ())):
            there = known.get(link)
            if there is not None and (there.superseded_by == row.id or is_derived(there)):
                if not is_derived(there) or (row.revision and link not in successors):
                    former.append(link)
                continue
            now = successors.get(link, link)
            is_past = now == link and there is not None and there.status is Status.SUPERSEDED
            if now is not None and now != row.id and not (is_past and there and there.superseded_by):
                neighbours.append(now)
        latest = list(dict.fromkeys(reversed(neighbours)))[:MAX_LINKS][::-1]
        links = tuple(dict.fromkeys((*former, *latest)))
        by = successors.get(row.superseded_by, row.superseded_by) if row.superseded_by else None
        if links != row.links or by != row.superseded_by:
            changed.append(replace(row, links=links, superseded_by=by))
    return changed
