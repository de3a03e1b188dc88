"""How values lie in their rows: columns to value and back. No SQL is run here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from zhiji import policies
from zhiji.stores.base import MemoryPut, SessionLog, TurnRecord
from zhiji.stores.documents import calls_text, read_calls, read_state, state_text
from zhiji.stores.instants import instant, micros
from zhiji.stores.turns import Held
from zhiji.types import (
    Job,
    JobKind,
    JobStatus,
    Memory,
    Message,
    Scope,
    Session,
    SessionStatus,
    Source,
    Status,
    Trust,
    WorkerBeat,
    WorkerRole,
)

FIELDS = (
    "id", "type", "status", "key", "content", "value", "importance", "confidence", "trust", "sources", "lang",
    "valid_from", "valid_to", "superseded_by", "links", "created", "updated", "recalled", "recalls", "expires",
    "reason", "revision",
)  # fmt: skip
"""Columns that make up a memory, in the order of ``memory_of``."""

MESSAGE_FIELDS = ("seq", "turn", "role", "content", "time", "name", "calls", "call_id", "tokens", "orphan")
"""Columns that make up a message, in the order of ``message_of`` and ``message_row``."""

PROFILE_RANGES = tuple(
    (f"{prefix}:", f"{prefix};")
    for prefix in sorted({entry.key.partition(":")[0] for entry in policies.ATTRIBUTES if entry.profile})
)
"""From which to below which key the attributes of the profile lie; others lie between them."""

Row = Sequence[Any]
"""A row as a database returns it."""

# --- memories -------------------------------------------------------------------------------------------------------

_STATUS = {status.value: status for status in Status}
_TRUST = {trust.value: trust for trust in Trust}


def memory_of(row: Row) -> Memory:
    """Return the memory of one row of ``FIELDS``. Every recall reads dozens: no detours here."""
    (id_, type_, status, key, content, value, importance, confidence, trust, sources, lang, valid_from, valid_to,
     superseded_by, links, created, updated, recalled, recalls, expires, reason, revision) = row  # fmt: skip
    return Memory(
        id=id_,
        type=type_,
        status=_STATUS[status],
        key=key,
        content=content,
        value=None if value == "null" else json.loads(value),
        importance=importance,
        confidence=confidence,
        trust=_TRUST[trust],
        sources=tuple([Source(session=session, seqs=tuple(seqs)) for session, seqs in json.loads(sources)]),
        lang=lang,
        valid_from=instant(valid_from),
        valid_to=instant(valid_to),
        superseded_by=superseded_by,
        links=() if links == "[]" else tuple(json.loads(links)),
        created_at=instant(created),
        updated_at=instant(updated),
        last_recalled_at=instant(recalled),
        recalls=recalls,
        expires_at=instant(expires),
        reason=reason,
        revision=revision,
    )


def columns_of(memory: Memory) -> dict[str, Any]:
    """Return the columns of a memory that is about to be written, its revision raised."""
    return {
        "id": memory.id,
        "type": memory.type,
        "status": memory.status.value,
        "key": memory.key,
        "content": memory.content,
        "value": compact(memory.value),
        "importance": memory.importance,
        "confidence": memory.confidence,
        "trust": memory.trust.value,
        "sources": compact([[source.session, list(source.seqs)] for source in memory.sources]),
        "lang": memory.lang,
        "valid_from": micros(memory.valid_from),
        "valid_to": micros(memory.valid_to),
        "superseded_by": memory.superseded_by,
        "links": compact(list(memory.links)),
        "created": micros(memory.created_at),
        "updated": micros(memory.updated_at),
        "recalled": micros(memory.last_recalled_at),
        "recalls": memory.recalls,
        "expires": micros(memory.expires_at),
        "reason": memory.reason,
        "revision": memory.revision + 1,
        "single": int(policies.is_single_valued(memory.key)),
    }


def profile_of(rows: Iterable[Row]) -> list[Memory]:
    """Return what rows of ``FIELDS`` say of the profile, by key; others in ``PROFILE_RANGES`` are left out."""
    shown = [memory for memory in map(memory_of, rows) if policies.in_profile(memory.key, memory.value)]
    return sorted(shown, key=lambda memory: (memory.key or "", memory.id))


def in_order(puts: Iterable[MemoryPut]) -> list[MemoryPut]:
    """Return the writes in an order in which no two active rows ever have one single-valued key."""
    return sorted(puts, key=lambda put: put.memory.revision == 0 or put.memory.status is Status.ACTIVE)


def compact(value: object) -> str:
    """Return a JSON value as text without white space."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# --- sessions and messages ------------------------------------------------------------------------------------------


