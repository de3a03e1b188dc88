"""The four steps: what each finds in a case. Pure; every note is one of ``diagnosis.Finding``."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

from zhiji import masking, recall, text
from zhiji.diagnosis import Fact, Finding, Note, Verdict, note
from zhiji.doctor.case import Case, is_over
from zhiji.doctor.clues import Reading, Said
from zhiji.doctor.places import Place, place
from zhiji.recall import Fate, Ranked
from zhiji.scoring import TERMS
from zhiji.types import Job, JobKind, JobStatus, Memory, Session, Status

BROKEN, WARNING, OK, SKIPPED = Verdict.BROKEN, Verdict.WARNING, Verdict.OK, Verdict.SKIPPED

CHANGING = 3
"""Sessions in a row with one turn at most that look like a client which loses its session id …"""
CHANGING_WITHIN = timedelta(minutes=10)
"""… if each follows the one before within this time."""


# --- input ----------------------------------------------------------------------------------------------------------


def unknown_user(user: str) -> list[Note]:
    """Return the notes for a user of whom nothing is stored. The id as typed is looked at; no other id is looked up."""
    signs = tuple(_signs(user))
    unknown = note(Finding.USER_UNKNOWN, BROKEN)
    return [unknown, note(Finding.USER_ALTERED, WARNING, signs=signs)] if signs else [unknown]


def _signs(user: str) -> Iterator[str]:
    if user != user.strip():
        yield "surrounding spaces"
    if unicodedata.normalize("NFKC", user) != user:
        yield "full-width or compatibility characters"
    if any(unicodedata.category(char) in ("Cf", "Cc") for char in user):
        yield "invisible characters"


def input_notes(case: Case) -> list[Note]:
    """Return what is wrong with user and session ids of the request."""
    notes = [note(Finding.SESSION_NOT_GIVEN, WARNING)] if case.session_id is None else []
    changing = _changing(case.sessions)
    named = case.transcript.session if case.transcript else None
    if changing >= CHANGING and (named is None or named.turns <= 1):
        harmless = named is not None or (case.session_id is None and place(case) is not None)
        notes.append(note(Finding.SESSION_CHANGES, WARNING if harmless else BROKEN, sessions=changing))
    return notes or [note(Finding.REQUEST_COMPLETE, OK)]


def _changing(sessions: Sequence[Session]) -> int:
    """Return how many of the newest chat sessions in a row hold one turn at most, each within minutes of the next."""
    chats = sorted((one for one in sessions if one.expires_at), key=lambda one: one.created_at, reverse=True)
    if not chats or chats[0].turns > 1:
        return 0
    count = 1
    for later, earlier in pairwise(chats):
        if earlier.turns > 1 or later.created_at - earlier.created_at > CHANGING_WITHIN:
            break
        count += 1
    return count


# --- session --------------------------------------------------------------------------------------------------------


def session_notes(case: Case) -> list[Note]:
    """Return what became of the session that was named, or which one would be opened."""
    if case.session_id is None:
        resumed = case.stage.session.resumed_from
        return [note(Finding.SESSION_NEW, SKIPPED, resumed_from=resumed, asked_in=case.stage.session.id or None)]
    if case.transcript is None:
        return [note(Finding.SESSION_UNKNOWN, BROKEN)]
    return [*_turn_notes(case), _standing(case)]


def _standing(case: Case) -> Note:
    one = case.transcript
    assert one is not None
    held, ended_at = one.session, one.log.ended_at
    facts: dict[str, Fact] = {
        "session": held.id,
        "turns": held.turns,
        "touched_at": held.touched_at,
        "expires_at": held.expires_at,
        "intent": held.state.intent,
        "slots": tuple(sorted(held.state.slots)),
    }
    if not is_over(one, case.now):
        return note(Finding.SESSION_LIVE, OK, **facts)
    facts |= {
        "ended_at": ended_at,
        "resumed_by": next((other.id for other in case.sessions if other.resumed_from == held.id), None),
        "carries_on": case.stage.session.resumed_from == held.id,
    }
    status = WARNING if case.stage.asked or place(case) or _is_lost_elsewhere(case) else BROKEN
    if held.expires_at is None or (ended_at is not None and ended_at < held.expires_at):
        return note(Finding.SESSION_ENDED, status, **facts)
    ttl = round((held.expires_at - held.touched_at).total_seconds())  # of who served it: our own setting may differ
    return note(Finding.SESSION_EXPIRED, status, expired_at=held.expires_at, ttl_seconds=ttl, **facts)


def _is_lost_elsewhere(case: Case) -> bool:
    """Return whether long-term memory has a reason of its own: what a session holds is meant to end with it."""
    return any(one.status is BROKEN and one.finding is not Finding.NEVER_SAID for one in _about_memory(case))


def _turn_notes(case: Case) -> Iterator[Note]:
    log = case.transcript.log if case.transcript else None
    last = log.turns[-1] if log and log.turns else None
    asked = case.stage.asked
    if asked is not None and asked.status == "failed":
        yield note(Finding.TURN_FAILED, BROKEN, code=asked.error, turn=asked.number, failed_at=asked.time)
    elif last is not None and last.status == "failed":
        yield note(Finding.TURN_FAILED, WARNING, code=last.error, turn=last.number, failed_at=last.time)
    if log is not None and last is not None and last.status == "open":
        if log.lease_until is not None and case.now < log.lease_until:
            yield note(Finding.TURN_RUNNING, WARNING, turn=last.number, lease_until=log.lease_until)
        else:
            yield note(Finding.TURN_STUCK, WARNING, turn=last.number, begun_at=last.time)


# --- memory ---------------------------------------------------------------------------------------------------------


def memory_notes(case: Case) -> list[Note]:
    """Return whether what bears on the message is stored and recalled; not why it breaks if the model is given it."""
    notes = _about_memory(case)
    if case.expect and masking.mask(case.expect) != case.expect:
        kept = masking.redact_secrets(case.expect) == case.expect
        notes.append(note(Finding.KEPT_MASKED, WARNING) if kept else note(Finding.NEVER_KEPT, BROKEN))
    if case.seen.keyword_only:
        notes.append(note(Finding.EMBEDDER_FAILING, WARNING))
    elif case.seen.unfit_vectors:
        notes.append(note(Finding.VECTORS_UNFIT, WARNING))
    elif case.lacks_vector:
        notes.append(note(Finding.VECTOR_MISSING, WARNING))
    return [_eased(one) for one in notes] if place(case) else notes


def _eased(one: Note) -> Note:
    return replace(one, status=WARNING) if one.status is BROKEN else one


def _about_memory(case: Case) -> list[Note]:
    clue = case.clue
    if clue is not None and clue.memory is not None:
        return [_about_row(case, clue.memory)]
    if clue is not None and clue.said is not None:
        return [_about_words(case, clue.said)]
    if case.deleted_at is not None:
        return [note(Finding.DELETED, BROKEN, deleted_at=case.deleted_at)]
    return [note(Finding.NEVER_SAID, BROKEN if case.expect else WARNING, sessions=len(case.sessions))]


def _about_row(case: Case, memory: Memory) -> Note:
    facts: dict[str, Fact] = {
        "memory": memory.id,
        "type": memory.type,
        "key": memory.key,
        "content": memory.content,
        "since": memory.updated_at,
    }
    if memory.status is Status.ACTIVE:
        if memory.expires_at is not None and memory.expires_at <= case.now:
            return note(Finding.FORGOTTEN, BROKEN, **{**facts, "since": memory.expires_at})
        return _about_recall(case, memory, facts)
    if memory.status is Status.SUPERSEDED:
        facts |= {"since": memory.valid_to or memory.updated_at, "superseded_by": memory.superseded_by}
        return note(Finding.SUPERSEDED if memory.superseded_by else Finding.RETRACTED, BROKEN, **facts)
    quarantined = memory.status is Status.QUARANTINED
    return note(Finding.QUARANTINED if quarantined else Finding.ARCHIVED, BROKEN, reason=memory.reason, **facts)


def _about_words(case: Case, said: Said) -> Note:
    """Return why words that were said are no memory."""
    facts: dict[str, Fact] = {
        "session": said.session,
        "seq": said.message.seq,
        "role": said.message.role,
        "since": said.message.time,
        "bears": not case.is_guess,
    }
    if said.reading is Reading.FAILED:
        return note(Finding.SAID_IN_FAILED_TURN, BROKEN, **facts)
    if said.reading is Reading.DELETED:
        return note(Finding.DELETED, BROKEN, deleted_at=case.deleted_at, **facts)
    return _about_job(case, facts) if said.reading is Reading.UNREAD else _about_pass(case, facts)


_JOBS = (JobStatus.RUNNING, JobStatus.PENDING, JobStatus.DEAD)
"""Of several jobs of a session the first of these decides: a pending one reads what a dead one left."""


def _about_job(case: Case, facts: dict[str, Fact]) -> Note:
    jobs = [one for one in case.jobs if one.kind is JobKind.SEDIMENT and one.subject == facts["session"]]
    job = min((one for one in jobs if one.status in _JOBS), key=lambda one: _JOBS.index(one.status), default=None)
    if job is None:
        return note(Finding.JOB_MISSING, BROKEN, **facts)
    facts |= {"job": job.id, "run_at": job.run_at, "attempts": job.attempts, "error": job.error}
    if job.status is JobStatus.DEAD:
        return note(Finding.JOB_DEAD, BROKEN, **facts)
    if not _is_running(job, case) and not _has_worker(case):
        last = max((one.beat_at for one in case.workers), default=None)
        return note(Finding.WORKER_MISSING, BROKEN, last_beat=last, **facts)
    return _about_waiting(case, job, facts)


def _about_waiting(case: Case, job: Job, facts: dict[str, Fact]) -> Note:
    status, one = WARNING if case.is_guess else BROKEN, case.extraction
    if _is_running(job, case):
        return note(Finding.JOB_RUNNING, status, **facts)
    if one is not None and one.outcome == "failed":
        reason = "; ".join(one.reasons)
        return note(Finding.EXTRACTION_FAILED, BROKEN, extractor=one.extractor, reason=reason, **facts)
    return note(Finding.JOB_PENDING, status, **facts)


def _is_running(job: Job, case: Case) -> bool:
    """Return whether somebody runs the job; one whose lease has run out waits to be taken over."""
    return job.status is JobStatus.RUNNING and job.lease_until is not None and case.now < job.lease_until


def _has_worker(case: Case) -> bool:
    return case.settings.worker or any(not one.is_missing for one in case.workers)


def _about_pass(case: Case, facts: dict[str, Fact]) -> Note:
    one = case.extraction
    if one is not None:
        facts |= {
            "extractor": one.extractor,
            "outcome": one.outcome,
            "read_at": one.time,
            "reason": "; ".join(one.reasons),
            "written": one.written,
        }
    facts.setdefault("extractor", None)
    partial = one is not None and one.outcome == "partial"
    return note(Finding.EXTRACTION_PARTIAL if partial else Finding.EXTRACTION_NOTHING, BROKEN, **facts)


# --- memory: recalled -----------------------------------------------------------------------------------------------


def _about_recall(case: Case, memory: Memory, facts: dict[str, Fact]) -> Note:
    settings = case.settings
    if not settings.memory_top_k:
        return note(Finding.RECALL_OFF, BROKEN, **facts)
    ranking = case.seen.ranking
    stands = next((one for one in ranking if one.recalled.memory.id == memory.id), None)
    facts |= _score_facts(stands, ranking, settings.memory_top_k)
    if any(one.id == memory.id for one in case.seen.profile):
        return note(Finding.IN_PROFILE, OK, **facts)
    if not ranking and not text.query_terms(case.words):
        return note(Finding.NOTHING_ASKED, BROKEN, **facts)
    return _about_fate(case, stands, memory, facts)


def _score_facts(stands: Ranked | None, ranking: Sequence[Ranked], k: int) -> dict[str, Fact]:
    cut = min((one.recalled.score for one in ranking if one.fate is Fate.RECALLED), default=None)
    facts: dict[str, Fact] = {"k": k, "cut": cut, "keyword": 0.0, "vector": None, "rank": None, "score": None}
    if stands is None:
        return facts
    terms = {term: stands.recalled.terms[term] for term in TERMS if term != "type"}
    terms["type_weight"] = stands.recalled.terms["type"]
    scored = {"rank": stands.rank or None, "score": stands.recalled.score}
    return {**facts, **terms, **scored, "keyword": stands.keyword, "vector": stands.vector}


_FATES = {
    Fate.BELOW: Finding.BELOW_THE_CUT,
    Fate.OVER_QUOTA: Finding.OVER_QUOTA,
    Fate.BEHIND: Finding.BEHIND_THE_ARMS,
    Fate.IRRELEVANT: Finding.NOT_RELEVANT,
}


def _about_fate(case: Case, stands: Ranked | None, memory: Memory, facts: dict[str, Fact]) -> Note:
    settings = case.settings
    found = _FATES.get(stands.fate) if stands else Finding.NOT_RELEVANT
    if found is None:
        return note(Finding.MEMORY_RECALLED, OK, **facts)
    quota, arms = settings.memory_quota.get(memory.type), recall.candidates(settings.memory_top_k)
    return note(found, BROKEN, quota=quota, candidates=arms, **facts)


# --- context --------------------------------------------------------------------------------------------------------


def context_notes(case: Case) -> list[Note]:
    """Return whether the model is given it, and if not, who took it out."""
    made = case.seen.context
    if made is None:
        refusal = case.seen.refusal
        details = refusal.details if refusal else {}
        return [note(Finding.REFUSED, BROKEN, **details)]
    facts: dict[str, Fact] = {
        "total": made.usage.total,
        "limit": made.usage.limit,
        "memory_tokens": made.usage.memory,
        "steps": tuple(step.name for step in made.steps),
    }
    where = place(case)
    if where is not None:
        return [_given(case, where, facts)]
    dropped = _dropped(case)
    if dropped:
        return [_about_ladder(case, facts)]
    return [note(Finding.NOTHING_TO_GIVE, SKIPPED, **facts)]


def _dropped(case: Case) -> bool:
    memory = case.clue.memory if case.clue else None
    brought = {one.memory.id for one in case.seen.recalled} | {one.id for one in case.seen.profile}
    return memory is not None and memory.id in brought


def _about_ladder(case: Case, facts: dict[str, Fact]) -> Note:
    made = case.seen.context
    assert made is not None
    rung = next((step for step in made.steps if step.name == "fewer_memories"), None)
    taken: dict[str, Fact] = {"rung": "fewer_memories", "removed": None, "reason": None}
    if rung is not None:
        taken |= {"removed": rung.removed, "reason": rung.reason, "tokens_before": rung.tokens_before}
    return note(Finding.DROPPED_BY_LADDER, BROKEN, **taken, **facts)


def _given(case: Case, where: Place, facts: dict[str, Fact]) -> Note:
    then, memory = case.then, case.clue.memory if case.clue else None
    if then is not None and memory is not None and where in ("profile", "background"):
        sent = {*then.profile, *(one[0] for one in then.recalled)}
        if memory.id not in sent:
            asked_at = case.stage.asked.time if case.stage.asked else None
            return note(Finding.GIVEN_ONLY_NOW, WARNING, asked_at=asked_at, place=where, **facts)
    return note(Finding.GIVEN, OK, place=where, **facts)
