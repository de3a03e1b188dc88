"""``POST /chat`` and ``POST /v1/chat``: the article's shape, and everything a reply carries."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from server.conftest import OpenService
from server.service import is_problem
from server.tellers import Pausing
from talk import OK
from zhiji.errors import ModelTimeout
from zhiji.models.base import Vectors
from zhiji.server.schemas.memories import Memory

FULL = {
    *("session_id", "created", "resumed_from", "turn_id", "request_id", "reply", "usage", "recalled", "steps"),
    *("replayed", "interrupted"),
}
PARTS = ("system", "memory", "history", "summary", "tool", "input")


async def test_the_article_shape(open_service: OpenService) -> None:
    """``/chat`` answers with exactly a session id and a reply."""
    async with open_service("好的") as service:
        answer = await service.client.post("/chat", json={"user_id": "u1", "message": "你好"})
    assert answer.status_code == 200
    assert set(answer.json()) == {"session_id", "reply"}
    assert answer.json()["reply"] == "好的"


async def test_the_full_reply(open_service: OpenService) -> None:
    """``/v1/chat`` tells what the request cost, what was recalled and why, and the steps taken."""
    async with open_service(model="offline") as service:
        await service.chat("我叫李四，订单 OD20240415008 想退货")
        await service.zj.drain("u1")
        reply = await service.chat("我叫什么？")
        seen = await service.zj.context("u1", reply["request_id"])
    usage, recalled = reply["usage"], reply["recalled"]
    assert reply.keys() == FULL
    assert usage["total"] == sum(usage[part] for part in PARTS) == seen.usage.total
    assert usage["ratio"] == pytest.approx((usage["total"] + usage["reserve"]) / usage["limit"])
    assert {item["memory"]["key"] for item in recalled} >= {"identity:name"}
    for item in recalled:
        assert item.keys() == {"memory", "score", "terms", "via"}
        assert item["memory"].keys() == Memory.model_fields.keys()
        assert item["terms"].keys() == {"similarity", "decay", "confidence", "type"}
        assert all(0 <= number <= 1 for number in (item["score"], *item["terms"].values()))
    assert reply["created"]
    assert reply["steps"] == []


async def test_steps_are_told(open_service: OpenService) -> None:
    """A request that did not fit tells the rungs of the ladder that it took."""
    history = [{"role": role, "content": "退货地址" * 8} for _ in range(30) for role in ("user", "assistant")]
    async with open_service(*OK, max_context_tokens=1200, reply_reserve_tokens=100) as service:
        session = (await service.zj.ingest("u1", history)).id
        reply = await service.chat("地址没问题吧", session_id=session)
    assert reply["steps"][0]["name"] == "fewer_turns"
    assert reply["steps"][0].keys() == {"name", "removed", "tokens_before", "tokens_after", "reason"}


async def test_sessions_carry_on_and_unknown_ones_are_refused(open_service: OpenService) -> None:
    """Without an id a session opens, with it the same goes on, an unknown one is a 404, never a new one (C030)."""
    async with open_service("first", "second") as service:
        first = await service.chat("turn one")
        second = await service.chat("turn two", session_id=first["session_id"])
        unknown = await service.client.post("/chat", json={"user_id": "u1", "session_id": "zzz", "message": "three"})
        seen = await service.zj.context("u1", second["request_id"])
        sessions = await service.zj.sessions.list("u1")
    assert first["created"]
    assert (second["session_id"], second["created"]) == (first["session_id"], False)
    assert any("turn one" in str(message["content"]) for message in seen.messages)
    assert is_problem(unknown, 404, "session_not_found")
    assert len(sessions) == 1


@pytest.mark.parametrize("path", ["/chat", "/v1/chat"])
async def test_a_foreign_session_is_as_unknown_as_any(open_service: OpenService, path: str) -> None:
    """Another user's session gets the very answer that an invented one gets, whatever its state."""
    async with open_service(*OK) as service:
        live, ended = await service.chat_id(user="u1"), await service.chat_id(user="u1")
        await service.zj.sessions.end("u1", ended)
        answers = [
            await service.client.post(
                path, json={"user_id": "u2", "session_id": session, "message": "hi"}, headers={"X-Request-ID": "r"}
            )
            for session in (live, ended, "ses_invented")
        ]
    assert all(is_problem(answer, 404, "session_not_found") for answer in answers)
    assert len({answer.content for answer in answers}) == 1


