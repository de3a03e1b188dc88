"""Opening and closing: what is refused, in one sentence, and what is left behind."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from talk import Open
from zhiji import Settings, Zhiji
from zhiji.errors import (
    ConfigError,
    SchemaTooNew,
    SessionExpired,
    StoreClosed,
    StoreCorrupt,
    StoreFull,
    StoreReadOnly,
)
from zhiji.testing import FrozenClock, ScriptedModel
from zhiji.types import Status


def settings(path: Path, **values: object) -> Settings:
    return Settings.load(database_url=f"sqlite:///{path}", embedder="off", **values)


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"database_url": "mysql://localhost/x"}, "database_url"),
        ({"database_url": "sqlite:///"}, "database_url"),
        ({"redis_url": "http://localhost"}, "redis_url"),
        ({"model": "gpt-unknown"}, "llm_api_base"),
    ],
)
async def test_what_this_release_cannot_do_is_named(tmp_path: Path, values: dict[str, str], word: str) -> None:
    """The refusal starts with the name of the setting."""
    with pytest.raises(ConfigError, match=f"^{word}"):
        async with Zhiji.open(settings(tmp_path / "z.db").model_copy(update=values)):
            pass


async def test_a_redis_that_is_not_there_costs_one_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A URL where nobody listens: it opens, talks and closes, and says so once, without the password."""
    nowhere = {"redis_url": "redis://:very-secret@127.0.0.1:1/0"}
    async with Zhiji.open(settings(tmp_path / "z.db", **nowhere), model=ScriptedModel(["你好", "再见"])) as zj:
        first = await zj.chat("user_001", "在吗")
        assert (await zj.chat("user_001", "在吗", session=first.session_id)).text == "再见"
    (said,) = [record.getMessage() for record in caplog.records if record.name == "zhiji.stores.redis"]
    assert said.startswith("redis_down: unreachable")
    assert "very-secret" not in caplog.text


async def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    """A text file is refused, byte for byte unchanged."""
    path = tmp_path / "notes.txt"
    path.write_text("这不是数据库 " * 100)
    before = path.read_bytes()
    with pytest.raises(StoreCorrupt):
        async with Zhiji.open(settings(path)):
            pass
    assert path.read_bytes() == before


async def test_a_newer_file_is_refused_and_unchanged(tmp_path: Path) -> None:
    """A database of a later release is not touched."""
    path = tmp_path / "z.db"
    async with Zhiji.open(settings(path)):
        pass
    with sqlite3.connect(path) as connection:
        changed = connection.execute("UPDATE zhiji_meta SET value = '9999' WHERE name = 'schema_version'").rowcount
    connection.close()
    assert changed == 1
    with pytest.raises(SchemaTooNew):
        async with Zhiji.open(settings(path)):
            pass


async def test_a_folder_that_is_not_there_is_named_as_the_problem(tmp_path: Path) -> None:
    """No folder is made behind the user's back; the error says what to check."""
    with pytest.raises(StoreReadOnly):
        async with Zhiji.open(settings(tmp_path / "nowhere" / "z.db")):
            pass
    assert not (tmp_path / "nowhere").exists()


async def test_a_full_disk_refuses_the_turn_and_keeps_the_rest(open_zhiji: Open) -> None:
    """The database cannot grow: a typed error, the former turns are intact, and it goes on once there is room."""
    async with open_zhiji(*["好"] * 9) as zj:
        first = await zj.chat("u1", "第一句")

        async def pragma(words: str) -> int:
            database = zj._parts.store._database  # type: ignore[attr-defined]
            return int(await database.write(lambda connection: connection.execute(f"PRAGMA {words}").fetchone()[0]))

        async def fill() -> None:
            for _ in range(8):
                await zj.chat("u1", "很长的一句话" * 800, session=first.session_id)

        await pragma(f"max_page_count = {await pragma('page_count')}")
        with pytest.raises(StoreFull):
            await fill()
        messages = await zj.sessions.messages("u1", first.session_id)
        assert messages[0].content == "第一句"
        await pragma("max_page_count = 1000000")
        assert (await zj.chat("u1", "还在吗", session=first.session_id)).text == "好"


