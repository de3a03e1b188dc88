"""The one door through which a fact becomes a memory: for the extractor's drafts and for ``remember`` alike.

Drafts meet what is known (``merge`` decides) in a ledger of what is to be written; ``decided`` commits it as if nobody else had been
there. What takes long is found out before (``studied``): the drafts' vectors, and a model's word where the rules are unsure. Nothing is
extracted here, and no session is read.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType
from typing import TypeVar, get_args

from zhiji import episodes, links, merge, policies, recall, reflection, revision, scoring, text
from zhiji.errors import DimensionMismatch, StaleMemory
from zhiji.parts import Parts, new_id
from zhiji.relation.judge import Relation
from zhiji.stores.base import Filter, Hit, MemoryChange, MemoryPut, Query, Tombstone, Vector
from zhiji.types import Draft, Memory, Scope, Status, Trust

log = logging.getLogger("zhiji.consolidate")

NEAR_CANDIDATES = 12
"""Memories that a draft without a key is compared with, of each arm: by its words, by its vector, by what it speaks of."""
PATIENCE_SECONDS = 15.0
"""Longest wait for a model's word on one draft; whoever told it may be waiting."""
FORGOTTEN_CANDIDATES = 100
"""Memories in any status that may speak of what a user asks to forget."""
WAITING_CANDIDATES = 50
"""Quarantined memories, newest first, that may be the same thing said before."""
RACES = 20
"""Times a decision is taken because other processes write about the same owner in the meantime."""
RACE_SECONDS = 0.005
"""Longest pause before the second try; each further one may be as much longer."""

T = TypeVar("T")


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
    """Messages that asked to forget something, or tell what was forgotten: they are no episodes either."""
    requests: list[tuple[Draft, datetime]] = field(default_factory=list)
    """What was to be forgotten, known or not, and when that was said."""
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


@dataclass(frozen=True, slots=True)
class Studied:
    """What was found out about drafts before it is decided what becomes of them. Made by ``studied``."""

    model: str = ""
    """Name of the embedder."""
    vectors: Mapping[str, Vector] = field(default_factory=dict)
    """Vectors of drafts by content; empty without an embedder, or while it fails."""
    words: dict[tuple[str, str], str] = field(default_factory=dict)
    """What a model said of two sentences, the older first: a relation, or that it was nothing of use."""


UNSTUDIED = Studied()
UNHEARD = "nothing, it failed"
"""What a model said that failed or was too slow. It is not asked again in the same pass: each question costs its whole time."""


async def decided(
    parts: Parts,
    scope: Scope,
    decide: Callable[[], Awaitable[tuple[MemoryChange, T]]],
    commit: Callable[[MemoryChange, T], Awaitable[None]],
) -> T:
    """What ``decide`` made of the owner's memories is committed as if nobody else had been there; returns its second value.

    Within this process decisions about one owner are taken one after the other; if another process was faster, it is
    decided anew. Whatever ``decide`` raises is final.

    Raises:
        StaleMemory: others kept writing; or what ``commit`` means by it.
    """
    for attempt in range(1, RACES + 1):
        async with parts.deciding(scope):
            seen = await parts.store.memory_version(scope)
            change, result = await decide()
            change = await _with_derived(parts, scope, change)
            try:
                await commit(replace(change, seen=seen), result)
            except StaleMemory:
                if attempt == RACES:
                    raise
            else:
                return result
        await asyncio.sleep(random.uniform(0, RACE_SECONDS * attempt))
    raise AssertionError("unreachable")


