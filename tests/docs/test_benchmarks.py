"""The benchmarks run, in the small; what they measure is no test's business."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SMALL = {
    "turn": ("--memories", "10", "--marks", "11,12,33"),
    "engines": ("--turns", "2", "--earlier", "2", "--memories", "5"),
    "recall": ("--memories", "50", "--others", "2", "--others-memories", "10", "--queries", "3", "--rounds", "1"),
    "scale": ("--memories", "2000", "--owners", "20"),
    "background": ("--memories", "10", "--turns", "3", "--messages", "6"),
    "start": ("--rounds", "1"),
    "relation": (),
    "load": (
        *("--seconds", "30", "--turns", "20", "--clients", "4", "--users", "5", "--latency", "0.05"),
        *("--workers", "1", "--kill", "1", "--kill-seconds", "0.1"),
    ),
}

FLEET = (
    *("load", "--database", "postgres", "--redis", "--servers", "2", "--workers", "1", "--latency", "0.05"),
    *("--seconds", "30", "--turns", "40", "--clients", "4", "--users", "5", "--kill", "7", "--kill-seconds", "0.1"),
)
"""Each trouble once: two services, a worker, PostgreSQL, Redis killed, paused, flushed."""


def run(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Return what ``python -m benchmarks`` did, with ``folder`` as its working directory."""
    command = [sys.executable, "-m", "benchmarks", *args]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment(), check=False)


def environment() -> dict[str, str]:
    """Return the environment in which the benchmarks and zhiji are found."""
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}


@pytest.mark.parametrize("name", SMALL)
def test_a_benchmark_reports_its_ratios(name: str, tmp_path: Path) -> None:
    """Each benchmark prints one document whose rows are a figure, its baseline and their ratio, and leaves no file."""
    done = run(tmp_path, name, *SMALL[name])
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["settings"]
    assert report["rows"]
    assert all(row["ratio"] == row["figure"] / row["baseline"] for row in report["rows"].values())
    assert not list(tmp_path.iterdir())


def test_a_fleet_loses_nothing(tmp_path: Path) -> None:
    """On PostgreSQL and Redis, with several processes and every kind of trouble, the ledger is clean."""
    done = run(tmp_path, *FLEET)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["clean"]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_nothing_is_left_of_an_interrupted_run(number: signal.Signals, tmp_path: Path) -> None:
    """After Ctrl+C or SIGTERM in the middle of a run no process goes on, and no file is left."""
    command, env = [sys.executable, "-m", "benchmarks", *FLEET], environment()
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=env) as process:
        assert process.stderr is not None
        assert any("steady" in line for line in process.stderr)
        process.send_signal(number)
        process.communicate()
    assert process.returncode == 130
    assert not list(tmp_path.iterdir())
    assert not [one for one in Path("/proc").glob("[0-9]*/cwd") if str(tmp_path) in os.path.realpath(one)]


def test_the_list_names_every_benchmark(tmp_path: Path) -> None:
    """``--list`` names exactly what is measured here, and another name is refused."""
    assert [line.split()[0] for line in run(tmp_path, "--list").stdout.splitlines()] == list(SMALL)
    assert run(tmp_path, "nothing").returncode == 2