async def test_an_expired_session_carries_on(open_service: OpenService) -> None:
    """The user's own expired session opens a new one that carries on, by default and by name; on wish it is a 410."""
    async with open_service(*OK) as service:
        first = await service.chat("hi")
        service.clock.advance(timedelta(days=1))
        body = {"user_id": "u1", "session_id": first["session_id"], "message": "again"}
        gone = await service.client.post("/v1/chat", json={**body, "on_expired": "error"})
        renewed = await service.chat("again", session_id=first["session_id"], on_expired="new")
        service.clock.advance(timedelta(days=1))
        article = await service.client.post("/chat", json={**body, "session_id": renewed["session_id"]})
    assert is_problem(gone, 410, "session_expired")
    assert (renewed["created"], renewed["resumed_from"]) == (True, first["session_id"])
    assert article.json()["session_id"] not in (first["session_id"], renewed["session_id"])


# --- idempotency ------------------------------------------------------------------------------------------------------


async def test_the_header_and_the_field_are_the_same_key(open_service: OpenService) -> None:
    """A key in either place names the same message, for both routes; both places may say the same."""
    body = {"user_id": "u1", "message": "hi"}
    async with open_service("once") as service:
        first = await service.chat("hi", idempotency_key="键-1")
        header = {b"Idempotency-Key": "键-1".encode()}
        by_header = await service.client.post("/v1/chat", json=body, headers=header)
        by_both = await service.client.post("/v1/chat", json={**body, "idempotency_key": "键-1"}, headers=header)
        article = await service.client.post("/chat", json=body, headers=header)
    assert by_header.json()["turn_id"] == by_both.json()["turn_id"] == first["turn_id"]
    assert by_header.json()["replayed"]
    assert article.json() == {"session_id": first["session_id"], "reply": "once"}


async def test_two_keys_are_ambiguous(open_service: OpenService) -> None:
    """A header and a field that differ, or two headers that do, are refused before anything is run."""
    body = {"user_id": "u1", "message": "hi"}
    async with open_service() as service:
        differ = await service.client.post(
            "/v1/chat", json={**body, "idempotency_key": "a"}, headers={"Idempotency-Key": "b"}
        )
        twice = await service.client.post(
            "/chat", json=body, headers=[("Idempotency-Key", "a"), ("Idempotency-Key", "b")]
        )
        sessions = await service.zj.sessions.list("u1")
    assert is_problem(differ, 400, "ambiguous_key")
    assert is_problem(twice, 400, "ambiguous_key")
    assert sessions == []


@pytest.mark.parametrize("key", ["", " ", "k" * 257])
async def test_a_key_that_is_none(open_service: OpenService, key: str) -> None:
    """A blank or overlong key is refused."""
    async with open_service() as service:
        answer = await service.client.post("/v1/chat", json={"user_id": "u1", "message": "hi", "idempotency_key": key})
    assert is_problem(answer, 422, "invalid_input")


async def test_a_key_with_another_message(open_service: OpenService) -> None:
    """The same key with other words is a conflict (C145)."""
    async with open_service("once") as service:
        await service.chat("hi", idempotency_key="k1")
        answer = await service.client.post(
            "/v1/chat", json={"user_id": "u1", "message": "other", "idempotency_key": "k1"}
        )
    assert is_problem(answer, 409, "idempotency_mismatch")


