"""What models answer, read tolerantly: a whole body, or a stream of chunks that together say the same. Pure.

The servers that speak this protocol differ: content as a list of parts, arguments as an object, fragments without an
index, reasoning in a field of its own or between ``<think>`` tags at the head of the text. All of it ends as one
``Completion``. Reasoning is no part of the answer, a refusal is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from zhiji.errors import ModelError, ModelRejected
from zhiji.types import Completion, ToolCall

THINK, ANSWER = "<think>", "</think>"
_USAGE = {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens"}


class Unreadable(ValueError):
    """The body is not what the protocol says."""


class BrokenOff(Unreadable):
    """The stream ended before the answer did."""


class Answer:
    """An answer as it comes: one whole body, or many chunks."""

    def __init__(self) -> None:
        self._told: list[str] = []
        self._head = _Head()
        self._calls = _Calls()
        self._usage: dict[str, int] = {}
        self._choice: object = None
        """The index of the choice that is read, the first one that came; a caller's options may ask for several."""
        self.finish: str | None = None
        """Why it ended, as the server words it; None while it has not."""

    def add(self, body: object) -> str:
        """Return the text that a body or chunk adds to the answer.

        Raises:
            Unreadable: it is no object.
        """
        if not isinstance(body, dict):
            raise Unreadable("not an object")
        self._usage.update(_usage(body.get("usage")))
        choices = body.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return ""  # the last chunk of a stream holds the usage only
        index = choice.get("index") or 0
        self._choice = index if self._choice is None else self._choice
        if index != self._choice:
            return ""
        self.finish = choice.get("finish_reason") or self.finish
        part = choice.get("message") or choice.get("delta")
        if not isinstance(part, dict):
            return ""
        calls = part.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            self._calls.add(call)
        text = self._head.rest(_text(part.get("content"))) + _text(part.get("refusal"))
        self._told.append(text)
        return text

    def end(self) -> str:
        """Return the text that was held back until now."""
        text = self._head.end()
        self._told.append(text)
        return text

    def completion(self) -> Completion:
        """Return the whole answer, after ``end``.

        Raises:
            BrokenOff: it has not come to its end.
            ModelRejected: a filter withheld it.
            ModelError: nothing was left of it by the limit of its length.
        """
        made = Completion(text="".join(self._told), tool_calls=self._calls.made(), usage=self._usage)
        if self.finish is None:
            raise BrokenOff("no finish_reason")
        if made.text.strip() or made.tool_calls:
            return made
        if self.finish == "content_filter":
            raise ModelRejected("the endpoint's content filter withheld the answer; rephrase the message")
        if self.finish == "length":
            raise ModelError(
                "the model reached its length limit before it answered; let it think less or answer longer"
            )
        return made


def whole(body: object) -> Completion:
    """Return the answer that a whole body holds.

    Raises:
        Unreadable: it holds none. Otherwise like ``Answer.completion``.
    """
    answer = Answer()
    answer.add(body)
    answer.end()
    if not isinstance(body, dict) or not body.get("choices"):
        raise Unreadable("no choices")
    answer.finish = answer.finish or "stop"  # a whole body is an end in itself
    made = answer.completion()
    thought, tag, rest = made.text.partition(f"{ANSWER}\n")  # the opening tag may stand in the model's template
    return replace(made, text=rest.lstrip()) if tag and THINK not in thought else made


class _Head:
    """The head of a text, up to where reasoning can no longer begin; what comes after passes through."""

    def __init__(self) -> None:
        self._held: str | None = ""
        """None: the head is over."""
        self._thinking = False

    def rest(self, piece: str) -> str:
        """Return what the piece adds to the answer."""
        if self._held is None:
            return piece
        self._held += piece
        seen = self._held.lstrip()
        self._thinking = seen.startswith(THINK)
        if not self._thinking:
            return "" if THINK.startswith(seen) else self.end()
        after = seen.partition(ANSWER)[2].lstrip()
        if not after:
            return ""
        self._held, self._thinking = after, False
        return self.end()

    def end(self) -> str:
        """Return what is held back, unless it is reasoning; the head is over."""
        held, self._held = self._held or "", None
        return "" if self._thinking else held


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class _Calls:
    """Tool calls put together from fragments. Ids and names that are missing stay empty."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_index: dict[int | str | None, _Call] = {}

    def add(self, fragment: object) -> None:
        """The fragment is part of its call, or begins one; what is no object is left out."""
        if not isinstance(fragment, dict):
            return
        function = fragment.get("function")
        function = function if isinstance(function, dict) else {}
        index, id_, name = fragment.get("index"), _text(fragment.get("id")), _text(function.get("name"))
        call = self._call(index if isinstance(index, int | str) else None, id_, name)
        call.id = call.id or id_
        call.name = call.name or name
        call.arguments.append(_arguments(function.get("arguments")))

    def _call(self, index: int | str | None, id: str, name: str) -> _Call:
        """Return the call that a fragment belongs to. Some servers number none, or all alike: then a new id tells."""
        found = self._by_index.get(index)
        if found is None or (name and found.name and (id != found.id or (index is None and not id))):
            found = self._by_index[index] = _Call()
            self._calls.append(found)
        return found

    def made(self) -> tuple[ToolCall, ...]:
        return tuple(
            ToolCall(id=call.id, name=call.name, arguments="".join(call.arguments) or "{}") for call in self._calls
        )


def _arguments(given: object) -> str:
    return given if isinstance(given, str) else "" if given is None else json.dumps(given, ensure_ascii=False)


def _text(given: object) -> str:
    """Return a text, or those of a list of parts."""
    if isinstance(given, list):
        return "".join(_text(part.get("text")) for part in given if isinstance(part, dict) and _is_told(part))
    return given if isinstance(given, str) else ""


def _is_told(part: Mapping[str, object]) -> bool:
    return part.get("type") not in ("thinking", "reasoning")


def _usage(given: object) -> dict[str, int]:
    """Return the tokens that were sent and returned; they overlap with none of the other figures that servers give."""
    given = given if isinstance(given, dict) else {}
    return {ours: given[theirs] for theirs, ours in _USAGE.items() if isinstance(given.get(theirs), int)}
