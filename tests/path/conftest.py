"""An open zhiji over a real SQLite file, with a frozen clock and a scripted model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from processes import Child
from talk import Open
from zhiji import Settings, Zhiji
from zhiji.testing import FrozenClock, ScriptedModel

CHILD = Path(__file__).with_name("child.py")


@pytest.fixture
def clock() -> FrozenClock:
    """A clock that moves only when told to."""
    return FrozenClock()


@pytest.fixture
def open_zhiji(tmp_path: Path, clock: FrozenClock) -> Open:
    """Open zhiji on this test's file: ``open_zhiji("hello", "again")`` scripts the model's answers."""

    @asynccontextmanager
    async def opened(*answers: Any, model: Any = None, embedder: Any = None, **settings: Any) -> AsyncIterator[Zhiji]:
        values: dict[str, Any] = {
            "database_url": f"sqlite:///{tmp_path / 'zhiji.db'}",
            "embedder": "off",
            "system_prompt": "You are a support assistant.",
            "worker": False,
        }
        options = {
            name: settings.pop(name)
            for name in ("extractor_object", "summarise", "slots", "tracer")
            if name in settings
        }
        extractor = options.pop("extractor_object", None)
        script = model or ScriptedModel(list(answers))
        async with Zhiji.open(
            Settings.load(**{**values, **settings}),
            clock=clock,
            model=script,
            embedder=embedder,
            extractor=extractor,
            **options,
        ) as zj:
            yield zj

    return opened


@pytest.fixture
def child(tmp_path: Path) -> Iterator[Child]:
    """Another process that is ready to work on this test's file."""
    with _child(tmp_path) as started:
        yield started


@pytest.fixture
def children(tmp_path: Path) -> Iterator[list[Child]]:
    """Two of them."""
    with ExitStack() as ends:
        yield [ends.enter_context(_child(tmp_path)) for _ in range(2)]


@contextmanager
def _child(tmp_path: Path) -> Iterator[Child]:
    started = Child(CHILD, tmp_path / "zhiji.db")
    try:
        assert started.answer() == "ready"
        yield started
    finally:
        started.close()
