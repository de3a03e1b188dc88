"""Named windows and limits of common models: a table. Pure data, and the rule that picks a row.

A window caps ``MAX_CONTEXT_TOKENS``, it never raises it. Rows are families; where versions differ, the smaller number
stands, and an endpoint that refuses less still corrects it at run time (``limits``). A model that no row fits is not capped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from zhiji.errors import ConfigError

AUTO: Final = "auto"
OLLAMA_PORT: Final = 11434
"""Where Ollama listens unless told otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """What is known of a family of models, or of a server."""

    name: str
    pattern: str
    """Regular expression that the bare model name begins with, lower case; an empty one is chosen by name or port only."""
    window: int | None
    """Tokens of prompt and reply together; None: not capped."""
    output: int | None = None
    """Tokens of one reply at most; None: up to the window, or not published."""
    truncates: bool = False
    """True: a prompt that is too long is cut without an error."""
    notes: str = ""
    source: str = ""


_OPENAI: Final = "platform.openai.com/docs/models"
_ANTHROPIC: Final = "docs.anthropic.com/en/docs/about-claude/models"
_GEMINI: Final = "ai.google.dev/gemini-api/docs/models"
_DASHSCOPE: Final = "help.aliyun.com/zh/model-studio/models"
_BIGMODEL: Final = "docs.bigmodel.cn/cn/guide/start/model-overview"
_MOONSHOT: Final = "platform.moonshot.cn/docs/pricing/chat"
_QWEN: Final = "qwen.readthedocs.io; model cards of Qwen2.5 and Qwen3"
_LLAMA: Final = "model cards of Meta Llama"
_MISTRAL: Final = "docs.mistral.ai/getting-started/models"
_OLLAMA: Final = "ollama/ollama docs/context-length.mdx, issues 17889 and 17427"

