"""Games, jests, suppositions, quotations, texts to work on, code, questions, moods and small talk, and what looks like them.

The dialogues of ``asides.jsonl`` were labelled before the rules read them; half hold something true as well.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from unit.extract import grading
from zhiji.bench import labels
from zhiji.extract import roleplay
from zhiji.extract.fold import fold

CASES = tuple(labels.load(Path(__file__).with_name("asides.jsonl")))
LEAST_RECALL = 0.8
"""Share of labelled facts found."""
MOST_BROKEN = 0.02
"""Share of traps that may be fallen into."""


@pytest.mark.parametrize("read", [grading.drafts, grading.by_turns], ids=["whole", "by_turns"])
def test_asides_are_not_kept_and_what_is_true_beside_them_is(read: grading.Read) -> None:
    """At most ``MOST_BROKEN`` of the traps are fallen into, and at least ``LEAST_RECALL`` of the facts found."""
    cases = [(case, read(grading.said(case))) for case in CASES]
    missed = sum(len(grading.missed(case, found)) for case, found in cases)
    broken = [(case.id, what) for case, found in cases for what in grading.broken(case, found)]
    assert 1 - missed / sum(len(case.facts) for case in CASES) >= LEAST_RECALL
    assert len(broken) <= MOST_BROKEN * sum(map(labels.traps, CASES)), broken


@pytest.mark.parametrize("case", [case for case in CASES if case.kind == "plain"], ids=lambda case: case.id)
def test_what_only_looks_like_an_aside_is_kept(case: labels.Dialogue) -> None:
    """Real captains, games as a pastime, corrections of one's own record and the like are remembered."""
    known = {"Lagos", "材料"}
    missed = grading.missed(case, grading.by_turns(grading.said(case)))
    assert all(known & set(fact.must_contain) for fact in missed)


@pytest.mark.parametrize(
    "said",
    [
        "来玩破案！我是大理寺少卿，你演更夫",
        "玩宮鬥 game！我係華貴妃",
        "你是我的管家，我是少爷",
        "狼人杀走起",
        "you be Watson i'll be Holmes",
        "simulate a job interview",
        "be a customs officer and quiz me",
        "murder mystery game: im Lady Ashcombe",
    ],
)
def test_a_game_begins(said: str) -> None:
    """A cast, a game announced and a rehearsal begin a game."""
    assert roleplay.enters(fold(said))


@pytest.mark.parametrize(
    "said",
    [
        "我玩剧本杀五年了",
        "周六约了朋友来玩桌游",
        "周五要去面试，面试官是个英国人",
        "你是客服吧？我是上周买洗衣机的",
        "you're the best! i'm a nurse",
        "I run a D&D group every Sunday",
        "I'm a captain in the merchant navy",
    ],
)
def test_no_game_begins(said: str) -> None:
    """Pastimes, plans, jobs and praise begin none."""
    assert not roleplay.enters(fold(said))


@pytest.mark.parametrize(
    "said",
    ["哈哈先停 差点忘了", "ok 出返戲先", "行了回正题", "scene over", "right back to normal: hi", "((brb. ooc: hi))"],
)
def test_a_game_ends(said: str) -> None:
    """Words that stop it end a game."""
    assert roleplay.leaves(fold(said)) is not None


def test_what_the_assistant_takes_for_a_part_is_not_kept() -> None:
    """Who is answered as a majesty, a lady or a guest of an inn plays, though no game was announced."""
    told = grading.active(
        grading.by_turns([("user", "I'm Rowena and I detest dancing"), ("assistant", "As you wish, my lady.")])
    )
    assert not told
