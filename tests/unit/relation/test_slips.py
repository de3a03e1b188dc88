"""A misspelt word is the word it stands for; a name, or another word one letter away, is not."""

from __future__ import annotations

import pytest

from zhiji.relation.judge import relation
from zhiji.relation.slips import respelt


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User speaks fluent Portuguese", "The user is fluent in Portugese"),
        ("User speaks fluent Vietnamse", "The user is fluent in Vietnamese"),
        ("User lives in Philadelphia", "The user lives in Philadephia"),
        ("User is a vegitarian", "The user is a vegetarian"),
        ("User plays the saxophone", "The user plays the saxaphone"),
        ("User is allergic to shelfish", "User is allergic to shellfish"),
        ("User is allergic to peanuts", "The user is allergic to peanust"),
        ("User works as an acountant", "The user works as an accountant"),
        ("User lives in Melborne", "The user lives in Melbourne"),
        ("User collects vintage bookends", "The user collects vintage boookends"),
    ],
)  # fmt: skip
def test_a_misspelt_word_is_the_word_it_stands_for(old: str, new: str) -> None:
    """One letter left out, doubled, mistaken or swapped makes no other fact."""
    assert relation(old, new) == "same"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User's friend is Kristin", "User's friend is Kirstin"),
        ("User's boss is called Martina", "User's boss is called Martine"),
        ("User's daughter is named Florence", "User's daughter is named Florense"),
        ("The user's colleague is Stephan", "The user's colleague is Stephen"),
        ("The user met Johanna", "The user met Johnna"),
        ("The user's manager is Priya", "The user's landlord is Priyanka"),
        ("User lives in the country", "User lives in the county"),
        ("User wants a massage", "User wants a message"),
        ("User likes dessert", "User likes the desert"),
        ("User likes martial arts", "User likes marital arts"),
        ("User likes painting", "User likes panting"),
        ("User is a lecturer", "User gave a lecture"),
        ("User's username is marvin88x", "User's username is marven88x"),
        ("Order ABCDEFG1 is late", "Order ABCDEFH1 is late"),
        ("User works at Danfoss", "User works at Danfors"),
        ("User lives in Austria", "User lives in Australia"),
    ],
)  # fmt: skip
def test_a_name_or_another_word_is_no_slip(old: str, new: str) -> None:
    """What may stand for itself is never taken for another."""
    assert relation(old, new) != "same"


def test_a_run_of_letters_takes_no_time() -> None:
    """Long words are compared once."""
    assert respelt("a" * 4000, "a" * 3999) == ("a" * 4000, "a" * 3999)