async def _with_derived(parts: Parts, scope: Scope, change: MemoryChange) -> MemoryChange:
    """Return the change, and the end of what was derived from memories that it ends (``reflection.end``)."""
    closed = {one.memory.id: one.memory for one in change.puts if _is_end(one.memory)}
    deleted = await parts.store.load_memories(scope, change.deletes) if change.deletes else []
    facts = [memory.id for memory in deleted if not policies.kind(memory.type).derived]
    bound = {link for memory in (*closed.values(), *deleted) for link in memory.links}
    bound -= {one.memory.id for one in change.puts} | set(change.deletes)
    if not bound:
        return change
    puts, gone = list(change.puts), list[Memory]()
    for memory in await parts.store.load_memories(scope, sorted(bound)):
        match reflection.end(memory, deleted=facts, closed=closed.keys()):
            case "delete":
                gone.append(memory)
            case "withdraw":
                over = revision.closed(memory, parts.clock(), by=None, reason=reflection.REASON)
                puts.append(MemoryPut(memory=over))
    deletes = [*change.deletes, *(memory.id for memory in gone)]
    written = {one.memory.id for one in puts} | set(deletes)
    unlinked = [row for row in await linked(parts, scope, [], gone=gone) if row.id not in written] if gone else []
    return replace(change, puts=[*puts, *(MemoryPut(memory=row) for row in unlinked)], deletes=deletes)


def _is_end(memory: Memory) -> bool:
    return memory.revision > 0 and memory.status is not Status.ACTIVE


async def consolidate(
    parts: Parts,
    scope: Scope,
    drafts: Sequence[Draft],
    *,
    session_id: str | None,
    times: Mapping[int, datetime],
    study: Studied = UNSTUDIED,
    refused: Mapping[int, Sequence[Memory]] = MappingProxyType({}),
) -> Ledger:
    """Return what becomes of the drafts, in order, given what is known. Nothing is written yet.

    ``times`` gives the time of each message that drafts cite; drafts of an operator cite none. ``refused``: waiting
    memories that the user does not want kept, by the message that says so; they are forgotten first.
    """
    ledger = Ledger()
    for seq, memories in refused.items():
        ledger.merged(memories)
        ledger.unsaid.add(seq)
        await _forget(parts, memories, ledger, times[seq])
        ledger.count("forget", "the user said no")
    return await _consolidate(parts, scope, drafts, study, ledger, session_id=session_id, times=times, asks=False)


async def studied(
    parts: Parts, scope: Scope, drafts: Sequence[Draft], *, session_id: str | None, times: Mapping[int, datetime]
) -> Studied:
    """Return the vectors of drafts without a key, and a model's word, at most one a draft, where the rules are unsure.

    Nothing is locked meanwhile, so it is found by going through the consolidation once without writing. Never fails for an
    embedder or a model.
    """
    keyless = list(dict.fromkeys(draft.content for draft in drafts if draft.key is None))
    embedded = await parts.embedding.compared(keyless) if keyless else None
    study = Studied() if embedded is None else Studied(embedded[0], _usable(keyless, embedded[1]))
    if parts.compare is not None and keyless:
        await _consolidate(parts, scope, drafts, study, Ledger(), session_id=session_id, times=times, asks=True)
    return study


def _usable(texts: Sequence[str], vectors: Sequence[Vector]) -> dict[str, Vector]:
    units = ((words, scoring.unit(vector)) for words, vector in zip(texts, vectors, strict=True))
    return {words: vector for words, vector in units if vector is not None}


async def _consolidate(
    parts: Parts,
    scope: Scope,
    drafts: Sequence[Draft],
    study: Studied,
    ledger: Ledger,
    *,
    session_id: str | None,
    times: Mapping[int, datetime],
    asks: bool,
) -> Ledger:
    if not drafts:
        return ledger
    marks = [await _digests(parts, draft) for draft in drafts]
    held = await _held(parts, scope, drafts, marks)
    records = [*held.tombstones, *ledger.tombstones]  # a "no" counts for whatever else is read into the same reply
    for draft, (key, content) in zip(drafts, marks, strict=True):
        said_at = _said_at(draft, times, parts.clock())
        buried = merge.blocked(records, said_at, key_digest=key, content_digest=content)
        if session_id is not None and buried:
            ledger.count("skip", "deleted before")
            ledger.unsaid.update(draft.seqs)
        else:
            case = _Case(draft, held, study, session_id, said_at, asks)
            await _place(parts, scope, case, ledger)
    if not asks:
        await _link(parts, scope, ledger)
    return ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    """What the store holds that any draft of a pass may meet, read once for all of them."""

    keyed: Sequence[Memory]
    """Rows that have a draft's key, in any status."""
    waiting: Sequence[Memory]
    tombstones: Sequence[Tombstone]


