"""What makes every text of a run traceable: a secret for each user, a mark for each turn, and who is named in a text.

A user's secret is an order number, so that it becomes a memory, is recalled and reaches contexts by itself. A mark names
its user and its turn; both survive upper-casing. An answer also tells which turn the model saw right before this one, in
another form, so that it is no mark of its own.
"""

from __future__ import annotations

import re
from string import ascii_lowercase

_SECRET = re.compile(r"OD2024(\d{7})", re.IGNORECASE)
_MARK = re.compile(r"mark-([a-z]{4})-([a-z]{6})", re.IGNORECASE)
_AFTER = re.compile(r"\bafter (nothing|[a-z]{4}-[a-z]{6})(?![a-z])")


def name(user: int) -> str:
    """Return the user's id."""
    return f"user_{user:04}"


def secret(user: int) -> str:
    """Return the order number that only this user ever says."""
    return f"OD2024{user:07}"


def mark(user: int, turn: int) -> str:
    """Return the name of a turn, unique in the run."""
    return f"mark-{_letters(user, 4)}-{_letters(turn, 6)}"


def marks(text: str) -> list[str]:
    """Return the marks in a text, in order."""
    return [found[0].lower() for found in _MARK.finditer(text)]


def after(before: str | None) -> str:
    """Return the words that tell which turn, by its mark, the model saw before this one."""
    return f"after {before.removeprefix('mark-') if before else 'nothing'}"


def seen_before(text: str) -> str | None:
    """Return what ``after`` told in a text: the mark, or an empty string for nothing; None if it is not told."""
    found = _AFTER.search(text)
    return None if found is None else "" if found[1] == "nothing" else f"mark-{found[1]}"


def owners(text: str) -> set[int]:
    """Return the users whose secrets or marks are in a text."""
    return {int(found) for found in _SECRET.findall(text)} | {_number(user) for user, _ in _MARK.findall(text)}


def _letters(number: int, width: int) -> str:
    digits = []
    for _ in range(width):
        number, digit = divmod(number, len(ascii_lowercase))
        digits.append(ascii_lowercase[digit])
    return "".join(reversed(digits))


def _number(letters: str) -> int:
    number = 0
    for letter in letters.lower():
        number = number * len(ascii_lowercase) + ascii_lowercase.index(letter)
    return number
