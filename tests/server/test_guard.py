"""The guard around every route: who may ask, under which name, how much, for how long, and in which JSON."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from urllib.parse import quote

import httpx
import pytest

from server.conftest import OpenService
from server.service import AUTH, TOKEN, Service, is_problem
from server.tellers import Pausing
from zhiji.errors import ConfigError
from zhiji.server.body import parse
from zhiji.server.hosts import Hosts
from zhiji.server.parts import User
from zhiji.testing import ScriptedModel

PATHS = ["/chat", "/v1/chat", "/v1/users/u1/memories", "/openapi.json", "/metrics", "/none"]
PROBES = ("/healthz", "/readyz")


# --- who ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PATHS)
async def test_nothing_is_said_without_the_token(client: httpx.AsyncClient, path: str) -> None:
    """Every path, also one that does not exist, asks for the token first."""
    client.headers.pop("authorization")
    answer = await client.get(path)
    assert is_problem(answer, 401, "unauthorized")
    assert answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize("headers", [{}, {"Authorization": f"Bearer {TOKEN[:-1]}"}], ids=["none", "wrong"])
async def test_no_route_answers_without_the_token(client: httpx.AsyncClient, headers: dict[str, str]) -> None:
    """Each method of each route, probes apart, is refused before it looks at what it was sent (C157)."""
    routes = (await client.get("/openapi.json")).json()["paths"]
    client.headers.pop("authorization")
    asked = [(method, path) for path, methods in routes.items() for method in methods if path not in PROBES]
    answers = [await client.request(method, path, json={}, headers=headers) for method, path in asked]
    assert len(answers) > 20
    assert all(is_problem(answer, 401, "unauthorized") for answer in answers)


@pytest.mark.parametrize("path", PROBES)
async def test_probes_need_neither_token_nor_name(client: httpx.AsyncClient, path: str) -> None:
    """Probes are answered to anybody, without details, also those that only ask for the head."""
    client.headers.pop("authorization")
    answer = await client.get(path, headers={"Host": "10.1.2.3:8000"})
    assert (answer.status_code, answer.text) == (200, "ok\n")
    assert (await client.head(path)).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        [("Authorization", "Bearer wrong")],
        [("Authorization", f"Bearer {TOKEN}x")],
        [("Authorization", TOKEN)],
        [("Authorization", f"Basic {TOKEN}")],
        [("Authorization", "Bearer")],
        [("Authorization", "Bearer \u00fc".encode("latin-1"))],
        [("Authorization", f"Bearer {TOKEN}"), ("Authorization", f"Bearer {TOKEN}")],
        [("Authorization", f"Bearer {TOKEN}"), ("Authorization", "Bearer wrong")],
        [("Sec-WebSocket-Protocol", f"bearer, {TOKEN}")],
    ],
    ids=["wrong", "longer", "bare", "basic", "blank", "odd", "twice", "two", "of a socket"],
)
async def test_only_the_token_shown_once_is_taken(
    client: httpx.AsyncClient, headers: list[tuple[str, str | bytes]]
) -> None:
    """A wrong token, another scheme, or the header twice is refused."""
    client.headers.pop("authorization")
    raw = [(name.encode(), value if isinstance(value, bytes) else value.encode()) for name, value in headers]
    assert is_problem(await client.get("/openapi.json", headers=raw), 401, "unauthorized")


async def test_a_token_in_the_url_is_not_taken(client: httpx.AsyncClient) -> None:
    """The token is taken from the header only: URLs end up in logs."""
    client.headers.pop("authorization")
    answer = await client.get("/openapi.json", params={"token": TOKEN, "access_token": TOKEN})
    assert is_problem(answer, 401, "unauthorized")
    assert TOKEN not in answer.text


async def test_the_scheme_may_be_written_in_any_case(client: httpx.AsyncClient) -> None:
    """``bearer`` is ``Bearer``."""
    answer = await client.get("/openapi.json", headers={"Authorization": f"bearer {TOKEN}"})
    assert answer.status_code == 200


async def test_without_auth_nobody_is_asked(open_service: OpenService) -> None:
    """With ``auth`` off no token is needed; the name is checked all the same."""
    async with open_service("ok", auth=False) as service:
        service.client.headers.pop("authorization")
        assert (await service.client.get("/openapi.json")).status_code == 200
        rebound = await service.client.get("/openapi.json", headers={"Host": "evil.example"})
    assert is_problem(rebound, 421, "untrusted_host")


# --- under which name -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "localhost:8000", "LOCALHOST", "localhost.", "127.0.0.1:9", "127.8.9.1", "[::1]", "[::1]:8000"),
        *("memory.example.com", "memory.example.com:443", "Memory.Example.com."),
    ],
)
def test_our_names(host: str) -> None:
    """Loopback names and addresses and the allowed names are ours, under any port."""
    assert Hosts(("memory.example.com",), listening="127.0.0.1").trusts(host)


@pytest.mark.parametrize(
    "host",
    [
        *(
            "",
            "evil.example",
            "localhost.evil.example",
            "evil.example:localhost",
            "localhost@evil.example",
            "127.0.0.1.x",
        ),
        *(
            "0.0.0.0",
            "192.168.1.5",
            "example.com",
            "a.memory.example.com",
            "localhost/",
            "[::2]",
            "localhost:80:80",
            "本机",
        ),
    ],
)
def test_not_our_names(host: str) -> None:
    """Anything else is not, however much it looks like one."""
    assert not Hosts(("memory.example.com",), listening="0.0.0.0").trusts(host)


def test_the_address_listened_on_is_ours() -> None:
    """Who listens on an address is asked for under it."""
    assert Hosts((), listening="192.168.1.5").trusts("192.168.1.5:8000")


@pytest.mark.parametrize("name", ["https://a.example", "a.example:80", "a.example/x", "", "*", "a b"])
def test_what_is_no_name_cannot_be_allowed(name: str) -> None:
    """An allowed name is a bare host name; anything else is refused at the start, by name."""
    with pytest.raises(ConfigError, match="allowed_hosts"):
        Hosts((name,), listening="127.0.0.1")


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Host": "evil.example:8000"}, {"Host": ""}])
async def test_another_host_is_refused(client: httpx.AsyncClient, headers: dict[str, str]) -> None:
    """A page that had its own name rebound to this address learns nothing."""
    assert is_problem(await client.get("/openapi.json", headers=headers), 421, "untrusted_host")


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        *(("https://evil.example", 421), ("null", 421), ("http://localhost.evil.example", 421), ("http://[", 421)),
        *(("http://localhost:3000", 200), ("https://memory.example.com", 200)),
    ],
)
async def test_a_page_of_another_site_changes_nothing(open_service: OpenService, origin: str, status: int) -> None:
    """What changes something is refused to pages of other hosts."""
    async with open_service("ok", allowed_hosts=("memory.example.com",)) as service:
        answer = await service.client.post("/chat", json={"user_id": "u1", "message": "hi"}, headers={"Origin": origin})
    assert answer.status_code == status


# --- requests by id -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["abc-123", "0" * 128])
async def test_a_sane_request_id_is_kept(client: httpx.AsyncClient, given: str) -> None:
    """A caller's own request id comes back, in the header and in problems."""
    answer = await client.get("/none", headers={"X-Request-ID": given})
    assert answer.headers["x-request-id"] == given == answer.json()["request_id"]


