"""The rule extractor against dialogues as people type them, labelled before the rules, by others (``everyday.jsonl``)."""

from __future__ import annotations

from pathlib import Path

import pytest

from unit.extract import grading
from zhiji.bench import labels

CASES = tuple(labels.load(Path(__file__).with_name("everyday.jsonl")))
LEAST_RECALL = 0.85
"""Share of labelled facts found."""
MOST_BROKEN = 0.02
"""Share of traps that may be fallen into."""


@pytest.mark.parametrize("read", [grading.drafts, grading.by_turns], ids=["whole", "by_turns"])
@pytest.mark.parametrize("lang", ["zh", "en", "mixed"])
def test_most_facts_are_found_and_hardly_a_trap_is_fallen_into(read: grading.Read, lang: str) -> None:
    """In each language the recall is at least ``LEAST_RECALL``, and at most ``MOST_BROKEN`` of the traps are broken."""
    cases = [(case, read(grading.said(case))) for case in CASES if case.lang == lang]
    facts = sum(len(case.facts) for case, _ in cases)
    missed = sum(len(grading.missed(case, found)) for case, found in cases)
    traps = sum(labels.traps(case) for case, _ in cases)
    broken = [(case.id, what) for case, found in cases for what in grading.broken(case, found)]
    assert 1 - missed / facts >= LEAST_RECALL
    assert len(broken) <= MOST_BROKEN * traps, broken


def test_there_are_enough_of_them() -> None:
    """The file holds at least 200 facts and 120 traps, in every language and in forty kinds."""
    assert sum(len(case.facts) for case in CASES) >= 200
    assert sum(labels.traps(case) for case in CASES) >= 120
    assert {case.lang for case in CASES} == {"zh", "en", "mixed"}
    assert len({case.kind for case in CASES}) >= 38
