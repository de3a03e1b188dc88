"""A word that a keyboard changed is put right, and the word it made of it is gone."""

from __future__ import annotations

import pytest

from unit.extract import grading


def kept(first: str, second: str) -> str:
    """Return what remains of two messages of a user."""
    said: grading.Dialogue = [("user", first), ("assistant", "ok"), ("user", second)]
    return " / ".join(draft.content for draft in grading.active(grading.drafts(said)))


@pytest.mark.parametrize(
    ("first", "second", "old", "new"),
    [
        ("im in Leeds so use that for the weather", "ugh autocorrect. LEITH. its edinburgh lol", "Leeds", "Leith"),
        ("im flying to Bath on friday", "autocorrect!! PATH. no wait. Perth", "Bath", "Perth"),
        ("my dog is called Benny", "stupid autocorrect. BENJI", "Benny", "Benji"),
        ("Hi im Marie", "ffs autocorrect. MAIRE. its irish", "Marie", "Maire"),
        ("i live in Hull", "damn autocorrect, HALL. no — Halle, in germany", "Hull", "Halle"),
        ("im allergic to cashmere", "argh autocorrect CASHEWS", "cashmere", "cashews"),
        ("im based in Cork atm", "oops typo. YORK", "Cork", "York"),
        ("i teach at Bradfield", "bloody phone. Bradford", "Bradfield", "Bradford"),
        ("we live in Stoke", "arrgh my phone changed it. STROUD", "Stoke", "Stroud"),
        ("i play the cellar", "CELLO. damn autocorrect", "cellar", "cello"),
    ],
)
def test_the_word_that_was_meant_takes_the_place(first: str, second: str, old: str, new: str) -> None:
    told = kept(first, second)
    assert new in told
    assert old not in told


@pytest.mark.parametrize(
    ("first", "second", "stays"),
    [
        ("i live in Leeds", "autocorrect is the WORST, thanks", "Leeds"),
        ("i live in Leeds", "typo in your reply btw", "Leeds"),
        ("i live in Truro", "my autocorrect is broken lol what phone should i get, a Pixel?", "Truro"),
        ("my name is Tom", "my phone keeps crashing. Tim Cook owes me", "Tom"),
        ("i love cats", "stupid phone died, OMG everywhere", "cats"),
        ("i work at Boots", "LOL autocorrect keeps changing duck to something else", "Boots"),
    ],
)
def test_who_only_grumbles_corrects_nothing(first: str, second: str, stays: str) -> None:
    assert stays in kept(first, second)
