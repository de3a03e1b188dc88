"""Telling the dead from the living."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from zhiji import presence


def test_this_process_lives() -> None:
    """It knows its own name, and gives itself a new one each time."""
    name = presence.name_process()
    assert not presence.is_dead(name)
    assert name != presence.name_process()
    assert name.split("/")[:2] == [presence.this_host(), str(os.getpid())]


def test_process_that_ended_is_dead() -> None:
    """Its pid is nobody's."""
    done = subprocess.run(
        [sys.executable, "-c", "from zhiji.presence import name_process; print(name_process())"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert presence.is_dead(done.stdout.strip())


def test_process_that_nobody_asked_after_is_dead() -> None:
    """It has ended, and its parent has not waited for it: its pid is still its own."""
    with subprocess.Popen(
        [sys.executable, "-c", "from zhiji.presence import name_process; print(name_process())"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    ) as child:
        assert child.stdout is not None
        name = child.stdout.read().strip()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert presence.is_dead(name)


def test_former_process_of_the_same_pid_is_dead() -> None:
    """Pids are given again; when the process was started is not."""
    host, pid, start, random = presence.name_process().split("/")
    if not start:
        pytest.fail("this system does not tell when a process was started")
    assert presence.is_dead(f"{host}/{pid}/{int(start) - 1}/{random}")


def test_of_other_containers_nothing_is_known() -> None:
    """Containers of one pod share the host's name; the same pid is another process in each."""
    host, pid, start, random = presence.name_process().split("/")
    assert host.startswith(socket.gethostname())
    assert not presence.is_dead(f"{host}0/{pid}/{int(start or 1) - 1}/{random}")


@pytest.mark.parametrize(
    "name", ["elsewhere/1/1/x", "", "x", "{host}", "{host}/x/1/y", "{host}/{pid}", "{host}/{pid}/x"]
)
def test_unknown_is_not_dead(name: str) -> None:
    """Of other hosts, and by names that say too little, nothing is claimed."""
    assert not presence.is_dead(name.format(host=presence.this_host(), pid=os.getpid()))
