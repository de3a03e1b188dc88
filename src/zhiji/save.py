"""Steps 5 to 7 of the path: the state is advanced, turn, state and jobs are committed together, and the reply is told.

How the state advances is a rule of ``session``; when a session is summed up, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta

from zhiji import context, forgetting, masking, session
from zhiji.errors import StaleState, ZhijiError
from zhiji.parts import Parts
from zhiji.stores.base import NewJob, TurnEnd
from zhiji.telemetry import traced
from zhiji.turn import ActiveTurn, add_message, to_its_end, write_reply
from zhiji.types import (
    JobKind,
    Message,
    Recipe,
    Reply,
    State,
)

# --- 5 advance ------------------------------------------------------------------------------------------------------


def advance(parts: Parts, turn: ActiveTurn, answer: str) -> State:
    """The answer is part of the turn; returns the state that follows from the old one and this turn."""
    with parts.telemetry.step("advance"):
        add_message(parts, turn, Message(role="assistant", content=masking.redact_secrets(answer), time=parts.clock()))
        return session.advance(turn.session.state, turn.messages, schema=parts.slots)


# --- 6 save, 7 reply ------------------------------------------------------------------------------------------------


async def save(parts: Parts, turn: ActiveTurn, answer: str, state: State) -> Reply:
    """State, turn and jobs are committed together, even if the caller leaves meanwhile; the session is free again.

    Raises:
        LeaseLost: see ``Store.finish_turn``; nothing was written.
    """
    return await to_its_end(_save(parts, turn, state, _reply(turn, answer)))


@asynccontextmanager
async def keeping(parts: Parts, turn: ActiveTurn) -> AsyncIterator[None]:
    """If the caller leaves while the answer is being told, the turn is closed with the words told so far."""
    try:
        yield
    except asyncio.CancelledError:
        told = "".join(turn.told)
        answered = turn.messages[-1].role == "assistant" and not turn.messages[-1].tool_calls
        if told.strip() and not answered:  # once answered, it was saved, or could not be
            with suppress(ZhijiError):  # what could not be saved is failed, as any other turn
                state, reply = advance(parts, turn, told), replace(_reply(turn, told), interrupted=True)
                await to_its_end(_save(parts, turn, state, reply))
        raise


async def _save(parts: Parts, turn: ActiveTurn, state: State, reply: Reply) -> Reply:
    await _commit(parts, turn, state, reply)
    with parts.telemetry.step("reply"):
        parts.wake()
    return reply


def _reply(turn: ActiveTurn, answer: str) -> Reply:
    assert turn.context is not None
    return Reply(
        text=answer,
        session_id=turn.session.id,
        turn_id=turn.id,
        request_id=turn.opened.request_id,
        created=turn.created,
        resumed_from=turn.resumed_from,
        usage=turn.context.usage,
        recalled=tuple(turn.recalled),
        steps=turn.context.steps,
    )


@traced("save")
async def _commit(parts: Parts, turn: ActiveTurn, state: State, reply: Reply) -> None:
    assert turn.context is not None
    now, recipe = parts.clock(), turn.context.recipe
    await _finish(
        parts,
        turn,
        TurnEnd(
            session_id=turn.session.id,
            turn_id=turn.id,
            holder=parts.holder,
            messages=turn.messages[1:],
            state=state,
            reply=write_reply(reply),
            recipe=recipe,
            recalled=_used(parts, turn, recipe, now),
            jobs=_jobs(parts, turn),
            now=now,
            expires_at=parts.expiry(now) if turn.session.expires_at else None,
        ),
    )
    turn.saved = True


def _used(parts: Parts, turn: ActiveTurn, recipe: Recipe, now: datetime) -> Mapping[str, datetime | None]:
    """Return the memories that the model saw, with the deadline that they have by this use.

    What is in every request of a user, the profile, is counted once a day.
    """
    seen = {memory_id for memory_id, _, _ in recipe.recalled}
    shown = [one.memory for one in turn.recalled if one.memory.id in seen]
    shown += [memory for memory in turn.profile if memory.id in recipe.profile and forgetting.is_new_use(memory, now)]
    retention = parts.settings.retention
    return {memory.id: forgetting.expiry_if_used(memory, now, retention=retention) for memory in shown}


async def _finish(parts: Parts, turn: ActiveTurn, end: TurnEnd) -> None:
    """The turn is committed; what was patched while it ran (by a tool, say) stays patched."""
    while True:
        try:
            await parts.store.finish_turn(turn.scope, end)
        except StaleState:
            held = await parts.store.load_session(turn.scope, end.session_id)
            if held is None:
                raise
            end = replace(end, state=session.rebase(end.state, before=turn.session.state, patched=held.state))
            turn.opened = replace(turn.opened, session=replace(turn.session, state=held.state))
        else:
            return


def _jobs(parts: Parts, turn: ActiveTurn) -> list[NewJob]:
    now = parts.clock()
    waiting = turn.messages[-1].seq - turn.session.extracted_upto
    soon = parts.extractor.every_turn or _turns_waiting(turn) >= parts.settings.extract_every_turns
    delay = timedelta(seconds=0 if soon else parts.settings.extract_idle_seconds)
    read = NewJob(kind=JobKind.SEDIMENT, subject=turn.session.id, run_at=now + delay, waits=not soon)
    jobs = [read] if waiting else []
    room = context.room(parts.settings.system_prompt, parts.toolbox.specs(), parts.window, parts.counter)
    history = [*turn.opened.history, *turn.messages]
    if parts.summarise and not turn.asked and session.needs_compaction(history, parts.settings, room=room):
        jobs.append(NewJob(kind=JobKind.COMPACT, subject=turn.session.id, run_at=now))
    return jobs


def _turns_waiting(turn: ActiveTurn) -> int:
    unread = {message.turn for message in turn.opened.history if message.seq > turn.session.extracted_upto}
    return len(unread) + 1
