"""``/v1/users/{user}/recall``: the memories that bear on a question."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body

from zhiji.errors import SessionExpired, SessionNotFound
from zhiji.server.parts import Opened, User
from zhiji.server.problems import documented
from zhiji.server.schemas.base import examples
from zhiji.server.schemas.recall import Recall, RecallAnswer, Recalled

router = APIRouter(prefix="/v1/users/{user}/recall", tags=["recall"])

_RECALL = Body(
    openapi_examples=examples(
        zh={"query": "退货地址是什么？", "k": 5, "explain": True},
        en={"query": "Where does she live?", "types": ["identity"], "as_of": "2024-04-15T10:00:00Z"},
    )
)


@router.post("", operation_id="recall", responses=documented(SessionNotFound, SessionExpired))
async def recall(zj: Opened, user: User, asked: Annotated[Recall, _RECALL]) -> RecallAnswer:
    """Recall what is known about a user that bears on a question, best first, each with its score."""
    found = await zj.recall(
        user,
        asked.query,
        k=asked.k,
        session=asked.session_id,
        types=asked.types,
        as_of=asked.as_of,
        explain=asked.explain,
    )
    return RecallAnswer(recalled=Recalled.each(found))
