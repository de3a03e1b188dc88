"""``GET /metrics``: Prometheus' format, figures that are those of the replies, HTTP itself, and no words anywhere."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client.parser import text_string_to_metric_families
from starlette.types import Message, Receive, Scope, Send
from websockets.asyncio.client import connect

from server.conftest import OpenService, Start
from server.service import AUTH, TOKEN, Service, is_problem
from talk import Open
from zhiji import Settings, Zhiji, tracing
from zhiji.errors import ModelUnavailable
from zhiji.server.aside import exposed
from zhiji.server.metrics import Measured, exposition
from zhiji.signals import METRICS, USAGE_PARTS
from zhiji.testing import FrozenClock, ScriptedModel
from zhiji.types import Completion

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def parsed(text: str) -> Samples:
    """Every sample by name and labels."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def scraped(service: Service) -> Samples:
    """What a scrape of the service shows."""
    answer = await service.client.get("/metrics")
    assert answer.status_code == 200, answer.text
    return parsed(answer.text)


def value(samples: Samples, name: str, **labels: str) -> float:
    """One sample."""
    return samples[name, frozenset(labels.items())]


async def test_the_figures_are_those_of_the_replies(open_service: OpenService) -> None:
    """After a conversation each part's sum is that of the usage replied, counted once a request (M32)."""
    async with open_service("好", "文三路", "Sure") as service:
        first = await service.chat("我叫李四，订单 OD20240415008 想退货")
        await service.zj.drain()
        replies = [
            first,
            await service.chat("退货地址是什么", session_id=first["session_id"]),
            await service.chat("hello", user="u2"),
        ]
        samples = await scraped(service)
        for part in USAGE_PARTS:
            told = sum(reply["usage"][part] for reply in replies)
            assert value(samples, "zhiji_context_tokens_sum", part=part) == told
            assert value(samples, "zhiji_context_tokens_count", part=part) == 3
        assert value(samples, "zhiji_context_ratio_sum") == pytest.approx(
            sum(reply["usage"]["ratio"] for reply in replies), abs=1e-3
        )
        assert value(samples, "zhiji_extractions_total", outcome="written") == 1
        assert value(samples, "zhiji_turns_total", outcome="ok") == 3


async def test_every_metric_of_the_table_is_shown(service: Service) -> None:
    """Each is there from the start, with a zero where its series are known beforehand, in the format of its kind."""
    answer = await service.client.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    families = {family.name: family for family in text_string_to_metric_families(answer.text)}
    for metric in METRICS.values():
        family = families[metric.name.removesuffix("_total")]
        assert (family.type, family.documentation) == (metric.kind, metric.help)
        assert family.samples or not metric.is_closed
    assert families["process_resident_memory_bytes"].samples


async def test_buckets_are_cumulative(open_service: OpenService) -> None:
    """A request above 80 % is in the buckets from 0.9 on and raises the alarm; +Inf is the count."""
    async with open_service("好", "好", max_context_tokens=1000, reply_reserve_tokens=500) as service:
        await service.chat("短")
        full = await service.chat("长句子" * 100)
        assert 0.8 < full["usage"]["ratio"] <= 0.9
        samples = await scraped(service)
        counts = [value(samples, "zhiji_context_ratio_bucket", le=le) for le in ("0.5", "0.8", "0.9", "1", "+Inf")]
        assert counts == [0, 1, 2, 2, 2]
        assert value(samples, "zhiji_context_alarms_total") == 1


async def test_the_age_of_the_queue_is_read_at_the_scrape(open_service: OpenService) -> None:
    """With the worker paused each scrape shows how long the oldest job has been due by then."""
    async with open_service("好") as service:
        await service.chat("你好")
        for _ in range(2):
            before = value(await scraped(service), "zhiji_job_age_seconds")
            service.clock.advance(timedelta(seconds=45))
            assert value(await scraped(service), "zhiji_job_age_seconds") == before + 45
        assert value(await scraped(service), "zhiji_queue_jobs") == 1


async def test_metrics_need_the_token(service: Service) -> None:
    """Without the token there are no metrics; the refusal is counted."""
    answer = await service.client.get("/metrics", headers={"Authorization": ""})
    assert is_problem(answer, 401, "unauthorized")
    told = await scraped(service)
    assert value(told, "zhiji_http_requests_total", method="GET", route="none", status="401") == 1


