"""The ladder: each rung by itself, their order, and what they never touch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialogue import answer, call, long_turns, plan, result, stored, user
from zhiji import ladder
from zhiji.errors import ContextTooLarge
from zhiji.plan import Plan
from zhiji.types import Step, Turn

NAMES = [name for name, _ in ladder.RUNGS]


class Summariser:
    """A fold that answers with a block of the given cost, or with nothing; remembers the turns it was asked for."""

    def __init__(self, tokens: int | None) -> None:
        self.tokens = tokens
        self.asked: list[list[int]] = []

    async def __call__(self, old: Sequence[Turn]) -> tuple[str, int] | None:
        self.asked.append([turn.number for turn in old])
        return None if self.tokens is None else ("新摘要", self.tokens)


def names(steps: Sequence[Step]) -> list[str]:
    return [step.name for step in steps]


def test_the_table_has_the_five_rungs_in_order() -> None:
    """The rungs are named and ordered as the contract says."""
    assert list(dict.fromkeys(NAMES)) == ["fewer_memories", "fewer_turns", "summarise", "cut_tool_results", "refuse"]


async def test_what_fits_is_left_alone() -> None:
    """A plan that fits takes no step."""
    one = plan(recalled=[10] * 5, past=long_turns(2))
    assert await ladder.descend(one, Summariser(50)) == (one, ())


@pytest.mark.parametrize(
    ("profile", "recalled", "kept"), [(100, [90, 50, 50], (1, 1)), (235, [5], (0, 0)), (100, [140, 1], (1, 0))]
)
async def test_memories_keep_to_their_share(profile: int, recalled: list[int], kept: tuple[int, int]) -> None:
    """Memories above 0.3 of the room go, worst first, though the request would fit; the profile goes last."""
    smaller, steps = await ladder.descend(plan(profile=[profile], recalled=recalled), None)
    assert (len(smaller.profile), len(smaller.recalled)) == kept
    assert smaller.memory <= 0.3 * smaller.room
    assert (names(steps), steps[0].reason) == (["fewer_memories"], "memories may take 30% of the room")
    assert steps[0].removed == 1 + len(recalled) - sum(kept)


async def test_memories_go_before_turns() -> None:
    """If dropping the worst memories is enough, no turn is dropped."""
    past = long_turns(5)
    one = plan(recalled=[40] * 5, past=past)
    limit = one.total + one.reserve - 60
    smaller, steps = await ladder.descend(replace(one, limit=limit), Summariser(50))
    assert len(smaller.recalled) == 3
    assert smaller.turns == one.turns
    assert names(steps) == ["fewer_memories"]


async def test_the_best_memory_outlives_old_turns() -> None:
    """The profile and the best memory stay while old turns can make room."""
    smaller, steps = await ladder.descend(plan(profile=[20], recalled=[40] * 3, past=long_turns(12), limit=1300), None)
    assert (len(smaller.profile), len(smaller.recalled)) == (1, 1)
    assert names(steps) == ["fewer_memories", "fewer_turns"]


async def test_turns_are_cut_in_blocks() -> None:
    """Rung 2 leaves out a few turns more than it must, so that the next requests begin alike."""
    smaller, steps = await ladder.descend(plan(past=long_turns(14), limit=1700), None)
    assert names(steps) == ["fewer_turns"]
    assert (smaller.turns[0].number - 1) % ladder.CUT_BLOCK == 0
    assert steps[0].removed == len(smaller.left_out) == smaller.turns[0].number - 1


async def test_a_summary_replaces_what_was_left_out() -> None:
    """Where the turns to keep do not fit, a summary covers the rest, the ones left out before included."""
    fold = Summariser(60)
    smaller, steps = await ladder.descend(plan(past=long_turns(6, 300), limit=1000), fold)
    assert names(steps) == ["fewer_turns", "summarise"]
    assert fold.asked == [[1, 2, 3, 4, 5, 6][: 6 - len(smaller.turns)]]
    assert (smaller.summary, smaller.summary_tokens) == ("新摘要", 60)
    assert smaller.folded_upto == 2 * (6 - len(smaller.turns))


@pytest.mark.parametrize("fold", [None, Summariser(None)])
async def test_without_a_summary_more_turns_go(fold: Summariser | None) -> None:
    """If no summary can be had, turns are trimmed further, the trace says why, and nothing claims to be summed up."""
    smaller, steps = await ladder.descend(plan(past=long_turns(6, 300), limit=500, summary_tokens=80), fold)
    assert names(steps) == ["fewer_turns"]
    assert smaller.turns == ()
    assert (smaller.summary, smaller.folded_upto) == ("摘要", 0)
    assert "no summary" in steps[0].reason


@pytest.mark.parametrize("fold", [None, Summariser(60)])
async def test_recent_turns_stay_with_shorter_results(fold: Summariser | None) -> None:
    """Rather than a recent turn, the length of its tool results is given up."""
    messages = stored(
        *(one for n in range(4) for one in (user(f"查{n}"), call(f"c{n}"), result(f"c{n}", "长" * 400), answer("好")))
    )
    past = [Turn(number=n, messages=tuple(one for one in messages if one.turn == n)) for n in range(1, 5)]
    smaller, steps = await ladder.descend(plan(past=past, limit=600), fold)
    assert names(steps)[-1] == "cut_tool_results"
    assert smaller.turns[-1].number == 4
    assert smaller.turns[-1].messages[-1].content == "好"


async def test_the_summariser_is_asked_once_and_may_save_nothing() -> None:
    """A summary that is no shorter than what it replaces is not used, nor asked for again."""
    fold = Summariser(5000)
    smaller, steps = await ladder.descend(plan(past=long_turns(3, 300), limit=1000), fold)
    assert len(fold.asked) == 1
    assert names(steps) == ["fewer_turns"]
    assert smaller.folded_upto == 0


async def test_a_summary_over_its_bound_is_not_used() -> None:
    """A summariser that keeps to no bound makes no request fail that fits without its summary."""
    smaller, steps = await ladder.descend(plan(past=long_turns(6, 300), limit=400), Summariser(900))
    assert names(steps) == ["fewer_turns"]
    assert (smaller.fits, smaller.folded_upto) == (True, 0)


async def test_the_old_summary_goes_last_of_all_history() -> None:
    """Where not even the bare request fits beside the old summary, it is left out of this request."""
    smaller, steps = await ladder.descend(plan(past=long_turns(2), limit=260, summary_tokens=100), None)
    assert (smaller.turns, smaller.summary, smaller.summary_tokens) == ((), "", 0)
    assert names(steps) == ["fewer_turns"]


async def test_past_results_are_cut_before_current_ones() -> None:
    """Tool results are shortened no more than needed, those of past turns first."""
    past = stored(user("查"), call("a"), result("a", "长" * 400), answer("好"))
    one = plan(past=[Turn(number=1, messages=tuple(past))], results=["新" * 300])
    taken = await ladder.cut_tool_results(replace(one, limit=one.total + one.reserve - 100))
    assert taken is not None
    assert dict(taken.plan.cut) == {3: 200}
    assert taken.plan.current == one.current
    taken = await ladder.cut_tool_results(replace(one, limit=one.total + one.reserve - 500))
    assert taken is not None
    assert set(taken.plan.cut) == {3, 902}
    assert taken.removed == 2


async def test_results_shorten_when_nothing_else_is_left() -> None:
    """This turn's own results are shortened at last, and the request fits."""
    smaller, steps = await ladder.descend(plan(results=["新" * 900], past=long_turns(3), limit=400), Summariser(30))
    assert names(steps)[-1] == "cut_tool_results"
    assert smaller.fits