PRESETS: Final = (
    Preset(name="gpt-5", pattern=r"gpt-5(?!.*chat)", window=400_000, output=128_000, notes="input at most 272,000; `max_completion_tokens`", source=_OPENAI),
    Preset(name="gpt-5-chat", pattern=r"gpt-5.*chat", window=128_000, output=16_384, notes="`max_completion_tokens`", source=_OPENAI),
    Preset(name="gpt-4.1", pattern=r"gpt-4\.1", window=1_047_576, output=32_768, source=_OPENAI),
    Preset(name="gpt-4o", pattern=r"(?:chat)?gpt-4o", window=128_000, output=16_384, source=_OPENAI),
    Preset(name="gpt-4-turbo", pattern=r"gpt-4-(?:turbo|1106|0125)", window=128_000, output=4_096, source=_OPENAI),
    Preset(name="gpt-4", pattern=r"gpt-4(?:-0613)?$", window=8_192, output=8_192, source=_OPENAI),
    Preset(name="gpt-3.5", pattern=r"gpt-3\.5", window=16_385, output=4_096, source=_OPENAI),
    Preset(name="o1-mini", pattern=r"o1-(?:mini|preview)", window=128_000, output=32_768, notes="no tools, no system message; `max_completion_tokens`", source=_OPENAI),
    Preset(name="o-series", pattern=r"o[134](?:-|$)", window=200_000, output=100_000, notes="no parallel tool calls; `max_completion_tokens`", source=_OPENAI),
    Preset(name="gpt-oss", pattern=r"gpt-oss", window=131_072, source=_OPENAI),
    Preset(name="claude-3.5", pattern=r"claude-3[.-]5", window=200_000, output=8_192, source=_ANTHROPIC),
    Preset(name="claude-3", pattern=r"claude-3", window=200_000, output=4_096, notes="3.7: output 64,000", source=_ANTHROPIC),
    Preset(name="claude-4", pattern=r"claude-(?:opus|sonnet|haiku)-4|claude-4", window=200_000, output=32_000, notes="Sonnet and 4.5: output 64,000", source=_ANTHROPIC),
    Preset(name="gemini-1.5-pro", pattern=r"gemini-1\.5-pro", window=2_097_152, output=8_192, source=_GEMINI),
    Preset(name="gemini-1.5-flash", pattern=r"gemini-1\.5", window=1_048_576, output=8_192, source=_GEMINI),
    Preset(name="gemini-2.0", pattern=r"gemini-2\.0", window=1_048_576, output=8_192, source=_GEMINI),
    Preset(name="gemini-2.5", pattern=r"gemini-2\.5", window=1_048_576, output=65_536, source=_GEMINI),
    Preset(name="deepseek-reasoner", pattern=r"deepseek-(?:reasoner|r1)(?!.*distill)", window=65_536, output=32_768, notes="131,072 from V3.1; the early versions take no tools", source="api-docs.deepseek.com/quick_start/pricing"),
    Preset(name="deepseek-chat", pattern=r"deepseek-(?:chat|v3)", window=65_536, output=8_192, notes="131,072 from V3.1", source="api-docs.deepseek.com/quick_start/pricing"),
    Preset(name="qwen-max", pattern=r"qwen-max", window=32_768, output=8_192, notes="input at most 30,720", source=_DASHSCOPE),
    Preset(name="qwen-plus", pattern=r"qwen-plus", window=131_072, output=8_192, notes="input at most 129,024", source=_DASHSCOPE),
    Preset(name="qwen-turbo", pattern=r"qwen-(?:turbo|flash)", window=131_072, output=8_192, notes="later snapshots take 1,000,000", source=_DASHSCOPE),
    Preset(name="qwen-long", pattern=r"qwen-long", window=10_000_000, output=8_192, notes="in files; 1,000,000 in messages", source=_DASHSCOPE),
    Preset(name="qwen3", pattern=r"qwen-?3", window=32_768, notes="open weights: 32,768 native, 131,072 with YaRN, 262,144 from 2507", source=_QWEN),
    Preset(name="qwen2.5", pattern=r"qwen-?2\.5", window=32_768, output=8_192, notes="open weights: 32,768 native, 131,072 with YaRN", source=_QWEN),
    Preset(name="qwq", pattern=r"qwq", window=32_768, source=_QWEN),
    Preset(name="glm-4.6", pattern=r"glm-4\.[67]", window=200_000, output=128_000, source=_BIGMODEL),
    Preset(name="glm-4.5", pattern=r"glm-4\.5", window=128_000, output=96_000, source=_BIGMODEL),
    Preset(name="glm-4-long", pattern=r"glm-4-long", window=1_000_000, output=4_096, source=_BIGMODEL),
    Preset(name="glm-4", pattern=r"glm-4", window=128_000, output=4_096, source=_BIGMODEL),
    Preset(name="moonshot-8k", pattern=r"moonshot-v1-8k", window=8_192, source=_MOONSHOT),
    Preset(name="moonshot-32k", pattern=r"moonshot-v1-32k", window=32_768, source=_MOONSHOT),
    Preset(name="moonshot-128k", pattern=r"moonshot-v1-(?:128k|auto)", window=131_072, source=_MOONSHOT),
    Preset(name="kimi-k2", pattern=r"kimi-k2|kimi-latest", window=131_072, notes="262,144 from 0905", source=_MOONSHOT),
    Preset(name="minimax", pattern=r"minimax-(?:text|m)|abab7", window=196_608, notes="1,000,192 for Text-01 and M1", source="platform.minimaxi.com; model card of MiniMax-M2"),
    Preset(name="llama-3.1", pattern=r"(?:meta-)?llama-?3[.-][123]", window=131_072, source=_LLAMA),
    Preset(name="llama-3", pattern=r"(?:meta-)?llama-?3", window=8_192, source=_LLAMA),
    Preset(name="llama-2", pattern=r"(?:meta-)?llama-?2", window=4_096, source=_LLAMA),
    Preset(name="mistral", pattern=r"(?:open-)?(?:mistral|ministral|codestral|mixtral|magistral)", window=32_768, notes="large, small and Nemo: 131,072", source=_MISTRAL),
    Preset(name="ollama", pattern="", window=4_096, truncates=True, notes="default below 24 GiB of VRAM, which the OpenAI-compatible endpoint cannot change; raised it? choose `ollama-raised`", source=_OLLAMA),
    Preset(name="ollama-raised", pattern="", window=None, truncates=True, notes="OLLAMA_CONTEXT_LENGTH or num_ctx is at least MAX_CONTEXT_TOKENS", source=_OLLAMA),
    Preset(name="llama.cpp", pattern="", window=4_096, notes="default of `--ctx-size` in older servers; newer ones take it from the model", source="ggml-org/llama.cpp tools/server/README.md"),
    Preset(name="none", pattern="", window=None, notes="no cap, whatever the model"),
)  # fmt: skip
"""The first row whose pattern fits wins, so exceptions stand before their family."""

_BY_NAME: Final = {preset.name: preset for preset in PRESETS}


def choose(name: str, *, model: str, base_url: str | None = None) -> Preset | None:
    """Return the preset of this name; for ``auto`` that of the server or the model; None if nothing is known of it.

    On Ollama's port the server decides: it gives any model its own, smaller window.

    Raises:
        ConfigError: no preset has this name; the message lists those there are.
    """
    if name != AUTO:
        if name not in _BY_NAME:
            raise ConfigError(f"model_preset: there is no preset {name!r}; use {AUTO}, {', '.join(_BY_NAME)}")
        return _BY_NAME[name]
    if base_url is not None and _port(base_url) == OLLAMA_PORT:
        return _BY_NAME["ollama"]
    bare = model.lower().rpartition("/")[2]  # gateways put the vendor in front
    return next((preset for preset in PRESETS if preset.pattern and re.match(preset.pattern, bare)), None)


def _port(url: str) -> int | None:
    try:
        return urlsplit(url).port
    except ValueError:
        return None
