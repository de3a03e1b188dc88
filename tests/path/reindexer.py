"""A process that makes vectors anew and is killed on the way: ``python reindexer.py URL CALL``, the call it dies at."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

from zhiji import Settings, Zhiji
from zhiji.models.base import Vectors
from zhiji.testing import HashEmbedder


class Deadly(HashEmbedder):
    """The embedder ``same`` of dimension 768, that kills its process."""

    def __init__(self, call: int) -> None:
        super().__init__(768)
        self.name = "same"
        self.call = call

    def embed_passages(self, texts: list[str]) -> Vectors:
        """Return float32 (n, dim), L2-normalised, or never."""
        if self.calls + 1 == self.call:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().embed_passages(texts)


async def main(url: str, call: int) -> None:
    """Some vectors were made."""
    settings = Settings(database_url=url, worker=False)
    async with Zhiji.open(settings, embedder=Deadly(call)) as zj:
        await zj.reindex()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
