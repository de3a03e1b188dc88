"""``/v1/users/{user}/memories``: told, listed, corrected, deleted, brought back."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import httpx
import pytest

from server.conftest import OpenService
from server.service import Service, is_problem
from server.words import asked, of, told
from zhiji import policies

FIELDS = {
    *(
        "id",
        "type",
        "content",
        "key",
        "value",
        "importance",
        "confidence",
        "trust",
        "status",
        "reason",
        "sources",
        "lang",
    ),
    *("valid_from", "valid_to", "superseded_by", "links", "created_at", "updated_at", "last_recalled_at", "recalls"),
    *("expires_at", "revision"),
}

# --- telling --------------------------------------------------------------------------------------------------------


async def test_a_memory_is_told_and_shown(service: Service) -> None:
    """The answer is the row as it is kept, and so is every later look at it; nothing internal shows."""
    made = await told(service, "用户喜欢龙井茶 🍵", key="ＴＥＡ", value={"茶": ["龙井", 1.5, None]}, importance=5)
    assert made.pop("became") == "added"
    assert set(made) == FIELDS
    assert (made["content"], made["key"], made["value"]) == (
        "用户喜欢龙井茶 🍵",
        "preference:tea",
        {"茶": ["龙井", 1.5, None]},
    )
    assert (made["trust"], made["status"], made["lang"]) == ("operator", "active", "zh")
    assert made["created_at"] == service.clock().isoformat().replace("+00:00", "Z")
    assert await asked(service.client, "GET", of("u1", "memories", made["id"])) == made
    assert (await asked(service.client, "GET", of("u1", "memories")))["memories"] == [made]


@pytest.mark.parametrize(
    ("second", "became", "status", "rows"),
    [
        ({"content": "用户喜欢龙井茶"}, "reinforced", "active", 1),
        ({"content": "The user prefers Tieguanyin tea."}, "superseded", "active", 1),
        ({"content": "用户喜欢普洱茶", "confidence": 0.2}, "quarantined", "quarantined", 1),
        ({"content": "用户爱喝咖啡 ☕", "key": "coffee"}, "added", "active", 2),
    ],
)
async def test_what_became_of_it_is_told(
    service: Service, second: dict[str, object], became: str, status: str, rows: int
) -> None:
    """One more voice, in the place of the former value, waiting, new: four answers, never a bare success (C151)."""
    first = await told(service, "用户喜欢龙井茶", key="tea")
    done = await told(service, **{"key": "tea", **second})  # type: ignore[arg-type]  # a body
    assert (done["became"], done["status"]) == (became, status)
    assert (done["id"] == first["id"]) == (became == "reinforced")
    assert len((await asked(service.client, "GET", of("u1", "memories")))["memories"]) == rows


@pytest.mark.parametrize("content", ["", "  ", "\u200b\u3000", "\ufeff\n"])
async def test_nothing_to_remember_is_an_error(service: Service, content: str) -> None:
    """What has no visible character is refused by name, not stored as nothing (C151)."""
    answer = await service.client.post(of("u1", "memories"), json={"content": content, "type": "event"})
    assert is_problem(answer, 422, "empty_message")
    assert (await asked(service.client, "GET", of("u1", "memories")))["memories"] == []


async def test_telling_twice_at_once_keeps_one_row(service: Service) -> None:
    """Ten requests that say the same, with a key and without one, leave one memory each."""
    for more in ({"key": "tea"}, {}):
        user = f"u-{len(more)}"
        done = await asyncio.gather(*(told(service, "用户喜欢龙井茶", user=user, **more) for _ in range(10)))
        assert len({row["id"] for row in done}) == 1
        assert sorted(row["became"] for row in done) == ["added", *["reinforced"] * 9]
        assert len((await asked(service.client, "GET", of(user, "memories")))["memories"]) == 1


async def test_other_values_at_once_leave_one_active(service: Service) -> None:
    """Of ten values of one key told at once exactly one is active in the end; the others are its history."""
    done = await asyncio.gather(*(told(service, f"用户最喜欢的数字是 {n}", key="number") for n in range(10)))
    (active,) = (await asked(service.client, "GET", of("u1", "memories")))["memories"]
    versions = (await asked(service.client, "GET", of("u1", "memories", active["id"], "history")))["versions"]
    assert {row["id"] for row in versions} == {row["id"] for row in done}
    assert [row["status"] for row in versions].count("active") == 1


async def test_types_of_a_host_are_known(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """A type that a host adds to the table is accepted and documented; one that is in no table is refused."""
    pet = replace(policies.TYPES["event"], name="pet", label_zh="宠物", label_en="pet")
    unknown = await service.client.post(of("u1", "memories"), json={"content": "用户养猫 🐈", "type": "pet"})
    assert is_problem(unknown, 422, "invalid_input")
    assert "identity, preference" in unknown.json()["detail"]
    monkeypatch.setitem(policies.TYPES, "pet", pet)
    assert (await told(service, "用户养猫 🐈", type="pet"))["type"] == "pet"
    found = await asked(service.client, "GET", of("u1", "memories"), params={"type": "pet"})
    assert len(found["memories"]) == 1
    document = await asked(service.client, "GET", "/openapi.json")
    assert "pet" in document["components"]["schemas"]["Remember"]["properties"]["type"]["enum"]


# --- lists ----------------------------------------------------------------------------------------------------------


async def test_pages_are_stable_and_whole(service: Service) -> None:
    """Pages follow ``next_offset`` to its end: newest first, each memory once, in the same order as one big page."""
    for number in range(7):
        await told(service, f"用户的第 {number} 件事", type="event")
        service.clock.advance(timedelta(seconds=number % 2))  # every other two share an instant
    path = of("u1", "memories")
    whole = (await asked(service.client, "GET", path))["memories"]
    assert [row["updated_at"] for row in whole] == sorted((row["updated_at"] for row in whole), reverse=True)
    pages = [await asked(service.client, "GET", path, params={"limit": 3, "offset": offset}) for offset in (0, 3, 6)]
    assert [page["next_offset"] for page in pages] == [3, 6, None]
    assert (await asked(service.client, "GET", path, params={"limit": 7}))["next_offset"] is None
    assert [row for page in pages for row in page["memories"]] == whole
    assert len(whole) == 7


async def test_lists_are_filtered(service: Service) -> None:
    """By status and by type, each of which may be repeated; active ones unless told otherwise."""
    await told(service, "用户叫李四", type="identity", key="name")
    await told(service, "用户叫李思", type="identity", key="name")
    await told(service, "用户可能喜欢茶", confidence=0.1)
    await told(service, "The user ordered shoes.", type="order", key="OD20240415008")

    async def contents(*params: tuple[str, str]) -> set[str]:
        found = await asked(service.client, "GET", of("u1", "memories"), params=params)
        return {row["content"] for row in found["memories"]}

    assert await contents() == {"用户叫李思", "The user ordered shoes."}
    assert await contents(("type", "order")) == {"The user ordered shoes."}
    assert await contents(("status", "superseded"), ("status", "quarantined")) == {"用户叫李四", "用户可能喜欢茶"}
    assert await contents(("status", "superseded"), ("type", "order"), ("type", "preference")) == set()


# --- changing -------------------------------------------------------------------------------------------------------


async def test_a_memory_is_corrected_and_restored(service: Service) -> None:
    """A correction supersedes and keeps the old one as history; restoring the old one turns that round."""
    old = await told(service, "用户对花生过敏", type="identity", key="allergy.花生")
    path = of("u1", "memories", old["id"])
    new = await asked(
        service.client, "PATCH", path, json={"content": "The user is allergic to shrimp 🦐.", "reason": "来电更正"}
    )
    assert (new["content"], new["status"], new["reason"]) == (
        "The user is allergic to shrimp 🦐.",
        "active",
        "来电更正",
    )
    gone = await asked(service.client, "GET", path)
    assert (gone["status"], gone["superseded_by"]) == ("superseded", new["id"])
    history = await asked(service.client, "GET", f"{path}/history")
    assert [row["id"] for row in history["versions"]] == [old["id"], new["id"]]
    again = await service.client.patch(path, json={"content": "用户对虾过敏"})
    assert is_problem(again, 409, "stale_memory")
    back = await asked(service.client, "POST", f"{path}/restore")
    assert (back["id"], back["status"]) == (old["id"], "active")
    assert (await asked(service.client, "GET", of("u1", "memories", new["id"])))["status"] == "superseded"


async def test_deleted_is_deleted(service: Service) -> None:
    """The answer has no body, and every later request about it is the 404 of what never was."""
    made = await told(service, "用户喜欢龙井茶")
    path = of("u1", "memories", made["id"])
    gone = await service.client.delete(path)
    assert (gone.status_code, gone.content) == (204, b"")
    for method, where, body in (
        ("GET", path, None),
        ("DELETE", path, None),
        ("PATCH", path, {"content": "x"}),
        ("POST", f"{path}/restore", None),
        ("GET", f"{path}/history", None),
    ):
        answer = await service.client.request(method, where, json=body)
        assert is_problem(answer, 404, "memory_not_found")


async def test_one_of_many_corrections_wins(service: Service) -> None:
    """Of five corrections at once one is taken; the others are told that the memory has changed."""
    old = await told(service, "用户住在杭州", type="identity", key="city")
    path = of("u1", "memories", old["id"])
    answers = await asyncio.gather(
        *(service.client.patch(path, json={"content": f"用户住在第 {n} 街"}) for n in range(5))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409]
    assert len((await asked(service.client, "GET", of("u1", "memories")))["memories"]) == 1


# --- ids ------------------------------------------------------------------------------------------------------------

ODD = (
    *(
        "shop-beta",
        "0b8f7c6e-2a4d-4a44-9d6b-7a0e8f6f1f10",
        "main",
        "_",
        "u@x.com",
        "用户-1",
        "用户－１",
        "a/b",
        "a%2Fb",
    ),
    *("a b", " a", "50%", "😀", ".a", "a?b#c&d=e", "%", "a+b", "'; DROP TABLE zhiji_owners;--", "*", "a\\b", "x" * 256),
    *("a/memories", "a/memories/b", 'NEAR OR "x'),
)


@pytest.mark.parametrize("user", ODD)
async def test_a_user_may_have_any_id(service: Service, user: str) -> None:
    """Hyphens, slashes, wildcards, spaces, full width, emoji: each is one user of its own, from telling to recall (C108)."""
    near = {user.replace("/", "_"), user.strip(), f"{user.lower()[:-1]}y"} - {user}
    made = await told(service, "用户喜欢龙井茶 tea", user=user)
    found = await asked(service.client, "POST", of(user, "recall"), json={"query": "喜欢什么茶 tea"})
    assert [hit["memory"]["id"] for hit in found["recalled"]] == [made["id"]]
    await asked(service.client, "GET", of(user, "memories", made["id"]))
    for other in near:
        assert (await asked(service.client, "GET", of(other, "memories")))["memories"] == []
    jobs = await asked(service.client, "GET", "/v1/jobs", params={"user": user})
    assert all(job["user_id"] == user for job in jobs["jobs"])


@pytest.mark.parametrize("path", ["/v1/users//memories", "/v1/users/%20/memories", "/v1/users/a%00/memories"])
async def test_what_names_nobody_is_refused(client: httpx.AsyncClient, path: str) -> None:
    """A missing, blank or broken user is an error, never a user of that name (C108)."""
    answer = await client.get(path)
    assert answer.status_code in (404, 422)
    assert answer.headers["content-type"] == "application/problem+json"


async def test_unknown_and_foreign_ids_are_the_same(open_service: OpenService) -> None:
    """Whether somebody else has a memory, session, request or job of this id cannot be told from the answer (C020)."""
    async with open_service(*["好的"] * 4) as service:
        memory = (await told(service, "用户喜欢龙井茶", user="ua"))["id"]
        reply = await service.chat("我叫王晴, 最爱吃辣 🌶️", user="ua")
        session, request = reply["session_id"], reply["request_id"]
        routes = [
            ("GET", ("memories", memory), None),
            ("PATCH", ("memories", memory), {"content": "别人的"}),
            ("DELETE", ("memories", memory), None),
            ("POST", ("memories", memory, "restore"), None),
            ("GET", ("memories", memory, "history"), None),
            ("GET", ("sessions", session), None),
            ("GET", ("sessions", session, "messages"), None),
            ("GET", ("sessions", session, "state"), None),
            ("PATCH", ("sessions", session, "state"), {"changes": {"a": 1}}),
            ("POST", ("sessions", session, "end"), None),
            ("GET", ("requests", request, "context"), None),
        ]
        for method, segments, body in routes:
            unknown = [part.replace(part[-6:], "AAAAAA") if "_" in part else part for part in segments]
            answers = [
                await service.client.request(method, of("ub", *parts), json=body) for parts in (segments, unknown)
            ]
            assert [answer.status_code for answer in answers] == [404, 404], (method, segments)
            assert _without_id(answers[0]) == _without_id(answers[1])
        assert len((await asked(service.client, "GET", of("ua", "memories")))["memories"]) == 1
        assert len((await asked(service.client, "GET", of("ua", "sessions", session, "messages")))["messages"]) == 2


def _without_id(answer: httpx.Response) -> tuple[object, ...]:
    request_id = answer.headers["x-request-id"]
    headers = sorted((name, value) for name, value in answer.headers.items() if value != request_id)
    return headers, answer.text.replace(request_id, "")
