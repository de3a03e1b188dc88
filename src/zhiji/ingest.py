"""Turns that happened elsewhere: checked, made safe, stored as closed turns; they sediment like any other.

A session that never expires is never ended, so what it gets is masked at once; one of a running chat, when that ends.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from zhiji import given, masking, session, text
from zhiji.errors import InvalidInput
from zhiji.parts import Parts, new_id
from zhiji.restore import count, when_free
from zhiji.stores.base import NewJob, Once
from zhiji.types import JobKind, Message, Role, Scope, Session, ToolCall
from zhiji.upkeep import archived

MAX_MESSAGES = 10_000
"""Messages of one call; longer histories are ingested in several."""


def _clean(value: object) -> object:
    return text.clean(value) if isinstance(value, str) else value


_Text = Annotated[str, BeforeValidator(_clean)]
_Name = Annotated[_Text, Field(min_length=1)]


class _Function(BaseModel):
    name: _Name
    arguments: _Text = "{}"

    @field_validator("arguments", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        if isinstance(value, str):
            return value
        try:
            return json.dumps(value, ensure_ascii=False, allow_nan=False)
        except (TypeError, RecursionError) as error:
            raise ValueError("must be JSON, as text or as an object") from error


class _Call(BaseModel):
    id: _Name
    function: _Function


class _Given(BaseModel):
    """A message as OpenAI-style clients hold it."""

    model_config = ConfigDict(extra="ignore", arbitrary_types_allowed=True)

    role: Role
    content: _Text | None = None
    name: _Text | None = None
    tool_calls: list[_Call] | None = None
    tool_call_id: _Text | None = None
    time: datetime | None = None


def parse(messages: Sequence[Mapping[str, object]], *, default_time: datetime) -> list[Message]:
    """Return the messages checked and made safe; system messages are left out. A tool result without call is marked.

    Raises:
        InvalidInput: a message does not have the shape; the text names its index and field.
    """
    if len(given.messages(messages)) > MAX_MESSAGES:
        raise InvalidInput(f"more than {MAX_MESSAGES} messages at once; ingest them in several calls")
    parsed: list[Message] = []
    open_calls: set[str] = set()
    for index, raw in enumerate(messages):
        message = _message(index, raw, default_time)
        if message.role == "system":
            continue
        if message.role == "tool":
            message = replace(message, orphan=message.tool_call_id not in open_calls)
            open_calls.discard(message.tool_call_id or "")
        else:
            open_calls = {call.id for call in message.tool_calls}
        parsed.append(message)
    return parsed


def _message(index: int, raw: Mapping[str, object], default_time: datetime) -> Message:
    try:
        sent = _Given.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(f"message {index}: {where or 'message'}: {first['msg']}") from error
    calls = [_flat(call) for call in sent.tool_calls or []]
    redact = masking.redact_document if sent.role == "tool" else masking.redact_secrets
    return Message(
        role=sent.role,
        content=redact(sent.content or ""),
        name=masking.redact_secrets(sent.name) if sent.name else None,
        tool_calls=tuple(calls),
        tool_call_id=sent.tool_call_id,
        time=given.moment(f"message {index}: time", sent.time or default_time),
    )


def _flat(call: _Call) -> ToolCall:
    arguments = masking.redact_document(call.function.arguments)
    return ToolCall(id=call.id, name=call.function.name, arguments=arguments)


async def ingest(
    parts: Parts,
    scope: Scope,
    messages: Sequence[Mapping[str, object]],
    *,
    session_id: str | None,
    time: datetime | None,
    idempotency_key: str | None = None,
) -> Session:
    """The turns are stored with their sediment job; see ``Zhiji.ingest``."""
    now = parts.clock()
    parsed = parse(messages, default_time=now if time is None else given.moment("time", time))
    if not any(message.role == "user" and text.normalise(message.content) for message in parsed):
        raise InvalidInput("there is no user message with visible words; ingest whole turns")
    once = (
        None
        if idempotency_key is None
        else Once(key=given.key("idempotency_key", idempotency_key), digest=_digest(messages, session_id))
    )
    held = await _session(parts, scope, parsed, session_id)
    if once is None or not parts.quotas or await parts.store.keyed_session(scope, once.key, now=now) is None:
        await count(parts, scope)
    kept = parsed if held.expires_at else archived(parsed)
    counted = [replace(message, tokens=parts.counter.message(message)) for message in kept]
    append = partial(
        parts.store.append_turns,
        scope,
        held.id,
        counted,
        jobs=[NewJob(kind=JobKind.SEDIMENT, subject=held.id, run_at=now)],
        now=now,
        create=held if session_id is None else None,
        once=once,
    )
    stored = await when_free(parts, append)
    parts.wake()
    return stored


async def _session(parts: Parts, scope: Scope, messages: Sequence[Message], session_id: str | None) -> Session:
    """Return the session to add to; a new one never expires, so it is an archive from the start."""
    if session_id is not None:
        # Whether it is over is judged by the store, which answers a retry also then.
        return session.require(await parts.store.load_session(scope, session_id), parts.clock(), archived=True)
    return Session(id=new_id("ses"), created_at=messages[0].time, touched_at=messages[-1].time, expires_at=None)


def _digest(messages: Sequence[Mapping[str, object]], session_id: str | None) -> str:
    """Return the hash of what was asked for; never that of a chat message, which holds no list."""
    asked = json.dumps(["ingest", session_id, *messages], skipkeys=True, default=str)
    return hashlib.sha256(asked.encode()).hexdigest()
