"""What the model extractor asks: one language at a time, built from the tables."""

from __future__ import annotations

import re
from typing import Any

import pytest

from unit.extract.grading import NOW, Dialogue, messages
from zhiji import policies
from zhiji.extract import Increment
from zhiji.extract.prompts import NOT_ASKED_FOR, chat, language, schema
from zhiji.types import Memory, Status


def increment(*dialogue: tuple[str, str], pending: tuple[Memory, ...] = ()) -> Increment:
    said: Dialogue = dialogue  # type: ignore[assignment]  # roles, as tests write them
    return Increment(messages=messages(said), pending=pending, now=NOW)


def prompt(*dialogue: tuple[str, str]) -> str:
    return "\n".join(str(message["content"]) for message in chat(increment(*dialogue)))


def test_a_chinese_conversation_is_asked_about_in_chinese() -> None:
    """The instructions are Chinese throughout: English are only names of fields, types and keys."""
    asked = prompt(("user", "我叫李四"))
    assert "只回答 JSON" in asked
    assert not re.search(r"[a-z]+ [a-z]+ [a-z]+", asked)


def test_an_english_conversation_is_asked_about_in_english() -> None:
    """The instructions hold no Chinese character."""
    asked = prompt(("user", "my name is Li Si"))
    assert "Answer with JSON only" in asked
    assert not re.search("[一-鿿]", asked)


@pytest.mark.parametrize(
    ("dialogue", "lang"),
    [
        ([("user", "我对花生过敏 😀")], "zh"),
        ([("user", "我對花生過敏")], "zh"),
        ([("user", "ok"), ("assistant", "好的，还有什么可以帮您？")], "en"),
        ([("user", "😀")], "en"),
    ],
)
def test_the_users_words_decide(dialogue: list[tuple[str, str]], lang: str) -> None:
    """What the assistant says does not."""
    assert language(increment(*dialogue)) == lang


@pytest.mark.parametrize("said", ["我叫李四", "my name is Li Si"])
def test_every_type_and_attribute_is_asked_for(said: str) -> None:
    """Each listed type with a sentence of its own, but for those that zhiji writes; each key of the table."""
    asked = prompt(("user", said))
    wanted = [name for name in policies.listed_types() if name not in NOT_ASKED_FOR]
    assert [name for name in wanted if not re.search(rf"(?m)^- {name}[:：] ?\S", asked)] == []
    assert not re.search(r"(?m)^- (?:summary|reflection|episode)", asked)
    assert [entry.key for entry in policies.ATTRIBUTES if entry.key not in asked] == []


def test_the_schema_is_what_strict_servers_take() -> None:
    """Objects name all their properties as required and allow no others; types are those asked for."""
    made: Any = schema()
    items = made["properties"]["memories"]["items"]
    for each in (made, items):
        assert each["required"] == list(each["properties"])
        assert each["additionalProperties"] is False
    assert "order" in items["properties"]["type"]["enum"]
    assert "episode" not in items["properties"]["type"]["enum"]


def test_what_waits_for_a_yes_is_marked() -> None:
    """A memory that was asked about stands behind the known ones, marked in the prompt's language."""
    memory = Memory(
        id="mem_1", type="identity", content="用户对花生过敏", status=Status.QUARANTINED, valid_from=NOW, created_at=NOW, updated_at=NOW
    )  # fmt: skip
    asked = str(chat(increment(("user", "好的"), pending=(memory,)))[0]["content"])
    assert asked.endswith("#0 identity: 用户对花生过敏（待确认）")
