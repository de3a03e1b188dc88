"""``/v1/doctor``: where a message loses what should have been remembered."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body

from zhiji.server.parts import Opened
from zhiji.server.problems import documented
from zhiji.server.schemas.base import examples
from zhiji.server.schemas.doctor import Diagnose, Diagnosis

router = APIRouter(prefix="/v1/doctor", tags=["doctor"])

_DIAGNOSE = Body(
    openapi_examples=examples(
        zh={"user_id": "user_001", "message": "我的退货地址是什么？", "expect": "文三路"},
        en={"user_id": "user_001", "session_id": "ses_1f0c", "message": "Where do I live?"},
    )
)


@router.post("", operation_id="doctor", responses=documented())
async def diagnose(zj: Opened, asked: Annotated[Diagnose, _DIAGNOSE]) -> Diagnosis:
    """Say where memory fails for a message: input, session, memory, context; the first that broke, and what to do.

    Nothing is changed and no model is called. A wrong user id or an expired session is a finding, not an error.
    """
    return Diagnosis.of(await zj.doctor(asked.user_id, asked.session_id, asked.message, expect=asked.expect))
