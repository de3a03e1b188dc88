"""``/v1/users/{user}/sessions`` and ``…/messages``: conversations held here and elsewhere."""

from __future__ import annotations

import asyncio
from datetime import timedelta, timezone

import pytest

from server.conftest import OpenService
from server.service import Service, is_problem
from server.words import asked, ingested, of
from talk import Scripted, fact
from zhiji.errors import ExtractionFailed
from zhiji.extract import Extractor

# --- sessions -------------------------------------------------------------------------------------------------------


async def test_a_session_from_start_to_end(open_service: OpenService) -> None:
    """It is started, talked in, shown, ended; then it is over for everybody who does not ask for the archive."""
    async with open_service("好的，李四 😀") as service:
        started = await asked(service.client, "POST", of("u1", "sessions"), 201)
        assert (started["status"], started["turns"], started["resumed_from"]) == ("live", 0, None)
        path = of("u1", "sessions", started["id"])
        await service.chat("我叫李四", session_id=started["id"])
        shown = await asked(service.client, "GET", path)
        assert (shown["turns"], shown["last_seq"]) == (1, 2)
        messages = (await asked(service.client, "GET", f"{path}/messages"))["messages"]
        assert [(one["seq"], one["role"], one["content"]) for one in messages] == [
            (1, "user", "我叫李四"),
            (2, "assistant", "好的，李四 😀"),
        ]
        for _ in range(2):
            assert (await asked(service.client, "POST", f"{path}/end"))["status"] == "ended"
        for where in (path, f"{path}/messages", f"{path}/state"):
            assert is_problem(await service.client.get(where), 410, "session_expired")
        kept = await asked(service.client, "GET", f"{path}/messages", params={"archived": True})
        assert len(kept["messages"]) == 2
        assert (await asked(service.client, "GET", of("u1", "sessions")))["sessions"] == []
        archive = await asked(service.client, "GET", of("u1", "sessions"), params={"archived": True})
        assert [one["id"] for one in archive["sessions"]] == [started["id"]]


async def test_a_new_session_says_what_it_carries_on_from(open_service: OpenService) -> None:
    """After the last one has expired, a started session resumes it."""
    async with open_service("好的") as service:
        former = (await service.chat("订单 OD20240415008 想退货"))["session_id"]
        service.clock.advance(timedelta(hours=1))
        assert (await asked(service.client, "POST", of("u1", "sessions"), 201))["resumed_from"] == former


async def test_sessions_and_messages_come_by_pages(open_service: OpenService) -> None:
    """Sessions forwards by offset, last touched first; a transcript backwards by sequence number."""
    async with open_service(*["答"] * 9) as service:
        made = []
        for number in range(5):
            made.append((await service.chat(f"第 {number} 次"))["session_id"])
            service.clock.advance(timedelta(seconds=1))
        first = await asked(service.client, "GET", of("u1", "sessions"), params={"limit": 3})
        rest = await asked(
            service.client, "GET", of("u1", "sessions"), params={"limit": 3, "offset": first["next_offset"]}
        )
        assert [one["id"] for page in (first, rest) for one in page["sessions"]] == made[::-1]
        assert rest["next_offset"] is None
        for number in range(3):
            await service.chat(f"再说 {number}", session_id=made[0])
        path = of("u1", "sessions", made[0], "messages")
        page = (await asked(service.client, "GET", path, params={"last": 5}))["messages"]
        assert [one["seq"] for one in page] == [4, 5, 6, 7, 8]
        page = (await asked(service.client, "GET", path, params={"last": 5, "before": 4}))["messages"]
        assert [one["seq"] for one in page] == [1, 2, 3]


# --- turns from elsewhere -------------------------------------------------------------------------------------------


async def test_turns_from_elsewhere_are_kept_then_remembered(service: Service) -> None:
    """202 names the session and the job; when the job is done the memories are there, and the outcome says so (C151)."""
    then = service.clock() - timedelta(hours=2)
    in_shanghai = then.astimezone(timezone(timedelta(hours=8))).isoformat()
    done = await ingested(service, "我叫李四，住在杭州 🏠", time=in_shanghai)
    assert (done["last_seq"], done["extracted_upto"], done["job"]["status"]) == (2, 0, "pending")
    assert (done["job"]["subject"], done["job"]["user_id"]) == (done["session_id"], "u1")
    assert (await asked(service.client, "GET", of("u1", "memories")))["memories"] == []
    await service.zj.drain()
    memories = (await asked(service.client, "GET", of("u1", "memories")))["memories"]
    assert {row["content"] for row in memories} == {"用户叫李四", "用户住在杭州"}
    assert all(row["sources"] == [{"session": done["session_id"], "seqs": [1]}] for row in memories)
    session = await asked(service.client, "GET", of("u1", "sessions", done["session_id"]))
    assert (session["extracted_upto"], session["expires_at"]) == (2, None)
    (message, _) = (await asked(service.client, "GET", of("u1", "sessions", done["session_id"], "messages")))[
        "messages"
    ]
    assert message["time"] == then.isoformat().replace("+00:00", "Z")
    more = await ingested(service, "我改住北京了", session_id=done["session_id"])
    assert (more["session_id"], more["last_seq"]) == (done["session_id"], 4)


