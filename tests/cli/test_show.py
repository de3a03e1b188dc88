"""Output stays aligned in any script, and cannot steer a terminal."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from rich.cells import cell_len
from rich.console import RenderableType
from rich.text import Text

from zhiji.cli import show, words
from zhiji.cli.plain import plain
from zhiji.types import Memory, Recalled, Status, Usage, Via

NOW = datetime(2026, 11, 2, 8, 30, tzinfo=UTC)


def memory(content: str, *, type: str = "identity", key: str | None = None) -> Memory:
    """Return a memory to print."""
    return Memory(id="mem_1", type=type, content=content, key=key, valid_from=NOW, created_at=NOW, updated_at=NOW)


def printed(capsys: pytest.CaptureFixture[str], renderable: RenderableType) -> list[str]:
    """Return the lines that a renderable prints."""
    show.out().print(renderable)
    return capsys.readouterr().out.splitlines()


def test_columns_align_across_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    """A column begins at the same cell whether what stands before it is Chinese, English or an emoji."""
    table = show.columns("session", "status")
    for name in ("住在杭州", "lives in Leeds", "🍜 面", "ｆｕｌｌ"):
        table.add_row(Text(name), Text("|"))
    starts = {cell_len(line.split("|")[0]) for line in printed(capsys, table) if "|" in line}
    assert len(starts) == 1


def test_memories_align_in_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    """Labels of two and of three characters leave the contents aligned."""
    token = words.LANGUAGE.set("zh")
    try:
        lines = printed(capsys, show.memories([memory("叫李四"), memory("|x", type="after_sale")]))
    finally:
        words.LANGUAGE.reset(token)
    assert cell_len(lines[0].split("叫")[0]) == cell_len(lines[2].split("|")[0])


def test_content_is_never_markup(capsys: pytest.CaptureFixture[str]) -> None:
    """Brackets and colons of a memory are shown as they are."""
    (first, _) = printed(capsys, show.memories([memory("[bold]hi[/bold] :smile: [/]")]))
    assert "[bold]hi[/bold] :smile: [/]" in first


def test_content_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Escape sequences in a memory do not reach the terminal."""
    lines = printed(capsys, show.memories([memory("a\x1b[2Jb\x07c\x9bd\u202ee")]))
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set("".join(lines))


def test_emoji_stay_whole() -> None:
    """Joined emoji and variation selectors are no control characters."""
    assert show.visible("👩‍👧 ❤️\t好\n") == "👩‍👧 ❤️\t好\n"


@pytest.mark.parametrize("share", [0.0, 0.001, 0.5, 1.0, 1.7])
def test_a_bar_has_a_fixed_length(share: float) -> None:
    """A bar is as long as it should be; a little is visible, too much does not run over."""
    bar = show.bar(share, 10)
    assert len(bar) == 10
    assert (bar.count("█") > 0) is (share > 0)


def test_usage_shows_every_part(capsys: pytest.CaptureFixture[str]) -> None:
    """Each part of a request is on a line of its own, and the sum below."""
    lines = printed(capsys, show.usage(Usage(system=100, memory=20, input=7, reserve=1000, limit=8000)))
    assert [line.split()[0] for line in lines[:7]] == [
        "system",
        "memory",
        "summary",
        "history",
        "tool",
        "input",
        "reserve",
    ]
    assert lines[7] == "127 of 8,000 tokens, 14% with the reserve"


def test_recalled_shows_the_terms(capsys: pytest.CaptureFixture[str]) -> None:
    """Each term of the score is named beside the memory."""
    item = Recalled(
        memory=memory("叫李四", key="identity:name"), score=0.8125, terms={"similarity": 0.9}, via=Via.KEYWORD
    )
    text = "\n".join(printed(capsys, show.recalled([item])))
    assert "0.812" in text
    assert "similarity 0.90 · keyword · identity:name" in text


def test_json_holds_text_as_it_is() -> None:
    """Values become JSON: times in ISO 8601, enums as their values, Chinese unescaped, derived numbers included."""
    value = {"memory": memory("叫李四"), "usage": Usage(system=1, limit=10), "status": Status.ACTIVE, "ids": ("a",)}
    text = json.dumps(plain(value), ensure_ascii=False)
    back = json.loads(text)
    assert "叫李四" in text
    assert back["memory"]["valid_from"] == "2026-11-02T08:30:00+00:00"
    assert (back["usage"]["total"], back["status"], back["ids"]) == (1, "active", ["a"])


def test_json_refuses_what_it_does_not_know() -> None:
    """A value without a JSON form is an error of ours, not a guess."""
    with pytest.raises(TypeError, match="object has no JSON form"):
        plain(object())
