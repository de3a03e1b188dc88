"""The background path: mask → extract → gate → merge → write. Safe to run twice, late, or by two workers.

Runs over the closed turns after the session's watermark, in batches. Memories, the outcome and the new watermark are
one commit that the store refuses if anything it was decided on has changed; then it is decided anew. ``consolidate`` is
the only door through which a memory is written, for the extractor, for ``remember`` and for ``correct`` alike.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from zhiji import episodes, masking, merge, policies, recall, text, vectors
from zhiji.errors import ExtractionFailed, StaleMemory, ZhijiError
from zhiji.extract import Increment, Proposal
from zhiji.parts import Parts, new_id
from zhiji.stores.base import Filter, MemoryChange, MemoryPut, Query, Tombstone
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
NEAR_CANDIDATES = 8
"""Keyless memories that a keyless draft is compared with."""
WAITING_CANDIDATES = 50
"""Quarantined memories, newest first, that may be the same thing said before."""
KNOWN_MEMORIES = 40
RACES = 5
"""Times a decision is taken anew because somebody else wrote in the meantime."""


@dataclass(slots=True, kw_only=True)
class Ledger:
    """What one pass is about to write: rows by id, as they will be, on top of what the store holds."""

    rows: dict[str, Memory] = field(default_factory=dict)
    """New and changed rows."""
    known: dict[str, Memory] = field(default_factory=dict)
    """Rows read from the store."""
    deleted: set[str] = field(default_factory=set)
    tombstones: list[Tombstone] = field(default_factory=list)
    forgotten: list[Memory] = field(default_factory=list)
    unsaid: set[int] = field(default_factory=set)
    """Messages that asked to forget something: they name it, so they are no episodes either."""
    counts: dict[str, int] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    results: list[Memory] = field(default_factory=list)
    """For each asserted draft that was kept: the row that now holds it."""

    def merged(self, stored: Iterable[Memory]) -> list[Memory]:
        """Return stored rows as this pass has left them, then the new rows."""
        found = {memory.id: memory for memory in stored}
        self.known.update({key: memory for key, memory in found.items() if key not in self.known})
        found.update(self.rows)
        return [memory for memory in found.values() if memory.id not in self.deleted]

    def count(self, what: str, reason: str = "") -> None:
        self.counts[what] = self.counts.get(what, 0) + 1
        if reason:
            self.reasons.append(f"{what}: {reason}")


# --- the job --------------------------------------------------------------------------------------------------------


async def run(parts: Parts, job: Job) -> None:
    """The closed turns of the session up to now have been read and their memories are written.

    Raises:
        ExtractionFailed: the extractor's answer could not be read; the outcome is stored, the watermark stays.
        StaleMemory: somebody else kept writing; the job is retried.
    """
    while await _pass(parts, job.scope, job.subject):
        pass


async def _pass(parts: Parts, scope: Scope, session_id: str) -> bool:
    """Return whether more closed turns were waiting than one pass takes; those closed since have a job of their own."""
    for attempt in range(RACES):
        session = await parts.store.load_session(scope, session_id)
        if session is None:
            return False
        waiting = await parts.store.load_closed(
            scope, session.id, after_seq=session.extracted_upto, upto_seq=session.last_seq
        )
        batch = _next_batch(waiting, BATCH_SHARE * parts.settings.max_context_tokens)
        if not batch:
            return False
        try:
            await _settle(parts, scope, session, batch)
        except StaleMemory:
            if attempt == RACES - 1:
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


async def _settle(parts: Parts, scope: Scope, session: Session, batch: Sequence[Message]) -> None:
    started = time.perf_counter()
    now = parts.clock()
    masked = [_as_read(parts, message) for message in batch]
    before = await parts.store.load_closed(
        scope,
        session.id,
        after_seq=max(0, masked[0].seq - 1 - CONTEXT_MESSAGES),
        upto_seq=masked[0].seq - 1,
    )
    increment = Increment(
        context=_newest(
            [_as_read(parts, message) for message in before], CONTEXT_SHARE * parts.settings.max_context_tokens
        ),
        messages=masked,
        known=await _known(parts, scope, masked, now),
        recalled=await _recalled(parts, scope, session.id, masked),
        now=now,
    )
    record = Extraction(
        session=session.id,
        first_seq=masked[0].seq,
        last_seq=masked[-1].seq,
        outcome="nothing",
        extractor=parts.extractor.name,
        time=now,
    )
    try:
        proposal = await _extracted(parts, increment)
    except ExtractionFailed as error:
        parts.tallies["zhiji_extractions_total.failed"] += 1
        failed = replace(
            record, outcome="failed", reasons=(str(error),), duration_ms=(time.perf_counter() - started) * 1000
        )
        await parts.store.commit_sediment(
            scope,
            session.id,
            change=MemoryChange(),
            outcome=failed,
            expected_watermark=session.extracted_upto,
            watermark=session.extracted_upto,
        )
        raise
    times = {message.seq: message.time for message in [*increment.context, *masked]}
    async with parts.deciding(scope):
        ledger = await consolidate(parts, scope, proposal.drafts, session_id=session.id, times=times)
        change = await _change(parts, scope, ledger, session.id, masked)
        outcome = _outcome(record, proposal, ledger, (time.perf_counter() - started) * 1000)
        await parts.store.commit_sediment(
            scope,
            session.id,
            change=change,
            outcome=outcome,
            expected_watermark=session.extracted_upto,
            watermark=masked[-1].seq,
            jobs=await vectors.jobs(parts, scope, change),
        )
    parts.tallies[f"zhiji_extractions_total.{outcome.outcome}"] += 1
    parts.wake()


async def _extracted(parts: Parts, increment: Increment) -> Proposal:
    limit = parts.settings.model_timeout_seconds
    try:
        async with asyncio.timeout(limit):
            return await parts.extractor.extract(increment)
    except TimeoutError as error:
        raise ExtractionFailed(f"the extractor gave no answer within {limit:g} s; the job will be retried") from error
    except ExtractionFailed:
        raise
    except Exception as error:  # a host's extractor may raise anything: each failure is a stored outcome
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


async def _known(parts: Parts, scope: Scope, messages: Sequence[Message], now: datetime) -> list[Memory]:
    """Return the keyed memories near this dialogue, for an extractor that asks for them."""
    if parts.extractor.every_turn:
        return []
    words = " ".join(message.content for message in messages)[:4000]
    query = Query(
        terms=text.query_terms(words),
        filter=Filter(now=now, types=frozenset(policies.listed_types())),
        limit=KNOWN_MEMORIES,
    )
    return [hit.memory for hit in await parts.store.search(scope, query) if hit.memory.key]


async def _recalled(parts: Parts, scope: Scope, session_id: str, messages: Sequence[Message]) -> list[str]:
    ids = await parts.store.recalled_in(scope, session_id, first_turn=messages[0].turn, last_turn=messages[-1].turn)
    return [memory.content for memory in await parts.store.load_memories(scope, ids)] if ids else []


# --- the one door ---------------------------------------------------------------------------------------------------


async def consolidate(
    parts: Parts,
    scope: Scope,
    drafts: Sequence[Draft],
    *,
    session_id: str | None,
    times: dict[int, datetime],
) -> Ledger:
    """Return what becomes of the drafts, in order, given what is known. Nothing is written yet.

    ``times`` gives the time of each message that drafts cite; drafts of an operator cite none.
    """
    ledger = Ledger()
    if not drafts:
        return ledger
    marks = [await _digests(parts, draft) for draft in drafts]
    held = await _held(parts, scope, drafts, marks)
    for draft, (key, content) in zip(drafts, marks, strict=True):
        said_at = _said_at(draft, times, parts.clock())
        buried = merge.blocked(held.tombstones, said_at, key_digest=key, content_digest=content)
        if session_id is not None and buried:
            ledger.count("skip", "deleted before")
        else:
            await _place(parts, scope, draft, ledger, held, session_id=session_id, said_at=said_at)
    return ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    """What the store holds that any draft of a pass may meet, read once for all of them."""

    keyed: Sequence[Memory]
    """Rows that have a draft's key, in any status."""
    waiting: Sequence[Memory]
    tombstones: Sequence[Tombstone]


