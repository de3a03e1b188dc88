"""The events of a streamed answer, from bytes. Pure.

The library's own reader hangs up at ``[DONE]``: each streamed answer would cost a new connection and its TLS handshake.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator

DONE = b"[DONE]"
"""The data of the event that ends a stream."""


class Events:
    """Server-sent events put together from pieces of a body; only their data counts."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []
        self._begun = False

    def add(self, piece: bytes) -> Iterator[bytes]:
        """Yield the data of the events that this piece completes."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            begun, self._begun = self._begun, True
            yield from self._line((line if begun else line.removeprefix(codecs.BOM_UTF8)).removesuffix(b"\r"))

    def end(self) -> Iterator[bytes]:
        """Yield the data of an event that no blank line ends."""
        yield from self._line(self._rest)
        yield from self._line(b"")

    def _line(self, line: bytes) -> Iterator[bytes]:
        if line.startswith(b"data:"):
            self._data.append(line[5:].strip())
        elif not line and self._data:
            data, self._data = b"\n".join(self._data), []
            if data:
                yield data
