"""The blocking façade: the same verbs, from any thread, without a second implementation."""

from __future__ import annotations

import inspect
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from zhiji import Settings, blocking, engine
from zhiji.errors import EmptyMessage, InvalidInput, StoreClosed
from zhiji.testing import FrozenClock, ScriptedModel


def settings(tmp_path: Path) -> Settings:
    return Settings.load(database_url=f"sqlite:///{tmp_path / 'z.db'}", embedder="off", worker=False)


def test_the_loop_without_await(tmp_path: Path) -> None:
    """Chat, drain, recall and the nouns work as in the async façade; a tool is declared alike."""
    with blocking.Zhiji.open(settings(tmp_path), clock=FrozenClock(), model=ScriptedModel(["好", "好"])) as zj:

        def ping() -> str:
            """Ping."""
            return "pong"

        zj.tool()(ping)
        reply = zj.chat("u1", "我叫李四")
        zj.drain()
        assert zj.memories.list("u1")[0].value == "李四"
        assert zj.recall("u1", "叫什么")[0].memory.value == "李四"
        assert zj.sessions.get("u1", reply.session_id).turns == 1
        assert zj.state.patch("u1", reply.session_id, {"intent": "return"}).intent == "return"
        with zj.turn("u1", "你好", session=reply.session_id) as turn:
            assert turn.messages[0]["role"] == "system"
            turn.reply = "你好"
        assert turn.saved.text == "你好"


def test_errors_come_through(tmp_path: Path) -> None:
    """The typed errors of the async façade are raised as they are."""
    with blocking.Zhiji.open(settings(tmp_path), model=ScriptedModel([])) as zj:
        with pytest.raises(EmptyMessage):
            zj.chat("u1", " ")
        with pytest.raises(InvalidInput), zj.turn("u1", "你好"):
            pass
    with pytest.raises(StoreClosed):
        zj.recall("u1", "x")


def test_many_threads_share_one(tmp_path: Path) -> None:
    """Eight threads, one façade: every turn is there."""
    with (
        blocking.Zhiji.open(settings(tmp_path), model=ScriptedModel(["好"] * 40)) as zj,
        ThreadPoolExecutor(8) as threads,
    ):
        replies = list(threads.map(lambda number: zj.chat(f"u{number % 4}", f"第 {number} 句"), range(40)))
        assert len({reply.turn_id for reply in replies}) == 40
        assert sum(len(zj.sessions.list(f"u{number}")) for number in range(4)) == 40


def test_every_verb_is_offered(tmp_path: Path) -> None:
    """Each coroutine of the façade and of its nouns is callable without ``await``."""
    with blocking.Zhiji.open(settings(tmp_path), model=ScriptedModel([])) as zj:
        verbs = [name for name, _ in inspect.getmembers(engine.Zhiji, inspect.iscoroutinefunction)]
        assert {"chat", "recall", "remember", "ingest", "context", "drain", "erase"} <= set(verbs)
        for name in verbs:
            assert callable(getattr(zj, name))
            assert not inspect.iscoroutinefunction(getattr(zj, name))
        for noun in engine.NOUNS:
            for name, _ in inspect.getmembers(type(getattr(zj._inner, noun)), inspect.iscoroutinefunction):
                assert not inspect.iscoroutinefunction(getattr(getattr(zj, noun), name))