async def test_retries_while_the_first_still_runs(live: OpenService) -> None:
    """Clients that time out and repeat while the server goes on get the one reply, three times at once (C145)."""
    model = Pausing("the answer")
    async with live(model=model) as service:
        body = {"user_id": "u1", "message": "hi", "idempotency_key": "k1"}
        first = asyncio.create_task(service.client.post("/v1/chat", json=body))
        await model.waiting.wait()
        first.cancel()
        retries = [asyncio.create_task(service.chat("hi", idempotency_key="k1")) for _ in range(3)]
        await asyncio.sleep(0)
        model.release.set()
        replies = await asyncio.gather(*retries)
    assert {reply["reply"] for reply in replies} == {"the answer"}
    assert {reply["replayed"] for reply in replies} == {True}
    assert model.turns == 1


async def test_a_failed_turn_may_be_repeated(open_service: OpenService) -> None:
    """A turn whose model failed is run again under its key."""
    async with open_service(ModelTimeout(), "at last") as service:
        body = {"user_id": "u1", "message": "hi", "idempotency_key": "k1"}
        failed = await service.client.post("/v1/chat", json=body)
        again = await service.chat("hi", idempotency_key="k1")
    assert is_problem(failed, 504, "model_timeout")
    assert (again["reply"], again["replayed"]) == ("at last", False)


async def test_keys_are_each_user_s_own(open_service: OpenService) -> None:
    """The same key of two users names two messages."""
    async with open_service("for one", "for two") as service:
        one = await service.chat("hi", user="u1", idempotency_key="k1")
        two = await service.chat("hi", user="u2", idempotency_key="k1")
    assert (one["reply"], two["reply"]) == ("for one", "for two")


# --- odd input ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("message", ["", " \n\t", "\u200b"])
async def test_a_message_without_words(open_service: OpenService, message: str) -> None:
    """Nothing visible is refused by its own code."""
    async with open_service() as service:
        answer = await service.client.post("/chat", json={"user_id": "u1", "message": message})
    assert is_problem(answer, 422, "empty_message")


async def test_a_message_that_cannot_fit(open_service: OpenService) -> None:
    """A message longer than the window is refused with how to go on."""
    async with open_service() as service:
        answer = await service.client.post("/chat", json={"user_id": "u1", "message": "长" * 20_000})
    assert is_problem(answer, 413, "context_too_large")


@pytest.mark.parametrize("user", [" ", "a\u2028b", "u\u00a01", "用户/1?", "😀" * 256])
async def test_odd_users(open_service: OpenService, user: str) -> None:
    """A user id is any valid text; a blank one is refused."""
    async with open_service(*OK) as service:
        answer = await service.client.post("/chat", json={"user_id": user, "message": "hi"})
    assert answer.status_code == (200 if user.strip() else 422)


async def test_what_is_wide_comes_back_whole(open_service: OpenService) -> None:
    """Full-width text, emoji and combining marks pass in and out unchanged."""
    words = "Ｏｋ　好👩‍👩‍👧é𠮷\u2028"
    async with open_service(words) as service:
        reply = await service.chat(words)
        told = await service.zj.sessions.messages("u1", reply["session_id"])
    assert reply["reply"] == words
    assert [message.content for message in told] == [words, words]


class Odd:
    """An embedder whose vectors are zero, not numbers, or beyond all bounds."""

    name = "odd"
    dim = 4
    values = (0.0, float("nan"), float("inf"), 1e38)

    def embed_queries(self, texts: list[str]) -> Vectors:
        """Return float32 (n, dim), of no use."""
        return np.stack([np.full(self.dim, self.values[len(text) % 4], np.float32) for text in texts])

    embed_passages = embed_queries


async def test_scores_are_finite_whatever_the_embedder_returns(open_service: OpenService) -> None:
    """Vectors that are zero, NaN or infinite never make a reply that is not JSON (C110)."""
    async with open_service(model="offline", embedder_object=Odd()) as service:
        for number in range(4):
            await service.zj.remember("u1", f"订单 OD2024041500{number} 想退货" + "。" * number, type="event")
        await service.zj.drain("u1")
        replies: list[dict[str, Any]] = [await service.chat("退货" + "。" * number) for number in range(4)]
    for reply in replies:
        assert len(reply["recalled"]) == 4
        assert all(0 <= item["score"] <= 1 for item in reply["recalled"])
