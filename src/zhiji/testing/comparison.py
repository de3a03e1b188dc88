"""What the state machine and the concurrency check share: an empty database, one step on one store, all that can be seen.

A step is a function of a store; its outcome is what it returned, or the class of the error of ours that it raised. Job
ids, which each store makes, count for nothing in a comparison.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from zhiji.errors import ZhijiError
from zhiji.stores.base import OpenTurn, Store, Tombstone
from zhiji.testing.doubles import EPOCH
from zhiji.testing.values import ALICE, BOB
from zhiji.types import Job, JobStatus, Scope, Status

T = TypeVar("T")

Opener = Callable[[], Awaitable[Store]]
"""Opens the store of one database, each time anew."""
Empty = Callable[[], AbstractAsyncContextManager[Opener]]
"""Gives an empty database, by what opens a store of it."""

ELSEWHERE = Scope("店", "alice")
"""An owner of another tenant, by the name of one of this."""
SCOPES = (ALICE, BOB, ELSEWHERE)
COUNTED = ("sessions", "messages", "turns", "jobs", "memories")
"""What every store counts when it erases."""


async def outcome(step: Callable[[Store], Awaitable[T]], store: Store) -> T | type[ZhijiError]:
    """Return the result of one step on one store, or the class of the error that it raised."""
    try:
        return await step(store)
    except ZhijiError as error:
        return type(error)


def comparable(value: object) -> object:
    """Return the value without job ids and without an order that means nothing, in types that equal values share."""
    if isinstance(value, Job):
        return replace(value, id="")
    if isinstance(value, OpenTurn):
        return replace(value, history=list(value.history))
    if isinstance(value, Mapping) and set(COUNTED) <= value.keys():
        return {kind: value[kind] for kind in COUNTED}
    if isinstance(value, list | tuple):
        parts = [comparable(part) for part in value]
        return frozenset(parts) if parts and isinstance(parts[0], Tombstone) else parts
    return value


async def _forgotten(store: Store, now: datetime) -> frozenset[tuple[Scope, str]]:
    return frozenset(await store.expired_memories(now, limit=10_000))  # of one instant, in any order


async def everything(store: Store, now: datetime) -> dict[str, object]:
    """Return all that can be read of the owners here, and of what upkeep sees, by name."""
    seen = await core(store, SCOPES, TOUCHED_LAST)
    asked: dict[str, Awaitable[object]] = {
        "due": store.count_due(scope=None, now=now),
        "oldest": store.oldest_due(now=now),
        "expired": store.expired_sessions(now),
        "forgotten": _forgotten(store, now),
    }
    for scope in SCOPES:
        asked |= {
            f"{scope}: latest": store.latest_session(scope),
            f"{scope}: profile": store.profile(scope, now=now),
            f"{scope}: dead": store.list_jobs(scope=scope, statuses=frozenset({JobStatus.DEAD})),
            f"{scope}: due": store.count_due(scope=scope, now=now),
        }
        for session in (await store.list_sessions(scope))[:TOUCHED_LAST]:
            whose, upto = (scope, session.id), session.summary_upto
            asked |= {
                f"{whose}: closed": store.load_closed(*whose, after_seq=upto, upto_seq=LAST),
                f"{whose}: history": store.load_history(*whose, after_seq=0, turns=2),
                f"{whose}: unsaid": store.unsaid(*whose),
                f"{whose}: summary": store.load_summary(*whose, upto),
            }
    seen |= await _answers(asked)
    seen["expired"] = sorted(seen["expired"], key=repr)  # type: ignore[call-overload]  # of equals any may come first
    return seen


async def core(store: Store, scopes: Iterable[Scope], sessions: int) -> dict[str, object]:
    """Return what everything else that can be read follows from, by name.

    Args:
        sessions: how many of an owner's, those touched last, are looked at with all that is in them.
    """
    asked: dict[str, Awaitable[object]] = {
        "jobs": store.list_jobs(),
        "workers": store.workers(now=EPOCH),
        "holders": store.holders(),
    }
    for scope in scopes:
        asked |= {
            f"{scope}: sessions": store.list_sessions(scope),
            f"{scope}: extractions": store.extractions(scope),
            f"{scope}: memories": store.list_memories(scope, statuses=frozenset(Status)),
            f"{scope}: unembedded": store.unembedded(scope, MODEL),
            f"{scope}: in the order of insertion": store.unembedded(scope, "none"),
            f"{scope}: tombstones": store.tombstones(scope, keys=[], digests=DIGESTS),
        }
        for session in (await store.list_sessions(scope))[:sessions]:
            whose = (scope, session.id)
            asked |= {
                f"{whose}: messages": store.load_messages(*whose),
                f"{whose}: log": store.session_log(*whose, last=LAST),
                f"{whose}: recalled": store.recalled_in(*whose, first_turn=1, last_turn=LAST),
            }
    return await _answers(asked)


async def _answers(asked: Mapping[str, Awaitable[object]]) -> dict[str, object]:
    answers = await asyncio.gather(*asked.values())
    return {name: comparable(answer) for name, answer in zip(asked, answers, strict=True)}


def differences(one: Mapping[str, object], other: Mapping[str, object], limit: int = 3) -> str:
    """Return what differs between two views, for a person to read; empty if nothing does."""
    names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    return "\n".join(f"{name}:\n  {one.get(name)!r}\n  {other.get(name)!r}" for name in heapq.nsmallest(limit, names))


MODEL = "m"
"""Name of the embedder that makes the vectors here."""
DIGESTS = ("d1", "d2")
"""Of contents that are deleted here; a store's own digests are its secret."""
TOUCHED_LAST = 3
"""Sessions of an owner that are looked at with all that is in them."""
LAST = 10**6
"""Behind every message and turn here."""
