"""Playing a story: a real zhiji on a file that is thrown away, a clock that jumps, a check of every reply.

The shop is the business system, zhiji the memory, the offline model the assistant. The control (``no_memory``) plays the
same story with recall switched off: nothing is recalled, no profile is injected, no session is taken over.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rich.console import Console

from zhiji import text
from zhiji.config import Settings
from zhiji.demo import render
from zhiji.demo.script import Step, Story
from zhiji.demo.shop import Shop
from zhiji.demo.view import Exchange, Jumped, StoryResult
from zhiji.engine import Zhiji
from zhiji.types import Memory, Status

START = datetime(2024, 4, 17, 9, 0, tzinfo=UTC)
"""When every story begins: a Wednesday, as in the article."""

TICK = timedelta(seconds=20)
"""Time that one exchange takes."""

FORGETFUL: dict[str, Any] = {"memory_top_k": 0, "resume_days": 0}
"""Settings of the control."""


async def play(
    story: Story, *, no_memory: bool = False, console: Console | None = None, database_url: str | None = None
) -> StoryResult:
    """Return how the story went; with a console, show as it happens what each level holds.

    ``database_url``: of an empty database to play it on, instead of a file that is thrown away.

    Raises:
        ZhijiError: a step could not be played at all.
    """
    with tempfile.TemporaryDirectory(prefix="zhiji-demo-") as folder:
        settings = Settings.load(
            database_url=database_url or f"sqlite:///{Path(folder, 'zhiji.db')}",
            redis_url=None,
            model="offline",
            llm_model=None,
            worker=False,
            user_limits="",
            tenant_limits="",
            **(FORGETFUL if no_memory else {}),
        )
        clock = _Clock()
        async with Zhiji.open(settings, clock=clock) as zj:
            Shop(Path(folder, "shop.db"), story.shop.orders).offer(zj.tool)
            return await _Stage(story, zj, clock, console).play(no_memory=no_memory)


def lacking(reply: str, phrases: Sequence[str]) -> tuple[str, ...]:
    """Return the phrases that do not occur in a reply; width, case and white space do not matter."""
    said = _compared(reply)
    return tuple(phrase for phrase in phrases if _compared(phrase) not in said)


def _compared(words: str) -> str:
    return "".join(text.normalise(words).split())


class _Clock:
    """Stands still between steps."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    @property
    def day(self) -> int:
        return (self.now.date() - START.date()).days + 1


class _Stage:
    """One story being played."""

    def __init__(self, story: Story, zj: Zhiji, clock: _Clock, console: Console | None) -> None:
        self._story = story
        self._zj = zj
        self._clock = clock
        self._console = console
        self._sessions: dict[str, str] = {}
        """Last session by user."""

    async def play(self, *, no_memory: bool) -> StoryResult:
        self._show(render.opening(self._story, no_memory=no_memory))
        exchanges = []
        for number, step in enumerate(self._story.steps, start=1):
            if step.jump is not None:
                await self._jump(step.jump)
            elif step.say is not None:
                exchanges.append(await self._say(number, step, step.say))
        result = StoryResult(story=self._story, no_memory=no_memory, exchanges=tuple(exchanges))
        self._show(render.closing(result))
        return result

    async def _jump(self, by: timedelta) -> None:
        self._clock.now += by
        ended = await self._zj.sweep()
        await self._zj.drain()
        jumped = Jumped(by=by, day=self._clock.day, time=self._clock.now, ended=ended)
        self._show(render.jump(jumped, self._story.lang))

    async def _say(self, number: int, step: Step, said: str) -> Exchange:
        self._show(render.said(step, self._clock.day, self._clock.now, self._story.lang))
        before = await self._memories(step.user)
        session = self._sessions.get(step.user) if step.session == "same" else None
        reply = await self._zj.chat(step.user, said, session=session)
        self._sessions[step.user] = reply.session_id
        context = await self._zj.context(step.user, reply.request_id)
        await self._zj.drain()
        after = await self._memories(step.user)
        exchange = Exchange(
            number=number,
            step=step,
            day=self._clock.day,
            time=self._clock.now,
            reply=reply,
            session=await self._zj.sessions.get(step.user, reply.session_id),
            context=context,
            written=tuple(memory for memory in after if not _known(memory, before)),
            missing=lacking(reply.text, step.expect),
            forbidden=tuple(phrase for phrase in step.never if not lacking(reply.text, [phrase])),
        )
        self._show(render.exchange(exchange, self._story.lang))
        self._clock.now += TICK
        return exchange

    async def _memories(self, user: str) -> list[Memory]:
        return await self._zj.memories.list(user, statuses=list(Status))

    def _show(self, shown: render.Shown) -> None:
        if self._console is not None:
            self._console.print(shown)


def _known(memory: Memory, before: Sequence[Memory]) -> bool:
    """Being recalled raises a memory's revision too; that is not news."""
    return any(
        (memory.id, memory.content, memory.status, memory.confidence)
        == (old.id, old.content, old.status, old.confidence)
        for old in before
    )
