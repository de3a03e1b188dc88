"""Step 3 of the path, assemble: everything that the model sees in one call, within one token budget.

System message: the host's prompt as it is, then the profile and the summary, both stable from request to request. Then
closed past turns, then the current user message: background block, a blank line, the user's words as typed; then this
turn's calls and results. What does not fit goes down the ladder. Each context is validated before it leaves, and leaves
a recipe of ids from which ``rebuild`` makes it again. Wording is in ``blocks``, giving up in ``ladder``; nothing is
read or written here, and only the summariser is waited for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from zhiji import blocks, ladder, masking, wire
from zhiji import session as rules
from zhiji.config import DEFAULT_PROMPT, Settings
from zhiji.errors import EmptyMessage
from zhiji.ladder import Fold
from zhiji.limits import Window
from zhiji.models.base import Summarise
from zhiji.plan import Line, Plan, shortened
from zhiji.tokens import MARKER, Counter
from zhiji.types import Context, Memory, Message, Recalled, Recipe, Session, Step, ToolSpec, Turn

NOTES_SHARE = 0.1
"""Share of the room that notes on the state may take; the longest go first."""
NO_SUMMARY = -1
"""``Recipe.summary_upto`` of a context without a summary; 0 is the summary that a resumed session began with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """A context, and what has to be stored with it."""

    context: Context
    summary: tuple[str, int] | None = None
    """A new summary and the last message ``seq`` that it covers; to be committed before the context is sent."""
    asked: bool = False
    """True if the summariser was asked, whatever came of it: it must not be asked again in this turn."""


# --- assemble -------------------------------------------------------------------------------------------------------


async def assemble(
    *,
    prompt: str,
    profile: Sequence[Memory],
    recalled: Sequence[Recalled],
    session: Session,
    history: Sequence[Message],
    current: Sequence[Message],
    tools: Sequence[ToolSpec],
    settings: Settings,
    window: Window,
    counter: Counter,
    summarise: Summarise | None,
    now: datetime,
    remarks: Sequence[blocks.Remark] = (),
) -> Assembled:
    """Return what the model will see, at most ``window.budget`` tokens long.

    ``recalled``: best first. ``history``: messages of the closed turns after the summary. ``current``: the user's
    message, then this turn's calls and results so far. ``remarks``: what the assistant is told about memory. Messages that are not counted yet (``tokens`` 0) are counted.

    Raises:
        EmptyMessage: nothing visible in the user's message.
        ContextTooLarge: it does not fit even after the last rung of the ladder; says how to go on.
    """
    if not current or not current[0].content.strip():
        raise EmptyMessage
    recalled = _not_in_profile(recalled, profile)
    turns = _window(history, current[0], session, settings)
    lang = _lang(current[0], turns)
    given = _Given(
        prompt=prompt if prompt.strip() else DEFAULT_PROMPT,
        profile=profile,
        recalled=[one.memory for one in recalled],
        notes=[
            *(blocks.remark(one, lang) for one in remarks),
            *([blocks.today(now.astimezone(settings.zone), lang)] if recalled else []),
            *blocks.notes(session.state, lang),
        ],
        summary=session.summary,
        turns=turns,
        current=rules.mend(current),
        tools=tuple(tools),
        lang=lang,
    )
    plan = _plan(given, settings, window, counter)
    plan = replace(plan, notes=_bounded(plan.notes, int(NOTES_SHARE * plan.room)))
    asked: list[bool] = []
    plan, steps = await ladder.descend(plan, _fold(session.summary, summarise, settings, window, counter, asked))
    return Assembled(
        context=_context(
            plan, given, steps, replace(_recipe(plan, given, session, recalled), asked=_asked(plan, remarks, lang))
        ),
        summary=(plan.summary, plan.folded_upto) if plan.folded_upto else None,
        asked=bool(asked),
    )


def _asked(plan: Plan, remarks: Sequence[blocks.Remark], lang: blocks.Lang) -> tuple[str, ...]:
    sent = {line.text for line in plan.notes}
    return tuple(one.memory for one in remarks if one.memory and blocks.remark(one, lang) in sent)


def room(prompt: str, tools: Sequence[ToolSpec], window: Window, counter: Counter) -> int:
    """Return H, the tokens for memories and history: limit − system − tool schemas − reserve; never negative."""
    fixed = _system_tokens(counter, prompt) + counter.tools(tools)
    return max(0, window.budget - fixed)


