"""The OpenAPI document: what FastAPI derives, plus what the guard adds to every route."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from zhiji.errors import (
    BodyTooLarge,
    InvalidInput,
    NotFound,
    Overloaded,
    RequestTimeout,
    ShuttingDown,
    Unauthorized,
    UnsupportedMediaType,
    UntrustedHost,
)
from zhiji.server.guard import OPEN_PATHS
from zhiji.server.problems import Problem, documented

ABOUT = (
    "Memory for conversational agents. Every request but the probes carries `Authorization: Bearer TOKEN`; "
    "every error is `application/problem+json` with a stable `code`. A WebSocket at `/v1/ws` takes the fields of "
    "`POST /v1/chat` as JSON frames and answers with `{event, data}`."
)
GUARDED = (NotFound, InvalidInput, Unauthorized, UntrustedHost, Overloaded, ShuttingDown, RequestTimeout)
WITH_BODY = (BodyTooLarge, UnsupportedMediaType)


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Where the ids that one route answers lead to."""

    source: str
    """Operation id."""
    parameter: str
    """Name of the id in the paths of the targets."""
    found_at: str
    """JSON pointer into the answer."""
    targets: tuple[str, ...]
    user: str = "$request.path.user"

    def add(self, paths: Mapping[str, Mapping[str, Any]]) -> None:
        """The links stand in the document, in the answers of success of the source."""
        operations = [operation for methods in paths.values() for operation in methods.values()]
        source = next(operation for operation in operations if operation["operationId"] == self.source)
        parameters = {"user": self.user, self.parameter: f"$response.body#{self.found_at}"}
        answer = next(answer for status, answer in source["responses"].items() if status.startswith("2"))
        answer.setdefault("links", {}).update(
            {target: {"operationId": target, "parameters": parameters} for target in self.targets}
        )


_OF_MEMORY = ("memories_get", "memories_history", "memories_correct", "memories_restore", "memories_delete")
_OF_SESSION = ("sessions_get", "sessions_messages", "state_get", "state_patch", "sessions_end")
LINKS = (
    Links(source="remember", parameter="memory", found_at="/id", targets=_OF_MEMORY),
    Links(source="memories_correct", parameter="memory", found_at="/id", targets=_OF_MEMORY),
    Links(source="sessions_start", parameter="session", found_at="/id", targets=_OF_SESSION),
    Links(source="ingest", parameter="session", found_at="/session_id", targets=_OF_SESSION),
    Links(
        source="chat_in_full",
        parameter="request",
        found_at="/request_id",
        targets=("context",),
        user="$request.body#/user_id",
    ),
)


def describe(app: FastAPI) -> None:
    """``app.openapi()`` returns the whole truth."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # how FastAPI documents that it is extended


def _document(app: FastAPI) -> dict[str, Any]:
    made = get_openapi(title=app.title, version=app.version, description=ABOUT, routes=app.routes)
    components = made.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas["Problem"] = Problem.model_json_schema()
    components["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": "What `zhiji token` shows."}
    }
    for links in LINKS:
        links.add(made["paths"])
    for path, operations in made["paths"].items():
        for operation in operations.values():
            _summarise(operation)
            if path not in OPEN_PATHS:
                _guard(operation)
    return made


def _summarise(operation: dict[str, Any]) -> None:
    """The first sentence of what a route says of itself is its summary, the rest its description."""
    first, _, rest = " ".join(operation.pop("description").split()).partition(". ")
    operation["summary"] = first.removesuffix(".")
    if rest:
        operation["description"] = rest


def _guard(operation: dict[str, Any]) -> None:
    operation["security"] = [{"token": []}]
    responses = operation["responses"]
    kinds = (*GUARDED, *(WITH_BODY if "requestBody" in operation else ()))
    if "application/json" in responses.get("422", {}).get("content", {}):
        del responses["422"]  # FastAPI's own shape, which is never sent
    for code, described in documented(*kinds).items():
        known = responses.get(str(code))
        if known is None:
            responses[str(code)] = described
        else:
            known["description"] = f"{known['description']} {described['description']}"
