"""The session half of the in-memory reference store: one owner's sessions, turns and requests in plain values.

Written to be obviously right, not fast. Every method answers as the one of ``Store`` of the same name; what raises has
checked before it changed anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal

from zhiji.errors import (
    IdempotencyMismatch,
    LeaseLost,
    SessionBusy,
    SessionExpired,
    SessionNotFound,
    StaleState,
)
from zhiji.stores.base import JournalEntry, Lease, Once, OpenTurn, SessionLog, TurnEnd, TurnRecord, TurnStart
from zhiji.types import JsonValue, Message, Recipe, Session, SessionStatus, Source, State

DAY = timedelta(hours=24)


@dataclass(slots=True)
class Turn:
    """A turn. ``id`` and ``request`` are None if it happened elsewhere, or when a later attempt took them over."""

    number: int
    first_seq: int
    status: Literal["open", "closed", "failed"]
    time: datetime
    id: str | None = None
    request: str | None = None
    key: str | None = None
    digest: str = ""
    error: str = ""


@dataclass(slots=True)
class Dialogue:
    """A session with all that belongs to it."""

    session: Session
    messages: list[Message] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    summaries: dict[int, str] = field(default_factory=dict)
    ended_at: datetime | None = None
    lease: Lease | None = None

    @property
    def open_turn(self) -> Turn | None:
        return next((turn for turn in self.turns if turn.status == "open"), None)

    def is_held(self, now: datetime) -> bool:
        return self.lease is not None and now < self.lease.until

    def refuse_over(self, now: datetime) -> None:
        expires = self.session.expires_at
        if self.session.status is SessionStatus.ENDED:
            raise SessionExpired
        if expires is not None and now >= expires and not self.is_held(now):
            raise SessionExpired

    def refuse_busy(self, now: datetime) -> None:
        if self.is_held(now):
            raise SessionBusy

    def fail_open(self, code: str = "lease_lost") -> None:
        turn = self.open_turn
        if turn is not None:
            turn.status, turn.error = "failed", code
        self.lease = None

    def closed(self, after_seq: int, upto_seq: int) -> list[Message]:
        numbers = {turn.number for turn in self.turns if turn.status == "closed"}
        return [message for message in self.messages if after_seq < message.seq <= upto_seq and message.turn in numbers]

    def history(self, after_seq: int, turns: int) -> list[Message]:
        after = [turn.number for turn in self.turns if turn.status == "closed" and turn.first_seq > after_seq]
        kept = after[max(0, len(after) - turns) :]
        return [message for message in self.messages if message.turn in kept]

    def add(self, messages: Sequence[Message], turn: int) -> None:
        """The messages are numbered and belong to this turn."""
        for message in messages:
            seq = len(self.messages) + 1
            self.messages.append(replace(message, seq=seq, turn=turn))
            self.session = replace(self.session, last_seq=seq)

    def begin(self, turn: Turn) -> None:
        """The turn is the last one."""
        self.turns.append(turn)
        self.session = replace(self.session, turns=turn.number)


@dataclass(frozen=True, slots=True)
class Request:
    """An answered request."""

    session: str
    turn: int
    recipe: Recipe
    reply: Mapping[str, JsonValue]


@dataclass(slots=True)
class OwnerSessions:
    """What one owner's sessions are."""

    dialogues: dict[str, Dialogue] = field(default_factory=dict)
    unsaid: dict[str, set[int]] = field(default_factory=dict)
    """By session id, last touched last."""
    requests: dict[str, Request] = field(default_factory=dict)
    journal: dict[tuple[str, str], JournalEntry] = field(default_factory=dict)
    """By turn id and key."""

    # -- sessions --

    def create_session(self, session: Session) -> None:
        summaries = {session.summary_upto: session.summary} if session.summary else {}
        self.dialogues[session.id] = Dialogue(session, summaries=summaries)

    def require(self, session_id: str) -> Dialogue:
        if session_id not in self.dialogues:
            raise SessionNotFound
        return self.dialogues[session_id]

    def load_session(self, session_id: str) -> Session | None:
        return self.dialogues[session_id].session if session_id in self.dialogues else None

    def list_sessions(self, live_at: datetime | None, limit: int, offset: int) -> list[Session]:
        every = [dialogue.session for dialogue in self.dialogues.values()]
        sessions = [
            session
            for session in every
            if live_at is None
            or (session.status is SessionStatus.LIVE and (session.expires_at is None or session.expires_at > live_at))
        ]
        return sorted(sessions, key=lambda session: session.touched_at)[::-1][offset : offset + limit]

    def latest_session(self) -> Session | None:
        every = self.list_sessions(None, len(self.dialogues), 0)
        return next((session for session in every if session.expires_at is not None), None)

    def session_log(self, session_id: str, last: int) -> SessionLog | None:
        dialogue = self.dialogues.get(session_id)
        if dialogue is None:
            return None
        turns = dialogue.turns[max(0, len(dialogue.turns) - last) :]
        return SessionLog(
            ended_at=dialogue.ended_at,
            lease_until=dialogue.lease.until if dialogue.lease is not None else None,
            turns=[
                TurnRecord(
                    number=turn.number,
                    status=turn.status,
                    first_seq=turn.first_seq,
                    time=turn.time,
                    request_id=turn.request,
                    error=turn.error,
                )
                for turn in turns
            ],
        )

    def _touch(self, dialogue: Dialogue, now: datetime) -> Session:
        dialogue.session = replace(dialogue.session, touched_at=now)
        self.dialogues[dialogue.session.id] = self.dialogues.pop(dialogue.session.id)
        return dialogue.session

    # -- turns --

    def begin_turn(self, session_id: str, start: TurnStart, history_turns: int) -> OpenTurn:
        dialogue, now = self.require(session_id), start.lease.now
        former = self._former(start.idempotency_key, start.body_digest, now)
        if former is not None and former[1].status == "closed":
            return self._replay(*former)
        dialogue.refuse_over(now)
        dialogue.refuse_busy(now)
        if former is not None and former[1].status == "open":
            former[0].refuse_busy(now)
            former[0].fail_open()
        dialogue.fail_open()
        turn = self._open(dialogue, start, former)
        dialogue.lease = start.lease
        return replace(_opened(dialogue, turn), history=dialogue.history(dialogue.session.summary_upto, history_turns))

    def _keyed(self, key: str | None, now: datetime) -> tuple[Dialogue, Turn] | None:
        for dialogue in self.dialogues.values():
            for turn in dialogue.turns:
                if key is not None and turn.key == key and turn.time > now - DAY:
                    return dialogue, turn
        return None

    def _former(self, key: str | None, digest: str, now: datetime) -> tuple[Dialogue, Turn] | None:
        found = self._keyed(key, now)
        if found is not None and found[1].digest != digest:
            raise IdempotencyMismatch
        return found

    def done_once(self, once: Once | None, now: datetime) -> Session | None:
        found = self._former(once.key, once.digest, now) if once else None
        return found[0].session if found else None

    def keyed_session(self, key: str, now: datetime) -> str | None:
        found = self._keyed(key, now)
        return None if found is None else found[0].session.id

    def _replay(self, dialogue: Dialogue, turn: Turn) -> OpenTurn:
        opened = _opened(dialogue, turn)
        return replace(opened, replay=self.requests[opened.request_id].reply)

    def _forget_key(self, key: str | None) -> None:
        for turn in (turn for dialogue in self.dialogues.values() for turn in dialogue.turns):
            turn.key = None if turn.key == key else turn.key

    def _open(self, dialogue: Dialogue, start: TurnStart, former: tuple[Dialogue, Turn] | None) -> Turn:
        turn = Turn(
            number=dialogue.session.turns + 1,
            first_seq=dialogue.session.last_seq + 1,
            status="open",
            time=start.lease.now,
            id=start.turn_id,
            request=start.request_id,
            key=start.idempotency_key,
            digest=start.body_digest,
        )
        if former is not None:
            failed = former[1]
            if dialogue.turns and dialogue.turns[-1] is failed:
                failed.status, failed.time, failed.error = "open", start.lease.now, ""
                return failed
            turn.id, turn.request = failed.id, failed.request
            failed.id = failed.request = None
        self._forget_key(start.idempotency_key)
        dialogue.begin(turn)
        dialogue.add([start.message], turn.number)
        return turn

    def _held(self, session_id: str, turn_id: str, holder: str) -> tuple[Dialogue, Turn] | None:
        dialogue = self.dialogues.get(session_id)
        if dialogue is None or dialogue.lease is None or dialogue.lease.holder != holder:
            return None
        turn = dialogue.open_turn
        return (dialogue, turn) if turn is not None and turn.id == turn_id else None

    def finish_turn(self, end: TurnEnd) -> Session:
        held = self._held(end.session_id, end.turn_id, end.holder)
        if held is None:
            raise LeaseLost
        dialogue, turn = held
        if dialogue.session.state.version != end.state.version:
            raise StaleState
        dialogue.add(end.messages, turn.number)
        turn.status, turn.time, dialogue.lease = "closed", end.now, None
        state = replace(end.state, version=end.state.version + 1)
        dialogue.session = replace(dialogue.session, state=state, expires_at=end.expires_at)
        assert turn.request is not None
        self.requests[turn.request] = Request(end.session_id, turn.number, end.recipe, end.reply)
        return self._touch(dialogue, end.now)

    def fail_turn(self, session_id: str, turn_id: str, holder: str, code: str) -> None:
        held = self._held(session_id, turn_id, holder)
        if held is not None:
            held[0].fail_open(code)

    def renew_lease(self, session_id: str, lease: Lease) -> bool:
        dialogue = self.dialogues.get(session_id)
        if dialogue is None or dialogue.lease is None or dialogue.lease.holder != lease.holder:
            return False
        dialogue.lease = lease
        return True

    def append_turns(
        self, session_id: str, messages: Sequence[Message], now: datetime, create: Session | None, once: Once | None
    ) -> Session:
        if create is not None:
            self.create_session(create)
        dialogue = self.require(session_id)
        dialogue.refuse_over(now)
        dialogue.refuse_busy(now)
        dialogue.fail_open()
        first = dialogue.session.turns
        for message in messages:
            goes_on = bool(dialogue.turns) and dialogue.turns[-1].status == "closed"
            if message.role == "user" or not goes_on:
                seq, number = dialogue.session.last_seq + 1, dialogue.session.turns + 1
                dialogue.begin(Turn(number=number, first_seq=seq, status="closed", time=now))
            dialogue.add([message], dialogue.turns[-1].number)
        if once is not None and first < len(dialogue.turns):
            self._forget_key(once.key)
            dialogue.turns[first].key, dialogue.turns[first].digest = once.key, once.digest
        return self._touch(dialogue, now)

    # -- transcript, state and summaries --

    def load_messages(self, session_id: str, after_seq: int, upto_seq: int | None, last: int | None) -> list[Message]:
        if session_id not in self.dialogues:
            return []
        dialogue = self.dialogues[session_id]
        upto = dialogue.session.last_seq if upto_seq is None else upto_seq
        found = [message for message in dialogue.messages if after_seq < message.seq <= upto]
        return found if last is None else found[max(0, len(found) - last) :]

    def load_closed(self, session_id: str, after_seq: int, upto_seq: int) -> list[Message]:
        return self.dialogues[session_id].closed(after_seq, upto_seq) if session_id in self.dialogues else []

    def load_history(self, session_id: str, after_seq: int, turns: int) -> list[Message]:
        return self.dialogues[session_id].history(after_seq, turns) if session_id in self.dialogues else []

    def write_state(self, session_id: str, state: State, now: datetime) -> State:
        dialogue = self.require(session_id)
        dialogue.refuse_over(now)
        if dialogue.session.state.version != state.version:
            raise StaleState
        dialogue.session = replace(dialogue.session, state=replace(state, version=state.version + 1))
        return dialogue.session.state

    def write_summary(self, session_id: str, summary: str, upto_seq: int, expected_upto: int) -> bool:
        dialogue = self.dialogues.get(session_id)
        if dialogue is None or dialogue.session.summary_upto != expected_upto:
            return False
        dialogue.summaries[upto_seq] = summary
        dialogue.session = replace(dialogue.session, summary=summary, summary_upto=upto_seq)
        return True

    def unsay(self, sources: Sequence[Source]) -> None:
        for source in sources:
            self.unsaid.setdefault(source.session, set()).update(source.seqs)
        for dialogue in self.dialogues.values() if sources else ():
            dialogue.summaries.clear()
            dialogue.session = replace(dialogue.session, summary="", summary_upto=0)

    def load_summary(self, session_id: str, upto_seq: int) -> str | None:
        return self.dialogues[session_id].summaries.get(upto_seq) if session_id in self.dialogues else None

    # -- sessions that are over --

    def end_session(
        self, session_id: str, masked: Sequence[Message], now: datetime, upto_seq: int | None, interrupt: bool
    ) -> bool:
        """Return whether the session was live."""
        dialogue = self.require(session_id)
        if dialogue.session.status is SessionStatus.ENDED:
            return False
        if not interrupt:
            dialogue.refuse_busy(now)
        if upto_seq is not None and dialogue.session.last_seq > upto_seq:
            raise StaleState
        dialogue.fail_open()
        dialogue.ended_at = now
        dialogue.session = replace(dialogue.session, status=SessionStatus.ENDED)
        for message in masked:
            former = dialogue.messages[message.seq - 1]
            dialogue.messages[message.seq - 1] = replace(message, turn=former.turn)
        self._drop_journal(turn for turn in dialogue.turns if turn.status == "closed" or turn.key is None)
        return True

    def drop_leftovers(self, now: datetime, touched_before: datetime) -> int:
        """Return how many sessions and calls lost what they still held unmasked."""
        ended = [dialogue for dialogue in self.dialogues.values() if dialogue.ended_at is not None]
        forms = [one for one in ended if one.session.state.slots and one.session.touched_at < touched_before]
        for one in forms:
            one.session = replace(one.session, state=replace(one.session.state, slots={}))
        calls = len(self.journal)
        self._drop_journal(turn for one in ended for turn in one.turns if turn.time <= now - DAY)
        return len(forms) + calls - len(self.journal)

    def remove(self, session_id: str) -> None:
        dialogue = self.dialogues.pop(session_id)
        self._drop_journal(iter(dialogue.turns))
        self.unsaid.pop(session_id, None)
        for id, request in list(self.requests.items()):
            if request.session == session_id:
                del self.requests[id]

    def _drop_journal(self, turns: Iterator[Turn]) -> None:
        ids = {turn.id for turn in turns}
        for at in [at for at in self.journal if at[0] in ids]:
            del self.journal[at]

    # -- journal and recipes --

    def journal_start(self, turn_id: str, key: str, tool: str) -> JournalEntry | None:
        running = [dialogue.open_turn for dialogue in self.dialogues.values()]
        if turn_id not in {turn.id for turn in running if turn is not None}:
            raise LeaseLost
        known = self.journal.get((turn_id, key))
        if known is None:
            self.journal[turn_id, key] = JournalEntry(key=key, tool=tool, result=None)
        return known

    def journal_finish(self, turn_id: str, key: str, result: str, failed: bool) -> None:
        if (turn_id, key) in self.journal:
            entry = self.journal[turn_id, key]
            self.journal[turn_id, key] = replace(entry, result=result, failed=failed)

    def load_recipe(self, request_id: str) -> Recipe | None:
        return self.requests[request_id].recipe if request_id in self.requests else None

    def recalled_in(self, session_id: str, first_turn: int, last_turn: int) -> list[str]:
        of_session = [request for request in self.requests.values() if request.session == session_id]
        asked = [request for request in of_session if first_turn <= request.turn <= last_turn]
        recipes = [request.recipe for request in sorted(asked, key=lambda request: request.turn)]
        return list(dict.fromkeys(id for recipe in recipes for id in recipe.memories))


def _opened(dialogue: Dialogue, turn: Turn) -> OpenTurn:
    assert turn.id is not None
    assert turn.request is not None
    return OpenTurn(
        session=dialogue.session,
        turn_id=turn.id,
        request_id=turn.request,
        number=turn.number,
        message=dialogue.messages[turn.first_seq - 1],
        history=(),
    )