def _not_in_profile(recalled: Sequence[Recalled], profile: Sequence[Memory]) -> list[Recalled]:
    shown = {memory.id for memory in profile}
    return [one for one in recalled if one.memory.id not in shown]


def _window(history: Sequence[Message], user: Message, session: Session, settings: Settings) -> tuple[Turn, ...]:
    turns = rules.group(history)
    number = user.turn or session.turns or len(turns) + 1
    first = rules.window_start(number - 1, settings.max_history_turns, settings.keep_recent_turns)
    return tuple(turn for turn in turns if turn.number >= first)


def _lang(user: Message, turns: Sequence[Turn]) -> blocks.Lang:
    return blocks.lang_of(user.content, *(turn.messages[0].content for turn in reversed(turns)))


def _fold(
    previous: str, summarise: Summarise | None, settings: Settings, window: Window, counter: Counter, asked: list[bool]
) -> Fold | None:
    if summarise is None:
        return None

    async def fold(turns: Sequence[Turn]) -> tuple[str, int] | None:
        asked.append(True)
        made = await rules.fold(previous, turns, summarise=summarise, settings=settings, window=window, counter=counter)
        return (made, _block_tokens(counter, blocks.summary_block(made))) if made else None

    return fold


# --- count ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """What there is to send, before anything is given up."""

    prompt: str
    profile: Sequence[Memory | None]
    recalled: Sequence[Memory | None]
    notes: Sequence[str]
    summary: str
    turns: Sequence[Turn]
    current: Sequence[Message]
    tools: tuple[ToolSpec, ...]
    lang: blocks.Lang


def _plan(given: _Given, settings: Settings, window: Window, counter: Counter) -> Plan:
    lang, known = given.lang, blocks.profile_lang(given.profile)
    return Plan(
        counter=counter,
        limit=window.limit,
        reserve=window.reserve,
        system=_system_tokens(counter, given.prompt),
        schemas=counter.tools(given.tools),
        profile=_lines(counter, [blocks.profile_line(memory, known) for memory in given.profile]),
        recalled=_lines(counter, [blocks.background_line(memory, lang) for memory in given.recalled]),
        notes=_lines(counter, given.notes),
        profile_frame=_frame_tokens(counter, blocks.profile_block([""], known)),
        background_frame=_frame_tokens(counter, blocks.background_block([""], lang, said="")),
        guard=bool(blocks.background_block([], lang, said=given.current[0].content)),
        summary=given.summary,
        summary_tokens=_block_tokens(counter, blocks.summary_block(given.summary)),
        summary_cap=_frame_tokens(counter, blocks.summary_block(MARKER)) + settings.summary_tokens,
        turns=tuple(replace(turn, messages=_counted(counter, turn.messages)) for turn in given.turns),
        current=_counted(counter, given.current),
        keep_turns=settings.keep_recent_turns,
    )


@lru_cache(maxsize=64)
def _system_tokens(counter: Counter, prompt: str) -> int:
    return counter.message(Message(role="system", content=prompt, time=datetime.min))


def _block_tokens(counter: Counter, block: str) -> int:
    return counter.text(f"\n\n{block}") if block else 0


@lru_cache(maxsize=64)
def _frame_tokens(counter: Counter, empty_block: str) -> int:
    return _block_tokens(counter, empty_block)


def _lines(counter: Counter, lines: Sequence[str]) -> tuple[Line, ...]:
    return tuple(Line(line, counter.text(f"{line}\n")) for line in lines)


def _counted(counter: Counter, messages: Sequence[Message]) -> tuple[Message, ...]:
    return tuple(one if one.tokens else replace(one, tokens=counter.message(one)) for one in messages)


def _bounded(lines: Sequence[Line], max_tokens: int) -> tuple[Line, ...]:
    kept = list(lines)
    while sum(line.tokens for line in kept) > max_tokens:
        kept.remove(max(kept, key=lambda line: line.tokens))
    return tuple(kept)


# --- render ---------------------------------------------------------------------------------------------------------


