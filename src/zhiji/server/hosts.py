"""Which host names this service answers for: the rule against DNS rebinding. Pure.

A page of another site can make a browser send requests to a loopback service under that site's own name; such a name is
in ``Host`` (and in ``Origin``). Names are compared whole, ports do not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from zhiji.errors import ConfigError

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]*)?", re.ASCII)
_ALL = frozenset({"0.0.0.0", "::"})


def is_loopback(host: str) -> bool:
    """Return whether a name or address stands for this machine only."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class Hosts:
    """The names that clients may use: loopback, the address listened on, and ``allowed_hosts``."""

    def __init__(self, allowed: Iterable[str], *, listening: str) -> None:
        """Raises ``ConfigError`` if a name is none: it may have neither scheme nor port nor path."""
        names = {_checked(name) for name in allowed}
        self._names = frozenset(names | {listening.lower()} - _ALL)
        self.trusts = lru_cache(maxsize=256)(self._trusts)

    def _trusts(self, header: str) -> bool:
        """Return whether a ``Host`` header names us."""
        match = _HOST.fullmatch(header.lower())
        if match is None:
            return False
        name = match[1].strip("[]").removesuffix(".")
        return name in self._names or is_loopback(name)

    def trusts_origin(self, origin: str) -> bool:
        """Return whether an ``Origin`` header names a page of ours; ``null`` does not."""
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme in ("http", "https") and self.trusts(parts.netloc)


def _checked(name: str) -> str:
    match = _HOST.fullmatch(name.lower())
    if match is None or match[2]:
        raise ConfigError(
            f"allowed_hosts: {name!r} is not a host name; write names without scheme and port", setting="allowed_hosts"
        )
    return match[1].strip("[]").removesuffix(".")
