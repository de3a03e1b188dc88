"""``Redis``: one server or Cluster while it answers, and nothing, at once, while it does not.

Every call is one round trip of at most ``timeout_seconds``. The first that fails ends the use of Redis: what is called from
then on returns as if nothing were there, without waiting, until a task in the background has written something to Redis
again. That task waits between its attempts, longer and longer. What could not be deleted meanwhile is deleted first.

Nothing but SET, GET and UNLINK is sent, and HELLO when connecting; in a Cluster also CLUSTER SLOTS and COMMAND.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, suppress
from typing import Any, TypeVar
from urllib.parse import urlsplit

import redis.asyncio as client_library
from redis import exceptions
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from zhiji.errors import ConfigError
from zhiji.stores.redis.working_set import PREFIX
from zhiji.telemetry import Telemetry

log = logging.getLogger("zhiji.stores.redis")

_T = TypeVar("_T")

Client = client_library.Redis | client_library.RedisCluster

CONNECT_SECONDS = 2.0
"""Time for connecting to one node, in the background: no turn waits for it."""
CONNECTIONS = 16
"""Calls under way at most; each takes a fraction of a millisecond."""
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 30.0
"""Between two attempts to reach a Redis that failed. One that held longer than the longest begins anew with the first."""
OWED = 10_000
"""Keys that are still to be deleted, at most; those that are dropped here go when they expire."""
LATE = 0.25
"""Share of the time for a call by which its end may be noticed late: beyond it this process is slow, not Redis."""
AT_ONCE = 500
"""Keys in one UNLINK."""
PROBE = f"{PREFIX}probe"

FAILURES = (exceptions.RedisError, exceptions.RedisClusterException, OSError, TimeoutError)
_REASONS: Sequence[tuple[type[Exception] | tuple[type[Exception], ...], str]] = (
    ((exceptions.AuthenticationError, exceptions.NoPermissionError), "forbidden"),
    (exceptions.OutOfMemoryError, "full"),
    (exceptions.ReadOnlyError, "read_only"),
    ((exceptions.TimeoutError, TimeoutError), "timeout"),
    ((exceptions.ConnectionError, exceptions.RedisClusterException, OSError), "unreachable"),
)
"""The first that fits; anything else is ``other``."""


def pause_seconds(failures: int) -> float:
    """Return how long to leave Redis alone after this many failures in a row, from 1."""
    longest = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0 ** min(failures - 1, 10))
    return random.uniform(0.5, 1.0) * longest  # so that a fleet does not come back in one instant


def reason(error: Exception) -> str:
    """Return the kind of a failure: a label of ``zhiji_redis_failures_total``."""
    return next((name for kinds, name in _REASONS if isinstance(error, kinds)), "other")


class Redis:
    """Redis, if it answers. Made by ``open``."""

    def __init__(
        self, url: str, *, timeout_seconds: float, telemetry: Telemetry, pause: Callable[[int], float]
    ) -> None:
        """Use ``Redis.open``."""
        self._given = self._hosts = _checked(url)
        self._seconds = timeout_seconds
        self._telemetry = telemetry
        self._pause = pause
        self._client: Client | None = None
        self._turnstile = asyncio.Semaphore(CONNECTIONS)
        self._connected, self._tried = asyncio.Event(), asyncio.Event()
        self._since = 0.0
        self._failures = 0
        self._is_told_up: bool | None = None
        self._owed: dict[str, None] = {}
        self._seeking: asyncio.Task[None] | None = None

    @classmethod
    async def open(
        cls, url: str, *, timeout_seconds: float, telemetry: Telemetry, pause: Callable[[int], float] = pause_seconds
    ) -> Redis:
        """Return Redis, used as soon as it answers; if it does not do so in time, a warning is logged.

        Raises:
            ConfigError: the URL cannot be read.
        """
        opened = cls(url, timeout_seconds=timeout_seconds, telemetry=telemetry, pause=pause)
        opened._seeking = asyncio.create_task(opened._seek())
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_seconds):
                await opened._tried.wait()
        return opened

    async def close(self) -> None:
        """Nothing is connected any more."""
        seeking, client = self._seeking, self._client
        self._seeking = self._client = None
        self._connected.clear()
        if seeking is not None:
            seeking.cancel()
            await asyncio.wait([seeking])
        if client is not None:
            await _closed(client)

    async def connected(self) -> None:
        """Redis is used from now on: waits for it."""
        await self._connected.wait()

    # -- calls --

    async def take(self, key: str, value: bytes, *, milliseconds: int, other: str) -> tuple[bytes | None, bool] | None:
        """The key has this value; returns its former one, and whether ``other`` is there. None: Redis is not."""

        async def work(client: Client) -> tuple[bytes | None, bool]:
            async with client.pipeline(transaction=False) as pipe:
                pipe.set(key, value, px=milliseconds, get=True)
                pipe.get(other)
                former, found = await pipe.execute()
            return former, found is not None

        return await self._ask(work)

    async def put(self, key: str, value: bytes, *, milliseconds: int, only_if_there: bool = False) -> None:
        """The key has this value for this long; ``only_if_there``: unless nothing is there."""

        async def work(client: Client) -> None:
            await client.set(key, value, px=milliseconds, xx=only_if_there)

        await self._ask(work)

    async def drop(self, keys: Iterable[str]) -> None:
        """The keys are gone, or will be before Redis is used again."""
        waiting = list(keys)
        for key in waiting:
            self._owed.pop(key, None)
            self._owed[key] = None
        while len(self._owed) > OWED:
            del self._owed[next(iter(self._owed))]
        await self._ask(self._settle, waiting)

    async def _settle(self, client: Client, keys: Sequence[str]) -> None:
        for start in range(0, len(keys), AT_ONCE):
            some = keys[start : start + AT_ONCE]
            await client.unlink(*some)
            for key in some:
                self._owed.pop(key, None)

    async def _ask(self, work: Callable[..., Awaitable[_T]], *args: object) -> _T | None:
        client = self._client
        if client is None:
            return None
        timed = asyncio.timeout(None)
        timer = asyncio.get_running_loop().call_later(self._seconds, self._expire, timed, time.monotonic())
        try:
            async with timed, self._turnstile:
                return None if self._client is not client else await work(client, *args)
        except FAILURES as error:
            self._lost(client, error)
            return None
        finally:
            timer.cancel()

    def _expire(self, call: asyncio.Timeout, began: float) -> None:
        """The call has had its time; if it was this process that came late, it is given as much again."""
        loop = asyncio.get_running_loop()
        is_late = time.monotonic() - began > (1 + LATE) * self._seconds
        call.reschedule(loop.time() + self._seconds if is_late else loop.time())

    # -- there or not --

    def _lost(self, client: Client, error: Exception) -> None:
        self._telemetry.count("zhiji_redis_failures_total", reason=reason(error))
        if self._client is not client:  # another call was faster to find out
            return
        held = asyncio.get_running_loop().time() - self._since
        self._failures = 1 if held > LONGEST_PAUSE_SECONDS else self._failures + 1
        self._client = None
        self._connected.clear()
        self._tell(False, reason(error))
        self._seeking = asyncio.create_task(self._seek(client))

    async def _seek(self, lost: Client | None = None) -> None:
        """Redis is used again, as soon as it does what it is asked to."""
        if lost is not None:
            await self._end(lost)
        while self._client is None:
            if self._failures:
                await asyncio.sleep(self._pause(self._failures))
            why = ""
            for url in self._hosts:
                try:
                    async with asyncio.timeout(CONNECT_SECONDS):
                        client = await self._connect(url)
                except FAILURES as error:
                    why = reason(error)
                    self._telemetry.count("zhiji_redis_failures_total", reason=why)
                else:
                    self._client, self._since = client, asyncio.get_running_loop().time()
                    self._connected.set()
                    self._tell(True, "")
                    return
            self._failures += 1
            self._tell(False, why)

    async def _end(self, client: Client) -> None:
        """It is closed, after the calls that were under way: under them, the library would fail by errors of its own."""
        try:
            async with AsyncExitStack() as all_ended:
                for _ in range(CONNECTIONS):
                    await all_ended.enter_async_context(self._turnstile)
        finally:
            await _closed(client)

    async def _connect(self, url: str) -> Client:
        client: Client = client_library.Redis.from_url(url, **_OPTIONS)
        try:
            if await _is_cluster(client):
                await _closed(client)
                client = client_library.RedisCluster.from_url(url, **_OPTIONS)
                await client.initialize()
                self._hosts = [*self._given, *(_at(url, node.host, int(node.port)) for node in client.get_nodes())]
            await client.set(PROBE, b"1", px=1000)  # one that is full or read-only answers a PING
            while self._owed:
                await self._settle(client, list(self._owed))
        except BaseException:
            await _closed(client)
            raise
        return client

    def _tell(self, is_up: bool, why: str) -> None:
        self._tried.set()
        if is_up is self._is_told_up:
            return
        self._is_told_up = is_up
        self._telemetry.set("zhiji_redis_up", float(is_up))
        if is_up:
            log.info("redis_up: live sessions are in Redis too")
        else:
            log.warning("redis_down: %s; the database alone is used until Redis answers again", why)


_OPTIONS: dict[str, Any] = {
    "retry": Retry(NoBackoff(), 0),
    "socket_timeout": CONNECT_SECONDS,
    "socket_connect_timeout": CONNECT_SECONDS,
    "protocol": 2,
}


def _checked(url: str) -> list[str]:
    """Return the URL, or one for each host that it names.

    Raises:
        ConfigError: it is none of Redis.
    """
    try:
        parts = urlsplit(url)
        if parts.scheme not in ("redis", "rediss"):
            raise ValueError
        *login, hosts = parts.netloc.rpartition("@")
        urls = [parts._replace(netloc="".join([*login, host])).geturl() for host in hosts.split(",")]
        for each in urls:
            _ = urlsplit(each).port  # raises, if it is none
            client_library.ConnectionPool.from_url(each).make_connection()  # type: ignore[no-untyped-call]
    except (ValueError, TypeError, OSError):  # their text would tell the password
        raise ConfigError("redis_url: use redis://USER:PASSWORD@HOST:PORT/0, or rediss:// for TLS") from None
    return urls


def _at(url: str, host: str, port: int) -> str:
    """Return the URL of another node."""
    parts = urlsplit(url)
    login = "".join(parts.netloc.rpartition("@")[:2])
    return parts._replace(netloc=f"{login}[{host}]:{port}" if ":" in host else f"{login}{host}:{port}").geturl()


async def _is_cluster(client: Client) -> bool:
    try:
        return b"cluster" in await client.execute_command("HELLO")
    except exceptions.NoPermissionError:
        raise
    except exceptions.ResponseError:  # a proxy that does not know it
        return False


async def _closed(client: Client) -> None:
    with suppress(*FAILURES):
        await client.aclose()
