"""One turn as it is told: what HTTP streams and sockets have in common. Knows neither.

``talking`` runs ``Zhiji.chat`` beside its reader. If the reader leaves the block early, the turn is cancelled: it keeps the
words that were told (``save.keeping``), or is marked failed if there were none.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal, NamedTuple

from zhiji import types
from zhiji.engine import Zhiji
from zhiji.errors import RequestTimeout
from zhiji.server.schemas.chat import Reply, Said

HEARTBEAT_SECONDS = 15.0
"""Silence after which a stream shows that it lives; proxies cut what is silent for a minute."""


class Event(NamedTuple):
    """One event of a turn, as it goes to the client."""

    name: Literal["delta", "tool", "done"]
    data: dict[str, object]


class ClientLeft(Exception):
    """Nobody is there to be told."""


class Talk:
    """A turn under way, and its events."""

    def __init__(
        self, work: asyncio.Task[types.Reply], events: asyncio.Queue[Event | None], idle_seconds: float
    ) -> None:
        self._work = work
        self._events = events
        self._idle_seconds = idle_seconds
        self._silent = 0.0
        self._spoke = False
        self._left = False
        self.is_over = False
        """True once ``done`` was returned."""

    def leave(self) -> None:
        """The client is gone: whoever waits in ``next`` learns it now."""
        self._left = True
        self._events.put_nowait(None)

    async def first(self) -> Event:
        """Return the first event, however long it takes. Raises as ``next``."""
        return await self._take()

    async def next(self) -> Event | None:
        """Return the next event, or None after ``HEARTBEAT_SECONDS`` of silence.

        Raises:
            ClientLeft: see ``leave``. ZhijiError: the turn failed. RequestTimeout: silent for too long.
        """
        try:
            async with asyncio.timeout(HEARTBEAT_SECONDS):
                event = await self._take()
        except TimeoutError:
            self._silent += HEARTBEAT_SECONDS
            if self._silent >= self._idle_seconds:
                raise RequestTimeout from None
            return None
        self._silent = 0.0
        return event

    async def _take(self) -> Event:
        event = await self._events.get()
        if self._left:
            raise ClientLeft
        if event is not None:
            self._spoke = True
            return event
        return self._last(await self._work)

    def _last(self, reply: types.Reply) -> Event:
        if not self._spoke:  # a replayed answer, told at once
            self._spoke = True
            self._events.put_nowait(None)
            return Event("delta", {"text": reply.text})
        self.is_over = True
        return Event("done", Reply.of(reply).body())


@asynccontextmanager
async def talking(zj: Zhiji, said: Said, key: str | None) -> AsyncIterator[Talk]:
    """The turn runs while the block lasts."""
    events = asyncio.Queue[Event | None]()
    work = asyncio.create_task(
        zj.chat(
            said.user_id,
            said.message,
            session=said.session_id,
            idempotency_key=key,
            on_expired=said.on_expired,
            on_delta=lambda piece: events.put_nowait(Event("delta", {"text": piece})),
            on_tool=lambda name, status: events.put_nowait(Event("tool", {"name": name, "status": status})),
        )
    )
    work.add_done_callback(lambda _: events.put_nowait(None))
    try:
        yield Talk(work, events, zj.settings.request_timeout_seconds)
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
