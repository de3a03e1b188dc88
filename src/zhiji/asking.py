"""What the assistant is told about memory in a turn: what the user asked to keep or forget, and what to ask them (M23).

With ``active_memory``, something personal and important waits in quarantine for the user's yes. In a later turn one line of
the background block has the assistant ask, once for each memory and session; that it was told so is part of the turn's
recipe. What the reply makes of the memory is decided in ``sediment``.
"""

from __future__ import annotations

from collections.abc import Sequence

from zhiji import merge
from zhiji.blocks import Remark
from zhiji.extract import consent
from zhiji.parts import Parts
from zhiji.turn import ActiveTurn
from zhiji.types import Memory, Scope, Status

MAX_WAITING = 50
"""Waiting memories, newest first, of which one is asked about."""


async def remark(parts: Parts, turn: ActiveTurn) -> None:
    """``turn.remarks`` says what the assistant is to confirm, or else what it is to ask."""
    asked_for = consent.requests(turn.input, parts.clock()) if parts.extractor.keeps_requests else []
    turn.remarks = [Remark(what=one.what, about=one.about) for one in asked_for]
    if not parts.settings.active_memory or not parts.settings.memory_top_k:
        return
    turn.remarks += await _answered(parts, turn) if not asked_for else []
    if not turn.remarks and (one := await _next(parts, turn)):
        turn.remarks = [Remark(what="ask", about=consent.question(one.content), memory=one.id)]


async def waiting(parts: Parts, scope: Scope, session_id: str, first_turn: int, last_turn: int) -> list[Memory]:
    """Return the memories that wait for the user's yes and that the assistant was told in these turns to ask about."""
    if not parts.settings.active_memory:
        return []
    ids = await parts.store.recalled_in(scope, session_id, first_turn=first_turn, last_turn=last_turn)
    return _waiting(await parts.store.load_memories(scope, ids)) if ids else []


def _waiting(memories: Sequence[Memory]) -> list[Memory]:
    return [one for one in memories if one.status is Status.QUARANTINED and one.reason == merge.WAITS_FOR_YES]


async def _answered(parts: Parts, turn: ActiveTurn) -> list[Remark]:
    """Return what the user's message, as the reply to the last question, lets be remembered or not."""
    before = turn.opened.history[-1] if turn.opened.history else None
    said = consent.reply(before.content, turn.input) if before and before.role == "assistant" else None
    if before is None or said is None:
        return []
    meant = await waiting(parts, turn.scope, turn.session.id, before.turn, before.turn)
    return [Remark(what="remember" if said else "refuse", about=consent.addressed(one.content)) for one in meant]


async def _next(parts: Parts, turn: ActiveTurn) -> Memory | None:
    """Return the most important memory that waits for a yes and was not asked about in this session, the newest first."""
    held = await parts.store.list_memories(
        turn.scope, statuses=frozenset({Status.QUARANTINED}), now=turn.messages[0].time, limit=MAX_WAITING
    )
    open_ = _waiting(held)
    if not open_:
        return None
    told = await parts.store.recalled_in(turn.scope, turn.session.id, first_turn=1, last_turn=turn.opened.number)
    return max((one for one in open_ if one.id not in told), key=lambda one: one.importance, default=None)
