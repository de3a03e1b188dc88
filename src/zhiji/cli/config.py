"""``zhiji config``: the settings in force, and where each comes from."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from zhiji import urls
from zhiji.cli import show
from zhiji.cli.words import meaning, say

if TYPE_CHECKING:
    from zhiji.config import Settings

URLS = ("database_url", "redis_url", "llm_api_base")
"""Settings that are shown without their passwords."""


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
    value = _bare(settings, name)
    return {
        "variable": f"ZHIJI_{name.upper()}",
        "shown": show.visible(_as_set(value)),
        "source": _source(name),
        "meaning": meaning(name),
    }


def _public(settings: Settings, name: str, row: Mapping[str, str]) -> dict[str, object]:
    return {
        "variable": row["variable"],
        "value": _bare(settings, name),
        "source": row["source"],
        "meaning": row["meaning"],
    }


def _bare(settings: Settings, name: str) -> object:
    """Return a value as it may be shown: URLs without passwords; what ``Settings`` leaves out of its own text, only as set."""
    value: object = getattr(settings, name)
    if isinstance(value, Mapping):
        return settings.model_dump(mode="json", include={name})[name]
    if value is None or type(settings).model_fields[name].repr:
        return value
    return urls.shown(str(value)) if name in URLS else urls.HIDDEN


def _as_set(value: object) -> str:
    """Return a value as its variable would be set; a dash for none."""
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False)
    return "–" if value is None else str(value)


def _source(name: str) -> str:
    from zhiji.config import BARE_NAMES

    for variable in (f"ZHIJI_{name.upper()}", name.upper()):
        if os.environ.get(variable) and (variable.startswith("ZHIJI_") or variable in BARE_NAMES):
            return variable
    return say("default")
