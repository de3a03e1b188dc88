"""No byte of one user's words in an answer to another, whatever either does; nor across tenants."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.conftest import OpenService
from server.service import Service, is_problem
from server.words import asked, ingested, of, told

Act = Callable[["Person", "Person"], Awaitable[None]]
_numbers = count(1)


class Person:
    """A user with words that nobody else says, who keeps every answer that the service gave."""

    def __init__(self, service: Service, name: str, word: str) -> None:
        self.service, self.name, self.word = service, name, word
        self.ids: dict[str, list[str]] = {"memories": [], "sessions": [], "requests": []}
        self.heard: list[str] = []

    async def ask(self, method: str, *segments: str, body: Any = None) -> Any:
        """Whatever the answer is, it is kept."""
        answer = await self.service.client.request(method, of(self.name, *segments), json=body)
        self.heard.append(answer.text)
        return answer.json() if answer.is_success and answer.content else {}

    def known(self, kind: str, other: Person) -> list[str]:
        """Ids of both: whoever knows an id is still not its owner."""
        return [*self.ids[kind][-2:], *other.ids[kind][-2:]]

    async def remember(self, other: Person) -> None:
        body = {"content": f"用户喜欢{self.word}茶 tea", "type": "preference", "key": "tea"}
        self.ids["memories"].append((await self.ask("POST", "memories", body=body)).get("id", "mem_x"))

    async def correct(self, other: Person) -> None:
        for memory in self.known("memories", other):
            made = await self.ask("PATCH", "memories", memory, body={"content": f"用户爱{self.word} tea"})
            self.ids["memories"] += [made["id"]] if made else []

    async def look(self, other: Person) -> None:
        for memory in self.known("memories", other):
            await self.ask("GET", "memories", memory)
            await self.ask("GET", "memories", memory, "history")
        for session in self.known("sessions", other):
            await self.ask("GET", "sessions", session, "messages")
            await self.ask("GET", "sessions", session, "state")
        for request in self.known("requests", other):
            await self.ask("GET", "requests", request, "context")
        for noun in ("memories", "sessions", "profile", "extractions"):
            await self.ask("GET", noun)

    async def recall(self, other: Person) -> None:
        await self.ask("POST", "recall", body={"query": f"{other.word} {self.word} 喜欢什么茶 tea", "k": 20})

    async def ingest(self, other: Person) -> None:
        words = [{"role": "user", "content": f"我叫{self.word}，订单 OD20240415008"}]
        for session in [None, *self.known("sessions", other)]:
            made = await self.ask("POST", "messages", body={"messages": words, "session_id": session})
            self.ids["sessions"] += [made["session_id"]] if made and session is None else []
        await self.service.zj.drain()

    async def chat(self, other: Person) -> None:
        for session in [None, *self.known("sessions", other)[-1:]]:
            body = {"user_id": self.name, "message": f"我叫{self.word}，我喜欢什么茶 tea", "session_id": session}
            answer = await self.service.client.post("/v1/chat", json=body)
            self.heard.append(answer.text)
            if answer.is_success:
                self.ids["sessions"].append(answer.json()["session_id"])
                self.ids["requests"].append(answer.json()["request_id"])

    async def patch(self, other: Person) -> None:
        for session in self.known("sessions", other):
            await self.ask("PATCH", "sessions", session, "state", body={"changes": {"note": self.word}})

    async def delete(self, other: Person) -> None:
        for memory in self.known("memories", other)[:1]:
            await self.ask("DELETE", "memories", memory)

    async def restore(self, other: Person) -> None:
        for memory in self.known("memories", other):
            await self.ask("POST", "memories", memory, "restore")

    async def end(self, other: Person) -> None:
        for session in self.known("sessions", other)[:1]:
            await self.ask("POST", "sessions", session, "end")

    async def erase(self, other: Person) -> None:
        await self.ask("DELETE")


ACTS = [
    *(Person.remember, Person.correct, Person.look, Person.recall, Person.ingest, Person.chat),
    *(Person.patch, Person.delete, Person.restore, Person.end, Person.erase),
]
CLOSING = [(True, Person.look), (False, Person.look), (True, Person.recall), (False, Person.recall)]
SCRIPTS = st.lists(st.tuples(st.booleans(), st.sampled_from(ACTS)), min_size=4, max_size=14)


@given(script=SCRIPTS)
@settings(max_examples=20, derandomize=True, suppress_health_check=list(HealthCheck))
async def test_no_word_reaches_another_user(open_service: OpenService, script: list[tuple[bool, Act]]) -> None:
    """Under any sequence of requests, with any ids of the other, nobody hears a word that only the other said."""
    number = next(_numbers)
    async with open_service(model="offline", sediment_wait_seconds=0) as service:
        ann, bob = Person(service, f"甲/{number}", "碧螺春"), Person(service, f"甲%2F{number}", "Oolong")
        for is_ann, act in [*script, *CLOSING]:
            await act(*((ann, bob) if is_ann else (bob, ann)))
    assert ann.heard
    assert bob.heard
    assert not [answer for answer in bob.heard if ann.word in answer]
    assert not [answer for answer in ann.heard if bob.word in answer]


@pytest.mark.parametrize("user", [None, "", " ", "　", 7])
async def test_a_request_without_a_user_is_refused(open_service: OpenService, user: object) -> None:
    """There is no user that everybody shares: a missing, null or blank one is refused, also by name in a path (C154)."""
    async with open_service(model="offline") as service:
        await service.chat("我习惯用大字体", user="u_lin")
        await service.zj.drain()
        for path in ("/chat", "/v1/chat"):
            for body in ({"message": "习惯什么"}, {"message": "习惯什么", "user_id": user}):
                assert is_problem(await service.client.post(path, json=body), 422, "invalid_input")
        if isinstance(user, str) and user:
            answer = await service.client.post(of(user, "recall"), json={"query": "习惯什么"})
            assert is_problem(answer, 422, "invalid_input")
        for other in ("u_wu", " u_lin", "U_lin", "u_li", "u_lin2"):
            found = await asked(service.client, "POST", of(other, "recall"), json={"query": "习惯什么"})
            assert found["recalled"] == []
        mine = await asked(service.client, "POST", of("u_lin", "recall"), json={"query": "习惯什么"})
        assert "大字体" in str(mine)


async def test_tenants_on_one_file_do_not_meet(open_service: OpenService) -> None:
    """The same user id in another tenant is another user: lists, recall, jobs and sessions are empty."""
    async with open_service("好的", tenant="shop") as service:
        memory = (await told(service, "用户喜欢碧螺春 tea"))["id"]
        session = (await ingested(service, "我叫李四"))["session_id"]
    async with open_service("好的", tenant="school") as service:
        for noun in ("memories", "sessions", "extractions"):
            assert (await asked(service.client, "GET", of("u1", noun)))[noun] == []
        assert (await asked(service.client, "POST", of("u1", "recall"), json={"query": "tea"}))["recalled"] == []
        assert (await asked(service.client, "GET", "/v1/jobs"))["jobs"] == []
        await asked(service.client, "GET", of("u1", "memories", memory), 404)
        await asked(service.client, "GET", of("u1", "sessions", session), 404)
        assert (await asked(service.client, "DELETE", of("u1")))["total"] == 0
    async with open_service("好的", tenant="shop") as service:
        assert (await asked(service.client, "GET", of("u1", "memories", memory)))["id"] == memory