@pytest.mark.parametrize("given", ["", "a b", "0" * 129, "a\u00e9", "a\\nb", "<script>"])
async def test_any_other_is_replaced(client: httpx.AsyncClient, given: str) -> None:
    """What could spoil a log or a page is replaced by an id of ours."""
    answer = await client.get("/healthz", headers=[(b"X-Request-ID", given.encode("latin-1"))])
    assert answer.headers["x-request-id"].startswith("http_")


async def test_every_answer_is_private(client: httpx.AsyncClient) -> None:
    """No answer is stored by caches or guessed at by browsers."""
    for path in ("/healthz", "/none", "/openapi.json"):
        headers = (await client.get(path)).headers
        assert (headers["cache-control"], headers["x-content-type-options"]) == ("no-store", "nosniff")


# --- how much, how long -------------------------------------------------------------------------------------------------


async def _bytes(count: int) -> AsyncIterator[bytes]:
    for _ in range(count):
        yield b" " * 1024


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_large_body_is_refused(live: OpenService, chunked: bool) -> None:
    """A body over the limit is refused, whether its length was told or not, and without a claim of its length."""
    async with live(max_body_bytes=2048) as service:
        content = _bytes(3) if chunked else b" " * 3072
        answer = await service.client.post("/chat", content=content, headers={"Content-Type": "application/json"})
    assert is_problem(answer, 413, "body_too_large")
    assert answer.json()["details"] == {"limit": 2048}


