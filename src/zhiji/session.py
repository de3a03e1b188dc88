"""The rules of a session: when it is over, what its turns are, how its state advances, when and how it is summed up.

Steps 1 (restore) and 5 (advance) of the path decide with these; reading and writing is theirs. Invariants: everything
that trims, sums up or sends works on whole closed turns made by ``group``; the stored transcript is never changed; a
summary is built on masked words only. The one thing here that waits is ``fold``, which asks the summariser it is given.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Literal

from pydantic import BaseModel

from zhiji import blocks, forms, intents, masking, overflow, text
from zhiji.config import Settings
from zhiji.errors import ContextOverflow, SessionExpired, SessionNotFound
from zhiji.forms import load_state as load_state
from zhiji.forms import patch as patch
from zhiji.limits import Window
from zhiji.models.base import Summarise
from zhiji.tokens import MARKER, Counter
from zhiji.types import Conclusion, JsonValue, Message, Session, SessionStatus, State, ToolCall, Turn

log = logging.getLogger("zhiji.session")

# --- over or not ----------------------------------------------------------------------------------------------------


def is_expired(session: Session, now: datetime) -> bool:
    """Return whether the session is over: it was ended, or ``now >= expires_at``. At the very instant it is expired."""
    over = session.expires_at is not None and now >= session.expires_at
    return over or session.status is SessionStatus.ENDED


def require(session: Session | None, now: datetime, *, archived: bool = False) -> Session:
    """Return the session.

    Raises:
        SessionNotFound: there is none. SessionExpired: it is over, unless ``archived``.
    """
    if session is None:
        raise SessionNotFound
    if not archived and is_expired(session, now):
        raise SessionExpired
    return session


# --- turns ----------------------------------------------------------------------------------------------------------

NO_OUTPUT: Mapping[blocks.Lang, str] = {"zh": "(无输出)", "en": "(no output)"}
"""Stands for an empty message that must be there, so that its call or answer keeps its pair."""
INTERRUPTED: Mapping[blocks.Lang, str] = {"zh": "(已中断，没有结果)", "en": "(interrupted, no result)"}
"""Stands for a result or an answer that never came."""


def group(messages: Sequence[Message]) -> list[Turn]:
    """Return the turns, each closed and valid for strict providers; what precedes the first user message is left out.

    A turn starts at each user message. See ``mend`` for what is repaired; a turn without an answer is closed with a note
    that it was interrupted. The last message of each has the highest ``seq`` that was sent of it.
    """
    turns: list[Turn] = []
    for own in _by_user_message(messages):
        sent = mend(own)
        if sent[-1].role != "assistant":
            sent.append(_stand_in("assistant", own))
        turns.append(Turn(number=own[0].turn or len(turns) + 1, messages=tuple(sent)))
    return turns


def _by_user_message(messages: Sequence[Message]) -> Iterator[Sequence[Message]]:
    starts = [index for index, message in enumerate(messages) if message.role == "user"]
    for start, end in zip(starts, [*starts[1:], len(messages)], strict=False):
        yield messages[start:end]


def mend(turn: Sequence[Message]) -> list[Message]:
    """Return a turn's messages as they may be sent: each call has exactly one result, after it; nothing is blank.

    Empty answers, stray, duplicate and orphaned results are left out; a call without result gets one that says that it
    was interrupted; answers in a row are joined. Changed messages have ``tokens`` 0. The first one is the user's.
    """
    sent = [_not_blank(turn[0], turn)]
    waiting: dict[str, ToolCall] = {}
    for message in turn[1:]:
        if message.role == "tool":
            if message.tool_call_id in waiting and not message.orphan:
                del waiting[message.tool_call_id]
                sent.append(_not_blank(message, turn))
        elif message.role == "assistant":
            sent += _interrupted(waiting, turn)
            waiting = _add_answer(sent, message)
    return sent + _interrupted(waiting, turn)


def _not_blank(message: Message, turn: Sequence[Message]) -> Message:
    if message.content and not message.content.isspace():
        return message
    return replace(message, content=NO_OUTPUT[_lang(turn)], tokens=0)


def _interrupted(waiting: Mapping[str, ToolCall], turn: Sequence[Message]) -> list[Message]:
    return [replace(_stand_in("tool", turn), name=call.name, tool_call_id=call.id) for call in waiting.values()]


def _stand_in(role: Literal["assistant", "tool"], turn: Sequence[Message]) -> Message:
    last = turn[-1]
    seq = last.seq if role == "assistant" else 0
    return Message(role=role, content=INTERRUPTED[_lang(turn)], time=last.time, turn=last.turn, seq=seq)


def _lang(turn: Sequence[Message]) -> blocks.Lang:
    return blocks.lang_of(*(message.content for message in turn))


def _add_answer(sent: list[Message], message: Message) -> dict[str, ToolCall]:
    """Append an assistant message, joined with one right before it; return its calls by id."""
    calls = {call.id: call for call in message.tool_calls}
    if len(calls) < len(message.tool_calls):
        message = replace(message, tool_calls=tuple(calls.values()), tokens=0)
    if not calls and not message.content.strip():
        return calls
    if sent[-1].role == "assistant":
        words = "\n".join(part for part in (sent.pop().content, message.content) if part.strip())
        message = replace(message, content=words, tokens=0)
    sent.append(message)
    return calls


def window_start(turns: int, max_turns: int, keep: int) -> int:
    """Return the number of the first turn to send after ``turns`` closed ones: when they reach ``max_turns``, only the
    last ``keep`` stay, and they grow again.

    A pure function of the count, and constant between two cuts, so requests in a row begin with the same bytes.
    """
    step = max(1, max_turns - keep)
    return 1 + step * (max(0, turns - keep) // step)


# --- summing up -----------------------------------------------------------------------------------------------------

COMPACTION_SHARE = 0.6
"""Share of the room for history above which old turns are summed up (M4)."""
TRANSCRIPT_SHARE = 0.5
"""Share of the context window that one summariser call may fill with turns; prompt and summaries need the rest."""
TRANSCRIPT_SHARES = (TRANSCRIPT_SHARE, TRANSCRIPT_SHARE / 2, TRANSCRIPT_SHARE / 4)
"""The same, if the summariser says that it was too much: its model's window may be smaller than ours."""
MESSAGE_CAPS = (800, 400, 200, 100, 50, 25)
"""Tokens per message to which a transcript is shortened, tried in this order."""


