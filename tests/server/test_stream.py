"""``POST /v1/chat`` with ``stream``: events as they come, and what is kept when the client leaves."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from server.conftest import OpenService, Start
from server.service import AUTH, TOKEN, SentEvent, Service, events, is_problem
from server.tellers import Calling, Pausing
from talk import said
from zhiji import Zhiji
from zhiji.errors import ModelRateLimited
from zhiji.server import stream, talk
from zhiji.testing import ScriptedModel


@asynccontextmanager
async def streaming(service: Service, message: str, **more: Any) -> AsyncIterator[AsyncIterator[SentEvent]]:
    """Begin a streamed turn; leaving the block early leaves the stream."""
    body = {"user_id": "u1", "message": message, "stream": True, **more}
    async with service.client.stream("POST", "/v1/chat", json=body) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "text/event-stream"
        yield events(answer)


async def whole(service: Service, message: str, **more: Any) -> list[SentEvent]:
    """Return all events of a turn."""
    async with streaming(service, message, **more) as coming:
        return [event async for event in coming]


async def test_pieces_then_the_full_reply(live: OpenService) -> None:
    """Deltas add up to the reply; the last event is the same reply as without streaming."""
    async with live(model="offline") as service:
        told = await whole(service, "我叫李四", idempotency_key="k1")
        same = await service.chat("我叫李四", idempotency_key="k1")
    assert [event.name for event in told[:-1]] == ["delta"] * (len(told) - 1)
    done = told[-1]
    assert done.name == "done"
    assert "".join(event.data["text"] for event in told[:-1]) == done.data["reply"] == same["reply"]
    assert done.data.keys() == same.keys()
    assert same["replayed"]


async def test_tools_are_told(live: OpenService) -> None:
    """Each tool call is told when it begins and when it has ended, well or badly."""

    def register(zj: Zhiji) -> None:
        @zj.tool()
        def look_up() -> str:
            """Look it up."""
            raise ValueError("no such thing")

    async with live(model=Calling(), register=register) as service:
        told = await whole(service, "look")
    assert [(event.name, *event.data.values()) for event in told[:3]] == [
        ("tool", "look_up", "started"),
        ("tool", "look_up", "failed"),
        ("delta", "found it"),
    ]


async def test_a_retry_is_told_at_once(live: OpenService) -> None:
    """A replayed reply comes as one delta and the reply."""
    async with live("hello") as service:
        await service.chat("hi", idempotency_key="k1")
        told = await whole(service, "hi", idempotency_key="k1")
    assert [(event.name, event.data.get("text")) for event in told] == [("delta", "hello"), ("done", None)]
    assert told[-1].data["replayed"]


async def test_errors_before_the_first_event_have_their_status(live: OpenService) -> None:
    """What fails before anything was told is a problem response, as without streaming."""
    async with live(ModelRateLimited()) as service:
        body = {"user_id": "u1", "message": "hi", "stream": True}
        limited = await service.client.post("/v1/chat", json=body)
        unknown = await service.client.post("/v1/chat", json={**body, "session_id": "ses_none"})
    assert is_problem(limited, 503, "model_rate_limited")
    assert limited.headers["retry-after"]
    assert is_problem(unknown, 404, "session_not_found")


@pytest.mark.parametrize(
    ("error", "code"), [(ModelRateLimited(), "model_rate_limited"), (RuntimeError("secret"), "model_error")]
)
async def test_errors_after_it_are_an_event(live: OpenService, error: Exception, code: str) -> None:
    """What fails in the middle ends the stream with a problem, and the turn is failed."""
    model = Pausing("one", error=error)
    model.release.set()
    async with live(model=model) as service:
        told = await whole(service, "hi")
        sessions = await service.zj.sessions.list("u1")
        transcript = await said(service.zj, sessions[0].id)
    assert [event.name for event in told] == ["delta", "error"]
    assert told[-1].data["code"] == code
    assert "secret" not in str(told[-1].data)
    assert transcript == [("user", "hi")]


async def test_a_client_that_leaves_keeps_what_it_was_told(live: OpenService) -> None:
    """After three pieces the client leaves: the transcript holds exactly these, and the session is free again."""
    model = Pausing("一、", "二、", "三")
    async with live(model=model) as service:
        first = await service.chat_id()
        async with streaming(service, "数", session_id=first, idempotency_key="k1") as coming:
            assert [(await anext(coming)).data["text"] for _ in range(3)] == ["一、", "二、", "三"]
        again = await service.chat("数", session_id=first, idempotency_key="k1")
        after = await service.chat("then", session_id=first)
        transcript = await said(service.zj, first)
        seen = await service.zj.context("u1", after["request_id"])
    assert transcript[:2] == [("user", "数"), ("assistant", "一、二、三")]
    assert (again["reply"], again["interrupted"], again["replayed"]) == ("一、二、三", True, True)
    assert not after["interrupted"]
    assert any(message["content"] == "一、二、三" for message in seen.messages)


async def test_what_was_told_sediments(live: OpenService) -> None:
    """An interrupted turn is remembered from like any other."""
    async with live(model=Pausing("好的")) as service:
        async with streaming(service, "我叫李四") as coming:
            await anext(coming)
        session = (await service.zj.sessions.list("u1"))[0].id
        await service.chat("then", session_id=session)
        await service.zj.drain("u1")
        known = [memory.content for memory in await service.zj.memories.list("u1")]
    assert known == ["用户叫李四"]


async def test_secrets_in_what_was_told_are_masked(live: OpenService) -> None:
    """What is kept of an interrupted answer is masked as any answer is."""
    async with live(model=Pausing("password: hunter2hunter2")) as service:
        session = await service.chat_id()
        async with streaming(service, "hi", session_id=session) as coming:
            await anext(coming)
        await service.chat("then", session_id=session)
        transcript = await said(service.zj, session)
    assert "hunter2" not in str(transcript)
    assert transcript[1][0] == "assistant"


async def test_leaving_during_a_tool_call_fails_the_turn(live: OpenService) -> None:
    """What was said before a call is no answer: the turn is failed, and the next one does not see it."""
    calling = asyncio.Event()

    def register(zj: Zhiji) -> None:
        @zj.tool()
        async def look_up() -> str:
            """Look it up."""
            calling.set()
            await asyncio.Event().wait()
            raise AssertionError

    async with live(model=Calling(announced="let me see"), register=register) as service:
        session = await service.chat_id()
        async with streaming(service, "look", session_id=session) as coming:
            assert [(await anext(coming)).name for _ in range(2)] == ["delta", "tool"]
            await calling.wait()
        after = await service.chat("then", session_id=session)
        transcript = await said(service.zj, session)
        seen = await service.zj.context("u1", after["request_id"])
    assert transcript == [("user", "look"), ("user", "then"), ("assistant", "found it")]
    assert "look" not in [message["content"] for message in seen.messages]


async def test_leaving_before_the_first_piece_fails_the_turn(live: OpenService) -> None:
    """Nothing was told, so nothing is kept but the user's message."""
    model = Pausing()
    async with live(model=model) as service:
        session = await service.chat_id()
        body = {"user_id": "u1", "message": "hi", "stream": True, "session_id": session}
        waiting = asyncio.create_task(service.client.post("/v1/chat", json=body))
        await model.waiting.wait()
        waiting.cancel()
        await asyncio.wait({waiting})
        await service.chat("then", session_id=session)
        assert await said(service.zj, session) == [("user", "hi"), ("user", "then"), ("assistant", "ok")]


