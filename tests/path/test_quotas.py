"""Quotas where turns begin: what costs one, what is free, what a refused one leaves behind, and who else is touched."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from processes import Child
from talk import OK, Open, said
from zhiji import Scope, Zhiji
from zhiji.errors import (
    ConfigError,
    IdempotencyMismatch,
    InvalidInput,
    ModelError,
    RateLimited,
    SessionNotFound,
    ZhijiError,
)
from zhiji.stores.sqlite import SqliteStore
from zhiji.testing import FrozenClock, ScriptedModel
from zhiji.types import Completion

ELSEWHERE = [{"role": "user", "content": "我叫李四"}, {"role": "assistant", "content": "好的"}]
LIMITED = {"user_limits": "2/minute"}


async def outcome(attempt: Awaitable[object]) -> str:
    """What became of it: ``ok``, or the code of the error."""
    try:
        await attempt
    except ZhijiError as error:
        return error.code
    return "ok"


async def hosted(zj: Zhiji, user: str, words: str) -> None:
    """One turn of a host's own loop."""
    async with zj.turn(user, words) as turn:
        turn.reply = "好的"


async def left(zj: Zhiji, user: str = "u1", *, of: int = 9) -> int:
    """How many turns the user may still have in this window."""
    outcomes = [await outcome(zj.chat(user, "还有吗")) for _ in range(of)]
    assert set(outcomes) <= {"ok", "rate_limited"}
    return outcomes.count("ok")


# --- what costs -----------------------------------------------------------------------------------------------------------


async def test_every_door_counts_the_same(open_zhiji: Open) -> None:
    """chat, turn and ingest draw on one share, and each is refused once it is used up."""
    async with open_zhiji(*OK, user_limits="3/minute") as zj:
        for expected in ("ok", "rate_limited"):
            doors = (zj.chat("u1", "你好"), hosted(zj, "u1", "hello"), zj.ingest("u1", ELSEWHERE))
            assert [await outcome(door) for door in doors] == [expected] * 3
        assert zj.telemetry.value("zhiji_limited_total", of="user") == 3
        assert zj.telemetry.value("zhiji_turns_total", outcome="rate_limited") == 2


async def test_the_refusal_says_when_to_come_back(open_zhiji: Open, clock: FrozenClock) -> None:
    """After the seconds that it names, and not one second earlier, the user is let in again."""
    clock.advance(timedelta(seconds=17.5))
    async with open_zhiji(*OK, **LIMITED) as zj:
        assert await left(zj) == 2
        with pytest.raises(RateLimited) as refused:
            await zj.chat("u1", "你好")
        assert dict(refused.value.details) == {"limit": "2 per 1 minute", "of": "user", "retry_after": 43}
        clock.advance(timedelta(seconds=42))
        assert await left(zj) == 0
        clock.advance(timedelta(seconds=1))
        assert await left(zj) == 2


async def test_a_refused_turn_leaves_nothing_and_asks_no_model(open_zhiji: Open) -> None:
    """Neither a session nor a message nor a call of the model is left of it, with a session or without."""
    model = ScriptedModel(OK)
    async with open_zhiji(model=model, **LIMITED) as zj:
        session = (await zj.chat("u1", "第一句")).session_id
        await zj.chat("u1", "第二句", session=session)
        before = await said(zj, session)
        for attempt in (zj.chat("u1", "第三句", session=session), zj.chat("u1", "3"), zj.ingest("u1", ELSEWHERE)):
            assert await outcome(attempt) == "rate_limited"
        assert await said(zj, session) == before
        assert [one.id for one in await zj.sessions.list("u1", archived=True)] == [session]
        assert len(model.calls) == 2


async def test_what_asks_no_model_is_free(open_zhiji: Open) -> None:
    """Recall, remember, sessions, state and the doctor neither count nor are refused; nor does invalid input count."""
    async with open_zhiji(*OK, **LIMITED) as zj:
        session = (await zj.sessions.start("u1")).id
        for _ in range(3):
            await zj.remember("u1", "用户对花生过敏", type="preference")
            await zj.recall("u1", "花生")
            await zj.doctor("u1", session, "花生")
            await zj.state.get("u1", session)
            with pytest.raises(InvalidInput):
                await zj.chat("u1", "　")
            with pytest.raises(InvalidInput):
                await zj.ingest("u1", [])
        assert await left(zj) == 2
        assert await zj.recall("u1", "花生")


