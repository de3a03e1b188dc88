"""``/v1/users/{user}/sessions/{session}/state``: where the task of a session stands."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body

from zhiji.errors import InvalidState, SessionExpired, SessionNotFound, StaleState
from zhiji.server.parts import Id, Opened, User
from zhiji.server.problems import documented
from zhiji.server.schemas.base import examples
from zhiji.server.schemas.state import PatchState, State

router = APIRouter(prefix="/v1/users/{user}/sessions/{session}/state", tags=["state"])

_PATCH = Body(
    openapi_examples=examples(
        zh={"changes": {"intent": "return", "slots": {"order_id": "OD20240415008", "reason": "尺码偏小"}}},
        en={"changes": {"slots.address": "18 Wensan Road", "slots.note": None}, "expected_version": 3},
    )
)


@router.get("", operation_id="state_get", responses=documented(SessionNotFound, SessionExpired))
async def get(zj: Opened, user: User, session: Id) -> State:
    """Show where the task of a session stands: intent, form, conclusions of tools."""
    return State.of(await zj.state.get(user, session))


@router.patch(
    "", operation_id="state_patch", responses=documented(InvalidState, SessionNotFound, SessionExpired, StaleState)
)
async def patch(zj: Opened, user: User, session: Id, wanted: Annotated[PatchState, _PATCH]) -> State:
    """Change named fields of the state; the others stay."""
    return State.of(await zj.state.patch(user, session, wanted.changes, wanted.expected_version))
