"""Spans by OpenTelemetry: the only module that imports it, and only when the setting ``tracing`` is on.

A library hands its spans to the provider that its host configured; a process of our own (``exporting``) sends them where
the standard ``OTEL_*`` variables say. No span carries words: an error is told by its code, never by its text or trace.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Self

from zhiji.config import Settings
from zhiji.errors import ConfigError
from zhiji.telemetry import Attribute, code_of

if TYPE_CHECKING:
    from contextvars import Token

    from opentelemetry import context, trace

log = logging.getLogger("zhiji.tracing")

SCOPE = "zhiji"
"""Name of the instrumentation."""
PREFIX = "zhiji."
"""Of every attribute but ``error.type``."""
SERVICE = "zhiji"
"""``service.name``, unless ``OTEL_SERVICE_NAME`` or ``OTEL_RESOURCE_ATTRIBUTES`` say otherwise."""
CARRIER = "traceparent"
BORDERS = {"zhiji.http": "SERVER", "zhiji.job": "CONSUMER"}
"""Spans that come in from outside: their kind by OpenTelemetry's names. All others are ``INTERNAL``."""


def tracer(provider: trace.TracerProvider | None = None) -> OtelTracer:
    """Return a tracer of this provider; without one, of the host's global provider.

    Raises:
        ConfigError: opentelemetry is not installed.
    """
    try:
        from opentelemetry import trace
    except ImportError as error:
        raise _missing() from error
    return OtelTracer((provider or trace.get_tracer_provider()).get_tracer(SCOPE))


@contextmanager
def exporting(settings: Settings) -> Iterator[OtelTracer | None]:
    """Spans are sent by OTLP over HTTP as the ``OTEL_*`` variables say; at the end of the block all have been sent.

    Without the setting ``tracing`` there is no tracer.

    Raises:
        ConfigError: the SDK or the exporter is not installed.
    """
    if not settings.tracing:
        yield None
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import OTELResourceDetector, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise _missing() from error
    resource = Resource({"service.name": SERVICE}).merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    try:
        yield tracer(provider)
    finally:
        provider.shutdown()


def _missing() -> ConfigError:
    return ConfigError("tracing: OpenTelemetry is not installed; install zhiji[otel], or unset ZHIJI_TRACING")


class OtelTracer:
    """Makes OpenTelemetry spans, and what may go into them."""

    def __init__(self, tracer: trace.Tracer) -> None:
        self._tracer = tracer

    def span(self, name: str, attributes: Mapping[str, Attribute], traceparent: str | None) -> OtelSpan:
        """Return a span that is current while it is open; an empty or broken ``traceparent`` begins a trace."""
        return OtelSpan(self._tracer, name, _prefixed(attributes), traceparent)

    def mark(self, attributes: Mapping[str, Attribute]) -> None:
        """The current span has these attributes."""
        from opentelemetry import trace

        with _harmless():
            trace.get_current_span().set_attributes(_prefixed(attributes))


class OtelSpan:
    """One span; whatever goes wrong with it is logged and does no harm."""

    def __init__(
        self, tracer: trace.Tracer, name: str, attributes: Mapping[str, Attribute], traceparent: str | None
    ) -> None:
        """``traceparent``: what a request from outside said of its trace, perhaps nothing."""
        self._tracer = tracer
        self._name = name
        self._attributes = attributes
        self._traceparent = traceparent
        self._span: trace.Span | None = None
        self._token: Token[context.Context] | None = None

    def __enter__(self) -> Self:
        from opentelemetry import context, trace

        with _harmless():
            kind = trace.SpanKind[BORDERS.get(self._name, "INTERNAL")]
            parent = _parent(self._name, self._traceparent)
            span = self._tracer.start_span(self._name, parent, kind, self._attributes)
            self._token = context.attach(trace.set_span_in_context(span, parent))
            self._span = span
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        from opentelemetry import context

        if error is not None:
            self.fail(code_of(error))
        with _harmless():
            if self._token is not None:
                context.detach(self._token)
        with _harmless():
            if self._span is not None:
                self._span.end()

    def fail(self, code: str) -> None:
        """The span ends as failed, with this code."""
        from opentelemetry.trace import Status, StatusCode

        with _harmless():
            if self._span is not None:
                self._span.set_status(Status(StatusCode.ERROR, code))
                self._span.set_attribute("error.type", code)


def _prefixed(attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
    return {PREFIX + name: value for name, value in attributes.items()}


def _parent(name: str, traceparent: str | None) -> context.Context | None:
    """Return where a span hangs; None: below the current one, as inside of a host that traces its requests itself.

    A job begins a trace: whoever happened to wake or drain the worker is not its cause.
    """
    from opentelemetry import context, trace
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    if name == "zhiji.job":
        return context.Context()
    if not traceparent or trace.get_current_span().get_span_context().is_valid:
        return None
    return TraceContextTextMapPropagator().extract({CARRIER: traceparent})


@contextmanager
def _harmless() -> Iterator[None]:
    try:
        yield
    except Exception as error:  # noqa: BLE001 - a host's span processor may raise anything
        log.warning("tracing_failed: %s", type(error).__name__)
