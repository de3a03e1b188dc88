"""Writes what the pages repeat from the code: settings, commands, routes, errors, memory types, metrics. Run by ``make docs``.

A generated part stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``; a test compares it with the code.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import http_reference
import library_reference
from rich.console import Console
from typer.main import get_command

from zhiji import Zhiji, cli, errors, policies, signals
from zhiji.cli import doctor, zh
from zhiji.cli.exits import EXIT_CODES, exit_code
from zhiji.config import BARE_NAMES, DEFAULT_PROMPT, Settings
from zhiji.demo import script
from zhiji.demo.play import play
from zhiji.diagnosis import SENTENCES, Diagnosis, Finding
from zhiji.models.presets import PRESETS
from zhiji.server.problems import status
from zhiji.testing import FrozenClock, ScriptedModel

ROOT = Path(__file__).parents[1]
PAGES = (
    "README.md",
    "README.zh-CN.md",
    *(
        f"docs/reference/{name}.md"
        for name in ("library", "settings", "cli", "http", "errors", "types", "models", "metrics")
    ),
    "docs/howto/diagnose.md",
)
PART = re.compile(r"(<!-- generated: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
IN_README = (
    *("database_url", "model", "embedder", "session_ttl_seconds", "max_context_tokens", "reply_reserve_tokens"),
    *("max_history_turns", "keep_recent_turns", "memory_top_k", "confidence_gate", "transcript_days", "resume_days"),
)
"""Settings that most people meet; the reference has all."""
TOLD = re.compile(r"第|用户  |助手  |┈|✓|通过|\s+得分|\s+\d\.\d{3} ")
"""Lines of the demo that the READMEs show: days, what is said, jumps, scores, checks."""
DEMO_COLUMNS = 200
DOCTOR_COLUMNS = 150


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def settings(names: Iterable[str] = tuple(Settings.model_fields)) -> str:
    """Return a table of settings: variable, default, bounds, meaning."""
    return table(("variable", "default", "bounds", "meaning"), (_setting(name) for name in names))


def settings_in_chinese() -> str:
    """Return the short table in Chinese."""
    rows = (
        (*_setting(name)[:3], zh.SETTINGS[name] + _also(name).replace(" Also ", "也认 ").replace(".", "。"))
        for name in IN_README
    )
    return table(("变量", "默认值", "范围", "含义"), rows)


def _setting(name: str) -> tuple[str, str, str, str]:
    field = Settings.model_fields[name]
    default = field.get_default(call_default_factory=True)
    shown = "a bilingual shop assistant" if default == DEFAULT_PROMPT else "–" if default is None else f"`{default}`"
    return f"`ZHIJI_{name.upper()}`", shown, _bounds(field.metadata), f"{field.description}{_also(name)}"


def _also(name: str) -> str:
    return f" Also `{name.upper()}`." if name.upper() in BARE_NAMES else ""


def _bounds(metadata: Iterable[object]) -> str:
    signs = {"ge": "≥ ", "gt": "> ", "le": "≤ ", "lt": "< ", "min_length": "length ≥ "}
    found = (
        f"{sign}{getattr(rule, name)}"
        for rule in metadata
        for name, sign in signs.items()
        if getattr(rule, name, None) is not None
    )
    return ", ".join(found) or "–"


def commands() -> str:
    """Return every command with its arguments and options."""
    return "\n".join(_commands(get_command(cli.app), "zhiji"))


def _commands(command: Any, path: str) -> Iterator[str]:
    children = getattr(command, "commands", None)
    if children:
        for name, child in children.items():
            yield from _commands(child, f"{path} {name}")
        return
    yield f"### `{path}`\n\n{' '.join((command.help or '').split())}\n"
    params = [param for param in command.params if param.name != "help"]
    yield table(("argument or option", "meaning"), ((f"`{_spelled(param)}`", param.help or "") for param in params))


def _spelled(param: Any) -> str:
    if param.param_type_name == "argument":
        return str(param.metavar or param.name.upper())
    return ", ".join([*param.opts, *param.secondary_opts]) + (" (required)" if param.required else "")


def error_table() -> str:
    """Return every error with its code, exit code, HTTP status and message."""
    rows = (
        (f"`{kind.code}`", exit_code(kind()), status(kind()), "yes" if kind.retryable else "no", _first(kind))
        for kind in _errors(errors.ZhijiError)
    )
    return table(("code", "exit code", "HTTP", "retryable", "message"), rows)


def _errors(kind: type[errors.ZhijiError]) -> Iterator[type[errors.ZhijiError]]:
    if kind is not errors.ZhijiError:
        yield kind
    for child in kind.__subclasses__():
        yield from _errors(child)


def demo() -> str:
    """Return the lines of the Chinese story that show what it is about, as the demo prints them without the embedder."""
    console = Console(file=StringIO(), width=DEMO_COLUMNS, highlight=False, markup=False, emoji=False)
    with without_embedder():
        asyncio.run(play(script.built_in("zh"), console=console))
    shown = [line.rstrip() for line in cast("StringIO", console.file).getvalue().splitlines()]
    lines = [re.sub("┈{4,}", "┈┈┈", line) for line in shown if TOLD.match(line)]
    others = next(number for number, line in enumerate(lines) if "user_002" in line)
    return "\n".join(["```text", *lines[:others], lines[-1], "```\n"])


@contextmanager
def without_embedder() -> Iterator[None]:
    """Scores are the same on every machine, whether it has the embedder or not."""
    former = os.environ.get("ZHIJI_EMBEDDER")
    os.environ["ZHIJI_EMBEDDER"] = "off"
    try:
        yield
    finally:
        os.environ.pop("ZHIJI_EMBEDDER")
        if former is not None:
            os.environ["ZHIJI_EMBEDDER"] = former


def doctor_report() -> str:
    """Return what ``zhiji doctor`` shows where a doubtful memory waits in quarantine; ids shortened."""
    console = Console(file=StringIO(), width=DOCTOR_COLUMNS, highlight=False, markup=False, emoji=False)
    with TemporaryDirectory() as folder:
        console.print(doctor.report(asyncio.run(_doubtful(folder)), "user_001"))
    lines = [line.rstrip() for line in cast("StringIO", console.file).getvalue().splitlines()]
    return re.sub(r"\b(mem|ses)_[\w-]{22}", r"\1_…", "\n".join(["```text", *lines, "```\n"]))


async def _doubtful(folder: str) -> Diagnosis:
    values = Settings.load(database_url=f"sqlite:///{folder}/zhiji.db", embedder="off", worker=False)
    async with Zhiji.open(values, clock=FrozenClock(), model=ScriptedModel(["Hello!"])) as zj:
        session = (await zj.chat("user_001", "Hello, it is me")).session_id
        await zj.drain()
        await zj.remember("user_001", "May be allergic to mangoes", type="event", confidence=0.5)
        return await zj.doctor("user_001", session, "Can I eat the mango cake?", expect="mangoes")


def findings() -> str:
    """Return the table of what the doctor can find."""
    return table(("finding", "what is so"), ((f"`{one.value}`", SENTENCES[one][0]) for one in Finding))


def exit_codes() -> str:
    """Return the exit codes with the errors that lead to them."""
    by_code: dict[int, list[str]] = {}
    for kind, code in EXIT_CODES.items():
        by_code.setdefault(code, []).append(f"`{kind.code}`")
    return table(("exit code", "errors"), ((code, ", ".join(kinds)) for code, kinds in sorted(by_code.items())))


def types() -> str:
    """Return the table of memory types."""
    rows = (
        (
            f"`{one.name}`",
            one.label_zh,
            one.weight,
            one.half_life_days or "none",
            one.retention_days or "for good",
            "from when it was said" if not one.by_use else "without use",
            one.history_days,
            one.level,
        )
        for one in policies.TYPES.values()
    )
    return table(("type", "中文", "weight", "half-life, days", "kept, days", "", "as history, days", "level"), rows)


def attributes() -> str:
    """Return the table of attributes with fixed keys."""
    rows = (
        (f"`{one.key}`", one.label_zh, one.label_en, "yes" if one.profile else "no", "one" if one.single else "many")
        for one in policies.ATTRIBUTES
    )
    return table(("key", "中文", "English", "in the profile block", "values"), rows)


def presets() -> str:
    """Return the table of presets."""
    rows = (
        (
            f"`{one.name}`",
            "–" if one.window is None else f"{one.window:,}",
            "–" if one.output is None else f"{one.output:,}",
            "yes" if one.truncates else "no",
            one.notes or "–",
            one.source or "–",
        )
        for one in PRESETS
    )
    return table(("preset", "window", "reply at most", "cuts silently", "notes", "source"), rows)


def metrics() -> str:
    """Return the table of metrics."""
    rows = ((f"`{one.name}`", one.kind, _labels(one), one.unit, one.help) for one in signals.METRICS.values())
    return table(("metric", "kind", "labels", "unit", "meaning"), rows)


def _labels(metric: signals.Metric) -> str:
    shown = (f"`{label}`: {' '.join(values) or '…'}" for label, values in metric.labels.items())
    return "<br>".join(shown) or "–"


def spans() -> str:
    """Return the table of spans."""
    return table(("span", "meaning"), ((f"`{name}`", meaning) for name, meaning in signals.SPANS.items()))


def span_attributes() -> str:
    """Return the table of the spans' attributes."""
    return table(
        ("attribute", "meaning"), ((f"`zhiji.{name}`", meaning) for name, meaning in signals.ATTRIBUTES.items())
    )


