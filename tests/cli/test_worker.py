"""``zhiji worker`` and ``zhiji jobs``: work that another process left is done, shown, given up."""

from __future__ import annotations

import asyncio
import signal
from datetime import UTC, datetime
from pathlib import Path

import pytest
import typer

from cli.terminal import USER, Run, opened
from zhiji import Zhiji
from zhiji.cli.worker import live, work_off
from zhiji.config import Settings
from zhiji.errors import JobNotFound, StoreUnavailable
from zhiji.stores.sqlite import SqliteStore
from zhiji.testing.values import lease
from zhiji.testing.worker_contract import beat
from zhiji.types import JobStatus

NOWHERE = "postgresql://zhiji@127.0.0.1:1/zhiji"
"""Nothing listens there."""


@pytest.fixture
def waiting(database: Path) -> str:
    """The session of a user whose words nobody has read yet."""
    with opened() as zj:
        return str(zj.ingest(USER, [{"role": "user", "content": "我叫李四，对花生过敏"}]).id)


@pytest.fixture
def dead(database: Path, waiting: str) -> str:
    """The id of its job, which is dead."""

    async def bury() -> str:
        store = await SqliteStore.open(database)
        now = datetime.now(UTC)
        job = await store.claim_job(lease((now - lease().now).total_seconds()))
        assert job is not None
        await store.fail_job(job, holder="host/1/a", now=now, error="model_rate_limited: wait", retry_at=None)
        await store.close()
        return job.id

    return asyncio.run(bury())


def test_once_does_what_is_due_and_exits(run: Run, waiting: str) -> None:
    """`worker --once` leaves no due job behind, and says how many are dead."""
    ran = run("worker", "--once", "--concurrency", "2", "--json")
    assert (ran.code, ran.json) == (0, {"dead": 0, "waiting": 0})
    names = [memory["key"] for memory in run("memories", "list", "--user", USER, "--json").json]
    assert "identity:name" in names


def test_once_with_nothing_to_do(run: Run) -> None:
    """An empty store is no error."""
    assert run("worker", "--once").out == "No job is due; 0 wait for their time, 0 are dead.\n"


def test_once_without_its_database_fails_at_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run from a timetable is told as failed, in either language, and does not wait for a server that is not there."""
    monkeypatch.setenv("ZHIJI_DATABASE_URL", NOWHERE)
    ran = run("worker", "--once")
    assert (ran.code, ran.out) == (6, "")
    assert ran.err.startswith("zhiji: The database cannot be reached")
    monkeypatch.setenv("ZHIJI_LANG", "zh")
    assert run("worker", "--once").err.startswith("zhiji: 连不上数据库")


async def test_once_that_is_stopped_says_so(database: Path, waiting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal in the middle of the work is no success: what is due still waits."""

    async def stopped(self: Zhiji, **_: object) -> None:
        signal.raise_signal(signal.SIGTERM)
        await asyncio.Event().wait()

    monkeypatch.setattr(Zhiji, "drain", stopped)
    with pytest.raises(typer.Exit) as caught:
        await work_off(Settings.from_environment(worker=False))
    assert caught.value.exit_code == 130


async def test_a_worker_waits_for_its_database_and_says_why_once(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A process that is to stay waits for a server that comes later, without repeating itself; a signal ends it."""
    monkeypatch.setattr("zhiji.cli.worker.OPENING_PAUSE_SECONDS", 0.001)
    tries = 0

    class Closed:
        def __call__(self, *_: object, **__: object) -> Closed:
            return self

        async def __aenter__(self) -> None:
            nonlocal tries
            tries += 1
            if tries == 3:
                signal.raise_signal(signal.SIGTERM)
            raise StoreUnavailable

        async def __aexit__(self, *_: object) -> None:
            """Nothing was opened."""

    monkeypatch.setattr(Zhiji, "open", Closed())
    await live(Settings.from_environment(worker=True))
    assert tries == 3
    assert capsys.readouterr().err.count("The database cannot be reached") == 1


def test_list_tells_age_attempts_and_outcome(run: Run, waiting: str) -> None:
    """A job's outcome is that of the last extraction of its session; before it there is none."""
    (before,) = run("jobs", "list", "--json").json
    assert (before["status"], before["attempts"], before["outcome"]) == ("pending", 0, None)
    assert before["age_seconds"] >= 0
    run("worker", "--once")
    after = next(job for job in run("jobs", "list", "--json").json if job["kind"] == "sediment")
    assert (after["status"], after["outcome"]["outcome"], after["outcome"]["session"]) == ("done", "written", waiting)
    assert "written" in run("jobs", "list").out


def test_dead_job_is_discarded_by_its_id(run: Run, dead: str) -> None:
    """An operator names a job; whose it is need not be known. Discarded twice: not found."""
    assert "model_rate_limited" in run("jobs", "list").out
    assert run("jobs", "discard", dead).out == f"Discarded {dead}.\n"
    assert run("jobs", "list", "--json").json == []
    assert run("jobs", "discard", dead).code == 3


def test_job_of_another_user_is_not_found(run: Run, dead: str) -> None:
    """With a user given, only their jobs are there."""
    for verb in ("discard", "replay"):
        assert run("jobs", verb, dead, "--user", "user_002").code == 3
    with opened() as zj:
        assert zj.jobs.find(dead).status is JobStatus.DEAD
        with pytest.raises(JobNotFound):
            zj.jobs.find("job_unknown")


def test_dead_job_is_replayed_by_its_id(run: Run, dead: str) -> None:
    """Run again, it does its work."""
    replayed = run("jobs", "replay", dead, "--json").json
    assert (replayed["id"], replayed["status"], replayed["outcome"]["outcome"]) == (dead, "done", "written")


def test_workers_are_listed_alive_or_missing(run: Run, database: Path) -> None:
    """A process whose last sign of life is old is missing; without any, that is said."""
    assert run("jobs", "workers").out == "No process runs jobs.\n"

    async def live() -> None:
        store = await SqliteStore.open(database)
        await store.beat(beat(1))
        await store.close()

    asyncio.run(live())
    (listed,) = run("jobs", "workers", "--json").json
    assert (listed["holder"], listed["role"], listed["is_missing"]) == ("host/1/x", "worker", True)
    assert "missing" in run("jobs", "workers").out
