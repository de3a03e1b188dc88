"""Errors as problems: every class has its status, every one is the same shape, and none repeats what was sent."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from server.conftest import OpenService
from server.service import is_problem
from zhiji import errors
from zhiji.errors import ZhijiError
from zhiji.server.problems import STATUSES, problem, response, status

KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ZhijiError)]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind is not ZhijiError], ids=lambda kind: kind.__name__)
def test_every_error_is_mapped(kind: type[ZhijiError]) -> None:
    """No error class is without a status of its own or of its base."""
    assert any(base in STATUSES for base in kind.__mro__)
    assert 400 <= status(kind()) <= 599


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        *((errors.EmptyMessage, 422), (errors.AmbiguousKey, 400), (errors.IdempotencyMismatch, 409)),
        *((errors.SessionNotFound, 404), (errors.MemoryNotFound, 404), (errors.SessionExpired, 410)),
        *((errors.SessionBusy, 409), (errors.ContextTooLarge, 413), (errors.StoreBusy, 503), (errors.ToolLoop, 502)),
        *((errors.StoreUnavailable, 503), (errors.StoreError, 500), (errors.RateLimited, 429)),
        *((errors.Unauthorized, 401), (errors.UntrustedHost, 421), (errors.ShuttingDown, 503), (ZhijiError, 500)),
    ],
)
def test_statuses_say_who_has_to_act(kind: type[ZhijiError], expected: int) -> None:
    """4xx: the caller; 502 to 504: wait or look behind us; 500: us."""
    assert status(kind()) == expected


def test_the_shape_of_a_problem() -> None:
    """A problem has exactly these fields, its code is the class in snake case, its details only if there are any."""
    told = problem(errors.BodyTooLarge(limit=5), "r1")
    assert list(told) == ["type", "title", "status", "code", "detail", "retryable", "request_id", "details"]
    assert (told["code"], told["status"], told["details"]) == ("body_too_large", 413, {"limit": 5})
    assert "details" not in problem(errors.StaleState(), "r1")


def test_headers_say_how_to_go_on() -> None:
    """401 names the scheme; 503 and 429 say after how many whole seconds to come back, as far as the error knows."""
    assert response(problem(errors.Unauthorized(), "r1")).headers["www-authenticate"] == 'Bearer realm="zhiji"'
    for error, seconds in (
        (errors.Overloaded(), "1"),
        (errors.RateLimited(retry_after=42), "42"),
        (errors.ModelRateLimited(retry_after=2.1), "3"),
        (errors.ModelRateLimited(retry_after=0.0), "1"),
        (errors.ModelRateLimited(retry_after=None), "1"),
    ):
        assert response(problem(error, "r1")).headers["retry-after"] == seconds


# --- what the framework raises --------------------------------------------------------------------------------------------

SECRET = "四一五八-密"
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "missing": ({"user_id": "u1"}, "message"),
    "null": ({"user_id": "u1", "message": None}, "message"),
    "a number": ({"user_id": "u1", "message": 7391}, "message"),
    "a list": ({"user_id": "u1", "message": [SECRET]}, "message"),
    "no user": ({"user_id": "", "message": SECRET}, "user_id"),
    "a long user": ({"user_id": SECRET * 100, "message": "hi"}, "user_id"),
    "not of the set": ({"user_id": "u1", "message": "hi", "on_expired": SECRET}, "on_expired"),
    "not a truth": ({"user_id": "u1", "message": "hi", "stream": SECRET}, "stream"),
    "unknown field": ({"user_id": "u1", "message": "hi", "sesion_id": SECRET}, "sesion_id"),
    "misspelt, and so missing": ({"user": SECRET, "message": "hi"}, "user"),
    "a history": ({"user_id": "u1", "message": "hi", "messages": [{"role": "user", "content": SECRET}]}, "messages"),
}


@pytest.mark.parametrize(("body", "field"), WRONG.values(), ids=WRONG.keys())
async def test_what_does_not_fit_is_named(client: httpx.AsyncClient, body: dict[str, Any], field: str) -> None:
    """The field that does not fit is named, a field that we do not know too (C144); what was sent is not repeated."""
    answer = await client.post("/v1/chat", json=body)
    assert is_problem(answer, 422, "invalid_input")
    assert answer.json()["details"] == {"field": field}
    assert field in answer.json()["detail"]
    assert SECRET not in answer.text
    assert "7391" not in answer.json()["detail"]


@pytest.mark.parametrize("path", ["/", "/none", "/v1", "/chat/", "/v1/users//memories", "/docs", "/redoc"])
async def test_an_unknown_path(client: httpx.AsyncClient, path: str) -> None:
    """A path that is not there is a plain 404."""
    assert is_problem(await client.get(path), 404, "not_found")


async def test_a_method_that_a_path_does_not_answer(client: httpx.AsyncClient) -> None:
    """The Allow header names every method of the path, whichever route answers it."""
    answer = await client.delete("/v1/chat")
    assert is_problem(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "POST"


async def test_a_bug_is_a_problem_too(open_service: OpenService) -> None:
    """An exception that is none of ours is a 500 with the request's id and without its words."""
    async with open_service() as service:

        @service.app.get("/v1/bug")
        async def bug() -> str:
            raise RuntimeError(SECRET)

        answer = await service.client.get("/v1/bug", headers={"X-Request-ID": "r1"})
    assert is_problem(answer, 500, "internal_error")
    assert answer.json()["request_id"] == "r1"
    assert SECRET not in answer.text


# --- the document ---------------------------------------------------------------------------------------------------------


async def test_the_document_tells_every_answer(client: httpx.AsyncClient) -> None:
    """Every operation names the token and the statuses of the guard, all errors as problems; nothing dangles."""
    document = (await client.get("/openapi.json")).json()
    assert "HTTPValidationError" not in str(document)
    for path, operations in document["paths"].items():
        for operation in operations.values():
            if path in ("/healthz", "/readyz"):
                assert "security" not in operation
                continue
            assert operation["security"] == [{"token": []}]
            assert {"401", "404", "421", "422", "503", "504"} <= operation["responses"].keys()
            assert ({"413", "415"} <= operation["responses"].keys()) == ("requestBody" in operation)
            for code, described in operation["responses"].items():
                if int(code) >= 400:
                    assert list(described["content"]) == ["application/problem+json"]


async def test_the_document_names_the_codes(client: httpx.AsyncClient) -> None:
    """What a status may mean is told by the codes of its errors."""
    document = (await client.get("/openapi.json")).json()
    conflict = document["paths"]["/v1/chat"]["post"]["responses"]["409"]["description"]
    assert all(f"`{code}`" in conflict for code in ("session_busy", "idempotency_mismatch", "lease_lost"))
