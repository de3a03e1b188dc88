"""Step 2 of the path: which memories bear on this message, and why.

Both arms are asked, their answers fused into one similarity, each candidate scored by ``scoring``; then quota and cut.
What may be returned at all is the store's filter, not this module's. Also here: the terms and the text by which a
memory is found (``index_terms``, ``passage``), because question and index must use the same words.

Invariants: one owner; every term of a score in [0, 1]; never an episode that the model sees anyway; a query of any
syntax is words; without an embedder, or while it fails, the keyword arm works alone.
"""

from __future__ import annotations

import calendar
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from functools import cache, lru_cache

from zhiji import policies, scoring, text
from zhiji.config import Settings
from zhiji.extract import dates
from zhiji.extract.dates import When
from zhiji.extract.fold import fold
from zhiji.extract.view import blank
from zhiji.identifiers import compact, identifiers
from zhiji.relation import claims, reading
from zhiji.stores.base import Filter, Hit, Query, Store, Vector
from zhiji.types import Memory, Recalled, Scope, State, Via

EmbedQuery = Callable[[str], Awaitable[tuple[str, Vector] | None]]
"""Returns the embedder's name and the vector of a query; None while there is none."""

CANDIDATES = 20
"""Hits asked of each arm at least, and 4 k: what is not among them hardly reaches the cut."""
MAX_QUERY_CHARS = 1000
"""A longer message is searched by its beginning and its end."""
MAX_QUESTIONS = 4
"""Sentences of one message that are also asked one by one."""
QUESTION_SHARE = 0.8
"""Part of the best single sentence in the keyword similarity of a message of several (MemDaily dev: R@10 .59 → .61)."""
WINDOW = 0.5
"""Weight of an episode's neighbours (LoCoMo 1–5: R@10 .66 → .74)."""
STATE_WEIGHT = 0.3
"""Weight of terms that come from the state, beside 1 for those of the message."""
TYPE_WEIGHT = 0.5
"""Weight of a type as a term, where the message has the cue of one of its attributes."""
LINK_SHARE = 0.7
"""What a linked memory inherits of the similarity that brought it up."""
BEHIND = 0.999
"""Share of its best source's score that a derived memory has at most."""
EXACT = 0.95
"""Least keyword similarity of a memory that names an order, shipment or ticket that the message names."""

SAME_DAY = 0.8
"""Least keyword similarity of a memory of the day that the message asks for."""

MAX_CONCEPTS = 16
"""Concepts by which one row is found."""
MAX_READ_CHARS = 400
"""A memory is a sentence; what a longer one speaks of is told by its beginning."""
_TELLING_KINDS = frozenset((*claims.CLOSED, "place", "dwelling", "status", "remedy", "number:age"))
"""Kinds of concepts that say by themselves what a sentence may be about."""
_IMPLIED = {f"change:{change}": f"predicate:{attribute}" for change, attribute in claims.MOVES.items()}
_ID_TAIL = 4
"""End of a number that must be there as it is, before a text is made compact to look closer."""
_EPISODE = "episode"
_SENTENCE_END = re.compile(
    r"[。？！?!；;\n]+|\.\s+|(?:[，,]\s*)?(?:另外|还有就是|顺便问一下|by the way)[，,:：]?", re.I
)


# --- what a memory is found by --------------------------------------------------------------------------------------


def index_terms(memory: Memory) -> dict[str, int]:
    """Return the index terms of a memory with their counts: content, key, questions that ask for it, type.

    Episodes are also found by their speaker and, in English, by their date. The others carry marks of what they speak
    of, by which consolidation finds them in another language; no question asks for these.
    """
    counts = Counter(text.terms(_indexed_text(memory)))
    for cue in (*policies.cues([memory.key]), *policies.words(memory.type)):
        counts.update(dict.fromkeys(_cue_terms(cue) - counts.keys(), 1))
    if memory.type != _EPISODE:
        counts[_type_term(memory.type)] = 1
        counts.update(concept_terms(memory.content))
    return dict(counts)