async def _digests(parts: Parts, thing: Draft | Memory) -> tuple[str | None, str]:
    """Return the keyed hashes of key and content."""
    key = await parts.store.digest(thing.key) if thing.key else None
    return key, await parts.store.digest(text.normalise(thing.content))


async def _held(parts: Parts, scope: Scope, drafts: Sequence[Draft], marks: Sequence[tuple[str | None, str]]) -> _Held:
    store, keys = parts.store, sorted({draft.key for draft in drafts if draft.key})
    return _Held(
        keyed=await store.by_keys(scope, keys) if keys else [],
        waiting=await store.list_memories(scope, statuses=frozenset({Status.QUARANTINED}), limit=WAITING_CANDIDATES),
        tombstones=await store.tombstones(
            scope, keys=[key for key, _ in marks if key], digests=[content for _, content in marks]
        ),
    )


def _said_at(draft: Draft, times: dict[int, datetime], now: datetime) -> datetime:
    return min(now, max((times[seq] for seq in draft.seqs if seq in times), default=now))


async def _place(
    parts: Parts,
    scope: Scope,
    draft: Draft,
    ledger: Ledger,
    held: _Held,
    *,
    session_id: str | None,
    said_at: datetime,
) -> None:
    near = await _near(parts, scope, draft)
    keyed = [memory for memory in held.keyed if memory.key == draft.key]
    candidates = ledger.merged([*keyed, *near, *held.waiting])
    candidates = [memory for memory in candidates if _comparable(memory, draft)]
    decision = merge.decide(
        draft, candidates, gate=parts.settings.confidence_gate, session_id=session_id, said_at=said_at
    )
    ledger.count(decision.action, "" if decision.action in ("add", "reinforce") else decision.reason)
    if decision.action == "forget":
        ledger.unsaid.update(draft.seqs)
        await _forget(parts, [m for m in candidates if m.id in decision.targets], ledger, said_at)
        return
    rows = merge.apply(
        decision,
        draft,
        candidates=candidates,
        session_id=session_id,
        now=said_at,
        make_id=lambda: new_id("mem"),
        retention=parts.settings.retention,
    )
    ledger.rows.update({row.id: row for row in rows})
    if draft.op == "assert" and rows:
        ledger.results.append(rows[0])


