"""A worker process of a test: ``zhiji worker`` with an extractor that remembers each message of the user as it stands.

Usage: ``python labourer.py PLACE``, a path or the URL of a database, after ``ZHIJI_*`` settings in the environment. Before each extraction it says
``extracting USER``; what a message says decides what happens then: ``等`` waits for a line of input, ``挂`` never ends,
``毒`` kills this process. Its notices come as lines, too.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from processes import place_of, url_of
from zhiji import Settings
from zhiji.cli import worker
from zhiji.extract import Extractor, Increment, Proposal
from zhiji.types import Draft

THINKING_SECONDS = 0.02
"""What a model would take, so that processes die in the middle of it."""


class Literal(Extractor):
    """Each message of the user is a fact without a key."""

    name = "literal"
    every_turn = True

    async def extract(self, increment: Increment) -> Proposal:
        """Return a draft for each message; see the module for the signs."""
        said = [message for message in increment.messages if message.role == "user"]
        words = "".join(message.content for message in said)
        print(f"extracting {words}", flush=True)
        if "毒" in words:
            os.kill(os.getpid(), signal.SIGKILL)
        if "挂" in words:
            await asyncio.Event().wait()
        await (asyncio.to_thread(sys.stdin.readline) if "等" in words else asyncio.sleep(THINKING_SECONDS))
        drafts = [
            Draft(
                type="event",
                content=message.content,
                key=None,
                value=None,
                confidence=0.9,
                seqs=(message.seq,),
                lang="zh",
            )
            for message in said
        ]
        return Proposal(drafts=drafts)


def settings(place: Path | str, **overrides: object) -> Settings:
    """Return settings of this database: no embedder, leases that no test waits for."""
    return Settings.load(database_url=url_of(place), embedder="off", lease_seconds=600, **overrides)


if __name__ == "__main__":
    sys.stderr = sys.stdout
    asyncio.run(worker.live(settings(place_of(sys.argv[1])), extractor=Literal()))
