"""``POST /chat``, the article's shape, and ``POST /v1/chat`` with everything a reply carries."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from zhiji.errors import (
    AmbiguousKey,
    ContextOverflow,
    ContextTooLarge,
    EmptyMessage,
    IdempotencyMismatch,
    LeaseLost,
    ModelError,
    ModelRateLimited,
    ModelTimeout,
    RateLimited,
    SessionBusy,
    SessionExpired,
    SessionNotFound,
    StoreBusy,
    StoreFull,
    StoreUnavailable,
    ToolLoop,
)
from zhiji.server import stream
from zhiji.server.keys import KeyHeader, given_key
from zhiji.server.parts import Opened
from zhiji.server.problems import documented, dumps
from zhiji.server.schemas.base import Out
from zhiji.server.schemas.chat import Asked, ChatBody, ChatReply, Reply

router = APIRouter(tags=["chat"])

ERRORS = (
    *(AmbiguousKey, EmptyMessage, IdempotencyMismatch, ContextTooLarge, SessionNotFound, SessionBusy, LeaseLost),
    *(RateLimited, ModelError, ContextOverflow, ModelTimeout, ModelRateLimited, ToolLoop),
    *(StoreBusy, StoreUnavailable, StoreFull),
)


@router.post("/chat", response_model=ChatReply, responses=documented(*ERRORS))
async def chat(request: Request, asked: Asked, zj: Opened, idempotency_key: KeyHeader = None) -> Response:
    """Answer one message. With the user's own expired session, in a new one that carries on."""
    reply = await zj.chat(asked.user_id, asked.message, session=asked.session_id, idempotency_key=given_key(request))
    return _json(ChatReply.of(reply))


@router.post(
    "/v1/chat",
    response_model=Reply,
    responses={
        **documented(*ERRORS, SessionExpired),
        200: {
            "description": "The reply; with `stream`, events `delta {text}`, `tool {name, status}`, then `done {reply}` "
            "or `error {problem}`.",
            "content": {stream.MEDIA_TYPE: {"itemSchema": stream.EVENT_SCHEMA}},
        },
    },
)
async def chat_in_full(request: Request, said: ChatBody, zj: Opened) -> Response:
    """Answer one message, with its usage, what was recalled, and the steps taken to fit the window.

    If a streaming client leaves, the turn keeps what it was told; any other turn goes on to its end, and a retry with its
    idempotency key finds the reply.
    """
    key = given_key(request, said.idempotency_key)
    if said.stream:
        return stream.EventStream(zj, said, key)
    reply = await zj.chat(
        said.user_id, said.message, session=said.session_id, idempotency_key=key, on_expired=said.on_expired
    )
    return _json(Reply.of(reply))


def _json(answer: Out) -> Response:
    return Response(dumps(answer.body()), media_type="application/json")
