"""Turns of hosts with an agent loop of their own: the steps of the path around it, and the model is the host's.

Step 4 is what happens inside the block; what the host's tools said is handed in by ``HostTurn.add``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from zhiji import ingest, overflow, replan, text
from zhiji.complete import assemble, recall_for
from zhiji.errors import InvalidInput
from zhiji.parts import Parts
from zhiji.restore import restore
from zhiji.save import advance, save
from zhiji.turn import ActiveTurn, add_message, held
from zhiji.types import Context, JsonValue, Recalled, Reply, Scope, Session


@asynccontextmanager
async def turn(parts: Parts, scope: Scope, message: str, *, session_id: str | None) -> AsyncIterator[HostTurn]:
    """Steps 1 to 3 before the block, 5 to 7 after it; see ``Zhiji.turn``."""
    with parts.telemetry.work("turn"):
        active = await restore(parts, scope, message, session_id=session_id)
        assert isinstance(active, ActiveTurn)
        async with held(parts, active):
            await recall_for(parts, active)
            await assemble(parts, active, parts.toolbox.specs())
            host = HostTurn(parts, active)
            yield host
            if not isinstance(host.reply, str) or not host.reply.strip():
                raise InvalidInput("turn.reply was not set; assign the assistant's answer before leaving the block")
            answer = text.clean(host.reply)
            host.saved = await save(parts, active, answer, advance(parts, active, answer))


class HostTurn:
    """One turn whose model is called by the host: set ``reply`` before leaving the block; ``saved`` is the committed one after it."""

    def __init__(self, parts: Parts, active: ActiveTurn) -> None:
        self._parts = parts
        self._active = active
        self.reply: str | None = None
        """Set it to the assistant's answer before leaving the block."""
        self.saved: Reply | None = None
        """After the block: the committed reply."""

    @property
    def id(self) -> str:
        return self._active.id

    @property
    def request_id(self) -> str:
        return self._active.opened.request_id

    @property
    def session(self) -> Session:
        return self._active.session

    @property
    def recalled(self) -> Sequence[Recalled]:
        return self._active.recalled

    @property
    def context(self) -> Context:
        """What the model sees, with usage and ladder steps."""
        assert self._active.context is not None
        return self._active.context

    @property
    def messages(self) -> Sequence[Mapping[str, JsonValue]]:
        """Ready for any chat-completions API: one system message, history, the user's message with its background."""
        return self.context.messages

    async def add(self, *messages: Mapping[str, object]) -> None:
        """Tool calls and results of your loop become part of this turn; ``messages`` is assembled again with them.

        Raises:
            InvalidInput: not an assistant message with tool calls or a tool message.
            ContextTooLarge: it no longer fits.
        """
        for message in ingest.parse(messages, default_time=self._parts.clock()):
            if message.role not in ("assistant", "tool"):
                raise InvalidInput("add only assistant messages with tool calls, and tool results")
            add_message(self._parts, self._active, message)
        await assemble(self._parts, self._active, self._parts.toolbox.specs())

    async def replan(self, error: BaseException) -> None:
        """After your model has refused ``messages`` for their length, ``messages`` are shorter; send them once more.

        ``error``: what your client raised; its limit is remembered for every later turn.

        Raises:
            BaseException: ``error`` itself, if it is about anything else.
            ContextTooLarge: they cannot be made to fit, or this was done before in this turn.
        """
        found = overflow.read(error, said=[self._active.input])
        if found is None:
            raise error
        refused = found.error()
        refused.__cause__ = error
        replan.after(self._parts, self._active, refused)
        await assemble(self._parts, self._active, self._parts.toolbox.specs())
