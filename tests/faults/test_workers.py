"""Workers as whole processes on one database: killed, stopped, poisoned — every job is done once in effect, nothing is lost."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from faults import labourer
from processes import Child
from zhiji import Zhiji
from zhiji import worker as rules
from zhiji.extract import Increment, Proposal
from zhiji.testing import FrozenClock, ScriptedModel
from zhiji.testing.servers import Postgres
from zhiji.types import Job, JobStatus

SCRIPT = Path(labourer.__file__)
PATH_CHILD = Path(__file__).parents[1] / "path" / "child.py"
STORE_CHILD = Path(__file__).parents[1] / "stores" / "child.py"
FACTS = ("养了一只猫", "想去海边", "会弹钢琴", "住在六楼", "爱看电影")
Start = Callable[..., Child]
Place = Path | str


on_each_database = pytest.mark.parametrize("place", ["sqlite", "postgres"], indirect=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a file that is not there yet."""
    return tmp_path / "zhiji.db"


@pytest.fixture
def place(request: pytest.FixtureRequest, path: Path) -> Place:
    """Return where the database is: in a file, or on a server if the test asks for it."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return path
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
def start(place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Start a worker process with further settings; it says what it works on, and is gone at the end of the test."""
    monkeypatch.setenv("ZHIJI_LANG", "en")
    with ExitStack() as ends:

        def started(**settings: object) -> Child:
            for name, value in settings.items():
                monkeypatch.setenv(f"ZHIJI_{name.upper()}", str(value))
            child = Child(SCRIPT, place)
            ends.callback(child.end)
            assert "working on" in child.answer()
            return child

        yield started


def producer(place: Place, **options: object) -> AbstractAsyncContextManager[Zhiji]:
    """Open zhiji as a process that runs no jobs."""
    model = ScriptedModel(["好的"] * 99)
    return Zhiji.open(labourer.settings(place, worker=False), model=model, extractor=labourer.Literal(), **options)  # type: ignore[arg-type]  # passed on


async def tell(zj: Zhiji, user: str, *words: str) -> str:
    """The user said these words elsewhere; returns the session."""
    return (await zj.ingest(user, [{"role": "user", "content": one} for one in words])).id


async def until(holds: Callable[[], Awaitable[bool]], seconds: float = 60) -> None:
    """The condition holds."""
    async with asyncio.timeout(seconds):
        while not await holds():
            await asyncio.sleep(0.01)


async def settled(zj: Zhiji) -> None:
    """Nothing is due or running any more, whoever ran it."""

    async def nothing_waits() -> bool:
        return await zj.jobs.oldest_due() is None

    await until(nothing_waits)


async def remembered(zj: Zhiji, user: str) -> list[str]:
    """Return what is remembered of a user, sorted."""
    return sorted(memory.content for memory in await zj.memories.list(user))


async def job_of(zj: Zhiji, user: str) -> Job:
    """Return the one job of a user."""
    (job,) = await zj.jobs.list(user)
    return job


class Crew:
    """Worker processes that are listened to at once."""

    def __init__(self, place: Place) -> None:
        """Nobody works yet."""
        self._place = place
        self._listening: dict[asyncio.Task[bytes], Process] = {}

    async def hire(self) -> None:
        """One more process works."""
        here = os.environ | {
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "ZHIJI_JOB_ATTEMPTS": "20",
            "ZHIJI_JOB_CONCURRENCY": "3",
        }
        self._listen(
            await asyncio.create_subprocess_exec(sys.executable, SCRIPT, self._place, stdin=PIPE, stdout=PIPE, env=here)
        )

    async def speaker(self) -> Process:
        """Return the next one that begins an extraction."""
        while True:
            done, _ = await asyncio.wait(self._listening, return_when=asyncio.FIRST_COMPLETED, timeout=60)
            task = done.pop()
            worker = self._listening.pop(task)
            self._listen(worker)
            if task.result().startswith(b"extracting"):
                return worker

    async def kill(self, *workers: Process) -> None:
        """These, or all, are killed."""
        gone = workers or tuple(self._listening.values())
        for task in [task for task, worker in self._listening.items() if worker in gone]:
            task.cancel()
            del self._listening[task]
        for worker in gone:
            worker.kill()
            await worker.wait()

    def _listen(self, worker: Process) -> None:
        assert worker.stdout is not None
        self._listening[asyncio.create_task(worker.stdout.readline())] = worker


