"""A database with Redis answers as the database alone: whatever becomes of Redis, and the more so while it works."""

from __future__ import annotations

import asyncio
import logging
import ssl
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest
import redis

from processes import Child
from stores.faults import FAULTS, PATIENT, soon
from zhiji.errors import ConfigError, SessionBusy, SessionExpired, SessionNotFound
from zhiji.stores.base import Store, TurnEnd
from zhiji.stores.memory import MemoryStore
from zhiji.stores.redis import BELIEVED, LONGEST_TURN, LiveSessions, connection
from zhiji.stores.redis.connection import LONGEST_PAUSE_SECONDS, pause_seconds
from zhiji.stores.sqlite import SqliteStore
from zhiji.telemetry import Telemetry
from zhiji.testing.conformance import StoreContract
from zhiji.testing.servers import Valkey, valkey
from zhiji.testing.values import (
    ALICE,
    BOB,
    TTL,
    answered,
    at,
    contents,
    end,
    ingested_session,
    open_session,
    run_turn,
    said,
    turn,
)
from zhiji.types import Message, Scope, Session, ToolCall

T = TypeVar("T")
CHILD = Path(__file__).with_name("redis_child.py")
NOWHERE = "redis://127.0.0.1:1/0"


class Door:
    """One process's way to the sessions: the store that it uses, and what that tells."""

    def __init__(self, store: LiveSessions, telemetry: Telemetry) -> None:
        """See ``door``."""
        self.store = store
        self.telemetry = telemetry

    def told(self, outcome: str) -> float:
        """Return how many turns were begun so."""
        return self.telemetry.value("zhiji_live_sessions_total", outcome=outcome)


@asynccontextmanager
async def door(
    database: Store, url: str, *, timeout_seconds: float = PATIENT, is_connected: bool = True
) -> AsyncIterator[Door]:
    """Give a door that uses Redis from the beginning, unless ``is_connected`` is false."""
    telemetry = Telemetry()
    store = await LiveSessions.open(database, url, timeout_seconds=timeout_seconds, telemetry=telemetry, pause=soon)
    try:
        if is_connected:
            await store.connected()
        yield Door(store, telemetry)
    finally:
        await store.close()


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """Yield a database in a file of its own."""
    store = await SqliteStore.open(tmp_path / "zhiji.db")
    yield store
    await store.close()