async def test_a_hopeless_request_is_refused_at_once() -> None:
    """What cannot fit is refused before anything is given up or anybody is asked, with the numbers and a way on."""
    fold = Summariser(10)
    with pytest.raises(ContextTooLarge, match="start a new session") as refused:
        await ladder.descend(plan(past=long_turns(5), limit=205), fold)
    assert fold.asked == []
    assert (refused.value.details["limit"], refused.value.details["reserve"]) == (205, 100)
    assert int(str(refused.value.details["total"])) > 105


async def test_a_prompt_that_fills_the_window_is_named() -> None:
    """If the prompt and the tools alone do not fit, a new session would not help, and the refusal says what would."""
    with pytest.raises(ContextTooLarge, match="MAX_CONTEXT_TOKENS"):
        await ladder.descend(plan(limit=200), None)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    sizes = st.lists(st.integers(1, 120), max_size=6)
    past = draw(st.lists(st.integers(1, 200), max_size=12))
    return plan(
        limit=draw(st.integers(101, 3000)),
        profile=draw(sizes),
        recalled=draw(sizes),
        notes=draw(st.lists(st.integers(1, 20), max_size=3)),
        past=[turn for n, chars in enumerate(past) for turn in [replace(long_turns(1, chars)[0], number=n + 1)]],
        summary_tokens=draw(st.sampled_from([0, 40, 110])),
        results=draw(st.lists(st.text(max_size=400), max_size=3)),
    )


@given(plans(), st.sampled_from([None, 10, 120, 900]), st.booleans())
async def test_descent(one: Plan, tokens: int | None, can_fold: bool) -> None:
    """For any plan: it fits in the end or is refused; steps are in order and shrink; the input is never touched."""
    try:
        smaller, steps = await ladder.descend(one, Summariser(tokens) if can_fold else None)
    except ContextTooLarge:
        assert one.with_memories(0).least > one.budget
        return
    assert smaller.total <= one.budget
    assert smaller.memory <= one.memory_cap
    assert smaller.usage().total == smaller.total
    assert smaller.current[0] is one.current[0]
    assert [step.name for step in steps] == sorted({step.name for step in steps}, key=NAMES.index)
    assert all(step.tokens_after < step.tokens_before and step.removed >= 0 for step in steps)
    assert smaller.turns == () or smaller.turns[-1].number == one.turns[-1].number
