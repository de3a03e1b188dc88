"""Whatever two owners do through three processes, and whatever becomes of Redis meanwhile: the answers are the reference's."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import pytest

from stores.faults import FAULTS, soon
from zhiji.errors import ZhijiError
from zhiji.stores.base import Lease, OpenTurn, Store, TurnStart
from zhiji.stores.memory import MemoryStore
from zhiji.stores.redis import LiveSessions
from zhiji.stores.sqlite import SqliteStore
from zhiji.telemetry import Telemetry
from zhiji.testing.doubles import EPOCH
from zhiji.testing.servers import Valkey, valkey
from zhiji.testing.values import ALICE, BOB, LEASE, TTL, answered, end, said
from zhiji.types import Scope, Session

T = TypeVar("T")

SLOW = 0.3
"""Seconds for an answer of Redis."""
STEPS = 250
SEEDS = range(6)
Begun = tuple[Store, Scope, OpenTurn, str]
"""Process, owner, turn and holder."""


class Fleet:
    """Two processes with Redis and one without, on one database; each step is compared with the reference."""

    def __init__(self, doors: list[Store], live: list[LiveSessions], server: Valkey, seed: int) -> None:
        """Nothing is stored, and Redis works."""
        self.doors, self.live, self.server = doors, live, server
        self.reference = MemoryStore()
        self.choice = random.Random(seed)
        self.now, self.turns = EPOCH, 0
        self.opened: list[Begun] = []
        self.fault: str | None = None

    async def both(self, door: Store, step: Callable[[Store], Awaitable[T]], *, compare: bool = True) -> T | None:
        """Return what the process returns, if the reference returns the same; None if both raise the same."""
        one, other = [await answer(step, store) for store in (self.reference, door)]
        assert not compare or comparable(one) == comparable(other)
        return None if isinstance(other, type) else other

    def door(self) -> Store:
        """Return one of the processes."""
        return self.choice.choices(self.doors, (5, 3, 1))[0]

    def place(self) -> tuple[Scope, str]:
        """Return an owner and a session id."""
        return self.choice.choice([ALICE, ALICE, BOB]), self.choice.choice(["ses_1", "ses_1", "ses_2"])

    # -- steps --

    async def flush(self) -> None:
        """Redis has lost everything."""
        if self.fault is None:
            self.server.flush()

    async def harm(self) -> None:
        """Redis fails for a while; then it is used again."""
        if self.fault is None:
            self.fault = self.choice.choice(sorted(FAULTS))
            FAULTS[self.fault][0](self.server)

    async def mend(self) -> None:
        """Redis works again, and is used again."""
        if self.fault is not None:
            FAULTS[self.fault][1](self.server)
            self.fault = None
        for live in self.live:
            await live.connected()

    async def wait(self) -> None:
        """Time passes."""
        self.now += timedelta(seconds=self.choice.choice([0.05, 1, 31, 31, 1799]))

    async def create(self) -> None:
        """A session is made, unless its id is taken."""
        scope, id = self.place()
        if await self.reference.load_session(scope, id) is None:
            self.now += timedelta(microseconds=1)  # no two sessions of one id are of one instant
            expires = self.now + TTL if self.choice.random() < 0.8 else None
            session = Session(id=id, created_at=self.now, touched_at=self.now, expires_at=expires)
            await self.both(self.door(), lambda store: store.create_session(scope, session))

    async def begin(self) -> None:
        """A turn begins, if it may: with the history of the reference."""
        (scope, id), door, turns = self.place(), self.door(), self.choice.choice([0, 1, 2, 20, 20])
        holder, key = self.choice.choice(["host/1/a", "host/2/b"]), self.choice.choice([None, None, None, "k1"])
        self.turns += 1
        start = TurnStart(
            turn_id=f"trn_{self.turns}",
            request_id=f"req_{self.turns}",
            message=replace(said(f"问{self.turns}"), time=self.now),
            lease=Lease(holder=holder, now=self.now, until=self.now + LEASE),
            idempotency_key=key,
            body_digest="d",
        )
        found = await self.both(door, lambda store: store.begin_turn(scope, id, start, history_turns=turns))
        if found is not None and found.replay is None:
            self.opened.append((door, scope, found, holder))

    async def finish(self) -> None:
        """The turn that began last, or one before it, ends if it still may; perhaps in another process."""
        if not self.opened:
            return
        last = self.choice.random() < 0.8
        door, scope, found, holder = self.opened[-1] if last else self.choice.choice(self.opened)
        door = door if last else self.door()
        self.now += timedelta(microseconds=1)
        replies = [answered(f"答{number}") for number in range(self.choice.randrange(3))]
        closing = end(found, messages=replies, holder=holder)
        closing = replace(closing, now=self.now, expires_at=self.now + TTL if found.session.expires_at else None)
        await self.both(door, lambda store: store.finish_turn(scope, closing))

    async def talk(self) -> None:
        """A turn begins and ends."""
        before = len(self.opened)
        await self.begin()
        if len(self.opened) > before:
            await self.finish()

    async def fail(self) -> None:
        """The turn that began last fails, if it is open."""
        if self.opened:
            door, scope, found, holder = self.opened[-1]
            await self.both(
                door, lambda store: store.fail_turn(scope, found.session.id, found.turn_id, holder=holder, code="test")
            )

    async def append(self) -> None:
        """Turns that happened elsewhere are appended."""
        scope, id = self.place()
        roles = self.choice.choices(["user", "assistant"], k=self.choice.randrange(4))
        messages = [replace(said("问") if role == "user" else answered("答"), time=self.now) for role in roles]
        await self.both(self.door(), lambda store: store.append_turns(scope, id, messages, jobs=[], now=self.now))

    async def write_summary(self) -> None:
        """A session is summed up, further or less far than before."""
        scope, id = self.place()
        session = await self.reference.load_session(scope, id)
        expected, upto = (session.summary_upto if session else 0), self.choice.randrange(9)
        await self.both(
            self.door(), lambda store: store.write_summary(scope, id, "摘要", upto_seq=upto, expected_upto=expected)
        )

    async def end_session(self) -> None:
        """A session is ended."""
        scope, id = self.place()
        await self.both(self.door(), lambda store: store.end_session(scope, id, masked=[], jobs=[], now=self.now))

    async def recover(self) -> None:
        """A process has died."""
        dead = self.choice.choice(["host/1/a", "host/2/b"])
        await self.both(self.door(), lambda store: store.recover([dead]))

    async def erase(self) -> None:
        """An owner is erased."""
        scope, _ = self.place()
        await self.both(self.choice.choice(self.doors[:2]), lambda store: store.erase(scope), compare=False)


WEIGHTS: dict[Callable[[Fleet], Awaitable[None]], int] = {
    Fleet.talk: 40,
    Fleet.create: 12,
    Fleet.begin: 6,
    Fleet.finish: 6,
    Fleet.append: 3,
    Fleet.write_summary: 3,
    Fleet.wait: 3,
    Fleet.harm: 3,
    Fleet.mend: 12,
    Fleet.flush: 2,
    Fleet.fail: 2,
    Fleet.end_session: 1,
    Fleet.recover: 2,
    Fleet.erase: 1,
}
"""How often each step is taken."""


async def answer(step: Callable[[Store], Awaitable[T]], store: Store) -> T | type[ZhijiError]:
    """Return the result of a step, or the class of what it raised."""
    try:
        return await step(store)
    except ZhijiError as error:
        return type(error)


def comparable(value: object) -> object:
    """Return the value; a history is a list."""
    return replace(value, history=list(value.history)) if isinstance(value, OpenTurn) else value


@asynccontextmanager
async def fleet(folder: Path, telemetry: Telemetry, seed: int) -> AsyncIterator[Fleet]:
    """Give three processes on one empty database, and a Redis that may be broken."""
    async with AsyncExitStack() as ends:
        server = ends.enter_context(valkey())
        stores: list[Store] = [await SqliteStore.open(folder / "zhiji.db") for _ in range(3)]
        live = [
            await LiveSessions.open(store, server.url, timeout_seconds=SLOW, telemetry=telemetry, pause=soon)
            for store in stores[:2]
        ]
        for store in (*live, stores[2]):
            ends.push_async_callback(store.close)
        for one in live:
            await one.connected()
        yield Fleet([*live, stores[2]], live, server, seed)


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_redis_that_fails_again_and_again_changes_no_answer(tmp_path: Path, seed: int) -> None:
    """Turns, sessions and erasures through three processes while Redis is killed, paused, filled, flushed, demoted or
    forbidden: every answer is the reference's; in the end no key is without a time, and erased owners have none."""
    telemetry = Telemetry()
    async with fleet(tmp_path, telemetry, seed) as all_of_them:
        for step in all_of_them.choice.choices(list(WEIGHTS), list(WEIGHTS.values()), k=STEPS):
            await step(all_of_them)
        await all_of_them.mend()
        with all_of_them.server.admin() as admin:
            assert all(admin.ttl(key) != -1 for key in admin.scan_iter())
            for scope in (ALICE, BOB):
                await all_of_them.doors[0].erase(scope)
            assert not [key for key in admin.scan_iter() if key != "zhiji:probe"]
    assert all(telemetry.value("zhiji_live_sessions_total", outcome=word) for word in ("hit", "stale", "degraded"))
