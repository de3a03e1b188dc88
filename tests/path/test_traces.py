"""Traces of turns and jobs by OpenTelemetry: the shape of the tree, the ids in it, and no words anywhere."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from talk import Open, Scripted, call, fact
from zhiji import Settings, Zhiji, blocking, tracing
from zhiji.errors import ConfigError, ExtractionFailed, ModelError
from zhiji.signals import SPANS
from zhiji.types import Completion

STEPS = ["restore", "recall", "complete", "advance", "save", "reply"]
"""The children of a turn, in order; ``assemble`` is inside ``complete``, once for each request."""


def named(spans: InMemorySpanExporter, name: str) -> list[ReadableSpan]:
    """The spans of this name, in the order of their beginning."""
    found = [span for span in spans.get_finished_spans() if span.name == f"zhiji.{name}"]
    return sorted(found, key=lambda span: span.start_time or 0)


def children(spans: InMemorySpanExporter, parent: ReadableSpan) -> list[str]:
    """The names of a span's children, in the order of their beginning."""
    found = [
        span
        for span in spans.get_finished_spans()
        if span.parent is not None and span.parent.span_id == parent.context.span_id
    ]
    return [span.name.removeprefix("zhiji.") for span in sorted(found, key=lambda span: span.start_time or 0)]


def told(span: ReadableSpan) -> dict[str, Any]:
    """The attributes of a span without their prefix."""
    return {name.removeprefix("zhiji."): value for name, value in (span.attributes or {}).items()}


def written(spans: InMemorySpanExporter) -> str:
    """Everything that an exporter would see of the spans, as it was said."""
    return json.dumps([json.loads(span.to_json()) for span in spans.get_finished_spans()], ensure_ascii=False)


async def test_a_turn_is_a_tree_of_its_steps(
    open_zhiji: Open, provider: TracerProvider, spans: InMemorySpanExporter
) -> None:
    """The seven steps are under the turn, in their order, with requests, model and tool calls under `complete`."""
    async with open_zhiji(call("status"), "已发货", tracer=tracing.tracer(provider)) as zj:

        @zj.tool()
        def status() -> str:
            """Return the status."""
            return "shipped"

        reply = await zj.chat("u1", "到哪了")
    (turn,) = named(spans, "turn")
    assert children(spans, turn) == STEPS
    assert children(spans, named(spans, "complete")[0]) == ["assemble", "model", "tool", "assemble", "model"]
    attributes = told(turn)
    assert attributes == {
        "session": reply.session_id,
        "turn": reply.turn_id,
        "request": reply.request_id,
        "outcome": "ok",
    }
    assert told(named(spans, "assemble")[-1])["tokens"] == reply.usage.total
    assert {name: told(named(spans, "tool")[0])[name] for name in ("tool", "outcome")} == {
        "tool": "status",
        "outcome": "ok",
    }


async def test_the_hosts_model_call_is_inside_the_turn(
    open_zhiji: Open, provider: TracerProvider, spans: InMemorySpanExporter
) -> None:
    """A span that the host opens inside `zj.turn` is a child of the turn, and the turn one of the host's span."""
    host = provider.get_tracer("host")
    async with open_zhiji(tracer=tracing.tracer(provider)) as zj:
        with host.start_as_current_span("request"):
            async with zj.turn("u1", "你好") as turn:
                with host.start_as_current_span("zhiji.own"):
                    turn.reply = "你好"
    (span,) = named(spans, "turn")
    assert children(spans, span) == ["restore", "recall", "assemble", "own", "advance", "save", "reply"]
    (request,) = [each for each in spans.get_finished_spans() if each.name == "request"]
    assert children(spans, request) == ["turn"]


async def test_a_failed_turn_says_its_code_only(
    open_zhiji: Open, provider: TracerProvider, spans: InMemorySpanExporter
) -> None:
    """The error's code is status and attribute of every span that it leaves; its text and trace are nowhere."""
    async with open_zhiji(RuntimeError("李四的密码"), tracer=tracing.tracer(provider)) as zj:
        with pytest.raises(ModelError):
            await zj.chat("u1", "你好")
    for name in ("turn", "complete", "model"):
        (span,) = named(spans, name)
        assert span.status.is_ok is False
        assert (span.status.description, told(span)["error.type"]) == ("model_error", "model_error")
        assert not span.events
    assert "李四" not in written(spans)


async def test_a_job_is_traced_with_what_it_did(
    open_zhiji: Open, provider: TracerProvider, spans: InMemorySpanExporter
) -> None:
    """A job's run is a trace of its own with id, kind, attempt, and the passes under it; a failed one says its code."""
    extractor = Scripted(ExtractionFailed(), [fact("用户叫李四", key="identity:name")])
    async with open_zhiji("好", extractor_object=extractor, tracer=tracing.tracer(provider)) as zj:
        await zj.chat("u1", "我叫李四")
        with provider.get_tracer("host").start_as_current_span("draining"):
            await zj.drain()
        (job,) = await zj.jobs.list()
    failed, done = named(spans, "job")
    assert failed.parent is None
    assert done.parent is None
    assert [told(span)["job"] for span in (failed, done)] == [job.id, job.id]
    assert [(told(span)["attempt"], told(span)["outcome"]) for span in (failed, done)] == [(1, "retried"), (2, "ok")]
    assert (told(failed)["code"], failed.status.is_ok, told(done)["kind"]) == ("extraction_failed", False, "sediment")
    assert children(spans, failed) == ["extract"]
    assert children(spans, done) == ["extract", "consolidate", "write"]
    assert told(named(spans, "write")[-1])["written"] == 1


