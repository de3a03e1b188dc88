"""``zhiji serve`` and ``zhiji token`` as real processes: start, talk, stop."""

from __future__ import annotations

import json
import os
import pty
import re
import resource
import shlex
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from server.conftest import Start
from server.service import START, TOKEN, Process
from zhiji.cli import exits

LIBRARIES = "import fastapi, numpy, rich, typer, uvicorn"
"""What any such service has to load."""
READY_WITHIN = 3.5
"""Processor time of a whole process that starts, answers that it is ready, and stops; as many times that of a process that
merely loads ``LIBRARIES``: a busy machine slows both. About 2.3, which is 1.3 s of two idle cores."""

FIRST = "我叫李四，订单 OD20240415008 想退货，退货地址是什么"
SECOND = "我把那个退货寄走了，地址没问题吧"


def request(url: str, method: str, path: str, body: object = None, **headers: str) -> tuple[int, Any]:
    """Return status and JSON (or text) of one request, made as curl makes it."""
    host, port = url.removeprefix("http://").rsplit(":", 1)
    connection = HTTPConnection(host, int(port), timeout=30)
    sent = {"User-Agent": "curl/8.5.0", "Accept": "*/*", **headers}
    if body is not None:
        sent["Content-Type"] = "application/json"
    connection.request(method, path, None if body is None else json.dumps(body, ensure_ascii=False).encode(), sent)
    answer = connection.getresponse()
    words = answer.read().decode()
    connection.close()
    return answer.status, json.loads(words) if "json" in str(answer.headers["content-type"]) else words


def token_of(folder: Path) -> Mapping[str, str]:
    """Return the header of who read the token from its file."""
    return {"Authorization": f"Bearer {(folder / 'zhiji.token').read_text().strip()}"}


def test_the_two_curl_commands(start: Start, tmp_path: Path) -> None:
    """The second message names no order, and is answered with the order and the address: in the same session, and when it
    has expired.
    """
    with start("serve") as process:
        url, auth = process.listening(), token_of(tmp_path)
        _, first = request(url, "POST", "/chat", {"user_id": "user_001", "message": FIRST}, **auth)
        again = {"user_id": "user_001", "session_id": first["session_id"], "message": SECOND}
        _, second = request(url, "POST", "/chat", again, **auth)
        process.end(signal.SIGTERM)
    with sqlite3.connect(tmp_path / "zhiji.db") as db:
        changed = db.execute("UPDATE zhiji_sessions SET expires = created").rowcount
    db.close()
    with start("serve") as process:
        _, third = request(process.listening(), "POST", "/chat", again, **auth)
        process.end(signal.SIGTERM)
    assert changed == 1
    assert first.keys() == second.keys() == {"session_id", "reply"}
    assert second["session_id"] == first["session_id"] != third["session_id"]
    for reply in (first, second, third):
        assert "OD20240415008" in reply["reply"]
        assert "文三路" in reply["reply"]


def test_ready_soon(start: Start) -> None:
    """A process is ready in little more than the time that its libraries take, and says what it offers; best of three."""

    def serve() -> None:
        with start("serve") as process:
            status, _ = request(process.listening(), "GET", "/readyz")
            code, said = process.end(signal.SIGTERM)
        assert (status, code) == (200, 0)
        assert "model offline, tools of the demo shop" in said

    def load() -> None:
        subprocess.run([sys.executable, "-c", LIBRARIES], check=True)

    ratios = (spent(serve) / spent(load) for _ in range(3))
    assert any(ratio < READY_WITHIN for ratio in ratios)


