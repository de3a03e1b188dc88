"""What the doctor can find: a closed set of findings, each with one sentence of what is so and one of what to do.

The table is the interface: codes never change, sentences are templates over ``facts``. Facts are small and typed (ids,
scores, counts, times; of the memory in question its masked content); they concern the asked user only and never hold a
secret. Order of the four steps: article S8.2. Whether something is so is found out by ``doctor``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from types import MappingProxyType

Fact = None | bool | int | float | str | datetime | tuple[str, ...]


class StepOf(StrEnum):
    """The four steps, in the order in which they are looked at."""

    INPUT = "input"
    SESSION = "session"
    MEMORY = "memory"
    CONTEXT = "context"


class Verdict(StrEnum):
    """What a step or a finding means for the message that was asked about."""

    OK = "ok"
    WARNING = "warning"
    """Worth knowing; not why the message was answered without it."""
    BROKEN = "broken"
    SKIPPED = "skipped"
    """Not looked at, because of an earlier step, or because there is nothing to look at."""


class Finding(StrEnum):
    """Everything that the doctor can say."""

    # input
    REQUEST_COMPLETE = "request_complete"
    USER_INVALID = "user_invalid"
    USER_UNKNOWN = "user_unknown"
    USER_ALTERED = "user_altered"
    MESSAGE_EMPTY = "message_empty"
    MESSAGE_TOO_LARGE = "message_too_large"
    SESSION_NOT_GIVEN = "session_not_given"
    SESSION_CHANGES = "session_changes"
    # session
    SESSION_LIVE = "session_live"
    SESSION_NEW = "session_new"
    SESSION_UNKNOWN = "session_unknown"
    SESSION_EXPIRED = "session_expired"
    SESSION_ENDED = "session_ended"
    TURN_RUNNING = "turn_running"
    TURN_STUCK = "turn_stuck"
    TURN_FAILED = "turn_failed"
    # memory: stored
    MEMORY_RECALLED = "memory_recalled"
    NEVER_SAID = "never_said"
    NEVER_KEPT = "never_kept"
    KEPT_MASKED = "kept_masked"
    IN_PROFILE = "in_profile"
    SAID_IN_FAILED_TURN = "said_in_failed_turn"
    WORKER_MISSING = "worker_missing"
    JOB_PENDING = "job_pending"
    JOB_RUNNING = "job_running"
    JOB_DEAD = "job_dead"
    JOB_MISSING = "job_missing"
    EXTRACTION_FAILED = "extraction_failed"
    EXTRACTION_PARTIAL = "extraction_partial"
    EXTRACTION_NOTHING = "extraction_nothing"
    QUARANTINED = "quarantined"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    ARCHIVED = "archived"
    FORGOTTEN = "forgotten"
    DELETED = "deleted"
    # memory: recalled
    RECALL_OFF = "recall_off"
    NOTHING_ASKED = "nothing_asked"
    BELOW_THE_CUT = "below_the_cut"
    OVER_QUOTA = "over_quota"
    NOT_RELEVANT = "not_relevant"
    BEHIND_THE_ARMS = "behind_the_arms"
    EMBEDDER_FAILING = "embedder_failing"
    VECTORS_UNFIT = "vectors_unfit"
    VECTOR_MISSING = "vector_missing"
    # context
    GIVEN = "given"
    GIVEN_ONLY_NOW = "given_only_now"
    DROPPED_BY_LADDER = "dropped_by_ladder"
    REFUSED = "refused"
    NOTHING_TO_GIVE = "nothing_to_give"
    # any step
    NOT_EXAMINED = "not_examined"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One finding."""

    finding: Finding
    status: Verdict
    what: str
    """What is so, in English."""
    advice: str
    """What to do about it; empty if nothing."""
    facts: Mapping[str, Fact] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One step: its gravest finding, and what else was found."""

    step: StepOf
    status: Verdict
    finding: Finding
    what: str
    advice: str
    facts: Mapping[str, Fact] = field(default_factory=dict)
    others: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Where a message lost what should have been remembered."""

    broken: StepOf | None
    """The first step that broke; None if none did."""
    steps: tuple[Check, ...]
    """Input, session, memory, context."""


