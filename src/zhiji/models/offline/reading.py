"""What the offline assistant was given, taken apart: blocks, history, tool traffic, the user's words. Nothing else is known."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from zhiji import blocks, text
from zhiji.blocks import Lang, Line, Remark
from zhiji.models.base import ChatMessages
from zhiji.text import canonical_id
from zhiji.types import JsonValue, ToolSpec

CALL_PREFIX = "call_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What one tool call gave."""

    tool: str
    asked: str
    """Canonical form of the number that it was asked for."""
    data: Mapping[str, JsonValue]
    """Empty if the result is no JSON object."""

    @property
    def failed(self) -> bool:
        """Whether there is nothing to tell from it."""
        return not self.data or "error" in self.data

    def get(self, name: str) -> str:
        """Return a field as text; empty if absent."""
        value = self.data.get(name)
        return "" if value is None or isinstance(value, dict | list) else str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request, read."""

    said: str
    """The user's words, without the background block."""
    lang: Lang
    """Language to answer in."""
    profile: Mapping[str, str]
    """Label → value."""
    records: tuple[Line, ...]
    """Recalled memories, best first."""
    notes: tuple[Line, ...]
    """The running task: intent, slots, conclusions."""
    remarks: tuple[Remark, ...]
    """What to ask or confirm about memory."""
    summary: str
    history: tuple[str, ...]
    """What user and assistant said in this session, oldest first, without this message."""
    own_words: tuple[str, ...]
    """The user's part of ``history``."""
    earlier: tuple[Result, ...]
    """Results of earlier turns."""
    results: tuple[Result, ...]
    """Results of this turn."""
    offered: Mapping[str, str]
    """Tools that may be called, with the name of the parameter that takes the number."""
    next_call: int
    """Larger than the number in any call id so far."""

    def result(self, tool: str, number: str) -> Result | None:
        """Return what this turn's call of ``tool`` for ``number`` gave."""
        asked = canonical_id(number)
        return next((found for found in self.results if found.tool == tool and found.asked == asked), None)


def read(messages: ChatMessages, tools: Sequence[ToolSpec]) -> Seen:
    """Return what ``messages`` hold; the last user message is the current one, what follows it is this turn's traffic."""
    system = "\n".join(_content(message) for message in messages if message["role"] == "system")
    now = max((at for at, message in enumerate(messages) if message["role"] == "user"), default=-1)
    lines, said = blocks.read_background(_content(messages[now])) if now >= 0 else ([], "")
    parsed = [blocks.read_line(line) for line in lines]
    profile = blocks.read_profile(system)
    before = messages[: max(now, 0)]
    own_words = tuple(_content(message) for message in before if message["role"] == "user")
    return Seen(
        said=said,
        lang=_language(said, own_words, profile),
        profile=profile,
        records=tuple(line for line in parsed if line.date),
        notes=tuple(line for line in parsed if not line.date),
        remarks=tuple(found for line in parsed if (found := blocks.read_remark(line))),
        summary=blocks.read_summary(system),
        history=tuple(_content(message) for message in before if message["role"] in ("user", "assistant")),
        own_words=own_words,
        earlier=tuple(_results(before)),
        results=tuple(_results(messages[now + 1 :])),
        offered={tool.name: _parameter(tool) for tool in tools},
        next_call=max((_call_number(call) for call in _calls(messages)), default=0) + 1,
    )


def _content(message: Mapping[str, JsonValue]) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else ""


def _calls(messages: ChatMessages) -> Iterator[Mapping[str, JsonValue]]:
    for message in messages:
        calls = message.get("tool_calls")
        yield from (call for call in calls if isinstance(call, dict)) if isinstance(calls, list) else ()


def _call_number(call: Mapping[str, JsonValue]) -> int:
    match = re.fullmatch(rf"{CALL_PREFIX}(\d{{1,9}})", str(call.get("id")))
    return int(match[1]) if match else 0


def _results(messages: ChatMessages) -> Iterator[Result]:
    asked = {str(call.get("id")): call.get("function") for call in _calls(messages)}
    for message in messages:
        function = asked.get(str(message.get("tool_call_id"))) if message["role"] == "tool" else None
        if isinstance(function, dict):
            arguments = _object(function.get("arguments"))
            number = next((value for value in arguments.values() if isinstance(value, str)), "")
            data = _object(message.get("content"))
            yield Result(tool=str(function.get("name")), asked=canonical_id(number), data=data)


def _object(value: JsonValue) -> dict[str, JsonValue]:
    try:
        found = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _parameter(tool: ToolSpec) -> str:
    properties = tool.parameters.get("properties")
    names = list(properties) if isinstance(properties, dict) else []
    return next((name for name in names if re.search("order|number|ticket|track|id", name)), names[0] if names else "")


_ENGLISH = re.compile(r"英|english", re.I)
_CHINESE = re.compile(r"中|汉|漢|国语|國語|普通话|chinese|mandarin", re.I)


def _language(said: str, own_words: Sequence[str], profile: Mapping[str, str]) -> Lang:
    wanted = profile.get("语言", profile.get("language", ""))
    if _ENGLISH.search(wanted) and not _CHINESE.search(wanted):
        return "en"
    if _CHINESE.search(wanted) and not _ENGLISH.search(wanted):
        return "zh"
    found = text.language(said)
    return found or blocks.lang_of(*reversed(own_words), *profile.values())