def spent(run: Callable[[], None]) -> float:
    """Return the processor time, in seconds, of the processes that ``run`` started and saw end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_what_is_said_at_the_start(start: Start, tmp_path: Path) -> None:
    """It says where the token is, never the token; all of it on stderr."""
    with start("serve") as process:
        process.listening()
        held = (tmp_path / "zhiji.token").read_text().strip()
        code, said = process.end(signal.SIGINT)
    assert code == 0
    assert str(tmp_path / "zhiji.token") in said
    assert held not in said


def test_a_second_service_on_the_same_file(start: Start, tmp_path: Path) -> None:
    """Two services share one database and one token: what one learnt the other knows."""
    with start("serve") as one, start("serve") as other:
        here, there = one.listening(), other.listening()
        auth = token_of(tmp_path)
        _, first = request(here, "POST", "/v1/chat", {"user_id": "u1", "message": "我叫李四"}, **auth)
        body = {"user_id": "u1", "message": "我叫什么？", "session_id": first["session_id"]}
        _, second = request(there, "POST", "/v1/chat", body, **auth)
    assert "李四" in second["reply"]


SLOW_TOOL = """
def register(zj):
    @zj.tool(timeout=30)
    def get_order(order_id: str) -> dict:
        "Look up an order."
        print("looking", file=__import__("sys").stderr, flush=True)
        open("go").read()
        return {"order_id": order_id, "item": "跑鞋", "status": "delivered"}
"""


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> Mapping[str, str]:
    """The environment of a service on each kind of database."""
    return {"ZHIJI_DATABASE_URL": request.getfixturevalue("postgres_url")} if request.param == "postgres" else {}


def test_a_running_turn_is_finished_first(start: Start, tmp_path: Path, database: Mapping[str, str]) -> None:
    """SIGTERM during a slow turn: new requests are refused by name, the turn is answered, then the process ends with 0."""
    (tmp_path / "slow.py").write_text(SLOW_TOOL, encoding="utf-8")
    os.mkfifo(tmp_path / "go")
    answers: list[tuple[int, Any]] = []
    with start("serve", "--tools", "slow:register", env={"ZHIJI_TOKEN": TOKEN, **database}) as process:
        url, auth = process.listening(), {"Authorization": f"Bearer {TOKEN}"}
        body = {"user_id": "u1", "message": "查一下订单 OD20240415008"}
        asking = threading.Thread(target=lambda: answers.append(request(url, "POST", "/chat", body, **auth)))
        asking.start()
        assert any("looking" in line for line in process.lines())
        process.send(signal.SIGTERM)
        while request(url, "GET", "/readyz")[0] == 200:
            pass
        refused = request(url, "POST", "/chat", body, **auth)
        (tmp_path / "go").write_text("go")
        asking.join()
        code, _ = process.end()
    assert (refused[0], refused[1]["code"]) == (503, "shutting_down")
    assert answers[0][0] == 200
    assert "跑鞋" in answers[0][1]["reply"]
    assert code == 0


def test_a_second_signal_ends_it_at_once(start: Start, tmp_path: Path) -> None:
    """Who cannot wait for the drain signals again; the user's message is kept."""
    (tmp_path / "slow.py").write_text(SLOW_TOOL, encoding="utf-8")
    os.mkfifo(tmp_path / "go")
    with start("serve", "--tools", "slow:register") as process:
        url, auth = process.listening(), token_of(tmp_path)
        body = {"user_id": "u1", "message": "查一下订单 OD20240415008"}
        host, port = url.removeprefix("http://").rsplit(":", 1)
        connection = HTTPConnection(host, int(port), timeout=30)
        connection.request("POST", "/chat", json.dumps(body), {"Content-Type": "application/json", **auth})
        assert any("looking" in line for line in process.lines())
        process.send(signal.SIGTERM)
        while request(url, "GET", "/readyz")[0] == 200:
            pass
        code, _ = process.end(signal.SIGTERM)
        connection.close()
    assert code == -signal.SIGTERM
    with sqlite3.connect(tmp_path / "zhiji.db") as db:
        kept = db.execute("SELECT count(*) FROM zhiji_messages WHERE role = 'user'").fetchone()
    db.close()
    assert kept == (1,)


