"""What the tests of the command line share: a user, what a command did, and the database as a library user sees it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from zhiji.blocking import Zhiji
from zhiji.config import Settings

USER = "user_001"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, as JSON."""
        return json.loads(self.out)


Run = Callable[..., Ran]


@contextmanager
def opened() -> Iterator[Zhiji]:
    """Open the database of the test as a library user would."""
    with Zhiji.open(Settings.from_environment(worker=False)) as zj:
        yield zj