async def test_a_turn_that_fails_has_cost_one(open_zhiji: Open) -> None:
    """The model was asked, or an unknown session looked for: that is what limits are for."""
    async with open_zhiji(ModelError(), *OK, user_limits="3/minute") as zj:
        assert await outcome(zj.chat("u1", "你好")) == "model_error"
        with pytest.raises(SessionNotFound):
            await zj.chat("u1", "你好", session="ses_none")
        assert await left(zj) == 1


# --- retries --------------------------------------------------------------------------------------------------------------


async def test_an_answered_retry_is_free(open_zhiji: Open) -> None:
    """Replays cost nothing, and come also to who has had their share, with a session or without; so does a wrong use of the key."""
    async with open_zhiji(*OK, **LIMITED) as zj:
        first = await zj.chat("u1", "你好", idempotency_key="k1")
        for session in (None, first.session_id) * 3:
            assert (await zj.chat("u1", "你好", session=session, idempotency_key="k1")).replayed
        with pytest.raises(IdempotencyMismatch):
            await zj.chat("u1", "再见", idempotency_key="k1")
        assert await left(zj) == 1
        assert (await zj.chat("u1", "你好", idempotency_key="k1")).text == first.text
        assert await outcome(zj.chat("u1", "你好", idempotency_key="k2")) == "rate_limited"


async def test_an_ingested_retry_is_free(open_zhiji: Open) -> None:
    """The same for turns that happened elsewhere."""
    async with open_zhiji(*OK, **LIMITED) as zj:
        first = await zj.ingest("u1", ELSEWHERE, idempotency_key="k1")
        assert await left(zj) == 1
        assert (await zj.ingest("u1", ELSEWHERE, idempotency_key="k1")).id == first.id
        assert await outcome(zj.ingest("u1", ELSEWHERE, idempotency_key="k2")) == "rate_limited"


async def test_a_retry_of_a_failed_turn_costs_again(open_zhiji: Open, clock: FrozenClock) -> None:
    """It asks the model anew; refused, it is failed as it was, its session free, and answered once there is room."""
    async with open_zhiji(ModelError(), ModelError(), "好的", "嗯", **LIMITED) as zj:
        session = (await zj.sessions.start("u1")).id

        def attempt() -> Awaitable[Any]:
            return zj.chat("u1", "你好", session=session, idempotency_key="k1")

        assert [await outcome(attempt()) for _ in range(4)] == [*["model_error"] * 2, *["rate_limited"] * 2]
        assert await said(zj, session) == [("user", "你好")]
        clock.advance(timedelta(minutes=1))
        assert await outcome(attempt()) == "ok"
        assert await outcome(zj.chat("u1", "在吗", session=session)) == "ok"
        assert [text for _, text in await said(zj, session)] == ["你好", "好的", "在吗", "嗯"]


# --- others ---------------------------------------------------------------------------------------------------------------

ODD = (
    *("a", "A", "a/b", "a/b/", "a//b", "/", "a:b", "a b", "a%", "a_", "*", "?", "[a]", "'; DROP TABLE zhiji_uses;--"),
    *(
        "ａ",
        "user",
        "tenant",
        "turns/60s",
        "李四",
        "😀",
        "👩\u200d👩\u200d👧",
        "e\u0301",
        "\u00e9",
        "a\\",
        '"',
        "0",
        "null",
    ),
)


async def test_one_users_limit_is_nobody_elses(open_zhiji: Open) -> None:
    """Names that look like patterns, paths, SQL or each other each have a share of their own, in every tenant."""
    scopes = [Scope(tenant, user) for tenant in ("default", "a", "a/b", "ａ", "😀%") for user in ODD]
    async with open_zhiji(model=ScriptedModel(["好的"] * len(scopes)), user_limits="1/minute") as zj:
        for expected in ("ok", "rate_limited"):
            assert {await outcome(zj.chat(scope, "你好")) for scope in scopes} == {expected}


async def test_no_user_stands_for_the_tenant(open_zhiji: Open) -> None:
    """Who has no name is refused as before, and the tenant's count is untouched."""
    async with open_zhiji(*OK, tenant_limits="2/minute") as zj:
        for user in ("", " ", Scope("default", "")):
            with pytest.raises(InvalidInput):
                await zj.chat(user, "你好")
        assert await left(zj) == 2


