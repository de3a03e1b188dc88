"""Models whose answer a test lets out piece by piece."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from talk import call
from zhiji.models.base import ChatMessages
from zhiji.types import Completion, ToolSpec


class Pausing:
    """Tells its pieces at once, then waits for ``release``; any later turn is answered with ``ok``."""

    def __init__(self, *pieces: str, error: Exception | None = None) -> None:
        self.pieces = pieces
        self.error = error
        self.release = asyncio.Event()
        self.begun = asyncio.Event()
        self.waiting = asyncio.Event()
        self.turns = 0

    async def __call__(self, messages: ChatMessages, tools: Sequence[ToolSpec]) -> Completion:
        """Return the whole answer, once released."""
        async for piece in self.stream(messages, tools):
            if isinstance(piece, Completion):
                return piece
        raise AssertionError

    async def stream(self, messages: ChatMessages, tools: Sequence[ToolSpec]) -> AsyncIterator[str | Completion]:
        """Yield the pieces, wait, then raise the error or end."""
        self.turns += 1
        self.begun.set()
        if self.turns > 1:
            yield "ok"
            yield Completion(text="ok")
            return
        for piece in self.pieces:
            yield piece
        self.waiting.set()
        await self.release.wait()
        if self.error is not None:
            raise self.error
        yield Completion(text="".join(self.pieces))


class Calling:
    """Announces that it looks something up, calls ``look_up``, then answers."""

    def __init__(self, *, announced: str = "") -> None:
        self.announced = announced
        self.rounds = 0

    async def __call__(self, messages: ChatMessages, tools: Sequence[ToolSpec]) -> Completion:
        """Return the call first, the answer then."""
        self.rounds += 1
        return call("look_up") if self.rounds == 1 else Completion(text="found it")

    async def stream(self, messages: ChatMessages, tools: Sequence[ToolSpec]) -> AsyncIterator[str | Completion]:
        """Yield what is announced, then the call; or the answer."""
        whole = await self(messages, tools)
        said = self.announced if whole.tool_calls else whole.text
        if said:
            yield said
        yield whole