F = Finding
SENTENCES: Mapping[Finding, tuple[str, str]] = MappingProxyType(
    {
        # input
        F.REQUEST_COMPLETE: ("The request names a user, a session and a message.", ""),
        F.USER_INVALID: (
            "The user id is missing, blank, or no valid text of at most 256 characters.",
            "Send the id of the user who is logged in, the same one with each request.",
        ),
        F.USER_UNKNOWN: (
            "Nothing was ever stored under this user id.",
            "Compare it with the id that was sent before: an id that changes between requests, or is spelled another way, "
            "is another user.",
        ),
        F.USER_ALTERED: (
            "The user id has spaces around it, or full-width or invisible characters; ids are compared exactly.",
            "Send the id as it was sent when the memory was made.",
        ),
        F.MESSAGE_EMPTY: (
            "The message has no visible character.",
            "Send a message with words; nothing is recalled for an empty one.",
        ),
        F.MESSAGE_TOO_LARGE: (
            "The message alone has about {tokens} tokens, and the window leaves {limit}.",
            "Send a shorter message, or raise ZHIJI_MAX_CONTEXT_TOKENS to what the model takes.",
        ),
        F.SESSION_NOT_GIVEN: (
            "The request names no session, so it opens a new one.",
            "Send the session_id of the last reply with the next message of the same conversation.",
        ),
        F.SESSION_CHANGES: (
            "The last {sessions} sessions of this user hold one turn at most each, within minutes: every request opened a "
            "new one.",
            "Keep the session_id of the first reply and send it with each further message.",
        ),
        # session
        F.SESSION_LIVE: ("The session is live; turns so far: {turns}.", ""),
        F.SESSION_NEW: ("A new session begins with this message.", ""),
        F.SESSION_UNKNOWN: (
            "This user has no such session.",
            "Send the session_id that was returned to this very user; if it was, the user id changes between requests.",
        ),
        F.SESSION_EXPIRED: (
            "The session expired at {expired_at}, after {ttl_seconds} idle seconds.",
            "Send the message again: a new session carries on; raise ZHIJI_SESSION_TTL_SECONDS if users pause longer.",
        ),
        F.SESSION_ENDED: (
            "The session was ended at {ended_at}.",
            "Send the message again: a new session carries on; end a session only when its conversation is over.",
        ),
        F.TURN_RUNNING: (
            "A turn of the session is still running; its lease lasts until {lease_until}.",
            "Wait for its answer; what it says is read once it is answered.",
        ),
        F.TURN_STUCK: (
            "A turn of {begun_at} was never closed, and its lease has run out.",
            "Send the message again: the stuck turn is then marked failed; look for a process that was killed.",
        ),
        F.TURN_FAILED: (
            "The last turn failed ({code}); failed turns stay out of contexts and are never remembered.",
            "Remove the cause that the code names, then send the message again.",
        ),
        # memory: stored
        F.MEMORY_RECALLED: ("It is remembered, and recall brings it up.", ""),
        F.IN_PROFILE: ("It is remembered, in the profile that every request carries.", ""),
        F.NEVER_SAID: (
            "Nothing that bears on it is remembered of this user, or was said in the last sessions ({sessions} looked at).",
            "Name the words that should have been remembered (expect). If you did, they were never said under this user id: "
            "check the id.",
        ),
        F.NEVER_KEPT: (
            "This is a password, code or number of a kind that is never kept.",
            "Nothing: secrets are replaced before they are stored; look them up where they belong.",
        ),
        F.KEPT_MASKED: (
            "Phone numbers and the like are kept masked.",
            "Nothing: look up the whole number in the business system.",
        ),
        F.SAID_IN_FAILED_TURN: (
            "It was said in message {seq} of {session}, in a turn that failed or was never answered.",
            "Say it again: only answered turns are remembered.",
        ),
        F.WORKER_MISSING: (
            "Message {seq} of {session} waits to be read since {since}, and no worker is running.",
            "Start `zhiji worker`, or set ZHIJI_WORKER=true in the service.",
        ),
        F.JOB_PENDING: (
            "Message {seq} of {session} was not read yet; the job that reads it is due at {run_at}.",
            "Wait for the worker; if jobs stay due for long, run more workers.",
        ),
        F.JOB_RUNNING: (
            "A worker is reading message {seq} of {session} now.",
            "Ask again in a moment.",
        ),
        F.JOB_DEAD: (
            "The job that should have read message {seq} of {session} gave up after {attempts} attempts: {error}",
            "Remove the cause, then run it again: `zhiji jobs replay --user USER {job}`.",
        ),
        F.JOB_MISSING: (
            "Message {seq} of {session} was not read yet, and no job is queued that would.",
            "Send another message in the session, or end it: either queues the job.",
        ),
        F.EXTRACTION_FAILED: (
            "The extractor ({extractor}) failed on message {seq} of {session}: {reason}.",
            "The job is retried; if it goes on failing, look at the model that extracts.",
        ),
        F.EXTRACTION_PARTIAL: (
            "The extractor ({extractor}) could read only part of what was said; message {seq} of {session} gave no memory.",
            "Look at the reasons; use a better model to extract, or store the fact with `remember`.",
        ),
        F.EXTRACTION_NOTHING: (
            "Message {seq} of {session} was read by the extractor ({extractor}), which made no memory of it.",
            "Store the fact with `remember` if it should be known; a model as extractor understands more than rules.",
        ),
        F.QUARANTINED: (
            "It waits in quarantine since {since}: {reason}",
            "If it is true, release it: `zhiji memories restore --user USER {memory}`; else have it said again.",
        ),
        F.SUPERSEDED: (
            "It was superseded at {since} by {superseded_by}.",
            "If the older one is right, bring it back: `zhiji memories restore --user USER {memory}`.",
        ),
        F.RETRACTED: (
            "It was taken back at {since}: it no longer holds.",
            "If it does hold, bring it back: `zhiji memories restore --user USER {memory}`.",
        ),
        F.ARCHIVED: (
            "It was archived at {since}: {reason}",
            "Bring it back: `zhiji memories restore --user USER {memory}`.",
        ),
        F.FORGOTTEN: (
            "It was forgotten by policy at {since}.",
            "Have the user say it again, or store it with `remember`; ZHIJI_RETENTION=false keeps everything.",
        ),
        F.DELETED: (
            "It was deleted; what was said before that never brings it back.",
            "Have the user say it again, in a new message, or store it with `remember`.",
        ),
        # memory: recalled
        F.RECALL_OFF: (
            "It is stored, but recall is switched off.",
            "Set ZHIJI_MEMORY_TOP_K to 1 or more.",
        ),
        F.NOTHING_ASKED: (
            "It is stored, but the message has no words to search by.",
            "Ask in words.",
        ),
        F.BELOW_THE_CUT: (
            "It is stored, but ranked {rank} with a score of {score}; the lowest of the {k} recalled has {cut}.",
            "Raise ZHIJI_MEMORY_TOP_K, or delete memories that crowd it out.",
        ),
        F.OVER_QUOTA: (
            "It is stored and ranked {rank}, but better memories fill the quota of {quota} for {type}.",
            "Raise the quota of this type in ZHIJI_MEMORY_QUOTA.",
        ),
        F.NOT_RELEVANT: (
            "It is stored, but the message has too little in common with it: keyword similarity {keyword}, vector "
            "similarity {vector}.",
            "Use an embedder (ZHIJI_EMBEDDER) to find by meaning, or ask with words of the memory.",
        ),
        F.BEHIND_THE_ARMS: (
            "It is stored, but each arm of the search found {candidates} memories that fit better.",
            "Ask more precisely, or raise ZHIJI_MEMORY_TOP_K.",
        ),
        F.EMBEDDER_FAILING: (
            "The embedder fails, so memories are found by keyword only.",
            "Look at the embedder; `zhiji recall --verbose` shows the cause.",
        ),
        F.VECTORS_UNFIT: (
            "The stored vectors come from another embedder of this name, so memories are found by keyword only.",
            "Run `zhiji reindex`, or configure the former embedder.",
        ),
        F.VECTOR_MISSING: (
            "Its vector is not made yet, so it is found by keyword only.",
            "Wait for the `embed` job, see `zhiji jobs list`; if the embedder was changed, run `zhiji reindex`.",
        ),
        # context
        F.GIVEN: (
            "The model is given it, in the {place}.",
            "If the answer is still wrong, look at the model or the prompt.",
        ),
        F.GIVEN_ONLY_NOW: (
            "The model is given it now, but was not when the message was sent at {asked_at}.",
            "Ask again: it was remembered, or could be recalled, only afterwards.",
        ),
        F.DROPPED_BY_LADDER: (
            "It was recalled, but left out by the ladder ({rung}) to fit the window.",
            "Raise ZHIJI_MAX_CONTEXT_TOKENS, or shorten the prompt, the tools and the reply reserve.",
        ),
        F.REFUSED: (
            "The request does not fit the window even after every rung of the ladder.",
            "Start a new session, send a shorter message, or raise ZHIJI_MAX_CONTEXT_TOKENS.",
        ),
        F.NOTHING_TO_GIVE: (
            "The context fits the window ({total} of {limit} tokens); what memory does not bring up cannot be in it.",
            "",
        ),
        # any step
        F.NOT_EXAMINED: ("Not examined: an earlier step has to be mended first.", ""),
    }
)
"""What is so, and what to do: templates over the facts of the finding."""
del F

