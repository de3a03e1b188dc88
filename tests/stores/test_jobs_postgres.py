"""The queue in PostgreSQL among several processes: every pool here stands for one."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice

import psycopg
import pytest

from zhiji.errors import StoreUnavailable
from zhiji.stores.base import NewJob
from zhiji.stores.postgres import PostgresStore, notices
from zhiji.stores.postgres.connection import Database
from zhiji.telemetry import Telemetry
from zhiji.testing import FrozenClock
from zhiji.testing.servers import Postgres
from zhiji.testing.values import ALICE, BOB, at, job, lease
from zhiji.types import Job, JobKind, JobStatus, Scope
from zhiji.worker import Worker

Stores = tuple[PostgresStore, PostgresStore]

WORKERS = 12


@pytest.fixture
async def stores(postgres_url: str) -> AsyncIterator[Stores]:
    """Two pools of one database."""
    one = await PostgresStore.open(postgres_url)
    other = await PostgresStore.open(postgres_url)
    yield one, other
    await one.close()
    await other.close()


async def test_every_job_is_run_once(stores: Stores) -> None:
    """Many claim at once: each job is run once, never two of an owner and kind together, and nobody fails."""
    owners = [Scope(f"商店{number % 2}", f"u{number}") for number in range(6)]
    for owner in owners:
        for place in range(5):
            await stores[0].enqueue(owner, job(f"ses_{place}"))
    running, ran = Counter[tuple[Scope, JobKind]](), list[str]()

    async def work(store: PostgresStore, name: str) -> None:
        served: list[Scope] = []
        while found := await store.claim_job(lease(9, name), after=served):
            running[found.scope, found.kind] += 1
            assert running[found.scope, found.kind] == 1
            await asyncio.sleep(0)
            running[found.scope, found.kind] -= 1
            await store.finish_job(found, holder=name, now=at(9))
            ran.append(found.id)
            served = [found.scope]

    while await stores[0].count_due(scope=None, now=at(9)):
        named = enumerate(islice(cycle(stores), WORKERS))
        await asyncio.gather(*(work(store, f"host/{number}/x") for number, store in named))
    assert len(ran) == len(set(ran)) == 30


@pytest.mark.parametrize("after", [(), (BOB,), (ALICE,)])
async def test_claim_passes_over_what_others_hold(stores: Stores, postgres_url: str, after: tuple[Scope, ...]) -> None:
    """Nobody waits for a job that somebody holds: the next one is taken, of whomever, and None only if there is no other."""
    await stores[0].enqueue(ALICE, job("ses_1", 1))
    await stores[0].enqueue(ALICE, job("ses_2", 2, JobKind.COMPACT))
    await stores[0].enqueue(BOB, job("ses_3", 3))
    async with await psycopg.AsyncConnection.connect(postgres_url) as holder:
        await holder.execute("SELECT 1 FROM zhiji_jobs WHERE subject = 'ses_1' FOR UPDATE")
        taken = [await store.claim_job(lease(9), after=after) for store in (*stores, stores[0])]
    assert {found.subject for found in taken if found} == {"ses_2", "ses_3"}
    assert taken[2] is None
    last = await stores[1].claim_job(lease(9))
    assert last is not None
    assert last.subject == "ses_1"


async def test_new_work_meets_what_becomes_of_old_work(stores: Stores) -> None:
    """Jobs are enqueued while others of their kind and subject fail, are given back, replayed and finished: nobody fails,
    what was enqueued last is pending in the end, once."""

    async def enqueue(store: PostgresStore) -> None:
        for _ in range(40):
            await store.enqueue(ALICE, job("ses_1"))

    async def settle(store: PostgresStore, name: str) -> None:
        for number in range(40):
            found = await store.claim_job(lease(9, name), scope=ALICE if number % 2 else None)
            if found is not None:
                await become(store, found, name, number)

    async def become(store: PostgresStore, found: Job, name: str, number: int) -> None:
        match number % 4:
            case 0:
                await store.release_job(found, holder=name)
            case 1:
                await store.fail_job(found, holder=name, now=at(9), error="x", retry_at=at(9))
            case 2:
                await store.fail_job(found, holder=name, now=at(9), error="x", retry_at=None)
                await store.replay_job(ALICE, found.id, now=at(9))
            case _:
                await store.finish_job(found, holder=name, now=at(9))

    settling = [settle(store, f"host/{number}/x") for number, store in enumerate(islice(cycle(stores), 4))]
    await asyncio.gather(*settling, *(enqueue(store) for store in stores))
    await stores[0].enqueue(ALICE, job("ses_1"))
    by_status = Counter(found.status for found in await stores[0].list_jobs())
    assert by_status[JobStatus.PENDING] == 1
    assert by_status[JobStatus.RUNNING] == 0
    assert by_status[JobStatus.DONE] <= 1


async def test_a_small_tenant_does_not_wait_for_a_big_one(stores: Stores) -> None:
    """The two jobs of a small tenant are among the first four that a worker does, though 100 of another wait longer."""
    for number in range(50):
        for place in (1, 2):
            await stores[0].enqueue(Scope("big", f"u{number}"), job(f"ses_{place}", place))
    for place in (3, 4):
        await stores[0].enqueue(Scope("small", "张三"), job(f"ses_{place}", place))
    done, is_enough = list[str](), asyncio.Event()

    async def work(found: Job) -> None:
        done.append(found.scope.tenant)
        if len(done) >= 8:
            is_enough.set()

    worker = Worker(
        stores[1],
        dict.fromkeys(JobKind, work),
        clock=FrozenClock(at(9)),
        holder="host/1/a",
        lease_seconds=600,
        drain_seconds=20,
        attempts=1,
        at_once=1,
        telemetry=Telemetry(),
    )
    loop = asyncio.create_task(worker.loop())
    async with asyncio.timeout(20):
        await is_enough.wait()
    await worker.stop()
    await loop
    assert sorted(done[:4]) == ["big", "big", "small", "small"]
    assert set(done[4:]) == {"big"}


async def test_uses_of_all_processes_are_one_count(stores: Stores) -> None:
    """Whichever process serves a user, each use is counted once."""
    counts = await asyncio.gather(
        *(store.count_use(ALICE, "turns", now=at(), until=at(60)) for store in islice(cycle(stores), 30))
    )
    assert sorted(counts) == list(range(1, 31))


# --- telling others ---------------------------------------------------------------------------------------------------


class Ear:
    """Somebody who listens to a store."""

    def __init__(self, store: PostgresStore) -> None:
        self._heard = asyncio.Event()
        self._task = asyncio.create_task(store.listen(self._heard.set))

    async def heard(self) -> None:
        """Something was heard since the last time."""
        async with asyncio.timeout(20):
            await self._heard.wait()
        self._heard.clear()

    async def end(self) -> None:
        """Nobody listens any more."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


