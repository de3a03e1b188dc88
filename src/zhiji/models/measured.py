"""Calls of a model, measured: how many, how long, how they ended, and what the provider says they cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from zhiji.models.base import ChatMessages, Model, StructuredModel
from zhiji.signals import Use
from zhiji.telemetry import Telemetry
from zhiji.types import Completion, JsonValue, ToolSpec

KINDS: Mapping[str, str] = {"input_tokens": "input", "output_tokens": "output"}
"""Fields of ``Completion.usage`` that are counted, with their label."""
PLAUSIBLE = 10**9
"""More tokens than any call has."""


@contextmanager
def calling(telemetry: Telemetry, use: Use) -> Iterator[Callable[[Completion], Completion]]:
    """Yield what is told the completion, and returns it, at the end of one call of a model."""
    with telemetry.work("model", use=use):

        def done(answer: Completion) -> Completion:
            for name, tokens in reported(answer.usage):
                telemetry.count("zhiji_model_tokens_total", tokens, use=use, kind=KINDS[name])
                telemetry.mark(**{name: tokens})
            return answer

        yield done


def reported(usage: object) -> Iterator[tuple[str, int]]:
    """Yield the counted fields; a host's model may report anything."""
    given: Mapping[str, object] = usage if isinstance(usage, Mapping) else {}
    for name in KINDS:
        tokens = given.get(name)
        if isinstance(tokens, int) and 0 <= tokens <= PLAUSIBLE:
            yield name, tokens


def measured(model: Model, telemetry: Telemetry, use: Use) -> Model:
    """Return the model with its calls measured; it can still be asked for JSON by a schema, if it could."""
    kind = _MeasuredStructured if isinstance(model, StructuredModel) else _Measured
    return kind(model, telemetry, use)


def name_of(model: Model) -> str:
    """Return what a model is called: its ``name``, else that of the function or class."""
    name = getattr(model, "name", None) or getattr(model, "__name__", None)
    return name if isinstance(name, str) else type(model).__name__


class _Measured:
    """A model whose calls are measured."""

    def __init__(self, model: Model, telemetry: Telemetry, use: Use) -> None:
        self._model = model
        self._telemetry = telemetry
        self._use: Use = use
        self.name = name_of(model)

    async def __call__(self, messages: ChatMessages, tools: Sequence[ToolSpec]) -> Completion:
        """Return the model's answer.

        Raises:
            ModelError: no answer could be had.
        """
        with calling(self._telemetry, self._use) as done:
            return done(await self._model(messages, tools))


class _MeasuredStructured(_Measured):
    """The same, of a ``StructuredModel``."""

    async def structured(self, messages: ChatMessages, schema: Mapping[str, JsonValue], name: str) -> Completion:
        """Return the model's answer, see ``StructuredModel``.

        Raises:
            ModelError: no answer could be had.
        """
        assert isinstance(self._model, StructuredModel)
        with calling(self._telemetry, self._use) as done:
            return done(await self._model.structured(messages, schema, name))
