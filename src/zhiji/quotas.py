"""Quotas: how many turns one user, and all users of a tenant together, may have in a window of time.

The library ``limits`` reads the settings and knows how long windows are. Its own strategies count in stores of its own and
by the wall clock; here the time is the injected clock's and the count is ``Store.count_use``, the same for every process.
Windows are fixed and begin at multiples of their length since 1970, UTC: a minute at its second 0, a day at midnight.

What is a turn, and that an answered retry is none, is the business of those who count: ``restore`` and ``ingest``.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal

from zhiji.config import LONGEST_SECONDS, Settings
from zhiji.errors import ConfigError, RateLimited
from zhiji.stores.base import Store
from zhiji.telemetry import Telemetry
from zhiji.types import Scope

if TYPE_CHECKING:
    from limits import RateLimitItem

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EXAMPLE = "20/minute; 500/day"


@dataclass(frozen=True, slots=True)
class Quota:
    """One limit of one kind of owner."""

    of: Literal["user", "tenant"]
    limit: RateLimitItem

    def owner(self, scope: Scope) -> Scope:
        """Return whose turns are counted: the user's own, or those of everybody in the tenant (see ``Store.count_use``)."""
        return scope if self.of == "user" else Scope(scope.tenant, "")

    def end(self, now: datetime) -> datetime:
        """Return when the window that ``now`` lies in is over."""
        length = timedelta(seconds=self.limit.get_expiry())
        return EPOCH + ((now - EPOCH) // length + 1) * length

    @property
    def what(self) -> str:
        """The name under which the store counts. Windows of two lengths may end at once, so it holds the length."""
        return f"turns/{self.limit.get_expiry()}s"

    def refusal(self, now: datetime) -> RateLimited:
        """Return the error that says which limit it was, and when there is room again."""
        seconds = math.ceil((self.end(now) - now).total_seconds())
        return RateLimited(
            f"This {self.of} has had its share, {self.limit!r}; wait {seconds} s, then send it again.",
            limit=repr(self.limit),
            of=self.of,
            retry_after=seconds,
        )


class Quotas:
    """All quotas of one open zhiji; false if there are none."""

    def __init__(self, quotas: Sequence[Quota] = ()) -> None:
        """``quotas`` in the order in which they are asked."""
        self._quotas = quotas
        self._full: dict[tuple[Scope, Quota], datetime] = {}
        """Ends of the windows of tenants that were seen full. A window never empties before its end."""

    def __bool__(self) -> bool:
        return bool(self._quotas)

    async def count(self, store: Store, telemetry: Telemetry, scope: Scope, *, now: datetime) -> None:
        """One more turn of this user, and of the tenant, is counted.

        The user's limits come first, of each owner's the shortest window: who is refused does not use up what comes
        after. A tenant that is known to have had its share costs its users nothing.

        Raises:
            RateLimited: one of the windows is full.
        """
        try:
            for quota in self._quotas:
                if self._full.get((quota.owner(scope), quota)) == quota.end(now):
                    raise quota.refusal(now)
            for quota in self._quotas:
                await self._count(store, quota, quota.owner(scope), now)
        except RateLimited as error:
            telemetry.count("zhiji_limited_total", of=str(error.details["of"]))
            raise

    async def _count(self, store: Store, quota: Quota, owner: Scope, now: datetime) -> None:
        end = quota.end(now)
        if await store.count_use(owner, quota.what, now=now, until=end) > quota.limit.amount:
            if quota.of == "tenant":
                self._full[owner, quota] = end
            raise quota.refusal(now)


def read(settings: Settings) -> Quotas:
    """Return the quotas that the settings ask for.

    Raises:
        ConfigError: one of them is no list of limits; the text names it and shows one.
    """
    return Quotas(
        [
            *(Quota("user", limit) for limit in _parsed("user_limits", settings.user_limits)),
            *(Quota("tenant", limit) for limit in _parsed("tenant_limits", settings.tenant_limits)),
        ]
    )


def _parsed(setting: str, words: str) -> list[RateLimitItem]:
    """Return the limits, the shortest window first; of several for one window only the strictest."""
    if not words.strip():
        return []
    from limits import parse_many

    wrong = ConfigError(
        f'{setting}: write limits like "{EXAMPLE}", of at least 1 each, over a second, minute, hour, day, month or year',
        setting=setting,
    )
    try:
        limits = parse_many(unicodedata.normalize("NFKC", words))
    except ValueError as error:
        raise wrong from error
    if any(limit.amount < 1 or limit.get_expiry() > LONGEST_SECONDS for limit in limits):
        raise wrong
    strictest: dict[int, RateLimitItem] = {}
    for limit in sorted(limits, key=lambda one: one.amount):
        strictest.setdefault(limit.get_expiry(), limit)
    return [strictest[seconds] for seconds in sorted(strictest)]
