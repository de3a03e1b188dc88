"""The clients: each sends one turn after the other, keeps the ledger, and in the rough part misbehaves as clients do.

A turn with an idempotency key is sent again, same key and same body, until it is accepted, refused for good, or out of
time. One without a key is sent once: its client cannot know.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from time import monotonic

from benchmarks.load.connection import Lost, Response, RoundRobin
from benchmarks.load.ledger import Kind, Outcome, Sent
from benchmarks.load.marks import mark, name, secret

SESSIONS = 3
"""Sessions that a user may have."""
GIVE_UP_SECONDS = 60.0
PAUSE_SECONDS = 0.05
PAUSE_CAP_SECONDS = 1.0
PIECES = 3
"""Pieces of a stream after which a client leaves."""
SENTENCES = (
    "我的订单 {secret} 想退货，{mark}",
    "Where is my order {secret} now? {mark}",
    "订单 {secret} 怎么样了🙂 {mark}",
    "ＶＩＰ 用户问：{secret} 什么时候发货 {mark}",
)
CALLS: Mapping[Kind, str] = {Kind.READ: " call look_up", Kind.WRITE: " call refund"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """How often what is done: weights."""

    kinds: Mapping[Kind, int]
    habits: Mapping[str, int]
    unkeyed: float = 0.0
    """Share of turns without an idempotency key."""


STEADY = Mix(kinds={Kind.PLAIN: 9, Kind.STREAM: 1}, habits={"plainly": 1})
"""What throughput and latency are measured under: one call of the model per turn."""
ROUGH = Mix(
    kinds={Kind.PLAIN: 4, Kind.STREAM: 3, Kind.READ: 1, Kind.WRITE: 2},
    habits={"plainly": 4, "impatiently": 2, "twice": 2, "leaving": 2, "crowding": 2},
    unkeyed=0.1,
)


@dataclass(slots=True)
class Crowd:
    """All clients of a run, and their ledger."""

    token: str
    users: int
    seed: int
    latency: float
    """Seconds that the model takes; an impatient client waits less."""
    ledger: list[Sent] = field(default_factory=list)
    _sessions: dict[int, list[str]] = field(default_factory=dict)
    _numbers: count[int] = field(default_factory=count)

    async def work(
        self, ports: Sequence[int], mix: Mix, *, clients: int, seconds: float, turns: int | None = None
    ) -> list[Sent]:
        """So many clients have sent turns for so long, or about so many turns; returns their entries of the ledger."""
        first, until = len(self.ledger), monotonic() + seconds

        def goes_on() -> bool:
            return monotonic() < until and (turns is None or len(self.ledger) - first < turns)

        await asyncio.gather(
            *(Client(self, ports, mix, random.Random(f"{self.seed} {first} {n}")).run(goes_on) for n in range(clients))
        )
        return self.ledger[first:]

    def enter(self, user: int, kind: Kind, *, keyed: bool) -> Sent:
        """A new turn is in the ledger."""
        sent = Sent(mark=mark(user, next(self._numbers)), user=user, kind=kind, keyed=keyed, at=monotonic())
        self.ledger.append(sent)
        return sent

    def session(self, user: int, chance: random.Random) -> str | None:
        """Return one of the user's sessions, or None for a new one."""
        known = self._sessions.get(user, [])
        return chance.choice(known) if known and (len(known) >= SESSIONS or chance.random() < 0.7) else None

    def note(self, sent: Sent, outcome: Outcome) -> None:
        """The outcome is in the ledger."""
        sent.outcomes.append(outcome)
        known = self._sessions.setdefault(sent.user, [])
        if outcome.session and outcome.session not in known:
            known.append(outcome.session)


