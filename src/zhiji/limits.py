"""How long a request may be: what is configured, what the model is known to hold, and what its endpoint has told since.

``Window`` is the room of one request, ``Limits`` what this process knows of one model. An endpoint that refuses a request
teaches three things: its window, how many more tokens it counts than we estimate, and, where it tells neither, that what
was sent is too much. What was learnt is kept until the process ends and never raised: a request that succeeds proves nothing
about a longer one, and one model name may stand for several deployments. Estimates stay as they are: stored messages keep
theirs, and the window shrinks by the factor instead. Pure state: no I/O, no clock, no logging.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from zhiji.config import Settings
from zhiji.overflow import Overflow

MIN_WINDOW: Final = 256
"""Tokens below which no number is believed to be a window; the smallest default of any server is 512 (llama-cpp-python)."""
UNTOLD_SHARE: Final = 0.5
"""Share of a refused request that the next one may be long if the endpoint told no limit, or none that explains the refusal:
one more try is all there is, and the commonest surprise is a server that runs with half of what was configured."""
RESERVE_SHARE: Final = 0.25
"""Share of a window smaller than the configured one that the reply may reserve."""
FACTOR_MARGIN: Final = 1.05
"""The parts that stay may be denser than the whole that was counted."""
MAX_FACTOR: Final = 4.0
"""The estimate is never that low (it lies in [0.9, 2.0] of the truth): somebody in between has added to the request."""


@dataclass(frozen=True, slots=True)
class Window:
    """The room of one request, in estimated tokens."""

    limit: int
    """Prompt and reply together; at least 1."""
    reserve: int
    """Kept free for the reply; below ``limit``."""

    @property
    def budget(self) -> int:
        """Tokens that may be sent."""
        return self.limit - self.reserve


def configured(settings: Settings) -> Window:
    """Return the window of the settings alone."""
    return Window(settings.max_context_tokens, settings.reply_reserve_tokens)


class Limits:
    """What one open zhiji knows of its model's window. Shared by all turns and jobs of one event loop."""

    def __init__(self, settings: Settings, *, known: int | None = None, truncates: bool = False) -> None:
        """``known``: the model's window in its own tokens, if any. ``truncates``: it cuts long prompts silently."""
        self._configured = configured(settings)
        self._told = known
        self._untold: int | None = None
        self._factor = 1.0
        self._truncates = truncates

    @property
    def window(self) -> Window:
        """The window in force: the smallest of those configured, known and learnt."""
        told = None if self._told is None else int(self._told / self._factor)
        return self._within(*(limit for limit in (told, self._untold) if limit is not None))

    def learn(self, found: Overflow, *, sent: int) -> Window:
        """Return the window in force after the endpoint has refused a request of ``sent`` estimated tokens.

        Its budget is below ``sent``, whatever the endpoint told, down to windows of ``MIN_WINDOW``.
        """
        ratio = found.requested / sent * FACTOR_MARGIN if found.requested and sent else 1.0
        if self._factor < ratio <= MAX_FACTOR:
            self._factor = ratio
        self.tell(found)
        if self.window.budget >= sent:
            budget = int(sent * UNTOLD_SHARE)
            reserve = min(self._configured.reserve, int(budget * RESERVE_SHARE / (1 - RESERVE_SHARE)))
            self._untold = max(MIN_WINDOW, budget + reserve)
        return self.window

    def tell(self, found: Overflow) -> bool:
        """Return whether the endpoint told a window smaller than the one in force; it is in force now.

        What a request kept for the reply beyond our reserve is taken off: the endpoint would keep it again.
        """
        if found.limit is None:
            return False
        reply = found.reply if found.reply is not None and found.reply < found.limit else 0
        limit = found.limit - max(0, reply - self._configured.reserve)
        if limit < MIN_WINDOW or limit >= (self._told or limit + 1):
            return False
        before, self._told = self.window, limit
        return self.window.limit < before.limit

    def truncated(self, counted: int, *, sent: int, fresh: int = 0) -> Overflow | None:
        """Return what an answer tells of a prompt that the server cut silently; None if it did not, or if that is not sure.

        ``counted``: prompt tokens that the server reports. ``sent``: our estimate. ``fresh``: of that, what no earlier request held.
        """
        return cut(counted, sent=sent, fresh=fresh) if self._truncates else None

    def _within(self, *limits: int) -> Window:
        limit = max(1, min(self._configured.limit, *limits)) if limits else self._configured.limit
        if limit >= self._configured.limit:
            return self._configured
        return Window(limit, min(self._configured.reserve, int(limit * RESERVE_SHARE)))


# --- silent truncation ----------------------------------------------------------------------------------------------

PLAIN_RATIO: Final = 2.5
"""Estimate over count from which the count cannot be of the whole prompt: the estimate is at most twice the truth."""
TELLING_RATIO: Final = 1.5
"""The same, where the count is one that a window leaves behind: in most texts the estimate is at most 1.4 times the truth."""
MIN_COUNT: Final = 1_000
"""Counts below it are not believed: some versions of Ollama report only what was not in their cache."""
FRESH_RATIO: Final = 1.5
"""Count over the estimate of what is new in a request up to which the count may leave out what the server had in its cache:
the estimate is at least 0.9 of the truth, and the last answer and the template's own tokens are new as well."""
STEP: Final = 512
"""Windows are multiples of it."""


def cut(counted: int, *, sent: int, fresh: int = 0) -> Overflow | None:
    """Return the window that a truncating server's count shows, or None if the prompt may have been counted whole.

    A prompt cut by Ollama is counted as its window, or as half of it and two more, depending on the engine beneath; a
    conversation from which it dropped whole messages, as anything below. In doubt the count itself is taken for the window.
    Source: ollama/ollama issues 17889, 17427, 10368 and 2068, pull request 16428; docs/context-length.mdx.
    """
    if counted < MIN_COUNT:
        return None
    half, whole = (counted - 2) % STEP == 0, counted % STEP == 0
    if sent < counted * (TELLING_RATIO if half or whole else PLAIN_RATIO):
        return None
    if not (half or whole) and counted < fresh * FRESH_RATIO:
        return None  # the count may be of what was not in the cache
    return Overflow(limit=2 * (counted - 2) if half else counted)