async def test_no_span_holds_a_word_or_a_name(
    open_zhiji: Open, provider: TracerProvider, spans: InMemorySpanExporter
) -> None:
    """Neither the user nor what was said, answered, remembered, asked of a tool or raised by it is in any span."""
    marks = ("张伟", "zhang@example.com", "OD20240415008", "文三路", "ｆｕｌｌ宽", "🍵", "jasmine", "Zebra")
    answers = [call("find", json.dumps({"what": "jasmine OD20240415008"})), "退货地址是文三路 18 号 🍵", "Zebra ok"]
    async with open_zhiji(*answers, tracer=tracing.tracer(provider)) as zj:

        @zj.tool()
        def find(what: str) -> str:
            """Find something."""
            raise RuntimeError(f"no {what}")

        user = "zhang@example.com"
        session = (await zj.chat(user, "我叫张伟，订单 OD20240415008 要退货，ｆｕｌｌ宽 🍵")).session_id
        await zj.drain()
        await zj.chat(user, "My Zebra likes jasmine", session=session)
        await zj.drain()
        assert await zj.memories.list(user)
    assert "zhiji.write" in written(spans)
    assert [mark for mark in marks if mark in written(spans)] == []


async def test_every_span_stands_in_the_table(
    open_zhiji: Open, provider: TracerProvider, spans: InMemorySpanExporter
) -> None:
    """What is traced is what the reference lists."""
    async with open_zhiji("好", tracer=tracing.tracer(provider)) as zj:
        await zj.chat("u1", "你好")
        await zj.drain()
    assert {span.name for span in spans.get_finished_spans()} == set(SPANS) - {"zhiji.http", "zhiji.tool"}


class Broken(SpanProcessor):
    """A host's processor that always fails."""

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        raise RuntimeError("broken")

    def on_end(self, span: ReadableSpan) -> None:
        raise RuntimeError("broken")


async def test_tracing_that_fails_fails_no_turn(open_zhiji: Open, provider: TracerProvider) -> None:
    """With a span processor that raises, turns are answered and jobs done."""
    provider.add_span_processor(Broken())
    async with open_zhiji("好", tracer=tracing.tracer(provider)) as zj:
        assert (await zj.chat("u1", "你好")).text == "好"
        await zj.drain()
        assert not await zj.jobs.list(statuses=["dead"])


async def test_the_setting_uses_the_hosts_provider(open_zhiji: Open) -> None:
    """With `tracing` on and a host that set no provider, turns go on and nothing is sent anywhere."""
    async with open_zhiji("好", tracing=True) as zj:
        assert (await zj.chat("u1", "你好")).text == "好"


async def test_tracing_without_opentelemetry_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The setting without the package is an error that names the extra, when zhiji is opened."""
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(ConfigError, match=r"zhiji\[otel\]"):
        async with Zhiji.open(Settings.load(database_url="sqlite:///:memory:", tracing=True)):
            raise AssertionError
    with pytest.raises(ConfigError, match=r"zhiji\[otel\]"), tracing.exporting(Settings.load(tracing=True)):
        raise AssertionError


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sequence[tuple[str, bytes]]]:
    """What a collector of OTLP over HTTP on loopback was sent: path and body."""
    received: list[tuple[str, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
        yield received
        server.shutdown()
        thread.join()


async def test_a_process_of_ours_sends_where_the_variables_say(
    open_zhiji: Open, collector: Sequence[tuple[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the end of `exporting` all spans are at the endpoint of `OTEL_EXPORTER_OTLP_ENDPOINT`, under our name."""
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=test")
    with tracing.exporting(Settings.load(tracing=True)) as tracer:
        async with open_zhiji(Completion(text="好"), tracer=tracer) as zj:
            await zj.chat("u1", "你好")
    assert {path for path, _ in collector} == {"/v1/traces"}
    sent = b"".join(body for _, body in collector)
    assert all(f"zhiji.{step}".encode() in sent for step in STEPS)
    assert b"deployment.environment" in sent


async def test_nothing_is_sent_unasked(open_zhiji: Open, collector: Sequence[tuple[str, bytes]]) -> None:
    """Without the setting there is no tracer, whatever the variables of OpenTelemetry say."""
    with tracing.exporting(Settings.load()) as tracer:
        async with open_zhiji(Completion(text="好"), tracer=tracer) as zj:
            await zj.chat("u1", "你好")
    assert tracer is None
    assert not collector


@pytest.mark.filterwarnings("error")
def test_a_turn_without_await_is_traced_whole(
    tmp_path: Path, provider: TracerProvider, spans: InMemorySpanExporter, caplog: pytest.LogCaptureFixture
) -> None:
    """The steps before and after the block of a blocking turn are children of one span, which ends without complaint."""
    settings = Settings.load(database_url=f"sqlite:///{tmp_path / 'z.db'}", embedder="off", worker=False)
    with blocking.Zhiji.open(settings, tracer=tracing.tracer(provider)) as zj:
        with zj.turn("u1", "hi") as turn:
            turn.reply = "ok"
        with pytest.raises(KeyError), zj.turn("u1", "hi"):
            raise KeyError
    first, second = (children(spans, one) for one in named(spans, "turn"))
    assert first == ["restore", "recall", "assemble", "advance", "save", "reply"]
    assert second == ["restore", "recall", "assemble"]
    assert [record.message for record in caplog.records if record.name.startswith("opentelemetry")] == []
