"""Steps 2 to 4 of the path: recall, assemble within the budget, and complete with the model and its tools.

What is recalled, what fits and what a tool result becomes are decided by ``recall``, ``context`` and ``tools``.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from zhiji import context, masking, recall, session, text
from zhiji.errors import (
    ContextTooLarge,
    ModelError,
    ToolLoop,
    ZhijiError,
)
from zhiji.models.base import StreamingModel
from zhiji.parts import Parts, new_id
from zhiji.stores.base import JournalEntry
from zhiji.turn import ActiveTurn, add_message
from zhiji.types import (
    Completion,
    Context,
    Memory,
    Message,
    ToolCall,
    ToolSpec,
)

log = logging.getLogger("zhiji.complete")

ALARM_RATIO = 0.8
"""Share of the window above which a request raises the alarm (article S9.1)."""

_UNNAMEABLE = re.compile(r"[^a-zA-Z0-9_-]")
"""What no provider takes in the name of a function, not even in the history of a conversation."""

OnDelta = Callable[[str], None]


# --- 2 recall -------------------------------------------------------------------------------------------------------


async def recall_for(parts: Parts, turn: ActiveTurn) -> None:
    """``turn.recalled`` holds what is known about this user that bears on the message; the state helps to find it."""
    if not parts.settings.memory_top_k:
        return
    turn.recalled = await recall.recall(
        parts.store,
        parts.embedding.query,
        turn.scope,
        turn.input,
        k=parts.settings.memory_top_k,
        state=turn.session.state,
        now=turn.messages[0].time,
        settings=parts.settings,
        window=(turn.session.id, turn.opened.history[0].seq if turn.opened.history else turn.messages[0].seq),
    )


# --- 3 assemble -----------------------------------------------------------------------------------------------------


async def assemble(parts: Parts, turn: ActiveTurn, tools: tuple[ToolSpec, ...]) -> Context:
    """``turn.context`` is what the model will see, within the budget.

    Raises:
        ContextTooLarge: it does not fit even after the last rung of the ladder.
    """
    profile = await parts.store.profile(turn.scope, now=turn.messages[0].time) if parts.settings.memory_top_k else []
    try:
        assembled = await _assembled(parts, turn, profile, tools)
    except ContextTooLarge:
        parts.tallies["zhiji_ladder_steps_total.refuse"] += 1
        raise
    turn.asked |= assembled.asked
    if assembled.summary is not None:
        await _adopt(parts, turn, *assembled.summary)
    turn.context = assembled.context
    _tally(parts, turn, assembled.context)
    return assembled.context


async def _assembled(
    parts: Parts, turn: ActiveTurn, profile: Sequence[Memory], tools: tuple[ToolSpec, ...]
) -> context.Assembled:
    return await context.assemble(
        prompt=parts.settings.system_prompt,
        profile=profile,
        recalled=turn.recalled,
        session=turn.session,
        history=turn.opened.history,
        current=turn.messages,
        tools=tools,
        settings=parts.settings,
        counter=parts.counter,
        summarise=parts.summarise if not turn.asked and _is_whole(parts, turn) else None,
        now=turn.messages[0].time,
    )


def _is_whole(parts: Parts, turn: ActiveTurn) -> bool:
    """Return whether the history that would be sent begins where the summary ends.

    If a backlog lies between the two, a summary of what follows it would pass it over for good: upkeep has to come first.
    """
    limit, numbers = parts.settings.max_history_turns, {message.turn for message in turn.opened.history}
    first = session.window_start(turn.opened.number - 1, limit, parts.settings.keep_recent_turns)
    return len(numbers) < limit and min(numbers, default=first) >= first


async def _adopt(parts: Parts, turn: ActiveTurn, summary: str, upto: int) -> None:
    """The summary that the ladder made is committed, and its originals leave this turn's working set.

    One that tells what has been deleted serves this request only.
    """
    if not any(seq <= upto for seq in await parts.store.unsaid(turn.scope, turn.session.id)):
        await parts.store.write_summary(
            turn.scope, turn.session.id, summary, upto_seq=upto, expected_upto=turn.session.summary_upto
        )
    turn.opened = replace(
        turn.opened,
        session=replace(turn.session, summary=summary, summary_upto=upto),
        history=[message for message in turn.opened.history if message.seq > upto],
    )


def _tally(parts: Parts, turn: ActiveTurn, made: Context) -> None:
    for step in made.steps:
        parts.tallies[f"zhiji_ladder_steps_total.{step.name}"] += 1
    if made.usage.ratio > ALARM_RATIO:
        parts.tallies["zhiji_context_alarms_total"] += 1
        log.warning("context_alarm: request %s uses %.0f %%", turn.opened.request_id, made.usage.ratio * 100)


# --- 4 complete -----------------------------------------------------------------------------------------------------


async def complete(parts: Parts, turn: ActiveTurn, on_delta: OnDelta | None = None) -> str:
    """Return the model's answer; tools it called are run, and their calls and results are in ``turn.messages``.

    Raises:
        ModelError, ToolLoop: no answer could be had.
        ContextTooLarge: see ``assemble``, which runs again after each round of tools.
    """
    for round_ in range(parts.settings.max_tool_rounds + 1):
        tools = parts.toolbox.specs() if round_ < parts.settings.max_tool_rounds else ()
        made = await assemble(parts, turn, tools)
        answer = await _ask(parts, made, on_delta)
        if not answer.tool_calls:
            if not answer.text.strip():
                raise ModelError("the model returned an empty answer; send the message again")
            return answer.text
        add_message(
            parts,
            turn,
            Message(role="assistant", content=answer.text, tool_calls=answer.tool_calls, time=parts.clock()),
        )
        for call in answer.tool_calls:
            await _run_tool(parts, turn, call)
    raise ToolLoop


async def _ask(parts: Parts, made: Context, on_delta: OnDelta | None) -> Completion:
    try:
        async with asyncio.timeout(parts.settings.model_timeout_seconds):
            if on_delta is not None and isinstance(parts.model, StreamingModel):
                return await _stream(parts.model, made, on_delta)
            answer = await parts.model(made.messages, made.tools)
            if on_delta is not None and not answer.tool_calls:
                on_delta(answer.text)
            return _safe(answer)
    except ZhijiError:
        raise
    except TimeoutError as error:
        raise ModelError(
            f"the model gave no answer within {parts.settings.model_timeout_seconds:g} s; send the message again"
        ) from error
    except Exception as error:
        raise ModelError(f"the model failed ({type(error).__name__}); send the message again") from error


async def _stream(model: StreamingModel, made: Context, on_delta: OnDelta) -> Completion:
    async for piece in model.stream(made.messages, made.tools):
        if isinstance(piece, Completion):
            return _safe(piece)
        on_delta(text.clean(piece))
    raise ModelError("the model's stream ended without an answer; send the message again")


def _safe(answer: Completion) -> Completion:
    """Return the answer as it may be kept and sent again: safe text, usable calls, no secrets in them."""
    calls: dict[str, ToolCall] = {}
    for call in answer.tool_calls:
        id_ = text.clean(call.id or "")
        id_ = id_ if id_ and id_ not in calls else new_id("call")  # each result must find its own call
        arguments = masking.redact_document(text.clean(call.arguments or "{}"))
        calls[id_] = ToolCall(id=id_, name=_UNNAMEABLE.sub("_", call.name)[:64] or "_", arguments=arguments)
    return replace(answer, text=text.clean(answer.text), tool_calls=tuple(calls.values()))


async def _run_tool(parts: Parts, turn: ActiveTurn, call: ToolCall) -> None:
    asked = [one for message in turn.messages for one in message.tool_calls]
    before = asked[: next(at for at, one in enumerate(asked) if one is call)]
    occurrence = sum(one.name == call.name and one.arguments == call.arguments for one in before)
    result = await parts.toolbox.run(
        call, scope=turn.scope, turn_id=turn.id, occurrence=occurrence, journal=_Journal(parts, turn)
    )
    add_message(
        parts,
        turn,
        Message(
            role="tool",
            content=masking.redact_document(result.content),
            name=call.name,
            tool_call_id=call.id,
            time=parts.clock(),
        ),
    )


@dataclass(frozen=True, slots=True)
class _Journal:
    """The store's tool journal, bound to one turn."""

    parts: Parts
    turn: ActiveTurn

    async def start(self, key: str, tool: str) -> JournalEntry | None:
        return await self.parts.store.journal_start(self.turn.scope, self.turn.id, key, tool)

    async def finish(self, key: str, result: str, *, failed: bool) -> None:
        words = masking.redact_document(result)
        await self.parts.store.journal_finish(self.turn.scope, self.turn.id, key, words, failed=failed)
