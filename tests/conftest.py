"""What holds for every test, and the spans that some look at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

settings.register_profile("zhiji", deadline=None)  # how long an example takes is the machine's business
settings.load_profile("zhiji")


@pytest.fixture
def provider() -> Iterator[TracerProvider]:
    """A provider of OpenTelemetry that keeps its spans in memory."""
    from opentelemetry.sdk.trace import TracerProvider

    made = TracerProvider(shutdown_on_exit=False)
    yield made
    made.shutdown()


@pytest.fixture
def spans(provider: TracerProvider) -> InMemorySpanExporter:
    """The spans that ended."""
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return exporter
