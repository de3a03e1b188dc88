"""Steps 5 and 6 of the path: the state is advanced, and turn, state and jobs are committed together.

How the state advances is a rule of ``session``; when a session is summed up, too.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from zhiji import context, masking, session
from zhiji.errors import (
    StaleState,
)
from zhiji.parts import Parts
from zhiji.stores.base import NewJob, TurnEnd
from zhiji.turn import ActiveTurn, add_message, write_reply
from zhiji.types import (
    JobKind,
    Message,
    Reply,
)


async def save(parts: Parts, turn: ActiveTurn, answer: str) -> Reply:
    """State, turn and jobs are committed together; the session is touched and free again.

    Raises:
        LeaseLost: see ``Store.finish_turn``; nothing was written.
    """
    add_message(parts, turn, Message(role="assistant", content=masking.redact_secrets(answer), time=parts.clock()))
    made = turn.context
    assert made is not None
    now = parts.clock()
    reply = Reply(
        text=answer,
        session_id=turn.session.id,
        turn_id=turn.id,
        request_id=turn.opened.request_id,
        created=turn.created,
        resumed_from=turn.resumed_from,
        usage=made.usage,
        recalled=tuple(turn.recalled),
        steps=made.steps,
    )
    await _finish(
        parts,
        turn,
        TurnEnd(
            session_id=turn.session.id,
            turn_id=turn.id,
            holder=parts.holder,
            messages=turn.messages[1:],
            state=session.advance(turn.session.state, turn.messages, schema=parts.slots),
            reply=write_reply(reply),
            recipe=made.recipe,
            recalled=[memory_id for memory_id, _, _ in made.recipe.recalled],
            jobs=_jobs(parts, turn),
            now=now,
            expires_at=parts.expiry(now) if turn.session.expires_at else None,
        ),
    )
    parts.wake()
    return reply


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
    jobs = [NewJob(kind=JobKind.SEDIMENT, subject=turn.session.id, run_at=now + delay)] if waiting else []
    room = context.room(parts.settings.system_prompt, parts.toolbox.specs(), parts.settings, parts.counter)
    history = [*turn.opened.history, *turn.messages]
    if parts.summarise and not turn.asked and session.needs_compaction(history, parts.settings, room=room):
        jobs.append(NewJob(kind=JobKind.COMPACT, subject=turn.session.id, run_at=now))
    return jobs


def _turns_waiting(turn: ActiveTurn) -> int:
    unread = {message.turn for message in turn.opened.history if message.seq > turn.session.extracted_upto}
    return len(unread) + 1
