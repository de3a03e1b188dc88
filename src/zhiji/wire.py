"""Messages as they are sent: the OpenAI chat format, as strict providers want it. No rule of ours about content is here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from zhiji.types import JsonValue, Message

Wire = dict[str, JsonValue]
"""One message in OpenAI chat format."""

FOLLOWS: Mapping[str, tuple[str, ...]] = {
    "": ("system",),
    "system": ("user",),
    "user": ("assistant",),
    "assistant": ("user",),
    "calls": ("tool",),
    "tool": ("tool", "assistant"),
}
"""Which roles may follow which; ``calls`` is an assistant message with tool calls."""


def render(message: Message) -> Wire:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}
    if not message.tool_calls:
        return {"role": message.role, "content": message.content}
    calls: list[JsonValue] = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": _arguments(call.arguments)}}
        for call in message.tool_calls
    ]
    return {"role": "assistant", "content": message.content if message.content.strip() else None, "tool_calls": calls}


def _arguments(written: str) -> str:
    """Return the arguments as the model wrote them; a broken text, which strict servers refuse for ever, is emptied."""
    try:
        return written if isinstance(json.loads(written), dict) else "{}"
    except (ValueError, RecursionError):
        return "{}"


def validate(messages: Sequence[Mapping[str, JsonValue]]) -> None:
    """Return if a strict provider would take these messages.

    One system message, first; then user and assistant in turns, user first; each call has exactly one result right after
    it, and each result its call; nothing is blank; the last word is the user's or a tool's.

    Raises:
        AssertionError: they are not valid; that is a bug of ours, whatever the history was.
    """
    before, waiting = "", set[JsonValue]()
    for message in messages:
        role = str(message["role"])
        if role not in FOLLOWS[before]:
            raise AssertionError(f"invalid context: {role} follows {before or 'nothing'}")
        if not _is_filled(message):
            raise AssertionError(f"invalid context: a {role} message is blank")
        if role == "tool" and message["tool_call_id"] in waiting:
            waiting.remove(message["tool_call_id"])
        elif role == "tool" or waiting:
            raise AssertionError("invalid context: a result without its call, or a call without its result")
        else:
            waiting = _call_ids(message)
        before = "calls" if waiting and role == "assistant" else role
    if before not in ("user", "tool") or waiting:
        raise AssertionError("invalid context: the last word is not the user's or a tool's")


def _is_filled(message: Mapping[str, JsonValue]) -> bool:
    content = message["content"]
    return bool(message.get("tool_calls")) if content is None else isinstance(content, str) and bool(content.strip())


def _call_ids(message: Mapping[str, JsonValue]) -> set[JsonValue]:
    calls = message.get("tool_calls")
    if not isinstance(calls, list):
        return set()
    ids = {call["id"] for call in calls if isinstance(call, dict)}
    if len(ids) != len(calls):
        raise AssertionError("invalid context: two calls share an id")
    return ids
