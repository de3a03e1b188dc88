"""The check of what happens at once finds stores that only seem to work."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from zhiji.errors import StaleMemory, StaleState
from zhiji.stores.base import Lease, MemoryChange, NewJob, Once, OpenTurn, Store, TurnEnd, TurnStart
from zhiji.stores.memory import MemoryStore
from zhiji.stores.sqlite import SqliteStore
from zhiji.testing import concurrency
from zhiji.testing.comparison import Empty, Opener
from zhiji.testing.state_machine import compare
from zhiji.types import Job, Message, Scope, Session, SessionStatus, State

FIRST, ENOUGH = 250, 200
"""Rounds in which a fault must have shown; most do in the first few."""


class Overwriting(MemoryStore):
    """Looks at the version of a state in one step and writes in another."""

    async def write_state(self, scope: Scope, session_id: str, state: State, *, now: datetime) -> State:
        found = await self.load_session(scope, session_id)
        if found is not None and found.state.version != state.version:
            raise StaleState
        await asyncio.sleep(0)
        latest = await self.load_session(scope, session_id)
        over = latest.state.version if latest else state.version
        return await super().write_state(scope, session_id, replace(state, version=over), now=now)


class Sharing(MemoryStore):
    """Gives one job to two that ask at once."""

    async def claim_job(self, lease: Lease, *, scope: Scope | None = None, after: Sequence[Scope] = ()) -> Job | None:
        looked = copy.deepcopy(self._jobs).claim_job(lease, scope, after, list(self._owners))
        await asyncio.sleep(0)
        if looked is not None:
            self._jobs.jobs[looked.id], self._jobs.holders[looked.id] = looked, lease.holder
        return looked


class Forgetful(MemoryStore):
    """Keeps the watermark of one pass of extraction, and the memories of both."""

    async def commit_sediment(self, scope: Scope, session_id: str, **given: object) -> None:
        session = await self.load_session(scope, session_id)
        if session is None or session.extracted_upto != given["expected_watermark"]:
            raise StaleMemory
        await asyncio.sleep(0)
        latest = await self.load_session(scope, session_id)
        expected = latest.extracted_upto if latest else 0
        await super().commit_sediment(scope, session_id, **(given | {"expected_watermark": expected}))  # type: ignore[arg-type]


class Repeating(MemoryStore):
    """Stores a repeated request twice, if it comes twice at once."""

    async def append_turns(
        self,
        scope: Scope,
        session_id: str,
        messages: Sequence[Message],
        *,
        jobs: Sequence[NewJob],
        now: datetime,
        create: Session | None = None,
        once: Once | None = None,
    ) -> Session:
        known = once is not None and await self.keyed_session(scope, once.key, now=now) is not None
        live = await self.load_session(scope, session_id)
        await asyncio.sleep(0)
        if once is not None and not known and live is not None and live.status is SessionStatus.LIVE and messages:
            self._owner(scope).sessions._forget_key(once.key)
        return await super().append_turns(scope, session_id, messages, jobs=jobs, now=now, create=create, once=once)


class Halving(MemoryStore):
    """Commits a turn, and the jobs that follow from it a moment later."""

    async def finish_turn(self, scope: Scope, end: TurnEnd) -> Session:
        session = await super().finish_turn(scope, replace(end, jobs=()))
        await asyncio.sleep(0)
        self._jobs.enqueue(scope, end.jobs, end.now)
        return session


class Interrupting(MemoryStore):
    """Lets a second turn begin while the first one runs, if both begin at once."""

    async def begin_turn(self, scope: Scope, session_id: str, start: TurnStart, *, history_turns: int) -> OpenTurn:
        dialogue = self._owner(scope).sessions.dialogues.get(session_id)
        free = dialogue is not None and not dialogue.is_held(start.lease.now)
        await asyncio.sleep(0)
        if dialogue is not None and free:
            dialogue.lease = None
        return await super().begin_turn(scope, session_id, start, history_turns=history_turns)


class Careless(SqliteStore):
    """A real database, whose memories are decided on one version and written on another."""

    async def change_memories(self, scope: Scope, change: MemoryChange, *, jobs: Sequence[NewJob] = ()) -> None:
        if change and change.seen is not None and change.seen != await self.memory_version(scope):
            raise StaleMemory
        await super().change_memories(scope, replace(change, seen=None), jobs=jobs)


class Miscounting(SqliteStore):
    """A real database that counts in one step what it erases in another."""

    async def erase(self, scope: Scope) -> Mapping[str, int]:
        sessions = await self.list_sessions(scope)
        removed = dict(await super().erase(scope))
        return removed | {"sessions": len(sessions)}


@pytest.mark.parametrize("kind", [Overwriting, Sharing, Forgetful, Repeating, Halving, Interrupting])
def test_what_races_in_one_process_is_found(kind: type[MemoryStore]) -> None:
    """A store that looks in one step and writes in another passes alone, and is found out in company; the seed is told."""

    @asynccontextmanager
    async def empty() -> AsyncIterator[Opener]:
        store = kind()

        async def opener() -> Store:
            return store

        yield opener

    compare(empty, examples=10, steps=25)
    with pytest.raises(AssertionError, match="not as if one after the other") as caught:
        look(empty)
    assert any(concurrency.SEED_VARIABLE in note for note in caught.value.__notes__)


@pytest.mark.parametrize("kind", [Careless, Miscounting])
def test_what_races_in_a_database_is_found(kind: type[SqliteStore]) -> None:
    """So is one whose steps are each sound, but not what they make together."""

    @asynccontextmanager
    async def empty() -> AsyncIterator[Opener]:
        with TemporaryDirectory() as folder:
            yield lambda: kind.open(Path(folder, "zhiji.db"))

    with pytest.raises(AssertionError, match="not as if one after the other"):
        look(empty)


def test_what_is_atomic_passes() -> None:
    """The reference itself is as if one after the other."""

    @asynccontextmanager
    async def empty() -> AsyncIterator[Opener]:
        store = MemoryStore()

        async def opener() -> Store:
            return store

        yield opener

    assert [asyncio.run(concurrency.run_round(empty, seed)) for seed in range(5)] > [0] * 5


def look(empty: Empty) -> None:
    """Rounds are run until one finds something."""
    for seed in range(FIRST, FIRST + ENOUGH):
        asyncio.run(concurrency.run_round(empty, seed))
