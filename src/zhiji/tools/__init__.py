"""Business tools that the model may call: declared on typed functions, validated, timed, journaled, condensed.

Part of step 4 of the path. A tool that raises, hangs or returns megabytes becomes a short result for the model and never
breaks the turn. A write call is journaled and committed before it runs: a retried turn gets the recorded result, and a
call whose outcome is unknown is not run again unless its tool says that it is idempotent. What a tool raised is told by
class only: its text may hold anything.
"""

from __future__ import annotations

import functools
import hashlib
import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, Protocol

from pydantic_core import to_jsonable_python

from zhiji.config import Settings
from zhiji.errors import ConfigError
from zhiji.stores.base import JournalEntry
from zhiji.text import clean
from zhiji.tokens import Counter
from zhiji.tools import guard
from zhiji.tools.condense import condense, dumps
from zhiji.tools.signature import InvalidArguments, Signature, canonical, read
from zhiji.types import JsonValue, Scope, ToolCall, ToolSpec

Effects = Literal["read", "write"]

Condense = Callable[[JsonValue], JsonValue]
"""Makes a long result short in a tool's own way; what it returns is still cut to the limit."""

NO_OUTPUT = "(no output)"
"""Stands for an empty result: some APIs refuse an empty message."""

_log = logging.getLogger("zhiji.tools")


class Journal(Protocol):
    """The store's journal, bound to one owner and one turn."""

    async def start(self, key: str, tool: str) -> JournalEntry | None:
        """Commit that the call begins and return None; or return the entry, if ``key`` began before."""
        ...

    async def finish(self, key: str, result: str, *, failed: bool) -> None:
        """Record the result of the call."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What one call gave, ready for the transcript."""

    content: str
    """At most ``tool_result_tokens`` long, never empty."""
    failed: bool = False
    """True if ``content`` describes a failure."""
    condensed: bool = False
    """True if the tool said more than ``content`` holds."""
    outcome: str = field(default="ok", compare=False)
    """``ok``, ``recorded`` if it was not run again, or the code of the failure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A declared function."""

    function: Callable[..., object]
    signature: Signature
    effects: Effects
    idempotent: bool
    timeout: float
    """Seconds."""
    condense: Condense | None