def test_retries_around_a_restart(start: Start, tmp_path: Path) -> None:
    """A message under a key is answered once: repeated, at once and after a restart, it is the first reply (C145)."""
    body = {"user_id": "u1", "message": "订单 OD20240415008 的退货地址？", "idempotency_key": "k1"}
    with start("serve") as process:
        url, auth = process.listening(), token_of(tmp_path)
        replies: list[Any] = []
        threads = [
            threading.Thread(target=lambda: replies.append(request(url, "POST", "/v1/chat", body, **auth)))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        process.end(signal.SIGTERM)
    with start("serve") as process:
        url = process.listening()
        replies.append(request(url, "POST", "/v1/chat", body, **auth))
        other = request(url, "POST", "/v1/chat", {**body, "message": "别的"}, **auth)
        process.end(signal.SIGTERM)
    assert [status for status, _ in replies] == [200] * 5
    assert len({reply["turn_id"] for _, reply in replies}) == 1
    assert len({reply["reply"] for _, reply in replies}) == 1
    assert sum(reply["replayed"] for _, reply in replies) == 4
    assert (other[0], other[1]["code"]) == (409, "idempotency_mismatch")


# --- what cannot be served ------------------------------------------------------------------------------------------------


def refused(start: Start, *args: str, env: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Return exit code and the one sentence of a command that cannot run."""
    with start(*args, env=env) as process:
        code, said = process.end()
    lines = [line for line in said.splitlines() if line]
    assert len(lines) == 1, said
    return code, lines[0]


def test_a_port_in_use_is_one_sentence(start: Start) -> None:
    """A port that is taken is named."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, said = refused(start, "serve", "--port", str(port))
    assert code == exits.USAGE
    assert f"port: {port} is in use" in said


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--host", "0.0.0.0", "--no-auth"), "without a token the service listens on loopback only"),
        (("--host", "no such host"), "is no address of this machine"),
        (("--host", "203.0.113.7"), "cannot be listened on"),
        (("--allowed-host", "https://a.example/"), "is not a host name"),
        (("--tools", "nothing"), "is not MODULE:FUNCTION"),
        (("--tools", "no_such_module:register"), "there is no module no_such_module"),
        (("--tools", "shop.py:register"), "write shop:register"),
        (("--tools", "json:no_such_function"), "has no function no_such_function"),
        (("--tools", "json:loads"), "calling json:loads failed (TypeError)"),
    ],
)
def test_what_is_wrong_is_one_sentence(start: Start, args: tuple[str, ...], words: str) -> None:
    """What cannot be served ends with the code for usage and one sentence that names the setting."""
    code, said = refused(start, "serve", *args)
    assert code == exits.USAGE
    assert words in said


def test_a_token_file_open_to_others_stops_the_start(start: Start, tmp_path: Path) -> None:
    """A service does not start with a token that others can read."""
    path = tmp_path / "zhiji.token"
    path.write_text(TOKEN)
    path.chmod(0o644)
    code, said = refused(start, "serve")
    assert code == exits.USAGE
    assert "can be read by others" in said
    assert TOKEN not in said


