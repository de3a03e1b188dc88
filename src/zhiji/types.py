"""The nouns of zhiji: frozen values that every other module passes around.

Nothing here does I/O, reads a clock or decides anything. Times are aware UTC datetimes; ids are prefixed strings
(``ses_…``, ``trn_…``, ``req_…``, ``mem_…``, ``job_…``); order inside a session is by ``seq``, never by time.
This module imports nothing of ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
"""A value that JSON can hold; numbers are finite and integers fit 64 bits."""

Role = Literal["system", "user", "assistant", "tool"]


class Status(StrEnum):
    """Where a memory stands. Only ``active`` memories are recalled (``as_of`` queries also see superseded ones)."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    QUARANTINED = "quarantined"
    ARCHIVED = "archived"


class Trust(StrEnum):
    """Who vouches for a memory."""

    USER = "user"
    TOOL = "tool"
    ASSISTANT = "assistant"
    MODEL = "model"
    OPERATOR = "operator"


class Via(StrEnum):
    """Which arm brought a memory up."""

    KEYWORD = "keyword"
    VECTOR = "vector"
    BOTH = "both"
    LINK = "link"
    EPISODE = "episode"


@dataclass(frozen=True, slots=True)
class Scope:
    """The owner of everything: the first argument of every store method. Compared by equality only."""

    tenant: str
    user: str


# --- session ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call that the model asks for; ``arguments`` is the JSON text exactly as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a transcript."""

    role: Role
    content: str
    time: datetime
    seq: int = 0
    """1, 2, 3 … without gaps within a session; 0 while not yet stored."""
    turn: int = 0
    """Number of its turn within the session, from 1; 0 while not yet stored."""
    name: str | None = None
    """Speaker of a user message, or tool of a tool message."""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    tokens: int = 0
    """Counted once by ``tokens.count_message`` before storing; 0 means not counted."""
    orphan: bool = False
    """A tool result without its call: kept in the transcript, never sent to a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A closed turn: a user message, all tool calls with their results, and the answer. Never cut in the middle."""

    number: int
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """The short result of a tool call that the state keeps when the full result is dropped."""

    tool: str
    text: str
    seq: int = 0
    """Sequence number of the tool message that it came from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Where the current task stands. One JSON document per session, written by compare-and-set."""

    version: int = 0
    intent: str | None = None
    slots: Mapping[str, JsonValue] = field(default_factory=dict)
    """Form slots by name: ``order_id``, ``address`` …; ``null`` is not kept."""
    conclusions: tuple[Conclusion, ...] = ()
    """Newest last; at most ``session.MAX_CONCLUSIONS``."""


class SessionStatus(StrEnum):
    LIVE = "live"
    ENDED = "ended"
    """Ended or expired: transcript archived (masked), reads refuse it as expired."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One conversation and its state, without its messages."""

    id: str
    created_at: datetime
    touched_at: datetime
    expires_at: datetime | None
    """None: not subject to TTL (ingested). The session is expired when ``now >= expires_at``."""
    status: SessionStatus = SessionStatus.LIVE
    state: State = field(default_factory=State)
    summary: str = ""
    """Rolling summary of the turns up to ``summary_upto``, written by a machine."""
    summary_upto: int = 0
    """Last message ``seq`` covered by the summary; 0 if none."""
    turns: int = 0
    """Number of turns begun so far."""
    last_seq: int = 0
    resumed_from: str | None = None
    extracted_upto: int = 0
    """Watermark: last message ``seq`` that extraction has committed."""


# --- memory -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a memory came from: message ``seqs`` of one session. Operators' memories have none."""

    session: str
    seqs: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Something known about a user across sessions. Content never changes in place: a change supersedes."""

    id: str
    type: str
    """A name of ``policies.TYPES``."""
    content: str
    """One sentence in the user's language, masked."""
    key: str | None = None
    """Business key such as ``order:OD20240415008``; None if the fact has none."""
    value: JsonValue = None
    """Structured value, e.g. the bare name for ``identity:name``; masked."""
    importance: int = 3
    """1 (trivial) to 5 (must not be lost)."""
    confidence: float = 1.0
    """0 to 1."""
    trust: Trust = Trust.USER
    status: Status = Status.ACTIVE
    sources: tuple[Source, ...] = ()
    lang: str = ""
    """``zh``, ``en`` or empty."""
    valid_from: datetime
    valid_to: datetime | None = None
    superseded_by: str | None = None
    links: tuple[str, ...] = ()
    """Ids of related memories of the same owner."""
    created_at: datetime
    updated_at: datetime
    last_recalled_at: datetime | None = None
    recalls: int = 0
    expires_at: datetime | None = None
    """Retention deadline by policy; None keeps it."""
    reason: str = ""
    """Why it has its status, in a few words (e.g. why it waits in quarantine)."""
    revision: int = 0
    """Raised by the store at each write of this row; 0 while not yet stored. Compare-and-set uses it."""


