"""``LiveSessions``: a store whose live sessions are in Redis too, which saves work and decides nothing.

The database commits before anything is acknowledged and judges alone: leases, expiry, order, what a turn's history is. Redis
spares it the reading of that history, and the asking again and again while a session is busy. Invariants:

* A history from Redis is used only if its stamp is what the database has just said of the session (``working_set``).
* Dropping a key is always safe. Only ``begin_turn`` makes one, before it asks the database, and takes it back if that
  refuses; what a closed turn writes is written only where a key still is. So what was ended or erased meanwhile stays so.
* Redis that fails costs at most ``timeout_seconds`` once, then nothing until it works again (``connection``).
"""

from __future__ import annotations

import sys
from abc import update_abstractmethods
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import Any, Self, TypeVar

from zhiji.errors import LeaseLost, SessionBusy, ZhijiError
from zhiji.stores.base import NewJob, OpenTurn, Store, TurnEnd, TurnStart
from zhiji.stores.redis import working_set
from zhiji.stores.redis.connection import Redis, pause_seconds
from zhiji.stores.redis.working_set import BUSY, Keys, WorkingSet
from zhiji.telemetry import Telemetry
from zhiji.types import Message, Scope, Session

SECRET = "zhiji.stores.redis"
"""What is hashed with the database's secret, for one of our own."""
BELIEVED = timedelta(milliseconds=100)
"""How long a turn that the database called busy takes Redis' word that it still is."""
LONGEST_TURN = timedelta(minutes=10)
"""A turn that takes longer is not written to Redis; also how long an owner who is being erased is not."""
UNBOUNDED = timedelta(hours=1)
"""How long the working set of a session that never expires is kept."""
TURNS_AT_ONCE = 1000
"""Open turns of one process, and refused ones, that are remembered; those begun longest ago are forgotten first."""
LAST_SESSIONS = 1000
"""Sessions touched last whose keys are deleted with their owner although they have ended."""

_K = TypeVar("_K")
_V = TypeVar("_V")
_Begun = tuple[OpenTurn, int]
"""A turn that runs, and how many turns of history it was opened with at most."""


