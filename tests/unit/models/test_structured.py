"""Asking an endpoint for JSON by a schema: what is sent, what is given up when it is refused, and what is remembered."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from zhiji.errors import ContextOverflow, ModelRejected
from zhiji.models.base import ChatMessages, StructuredModel
from zhiji.models.measured import measured
from zhiji.models.openai_compatible import OpenAIModel
from zhiji.telemetry import Telemetry
from zhiji.testing import ScriptedModel
from zhiji.testing.endpoint import Endpoint, Script, failed, overflow, unstructured
from zhiji.types import JsonValue

ASKED: ChatMessages = [{"role": "system", "content": "Answer with JSON."}, {"role": "user", "content": "我叫李四 😀"}]
SCHEMA: dict[str, JsonValue] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
ANSWER = '{"memories": []}'


@asynccontextmanager
async def serving(script: Script, **given: Any) -> AsyncIterator[tuple[Endpoint, OpenAIModel]]:
    async with Endpoint(script) as endpoint:
        model = OpenAIModel("m", **{"base_url": endpoint.url, "timeout_seconds": 20.0, "retries": 0, **given})
        try:
            yield endpoint, model
        finally:
            await model.close()


def formats(endpoint: Endpoint) -> list[str | None]:
    """The formats that were asked for, in order."""
    return [(request.body.get("response_format") or {}).get("type") for request in endpoint.chats]


async def test_a_schema_is_sent_whole() -> None:
    """Name and schema arrive, to be kept strictly; no tools are offered."""
    async with serving([ANSWER]) as (endpoint, model):
        assert (await model.structured(ASKED, SCHEMA, "memories")).text == ANSWER
    body = endpoint.chats[0].body
    assert body["response_format"]["json_schema"] == {"name": "memories", "schema": SCHEMA, "strict": True}
    assert "tools" not in body


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "Unrecognized request argument supplied: response_format"),
        (400, "no reason given"),
        (422, "extra inputs are not permitted"),
        (404, "json_schema is not supported by this model"),
        (500, "grammar: failed to parse json_schema"),
    ],
)
async def test_what_is_refused_is_given_up_once(status: int, message: str) -> None:
    """From schema to any JSON, then to the plain prompt; the next call begins where this one ended."""
    async with serving(unstructured(ANSWER, status=status, message=message)) as (endpoint, model):
        for _ in range(2):
            assert (await model.structured(ASKED, SCHEMA, "memories")).text == ANSWER
    assert formats(endpoint) == ["json_schema", "json_object", None, None]


async def test_any_json_is_better_than_none() -> None:
    """A server without schemas, but with a mode for JSON, is asked for that from then on."""
    async with serving(unstructured(ANSWER, takes=("json_object",))) as (endpoint, model):
        for _ in range(2):
            await model.structured(ASKED, SCHEMA, "memories")
    assert formats(endpoint) == ["json_schema", "json_object", "json_object"]


async def test_a_refusal_for_another_reason_teaches_nothing() -> None:
    """If the plain request is refused as well, the next call asks for the schema again."""
    refused = failed(400, "the content is not acceptable")
    async with serving([refused, refused, refused, ANSWER]) as (endpoint, model):
        with pytest.raises(ModelRejected):
            await model.structured(ASKED, SCHEMA, "memories")
        await model.structured(ASKED, SCHEMA, "memories")
    assert formats(endpoint) == ["json_schema", "json_object", None, "json_schema"]


async def test_a_prompt_that_is_too_long_is_told_as_that() -> None:
    """The refusal of its length is no refusal of the format: it is raised at once."""
    async with serving([overflow()]) as (endpoint, model):
        with pytest.raises(ContextOverflow):
            await model.structured(ASKED, SCHEMA, "memories")
    assert formats(endpoint) == ["json_schema"]


async def test_a_passing_failure_is_repeated_with_the_schema() -> None:
    """A server that is down for a moment has refused nothing."""
    async with serving([failed(503), ANSWER], retries=1) as (endpoint, model):
        await model.structured(ASKED, SCHEMA, "memories")
    assert formats(endpoint) == ["json_schema", "json_schema"]


async def test_a_measured_model_keeps_what_it_can() -> None:
    """Measured, a model can be asked by a schema if it could before, and is called what it was called."""
    async with serving([ANSWER]) as (_, model):
        told = measured(model, Telemetry(), "extract")
        assert isinstance(told, StructuredModel)
        assert (await told.structured(ASKED, SCHEMA, "memories")).text == ANSWER
        assert getattr(told, "name", None) == "m"
    assert not isinstance(measured(ScriptedModel(), Telemetry(), "extract"), StructuredModel)
