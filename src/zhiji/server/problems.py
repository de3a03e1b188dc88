"""Errors as problem+json (RFC 9457): one table from error class to status. A test fails on an unmapped class."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Match

from zhiji import errors
from zhiji.errors import InvalidInput, MethodNotAllowed, NotFound, ZhijiError

log = logging.getLogger("zhiji.server")

STATUSES: Mapping[type[ZhijiError], int] = MappingProxyType(
    {
        errors.InvalidInput: 422,
        errors.AmbiguousKey: 400,
        errors.MalformedRequest: 400,
        errors.BodyTooLarge: 413,
        errors.UnsupportedMediaType: 415,
        errors.MethodNotAllowed: 405,
        errors.IdempotencyMismatch: 409,
        errors.ConfigError: 500,
        errors.NotFound: 404,
        errors.SessionExpired: 410,
        errors.Conflict: 409,
        errors.ContextTooLarge: 413,
        errors.StoreError: 500,
        errors.StoreBusy: 503,
        errors.StoreUnavailable: 503,
        errors.StoreFull: 507,
        errors.ModelError: 502,
        errors.ModelTimeout: 504,
        errors.ModelRateLimited: 503,
        errors.EmbedderError: 502,
        errors.NotSupported: 501,
        errors.Forbidden: 403,
        errors.Unauthorized: 401,
        errors.UntrustedHost: 421,
        errors.ServiceUnavailable: 503,
        errors.RateLimited: 429,
        errors.RequestTimeout: 504,
    }
)
"""A class that is not listed has the status of its nearest base."""

INTERNAL = 500
INTERNAL_CODE = "internal_error"
"""An exception that is none of ours: a bug."""

MEDIA_TYPE = "application/problem+json"
HEADERS: Mapping[int, Mapping[str, str]] = MappingProxyType(
    {401: {"WWW-Authenticate": 'Bearer realm="zhiji"'}, 503: {"Retry-After": "1"}}
)
"""Headers that say how to go on, by status."""
MAX_FIELD_CHARS = 80
NO_PATH = "There is no such path; /openapi.json lists those that there are."


class Problem(BaseModel):
    """What went wrong, and what to do next (RFC 9457)."""

    type: str = Field("about:blank", description="No page of its own: see `code`.")
    title: str = Field(description="Class of the error.")
    status: int = Field(ge=400, le=599, description="The HTTP status.")
    code: str = Field(description="The class in snake case; never changes.")
    detail: str = Field(description="One sentence: what happened and what to do next. Never what somebody said.")
    retryable: bool = Field(description="Whether the same request may succeed later.")
    request_id: str = Field(description="As in the X-Request-ID header.")
    details: dict[str, str | int | float | None] | None = Field(
        None, description="Further facts, such as the field that does not fit."
    )


def status(error: ZhijiError) -> int:
    """Return the HTTP status of an error."""
    return next((STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES), INTERNAL)


def problem(error: ZhijiError, request_id: str) -> dict[str, object]:
    """Return the body: ``type title status code detail request_id retryable``, and the error's details."""
    return {
        "type": "about:blank",
        "title": type(error).__name__,
        "status": status(error),
        "code": error.code,
        "detail": str(error),
        "retryable": error.retryable,
        "request_id": request_id,
        **({"details": dict(error.details)} if error.details else {}),
    }


def internal(request_id: str) -> dict[str, object]:
    """Return the body for a bug of ours: the log has the place under this id."""
    return {
        "type": "about:blank",
        "title": "InternalError",
        "status": INTERNAL,
        "code": INTERNAL_CODE,
        "detail": "This is a bug in zhiji; its place is in the service's log under this request_id, please report it.",
        "retryable": False,
        "request_id": request_id,
    }


def told(error: Exception, request_id: str) -> dict[str, object]:
    """Return the body for any error; a bug is logged by its place, never by its text."""
    if isinstance(error, ZhijiError):
        return problem(error, request_id)
    log.error("internal_error: request %s: %s", request_id, errors.place(error))
    return internal(request_id)


def response(body: Mapping[str, object], headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return the response of a problem, with the headers that say how to go on."""
    code = int(str(body["status"]))
    return JSONResponse(body, code, {**HEADERS.get(code, {}), **_waiting(body), **(headers or {})}, MEDIA_TYPE)


def _waiting(body: Mapping[str, object]) -> dict[str, str]:
    """Return the header that says after how many whole seconds to come back, if the error knows."""
    details = body.get("details")
    seconds = details.get("retry_after") if isinstance(details, Mapping) else None
    return {} if seconds is None else {"Retry-After": str(max(1, math.ceil(seconds)))}


def read_validation(errors: Sequence[Mapping[str, object]]) -> InvalidInput:
    """Return what does not fit as one error; the input itself is not repeated.

    It names the first field that is unknown, else the first that does not fit: a misspelt name is also a missing one.
    """
    first = next((error for error in errors if error["type"] == "extra_forbidden"), errors[0])
    loc = first["loc"]
    places = [str(part) for part in loc] if isinstance(loc, Sequence) else []
    field = ".".join(places[1:] if len(places) > 1 else places)[:MAX_FIELD_CHARS]
    where = f"{places[0]} field {field}" if len(places) > 1 else f"the {field}"
    return InvalidInput(f"{where}: {_meaning(str(first['type']), str(first['msg']))}; correct it", field=field)


def _meaning(kind: str, message: str) -> str:
    return "this field is not supported" if kind == "extra_forbidden" else message[:1].lower() + message[1:]


def translated(error: Exception, request: Request) -> ZhijiError:
    """Return an error of the framework as one of ours."""
    if isinstance(error, ZhijiError):
        return error
    if isinstance(error, RequestValidationError):
        return read_validation(error.errors())
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        return MethodNotAllowed()
    if error.status_code == 404:
        return NotFound(NO_PATH)
    return InvalidInput("The request cannot be read; correct it.")


async def failed(request: Request, error: Exception) -> Response:
    """Exception handler for all that is raised below the routes."""
    known = translated(error, request)
    headers = {"Allow": ", ".join(_methods(request))} if isinstance(known, MethodNotAllowed) else None
    return response(problem(known, str(request.scope.get("request_id", ""))), headers)


def _methods(request: Request) -> list[str]:
    """Return the methods that this path answers, by any of its routes."""
    routes: Sequence[BaseRoute] = request.app.state.routes
    found = [set(getattr(one, "methods", None) or ()) for one in routes if one.matches(request.scope)[0] != Match.NONE]
    return sorted(set().union(*found))


def documented(*kinds: type[ZhijiError]) -> dict[int | str, dict[str, object]]:
    """Return the ``responses`` of a route that may answer with these errors, for the OpenAPI document."""
    by_status: dict[int, list[type[ZhijiError]]] = {}
    for kind in kinds:
        by_status.setdefault(status(kind()), []).append(kind)
    return {
        code: {
            "description": " ".join(f"`{kind.code}`: {' '.join((kind.__doc__ or '').split())}" for kind in found),
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for code, found in sorted(by_status.items())
    }


def dumps(body: Mapping[str, object]) -> str:
    """Return a body as compact JSON in UTF-8."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
