"""``/v1/users/{user}/memories``: what is remembered of a user, seen, told, corrected, deleted and brought back."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Query

from zhiji.errors import EmptyMessage, InvalidKey, MemoryNotFound, StaleMemory
from zhiji.server.parts import Id, Opened, User
from zhiji.server.problems import documented
from zhiji.server.schemas.base import examples
from zhiji.server.schemas.memories import Correct, Memory, MemoryFilters, MemoryPage, Remember, Remembered, Versions

router = APIRouter(prefix="/v1/users/{user}/memories", tags=["memories"])

_REMEMBER = Body(
    openapi_examples=examples(
        zh={"content": "用户的默认收货地址是杭州市文三路 18 号", "type": "identity", "key": "address.default"},
        en={"content": "The user prefers brief answers.", "type": "preference", "key": "preference:reply_style"},
    )
)
_CORRECT = Body(
    openapi_examples=examples(
        zh={"content": "用户对虾过敏，对花生不过敏", "reason": "用户来电更正"},
        en={"content": "The user is allergic to shrimp.", "reason": "The user called."},
    )
)


@router.get("", operation_id="memories_list", responses=documented())
async def list_(zj: Opened, user: User, only: Annotated[MemoryFilters, Query()]) -> MemoryPage:
    """List what is remembered: newest first, active memories unless told otherwise."""
    found = await zj.memories.list(
        user, statuses=only.status, types=only.type, limit=only.limit + 1, offset=only.offset
    )
    return MemoryPage(memories=Memory.each(found[: only.limit]), next_offset=only.following(found))


@router.post("", operation_id="remember", status_code=201, responses=documented(EmptyMessage, InvalidKey, StaleMemory))
async def remember(zj: Opened, user: User, told: Annotated[Remember, _REMEMBER]) -> Remembered:
    """Remember a fact that an operator or a program states. The same fact again is one more voice, no second row."""
    done = await zj.memories.add(
        user,
        told.content,
        type=told.type,
        key=told.key,
        value=told.value,
        importance=told.importance,
        confidence=told.confidence,
    )
    return Remembered.of(done)


@router.get("/{memory}", operation_id="memories_get", responses=documented(MemoryNotFound))
async def get(zj: Opened, user: User, memory: Id) -> Memory:
    """Show one memory, whatever its status."""
    return Memory.of(await zj.memories.get(user, memory))


@router.patch(
    "/{memory}", operation_id="memories_correct", responses=documented(EmptyMessage, MemoryNotFound, StaleMemory)
)
async def correct(zj: Opened, user: User, memory: Id, right: Annotated[Correct, _CORRECT]) -> Memory:
    """Correct a memory: a new one supersedes it, by an operator's word; the old one stays as history."""
    return Memory.of(await zj.memories.correct(user, memory, right.content, right.reason))


@router.delete("/{memory}", operation_id="memories_delete", status_code=204, responses=documented(MemoryNotFound))
async def delete(zj: Opened, user: User, memory: Id) -> None:
    """Delete a memory for good: the same conversation cannot bring it back, only a newer message of the user can."""
    await zj.memories.delete(user, memory)


@router.post("/{memory}/restore", operation_id="memories_restore", responses=documented(MemoryNotFound, StaleMemory))
async def restore(zj: Opened, user: User, memory: Id) -> Memory:
    """Make a superseded, archived or quarantined memory active again; an active one of its key gives way to it."""
    return Memory.of(await zj.memories.restore(user, memory))


@router.get("/{memory}/history", operation_id="memories_history", responses=documented(MemoryNotFound))
async def history(zj: Opened, user: User, memory: Id) -> Versions:
    """Show every version of what a memory says, oldest first."""
    return Versions(versions=Memory.each(await zj.memories.history(user, memory)))