async def test_requests_are_counted_by_template(open_service: OpenService) -> None:
    """Whatever ids and paths clients send, the labels are our templates, statuses and known methods."""
    async with open_service("好", ModelUnavailable()) as service:
        client = service.client
        await service.chat("你好", user="李四")
        await client.post("/v1/chat", json={"user_id": "u1", "message": "再来"})
        await client.get("/v1/users/李四/memories/mem_x")
        await client.get("/v1/users/王五/memories/mem_y")
        for path in ("/张三", "/admin.php", "/v1/users"):
            await client.get(path)
        await client.request("BREW", "/chat")
        samples = await scraped(service)
        counted = {
            (labels["method"], labels["route"], labels["status"]): number
            for (name, pairs), number in samples.items()
            if name == "zhiji_http_requests_total" and (labels := dict(pairs))
        }
        assert counted[("POST", "/v1/chat", "200")] == 1
        assert counted[("POST", "/v1/chat", "502")] == 1
        assert counted[("GET", "/v1/users/{user}/memories/{memory}", "404")] == 2
        assert counted[("GET", "none", "404")] == 3
        assert {method for method, _, _ in counted} == {"GET", "POST", "other"}
        assert value(samples, "zhiji_http_seconds_count", method="POST", route="/v1/chat") == 2
        assert value(samples, "zhiji_turns_total", outcome="model_unavailable") == 1


class Halting:
    """A model that tells one word, and the rest once it may go on."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()

    async def __call__(self, messages: Any, tools: Any) -> Completion:
        raise AssertionError("it is asked to stream")

    async def stream(self, messages: Any, tools: Any) -> AsyncIterator[str | Completion]:
        yield "好"
        await self.go_on.wait()
        yield Completion(text="好的")


async def test_open_streams_are_counted_while_they_are_open(live: OpenService) -> None:
    """An event stream raises the gauge while the answer is told, and leaves it as it was."""
    model = Halting()
    async with live(model=model) as service:
        body = {"user_id": "u1", "message": "你好", "stream": True}
        async with service.client.stream("POST", "/v1/chat", json=body) as answer:
            assert answer.status_code == 200
            assert value(await scraped(service), "zhiji_http_connections", kind="sse") == 1
            model.go_on.set()
            await answer.aread()
        assert value(await scraped(service), "zhiji_http_connections", kind="sse") == 0


@pytest.fixture
def open_zhiji(tmp_path: Path, clock: FrozenClock) -> Open:
    """Open zhiji without a service: ``open_zhiji("hello")`` scripts the model's answers."""

    @asynccontextmanager
    async def opened(*answers: str, **settings: Any) -> AsyncIterator[Zhiji]:
        url = f"sqlite:///{tmp_path / 'own.db'}"
        values = Settings.load(**{"database_url": url, "embedder": "off", "worker": False, **settings})
        async with Zhiji.open(values, clock=clock, model=ScriptedModel(answers)) as zj:
            yield zj

    return opened


async def test_two_services_in_one_process_do_not_mix(open_service: OpenService, open_zhiji: Open) -> None:
    """Each application shows its own figures only."""
    async with open_service("好") as service, open_zhiji("好", "好") as other:
        await service.chat("你好")
        await other.chat("u1", "a")
        await other.chat("u1", "b")
        assert value(await scraped(service), "zhiji_turns_total", outcome="ok") == 1
        assert value(parsed(exposition(other.telemetry).decode()), "zhiji_turns_total", outcome="ok") == 2


# --- no words, no names ---------------------------------------------------------------------------------------------

MARKS = ("张伟", "zhang@example.com", "OD20240415008", "文三路", "ｆｕｌｌ", "🍵", "jasmine", "Zebra")


async def test_no_word_of_anybody_is_shown(
    open_service: OpenService, provider: TracerProvider, spans: InMemorySpanExporter
) -> None:
    """After turns, tools, extraction and errors in two languages no name, number or word is in the metrics or spans."""
    answers = ["退货地址是文三路 18 号 🍵", "Zebra ok", RuntimeError("jasmine 张伟")]
    async with open_service(*answers, tracer=tracing.tracer(provider)) as service:
        user = "zhang@example.com"
        first = await service.chat("我叫张伟，订单 OD20240415008 要退货，ｆｕｌｌ 🍵", user=user)
        await service.zj.drain()
        await service.chat("My Zebra likes jasmine", user=user, session_id=first["session_id"])
        await service.client.post("/v1/chat", json={"user_id": user, "message": "文三路"})
        await service.client.post("/v1/chat", json={"user_id": user, "message": "jasmine", "session_id": "Zebra"})
        await service.client.get(f"/v1/users/{user}/memories")
        await service.zj.drain()
        shown = (await service.client.get("/metrics")).text
        assert not re.search(r"(ses|trn|req|mem|job|http)_[\w-]{22}\b", shown)
    traced = json.dumps([json.loads(span.to_json()) for span in spans.get_finished_spans()], ensure_ascii=False)
    assert "zhiji.http" in traced
    for mark in MARKS:
        assert mark not in shown
        assert mark not in traced


# --- traces ---------------------------------------------------------------------------------------------------------


TRACE = "0af7651916cd43dd8448eb211c80319c"


