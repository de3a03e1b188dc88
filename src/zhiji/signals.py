"""Every signal that zhiji gives, by name: metrics with their labels and buckets, spans, attributes. Tables, nothing else.

A row here is all that a new one needs; the reference is generated from it. Labels take few values, never a user, a session
or words; attributes are ids, codes and numbers. How signals are given is said in ``telemetry``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, get_args

from zhiji.types import JobKind, Outcome, StepName, Via

Kind = Literal["counter", "gauge", "histogram"]

ANY: tuple[str, ...] = ()
"""A label whose values are not listed here, but few all the same: a host's tools, our routes, the codes of errors."""

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
TOKENS = tuple(float(64 * 2**power) for power in range(12))
"""64 to 131,072."""
RATIOS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""0.8 is where the alarm is."""

USAGE_PARTS = ("system", "memory", "history", "summary", "tool", "input", "total")
"""Fields of ``types.Usage`` that are observed of each request."""
PATH = ("restore", "recall", "assemble", "complete", "advance", "save", "reply")
CHANGES = ("written", "reinforced", "superseded", "quarantined", "skipped")
"""Fields of ``types.Extraction`` that count memories."""
Use = Literal["turn", "extract", "summarise", "compare", "reflect"]
"""What a model is asked for."""
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "other")


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One metric: ``zhiji_<noun>_<unit>``, a counter's name followed by ``_total``."""

    name: str
    kind: Kind
    help: str
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Each label with every value that it may take, or ``ANY``."""
    buckets: tuple[float, ...] = ()
    """Upper bounds of a histogram, in its unit."""

    @property
    def unit(self) -> str:
        """What is counted or measured."""
        return self.name.removesuffix("_total").rpartition("_")[2]

    @property
    def is_closed(self) -> bool:
        """Whether the values of all labels are listed."""
        return all(self.labels.values())


def _counter(name: str, help: str, **labels: tuple[str, ...]) -> Metric:
    return Metric(name=name, kind="counter", help=help, labels=labels)


def _gauge(name: str, help: str, **labels: tuple[str, ...]) -> Metric:
    return Metric(name=name, kind="gauge", help=help, labels=labels)


def _histogram(name: str, buckets: tuple[float, ...], help: str, **labels: tuple[str, ...]) -> Metric:
    return Metric(name=name, kind="histogram", help=help, labels=labels, buckets=buckets)


METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        metric.name: metric
        for metric in (
            _counter("zhiji_turns_total", "Turns: `ok`, `replayed` (a retry), or the code of the error.", outcome=ANY),
            _counter(
                "zhiji_limited_total", "Turns refused by a quota, of the user or the tenant.", of=("user", "tenant")
            ),
            _histogram("zhiji_turn_seconds", SECONDS, "Whole turns, the model's time included."),
            _histogram(
                "zhiji_step_seconds",
                SECONDS,
                "Steps of the path; `complete` includes the model, the tools and `assemble`.",
                step=PATH,
            ),
            _histogram(
                "zhiji_context_tokens",
                TOKENS,
                "Tokens of each request to the model by part; a turn with tools has several requests.",
                part=USAGE_PARTS,
            ),
            _histogram(
                "zhiji_context_ratio", RATIOS, "Share of the window that each request fills, reply reserve included."
            ),
            _counter("zhiji_context_alarms_total", "Requests above 80 % of the window."),
            _counter("zhiji_context_overflows_total", "Requests that the endpoint refused for their length."),
            _counter("zhiji_context_truncations_total", "Requests that the endpoint cut short without saying so."),
            _counter("zhiji_ladder_steps_total", "Rungs of the ladder that were taken.", step=get_args(StepName)),
            _histogram("zhiji_recall_seconds", SECONDS, "Recalls, in turns and by themselves."),
            _counter("zhiji_recall_memories_total", "Memories recalled, by the arm that found them.", via=tuple(Via)),
            _counter(
                "zhiji_model_calls_total", "Model calls: `ok` or the code of the error.", use=get_args(Use), outcome=ANY
            ),
            _histogram("zhiji_model_seconds", SECONDS, "Model calls.", use=get_args(Use)),
            _counter(
                "zhiji_model_tokens_total",
                "Tokens as the provider reports them.",
                use=get_args(Use),
                kind=("input", "output"),
            ),
            _counter(
                "zhiji_tool_calls_total",
                "Tool calls: `ok`, `recorded` (not run again), or what failed. A name that is no tool is `unknown`.",
                tool=ANY,
                outcome=ANY,
            ),
            _histogram("zhiji_tool_seconds", SECONDS, "Tool calls.", tool=ANY),
            _counter("zhiji_extractions_total", "Extraction passes.", outcome=get_args(Outcome)),
            _histogram("zhiji_extraction_seconds", SECONDS, "Extraction passes, from reading to commit."),
            _counter(
                "zhiji_memory_changes_total",
                "What became of drafted memories.",
                change=CHANGES,
            ),
            _counter("zhiji_forgotten_total", "Memories that upkeep put away.", fate=("archived", "deleted")),
            _counter("zhiji_compactions_total", "Summaries of sessions.", outcome=("written", "skipped")),
            _counter(
                "zhiji_jobs_total",
                "Runs of jobs by this process: `ok`, `retried`, `dead`, or the code that kept it from being reported.",
                kind=tuple(JobKind),
                outcome=ANY,
            ),
            _histogram("zhiji_job_seconds", SECONDS, "Runs of jobs by this process.", kind=tuple(JobKind)),
            _gauge("zhiji_job_age_seconds", "How long the oldest unfinished job has been due; 0: none is."),
            _gauge("zhiji_queue_jobs", "Jobs that are due or running."),
            _gauge(
                "zhiji_worker_processes",
                "Processes that run jobs, by whether they are heard of.",
                state=("alive", "missing"),
            ),
            _counter(
                "zhiji_live_sessions_total",
                "Turns begun with Redis set up: history from there (`hit`), not there (`miss`), there but old (`stale`), Redis "
                "away (`degraded`), or still busy (`refused`).",
                outcome=("hit", "miss", "stale", "degraded", "refused"),
            ),
            _counter(
                "zhiji_redis_failures_total",
                "Calls of Redis that failed, attempts to reach it included.",
                reason=("timeout", "unreachable", "forbidden", "full", "read_only", "other"),
            ),
            _gauge("zhiji_redis_up", "1 while Redis is used; 0 while it fails, and without one."),
            _counter("zhiji_embedder_failures_total", "Calls of the embedder that failed.", use=("query", "passages")),
            _histogram("zhiji_embedder_seconds", SECONDS, "Calls of the embedder.", use=("query", "passages")),
            _counter(
                "zhiji_http_requests_total",
                "Requests answered, by the template of the route; `none` is no route of ours.",
                method=METHODS,
                route=ANY,
                status=ANY,
            ),
            _histogram("zhiji_http_seconds", SECONDS, "Requests until their last byte.", method=METHODS, route=ANY),
            _gauge("zhiji_http_connections", "Open streams.", kind=("sse", "websocket")),
        )
    }
)

SPANS: Mapping[str, str] = MappingProxyType(
    {
        "zhiji.http": "One request to the service; continues the trace of its `traceparent` header.",
        "zhiji.turn": "One turn, by `chat` or by `turn`.",
        **{f"zhiji.{step}": f"Step {number} of the path." for number, step in enumerate(PATH, 1)},
        "zhiji.model": "One call of a model.",
        "zhiji.tool": "One call of a tool.",
        "zhiji.job": "One run of a job.",
        "zhiji.extract": "Turns are read and memories drafted.",
        "zhiji.consolidate": "What becomes of the drafts is decided.",
        "zhiji.write": "Memories, outcome and watermark are committed.",
    }
)

ATTRIBUTES: Mapping[str, str] = MappingProxyType(
    {
        "session": "Id of the session.",
        "turn": "Id of the turn.",
        "request": "Id of the request, for `zj.context`.",
        "job": "Id of the job.",
        "kind": "Kind of the job.",
        "attempt": "Run of the job, from 1.",
        "code": "Code of the error that a job's run ended with.",
        "use": "What the model was asked for.",
        "tool": "Name of the tool.",
        "round": "Round of tools, from 0.",
        "outcome": "`ok`, or what became of it instead.",
        "tokens": "Tokens of the request, all parts.",
        "limit": "Tokens of the window.",
        "input_tokens": "As the provider reports them.",
        "output_tokens": "As the provider reports them.",
        "recalled": "Number of memories recalled.",
        "steps": "Number of the ladder's rungs taken.",
        "messages": "Number of messages.",
        "drafts": "Number of drafted memories.",
        "written": "Number of memories written.",
        "method": "HTTP method.",
        "route": "Template of the route.",
        "status": "HTTP status.",
    }
)
"""Each is exported as ``zhiji.<name>``; the code of an error as ``error.type``."""
