"""The checker: does what the service shows afterwards agree with the ledger of the clients? Pure.

Each rule yields complaints; none means that the run is clean. What a turn *is* in a transcript is decided by its mark: a
turn is closed if it begins with the user's message and ends with an answer; a failed turn has no answer, and may be there
any number of times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from benchmarks.load.ledger import Call, Evidence, Found, Kind, Outcome, Sent
from benchmarks.load.marks import marks, name, owners, secret, seen_before
from zhiji.types import JobStatus, Message

DONE = "done"
"""In an answer: the writing tool said that it did its work."""


@dataclass(frozen=True, slots=True)
class Closed:
    """One closed turn of a transcript."""

    session: str
    number: int
    answer: str


Places = Mapping[str, Sequence[Closed]]
"""Closed turns by the mark in their user's message."""


def check(ledger: Sequence[Sent], evidence: Evidence) -> dict[str, list[str]]:
    """Return the complaints of each rule; empty lists if the run is clean."""
    places = closed_turns(evidence.users)
    return {title: list(rule(ledger, evidence, places)) for title, rule in RULES.items()}


def closed_turns(users: Mapping[int, Found]) -> Places:
    """Return where each mark's turn was closed."""
    places: dict[str, list[Closed]] = {}
    for found in users.values():
        for session, messages in found.transcripts.items():
            for number, turn in groupby(messages, key=lambda message: message.turn):
                kept = list(turn)
                if _is_closed(kept):
                    for mark in marks(kept[0].content)[:1]:
                        places.setdefault(mark, []).append(Closed(session, number, kept[-1].content))
    return places


def _is_closed(turn: Sequence[Message]) -> bool:
    return turn[0].role == "user" and turn[-1].role == "assistant" and not turn[-1].tool_calls


# --- rules ------------------------------------------------------------------------------------------------------------


def every_accepted_turn_once(ledger: Sequence[Sent], evidence: Evidence, places: Places) -> Iterator[str]:
    """An accepted turn is closed exactly once, in the session that its reply named."""
    for sent, reply in _accepted(ledger):
        where = [closed.session for closed in places.get(sent.mark, ())]
        if where != [reply.session]:
            yield f"{sent.mark}: accepted in {reply.session}, closed in {where or 'none'}"


def nothing_else_twice(ledger: Sequence[Sent], evidence: Evidence, places: Places) -> Iterator[str]:
    """A turn that was refused or lost is closed once at most, and nothing is there that nobody sent."""
    known = {sent.mark for sent in ledger}
    for sent in ledger:
        count = len(places.get(sent.mark, ()))
        if sent.accepted is None and count > 1:
            yield f"{sent.mark}: never accepted, closed {count} times"
    yield from (f"{mark}: closed, never sent" for mark in places if mark not in known)


def own_answers(ledger: Sequence[Sent], evidence: Evidence, places: Places) -> Iterator[str]:
    """The transcript holds the answer that the client got, and it is the answer to this turn."""
    for sent, reply in _accepted(ledger):
        kept = [closed.answer for closed in places.get(sent.mark, ())]
        if any(answer != reply.text for answer in kept):
            yield f"{sent.mark}: the transcript holds another answer than the reply"
        if not _answers(reply.text, sent):
            yield f"{sent.mark}: the reply is not to this turn"


def _answers(text: str, sent: Sent) -> bool:
    return marks(text) == [sent.mark] or (sent.left and bool(text) and sent.mark.startswith(text[: len(sent.mark)]))


def same_reply_again(ledger: Sequence[Sent], evidence: Evidence, places: Places) -> Iterator[str]:
    """Every attempt under one idempotency key that got a reply got the same turn with the same words."""
    for sent in ledger:
        replies = {(one.session, one.turn, one.text) for one in sent.outcomes if one.status == "accepted"}
        if len(replies) > 1:
            yield f"{sent.mark}: {len(replies)} different replies"


def in_order(ledger: Sequence[Sent], evidence: Evidence, places: Places) -> Iterator[str]:
    """Sequence numbers have no gap, turns rise, and a turn sent after another's reply stands after it."""
    for found in evidence.users.values():
        for session, messages in found.transcripts.items():
            if [message.seq for message in messages] != list(range(1, len(messages) + 1)):
                yield f"{session}: sequence numbers have a gap"
            numbers = [message.turn for message in messages]
            if numbers != sorted(numbers):
                yield f"{session}: turns are interleaved"
    sessions: dict[str, list[tuple[Sent, Outcome]]] = {}
    for sent, reply in _accepted(ledger):
        sessions.setdefault(reply.session, []).append((sent, reply))
    for turns in sessions.values():
        yield from _overtaken(turns, places)


