"""What holds for every test, and the spans that some look at."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from zhiji import policies
from zhiji.testing.servers import Postgres, Valkey, postgres, valkey, valkey_cluster

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

settings.register_profile("zhiji", deadline=None)  # how long an example takes is the machine's business
settings.load_profile("zhiji")

OURS = frozenset(policies.TYPES)


def pytest_runtest_teardown() -> None:
    """What a test, or an example in a page, declares as a memory type is none for the next one."""
    for name in policies.TYPES.keys() - OURS:
        del policies.TYPES[name]


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


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    """A PostgreSQL server."""
    with postgres() as server:
        yield server


@pytest.fixture(scope="session")
def postgres_template(postgres_server: Postgres) -> Iterator[str]:
    """Name of a database with the present tables, to be copied."""
    from zhiji.stores.postgres import PostgresStore

    async def prepare() -> None:
        await (await PostgresStore.open(url)).close()

    url = postgres_server.create()
    asyncio.run(prepare())
    yield postgres_server.name(url)
    postgres_server.drop(url)


@pytest.fixture
def postgres_url(postgres_server: Postgres, postgres_template: str) -> Iterator[str]:
    """URL of a database of the test's own, with the present tables and nothing in them."""
    url = postgres_server.create(postgres_template)
    yield url
    postgres_server.drop(url)


@pytest.fixture(scope="session")
def valkey_server() -> Iterator[Valkey]:
    """A server that speaks Redis; whoever breaks it starts one of their own."""
    with valkey() as server:
        yield server


@pytest.fixture(scope="session")
def valkey_nodes() -> Iterator[list[Valkey]]:
    """The three nodes of a Cluster."""
    with valkey_cluster() as servers:
        yield servers