@dataclass(frozen=True, slots=True)
class _Case:
    """One draft and what it meets."""

    draft: Draft
    held: _Held
    study: Studied
    session_id: str | None
    said_at: datetime
    asks: bool
    """Whether a model may be asked now."""

    @property
    def spoken_at(self) -> datetime | None:
        """When the user said it; None for an operator's or a program's word, which is never late, whatever clocks say."""
        return self.said_at if self.draft.seqs else None


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


def _said_at(draft: Draft, times: Mapping[int, datetime], now: datetime) -> datetime:
    return min(now, max((times[seq] for seq in draft.seqs if seq in times), default=now))


async def _place(parts: Parts, scope: Scope, case: _Case, ledger: Ledger) -> None:
    draft, said_at, gate = case.draft, case.said_at, parts.settings.confidence_gate
    near = await _near(parts, scope, case)
    keyed = [memory for memory in case.held.keyed if memory.key == draft.key]
    history = await _former(parts, scope, case, [one.memory for one in near])
    over = await _whole(parts, scope, draft) if draft.op == "forget" else []
    candidates = ledger.merged([*keyed, *(one.memory for one in near), *history, *over, *case.held.waiting])
    candidates = [memory for memory in candidates if _comparable(memory, draft)]
    asked = parts.compare is not None and draft.confidence >= gate
    advice = await _advice(parts, case, candidates, near, ledger) if asked else {}
    decision = merge.decide(
        draft,
        candidates,
        gate=gate,
        session_id=case.session_id,
        said_at=case.spoken_at,
        advice=advice,
        asks=parts.settings.active_memory and case.session_id is not None,
    )
    told = decision.action not in ("add", "reinforce") or decision.reason.startswith(
        revision.ADVISED.format(verdict="")
    )
    ledger.count(decision.action, decision.reason if told else "")
    if decision.action == "forget" or decision.reason == merge.NOTHING_TO_FORGET:
        ledger.unsaid.update(draft.seqs)
        ledger.requests.append((draft, said_at))
        targets = [memory for memory in candidates if memory.id in decision.targets]
        await _forget(parts, [*targets, *await _past(parts, scope, targets, ledger)], ledger, said_at)
        return
    rows = merge.apply(
        decision,
        draft,
        candidates=candidates,
        session_id=case.session_id,
        now=said_at,
        make_id=lambda: new_id("mem"),
        retention=parts.settings.retention,
    )
    ledger.rows.update({row.id: row for row in rows})
    if draft.op == "assert" and rows:
        ledger.results.append(rows[0])


def _comparable(memory: Memory, draft: Draft) -> bool:
    if memory.type == episodes.TYPE or (memory.links and policies.kind(memory.type).derived):
        return False  # what was derived from facts falls with them, and by nothing else
    return draft.key is None or memory.key in (None, draft.key) or draft.op != "assert"


# --- candidates -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Near:
    """A memory that reads like a draft, and how alike they are, in [0, 1]."""

    memory: Memory
    similarity: float


async def _near(parts: Parts, scope: Scope, case: _Case) -> list[_Near]:
    """Return the active rows that read like a draft: by its words and its vector, and by what it speaks of in any language."""
    terms: Mapping[str, float] = text.query_terms(case.draft.content)
    wanted = Filter(now=parts.clock(), types=frozenset(policies.listed_types()))
    vector = case.study.vectors.get(case.draft.content)
    query = Query(terms=terms, vector=vector, model=case.study.model, filter=wanted, limit=NEAR_CANDIDATES)
    hits = await _hits(parts, scope, query)
    keyword = {hit.memory.id: scoring.keyword_similarity(hit.keyword) for hit in hits}
    if case.draft.key is None and (concepts := recall.concept_terms(case.draft.content)):
        found = await parts.store.search(scope, replace(query, terms=concepts, vector=None))
        for hit in found:
            alike = scoring.keyword_similarity(hit.keyword)
            keyword[hit.memory.id] = max(keyword.get(hit.memory.id, 0.0), alike)
        known = {hit.memory.id for hit in hits}
        hits = [*hits, *(hit for hit in found if hit.memory.id not in known)]
    spread = scoring.cosine_range(case.study.model)
    return [
        _Near(hit.memory, scoring.similarity(keyword[hit.memory.id], _calibrated(hit.cosine, spread))) for hit in hits
    ]


