"""Zhiji: holds the parts, opens and closes them, one thin verb per step. What they are is decided by ``compose``."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from typing import Self, TypeVar

from pydantic import BaseModel

from zhiji import (
    chat,
    clocks,
    complete,
    compose,
    context,
    curate,
    doctor,
    fade,
    gauges,
    given,
    hosted,
    ingest,
    presence,
    text,
    upkeep,
)
from zhiji import erase as erasure
from zhiji import reindex as reindexing
from zhiji.complete import OnDelta, OnTool
from zhiji.config import Settings
from zhiji.conversations import Sessions, States, named
from zhiji.curate import Memories
from zhiji.diagnosis import Diagnosis
from zhiji.erase import Certificate
from zhiji.errors import InvalidInput, RequestNotFound, ZhijiError, place
from zhiji.extract import Extractor
from zhiji.fade import Upkeep
from zhiji.hosted import HostTurn
from zhiji.jobs import Jobs
from zhiji.models.base import Clock, Embedder, Model, Summarise
from zhiji.parts import Parts
from zhiji.reindex import Progress, Reindexed
from zhiji.restore import OnExpired, pull_forward
from zhiji.session import is_expired
from zhiji.telemetry import Telemetry, Tracer
from zhiji.tools import Condense, Effects
from zhiji.types import (
    Context,
    JsonValue,
    Memory,
    Profile,
    Recalled,
    Reply,
    Scope,
    Session,
    WorkerRole,
)
from zhiji.worker import Worker

log = logging.getLogger("zhiji.engine")
logging.getLogger("zhiji").addHandler(logging.NullHandler())  # a host that configures no logging sees nothing

MAX_USER_CHARS = 256
_F = TypeVar("_F", bound=Callable[..., object])
NOUNS = ("memories", "sessions", "state", "jobs")
"""Attributes of ``Zhiji`` that hold verbs of their own."""


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
        tracer: Tracer | None = None,
        role: WorkerRole = WorkerRole.LIBRARY,
    ) -> AsyncIterator[Self]:
        """Open zhiji; everything it opened is closed at the end of the block, running jobs finished.

        ``clock`` returns aware UTC datetimes. ``model`` completes turns; ``embedder`` replaces the configured one;
        ``slots`` is a pydantic model of the form slots that the state may hold. ``tracer`` gets the spans; without it, and
        with the setting ``tracing``, they go to OpenTelemetry's global tracer provider. ``role``: what this process is
        called among those that run jobs (``zj.jobs.workers``).

        Raises:
            ConfigError: a setting is out of its bounds or needs something that is not there; ``clock`` is naive, or ``model``
                cannot be called.
            StoreError: the database cannot be opened; the leaf says why and what to do.
        """
        brought = compose.Given(
            clock=clock,
            model=model,
            embedder=embedder,
            extractor=extractor,
            summarise=summarise,
            slots=slots,
            tracer=tracer,
        )
        async with compose.composed(settings or Settings.load(), brought) as (parts, worker):
            zj = cls(parts, worker)
            await clocks.compare(parts.clock, parts.store)
            await presence.recover(parts.store)
            await upkeep.sweep_sessions(parts)
            async with _background(parts, worker, role):
                yield zj

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
        on_tool: OnTool | None = None,
    ) -> Reply:
        """Return the reply to one message, remembered and committed.

        Without ``session`` a new one is opened; with the user's own expired one, a new one that carries on (or
        ``SessionExpired`` if ``on_expired`` is ``"error"``). ``on_delta`` gets pieces of the answer as they come, ``on_tool`` the
        name of each tool with ``started``, then ``done`` or ``failed``. A retry with the same ``idempotency_key`` within
        24 h returns the first reply. If the call is cancelled after pieces were told, the turn is closed with these
        (``interrupted``), else it is marked failed.

        Raises:
            EmptyMessage, ContextTooLarge, IdempotencyMismatch: the message was refused; nothing was run.
            RateLimited: the user or the tenant has had its share; nothing was run.
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
            on_tool=on_tool,
        )

    @asynccontextmanager
    async def turn(
        self, user: str | Scope, message: str, *, session: str | Session | None = None
    ) -> AsyncIterator[HostTurn]:
        """The steps around your own agent loop: send ``turn.messages`` to a model, set ``turn.reply``.

        On leaving the block the state is advanced, the turn saved and the sediment job enqueued. If the block raises,
        or no reply was set, the turn is marked failed. Raises as ``chat`` does.
        """
        async with hosted.turn(self._parts, self.scope(user), message, session_id=_id(session)) as turn:
            yield turn

    async def ingest(
        self,
        user: str | Scope,
        messages: Sequence[Mapping[str, object]],
        *,
        session: str | Session | None = None,
        time: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> Session:
        """Turns that happened elsewhere are stored and will sediment like any other; returns their session.

        ``messages`` are ``{"role", "content", "name"?, "tool_calls"?, "tool_call_id"?, "time"?}``; naive times are UTC;
        ``time`` is that of messages without one. Without ``session`` a new one is made that is not subject to TTL.
        A retry with the same ``idempotency_key`` within 24 h stores nothing again and returns the first one's session.

        Raises:
            InvalidInput: a message does not have this shape; the text names its index. Nothing was stored.
            IdempotencyMismatch: the key was used with other messages, or by ``chat``.
            RateLimited: as in ``chat``; a call counts once, however many turns it holds.
            SessionNotFound, SessionExpired, SessionBusy: as in ``chat``.
        """
        return await ingest.ingest(
            self._parts,
            self.scope(user),
            messages,
            session_id=_id(session),
            time=time,
            idempotency_key=idempotency_key,
        )

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
        ``terms`` with each term of the score (``similarity decay confidence type``); they are empty otherwise. What is found
        of the present counts as used, once a day at most, which puts off its fading.
        """
        parts, scope = self._parts, self.scope(user)
        query, k = given.words("query", query), given.count("k", k)
        types = None if types is None else given.names("types", types)
        as_of = None if as_of is None else given.moment("as_of", as_of)
        state = (await self.sessions.get(scope, session)).state if session is not None else None
        found = await complete.recalled(
            parts,
            scope,
            text.clean(query),
            k=k,
            state=state,
            types=types,
            as_of=as_of,
            now=parts.clock(),
        )
        if as_of is None:
            await complete.count_use(parts, scope, [item.memory for item in found])
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
        done = await self.memories.add(
            user, content, type=type, key=key, value=value, importance=importance, confidence=confidence
        )
        return done.memory

    async def profile(self, user: str | Scope) -> Profile:
        """Return what is known of the user under fixed keys: name, form of address, default address, reply style …."""
        return await curate.profile(self._parts, self.scope(user))

    async def context(self, user: str | Scope, request_id: str) -> Context:
        """Return what the model saw in a recent request, rebuilt from its recipe.

        Messages of a session that is over are shown masked; memories deleted since are marked.

        Raises:
            RequestNotFound: unknown, another user's, or its session was purged.
        """
        parts, scope = self._parts, self.scope(user)
        recipe = await parts.store.load_recipe(scope, given.name("request_id", request_id))
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
            window=parts.window,
            counter=parts.counter,
        )

    async def drain(self, user: str | Scope | None = None, *, patient: bool = False, early: bool = False) -> None:
        """Every job now due — of one user, or of all — is done or dead.

        Failures are tried again at once, unless an endpoint asked to wait; if ``patient``, when they are due again. If
        ``early``, what this user said is read now, also where a model would wait for silence.
        """
        scope = None if user is None else self.scope(user)
        if early and scope is not None:
            await pull_forward(self._parts, scope)
        await self._worker.drain(scope, patient=patient)

    def retire(self) -> None:
        """This process takes no further job; those that run have ``drain_seconds`` from now, as if zhiji were being closed."""
        self._worker.retire()

    async def warm(self) -> None:
        """What is loaded at first need is loaded: the embedder, if there is one."""
        await self._parts.embedding.embedder()

    async def reindex(self, user: str | Scope | None = None, *, progress: Progress | None = None) -> Reindexed:
        """Every memory, or every one of this user, has a vector of the embedder in use, and of no other.

        For after the embedder was changed. Others may go on meanwhile; interrupted, it is run again and goes on.
        ``progress`` gets the owner at work and the memories embedded so far.

        Raises:
            ConfigError: there is no embedder. EmbedderError: it failed; what was done stays.
        """
        return await reindexing.reindex(self._parts, None if user is None else self.scope(user), progress)

    async def sweep(self) -> int:
        """Expired sessions are ended, old transcripts purged, unused memories faded; returns how many sessions were ended."""
        return await upkeep.sweep(self._parts)

    async def upkeep(self, user: str | Scope | None = None, *, dry_run: bool = False, by_owner: bool = False) -> Upkeep:
        """What nobody uses any more is archived, what has lain there long enough deleted; returns how much, by type.

        Of one user, or of all. Active rows that say the same in the same words, as databases of former times may hold, become
        one, of which the others are the history. Related memories that are due to become one are enqueued for reflection (``drain`` runs it).
        ``dry_run``: nothing is changed, the report tells what would be. ``by_owner``: it also tells whose. The regular sweep
        archives and deletes by itself.
        """
        return await fade.upkeep(
            self._parts, None if user is None else self.scope(user), dry_run=dry_run, by_owner=by_owner
        )

    async def doctor(
        self, user: str | Scope, session: str | Session | None, message: str, *, expect: str | None = None
    ) -> Diagnosis:
        """Return where this message loses, or lost, what should have been remembered; nothing is changed.

        ``message`` is the question for which memory seemed to fail; it is replayed without the model. ``expect``: words
        of the fact that should have been remembered, such as an order number; without it, what the user's own messages
        and memories hold on the matter is taken. An invalid user or message is a finding, not an error; "unknown
        session" does not say whether somebody else has it.
        """
        try:
            scope = self.scope(user)
        except InvalidInput:
            scope = None
        known = text.clean(session) if isinstance(session, str) else _id(session)
        return await doctor.diagnose(self._parts, scope, known, message, expect=expect)

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
    def telemetry(self) -> Telemetry:
        """What was counted and timed since opening, by the names of ``telemetry.METRICS``."""
        return self._parts.telemetry

    async def measure(self) -> Telemetry:
        """Return ``telemetry`` with the gauges that only the store knows, such as the age of the queue, read anew."""
        await gauges.measure(self._parts)
        return self._parts.telemetry

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


@asynccontextmanager
async def _background(parts: Parts, worker: Worker, role: WorkerRole) -> AsyncIterator[None]:
    """The worker and the sweep run inside the block; at its end running jobs are finished first."""
    tasks = []
    if parts.settings.worker:
        beats = presence.beat_often(parts.store, parts.clock, parts.holder, role, lambda: worker.running)
        works = (worker.loop(), parts.store.listen(worker.wake), beats, _sweep_often(parts))
        tasks = [asyncio.create_task(work) for work in works]
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
            await clocks.compare(parts.clock, parts.store)
            await upkeep.sweep(parts)
        except ZhijiError as error:
            log.warning("sweep_failed: %s; trying again in %g s", place(error), parts.settings.sweep_seconds)


def _id(session_or_id: str | Session | None) -> str | None:
    return None if session_or_id is None else named(session_or_id)


def _unexplained(item: Recalled) -> Recalled:
    return replace(item, terms={})
