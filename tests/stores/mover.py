"""A process that moves a database and is killed on the way: ``python mover.py FROM TO PIECE``, the piece it dies at."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator, Sequence

from stores.data import make
from zhiji import compose, move
from zhiji.stores.base import Row
from zhiji.types import Scope


async def main(source: str, target: str, piece: int) -> None:
    """The target is a part of the source."""
    async with compose.database(make.settings(source)) as one, compose.database(make.settings(target)) as other:
        read = 0

        async def dump(scope: Scope) -> AsyncGenerator[tuple[str, Sequence[Row]], None]:
            nonlocal read
            async for part in type(one).dump(one, scope):
                read += 1
                if read == piece:
                    os.kill(os.getpid(), signal.SIGKILL)
                yield part

        one.dump = dump  # type: ignore[method-assign]
        await move.move(one, other)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
