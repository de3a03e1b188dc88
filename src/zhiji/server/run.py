"""Running the service: one socket, one process, and an orderly end.

On SIGTERM or SIGINT nothing new is taken (503, and ``/readyz`` says so), and running turns and jobs have ``drain_seconds`` to
end; a second signal ends the process at once, which the store survives.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import uvicorn

from zhiji.config import Settings
from zhiji.errors import ConfigError, place
from zhiji.server.app import Register, create_app
from zhiji.server.gate import Gate
from zhiji.server.hosts import is_loopback
from zhiji.server.protocol import Protocol
from zhiji.tracing import exporting

log = logging.getLogger("zhiji.server")

BACKLOG = 2048
CLOSING_SECONDS = 2
"""Time for connections to close once everything has been answered."""
QUIET_SECONDS = 10.0
"""Time in which the same stray error is logged once."""
SIGNALS = (signal.SIGINT, signal.SIGTERM)


async def serve(
    settings: Settings, *, register: Register | None = None, announce: Callable[[str], None], **parts: Any
) -> None:
    """Answer requests until a signal; everything is closed on return. ``announce`` is called with the URL once it listens.

    Raises:
        ConfigError: the address cannot be listened on, or would be open to everybody; see also ``create_app``.
        StoreError: the database cannot be opened.
    """
    if not settings.auth and not is_loopback(settings.host):
        raise ConfigError(
            f"auth: without a token the service listens on loopback only, not on {settings.host}; leave the token on",
            setting="auth",
        )
    asyncio.get_running_loop().set_exception_handler(_Strays())
    with own_words(), exporting(settings) as tracer, listen(settings.host, settings.port) as listener:
        app = create_app(settings, register=register, tracer=tracer, **parts)
        async with app.router.lifespan_context(app):
            server = Server(app, settings, announce=lambda: announce(url(settings.host, listener)))
            await server.serve(sockets=[listener])


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket.

    Raises:
        ConfigError: the port is taken or needs rights, or the host is none of this machine's; the text says which.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"host: {host} is no address of this machine; correct it", setting="host") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise _unusable(host, port, error) from error
    listener.setblocking(False)
    return listener


def _unusable(host: str, port: int, error: OSError) -> ConfigError:
    if error.errno == errno.EADDRINUSE:
        return ConfigError(f"port: {port} is in use; stop what listens there or choose another", setting="port")
    if error.errno in (errno.EACCES, errno.EPERM):
        return ConfigError(f"port: {port} needs rights that this process lacks; choose one from 1024", setting="port")
    return ConfigError(f"host: {host} cannot be listened on ({error.strerror}); correct it", setting="host")


def url(host: str, listener: socket.socket) -> str:
    """Return where it listens, with the port that it got."""
    port = listener.getsockname()[1]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def config(app: Any, **more: Any) -> uvicorn.Config:
    """Return how uvicorn serves any application of ours: it says nothing by itself and believes no proxy."""
    return uvicorn.Config(
        app,
        http=Protocol,
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=CLOSING_SECONDS,
        **more,
    )


class Server(uvicorn.Server):
    """uvicorn, drained before it stops: it goes on listening meanwhile, so that a refusal can say why."""

    def __init__(self, app: Any, settings: Settings, *, announce: Callable[[], None] = lambda: None) -> None:
        """``app`` is what ``create_app`` returned; its lifespan is the caller's."""
        super().__init__(config(app, ws_max_size=settings.max_body_bytes))
        self._app = app
        self._gate: Gate = app.state.gate
        self._drain_seconds = settings.drain_seconds
        self._announce = announce
        self._stopping = False
        self._draining: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """It listens, and says so."""
        await super().startup(sockets)
        self._announce()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal begins the drain; the next one ends the process."""
        self.stop()
        for one in SIGNALS:
            signal.signal(one, signal.SIG_DFL)

    def stop(self) -> None:
        """The drain begins at the next tick."""
        self._stopping = True

    async def on_tick(self, counter: int) -> bool:
        """Return whether it is time to stop listening."""
        if self._stopping and self._draining is None:
            self._app.state.zhiji.retire()
            self._draining = asyncio.create_task(self._gate.drain(self._drain_seconds))
        if self._draining is not None and self._draining.done():
            self.should_exit = True
        return await super().on_tick(counter)


@contextmanager
def own_words() -> Iterator[None]:
    """What uvicorn and websockets say is logged by us, for their texts and tracebacks may quote a request."""
    theirs, handler = logging.getLogger("uvicorn.error"), _Retold()
    theirs.addHandler(handler)
    theirs.propagate = False
    try:
        yield
    finally:
        theirs.removeHandler(handler)
        theirs.propagate = True


class _Retold(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        """Errors are told by class and place, the rest without what it is about."""
        error = record.exc_info[1] if record.exc_info else None
        if error is None or isinstance(error, UnicodeDecodeError):  # a frame that is no text: its client is told
            log.debug("http_server: %s", record.msg)
        else:
            log.error("http_server: %s", place(error))


class _Strays:
    """What no task waited for is logged by class and place: its text may quote what somebody said.

    The same again within a while is not: without free descriptors asyncio fails thousands of times in a second.
    """

    def __init__(self) -> None:
        self._logged: dict[str, float] = {}

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        words = place(error) if isinstance(error, BaseException) else str(context.get("message"))
        if loop.time() >= self._logged.get(words, 0.0):
            self._logged[words] = loop.time() + QUIET_SECONDS
            log.error("stray_error: %s", words)
