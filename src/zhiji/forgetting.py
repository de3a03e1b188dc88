"""When a memory is forgotten, and how: kept, archived or deleted, each with its reason. Pure; ``fade`` carries it out.

Every row has one deadline, ``expires_at``. What it means depends on where the row stands: an active memory that is not used
until then fades into the archive, and whatever else reaches its deadline is deleted. The terms are those of the type
(``policies.TypePolicy``); nothing here branches on a type.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from zhiji import policies
from zhiji.types import Memory, Status

Action = Literal["keep", "archive", "delete"]

LOW_IMPORTANCE = 2
"""At or below it, a memory of any type is kept for ``policies.LOW_IMPORTANCE_DAYS`` only."""

LOW_CONFIDENCE = "low confidence"
"""Why a fact waits until it is said again in another session."""
LOWER_TRUST = "contradicts what a better source said"
"""Why a fact waits until a better source says it, or an operator decides."""
WAITING_DAYS: Mapping[str, float] = {LOW_CONFIDENCE: 30, LOWER_TRUST: 90}
"""Days that a fact waits in quarantine, by reason: for being said again, or for a better source."""
OPERATOR_DAYS = 180
"""Days that it waits for any other reason: only an operator can decide, who may be away."""

GROWTH = 0.25
"""What each doubling of the recalls adds to the stability of a memory."""
MOST_STABLE = 2.0
"""How many times as long the most used memory is kept as one that was used once. Bounded: nothing unused is kept for ever."""

USE_AGAIN = timedelta(days=1)
"""What is shown all the time, or looked up by a program, counts as used once in so long: spaced uses are what stabilises."""

FADED = "faded"
"""Why a memory is archived: nobody said or recalled it until its deadline."""
OVER: Mapping[Status, str] = {
    Status.ACTIVE: "expired",
    Status.SUPERSEDED: "its time as history is over",
    Status.QUARANTINED: "nobody confirmed it",
    Status.ARCHIVED: "its time in the archive is over",
}
"""Why a row is deleted, by where it stood."""


# --- how long ---------------------------------------------------------------------------------------------------------


def stability(recalls: int) -> float:
    """Return how many times as long as its policy says a memory is kept that was recalled so often, in [1, ``MOST_STABLE``].

    ``min(1 + GROWTH · log2(recalls), MOST_STABLE)``; 1 for none and for one, which has only put its deadline off.

    Source: the forgetting curve ``R = exp(−t / S)`` (Ebbinghaus 1885): at a given retention R, the time t that may pass is
    proportional to the stability S, which grows with every recall (spaced repetition; MemoryBank, Zhong et al. 2024) and by
    ever less (the two components of memory, Woźniak et al. 1995). Articles S9.1 and T6 ask for the curve.
    """
    return min(1.0 + GROWTH * math.log2(max(recalls, 1)), MOST_STABLE)


def expiry(memory: Memory, *, retention: bool = True) -> datetime | None:
    """Return the deadline of a row by the policy of its type, where it stands, its importance and its use.

    None: it is kept. An active one counts from when it was last said or recalled, if its type is kept by use; history and
    what waits in quarantine from their last change; the deadline of an archived one was set when it was archived.
    """
    policy = policies.kind(memory.type)
    if not retention or policy.retention_days is None:
        return None
    if memory.status is Status.ARCHIVED:
        return memory.expires_at
    if memory.status is Status.SUPERSEDED:
        return memory.updated_at + timedelta(days=policy.history_days)
    if memory.status is Status.QUARANTINED:
        return memory.updated_at + timedelta(days=WAITING_DAYS.get(memory.reason, OPERATOR_DAYS))
    days = policy.retention_days
    if memory.importance <= LOW_IMPORTANCE:
        days = min(days, policies.LOW_IMPORTANCE_DAYS)
    if not policy.by_use:
        return memory.updated_at + timedelta(days=days)
    used = max(memory.updated_at, memory.last_recalled_at or memory.updated_at)
    return used + timedelta(days=days * stability(memory.recalls))


def expiry_if_used(memory: Memory, now: datetime, *, retention: bool = True) -> datetime | None:
    """Return the deadline that a memory has once it is recalled at ``now``; never earlier than its present one."""
    used = replace(
        memory, recalls=memory.recalls + 1, last_recalled_at=max(now, memory.last_recalled_at or memory.updated_at)
    )
    until = expiry(used, retention=retention)
    return until if memory.expires_at is None or until is None else max(until, memory.expires_at)


def is_new_use(memory: Memory, now: datetime) -> bool:
    """Return whether using it now says more than when it was last said or recalled: ``USE_AGAIN`` later."""
    return now - max(memory.updated_at, memory.last_recalled_at or memory.updated_at) >= USE_AGAIN


# --- what becomes of it -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of a row now, and why."""

    action: Action
    until: datetime | None
    """Its next deadline; None: there is none, or it is gone."""
    reason: str = ""


def fate(memory: Memory, *, now: datetime, archive: timedelta) -> Fate:
    """Return what becomes of a row at ``now``; ``archive`` is how long what has faded lies in the archive.

    The deadline is computed anew, so that a policy that was lengthened holds for old rows, too.
    """
    until = expiry(memory)
    if until is None or until > now:
        return Fate("keep", until)
    if memory.status is Status.ACTIVE and policies.kind(memory.type).archives and archive > timedelta(0):
        return Fate("archive", now + archive, FADED)
    return Fate("delete", None, OVER[memory.status])
