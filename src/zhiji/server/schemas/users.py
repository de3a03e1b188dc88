"""Who a user is, and what was removed of one."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue

from zhiji.server.schemas.base import Count, Out
from zhiji.server.schemas.memories import Memory


class Profile(Out):
    """Who a user is, as far as it is known."""

    user_id: str
    """Whose profile it is."""
    values: dict[str, JsonValue]
    """By key: `identity:name`, `identity:call_me`, `identity:address.default`, `preference:reply_style` …."""
    memories: list[Memory]
    """The memories that say so."""


class Erased(Out):
    """What was removed."""

    user_id: str
    """Who was erased."""
    erased_at: datetime
    """UTC."""
    removed: dict[str, Count]
    """Rows by kind: `sessions`, `messages`, `memories` …."""
    total: Count
    """Rows in all."""
