"""``/metrics`` beside a worker, which serves nothing else: on loopback, behind the same token, off unless it has a port."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from fastapi import FastAPI

from zhiji.config import Settings
from zhiji.engine import Zhiji
from zhiji.errors import ZhijiError
from zhiji.server import metrics, problems, token
from zhiji.server.gate import Gate
from zhiji.server.guard import Guard
from zhiji.server.hosts import Hosts
from zhiji.server.run import config, listen, own_words

LOOPBACK = "127.0.0.1"


@asynccontextmanager
async def exposed(zj: Zhiji) -> AsyncIterator[None]:
    """Inside the block the metrics of ``zj`` can be read at ``metrics_port``, if that is set.

    Raises:
        ConfigError: the port cannot be listened on, or the token's file cannot be used.
    """
    settings = zj.settings
    if not settings.metrics_port:
        yield
        return
    app = _app(settings, zj)
    with own_words(), listen(LOOPBACK, settings.metrics_port) as listener:
        server = _Server(app)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield
        finally:
            server.should_exit = True
            await serving


def _app(settings: Settings, zj: Zhiji) -> FastAPI:
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.state.zhiji = zj
    app.state.routes = metrics.router.routes
    secret = token.require(settings) if settings.auth else None
    hosts, gate = Hosts((), listening=LOOPBACK), Gate(settings.max_requests)
    app.add_middleware(Guard, settings=settings, hosts=hosts, token=secret, gate=gate)
    app.add_exception_handler(ZhijiError, problems.failed)
    app.include_router(metrics.router)
    return app


class _Server(uvicorn.Server):
    """uvicorn that leaves the signals to the worker."""

    def __init__(self, app: FastAPI) -> None:
        super().__init__(config(app))

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Nothing is captured."""
        yield
