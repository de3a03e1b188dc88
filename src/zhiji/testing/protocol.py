"""The OpenAI protocol as an endpoint speaks it: requests read, and answers written whole or as a stream of events.

Pure: bytes and values in, bytes and values out. ``zhiji.testing.endpoint`` serves them.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from zhiji.types import Completion, JsonValue, ToolCall

DONE = b"data: [DONE]\n\n"
"""Ends a stream."""
CREATED = 1_748_768_400
"""The time that every answer gives as its own."""


@dataclass(slots=True, kw_only=True)
class Request:
    """A request that an endpoint got."""

    path: str
    """Below the base URL: ``/chat/completions``, ``/embeddings``, ``/models``."""
    headers: Mapping[str, str]
    """Names in lower case."""
    body: Mapping[str, Any]
    """The JSON object that was sent; empty if none was."""
    outcome: Literal["open", "answered", "abandoned"] = "open"
    """Abandoned: the connection was closed before the answer's end, by the client or by a ``cut``."""

    @property
    def messages(self) -> Sequence[Mapping[str, Any]]:
        """The messages of a chat request."""
        messages: Sequence[Mapping[str, Any]] = self.body.get("messages", [])
        return messages

    @property
    def tools(self) -> Sequence[str]:
        """The names of the tools that a chat request offers."""
        return [tool["function"]["name"] for tool in self.body.get("tools", [])]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A completion, and how it is told."""

    text: str | None = ""
    """None: ``null`` content."""
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    """Sent before the text as ``reasoning_content``."""
    refusal: str | None = None
    finish_reason: str | None = None
    """None: ``tool_calls`` if there are any, else ``stop``."""
    usage: Mapping[str, int] | None = None
    """None: the words that were sent and returned are counted, roughly."""
    delay: float = 0.0
    """Seconds before the first byte."""
    between: float = 0.0
    """Seconds before each further piece of a stream."""
    piece_chars: int = 4
    """Characters of a piece of a stream."""
    cut: int | None = None
    """The connection is closed after that many pieces of a stream, or bytes of a whole answer."""
    error: Mapping[str, JsonValue] | None = None
    """Sent in the stream, as ``error``, in place of its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """Exactly this response, well-formed or not."""

    body: object = None
    """A string is sent as it is, anything else as JSON."""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    """Seconds before the first byte."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset:
    """The connection is closed without a byte."""

    delay: float = 0.0


Response = str | Completion | Answer | Raw | Reset
"""What an endpoint does at one request: answer, answer in detail, send something else, or break off."""
Step = Response | Callable[[Request], Response | Awaitable[Response]]
"""A response, or a function that computes it from the request."""
Script = Sequence[Step] | Callable[[Request], Response | Awaitable[Response]]
"""One step for each request, in order, or one function for all of them."""


def failed(
    status: int,
    message: str = "it failed",
    *,
    code: str | None = None,
    type: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Raw:
    """Return an error as OpenAI words it: ``{"error": {"message", "type", "param", "code"}}``."""
    error: dict[str, JsonValue] = {"message": message, "type": type, "param": None, "code": code}
    return Raw(status=status, body={"error": error}, headers=headers or {})


def rate_limited(retry_after: str | float | None = None) -> Raw:
    """Return a 429; ``retry_after`` is seconds or an HTTP date."""
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    return failed(429, "Rate limit reached for requests", code="rate_limit_exceeded", headers=headers)


def overflow(limit: int = 8192, requested: int = 9000) -> Raw:
    """Return the refusal of a request that is longer than the context window, in OpenAI's words."""
    message = (
        f"This model's maximum context length is {limit} tokens. "
        f"However, your messages resulted in {requested} tokens. Please reduce the length of the messages."
    )
    return failed(400, message, code="context_length_exceeded", type="invalid_request_error")


def unstructured(
    answer: str | Completion | Answer,
    *,
    takes: Sequence[str] = (),
    status: int = 400,
    message: str = "'response_format.type' must be 'text'",
) -> Callable[[Request], Response]:
    """Return a step of a server that refuses a ``response_format`` of any type but those it ``takes``, and else answers."""

    def step(request: Request) -> Response:
        wanted = (request.body.get("response_format") or {}).get("type")
        return answer if wanted is None or wanted in takes else failed(status, message)

    return step


