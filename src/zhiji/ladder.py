"""The ladder: what is given up, and in which order, when a request does not fit the context window.

``RUNGS`` is the table. A rung takes a plan and returns a strictly smaller one, or None if it has nothing to give; it is
taken only while the plan does not fit, and leaves a ``Step``. Order (article S6.3): first what can be found again
(memories), then what is far back (turns), then a summary in place of turns, then the length of tool results; at last a
refusal that says how to go on. The system prompt, the tools' schemas and the user's words are never touched.

The plan does the counting; ``context`` builds it, and lends the ``fold`` that makes summaries.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NoReturn

from zhiji.errors import ContextTooLarge
from zhiji.plan import MEMORY_SHARE, MIN_RESULT_TOKENS, Plan, cost
from zhiji.types import Step, StepName, Turn

MIN_RECALLED = 1
"""The best recalled memory and the profile are worth more than old turns: rung 1 leaves them if they can stay at all."""
CUT_BLOCK = 4
"""Rung 2 cuts where a turn number is 1 more than a multiple of this, so that the next requests keep the same beginning."""
RESULT_CAPS = (400, 200, 100, 50, MIN_RESULT_TOKENS)
"""Tokens to which rung 4 shortens tool results: those of past turns first, then all, no shorter than it must be."""

Fold = Callable[[Sequence[Turn]], Awaitable[tuple[str, int] | None]]
"""Returns a summary that continues the present one over these turns, and the tokens of its block; or None."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What a rung achieved."""

    plan: Plan
    removed: int
    reason: str


Rung = Callable[[Plan, Fold | None], Awaitable[Taken | None]]


async def fewer_memories(plan: Plan, _: Fold | None = None) -> Taken | None:
    """The worst recalled memories go until the request fits and memories keep to their share.

    Down to the profile and the best one; below that only for the share, or if even the last rung could not keep them.
    """
    count = len(plan.profile) + len(plan.recalled)
    floor = min(count, len(plan.profile) + MIN_RECALLED)
    smaller = next((fit for keep in range(count, floor - 1, -1) if (fit := plan.with_memories(keep)).fits), None)
    if smaller is None:
        lower = (plan.with_memories(keep) for keep in range(floor, -1, -1))
        smaller = next(
            one for one in lower if one.memory <= one.memory_cap and (one.least <= one.budget or not one.memory)
        )
    removed = count - len(smaller.profile) - len(smaller.recalled)
    over = plan.memory > plan.memory_cap
    reason = f"memories may take {MEMORY_SHARE:.0%} of the room" if over else "the request was too long"
    return Taken(smaller, removed, reason) if removed else None


async def fewer_turns(plan: Plan, _: Fold | None = None) -> Taken | None:
    """The oldest turns are left out of this request until it fits, down to those that are always kept verbatim."""
    excess, most = plan.total - plan.budget, len(plan.turns) - plan.keep_turns
    gone = 0
    while gone < most and excess > 0:
        excess -= cost(plan.turns[gone])
        gone += 1
    while 0 < gone < most and (plan.turns[gone].number - 1) % CUT_BLOCK:
        gone += 1
    return Taken(plan.without_turns(gone), gone, "the request was too long") if gone else None


async def summarise(plan: Plan, fold: Fold | None = None) -> Taken | None:
    """Old turns, also those left out before, are replaced by a summary; as many recent ones stay as rung 4 can fit in.

    None without a summariser, if it failed, or if its answer is longer than a summary may be or saves nothing.
    """
    everything = plan.left_out + plan.turns
    fitting = (keep for keep in range(len(plan.turns), 0, -1) if _beside_summary(plan, keep).squeezed <= plan.budget)
    beside = _beside_summary(plan, next(fitting, 0))
    old = everything[: len(everything) - len(beside.turns)]
    if fold is None or not old or beside.least + plan.summary_cap > plan.budget:
        return None
    made = await fold(old)
    if made is None or made[1] > plan.summary_cap:
        return None
    upto = max(message.seq for turn in old for message in turn.messages)
    smaller = replace(beside, summary=made[0], summary_tokens=made[1], folded_upto=upto, left_out=())
    return Taken(smaller, len(old), "old turns are in the summary now")


async def more_turns(plan: Plan, _: Fold | None = None) -> Taken | None:
    """Rung 2 again where rung 3 could not help: turns go until rung 4 can fit in the rest, the old summary last."""
    excess, gone = plan.squeezed - plan.budget, 0
    while gone < len(plan.turns) and excess > 0:
        excess = plan.without_turns(gone + 1).squeezed - plan.budget
        gone += 1
    smaller = plan.without_turns(gone)
    if excess > 0 and plan.summary and not plan.folded_upto:
        smaller = replace(smaller, summary="", summary_tokens=0)
    return Taken(smaller, gone, "no summary could be had")


async def cut_tool_results(plan: Plan, _: Fold | None = None) -> Taken | None:
    """Tool results are shortened, those of past turns first, no more than it takes."""
    smaller = plan
    for past_only, cap in product((True, False), RESULT_CAPS):
        smaller = smaller.with_results(cap, past_only=past_only)
        if smaller.fits:
            break
    return Taken(smaller, len(smaller.cut), "the request was too long") if smaller.cut else None


async def refuse(plan: Plan, _: Fold | None = None) -> NoReturn:
    """Raise ``ContextTooLarge`` with what to do next."""
    needed = plan.least if plan.least > plan.budget else plan.total
    if not plan.room:
        advice = "the system prompt and the tools alone fill it; raise MAX_CONTEXT_TOKENS or shorten them"
    else:
        advice = "start a new session or shorten the message"
    raise ContextTooLarge(
        f"the request needs about {needed} tokens and the window leaves {plan.budget}; {advice}",
        total=needed,
        limit=plan.limit,
        reserve=plan.reserve,
    )


RUNGS: tuple[tuple[StepName, Rung], ...] = (
    ("fewer_memories", fewer_memories),
    ("fewer_turns", fewer_turns),
    ("summarise", summarise),
    ("fewer_turns", more_turns),
    ("cut_tool_results", cut_tool_results),
    ("refuse", refuse),
)
"""The five rungs by name. Where no summary could be had, the second goes further; its two steps count as one."""


async def descend(plan: Plan, fold: Fold | None) -> tuple[Plan, tuple[Step, ...]]:
    """Return the plan that fits and the steps that led there; none if it fitted.

    Raises:
        ContextTooLarge: nothing that may be given up is enough; then nothing was, and no summary was asked for.
    """
    bare = plan.with_memories(0)
    if bare.least > plan.budget:
        await refuse(bare)
    steps: list[Step] = []
    for name, rung in RUNGS:
        if plan.fits:
            break
        taken = await rung(plan, fold)
        if taken is None or taken.plan.total >= plan.total:
            continue
        steps.append(_step(name, plan, taken))
        plan = taken.plan
    return plan, _merged(steps)


def _beside_summary(plan: Plan, keep: int) -> Plan:
    kept = plan.turns[len(plan.turns) - keep :]
    return replace(plan, turns=kept, summary_tokens=plan.summary_cap)


def _step(name: StepName, before: Plan, taken: Taken) -> Step:
    return Step(
        name=name,
        removed=taken.removed,
        tokens_before=before.total,
        tokens_after=taken.plan.total,
        reason=taken.reason,
    )


def _merged(steps: Sequence[Step]) -> tuple[Step, ...]:
    merged: list[Step] = []
    for step in steps:
        if merged and merged[-1].name == step.name:
            former = merged.pop()
            step = replace(step, removed=former.removed + step.removed, tokens_before=former.tokens_before)
        merged.append(step)
    return tuple(merged)
