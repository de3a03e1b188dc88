"""The same conversation on every engine: two URLs are the whole difference, also for a fleet of two."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from zhiji import Settings, Zhiji
from zhiji.errors import SessionNotFound
from zhiji.testing import FrozenClock, HashEmbedder, ScriptedModel
from zhiji.testing.servers import Valkey

ENGINES = ("sqlite", "sqlite+redis", "postgres", "postgres+redis", "postgres+cluster")


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Return settings that differ in URLs alone."""
    database, _, live = str(request.param).partition("+")
    url = f"sqlite:///{tmp_path / 'zhiji.db'}" if database == "sqlite" else request.getfixturevalue("postgres_url")
    redis: str | None = None
    if live:
        server: Valkey = (
            request.getfixturevalue("valkey_server") if live == "redis" else request.getfixturevalue("valkey_nodes")[0]
        )
        redis = server.url
    return Settings(database_url=url, redis_url=redis, redis_timeout_seconds=10, worker=False, embedder="off")


async def test_a_conversation_is_the_same_on_every_engine(engine: Settings) -> None:
    """Two processes' worth of zhiji take turns in a session, remember, answer a retry again, and forget when told to."""
    model, clock = ScriptedModel(["好的，李四", "Sure 🙂", "在", "又见面了"]), FrozenClock()
    async with AsyncExitStack() as stack:
        one, other = [
            await stack.enter_async_context(Zhiji.open(engine, clock=clock, model=model, embedder=HashEmbedder()))
            for _ in range(2)
        ]
        first = await one.chat("alice", "我叫李四，我对花生过敏", idempotency_key="k1")
        await other.chat("alice", "please be brief ｆｕｌｌ　ｗｉｄｔｈ", session=first.session_id)
        third = await one.chat("alice", "在吗", session=first.session_id)
        again = await other.chat("alice", "我叫李四，我对花生过敏", idempotency_key="k1")
        assert (again.text, again.replayed, again.turn_id) == ("好的，李四", True, first.turn_id)
        sent = [message["content"] for message in model.calls[2].messages]
        assert [words for words in sent if words in ("好的，李四", "Sure 🙂")] == ["好的，李四", "Sure 🙂"]
        told = await other.sessions.messages("alice", third.session_id)
        assert [(message.seq, message.content) for message in told][1::2] == [
            (2, "好的，李四"),
            (4, "Sure 🙂"),
            (6, "在"),
        ]
        hits = sum(zj.telemetry.value("zhiji_live_sessions_total", outcome="hit") for zj in (one, other))
        assert (hits >= 2) is (engine.redis_url is not None)
        await one.drain()
        with pytest.raises(SessionNotFound):
            await other.sessions.get("bob", first.session_id)
        assert await other.recall("bob", "花生过敏") == []
        assert (await other.recall("alice", "花生过敏"))[0].memory.content
        await one.sessions.end("alice", first.session_id)
        later = await other.chat("alice", "我回来了", session=first.session_id)
        assert later.created
        await one.erase("alice")
        assert await other.sessions.list("alice") == []
        assert await other.memories.list("alice") == []
