"""Everything that one diagnosis looks at, read once: a bounded number of rows, all of one user.

The one place of ``doctor`` that asks the store. Expired and ended sessions are read as they are; nothing is revived.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from zhiji import episodes, masking, policies, scoring, session, text
from zhiji.config import Settings
from zhiji.doctor import clues
from zhiji.doctor.clues import Clue, Known, Reading, Said
from zhiji.doctor.rehearse import Rehearsal, Stage, new_session, rehearse
from zhiji.parts import Parts
from zhiji.recall import Fate, Ranked
from zhiji.stores.base import Filter, Query, SessionLog, TurnRecord
from zhiji.types import Extraction, Job, Memory, Message, Recipe, Scope, Session, Status, WorkerBeat

SESSIONS = 20
"""Sessions whose transcripts are looked at, last touched first."""
MESSAGES = 60
"""Newest messages of each."""
TURNS = 50
"""Newest turns of each, at least."""
MEMORIES = 500
HITS = 100
"""Memories that are looked for by the words of the message or of what was expected."""
JOBS = 200
PASSES = 100
UNEMBEDDED = 256
"""Memories without a vector among which one is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """One session with what was said in it last."""

    session: Session
    log: SessionLog
    messages: Sequence[Message]
    unsaid: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What there is to judge by."""

    settings: Settings
    now: datetime
    session_id: str | None
    words: str
    expect: str | None
    sessions: Sequence[Session]
    """Last touched first."""
    transcript: Transcript | None
    """Of the session that was named, if this user has it."""
    stage: Stage
    seen: Rehearsal
    clue: Clue | None
    is_guess: bool
    """The clue is merely what nobody has read yet."""
    jobs: Sequence[Job]
    extraction: Extraction | None
    """The last pass over the clue's message."""
    deleted_at: datetime | None
    """When what was expected was deleted, as far as that is known."""
    workers: Sequence[WorkerBeat]
    lacks_vector: bool
    """The clue's memory has no vector of the embedder in use."""
    then: Recipe | None
    """What the model was sent when the message was asked."""


async def is_known(parts: Parts, scope: Scope) -> bool:
    """Return whether anything is or was stored of this user, deleted memories included."""
    store = parts.store
    return bool(
        await store.list_sessions(scope, limit=1)
        or await store.memory_version(scope)
        or await store.list_jobs(scope=scope, limit=1)
    )


async def read(parts: Parts, scope: Scope, session_id: str | None, words: str, expect: str | None) -> Case:
    """Return the case of one message, whose ``words`` are read as at the entry."""
    store, now = parts.store, parts.clock()
    sessions = await store.list_sessions(scope, limit=SESSIONS)
    named = await _named(parts, scope, session_id)
    others = [one for one in sessions if named is None or one.id != named.id]
    transcripts = [await _transcript(parts, scope, one) for one in ([named] if named else []) + others]
    own = transcripts[0] if named else None
    stage = _stage(parts, own, transcripts, words)
    seen = await rehearse(parts, scope, stage, words)
    known = Known(
        memories=await _memories(parts, scope, expect or words),
        near=[one.recalled.memory for one in seen.ranking if one.fate is Fate.RECALLED and _is_near(one)],
        said=_said(transcripts, stage, words),
    )
    clue, is_guess = await asyncio.to_thread(_followed, known, words, expect)  # it reads hundreds of texts
    return Case(
        settings=parts.settings,
        now=now,
        session_id=session_id,
        words=words,
        expect=expect,
        sessions=sessions,
        transcript=own,
        stage=stage,
        seen=seen,
        clue=clue,
        is_guess=is_guess,
        jobs=await store.list_jobs(scope=scope, limit=JOBS),
        extraction=await _extraction(parts, scope, clue),
        deleted_at=await _deleted_at(parts, scope, expect),
        workers=await store.workers(now=now),
        lacks_vector=await _lacks_vector(parts, scope, clue.memory if clue else None),
        then=await store.load_recipe(scope, stage.asked.request_id) if stage.asked and stage.asked.request_id else None,
    )


async def _named(parts: Parts, scope: Scope, session_id: str | None) -> Session | None:
    if session_id is None or text.clean(session_id) != session_id:
        return None
    return await parts.store.load_session(scope, session_id)


async def _transcript(parts: Parts, scope: Scope, held: Session) -> Transcript:
    last = max(TURNS, 2 * parts.settings.max_history_turns)
    log = await parts.store.session_log(scope, held.id, last=last)
    return Transcript(
        session=held,
        log=log or SessionLog(ended_at=None, lease_until=None, turns=()),
        messages=await parts.store.load_messages(scope, held.id, last=MESSAGES),
        unsaid=await parts.store.unsaid(scope, held.id),
    )


# --- where it is rehearsed ------------------------------------------------------------------------------------------


