"""Whether, and where, the model is given what was meant: in the profile, the summary, the history or the background."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from zhiji import blocks, text
from zhiji.doctor.case import Case
from zhiji.doctor.clues import says
from zhiji.types import Context

Place = Literal["profile", "background", "history", "summary"]


def place(case: Case) -> Place | None:
    """Return where in the rehearsed context it stands, or None if it is not there."""
    made = case.seen.context
    if made is None:
        return None
    return _by_id(case, made) or _by_words(case, made)


def _by_id(case: Case, made: Context) -> Place | None:
    clue = case.clue
    if clue is None or case.is_guess:
        return None
    if clue.memory is not None:
        if clue.memory.id in made.recipe.profile:
            return "profile"
        if any(clue.memory.id == one for one, _, _ in made.recipe.recalled):
            return "background"
        places = {(source.session, seq) for source in clue.memory.sources for seq in source.seqs}
    else:
        places = {(clue.said.session, clue.said.message.seq)} if clue.said else set()
    first = made.recipe.first_seq
    sent = {(case.stage.session.id, one.seq) for one in case.seen.history if 0 < first <= one.seq}
    return "history" if places & sent else None


def _by_words(case: Case, made: Context) -> Place | None:
    """Return where the expected words stand, or the number that the memory's key names."""
    wanted = case.expect or _number(case)
    found = (where for where, words in _passages(case, made) if says(words, wanted)) if wanted else iter(())
    return next(found, None)


def _number(case: Case) -> str:
    memory = case.clue.memory if case.clue else None
    _, _, id_ = (memory.key or "").partition(":") if memory else ("", "", "")
    return id_ if text.identifiers(id_) else ""


def _passages(case: Case, made: Context) -> Iterator[tuple[Place, str]]:
    """Yield what is sent besides the host's prompt and the user's own words, piece by piece."""
    system, *history, user = (str(message["content"] or "") for message in made.messages)
    known, _, summary = system.removeprefix(case.settings.system_prompt).partition(f"<{blocks.SUMMARY_TAG}>")
    yield from (("profile", line) for line in known.splitlines())
    yield from (("background", line) for line in user.removesuffix(case.words).splitlines())
    yield from (("history", words) for words in history)
    yield from (("summary", line) for line in summary.splitlines())
