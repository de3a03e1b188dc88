"""Other processes of a test: a script that answers each line of its standard input with one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path


def url_of(place: Path | str) -> str:
    """Return the URL of a database: of this file, or this URL."""
    return f"sqlite:///{place}" if isinstance(place, Path) else place


def place_of(word: str) -> Path | str:
    """Return the database that a command line names: a file, or a URL."""
    return word if "://" in word else Path(word)


class Child:
    """Another process that runs ``script`` on the same database."""

    def __init__(self, script: Path, place: Path | str) -> None:
        """The process has started; it says so by ``ready``."""
        self._process = subprocess.Popen(
            [sys.executable, str(script), str(place)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            text=True,
            encoding="utf-8",
        )

    def tell(self, *command: object) -> None:
        """The command is under way."""
        assert self._process.stdin is not None
        self._process.stdin.write(" ".join(map(str, command)) + "\n")
        self._process.stdin.flush()

    def answer(self) -> str:
        """Return its next line, empty if it died."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def send(self, number: signal.Signals) -> None:
        """The process was sent this signal."""
        self._process.send_signal(number)

    def wait(self) -> int:
        """Return the exit code of a process that ends by itself."""
        return self._process.wait(60)

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """The process got this signal and has ended."""
        self._process.send_signal(number)
        self._process.communicate()

    def end(self) -> None:
        """The process is gone, whatever became of it."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()

    def close(self) -> None:
        """The process has ended."""
        self._process.communicate()
