"""Step 1 of the path: the session is restored or opened, and the user's message committed as an open turn.

Whether a session is over, and what a new one carries on with, are rules of ``session``; this module reads and writes.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Literal, TypeVar, get_args

from zhiji import given, masking, session, text, upkeep
from zhiji.errors import (
    ContextTooLarge,
    EmptyMessage,
    InvalidInput,
    SessionBusy,
    SessionExpired,
    ZhijiError,
)
from zhiji.parts import Parts, new_id
from zhiji.stores.base import NewJob, OpenTurn, TurnStart
from zhiji.telemetry import traced
from zhiji.turn import ActiveTurn, held, read_reply, recalled_ids
from zhiji.types import (
    JobKind,
    JobStatus,
    JsonValue,
    Message,
    Reply,
    Scope,
    Session,
    SessionStatus,
)

BUSY_POLL_SECONDS, BUSY_POLL_CAP_SECONDS = 0.01, 0.08
"""Pauses between two looks at a busy session, the first and the longest: forty who wait must not slow down the one that runs."""
MAX_MESSAGE_CHARS = 1_000_000
"""Longest message accepted; the context window refuses far shorter ones."""

WAITING_JOBS = 1000
"""Jobs of one user that are looked at for what waits for silence, newest first."""
UNUSED_SESSIONS = 50
"""Sessions in which nothing happened that are looked past, at most."""

_T = TypeVar("_T")

OnExpired = Literal["new", "error"]


def read_input(raw: str) -> str:
    """Return the user's message made safe: valid UTF-8, without NUL and secrets, otherwise as typed.

    Raises:
        InvalidInput: no text. EmptyMessage: nothing visible in it.
        ContextTooLarge: over a million characters.
    """
    if len(given.words("the message", raw)) > MAX_MESSAGE_CHARS:
        raise ContextTooLarge(
            f"the message is longer than {MAX_MESSAGE_CHARS} characters; send a shorter one", characters=len(raw)
        )
    words = text.clean(raw)
    if not text.normalise(words):
        raise EmptyMessage
    return masking.redact_secrets(words)


@traced("restore")
async def restore(
    parts: Parts,
    scope: Scope,
    raw: str,
    *,
    session_id: str | None,
    idempotency_key: str | None = None,
    on_expired: OnExpired = "new",
) -> ActiveTurn | Reply:
    """The session is restored or opened, and the user's message committed as an open turn.

    Returns the stored reply instead if this idempotency key was answered before.

    Raises:
        SessionNotFound, SessionBusy, IdempotencyMismatch: see ``Store.begin_turn``.
        SessionExpired: only with ``on_expired="error"``.
        RateLimited: the user or the tenant has had its share; nothing was written.
        InvalidInput, EmptyMessage, ContextTooLarge: see ``read_input``; also if the message alone cannot fit.
    """
    words = read_input(raw)
    if idempotency_key is not None:
        given.key("idempotency_key", idempotency_key)
    if on_expired not in get_args(OnExpired):
        raise InvalidInput(f"on_expired must be one of {', '.join(get_args(OnExpired))}")
    tokens = parts.counter.text(words)
    room = parts.window.budget
    if tokens > room:
        raise ContextTooLarge(
            f"the message alone has about {tokens} tokens and the window leaves {room}; send a shorter message",
            tokens=tokens,
            limit=room,
        )
    created, resumed, keyed = False, None, None
    if idempotency_key is not None and (session_id is None or parts.quotas):
        keyed = await parts.store.keyed_session(scope, idempotency_key, now=parts.clock())
        session_id = keyed if session_id is None else session_id
    if keyed is None:
        await count(parts, scope)
    if session_id is None:
        created, (session_id, resumed) = True, await open_session(parts, scope)
    message = Message(role="user", content=words, time=parts.clock())
    message = replace(message, tokens=parts.counter.message(message))
    try:
        opened = await _begin(parts, scope, session_id, message, raw, idempotency_key)
    except SessionExpired:
        if on_expired == "error":
            raise
        await upkeep.retire(parts, scope, session_id)
        created, (session_id, resumed) = True, await open_session(parts, scope, after=session_id)
        opened = await _begin(parts, scope, session_id, message, raw, idempotency_key)
    if opened.replay is not None:
        return await _replayed(parts, scope, opened, opened.replay)
    turn = ActiveTurn(scope=scope, opened=opened, created=created, resumed_from=resumed, messages=[opened.message])
    if keyed is not None and parts.quotas:  # only its opening has told that this retry was not answered before
        async with held(parts, turn):
            await count(parts, scope)
    return turn


async def count(parts: Parts, scope: Scope) -> None:
    """One more turn is counted for the user and the tenant, if their turns are limited.

    Raises:
        RateLimited: one of them has had its share.
    """
    await parts.quotas.count(parts.store, parts.telemetry, scope, now=parts.clock())


async def _replayed(parts: Parts, scope: Scope, opened: OpenTurn, stored: Mapping[str, JsonValue]) -> Reply:
    """Return the stored reply with its words from the transcript, where alone an archive masks them, and its memories."""
    asked = opened.message
    later = await parts.store.load_closed(
        scope, opened.session.id, after_seq=asked.seq, upto_seq=opened.session.last_seq
    )
    words = [message for message in later if message.turn == asked.turn][-1].content
    return read_reply(stored, words, await parts.store.load_memories(scope, recalled_ids(stored)))


async def open_session(parts: Parts, scope: Scope, *, after: str | None = None) -> tuple[str, str | None]:
    """A new session exists; it carries on from the user's ended session of the last days, if there is one.

    Returns its id and the id of the session it carries on from. What was said in former sessions and is not read yet,
    or being read, is waited for, once, for ``sediment_wait_seconds`` at most (M9).
    """
    now = parts.clock()
    former = await parts.store.load_session(scope, after) if after else await _last_used(parts, scope)
    if former and former.status is SessionStatus.LIVE and session.is_expired(former, now):
        await upkeep.retire(parts, scope, former.id)
    await pull_forward(parts, scope)
    await _wait_for_sediment(parts, scope)
    fresh = Session(id=new_id("ses"), created_at=now, touched_at=now, expires_at=parts.expiry(now))
    if former and (after or session.is_expired(former, now) or former.status is SessionStatus.ENDED):
        former = await parts.store.load_session(scope, former.id) or former
        if now - former.touched_at <= timedelta(days=parts.settings.resume_days) and parts.settings.resume_days:
            fresh = replace(fresh, state=session.carry_over(former), summary=former.summary, resumed_from=former.id)
        elif after:
            fresh = replace(fresh, resumed_from=former.id)
    await parts.store.create_session(scope, fresh)
    return fresh.id, fresh.resumed_from


async def _last_used(parts: Parts, scope: Scope) -> Session | None:
    """Return the session touched last, but for those in which nothing happened: a retry that was overtaken leaves such ones."""
    latest = await parts.store.latest_session(scope)
    if latest is None or _is_used(latest):
        return latest
    return next(filter(_is_used, await parts.store.list_sessions(scope, limit=UNUSED_SESSIONS)), latest)


def _is_used(session: Session) -> bool:
    return bool(session.turns or session.state.version)


async def pull_forward(parts: Parts, scope: Scope) -> None:
    """What this user said and what waits for silence is due now; what failed keeps its distance."""
    now = parts.clock()
    pending = await parts.store.list_jobs(scope=scope, statuses=frozenset({JobStatus.PENDING}), limit=WAITING_JOBS)
    for job in pending:
        if job.kind is JobKind.SEDIMENT and job.run_at > now and not job.attempts:
            await parts.store.enqueue(scope, NewJob(kind=job.kind, subject=job.subject, run_at=now))


async def _wait_for_sediment(parts: Parts, scope: Scope) -> None:
    deadline = asyncio.get_running_loop().time() + parts.settings.sediment_wait_seconds
    parts.wake()
    while await parts.store.count_due(scope=scope, now=parts.clock()):
        if asyncio.get_running_loop().time() >= deadline:
            return
        await asyncio.sleep(BUSY_POLL_SECONDS)


async def _begin(
    parts: Parts, scope: Scope, session_id: str, message: Message, raw: str, idempotency_key: str | None
) -> OpenTurn:
    digest = hashlib.sha256(raw.encode("utf-8", "surrogatepass")).hexdigest()
    turn_id, request_id = new_id("trn"), new_id("req")

    async def opening() -> OpenTurn:
        start = TurnStart(
            turn_id=turn_id,
            request_id=request_id,
            message=message,
            lease=parts.lease(),
            idempotency_key=idempotency_key,
            body_digest=digest,
        )
        return await parts.store.begin_turn(scope, session_id, start, history_turns=parts.settings.max_history_turns)

    async def begin() -> OpenTurn:
        write = asyncio.create_task(opening())
        try:
            return await asyncio.shield(write)
        except asyncio.CancelledError:  # a write that has begun cannot be stopped
            await asyncio.shield(_close(parts, scope, write))
            raise

    return await when_free(parts, begin)


async def _close(parts: Parts, scope: Scope, write: asyncio.Task[OpenTurn]) -> None:
    """What was opened for a caller who is gone is closed, under whichever id it was opened."""
    with suppress(ZhijiError):
        opened = await write
        if opened.replay is None:
            await parts.store.fail_turn(scope, opened.session.id, opened.turn_id, holder=parts.holder, code="cancelled")


async def when_free(parts: Parts, attempt: Callable[[], Awaitable[_T]]) -> _T:
    """Return what ``attempt`` returns, tried again while the session is busy, for ``busy_wait_seconds``.

    Raises:
        SessionBusy: it still is.
    """
    deadline = asyncio.get_running_loop().time() + parts.settings.busy_wait_seconds
    pause = BUSY_POLL_SECONDS
    while True:
        try:
            return await attempt()
        except SessionBusy:
            if asyncio.get_running_loop().time() >= deadline:
                raise
            await asyncio.sleep(random.uniform(0.5, 1) * pause)
            pause = min(2 * pause, BUSY_POLL_CAP_SECONDS)
