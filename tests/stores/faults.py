"""What may become of a Redis, and how it is made good again."""

from __future__ import annotations

from collections.abc import Callable

from zhiji.testing.servers import Valkey

PATIENT = 10.0
"""Seconds for an answer: enough on any machine, so that what works is never called slow."""

Break = Callable[[Valkey], None]


def kill(server: Valkey) -> None:
    """The server is gone."""
    server.kill()


def start(server: Valkey) -> None:
    """The server is there again, empty."""
    server.start()


def fill(server: Valkey) -> None:
    """The server has no room for anything."""
    with server.admin() as admin:
        admin.config_set("maxmemory", "1")


def make_room(server: Valkey) -> None:
    """The server has room again."""
    with server.admin() as admin:
        admin.config_set("maxmemory", "0")


def demote(server: Valkey) -> None:
    """The server is a replica, which takes no writes."""
    with server.admin() as admin:
        admin.replicaof("127.0.0.1", "1")


def promote(server: Valkey) -> None:
    """The server takes writes again."""
    with server.admin() as admin:
        admin.replicaof("NO", "ONE")


def change_password(server: Valkey) -> None:
    """Nobody may use the server, and whoever was connected is not."""
    with server.admin() as admin:
        admin.acl_setuser("default", enabled=True, categories=["-@all", "+@admin", "+@connection"])


def allow(server: Valkey) -> None:
    """Everybody may do anything again."""
    with server.admin() as admin:
        admin.acl_setuser("default", enabled=True, categories=["+@all"])


FAULTS: dict[str, tuple[Break, Break]] = {
    "unreachable": (kill, start),
    "timeout": (Valkey.pause, Valkey.resume),
    "full": (fill, make_room),
    "read_only": (demote, promote),
    "forbidden": (change_password, allow),
}
"""By the reason under which the failure is counted: the harm, and its mending."""


def soon(failures: int) -> float:
    """Return the pause of tests: next to none."""
    return 0.01
