"""The four-step diagnosis: input → session → memory → context, and the first step that broke (article S8.2).

``case`` reads everything once, a bounded number of rows of one user; ``rehearse`` replays the path up to the model's
door; ``clues`` decides what should have been remembered; ``steps`` judges. Nothing is written, touched or counted.

What the model is given anyway is not broken: then findings of session and memory are warnings. A session that others
have and one that nobody has are the same finding; no id but the caller's own is ever looked up.
"""

from __future__ import annotations

from zhiji import given, restore, text
from zhiji.diagnosis import Diagnosis, Finding, Note, StepOf, Verdict, check, diagnosis, note
from zhiji.doctor import case as cases
from zhiji.doctor import steps
from zhiji.errors import ContextTooLarge, InvalidInput
from zhiji.parts import Parts
from zhiji.types import Scope

_STEPS = (
    (StepOf.INPUT, steps.input_notes),
    (StepOf.SESSION, steps.session_notes),
    (StepOf.MEMORY, steps.memory_notes),
    (StepOf.CONTEXT, steps.context_notes),
)


async def diagnose(
    parts: Parts, scope: Scope | None, session_id: str | None, message: str, *, expect: str | None = None
) -> Diagnosis:
    """Return where this message loses, or lost, what should have been remembered; see ``Zhiji.doctor``.

    ``scope`` None: the user id was not valid.
    """
    if scope is None:
        return _stopped([note(Finding.USER_INVALID, Verdict.BROKEN)])
    if not await cases.is_known(parts, scope):
        return _stopped(steps.unknown_user(scope.user))
    words = _read(parts, message)
    if isinstance(words, Note):
        return _stopped([words])
    wanted = text.clean(given.words("expect", expect)).strip() if expect is not None else ""
    case = await cases.read(parts, scope, session_id, words, wanted or None)
    return diagnosis(tuple(check(step, judge(case)) for step, judge in _STEPS))


def _read(parts: Parts, message: str) -> str | Note:
    room = parts.window.budget
    try:
        words = restore.read_input(message)
    except ContextTooLarge:
        return note(Finding.MESSAGE_TOO_LARGE, Verdict.BROKEN, tokens=len(message), limit=room)
    except InvalidInput:
        return note(Finding.MESSAGE_EMPTY, Verdict.BROKEN)
    tokens = parts.counter.text(words)
    return note(Finding.MESSAGE_TOO_LARGE, Verdict.BROKEN, tokens=tokens, limit=room) if tokens > room else words


def _stopped(notes: list[Note]) -> Diagnosis:
    """Return the diagnosis of a request that breaks at its input."""
    rest = [StepOf.SESSION, StepOf.MEMORY, StepOf.CONTEXT]
    unseen = note(Finding.NOT_EXAMINED, Verdict.SKIPPED)
    return diagnosis((check(StepOf.INPUT, notes), *(check(step, [unseen]) for step in rest)))
