"""``zhiji config``: the settings in force, and where each comes from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from zhiji.cli import show
from zhiji.cli.words import meaning, say

if TYPE_CHECKING:
    from zhiji.config import Settings

SECRETS = frozenset({"llm_api_key", "redis_url"})
"""Shown only as set or not set; a URL may carry a password."""


def config() -> None:
    """Show every setting, its value, where it comes from and what it means."""
    from zhiji.config import Settings

    settings = Settings.from_environment()
    rows = {name: _row(settings, name) for name in Settings.model_fields}

    def render() -> RenderableType:
        table = show.columns("setting", "value", "from", "meaning")
        for row in rows.values():
            table.add_row(row["variable"], Text(row["shown"]), row["source"], Text(row["meaning"], style="dim"))
        return table

    show.emit({name: _public(settings, name, row) for name, row in rows.items()}, render)


def _row(settings: Settings, name: str) -> Mapping[str, str]:
    value = getattr(settings, name)
    shown = ("***" if value else "–") if name in SECRETS else "–" if value is None else str(value)
    return {
        "variable": f"ZHIJI_{name.upper()}",
        "shown": show.visible(shown),
        "source": _source(name),
        "meaning": meaning(name),
    }


def _public(settings: Settings, name: str, row: Mapping[str, str]) -> dict[str, object]:
    value = getattr(settings, name)
    hidden = name in SECRETS and value is not None
    return {
        "variable": row["variable"],
        "value": "***" if hidden else value,
        "source": row["source"],
        "meaning": row["meaning"],
    }


def _source(name: str) -> str:
    from zhiji.config import BARE_NAMES

    for variable in (f"ZHIJI_{name.upper()}", name.upper()):
        if variable in os.environ and (variable.startswith("ZHIJI_") or variable in BARE_NAMES):
            return variable
    return say("default")
