"""``/v1/doctor``: where memory failed for a message, asked over HTTP."""

from __future__ import annotations

from server.service import Service
from server.words import asked, ingested, told

STEPS = ["input", "session", "memory", "context"]


async def test_a_memory_that_waits_is_found(service: Service) -> None:
    """What was said but not yet read breaks the memory step; once read, no step is broken, and the facts name it."""
    session = (await ingested(service, "我的退货地址是杭州市文三路 18 号 🏠"))["session_id"]
    question = {"user_id": "u1", "message": "退货地址是什么？", "expect": "文三路"}
    found = await asked(service.client, "POST", "/v1/doctor", json=question)
    assert [step["step"] for step in found["steps"]] == STEPS
    assert (found["broken"], found["steps"][2]["status"]) == ("memory", "broken")
    assert session in str(found["steps"][2])
    assert found["steps"][2]["advice"]
    await told(service, "退货地址是杭州市文三路 18 号", type="after_sale", key="AS1001")
    await service.zj.drain()
    assert (await asked(service.client, "POST", "/v1/doctor", json=question))["broken"] is None


async def test_wrong_ids_are_findings_that_tell_nothing_of_others(service: Service) -> None:
    """A blank user, an unknown session, somebody else's: 200 with the step that broke; both sessions read the same."""
    session = (await ingested(service, "我叫王晴，最爱吃辣", user="ua"))["session_id"]
    blank = await asked(service.client, "POST", "/v1/doctor", json={"user_id": " ", "message": "Where do I live?"})
    assert blank["broken"] == "input"
    answers = []
    for wrong in (session, "ses_unknown"):
        body = {"user_id": "ub", "session_id": wrong, "message": "我叫什么？", "expect": "王晴"}
        found = await asked(service.client, "POST", "/v1/doctor", json=body)
        assert found["broken"] in ("input", "session")
        answers.append(str(found).replace(wrong, "SESSION"))
    assert answers[0] == answers[1]
    assert "辣" not in answers[0]