def concept_terms(content: str) -> dict[str, int]:
    """Return the marks of what a sentence speaks of, the same in every language: concepts, and kinds that few share.

    "lives in Seattle" and "搬到丹佛" share that they name a place. No text has a term that begins like a mark.
    """
    told = sorted(reading.concepts(content[:MAX_READ_CHARS]))[:MAX_CONCEPTS]
    kinds = {concept.rpartition(":")[0] for concept in told} & _TELLING_KINDS
    implied = {_IMPLIED[concept] for concept in told if concept in _IMPLIED}
    return {f"{scoring.MARK}{mark}": 1 for mark in sorted({*told, *kinds, *implied})}


def passage(memory: Memory) -> str:
    """Return the text of which a memory's vector is made: its content, after the speaker's name for an episode."""
    speaker = _speaker(memory)
    return f"{speaker}: {memory.content}" if speaker else memory.content


def _indexed_text(memory: Memory) -> str:
    if memory.type == _EPISODE:
        date = "" if memory.lang == "zh" else f"{memory.valid_from:%d %B %Y}".lstrip("0")
        return f"{date} {passage(memory)}"
    _, _, id_ = (memory.key or "").partition(":")
    return memory.content if policies.attribute(memory.key) or id_ in memory.content else f"{memory.content} {id_}"


def _speaker(memory: Memory) -> str:
    """Return the name of an episode's speaker; empty for the roles ``user`` and ``assistant``."""
    speaker = memory.value.get("speaker") if memory.type == _EPISODE and isinstance(memory.value, dict) else None
    return speaker if isinstance(speaker, str) and speaker not in ("user", "assistant") else ""


@lru_cache(maxsize=1024)
def _cue_terms(cue: str) -> frozenset[str]:
    """Return the terms of a question word, in simplified characters; single ones, which would match by chance, if it has no others."""
    terms = frozenset(text.terms(reading.simplify(cue)))
    return frozenset(term for term in terms if len(term) > 1) or terms


def _type_term(type: str) -> str:
    # No word of a text has a colon in it, so this can only be asked for on purpose.
    return f"type:{type}"


# --- what is asked --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Question:
    """One message as it is searched for."""

    words: str
    terms: Mapping[str, float]
    sentences: Sequence[Mapping[str, float]]
    """Terms of each sentence, if there are several that ask for something."""
    ids: frozenset[str]
    """Orders, shipments and tickets that it names."""
    at: datetime
    """When it is asked, in the users' zone."""
    days: tuple[When, ...] = ()
    """Days that it names."""
    rest: frozenset[str] = frozenset()
    """Its terms without those of its days."""


def _question(message: str, state: State | None, at: datetime) -> _Question:
    words = _shortened(message)
    terms = text.query_terms(words)
    if not terms:
        return _Question(words, {}, (), frozenset(), at)
    folded = fold(words)
    days = tuple(dates.find(folded, at))
    dated = text.query_terms(" ".join(str(day.day) for day in days)) if days else {}
    return _Question(
        words,
        _state_terms(state) | _type_terms(terms.keys()) | dated | terms,
        _sentences(words),
        frozenset(found.id for found in identifiers(words)),
        at,
        days,
        frozenset(text.query_terms(_ASKED_OF_DAYS.sub(" ", blank(folded, [(day.start, day.end) for day in days], " "))))
        if days
        else frozenset(),
    )


def _sentences(words: str) -> list[dict[str, float]]:
    """Return the terms of the sentences that say most; none if there is only one."""
    pieces = [piece for piece in _SENTENCE_END.split(words) if piece.strip()]
    if len(pieces) < 2:
        return []
    asked = [terms for terms in map(text.query_terms, pieces) if sum(terms.values()) >= 1]
    asked.sort(key=lambda terms: -sum(terms.values()))
    return asked[:MAX_QUESTIONS] if len(asked) > 1 else []


