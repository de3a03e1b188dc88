"""What does not fit is one problem with a stable code that names the place, and nothing has changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from server.conftest import OpenService
from server.service import Service, is_problem
from server.words import asked, ingested, of, told
from talk import cells

DEEP: Any = []
for _ in range(20):
    DEEP = [DEEP]
TALK = [{"role": "user", "content": "你好"}]
MEMORY = {"content": "用户喜欢茶", "type": "preference"}

BODIES: list[tuple[str, str, Any, str, str]] = [
    # remember
    ("POST", "memories", {}, "invalid_input", "content"),
    ("POST", "memories", [], "invalid_input", "body"),
    ("POST", "memories", "用户喜欢茶", "invalid_input", "body"),
    ("POST", "memories", {**MEMORY, "contents": "x"}, "invalid_input", "contents"),
    ("POST", "memories", {**MEMORY, "content": 5}, "invalid_input", "content"),
    ("POST", "memories", {**MEMORY, "content": "茶" * 2001}, "invalid_input", "content"),
    ("POST", "memories", {**MEMORY, "content": "\u200b　"}, "empty_message", "content"),
    ("POST", "memories", {**MEMORY, "type": "Preference"}, "invalid_input", "type"),
    ("POST", "memories", {**MEMORY, "type": "episode"}, "invalid_input", "type"),
    ("POST", "memories", {**MEMORY, "importance": 0}, "invalid_input", "importance"),
    ("POST", "memories", {**MEMORY, "importance": 6}, "invalid_input", "importance"),
    ("POST", "memories", {**MEMORY, "importance": "3"}, "invalid_input", "importance"),
    ("POST", "memories", {**MEMORY, "importance": 2.5}, "invalid_input", "importance"),
    ("POST", "memories", {**MEMORY, "importance": True}, "invalid_input", "importance"),
    ("POST", "memories", {**MEMORY, "confidence": 1.01}, "invalid_input", "confidence"),
    ("POST", "memories", {**MEMORY, "confidence": "high"}, "invalid_input", "confidence"),
    ("POST", "memories", {**MEMORY, "key": ""}, "invalid_input", "key"),
    ("POST", "memories", {**MEMORY, "key": "preference:"}, "invalid_key", "key"),
    ("POST", "memories", {**MEMORY, "key": " - "}, "invalid_key", "key"),
    ("POST", "memories", {**MEMORY, "key": "13812345678"}, "invalid_key", "key"),
    ("POST", "memories", {**MEMORY, "value": DEEP}, "invalid_input", "value"),
    ("POST", "memories", {**MEMORY, "value": 2**64}, "invalid_input", "value"),
    ("POST", "memories", {**MEMORY, "value": "长" * 10_001}, "invalid_input", "value"),
    # correct
    ("PATCH", "memories/MEMORY", {}, "invalid_input", "content"),
    ("PATCH", "memories/MEMORY", {"content": " "}, "empty_message", "content"),
    ("PATCH", "memories/MEMORY", {"content": "x", "type": "event"}, "invalid_input", "type"),
    ("PATCH", "memories/MEMORY", {"content": "x", "reason": "因" * 201}, "invalid_input", "reason"),
    # recall
    ("POST", "recall", {}, "invalid_input", "query"),
    ("POST", "recall", {"query": None}, "invalid_input", "query"),
    ("POST", "recall", {"query": "茶" * 20_001}, "invalid_input", "query"),
    ("POST", "recall", {"query": "茶", "k": 0}, "invalid_input", "k"),
    ("POST", "recall", {"query": "茶", "k": 101}, "invalid_input", "k"),
    ("POST", "recall", {"query": "茶", "k": "5"}, "invalid_input", "k"),
    ("POST", "recall", {"query": "茶", "types": "order"}, "invalid_input", "types"),
    ("POST", "recall", {"query": "茶", "types": ["orders"]}, "invalid_input", "types"),
    ("POST", "recall", {"query": "茶", "as_of": "昨天"}, "invalid_input", "as_of"),
    ("POST", "recall", {"query": "茶", "as_of": 1713146400}, "invalid_input", "as_of"),
    ("POST", "recall", {"query": "茶", "as_of": "0001-01-01T00:00:00Z"}, "invalid_input", "as_of"),
    ("POST", "recall", {"query": "茶", "explain": "yes"}, "invalid_input", "explain"),
    ("POST", "recall", {"query": "茶", "top_k": 3}, "invalid_input", "top_k"),
    # ingest
    ("POST", "messages", {"messages": []}, "invalid_input", "messages"),
    ("POST", "messages", {"messages": "我叫李四"}, "invalid_input", "messages"),
    ("POST", "messages", {"messages": [{"role": "user", "content": "\u200b"}]}, "invalid_input", "user message"),
    ("POST", "messages", {"messages": [{"role": "assistant", "content": "你好"}]}, "invalid_input", "user message"),
    ("POST", "messages", {"messages": [{"role": "bot", "content": "x"}]}, "invalid_input", "role"),
    ("POST", "messages", {"messages": [*TALK, {"role": "user", "text": "x"}]}, "invalid_input", "text"),
    ("POST", "messages", {"messages": TALK * 10_001}, "invalid_input", "messages"),
    ("POST", "messages", {"messages": TALK, "time": "2024-13-01T00:00:00Z"}, "invalid_input", "time"),
    ("POST", "messages", {"messages": TALK, "time": "9999-12-31T23:59:59Z"}, "invalid_input", "time"),
    ("POST", "messages", {"messages": TALK, "user_id": "u2"}, "invalid_input", "user_id"),
    # state
    ("PATCH", "STATE", {}, "invalid_input", "changes"),
    ("PATCH", "STATE", {"changes": []}, "invalid_input", "changes"),
    ("PATCH", "STATE", {"changes": {"version": 7}}, "invalid_state", "version"),
    ("PATCH", "STATE", {"changes": {"intent": 5}}, "invalid_state", "intent"),
    ("PATCH", "STATE", {"changes": {"a.b": 1}}, "invalid_state", "a.b"),
    ("PATCH", "STATE", {"changes": {"slots": [1]}}, "invalid_state", "slots"),
    ("PATCH", "STATE", {"changes": {"a": 2**63}}, "invalid_state", "a"),
    ("PATCH", "STATE", {"changes": {"a": DEEP}}, "invalid_state", "a"),
    ("PATCH", "STATE", {"changes": {"a": "长" * 65_536}}, "invalid_state", "slots"),
    ("PATCH", "STATE", {"changes": {"a": 1}, "expected_version": -1}, "invalid_input", "expected_version"),
    ("PATCH", "STATE", {"changes": {"a": 1}, "expected_version": "0"}, "invalid_input", "expected_version"),
]

QUERIES: list[tuple[str, dict[str, Any], str]] = [
    ("memories", {"limit": 0}, "limit"),
    ("memories", {"limit": 1001}, "limit"),
    ("memories", {"limit": "ten"}, "limit"),
    ("memories", {"offset": -1}, "offset"),
    ("memories", {"offset": 2**70}, "offset"),
    ("memories", {"status": "deleted"}, "status"),
    ("memories", {"type": "orders"}, "type"),
    ("memories", {"types": "order"}, "types"),
    ("sessions", {"limit": 1001}, "limit"),
    ("sessions", {"archived": "perhaps"}, "archived"),
    ("sessions/SESSION", {"achived": True}, "achived"),
    ("sessions/SESSION/messages", {"last": 0}, "last"),
    ("sessions/SESSION/messages", {"before": 0}, "before"),
    ("extractions", {"limit": 1001}, "limit"),
    ("extractions", {"session": ""}, "session"),
    ("/v1/jobs", {"status": "lost"}, "status"),
    ("/v1/jobs", {"limit": 1001}, "limit"),
    ("/v1/jobs", {"user": " "}, "user"),
    ("/v1/jobs", {"tenant": "other"}, "tenant"),
]

RAW = (
    b'{"content": "x", "type": "event", "confidence": NaN}',
    b'{"content": "x", "type": "event", "confidence": 1e999}',
    b'{"content": "x", "type": "event", "value": Infinity}',
    b'{"content": "x", "content": "y", "type": "event"}',
    b'{"content": "\\ud83d", "type": "event"}',
    b'{"content": "a\\u0000b", "type": "event"}',
    b'{"content": "\xff", "type": "event"}',
    b'{"content": "x"',
    b"",
    b"null",
    b"[" * 100_000,
    b'{"value": ' + b"9" * 5000 + b"}",
)


class Held:
    """A service that holds a memory and a session, and what its file looks like."""

    def __init__(self, service: Service, memory: str, session: str) -> None:
        self.service = service
        self._names = {"MEMORY": memory, "SESSION": session}
        self._file = Path(service.zj.settings.database_url.removeprefix("sqlite:///"))
        self.before = cells(self._file)

    def path(self, short: str) -> str:
        """The path that a row of the tables means."""
        if short.startswith("/"):
            return short
        segments = short.replace("STATE", "sessions/SESSION/state").split("/")
        return of("u1", *(self._names.get(part, part) for part in segments))

    def is_unchanged(self) -> bool:
        """Whether the file holds what it held."""
        return cells(self._file) == self.before


async def held(service: Service) -> Held:
    """Something that a bad request could spoil."""
    memory = await told(service, "用户喜欢龙井茶", key="tea")
    session = await ingested(service, "我叫李四")
    await asked(
        service.client, "PATCH", of("u1", "sessions", session["session_id"], "state"), json={"changes": {"a": 1}}
    )
    return Held(service, memory["id"], session["session_id"])


async def test_bad_bodies_change_nothing(open_service: OpenService) -> None:
    """Each bad body is refused with its code and the name of what does not fit; the file stays as it is."""
    async with open_service() as service:
        found = await held(service)
        for method, short, body, code, place in BODIES:
            answer = await service.client.request(method, found.path(short), json=body)
            assert is_problem(answer, 422, code), (short, place, answer.text)
            assert place in answer.json()["detail"], (short, place, answer.text)
            assert found.is_unchanged(), (short, place)


async def test_bad_queries_are_refused(open_service: OpenService) -> None:
    """Out of bounds, of another type, misspelt: named, never ignored."""
    async with open_service() as service:
        found = await held(service)
        for short, params, place in QUERIES:
            answer = await service.client.get(found.path(short), params=params)
            assert is_problem(answer, 422, "invalid_input"), (short, params, answer.text)
            assert place in answer.json()["detail"], (short, params, answer.text)
        assert found.is_unchanged()


@pytest.mark.parametrize("raw", RAW, ids=lambda raw: repr(raw[:24]))
async def test_what_is_no_json_is_refused(service: Service, raw: bytes) -> None:
    """Numbers that are not finite, halves of characters, endless nesting: one problem, nothing kept (C110)."""
    answer = await service.client.post(of("u1", "memories"), content=raw, headers={"Content-Type": "application/json"})
    assert is_problem(answer, 422, "invalid_input")
    assert (await asked(service.client, "GET", of("u1", "memories")))["memories"] == []


@pytest.mark.parametrize("key", ["", " ", "k" * 257])
async def test_bad_idempotency_keys_are_refused(service: Service, key: str) -> None:
    """A key is visible text of at most 256 characters."""
    answer = await service.client.post(of("u1", "messages"), json={"messages": TALK}, headers={"Idempotency-Key": key})
    assert is_problem(answer, 422, "invalid_input")


async def test_two_different_keys_are_refused(service: Service) -> None:
    """Which one was meant cannot be known."""
    headers = [("Idempotency-Key", "a"), ("Idempotency-Key", "b")]
    answer = await service.client.post(of("u1", "messages"), json={"messages": TALK}, headers=headers)
    assert is_problem(answer, 400, "ambiguous_key")


async def test_whole_numbers_may_have_a_point(service: Service) -> None:
    """For JSON 3.0 is a whole number, so it is one here."""
    assert (await told(service, "用户喜欢茶", importance=3.0))["importance"] == 3


async def test_problems_never_repeat_what_was_said(service: Service) -> None:
    """A detail names the field, not its content."""
    secret = "我的密码是 hunter2 😀"
    for path, body in (
        ("memories", {"content": secret * 200, "type": "event"}),
        ("memories", {"content": "x", "type": secret}),
        ("recall", {"query": secret, "as_of": secret}),
        ("messages", {"messages": [{"role": secret, "content": secret}]}),
    ):
        answer = await service.client.post(of("u1", path), json=body)
        assert is_problem(answer, 422, "invalid_input")
        assert "hunter2" not in answer.text
