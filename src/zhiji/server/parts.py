"""What the routes are handed: the open zhiji, and the names in the path."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path
from pydantic import AfterValidator
from starlette.requests import HTTPConnection

from zhiji import text
from zhiji.engine import Zhiji
from zhiji.server.schemas.base import MAX_ID_CHARS

SLASH = "\0"
"""Stands for an encoded slash inside a segment of ``scope["path"]``; a real NUL never gets past the guard."""


def segment(value: str) -> str:
    """Return a segment of the path as the client meant it."""
    return value.replace(SLASH, "/")


async def opened(connection: HTTPConnection) -> Zhiji:
    """Return the zhiji that the application opened at its start. (Async: else it would run in a thread.)"""
    zj = connection.app.state.zhiji
    assert isinstance(zj, Zhiji)
    return zj


Opened = Annotated[Zhiji, Depends(opened)]
User = Annotated[
    str,
    Path(
        description="Whose memory: the user in the configured tenant. Percent-encode it as one segment, `/` as `%2F`.",
        min_length=1,
        max_length=MAX_ID_CHARS,
        pattern=text.NOT_BLANK,
    ),
    AfterValidator(segment),
]
Id = Annotated[
    str,
    Path(description="Its id; an unknown one is a 404.", min_length=1, max_length=MAX_ID_CHARS),
    AfterValidator(segment),
]
"""An id in the path; an unknown one is a 404."""
