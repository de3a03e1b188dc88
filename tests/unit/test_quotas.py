"""Quotas: how they are written, where their windows end, and what is counted in which order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limits import RateLimitItem, RateLimitItemPerDay, RateLimitItemPerMinute, parse_many

from zhiji import Scope, Settings, quotas
from zhiji.errors import ConfigError, RateLimited
from zhiji.quotas import EPOCH, Quota, Quotas
from zhiji.stores.memory import MemoryStore
from zhiji.telemetry import Telemetry

NOW = datetime(2025, 6, 1, 9, 0, 20, tzinfo=UTC)
ALICE, BOB = Scope("shop", "alice"), Scope("shop", "bob")
TWENTY = [RateLimitItemPerMinute(20), RateLimitItemPerDay(500)]


def asked(*, user: str = "", tenant: str = "") -> Quotas:
    """The quotas of these settings."""
    return quotas.read(Settings.load(user_limits=user, tenant_limits=tenant))


def limits(words: str) -> Sequence[RateLimitItem]:
    """What a setting says, in the order in which it is asked."""
    return [quota.limit for quota in asked(user=words)._quotas]


async def attempts(allowed: Quotas, scopes: Sequence[Scope], *, store: MemoryStore, now: datetime = NOW) -> list[str]:
    """What became of a turn of each of these in turn: nothing, or what it was refused by."""
    told, outcomes = Telemetry(), []
    for scope in scopes:
        try:
            await allowed.count(store, told, scope, now=now)
            outcomes.append("")
        except RateLimited as error:
            outcomes.append(f"{error.details['of']}: {error.details['limit']}")
    for of in ("user", "tenant"):
        assert told.value("zhiji_limited_total", of=of) == sum(one.startswith(of) for one in outcomes)
    return outcomes


# --- how they are written -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        *("20/minute; 500/day", "20/minute;500/day", "500/day, 20/minute", "20 per 1 minute | 500 per day"),
        *("２０／minute；５００／day", "20/minute，500/day", "  20 / minutes ;\u3000500 / DAYS  "),
    ],
)
def test_limits_are_read_however_they_are_spaced(words: str) -> None:
    """Full-width signs, spaces, any separator: the same two limits, the shorter window first."""
    assert limits(words) == TWENTY


@pytest.mark.parametrize("words", ["", "   ", "\u3000"])
def test_without_limits_there_are_none(words: str) -> None:
    """An empty setting is no quota at all."""
    assert not asked(user=words, tenant=words)


def test_of_one_window_the_strictest_counts() -> None:
    """Two limits of windows of one length are one count, held to the smaller number."""
    assert limits("30/minute; 20/60 seconds; 25/minute; 500/day") == [*parse_many("20/60 seconds"), TWENTY[1]]


@pytest.mark.parametrize("setting", ["user_limits", "tenant_limits"])
@pytest.mark.parametrize(
    "words",
    [
        *("20", "20/", "20/fortnight", "每分钟二十次", "-1/minute", "1.5/minute", "20/minute;", "20/minute & 500/day"),
        *("0/minute", "20/minute; 0/day", "1/101 years 😀", "1/1000000000 years", f"{'9' * 5000}/day", "20/minute\0"),
    ],
)
def test_a_wrong_one_is_named(setting: str, words: str) -> None:
    """What is no list of limits is a ConfigError that names the setting and shows how one is written."""
    with pytest.raises(ConfigError, match=rf'^{setting}: .*"20/minute; 500/day"') as refused:
        quotas.read(Settings.load(**{setting: words}))
    assert refused.value.details == {"setting": setting}


# --- windows --------------------------------------------------------------------------------------------------------------


@given(
    now=st.datetimes(timezones=st.just(UTC), min_value=datetime(1970, 1, 1), max_value=datetime(2200, 1, 1)),
    limit=st.sampled_from(parse_many("1/second; 1/7 seconds; 1/minute; 1/90 minutes; 1/day; 1/month; 1/100 years")),
)
def test_windows_are_fixed_and_aligned(now: datetime, limit: RateLimitItem) -> None:
    """Every moment lies in exactly one window, which begins at a multiple of its length; its end is a second off at least."""
    quota = Quota("user", limit)
    end, length = quota.end(now), timedelta(seconds=limit.get_expiry())
    assert end - length <= now < end
    assert not (end - EPOCH) % length
    after = quota.refusal(now).details["retry_after"]
    assert isinstance(after, int)
    assert 1 <= after <= length.total_seconds()
    assert quota.end(now + timedelta(seconds=after)) > end
    assert quota.end(end - timedelta(microseconds=1)) == end


def test_a_refusal_says_what_and_how_long() -> None:
    """The error holds the limit, whose it is, and the seconds until the window ends; its words say the same."""
    refused = Quota("tenant", TWENTY[0]).refusal(NOW)
    assert refused.details == {"limit": "20 per 1 minute", "of": "tenant", "retry_after": 40}
    assert str(refused) == "This tenant has had its share, 20 per 1 minute; wait 40 s, then send it again."
    assert refused.retryable


# --- counting -------------------------------------------------------------------------------------------------------------


async def test_a_window_gives_exactly_its_number() -> None:
    """So many turns are accepted, then none, and as many again in the next window."""
    allowed, store = asked(user="3/minute"), MemoryStore()
    assert await attempts(allowed, [ALICE] * 5, store=store) == [*[""] * 3, *["user: 3 per 1 minute"] * 2]
    assert await attempts(allowed, [ALICE], store=store, now=NOW + timedelta(seconds=39)) == ["user: 3 per 1 minute"]
    assert await attempts(allowed, [ALICE] * 4, store=store, now=NOW + timedelta(seconds=40)) == [
        *[""] * 3,
        "user: 3 per 1 minute",
    ]


async def test_windows_that_end_together_are_counted_apart() -> None:
    """In the last minute of an hour, the hour has as many turns left as before."""
    allowed, store = asked(user="2/minute; 5/hour"), MemoryStore()
    last = NOW.replace(minute=59)
    assert await attempts(allowed, [ALICE] * 2, store=store) == ["", ""]
    assert await attempts(allowed, [ALICE] * 3, store=store, now=last) == ["", "", "user: 2 per 1 minute"]
    assert await attempts(allowed, [ALICE] * 2, store=store, now=NOW.replace(minute=58)) == ["", "user: 5 per 1 hour"]


async def test_who_is_refused_does_not_use_up_the_longer_window() -> None:
    """Knocking at a full minute costs nothing of the day."""
    allowed, store = asked(user="1/minute; 2/day"), MemoryStore()
    assert (await attempts(allowed, [ALICE] * 50, store=store)).count("") == 1
    assert await attempts(allowed, [ALICE], store=store, now=NOW + timedelta(minutes=1)) == [""]


async def test_a_refused_user_does_not_use_up_the_tenant() -> None:
    """However often one user knocks, the others of the tenant have what is theirs."""
    allowed, store = asked(user="2/minute", tenant="4/minute"), MemoryStore()
    assert (await attempts(allowed, [ALICE] * 50, store=store)).count("") == 2
    assert await attempts(allowed, [BOB] * 3, store=store) == ["", "", "user: 2 per 1 minute"]
    assert await attempts(allowed, [Scope("shop", "carol")], store=store) == ["tenant: 4 per 1 minute"]


async def test_a_full_tenant_does_not_use_up_its_users() -> None:
    """Refused once for the tenant, a user's further attempts in that window are not counted, and cost no query."""
    allowed, store = asked(user="3/day", tenant="1/minute"), MemoryStore()
    assert await attempts(allowed, [BOB, *[ALICE] * 50], store=store) == ["", *["tenant: 1 per 1 minute"] * 50]
    for minute, outcome in ((1, ""), (2, ""), (3, "user: 3 per 1 day")):
        assert await attempts(allowed, [ALICE], store=store, now=NOW + timedelta(minutes=minute)) == [outcome]


async def test_tenants_are_apart() -> None:
    """A full tenant refuses nobody of another one, not even a user of the same name."""
    allowed, store = asked(tenant="1/minute"), MemoryStore()
    same = [Scope(tenant, "alice") for tenant in ("shop", "shop2", "Shop", "ｓｈｏｐ")]
    assert await attempts(allowed, [*same, *same], store=store) == [*[""] * 4, *["tenant: 1 per 1 minute"] * 4]


class _Untouched(MemoryStore):
    async def count_use(self, scope: Scope, what: str, *, now: datetime, until: datetime) -> int:
        raise AssertionError


async def test_without_limits_nothing_is_asked() -> None:
    """No quota, no query."""
    assert await attempts(asked(), [ALICE] * 3, store=_Untouched()) == ["", "", ""]
