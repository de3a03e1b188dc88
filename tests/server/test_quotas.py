"""Quotas as clients see them: 429 with ``Retry-After``, one event of a socket, and nothing at all for a replay."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from server.conftest import OpenService
from server.service import is_problem
from server.test_socket import dial, turn
from talk import OK

DETAILS = {"limit": "1 per 1 minute", "of": "user", "retry_after": 60}
ASKED: dict[str, tuple[str, dict[str, Any]]] = {
    "article": ("/chat", {"user_id": "u1", "message": "你好"}),
    "full": ("/v1/chat", {"user_id": "u1", "message": "hi 😀"}),
    "stream": ("/v1/chat", {"user_id": "u1", "message": "你好", "stream": True}),
    "ingest": ("/v1/users/u1/messages", {"messages": [{"role": "user", "content": "你好"}]}),
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
async def test_every_route_refuses_alike(open_service: OpenService, asked: tuple[str, dict[str, Any]]) -> None:
    """A problem of status 429 says what the limit is and when to come back; afterwards, and to others, it is answered."""
    path, body = asked
    async with open_service(*OK, user_limits="1/minute") as service:
        await service.chat("你好")
        refused = await service.client.post(path, json=body)
        other = await service.chat("你好", user="u2")
        service.clock.advance(timedelta(seconds=60))
        answered = await service.client.post(path, json=body)
    assert is_problem(refused, 429, "rate_limited")
    assert refused.headers["retry-after"] == "60"
    assert refused.json()["retryable"]
    assert refused.json()["details"] == DETAILS
    assert other["reply"]
    assert answered.is_success


async def test_the_retry_of_an_answer_is_never_refused(open_service: OpenService) -> None:
    """A client that lost its answer gets it by the same key, whatever its share."""
    async with open_service(*OK, user_limits="1/minute") as service:
        first = await service.chat("你好", idempotency_key="k1")
        again = [await service.chat("你好", idempotency_key="k1") for _ in range(3)]
    assert {one["turn_id"] for one in again} == {first["turn_id"]}


async def test_a_socket_is_told_by_an_event(live: OpenService) -> None:
    """Over a WebSocket the refusal is an error event, and the connection goes on."""
    async with live(*OK, user_limits="1/minute") as service, dial(service) as socket:
        await turn(socket, "hi")
        refused = await turn(socket, "hi")
        service.clock.advance(timedelta(seconds=60))
        after = await turn(socket, "hi")
    assert [(name, data["status"], data["code"], data["details"]) for name, data in refused] == [
        ("error", 429, "rate_limited", DETAILS)
    ]
    assert after[-1][0] == "done"


async def test_the_metrics_count_refusals(open_service: OpenService) -> None:
    """``/metrics`` shows whose limit it was, from zero on."""
    async with open_service(*OK, user_limits="2/minute", tenant_limits="3/minute") as service:
        before = (await service.client.get("/metrics")).text
        for user in ("u1", "u1", "u1", "u2", "u2"):
            await service.client.post("/chat", json={"user_id": user, "message": "你好"})
        after = (await service.client.get("/metrics")).text
    for of in ("user", "tenant"):
        assert f'zhiji_limited_total{{of="{of}"}} 0.0' in before
        assert f'zhiji_limited_total{{of="{of}"}} 1.0' in after
