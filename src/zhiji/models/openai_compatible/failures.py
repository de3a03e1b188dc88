"""What went wrong, in our words: every error of the library becomes one of the tree, and whether it may pass is said.

Messages hold neither what was sent nor what came back, both may quote a user: the library's error is chained instead.
"""

from __future__ import annotations

import email.utils
import re
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import openai

from zhiji import overflow
from zhiji.errors import (
    ContextOverflow,
    ModelError,
    ModelRateLimited,
    ModelRejected,
    ModelTimeout,
    ModelUnauthorized,
    ModelUnavailable,
)
from zhiji.models.openai_compatible.answers import BrokenOff

_TRANSPORTS = [sys.modules[name] for name in ("httpx", "httpx2") if name in sys.modules]
"""What the library sends with, by its version; its errors in the midst of a stream come as they are."""
LIBRARY: tuple[type[Exception], ...] = (
    openai.OpenAIError,
    *(getattr(transport, name) for transport in _TRANSPORTS for name in ("HTTPError", "StreamError")),
    OSError,
    ValueError,
    RecursionError,
)
"""What asking an endpoint may raise; ``ValueError`` is broken JSON, ``TimeoutError`` an ``OSError``."""
OPENING: tuple[type[Exception], ...] = (
    *(transport.InvalidURL for transport in _TRANSPORTS),
    openai.OpenAIError,
    OSError,
    ValueError,
    ImportError,
)
"""What preparing connections may raise."""
SPENT = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance"})
"""Codes of a rate limit that no waiting lifts."""
_SECONDS = re.compile(r"\s*\d{1,9}(\.\d+)?\s*")
PASSING = frozenset({408, 409, 425, 429})
"""Statuses below 500 that may pass: time-out, conflict, too early, rate limit."""


_FORMAT_REFUSED: Final = frozenset({400, 404, 415, 422, 501})
"""Statuses with which servers answer a request that has a field they do not take."""
_ABOUT_FORMAT: Final = re.compile(
    r"response_?format|json_?schema|json_?object|structured|guided|grammar|(?:un(?:known|supported|expected|recogni[sz]ed)|extra|not (?:supported|permitted|implemented)).{0,40}(?:param|field|argument|input|key)",
    re.IGNORECASE,
)


class FormatRefused(Exception):
    """The endpoint may have refused the request for its ``response_format``."""


class ErrorInside(ValueError):
    """An error that came with status 200, as the body or as an event of a stream."""

    def __init__(self, body: object) -> None:
        super().__init__()
        self.body = body if isinstance(body, Mapping) else {"message": str(body)}


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong."""

    error: ModelError
    passing: bool = False
    """Whether the same request may be answered if it is sent again."""
    after: float | None = None
    """Seconds that the endpoint asks to wait before that; None if it does not say."""


def read(error: Exception, *, sent: Sequence[str] = ()) -> Failure:
    """Return what an error of ``LIBRARY`` means. ``sent``: texts of the request; where the error repeats one, it tells nothing."""
    match error:
        case openai.APIStatusError():
            return _refused(error.status_code, _code(error), error.response.text, error.response.headers, sent)
        case openai.APIConnectionError():  # a time-out of the connection included: that of the answer is ours
            return Failure(ModelUnavailable(_UNREACHABLE), passing=True)
        case ErrorInside():
            return _told(error.body, sent)
        case TimeoutError():
            return Failure(ModelTimeout())
        case BrokenOff():
            return Failure(ModelUnavailable(_BROKEN_OFF), passing=True)
        case ValueError() | RecursionError():
            return Failure(ModelUnavailable(_UNREADABLE), passing=True)
    return Failure(ModelUnavailable(_BROKEN_OFF), passing=True)


_UNREACHABLE = "the endpoint cannot be reached; check LLM_API_BASE and the network, then send the message again"
_BROKEN_OFF = "the connection to the endpoint broke off; send the message again"
_UNREADABLE = "the endpoint answered with something that is no completion; check LLM_API_BASE, it often ends in /v1"


def may_refuse_format(error: Exception, *, sent: Sequence[str] = ()) -> bool:
    """Return whether an error of ``LIBRARY`` may be about ``response_format``: a refusal that is not about the length."""
    failure = read(error, sent=sent)
    if isinstance(failure.error, ContextOverflow):
        return False
    if isinstance(error, openai.APIStatusError):
        return error.status_code in (400, 422) or _says_format(error.status_code, error.response.text)
    if isinstance(error, ErrorInside):
        code = str(error.body.get("code", ""))
        return code in ("400", "422") or bool(_ABOUT_FORMAT.search(str(error.body.get("message"))))
    return False


def _says_format(status: int, text: str) -> bool:
    return (status in _FORMAT_REFUSED or status >= 500) and bool(_ABOUT_FORMAT.search(text))


def _told(body: Mapping[str, object], sent: Sequence[str]) -> Failure:
    code = next((str(body[name]) for name in ("code", "type") if body.get(name)), "")
    if code.isdigit() and 400 <= int(code) < 600:
        return _refused(int(code), code, str(body.get("message")), {}, sent)
    if "rate_limit" in code or code in SPENT:
        return _refused(429, code, str(body.get("message")), {}, sent)
    return _overflow(None, code, str(body.get("message")), sent) or Failure(ModelUnavailable(), passing=True)


def _refused(status: int, code: str, text: str, headers: Mapping[str, str], sent: Sequence[str]) -> Failure:
    after = retry_after(headers)
    return _overflow(status, code, text, sent) or Failure(
        _error(status, after), passing=(status >= 500 or status in PASSING) and code not in SPENT, after=after
    )


def _overflow(status: int | None, code: str, text: str, sent: Sequence[str]) -> Failure | None:
    found = overflow.classify(status, code, text, said=sent)
    return None if found is None else Failure(found.error())


def _error(status: int, after: float | None) -> ModelError:
    if status in (402, 429):
        return ModelRateLimited(retry_after=after, status=status)
    if status in (401, 403):
        return ModelUnauthorized(status=status)
    if status >= 500 or status in PASSING:
        return ModelUnavailable(status=status, retry_after=after)
    if status == 404:
        return ModelRejected(
            "the endpoint does not know this model or path; check LLM_MODEL and LLM_API_BASE", status=404
        )
    return ModelRejected(status=status)


def _code(error: openai.APIError) -> str:
    return str(error.code or error.type or "")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that ``Retry-After`` asks to wait, given as seconds or as an HTTP date; None if it does not."""
    value = headers.get("retry-after", "")
    try:
        seconds = float(value) if _SECONDS.fullmatch(value) else _until(value)
    except (ValueError, OverflowError):  # no date, or none that a clock will show
        return None
    return max(0.0, seconds)


def _until(date: str) -> float:
    return email.utils.parsedate_to_datetime(date).timestamp() - time.time()
