"""Upkeep of sessions: expire, compact, purge. Nothing here is on the reply's path but ``end_session`` of one just found expired.

What becomes of memories is ``fade``'s business; the sweep calls it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import timedelta

from zhiji import fade
from zhiji import session as rules
from zhiji.errors import SessionBusy, SessionNotFound, StaleState
from zhiji.parts import Parts
from zhiji.sediment import mask_message
from zhiji.stores.base import NewJob
from zhiji.types import Job, JobKind, Message, Scope, SessionStatus, Turn

log = logging.getLogger("zhiji.upkeep")

SWEEP_BATCH = 100
PIECE_TOKENS = 100
"""Tokens of a message that a summary must be able to build on: about two sentences."""


async def end_session(parts: Parts, scope: Scope, session_id: str, *, interrupt: bool = True) -> None:
    """The session is ended: its transcript is archived masked, what is unread becomes memory, its summary is completed.

    A running turn of it fails, unless ``interrupt`` is false.

    Raises:
        SessionNotFound: this owner has no such session. Ending an ended one does nothing.
        SessionBusy: a turn is running and ``interrupt`` is false.
    """
    while True:
        try:
            return await _end(parts, scope, session_id, interrupt)
        except StaleState:  # a turn was saved since the transcript was read: its messages need masking, too
            continue


async def _end(parts: Parts, scope: Scope, session_id: str, interrupt: bool) -> None:
    now = parts.clock()
    messages = await parts.store.load_messages(scope, session_id)
    jobs = [NewJob(kind=JobKind.SEDIMENT, subject=session_id, run_at=now)]
    if parts.summarise:
        jobs.append(NewJob(kind=JobKind.COMPACT, subject=session_id, run_at=now))
    masked = archived(messages)
    changed = [new for new, old in zip(masked, messages, strict=True) if new != old]
    await parts.store.end_session(
        scope,
        session_id,
        masked=changed,
        jobs=jobs,
        now=now,
        upto_seq=messages[-1].seq if messages else 0,
        interrupt=interrupt,
    )
    parts.wake()


async def retire(parts: Parts, scope: Scope, session_id: str) -> None:
    """The expired session is ended, unless one of its turns is still running, or it is gone."""
    with suppress(SessionBusy, SessionNotFound):
        await end_session(parts, scope, session_id, interrupt=False)


def archived(messages: Iterable[Message]) -> list[Message]:
    """Return the messages as they are kept once their session is over."""
    return [mask_message(message) for message in messages]


async def sweep(parts: Parts) -> int:
    """Sessions are swept, and memories fade that nobody uses any more; returns how many sessions were ended."""
    ended = await sweep_sessions(parts)
    await fade.sweep(parts, parts.clock())
    return ended


async def sweep_sessions(parts: Parts) -> int:
    """Expired sessions are ended, old forms and transcripts purged; returns how many sessions were ended."""
    ended = 0
    now = parts.clock()
    while batch := await parts.store.expired_sessions(now, limit=SWEEP_BATCH):
        for scope, session_id in batch:
            await retire(parts, scope, session_id)
        ended += len(batch)
    await parts.store.drop_leftovers(now, touched_before=now - timedelta(days=parts.settings.resume_days))
    while await parts.store.purge_transcripts(now - timedelta(days=parts.settings.transcript_days), limit=SWEEP_BATCH):
        pass
    return ended


async def compact(parts: Parts, job: Job) -> None:
    """The rolling summary covers the old closed turns: all but the last ``keep_recent_turns``, or all once ended.

    A summary is committed before its originals leave the working set, as many turns at a time as can be read whole. If
    none can be had, or it would save nothing, nothing changes: the turns that follow ask again.
    """
    while await _compact_once(parts, job.scope, job.subject):
        pass


async def _compact_once(parts: Parts, scope: Scope, session_id: str) -> bool:
    found = await parts.store.load_session(scope, session_id)
    if found is None or parts.summarise is None:
        return False
    messages = await parts.store.load_closed(scope, found.id, after_seq=found.summary_upto, upto_seq=found.last_seq)
    turns = rules.group(messages)
    keep = 0 if found.status is SessionStatus.ENDED else parts.settings.keep_recent_turns
    old = _readable(parts, turns[: max(0, len(turns) - keep)])
    if not old:
        return False
    gone = await parts.store.unsaid(scope, found.id)
    told = [turn for turn in old if not any(message.seq in gone for message in turn.messages)]
    summary: str | None = found.summary
    if told:
        summary = await rules.fold(
            found.summary,
            told,
            summarise=parts.summarise,
            settings=parts.settings,
            window=parts.window,
            counter=parts.counter,
        )
    if summary is None:
        parts.telemetry.count("zhiji_compactions_total", outcome="skipped")
        log.info("compaction_skipped: session %s keeps its history whole; no useful summary was had", found.id)
        return False
    upto = max(message.seq for message in old[-1].messages)
    parts.telemetry.count("zhiji_compactions_total", outcome="written")
    return await parts.store.write_summary(scope, found.id, summary, upto_seq=upto, expected_upto=found.summary_upto)


def _readable(parts: Parts, turns: Sequence[Turn]) -> Sequence[Turn]:
    """Return the first turns, one at least, of which one call of the summariser can be shown every message."""
    room = rules.TRANSCRIPT_SHARE * parts.window.limit
    for number, one in enumerate(turns):
        room -= sum(min(parts.counter.text(message.content), PIECE_TOKENS) for message in one.messages)
        if room < 0 and number:
            return turns[:number]
    return turns
