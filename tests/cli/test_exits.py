"""Every error has one exit code, one sentence, and its Chinese."""

from __future__ import annotations

import pytest

from zhiji.cli import exits, words, zh
from zhiji.cli.exits import exit_code
from zhiji.errors import (
    ConfigError,
    ContextTooLarge,
    EmptyMessage,
    Forbidden,
    LeaseLost,
    SessionBusy,
    SessionExpired,
    SessionNotFound,
    StaleState,
    StoreBusy,
    StoreReadOnly,
    ToolLoop,
    ZhijiError,
)


def below(kind: type[ZhijiError]) -> list[type[ZhijiError]]:
    """Return every error class under ``kind``."""
    return [
        found
        for child in kind.__subclasses__()
        if child.__module__ == kind.__module__
        for found in (child, *below(child))
    ]


ERRORS = below(ZhijiError)


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_every_error_is_mapped(kind: type[ZhijiError]) -> None:
    """No error class is without an exit code of its own or of its base."""
    assert exit_code(kind()) in range(2, 9)


@pytest.mark.parametrize("kind", [ZhijiError, *ERRORS], ids=lambda kind: kind.__name__)
def test_every_error_has_its_chinese(kind: type[ZhijiError]) -> None:
    """A Chinese reader gets a Chinese sentence for every error."""
    assert zh.ERRORS[kind.code]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (EmptyMessage(), 2),
        (ConfigError(), 2),
        (SessionNotFound(), 3),
        (SessionExpired(), 3),
        (SessionBusy(), 4),
        (StaleState(), 4),
        (LeaseLost(), 4),
        (StoreBusy(), 4),
        (ContextTooLarge(), 5),
        (StoreReadOnly(), 6),
        (ToolLoop(), 7),
        (Forbidden(), 8),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, ZhijiError) else "",
)
def test_codes_follow_the_contract(error: ZhijiError, code: int) -> None:
    """Codes are those of the contract: 2 usage, 3 not found, 4 conflict or busy, 5 too large, 6 store, 7 model, 8 forbidden."""
    assert exit_code(error) == code


def test_the_bare_base_class_is_a_bug() -> None:
    """An error of no class of its own is ours, not the user's."""
    assert exit_code(ZhijiError()) == exits.INTERNAL


def test_an_error_keeps_what_is_special_to_it() -> None:
    """In Chinese the sentence of the class comes first, then what this occurrence says."""
    token = words.LANGUAGE.set("zh")
    try:
        assert words.explain(StaleState()) == zh.ERRORS["stale_state"]
        assert words.explain(ConfigError("tenant: too short")) == f"{zh.ERRORS['config_error']}（tenant: too short）"
    finally:
        words.LANGUAGE.reset(token)


def test_an_error_is_one_line() -> None:
    """Line breaks in a message do not reach the terminal."""
    assert words.explain(ConfigError("first\n  second")) == "first second"
