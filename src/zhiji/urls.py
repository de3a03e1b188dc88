"""URLs that may hold a password: whether everybody reads them alike, and how they are shown. Pure rules.

A password with a bare ``@`` or ``/`` is cut in the wrong place by some readers of URLs, who then name half of it in an error
as the host or the port. So such a URL is refused before anybody reads it, and nothing that is shown depends on reading it well.
"""

from __future__ import annotations

import re

_HOST = r"(?:\[[0-9A-Fa-f:.]*\]|[^\s:@/?#\[\]]*)(?::[0-9]*)?"
_NETWORK = re.compile(
    rf"[a-z]+://(?:(?:[^\s@/?#%]|%[0-9A-Fa-f]{{2}})*@)?{_HOST}(?:,{_HOST})*(?:/[^\s@?#]*)?(?:\?(?:[^\s@?#&=]+=[^\s@?#&=]*&?)*)?"
)
"""RFC 3986, with several hosts (libpq, Redis Cluster), and stricter where readers differ: one ``@``, no fragment."""
_SCHEMES = ("postgresql://", "postgres://", "redis://", "rediss://")
_PLACE = re.compile(r"[\w.-]+(?::[0-9]+)?(?:/[\w./-]*)?")
"""A host or a file whose scheme was forgotten."""

PLAIN = frozenset(
    {
        *("host", "hostaddr", "port", "dbname", "user", "sslmode", "connect_timeout", "application_name"),
        *("target_session_attrs", "db", "protocol"),
    }
)
"""Parameters whose values are shown."""
HIDDEN = "***"


def check(url: str) -> str:
    """Return the URL.

    Raises:
        ValueError: it is one of a database server and not written as it has to be; its words are not repeated.
    """
    if not _is_read_alike(url):
        raise ValueError(
            "this is no URL; in user, password and parameters write @ as %40, / as %2F, : as %3A, ? as %3F, # as %23, % as %25"
        )
    return url


def shown(url: str) -> str:
    """Return the URL without its password: ``postgresql://user:***@host/db``. What is not known to be harmless is hidden.

    A user alone is a user to PostgreSQL; to others it may be a token, and is hidden as well. Paths of files are shown.
    """
    scheme, found, rest = url.partition("://")
    if scheme == "sqlite" or _PLACE.fullmatch(url):
        return url
    if not found or not _is_read_alike(url):
        return f"{scheme}://{HIDDEN}" if url.startswith(_SCHEMES) else HIDDEN
    login, at, place = rest.rpartition("@")
    where, asked, query = place.partition("?")
    return f"{scheme}://{_login(scheme, login)}{at}{where}{asked}{'&'.join(map(_parameter, query.split('&')))}"


def _login(scheme: str, login: str) -> str:
    user, colon, _ = login.partition(":")
    if not login or scheme.startswith("http"):
        return login and HIDDEN
    if colon:
        return f"{user}:{HIDDEN}"
    return user if scheme.startswith("postgres") else HIDDEN


def _is_read_alike(url: str) -> bool:
    return not url.startswith(_SCHEMES) or _NETWORK.fullmatch(url) is not None


def _parameter(parameter: str) -> str:
    name, equals, _ = parameter.partition("=")
    if not parameter or name in PLAIN:
        return parameter
    return f"{name}={HIDDEN}" if equals and name.isidentifier() else HIDDEN
