"""ARCHITECTURE.md fits on a few screens and names only what exists."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

import zhiji

ROOT = Path(__file__).parents[2]
PACKAGE = Path(zhiji.__file__).parent
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
MAX_LINES = 150
MAP = TEXT.split("## The map")[1].split("```")[1]
ENTRIES = [
    name for names in re.findall(r"^  ([^\s,]+(?:, [^\s,]+)*) ", MAP, re.MULTILINE) for name in names.split(", ")
]
QUOTED = sorted(set(re.findall(r"`([^`\n]+)`", TEXT)))
PATHS = [name for name in QUOTED if "/" in name and "<" not in name]
NAMES = [name for name in QUOTED if re.fullmatch(r"[a-z_]+(\.[A-Za-z_]+)+", name) and not name.endswith(".py")]


def test_it_is_short() -> None:
    """The page stays within 150 lines."""
    assert len(TEXT.splitlines()) <= MAX_LINES


def test_the_map_shows_every_module() -> None:
    """Each module and sub-package of the top level is on the map."""
    there = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert not there - {"__init__", "__pycache__"} - {entry.partition("/")[0] for entry in ENTRIES}


@pytest.mark.parametrize("entry", ENTRIES)
def test_what_the_map_shows_exists(entry: str) -> None:
    """Each name on the map is a module or a sub-package."""
    assert (PACKAGE / f"{entry}.py").is_file() or (PACKAGE / entry).is_dir()


@pytest.mark.parametrize("path", PATHS)
def test_paths_exist(path: str) -> None:
    """Each path in the text is there, from the project's root or from the package."""
    assert (ROOT / path).exists() or (PACKAGE / path).exists()


@pytest.mark.parametrize("name", NAMES)
def test_names_exist(name: str) -> None:
    """Each dotted name in the text can be imported."""
    module, _, attribute = name.rpartition(".")
    owner, _, inner = module.rpartition(".") if module.split(".")[-1][0].isupper() else (module, "", "")
    found: object = importlib.import_module(f"zhiji.{owner}")
    assert hasattr(getattr(found, inner) if inner else found, attribute)