@pytest.fixture
async def other_database(database: SqliteStore, tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """Yield the same database, as another process has it open."""
    store = await SqliteStore.open(tmp_path / "zhiji.db")
    yield store
    await store.close()


@pytest.fixture
async def live(database: SqliteStore, valkey_server: Valkey) -> AsyncIterator[Door]:
    """Yield a door to the database and a server that works."""
    async with door(database, valkey_server.url) as opened:
        yield opened


@pytest.fixture
async def other(other_database: SqliteStore, valkey_server: Valkey) -> AsyncIterator[Door]:
    """Yield the door of another process."""
    async with door(other_database, valkey_server.url) as opened:
        yield opened


@pytest.fixture
def fragile() -> Iterator[Valkey]:
    """Yield a server of the test's own, to be broken."""
    with valkey() as server:
        yield server


# --- the contract -----------------------------------------------------------------------------------------------------


class TestWithOneServer(StoreContract):
    """The contract holds with a server."""

    @pytest.fixture
    def store(self, live: Door) -> Store:
        """Return SQLite with Redis."""
        return live.store


class TestWithACluster(StoreContract):
    """The contract holds with a real Cluster of three nodes (C016)."""

    @pytest.fixture
    async def store(self, database: SqliteStore, valkey_nodes: list[Valkey]) -> AsyncIterator[Store]:
        """Yield SQLite with the Cluster."""
        async with door(database, valkey_nodes[0].url) as opened:
            yield opened.store
        assert not opened.telemetry.value("zhiji_redis_failures_total")


class TestWithNobodyThere(StoreContract):
    """The contract holds where no Redis is."""

    @pytest.fixture
    async def store(self, database: SqliteStore) -> AsyncIterator[Store]:
        """Yield SQLite with a URL where nobody listens."""
        async with door(database, NOWHERE, is_connected=False) as opened:
            yield opened.store


# --- the working set --------------------------------------------------------------------------------------------------


async def test_the_history_comes_from_redis_and_is_the_databases(live: Door, database: SqliteStore) -> None:
    """The second and third turn find the first ones in Redis, exactly as the database has them: calls, names, emoji."""
    await open_session(live.store)
    call = ToolCall(id="call_1", name="查询", arguments='{"订单": "OD１"}')
    spoken = [
        replace(answered("", 1), tool_calls=(call,), tokens=3),
        Message(role="tool", content="已发货 📦", time=at(1.25), name="查询", tool_call_id="call_1", tokens=9),
        Message(role="tool", content="?", time=at(1.5), name="x", tool_call_id="no", orphan=True),
        answered('它在路上 "\\u0000" <b>', 2),
    ]
    opened = await live.store.begin_turn(ALICE, "ses_1", turn(1, "我的订单呢？👩‍👩‍👧", 1), history_turns=20)
    await live.store.finish_turn(ALICE, end(opened, 2, messages=spoken))
    for number in (2, 3):
        opened = await live.store.begin_turn(ALICE, "ses_1", turn(number, "然后？", number), history_turns=20)
        assert opened.history == await database.load_history(ALICE, "ses_1", after_seq=0, turns=20)
        assert len(opened.history) == 5 + 2 * (number - 2)
        await live.store.finish_turn(ALICE, end(opened, number))
    assert (live.told("miss"), live.told("hit")) == (1, 2)


async def test_a_turn_costs_two_round_trips(live: Door, valkey_server: Valkey) -> None:
    """One when it begins, with two commands, and one when it ends, with one."""
    await open_session(live.store)
    await run_turn(live.store, 1)
    with valkey_server.admin() as admin:
        admin.config_resetstat()
        await run_turn(live.store, 2, 1)
        calls = {name: told["calls"] for name, told in admin.info("commandstats").items()}
    assert {name: calls[name] for name in calls if not name.startswith("cmdstat_config")} == {
        "cmdstat_set": 2,
        "cmdstat_get": 1,
    }


@pytest.mark.parametrize("bound", [1, 2, 5])
async def test_no_more_turns_are_kept_than_are_asked_for(live: Door, database: SqliteStore, bound: int) -> None:
    """The history is the last turns, however many there are, and whatever number the one before has asked for."""
    await open_session(live.store)
    for number in range(1, 8):
        asked = bound if number % 3 else bound + 1
        opened = await live.store.begin_turn(ALICE, "ses_1", turn(number, f"问{number}"), history_turns=asked)
        stored = await database.load_history(ALICE, "ses_1", after_seq=0, turns=asked)
        assert list(opened.history) == stored
        await live.store.finish_turn(ALICE, end(opened))
    assert live.told("hit") >= 3


async def test_what_happened_elsewhere_makes_redis_old(live: Door, database: SqliteStore) -> None:
    """Turns appended, failed, or held by a process without Redis: the history is read from the database, not from Redis."""
    await open_session(live.store)
    await run_turn(live.store, 1)

    async def next_history(number: int) -> list[str]:
        opened = await live.store.begin_turn(ALICE, "ses_1", turn(number, "还在吗", number), history_turns=20)
        stored = await database.load_history(ALICE, "ses_1", after_seq=opened.session.summary_upto, turns=20)
        assert list(opened.history) == stored
        await live.store.finish_turn(ALICE, end(opened, number))
        return contents(opened.history)

    await live.store.append_turns(ALICE, "ses_1", [said("邮件"), answered("回信")], jobs=[], now=at())
    assert await next_history(2) == ["问1", "答1", "邮件", "回信"]
    await run_turn(database, 3, 3)
    assert (await next_history(4))[-2:] == ["问3", "答3"]
    await database.begin_turn(ALICE, "ses_1", turn(5, "坏了", 5), history_turns=20)
    await database.fail_turn(ALICE, "ses_1", "trn_5", holder="host/1/a", code="test")
    assert "坏了" not in await next_history(6)
    assert (live.told("stale"), live.told("hit")) == (3, 0)


async def test_a_summary_leaves_only_what_follows_it(live: Door, database: SqliteStore) -> None:
    """Between two turns or within one: the history begins after the summary; when that is taken back, all of it is there."""
    await open_session(live.store)
    for number in (1, 2, 3):
        await run_turn(live.store, number)

    async def turn_with(number: int, during: tuple[int, int] | None = None) -> list[int]:
        opened = await live.store.begin_turn(ALICE, "ses_1", turn(number), history_turns=20)
        if during is not None:
            await live.store.write_summary(ALICE, "ses_1", "摘要", upto_seq=during[1], expected_upto=during[0])
        await live.store.finish_turn(ALICE, end(opened))
        return [message.seq for message in opened.history]

    assert await live.store.write_summary(ALICE, "ses_1", "摘要", upto_seq=2, expected_upto=0)
    assert await turn_with(4, during=(2, 4)) == [3, 4, 5, 6]
    assert await turn_with(5) == [5, 6, 7, 8]
    assert await database.write_summary(ALICE, "ses_1", "", upto_seq=0, expected_upto=4)
    assert await turn_with(6) == list(range(1, 11))
    assert await turn_with(7, during=(0, 10)) == list(range(1, 13))
    assert await turn_with(8) == [11, 12, 13, 14]
    assert (live.told("hit"), live.told("stale")) == (6, 1)


async def test_a_very_long_history_stays_in_the_database(live: Door, valkey_server: Valkey) -> None:
    """A working set above the limit is not written; the session is as free as after any turn."""
    await open_session(live.store)
    opened = await live.store.begin_turn(ALICE, "ses_1", turn(1, "长" * 100_000), history_turns=20)
    await live.store.finish_turn(ALICE, end(opened))
    with valkey_server.admin() as admin:
        assert not keys_of(live, ALICE, admin)
    opened = await live.store.begin_turn(ALICE, "ses_1", turn(2), history_turns=20)
    assert [len(message.content) for message in opened.history] == [100_000, 2]


async def test_what_is_no_working_set_is_not_used(live: Door, valkey_server: Valkey) -> None:
    """Another version, another session's set, half a document or any bytes: the database is asked."""
    await open_session(live.store)
    await run_turn(live.store, 1)
    with valkey_server.admin() as admin:
        (key,) = keys_of(live, ALICE, admin)
        whole = str(admin.get(key))
        for number, value in enumerate(
            (whole.replace('"v":1', '"v":9'), whole.replace("ses_1", "ses_2"), whole[:40], "[]", "\x00", "{}", "1"), 2
        ):
            admin.set(key, value, px=60_000)
            opened = await live.store.begin_turn(ALICE, "ses_1", turn(number, "?"), history_turns=20)
            assert contents(opened.history) == ["问1", "答1"] + ["?", "好的"] * (number - 2)
            await live.store.finish_turn(ALICE, end(opened))
    assert live.told("hit") == 0


# --- the lease --------------------------------------------------------------------------------------------------------


async def test_a_turn_that_waits_asks_redis_and_now_and_then_the_database(live: Door, other: Door) -> None:
    """While a session is busy, one turn that polls it asks the database once in 100 ms; when it is free, at once."""
    await open_session(live.store)
    opened = await live.store.begin_turn(ALICE, "ses_1", turn(1), history_turns=20)
    for tenth in range(25):  # a poll every 10 ms
        with pytest.raises(SessionBusy):
            await other.store.begin_turn(ALICE, "ses_1", turn(2, seconds=tenth / 100), history_turns=20)
    assert timedelta(milliseconds=100) == BELIEVED
    assert (other.told("refused"), other.told("miss")) == (22, 3)
    await live.store.finish_turn(ALICE, end(opened))
    begun = await other.store.begin_turn(ALICE, "ses_1", turn(2, seconds=0.25), history_turns=20)
    assert contents(begun.history) == ["你好", "好的"]


async def test_the_database_alone_says_who_is_busy(live: Door, database: SqliteStore) -> None:
    """A lease that Redis still knows and the database does not, or the other way round, is what the database says."""
    await open_session(live.store)
    await live.store.begin_turn(ALICE, "ses_1", turn(1), history_turns=20)
    with pytest.raises(SessionBusy):
        await live.store.begin_turn(ALICE, "ses_1", turn(2, seconds=1), history_turns=20)
    await database.recover(["host/1/a"])
    opened = await live.store.begin_turn(ALICE, "ses_1", turn(2, seconds=1.1), history_turns=20)
    assert opened.number == 2
    await database.finish_turn(ALICE, end(opened, 2))
    assert (await run_turn(live.store, 3, 3)).turns == 3


async def test_a_retry_is_answered_while_its_session_is_busy(live: Door) -> None:
    """Redis refuses nobody whom the database would answer."""
    await open_session(live.store)
    opened = await live.store.begin_turn(ALICE, "ses_1", turn(1, key="k"), history_turns=20)
    await live.store.finish_turn(ALICE, end(opened))
    await live.store.begin_turn(ALICE, "ses_1", turn(2), history_turns=20)
    with pytest.raises(SessionBusy):
        await live.store.begin_turn(ALICE, "ses_1", turn(3), history_turns=20)
    replayed = await live.store.begin_turn(ALICE, "ses_1", turn(4, key="k"), history_turns=20)
    assert replayed.replay is not None


async def test_a_killed_process_holds_nobody_up(live: Door, valkey_server: Valkey, tmp_path: Path) -> None:
    """Kill -9 in the middle of a turn: busy until the database has given its lease back, free at once from then on."""
    await open_session(live.store)
    await run_turn(live.store, 1)
    child = Child(CHILD, tmp_path / "zhiji.db")
    try:
        assert child.answer() == "ready"
        child.tell("begin", valkey_server.url, "dead/1/a")
        assert child.answer() == "begun"
        child.kill()
    finally:
        child.end()
    with pytest.raises(SessionBusy):
        await live.store.begin_turn(ALICE, "ses_1", turn(2, seconds=1), history_turns=20)
    assert await live.store.recover(["dead/1/a"]) == 1
    opened = await live.store.begin_turn(ALICE, "ses_1", turn(2, seconds=1.2), history_turns=20)
    assert contents(opened.history) == ["问1", "答1"]


# --- what is over -----------------------------------------------------------------------------------------------------


def keys_of(opened: Door, scope: Scope, admin: redis.Redis) -> list[str]:
    """Return every key of an owner."""
    owner = opened.store._keys.erasing(scope).rpartition(":")[0]
    return [key for key in admin.scan_iter() if key.startswith(owner)]


async def test_every_key_goes_with_its_session(live: Door, valkey_server: Valkey) -> None:
    """A key expires with the session, or after a while where that never does; never one without a time (C014)."""
    await open_session(live.store)
    await run_turn(live.store, 1)
    await ingested_session(live.store, BOB, "ses_2")
    opened = await live.store.begin_turn(BOB, "ses_2", turn(1), history_turns=20)
    with valkey_server.admin() as admin:
        ((chat,), (busy,)) = keys_of(live, ALICE, admin), keys_of(live, BOB, admin)
        assert TTL.total_seconds() - 60 < admin.ttl(chat) <= TTL.total_seconds()
        assert 0 < admin.ttl(busy) <= LONGEST_TURN.total_seconds()
        await live.store.finish_turn(BOB, replace(end(opened), expires_at=None))
        assert 0 < admin.ttl(busy) <= 3600
        assert all(admin.ttl(key) > 0 for key in (chat, busy))


@pytest.mark.parametrize("way", ["end", "erase", "fail"])
async def test_what_is_over_leaves_no_key(live: Door, valkey_server: Valkey, way: str) -> None:
    """An ended, erased or failed turn's session has no key; nor has one that a turn asked for in vain."""
    await open_session(live.store)
    await run_turn(live.store, 1)
    await live.store.begin_turn(ALICE, "ses_1", turn(2), history_turns=20)
    if way == "end":
        await live.store.end_session(ALICE, "ses_1", masked=[], jobs=[], now=at(1))
    elif way == "erase":
        await live.store.erase(ALICE)
    else:
        await live.store.fail_turn(ALICE, "ses_1", "trn_2", holder="host/1/a", code="test")
    with valkey_server.admin() as admin:
        assert not keys_of(live, ALICE, admin)
        for id, error in (("ses_1", SessionExpired if way == "end" else SessionNotFound), ("ses_9", SessionNotFound)):
            if way != "fail":
                with pytest.raises(error):
                    await live.store.begin_turn(ALICE, id, turn(3), history_turns=20)
        assert not keys_of(live, ALICE, admin)


class Slow(SqliteStore):
    """A database whose process stands still right after a commit, before it can do anything else."""

    committed: asyncio.Event
    go_on: asyncio.Event

    async def finish_turn(self, scope: Scope, end: TurnEnd) -> Session:
        """The turn is committed; returns when it may go on."""
        session = await super().finish_turn(scope, end)
        self.committed.set()
        await self.go_on.wait()
        return session


@pytest.mark.parametrize("way", ["end", "erase"])
@pytest.mark.parametrize("comes_back", [False, True])
async def test_a_turn_committed_just_before_the_end_writes_nothing_after_it(
    other: Door, valkey_server: Valkey, tmp_path: Path, way: str, comes_back: bool
) -> None:
    """Its process stands still between its commit and Redis while another one ends the session or erases the user, and
    perhaps somebody asks for the session again: no word of it is in Redis afterwards."""
    slow = await Slow.open(tmp_path / "zhiji.db")
    slow.committed, slow.go_on = asyncio.Event(), asyncio.Event()
    async with door(slow, valkey_server.url) as late:
        await open_session(late.store)
        opened = await late.store.begin_turn(ALICE, "ses_1", turn(1, "我叫王晴"), history_turns=20)
        closing = asyncio.create_task(late.store.finish_turn(ALICE, end(opened)))
        await slow.committed.wait()
        if way == "end":
            await other.store.end_session(ALICE, "ses_1", masked=[], jobs=[], now=at(1))
        else:
            await other.store.erase(ALICE)
        if comes_back:
            with pytest.raises((SessionExpired, SessionNotFound)):
                await other.store.begin_turn(ALICE, "ses_1", turn(2, seconds=1), history_turns=20)
        slow.go_on.set()
        await closing
        with valkey_server.admin() as admin:
            assert not keys_of(other, ALICE, admin)


async def test_a_session_made_during_an_erasure_is_not_kept(
    live: Door, other: Door, other_database: SqliteStore, valkey_server: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the listing of an owner's sessions and their erasure a new one is made and a turn held in it: no key is left."""
    await open_session(live.store)
    await run_turn(live.store, 1)
    erase = other_database.erase

    async def and_meanwhile(scope: Scope) -> Any:
        await open_session(live.store, id="ses_2")
        await run_turn(live.store, 2, id="ses_2")
        return await erase(scope)

    monkeypatch.setattr(other_database, "erase", and_meanwhile)
    assert (await other.store.erase(ALICE))["sessions"] == 2
    with valkey_server.admin() as admin:
        assert not keys_of(live, ALICE, admin)


async def test_what_could_not_be_deleted_is_deleted_first_when_redis_is_back(
    database: SqliteStore, fragile: Valkey
) -> None:
    """A user is erased while Redis stands still: their words are gone from it before it is used again."""
    async with door(database, fragile.url, timeout_seconds=0.2) as opened:
        await open_session(opened.store)
        await run_turn(opened.store, 1)
        fragile.pause()
        await opened.store.erase(ALICE)
        fragile.resume()
        await opened.store.connected()
        with fragile.admin() as admin:
            assert not keys_of(opened, ALICE, admin)


async def test_keys_name_nobody_and_stay_apart(live: Door, valkey_server: Valkey) -> None:
    """Users whose names run together, with braces, or in any script have keys of their own without a word of the name."""
    scopes = [Scope("a", "bc"), Scope("ab", "c"), Scope("a", "{bc}"), Scope("", "abc"), Scope("店", "王晴👩"), BOB]
    for scope in scopes:
        await open_session(live.store, scope, "s{x}1")
        await run_turn(live.store, 1, scope=scope, id="s{x}1")
    with valkey_server.admin() as admin:
        found = [keys_of(live, scope, admin) for scope in scopes]
    assert [len(keys) for keys in found] == [1] * len(scopes)
    assert len({key.partition("}")[0] for (key,) in found}) == len(scopes)
    assert all(key.startswith("zhiji:{") and len(key.partition("}")[0]) == 39 for (key,) in found)
    assert not any(scope.user in key for scope, (key,) in zip(scopes, found, strict=True) if scope.user != "c")


async def test_two_databases_share_one_redis(live: Door, valkey_server: Valkey, tmp_path: Path) -> None:
    """The same user and session id in another database are another session."""
    async with door(await SqliteStore.open(tmp_path / "other.db"), valkey_server.url) as elsewhere:
        for opened in (live, elsewhere):
            await open_session(opened.store)
        await run_turn(live.store, 1)
        opened_turn = await elsewhere.store.begin_turn(ALICE, "ses_1", turn(1), history_turns=20)
        assert not opened_turn.history
        assert elsewhere.told("miss") == 1


# --- Redis fails ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_costs_nothing_but_the_saving(
    database: SqliteStore, fragile: Valkey, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Before, during and after the fault turns are held and every history is right; it is told once, and recovers by itself."""
    caplog.set_level(logging.INFO, "zhiji.stores.redis")
    harm, mend = FAULTS[fault]
    async with door(database, fragile.url, timeout_seconds=2 if fault == "timeout" else PATIENT) as opened:
        store, telemetry = opened.store, opened.telemetry
        await open_session(store)
        await run_turn(store, 1)
        begun = await store.begin_turn(ALICE, "ses_1", turn(2, "问2"), history_turns=20)
        harm(fragile)
        await store.finish_turn(ALICE, end(begun, messages=[answered("答2")]))
        assert telemetry.value("zhiji_redis_up") == 0
        assert telemetry.value("zhiji_redis_failures_total", reason=fault) >= 1
        await run_turn(store, 3)
        begun = await store.begin_turn(ALICE, "ses_1", turn(4, "问4"), history_turns=20)
        assert contents(begun.history) == ["问1", "答1", "问2", "答2", "问3", "答3"]
        assert opened.told("degraded") == 2
        mend(fragile)
        await store.connected()
        assert telemetry.value("zhiji_redis_up") == 1
        await store.finish_turn(ALICE, end(begun, messages=[answered("答4")]))
        for number in (5, 6):
            begun = await store.begin_turn(ALICE, "ses_1", turn(number, f"问{number}"), history_turns=20)
            assert contents(begun.history)[-2:] == [f"问{number - 1}", f"答{number - 1}"]
            await store.finish_turn(ALICE, end(begun, messages=[answered(f"答{number}")]))
        assert opened.told("hit") >= 2
    said_once = [record.message.partition(":")[0] for record in caplog.records]
    assert said_once == ["redis_up", "redis_down", "redis_up"]
    assert f"redis_down: {fault}" in caplog.text


async def test_a_flushed_redis_is_a_miss(live: Door, valkey_server: Valkey) -> None:
    """Everything is lost between and within turns: the database is asked, nothing else happens."""
    await open_session(live.store)
    await run_turn(live.store, 1)
    valkey_server.flush()
    opened = await live.store.begin_turn(ALICE, "ses_1", turn(2), history_turns=20)
    assert contents(opened.history) == ["问1", "答1"]
    valkey_server.flush()
    with pytest.raises(SessionBusy):
        await live.store.begin_turn(ALICE, "ses_1", turn(3), history_turns=20)
    await live.store.finish_turn(ALICE, end(opened))
    assert (await run_turn(live.store, 3)).turns == 3
    assert not live.telemetry.value("zhiji_redis_failures_total")


async def test_a_late_answer_is_nobody_elses(database: SqliteStore, fragile: Valkey) -> None:
    """Turns of two users given up in the middle of a call: each reads only its own history afterwards (no mixed replies)."""
    async with door(database, fragile.url, timeout_seconds=0.3) as opened:
        for scope in (ALICE, BOB):
            await open_session(opened.store, scope)
            await run_turn(opened.store, 1, scope=scope)
        begun = {}
        fragile.pause()
        waiting = {
            scope: asyncio.create_task(opened.store.begin_turn(scope, "ses_1", turn(2, scope.user), history_turns=20))
            for scope in (ALICE, BOB)
        }
        await asyncio.sleep(0)  # both have called
        waiting[BOB].cancel()
        begun[ALICE] = await waiting[ALICE]
        fragile.resume()
        await opened.store.connected()
        await opened.store.finish_turn(ALICE, end(begun[ALICE], messages=[answered("alice 的")]))
        for scope, last in ((ALICE, "alice 的"), (BOB, "答1"), (ALICE, "好的"), (BOB, "好的")):
            next_turn = await opened.store.begin_turn(scope, "ses_1", turn(f"{scope.user}{last}"), history_turns=20)
            stored = await database.load_history(scope, "ses_1", after_seq=0, turns=20)
            assert list(next_turn.history) == stored
            assert contents(stored)[-1] == last
            await opened.store.finish_turn(scope, end(next_turn))


async def test_one_call_that_fails_does_not_break_those_beside_it(live: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client is closed after the calls that are under way on it; under them the library fails by errors of its own."""
    used, going, order = live.store._redis, asyncio.Event(), list[str]()
    close = connection._closed

    async def call(client: connection.Client) -> None:
        await going.wait()
        await client.get("zhiji:probe")
        order.append("answered")

    async def closed(client: connection.Client) -> None:
        order.append("closed")
        await close(client)

    monkeypatch.setattr(connection, "_closed", closed)
    under_way = asyncio.create_task(used._ask(call))
    await asyncio.sleep(0)
    assert used._client is not None
    used._lost(used._client, TimeoutError())
    for _ in range(50):
        await asyncio.sleep(0)
    going.set()
    await under_way
    await live.store.connected()
    assert order[:2] == ["answered", "closed"]


async def test_a_node_of_a_cluster_that_is_gone_holds_nobody_up(
    database: SqliteStore, valkey_nodes: list[Valkey]
) -> None:
    """Where a node that the URL names is gone, another that it names is used, or one that is known since."""
    urls = [NOWHERE, valkey_nodes[1].url]
    hosts = ",".join(url.removeprefix("redis://").removesuffix("/0") for url in urls)
    async with door(database, f"redis://{hosts}/0") as opened:
        known = opened.store._redis
        known._hosts = [NOWHERE, *known._hosts[2:]]
        assert known._client is not None
        known._lost(known._client, ConnectionResetError())
        await opened.store.connected()
        await open_session(opened.store)
        await run_turn(opened.store, 1)
        await run_turn(opened.store, 2)
        assert opened.told("hit") == 1


async def test_a_process_that_is_slow_itself_blames_nobody(live: Door, database: SqliteStore) -> None:
    """An answer that is there when a blocked event loop goes on is taken, though its time is over."""
    loop = asyncio.get_running_loop()
    live.store._redis._seconds = 0.05

    async def answered_while_blocked(client: object) -> str:
        loop.call_soon(block)
        for _ in range(9):
            await asyncio.sleep(0)
        return "there"

    def block() -> None:
        until = loop.time() + 0.2
        while loop.time() < until:
            pass

    assert await live.store._redis._ask(answered_while_blocked) == "there"
    assert live.telemetry.value("zhiji_redis_up") == 1


def test_pauses_grow_to_half_a_minute() -> None:
    """The first is at most half a second, then longer and longer; a fleet does not come back in one instant."""
    longest = [max(pause_seconds(number) for _ in range(50)) for number in range(1, 12)]
    assert longest[0] <= 0.5
    assert longest[-1] <= LONGEST_PAUSE_SECONDS
    assert pause_seconds(10_000) <= LONGEST_PAUSE_SECONDS
    assert min(pause_seconds(9) for _ in range(50)) >= LONGEST_PAUSE_SECONDS / 2
    assert len({pause_seconds(3) for _ in range(9)}) > 1


# --- who may, and how it is reached ----------------------------------------------------------------------------------

ACL = "~zhiji:* +set +get +unlink"
ACL_CLUSTER = f"{ACL} +cluster|slots +command"


@pytest.mark.parametrize("rules", [ACL, ACL_CLUSTER])
async def test_an_acl_user_with_our_prefix_alone_is_enough(
    database: SqliteStore, valkey_server: Valkey, valkey_nodes: list[Valkey], rules: str
) -> None:
    """Exactly the documented rules, a password with odd characters: everything works, nothing fails (C017)."""
    servers = valkey_nodes if rules == ACL_CLUSTER else [valkey_server]
    for server in servers:
        with server.admin() as admin:
            login = ("zhiji", "reset", "on", ">p@ss:/w%rd")
            admin.execute_command("ACL", "SETUSER", *login, *rules.split())  # type: ignore[no-untyped-call]
    url = servers[0].url.replace("redis://", "redis://zhiji:p%40ss%3A%2Fw%25rd@")
    async with door(database, url) as opened:
        for scope in (ALICE, BOB, Scope("店", "王晴")):
            await open_session(opened.store, scope)
            await run_turn(opened.store, 1, scope=scope)
            await run_turn(opened.store, 2, 1, scope=scope)
            await opened.store.end_session(scope, "ses_1", masked=[], jobs=[], now=at(2))
            await opened.store.erase(scope)
        assert opened.told("hit") == 3
        assert opened.telemetry.value("zhiji_redis_failures_total") == 0
    page = (Path(__file__).parents[2] / "docs/howto/redis.md").read_text(encoding="utf-8")
    assert f"{rules}\n" in page


@asynccontextmanager
async def encrypted(port: int, folder: Path) -> AsyncIterator[tuple[int, Path]]:
    """Give the port of a TLS door to the server at ``port``, and the certificate to trust."""
    certificate, key = folder / "cert.pem", folder / "key.pem"
    request = "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=zhiji -addext subjectAltName=IP:127.0.0.1"
    subprocess.run([*request.split(), "-out", certificate, "-keyout", key], check=True, capture_output=True)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while part := await reader.read(65_536):
            writer.write(part)
        writer.close()

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        to_server = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(copy(reader, to_server[1]), copy(to_server[0], writer))

    async with await asyncio.start_server(carry, "127.0.0.1", 0, ssl=context) as server:
        yield server.sockets[0].getsockname()[1], certificate


async def test_the_way_may_be_encrypted(database: SqliteStore, valkey_server: Valkey, tmp_path: Path) -> None:
    """`rediss://` speaks TLS with a server whose certificate is trusted, and with no other."""
    async with encrypted(valkey_server.port, tmp_path) as (port, certificate):
        url = f"rediss://127.0.0.1:{port}/0"
        async with door(database, f"{url}?ssl_ca_certs={certificate}") as opened:
            await open_session(opened.store)
            await run_turn(opened.store, 1)
            await run_turn(opened.store, 2)
            assert opened.told("hit") == 1
            strict = await LiveSessions.open(MemoryStore(), url, timeout_seconds=PATIENT, telemetry=opened.telemetry)
            assert opened.telemetry.value("zhiji_redis_failures_total", reason="unreachable") == 1
            await strict.close()


def test_all_that_a_store_does_is_handed_on() -> None:
    """No method of the contract is the contract's own: also those that a store need not have."""
    names = [name for name, value in vars(Store).items() if callable(value) and not name.startswith("_")]
    assert "listen" in names
    assert not [name for name in names if getattr(LiveSessions, name) is getattr(Store, name)]


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost",
        "redis",
        "",
        "redis://localhost:port/0",
        "redis://localhost:99999",
        "redis://localhost?size=9",
        "unix:///tmp/x",
        "redis://a:b@[::1",
    ],
)
async def test_a_url_that_cannot_be_read_is_refused(database: SqliteStore, url: str) -> None:
    """The refusal names the setting and shows nothing of the URL."""
    with pytest.raises(ConfigError, match=r"^redis_url: use redis://USER"):
        await LiveSessions.open(database, url, timeout_seconds=1, telemetry=Telemetry())
