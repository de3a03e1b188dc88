"""``/v1/jobs``: what an operator sees of background work, and does about it."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from server.conftest import OpenService
from server.service import Service, is_problem
from server.words import asked, ingested, of
from talk import Scripted, fact
from zhiji.errors import ExtractionFailed
from zhiji.types import WorkerRole


async def jobs(service: Service, **params: Any) -> list[dict[str, Any]]:
    """The jobs that an operator sees."""
    found: list[dict[str, Any]] = (await asked(service.client, "GET", "/v1/jobs", params=params))["jobs"]
    return found


async def exhausted(service: Service) -> None:
    """Every job has had all its attempts."""
    for _ in range(4):
        await service.zj.drain()
        service.clock.advance(timedelta(minutes=10))


async def test_an_operator_sees_every_users_jobs_but_no_text(service: Service) -> None:
    """Last enqueued first, by user, by status; ids and states only."""
    for user in ("甲", "u2"):
        await ingested(service, "我叫李四，订单 OD20240415008 😀", user=user)
    found = await jobs(service)
    assert [job["user_id"] for job in found] == ["u2", "甲"]
    assert [job["status"] for job in found] == ["pending", "pending"]
    assert "李四" not in str(found)
    assert [job["user_id"] for job in await jobs(service, user="甲")] == ["甲"]
    assert len(await jobs(service, limit=1)) == 1
    assert await jobs(service, status="dead") == []
    await service.zj.drain("甲")
    assert [job["user_id"] for job in await jobs(service, status=["done", "dead"])] == ["甲"]


async def test_a_job_tells_what_it_came_to(open_service: OpenService) -> None:
    """The last outcome of its session stands with each job that reads one; before any, there is none."""
    extractor = Scripted(ExtractionFailed("no JSON"), [fact("用户叫李四", key="identity:name")])
    async with open_service(extractor_object=extractor) as service:
        await ingested(service, "我叫李四", user="u1")
        assert [job["outcome"] for job in await jobs(service)] == [None]
        await service.zj.drain()
        (done,) = await jobs(service, status="done")
        assert (done["outcome"]["outcome"], done["outcome"]["written"], done["outcome"]["extractor"]) == (
            "written",
            1,
            "scripted",
        )
        assert "李四" not in str(done)


async def test_a_dead_job_is_replayed(open_service: OpenService) -> None:
    """Once the cause is gone, replaying it makes the memories; its owner need not be named."""
    extractor = Scripted(ExtractionFailed(), ExtractionFailed(), [fact("用户叫李四", key="identity:name")])
    async with open_service(extractor_object=extractor, job_attempts=2) as service:
        await ingested(service, "我叫李四", user="a/b 😀")
        await exhausted(service)
        (dead,) = await jobs(service)
        assert (dead["status"], dead["attempts"]) == ("dead", 2)
        assert dead["error"].startswith("extraction_failed")
        replayed = await asked(service.client, "POST", f"/v1/jobs/{dead['id']}/replay")
        assert (replayed["id"], replayed["status"], replayed["attempts"]) == (dead["id"], "pending", 0)
        await service.zj.drain()
        memories = (await asked(service.client, "GET", of("a/b 😀", "memories")))["memories"]
        assert [row["content"] for row in memories] == ["用户叫李四"]
        assert [job["status"] for job in await jobs(service)] == ["done"]


async def test_a_dead_job_is_discarded(open_service: OpenService) -> None:
    """It is gone for good; discarding it again is a 404."""
    async with open_service(extractor_object=Scripted(*[ExtractionFailed()] * 9), job_attempts=1) as service:
        await ingested(service, "我叫李四")
        await exhausted(service)
        (dead,) = await jobs(service, status="dead")
        path = f"/v1/jobs/{dead['id']}/discard"
        assert await asked(service.client, "POST", path, 204) is None
        assert is_problem(await service.client.post(path), 404, "job_not_found")
        assert await jobs(service) == []


@pytest.mark.parametrize("verb", ["replay", "discard"])
async def test_only_a_dead_job_of_this_tenant_is_touched(open_service: OpenService, verb: str) -> None:
    """Unknown, not dead, another tenant's: the same 404, and the job stays as it is."""
    failing = Scripted(*[ExtractionFailed()] * 9)
    async with open_service(extractor_object=failing, job_attempts=1) as service:
        await ingested(service, "我叫李四", user="waiting")
        (pending,) = await jobs(service)
        bodies = []
        for job in (pending["id"], "job_unknown"):
            answer = await service.client.post(f"/v1/jobs/{job}/{verb}")
            assert is_problem(answer, 404, "job_not_found")
            bodies.append(answer.json()["detail"])
        await exhausted(service)
        (dead,) = await jobs(service)
    async with open_service(tenant="other") as stranger:
        assert await jobs(stranger) == []
        answer = await stranger.client.post(f"/v1/jobs/{dead['id']}/{verb}")
        assert is_problem(answer, 404, "job_not_found")
        assert [*bodies, answer.json()["detail"]] == [bodies[0]] * 3
    async with open_service() as service:
        assert [job["status"] for job in await jobs(service)] == ["dead"]


async def test_the_service_shows_itself_as_the_service(open_service: OpenService) -> None:
    """Whoever lists the processes that run jobs sees that this one also answers."""
    async with open_service(worker=True) as service, asyncio.timeout(20):
        while not (found := await service.zj.jobs.workers()):
            pass
    assert [one.role for one in found] == [WorkerRole.SERVE]
