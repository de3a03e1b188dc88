"""``…/state``: where the task of a session stands, patched field by field, one writer per version."""

from __future__ import annotations

import asyncio

from pydantic import BaseModel

from server.conftest import OpenService
from server.service import Service, is_problem
from server.words import asked, of


async def started(service: Service, user: str = "u1") -> str:
    """The path of the state of a new session."""
    session = await asked(service.client, "POST", of(user, "sessions"), 201)
    return of(user, "sessions", session["id"], "state")


async def test_named_fields_change_and_the_others_stay(service: Service) -> None:
    """Slots are merged name by name, null removes, the version counts the writes."""
    path = await started(service)
    assert await asked(service.client, "GET", path) == {"version": 0, "intent": None, "slots": {}, "conclusions": []}
    changes = {"intent": "退货", "slots": {"order_id": "ＯＤ１", "reason": "尺码偏小 😀"}, "slots.count": 2}
    first = await asked(service.client, "PATCH", path, json={"changes": changes})
    assert (first["version"], first["intent"]) == (1, "退货")
    assert first["slots"] == {"order_id": "ＯＤ１", "reason": "尺码偏小 😀", "count": 2}
    second = await asked(
        service.client, "PATCH", path, json={"changes": {"slots.reason": None, "note": "hi"}, "expected_version": 1}
    )
    assert second["slots"] == {"order_id": "ＯＤ１", "count": 2, "note": "hi"}
    assert await asked(service.client, "GET", path) == second


async def test_a_stale_patch_is_refused(service: Service) -> None:
    """Who has seen an older version, or one that never was, is told so, and nothing changes."""
    path = await started(service)
    await asked(service.client, "PATCH", path, json={"changes": {"a": 1}})
    for version in (0, 2, 2**53 - 1):
        answer = await service.client.patch(path, json={"changes": {"a": 9}, "expected_version": version})
        assert is_problem(answer, 409, "stale_state")
    assert (await asked(service.client, "GET", path))["slots"] == {"a": 1}


async def test_one_writer_wins_each_version(service: Service) -> None:
    """Of eight patches of one version at once exactly one is taken, version after version."""
    path = await started(service)
    for version in range(4):
        answers = await asyncio.gather(
            *(
                service.client.patch(path, json={"changes": {"winner": n}, "expected_version": version})
                for n in range(8)
            )
        )
        assert sorted(answer.status_code for answer in answers) == [200, *[409] * 7]
        (won,) = [answer.json() for answer in answers if answer.status_code == 200]
        assert await asked(service.client, "GET", path) == won
        assert won["version"] == version + 1


async def test_patches_of_different_fields_all_count(service: Service) -> None:
    """Without an expected version ten patches at once leave all ten fields."""
    path = await started(service)
    await asyncio.gather(*(asked(service.client, "PATCH", path, json={"changes": {f"字段{n}": n}}) for n in range(10)))
    state = await asked(service.client, "GET", path)
    assert (state["version"], state["slots"]) == (10, {f"字段{n}": n for n in range(10)})


class Form(BaseModel):
    """The form of a return."""

    order_id: str
    count: int = 1


async def test_a_form_refuses_what_does_not_fit(open_service: OpenService) -> None:
    """With the host's schema a wrong or unknown field is named in the problem; defaults are filled in."""
    async with open_service(slots=Form) as service:
        path = await started(service)
        for changes, field in (({"count": "two"}, "count"), ({"colour": "red"}, "colour")):
            answer = await service.client.patch(path, json={"changes": changes})
            assert is_problem(answer, 422, "invalid_state")
            assert answer.json()["details"] == {"field": field}
        await asked(service.client, "PATCH", path, json={"changes": {"order_id": "OD1"}})
        assert (await asked(service.client, "GET", path))["slots"] == {"order_id": "OD1", "count": 1}