def _shortened(message: str) -> str:
    if len(message) <= MAX_QUERY_CHARS:
        return message
    half = MAX_QUERY_CHARS // 2
    return f"{message[:half]}\n{message[-half:]}"


def _state_terms(state: State | None) -> dict[str, float]:
    if state is None:
        return {}
    slots = state.slots.values()
    words = " ".join(str(value) for value in slots if isinstance(value, str | int) and not isinstance(value, bool))
    return {term: STATE_WEIGHT * weight for term, weight in text.query_terms(_shortened(words)).items()}


def _type_terms(asked: Set[str]) -> dict[str, float]:
    """Return the type terms of attributes that these terms ask for, so that facts without a key are found too."""
    simplified = {reading.simplify(term) for term in asked}
    return {term: TYPE_WEIGHT for cue, term in _type_cues(policies.worded()) if cue <= simplified}


@cache
def _type_cues(worded: tuple[tuple[str, tuple[str, ...]], ...]) -> tuple[tuple[frozenset[str], str], ...]:
    """Return the terms of every cue with the type that it asks for; ``worded``: types with words of their own."""
    cues = [
        (_cue_terms(cue), _type_term(type))
        for type, words in (*((entry.key.partition(":")[0], entry.cues) for entry in policies.ATTRIBUTES), *worded)
        for cue in words
    ]
    return tuple((terms, type) for terms, type in cues if terms)


# --- the step -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Candidate:
    memory: Memory
    keyword: float = 0.0
    """Similarities of the arms."""
    vector: float | None = None
    inherited: float = 0.0
    """Similarity that a link brought."""
    terms: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """In the order of ``scoring.TERMS``."""
    score: float = 0.0

    @property
    def own(self) -> float:
        """Similarity that it has without links."""
        return scoring.similarity(self.keyword, self.vector)

    @property
    def is_relevant(self) -> bool:
        return bool(self.inherited) or scoring.is_relevant(self.keyword, self.vector)

    def recalled(self) -> Recalled:
        terms = dict(zip(scoring.TERMS, self.terms, strict=True))
        return Recalled(memory=self.memory, score=self.score, terms=terms, via=self._via())

    def _via(self) -> Via:
        if self.memory.type == _EPISODE:
            return Via.EPISODE
        if self.inherited > self.own:
            return Via.LINK
        if not self.keyword:
            return Via.VECTOR
        return Via.BOTH if self.vector else Via.KEYWORD


async def recall(
    store: Store,
    embed: EmbedQuery | None,
    scope: Scope,
    query: str,
    *,
    k: int = 5,
    state: State | None = None,
    types: Iterable[str] | None = None,
    as_of: datetime | None = None,
    now: datetime,
    settings: Settings,
    window: tuple[str, int] | None = None,
) -> list[Recalled]:
    """Return the ``k`` memories that bear most on ``query``, best first; fewer if fewer bear on it.

    ``state``: its slots help to find. ``types``: only these. ``as_of``: what was held to be true then. ``window``: the
    session and the first message number that the model sees anyway; no episode of it is returned.
    """
    question = _question(query, state, now.astimezone(settings.zone))
    if k <= 0 or not question.terms:
        return []
    filter = Filter(now=now, as_of=as_of, types=_admitted_types(types, settings))
    found = await _search(store, embed, scope, question, filter, limit=candidates(k))
    found = [candidate for candidate in found if candidate.is_relevant and not _is_seen(candidate.memory, window)]
    ranked = await _standing(store, scope, found, filter, k=k, settings=settings)
    return [candidate.recalled() for candidate in _cut(ranked, k=k, quota=settings.memory_quota)]


def candidates(k: int) -> int:
    """Return how many hits are asked of each arm."""
    return max(CANDIDATES, 4 * k)


