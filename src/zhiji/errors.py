"""Every error that zhiji raises, one tree.

    ZhijiError
    ├── InvalidInput        EmptyMessage, InvalidState, InvalidKey, IdempotencyMismatch, AmbiguousKey,
    │                       BodyTooLarge, UnsupportedMediaType, MethodNotAllowed,
    │                       MalformedRequest
    ├── ConfigError
    ├── NotFound            SessionNotFound → SessionExpired, MemoryNotFound, RequestNotFound, JobNotFound
    ├── Conflict            SessionBusy, StaleState, StaleMemory, LeaseLost
    ├── ContextTooLarge
    ├── StoreError          StoreClosed, StoreBusy, StoreUnavailable, StoreReadOnly, StoreFull, StoreCorrupt,
    │                       StoreReplaced, SchemaTooNew, SchemaTooOld, DimensionMismatch, CopyDiffers
    ├── ModelError          ContextOverflow, ModelTimeout, ModelRateLimited, ModelUnavailable, ModelRejected,
    │                       ModelUnauthorized, ExtractionFailed, ToolLoop
    ├── EmbedderError
    ├── NotSupported
    ├── Forbidden           Unauthorized, UntrustedHost
    └── ServiceUnavailable  ShuttingDown, Overloaded, RateLimited, RequestTimeout

``code`` is the class name in snake case and never changes. Messages say what to do next and never contain user
content. Errors of libraries are translated at the edge that called the library, and chained.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Mapping
from typing import ClassVar


class ZhijiError(Exception):
    """Something went wrong."""

    code: ClassVar[str] = "zhiji_error"
    retryable: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def __init__(self, message: str | None = None, **details: str | int | float | None) -> None:
        """``message`` defaults to the class docstring; ``details`` are safe to log."""
        super().__init__(message or (self.__doc__ or "").strip())
        self.details: Mapping[str, str | int | float | None] = details


class InvalidInput(ZhijiError):
    """The input is not valid; correct it and send it again."""


class EmptyMessage(InvalidInput):
    """The message is empty; send a message with at least one visible character."""


class InvalidState(InvalidInput):
    """The state change does not fit the state's schema; correct the named field."""


class InvalidKey(InvalidInput):
    """The key does not follow `<type>:<id>`; give a known type and a non-empty id."""


class IdempotencyMismatch(InvalidInput):
    """This idempotency key was used with another message; use a new key for a new message."""


class AmbiguousKey(InvalidInput):
    """The Idempotency-Key header and the body's idempotency_key differ; send only one of them."""


class BodyTooLarge(InvalidInput):
    """The body of the request is too large; send less at once."""


class UnsupportedMediaType(InvalidInput):
    """The body must be JSON; send it with `Content-Type: application/json`."""


class MethodNotAllowed(InvalidInput):
    """This path does not answer this method; the Allow header names those that it does."""


class MalformedRequest(InvalidInput):
    """This is no valid HTTP request; send one that follows RFC 9112 (or RFC 6455, for a WebSocket)."""


class ConfigError(ZhijiError):
    """The configuration is not valid; correct the named setting."""


class NotFound(ZhijiError):
    """There is no such thing for this user."""


class SessionNotFound(NotFound):
    """There is no such session for this user; start a new one."""


class SessionExpired(SessionNotFound):
    """The session has expired; start a new one, it carries on from here."""


class MemoryNotFound(NotFound):
    """There is no such memory for this user; list the memories to see their ids."""


class RequestNotFound(NotFound):
    """There is no record of this request for this user; contexts are kept as long as their session."""


class JobNotFound(NotFound):
    """There is no such job; list the jobs to see their ids."""


class Conflict(ZhijiError):
    """Somebody else changed this at the same time; read it again and retry."""

    retryable = True


class SessionBusy(Conflict):
    """Another turn of this session is still running; wait for its reply, then send again."""


class StaleState(Conflict):
    """The state has changed since it was read; read it again and patch the new version."""


class StaleMemory(Conflict):
    """The memory has changed since it was read; read it again and retry."""


class LeaseLost(Conflict):
    """This turn took longer than its lease and another one took over; send the message again."""