async def beside(parts: Parts, scope: Scope, row: Memory) -> tuple[list[Memory], list[Memory]]:
    """Return the other active rows that add nothing to one that is to hold by an operator's word, and those it contradicts.

    They are looked for as those that a draft meets, by its words and by what it speaks of.
    """
    if row.type == episodes.TYPE or policies.kind(row.type).derived:
        return [], []
    meant = Draft(type=row.type, content=row.content, key=row.key, value=row.value, trust=Trust.OPERATOR, seqs=())
    keyed = await parts.store.by_keys(scope, [row.key]) if row.key else []
    nothing = _Held(keyed=[], waiting=[], tombstones=[])
    near = await _near(parts, scope, _Case(meant, nothing, UNSTUDIED, None, parts.clock(), asks=False))
    met = {memory.id: memory for memory in (*keyed, *(one.memory for one in near))}
    return merge.beside(meant, [one for one in met.values() if one.id != row.id and _comparable(one, meant)])


def _calibrated(cosine: float | None, spread: tuple[float, float]) -> float | None:
    return None if cosine is None else scoring.vector_similarity(cosine, spread)


async def _hits(parts: Parts, scope: Scope, query: Query) -> Sequence[Hit]:
    """Return what both arms find; by keyword alone if the stored vectors are those of another embedder of this name."""
    try:
        return await parts.store.search(scope, query)
    except DimensionMismatch:
        parts.embedding.tell_unfit()
        return await parts.store.search(scope, replace(query, vector=None))


async def _former(parts: Parts, scope: Scope, case: _Case, near: Sequence[Memory]) -> Sequence[Memory]:
    """Return what the rows near a draft replaced, if it was said before them: it may be in their history already."""
    links = [link for memory in near if case.said_at < memory.updated_at for link in memory.links]
    return await parts.store.load_memories(scope, links) if links else []


async def _whole(parts: Parts, scope: Scope, draft: Draft) -> list[Memory]:
    """Return the rows in any status that share words with what is to be forgotten, or speak of it in another language."""
    wanted = Filter(now=parts.clock(), types=frozenset(policies.listed_types()), is_whole=True)
    terms = {**recall.concept_terms(draft.content), **text.query_terms(draft.content)}
    query = Query(terms=terms, filter=wanted, limit=FORGOTTEN_CANDIDATES)
    return [hit.memory for hit in await parts.store.search(scope, query)]


async def _past(parts: Parts, scope: Scope, targets: Sequence[Memory], ledger: Ledger) -> list[Memory]:
    """Return what these rows replaced or took for a repetition, through and through."""
    met, frontier = {memory.id: memory for memory in targets}, list(targets)
    while frontier:
        links = {link for memory in frontier for link in memory.links} - met.keys()
        near = ledger.merged(await parts.store.load_memories(scope, sorted(links))) if links else []
        frontier = [memory for memory in near if memory.id not in met and memory.superseded_by in met]
        met.update({memory.id: memory for memory in frontier})
    return list(met.values())[len(targets) :]


async def _advice(
    parts: Parts, case: _Case, candidates: Sequence[Memory], near: Sequence[_Near], ledger: Ledger
) -> Mapping[str, Relation]:
    """Return what a model says of the one memory that the rules are unsure about, by its id; it is asked once, if at all."""
    similarity = {one.memory.id: one.similarity for one in near}
    asked = merge.question(case.draft, candidates, similarity, said_at=case.spoken_at)
    if asked is None:
        return {}
    memory, old, new = asked
    told = case.study.words.get((old, new))
    if told is None and case.asks and UNHEARD not in case.study.words.values():
        told = case.study.words[old, new] = await _word(parts, old, new)
    if told is None:
        return {}
    if told in _RELATIONS:
        return {memory.id: _RELATIONS[told]}
    ledger.reasons.append(revision.ADVISED.format(verdict=told))
    return {}