def _first(kind: type) -> str:
    return " ".join((kind.__doc__ or "").split())


PARTS: dict[str, Callable[[], str]] = {
    "demo": demo,
    "settings": settings,
    "settings-in-short": lambda: settings(IN_README),
    "settings-in-short-zh": settings_in_chinese,
    "commands": commands,
    "errors": error_table,
    "exit-codes": exit_codes,
    "types": types,
    "library": library_reference.calls,
    "library-values": lambda: library_reference.values(table),
    "http-routes": lambda: http_reference.routes(table),
    "http-shapes": lambda: http_reference.shapes(table),
    "doctor": doctor_report,
    "findings": findings,
    "attributes": attributes,
    "presets": presets,
    "metrics": metrics,
    "spans": spans,
    "span-attributes": span_attributes,
}


def fresh(text: str) -> str:
    """Return a page with its generated parts made anew."""
    return PART.sub(lambda part: f"{part[1]}{PARTS[part[2]]()}{part[3]}", text)


def main() -> None:
    """Every page is up to date."""
    for name in PAGES:
        page = ROOT / name
        old = page.read_text(encoding="utf-8")
        if (new := fresh(old)) != old:
            page.write_text(new, encoding="utf-8")
            sys.stdout.write(f"wrote {name}\n")


if __name__ == "__main__":
    main()
