"""What bears on a message that went wrong: memories of every status, and messages that said something.

Pure; ``case`` reads the rows. With ``expect`` the words of the fact are looked for; without it, what shares most
words with the message counts, whatever its status, or what recall brings up by meaning. ``choose`` names one of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from zhiji import masking, recall, text
from zhiji.extract import guards
from zhiji.extract.view import Flag
from zhiji.types import Memory, Message, Status

BEARS = 0.25
"""Least share of the message's telling words in what has something to do with it: one of four."""
MAX_CHARS = 2000
"""Of a longer message the beginning is looked at."""
LEAD = 1.3
"""How many times as well something lost must fit as the best active memory, to be taken for what was meant."""


class Reading(StrEnum):
    """What became of a message's words."""

    UNREAD = "unread"
    READ = "read"
    FAILED = "failed"
    """Of a turn that failed or was never answered."""
    DELETED = "deleted"
    """It said what has been deleted since."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message of the user's transcripts."""

    session: str
    message: Message
    reading: Reading
    is_asked: bool = False
    """It is the message that is asked about, or followed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clue:
    """The one thing to follow: a memory, or a message that should have become one."""

    memory: Memory | None = None
    said: Said | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Everything of one user that is looked at."""

    memories: Sequence[Memory]
    """Of every status, without episodes."""
    near: Sequence[Memory] = ()
    """Active ones that recall brings up by meaning, best first."""
    said: Sequence[Said]
    """Newest first."""


def choose(known: Known, question: str, expect: str | None) -> Clue | None:
    """Return what should have been given to the model, or None if nothing bears on it."""
    return _expected(known, expect) if expect else _likely(known, question)


# --- by the words of the fact ---------------------------------------------------------------------------------------


def says(words: str, expect: str) -> bool:
    """Return whether ``words`` hold the expected ones: as they are, masked, by number or as index terms.

    In any width and case; a number in any spelling.
    """
    held = text.normalise(words)
    wanted = {text.normalise(expect), text.normalise(masking.mask(expect))}
    if any(one and one in held for one in wanted):
        return True
    numbers = {found.id for found in text.identifiers(expect)}
    if numbers and numbers <= {found.id for found in text.identifiers(words)}:
        return True
    terms = text.query_terms(expect).keys()
    return bool(terms) and terms <= text.terms(words).keys()


_ORDER = {Status.ACTIVE: 0, Status.QUARANTINED: 1, Status.ARCHIVED: 2, Status.SUPERSEDED: 3}
"""Of several memories that say it, the one that is nearest to being recalled is followed."""


def _expected(known: Known, expect: str) -> Clue | None:
    rows = [memory for memory in known.memories if says(_written(memory), expect)]
    said = [one for one in known.said if says(one.message.content, expect)]
    rows.sort(key=lambda memory: _ORDER[memory.status])
    if rows and not (rows[0].status is not Status.ACTIVE and _is_said_anew(said, rows[0])):
        return Clue(memory=rows[0])
    best = [one for one in said if not one.is_asked] or said
    return Clue(said=_by_weight(best)) if best else None


def _written(memory: Memory) -> str:
    return f"{memory.content}\n{memory.key or ''}\n{memory.value or ''}"


def _is_said_anew(said: Sequence[Said], memory: Memory) -> bool:
    return any(one.reading is Reading.UNREAD and one.message.time > memory.updated_at for one in said)


def _by_weight(said: Sequence[Said]) -> Said:
    """Return the newest statement of the user, else the newest question, else what anybody said last."""
    own = [one for one in said if one.message.role == "user"]
    return next((one for one in own if states_something(one.message)), (own or said)[0])


# --- by what the message has in common ------------------------------------------------------------------------------


def _likely(known: Known, question: str) -> Clue | None:
    rows = [memory for memory in known.memories if not _is_replaced(memory, known.memories)]
    shares = {memory.id: share(question, recall.index_terms(memory)) for memory in rows}
    rows.sort(key=lambda memory: -shares[memory.id])
    active = next((memory for memory in rows if memory.status is Status.ACTIVE), None)
    lost = next((memory for memory in rows if memory.status is not Status.ACTIVE), None)
    floor = max(BEARS, LEAD * shares[active.id]) if active else BEARS
    if lost and shares[lost.id] < floor:
        lost = None
    told = _told(known, question, max(floor, shares[lost.id]) if lost else floor)
    if told:
        return Clue(said=told)
    if lost:
        return Clue(memory=lost)
    best = active if active and shares[active.id] >= BEARS else next(iter(known.near), None)
    return Clue(memory=best) if best else None


def share(question: str, terms: Mapping[str, int]) -> float:
    """Return how much of a question's telling words are among these terms, 0 to 1; 1 if a number that it names is."""
    if any(found.id.lower() in terms for found in text.identifiers(question)):
        return 1.0
    weights = {term: weight for term, weight in text.query_terms(question).items() if _is_telling(term)}
    return sum(weight for term, weight in weights.items() if term in terms) / (sum(weights.values()) or 1.0)


def _is_telling(term: str) -> bool:
    return not text.STOP_CHARS & set(term)


def _is_replaced(memory: Memory, known: Sequence[Memory]) -> bool:
    """Return whether a newer memory says what is so now."""
    if memory.status is not Status.SUPERSEDED:
        return False
    return any(
        other.status is Status.ACTIVE and (other.id == memory.superseded_by or (memory.key and other.key == memory.key))
        for other in known
    )


def _told(known: Known, question: str, floor: float) -> Said | None:
    """Return the message that fits best of those that are no memory yet; the asked message itself only if alone.

    It was stated by the user or looked up by a tool; if it was read and gave nothing, nothing else may fit at all.
    """
    learnt = {(source.session, seq) for memory in known.memories for source in memory.sources for seq in source.seqs}
    unlearnt = [one for one in known.said if (one.session, one.message.seq) not in learnt and _may_tell(one, floor)]
    shares = [(share(question, text.terms(_beginning(one.message))), one) for one in unlearnt]
    fitting = sorted((pair for pair in shares if pair[0] >= floor), key=lambda pair: (pair[1].is_asked, -pair[0]))
    return next((one for _, one in fitting if states_something(one.message)), None)


def _may_tell(said: Said, floor: float) -> bool:
    return said.message.role in ("user", "tool") and (said.reading is not Reading.READ or floor <= BEARS)


def _beginning(message: Message) -> str:
    return text.truncate(message.content, MAX_CHARS)


def states_something(message: Message) -> bool:
    """Return whether a message does more than ask or greet: a statement, or a number of an order or shipment."""
    if message.role == "tool" or text.identifiers(_beginning(message)):
        return True
    view = guards.view(replace(message, content=_beginning(message)))
    return any(Flag.QUESTION not in one.flags and len(view.words(one)) > 2 for one in view.clauses)


def unread(known: Known) -> Said | None:
    """Return the newest statement of the user that nobody has read yet."""
    waiting = (one for one in known.said if one.reading is Reading.UNREAD and one.message.role == "user")
    return next((one for one in waiting if states_something(one.message)), None)
