"""The public endpoint speaks the protocol over real sockets, and misbehaves exactly as it is told."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from typing import Any

import httpx
import numpy as np
import pytest

from zhiji.testing import HashEmbedder
from zhiji.testing.endpoint import (
    Answer,
    Endpoint,
    Raw,
    Request,
    Reset,
    Script,
    failed,
    html,
    overflow,
    rate_limited,
)
from zhiji.types import ToolCall

CHAT: dict[str, Any] = {"model": "any", "messages": [{"role": "user", "content": "first\n退货地址？😀"}]}
TOOLS = [{"type": "function", "function": {"name": "find", "parameters": {}}}]
TWO_CALLS = (
    ToolCall(id="a", name="find", arguments='{"order_id": "OD20240415008"}'),
    ToolCall(id="b", name="find", arguments='{"city": "杭州"}'),
)


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(trust_env=False) as client:
        yield client


async def ask(client: httpx.AsyncClient, endpoint: Endpoint, **changes: Any) -> httpx.Response:
    return await client.post(f"{endpoint.url}/chat/completions", json={**CHAT, **changes})


def told(response: httpx.Response) -> list[Any]:
    """The events of a stream, ``[DONE]`` as a string."""
    lines = [line.removeprefix("data: ") for line in response.text.splitlines() if line]
    return [line if line == "[DONE]" else json.loads(line) for line in lines]


async def test_a_script_is_followed_and_requests_are_recorded(client: httpx.AsyncClient) -> None:
    """Steps are taken in order, over one connection; the first request too many is a refusal."""
    async with Endpoint(["one", lambda request: f"{len(request.messages)} sent"]) as endpoint:
        answers = [await ask(client, endpoint) for _ in range(3)]
    assert [answer.json()["choices"][0]["message"]["content"] for answer in answers[:2]] == ["one", "1 sent"]
    assert answers[2].status_code == 418
    assert [request.outcome for request in endpoint.requests] == ["answered"] * 3
    assert endpoint.chats[0].messages == CHAT["messages"]


async def test_echo_answers_the_last_line_and_calls_what_it_is_told_to(client: httpx.AsyncClient) -> None:
    """The default script repeats, calls offered tools on the word, and has nothing to extract."""
    call = {"messages": [{"role": "user", "content": '请 查\ncall find {"id": 1}\ncall find\ncall other'}]}
    extraction = {"messages": [{"role": "system", "content": 'Nothing? Answer {"memories": []}'}]}
    async with Endpoint() as endpoint:
        said = [
            (await ask(client, endpoint, **each)).json() for each in ({}, call | {"tools": TOOLS}, call, extraction)
        ]
    first, calls, unoffered, nothing = (answer["choices"][0]["message"] for answer in said)
    assert first["content"] == "退货地址？😀"
    assert [(one["id"], one["function"]["arguments"]) for one in calls["tool_calls"]] == [
        ("call_0", '{"id": 1}'),
        ("call_1", "{}"),
    ]
    assert unoffered["content"] == "call other"
    assert nothing["content"] == '{"memories": []}'


async def test_a_stream_tells_text_tools_and_usage_in_fragments(client: httpx.AsyncClient) -> None:
    """Text comes in pieces, arguments of parallel calls interleaved, usage last if asked for, then ``[DONE]``."""
    answer = Answer(
        text="退货地址在杭州", reasoning="想", tool_calls=TWO_CALLS, piece_chars=3, usage={"prompt_tokens": 7}
    )
    async with Endpoint([answer, "plain"]) as endpoint:
        events = told(await ask(client, endpoint, stream=True, stream_options={"include_usage": True}))
        plain = told(await ask(client, endpoint, stream=True))
    deltas = [event["choices"][0]["delta"] for event in events[:-2]]
    assert [delta["content"] for delta in deltas if delta.get("content")] == ["退货地", "址在杭", "州"]
    assert "".join(delta.get("reasoning_content", "") for delta in deltas) == "想"
    fragments = [one for delta in deltas for one in delta.get("tool_calls", [])]
    assert [one["index"] for one in fragments[:6]] == [0, 1, 0, 1, 0, 1]
    for index, call in enumerate(TWO_CALLS):
        mine = [one for one in fragments if one["index"] == index]
        assert "".join(one["function"]["arguments"] for one in mine) == call.arguments
        assert (mine[0]["id"], mine[0]["function"]["name"]) == (call.id, call.name)
    assert events[-3]["choices"][0]["finish_reason"] == "tool_calls"
    assert events[-2]["usage"] == {"prompt_tokens": 7}
    assert events[-1] == plain[-1] == "[DONE]"
    assert not any("usage" in event for event in plain[:-1])


@pytest.mark.parametrize(
    ("step", "status", "part"),
    [
        (failed(500), 500, "it failed"),
        (failed(401, "no key", code="invalid_api_key"), 401, "invalid_api_key"),
        (overflow(limit=4096, requested=5000), 400, "maximum context length is 4096"),
        (html(), 502, "<h1>"),
        (Raw(body='{"choices": [{"mess'), 200, "mess"),
        (Raw(body={"choices": []}), 200, "choices"),
        (Answer(text=None), 200, '"content": null'),
    ],
)
async def test_what_is_wrong_is_sent_as_it_is(client: httpx.AsyncClient, step: Any, status: int, part: str) -> None:
    """Errors, pages and broken bodies arrive with their status and words."""
    async with Endpoint([step]) as endpoint:
        response = await ask(client, endpoint)
    assert response.status_code == status
    assert part in response.text


@pytest.mark.parametrize(("wait", "header"), [(2, "2"), ("Wed, 01 Jan 2025 00:00:00 GMT",) * 2, (None, None)])
async def test_a_rate_limit_says_when_to_come_back(client: httpx.AsyncClient, wait: Any, header: str | None) -> None:
    """``Retry-After`` is seconds, a date, or absent."""
    async with Endpoint([rate_limited(wait)]) as endpoint:
        response = await ask(client, endpoint)
    assert (response.status_code, response.headers.get("retry-after")) == (429, header)


@pytest.mark.parametrize(
    ("script", "stream"),
    [([Reset()], False), ([Answer(text="long enough", cut=2)], True), ([Answer(text="long enough", cut=9)], False)],
)
async def test_a_connection_breaks_when_told_to(client: httpx.AsyncClient, script: Script, stream: bool) -> None:
    """Before the first byte, in the middle of a stream, or in the middle of a body; the next request works."""
    async with Endpoint([*script, "fine"] if isinstance(script, list) else script) as endpoint:
        with pytest.raises(httpx.TransportError):
            await ask(client, endpoint, stream=stream)
        await endpoint.idle()
        assert (await ask(client, endpoint)).status_code == 200
    assert [request.outcome for request in endpoint.requests] == ["abandoned", "answered"]


async def test_an_error_comes_inside_the_stream(client: httpx.AsyncClient) -> None:
    """It follows the pieces and ends the stream without ``[DONE]``."""
    async with Endpoint([Answer(text="half", error={"message": "overloaded", "code": 503})]) as endpoint:
        events = told(await ask(client, endpoint, stream=True))
    assert events[-1] == {"error": {"message": "overloaded", "code": 503}}


async def test_it_notices_who_left(client: httpx.AsyncClient) -> None:
    """A request whose client is gone is recorded as abandoned, and its answer is not waited for."""
    async with Endpoint([Answer(text="late", delay=60)]) as endpoint:
        asking = asyncio.create_task(ask(client, endpoint))
        await endpoint.arrived(1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await endpoint.idle()
        assert endpoint.requests[0].outcome == "abandoned"


async def test_it_goes_down_and_comes_back_on_its_port(client: httpx.AsyncClient) -> None:
    """Stopped, it refuses connections; started again, its URL is the same."""
    endpoint = Endpoint()
    await endpoint.start()
    url = endpoint.url
    await endpoint.stop()
    with pytest.raises(httpx.ConnectError):
        await ask(client, endpoint)
    async with endpoint:
        assert endpoint.url == url
        assert (await ask(client, endpoint)).status_code == 200


async def test_vectors_are_those_of_the_hash_embedder(client: httpx.AsyncClient) -> None:
    """In order, of unit length or not, after the failures that were asked for."""
    async with Endpoint(embeddings=[failed(503)], dim=32, normalised=False) as endpoint:
        given = {"model": "e", "input": ["退货", "return"]}
        answers = [await client.post(f"{endpoint.url}/embeddings", json=given) for _ in range(2)]
    assert answers[0].status_code == 503
    rows = np.array([row["embedding"] for row in answers[1].json()["data"]])
    np.testing.assert_allclose(rows / 3, HashEmbedder(32).embed_passages(["退货", "return"]), rtol=1e-6)


async def test_it_lists_its_models_and_knows_no_other_path(client: httpx.AsyncClient) -> None:
    """``/models`` names them; anything else is a 404."""
    async with Endpoint(models=["one", "two"]) as endpoint:
        names = [model["id"] for model in (await client.get(f"{endpoint.url}/models")).json()["data"]]
        missing = await client.get(f"{endpoint.url}/elsewhere")
    assert (names, missing.status_code) == (["one", "two"], 404)


async def test_many_are_answered_at_once(client: httpx.AsyncClient) -> None:
    """Latency is waited for together, not one after the other."""
    waiting = asyncio.Event()

    async def together(request: Request) -> str:
        if len(endpoint.requests) == 20:
            waiting.set()
        await waiting.wait()
        return "done"

    async with Endpoint(together) as endpoint:
        answers = await asyncio.gather(*(ask(client, endpoint) for _ in range(20)))
    assert {answer.status_code for answer in answers} == {200}


def test_it_runs_as_a_process() -> None:
    """The first line that it prints is its base URL, and it answers there."""
    command = [sys.executable, "-m", "zhiji.testing.endpoint", "--latency", "0.01"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        answer = httpx.post(f"{url}/chat/completions", json=CHAT, trust_env=False)
        process.terminate()
    assert answer.json()["choices"][0]["message"]["content"] == "退货地址？😀"
