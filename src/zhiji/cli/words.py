"""The language of the interface: English in the code, Chinese from the catalogue in ``zh``.

``ZHIJI_LANG`` decides, then the locale (``LC_ALL``, ``LC_MESSAGES``, ``LANG``); everything that is not Chinese is
English. Content (memories, messages) is never translated.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Literal

from zhiji import policies
from zhiji.cli import zh
from zhiji.errors import ZhijiError

Language = Literal["zh", "en"]

LANGUAGE: ContextVar[Language] = ContextVar("language", default="en")

_VARIABLES = ("ZHIJI_LANG", "LC_ALL", "LC_MESSAGES", "LANG")


def preferred(environ: Mapping[str, str]) -> Language:
    """Return the language that the environment asks for: the first variable that is set decides."""
    chosen = next((environ[name] for name in _VARIABLES if environ.get(name)), "")
    return "zh" if chosen.lower().startswith("zh") else "en"


def say(text: str, **values: object) -> str:
    """Return ``text`` in the interface's language, with ``{name}`` replaced by its value."""
    spoken = zh.SENTENCES.get(text, text) if LANGUAGE.get() == "zh" else text
    return spoken.format(**values) if values else spoken


def framed(text: str) -> str:
    """Return what the parser itself says, a help page or an error, in the interface's language."""
    if LANGUAGE.get() == "zh":
        for pattern, chinese in zh.PARSER:
            text = pattern.sub(chinese, text)
    return text


def explain(error: ZhijiError) -> str:
    """Return an error as one sentence; what is special to this occurrence is said or, if it has no Chinese, kept."""
    own = " ".join(str(error).split())
    if LANGUAGE.get() == "en":
        return own
    if own in zh.STORES:
        return zh.STORES[own]
    known = zh.ERRORS[error.code]
    is_default = own == " ".join((type(error).__doc__ or "").split())
    return known if is_default else f"{known}（{own}）"


def meaning(setting: str) -> str:
    """Return what a setting means, in one sentence."""
    if LANGUAGE.get() == "zh":
        return zh.SETTINGS[setting]
    from zhiji.config import Settings

    return Settings.model_fields[setting].description or ""


def type_label(name: str) -> str:
    """Return a memory type as people read it."""
    policy = policies.kind(name)
    return (policy.label_zh if LANGUAGE.get() == "zh" else policy.label_en) or name
