"""``GET /metrics`` in Prometheus' text format, and the measuring of what goes over HTTP.

Everything is read from the one open zhiji when somebody asks; nothing is kept in prometheus_client's global registry, so
that several applications in one process do not mix.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import accumulate, product

from fastapi import APIRouter, Response
from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from zhiji.engine import Zhiji
from zhiji.server.guard import STREAM
from zhiji.server.parts import Opened
from zhiji.signals import METHODS, METRICS, Metric
from zhiji.telemetry import Histogram, Labels, Telemetry

router = APIRouter()

NO_ROUTE = "none"

# --- telling --------------------------------------------------------------------------------------------------------


@router.get("/metrics", tags=["health"], response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics(zj: Opened) -> Response:
    """Return every metric in Prometheus' text format."""
    return Response(exposition(await zj.measure()), media_type=CONTENT_TYPE_PLAIN_0_0_4)


def exposition(telemetry: Telemetry) -> bytes:
    """Return the metrics of one zhiji, and ``process_*`` of this process, in Prometheus' text format 0.0.4."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Series(telemetry))
    ProcessCollector(registry=registry)
    return generate_latest(registry)


class _Series(Collector):
    def __init__(self, telemetry: Telemetry) -> None:
        self._telemetry = telemetry

    def collect(self) -> Iterable[Family]:
        """Yield every metric of the table, also those that nothing has happened to."""
        for metric in METRICS.values():
            yield _histogram(metric, self._telemetry) if metric.buckets else _number(metric, self._telemetry)


def _number(metric: Metric, telemetry: Telemetry) -> Family:
    kind = CounterMetricFamily if metric.kind == "counter" else GaugeMetricFamily
    family = kind(metric.name, metric.help, labels=list(metric.labels))
    series = dict.fromkeys(_combinations(metric), 0.0)
    series.update(telemetry.numbers(metric.name))
    for values, number in series.items():
        family.add_metric(values, number)
    return family


def _histogram(metric: Metric, telemetry: Telemetry) -> Family:
    family = HistogramMetricFamily(metric.name, metric.help, labels=list(metric.labels))
    nothing = Histogram([0] * (len(metric.buckets) + 1))
    series = dict.fromkeys(_combinations(metric), nothing)
    series.update(telemetry.histograms(metric.name))
    bounds = [*(f"{bound:g}" for bound in metric.buckets), "+Inf"]
    for values, found in series.items():
        family.add_metric(values, list(zip(bounds, accumulate(found.counts), strict=True)), found.sum)
    return family


def _combinations(metric: Metric) -> Iterator[Labels]:
    """Yield the series that are shown before anything has happened: a rate needs a zero to begin with."""
    return product(*metric.labels.values()) if metric.is_closed else iter(())


# --- measuring ------------------------------------------------------------------------------------------------------


class Measured:
    """The outermost ASGI wrapper: counts and times each request, under the template of its route, and traces it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        zj = getattr(scope["app"].state, "zhiji", None)
        if scope["type"] not in ("http", "websocket") or not isinstance(zj, Zhiji):
            await self._app(scope, receive, send)
            return
        watch = _Watch(zj.telemetry, scope, send)
        with zj.telemetry.span("zhiji.http", traceparent=_traceparent(scope), method=watch.method):
            try:
                await self._app(scope, receive, watch.send)
            finally:
                watch.end()


class _Watch:
    """What becomes of one connection."""

    def __init__(self, telemetry: Telemetry, scope: Scope, send: Send) -> None:
        self._telemetry = telemetry
        self._scope = scope
        self._send = send
        self._started = time.perf_counter()
        self._status = "none"
        self._stream = ""
        given = scope.get("method", "GET")  # a WebSocket begins as a GET
        self.method = given if given in METHODS else "other"

    async def send(self, message: Message) -> None:
        """The message is sent; its status is known, and its stream open."""
        kind = message["type"]
        if kind in ("http.response.start", "websocket.http.response.start"):
            self._begin(str(message["status"]), "sse" if _is_stream(message) else "")
        elif kind == "websocket.accept":
            self._begin("101", "websocket")
        elif kind == "websocket.close" and self._status == "none":
            self._begin("403", "")  # what a server answers when a WebSocket is closed before it was accepted
        await self._send(message)

    def _begin(self, status: str, stream: str) -> None:
        self._status, self._stream = status, stream
        if stream:
            self._telemetry.count("zhiji_http_connections", 1, kind=stream)

    def end(self) -> None:
        """The connection is over, and counted."""
        telemetry, route = self._telemetry, getattr(self._scope.get("route"), "path", NO_ROUTE)
        if self._stream:
            telemetry.count("zhiji_http_connections", -1, kind=self._stream)
        telemetry.count("zhiji_http_requests_total", method=self.method, route=route, status=self._status)
        telemetry.observe("zhiji_http_seconds", time.perf_counter() - self._started, method=self.method, route=route)
        telemetry.mark(route=route, status=self._status)


def _is_stream(message: Message) -> bool:
    return any(
        name.lower() == b"content-type" and value.startswith(STREAM) for name, value in message.get("headers", ())
    )


def _traceparent(scope: Scope) -> str:
    found = [value for name, value in scope["headers"] if name.lower() == b"traceparent"]
    with suppress(UnicodeDecodeError):
        return found[0].decode("ascii") if len(found) == 1 else ""
    return ""
