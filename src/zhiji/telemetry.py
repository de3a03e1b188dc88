"""What zhiji tells about itself: counts, times and spans, each by its name in the tables of ``signals``.

A step says ``telemetry.count(…)``, ``.observe(…)``, ``with telemetry.span(…)``. What is counted stays in this process
until somebody asks (``server.metrics``); spans go to a ``Tracer`` (``tracing``), or nowhere. This module imports neither
prometheus_client nor opentelemetry.

Invariant: telemetry that fails warns, which is an error in tests, and never fails what it watches.
"""

from __future__ import annotations

import asyncio
import functools
import time
import warnings
from bisect import bisect_left
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Concatenate, Literal, ParamSpec, Protocol, Self, TypeVar

from zhiji.errors import ZhijiError
from zhiji.signals import ATTRIBUTES, METRICS, SPANS

_P = ParamSpec("_P")
_T = TypeVar("_T")

Noun = Literal["turn", "model", "tool", "job"]
Attribute = str | int | float
"""An id, a code or a number; never words."""
Labels = tuple[str, ...]
"""Values in the order of ``Metric.labels``."""


class Span(Protocol):
    """An open span; leaving it ends it, with the error's code if it is left by one."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def fail(self, code: str) -> None:
        """The span ends as failed, although no error leaves it."""
        ...


class Tracer(Protocol):
    """Makes spans; its spans never raise."""

    def span(self, name: str, attributes: Mapping[str, Attribute], traceparent: str | None) -> Span:
        """Return a span that begins, and is the current one, when it is entered.

        ``traceparent``: for the span of a request from outside, what that said of its trace, perhaps nothing.
        """
        ...

    def mark(self, attributes: Mapping[str, Attribute]) -> None:
        """The current span has these attributes."""
        ...


class _Nowhere:
    """The span of whoever does not trace."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *left: object) -> None: ...

    def fail(self, code: str) -> None: ...


_NOWHERE = _Nowhere()


@dataclass(slots=True)
class Histogram:
    """What was observed under one set of labels."""

    counts: list[int]
    """By bucket, not cumulative; the last is above every bound."""
    sum: float = 0.0

    @property
    def count(self) -> int:
        """How many observations there were."""
        return sum(self.counts)


class Telemetry:
    """What one open zhiji tells. Written by its event loop, may be read by any thread."""

    def __init__(self, tracer: Tracer | None = None) -> None:
        """``tracer`` None: spans go nowhere."""
        self._tracer = tracer
        self._numbers: dict[str, dict[Labels, float]] = {name: {} for name in METRICS}
        self._histograms: dict[str, dict[Labels, Histogram]] = {name: {} for name in METRICS}

    def count(self, name: str, by: float = 1, /, **labels: str) -> None:
        """The counter or gauge is ``by`` higher."""
        if (key := _key(name, labels)) is not None:
            series = self._numbers[name]
            series[key] = series.get(key, 0) + by

    def set(self, name: str, value: float, /, **labels: str) -> None:
        """The gauge has this value."""
        if (key := _key(name, labels)) is not None:
            self._numbers[name][key] = value

    def observe(self, name: str, value: float, /, **labels: str) -> None:
        """The histogram has one observation more."""
        if (key := _key(name, labels)) is None:
            return
        buckets = METRICS[name].buckets
        found = self._histograms[name].get(key)
        if found is None:
            found = self._histograms[name][key] = Histogram([0] * (len(buckets) + 1))
        found.counts[bisect_left(buckets, value)] += 1
        found.sum += value

    def span(self, name: str, /, *, traceparent: str | None = None, **attributes: Attribute) -> Span:
        """Return a span for a ``with``; it is the parent of those opened inside. ``traceparent``: see ``Tracer``."""
        if self._tracer is None:
            return _NOWHERE
        return self._tracer.span(_known(name, SPANS), _told(attributes), traceparent)

    def mark(self, **attributes: Attribute) -> None:
        """The span that is open has these attributes, names of ``ATTRIBUTES``."""
        if self._tracer is not None:
            self._tracer.mark(_told(attributes))

    def timed(self, name: str, span: Span = _NOWHERE, **labels: str) -> _Timed:
        """Return a block whose seconds are observed, however it ends."""
        return _Timed(self, name, labels, span)

    def step(self, step: str) -> _Timed:
        """Return a block that is one step of the path."""
        return _Timed(self, "zhiji_step_seconds", {"step": step}, self.span(f"zhiji.{step}"))

    def work(self, noun: Noun, **labels: str) -> Work:
        """Return a block whose outcome is counted, whose seconds are observed, and which is a span."""
        return Work(self, noun, labels, self.span(f"zhiji.{noun}", **labels))

    # -- reading --

    def value(self, name: str, **labels: str) -> float:
        """Return a counter or gauge, or the sum of a histogram, over all series that have these labels."""
        return sum(series.sum if isinstance(series, Histogram) else series for series in self._matching(name, labels))

    def observations(self, name: str, **labels: str) -> int:
        """Return how often a histogram was observed, over all series that have these labels."""
        return sum(series.count for series in self._matching(name, labels) if isinstance(series, Histogram))

    def _matching(self, name: str, labels: Mapping[str, str]) -> Iterable[float | Histogram]:
        wanted = [(list(METRICS[name].labels).index(label), value) for label, value in labels.items()]
        found: list[tuple[Labels, float | Histogram]] = [*self.numbers(name), *self.histograms(name)]
        return [series for key, series in found if all(key[at] == value for at, value in wanted)]

    def numbers(self, name: str) -> list[tuple[Labels, float]]:
        """Return the series of a counter or gauge."""
        return list(self._numbers[name].items())

    def histograms(self, name: str) -> list[tuple[Labels, Histogram]]:
        """Return the series of a histogram."""
        return list(self._histograms[name].items())


