"""Whether the service lives and whether it can answer: for probes, without token and without details."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse

from zhiji.errors import ShuttingDown, StoreBusy, StoreUnavailable
from zhiji.server.parts import Opened
from zhiji.server.problems import documented

router = APIRouter(tags=["health"])


@router.head("/healthz", include_in_schema=False)
@router.get("/healthz", response_class=PlainTextResponse)
async def healthz() -> str:
    """The process lives."""
    return "ok\n"


@router.head("/readyz", include_in_schema=False)
@router.get(
    "/readyz", response_class=PlainTextResponse, responses=documented(ShuttingDown, StoreBusy, StoreUnavailable)
)
async def readyz(request: Request, zj: Opened) -> str:
    """The store answers, and the service takes requests."""
    if request.app.state.gate.closing.is_set():
        raise ShuttingDown
    await zj.jobs.list(limit=1)
    return "ok\n"