def test_without_descriptors_the_log_stays_short(start: Start) -> None:
    """Who opens all the connections that a process can have stops it for a while, and fills no disk with its log."""
    limits = (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    with start("serve") as process, ExitStack() as held:
        url = process.listening()
        process.limit(resource.RLIMIT_NOFILE, limits)
        host, port = url.removeprefix("http://").rsplit(":", 1)
        for _ in range(80):
            held.enter_context(socket.create_connection((host, int(port))))
        assert any("stray_error: OSError" in line for line in process.lines())
        held.close()
        while request(url, "GET", "/healthz")[0] != 200:
            pass
        _, said = process.end(signal.SIGTERM)
    assert said.count("stray_error") <= 2


def test_a_damaged_database_stops_the_start(start: Start, tmp_path: Path) -> None:
    """A file that is no database of ours ends with the code of the store, one sentence, no traceback."""
    (tmp_path / "zhiji.db").write_bytes(b"not a database" * 1000)
    code, _ = refused(start, "serve")
    assert code == 6


# --- zhiji token ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_the_token_is_not_written_into_a_pipe(start: Start, tmp_path: Path, more: tuple[str, ...]) -> None:
    """In a pipe ``zhiji token`` refuses, and says which file programs read."""
    code, said = refused(start, "token", *more)
    assert code == 8
    assert str(tmp_path / "zhiji.token") in said
    assert (tmp_path / "zhiji.token").read_text().strip() not in said


def test_the_token_is_shown_on_a_terminal(tmp_path: Path) -> None:
    """On a terminal it is the whole output."""
    ours, theirs = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ZHIJI_")}
    env = {**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", START, "token"], cwd=tmp_path, stdout=theirs, env=env, timeout=60, check=True
    )
    os.close(theirs)
    shown = os.read(ours, 4096).decode().strip()
    os.close(ours)
    assert done.returncode == 0
    assert shown == (tmp_path / "zhiji.token").read_text().strip()


def test_nothing_said_or_secret_is_logged(start: Start, tmp_path: Path) -> None:
    """With every log line on, a session with errors leaves neither words nor users nor the token on stderr."""
    secret = "密语七三九一"
    with start("--verbose", "serve") as process:
        url, auth = process.listening(), token_of(tmp_path)
        body = {"user_id": f"user-{secret}", "message": f"我叫{secret}，订单 OD20240415008 想退货"}
        statuses = [
            request(url, "POST", "/v1/chat", body, **auth)[0],
            request(url, "POST", "/v1/chat", {**body, "session_id": secret}, **auth)[0],
            request(url, "POST", "/v1/chat", {**body, secret: secret}, **auth)[0],
            request(url, "POST", "/v1/chat", {**body, "message": " "}, **auth)[0],
            request(url, "GET", "/v1/%E5%AF%86%E8%AF%AD?q=%E5%AF%86%E8%AF%AD", **auth)[0],
            request(url, "GET", "/v1/chat")[0],
        ]
        _, said = process.end(signal.SIGTERM)
    assert statuses == [200, 404, 422, 422, 404, 401]
    assert "POST /v1/chat 200" in said
    held = (tmp_path / "zhiji.token").read_text().strip()
    for word in (secret, "密语", "%E5%AF%86", held, "OD20240415008"):
        assert word not in said


def test_help_is_quick(start: Start) -> None:
    """The help of the command imports nothing of the service."""
    script = (
        "import sys; from zhiji.cli import main; code = main(['serve', '--help']);"
        "sys.exit(code or bool({'fastapi', 'uvicorn', 'openai'} & set(sys.modules)))"
    )
    with Process(Path.cwd(), script=script) as process:
        code, said = process.end()
    assert code == 0
    assert "--allowed-host" in said


def commands(page: str) -> list[list[str]]:
    """Return the curl commands of a page, as a shell would split them."""
    blocks = re.findall(r"^```sh\n(curl .*?)^```$", page, re.MULTILINE | re.DOTALL)
    return [shlex.split(block.replace("$ZHIJI_TOKEN", TOKEN)) for block in blocks]


def test_the_page_s_commands(start: Start) -> None:
    """The curl commands of the how-to get what the page says."""
    page = Path(__file__).parents[2] / "docs" / "howto" / "service.md"
    found = commands(page.read_text(encoding="utf-8"))
    with start("serve", env={"ZHIJI_TOKEN": TOKEN}) as process:
        url, answers = process.listening(), []
        for words in found:
            path = next(word for word in words if word.startswith("http://")).removeprefix("http://localhost:8000")
            headers = dict(words[at + 1].split(": ") for at, word in enumerate(words) if word == "-H")
            answers.append(request(url, "POST", path, json.loads(words[-1]), Authorization=headers["Authorization"]))
    assert [status for status, _ in answers] == [200, 200]
    assert "浙江省杭州市西湖区文三路 18 号 退货组" in answers[0][1]["reply"]
    assert answers[1][1].startswith('event: tool\ndata: {"name":"get_return_address","status":"started"}')
    assert "event: done" in answers[1][1]
