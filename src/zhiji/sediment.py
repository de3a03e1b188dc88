"""The background path: mask → extract → gate → merge → write. Safe to run twice, late, or by two workers.

Runs over the closed turns after the session's watermark, in batches. Memories, the outcome and the new watermark are
one commit that the store refuses if anything it was decided on has changed; then it is decided anew (``consolidate.decided``).
What becomes of drafts is decided by ``consolidate``.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import accumulate, pairwise

from zhiji import asking, episodes, masking, overflow, policies, reflect, revision, text, vectors
from zhiji.consolidate import Ledger, consolidate, decided, ledger_change, studied
from zhiji.errors import ContextOverflow, ExtractionFailed, StaleMemory, ZhijiError
from zhiji.extract import Increment, Proposal, consent
from zhiji.overflow import Overflow
from zhiji.parts import Parts, new_id
from zhiji.plan import shortened
from zhiji.signals import CHANGES
from zhiji.stores.base import Filter, MemoryChange, Query, Tombstone
from zhiji.types import (
    Draft,
    Extraction,
    Job,
    Memory,
    Message,
    Outcome,
    Scope,
    Session,
    Source,
    Status,
)

log = logging.getLogger("zhiji.sediment")

BATCH_SHARE = 0.4
"""Share of the context window that the messages of one pass may fill: a model's prompt and answer need the rest."""
BATCH_MESSAGES = 40
"""Messages of one pass; whole turns, at least one."""
CONTEXT_SHARE = 0.15
"""Share of the context window that the messages before the increment may fill."""
CONTEXT_MESSAGES = 4
"""Messages before the increment that an extractor may look back at."""
KNOWN_MEMORIES = 40
KNOWN_SHARE = 0.2
"""Share of the context window that known memories may fill."""
SQUEEZES = 6
"""Times that one pass is tried anew because the extractor's model said that it was too much."""
MIN_MESSAGE_TOKENS = 32
"""What a shortened message keeps at least."""
CONFIRMED = 0.95
"""Least confidence of what the user said yes to."""
PASSES = 5
"""Times a pass is begun anew, extraction included, because somebody else has read the same messages."""

# --- the job --------------------------------------------------------------------------------------------------------


async def run(parts: Parts, job: Job) -> None:
    """The closed turns of the session up to now have been read and their memories are written.

    Raises:
        ExtractionFailed: the extractor's answer could not be read; the outcome is stored, the watermark stays.
        StaleMemory: somebody else kept writing; the job is retried.
    """
    squeeze: int | None = 0
    while squeeze is not None:
        squeeze = await _pass(parts, job.scope, job.subject, squeeze)


async def _pass(parts: Parts, scope: Scope, session_id: str, squeeze: int) -> int | None:
    """Return by how many halvings the next pass is to be smaller; None if all closed turns were read (see ``_pass_within``).

    If it was more than the extractor's model can hold, the window that it told counts from now on; if it told none that is
    smaller, half the room is tried.
    """
    for left in range(SQUEEZES, -1, -1):
        try:
            more = await _pass_within(
                parts, scope, session_id, _Room(int(parts.window.limit / 2**squeeze), squeeze > 0, not left)
            )
        except ContextOverflow as error:
            squeeze += not parts.limits.tell(overflow.read(error) or Overflow())
            log.info("extraction_squeezed: session %s: it was more than the extractor's model takes", session_id)
        else:
            return squeeze if more else None
    return None


@dataclass(frozen=True, slots=True)
class _Room:
    """What one call of the extractor may fill."""

    tokens: int
    shorten: bool
    """True: messages of a turn that is too long are shortened; otherwise it is read whole."""
    last: bool
    """True: if this is too much again, the pass has failed."""


async def _pass_within(parts: Parts, scope: Scope, session_id: str, room: _Room) -> bool:
    """Return whether more closed turns were waiting than one pass takes; those closed since have a job of their own.

    Raises:
        ContextOverflow: it was too much for the extractor's model; nothing was written.
    """
    for attempt in range(PASSES):
        session = await parts.store.load_session(scope, session_id)
        if session is None:
            return False
        waiting = await parts.store.load_closed(
            scope, session.id, after_seq=session.extracted_upto, upto_seq=session.last_seq
        )
        batch = _next_batch(waiting, BATCH_SHARE * room.tokens)
        if not batch:
            return False
        try:
            await _settle(parts, scope, session, batch, room)
        except StaleMemory:
            if attempt == PASSES - 1:
                raise
            continue
        return len(batch) < len(waiting)
    return False


