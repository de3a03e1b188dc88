"""The project's own files say what is true and name no registry."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.lock"))
PINNED = re.compile(r"^([a-z0-9._-]+)==(\S+) \\$", re.MULTILINE)


def project() -> dict[str, Any]:
    """Return pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def package(requirement: str) -> str:
    """Return the package that a requirement names, in its canonical spelling."""
    return re.split(r"[<>=!~;\[ ]", requirement)[0].lower().replace("_", "-")


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_locks_name_no_registry(lock: Path) -> None:
    """A lock holds versions and hashes: no address, no index, no options, so that every mirror will do."""
    text = lock.read_text(encoding="utf-8")
    assert not re.search(r"://|^\s*-(?!-hash=sha256:)", text, re.MULTILINE)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_every_version_has_hashes(lock: Path) -> None:
    """Each pinned package is followed by at least one hash."""
    blocks = re.split(r"\n(?=[a-z])", lock.read_text(encoding="utf-8").split("\n", 1)[1].strip())
    assert blocks
    assert not [block.splitlines()[0] for block in blocks if "--hash=sha256:" not in block]


@pytest.mark.parametrize(
    ("lock", "wanted"),
    [
        ("runtime", project()["project"]["dependencies"]),
        ("runtime", project()["build-system"]["requires"]),
        ("dev", project()["dependency-groups"]["dev"]),
        ("bench", project()["dependency-groups"]["bench"]),
        ("embed", project()["project"]["optional-dependencies"]["embed"]),
    ],
    ids=["runtime", "build", "dev", "bench", "embed"],
)
def test_locks_cover_what_is_required(lock: str, wanted: list[str]) -> None:
    """Everything that pyproject.toml asks for is pinned."""
    pinned = {name for name, _ in PINNED.findall((ROOT / "requirements" / f"{lock}.lock").read_text(encoding="utf-8"))}
    assert not {package(requirement) for requirement in wanted} - pinned


def test_locks_agree() -> None:
    """A package that several locks pin has one version."""
    versions: dict[str, set[str]] = {}
    for lock in LOCKS:
        for name, version in PINNED.findall(lock.read_text(encoding="utf-8")):
            versions.setdefault(name, set()).add(version)
    assert not {name: found for name, found in versions.items() if len(found) > 1}


def test_make_lists_its_recipes() -> None:
    """`make` alone lists every documented recipe."""
    shown = subprocess.run(["make", "-s"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    recipes = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"demo", "test", "check", "bench", "lint", "types", "layers"} <= set(recipes)
    assert re.findall(r"^  make ([a-z-]+)", shown, re.MULTILINE) == recipes


def test_an_old_python_is_refused_in_one_sentence(tmp_path: Path) -> None:
    """Setting up with a Python that is too old says so, and how to go on."""
    old = tmp_path / "python3"
    old.write_text('#!/bin/sh\ncase "$2" in *platform*) echo 3.9.2;; *) exit 1;; esac\n', encoding="utf-8")
    old.chmod(0o755)
    told = _check_python(str(old))
    assert (told.returncode, told.stderr.count("\n")) == (1, 1)
    assert "3.9.2" in told.stderr
    assert "3.11 or newer" in told.stderr


def test_a_missing_python_is_refused_in_one_sentence(tmp_path: Path) -> None:
    """Setting up without any Python says what to install."""
    told = _check_python(str(tmp_path / "python3"))
    assert (told.returncode, told.stderr.count("\n")) == (1, 1)
    assert "apt install python3 python3-venv" in told.stderr


def test_a_missing_venv_is_refused_in_one_sentence(tmp_path: Path) -> None:
    """Debian ships venv apart; its absence is named, with the package."""
    bare = tmp_path / "python3"
    bare.write_text('#!/bin/sh\ncase "$2" in *ensurepip*) exit 1;; esac\n', encoding="utf-8")
    bare.chmod(0o755)
    told = _check_python(str(bare))
    assert (told.returncode, told.stderr.count("\n")) == (1, 1)
    assert "apt install python3-venv" in told.stderr


def _check_python(python: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ROOT / "requirements" / "check-python", python], capture_output=True, text=True, check=False)
