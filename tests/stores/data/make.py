"""Writes a database of this release, so that later releases can prove that they carry it on.

    PYTHONPATH=src python tests/stores/data/make.py sqlite FOLDER      sqlite_vN.sql and sqlite_vN.json
    PYTHONPATH=src python tests/stores/data/make.py postgres FOLDER    postgres_vN.json, from a server of the tests' own

A story that touches every table is played through the library, as of one frozen time; then what every reader returns is
written beside it. N is the version of the tables. Run it when a release adds a migration, before the release, and keep the
files: they never change again. Everybody in the story is invented.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import sqlite3
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from zhiji import Scope, Settings, Zhiji
from zhiji.errors import ModelError
from zhiji.models.base import ChatMessages
from zhiji.stores.base import Filter, Lease, Query, Store
from zhiji.testing import FrozenClock, HashEmbedder
from zhiji.types import Completion, JobStatus, Status, ToolCall, ToolSpec

BEGAN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
NOW = BEGAN + timedelta(hours=3)
"""When the story ends: live sessions live, expired ones are not yet ended, one job runs."""
LEASE = timedelta(seconds=30)
QING, MENG, ALICE, REX = (
    Scope("shop", "qing"),
    Scope("shop", "用户 🌟 二"),
    Scope("acme", "alice"),
    Scope("acme", "qing"),
)
OWNERS = (QING, MENG, ALICE, REX)
HOLDER = "another-machine/7/a"
EMBEDDER = HashEmbedder(16)
QUESTIONS = ("花生过敏", "what does Alice drink", "退货 OD20240415008")


def settings(url: str) -> Settings:
    """Return the settings under which the story is played and read."""
    return Settings(
        database_url=url, embedder="off", worker=False, keep_recent_turns=2, max_history_turns=6, tenant="shop"
    )


async def model(messages: ChatMessages, tools: Sequence[ToolSpec]) -> Completion:
    """Answer; refund what asks for it; fail after the refund if told so."""
    last = messages[-1]
    words = str(next(one["content"] for one in reversed(messages) if one["role"] == "user"))
    if last["role"] == "tool":
        if "失败" in words:
            raise ModelError
        return Completion(text="已经为您退款 ✅")
    if "退款" in words:
        return Completion(tool_calls=(ToolCall(id="call_1", name="refund", arguments='{"order": "OD20240415008"}'),))
    return Completion(text="好的，记下了。" if words.isascii() is False else "Noted, thank you.")


async def play(url: str) -> list[dict[str, str]]:
    """The story has been played; returns the requests that were answered."""
    clock = FrozenClock(BEGAN)
    answered: list[dict[str, str]] = []
    async with Zhiji.open(settings(url), clock=clock, model=model, embedder=EMBEDDER) as zj:

        @zj.tool(effects="write")
        def refund(order: str) -> str:
            """Refund an order."""
            return f"refunded {order} 💴"

        async def say(scope: Scope, words: str, session: str | None = None, key: str | None = None) -> str:
            reply = await zj.chat(scope, words, session=session, idempotency_key=key)
            names = {"tenant": scope.tenant, "user": scope.user, "key": key or "", "words": words}
            answered.append(names | {"session": reply.session_id, "request": reply.request_id, "text": reply.text})
            clock.advance(timedelta(seconds=20))
            return reply.session_id

        # ended, with a summary; what it said is remembered, superseded, quarantined, deleted
        ended = await say(QING, "我叫王晴，对花生过敏，最喜欢喝红茶。")
        for words in (
            "订单 OD20240415008 想退货",
            "我的地址是浙江省杭州市西湖区文三路 18 号",
            "请退款",
            "谢谢 👍",
            "再见",
        ):
            await say(QING, words, ended, key=f"key-{words}")
        await zj.drain()
        await zj.remember(QING, "收货地址是杭州市", type="identity", key="identity:address.default")
        await zj.remember(QING, "收货地址是上海市", type="identity", key="identity:address.default")
        await zj.remember(QING, "可能喜欢咖啡 ☕", type="preference", confidence=0.2)
        gone = [one for one in await zj.memories.list(QING) if "红茶" in one.content]
        for memory in gone:
            await zj.memories.delete(QING, memory.id)
        await zj.sessions.end(QING, ended)
        await zj.drain()
        # ingested: never expires
        said = [
            {"role": "user", "content": "I'm allergic to shrimp", "name": "Rex", "time": "2026-02-28T10:00:00Z"},
            {"role": "assistant", "content": "Noted 🦐"},
        ]
        await zj.ingest(REX, said)
        await zj.drain()
        # expired, not ended yet; its jobs are dead and running
        await say(MENG, "我对虾过敏，请叫我小孟 🌟")
        await say(ALICE, "My name is Alice Example and I love green tea")
        clock.now = NOW
        # live, with a form, a failed turn whose refund may have happened, and pending jobs
        live = await say(QING, "我想换货", key="key-live")
        await zj.state.patch(QING, live, {"order": "OD20240415008", "reason": "尺码 🥿"})
        with contextlib.suppress(ModelError):
            await zj.chat(QING, "退款，会失败", session=live, idempotency_key="key-failed")
    return answered


async def leave(store: Store) -> None:
    """One job is dead and another runs; the others wait."""
    for scope, error in ((MENG, "extraction_failed: 无法读取"), (ALICE, None)):
        lease = Lease(holder=HOLDER, now=NOW, until=NOW + LEASE)
        job = await store.claim_job(lease, scope=scope)
        assert job is not None
        if error is not None:
            await store.fail_job(job, holder=HOLDER, now=NOW, error=error, retry_at=None)
    if hasattr(store, "beat"):  # from version 2 on
        from zhiji.types import WorkerBeat, WorkerRole

        beat = WorkerBeat(
            holder=HOLDER,
            role=WorkerRole.WORKER,
            started_at=BEGAN,
            beat_at=NOW,
            until=NOW + LEASE,
            running=1,
            is_missing=False,
        )
        await store.beat(beat)
    if hasattr(store, "count_use"):  # from version 3 on
        await store.count_use(QING, "turns", now=NOW, until=NOW + timedelta(minutes=1))


async def seen(store: Store, answered: Sequence[dict[str, str]]) -> dict[str, Any]:
    """Return what every reader says of the story."""
    owners = {f"{scope.tenant}/{scope.user}": await _owner(store, scope) for scope in OWNERS}
    recipes = [await store.load_recipe(Scope(one["tenant"], one["user"]), one["request"]) for one in answered]
    found = {"owners": owners, "answered": answered, "recipes": recipes, "holders": await store.holders()}
    told: dict[str, Any] = plain(
        found | {"digest": await store.digest("花生过敏"), "due": await store.count_due(scope=None, now=NOW)}
    )
    return told


async def _owner(store: Store, scope: Scope) -> dict[str, Any]:
    memories = await store.list_memories(scope, statuses=frozenset(Status))
    sessions = await store.list_sessions(scope)
    sources = sorted(
        {source.session for memory in memories for source in memory.sources} | {one.id for one in sessions}
    )
    keys = [await store.digest(memory.key) for memory in memories if memory.key]
    digests = [await store.digest(words) for words in ("用户喜欢喝红茶", "用户爱喝红茶")]
    later: dict[str, Any] = {}
    if hasattr(store, "session_log"):  # from version 2 on
        later["logs"] = [await store.session_log(scope, one.id, last=50) for one in sessions]
        later["version"] = await store.memory_version(scope)
    return later | {
        "sessions": sessions,
        "messages": [await store.load_messages(scope, one.id) for one in sessions],
        "summaries": [await store.load_summary(scope, one.id, one.summary_upto) for one in sessions],
        "memories": memories,
        "profile": await store.profile(scope, now=NOW),
        "found": [await _found(store, scope, question) for question in QUESTIONS],
        "unembedded": [memory.id for memory in await store.unembedded(scope, EMBEDDER.name)],
        "tombstones": await store.tombstones(scope, keys=keys, digests=digests),
        "unsaid": {name: sorted(await store.unsaid(scope, name)) for name in sources},
        "jobs": await store.list_jobs(scope=scope, statuses=frozenset(JobStatus)),
        "extractions": await store.extractions(scope),
    }


async def _found(store: Store, scope: Scope, question: str) -> list[tuple[str, float]]:
    query = Query(vector=EMBEDDER.embed_queries([question])[0], model=EMBEDDER.name, filter=Filter(now=NOW), limit=5)
    return [(hit.memory.id, round(float(hit.cosine or 0), 2)) for hit in await store.search(scope, query)]


def plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict) or hasattr(value, "items"):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value.isoformat() if isinstance(value, datetime) else value


def write(path: Path, value: Any) -> None:
    """The file holds this value."""
    path.write_text(json.dumps(value, ensure_ascii=False, indent=0, sort_keys=True) + "\n", encoding="utf-8")


@contextlib.asynccontextmanager
async def story(url: str) -> AsyncIterator[tuple[Store, dict[str, Any]]]:
    """Give the store in which the story was played, and what is seen of it."""
    answered = await play(url)
    if url.startswith("sqlite"):
        from zhiji.stores.sqlite import SqliteStore

        store: Store = await SqliteStore.open(url.removeprefix("sqlite:///"))
    else:
        from zhiji.stores.postgres import PostgresStore

        store = await PostgresStore.open(url)
    await leave(store)
    yield store, await seen(store, answered)
    await store.close()


async def sqlite(folder: Path) -> None:
    """A file of this release lies in the folder as SQL, and what is seen of it as JSON."""
    from zhiji.stores.sqlite.schema import MIGRATIONS

    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "story.db"
        async with story(f"sqlite:///{path}") as (_, found):
            write(folder / f"sqlite_v{len(MIGRATIONS)}.json", found)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            script = "".join(f"{line}\n" for line in connection.iterdump())
    (folder / f"sqlite_v{len(MIGRATIONS)}.sql").write_text(script, encoding="utf-8")


async def postgres(folder: Path) -> None:
    """The rows of a database of this release lie in the folder, one table a line, and what is seen of them as JSON."""
    import psycopg

    from zhiji.stores.postgres.schema import MIGRATIONS
    from zhiji.testing.servers import postgres as server

    with server() as running:
        url = running.create()
        async with story(url) as (_, found):
            write(folder / f"postgres_v{len(MIGRATIONS)}.json", found)
        with psycopg.connect(url) as connection:
            lines = [json.dumps(_table(connection, name), ensure_ascii=False) + "\n" for name in TABLES]
    (folder / f"postgres_v{len(MIGRATIONS)}.jsonl").write_text("".join(lines), encoding="utf-8")


TABLES = (
    *("meta", "owners", "sessions", "summaries", "turns", "messages", "requests", "journal", "extractions", "jobs"),
    *("memories", "terms", "vectors", "deletions", "unsaid", "workers", "uses"),
)
"""In an order in which their rows can be inserted."""


def _table(connection: Any, name: str) -> dict[str, Any]:
    """Return the stored columns of a table with all values as text."""
    columns = [
        row[0]
        for row in connection.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_name = %s AND is_generated = 'NEVER' "
            "AND table_schema = current_schema() ORDER BY ordinal_position",
            (f"zhiji_{name}",),
        )
    ]
    texts = ", ".join(f'"{column}"::text' for column in columns)
    rows = connection.execute(
        f"SELECT {texts} FROM zhiji_{name} ORDER BY {', '.join(map(str, range(1, len(columns) + 1)))}"
    )
    return {"table": name, "columns": columns, "rows": [list(row) for row in rows]}


if __name__ == "__main__":
    asyncio.run({"sqlite": sqlite, "postgres": postgres}[sys.argv[1]](Path(sys.argv[2])))
