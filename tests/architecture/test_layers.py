"""Imports point down only, stay lazy, and reach no network."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src" / "zhiji").rglob("*.py"))
NETWORK = ("aiohttp", "ftplib", "http", "httpx", "requests", "smtplib", "ssl", "urllib.request", "urllib3", "xmlrpc")


def imported(source: Path) -> set[str]:
    """Return the modules that a file imports anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def test_layers_hold() -> None:
    """Every contract of import-linter in pyproject.toml is kept. (A process of its own: the tool resets all logging.)"""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()", "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_reaches_the_network(source: Path) -> None:
    """No module imports a network client: what the user did not configure is never called."""
    clients = [name for name in imported(source) if any(name == one or name.startswith(f"{one}.") for one in NETWORK)]
    assert not clients


def test_importing_zhiji_is_lazy() -> None:
    """`import zhiji` loads none of the heavy packages; the engine comes when it is first asked for."""
    heavy = ("numpy", "pydantic", "rich", "typer", "phonenumbers", "yaml", "limits", "psycopg", "redis")
    program = f"import zhiji, sys; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_library_does_not_load_the_command_line() -> None:
    """A host that loads zhiji pays for no terminal library, and for limits, PostgreSQL and Redis only where they are set."""
    heavy = ("rich", "typer", "limits", "psycopg", "redis")
    program = f"import zhiji, sys; zhiji.Zhiji; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("command", ["", "serve", "migrate", "move", "reindex"])
def test_help_loads_no_engine(command: str) -> None:
    """`--help`, of zhiji and of what works on databases, loads neither the engine nor a database."""
    heavy = ("zhiji.engine", "numpy", "limits", "psycopg", "redis", "starlette")
    program = f"""
import sys
from zhiji.cli import main
try:
    main({[*command.split(), "--help"]!r})
finally:
    print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
