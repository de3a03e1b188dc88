"""The processes of a run: started, killed, started again, stopped; what they cost is read from ``/proc``."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.load.connection import Connection, Lost

ROOT = Path(__file__).parents[2]
ZHIJI = (sys.executable, "-c", "import sys; from zhiji.cli import main; sys.exit(main())")
"""``zhiji``, whether it is installed or not."""
READY_SECONDS = 60.0
STOP_SECONDS = 60.0
POLL_SECONDS = 0.02


class Process:
    """One process, through all its lives."""

    def __init__(self, name: str, command: Sequence[str], env: Mapping[str, str], log: Path) -> None:
        """It does not run yet. ``env`` comes on top of an environment without settings; stderr goes to ``log``."""
        self.name = name
        self._command = command
        bare = {key: value for key, value in os.environ.items() if not key.startswith(("ZHIJI_", "LLM_"))}
        self._env = {**bare, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")]), **env}
        self._log = log
        self._running: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()
        self._spent = 0.0
        self._peak_mb = 0.0

    def start(self) -> None:
        """It runs."""
        with self._log.open("a") as log:
            self._running = subprocess.Popen(
                self._command,
                env=self._env,
                cwd=self._log.parent,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,  # Ctrl+C is ours to hear: whoever started a process asks it to end
            )

    def first_line(self) -> str:
        """Return the first line that it printed.

        Raises:
            RuntimeError: it ended without one; the text is what it wrote to stderr.
        """
        assert self._running is not None
        assert self._running.stdout is not None
        line = self._running.stdout.readline().strip()
        if not line:
            raise RuntimeError(f"{self.name} did not start: {self._log.read_text(errors='replace')}")
        return line

    def kill(self) -> None:
        """It is dead, without a chance to say so."""
        self._end(signal.SIGKILL)

    async def stop(self) -> int:
        """It was asked to end, and did; returns its exit code, -9 if it had to be killed."""
        return await asyncio.to_thread(self._end, signal.SIGTERM)

    def revive(self) -> int | None:
        """If it has ended by itself, it runs again, as a supervisor would have it; returns its exit code then."""
        with self._lock:
            if self._running is None or self._running.poll() is None:
                return None
            ended = self._running
            ended.communicate()
            self.start()
            return ended.returncode

    def _end(self, number: signal.Signals) -> int:
        with self._lock:
            if self._running is None:
                return 0
            self._spent, self._peak_mb = self.cpu_seconds(), self.peak_mb()
            running, self._running = self._running, None
            running.send_signal(number)
            try:
                running.communicate(timeout=STOP_SECONDS)
            except subprocess.TimeoutExpired:
                running.kill()
                running.communicate()
            return running.returncode

    def log_lines(self) -> list[str]:
        """Return what it wrote to stderr, over all its lives."""
        return self._log.read_text(errors="replace").splitlines()

    def cpu_seconds(self) -> float:
        """Return what it has spent so far, over all its lives."""
        running = self._running
        return self._spent + (0.0 if running is None else _cpu_seconds(running.pid))

    def peak_mb(self) -> float:
        """Return the most memory that one of its lives has held so far."""
        running = self._running
        return max(self._peak_mb, 0.0 if running is None else _peak_mb(running.pid))


async def ready(port: int, token: str) -> None:
    """The service on this port can serve.

    Raises:
        TimeoutError: it cannot, after a minute.
    """
    async with asyncio.timeout(READY_SECONDS):
        while True:
            connection = Connection(port, token)
            try:
                if (await connection.get("/readyz")).status == 200:
                    return
            except Lost:
                pass
            finally:
                connection.close()
            await asyncio.sleep(POLL_SECONDS)


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    return port


def _cpu_seconds(pid: int) -> float:
    """Return user and system time; 0 where there is no ``/proc``."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _peak_mb(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")), 0.0)
