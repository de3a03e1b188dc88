"""Telling other processes that a job waits: ``NOTIFY`` after the commit, ``LISTEN`` on a connection of its own.

``NOTIFY`` inside a transaction makes PostgreSQL commit one transaction after the other, whoever commits; so it is said
afterwards, by itself, at most once per ``PAUSE_SECONDS`` and process. What is lost is found by the next look into the queue.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

from zhiji.errors import StoreClosed, StoreError
from zhiji.stores.base import NewJob
from zhiji.stores.postgres.connection import Connection, Database
from zhiji.types import Job

PAUSE_SECONDS = 0.05
SOON = timedelta(seconds=1)
"""Jobs that are due later are found by whoever looks then."""
RECONNECT_SECONDS = 0.1
"""Pause before the first attempt to listen again; each time twice as long, up to ``RECONNECT_CAP_SECONDS``."""
RECONNECT_CAP_SECONDS = 10.0

_log = logging.getLogger("zhiji.stores.postgres")


class Notices:
    """What one process tells and hears."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._is_news = False
        self._is_failing = False
        self._telling: asyncio.Task[None] | None = None

    def tell(self, jobs: Iterable[NewJob | Job]) -> None:
        """Others hear soon that jobs wait, if any of these is due soon by this machine's clock."""
        soon = datetime.now(UTC) + SOON
        if any(job.run_at <= soon for job in jobs):
            self._is_news = True
            if self._telling is None or self._telling.done():
                self._telling = asyncio.create_task(self._tell())

    async def _tell(self) -> None:
        while self._is_news:
            self._is_news = False
            try:
                await self._database.note(None, _notify)
                self._is_failing = False
            except StoreError as error:
                if not self._is_failing:
                    _log.warning("notice_failed: %s; workers find jobs by themselves, only later", error.code)
                self._is_failing = True
            await asyncio.sleep(PAUSE_SECONDS)

    async def listen(self, wake: Callable[[], None]) -> None:
        """See ``Store.listen``. Also called as soon as it can hear, for what may have been missed."""
        pause = RECONNECT_SECONDS
        while True:
            try:
                async with self._database.connection() as connection:
                    await connection.execute("LISTEN zhiji_jobs")
                    pause = RECONNECT_SECONDS
                    wake()
                    async for _ in connection.notifies():
                        wake()
            except StoreClosed:
                raise
            except StoreError as error:
                _log.warning("listening_interrupted: %s; trying again in %g s", error.code, pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, RECONNECT_CAP_SECONDS)

    async def close(self) -> None:
        """Nothing is told any more."""
        if self._telling is not None:
            self._telling.cancel()
            await asyncio.gather(self._telling, return_exceptions=True)


async def _notify(connection: Connection) -> None:
    await connection.execute("NOTIFY zhiji_jobs")