def _key(name: str, labels: Mapping[str, str]) -> Labels | None:
    """Return the values of the labels in the order of the table; None, with a warning, if the table has no such series."""
    try:
        return _checked(name, tuple(labels.items()))
    except LookupError as error:
        _refused(str(error))
        return None


@functools.lru_cache(maxsize=4096)  # a turn tells some thirty things
def _checked(name: str, given: tuple[tuple[str, str], ...]) -> Labels:
    metric, labels = METRICS.get(name), dict(given)
    if metric is None or metric.labels.keys() != labels.keys():
        raise LookupError(f"there is no metric {name} with the labels {sorted(labels)}")
    for label, allowed in metric.labels.items():
        if allowed and labels[label] not in allowed:
            raise LookupError(f"{name} has no series of this {label}")
    return tuple(labels[label] for label in metric.labels)


def _known(name: str, table: Mapping[str, str]) -> str:
    if name not in table:
        _refused(f"{name} stands in no table")
    return name


def _told(attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
    return {_known(name, ATTRIBUTES): value for name, value in attributes.items()}


def _refused(why: str) -> None:
    warnings.warn(f"telemetry: {why}; correct zhiji.signals or its caller", RuntimeWarning, stacklevel=4)


def code_of(error: BaseException) -> str:
    """Return the code of one of our errors; ``cancelled`` or ``unexpected`` of others, whose names are not ours."""
    if isinstance(error, ZhijiError):
        return error.code
    return "cancelled" if isinstance(error, asyncio.CancelledError) else "unexpected"


class _Timed(AbstractContextManager["_Timed"]):
    """A block whose seconds are observed; inside its span, if it has one."""

    __slots__ = ("_labels", "_seconds", "_span", "_started", "_telemetry")

    def __init__(self, telemetry: Telemetry, seconds: str, labels: Mapping[str, str], span: Span) -> None:
        self._telemetry = telemetry
        self._seconds = seconds
        self._labels = labels
        self._span = span

    def __enter__(self) -> Self:
        self._span.__enter__()
        self._started = time.perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._telemetry.observe(self._seconds, time.perf_counter() - self._started, **self._labels)
        self._span.__exit__(kind, error, trace)


class Work(_Timed):
    """A block that ends in an outcome: ``ok``, the code of the error that leaves it, or what ``end`` said."""

    __slots__ = ("_counter", "_outcome")

    def __init__(self, telemetry: Telemetry, noun: Noun, labels: Mapping[str, str], span: Span) -> None:
        """See ``Telemetry.work``."""
        super().__init__(telemetry, f"zhiji_{noun}_seconds", labels, span)
        self._counter = _COUNTERS[noun]
        self._outcome = "ok"

    def end(self, outcome: str, *, failed: bool = False) -> None:
        """The work ended so; ``failed`` marks its span although no error leaves it."""
        self._outcome = outcome
        if failed:
            self._span.fail(outcome)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._outcome = code_of(error)
        self._telemetry.mark(outcome=self._outcome)
        self._telemetry.count(self._counter, **self._labels, outcome=self._outcome)
        super().__exit__(kind, error, trace)


_COUNTERS: Mapping[Noun, str] = {
    "turn": "zhiji_turns_total",
    "model": "zhiji_model_calls_total",
    "tool": "zhiji_tool_calls_total",
    "job": "zhiji_jobs_total",
}


class Observed(Protocol):
    """What has a telemetry: the parts."""

    @property
    def telemetry(self) -> Telemetry: ...


_Parts = TypeVar("_Parts", bound=Observed)


def traced(
    step: str,
) -> Callable[[Callable[Concatenate[_Parts, _P], Awaitable[_T]]], Callable[Concatenate[_Parts, _P], Awaitable[_T]]]:
    """Decorator: the function, whose first argument is the parts, is this step of the path."""

    def decorate(
        function: Callable[Concatenate[_Parts, _P], Awaitable[_T]],
    ) -> Callable[Concatenate[_Parts, _P], Awaitable[_T]]:
        @functools.wraps(function)
        async def run(parts: _Parts, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
            with parts.telemetry.step(step):
                return await function(parts, *args, **kwargs)

        return run

    return decorate
