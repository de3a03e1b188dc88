"""Who runs jobs: each process that does shows that it lives, and what the dead held is free within seconds.

A process is named ``host/pid/start/random``; ``start`` tells it from a later one that was given the same pid, and ``host`` also
says in which namespace pids are counted: containers of one pod share their name, not their pids. Leases that run out are
the worker's and the store's business.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from zhiji.errors import StoreError
from zhiji.models.base import Clock
from zhiji.stores.base import Store
from zhiji.types import WorkerBeat, WorkerRole

log = logging.getLogger("zhiji.presence")

BEAT_SECONDS = 5.0
MISSED_BEATS = 3
"""Beats that fail to come before a process is missing."""
_STATE_FIELD, _START_FIELD = 0, 19
"""Places among the fields that follow the program's name in ``/proc/PID/stat`` (proc(5))."""
_ENDED = ("Z", "X")
"""States of a process that has ended and that its parent has not asked after yet; some parents never do."""


def name_process() -> str:
    """Return a new name for this process, to be its holder of leases."""
    return f"{this_host()}/{os.getpid()}/{_stat(os.getpid())[1]}/{secrets.token_hex(4)}"


def this_host() -> str:
    """Return the name of this host, with its namespace of pids where the system has several."""
    try:
        namespace = "".join(filter(str.isdecimal, os.readlink("/proc/self/ns/pid")))
    except OSError:
        return socket.gethostname()
    return f"{socket.gethostname()}:{namespace}"


async def beat_often(store: Store, clock: Clock, holder: str, role: WorkerRole, running: Callable[[], int]) -> None:
    """The process shows every few seconds that it lives, and frees what the dead held, until cancelled: then it signs off."""
    started_at = clock()
    try:
        while True:
            try:
                now = clock()
                until = now + timedelta(seconds=BEAT_SECONDS * MISSED_BEATS)
                beat = WorkerBeat(
                    holder=holder, role=role, started_at=started_at, beat_at=now, until=until, running=running()
                )
                await store.beat(beat)
                await recover(store)
            except StoreError as error:
                log.warning("beat_missed: %s; trying again in %g s", error.code, BEAT_SECONDS)
            await asyncio.sleep(BEAT_SECONDS)
    finally:
        with suppress(StoreError):
            await store.drop_worker(holder)


async def recover(store: Store) -> None:
    """Leases of processes of this host that are gone have run out, so that nothing waits for the dead."""
    dead = [holder for holder in await store.holders() if is_dead(holder)]
    if dead:
        count = await store.recover(dead)
        log.info("recovered: %d leases of processes that are gone", count)


def is_dead(holder: str) -> bool:
    """Return whether a process of this host is certainly gone; False for what is not known."""
    host, pid, start, *_ = [*holder.split("/"), "", "", ""]
    if host != this_host() or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    state, started = _stat(int(pid))
    return state in _ENDED or (start.isdecimal() and started not in ("", start))


def _stat(pid: int) -> tuple[str, str]:
    """Return the state of a process, and when it was started, in ticks since the machine was; empty where nobody tells."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "", ""
    return fields[_STATE_FIELD], fields[_START_FIELD]