async def _standing(
    store: Store, scope: Scope, found: Sequence[_Candidate], filter: Filter, *, k: int, settings: Settings
) -> list[_Candidate]:
    """Return what was found, and what the best of it points to, scored, best first."""
    ranked = _ranked(found, now=filter.now, settings=settings)
    if any(candidate.memory.links for candidate in ranked[:k]):
        linked = await _linked(store, scope, ranked[:k], found, filter)
        ranked = _ranked([*found, *linked], now=filter.now, settings=settings)
    return ranked


def _admitted_types(types: Iterable[str] | None, settings: Settings) -> frozenset[str] | None:
    if types is not None:
        return frozenset(types)
    return frozenset(policies.listed_types()) if settings.episodes == "off" else None


def _is_seen(memory: Memory, window: tuple[str, int] | None) -> bool:
    if window is None or memory.type != _EPISODE:
        return False
    session, first_seq = window
    return any(source.session == session and max(source.seqs) >= first_seq for source in memory.sources)


# --- both arms ------------------------------------------------------------------------------------------------------


async def _search(
    store: Store, embed: EmbedQuery | None, scope: Scope, question: _Question, filter: Filter, *, limit: int
) -> list[_Candidate]:
    embedded = await embed(question.words) if embed else None
    model, vector = embedded if embedded else ("", None)
    usable = None if vector is None else scoring.unit(vector)
    whole = Query(terms=question.terms, vector=usable, model=model, filter=filter, limit=limit, window=WINDOW)
    hits = await store.search(scope, whole)
    parts = [await store.search(scope, replace(whole, terms=terms, vector=None)) for terms in question.sentences]
    return _fused(question, hits, parts, model)


def _fused(question: _Question, hits: Sequence[Hit], parts: Sequence[Sequence[Hit]], model: str) -> list[_Candidate]:
    """Return one candidate per memory, with the similarities of both arms."""
    share, spread = QUESTION_SHARE if parts else 0.0, scoring.cosine_range(model)
    candidates = {hit.memory.id: _Candidate(hit.memory) for found in (*parts, hits) for hit in found}
    best = dict.fromkeys(candidates, 0.0)
    for hit in (hit for found in parts for hit in found):
        best[hit.memory.id] = max(best[hit.memory.id], scoring.keyword_similarity(hit.keyword))
    for hit in hits:
        candidate = candidates[hit.memory.id]
        candidate.keyword = (1 - share) * scoring.keyword_similarity(hit.keyword)
        candidate.vector = None if hit.cosine is None else scoring.vector_similarity(hit.cosine, spread)
    for id_, candidate in candidates.items():
        candidate.keyword += share * best[id_]
        if question.ids and candidate.keyword and _names(candidate.memory, question.ids):
            candidate.keyword = max(candidate.keyword, EXACT)
        if question.days:
            _judge_day(candidate, question)
    return list(candidates.values())


# --- days -----------------------------------------------------------------------------------------------------------

_ISO_DAY = re.compile(r"(?<!\d)(?:19|20)\d\d-\d\d-\d\d(?!\d)")
_ASKED_OF_DAYS = re.compile(
    r"有什么|什么|安排|日程|计划|行程|有没有|有事|事情?|要做|做|吗|呢|我|\b(?:what|do|did|does|have|had|is|are|was|my|i|on|for|any|anything|plans?|planned|schedule|scheduled|happening|happens|up|going|am|to|the|we)\b"
)
"""What one asks of a day and what names nothing."""


def _judge_day(candidate: _Candidate, question: _Question) -> None:
    """A memory of the day that is asked for bears on the question; one that only has the word "tomorrow" in common does not."""
    days = _days_of(candidate.memory, question.at)
    if not days:
        return
    if any(asked.day <= day <= asked.end_day for asked in question.days for day in days):
        candidate.keyword = max(candidate.keyword, SAME_DAY)
    elif any(day.is_relative for day in question.days) and not question.rest & set(
        text.query_terms(candidate.memory.content)
    ):
        candidate.keyword, candidate.vector = 0.0, None


