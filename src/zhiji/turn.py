"""One open turn: what the steps of the path hand on, and how it is held while it is open.

The steps live beside: ``restore`` (1), ``complete`` (2 to 4), ``save`` (5 and 6); ``chat.respond`` calls them in order.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Concatenate, ParamSpec, TypeVar

from zhiji.blocks import Remark
from zhiji.errors import (
    ContextOverflow,
    StoreError,
    ZhijiError,
)
from zhiji.parts import Parts
from zhiji.stores.base import OpenTurn
from zhiji.types import (
    Context,
    JsonValue,
    Memory,
    Message,
    Recalled,
    Reply,
    Scope,
    Session,
    Step,
    Usage,
    Via,
)

log = logging.getLogger("zhiji.turn")


@dataclass(slots=True, kw_only=True)
class ActiveTurn:
    """A turn between its opening and its closing."""

    scope: Scope
    opened: OpenTurn
    created: bool
    resumed_from: str | None
    messages: list[Message]
    """The user's message, then this turn's calls and results so far."""
    recalled: list[Recalled] = field(default_factory=list)
    profile: Sequence[Memory] = ()
    """What is known of the user under a fixed key, as ``context`` was made of it."""
    remarks: list[Remark] = field(default_factory=list)
    """What the assistant is told about memory."""
    context: Context | None = None
    overflow: ContextOverflow | None = None
    """Why this turn's context was planned anew; it is once at most."""
    asked: bool = False
    """Whether the summariser was asked in this turn; it is asked once at most."""
    told: list[str] = field(default_factory=list)
    """Pieces of the answer that the caller has been told so far; none while tools run."""
    saved: bool = False
    """Whether the turn has been closed with an answer."""

    @property
    def id(self) -> str:
        return self.opened.turn_id

    @property
    def session(self) -> Session:
        return self.opened.session

    @property
    def input(self) -> str:
        return self.messages[0].content


_P = ParamSpec("_P")
_T = TypeVar("_T")


def counted(
    respond: Callable[Concatenate[Parts, _P], Awaitable[Reply]],
) -> Callable[Concatenate[Parts, _P], Awaitable[Reply]]:
    """Decorator: the function answers one turn, which is counted by its outcome."""

    @functools.wraps(respond)
    async def run(parts: Parts, /, *args: _P.args, **kwargs: _P.kwargs) -> Reply:
        with parts.telemetry.work("turn") as work:
            reply = await respond(parts, *args, **kwargs)
            if reply.replayed:
                work.end("replayed")
            return reply

    return run


@asynccontextmanager
async def held(parts: Parts, turn: ActiveTurn) -> AsyncIterator[None]:
    """The session's lease is renewed inside the block; if the block fails before it saved the turn, that is failed."""
    parts.telemetry.mark(session=turn.session.id, turn=turn.id, request=turn.opened.request_id)
    keeper = asyncio.create_task(_keep(parts, turn))
    try:
        yield
    except BaseException as error:
        if turn.saved:
            raise
        code = error.code if isinstance(error, ZhijiError) else type(error).__name__
        log.warning("turn_failed: %s %s", turn.id, code)
        with suppress(
            StoreError
        ):  # the caller is told what went wrong first; the turn fails when its lease has run out
            await asyncio.shield(
                parts.store.fail_turn(turn.scope, turn.session.id, turn.id, holder=parts.holder, code=code)
            )
        raise
    finally:
        keeper.cancel()


async def _keep(parts: Parts, turn: ActiveTurn) -> None:
    while True:
        await asyncio.sleep(parts.settings.lease_seconds / 3)
        with suppress(StoreError):  # there is time for another try before the lease runs out
            if not await parts.store.renew_lease(turn.scope, turn.session.id, parts.lease()):
                return


async def to_its_end(work: Coroutine[Any, Any, _T]) -> _T:
    """Return what ``work`` returns; cancelling the caller, however often, does not stop it: a begun write cannot be."""
    writing = asyncio.create_task(work)
    left: asyncio.CancelledError | None = None
    while not writing.done():
        try:
            await asyncio.wait([writing])
        except asyncio.CancelledError as error:
            left = error
    failure = writing.exception()
    if left is not None:
        raise left from failure
    return writing.result()


def add_message(parts: Parts, turn: ActiveTurn, message: Message) -> None:
    """The message is part of the turn, counted, with the number that the store will give it."""
    message = replace(message, seq=turn.messages[-1].seq + 1, turn=turn.opened.number)
    turn.messages.append(replace(message, tokens=parts.counter.message(message)))


# --- the stored reply -------------------------------------------------------------------------------------------------


def write_reply(reply: Reply) -> Mapping[str, JsonValue]:
    """Return what is stored of a reply for a retry with the same key: ids and numbers, neither words nor memories."""
    usage = reply.usage
    return {
        "v": 1,
        "session_id": reply.session_id,
        "turn_id": reply.turn_id,
        "request_id": reply.request_id,
        "created": reply.created,
        "resumed_from": reply.resumed_from,
        "interrupted": reply.interrupted,
        "usage": {name: getattr(usage, name) for name in USAGE_FIELDS},
        "recalled": [[one.memory.id, one.score, dict(one.terms), one.via.value] for one in reply.recalled],
        "steps": [asdict(step) for step in reply.steps],
    }


USAGE_FIELDS = ("system", "memory", "history", "summary", "tool", "input", "reserve", "limit")


def recalled_ids(stored: Mapping[str, Any]) -> list[str]:
    """Return the ids of the memories that a stored reply recalled."""
    return [id for id, *_ in stored.get("recalled", ())]


def read_reply(stored: Mapping[str, Any], words: str, memories: Iterable[Memory]) -> Reply:
    """Return the reply that ``write_reply`` stored, marked as replayed, with its words and those ``memories`` that are left."""
    left = {memory.id: memory for memory in memories}
    recalled = stored.get("recalled", ())
    return Reply(
        text=words,
        session_id=stored["session_id"],
        turn_id=stored["turn_id"],
        request_id=stored["request_id"],
        created=stored["created"],
        resumed_from=stored["resumed_from"],
        usage=Usage(**stored["usage"]),
        recalled=tuple(
            Recalled(memory=left[id], score=score, terms=terms, via=Via(via))
            for id, score, terms, via in recalled
            if id in left
        ),
        steps=tuple(Step(**step) for step in stored.get("steps", ())),
        replayed=True,
        interrupted=stored.get("interrupted") is True,
    )
