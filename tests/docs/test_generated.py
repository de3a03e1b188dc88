"""What the pages repeat from the code is what the code says."""

from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from zhiji import cli
from zhiji.config import Settings

ROOT = Path(__file__).parents[2]
GENERATE = runpy.run_path(str(ROOT / "docs" / "generate.py"))
PAGES: list[str] = list(GENERATE["PAGES"])
SHOWN = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
CODE = re.compile(r"^```sh\n(.*?)^```$|`([^`\n]+)`", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^(?:\.venv/bin/)?zhiji ((?:[a-z]+ )?[a-z]+)\b", re.MULTILINE)
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"^(?:[A-Z_]+=\S+ )*(?:\.venv/bin/)?zhiji (.+)$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_generated_parts_are_fresh(page: str) -> None:
    """`make docs` would change nothing."""
    text = (ROOT / page).read_text(encoding="utf-8")
    assert GENERATE["PART"].search(text)
    assert GENERATE["fresh"](text) == text


@pytest.mark.parametrize("called", GENERATE["library_reference"].HOLDERS)
def test_every_name_of_the_library_is_documented(called: str) -> None:
    """The reference has each public name of the façade, with a sentence."""
    text = (ROOT / "docs" / "reference" / "library.md").read_text(encoding="utf-8")
    names = [name for name in vars(GENERATE["library_reference"].HOLDERS[called]) if not name.startswith("_")]
    assert names
    for name in names:
        assert re.search(rf"^### (?:{re.escape(called)}|Zhiji)\.{name}\n", text, re.MULTILINE), name


def test_every_setting_is_documented() -> None:
    """The reference names every setting, with a meaning."""
    text = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    assert not [name for name in Settings.model_fields if f"`ZHIJI_{name.upper()}`" not in text]
    assert not [name for name, field in Settings.model_fields.items() if not field.description]


@pytest.mark.parametrize("page", [page for page in SHOWN if "adr" not in page.parts], ids=lambda page: page.stem)
def test_commands_exist(page: Path) -> None:
    """Every `zhiji …` in the pages is a command that is there."""
    code = ("".join(found) for found in CODE.findall(page.read_text(encoding="utf-8")))
    wanted = {tuple(match.split()) for part in code for match in COMMAND.findall(part)}
    known: Any = get_command(cli.app)
    for words in wanted:
        assert words[0] in known.commands, words
        inner = getattr(known.commands[words[0]], "commands", None)
        assert inner is None or len(words) == 1 or words[1] in inner, words


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.stem)
def test_commands_can_be_typed_as_printed(page: Path) -> None:
    """What calls zhiji in a shell block, or in a how-to with an option, has options that exist and all that is required."""
    text = page.read_text(encoding="utf-8")
    lines = [line for block in SHELL.findall(text) for line in CALL.findall(block)]
    if page.parent.name == "howto":
        lines += [code for code in re.findall(r"`zhiji ([^`\n]+)`", text) if " --" in code]
    for line in lines:
        command: Any = get_command(cli.app)
        words = [word for word in shlex.split(line, comments=True) if word not in ("--json", "--verbose")]
        while words and words[0] in getattr(command, "commands", {}):
            command = command.commands[words.pop(0)]
        assert not hasattr(command, "commands"), line
        command.make_context(command.name, words)
