"""Short ways to speak to the routes of a user."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import httpx

from server.service import Service


def of(user: str, *segments: str) -> str:
    """The path of something of a user; each segment is encoded by itself."""
    return "/".join(["/v1/users", *(quote(part, safe="") for part in (user, *segments))])


async def asked(client: httpx.AsyncClient, method: str, path: str, status: int = 200, **options: Any) -> Any:
    """The body of an answer that must have this status; None if it has none."""
    answer = await client.request(method, path, **options)
    assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
    return answer.json() if answer.content else None


async def told(service: Service, content: str, *, user: str = "u1", type: str = "preference", **more: Any) -> Any:
    """A memory that was told over HTTP."""
    body = {"content": content, "type": type, **more}
    return await asked(service.client, "POST", of(user, "memories"), 201, json=body)


async def ingested(service: Service, *words: str, user: str = "u1", **more: Any) -> Any:
    """What the service says to turns of these words, each with an answer."""
    messages = [
        message
        for word in words
        for message in ({"role": "user", "content": word}, {"role": "assistant", "content": "好的"})
    ]
    return await asked(service.client, "POST", of(user, "messages"), 202, json={"messages": messages, **more})