class LiveSessions(Store):
    """Another store, and Redis. Made by ``open``; what is not said here is that store's."""

    def __init__(self, store: Store, redis: Redis, keys: Keys, telemetry: Telemetry) -> None:
        """Use ``LiveSessions.open``."""
        self._store = store
        self._keys = keys
        self._redis = redis
        self._telemetry = telemetry
        self._begun: dict[tuple[Scope, str, str], _Begun] = {}
        self._refused: dict[str, datetime] = {}
        """When the database last called the session of a turn busy, by turn id."""

    @classmethod
    async def open(
        cls,
        store: Store,
        url: str,
        *,
        timeout_seconds: float,
        telemetry: Telemetry,
        pause: Callable[[int], float] = pause_seconds,
    ) -> Self:
        """Return ``store`` with Redis, whether that answers yet or not; closing it closes both.

        ``pause``: seconds to leave Redis alone after so many failures in a row.

        Raises:
            ConfigError: the URL cannot be read.
        """
        keys = Keys(await store.digest(SECRET))
        redis = await Redis.open(url, timeout_seconds=timeout_seconds, telemetry=telemetry, pause=pause)
        return cls(store, redis, keys, telemetry)

    async def close(self) -> None:
        await self._redis.close()
        await self._store.close()

    async def connected(self) -> None:
        """Redis is used from now on: waits for it."""
        await self._redis.connected()

    # -- turns --

    async def begin_turn(self, scope: Scope, session_id: str, start: TurnStart, *, history_turns: int) -> OpenTurn:
        key = self._keys.session(scope, session_id)
        taken = await self._redis.take(key, BUSY, milliseconds=_millis(LONGEST_TURN), other=self._keys.erasing(scope))
        if taken is None:
            self._tell("degraded")
            return await self._store.begin_turn(scope, session_id, start, history_turns=history_turns)
        value, is_erasing = taken
        if value == BUSY and self._is_believed(start):
            self._tell("refused")
            raise SessionBusy
        try:
            opened = await self._opened(scope, key, value, start, session_id, history_turns)
        except SessionBusy:
            _remember(self._refused, start.turn_id, start.lease.now)
            raise
        except ZhijiError:
            await self._redis.drop([key])
            raise
        if is_erasing or opened.replay is not None:
            await self._redis.drop([key])
        else:
            _remember(self._begun, (scope, session_id, opened.turn_id), (opened, history_turns))
        return opened

    def _is_believed(self, start: TurnStart) -> bool:
        asked = self._refused.pop(start.turn_id, None)
        if asked is None or not timedelta(0) <= start.lease.now - asked < BELIEVED:
            return False
        self._refused[start.turn_id] = asked
        return True

    async def _opened(
        self, scope: Scope, key: str, value: bytes | None, start: TurnStart, session_id: str, turns: int
    ) -> OpenTurn:
        known = working_set.read(value, key) if value is not None and value != BUSY else None
        if known is None:
            self._tell("miss")
            return await self._store.begin_turn(scope, session_id, start, history_turns=turns)
        opened = await self._store.begin_turn(scope, session_id, start, history_turns=0)
        if opened.replay is not None:
            return opened
        history: Sequence[Message] | None = known.history(opened, turns)
        self._tell("stale" if history is None else "hit")
        if history is None:
            upto = opened.session.summary_upto
            history = await self._store.load_history(scope, session_id, after_seq=upto, turns=turns)
        return replace(opened, history=history)

    async def finish_turn(self, scope: Scope, end: TurnEnd) -> Session:
        place = scope, end.session_id, end.turn_id
        try:
            session = await self._store.finish_turn(scope, end)
        except LeaseLost:
            self._begun.pop(place, None)
            raise
        begun = self._begun.pop(place, None)
        if begun is None:
            return session
        opened, turns = begun
        key, kept = self._keys.session(scope, session.id), WorkingSet.after(opened, end, session, bound=turns)
        value = kept.value(key) if kept is not None else None
        life = _millis(end.expires_at - end.now if end.expires_at is not None else UNBOUNDED)
        if value is None or life <= 0:
            await self._redis.drop([key])
        else:
            await self._redis.put(key, value, milliseconds=life, only_if_there=True)
        return session

    async def fail_turn(self, scope: Scope, session_id: str, turn_id: str, *, holder: str, code: str) -> None:
        await self._store.fail_turn(scope, session_id, turn_id, holder=holder, code=code)
        self._begun.pop((scope, session_id, turn_id), None)
        await self._redis.drop([self._keys.session(scope, session_id)])

    def _tell(self, outcome: str) -> None:
        self._telemetry.count("zhiji_live_sessions_total", outcome=outcome)

    # -- what is over --

    async def end_session(
        self,
        scope: Scope,
        session_id: str,
        *,
        masked: Sequence[Message],
        jobs: Sequence[NewJob],
        now: datetime,
        upto_seq: int | None = None,
        interrupt: bool = True,
    ) -> None:
        await self._store.end_session(
            scope, session_id, masked=masked, jobs=jobs, now=now, upto_seq=upto_seq, interrupt=interrupt
        )
        await self._redis.drop([self._keys.session(scope, session_id)])

    async def erase(self, scope: Scope) -> Mapping[str, int]:
        """See ``Store.erase``. Sessions that are made while it runs are kept out of Redis: nobody could name their keys."""
        marker = self._keys.erasing(scope)
        await self._redis.put(marker, b"1", milliseconds=_millis(LONGEST_TURN))
        live = await self._store.list_sessions(scope, live_at=datetime.fromtimestamp(0, UTC), limit=sys.maxsize)
        last = await self._store.list_sessions(scope, limit=LAST_SESSIONS)  # ended, perhaps, by a process without Redis
        removed = await self._store.erase(scope)
        for place in [place for place in self._begun if place[0] == scope]:
            del self._begun[place]
        await self._redis.drop([*(self._keys.session(scope, session.id) for session in (*live, *last)), marker])
        return removed


def _millis(time: timedelta) -> int:
    return time // timedelta(milliseconds=1)


def _remember(values: dict[_K, _V], key: _K, value: _V) -> None:
    values.pop(key, None)
    values[key] = value
    if len(values) > TURNS_AT_ONCE:
        del values[next(iter(values))]


def _handed_on(name: str) -> Callable[..., Any]:
    @wraps(getattr(Store, name), updated=())  # what is abstract there is not here
    def method(self: LiveSessions, *args: Any, **kwargs: Any) -> Any:
        return getattr(self._store, name)(*args, **kwargs)

    return method


for _name, _value in vars(Store).items():
    if callable(_value) and not _name.startswith("_") and _name not in vars(LiveSessions):
        setattr(LiveSessions, _name, _handed_on(_name))
update_abstractmethods(LiveSessions)  # type: ignore[type-abstract]  # no longer, from here on
