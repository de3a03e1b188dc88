"""Services of a test: without sockets (``client``, ``open_service``), on a real port (``live``), as processes (``start``)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.service import AUTH, TOKEN, Process, Service
from zhiji.config import Settings
from zhiji.server.app import create_app
from zhiji.server.run import Server, listen, url
from zhiji.testing import FrozenClock, ScriptedModel

OpenService = Callable[..., AbstractAsyncContextManager[Service]]
Start = Callable[..., Process]


PARTS = {"extractor_object": "extractor", "embedder_object": "embedder", "slots": "slots", "tracer": "tracer"}
"""What tests may hand to ``Zhiji.open``, by the name under which they say it: settings have names alike."""


@pytest.fixture
def clock() -> FrozenClock:
    """A clock that moves only when told to."""
    return FrozenClock()


def _app(folder: Path, clock: FrozenClock, answers: tuple[Any, ...], model: Any, register: Any, settings: Any) -> Any:
    values: dict[str, Any] = {
        "database_url": f"sqlite:///{folder / 'zhiji.db'}",
        "embedder": "off",
        "system_prompt": "You are a support assistant.",
        "worker": False,
        "token": TOKEN,
        "model": "offline",
    }
    parts = {part: settings.pop(given) for given, part in PARTS.items() if given in settings}
    loaded = Settings.load(**{**values, **settings})
    if model != "offline":
        parts["model"] = model or ScriptedModel(list(answers))
    return loaded, create_app(loaded, register=register, clock=clock, **parts)


@pytest.fixture
def open_service(tmp_path: Path, clock: FrozenClock) -> OpenService:
    """Open the service without sockets: ``open_service("hello", "again")`` scripts the model's answers.

    ``model="offline"`` takes the built-in assistant; ``register`` adds tools; ``PARTS`` are handed on; everything
    else is a setting.
    """

    @asynccontextmanager
    async def opened(*answers: Any, model: Any = None, register: Any = None, **settings: Any) -> AsyncIterator[Service]:
        _, app = _app(tmp_path, clock, answers, model, register, settings)
        base = "http://localhost:8000"
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=base, headers=AUTH) as client,
        ):
            yield Service(client=client, app=app, url=base, clock=clock)

    return opened


@pytest.fixture
def live(tmp_path: Path, clock: FrozenClock) -> OpenService:
    """Open the service on a real port of this process; arguments as for ``open_service``."""

    @asynccontextmanager
    async def opened(*answers: Any, model: Any = None, register: Any = None, **settings: Any) -> AsyncIterator[Service]:
        loaded, app = _app(tmp_path, clock, answers, model, register, settings)
        listening = asyncio.Event()
        with listen("127.0.0.1", 0) as listener:
            base = url("127.0.0.1", listener)
            async with app.router.lifespan_context(app):
                server = Server(app, loaded, announce=listening.set)
                running = asyncio.create_task(server.serve(sockets=[listener]))
                await listening.wait()
                async with httpx.AsyncClient(base_url=base, headers=AUTH, timeout=20) as client:
                    yield Service(client=client, app=app, url=base, clock=clock)
                server.stop()
                await running

    return opened


@pytest.fixture
async def service(open_service: OpenService) -> AsyncIterator[Service]:
    """A service without sockets whose assistant is the built-in one."""
    async with open_service(model="offline") as opened:
        yield opened


@pytest.fixture
def client(service: Service) -> httpx.AsyncClient:
    """Its client."""
    return service.client


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start ``zhiji`` processes in this test's folder: ``start("serve")``."""
    with ExitStack() as ends:

        def begin(*args: str, **options: Any) -> Process:
            return ends.enter_context(Process(tmp_path, *args, **options))

        yield begin
