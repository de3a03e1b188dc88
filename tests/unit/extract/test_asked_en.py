"""Short English answers are kept with what they answer; answers that say nothing, or only chat, are not."""

from __future__ import annotations

import pytest

from unit.extract import grading
from zhiji.types import Draft, Role


def told(*turns: str) -> list[Draft]:
    """Return what stays of a dialogue in which user and assistant take turns."""
    roles: tuple[Role, Role] = ("user", "assistant")
    return grading.active(grading.by_turns([(roles[index % 2], words) for index, words in enumerate(turns)]))


@pytest.mark.parametrize(
    ("request_", "question", "answer", "words"),
    [
        ("remind me to water the allotment", "Sure, when?", "tuesdays and fridays, before work", ["allotment", "fridays"]),
        ("book me in for the spin class", "Which day?", "the 14th, after 6", ["spin class", "the 14th"]),
        ("meal plan pls", "Any limits?", "no dairy, high protein", ["limits", "no dairy, high protein"]),
        ("need a laptop", "What will you use it for?", "video editing, mostly 4k weddings", ["use it for", "weddings"]),
        ("which shoes?", "What distance do you usually run?", "10k mostly, halfs twice a year", ["10k", "halfs"]),
        ("what bike should i buy", "How tall are you?", "6'2", ["tall", "6'2"]),
        ("how much do i feed a senior ferret", "Small meals. How old?", "Biscuit's 6, and she's deaf now", ["ferret", "deaf"]),
        ("need a gift for my wife", "What does she like?", "anything with books, she's a librarian", ["wife", "librarian"]),
        ("need a gift for my dad", "He must be retired, so maybe a kit?", "nah he's 51 and still drives a bus", ["dad", "bus"]),
        ("how much for a ferret", "How old?", "she's 6. the other one, Gravy, eats like a horse", ["ferret", "Gravy"]),
    ],
)  # fmt: skip
def test_an_answer_is_kept_with_what_it_answers(request_: str, question: str, answer: str, words: list[str]) -> None:
    """One memory holds the topic, from the request or the question, and the answer."""
    contents = [one.content for one in told(request_, question, answer)]
    assert any(all(word in content for word in words) for content in contents), contents


@pytest.mark.parametrize(
    ("request_", "question", "answer"),
    [
        ("suggest a film", "What genre?", "anything"),
        ("suggest a wine", "What are you eating?", "dunno yet"),
        ("i burnt it", "What happened?", "left it on too long"),
        ("hey", "How are you?", "good thanks, long day"),
        ("help with my essay", "What error do you get?", "still the same one"),
        ("what should i watch", "What do you fancy?", "something silly, 90 mins"),
        ("hi", "What's your password?", "hunter22"),
        ("any tips", "Would a walk help?", "maybe later"),
    ],
)
def test_an_answer_of_the_moment_is_not_kept(request_: str, question: str, answer: str) -> None:
    """What says nothing, is of the moment only or is secret leaves no memory."""
    assert told(request_, question, answer) == []


def test_a_guess_in_a_question_is_not_told_with_its_answer() -> None:
    """What the assistant guesses is not put into the user's memory."""
    found = told("which tent?", "What size, you must be camping with kids?", "2 person, 3 season")
    assert all("kids" not in one.content for one in found)


def test_an_answer_is_grounded_in_question_and_request() -> None:
    """A memory joined from several messages cites each of them."""
    (found,) = [
        one for one in told("remind me to feed the hens", "Sure, when?", "sunday nights") if "sunday" in one.content
    ]
    assert set(found.seqs) == {1, 2, 3}


def test_what_an_order_is_about_is_left_to_its_readers() -> None:
    """An answer that names an order is no statement about the user."""
    found = told("two orders came", "Which one is wrong?", "LM-30058-B, curtain came in wrong colour")
    assert not any("asked" in one.content for one in found)
