"""A database that is gone for a while: who asks is told to come back, the process stays, and goes on by itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from server.conftest import OpenService
from server.service import is_problem
from zhiji.testing.servers import Postgres, postgres


@pytest.fixture
def server() -> Iterator[Postgres]:
    """A PostgreSQL of this test's own, to be killed."""
    with postgres(is_durable=True) as started:
        yield started


async def test_a_database_that_is_gone_and_comes_back(open_service: OpenService, server: Postgres) -> None:
    """While it is gone: 503 with Retry-After, not ready, but alive, and the metrics are told; afterwards everything as before."""
    async with open_service("你好", "又见面了🙂", database_url=server.create()) as service:
        client, asked = service.client, {"user_id": "u1", "message": "在吗"}
        first = await service.chat("在吗")
        server.kill()
        answer, ready = await client.post("/v1/chat", json=asked), await client.get("/readyz")
        for gone in (answer, ready):
            assert is_problem(gone, 503, "store_unavailable")
            assert gone.headers["retry-after"] == "1"
            assert gone.json()["retryable"]
        assert (await client.get("/healthz")).text == "ok\n"
        assert (await client.get("/metrics")).status_code == 200
        server.start()
        assert (await client.get("/readyz")).status_code == 200
        again = await service.chat("在吗", session_id=first["session_id"])
    assert again["reply"] == "又见面了🙂"