def html(status: int = 502) -> Raw:
    """Return the error page of some proxy in between."""
    page = f"<html><head><title>{status}</title></head><body><h1>{status} Bad Gateway</h1></body></html>"
    return Raw(status=status, body=page, headers={"content-type": "text/html"})


def answer(response: str | Completion | Answer) -> Answer:
    """Return the answer in detail."""
    if isinstance(response, Answer):
        return response
    if isinstance(response, str):
        return Answer(text=response)
    return Answer(text=response.text, tool_calls=response.tool_calls, usage=response.usage or None)


def whole(answer: Answer, request: Request) -> dict[str, JsonValue]:
    """Return the body of a completion that is not streamed."""
    message: dict[str, JsonValue] = {"role": "assistant", "content": answer.text}
    if answer.tool_calls:
        message["tool_calls"] = [_call(call) for call in answer.tool_calls]
        message["content"] = answer.text or None
    if answer.reasoning:
        message["reasoning_content"] = answer.reasoning
    if answer.refusal is not None:
        message["refusal"] = answer.refusal
    choice: JsonValue = {"index": 0, "message": message, "finish_reason": _finish(answer)}
    return {**_frame("chat.completion", request), "choices": [choice], "usage": usage(answer, request)}


def events(answer: Answer, request: Request) -> Iterator[bytes]:
    """Yield the events of a streamed completion, but for ``DONE``."""
    frame = _frame("chat.completion.chunk", request)
    yield event({**frame, "choices": [_choice({"role": "assistant", "content": None if answer.text is None else ""})]})
    for delta in _deltas(answer):
        yield event({**frame, "choices": [_choice(delta)]})
    if answer.error is not None:
        yield event({"error": dict(answer.error)})
        return
    yield event({**frame, "choices": [_choice({}, _finish(answer))]})
    if (request.body.get("stream_options") or {}).get("include_usage"):
        yield event({**frame, "choices": [], "usage": usage(answer, request)})


def event(body: JsonValue) -> bytes:
    """Return one server-sent event."""
    return b"data: " + json.dumps(body, ensure_ascii=False).encode() + b"\n\n"


def usage(answer: Answer, request: Request) -> dict[str, JsonValue]:
    """Return the usage of a completion: what the answer says, or the words sent and returned."""
    if answer.usage is not None:
        return dict(answer.usage)
    sent = sum(len(str(message.get("content")).split()) for message in request.messages)
    told = len((answer.text or "").split())
    return {"prompt_tokens": sent, "completion_tokens": told, "total_tokens": sent + told}


def _frame(object_: str, request: Request) -> dict[str, JsonValue]:
    return {"id": "chatcmpl-1", "object": object_, "created": CREATED, "model": str(request.body.get("model", ""))}


def _finish(answer: Answer) -> str:
    return answer.finish_reason or ("tool_calls" if answer.tool_calls else "stop")


def _call(call: ToolCall) -> dict[str, JsonValue]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _choice(delta: dict[str, JsonValue], finish: str | None = None) -> JsonValue:
    return {"index": 0, "delta": delta, "finish_reason": finish}


def _deltas(answer: Answer) -> Iterator[dict[str, JsonValue]]:
    told = (("reasoning_content", answer.reasoning), ("content", answer.text or ""), ("refusal", answer.refusal or ""))
    for name, text in told:
        for piece in _pieces(text, answer.piece_chars):
            yield {name: piece}
    for index, call in enumerate(answer.tool_calls):
        yield {"tool_calls": [{**_call(call), "index": index, "function": {"name": call.name, "arguments": ""}}]}
    fragments = [_pieces(call.arguments, answer.piece_chars) for call in answer.tool_calls]
    for turn in range(max(map(len, fragments), default=0)):  # the fragments of parallel calls come interleaved
        for index, pieces in enumerate(fragments):
            if turn < len(pieces):
                yield {"tool_calls": [{"index": index, "function": {"arguments": pieces[turn]}}]}


def _pieces(text: str, chars: int) -> list[str]:
    return [text[at : at + chars] for at in range(0, len(text), chars)]
