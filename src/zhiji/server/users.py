"""``/v1/users/{user}``: who a user is, what became of what they said, what a model saw of it, and removing all of it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from zhiji.errors import RequestNotFound
from zhiji.server.parts import Id, Opened, User
from zhiji.server.problems import documented
from zhiji.server.schemas.contexts import Context
from zhiji.server.schemas.jobs import Extraction, ExtractionFilters, ExtractionPage
from zhiji.server.schemas.memories import Memory
from zhiji.server.schemas.users import Erased, Profile

router = APIRouter(prefix="/v1/users/{user}", tags=["users"])


@router.get("/profile", operation_id="profile", responses=documented())
async def profile(zj: Opened, user: User) -> Profile:
    """Show who a user is: name, form of address, default address, reply style … as far as known."""
    found = await zj.profile(user)
    return Profile(user_id=user, values=dict(found.values), memories=Memory.each(found.memories))


@router.get("/extractions", operation_id="extractions_list", responses=documented())
async def extractions(zj: Opened, user: User, only: Annotated[ExtractionFilters, Query()]) -> ExtractionPage:
    """List what became of each extraction pass over a user's messages: written, nothing, partial or failed."""
    found = await zj.jobs.extractions(user, session_id=only.session, limit=only.limit)
    return ExtractionPage(extractions=Extraction.each(found))


@router.get("/requests/{request}/context", operation_id="context", responses=documented(RequestNotFound))
async def context(zj: Opened, user: User, request: Id) -> Context:
    """Show what the model saw in a request, with tokens by part; kept as long as its session."""
    return Context.shown(request, await zj.context(user, request))


@router.delete("", operation_id="erase", responses=documented())
async def erase(zj: Opened, user: User) -> Erased:
    """Remove everything of a user; an unknown user has nothing to remove."""
    done = await zj.erase(user)
    return Erased(user_id=done.user, erased_at=done.erased_at, removed=dict(done.removed), total=done.total)