async def test_a_service_that_stops_keeps_what_it_told(live: OpenService) -> None:
    """A stream that outlasts the drain ends with an error that says so; what was told is kept."""
    async with live(model=Pausing("one")) as service:
        session = await service.chat_id()
        async with streaming(service, "hi", session_id=session) as coming:
            await anext(coming)
            await service.app.state.gate.drain(0)
            told = [event async for event in coming]
        transcript = await said(service.zj, session)
    assert [(event.name, event.data["code"]) for event in told] == [("error", "shutting_down")]
    assert transcript == [("user", "hi"), ("assistant", "one")]


async def test_without_a_stream_the_turn_goes_on(live: OpenService) -> None:
    """A client that does not stream and leaves finds its reply by its key: the turn was accepted."""
    model = Pausing("the answer")
    async with live(model=model) as service:
        body = {"user_id": "u1", "message": "hi", "idempotency_key": "k1"}
        waiting = asyncio.create_task(service.client.post("/v1/chat", json=body))
        await model.waiting.wait()
        waiting.cancel()
        await asyncio.wait({waiting})
        model.release.set()
        found = await service.chat("hi", idempotency_key="k1")
    assert (found["reply"], found["replayed"], found["interrupted"]) == ("the answer", True, False)
    assert model.turns == 1


