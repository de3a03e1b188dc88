"""A chat model behind an OpenAI-compatible endpoint.

What is sent are the model's name, messages, tools and the ``options`` of the caller, nothing else: no limit of the answer
either, which some servers want as ``max_tokens`` and others only as ``max_completion_tokens``.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from typing import Final

from zhiji.models.base import ChatMessages
from zhiji.models.openai_compatible import answers, failures
from zhiji.models.openai_compatible.client import Client, Tries
from zhiji.types import Completion, JsonValue, ToolSpec

log = logging.getLogger("zhiji.models")

PATH = "/chat/completions"

FORMS: Final = ("json_schema", "json_object", "text")
"""Ways to be given JSON, the strictest first: by a schema, as some JSON, and by the prompt alone."""


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
        self._form = 0
        """The strictest of ``FORMS`` that the endpoint has not refused."""
        self._client = Client(base_url=base_url, api_key=api_key, retries=retries, timeout_seconds=timeout_seconds)

    async def __call__(self, messages: ChatMessages, tools: Sequence[ToolSpec]) -> Completion:
        """Return the answer: text, or tool calls, or both. Cancelled, it closes the connection.

        Raises:
            ContextOverflow, ModelTimeout, ModelRateLimited, ModelUnavailable, ModelRejected, ModelUnauthorized, ModelError:
                no answer could be had; the library's error is chained.
        """
        return await self._asked(self._body(messages, tools), self._client.tries(_texts(messages)))

    async def structured(self, messages: ChatMessages, schema: Mapping[str, JsonValue], name: str) -> Completion:
        """Return an answer that is JSON of this schema, as far as the endpoint can be held to it. Raises as a call does.

        An endpoint that refuses schemas is asked for any JSON instead, and one that refuses that for plain text; what it
        takes is remembered. A refusal for another reason is found out by the plain request, and nothing is remembered.
        """
        tries = self._client.tries(_texts(messages))
        for form in range(self._form, len(FORMS)):
            wanted = _response_format(FORMS[form], schema, name)
            fields = {} if wanted is None else {"response_format": wanted}
            try:
                answer = await self._asked(self._body(messages, (), **fields), tries, refusable=form < len(FORMS) - 1)
            except failures.FormatRefused:
                log.info("response_format_refused: %s by model %s", FORMS[form], self.name)
                continue
            self._form = max(self._form, form)
            return answer
        raise AssertionError("unreachable")

    async def _asked(self, body: Mapping[str, JsonValue], tries: Tries, *, refusable: bool = False) -> Completion:
        while True:
            try:
                async with tries.time():
                    return answers.whole(await self._client.post(PATH, body))
            except failures.LIBRARY as error:
                if refusable and failures.may_refuse_format(error, sent=tries.sent):
                    raise failures.FormatRefused from error
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


def _response_format(form: str, schema: Mapping[str, JsonValue], name: str) -> JsonValue:
    if form == "json_schema":
        return {"type": form, "json_schema": {"name": name, "schema": dict(schema), "strict": True}}
    return {"type": form} if form == "json_object" else None


def _texts(messages: ChatMessages) -> list[str]:
    return [content for message in messages if isinstance(content := message.get("content"), str)]


def _tool(tool: ToolSpec) -> JsonValue:
    function: JsonValue = {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
    }
    return {"type": "function", "function": function}
