"""The benchmarks run, in the small; what they measure is no test's business."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SMALL = {
    "turn": ("--memories", "10", "--marks", "11,12,33"),
    "recall": ("--memories", "50", "--others", "2", "--others-memories", "10", "--queries", "3", "--rounds", "1"),
    "background": ("--memories", "10", "--turns", "3", "--messages", "6"),
    "start": ("--rounds", "1"),
    "relation": (),
    "load": (
        *("--seconds", "30", "--turns", "20", "--clients", "4", "--users", "5", "--latency", "0.05"),
        *("--workers", "1", "--kill", "1", "--kill-seconds", "0.1"),
    ),
}


def run(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Return what ``python -m benchmarks`` did, with ``folder`` as its working directory."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    command = [sys.executable, "-m", "benchmarks", *args]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=env, check=False)


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


def test_the_list_names_every_benchmark(tmp_path: Path) -> None:
    """``--list`` names exactly what is measured here, and another name is refused."""
    assert [line.split()[0] for line in run(tmp_path, "--list").stdout.splitlines()] == list(SMALL)
    assert run(tmp_path, "nothing").returncode == 2