def _next_batch(waiting: Sequence[Message], room: float) -> Sequence[Message]:
    """Return the first whole turns, one at least, of the messages after the watermark; ``room`` in tokens."""
    used = 0
    for place, message in enumerate(waiting):
        used += message.tokens
        if place and message.turn != waiting[0].turn and (place >= BATCH_MESSAGES or used > room):
            return [one for one in waiting[:place] if one.turn < message.turn]
    return waiting


def _newest(messages: Iterable[Message], room: float) -> Sequence[Message]:
    """Return the last messages, one at least, that take no more than ``room`` tokens."""
    kept: list[Message] = []
    for message in reversed(list(messages)):
        room -= message.tokens
        if room < 0 and kept:
            break
        kept.append(message)
    return kept[::-1]


def _fitted(parts: Parts, messages: Sequence[Message], room: _Room, share: float) -> Sequence[Message]:
    """Return the messages; in a room that asks for it, long ones shortened until all fit their share of it, if they can."""
    most = cap = int(room.tokens * share)
    while room.shorten and cap > MIN_MESSAGE_TOKENS and sum(message.tokens for message in messages) > most:
        cap //= 2
        messages = [shortened(message, cap, parts.counter) if message.tokens > cap else message for message in messages]
    return messages


async def _settle(parts: Parts, scope: Scope, session: Session, batch: Sequence[Message], room: _Room) -> None:
    started, now = time.perf_counter(), parts.clock()
    masked = [_as_read(parts, message) for message in batch]
    increment = await _increment(parts, scope, session.id, masked, now, room)
    record = Extraction(
        session=session.id,
        first_seq=masked[0].seq,
        last_seq=masked[-1].seq,
        outcome="nothing",
        extractor=parts.extractor.name,
        model=parts.extractor.model,
        time=now,
    )
    try:
        proposal = await _extracted(parts, increment, last=room.last)
    except ExtractionFailed as error:
        tokens = int(error.details.get("tokens") or 0)
        failed = replace(record, reasons=(str(error),), tokens=tokens, duration_ms=_ms(started))
        await _store_failure(parts, scope, session, failed)
        raise
    times = {message.seq: message.time for message in [*increment.context, *masked]}
    study = await studied(parts, scope, proposal.drafts, session_id=session.id, times=times)

    async def decide() -> tuple[MemoryChange, Extraction]:
        held = await parts.store.load_session(scope, session.id)
        if held is None or held.extracted_upto != session.extracted_upto:
            raise StaleMemory
        with parts.telemetry.span("zhiji.consolidate"):
            agreed, refused = await _replies(parts, scope, session.id, increment)
            drafts = [*agreed, *proposal.drafts]
            ledger = await consolidate(
                parts, scope, drafts, session_id=session.id, times=times, refused=refused, study=study
            )
            ledger.tombstones += await _records(parts, ledger)
            outcome = _outcome(record, proposal, ledger, _ms(started))
            return await _change(parts, scope, ledger, session.id, increment.context, masked), outcome

    _tell(parts, await decided(parts, scope, decide, partial(_commit, parts, scope, session)))
    parts.wake()


async def _increment(
    parts: Parts, scope: Scope, session_id: str, masked: Sequence[Message], now: datetime, room: _Room
) -> Increment:
    """Return what the extractor is shown: the batch, what was said before it, and what is known."""
    first = masked[0].seq
    before = await parts.store.load_closed(
        scope, session_id, after_seq=max(0, first - 1 - CONTEXT_MESSAGES), upto_seq=first - 1
    )
    newest = _newest([_as_read(parts, one) for one in before], CONTEXT_SHARE * room.tokens)
    return Increment(
        context=_fitted(parts, newest, room, CONTEXT_SHARE),
        messages=_fitted(parts, masked, room, BATCH_SHARE),
        known=await _known(parts, scope, masked, now, KNOWN_SHARE * room.tokens),
        pending=await asking.waiting(parts, scope, session_id, (newest or masked)[0].turn, masked[-1].turn),
        recalled=await _recalled(parts, scope, session_id, masked),
        now=now,
    )


