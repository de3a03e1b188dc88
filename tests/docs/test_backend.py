"""The page on stores of one's own: its ten lines prove a store, and find what is wrong with one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto" / "backend.md").read_text(encoding="utf-8")
[SETTINGS] = re.findall(r"^```ini\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
TOY, PROOF = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
QUICKLY = "\n    machine_examples = 3\n    concurrency_seconds = 1.0\n"


def run(folder: Path, *changes: str, which: str = "test") -> subprocess.CompletedProcess[str]:
    """Return what pytest said of the page's code, in a folder and process of its own."""
    (folder / "test_mine.py").write_text("\n".join((TOY, PROOF + QUICKLY, *changes)), encoding="utf-8")
    settings = f"{SETTINGS}pythonpath = {ROOT / 'src'}\n"
    (folder / "pytest.ini").write_text(settings, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", which, "test_mine.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_it_takes_ten_lines() -> None:
    """The whole proof is ten lines."""
    assert len([line for line in PROOF.splitlines() if line]) <= 10


def test_a_sound_store_passes(tmp_path: Path) -> None:
    """The toy runs the contract, the state machine and the check of what happens at once."""
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout
    assert int(re.findall(r"(\d+) passed", done.stdout)[0]) > 100


def test_a_broken_store_fails(tmp_path: Path) -> None:
    """A store that forgets its transcripts is told by name what it does not keep."""
    broken = "async def nothing(self, *args, **kwargs):\n    return []\n\nMyStore.load_messages = nothing\n"
    done = run(tmp_path, broken, which="turn or at_once")  # the machines would look long for the shortest way to see it
    assert done.returncode == 1
    assert "test_what_happens_at_once" in done.stdout