async def test_a_body_at_the_limit_is_taken(open_service: OpenService) -> None:
    """The limit itself is allowed."""
    async with open_service("ok", max_body_bytes=2048) as service:
        body = b'{"user_id": "u1", "message": "hi"}'.ljust(2048)
        answer = await service.client.post("/chat", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 200


async def test_a_request_that_takes_too_long_is_given_up(open_service: OpenService) -> None:
    """After its time a request ends with a typed time-out, and its turn is failed; the session is free."""
    async with open_service(model=Pausing(), request_timeout_seconds=2) as service:
        session = await service.chat_id()
        body = {"user_id": "u1", "message": "hi", "session_id": session}
        assert is_problem(await service.client.post("/chat", json=body), 504, "request_timeout")
        transcript = await service.zj.sessions.messages("u1", session)
    assert [message.role for message in transcript] == ["user"]


async def test_a_body_that_never_ends_is_given_up(live: OpenService) -> None:
    """Who begins a request and sends nothing more holds no place for ever."""
    async with live(request_timeout_seconds=0.2) as service:
        host, port = service.url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        head = f"POST /chat HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"
        writer.write(f"{head}Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{{".encode())
        answer = await reader.readline()
        writer.close()
    assert answer.startswith(b"HTTP/1.1 504")


async def test_more_requests_than_places_are_refused(open_service: OpenService) -> None:
    """With all places taken a request is told to come back, and probes are answered."""
    model = Pausing("ok")
    async with open_service(model=model, max_requests=1) as service:
        body = {"user_id": "u1", "message": "hi"}
        first = asyncio.create_task(service.client.post("/chat", json=body))
        await model.waiting.wait()
        second = await service.client.post("/chat", json=body)
        alive = await service.client.get("/readyz")
        model.release.set()
        assert (await first).status_code == 200
    assert is_problem(second, 503, "overloaded")
    assert second.headers["retry-after"] == "1"
    assert alive.status_code == 200


async def test_while_draining_nothing_new_is_taken(open_service: OpenService) -> None:
    """A service that stops refuses new requests, says that it is not ready, and lets running ones end."""
    model = Pausing("ok")
    async with open_service(model=model) as service:
        gate = service.app.state.gate
        body = {"user_id": "u1", "message": "hi"}
        running = asyncio.create_task(service.client.post("/chat", json=body))
        await model.waiting.wait()
        draining = asyncio.create_task(gate.drain(20))
        await gate.closing.wait()
        refused = await service.client.post("/chat", json=body)
        ready, alive = await service.client.get("/readyz"), await service.client.get("/healthz")
        model.release.set()
        assert (await running).status_code == 200
        await draining
    assert is_problem(refused, 503, "shutting_down")
    assert (ready.status_code, alive.status_code) == (503, 200)


async def test_what_does_not_end_in_time_is_told_so(open_service: OpenService) -> None:
    """A turn that outlasts the drain is failed, and its client told to come back."""
    model = Pausing()
    async with open_service(model=model) as service:
        session = await service.chat_id()
        body = {"user_id": "u1", "message": "hi", "session_id": session}
        running = asyncio.create_task(service.client.post("/chat", json=body))
        await model.waiting.wait()
        await service.app.state.gate.drain(0)
        assert is_problem(await running, 503, "shutting_down")
        assert len(await service.zj.sessions.messages("u1", session)) == 1


# --- in which JSON ------------------------------------------------------------------------------------------------------

BROKEN = {
    "not utf-8": b'{"user_id": "u1", "message": "\xff"}',
    "utf-16": '{"user_id": "u1", "message": "hi"}'.encode("utf-16"),
    "byte order mark": b'\xef\xbb\xbf{"user_id": "u1", "message": "hi"}',
    "half a surrogate pair": rb'{"user_id": "u1", "message": "\ud800"}',
    "half of one in a name": rb'{"user_id": "u1", "message": "hi", "\udc00": 1}',
    "escaped NUL": rb'{"user_id": "u1", "message": "a\u0000b"}',
    "NUL": b'{"user_id": "u1", "message": "a\0b"}',
    "nested too deep": b'{"user_id": "u1", "message": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "NaN": b'{"user_id": "u1", "message": NaN}',
    "infinite": b'{"user_id": "u1", "message": -Infinity}',
    "beyond a double": b'{"user_id": "u1", "message": 1e999}',
    "too many digits": b'{"user_id": "u1", "message": ' + b"1" * 10_000 + b"}",
    "a name twice": b'{"user_id": "u1", "user_id": "u2", "message": "hi"}',
    "cut short": b'{"user_id": "u1"',
    "two values": b"{} {}",
    "not an object": b'["u1", "hi"]',
    "nothing": b"",
    "a bare text": b'"hi"',
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN.keys())
async def test_what_is_not_strict_json_is_one_clear_problem(client: httpx.AsyncClient, body: bytes) -> None:
    """Whatever is wrong with a body, the answer is the same kind of problem."""
    answer = await client.post("/chat", content=body, headers={"Content-Type": "application/json"})
    assert is_problem(answer, 422, "invalid_input")


@pytest.mark.parametrize("words", [r'"\ud83d\ude00"', '"😀"', r'"\\u0000"', "[[[[]]]]", "1.5e3", '{"a": {"a": 1}}'])
def test_what_is_strict_json_is_read(words: str) -> None:
    """Whole pairs, escaped backslashes, nesting and the same name in two objects are fine."""
    assert parse(words.encode()) is not None


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
async def test_a_body_is_json_and_says_so(client: httpx.AsyncClient, kind: str) -> None:
    """A body of another type is refused before it is read as JSON."""
    content = b'{"user_id": "u1", "message": "hi"}'
    answer = await client.post("/chat", content=content, headers={"Content-Type": kind})
    assert is_problem(answer, 415, "unsupported_media_type")


async def test_a_charset_may_be_named(service: Service) -> None:
    """Parameters of the media type do not matter."""
    content = '{"user_id": "u1", "message": "你好"}'.encode()
    headers = {"Content-Type": "Application/JSON; charset=UTF-8"}
    assert (await service.client.post("/chat", content=content, headers=headers)).status_code == 200


# --- names in the path ----------------------------------------------------------------------------------------------------

ODD_USERS = [
    "a/b",
    "a?b",
    "a#b",
    "😀",
    "李四",
    " a b ",
    "100%",
    "%2F",
    "../x",
    "..",
    "a\nb",
    "/",
    "a//b/",
    "ｕ１",
    "-_.~;:@&=+$,",
]


@pytest.mark.parametrize("user", ODD_USERS)
async def test_any_user_can_be_named_in_the_path(open_service: OpenService, user: str) -> None:
    """A user id is one segment, whatever it holds: the route gets it exactly as it was before encoding."""
    async with open_service() as service:

        @service.app.get("/v1/users/{user}/echo")
        async def echo(user: User) -> str:
            return user

        @service.app.get("/v1/users/{user}/echo/{other}")
        async def two(user: User, other: User) -> list[str]:
            return [user, other]

        segment = quote(user, safe="").replace(".", "%2E")  # clients resolve bare dots
        one = await service.client.get(f"/v1/users/{segment}/echo")
        both = await service.client.get(f"/v1/users/{segment}/echo/{segment}")
    assert one.json() == user
    assert both.json() == [user, user]


@pytest.mark.parametrize("segment", ["%00", "a%00b", "%ff", "%ed%a0%80", "%c0%af"])
async def test_what_is_no_text_names_nobody(client: httpx.AsyncClient, segment: str) -> None:
    """NUL and broken UTF-8 in the path are a 404, never somebody."""
    assert is_problem(await client.get(f"/v1/users/{segment}/memories"), 404, "not_found")


@pytest.mark.parametrize("query", ["q=%ff", "q=%00"])
async def test_what_is_no_text_asks_nothing(client: httpx.AsyncClient, query: str) -> None:
    """NUL and broken UTF-8 in the query are refused."""
    assert is_problem(await client.get(f"/openapi.json?{query}"), 422, "invalid_input")


# --- what the log says ----------------------------------------------------------------------------------------------------


async def test_no_log_line_holds_what_was_said(open_service: OpenService, caplog: pytest.LogCaptureFixture) -> None:
    """Neither messages nor users nor the token nor a bug's own words reach any log, at any level."""
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, "zhiji")
    secret = "密语-7391"

    def stumble(messages: object, tools: object) -> str:
        raise ValueError(f"cannot read {secret}")

    async with open_service(model=ScriptedModel([stumble, secret])) as service:

        @service.app.get("/v1/bug/{word}")
        async def bug(word: str) -> str:
            raise KeyError(word)

        body = {"user_id": f"user-{secret}", "message": secret}
        failed = await service.client.post("/chat", json=body)
        fine = await service.client.post("/chat", json=body)
        broken = await service.client.post("/chat", json={**body, secret: 1})
        bugged = await service.client.get(
            f"/v1/bug/{quote(secret)}", params={"q": secret}, headers={"X-Request-ID": "r1"}
        )
    assert (failed.status_code, fine.status_code, broken.status_code) == (502, 200, 422)
    assert is_problem(bugged, 500, "internal_error")
    assert secret not in bugged.text
    ours = [record for record in caplog.records if not record.name.startswith("httpx")]
    logged = "\n".join(logging.Formatter().format(record) for record in ours)
    assert "request r1: KeyError < bug:" in logged
    assert "GET /v1/bug/{word} 500" in logged
    for word in (secret, quote(secret), TOKEN, *AUTH.values()):
        assert word not in logged