Became = Literal["added", "reinforced", "superseded", "quarantined"]
"""What a fact that is told became: a new memory; one more voice for a known one; a new memory in the place of others;
one that waits for an operator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """The memory that now holds what was told, and what became of it."""

    memory: Memory
    became: Became


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Who a user is, as far as it is known: the active memories with a fixed key."""

    values: Mapping[str, JsonValue]
    """By full key, e.g. ``identity:name``; the memory's content where it has no value of its own."""
    memories: tuple[Memory, ...]
    """In the order of ``policies.ATTRIBUTES``, then by key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What an extractor proposes; ``merge`` decides what becomes of it."""

    type: str
    content: str
    key: str | None = None
    value: JsonValue = None
    importance: int = 3
    confidence: float = 0.9
    trust: Trust = Trust.USER
    seqs: tuple[int, ...]
    """Messages that ground it; at least one."""
    lang: str = ""
    op: Literal["assert", "retract", "forget"] = "assert"
    """``assert`` a fact; ``retract`` one that no longer holds ("no longer …"); ``forget``: the user asks to remove it."""
    asked: bool = False
    """True: the user asked to keep it, or has agreed to; ``active_memory`` does not ask again."""
    suspicious: str = ""
    """Non-empty: why only an operator may admit it (instruction-like content …)."""
    occurred_at: datetime | None = None
    """When the fact became true, if the words say so; else the message's time is used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """One recalled memory with its score and the terms of it."""

    memory: Memory
    score: float
    """0 to 1."""
    terms: Mapping[str, float]
    """``similarity decay confidence type``, each 0 to 1, before weighting."""
    via: Via


# --- context ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as shown to the model; ``parameters`` is a JSON schema object."""

    name: str
    description: str
    parameters: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one request by part. The six parts sum to ``total``."""

    system: int = 0
    memory: int = 0
    history: int = 0
    summary: int = 0
    tool: int = 0
    input: int = 0
    reserve: int = 0
    limit: int = 0

    @property
    def total(self) -> int:
        """Tokens sent, all parts."""
        return self.system + self.memory + self.history + self.summary + self.tool + self.input

    @property
    def ratio(self) -> float:
        """``(total + reserve) / limit``; the alarm is at 0.8."""
        return (self.total + self.reserve) / self.limit if self.limit else 0.0


StepName = Literal["fewer_memories", "fewer_turns", "summarise", "cut_tool_results", "refuse"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One rung of the ladder that was taken."""

    name: StepName
    removed: int
    """How many memories, turns or tool results it removed or shortened."""
    tokens_before: int
    tokens_after: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What a request was made of: ids only, so that the context can be rebuilt and nothing is kept twice."""

    session: str
    turn: int
    prompt_digest: str
    """SHA-256 of the host's system prompt."""
    profile: tuple[str, ...] = ()
    """Memory ids of the profile block, in order."""
    recalled: tuple[tuple[str, float, str], ...] = ()
    """(memory id, score, via) of the background block, in order."""
    summary_upto: int = 0
    """Last message ``seq`` of the summary that was sent; 0: the one a resumed session began with; -1: none was sent."""
    first_seq: int = 0
    """First message ``seq`` of the history that was sent; 0 if none."""
    cut: Mapping[int, int] = field(default_factory=dict)
    """Tool messages shortened by the ladder: seq → tokens kept."""
    notes: tuple[str, ...] = ()
    """State lines of the background block, masked."""
    tools: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    """Ids of waiting memories that the model was told to ask about."""

    @property
    def memories(self) -> tuple[str, ...]:
        """Ids of all memories that reached the model."""
        return (*self.profile, *(id for id, _, _ in self.recalled), *self.asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Everything that the model sees in one call, in OpenAI chat format."""

    messages: Sequence[Mapping[str, JsonValue]]
    """Exactly one system message, first; the current user message holds the background block, then the input."""
    tools: tuple[ToolSpec, ...]
    usage: Usage
    steps: tuple[Step, ...]
    recipe: Recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """One answer of a model."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Mapping[str, int] = field(default_factory=dict)
    """As the provider reports it, e.g. ``input_tokens``; may be empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What ``chat`` returns."""

    text: str
    session_id: str
    turn_id: str
    request_id: str
    created: bool
    """True if this call opened the session."""
    resumed_from: str | None
    usage: Usage
    recalled: tuple[Recalled, ...] = ()
    steps: tuple[Step, ...] = ()
    replayed: bool = False
    """True if an earlier call with the same idempotency key made this answer."""
    interrupted: bool = False
    """True if the caller left while the answer was being told: it ends where it was left."""


# --- jobs -------------------------------------------------------------------------------------------------------


class JobStatus(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    DEAD = "dead"


class JobKind(StrEnum):
    SEDIMENT = "sediment"
    COMPACT = "compact"
    EMBED = "embed"
    REFLECT = "reflect"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Work that was enqueued in the commit of the turn that needs it. Carries ids, never text."""

    id: str
    scope: Scope
    kind: JobKind
    subject: str
    """What it works on: a session id, or ``memories`` for all that is known of the owner. Two jobs of one kind and subject never run at once."""
    status: JobStatus = JobStatus.PENDING
    attempts: int = 0
    run_at: datetime
    created_at: datetime
    finished_at: datetime | None = None
    lease_until: datetime | None = None
    error: str = ""
    """Code and first line of the last failure; no user content."""


class WorkerRole(StrEnum):
    """What kind of process runs jobs: the service, a worker beside it, or a host's own process."""

    SERVE = "serve"
    WORKER = "worker"
    LIBRARY = "library"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerBeat:
    """The last sign of life of a process that runs jobs."""

    holder: str
    """Names the process, as in its leases."""
    role: WorkerRole
    started_at: datetime
    beat_at: datetime
    until: datetime
    """It is missing if there is no further beat by then."""
    running: int = 0
    """Jobs that it was running."""
    is_missing: bool = False
    """Whether ``until`` had passed when this was read; stores compute it."""


Outcome = Literal["written", "nothing", "partial", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """The stored outcome of one extraction pass over one range of messages."""

    session: str
    first_seq: int
    last_seq: int
    outcome: Outcome
    extractor: str
    model: str = ""
    """The chat model that was asked; empty: none was."""
    written: int = 0
    reinforced: int = 0
    superseded: int = 0
    quarantined: int = 0
    skipped: int = 0
    tokens: int = 0
    duration_ms: float = 0.0
    reasons: tuple[str, ...] = ()
    time: datetime
