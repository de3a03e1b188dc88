"""The embedded extractor: one pass of rules over the messages, no model, no download, well under 2 ms a turn.

Each user message is guarded (``guards``), read by the tables (``zh``, ``en``), by ``contacts`` and by ``moves``; orders and
promises are collected over the dialogue by ``business``. What the assistant says is never a fact about the user; what a
tool says counts only as business data. A fact that the same dialogue takes back is not asserted; if it was asserted
by an earlier pass, it is retracted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from zhiji import text
from zhiji.extract import contacts, corrections, en, facts, guards, moves, replies, statements, tasks, zh
from zhiji.extract.base import Extractor, Increment, Proposal
from zhiji.extract.business import Business
from zhiji.extract.facts import Found, Lang
from zhiji.extract.fold import fold
from zhiji.extract.view import View
from zhiji.types import Draft, Message

MAX_MESSAGE_CHARS: Final = 8000
"""Longer messages are pasted documents: only their beginning is read."""


class RuleExtractor(Extractor):
    """Proposes memories by rules, in Chinese and English."""

    name = "rules"
    every_turn = True

    async def extract(self, increment: Increment) -> Proposal:
        """Return the drafts for an increment. Pure and synchronous inside; never fails."""
        return Proposal(drafts=propose(increment))


def propose(increment: Increment) -> list[Draft]:
    """Return the drafts of an increment, in the order of the words."""
    reading = Reading(increment)
    fresh = {message.seq for message in increment.messages}
    for index, message in enumerate(reading.dialogue):
        reading.hear(index, message)
    found = [*reading.facts, *reading.business.tell()]
    drafts = [draft for one in found if (draft := _emitted(one, fresh))]
    return [safe for draft in _last_of_each_key(drafts) if (safe := guards.safe(draft))]


def _emitted(found: Found, fresh: set[int]) -> Draft | None:
    """Return the draft to propose: new facts are asserted, earlier ones that a new message takes back retracted."""
    new = any(seq in fresh for seq in found.draft.seqs)
    if not found.withdrawn_by:
        return found.draft if new else None
    if new or found.withdrawn_by not in fresh or found.draft.op != "assert":
        return None
    return replace(found.draft, op="retract", seqs=(*found.draft.seqs, found.withdrawn_by))


def _last_of_each_key(drafts: Sequence[Draft]) -> list[Draft]:
    """Return the drafts without those that a later one of the same key replaces, and without repeats."""
    last = {(draft.key, draft.op): index for index, draft in enumerate(drafts) if draft.key}
    seen: set[tuple[str, str]] = set()
    kept: list[Draft] = []
    for index, draft in enumerate(drafts):
        same = (draft.op, text.normalise(draft.content))
        if same in seen or (draft.key and last[draft.key, draft.op] != index):
            continue
        seen.add(same)
        kept.append(draft)
    return kept


class Reading:
    """A dialogue while it is read."""

    def __init__(self, increment: Increment) -> None:
        self.dialogue: list[Message] = [*increment.context, *increment.messages]
        self.facts: list[Found] = []
        self.business = Business(increment.recalled)
        self._many_speakers = len({message.name for message in self.dialogue if message.role == "user"}) > 1
        self._in_role = False
        self._payload_next = False

    def hear(self, index: int, message: Message) -> None:
        """Take in the next message."""
        message = replace(message, content=message.content[:MAX_MESSAGE_CHARS])
        if message.role == "tool":
            self.business.hear_tool(message)
        elif message.role == "assistant" and message.content and not self._in_role:
            self.business.hear_assistant(guards.view(message))
        elif message.role == "user":
            self._hear_user(index, message)

    def _hear_user(self, index: int, message: Message) -> None:
        view = guards.view(message, in_role=self._in_role, payload=self._payload_next)
        found = self._state(index, view)
        self._take_back(view, found)
        spans = [(one.start, one.end) for one in found]
        self.business.hear_user(view, spans, joke=bool(guards.JOKE.search(view.folded)))
        self.facts += [_by_name(one, message.name) for one in found] if self._many_speakers else found
        folded = fold(message.content)
        self._payload_next = guards.asks_for_text(message) and not self._payload_next
        self._in_role = guards.enters_role(folded) or (self._in_role and guards.leaves_role(folded) is None)

    def _state(self, index: int, view: View) -> list[Found]:
        """Return what a user message states, by itself, as a correction or as an answer."""
        lang = _language(view)
        found = read(view)
        found += moves.remember(view, lang, found)
        found += self._forget(view, lang)
        found += self._correct(view, lang, found)
        if index and (question := self.dialogue[index - 1]).role == "assistant":
            found += self._answer(question, view)
        return found

    def _forget(self, view: View, lang: Lang) -> Iterator[Found]:
        for one in moves.forget(view, lang):
            if moves.JUST_SAID.search(fold(one.draft.content)):
                self._withdraw_last(view, all_kinds=True)
            meant = read(guards.view(view.message, text=one.draft.content)) if one.draft.key is None else []
            yield one
            for other in meant:
                other.draft = replace(other.draft, op="forget", seqs=view.seqs)
                yield other

    def _correct(self, view: View, lang: Lang, found: Sequence[Found]) -> Iterator[Found]:
        for fresh, earlier in corrections.find(view, lang, [*self.facts, *found]):
            if earlier is not None and fresh.draft.key != earlier.draft.key:
                earlier.withdrawn_by = view.message.seq
            yield fresh
        if corrections.is_correction(view):
            self._replace_family(view, found)

    def _replace_family(self, view: View, found: Sequence[Found]) -> None:
        """A message that calls the last one wrong replaces its facts of the same kind (one allergy for another)."""
        keys = {one.draft.key for one in found}
        families = {family for key in keys if (family := _family(key))}
        for one in self._of_last_message():
            if _family(one.draft.key) in families and one.draft.key not in keys:
                one.withdrawn_by = view.message.seq

    def _answer(self, question: Message, view: View) -> Iterator[Found]:
        """Yield what a message says as the answer to the assistant's question."""
        if guards.REFUSAL.search(view.folded):
            return
        if contacts.ASKS_ADDRESS.search(fold(question.content)):
            yield from contacts.bare_address(view)
        agreed = replies.confirmed(question.content, view.message.content)
        words = agreed[0] if agreed else replies.answered(question.content, view.message.content)
        if words is None:
            return
        stated = guards.view(view.message, text=words, seqs=(question.seq, view.message.seq))
        found = read(stated)
        if not found and agreed and agreed[1]:
            found = [replies.asked_to_remember(stated, _language(stated))]
        yield from found

    # --- taking back ---

    def _take_back(self, view: View, found: list[Found]) -> None:
        """Withdraw what this message calls a joke, takes back or does not want remembered."""
        if refusal := guards.REFUSAL.search(view.folded):
            self._refuse(view, found, refusal.end())
        for pattern, jokes in ((guards.JOKE, True), (guards.TAKE_BACK, False)):
            if match := pattern.search(view.folded):
                self._withdraw_before(view, found, match.start(), jokes=jokes)

    def _withdraw_before(self, view: View, found: Sequence[Found], position: int, *, jokes: bool) -> None:
        """Withdraw what stands right before a position: in its sentence or the one before, else the last message."""
        sentence = view.clause(position).sentence
        before = [one for one in found if one.start < position and one.sentence >= sentence - 1]
        for one in before:
            one.withdrawn_by = view.message.seq
        opens = not view.folded[:position].strip(" \n,。!~")
        if not before and (jokes or opens):
            self._withdraw_last(view, all_kinds=jokes)

    def _refuse(self, view: View, found: list[Found], position: int) -> None:
        topic = moves.topic(view.text[max(0, position - 12) : position + 16])
        for one in found or self._of_last_message():
            if topic is None or one.draft.key == topic:
                one.withdrawn_by = view.message.seq

    def _of_last_message(self) -> list[Found]:
        last = max((one.seq for one in self.facts), default=0)
        return [one for one in self.facts if one.seq == last]

    def _withdraw_last(self, view: View, *, all_kinds: bool) -> None:
        for one in self._of_last_message():
            if all_kinds or one.draft.type in ("task", "event", "after_sale"):
                one.withdrawn_by = view.message.seq


