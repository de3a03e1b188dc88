"""The code in the pages runs as it stands there."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
import yaml

from zhiji.demo import script
from zhiji.demo.play import play

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "docs" / "tutorial.md", *(ROOT / "docs" / "howto").glob("*.md")])
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
YAML = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, kind: re.Pattern[str]) -> list[str]:
    """Return the code blocks of one kind, in order."""
    return kind.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, PYTHON)], ids=lambda page: page.stem)
def test_python_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page run one after the other in an empty folder; a later one may use names of an earlier one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ZHIJI_EMBEDDER", "off")
    names: dict[str, object] = {"__name__": "__main__"}
    for number, block in enumerate(blocks(page, PYTHON), start=1):
        exec(compile(block, f"{page.name}, block {number}", "exec"), names)
    opened = any("Zhiji.open(" in block for block in blocks(page, PYTHON))
    assert (tmp_path / "zhiji.db").exists() == opened


def stories(page: Path) -> list[str]:
    """Return the YAML blocks that are stories; others configure somebody else."""
    return [block for block in blocks(page, YAML) if "steps:" in block]


@pytest.mark.parametrize("page", [page for page in PAGES if stories(page)], ids=lambda page: page.stem)
def test_stories_play(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A story shown in a page passes, and its control fails."""
    monkeypatch.setenv("ZHIJI_EMBEDDER", "off")
    for block in stories(page):
        story = script.parse(block, page.name)
        assert asyncio.run(play(story)).passed
        assert not asyncio.run(play(story, no_memory=True)).passed


def test_yaml_is_yaml() -> None:
    """Every YAML block of the pages can be read."""
    found = [yaml.safe_load(block) for page in PAGES for block in blocks(page, YAML)]
    assert found
    assert all(isinstance(one, dict) for one in found)
