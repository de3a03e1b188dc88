"""The embedded extractor: one pass of rules over the messages, no model, no download, about 2 ms a turn.

Each user message is guarded (``guards``), read by the tables (``zh``, ``en``), by ``contacts`` and by ``moves``; orders and
promises are collected over the dialogue by ``business``. What the assistant says is never a fact about the user; what a
tool says counts only as business data. A fact that the same dialogue takes back is not asserted; if it was asserted
by an earlier pass, it is retracted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from zhiji import text
from zhiji.extract import (
    asked_en,
    contacts,
    corrections,
    dates,
    declared,
    en,
    exercises,
    facts,
    guards,
    moves,
    relayed,
    replies,
    roleplay,
    safety,
    slots,
    statements,
    tasks,
    unsaid,
    withdrawals,
    zh,
)
from zhiji.extract.base import Extractor, Increment, Proposal
from zhiji.extract.business import Business
from zhiji.extract.facts import Found, Lang, found_at, tidy
from zhiji.extract.fold import fold
from zhiji.extract.view import View
from zhiji.types import Draft, Message

MAX_MESSAGE_CHARS: Final = 4000
"""Longer messages are pasted documents: only their beginning is read."""


class RuleExtractor(Extractor):
    """Proposes memories by rules, in Chinese and English."""

    name = "rules"
    every_turn = True
    keeps_requests = True

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
    sources = {message.seq: message for message in reading.dialogue}
    drafts = [dates.dated(draft, sources) for one in found if (draft := _emitted(one, fresh, sources))]
    return [safe for draft in _last_of_each_key(drafts) if (safe := safety.safe(draft))]


def _emitted(found: Found, fresh: set[int], sources: Mapping[int, Message]) -> Draft | None:
    """Return the draft to propose: new facts are asserted, earlier ones that a new message takes back retracted."""
    new = any(seq in fresh for seq in found.draft.seqs)
    if not found.withdrawn_by:
        return found.draft if new else None
    if new or found.withdrawn_by not in fresh or found.draft.op != "assert":
        return None
    return replace(
        dates.dated(found.draft, sources),
        op="forget" if found.refused else "retract",
        seqs=(*found.draft.seqs, found.withdrawn_by),
    )


def _last_of_each_key(drafts: Sequence[Draft]) -> list[Draft]:
    """Return the drafts without those that a later one of the same key replaces, and without repeats."""
    last = {(draft.key, draft.op): index for index, draft in enumerate(drafts) if draft.key}
    seen: set[tuple[str, str, str | None]] = set()
    kept: list[Draft] = []
    for index, draft in enumerate(drafts):
        same = (draft.op, text.normalise(draft.content), draft.key if draft.op == "forget" else None)
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
        self._now = 0
        self._in_role = False
        self._payload_next = False
        self._taken: list[tuple[int, int]] = []
        self._taken_here: list[int] = []

    def hear(self, index: int, message: Message) -> None:
        """Take in the next message."""
        message = replace(message, content=message.content[:MAX_MESSAGE_CHARS])
        if message.role == "tool":
            self.business.hear_tool(message)
        elif message.role == "assistant" and roleplay.plays_along(fold(message.content)):
            self._withdraw_played(message.seq)
        elif message.role == "assistant" and message.content and not self._in_role:
            self.business.hear_assistant(guards.view(message))
        elif message.role == "user":
            self._hear_user(index, message)

    def _hear_user(self, index: int, message: Message) -> None:
        self._now = message.seq
        payload = self._payload_next and exercises.is_payload(self._reply_before(index), message.content)
        view = guards.view(message, in_role=self._in_role, payload=payload)
        view = self._without_part(self._in_context(index, view))
        found, view = self._corrected(index, view)
        found += self._state(index, view, found)
        found = [one for one in found if one.draft.key or not self._denies_guess(view, one)]
        self._take_back(view, found)
        if not found and (one := corrections.after_joke(view, self._heard_before())):
            found.append(one)
        spans = [(one.start, one.end) for one in found if one.kept != "wish" and one.draft.type != "event"]
        self.business.hear_user(view, spans, joke=bool(unsaid.JOKE.search(view.heard)))
        self.facts += [_by_name(one, message.name) for one in found] if self._many_speakers else found
        folded = fold(message.content)
        self._payload_next = exercises.asks_for_text(message) and not self._payload_next
        self._in_role = roleplay.enters(folded) or (self._in_role and roleplay.leaves(folded) is None)

    def _in_context(self, index: int, view: View) -> View:
        """Return a view with what the assistant said right before it, and what the user had said before that."""
        before = self.dialogue[index - 1] if index else None
        if before is None or before.role != "assistant":
            return view
        said = self.dialogue[index - 2] if index > 1 else None
        return replace(view, asked=before, earlier=said.content if said and said.role == "user" else "")

    def _without_part(self, view: View) -> View:
        """Withdraw the earlier facts that a message takes back by name; return it without the clauses that do."""
        spans: list[tuple[int, int]] = []
        for one, (start, _) in moves.taken_back(view, self.facts):
            one.withdrawn_by = view.message.seq
            clause = view.clause(start + 1)
            spans.append((clause.start, clause.end))
        self._taken_here = []
        self._taken = [*spans, *self._withdraw(view, named=bool(spans))]
        spans = [*self._taken]
        spans += [found.span() for found in moves.UNSAY.finditer(view.folded) if found.group()[:1] in "就当"]
        return guards.without(view, spans)

    def _withdraw(self, view: View, *, named: bool) -> Iterator[tuple[int, int]]:
        """Withdraw what a message asks to delete or not to keep of the last one; yield the clauses that ask it.

        ``named``: a part has been taken back by its name already, which a further clause without one is about as well.
        """
        for taking in withdrawals.find(view):
            vague = not taking.parts and not taking.name
            if not taking.points_back and read(guards.view(view.message, text=view.text[: taking.start])):
                if vague and not unsaid.refuses(view.heard[taking.start : taking.end]):
                    self._taken_here.append(taking.start)
                continue
            meant = [] if named and vague else withdrawals.meant(taking, self._of_last_telling())
            for one in meant:
                one.withdrawn_by, one.refused = view.message.seq, taking.forgets
            if meant or (named and vague):
                named = True
                yield taking.start, taking.end

    def _of_last_telling(self) -> list[Found]:
        """Return the standing facts of the last user message that had any, behind no more than a brief one without."""
        said = [one for one in self.dialogue if one.role == "user" and one.seq < self._now]
        for back, message in enumerate(reversed(said[-2:])):
            facts = [one for one in self.facts if one.seq == message.seq]
            standing = [one for one in facts if not one.withdrawn_by and one.draft.op == "assert"]
            if standing or (not back and (facts or len(message.content) > withdrawals.MAX_BETWEEN)):
                return standing
        return []

    def _reply_before(self, index: int) -> str:
        """Return what the assistant said right before a message, or nothing."""
        before = self.dialogue[index - 1] if index else None
        return before.content if before is not None and before.role == "assistant" else ""

    def _corrected(self, index: int, view: View) -> tuple[list[Found], View]:
        """Return the earlier facts as a message corrects them, and the message without the words that did."""
        said = [*self.facts, *self._booked(index, view)]
        fixed = list(slots.corrected(view, said, self._reply_before(index)))
        for change in fixed:
            for one in change.replaced:
                if one.draft.key is None or one.draft.key != change.found.draft.key:
                    one.withdrawn_by = view.message.seq
        return [change.found for change in fixed], guards.without(
            view, [span for change in fixed for span in change.spans]
        )

    def _booked(self, index: int, view: View) -> list[Found]:
        """Return what the user's last message asked to book, in case this one corrects it, if no rule has read it."""
        if index < 2 or self.dialogue[index - 1].role != "assistant" or not slots.says_so(view):
            return []
        request = self._request_before(self.dialogue[index - 1])
        if request is None or any(one.seq == request.seq for one in self.facts):
            return []
        asked = guards.view(request)
        return (
            [replies.asked_to_remember(asked, _language(asked), wish=True)]
            if replies.BOOKS.search(asked.folded)
            else []
        )

    def _amended(self, question: Message, view: View, found: Sequence[Found]) -> list[Found]:
        """Return the user's request with what they want instead of what the assistant proposed for it."""
        span = replies.amended(question.content, view.heard)
        request = self._request_before(question) if span else None
        if span is None or any(one.start < span[1] and span[0] < one.end for one in found):
            return []
        if request is None or not replies.BOOKS.search(fold(request.content)):
            return []
        for one in self._of_last_message():
            one.withdrawn_by = view.message.seq
        words = f"{request.content.strip(' .。!！')}{replies.JOINT}{view.text[slice(*span)].strip()}"
        stated = guards.view(view.message, text=words, seqs=(request.seq, view.message.seq))
        return [replies.asked_to_remember(stated, _language(stated), wish=True)]

    def _state(self, index: int, view: View, corrected: Sequence[Found]) -> list[Found]:
        """Return what a user message states, by itself, as a correction or as an answer."""
        lang = _language(view)
        forgotten = list(self._forget(view, lang))
        view = guards.without(view, [(one.start, one.end) for one in moves.forget(view, lang)])
        found = read(view)
        moves.mark_asked(view, found)
        asked = list(moves.remember(view, lang, [*(one for one in found if not one.kept), *corrected]))
        found = [
            one
            for one in found
            if not any(_inside(one, whole) and (one.kept or whole.draft.suspicious) for whole in asked)
        ] + asked
        found += forgotten
        found += self._correct(view, lang, found)
        if index and (question := self.dialogue[index - 1]).role == "assistant":
            found += self._scheduled(question, view, found)
            found += self._amended(question, view, [*corrected, *found])
            answers = list(self._answer(question, view))
            keyed = [text.normalise(str(one.draft.value)) for one in answers if one.draft.key]
            found = [one for one in found if not (one.kept and text.normalise(str(one.draft.value)) in keyed)] + answers
            told = (
                [] if unsaid.refuses(view.heard) else list(asked_en.find(question, self._said_before(question), view))
            )
            told += asked_en.about_theirs(self.dialogue[:index], view, told)
            found = [one for one in found if not (one.kept and any(_inside(one, whole) for whole in told))]
            found += [one for one in told if not any(_inside(one, other) for other in found if other.draft.key)]
        return found

    def _said_before(self, question: Message) -> Message | None:
        """Return what the user said last before a message of the assistant."""
        before = [one for one in self.dialogue if one.role == "user" and one.seq < question.seq]
        return before[-1] if before else None

    def _scheduled(self, question: Message, view: View, found: list[Found]) -> list[Found]:
        """Return the task of the last message with the time that the assistant asked for and this message names."""
        task = next((one for one in self._of_last_message() if one.draft.type == "task"), None)
        when = replies.time_told(question.content, view)
        if task is None or when is None or dates.has_day(task.draft.content, view.message.time):
            return []
        words = view.words(when)
        task.withdrawn_by = view.message.seq
        told = f"{task.draft.content}{replies.JOINT}{words}"
        joined = replace(
            task.draft, content=told, value=told, seqs=tuple(sorted({*task.draft.seqs, question.seq, *view.seqs}))
        )
        found[:] = [one for one in found if not (when.start <= one.start and one.end <= when.end)]
        return [found_at(view, (when.start, when.end), joined)]

    def _forget(self, view: View, lang: Lang) -> Iterator[Found]:
        for one in moves.forget(view, lang):
            if moves.JUST_SAID.search(fold(one.draft.content)):
                self._withdraw_last(view, all_kinds=True)
            meant = read(guards.view(view.message, text=one.draft.content)) if one.draft.key is None else []
            yield one
            yield from (replace(one, draft=replace(one.draft, key=key)) for key in moves.also(one.draft.key))
            yield from (_forgotten(other, view) for other in meant)

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
        if unsaid.refuses(view.heard):
            return
        if contacts.ASKS_ADDRESS.search(fold(question.content)):
            yield from contacts.bare_address(view)
        seqs = (question.seq, view.message.seq)
        agreed = replies.confirmed(question.content, view.message.content)
        for one in agreed:
            request = self._request_before(question) if one.detail else None
            words = f"{request.content.strip(' .。!！')}{replies.JOINT}{one.words}" if request else one.words
            stated = guards.view(view.message, text=words, seqs=(request.seq, *seqs) if request else seqs)
            found = [] if one.detail else read(stated)
            if not found and (one.stands or request):
                found = [replies.asked_to_remember(stated, _language(stated), wish=one.detail)]
            for fact in found if one.stands else ():
                moves.asked(fact)
            yield from found
        if not agreed and (told := replies.answered(question.content, view.message.content)):
            yield from read(guards.view(view.message, text=told, seqs=seqs))

    def _request_before(self, question: Message) -> Message | None:
        """Return the user's short message that a question of the assistant asks back about."""
        before = [one for one in self.dialogue if one.role == "user" and one.seq < question.seq]
        return before[-1] if before and len(before[-1].content) <= replies.MAX_ANSWER_CHARS else None

    # --- taking back ---

    def _take_back(self, view: View, found: list[Found]) -> None:
        """Withdraw what this message calls a joke, takes back or does not want remembered."""
        if unsaid.takes_back_boast(view.heard, self._said_last()):
            self._withdraw_last(view, all_kinds=True)
        if (refusal := unsaid.refuses(view.heard)) and not self._has_taken(refusal):
            self._refuse(view, found, refusal.end())
        for pattern, force in ((unsaid.JOKE, True), (moves.UNSAY, True), (moves.CALL_OFF, False)):
            if (match := pattern.search(view.heard)) and not self._has_taken(match):
                self._withdraw_before(view, found, match.start(), joke=pattern is unsaid.JOKE, all_kinds=force)
        for position in self._taken_here:
            self._withdraw_before(view, found, position, joke=False, all_kinds=True)
        for one in withdrawals.no_longer(view, self._of_last_message()):
            one.withdrawn_by = view.message.seq

    def _denies_guess(self, view: View, one: Found) -> bool:
        """Return whether a finding only says that what the assistant assumed is not so."""
        if view.asked is None or not one.kept:
            return False
        words = view.text[one.start : one.end]
        return replies.denies_guess(words, view.asked.content, view.earlier)

    def _has_taken(self, words: re.Match[str]) -> bool:
        """Return whether what these words take back has been withdrawn already."""
        return any(start < words.end() and words.start() < end for start, end in self._taken)

    def _withdraw_before(
        self, view: View, found: Sequence[Found], position: int, *, joke: bool, all_kinds: bool
    ) -> None:
        """Withdraw what stands right before a position: in its sentence or the one before, else the last message."""
        sentence = view.clause(position).sentence
        before = [one for one in found if one.start < position and one.sentence >= sentence - 1]
        about_last = (
            joke
            or (all_kinds and not before)
            or moves.opens(view.heard[:position])
            or self._calls_off_last(view.heard[position:])
        )
        if not about_last:
            for one in before:
                one.withdrawn_by = view.message.seq
        elif not (joke and before):
            self._withdraw_last(view, all_kinds=all_kinds)

    def _withdraw_played(self, seq: int) -> None:
        """Withdraw what the user said last of whom they are and what they like, for the assistant heard a part played."""
        for one in self.facts:
            if one.seq == self._now and one.draft.type in ("identity", "preference") and not one.withdrawn_by:
                one.withdrawn_by = seq

    def _calls_off_last(self, words: str) -> bool:
        """Return whether words such as 不考了 call off what the last message planned (考研)."""
        verb = moves.called_off(words)
        return bool(verb) and any(verb in fold(one.draft.content) for one in self._of_last_message())

    def _refuse(self, view: View, found: list[Found], position: int) -> None:
        """What is not to be kept is withdrawn, and forgotten if it was kept before: "别记我住在北京"."""
        here = moves.heard_clause(view, position - 1)
        topic = moves.topic(view.text[here.start : here.end])
        said = found or self._of_last_message()
        meant = [one for one in said if topic and moves.is_about(one.draft.key, topic)]
        if not meant and not found and unsaid.refers_back(view.heard):
            meant = self._of_last_message()
        for one in meant:
            one.withdrawn_by, one.refused = view.message.seq, True
        words = tidy(re.sub(r"^\s*that\b", "", view.text[position : here.end], flags=re.I))
        stated = [one for one in read(guards.view(view.message, text=words)) if one.draft.key or topic is None]
        found += [_forgotten(one, view) for one in stated]
        for one in self._of_keys({fact.draft.key for fact in stated if fact.draft.key}):
            one.withdrawn_by, one.refused = view.message.seq, True
        if topic is not None and not meant and not stated:
            found.append(moves.forgotten(view, words or tidy(view.text), _language(view), (position, position)))

    def _of_keys(self, keys: Collection[str]) -> list[Found]:
        return [one for one in self.facts if one.draft.key in keys and not one.withdrawn_by]

    def _heard_before(self) -> str:
        """Return the folded user message before this one, or nothing."""
        return fold(self._said_last())

    def _said_last(self) -> str:
        """Return the user message before this one as written, or nothing."""
        said = [message.content for message in self.dialogue if message.role == "user" and message.seq < self._now]
        return said[-1][:MAX_MESSAGE_CHARS] if said else ""

    def _of_last_message(self) -> list[Found]:
        """Return the standing facts of the user message before this one."""
        said = [message.seq for message in self.dialogue if message.role == "user" and message.seq < self._now]
        return [one for one in self.facts if said and one.seq == said[-1] and not one.withdrawn_by]

    def _withdraw_last(self, view: View, *, all_kinds: bool) -> None:
        for one in self._of_last_message():
            kind = one.draft.type in ("task", "event", "after_sale") or moves.PLAN.search(fold(one.draft.content))
            if all_kinds or (kind and one.draft.key is None):
                one.withdrawn_by = view.message.seq