async def test_the_tenant_is_everybody(open_zhiji: Open) -> None:
    """Its limit is what all of its users have together; another tenant has its own."""
    async with open_zhiji(*OK, tenant_limits="3/minute") as zj:
        users: Sequence[str | Scope] = ("u1", "u2", "u3", "u4", Scope("other", "u1"))
        assert [await outcome(zj.chat(user, "你好")) for user in users] == ["ok"] * 3 + ["rate_limited", "ok"]
        with pytest.raises(RateLimited) as refused:
            await zj.chat("u1", "你好")
        assert refused.value.details["of"] == "tenant"


async def test_erasure_forgets_the_count(open_zhiji: Open) -> None:
    """Of who is erased nothing is known, so they begin anew; of others and the tenant it is."""
    async with open_zhiji(*OK, user_limits="2/minute", tenant_limits="100/day") as zj:
        assert [await left(zj, user) for user in ("u1", "u2")] == [2, 2]
        assert (await zj.erase("u1")).removed["uses"] > 0
        assert [await left(zj, user) for user in ("u1", "u2")] == [2, 0]


# --- settings and processes -----------------------------------------------------------------------------------------------


async def test_a_wrong_limit_is_told_at_opening(open_zhiji: Open) -> None:
    """Zhiji does not open with a limit that it does not understand."""
    with pytest.raises(ConfigError, match=r"^tenant_limits: .*20/minute"):
        async with open_zhiji(tenant_limits="plenty"):
            pass


async def test_without_limits_nothing_is_asked_of_the_store(open_zhiji: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """No turn of any kind makes a query for limits that nobody set; with one that somebody set each of them does."""
    asked: list[str] = []
    for name in ("count_use", "keyed_session"):
        monkeypatch.setattr(SqliteStore, name, _noted(name, getattr(SqliteStore, name), asked))
    for settings, queries in (({}, set()), ({"user_limits": "9/minute"}, {"count_use", "keyed_session"})):
        async with open_zhiji(*OK, **settings) as zj:
            session = (await zj.chat("u1", "你好")).session_id
            await zj.chat("u1", "再见", session=session, idempotency_key="k1")
            await hosted(zj, "u1", "hello")
            await zj.ingest("u1", ELSEWHERE, idempotency_key="k2")
        assert set(asked) == queries


def _noted(name: str, query: Callable[..., Awaitable[object]], asked: list[str]) -> Callable[..., Awaitable[object]]:
    """Return the query, which also notes that it was made."""

    async def made(*args: object, **kwargs: object) -> object:
        asked.append(name)
        return await query(*args, **kwargs)

    return made


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database of this kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'zhiji.db'}"
    return str(request.getfixturevalue("postgres_url"))


async def test_two_openings_share_the_count(open_zhiji: Open, place: str) -> None:
    """Forty turns at once over two openings of one database: exactly those that user and tenant may have are answered."""

    async def nod(messages: object, tools: object) -> Completion:
        return Completion(text="好的")

    settings = {"database_url": place, "user_limits": "7/day", "tenant_limits": "10/day"}
    async with open_zhiji(model=nod, **settings) as one, open_zhiji(model=nod, **settings) as other:
        for user, allowed in (("李四/😀", 7), ("李四", 3)):
            turns = [zj.chat(user, f"第 {n} 句") for n in range(20) for zj in (one, other)]
            outcomes = await asyncio.gather(*map(outcome, turns))
            assert sorted(outcomes) == ["ok"] * allowed + ["rate_limited"] * (40 - allowed)
            assert len(await one.sessions.list(user)) == allowed
        assert (await one.erase("李四")).removed["uses"] > 0
        assert await outcome(other.chat(Scope("其他", "李四"), "你好")) == "ok"


async def test_kill_forgets_no_count(open_zhiji: Open, child: Child) -> None:
    """What a process counted that was killed by SIGKILL counts for the next one."""
    child.tell("talk", "u1", "5/day", 3)
    assert child.answer() == "3"
    child.kill()
    async with open_zhiji(*OK, user_limits="5/day") as zj:
        assert await left(zj) == 2