_RELATIONS: Mapping[str, Relation] = {name: name for name in get_args(Relation)}


async def _word(parts: Parts, old: str, new: str) -> str:
    assert parts.compare is not None
    try:
        async with asyncio.timeout(min(PATIENCE_SECONDS, parts.settings.model_timeout_seconds)):
            return await parts.compare(old, new) or "nothing of use"
    except Exception as error:  # noqa: BLE001 - a host's model may raise anything; without its word both facts are kept
        log.warning("comparison_failed: both memories are kept (%s)", type(error).__name__)
        return UNHEARD


# --- links ----------------------------------------------------------------------------------------------------------


async def _link(parts: Parts, scope: Scope, ledger: Ledger) -> None:
    """What this pass writes is linked with what belongs to it, and nothing links any more to what it replaced or removes."""
    rows = list(ledger.rows.values())
    for row in await linked(parts, scope, rows, gone=ledger.forgotten):
        ledger.rows[row.id] = row


async def linked(parts: Parts, scope: Scope, rows: Sequence[Memory], *, gone: Sequence[Memory] = ()) -> list[Memory]:
    """Return the rows, of these that are to be written and of others, whose links change with them; see ``links``.

    ``gone``: rows that are to be deleted.
    """
    others = await _others(parts, scope, rows, gone)
    written = {row.id: row for row in rows}
    known = others | written
    touched = [row for row in rows if links.takes_part(row)]
    successors: dict[str, str | None] = {row.id: row.superseded_by for row in rows if row.superseded_by in written}
    successors |= {row.id: None for row in gone}
    neighbours = [row for row in others.values() if not links.is_derived(row) and (row.status is Status.ACTIVE or gone)]
    related = links.bonds(touched, neighbours)
    return links.relinked([*rows, *neighbours], known=known, successors=successors, bonds=related)


async def _others(parts: Parts, scope: Scope, rows: Sequence[Memory], gone: Sequence[Memory]) -> dict[str, Memory]:
    """Return the stored rows, but for these, that they link to or replaced, or that name a number that they name."""
    own = {row.id for row in (*rows, *gone)}
    ids = {link for row in (*rows, *gone) for link in (*row.links, row.superseded_by) if link} - own
    found = await parts.store.load_memories(scope, sorted(ids)) if ids else []
    for row in rows:
        if links.takes_part(row) and (named := links.numbers(row)):
            terms = {number.lower()[: text.MAX_TERM_CHARS]: 1.0 for number in named}
            wanted = Filter(now=parts.clock(), types=frozenset(policies.linked_types()))
            hits = await parts.store.search(scope, Query(terms=terms, filter=wanted, limit=2 * links.MAX_LINKS))
            found += [hit.memory for hit in hits]
    return {memory.id: memory for memory in found if memory.id not in own}


# --- forgetting, writing --------------------------------------------------------------------------------------------


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


def ledger_change(ledger: Ledger, *, extra: Sequence[Memory] = ()) -> MemoryChange:
    """Return the writes of a ledger, and ``extra`` new rows."""
    puts = [put(row) for row in [*ledger.rows.values(), *extra] if row.id not in ledger.deleted]
    return MemoryChange(
        puts=puts,
        deletes=sorted(ledger.deleted & ledger.known.keys()),
        tombstones=ledger.tombstones,
        unsaid=[source for memory in ledger.forgotten for source in memory.sources],
    )


async def puts(parts: Parts, scope: Scope, rows: Sequence[Memory], *, gone: Sequence[Memory] = ()) -> list[MemoryPut]:
    """Return the writes of rows, and of those whose links change with them or with rows that are deleted (``gone``)."""
    changed = {row.id: row for row in await linked(parts, scope, rows, gone=gone)}
    return [put(row) for row in ({row.id: row for row in rows} | changed).values()]


def put(row: Memory) -> MemoryPut:
    """Return the write of a row; of a new one with its index terms."""
    return MemoryPut(memory=row, terms=None if row.revision else recall.index_terms(row))