async def _replies(
    parts: Parts, scope: Scope, session_id: str, increment: Increment
) -> tuple[list[Draft], dict[int, list[Memory]]]:
    """Return what the user lets be remembered, and by the message that refuses it what not: each reply to a question."""
    agreed: list[Draft] = []
    refused: dict[int, list[Memory]] = {}
    fresh = {message.seq for message in increment.messages}
    dialogue = [*increment.context, *increment.messages] if increment.pending else []
    for asked, answer in pairwise(dialogue):
        if asked.role != "assistant" or answer.role != "user" or answer.seq not in fresh:
            continue
        said = consent.reply(asked.content, answer.content)
        if said is None:
            continue
        waiting = await asking.waiting(parts, scope, session_id, asked.turn, asked.turn)
        if said:
            agreed += [_confirmed(memory, answer.seq) for memory in waiting]
        elif waiting:
            refused[answer.seq] = waiting
    return agreed, refused


def _confirmed(memory: Memory, seq: int) -> Draft:
    return Draft(
        type=memory.type,
        content=memory.content,
        key=memory.key,
        value=memory.value,
        importance=memory.importance,
        confidence=max(memory.confidence, CONFIRMED),
        seqs=(seq,),
        lang=memory.lang,
        asked=True,
    )


async def _store_failure(parts: Parts, scope: Scope, session: Session, record: Extraction) -> None:
    """The outcome is stored, and nothing else: the same messages will be read again."""
    failed, upto = replace(record, outcome="failed"), session.extracted_upto
    await parts.store.commit_sediment(
        scope, session.id, change=MemoryChange(), outcome=failed, expected_watermark=upto, watermark=upto
    )
    _tell(parts, failed)


async def _commit(parts: Parts, scope: Scope, session: Session, change: MemoryChange, outcome: Extraction) -> None:
    with parts.telemetry.span("zhiji.write", written=outcome.written):
        await parts.store.commit_sediment(
            scope,
            session.id,
            change=change,
            outcome=outcome,
            expected_watermark=session.extracted_upto,
            watermark=outcome.last_seq,
            jobs=[*await vectors.jobs(parts, scope, change), *await reflect.jobs(parts, scope, change)],
        )