def _by_name(found: Found, name: str | None) -> Found:
    """Return a fact of a conversation of several people as one about its speaker; keys are the user's alone."""
    if name:
        told = re.sub(r"用[户戶]|[Tt]he user(?='|\b)", name, found.draft.content)
        found.draft = replace(found.draft, content=told, key=None)
    return found


def _forgotten(stated: Found, view: View) -> Found:
    """Return a fact that a message names as the request to forget it."""
    stated.draft = replace(stated.draft, op="forget", seqs=view.seqs)
    return stated


def _inside(one: Found, whole: Found) -> bool:
    return whole.start <= one.start and one.end <= whole.end


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
        found += (one for one in facts.apply(zh.ALL, view, "zh") if not _grants(one, view))
        found += contacts.find(view, "zh")
    if latin:
        found += facts.apply(en.ALL, view, "en")
        found += [] if han and "*" in folded else contacts.find(view, "en")
    found += declared.find(view)
    found += tasks.find(view, found)
    found += relayed.find(view, found)
    found += statements.find(view, found)
    for one in found:
        one.start += len(folded[one.start : one.end]) - len(folded[one.start : one.end].lstrip(" "))
    return sorted(_distinct(found), key=lambda one: one.start)


def _grants(one: Found, view: View) -> bool:
    """Return whether what looks like a manner of answering asks for rights: 都直接 in 退款都直接批准."""
    manner = one.draft.key == "preference:reply_style"
    return manner and bool(safety.authority(view.words(view.clause(one.end - 1))))


REPEATED: Final = 0.85
"""Share of a sentence that findings with a key of their own tell, at which it says nothing more."""


def _distinct(found: Sequence[Found]) -> Iterator[Found]:
    """Yield the findings, without keyless ones that lie inside a keyed one, or only repeat several of them."""
    for one in found:
        told = [other for other in found if one.kept and other.draft.key and _inside(other, one)]
        if len(told) > 1 and sum(other.end - other.start for other in told) >= REPEATED * (one.end - one.start):
            continue
        inside = one.draft.op == "assert" and any(
            other is not one and other.draft.key and other.start <= one.start and one.end <= other.end
            for other in found
        )
        if one.draft.key or not inside:
            yield one
