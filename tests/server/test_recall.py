"""``/v1/users/{user}/recall``: what bears on a question, whatever the embedder does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from server.conftest import OpenService
from server.service import Service, is_problem
from server.words import asked, of, told

TERMS = {"similarity", "decay", "confidence", "type"}


async def recalled(service: Service, query: str, *, user: str = "u1", **more: Any) -> list[dict[str, Any]]:
    """What is recalled for a question, best first."""
    body = {"query": query, **more}
    found: list[dict[str, Any]] = (await asked(service.client, "POST", of(user, "recall"), json=body))["recalled"]
    return found


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("退货地址是什么？", "退货地址是杭州市文三路 18 号 🏠"),
        ("退货 ＯＤ２０２４０４１５００８", "订单 OD20240415008 正在退货"),
        ("Which tea does she like?", "The user likes oolong tea."),
    ],
)
async def test_what_bears_on_the_question_comes_first(service: Service, query: str, best: str) -> None:
    """In both languages and for full-width numbers, with scores that fall from hit to hit."""
    await told(service, "退货地址是杭州市文三路 18 号 🏠", type="after_sale", key="AS1001")
    await told(service, "订单 OD20240415008 正在退货", type="order", key="OD20240415008")
    await told(service, "The user likes oolong tea.")
    found = await recalled(service, query)
    assert found[0]["memory"]["content"] == best
    scores = [hit["score"] for hit in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert all(hit["terms"] is None and hit["via"] == "keyword" for hit in found)


async def test_terms_are_explained_on_demand(service: Service) -> None:
    """With ``explain``, each term of the score is there, in [0, 1]."""
    await told(service, "用户喜欢龙井茶", confidence=0.8)
    (hit,) = await recalled(service, "喜欢什么茶", explain=True)
    assert set(hit["terms"]) == TERMS
    assert all(0 <= term <= 1 for term in hit["terms"].values())
    assert hit["terms"]["confidence"] == 0.8


async def test_recall_is_cut_by_count_and_type(service: Service) -> None:
    """``k`` memories at most, of the types asked for."""
    for number in range(4):
        await told(service, f"用户喜欢第 {number} 种茶")
    await told(service, "用户买了茶", type="event")
    assert len(await recalled(service, "茶", k=2)) == 2
    found = await recalled(service, "茶", types=["event", "order"])
    assert [hit["memory"]["type"] for hit in found] == ["event"]


async def test_the_past_is_recalled_as_it_was(service: Service) -> None:
    """``as_of`` finds what held then; a time with an offset is the same instant as its UTC."""
    await told(service, "用户住在杭州", type="identity", key="city")
    then = service.clock() + timedelta(hours=1)
    service.clock.advance(timedelta(days=1))
    await told(service, "用户住在北京", type="identity", key="city")
    for moment in (then.isoformat(), then.astimezone().isoformat(), then.isoformat().replace("+00:00", "z")):
        found = await recalled(service, "用户住在哪", as_of=moment)
        assert [hit["memory"]["content"] for hit in found] == ["用户住在杭州"]
    assert [hit["memory"]["content"] for hit in await recalled(service, "用户住在哪")] == ["用户住在北京"]


async def test_the_state_of_a_session_helps(open_service: OpenService) -> None:
    """ "It" is the order of the session; an unknown session is a 404, an ended one 410."""
    async with open_service("好的") as service:
        await told(service, "订单 OD20240415008 的收件人是李四", type="order", key="OD20240415008")
        await told(service, "订单 OD20240415009 的收件人是王五", type="order", key="OD20240415009")
        session = (await service.chat("查一下订单 OD20240415009"))["session_id"]
        found = await recalled(service, "它的收件人是谁", session_id=session, k=1)
        assert found[0]["memory"]["key"] == "order:OD20240415009"
        unknown = await service.client.post(of("u1", "recall"), json={"query": "x", "session_id": "ses_x"})
        assert is_problem(unknown, 404, "session_not_found")
        await asked(service.client, "POST", of("u1", "sessions", session, "end"))
        over = await service.client.post(of("u1", "recall"), json={"query": "x", "session_id": session})
        assert is_problem(over, 410, "session_expired")


class OddEmbedder:
    """An embedder whose vector for a text is the odd one that the text names."""

    name = "odd"
    dim = 4

    def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return np.array([self._vector(text) for text in texts], np.float32)

    embed_passages = embed_queries

    def _vector(self, text: str) -> list[float]:
        odd = {"nan": math.nan, "inf": math.inf, "zero": 0.0, "huge": 3e38}
        value = next((number for name, number in odd.items() if name in text), None)
        return [0.5] * 4 if value is None else [value] * 4


@pytest.mark.parametrize("asked_for", ["tea", "tea nan", "tea inf", "tea zero", "tea huge"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning:numpy")  # the embedder's own arithmetic, not ours
async def test_odd_vectors_never_break_an_answer(open_service: OpenService, asked_for: str) -> None:
    """NaN, infinities, zeros, overflow, of memories and of the question: finite scores, found by the other arm (C110)."""
    async with open_service(embedder_object=OddEmbedder()) as service:
        for name in ("plain", "nan", "inf", "zero", "huge"):
            await told(service, f"The user likes {name} tea.")
        await service.zj.drain()
        found = await recalled(service, asked_for, explain=True, k=10)
        assert len(found) == 5
        for hit in found:
            assert all(math.isfinite(number) and 0 <= number <= 1 for number in (hit["score"], *hit["terms"].values()))
