"""Exit codes: one table from error class to code. 0 is fine, 1 a check that failed, 130 an interrupt, 141 a closed pipe."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from zhiji import errors
from zhiji.errors import ZhijiError

CHECK_FAILED = 1
USAGE = 2
INTERNAL = 70
"""A bug of ours (``EX_SOFTWARE`` of sysexits.h)."""
IO = 74
"""A file or stream that is not ours could not be read or written (``EX_IOERR``)."""
INTERRUPTED = 130
CLOSED_PIPE = 141

EXIT_CODES: Mapping[type[ZhijiError], int] = MappingProxyType(
    {
        errors.InvalidInput: USAGE,
        errors.ConfigError: USAGE,
        errors.NotSupported: USAGE,
        errors.NotFound: 3,
        errors.Conflict: 4,
        errors.StoreBusy: 4,
        errors.ContextTooLarge: 5,
        errors.StoreError: 6,
        errors.ModelError: 7,
        errors.EmbedderError: 7,
        errors.Forbidden: 8,
        errors.ServiceUnavailable: 4,
    }
)
"""A class that is not listed has the code of its nearest base."""


def exit_code(error: ZhijiError) -> int:
    """Return the exit code of an error."""
    return next((EXIT_CODES[kind] for kind in type(error).__mro__ if kind in EXIT_CODES), INTERNAL)