def _ms(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def _tell(parts: Parts, stored: Extraction) -> None:
    parts.telemetry.count("zhiji_extractions_total", outcome=stored.outcome)
    parts.telemetry.observe("zhiji_extraction_seconds", stored.duration_ms / 1000)
    for change in CHANGES:
        parts.telemetry.count("zhiji_memory_changes_total", getattr(stored, change), change=change)


async def _extracted(parts: Parts, increment: Increment, *, last: bool) -> Proposal:
    with parts.telemetry.span("zhiji.extract", messages=len(increment.messages)):
        proposal = await _proposed(parts, increment, last=last)
        parts.telemetry.mark(drafts=len(proposal.drafts))
        return proposal


async def _proposed(parts: Parts, increment: Increment, *, last: bool) -> Proposal:
    limit = parts.settings.model_timeout_seconds
    try:
        async with asyncio.timeout(limit):
            return await parts.extractor.extract(increment)
    except TimeoutError as error:
        raise ExtractionFailed(f"the extractor gave no answer within {limit:g} s; the job will be retried") from error
    except ExtractionFailed:
        raise
    except Exception as error:  # a host's extractor may raise anything: each failure is a stored outcome
        found = None if last else overflow.read(error, said=[one.content for one in increment.messages])
        if found is not None:
            raise found.error() from error
        kind = error.code if isinstance(error, ZhijiError) else type(error).__name__
        raise ExtractionFailed(f"the extractor failed ({kind}); the job will be retried") from error


def _as_read(parts: Parts, message: Message) -> Message:
    """Return the message as an extractor reads it: masked, its time in the users' zone, where "tomorrow" is a day."""
    return replace(mask_message(message), time=message.time.astimezone(parts.settings.zone))


def mask_message(message: Message) -> Message:
    """Return the message as it may be kept beyond its session: content, speaker and call arguments masked."""
    calls = tuple(replace(call, arguments=masking.mask_document(call.arguments)) for call in message.tool_calls)
    name = message.name and masking.mask(message.name)
    mask = masking.mask_document if message.role == "tool" else masking.mask
    return replace(message, content=mask(message.content), name=name, tool_calls=calls)


def _outcome(record: Extraction, proposal: Proposal, ledger: Ledger, duration_ms: float) -> Extraction:
    counts = ledger.counts
    written = counts.get("add", 0) + counts.get("supersede", 0)
    touched = written + sum(counts.get(what, 0) for what in ("reinforce", "quarantine", "retract", "forget"))
    name: Outcome = "partial" if proposal.partial else "written" if touched else "nothing"
    return replace(
        record,
        outcome=name,
        written=written,
        reinforced=counts.get("reinforce", 0),
        superseded=counts.get("supersede", 0) + counts.get("retract", 0),
        quarantined=counts.get("quarantine", 0),
        skipped=counts.get("skip", 0),
        tokens=proposal.tokens,
        duration_ms=duration_ms,
        reasons=tuple([*proposal.reasons, *ledger.reasons][:20]),
    )


async def _known(
    parts: Parts, scope: Scope, messages: Sequence[Message], now: datetime, room: float
) -> Sequence[Memory]:
    """Return the keyed memories near this dialogue, at most ``room`` tokens of them, for an extractor that asks for them."""
    if parts.extractor.every_turn:
        return []
    words = " ".join(message.content for message in messages)[:4000]
    query = Query(
        terms=text.query_terms(words),
        filter=Filter(now=now, types=frozenset(policies.listed_types())),
        limit=KNOWN_MEMORIES,
    )
    near = [hit.memory for hit in await parts.store.search(scope, query) if hit.memory.key]
    costs = accumulate(parts.counter.text(memory.content) for memory in near)
    return [memory for memory, used in zip(near, costs, strict=True) if used <= room]


async def _recalled(parts: Parts, scope: Scope, session_id: str, messages: Sequence[Message]) -> list[str]:
    ids = await parts.store.recalled_in(scope, session_id, first_turn=messages[0].turn, last_turn=messages[-1].turn)
    return [memory.content for memory in await parts.store.load_memories(scope, ids)] if ids else []


async def _records(parts: Parts, ledger: Ledger) -> list[Tombstone]:
    """Return the deletion records of what the user asked to forget: said before, but read later, it stays away as well."""
    found: list[Tombstone] = []
    for draft, said_at in ledger.requests:
        for named in (draft, *consent.stated(draft.content)):
            digest = await parts.store.digest(text.normalise(named.content))
            key = await parts.store.digest(named.key) if named.key else None
            found.append(Tombstone(key=key, content_digest=digest, deleted_at=said_at))
    return found


async def _change(
    parts: Parts,
    scope: Scope,
    ledger: Ledger,
    session_id: str,
    context: Sequence[Message],
    messages: Sequence[Message],
) -> MemoryChange:
    gone = _withdrawn(ledger)
    dialogue = [*context, *messages]
    unkept = consent.unkept(dialogue)
    ledger.unsaid.update(message.seq for message in dialogue if message.turn in unkept)
    said = {key for memory in gone for key in episodes.keys([memory])}
    said |= {episodes.key(session_id, seq) for seq in ledger.unsaid}
    fresh: list[Memory] = []
    if parts.keeps_episodes:
        spoken = [message for message in messages if message.seq not in ledger.unsaid]
        fresh = episodes.build(session_id, spoken, make_id=new_id("mem"), retention=parts.settings.retention)
    nearby = episodes.near(ledger.forgotten)
    met = await parts.store.by_keys(scope, sorted({*said, *nearby})) if said or nearby else []
    traces = {episode.id for episode in episodes.traces(ledger.forgotten, [*met, *fresh])}
    kept = [episode for episode in fresh if episode.key not in said and episode.id not in traces]
    stale = [episode.id for episode in met if episode.key in said or episode.id in traces]
    change = ledger_change(ledger, extra=kept)
    asked = [Source(session=session_id, seqs=tuple(sorted(ledger.unsaid)))] if ledger.unsaid else []
    return replace(change, deletes=[*change.deletes, *stale], unsaid=[*change.unsaid, *asked])


def _withdrawn(ledger: Ledger) -> list[Memory]:
    """Return the memories that are quarantined, superseded or deleted by this pass: their wording goes too.

    What only repeats another is still true.
    """
    closed = [row for row in ledger.rows.values() if row.status in (Status.QUARANTINED, Status.SUPERSEDED)]
    changed = [row for row in closed if not revision.is_folded(row)]
    return [*changed, *ledger.forgotten]