def _overtaken(turns: Sequence[tuple[Sent, Outcome]], places: Places) -> Iterator[str]:
    placed = [(sent, reply.at, places[sent.mark][0].number) for sent, reply in turns if sent.mark in places]
    for first, replied_at, number in placed:
        for second, _, other in placed:
            if replied_at < second.at and other < number:
                yield f"{second.mark}: sent after the reply to {first.mark}, stands before it"


def nothing_forgotten(ledger: Sequence[Sent], evidence: Evidence, places: Places) -> Iterator[str]:
    """The model saw, right before each turn, the one that was closed before it, whichever process answered either."""
    for found in evidence.users.values():
        for session, messages in found.transcripts.items():
            before = ""
            for _, turn in groupby(messages, key=lambda message: message.turn):
                kept = list(turn)
                if not _is_closed(kept):
                    continue
                if seen_before(kept[-1].content) not in (None, before):
                    yield f"{session}: {marks(kept[0].content)} was answered without a view of {before or 'nothing'}"
                before = (marks(kept[0].content) or [""])[0]


def no_cross_talk(ledger: Sequence[Sent], evidence: Evidence, places: Places) -> Iterator[str]:
    """No secret or mark of one user is anywhere in what another user is shown."""
    for sent in ledger:
        strangers = set().union(*(owners(one.body) for one in sent.outcomes)) - {sent.user}
        if strangers:
            yield f"{sent.mark}: the reply tells of users {sorted(strangers)}"
    for user, found in evidence.users.items():
        texts = {
            "a transcript": [_words(message) for kept in found.transcripts.values() for message in kept],
            "a memory": found.memories,
            "what is recalled": found.recalled,
            "a context": found.contexts,
        }
        for place, shown in texts.items():
            strangers = set().union(*map(owners, shown)) - {user}
            if strangers:
                yield f"user {user}: {place} tells of users {sorted(strangers)}"


def _words(message: Message) -> str:
    return " ".join([message.content, *(call.arguments for call in message.tool_calls)])


def writes_once(ledger: Sequence[Sent], evidence: Evidence, places: Places) -> Iterator[str]:
    """The writing tool ran once at most for each turn, for its own user, and did run where the answer says so."""
    runs: dict[str, list[Call]] = {}
    for call in evidence.calls:
        runs.setdefault(call.mark, []).append(call)
    sent_by_mark = {sent.mark: sent for sent in ledger}
    for mark, calls in runs.items():
        if len(calls) > 1:
            yield f"{mark}: the tool ran {len(calls)} times"
        sent = sent_by_mark.get(mark)
        if sent is None or sent.kind is not Kind.WRITE or any(call.user != sent.user for call in calls):
            yield f"{mark}: the tool ran for another turn or user"
    yield from (
        f"{key}: a key was used twice" for key, count in Counter(c.key for c in evidence.calls).items() if count > 1
    )
    for sent, reply in _accepted(ledger):
        if sent.kind is Kind.WRITE and DONE in reply.text.split() and sent.mark not in runs:
            yield f"{sent.mark}: the answer tells of a call that was not made"


def jobs_settled(ledger: Sequence[Sent], evidence: Evidence, places: Places) -> Iterator[str]:
    """Every job is done, or dead with a reason."""
    for job in evidence.jobs:
        if job.status is not JobStatus.DONE and not (job.status is JobStatus.DEAD and job.error):
            yield f"{job.id}: {job.kind} is {job.status} without a reason"


def facts_once(ledger: Sequence[Sent], evidence: Evidence, places: Places) -> Iterator[str]:
    """What every accepted turn of a user states is one active memory of that user, unless a job is dead."""
    bereaved = {job.scope.user for job in evidence.jobs if job.status is JobStatus.DEAD}
    spoke = {sent.user for sent, _ in _accepted(ledger)}
    for user, found in evidence.users.items():
        count = found.facts.count(f"order:{secret(user)}")
        if count > 1 or (count == 0 and user in spoke and name(user) not in bereaved):
            yield f"user {user}: the order is remembered {count} times"


def _accepted(ledger: Sequence[Sent]) -> Iterator[tuple[Sent, Outcome]]:
    return ((sent, sent.accepted) for sent in ledger if sent.accepted is not None)


Rule = Callable[[Sequence[Sent], Evidence, Places], Iterator[str]]
RULES: Mapping[str, Rule] = {
    rule.__name__: rule
    for rule in (
        every_accepted_turn_once,
        nothing_else_twice,
        own_answers,
        same_reply_again,
        in_order,
        nothing_forgotten,
        no_cross_talk,
        writes_once,
        jobs_settled,
        facts_once,
    )
}
