"""The same verbs without ``await``: one background event loop, no second implementation.

    with zhiji.blocking.Zhiji.open() as zj:
        zj.chat("user_001", "你好").text
        with zj.turn("user_001", "退货地址是什么？") as turn:
            turn.reply = my_model(turn.messages)

Every coroutine of ``zhiji.Zhiji`` and of its nouns (``memories``, ``sessions``, ``state``, ``jobs``) is offered under the
same name with the same arguments; a test compares the two lists. Safe to share between threads.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from contextvars import Context, copy_context
from typing import Any

from zhiji import engine
from zhiji.errors import StoreClosed


class _Loop:
    """An event loop in a daemon thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="zhiji", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, Any], context: Context | None = None) -> Any:
        """Return what ``work`` returns, run in this context or a copy of the caller's; interrupting the caller cancels it."""
        if not self._thread.is_alive():
            work.close()
            raise StoreClosed
        work = work if context is None else _within(context, work)
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _within(context: Context, work: Coroutine[Any, Any, Any]) -> Any:
    return await asyncio.create_task(work, context=context)


class _Blocking:
    """Offers what ``inner`` offers: coroutines run to their end, everything else as it is."""

    def __init__(self, inner: object, loop: _Loop) -> None:
        object.__setattr__(self, "_inner", inner)
        object.__setattr__(self, "_loop", loop)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if inspect.iscoroutinefunction(found):
            return self._blocking(found)
        if type(found).__module__.startswith("zhiji.") and name in engine.NOUNS:
            return _Blocking(found, self._loop)
        return found

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._inner, name, value)

    def _blocking(self, function: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            return self._loop.run(function(*args, **kwargs))

        return call


class Zhiji(_Blocking):
    """``zhiji.Zhiji`` for code without an event loop."""

    @classmethod
    @contextmanager
    def open(cls, *args: Any, **kwargs: Any) -> Iterator[Zhiji]:
        """Open zhiji; arguments and errors as in ``zhiji.Zhiji.open``."""
        loop = _Loop()
        try:
            with _entered(engine.Zhiji.open(*args, **kwargs), loop) as inner:
                yield cls(inner, loop)
        finally:
            loop.stop()

    @contextmanager
    def turn(self, *args: Any, **kwargs: Any) -> Iterator[_Blocking]:
        """The steps around your own agent loop; see ``zhiji.Zhiji.turn``."""
        with _entered(self._inner.turn(*args, **kwargs), self._loop) as turn:
            yield _Blocking(turn, self._loop)


@contextmanager
def _entered(manager: AbstractAsyncContextManager[Any], loop: _Loop) -> Iterator[Any]:
    """An asynchronous context manager is entered and left on the loop, in one context: it may set what it resets later."""
    context = copy_context()
    value = loop.run(manager.__aenter__(), context)
    try:
        yield value
    except BaseException as error:
        if not loop.run(manager.__aexit__(type(error), error, error.__traceback__), context):
            raise
    else:
        loop.run(manager.__aexit__(None, None, None), context)
