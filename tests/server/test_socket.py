"""``/v1/ws``: the same turns over a WebSocket, by a real client on a real port."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from server.conftest import OpenService
from server.service import AUTH, TOKEN, Service
from server.tellers import Calling, Pausing
from talk import said
from zhiji import Zhiji
from zhiji.server import socket as socket_route


def dial(service: Service, **options: Any) -> connect:
    """Return a connection to be made, with the token."""
    options = {"additional_headers": AUTH, **options}
    return connect(service.url.replace("http", "ws") + "/v1/ws", **options)


async def send(socket: ClientConnection, message: str, **more: Any) -> None:
    """One frame is sent."""
    await socket.send(json.dumps({"user_id": "u1", "message": message, **more}))


async def receive(socket: ClientConnection) -> tuple[str, dict[str, Any]]:
    """Return the next event."""
    frame = json.loads(await socket.recv())
    assert frame.keys() == {"event", "data"}
    return frame["event"], frame["data"]


async def turn(socket: ClientConnection, message: str, **more: Any) -> list[tuple[str, dict[str, Any]]]:
    """Return the events of one turn."""
    await send(socket, message, **more)
    told = [await receive(socket)]
    while told[-1][0] not in ("done", "error"):
        told.append(await receive(socket))
    return told


async def test_several_turns_over_one_connection(live: OpenService) -> None:
    """Turns follow each other in one session, each told as it comes and ended by the full reply of ``/v1/chat``."""
    async with live(model="offline") as service:
        async with dial(service) as socket:
            first = await turn(socket, "我叫李四")
            done = first[-1][1]
            second = await turn(socket, "我叫什么？", session_id=done["session_id"])
        same = await service.chat("你好")
    assert "".join(data["text"] for name, data in first[:-1]) == done["reply"]
    assert done.keys() == same.keys()
    assert "李四" in second[-1][1]["reply"]
    assert second[-1][1]["session_id"] == done["session_id"]


async def test_tools_are_told(live: OpenService) -> None:
    """Tool calls are told as in a stream."""

    def register(zj: Zhiji) -> None:
        @zj.tool()
        def look_up() -> str:
            """Look it up."""
            return "42"

    async with live(model=Calling(), register=register) as service, dial(service) as socket:
        told = await turn(socket, "look")
    assert [name for name, _ in told] == ["tool", "tool", "delta", "done"]
    assert [data["status"] for _, data in told[:2]] == ["started", "done"]


async def test_a_retry_over_another_connection(live: OpenService) -> None:
    """An idempotency key works across connections."""
    async with live("hello") as service:
        async with dial(service) as socket:
            await turn(socket, "hi", idempotency_key="k1")
        async with dial(service) as socket:
            again = await turn(socket, "hi", idempotency_key="k1")
    assert again[-1][1]["replayed"]


@pytest.mark.parametrize(
    ("frame", "code", "field"),
    [
        ('{"user_id": "u1"}', "invalid_input", "message"),
        ('{"user_id": "u1", "message": "hi", "messages": []}', "invalid_input", "messages"),
        ('{"user_id": "u1", "message": " "}', "empty_message", None),
        ('{"user_id": "u1", "message": "hi", "session_id": "none"}', "session_not_found", None),
        (r'{"user_id": "u1", "message": "\ud800"}', "invalid_input", None),
        ("{", "invalid_input", None),
        ("", "invalid_input", None),
        (b"\xff\x00", "invalid_input", None),
    ],
)
async def test_a_bad_frame_is_answered_and_the_next_one_too(
    live: OpenService, frame: str | bytes, code: str, field: str | None
) -> None:
    """A frame that does not fit is one error event; the connection goes on."""
    async with live("ok") as service, dial(service) as socket:
        await socket.send(frame)
        name, problem = await receive(socket)
        after = await turn(socket, "hi")
    assert (name, problem["code"]) == ("error", code)
    assert problem.get("details", {}).get("field") == field
    assert problem["request_id"].startswith("http_")
    assert after[-1][0] == "done"


async def test_frames_wait_for_the_turn_before_them(live: OpenService) -> None:
    """Frames sent at once are answered one after the other, in order; too many at once are refused."""
    model = Pausing("one")
    async with live(model=model) as service, dial(service) as socket:
        session = await service.chat_id()
        for number in range(19):
            await send(socket, f"m{number}", session_id=session)
        told = [await receive(socket) for _ in range(3)]
        model.release.set()
        told += [await receive(socket) for _ in range(17 * 2 - 1)]
        transcript = await said(service.zj, session)
    refused = [data["code"] for name, data in told if name == "error"]
    assert refused == ["overloaded"] * 2
    assert [words for role, words in transcript if role == "user"] == [f"m{number}" for number in range(17)]


async def test_a_client_that_leaves_keeps_what_it_was_told(live: OpenService) -> None:
    """Closing in the middle keeps the pieces that were told, as leaving a stream does; waiting frames are not run."""
    async with live(model=Pausing("一、", "二")) as service:
        session = await service.chat_id()
        async with dial(service) as socket:
            await send(socket, "数", session_id=session)
            await send(socket, "再数", session_id=session)
            assert [(await receive(socket))[1]["text"] for _ in range(2)] == ["一、", "二"]
        await service.chat("then", session_id=session)
        transcript = await said(service.zj, session)
    assert transcript == [("user", "数"), ("assistant", "一、二"), ("user", "then"), ("assistant", "ok")]


async def test_a_browser_shows_its_token_as_a_subprotocol(live: OpenService) -> None:
    """Browsers, which cannot set headers, offer ``bearer`` and the token; only ``bearer`` comes back."""
    async with (
        live("hello") as service,
        dial(service, additional_headers={}, subprotocols=["bearer", TOKEN]) as socket,
    ):
        assert socket.subprotocol == "bearer"
        assert (await turn(socket, "hi"))[-1][0] == "done"


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"additional_headers": {}}, 401),
        ({"additional_headers": {"Authorization": "Bearer wrong"}}, 401),
        ({"additional_headers": {}, "subprotocols": ["bearer", "wrong"]}, 401),
        ({"additional_headers": {}, "subprotocols": ["bearer"]}, 401),
        ({"subprotocols": ["bearer", "wrong"]}, 401),
        ({"origin": "https://evil.example"}, 421),
        ({"origin": "null"}, 421),
    ],
    ids=["none", "wrong", "wrong subprotocol", "no token", "two tokens", "another site", "no site"],
)
async def test_who_may_not_connect(live: OpenService, options: dict[str, Any], status: int) -> None:
    """The handshake is refused with a problem and its status."""
    async with live() as service:
        with pytest.raises(InvalidStatus) as refused:
            await dial(service, **options)
    assert refused.value.response.status_code == status
    assert json.loads(refused.value.response.body or b"")["status"] == status


async def test_a_socket_at_another_path_is_refused(live: OpenService) -> None:
    """There is one socket; another path is a 404 with its reason."""
    async with live() as service:
        with pytest.raises(InvalidStatus) as refused:
            await connect(service.url.replace("http", "ws") + "/none", additional_headers=AUTH)
    assert refused.value.response.status_code == 404
    assert json.loads(refused.value.response.body or b"")["code"] == "not_found"


async def test_a_frame_over_the_limit_ends_the_connection(live: OpenService) -> None:
    """A frame larger than a body may be is not read."""
    async with live(max_body_bytes=2048) as service, dial(service) as socket:
        await send(socket, "x" * 4096)
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009


async def test_turns_of_sockets_take_places(live: OpenService) -> None:
    """A turn over a socket counts as a request; one too many is an error event."""
    model = Pausing("one")
    async with live(model=model, max_requests=1) as service, dial(service) as socket:
        busy = asyncio.create_task(service.chat("hi"))
        await model.waiting.wait()
        told = await turn(socket, "hi")
        model.release.set()
        await busy
    assert [data["code"] for _, data in told] == ["overloaded"]


async def test_more_sockets_than_places_are_refused(live: OpenService) -> None:
    """As many sockets as requests may be open at once."""
    async with live(max_requests=1) as service, dial(service):
        with pytest.raises(InvalidStatus) as refused:
            await dial(service)
    assert refused.value.response.status_code == 503


async def test_a_service_that_stops_says_so(live: OpenService) -> None:
    """Idle sockets are closed with 1012 when the service stops; a running turn is told to its end first."""
    model = Pausing("one")
    async with live(model=model) as service, dial(service) as idle, dial(service) as busy:
        await send(busy, "hi")
        await receive(busy)
        draining = asyncio.create_task(service.app.state.gate.drain(20))
        with pytest.raises(ConnectionClosed) as closed:
            await idle.recv()
        model.release.set()
        told = await receive(busy)
        await draining
        with pytest.raises(ConnectionClosed):
            await busy.recv()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1012
    assert told[0] == "done"


async def test_users_do_not_meet(live: OpenService) -> None:
    """Two users on one connection cannot reach each other's sessions."""
    async with live("a", "b") as service, dial(service) as socket:
        mine = (await turn(socket, "hi"))[-1][1]["session_id"]
        theirs = await turn(socket, "hi", user_id="u2", session_id=mine)
        none = await turn(socket, "hi", user_id="u2", session_id="ses_none")
    codes: Sequence[str] = [data["code"] for _, data in (*theirs, *none)]
    details = {data["detail"] for _, data in (*theirs, *none)}
    assert codes == ["session_not_found"] * 2
    assert len(details) == 1