def _days_of(memory: Memory, at: datetime) -> set[date]:
    """Return the days that a memory names; of an episode those that its words meant when they were said."""
    if memory.type != _EPISODE:
        return {date.fromisoformat(found) for found in _ISO_DAY.findall(memory.content) if _is_day(found)}
    said = memory.valid_from.astimezone(at.tzinfo)
    return {day.day for day in dates.find(fold(memory.content), said) if day.last is None}


def _is_day(written: str) -> bool:
    year, month, day = map(int, written.split("-"))
    return 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]


def _names(memory: Memory, ids: frozenset[str]) -> bool:
    written = f"{memory.key} {memory.content}"
    if not any(id_[-_ID_TAIL:] in written for id_ in ids):
        return False
    written = compact(written).upper()
    return any(id_ in written for id_ in ids)


# --- links ----------------------------------------------------------------------------------------------------------


async def _linked(
    store: Store, scope: Scope, ranked: Sequence[_Candidate], found: Sequence[_Candidate], filter: Filter
) -> list[_Candidate]:
    """Return the memories that the best ones point to, and raise those of them that were found already."""
    inherited: dict[str, float] = {}
    for candidate in ranked:
        for id_ in candidate.memory.links:
            inherited[id_] = max(inherited.get(id_, 0.0), LINK_SHARE * candidate.own)
    known = {candidate.memory.id: candidate for candidate in found}
    for id_ in inherited.keys() & known.keys():
        known[id_].inherited = inherited[id_]
    missing = [id_ for id_ in inherited if id_ not in known]
    loaded = await store.load_memories(scope, missing) if missing else []
    return [_Candidate(memory, inherited=inherited[memory.id]) for memory in loaded if filter.admits(memory)]


# --- score and cut --------------------------------------------------------------------------------------------------


def _ranked(candidates: Iterable[_Candidate], *, now: datetime, settings: Settings) -> list[_Candidate]:
    """Return the candidates with their terms and scores, best first; of equal ones the newest first."""
    scored = list(candidates)
    for candidate in scored:
        candidate.terms = _terms(candidate, now)
        candidate.score = scoring.score(candidate.terms, settings.recall_weights)
    _put_behind_sources(scored)
    scored.sort(key=_standing_order, reverse=True)
    return scored


def _standing_order(candidate: _Candidate) -> tuple[float, datetime, str, str]:
    """Order of candidates, the best last: what a link brings up has often the same score, and ids are made by chance."""
    memory = candidate.memory
    return candidate.score, memory.updated_at, memory.content, memory.id


def _put_behind_sources(scored: Sequence[_Candidate]) -> None:
    """What was derived from others scores less than the one of them that answers best: it only repeats it."""
    found = {candidate.memory.id: candidate for candidate in scored}
    for candidate in scored:
        sources = [found[link] for link in candidate.memory.links if link in found]
        if sources and policies.kind(candidate.memory.type).derived:
            best = max(sources, key=lambda source: (source.own, source.score))
            candidate.score = min(candidate.score, best.score * BEHIND)


def _terms(candidate: _Candidate, now: datetime) -> tuple[float, float, float, float]:
    memory, policy = candidate.memory, policies.kind(candidate.memory.type)
    return (
        max(candidate.own, candidate.inherited),
        scoring.decay(now - memory.updated_at, policy.half_life_days),
        memory.confidence,
        scoring.type_term(policy.weight, memory.importance),
    )


class Fate(StrEnum):
    """What became of one memory in one recall."""

    RECALLED = "recalled"
    BELOW = "below"
    """Ranked after the last of the ``k``."""
    OVER_QUOTA = "over_quota"
    """Better ones of its type fill their quota."""
    REPEATED = "repeated"
    """An episode whose message or wording a better one has."""
    BEHIND = "behind"
    """Not among the candidates of either arm."""
    IRRELEVANT = "irrelevant"
    """Too little in common with the question."""
    SEEN = "seen"
    """An episode of a message that the model sees anyway."""