async def test_silence_is_filled_with_comments(live: OpenService, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream that is silent for long shows that it lives."""
    monkeypatch.setattr(talk, "HEARTBEAT_SECONDS", 0.01)
    model = Pausing("one")
    async with live(model=model) as service:
        body = {"user_id": "u1", "message": "hi", "stream": True}
        async with service.client.stream("POST", "/v1/chat", json=body) as answer:
            seen = b""
            async for piece in answer.aiter_bytes():
                seen += piece
                if seen.count(stream.HEARTBEAT) >= 2:
                    model.release.set()
    assert seen.endswith(b"\n\n")
    assert b"event: done" in seen


async def test_a_stream_that_stays_silent_is_given_up(live: OpenService, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the time of a request without any event the turn is given up; what was told stays."""
    monkeypatch.setattr(talk, "HEARTBEAT_SECONDS", 0.2)
    async with live(model=Pausing("one"), request_timeout_seconds=1) as service:
        session = await service.chat_id()
        told = await whole(service, "hi", session_id=session)
        await service.zj.chat("u1", "then", session=session)
        transcript = await said(service.zj, session)
    assert [event.name for event in told] == ["delta", "error"]
    assert told[-1].data["code"] == "request_timeout"
    assert transcript[1] == ("assistant", "one")


async def test_proxies_are_told_not_to_collect(open_service: OpenService) -> None:
    """The headers of a stream keep reverse proxies from holding it back."""
    async with open_service(model=ScriptedModel(["hello"])) as service:
        answer = await service.client.post("/v1/chat", json={"user_id": "u1", "message": "hi", "stream": True})
    assert answer.headers["x-accel-buffering"] == "no"
    assert answer.headers["cache-control"] == "no-store"


SLOW = """
import asyncio, sys
from zhiji.config import Settings
from zhiji.server import run
from server.tellers import Pausing

def announce(url):
    print("listening on " + url + ";", file=sys.stderr, flush=True)

asyncio.run(run.serve(Settings.from_environment(), model=Pausing("一", "二"), announce=announce))
"""
"""A service whose first answer stops after two pieces."""


async def test_killed_in_the_middle_of_a_stream(start: Start, live: OpenService) -> None:
    """After ``kill -9`` the user's message is kept, the turn is failed, and the session goes on at the next start."""
    env = {"ZHIJI_TOKEN": TOKEN}
    body = {"user_id": "u1", "message": "数", "stream": True}
    with start(script=SLOW, env=env) as process:
        async with (
            httpx.AsyncClient(base_url=process.listening(), headers=AUTH) as client,
            client.stream("POST", "/v1/chat", json=body) as answer,
        ):
            await anext(events(answer))
            process.end(signal.SIGKILL)
    async with live("一二三") as service:
        session = (await service.zj.sessions.list("u1"))[0].id
        await service.chat("数", session_id=session)
        transcript = await said(service.zj, session)
    assert transcript == [("user", "数"), ("user", "数"), ("assistant", "一二三")]