def session_columns(session: Session) -> dict[str, Any]:
    """Return the columns of a session, but for its lease."""
    return {
        "id": session.id,
        "created": micros(session.created_at),
        "touched": micros(session.touched_at),
        "expires": micros(session.expires_at),
        "ended": micros(session.touched_at) if session.status is SessionStatus.ENDED else None,
        "version": session.state.version,
        "state": state_text(session.state),
        "upto": session.summary_upto,
        "turns": session.turns,
        "last": session.last_seq,
        "resumed": session.resumed_from,
        "extracted": session.extracted_upto,
    }


def session_of(row: Row) -> Held:
    """Return the session of a row: the columns of ``session_columns`` in their order, its lease, its summary."""
    (id_, created, touched, expires, ended, version, state, upto, turns, last_seq, resumed, extracted, *lease,
     summary) = row  # fmt: skip
    session = Session(
        id=id_,
        created_at=instant(created),
        touched_at=instant(touched),
        expires_at=instant(expires),
        status=SessionStatus.LIVE if ended is None else SessionStatus.ENDED,
        state=read_state(state, version),
        summary=summary or "",
        summary_upto=upto,
        turns=turns,
        last_seq=last_seq,
        resumed_from=resumed,
        extracted_upto=extracted,
    )
    return Held(session, *lease)


def log_of(ended: int | None, lease_until: int | None, newest_first: Sequence[Row]) -> SessionLog:
    """Return what became of a session's turns, whose rows have the columns of ``TurnRecord`` in their order."""
    turns = [
        TurnRecord(
            number=number,
            status=status,
            first_seq=first_seq,
            time=instant(time),
            request_id=request,
            error=error or "",
        )
        for number, status, first_seq, time, request, error in reversed(newest_first)
    ]
    return SessionLog(ended_at=instant(ended), lease_until=instant(lease_until), turns=turns)


def message_row(message: Message) -> tuple[Any, ...]:
    """Return the values of ``MESSAGE_FIELDS``."""
    return (
        message.seq,
        message.turn,
        message.role,
        message.content,
        micros(message.time),
        message.name,
        calls_text(message.tool_calls),
        message.tool_call_id,
        message.tokens,
        int(message.orphan),
    )


def message_of(row: Row) -> Message:
    """Return the message of one row of ``MESSAGE_FIELDS``."""
    seq, turn, role, content, time, name, calls, call_id, tokens, orphan = row
    return Message(
        role=role,
        content=content,
        time=instant(time),
        seq=seq,
        turn=turn,
        name=name,
        tool_calls=read_calls(calls),
        tool_call_id=call_id,
        tokens=tokens,
        orphan=bool(orphan),
    )


# --- background -----------------------------------------------------------------------------------------------------


def job_of(row: Row) -> Job:
    """Return the job of a row: id, tenant, user, kind, subject, status, attempts, run_at, created, finished, holder, due, error."""
    id_, tenant, user, kind, subject, status, attempts, run_at, created, finished, holder, due, error = row
    return Job(
        id=id_,
        scope=Scope(tenant, user),
        kind=JobKind(kind),
        subject=subject,
        status=JobStatus(status),
        attempts=attempts,
        run_at=instant(run_at),
        created_at=instant(created),
        finished_at=instant(finished),
        lease_until=None if holder is None else instant(due),
        error=error,
    )


def beat_columns(beat: WorkerBeat) -> dict[str, Any]:
    """Return the columns of a sign of life, in the order of ``beat_of``."""
    return {
        "holder": beat.holder,
        "role": beat.role.value,
        "started": micros(beat.started_at),
        "beat": micros(beat.beat_at),
        "until": micros(beat.until),
        "running": beat.running,
    }


def beat_of(row: Row, now: datetime) -> WorkerBeat:
    """Return the sign of life of a row, as it is judged at ``now``."""
    holder, role, started, beat, until, running = row
    return WorkerBeat(
        holder=holder,
        role=WorkerRole(role),
        started_at=instant(started),
        beat_at=instant(beat),
        until=instant(until),
        running=running,
        is_missing=instant(until) <= now,
    )
