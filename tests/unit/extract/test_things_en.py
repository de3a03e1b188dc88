"""What a thing does to somebody is kept with the thing that the question before names."""

from __future__ import annotations

import pytest

from unit.extract import grading


def stored(said: str) -> str:
    """Return what is remembered of one message."""
    return " / ".join(draft.content for draft in grading.active(grading.drafts([("user", said)])))


@pytest.mark.parametrize(
    ("said", "thing"),
    [
        ("is there sesame in that? one bite = hospital for me", "sesame"),
        ("is there galangal in that? one bite = hospital for me", "galangal"),
        ("does the pad thai have peanuts? one bite and im in a&e", "peanuts"),
        ("does it have lupin?? even a trace could kill me", "lupin"),
        ("does it have mustard? i'd be in casualty by teatime", "mustard"),
        ("is it cooked in peanut oil, cos that would finish me off", "peanut"),
        ("does it have walnuts cos my tongue swells", "walnuts"),
        ("is there soy in this? half a spoon and im covered in hives", "soy"),
        ("prawns = ambulance for me", "prawns"),
        ("mango = itchy lips", "mango"),
        ("shellfish and its an ambulance job", "shellfish"),
        ("latex gloves bring me out in welts", "latex"),
        ("one whiff of lilies and my eyes stream for days", "lilies"),
        ("are there nuts? my daughter = a&e trip", "daughter, of nuts"),
    ],
)
def test_a_consequence_tells_what_harms(said: str, thing: str) -> None:
    assert thing in stored(said)


@pytest.mark.parametrize(
    "said",
    [
        "is there coffee in it? one sip = heaven for me",
        "does it have sugar? my trainer is going to kill me",
        "is there milk in this? my mate ended up in hospital",
        "is there beer in the fridge? i nearly died laughing",
        "is there egg in it? my boss would kill me if i got it wrong",
        "if i eat nuts would i end up in hospital?",
        "does it come with a charger cos my phone swells",
        "is there parking at the hospital? im in a&e",
        "one bite of reality",
        "x = hospital",
        "this heat = death for me lol",
    ],
)
def test_what_harms_nobody_is_not_kept(said: str) -> None:
    assert not stored(said)