@pytest.mark.timeout(120)
@on_each_database
async def test_workers_killed_at_random(place: Place) -> None:
    """One of two workers is killed in mid-extraction, five times: every fact of 60 sessions is there, once (C147, C150)."""
    dice = random.Random(20240415)
    users = [f"u{number}" for number in range(12)]
    crew = Crew(place)
    async with producer(place) as zj, AsyncExitStack() as ends:
        ends.push_async_callback(crew.kill)
        for _ in range(2):
            await crew.hire()
        for fact in FACTS:
            for user in users:
                await tell(zj, user, "喜欢喝茶", f"{fact} {user}")
            for _ in range(dice.randint(1, 6)):
                worker = await crew.speaker()
            await crew.kill(worker)
            await crew.hire()
        await settled(zj)
        for user in users:
            assert await remembered(zj, user) == sorted(["喜欢喝茶", *(f"{fact} {user}" for fact in FACTS)])
            read = Counter(outcome.session for outcome in await zj.jobs.extractions(user))
            assert sorted(read.values()) == [1] * 5, "each session was read once"
        assert {job.status for job in await zj.jobs.list(limit=1000)} == {JobStatus.DONE}


@on_each_database
async def test_two_workers_and_one_fact(place: Place, start: Start) -> None:
    """Told in many sessions of one user at once, a fact without a key is written once, whoever reads it."""
    async with producer(place) as zj:
        start()
        start()
        await asyncio.gather(
            *(tell(zj, "u1", "喜欢喝茶") for _ in range(8)),
            *(zj.remember("u1", "喜欢喝茶", type="event") for _ in range(4)),
        )
        await settled(zj)
        assert await remembered(zj, "u1") == ["喜欢喝茶"]


@on_each_database
async def test_two_processes_remember_one_fact(place: Place) -> None:
    """Remembered of 60 users by two processes at the same time, a fact without a key is there once for each."""
    async with producer(place, clock=FrozenClock()) as zj:
        with ExitStack() as ends:
            children = [Child(PATH_CHILD, place), Child(PATH_CHILD, place)]
            for child in children:
                ends.callback(child.end)
                assert child.answer() == "ready"
            for child in children:
                child.tell("remember", 60, "喜欢喝茶")
            assert [child.answer() for child in children] == ["done", "done"]
        for number in range(60):
            (memory,) = await zj.memories.list(f"u{number}")
            assert memory.content == "喜欢喝茶"


async def test_taken_within_a_second(path: Path, start: Start) -> None:
    """A job that another process enqueues is taken by an idle worker soon, and is seen running."""
    async with producer(path) as zj:
        worker = start()
        began = asyncio.get_running_loop().time()
        await tell(zj, "u1", "挂着")
        assert worker.answer() == "extracting 挂着"
        assert asyncio.get_running_loop().time() - began < 5, "half a second, on a machine that has nothing else to do"
        assert (await job_of(zj, "u1")).status is JobStatus.RUNNING


