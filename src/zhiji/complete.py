"""Steps 2 to 4 of the path: recall, assemble within the budget, and complete with the model and its tools.

What is recalled, what fits and what a tool result becomes are decided by ``recall``, ``context`` and ``tools``.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Literal

from zhiji import asking, context, forgetting, masking, overflow, recall, replan, session, text, vectors
from zhiji.errors import (
    ContextOverflow,
    ContextTooLarge,
    DimensionMismatch,
    ModelError,
    ModelTimeout,
    ToolLoop,
    ZhijiError,
)
from zhiji.models.base import StreamingModel
from zhiji.models.measured import calling
from zhiji.overflow import Overflow
from zhiji.parts import Parts, new_id
from zhiji.signals import USAGE_PARTS
from zhiji.stores.base import JournalEntry
from zhiji.telemetry import traced
from zhiji.tools import MAX_CALLS, ToolResult, refused
from zhiji.turn import ActiveTurn, add_message, to_its_end
from zhiji.types import (
    Completion,
    Context,
    Memory,
    Message,
    Recalled,
    Scope,
    State,
    ToolCall,
    ToolSpec,
)

log = logging.getLogger("zhiji.complete")

ALARM_RATIO = 0.8
"""Share of the window above which a request raises the alarm (article S9.1)."""

_UNNAMEABLE = re.compile(r"[^a-zA-Z0-9_-]")
"""What no provider takes in the name of a function, not even in the history of a conversation."""

OnDelta = Callable[[str], None]
"""Gets pieces of the answer as they come."""
OnTool = Callable[[str, Literal["started", "done", "failed"]], None]
"""Gets the name of a tool when its call begins and when it has ended."""


# --- 2 recall -------------------------------------------------------------------------------------------------------


@traced("recall")
async def recall_for(parts: Parts, turn: ActiveTurn) -> None:
    """``turn.recalled`` holds what is known about this user that bears on the message, the state helps to find it; ``turn.remarks``
    what the assistant is to ask or to confirm about memory."""
    await asking.remark(parts, turn)
    if not parts.settings.memory_top_k:
        return
    turn.recalled = await recalled(
        parts,
        turn.scope,
        turn.input,
        k=parts.settings.memory_top_k,
        state=turn.session.state,
        now=turn.messages[0].time,
        window=(turn.session.id, turn.opened.history[0].seq if turn.opened.history else turn.messages[0].seq),
    )
    parts.telemetry.mark(recalled=len(turn.recalled))


async def recalled(
    parts: Parts,
    scope: Scope,
    query: str,
    *,
    k: int,
    state: State | None,
    now: datetime,
    types: Sequence[str] | None = None,
    as_of: datetime | None = None,
    window: tuple[str, int] | None = None,
) -> list[Recalled]:
    """Return what ``recall.recall`` finds in these parts; its time and what it found are counted.

    By keyword alone if the stored vectors are those of another embedder of this name, which is told once.
    """
    with parts.telemetry.timed("zhiji_recall_seconds"):
        ask = partial(
            recall.recall,
            scope=scope,
            query=query,
            k=k,
            state=state,
            types=types,
            as_of=as_of,
            now=now,
            settings=parts.settings,
            window=window,
        )
        try:
            found = await ask(parts.store, parts.embedding.query)
        except DimensionMismatch:
            parts.embedding.tell_unfit()
            found = await ask(parts.store, None)
    await vectors.watch(parts, scope, found)
    for one in found:
        parts.telemetry.count("zhiji_recall_memories_total", via=one.via)
    return found


async def count_use(parts: Parts, scope: Scope, found: Sequence[Memory]) -> None:
    """What a program recalled counts as used, once a day: its fading is put off. Without retention there is none."""
    now = parts.clock()
    used = [memory for memory in found if forgetting.is_new_use(memory, now)]
    if used and parts.settings.retention:
        until = {memory.id: forgetting.expiry_if_used(memory, now) for memory in used}
        await parts.store.count_recalls(scope, until, now=now)


# --- 3 assemble -----------------------------------------------------------------------------------------------------


@traced("assemble")
async def assemble(parts: Parts, turn: ActiveTurn, tools: tuple[ToolSpec, ...]) -> Context:
    """``turn.context`` is what the model will see, within the budget.

    Raises:
        ContextTooLarge: it does not fit even after the last rung of the ladder.
    """
    profile = await parts.store.profile(turn.scope, now=turn.messages[0].time) if parts.settings.memory_top_k else []
    try:
        assembled = await _assembled(parts, turn, profile, tools)
    except ContextTooLarge as refused:
        parts.telemetry.count("zhiji_ladder_steps_total", step="refuse")
        raise refused from turn.overflow
    turn.profile = profile
    turn.asked |= assembled.asked
    if assembled.summary is not None:
        await _adopt(parts, turn, *assembled.summary)
    turn.context = assembled.context
    _tell(parts, turn, assembled.context)
    return assembled.context


async def _assembled(
    parts: Parts, turn: ActiveTurn, profile: Sequence[Memory], tools: tuple[ToolSpec, ...]
) -> context.Assembled:
    return await context.assemble(
        prompt=parts.settings.system_prompt,
        profile=profile,
        recalled=turn.recalled,
        remarks=turn.remarks,
        session=turn.session,
        history=turn.opened.history,
        current=turn.messages,
        tools=tools,
        settings=parts.settings,
        window=parts.window,
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


def _tell(parts: Parts, turn: ActiveTurn, made: Context) -> None:
    """What the request costs is told, once for each request that goes to a model (M32)."""
    usage, telemetry = made.usage, parts.telemetry
    telemetry.mark(tokens=usage.total, limit=usage.limit, steps=len(made.steps))
    telemetry.observe("zhiji_context_ratio", usage.ratio)
    for part in USAGE_PARTS:
        telemetry.observe("zhiji_context_tokens", getattr(usage, part), part=part)
    for step in made.steps:
        telemetry.count("zhiji_ladder_steps_total", step=step.name)
    if usage.ratio > ALARM_RATIO:
        telemetry.count("zhiji_context_alarms_total")
        log.warning("context_alarm: request %s uses %.0f %%", turn.opened.request_id, made.usage.ratio * 100)


# --- 4 complete -----------------------------------------------------------------------------------------------------


@traced("complete")
async def complete(
    parts: Parts, turn: ActiveTurn, on_delta: OnDelta | None = None, on_tool: OnTool | None = None
) -> str:
    """Return the model's answer; tools it called are run, and their calls and results are in ``turn.messages``.

    Raises:
        ModelError, ToolLoop: no answer could be had.
        ContextTooLarge: see ``assemble``, which runs again after each round of tools; or the endpoint refused the request
        for its length twice.
    """
    for round_ in range(parts.settings.max_tool_rounds + 1):
        tools = parts.toolbox.specs() if round_ < parts.settings.max_tool_rounds else ()
        answer = await _answered(parts, turn, tools, on_delta)
        if not answer.tool_calls:
            if not answer.text.strip():
                raise ModelError("the model returned an empty answer; send the message again")
            return answer.text
        add_message(
            parts,
            turn,
            Message(role="assistant", content=answer.text, tool_calls=answer.tool_calls, time=parts.clock()),
        )
        turn.told.clear()
        for at, call in enumerate(answer.tool_calls):
            await _run_tool(parts, turn, call, on_tool, run=at < MAX_CALLS)
    raise ToolLoop


async def _answered(
    parts: Parts, turn: ActiveTurn, tools: tuple[ToolSpec, ...], on_delta: OnDelta | None
) -> Completion:
    """Return the model's next answer in this turn. Once in a turn, a request that was too long for it is planned anew.

    Once pieces of an answer have gone out, there is no second one.
    """
    told = _Told(turn, on_delta)
    while True:
        made = await assemble(parts, turn, tools)
        try:
            answer = await _ask(parts, made, told, said=[turn.input])
        except ContextOverflow as error:
            if told.pieces:
                parts.limits.tell(overflow.read(error) or Overflow())
                raise
            replan.after(parts, turn, error)
            continue
        if replan.was_cut(parts, turn, answer) and not told.pieces and turn.overflow is None:
            turn.overflow = ContextOverflow("the endpoint cut the request short without saying so")
            continue
        if not answer.tool_calls:
            told.rest(answer.text)
        return answer


@dataclass(slots=True)
class _Told:
    """Tells the caller the answer, and the turn what was told: it is kept if the caller leaves."""

    turn: ActiveTurn
    on_delta: OnDelta | None

    @property
    def pieces(self) -> bool:
        return any(self.turn.told)

    def __call__(self, piece: str) -> None:
        if self.on_delta is not None:
            self.on_delta(piece)
            self.turn.told.append(piece)

    def rest(self, whole: str) -> None:
        """The caller has been told the whole answer, if not piece by piece."""
        if not self.pieces:
            self(whole)


async def _ask(parts: Parts, made: Context, told: _Told, *, said: Sequence[str]) -> Completion:
    with calling(parts.telemetry, "turn") as done:
        return done(await _asked(parts, made, told, said=said))


async def _asked(parts: Parts, made: Context, told: _Told, *, said: Sequence[str]) -> Completion:
    try:
        async with asyncio.timeout(parts.settings.model_timeout_seconds):
            if told.on_delta is not None and isinstance(parts.model, StreamingModel):
                return await _stream(parts.model, made, told)
            return _safe(await parts.model(made.messages, made.tools))
    except ZhijiError:
        raise
    except TimeoutError as error:
        raise ModelTimeout(
            f"the model gave no answer within {parts.settings.model_timeout_seconds:g} s; send the message again"
        ) from error
    except Exception as error:
        found = overflow.read(error, said=said)
        if found is not None:
            raise found.error() from error
        raise ModelError(f"the model failed ({type(error).__name__}); send the message again") from error


async def _stream(model: StreamingModel, made: Context, told: _Told) -> Completion:
    async with _closing(model.stream(made.messages, made.tools)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Completion):
                return _safe(piece)
            told(text.clean(piece))
    raise ModelError("the model's stream ended without an answer; send the message again")


@asynccontextmanager
async def _closing(stream: AsyncIterator[str | Completion]) -> AsyncIterator[AsyncIterator[str | Completion]]:
    """A stream that can be closed is closed when its reader leaves, whatever the reason."""
    try:
        yield stream
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()


def _safe(answer: Completion) -> Completion:
    """Return the answer as it may be kept and sent again: safe text, usable calls, no secrets in them."""
    calls: dict[str, ToolCall] = {}
    for call in answer.tool_calls:
        id_ = text.clean(call.id or "")
        id_ = id_ if id_ and id_ not in calls else new_id("call")  # each result must find its own call
        arguments = masking.redact_document(text.clean(call.arguments or "{}"))
        calls[id_] = ToolCall(id=id_, name=_UNNAMEABLE.sub("_", call.name)[:64] or "_", arguments=arguments)
    return replace(answer, text=text.clean(answer.text), tool_calls=tuple(calls.values()))


async def _run_tool(parts: Parts, turn: ActiveTurn, call: ToolCall, on_tool: OnTool | None, *, run: bool) -> None:
    asked = [one for message in turn.messages for one in message.tool_calls]
    before = asked[: next(at for at, one in enumerate(asked) if one is call)]
    occurrence = sum(one.name == call.name and one.arguments == call.arguments for one in before)
    if on_tool is not None:
        on_tool(call.name, "started")
    with parts.telemetry.work("tool", tool=call.name if call.name in parts.toolbox else "unknown") as work:
        result = await _result(parts, turn, call, occurrence) if run else refused()
        work.end(result.outcome, failed=result.failed)
    if on_tool is not None:
        on_tool(call.name, "failed" if result.failed else "done")
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


async def _result(parts: Parts, turn: ActiveTurn, call: ToolCall, occurrence: int) -> ToolResult:
    """Return the result of a call; if the caller leaves, a write is waited for, so that a retry knows what became of it."""
    running = parts.toolbox.run(
        call, scope=turn.scope, turn_id=turn.id, occurrence=occurrence, journal=_Journal(parts, turn)
    )
    return await (to_its_end(running) if parts.toolbox.writes(call.name) else running)


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