@pytest.mark.parametrize(
    ("extractor", "outcome", "job"),
    [
        (Scripted([]), "nothing", "done"),
        (Scripted([fact("用户叫李四", key="identity:name")]), "written", "done"),
        (Scripted(*[ExtractionFailed()] * 9), "failed", "dead"),
        (Scripted(*[RuntimeError("秘密")] * 9), "failed", "dead"),
    ],
    ids=["nothing", "written", "malformed", "raises"],
)
async def test_outcomes_are_told_apart(open_service: OpenService, extractor: Extractor, outcome: str, job: str) -> None:
    """Nothing found, written, an unreadable answer, a crash: the job and the stored outcome tell which it was (C151)."""
    async with open_service(extractor_object=extractor, job_attempts=2) as service:
        done = await ingested(service, "今天天气不错 ☀️")
        for _ in range(3):
            await service.zj.drain()
            service.clock.advance(timedelta(minutes=10))
        found = await asked(service.client, "GET", of("u1", "extractions"), params={"session": done["session_id"]})
        assert {one["outcome"] for one in found["extractions"]} == {outcome}
        (held,) = (await asked(service.client, "GET", "/v1/jobs", params={"user": "u1"}))["jobs"]
        assert held["status"] == job
        assert bool(held["error"]) == (outcome == "failed")
        assert "秘密" not in held["error"]
        assert "天气" not in str(found)


async def test_a_retried_request_stores_nothing_twice(service: Service) -> None:
    """Under one Idempotency-Key, retries, also at once, are told of the same session; another body is refused (C145)."""
    path, headers = of("u1", "messages"), {"Idempotency-Key": "k-1"}
    body = {"messages": [{"role": "user", "content": "我叫李四"}]}
    answers = await asyncio.gather(*(service.client.post(path, json=body, headers=headers) for _ in range(5)))
    assert {answer.status_code for answer in answers} == {202}
    (session,) = {answer.json()["session_id"] for answer in answers}
    await service.zj.drain()
    late = await asked(service.client, "POST", path, 202, json=body, headers=headers)
    assert (late["session_id"], late["last_seq"], late["extracted_upto"], late["job"]) == (session, 1, 1, None)
    other = {"messages": [{"role": "user", "content": "我叫王五"}]}
    assert is_problem(await service.client.post(path, json=other, headers=headers), 409, "idempotency_mismatch")
    assert len((await asked(service.client, "GET", of("u1", "sessions")))["sessions"]) == 1
    elsewhere = await asked(service.client, "POST", of("u2", "messages"), 202, json=body, headers=headers)
    assert elsewhere["session_id"] != session


async def test_tool_calls_from_elsewhere_are_kept_whole(service: Service) -> None:
    """Calls, their arguments as text or object, and results come back in the transcript; a stray result is marked."""
    call = {"id": "c1", "type": "function", "function": {"name": "find_order", "arguments": {"order_id": "OD1"}}}
    messages = [
        {"role": "system", "content": "忽略"},
        {"role": "user", "content": "查订单", "name": "李四"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": '{"status": "已签收"}', "tool_call_id": "c1"},
        {"role": "tool", "content": "stray", "tool_call_id": "c9"},
        {"role": "assistant", "content": "已签收 ✅"},
    ]
    done = await asked(service.client, "POST", of("u1", "messages"), 202, json={"messages": messages})
    path = of("u1", "sessions", done["session_id"], "messages")
    kept = (await asked(service.client, "GET", path))["messages"]
    assert [one["role"] for one in kept] == ["user", "assistant", "tool", "tool", "assistant"]
    assert kept[1]["tool_calls"] == [{"id": "c1", "name": "find_order", "arguments": '{"order_id": "OD1"}'}]
    assert [one["orphan"] for one in kept] == [False, False, False, True, False]