async def test_taken_at_once(postgres_url: str, postgres_server: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    """On PostgreSQL an idle worker hears of what another process enqueues, without looking; after a restart of it, too."""
    monkeypatch.setattr(rules, "POLL_SECONDS", 3600)
    model, reading = ScriptedModel(["好的"]), Reading()
    settings = labourer.settings(postgres_url)
    async with producer(postgres_url) as zj, Zhiji.open(settings, model=model, extractor=reading):
        for user, words in (("u1", "你好"), ("u2", "hello"), ("u3", "重启之后")):
            if user == "u3":
                await settled(zj)
                postgres_server.kill()
                postgres_server.start()
            await tell(zj, user, words)
            assert await reading.next() == words


class Reading(labourer.Literal):
    """An extractor that hands on what it reads."""

    def __init__(self) -> None:
        """Nothing was read."""
        self._read: asyncio.Queue[str] = asyncio.Queue()

    async def extract(self, increment: Increment) -> Proposal:
        """Return a draft for each message."""
        self._read.put_nowait(increment.messages[0].content)
        return await super().extract(increment)

    async def next(self) -> str:
        """Return what is read next."""
        async with asyncio.timeout(20):
            return await self._read.get()


@on_each_database
async def test_takeover_after_a_kill(place: Place, start: Start) -> None:
    """Another worker notices the death and does the job long before its lease is over; meanwhile it shows (C147, C150)."""
    async with producer(place) as zj:
        first = start()
        await tell(zj, "u1", "等一等")
        assert first.answer() == "extracting 等一等"
        second = start()
        since = (await job_of(zj, "u1")).run_at
        assert await zj.jobs.oldest_due() == since
        first.kill()
        assert await zj.jobs.oldest_due() == since
        assert second.answer() == "extracting 等一等"
        second.tell("go")
        await settled(zj)
        assert await remembered(zj, "u1") == ["等一等"]
        assert (await job_of(zj, "u1")).attempts == 2


async def test_missing_worker_shows(path: Path, start: Start) -> None:
    """A worker is listed while it lives, missing after kill -9, no more once started again or stopped on purpose."""
    later = FrozenClock(datetime.now(UTC) + timedelta(minutes=1))
    async with producer(path) as zj, producer(path, clock=later) as operator:
        first = start()

        async def is_listed() -> bool:
            return len(await zj.jobs.workers()) == 1

        await until(is_listed)
        (alive,) = await zj.jobs.workers()
        assert (alive.role, alive.is_missing) == ("worker", False)
        first.kill()
        (gone,) = await operator.jobs.workers()
        assert (gone.holder, gone.is_missing) == (alive.holder, True)


@on_each_database
async def test_stopped_worker_finishes_its_job(place: Place, start: Start) -> None:
    """At SIGTERM no more is taken, what runs is finished, the exit is clean, and nobody is missing (C147)."""
    async with producer(place) as zj:
        worker = start()
        await tell(zj, "u1", "等一等")
        assert worker.answer() == "extracting 等一等"
        worker.send(signal.SIGTERM)
        assert worker.answer().startswith("stopping")
        await tell(zj, "u2", "你好")
        worker.tell("go")
        assert worker.wait() == 0
        assert await remembered(zj, "u1") == ["等一等"]
        assert (await job_of(zj, "u2")).status is JobStatus.PENDING
        assert await zj.jobs.workers() == []


async def test_stopped_worker_gives_back_what_hangs(path: Path, start: Start) -> None:
    """What does not end within ``drain_seconds`` is due again at once, its attempt not counted (C147)."""
    async with producer(path) as zj:
        worker = start(drain_seconds=0.1)
        await tell(zj, "u1", "挂着")
        assert worker.answer() == "extracting 挂着"
        worker.send(signal.SIGTERM)
        assert worker.answer().startswith("stopping")
        assert worker.wait() == 0
        job = await job_of(zj, "u1")
        assert (job.status, job.attempts, job.run_at <= datetime.now(UTC)) == (JobStatus.PENDING, 0, True)


async def test_second_signal_ends_at_once(path: Path, start: Start) -> None:
    """Who insists does not wait; the next process to open the file frees the job."""
    async with producer(path) as zj:
        worker = start(drain_seconds=600)
        await tell(zj, "u1", "挂着")
        assert worker.answer() == "extracting 挂着"
        worker.send(signal.SIGINT)
        assert worker.answer().startswith("stopping")
        worker.send(signal.SIGINT)
        assert worker.wait() == 130
        assert (await job_of(zj, "u1")).status is JobStatus.RUNNING
    async with producer(path) as zj:
        assert (await job_of(zj, "u1")).lease_until is None


@on_each_database
async def test_poison_is_a_dead_letter(place: Place, start: Start) -> None:
    """A job that kills every process that runs it is dead after its attempts, with the reason; the others are done."""
    async with producer(place) as zj:
        await tell(zj, "u1", "毒药")
        await tell(zj, "u2", "你好")
        for _ in range(2):
            worker = start(job_attempts=2, job_concurrency=1)
            while worker.answer():
                pass
            assert worker.wait() == -signal.SIGKILL
        start()
        await settled(zj)
        dead = await job_of(zj, "u1")
        assert (dead.status, dead.attempts) == (JobStatus.DEAD, 3)
        assert "each of the 2 processes that ran this job died" in dead.error
        assert await remembered(zj, "u2") == ["你好"]
        await zj.jobs.discard("u1", dead.id)
        assert await zj.jobs.list("u1") == []


@on_each_database
@pytest.mark.parametrize("how", ["erase", "delete"])
async def test_deleted_while_another_process_reads(place: Place, start: Start, how: str) -> None:
    """What is deleted while another process extracts the same words does not come back when it is through (C076)."""
    async with producer(place) as zj:
        memory = await zj.remember("u1", "等一等", type="event")
        worker = start()
        await tell(zj, "u1", "等一等")
        assert worker.answer() == "extracting 等一等"
        if how == "erase":
            await zj.erase("u1")
        else:
            await zj.memories.delete("u1", memory.id)
        worker.tell("go")
        await settled(zj)
        assert await remembered(zj, "u1") == []


async def test_failure_is_retried_by_whoever_is_there(path: Path, start: Start) -> None:
    """A locked store stops no worker: once it is free, jobs are done as before, and nothing is disabled (C008)."""
    async with producer(path) as zj:
        start()
        holder = Child(STORE_CHILD, path)
        assert holder.answer() == "ready"
        await tell(zj, "u1", "你好")
        holder.tell("hold")
        assert holder.answer() == "held"
        holder.tell("release")
        assert holder.answer() == "released"
        await tell(zj, "u2", "再见")
        await settled(zj)
        assert [await remembered(zj, user) for user in ("u1", "u2")] == [["你好"], ["再见"]]
        holder.close()
