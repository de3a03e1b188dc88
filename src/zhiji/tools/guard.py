"""Running code that is not ours: it may raise, exit, hang or block, and the caller gets a plain outcome.

A function that hangs in a thread cannot be stopped, only left behind: its thread is a daemon of its own, so that it
neither fills a shared pool nor keeps the process alive.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import threading
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """It returned."""

    value: T


@dataclass(frozen=True, slots=True)
class Raised:
    """It raised; only the class is told, because the text may hold anything."""

    error: str


@dataclass(frozen=True, slots=True)
class Hung:
    """It had not returned when its time was over, and may still go on."""


async def run(function: Callable[[], object], finish: Callable[[object], T], seconds: float) -> Done[T] | Raised | Hung:
    """Return what became of ``finish(function())``; ``function`` may be async, ``finish`` always runs in a thread."""
    task = asyncio.ensure_future(_run(function, finish))
    try:
        await asyncio.wait({task}, timeout=seconds)
    finally:
        hung = not task.done()
        task.cancel()
    if hung:
        return Hung()
    return Raised(asyncio.CancelledError.__name__) if task.cancelled() else task.result()


def attempt(function: Callable[[], T]) -> Done[T] | Raised:
    """Return what became of ``function``."""
    try:
        return Done(function())
    except (Exception, SystemExit) as error:  # noqa: BLE001  the border to foreign code
        return Raised(type(error).__name__)


async def _run(function: Callable[[], object], finish: Callable[[object], T]) -> Done[T] | Raised:
    if not inspect.iscoroutinefunction(function):
        return await _in_thread(lambda: attempt(lambda: finish(function())))
    outcome = await _attempt_async(cast("Callable[[], Coroutine[Any, Any, object]]", function))
    if isinstance(outcome, Raised):
        return outcome
    value = outcome.value
    return await _in_thread(lambda: attempt(lambda: finish(value)))


async def _attempt_async(function: Callable[[], Coroutine[Any, Any, T]]) -> Done[T] | Raised:
    try:
        return Done(await function())
    except (Exception, SystemExit) as error:  # noqa: BLE001  the border to foreign code
        return Raised(type(error).__name__)


async def _in_thread(function: Callable[[], T]) -> T:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def deliver(value: T) -> None:
        if not future.done():
            future.set_result(value)

    def work() -> None:
        value = context.run(function)
        with contextlib.suppress(RuntimeError):  # the loop was closed while the function hung
            loop.call_soon_threadsafe(deliver, value)

    threading.Thread(target=work, name="zhiji-tool", daemon=True).start()
    return await future