@pytest.fixture
async def ear(stores: Stores) -> AsyncIterator[Ear]:
    """Somebody who listens to the second store, and has begun to."""
    ear = Ear(stores[1])
    await ear.heard()
    yield ear
    await ear.end()


async def test_others_hear_of_a_job(stores: Stores, ear: Ear) -> None:
    """A job that is due wakes who listens in another process, again and again; so does a dead one that is replayed."""
    for number in range(3):
        await stores[0].enqueue(ALICE, job(f"ses_{number}"))
        await ear.heard()
    found = await stores[0].claim_job(lease())
    assert found is not None
    await stores[0].fail_job(found, holder="host/1/a", now=at(), error="x", retry_at=None)
    await stores[0].replay_job(ALICE, found.id, now=at())
    await ear.heard()


async def test_listening_goes_on_after_a_restart(
    stores: Stores, ear: Ear, postgres_server: Postgres, caplog: pytest.LogCaptureFixture
) -> None:
    """Who listens when the server fails looks once as soon as it is back, and hears of every job from then on."""
    with caplog.at_level("WARNING", "zhiji.stores.postgres"):
        postgres_server.kill()
        postgres_server.start()
        await ear.heard()
    assert "listening_interrupted: store_unavailable" in caplog.text
    await stores[0].enqueue(ALICE, job("ses_1"))
    await ear.heard()


class Line(Database):
    """A database that only takes notes, and counts them."""

    def __init__(self) -> None:
        """Nothing was said yet."""
        self.said = 0
        self.is_cut = False
        self.tried = asyncio.Event()

    async def note(self, *_: object, **__: object) -> None:  # type: ignore[override]  # whatever the note
        """Somebody said something, or tried to."""
        self.tried.set()
        if self.is_cut:
            raise StoreUnavailable
        self.said += 1

    async def is_tried(self) -> None:
        """Somebody tried to say something since the last time."""
        async with asyncio.timeout(20):
            await self.tried.wait()
        self.tried.clear()


async def test_many_jobs_are_one_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is enqueued before the notice goes out is told by it; what is due later is not told at all."""
    monkeypatch.setattr(notices, "PAUSE_SECONDS", 0)
    line = Line()
    told = notices.Notices(line)
    later = NewJob(kind=JobKind.SEDIMENT, subject="ses_1", run_at=datetime.now(UTC) + timedelta(minutes=1))
    for number in (1, 2):
        for _ in range(50):
            told.tell([later, job("ses_1")])
        await line.is_tried()
        assert line.said == number
    await told.close()
    silent = notices.Notices(line)
    silent.tell([later])
    await asyncio.sleep(0)
    await silent.close()
    assert line.said == 2


async def test_a_notice_that_fails_is_logged_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Who cannot tell says so once and tries again with the next job; once it was heard, the next failure is said again."""
    monkeypatch.setattr(notices, "PAUSE_SECONDS", 0)
    line = Line()
    told = notices.Notices(line)
    for is_cut in (True, True, False, True):
        line.is_cut = is_cut
        told.tell([job("ses_1")])
        await line.is_tried()
        await asyncio.sleep(0)
    await told.close()
    said = [record.getMessage() for record in caplog.records]
    assert said == ["notice_failed: store_unavailable; workers find jobs by themselves, only later"] * 2
