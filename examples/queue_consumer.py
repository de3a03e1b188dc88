"""A queue consumer: messages come in, replies go out, and zhiji knows nothing of queues.

    python examples/queue_consumer.py SPOOL [--once]

The queue is a folder, so that the example needs no broker; ``Queue`` is what a broker's client would implement. Messages
are files ``SPOOL/in/NAME.json`` holding ``{"id", "user", "text"}``, taken in the order of their names; a reply becomes
``SPOOL/out/NAME.json``, what cannot be answered ``SPOOL/dead/NAME.json``.

Delivery is at least once: a message is acknowledged after its reply was written, so it comes again if the consumer dies
in between. Its id is the idempotency key, so that what comes again is answered as before, by the same turn. One user's
messages are answered one after the other, different users' at the same time. What may pass is tried again, holding back
only that user's later messages; what will not pass, or not in so many attempts, is set aside with the reason.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from zhiji import Settings, Zhiji
from zhiji.errors import ZhijiError

ATTEMPTS = 5
PAUSE_SECONDS = 0.5
"""Before the second attempt; doubled before each further one."""
POLL_SECONDS = 0.2
USERS_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message as the queue delivered it."""

    tag: str
    """Names this delivery to the queue."""
    id: str
    """Names the message; the same each time it is delivered."""
    user: str
    text: str


class Queue(Protocol):
    """What the consumer asks of a queue."""

    def waiting(self) -> list[Delivery]:
        """Return what is not acknowledged, oldest first."""
        ...

    def acknowledge(self, delivery: Delivery, reply: Mapping[str, object]) -> None:
        """The reply is on its way; the message does not come again."""
        ...

    def bury(self, delivery: Delivery, reason: Mapping[str, object]) -> None:
        """The message is set aside for somebody to look at; it does not come again."""
        ...


async def answer(zj: Zhiji, delivery: Delivery) -> dict[str, object]:
    """Return the reply to one message, in the user's latest conversation."""
    sessions = await zj.sessions.list(delivery.user, limit=1)
    reply = await zj.chat(
        delivery.user, delivery.text, session=sessions[0] if sessions else None, idempotency_key=delivery.id
    )
    return {"id": delivery.id, "user": delivery.user, "session": reply.session_id, "reply": reply.text}


async def settle(zj: Zhiji, queue: Queue, delivery: Delivery, *, pause_seconds: float = PAUSE_SECONDS) -> None:
    """The message is answered, or set aside after a refusal or the last attempt."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            reply = await answer(zj, delivery)
        except ZhijiError as error:
            if not error.retryable or attempt == ATTEMPTS:
                queue.bury(delivery, {"code": error.code, "detail": str(error), "attempts": attempt})
                return
            await asyncio.sleep(pause_seconds * 2 ** (attempt - 1))
        else:
            queue.acknowledge(delivery, reply)
            return


async def work_off(zj: Zhiji, queue: Queue, *, pause_seconds: float = PAUSE_SECONDS) -> int:
    """Everything that waits is settled, each user's messages in order; returns how many there were."""
    lanes: dict[str, list[Delivery]] = {}
    for delivery in queue.waiting():
        lanes.setdefault(delivery.user, []).append(delivery)
    room = asyncio.Semaphore(USERS_AT_ONCE)

    async def lane(deliveries: list[Delivery]) -> None:
        async with room:
            for delivery in deliveries:
                await settle(zj, queue, delivery, pause_seconds=pause_seconds)

    await asyncio.gather(*map(lane, lanes.values()))
    return sum(map(len, lanes.values()))


async def consume(zj: Zhiji, queue: Queue) -> None:
    """Messages are settled as they come, until cancelled."""
    while True:
        if not await work_off(zj, queue):
            await asyncio.sleep(POLL_SECONDS)


class Spool:
    """A queue in a folder. One consumer at a time; producers rename finished files into ``in``."""

    def __init__(self, folder: Path) -> None:
        """The folders ``in``, ``out`` and ``dead`` exist."""
        self._in, self._out, self._dead = (folder / name for name in ("in", "out", "dead"))
        for path in (self._in, self._out, self._dead):
            path.mkdir(parents=True, exist_ok=True)

    def waiting(self) -> list[Delivery]:
        """Return what lies in ``in``, by name; a file that holds no message goes to ``dead`` as it is."""
        return [found for path in sorted(self._in.glob("*.json")) if (found := self._read(path))]

    def acknowledge(self, delivery: Delivery, reply: Mapping[str, object]) -> None:
        """The reply lies in ``out``, whole, before its message leaves ``in``."""
        self._settle(delivery, self._out, reply)

    def bury(self, delivery: Delivery, reason: Mapping[str, object]) -> None:
        """The reason lies in ``dead``, with the message."""
        message = {"id": delivery.id, "user": delivery.user, "text": delivery.text}
        self._settle(delivery, self._dead, {**message, **reason})

    def _read(self, path: Path) -> Delivery | None:
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            return Delivery(path.name, *(_text(found[name]) for name in ("id", "user", "text")))
        except (ValueError, TypeError, KeyError):
            path.rename(self._dead / path.name)
            return None

    def _settle(self, delivery: Delivery, folder: Path, document: Mapping[str, object]) -> None:
        draft = folder / f"{delivery.tag}.draft"
        draft.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
        draft.replace(folder / delivery.tag)
        (self._in / delivery.tag).unlink()
        print(folder.name, delivery.tag, flush=True)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


async def main() -> None:
    """Consume a spool with the settings of the environment."""
    parser = argparse.ArgumentParser(description="Answer the messages of a spool.")
    parser.add_argument("spool", type=Path)
    parser.add_argument("--once", action="store_true", help="end when nothing waits")
    options = parser.parse_args()
    async with Zhiji.open(Settings.from_environment()) as zj:
        queue = Spool(options.spool)
        if options.once:
            while await work_off(zj, queue):
                pass
        else:
            await consume(zj, queue)


if __name__ == "__main__":
    asyncio.run(main())
