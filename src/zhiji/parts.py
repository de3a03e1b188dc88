"""What one open zhiji is made of. Built once by ``compose`` and handed to each step; nothing reaches for globals."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from weakref import WeakValueDictionary

from pydantic import BaseModel

from zhiji.config import Settings
from zhiji.embedding import Embedding
from zhiji.extract import Extractor
from zhiji.limits import Limits, Window
from zhiji.models.base import Clock, Compare, Model, Summarise
from zhiji.quotas import Quotas
from zhiji.stores.base import Lease, Store
from zhiji.telemetry import Telemetry
from zhiji.tokens import Counter
from zhiji.tools import Toolbox
from zhiji.types import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts of one zhiji. Frozen: tools, telemetry and what is learnt of the model are all that grows."""

    settings: Settings
    clock: Clock
    store: Store
    model: Model
    embedding: Embedding
    extractor: Extractor
    summarise: Summarise | None
    """None: history is only trimmed."""
    compare: Compare | None = None
    """Asked about two memories where the rules are unsure; None: no chat model is configured."""
    toolbox: Toolbox
    counter: Counter
    limits: Limits
    """What is known of the model's window; it only ever learns."""
    slots: type[BaseModel] | None
    """The host's schema of the form slots, if any."""
    holder: str
    """Names this process in leases (``presence.name_process``)."""
    telemetry: Telemetry = field(default_factory=Telemetry)
    quotas: Quotas = field(default_factory=Quotas)
    wake: Callable[[], None] = lambda: None
    """Tells the worker in this process that a job may be due."""
    _deciding: WeakValueDictionary[Scope, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    def deciding(self, scope: Scope) -> asyncio.Lock:
        """Return the lock under which this process decides what becomes of facts about one owner, and writes it.

        A fact with a key is unique by the database; one without may be told twice at once, and must see the other.
        """
        return self._deciding.setdefault(scope, asyncio.Lock())

    def lease(self) -> Lease:
        """Return a fresh lease of this process."""
        now = self.clock()
        return Lease(holder=self.holder, now=now, until=now + timedelta(seconds=self.settings.lease_seconds))

    def expiry(self, now: datetime) -> datetime:
        """Return when a session touched now expires."""
        return now + timedelta(seconds=self.settings.session_ttl_seconds)

    @property
    def window(self) -> Window:
        """The room of one request, as of now."""
        return self.limits.window

    @property
    def keeps_episodes(self) -> bool:
        """Whether past turns are a search arm; ``auto``: while only the embedded extractor is configured."""
        setting = self.settings.episodes
        return setting == "on" or (setting == "auto" and self.extractor.every_turn)


def new_id(prefix: str) -> str:
    """Return an unguessable id such as ``ses_…`` (128 bits)."""
    return f"{prefix}_{secrets.token_urlsafe(16)}"
