"""Gauges that only the store knows: how far the background is behind, and who works on it. Read when somebody asks."""

from __future__ import annotations

import logging
import math
from collections import Counter

from zhiji.errors import ZhijiError
from zhiji.parts import Parts

log = logging.getLogger("zhiji.gauges")


async def measure(parts: Parts) -> None:
    """The gauges are up to date; not a number while the store fails."""
    try:
        age, depth, alive, missing = await _read(parts)
    except ZhijiError as error:
        log.warning("gauges_unread: %s", error.code)
        age = depth = alive = missing = math.nan
    parts.telemetry.set("zhiji_job_age_seconds", age)
    parts.telemetry.set("zhiji_queue_jobs", depth)
    parts.telemetry.set("zhiji_worker_processes", alive, state="alive")
    parts.telemetry.set("zhiji_worker_processes", missing, state="missing")


async def _read(parts: Parts) -> tuple[float, float, float, float]:
    now = parts.clock()
    oldest = await parts.store.oldest_due(now=now)
    age = 0.0 if oldest is None else max(0.0, (now - oldest).total_seconds())
    workers = Counter(beat.is_missing for beat in await parts.store.workers(now=now))
    return age, await parts.store.count_due(scope=None, now=now), workers[False], workers[True]
