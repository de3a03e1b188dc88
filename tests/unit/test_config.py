"""Settings: which names of the environment who reads, and which value wins."""

from __future__ import annotations

import os
import traceback
from datetime import UTC, datetime, timedelta

import pytest

from zhiji.config import BARE_NAMES, Settings
from zhiji.errors import ConfigError

VALUES = {
    **dict.fromkeys(BARE_NAMES, "7"),
    "DATABASE_URL": "sqlite:///agent_memory.db",
    "MAX_CONTEXT_TOKENS": "6000",
    "MAX_HISTORY_TURNS": "30",
}


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*os.environ]:
        if name.startswith("ZHIJI_") or name in BARE_NAMES:
            monkeypatch.delenv(name)


def test_only_service_and_command_line_read_bare_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """The names of the article without a prefix are a host's own to the library, and settings to everybody else."""
    for name, value in VALUES.items():
        monkeypatch.setenv(name, value)
    assert Settings() == Settings.load()
    read = Settings.from_environment()
    assert {name: str(getattr(read, name.lower())) for name in BARE_NAMES} == VALUES


@pytest.mark.parametrize("name", BARE_NAMES)
def test_the_prefixed_name_wins_and_a_given_value_over_both(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """``ZHIJI_X`` wins over ``X``, and what is passed over both."""
    monkeypatch.setenv(name, VALUES[name])
    prefixed = "9000" if name == "MAX_CONTEXT_TOKENS" else "9"
    monkeypatch.setenv(f"ZHIJI_{name}", prefixed)
    assert str(getattr(Settings.from_environment(), name.lower())) == prefixed
    given = getattr(Settings(), name.lower())
    monkeypatch.setenv(f"ZHIJI_{name}", VALUES[name])
    assert getattr(Settings.from_environment(**{name.lower(): given}), name.lower()) == given


@pytest.mark.parametrize("name", BARE_NAMES)
def test_an_empty_variable_is_not_set(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a compose file or a unit passes on empty leaves the default, and an empty ``ZHIJI_X`` does not hide ``X``."""
    monkeypatch.setenv(name, "")
    assert Settings.from_environment() == Settings()
    monkeypatch.setenv(f"ZHIJI_{name}", "")
    assert Settings.from_environment() == Settings.load() == Settings()
    monkeypatch.setenv(name, VALUES[name])
    assert str(getattr(Settings.from_environment(), name.lower())) == VALUES[name]


def test_a_wrong_value_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the variable as it was set, not what was in it."""
    monkeypatch.setenv("SESSION_TTL_SECONDS", "sk-soon")
    with pytest.raises(ConfigError, match=r"^SESSION_TTL_SECONDS: ") as caught:
        Settings.from_environment()
    assert "sk-soon" not in str(caught.value)


def test_a_refused_token_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A token that is too short is neither in the error nor in its causes, which ``--verbose`` shows."""
    monkeypatch.setenv("ZHIJI_TOKEN", "swordfish")
    with pytest.raises(ConfigError) as refused:
        Settings.from_environment()
    assert "swordfish" not in "".join(traceback.format_exception(refused.value))


@pytest.mark.parametrize(
    "name", [name for name in Settings.model_fields if name.rpartition("_")[2] in ("seconds", "days")]
)
def test_times_have_a_date(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The longest time that a setting takes can be added to and taken from a date."""
    monkeypatch.setenv(f"ZHIJI_{name.upper()}", "1e300")
    with pytest.raises(ConfigError):
        Settings.from_environment()
    bound = next(rule.le for rule in Settings.model_fields[name].metadata if hasattr(rule, "le"))
    longest = timedelta(**{name.rpartition("_")[2]: bound})
    today = datetime(2024, 4, 15, tzinfo=UTC)
    assert today - longest < today < today + longest


@pytest.mark.parametrize(
    ("name", "url"),
    [("database_url", "postgresql://me:p@very-secret@db/z"), ("redis_url", "redis://:very-secret/x@cache/0")],
)
def test_a_refused_url_is_not_repeated(name: str, url: str) -> None:
    """A URL that is none is named by its setting; neither the error nor its causes hold what was in it."""
    with pytest.raises(ConfigError, match=rf"^{name}: .*%40") as refused:
        Settings.load(**{name: url})
    assert "very-secret" not in "".join(traceback.format_exception(refused.value))


def test_the_settings_text_holds_no_secrets() -> None:
    """What is logged of settings by accident, or stands in a failed assertion, has neither keys nor URLs in it."""
    made = Settings.load(
        database_url="postgresql://me:very-secret@db/z",
        redis_url="redis://:very-secret@cache",
        llm_api_base="https://me:very-secret@llm.example.com",
        llm_api_key="very-secret",
        token="very-secret-very-secret",
    )
    assert "very-secret" not in f"{made!r} {made} {[made]}"
