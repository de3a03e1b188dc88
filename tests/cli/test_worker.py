"""``zhiji worker`` and ``zhiji jobs``: work that another process left is done, shown, given up."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cli.terminal import USER, Run, opened
from zhiji.errors import JobNotFound
from zhiji.stores.sqlite import SqliteStore
from zhiji.testing.values import lease
from zhiji.testing.worker_contract import beat
from zhiji.types import JobStatus


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
