"""The token that every client sends: from the settings, or from a file of its own, made on first start.

It is never logged and never part of an error.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from zhiji.config import Settings
from zhiji.errors import ConfigError

MODE = 0o600
MIN_CHARS = 16
_TOKEN = re.compile(f"[!-~]{{{MIN_CHARS},}}")


def require(settings: Settings) -> str:
    """Return the token in force; its file is made if there is none.

    Raises:
        ConfigError: the file cannot be read or made, is open to others, or holds no token.
    """
    if settings.token is not None:
        if not _TOKEN.fullmatch(settings.token):
            raise ConfigError("token: it has characters that no header can carry; use visible ASCII", setting="token")
        return settings.token
    path = Path(settings.token_file)
    try:
        if not path.exists():
            _make(path)
        return _read(path)
    except OSError as error:
        raise _unusable(path, f"cannot be read or made ({error.strerror}); correct its path or permissions") from error


def _make(path: Path) -> None:
    """The file exists, whole from its first moment, whoever made it: it is written beside and linked into place."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, MODE)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(32) + "\n")
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):  # another process was first: its token is the one
            os.link(draft, path)
    finally:
        draft.unlink()


def _read(path: Path) -> str:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe without a writer would be waited for
    with os.fdopen(descriptor, encoding="utf-8", errors="replace") as file:
        mode = os.fstat(file.fileno()).st_mode
        words = file.read(4096).strip() if stat.S_ISREG(mode) else ""
    if stat.S_ISREG(mode) and mode & 0o077:
        raise _unusable(path, "can be read by others; make a new token, or run `chmod 600` on it")
    if not _TOKEN.fullmatch(words):
        raise _unusable(path, f"holds no token of at least {MIN_CHARS} characters; delete it, the next start makes one")
    return words


def _unusable(path: Path, what: str) -> ConfigError:
    return ConfigError(f"token_file: {path} {what}", setting="token_file")
