"""Which letters a text must hold for a pattern to match at all: so that most patterns need not be tried. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PIECE = re.compile(r"\[(?:\\.|[^\]\\])+\]|\\.|[()|]|\(\?|.", re.DOTALL)
_OPENING = re.compile(r"\?(?:[:=]|<=|<?!)")
_OPTIONAL = re.compile(r"[?*]|\{0?,|\{0\}")
_QUANTIFIED = re.compile(r"[+?*]|\{[\d,]+\}")
_PLAIN = re.compile(r"[^\W_]|[ ,'-]")


def triggers(pattern: str) -> frozenset[str]:
    """Return strings of which one is in every text that ``pattern`` matches; none if nothing certain can be said.

    Knows what the patterns of ``idioms`` are made of: letters, classes, groups, alternatives, look-around, repeats.
    """
    return min(_required(pattern), key=_cost, default=frozenset())


def _cost(strings: frozenset[str]) -> tuple[int, int]:
    return (-min(map(len, strings)), len(strings))


def _required(pattern: str) -> list[frozenset[str]]:
    """Return every set of strings of which one must occur."""
    branches = list(_split(pattern))
    if len(branches) == 1:
        return list(_of_branch(branches[0]))
    best = [min(_of_branch(branch), key=_cost, default=frozenset()) for branch in branches]
    return [frozenset().union(*best)] if all(best) else []


def _split(pattern: str) -> Iterator[str]:
    """Yield the alternatives of a pattern."""
    depth = start = 0
    for piece in _PIECE.finditer(pattern):
        depth += (piece[0] == "(") - (piece[0] == ")")
        if piece[0] == "|" and depth == 0:
            yield pattern[start : piece.start()]
            start = piece.end()
    yield pattern[start:]


def _of_branch(branch: str) -> Iterator[frozenset[str]]:
    """Yield what each run of letters and each group of an alternative requires."""
    run, at = "", 0
    while at < len(branch):
        piece = _PIECE.match(branch, at)
        assert piece is not None
        token, end = piece[0], piece.end()
        if token == "(":
            end = _closing(branch, at)
        optional = _OPTIONAL.match(branch, end) is not None
        repeat = _QUANTIFIED.match(branch, end)
        if _PLAIN.fullmatch(token) and not repeat:
            run += token
            at = end
            continue
        if run:
            yield frozenset((run,))
        run = ""
        if token == "(" and not optional:
            inner = branch[at + 1 : end - 1]
            opening = _OPENING.match(inner)
            if opening is None or "!" not in opening[0]:
                yield from _required(inner[opening.end() if opening else 0 :])
        elif _PLAIN.fullmatch(token) and not optional:
            yield frozenset((token,))
        elif token[0] == "[" and token.isprintable() and not optional and not set(token[1:-1]) & set("^\\-"):
            yield frozenset(token[1:-1])
        at = repeat.end() if repeat else end
        while at < len(branch) and branch[at] == "?" and repeat:
            at += 1
    if run:
        yield frozenset((run,))


def _closing(branch: str, at: int) -> int:
    """Return where the group that opens at a place has ended."""
    depth = 0
    for piece in _PIECE.finditer(branch, at):
        depth += (piece[0] == "(") - (piece[0] == ")")
        if depth == 0:
            return piece.end()
    return len(branch)
