"""The application: opens zhiji once, mounts the routers, translates errors; the guard stands around all of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

import zhiji
from zhiji.config import Settings
from zhiji.engine import Zhiji
from zhiji.errors import ZhijiError
from zhiji.server import (
    chat,
    doctor,
    health,
    jobs,
    memories,
    metrics,
    problems,
    recall,
    sessions,
    socket,
    state,
    token,
    users,
)
from zhiji.server.gate import Gate
from zhiji.server.guard import Guard
from zhiji.server.hosts import Hosts
from zhiji.server.metrics import Measured
from zhiji.server.openapi import describe
from zhiji.types import WorkerRole

Register = Callable[[Zhiji], object]
"""Registers business tools on the open zhiji."""

ROUTERS = (
    chat.router,
    socket.router,
    users.router,
    memories.router,
    recall.router,
    sessions.router,
    state.router,
    jobs.router,
    doctor.router,
    metrics.router,
    health.router,
)
"""One per noun; a new one is one line here."""


def create_app(settings: Settings, *, register: Register | None = None, **parts: Any) -> FastAPI:
    """Return the application; zhiji is open while it runs. ``parts`` go to ``Zhiji.open``: ``clock``, ``model`` ….

    Raises:
        ConfigError: the token's file cannot be used, or ``allowed_hosts`` holds what is no host name.
    """
    gate, hosts = Gate(settings.max_requests), Hosts(settings.allowed_hosts, listening=settings.host)
    secret = token.require(settings) if settings.auth else None

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with Zhiji.open(settings, role=WorkerRole.SERVE, **parts) as zj:
            if register is not None:
                register(zj)
            app.state.zhiji = zj
            warming = asyncio.create_task(zj.warm())  # readiness does not wait for it, and the first turn hardly does
            try:
                yield
            finally:
                warming.cancel()

    app = FastAPI(
        title="zhiji",
        version=zhiji.__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.gate = gate
    app.state.routes = [*app.routes, *(route for router in ROUTERS for route in router.routes)]
    app.add_middleware(Guard, settings=settings, hosts=hosts, token=secret, gate=gate)
    app.add_middleware(Measured)
    for kind in (ZhijiError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, problems.failed)
    for router in ROUTERS:
        app.include_router(router)
    describe(app)
    return app