def needs_compaction(history: Sequence[Message], settings: Settings, *, room: int) -> bool:
    """Return whether old turns should be summed up now: more than the last ``keep_recent_turns`` are there, and they fill
    over 60 % of the room or reach ``max_history_turns``.

    ``history``: counted messages of the closed turns after the summary. ``room``: see ``context.room``. Only what
    compaction removes is counted, so it is never due again right after it ran.
    """
    turns = sum(message.role == "user" for message in history)
    tokens = sum(message.tokens for message in history)
    full = tokens > COMPACTION_SHARE * room or turns >= settings.max_history_turns
    return full and turns > settings.keep_recent_turns


def transcript(turns: Sequence[Turn], *, counter: Counter, max_tokens: int) -> str:
    """Return the turns as masked lines ``user: …``, ``assistant: …``, ``tool: …``, at most ``max_tokens`` long.

    Long messages are shortened first; if that is not enough, the oldest lines go. Holds nothing that was recalled.
    """
    said = [(message.role, text.fence(masking.mask(message.content))) for turn in turns for message in turn.messages]
    lines = [f"{role}: {words}" for role, words in said if words]
    for cap in MESSAGE_CAPS:
        if counter.text("\n".join(lines)) <= max_tokens:
            return "\n".join(lines)
        lines = [counter.truncate(line, cap) for line in lines]
    while lines and counter.text("\n".join(lines)) > max_tokens:
        lines = lines[len(lines) // 8 + 1 :]
    return "\n".join(lines)


_SENTENCE_END = re.compile(r"[。！？；\n]|[.!?;](?=\s|$)")
_REFUSAL = re.compile(
    r"抱歉|对不起|很遗憾|作为(?:一个)?(?:AI|人工智能)|我(?:无法|不能)|(?:(?:i'?m|i am) (?:sorry|unable)|sorry|i can(?:no|')t|as an ai)\b",
    re.IGNORECASE,
)


def cap_summary(summary: str, limit: int, *, counter: Counter) -> str:
    """Return the summary, cut at the end of a sentence if it is longer than ``limit`` tokens."""
    if counter.text(summary) <= limit:
        return summary
    cut = counter.truncate(summary, limit).removesuffix(MARKER)
    ends = [match.end() for match in _SENTENCE_END.finditer(cut)]
    return cut[: ends[-1]].strip() if ends else counter.truncate(summary, limit)


async def fold(
    previous: str,
    turns: Sequence[Turn],
    *,
    summarise: Summarise,
    settings: Settings,
    window: Window,
    counter: Counter,
) -> str | None:
    """Return a summary that continues ``previous`` and covers ``turns``, masked and at most ``summary_tokens`` long.

    None if none could be had: the summariser failed, took longer than ``model_timeout_seconds``, answered nothing or a
    refusal, or its answer would save nothing. The caller then changes nothing.
    """
    answer: str | None = None
    for share in TRANSCRIPT_SHARES:
        words = transcript(turns, counter=counter, max_tokens=int(share * window.limit))
        try:
            answer = await _summed_up(previous, words, summarise, settings) if words else None
        except ContextOverflow:
            log.info("summariser_overflow: %.0f %% of the window was too much", share * 100)
        else:
            break
    if answer is None:
        return None
    summary = cap_summary(masking.mask(answer).strip(), settings.summary_tokens, counter=counter)
    if not summary or _REFUSAL.match(summary):
        return None
    replaced = counter.text(previous) + sum(
        counter.text(message.content) for turn in turns for message in turn.messages
    )
    return summary if counter.text(summary) < replaced else None


async def _summed_up(previous: str, words: str, summarise: Summarise, settings: Settings) -> str | None:
    """Return the summariser's answer, or None if it failed.

    Raises:
        ContextOverflow: it was shown more than its model can hold.
    """
    try:
        async with asyncio.timeout(settings.model_timeout_seconds):
            return text.clean(await summarise(previous, words, settings.summary_tokens))
    except Exception as error:  # the host's code: whatever it raises, there is no summary
        found = overflow.read(error)
        if found is not None:
            raise found.error() from error
        log.warning("summariser_failed: %s; history stays whole", type(error).__name__)
        return None


# --- state ----------------------------------------------------------------------------------------------------------

MAX_CONCLUSIONS = 5
MAX_CONCLUSION_CHARS = 160


def advance(state: State, turn: Sequence[Message], *, schema: type[BaseModel] | None = None) -> State:
    """Return the state after this turn; the old one is not touched, ``version`` stays for compare-and-set.

    Intent and slots come from the user's words (the last one wins; never from quoted or negated ones), numbers also from
    a call whose result repeats them; each tool result leaves a short, masked conclusion. Slots that ``schema`` refuses stay out.
    """
    confirmed = _confirmed(turn)
    intent, found = state.intent, dict(confirmed)
    for message in turn:
        if message.role == "user":
            intent = intents.intent(message.content, intent)
            found |= intents.slots(message.content)
    found |= {slot: spelt for slot, spelt in confirmed.items() if found[slot] == text.canonical_id(str(spelt))}
    fresh = [_conclusion(message) for message in turn if message.role == "tool" and not message.orphan]
    said = {(done.tool, done.text) for done in fresh}
    kept = [done for done in state.conclusions if (done.tool, done.text) not in said]
    return replace(
        state,
        intent=intent,
        slots={**state.slots, **forms.fitting(found, schema)},
        conclusions=tuple([*kept, *fresh][-MAX_CONCLUSIONS:]),
    )


def rebase(advanced: State, *, before: State, patched: State) -> State:
    """Return the state that a turn has ``advanced`` from ``before``, on top of what was ``patched`` meanwhile.

    Where both changed the same, the patch wins: it was said by name, the other read between the lines.
    """
    kept = {name: value for name, value in advanced.slots.items() if name in patched.slots or name not in before.slots}
    changed = {name: value for name, value in patched.slots.items() if before.slots.get(name) != value}
    return replace(
        advanced,
        version=patched.version,
        intent=advanced.intent if patched.intent == before.intent else patched.intent,
        slots={**kept, **changed},
    )


def carry_over(session: Session) -> State:
    """Return the state with which a resumed session starts: intent and unfinished form, without tool conclusions."""
    slots = {name: value for name, value in session.state.slots.items() if not name.startswith(forms.TEMPORARY)}
    return State(intent=session.state.intent, slots=slots)


def _confirmed(turn: Sequence[Message]) -> dict[str, JsonValue]:
    """Return the numbers that a call asked for and its result repeats: what the model looked up, not what it guessed.

    They are spelt as in the result, hyphens included: so the tools know them.
    """
    calls = {call.id: call for message in turn for call in message.tool_calls}
    found: dict[str, JsonValue] = {}
    for message in turn:
        call = calls.get(message.tool_call_id or "") if message.role == "tool" else None
        arguments = _object(call.arguments) if call else {}
        for slot in intents.ID_SLOTS.values():
            value = arguments.get(slot)
            if isinstance(value, str) and value and text.canonical_id(value) in text.canonical_id(message.content):
                found[slot] = _spelt(text.canonical_id(value), message.content)
    return found


def _spelt(id: str, content: str) -> str:
    match = re.search(r"[-\s]*".join(map(re.escape, id)), content, re.IGNORECASE)
    return " ".join(match[0].split()) if match else id


def _conclusion(message: Message) -> Conclusion:
    fields = _object(message.content)
    words = "; ".join(f"{name}: {value}" for name, value in fields.items() if isinstance(value, str | int | float))
    shown = text.truncate(masking.mask(" ".join((words or message.content).split())), MAX_CONCLUSION_CHARS)
    return Conclusion(tool=message.name or "tool", text=shown, seq=message.seq)


def _object(source: str) -> dict[str, JsonValue]:
    try:
        parsed = json.loads(source) if source.lstrip().startswith("{") else {}
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}
