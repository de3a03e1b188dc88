"""How a story looks on a terminal: one panel per exchange, one table per level. Builds renderables, prints nothing.

Widths are counted in cells, so Chinese and English columns line up.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from zhiji.demo.script import Step, Story
from zhiji.demo.view import Exchange, Jumped, StoryResult
from zhiji.text import truncate
from zhiji.types import Memory, Recalled, Status

Shown = RenderableType

BAR_CELLS = 30
"""Width of a full token bar."""

MESSAGE_CHARS = 1200
"""Longest part of one message that is shown."""

LABELS: dict[str, tuple[str, str]] = {
    "day": ("第 {day} 天", "day {day}"),
    "jump": ("时钟前进 {by}，现在是第 {day} 天；{ended} 个会话过期归档", "the clock jumps {by}, now it is day {day}; {ended} session(s) expired and archived"),
    "control": ("对照：召回已关闭", "control: recall is switched off"),
    "user": ("用户", "user"),
    "assistant": ("助手", "assistant"),
    "session": ("会话与状态", "session and state"),
    "new": ("新会话", "new session"),
    "resumed": ("接续自 {id}", "carries on from {id}"),
    "same": ("同一会话", "same session"),
    "intent": ("意图", "intent"),
    "slots": ("表单", "slots"),
    "conclusions": ("工具结论", "tool conclusions"),
    "expires": ("过期", "expires"),
    "memory": ("写入或加强的记忆", "memories written or reinforced"),
    "nothing": ("没有变化", "no change"),
    "recalled": ("召回与得分", "recalled, with score terms"),
    "none_recalled": ("没有召回", "nothing recalled"),
    "context": ("上下文（{total} / {limit} token，{percent}）", "context ({total} of {limit} tokens, {percent})"),
    "seen": ("模型看到的", "what the model saw"),
    "expected": ("应有", "expected"),
    "never": ("不得有", "never"),
    "passed": ("通过：助手记得。", "Passed: the assistant remembered."),
    "failed": ("失败：助手没有记住。", "Failed: the assistant did not remember."),
    "type": ("类型", "type"),
    "key": ("键", "key"),
    "content": ("内容", "content"),
    "importance": ("重要", "imp."),
    "confidence": ("置信", "conf."),
    "status": ("状态", "status"),
    "score": ("得分", "score"),
    "similarity": ("相似", "sim."),
    "decay": ("时效", "decay"),
    "weight": ("类型重", "weight"),
    "via": ("来路", "via"),
}  # fmt: skip
"""Every word of this page: (zh, en). A mixed story is shown with Chinese labels."""

PARTS = ("system", "memory", "summary", "history", "tool", "input")
TERMS = {"similarity": "similarity", "decay": "decay", "confidence": "confidence", "type": "weight"}
"""Term of the score → its label."""
_COLOURS = {
    "system": "blue",
    "memory": "green",
    "summary": "magenta",
    "history": "cyan",
    "tool": "yellow",
    "input": "red",
}
_UNITS = (("d", 86_400), ("h", 3_600), ("m", 60))


def opening(story: Story, *, no_memory: bool) -> Shown:
    """Return the title of a story."""
    title = story.title or story.name
    return Rule(f"{title} · {_label('control', story.lang)}" if no_memory else title, style="bold")


def jump(jumped: Jumped, lang: str) -> Shown:
    """Return a jump of the clock."""
    words = _label("jump", lang).format(by=_span(jumped.by), day=jumped.day, ended=jumped.ended)
    return Rule(words, style="yellow", characters="┈")


def said(step: Step, day: int, now: datetime, lang: str) -> Shown:
    """Return what the user says, before the answer is there."""
    head = f"{_label('day', lang).format(day=day)} {now:%Y-%m-%d %H:%M} · {step.user}"
    return Group(Text(""), Text(head, style="dim"), _line(_label("user", lang), step.say or "", "bold cyan"))


def exchange(done: Exchange, lang: str) -> Shown:
    """Return the reply and what each level holds after it."""
    return Group(
        _line(_label("assistant", lang), done.reply.text, "bold green"),
        Padding(Group(*_levels(done, lang)), (0, 0, 0, 2)),
        _verdict(done, lang),
    )


def closing(result: StoryResult) -> Shown:
    """Return whether the story passed."""
    word, style = ("passed", "bold green") if result.passed else ("failed", "bold red")
    return Group(Text(""), Text(_label(word, result.story.lang), style=style), Text(""))


def _levels(done: Exchange, lang: str) -> Iterator[Shown]:
    yield _session(done, lang)
    yield _recalled(done.reply.recalled, lang)
    yield _context(done, lang)
    yield _written(done.written, lang)


def _session(done: Exchange, lang: str) -> Shown:
    state = done.session.state
    origin = "resumed" if done.reply.resumed_from else "new" if done.reply.created else "same"
    table = _table(header=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row(_short(done.session.id), _label(origin, lang).format(id=_short(done.reply.resumed_from or "")))
    if done.session.expires_at:
        table.add_row(_label("expires", lang), f"{done.session.expires_at:%Y-%m-%d %H:%M}")
    table.add_row(_label("intent", lang), state.intent or "–")
    table.add_row(_label("slots", lang), "  ".join(f"{name}={value}" for name, value in state.slots.items()) or "–")
    for conclusion in state.conclusions[-2:]:
        table.add_row(_label("conclusions", lang), Text(f"{conclusion.tool}: {conclusion.text}"))
    return _section(_label("session", lang), table)


def _recalled(found: tuple[Recalled, ...], lang: str) -> Shown:
    table = _table()
    table.add_column(_label("score", lang), justify="right", no_wrap=True)
    for term in TERMS.values():
        table.add_column(_label(term, lang), justify="right", no_wrap=True, style="dim")
    table.add_column(_label("via", lang), no_wrap=True)
    table.add_column(_label("type", lang), no_wrap=True)
    table.add_column(_label("content", lang), overflow="fold", ratio=1)
    for one in found:
        terms = [f"{one.terms[term]:.2f}" if term in one.terms else "–" for term in TERMS]
        table.add_row(f"{one.score:.3f}", *terms, one.via, one.memory.type, Text(one.memory.content))
    return _section(_label("recalled", lang), table if found else _dim(_label("none_recalled", lang)))


def _context(done: Exchange, lang: str) -> Shown:
    usage = done.reply.usage
    title = _label("context", lang).format(total=usage.total, limit=usage.limit, percent=f"{usage.ratio:.0%}")
    bars = _table(header=False)
    bars.add_column(no_wrap=True, style="dim")
    bars.add_column(justify="right", no_wrap=True)
    bars.add_column(no_wrap=True)
    for part in PARTS:
        tokens: int = getattr(usage, part)
        cells = -(-tokens * BAR_CELLS // max(usage.total, 1))
        bars.add_row(part, str(tokens), Text("█" * cells, style=_COLOURS[part]))
    seen = Panel(_messages(done), title=_label("seen", lang), title_align="left", border_style="dim")
    return _section(title, Group(bars, seen))


def _messages(done: Exchange) -> Text:
    shown = Text()
    for message in done.context.messages:
        content, calls = message.get("content"), message.get("tool_calls")
        words = content if isinstance(content, str) else ""
        shown.append(f"{message['role']} ", style="bold")
        shown.append(truncate(words, MESSAGE_CHARS) + ("…" if len(words) > MESSAGE_CHARS else ""))
        for call in calls if isinstance(calls, list) else []:
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict):
                shown.append(f"{function.get('name')} {function.get('arguments')} ", style="yellow")
        shown.append("\n")
    shown.rstrip()
    return shown


def _written(written: tuple[Memory, ...], lang: str) -> Shown:
    table = _table()
    for name in ("type", "key"):
        table.add_column(_label(name, lang), overflow="fold")
    table.add_column(_label("content", lang), overflow="fold", ratio=1)
    for name in ("importance", "confidence"):
        table.add_column(_label(name, lang), justify="right", no_wrap=True)
    table.add_column(_label("status", lang), no_wrap=True)
    for memory in written:
        style = "" if memory.status is Status.ACTIVE else "dim"
        row = [Text(memory.type), Text(memory.key or "–"), Text(memory.content)]
        table.add_row(*row, f"{memory.importance}", f"{memory.confidence:.2f}", memory.status, style=style)
    return _section(_label("memory", lang), table if written else _dim(_label("nothing", lang)))


def _verdict(done: Exchange, lang: str) -> Shown:
    shown = Text()
    for phrase in done.step.expect:
        _mark(shown, f"{_label('expected', lang)} {phrase}", good=phrase not in done.missing)
    for phrase in done.step.never:
        _mark(shown, f"{_label('never', lang)} {phrase}", good=phrase not in done.forbidden)
    return shown


def _mark(shown: Text, words: str, *, good: bool) -> None:
    shown.append(f"{'✓' if good else '✗'} {words}   ", style="green" if good else "bold red")


def _table(*, header: bool = True) -> Table:
    return Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=header, header_style="dim")


def _section(title: str, body: Shown) -> Shown:
    return Group(Text(title, style="bold"), body)


def _dim(words: str) -> Shown:
    return Text(words, style="dim")


def _line(who: str, words: str, style: str) -> Text:
    return Text.assemble((f"{who}  ", style), words)


def _label(name: str, lang: str) -> str:
    return LABELS[name][1 if lang == "en" else 0]


def _short(id: str) -> str:
    return id[:12]


def _span(by: timedelta) -> str:
    rest, parts = int(by.total_seconds()), []
    for unit, seconds in _UNITS:
        count, rest = divmod(rest, seconds)
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts) or "0m"