class ContextTooLarge(ZhijiError):
    """The request does not fit the context window; start a new session or shorten the message."""


class StoreError(ZhijiError):
    """The store failed; see the chained error."""


class StoreClosed(StoreError):
    """The store is closed; open zhiji again."""


class StoreBusy(StoreError):
    """Another process holds the database; retry in a moment."""

    retryable = True


class StoreUnavailable(StoreError):
    """The database cannot be reached; check DATABASE_URL and that its server runs, then send it again."""

    retryable = True


class StoreReadOnly(StoreError):
    """The database cannot be written; check the permissions: of the file and its folder, or of the database user."""


class StoreFull(StoreError):
    """The disk is full; free some space and retry, nothing that was acknowledged is lost."""

    retryable = True


class StoreCorrupt(StoreError):
    """The file is not a zhiji database or is damaged; restore it from a backup or choose another path."""


class StoreReplaced(StoreError):
    """The database file was removed or replaced while it was open; put it back, or restart zhiji to use the present one."""


class SchemaTooNew(StoreError):
    """The database was written by a newer zhiji; upgrade zhiji, nothing was changed."""


class SchemaTooOld(StoreError):
    """The database has the tables of an older zhiji; run `zhiji migrate`, or set ZHIJI_AUTO_MIGRATE=true."""


class DimensionMismatch(StoreError):
    """The stored vectors come from another embedder of this name; run `zhiji reindex`, or configure the former one."""


class CopyDiffers(StoreError):
    """The copy is not what its source holds; stop every process that writes to either, then run `zhiji move` again."""


class ModelError(ZhijiError):
    """The model failed; the turn was marked failed, send the message again."""

    retryable = True


class ContextOverflow(ModelError):
    """The endpoint says that the request is longer than its context window; start a new session or shorten the message."""

    retryable = False


class ModelTimeout(ModelError):
    """The model gave no answer in time; send the message again."""


class ModelRateLimited(ModelError):
    """The endpoint is over its rate limit or quota; wait, then send the message again."""


class ModelUnavailable(ModelError):
    """The endpoint cannot be reached or failed; check LLM_API_BASE, then send the message again."""


class ModelRejected(ModelError):
    """The endpoint refused the request; check LLM_MODEL and what it supports."""

    retryable = False


class ModelUnauthorized(ModelError):
    """The endpoint refused the key; check LLM_API_KEY."""

    retryable = False


class ExtractionFailed(ModelError):
    """The extractor's answer could not be read; the job will be retried."""


class ToolLoop(ModelError):
    """The model kept calling tools without an answer; the turn was stopped."""

    retryable = False


class EmbedderError(ZhijiError):
    """The embedder failed; memories are kept and found by keyword until it works again."""

    retryable = True


class NotSupported(ZhijiError):
    """This backend cannot do that; see its documented capabilities."""


class Forbidden(ZhijiError):
    """This is not allowed."""


class Unauthorized(Forbidden):
    """The token is missing or wrong; send `Authorization: Bearer TOKEN` with what `zhiji token` shows."""


class UntrustedHost(Forbidden):
    """The Host header names a host that this service does not answer for; add it to ZHIJI_ALLOWED_HOSTS."""


class ServiceUnavailable(ZhijiError):
    """The service cannot answer now; retry in a moment."""

    retryable = True


class ShuttingDown(ServiceUnavailable):
    """The service is stopping and takes no new requests; retry in a moment."""


class Overloaded(ServiceUnavailable):
    """The service has as many requests as it takes at once; retry in a moment."""


class RateLimited(ServiceUnavailable):
    """This user or tenant has had its share for now; wait, then send it again."""


class RequestTimeout(ServiceUnavailable):
    """The request took too long and was given up; send it again, with the same idempotency key if it had one."""


def place(error: BaseException) -> str:
    """Return class and place of an error and of its cause for the log. Never their text: it may quote what somebody said."""
    names = [type(error).__name__]
    while error.__cause__ is not None:
        error = error.__cause__
        names.append(type(error).__name__)
    frames = traceback.extract_tb(error.__traceback__)
    return " < ".join([" from ".join(names), *(f"{frame.name}:{frame.lineno}" for frame in frames[:-5:-1])])