class Toolbox:
    """The tools of one zhiji."""

    def __init__(self, settings: Settings, counter: Counter) -> None:
        """``settings`` give the default time-out and the longest result that enters the session."""
        self._settings = settings
        self._counter = counter
        self._tools: dict[str, Tool] = {}

    def add(
        self,
        function: Callable[..., object],
        *,
        effects: Effects = "read",
        idempotent: bool = False,
        timeout: float | None = None,
        condense: Condense | None = None,
    ) -> None:
        """The function is offered to the model under its own name; its docstring tells the model when to call it.

        Args:
            function: sync (run in a thread) or async, typed. A parameter annotated ``Scope`` receives the owner, one
                named ``call_key`` the stable key of the call; the model sees neither.
            effects: ``write`` for anything that must not happen twice.
            idempotent: the tool itself makes a repeated call with the same ``call_key`` harmless.
            timeout: seconds; None takes the default.
            condense: shortens a result that is too long.

        Raises:
            ConfigError: the function cannot be a tool, or there is one of this name; the message says what to do.
        """
        signature = read(function)
        name = signature.spec.name
        if name in self._tools:
            raise ConfigError(f"tool {name}: there is already one of this name; rename the function")
        self._tools[name] = Tool(
            function=function,
            signature=signature,
            effects=effects,
            idempotent=idempotent,
            timeout=timeout or self._settings.tool_timeout_seconds,
            condense=condense,
        )

    def __contains__(self, name: str) -> bool:
        return name in self._tools

    def writes(self, name: str) -> bool:
        """Return whether there is a tool of this name whose calls must not happen twice."""
        tool = self._tools.get(name)
        return tool is not None and tool.effects == "write"

    def specs(self) -> tuple[ToolSpec, ...]:
        """Return the tools as shown to the model, in the order in which they were added."""
        return tuple(tool.signature.spec for tool in self._tools.values())

    async def run(
        self, call: ToolCall, *, scope: Scope, turn_id: str, occurrence: int = 0, journal: Journal | None = None
    ) -> ToolResult:
        """Return the result of one call; failures are results too.

        Args:
            call: as the model wrote it.
            scope: the owner, for tools that ask for it.
            turn_id: with the tool, the arguments and ``occurrence`` it makes the key of the call, which is the same when
                the turn is retried.
            occurrence: how many equal calls this turn has made before.
            journal: protects write calls; without it they run unprotected.
        """
        tool = self._tools.get(call.name)
        if tool is None:
            return _failure("unknown_tool", f"there is no such tool; use one of: {', '.join(self._tools)}")
        try:
            parsed = tool.signature.parse(call.arguments)
        except InvalidArguments as error:
            return _failure("invalid_arguments", str(error))
        key = call_key(turn_id, call.name, canonical(parsed), occurrence)
        work = functools.partial(tool.function, **tool.signature.bind(parsed, scope, key))
        if tool.effects == "write" and journal:
            return await self._run_once(tool, work, key, journal)
        return _told(await self._run(tool, work), tool)

    async def _run_once(self, tool: Tool, work: Callable[[], object], key: str, journal: Journal) -> ToolResult:
        entry = await journal.start(key, tool.signature.spec.name)
        if entry and entry.result is not None:
            return ToolResult(content=entry.result, failed=entry.failed, outcome="recorded")
        if entry and not tool.idempotent:
            return _failure(
                "outcome_unknown",
                "this call began before and was interrupted; it is not repeated: tell the user that it must be checked",
            )
        outcome = await self._run(tool, work)
        result = _told(outcome, tool)
        if not isinstance(outcome, guard.Hung):
            await journal.finish(key, result.content, failed=result.failed)
        return result

    async def _run(self, tool: Tool, work: Callable[[], object]) -> guard.Done[ToolResult] | guard.Raised | guard.Hung:
        return await guard.run(work, functools.partial(self._result, tool.condense), tool.timeout)

    def _result(self, condenser: Condense | None, returned: object) -> ToolResult:
        value = _jsonable(returned)
        full = clean(dumps(value))
        short = full
        if condenser and self._counter.text(full) > self._settings.tool_result_tokens:
            own = guard.attempt(lambda: clean(dumps(_jsonable(condenser(value)))))
            short = own.value if isinstance(own, guard.Done) else full
        content = condense(short, self._settings.tool_result_tokens, self._counter)
        content = content if content.strip() else NO_OUTPUT
        return ToolResult(content=content, condensed=len(content) < len(full))


MAX_CALLS = 32
"""Calls of one answer that are run; of more, a model means none."""


def refused() -> ToolResult:
    """Return the result of a call beyond ``MAX_CALLS``."""
    return _failure("too_many_calls", f"not run: at most {MAX_CALLS} calls at once; repeat what is still needed")


def call_key(turn_id: str, tool: str, arguments: str, occurrence: int) -> str:
    """Return the stable key of a call: SHA-256 of turn, tool, canonical arguments and occurrence."""
    return hashlib.sha256(json.dumps([turn_id, tool, arguments, occurrence]).encode()).hexdigest()


def _jsonable(value: object) -> JsonValue:
    if value is None:
        return ""
    if isinstance(value, Iterator):
        raise TypeError("a tool returns a value, not an iterator: it may have no end")
    found: JsonValue = to_jsonable_python(value, inf_nan_mode="null")
    return found


def _told(outcome: guard.Done[ToolResult] | guard.Raised | guard.Hung, tool: Tool) -> ToolResult:
    name = tool.signature.spec.name
    if isinstance(outcome, guard.Done):
        return outcome.value
    if isinstance(outcome, guard.Raised):
        _log.warning("tool %s raised %s", name, outcome.error)
        return _failure(
            "tool_failed", f"{name} failed ({outcome.error}); tell the user that it cannot be done right now"
        )
    _log.warning("tool %s gave no answer within %g s", name, tool.timeout)
    late = "; it may still take effect: do not repeat it, tell the user that it must be checked"
    return _failure(
        "timeout", f"{name} gave no answer within {tool.timeout:g} s{late if tool.effects == 'write' else ''}"
    )


def _failure(code: str, message: str) -> ToolResult:
    content = dumps({"error": code, "message": message})
    return ToolResult(content=content, failed=True, outcome=code)
