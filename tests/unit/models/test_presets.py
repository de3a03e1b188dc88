"""The table of presets: which row a model gets, and that each row makes sense."""

from __future__ import annotations

import re

import pytest

from zhiji.errors import ConfigError
from zhiji.models.presets import PRESETS, choose


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-4o-mini-2024-07-18", "gpt-4o"),
        ("openai/gpt-4.1-nano", "gpt-4.1"),
        ("gpt-5-mini", "gpt-5"),
        ("gpt-5-chat-latest", "gpt-5-chat"),
        ("gpt-4", "gpt-4"),
        ("gpt-4-turbo", "gpt-4-turbo"),
        ("o3-mini", "o-series"),
        ("o1-mini", "o1-mini"),
        ("o1", "o-series"),
        ("claude-3-5-sonnet-20241022", "claude-3.5"),
        ("claude-3-7-sonnet-latest", "claude-3"),
        ("anthropic/claude-sonnet-4-5", "claude-4"),
        ("gemini-2.5-flash", "gemini-2.5"),
        ("models/gemini-1.5-pro-002", "gemini-1.5-pro"),
        ("deepseek-chat", "deepseek-chat"),
        ("deepseek-reasoner", "deepseek-reasoner"),
        ("qwen-plus-latest", "qwen-plus"),
        ("Qwen/Qwen2.5-7B-Instruct", "qwen2.5"),
        ("Qwen/Qwen3-8B", "qwen3"),
        ("glm-4-plus", "glm-4"),
        ("GLM-4.6", "glm-4.6"),
        ("glm-4.5-air", "glm-4.5"),
        ("moonshot-v1-8k", "moonshot-8k"),
        ("kimi-k2-0905-preview", "kimi-k2"),
        ("MiniMax-M2", "minimax"),
        ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1"),
        ("meta-llama/Meta-Llama-3-8B", "llama-3"),
        ("mistral-small-latest", "mistral"),
    ],
)
def test_models_are_known_by_name(model: str, name: str) -> None:
    """The first row that fits a model's name, without its vendor, is its preset."""
    found = choose("auto", model=model)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize("model", ["offline", "my-own-model", "", "olm", "o", "gpt", "smollm2"])
def test_unknown_models_have_none(model: str) -> None:
    """A model that no row fits is not capped."""
    assert choose("auto", model=model) is None


@pytest.mark.parametrize("url", ["http://127.0.0.1:11434/v1", "http://ollama:11434"])
def test_ollama_is_known_by_its_port(url: str) -> None:
    """Ollama gives any model its own window, so the port decides before the name."""
    found = choose("auto", model="qwen2.5:7b", base_url=url)
    assert found is not None
    assert (found.name, found.truncates) == ("ollama", True)


@pytest.mark.parametrize(
    "url", [None, "https://api.example.com/v1", "http://host:port/v1", "http://[", "http://h:99999"]
)
def test_other_addresses_decide_nothing(url: str | None) -> None:
    """Any other address, even a broken one, leaves the choice to the name."""
    found = choose("auto", model="qwen2.5:7b", base_url=url)
    assert found is not None
    assert found.name == "qwen2.5"


def test_a_name_wins_over_model_and_address() -> None:
    """A preset that was named is taken, ``none`` caps nothing."""
    found = choose("none", model="gpt-4", base_url="http://127.0.0.1:11434/v1")
    assert found is not None
    assert (found.window, found.truncates) == (None, False)


def test_an_unknown_name_lists_the_names() -> None:
    """A name that is none is a configuration error that says which there are."""
    with pytest.raises(ConfigError, match=r"model_preset: .*'gpt-9'.* gpt-4o, .* ollama"):
        choose("gpt-9", model="gpt-4o")


def test_rows_make_sense() -> None:
    """Names are unique, patterns compile, a reply is never longer than the window, each window has a source."""
    assert len({preset.name for preset in PRESETS}) == len(PRESETS)
    for preset in PRESETS:
        re.compile(preset.pattern)
        assert preset.window is None or preset.source
        assert preset.output is None or (preset.window is not None and 0 < preset.output <= preset.window)