def is_over(one: Transcript, now: datetime) -> bool:
    """Return whether the session is over; one whose turn still runs is not."""
    runs = one.log.lease_until is not None and now < one.log.lease_until
    return session.is_expired(one.session, now) and not runs


def _stage(parts: Parts, own: Transcript | None, transcripts: Sequence[Transcript], words: str) -> Stage:
    """Return where the message was sent, or would be sent now."""
    if own is not None and not is_over(own, parts.clock()):
        return _on(own, words)
    followers = [
        one for one in transcripts if own is None or own.session.id in (one.session.id, one.session.resumed_from)
    ]
    asked = next((stage for one in followers if (stage := _on(one, words)).asked), None)
    if asked is not None:
        return asked
    chats = [one.session for one in transcripts if one.session.expires_at is not None]
    return Stage(session=new_session(own.session if own else next(iter(chats), None), parts), log=None)


def _on(one: Transcript, words: str) -> Stage:
    return Stage(session=one.session, log=one.log, asked=_asked(one, words))


def _asked(one: Transcript, words: str) -> TurnRecord | None:
    turn = next((message.turn for message in reversed(one.messages) if _is_same(message, words)), None)
    return next((record for record in one.log.turns if record.number == turn), None)


def _is_same(message: Message, words: str) -> bool:
    said = text.normalise(message.content)
    return message.role == "user" and said in (text.normalise(words), text.normalise(masking.mask(words)))


# --- what was said and kept -----------------------------------------------------------------------------------------


def _said(transcripts: Sequence[Transcript], stage: Stage, words: str) -> list[Said]:
    found = [_one_said(one, message, stage, words) for one in transcripts for message in one.messages]
    return sorted(found, key=lambda one: (one.message.time, one.message.seq), reverse=True)


def _one_said(one: Transcript, message: Message, stage: Stage, words: str) -> Said:
    after = stage.asked is not None and one.session.id == stage.session.id and message.seq >= stage.asked.first_seq
    return Said(
        session=one.session.id,
        message=message,
        reading=_reading(one, message),
        is_asked=after or _is_same(message, words),
    )


def _reading(one: Transcript, message: Message) -> Reading:
    if any(turn.number == message.turn and turn.status != "closed" for turn in one.log.turns):
        return Reading.FAILED
    if message.seq in one.unsaid:
        return Reading.DELETED
    return Reading.UNREAD if message.seq > one.session.extracted_upto else Reading.READ


def _followed(known: Known, words: str, expect: str | None) -> tuple[Clue | None, bool]:
    clue = clues.choose(known, words, expect)
    waiting = clues.unread(known) if clue is None else None
    return (Clue(said=waiting), True) if waiting else (clue, False)


def _is_near(one: Ranked) -> bool:
    return one.recalled.memory.type != episodes.TYPE and (one.vector or 0.0) >= scoring.VECTOR_FLOOR


async def _memories(parts: Parts, scope: Scope, words: str) -> list[Memory]:
    """Return the newest memories of every status, and those that the index finds by words or numbers."""
    listed = frozenset(policies.listed_types())
    newest = await parts.store.list_memories(scope, statuses=frozenset(Status), types=listed, limit=MEMORIES)
    wanted = Query(
        terms=text.query_terms(text.truncate(words, clues.MAX_CHARS)),
        filter=Filter(now=parts.clock(), types=listed),
        limit=HITS,
    )
    found = [hit.memory for hit in await parts.store.search(scope, wanted)]
    named = await parts.store.by_keys(scope, _keys(words))
    return list({memory.id: memory for memory in (*newest, *found, *named)}.values())


async def _extraction(parts: Parts, scope: Scope, clue: Clue | None) -> Extraction | None:
    if clue is None or clue.said is None:
        return None
    seq = clue.said.message.seq
    passes = await parts.store.extractions(scope, session_id=clue.said.session, limit=PASSES)
    return next((one for one in passes if one.first_seq <= seq <= one.last_seq), None)


async def _deleted_at(parts: Parts, scope: Scope, expect: str | None) -> datetime | None:
    if expect is None:
        return None
    keys = [await parts.store.digest(key) for key in _keys(expect)]
    content = await parts.store.digest(text.normalise(masking.mask(expect)))
    found = await parts.store.tombstones(scope, keys=keys, digests=[content])
    return max((one.deleted_at for one in found), default=None)


def _keys(words: str) -> list[str]:
    """Return the business keys that these words may name."""
    numbers = text.identifiers(text.truncate(words, clues.MAX_CHARS))
    return [f"{name}:{found.id}" for found in numbers for name in policies.listed_types()]


async def _lacks_vector(parts: Parts, scope: Scope, memory: Memory | None) -> bool:
    embedder = await parts.embedding.embedder()
    if memory is None or embedder is None:
        return False
    waiting = await parts.store.unembedded(scope, embedder.name, limit=UNEMBEDDED)
    return any(one.id == memory.id for one in waiting)