def _context(plan: Plan, given: _Given, steps: tuple[Step, ...], recipe: Recipe) -> Context:
    user, *traffic = plan.current
    known = blocks.profile_block([line.text for line in plan.profile], blocks.profile_lang(given.profile))
    background = [line.text for line in (*plan.recalled, *plan.notes)]
    block = blocks.background_block(background, given.lang, said=user.content)
    messages: list[wire.Wire] = [
        {"role": "system", "content": blocks.join(given.prompt, known, blocks.summary_block(plan.summary))},
        *(wire.render(message) for turn in plan.turns for message in turn.messages),
        {"role": "user", "content": blocks.join(block, user.content)},
        *map(wire.render, traffic),
    ]
    wire.validate(messages)
    return Context(messages=messages, tools=given.tools, usage=plan.usage(), steps=steps, recipe=recipe)


def _recipe(plan: Plan, given: _Given, session: Session, recalled: Sequence[Recalled]) -> Recipe:
    sent = [message.seq for turn in plan.turns for message in turn.messages if message.seq]
    return Recipe(
        session=session.id,
        turn=plan.current[0].turn or session.turns,
        prompt_digest=_digest(given.prompt),
        profile=tuple(memory.id for memory in given.profile[: len(plan.profile)] if memory),
        recalled=tuple((one.memory.id, one.score, str(one.via)) for one in recalled[: len(plan.recalled)]),
        summary_upto=(plan.folded_upto or session.summary_upto) if plan.summary else NO_SUMMARY,
        first_seq=min(sent, default=0),
        cut=plan.cut,
        notes=tuple(masking.mask("\n".join(line.text for line in plan.notes)).splitlines()),
        tools=tuple(tool.name for tool in given.tools),
    )


@lru_cache(maxsize=64)
def _digest(prompt: str) -> str:
    return hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()


# --- rebuild --------------------------------------------------------------------------------------------------------

PROMPT_CHANGED = "(The host's system prompt was another one then and is not kept; SHA-256 {digest}.)"


def rebuild(
    recipe: Recipe,
    *,
    prompt: str,
    memories: Sequence[Memory],
    summary: str,
    messages: Sequence[Message],
    tools: Sequence[ToolSpec],
    settings: Settings,
    window: Window,
    counter: Counter,
) -> Context:
    """Return what the model saw, made again from a recipe and the rows as they are now.

    The same messages as were sent, except: state notes are masked, and so is an archived transcript; memories deleted
    since are marked; a prompt changed since is named by its digest. ``memories``: those of the recipe that still exist.
    ``summary``: the one up to ``recipe.summary_upto``. ``messages``: closed turns of the session, up to this turn at
    least. ``tools``: those of today. ``steps`` is empty; ``usage.limit`` is that of ``window``.
    """
    by_id = {memory.id: memory for memory in memories}
    before = rules.group([message for message in messages if message.turn < recipe.turn])
    own = [message for message in messages if message.turn == recipe.turn]
    if len(own) > 1 and own[-1].role == "assistant" and not own[-1].tool_calls:
        own.pop()
    current = [_cut(message, recipe, counter) for message in rules.mend(own)]
    given = _Given(
        prompt=prompt
        if _digest(prompt) == recipe.prompt_digest
        else PROMPT_CHANGED.format(digest=recipe.prompt_digest),
        profile=[by_id.get(memory_id) for memory_id in recipe.profile],
        recalled=[by_id.get(memory_id) for memory_id, _, _ in recipe.recalled],
        notes=recipe.notes,
        summary=summary if recipe.summary_upto != NO_SUMMARY else "",
        turns=[_cut_turn(turn, recipe, counter) for turn in before if _was_sent(turn, recipe)],
        current=current,
        tools=tuple(tool for tool in tools if tool.name in recipe.tools),
        lang=_lang(current[0], before),
    )
    return _context(_plan(given, settings, window, counter), given, (), recipe)


def _was_sent(turn: Turn, recipe: Recipe) -> bool:
    return 0 < recipe.first_seq <= turn.messages[0].seq


def _cut_turn(turn: Turn, recipe: Recipe, counter: Counter) -> Turn:
    return replace(turn, messages=tuple(_cut(message, recipe, counter) for message in turn.messages))


def _cut(message: Message, recipe: Recipe, counter: Counter) -> Message:
    if message.seq not in recipe.cut or message.role != "tool":
        return message
    return shortened(message, recipe.cut[message.seq], counter)
