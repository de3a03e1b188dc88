"""After the run: everything that zhiji shows of the users who spoke, read through the library from the file itself."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from benchmarks.load.ledger import Call, Evidence, Found, Sent
from benchmarks.load.marks import name, secret
from zhiji import Settings, Zhiji, policies
from zhiji.types import JobStatus, Status

EVERYTHING = 100_000
POLL_SECONDS = 0.1
STRANGERS = 2
"""How many other users' secrets each user's memory is asked for."""


async def settled(settings: Settings, seconds: float) -> None:
    """No job waits or runs any more, or time is up: what is left then is the checker's business."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds), Zhiji.open(settings) as zj:
            while True:
                if not await zj.jobs.list(statuses=[JobStatus.PENDING, JobStatus.RUNNING], limit=1):
                    return
                await asyncio.sleep(POLL_SECONDS)


async def gather(settings: Settings, ledger: Sequence[Sent], calls: Path, seed: int) -> Evidence:
    """Return what zhiji and the writing tool's log show."""
    chance = random.Random(seed)
    requests: dict[int, list[str]] = {}
    for sent in ledger:
        requests.setdefault(sent.user, [])
        if sent.accepted is not None:
            requests[sent.user] += [one for one in [_request(sent.accepted.body)] if one]
    async with Zhiji.open(settings) as zj:
        users = {user: await _found(zj, user, ids, requests, chance) for user, ids in requests.items()}
        return Evidence(users=users, jobs=await zj.jobs.list(limit=EVERYTHING), calls=_calls(calls))


async def _found(
    zj: Zhiji, user: int, requests: Sequence[str], others: dict[int, list[str]], chance: random.Random
) -> Found:
    who = name(user)
    sessions = await zj.sessions.list(who, archived=True, limit=EVERYTHING)
    memories = await zj.memories.list(who, statuses=list(Status), types=list(policies.TYPES), limit=EVERYTHING)
    asked = [secret(user), *(secret(other) for other in chance.sample(sorted(others), min(STRANGERS, len(others))))]
    recalled = [one for query in asked for one in await zj.recall(who, query, k=20)]
    context = [await zj.context(who, chance.choice(requests))] if requests else []
    return Found(
        transcripts={one.id: await zj.sessions.messages(who, one, archived=True) for one in sessions},
        memories=[f"{memory.key} {memory.content} {memory.value}" for memory in memories],
        facts=[memory.key for memory in memories if memory.status is Status.ACTIVE and memory.key],
        recalled=[item.memory.content for item in recalled],
        contexts=[json.dumps(list(one.messages), ensure_ascii=False) for one in context],
    )


def _request(body: str) -> str:
    """Return the request id of a reply, be it a document or the last event of a stream."""
    found = body.rpartition('"request_id": "')[2] if '"request_id": "' in body else body.rpartition('"request_id":"')[2]
    return found.partition('"')[0] if found.startswith("req_") else ""


def _calls(log: Path) -> list[Call]:
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    found = [json.loads(line) for line in lines]
    return [Call(key=one["key"], mark=one["mark"], user=int(one["user"].removeprefix("user_"))) for one in found]
