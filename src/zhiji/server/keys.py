"""Idempotency keys: a caller's own name for a request, so that sending it again does nothing twice."""

from __future__ import annotations

from typing import Annotated

from fastapi import Header, Request

from zhiji import text
from zhiji.errors import AmbiguousKey
from zhiji.given import MAX_KEY_CHARS

KeyHeader = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="The caller's own name for this request: sent again within 24 h, it does nothing twice.",
        min_length=1,
        max_length=MAX_KEY_CHARS,
        pattern=text.NOT_BLANK,
    ),
]


def given_key(request: Request, in_body: str | None = None) -> str | None:
    """Return the idempotency key, from the header or the body.

    Raises:
        AmbiguousKey: two different ones were given.
    """
    headers = [
        value.encode("latin-1").decode("utf-8", "replace") for value in request.headers.getlist("idempotency-key")
    ]
    keys = {*headers, *([] if in_body is None else [in_body])}
    if len(keys) > 1:
        raise AmbiguousKey
    return next(iter(keys), None)
