"""How an instant is stored: as microseconds since 1970 UTC, in every database and in no other form."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import overload

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@overload
def micros(time: datetime) -> int: ...
@overload
def micros(time: None) -> None: ...
@overload
def micros(time: datetime | None) -> int | None: ...
def micros(time: datetime | None) -> int | None:
    """Return microseconds since 1970 UTC: the only form in which an instant is stored. ``time`` is aware."""
    return None if time is None else (time - _EPOCH) // _MICROSECOND


@overload
def instant(stored: int) -> datetime: ...
@overload
def instant(stored: None) -> None: ...
@overload
def instant(stored: int | None) -> datetime | None: ...
def instant(stored: int | None) -> datetime | None:
    """Return the aware UTC time of a stored number."""
    return None if stored is None else _EPOCH + timedelta(microseconds=stored)