@pytest.mark.parametrize("stream", [False, True])
async def test_a_request_continues_the_trace_of_its_client(
    live: OpenService, provider: TracerProvider, spans: InMemorySpanExporter, stream: bool
) -> None:
    """With a `traceparent` the request, its turn and its steps are in the client's trace; streamed or not."""
    async with live("好", tracer=tracing.tracer(provider)) as service:
        headers = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}
        body = {"user_id": "u1", "message": "你好", "stream": stream}
        answer = await service.client.post("/v1/chat", json=body, headers=headers)
        assert answer.status_code == 200
        await service.client.get("/healthz")
    found = {span.name: span for span in spans.get_finished_spans() if f"{span.context.trace_id:032x}" == TRACE}
    assert {"zhiji.http", "zhiji.turn", "zhiji.save"} <= set(found)
    request, turn = found["zhiji.http"], found["zhiji.turn"]
    assert request.parent is not None
    assert f"{request.parent.span_id:016x}" == "b7ad6b7169203331"
    assert turn.parent is not None
    assert turn.parent.span_id == request.context.span_id
    assert dict(request.attributes or {}) == {
        "zhiji.method": "POST",
        "zhiji.route": "/v1/chat",
        "zhiji.status": "200",
    }


@pytest.mark.parametrize("sent", ["", "garbage", "00-0-0-00", "ü", f"00-{TRACE}-b7ad6b7169203331-01-李四"])
async def test_a_broken_traceparent_begins_a_trace(
    open_service: OpenService, provider: TracerProvider, spans: InMemorySpanExporter, sent: str
) -> None:
    """Whatever the header says, the request is answered; if it makes no sense, in a trace of its own."""
    async with open_service("好", tracer=tracing.tracer(provider)) as service:
        answer = await service.client.get("/healthz", headers=[(b"traceparent", sent.encode())])
        assert answer.status_code == 200
    (request,) = [span for span in spans.get_finished_spans() if span.name == "zhiji.http"]
    assert request.parent is None


# --- beside a worker ------------------------------------------------------------------------------------------------


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def test_a_worker_shows_its_metrics_on_loopback(open_zhiji: Open) -> None:
    """With a port, `/metrics` of the process can be read with the token inside the block, and nothing else is there."""
    port, token = free_port(), TOKEN
    async with open_zhiji("好", metrics_port=port, token=token) as zj:
        await zj.chat("u1", "你好")
        await zj.drain()
        async with exposed(zj), httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=AUTH) as client:
            samples = parsed((await client.get("/metrics")).text)
            assert value(samples, "zhiji_jobs_total", kind="sediment", outcome="ok") == 1
            assert (await client.get("/metrics", headers={"Authorization": ""})).status_code == 401
            assert (await client.get("/v1/jobs")).status_code == 404
        with pytest.raises(httpx.ConnectError):
            await httpx.AsyncClient().get(f"http://127.0.0.1:{port}/metrics")


async def test_without_a_port_a_worker_shows_nothing(open_zhiji: Open) -> None:
    """The default opens no socket."""
    async with open_zhiji() as zj, exposed(zj):
        assert isinstance(zj, Zhiji)
        assert zj.settings.metrics_port == 0


def test_a_worker_process_shows_its_metrics(start: Start) -> None:
    """`zhiji worker` with `ZHIJI_METRICS_PORT` answers a scrape, and is itself among the processes that are alive."""
    port = free_port()
    worker = start("worker", env={"ZHIJI_METRICS_PORT": str(port), "ZHIJI_TOKEN": TOKEN})
    assert any("working on" in line for line in worker.lines())
    samples = parsed(httpx.get(f"http://127.0.0.1:{port}/metrics", headers=AUTH).text)
    assert value(samples, "zhiji_worker_processes", state="missing") == 0
    assert value(samples, "zhiji_job_age_seconds") == 0
    code, _ = worker.end(signal.SIGTERM)
    assert code == 0


async def test_an_open_socket_is_counted_while_it_is_open(live: OpenService) -> None:
    """A WebSocket raises the gauge until it closes, and is one request of its route with status 101."""
    async with live("好") as service:
        url = service.url.replace("http", "ws", 1) + "/v1/ws"
        async with connect(url, additional_headers=AUTH) as socket_:
            await socket_.send(json.dumps({"user_id": "u1", "message": "你好"}))
            await socket_.recv()
            assert value(await scraped(service), "zhiji_http_connections", kind="websocket") == 1
        while value(samples := await scraped(service), "zhiji_http_connections", kind="websocket"):
            await asyncio.sleep(0)
        assert value(samples, "zhiji_http_requests_total", method="GET", route="/v1/ws", status="101") == 1


async def test_a_socket_that_is_closed_before_it_is_accepted_counts_as_refused(service: Service) -> None:
    """Where the server can say nothing else, a refused WebSocket is a 403 on the wire, and one in the metrics."""

    async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "websocket.close", "code": 1008})

    sent, given = asyncio.Queue[Message](), asyncio.Queue[Message]()
    await Measured(refuse)({"type": "websocket", "app": service.app, "headers": []}, given.get, sent.put)
    assert service.zj.telemetry.value("zhiji_http_requests_total", method="GET", status="403") == 1
