"""Everything in one database is brought into another: owner by owner, each in one commit, then compared.

Whatever was interrupted is begun again and goes on: an owner whose rows are there already is not copied a second time. The
source is only read. Nobody may write to either meanwhile; if somebody did, the comparison at the end says so.
Signs of life of workers and what counts for limits stay behind: both belong to the processes of the moment.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal

import numpy as np

from zhiji.errors import CopyDiffers
from zhiji.stores.base import Portable, Row, every_owner
from zhiji.types import Scope

OTHERS_TOLD = 100
"""Owners at most that are named because the target has them and the source does not."""

Phase = Literal["copy", "compare"]
Progress = Callable[[Phase, int, int], None]
"""Gets the phase, the owners done in it, and all owners."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """What a move came to."""

    owners: int
    copied: int
    """Owners that the target lacked, or had otherwise."""
    rows: Mapping[str, int]
    """Rows of all owners by table, as compared."""
    others: Sequence[Scope]
    """Owners that only the target has; the first ``OTHERS_TOLD``."""


async def move(source: Portable, target: Portable, *, progress: Progress | None = None) -> Moved:
    """The target holds what the source holds, under the same secret of keyed hashes.

    Raises:
        Conflict: the target holds somebody else's data.
        CopyDiffers: somebody wrote to one of them meanwhile. Run it again.
    """
    tell = progress or (lambda phase, done, total: None)
    await target.adopt(await source.secret())
    total, copied = 0, 0
    async for _ in every_owner(source):
        total += 1
    done = 0
    async for scope in every_owner(source):
        copied += await _bring(source, target, scope)
        done += 1
        tell("copy", done, total)
    rows: Counter[str] = Counter()
    done = 0
    async for scope in every_owner(source):
        rows += await _compare(source, target, scope)
        done += 1
        tell("compare", done, total)
    return Moved(owners=done, copied=copied, rows=dict(rows), others=await _others(source, target))


async def _bring(source: Portable, target: Portable, scope: Scope) -> bool:
    """Return whether the owner had to be copied."""
    there = await _summed(target, scope)
    if there.is_known and there == await _summed(source, scope):
        return False
    async with aclosing(source.dump(scope)) as rows:
        await target.replace_owner(scope, rows)
    return True


async def _compare(source: Portable, target: Portable, scope: Scope) -> Counter[str]:
    """Return the owner's rows by table, the same in both.

    Raises:
        CopyDiffers: they are not.
    """
    here = await _summed(source, scope)
    if here != await _summed(target, scope):
        raise CopyDiffers
    return Counter(here.rows)


# --- what an owner's rows come to -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Sum:
    digest: bytes
    rows: Mapping[str, int]

    @property
    def is_known(self) -> bool:
        return "owners" in self.rows


async def _summed(store: Portable, scope: Scope) -> _Sum:
    """Return what an owner's rows come to, of the same value in every database; vectors at half precision."""
    digest, counted = hashlib.blake2b(), Counter[str]()
    async with aclosing(store.dump(scope)) as pieces:
        async for table, rows in pieces:
            counted[table] += len(rows)
            if table != "owners":  # a version that only rises
                digest.update("".join(f"{table}{_canonical(row)}\n" for row in rows).encode())
    return _Sum(digest.digest(), dict(counted))


def _canonical(row: Row) -> list[object]:
    return [_halves(value) if isinstance(value, bytes) else value for value in row.values()]


def _halves(data: bytes) -> bytes:
    return np.frombuffer(data, "<f4").astype("<f2").tobytes()


# --- owners ---------------------------------------------------------------------------------------------------------


async def _others(source: Portable, target: Portable) -> list[Scope]:
    """Return the first owners that only the target has. Both lists are in order: they are walked together."""
    found: list[Scope] = []
    known = every_owner(source)
    latest = await anext(known, None)
    async for scope in every_owner(target):
        while latest is not None and _name(latest) < _name(scope):
            latest = await anext(known, None)
        if latest != scope:
            found.append(scope)
        if len(found) == OTHERS_TOLD:
            break
    return found


def _name(scope: Scope) -> tuple[str, str]:
    return scope.tenant, scope.user
