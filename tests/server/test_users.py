"""``/v1/users/{user}``: profile, outcomes, contexts, and removing all of it."""

from __future__ import annotations

from pathlib import Path

from server.conftest import OpenService
from server.service import Service, is_problem
from server.words import asked, ingested, of, told
from talk import cells


async def test_the_profile_is_one_look(service: Service) -> None:
    """Nickname, default address and preferred style, by key, with the memories that say so (M8)."""
    await told(service, "用户希望被称呼为小李 😀", type="identity", key="call_me", value="小李 😀")
    await told(service, "默认收货地址：杭州市文三路 18 号", type="identity", key="address.default")
    await told(service, "The user prefers brief answers.", key="reply_style", value="brief")
    await told(service, "订单 OD1 已签收", type="order", key="OD1")
    found = await asked(service.client, "GET", of("u1", "profile"))
    assert found["user_id"] == "u1"
    assert found["values"] == {
        "identity:call_me": "小李 😀",
        "identity:address.default": "默认收货地址：杭州市文三路 18 号",
        "preference:reply_style": "brief",
    }
    assert [row["key"] for row in found["memories"]] == list(found["values"])
    assert (await asked(service.client, "GET", of("nobody", "profile")))["values"] == {}


async def test_a_context_shows_what_the_model_saw(open_service: OpenService) -> None:
    """Messages in chat format, tokens by part that sum up, and what was recalled, with scores."""
    async with open_service("好的") as service:
        memory = await told(service, "订单 OD20240415008 的退货地址是文三路 18 号", type="order", key="OD20240415008")
        reply = await service.chat("订单 OD20240415008 的退货地址是什么？")
        path = of("u1", "requests", reply["request_id"], "context")
        seen = await asked(service.client, "GET", path)
        assert (seen["request_id"], seen["session_id"], seen["turn"]) == (reply["request_id"], reply["session_id"], 1)
        assert [message["role"] for message in seen["messages"]] == ["system", "user"]
        assert "文三路" in seen["messages"][-1]["content"]
        usage = seen["usage"]
        parts = ("system", "memory", "history", "summary", "tool", "input")
        assert usage["total"] == sum(usage[part] for part in parts)
        assert usage == reply["usage"]
        assert [item["id"] for item in seen["recalled"]] == [memory["id"]]
        assert seen["recalled"][0]["score"] == reply["recalled"][0]["score"]
        for user, request in (("u2", reply["request_id"]), ("u1", "req_unknown")):
            answer = await service.client.get(of(user, "requests", request, "context"))
            assert is_problem(answer, 404, "request_not_found")


async def test_outcomes_are_listed_newest_first(service: Service) -> None:
    """Each pass with its range and its counts; of one session on demand."""
    first = await ingested(service, "我叫李四")
    await service.zj.drain()
    await ingested(service, "今天天气不错")
    await service.zj.drain()
    found = (await asked(service.client, "GET", of("u1", "extractions")))["extractions"]
    assert [one["outcome"] for one in found] == ["nothing", "written"]
    assert (found[1]["session"], found[1]["first_seq"], found[1]["last_seq"]) == (first["session_id"], 1, 2)
    assert found[1]["written"] == 1
    only = await asked(service.client, "GET", of("u1", "extractions"), params={"session": first["session_id"]})
    assert only["extractions"] == [found[1]]
    assert (await asked(service.client, "GET", of("u1", "extractions"), params={"limit": 1}))["extractions"] == found[
        :1
    ]


async def test_erasing_a_user_leaves_nothing_of_them(open_service: OpenService) -> None:
    """The answer counts what went, every later look finds a stranger, the file holds no word; others keep everything."""
    async with open_service(*["好的"] * 4) as service:
        for user in ("u1", "u2"):
            await told(service, f"{user} 喜欢碧螺春 🍵", user=user)
            reply = await service.chat(f"{user} 住在平江路", user=user)
        await service.zj.drain()
        done = await asked(service.client, "DELETE", of("u1"))
        assert done["user_id"] == "u1"
        assert (done["removed"]["sessions"], done["removed"]["messages"]) == (1, 2)
        assert done["total"] == sum(done["removed"].values()) > 0
        for noun in ("memories", "sessions", "extractions"):
            assert (await asked(service.client, "GET", of("u1", noun)))[noun] == []
        assert (await asked(service.client, "DELETE", of("u1")))["total"] == 0
        assert len((await asked(service.client, "GET", of("u2", "memories")))["memories"]) >= 1
        assert await asked(service.client, "GET", of("u2", "requests", reply["request_id"], "context"))
        file = Path(service.zj.settings.database_url.removeprefix("sqlite:///"))
    assert not [cell for cell in cells(file) if "u1 喜欢" in cell or "u1 住在" in cell]
    assert [cell for cell in cells(file) if "u2 喜欢" in cell]
