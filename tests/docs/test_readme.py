"""README.md and README.zh-CN.md say the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENGLISH = (ROOT / "README.md").read_text(encoding="utf-8")
CHINESE = (ROOT / "README.zh-CN.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)]+)\)")
EACH_OTHER = {"README.md", "README.zh-CN.md"}


def headings(text: str) -> list[int]:
    """Return the levels of the headings, in order."""
    return [len(marks) for marks in re.findall(r"^(#+) ", BLOCK.sub("", text), re.MULTILINE)]


def tables(text: str) -> list[tuple[int, int]]:
    """Return rows and columns of each table, in order."""
    found = re.findall(r"(?:^\|.*\n)+", BLOCK.sub("", text), re.MULTILINE)
    return [(table.count("\n"), table.split("\n", 1)[0].count("|")) for table in found]


def quoted(text: str) -> list[str]:
    """Return the inline code, sorted."""
    return sorted(re.findall(r"`([^`\n]+)`", BLOCK.sub("", text)))


def test_the_same_headings() -> None:
    """Both have the same outline."""
    assert headings(ENGLISH) == headings(CHINESE)


def test_the_same_code() -> None:
    """Both have the same code blocks, to the letter."""
    assert BLOCK.findall(ENGLISH) == BLOCK.findall(CHINESE)


def test_the_same_names() -> None:
    """Both quote the same commands, names and settings in the text."""
    assert quoted(ENGLISH) == quoted(CHINESE)


def test_the_same_tables() -> None:
    """Both have tables of the same shapes."""
    assert tables(ENGLISH) == tables(CHINESE)


def test_the_same_links() -> None:
    """Both link to the same places, and each to the other."""
    links = (set(LINK.findall(ENGLISH)), set(LINK.findall(CHINESE)))
    assert links[0] - EACH_OTHER == links[1] - EACH_OTHER
    assert (links[0] & EACH_OTHER, links[1] & EACH_OTHER) == ({"README.zh-CN.md"}, {"README.md"})


@pytest.mark.parametrize(
    "page", [path.relative_to(ROOT) for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))], ids=str
)
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link of every page leads to a file of the project."""
    targets = [
        link.partition("#")[0] for link in LINK.findall(BLOCK.sub("", (ROOT / page).read_text(encoding="utf-8")))
    ]
    local = [target for target in targets if target and "://" not in target]
    assert not [target for target in local if not (ROOT / page.parent / target).exists()]


def test_the_first_screen_has_the_two_commands() -> None:
    """What it is in two sentences, then `make demo` and `make test`."""
    first = ENGLISH.split("\n## ")[0]
    assert first.index("zhiji gives") < first.index("make demo") < first.index("make test")
