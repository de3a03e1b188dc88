"""The benchmarks run, in the small; what they measure is no test's business."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import zipfile
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
    "ordinary": ("--data", "DATA"),
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


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of invented talk in the formats of the public sets."""
    folder = tmp_path_factory.mktemp("data")
    for name in ("retrieval", "dialogue_state"):
        (folder / name).mkdir()
    said = [("Ann", "I moved to Leeds in May."), ("Bob", "Nice! I play the oboe.")]
    items = [
        {"id": f"{number}", "session": 1, "time": "2026-10-01T09:00:00", "speaker": speaker, "text": text}
        for number, (speaker, text) in enumerate(said)
    ]
    for name in ("locomo", "memdaily_dev"):
        line = json.dumps({"owner": "one", "items": items, "questions": []})
        (folder / f"retrieval/{name}.jsonl").write_text(line, encoding="utf-8")
    messages = [{"role": "usr", "content": "帮我找一家餐馆"}, {"role": "sys", "content": "好的"}]
    with zipfile.ZipFile(folder / "dialogue_state/crosswoz_test.json.zip", "w") as archive:
        archive.writestr("test.json", json.dumps({"1": {"messages": messages}}))
    return folder


@pytest.mark.parametrize("name", SMALL)
def test_a_benchmark_reports_its_ratios(name: str, tmp_path: Path, data: Path) -> None:
    """Each benchmark prints one document whose rows are a figure, its baseline and their ratio, and leaves no file."""
    done = run(tmp_path, name, *(str(data) if one == "DATA" else one for one in SMALL[name]))
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["settings"]
    assert report["rows"]
    assert all(row["ratio"] == row["figure"] / row["baseline"] for row in report["rows"].values())
    assert not list(tmp_path.iterdir())


SLOTS = {"餐馆": {"名称": "", "推荐菜": "", "人均消费": ""}}
HOTEL = {"book": {"booked": [], "stay": "", "people": ""}, "semi": {"type": "", "area": "not mentioned"}}


def _archive(folder: Path, name: str, dialogue: object) -> None:
    with zipfile.ZipFile(folder / f"{name}_test.json.zip", "w") as archive:
        archive.writestr("test.json", json.dumps({"1": dialogue}, ensure_ascii=False))


def _dialogues(folder: Path) -> None:
    """One dialogue in the format of each archive, invented here; in both a slot is given another value."""
    said = [("usr", "想吃烤鸭，人均 100 元"), ("sys", "推荐甲店"), ("usr", "还是吃火锅吧"), ("sys", "那就乙店")]
    states = [{}, {"推荐菜": "烤鸭", "人均消费": "100元"}, {}, {"推荐菜": "火锅", "人均消费": "100元", "名称": "乙店"}]
    messages = [
        {"role": role, "content": words} | ({"sys_state": {"餐馆": SLOTS["餐馆"] | state}} if role == "sys" else {})
        for (role, words), state in zip(said, states, strict=True)
    ]
    _archive(folder, "crosswoz", {"messages": messages})
    first = {"hotel": HOTEL | {"semi": {"type": "hotel", "area": "north"}, "book": {"booked": [], "stay": "2"}}}
    second = {"hotel": HOTEL | {"semi": {"type": "hotel", "area": "south"}, "book": {"booked": [], "stay": "1"}}}
    log = [
        {"text": "A hotel in the north for 2 nights.", "metadata": {}},
        {"text": "There is none.", "metadata": first},
        {"text": "In the south then, 1 night.", "metadata": {}},
        {"text": "Booked.", "metadata": second},
    ]
    _archive(folder, "multiwoz", {"log": log})


def test_updates_are_asked_for(tmp_path: Path) -> None:
    """Of each archive, facts, utterances and the baseline are asked; of keyed facts the current value comes first."""
    data = tmp_path / "data"
    data.mkdir()
    _dialogues(data)
    done = run(tmp_path, "updates", "--data", str(data))
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["figures"]["crosswoz"].keys() == {"keyed", "raw", "last_write"}
    keyed = {name: figures["keyed"] for name, figures in report["figures"].items()}
    assert keyed == {
        "crosswoz": {"questions": 1, "current_first": 1.0, "stale_in_5": 0.0},
        "multiwoz": {"questions": 2, "current_first": 1.0, "stale_in_5": 0.0},
    }
    assert list(tmp_path.iterdir()) == [data]


def test_updates_without_data_say_so(tmp_path: Path) -> None:
    """Without an archive there is one sentence that tells how to name its place, and no report."""
    done = run(tmp_path, "updates")
    assert (done.returncode, done.stdout) == (0, "")
    assert "--data" in done.stderr


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
    assert {line.split()[0] for line in run(tmp_path, "--list").stdout.splitlines()} == {*SMALL, "updates"}
    assert run(tmp_path, "nothing").returncode == 2
