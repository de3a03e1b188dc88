"""The pairs of `zhiji bench consolidation`: how they are read, what is refused, and what their figures mean."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from zhiji import Settings
from zhiji.bench import consolidation
from zhiji.errors import InvalidInput
from zhiji.testing import HashEmbedder

PAIRS = [
    {"lang": "zh", "old": "用户叫李四", "new": "用户的名字是李四", "relation": "same"},
    {"lang": "mixed", "old": "The user lives in Seattle", "new": "用户已经搬到丹佛", "relation": "supersede"},
    {"lang": "zh", "old": "用户对花生过敏", "new": "用户对虾过敏", "relation": "distinct"},
    {"lang": "en", "old": "Order OD20240415008 has shipped", "new": "Order OD20240415008 was delivered", "relation": "supersede"},
    {"lang": "zh", "old": "用户的电话是 13800138000", "new": "用户喜欢爬山 ⛰️", "relation": "distinct"},
]  # fmt: skip
OFF = Settings.load(embedder="off")


def written(folder: Path, *lines: object) -> Path:
    file = folder / "pairs.jsonl"
    file.write_text("\n".join(x if isinstance(x, str) else json.dumps(x, ensure_ascii=False) for x in lines), "utf-8")
    return file


@pytest.mark.parametrize("embedded", [False, True])
async def test_every_pair_takes_the_whole_path(tmp_path: Path, embedded: bool) -> None:
    """Right pairs are counted over all and by label; nothing else is in the report; nothing stays on disk."""
    told: list[tuple[int, int]] = []
    report = await consolidation.run(
        written(tmp_path, *PAIRS, ""),
        settings=OFF,
        embedder=HashEmbedder() if embedded else None,
        progress=lambda *step: told.append(step),
    )
    assert report == {
        "right": 5,
        "total": 5,
        "distinct_merged": 0,
        "by_relation": {
            "same": {"right": 1, "total": 1},
            "supersede": {"right": 2, "total": 2},
            "distinct": {"right": 2, "total": 2},
        },
    }
    assert told[-1] == (4, 5)


async def test_wrong_pairs_count_against_it(tmp_path: Path) -> None:
    """A label that does not hold is not right; what was merged although it is labelled distinct is told by itself."""
    file = written(
        tmp_path,
        PAIRS[0] | {"relation": "distinct"},
        PAIRS[1] | {"relation": "distinct"},
        PAIRS[2] | {"relation": "same"},
    )
    report = await consolidation.run(file, settings=OFF)
    assert (report["right"], report["total"], report["distinct_merged"]) == (0, 3, 2)


async def test_no_chat_model_is_asked(tmp_path: Path) -> None:
    """A configured model is not used: the figures are those of the rules, and nothing leaves the machine."""
    online = OFF.model_copy(
        update={"llm_model": "m", "llm_api_base": "http://127.0.0.1:9/v1", "redis_url": "redis://127.0.0.1:9"}
    )
    report = await consolidation.run(written(tmp_path, *PAIRS), settings=online)
    assert report["right"] == 5


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("not json", "line 2: this is not JSON"),
        ("[" * 10_000, "line 2: this is not JSON"),
        ("[1]", "line 2: expected a JSON object"),
        ({"new": "b", "relation": "same"}, "line 2: `old` must be a text"),
        ({"old": "a", "new": "​ ", "relation": "same"}, "line 2: `new` must be a text"),
        ({"old": "a", "new": 3, "relation": "same"}, "line 2: `new` must be a text"),
        ({"old": "a", "new": "b", "relation": "equal"}, "line 2: `relation` must be one of same, supersede, distinct"),
        ({"old": "a", "new": "b"}, "line 2: `relation` must be one of"),
        ({"old": "a", "new": "b", "relation": ["same"]}, "line 2: `relation` must be one of"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, line: object, message: str) -> None:
    """In one sentence, with the number of the line."""
    with pytest.raises(InvalidInput, match=message):
        consolidation.load(written(tmp_path, PAIRS[0], line))


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_a_file_without_a_pair_is_refused(tmp_path: Path, content: str) -> None:
    """Figures of nothing would look like a measurement."""
    (tmp_path / "empty.jsonl").write_text(content)
    with pytest.raises(InvalidInput, match="holds no pair"):
        consolidation.load(tmp_path / "empty.jsonl")


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    """Both are refused with the path."""
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for name in ("absent", "binary"):
        with pytest.raises(InvalidInput, match=f"{name}: cannot be read"):
            consolidation.load(tmp_path / name)


def test_line_breaks_of_other_kinds_stay_in_their_line(tmp_path: Path) -> None:
    """A line ends where the file says, not at a separator inside a text."""
    pair = json.dumps({"old": "a\u2028b", "new": "c\x85d", "relation": "distinct"}, ensure_ascii=False)
    assert len(consolidation.load(written(tmp_path, pair, pair))) == 2