def _by_name(found: Found, name: str | None) -> Found:
    """Return a fact of a conversation of several people as one about its speaker; keys are the user's alone."""
    if name:
        told = re.sub(r"用[户戶]|[Tt]he user(?='|\b)", name, found.draft.content)
        found.draft = replace(found.draft, content=told, key=None)
    return found


def _family(key: str | None) -> str:
    return (key or "").rpartition(".")[0]


def _language(view: View) -> Lang:
    return "en" if text.language(view.text) == "en" else "zh"


def read(view: View) -> list[Found]:
    """Return what the tables find in a view, without what only repeats a part of another finding."""
    found: list[Found] = []
    folded = view.folded
    han = any("一" <= char <= "鿿" for char in folded)
    latin = sum("a" <= char <= "z" for char in folded) > 2
    if han:
        found += facts.apply(zh.ALL, view, "zh")
        found += contacts.find(view, "zh")
    if latin:
        found += facts.apply(en.ALL, view, "en")
        found += [] if han and "*" in folded else contacts.find(view, "en")
    found += tasks.find(view, found)
    found += statements.find(view, found)
    return sorted(_distinct(found), key=lambda one: one.start)


def _distinct(found: Sequence[Found]) -> Iterator[Found]:
    """Yield the findings, without keyless ones that lie inside a keyed one."""
    for one in found:
        inside = any(
            other is not one and other.draft.key and other.start <= one.start and one.end <= other.end
            for other in found
        )
        if one.draft.key or not inside:
            yield one
