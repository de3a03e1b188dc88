"""One open turn: what the steps of the path hand on, and how it is held while it is open.

The steps live beside: ``restore`` (1), ``complete`` (2 to 4), ``save`` (5 and 6); ``chat.respond`` calls them in order.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace

from zhiji.errors import (
    StoreBusy,
    ZhijiError,
)
from zhiji.parts import Parts
from zhiji.stores.base import OpenTurn
from zhiji.types import (
    Context,
    JsonValue,
    Message,
    Recalled,
    Reply,
    Scope,
    Session,
    Usage,
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
    context: Context | None = None
    asked: bool = False
    """Whether the summariser was asked in this turn; it is asked once at most."""

    @property
    def id(self) -> str:
        return self.opened.turn_id

    @property
    def session(self) -> Session:
        return self.opened.session

    @property
    def input(self) -> str:
        return self.messages[0].content


@asynccontextmanager
async def held(parts: Parts, turn: ActiveTurn) -> AsyncIterator[None]:
    """The session's lease is renewed inside the block; if the block fails, the turn is marked failed."""
    keeper = asyncio.create_task(_keep(parts, turn))
    try:
        yield
    except BaseException as error:
        code = error.code if isinstance(error, ZhijiError) else type(error).__name__
        parts.tallies["zhiji_turns_failed_total"] += 1
        log.warning("turn_failed: %s %s", turn.id, code)
        await asyncio.shield(
            parts.store.fail_turn(turn.scope, turn.session.id, turn.id, holder=parts.holder, code=code)
        )
        raise
    finally:
        keeper.cancel()


async def _keep(parts: Parts, turn: ActiveTurn) -> None:
    while True:
        await asyncio.sleep(parts.settings.lease_seconds / 3)
        with suppress(StoreBusy):  # there is time for another try before the lease runs out
            if not await parts.store.renew_lease(turn.scope, turn.session.id, parts.lease()):
                return


def add_message(parts: Parts, turn: ActiveTurn, message: Message) -> None:
    """The message is part of the turn, counted, with the number that the store will give it."""
    message = replace(message, seq=turn.messages[-1].seq + 1, turn=turn.opened.number)
    turn.messages.append(replace(message, tokens=parts.counter.message(message)))


# --- the stored reply -------------------------------------------------------------------------------------------------


def write_reply(reply: Reply) -> Mapping[str, JsonValue]:
    """Return what is stored of a reply for a retry with the same key: ids and usage, neither words nor memories."""
    usage = reply.usage
    return {
        "v": 1,
        "session_id": reply.session_id,
        "turn_id": reply.turn_id,
        "request_id": reply.request_id,
        "created": reply.created,
        "resumed_from": reply.resumed_from,
        "usage": {name: getattr(usage, name) for name in USAGE_FIELDS},
    }


USAGE_FIELDS = ("system", "memory", "history", "summary", "tool", "input", "reserve", "limit")


def read_reply(stored: Mapping[str, JsonValue], words: str) -> Reply:
    """Return the reply that ``write_reply`` stored, with its words, marked as replayed."""
    usage = stored["usage"]
    assert isinstance(usage, dict)
    resumed = stored["resumed_from"]
    return Reply(
        text=words,
        session_id=str(stored["session_id"]),
        turn_id=str(stored["turn_id"]),
        request_id=str(stored["request_id"]),
        created=bool(stored["created"]),
        resumed_from=None if resumed is None else str(resumed),
        usage=Usage(**{name: int(str(usage[name])) for name in USAGE_FIELDS}),
        replayed=True,
    )
