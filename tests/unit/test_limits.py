"""What is learnt of a model's window: from refusals with and without numbers, and from prompts that were cut silently."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhiji import limits
from zhiji.config import Settings
from zhiji.limits import MIN_WINDOW, Limits, Window
from zhiji.overflow import Overflow

SETTINGS = Settings.load(max_context_tokens=8000, reply_reserve_tokens=1000)
COUNTS = st.none() | st.integers(1, 10_000_000)


def test_the_settings_are_the_window() -> None:
    """Where nothing else is known, the window is the configured one."""
    assert Limits(SETTINGS).window == Window(8000, 1000)


def test_a_known_window_caps_and_never_raises() -> None:
    """A preset's window counts where it is the smaller one."""
    assert Limits(SETTINGS, known=128_000).window == Window(8000, 1000)
    assert Limits(SETTINGS, known=8000).window == Window(8000, 1000)
    assert Limits(SETTINGS, known=4096).window == Window(4096, 1000)


def test_a_small_window_reserves_a_quarter() -> None:
    """In a window smaller than the configured one the reply reserves a quarter at most, so that something can be said."""
    assert Limits(SETTINGS, known=2048).window == Window(2048, 512)
    assert Limits(SETTINGS, known=1000).window == Window(1000, 250)
    tight = Settings.load(max_context_tokens=1100, reply_reserve_tokens=1000)
    assert Limits(tight).window == Window(1100, 1000), "what the host configured stays as it is"


def test_a_told_limit_is_learnt() -> None:
    """The limit that the endpoint told counts from now on."""
    known = Limits(SETTINGS)
    assert known.learn(Overflow(limit=4096), sent=6000) == Window(4096, 1000)
    assert known.window == Window(4096, 1000)


def test_a_learnt_limit_never_rises() -> None:
    """A larger limit told later is another deployment's: the smallest stays."""
    known = Limits(SETTINGS)
    known.learn(Overflow(limit=4096), sent=6000)
    known.learn(Overflow(limit=6000), sent=3500)
    assert known.window.limit == 4096
    known = Limits(SETTINGS)
    known.tell(Overflow(limit=4096))
    assert not known.tell(Overflow(limit=6000))
    assert known.window.limit == 4096


def test_a_higher_count_scales_the_window() -> None:
    """If the endpoint counts 1.5 times our tokens, our window is as much smaller, and a little more."""
    known = Limits(SETTINGS)
    known.learn(Overflow(limit=6000, requested=9000), sent=6000)
    assert known.window.limit == int(6000 / (1.5 * limits.FACTOR_MARGIN))


def test_an_incredible_count_scales_nothing() -> None:
    """A count of twenty times ours is not of our request: half of what was sent is tried (article S6.1)."""
    known = Limits(SETTINGS)
    window = known.learn(Overflow(limit=1_048_576, requested=169_692), sent=7000)
    assert 3400 <= window.budget <= 3500


def test_without_numbers_half_is_tried() -> None:
    """Where the endpoint tells nothing, the next request may be half as long as the refused one."""
    known = Limits(SETTINGS)
    assert known.learn(Overflow(), sent=6000).budget in range(2990, 3010)
    assert known.learn(Overflow(), sent=2900).budget in range(1440, 1460)


def test_a_limit_that_explains_nothing_is_not_enough() -> None:
    """An endpoint that refuses less than it claims to hold is believed in what it does."""
    assert Limits(SETTINGS).learn(Overflow(limit=32_000), sent=6000).budget < 3010


def test_an_absurd_limit_is_not_believed() -> None:
    """A window of four tokens is a misreading, and must not stop every later turn."""
    assert Limits(SETTINGS).learn(Overflow(limit=4), sent=6000).budget > 2900


def test_a_longer_reply_than_reserved_is_taken_off() -> None:
    """An endpoint that keeps 4,096 tokens for the reply leaves that much less for the prompt."""
    known = Limits(SETTINGS)
    assert known.tell(Overflow(limit=8192, requested=5000, reply=4096))
    assert known.window.budget == 8192 - 4096
    known = Limits(SETTINGS)
    known.learn(Overflow(limit=4096, requested=5000, reply=100_000), sent=5000)
    assert known.window.limit > 3500, "a reply that never fits says nothing about the prompt"


def test_parallel_refusals_are_learnt_once() -> None:
    """A second turn that was sent before the first one learnt does not halve again."""
    known = Limits(SETTINGS)
    first = known.learn(Overflow(), sent=6000)
    assert known.learn(Overflow(), sent=6100) == first


@given(
    st.lists(st.tuples(COUNTS, COUNTS, COUNTS, st.integers(0, 100_000)), max_size=6), st.none() | st.integers(1, 10**7)
)
def test_windows_only_shrink(told: list[tuple[int | None, int | None, int | None, int]], known: int | None) -> None:
    """Whatever is told: the window stays usable, never grows, and what was refused is not sent again."""
    learnt = Limits(SETTINGS, known=known)
    before = learnt.window
    for limit, requested, reply, sent in told:
        window = learnt.learn(Overflow(limit, requested, reply), sent=sent)
        assert 0 <= window.reserve < window.limit <= before.limit
        assert window.budget < max(sent, MIN_WINDOW)
        assert limit is None or limit < MIN_WINDOW or window.limit <= limit
        before = window


# --- cut silently ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counted", "sent", "limit"),
    [
        (2050, 7000, 4096),  # half of the window, and two more
        (1026, 3000, 2048),
        (16386, 50_000, 32_768),
        (4096, 7000, 4096),  # the whole window
        (2048, 7000, 2048),
        (2050, 3200, 4096),  # such a count says more than the ratio
        (1700, 7000, 1700),  # whole messages were dropped
    ],
)
def test_a_count_far_below_shows_the_window(counted: int, sent: int, limit: int) -> None:
    """A server that counted far fewer tokens than we sent has cut the prompt; its count shows the window."""
    assert limits.cut(counted, sent=sent) == Overflow(limit=limit)


@pytest.mark.parametrize(
    ("counted", "sent"),
    [
        (5000, 7000),  # the estimate is high
        (3500, 7000),  # it may be twice the truth
        (3000, 7000),
        (4096, 5000),  # by chance
        (7500, 7000),  # it is low
        (0, 7000),  # not reported, or wholly cached
        (40, 7000),  # only what was not cached
        (-1, 7000),
        (600, 900),
    ],
)
def test_what_may_be_whole_is_whole(counted: int, sent: int) -> None:
    """In doubt nothing was cut: estimates err, and some versions report only what was not in their cache."""
    assert limits.cut(counted, sent=sent) is None


@pytest.mark.parametrize(("counted", "fresh", "limit"), [(1200, 1100, None), (1200, 300, 1200), (2050, 3000, 4096)])
def test_a_count_of_what_is_new_shows_no_window(counted: int, fresh: int, limit: int | None) -> None:
    """Where it may be only what was not cached, the count is believed only if it is one that a window leaves behind."""
    assert limits.cut(counted, sent=7000, fresh=fresh) == (None if limit is None else Overflow(limit=limit))


def test_only_servers_known_to_cut_are_suspected() -> None:
    """Anybody else's count is taken as it is."""
    assert Limits(SETTINGS).truncated(2050, sent=7000) is None
    assert Limits(SETTINGS, truncates=True).truncated(2050, sent=7000) == Overflow(limit=4096)
