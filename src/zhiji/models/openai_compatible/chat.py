"""A chat model behind an OpenAI-compatible endpoint.

What is sent are the model's name, messages, tools and the ``options`` of the caller, nothing else: no limit of the answer
either, which some servers want as ``max_tokens`` and others only as ``max_completion_tokens``.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing

from zhiji.models.base import ChatMessages
from zhiji.models.openai_compatible import answers, failures
from zhiji.models.openai_compatible.client import Client, Tries
from zhiji.types import Completion, JsonValue, ToolSpec

PATH = "/chat/completions"


class OpenAIModel:
    """A ``StreamingModel``. Safe for concurrent tasks of one event loop; ``close`` it in the end."""

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        retries: int = 2,
        timeout_seconds: float = 60.0,
        options: Mapping[str, JsonValue] | None = None,
    ) -> None:
        """``name``: the model's at the endpoint. Without ``base_url``: OpenAI's own; local servers need no ``api_key``.

        A call is repeated ``retries`` times after a passing failure, all within ``timeout_seconds``. ``options``: further
        fields of each request, such as ``temperature``; null leaves a field out.

        Raises:
            ConfigError: neither URL nor key, or one that cannot be right.
        """
        self.name = name
        self._options = dict(options or {})
        self._client = Client(base_url=base_url, api_key=api_key, retries=retries, timeout_seconds=timeout_seconds)

    async def __call__(self, messages: ChatMessages, tools: Sequence[ToolSpec]) -> Completion:
        """Return the answer: text, or tool calls, or both. Cancelled, it closes the connection.

        Raises:
            ContextOverflow, ModelTimeout, ModelRateLimited, ModelUnavailable, ModelRejected, ModelUnauthorized, ModelError:
                no answer could be had; the library's error is chained.
        """
        body, tries = self._body(messages, tools), self._client.tries(_texts(messages))
        while True:
            try:
                async with tries.time():
                    return answers.whole(await self._client.post(PATH, body))
            except failures.LIBRARY as error:
                await tries.again(error)

    async def stream(self, messages: ChatMessages, tools: Sequence[ToolSpec]) -> AsyncIterator[str | Completion]:
        """Yield text pieces, then the whole ``Completion``. Raises as a call does; once a piece is told, nothing is repeated."""
        body = self._body(messages, tools, stream_options={"include_usage": True})
        tries = self._client.tries(_texts(messages))
        while True:
            told = False
            try:
                async with aclosing(self._pieces(body, tries)) as pieces:
                    async for piece in pieces:
                        told = True
                        yield piece
                    return
            except failures.LIBRARY as error:
                await tries.again(error, final=told)

    async def _pieces(self, body: Mapping[str, JsonValue], tries: Tries) -> AsyncGenerator[str | Completion]:
        answer = answers.Answer()
        async with aclosing(self._client.stream(PATH, body, tries)) as events:
            async for event in events:
                if piece := answer.add(event):
                    yield piece
        if piece := answer.end():
            yield piece
        yield answer.completion()

    async def close(self) -> None:
        """Its connections are closed."""
        await self._client.close()

    def _body(self, messages: ChatMessages, tools: Sequence[ToolSpec], **fields: JsonValue) -> Mapping[str, JsonValue]:
        wanted: dict[str, JsonValue] = {
            "model": self.name,
            "messages": [dict(message) for message in messages],
            **fields,
        }
        if tools:  # some servers refuse an empty list
            wanted["tools"] = [_tool(tool) for tool in tools]
        return {name: value for name, value in {**wanted, **self._options}.items() if value is not None}


def _texts(messages: ChatMessages) -> list[str]:
    return [content for message in messages if isinstance(content := message.get("content"), str)]


def _tool(tool: ToolSpec) -> JsonValue:
    function: JsonValue = {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
    }
    return {"type": "function", "function": function}