class Client:
    """One client that can send two requests at once, each time to the next server."""

    def __init__(self, crowd: Crowd, ports: Sequence[int], mix: Mix, chance: random.Random) -> None:
        self._crowd = crowd
        self._mix = mix
        self._chance = chance
        first = chance.randrange(len(ports))
        self._lines = tuple(RoundRobin(ports, crowd.token, first=first + line) for line in (0, 1))

    async def run(self, goes_on: Callable[[], bool]) -> None:
        """Turns were sent, one after the other."""
        while goes_on():
            habit = self._chance.choices(list(self._mix.habits), list(self._mix.habits.values()))[0]
            user = self._chance.randrange(self._crowd.users)
            await HABITS[habit](self, user, self._crowd.session(user, self._chance))
        for line in self._lines:
            line.close()

    # -- habits --

    async def plainly(self, user: int, session: str | None) -> None:
        """One turn, waited for."""
        await self._settle(self._new(user), session)

    async def impatiently(self, user: int, session: str | None) -> None:
        """One turn, given up before it can be answered, and sent again."""
        sent = self._new(user)
        await self._attempt(sent, session, patience=self._chance.uniform(0, 1.5) * self._crowd.latency)
        await self._settle(sent, session)

    async def twice(self, user: int, session: str | None) -> None:
        """One turn, sent twice at the same time."""
        sent = self._new(user, keyed=True)
        await asyncio.gather(*(self._attempt(sent, session, line=one) for one in self._lines))
        await self._settle(sent, session)

    async def leaving(self, user: int, session: str | None) -> None:
        """A client that leaves in the middle of the answer, and half the time does not come back."""
        sent = self._new(user, kind=Kind.STREAM)
        await self._attempt(sent, session, pieces=PIECES)
        if self._chance.random() < 0.5:
            await self._settle(sent, session)

    async def crowding(self, user: int, session: str | None) -> None:
        """Two turns of one session at the same time."""
        pair = [self._new(user), self._new(user)]
        turns = zip(pair, self._lines, strict=True)
        await asyncio.gather(*(self._settle(sent, session, line=one) for sent, one in turns))

    # -- one turn --

    def _new(self, user: int, *, kind: Kind | None = None, keyed: bool | None = None) -> Sent:
        kind = kind or self._chance.choices(list(self._mix.kinds), list(self._mix.kinds.values()))[0]
        keyed = self._chance.random() >= self._mix.unkeyed if keyed is None else keyed
        return self._crowd.enter(user, kind, keyed=keyed)

    async def _settle(self, sent: Sent, session: str | None, *, line: RoundRobin | None = None) -> None:
        """The turn was sent until somebody said what became of it, or time was up."""
        pause = PAUSE_SECONDS
        while monotonic() < sent.at + GIVE_UP_SECONDS:
            if sent.outcomes and (sent.accepted or not sent.keyed or not _may_pass(sent.outcomes[-1])):
                return
            if sent.outcomes:
                await asyncio.sleep(pause * self._chance.uniform(0.5, 1.5))
                pause = min(pause * 2, PAUSE_CAP_SECONDS)
            await self._attempt(sent, session, line=line)

    async def _attempt(
        self,
        sent: Sent,
        session: str | None,
        *,
        line: RoundRobin | None = None,
        patience: float | None = None,
        pieces: int | None = None,
    ) -> None:
        """One attempt is in the ledger. The client leaves after ``patience`` seconds, or after ``pieces`` of a stream."""
        line = line or self._lines[0]
        left = asyncio.Event()
        seen = count(1)

        def piece() -> None:
            if pieces is not None and next(seen) >= pieces:
                left.set()

        request = asyncio.create_task(self._post(sent, session, line, piece))
        leaving = asyncio.create_task(left.wait())
        await asyncio.wait({request, leaving}, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
        leaving.cancel()
        if not request.done():
            sent.left = sent.left or sent.kind is Kind.STREAM
            request.cancel()
        try:
            outcome = _outcome(await request)
        except Lost:
            outcome = Outcome(status="lost", at=monotonic(), code="broken")
        except asyncio.CancelledError:
            outcome = Outcome(status="lost", at=monotonic(), code="left" if left.is_set() else "time_out")
        self._crowd.note(sent, outcome)

    async def _post(self, sent: Sent, session: str | None, line: RoundRobin, on_piece: Callable[[], None]) -> Response:
        document = {"user_id": name(sent.user), "message": words(sent), "stream": sent.kind is Kind.STREAM}
        document |= {"session_id": session} if session else {}
        headers = {"Idempotency-Key": sent.mark} if sent.keyed else {}
        return await line.post("/v1/chat", document, headers, on_piece=on_piece)


Habit = Callable[[Client, int, str | None], Awaitable[None]]
HABITS: Mapping[str, Habit] = {
    habit.__name__: habit
    for habit in (Client.plainly, Client.impatiently, Client.twice, Client.leaving, Client.crowding)
}


def words(sent: Sent) -> str:
    """Return what the user says: the same at every attempt."""
    sentence = SENTENCES[sum(map(ord, sent.mark)) % len(SENTENCES)]
    return sentence.format(secret=secret(sent.user), mark=sent.mark) + CALLS.get(sent.kind, "")


def _may_pass(outcome: Outcome) -> bool:
    return outcome.status == "lost" or outcome.retryable


def _outcome(response: Response) -> Outcome:
    """Return what a response says of its turn."""
    at, told = monotonic(), _told(response)
    if "reply" in told:
        return Outcome(
            status="accepted",
            at=at,
            session=str(told["session_id"]),
            turn=str(told["turn_id"]),
            text=str(told["reply"]),
            body=response.body,
        )
    if not told and response.status == 200:
        return Outcome(status="lost", at=at, code="cut", body=response.body)
    code = str(told.get("code") or response.status)
    return Outcome(status="refused", at=at, code=code, retryable=bool(told.get("retryable")), body=response.body)


def _told(response: Response) -> Mapping[str, object]:
    if response.json():
        return response.json()
    last: Sequence[tuple[str, Mapping[str, object]]] = response.events()[-1:]
    return last[0][1] if last and last[0][0] in ("done", "error") else {}
