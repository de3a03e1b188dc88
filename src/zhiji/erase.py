"""Erasure: remove a user everywhere. (The certificate, and keys that make backups unreadable, join here.)"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from zhiji.parts import Parts
from zhiji.types import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What was removed."""

    user: str
    erased_at: datetime
    removed: Mapping[str, int]
    """Rows removed by kind: ``sessions``, ``messages``, ``memories`` …"""

    @property
    def total(self) -> int:
        """Rows removed in all."""
        return sum(self.removed.values())


async def erase(parts: Parts, scope: Scope) -> Certificate:
    """Nothing of this user is left in any table, index or cache; work of theirs still under way fails at its commit."""
    removed = await parts.store.erase(scope)
    return Certificate(user=scope.user, erased_at=parts.clock(), removed=MappingProxyType(dict(removed)))