_GRAVITY = (Verdict.BROKEN, Verdict.WARNING, Verdict.OK, Verdict.SKIPPED)


def note(finding: Finding, status: Verdict, **facts: Fact) -> Note:
    """Return a finding with its sentences."""
    what, advice = (filled(template, facts) for template in SENTENCES[finding])
    return Note(finding=finding, status=status, what=what, advice=advice, facts=facts)


def filled(template: str, facts: Mapping[str, Fact]) -> str:
    """Return a sentence of ``SENTENCES``, or of another language's table, with its facts."""
    return template.format(**{name: shown(fact) for name, fact in facts.items()})


def check(step: StepOf, notes: list[Note]) -> Check:
    """Return a step from its findings, at least one: the gravest leads, of equals the first."""
    first, *others = sorted(notes, key=lambda one: _GRAVITY.index(one.status))
    return Check(
        step=step,
        status=first.status,
        finding=first.finding,
        what=first.what,
        advice=first.advice,
        facts=first.facts,
        others=tuple(others),
    )


def diagnosis(checks: tuple[Check, ...]) -> Diagnosis:
    """Return the diagnosis of four steps."""
    broken = (check.step for check in checks if check.status is Verdict.BROKEN)
    return Diagnosis(broken=next(broken, None), steps=checks)


def shown(fact: Fact) -> str:
    """Return a fact as sentences name it: times in UTC, numbers to two places."""
    if isinstance(fact, datetime):
        return fact.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    if isinstance(fact, float):
        return f"{fact:.2f}"
    return "–" if fact is None else str(fact)
