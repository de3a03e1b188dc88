"""``zhiji config``: the settings in force, and where each comes from."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from zhiji.cli import show
from zhiji.cli.words import meaning, say

if TYPE_CHECKING:
    from zhiji.config import Settings


_CREDENTIALS = re.compile(r"(?<=:)//[^/@\s]+@")


def config() -> None:
    """Show every setting, its value, where it comes from and what it means."""
    from zhiji.config import Settings

    settings = Settings.from_environment()
    rows = {name: _row(settings, name) for name in Settings.model_fields}

    def render() -> RenderableType:
        table = show.columns("setting", "value", "from", "meaning", whole=("setting",))
        for row in rows.values():
            table.add_row(row["variable"], Text(row["shown"]), row["source"], Text(row["meaning"], style="dim"))
        return table

    show.emit({name: _public(settings, name, row) for name, row in rows.items()}, render)


def _row(settings: Settings, name: str) -> Mapping[str, str]:
    value = getattr(settings, name)
    shown = "–" if value is None else "***" if _is_secret(settings, name) else str(_bare(value))
    return {
        "variable": f"ZHIJI_{name.upper()}",
        "shown": show.visible(shown),
        "source": _source(name),
        "meaning": meaning(name),
    }


def _public(settings: Settings, name: str, row: Mapping[str, str]) -> dict[str, object]:
    value = getattr(settings, name)
    return {
        "variable": row["variable"],
        "value": "***" if _is_secret(settings, name) and value is not None else _bare(value),
        "source": row["source"],
        "meaning": row["meaning"],
    }


def _bare(value: object) -> object:
    """Return a value as it may be shown: a URL without the user and password in it."""
    return _CREDENTIALS.sub("//***@", value) if isinstance(value, str) else value


def _is_secret(settings: Settings, name: str) -> bool:
    """Return whether a setting is shown only as set or not set: those that ``Settings`` leaves out of its own text."""
    return not type(settings).model_fields[name].repr


def _source(name: str) -> str:
    from zhiji.config import BARE_NAMES

    for variable in (f"ZHIJI_{name.upper()}", name.upper()):
        if os.environ.get(variable) and (variable.startswith("ZHIJI_") or variable in BARE_NAMES):
            return variable
    return say("default")