async def test_who_does_not_read_is_left(live: OpenService, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that does not read what it is told gives the place of its turn up after a while."""
    monkeypatch.setattr(socket_route, "STALL_SECONDS", 0.05)
    model = Pausing(*["x" * 1_000_000] * 12)
    model.release.set()
    async with live(model=model, max_requests=1) as service, dial(service, max_queue=1) as socket, asyncio.timeout(60):
        await send(socket, "hi")
        await model.begun.wait()
        while (await service.client.get("/v1/jobs")).status_code == 503:
            pass
        assert "done" not in await rest(socket)


async def test_who_leaves_with_frames_unanswered_leaves_nothing(
    live: OpenService, caplog: pytest.LogCaptureFixture
) -> None:
    """A client that sends more than may wait, and goes, frees its place among the sockets; that is no bug to be logged."""
    async with live(model=Pausing("one"), max_requests=1) as service:
        async with asyncio.timeout(20):
            for _ in range(3):
                socket = await dial(service)
                for _ in range(100):
                    await send(socket, "hi")
                socket.transport.abort()
                await socket.wait_closed()
                while not await connects(service):
                    pass
    assert not [one for one in caplog.records if one.name.startswith("zhiji") and one.levelname == "ERROR"]


async def rest(socket: ClientConnection) -> list[str]:
    """Return the names of the events to the end of the connection."""
    told = []
    with suppress(ConnectionClosed):
        while True:
            told.append((await receive(socket))[0])
    return told


async def connects(service: Service) -> bool:
    """Return whether there is room for a socket."""
    try:
        async with dial(service):
            return True
    except InvalidStatus:
        return False