def _cut(ranked: Sequence[_Candidate], *, k: int, quota: Mapping[str, int]) -> list[_Candidate]:
    """Return the first ``k`` within each type's quota; an episode gives way to a better fact from the same message."""
    kept: list[_Candidate] = []
    for candidate, fate in _fates(ranked, k=k, quota=quota):
        if fate is Fate.RECALLED:
            kept.append(candidate)
        if len(kept) == k:
            break
    return kept


def _fates(ranked: Sequence[_Candidate], *, k: int, quota: Mapping[str, int]) -> Iterator[tuple[_Candidate, Fate]]:
    counts: Counter[str] = Counter()
    told: set[tuple[str, int]] = set()
    wordings: set[str] = set()
    for candidate in ranked:
        memory = candidate.memory
        said = {(source.session, seq) for source in memory.sources for seq in source.seqs}
        words = text.normalise(memory.content)
        is_repeat = memory.type == _EPISODE and (words in wordings or (said and said <= told))
        if is_repeat or counts.total() >= k or counts[memory.type] >= quota.get(memory.type, k):
            yield candidate, Fate.REPEATED if is_repeat else Fate.BELOW if counts.total() >= k else Fate.OVER_QUOTA
            continue
        counts[memory.type] += 1
        told |= said
        wordings.add(words)
        yield candidate, Fate.RECALLED


# --- explain --------------------------------------------------------------------------------------------------------

EVERYTHING = 100_000
"""Hits asked of each arm when the whole ranking is wanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """Where one memory stands in one recall, and why it was returned or not."""

    recalled: Recalled
    fate: Fate
    rank: int
    """From 1; 0 if it was not ranked at all."""
    keyword: float
    """Similarity of the keyword arm, 0 to 1."""
    vector: float | None
    """Similarity of the vector arm; None without a vector."""


async def ranking(
    store: Store,
    embed: EmbedQuery | None,
    scope: Scope,
    query: str,
    *,
    k: int,
    state: State | None,
    now: datetime,
    settings: Settings,
    window: tuple[str, int] | None = None,
) -> list[Ranked]:
    """Return every memory that ``recall`` could have met, with its fate: the ranked ones first, best first.

    For explaining one recall; it scores what no arm brought up, and so costs more than ``recall`` does. A memory that
    is missing has nothing in common with the query. Empty if the query has no words.
    """
    question = _question(query, state, now.astimezone(settings.zone))
    if not question.terms:
        return []
    filter = Filter(now=now, types=_admitted_types(None, settings))
    met = await _search(store, embed, scope, question, filter, limit=candidates(k))
    ids = {candidate.memory.id for candidate in met}
    others = await _search(store, embed, scope, question, filter, limit=EVERYTHING)
    unmet = [candidate for candidate in others if candidate.memory.id not in ids]
    found = [candidate for candidate in met if candidate.is_relevant and not _is_seen(candidate.memory, window)]
    ranked = await _standing(store, scope, found, filter, k=k, settings=settings)
    standing = {candidate.memory.id for candidate in ranked}
    rest = [candidate for candidate in (*met, *unmet) if candidate.memory.id not in standing]
    fates = [
        *_fates(ranked, k=k, quota=settings.memory_quota),
        *((candidate, _left_out(candidate, ids, window)) for candidate in _ranked(rest, now=now, settings=settings)),
    ]
    return [
        _explained(candidate, fate, place if place <= len(ranked) else 0)
        for place, (candidate, fate) in enumerate(fates, 1)
    ]


def _left_out(candidate: _Candidate, met: Set[str], window: tuple[str, int] | None) -> Fate:
    if _is_seen(candidate.memory, window):
        return Fate.SEEN
    return Fate.BEHIND if candidate.is_relevant and candidate.memory.id not in met else Fate.IRRELEVANT


def _explained(candidate: _Candidate, fate: Fate, rank: int) -> Ranked:
    return Ranked(
        recalled=candidate.recalled(), fate=fate, rank=rank, keyword=candidate.keyword, vector=candidate.vector
    )
