"""zhiji 知己: memory for conversational agents — session, state, memory and context as one closed loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zhiji.config import Settings
    from zhiji.engine import Zhiji
    from zhiji.types import Scope

__all__ = ["Scope", "Settings", "Zhiji"]
__version__ = "0.1.0"

_LAZY = {"Scope": "zhiji.types", "Settings": "zhiji.config", "Zhiji": "zhiji.engine"}


def __getattr__(name: str) -> object:
    """Import a name when it is first asked for, so that ``import zhiji`` costs nothing."""
    if name not in _LAZY:
        raise AttributeError(f"module 'zhiji' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)
