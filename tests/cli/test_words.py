"""The interface speaks English and Chinese, completely."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest

import zhiji.cli
from zhiji import errors
from zhiji.cli import chat, doctor, upkeep, words, zh
from zhiji.config import Settings
from zhiji.relation.judge import Relation
from zhiji.stores.columns import COLUMNS
from zhiji.stores.postgres.connection import _REFUSALS
from zhiji.types import JobStatus, SessionStatus, Status, Trust, Via

SOURCES = sorted(Path(zhiji.cli.__file__).parent.glob("*.py"))
DYNAMIC = {
    *(member.value for enum in (Status, SessionStatus, JobStatus, Trust, Via) for member in enum),
    *("owners", "copied", "uses", *COLUMNS),
    *("system", "user", "assistant", "tool", "memory", "summary", "history", "input", "reserve"),
    *("context", "profile", "background", *doctor.EVIDENCE),
    *(*upkeep._WOULD, *upkeep._WOULD.values()),
    *("similarity", "decay", "confidence", "type"),
    *get_args(Relation),
    *((command.__doc__ or "").strip() for command in chat.COMMANDS.values()),
}
"""Words that reach ``say`` through a variable."""


def _constants(nodes: Iterator[ast.expr] | list[ast.expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def sentences(tree: ast.Module) -> Iterator[str]:
    """Every text of a module that is shown translated: what is said, heads of tables, help of commands and options."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if _called(node) == "say":
                yield from _constants(node.args[:1])
            if _called(node) == "columns":
                yield from _constants(node.args)
            if _called(node) == "pairs":
                yield from (
                    key
                    for arg in node.args
                    if isinstance(arg, ast.Dict)
                    for key in _constants([k for k in arg.keys if k])
                )
            if _called(node) in ("Option", "Argument", "Typer"):
                yield from _constants([keyword.value for keyword in node.keywords if keyword.arg == "help"])
        if isinstance(node, ast.FunctionDef) and _is_command(node):
            yield " ".join((ast.get_docstring(node) or "").split())


def _is_command(node: ast.FunctionDef) -> bool:
    decorated = any(
        isinstance(mark, ast.Call) and _called(mark) in ("command", "callback") for mark in node.decorator_list
    )
    return decorated or node.name in ("demo", "chat", "recall", "doctor", "erase", "config", "serve", "token", "upkeep")


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_every_sentence_has_its_chinese(source: Path) -> None:
    """No text of the interface is left in English for a Chinese reader."""
    said = set(sentences(ast.parse(source.read_text(encoding="utf-8"))))
    assert said - {""} <= zh.SENTENCES.keys()


def test_every_setting_has_its_chinese() -> None:
    """The meaning of every setting is there in Chinese, quoting the same names."""
    assert zh.SETTINGS.keys() == Settings.model_fields.keys()
    quoted = {name: (field.description or "").count("`") for name, field in Settings.model_fields.items()}
    assert quoted == {name: text.count("`") for name, text in zh.SETTINGS.items()}


@pytest.mark.parametrize("word", sorted(DYNAMIC))
def test_every_word_of_a_closed_set_has_its_chinese(word: str) -> None:
    """Statuses, roles, parts and terms are translated too."""
    assert zh.SENTENCES[word]


STORES = sorted((Path(zhiji.cli.__file__).parents[1] / "stores").rglob("*.py"))


@pytest.mark.parametrize("source", STORES, ids=lambda path: "/".join(path.parts[-2:]))
def test_what_stores_say_of_themselves_has_its_chinese(source: Path) -> None:
    """A store's own sentence in place of its error's usual one is told in Chinese, too, not with a general one before it."""
    kinds = (errors.StoreError, errors.Conflict)
    said = {
        text
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(kind := getattr(errors, _called(node), None), type)
        and issubclass(kind, kinds)
        for text in _constants(node.args[:1])
    }
    assert said <= zh.STORES.keys()


def test_a_refusal_at_the_door_is_told_in_chinese() -> None:
    """Why the server lets nobody in is one Chinese sentence, with no English behind it."""
    token = words.LANGUAGE.set("zh")
    try:
        told = [words.explain(errors.StoreUnavailable(sentence)) for _, sentence in _REFUSALS]
    finally:
        words.LANGUAGE.reset(token)
    assert told == [zh.STORES[sentence] for _, sentence in _REFUSALS]


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "ZHIJI_LANG": "zh"}, "zh"),
        ({"LANG": "zh_TW", "ZHIJI_LANG": "en"}, "en"),
        ({"LANG": "zh_CN", "LC_ALL": ""}, "zh"),
    ],
)
def test_the_environment_chooses_the_language(environ: dict[str, str], language: str) -> None:
    """ZHIJI_LANG decides, then the locale's variables in their usual order; empty ones do not count."""
    assert words.preferred(environ) == language


def test_placeholders_survive_translation() -> None:
    """A Chinese sentence has the very placeholders of its English one."""
    names = [
        [sorted(field.split(":")[0] for _, field, _, _ in Formatter().parse(text) if field) for text in pair]
        for pair in zh.SENTENCES.items()
    ]
    assert not [english for english, chinese in names if english != chinese]