async def test_closed_is_closed(open_zhiji: Open) -> None:
    """After the block every verb says that the store is closed; nothing reconnects."""
    async with open_zhiji("好") as zj:
        await zj.chat("u1", "你好")
    for verb in (
        zj.chat("u1", "你好"),
        zj.recall("u1", "你好"),
        zj.memories.list("u1"),
        zj.remember("u1", "x", type="event"),
    ):
        with pytest.raises(StoreClosed):
            await verb


async def test_expired_sessions_are_swept_at_open(open_zhiji: Open, clock: FrozenClock, tmp_path: Path) -> None:
    """A session that expired while nobody ran is archived, masked, and read for memories at the next opening."""
    async with open_zhiji("好") as zj:
        session = (await zj.chat("u1", "我叫李四，手机 13812345678")).session_id
    clock.advance(timedelta(hours=1))
    async with open_zhiji() as zj:
        with pytest.raises(SessionExpired):
            await zj.sessions.messages("u1", session)
        archived = await zj.sessions.messages("u1", session, archived=True)
        assert "138****5678" in archived[0].content
        await zj.drain()
        assert [memory.key for memory in await zj.memories.list("u1") if memory.key == "identity:name"]
        clock.advance(timedelta(days=31))
        await zj.sweep()
        assert await zj.sessions.list("u1", archived=True) == []


async def test_the_worker_inside_writes_memories_by_itself(tmp_path: Path) -> None:
    """With the in-process worker nobody has to drain; closing finishes what runs."""
    path = tmp_path / "z.db"
    async with Zhiji.open(settings(path), model=ScriptedModel(["好"])) as zj:
        await zj.chat("u1", "我叫李四")
    async with Zhiji.open(settings(path), model=ScriptedModel([])) as zj:
        await zj.drain()
        assert [memory.value for memory in await zj.memories.list("u1")] == ["李四"]


async def test_no_byte_of_an_erased_user_is_left(open_zhiji: Open, tmp_path: Path) -> None:
    """After ``erase`` no table, index or cache of this user answers; other users are untouched."""
    async with open_zhiji(*["好"] * 4) as zj:
        for user in ("ua", "ub"):
            await zj.chat(user, f"我叫王晴，我住在杭州。编号 {user} 是什么？")
        await zj.drain()
        await zj.recall("ua", "杭州")
        certificate = await zj.erase("ua")
        assert certificate.removed["memories"] >= 2
        assert await zj.recall("ua", "杭州 王晴") == []
        assert await zj.memories.list("ua", statuses=list(Status)) == []
        assert await zj.sessions.list("ua", archived=True) == []
        assert {memory.value for memory in await zj.memories.list("ub")} == {"王晴", "杭州"}
        assert (await zj.erase("ua")).total == 0
    with sqlite3.connect(tmp_path / "zhiji.db") as connection:
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            rows = connection.execute(f"SELECT * FROM {table}").fetchall()
            assert not [row for row in rows if "ua" in map(str, row) or any("编号 ua" in str(cell) for cell in row)], (
                table
            )
    connection.close()


async def test_an_aware_clock_is_needed_only_in_utc(tmp_path: Path) -> None:
    """A host's clock in another zone is read as the same instant."""
    from datetime import timezone

    shanghai = timezone(timedelta(hours=8))
    moment = datetime(2026, 3, 10, 22, 30, tzinfo=shanghai)
    async with Zhiji.open(
        settings(tmp_path / "z.db", worker=False), clock=lambda: moment, model=ScriptedModel(["好"])
    ) as zj:
        session = (await zj.chat("u1", "你好")).session_id
        assert (await zj.sessions.get("u1", session)).created_at == datetime(2026, 3, 10, 14, 30, tzinfo=UTC)


async def test_a_name_in_place_of_a_model_is_refused(tmp_path: Path) -> None:
    """Opening says where a model's name belongs, before anything is said to it."""
    with pytest.raises(ConfigError, match=r"^model: it cannot be called.*llm_model"):
        async with Zhiji.open(settings(tmp_path / "z.db"), model="通义千问"):  # type: ignore[arg-type]
            raise AssertionError
    assert not (tmp_path / "z.db").exists()
