"""The examples run, and keep what they promise when they are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from zhiji import Settings, Zhiji
from zhiji.errors import ModelError
from zhiji.types import Completion

EXAMPLE = Path(__file__).parents[2] / "examples" / "queue_consumer.py"
SAID = (
    ("m1", "user_a", "我叫李四，订单 OD20240415008 想退货"),
    ("m2", "user_b", "My name is Ann, where is order OD20240415009?"),
    ("m3", "user_a", "退货地址是什么？🙂"),
    ("m4", "user_b", "Thank you"),
    ("m5", "user_a", "谢谢"),
)


@pytest.fixture(name="queue_consumer", scope="module")
def _queue_consumer() -> Any:
    spec = spec_from_file_location("queue_consumer", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["queue_consumer"] = module
    spec.loader.exec_module(module)
    return module


def put(spool: Path, messages: Sequence[tuple[str, str, str]] = SAID) -> None:
    """The messages wait in the spool, in this order."""
    (spool / "in").mkdir(parents=True, exist_ok=True)
    for number, (id_, user, text) in enumerate(messages):
        document = json.dumps({"id": id_, "user": user, "text": text}, ensure_ascii=False)
        (spool / "in" / f"{number:03}-{id_}.json").write_text(document, encoding="utf-8")


def found(spool: Path, folder: str) -> dict[str, Any]:
    """Return the documents of a folder by the id of their message."""
    documents = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((spool / folder).glob("*.json"))]
    return {document["id"]: document for document in documents}


def started(spool: Path, *options: str) -> subprocess.Popen[str]:
    """Return the consumer, running on this spool."""
    env = os.environ | {"ZHIJI_EMBEDDER": "off", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, str(EXAMPLE), str(spool), *options]
    return subprocess.Popen(command, cwd=spool, env=env, stdout=subprocess.PIPE, text=True, encoding="utf-8")


def settings(spool: Path) -> Settings:
    """Return the settings of the consumer's database, without a worker."""
    return Settings.load(database_url=f"sqlite:///{spool / 'zhiji.db'}", embedder="off", worker=False)


async def said(zj: Zhiji, user: str) -> list[str]:
    """Return what the user said, over all conversations, oldest first."""
    sessions = await zj.sessions.list(user, archived=True)
    messages = [message for one in reversed(sessions) for message in await zj.sessions.messages(user, one)]
    return [message.content for message in messages if message.role == "user"]


async def test_every_message_is_answered_in_order(tmp_path: Path) -> None:
    """Each message has one reply, one user's are one conversation in their order, and what they said becomes memory."""
    put(tmp_path)
    done = started(tmp_path, "--once")
    assert done.communicate()[0].count("out ") == len(SAID)
    assert done.returncode == 0
    replies = found(tmp_path, "out")
    assert sorted(replies) == ["m1", "m2", "m3", "m4", "m5"]
    assert {replies[id_]["session"] for id_ in ("m1", "m3", "m5")} == {replies["m1"]["session"]}
    assert replies["m1"]["session"] != replies["m2"]["session"]
    async with Zhiji.open(settings(tmp_path)) as zj:
        assert await said(zj, "user_a") == [text for _, user, text in SAID if user == "user_a"]
        await zj.drain()
        assert "李四" in [memory.value for memory in await zj.memories.list("user_a")]


async def test_a_killed_consumer_answers_everything_once(tmp_path: Path) -> None:
    """Killed again and again in the middle, it leaves one reply and one turn for each message, in order."""
    messages = [(f"m{number}", f"user_{number % 3}", f"第 {number} 个问题") for number in range(24)]
    put(tmp_path, messages)
    for _ in range(4):
        consumer = started(tmp_path)
        assert consumer.stdout is not None
        assert [consumer.stdout.readline()[:4] for _ in range(3)] == ["out "] * 3
        consumer.send_signal(signal.SIGKILL)
        consumer.communicate()
    started(tmp_path, "--once").communicate()
    assert set(found(tmp_path, "out")) == {id_ for id_, _, _ in messages}
    assert not list((tmp_path / "in").iterdir())
    async with Zhiji.open(settings(tmp_path)) as zj:
        for user in ("user_0", "user_1", "user_2"):
            assert await said(zj, user) == [text for _, owner, text in messages if owner == user]


async def test_a_message_that_comes_again_gets_the_same_reply(tmp_path: Path, queue_consumer: Any) -> None:
    """Redelivered after its reply was written but not acknowledged, a message is answered by the same turn."""
    numbers = count()

    async def model(messages: object, tools: object) -> Completion:
        return Completion(text=f"answer {next(numbers)}")

    async with Zhiji.open(settings(tmp_path), model=model) as zj:
        put(tmp_path)
        await queue_consumer.work_off(zj, queue_consumer.Spool(tmp_path))
        first = found(tmp_path, "out")
        put(tmp_path)
        await queue_consumer.work_off(zj, queue_consumer.Spool(tmp_path))
        assert found(tmp_path, "out") == first
        assert await said(zj, "user_b") == [text for _, user, text in SAID if user == "user_b"]


async def test_what_passes_is_tried_again_in_order(tmp_path: Path, queue_consumer: Any) -> None:
    """A model that fails twice holds back that user's later messages; then all are answered, in order."""
    failures = iter((True, True))

    async def model(messages: object, tools: object) -> Completion:
        if next(failures, False):
            raise ModelError
        return Completion(text="fine")

    async with Zhiji.open(settings(tmp_path), model=model) as zj:
        put(tmp_path, SAID[::2])
        await queue_consumer.work_off(zj, queue_consumer.Spool(tmp_path), pause_seconds=0)
        assert list(found(tmp_path, "out")) == ["m1", "m3", "m5"]
        assert not found(tmp_path, "dead")
        assert await said(zj, "user_a") == [text for _, _, text in SAID[::2]]


async def test_what_will_not_pass_is_set_aside(tmp_path: Path, queue_consumer: Any) -> None:
    """A refused message goes to ``dead`` with its code at once, a failing one after its last attempt; others go on."""

    async def model(messages: Sequence[Mapping[str, Any]], tools: object) -> Completion:
        if "broken" in messages[-1]["content"]:
            raise ModelError
        return Completion(text="fine")

    async with Zhiji.open(settings(tmp_path), model=model) as zj:
        put(tmp_path, [("m1", "u", " "), ("m2", "u", "broken"), ("m3", " ", "hello"), ("m4", "u", "hello")])
        (tmp_path / "in" / "odd.json").write_text('{"id": "odd"}', encoding="utf-8")
        await queue_consumer.work_off(zj, queue_consumer.Spool(tmp_path), pause_seconds=0)
    assert list(found(tmp_path, "out")) == ["m4"]
    dead = found(tmp_path, "dead")
    assert {id_: (dead[id_]["code"], dead[id_]["attempts"]) for id_ in ("m1", "m2", "m3")} == {
        "m1": ("empty_message", 1),
        "m2": ("model_error", queue_consumer.ATTEMPTS),
        "m3": ("invalid_input", 1),
    }
    assert dead["odd"] == {"id": "odd"}