def _comparable(memory: Memory, draft: Draft) -> bool:
    return memory.type != episodes.TYPE and (
        draft.key is None or memory.key in (None, draft.key) or draft.op != "assert"
    )


async def _near(parts: Parts, scope: Scope, draft: Draft) -> list[Memory]:
    """Return the rows that read like a draft."""
    query = Query(
        terms=text.query_terms(draft.content),
        filter=Filter(now=parts.clock(), types=frozenset(policies.listed_types())),
        limit=NEAR_CANDIDATES,
    )
    return [hit.memory for hit in await parts.store.search(scope, query)]


async def _forget(parts: Parts, targets: Sequence[Memory], ledger: Ledger, said_at: datetime) -> None:
    for memory in targets:
        ledger.deleted.add(memory.id)
        ledger.forgotten.append(memory)
        ledger.rows.pop(memory.id, None)
        ledger.tombstones.append(await tombstone(parts, memory, said_at))


async def tombstone(parts: Parts, memory: Memory, deleted_at: datetime) -> Tombstone:
    """Return the deletion record of a memory."""
    key, content = await _digests(parts, memory)
    return Tombstone(key=key, content_digest=content, deleted_at=deleted_at)


async def _change(
    parts: Parts, scope: Scope, ledger: Ledger, session_id: str, messages: Sequence[Message]
) -> MemoryChange:
    gone = _withdrawn(ledger)
    said = {key for memory in gone for key in episodes.keys([memory])}
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
    """Return the memories that are quarantined, superseded or deleted by this pass: their wording goes too."""
    changed = [row for row in ledger.rows.values() if row.status in (Status.QUARANTINED, Status.SUPERSEDED)]
    return [*changed, *ledger.forgotten]


def ledger_change(ledger: Ledger, *, extra: Sequence[Memory] = ()) -> MemoryChange:
    """Return the writes of a ledger, and ``extra`` new rows."""
    puts = [_put(row) for row in [*ledger.rows.values(), *extra] if row.id not in ledger.deleted]
    return MemoryChange(
        puts=puts,
        deletes=sorted(ledger.deleted & ledger.known.keys()),
        tombstones=ledger.tombstones,
        unsaid=[source for memory in ledger.forgotten for source in memory.sources],
    )


def put_new(row: Memory) -> MemoryPut:
    """Return the write of a new row with its index terms."""
    return MemoryPut(memory=row, terms=recall.index_terms(row))


def _put(row: Memory) -> MemoryPut:
    return put_new(row) if row.revision == 0 else MemoryPut(memory=row)
